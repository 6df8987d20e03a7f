"""Axis scales: numbers to pixels, linear or logarithmic, with round ticks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import count
from math import ceil, floor, inf, log10

import numpy as np

from tallylearn.reporting.charts.svg_elements import FAINT, GRID, label, line, text_extent
from tallylearn.tables import Array

Limits = tuple[float, float] | None
MAX_INTERVALS = 8  # stretches between ticks; the next smaller step would give more
MIN_POSITIVE = 1e-300  # below this a number is drawn as zero
MAX_LABEL_LENGTH = 7  # of a tick's label, before powers of ten are written


def linear_ticks(low: float, high: float) -> list[Decimal]:
    """Round numbers, 1, 2 or 5 times a power of ten apart, from below ``low`` to above ``high``.

    A range without breadth, or with less than 1e-9 of its numbers, is drawn as one number in the
    middle: such differences are rounding.

    >>> [str(tick) for tick in linear_ticks(0.03, 0.97)]
    ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']
    """
    low, high = _widen(low, high)
    return _covering_ticks(_as_fraction(low), _as_fraction(high), floor(log10(high - low)) - 1)


def log_ticks(low: float, high: float) -> list[Decimal]:
    """Powers of ten around positive numbers; 1, 2 and 5 times them where there are few.

    >>> [f"{tick:f}" for tick in log_ticks(0.3, 7)]
    ['0.2', '0.5', '1', '2', '5', '10']
    """
    low, high = _widen(low, high)
    begin, end = Decimal(repr(low)), Decimal(repr(high)).normalize()
    first, last = begin.adjusted(), end.adjusted() + (end.as_tuple().digits != (1,))
    if last - first > 2:
        decades = _covering_ticks(Fraction(first), Fraction(last), 0)
        return [Decimal(1).scaleb(int(decade)) for decade in decades]
    every = [Decimal(s).scaleb(e) for e in range(first, last + 1) for s in (1, 2, 5)]
    below = max(tick for tick in every if tick <= begin)
    above = min(tick for tick in every if tick >= end)
    inside = [tick for tick in every if below <= tick <= above]
    return inside if len(inside) > 2 else linear_ticks(low, high)


@dataclass(frozen=True)
class AxisScale:
    """Numbers from the first tick to the last, on pixels from ``start`` to ``end``."""

    ticks: tuple[Decimal, ...]
    start: float
    end: float
    log: bool = False

    @classmethod
    def of(
        cls, numbers: Array, start: float, end: float, log: bool = False, limits: Limits = None
    ) -> AxisScale:
        """Around the numbers, and not beyond the limits, which no number can pass."""
        low, high = float(numbers.min()), float(numbers.max())
        found = (log_ticks if log else linear_ticks)(low, high)
        if limits is not None:
            least = limits[0] if limits[0] <= low else -inf
            most = limits[1] if high <= limits[1] else inf
            inside = [tick for tick in found if least <= tick <= most]
            found = inside if len(inside) > 1 else found
        return cls(tuple(found), start, end, log)

    def pixels(self, numbers: Array | Sequence[float]) -> Array:
        """The pixels of the numbers."""
        values = np.asarray(numbers, dtype=float)
        low, high = float(self.ticks[0]), float(self.ticks[-1])
        if self.log:
            values, low, high = np.log10(values), log10(low), log10(high)
        return np.asarray(self.start + (values - low) / (high - low) * (self.end - self.start))

    def fit_labels(self, width: float) -> AxisScale:
        """The same scale, short enough for the labels at its ends to stay on the sheet."""
        first, *_, last = (text_extent(text) / 2 + 2 for text in tick_labels(self.ticks))
        return replace(self, start=max(self.start, first), end=min(self.end, width - last))

    def labelled_ticks(self) -> Iterator[tuple[float, str]]:
        """The pixel of every tick, and its label."""
        yield from zip(
            self.pixels([*map(float, self.ticks)]).tolist(), tick_labels(self.ticks), strict=True
        )

    def draw_horizontal(self, top: float, bottom: float) -> Iterator[str]:
        """The marks of a horizontal scale; a label that would touch the one before is left out."""
        free = -1e9
        for x, text in self.labelled_ticks():
            yield line(x, top, x, bottom, GRID)
            half = text_extent(text) / 2
            if x - half >= free:
                yield label(text, x, bottom + 17, room=1e3, text_anchor="middle", fill=FAINT)
                free = x + half + 6
        yield line(self.start, bottom, self.end, bottom, FAINT)

    def draw_vertical(self, left: float, right: float) -> Iterator[str]:
        """The marks of a vertical scale."""
        for y, text in self.labelled_ticks():
            yield line(left, y, right, y, GRID)
            yield label(text, left - 6, y + 4, room=1e3, text_anchor="end", fill=FAINT)
        yield line(left, self.start, left, self.end, FAINT)


def tick_labels(numbers: Sequence[Decimal]) -> list[str]:
    """Ticks as text, alike in their digits; powers of ten where that is shorter.

    >>> tick_labels(linear_ticks(0, 1.5)), tick_labels(linear_ticks(0, 3e9))
    (['0.0', '0.2', '0.4', '0.6', '0.8', '1.0', '1.2', '1.4', '1.6'],
     ['0', '5e8', '1e9', '1.5e9', '2e9', '2.5e9', '3e9'])
    """
    full = [f"{number:f}" for number in numbers]
    powers = [f"{number.normalize():e}".replace("e+0", "").replace("e+", "e") for number in numbers]
    longest = max(map(len, full))
    return full if longest <= max(MAX_LABEL_LENGTH, *map(len, powers)) else powers


def _as_fraction(number: float) -> Fraction:
    """0.3 as 3/10: the double beside it is smaller, and would ask for one tick more."""
    return Fraction(repr(number))


def _covering_ticks(low: Fraction, high: Fraction, exponent: int) -> list[Decimal]:
    """Multiples of the smallest step, from 10 to the ``exponent`` on, of which few are enough."""
    steps = ((step, power) for power in count(exponent) for step in (1, 2, 5))
    for step, power in steps:
        unit = step * Fraction(10) ** power
        first, last = floor(low / unit), ceil(high / unit)
        if last - first <= MAX_INTERVALS:
            break
    return [Decimal(i * step).scaleb(power) for i in range(first, last + 1)]


def _widen(low: float, high: float) -> tuple[float, float]:
    largest = max(abs(low), abs(high))
    if largest < MIN_POSITIVE:
        return -0.5, 0.5
    if high - low <= 1e-9 * largest:
        return low - largest / 2, high + largest / 2
    return low, high
