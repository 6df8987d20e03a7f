"""Nearest: for every query the k nearest of the rows that were seen, and those as near as the k-th.

What is among the k nearest of all rows is among the k nearest of its part of them, so that parts
may be looked at one after the other, or by many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallylearn.errors import ForgetError, InputError
from tallylearn.tables import Array
from tallylearn.tallies.tally import Tally

TIE_TOLERANCE = 1e-12  # distances are level that differ by less, relatively: by rounding
NONE = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Nearest(Tally):
    """The neighbours of query i are those from ``ends[i]`` to ``ends[i + 1]``, nearest first.

    Of rows that are equally far the first in the table comes first.

    >>> one, two = (Nearest.of(np.zeros(2, int), np.array(at), np.array(apart), 1, 2)
    ...             for at, apart in (([0, 1], [3.0, 1.0]), ([2, 3], [2.0, 9.0])))
    >>> (one + two).rows
    array([1, 2])
    """

    k: int
    ends: Array  # (n + 1,)
    rows: Array  # (m,) places among the examples
    distances: Array  # (m,)
    held: Array  # (m, w) what else is known of every neighbour

    @classmethod
    def of(
        cls, queries: Array, rows: Array, distances: Array, n: int, k: int,
        held: Array | None = None,
    ) -> Nearest:  # fmt: skip
        """Candidates in any order, each with its query; one at an infinite distance is none."""
        if not np.isfinite(distances).all():
            kept = np.flatnonzero(np.isfinite(distances))
            queries, rows, distances = queries[kept], rows[kept], distances[kept]
            held = None if held is None else held[kept]
        order = None
        if not _in_order(queries, distances):
            order = np.lexsort((distances, queries))
            queries, distances = queries[order], distances[order]
        ends = _ends(np.bincount(queries, minlength=n))
        kept = _level(ends, distances, k)
        queries, distances = queries[kept], distances[kept]
        at = kept if order is None else order[kept]
        rows = rows[at]
        held = np.zeros((len(at), 0)) if held is None else held[at]
        if order is not None:
            again = np.lexsort((rows, _groups(queries, distances)))
            rows, distances, held = rows[again], distances[again], held[again]
        return cls(k, _ends(np.bincount(queries, minlength=n)), rows, distances, held)

    @classmethod
    def empty(cls) -> Nearest:
        """Nothing asked yet."""
        return cls(0, NONE, NONE[:0], np.zeros(0), np.zeros((0, 0)))

    def __len__(self) -> int:
        return len(self.ends) - 1

    @property
    def nothing(self) -> bool:
        """Whether there is no query."""
        return len(self) == 0

    def __bool__(self) -> bool:
        return len(self.rows) > 0

    def __add__(self, other: Nearest) -> Nearest:
        if self.nothing or other.nothing:
            return other if self.nothing else self
        if (self.k, len(self)) != (other.k, len(other)):
            raise ValueError("nearest: the two have different queries or different k")
        queries, rows, distances, held = (
            np.concatenate(pair)
            for pair in zip(
                (self.queries, self.rows, self.distances, self.held),
                (other.queries, other.rows, other.distances, other.held),
                strict=True,
            )
        )
        return Nearest.of(queries, rows, distances=distances, n=len(self), k=self.k, held=held)

    def __sub__(self, other: Nearest) -> Nearest:
        if other is self:
            return Nearest.empty()
        raise ForgetError(
            "neighbours cannot forget rows, because the next nearest rows are not "
            "kept. Nothing was changed. Search again without those rows."
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Nearest):
            return NotImplemented
        if self.nothing and other.nothing:
            return True
        mine = (self.ends, self.rows, self.distances, self.held)
        theirs = (other.ends, other.rows, other.distances, other.held)
        return self.k == other.k and all(map(np.array_equal, mine, theirs))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Nearest({len(self)} × {self.k})"

    @property
    def counts(self) -> Array:
        """(n,) how many neighbours every query has."""
        return np.diff(self.ends)

    @property
    def queries(self) -> Array:
        """(m,) whose neighbour each one is."""
        return np.repeat(np.arange(len(self)), self.counts)

    def of_query(self, query: int) -> slice:
        """Where the neighbours of a query stand."""
        return slice(int(self.ends[query]), int(self.ends[query + 1]))

    def first(self, k: int) -> Nearest:
        """The k nearest of every query, those left out that are as far as the k-th."""
        place = np.arange(len(self.rows)) - np.repeat(self.ends[:-1], self.counts)
        return self._select(np.flatnonzero(place < k), k)

    def leave_out(self, own: Array) -> Nearest:
        """One fewer for every query: without one row, itself where it is an example."""
        kept = self._select(np.flatnonzero(self.rows != np.repeat(own, self.counts)), self.k)
        return Nearest.of(
            kept.queries,
            kept.rows,
            distances=kept.distances,
            n=len(self),
            k=self.k - 1,
            held=kept.held,
        )

    def complete(self) -> Nearest:
        """The same, unless a query has fewer than k."""
        if (few := self.counts < self.k).any():
            raise InputError(
                f"row {int(few.argmax())} has fewer than {self.k} neighbours: a "
                "distance is too large for a double, or rows have no column in common. "
                "Scale the columns (scale='standard'), or fill missing values with "
                "tl.SimpleImputer()."
            )
        return self

    def take(self, queries: Array) -> Nearest:
        """The neighbours of these queries, in this order."""
        counts = self.counts[queries]
        ends = _ends(counts)
        at = np.arange(ends[-1]) + np.repeat(self.ends[queries] - ends[:-1], counts)
        return Nearest(self.k, ends, self.rows[at], self.distances[at], self.held[at])

    def _select(self, kept: Array, k: int) -> Nearest:
        counts = np.bincount(self.queries[kept], minlength=len(self))
        return Nearest(k, _ends(counts), self.rows[kept], self.distances[kept], self.held[kept])


def concatenate(parts: Sequence[Nearest]) -> Nearest:
    """The neighbours of some queries, and of more of them."""
    if len(parts) == 1:
        return parts[0]
    return Nearest(
        parts[0].k,
        _ends(np.concatenate([part.counts for part in parts])),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.distances for part in parts]),
        np.concatenate([part.held for part in parts]),
    )


def tie_limit(distances: Array, times: int = 1) -> Array:
    """The farthest that is level with a distance, or a few times as far above it."""
    with np.errstate(over="ignore"):
        return np.asarray(distances * (1 + times * TIE_TOLERANCE))


def _ends(counts: Array) -> Array:
    return np.concatenate([[0], np.cumsum(counts)])


def _level(ends: Array, distances: Array, k: int) -> Array:
    """Of distances that rise, query by query, those up to the k-th and level with it."""
    counts = np.diff(ends)
    if not len(distances):
        return np.zeros(0, dtype=np.int64)
    last = np.clip(ends[:-1] + np.minimum(counts, k) - 1, 0, len(distances) - 1)
    limit = tie_limit(distances[last])
    return np.flatnonzero(distances <= np.repeat(limit, counts))


def _in_order(queries: Array, distances: Array) -> bool:
    """Whether the queries rise, and for each of them the distances, none level with the next."""
    later = queries[1:] > queries[:-1]
    same = (queries[1:] == queries[:-1]) & (distances[1:] > tie_limit(distances[:-1]))
    return bool((later | same).all())


def _groups(queries: Array, distances: Array) -> Array:
    """Of distances that rise, query by query: level ones have one number, and numbers rise."""
    near = (queries[1:] == queries[:-1]) & (distances[1:] <= tie_limit(distances[:-1]))
    return np.concatenate([NONE, np.cumsum(~near)]) if len(queries) else NONE[:0]
