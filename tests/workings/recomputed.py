"""Recompute the formulas of a working from the numbers that it prints.

A printed number has four significant digits: it stands for an interval of half a unit of its last
digit to both sides. Every side of a formula gives an interval, and those of equal sides must meet.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tallylearn.workings import Formula

CODE = {
    "·": "*", "²": "**2", "³": "**3", "^": "**", "−": "-", "½": "R('0.5')",
}  # fmt: skip
FUNCTIONS = ("log2", "ln", "exp", "sqrt")
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")


@dataclass(frozen=True)
class Interval:
    """The numbers that a printed number may stand for."""

    low: float
    high: float

    @classmethod
    def printed(cls, text: str) -> Interval:
        value = float(text)
        if value == 0:
            return cls(0.0, 0.0)
        unit = 10.0 ** (math.floor(math.log10(abs(value))) - 3)
        if "." not in text and "e" not in text:
            unit = min(unit, 1.0)
        half = 0.5000001 * unit
        return cls(value - half, value + half)

    @staticmethod
    def of(other: Any) -> Interval:
        return other if isinstance(other, Interval) else Interval(float(other), float(other))

    def _spanned(self, values: Iterable[float]) -> Interval:
        found = [*values]
        return Interval(min(found), max(found))

    def __add__(self, other: Any) -> Interval:
        other = self.of(other)
        return Interval(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Any) -> Interval:
        return self + -self.of(other)

    def __mul__(self, other: Any) -> Interval:
        other = self.of(other)
        return self._spanned(a * b for a in (self.low, self.high) for b in (other.low, other.high))

    def __truediv__(self, other: Any) -> Interval:
        other = self.of(other)
        if other.low <= 0 <= other.high:
            return Interval(-math.inf, math.inf)
        return self * Interval(1 / other.high, 1 / other.low)

    def __pow__(self, power: Any) -> Interval:
        power = power if isinstance(power, int) else round(self.of(power).low, 6)
        ends = [self.low**power, self.high**power]
        return self._spanned([*ends, 0.0] if self.low < 0 < self.high else ends)

    def meets(self, other: Interval) -> bool:
        slack = 1e-9 * max(abs(self.low), abs(self.high), abs(other.low), 1e-6)
        return self.low <= other.high + slack and other.low <= self.high + slack


def _increasing(call: Any) -> Any:
    return lambda x: Interval(call(max(x.low, 1e-300)), call(max(x.high, 1e-300)))


NAMES = {
    "R": Interval.printed,
    "log2": _increasing(math.log2),
    "ln": _increasing(math.log),
    "sqrt": _increasing(math.sqrt),
    "exp": lambda x: Interval(math.exp(x.low), math.exp(x.high)),
}


def interval_of(side: str) -> Interval | None:
    """The interval of one side; None where it has words."""
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", side.strip())
    if re.search(r"[^\W\d_²³½]", re.sub(rf"{'|'.join(FUNCTIONS)}|\d(?:\.\d+)?e[+-]\d", "", text)):
        return None
    if re.search(r"[Σ|≤{}\[\],]", text):
        return None
    text = NUMBER.sub(lambda found: f"R('{found[0]}')", text)
    for name, code in CODE.items():
        text = text.replace(name, code)
    text = re.sub(r"\*\*R\('(\d)'\)", r"**\1", text)
    found = eval(text, {"__builtins__": {}}, NAMES)
    return Interval.of(found)


def check_formulas(work: Any) -> int:
    """The sides of every formula are equal; how many formulas have two sides of numbers."""
    checked = 0
    for step in work.steps:
        if not isinstance(step, Formula):
            continue
        sides = re.split(r"(?<![<>]) = ", step.text)
        found = [one for side in sides if (one := interval_of(side)) is not None]
        for one in found[1:]:
            assert one.meets(found[0]), (step.text, found)
        checked += len(found) > 1
    return checked


def check_lines(work: Any) -> None:
    """At most 100 characters a line, and no number below 1e-12, which is 0 up to rounding."""
    text = str(work)
    assert max(map(len, text.splitlines())) <= 80
    assert not re.search(r"\de-(1[3-9]|[2-9]\d)", text)
