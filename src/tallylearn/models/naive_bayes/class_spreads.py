"""Spreads: how far numbers lie apart within a class, where they hardly do and where not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.errors import ColumnError
from tallylearn.tables import Array
from tallylearn.tallies import Moments

COLUMN, TABLE = "column", "table"  # whose variance the smoothing is a share of


@dataclass(frozen=True)
class Smoothing:
    """A class in which a column hardly varies has a variance all the same.

    By column, one below a share of the column's variance over all rows is none, and that takes its
    place: a unit changes nothing. By table, a share of the largest is added to every variance.
    """

    share: float
    by: str = COLUMN

    def __call__(self, variance: Array, wide: Array) -> Array:
        """The variances (..., k, p), where those over all rows are ``wide`` (..., 1, p)."""
        if self.by == COLUMN:
            return np.where(variance < self.share * wide, wide, variance)
        return np.asarray(variance + self.share * wide.max(axis=(-2, -1), keepdims=True))


def varying(moments: Moments, alone: bool = False) -> Moments:
    """The columns that are not the same in every row; all, where none varies and they are alone."""
    try:
        wide = moments.pooled().variance
    except OverflowError:
        raise too_wide(moments) from None
    at = np.flatnonzero((wide > 0).reshape(-1, wide.shape[-1]).any(axis=0))
    if len(at) == len(moments.columns) or (alone and not len(at)):
        return moments
    return moments.picked(at)


def too_wide(moments: Moments) -> ColumnError:
    for name in moments.columns:
        try:
            one = moments.over(moments.keys, moments.columns)
            at = np.arange(len(one.keys)), np.array([one.columns.index(name)])
            part = Moments(
                one.keys, (name,), one.count.at(*at), one.sums.at(*at), one.squares.at(*at)
            )
            _ = part.variance, part.pooled().variance
        except OverflowError:
            return ColumnError(
                f"column {name!r} has numbers so large that their variance is beyond a double. "
                "Rescale it."
            )
    return ColumnError(
        "the numbers are so large that their variance is beyond a double. Rescale them."
    )
