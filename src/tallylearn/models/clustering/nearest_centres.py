"""The nearest centre of every row, in one assignment or in many while the centres move.

Scores |c|² - 2 x·c are products of matrices in single precision, with a bound on their error; rows
that these cannot decide are compared in double precision. `TrackedRows` remembers for every row
how far the centres may move before another one can be nearest, and skips it until then:
G. Hamerly, Making k-means even faster, SDM 2010.
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
from tallylearn.models.neighbors.distances import power_of_two
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Block

TILE = 4096  # rows that are compared together, at most
CACHED_NUMBERS = 1 << 18  # of a tile: they stay in the processor's cache
EPS = float(np.finfo(np.float32).eps)  # twice the rounding error of single precision
SAFETY = 1e-6  # relative margin of a bound: far above the rounding of a double
SINGLE_RANGE = 1e-30, 1e15  # lengths of centres whose scores single precision can hold
MAX_SQUARE_RATIO = 1e12  # squared distance to squared width of the centres: beyond, squares
# lose the difference between two centres, and rows are compared by differences


@dataclass(frozen=True)
class CodedPoints:
    """Rows as points: x - shift."""

    x: Array  # (n, p)
    shift: Array  # (p,)

    @classmethod
    def of(cls, coding: Coding, block: Block) -> CodedPoints:
        """The rows of a block; their numbers stay where they are if they are only shifted."""
        if coding.shifts(block):
            return cls(np.ascontiguousarray(block.numbers), coding.shift)
        return cls(coding.points(block), np.zeros(coding.width))

    def __len__(self) -> int:
        return len(self.x)

    def at(self, rows: Any) -> Array:
        """Some rows."""
        return np.asarray(self.x[rows] - self.shift)

    def write_singles(self, here: slice, size: float, single: Array, reach: Array) -> None:
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
    step = max(TILE // 8, min(TILE, CACHED_NUMBERS // max(1, width)))
    return (slice(at, min(at + step, n)) for at in range(0, n, step))


class NearestCentre:
    """The nearest centre of rows.

    Scores |c|^2 - 2 x c are in single precision. A sum of p + 1 products, each of rounded factors,
    is wrong by p + 3 roundings of |c| (|c| + 2 |x|) at most, and two of them by twice that. What
    this cannot tell apart is told in double precision.
    """

    def __init__(self, points: CodedPoints, centres: Array, size: float) -> None:
        self.points, self.centres, (k, p) = points, centres, centres.shape
        scaled = centres * size
        lengths = np.einsum("ij,ij->i", scaled, scaled)
        longest = float(np.sqrt(lengths.max()))
        slack = (p + 4) * EPS * longest if SINGLE_RANGE[0] < longest < SINGLE_RANGE[1] else np.inf
        self.wrong = np.array([slack * longest, 2 * slack * size, size, SAFETY * (1 + longest)])
        self.factors = np.column_stack([-2 * scaled, lengths]).astype(np.float32)
        self.scores, self.work = np.empty(k * TILE, np.float32), np.empty((2, TILE), np.float32)
        self.unsure = np.empty(TILE, np.int64)

    @classmethod
    def labels(cls, points: CodedPoints, centres: Array) -> tuple[Array, float]:
        """(n,) of all rows; and a number that is not finite where one of theirs is not."""
        size = 1 / power_of_two(float(np.abs(centres).max(initial=0.0)))
        nearest, out, shown = cls(points, centres, size), np.empty(len(points), np.int32), 0.0
        single, reach = np.empty((TILE, centres.shape[1] + 1), np.float32), np.empty(TILE)
        unsure = [np.empty(0, np.int64)]
        with quiet_blas():
            for here in tiles(len(points), centres.shape[1]):
                n = here.stop - here.start
                points.write_singles(here, size, single, reach)
                shown += float(reach[:n].sum())
                unsure.append(here.start + nearest.choose(single[:n], reach, out[here]))
        rows = np.concatenate(unsure)
        for here in tiles(len(rows), len(centres)):
            nearest.decide_exactly(rows[here], rows[here], out)
        return out, shown

    def choose(self, single: Array, reach: Array, out: Array) -> Array:
        """Write the nearest centre of at most a tile of rows; the places that are left unsure."""
        scores = self.scores[: len(out) * len(self.centres)].reshape(-1, len(out))
        np.matmul(self.factors, single.T, out=scores)
        base, rate = self.wrong[:2]
        found = kmeans_updates.choose(scores, reach, base, rate, self.work, out, self.unsure)
        return self.unsure[:found]

    def decide_exactly(self, rows: Array, some: Array, out: Array) -> None:
        """Write the nearest centre of some rows in double precision, the first of equals."""
        if len(rows):
            from scipy.spatial.distance import cdist  # a product's bits depend on rows beside it

            x, centres = self.points.at(rows), self.centres
            apart = cdist(x, centres, "sqeuclidean")
            out[some] = apart.argmin(axis=1)
            wide = float((np.ptp(centres, axis=0) ** 2).sum())
            far = np.flatnonzero(~(apart.min(axis=1) <= MAX_SQUARE_RATIO * wide))
            if len(far) and wide > 0:  # squares lose the difference between the centres
                ones, none = np.ones(centres.shape), np.zeros(centres.shape)
                found = relative_distances(x[far], centres, none, ones)
                out[np.asarray(some)[far]] = np.nan_to_num(found, nan=-np.inf).argmax(axis=1)


class TrackedRows:
    """Rows of one block while centres move, with their labels and bounds (Hamerly's algorithm).

    A row is compared again only if its nearest centre may have changed. The bounds save time and
    change no result.
    """

    def __init__(
        self, points: CodedPoints, weight: Array | None, size: float, grids: Array
    ) -> None:
        n, width = len(points), points.x.shape[1] + 1
        self.points, self.size, self.grids = points, size, grids
        self.weight = np.ones(n) if weight is None else np.ascontiguousarray(weight, np.float64)
        self.single, self.reach = np.empty((n, width), np.float32), np.empty(n)
        with np.errstate(over="ignore"):
            for here in tiles(n, width):
                points.write_singles(here, size, self.single[here], self.reach[here])
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
        self.centres, nearest = centres, NearestCentre(self.points, centres, self.size)
        with quiet_blas():
            for here in tiles(len(rows), self.single.shape[1]):
                self._compare(nearest, rows[here], fresh)
        return self.labels, self.sums

    def finish(self, centres: Array) -> tuple[Array, float]:
        """(n,) the nearest centre of every row, and the inertia."""
        labels, _ = self.follow(centres)
        return labels, float((self.weight * self.points.distances(labels, centres)).sum())

    def _compare(self, nearest: NearestCentre, rows: Array, fresh: bool) -> None:
        found, before = np.empty(len(rows), np.int32), self.labels[rows]
        here = slice(rows[0], rows[-1] + 1) if fresh else rows  # all rows, without a copy
        unsure = nearest.choose(self.single[here], self.reach[here], found)
        nearest.decide_exactly(rows[unsure], unsure, found)
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
    return np.asarray((way + most) * (1 + SAFETY))


@contextmanager
def quiet_blas() -> Iterator[None]:
    """BLAS on one thread, without warnings about numbers beyond single precision."""
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        yield


def grids_of(weight: float, squares: Array) -> Array:
    """(2, p + 1) grids for the sums of columns whose squares have these sums, and of the weights.

    A grid is the number that rounds to it where it is added and taken away. Its step is 2^-52 of
    the most that a sum can be, sqrt(W Σ x²), and that of the finer one 2^-19 of it, so that 2^34
    rows cannot overflow.
    """
    most = np.append(np.sqrt(weight) * np.sqrt(squares), weight) * (1 + SAFETY)
    coarse = 1.5 * 2.0 ** np.ceil(np.log2(np.maximum(most, 1e-280)))
    return np.stack([coarse, coarse * 2.0**-19])
