"""String formats: how strings are written that stand for numbers, dates, truth values or words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tallylearn.tables import field_schemas
from tallylearn.tables.units import Unit, format_quantity, parse_unit

NUMBERS, DATES, TRUTHS, WORDS, EMPTY = "number", "date", "truth", "string", "unknown"
KINDS = (NUMBERS, DATES, TRUTHS, WORDS, EMPTY)
MARKS = {"": "", ",": "comma", ".": "point", " ": "space", "'": "apostrophe"}
_MODEL = re.compile(r"(?P<before>[^\d()+-]*?)\s?1(?P<group>[,.' ])?234(?P<decimal>[.,])5"
                    r"(?P<space>\s?)(?P<after>[^()+-]*)")  # fmt: skip


_DAYS = {"%-": "%", "%B": "%b", "%e": "%d", "%F": "%Y-%m-%d", "%D": "%m/%d/%y"}
COMPOUNDS = ("h:mm:ss", "h:mm", "m:ss", "first", "second", "ratio", "midpoint")
BOUND = "<"  # before a model of numbers: bounds such as <5 are read as their numbers
_DATED = {"Ydm", "Ym", "Yq", "Yh", "GV", "GVu", "Y"}  # letters that name a day, or a span of days


def _date_form(model: str) -> str:
    """A model of dates in the letters d m b Y y q h G V u, the time of day left to the cells.

    "" for what is none. A weekday says nothing that the date does not.

    >>> [*map(_date_form, ("%d/%m/%Y %H:%M", "%B %-d, %Y", "%I:%M %p", "%d", "%a, %d %b %Y"))]
    ['%d/%m/%Y', '%b %d, %Y', '%H:%M', '', '%d %b %Y']
    """
    for letter, ours in _DAYS.items():
        model = model.replace(letter, ours)
    zone = " %Z" if model.endswith("%Z") else ""  # a zone that is not known is left off
    form = re.sub(r"[ T,]*%[HITzZ].*$", "", re.sub(r"%[aA][.,]? ?", "", model))
    form = re.sub(" (?:de|del|of|di) ", " ", form)
    letters = "".join(sorted(re.findall("%(.)", form.replace("%y", "%Y").replace("%b", "%m"))))
    of_month = letters == "dm" and "%b" in form  # 5 Jan
    if of_month or letters in _DATED:
        return form + zone
    return "" if form else "%H:%M"


@dataclass(frozen=True)
class StringFormat:
    """How the strings of a column are read.

    >>> StringFormat.of_model("$1,234.5")
    StringFormat(kind='number', decimal='.', thousands=',', unit='$', ...)
    >>> print(StringFormat("number", ",", "."))
    1.234,5
    """

    kind: str = WORDS
    decimal: str = "."
    thousands: str = ""
    unit: str = ""  # a currency, the percent sign, a unit of measurement
    date: str = ""  # as strftime has it, without the time of day; "%H:%M" where that is all
    words: tuple[str, ...] = ()  # what No and Yes are called here, however they are written
    gaps: tuple[str, ...] = ()  # words that stand for nothing here
    scale: str = ""  # a scale word that some cell has, such as k or million: all of them count
    compound: str = ""  # which number of several is read: one of COMPOUNDS, or BOUND
    also: tuple[StringFormat, ...] = ()  # how cells are written that are not written so

    form: ClassVar[field_schemas.Form] = {
        "kind": field_schemas.text(*KINDS),
        "decimal": field_schemas.text(".", ","),
        "thousands": field_schemas.text(*MARKS),
        "unit": field_schemas.text(),
        "date": field_schemas.text(),
        "words": field_schemas.names(),
        "gaps": field_schemas.names(),
        "scale": field_schemas.text(),
        "compound": field_schemas.text("", *COMPOUNDS, BOUND),
    }

    @classmethod
    def of_model(cls, model: str) -> StringFormat | None:
        """The spelling that a model shows: ``1.234,5 €`` for numbers, ``%d.%m.%Y`` for dates.

        Several ways to write a column stand side by side: ``%Y-%m-%d|%d.%m.%Y``.
        """
        if "|" in model:
            first, *others = (cls.of_model(part) for part in model.split("|"))
            same = [one for one in others if one is not None and first and one.kind == first.kind]
            if first is None or first.kind not in (NUMBERS, DATES) or len(same) < len(others):
                return None
            return replace(first, also=tuple(same))
        if model in COMPOUNDS:
            return cls(NUMBERS, compound=model)
        if model.startswith(BOUND):
            bare = cls.of_model(model.removeprefix(BOUND))
            reads = bare is not None and bare.kind == NUMBERS and not bare.compound
            return replace(bare, compound=BOUND) if bare and reads else None
        if re.search(r"%-?[a-zA-Z]", model):
            form = _date_form(model)
            return cls(DATES, date=form) if form else None
        if re.fullmatch(r"[^\W\d]+/[^\W\d]+", model):
            return cls(WORDS, words=(*model.split("/"),))
        found = _MODEL.fullmatch(model)
        if found is None or found["group"] == found["decimal"]:
            return None
        before, after, space = found["before"].strip(), found["after"].strip(), found["space"]
        unit = parse_unit(before, after, bool(space), scaled=False)
        if unit is None:  # one that nobody listed, as older models have
            unit = Unit(before or after)
        return cls(NUMBERS, found["decimal"], found["group"] or "", unit.name, scale=unit.scale)

    @property
    def plain(self) -> bool:
        """Whether these are numbers as every program writes them."""
        return self == StringFormat(NUMBERS)

    def __str__(self) -> str:
        """A model of it, which ``of_model`` reads."""
        if self.also:
            return "|".join(map(str, (replace(self, also=()), *self.also)))
        if self.compound in COMPOUNDS:
            return self.compound
        if self.kind == NUMBERS:
            body = f"1{self.thousands}234{self.decimal}5"
            return self.compound + format_quantity(self.unit, self.scale, body)
        return self.date or "/".join(self.words) or self.kind

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for a model file or a schema."""
        return {"as": str(self), **({"missing": [*self.gaps]} if self.gaps else {})}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> StringFormat:
        """The same from plain data; a ValueError says what cannot be."""
        model, gaps = told.get("as"), told.get("missing", [])
        names = isinstance(gaps, list) and all(isinstance(gap, str) for gap in gaps)
        if not isinstance(model, str) or not names or {*told} - {"as", "missing"}:
            raise ValueError(f"a column is written as {told!r}, which says nothing")
        found = cls(model) if model in KINDS else cls.of_model(model)
        if found is None:
            raise ValueError(f"a column is written as {model!r}, which is no model")
        return replace(found, gaps=(*gaps,))
