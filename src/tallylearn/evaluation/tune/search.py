"""Searches: candidates on the same folds, ranked; and a learner that searches by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite, nan
from typing import Any

import numpy as np

from tallylearn.errors import InputError, TallyError
from tallylearn.evaluation.evaluate.shared_folds import SharedFolds
from tallylearn.evaluation.result import learner_text
from tallylearn.evaluation.running import unseen_rows
from tallylearn.evaluation.running.cross_validation import CrossValidation, Watch
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.running.fold_failures import Failure
from tallylearn.evaluation.running.fold_plan import FoldAssignment, assign_rows
from tallylearn.evaluation.running.shared_tallies import TallyCache, group_by_tally
from tallylearn.evaluation.scores.estimate import Estimate
from tallylearn.evaluation.scores.score import SCORES, TIED, remedy
from tallylearn.evaluation.scores.score_names import need_proba
from tallylearn.evaluation.scores.tested_rows import RowPredictions
from tallylearn.evaluation.tune.grid import Options, is_number, options_text, with_options
from tallylearn.folds import Split


@dataclass(frozen=True, eq=False)
class TuningCandidate:
    """Options that were tried, and how they did."""

    options: Options
    estimate: Estimate | None
    rank: int | None = None  # 1 is the best; tied ones share it
    failure: str = ""

    def __str__(self) -> str:
        if self.failure:
            return f"failed: {options_text(self.options)}: {self.failure}"
        return f"rank {self.rank}: {options_text(self.options)}, {self.estimate}"

    def __repr__(self) -> str:
        return str(self)

    def record(self, score: str) -> dict[str, Any]:
        """How it did, as a row of a table."""
        interval = None if self.estimate is None else self.estimate.interval
        return {
            "rank": self.rank,
            "score": score,
            "value": nan if self.estimate is None else self.estimate.value,
            "baseline": nan if self.estimate is None else self.estimate.baseline,
            "low": nan if interval is None else interval.low,
            "high": nan if interval is None else interval.high,
            "by_fold": [] if self.estimate is None else list(self.estimate.by_fold),
            "failure": self.failure,
        }

    def facts(self) -> dict[str, Any]:
        """The same with its options, as they are written, and as numbers where they are some."""
        return {
            "options": {name: repr(value) for name, value in self.options.items()},
            "numbers": {name: float(x) for name, x in self.options.items() if is_number(x)},
            "spelled": options_text(self.options),
            "rank": self.rank,
            "failure": self.failure,
            "estimate": None if self.estimate is None else self.estimate.record(),
        }


@dataclass(frozen=True)
class OptionSearch:
    """A learner, and the options that are to be tried."""

    learner: Any
    options: list[Options]
    cv: Any

    def __repr__(self) -> str:
        return learner_text(self.learner)

    @property
    def learners(self) -> list[Any]:
        """The learner with every choice of options, not fitted."""
        return [with_options(self.learner, options) for options in self.options]

    def best(self, tried: tuple[TuningCandidate, ...]) -> Any:
        """The learner with the best options, not fitted."""
        return with_options(self.learner, first_of(tried).options)

    def try_all(
        self, shared_folds: SharedFolds, watch: Watch | None
    ) -> tuple[TuningCandidate, ...]:
        """All candidates on the same folds, ranked."""
        learners = self.learners
        found: dict[int, TuningCandidate] = {}
        for at in group_by_tally(learners):
            given = None, watch, shared_folds.tally_cache, need_proba(shared_folds.score)
            cross_validation = shared_folds.cross_validation(learners[at], *given)
            found[at] = _try_candidate(self.options[at], cross_validation, shared_folds)
        return _rank([found[at] for at in range(len(learners))], shared_folds.score)


@dataclass
class Choosing:
    """A learner that tunes itself: on the training rows of every fold it searches anew."""

    search: OptionSearch
    shared_folds: SharedFolds  # the outer folds
    watch: Watch | None
    chosen: list[Options] = field(default_factory=list)
    failures: tuple[Failure, ...] = ()

    @property
    def dataset(self) -> Dataset:
        return self.shared_folds.dataset

    @property
    def learner(self) -> Any:
        return self.search.learner

    def predict_folds(
        self, assignments: list[FoldAssignment | list[Split]]
    ) -> Iterator[RowPredictions]:
        """The predictions on every outer fold, by the learner that its training rows chose."""
        for place in assignments:
            for split in place.splits() if isinstance(place, FoldAssignment) else place:
                given, bagged = (
                    (self.dataset, split.train),
                    unseen_rows.is_out_of_bag(self.search.cv),
                )
                assignments = (
                    unseen_rows.assign_rows(*given)
                    if bagged
                    else assign_rows(*given, self.search.cv)
                )
                inner = replace(
                    self.shared_folds,
                    assignments=assignments,
                    tally_cache=TallyCache(),
                    bagged=bagged,
                )
                tried = self.search.try_all(inner, self.watch)
                self.chosen.append(first_of(tried).options)
                yield from CrossValidation(self.search.best(tried), self.dataset).predict_folds(
                    [[split]]
                )


def first_of(tried: tuple[TuningCandidate, ...]) -> TuningCandidate:
    """The best; of tied ones the first."""
    return next(c for c in tried if c.rank == 1)


def _try_candidate(
    options: Options, cross_validation: CrossValidation, shared_folds: SharedFolds
) -> TuningCandidate:
    """One candidate; what fails is named, and the others are tried all the same."""
    try:
        estimate = shared_folds.evaluation_of(cross_validation, "")[shared_folds.score]
    except TallyError as error:
        return TuningCandidate(options, None, failure=str(error))
    if not isfinite(estimate.value):
        reason = f": {estimate.reason}" if estimate.reason else ""
        return TuningCandidate(
            options, estimate, failure=f"{estimate.name} {estimate.value}{reason}"
        )
    return TuningCandidate(options, estimate)


def _rank(tried: list[TuningCandidate], score: str) -> tuple[TuningCandidate, ...]:
    """With ranks: one more than the number of candidates that are better."""
    turned = 1.0 if SCORES[score].better == "high" else -1.0
    values = np.array([
        turned * c.estimate.value if c.estimate is not None and not c.failure else -np.inf
        for c in tried
    ])  # fmt: skip
    known = values[np.isfinite(values)]
    if not len(known):
        first = tried[0].failure.rstrip(".")
        raise InputError(f"every candidate failed. The first failure: {first}.{remedy(score)}")
    near = TIED * float(np.abs(known).max())
    return tuple(
        c if c.failure else replace(c, rank=1 + int((known > value + near).sum()))
        for c, value in zip(tried, values, strict=True)
    )
