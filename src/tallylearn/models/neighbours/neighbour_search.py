"""Search: the nearest rows by a tree, a sieve, or a look at all of them, whichever is faster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tallylearn import cores
from tallylearn.blas import one_thread
from tallylearn.models.neighbours.distances import between, directions, power
from tallylearn.models.neighbours.found_neighbours import LEVEL, Found, arranged, joined
from tallylearn.models.neighbours.sieve import Sieve
from tallylearn.tables import Array

AT_ONCE = 1 << 22  # distances that are held at a time
TREE = 7  # columns: up to here a tree is faster than looking at all rows (benchmarks/)
ROUNDED = 1e-15  # cosines closer to 1 than this are 1
FEW = 128  # rows: below, looking at all of them is faster than anything


class Tree:
    """scipy's k-d tree, for few columns."""

    def __init__(self, points: Array, metric: str, p: float, leaf: int) -> None:
        from scipy.spatial import cKDTree

        self.points, self.metric, self.p = points, metric, p
        self.tree = cKDTree(points, leafsize=max(1, leaf))

    def nearest(self, queries: Array, k: int) -> Found:
        """The k nearest and those level with the k-th: a ball shows them where there are some."""
        m, n = len(self.points), len(queries)
        more = min(k + 1, m)
        p, threads = power(self.metric, self.p), cores.threads()
        _, rows = self.tree.query(queries, more, p=p, workers=threads)
        rows = rows.reshape(n, more)
        whose = np.repeat(np.arange(n), more)
        found = self._arranged(queries, whose, rows.ravel())
        if more > k:
            distances = found.distances.reshape(n, more)
            level = np.flatnonzero(distances[:, k] <= distances[:, k - 1] * (1 + LEVEL))
            if len(level):
                found = self._with_level(queries, found, level, distances[level, k - 1])
        return found.level(k)

    def _with_level(self, queries: Array, found: Found, level: Array, radius: Array) -> Found:
        p, threads = power(self.metric, self.p), cores.threads()
        wide = np.nextafter(radius * (1 + 4 * LEVEL), np.inf)
        balls = self.tree.query_ball_point(queries[level], wide, p=p, workers=threads)
        others = ~np.isin(found.queries, level)
        whose = np.concatenate(
            [found.queries[others], np.repeat(level, [len(ball) for ball in balls])]
        )
        rows = np.concatenate([found.rows[others], *(np.array(b, dtype=np.int64) for b in balls)])
        return self._arranged(queries, whose, rows)

    def _arranged(self, queries: Array, whose: Array, rows: Array) -> Found:
        distances = between(self.points[rows], queries[whose], self.metric, self.p)
        return arranged(whose, rows, distances, len(queries))


class Scan:
    """All distances, some queries at a time."""

    def __init__(self, m: int, distances: Callable[[slice], Array]) -> None:
        self.m, self.distances = m, distances  # of some queries to all m examples

    def nearest(self, n: int, k: int) -> Found:
        """For each of n queries the k nearest and those level with the k-th."""
        return joined([self._of(part, k) for part in runs(n, self.m)])

    def _of(self, part: slice, k: int) -> Found:
        distances = self.distances(part)
        if k < self.m:
            limit = np.partition(distances, k - 1, axis=1)[:, k - 1, None] * (1 + 2 * LEVEL)
            whose, rows = np.nonzero(distances <= limit)
        else:
            whose, rows = (at.ravel() for at in np.indices(distances.shape))
        found = arranged(whose, rows, distances[whose, rows], len(distances))
        return found.level(k)


def runs(n: int, m: int) -> Iterator[slice]:
    """The queries in runs whose distances to m rows fit in memory."""
    size = max(1, AT_ONCE // max(1, m))
    return (slice(at, min(at + size, n)) for at in range(0, n, size))


def finder(points: Array, metric: str, p: float, algorithm: str, leaf: int) -> Any:
    """What finds neighbours among these points: has ``nearest(queries, k)``."""
    m, d = points.shape
    able = metric != "cosine"
    if able and (algorithm == "tree" or (algorithm == "auto" and d <= TREE and m >= FEW)):
        return Tree(points, metric, p, leaf)
    if metric == "euclidean" and m >= FEW:
        return Sieve.of(points)
    return Everything(points, metric, p)


class Everything:
    """Looks at all examples, for metrics or tables that nothing else is faster for."""

    def __init__(self, points: Array, metric: str, p: float) -> None:
        self.points = directions(points) if metric == "cosine" else points
        self.metric, self.p = metric, p

    def nearest(self, queries: Array, k: int) -> Found:
        """For every query the k nearest and those level with the k-th."""
        asked = directions(queries) if self.metric == "cosine" else queries
        return Scan(len(self.points), lambda part: self._between(asked[part])).nearest(
            len(queries), k
        )

    def _between(self, queries: Array) -> Array:
        if self.metric == "cosine":
            with one_thread():
                apart = 1 - queries @ self.points.T
            return np.where(apart < ROUNDED, 0.0, apart)
        from scipy.spatial.distance import cdist

        name = {"manhattan": "cityblock"}.get(self.metric, self.metric)
        told = {"p": self.p} if name == "minkowski" else {}
        return np.asarray(cdist(queries, self.points, name, **told))
