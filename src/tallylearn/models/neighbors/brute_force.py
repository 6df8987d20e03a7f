"""Brute-force search: all distances, some queries at a time, and the nearest in full precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tallylearn.models.neighbors.distances import distance_matrix, pair_distances
from tallylearn.models.neighbors.query_batches import search_in_batches
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest, tie_limit

MAX_DISTANCES = 1 << 22  # in memory at a time: 32 MB
MIN_EXACT_DISTANCE = 1e-140  # smaller ones are roots of squares that have lost their digits


@dataclass(frozen=True)
class DistanceScan:
    """The nearest of m rows by all distances; ``exact`` computes the few that matter again."""

    m: int
    distances: Callable[[slice], Array]  # (n, m) of some queries, up to rounding
    exact: Callable[[Array, Array], Array]  # (c,) of rows and of the queries they are compared with

    def nearest(self, n: int, k: int) -> Nearest:
        """For each of n queries the k nearest rows and those tied with the k-th."""
        size = max(1, MAX_DISTANCES // max(1, self.m))
        return search_in_batches(lambda part: self._nearest(part, k), n, size)

    def _nearest(self, part: slice, k: int) -> Nearest:
        distances = self.distances(part)
        if k < self.m:
            limit = tie_limit(np.partition(distances, k - 1, axis=1)[:, k - 1, None], 4)
            limit = np.maximum(limit, MIN_EXACT_DISTANCE)
            whose, rows = np.array(np.nonzero(distances <= limit))
        else:
            whose, rows = (at.ravel() for at in np.indices(distances.shape))
        return Nearest.of(whose, rows, self.exact(rows, whose + part.start), len(distances), k)


class BruteForce:
    """Compares queries with all rows, for tables and metrics for which nothing is faster."""

    def __init__(self, points: Array, metric: str, p: float) -> None:
        self.points, self.metric, self.p = points, metric, p

    def nearest(self, queries: Array, k: int) -> Nearest:
        """For every query the k nearest rows and those tied with the k-th."""

        def distances(part: slice) -> Array:
            with np.errstate(all="ignore"):
                return distance_matrix(queries[part], self.points, self.metric, self.p)

        def exact(rows: Array, whose: Array) -> Array:
            return pair_distances(self.points, rows, queries, whose, metric=self.metric, p=self.p)

        return DistanceScan(len(self.points), distances, exact).nearest(len(queries), k)
