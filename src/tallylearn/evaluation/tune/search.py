"""Searches: candidates on the same folds, ranked; and a learner that searches by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite, nan
from typing import Any

import numpy as np

from tallylearn.errors import InputError, TallyError
from tallylearn.evaluation.evaluate.same_folds import Sitting
from tallylearn.evaluation.result import learner_text
from tallylearn.evaluation.running import unseen_rows
from tallylearn.evaluation.running.cross_validation import Crossing, Watch
from tallylearn.evaluation.running.dataset import Exam
from tallylearn.evaluation.running.fold_failures import Failure
from tallylearn.evaluation.running.fold_plan import Round, inside
from tallylearn.evaluation.running.shared_tallies import Ledger, together
from tallylearn.evaluation.scores.estimate import Estimate
from tallylearn.evaluation.scores.score import SCORES, TIED, remedy
from tallylearn.evaluation.scores.score_names import need_proba
from tallylearn.evaluation.scores.tested import Told
from tallylearn.evaluation.tune.grid import Options, is_number, spelled, with_options
from tallylearn.folds import Split


@dataclass(frozen=True, eq=False)
class Candidate:
    """Options that were tried, and how they did."""

    options: Options
    estimate: Estimate | None
    rank: int | None = None  # 1 is the best; tied ones share it
    failure: str = ""

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
            "spelled": spelled(self.options),
            "rank": self.rank,
            "failure": self.failure,
            "estimate": None if self.estimate is None else self.estimate.record(),
        }


@dataclass(frozen=True)
class Search:
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

    def best(self, tried: tuple[Candidate, ...]) -> Any:
        """The learner with the best options, not fitted."""
        return with_options(self.learner, first_of(tried).options)

    def tried(self, sitting: Sitting, watch: Watch | None) -> tuple[Candidate, ...]:
        """All candidates on the same folds, ranked."""
        learners = self.learners
        found: dict[int, Candidate] = {}
        for at in together(learners):
            given = None, watch, sitting.ledger, need_proba(sitting.score)
            crossing = sitting.crossing(learners[at], *given)
            found[at] = _sat(self.options[at], crossing, sitting)
        return _ranked([found[at] for at in range(len(learners))], sitting.score)


@dataclass
class Choosing:
    """A learner that tunes itself: on the training rows of every fold it searches anew."""

    search: Search
    sitting: Sitting  # the outer folds
    watch: Watch | None
    chosen: list[Options] = field(default_factory=list)
    failures: tuple[Failure, ...] = ()

    @property
    def exam(self) -> Exam:
        return self.sitting.exam

    @property
    def learner(self) -> Any:
        return self.search.learner

    def told(self, rounds: list[Round | list[Split]]) -> Iterator[Told]:
        """The answers on every outer fold, by the learner that its training rows chose."""
        for place in rounds:
            for split in place.splits() if isinstance(place, Round) else place:
                given, bagged = (self.exam, split.train), unseen_rows.named(self.search.cv)
                rounds = unseen_rows.inside(*given) if bagged else inside(*given, self.search.cv)
                inner = replace(self.sitting, rounds=rounds, ledger=Ledger(), bagged=bagged)
                tried = self.search.tried(inner, self.watch)
                self.chosen.append(first_of(tried).options)
                yield from Crossing(self.search.best(tried), self.exam).told([[split]])


def first_of(tried: tuple[Candidate, ...]) -> Candidate:
    """The best; of tied ones the first."""
    return next(c for c in tried if c.rank == 1)


def _sat(options: Options, crossing: Crossing, sitting: Sitting) -> Candidate:
    """One candidate; what fails is named, and the others are tried all the same."""
    try:
        estimate = sitting.taken(crossing, "")[sitting.score]
    except TallyError as error:
        return Candidate(options, None, failure=str(error))
    if not isfinite(estimate.value):
        reason = f": {estimate.reason}" if estimate.reason else ""
        return Candidate(options, estimate, failure=f"{estimate.name} {estimate.value}{reason}")
    return Candidate(options, estimate)


def _ranked(tried: list[Candidate], score: str) -> tuple[Candidate, ...]:
    """With ranks: one more than the number of candidates that are better."""
    turned = 1.0 if SCORES[score].better == "high" else -1.0
    values = np.array([
        turned * c.estimate.value if c.estimate is not None and not c.failure else -np.inf
        for c in tried
    ])  # fmt: skip
    known = values[np.isfinite(values)]
    if not len(known):
        first = tried[0].failure.rstrip(".")
        raise InputError(f"every candidate failed; the first: {first}.{remedy(score)}")
    near = TIED * float(np.abs(known).max())
    return tuple(
        c if c.failure else replace(c, rank=1 + int((known > value + near).sum()))
        for c, value in zip(tried, values, strict=True)
    )
