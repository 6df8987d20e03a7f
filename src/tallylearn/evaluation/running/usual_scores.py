"""Usual scores: what is measured where no score is named."""

from __future__ import annotations

from typing import Any

from tallylearn.errors import OptionError
from tallylearn.evaluation.running.dataset import Exam
from tallylearn.evaluation.scores.predictions import Answers
from tallylearn.evaluation.scores.score import SCORES, wanted

TWO = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "roc_auc", "log_loss", "brier")
SEVERAL = ("accuracy", "balanced_accuracy", "precision_macro", "recall_macro", "f1_macro",
           "log_loss", "brier")  # fmt: skip
NUMBERS = ("mae", "rmse", "r2")
VECTORS = ("euclidean", "mae", "rmse", "r2")
Usual = tuple[str, str, str]  # the score of classes, of numbers, of vectors unless said
USUAL: Usual = ("accuracy", "mae", "euclidean")
ERRORS: Usual = ("error", "rmse", "euclidean")


def chosen_scores(scores: Any, exam: Exam, answers: Answers, positive: Any) -> tuple[str, ...]:
    """The scores that are asked for, or the usual ones that fit."""
    k, proba = len(exam.classes), answers.proba is not None
    if scores is not None:
        return wanted(scores, exam.task, k, proba, positive)
    if exam.task == "regressor":
        return VECTORS if exam.truth.ndim > 1 else NUMBERS
    usual = TWO if k == 2 or positive is not None else SEVERAL
    return tuple(name for name in usual if proba or not SCORES[name].needs_proba)


def score_of(score: Any, exam: Exam, positive: Any, usual: Usual) -> str:
    """The score that is asked for, or the usual one."""
    if score is None:
        return usual[0 if exam.task == "classifier" else exam.truth.ndim]
    if not isinstance(score, str):
        raise OptionError(f"score is {score!r:.60}. Name one, such as 'accuracy' or 'mae'.")
    return wanted(score, exam.task, len(exam.classes), True, positive)[0]


def check_scores(scores: Any, positive: Any, exam: Exam) -> None:
    """Said before the work, not after it."""
    if scores is not None and not wanted(scores, exam.task, len(exam.classes), True, positive):
        raise OptionError("scores is empty. Name one, or leave it out for the usual ones.")
