"""A k-d tree for Euclidean nearest neighbours, by the kernels kd_tree_build and kd_tree_query.

Rows are halved at the median of their widest column, down to leaves of 32 rows. Up to 32 leaves are
a group; the rows of a leaf, and the bounds of the leaves of a group, lie in memory column by
column, in single precision, so that 32 are compared with a query by vector instructions. A query
opens only nodes whose bounding box may hold one of its k nearest. SciPy's cKDTree in its place
would save 570 lines and take 2 to 4 times as long.

J. H. Friedman, J. L. Bentley and R. A. Finkel, An algorithm for finding best matches in logarithmic
expected time, ACM Transactions on Mathematical Software 3, 1977.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.kernels import kd_tree_build, kd_tree_query
from tallylearn.models.neighbors.distances import extreme_scale, pair_distances
from tallylearn.models.neighbors.query_batches import search_along_curve, search_in_batches
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest

LEAF_ROWS = 32  # of a leaf, and leaves of a group at most: a power of two
MIN_BATCH, MAX_BATCH = 256, 4096  # queries of a task: Control-C waits for the end of one
EXACT_SQUARES = 1e-280, 1e300  # sums of squares that have lost no digits
BATCH_NEIGHBOURS = 16  # k up to which a batch has MAX_BATCH queries: more take longer each
EXTRA_CANDIDATES = 6  # a query has room for so many and 2 k, and for 8 times as many if needed
MAX_EXPONENT = 500.0  # powers of two: squares of larger ones overflow, of smaller ones vanish


@dataclass(frozen=True)
class KDTree:
    """Rows in the leaves of a k-d tree; `kernels/kd_tree_query.py` describes the layout."""

    points: Array  # (m, d) as they are
    size: float  # a power of two that they are divided by where their squares would be lost
    boxes: Array  # (2 g, 2, d) the ends of every node down to the groups
    frames: Array  # (g + l, d + 3) the middle and the unit of every group and leaf
    lanes: Array  # (2 g + l, d, 32) float32, what is in them
    rows: Array  # (32 l, d) those of the leaves, NaN where there is none
    places: Array  # (32 l,) which row of the points each of them is

    @classmethod
    def of(cls, points: Array) -> KDTree:
        """Leaves of 32 rows, of which the last may have fewer."""
        (m, d), size = points.shape, extreme_scale(points)
        near = points if size == 1.0 else points / size
        leaves = -(-m // LEAF_ROWS)
        levels = (leaves - 1).bit_length()
        order = np.arange(m, dtype=np.int64)
        kd_tree_build.halve(near, levels, order)
        places = np.concatenate([order, np.zeros(leaves * LEAF_ROWS - m, dtype=np.int64)])
        rows = near[places]
        rows[m:] = np.nan
        above = max(0, levels - (LEAF_ROWS.bit_length() - 1))
        first = (np.arange((1 << above) + 1) * leaves) >> above
        return cls(
            points, size, *_bounding_boxes(rows.reshape(leaves, LEAF_ROWS, d), first), rows, places
        )

    def nearest(self, queries: Array, k: int) -> Nearest:
        """For every query the k nearest rows and those tied with the k-th."""

        def find(asked: Array) -> Nearest:
            n_tasks = 2 * engines.current_engine().n_threads  # so that all threads have some
            each = -(-len(asked) // n_tasks)
            most = MAX_BATCH * BATCH_NEIGHBOURS // max(k, BATCH_NEIGHBOURS)
            size = max(MIN_BATCH, min(each, most))
            return search_in_batches(lambda part: self._nearest(asked[part], k), len(asked), size)

        return search_along_curve(find, queries)

    def _nearest(self, queries: Array, k: int) -> Nearest:
        whose, rows, squares = self._candidates(queries, k, EXTRA_CANDIDATES + 2 * k)
        distances = np.sqrt(squares)  # the sums that ``between`` takes, bit by bit
        lost = np.flatnonzero(~((squares > EXACT_SQUARES[0]) & (squares < EXACT_SQUARES[1])))
        if self.size != 1.0 or len(lost):
            at = lost if self.size == 1.0 else np.arange(len(rows))
            distances[at] = pair_distances(
                self.points, rows[at], queries=queries, whose=whose[at], metric="euclidean", p=2.0
            )
        return Nearest.of(whose, rows, distances, len(queries), k)

    def _candidates(self, queries: Array, k: int, room: int) -> tuple[Array, Array, Array]:
        """Queries and rows that may be one of their nearest, and their squared distances."""
        n = len(queries)
        near = queries if self.size == 1.0 else queries / self.size
        found, scores = np.empty((n, room), np.int64), np.empty((n, room))
        number = np.full(n, k)
        kd_tree_query.search(
            self.boxes, self.frames, self.lanes, self.rows, near, found, scores, number
        )
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


def _bounding_boxes(rows: Array, first: Array) -> tuple[Array, Array, Array]:
    """KDTree, frames and lanes of leaves (l, 32, d), by the first of every group."""
    groups, d = len(first) - 1, rows.shape[2]
    ends = np.stack([np.fmin.reduce(rows, axis=1), np.fmax.reduce(rows, axis=1)], axis=1)
    low, high = (end.reduceat(ends[:, side], first[:-1])
                 for side, end in enumerate((np.minimum, np.maximum)))  # fmt: skip
    above = np.stack([low, high], axis=1)
    every = np.concatenate([above, ends])
    frames = np.zeros((len(every), d + 3))
    frames[:, :d] = every[:, 0] / 2 + every[:, 1] / 2
    frames[:, d] = _units(every[:, 1] / 2 - every[:, 0] / 2)
    frames[:groups, d + 1], frames[:groups, d + 2] = first[:-1], np.diff(first)
    return _parent_boxes(above), frames, _lanes(rows, ends, frames, first)


def _lanes(rows: Array, ends: Array, frames: Array, first: Array) -> Array:
    """(2 g + l, d, 32) the ends of every group's leaves, and the rows of leaves, as singles."""
    leaves, groups, d = len(rows), len(first) - 1, rows.shape[2]
    middle, unit = frames[:, :d], frames[:, d, None]
    lanes = np.full((2 * groups + leaves, d, LEAF_ROWS), np.inf, dtype=np.float32)
    lanes[1 : 2 * groups : 2] = -np.inf  # no query is near a leaf that there is not
    moved = (rows - middle[groups:, None]) * unit[groups:, None]
    lanes[2 * groups :] = moved.transpose(0, 2, 1)
    whose = np.repeat(np.arange(groups), np.diff(first))
    place = np.arange(leaves) - first[whose]
    for side, outwards in enumerate(np.array([-np.inf, np.inf], dtype=np.float32)):
        end = ((ends[:, side] - middle[whose]) * unit[whose]).astype(np.float32)
        lanes[2 * whose + side, :, place] = np.nextafter(end, outwards)
    return lanes


def _units(half: Array) -> Array:
    """One by half the diagonal of every box, rounded down to a power of two."""
    with np.errstate(divide="ignore", under="ignore"):
        power = np.ceil(np.log2(np.sqrt(np.einsum("ij,ij->i", half, half))))
    return np.asarray(
        2.0 ** -np.where(np.isfinite(power), np.clip(power, -MAX_EXPONENT, MAX_EXPONENT), 0.0)
    )


def _parent_boxes(below: Array) -> Array:
    """(2 g, 2, d) the ends of g groups, and of the nodes above them."""
    boxes = np.empty((2 * len(below), *below.shape[1:]))
    while True:
        boxes[len(below) : 2 * len(below)] = below
        if len(below) == 1:
            return boxes
        pairs = below.reshape(-1, 2, *below.shape[1:])
        below = np.stack([pairs[:, :, 0].min(axis=1), pairs[:, :, 1].max(axis=1)], axis=1)
