"""Spelled columns: strings as the numbers, dates, truth values or words that they stand for."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.errors import CellError, ColumnError
from tallylearn.sources.arrow.buffers import (
    NOWHERE,
    doubles,
    numpy_of,
    one_chunk,
    row_indices,
    set_null,
    strings_of,
    to_bools,
)
from tallylearn.sources.files.csv.cell_errors import (
    ambiguous_column_error,
    cell_error,
    large_integer_error,
    unit_error,
    unknown_answer_error,
)
from tallylearn.sources.type_inference.cell_tally import CellTally
from tallylearn.sources.type_inference.column_types import (
    CELL_WIDTH,
    FormatHints,
    InferredType,
    infer_column_type,
)
from tallylearn.sources.type_inference.compound_values import read_bounds, read_compound, read_sums
from tallylearn.sources.type_inference.date_formats import read_dates
from tallylearn.sources.type_inference.missing_markers import (
    ANSWERS,
    GAPS,
    MISSING,
    is_one_of,
    read_truths,
    replace_dictionary,
    trim_dictionary,
    unify_answers,
)
from tallylearn.sources.type_inference.number_formats import (
    exceeds_double,
    letters,
    normalize_marks,
    read_numbers,
)
from tallylearn.tables import BLOCK, Array
from tallylearn.tables.string_formats import (
    BOUND,
    COMPOUNDS,
    DATES,
    NUMBERS,
    TRUTHS,
    WORDS,
    StringFormat,
)
from tallylearn.tables.units import SHARES, compound_units, convert

EXACT = 2.0**53  # from here on a double has not every whole number
GLANCE = 64  # strings
ISO = "%Y-%m-%d"
_COLON, _HYPHEN = 58, 45


def encode_strings(data: Any, missing: tuple[str, ...] = MISSING) -> Any:
    """A column of strings with one dictionary, trimmed, null where a marker stands."""
    import pyarrow as pa
    import pyarrow.types as is_

    data = one_chunk(data)
    if not is_.is_dictionary(data.type):
        data = (data if is_.is_string(data.type) else data.cast(pa.string())).dictionary_encode()
    elif not is_.is_string(data.type.value_type):
        values = data.dictionary.cast(pa.string())
        data = pa.DictionaryArray.from_arrays(data.indices, values)
    return trim_dictionary(data, missing)


def infer_string_column(column: Any, hints: FormatHints, start: int = 0) -> InferredType:
    """How a coded column is written; plain numbers are told at a glance, as nearly all are."""
    import pyarrow as pa

    if pa.types.is_floating(column.type):  # a file's parser saw to it
        return InferredType(StringFormat(NUMBERS))
    if hints.decimal != "," and _are_plain_numbers(column.dictionary):
        return InferredType(StringFormat(NUMBERS))
    if _are_iso_dates(column.dictionary):
        return InferredType(StringFormat(DATES, date=ISO))
    found = infer_column_type(CellTally.of(column, start), hints)
    alike = _describe_spelling_variants(column.dictionary) if found.format == StringFormat() else ""
    return replace(found, reason="; ".join(filter(None, [found.reason, alike])))


def _are_iso_dates(texts: Any) -> bool:
    """Whether all strings are dates as every program writes them, with minutes or without a time.

    Arrow takes hours alone too, which are no date to a column of which one cell is looked at.
    """
    import pyarrow as pa

    if not len(texts) or texts.null_count:
        return False
    ends, data = letters(texts)
    starts, sizes = ends[:-1], np.diff(ends)
    timed = starts[sizes > 10]
    if (
        sizes.min() < 10
        or sizes[sizes > 10].min(initial=16) < 16
        or (data[timed + 13] != _COLON).any()
    ):
        return False
    if (data[starts + 4] != _HYPHEN).any() or (data[starts + 7] != _HYPHEN).any():
        return False
    return any(_are_all(texts, kind) for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")))


def _are_all(texts: Any, kind: Any) -> bool:
    import pyarrow as pa

    try:
        texts.slice(0, GLANCE).cast(kind)
        texts.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def _describe_spelling_variants(texts: Any) -> str:
    """What to say of categories that differ only in their letters' case or in their blanks."""
    import pyarrow.compute as pc

    if not 1 < len(texts) <= BLOCK:  # so many are no categories
        return ""
    low = pc.utf8_lower(pc.replace_substring_regex(texts, r"[\s\x{a0}]+", " ")).dictionary_encode()
    at = numpy_of(low.indices, NOWHERE)
    twice = np.flatnonzero(np.bincount(at[at >= 0]) > 1)
    if not len(twice):
        return ""
    first = min(twice.tolist(), key=lambda place: low.dictionary[place].as_py())
    one, two = sorted(texts.take(row_indices(np.flatnonzero(at == first))).to_pylist())[:2]
    more = f", and {len(twice) - 1} more such" if len(twice) > 1 else ""
    return f"{one[:CELL_WIDTH]!r} and {two[:CELL_WIDTH]!r} differ only in case or blanks{more}"


def _are_plain_numbers(texts: Any) -> bool:
    """Whether all strings are numbers as every program writes them, none of them a code or huge."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if texts.null_count == len(texts):
        return False
    try:
        texts.slice(0, GLANCE).cast(pa.float64())  # Arrow goes on to the end when it fails
        ends = pc.min_max(texts.cast(pa.float64())).as_py()
    except pa.ArrowInvalid:
        return False
    if not -EXACT < ends["min"] <= ends["max"] < EXACT:
        return False
    return not pc.any(pc.match_substring_regex(texts, r"^[+-]?0[0-9]")).as_py()


def read_strings(
    name: str, column: Any, spelling: StringFormat, start: int = 0, where: str = "",
    learned: bool = False,
) -> Any:  # fmt: skip
    """A coded column as Arrow's doubles, timestamps, truth values or strings.

    ``learned``: by a model, which an error has to heed.
    """
    import pyarrow.compute as pc

    texts = column.dictionary
    if spelling.gaps:
        low = tuple(gap.lower() for gap in spelling.gaps)
        texts = set_null(texts, is_one_of(texts, low))
    if spelling.kind == WORDS:
        if spelling.words:
            texts = unify_answers(texts, spelling.words)
        return column if texts.equals(column.dictionary) else replace_dictionary(column, texts)
    found = _values(texts, spelling)
    if (lost := _is_unread(texts, found, spelling)).any():
        _complain(
            name,
            column,
            texts=texts,
            lost=lost,
            spelling=spelling,
            start=start,
            where=where,
            found=found,
            learned=learned,
        )
    if spelling.kind == NUMBERS:  # NaN in other letters
        found = set_null(found, pc.is_nan(found))
    return found.take(column.indices)


def read_leniently(
    name: str, column: Any, learned: StringFormat, hints: FormatHints, start: int, where: str = ""
) -> Any:
    """The same for a column that was learned, which may be written otherwise now.

    Words that stand for nothing among numbers do so here too: there may be one row alone.
    """
    if learned.kind not in (NUMBERS, DATES):
        return read_strings(name, column, learned, start, where)
    texts = set_null(column.dictionary, is_one_of(column.dictionary, GAPS))
    column = column if texts.equals(column.dictionary) else replace_dictionary(column, texts)
    found = infer_string_column(column, hints, start)
    if found.format.kind == learned.kind and not found.ambiguity:
        if convert(found.format.unit, learned.unit):  # grams, of a model of kilograms
            here = replace(found.format, unit=learned.unit)
            return read_strings(name, column, here, start, where, learned=True)
        if differ(learned, found.format):
            cell = _with_unit(column, start)
            raise unit_error(name, learned, found.format, cell, where)
        return read_strings(name, column, found.format, start, where, learned=True)
    try:
        return read_strings(name, column, learned, start, where, learned=True)
    except CellError:
        model = StringFormat.of_model(next(iter(found.remedies), ""))
        if model is None or model.kind != learned.kind:  # no doubt that would be of use
            raise
        raise ColumnError(
            f"{ambiguous_column_error(name, found.ambiguity, found.remedies, where)}."
        ) from None


def differ(learned: StringFormat, here: StringFormat) -> bool:
    """Whether numbers have a unit that those of a model had not: a percent sign says so alone."""
    return here.unit not in ("", learned.unit) and bool(learned.unit or here.unit in SHARES)


def _with_unit(column: Any, start: int) -> str:
    """The first cell that has a unit, and its row."""
    import pyarrow.compute as pc

    has = pc.match_substring_regex(column.dictionary, r"[^\d\s.,'()+eE-]")
    place = pc.index(has.take(column.indices), True).as_py()
    return f"{column[place].as_py()!r} in row {start + place}"


def check_same_format(
    name: str, column: Any, spelling: StringFormat, start: int, where: str
) -> None:
    """Refuse cells that can be read, but would make something else of the column: a code, maybe."""
    import pyarrow.compute as pc

    texts = column.dictionary
    if spelling.kind == NUMBERS:
        odd = pc.match_substring_regex(texts, r"^[^0-9.,]*0[ ']?[0-9]")
    elif spelling.words:
        usual = spelling.words in ANSWERS  # which YES does not change
        odd = _find_neither(texts, spelling.words)
        odd = odd if usual else pc.invert(pc.is_in(texts, value_set=strings_of(spelling.words)))
    else:
        return
    if pc.any(odd := pc.and_(odd, texts.is_valid())).as_py():
        _complain(
            name,
            column,
            texts=texts,
            lost=to_bools(odd),
            spelling=spelling,
            start=start,
            where=where,
        )


def check_answers(name: str, column: Any, words: tuple[str, ...], start: int, where: str) -> None:
    """Refuse cells that are none of the answers that a column is said to have."""
    import pyarrow.compute as pc

    odd = pc.and_(_find_neither(column.dictionary, words), column.dictionary.is_valid())
    rows = np.flatnonzero(np.append(to_bools(odd), False)[numpy_of(column.indices, NOWHERE)])
    if len(rows):
        found = dict.fromkeys(column.take(row_indices(rows)).to_pylist())
        raise unknown_answer_error(name, words, [*found], start + int(rows[0]), where)


def _find_neither(texts: Any, words: tuple[str, ...]) -> Any:
    import pyarrow.compute as pc

    return pc.invert(is_one_of(texts, tuple(map(str.lower, words))))


def _values(texts: Any, spelling: StringFormat) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if spelling.also:
        ways = (replace(spelling, also=()), *spelling.also)
        return pc.coalesce(*(_values(texts, one) for one in ways))
    if spelling.kind == NUMBERS:
        return _number_values(texts, spelling)
    if spelling.kind == DATES:
        return read_dates(texts, spelling.date)
    return read_truths(texts) if spelling.kind == TRUTHS else pa.nulls(len(texts))


def _number_values(texts: Any, spelling: StringFormat) -> Any:
    """Doubles; sums of units too, and values of several numbers as the spelling has them."""
    import pyarrow.compute as pc

    if spelling.compound in COMPOUNDS:
        return read_compound(normalize_marks(texts), spelling.compound)
    if spelling.compound == BOUND:
        texts, spelling = read_bounds(texts), replace(spelling, compound="")
    found = read_numbers(texts, spelling)
    if found.null_count > texts.null_count and compound_units((spelling.unit,)):
        return pc.coalesce(found, read_sums(normalize_marks(texts), spelling.unit))
    return found


def _is_unread(texts: Any, found: Any, spelling: StringFormat) -> Array:
    """Which strings stand for something that was not read."""
    import pyarrow.compute as pc

    lost = to_bools(pc.and_(texts.is_valid(), found.is_null()))
    if spelling.kind == NUMBERS:
        lost |= exceeds_double(texts) & (np.abs(doubles(found)) >= EXACT)
    return lost


def _complain(
    name: str, column: Any, texts: Any, lost: Array, spelling: StringFormat, start: int, where: str,
    found: Any = None, learned: bool = False,
) -> None:  # fmt: skip
    """The error of the first row whose string is lost, if any row has one."""
    at = numpy_of(column.indices, NOWHERE)
    rows = np.flatnonzero(np.append(lost, False)[at])
    if len(rows):
        place, row = int(at[rows[0]]), start + int(rows[0])
        text = texts[place].as_py()
        if found is not None and found[place].is_valid:
            error = CellError(*large_integer_error(name, text, row, where).args)
        else:
            first = start < BLOCK  # the first cells of the column
            better = _find_better_format(column, texts, spelling) if first else ""
            error = cell_error(
                spelling, better, name=name, text=text, row=row, where=where, learned=learned
            )
        error.column = name
        raise error


def _find_better_format(column: Any, texts: Any, spelling: StringFormat) -> str:
    """A model by which all cells can be read: another order of day and month, or other marks."""
    found = infer_column_type(CellTally.of(replace_dictionary(column, texts))).format
    for other in (
        found,
        _swap_day_and_month(found),
        _swap_day_and_month(spelling),
        StringFormat(DATES, date="%Y%m%d"),
    ):
        reads = other.kind == spelling.kind in (NUMBERS, DATES) and other != spelling
        if reads and not _is_unread(texts, _values(texts, other), other).any():
            return str(replace(other, gaps=()))
    return ""


def _swap_day_and_month(spelling: StringFormat) -> StringFormat:
    """The same with day and month in the other order."""
    other = {"%d": "%m", "%m": "%d"}
    return replace(spelling, date=re.sub("%[dm]", lambda one: other[one[0]], spelling.date))
