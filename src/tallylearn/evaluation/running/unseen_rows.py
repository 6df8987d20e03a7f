"""Out of bag: a forest is grown once, and every row is answered by the trees that left it out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.doors.shell import cloned
from tallylearn.errors import InputError, OptionError
from tallylearn.evaluation.running.cross_validation import Crossing
from tallylearn.evaluation.running.dataset import Exam
from tallylearn.evaluation.running.fitted_learners import Done
from tallylearn.evaluation.running.fold_plan import OTHERS, Round
from tallylearn.evaluation.scores.tested import Told
from tallylearn.folds import Split
from tallylearn.models.forests.forest_learner import ForestLearner

NAME = "out of bag"
NOTE = "Every row was answered by the trees that have not seen it, about a third of them."


def asked_for(cv: Any, learner: Any) -> bool:
    """Whether cv says "oob", which only a forest of bags can answer."""
    if not isinstance(cv, str) or cv != "oob":
        return False
    if not isinstance(learner, ForestLearner):
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
    """One forest of all rows, and for each the answer without the trees that saw it."""

    def told(self, rounds: Iterable[Round | list[Split]]) -> Iterator[Told]:
        self.learner = cloned(self.learner).set_params(record=True)
        found = self.fitted().oob
        rows = np.flatnonzero(~np.isnan(found.answers[:, 0]))
        answers = found.answers[rows]
        said, proba = answers[:, 0], None
        if self.exam.task == "classifier":
            said, proba = found.decided[rows], answers
        self._told_of(1)
        yield self._joined(0, [Done(rows, rows, said, proba)])


def planned(exam: Exam) -> tuple[str, list[Round | list[Split]], tuple[str, ...]]:
    """Every row stands alone."""
    if not exam.in_memory:
        raise InputError(f"{exam.files} is not in memory, and a forest is grown there. Read it in.")
    place = Round(0, np.arange(len(exam), dtype=np.int32), len(exam), OTHERS)
    return NAME, [place], (*exam.remarks, NOTE)
