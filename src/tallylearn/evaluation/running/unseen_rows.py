"""Out of bag: a forest is grown once, and every row is answered by the trees that left it out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import InputError, OptionError
from tallylearn.estimators.estimator import clone_estimator
from tallylearn.evaluation.running.as_fitted import AsFitted
from tallylearn.evaluation.running.cross_validation import Crossing
from tallylearn.evaluation.running.dataset import Exam
from tallylearn.evaluation.running.fitted_learners import Done
from tallylearn.evaluation.running.fold_plan import FIRST, OTHERS, Round
from tallylearn.evaluation.scores.tested import Told
from tallylearn.folds import Split
from tallylearn.folds.givens import check_name
from tallylearn.models.forests.forest_learner import ForestLearner
from tallylearn.tables import Array

NAME = "out of bag"
NOTE = "Every row was answered by the trees that have not seen it, about a third of them."


def named(cv: Any) -> bool:
    """Whether cv says "oob"."""
    return isinstance(cv, str) and cv == "oob"


def asked_for(cv: Any, learner: Any) -> bool:
    """Whether cv says "oob", which only a forest of bags can answer."""
    forest = isinstance(learner, ForestLearner)
    if not named(cv):
        check_name(cv, *(["oob"] if forest else []))
        return False
    if not forest:
        raise OptionError(
            f'cv="oob" asks the trees of a forest for the rows that they have not seen, and '
            f"{type(learner).__name__} is none. Give a number of folds."
        )
    if not learner.bootstrap:
        raise OptionError(
            'cv="oob" needs rows that a tree has not seen, and with bootstrap=False every tree '
            "sees all. Give a number of folds."
        )
    return True


@dataclass
class OutOfBag(Crossing):
    """One forest of the rows of a round, and for each the answer of the trees that left it out."""

    def told(self, rounds: Iterable[Round | list[Split]]) -> Iterator[Told]:
        self.learner = clone_estimator(self.learner).set_params(record=True)
        for place in rounds:
            assert isinstance(place, Round)
            yield self._unseen(np.flatnonzero(place.part >= 0))

    def _unseen(self, among: Array) -> Told:
        forest = self.fitted(among)
        at = np.flatnonzero(~np.isnan(forest.oob.answers[:, 0]))
        rows, answers = among[at], forest.oob.answers[at]
        said, proba = answers[:, 0], None
        if self.exam.task == "classifier":
            place = np.array([self.exam.classes.index(key) for key in forest.model_.classes])
            said, proba = place[forest.oob.decided[at]], np.zeros((len(at), len(self.exam.classes)))
            proba[:, place] = answers
        self._told_of(1)
        return self._joined(0, [Done(rows, rows, said, proba)])


def inside(exam: Exam, rows: Array) -> list[Round | list[Split]]:
    """Some rows of a table, every one alone; the others are in no part."""
    part = np.full(len(exam), -1, dtype=np.int32)
    part[rows] = np.arange(len(rows))
    return [Round(0, part, len(rows), OTHERS)]


def beside(base: Any, exam: Exam, rounds: list[Round | list[Split]]) -> tuple[AsFitted, Round]:
    """A baseline of the rows of a round, and how it is asked about them: it needs no bags."""
    (place,) = rounds
    assert isinstance(place, Round)
    among = place.part >= 0
    fitted = Crossing(base, exam.blind).fitted(np.flatnonzero(among))
    return AsFitted(fitted, exam.blind), Round(0, among.astype(np.int32) * 2 - 1, 2, FIRST)


def planned(exam: Exam) -> tuple[str, list[Round | list[Split]], tuple[str, ...]]:
    """Every row stands alone, and no other tells of it."""
    if exam.groups is not None:
        raise OptionError(
            'cv="oob" draws bags row by row, so that trees have seen others of the group that a '
            "row is in. Give a number of folds, which keep groups together: cv=10."
        )
    if not exam.in_memory:
        raise InputError(f"{exam.files} is not in memory, and a forest is grown there. Read it in.")
    return NAME, inside(exam, np.arange(len(exam))), (*exam.remarks, NOTE)
