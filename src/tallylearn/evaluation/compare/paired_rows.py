"""Paired differences of two learners: rows or groups that both predicted, and their influence."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import Any

import numpy as np

from tallylearn.evaluation.evaluate.evaluation import Evaluation
from tallylearn.evaluation.scores.score import SCORES, measure
from tallylearn.evaluation.scores.tested_rows import ScoredSample, UnitInfluence
from tallylearn.statistics.significance_tests import paired_t_corrected
from tallylearn.tables import Array

SHARES = {"accuracy": 1.0, "error": -1.0}  # the scores that McNemar's test is about
PAIRED = "paired t over"
SQUARED_ERRORS = {  # the value of no error, and the power of the mean squared error in the score
    "r2": (1.0, 1.0), "explained_variance": (1.0, 1.0), "mse": (0.0, 1.0), "rmse": (0.0, 0.5),
}  # fmt: skip


@dataclass(frozen=True)
class LearnerResult:
    """What a learner handed in: its evaluation, and which rows it got right."""

    name: str
    found: Evaluation
    marks: Array  # (n, 2) the repeat of a row's first test, -1 if none, and whether it was right

    @property
    def folds(self) -> dict[tuple[int, int], Any]:
        return {(repeat, fold): bundle for repeat, fold, bundle in self.found.folds}

    @property
    def score(self) -> str:
        return self.found.scores[0]

    def sample_of(self, places: set[tuple[int, int]]) -> ScoredSample:
        """The tests of some of the folds."""
        sample = self.found.sample
        return sample.of_folds(places) if places and len(places) < len(self.folds) else sample

    def unit_influence(self, places: set[tuple[int, int]], by_fold: bool) -> UnitInfluence | None:
        """How far every row or group moves the score, on some of the folds."""
        return self.sample_of(places).unit_influence(self.score, self.found.positive, by_fold)

    def unit_influence_with_training(self, places: set[tuple[int, int]]) -> UnitInfluence | None:
        """The same of a pooled score, as a tested row and as a training row."""
        return self.sample_of(places).unit_influence_with_training(self.score, self.found.positive)


@dataclass(frozen=True)
class Pair:
    """Two learners' results, and what they have in common."""

    a: LearnerResult
    b: LearnerResult

    @property
    def score(self) -> str:
        return self.a.score

    @property
    def both(self) -> list[tuple[int, int]]:
        """The folds that both answered."""
        theirs = self.b.folds
        return [at for at in self.a.folds if at in theirs]

    @property
    def by_fold(self) -> tuple[float, ...]:
        return self._fold_differences(self.score)

    @property
    def rows(self) -> Array | None:
        """(n,) 1 where only a is wrong, -1 where only b is; each row at its first test."""
        if self.a.found.task != "classifier":
            return None
        mine, theirs = self.a.marks, self.b.marks
        both = (mine[:, 0] >= 0) & (mine[:, 0] == theirs[:, 0])
        return np.asarray(theirs[both, 1] - mine[both, 1])

    @property
    def exclusive_errors(self) -> tuple[int, int]:
        """How many rows only a gets wrong, and only b."""
        rows = self.rows
        return (0, 0) if rows is None else (int((rows > 0).sum()), int((rows < 0).sum()))

    @property
    def deltas(self) -> tuple[float, ...]:
        """Errors of a less those of b; of single rows where those stand alone."""
        rows = self.rows
        if rows is None:
            low = SCORES[self.score].better == "low"
            return tuple(d if low else -d for d in self.by_fold)
        return self._fold_differences("error") if self.both else tuple(map(float, rows))

    def mean(self) -> tuple[float, bool]:
        """How far apart they are: by the mean of folds, or by all rows that both predicted.

        By all rows where the score is a ratio, or where a fold has no score.
        """
        apart = self.by_fold
        pooled = SCORES[self.score].is_pooled
        if len(apart) > 1 and all(map(isfinite, apart)) and not pooled:
            return float(np.mean(apart)), True
        if pooled and self.both and len({*self.a.folds, *self.b.folds}) > len(self.both):
            mine, theirs = (self._over_both(result) for result in (self.a, self.b))
        else:
            mine, theirs = (result.found[self.score].pooled for result in (self.a, self.b))
        return mine - theirs, False

    def _over_both(self, result: LearnerResult) -> float:
        """The score of a learner over all rows of the folds that both predicted."""
        first, *others = (result.folds[at] for at in self.both)
        return measure(sum(others, start=first), self.score, self.a.found.positive).value

    def shared_variance(self, moved: UnitInfluence) -> float:
        """What the models of a table have in common, and no row shows, over folds.

        Of squared errors it is the noise of the predictions. Of a ratio of counts it is one
        decision threshold for all rows; where `unit_influence_with_training` cannot estimate
        that, it is taken as C. Nadeau and Y. Bengio do (Machine Learning 52, 2003): a share
        1 / (1 - test share) of the variance over rows.
        """
        samples = (self.a.found.sample, self.b.found.sample)
        if not all(sample.several_models for sample in samples):
            return 0.0
        if self.threshold_dependent:
            return moved.error**2 / (1 - samples[0].test_share)
        if self.score not in SQUARED_ERRORS:
            return 0.0
        best, power = SQUARED_ERRORS[self.score]
        values = (result.found[self.score].pooled for result in (self.a, self.b))
        return sum(
            (power * (value - best)) ** 2 * sample.noise_variance
            for value, sample in zip(values, samples, strict=True)
        )

    @property
    def threshold_dependent(self) -> bool:
        """Whether the score is a ratio of counts, which moves with the decision threshold."""
        return SCORES[self.score].part == "confusion" and SCORES[self.score].is_pooled

    def unit_influence(self, by_fold: bool) -> UnitInfluence | None:
        """How far every row or group moves the difference."""
        places = {*self.both}
        mine, theirs = (result.unit_influence(places, by_fold) for result in (self.a, self.b))
        return None if mine is None or theirs is None else mine - theirs

    def unit_influence_with_training(self) -> UnitInfluence | None:
        """How far every row or group moves the difference, as a test and as a training row."""
        if not self.threshold_dependent:
            return None
        places = {*self.both}
        mine, theirs = (result.unit_influence_with_training(places) for result in (self.a, self.b))
        return None if mine is None or theirs is None else mine - theirs

    def _fold_differences(self, score: str) -> tuple[float, ...]:
        positive, mine, theirs = self.a.found.positive, self.a.folds, self.b.folds
        values = ((measure(folds[at], score, positive).value for folds in (mine, theirs))
                  for at in self.both)  # fmt: skip
        return tuple(x - y if isfinite(x) and isfinite(y) else nan for x, y in values)


@dataclass(frozen=True)
class PairedTest:
    """A difference and its standard error; where there is none, why."""

    mean: float
    error: float
    free: float
    test: str

    @classmethod
    def of(cls, pair: Pair) -> PairedTest:
        """Over the units of the sample, rows or groups, each with all of its tests."""
        mean, by_fold = pair.mean()
        if not isfinite(mean):
            return cls(mean, nan, inf, f"not tested, because {_undefined_reason(pair)}")
        sample = pair.a.found.sample
        unit = "rows" if sample.groups is None else "groups"
        if sample.single_unit(pair.score, pair.a.found.positive):
            reason = f"all tests of a class are of one {unit[:-1]}"
            return cls(mean, nan, inf, f"not tested, because {reason}")
        moved = pair.unit_influence(by_fold)
        if moved is None:
            return cls._of_folds(pair, mean)
        if len(moved.units) < 2:
            return cls(mean, nan, inf, f"not tested, because only one {unit[:-1]} was tested")
        tests = len(sample.all_tests.rows)
        if (trained := pair.unit_influence_with_training()) is not None:
            error = trained.learner_standard_error(tests)
        else:
            error = moved.learner_standard_error(tests, pair.shared_variance(moved))
        return cls(mean, error, moved.free, f"{PAIRED} {unit}")

    @classmethod
    def _of_folds(cls, pair: Pair, mean: float) -> PairedTest:
        """Where only the folds' scores are kept."""
        apart = pair.by_fold
        if len(apart) < 2 or not all(map(isfinite, apart)):
            return cls(mean, nan, inf, "not tested, because the predictions were not kept")
        found = paired_t_corrected(apart, pair.a.found.sample.test_share)
        return cls(mean, abs(mean / found.t) if found.t else nan, found.df, "corrected resampled t")


def _undefined_reason(pair: Pair) -> str:
    """Why two scores have no difference."""
    for result in (pair.a, pair.b):
        found = result.found[pair.score]
        if not isfinite(found.pooled):
            reason = f": {found.reason}" if found.reason else ""
            return f"the {pair.score} of {result.name} is {found.pooled}{reason}"
    return "no fold has a score of both"
