"""As fitted: a model that has learned already is asked about rows, and nothing is trained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn.errors import InputError, TargetError, not_fitted
from tallylearn.estimators.estimator import Estimator
from tallylearn.evaluation.running.cross_validation import Crossing
from tallylearn.evaluation.running.dataset import Exam, task_of
from tallylearn.evaluation.running.fitted_learners import asked
from tallylearn.evaluation.running.fold_plan import FIRST, Round
from tallylearn.evaluation.running.outside_columns import picked
from tallylearn.evaluation.scores.tested import Told
from tallylearn.folds import Split
from tallylearn.tables import Codes, Schema

NAME = "as fitted"
NOTE = (
    "Scores of rows that the model has learned from flatter it. The baseline was learned from the "
    "tested rows."
)


@dataclass
class AsFitted(Crossing):
    """One fold that tests every row, by a model that learned from others."""

    def told(self, rounds: Iterable[Round | list[Split]]) -> Iterator[Told]:
        for place in rounds:
            assert isinstance(place, Round)
            if not self._is_ours:
                yield self._by_theirs(place)
            elif self.exam.in_memory:
                yield from self._in_memory(place)
            else:
                yield from self._from_files(place)

    def _models(self, place: Round) -> Iterator[tuple[int, Any]]:
        yield 0, self.learner
        self._told_of(1)

    def _by_theirs(self, place: Round) -> Told:
        split = next(place.splits())
        test = picked(self.exam.outside[0], self.exam.rows[split.test])
        done = asked(self.learner, test, split, self.exam, self.proba)
        self._told_of(1)
        return self._joined(place.repeat, [done])


def planned(exam: Exam) -> tuple[str, list[Round | list[Split]], tuple[str, ...]]:
    """Every row is tested, and none trains."""
    place = Round(0, np.ones(len(exam), dtype=np.int32), 2, FIRST)
    return NAME, [place], (*exam.remarks, NOTE)


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
        raise InputError("the model has learned too few rows to answer. Let it learn more.")
    return model.schema_


def known_to(model: Any, exam: Exam) -> Exam:
    """The exam with the classes that the model knows among its own."""
    if exam.task != "classifier":
        return exam
    ours = isinstance(model, Estimator)
    known = tuple(model.model_.classes if ours else np.asarray(model.classes_).tolist())
    if isinstance(known[0], str) != isinstance(exam.classes[0], str):
        raise TargetError(
            f"the model's classes are like {known[0]!r}, and the target has {exam.classes[0]!r}. "
            "Bring them to one type."
        )
    every = tuple(sorted({*known, *exam.classes}))
    return replace(exam, truth=Codes(every, exam.truth.among(every), every))
