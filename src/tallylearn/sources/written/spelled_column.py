"""Spelled columns: strings as the numbers, dates, truth values or words that they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.errors import CellError
from tallylearn.sources.arrow_buffers import NOWHERE, emptied, numpy_of, truths, whole
from tallylearn.sources.csv.cell_errors import too_large, unlike
from tallylearn.sources.written.calendar_dates import read_dates
from tallylearn.sources.written.cell_tally import CellTally
from tallylearn.sources.written.judging import Hints, Judgement, judged
from tallylearn.sources.written.numerals import read_numbers
from tallylearn.sources.written.plain_words import (
    GAPS,
    MISSING,
    among,
    called,
    read_truths,
    recoded,
    trimmed_codes,
)
from tallylearn.spelling import DATES, EMPTY, NUMBERS, TRUTHS, WORDS, Spelling
from tallylearn.tables import Array

WHAT = {NUMBERS: "number", DATES: "date", TRUTHS: "truth value", EMPTY: "gap"}


def coded(data: Any, missing: tuple[str, ...] = MISSING) -> Any:
    """A column of strings with one dictionary, trimmed, null where a marker stands."""
    import pyarrow as pa
    import pyarrow.types as is_

    data = whole(data)
    if not is_.is_dictionary(data.type):
        data = (data if is_.is_string(data.type) else data.cast(pa.string())).dictionary_encode()
    elif not is_.is_string(data.type.value_type):
        values = data.dictionary.cast(pa.string())
        data = pa.DictionaryArray.from_arrays(data.indices, values)
    return trimmed_codes(data, missing)


def judgement(column: Any, hints: Hints, start: int = 0) -> Judgement:
    """How a coded column is written; plain numbers are told at a glance, as nearly all are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(column.type):
        return Judgement(Spelling(NUMBERS))
    texts = column.dictionary
    glance = hints.decimal != "," and texts.null_count < len(texts)
    if glance and not pc.any(pc.match_substring_regex(texts, r"^[+-]?0[0-9]|[0-9]{16}")).as_py():
        try:
            texts.cast(pa.float64())
            return Judgement(Spelling(NUMBERS))
        except pa.ArrowInvalid:
            pass
    return judged(CellTally.of(column, start), hints)


def read(
    name: str,
    column: Any,
    spelling: Spelling,
    start: int = 0,
    where: str = "",
    codes: bool = True,
) -> Any:
    """A coded column as Arrow's doubles, timestamps, truth values or strings.

    ``codes``: whether numbers may be led by noughts, as they may where they are declared numbers.
    """
    import pyarrow.compute as pc

    texts = column.dictionary
    if spelling.gaps:
        low = tuple(gap.lower() for gap in spelling.gaps)
        texts = emptied(texts, among(texts, low))
    if spelling.kind == WORDS:
        if spelling.words:
            texts = called(texts, spelling.words)
        return column if texts.equals(column.dictionary) else recoded(column, texts)
    found = _values(texts, spelling)
    if spelling.kind == NUMBERS and not codes:
        found = emptied(found, pc.match_substring_regex(texts, r"^[^0-9.,]*0[0-9]"))
    _check(name, column, texts, found, spelling, start, where)
    if spelling.kind == NUMBERS:  # NaN in other letters
        found = emptied(found, pc.is_nan(found))
    return found.take(column.indices)


def read_leniently(
    name: str, column: Any, learned: Spelling, hints: Hints, start: int, where: str = ""
) -> Any:
    """The same for a column that was learned, which may be written otherwise now.

    Words that stand for nothing among numbers do so here too: there may be one row alone.
    """
    if learned.kind not in (NUMBERS, DATES):
        return read(name, column, learned, start, where)
    texts = emptied(column.dictionary, among(column.dictionary, GAPS))
    column = column if texts.equals(column.dictionary) else recoded(column, texts)
    found = judgement(column, hints, start)
    same = found.spelling.kind == learned.kind and not found.doubt
    return read(name, column, found.spelling if same else learned, start, where)


def _values(texts: Any, spelling: Spelling) -> Any:
    import pyarrow as pa

    if spelling.kind == NUMBERS:
        return read_numbers(texts, spelling)
    if spelling.kind == DATES:
        return read_dates(texts, spelling.date)
    return read_truths(texts) if spelling.kind == TRUTHS else pa.nulls(len(texts))


def _check(
    name: str, column: Any, texts: Any, found: Any, spelling: Spelling, start: int, where: str
) -> None:
    """Every string that stands for something was read."""
    import pyarrow.compute as pc

    lost = truths(pc.and_(texts.is_valid(), found.is_null()))
    if spelling.kind == NUMBERS:
        lost |= _rounded(texts)
    if not lost.any():
        return
    at = numpy_of(column.indices, NOWHERE)
    rows = np.flatnonzero(np.append(lost, False)[at])
    if len(rows):
        text = texts[int(at[rows[0]])].as_py()
        row, kind = start + int(rows[0]), WHAT[spelling.kind]
        if found[int(at[rows[0]])].is_valid:
            error = CellError(*too_large(name, text, row, where).args)
        else:
            error = unlike(kind, str(spelling), name, text, row, where)
        error.column = name
        raise error


def _rounded(texts: Any) -> Array:
    """Where a whole number is one that a double cannot hold."""
    import pyarrow.compute as pc

    lost = truths(pc.match_substring_regex(texts, r"^[+-]?[0-9]{16,400}$"))
    for place in np.flatnonzero(lost):
        text = texts[int(place)].as_py()
        lost[place] = int(text) != float(text)
    return lost
