"""Nearest centres: which of some centres every row is nearest to, and until when.

Scores in single precision say which it is; how wrong they can be is known. Between two looks at the
same rows centres move, and a row whose second centre is farther than all of them can have come is
not looked at again. G. Hamerly, Making k-means even faster, SDM 2010.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.kernels import kmeans_updates
from tallylearn.models.clustering.coded_rows import Coding
from tallylearn.models.naive_bayes.far_rows import relative_distances
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Block

TILE = 4096  # rows that are looked at together, at most
NEAR = 1 << 18  # numbers that stay near the processor
EPS = float(np.finfo(np.float32).eps)  # two roundings in single precision
SPARE = 1e-6  # of a distance, such that double precision tells two centres apart that are left so
SINGLE = 1e-30, 1e15  # lengths of centres that single precision tells apart
FAR = 1e12  # times the squared width of the centres: farther rows are compared by differences


def unit(largest: float) -> float:
    """The power of two that makes a number one of about 1."""
    return float(2.0 ** -np.floor(np.log2(largest))) if 1e-300 < largest < 1e300 else 1.0


@dataclass(frozen=True)
class Points:
    """Rows as points: x - shift."""

    x: Array  # (n, p)
    shift: Array  # (p,)

    @classmethod
    def of(cls, coding: Coding, block: Block) -> Points:
        """The rows of a block; their numbers stay where they are if they are only shifted."""
        if coding.shifts(block):
            return cls(np.ascontiguousarray(block.numbers), coding.shift)
        return cls(coding.points(block), np.zeros(coding.width))

    def __len__(self) -> int:
        return len(self.x)

    def at(self, rows: Any) -> Array:
        """Some rows."""
        return np.asarray(self.x[rows] - self.shift)

    def narrowed(self, here: slice, size: float, single: Array, reach: Array) -> None:
        """Write rows in single precision, times a size, with a 1; and their lengths."""
        kmeans_updates.narrow(self.x[here], self.shift, size, single, reach)

    def distances(self, labels: Array, centres: Array) -> Array:
        """(n,) squared, to the centres of these labels."""
        out = np.empty(len(self))
        centres = np.ascontiguousarray(centres)
        kmeans_updates.squared_distances(self.x, self.shift, labels, centres, out)
        return out


def tiles(n: int, width: int) -> Iterator[slice]:
    """Runs of rows of so many numbers that stay near the processor."""
    step = max(TILE // 8, min(TILE, NEAR // max(1, width)))
    return (slice(at, min(at + step, n)) for at in range(0, n, step))


class Nearest:
    """The nearest centre of rows.

    Scores |c|^2 - 2 x c are in single precision. A sum of p + 1 products, each of rounded factors,
    is wrong by p + 3 roundings of |c| (|c| + 2 |x|) at most, and two of them by twice that. What
    this cannot tell apart is told in double precision.
    """

    def __init__(self, points: Points, centres: Array, size: float) -> None:
        self.points, self.centres, (k, p) = points, centres, centres.shape
        turned = centres * size
        lengths = np.einsum("ij,ij->i", turned, turned)
        longest = float(np.sqrt(lengths.max()))
        slack = (p + 4) * EPS * longest if SINGLE[0] < longest < SINGLE[1] else np.inf
        self.wrong = np.array([slack * longest, 2 * slack * size, size, SPARE * (1 + longest)])
        self.turned = np.column_stack([-2 * turned, lengths]).astype(np.float32)
        self.scores, self.work = np.empty(k * TILE, np.float32), np.empty((2, TILE), np.float32)
        self.unsure = np.empty(TILE, np.int64)

    @classmethod
    def labels(cls, points: Points, centres: Array) -> tuple[Array, float]:
        """(n,) of all rows; and a number that is not finite where one of theirs is not."""
        size = unit(float(np.abs(centres).max(initial=0.0)))
        nearest, out, shown = cls(points, centres, size), np.empty(len(points), np.int32), 0.0
        single, reach = np.empty((TILE, centres.shape[1] + 1), np.float32), np.empty(TILE)
        unsure = [np.empty(0, np.int64)]
        with calmly():
            for here in tiles(len(points), centres.shape[1]):
                n = here.stop - here.start
                points.narrowed(here, size, single, reach)
                shown += float(reach[:n].sum())
                unsure.append(here.start + nearest.choose(single[:n], reach, out[here]))
        rows = np.concatenate(unsure)
        for here in tiles(len(rows), len(centres)):
            nearest.decide(rows[here], rows[here], out)
        return out, shown

    def choose(self, single: Array, reach: Array, out: Array) -> Array:
        """Write the nearest centre of at most a tile of rows; the places that are left unsure."""
        scores = self.scores[: len(out) * len(self.centres)].reshape(-1, len(out))
        np.matmul(self.turned, single.T, out=scores)
        base, rate = self.wrong[:2]
        found = kmeans_updates.choose(scores, reach, base, rate, self.work, out, self.unsure)
        return self.unsure[:found]

    def decide(self, rows: Array, some: Array, out: Array) -> None:
        """Write the nearest centre of some rows in double precision, the first of equals."""
        if len(rows):
            from scipy.spatial.distance import cdist  # a product's bits depend on rows beside it

            x, centres = self.points.at(rows), self.centres
            apart = cdist(x, centres, "sqeuclidean")
            out[some] = apart.argmin(axis=1)
            wide = float((np.ptp(centres, axis=0) ** 2).sum())
            far = np.flatnonzero(~(apart.min(axis=1) <= FAR * wide))
            if len(far) and wide > 0:  # squares lose the difference between the centres
                ones, none = np.ones(centres.shape), np.zeros(centres.shape)
                found = relative_distances(x[far], centres, none, ones)
                out[np.asarray(some)[far]] = np.nan_to_num(found, nan=-np.inf).argmax(axis=1)


class Followed:
    """Rows while centres move: only those are looked at whose nearest centre may be another.

    What it remembers saves time, and changes nothing: rows go where they would go without.
    """

    def __init__(self, points: Points, weight: Array | None, size: float, grids: Array) -> None:
        n, width = len(points), points.x.shape[1] + 1
        self.points, self.size, self.grids = points, size, grids
        self.weight = np.ones(n) if weight is None else np.ascontiguousarray(weight, np.float64)
        self.single, self.reach = np.empty((n, width), np.float32), np.empty(n)
        with np.errstate(over="ignore"):
            for here in tiles(n, width):
                points.narrowed(here, size, self.single[here], self.reach[here])
        self.labels, self.until = np.zeros(n, np.int32), np.empty(n)
        self.centres, self.drift = np.empty((0, 0)), np.empty(0)
        self.sums = np.empty((2, 0, width))

    def __len__(self) -> int:
        return len(self.points)

    def follow(self, centres: Array) -> tuple[Array, Array]:
        """(n,) the nearest centre of every row, and (2, k, p + 1) their sums."""
        rows = np.arange(len(self), dtype=np.int64)
        fresh = centres.shape != self.centres.shape
        if fresh:
            self.drift = np.zeros(len(centres))
            self.sums = np.zeros((2, len(centres), self.single.shape[1]))
        else:
            self.drift = self.drift + drifts(self.centres, centres)
            rows = rows[: kmeans_updates.doubt(self.labels, self.until, self.drift, rows)]
        self.centres, nearest = centres, Nearest(self.points, centres, self.size)
        with calmly():
            for here in tiles(len(rows), self.single.shape[1]):
                self._look(nearest, rows[here], fresh)
        return self.labels, self.sums

    def ended(self, centres: Array) -> tuple[Array, float]:
        """(n,) the nearest centre of every row, and the inertia."""
        labels, _ = self.follow(centres)
        return labels, float((self.weight * self.points.distances(labels, centres)).sum())

    def _look(self, nearest: Nearest, rows: Array, fresh: bool) -> None:
        found, before = np.empty(len(rows), np.int32), self.labels[rows]
        here = slice(rows[0], rows[-1] + 1) if fresh else rows  # all rows, without a copy
        unsure = nearest.choose(self.single[here], self.reach[here], found)
        nearest.decide(rows[unsure], unsure, found)
        moved = np.arange(len(rows)) if fresh else np.flatnonzero(before != found)
        kmeans_updates.remember(
            nearest.work, found, rows, self.reach, nearest.wrong, self.drift, self.labels,
            self.until,
        )  # fmt: skip
        self.until[rows[unsure]] = -np.inf
        rows = rows[moved]
        if not fresh:
            self._add(rows, before[moved], -1.0)
        self._add(rows, found[moved], 1.0)

    def _add(self, rows: Array, labels: Array, sign: float) -> None:
        points = self.points
        kmeans_updates.gather(
            points.x, points.shift, self.weight, rows, labels, sign, self.grids, self.sums
        )


def drifts(before: Array, after: Array) -> Array:
    """(k,) how far every centre has moved, and any other one, together."""
    way = np.sqrt(((after - before) ** 2).sum(axis=1))
    most = np.full(len(way), way.max())
    most[way.argmax()] = np.sort(way)[-2:][0] if len(way) > 1 else 0.0
    return np.asarray((way + most) * (1 + SPARE))


@contextmanager
def calmly() -> Iterator[None]:
    """BLAS on one thread, and no word about numbers beyond single precision."""
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        yield


def grids_of(weight: float, squares: Array) -> Array:
    """(2, p + 1) grids for the sums of columns whose squares have these sums, and of the weights.

    A grid is the number that rounds to it where it is added and taken away. Its step is 2^-52 of
    the most that a sum can be, sqrt(W Σ x²), and that of the finer one 2^-19 of it, so that 2^34
    rows cannot overflow.
    """
    most = np.append(np.sqrt(weight) * np.sqrt(squares), weight) * (1 + SPARE)
    coarse = 1.5 * 2.0 ** np.ceil(np.log2(np.maximum(most, 1e-280)))
    return np.stack([coarse, coarse * 2.0**-19])
