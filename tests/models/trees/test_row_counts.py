"""Rows are counted as rows: no sample weight makes them more or fewer for a threshold or a test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.models.trees.node import LEAF, THRESHOLD
from tallylearn.models.trees.pruning.pessimistic import estimate_errors
from tallylearn.models.trees.tree import Tree

LOSS = [[0, 3], [1, 0]]
COUNTING: dict[str, Any] = {
    "C45": lambda: tl.C45(min_samples_leaf=4),
    "C45, side": lambda: tl.C45(missing="side"),
    "fractional": lambda: tl.DecisionTreeClassifier(missing="fractional", min_samples_leaf=3),
    "pessimistic": lambda: tl.DecisionTreeClassifier(pruning="pessimistic"),
    "not raised": lambda: tl.DecisionTreeClassifier(pruning="pessimistic", raising=False),
    "chi2": lambda: tl.DecisionTreeClassifier(pruning="chi2"),
    "loss": lambda: tl.DecisionTreeClassifier(pruning="loss", loss=LOSS),
    "significance": lambda: tl.DecisionTreeClassifier(significance=0.1),
    "regression in parts": lambda: tl.DecisionTreeRegressor(
        missing="fractional", min_samples_leaf=3
    ),
    "M5": lambda: tl.M5(min_samples_leaf=4),
}


def weighted(seed: int, n: int = 150, spread: float = 1.5) -> tuple[pd.DataFrame, Any, Any]:
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "a": draw.normal(size=n).round(1), "b": draw.choice([*"xyz"], n), "c": draw.normal(size=n),
    })  # fmt: skip
    y = frame["a"] + draw.normal(size=n) > 0
    frame.loc[draw.random(n) < 0.15, "a"] = np.nan
    return frame, y, np.exp(spread * draw.normal(size=n))


def target_of(learner: Any, y: Any) -> Any:
    return np.where(y, "u", "v") if learner.task == "classifier" else y + 0.001 * np.arange(len(y))


@pytest.mark.parametrize("make", COUNTING.values(), ids=COUNTING)
def test_no_rule_depends_on_the_scale_of_the_weights(make: Any) -> None:
    frame, y, weight = weighted(1)
    fits = [
        make().fit(frame, target_of(make(), y), sample_weight=weight * by)
        for by in (1.0, 2.0**-9, 2.0**12)
    ]
    first, *others = (fit.predict(frame).tolist() for fit in fits)
    assert len(fits[0].tree_) > 1
    assert all(other == first for other in others)


@pytest.mark.parametrize("make", COUNTING.values(), ids=COUNTING)
def test_equal_weights_are_none(make: Any) -> None:
    frame, y, _ = weighted(2)
    target = target_of(make(), y)
    plain = make().fit(frame, target)
    for weight in (0.01, 1.0, 7.0):
        same = make().fit(frame, target, sample_weight=np.full(len(frame), weight))
        assert str(same) == str(plain)
        assert same.predict(frame).tolist() == plain.predict(frame).tolist()


def rows_below(tree: Tree) -> list[int]:
    """The rows of the branches of every threshold."""
    asked = [i for i in range(len(tree)) if tree.test[i] == THRESHOLD]
    return [int(tree.rows[kid]) for i in asked for kid in tree.children(i)]


@pytest.mark.parametrize("seed", range(5))
def test_the_least_leaf_of_c45_and_m5_is_of_rows(seed: int) -> None:
    frame, y, weight = weighted(seed)
    frame = frame.drop(columns="b").fillna(0.0)
    grown = tl.C45(min_samples_leaf=6, pruning=None).fit(frame, np.where(y, "u", "v"), weight)
    assert min(rows_below(grown.tree_)) >= 6
    lines = tl.M5(min_samples_leaf=6, prune=False, min_share_leaf=0).fit(frame, y + 0.0, weight)
    assert min(rows_below(lines.tree_)) >= 6
    assert lines.tree_.n[1:].min() < 6  # a light branch may be: its rows are enough


def test_two_light_rows_are_a_leaf_of_c45() -> None:
    X, y = [[0.0]] * 2 + [[1.0]] * 8, ["u"] * 2 + ["v"] * 8
    tree = tl.C45(pruning=None).fit(X, y, sample_weight=[0.001] * 2 + [1.0] * 8)
    assert tree.get_n_leaves() == 2
    tree = tl.C45(pruning=None).fit(X, y, sample_weight=[1000.0] * 2 + [1.0] * 8)
    assert tree.get_n_leaves() == 2
    one = tl.C45(pruning=None).fit(X[1:], y[1:], sample_weight=[1000.0] + [1.0] * 8)
    assert one.get_n_leaves() == 1  # one row is no leaf, however heavy it is


def test_half_a_row_is_half_a_row_of_c45_whatever_it_weighs() -> None:
    """x is missing in two of six rows: each side has two rows and two halves, which are three."""
    X = [[0.0], [0.0], [1.0], [1.0], [None], [None]]
    y = ["u", "u", "v", "v", "u", "v"]
    for weight in ([1.0] * 6, [1.0] * 4 + [50.0] * 2, [1.0] * 4 + [0.02] * 2):
        tree = tl.C45(pruning=None, min_samples_leaf=2).fit(X, y, sample_weight=weight)
        assert tree.get_n_leaves() == 2
        tree = tl.C45(pruning=None, min_samples_split=7).fit(X, y, sample_weight=weight)
        assert tree.get_n_leaves() == 1


def test_significance_keeps_its_level_whatever_rows_weigh() -> None:
    """With the rows in place of the effective rows, a fifth of all random splits passed."""
    found, n, runs = 0, 100, 300
    for seed in range(runs):
        draw = np.random.default_rng(seed)
        x, y = draw.integers(0, 2, (2, n))
        learner = tl.DecisionTreeClassifier(significance=0.05, max_depth=1)
        tree = learner.fit(x[:, None], y, sample_weight=np.exp(draw.normal(size=n)))
        found += tree.get_n_leaves() > 1
    assert 0.02 < found / runs < 0.09


def effective(weight: Any) -> float:
    return float(np.sum(weight) ** 2 / np.sum(np.square(weight)))


def test_a_stump_is_tested_by_kish_rows() -> None:
    x = np.repeat([0.0, 1.0], 20)
    y = np.where((np.arange(40) % 4 > 0) == (x > 0), "u", "v")
    weight = np.where(np.arange(40) % 5 == 0, 4.0, 0.5)
    stump = tl.DecisionTreeClassifier(max_depth=1, keep_rows=True).fit(x[:, None], y, weight)
    table = np.array([[weight[(x == a) & (y == b)].sum() for b in "uv"] for a in (0, 1)])
    share = table / table.sum()
    expected = share.sum(1, keepdims=True) * share.sum(0, keepdims=True)
    chi2 = effective(weight) * ((share - expected) ** 2 / expected).sum()
    pruned = stump.prune("chi2", level=1e-9)
    (cut,) = pruned.prunings().stages[0].cuts
    assert cut.numbers["chi2"] == pytest.approx(chi2, rel=1e-12)


def test_pessimism_is_about_effective_rows() -> None:
    rate, n, rows = 0.2, 50.0, 12.5
    limit = float(estimate_errors(np.array([rows]), np.array([rate * rows]))[0]) / rows
    found = estimate_errors(np.array([n]), np.array([rate * n]), rows=np.array([rows]))
    assert found[0] == pytest.approx(n * limit, rel=1e-14)
    same = estimate_errors(np.array([n]), np.array([rate * n]), rows=np.array([n]))
    assert same[0] == estimate_errors(np.array([n]), np.array([rate * n]))[0]


@pytest.mark.parametrize("raising", [True, False])
def test_the_errors_of_a_stump_are_those_of_its_effective_rows(raising: bool) -> None:
    draw = np.random.default_rng(12)
    x = np.repeat([0.0, 1.0], 30)
    y = np.where(draw.random(60) < 0.45 + 0.1 * x, "u", "v")
    weight = np.exp(draw.normal(size=60))
    weight *= 60 / weight.sum()
    stump = tl.DecisionTreeClassifier(max_depth=1, keep_rows=True).fit(x[:, None], y, weight)
    pruned = stump.prune("pessimistic", raising=raising)

    def errors(here: Any) -> float:
        n, rows = weight[here].sum(), effective(weight[here])
        rate = min(weight[here & (y == c)].sum() for c in "uv") / n
        return float(n / rows * estimate_errors(np.array([rows]), np.array([rate * rows]))[0])

    (cut,) = pruned.prunings().stages[-1].cuts
    assert cut.numbers["as leaf"] == pytest.approx(errors(x >= 0), rel=1e-9)
    branches = errors(x == 0) + errors(x == 1)
    assert cut.numbers["in branches"] == pytest.approx(branches, rel=1e-9)


def test_a_tree_with_weights_is_pruned_by_its_table() -> None:
    frame, y, weight = weighted(3)
    target = np.where(y, "u", "v")
    kept = tl.DecisionTreeClassifier(keep_rows=True).fit(frame, target, weight)
    bare = tl.DecisionTreeClassifier(keep_rows=False).fit(frame, target, weight)
    for how in ("chi2", "pessimistic"):
        with pytest.raises(tl.errors.InputError, match=r"table.*again.*keep_rows=True"):
            bare.prune(how)
        passed = bare.prune(how, frame, target, weight)
        assert str(passed) == str(kept.prune(how))
        at_once = tl.DecisionTreeClassifier(pruning=how).fit(frame, target, weight)
        assert at_once.predict(frame).tolist() == passed.predict(frame).tolist()


def test_frequencies_are_rows_and_importances_are_none() -> None:
    frame, y, _ = weighted(4, 60)
    frame["y"], frame["w"] = np.where(y, "u", "v"), np.arange(60) % 3 + 1
    twice = frame.loc[frame.index.repeat(frame["w"])].drop(columns="w")
    for make in COUNTING.values():
        if make().task != "classifier":
            continue
        learned = make().fit(tl.table(frame, target="y", weight="w"))
        assert learned.predict(frame).tolist() == make().fit(twice, "y").predict(frame).tolist()
        by_importance = make().fit(tl.table(frame, target="y", importance="w"))
        as_sample = make().fit(frame, "y", sample_weight="w")
        assert by_importance.predict(frame).tolist() == as_sample.predict(frame).tolist()


def test_m5_smooths_and_prunes_by_rows() -> None:
    frame, y, weight = weighted(5)
    model = tl.M5().fit(frame, y + 0.0, sample_weight=weight).model_
    tree = model.tree
    for i in range(1, len(tree)):
        n = tree.rows[i]
        assert model.own[i] == pytest.approx(model.own[tree.parent[i]] * n / (n + 15.0))
    assert (tree.test == LEAF).any()
