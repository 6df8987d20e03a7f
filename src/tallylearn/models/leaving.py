"""Leaving one out of naive Bayes: every row judged by the moments of all the others.

Exact moments come apart again: those of all rows, less those of one, are to the bit what a fit
without that row would have summed. So n folds are one subtraction along an axis of folds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tallylearn.models.factors import TINY, check_finite
from tallylearn.models.priors import Priors
from tallylearn.tables import Array, Block, Codes
from tallylearn.tallies import Counts, Exact, Moments

ROWS = 512  # left out together: their moments stay in the processor's cache


@dataclass(frozen=True)
class Others:
    """What was learned from all rows, ready to be less by any one of them."""

    target: Counts
    whole: Moments  # (k, p)
    smoothing: float
    priors: Priors

    @property
    def simple(self) -> bool:
        """Whether every class and every column is still there when any one row is gone."""
        counts = self.target.floats(), self.whole.pooled().count.floats()
        return all(bool((count >= 2).all()) for count in counts)

    def scores(self, block: Block) -> Array | None:
        """log P(x, c) (n, k) of every row under the model of all other rows.

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
            out[here] = found + self._log_prior(by[here])
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
        columns = self._widest(pooled, x) if everywhere else np.arange(x.shape[1])
        others = _less(_picked(pooled, columns), _picked(rows, columns), np.zeros_like(own))
        wide = others.variance  # (n, 1, p)
        if not everywhere:  # a class that never shows a column takes those of all classes
            mean, variance = np.where(seen, mean, others.mean), np.where(seen, variance, wide)
        variance += self.smoothing * wide.max(axis=(1, 2), keepdims=True)
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

    def _log_prior(self, own: Array) -> Array:
        if not self.priors.counted:
            return self.priors.log
        return replace(self.priors, count=self.priors.count - np.eye(len(self.whole.keys))[own]).log


def scores_of_others(
    target: Counts, moments: Moments, smoothing: float, priors: Priors, block: Block
) -> Array | None:
    """log P(x, c) (n, k) of every row under the model of all others; None where a fit is needed."""
    others = Others(target, moments.over(target.keys[0], moments.columns), smoothing, priors)
    weighed = block.weight is not None or not isinstance(block.target, Codes)
    return None if weighed or not others.simple else others.scores(block)


def _less(whole: Moments, rows: Moments, own: Array) -> Moments:
    """For every row the moments of its class without it: (n, 1, p)."""
    pairs = (
        (whole.count, rows.count),
        (whole.sums, rows.sums),
        (whole.squares, rows.squares),
    )
    parts = (Exact(mine.limbs[own][:, None], mine.low) - row for mine, row in pairs)
    return Moments(("all",), whole.columns, *parts)


def _picked(moments: Moments, columns: Array) -> Moments:
    names = tuple(moments.columns[j] for j in columns)
    parts = (part.at(columns) for part in (moments.count, moments.sums, moments.squares))
    return Moments(moments.keys, names, *parts)
