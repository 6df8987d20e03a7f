"""The .632 bootstrap: between the score on rows learned from, and on rows that a draw left out.

A draw with replacement has 63.2 % of the rows in it: models learn from fewer rows than there are,
and err more often on the rows left out than a model of all rows would; on the rows that it learned
from that one errs too seldom. .632 mixes the two as 632 to 368; .632+ leans the more on the rows
left out the more a model over-fits.

B. Efron and R. Tibshirani, Improvements on cross-validation: the .632+ bootstrap method, Journal of
the American Statistical Association 92, 1997.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import nan
from typing import Any

import numpy as np

from tallylearn.evaluation.running import as_fitted
from tallylearn.evaluation.running.as_fitted import AsFitted
from tallylearn.evaluation.running.cross_validation import CrossValidation
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.evaluation.scores.score import SCORES, Score
from tallylearn.evaluation.scores.tested_rows import RowPredictions
from tallylearn.folds import Folds
from tallylearn.folds.givens import read_cv
from tallylearn.reporting.formatting import format_column
from tallylearn.tables import Codes
from tallylearn.workings import Grid

INSIDE = 0.632  # the share of the rows that a draw with replacement has: 1 - 1/e
TURNS = 200  # ways to put predictions beside the truth of other rows


@dataclass(frozen=True)
class BootstrapScore:
    """A score by the bootstrap, in all its forms."""

    score: str
    apparent: float  # of the rows learned from
    out_of_bag: float  # of the rows left out: every row's mean over the draws, then over the rows
    no_information: float  # of predictions that stand beside the truth of other rows; NaN: no mean
    overfitting: float  # 0: none; 1: the rows left out are answered as if nothing was learned
    point632: float
    plus: float  # .632+; NaN where the score is no mean over all rows

    @classmethod
    def of(cls, score: str, apparent: float, out: float, none: float) -> BootstrapScore:
        """From the three scores; of a score that should be high all signs are turned.

        >>> found = BootstrapScore.of("error", 0.0, 0.5, 0.5)  # a nearest neighbour on noise
        >>> found.point632, found.plus, found.overfitting
        (0.316, 0.5, 1.0)
        """
        mixed = (1 - INSIDE) * apparent + INSIDE * out
        sign = 1.0 if SCORES[score].better == "low" else -1.0
        low, middle, high = sign * apparent, sign * out, sign * none
        middle = min(middle, high)
        rate = (middle - low) / (high - low) if low < middle and low < high else 0.0
        weight = INSIDE / (1 - (1 - INSIDE) * rate)
        plus = sign * ((1 - weight) * low + weight * middle)
        known = none == none
        return cls(
            score=score,
            apparent=apparent,
            out_of_bag=out,
            no_information=none,
            overfitting=rate if known else nan,
            point632=mixed,
            plus=plus if known else nan,
        )


def bootstrap_scores(
    learner: Any,
    dataset: Dataset,
    cv: Any,
    tested_rows: tuple[RowPredictions, ...],
    scores: tuple[str, ...],
    positive: Any,
) -> dict[str, BootstrapScore]:
    """Every score by the bootstrap, where that is how the rows were dealt out."""
    folds = None if cv is None else read_cv(cv, dataset.task)
    if not isinstance(folds, Folds) or folds.scheme != "bootstrap" or not tested_rows:
        return {}
    model = CrossValidation(learner, dataset).fit_rows()
    (whole,) = AsFitted(model, dataset).predict_folds(as_fitted.plan_folds(dataset)[1])
    out = [_count_rows_once(one, tested_rows, len(dataset)) for one in tested_rows]
    found = {}
    for name in scores:
        score = SCORES[name]
        left_out = sum((predictions.tally([name], positive) for predictions in out[1:]),
                       start=out[0].tally([name], positive))  # fmt: skip
        apparent = score.value(whole.predictions.tally([name], positive), positive)
        none = _no_information(whole.predictions, score, positive)
        found[str(name)] = BootstrapScore.of(name, apparent, score.value(left_out, positive), none)
    return found


def _count_rows_once(
    one: RowPredictions, tested_rows: tuple[RowPredictions, ...], n: int
) -> Predictions:
    """Predictions whose rows weigh as one, however many draws left them out."""
    times = np.bincount(np.concatenate([part.rows for part in tested_rows]), minlength=n)
    weight = 1.0 if one.predictions.weight is None else one.predictions.weight
    return replace(one.predictions, weight=weight / times[one.rows])


def _no_information(predictions: Predictions, score: Score, positive: Any) -> float:
    """The score of every answer beside every truth, where it is a mean over the rows."""
    mean = score.kind in ("mean", "share") and (score.of == "all") and score.columns
    if not mean and score.name not in ("accuracy", "error"):
        return nan
    if isinstance(predictions.truth, Codes):
        shares = np.bincount(
            predictions.truth.codes, predictions.weight, len(predictions.truth.values)
        )
        each = [_score_with_truth(predictions, np.full(len(predictions), at), score, positive)
                for at in range(len(shares))]  # fmt: skip
        return float(np.average(each, weights=shares))
    n = len(predictions)
    turns = np.unique(np.linspace(0, n, min(n, TURNS), endpoint=False).astype(int))
    places = (np.roll(np.arange(n), int(turn)) for turn in turns)
    return float(np.mean([_score_with_truth(predictions, at, score, positive) for at in places]))


def _score_with_truth(predictions: Predictions, at: Any, score: Score, positive: Any) -> float:
    """The score where the truth is another: one class, or that of other rows."""
    if isinstance(predictions.truth, Codes):
        truth: Any = replace(predictions.truth, codes=at.astype(np.int32))
    else:
        truth = predictions.truth[at]
    return score.value(replace(predictions, truth=truth).tally([score.key], positive), positive)


def records(found: Mapping[str, BootstrapScore]) -> list[dict[str, Any]]:
    return [asdict(one) | {"score": name} for name, one in found.items()]


def grid(found: list[dict[str, Any]]) -> Grid:
    """The forms of every score side by side."""
    columns = ("apparent", "out_of_bag", "point632", "plus", "no_information", "overfitting")
    cells = [format_column([one[column] for one in found]) for column in columns]
    rows = tuple(zip([one["score"] for one in found], *cells, strict=True))
    head = ("score", "apparent", "out of bag", ".632", ".632+", "no information", "overfitting")
    return Grid("Bootstrap estimates", head, rows)
