"""Differences: how far two learners lie apart on the same folds, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import Any

import numpy as np

from tallylearn.evaluation.compare.paired_rows import SHARES, LearnerResult, Pair, PairedTest
from tallylearn.evaluation.scores.score import SCORES, score_title
from tallylearn.reporting.formatting import (
    difference_format,
    format_interval,
    format_score,
    p_value_relation,
)
from tallylearn.statistics.confidence_intervals import Interval, mid_p, t_interval, wilson
from tallylearn.statistics.multiple_comparisons import tukey, tukey_level
from tallylearn.statistics.significance_tests import mcnemar

ABOUT = "the mean difference on rows like these, of models learned from tables like this one"


@dataclass(frozen=True)
class PairedDifference:
    """Two learners on the same folds: by how much they differ, and how sure that is.

    ``deltas`` are those of the notes' Algorithm 3, err(h_a) - err(h_b) fold by fold, and ``delta``
    is their mean: above 0, b is better. Where the predictions are numbers, the sign of the score is
    changed so that this holds.
    """

    a: str
    b: str
    score: str
    by_fold: tuple[float, ...]  # the score of a less that of b, on the folds that both answered
    mean: float
    interval: Interval | None  # together with those of all other pairs
    p: float  # of this pair alone; NaN where nothing could be tested
    test: str  # that gave p, or why there is none
    adjusted: float  # p by Tukey, over all pairs of the learners that were compared
    deltas: tuple[float, ...]
    only_a_wrong: int
    only_b_wrong: int
    left_out: int  # folds that only one of them answered
    level: float  # of all pairs together; the interval's own is higher where they are several
    learners: int = 2  # that p is adjusted over
    of: Any = None  # the class, where the score is of one
    alike: float | None = None  # how far apart they may lie and count as alike
    error: float = nan  # the standard error of the mean

    @property
    def delta(self) -> float:
        return float(np.mean(self.deltas)) if self.deltas else nan

    @property
    def better(self) -> str | None:
        """The learner that is better, if one is shown to be."""
        if not self.adjusted <= 1 - self.level or not self.mean:
            return None
        return self.a if (self.mean > 0) == (SCORES[self.score].better == "high") else self.b

    @property
    def shown_alike(self) -> bool | None:
        """Whether they lie within ``alike`` of each other; None where that was not asked."""
        if self.alike is None or self.interval is None:
            return None
        return -self.alike <= self.interval.low and self.interval.high <= self.alike

    def __str__(self) -> str:
        return verdict_text(self, "z.3f")

    def __repr__(self) -> str:
        return str(self)

    def record(self) -> dict[str, Any]:
        """The pair as plain values."""
        low, high = (nan, nan) if self.interval is None else self.interval
        named = ("a", "b", "score", "mean", "p", "adjusted", "test", "delta", "better", "left_out",
                 "only_a_wrong", "only_b_wrong", "shown_alike", "by_fold")  # fmt: skip
        return {name: getattr(self, name) for name in named} | {"low": low, "high": high}


def difference(
    a: LearnerResult, b: LearnerResult, learners: int = 2, alike: float | None = None
) -> PairedDifference:
    """One pair of so many learners."""
    pair, level = Pair(a, b), a.found.level
    tested = PairedTest.of(pair)
    p, interval, test = _test_pair(pair, tested, tukey_level(level, learners))
    if interval is not None:
        least, most = SCORES[pair.score].bounds
        interval = interval.clip(least - most, most - least)
    only_a_wrong, only_b_wrong = pair.exclusive_errors
    return PairedDifference(
        a=a.name,
        b=b.name,
        score=pair.score,
        by_fold=pair.by_fold,
        mean=tested.mean,
        interval=interval,
        p=p,
        test=test,
        adjusted=tukey(p, learners),
        deltas=pair.deltas,
        only_a_wrong=only_a_wrong,
        only_b_wrong=only_b_wrong,
        left_out=len({*a.folds, *b.folds}) - len(pair.both),
        level=level,
        learners=learners,
        of=a.found[pair.score].of,
        alike=alike,
        error=tested.error,
    )


def _test_pair(pair: Pair, tested: PairedTest, level: float) -> tuple[float, Interval | None, str]:
    """p, the interval that agrees with it, and the test."""
    if tested.error > 0:
        from scipy.special import stdtr

        p = 2 * float(stdtr(tested.free, -abs(tested.mean) / tested.error))
        interval = t_interval(
            tested.mean,
            tested.error,
            free=tested.free,
            level=level,
            method=tested.test,
            about=ABOUT,
        )
        return p, interval, tested.test
    if not isfinite(tested.error):
        return nan, None, tested.test
    if not tested.mean:
        return 1.0, _of_none(pair, tested, level), f"{tested.test}: no row differs"
    if pair.score in SHARES:  # every row says the same: Student has no spread, the coin has
        return mcnemar(*pair.exclusive_errors).p, _of_coins(pair, level), "McNemar, mid-p"
    return nan, None, "not tested, because all rows differ by the same"


def _of_none(pair: Pair, tested: PairedTest, level: float) -> Interval | None:
    """Where none of n rows or groups tells two shares apart: by as many others as may be."""
    if pair.score not in SHARES:
        return None
    most = wilson(0, tested.free + 1, level).high
    return Interval(-most, most, level, "Wilson, of rows that differ", ABOUT)


def _of_coins(pair: Pair, level: float) -> Interval:
    """McNemar's test turned round: R. G. Newcombe, Statistics in Medicine 17, 1998, p. 2635."""
    (b, c), rows, sign = pair.exclusive_errors, pair.rows, -SHARES[pair.score]
    assert rows is not None
    low, high = sorted(sign * (2 * x - 1) * (b + c) / len(rows) for x in mid_p(b, b + c, level))
    return Interval(low, high, level, "mid-p of the rows that differ", ABOUT)


def reverse(pair: PairedDifference) -> PairedDifference:
    """The same, the other way round."""
    ends = pair.interval
    if ends is not None:
        ends = replace(ends, low=0.0 - ends.high, high=0.0 - ends.low)
    return replace(
        pair, a=pair.b, b=pair.a, by_fold=tuple(0.0 - x for x in pair.by_fold), interval=ends,
        mean=0.0 - pair.mean, deltas=tuple(0.0 - x for x in pair.deltas),
        only_a_wrong=pair.only_b_wrong, only_b_wrong=pair.only_a_wrong,
    )  # fmt: skip


def verdict_text(pair: PairedDifference, spec: str) -> str:
    """The verdict on a pair in words."""
    spec = difference_format(spec, pair.mean, (*(pair.interval or ()),))
    winner, mean, score = pair.better, pair.mean, score_title(pair.score, pair.of)
    if not isfinite(pair.adjusted):
        return f"{pair.a} and {pair.b}: {score} {_apart_by(mean, spec)}; {pair.test}."
    more = f" (Tukey-adjusted for {pair.learners} learners)" if pair.learners > 2 else ""
    chance = f"p {p_value_relation(pair.adjusted)}{more}"
    if winner is None:
        ends = (
            ""
            if pair.interval is None
            else f" {format_interval(pair.interval.low, pair.interval.high, spec)}"
        )
        return (
            f"No difference shown between {pair.a} and {pair.b}: {score} differs by "
            f"{format_score(mean, spec)}{ends}, {chance}.{_equivalence(pair)}"
        )
    loser = pair.b if winner == pair.a else pair.a
    ends = ""
    if pair.interval is not None:
        low, high = pair.interval if mean > 0 else (-pair.interval.high, -pair.interval.low)
        ends = f" {format_interval(low, high, spec)}"
    way = "higher" if SCORES[pair.score].better == "high" else "lower"
    return (
        f"{winner} is better than {loser}: {score} {way} by {format_score(abs(mean), spec)}{ends}, "
        f"{chance}.{_equivalence(pair)}"
    )


def _equivalence(pair: PairedDifference) -> str:
    """Whether the pair is equivalent within ``alike``, where that was given."""
    if pair.alike is None:
        return ""
    if pair.shown_alike is None:
        reason = pair.test.rpartition(": ")[2].removeprefix("not tested, because ")
        return f" Equivalence within {pair.alike:g} is not tested: {reason}."
    shown = "They are equivalent" if pair.shown_alike else "They are not shown to be equivalent"
    return f" {shown} within {pair.alike:g}."


def _apart_by(mean: float, spec: str) -> str:
    if not isfinite(mean):
        none = "has no value for one of them, or is infinite for both"
        return none if mean != mean else "is infinite for one of them"
    return f"differs by {format_score(abs(mean), spec)}"
