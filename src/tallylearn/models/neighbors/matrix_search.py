"""Nearest neighbours by products of matrices in single precision, with a bound on their error.

|x - z|² = |x|² - 2 x·z + |z|². Products of rows centred on their mean give the distances of a tile
of queries to all rows. The error of a score is bounded, so a row whose score is beyond the k-th
least by more than twice the bound is none of the k nearest. The few others are compared in double
precision, by their differences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tallylearn.kernels import top_k
from tallylearn.models.neighbors.brute_force import DistanceScan
from tallylearn.models.neighbors.distances import extreme_scale, pair_distances
from tallylearn.models.neighbors.query_batches import batches, search_in_batches
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array
from tallylearn.tallies.nearest import TIE_TOLERANCE, Nearest

TILE_QUERIES, TILE_ROWS = 256, 1024  # its scores, 1 MB, stay in the processor's cache
ROUNDOFF = 2.0**-24  # unit roundoff of single precision
EXTRA_CANDIDATES = 64  # a query has room for so many and 16 k; beyond, all rows are compared


@dataclass(frozen=True)
class MatrixSearch:
    """Examples as single-precision rows, their squared lengths as a last column."""

    points: Array  # (m, d) as they are
    centre: Array  # (d,)
    scale: float  # a power of two that takes the longest row to about 1
    rows: Array  # (m, d + 1) float32

    @classmethod
    def of(cls, points: Array) -> MatrixSearch:
        """Centred on their mean, and scaled: singles neither overflow nor vanish."""
        centre = points.mean(axis=0)
        moved = points - centre
        size = extreme_scale(moved)
        moved *= 1 / size
        longest = np.sqrt(np.einsum("ij,ij->i", moved, moved).max(initial=0.0))
        shrunk = 2.0 ** -np.ceil(np.log2(longest)) if 0 < longest < np.inf else 1.0
        rows = np.empty((len(points), points.shape[1] + 1), dtype=np.float32)
        moved *= shrunk
        scale = shrunk / size
        rows[:, :-1] = moved
        rows[:, -1] = np.einsum("ij,ij->i", moved, moved)
        return cls(points, centre, float(scale), rows)

    def nearest(self, queries: Array, k: int) -> Nearest:
        """For every query the k nearest rows and those tied with the k-th."""
        with one_thread():
            return search_in_batches(
                lambda part: self._nearest(queries[part], k), len(queries), TILE_QUERIES
            )

    def _nearest(self, queries: Array, k: int) -> Nearest:
        left, margin = self._factors(queries)
        margin[~np.isfinite(left).all(axis=1)] = np.inf

        def score(rows: slice, out: Array) -> None:
            with np.errstate(all="ignore"):  # queries that singles cannot hold are found otherwise
                np.matmul(left, self.rows[rows].T, out=out)

        def exact(rows: Array, whose: Array) -> Array:
            return pair_distances(
                self.points, rows, queries=queries, whose=whose, metric="euclidean", p=2.0
            )

        return search_by_scores(score, exact, len(self.rows), margin, k)

    def _factors(self, queries: Array) -> tuple[Array, Array]:
        """Queries as (-2 x, 1), and twice the most by which a score can be wrong.

        A score is a sum of d + 1 products, each of factors that were rounded: it is off by at most
        (d + 4) units of 2 |x| |z| + |z|²; four more are for the sum with the margin, for centring,
        and for what is left out here (N. J. Higham, Accuracy and Stability of Numerical Algorithms,
        2002, section 3.1).
        """
        moved = (queries - self.centre) * self.scale
        with np.errstate(over="ignore", invalid="ignore"):
            length = np.sqrt(np.einsum("ij,ij->i", moved, moved))
            wrong = (moved.shape[1] + 8) * ROUNDOFF * (2 * length + 1)  # no row is longer than 1
            left = np.ones((len(queries), moved.shape[1] + 1), dtype=np.float32)
            left[:, :-1] = -2 * moved
            level = 8 * TIE_TOLERANCE * (length + 1) ** 2  # of a query far away all rows are level
            return left, (2 * wrong + level).astype(np.float32)


def search_by_scores(
    score: Callable[[slice, Array], None],
    exact: Callable[[Array, Array], Array],
    m: int,
    margin: Array,
    k: int,
) -> Nearest:
    """The k nearest of m rows to every query, and those tied with the k-th.

    ``score`` writes about how far some rows are from all queries. What is within the margin of a
    query's k-th least is worked out by ``exact``, from rows and the queries they are compared with.
    """
    n, room = len(margin), EXTRA_CANDIDATES + 16 * k
    found, scores = np.zeros((n, room), np.int64), np.zeros((n, room), np.float32)
    best, number = np.full((n, k), np.inf, np.float32), np.zeros(n, np.int64)
    number[~np.isfinite(margin)] = -1
    tile = np.empty((n, TILE_ROWS), np.float32)
    for rows in batches(m, TILE_ROWS):
        check_halted()
        width = rows.stop - rows.start
        out = tile if width == TILE_ROWS else np.empty((n, width), np.float32)
        score(rows, out)
        top_k.sift(out, rows.start, margin, best, found, scores, number)
    kept = (scores <= (best[:, -1] + margin)[:, None]) & (np.arange(room) < number[:, None])
    whose, places = np.repeat(np.arange(n), kept.sum(axis=1)), found[kept]
    near = Nearest.of(whose, places, exact(places, whose), n, k)
    crowded = np.flatnonzero(number < 0)  # so many are so near that all are looked at
    return near + _search_all_rows(crowded, exact, m, n, k) if len(crowded) else near


def _search_all_rows(
    crowded: Array, exact: Callable[[Array, Array], Array], m: int, n: int, k: int
) -> Nearest:
    """The same of some queries, by a look at all rows."""

    def every(part: slice) -> Array:
        whose = np.repeat(crowded[part], m)
        return exact(np.tile(np.arange(m), len(crowded[part])), whose).reshape(-1, m)

    found = DistanceScan(m, every, lambda rows, whose: exact(rows, crowded[whose])).nearest(
        len(crowded), k
    )
    return Nearest.of(crowded[found.queries], found.rows, found.distances, n, k)
