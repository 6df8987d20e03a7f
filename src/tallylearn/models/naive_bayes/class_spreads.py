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
        wide = moments.pool().variance
    except OverflowError:
        raise too_wide(moments) from None
    at = np.flatnonzero((wide > 0).reshape(-1, wide.shape[-1]).any(axis=0))
    if len(at) == len(moments.columns) or (alone and not len(at)):
        return moments
    return moments.select_columns(at)


def too_wide(moments: Moments) -> ColumnError:
    for name in moments.columns:
        try:
            one = moments.reindex(moments.keys, moments.columns)
            at = np.arange(len(one.keys)), np.array([one.columns.index(name)])
            part = Moments(
                one.keys, (name,), one.count.take(*at), one.sums.take(*at), one.squares.take(*at)
            )
            _ = part.variance, part.pool().variance
        except OverflowError:
            return ColumnError(
                f"the variance of column {name!r} overflows a double. Divide it by a constant."
            )
    return ColumnError(
        "the variance of a column overflows a double. Divide the columns by a constant."
    )
