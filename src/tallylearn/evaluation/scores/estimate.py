"""Estimates: a score over the folds, the interval around it, and what that interval speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.evaluation.scores.confusion_matrix import positive_class, resampled
from tallylearn.evaluation.scores.predictions import Answers
from tallylearn.evaluation.scores.score import SCORES, Score, measure, spread, titled
from tallylearn.intervals import Interval, corrected_t, t_interval, wilson
from tallylearn.resampling import bootstrap
from tallylearn.roc_area import delong
from tallylearn.tables import Array
from tallylearn.tallies import Bundle
from tallylearn.workings.rendering import number_of

ROWS = "rows like those tested, for models learned from parts like those trained on"
FITTED = "rows like those tested, for this model as it is"
MOST = 2000  # rows whose errors are drawn again; beyond, the folds tell the spread


@dataclass(frozen=True)
class Estimate:
    """A score: the mean over the folds, and the interval of what it estimates.

    ``pooled`` is the score of all tested rows together: another number where folds differ in size,
    or where a score is no mean of rows. Where a fold has no value, there is no mean, and the
    interval is of the pooled score.
    """

    name: str
    value: float
    interval: Interval | None
    pooled: float
    baseline: float
    by_fold: tuple[float, ...]
    over_folds: Interval | None  # the mean over the folds, by the corrected resampled t
    better: str
    reason: str = ""  # why there is no number
    of: Any = None  # the class, where the score is of one

    @property
    def title(self) -> str:
        """The name, and of which class it is."""
        return titled(self.name, self.of)

    def __str__(self) -> str:
        if isfinite(self.value) or not isfinite(self.pooled):
            said = f"{self.title} {self.value:.3f}"
        else:
            said = f"{self.title} over all rows {self.pooled:.3f}"
        return said if self.interval is None else f"{said} {self.interval}"

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
    def read(cls, record: Mapping[str, Any]) -> Estimate:
        """A score from its record as plain data."""
        level, method, about = number_of(record["level"]), record["method"], record["about"]
        whole, folds = (
            None if low is None else Interval(number_of(low), number_of(high), level, method, about)
            for low, high in ((record["low"], record["high"]),
                              (record["folds_low"], record["folds_high"]))
        )  # fmt: skip
        value, pooled, beside = (number_of(record[at]) for at in ("value", "pooled", "baseline"))
        return cls(
            record["score"], value, whole, pooled, beside, tuple(map(number_of, record["by_fold"])),
            folds, record["better"], record["reason"], record["class"],
        )  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """The tested rows: how many they are worth, and what was said about them, where it is kept."""

    rows: float  # in the effect of their weights, each counted once however often it was tested
    tested: float  # the weight of all tests
    test_share: float  # the part of the rows that a fold tests
    answers: Answers | None

    @property
    def kind(self) -> str:
        """The rows that an interval speaks of, and the models; where all test, none was trained."""
        return ROWS if self.test_share < 1 else FITTED

    @property
    def share(self) -> float:
        """How many rows a unit of weight stands for: below one where rows are tested again."""
        return self.rows / self.tested

    def worth(self, weight: Array | None) -> Array | None:
        """The weights in rows, which an interval counts."""
        return None if weight is None else weight * self.share


def estimated(
    name: str, whole: Bundle, folds: tuple[Bundle, ...], baseline: tuple[Bundle, ...],
    sample: Sample, positive: Any, level: float,
) -> Estimate:  # fmt: skip
    """One score, from the tallies of the folds."""
    score, pooled = SCORES[name], measure(whole, name, positive)
    by_fold = tuple(measure(fold, name, positive).value for fold in folds)
    known = [value for value in by_fold if isfinite(value)]
    value = float(np.mean(by_fold)) if by_fold else pooled.value
    over = None
    if len(known) > 1 and len(known) == len(by_fold) and np.ptp(known) > 0:
        over = corrected_t(known, sample.test_share, level).within(*score.bounds)
    interval = None
    if isfinite(pooled.value) and (over is None or score.kind in ("share", "mean")):
        centre = value if isfinite(value) else pooled.value
        interval = _interval(score, whole, sample, positive, level, centre)
    beside = [measure(fold, name, positive).value for fold in baseline]
    if score.part == "ranks" and not folds:  # n models that differ by a row: their ranks mean none
        beside = []
    reason = pooled.reason or ("" if isfinite(value) else "a fold has no value")
    return Estimate(
        name, value, interval or over, pooled.value, float(np.mean(beside)) if beside else nan,
        by_fold, over, score.better, reason, positive if score.of == "positive" else None,
    )  # fmt: skip


def _interval(
    score: Score, whole: Bundle, sample: Sample, positive: Any, level: float, value: float
) -> Interval | None:
    """Wilson's for shares of rows, DeLong's for ranks, t for means, drawing again for the rest.

    Shares and means are sums over rows, so that the rows' spread holds for the mean of folds too:
    it is put around that value. What is no sum is drawn again around its own pooled value.
    """
    found = score.measure(whole, positive)
    if found.share is not None:
        below = sample.share * found.share[1]
        return _about(
            wilson(min(value, 1.0) * below, below, level), f"the {score.name} on {sample.kind}"
        )
    if score.kind == "rank" and score.of == "positive" and sample.answers is not None:
        return _area(sample, sample.answers, positive, level)
    error = spread(whole, score.key, positive, sample.share)
    if isfinite(error):
        free, about = max(1, int(sample.rows) - 1), f"the {score.name} on {sample.kind}"
        return t_interval(value, error, free, level, "t over rows", about).within(*score.bounds)
    if score.part == "confusion":
        return _drawn_again(score, whole, sample, positive, level)
    return _over_rows(score, sample, positive, level)


def _area(sample: Sample, answers: Answers, positive: Any, level: float) -> Interval | None:
    chosen = positive_class(answers.known, positive)
    assert answers.ranking is not None
    at = answers.classes.index(chosen)
    truth = answers.truth.codes == answers.truth.values.index(chosen)
    weight = sample.worth(answers.weight)
    try:
        return delong(answers.ranking[:, at], truth, weight, level).interval
    except InputError:
        return None


def _drawn_again(
    score: Score, whole: Bundle, sample: Sample, positive: Any, level: float
) -> Interval | None:
    """The cells of the confusion matrix drawn again, as the rows in them would be."""
    values = resampled(whole, score.measure, positive, sample.share, draws=1000, seed=0)
    values = values[np.isfinite(values)]
    if len(values) < 900 or np.ptp(values) == 0:  # no mistake can be drawn: not certainty
        return None
    low, high = np.quantile(values, ((1 - level) / 2, (1 + level) / 2))
    about = f"the {score.name} on {sample.kind}"
    return Interval(float(low), float(high), level, "bootstrap, percentile", about)


def _over_rows(score: Score, sample: Sample, positive: Any, level: float) -> Interval | None:
    answers = sample.answers
    if answers is None or not 2 <= len(answers) <= MOST:  # a row alone has no spread
        return None
    if sample.share < 1 or answers.weight is not None:
        return None

    def statistic(counts: Array) -> float:
        if score.part == "kept":  # a function that may take no weights
            again = answers[np.repeat(np.arange(len(answers)), counts)]
        else:
            again = replace(answers, weight=counts)
        return score.value(again.tally([score.key], positive), positive)

    try:
        return _about(
            bootstrap(statistic, len(answers), 400, level), f"the {score.name} on {sample.kind}"
        )
    except InputError:
        return None


def _about(interval: Interval, about: str) -> Interval:
    return Interval(interval.low, interval.high, interval.level, interval.method, about)
