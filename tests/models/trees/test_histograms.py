"""Columns of few codes are counted, others are sorted: the trees are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import modelfile
from tallylearn.models.trees.growing import coded_columns, grower
from tallylearn.models.trees.growing.coded_columns import of_groups, of_numbers
from tallylearn.tables import NUMBER, Column
from tests.soak import pairs

COLUMNS = ["length", "width", "colour", "shape", "heavy"]
MAKERS: dict[str, Any] = {
    "gini": (tl.DecisionTreeClassifier, "kind", {}),
    "two classes": (tl.DecisionTreeClassifier, "heavy2", {"missing": "class"}),
    "entropy": (tl.DecisionTreeClassifier, "kind", {"criterion": "entropy", "missing": "node"}),
    "ratio": (tl.DecisionTreeClassifier, "kind", {"criterion": "gain_ratio"}),
    "multiway": (tl.ID3, "kind", {"missing": "global", "tie": "random"}),
    "some columns": (tl.DecisionTreeClassifier, "kind", {"max_features": 2, "random_state": 1}),
    "variance": (tl.DecisionTreeRegressor, "price", {}),
    "leaves": (tl.DecisionTreeRegressor, "price", {"min_samples_leaf": 7, "max_depth": 4}),
    "deviation": (tl.DecisionTreeRegressor, "price", {"criterion": "sdr", "missing": "node"}),
}


@pytest.mark.parametrize(("maker", "bins", "weighed"), pairs(MAKERS, [2, 5, 9], [False, True]))
def test_counted_columns_give_the_tree_of_sorted_ones(
    maker: str, bins: int, weighed: bool, mixed: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, target, options = MAKERS[maker]
    frame = mixed[[*COLUMNS, target]].sample(len(mixed), random_state=bins)
    weight = np.random.default_rng(0).uniform(0.1, 3, len(mixed)) if weighed else None
    counted = make(bins=bins, **options).fit(frame, target, sample_weight=weight)
    with monkeypatch.context() as patch:
        patch.setattr(coded_columns, "FEW_CODES", 0)
        listed = make(bins=bins, **options).fit(frame, target, sample_weight=weight)
    assert modelfile.digests(counted) == modelfile.digests(listed)
    sizes = ((64, 0, 5, 3), (64, 30, 100, 2), (3, 2, 1000, 2), (0, 9, 9, 1))
    for slots, few, large, threads in sizes:
        monkeypatch.setattr(grower, "SLOTS", slots)
        monkeypatch.setattr(grower, "MIN_TASK_ROWS", few)
        monkeypatch.setattr(grower, "MAX_TASK_ROWS", large)
        monkeypatch.setattr(grower, "MIN_PARALLEL_CELLS", 0)
        with tl.engine(threads=threads):
            again = make(bins=bins, **options).fit(frame, target, sample_weight=weight)
        assert modelfile.digests(again) == modelfile.digests(counted)


@pytest.mark.parametrize("bins", [2, 3, 10, 255])
def test_groups_are_the_same_from_numbers_and_from_ranks(bins: int) -> None:
    rng = np.random.default_rng(bins)
    for n in (1, 2, 30, 400, 20_000):
        for x in (
            rng.normal(size=n),
            np.sort(rng.normal(size=n)),
            np.where(rng.random(n) < 0.4, 0.0, rng.lognormal(0, 9, n)),
            np.where(np.arange(n) % 4 < 3, np.nan, rng.random(n)),
            np.append(rng.normal(size=n - 1), np.inf),
            np.round(rng.normal(size=n), 2),
            rng.integers(-3, 4, n).astype(float),
            rng.choice([0.0, -0.0, np.nan, 1.0, np.inf], n),
            np.full(n, np.nan),
            1.0 + rng.random(n) * 1e-15,
        ):
            column, lists = Column("x", NUMBER), np.empty(n, np.int64)
            grid = np.empty(n, np.uint16)
            ranked, counted = of_numbers(column, x, bins, lists), of_groups(column, x, bins, grid)
            assert ranked.low.tolist() == counted.low.tolist()
            assert ranked.high.tolist() == counted.high.tolist()
            assert ranked.width == counted.width
            assert grid[lists & 0xFFFFFFFF].tolist() == (lists >> 32).tolist()
