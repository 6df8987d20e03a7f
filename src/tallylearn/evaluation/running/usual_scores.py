"""Usual scores: what is measured where no score is named."""

from __future__ import annotations

from typing import Any

from tallylearn.errors import OptionError, short_repr
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.evaluation.scores.score import SCORES
from tallylearn.evaluation.scores.score_names import read_scores

TWO = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "roc_auc", "log_loss", "brier")
SEVERAL = ("accuracy", "balanced_accuracy", "precision_macro", "recall_macro", "f1_macro",
           "log_loss", "brier")  # fmt: skip
NUMBERS = ("mae", "rmse", "r2")
VECTORS = ("euclidean", "mae", "rmse", "r2")
Usual = tuple[str, str, str]  # the score of classes, of numbers, of vectors unless said
USUAL: Usual = ("accuracy", "mae", "euclidean")
ERRORS: Usual = ("error", "rmse", "euclidean")


def choose_scores(
    scores: Any, dataset: Dataset, predictions: Predictions, positive: Any
) -> tuple[str, ...]:
    """The scores that are asked for, or the usual ones that fit."""
    k, gives = len(dataset.classes), predictions.gives
    if scores is not None:
        return read_scores(scores, dataset.task, k, gives, positive)
    if dataset.task == "regressor":
        return VECTORS if dataset.truth.ndim > 1 else NUMBERS
    usual = TWO if k == 2 or positive is not None else SEVERAL
    return tuple(name for name in usual if SCORES[name].needs in ("", *gives))


def score_of(score: Any, dataset: Dataset, positive: Any, usual: Usual) -> str:
    """The score that is asked for, or the usual one."""
    if score is None:
        return usual[0 if dataset.task == "classifier" else dataset.truth.ndim]
    names = read_scores(score, dataset.task, len(dataset.classes), positive=positive)
    if len(names) != 1:
        raise OptionError(
            f"scoring is {short_repr(score)}. Name one score, such as 'accuracy' or 'mae'."
        )
    return names[0]


def check_scores(scores: Any, positive: Any, dataset: Dataset) -> tuple[str, ...] | None:
    """The scores by their names, None for the usual ones: said before the work, not after it."""
    if scores is None:
        return None
    if names := read_scores(scores, dataset.task, len(dataset.classes), positive=positive):
        return names
    raise OptionError(
        "scoring is empty. Name a score, such as 'accuracy', or leave scoring out for the defaults."
    )
