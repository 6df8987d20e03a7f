"""Losses: how far probabilities and numbers lie from the truth, as means of exact sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np

from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.evaluation.scores.confusion_matrix import EMPTY, Hits, ScoreValue, list_some
from tallylearn.tables import Array
from tallylearn.tallies import Bundle, Moments

BINS = 10
RULED_OUT = "ruled out"  # the column that counts the rows whose true class had probability 0
OF_ZERO = "of zero"  # the column that counts the rows whose truth is 0, and whose answer is not
PINBALL = "pinball "  # the column of a pinball loss, before its quantile
Measure = Callable[[Bundle, Any], ScoreValue]


def mean(column: str, bundle: Bundle, positive: Any) -> ScoreValue:
    """The mean over the rows, and over the outputs where there are several."""
    means = _means(column, bundle)
    return ScoreValue(float(means.mean())) if len(means) else ScoreValue(nan, EMPTY)


def share(column: str, bundle: Bundle, positive: Any) -> ScoreValue:
    """The share of the rows for which a column is 1."""
    means = _means(column, bundle)
    if not len(means):
        return ScoreValue(nan, EMPTY)
    moments = bundle["losses"]
    rows = float(moments.count.floats()[0, moments.columns.index(column)])
    return ScoreValue(float(means[0]), "", (float(means[0]) * rows, rows))


def relative(bundle: Bundle, positive: Any) -> ScoreValue:
    """The mean of the error as a share of the truth; infinite where that is 0 and missed."""
    moments = bundle.get("losses")
    if moments is not None and OF_ZERO in moments.columns:
        rows = moments.count.floats()[:, moments.columns.index(OF_ZERO)].sum()
        return ScoreValue(inf, f"the truth is 0, and the answer is not, in {_rows(rows)}")
    return mean("relative", bundle, positive)


def distance(bundle: Bundle, positive: Any) -> ScoreValue:
    """The mean length of the error, as a vector."""
    found = bundle.get("distances")
    return ScoreValue(nan, EMPTY) if found is None else ScoreValue(float(found.mean[0, 0]))


def root(bundle: Bundle, positive: Any) -> ScoreValue:
    """The root of the mean squared error; the mean over the outputs."""
    means = _means("squared", bundle)
    return ScoreValue(float(np.sqrt(means).mean())) if len(means) else ScoreValue(nan, EMPTY)


def explained_variance(left: str, bundle: Bundle, positive: Any) -> ScoreValue:
    """1 minus what is left of the truth's variance; the mean over the outputs."""
    moments = bundle.get("losses")
    if moments is None:
        return ScoreValue(nan, EMPTY)
    needed = tuple(name for name in moments.columns if name in ("error", "truth"))
    try:
        spread = moments.reindex(moments.keys, needed).variance
    except OverflowError:
        return ScoreValue(
            nan, "the truth varies by more than the square root of the largest double"
        )
    variance = dict(zip(needed, spread.T, strict=True))
    if not variance["truth"].all():
        return ScoreValue(nan, "the truth is the same in all rows: it has no variance to explain")
    rest = variance["error"] if left == "error" else _means(left, bundle)
    return ScoreValue(float((1 - rest / variance["truth"]).mean()))


def log_loss(bundle: Bundle, positive: Any) -> ScoreValue:
    """The mean of minus the log probability of the truth; infinite where that is ruled out."""
    moments = bundle.get("losses")
    if moments is not None and RULED_OUT in moments.columns:
        counts = moments.count.floats()[0]
        rows = float(counts[moments.columns.index(RULED_OUT)])
        return ScoreValue(
            inf,
            f"the true class has probability 0 in {_rows(rows)}; clipped as in scikit-learn, "
            f"log_loss is {_clipped(bundle, positive, rows):.4g}",
        )
    return mean("log loss", bundle, positive)


def _clipped(bundle: Bundle, positive: Any, rows: float) -> float:
    """The log loss if ``rows`` had the smallest probability that scikit-learn takes, 2e-16."""
    moments = bundle["losses"]
    known, total = 0.0, 0.0
    if "log loss" in moments.columns:
        known = float(moments.count.floats()[0, moments.columns.index("log loss")])
    if known:
        total = known * mean("log loss", bundle, positive).value
    return float((total - rows * np.log(np.finfo(np.float64).eps)) / (known + rows))


def brier(bundle: Bundle, positive: Any) -> ScoreValue:
    """The squared distance of the probabilities from the truth; half of it for two classes."""
    found = mean("brier", bundle, positive)
    return replace(found, value=scale(bundle) * found.value)


def scale(bundle: Bundle) -> float:
    """Both classes of two err alike: G. W. Brier counted both, most since count one."""
    return 0.5 if len(Hits.of(bundle).classes) <= 2 else 1.0


def area(bundle: Bundle, positive: Any) -> ScoreValue:
    """The area under the ROC curve of one class against the rest."""
    chosen = positive_class(Hits.of(bundle).classes, positive)
    ranks = bundle["ranks"].get(chosen) if "ranks" in bundle else None
    if ranks is None:
        return ScoreValue(nan, EMPTY)
    found = ranks.auc
    return ScoreValue(found, "" if found == found else f"class {chosen!r} has all rows, or none")


def average_precision(bundle: Bundle, positive: Any) -> ScoreValue:
    """The precision at every threshold, averaged over the positives that it adds."""
    chosen = positive_class(Hits.of(bundle).classes, positive)
    ranks = bundle["ranks"].get(chosen) if "ranks" in bundle else None
    if ranks is None:
        return ScoreValue(nan, EMPTY)
    found = ranks.average_precision
    return ScoreValue(found, "" if found == found else f"class {chosen!r} has no row")


def miscalibration(bundle: Bundle, positive: Any) -> ScoreValue:
    """The mean over the rows of how far their bin's probability lies from its share."""
    rows, said, true = calibration(bundle, positive)
    seen = rows > 0
    if not seen.any():
        return ScoreValue(nan, EMPTY)
    return ScoreValue(float(np.average(np.abs(said - true)[seen], weights=rows[seen])))


def calibration(bundle: Bundle, positive: Any = None) -> tuple[Array, Array, Array]:
    """Rows, mean probability and share of a class, in ten equal bins of its probability.

    NaN where a bin is empty. A. Niculescu-Mizil and R. Caruana, Predicting good probabilities with
    supervised learning, ICML 2005.

    >>> from tallylearn.evaluation.scores.predictions import Predictions
    >>> from tallylearn.tables import Codes
    >>> truth, proba = Codes.of(["n", "n", "y"]), np.array([[0.9, 0.1], [0.3, 0.7], [0.3, 0.7]])
    >>> bundle = Predictions(truth, truth, ("n", "y"), proba).tally(["ece"])
    >>> rows, said, true = calibration(bundle)
    >>> [float(found[7]) for found in (rows, said, true)]
    [2.0, 0.7, 0.5]
    """
    chosen = positive_class(Hits.of(bundle).classes, positive)
    found = bundle["calibration"].get(chosen) if "calibration" in bundle else None
    if found is None:
        return np.zeros(BINS), np.full(BINS, nan), np.full(BINS, nan)
    moments = found.reindex(tuple(range(BINS)), ("probability", "true"))
    rows = moments.count.floats()[:, 0]
    means = np.where(rows[:, None] > 0, moments.mean, nan)
    return rows, means[:, 0], means[:, 1]


def one_versus_rest(one: Measure, bundle: Bundle, positive: Any) -> ScoreValue:
    """The mean over the classes, each against the rest."""
    found = [one(bundle, chosen) for chosen in Hits.of(bundle).classes]
    reasons = [each.reason for each in found if each.reason]
    if reasons or not found:
        return ScoreValue(nan, list_some(reasons) or EMPTY)
    return ScoreValue(float(np.mean([each.value for each in found])))


def _rows(weight: float) -> str:
    """How many rows, or what they weigh where that is no number of rows."""
    if weight % 1:
        return f"rows of weight {weight:g}"
    return f"{weight:,.0f} row{'' if weight == 1 else 's'}"


def _means(column: str, bundle: Bundle) -> Array:
    """(d,) of a column, one an output; none where no row was seen."""
    moments: Moments | None = bundle.get("losses")
    if moments is None or column not in moments.columns:
        return np.zeros(0)
    return moments.mean[:, moments.columns.index(column)]
