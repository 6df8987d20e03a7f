"""Search: the nearest rows by a tree, a sieve, or a look at all of them, whichever is faster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tallylearn import cores
from tallylearn.models.neighbours.distances import between, directions, power
from tallylearn.models.neighbours.sieve import Sieve
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest, beyond, joined

AT_ONCE = 1 << 22  # distances that are held at a time
TREE = 7  # columns: up to here a tree is faster than looking at all rows (benchmarks/)
ROUNDED = 1e-31  # directions are equal that differ by less, squared and for each column
MANY = 1000  # queries: from here on a tree is asked about neighbours one after the other
FINE = 32  # cells of the curve along every column
FEW = 128  # rows: below, looking at all of them is faster than anything


class Tree:
    """scipy's k-d tree, for few columns."""

    def __init__(self, points: Array, metric: str, p: float, leaf: int) -> None:
        from scipy.spatial import cKDTree

        self.points, self.metric, self.p = points, metric, p
        self.tree = cKDTree(points, leafsize=max(1, leaf))

    def nearest(self, queries: Array, k: int) -> Nearest:
        """The k nearest and those level with the k-th: a ball shows them where there are some."""
        m, n = len(self.points), len(queries)
        more = min(k + 1, m)
        p, threads = power(self.metric, self.p), cores.threads()
        order = curve(queries) if n >= MANY else slice(None)
        rows: Array = np.empty((n, more), dtype=np.int64)
        rows[order] = self.tree.query(queries[order], more, p=p, workers=threads)[1].reshape(
            n, more
        )
        whose, rows = np.repeat(np.arange(n), more), rows.ravel()
        if (rows == m).any():  # distances beyond a double
            return Everything(self.points, self.metric, self.p).nearest(queries, k)
        apart = between(self.points[rows], queries[whose], self.metric, self.p)
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
        p, threads = power(self.metric, self.p), cores.threads()
        wide = np.nextafter(beyond(radius, 4), np.inf)
        balls = self.tree.query_ball_point(queries[level], wide, p=p, workers=threads)
        whose = np.concatenate([whose, np.repeat(level, [len(ball) for ball in balls])])
        rows = np.concatenate([rows, *(np.array(ball, dtype=np.int64) for ball in balls)])
        apart = between(self.points[rows], queries[whose], self.metric, self.p)
        return Nearest.of(whose, rows, apart, len(queries), k)


def curve(queries: Array) -> Array:
    """The queries along Morton's curve, on which each is near the next.

    One that is near the one before asks the same leaves, which are in the processor's cache: twice
    as fast at five columns. The answers are the same in any order.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        low, high = np.quantile(queries, [0.02, 0.98], axis=0)
        cell = np.nan_to_num((queries - low) / (high - low) * FINE)
    cell = np.clip(cell, 0, FINE - 1).astype(np.int64)
    key = np.zeros(len(queries), dtype=np.int64)
    for bit in range(FINE.bit_length() - 2, -1, -1):
        for column in cell.T[:TREE]:
            key = (key << 1) | ((column >> bit) & 1)
    return np.argsort(key, kind="stable")


class Scan:
    """All distances, some queries at a time."""

    def __init__(self, m: int, distances: Callable[[slice], Array]) -> None:
        self.m, self.distances = m, distances  # of some queries to all m examples

    def nearest(self, n: int, k: int) -> Nearest:
        """For each of n queries the k nearest and those level with the k-th."""
        return joined([self._of(part, k) for part in runs(n, self.m)])

    def _of(self, part: slice, k: int) -> Nearest:
        distances = self.distances(part)
        if k < self.m:
            limit = beyond(np.partition(distances, k - 1, axis=1)[:, k - 1, None], 2)
            whose, rows = np.nonzero(distances <= limit)
        else:
            whose, rows = (at.ravel() for at in np.indices(distances.shape))
        return Nearest.of(whose, rows, distances[whose, rows], len(distances), k)


def runs(n: int, m: int) -> Iterator[slice]:
    """The queries in runs whose distances to m rows fit in memory."""
    size = max(1, AT_ONCE // max(1, m))
    return (slice(at, min(at + size, n)) for at in range(0, n, size))


def finder(points: Array, metric: str, p: float, algorithm: str, leaf: int) -> Any:
    """What finds neighbours among these points: has ``nearest(queries, k)``."""
    m, d = points.shape
    if metric == "cosine":
        return Directions(points, algorithm, leaf)
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
        return Scan(len(self.points), lambda part: self._between(queries[part])).nearest(
            len(queries), k
        )

    def _between(self, queries: Array) -> Array:
        from scipy.spatial.distance import cdist

        name = {"manhattan": "cityblock"}.get(self.metric, self.metric)
        told = {"p": self.p} if name == "minkowski" else {}
        return np.asarray(cdist(queries, self.points, name, **told))
