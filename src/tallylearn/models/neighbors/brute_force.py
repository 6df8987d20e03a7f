"""Scan: all distances, some queries at a time, and the nearest worked out again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tallylearn.models.neighbors.query_batches import in_parts
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest, beyond

AT_ONCE = 1 << 22  # distances that are held at a time
LOST = 1e-140  # distances below, the roots of squares, may have lost their digits


@dataclass(frozen=True)
class Scan:
    """All distances of some queries to m rows; the few that matter are worked out for good."""

    m: int
    distances: Callable[[slice], Array]  # (n, m) of some queries, about right
    exact: Callable[[Array, Array], Array]  # (c,) of rows and of the queries they are compared with

    def nearest(self, n: int, k: int) -> Nearest:
        """For each of n queries the k nearest and those level with the k-th."""
        return in_parts(lambda part: self._of(part, k), n, max(1, AT_ONCE // max(1, self.m)))

    def _of(self, part: slice, k: int) -> Nearest:
        distances = self.distances(part)
        if k < self.m:
            limit = beyond(np.partition(distances, k - 1, axis=1)[:, k - 1, None], 4)
            whose, rows = np.array(np.nonzero(distances <= np.maximum(limit, LOST)))
        else:
            whose, rows = (at.ravel() for at in np.indices(distances.shape))
        return Nearest.of(whose, rows, self.exact(rows, whose + part.start), len(distances), k)
