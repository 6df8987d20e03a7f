"""Rows in parts, and the rules of C4.5 beside other options: the kernels grow Python's trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import OptionError
from tallylearn.models.trees.growing import (
    absolute_error_grower,
    gain_ratio,
    grower,
    missing_values,
)
from tallylearn.models.trees.growing.coded_columns import code_columns
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.pruning import pruner
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Block
from tests.kernels.test_oracle import uncompiled
from tests.models.trees.python_grower import grow_in_python

SEEDS = range(24)
NOT_ALIKE = ("impurity", "gain", "counts", "n", "answer")  # but for rounding
ALIKE = (
    "parent", "test", "column", "codes", "ends", "leads", "missing", "others", "rows",
    "tie_columns", "tie_ends", "threshold", "tie_thresholds",
)  # fmt: skip


def table(rng: np.random.Generator, regression: bool) -> tuple[pd.DataFrame, Any, Any]:
    """Numbers and categories of few values, so that there are ties, and missing ones."""
    n, columns = int(rng.integers(4, 60)), {}
    for j in range(rng.integers(1, 4)):
        x = rng.normal(size=n).round(1) if rng.random() < 0.5 else rng.integers(0, 5, n) * 1.0
        columns[f"n{j}"] = np.where(rng.random(n) < rng.choice([0, 0.2]), np.nan, x)
    for j in range(rng.integers(0, 3)):
        names = rng.choice(list("abcdefgh")[: rng.integers(2, 8)], n).astype(object)
        names[rng.random(n) < rng.choice([0, 0.2])] = None
        columns[f"c{j}"] = names
    y = rng.normal(size=n).round(rng.integers(0, 3)) + 0.0
    y = y if regression else np.append(["p", "q"], rng.choice(["p", "q", "r"], n - 2))
    weights = [None, rng.integers(1, 4, n).astype(float), rng.random(n) + 0.1]
    return pd.DataFrame(columns), y, weights[rng.integers(3)]


def options_of(rng: np.random.Generator, X: pd.DataFrame) -> dict[str, Any]:
    costs = {name: float(rng.integers(1, 5)) for name in X}
    return {
        "max_depth": [None, 3][rng.integers(2)],
        "min_samples_leaf": int(rng.integers(1, 4)),
        "min_samples_split": int(rng.integers(2, 5)),
        "category_split": ["subset", "multiway"][rng.integers(2)],
        "min_impurity_decrease": [0.0, 0.01][rng.integers(2)],
        "min_weight_fraction_leaf": [0.0, 0.05][rng.integers(2)],
        "min_samples_category": [1, 2, 20][rng.integers(3)],
        "costs": [None, None, costs][rng.integers(3)],
    }


def classes_in_parts(rng: np.random.Generator, options: dict[str, Any]) -> Any:
    criterion = "gini" if options["costs"] else ["gini", "entropy", "gain_ratio"][rng.integers(3)]
    weight = [None, "balanced"][rng.integers(2)]
    return tl.DecisionTreeClassifier(
        criterion=criterion, missing="fractional", class_weight=weight, **options
    )


def rules_of_c45(rng: np.random.Generator, options: dict[str, Any]) -> Any:
    missing = missing_values.RULES[rng.integers(len(missing_values.RULES))]
    weight = [None, "balanced"][rng.integers(2)]
    return tl.DecisionTreeClassifier(
        criterion="gain_ratio", variant="c45", missing=missing, class_weight=weight,
        **options | {"costs": None},
    )  # fmt: skip


def numbers_in_parts(rng: np.random.Generator, options: dict[str, Any]) -> Any:
    criteria = ["squared_error", "sdr", "poisson", "absolute_error"]
    return tl.DecisionTreeRegressor(
        criterion=criteria[rng.integers(4)], missing="fractional", **options
    )


def both_trees(
    seed: int, make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[Tree, Tree]]:
    """The trees of the kernel and of Python; none where options do not go together."""
    rng, found, grow = np.random.default_rng(seed), list[tuple[Tree, Tree]](), pruner.grow_tree
    X, y, weight = table(rng, regression=make is numbers_in_parts)
    learner = make(rng, options_of(rng, X))
    y = np.abs(y) + 0.5 if getattr(learner, "criterion", "") == "poisson" else y

    def grow_both(self: Any, block: Block, target: Target, plan: TreePlan) -> Tree:
        tree = grow(self, block, target, plan)
        codes, fixed = missing_values.fill_table(plan.missing, code_columns(block), target.weights)
        slow = grow_in_python(codes, target, plan.with_fixed(fixed))
        found.append(
            (tree, gain_ratio.snap_thresholds(slow, codes.scales) if plan.variant else slow)
        )
        return tree

    monkeypatch.setattr(pruner, "grow_tree", grow_both)
    try:
        learner.fit(X, y, sample_weight=weight)
    except OptionError:
        return []
    return found


def check_alike(mine: Tree, other: Tree) -> None:
    for name in ALIKE:
        np.testing.assert_array_equal(getattr(mine, name), getattr(other, name), name)
    for name in NOT_ALIKE:
        np.testing.assert_allclose(getattr(mine, name), getattr(other, name), 1e-9, 1e-9, name)


@pytest.mark.parametrize("make", [classes_in_parts, numbers_in_parts, rules_of_c45])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_kernel_grows_the_tree_that_python_grows(
    seed: int, make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for mine, other in both_trees(seed, make, monkeypatch):
        check_alike(mine, other)


@pytest.mark.parametrize("make", [classes_in_parts, numbers_in_parts])
@pytest.mark.parametrize("seed", SEEDS[:4])
def test_the_kernel_as_plain_python_grows_the_same(
    seed: int, make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    uncompiled(monkeypatch, grower, absolute_error_grower)
    for mine, other in both_trees(seed, make, monkeypatch):
        check_alike(mine, other)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_many_parts_of_rows_find_room(criterion: str) -> None:
    """A value of three in four is missing: there are more parts than rows."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(300, 6)), rng.normal(size=300)
    X[rng.random(X.shape) < 0.75] = np.nan
    options: dict[str, Any] = {"criterion": criterion, "missing": "fractional", "max_depth": 9}
    one = tl.DecisionTreeRegressor(**options).fit(X, y).tree_
    order = rng.permutation(300)
    two = tl.DecisionTreeRegressor(**options).fit(X[order], y[order]).tree_
    assert int(one.rows[one.leaves].sum()) > 600
    np.testing.assert_array_equal(one.threshold, two.threshold)
    np.testing.assert_array_equal(one.answer, two.answer)


def test_costs_choose_the_best_column_of_a_table_with_fractional_weights() -> None:
    """Scores are gains, and not weights times gains: those that differ are not tied."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([np.where(rng.random(200) < p, y, 1 - y) for p in (0.6, 0.7, 0.9)])
    learner = tl.DecisionTreeClassifier(criterion="entropy", costs={"x0": 1.0}, max_depth=1)
    tree = learner.fit(X, y, sample_weight=rng.random(200) + 0.5).tree_
    assert tree.column[0] == 2
    assert not tree.ties(0)
