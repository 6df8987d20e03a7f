"""Leaving one out of naive Bayes: every row judged by the counts and moments of all the others.

Exact tallies come apart again: that of all rows, less that of one, is to the bit what a fit without
that row would have summed. So n folds are one subtraction along an axis of folds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tallylearn.models.naive_bayes.class_priors import Priors
from tallylearn.models.naive_bayes.class_spreads import TABLE, Smoothing, varying
from tallylearn.models.naive_bayes.column_factors import MIN_VARIANCE, check_finite
from tallylearn.models.naive_bayes.text_factors import SET, Texts
from tallylearn.tables import Array, Block, Codes, DocumentTerms
from tallylearn.tallies import Counts, Moments
from tallylearn.tallies.keys import Keys
from tallylearn.tallies.leave_one_out_moments import LeaveOneOutMoments

Added = Callable[[Array], Array]  # what is added to a count, where so many values are known
ROWS = 512  # left out together: their moments stay in the processor's cache
ROUNDING = 1e-6  # what doubles may make of a bound, with room to spare
MOST_DEVIATIONS = 1e6  # from zero to a mean: beyond, a fit works its further digits out


@dataclass(frozen=True)
class Densities:
    """The moments of all rows, by class and together, ready to be less by any one of them."""

    by_class: LeaveOneOutMoments  # (k, p)
    together: LeaveOneOutMoments  # (1, p)
    smoothing: Smoothing

    @property
    def simple(self) -> bool:
        """Whether every column is still there when any one row is gone."""
        return bool((self.together.count >= 2).all())

    def scores(self, block: Block) -> Array | None:
        """log P(x | c) (n, k) of every row under the model of all other rows.

        None where a class would have no spread in a column: a fit says so.
        """
        check_finite(block)
        whole = self.by_class.whole
        at = [block.schema.numbers.index(str(name)) for name in whole.columns]
        x, by = np.ascontiguousarray(block.numbers[:, at]), block.target.recode(whole.keys)
        out = np.empty((len(x), len(whole.keys)))
        for a in range(0, len(x), ROWS):
            here = slice(a, a + ROWS)
            found = self._densities(x[here], by[here])
            if found is None:
                return None
            out[here] = found
        return out

    def _densities(self, x: Array, own: Array) -> Array | None:
        others, at = self.by_class, np.arange(len(x))
        parts = others.mean, others.variance, others.count > 0
        mean, variance, seen = (np.tile(part, (len(x), 1, 1)) for part in parts)
        mean[at, own], variance[at, own] = others.leave_out(x, own)
        seen[at, own] = others.count[own] > ~np.isnan(x)
        if not self._smooth(x, mean, variance, seen) or not (variance >= MIN_VARIANCE).all():
            return None
        away = x[:, None, :] - mean
        log = -0.5 * (np.log(2 * np.pi * variance) + away * away / variance)
        return np.asarray(np.where(np.isnan(away), 0.0, log).sum(axis=2))

    def _smooth(self, x: Array, mean: Array, variance: Array, seen: Array) -> bool:
        """Smooth the variances (n, k, p) in place; False where a column is constant without a row.

        A fit passes over such a column. A class that never shows one takes those of all classes.
        """
        columns = np.flatnonzero(self._telling(x, variance, seen))
        if not len(columns):
            return True
        both = self.together.select_columns(columns).leave_out(
            x[:, columns], np.zeros(len(x), dtype=int)
        )
        centre, wide = (part[:, None, :] for part in both)  # (n, 1, p)
        for part, pooled in ((mean, centre), (variance, wide)):
            part[..., columns] = np.where(seen[..., columns], part[..., columns], pooled)
        at = slice(None) if self.smoothing.by == TABLE else columns
        variance[..., at] = self.smoothing(variance[..., at], wide)
        return bool((wide > 0).all())

    def _telling(self, x: Array, variance: Array, seen: Array) -> Array:
        """The columns (p,) whose variance over all rows may have a say in any of these rows.

        Without a row it is at most n / (n - 1) times as large. Where all classes have more than a
        share of that, none takes it.
        """
        n, by_table = self.together.count[0], self.smoothing.by == TABLE
        most = self.together.variance[0] * n / (n - 1)
        share = 0.0 if by_table else self.smoothing.share * (1 + ROUNDING)
        found = np.asarray(((variance <= share * most) | ~seen).any(axis=(0, 1)))
        return found | self._find_widest(x) if by_table else found

    def _find_widest(self, x: Array) -> Array:
        """The columns that may have the largest variance when a row is gone: it alone is needed."""
        n, mean, variance = (
            part[0] for part in (self.together.count, self.together.mean, self.together.variance)
        )
        left = n / (n - 1) * (variance - np.nan_to_num(x - mean) ** 2 / (n - 1))
        most = left.max(axis=1, keepdims=True, initial=0.0)  # of no column, where none varies
        near = left >= most - ROUNDING * variance.max(initial=0.0)
        return np.asarray(near.any(axis=0))


def prior_of_others(priors: Priors, own: Array) -> Array:
    """log P(c) (n, k) where every row in turn is not counted; (k,) where nothing is counted."""
    if not priors.counted:
        return priors.log
    return replace(priors, count=(priors.count - np.eye(len(priors.classes))[own]).clip(0)).log


def numbers_of_others(
    moments: Moments, classes: Keys, smoothing: Smoothing, block: Block
) -> Array | None:
    """log P(x | c) (n, k) of every row's numbers by all other rows; None where a fit is needed."""
    whole = varying(moments.reindex(classes, moments.columns))
    found = Densities(LeaveOneOutMoments.of(whole), LeaveOneOutMoments.of(whole.pool()), smoothing)
    by_class = found.by_class
    spread = by_class.variance  # 0: all values are equal, and so is their mean
    far = ((spread > 0) & (spread < (by_class.mean / MOST_DEVIATIONS) ** 2)).any()
    return found.scores(block) if found.simple and not far else None


def value_of_others(counts: Counts, classes: Keys, codes: Codes, own: Array, added: Added) -> Array:
    """log P(x | c) (n, k) of every row's category by all other rows; 0 where it is missing.

    A value that only its own row has is unknown to the others, unless it is declared.
    """
    values = counts.keys[1]
    count = counts.reindex(classes, values).floats()  # (k, v)
    at = codes.recode(tuple(map(str, values)))
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
    text: Texts, documents: Array, bags: DocumentTerms, own: Array, added: Added
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
