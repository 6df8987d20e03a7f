"""Lloyd's rounds: rows go to their nearest centre, and every centre to the mean of its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tallylearn.blas import one_thread
from tallylearn.kernels import clustering
from tallylearn.models.clusters.coded_rows import Coding
from tallylearn.tables import Array

TILE = 2048  # rows whose distances to all centres stay near the processor
HALF = float(np.finfo(np.float32).eps)  # by which a sum in single precision may be wrong, a term


@dataclass(frozen=True)
class Points:
    """Rows as points, with their weights; and in single precision, of about unit size, with a 1."""

    x: Array  # (n, p)
    weight: Array  # (n,)
    size: float  # what the single ones were multiplied by
    squares: float  # of their lengths, weighed
    single: Array  # (n, p + 1) float32
    reach: Array  # (n,) float32, their lengths

    @classmethod
    def of(cls, x: Array, weight: Array | None) -> Points:
        given = np.ones(len(x)) if weight is None else np.ascontiguousarray(weight, np.float64)
        largest = float(np.abs(x).max(initial=0.0))
        size = 2.0 ** -np.floor(np.log2(largest)) if largest > 1e-300 else 1.0
        single = np.ones((len(x), x.shape[1] + 1), dtype=np.float32)
        np.multiply(x, size, out=single[:, :-1], casting="same_kind")
        lengths = np.einsum("ij,ij->i", x, x)
        reach = np.einsum("ij,ij->i", single, single) ** 0.5
        return cls(x, given, float(size), float(given @ lengths), single, reach)

    def __len__(self) -> int:
        return len(self.x)


@dataclass(frozen=True)
class Assigned:
    """Rows summed up by the centre that is nearest; and, if asked, the farthest from theirs."""

    sums: Array  # (k, p + 1) the last column counts the weights
    squares: float  # of the rows' lengths
    far: Array | None = None  # (m, 3 + p) squared distance, centre, weight, row; farthest first

    @classmethod
    def of(cls, points: Points, centres: Array, far: bool = False) -> Assigned:
        """Scores in single precision; where these cannot tell two centres apart, in double."""
        k, p = centres.shape
        sums = np.zeros((k, p + 1))
        turned, slack = _single(centres * points.size)
        left: list[Array] = []
        with one_thread(), np.errstate(over="ignore", invalid="ignore"):
            for at in range(0, len(points), TILE):
                here = slice(at, min(at + TILE, len(points)))
                unsure = np.empty(TILE, np.int64)
                found = clustering.assign(
                    points.single[here] @ turned, points.reach[here], slack, points.x[here],
                    points.weight[here], unsure, sums,
                )  # fmt: skip
                left.append(at + unsure[:found])
        rows = np.concatenate(left) if left else np.empty(0, np.int64)
        x, w = points.x[rows], points.weight[rows]
        np.add.at(sums, _nearest(x, centres), np.column_stack([x * w[:, None], w]))
        return cls(sums, points.squares, _farthest(points, centres) if far else None)

    def __add__(self, other: Assigned) -> Assigned:
        far = None
        if self.far is not None and other.far is not None:
            far = _sorted(np.vstack([self.far, other.far]))[: len(self.sums)]
        return Assigned(self.sums + other.sums, self.squares + other.squares, far)

    def inertia(self, centres: Array) -> float:
        """The sum of the squared distances to these centres, which are those it was assigned to."""
        counts = self.sums[:, -1] @ np.einsum("ij,ij->i", centres, centres)
        return max(0.0, float(self.squares + counts - 2 * (centres * self.sums[:, :-1]).sum()))


def _single(centres: Array) -> tuple[Array, float]:
    """Centres (p + 1, k) for scores |c|^2 - 2 x c in single precision, and how wrong those can be.

    A sum of p + 1 products is wrong by p + 3 roundings of its largest terms at most, |x| |c|: two
    scores together by twice that, and a reach, which counts the 1, is never below 1.
    """
    lengths = np.einsum("ij,ij->i", centres, centres)
    largest = float(np.sqrt(lengths.max()))
    slack = 4 * (centres.shape[1] + 4) * HALF * largest * (1 + largest)
    turned = np.vstack([-2 * centres.T, lengths]).astype(np.float32)
    return np.ascontiguousarray(turned), slack


def _nearest(x: Array, centres: Array) -> Array:
    scores = x @ (-2 * centres.T) + np.einsum("ij,ij->i", centres, centres)
    return np.asarray(scores.argmin(axis=1))


def _farthest(points: Points, centres: Array) -> Array:
    """As many rows as there are centres: no more of these can be without any row."""
    labels, apart = labelled(points.x, centres)
    k = len(centres)
    some = np.argpartition(apart, len(apart) - k)[-k:] if len(apart) > k else np.arange(len(apart))
    told = [apart[some], labels[some], points.weight[some], points.x[some]]
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
    trace: tuple[float, ...] = ()  # the inertia before every round
    done: bool = False
    seeking: bool = False  # the rows that are farthest, for a centre has none
    inertia: float = np.inf  # at the end
    labels: Array | None = None  # of all rows, at the end

    @classmethod
    def bare(cls, centres: Array) -> Lloyd:
        """Centres among points that are points already."""
        coding = Coding((), np.empty(0), np.empty(0), (), ())
        return cls(coding, centres, 0.0, 300)

    def after(self, tally: Assigned) -> Lloyd:
        """The means of what was assigned; first another look, where a centre has no rows."""
        if not self.seeking and (tally.sums[:, -1] == 0).any():
            return replace(self, seeking=True)
        sums = relocated(tally)
        some = sums[:, -1:] > 0
        moved = np.where(some, sums[:, :-1] / np.where(some, sums[:, -1:], 1.0), self.centres)
        way = float(((moved - self.centres) ** 2).sum())
        trace = (*self.trace, tally.inertia(self.centres))
        done = way <= self.enough or len(trace) >= self.most
        return replace(self, centres=moved, trace=trace, done=done, seeking=False)


def relocated(tally: Assigned) -> Array:
    """The sums, a centre without rows given the row that is farthest from its own."""
    sums = tally.sums.copy()
    far = () if tally.far is None else tally.far
    for c, (apart, label, weight, *row) in zip(np.flatnonzero(sums[:, -1] == 0), far, strict=False):
        if apart == 0:
            break
        moved = weight * np.array([*row, 1.0])
        sums[int(label)] -= moved
        sums[c] = moved
    return sums


def run(points: Points, start: Lloyd) -> Lloyd:
    """Rounds over rows in memory until they are done; the inertia is that of the last centres."""
    state = start
    while not state.done:
        state = state.after(Assigned.of(points, state.centres, state.seeking))
    last = Assigned.of(points, state.centres).inertia(state.centres)
    return replace(state, inertia=last)


def labelled(x: Array, centres: Array) -> tuple[Array, Array]:
    """(n,) the nearest centre of every row, and its squared distance, worked out in full."""
    labels = _nearest(x, centres).astype(np.int32)
    apart = x - centres[labels]
    return labels, np.einsum("ij,ij->i", apart, apart)
