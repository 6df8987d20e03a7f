"""Gradient boosting: scikit-learn's trees where bins agree, and what it promises beyond them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

import tallylearn as tl
from tallylearn.errors import InputError, OptionError, TargetError
from tallylearn.kernels.boosting import loss_gradients
from tallylearn.models.boosting import (
    boosting_rounds,
    hist_gradient_boosting,
    losses,
    tree_growth,
)
from tallylearn.models.trees import shapley
from tests.kernels.test_oracle import uncompiled

CLASSIFIER, REGRESSOR = tl.HistGradientBoostingClassifier, tl.HistGradientBoostingRegressor


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """scikit-learn's threads wait for each other where other tests have the processors."""
    with threadpool_limits(1, user_api="openmp"):
        yield


@pytest.fixture(scope="module")
def numbers() -> tuple[np.ndarray, np.ndarray]:
    """Numbers of few values, so that both libraries have the same bins."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 60, size=(900, 5)).astype(float)
    y = X[:, 0] / 10 + np.sin(X[:, 1] / 7) * 3 + (X[:, 2] > 30) * X[:, 3] / 9 + rng.normal(size=900)
    return X, y + 20


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_leaf_nodes": 7, "l2_regularization": 3.0, "learning_rate": 0.3},
        {"max_depth": 3, "min_samples_leaf": 50, "max_leaf_nodes": None},
        {"loss": "poisson"},
        {"loss": "gamma"},
        {"monotonic_cst": [1, 0, -1, 0, 0], "max_leaf_nodes": 10},
        {"interaction_cst": [{0, 1}, {2, 3}]},
        {"interaction_cst": "no_interactions", "max_leaf_nodes": 5},
    ],
)
def test_trees_of_numbers_are_those_of_scikit_learn(options: Any, numbers: Any) -> None:
    X, y = numbers
    X = np.where(np.arange(X.size).reshape(X.shape) % 17 == 0, np.nan, X)
    ours = REGRESSOR(max_iter=20, **options).fit(X, y)
    theirs = ensemble.HistGradientBoostingRegressor(max_iter=20, **options).fit(X, y)
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-6)


def test_weighted_rows_have_the_trees_of_scikit_learn(numbers: Any) -> None:
    X, y = numbers
    weight = 1.0 + np.arange(len(y)) % 3
    ours = REGRESSOR(max_iter=10).fit(X, y, sample_weight=weight)
    theirs = ensemble.HistGradientBoostingRegressor(max_iter=10).fit(X, y, sample_weight=weight)
    assert ours.predict(X) == pytest.approx(theirs.predict(X), rel=1e-6)


def test_classes_have_the_probabilities_of_scikit_learn(numbers: Any) -> None:
    X, y = numbers
    for edges in ([22.0], [20.0, 22.0, 24.0]):
        labels = np.digitize(y, edges)
        ours = CLASSIFIER(max_iter=15).fit(X, labels)
        theirs = ensemble.HistGradientBoostingClassifier(max_iter=15).fit(X, labels)
        assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-6)
        assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-5)


@pytest.mark.parametrize("loss", ["absolute_error", "quantile"])
def test_losses_without_curvature_are_as_low_as_scikit_learns(loss: str, numbers: Any) -> None:
    X, y = numbers
    q = {"quantile": 0.8} if loss == "quantile" else {}
    level = q.get("quantile", 0.5)
    losses = []
    for made in (REGRESSOR, ensemble.HistGradientBoostingRegressor):
        off = y[::3] - made(loss, **q).fit(X[1::3], y[1::3]).predict(X[::3])
        losses.append(np.mean(np.maximum(level * off, (level - 1) * off)))
    assert losses[0] < 1.05 * losses[1]


def test_categories_are_split_as_scikit_learn_splits_them() -> None:
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 12, size=2_000)
    effect = rng.normal(size=12)
    y = effect[kind] + 0.1 * rng.normal(size=2_000)
    table = pd.DataFrame({"kind": pd.Categorical([f"k{v:02}" for v in kind])})
    ours = REGRESSOR(max_iter=20).fit(table, y)
    theirs = ensemble.HistGradientBoostingRegressor(max_iter=20).fit(table, y)
    assert ours.predict(table) == pytest.approx(theirs.predict(table), rel=1e-6)


def test_no_order_of_rows_and_no_number_of_threads_changes_a_bit() -> None:
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.normal(size=(60_000, 6)), columns=list("abcdef"))
    table["kind"] = pd.Categorical(rng.choice(["x", "y", "z"], size=len(table)))
    y = np.where(
        table.a + table.b * table.c + (table.kind == "y") > rng.normal(size=60_000), "+", "-"
    )
    order = rng.permutation(len(y))
    model = CLASSIFIER(max_iter=5, early_stopping=True)
    first = model.fit(table, y).predict_proba(table)
    shuffled = model.fit(table.iloc[order], y[order])
    assert (shuffled.predict_proba(table) == first).all()
    with tl.engine(1):
        assert (model.fit(table, y).predict_proba(table) == first).all()


def test_large_nodes_are_shared_by_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = CLASSIFIER(max_iter=5)
    alone = model.fit(X, y).predict_proba(X)
    monkeypatch.setattr("tallylearn.models.boosting.tree_growth.MIN_PARALLEL_CELLS", 300)
    with tl.engine(3):
        assert (model.fit(X, y).predict_proba(X) == alone).all()


def test_histograms_that_find_no_room_are_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_diabetes(return_X_y=True)
    model = REGRESSOR(max_iter=5, min_samples_leaf=3)
    plenty = model.fit(X, y).predict(X)
    monkeypatch.setattr("tallylearn.models.boosting.tree_growth.MAX_HISTOGRAM_BYTES", 0)
    assert (model.fit(X, y).predict(X) == plenty).all()


def test_predictions_only_rise_where_they_may_only_rise() -> None:
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(2_000, 3))
    y = 2 * X[:, 0] + np.sin(9 * X[:, 1]) + 0.5 * rng.normal(size=2_000)
    for loss in ("squared_error", "absolute_error", "quantile"):
        model = REGRESSOR(loss, quantile=0.7, monotonic_cst={"x0": 1, "x1": -1}, max_iter=40)
        model.fit(X, y)
        grid = np.linspace(0, 1, 200)
        for row in rng.uniform(size=(20, 3)):
            for column, sign in ((0, 1), (1, -1)):
                rows = np.repeat(row[None], len(grid), axis=0)
                rows[:, column] = grid
                assert (sign * np.diff(model.predict(rows)) >= 0).all()


def test_shapley_values_are_those_of_all_subsets() -> None:
    """The slow definition: the mean over all orders of columns of what a column adds."""
    X, y = load_diabetes(return_X_y=True)
    X = X[:, [2, 3, 6, 8]].copy()
    X[::9, 1] = np.nan
    model = REGRESSOR(max_iter=6, max_leaf_nodes=8).fit(X, y)
    rows = X[:5]
    found = model.shap_values(rows)
    assert found.sum(axis=1) + model.expected_value_[0] == pytest.approx(model.predict(rows))
    for row, values in zip(rows, found, strict=True):
        for j in range(4):
            others = [k for k in range(4) if k != j]
            total = 0.0
            for size in range(4):
                weight = math.factorial(size) * math.factorial(3 - size) / math.factorial(4)
                for subset in itertools.combinations(others, size):
                    gain = _mean_given(model.model_, row, {*subset, j})
                    total += weight * (gain - _mean_given(model.model_, row, {*subset}))
            assert values[j] == pytest.approx(total, abs=1e-9)


def _mean_given(trees: Any, row: np.ndarray, known: set[int]) -> float:
    """The raw score where only some columns are known: others follow the training rows."""

    def mean(at: int) -> float:
        left = int(trees.left[at])
        if left < 0:
            return float(trees.values[at])
        j = int(trees.split_columns[at])
        if j in known:
            _, low, high, missing = trees.steps[at].tolist()
            x = row[j]
            return mean(missing if np.isnan(x) else low if x <= trees.threshold[at] else high)
        shares = trees.rows[[left, left + 1]] / trees.rows[at]
        return float(shares[0]) * mean(left) + float(shares[1]) * mean(left + 1)

    return float(trees.baseline[0]) + sum(mean(root) for root in trees.roots.tolist())


def test_explanations_add_up_to_the_log_odds(mixed: pd.DataFrame) -> None:
    table = mixed.drop(columns=["note"], errors="ignore")
    model = CLASSIFIER(max_iter=10, min_samples_leaf=4).fit(table, "kind")
    rows = table.drop(columns="kind").iloc[:10]
    for row, score in zip(model.explain(rows), model.decision_function(rows), strict=True):
        totals = [line.total for line in row.lines]
        assert np.diff(totals) == pytest.approx(np.diff(score), abs=1e-9)


def test_early_stopping_ends_where_the_validation_loss_no_longer_falls() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(2_000, 3)), rng.integers(0, 2, size=2_000)
    model = CLASSIFIER(early_stopping=True, n_iter_no_change=4, max_iter=500).fit(X, y)
    assert model.n_iter_ < 100
    assert len(model.validation_score_) == model.n_iter_ + 1
    best = int(np.argmax(model.validation_score_))
    assert model.n_iter_ - best >= 4
    accuracy = CLASSIFIER(early_stopping=True, scoring=None, max_iter=20).fit(X, y)
    assert 0 < accuracy.train_score_[-1] <= 1
    assert not CLASSIFIER(max_iter=3).fit(X, y).do_early_stopping_


def test_staged_predictions_end_with_those_of_the_model() -> None:
    X, y = load_iris(return_X_y=True)
    model = CLASSIFIER(max_iter=4).fit(X, y)
    stages = [*model.staged_predict_proba(X)]
    assert len(stages) == 4
    assert (stages[-1] == model.predict_proba(X)).all()
    assert (np.array([*model.staged_predict(X)])[-1] == model.predict(X)).all()
    short = CLASSIFIER(max_iter=2).fit(X, y)
    assert (stages[1] == short.predict_proba(X)).all()
    assert log_loss(y, stages[3]) < log_loss(y, stages[0])


def test_warm_start_continues_where_the_rounds_ended() -> None:
    X, y = load_diabetes(return_X_y=True)
    warm = REGRESSOR(max_iter=3, warm_start=True).fit(X, y)
    warm.set_params(max_iter=8).fit(X, y)
    assert (warm.predict(X) == REGRESSOR(max_iter=8).fit(X, y).predict(X)).all()
    with pytest.raises(OptionError, match="max_iter=2"):
        warm.set_params(max_iter=2).fit(X, y)
    with pytest.raises(InputError, match="warm_start=False"):
        warm.set_params(max_iter=9, loss="poisson").fit(X, y)


def test_a_frequency_of_two_is_the_row_twice() -> None:
    X, y = load_diabetes(return_X_y=True)
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]).assign(
        y=y, times=1 + np.arange(len(y)) % 2
    )
    twice = table.loc[table.index.repeat(table.times)].drop(columns="times")
    counted = REGRESSOR(max_iter=5).fit(tl.table(table, target="y", weight="times"))
    repeated = REGRESSOR(max_iter=5).fit(twice, "y")
    assert (counted.predict(twice) == repeated.predict(twice)).all()


def test_more_categories_than_bins_share_the_last_bin() -> None:
    rng = np.random.default_rng(5)
    codes = np.minimum(rng.geometric(0.02, size=5_000), 400)
    table = pd.DataFrame({"city": [f"c{v}" for v in codes]})
    y = (codes % 2) + 0.1 * rng.normal(size=5_000)
    model = REGRESSOR(max_iter=30, max_bins=40).fit(table, y)
    common = table.city.isin([f"c{v}" for v in range(1, 20)])
    assert np.corrcoef(model.predict(table)[common], y[common])[0, 1] > 0.9
    assert np.isfinite(model.predict(pd.DataFrame({"city": ["never seen", None]}))).all()


def test_targets_that_a_loss_cannot_have_are_named() -> None:
    X = np.arange(50.0)[:, None]
    y = np.arange(50.0)
    with pytest.raises(TargetError, match=r'loss="gamma".*row 0'):
        REGRESSOR("gamma").fit(X, y)
    with pytest.raises(TargetError, match=r'loss="poisson".*row 7'):
        REGRESSOR("poisson").fit(X, np.where(y == 7, -1.0, y))
    with pytest.raises(OptionError, match=r"quantile=0\.5"):
        REGRESSOR("quantile").fit(X, y)
    with pytest.raises(OptionError, match="interaction_cst has 'z'"):
        REGRESSOR(interaction_cst=[{"z"}]).fit(X, y)
    with pytest.raises(OptionError, match="categorical_features names 'x0'"):
        REGRESSOR(categorical_features=[0]).fit(X, y)
    with pytest.raises(OptionError, match="validation_fraction=60"):
        REGRESSOR(early_stopping=True, validation_fraction=60).fit(X, y)


@pytest.mark.filterwarnings("ignore:overflow encountered")  # of NumPy integers, which wrap around
def test_kernels_compute_the_same_uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    table = pd.DataFrame(rng.integers(0, 9, size=(70, 2)).astype(float), columns=["a", "b"])
    table["kind"] = rng.choice(["x", "y", "z"], size=70)
    table.loc[::8, "b"] = np.nan
    y = table.a.to_numpy() + 3 * (table.kind == "y") + rng.normal(size=70)
    rows, labels = table.iloc[:6], np.digitize(y, [4, 6])
    options = {"max_iter": 2, "min_samples_leaf": 4, "max_features": 0.7, "early_stopping": True}

    def fitted() -> list[Any]:
        number = REGRESSOR(**options, monotonic_cst={"a": 1}).fit(table, y)
        shares = CLASSIFIER(**options).fit(table, labels).predict_proba(rows)
        pairs = CLASSIFIER(**options).fit(table, labels > 0).predict_proba(rows)
        return [number.predict(rows), number.shap_values(rows), shares, pairs]

    users = (losses, tree_growth, boosting_rounds, shapley, hist_gradient_boosting)
    for rows_for_one_word in (1, 1_000):  # gradients of few bits, and of many
        with monkeypatch.context() as patch:
            patch.setattr(tree_growth, "MIN_ONE_WORD_ROWS", rows_for_one_word)
            compiled = fitted()
            uncompiled(patch, *users)
            for one, other in zip(compiled, fitted(), strict=True):
                assert (one == other).all()


def test_exponential_and_logarithm_are_within_three_units_in_the_last_place() -> None:
    x = np.concatenate([np.linspace(-700, 700, 20_001), np.linspace(-1, 1, 2_001)])
    out = np.empty_like(x)
    loss_gradients.exp_all(x, out)
    assert (np.abs(out - np.exp(x)) <= 3 * np.spacing(np.exp(x))).all()
    x = np.concatenate([np.linspace(0, 1, 5_001), np.geomspace(1e-12, 1e9, 5_001)])
    out = np.empty_like(x)
    loss_gradients.log1p_all(x, out)
    assert out == pytest.approx(np.log1p(x), rel=7e-16, abs=0)
