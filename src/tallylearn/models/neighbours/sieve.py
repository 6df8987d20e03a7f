"""The sieve: the nearest of many rows, by products of matrices that round, and what they let by.

|x - z|² = |x|² - 2 x·z + |z|². Products of single precision, of rows centred on their mean, say
for all rows at once about how far they are; how wrong they can be is known, so that a row that they
put beyond the k-th by more than twice that is none of the k nearest. The few others are worked out
from their differences, in double precision.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from tallylearn import cores
from tallylearn.blas import one_thread
from tallylearn.kernels import sifting
from tallylearn.models.neighbours.distances import between, measure
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest, joined

QUERIES, ROWS = 256, 1024  # of a tile: its scores stay in the processor's cache
UNIT = 2.0**-24  # half the distance of 1 to the next single
ROOM = 64  # candidates a query may have, and 16 for each of its neighbours


@dataclass(frozen=True)
class Sieve:
    """Examples as single-precision rows, their squared lengths as a last column."""

    points: Array  # (m, d) as they are
    centre: Array  # (d,)
    scale: float  # a power of two that takes the longest row to about 1
    rows: Array  # (m, d + 1) float32

    @classmethod
    def of(cls, points: Array) -> Sieve:
        """Centred on their mean, and scaled: singles neither overflow nor vanish."""
        centre = points.mean(axis=0)
        moved = points - centre
        size = measure(moved)
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
        """For every query the k nearest rows and those level with the k-th, by Euclid."""
        parts = [queries[at : at + QUERIES] for at in range(0, len(queries), QUERIES)]
        find = partial(self._nearest, k=k)
        with one_thread():
            if len(parts) == 1 or (threads := cores.threads()) == 1:
                return joined([find(part) for part in parts])
            with ThreadPoolExecutor(threads) as pool:
                return joined([*pool.map(find, parts)])

    def _nearest(self, queries: Array, k: int) -> Nearest:
        whose, places = self._candidates(queries, k)
        distances = between(self.points[places], queries[whose], "euclidean", 2.0)
        return Nearest.of(whose, places, distances, len(queries), k)

    def _candidates(self, queries: Array, k: int) -> tuple[Array, Array]:
        """Pairs of a query and a row that may be one of its nearest."""
        n, room = len(queries), ROOM + 16 * k
        found, scores = np.zeros((n, room), np.int64), np.zeros((n, room), np.float32)
        best, number = np.full((n, k), np.inf, np.float32), np.zeros(n, np.int64)
        left, margin = self._asked(queries)
        number[~np.isfinite(left).all(axis=1) | ~np.isfinite(margin)] = -1
        tile = np.empty((n, ROWS), np.float32)
        for first in range(0, len(self.rows), ROWS):
            rows = self.rows[first : first + ROWS]
            out = tile if len(rows) == ROWS else np.empty((n, len(rows)), np.float32)
            with np.errstate(all="ignore"):  # queries that singles cannot hold are found otherwise
                np.matmul(left, rows.T, out=out)
            sifting.sift(out, first, margin, best, found, scores, number)
        kept = (scores <= (best[:, -1] + margin)[:, None]) & (np.arange(room) < number[:, None])
        whose = np.nonzero(kept)[0]
        crowded = np.flatnonzero(number < 0)  # so many are so near that all are looked at
        whose = np.concatenate([whose, np.repeat(crowded, len(self.rows))])
        places = np.concatenate([found[kept], np.tile(np.arange(len(self.rows)), len(crowded))])
        return whose, places

    def _asked(self, queries: Array) -> tuple[Array, Array]:
        """Queries as (-2 x, 1), and twice the most by which a score can be wrong.

        A score is a sum of d + 1 products, each of factors that were rounded: it is off by at most
        (d + 4) units of 2 |x| |z| + |z|²; four more are for the sum with the margin, for centring,
        and for what is left out here (N. J. Higham, Accuracy and Stability of Numerical Algorithms,
        2002, section 3.1).
        """
        moved = (queries - self.centre) * self.scale
        with np.errstate(over="ignore", invalid="ignore"):
            length = np.sqrt(np.einsum("ij,ij->i", moved, moved))
            wrong = (moved.shape[1] + 8) * UNIT * (2 * length + 1)  # no row is longer than 1
            left = np.ones((len(queries), moved.shape[1] + 1), dtype=np.float32)
            left[:, :-1] = -2 * moved
            return left, (2 * wrong).astype(np.float32)
