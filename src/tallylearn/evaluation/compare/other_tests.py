"""Other tests of a pair, each with the question that it answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import isfinite, nan
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.evaluation.compare.paired_rows import SHARES, Pair
from tallylearn.evaluation.scores.score import SCORES
from tallylearn.reporting.formatting import p_value_relation
from tallylearn.statistics.multiple_comparisons import tukey
from tallylearn.statistics.roc_area import AreaDifference, delong_difference
from tallylearn.statistics.significance_tests import (
    correlated_t,
    five_by_two,
    mcnemar,
    paired_t_corrected,
    sign_test,
)

LEARNERS = "does the mean score over training sets differ?"
HALVES = "do the learners differ when trained on half of the rows?"
MODELS = "do these fitted models have the same error rate?"
OFTENER = "is one learner closer to the truth on more rows?"
AREAS = "do these fitted models have the same area under the ROC curve?"
BELIEF = "the posterior probability that each learner is better (flat prior)"


@dataclass(frozen=True)
class PairTestResult:
    """What a test says of a pair."""

    a: str
    b: str
    test: str
    question: str
    p: float  # NaN where the answer is in words
    adjusted: float  # by Tukey, over all pairs
    said: str

    def __str__(self) -> str:
        p = f"p {p_value_relation(self.p)}, " if isfinite(self.p) else ""
        return f"{self.test}, {self.a} and {self.b}: {p}{self.said}"

    def __repr__(self) -> str:
        return str(self)

    def record(self) -> dict[str, Any]:
        return asdict(self)


def test_results(pair: Pair, learners: int, alike: float | None) -> list[PairTestResult]:
    """All tests that fit what was measured."""
    return [
        PairTestResult(
            a=pair.a.name,
            b=pair.b.name,
            test=test,
            question=question,
            p=p,
            adjusted=tukey(p, learners),
            said=said,
        )
        for test, question, p, said in (*_of_folds(pair, alike), *_of_rows(pair))
    ]


Line = tuple[str, str, float, str]


def _of_folds(pair: Pair, alike: float | None) -> Iterator[Line]:
    apart, share = pair.by_fold, pair.a.found.sample.test_share
    if len(apart) < 2 or not all(map(isfinite, apart)) or not 0 < share < 1:
        return
    t = paired_t_corrected(apart, share)
    if isfinite(t.t):  # equal differences on all folds are too few folds, not certainty
        yield "corrected resampled t", LEARNERS, t.p, f"t({t.df}) = {t.t:.4g}"
    if pair.both == [(repeat, fold) for repeat in range(5) for fold in range(2)]:
        found = five_by_two(np.reshape(apart, (5, 2)))
        yield "5x2cv, combined F", HALVES, found.p, f"F(10, 5) = {found.f:.4g}"
        yield "5x2cv, t", HALVES, found.t_p, f"t(5) = {found.t:.4g}"
    if alike is not None and np.ptp(apart) > 0:
        low, within, high = correlated_t(apart, share, alike)
        first, last = pair.a.name, pair.b.name
        if SCORES[pair.score].better == "low":
            low, high = high, low
        said = f"{first} {high:.3f}, equivalent within {alike:g} {within:.3f}, {last} {low:.3f}"
        yield "Bayesian correlated t", BELIEF, nan, said


def _of_rows(pair: Pair) -> Iterator[Line]:
    sample = pair.a.found.sample
    if pair.rows is not None and sample.groups is None:
        b, c = pair.exclusive_errors
        said = f"b = {b}, c = {c}, exact p "
        found = mcnemar(b, c)
        yield "McNemar, mid-p", MODELS, found.p, f"{said}{p_value_relation(found.exact)}"
    if (won := _count_wins(pair)) is not None:
        said = f"first closer on {won[0]}, second on {won[1]}"
        yield "sign test", OFTENER, sign_test(*won), said
    if pair.score == "roc_auc" and (area := areas(pair)) is not None:
        yield "DeLong", AREAS, area.p, f"{area.difference:.3f} {area.interval}"


def _count_wins(pair: Pair) -> tuple[int, int] | None:
    """On how many rows or groups each of them is nearer to the truth, ties left out."""
    score = SCORES[pair.score]
    if score.kind != "mean" and pair.score not in SHARES:
        return None
    moved, sample = pair.unit_influence(by_fold=False), pair.a.found.sample
    mean = pair.a.found[pair.score].pooled - pair.b.found[pair.score].pooled
    if moved is None or not isfinite(mean) or sample.all_tests.predictions.weight is not None:
        return None
    apart = moved.sums * len(moved.units) + mean
    apart = np.where(np.abs(apart) > 1e-9 * np.abs(apart).max(initial=0), apart, 0)
    apart = apart if score.better == "high" else -apart
    return int((apart > 0).sum()), int((apart < 0).sum())


def areas(pair: Pair, level: float = 0.95) -> AreaDifference | None:
    """DeLong's test, where every row was answered once by both."""
    mine, theirs = pair.a.found, pair.b.found
    if len(mine.tests) != 1 or len(theirs.tests) != 1 or mine.sample.groups is not None:
        return None
    (one,), (other,) = mine.tests, theirs.tests
    here, there = np.argsort(one.rows), np.argsort(other.rows)
    if not np.array_equal(one.rows[here], other.rows[there]):
        return None
    predictions, others = one.predictions[here], other.predictions[there]
    if predictions.proba is None or others.proba is None:
        return None
    chosen = positive_class(predictions.known_classes, mine.positive)
    at = predictions.classes.index(chosen)
    truth = predictions.truth.codes == predictions.truth.values.index(chosen)
    weight = mine.sample.worth(predictions.weight)
    try:
        return delong_difference(
            predictions.proba[:, at], others.proba[:, at], truth, weight, level
        )
    except InputError:
        return None
