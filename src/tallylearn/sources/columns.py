"""Columns: how a column of Arrow becomes numbers, codes or text, and which of the three it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError
from tallylearn.tables import BLOCK, CATEGORY, DATE, NUMBER, TEXT, UNKNOWN, Codes, Column, plain

Array = NDArray[Any]
WORDS = 4  # a string column is text when its values have this many words in the median
EXACT = 2**53  # beyond, a double does not hold every integer
DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def kind_of(name: str, data: Any) -> Column:
    """The kind of a column, seen from its type and, for strings, its first 65 536 rows."""
    import pyarrow.types as is_

    kind = data.type.value_type if is_.is_dictionary(data.type) else data.type
    if is_.is_null(kind):
        return Column(name, UNKNOWN)
    if is_.is_boolean(kind):
        return Column(name, CATEGORY, ("False", "True"), "truth")
    if is_.is_temporal(kind):
        return Column(name, DATE)
    if is_.is_string(kind) or is_.is_large_string(kind) or is_.is_string_view(kind):
        return Column(name, _kind_of_strings(data.slice(0, BLOCK)))
    if is_.is_integer(kind) or is_.is_floating(kind) or is_.is_decimal(kind):
        if is_.is_dictionary(data.type):
            return Column(name, CATEGORY, origin="number")
        return Column(name, NUMBER)
    raise ColumnError(
        f"column {name!r} holds {data.type}. Columns are numbers, text, categories, truth values or "
        f"dates: convert it, or leave it out with ignore=[{name!r}]."
    )


def _kind_of_strings(data: Any) -> str:
    """Text when the median value has four words or more, counted over the distinct values."""
    coded = codes(data)
    counts = np.bincount(coded.codes[coded.codes >= 0], minlength=len(coded.values))
    words = np.array([len(value.split()) for value in coded.values])
    if not counts.sum():
        return CATEGORY
    order = np.argsort(words, kind="stable")
    median = words[order][np.searchsorted(np.cumsum(counts[order]), counts.sum() / 2)]
    return TEXT if median >= WORDS else CATEGORY


def numbers(name: str, data: Any, start: int = 0) -> Array:
    """A column as doubles, NaN where missing."""
    import pyarrow as pa
    import pyarrow.types as is_

    if is_.is_dictionary(data.type):
        data = data.cast(data.type.value_type)
    if is_.is_temporal(data.type):
        return days(name, data)
    if not _numeric(data.type):
        raise _text_among_numbers(name, data, start)
    if data.null_count == len(data):
        return np.full(len(data), np.nan)
    if is_.is_integer(data.type) and data.type.bit_width == 64:
        _check_integers(name, data, start)
    if not is_.is_float64(data.type):
        data = data.cast(pa.float64())
    return np.asarray(data.to_numpy(zero_copy_only=False), dtype=np.float64)


def days(name: str, data: Any, start: int = 0) -> Array:
    """A column of dates as days since 1970, NaN where missing."""
    import pyarrow as pa
    import pyarrow.types as is_

    if is_.is_dictionary(data.type):
        data = data.cast(data.type.value_type)
    if _stringy(data.type):
        try:
            data = data.cast(pa.timestamp("us"))
        except pa.ArrowInvalid as error:
            raise ColumnError(
                f"column {name!r} is declared a date, and {_reason(error)}. "
                "Write dates as 2026-11-15 or 2026-11-15 20:30:00."
            ) from None
    if _numeric(data.type):
        return numbers(name, data, start)
    if is_.is_date(data.type):
        data = data.cast(pa.timestamp("s"))
    unit = DAY[data.type.unit]
    whole = data.cast(pa.int64()) if data.type != pa.int64() else data
    return np.asarray(whole.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)) / unit


def date_part(part: str, data: Any) -> Any:
    """Year and day are numbers; month, weekday and hour are categories."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if _stringy(data.type):
        data = data.cast(pa.timestamp("us"))
    if part in ("year", "day"):
        return getattr(pc, part)(data).cast(pa.float64())
    call = pc.day_of_week if part == "weekday" else getattr(pc, part)
    return pc.utf8_lpad(call(data).cast(pa.string()), width=2 if part != "weekday" else 1, padding="0")


def codes(data: Any, declared: tuple[str, ...] = ()) -> Codes:
    """A column as categories: strings as they are, anything else by its plain name."""
    import pyarrow as pa
    import pyarrow.types as is_

    if isinstance(data, pa.ChunkedArray):
        data = data.unify_dictionaries() if is_.is_dictionary(data.type) else data
        data = data.combine_chunks()
        data = data if isinstance(data, pa.Array) else data.chunk(0)
    if not is_.is_dictionary(data.type):
        if is_.is_string_view(data.type):
            data = data.cast(pa.string())
        data = data.dictionary_encode()
    values = data.dictionary.to_pylist()
    at = data.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    names = [plain(value) if value is not None and value == value else None for value in values]
    if None in names or len(set(names)) < len(names):
        return _recoded(names, at, declared)
    return Codes(tuple(names), at, declared)


def _recoded(names: list[str | None], at: Array, declared: tuple[str, ...]) -> Codes:
    """Where two values share a name, or one stands for nothing."""
    kept = tuple(dict.fromkeys(name for name in names if name is not None))
    place: dict[str | None, int] = {name: i for i, name in enumerate(kept)}
    table = np.array([place.get(name, -1) for name in names] + [-1], dtype=np.int32)
    return Codes(kept, table[at], declared)


def strings(data: Any) -> Any:
    """A column as plain Arrow strings."""
    import pyarrow as pa

    data = data.cast(pa.string())
    return data.combine_chunks() if isinstance(data, pa.ChunkedArray) else data


def masked(data: Any, missing: tuple[Any, ...]) -> Any:
    """The column with the values that stand for nothing taken out."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as is_

    if is_.is_dictionary(data.type):
        data = data.cast(data.type.value_type)
    text = _stringy(data.type)
    marks = [mark for mark in missing if isinstance(mark, str) == text and not isinstance(mark, bool)]
    if not marks or not (text or _numeric(data.type)):
        return data
    wanted = pa.array(marks).cast(data.type if text else pa.float64())
    among = pc.is_in(data if text else data.cast(pa.float64()), value_set=wanted)
    return pc.if_else(among, pa.scalar(None, data.type), data)


def _numeric(kind: Any) -> bool:
    import pyarrow.types as is_

    return any(
        check(kind)
        for check in (is_.is_integer, is_.is_floating, is_.is_decimal, is_.is_boolean, is_.is_null)
    )


def _stringy(kind: Any) -> bool:
    import pyarrow.types as is_

    return any(check(kind) for check in (is_.is_string, is_.is_large_string, is_.is_string_view))


def _check_integers(name: str, data: Any, start: int) -> None:
    import pyarrow.compute as pc

    ends = pc.min_max(data).as_py()
    if max(abs(ends["min"] or 0), abs(ends["max"] or 0)) <= EXACT:
        return
    for row, value in enumerate(data.to_pylist()):
        if value is not None and int(float(value)) != value:
            raise too_large(name, value, start + row)


def too_large(name: object, value: object, row: int) -> ColumnError:
    """The error for an integer that a double would round."""
    return ColumnError(
        f"column {name!r} has {value} in row {row}, an integer that a double cannot hold. If it is an "
        f"identifier, leave it out with ignore=[{name!r}] or declare categories=[{name!r}]."
    )


def _text_among_numbers(name: str, data: Any, start: int) -> ColumnError:
    for row, value in enumerate(data.to_pylist()):
        if value is None:
            continue
        try:
            float(value)
        except (TypeError, ValueError):
            break
    return ColumnError(
        f"column {name!r} has text in row {start + row} ({value!r}). Mark it as missing with "
        f"missing={value!r}, declare the column with categories=[{name!r}], or ignore it."
    )


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".")
