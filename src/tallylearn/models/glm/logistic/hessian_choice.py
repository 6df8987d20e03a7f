"""Chosen curvatures: the curvature of some weights, where there are too many to write all down."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from tallylearn.kernels import sparse_rows
from tallylearn.models.glm.logistic.sparse_rows import Words
from tallylearn.tables import Array


@dataclass(frozen=True)
class Columns:
    """Rows as scaled columns (n, 1 + p), and as words, of which only pairs that meet are seen."""

    tile: Array
    words: Words | None
    scale: Array  # (v,) of the words

    def add(self, chosen: Array, width: int, shares: Array, weight: Array, out: Array) -> None:
        """Add the curvature (s, s) of the weights at some places among those of all classes."""
        which, columns = np.divmod(chosen, width)
        at = {c: np.flatnonzero(which == c) for c in np.unique(which).tolist()}
        for c, d in combinations_with_replacement(at, 2):
            found = self._products(columns[at[c]], columns[at[d]], _bend(shares, weight, c, d))
            if len(at) == 1:
                out += found
                continue
            out[np.ix_(at[c], at[d])] += found
            if c != d:
                out[np.ix_(at[d], at[c])] += found.T

    def _products(self, one: Array, other: Array, bend: Array) -> Array:
        """X' diag(bend) X between some columns and others, each in rising order."""
        p = self.tile.shape[1]
        a, b = int(np.searchsorted(one, p)), int(np.searchsorted(other, p))
        left, right = self.tile[:, one[:a]], self.tile[:, other[:b]]
        alike = bool(bend.min(initial=0.0) >= 0) and np.array_equal(one[:a], other[:b])
        dense = _weighed(left, left if alike else right, bend)
        if self.words is None:
            return dense
        found = np.zeros((len(one), len(other)))
        found[:a, :b] = dense
        words, rows, terms = self.words, one[a:] - p, other[b:] - p
        found[:a, b:] = self._met(left * bend[:, None])[terms].T / self.scale[terms]
        found[a:, :b] = self._met(right * bend[:, None])[rows] / self.scale[rows, None]
        both = np.zeros((len(rows), len(terms)))
        sparse_rows.pair(
            words.ids, words.ends, words.times, bend, self._places(rows), self._places(terms), both
        )
        found[a:, b:] = both / self.scale[rows, None] / self.scale[terms]
        return found

    def _met(self, dense: Array) -> Array:
        """(v, q) of every word the sums of columns (n, q) over its rows."""
        assert self.words is not None
        found, words = np.zeros((len(self.scale), dense.shape[1])), self.words
        sparse_rows.spread(words.ids, words.ends, words.times, np.ascontiguousarray(dense), found)
        return found

    def _places(self, terms: Array) -> Array:
        found = np.full(len(self.scale), -1, dtype=np.int32)
        found[terms] = np.arange(len(terms))
        return found


def _weighed(left: Array, right: Array, bend: Array) -> Array:
    """left' diag(bend) right; a symmetric product takes a third of the time."""
    if left is right:
        left = left * np.sqrt(bend)[:, None]
        return np.asarray(left.T @ left)
    return np.asarray((left * bend[:, None]).T @ right)


def _bend(shares: Array, weight: Array, c: int, d: int) -> Array:
    """(n,) how errors of class c change with scores of class d; of two classes roots are given."""
    if shares.ndim == 1:
        return np.asarray(shares**2)
    found = -shares[:, c] * shares[:, d] if c != d else shares[:, c] * (1 - shares[:, c])
    return np.asarray(found * weight if weight.size else found)
