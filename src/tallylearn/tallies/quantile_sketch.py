"""A quantile sketch: how many numbers lie in every bucket, where buckets grow with the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallylearn.kernels import quantile_sketch
from tallylearn.tables import Array
from tallylearn.tallies.tally import Tally

BITS = 9  # of the mantissa
ERROR = 2.0 ** -(BITS + 1)  # relative, of every quantile
ONCE = np.zeros(0)
BINADE = 1 << BITS  # buckets from one power of two to the next
INFINITE = 0x7FF << BITS  # the bucket of infinity


@dataclass(frozen=True, eq=False)
class QuantileSketch(Tally):
    """Counts by bucket: any quantile to 2^-10 (0.1 %) of itself, from any number of rows.

    DDSketch (C. Masson, J. Rim and H. Lee, PVLDB 12, 2019), whose buckets are told by the bits of
    a double. Counts add up, so it is the same in any order and from any parts; it can forget. Whole
    weights are exact; fractions are added as doubles. It takes 16 bytes a bucket that is not empty:
    0.6 MB a column where all numbers lie between 1e-6 and 1e6.

    >>> QuantileSketch.of(np.array([0.0, 2.0, 2.0, np.nan])).points()
    (array([0.        , 2.00195312]), array([1., 2.]))
    """

    keys: Array  # (m,) int64, sorted: 0 for zero, else the bucket plus 1, with its sign
    counts: Array  # (m,) float64

    weighted: ClassVar[tuple[str, ...]] = ("counts",)  # scale with the weights

    @classmethod
    def of(cls, numbers: Array, weight: Array | None = None) -> QuantileSketch:
        """Of numbers (n,); NaN is missing."""
        found = Buckets()
        found.add(numbers, weight)
        return found.sketch()

    def __bool__(self) -> bool:
        return bool(len(self.keys))

    @property
    def nothing(self) -> bool:
        return not self

    def __add__(self, other: QuantileSketch) -> QuantileSketch:
        return self._combine(other, 1.0)

    def __sub__(self, other: QuantileSketch) -> QuantileSketch:
        return self._combine(other, -1.0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QuantileSketch):
            return NotImplemented
        return np.array_equal(self.keys, other.keys) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"QuantileSketch({self.counts.sum():g} in {len(self.keys)} buckets)"

    def impossible(self) -> str | None:
        """Why no rows can have been counted so, if there is a reason."""
        return "a count falls below zero" if (self.counts < 0).any() else None

    def points(self) -> tuple[Array, Array]:
        """Every bucket as one number, and what it holds."""
        return middles(self.keys), self.counts

    def _combine(self, other: QuantileSketch, sign: float) -> QuantileSketch:
        keys, places = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        counts = np.bincount(places, np.concatenate([self.counts, sign * other.counts]), len(keys))
        some = counts != 0
        return QuantileSketch(keys[some], counts[some])


class Buckets:
    """A column while its rows pass by: a cell for every bucket from the nearest to zero on."""

    def __init__(self) -> None:
        self._lo, self._hi = 1023 * BINADE, 1024 * BINADE - 1  # numbers from 1 to 2
        self.cells = np.zeros(2 * BINADE + 3)

    @classmethod
    def of(cls, sketch: QuantileSketch) -> Buckets:
        """The cells of a sketch, those that are empty too."""
        found = cls()
        inner = np.abs(sketch.keys[sketch.keys != 0]) - 1
        inner = inner[inner < INFINITE]
        for bucket in (inner.min(), inner.max()) if len(inner) else ():
            found._reach(int(bucket))
        found.cells[np.searchsorted(found.keys(), sketch.keys)] = sketch.counts
        return found

    def add(self, numbers: Array, weight: Array | None = None) -> None:
        """More rows; NaN is missing."""
        bits, at = numbers.view(np.uint64), 0
        weight = ONCE if weight is None else weight
        while (at := quantile_sketch.count(bits, weight, self._lo, self._hi, self.cells, at)) < len(
            bits
        ):
            self._reach(int(bits[at] & np.uint64(2**63 - 1)) >> (52 - BITS))

    def place(self, numbers: Array) -> Array:
        """(n,) the cell of every row; the one behind the last where it is missing."""
        out = np.empty(len(numbers), dtype=np.int32)
        quantile_sketch.place(numbers.view(np.uint64), self._lo, self._hi, out)
        return out

    def keys(self) -> Array:
        """(cells,) the key of every cell."""
        up = np.append(np.arange(self._lo, self._hi + 1), INFINITE) + 1
        return np.concatenate([-up[::-1], [0], up])

    def sketch(self) -> QuantileSketch:
        """What was counted so far."""
        some = np.flatnonzero(self.cells)
        return QuantileSketch(self.keys()[some], self.cells[some])

    def _reach(self, bucket: int) -> None:
        """Room for a bucket, and all of its power of two."""
        before = self._hi - self._lo + 1
        below = max(self._lo - bucket // BINADE * BINADE, 0)
        above = max((bucket // BINADE + 1) * BINADE - 1 - self._hi, 0)
        self._lo, self._hi = self._lo - below, self._hi + above
        old, zero = self.cells, before + 1
        gap, end = np.zeros(below), np.zeros(above)
        self.cells = np.concatenate([
            old[:1], end, old[1:zero], gap, old[zero : zero + 1], gap, old[zero + 1 : -1], end,
            old[-1:],
        ])  # fmt: skip


def middles(keys: Array) -> Array:
    """The middle of every bucket."""
    size = np.maximum(np.abs(keys) - 1, 0).astype(np.uint64)
    inner = (size < INFINITE) & (keys != 0)
    low, high = ((size + np.uint64(d) << np.uint64(52 - BITS)).view(np.float64) for d in (0, 1))
    found = np.where(keys == 0, 0.0, np.inf)
    with np.errstate(over="ignore"):  # the last bucket ends in infinity
        last = low[inner] / 2 + high[inner] / 2
    found[inner] = np.where(np.isfinite(last), last, low[inner])
    return np.where(keys < 0, -found, found)
