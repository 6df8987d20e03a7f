"""Points: the values of a column in their order, and how many rows show each."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, isfinite, isinf, nan

import numpy as np

from tallylearn.tables import Array
from tallylearn.tallies.quantile_sketch import ERROR, QuantileSketch

MOST_BINS = 40  # of a histogram
MOST_POINTS = 1_000_000
BINS = 10  # of equally many rows


@dataclass(frozen=True)
class ColumnPoints:
    """Values, sorted, with their rows (or weights); the middles of buckets where ``sketched``."""

    values: Array  # (m,) float64
    counts: Array  # (m,) float64
    sketched: bool = False
    ends: tuple[float, float] | None = None  # the least and the greatest number, of a sketch

    @property
    def low(self) -> float:
        """The least number; NaN of none."""
        return self._end(0)

    @property
    def high(self) -> float:
        """The greatest number; NaN of none."""
        return self._end(-1)

    def _end(self, at: int) -> float:
        if self.ends is not None:
            return self.ends[at]
        return float(self.values[at]) if len(self.values) else nan

    @property
    def error(self) -> float:
        """Relative, of a quantile."""
        return ERROR if self.sketched else 0.0

    @property
    def total(self) -> float:
        return float(self.counts.sum())

    def quantile(self, share: float) -> float:
        """The value at place share · (n - 1) of n sorted rows, from 0, between two in proportion.

        It is NumPy's and pandas' quantile, and type 7 of R. Weight 2 is the row twice.
        """
        if not len(self.values) or share in (0, 1):
            return self._end(-int(share == 1))
        ends = np.cumsum(self.counts)
        place = max(share * (float(ends[-1]) - 1), 0.0)
        below = floor(place)
        at = np.searchsorted(ends, [below, below + 1], side="right")
        low, high = (float(x) for x in self.values[np.minimum(at, len(ends) - 1)])
        part = place - below
        if low == high or not part:
            return low
        return low * (1 - part) + high * part  # high - low may be beyond a double

    def midranks(self) -> Array:
        """(m,) the mean rank of the rows of every value, from 1."""
        return np.asarray(np.cumsum(self.counts) - (self.counts - 1) / 2)

    def top(self, most: int) -> list[tuple[float, float]]:
        """The values that come most often; of equals the least first."""
        order = np.argsort(-self.counts, kind="stable")[:most]
        return [(float(self.values[at]), float(self.counts[at])) for at in order]

    def bins(self) -> Array:
        """(m,) which of ∛n bins of about equally many rows, ten at most, every value is in.

        A value is in one bin, that of the middle of its rows; of no more values than bins, each
        has its own.
        """
        most = int(min(max(np.cbrt(self.total) + 1e-9, 2), BINS))
        if len(self.values) <= most:
            return np.arange(len(self.values))
        middle = (np.cumsum(self.counts) - self.counts / 2) / self.total
        place = np.minimum((middle * most).astype(np.int64), most - 1)
        return np.unique(place, return_inverse=True)[1]

    def histogram(self) -> tuple[list[float], list[float]]:
        """Edges (b + 1) and rows (b,): the finite numbers in bins of one width.

        The width is that of Freedman and Diaconis, 2 IQR / ∛n (Probability Theory and Related
        Fields 57, 1981), between that of 5 and of 40 bins; a few whole numbers have a bin each.
        """
        finite = np.isfinite(self.values)
        values, counts = self.values[finite], self.counts[finite]
        if not len(values):
            return [], []
        low, high = float(values[0]), float(values[-1])
        if self.ends is not None and np.isfinite(self.ends).all():
            low, high = self.ends
        if low == high:
            return [low, high], [float(counts.sum())]
        if _whole(values) and high - low < MOST_BINS:
            edges = np.arange(low - 0.5, high + 1)
        else:
            half = 2.0 if isinf(high - low) else 1.0
            edges = np.linspace(low / half, high / half, self._number(low, high) + 1) * half
            edges[[0, -1]] = low, high
        heights, _ = np.histogram(values, edges, weights=counts)
        return edges.tolist(), heights.tolist()

    def _number(self, low: float, high: float) -> int:
        """How many bins."""
        middle = self.quantile(0.75) / 2 - self.quantile(0.25) / 2
        width = 4 * (middle / self.total ** (1 / 3))
        number = (high / 2 - low / 2) * 2 / width if width > 0 and isfinite(width) else MOST_BINS
        return int(min(max(number, 5), MOST_BINS))

    def compress(self) -> ColumnPoints:
        """What a description keeps of a column: a million values, or their buckets."""
        if len(self.values) <= MOST_POINTS:
            return self
        values, counts = self.in_buckets().points()
        ends = self.low, self.high
        return ColumnPoints(np.clip(values, *ends), counts, sketched=True, ends=ends)

    def in_buckets(self) -> QuantileSketch:
        """The same in the buckets that all tables share."""
        return QuantileSketch.of(self.values, self.counts)


def _whole(values: Array) -> bool:
    return bool((values == np.floor(values)).all() and np.abs(values).max() < 1e15)


def rank_numbers(numbers: Array, weight: Array | None = None) -> tuple[ColumnPoints, Array]:
    """The points of numbers (n,), and the place (n,) of every row among them; missing: the last.

    >>> points, places = rank_numbers(np.array([2.0, np.nan, 1.0, 2.0]))
    >>> points.values, points.counts, places
    (array([1., 2.]), array([1., 2.]), array([1, 2, 0, 1], dtype=int32))
    """
    numbers = numbers + 0.0  # -0.0 is 0.0
    order = np.argsort(numbers)  # NaN stands last
    ordered = numbers[order]
    shown = len(ordered) - int(np.isnan(ordered).sum())
    ordered = ordered[:shown]
    first = np.ones(shown, dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    places = np.empty(len(numbers), dtype=np.int32)
    at = np.cumsum(first, dtype=np.int32) - 1
    m = int(at[-1]) + 1 if shown else 0
    places[order[:shown]], places[order[shown:]] = at, m
    weighed = None if weight is None else weight[order[:shown]]
    counts = np.bincount(at, weighed, minlength=m).astype(np.float64)
    return ColumnPoints(ordered[first], counts), places
