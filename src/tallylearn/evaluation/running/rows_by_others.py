"""Rows by all others: a learner that keeps its rows predicts each without it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.running.fitted_learners import FoldPredictions
from tallylearn.evaluation.running.fold_plan import FoldAssignment


def predicts_without_own_row(learner: object, dataset: Dataset, assignment: FoldAssignment) -> bool:
    """Whether every row, counted once and at hand, is to be answered by all others."""
    everyone = assignment.is_leave_one_out and assignment.part.min(initial=0) >= 0
    return (
        hasattr(type(learner), "by_others")
        and everyone
        and dataset.read is not None
        and dataset.in_memory
        and dataset.weight is None
    )


def predict_without_own_row(
    learner: Any, dataset: Dataset, assignment: FoldAssignment
) -> FoldPredictions | None:
    """The predictions to all rows of one that has learned them; None: leave them out one by one."""
    if (found := learner.by_others()) is None or len(found[0]) != len(dataset):
        return None
    said, shares = found
    if shares is None:
        return FoldPredictions(assignment.part, np.arange(len(dataset)), said, None)
    known = np.array([dataset.classes.index(key) for key in learner.model_.classes])
    proba = np.zeros((len(dataset), len(dataset.classes)))
    proba[:, known] = shares
    return FoldPredictions(assignment.part, np.arange(len(dataset)), known[said], proba)
