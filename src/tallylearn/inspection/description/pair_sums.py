"""Pairs of columns: covariance and correlation over the rows that show both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array

NOISE = 1e-12  # relative: what rounding leaves of a variance of nothing


@dataclass(frozen=True)
class PairSums:
    """Of every pair (i, j): rows, sum of i, of its squares, and of the products, where both show.

    The numbers are distances from a centre that all blocks share, so the sums add up, and what is
    taken from them loses nothing to a large mean.
    """

    rows: Array  # (p, p)
    sums: Array  # (p, p) of column i
    squares: Array  # (p, p) of column i
    products: Array  # (p, p)

    @classmethod
    def of(cls, x: Array, weight: Array | None) -> PairSums:
        """Of numbers (n, p), NaN where missing."""
        shown = ~np.isnan(x)
        with one_thread():
            if shown.all():
                return cls._whole(x, weight)
            x = np.where(shown, x, 0.0)
            there = shown.astype(np.float64)
            heavy = there if weight is None else there * weight[:, None]
            y = x if weight is None else x * weight[:, None]
            return cls(heavy.T @ there, y.T @ there, (y * x).T @ there, y.T @ x)

    @classmethod
    def _whole(cls, x: Array, weight: Array | None) -> PairSums:
        p = x.shape[1]
        y = x if weight is None else x * weight[:, None]
        products = y.T @ x
        rows = np.full((p, p), float(len(x)) if weight is None else weight.sum())
        sums = np.tile(y.sum(axis=0)[:, None], (1, p))
        return cls(rows, sums, np.tile(np.diag(products)[:, None], (1, p)), products)

    def __add__(self, other: PairSums) -> PairSums:
        return PairSums(
            self.rows + other.rows, self.sums + other.sums, self.squares + other.squares,
            self.products + other.products,
        )  # fmt: skip

    def __radd__(self, zero: int) -> PairSums:
        return self

    @property
    def scatter(self) -> Array:
        """(p, p) the sum of the products of both distances from the mean."""
        return np.asarray(self.products - self.sums * self.sums.T / np.maximum(self.rows, 1e-300))

    def covariance(self, less: int) -> Array:
        """Divided by the rows, ``less`` 1 or 0; NaN where nothing is left of them."""
        below = self.rows - less
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(below > 0, self.scatter / below, np.nan)

    def correlation(self) -> Array:
        """Pearson's r; NaN where one of the two columns does not vary."""
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = self.squares - self.sums**2 / self.rows
            spread = np.where(spread > NOISE * self.squares, spread, np.nan)
            found = self.scatter / np.sqrt(spread) / np.sqrt(spread.T)
        found = np.clip(found, -1.0, 1.0)
        np.fill_diagonal(found, np.where(np.isnan(np.diag(found)), np.nan, 1.0))
        return np.asarray((found + found.T) / 2)
