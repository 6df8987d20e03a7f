"""Measures and weights: what a regression learns, and how much each row counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError, InputError, TargetError, short_repr
from tallylearn.sources.arrow.buffers import doubles, numpy_of, strings_of
from tallylearn.sources.arrow.types import is_string_type
from tallylearn.sources.columns.kinds import is_numeric_type
from tallylearn.sources.files.csv.cell_errors import as_code
from tallylearn.sources.memory.arrays import EXACT, array_of_items, is_exact_double, is_missing
from tallylearn.sources.type_inference.column_types import PLAIN
from tallylearn.sources.type_inference.string_column import (
    encode_strings,
    infer_string_column,
    read_strings,
)
from tallylearn.tables import Codes, Start, row_number
from tallylearn.tables.string_formats import NUMBERS

Array = NDArray[Any]
SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)  # smaller numbers have lost digits


def measures(y: Any, start: Start = 0) -> Array:
    """A target of numbers."""
    read = isinstance(y, Codes) or hasattr(y, "null_count")  # whose strings are read as numbers
    if isinstance(y, Codes):
        y = _objects(y.items())
    elif hasattr(y, "null_count"):
        y = _measures_of_arrow(y)
    if (row := _find_first_odd(y)) is not None:
        row = _stray(y, row) if read else row
        mostly = read and 2 * sum(_real(item) or _number(item) for item in y) > len(y)
        raise _no_measure(y[row : row + 1].tolist()[0], row_number(start, row), mostly)
    y = _as_nan(y)
    _check_held(y, start)
    numbers = y.astype(np.float64, copy=False)
    check_finite(numbers, start)
    return np.asarray(numbers)


def _measures_of_arrow(y: Any) -> Array:
    """A column as NumPy's; decimals as objects, since those may be integers of any size."""
    import pyarrow.types as is_

    kind = y.type.value_type if is_.is_dictionary(y.type) else y.type
    if is_string_type(kind) and (written := _parse_strings(y)) is not None:
        return written
    y = y.cast(kind)
    if not is_numeric_type(kind) or is_.is_decimal(kind):
        return _objects(y.to_pylist())
    return numbers_of(y)


def _parse_strings(y: Any) -> Array | None:
    """Strings as the numbers that they are written as; None where some are none."""
    column = encode_strings(y)
    found = infer_string_column(column, PLAIN)
    if found.format.kind != NUMBERS or found.ambiguity:
        return None
    return doubles(read_strings("target", column, found.format))


def numbers_of(y: Any) -> Array:
    """A column of numbers or truth values, in NumPy's widest type for them."""
    import pyarrow.types as is_

    if y.null_count or not (is_.is_integer(y.type) or is_.is_boolean(y.type)):
        return doubles(y)
    if is_.is_boolean(y.type):
        return numpy_of(y, np.uint8(0)).astype(bool)
    return numpy_of(y, np.uint64(0) if is_.is_uint64(y.type) else np.int64(0))


def weights(
    weight: Any, n: int, name: str = "sample_weight", start: int = 0, *, compared: bool = False
) -> Array:
    """Weights: numbers, finite and not negative; of any size where rows are only ``compared``."""
    array = _one_a_row(weight, n, name)
    if (row := _find_first_odd(array)) is not None:
        value = array[row : row + 1].tolist()[0]
        raise InputError(
            f"{name} is {value!r} in row {start + row}, which is not a number. Convert the weights "
            "to numbers."
        )
    try:
        array = _as_nan(array).astype(np.float64)
    except OverflowError:
        raise InputError(
            f"{name} has an integer that is too large for a float64. Rescale the weights."
        ) from None
    for bad, word in ((~np.isfinite(array), "not finite"), (array < 0, "negative")):
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"{name} is {array[row]} in row {start + row}, which is {word}. Pass "
                "weights of 0 or more."
            )
    if not compared:
        _check_sizes(array, name)
    return array


def _check_sizes(array: Array, name: str) -> None:
    """Weights whose sum is a double, and of which one at least has all of its digits."""
    with np.errstate(over="ignore"):
        total, most = float(array.sum()), float(array.max(initial=0.0))
    if 0 < most < SMALLEST_NORMAL or not total < np.inf:
        size, beyond = ("large", "their sum is") if most > 1 else ("small", "quotients of them are")
        raise InputError(
            f"{name} has the maximum {most:g}, which is so {size} that {beyond} outside the "
            "range of a float64. Divide all weights by the maximum."
        )


@contextmanager
def weight_errors(name: str | None) -> Iterator[None]:
    """Text in the column that is named as the weight gets the remedy for that."""
    try:
        yield
    except ColumnError as error:
        if name is not None and error.column == name and error.cell:
            error.args = (
                f"{error.cell}, and that column has the weights. Weights are numbers: "
                "name another column, or correct the cell.",
            )
            error.cell = ""  # said once
        raise


def _one_a_row(weight: Any, n: int, name: str) -> Array:
    if isinstance(weight, Codes):
        weight = _objects(weight.items())
    try:
        array = array_of_items(weight)
    except ValueError:
        raise InputError(
            f"{name} has rows of different lengths. Pass one number per row."
        ) from None
    if array.ndim == 0:
        array = np.full(n, array)
    if array.ndim != 1:
        raise InputError(
            f"{name} has {array.ndim} dimensions. Pass one weight per row. Sample weights must be "
            "1D array or scalar"
        )
    if len(array) != n:
        raise InputError(
            f"{name} has {len(array)} values for {n} rows. Pass one weight per row. "
            f"sample_weight.shape == {array.shape}, expected {(n,)}!"
        )
    return array


def check_finite(y: Array, start: Start) -> None:
    """Refuse a target that is missing or infinite in some row."""
    if np.isfinite(y).all():
        return
    row = int(np.argmin(np.isfinite(y)))
    if np.isnan(y[row]):
        raise missing_target_error(row_number(start, row))
    raise TargetError(
        f"the target is {y[row]} in row {row_number(start, row)}. Drop or correct that "
        "row. Input y contains infinity."
    )


def missing_target_error(row: int) -> TargetError:
    return TargetError(
        f"the target is missing in row {row}. Drop that row, or fill it in. Input y contains NaN."
    )


def _objects(items: list[Any]) -> Array:
    return np.array(items, dtype=object)


def _as_nan(array: Array) -> Array:
    """The same with a float's NaN for a Decimal's, which cannot be compared or converted."""
    if array.dtype.kind != "O":
        return array
    return _objects([np.nan if is_missing(item) else item for item in array])


def _find_first_odd(array: Array) -> int | None:
    """The first row that holds no real number."""
    if array.dtype.kind in "fiub":
        return None
    if array.dtype.kind != "O":
        return 0 if len(array) else None
    return next((row for row, item in enumerate(array) if not _real(item)), None)


def _stray(array: Array, first: int) -> int:
    """The first row whose text is no number by itself; the first of all where each is one."""
    texts = enumerate(array[first:].tolist(), first)
    return next((row for row, item in texts if not _real(item) and not _number(item)), first)


@lru_cache(maxsize=4096)
def _number(item: object) -> bool:
    """Whether a text may be read as a number, as one of a column."""
    if not isinstance(item, str):
        return False
    try:
        float(item)
    except ValueError:
        return (
            infer_string_column(encode_strings(strings_of((item,))), PLAIN).format.kind == NUMBERS
        )
    return True


def _real(item: Any) -> bool:
    kinds = (Real, Decimal, np.bool_)
    return isinstance(item, kinds) and not isinstance(item, np.timedelta64)


def _no_measure(value: object, row: int, mostly: bool) -> TargetError:
    """The error of a value that is no number; ``mostly``: among more that are."""
    if is_missing(value):
        return missing_target_error(row)
    what = "text" if isinstance(value, str) else type(value).__name__
    text = mostly and isinstance(value, str)
    mark = f"; or mark the value as missing with missing={as_code(value)}" if text else ""
    return TargetError(
        f"the target has {what} ({value!r} in row {row}), and regression needs numbers. "
        f"Choose another target, or a classifier{mark}."
    )


def _check_held(y: Array, start: Start) -> None:
    """Refuse an integer that a double cannot hold."""
    if y.dtype.kind not in "iuO":
        return
    with np.errstate(invalid="ignore"):  # NaN among objects
        large = (y > EXACT) | (y < -EXACT)
    for row in np.flatnonzero(large):
        value = y[row]
        whole = isinstance(value, int) or (np.isfinite(float(value)) and value == int(value))
        if whole and not is_exact_double(int(value)):
            raise TargetError(
                f"the target is {short_repr(int(value))} in row {row_number(start, int(row))}, an "
                "integer that a double cannot hold. Pass it in a larger unit, or as "
                "floats if its last digits do not matter."
            )
