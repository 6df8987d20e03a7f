"""How far a training row moves a score of two classes, through the decision threshold.

A ratio of counts, such as recall or F1, changes with the threshold of a classifier to first order
(accuracy does not: the best threshold is where it is flat). All models of one table share most of
their training rows, so their thresholds are off in the same direction, and no tested row shows it.
The variance of recall over tables is then 0.8 to 2.1 times what the tested rows show.

The threshold is taken to be as uncertain as that of a logistic regression of the truth on the
out-of-fold decision values u (J. Platt, Probabilistic outputs for support vector machines, 1999).
With x = (1, u), fitted probabilities p, and information matrix H = mean of p (1 - p) x xᵀ, row i
moves the log-odds at the threshold b by

    (1, b) H⁻¹ x_i (y_i - p_i) / n

and the score by that times its slope in the threshold: rows at the threshold change their
predicted class, and a kernel estimate says how many there are of either class.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.evaluation.scores.confusion_matrix import slopes
from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.evaluation.scores.score import SCORES
from tallylearn.tables import Array

STEEPEST = 1.5  # times the decision values: a fitted slope beyond, or below 1/1.5, is mostly noise
LARGEST = 30.0  # decision values are scaled down to this: exp(30) rows are never met
NEWTON_STEPS = 25  # quadratic convergence in two coefficients needs less than ten
TINIEST = 1e-300  # the logarithm of a probability of 0


def threshold_influence(name: str, predictions: Predictions, positive: Any = None) -> Array | None:
    """How far the score moves with the weight of each training row, by the decision threshold.

    Parameters
    ----------
    name : a score of the confusion matrix.
    predictions : out-of-fold predictions of two classes, with probabilities or decision values.
    positive : the class that the score is of.

    Returns
    -------
    (n,) in the units of `influence.influence`, to be added to it row by row; None where there are
    more than two classes, no decision values, or predictions that no single threshold explains.
    """
    score = SCORES[name]
    if (
        score.part != "confusion"
        or len(predictions.known_classes) != 2
        or predictions.ranking is None
    ):
        return None
    known, chosen = predictions.known_classes, positive_class(predictions.known_classes, positive)
    at, other = known.index(chosen), known.index(chosen) ^ 1
    decision = _decision_values(predictions, known[other], chosen)
    if decision is None:
        return None
    true = predictions.truth.recode(known) == at
    predicted = predictions.said.recode(known) == at
    weight = np.ones(len(true)) if predictions.weight is None else predictions.weight
    if min(weight[true].sum(), weight[~true].sum()) <= 0 or predicted.all() or not predicted.any():
        return None
    highest, lowest = decision[~predicted].max(), decision[predicted].min()
    if highest > lowest:
        return None  # models have thresholds of their own
    threshold = (highest + lowest) / 2
    weight = weight / weight.mean()
    slope, moved = _threshold_shift(decision, true, weight, threshold)
    near = _density(decision - threshold, weight) / np.clip(slope, 1 / STEEPEST, STEEPEST)
    counts = predictions.tally([score.key], positive)["confusion"]
    counts = counts.reindex(known, known)
    cells = slopes(counts, score.measure, positive)
    step = sum(
        float(weight[rows] @ near[rows]) / len(near) * (cells[row, at] - cells[row, other])
        for row, rows in ((at, true), (other, ~true))
    )
    found = step * moved
    return found if np.isfinite(found).all() else None


def _decision_values(predictions: Predictions, negative: Any, positive: Any) -> Array | None:
    """(n,) log-odds of the positive class, or the difference of two decision values."""
    if not {negative, positive} <= {*predictions.classes} or predictions.ranking is None:
        return None
    below, above = (
        predictions.ranking[:, predictions.classes.index(c)] for c in (negative, positive)
    )
    if predictions.proba is not None:
        below, above = (np.log(np.maximum(p, TINIEST)) for p in (below, above))
    with np.errstate(invalid="ignore"):
        found = above - below
    if not np.isfinite(found).all():
        return None
    return np.asarray(found / max(1.0, float(np.abs(found).max()) / LARGEST))


def _threshold_shift(
    decision: Array, true: Array, weight: Array, threshold: float
) -> tuple[float, Array]:
    """The slope of a logistic regression on the decision, and each row's influence at a threshold.

    Newton's method with halved steps. The targets are Platt's, (n₊ + 1) / (n₊ + 2) and
    1 / (n₋ + 2), so that separated classes have a finite slope.
    """
    above, below = weight[true].sum(), weight[~true].sum()
    target = np.where(true, (above + 1) / (above + 2), 1 / (below + 2))
    x = np.column_stack([np.ones(len(decision)), decision])
    tiny = 1e-9 * len(x) * np.eye(2)  # where all decision values are equal

    def loss(coef: Array) -> float:
        return float(weight @ (np.logaddexp(0.0, x @ coef) - target * (x @ coef)))

    coef = np.array([np.log(above / below), 0.0])
    best = loss(coef)
    for _ in range(NEWTON_STEPS):
        p = 1 / (1 + np.exp(-(x @ coef)))
        hessian = (x.T * (weight * p * (1 - p))) @ x + tiny
        step = np.linalg.solve(hessian, x.T @ (weight * (target - p)))
        while loss(coef + step) > best and np.abs(step).max() > 1e-9:
            step = step / 2
        coef = coef + step
        reached, best = best - loss(coef), loss(coef)
        if reached <= 1e-10 * abs(best):
            break
    p = 1 / (1 + np.exp(-(x @ coef)))
    information = ((x.T * (weight * p * (1 - p))) @ x + tiny) / len(x)
    at = np.linalg.solve(information, np.array([1.0, threshold]))
    return float(coef[1]), np.asarray((x @ at) * (true - p))


def _density(away: Array, weight: Array) -> Array:
    """(n,) a Gaussian kernel around the threshold, of Silverman's width (1986, equation 3.31)."""
    low, high = np.quantile(away, [0.25, 0.75])
    spread = float(away.std())
    if 0 < (high - low) / 1.34 < spread:
        spread = float(high - low) / 1.34
    width = max(0.9 * spread * len(away) ** -0.2, 1e-9)
    return np.asarray(np.exp(-((away / width) ** 2) / 2) / (np.sqrt(2 * np.pi) * width))
