"""Kinds: what a column is, by its type or its strings; and how it becomes numbers, codes, text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError
from tallylearn.sources.arrow.buffers import (
    NOWHERE,
    doubles,
    numpy_of,
    one_chunk,
    set_null,
    to_bools,
)
from tallylearn.sources.arrow.types import is_string_type
from tallylearn.sources.files.csv.cell_errors import large_integer_error
from tallylearn.sources.memory.arrays import EXACT
from tallylearn.sources.type_inference.column_types import InferredType
from tallylearn.tables import (
    BLOCK,
    CATEGORY,
    DATE,
    NUMBER,
    TEXT,
    UNKNOWN,
    Block,
    Codes,
    Column,
    Start,
    plain,
    row_number,
)  # fmt: skip
from tallylearn.tables.string_formats import DATES, EMPTY, NUMBERS, TRUTHS

Array = NDArray[Any]
MIN_TEXT_WORDS = 4  # a string column is text when its values have this many words in the median,
MIN_UNIQUE_NAMES = 10  # names: of fewer, all may differ by chance
MIN_NAMES_WITH_REPEATS = 50  # from here on some names may come twice
MIN_UNIQUE_SHARE = 0.95
REPEATED = 2  # and come this many times each at most, on average


def kind_of(name: str, data: Any) -> Column:
    """The kind of a column by its type; strings have one by what is written in them."""
    import pyarrow.types as is_

    kind = data.type.value_type if is_.is_dictionary(data.type) else data.type
    if is_.is_null(kind):
        return Column(name, UNKNOWN)
    if is_.is_boolean(kind):
        return Column(name, CATEGORY, ("False", "True"), "truth")
    if is_.is_temporal(kind):
        return Column(name, DATE)
    if is_.is_dictionary(data.type) or is_string_type(kind):
        return Column(name, CATEGORY, origin="text" if is_string_type(kind) else "number")
    if _too_long(data) is not None and all_but_different(*_count_different(data)):
        return Column(name, CATEGORY, origin="number")  # of which no learner hears: identifiers
    return Column(name, NUMBER)


def all_but_different(present: int, different: int) -> bool:
    """Whether values are unique: all differ, or of many nearly all."""
    if present < MIN_UNIQUE_NAMES or different == present:
        return present >= MIN_UNIQUE_NAMES
    return present >= MIN_NAMES_WITH_REPEATS and different >= MIN_UNIQUE_SHARE * present


def kind_of_strings(name: str, column: Callable[[], Any], judged: InferredType) -> Column:
    """The kind of a column of coded strings, by how they are written."""
    if judged.format.kind == NUMBERS:
        return Column(name, NUMBER)
    if judged.format.kind == DATES:
        return Column(name, DATE)
    if judged.format.kind == TRUTHS:
        return Column(name, CATEGORY, ("False", "True"), "truth")
    if judged.format.kind == EMPTY:
        return Column(name, UNKNOWN)
    return Column(name, TEXT if _is_text(column().slice(0, BLOCK)) else CATEGORY)


def _is_text(column: Any) -> bool:
    """Whether the median value has four words or more, and most values come once."""
    import pyarrow.compute as pc

    column = column.drop_null()
    if not len(column) or len(column) > REPEATED * pc.count_distinct(column.indices).as_py():
        return False
    long = pc.match_substring_regex(column.dictionary, rf"^(?:\S+\s+){{{MIN_TEXT_WORDS - 1}}}\S")
    many = np.count_nonzero(to_bools(long.take(column.indices)))
    return bool(2 * many > len(column))


def numbers(name: str, data: Any, start: int = 0) -> Array:
    """A column as doubles, NaN where missing."""
    import pyarrow.types as is_

    if data.null_count == len(data):
        return np.full(len(data), np.nan)
    if is_.is_dictionary(data.type):
        data = data.cast(data.type.value_type)
    if is_.is_temporal(data.type):
        raise ColumnError(
            f"column {name!r} was numeric when the model was fitted, and is a date here. "
            "Pass numbers."
        )
    _check_integers(name, data, start)
    return doubles(data)


def codes(data: Any, declared: tuple[str, ...] = ()) -> Codes:
    """A column as categories: strings as they are, anything else by its plain name."""
    data = _dictionary_encode(data)
    names = data.dictionary.to_pylist()
    at = _places(data.indices)
    if not is_string_type(data.dictionary.type):
        names = [plain(name) if name is not None and name == name else None for name in names]
    if None in names or len(set(names)) < len(names):
        return _merge_names(names, at, declared)
    return Codes(tuple(names), at, declared)


def values_in(block: Block, name: str) -> Codes:
    """A column of a block that is no number, by its values; one that is not there has none."""
    if name in block.codes:
        return block.codes[name]
    return codes(block.text[name]) if name in block.text else Codes.of([None] * len(block))


def _places(indices: Any) -> Array:
    """The places in a dictionary, -1 where missing; signed ones without gaps are not copied."""
    import pyarrow.types as is_

    if indices.null_count or not is_.is_signed_integer(indices.type) or not len(indices):
        return numpy_of(indices, NOWHERE)
    return numpy_of(indices, np.dtype(f"i{indices.type.bit_width // 8}").type(-1))


def _dictionary_encode(data: Any) -> Any:
    """One dictionary for the whole column."""
    import pyarrow as pa
    import pyarrow.types as is_

    data = one_chunk(data)
    if is_.is_dictionary(data.type):
        return data
    if is_.is_string_view(data.type):
        data = data.cast(pa.string())
    elif is_.is_float16(data.type):  # not every version of Arrow numbers these
        data = data.cast(pa.float32())
    return data.dictionary_encode()


def _merge_names(names: list[str | None], at: Array, declared: tuple[str, ...]) -> Codes:
    """Where two values share a name, or one stands for nothing."""
    kept = tuple(dict.fromkeys(name for name in names if name is not None))
    place: dict[str | None, int] = {name: i for i, name in enumerate(kept)}
    table = np.array([place.get(name, -1) for name in names] + [-1], dtype=np.int32)
    return Codes(kept, table[at], declared)


def strings(data: Any) -> Any:
    """A column as plain Arrow strings, of any size together."""
    import pyarrow as pa

    if pa.types.is_dictionary(data.type):
        data = data.cast(data.type.value_type)
    return one_chunk(data.cast(pa.large_string()))


def mask_missing(data: Any, missing: tuple[Any, ...]) -> Any:
    """The column with the values that stand for nothing taken out."""
    if not missing:
        return data
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as is_

    if is_.is_dictionary(data.type):
        coded = _dictionary_encode(data)
        return pa.DictionaryArray.from_arrays(
            coded.indices, mask_missing(coded.dictionary, missing)
        )
    if is_.is_string_view(data.type):
        data = data.cast(pa.string())
    text = is_string_type(data.type)
    marks = [
        mark
        for mark in missing
        if isinstance(mark, str) == text and not isinstance(mark, bool | None)
    ]
    if not marks or not (text or is_numeric_type(data.type)):
        return data
    wanted = pa.array(marks if text else [float(mark) for mark in marks])
    wanted = wanted.cast(data.type if text else pa.float64())
    among = pc.is_in(data if text else data.cast(pa.float64(), safe=False), value_set=wanted)
    return set_null(data, among)


def is_numeric_type(kind: Any) -> bool:
    """Whether a type of Arrow is one of numbers, or of nothing."""
    import pyarrow.types as is_

    return any(
        check(kind)
        for check in (is_.is_integer, is_.is_floating, is_.is_decimal, is_.is_boolean, is_.is_null)
    )


def check_long_integers(name: str, names: Codes, start: Start) -> None:
    """Refuse integers that were read as names, such as no double holds, where they are learned."""
    for row, value in enumerate(names.items()):
        if value is not None and int(float(value)) != int(value):
            raise large_integer_error(name, value, row_number(start, row))


def _check_integers(name: str, data: Any, start: int) -> None:
    if (row := _too_long(data)) is not None:
        raise large_integer_error(name, data[row].as_py(), start + row)


def _count_different(data: Any) -> tuple[int, int]:
    """How many rows show a value, and how many values there are."""
    import pyarrow.compute as pc

    return len(data) - data.null_count, pc.count_distinct(data).as_py()


def _too_long(data: Any) -> int | None:
    """The first row that has an integer which a double would round."""
    import pyarrow.compute as pc
    import pyarrow.types as is_

    wide = is_.is_integer(data.type) and data.type.bit_width == 64
    if not wide and not (is_.is_decimal(data.type) and data.type.scale <= 0):
        return None
    ends = pc.min_max(data).as_py()
    if ends["min"] is None or max(abs(ends["min"]), abs(ends["max"])) <= EXACT:
        return None
    long = (at for at, x in enumerate(data.to_pylist()) if x is not None and int(float(x)) != x)
    return next(long, None)
