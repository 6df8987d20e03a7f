"""Scores that are ratios of sums over rows, which a bootstrap can sum again without new fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from tallylearn.errors import OptionError, did_you_mean, is_one_of, quoted_list, short_repr
from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.evaluation.scores.row_losses import loss_columns
from tallylearn.tables import Array


@dataclass(frozen=True)
class RowScore:
    """A score as a function of Σ w·loss / Σ w·scale, where a smaller ratio is better.

    The scale is 1, or (y - mean)² for R-squared = 1 - Σ (y - prediction)² / Σ (y - mean)².
    """

    name: str
    column: str  # of ``loss_columns``; "wrong": 1 for a wrong class
    value: Callable[[float], float]  # the score of a ratio
    bounds: tuple[float, float]  # of the ratio
    points: bool = False  # whether differences are shown in points of a hundred

    def losses(self, predictions: Predictions) -> Array:
        """(t,) the loss of every prediction."""
        if self.column == "wrong":
            truth = predictions.truth.recode(predictions.classes)
            said = predictions.said.recode(predictions.classes)
            return np.asarray(truth != said, dtype=np.float64)
        found = loss_columns(predictions, [self.column])[self.column]
        loss = found[:, 0] if found.ndim == 2 else found
        if self.name == "brier" and len(predictions.classes) == 2:
            loss = loss / 2  # of one class, as scikit-learn's
        return np.where(np.isnan(loss), inf, loss)

    def scales(self, truth: Array, weight: Array) -> Array:
        """(t,) what every row adds to the denominator, without its weight."""
        if self.name != "r2":
            return np.ones(len(weight))
        return np.asarray((truth - np.average(truth, weights=weight)) ** 2)


def _same(x: float) -> float:
    return x


def _complement(x: float) -> float:
    return 1 - x


ROW_SCORES = {
    "classifier": (
        RowScore("accuracy", "wrong", _complement, (0.0, 1.0), points=True),
        RowScore("error", "wrong", _same, (0.0, 1.0), points=True),
        RowScore("log_loss", "log loss", _same, (0.0, inf)),
        RowScore("brier", "brier", _same, (0.0, inf)),
    ),
    "regressor": (
        RowScore("r2", "squared", _complement, (0.0, inf), points=True),
        RowScore("rmse", "squared", sqrt, (0.0, inf)),
        RowScore("mse", "squared", _same, (0.0, inf)),
        RowScore("mae", "absolute", _same, (0.0, inf)),
    ),
}


def row_score(name: str | None, task: str) -> RowScore:
    """The score of this name; by default accuracy, or R-squared."""
    known = {one.name: one for one in ROW_SCORES[task]}
    if name is None:
        return ROW_SCORES[task][0]
    if not is_one_of(name, known):
        raise OptionError(
            f"scoring is {short_repr(name)}. For a {task}, use {quoted_list(known)}: scores that "
            f"are sums over rows.{did_you_mean(name, known)}"
        )
    return known[name]
