"""Which search finds the nearest neighbours, by metric, number of columns and number of rows.

| metric | table | search |
|---|---|---|
| Euclidean | up to 12 columns, or ``algorithm="kd_tree"`` | `KDTree` (`kd_tree.py`) |
| Euclidean | more columns, 128 rows or more | `MatrixSearch` (`matrix_search.py`) |
| cosine | any | `CosineSearch`: Euclidean, of rows of length one |
| Manhattan, Chebyshev, Minkowski | up to 7 columns, 128 rows or more | `SciPyKDTree` |
| Gower | any | `GowerSearch` (`gower_search.py`), chosen by `Examples` |
| any but Gower | all other tables, or ``algorithm="brute"`` and not Euclidean | `BruteForce` |

All return the same neighbours: every search finds candidates in whatever precision is fast, with a
bound on its error, and computes the distances of the candidates once more in double precision. The
limits were measured (benchmarks/bench_neighbours.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.models.neighbors.brute_force import BruteForce
from tallylearn.models.neighbors.distances import minkowski_power, normalise_rows, pair_distances
from tallylearn.models.neighbors.kd_tree import KDTree
from tallylearn.models.neighbors.matrix_search import MatrixSearch
from tallylearn.models.neighbors.query_batches import search_along_curve
from tallylearn.runtime import cpu_count
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest, tie_limit

MAX_KD_TREE_COLUMNS = 12  # up to here a k-d tree is faster than products of matrices
MAX_SCIPY_TREE_COLUMNS = 7  # up to here SciPy's k-d tree is faster than brute force
EQUAL_DIRECTIONS = 1e-31  # a smaller squared difference, a column, is rounding of unit vectors
MIN_INDEXED_ROWS = 128  # below, brute force is faster than building anything


class SciPyKDTree:
    """SciPy's k-d tree, for few columns and Minkowski metrics other than the Euclidean."""

    def __init__(self, points: Array, metric: str, p: float, leaf: int) -> None:
        from scipy.spatial import cKDTree

        self.points, self.metric, self.p = points, metric, p
        self.tree = cKDTree(points, leafsize=max(1, leaf))

    def nearest(self, queries: Array, k: int) -> Nearest:
        """For every query the k nearest and those tied with the k-th."""
        return search_along_curve(lambda asked: self._nearest(asked, k), queries)

    def _nearest(self, queries: Array, k: int) -> Nearest:
        """The k nearest and one more; a ball shows those that are level, where there are some."""
        m, n = len(self.points), len(queries)
        more = min(k + 1, m)
        p, threads = minkowski_power(self.metric, self.p), cpu_count.thread_limit()
        rows = self.tree.query(queries, more, p=p, workers=threads)[1].ravel()
        whose = np.repeat(np.arange(n), more)
        if (rows == m).any():  # distances beyond a double
            return BruteForce(self.points, self.metric, self.p).nearest(queries, k)
        apart = pair_distances(
            self.points, rows, queries=queries, whose=whose, metric=self.metric, p=self.p
        )
        if more > k:
            rising = np.sort(apart.reshape(n, more), axis=1)
            level = np.flatnonzero(rising[:, k] <= tie_limit(rising[:, k - 1]))
            if len(level):
                others = ~np.isin(whose, level)
                return self._with_level(
                    queries,
                    k,
                    whose=whose[others],
                    rows=rows[others],
                    level=level,
                    radius=rising[level, k - 1],
                )
        return Nearest.of(whose, rows, apart, n, k)

    def _with_level(
        self, queries: Array, k: int, whose: Array, rows: Array, level: Array, radius: Array
    ) -> Nearest:
        """The same, but for some queries all rows within a ball."""
        p, threads = minkowski_power(self.metric, self.p), cpu_count.thread_limit()
        wide = np.nextafter(tie_limit(radius, 4), np.inf)
        balls = self.tree.query_ball_point(queries[level], wide, p=p, workers=threads)
        whose = np.concatenate([whose, np.repeat(level, [len(ball) for ball in balls])])
        rows = np.concatenate([rows, *(np.array(ball, dtype=np.int64) for ball in balls)])
        apart = pair_distances(
            self.points, rows, queries=queries, whose=whose, metric=self.metric, p=self.p
        )
        return Nearest.of(whose, rows, apart, len(queries), k)


def choose_search(points: Array, metric: str, p: float, algorithm: str, leaf: int) -> Any:
    """The search for these points; it has ``nearest(queries, k)``. The table above says which."""
    m, d = points.shape
    if metric == "cosine":
        return CosineSearch(points, algorithm, leaf)
    if metric == "euclidean" and (
        algorithm == "tree" or (algorithm == "auto" and d <= MAX_KD_TREE_COLUMNS)
    ):
        return KDTree.of(points)
    if algorithm == "tree" or (
        algorithm == "auto" and d <= MAX_SCIPY_TREE_COLUMNS and m >= MIN_INDEXED_ROWS
    ):
        return SciPyKDTree(points, metric, p, leaf)
    if metric == "euclidean" and m >= MIN_INDEXED_ROWS:
        return MatrixSearch.of(points)
    return BruteForce(points, metric, p)


class CosineSearch:
    """Nearest by the cosine distance: 1 - cos(x, z) = |u - v|² / 2 for u and v of length one."""

    def __init__(self, points: Array, algorithm: str, leaf: int) -> None:
        self.search = choose_search(_unit_vectors(points, 0), "euclidean", 2.0, algorithm, leaf)

    def nearest(self, queries: Array, k: int) -> Nearest:
        """For every query the k nearest and those tied with the k-th."""
        found = self.search.nearest(_unit_vectors(queries, 1), k)
        apart = found.distances**2 / 2
        apart[apart < EQUAL_DIRECTIONS * queries.shape[1]] = 0.0
        return Nearest.of(found.queries, found.rows, apart, len(queries), k)


def _unit_vectors(points: Array, own: int) -> Array:
    """Rows of length one; zeros, which have no direction, lie across all others, at distance 1."""
    out = np.zeros((len(points), points.shape[1] + 2))
    out[:, :-2] = normalise_rows(points)
    out[:, own - 2] = ~(points != 0).any(axis=1)
    return out
