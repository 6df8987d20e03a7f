"""Bins of a forest: fine enough for thresholds far out, and counted by weight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.models.trees.growing import coded_columns

RNG = np.random.default_rng(11)
X = RNG.normal(size=(2500, 3))
X[:, 1] = X[:, 1].round(1)
X[::9, 2] = np.nan
Y = (X[:, 0] + RNG.normal(size=2500) > 0).astype(int)
WEIGHT = RNG.integers(1, 5, 2500)
TWICE = np.repeat(np.arange(2500), WEIGHT)


@pytest.mark.parametrize("made", [tl.RandomForestClassifier, tl.RandomForestRegressor])
def test_the_default_forest_finds_a_threshold_that_few_rows_are_beyond(made: Any) -> None:
    rows = np.random.default_rng(3).random((20_000, 1))
    y = (rows[:, 0] > 0.9988).astype(int)  # 24 rows, less than a third of one of 255 groups
    others = np.linspace(0.996, 0.9985, 50), np.linspace(0.9991, 1, 50)
    forest = made(10).fit(rows, y)
    assert forest.predict(others[0][:, None]).max() <= 0.5
    assert forest.predict(others[1][:, None]).min() >= 0.5


@pytest.mark.parametrize("bins", [7, 255, None])
@pytest.mark.parametrize("made", [tl.RandomForestClassifier, tl.RandomForestRegressor])
def test_a_row_of_weight_two_is_the_row_twice_with_bins(made: Any, bins: int | None) -> None:
    options: dict[str, Any] = {"bootstrap": False, "bins": bins, "max_depth": 6}
    weighed = made(2, **options).fit(X, Y, sample_weight=WEIGHT)
    repeated = made(2, **options).fit(X[TWICE], Y[TWICE])
    assert np.array_equal(weighed.apply(X), repeated.apply(X))
    assert weighed.predict(X) == pytest.approx(repeated.predict(X), abs=1e-12)


@pytest.mark.parametrize("few", [coded_columns.FEW_CODES, 0])
def test_a_tree_with_bins_takes_weights_for_rows_too(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coded_columns, "FEW_CODES", few)
    weighed = tl.DecisionTreeRegressor(bins=9).fit(X, Y, sample_weight=WEIGHT)
    repeated = tl.DecisionTreeRegressor(bins=9).fit(X[TWICE], Y[TWICE])
    assert np.array_equal(weighed.apply(X), repeated.apply(X))


def test_the_scale_of_weights_moves_no_edge_of_a_bin() -> None:
    edges = [
        tl.DecisionTreeRegressor(bins=20, max_depth=5).fit(X, Y, sample_weight=scale * WEIGHT)
        for scale in (1.0, 3.0, 0.001, 7e9)
    ]
    for tree in edges[1:]:
        assert np.array_equal(tree.apply(X), edges[0].apply(X))
