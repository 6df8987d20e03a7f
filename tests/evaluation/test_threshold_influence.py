"""What models of a table share: a decision threshold, folds of few pairs, and noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import tallylearn as tl
from tallylearn.evaluation.scores.influence import influence
from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.evaluation.scores.score import measure
from tallylearn.evaluation.scores.tested_rows import RowPredictions, ScoredSample
from tallylearn.evaluation.scores.threshold_influence import threshold_influence
from tallylearn.tables import Codes

Array = np.ndarray[Any, Any]


def answers(y: Array, decision: Array) -> Predictions:
    p = 1 / (1 + np.exp(-decision))
    truth, said = (Codes((0, 1), v.astype(np.int32), (0, 1)) for v in (y, decision > 0))
    return Predictions(truth, said, (0, 1), np.column_stack([1 - p, p]))


def out_of_fold(rng: np.random.Generator, n: int, share: float) -> tuple[Array, Array]:
    """Class and log-odds of rows, by discriminants on one column, ten folds."""
    y = (rng.random(n) < share).astype(int)
    x, fold, u = rng.normal(size=n) + 1.4 * y, np.arange(n) % 10, np.empty(n)
    for one in range(10):
        train, test = fold != one, fold == one
        (a, b), ones = (x[train & (y == c)] for c in (0, 1)), y[train].mean()
        rest = np.concatenate([a - a.mean(), b - b.mean()])
        slope = (b.mean() - a.mean()) / np.mean(rest**2)
        middle = (a.mean() + b.mean()) / 2
        u[test] = slope * (x[test] - middle) + np.log(ones / (1 - ones))
    return y, u


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_rows_that_test_and_train_show_the_variance_of_recall_over_tables(share: float) -> None:
    rng = np.random.default_rng(3)
    values, tested, both = [], [], []
    for _ in range(400):
        found = answers(*out_of_fold(rng, 150, share))
        test, train = influence("recall", found, 1), threshold_influence("recall", found, 1)
        assert test is not None
        assert train is not None
        values.append(measure(found.tally("recall", 1), "recall", 1).value)
        tested.append(float((test**2).sum()) / 150**2)
        both.append(float(((test + train) ** 2).sum()) / 150**2)
    variance = np.var(values)
    assert np.mean(both) == pytest.approx(variance, rel=0.25)  # of 400 tables: two errors, 14 %
    assert abs(np.mean(tested) / variance - 1) > abs(np.mean(both) / variance - 1)


def test_a_threshold_needs_two_classes_and_decision_values_in_order() -> None:
    y, u = out_of_fold(np.random.default_rng(0), 60, 0.5)
    found = answers(y, u)
    assert threshold_influence("f1", found, 1) is not None
    plain = Predictions(found.truth, found.said, (0, 1))
    assert threshold_influence("f1", plain, 1) is None
    said = Codes((0, 1), (np.arange(60) % 2).astype(np.int32), (0, 1))
    disordered = Predictions(found.truth, said, (0, 1), found.proba)
    assert threshold_influence("f1", disordered, 1) is None
    assert threshold_influence("log_loss", found, 1) is None


def test_separated_classes_have_a_finite_threshold_influence() -> None:
    y = np.arange(40) % 2
    found = threshold_influence("recall", answers(y, np.where(y, 700.0, -700.0)), 1)
    assert found is not None
    assert np.isfinite(found).all()


def test_a_mean_of_fold_areas_varies_by_the_pairs_of_the_folds_too() -> None:
    rng, areas, shown = np.random.default_rng(1), [], []
    fold, y = np.arange(60) % 10, (np.arange(60) // 10) % 2
    for _ in range(1500):
        u = rng.normal(size=60) + 1.2 * y
        sample = ScoredSample(60, 60, 0.1, (RowPredictions(0, np.arange(60), fold, answers(y, u)),))
        by_fold = [
            np.mean(u[(fold == k) & (y == 1)][:, None] > u[(fold == k) & (y == 0)])
            for k in range(10)
        ]
        areas.append(np.mean(by_fold))
        moved = sample.unit_influence("roc_auc", 1, by_fold=True)
        assert moved is not None
        shown.append((moved.variance, sample.pairs_variance("roc_auc", 1)))
    rows, pairs = np.mean(shown, axis=0)
    variance = np.var(areas)
    assert rows < 0.9 * variance  # of 1,500 tables: two errors are 7 %
    assert rows + pairs == pytest.approx(variance, rel=0.1)


def test_the_variance_of_pairs_has_no_unit_of_weight() -> None:
    rng = np.random.default_rng(2)
    X, y, weight = rng.normal(size=(80, 2)), rng.integers(0, 2, 80), rng.random(80)
    one, other = (
        tl.evaluate(tl.NaiveBayes(), X, y, cv=5, scoring="roc_auc", sample_weight=weight * unit)
        for unit in (1.0, 1000.0)
    )
    np.testing.assert_allclose([*one["roc_auc"].interval], [*other["roc_auc"].interval], 1e-6)


@pytest.mark.parametrize("score", ["accuracy", "roc_auc"])
def test_folds_of_noise_hold_the_score_of_noise(score: str) -> None:
    held, tables = 0, 120
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
        interval = tl.evaluate(tl.NaiveBayes(), X, y, cv=10, scoring=score)[score].interval
        assert interval is not None
        held += 0.5 in interval
    assert binom.cdf(held, tables, 0.95) > 1e-3, held  # 76 to 87 % of intervals held it before


def test_far_from_guessing_the_interval_is_that_of_the_rows() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 1)) + 3 * y[:, None]
    found = tl.evaluate(tl.NaiveBayes(), X, y, cv=10, scoring="accuracy")["accuracy"]
    assert [*found.interval] == pytest.approx(
        [*tl.statistics.confidence_intervals.wilson(round(200 * found.value), 200)], abs=1e-9
    )


def test_the_interval_of_the_learner_is_not_narrower_than_that_of_its_models() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(100) < 0.2).astype(int)
    X = rng.normal(size=(100, 2))
    learner = tl.LinearDiscriminantAnalysis()
    found = tl.evaluate(learner, X, y, cv=tl.Folds.k(10, stratified=True), scoring="accuracy")
    models, over = found["accuracy"].interval, found["accuracy"].over_folds
    assert models is not None
    assert over is not None
    assert over.low <= models.low
    assert models.high <= over.high
