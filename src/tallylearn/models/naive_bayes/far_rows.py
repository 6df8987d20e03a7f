"""Far rows: compare Gaussian classes of equal or other spread at any distance from their means.

At x = 1e15 the squared distances to the means 0 and 1 are 1e30 and 1e30 - 2e15: they differ by less
than rounding leaves. With a_c = (x - mean_c) / deviation_c their difference is the product
(a_c - a_r) (a_c + a_r), and a_c - a_r = (x - mean_r) (s_c - s_r) - (mean_c - mean_r) s_c with s =
1 / deviation, in which nothing large cancels where the deviations are equal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallylearn.estimators.finite_rows import beyond_a_double
from tallylearn.estimators.model import FAR, ROUNDING_TOLERANCE
from tallylearn.tables import Array, Block, places

CLOSE_SCORES = 1e-6  # of the best score: scores closer than this are compared by their difference


def find_near_ties(scores: Array, least: float = FAR) -> Array:
    """The rows of scores (n, k) whose best classes differ by little beside their own size.

    Or which have none above minus infinity. Scores within ``least`` of 0 are precise enough.
    """
    best = scores.max(axis=1)
    rows = np.flatnonzero(~(np.abs(best) <= least))
    if not len(rows):
        return rows
    near = scores[rows] >= (best[rows] - CLOSE_SCORES * np.abs(best[rows]))[:, None]
    return np.asarray(rows[(near.sum(axis=1) > 1) | ~np.isfinite(best[rows])])


def rows_at(block: Block, rows: Array) -> Block:
    """Some rows of a block, under the numbers that they have in the whole table."""
    return replace(block[rows], start=places(block.start, rows))


def relative_densities(block: Block, mean: Array, low: Array, scale: Array) -> Array:
    """(n, k) minus half the squared distance in deviations, less that of the nearest class."""
    found = relative_distances(block.numbers, mean, low, scale)
    if np.isnan(found).any():
        raise beyond_a_double(block, np.isnan(found.sum(axis=1)), "distance from the classes")
    return found


def relative_distances(numbers: Array, mean: Array, low: Array, scale: Array) -> Array:
    """The same of rows (n, p); NaN where even the difference is beyond a double.

    Classes that differ by rounding alone get 0, as the nearest does. Missing values are left out.
    """
    x = np.where(np.isnan(numbers), 0.0, numbers)[:, None, :]
    size = np.maximum(np.abs(x).max(axis=(1, 2), keepdims=True), 1.0)
    unit = np.ldexp(1.0, -np.frexp(size)[1])  # brings every row to 1 or less
    shown = ~np.isnan(numbers)[:, None, :]
    with np.errstate(over="ignore", invalid="ignore"):
        away = np.where(shown, ((x * unit - mean * unit) - low * unit) * scale, 0.0)
        nearest = (away**2).sum(axis=2).argmin(axis=1)
        at = np.arange(len(x))
        origin = mean[nearest, :], low[nearest, :], scale[nearest, :]
        m, rest, s = (part[:, None, :] for part in origin)
        apart = ((x - m) - rest) * (scale - s) - ((mean - m) + (low - rest)) * scale
        own = away[at, nearest][:, None, :]
        found = -np.where(shown, apart * (0.5 * away + 0.5 * own), 0.0).sum(axis=2)
        size = np.abs(apart) * (0.5 * np.abs(away) + 0.5 * np.abs(own))  # in the middle they cancel
        slack = ROUNDING_TOLERANCE * np.where(shown, size, 0.0).sum(axis=2)
        found[np.abs(found) <= slack] = 0.0
        found -= found.max(axis=1, keepdims=True)
        found /= unit[:, :, 0]
    return np.asarray(found)
