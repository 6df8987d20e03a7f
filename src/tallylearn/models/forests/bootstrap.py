"""Bags: which rows a tree grows from, and how often each, by a hash of the row's number.

How often a row is drawn when as many rows are drawn as there are is Poisson, and all but
independent of the others: so every row is drawn by itself, from its number, the tree's and the
seed, and no thread, block or order of the trees changes a bag (N. Oza and S. Russell, Online
bagging and boosting, 2001). Rows with weights are drawn in proportion to them: each has a Poisson
mean of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from tallylearn.folds.hashing import splitmix64
from tallylearn.kernels.trees import bagged_rows
from tallylearn.tables import Array

SCALE = 1 << 64
TERMS = 60  # of the series of exp(-rate): far beyond what 64 bits tell apart
ALWAYS = np.zeros(1, np.uint64)  # every row, once
ROWS = np.int64((1 << 32) - 1)  # the bits of an entry that are its row
MOST_TIMES = 255  # an entry has eight bits for how often a row is drawn
LARGE_MEAN = 64.0  # beyond, Poisson's distribution is drawn as a normal one, and counts are weights
EXACT_RATE = 8.0  # up to here the series of exp(-rate) converges within its terms


@dataclass(frozen=True)
class BootstrapSamples:
    """The bags of all trees: ``rate`` is how often a row is drawn on average; 0: each once.

    ``weights``: rows are drawn in proportion to them; None: all alike. ``once``: whether a row is
    one row for thresholds on rows, however often it is drawn: how often is its weight then.
    """

    labels: Array  # (n,) int32: the classes of the rows that are learned from, in their order
    rate: float
    seed: int
    weights: Array | None = None  # (n,)
    once: bool = False

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def means(self) -> Array | None:
        """(n,) how often every row is drawn on average; None where all rows are drawn alike."""
        if self.weights is None or self.rate == 0:
            return None
        share = self.weights / self.weights.max()  # sums of weights may be beyond a double
        if (share == 1).all() and self.rate <= EXACT_RATE:
            return None
        return np.asarray(self.rate * len(self) * (share / share.sum()))

    @cached_property
    def counts_as_weights(self) -> bool:
        """Whether how often rows are drawn stands in weights: entries cannot count so far."""
        return self.once or (
            self.means is not None and bool(self.means.max(initial=0.0) > LARGE_MEAN)
        )

    def times(self, tree: int) -> Array:
        """(n,) how often every row is drawn for a tree; once each where none is."""
        seed = tree_seed(self.seed, tree)
        if self.means is not None:
            drawn = poisson(self.means, seed, self._absent)
            return drawn if drawn.any() else np.ones_like(drawn)
        entries, out = np.empty(len(self), np.int64), np.zeros(len(self), np.int64)
        entries = entries[: bagged_rows.fill(seed, chances(self.rate), self.labels, entries)]
        out[entries & ROWS] = (entries >> 32) & MOST_TIMES
        return out if len(entries) else np.ones_like(out)

    @cached_property
    def _absent(self) -> Array:
        """(n,) the probability that a row is not drawn: the same for all trees."""
        assert self.means is not None
        return _exponential(np.minimum(self.means, LARGE_MEAN))

    def entries(self, tree: int) -> Array:
        """The bag of a tree, see ``kernels.trees.bagged_rows``."""
        out = np.empty(len(self), np.int64)
        return out[: self.fill(tree_seed(self.seed, tree), out)].copy()

    def fill(self, seed: int, out: Array) -> int:
        """Put the bag of a tree's seed into an array, and say how many; of no row, all rows."""
        if self.means is None:
            filled = bagged_rows.fill(seed, chances(self.rate), self.labels, out)
            if self.once:
                out[:filled] = (out[:filled] & ~(MOST_TIMES << 32)) | (1 << 32)
        else:
            times = poisson(self.means, seed, self._absent)
            rows = np.flatnonzero(times)
            often = np.ones(len(rows), np.int64) if self.counts_as_weights else times[rows]
            out[: len(rows)] = rows | (often << 32) | (self.labels[rows].astype(np.int64) << 40)
            filled = len(rows)
        return int(filled or bagged_rows.fill(seed, ALWAYS, self.labels, out))

    def find_out_of_bag_rows(self, tree: int) -> Array:
        """The places of the rows that a tree does not see."""
        out = np.ones(len(self), bool)
        out[self.entries(tree) & ROWS] = False
        return np.flatnonzero(out)


def tree_seed(seed: int, tree: int) -> int:
    """Another seed for every tree."""
    return tree_seeds(seed, range(tree, tree + 1))[0]


def tree_seeds(seed: int, trees: range) -> list[int]:
    """The seeds of these trees."""
    return [int(number) for number in splitmix64(seed, np.array(trees, np.int64))]


@lru_cache
def chances(rate: float) -> Array:
    """The hashes from which on a row is drawn once, twice and so on, by Poisson's distribution.

    They are whole numbers of exact fractions, so that they are the same on every machine.

    >>> (chances(1.0)[:3] / 2.0**64).round(3)
    array([0.368, 0.736, 0.92 ])
    """
    if rate == 0:
        return ALWAYS
    exact = Fraction(rate)
    none = sum(((-exact) ** j / math.factorial(j) for j in range(TERMS)), Fraction(0))
    found, below = list[int](), Fraction(0)
    for j in range(TERMS):
        below += none * exact**j / math.factorial(j)
        if (at := int(below * SCALE)) >= SCALE - 1:
            break
        found.append(at)
    out = np.array(found, dtype=np.uint64)
    out.flags.writeable = False
    return out


def poisson(means: Array, seed: int, absent: Array | None = None) -> Array:
    """(n,) int64: a Poisson number for every mean, by a hash of its place and the seed.

    ``absent``: exp(-mean) for every mean up to ``LARGE_MEAN``, where it is known already.

    Sums, products and quotients in a fixed order: the same numbers on every machine. Large means
    take the normal distribution of the same mean and variance, of twelve uniform numbers.

    >>> poisson(np.array([0.5, 2.0, 0.0, 900.0]), 1).tolist()
    [0, 3, 0, 892]
    """
    rows = np.arange(len(means))
    small = np.minimum(means, LARGE_MEAN)
    at, times = rows, np.zeros(len(means), np.int64)
    term = below = _exponential(small) if absent is None else absent
    number = _uniform(seed, rows)
    for j in range(1, MOST_TIMES + 1):
        beyond = number >= below  # those of the rows ``at`` that are drawn at least j times
        if not beyond.any():
            break
        at, number, term, below = (one[beyond] for one in (at, number, term, below))
        times[at] = j
        term = term * small[at] / j
        below = below + term
    large = np.flatnonzero(means > LARGE_MEAN)
    normal = np.full(len(large), -6.0)
    for j in range(12):
        normal += _uniform(seed, len(means) * (j + 1) + large)
    drawn = np.rint(means[large] + np.sqrt(means[large]) * normal)
    times[large] = np.maximum(drawn, 0).astype(np.int64)
    return times


def _uniform(seed: int, places: Array) -> Array:
    """Numbers from 0 on and below 1, of 53 bits."""
    return np.asarray((splitmix64(seed, places) >> np.uint64(11)) / 2.0**53)


def _exponential(x: Array) -> Array:
    """exp(-x), for x from 0 to 64, by its series at x / 2^10, squared ten times.

    Library functions differ in their last bits from machine to machine.
    """
    part, term, total = x / 1024, np.ones(len(x)), np.ones(len(x))
    for j in range(1, 13):
        term = term * part / -j
        total = total + term
    for _ in range(10):
        total = total * total
    return total
