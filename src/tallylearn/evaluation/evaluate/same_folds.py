"""Sittings: one exam, the same folds and the same score for every learner that takes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.evaluation.evaluate.evaluation import Evaluation
from tallylearn.evaluation.running import unseen_rows
from tallylearn.evaluation.running.baseline import baseline
from tallylearn.evaluation.running.cross_validation import Crossing
from tallylearn.evaluation.running.dataset import Exam
from tallylearn.evaluation.running.fold_failures import Failure
from tallylearn.evaluation.running.fold_plan import Round, models_of, planned, splits_of
from tallylearn.evaluation.running.fold_scores import Gathered, gathered
from tallylearn.evaluation.running.shared_tallies import Ledger
from tallylearn.evaluation.running.unseen_rows import OutOfBag
from tallylearn.evaluation.running.usual_scores import Usual, score_of
from tallylearn.evaluation.scores.tested import Told
from tallylearn.folds import Split
from tallylearn.tables import Array


@dataclass
class Sitting:
    """What all learners have in common; those that count alike share what they counted."""

    exam: Exam
    cv: str
    rounds: list[Round | list[Split]]
    remarks: tuple[str, ...]
    score: str
    positive: Any
    level: float
    ledger: Ledger = field(default_factory=Ledger)
    bagged: bool = False  # whether every row is answered by the trees that have not seen it

    @classmethod
    def of(
        cls, exam: Exam, cv: Any, score: Any, positive: Any, level: float, usual: Usual,
        forests: Iterable[Any] = (),
    ) -> Sitting:  # fmt: skip
        """The folds that cv deals out, or the bags of forests, and the score that is asked for."""
        positive = exam.positive(positive)
        score = score_of(score, exam, positive, usual)
        bagged = [unseen_rows.asked_for(cv, forest) for forest in forests]
        plan = unseen_rows.planned(exam) if any(bagged) else planned(cv, exam)
        return cls(exam, *plan, score, positive, level, bagged=any(bagged))

    def crossing(self, learner: Any, *given: Any) -> Crossing:
        """A learner before the exam."""
        return (OutOfBag if self.bagged else Crossing)(learner, self.exam, *given)

    def taken(self, crossing: Any, learner: str) -> Evaluation:
        """What a learner made of it; a crossing is anything that has answers for the rounds."""
        found = gathered(crossing, self.rounds, [self.score], self.positive, None)
        return self._evaluation(found, learner, tuple(crossing.failures))

    @property
    def baseline(self) -> Evaluation:
        """What the answer without looking makes of it."""
        found = self._evaluation(self._base, "", ())
        return replace(found, learner=found.baseline_name)

    @cached_property
    def _base(self) -> Gathered:
        crossing, rounds = Crossing(baseline(self.exam), self.exam), self.rounds
        if self.bagged:
            crossing, whole = unseen_rows.beside(crossing.learner, self.exam, rounds)
            rounds = [whole]
        return gathered(crossing, rounds, [self.score], self.positive, None)

    def _evaluation(
        self, found: Gathered, learner: str, failures: tuple[Failure, ...]
    ) -> Evaluation:
        exam = self.exam
        return Evaluation(
            learner, self.cv, exam.task, len(exam), exam.classes, found.scores, self.positive,
            self.level, found.folds, found.whole, self._base.by_fold, {}, None, found.told,
            failures, found.sample, self.remarks,
        )  # fmt: skip

    @property
    def folds(self) -> int:
        """How many models a learner is fitted to."""
        return 1 if self.bagged else models_of(self.rounds)

    @cached_property
    def splits(self) -> list[Split]:
        """The rows of every fold."""
        return splits_of(self.rounds)


@dataclass
class Marking(Crossing):
    """A crossing that marks which rows were answered rightly, each at its first test."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.right = np.zeros(len(self.exam), dtype=bool)
        self.repeat = np.full(len(self.exam), -1, dtype=np.int32)  # of the first test

    def told(self, rounds: Any) -> Iterator[Told]:
        for told in super().told(rounds):
            first = self.repeat[told.rows] < 0
            rows, answers = told.rows[first], told.answers
            if self.exam.task == "classifier":
                self.right[rows] = (answers.truth.codes == answers.said.codes)[first]
            self.repeat[rows] = told.repeat
            yield told

    @property
    def marks(self) -> Array:
        """(n, 2) the repeat in which a row was tested, -1 if in none, and whether it was right."""
        return np.column_stack([self.repeat, self.right])


@dataclass
class MarkingUnseen(Marking, OutOfBag):
    """The same of a forest, whose trees answer the rows that they have not seen."""
