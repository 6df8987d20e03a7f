"""Bags: which rows a tree grows from, and how often each, by a hash of the row's number.

How often a row is drawn when as many rows are drawn as there are is Poisson, and all but
independent of the others: so every row is drawn by itself, from its number, the tree's and the
seed, and no thread, block or order of the trees changes a bag (N. Oza and S. Russell, Online
bagging and boosting, 2001).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from tallylearn.folds.hashing import hashed
from tallylearn.kernels.trees import bagged_rows
from tallylearn.tables import Array

SCALE = 1 << 64
TERMS = 60  # of the series of exp(-rate): far beyond what 64 bits tell apart
ALWAYS = np.zeros(1, np.uint64)  # every row, once
ROWS = np.int64((1 << 32) - 1)  # the bits of an entry that are its row


@dataclass(frozen=True)
class Bags:
    """The bags of all trees: ``rate`` is how often a row is drawn on average; 0: each once."""

    labels: Array  # (n,) int32: the classes of the rows that are learned from, in their order
    rate: float
    seed: int

    def __len__(self) -> int:
        return len(self.labels)

    def entries(self, tree: int) -> Array:
        """The bag of a tree, see ``kernels.trees.bagged_rows``."""
        out = np.empty(len(self), np.int64)
        return out[: self.fill(tree_seed(self.seed, tree), out)].copy()

    def fill(self, seed: int, out: Array) -> int:
        """Put the bag of a tree's seed into an array, and say how many; of no row, all rows."""
        filled = bagged_rows.fill(seed, chances(self.rate), self.labels, out)
        return int(filled or bagged_rows.fill(seed, ALWAYS, self.labels, out))

    def left_out(self, tree: int) -> Array:
        """The places of the rows that a tree does not see."""
        out = np.ones(len(self), bool)
        out[self.entries(tree) & ROWS] = False
        return np.flatnonzero(out)


def counted(bag: Array, classes: int) -> Array:
    """(k,) how many rows of every class a bag has, each as often as it is in."""
    return np.bincount(bag >> 40, weights=(bag >> 32) & 255, minlength=classes)


def tree_seed(seed: int, tree: int) -> int:
    """Another seed for every tree."""
    return tree_seeds(seed, range(tree, tree + 1))[0]


def tree_seeds(seed: int, trees: range) -> list[int]:
    """The seeds of these trees."""
    return [int(number) for number in hashed(seed, np.array(trees, np.int64))]


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
