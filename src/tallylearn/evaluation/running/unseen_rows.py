"""Out of bag: a forest is grown once, and every row is answered by the trees that left it out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import InputError, OptionError
from tallylearn.estimators.estimator import clone_estimator
from tallylearn.evaluation.running.as_fitted import AsFitted
from tallylearn.evaluation.running.cross_validation import CrossValidation
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.running.fitted_learners import FoldPredictions
from tallylearn.evaluation.running.fold_plan import FIRST, OTHERS, FoldAssignment
from tallylearn.evaluation.scores.tested_rows import RowPredictions
from tallylearn.folds import Split
from tallylearn.folds.givens import check_name
from tallylearn.models.forests.forest_learner import ForestLearner
from tallylearn.tables import Array

NAME = "out of bag"
NOTE = "Every row was answered by the trees that have not seen it, about a third of them."


def is_out_of_bag(cv: Any) -> bool:
    """Whether cv says "oob"."""
    return isinstance(cv, str) and cv == "oob"


def is_out_of_bag_requested(cv: Any, learner: Any) -> bool:
    """Whether cv says "oob", which only a forest of bags can answer."""
    forest = isinstance(learner, ForestLearner)
    if not is_out_of_bag(cv):
        check_name(cv, *(["oob"] if forest else []))
        return False
    if not forest:
        raise OptionError(
            "cv='oob' scores the out-of-bag rows of a forest, and "
            f"{type(learner).__name__} is not a forest. Give a number of folds, "
            "such as cv=10."
        )
    if not learner.bootstrap:
        raise OptionError(
            "cv='oob' needs out-of-bag rows, and with bootstrap=False every tree "
            "is trained on all rows. Give a number of folds, such as cv=10."
        )
    return True


@dataclass
class OutOfBagFits(CrossValidation):
    """One forest of the rows of a round, and for each the answer of the trees that left it out."""

    def predict_folds(
        self, assignments: Iterable[FoldAssignment | list[Split]]
    ) -> Iterator[RowPredictions]:
        self.learner = clone_estimator(self.learner).set_params(keep_rows=True)
        for place in assignments:
            assert isinstance(place, FoldAssignment)
            yield self._unseen(np.flatnonzero(place.part >= 0))

    def _unseen(self, among: Array) -> RowPredictions:
        forest = self.fit_rows(among)
        at = np.flatnonzero(~np.isnan(forest.oob.answers[:, 0]))
        rows, predictions = among[at], forest.oob.answers[at]
        said, proba = predictions[:, 0], None
        if self.dataset.task == "classifier":
            place = np.array([self.dataset.classes.index(key) for key in forest.model_.classes])
            said, proba = (
                place[forest.oob.decided[at]],
                np.zeros((len(at), len(self.dataset.classes))),
            )
            proba[:, place] = predictions
        self._report_progress(1)
        return self._join(0, [FoldPredictions(rows, rows, said, proba)])


def assign_rows(dataset: Dataset, rows: Array) -> list[FoldAssignment | list[Split]]:
    """Some rows of a table, every one alone; the others are in no part."""
    part = np.full(len(dataset), -1, dtype=np.int32)
    part[rows] = np.arange(len(rows))
    return [FoldAssignment(0, part, len(rows), OTHERS)]


def baseline_fits(
    base: Any, dataset: Dataset, assignments: list[FoldAssignment | list[Split]]
) -> tuple[AsFitted, FoldAssignment]:
    """A baseline of the rows of a round, and how it is asked about them: it needs no bags."""
    (place,) = assignments
    assert isinstance(place, FoldAssignment)
    among = place.part >= 0
    fitted = CrossValidation(base, dataset.blind).fit_rows(np.flatnonzero(among))
    return AsFitted(fitted, dataset.blind), FoldAssignment(
        0, among.astype(np.int32) * 2 - 1, 2, FIRST
    )


def plan_folds(dataset: Dataset) -> tuple[str, list[FoldAssignment | list[Split]], tuple[str, ...]]:
    """Every row stands alone, and no other tells of it."""
    if dataset.groups is not None:
        raise OptionError(
            "cv='oob' samples rows, not groups, so trees are trained on other rows "
            "of the same group. Give a number of folds, which keep groups "
            "together: cv=10."
        )
    if not dataset.in_memory:
        raise InputError(
            f"{dataset.files} is not in memory, and cv='oob' needs a table in "
            "memory. Read it into memory."
        )
    return NAME, assign_rows(dataset, np.arange(len(dataset))), (*dataset.remarks, NOTE)
