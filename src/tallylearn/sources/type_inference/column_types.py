"""A column of strings is numbers, dates, answers or words: all of its cells decide, in any order.

- Cells such as - or n/a are gaps where at least 95 % of the others are numbers or dates.
- A few cells that are no numbers among many different ones make a doubt: somebody has to say
  whether they are missing values. Among few different numbers they make a column of categories.
- Leading zeros (postal codes), and whole numbers that a double cannot hold, make categories.
- Where the cells leave two readings open, which 3/4/2024 does and 1,234 may, the judgement has a
  doubt, and who learns from the column has to say which it is.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, replace

from tallylearn.sources.type_inference.cell_tally import (
    MAX_KEPT_CELLS,
    MIN_DISTINCT_NUMBERS,
    Cell,
    CellTally,
)
from tallylearn.sources.type_inference.compound_values import (
    CLOCK,
    ERROR,
    HOURS,
    MINUTES,
    PAIR,
    RANGE,
    UNITS,
)
from tallylearn.sources.type_inference.date_formats import TIME_ALONE, resolve_day_order
from tallylearn.sources.type_inference.missing_markers import ANSWERS, TRUTH
from tallylearn.sources.type_inference.number_formats import Numeral, marks, two_marks
from tallylearn.tables.string_formats import (
    BOUND,
    DATES,
    EMPTY,
    NUMBERS,
    TRUTHS,
    WORDS,
    StringFormat,
)
from tallylearn.tables.units import SHARES, convert, smallest_unit

MAX_SHOWN_CELLS = 3  # cells that are told
CELL_WIDTH = 40  # letters of a cell
MAX_SHOWN_UNITS = 5  # that are told
MAX_MARKERS = 3  # different words, of which each may stand for a missing value
MIN_NOTED_SHARE = (
    0.5  # of the cells and more are numbers: then it is worth a word that others are none
)
MIN_MEASURED_SHARE = 0.95  # of the cells are numbers or dates, where a word can stand for a gap


def _literal(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class InferredType:
    """How a column is written, why where that needs a word, and what is left to decide."""

    format: StringFormat
    reason: str = ""
    ambiguity: str = ""
    remedies: tuple[str, ...] = ()  # kinds or models of which one settles the doubt
    provisional: bool = False  # words, unless further cells make more of them
    irregular: bool = (
        False  # words, for a few cells among numbers or dates, or for how these are written
    )
    markers: tuple[str, ...] = ()  # cells that are no numbers, which may be missing values

    def options(self, name: str) -> str:
        """The calls that decide how the column is read; "" where nothing needs to be decided."""
        ways = [f"missing={_literal([*self.markers])}"] if self.markers else []
        ways += [f"kinds={_literal({name: model})}" for model in self.remedies]
        return " or ".join(f"tl.table(..., {way})" for way in ways)

    def note(self, name: str) -> str:
        """Why the column is read so, and the options that read it otherwise."""
        others = replace(self, remedies=tuple(kind for kind in self.remedies if kind != "category"))
        if self.format.kind != WORDS or not (self.remedies or self.irregular):
            return self.reason
        options = others.options(name)
        kind = "numeric" if others.remedies == ("number",) else "something else"
        remedy = f". To treat it as {kind}: {options}" if options else ""
        return f"{self.reason}, so the column is treated as categorical{remedy}"


@dataclass(frozen=True)
class FormatHints:
    """What is known of a table as a whole, where a column by itself leaves two readings open."""

    decimal: str = "."  # "" where no other column shows one
    date: str = ""  # as strftime has it


PLAIN = FormatHints()


def infer_column_type(cells: CellTally, hints: FormatHints = PLAIN) -> InferredType:
    """What a column is."""
    if not cells.cells:
        return InferredType(StringFormat(EMPTY), provisional=True)
    measured = sum(cells.numbers.values()) + sum(cells.dates.values())
    measured += sum(cells.compounds.values()) + sum(cells.bounds.values())
    gaps: tuple[str, ...] = ()
    if cells.gaps and measured and measured >= MIN_MEASURED_SHARE * cells.n_present:
        gaps = tuple(sorted(cells.gaps))
    counted = cells.n_present if gaps else cells.cells
    found = _infer_measure(cells, counted, hints) or _answers(cells) or _words(cells, counted)
    if not gaps:
        return found
    said = " and ".join(json.dumps(gap, ensure_ascii=False) for gap in gaps[:4])
    verb = "means" if len(gaps) == 1 else "mean"
    why = "; ".join(filter(None, [found.reason, f"{said} {verb} missing"]))
    return replace(found, format=replace(found.format, gaps=gaps), reason=why)


def _infer_measure(cells: CellTally, counted: int, hints: FormatHints) -> InferredType | None:
    if sum(cells.numbers.values()) == counted:
        return _numbers(cells, cells.numbers, hints.decimal)
    if cells.compounds or cells.bounds:
        return _infer_compound(cells, counted) or _bounds(cells, counted, hints)
    one_unit = len({numeral.unit.name for numeral in cells.amounts}) == 1
    if one_unit and sum(cells.amounts.values()) == counted:
        return _numbers(cells, cells.amounts, hints.decimal)
    return _dates(cells, hints.date) if sum(cells.dates.values()) == counted else None


def _infer_compound(cells: CellTally, counted: int) -> InferredType | None:
    """Values of several numbers, and bounds: read where they have one meaning, else in doubt."""
    forms = {compound.form for compound in cells.compounds}
    total = sum(cells.compounds.values())
    plain = sum(cells.numbers.values())
    cell = _first_cell(cells, "compound")
    if forms == {UNITS} and total + plain == counted:
        unit = smallest_unit([*(one.unit for one in cells.compounds),
                              *(one.unit.name for one in cells.numbers)])  # fmt: skip
        if not unit or any(one.unit.power for one in cells.numbers):
            return None
        why = f"values such as {cell} are read in {_WHOLE.get(unit, unit)}"
        return InferredType(StringFormat(NUMBERS, unit=unit), why)
    times = {*cells.dates} <= {TIME_ALONE} and forms <= {CLOCK, HOURS, MINUTES}
    if times and total + sum(cells.dates.values()) == counted:
        if CLOCK in forms and forms != {CLOCK, MINUTES}:
            doubt = f"{cell} may be minutes and seconds or hours and minutes"
            return InferredType(StringFormat(), ambiguity=doubt, remedies=(MINUTES, "h:mm"))
        form, unit = (MINUTES, "minutes") if MINUTES in forms else (HOURS, "hours")
        why = f"durations written as {form}, read in {unit}"
        return InferredType(StringFormat(NUMBERS, compound=form), why)
    if forms in ({PAIR}, {ERROR}) and total == counted:
        remedy = ("first", "second", *(["ratio"] * (PAIR in forms)))
        return _infer_doubtful(cells, f"its values are two numbers ({cell})", remedy)
    bare = all(one.unit.name == "" and not one.unit.power for one in cells.numbers)
    if forms == {RANGE} and total + plain == counted and bare:
        return _infer_doubtful(cells, f"its values are ranges of numbers ({cell})", ("midpoint",))
    return None


_WHOLE = {"in": "inches", "h": "hours", "min": "minutes", "s": "seconds", "day": "days",
          "month": "months", "oz": "ounces", "lb": "pounds"}  # fmt: skip


def _bounds(cells: CellTally, counted: int, hints: FormatHints) -> InferredType | None:
    """Numbers of which some are bounds, such as <5: censored values."""
    bounds = sum(cells.bounds.values())
    if not bounds or bounds + sum(cells.numbers.values()) != counted:
        return None
    found = _numbers(cells, cells.numbers + cells.bounds, hints.decimal).format
    if found.kind != NUMBERS:
        return None
    texts = tuple(text for _, text in cells.shown["bound"])
    cell = _first_cell(cells, "bound")
    are = "is a bound" if bounds == 1 else "are bounds"
    why = f"{bounds} of its {counted} values {are} and not exact ({cell})"
    judgement = _infer_doubtful(cells, why, (str(replace(found, compound=BOUND)),))
    return replace(judgement, markers=texts if len(texts) <= MAX_MARKERS else ())


def _first_cell(cells: CellTally, sort: str) -> str:
    return next(
        (f"{text[:CELL_WIDTH]!r} in row {row}" for row, text in cells.shown.get(sort, ())),
        "",
    )


def _numbers(cells: CellTally, numbers: Counter[Numeral], decimal: str) -> InferredType:
    units: Counter[str] = Counter()
    for numeral, count in numbers.items():
        units[numeral.unit.name] += count
    scale = min((n.unit.scale for n in numbers if n.unit.power), default="")
    if scale and units.keys() == {"", "m"}:  # 1.5k and 2m: thousands and millions
        del units["m"]
    found = marks([numeral.options for numeral in numbers], decimal)
    named = sorted(units.keys() - {""}, key=lambda unit: (-units[unit], unit))
    if len(named) > 1 or (units.keys() & {*SHARES} and "" in units):
        if all(len(unit) == 1 and unit.isalpha() for unit in named):
            return InferredType(StringFormat())  # 12A, 14B: codes
        several = _list(named[:MAX_SHOWN_UNITS]) + (" and none" if "" in units else "")
        spelling = StringFormat(NUMBERS, *(found or (".", "")), scale=scale)
        remedy = _one_unit(spelling, named, "" in units)
        return _infer_doubtful(cells, f"its numbers have several units ({several})", remedy)
    unit = next(iter(named), "")
    if "" in units and _like_codes(numbers, named):  # 15A or 15B among house numbers
        spelling = StringFormat(NUMBERS, *(found or (".", "")), unit, scale=scale)
        letters = unit or scale
        return _infer_doubtful(
            cells, f"some of its numbers have {letters!r} behind them", (str(spelling),)
        )
    if found is None:
        pair = two_marks([numeral.options for numeral in numbers])
        models = [str(StringFormat(NUMBERS, *one, unit, scale=scale)) for one in pair]
        several = "its numbers have several marks for decimals or thousands"
        return _infer_doubtful(cells, several, ("|".join(models),) if models else ())
    if found[0] == "?":
        models = [
            str(StringFormat(NUMBERS, *one, unit, scale=scale)) for one in ((".", ","), (",", ""))
        ]
        row, text = cells.shown["number"][0]
        doubt = f"{text!r} in row {row} may have a thousands separator or a decimal mark"
        return InferredType(StringFormat(), ambiguity=doubt, remedies=tuple(models))
    spelling = StringFormat(NUMBERS, *found, unit, scale=scale)
    return InferredType(spelling, "" if spelling.plain else f"numbers written as {spelling}")


def _like_codes(numbers: Counter[Numeral], named: list[str]) -> bool:
    """Whether some numbers have one letter behind them, and no decimals beside it."""
    if named:
        return len(named[0]) == 1 and named[0].isalpha() and named[0].isascii()
    letters = [n for n in numbers if n.unit.power and len(n.unit.scale) == 1]
    whole = all(not mark for numeral in letters for mark, _ in numeral.options)
    return bool(letters) and whole and any(not n.unit.power for n in numbers)


def _one_unit(spelling: StringFormat, units: list[str], bare: bool) -> tuple[str, ...]:
    """A model that reads numbers of several units: in one of them, where they convert."""
    if len(units) == 1:  # a percent sign here and there
        return (f"{replace(spelling, unit=units[0])}|{spelling}",)
    if bare or not all(convert(unit, units[0]) for unit in units):
        return ()
    return (str(replace(spelling, unit=units[0])),)


def _infer_doubtful(cells: CellTally, why: str, remedy: tuple[str, ...] = ()) -> InferredType:
    """Categories; a doubt where there are too many different numbers or dates for that."""
    remedy = (*remedy, "category")
    doubt = why if len(cells.distinct) >= MIN_DISTINCT_NUMBERS else ""
    return InferredType(StringFormat(), why, doubt, remedy, irregular=True)


def _dates(cells: CellTally, hint: str) -> InferredType | None:
    forms, vague = sorted({form.lstrip("?") for form in cells.dates}), _explain_vague_cells(cells)
    if any(map(_DAY_OF_MONTH.search, forms)):  # 5 Jan beside 24 Jan, which is no year then
        forms, vague = sorted({_of_day(form) for form in forms}), ""
    if len(forms) > 1 and TIME_ALONE in forms:
        return _infer_doubtful(cells, "some of its cells are dates and some are times of day")
    day_first, month_first = (
        tuple(dict.fromkeys(resolve_day_order(form, *pair) or form for form in forms))
        for pair in ((13, 1), (1, 13))
    )
    found = tuple(resolve_day_order(form, *cells.largest) or "" for form in forms)
    if any("%1" in form for form in forms) and hint and max(cells.largest) <= 12:
        found = month_first if hint.find("%m") < hint.find("%d") else day_first
    if vague and (("" in found and max(cells.largest) > 12) or max(cells.largest) > 31):
        return InferredType(StringFormat())  # codes of numbers and hyphens
    if "" in found and max(cells.largest) > 12:
        both = "|".join(dict.fromkeys((*day_first, *month_first)))
        return _infer_doubtful(cells, "no order of day and month fits all of its dates", (both,))
    models = ("|".join(day_first), "|".join(month_first))
    row, text = cells.shown["date"][0]
    if "%Z" in forms[-1]:
        doubt = f"{text!r} in row {row} has an unknown time zone"
        return InferredType(StringFormat(), ambiguity=doubt, remedies=("|".join(found), "category"))
    if vague:
        remedy = models if "" in found else ("|".join(found),)
        if "%1" not in forms[0]:
            remedy = (*remedy, "|".join(map(_of_day, found)))
        doubt = f"{text!r} in row {row} may be {vague}"
        return InferredType(
            StringFormat(), ambiguity=doubt, remedies=(*dict.fromkeys(remedy), "category")
        )
    if "" in found:
        doubt = f"{text!r} in row {row}: the day and the month cannot be distinguished"
        return InferredType(StringFormat(), ambiguity=doubt, remedies=models)
    if (seasons := _seasons(cells, forms)) is not None:
        return seasons
    one, *more = (StringFormat(DATES, date=form) for form in sorted(found, key=_length))
    spelling = replace(one, also=tuple(more))
    plain = str(spelling) == "%Y-%m-%d"
    return InferredType(spelling, "" if plain else f"dates written as {spelling}")


_DAY_OF_MONTH = re.compile(r"^(?:%d.?%b|%b.?%d)$")


def _of_day(form: str) -> str:
    """A form of months and years with two digits, as one of days of a month."""
    return form.replace("%y", "%d") if re.fullmatch(r"%y.?%b|%b.?%y", form) else form


def _length(form: str) -> tuple[int, str]:
    """Longer forms come first: they read what is theirs, and no more."""
    return -len(form), form


def _explain_vague_cells(cells: CellTally) -> str:
    """What cells may be besides dates, where nothing tells."""
    forms = [form[1:] for form in cells.dates if form.startswith("?")]
    forms = [form for form in forms if "%m" not in form or form not in cells.dates]
    if not forms:
        return ""
    if "%m" in forms[0]:
        return "a month or another part of a year"
    return "a date or a code" if "%1" in forms[0] else "a month of a year or a day of a month"


def _seasons(cells: CellTally, forms: list[str]) -> InferredType | None:
    """2010-11 and 2011-12 are as likely two years each as months."""
    if forms not in (["%Y-%m"], ["%Y/%m"]) or len(cells.distinct) < 2:
        return None
    pairs = [re.split("[-/]", text) for text in cells.distinct]
    if any((int(year) + 1) % 100 != int(month) for year, month in pairs):
        return None
    row, text = cells.shown["date"][0]
    doubt = f"{text!r} in row {row} may be a month or two years"
    return InferredType(StringFormat(), ambiguity=doubt, remedies=(forms[0], "category"))


def _answers(cells: CellTally) -> InferredType | None:
    if sum(cells.answers.values()) < cells.cells:
        return None
    low = {word.lower() for word in cells.answers}
    if low <= TRUTH.keys():
        return InferredType(StringFormat(TRUTHS))
    for pair in ANSWERS:
        if low == {word.lower() for word in pair}:
            return _one_name(cells, pair)
    return None


def _one_name(cells: CellTally, pair: tuple[str, str]) -> InferredType:
    """Yes and yes are one answer, called by the spelling that the table has, if it has one."""
    names = tuple(word for low in pair for word in cells.answers if word.lower() == low.lower())
    if len(names) == len(pair):
        return InferredType(StringFormat(words=names))
    return InferredType(StringFormat(words=pair), f"{_list(cells.answers)} read as {_list(pair)}")


def _words(cells: CellTally, counted: int) -> InferredType:
    plain = sum(cells.numbers.values()) + sum(cells.dates.values())
    measured = plain + cells.codes + cells.long
    if measured == counted:
        return _all_measured(cells)
    others = _find_other_cells(cells)
    what = "dates" if sum(cells.dates.values()) > sum(cells.numbers.values()) else "numbers"
    first = ", ".join(
        f"{text[:CELL_WIDTH]!r} in row {row}" for row, text in others[:MAX_SHOWN_CELLS]
    )
    answers = sum(cells.answers.values()) == cells.cells
    early = answers or bool(cells.gaps and measured)
    named = {numeral.unit.name for numeral in cells.numbers} - {""}
    scaled = any(numeral.unit.power for numeral in cells.numbers)
    if len(named) > 1 or (scaled and cells.amounts):
        return InferredType(
            StringFormat(), provisional=early
        )  # codes of digits and letters, most likely
    hours = {*cells.dates} == {TIME_ALONE}  # 1:15 may be a verse
    if plain and plain == measured and MIN_NOTED_SHARE * counted < plain and not hours:
        words = tuple(dict.fromkeys(text for _, text in others))
        words = words or tuple(sorted(cells.gaps))
        first = first or ", ".join(map(repr, words[:MAX_SHOWN_CELLS]))
        few = plain >= MIN_MEASURED_SHARE * counted or len(words) <= MAX_MARKERS
        why = f"{plain} of its {counted} cells are {what}, but not {first}"
        ask = why if few and len(cells.distinct) >= MIN_DISTINCT_NUMBERS else ""
        return InferredType(
            format=StringFormat(),
            reason=why,
            ambiguity=ask,
            remedies=("category",),
            provisional=early or bool(ask),
            irregular=bool(ask) or plain >= MIN_MEASURED_SHARE * counted,
            markers=words if few and len(words) < MAX_KEPT_CELLS else (),
        )
    if cells.numbers and MIN_NOTED_SHARE * counted < measured:
        first = first or repr(min(cells.gaps))
        why = f"{measured} of its {counted} cells are {what}, but not {first}"
        return InferredType(
            StringFormat(),
            why,
            provisional=early,
            irregular=MIN_MEASURED_SHARE * counted <= measured,
        )
    if sum(cells.amounts.values()) + sum(cells.numbers.values()) == counted and cells.amounts:
        units = {numeral.unit.name for numeral in (*cells.amounts, *cells.numbers)}
        listed = sorted(units - {""})
        several = _list(listed) + (" and none" if "" in units else "")
        remedy = (str(StringFormat(NUMBERS, unit=listed[0])),) if len(listed) == 1 else ()
        if len(listed) <= MAX_SHOWN_UNITS:
            return InferredType(
                StringFormat(), f"its numbers have several units ({several})", "", remedy
            )
    return InferredType(StringFormat(), provisional=early)


def _all_measured(cells: CellTally) -> InferredType:
    """Categories that look like numbers or dates all through."""
    if cells.codes:
        text = cells.shown["code"][0][1]
        if not cells.dates and all(map(_MONTH.fullmatch, _texts(cells, "code", "number"))):
            doubt = f"{text!r} in row {cells.shown['code'][0][0]} may be a month or a code"
            return InferredType(StringFormat(), ambiguity=doubt, remedies=("%m.%Y", "category"))
        remedies = () if cells.dates or cells.long else ("number",)
        return InferredType(StringFormat(), f"values have leading zeros ({text!r})", "", remedies)
    if cells.long:
        text = cells.shown["long"][0][1]
        return InferredType(
            StringFormat(), f"its whole numbers are too long for a double ({text!r})"
        )
    numbers = _texts(cells, "number")
    forms = [form for form in cells.dates if "%1" not in form and "?" not in form]
    more = [form for form, like in _BARE.items() if all(map(like.fullmatch, numbers))]
    models = ("|".join([*forms, *more[:1]]),) if more and len(forms) == len(cells.dates) else ()
    return _infer_doubtful(cells, "some of its cells are dates and some are numbers", models)


_MONTH = re.compile(r"(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d")
_BARE = {"%Y%m%d": re.compile(r"(?:19|20)\d{6}"), "%Y%m": re.compile(r"(?:19|20)\d{4}"),
         "%Y": re.compile(r"(?:19|20)\d\d")}  # fmt: skip


def _texts(cells: CellTally, *sorts: str) -> list[str]:
    return [text for sort in sorts for _, text in cells.shown.get(sort, ())]


def _find_other_cells(cells: CellTally) -> list[Cell]:
    """The first cells that are neither numbers nor dates."""
    sorts = ("word", "answer", "amount", "compound", "bound")
    return sorted(cell for sort in sorts for cell in cells.shown.get(sort, ()))[:MAX_KEPT_CELLS]


def _list(words: object) -> str:
    return ", ".join(sorted(map(str, words)))  # type: ignore[call-overload]
