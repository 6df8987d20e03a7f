"""Targets: the classes of the rows, whatever they are written as."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import KindError, TargetError, quoted_list, short_repr, warn_of_conversion
from tallylearn.sources.arrow.buffers import numpy_of
from tallylearn.sources.columns.kinds import codes, is_numeric_type
from tallylearn.sources.columns.numeric_targets import (
    check_finite,
    measures,
    missing_target_error,
    numbers_of,
    weight_errors,
    weights,
)
from tallylearn.sources.memory.arrays import EXACT, array_of_items, as_float, is_missing
from tallylearn.tables import Codes, Start, places, row_number

Array = NDArray[Any]
__all__ = [
    "flat",
    "has_target",
    "labels",
    "measures",
    "missing_target_error",
    "take_rows",
    "weight_errors",
    "weights",
]


def flat(y: Any) -> Array:
    """A target as a one-dimensional array."""
    if hasattr(y, "tocsr"):
        raise KindError(
            "the target is a sparse matrix. Pass one value per row: y.toarray().ravel()."
        )
    try:
        array = array_of_items(y)
    except ValueError:
        raise TargetError("y has rows of different lengths. Pass one value per row.") from None
    if array.ndim == 2 and array.shape[1] == 1:
        warn_of_conversion(
            "A column-vector y was passed when a 1d array was expected. "
            "Change the shape of y to (n_samples,), for example using ravel()."
        )
        return array.ravel()
    if array.ndim == 0:
        raise TargetError(
            f"y={short_repr(y)} is a single value. Pass one value per row, or the name of a column "
            "as a str, such as "
            f"{str(y)[:40]!r}. y should be a 1d array, got an array of shape () instead."
        )
    if array.ndim != 1:
        raise TargetError(
            f"y should be a 1d array, got an array of shape {array.shape} instead. Pass one value "
            "per row."
        )
    return array


Aim = str | tuple[str, ...] | None  # classifier, regressor; one for each target; None: no target


@dataclass(frozen=True)
class TargetReading:
    """What a target is read as: classes or measures, each of several by itself, or not at all."""

    aim: Aim
    classes: tuple[Any, ...] = ()  # all that the table declares
    gaps: bool = False  # whether a row may lack its target: code -1, or NaN

    def __call__(self, target: Any, start: Start = 0) -> Codes | Array | tuple[Any, ...] | None:
        if not isinstance(self.aim, tuple):
            return None if self.aim is None else self._read(self.aim, target, start)
        targets = target if isinstance(target, tuple) else (target,)
        aims = self.aim * len(targets) if len(self.aim) == 1 else self.aim
        if len(aims) != len(targets):
            raise TargetError(
                f"the table has {len(targets)} targets, and {len(aims)} are expected. Name "
                f"{len(aims)}."
            )
        return tuple(self._read(*pair, start) for pair in zip(aims, targets, strict=True))

    def _read(self, aim: str, target: Any, start: Start) -> Codes | Array:
        if not self.gaps or (there := has_target(target)).all():
            return self._make_whole_target(aim, target, start)
        rows = np.flatnonzero(there)
        numbers, values = places(start, rows), take_rows(target, rows)
        found = (
            self._make_whole_target(aim, values, numbers)
            if len(rows)
            else self._make_empty_target(aim)
        )
        if isinstance(found, Codes):
            codes = np.full(len(there), -1, dtype=np.int32)
            codes[rows] = found.codes
            return replace(found, codes=codes)
        out = np.full(len(there), np.nan)
        out[rows] = found
        return out

    def _make_empty_target(self, aim: str) -> Codes | Array:
        """What no row at all has."""
        empty = np.empty(0, dtype=np.int32)
        return self._as_declared(Codes((), empty)) if aim == "classifier" else empty

    def _make_whole_target(self, aim: str, target: Any, start: Start) -> Codes | Array:
        if aim == "classifier":
            return self._as_declared(labels(target, start))
        if self.classes:
            raise TargetError(
                "the table declares classes of the target, and a regressor needs numbers. "
                "Leave classes= out, or use a classifier."
            )
        return measures(target, start)

    def _as_declared(self, found: Codes) -> Codes:
        """The classes, those that the table declares among them."""
        if not self.classes:
            return found
        known = labels(flat(self.classes)).values
        if odd := [value for value in found.values if value not in known]:
            raise TargetError(
                f"the target has the class {odd[0]!r}, which classes= does not list: "
                f"{quoted_list(known)}. List all classes."
            )
        return Codes(known, found.recode(known), known)


def has_target(target: Any) -> Array:
    """(n,) whether each row has a target: None, NaN and null are none."""
    if isinstance(target, Codes):
        return np.asarray(target.codes >= 0)
    if not isinstance(target, np.ndarray):
        return _check_codes(target)
    if target.dtype.kind == "O":
        return np.array([not is_missing(item) for item in target], dtype=bool)
    return np.asarray(target == target)  # neither NaN nor NaT is


def _check_codes(target: Any) -> Array:
    """A dictionary may hold nothing under one of its codes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not target.null_count and not pa.types.is_dictionary(target.type):
        return np.ones(len(target), dtype=bool)
    if pa.types.is_float16(target.type):  # not every version of Arrow looks for NaN among these
        target = target.cast(pa.float32())
    return np.asarray(numpy_of(pc.is_null(target, nan_is_null=True), np.uint8(0)) == 0)


def take_rows(column: Any, rows: Any) -> Any:
    """Some rows of a column, whatever holds it."""
    if isinstance(column, np.ndarray | Codes):
        return column[rows]
    return column.take(np.arange(len(column))[rows])


def labels(y: Any, start: Start = 0) -> Codes:
    """Classes: text, whole numbers or truth values."""
    if isinstance(y, Codes):
        return _sort_classes(y, start)
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
        f"the target has type {y.dtype}. Classes are text, whole numbers or booleans. "
        "Convert the target."
    )


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


def _labels_of_floats(y: Array, start: Start) -> Codes:
    check_finite(y, start)
    if (off := (y != np.floor(y)) | (np.abs(y) > EXACT)).any():
        row = int(np.argmax(off))
        raise TargetError(
            f"the target is {y[row]} in row {row_number(start, row)}, which is not a class. "
            "Use a regressor, or convert the target to text. Unknown label type: "
            "continuous. Maybe you are trying to fit a classifier, which expects discrete "
            "classes on a regression target with continuous values."
        )
    return _labels_of_integers(y.astype(np.int64))


def _labels_of_dates(y: Array, start: Start) -> Codes:
    import pyarrow as pa

    if np.datetime_data(y.dtype)[0] == "generic":  # nothing but gaps has no unit
        raise missing_target_error(row_number(start, 0))
    return _labels_of_arrow(pa.array(y), start)


def _labels_of_objects(y: Array, start: Start) -> Codes:
    if (text := _text(y)) is not None:
        return _labels_of_arrow(text, start)
    items = [item.item() if isinstance(item, np.generic) else item for item in y]
    for row, item in enumerate(items):
        if is_missing(item):
            raise missing_target_error(row_number(start, row))
    kinds = {
        bool if isinstance(item, bool) else str if isinstance(item, str) else float
        for item in items
    }
    if len(kinds) > 1:
        raise TargetError(
            "the target mixes types "
            f"({', '.join(sorted({type(i).__name__ for i in items}))}). Convert all classes "
            "to one type."
        )
    if kinds == {float}:
        return _labels_of_floats(np.array([_number(item) for item in items]), start)
    return Codes.of(items)


def _text(y: Array) -> Any:
    """The same as Arrow's strings, where all are: a tenth of the time of Python's."""
    import pyarrow as pa

    if not len(y) or not isinstance(y[0], str):
        return None
    try:
        found = pa.array(y, from_pandas=True)
    except (pa.ArrowException, UnicodeError):
        return None
    return found if pa.types.is_string(found.type) else None


def _labels_of_arrow(y: Any, start: Start) -> Codes:
    import pyarrow as pa

    if y.null_count:
        row = int(np.argmax(np.asarray(y.is_null())))
        raise missing_target_error(row_number(start, row))
    kind = y.type.value_type if pa.types.is_dictionary(y.type) else y.type
    if is_numeric_type(kind):
        return labels(numbers_of(y.cast(kind)), start)
    if pa.types.is_temporal(kind):
        y = y.cast(pa.string())
    return _sort_classes(codes(y), start)


def _sort_classes(found: Codes, start: Start) -> Codes:
    """The classes that occur, in order."""
    if (found.codes < 0).any():
        raise missing_target_error(row_number(start, int(np.argmax(found.codes < 0))))
    seen = np.bincount(found.codes, minlength=len(found.values)) > 0
    order = sorted(np.flatnonzero(seen), key=found.values.__getitem__)
    place = np.full(len(found.values), -1, dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return Codes(tuple(found.values[i] for i in order), place[found.codes])


def _number(item: Any) -> float:
    try:
        return math.nan if item is None else as_float(item)
    except (TypeError, ValueError):
        raise TargetError(
            f"the target has the value {short_repr(item)}. Classes are text or whole "
            "numbers. Convert the target."
        ) from None
