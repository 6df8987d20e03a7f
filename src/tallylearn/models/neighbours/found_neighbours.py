"""Found neighbours: for every query the k nearest rows, and those as near as the k-th."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.errors import InputError
from tallylearn.tables import Array

LEVEL = 1e-12  # distances are level that differ by less, relatively: by rounding


@dataclass(frozen=True)
class Found:
    """The neighbours of query i are those from ``ends[i]`` to ``ends[i + 1]``, nearest first.

    Of rows that are equally far the first in the table comes first.
    """

    ends: Array  # (n + 1,)
    rows: Array  # (m,) places among the examples
    distances: Array  # (m,)

    def __len__(self) -> int:
        return len(self.ends) - 1

    @property
    def counts(self) -> Array:
        """(n,) how many neighbours every query has."""
        return np.diff(self.ends)

    @property
    def queries(self) -> Array:
        """(m,) whose neighbour each one is."""
        return np.repeat(np.arange(len(self)), self.counts)

    def of(self, query: int) -> slice:
        """Where the neighbours of a query stand."""
        return slice(int(self.ends[query]), int(self.ends[query + 1]))

    def first(self, k: int) -> Found:
        """The k nearest of every query."""
        counts = np.minimum(self.counts, k)
        kept = np.arange(len(self.rows)) - np.repeat(self.ends[:-1], self.counts)
        kept = np.flatnonzero(kept < k)
        ends = np.concatenate([[0], np.cumsum(counts)])
        return Found(ends, self.rows[kept], self.distances[kept])

    def level(self, k: int) -> Found:
        """The k nearest of every query, and all that are as far as the k-th of them."""
        places = self.ends[:-1] + np.minimum(self.counts, k) - 1
        limit = self.distances[places] * (1 + LEVEL)
        kept = np.flatnonzero(self.distances <= np.repeat(limit, self.counts))
        counts = np.bincount(self.queries[kept], minlength=len(self))
        ends = np.concatenate([[0], np.cumsum(counts)])
        return Found(ends, self.rows[kept], self.distances[kept])

    def without(self, own: Array) -> Found:
        """The same but for one row of every query: itself, where it is an example."""
        kept = np.flatnonzero(self.rows != np.repeat(own, self.counts))
        counts = np.bincount(self.queries[kept], minlength=len(self))
        ends = np.concatenate([[0], np.cumsum(counts)])
        return Found(ends, self.rows[kept], self.distances[kept])


def arranged(queries: Array, rows: Array, distances: Array, n: int) -> Found:
    """Candidates in any order, as the neighbours of n queries."""
    if not np.isfinite(distances).all():
        raise InputError(
            "a distance is beyond what a double can hold, or two rows have no column in common. "
            "Scale the columns (scale='standard'), or fill gaps with Imputer()."
        )
    counts = np.bincount(queries, minlength=n)
    ends = np.concatenate([[0], np.cumsum(counts)])
    if _in_order(queries, distances):  # as a tree gives them, where nothing is level
        return Found(ends, rows, distances)
    order = np.lexsort((rows, _rounded(queries, distances), queries))
    return Found(ends, rows[order], distances[order])


def _in_order(queries: Array, distances: Array) -> bool:
    """Whether the queries rise, and for each of them the distances, none level with the next."""
    later = queries[1:] > queries[:-1]
    same = (queries[1:] == queries[:-1]) & (distances[1:] > distances[:-1] * (1 + LEVEL))
    return bool((later | same).all())


def _rounded(queries: Array, distances: Array) -> Array:
    """Distances of a query that are level, made equal: then the first row comes first."""
    order = np.lexsort((distances, queries))
    sorted_, whose = distances[order], queries[order]
    near = (whose[1:] == whose[:-1]) & (sorted_[1:] <= sorted_[:-1] * (1 + LEVEL))
    starts = np.concatenate([[True], ~near]) if len(order) else np.zeros(0, dtype=bool)
    group = np.cumsum(starts) - 1
    out = np.empty(len(distances))
    out[order] = sorted_[starts][group] if len(order) else sorted_
    return out


def joined(parts: list[Found]) -> Found:
    """The neighbours of some queries, and of more of them."""
    counts = np.concatenate([part.counts for part in parts])
    return Found(
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.distances for part in parts]),
    )
