"""A forest of one tree that sees every row and every column is the single tree, ties among columns
aside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl

GAP = np.nan
TABLES = 60
ALL = {"bootstrap": False, "max_features": None}


def small_table(seed: int, columns: int) -> pd.DataFrame:
    """A few rows of few values, some of them missing."""
    rng = np.random.default_rng(seed)
    n, values = int(rng.integers(2, 45)), int(rng.integers(1, 7))
    x = rng.integers(0, values, (n, columns)).astype(float)
    x[rng.random(x.shape) < rng.choice([0.0, 0.1, 0.4])] = GAP
    return pd.DataFrame(x, columns=[*"abcd"][:columns])


def target_of(classes: int, n: int, seed: int) -> Any:
    """Letters of so many classes, or numbers that repeat."""
    drawn = np.random.default_rng(seed + 1).integers(0, classes or 5, n)
    return np.array([*"pqrs"])[drawn] if classes else drawn.astype(float)


def columns_tie(tree: Any) -> bool:
    return any(len({name for name, _ in tie.candidates}) > 1 for tie in tree.ties())


def test_a_column_with_one_value_left_is_asked_whether_there_is_one() -> None:
    frame = pd.DataFrame({"a": [0, 0, 1, 1, 1, 1.0], "b": [5, GAP, 5, 6, 7, GAP]})
    for y in ([*"pqrrrr"], [*"pqpppp"], [*"qpqqqq"]):
        for bins in (255, None):
            forest = tl.RandomForestClassifier(1, bins=bins, **ALL).fit(frame, y)
            assert forest.predict(frame).tolist() == y
    many = pd.concat([frame] * 100)
    y = [*"pqrrrr"] * 100
    assert tl.RandomForestClassifier(1, **ALL).fit(many, y).predict(frame).tolist() == y[:6]


@pytest.mark.parametrize(
    ("x", "y", "criterion"),
    [([0.0, 1, 2], "abc", "entropy"), ([GAP, 1, 2, 3], "zaba", "gini")],
)
def test_of_tied_thresholds_the_first_is_asked(x: list[float], y: str, criterion: str) -> None:
    kw: dict[str, Any] = {"criterion": criterion, "max_depth": 1}
    rows = np.array(x)[:, None]
    single = tl.DecisionTreeClassifier(**kw).fit(rows, [*y])
    for seed in range(8):
        forest = tl.RandomForestClassifier(1, random_state=seed, **ALL, **kw).fit(rows, [*y])
        assert forest.predict_proba(rows).tolist() == single.predict_proba(rows).tolist()


@pytest.mark.parametrize("y", ["rssssssss", "srrrrrrrr"])
def test_a_cut_through_rows_of_one_class_stands_in_no_other_columns_way(y: str) -> None:
    """Too few rows are missing to be asked for, and what is known needs no cut."""
    rows = [[1, GAP], [0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 1], [1, 0], [1, 1.0]]
    kw: dict[str, Any] = {"min_samples_leaf": 2, "max_depth": 1}
    single = tl.DecisionTreeClassifier(**kw).fit(rows, [*y])
    forest = tl.RandomForestClassifier(1, **ALL, **kw).fit(rows, [*y]).estimators_[0]
    assert single.get_n_leaves() == forest.get_n_leaves() == 2


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize(
    ("classes", "options"),
    [
        (2, {}),
        (3, {}),
        (4, {"min_samples_leaf": 2}),
        (2, {"criterion": "entropy"}),
        (3, {"criterion": "entropy", "missing": "node"}),
        (2, {"min_samples_leaf": 3, "missing": "class"}),
        (0, {}),
        (0, {"min_samples_leaf": 2, "missing": "global"}),
    ],
)
def test_a_tree_answers_as_the_single_tree_does(
    classes: int, options: dict[str, Any], columns: int
) -> None:
    kinds = [tl.RandomForestClassifier, tl.DecisionTreeClassifier]
    if not classes:
        kinds = [tl.RandomForestRegressor, tl.DecisionTreeRegressor]
    compared = 0
    for seed in range(TABLES):
        frame = small_table(seed, columns)
        y = target_of(classes, len(frame), seed)
        single = kinds[1](max_depth=3, **options).fit(frame, y)
        if columns_tie(single):
            continue
        forest = kinds[0](1, max_depth=3, **options, **ALL).fit(frame, y)
        answers = "predict_proba" if classes else "predict"
        np.testing.assert_array_equal(
            getattr(forest, answers)(frame), getattr(single, answers)(frame), f"table {seed}"
        )
        compared += 1
    assert compared > TABLES // 5
