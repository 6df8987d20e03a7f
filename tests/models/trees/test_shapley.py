"""Shapley values of trees and forests, against the definition: the mean over all column subsets."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import InputError
from tallylearn.models.forests.forest import Forest
from tallylearn.models.trees import shapley
from tests.kernels.test_oracle import uncompiled

LEARNERS = {
    "binary": tl.DecisionTreeClassifier(max_depth=5, min_samples_leaf=2),
    "multi-way": tl.ID3(),
    "parts of rows": tl.C45(),  # rows with missing values go down every branch
    "means": tl.DecisionTreeRegressor(max_depth=4),
    "medians": tl.DecisionTreeRegressor(criterion="absolute_error", max_depth=3),
    "forest": tl.RandomForestClassifier(4, random_state=0),
    "votes": tl.RandomForestClassifier(4, vote="majority", max_depth=3, random_state=1),
    "forest of means": tl.RandomForestRegressor(4, max_depth=5, random_state=0),
    "extra trees": tl.ExtraTreesClassifier(4, max_depth=5, random_state=0),
}


def random_table(seed: int, n: int = 60) -> pd.DataFrame:
    """Numbers and categories with missing values, and a target that depends on both."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({
        "size": rng.integers(0, 9, n).astype(float),
        "kind": rng.choice(["a", "b", "c", "d"], n, p=[0.5, 0.3, 0.15, 0.05]),
        "age": rng.normal(size=n).round(1),
        "city": rng.choice(["x", "y"], n),
    })  # fmt: skip
    score = table["size"] / 4 + (table.kind == "a") * 1.5 + table.age + rng.normal(size=n) / 2
    table.loc[rng.random(n) < 0.2, "size"] = np.nan
    table.loc[rng.random(n) < 0.2, "kind"] = None
    return table.assign(score=score)


def rows_to_explain(table: pd.DataFrame) -> pd.DataFrame:
    """Rows of the table, one of a category that is not in it, and one of missing values alone."""
    odd = table[:2].copy()
    odd.loc[0, "kind"] = "never seen"
    for name in ("size", "kind", "age", "city"):
        odd.loc[1, name] = np.nan if name in ("size", "age") else None
    return pd.concat([table[:6], odd], ignore_index=True)


def fitted(learner: Any, seed: int = 0) -> tuple[Any, pd.DataFrame]:
    table = random_table(seed)
    y = table.score if learner.task == "regressor" else np.digitize(table.score, [1.2, 2.4])
    X = table.drop(columns="score")
    return learner.fit(X.assign(y=y), "y"), rows_to_explain(X)


def mean_given(tree: Any, row: Any, known: set[str], majority: bool, i: int = 0) -> Any:
    """The value of a node where only some columns of a row are known."""
    branches = tree.branches(i)
    value = tree.node_values[i]
    if majority:
        value = np.eye(len(value))[value.argmax()]
    if not branches:
        return value
    kids = [b.node for b in branches]
    whole = sum(tree.n[kid] for kid in kids)

    def everywhere() -> Any:
        parts = (mean_given(tree, row, known, majority, k) * (tree.n[k] / whole) for k in kids)
        return sum(parts)

    name = branches[0].column
    if name not in known:
        return everywhere()
    if pd.isna(row[name]):
        if tree.fractional:
            return everywhere()
        gap = int(tree.gap_nodes[i])
        return value if gap < 0 else mean_given(tree, row, known, majority, gap)
    for branch in branches:
        here = {
            "<=": lambda b: row[name] <= b.values[0],
            ">": lambda b: row[name] > b.values[0],
            "=": lambda b: row[name] in b.values,
            "in": lambda b: row[name] in b.values,
            "missing": lambda b: False,
            "present": lambda b: True,
        }[branch.relation](branch)
        if here:
            return mean_given(tree, row, known, majority, branch.node)
    other = tree.other(i)
    return value if other < 0 else mean_given(tree, row, known, majority, other)


def brute_force(model: Any, row: Any, names: list[str]) -> Any:
    """(p, k) the definition: what a column adds, averaged over all subsets of the others."""
    majority = getattr(model, "vote", None) == "majority"
    trees = [t.model_ for t in model] if isinstance(model.model_, Forest) else [model.model_]
    p, found = len(names), []
    value = {
        subset: sum(mean_given(t, row, {*subset}, majority) for t in trees) / len(trees)
        for size in range(p + 1)
        for subset in itertools.combinations(names, size)
    }
    for name in names:
        total = 0.0
        for subset, before in value.items():
            if name not in subset:
                size = len(subset)
                weight = math.factorial(size) * math.factorial(p - size - 1) / math.factorial(p)
                both = tuple(one for one in names if one in {*subset, name})
                total = total + weight * (value[both] - before)
        found.append(total)
    return np.array(found), value[()]


@pytest.mark.parametrize("name", LEARNERS)
def test_shapley_values_are_those_of_all_subsets(name: str) -> None:
    model, rows = fitted(LEARNERS[name])
    found = model.shap_values(rows)
    found = found if found.ndim == 3 else found[:, :, None]
    for at, row in rows.iterrows():
        exact, start = brute_force(model, row, [*rows.columns])
        assert found[at] == pytest.approx(exact, abs=1e-12)
        assert model.expected_value_ == pytest.approx(start, abs=1e-12)


@pytest.mark.parametrize("name", LEARNERS)
def test_shapley_values_sum_to_the_prediction(name: str) -> None:
    for seed in range(3):
        model, rows = fitted(LEARNERS[name], seed)
        total = model.shap_values(rows).sum(axis=1) + model.expected_value_
        said = model.predict if model.task == "regressor" else model.predict_proba
        assert total == pytest.approx(said(rows), abs=1e-12)


def test_weights_count_as_the_rows_that_they_stand_for() -> None:
    table = random_table(3).assign(times=1 + np.arange(60) % 3)
    table = table.assign(y=table.score > 1.5).drop(columns="score")
    repeated = table.loc[table.index.repeat(table.times)].drop(columns="times")
    learner = tl.DecisionTreeClassifier(max_depth=4)
    weighted = learner.fit(tl.table(table, target="y", weight="times")).shap_values(table[:9])
    assert weighted == pytest.approx(learner.fit(repeated, "y").shap_values(table[:9]), abs=1e-12)


def test_a_tree_of_one_node_has_values_of_zero() -> None:
    model = tl.DecisionTreeClassifier(max_depth=1).fit([[1.0], [1.0]], ["a", "a"])
    assert model.shap_values([[3.0]]).tolist() == [[[0.0]]]
    assert model.expected_value_.tolist() == [1.0]


def test_saved_forests_keep_their_shapley_values(tmp_path: Any) -> None:
    for name in ("forest", "forest of means", "binary"):
        model, rows = fitted(LEARNERS[name])
        model.save(tmp_path / "model.tally")
        assert (
            tl.load(tmp_path / "model.tally").shap_values(rows) == model.shap_values(rows)
        ).all()


def test_forests_of_earlier_files_say_that_they_have_no_weights() -> None:
    model = tl.load("tests/data/models/forest.tally")
    with pytest.raises(InputError, match=r"shap_values: .*earlier version.*Fit the forest again"):
        model.shap_values(dict.fromkeys(model.schema_.names))


def test_the_kernel_computes_the_same_uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("forest", "parts of rows"):
        model, rows = fitted(LEARNERS[name])
        compiled = model.shap_values(rows)
        with monkeypatch.context() as patch:
            uncompiled(patch, shapley)
            assert (model.shap_values(rows) == compiled).all()
