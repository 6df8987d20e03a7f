"""As fitted: a model that has learned already is asked about rows, and nothing is trained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn.errors import InputError, TargetError, not_fitted
from tallylearn.estimators.estimator import Estimator
from tallylearn.evaluation.running.cross_validation import CrossValidation
from tallylearn.evaluation.running.dataset import Dataset, task_of
from tallylearn.evaluation.running.fitted_learners import predict_with_sklearn
from tallylearn.evaluation.running.fold_plan import FIRST, FoldAssignment
from tallylearn.evaluation.running.outside_columns import take_rows
from tallylearn.evaluation.scores.tested_rows import RowPredictions
from tallylearn.folds import Split
from tallylearn.tables import Codes, Schema

NAME = "as fitted"
NOTE = (
    "Scores on the model's own training rows are optimistic. The baseline was fitted to the "
    "tested rows."
)


@dataclass
class AsFitted(CrossValidation):
    """One fold that tests every row, by a model that learned from others."""

    def predict_folds(
        self, assignments: Iterable[FoldAssignment | list[Split]]
    ) -> Iterator[RowPredictions]:
        for place in assignments:
            assert isinstance(place, FoldAssignment)
            if not self._has_our_learner:
                yield self._by_theirs(place)
            elif self.dataset.in_memory:
                yield from self._predict_in_memory(place)
            else:
                yield from self._predict_from_files(place)

    def _solve_folds(self, place: FoldAssignment) -> Iterator[tuple[int, Any]]:
        yield 0, self.learner
        self._report_progress(1)

    def _by_theirs(self, place: FoldAssignment) -> RowPredictions:
        split = next(place.splits())
        test = take_rows(self.dataset.outside[0], self.dataset.rows[split.test])
        done = predict_with_sklearn(self.learner, test, split, self.dataset, self.proba)
        self._report_progress(1)
        return self._join(place.repeat, [done])


def plan_folds(dataset: Dataset) -> tuple[str, list[FoldAssignment | list[Split]], tuple[str, ...]]:
    """Every row is tested, and none trains."""
    place = FoldAssignment(0, np.ones(len(dataset), dtype=np.int32), 2, FIRST)
    return NAME, [place], (*dataset.remarks, NOTE)


def classes_of(model: Any) -> tuple[Any, ...]:
    """The classes that a model knows; none of a regression."""
    return tuple(getattr(model, "classes_", ()))


def schema_of(model: Any) -> Schema | None:
    """The columns that a model of ours has learned from."""
    if not isinstance(model, Estimator):
        if not hasattr(model, "classes_") and task_of(model) == "classifier":
            raise not_fitted(type(model).__name__)
        return None
    if not model.__sklearn_is_fitted__():
        raise not_fitted(type(model).__name__)
    if model.model_ is None:
        raise InputError("the model was trained on too few rows to predict. Train it on more rows.")
    return model.schema_


def with_known_classes(model: Any, dataset: Dataset) -> Dataset:
    """The dataset with the classes that the model knows among its own."""
    if dataset.task != "classifier":
        return dataset
    ours = isinstance(model, Estimator)
    known = tuple(model.model_.classes if ours else np.asarray(model.classes_).tolist())
    if isinstance(known[0], str) != isinstance(dataset.classes[0], str):
        raise TargetError(
            f"the model's classes are like {known[0]!r}, but the target has "
            f"{dataset.classes[0]!r}. Convert them to one type."
        )
    every = tuple(sorted({*known, *dataset.classes}))
    return replace(dataset, truth=Codes(every, dataset.truth.recode(every), every))
