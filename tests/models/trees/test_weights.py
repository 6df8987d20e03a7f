"""Weights of any size: trees end by their structure, and are those of exact arithmetic."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import modelfile
from tallylearn.errors import InputError
from tallylearn.models.trees.growing import grower
from tallylearn.models.trees.growing.grower import grow_by_impurity
from tallylearn.models.trees.growing.node_target import of_classes, of_measures, whole
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Codes
from tests.models.trees.oracle import Options
from tests.models.trees.test_oracle import check, ours, slow
from tests.soak import SOAK

TABLES = 30_000 if SOAK else 60  # of every kind of weight
LADDERS: dict[str, Any] = {
    "one heavy row": lambda rng, n: rng.choice([1.0, 1e8], n),
    "three sizes": lambda rng, n: rng.choice([2.0**40, 3.5, 1e9], n),
    "inverse propensities": lambda rng, n: 1 / np.maximum(rng.random(n) ** 4, 1e-9),
    "as a hundred million rows": lambda rng, n: rng.choice([1, 2, 99_999_999, 1e8], n),
    "powers of ten": lambda rng, n: 10.0 ** rng.integers(-7, 4, n),
    "below one": lambda rng, n: rng.choice([1e-9, 0.1, 0.3], n),
}


def drawn(rng: np.random.Generator, measure_ranks: str, regression: bool) -> dict[str, Any]:
    """A small table with gaps and weights."""
    n, p = int(rng.integers(2, 11)), int(rng.integers(1, 4))
    kinds = "".join(rng.choice(["n", "c"], p))
    pools = {"n": [0.0, 1.0, 1.5, 4.0], "c": [*"abcde"]}
    gaps = rng.choice([0.0, 0.2])
    columns = [[None if rng.random() < gaps else rng.choice(pools[k]) for _ in range(n)]
               for k in kinds]  # fmt: skip
    columns = [[v if v is None or k == "n" else str(v) for v in c]
               for c, k in zip(columns, kinds, strict=True)]  # fmt: skip
    y = rng.choice([0.0, 1.0, 2.5, 7.0, -3.0] if regression else [*"pqrs"[: rng.integers(2, 5)]], n)
    return {"kinds": kinds, "columns": columns, "y": y.tolist(),
            "weight": LADDERS[measure_ranks](rng, n).tolist()}  # fmt: skip


def options(rng: np.random.Generator, regression: bool) -> Options:
    found = Options(
        criterion=str(rng.choice(["variance", "sdr"] if regression else CRITERIA)),
        category_split=str(rng.choice(["multiway", "subset"])),
        missing=str(rng.choice(["branch", "node", "global", *([] if regression else ["class"])])),
        min_leaf=int(rng.choice([1, 1, 2])),
    )
    return replace(found, min_leaf=1) if found.missing == "class" else found


CRITERIA = ["gini", "entropy", "gain_ratio"]


def counted(table: dict[str, Any], regression: bool) -> dict[str, Any]:
    """The table with its weights as they are counted."""
    weight = np.array(table["weight"])
    target = (
        of_measures(np.array(table["y"]), weight)
        if regression
        else of_classes(Codes.of(table["y"]), weight)
    )
    assert (target.units > 0).all()
    return table | {"weight": [*map(float, target.weights)]}


def ends(tree: Tree, rows: int) -> None:
    """Every question divides its rows: so there are fewer questions than rows."""
    kids = np.bincount(tree.parent[1:], minlength=len(tree))
    assert ((kids > 1) | (tree.test == LEAF)).all()
    assert (tree.rows[1:] < tree.rows[tree.parent[1:]]).all()
    assert (tree.rows[1:] > 0).all()
    assert len(tree) < 2 * rows


@pytest.fixture
def growers(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every grower that was made."""
    made: list[Any] = []

    def make(*args: Any) -> Any:
        made.append(GROWER(*args))
        return made[-1]

    monkeypatch.setattr(grower, "growers", SimpleNamespace(Grower=make))
    return made


GROWER = grower.growers.Grower


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("measure_ranks", LADDERS)
def test_trees_of_any_weights_are_the_oracles(
    measure_ranks: str, regression: bool, growers: list[Any]
) -> None:
    rng = np.random.default_rng(len(measure_ranks) + 100 * regression)
    for _ in range(TABLES // 3):
        table, how = drawn(rng, measure_ranks, regression), options(rng, regression)
        tree = ours(table, how, grow_by_impurity)
        ends(tree, len(table["y"]))
        if how.criterion != "sdr" or max(table["weight"]) < 1e9 * min(table["weight"]):
            check(tree, 0, slow(counted(table, regression), how), how)
    assert sum(grower.refusals() for grower in growers) == 0


@pytest.mark.parametrize("measure_ranks", LADDERS)
def test_trees_of_any_weights_end_whatever_breaks_their_ties(
    measure_ranks: str, growers: list[Any]
) -> None:
    rng = np.random.default_rng(len(measure_ranks))
    for _ in range(TABLES):
        regression = bool(rng.random() < 0.5)
        table, how = drawn(rng, measure_ranks, regression), options(rng, regression)
        for missing in (how.missing, "fractional"):
            tree = ours(
                table, replace(how, missing=missing, min_leaf=1), grow_by_impurity, tie="random"
            )
            if missing == how.missing:
                ends(tree, len(table["y"]))
    assert sum(grower.refusals() for grower in growers) == 0


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio"])
@pytest.mark.parametrize("tie", ["first", "random"])
def test_six_rows_of_one_category_and_weights_of_three_sizes(criterion: str, tie: str) -> None:
    X = pd.DataFrame({"c": [*"aabbcc"]})
    weight = [2.0**40, 3.5, 1e9, 2.0**40, 3.5, 1e9]
    for y in (["p", "q", "p", "p", "q", "p"], ["p", "q", "r", "p", "q", "p"]):
        tree = tl.DecisionTreeClassifier(criterion=criterion, tie=tie, random_state=1)
        assert tree.fit(X, y, sample_weight=weight).get_n_leaves() <= 3


@pytest.mark.parametrize("n", [10**8, 10**11])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_one_odd_row_of_very_many_is_found(n: int, criterion: str) -> None:
    X = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    tree = tl.DecisionTreeClassifier(criterion=criterion)
    tree.fit(X, ["a", "a", "b", "a"], sample_weight=[n, n, 1, n])
    assert tree.predict(X).tolist() == ["a", "a", "b", "a"]
    assert tree.get_n_leaves() == 3


def test_a_light_row_beside_a_heavy_one_is_rounded_but_not_lost() -> None:
    units, power = whole(np.array([1e-30, 0.0, 1e9]))
    assert units.tolist()[:2] == [1, 0]
    assert units[2] * 2.0**-power == 1e9
    tree = tl.DecisionTreeClassifier().fit([[0], [1]], ["a", "b"], sample_weight=[1e-30, 1e9])
    assert tree.predict([[0], [1]]).tolist() == ["a", "b"]


def test_fractions_as_weights_do_not_coarsen_the_measures() -> None:
    """They took the bits that y needs: means were wrong in the fourth place."""
    rng = np.random.default_rng(0)
    X, weight = rng.integers(0, 4, (500, 1)), rng.uniform(0.1, 1, 500)
    y = rng.normal(size=500)
    tree = tl.DecisionTreeRegressor().fit(X, y, sample_weight=weight)
    for v in range(4):
        here = X[:, 0] == v
        mean = np.average(y[here], weights=weight[here])
        assert tree.predict([[v]])[0] == pytest.approx(mean, rel=1e-10)


@pytest.mark.parametrize("make", [tl.DecisionTreeClassifier, tl.DecisionTreeRegressor])
def test_only_ratios_of_weights_matter(make: Any) -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0]
    weight = np.array([1.0, 2.5, 3.0, 4.0])
    for scale in (2.0**-400, 2.0**-60, 2.0**60, 2.0**400):
        found = [
            make().fit(X, y, sample_weight=weight * by).tree_.threshold.tolist()
            for by in (1.0, scale)
        ]
        np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("make", [tl.DecisionTreeClassifier, tl.DecisionTreeRegressor])
def test_weights_beyond_a_double_are_named_with_the_remedy(make: Any) -> None:
    with pytest.raises(InputError, match="Divide all weights by the greatest"):
        make().fit([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=[1e300, 2e300, 1e300])


@pytest.mark.parametrize("make", [tl.DecisionTreeClassifier, tl.DecisionTreeRegressor, tl.M5])
def test_importances_may_be_of_any_size(make: Any) -> None:
    rows = [{"x": at, "y": float(at % 2), "w": 1 + at % 2} for at in range(12)]
    found = set()
    for size in (1.0, 2.0**-1040, 2.0**1020):
        table = tl.table([{**row, "w": row["w"] * size} for row in rows], importance="w")
        found.add(modelfile.digests(make().fit(table, "y")))
    assert len(found) == 1


def test_heavy_weights_give_one_tree_for_any_order_of_the_rows() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 9, (200, 3)).astype(float), rng.normal(size=200)
    weight = LADDERS["inverse propensities"](rng, 200)
    found = set()
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(200)
        tree = tl.DecisionTreeRegressor().fit(X[order], y[order], sample_weight=weight[order])
        found.add(modelfile.digests(tree))
    assert len(found) == 1


@pytest.mark.parametrize("options", [{}, {"criterion": "entropy"}, {"costs": {"a": 1.0}}])
def test_where_no_question_helps_all_are_tied(options: dict[str, Any]) -> None:
    """A billionth of the best gain would be less than its rounding."""
    X = pd.DataFrame({"a": [0.0, 0, 1, 1], "b": [0.0, 1, 0, 1], "c": [1.0, 0, 0, 1]})
    for weight in (0.1, 1 / 3, 7e-5):
        tree = tl.DecisionTreeClassifier(**options)
        tree.fit(X[["a", "b"]], [0, 1, 1, 0], sample_weight=[weight] * 4)
        assert [name for name, _ in tree.tree_.ties(0)] == ["a", "b"]


def test_groups_of_categories_are_cuts_through_their_order() -> None:
    X, y = pd.DataFrame({"c": [*"eaeece"]}), [1, 0, 1, 1, 1, 0]
    assert tl.DecisionTreeClassifier(max_depth=1).fit(X, y).get_n_leaves() == 2
    alone = tl.DecisionTreeClassifier(max_depth=1, min_samples_leaf=2)
    assert alone.fit(X, y).get_n_leaves() == 1  # a | e c and a e | c leave one row alone
