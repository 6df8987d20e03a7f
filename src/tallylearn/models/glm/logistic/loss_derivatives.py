"""Slopes: what rows say at some weights: the loss, its gradient, and its curvature.

Weights are those of columns that are centred and scaled, the constant first, so that steps of equal
length mean equally much along every column.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from tallylearn import engines
from tallylearn.kernels import logistic_loss, sparse_rows
from tallylearn.models.glm.logistic.hessian_choice import Columns
from tallylearn.models.glm.logistic.sparse_rows import NONE, Rows, Words
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array

TILE = 1 << 17  # numbers of the rows that are worked on at a time: they stay in the cache
FEW = 256  # rows of a tile at least
CURVES = np.empty((0, 0))
SHARED = 1 << 23  # products that are worth a thread
LEAST = 2048  # rows of a share, each of which has sums of its own
WORDED = 16  # times as many words as weights are worth sums of their own


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
class Question:
    """What rows are asked: what they say at some weights, or how that changes along others."""

    theta: Array  # (m, width)
    curved: str = ""  # "whole", "alone": every column as if there were no others, or "chosen"
    along: Array | None = None  # (m, width): the change of the gradient along it, not the gradient
    chosen: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # (s,) of m * width


@dataclass(frozen=True)
class Slope:
    """Sums over rows; ``least`` is how far the true class is ahead in the worst of them."""

    weight: float
    loss: float
    least: float
    gradient: Array  # (m, width)
    curvature: Array  # (m * width, m * width), chosen (s, s), of columns alone (2 * m, width)

    def __add__(self, other: Slope) -> Slope:
        return Slope(
            self.weight + other.weight,
            self.loss + other.loss,
            min(self.least, other.least),
            self.gradient + other.gradient,
            self.curvature + other.curvature,
        )


def slope_of(rows: Rows, scaling: Scaling, asked: Question) -> Slope:
    """What rows say at these weights: in shares, on threads, where each of them is much work.

    How rows are shared out depends on them alone: a sum has the same bits on any number of threads.
    """
    call, share = partial(_slope, scaling=scaling, asked=asked), _share(rows, asked)
    if len(rows) < 2 * share:
        return call(rows)
    found = engines.map_threads(
        call, [rows.cut(at, at + share) for at in range(0, len(rows), share)]
    )
    return sum(found[1:], start=found[0])


def _share(rows: Rows, asked: Question) -> int:
    """Rows that are worth a thread: of words, as many as have some for every weight of the sums."""
    size = asked.theta.size
    if rows.words is None:
        square = {"whole": size, "chosen": len(asked.chosen)}.get(asked.curved, 0) ** 2
        return max(LEAST, SHARED // max(size, square))
    each = max(1.0, len(rows.words.ids) / max(1, len(rows))) * len(asked.theta)
    return max(LEAST, int(WORDED * size / each))


def _slope(rows: Rows, scaling: Scaling, asked: Question) -> Slope:
    m, size = scaling.m, asked.theta.size
    kept = {
        "": (0, 0), "whole": (size, size), "alone": (2 * m, scaling.width),
        "chosen": (len(asked.chosen),) * 2,
    }[asked.curved]  # fmt: skip
    gradient, curvature = np.zeros((m, scaling.width)), np.zeros(kept)
    sums = np.array([0.0, np.inf, float(m < scaling.k)])
    whole = asked.curved == "whole"
    width = scaling.width if whole or rows.words is None else 1 + scaling.p
    step = max(FEW, TILE // max(1, width * (m if whole else 1)))
    laid = np.zeros((min(step, len(rows)), width))
    with one_thread():
        for start in range(0, len(rows), step):
            stop = min(start + step, len(rows))
            _add_tile(rows, (start, stop), scaling, asked, laid, (gradient, curvature, sums))
    weight = float(rows.weight.sum()) if rows.weight.size else float(len(rows))
    return Slope(weight, float(sums[0]), float(sums[1]), gradient, curvature)


def _add_tile(
    rows: Rows, at: tuple[int, int], scaling: Scaling, asked: Question, laid: Array,
    out: tuple[Array, Array, Array],
) -> None:  # fmt: skip
    gradient, curvature, sums = out
    here, n = slice(*at), at[1] - at[0]
    tile, words = laid[:n], None if rows.words is None else rows.words.cut(*at)
    logistic_loss.lay(rows.x[here], scaling.centre, 1 / scaling.scale[: scaling.p], tile)
    if words is not None and tile.shape[1] > 1 + scaling.p:
        tile[:, 1 + scaling.p :] = 0.0
        row = np.repeat(np.arange(n), np.diff(words.ends))
        tile[row, 1 + scaling.p + words.ids] = words.times / scaling.scale[scaling.p + words.ids]
        words = None
    laid_out = Laid(tile, words, scaling)
    weight = rows.weight[here] if rows.weight.size else NONE
    both = asked.theta if asked.along is None else np.vstack([asked.theta, asked.along])
    scores, along = np.split(laid_out.scores(both), [scaling.m], axis=1)
    errors, shares = _errors(
        np.ascontiguousarray(scores), rows.y[here], weight, scaling, sums,
        bool(asked.curved or along.size),
    )  # fmt: skip
    gradient += laid_out.spread(_bent(shares, along, weight) if along.size else errors)
    if asked.curved == "whole":
        _add_curvature(tile, shares, weight, curvature)
    elif asked.curved == "chosen":
        columns = Columns(tile, words, scaling.scale[scaling.p :])
        columns.add(asked.chosen, scaling.width, shares, weight, curvature)
    elif asked.curved:
        doubt = _doubt(shares, weight)
        curvature[: scaling.m] += laid_out.spread(doubt)
        curvature[scaling.m :] += laid_out.squared().spread(doubt)


@dataclass(frozen=True)
class Laid:
    """Some rows as scaled columns, and their words, which are not laid out."""

    tile: Array  # (n, 1 + p), or with the words among it (n, width)
    words: Words | None
    scaling: Scaling

    @property
    def _scale(self) -> Array:
        return self.scaling.scale[self.scaling.p :]

    def scores(self, theta: Array) -> Array:
        """(n, m) the sums under weights (m, width)."""
        at = self.tile.shape[1]
        found = np.ascontiguousarray(self.tile @ theta[:, :at].T)
        if self.words is not None:
            table = np.ascontiguousarray((theta[:, at:] / self._scale).T)
            sparse_rows.gather(self.words.ids, self.words.ends, self.words.times, table, found)
        return found

    def spread(self, errors: Array) -> Array:
        """(m, width) the sums of the columns, each times what a row is off by (n, m)."""
        dense = errors.T @ self.tile
        if self.words is None:
            return np.asarray(dense)
        found = np.zeros((len(self._scale), errors.shape[1]))
        errors, words = np.ascontiguousarray(errors), self.words
        sparse_rows.spread(words.ids, words.ends, words.times, errors, found)
        return np.hstack([dense, found.T / self._scale])

    def squared(self) -> Laid:
        """The same rows, with the squares of all that stands in them."""
        words = self.words and replace(self.words, times=self.words.times**2)
        return Laid(self.tile**2, words, replace(self.scaling, scale=self.scaling.scale**2))


def _doubt(shares: Array, weight: Array) -> Array:
    """(n, m) h (1 - h) of every row, times its weight: how much it would move."""
    if shares.ndim == 1:
        return np.asarray(shares[:, None] ** 2)
    found = shares * (1 - shares)
    return np.asarray(found * weight[:, None] if weight.size else found)


def _bent(shares: Array, along: Array, weight: Array) -> Array:
    """(n, m) how the errors of the rows change where their scores change so."""
    if shares.ndim == 1:
        return _doubt(shares, weight) * along
    found = shares * along
    found -= shares * found.sum(axis=1, keepdims=True)
    return np.asarray(found * weight[:, None] if weight.size else found)


def _errors(
    scores: Array, y: Array, weight: Array, scaling: Scaling, sums: Array, curved: bool
) -> tuple[Array, Array]:
    """(n, m) errors; and the roots of h (1 - h) of two classes, or the shares of several."""
    errors = np.empty_like(scores)
    if scaling.m > 1:
        truth = y - 1 if scaling.m < scaling.k else y
        logistic_loss.several(scores, np.ascontiguousarray(truth), weight, errors, sums)
        return errors, scores
    curve = np.empty(len(scores) if curved else 0)
    logistic_loss.two(scores[:, 0], y, weight, scaling.squared, errors[:, 0], curve, sums)
    return errors, curve


def _add_curvature(tile: Array, shares: Array, weight: Array, out: Array) -> None:
    """Add X' D X: of several classes diag(h) - h h' for every row, times x x'."""
    if shares.ndim == 1:
        weighed = np.empty_like(tile)
        logistic_loss.weigh(tile, shares, weighed)
        out += weighed.T @ weighed
        return
    n, width = tile.shape
    root = np.sqrt(weight) if weight.size else np.ones(n)
    both = np.empty((n, shares.shape[1], width))
    each = np.empty_like(tile)
    for c in range(shares.shape[1]):
        logistic_loss.weigh(tile, root * np.sqrt(shares[:, c]), each)
        at = slice(c * width, (c + 1) * width)
        out[at, at] += each.T @ each
        both[:, c] = tile * (root * shares[:, c])[:, None]
    flat = both.reshape(n, -1)
    out -= flat.T @ flat
