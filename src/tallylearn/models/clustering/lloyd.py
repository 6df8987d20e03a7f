"""Lloyd's rounds: rows go to their nearest centre, and every centre to the mean of its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tallylearn.errors import InputError
from tallylearn.models.clustering.coded_rows import Coding
from tallylearn.models.clustering.nearest_centres import Followed, Points, grids_of, unit
from tallylearn.tables import Array

LEAST = 1e-250  # sum of weights whose sums keep all their digits


@dataclass(frozen=True)
class Assigned:
    """Rows summed up by the centre that is nearest; and, if asked, the farthest from theirs."""

    parts: Array  # (2, k, p + 1) whole steps of two grids; the last column counts the weights
    far: Array | None = None  # (m, 3 + p) squared distance, centre, weight, row; farthest first

    @classmethod
    def of(cls, rows: Followed, centres: Array, far: bool = False) -> Assigned:
        labels, parts = rows.follow(centres)
        return cls(parts.copy(), _farthest(rows, labels, centres) if far else None)

    def __add__(self, other: Assigned) -> Assigned:
        far = None
        if self.far is not None and other.far is not None:
            far = _sorted(np.vstack([self.far, other.far]))[: self.parts.shape[1]]
        return Assigned(self.parts + other.parts, far)

    @property
    def sums(self) -> Array:
        """(k, p + 1) of the rows, and of their weights."""
        return np.asarray(self.parts.sum(axis=0))

    def inertia(self, centres: Array, squares: float) -> float:
        """The sum of the squared distances to these centres, which are those it was assigned to.

        ``squares`` are those of the rows' lengths, summed.
        """
        sums = self.sums
        counts = sums[:, -1] @ np.einsum("ij,ij->i", centres, centres)
        return max(0.0, float(squares + counts - 2 * (centres * sums[:, :-1]).sum()))


def _farthest(rows: Followed, labels: Array, centres: Array) -> Array:
    """As many rows as there are centres: no more of these can be without any row."""
    apart, k = rows.points.distances(labels, centres), len(centres)
    some = np.argpartition(apart, len(apart) - k)[-k:] if len(apart) > k else np.arange(len(apart))
    told = [apart[some], labels[some], rows.weight[some], rows.points.at(some)]
    return _sorted(np.column_stack(told))


def _sorted(far: Array) -> Array:
    return far[np.lexsort((*far.T[:0:-1], -far[:, 0]))]


@dataclass(frozen=True)
class Lloyd:
    """Centres on their way, and how far they have come."""

    coding: Coding
    centres: Array  # (k, p)
    enough: float  # the squared way of all centres together that is no more worth a round
    most: int  # rounds
    rows: float  # their weights together
    squares: Array  # (p,) the sums of the squares of their columns, weighed
    trace: tuple[float, ...] = ()  # the inertia before every round
    done: bool = False
    seeking: bool = False  # the rows that are farthest, for a centre has none
    inertia: float = np.inf  # at the end
    labels: Array | None = None  # of all rows, at the end

    @classmethod
    def bare(cls, centres: Array) -> Lloyd:
        """Centres among points that are points already."""
        coding = Coding((), np.empty(0), np.empty(0), (), ())
        return cls(coding, centres, 0.0, 300, 0.0, np.empty(0))

    def followed(self, points: Points, weight: Array | None) -> Followed:
        """Rows in memory, for many rounds."""
        if not (self.rows >= LEAST and np.isfinite([self.rows, *self.squares]).all()):
            raise InputError(
                f"the weights of the rows sum to {self.rows:g}: sums of the weighted squares are "
                "beyond a double. Divide the weights by the greatest."
            )
        size = unit(float(np.sqrt((self.squares / self.rows).max(initial=0.0))))
        return Followed(points, weight, size, grids_of(self.rows, self.squares))

    def told(self) -> Lloyd:
        """Centres as they are told in the table's units: a row there is at distance 0."""
        return replace(self, centres=self.coding.given(self.coding.told(self.centres)))

    def after(self, tally: Assigned) -> Lloyd:
        """The means of what was assigned; first another look, where a centre has no rows."""
        if not self.seeking and (tally.sums[:, -1] == 0).any():
            return replace(self, seeking=True)
        sums = relocated(tally)
        some = sums[:, -1:] > 0
        moved = np.where(some, sums[:, :-1] / np.where(some, sums[:, -1:], 1.0), self.centres)
        way = float(((moved - self.centres) ** 2).sum())
        trace = (*self.trace, tally.inertia(self.centres, float(self.squares.sum())))
        done = way <= self.enough or len(trace) >= self.most
        return replace(self, centres=moved, trace=trace, done=done, seeking=False)


def relocated(tally: Assigned) -> Array:
    """The sums, a centre without rows given the row that is farthest from its own."""
    sums = tally.sums
    far = () if tally.far is None else tally.far
    for c, (apart, label, weight, *row) in zip(np.flatnonzero(sums[:, -1] == 0), far, strict=False):
        if apart == 0:
            break
        moved = weight * np.array([*row, 1.0])
        sums[int(label)] -= moved
        sums[c] = moved
    return sums


def run(points: Points, weight: Array, start: Lloyd) -> Lloyd:
    """Rounds over rows in memory until they are done; the inertia is that of the last centres."""
    squares = np.einsum("ij,ij,i->j", points.at(...), points.at(...), weight)
    state = replace(start, rows=float(weight.sum()), squares=squares)
    rows = state.followed(points, weight)
    while not state.done:
        state = state.after(Assigned.of(rows, state.centres, state.seeking))
    last = Assigned.of(rows, state.centres)
    return replace(state, inertia=last.inertia(state.centres, float(squares.sum())))
