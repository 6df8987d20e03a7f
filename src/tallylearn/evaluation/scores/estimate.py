"""Estimates: a score over the folds, the interval around it, and what that interval speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, inf, isfinite, nan, sqrt
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.evaluation.scores.confusion_matrix import Hits, accuracy, value_of_cells
from tallylearn.evaluation.scores.confusion_matrix import error as error_rate
from tallylearn.evaluation.scores.losses import area
from tallylearn.evaluation.scores.score import SCORES, Score, measure, score_title, standard_error
from tallylearn.evaluation.scores.tested_rows import (
    NESTED_FACTOR,
    TRAINING_ROWS,
    ScoredSample,
    UnitInfluence,
)
from tallylearn.reporting.formatting import number_of, score_format
from tallylearn.statistics.confidence_intervals import (
    Interval,
    corrected_t,
    t_interval,
    t_value,
    wilson,
    within_bounds,
)
from tallylearn.statistics.roc_area import delong
from tallylearn.tallies import Bundle
from tallylearn.tallies.keys import union

ROUNDING_TOLERANCE = 2.0**-46  # of a score: rows that move it by less do so by rounding
RARE = 0.01  # how often chance alone sets the folds so far apart
GUESSING = 2.0  # times the variance of rows, over folds of models that only guess: simulated
GUESSED_RANKS = 2.5  # the same for the area under the ROC curve
GUESSING_REACH = 1.25  # standard errors from the score of guessing to where signal takes over
LEARNER_METHOD = "corrected for shared training rows"
LEARNERS = "of models trained on tables like this one"


@dataclass(frozen=True, repr=False)
class Estimate:
    """A score over the folds, and the interval of what it estimates.

    ``pooled`` is the score of all tested rows together. It is the ``value`` of a ratio, such as
    R-squared, F1 or balanced accuracy, which is biased in folds of few rows; of any other score
    the ``value`` is the mean over the folds. Where a fold has no value, there is no mean, and the
    interval is of the pooled score.
    """

    name: str
    value: float
    interval: Interval | None
    pooled: float
    baseline: float
    by_fold: tuple[float, ...]
    over_folds: Interval | None  # of the learner's mean score over training sets
    better: str
    reason: str = ""  # why there is no number
    of: Any = None  # the class, where the score is of one

    @property
    def title(self) -> str:
        """The name, and of which class it is."""
        return score_title(self.name, self.of)

    @property
    def mean_of_folds(self) -> float:
        """The mean of the folds' scores, as scikit-learn reports it; NaN where one has none."""
        return float(np.mean(self.by_fold)) if self.by_fold else self.pooled

    @property
    def centre(self) -> float:
        """The score that the interval is about: pooled where a fold has no value."""
        return self.value if self.value == self.value else self.pooled

    @property
    def spec(self) -> str:
        """How its numbers are written: a target may be of millionths, or of millions."""
        ends = (end for known in (self.interval, self.over_folds) for end in known or ())
        return score_format([self.value, self.pooled, self.baseline, *ends], whole=True)

    def __str__(self) -> str:
        if self.value != self.value and self.pooled != self.pooled:
            text = f"{self.title} has no value"
        elif isfinite(self.value) or not isfinite(self.pooled):
            text = f"{self.title} {self.value:{self.spec}}"
        else:
            text = f"{self.title} over all rows {self.pooled:{self.spec}}"
        return text if self.interval is None else f"{text} {self.interval:{self.spec}}"

    def __repr__(self) -> str:
        return str(self)

    def with_baseline(self, baseline: str) -> str:
        """The score as text, with the score of the named baseline where that has one."""
        known = self.baseline == self.baseline
        return f"{self}, baseline {self.baseline:{self.spec}} ({baseline})" if known else str(self)

    def record(self) -> dict[str, Any]:
        """The score as a row of a table."""
        interval, over = self.interval, self.over_folds
        return {
            "score": self.name,
            "class": self.of,
            "value": self.value,
            "low": nan if interval is None else interval.low,
            "high": nan if interval is None else interval.high,
            "level": nan if interval is None else interval.level,
            "method": "" if interval is None else interval.method,
            "about": "" if interval is None else interval.about,
            "pooled": self.pooled,
            "baseline": self.baseline,
            "better": self.better,
            "folds_low": nan if over is None else over.low,
            "folds_high": nan if over is None else over.high,
            "by_fold": list(self.by_fold),
            "reason": self.reason,
        }

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Estimate:
        """A score from its record as plain data."""
        level, method, about = number_of(record["level"]), record["method"], record["about"]
        whole, folds = (
            None if low is None else Interval(number_of(low), number_of(high), level, method, about)
            for low, high in ((record["low"], record["high"]),
                              (record["folds_low"], record["folds_high"]))
        )  # fmt: skip
        value, pooled, beside = (number_of(record[at]) for at in ("value", "pooled", "baseline"))
        return cls(
            name=record["score"],
            value=value,
            interval=whole,
            pooled=pooled,
            baseline=beside,
            by_fold=tuple(map(number_of, record["by_fold"])),
            over_folds=folds,
            better=record["better"],
            reason=record["reason"],
            of=record["class"],
        )


def estimate_score(
    name: str, whole: Bundle, folds: tuple[Bundle, ...], baseline: tuple[Bundle, ...],
    sample: ScoredSample, positive: Any, level: float,
) -> Estimate:  # fmt: skip
    """One score, from the tallies of the folds."""
    score, pooled = SCORES[name], measure(whole, name, positive)
    by_fold = tuple(measure(fold, name, positive).value for fold in folds)
    value = float(np.mean(by_fold)) if by_fold and not score.is_pooled else pooled.value
    averaged = len(by_fold) > 1 and isfinite(value) and not score.is_pooled
    centre = value if isfinite(value) else pooled.value
    interval = over = None
    if isfinite(centre):
        asked = _ScoreInterval(
            score=score,
            whole=whole,
            by_fold=by_fold if averaged else (),
            sample=sample,
            positive=positive,
            level=level,
        )
        interval = asked.interval(centre)
        if len(by_fold) > 1 and 0 < sample.test_share < 1 and not sample.searched:
            over = asked.of_learner(centre, interval)
    beside = [measure(fold, name, positive).value for fold in baseline]
    if score.is_pooled and len(baseline) > 1:
        beside = [measure(sum(baseline[1:], start=baseline[0]), name, positive).value]
    if score.part == "ranks" and not folds and baseline:  # ranks of several models mean nothing
        beside = [_uninformed_score(score, whole, positive) if isfinite(pooled.value) else nan]
    reason = pooled.reason or ("" if isfinite(value) else "a fold has no value")
    return Estimate(
        name=name,
        value=value,
        interval=interval or over,
        pooled=pooled.value,
        baseline=float(np.mean(beside)) if beside else nan,
        by_fold=by_fold,
        over_folds=over,
        better=score.better,
        reason=reason,
        of=positive if score.of == "positive" else None,
    )


def _uninformed_score(score: Score, whole: Bundle, positive: Any) -> float:
    """An answer that puts no row above another: half the area, or the share of the class."""
    if score.name.startswith("roc_auc"):
        return 0.5
    hits = Hits.of(whole)
    shares = hits.true / hits.rows
    if score.of == "each":
        return float(shares.mean())
    return float(shares[hits.classes.index(positive_class(hits.classes, positive))])


@dataclass(frozen=True)
class _Spread:
    """The variance of a score over units, and the degrees of freedom of its estimate."""

    variance: float
    free: float
    method: str
    logarithmic: bool = False  # of the logarithm of the distance to the bound


@dataclass(frozen=True)
class _ScoreInterval:
    """A score whose interval is asked for."""

    score: Score
    whole: Bundle
    by_fold: tuple[float, ...]  # none where the value is that of all rows together
    sample: ScoredSample
    positive: Any
    level: float

    @property
    def about(self) -> str:
        return f"the {self.score.name} on {self.sample.kind}"

    def interval(self, value: float) -> Interval | None:
        """Wilson's for shares, DeLong's for areas, t for means; for the rest the jackknife's."""
        score, sample = self.score, self.sample
        if sample.single_unit(score.key, self.positive):
            return None
        if (
            score.measure is area
            and not self.by_fold
            and sample.plain
            and score.needs in sample.gives
        ):
            return self._area()
        times = NESTED_FACTOR if sample.searched else 1.0
        if score.is_pooled:
            if (found := self._ratio) is None:
                return self._of_tallies(value)
            error = sqrt(times) * self._with_training(found) * self._distance(value)
            ends = self._within_bounds(value, error, found.free, found.method, times)
            return self._reaching_chance(ends, value, error, found.free)
        moved = sample.unit_influence(score.key, self.positive, bool(self.by_fold))
        if moved is None:
            return self._of_tallies(value)
        if score.kind == "mean":
            unit = "rows" if sample.groups is None else "groups"
            return self._t(value, sqrt(times) * moved.error, moved.free, f"t over {unit}")
        error, free, method = self._variance(moved)
        ends = self._within_bounds(value, sqrt(times) * error, free, method, times)
        return self._reaching_chance(ends, value, sqrt(times) * error, free)

    def of_learner(self, value: float, models: Interval | None) -> Interval | None:
        """Of the learner's mean over training sets, whose models share most of their rows.

        C. Nadeau and Y. Bengio (Machine Learning 52, 2003) take the variance of a mean over J
        folds as s² (1/J + test/training). Of a mean over folds, s² is the variance of the folds'
        scores; of a pooled ratio it is J times the variance over rows, which is estimated from
        more numbers and does not need every fold to have a score. Stratified folds have equal
        class shares and may seem alike, so it is never narrower than the interval of the models.
        """
        score, share = self.score, self.sample.test_share
        if not score.is_pooled:
            if not self.by_fold or not np.ptp(self.by_fold) > 0:
                return None
            ends = corrected_t(self.by_fold, share, self.level).clip(*score.bounds)
            if models is None:
                return ends
            low, high = min(ends.low, models.low), max(ends.high, models.high)
            return replace(ends, low=low, high=high)
        if (found := self._ratio) is None:
            return None
        times = 1 + 1 / (1 - share)
        trained = self.sample.unit_influence_with_training(score.key, self.positive)
        least = 0.0 if trained is None else trained.variance
        error = sqrt(max(times * found.variance, least))
        if self.sample.groups is not None:  # few groups show little of what their rows train
            error = max(error, self._with_training(found))
        error *= self._distance(value)
        bounded = self._within_bounds(value, error, found.free, LEARNER_METHOD, times)
        about = f"the mean {score.name} {LEARNERS}"
        return None if bounded is None else replace(bounded, about=about)

    @cached_property
    def _ratio(self) -> _Spread | None:
        """The variance of a pooled ratio over rows; of R-squared and its like, of log(1 - R²)."""
        sample, score = self.sample, self.score
        if not sample.tests:
            return None
        groups = "" if sample.groups is None else " over groups"
        if (variance := sample.log_loss_variance(score.key)) is not None:
            if variance <= ROUNDING_TOLERANCE**2:  # every row is as good as every other
                variance = 0.0
            return _Spread(variance, sample.n_units - 1, f"jackknife{groups}", True)
        moved = None
        if score.kind == "ratio":
            moved = sample.smoothed_influence(score.key, self.positive)
        moved = moved or sample.unit_influence(score.key, self.positive, False)
        if moved is None:
            return None
        method = f"{'Wilson' if score.kind == 'share' else 'jackknife'}{groups}"
        if sample.groups is None:
            return _Spread(moved.variance, inf, method)  # as Wilson's: a share has this variance
        return _Spread(moved.error**2, moved.free, method)

    def _with_training(self, found: _Spread) -> float:
        """The standard error of a ratio, where rows tested by one model trained the others."""
        variance = found.variance
        if variance and self.sample.several_models:
            if found.logarithmic and self.score.name != "rmse":
                variance += self.sample.noise_variance
            else:
                variance *= 1 + TRAINING_ROWS / self.sample.n_units
        return sqrt(variance)

    def _distance(self, value: float) -> float:
        """From the value to its bound, where the variance is of the logarithm of that distance."""
        if self._ratio is None or not self._ratio.logarithmic:
            return 1.0
        least, most = self.score.bounds
        return abs(value - (most if isfinite(most) else least))

    def _variance(self, moved: UnitInfluence) -> tuple[float, float, str]:
        """By the rows; by the folds, where those say that the score is far from a sum over rows."""
        told = "jackknife" if self.score.kind != "share" else "Wilson"
        if self.sample.groups is None:
            error, free = sqrt(moved.variance), inf  # as Wilson's: the spread of a share is known
        else:
            error, free, told = moved.error, moved.free, f"{told} over groups"
        if self.by_fold and self.score.part == "ranks":
            pairs = self.sample.pairs_variance(self.score.name, self.positive)
            error = sqrt((error**2 + pairs) * (1 + TRAINING_ROWS / self.sample.n_units))
        k = len(self.by_fold)
        linear = self.score.measure in (accuracy, error_rate)
        if k > 2 and not linear and not self.sample.several:
            own = float(np.std(self.by_fold, ddof=1)) / sqrt(k)
            from scipy.special import chdtrc

            if chdtrc(k - 1, (k - 1) * (own / error) ** 2 if error else inf) < RARE and own:
                return own, k - 1, "t over folds"
        return error, free, told

    def _within_bounds(
        self, value: float, error: float, free: float, method: str, times: float = 1.0
    ) -> Interval | None:
        """Inside its bounds; where no row or fold disagrees, by how many they are."""
        least, most = self.score.bounds
        inside = least < value < most
        if error > ROUNDING_TOLERANCE * max(abs(value), most if isfinite(most) else 0) and inside:
            return within_bounds(
                value,
                error,
                free=free,
                bounds=(least, most),
                level=self.level,
                method=method,
                about=self.about,
            )
        if not isfinite(most - least):
            return None
        share, rows = (value - least) / (most - least), max(1.0, self._rows() / times)
        low, high = (least + (most - least) * x for x in wilson(share * rows, rows, self.level))
        return Interval(low, high, self.level, "Wilson", self.about)

    def _reaching_chance(
        self, ends: Interval | None, value: float, error: float, free: float
    ) -> Interval | None:
        """The interval, with every value near that of guessing which folds do not rule out.

        A model that only guesses is right on a row if a similar training row happens to have the
        same class, and so is the model that this row trained on that other row. So the rows of a
        table are right together, and the variance of a score over tables is about twice what the
        rows show (`GUESSING`); where there is signal it is not. As Wilson's, the interval has
        every value that is not rejected with the variance that it would have itself: times
        1 + (GUESSING - 1) exp(-d² / 2), where d is its distance from the score of guessing, in
        `GUESSING_REACH` standard errors.
        """
        sample = self.sample
        if ends is None or not error > 0 or sample.searched or not sample.several_models:
            return ends
        guess, reach = self._score_of_guessing(), GUESSING_REACH * error
        most = GUESSED_RANKS if self.score.part == "ranks" else GUESSING
        if not abs(value - guess) < 2 * most * error * t_value(self.level, free):
            return ends
        low, high = ends
        for times in np.linspace(1.0, most, 33)[1:]:
            wide = self._within_bounds(value, sqrt(times) * error, free, ends.method, times)
            if wide is None:
                break
            low, high = (
                end if times <= 1 + (most - 1) * exp(-(((end - guess) / reach) ** 2) / 2) else old
                for end, old in ((wide.low, low), (wide.high, high))
            )
        return replace(ends, low=low, high=high)

    def _score_of_guessing(self) -> float:
        """The score of the same predictions, were they independent of the true class."""
        if self.score.measure is area or self.score.name == "roc_auc_ovr":
            return 0.5
        if self.score.part != "confusion":
            return nan
        counts = self.whole["confusion"]
        keys = union(*counts.keys)
        counts = counts.reindex(keys, keys)
        table = counts.floats()
        shares = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum() ** 2
        return value_of_cells(counts, self.score.measure, self.positive, shares)

    def _rows(self) -> float:
        """How many rows would have to agree: those of the class, or of the rarest one."""
        found = self.score.measure(self.whole, self.positive)
        if found.share is not None:
            rows = found.share[1]
        else:
            hits = Hits.of(self.whole)
            own = hits.true[hits.true > 0]
            rows = float(own.min() * (1 if self.score.of == "positive" else len(own)))
        rows *= self.sample.share
        if self.sample.groups is not None and self.sample.tests:
            rows = min(rows, len(np.unique(self.sample.units)))
        return max(1.0, rows)

    def _t(self, value: float, error: float, free: float, method: str) -> Interval | None:
        if not isfinite(error) or error == 0:  # rows that agree are not certain
            return None
        return t_interval(
            value, error, free=free, level=self.level, method=method, about=self.about
        ).clip(*self.score.bounds)

    def _area(self) -> Interval | None:
        told = self.sample.all_tests
        predictions, chosen = (
            told.predictions,
            positive_class(told.predictions.known_classes, self.positive),
        )
        assert predictions.ranking is not None
        at = predictions.classes.index(chosen)
        truth = predictions.truth.codes == predictions.truth.values.index(chosen)
        weight = self.sample.worth(predictions.weight)
        try:
            found = delong(predictions.ranking[:, at], truth, weight, self.level)
        except InputError:
            return None
        ends = replace(found.interval, about=self.about)
        return self._reaching_chance(ends, found.auc, found.error, inf)

    def _of_tallies(self, value: float) -> Interval | None:
        """From sums alone, where the predictions are not kept; None for groups."""
        score, sample = self.score, self.sample
        if sample.groups is not None:
            return None
        found = score.measure(self.whole, self.positive)
        if found.share is not None:
            rows = sample.share * found.share[1] / (NESTED_FACTOR if sample.searched else 1.0)
            ends = wilson(min(value, 1.0) * rows, rows, self.level)
            return replace(ends, about=self.about)
        error = standard_error(self.whole, score.key, self.positive, sample.share)
        error *= sqrt(NESTED_FACTOR) if sample.searched else 1.0
        if not isfinite(error):
            return None
        if score.kind == "mean":
            return self._t(value, error, max(1, int(sample.rows) - 1), "t over rows")
        return self._within_bounds(value, error, inf, "DeLong")
