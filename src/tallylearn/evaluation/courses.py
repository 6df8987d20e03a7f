"""Courses: a learner is sent over the folds, and asked about the rows it learned from as well."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn.errors import OptionError
from tallylearn.evaluation.answers import Answers
from tallylearn.evaluation.crossing import Crossing
from tallylearn.evaluation.exams import Exam, task_of
from tallylearn.evaluation.gathering import baseline
from tallylearn.evaluation.points import Point
from tallylearn.evaluation.rounds import Round, planned
from tallylearn.evaluation.scores import measure, wanted
from tallylearn.folds import Split
from tallylearn.folds.hashing import hashed
from tallylearn.intervals import check_level
from tallylearn.tables import Array, Codes


@dataclass(frozen=True)
class Course:
    """A table, its folds and a score: all that the points of a curve share."""

    exam: Exam
    cv: str
    splits: tuple[Split, ...]
    score: str
    positive: Any
    level: float

    @classmethod
    def of(
        cls, learner: Any, X: Any, y: Any, weight: Any, groups: Any, cv: Any,
        score: str | None, positive: Any, level: float,
    ) -> Course:  # fmt: skip
        check_level("level", level)
        exam = Exam.of(X, y, weight, groups, task_of(learner))
        positive = exam.positive(positive)
        named, rounds = planned(cv, exam)
        splits = [s for r in rounds for s in (r.splits() if isinstance(r, Round) else r)]
        return cls(exam, named, tuple(splits), _score(score, exam, positive), positive, level)

    def point(self, learner: Any, at: Any, trains: list[Array]) -> Point:
        """Fit on some rows of every training part; ask about those, and about the test part."""
        crossing, scores = Crossing(learner, self.exam), []
        for split, train in zip(self.splits, trains, strict=True):
            both = replace(split, train=train, test=np.concatenate([train, split.test]))
            (told,) = crossing.told([[both]])
            cut = len(train)
            scores.append((self._value(told.answers[:cut]), self._value(told.answers[cut:])))
        train_scores, test_scores = zip(*scores, strict=True)
        return Point(at, train_scores, test_scores)

    @property
    def test_share(self) -> float:
        """The part of the rows that a fold tests."""
        return float(np.mean([len(s.test) / (len(s.test) + len(s.train)) for s in self.splits]))

    def beside(self) -> Point:
        """The baseline, learned from the whole training parts."""
        name = "majority" if self.exam.task == "classifier" else "mean"
        return self.point(baseline(self.exam), name, [split.train for split in self.splits])

    def _value(self, answers: Answers) -> float:
        tally = answers.tally([self.score], self.positive)
        return measure(tally, self.score, self.positive).value


def growing(rows: Array, strata: Codes | None, seed: int) -> Array:
    """The rows in the order of their hash; any first part has the classes in their shares.

    Of n rows of a class the i-th by its hash stands at (i - 1/2) / n, and the rows go by that.
    """
    rows = rows[np.argsort(hashed(seed, rows), kind="stable")]
    if strata is None:
        return rows
    place = np.empty(len(rows))
    codes = strata.codes[rows]
    for code in np.unique(codes):
        at = np.flatnonzero(codes == code)
        place[at] = (np.arange(len(at)) + 0.5) / len(at)
    return rows[np.argsort(place, kind="stable")]


def _score(score: str | None, exam: Exam, positive: Any) -> str:
    if score is None:
        if exam.task == "classifier":
            return "error"
        return "rmse" if exam.truth.ndim == 1 else "euclidean"
    if not isinstance(score, str):
        raise OptionError(f"score is {score!r}. Give the name of one score.")
    return wanted(score, exam.task, len(exam.classes), True, positive)[0]
