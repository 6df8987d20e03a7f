"""Nearest neighbours by Gower's distance: scores in single precision, then the candidates exactly.

d(x, z) is the mean over the columns that both rows have of |x - z| / range, or 0 or 1 for
categories. Numbers are scaled to the range from 0 to 1, which bounds the error of a score.
J. C. Gower, A general coefficient of similarity and some of its properties, Biometrics 27, 1971.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.kernels import row_distances
from tallylearn.models.neighbors.matrix_search import ROUNDOFF, search_by_scores
from tallylearn.models.neighbors.query_batches import search_in_batches
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest

TILE_QUERIES = 128
MAX_EXACT_CODE = 1 << 24  # integers up to here are exact in single precision


@dataclass(frozen=True)
class GowerSearch:
    """Examples column by column, in single precision."""

    numbers: Array  # (m, p) as they are
    codes: Array  # (m, c)
    least: Array  # (p,)
    scale: Array  # (p,)
    columns: Array  # (p + c, m) float32
    kinds: Array  # (p + c,) 0 a number, 1 a category, and 2 more where there are gaps

    @classmethod
    def of(cls, numbers: Array, codes: Array, scale: Array) -> GowerSearch:
        """Numbers from 0 to 1, and codes."""
        least = np.fmin.reduce(numbers, axis=0, initial=np.inf)
        least = np.where(np.isfinite(least), least, 0.0)
        columns = _to_single_precision(numbers, codes, least, scale).T
        kinds = np.repeat([0, 1], [numbers.shape[1], codes.shape[1]])
        kinds += 2 * np.isnan(columns).any(axis=1)
        return cls(
            numbers=numbers,
            codes=codes,
            least=least,
            scale=scale,
            columns=np.ascontiguousarray(columns),
            kinds=kinds,
        )

    def nearest(self, numbers: Array, codes: Array, k: int) -> Nearest:
        """For every query the k nearest rows and those tied with the k-th."""
        return search_in_batches(
            lambda part: self._nearest(numbers[part], codes[part], k), len(numbers), TILE_QUERIES
        )

    def _nearest(self, numbers: Array, codes: Array, k: int) -> Nearest:
        asked = _to_single_precision(numbers, codes, self.least, self.scale)
        seen = np.empty(self.columns.shape[1], np.float32)

        def score(rows: slice, out: Array) -> None:
            columns = np.ascontiguousarray(self.columns[:, rows])
            with np.errstate(invalid="ignore"):
                row_distances.gower_tile(columns, self.kinds, asked, seen, out)

        def exact(rows: Array, whose: Array) -> Array:
            out = np.empty(len(rows))
            row_distances.gower(
                self.numbers, self.codes, numbers, codes, self.scale, rows, whose, out
            )
            return out

        return search_by_scores(score, exact, len(self.numbers), self._margin(asked), k)

    def _margin(self, asked: Array) -> Array:
        """Twice the most by which a score can be wrong.

        A way between two numbers is off by three units of the larger of them, of which an example's
        is at most 1, and a mean of w of them by as much and w + 1 units of itself.
        """
        p, w = len(self.scale), len(self.columns)
        if self.codes.max(initial=0) >= MAX_EXACT_CODE:
            return np.full(len(asked), np.inf, np.float32)
        with np.errstate(over="ignore"):
            largest = 1 + np.fmax.reduce(np.abs(asked[:, :p]), axis=1, initial=0.0)
            wrong = 2 * (w + 8) * ROUNDOFF * largest
        return np.asarray(wrong, np.float32)


def _to_single_precision(numbers: Array, codes: Array, least: Array, scale: Array) -> Array:
    """(n, p + c) in single precision, gaps not a number."""
    with np.errstate(over="ignore"):
        near = ((numbers - least) / scale).astype(np.float32)
    coded = np.where(codes == -1, np.nan, codes).astype(np.float32)
    return np.hstack([near, coded])
