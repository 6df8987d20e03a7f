"""The same dataset, folds and score for every learner of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.evaluation.evaluate.evaluation import Evaluation
from tallylearn.evaluation.running import unseen_rows
from tallylearn.evaluation.running.baseline import baseline
from tallylearn.evaluation.running.cross_validation import CrossValidation
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.running.fold_failures import Failure
from tallylearn.evaluation.running.fold_plan import FoldAssignment, models_of, plan_folds, splits_of
from tallylearn.evaluation.running.fold_scores import FoldScores, score_folds
from tallylearn.evaluation.running.shared_tallies import TallyCache
from tallylearn.evaluation.running.unseen_rows import OutOfBagFits
from tallylearn.evaluation.running.usual_scores import Usual, score_of
from tallylearn.evaluation.scores.tested_rows import RowPredictions
from tallylearn.folds import Split
from tallylearn.tables import Array


@dataclass
class SharedFolds:
    """What all learners have in common; those that count alike share what they counted."""

    dataset: Dataset
    cv: str
    assignments: list[FoldAssignment | list[Split]]
    remarks: tuple[str, ...]
    score: str
    positive: Any
    level: float
    tally_cache: TallyCache = field(default_factory=TallyCache)
    bagged: bool = False  # whether every row is answered by the trees that have not seen it

    @classmethod
    def of(
        cls, dataset: Dataset, cv: Any, score: Any, positive: Any, level: float, usual: Usual,
        forests: Iterable[Any] = (),
    ) -> SharedFolds:  # fmt: skip
        """The folds that cv deals out, or the bags of forests, and the score that is asked for."""
        positive = dataset.positive(positive)
        score = score_of(score, dataset, positive, usual)
        bagged = [unseen_rows.is_out_of_bag_requested(cv, forest) for forest in forests]
        plan = unseen_rows.plan_folds(dataset) if any(bagged) else plan_folds(cv, dataset)
        return cls(dataset, *plan, score, positive, level, bagged=any(bagged))

    def cross_validation(self, learner: Any, *given: Any) -> CrossValidation:
        """A learner before the dataset."""
        return (OutOfBagFits if self.bagged else CrossValidation)(learner, self.dataset, *given)

    def evaluation_of(self, cross_validation: Any, learner: str) -> Evaluation:
        """The evaluation of anything that has ``predict_folds`` and ``failures``."""
        found = score_folds(cross_validation, self.assignments, [self.score], self.positive, None)
        return self._evaluation(found, learner, tuple(cross_validation.failures))

    @property
    def baseline(self) -> Evaluation:
        """What the answer without looking makes of it."""
        found = self._evaluation(self._base, "", ())
        return replace(found, learner=found.baseline_name)

    @cached_property
    def _base(self) -> FoldScores:
        cross_validation, assignments = (
            CrossValidation(baseline(self.dataset), self.dataset),
            self.assignments,
        )
        if self.bagged:
            cross_validation, whole = unseen_rows.baseline_fits(
                cross_validation.learner, self.dataset, assignments
            )
            assignments = [whole]
        return score_folds(cross_validation, assignments, [self.score], self.positive, None)

    def _evaluation(
        self, found: FoldScores, learner: str, failures: tuple[Failure, ...]
    ) -> Evaluation:
        dataset = self.dataset
        return Evaluation(
            learner=learner,
            cv=self.cv,
            task=dataset.task,
            n=len(dataset),
            classes=dataset.classes,
            scores=found.scores,
            positive=self.positive,
            level=self.level,
            folds=found.folds,
            whole=found.whole,
            baseline=self._base.by_fold,
            groups={},
            by=None,
            tests=found.tests,
            failures=failures,
            sample=found.sample,
            remarks=self.remarks,
        )

    @property
    def folds(self) -> int:
        """How many models a learner is fitted to."""
        return 1 if self.bagged else models_of(self.assignments)

    @cached_property
    def splits(self) -> list[Split]:
        """The rows of every fold."""
        return splits_of(self.assignments)


@dataclass
class MarkedCrossValidation(CrossValidation):
    """A cross_validation that marks which rows were predicted correctly, each at its first test."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.right = np.zeros(len(self.dataset), dtype=bool)
        self.repeat = np.full(len(self.dataset), -1, dtype=np.int32)  # of the first test

    def predict_folds(self, assignments: Any) -> Iterator[RowPredictions]:
        for tested_rows in super().predict_folds(assignments):
            first = self.repeat[tested_rows.rows] < 0
            rows, predictions = tested_rows.rows[first], tested_rows.predictions
            if self.dataset.task == "classifier":
                self.right[rows] = (predictions.truth.codes == predictions.said.codes)[first]
            self.repeat[rows] = tested_rows.repeat
            yield tested_rows

    @property
    def marks(self) -> Array:
        """(n, 2) the repeat in which a row was tested, -1 if in none, and whether it was right."""
        return np.column_stack([self.repeat, self.right])


@dataclass
class MarkedOutOfBag(MarkedCrossValidation, OutOfBagFits):
    """The same of a forest, whose trees answer the rows that they have not seen."""
