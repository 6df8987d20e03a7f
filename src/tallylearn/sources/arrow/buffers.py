"""Buffers: Arrow's memory as NumPy's, and Arrow's values from Python's.

``pyarrow.array``, ``scalar`` and ``to_numpy`` import pandas where it is installed, which takes a
sixth of a second: reading a file must not wait for that.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
NOWHERE = np.int32(-1)


def one_chunk(data: Any) -> Any:
    """A column in one piece."""
    import pyarrow as pa

    if not isinstance(data, pa.ChunkedArray):
        return data
    if data.num_chunks == 1:  # which Arrow would copy
        return data.chunk(0)
    if pa.types.is_dictionary(data.type):
        data = data.unify_dictionaries()
    data = data.combine_chunks()
    return data if isinstance(data, pa.Array) else data.chunk(0)


def numpy_of(data: Any, missing: np.generic) -> Array:
    """A column of numbers as NumPy's, in the type of the value that stands for a missing one."""
    import pyarrow as pa

    dtype = missing.dtype
    data = one_chunk(data).cast(pa.from_numpy_dtype(dtype), safe=False)
    if not len(data):
        return np.empty(0, dtype=dtype)
    if data.null_count:
        data = data.fill_null(_scalar(missing))
    return np.frombuffer(data.buffers()[1], dtype, len(data), data.offset * dtype.itemsize)


def doubles(data: Any) -> Array:
    """A column of numbers as doubles, NaN where missing."""
    return numpy_of(data, np.float64(np.nan))


def row_indices(at: Array) -> Any:
    """Row numbers of NumPy's as Arrow's."""
    import pyarrow as pa

    at = np.ascontiguousarray(at, dtype=np.int64)
    return pa.Array.from_buffers(pa.int64(), len(at), [None, pa.py_buffer(at)])


def to_bools(data: Any) -> Array:
    """A column of truth values as NumPy's, False where missing."""
    return numpy_of(data, np.uint8(0)).astype(bool)


def set_null(data: Any, where: Any) -> Any:
    """The column with null in some rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_float16(data.type):  # older versions of Arrow choose among no halves
        return set_null(data.cast(pa.float32()), where).cast(data.type)
    return pc.if_else(where, pa.nulls(1, data.type)[0], data)


def plain_of(values: Any) -> Any:
    """A list of text, or of floats, as Arrow; None where it holds anything else."""
    import pyarrow as pa

    kinds = {type(value) for value in values} - {type(None)} if type(values) is list else set()
    if len(kinds) != 1 or not kinds <= {str, float}:
        return None
    gaps = np.array([value is not None for value in values])
    valid = None if gaps.all() else pa.py_buffer(np.packbits(gaps, bitorder="little"))
    if kinds == {float}:
        data = np.array([np.nan if value is None else value for value in values])
        gaps &= ~np.isnan(data)
        valid = pa.py_buffer(np.packbits(gaps, bitorder="little"))
        return pa.Array.from_buffers(pa.float64(), len(values), [valid, pa.py_buffer(data)])
    try:
        parts = [b"" if value is None else value.encode() for value in values]
    except UnicodeEncodeError:  # half a surrogate pair: left to the errors of the caller
        return None
    ends = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    buffers = [valid, pa.py_buffer(ends), pa.py_buffer(b"".join(parts))]
    return pa.Array.from_buffers(pa.large_string(), len(values), buffers).cast(pa.string())


@lru_cache(maxsize=8)
def strings_of(texts: tuple[str, ...]) -> Any:
    """Arrow strings."""
    import pyarrow as pa

    data = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, data)], dtype=np.int32)
    buffers = pa.py_buffer(offsets), pa.py_buffer(b"".join(data))
    return pa.StringArray.from_buffers(len(texts), *buffers)


def _scalar(value: np.generic) -> Any:
    import pyarrow as pa

    buffer = pa.py_buffer(np.array([value]))
    return pa.Array.from_buffers(pa.from_numpy_dtype(value.dtype), 1, [None, buffer])[0]
