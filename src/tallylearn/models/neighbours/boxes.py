"""Boxes: rows halved again and again along their widest column; far boxes are never opened.

A k-d tree whose leaves lie in memory column by column, each in one piece. Every node knows the ends
of its columns, so that a query opens only boxes that may hold one of its k nearest (J. H. Friedman,
J. L. Bentley and R. A. Finkel, An algorithm for finding best matches in logarithmic expected time,
ACM Transactions on Mathematical Software 3, 1977).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.kernels import boxing, halving
from tallylearn.models.neighbours.distances import between, measure
from tallylearn.models.neighbours.query_parts import along_curve, in_parts
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest

WIDE = 8  # columns: from here on so many leaves are opened that larger ones are faster
QUERIES = 1024  # that are asked about at a time
ROOM = 16  # candidates a query may have, and 4 for each of its neighbours


@dataclass(frozen=True)
class Boxes:
    """Examples in the leaves of a tree, for Euclid's distance."""

    points: Array  # (m, d) as they are
    size: float  # a power of two that they are divided by where their squares would be lost
    leaves: Array  # (l, d, w) NaN where a leaf has fewer rows than others
    boxes: Array  # (2 l, 2, d) the ends of every node
    places: Array  # (l w,) which row stands where in the leaves

    @classmethod
    def of(cls, points: Array, leaf: int) -> Boxes:
        """Leaves of ``leaf`` to twice as many rows, or of twice these where many are opened."""
        m, size = len(points), measure(points)
        near = points if size == 1.0 else points / size
        levels = 0
        while m >> levels > (2 if points.shape[1] < WIDE else 4) * leaf:
            levels += 1
        order = np.arange(m, dtype=np.int64)
        halving.halve(near, levels, order)
        ends = (np.arange((1 << levels) + 1) * m) >> levels
        at = ends[:-1, None] + np.arange(np.diff(ends).max())
        there = at < ends[1:, None]
        places = order[np.minimum(at, m - 1)]
        leaves = np.where(there[:, None, :], near[places].transpose(0, 2, 1), np.nan)
        return cls(points, size, np.ascontiguousarray(leaves), _ends(leaves), places.ravel())

    def nearest(self, queries: Array, k: int) -> Nearest:
        """For every query the k nearest rows and those level with the k-th, by Euclid."""

        def find(asked: Array) -> Nearest:
            return in_parts(lambda part: self._nearest(asked[part], k), len(asked), QUERIES)

        return along_curve(find, queries)

    def _nearest(self, queries: Array, k: int) -> Nearest:
        whose, places = self._candidates(queries, k, ROOM + 4 * k)
        distances = between(self.points, places, queries, whose, "euclidean", 2.0)
        return Nearest.of(whose, places, distances, len(queries), k)

    def _candidates(self, queries: Array, k: int, room: int) -> tuple[Array, Array]:
        """Pairs of a query and a row that may be one of its nearest."""
        n, width = len(queries), max(64, self.leaves.shape[2])
        near = queries if self.size == 1.0 else queries / self.size
        found, scores = np.empty((n, room), np.int64), np.empty((n, room))
        best, number, work = np.full((n, k), np.inf), np.empty(n, np.int64), np.empty((3, width))
        boxing.search(self.leaves, self.boxes, near, work, best, found, scores, number)
        kept = np.arange(room) < number[:, None]
        whose = np.repeat(np.arange(n), np.maximum(number, 0))
        places = self.places[found[kept]]
        crowded = np.flatnonzero(number < 0)
        if len(crowded):  # many are equally near
            more, others = self._candidates(queries[crowded], k, 8 * room)
            whose, places = np.append(whose, crowded[more]), np.append(places, others)
        return whose, places


def _ends(leaves: Array) -> Array:
    """(2 l, 2, d) of all leaves, and of the nodes above them."""
    boxes = np.empty((2 * len(leaves), 2, leaves.shape[1]))
    below = np.stack([np.nanmin(leaves, axis=2), np.nanmax(leaves, axis=2)], axis=1)
    while True:
        boxes[len(below) : 2 * len(below)] = below
        if len(below) == 1:
            return boxes
        pairs = below.reshape(-1, 2, *below.shape[1:])
        below = np.stack([pairs[:, :, 0].min(axis=1), pairs[:, :, 1].max(axis=1)], axis=1)
