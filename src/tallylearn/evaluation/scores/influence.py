"""Influence: how far a score moves with the weight of one row; their spread is the score's.

A score of many rows is nearly a sum over them: its value, and for every row what a little more of
its weight would add. Squared and added up that is the variance of the score, whatever the score is
(the infinitesimal jackknife: L. A. Jaeckel, Bell Laboratories memorandum 72-1215, 1972; B. Efron,
The jackknife, the bootstrap and other resampling plans, 1982, chapter 6).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.evaluation.scores.confusion_matrix import accuracy, error, slopes
from tallylearn.evaluation.scores.losses import area, scale
from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.evaluation.scores.row_losses import loss_columns
from tallylearn.evaluation.scores.score import REGRESSOR, SCORES, Score
from tallylearn.statistics.roc_area import wins
from tallylearn.tables import Array
from tallylearn.tallies.keys import union

CELLS = 200  # of a confusion matrix, beyond which rows are put into bins
PRIOR_ROWS = 2.0  # of each true class, spread over all predictions, for the variance of a ratio
BINS = 100  # of rows, where every one of them needs the score anew
STEP = 2.0**-6  # of a bin's weight
RIGHT: dict[Any, float] = {accuracy: 1.0, error: -1.0}


def influence(name: str, predictions: Predictions, positive: Any = None) -> Array | None:
    """(n,) of every row; their mean, by weight, is 0. None where only bins of rows can tell.

    >>> found = influence("mae", Predictions([1.0, 2.0, 6.0], [1.0, 1.0, 4.0]))
    >>> found.tolist()
    [-1.0, 0.0, 1.0]
    """
    score = SCORES[name]
    if score.measure in RIGHT:
        right = predictions.truth.recode(predictions.known_classes) == predictions.said.recode(
            predictions.known_classes
        )
        apart = right - np.average(right, weights=predictions.weight)
        return np.asarray(RIGHT[score.measure] * apart)
    if score.part == "confusion":
        return _of_cells(score, predictions, positive)
    if score.kind in ("mean", "share") and score.columns:
        return _of_means(score, predictions)
    if score.measure is area:
        return _of_area(predictions, positive)
    if name == "roc_auc_ovr":
        each = (_of_area(predictions, chosen) for chosen in predictions.known_classes)
        found = [one for one in each if one is not None]
        return np.mean(found, axis=0) if len(found) == len(predictions.known_classes) else None
    if name in EXPLAINED and score.task == REGRESSOR:
        return EXPLAINED[name](*_outputs(predictions))
    return None


def by_bins(value: Callable[[Array], float], units: Array, step: float = STEP) -> Array:
    """(b,) how far a value moves with the weight of a bin of units, each unit in one.

    ``value`` is given a factor for the weight of every row, and ``units`` says whose row it is. A
    step of 1 leaves the bin out.
    """
    bins = units % BINS
    whole, out = value(np.ones(len(units))), []
    for one in np.unique(bins):
        less = value(np.where(bins == one, 1 - step, 1.0))
        out.append((whole - less) / step * (1 - step * np.mean(bins == one)))
    return np.array(out)


def _of_cells(score: Score, predictions: Predictions, positive: Any) -> Array | None:
    """Rows of one cell of the confusion matrix move the score alike."""
    counts = predictions.tally([score.key], positive)["confusion"]
    if np.count_nonzero(counts.floats()) > CELLS:
        return None
    both = zip((predictions.truth, predictions.said), counts.keys, strict=True)
    truth, said = (codes.recode(keys) for codes, keys in both)
    return np.asarray(slopes(counts, score.measure, positive)[truth, said])


def smoothed_influence(
    name: str, predictions: Predictions, positive: Any, rows: float
) -> tuple[Array, float] | None:
    """Influence on a ratio of counts, estimated with two more rows of every true class.

    A class whose rows are all right, or all wrong, seems to have no variance: where recall is 0,
    balanced accuracy would be as certain as the recall of the other class alone. So, as A. Agresti
    and B. A. Coull do for one share (The American Statistician 52, 1998), two rows are added to
    every true class, spread evenly over the predicted classes. ``rows`` is how many rows the
    weights stand for. Returns the influence of each row, (n,), and the variance that the added
    rows contribute. None for other scores, and for more than ``CELLS`` cells.
    """
    score = SCORES[name]
    if score.part != "confusion" or score.kind != "ratio":
        return None
    counts = predictions.tally([score.key], positive)["confusion"]
    keys = union(*counts.keys)
    counts = counts.reindex(keys, keys)
    table = counts.floats()
    if table.size > CELLS:
        return None
    added = np.where(table.sum(axis=1, keepdims=True) > 0, PRIOR_ROWS / len(keys), 0.0)
    added = np.broadcast_to(added, table.shape)
    steps = slopes(counts, score.measure, positive, table * (rows / table.sum()) + added)
    truth, said = (codes.recode(keys) for codes in (predictions.truth, predictions.said))
    return steps[truth, said], float((added * steps**2).sum()) / rows**2


def _of_means(score: Score, predictions: Predictions) -> Array | None:
    """What a row has above the mean; where there are several outputs, the mean over them."""
    columns = loss_columns(predictions, [*score.columns])
    values = columns[score.columns[0]]
    if len(columns) > 1 and not np.isfinite(values).all():
        return None
    values = values if values.ndim == 1 else values.mean(axis=1)
    times = scale(predictions.tally([score.name])) if score.name == "brier" else 1.0
    return np.asarray(times * (values - np.average(values, weights=predictions.weight)))


def _of_area(predictions: Predictions, positive: Any) -> Array | None:
    """Positives by the share of negatives that they beat, negatives by the positives they do."""
    chosen = positive_class(predictions.known_classes, positive)
    if predictions.ranking is None or chosen not in predictions.classes:
        return None
    truth = predictions.truth.codes == predictions.truth.values.index(chosen)
    scores = predictions.ranking[:, predictions.classes.index(chosen)]
    weight = np.ones(len(truth)) if predictions.weight is None else predictions.weight
    weight = weight / weight.mean()  # of importance, they may sum to less than a row
    try:
        won = wins(scores, truth, weight)
    except InputError:
        return None
    own = np.where(truth, weight[truth].sum(), weight[~truth].sum()) / weight.sum()
    mean = np.average(won[truth], weights=weight[truth])
    return np.asarray((won - mean) / own)


def log_loss_without_each(name: str, predictions: Predictions, units: Array) -> Array | None:
    """(u,) the logarithm of the loss without each unit in turn, for the delete-one jackknife.

    The loss is 1 - R-squared, 1 - explained variance, or the root mean squared error; of several
    outputs, the mean. ``units`` numbers the unit of every row from 0. None for other scores, and
    where one unit alone has all of the error or of the variance.

    The jackknife sees what a single far row does to the ratio, and the influence function, which
    is linear, does not: on 50 rows its standard error is a tenth too small.
    """
    if name not in EXPLAINED or SCORES[name].task != REGRESSOR:
        return None
    truth, error, weight = _outputs(predictions)
    losses = []
    for y, e in zip(truth.T, error.T, strict=True):
        rest = 1 - np.bincount(units, weight)
        squares = _squares_without(e, weight, units, rest, name == "explained_variance")
        if name == "rmse":
            losses.append(np.sqrt(squares / rest))
        else:
            losses.append(squares / _squares_without(y, weight, units, rest, True))
    found = np.log(np.mean(losses, axis=0))
    return found if np.isfinite(found).all() else None


def _squares_without(x: Array, weight: Array, units: Array, rest: Array, centred: bool) -> Array:
    """(u,) the weighted sum of squares without each unit, around the mean of what is left."""
    x = x - weight @ x if centred else x
    total = np.bincount(units, weight * x**2)
    left = total.sum() - total
    own = np.bincount(units, weight * x)
    return np.asarray(left - own**2 / rest if centred else left)


def prediction_noise(predictions: Predictions) -> float:
    """The variance of predictions that comes of the training rows, over the mean squared error.

    A model that is right on average has cov(prediction, truth) = var(E prediction), so that
    var(prediction) - cov(prediction, truth) is what its predictions vary with the training rows:
    about p / n of the error's variance for least squares with p coefficients. At least 0; the mean
    over the outputs.
    """
    truth, error, weight = _outputs(predictions)
    said = truth - error
    apart, centre = said - weight @ said, truth - weight @ truth
    noise = weight @ (apart * (apart - centre)) / (weight @ error**2)
    return float(np.maximum(noise, 0.0).mean())


Outputs = tuple[Array, Array, Array]  # truth and error, (n, d); weight (n,) that sums to 1


def _outputs(predictions: Predictions) -> Outputs:
    truth, said = (x if x.ndim == 2 else x[:, None] for x in (predictions.truth, predictions.said))
    weight = np.ones(len(truth)) if predictions.weight is None else predictions.weight
    return truth, truth - said, weight / weight.sum()


def _root(truth: Array, error: Array, weight: Array) -> Array:
    mean = weight @ error**2
    return np.asarray(((error**2 - mean) / (2 * np.sqrt(mean))).mean(axis=1))


def _leverage(truth: Array, rest: Array, weight: Array) -> Array:
    """1 - rest / variance, turned by either."""
    apart = (truth - weight @ truth) ** 2
    variance = weight @ apart
    share = weight @ rest / variance
    return np.asarray(-((rest - share * apart) / variance).mean(axis=1))


EXPLAINED: dict[str, Callable[[Array, Array, Array], Array]] = {
    "rmse": _root,
    "r2": lambda truth, error, weight: _leverage(truth, error**2, weight),
    "explained_variance": lambda truth, error, weight: _leverage(
        truth, (error - weight @ error) ** 2, weight
    ),
}
