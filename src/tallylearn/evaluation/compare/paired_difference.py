"""Differences: how far two learners lie apart on the same folds, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.evaluation.evaluate.evaluation import Evaluation
from tallylearn.evaluation.scores.confusion_matrix import positive_class
from tallylearn.evaluation.scores.score import SCORES, measure, titled
from tallylearn.intervals import Interval, mid_p
from tallylearn.roc_area import AreaDifference, delong_difference
from tallylearn.significance import McNemar, PairedT, mcnemar, paired_t_corrected
from tallylearn.tables import Array

SHARES = {"accuracy": 1.0, "error": -1.0}  # the scores that McNemar's test is about


@dataclass(frozen=True)
class Difference:
    """Two learners on the same folds: by how much they differ, and how sure that is.

    ``deltas`` are those of the notes' Algorithm 3, err(h_a) - err(h_b) fold by fold, and ``delta``
    is their mean: above 0, b is better. Where the answers are numbers, the score is turned so that
    this holds.
    """

    a: str
    b: str
    score: str
    by_fold: tuple[float, ...]  # the score of a less that of b, on the folds that both answered
    mean: float
    interval: Interval | None
    p: float  # the headline, of this pair alone; NaN where nothing could be tested
    test: str  # that gave p, or why there is none
    adjusted: float  # p by Holm, over all pairs that were compared
    deltas: tuple[float, ...]
    t: PairedT | None
    mcnemar: McNemar | None
    only_a_wrong: int
    only_b_wrong: int
    mcnemar_adjusted: float
    delong: AreaDifference | None
    left_out: int  # folds that only one of them answered
    level: float  # of all pairs together; the interval's own is higher where they are several
    pairs: int = 1  # that p is adjusted over
    of: Any = None  # the class, where the score is of one

    @property
    def delta(self) -> float:
        return float(np.mean(self.deltas)) if self.deltas else nan

    @property
    def better(self) -> str | None:
        """The learner that is better, if one is shown to be."""
        if not self.adjusted <= 1 - self.level or not self.mean:
            return None
        return self.a if (self.mean > 0) == (SCORES[self.score].better == "high") else self.b

    def __str__(self) -> str:
        return said(self, "z.3f")

    def record(self) -> dict[str, Any]:
        """The pair as plain values."""
        low, high = (nan, nan) if self.interval is None else self.interval
        named = ("a", "b", "score", "mean", "p", "adjusted", "test", "delta", "better", "left_out",
                 "only_a_wrong", "only_b_wrong", "mcnemar_adjusted", "by_fold")  # fmt: skip
        return {name: getattr(self, name) for name in named} | {"low": low, "high": high}


@dataclass(frozen=True)
class Paper:
    """What a learner handed in: its evaluation, and which rows it got right."""

    name: str
    found: Evaluation
    marks: Array  # (n, 2) the repeat of a row's first test, -1 if none, and whether it was right

    @property
    def folds(self) -> dict[tuple[int, int], Any]:
        return {(repeat, fold): bundle for repeat, fold, bundle in self.found.folds}


@dataclass(frozen=True)
class Rows:
    """Rows that both answered, each counted once: how much more often a is wrong."""

    apart: Array  # (n,) 1 where only a is wrong, -1 where only b is

    @classmethod
    def of(cls, a: Paper, b: Paper) -> Rows | None:
        if a.found.task != "classifier":
            return None
        both = (a.marks[:, 0] >= 0) & (a.marks[:, 0] == b.marks[:, 0])
        return cls(b.marks[both, 1] - a.marks[both, 1])

    @property
    def b(self) -> int:
        return int((self.apart > 0).sum())

    @property
    def c(self) -> int:
        return int((self.apart < 0).sum())

    def interval(self, sign: float, level: float) -> Interval | None:
        """Of the mean over the rows: McNemar's test turned round, so that the two agree.

        Given how many rows only one gets wrong, a's share of them is between two ends by mid-p.
        R. G. Newcombe, Statistics in Medicine 17, 1998, p. 2635, method 7.
        """
        if not (either := self.b + self.c):
            return None
        ends = sorted(
            sign * (2 * share - 1) * either / len(self.apart)
            for share in mid_p(self.b, either, level)
        )
        about = "the mean difference of these models on all rows like these"
        return Interval(ends[0], ends[1], level, "mid-p of the rows that differ", about)


def difference(a: Paper, b: Paper, level: float | None = None) -> Difference:
    """One pair, not adjusted for others yet; ``level`` is of its interval."""
    score = a.found.scores[0]
    level = a.found.level if level is None else level
    mine, theirs = a.folds, b.folds
    both = [at for at in mine if at in theirs]
    apart = _apart(score, both, a, b)
    rows, t = Rows.of(a, b), None
    if len(apart) > 1 and all(map(isfinite, apart)):
        t = paired_t_corrected(apart, a.found.sample.test_share, level)
    area = _areas(a, b, level) if score == "roc_auc" else None
    test = None if rows is None else mcnemar(rows.b, rows.c)
    mean, interval, p, named = _headline(score, t, rows, area, level)
    if interval is None:
        mean = a.found[score].value - b.found[score].value
    else:
        least, most = SCORES[score].bounds
        interval = interval.within(least - most, most - least)
    return Difference(
        a.name, b.name, score, apart, mean, interval, p, named, p,
        _deltas(apart, both, a, b, rows), t, test,
        0 if rows is None else rows.b, 0 if rows is None else rows.c,
        nan if test is None else test.p, area, len({*mine, *theirs}) - len(both),
        a.found.level, of=a.found[score].of,
    )  # fmt: skip


def said(pair: Difference, spec: str) -> str:
    """The verdict on a pair in words."""
    winner, mean, score = pair.better, pair.mean, titled(pair.score, pair.of)
    if not isfinite(pair.adjusted):
        return f"{pair.a} and {pair.b}: {score} {_apart_by(mean, spec)}; {pair.test}."
    more = f" (Holm, {pair.pairs} pairs)" if pair.pairs > 1 else ""
    chance = f"p {_chance(pair.adjusted)}{more}"
    if winner is None:
        between = "" if pair.interval is None else f" {pair.interval:{spec}}"
        return (
            f"No difference shown between {pair.a} and {pair.b}: {score} "
            f"{mean + 0.0:{spec}}{between}, {chance}."
        )
    loser = pair.b if winner == pair.a else pair.a
    between = ""
    if pair.interval is not None:
        low, high = pair.interval if mean > 0 else (-pair.interval.high, -pair.interval.low)
        between = f" [{low:{spec}}, {high:{spec}}]"
    way = "higher" if SCORES[pair.score].better == "high" else "lower"
    return (
        f"{winner} is better than {loser}: {score} {way} by {abs(mean):{spec}}{between}, {chance}."
    )


def _apart(score: str, both: list[tuple[int, int]], a: Paper, b: Paper) -> tuple[float, ...]:
    positive, mine, theirs = a.found.positive, a.folds, b.folds
    values = ((measure(folds[at], score, positive).value for folds in (mine, theirs))
              for at in both)  # fmt: skip
    return tuple(x - y if isfinite(x) and isfinite(y) else nan for x, y in values)


def _deltas(
    apart: tuple[float, ...], both: list[tuple[int, int]], a: Paper, b: Paper, rows: Rows | None
) -> tuple[float, ...]:
    """Errors of a less those of b; of single rows where those stand alone."""
    if rows is None:
        low = SCORES[a.found.scores[0]].better == "low"
        return tuple(d if low else -d for d in apart)
    if not both:
        return tuple(map(float, rows.apart))
    return _apart("error", both, a, b)


def _headline(
    score: str, t: PairedT | None, rows: Rows | None, area: AreaDifference | None, level: float
) -> tuple[float, Interval | None, float, str]:
    """Mean, interval, p and test: over folds; over rows where those are one, or have no spread.

    Equal differences on every fold make t infinite and its p zero, on two folds as on ten: that is
    too few folds, not certainty.
    """
    if t is not None and isfinite(t.t):
        return t.mean, t.interval, t.p, "corrected resampled t"
    if area is not None:
        return area.difference, area.interval, area.p, "DeLong"
    if rows is not None and score in SHARES:
        sign = -SHARES[score]
        mean = sign * float(rows.apart.mean()) + 0.0
        interval = rows.interval(sign, level)
        return mean, interval, mcnemar(rows.b, rows.c).p, "McNemar, mid-p"
    if t is not None:
        return nan, None, nan, "not tested, because all folds differ by the same"
    return nan, None, nan, "not tested, because fewer than two folds have a score"


def _areas(a: Paper, b: Paper, level: float) -> AreaDifference | None:
    """DeLong's test, where every row was answered once by both."""
    if len(a.found.told) != 1 or len(b.found.told) != 1:
        return None
    (mine,), (theirs,) = a.found.told, b.found.told
    here, there = np.argsort(mine.rows), np.argsort(theirs.rows)
    if not np.array_equal(mine.rows[here], theirs.rows[there]):
        return None
    answers, others = mine.answers[here], theirs.answers[there]
    if answers.ranking is None or others.ranking is None:
        return None
    chosen = positive_class(answers.known, a.found.positive)
    at = answers.classes.index(chosen)
    truth = answers.truth.codes == answers.truth.values.index(chosen)
    weight = a.found.sample.worth(answers.weight)
    try:
        return delong_difference(
            answers.ranking[:, at], others.ranking[:, at], truth, weight, level
        )
    except InputError:
        return None


def _apart_by(mean: float, spec: str) -> str:
    return "has no value for one of them" if mean != mean else f"apart by {abs(mean):{spec}}"


def _chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"
