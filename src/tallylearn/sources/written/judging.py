"""A column of strings is numbers, dates, answers or words: all of its cells decide, in any order.

- Cells such as - or n/a are gaps where at least 95 % of the others are numbers or dates.
- One cell that is no number makes a column of words; so do noughts that lead (postal codes), and
  whole numbers that a double cannot hold.
- Where the cells leave two readings open, which 3/4/2024 does and 1,234 may, the judgement has a
  doubt, and who learns from the column has to say which it is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from tallylearn.sources.written.calendar_dates import resolved
from tallylearn.sources.written.cell_tally import SHOWN, Cell, CellTally
from tallylearn.sources.written.numerals import SHARES, marks
from tallylearn.sources.written.plain_words import ANSWERS, TRUTH
from tallylearn.spelling import DATES, EMPTY, NUMBERS, TRUTHS, Spelling

TOLD = 40  # letters of a cell
HALF = 0.5  # of the cells and more are numbers: then it is worth a word that others are none
ENOUGH = 0.95  # of the cells are numbers or dates, where a word can stand for a gap


@dataclass(frozen=True)
class Judgement:
    """How a column is written, why where that needs a word, and what is left to decide."""

    spelling: Spelling
    why: str = ""
    doubt: str = ""
    remedy: tuple[str, ...] = ()  # the models of which one settles the doubt
    early: bool = False  # words, unless further cells make more of them
    odd: bool = False  # words, for a few cells among numbers or dates, or for how these are written


@dataclass(frozen=True)
class Hints:
    """What is known of a table as a whole, where a column by itself leaves two readings open."""

    decimal: str = "."  # "" where no other column shows one
    date: str = ""  # as strftime has it


PLAIN = Hints()


def judged(cells: CellTally, hints: Hints = PLAIN) -> Judgement:
    """What a column is."""
    if not cells.cells:
        return Judgement(Spelling(EMPTY), early=True)
    measured = sum(cells.numbers.values()) + sum(cells.dates.values())
    gaps: tuple[str, ...] = ()
    if cells.gaps and measured and measured >= ENOUGH * cells.told:
        gaps = tuple(sorted(cells.gaps))
    counted = cells.told if gaps else cells.cells
    found = _measured(cells, counted, hints) or _answers(cells) or _words(cells, counted)
    if not gaps:
        return found
    said = " and ".join(json.dumps(gap, ensure_ascii=False) for gap in gaps[:4])
    verb = "stands" if len(gaps) == 1 else "stand"
    why = "; ".join(filter(None, [found.why, f"{said} {verb} for nothing"]))
    return replace(found, spelling=replace(found.spelling, gaps=gaps), why=why)


def _measured(cells: CellTally, counted: int, hints: Hints) -> Judgement | None:
    if sum(cells.numbers.values()) == counted:
        return _numbers(cells, hints.decimal)
    return _dates(cells, hints.date) if sum(cells.dates.values()) == counted else None


def _numbers(cells: CellTally, decimal: str) -> Judgement | None:
    units = {unit for unit, _ in cells.numbers}
    named = units - {""}
    if len(named) > 1 or (named & {*SHARES} and "" in units):
        several = ", ".join(sorted(named)) + (" and none" if "" in units else "")
        return Judgement(Spelling(), f"its numbers have several units ({several})", odd=True)
    found = marks([options for _, options in cells.numbers], decimal)
    unit = next(iter(named), "")
    if found is None:
        several = "its numbers have several marks for decimals or thousands"
        return Judgement(Spelling(), several, odd=True)
    if found[0] == "?":
        models = (str(Spelling(NUMBERS, ".", ",", unit)), str(Spelling(NUMBERS, ",", "", unit)))
        row, text = cells.shown["number"][0]
        return Judgement(
            Spelling(), doubt=f"{text!r} in row {row} may have thousands or decimals", remedy=models
        )
    spelling = Spelling(NUMBERS, *found, unit)
    return Judgement(spelling, "" if spelling.plain else f"numbers written as {spelling}")


def _dates(cells: CellTally, hint: str) -> Judgement | None:
    if len(cells.dates) > 1:
        return Judgement(Spelling(), "its dates are written in several ways", odd=True)
    (form,) = cells.dates
    found = resolved(form, *cells.largest)
    models = tuple(resolved(form, *pair) or "" for pair in ((13, 1), (1, 13)))
    if "%1" in form and hint and max(cells.largest) <= 12:
        found = models[hint.find("%m") < hint.find("%d")]
    if found is None and max(cells.largest) > 12:
        return Judgement(Spelling(), "no order of day and month suits all of its dates", odd=True)
    if found is None:
        row, text = cells.shown["date"][0]
        return Judgement(
            Spelling(), doubt=f"{text!r} in row {row}: no date tells day from month", remedy=models
        )
    plain = found == "%Y-%m-%d"
    return Judgement(Spelling(DATES, date=found), "" if plain else f"dates written as {found}")


def _answers(cells: CellTally) -> Judgement | None:
    if sum(cells.answers.values()) < cells.cells:
        return None
    low = {word.lower() for word in cells.answers}
    if low <= TRUTH.keys():
        return Judgement(Spelling(TRUTHS))
    for pair in ANSWERS:
        if low == {word.lower() for word in pair}:
            return _one_name(cells, pair)
    return None


def _one_name(cells: CellTally, pair: tuple[str, str]) -> Judgement:
    """Yes and yes are one answer, called by the spelling that the table has, if it has one."""
    names = tuple(word for low in pair for word in cells.answers if word.lower() == low.lower())
    if len(names) == len(pair):
        return Judgement(Spelling(words=names))
    return Judgement(Spelling(words=pair), f"{_list(cells.answers)} read as {_list(pair)}")


def _words(cells: CellTally, counted: int) -> Judgement:
    measured = sum(cells.numbers.values()) + sum(cells.dates.values()) + cells.codes + cells.long
    why = ""
    few = ENOUGH * counted <= measured < counted
    if measured == counted and cells.codes:
        why = f"noughts lead its numbers ({cells.shown['code'][0][1]!r}): codes, not amounts"
    elif measured == counted and cells.long:
        why = f"its whole numbers are too long for a double ({cells.shown['long'][0][1]!r})"
    elif few:
        what = "dates" if cells.dates else "numbers"
        told = ", ".join(f"{text[:TOLD]!r} in row {row}" for row, text in _others(cells))
        why = f"{counted - measured} of its {counted} cells are no {what}: {told}"
    elif measured == counted and cells.dates:
        why = "some of its cells are dates and some are numbers"
    elif cells.numbers and HALF * counted < measured:
        first = [f"{text[:TOLD]!r} in row {row}" for row, text in _others(cells)]
        told = f"{[*first, *map(repr, sorted(cells.gaps))][0]} is none"
        why = f"{measured} of its {counted} cells are numbers, and {told}"
    elif sum(cells.amounts.values()) == counted:
        units = ", ".join(sorted(cells.amounts))
        why = f"its numbers have letters behind them ({units}): words, unless you take these out"
    answers = sum(cells.answers.values()) == cells.cells
    return Judgement(Spelling(), why, early=answers or bool(cells.gaps and measured), odd=few)


def _others(cells: CellTally) -> list[Cell]:
    """The first cells that are neither numbers nor dates."""
    sorts = ("word", "answer", "amount")
    return sorted(cell for sort in sorts for cell in cells.shown.get(sort, ()))[:SHOWN]


def _list(words: object) -> str:
    return ", ".join(sorted(map(str, words)))  # type: ignore[call-overload]
