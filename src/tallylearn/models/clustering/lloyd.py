"""Lloyd's algorithm: assign every row to its nearest centre, move every centre to its mean.

The inertia J = Σ w |x - c(x)|², the weighted squared distances of rows to their nearest centre,
never rises. The loop ends when the centres move less than a tolerance.

S. Lloyd, Least squares quantization in PCM, IEEE Transactions on Information Theory 28, 1982.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.models.clustering.coded_rows import Coding
from tallylearn.models.clustering.nearest_centres import CodedPoints, TrackedRows, grids_of
from tallylearn.models.neighbors.distances import power_of_two
from tallylearn.tables import Array, Block

MIN_WEIGHT = 1e-250  # of all rows together: sums of smaller weights lose digits


@dataclass(frozen=True)
class ClusterSums:
    """Weighted sums of the rows of every cluster; and, if sought, the rows farthest from theirs."""

    parts: Array  # (2, k, p + 1) whole steps of two grids; the last column counts the weights
    farthest: Array | None = None  # (m, 3 + p) squared distance, centre, weight, row; descending

    @classmethod
    def of(cls, rows: TrackedRows, centres: Array, seek_farthest: bool = False) -> ClusterSums:
        """Assign rows to their nearest centre, and sum them up."""
        labels, parts = rows.follow(centres)
        return cls(parts.copy(), _farthest_rows(rows, labels, centres) if seek_farthest else None)

    def __add__(self, other: ClusterSums) -> ClusterSums:
        farthest = None
        if self.farthest is not None and other.farthest is not None:
            both = np.vstack([self.farthest, other.farthest])
            farthest = _sort_farthest(both)[: self.parts.shape[1]]
        return ClusterSums(self.parts + other.parts, farthest)

    @property
    def sums(self) -> Array:
        """(k, p + 1) of the rows, and of their weights."""
        return np.asarray(self.parts.sum(axis=0))

    @property
    def has_empty_cluster(self) -> bool:
        return bool((self.sums[:, -1] == 0).any())

    def inertia(self, centres: Array, squares: float) -> float:
        """J = Σ w |x|² + Σ_c W_c |c|² - 2 Σ_c c · Σ w x, for the centres of the assignment.

        ``squares`` is the first sum, over all rows.
        """
        sums = self.sums
        counts = sums[:, -1] @ np.einsum("ij,ij->i", centres, centres)
        return max(0.0, float(squares + counts - 2 * (centres * sums[:, :-1]).sum()))

    def means(self, centres: Array) -> Array:
        """(k, p) the means of the clusters.

        An empty cluster takes the row that is farthest from its centre, as in scikit-learn; if no
        row is left for it, its centre stays.
        """
        sums = self.sums
        farthest = () if self.farthest is None else self.farthest
        empty = np.flatnonzero(sums[:, -1] == 0)
        for c, (square, label, weight, *row) in zip(empty, farthest, strict=False):
            if square == 0:
                break
            moved = weight * np.array([*row, 1.0])
            sums[int(label)] -= moved
            sums[c] = moved
        some = sums[:, -1:] > 0
        return np.where(some, sums[:, :-1] / np.where(some, sums[:, -1:], 1.0), centres)


def _farthest_rows(rows: TrackedRows, labels: Array, centres: Array) -> Array:
    """The k rows farthest from their centre: no more than k clusters can be empty."""
    squares, k = rows.points.distances(labels, centres), len(centres)
    n = len(squares)
    some = np.argpartition(squares, n - k)[-k:] if n > k else np.arange(n)
    columns = [squares[some], labels[some], rows.weight[some], rows.points.at(some)]
    return _sort_farthest(np.column_stack(columns))


def _sort_farthest(farthest: Array) -> Array:
    """Descending by distance; equal ones by what they hold, whatever order they came in."""
    return farthest[np.lexsort((*farthest.T[:0:-1], -farthest[:, 0]))]


@dataclass(frozen=True)
class PointSums:
    """The weight of all rows, and the weighted sums of the squares of their columns."""

    weight: float
    squares: Array  # (p,)

    def check(self) -> None:
        """Raise an InputError if doubles cannot hold sums of these."""
        if not (self.weight >= MIN_WEIGHT and np.isfinite([self.weight, *self.squares]).all()):
            raise InputError(
                f"the row weights sum to {self.weight:g}, so that weighted sums of squares are "
                "outside the range of a double. Divide all weights by the maximum."
            )

    def track(self, points: CodedPoints, weight: Array | None) -> TrackedRows:
        """Rows that remember their cluster from one iteration to the next."""
        self.check()
        scale = 1 / power_of_two(float(np.sqrt((self.squares / self.weight).max(initial=0.0))))
        return TrackedRows(points, weight, scale, grids_of(self.weight, self.squares))


def track_block(block: Block, coding: Coding, sums: PointSums) -> TrackedRows:
    """The rows of a block as points that remember their cluster."""
    return sums.track(CodedPoints.of(coding, block), block.weight)


def lloyd(
    total: Callable[[Callable[[TrackedRows], ClusterSums]], ClusterSums],
    centres: Array,
    squares: float,
    *,
    tolerance: float = 0.0,
    max_iter: int = 300,
    verbose: bool = False,
) -> tuple[Array, list[float]]:
    """Minimise the inertia from some centres (k, p) on.

    Parameters
    ----------
    total : callable
        Sums a call up over all rows: ``Passes.total``.
    squares : float
        Σ w |x|² over all rows.
    tolerance : float
        The loop ends when Σ |c_new - c|², over all centres, is not larger.

    Returns
    -------
    centres : (k, p) array
    trace : list of float
        The inertia before every update; its length is the number of iterations.
    """
    trace: list[float] = []
    while True:
        with engines.report_stage(f"round {len(trace) + 1}"):
            clusters = total(partial(ClusterSums.of, centres=centres))  # assignment
            if clusters.has_empty_cluster:
                seek = partial(ClusterSums.of, centres=centres, seek_farthest=True)
                clusters = total(seek)
        trace.append(clusters.inertia(centres, squares))
        if verbose:
            print(f"round {len(trace)}: inertia {trace[-1]:.6g}")
        moved = clusters.means(centres)  # update
        movement = float(((moved - centres) ** 2).sum())
        centres = moved
        if movement <= tolerance or len(trace) >= max_iter:
            return centres, trace


def lloyd_in_memory(
    points: CodedPoints,
    weight: Array,
    centres: Array,
    *,
    tolerance: float = 0.0,
    max_iter: int = 300,
) -> tuple[Array, float]:
    """The centres (k, p) of points in memory, and their inertia."""
    x = points.at(...)
    sums = PointSums(float(weight.sum()), np.einsum("ij,ij,i->j", x, x, weight))
    rows, squares = sums.track(points, weight), float(sums.squares.sum())
    centres, _ = lloyd(
        lambda call: call(rows), centres, squares, tolerance=tolerance, max_iter=max_iter
    )
    return centres, ClusterSums.of(rows, centres).inertia(centres, squares)
