"""Search: the nearest rows by a tree, a sieve, or a look at all of them, whichever is faster."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.models.neighbors.brute_force import Scan
from tallylearn.models.neighbors.distances import between, directions, power
from tallylearn.models.neighbors.kd_tree import Boxes
from tallylearn.models.neighbors.matrix_search import Sieve
from tallylearn.models.neighbors.query_batches import along_curve
from tallylearn.runtime import cpu_count
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest, beyond

BOXES = 12  # columns: up to here boxes are faster than the sieve (benchmarks/)
TREE = 7  # columns: up to here a tree is faster than looking at all rows
ROUNDED = 1e-31  # directions are equal that differ by less, squared and for each column
FEW = 128  # rows: below, looking at all of them is faster than anything


class Tree:
    """scipy's k-d tree, for few columns and all distances but Euclid's."""

    def __init__(self, points: Array, metric: str, p: float, leaf: int) -> None:
        from scipy.spatial import cKDTree

        self.points, self.metric, self.p = points, metric, p
        self.tree = cKDTree(points, leafsize=max(1, leaf))

    def nearest(self, queries: Array, k: int) -> Nearest:
        """For every query the k nearest and those level with the k-th."""
        return along_curve(lambda asked: self._nearest(asked, k), queries)

    def _nearest(self, queries: Array, k: int) -> Nearest:
        """The k nearest and one more; a ball shows those that are level, where there are some."""
        m, n = len(self.points), len(queries)
        more = min(k + 1, m)
        p, threads = power(self.metric, self.p), cpu_count.thread_limit()
        rows = self.tree.query(queries, more, p=p, workers=threads)[1].ravel()
        whose = np.repeat(np.arange(n), more)
        if (rows == m).any():  # distances beyond a double
            return Everything(self.points, self.metric, self.p).nearest(queries, k)
        apart = between(self.points, rows, queries, whose, self.metric, self.p)
        if more > k:
            rising = np.sort(apart.reshape(n, more), axis=1)
            level = np.flatnonzero(rising[:, k] <= beyond(rising[:, k - 1]))
            if len(level):
                others = ~np.isin(whose, level)
                return self._with_level(
                    queries, k, whose[others], rows[others], level, rising[level, k - 1]
                )
        return Nearest.of(whose, rows, apart, n, k)

    def _with_level(
        self, queries: Array, k: int, whose: Array, rows: Array, level: Array, radius: Array
    ) -> Nearest:
        """The same, but for some queries all rows within a ball."""
        p, threads = power(self.metric, self.p), cpu_count.thread_limit()
        wide = np.nextafter(beyond(radius, 4), np.inf)
        balls = self.tree.query_ball_point(queries[level], wide, p=p, workers=threads)
        whose = np.concatenate([whose, np.repeat(level, [len(ball) for ball in balls])])
        rows = np.concatenate([rows, *(np.array(ball, dtype=np.int64) for ball in balls)])
        apart = between(self.points, rows, queries, whose, self.metric, self.p)
        return Nearest.of(whose, rows, apart, len(queries), k)


def finder(points: Array, metric: str, p: float, algorithm: str, leaf: int) -> Any:
    """What finds neighbours among these points: has ``nearest(queries, k)``."""
    m, d = points.shape
    if metric == "cosine":
        return Directions(points, algorithm, leaf)
    if metric == "euclidean" and (algorithm == "tree" or (algorithm == "auto" and d <= BOXES)):
        return Boxes.of(points)
    if algorithm == "tree" or (algorithm == "auto" and d <= TREE and m >= FEW):
        return Tree(points, metric, p, leaf)
    if metric == "euclidean" and m >= FEW:
        return Sieve.of(points)
    return Everything(points, metric, p)


class Directions:
    """Rows by the angle between them: 1 - cos(x, z) = |u - v|² / 2 for u and v of length one."""

    def __init__(self, points: Array, algorithm: str, leaf: int) -> None:
        self.finder = finder(_turned(points, 0), "euclidean", 2.0, algorithm, leaf)

    def nearest(self, queries: Array, k: int) -> Nearest:
        """For every query the k nearest and those level with the k-th."""
        found = self.finder.nearest(_turned(queries, 1), k)
        apart = found.distances**2 / 2
        apart[apart < ROUNDED * queries.shape[1]] = 0.0
        return Nearest.of(found.queries, found.rows, apart, len(queries), k)


def _turned(points: Array, own: int) -> Array:
    """Rows of length one; zeros, which have no direction, lie across all others, at distance 1."""
    out = np.zeros((len(points), points.shape[1] + 2))
    out[:, :-2] = directions(points)
    out[:, own - 2] = ~(points != 0).any(axis=1)
    return out


class Everything:
    """Looks at all examples, for metrics or tables that nothing else is faster for."""

    def __init__(self, points: Array, metric: str, p: float) -> None:
        self.points, self.metric, self.p = points, metric, p

    def nearest(self, queries: Array, k: int) -> Nearest:
        """For every query the k nearest and those level with the k-th."""

        def exact(rows: Array, whose: Array) -> Array:
            return between(self.points, rows, queries, whose, self.metric, self.p)

        return Scan(len(self.points), lambda part: self._between(queries[part]), exact).nearest(
            len(queries), k
        )

    def _between(self, queries: Array) -> Array:
        from scipy.spatial.distance import cdist

        name = {"manhattan": "cityblock"}.get(self.metric, self.metric)
        told = {"p": self.p} if name == "minkowski" else {}
        with np.errstate(all="ignore"):
            return np.asarray(cdist(queries, self.points, name, **told))
