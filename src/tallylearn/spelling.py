"""Spelling: how the strings of a column are written, as numbers, dates, truth values or words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tallylearn import forms

NUMBERS, DATES, TRUTHS, WORDS, EMPTY = "number", "date", "truth", "string", "unknown"
KINDS = (NUMBERS, DATES, TRUTHS, WORDS, EMPTY)
MARKS = {"": "", ",": "comma", ".": "point", " ": "space", "'": "apostrophe"}
_MODEL = re.compile(r"(?P<before>[^\d\s.,'()+-]*)\s?1(?P<group>[,.' ])?234(?P<decimal>[.,])5"
                    r"\s?(?P<after>[^\d\s.,'()+-]*)")  # fmt: skip


_DAYS = {"%-": "%", "%B": "%b", "%e": "%d", "%F": "%Y-%m-%d", "%D": "%m/%d/%y"}


def _date_form(model: str) -> str:
    """A model of dates in the letters d m b Y y, the time of day left to the cells; "" for none.

    >>> [*map(_date_form, ("%d/%m/%Y %H:%M", "%B %-d, %Y", "%I:%M %p", "%d"))]
    ['%d/%m/%Y', '%b %d, %Y', '%H:%M', '']
    """
    for letter, ours in _DAYS.items():
        model = model.replace(letter, ours)
    form = re.sub(r"[ T,]*%[HIT].*$", "", model)
    letters = "".join(sorted(re.findall("%(.)", form.replace("%y", "%Y").replace("%b", "%m"))))
    return form if letters == "Ydm" else "" if form else "%H:%M"


@dataclass(frozen=True)
class Spelling:
    """How the strings of a column are read.

    >>> Spelling.of_model("$1,234.5")
    Spelling(kind='number', decimal='.', thousands=',', unit='$', date='', words=(), gaps=())
    >>> print(Spelling("number", ",", "."))
    1.234,5
    """

    kind: str = WORDS
    decimal: str = "."
    thousands: str = ""
    unit: str = ""  # a currency or the percent sign, which does not count
    date: str = ""  # as strftime has it, without the time of day; "%H:%M" where that is all
    words: tuple[str, ...] = ()  # what No and Yes are called here, however they are written
    gaps: tuple[str, ...] = ()  # words that stand for nothing here

    form: ClassVar[forms.Form] = {
        "kind": forms.text(*KINDS),
        "decimal": forms.text(".", ","),
        "thousands": forms.text(*MARKS),
        "unit": forms.text(),
        "date": forms.text(),
        "words": forms.names(),
        "gaps": forms.names(),
    }

    @classmethod
    def of_model(cls, model: str) -> Spelling | None:
        """The spelling that a model shows: ``1.234,5 €`` for numbers, ``%d.%m.%Y`` for dates."""
        if re.search(r"%-?[a-zA-Z]", model):
            form = _date_form(model)
            return cls(DATES, date=form) if form else None
        if re.fullmatch(r"[^\W\d]+/[^\W\d]+", model):
            return cls(WORDS, words=(*model.split("/"),))
        found = _MODEL.fullmatch(model)
        if found is None or found["group"] == found["decimal"]:
            return None
        return cls(
            NUMBERS, found["decimal"], found["group"] or "", found["before"] or found["after"]
        )

    @property
    def plain(self) -> bool:
        """Whether these are numbers as every program writes them."""
        return self == Spelling(NUMBERS)

    def __str__(self) -> str:
        """A model of it, which ``of_model`` reads."""
        if self.kind == NUMBERS:
            body = f"1{self.thousands}234{self.decimal}5"
            behind = self.unit in ("%", "‰") or self.unit.isalpha()
            return f"{body} {self.unit}" if behind else f"{self.unit}{body}"
        return self.date or "/".join(self.words) or self.kind

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for a model file or a schema."""
        return {"as": str(self), **({"missing": [*self.gaps]} if self.gaps else {})}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Spelling:
        """The same from plain data; a ValueError says what cannot be."""
        model, gaps = told.get("as"), told.get("missing", [])
        names = isinstance(gaps, list) and all(isinstance(gap, str) for gap in gaps)
        if not isinstance(model, str) or not names or {*told} - {"as", "missing"}:
            raise ValueError(f"a column is written as {told!r}, which says nothing")
        found = cls(model) if model in KINDS else cls.of_model(model)
        if found is None:
            raise ValueError(f"a column is written as {model!r}, which is no model")
        return replace(found, gaps=(*gaps,))
