"""Leaving one out of naive Bayes: every row judged by the counts and moments of all the others.

Exact tallies come apart again: that of all rows, less that of one, is to the bit what a fit without
that row would have summed. So n folds are one subtraction along an axis of folds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tallylearn.models.class_priors import Priors
from tallylearn.models.naive_bayes.class_spreads import TABLE, Smoothing, varying
from tallylearn.models.naive_bayes.column_factors import TINY, check_finite
from tallylearn.models.naive_bayes.text_factors import SET, Texts
from tallylearn.tables import Array, Bags, Block, Codes
from tallylearn.tallies import Counts, Exact, Moments
from tallylearn.tallies.keys import Keys

Added = Callable[[Array], Array]  # what is added to a count, where so many values are known
ROWS = 512  # left out together: their moments stay in the processor's cache


@dataclass(frozen=True)
class Densities:
    """The moments of all rows, ready to be less by any one of them."""

    whole: Moments  # (k, p)
    smoothing: Smoothing

    @property
    def simple(self) -> bool:
        """Whether every column is still there when any one row is gone."""
        return bool((self.whole.pooled().count.floats() >= 2).all())

    def scores(self, block: Block) -> Array | None:
        """log P(x | c) (n, k) of every row under the model of all other rows.

        None where a class would have no spread in a column: a fit says so.
        """
        check_finite(block)
        at = [block.schema.numbers.index(str(name)) for name in self.whole.columns]
        x, by = np.ascontiguousarray(block.numbers[:, at]), block.target.among(self.whole.keys)
        out = np.empty((len(x), len(self.whole.keys)))
        for a in range(0, len(x), ROWS):
            here = slice(a, a + ROWS)
            found = self._densities(x[here], by[here])
            if found is None:
                return None
            out[here] = found
        return out

    def _densities(self, x: Array, own: Array) -> Array | None:
        rows, at = Moments.of_rows(x, self.whole.columns), np.arange(len(x))
        rest = _less(self.whole, rows, own)
        mean, variance, seen = (
            np.tile(part, (len(x), 1, 1))
            for part in (self.whole.mean, self.whole.variance, self.whole.count.nonzero())
        )
        mean[at, own], variance[at, own] = rest.mean[:, 0], rest.variance[:, 0]
        seen[at, own] = rest.count.nonzero()[:, 0]
        pooled = self.whole.pooled()
        everywhere = bool(seen.all())
        few = everywhere and self.smoothing.by == TABLE
        columns = self._widest(pooled, x) if few else np.arange(x.shape[1])
        others = _less(pooled.picked(columns), rows.picked(columns), np.zeros_like(own))
        wide = others.variance  # (n, 1, p)
        if not few and not (wide > 0).all():  # a fit passes over what is constant then
            return None
        if not everywhere:  # a class that never shows a column takes those of all classes
            mean, variance = np.where(seen, mean, others.mean), np.where(seen, variance, wide)
        variance = self.smoothing(variance, wide)
        if not (variance >= TINY).all():
            return None
        away = x[:, None, :] - mean
        log = -0.5 * (np.log(2 * np.pi * variance) + away * away / variance)
        return np.asarray(np.where(np.isnan(away), 0.0, log).sum(axis=2))

    def _widest(self, pooled: Moments, x: Array) -> Array:
        """The columns that may have the largest variance when a row is gone: it alone is needed."""
        n, mean, variance = pooled.count.floats()[0], pooled.mean[0], pooled.variance[0]
        left = n / (n - 1) * (variance - np.nan_to_num(x - mean) ** 2 / (n - 1))
        near = left >= left.max(axis=1, keepdims=True) - 1e-6 * variance.max()
        return np.flatnonzero(near.any(axis=0))


def prior_of_others(priors: Priors, own: Array) -> Array:
    """log P(c) (n, k) where every row in turn is not counted; (k,) where nothing is counted."""
    if not priors.counted:
        return priors.log
    return replace(priors, count=(priors.count - np.eye(len(priors.classes))[own]).clip(0)).log


def numbers_of_others(
    moments: Moments, classes: Keys, smoothing: Smoothing, block: Block
) -> Array | None:
    """log P(x | c) (n, k) of every row's numbers by all other rows; None where a fit is needed."""
    found = Densities(varying(moments.over(classes, moments.columns)), smoothing)
    return found.scores(block) if found.simple else None


def value_of_others(counts: Counts, classes: Keys, codes: Codes, own: Array, added: Added) -> Array:
    """log P(x | c) (n, k) of every row's category by all other rows; 0 where it is missing.

    A value that only its own row has is unknown to the others, unless it is declared.
    """
    values = counts.keys[1]
    count = counts.over(classes, values).floats()  # (k, v)
    at = codes.among(tuple(map(str, values)))
    rows = np.flatnonzero((at >= 0) & (at < len(values)))
    at, own = at[rows], own[rows]
    kept = np.isin(np.array(values, dtype=object), np.array(counts.declared[1], dtype=object))
    lone = (count.sum(axis=0) == 1)[at] & ~kept[at]
    extra = added(len(values) - lone)  # (n,)
    mine = np.arange(len(classes)) == own[:, None]  # (n, k)
    here, present = (count[:, at].T - mine).clip(0), (count.sum(axis=1) - mine).clip(0)
    out = np.zeros((len(codes), len(classes)))
    out[rows] = _shares(here, present, extra, len(values) - lone, lone)
    return out


def words_of_others(
    text: Texts, documents: Array, bags: Bags, own: Array, added: Added
) -> Array | None:
    """log P(d | c) (n, k) of every document by all others; None where one would be left no word."""
    at = text.places(bags)[bags.ids]
    times = bags.times if len(bags.times) else np.ones(len(at), dtype=np.int64)
    row = np.repeat(np.arange(len(bags)), np.diff(bags.ends))[at >= 0]
    pairs, inside = np.unique(row * len(text.terms) + at[at >= 0], return_inverse=True)
    often = np.bincount(inside, times[at >= 0], minlength=len(pairs))  # of a word in a document
    row, at = pairs // len(text.terms), pairs % len(text.terms)
    lone = documents[at] == 1
    known = len(text.terms) - np.bincount(row[lone], minlength=len(bags))
    if (known == 0).any():
        return None
    length = np.bincount(row, often, minlength=len(bags))
    mine = np.arange(len(text.whole)) == own[row][:, None]
    here = text.count[:, at].T - mine * often[:, None]
    whole = text.whole - mine * length[row][:, None]
    logs = _shares(here, whole, added(known)[row], known[row], lone)
    logs[lone] = 0.0  # words that no other document has are passed over
    with np.errstate(invalid="ignore"):
        logs *= 1 if text.model == SET else often[:, None]
    out = np.zeros((len(bags), len(text.whole)))
    np.add.at(out, row, logs)
    return out


def _shares(here: Array, whole: Array, extra: Array, known: Array, lone: Array) -> Array:
    """log ((count + extra) / (whole + extra · known)), (n, k).

    A class without any takes the counts of all classes; where nothing is known, or an unknown value
    has nothing added to it, the factor is left out.
    """
    bare = whole + (extra * known)[:, None] <= 0
    here = np.where(bare, here.sum(axis=1, keepdims=True), here)
    whole = np.where(bare, whole.sum(axis=1, keepdims=True), whole)
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log((here + extra[:, None]) / (whole + (extra * known)[:, None]))
    log[(known == 0) | (lone & (extra == 0))] = 0.0
    return np.asarray(log)


def _less(whole: Moments, rows: Moments, own: Array) -> Moments:
    """For every row the moments of its class without it: (n, 1, p)."""
    pairs = (
        (whole.count, rows.count),
        (whole.sums, rows.sums),
        (whole.squares, rows.squares),
    )
    parts = (Exact(mine.limbs[own][:, None], mine.low) - row for mine, row in pairs)
    return Moments(("all",), whole.columns, *parts)
