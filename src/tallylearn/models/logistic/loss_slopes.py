"""Slopes: what rows say at some weights: the loss, its gradient, and its curvature.

Weights are those of columns that are centred and scaled, the constant first, so that steps of equal
length mean equally much along every column.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tallylearn import engines
from tallylearn.blas import one_thread
from tallylearn.kernels import likelihoods
from tallylearn.models.logistic.sparse_rows import NONE, Rows
from tallylearn.tables import Array

TILE = 1 << 17  # numbers of the rows that are worked on at a time: they stay in the cache
FEW = 256  # rows of a tile at least
CURVES = np.empty((0, 0))
SHARED = 1 << 23  # products that are worth a thread
LEAST = 2048  # rows of a share, each of which has sums of its own


@dataclass(frozen=True)
class Scaling:
    """Columns of a design become (x - centre) / scale, and words count / scale."""

    centre: Array  # (p,)
    scale: Array  # (p + v,)
    m: int  # sums: 1, one less than the classes (the first is compared with), or one for each
    k: int  # classes
    squared: bool = False  # half the squared errors in the place of the cross-entropy

    @property
    def p(self) -> int:
        return len(self.centre)

    @property
    def width(self) -> int:
        """Weights of one sum, the constant among them."""
        return 1 + len(self.scale)

    def plain(self, theta: Array) -> tuple[Array, Array]:
        """Weights (m, p + v) and constants (m,) of the columns as they came."""
        weights = theta[:, 1:] / self.scale
        return weights, theta[:, 0] - weights[:, : self.p] @ self.centre

    def scaled(self, weights: Array, bias: Array) -> Array:
        """The inverse of ``plain``."""
        first = bias + weights[:, : self.p] @ self.centre
        return np.hstack([first[:, None], weights * self.scale])


@dataclass(frozen=True)
class Slope:
    """Sums over rows; ``least`` is how far the true class is ahead in the worst of them."""

    weight: float
    loss: float
    least: float
    gradient: Array  # (m, width)
    curvature: Array  # (m * width, m * width), or (0, 0)

    def __add__(self, other: Slope) -> Slope:
        return Slope(
            self.weight + other.weight,
            self.loss + other.loss,
            min(self.least, other.least),
            self.gradient + other.gradient,
            self.curvature + other.curvature,
        )


def slope_of(rows: Rows, scaling: Scaling, theta: Array, curved: bool) -> Slope:
    """What rows say at these weights: in shares, on threads, where each of them is much work.

    How rows are shared out depends on them alone: a sum has the same bits on any number of threads.
    """
    each = theta.size**2 if curved else theta.size
    share = max(LEAST, SHARED // each)
    if rows.words is not None or len(rows) < 2 * share:
        return _slope(rows, scaling, theta, curved)
    call = partial(_slope, scaling=scaling, theta=theta, curved=curved)
    found = engines.each(call, [rows.cut(at, at + share) for at in range(0, len(rows), share)])
    return sum(found[1:], start=found[0])


def _slope(rows: Rows, scaling: Scaling, theta: Array, curved: bool) -> Slope:
    size = theta.size if curved else 0
    gradient, curvature = np.zeros(theta.shape), np.zeros((size, size))
    sums = np.array([0.0, np.inf, float(scaling.m < scaling.k)])
    dense = curved or rows.words is None
    width = scaling.width if dense else 1 + scaling.p
    step = max(FEW, TILE // max(1, width * (scaling.m if curved else 1)))
    laid = np.zeros((min(step, len(rows)), width))
    with one_thread():
        for start in range(0, len(rows), step):
            stop = min(start + step, len(rows))
            _add_tile(rows, (start, stop), scaling, theta, laid, (gradient, curvature, sums))
    weight = float(rows.weight.sum()) if rows.weight.size else float(len(rows))
    return Slope(weight, float(sums[0]), float(sums[1]), gradient, curvature)


def _add_tile(
    rows: Rows, at: tuple[int, int], scaling: Scaling, theta: Array, laid: Array,
    out: tuple[Array, Array, Array],
) -> None:  # fmt: skip
    gradient, curvature, sums = out
    here, n = slice(*at), at[1] - at[0]
    tile, words = laid[:n], None if rows.words is None else rows.words.cut(*at)
    likelihoods.lay(rows.x[here], scaling.centre, 1 / scaling.scale[: scaling.p], tile)
    if words is not None and tile.shape[1] > 1 + scaling.p:
        tile[:, 1 + scaling.p :] = 0.0
        row = np.repeat(np.arange(n), np.diff(words.ends))
        tile[row, 1 + scaling.p + words.ids] = words.times / scaling.scale[scaling.p + words.ids]
        words = None
    scores = np.ascontiguousarray(tile @ theta[:, : tile.shape[1]].T)
    if words is not None:
        table = np.ascontiguousarray((theta[:, 1 + scaling.p :] / scaling.scale[scaling.p :]).T)
        likelihoods.gather(words.ids, words.ends, words.times, table, scores)
    weight = rows.weight[here] if rows.weight.size else NONE
    errors, shares = _errors(scores, rows.y[here], weight, scaling, sums, bool(curvature.size))
    gradient[:, : tile.shape[1]] += errors.T @ tile
    if words is not None:
        found = np.zeros((len(scaling.scale) - scaling.p, scaling.m))
        likelihoods.spread(words.ids, words.ends, words.times, errors, found)
        gradient[:, 1 + scaling.p :] += found.T / scaling.scale[scaling.p :]
    if curvature.size:
        _add_curvature(tile, shares, weight, curvature)


def _errors(
    scores: Array, y: Array, weight: Array, scaling: Scaling, sums: Array, curved: bool
) -> tuple[Array, Array]:
    """(n, m) errors; and the roots of h (1 - h) of two classes, or the shares of several."""
    errors = np.empty_like(scores)
    if scaling.m > 1:
        truth = y - 1 if scaling.m < scaling.k else y
        likelihoods.several(scores, np.ascontiguousarray(truth), weight, errors, sums)
        return errors, scores
    curve = np.empty(len(scores) if curved else 0)
    likelihoods.two(scores[:, 0], y, weight, scaling.squared, errors[:, 0], curve, sums)
    return errors, curve


def _add_curvature(tile: Array, shares: Array, weight: Array, out: Array) -> None:
    """Add X' D X: of several classes diag(h) - h h' for every row, times x x'."""
    if shares.ndim == 1:
        weighed = np.empty_like(tile)
        likelihoods.weigh(tile, shares, weighed)
        out += weighed.T @ weighed
        return
    n, width = tile.shape
    root = np.sqrt(weight) if weight.size else np.ones(n)
    both = np.empty((n, shares.shape[1], width))
    each = np.empty_like(tile)
    for c in range(shares.shape[1]):
        likelihoods.weigh(tile, root * np.sqrt(shares[:, c]), each)
        at = slice(c * width, (c + 1) * width)
        out[at, at] += each.T @ each
        both[:, c] = tile * (root * shares[:, c])[:, None]
    flat = both.reshape(n, -1)
    out -= flat.T @ flat
