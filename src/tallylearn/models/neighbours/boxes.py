"""Boxes: rows halved again and again along their widest column; far boxes are never opened.

A k-d tree whose leaves lie in memory column by column, each in one piece. Every node knows the ends
of its columns, so that a query opens only boxes that may hold one of its k nearest (J. H. Friedman,
J. L. Bentley and R. A. Finkel, An algorithm for finding best matches in logarithmic expected time,
ACM Transactions on Mathematical Software 3, 1977).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.kernels import boxing, halving
from tallylearn.models.neighbours.distances import between, measure
from tallylearn.models.neighbours.query_parts import along_curve, in_parts
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest

WIDE = 8  # columns: from here on so many leaves are opened that larger ones are faster
QUERIES = 256, 4096  # that are asked about at a time: at least, and at most
SQUARES = 1e-280, 1e300  # sums of squares that have lost no digits
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
            each = -(-len(asked) // (2 * engines.here().number))  # so that all threads have some
            size = max(QUERIES[0], min(each, QUERIES[1]))
            return in_parts(lambda part: self._nearest(asked[part], k), len(asked), size)

        return along_curve(find, queries)

    def _nearest(self, queries: Array, k: int) -> Nearest:
        whose, rows, squares = self._candidates(queries, k, ROOM + 4 * k)
        distances = np.sqrt(squares)  # the sums that ``between`` takes, bit by bit
        lost = np.flatnonzero(~((squares > SQUARES[0]) & (squares < SQUARES[1])))
        if self.size != 1.0 or len(lost):
            at = lost if self.size == 1.0 else np.arange(len(rows))
            distances[at] = between(self.points, rows[at], queries, whose[at], "euclidean", 2.0)
        return Nearest.of(whose, rows, distances, len(queries), k)

    def _candidates(self, queries: Array, k: int, room: int) -> tuple[Array, Array, Array]:
        """Queries and rows that may be one of their nearest, and their squared distances."""
        n, width = len(queries), max(64, self.leaves.shape[2])
        near = queries if self.size == 1.0 else queries / self.size
        found, scores = np.empty((n, room), np.int64), np.empty((n, room))
        best, number, work = np.full((n, k), np.inf), np.empty(n, np.int64), np.empty((3, width))
        boxing.search(self.leaves, self.boxes, near, work, best, found, scores, number)
        whose = np.repeat(np.arange(n), np.maximum(number, 0))
        even = (number == k).all()
        kept: Any = (slice(None), slice(k)) if even else np.arange(room) < number[:, None]
        rows, squares = self.places[found[kept].ravel()], scores[kept].ravel()
        crowded = np.flatnonzero(number < 0)
        if not len(crowded):
            return whose, rows, squares
        more, *others = self._candidates(queries[crowded], k, 8 * room)  # many are equally near
        parts = (whose, crowded[more]), (rows, others[0]), (squares, others[1])
        whose, rows, squares = (np.concatenate(pair) for pair in parts)
        return whose, rows, squares


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
