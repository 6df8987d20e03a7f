"""Rare values: of a category with many values, those that few rows of a node have go together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.models.trees.growing.coded_columns import code_columns
from tallylearn.models.trees.growing.grower import grow_by_impurity
from tallylearn.models.trees.growing.node_target import of_classes, of_measures
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.growing.split_search import CodeTable, splits
from tallylearn.models.trees.node import LEAF, SUBSET
from tallylearn.tables import CATEGORY, NUMBER, Block, Codes, Column, Schema
from tests.conftest import DATA
from tests.models.trees.python_grower import grow_in_python
from tests.soak import SOAK, some

N = 600


def table(n: int = N, seed: int = 3) -> pd.DataFrame:
    """Two numbers and a category that tell a class and a price, with some noise."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "x": rng.normal(size=n),
        "z": rng.normal(size=n),
        "c": rng.choice([*"uvw"], n),
    })  # fmt: skip
    rank = frame["x"] + 0.5 * frame["z"] + (frame["c"] == "u") + 0.2 * rng.normal(size=n)
    frame["kind"] = np.where(rank > 1, "high", np.where(rank > 0, "middle", "low"))
    frame["price"] = rank
    return frame


def noise(n: int, levels: int | None) -> Any:
    rng = np.random.default_rng(8)
    if levels is None:
        return [f"id{i:05d}" for i in rng.permutation(n)]
    return [f"level{i}" for i in rng.integers(levels, size=n)]


CLASSIFIERS = {
    "gini": tl.DecisionTreeClassifier(),
    "entropy": tl.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=3),
    "gain ratio": tl.DecisionTreeClassifier(criterion="gain_ratio"),
    "bins": tl.DecisionTreeClassifier(bins=64),
    "in parts": tl.DecisionTreeClassifier(missing="fractional", max_depth=6),
    "pruned": tl.DecisionTreeClassifier(pruning="pessimistic"),
    "random": tl.DecisionTreeClassifier(splitter="random", random_state=1),
}
REGRESSORS = {
    "squares": tl.DecisionTreeRegressor(),
    "medians": tl.DecisionTreeRegressor(criterion="absolute_error", min_samples_leaf=5),
    "deviations": tl.DecisionTreeRegressor(criterion="sdr"),
    "model tree": tl.ModelTreeRegressor(),
}


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        (name, levels)
        for at, name in enumerate([*CLASSIFIERS, *REGRESSORS])
        for levels in some([None, 1000], 2, at % 2)
    ],
)
def test_a_column_of_noise_costs_a_tree_a_point_at_most(name: str, levels: int | None) -> None:
    frame = table()
    learner: Any = (CLASSIFIERS | REGRESSORS)[name]
    y, score = (frame["kind"], "accuracy") if name in CLASSIFIERS else (frame["price"], "r2")
    X = frame[["x", "z", "c"]]
    folds = tl.Folds.k(5, stratified=False)
    plain, noisy = (
        tl.evaluate(learner, table, y, cv=folds, scores=[score])[score].value
        for table in (X, X.assign(noise=noise(N, levels)))
    )
    assert plain > 0.75
    assert noisy >= plain - 0.01


def test_values_are_ordered_by_shares_smoothed_towards_the_nodes() -> None:
    """Three values with rows enough, and 70 rare ones, by hand.

    The node has 240 rows, 88 of them p. Shares of p: a 20/20, b 46/80, d 2/40, the rare ones 20/100
    together. With 20 rows of the node's share, 22/60, they are 0.683, 0.533, 0.156 and 0.228: a, b,
    rare, d. With 1000 rows they are 0.379, 0.382, 0.355 and 0.352: b, a, d, rare.
    """
    names = ["a"] * 20 + ["b"] * 80 + ["d"] * 40 + [f"r{i % 70:02d}" for i in range(100)]
    y = ["p"] * 20 + ["p"] * 46 + ["q"] * 34 + ["p"] * 2 + ["q"] * 38
    y += ["p"] * 20 + ["q"] * 80
    frame = pd.DataFrame({"c": names})
    rare = frozenset(f"r{i:02d}" for i in range(70))

    def sides(smoothing: float, **options: Any) -> set[frozenset[str]]:
        tree = tl.DecisionTreeClassifier(
            max_depth=1, min_samples_category=20, category_smoothing=smoothing, **options
        )
        gains = tree.set_params(keep_rows=True).fit(frame, y).gains()
        return {frozenset(c.test[4:-1].split(", ")) for c in gains}

    left = {frozenset("a"), frozenset("ab"), frozenset("ab") | rare}
    assert sides(20.0) == left
    assert sides(0.0) == left
    assert sides(1000.0) == {frozenset("ad") | rare, frozenset("ab"), frozenset("abd")}


def test_what_is_rare_or_unknown_goes_one_way() -> None:
    frame = pd.DataFrame({"c": ["a"] * 60 + ["b"] * 60 + [f"r{i:03d}" for i in range(80)]})
    y = [5.0] * 60 + [1.0] * 60 + [2.0] * 80
    tree = tl.DecisionTreeRegressor(max_depth=1).fit(frame, y)
    rows = pd.DataFrame({"c": ["a", "b", "r001", "never seen"]})
    assert tree.predict(rows) == pytest.approx([5.0, 11 / 7, 11 / 7, 11 / 7])
    assert tree.tree_.node(0).absent == ()
    assert [branch.others for branch in tree.tree_.branches(0)] == [False, True]
    assert "or any other}" in str(tree)
    exact = tl.DecisionTreeRegressor(max_depth=1, min_samples_category=1).fit(frame, y)
    assert exact.predict(rows)[3] == exact.tree_.answer[0]


@pytest.mark.parametrize("missing", ["branch", "node", "global", "fractional"])
def test_all_that_is_told_of_a_tree_sends_other_values_as_it_does(
    missing: str, tmp_path: Any
) -> None:
    rng = np.random.default_rng(0)
    frame = table(800)[["x", "kind"]].assign(c=noise(800, 90))
    shift = {f"level{i}": i % 3 for i in range(90)}
    frame["kind"] = [*map(str, frame["c"].map(shift) + (frame["x"] > 0))]
    frame.loc[rng.random(800) < 0.1, "c"] = None
    options = {"min_samples_category": 6, "missing": missing, "max_depth": 5, "keep_rows": True}
    tree = tl.DecisionTreeClassifier(**options).fit(frame, "kind")
    assert ((tree.tree_.others >= 0) & (tree.tree_.test == SUBSET)).sum() > 1
    rows = frame.drop(columns="kind").iloc[:60]
    rows = pd.concat([rows, rows.iloc[:20].assign(c="new"), rows.iloc[:5].assign(c=None)])
    said = tree.predict(rows).tolist()
    tree.save(tmp_path / "tree.tally")
    assert tl.load(tmp_path / "tree.tally").predict(rows).tolist() == said
    program: dict[str, Any] = {}
    exec(tree.rules().to_python(), program)
    assert [program["predict"](row) for row in rows.to_dict("records")] == said
    explained = [evidence.chosen for evidence in tree.explain(rows)]
    assert explained == said
    ends = tree.apply(rows)
    for i in [*{*ends.tolist()}][:5]:
        tree.gains(int(i))  # the rows that came to a node are found again
    pruned = tree.model_.without([int(tree.tree_.children(0)[0])])
    assert pruned.other(0) >= 0 or tree.tree_.other(0) < 0


def test_raised_subtrees_keep_the_way_of_other_values() -> None:
    rng, n = np.random.default_rng(2), 700
    frame = pd.DataFrame({
        "x": rng.normal(size=n), "z": rng.normal(size=n),
        "c": [f"v{i}" for i in rng.integers(80, size=n)],
    })  # fmt: skip
    odd = np.array([int(name[1:]) % 2 for name in frame["c"]])
    chance = rng.random(n) < 0.25
    y = np.where(chance, rng.integers(2, size=n), np.where(frame["x"] < 0, odd, frame["z"] > 0))
    learner = tl.DecisionTreeClassifier(
        min_samples_category=5, pruning="pessimistic", keep_rows=True
    )
    tree = learner.fit(frame, y)
    stages = tree.prunings().stages
    assert any(cut.raised >= 0 for stage in stages for cut in stage.cuts)
    others, asks = tree.tree_.others, np.flatnonzero(tree.tree_.others >= 0)
    assert len(asks) > 2
    assert (tree.tree_.parent[others[asks]] == asks).all()
    ends = tree.apply(frame.assign(c="new"))
    assert (tree.tree_.test[ends] == LEAF).mean() > 0.9


@pytest.mark.parametrize("kind", ["two classes", "three classes", "measures"])
@pytest.mark.parametrize("weighed", [False, True])
def test_the_kernel_grows_the_tree_that_is_grown_by_hand(kind: str, weighed: bool) -> None:
    for seed in range(12 if SOAK else 4):
        rng, n = np.random.default_rng(seed), 90
        schema = Schema((Column("c", CATEGORY), Column("d", CATEGORY), Column("x", NUMBER)))
        codes = {
            name: Codes.of([f"{name}{i:02d}" for i in np.sqrt(rng.integers(0, 400, n)).astype(int)])
            for name in "cd"
        }
        weight = rng.integers(1, 4, n).astype(float) if weighed else None
        block = Block(schema, rng.integers(0, 9, (n, 1)).astype(float), codes, {}, None, weight)
        target = of_measures(rng.normal(size=n), weight)
        if kind != "measures":
            letters = [*"pqr"[: 2 + (kind == "three classes")]]
            target = of_classes(Codes.of(rng.choice(letters, n).tolist()), weight)
        criterion = "variance" if kind == "measures" else "gini"
        plan = TreePlan(criterion, min_category=5, most_values=0, smoothing=float(seed % 4))
        one, two = (
            grow(code_columns(block), target, plan) for grow in (grow_by_impurity, grow_in_python)
        )
        assert (one.others >= 0).sum() > 1
        for name in ("parent", "test", "column", "missing", "ends", "codes", "leads", "others"):
            assert np.array_equal(getattr(one, name), getattr(two, name)), name


def test_the_branches_of_a_question_hold_the_lines_of_their_groups() -> None:
    rng = np.random.default_rng(1)
    target = of_classes(Codes.of(rng.choice([*"pq"], 60).tolist()), None)
    lines = target.lines(np.arange(60), target.units)
    column = CodeTable.of(rng.integers(0, 20, 60), lines, 20, False)
    plan = TreePlan(min_category=4, most_values=0, smoothing=2.0)
    found = splits(0, column, lines.sum(axis=0), plan, target)
    assert len(found) > 3
    for q in found:
        sums = [column.lines[q.groups == b].sum(axis=0).tolist() for b in range(2)]
        assert q.branches.tolist() == sums
        assert {*q.groups[column.lines.sum(axis=1) < 4].tolist()} == {q.cut}


@pytest.mark.parametrize(
    ("n", "levels"), [(49, 49), (800, 64)], ids=["a small table", "a category of 64 values"]
)
def test_few_values_or_few_rows_are_asked_for_as_ever(n: int, levels: int) -> None:
    frame = table(n)
    frame["c"] = [f"v{i % levels:02d}" for i in range(n)]
    for learner, y in (
        (tl.DecisionTreeClassifier, "kind"), (tl.DecisionTreeRegressor, "price")
    ):  # fmt: skip
        X = frame[["x", "z", "c"]]
        one, two = (learner(min_samples_category=m).fit(X, frame[y]) for m in (1, 20))
        assert str(one.text()) == str(two.text())
        assert not len(two.tree_.others)


def test_a_tree_with_rare_values_is_the_same_for_any_order_and_by_bins() -> None:
    frame = table(700).assign(c=noise(700, 90)).drop(columns="price")
    trees = [
        tl.DecisionTreeClassifier(min_samples_category=5, bins=bins)
        .fit(frame.sample(frac=1, random_state=seed), "kind").text()
        for seed, bins in ((0, None), (1, None), (2, 700), (3, 700))
    ]  # fmt: skip
    assert len({*trees}) == 1


def test_c45_and_id3_stay_as_they_are() -> None:
    frame = table().drop(columns="price").assign(c=noise(N, 90))
    for make in (tl.C45, tl.ID3):
        one, two = (make(min_samples_category=m).fit(frame, "kind").text() for m in (1, 20))
        assert one == two
    c45 = tl.C45(category_split="subset", min_samples_category=20).fit(frame, "kind")
    assert not len(c45.tree_.others)


def test_a_model_tree_takes_rare_values_for_gaps_and_says_which(tmp_path: Any) -> None:
    rng = np.random.default_rng(2)
    frame = table(500)[["x", "price"]].assign(c=rng.choice([*"abcd"], 500))
    few = rng.choice(500, 80, replace=False)
    frame.loc[few, "c"] = [f"r{i:02d}" for i in range(80)]
    slope = frame["c"].map({"a": 5.0, "c": 5.0}).fillna(-5.0)
    frame["price"] = slope * frame["x"] + 20 * (slope > 0) + 0.1 * frame["price"]
    tree = tl.ModelTreeRegressor().fit(frame, "price")
    assert (tree.model_.tree.test == SUBSET).any()
    assert tree.rare_values_ == {"c": tuple(f"r{i:02d}" for i in range(80))}
    working = " ".join(str(tree.show_work()).split())
    assert "Column 'c' has 80 rare values, which are filled in like missing ones: 'r00'" in working
    by_hand = frame.copy()
    by_hand.loc[few, "c"] = None
    gapped = tl.ModelTreeRegressor(category_smoothing=0.0).fit(by_hand, "price")
    plain = tl.ModelTreeRegressor(category_smoothing=0.0).fit(frame, "price")
    assert np.array_equal(plain.predict(frame), gapped.predict(by_hand))
    rows = frame.head(80).drop(columns="price")
    for value in ("r07", "never seen"):
        assert np.array_equal(tree.predict(rows.assign(c=value)), tree.predict(rows.assign(c=None)))
    tree.save(tmp_path / "m5.tally")
    again = tl.load(tmp_path / "m5.tally")
    assert again.rare_values_ == tree.rare_values_
    assert np.array_equal(again.predict(frame), tree.predict(frame))


@pytest.mark.parametrize("name", ["tree", "regression-tree", "m5-as-m5p"])
def test_a_file_from_before_grows_as_it_did(name: str) -> None:
    assert tl.load(DATA / "models" / f"{name}.tally").min_samples_category == 1
