"""Losses and their derivatives, summed over rows.

A loss is a function of the linear scores s = X θ' of a row and of its target. Coefficients θ
(m, width) belong to standardised columns, the intercept first: steps of equal length mean equally
much along every column. One pass over the rows gives

    Σ w l(y, s),   its gradient Σ w l'(y, s) x,   and on request its Hessian Σ w l''(y, s) x x',

the full Hessian, its diagonal, some of its rows and columns, or its product with a vector.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations_with_replacement

import numpy as np

from tallylearn import engines
from tallylearn.kernels import logistic_loss, sparse_rows
from tallylearn.models.glm.design_rows import NONE, DesignRows, WordCounts
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array

# What of the Hessian a pass sums up
NO_HESSIAN = ""
FULL = "full"  # (M, M), M = m * width
DIAGONAL = "diagonal"  # (2 m, width): Σ w l'' x and Σ w l'' x², for a preconditioner
SUBSET = "subset"  # (s, s), of some coefficients

CACHED_NUMBERS = 1 << 17  # numbers of the rows that are worked on at a time: 1 MB, a level-2 cache
MIN_TILE_ROWS = 256  # below, the calls of a tile take longer than its products
THREAD_PRODUCTS = 1 << 23  # multiplications that are worth a thread: about 5 ms
MIN_THREAD_ROWS = 2048  # every share of the rows has sums of its own, which are added
THREAD_WORDS = 16  # times as many words as coefficients: fewer do not pay for sums of their own


@dataclass(frozen=True)
class Standardisation:
    """Columns become (x - centre) / scale, and counts of words count / scale."""

    centre: Array  # (p,)
    scale: Array  # (p + v,)

    @property
    def n_columns(self) -> int:
        """p: columns that are no words."""
        return len(self.centre)

    @property
    def width(self) -> int:
        """Coefficients of one score, the intercept among them."""
        return 1 + len(self.scale)

    def original(self, coef: Array) -> tuple[Array, Array]:
        """Coefficients (m, p + v) and intercepts (m,) of the columns in their own units."""
        weights = coef[:, 1:] / self.scale
        return weights, coef[:, 0] - weights[:, : self.n_columns] @ self.centre

    def standardise(self, weights: Array, intercepts: Array) -> Array:
        """The inverse of ``original``."""
        first = intercepts + weights[:, : self.n_columns] @ self.centre
        return np.hstack([first[:, None], weights * self.scale])


@dataclass(frozen=True)
class LossDerivatives:
    """Sums over rows: the loss and its derivatives at some coefficients."""

    weight: float  # of the rows
    loss: float
    margin: float  # the least over the rows: score of the true class minus the best other
    gradient: Array  # (m, width)
    hessian: Array  # (M, M), (s, s), (2 m, width), or (0, 0)

    def __add__(self, other: LossDerivatives) -> LossDerivatives:
        return LossDerivatives(
            self.weight + other.weight,
            self.loss + other.loss,
            min(self.margin, other.margin),
            self.gradient + other.gradient,
            self.hessian + other.hessian,
        )


class Loss(ABC):
    """A loss of linear scores; frozen, small and picklable, so that it travels to the rows."""

    n_scores: int  # m: linear scores of a row

    @property
    def has_reference_class(self) -> bool:
        """Whether a class without coefficients has the score 0."""
        return False

    @abstractmethod
    def derivatives(
        self, scores: Array, y: Array, weight: Array, sums: Array, *, curved: bool
    ) -> tuple[Array, Array]:
        """First derivatives (n, m) by the scores, times the weights; and what l'' follows from.

        The second is (n,) roots of w l'' where there is one score, or (n, m) shares of the classes,
        whose l'' is diag(h) - h h'. ``sums`` gets the loss added, and the least margin.
        """


@dataclass(frozen=True)
class LogisticLoss(Loss):
    """The cross-entropy of classes, or half the squared error of two.

    Two classes have one score, the log-odds of the second. More have a score each; or all but the
    first have, and the first, with which they are compared, has the score 0.
    """

    n_scores: int
    n_classes: int
    squared: bool = False

    @property
    def has_reference_class(self) -> bool:
        return self.n_scores < self.n_classes

    def derivatives(
        self, scores: Array, y: Array, weight: Array, sums: Array, *, curved: bool
    ) -> tuple[Array, Array]:
        errors = np.empty_like(scores)
        if self.n_scores > 1:
            truth = y - 1 if self.has_reference_class else y
            logistic_loss.several(scores, np.ascontiguousarray(truth), weight, errors, sums)
            return errors, scores
        roots = np.empty(len(scores) if curved else 0)
        logistic_loss.two(scores[:, 0], y, weight, self.squared, errors[:, 0], roots, sums)
        return errors, roots


@dataclass(frozen=True)
class PoissonLoss(Loss):
    """The negative log-likelihood μ - y s of counts y with the mean μ = exp(s), without ln y!."""

    n_scores: int = 1

    def derivatives(
        self, scores: Array, y: Array, weight: Array, sums: Array, *, curved: bool
    ) -> tuple[Array, Array]:
        with np.errstate(over="ignore"):  # infinite: the line search takes a shorter step
            mean = np.exp(scores[:, 0])
        weighted = mean * weight if weight.size else mean
        losses = mean - y * scores[:, 0]
        sums[0] += losses @ weight if weight.size else losses.sum()
        first = weighted - (y * weight if weight.size else y)
        return first[:, None], np.sqrt(weighted) if curved else NONE


@dataclass(frozen=True)
class LossAt:
    """The call that sums a loss and its derivatives over rows, at some coefficients."""

    loss: Loss
    columns: Standardisation
    coef: Array  # (m, width)
    hessian: str = NO_HESSIAN
    subset: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # (s,) of m * width
    direction: Array | None = None  # (m, width): the gradient is the Hessian times it instead

    def __call__(self, rows: DesignRows) -> LossDerivatives:
        """Over a block, in shares on threads where each of them is much work.

        The shares depend on the rows alone, so that sums have the same bits on any number of
        threads.
        """
        share = self._rows_of_a_share(rows)
        if len(rows) < 2 * share:
            return self._sum_derivatives(rows)
        shares = [rows.cut(at, at + share) for at in range(0, len(rows), share)]
        found = engines.map_threads(partial(LossAt._sum_derivatives, self), shares)
        return sum(found[1:], start=found[0])

    def _rows_of_a_share(self, rows: DesignRows) -> int:
        size = self.coef.size
        if rows.words is None:
            square = {FULL: size, SUBSET: len(self.subset)}.get(self.hessian, 0) ** 2
            return max(MIN_THREAD_ROWS, THREAD_PRODUCTS // max(size, square))
        each = max(1.0, len(rows.words.ids) / max(1, len(rows))) * len(self.coef)
        return max(MIN_THREAD_ROWS, int(THREAD_WORDS * size / each))

    def _sum_derivatives(self, rows: DesignRows) -> LossDerivatives:
        m, width, p = self.loss.n_scores, self.columns.width, self.columns.n_columns
        shape = {
            NO_HESSIAN: (0, 0), FULL: (m * width, m * width), DIAGONAL: (2 * m, width),
            SUBSET: (len(self.subset),) * 2,
        }[self.hessian]  # fmt: skip
        gradient, hessian = np.zeros((m, width)), np.zeros(shape)
        sums = np.array([0.0, np.inf, float(self.loss.has_reference_class)])
        full = self.hessian == FULL
        wide = width if full or rows.words is None else 1 + p
        step = max(MIN_TILE_ROWS, CACHED_NUMBERS // max(1, wide * (m if full else 1)))
        numbers = np.zeros((min(step, len(rows)), wide))
        with one_thread():
            for start in range(0, len(rows), step):
                tile = Tile.of(rows.cut(start, start + step), self.columns, numbers)
                self._add(tile, (gradient, hessian, sums))
        weight = float(rows.weight.sum()) if rows.weight.size else float(len(rows))
        return LossDerivatives(weight, float(sums[0]), float(sums[1]), gradient, hessian)

    def _add(self, tile: Tile, out: tuple[Array, Array, Array]) -> None:
        """Add the sums over a tile of rows to those of the others."""
        gradient, hessian, sums = out
        m, weight = self.loss.n_scores, tile.rows.weight
        both = self.coef if self.direction is None else np.vstack([self.coef, self.direction])
        scores, along = np.split(tile.scores(both), [m], axis=1)
        if tile.rows.offset.size:
            scores = scores + tile.rows.offset[:, None]
        curved = bool(self.hessian or along.size)
        first, second = self.loss.derivatives(
            np.ascontiguousarray(scores), tile.rows.y, weight, sums, curved=curved
        )
        gradient += tile.spread(_apply_curvature(second, along, weight) if along.size else first)
        if self.hessian == FULL:
            _add_hessian(tile.numbers, second, weight, hessian)
        elif self.hessian == SUBSET:
            _add_subset(tile, self.subset, second, weight, hessian)
        elif self.hessian:
            bend = _diagonal(second, weight)
            hessian[:m] += tile.spread(bend)
            hessian[m:] += tile.with_squares().spread(bend)


@dataclass(frozen=True)
class Tile:
    """Some rows as standardised columns, and their words, sparse or among the columns."""

    rows: DesignRows
    numbers: Array  # (n, 1 + p), or with the words (n, width)
    words: WordCounts | None
    columns: Standardisation

    @classmethod
    def of(cls, rows: DesignRows, columns: Standardisation, room: Array) -> Tile:
        """Written into ``room``; words too, where it has columns for them."""
        n, p = len(rows), columns.n_columns
        numbers, words = room[:n], rows.words
        logistic_loss.lay(rows.x, columns.centre, 1 / columns.scale[:p], numbers)
        if words is not None and numbers.shape[1] > 1 + p:
            numbers[:, 1 + p :] = 0.0
            row = np.repeat(np.arange(n), np.diff(words.ends))
            numbers[row, 1 + p + words.ids] = words.times / columns.scale[p + words.ids]
            words = None
        return cls(rows, numbers, words, columns)

    @property
    def word_scale(self) -> Array:
        return self.columns.scale[self.columns.n_columns :]

    def scores(self, coef: Array) -> Array:
        """(n, m) X θ' for coefficients (m, width)."""
        at = self.numbers.shape[1]
        found = np.ascontiguousarray(self.numbers @ coef[:, :at].T)
        if self.words is not None:
            table = np.ascontiguousarray((coef[:, at:] / self.word_scale).T)
            sparse_rows.gather(self.words.ids, self.words.ends, self.words.times, table, found)
        return found

    def spread(self, rows: Array) -> Array:
        """(m, width) R'X for (n, m) numbers of the rows."""
        dense = rows.T @ self.numbers
        if self.words is None:
            return np.asarray(dense)
        return np.hstack([dense, self.word_sums(rows).T / self.word_scale])

    def word_sums(self, rows: Array) -> Array:
        """(v, q) for every word the sums of (n, q) numbers of the rows, times its counts."""
        assert self.words is not None
        found, words = np.zeros((len(self.word_scale), rows.shape[1])), self.words
        sparse_rows.spread(words.ids, words.ends, words.times, np.ascontiguousarray(rows), found)
        return found

    def with_squares(self) -> Tile:
        """The same rows with the squares of their numbers."""
        words = self.words and replace(self.words, times=self.words.times**2)
        columns = replace(self.columns, scale=self.columns.scale**2)
        return replace(self, numbers=self.numbers**2, words=words, columns=columns)


def _diagonal(second: Array, weight: Array) -> Array:
    """(n, m) the second derivative by every score, others held: w h (1 - h) for classes."""
    if second.ndim == 1:
        return np.asarray(second[:, None] ** 2)
    found = second * (1 - second)
    return np.asarray(found * weight[:, None] if weight.size else found)


def _apply_curvature(second: Array, along: Array, weight: Array) -> Array:
    """(n, m) the second derivatives times a change of the scores."""
    if second.ndim == 1:
        return _diagonal(second, weight) * along
    found = second * along
    found -= second * found.sum(axis=1, keepdims=True)
    return np.asarray(found * weight[:, None] if weight.size else found)


def _add_hessian(numbers: Array, second: Array, weight: Array, out: Array) -> None:
    """Add X' D X; for several classes the sum of diag(h) - h h' times x x' over the rows."""
    if second.ndim == 1:
        weighted = np.empty_like(numbers)
        logistic_loss.weigh(numbers, second, weighted)
        out += weighted.T @ weighted
        return
    n, width = numbers.shape
    root = np.sqrt(weight) if weight.size else np.ones(n)
    both = np.empty((n, second.shape[1], width))
    each = np.empty_like(numbers)
    for c in range(second.shape[1]):
        logistic_loss.weigh(numbers, root * np.sqrt(second[:, c]), each)
        at = slice(c * width, (c + 1) * width)
        out[at, at] += each.T @ each
        both[:, c] = numbers * (root * second[:, c])[:, None]
    flat = both.reshape(n, -1)
    out -= flat.T @ flat


def _add_subset(tile: Tile, subset: Array, second: Array, weight: Array, out: Array) -> None:
    """Add the Hessian (s, s) of the coefficients at some places among those of all scores."""
    score, column = np.divmod(subset, tile.columns.width)
    at = {c: np.flatnonzero(score == c) for c in np.unique(score).tolist()}
    for c, d in combinations_with_replacement(at, 2):
        found = _products(
            tile, column[at[c]], column[at[d]], _cross_curvature(second, weight, c, d)
        )
        if len(at) == 1:
            out += found
            continue
        out[np.ix_(at[c], at[d])] += found
        if c != d:
            out[np.ix_(at[d], at[c])] += found.T


def _cross_curvature(second: Array, weight: Array, c: int, d: int) -> Array:
    """(n,) the second derivative by the scores c and d."""
    if second.ndim == 1:
        return np.asarray(second**2)
    found = -second[:, c] * second[:, d] if c != d else second[:, c] * (1 - second[:, c])
    return np.asarray(found * weight if weight.size else found)


def _products(tile: Tile, one: Array, other: Array, bend: Array) -> Array:
    """X' diag(bend) X between some columns and others, each in rising order.

    Of words only the pairs that share a document are visited.
    """
    p = tile.numbers.shape[1]
    a, b = int(np.searchsorted(one, p)), int(np.searchsorted(other, p))
    left, right = tile.numbers[:, one[:a]], tile.numbers[:, other[:b]]
    if bool(bend.min(initial=0.0) >= 0) and np.array_equal(one[:a], other[:b]):
        left = left * np.sqrt(bend)[:, None]
        dense = left.T @ left  # a symmetric product takes a third of the time
        left = tile.numbers[:, one[:a]]
    else:
        dense = (left * bend[:, None]).T @ right
    if tile.words is None:
        return np.asarray(dense)
    found = np.zeros((len(one), len(other)))
    found[:a, :b] = dense
    words, scale, rows, terms = tile.words, tile.word_scale, one[a:] - p, other[b:] - p
    found[:a, b:] = tile.word_sums(left * bend[:, None])[terms].T / scale[terms]
    found[a:, :b] = tile.word_sums(right * bend[:, None])[rows] / scale[rows, None]
    both = np.zeros((len(rows), len(terms)))
    places = (_places(rows, len(scale)), _places(terms, len(scale)))
    sparse_rows.pair(words.ids, words.ends, words.times, bend, *places, both)
    found[a:, b:] = both / scale[rows, None] / scale[terms]
    return found


def _places(terms: Array, size: int) -> Array:
    """(size,) the place of every word among some of them, or -1."""
    found = np.full(size, -1, dtype=np.int32)
    found[terms] = np.arange(len(terms))
    return found
