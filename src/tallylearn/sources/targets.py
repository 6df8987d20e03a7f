"""Targets and weights: the labels, the measures, and how much each row counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import InputError, TargetError, warn_of_conversion
from tallylearn.sources.arrays import EXACT, is_missing
from tallylearn.sources.buffers import doubles, numpy_of
from tallylearn.sources.columns import codes, numeric
from tallylearn.tables import Codes

Array = NDArray[Any]


def flat(y: Any) -> Array:
    """A target as a one-dimensional array."""
    try:
        array = np.asarray(y)
    except ValueError:
        raise TargetError("y has rows of different lengths. Pass one value a row.") from None
    if array.ndim == 2 and array.shape[1] == 1:
        warn_of_conversion(
            "A column-vector y was passed when a 1d array was expected. "
            "Change the shape of y to (n_samples,), for example using ravel()."
        )
        return array.ravel()
    if array.ndim != 1:
        raise TargetError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    return array


def labels(y: Any, start: int = 0) -> Codes:
    """Classes: text, whole numbers or truth values."""
    if isinstance(y, Codes):
        return _sorted(y, start)
    if hasattr(y, "null_count"):
        return _labels_of_arrow(y, start)
    kind = y.dtype.kind
    if kind == "O":
        return _labels_of_objects(y, start)
    if kind == "f":
        return _labels_of_floats(y, start)
    if kind in "iu" and not (y.dtype == np.uint64 and y.max(initial=0) >= 2**63):
        return _labels_of_integers(y.astype(np.int64))
    if kind in "UTbu":
        values, at = np.unique(y, return_inverse=True)
        return Codes(tuple(values.tolist()), at.astype(np.int32).ravel())
    if kind == "M":
        return _labels_of_dates(y, start)
    raise TargetError(
        f"the target holds {y.dtype}. Classes are text, whole numbers or truth values: convert it."
    )


def measures(y: Any, start: int = 0) -> Array:
    """A target of numbers."""
    if isinstance(y, Codes):
        y = np.array(y.items(), dtype=object)
    elif hasattr(y, "null_count"):
        y = _measures_of_arrow(y)
    try:
        numbers = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise _no_measure(y[0]) from None
    _check_finite(numbers, start)
    return numbers


def _measures_of_arrow(y: Any) -> Array:
    import pyarrow as pa

    kind = y.type.value_type if pa.types.is_dictionary(y.type) else y.type
    if not numeric(kind):
        raise _no_measure(y[0].as_py())
    return doubles(y.cast(kind))


def _no_measure(value: object) -> TargetError:
    what = "text" if isinstance(value, str) else type(value).__name__
    return TargetError(
        f"the target holds {what} ({value!r}). A regression needs numbers: choose another target, "
        "or a classifier."
    )


def weights(weight: Any, n: int, name: str = "sample_weight", start: int = 0) -> Array:
    """Weights: finite, not negative, not all zero."""
    try:
        array = np.asarray(weight)
    except ValueError:
        raise InputError(f"{name} has rows of different lengths. Pass one number a row.") from None
    if array.ndim == 0:
        array = np.full(n, array)
    if array.ndim != 1:
        raise InputError(
            f"{name} has {array.ndim} dimensions. Sample weights must be 1D array or scalar"
        )
    if len(array) != n:
        raise InputError(
            f"{name} has {len(array)} values for {n} rows. "
            f"sample_weight.shape == {array.shape}, expected {(n,)}!"
        )
    try:
        array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} holds {array[0]!r}. Weights are numbers.") from None
    for bad, word in ((~np.isfinite(array), "not finite"), (array < 0, "negative")):
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"{name} is {array[row]} in row {start + row}: {word}. Weights are 0 or more."
            )
    return array


def _labels_of_integers(y: Array) -> Codes:
    """By looking up where the range is small: sorting a million takes longer than learning."""
    low, high = (int(y.min()), int(y.max())) if len(y) else (0, 0)
    if high - low > 4 * len(y) + 1000:
        found, at = np.unique(y, return_inverse=True)
        return Codes(tuple(found.tolist()), at.astype(np.int32))
    offset = y - low if low else y
    seen = np.bincount(offset, minlength=1) > 0
    values = tuple((np.flatnonzero(seen) + low).tolist())
    if seen.all():
        return Codes(values, offset.astype(np.int32))
    return Codes(values, (np.cumsum(seen, dtype=np.int32) - 1)[offset].astype(np.int32))


def _labels_of_floats(y: Array, start: int) -> Codes:
    _check_finite(y, start)
    if (off := (y != np.floor(y)) | (np.abs(y) > EXACT)).any():
        row = int(np.argmax(off))
        raise TargetError(
            f"the target is {y[row]} in row {start + row}: a measure, not a class. Use a "
            "regressor, or turn the target into text. Unknown label type: continuous. Maybe you "
            "are trying to fit a classifier, which expects discrete classes on a regression target "
            "with continuous values."
        )
    return _labels_of_integers(y.astype(np.int64))


def _labels_of_dates(y: Array, start: int) -> Codes:
    import pyarrow as pa

    return _labels_of_arrow(pa.array(y), start)


def _labels_of_objects(y: Array, start: int) -> Codes:
    items = [item.item() if isinstance(item, np.generic) else item for item in y]
    for row, item in enumerate(items):
        if is_missing(item):
            raise _missing(start + row)
    kinds = {
        bool if isinstance(item, bool) else str if isinstance(item, str) else float
        for item in items
    }
    if len(kinds) > 1:
        raise TargetError(
            f"the target mixes types ({', '.join(sorted({type(i).__name__ for i in items}))}). "
            "Bring the classes to one type."
        )
    if kinds == {float}:
        return _labels_of_floats(np.array([_number(item) for item in items]), start)
    return Codes.of(items)


def _labels_of_arrow(y: Any, start: int) -> Codes:
    import pyarrow as pa

    if y.null_count:
        row = int(np.argmax(np.asarray(y.is_null())))
        raise _missing(start + row)
    kind = y.type.value_type if pa.types.is_dictionary(y.type) else y.type
    if numeric(kind):
        return labels(_numbers_of(y.cast(kind)), start)
    if pa.types.is_temporal(kind):
        y = y.cast(pa.string())
    return _sorted(codes(y), start)


def _numbers_of(y: Any) -> Array:
    """A column of numbers or truth values, in NumPy's widest type for them."""
    import pyarrow.types as is_

    if y.null_count or not (is_.is_integer(y.type) or is_.is_boolean(y.type)):
        return doubles(y)
    if is_.is_boolean(y.type):
        return numpy_of(y, np.uint8(0)).astype(bool)
    return numpy_of(y, np.uint64(0) if is_.is_uint64(y.type) else np.int64(0))


def _sorted(found: Codes, start: int) -> Codes:
    """The classes that occur, in order."""
    if (found.codes < 0).any():
        raise _missing(start + int(np.argmax(found.codes < 0)))
    seen = np.bincount(found.codes, minlength=len(found.values)) > 0
    order = sorted(np.flatnonzero(seen), key=found.values.__getitem__)
    place = np.full(len(found.values), -1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Codes(tuple(found.values[i] for i in order), place[found.codes])


def _number(item: Any) -> float:
    try:
        return math.nan if item is None else float(item)
    except (TypeError, ValueError):
        raise TargetError(
            f"the target holds {item!r}. Classes are text or whole numbers."
        ) from None


def _check_finite(y: Array, start: int) -> None:
    if np.isfinite(y).all():
        return
    row = int(np.argmin(np.isfinite(y)))
    if np.isnan(y[row]):
        raise _missing(start + row)
    raise TargetError(
        f"the target is {y[row]} in row {start + row}. Drop that row, or mend it. "
        "Input y contains infinity."
    )


def _missing(row: int) -> TargetError:
    return TargetError(
        f"the target is missing in row {row}. Drop that row, or fill it in. Input y contains NaN."
    )
