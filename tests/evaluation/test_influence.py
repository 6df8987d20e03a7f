"""Influences: what a row adds to a score is what the score loses without a little of its weight."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import explained_variance_score, r2_score, root_mean_squared_error

import tallylearn as tl
from tallylearn.evaluation.scores.influence import (
    by_bins,
    influence,
    log_loss_without_each,
    prediction_noise,
    smoothed_influence,
)
from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.evaluation.scores.score import SCORES, measure, standard_error
from tallylearn.evaluation.scores.tested_rows import RowPredictions, ScoredSample, UnitInfluence
from tallylearn.tables import Codes

RNG = np.random.default_rng(8)
N = 60


def classes(k: int, weight: bool) -> Predictions:
    rng = np.random.default_rng([8, k])
    proba = rng.dirichlet(np.ones(k), N)
    names = tuple("abcdef"[:k])
    truth = np.arange(N) % k
    said = np.where(rng.random(N) < 0.7, truth, proba.argmax(axis=1))
    heavy = rng.integers(1, 4, N).astype(float) if weight else None
    codes = (Codes(names, column.astype(np.int32), names) for column in (truth, said))
    return Predictions(*codes, names, proba, heavy)


def numbers(d: int) -> Predictions:
    rng = np.random.default_rng([8, d])  # the same numbers whatever tests ran before
    truth = rng.normal(size=(N, d))
    said = truth + rng.normal(size=(N, d))
    return Predictions(truth if d > 1 else truth[:, 0], said if d > 1 else said[:, 0])


def nudged(name: str, predictions: Predictions, positive: Any) -> np.ndarray[Any, Any]:
    """The same by weighing every row a little less."""
    weight = np.ones(N) if predictions.weight is None else predictions.weight
    step = 2.0**-12

    def value(heavy: Any) -> float:
        found = replace(predictions, weight=heavy).tally([name], positive)
        return measure(found, name, positive).value

    less = [value(np.where(np.arange(N) == row, weight * (1 - step), weight)) for row in range(N)]
    return (value(weight) - np.array(less)) / step * weight.sum() / weight


@pytest.mark.parametrize("weight", [False, True])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", [name for name, s in SCORES.items() if s.task == "classifier"])
def test_a_row_moves_a_score_of_classes_as_its_weight_does(name: str, k: int, weight: bool) -> None:
    predictions = classes(k, weight)
    found = influence(name, predictions, "a")
    if found is None:
        assert SCORES[name].part == "calibration" or name.startswith("average_precision")
        return
    assert found == pytest.approx(nudged(name, predictions, "a"), abs=2e-3)
    assert np.average(found, weights=predictions.weight) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("name", [name for name, s in SCORES.items() if s.task == "regressor"])
def test_a_row_moves_a_score_of_numbers_as_its_weight_does(name: str, d: int) -> None:
    predictions = numbers(d)
    found = influence(name, predictions)
    assert found is not None
    assert found == pytest.approx(nudged(name, predictions, None), abs=2e-3)


def sample(predictions: Predictions, groups: Any = None, times: int = 1) -> ScoredSample:
    rows = np.arange(N)
    told = tuple(
        RowPredictions(at, rows, np.zeros(N, dtype=int), predictions) for at in range(times)
    )
    return ScoredSample(N, N * times, 0.1, told, groups)


@pytest.mark.parametrize("name", ["accuracy", "recall", "precision", "roc_auc", "log_loss"])
def test_added_up_they_are_the_error_that_the_books_give(name: str) -> None:
    predictions = classes(2, False)
    moved = sample(predictions).unit_influence(name, "a", by_fold=False)
    assert moved is not None
    books = standard_error(predictions.tally([name], "a"), name, "a")
    n = {"log_loss": N / (N - 1), "roc_auc": (N / 2) / (N / 2 - 1)}.get(name, 1)
    assert sqrt(moved.variance * n) == pytest.approx(books, rel=1e-3)


def test_rows_tested_again_are_no_more_rows() -> None:
    predictions = classes(2, False)
    once, often = (
        sample(predictions, times=times).unit_influence("f1", "a", by_fold=True) for times in (1, 5)
    )
    assert once is not None
    assert often is not None
    assert often.error == pytest.approx(once.error)
    assert often.retest_variance == pytest.approx(0, abs=1e-20)  # the same predictions each time
    assert once.again is None


def test_copies_of_a_row_in_one_group_are_one_row() -> None:
    predictions = classes(2, False)
    whole = sample(predictions).unit_influence("accuracy", None, by_fold=True)
    four = np.repeat(np.arange(N), 4)
    told = (RowPredictions(0, np.arange(4 * N), np.zeros(4 * N, dtype=int), predictions[four]),)
    copied = ScoredSample(4 * N, 4 * N, 0.1, told, four).unit_influence(
        "accuracy", None, by_fold=True
    )
    assert whole is not None
    assert copied is not None
    assert copied.error == pytest.approx(whole.error)
    assert copied.free == whole.free


def test_unrest_is_the_variance_of_a_row_between_its_tests() -> None:
    moved = UnitInfluence(
        np.arange(2), np.zeros(2), (np.array([0, 0, 1, 1]), np.array([1.0, 3, 5, 5]))
    )
    assert moved.retest_variance == 4 * 2.0  # two tests squared, times the variance of 1 and 3


def test_bins_move_a_mean_as_their_rows_do() -> None:
    values = RNG.normal(size=N)
    found = by_bins(lambda weight: float(np.average(values, weights=weight)), np.arange(N))
    assert found == pytest.approx((values - values.mean()) / N, abs=1e-3)


FOLDS = [
    10,
    "holdout",
    "loo",
    tl.Folds.bootstrap(12),
    tl.Folds.k(3, repeats=2),
    tl.Folds.forward(4),
]
TABLE = RNG.normal(size=(45, 2))
TRUTH = (TABLE[:, 0] + RNG.normal(size=45) > 0.6).astype(int)
CLUSTERS = np.arange(45) // 3


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("cv", FOLDS, ids=str)
def test_a_value_lies_in_its_own_interval_and_that_in_its_bounds(cv: Any, grouped: bool) -> None:
    if grouped and isinstance(cv, tl.Folds) and cv.scheme == "forward":
        return
    names = [name for name, score in SCORES.items() if score.task == "classifier"]
    for learner, truth, scores in (
        (tl.NaiveBayes(), TRUTH, names),
        (LinearRegression(), TABLE[:, 0] + TABLE[:, 1] ** 2, ["mae", "mse", "rmse", "r2"]),
    ):
        groups = CLUSTERS if grouped else None
        found = tl.evaluate(learner, TABLE, truth, cv=cv, scores=scores, groups=groups)
        for score in found:
            value = score.value if np.isfinite(score.value) else score.pooled
            least, most = SCORES[score.name].bounds
            if not np.isfinite(value):
                assert score.reason
                continue
            assert score.interval is not None, score
            assert least <= score.interval.low <= value <= score.interval.high <= most, score
            assert score.interval.low < score.interval.high, score


def test_groups_that_agree_in_themselves_make_intervals_as_wide_as_the_groups_are_few() -> None:
    told = np.repeat(RNG.random(30) < 0.7, 20)
    X = np.column_stack([told, RNG.normal(size=600)]).astype(float)
    y, groups = np.ones(600, dtype=int), np.repeat(np.arange(30), 20)
    y[::2] = 0
    X[:, 0] = np.where(told, y, 1 - y)

    class Says:
        _estimator_type = "classifier"

        def fit(self, X: Any, y: Any) -> Any:
            self.classes_ = np.array([0, 1])
            return self

        def predict(self, X: Any) -> Any:
            return X[:, 0].astype(int)

    one, other = (tl.evaluate(Says(), X, y, cv=5, groups=g)["accuracy"] for g in (None, groups))
    assert one.interval is not None
    assert other.interval is not None
    widths = [e.interval.high - e.interval.low for e in (one, other)]
    assert widths[1] > 3.5 * widths[0]  # sqrt(20) = 4.5, less what 30 groups make Wilson's shorter
    assert other.interval.method == "Wilson over groups"
    assert "groups" in other.interval.about


@pytest.mark.parametrize("cv", ["holdout", "loo"])
def test_rows_that_move_a_score_by_rounding_alone_give_it_no_interval(cv: str) -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 80))
    scores = ["explained_variance"]
    found = tl.evaluate(tl.DummyRegressor(), x[:, None], y, cv=cv, scoring=scores)
    assert found["explained_variance"].interval is None


@pytest.mark.parametrize("name", ["r2", "explained_variance", "rmse"])
def test_the_jackknife_of_a_ratio_leaves_out_every_row_in_turn(name: str) -> None:
    """As a slow loop over scikit-learn's scores of the other rows does."""
    rng = np.random.default_rng(3)
    truth = rng.normal(size=25)
    said = 0.6 * truth + rng.normal(size=25) * 0.5
    weight = rng.integers(1, 4, 25).astype(float)
    found = log_loss_without_each(name, Predictions(truth, said, weight=weight), np.arange(25))
    assert found is not None
    score = {"r2": r2_score, "explained_variance": explained_variance_score,
             "rmse": root_mean_squared_error}[name]  # fmt: skip
    for row in range(25):
        rest = np.arange(25) != row
        left = score(truth[rest], said[rest], sample_weight=weight[rest])
        loss = left if name == "rmse" else 1 - left
        assert found[row] == pytest.approx(np.log(loss), rel=1e-9)


def test_the_jackknife_of_a_ratio_leaves_out_all_tests_of_a_group_and_averages_outputs() -> None:
    rng = np.random.default_rng(4)
    truth = rng.normal(size=(24, 2))
    said = 0.5 * truth + rng.normal(size=(24, 2)) * 0.5
    units = np.arange(24) % 6
    found = log_loss_without_each("r2", Predictions(truth, said), units)
    assert found is not None
    for unit in range(6):
        rest = units != unit
        assert found[unit] == pytest.approx(np.log(1 - r2_score(truth[rest], said[rest])), rel=1e-9)


def test_the_noise_of_predictions_is_that_of_the_coefficients() -> None:
    """Least squares with p coefficients: p / n of the variance of the errors."""
    rng, noise = np.random.default_rng(5), []
    n, p = 200, 8
    for _ in range(60):
        X = rng.normal(size=(n, p))
        y = X.sum(axis=1) + 2 * rng.normal(size=n)
        said = tl.LinearRegression().fit(X, y).predict(fresh := rng.normal(size=(n, p)))
        noise.append(
            prediction_noise(Predictions(fresh.sum(axis=1) + 2 * rng.normal(size=n), said))
        )
    error = np.std(noise) / np.sqrt(60)
    assert abs(np.mean(noise) - p / n) < 0.5 * p / n + 4 * error
    assert prediction_noise(Predictions([1.0, 2.0, 4.0], [2.0, 2.0, 2.0])) == 0


def test_two_rows_more_of_every_class_make_none_certain() -> None:
    """Recall 0 of 4: the slopes of a smoothed matrix, and the variance of what was added."""
    truth, said = Codes.of([0] * 16 + [1] * 4), Codes((0, 1), np.zeros(20, dtype=np.int32), (0, 1))
    found = smoothed_influence("balanced_accuracy", Predictions(truth, said, (0, 1)), 1, 20.0)
    assert found is not None
    each, added = found
    # Of recalls 17/18 and 1/6 with 18 and 6 of 24 rows: (right - recall) / (2 share of the class).
    slopes = np.array([[1 / 18, -17 / 18], [5 / 6, -1 / 6]]) / (2 * np.array([[18 / 24], [6 / 24]]))
    slopes[1] = slopes[1][::-1]
    assert each[:16] == pytest.approx(slopes[0, 0], abs=1e-4)
    assert each[16:] == pytest.approx(slopes[1, 0], abs=1e-4)
    assert added == pytest.approx((slopes**2).sum() / 400, rel=1e-3)
