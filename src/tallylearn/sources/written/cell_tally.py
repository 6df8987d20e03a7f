"""Cells are counted by how they are written: what a column is depends on no order of its rows."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tallylearn.sources.arrow_buffers import NOWHERE, numpy_of, places, strings_of, truths
from tallylearn.sources.written import calendar_dates, numerals, plain_words
from tallylearn.tables import Array

LONGEST = 48  # characters of a number or a date
SHOWN = 3  # cells that are told
_DIGITS = re.compile(r"[+-]?\d{16,400}")
_KNOWN = dict.fromkeys(plain_words.GAPS, "gap") | dict.fromkeys(plain_words.TRUTH, "answer")
_KNOWN |= {word.lower(): "answer" for pair in plain_words.ANSWERS for word in pair}
Cell = tuple[int, str]  # its row and its text


@dataclass(frozen=True)
class CellTally:
    """How many cells of a column are written how; two add up to what both have seen."""

    cells: int = 0
    gaps: Counter[str] = field(default_factory=Counter)  # words that may stand for nothing
    numbers: Counter[tuple[str, numerals.Options]] = field(default_factory=Counter)
    dates: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)  # words for true, false, yes, no
    codes: int = 0  # numerals whose noughts lead
    long: int = 0  # whole numbers that a double cannot hold
    largest: tuple[int, int] = (0, 0)  # the first and the second number of dates
    shown: dict[str, tuple[Cell, ...]] = field(default_factory=dict)  # the first of each sort

    @classmethod
    def of(cls, column: Any, start: int = 0) -> CellTally:
        """Count a column of dictionary-encoded strings, trimmed, its gaps null."""
        import pyarrow.compute as pc

        at, texts = numpy_of(column.indices, NOWHERE), column.dictionary
        times = np.bincount(at[at >= 0], minlength=len(texts))
        times[: len(texts)] *= truths(texts.is_valid())
        texts = pc.if_else(texts.is_valid(), texts, strings_of(("",))[0])
        sorts = _sorts(texts)
        found: dict[str, Counter[Any]] = defaultdict(Counter)
        for sort, count in zip(sorts, times.tolist(), strict=True):
            if count:
                found[sort[0]][sort[1]] += count
        is_pair = np.array([sort[0] == "date" and "%1" in sort[1] for sort in sorts], dtype=bool)
        pairs = texts.take(places(np.flatnonzero(is_pair & (times > 0)))) if is_pair.any() else None
        odd = {s[0] for s in sorts} & {"word", "code", "long", "date", "number"}
        return cls(
            int(times.sum()),
            found.get("gap", Counter()),
            found.get("number", Counter()),
            found.get("date", Counter()),
            found.get("answer", Counter()),
            sum(found.get("code", Counter()).values()),
            sum(found.get("long", Counter()).values()),
            (0, 0) if pairs is None else calendar_dates.first_two(pairs),
            {sort: _first(sorts, sort, at, texts, start) for sort in sorted(odd)},
        )

    def __add__(self, other: CellTally) -> CellTally:
        return CellTally(
            self.cells + other.cells,
            self.gaps + other.gaps,
            self.numbers + other.numbers,
            self.dates + other.dates,
            self.answers + other.answers,
            self.codes + other.codes,
            self.long + other.long,
            (max(self.largest[0], other.largest[0]), max(self.largest[1], other.largest[1])),
            {
                sort: tuple(sorted({*self.shown.get(sort, ()), *other.shown.get(sort, ())}))[:SHOWN]
                for sort in sorted({*self.shown, *other.shown})
            },
        )

    @property
    def told(self) -> int:
        """Cells that stand for something, or may do."""
        return self.cells - sum(self.gaps.values())


def _sorts(texts: Any) -> list[tuple[str, Any]]:
    """For every string its sort, and what is to be counted of it."""
    import pyarrow.compute as pc

    lower = pc.utf8_lower(texts)
    short = numpy_of(pc.utf8_length(texts), NOWHERE) <= LONGEST
    digits = pc.match_substring_regex(texts, "[0-9]")
    odd = pc.match_substring_regex(lower, r"^[+-]?inf(inity)?$")
    likely = short & truths(pc.or_(digits, odd))
    found: list[tuple[str, Any]] = [("word", None)] * len(texts)
    known = pc.is_in(lower, value_set=strings_of((*_KNOWN,)))
    for place in np.flatnonzero(truths(known)):
        text = texts[int(place)].as_py()
        found[place] = (_KNOWN[text.lower()], text)
    at = np.flatnonzero(likely)
    some = texts.take(places(at))
    masks = numerals.masked(some).to_pylist()
    for place, text, mask in zip(at, some.to_pylist(), masks, strict=True):
        found[place] = _sort(text, mask)
    return found


def _sort(text: str, mask: str) -> tuple[str, Any]:
    if _DIGITS.fullmatch(text) and int(text) != float(text):
        return "long", None
    if (numeral := numerals.numeral(mask)) is not None:
        return ("number", numeral) if numeral[1] else ("code", None)
    form = calendar_dates.date_form(mask)
    return ("word", None) if form is None else ("date", form)


def _first(
    sorts: list[tuple[str, Any]], sort: str, at: Array, texts: Any, start: int
) -> tuple[Cell, ...]:
    """The first cells of a sort, with their rows."""
    wanted = np.array([one[0] == sort for one in sorts] + [False])
    rows = np.flatnonzero(wanted[at])[: 50 * SHOWN]
    found: dict[str, int] = {}
    for row in rows.tolist():
        found.setdefault(texts[int(at[row])].as_py(), start + row)
    return tuple((row, text) for text, row in [*found.items()][:SHOWN])
