"""Conformal prediction intervals: predictions plus and minus what rows outside of the fit missed.

Cross-conformal intervals (CV+) fit a copy of the learner to all folds but one, for every fold. A
new row is predicted by every copy, and each copy's prediction is moved by the absolute residuals of
the fold that the copy has not seen. The quantiles of all these numbers are the ends. For rows that
are exchangeable an interval of level 1 - α holds the target with probability 1 - 2α at least,
whatever the learner, and with about 1 - α in practice. Since the copies differ as much as the
learner varies, an unstable learner gets wider intervals.

A forest needs no copies: the residuals are those of out-of-bag predictions, and there is one model.

References
----------
R. F. Barber, E. J. Candès, A. Ramdas and R. J. Tibshirani, Predictive inference with the
jackknife+, Annals of Statistics 49, 2021.
U. Johansson, H. Boström, T. Löfström and H. Linusson, Regression conformal prediction with random
forests, Machine Learning 97, 2014.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError, OptionError, short_repr
from tallylearn.estimators.estimator import Estimator, clone_estimator
from tallylearn.estimators.fit_input import FitInput
from tallylearn.folds import Folds
from tallylearn.sources import Table
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.memory.row_selection import complete_rows
from tallylearn.tables import Array, Block
from tallylearn.tallies.weight_kinds import scale_weights_to_rows

FOLDS = 10  # of CV+ where nobody says how many
RANK_ROUNDING = 1e-9  # relative: 0.9 times 100 rows is a rank of 90, and not of 91


@dataclass(frozen=True)
class FoldResiduals:
    """A model, and the absolute residuals of rows that it has not seen."""

    predict: Callable[[Block], Array]  # (n,) or (n, targets) the predictions of the model
    residuals: tuple[Array, ...]  # for every target (m,), sorted
    weights: tuple[Array, ...]  # for every target (m + 1,) the weight of the first 0, 1, ... m

    @classmethod
    def of(
        cls, predict: Callable[[Block], Array], residuals: Array, weight: Array
    ) -> FoldResiduals:
        """From the residuals (m, targets) of rows with these weights."""
        order = np.argsort(residuals, axis=0, kind="stable")
        ordered = tuple(column[at] for column, at in zip(residuals.T, order.T, strict=True))
        sums = tuple(np.append(0.0, np.cumsum(weight[at])) for at in order.T)
        return cls(predict, ordered, sums)


@dataclass(frozen=True)
class ConformalIntervals:
    """What prediction intervals of any level are computed from.

    Attributes
    ----------
    method : str
        "CV+" or "out-of-bag".
    rows : float
        Rows with a residual, by their weights.
    folds : tuple of FoldResiduals
        The models, and the residuals of the rows that they have not seen.
    """

    method: str
    rows: float
    folds: tuple[FoldResiduals, ...]

    def bounds(self, block: Block, level: float, target: int = 0) -> Array:
        """(n, 2) the ends of the intervals of rows; ``target`` is the place of one of several."""
        made = [fold.predict(block).reshape(len(block), -1)[:, target] for fold in self.folds]
        predicted, rank = np.stack(made), level * (self.rows + 1) * (1 - RANK_ROUNDING)
        upper = self._quantile(predicted, rank, target)
        return np.column_stack([-self._quantile(-predicted, rank, target), upper])

    def check_level(self, level: float) -> None:
        """Refuse a level that so few residuals do not reach: the interval would be infinite."""
        if level * (self.rows + 1) * (1 - RANK_ROUNDING) <= self.rows:
            return
        needed, most = math.ceil(level / (1 - level) - RANK_ROUNDING), self.rows / (self.rows + 1)
        remedy = f"level={math.floor(100 * most) / 100:g} or less" if most >= 0.01 else "more rows"
        raise InputError(
            f"intervals of level {level:g} need {needed:,} training rows, and there are "
            f"{self.rows:,.6g}. Pass {remedy}."
        )

    def _quantile(self, predicted: Array, rank: float, target: int) -> Array:
        """(n,) the least t that prediction + residual does not exceed for rows of weight ``rank``.

        Bisection over the doubles: rows at or below t are counted in every fold's sorted residuals.
        """
        folds = [(fold.residuals[target], fold.weights[target]) for fold in self.folds]
        share, own = rank / self.rows, []  # each fold's own end: t lies between the outermost
        for p, (found, weights) in zip(predicted, folds, strict=True):
            first = int(np.searchsorted(weights, share * weights[-1])) - 1
            own.append(p + found[min(first, len(found) - 1)])
        low, high = _place_of(np.min(own, axis=0)) - 1, _place_of(np.max(own, axis=0))
        while (low < high - 1).any():
            middle = (low >> 1) + (high >> 1) + (low & high & 1)  # whose sum may overflow
            at, below = _double_at(middle), np.zeros(len(middle))
            for p, (found, weights) in zip(predicted, folds, strict=True):
                below += weights[np.searchsorted(found, at - p, side="right")]
            enough = below >= rank
            high, low = np.where(enough, middle, high), np.where(enough, low, middle)
        return _double_at(high)


def _place_of(numbers: Array) -> Array:
    """(n,) the places of doubles among all doubles in increasing order; 0.0 has place 0."""
    bits = np.asarray(numbers, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)


def _double_at(places: Array) -> Array:
    """(n,) the doubles at these places."""
    bits = np.where(places < 0, np.iinfo(np.int64).min - places, places)
    return np.asarray(bits.view(np.float64))


@dataclass(frozen=True)
class _FitFold:
    """The call that fits a copy of a learner to all rows but those of a fold."""

    learner: Estimator
    read: FitInput  # how the rows are read
    block: Block
    part: Array  # (n,) the fold of every row
    weight: Array  # (n,) by which residuals count

    def __call__(self, fold: int) -> FoldResiduals:
        train, held_out = np.flatnonzero(self.part != fold), np.flatnonzero(self.part == fold)
        model = clone_estimator(self.learner).learn(input_of_block(self.block[train], self.read))
        test = self.block[held_out]
        truth = _columns(test.target, len(test))
        found = np.abs(truth - model.predictions(test).reshape(truth.shape))
        return FoldResiduals.of(model.predictions, found, self.weight[held_out])


def cross_conformal(learner: Estimator, read: FitInput, cv: Any) -> ConformalIntervals:
    """The residuals of every fold by a copy of the learner that was fitted to all others.

    Parameters
    ----------
    learner : a regressor; it is not changed.
    read : the training rows. Rows of a declared group are in one fold.
    cv : number of folds, or `Folds` that have every row in one part.
    """
    folds, block = _folds(cv), read.whole()
    missing = getattr(learner, "_missing_rule", getattr(learner, "missing", None))
    if missing == "drop":  # rows that are neither used nor predicted
        block = block[complete_rows(block)]
    if cv is None:
        groups = len(block) if block.group is None else len(np.unique(block.group.codes))
        folds = Folds.k(max(2, min(FOLDS, groups)), stratified=False)
    (part,) = folds.assign_parts(len(block), None, block.group)
    weight = _weights(block)
    call = _FitFold(learner, read, block, part, weight)
    found = engines.current_engine().each(call, range(int(part.max()) + 1))
    return ConformalIntervals("CV+", float(weight.sum()), tuple(found))


def out_of_bag_intervals(
    predict: Callable[[Block], Array], block: Block, answers: Array
) -> ConformalIntervals:
    """The residuals of out-of-bag predictions (n,), NaN where all trees have seen a row."""
    known = np.flatnonzero(~np.isnan(answers))
    block = block[known]
    weight, missed = _weights(block), np.abs(block.target - answers[known])
    found = FoldResiduals.of(predict, missed[:, None], weight)
    return ConformalIntervals("out-of-bag", float(weight.sum()), (found,))


def input_of_block(block: Block, read: FitInput) -> FitInput:
    """Training rows that are kept as a block, as ``fit`` would read them."""
    declared = Declaration(weight_kind=block.weight_kind)
    table = Table(replace(block, target=None, weight=None), block.target, block.weight, declared)
    return replace(read, source=table, weighed=block.weight is not None, sizes=(), only=None)


def check_level(level: Any) -> None:
    """Refuse a confidence level that is no probability."""
    number = isinstance(level, int | float) and not isinstance(level, bool)
    if not number or not 0 < level < 1:
        raise OptionError(
            f"level={short_repr(level)} is not a number between 0 and 1. Pass one, such as 0.95."
        )


def _folds(cv: Any) -> Folds:
    if isinstance(cv, Folds) and cv.scheme in ("k", "leave_one_out") and cv.repeats == 1:
        return cv
    if cv is None or (isinstance(cv, int) and not isinstance(cv, bool) and cv >= 2):
        return Folds.k(cv or FOLDS, stratified=False)
    raise OptionError(
        f"cv is {short_repr(cv)}. Pass a number of folds from 2 up, tl.Folds.k(10) or "
        "tl.Folds.leave_one_out()."
    )


def _columns(target: Any, n: int) -> Array:
    """(n, targets) the target, or several, in columns."""
    return np.column_stack(target if isinstance(target, tuple) else (target,)).reshape(n, -1)


def _weights(block: Block) -> Array:
    """(n,) the numbers of rows that rows count for; weights that are none sum to the rows."""
    weight = scale_weights_to_rows(block).weight
    return np.ones(len(block)) if weight is None else weight
