"""A quantile sketch: how many numbers lie in every bucket, where buckets grow with the numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.kernels import sketching
from tallylearn.tables import Array

BITS = 9  # of the mantissa
ERROR = 2.0 ** -(BITS + 1)  # relative, of every quantile
ONCE = np.zeros(0)
INFINITE = 0x7FF << BITS  # the bucket of infinity


@dataclass(frozen=True, eq=False)
class QuantileSketch:
    """Counts by bucket: any quantile to 2^-10 (0.1 %) of itself, from any number of rows.

    DDSketch (C. Masson, J. Rim and H. Lee, PVLDB 12, 2019), whose buckets are told by the bits of
    a double. Counts add up, so it is the same in any order and from any parts; it can forget. Whole
    weights are exact; fractions are added as doubles. It takes 8 bytes a bucket between the least
    and the greatest number, 16 MB where those are ∓1e308.

    >>> QuantileSketch.of(np.array([1.0, 2.0, 2.0, np.nan])).points()
    (array([1.00097656, 2.00195312]), array([1., 2.]))
    """

    first: int  # bucket
    counts: Array  # (m,) float64

    @classmethod
    def of(cls, numbers: Array, weight: Array | None = None) -> QuantileSketch:
        """Of numbers (n,); NaN is missing."""
        shown = numbers[~np.isnan(numbers)]
        if not len(shown):
            return cls(0, np.zeros(0))
        ends = np.array([shown.min(), shown.max()]) + 0.0
        found = np.empty(2, dtype=np.int32)
        sketching.place(ends.view(np.uint64), -INFINITE - 1, INFINITE, found)
        first, last = (int(at) - INFINITE - 1 for at in found)
        counts = np.zeros(last - first + 1)
        bits = numbers.view(np.uint64)
        sketching.count(bits, ONCE if weight is None else weight, first, counts)
        return cls(first, counts)._trimmed()

    def __bool__(self) -> bool:
        return bool(len(self.counts))

    @property
    def nothing(self) -> bool:
        return not self

    def __add__(self, other: QuantileSketch) -> QuantileSketch:
        return self._with(other, 1.0)

    def __sub__(self, other: QuantileSketch) -> QuantileSketch:
        return self._with(other, -1.0)

    def __radd__(self, zero: int) -> QuantileSketch:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QuantileSketch):
            return NotImplemented
        return self.first == other.first and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"QuantileSketch({self.counts.sum():g} in {np.count_nonzero(self.counts)} buckets)"

    def impossible(self) -> str | None:
        """Why no rows can have been counted so, if there is a reason."""
        return "a count falls below zero" if (self.counts < 0).any() else None

    def points(self) -> tuple[Array, Array]:
        """The buckets that hold something, each as one number, and what they hold."""
        some = np.flatnonzero(self.counts)
        return middles(self.first + some), self.counts[some]

    def over(self, first: int, size: int) -> Array:
        """The counts of so many buckets from this one on, which hold all that there is."""
        out = np.zeros(size)
        out[self.first - first : self.first - first + len(self.counts)] = self.counts
        return out

    def _with(self, other: QuantileSketch, sign: float) -> QuantileSketch:
        if not other or not self:
            return self if not other else QuantileSketch(other.first, sign * other.counts)
        first = min(self.first, other.first)
        end = max(self.first + len(self.counts), other.first + len(other.counts))
        sums = self.over(first, end - first) + sign * other.over(first, end - first)
        return QuantileSketch(first, sums)._trimmed()

    def _trimmed(self) -> QuantileSketch:
        some = np.flatnonzero(self.counts)
        if not len(some):
            return QuantileSketch(0, np.zeros(0))
        return QuantileSketch(self.first + int(some[0]), self.counts[some[0] : some[-1] + 1])


def middles(buckets: Array) -> Array:
    """The middle of every bucket; zero for what is nearer to it than 1e-310."""
    size = np.where(buckets < 0, -1 - buckets, buckets).astype(np.uint64)
    ends = ((size + np.uint64(d) << np.uint64(52 - BITS)).view(np.float64) for d in (0, 1))
    low, high = (np.where(np.isfinite(end), end, np.inf) for end in ends)
    inner = np.isfinite(high) & (size > 0)
    middle = np.where(size > 0, low, 0.0)
    middle[inner] += (high[inner] - low[inner]) / 2
    return np.where(buckets < 0, -middle, middle) + 0.0
