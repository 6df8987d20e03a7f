"""Rows: their classes, groups and times, whatever they are written as."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from tallylearn.errors import (
    ColumnError,
    InputError,
    KindError,
    did_you_mean,
    quoted_list,
    short_repr,
)
from tallylearn.sources.arrow.buffers import strings_of
from tallylearn.sources.columns.class_labels import labels
from tallylearn.sources.columns.kinds import codes, is_numeric_type
from tallylearn.sources.columns.numeric_targets import numbers_of
from tallylearn.sources.memory.arrays import array_of_items, as_float, is_missing
from tallylearn.sources.memory.frames import as_frame
from tallylearn.sources.memory.table import in_memory
from tallylearn.sources.type_inference import string_column
from tallylearn.sources.type_inference.column_types import PLAIN
from tallylearn.tables import Array, Codes
from tallylearn.tables.string_formats import DATES, NUMBERS


def strata_of(y: Any, least: int = 1) -> Codes | None:
    """The classes that a target holds; none where it holds measures.

    Floats are classes where all are whole and each comes at least ``least`` times.
    """
    y = _as_numpy(y)
    if y is None or not isinstance(y, np.ndarray) or y.dtype.kind != "f":
        return None if y is None else labels(y)
    if (np.floor(y) != y)[~np.isnan(y)].any():
        return None
    found = labels(y)
    return found if np.bincount(found.codes).min(initial=least) >= least else None


def _as_numpy(y: Any) -> Any:
    """A target as NumPy where it is numbers; none where a row has several."""
    if y is None or isinstance(y, Codes):
        return y
    if _of_arrow(y):
        return numbers_of(y) if is_numeric_type(y.type) else y
    array = _array(y)
    if array.dtype.kind == "O" and {*map(type, array.flat)} <= {int, float, Decimal}:
        array = np.array([as_float(item) for item in array.flat]).reshape(array.shape)
    if array.ndim == 2 and array.shape[1] == 1:
        return array.ravel()
    return array if array.ndim == 1 else None


def _array(values: Any) -> Array:
    try:
        return array_of_items(values)
    except ValueError:  # NumPy's; ours are no lists
        raise InputError(
            f"the values {short_repr(values)} have rows of different lengths. Pass "
            "one value per row."
        ) from None


def group_codes(groups: Any, numbers: Array | None = None) -> Codes:
    """The groups of the rows, in the order in which they come; each row has one.

    Their values have another order in a frame and in a file, and folds go by that of the groups.
    ``numbers`` are those of the rows, for messages.
    """
    found = column_codes(groups)
    if (gaps := found.codes < 0).any():
        at = int(np.argmax(gaps))
        row = at if numbers is None else numbers[at]
        raise InputError(f"the group is missing in row {row}. Drop that row, or give it a group.")
    n = len(found)
    first = np.full(len(found.values), n, dtype=np.int64)
    first[found.codes[::-1]] = np.arange(n)[::-1]  # of equal places the last is kept
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < n)]
    place = np.zeros(len(first), dtype=np.int32)
    place[order] = np.arange(len(order))
    return Codes(tuple(found.values[at] for at in order), place[found.codes])


def rank_times(order: Any, name: str | None = None) -> Array:
    """The place of every row's time among the different times.

    Times are numbers, dates, or dates as ISO 8601 writes them; other text has no order but the
    alphabet's, which puts April before January and 10 before 9.
    """
    found = column_codes(order)
    if (gaps := found.codes < 0).any():
        raise InputError(
            f"the time is missing in row {int(np.argmax(gaps))}. Drop that row, or fill it in."
        )
    place = np.empty(len(found.values), dtype=np.int64)
    times = _times(found, "the order" if name is None else f"the column {name!r}")
    try:
        order = sorted(range(len(place)), key=times.__getitem__)
    except TypeError as error:
        raise InputError(
            f"the times cannot be sorted: {error}. Convert them to one type."
        ) from None
    place[order] = np.arange(len(place))
    return place[found.codes]


def _times(found: Codes, what: str) -> list[Any]:
    """The values as what can be sorted by time, or an error for the first that cannot."""
    odd = np.array([not _is_time(value) for value in found.values], dtype=bool)
    if not odd.any():
        return list(found.values)
    if all(isinstance(value, str) for value in found.values):
        column = string_column.encode_strings(strings_of(tuple(found.values)), ())
        if (judged := string_column.infer_string_column(column, PLAIN)).format.kind in (
            DATES,
            NUMBERS,
        ):
            times = string_column.read_strings(what, column, judged.format)
            return np.asarray(times).tolist()  # type: ignore[no-any-return]
    row = int(np.argmax(odd[found.codes]))
    value = found.values[found.codes[row]]
    kind = "text" if isinstance(value, str) else type(value).__name__
    raise ColumnError(
        f"{what} has {kind} ({short_repr(value)} in row {row}), which is "
        "neither a number nor a date. Convert it, for example with "
        "pandas.to_datetime, or write dates as 2026-11-15 or 2026-11-15 "
        "20:30:00."
    )


def _is_time(value: Any) -> bool:
    kinds = (Real, Decimal, date, time, timedelta, np.number, np.datetime64, np.timedelta64)
    return isinstance(value, kinds) and not isinstance(value, bool | np.bool_)


def column_codes(column: Any) -> Codes:
    """Any column as codes, -1 where missing."""
    if isinstance(column, Codes):
        return column
    if _of_arrow(column):
        return _codes_of_arrow(column)
    array = _array(column)
    if array.ndim != 1:
        raise InputError(
            f"the values have the shape {array.shape}. Pass one value per row, as a "
            "list or a column."
        )
    if array.dtype.kind == "O":
        return _of_objects(array.tolist())
    if array.dtype.kind in "iubU":
        return labels(array)
    values, at = np.unique(array, return_inverse=True)
    gaps = values != values  # NaN and NaT
    at = np.where(gaps[at], -1, at) if gaps.any() else at
    return Codes(tuple(values.tolist()), at.astype(np.int32).ravel())


def _of_arrow(column: Any) -> bool:
    return isinstance(getattr(column, "null_count", None), int)  # in polars it is a method


def _codes_of_arrow(column: Any) -> Codes:
    """Numbers and dates keep their order; anything else goes by its name."""
    import pyarrow.types as is_

    if is_.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if is_.is_temporal(column.type):
        return column_codes(np.asarray(column))
    return column_codes(numbers_of(column)) if is_numeric_type(column.type) else codes(column)


def _of_objects(items: list[Any]) -> Codes:
    try:
        values = tuple(item for item in dict.fromkeys(items) if not is_missing(item))
    except TypeError:
        raise InputError(
            f"the first value is {short_repr(items[0])}. Pass one text or number per row."
        ) from None
    place = {item: at for at, item in enumerate(values)}
    return Codes(values, np.array([place.get(item, -1) for item in items], dtype=np.int32))


def column_of(X: Any, name: str, option: str = "order") -> Any:
    """A column of a table by its name."""
    if (source := in_memory(X)) is not None:
        _check_name(name, source.names, option)
        return source.column_values(name)
    frame = as_frame(X)
    _check_name(name, frame.names, option)
    return frame.column(name)


def _check_name(name: str, names: tuple[str, ...], option: str) -> None:
    if name not in names:
        raise ColumnError(
            f"{option} is {name!r}, which is not a column of the table."
            f"{did_you_mean(name, names) or f' Choose from {quoted_list(names)}.'}"
        )


def length(X: Any) -> int:
    """The number of rows of any table; a mapping has columns."""
    try:
        if isinstance(X, Mapping):
            return length(next(iter(X.values())))
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except Exception:
        raise KindError(
            f"X is {short_repr(X)}, which has no rows. Pass a frame, an array or a list of rows."
        ) from None
