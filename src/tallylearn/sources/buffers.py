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


def whole(data: Any) -> Any:
    """A column in one piece."""
    import pyarrow as pa

    if not isinstance(data, pa.ChunkedArray):
        return data
    if pa.types.is_dictionary(data.type):
        data = data.unify_dictionaries()
    data = data.combine_chunks()
    return data if isinstance(data, pa.Array) else data.chunk(0)


def numpy_of(data: Any, missing: np.generic) -> Array:
    """A column of numbers as NumPy's, in the type of the value that stands for a missing one."""
    import pyarrow as pa

    dtype = missing.dtype
    data = whole(data).cast(pa.from_numpy_dtype(dtype), safe=False)
    if not len(data):
        return np.empty(0, dtype=dtype)
    if data.null_count:
        data = data.fill_null(_scalar(missing))
    return np.frombuffer(data.buffers()[1], dtype, len(data), data.offset * dtype.itemsize)


def doubles(data: Any) -> Array:
    """A column of numbers as doubles, NaN where missing."""
    return numpy_of(data, np.float64(np.nan))


def emptied(data: Any, where: Any) -> Any:
    """The column with null in some rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(where, pa.nulls(1, data.type)[0], data)


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
