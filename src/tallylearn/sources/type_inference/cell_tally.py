"""Cells are counted by how they are written: what a column is depends on no order of its rows."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from tallylearn.sources.arrow.buffers import NOWHERE, numpy_of, row_indices, strings_of, to_bools
from tallylearn.sources.type_inference import (
    compound_values,
    date_formats,
    missing_markers,
    number_formats,
)
from tallylearn.tables import Array
from tallylearn.tables.units import CODES, LISTED, SHARES, SIGNS, WORDS

MAX_VALUE_CHARACTERS = 400  # characters of a number or a date
MAX_UNFILTERED_MASKS = 500  # masks that are looked at one by one
MAX_KEPT_CELLS = 21  # different cells of each sort that are remembered
MIN_DISTINCT_NUMBERS = (
    10  # different numbers or dates: a column of so many is no column of categories
)
SHOWN_SORTS = (  # sorts of which some cells are told
    "word", "answer", "amount", "code", "long", "date", "number", "compound", "bound",
)  # fmt: skip
_KNOWN = dict.fromkeys(missing_markers.GAPS, "gap") | dict.fromkeys(missing_markers.TRUTH, "answer")
_KNOWN |= {word.lower(): "answer" for pair in missing_markers.ANSWERS for word in pair}
_SPELT = [*map(re.escape, (*CODES, *WORDS, *LISTED)), *date_formats.NAMES, "infinity", "inf"]
_SPELT += [*date_formats.WEEKDAYS, *date_formats.ZONES, "st", "nd", "rd", "th", "de", "of",
           "and", "und", "to", "under", "over", "below", "above", "less", "more", "than", "fy",
           *"etzapmwqkwh"]  # fmt: skip
_SYMBOLS = re.escape("".join({*"".join(SIGNS)} | {*SHARES}))
_LIKELY = (  # what a number or a date can consist of: a million words need no closer look
    rf"^(?i:[-+0-9 .,:/()'\[\]_°²³µ±<>≤≥=&–—′’”{_SYMBOLS}]|{'|'.join(_SPELT)})+$"
)
_WORDS = {re.sub("[0-9]", "9", word): None for word in _KNOWN}  # as their masks are
Cell = tuple[int, str]  # its row and its text
Sort = tuple[str, Any]  # and what is to be counted of it


@dataclass(frozen=True)
class CellTally:
    """How many cells of a column are written how; two add up to what both have seen."""

    cells: int = 0
    gaps: Counter[str] = field(default_factory=Counter)  # words that may stand for nothing
    numbers: Counter[number_formats.Numeral] = field(default_factory=Counter)
    dates: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)  # words for true, false, yes, no
    amounts: Counter[number_formats.Numeral] = field(default_factory=Counter)  # in units not listed
    compounds: Counter[compound_values.Compound] = field(default_factory=Counter)
    bounds: Counter[number_formats.Numeral] = field(
        default_factory=Counter
    )  # <5, without their signs
    codes: int = 0  # numerals with leading zeros
    long: int = 0  # whole numbers that a double cannot hold
    largest: tuple[int, int] = (0, 0)  # the first and the second number of dates
    shown: dict[str, tuple[Cell, ...]] = field(default_factory=dict)  # the first of each sort
    # Different numbers and dates, DIVERSE at most: how many there are counts, not which.
    distinct: frozenset[str] = field(default=frozenset(), compare=False)

    @classmethod
    def of(cls, column: Any, start: int = 0) -> CellTally:
        """Count a column of dictionary-encoded strings, trimmed, its gaps null."""
        import pyarrow.compute as pc

        at, texts = numpy_of(column.indices, NOWHERE), column.dictionary
        times = np.bincount(at[at >= 0], minlength=len(texts))
        if texts.null_count:
            times[: len(texts)] *= to_bools(texts.is_valid())
            texts = pc.if_else(texts.is_valid(), texts, strings_of(("",))[0])
        sorts, which = _sorts(texts)
        found: dict[str, Counter[Any]] = {}
        totals = np.bincount(which, times, len(sorts)).astype(np.int64)
        for (sort, what), count in zip(sorts, totals.tolist(), strict=True):
            if count:
                found.setdefault(sort, Counter())[what] += count
        is_pair = np.array([sort == "date" and "%1" in what for sort, what in sorts], dtype=bool)
        pairs = texts.take(row_indices(np.flatnonzero(is_pair[which] & (times > 0))))
        of_numbers = [_has_sort(sort, sorts) for sort in ("number", "date", "compound", "bound")]
        measured = np.logical_or.reduce(of_numbers)[which] & (times > 0)
        return cls(
            cells=int(times.sum()),
            gaps=found.get("gap", Counter()),
            numbers=found.get("number", Counter()),
            dates=found.get("date", Counter()),
            answers=found.get("answer", Counter()),
            amounts=found.get("amount", Counter()),
            compounds=found.get("compound", Counter()),
            bounds=found.get("bound", Counter()),
            codes=sum(found.get("code", Counter()).values()),
            long=sum(found.get("long", Counter()).values()),
            largest=date_formats.first_two(pairs) if len(pairs) else (0, 0),
            shown=_example_cells(sorts, which, at, texts, start),
            distinct=frozenset(
                texts.take(row_indices(np.flatnonzero(measured)[:MIN_DISTINCT_NUMBERS])).to_pylist()
            ),
        )

    def __add__(self, other: CellTally) -> CellTally:
        return CellTally(
            cells=self.cells + other.cells,
            gaps=self.gaps + other.gaps,
            numbers=self.numbers + other.numbers,
            dates=self.dates + other.dates,
            answers=self.answers + other.answers,
            amounts=self.amounts + other.amounts,
            compounds=self.compounds + other.compounds,
            bounds=self.bounds + other.bounds,
            codes=self.codes + other.codes,
            long=self.long + other.long,
            largest=(
                max(self.largest[0], other.largest[0]),
                max(self.largest[1], other.largest[1]),
            ),
            shown={
                sort: _keep_earliest((*self.shown.get(sort, ()), *other.shown.get(sort, ())))
                for sort in SHOWN_SORTS
                if sort in self.shown or sort in other.shown
            },
            distinct=frozenset(sorted(self.distinct | other.distinct)[:MIN_DISTINCT_NUMBERS]),
        )

    @property
    def n_present(self) -> int:
        """Cells that stand for something, or may do."""
        return self.cells - sum(self.gaps.values())


def _sorts(texts: Any) -> tuple[list[Sort], Array]:
    """The sorts that there are, and which of them each string is.

    Strings are looked at by their masks, of which a million dates have a handful.
    """
    coded = number_formats.mask_digits(texts).dictionary_encode()
    masks, at = coded.dictionary, numpy_of(coded.indices, NOWHERE)
    sorts: list[Sort] = [("word", None), ("long", None)]
    found = np.zeros(len(masks), dtype=np.int64)
    for place in _likely_masks(masks):
        found[place] = len(sorts)
        sorts.append(_sort(masks[place].as_py()))
    which = found[at]
    for place in np.flatnonzero(_has_sort("known", sorts)[which]).tolist():
        text = texts[place].as_py()
        which[place] = len(sorts)
        sorts.append((_KNOWN.get(text.lower(), "word"), text))
    units: dict[Sort, int] = {}
    for place in np.flatnonzero(
        _has_sort("unit", sorts)[which]
    ).tolist():  # m2 and m3 have one mask
        found_sort = _numeral_sort(
            number_formats.with_unit(masks[int(at[place])].as_py(), texts[place].as_py())
        )
        if found_sort not in units:
            units[found_sort] = len(sorts)
            sorts.append(found_sort)
        which[place] = units[found_sort]
    _sort_by_numbers(texts, sorts, which)
    for at_sort, (sort, what) in enumerate(sorts):
        if sort == "date" and (valid := date_formats.valid_form(what)):
            _keep_valid(texts, which, at_sort, valid)
    if (numbers := _has_sort("number", sorts)[which]).any():
        which[number_formats.exceeds_double(texts) & numbers] = 1
    return sorts, which


def _sort_by_numbers(texts: Any, sorts: list[Sort], which: Array) -> None:
    """Sort what its numbers decide: 30:15 is no time of day, and 20-10 no range."""
    import pyarrow as pa

    for at_sort, (sort, what) in enumerate([*sorts]):
        clock = sort == "date" and what == date_formats.TIME_ALONE
        if not clock and sort != "compound":
            continue
        at = np.flatnonzero(which == at_sort)
        some = texts.take(row_indices(at)).cast(pa.string())
        if clock:
            long = compound_values.beyond_a_day(some)
            for seconds in (False, True) if long.any() else ():
                which[at[long & (compound_values.has_seconds(some) == seconds)]] = len(sorts)
                sorts.append(("compound", compound_values.duration(seconds)))
        else:
            which[at[compound_values.out_of_order(some, what.form)]] = 0


def _keep_valid(texts: Any, which: Array, sort: int, valid: str) -> None:
    """Make words of strings that are written as a month, and have no such number."""
    import pyarrow.compute as pc

    at = np.flatnonzero(which == sort)
    which[at[~to_bools(pc.match_substring_regex(texts.take(row_indices(at)), valid))]] = 0


def _likely_masks(masks: Any) -> list[int]:
    """The masks that deserve a closer look: all, or not a million of words."""
    import pyarrow.compute as pc

    if len(masks) <= MAX_UNFILTERED_MASKS:
        return [*range(len(masks))]
    short = numpy_of(pc.utf8_length(masks), NOWHERE) <= MAX_VALUE_CHARACTERS
    likely = short & to_bools(pc.match_substring_regex(masks, _LIKELY))
    known = to_bools(pc.is_in(pc.utf8_lower(masks), value_set=strings_of((*_WORDS,))))
    found: list[int] = np.flatnonzero(likely | known).tolist()
    return found


@lru_cache(maxsize=4096)
def _sort(mask: str) -> Sort:
    """What a masked string can be."""
    if mask.lower() in _WORDS:
        return "known", None
    if len(mask) > MAX_VALUE_CHARACTERS:
        return "word", None
    if (form := date_formats.date_form(mask)) is not None:
        return "date", form
    if (several := compound_values.sum_of_units(mask)) is not None:
        return "compound", several
    if (bare := compound_values.without_bound(mask)) and number_formats.numeral(bare) is not None:
        sort, numeral = _numeral_sort(bare)
        return ("bound", numeral) if sort == "number" else ("word", None)
    if (several := compound_values.compound_form(mask)) is not None:
        return "compound", several
    return ("unit", None) if number_formats.unit_has_digits(mask) else _numeral_sort(mask)


def _numeral_sort(mask: str) -> Sort:
    """A number, a code or a word."""
    numeral = number_formats.numeral(mask)
    if numeral is not None and not numeral.options:
        return "code", None
    if numeral is not None and numeral.unit.known:
        return "number", numeral
    if numeral is None or numeral.unit.name.split()[0].rstrip(".") in date_formats.NAMES:
        return "word", None
    return "amount", numeral


def _has_sort(wanted: str, sorts: list[Sort]) -> Array:
    return np.array([sort == wanted for sort, _ in sorts], dtype=bool)


def _example_cells(
    sorts: list[Sort], which: Array, at: Array, texts: Any, start: int
) -> dict[str, tuple[Cell, ...]]:
    """The first cells of each sort, with their rows."""
    import pyarrow.compute as pc

    rows = np.flatnonzero(np.append(to_bools(pc.not_equal(texts, strings_of(("",))[0])), False)[at])
    first = np.full(len(texts), len(at))
    first[at[rows[::-1]]] = rows[::-1]
    found, there = {}, {sort for sort, _ in sorts}
    for sort in filter(there.__contains__, SHOWN_SORTS):
        of = first[_has_sort(sort, sorts)[which]]
        of = np.sort(
            np.partition(of, MAX_KEPT_CELLS)[:MAX_KEPT_CELLS] if len(of) > MAX_KEPT_CELLS else of
        )
        cells = ((start + row, texts[int(at[row])].as_py()) for row in of.tolist() if row < len(at))
        found[sort] = tuple(cells)
    return {sort: cells for sort, cells in found.items() if cells}


def _keep_earliest(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The first rows, each text once."""
    found: dict[str, int] = {}
    for row, text in sorted(cells):
        found.setdefault(text, row)
    return tuple((row, text) for text, row in [*found.items()][:MAX_KEPT_CELLS])
