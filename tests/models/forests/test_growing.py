"""Forests grow as single trees do, from bags that nothing but the seed decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import modelfile
from tallylearn.kernels.trees import bagged_rows
from tallylearn.models.forests import bootstrap, forest_grower, packed_trees
from tallylearn.models.forests.prediction_arrays import arrays_of
from tallylearn.models.trees import nodes, routing
from tallylearn.models.trees.growing import coded_columns, grower
from tests.kernels.test_oracle import uncompiled

N = 600
COLUMNS = ["length", "width", "colour", "shape", "heavy"]


def table(gaps: float = 0.0, n: int = N) -> pd.DataFrame:
    """Numbers without ties and a category, some of them missing."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.gamma(2, 1, n)}
    )
    frame["kind"] = rng.choice([*"pqrst"], n)
    score = frame["a"] * frame["b"] + frame["c"] + (frame["kind"] > "q") + rng.normal(size=n)
    for name in ("a", "kind"):
        frame[name] = frame[name].where(rng.random(n) >= gaps, None)
    frame["two"] = np.where(score > 2, "yes", "no")
    frame["three"] = np.select([score > 3, score > 1.5], ["high", "mid"], "low")
    frame["y"] = score
    return frame


def one_tree(learner: Any, frame: pd.DataFrame, target: str, **options: Any) -> Any:
    """A forest of one tree that sees every row and every column."""
    given = {"bootstrap": False, "max_features": None, "max_depth": 4, "bins": 60} | options
    return learner(1, **given).fit(frame[["a", "b", "c", "kind", target]], target)


@pytest.mark.parametrize("gaps", [0.0, 0.15])
@pytest.mark.parametrize(
    ("forest_of", "tree_of", "target", "options"),
    [
        (tl.RandomForestClassifier, tl.DecisionTreeClassifier, "two", {}),
        (tl.RandomForestClassifier, tl.DecisionTreeClassifier, "three", {}),
        (tl.RandomForestClassifier, tl.DecisionTreeClassifier, "two", {"criterion": "entropy"}),
        (tl.RandomForestClassifier, tl.DecisionTreeClassifier, "three", {"missing": "node"}),
        (tl.RandomForestClassifier, tl.DecisionTreeClassifier, "two", {"missing": "class"}),
        (tl.RandomForestClassifier, tl.DecisionTreeClassifier, "two", {"class_weight": {"no": 3}}),
        (tl.RandomForestClassifier, tl.DecisionTreeClassifier, "two", {"min_samples_leaf": 9}),
        (tl.RandomForestClassifier, tl.DecisionTreeClassifier, "two", {"max_leaf_nodes": 5}),
        (tl.RandomForestClassifier, tl.DecisionTreeClassifier, "two", {"ccp_alpha": 0.005}),
        (
            tl.RandomForestClassifier,
            tl.DecisionTreeClassifier,
            "three",
            {"category_split": "multiway"},
        ),
        (tl.RandomForestRegressor, tl.DecisionTreeRegressor, "y", {}),
        (tl.RandomForestRegressor, tl.DecisionTreeRegressor, "y", {"min_samples_leaf": 9}),
        (tl.RandomForestRegressor, tl.DecisionTreeRegressor, "y", {"missing": "global"}),
        (tl.RandomForestRegressor, tl.DecisionTreeRegressor, "y", {"criterion": "sdr"}),
    ],
)
def test_a_tree_of_all_rows_and_columns_is_the_single_tree(
    forest_of: Any,
    tree_of: Any,
    target: str,
    options: dict[str, Any],
    gaps: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forest_grower, "TIE", "first")
    frame = table(gaps)
    found = one_tree(forest_of, frame, target, **options).model_
    given = {"max_depth": 4, "bins": 60} | options
    tree = tree_of(**given).fit(frame[["a", "b", "c", "kind", target]], target).model_
    stem = arrays_of(tree)
    assert len(tree) > 5
    assert found.steps.tolist() == stem.steps.tolist()
    assert found.threshold.tolist() == stem.threshold.tolist()
    assert found.leads.tolist() == stem.leads.tolist()
    assert found.node_values.tolist() == stem.node_values.tolist()
    assert found.gained.tolist() == stem.gained.tolist()


@pytest.mark.parametrize(
    ("make", "target"),
    [
        (lambda: tl.RandomForestClassifier(3), "two"),
        (lambda: tl.RandomForestClassifier(3, max_samples=0.5), "three"),
        (lambda: tl.RandomForestRegressor(3, max_features=2), "y"),
        (lambda: tl.RandomForestRegressor(3), "y"),
        (lambda: tl.ExtraTreesClassifier(3), "three"),
        (lambda: tl.ExtraTreesRegressor(3, bins=40), "y"),
    ],
)
def test_threads_blocks_and_the_order_of_trees_change_no_bit(
    make: Any, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = table(0.1)[["a", "b", "c", "kind", target]]
    with tl.engine(threads=1):
        one = make().fit(frame, target)
    with tl.engine(threads=2):
        two = make().fit(frame, target)
    assert modelfile.digests(one) == modelfile.digests(two)
    with monkeypatch.context() as patch:
        patch.setattr(forest_grower, "MAX_BATCH_ROWS", 1)
        assert modelfile.digests(make().fit(frame, target)) == modelfile.digests(one)
    more = make().set_params(n_estimators=5).fit(frame, target).model_
    first = slice(0, int(more.roots[3]))
    assert more.node_values[first].tolist() == one.model_.node_values.tolist()
    assert more.steps[first].tolist() == one.model_.steps.tolist()


@pytest.mark.parametrize("columns", [["kind", "more"], ["a", "b"], ["a", "kind"]])
@pytest.mark.parametrize(
    ("make", "target"),
    [
        (tl.RandomForestRegressor, "y"),
        (tl.RandomForestClassifier, "three"),
        (tl.ExtraTreesClassifier, "two"),
    ],
)
def test_forests_of_categories_numbers_or_both_are_the_same_with_any_threads(
    make: Any, target: str, columns: list[str]
) -> None:
    frame = table(0.1).assign(more=lambda rows: rows["kind"].shift(3))[[*columns, target]]
    found = []
    for threads in (1, 2, 3, 4):
        with tl.engine(threads=threads):
            found.append(make(6).fit(frame, target))
    assert all(modelfile.digests(each) == modelfile.digests(found[0]) for each in found)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bins": None},
        {"bins": 9, "bootstrap": False},
        {"min_samples_leaf": 4},
        {"missing": "node"},
        {"missing": "global", "min_weight_fraction_leaf": 0.01},
        {"criterion": "poisson"},
        {"category_split": "multiway", "monotonic_cst": {"b": 1}},
    ],
)
def test_what_nodes_inherit_from_their_parents_changes_no_bit(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = table(0.1, 1500)[["a", "b", "c", "kind", "y"]]
    frame["b"], frame["y"] = frame["b"].round(1), frame["y"].abs().round(2)
    found = {}
    found["as it is"] = modelfile.digests(tl.RandomForestRegressor(3, **options).fit(frame, "y"))
    monkeypatch.setattr(forest_grower, "MAX_LISTED_ROWS", 0)
    for listed, slots in ((256, 32), (2000, 0), (40, 32), (40, 2), (3, 1), (0, 32), (0, 0)):
        monkeypatch.setattr(forest_grower, "MIN_LISTED_ROWS", listed)
        monkeypatch.setattr(forest_grower, "SLOTS", slots)
        forest = tl.RandomForestRegressor(3, **options).fit(frame, "y")
        found[listed, slots] = modelfile.digests(forest)
    monkeypatch.setattr(
        forest_grower.inherited_rows, "InheritedRows", lambda *a: bagged_rows.BaggedRows(*a[:4])
    )
    counted = modelfile.digests(tl.RandomForestRegressor(3, **options).fit(frame, "y"))
    assert all(one == counted for one in found.values())


@pytest.mark.parametrize(
    ("make", "target"),
    [
        (lambda: tl.RandomForestClassifier(2), "kind"),
        (lambda: tl.RandomForestClassifier(2, criterion="entropy", missing="class"), "heavy2"),
        (lambda: tl.RandomForestClassifier(2, class_weight="balanced", bins=9), "kind"),
        (lambda: tl.RandomForestRegressor(2, max_features=2), "price"),
        (lambda: tl.RandomForestRegressor(2), "price"),
        (lambda: tl.ExtraTreesClassifier(2), "kind"),
        (lambda: tl.ExtraTreesRegressor(2, missing="node", bins=9), "price"),
    ],
)
def test_a_forest_of_interpreted_kernels_is_the_same(
    make: Any, target: str, mixed: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forest_grower, "MIN_LISTED_ROWS", 15)
    monkeypatch.setattr(forest_grower, "MAX_LISTED_ROWS", 0)
    frame = mixed[[*COLUMNS, target]][:60]
    compiled = make().fit(frame, target)
    predicted = compiled.predict(mixed[COLUMNS]).tolist()
    uncompiled(
        monkeypatch, bootstrap, packed_trees, forest_grower, grower, coded_columns, nodes, routing
    )
    again = make().fit(frame, target)
    assert modelfile.digests(again) == modelfile.digests(compiled)
    assert again.predict(mixed[COLUMNS]).tolist() == predicted


@pytest.mark.parametrize("options", [{}, {"min_samples_leaf": 4}, {"costs": {"x0": 2.0}}])
def test_many_codes_of_two_classes_are_counted_alike_by_interpreted_kernels(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(700, 2))
    y = (rows[:, 0] + rng.normal(size=700) > 0).astype(int)
    made = tl.RandomForestClassifier(2, max_depth=4, max_features=None, **options)
    compiled = modelfile.digests(made.fit(rows, y))
    uncompiled(
        monkeypatch, bootstrap, packed_trees, forest_grower, grower, coded_columns, nodes, routing
    )
    assert modelfile.digests(made.fit(rows, y)) == compiled


@pytest.mark.parametrize("leaf", [9, 20])
@pytest.mark.parametrize("bins", [4095, 8000, None])
def test_a_forest_finds_the_best_of_thousands_of_thresholds(bins: int | None, leaf: int) -> None:
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(3000, 4))
    rows[:, 3] = rows[:, 3].round(1)
    y = (rows[:, 0] * rows[:, 1] + rng.normal(size=3000) > 0.3).astype(int)
    options: dict[str, Any] = {"max_depth": 5, "min_samples_leaf": leaf}  # few nodes tie
    tree = tl.DecisionTreeClassifier(**options).fit(rows, y)
    forest = tl.RandomForestClassifier(
        1, bootstrap=False, max_features=None, bins=bins, **options
    ).fit(rows, y)
    assert forest[0].get_n_leaves() > 20
    assert np.array_equal(forest[0].model_.threshold, tree.model_.threshold, equal_nan=True)
    assert np.array_equal(forest.apply(rows)[:, 0], tree.apply(rows))


@pytest.mark.parametrize(
    ("make", "target"),
    [
        (lambda: tl.RandomForestClassifier(4), "two"),
        (lambda: tl.RandomForestRegressor(4, max_features=0.5), "y"),
        (lambda: tl.ExtraTreesClassifier(4), "two"),
        (lambda: tl.DecisionTreeClassifier(max_features="sqrt"), "two"),
        (lambda: tl.DecisionTreeClassifier(max_features=2, splitter="random"), "two"),
    ],
)
def test_nodes_draw_among_columns_that_can_be_asked(make: Any, target: str) -> None:
    frame = table(0.1)[["a", "b", "c", "kind", target]]
    names = [f"u{at:04d}" for at in np.random.default_rng(1).permutation(N)]
    beside = frame.assign(empty=None, number=names)[["number", "empty", *frame.columns]]
    beside = beside.assign(**{f"id{at}": names for at in range(6)})
    alone, more = make().fit(frame, target), make().fit(beside, target)
    kinds = {column.name: column.kind for column in more.schema_.columns}
    assert (kinds["number"], kinds["id5"]) == ("identifier", "identifier")
    said = [
        one.predict_proba if hasattr(one, "predict_proba") else one.predict for one in (alone, more)
    ]
    assert (
        said[0](frame.drop(columns=target)).tolist()
        == said[1](beside.drop(columns=target)).tolist()
    )


def test_how_often_a_row_is_drawn_is_poisson() -> None:
    found = bootstrap.BootstrapSamples(np.zeros(20_000, np.int32), 1.0, 3)
    times = (found.entries(0) >> 32) & 255
    seen = np.bincount(np.append(times, np.zeros(20_000 - len(times), int)))[:4] / 20_000
    assert seen == pytest.approx([0.3679, 0.3679, 0.1839, 0.0613], abs=0.012)
    assert times.sum() == pytest.approx(20_000, rel=0.03)
    half = bootstrap.BootstrapSamples(np.zeros(20_000, np.int32), 0.5, 3)
    assert ((half.entries(0) >> 32) & 255).sum() == pytest.approx(10_000, rel=0.03)


def test_no_two_trees_have_one_bag_and_every_row_is_left_out_by_some() -> None:
    found = bootstrap.BootstrapSamples(np.zeros(50, np.int32), 1.0, 0)
    out = [set(found.find_out_of_bag_rows(t).tolist()) for t in range(30)]
    assert len({frozenset(rows) for rows in out}) == 30
    assert set().union(*out) == {*range(50)}


def test_a_bag_without_any_row_has_all_of_them() -> None:
    found = bootstrap.BootstrapSamples(np.zeros(1, np.int32), 1.0, 0)
    assert [len(found.entries(t)) for t in range(20)] == [1] * 20


def test_a_row_that_is_in_the_bag_twice_counts_as_two_rows() -> None:
    y = np.array(["u"] * 3 + ["v"])
    forest = tl.RandomForestClassifier(60, max_depth=0).fit(np.zeros((4, 1)), y).model_
    found = bootstrap.BootstrapSamples((y == "v").astype(np.int32), 1.0, 0)
    for t, root in enumerate(forest.roots.tolist()):
        entries = found.entries(t)
        times = (entries >> 32) & 255
        assert forest.node_values[root, 1] == pytest.approx(
            times[entries >> 40 == 1].sum() / times.sum()
        )


def test_a_row_that_is_in_the_bag_twice_can_be_split_off_once() -> None:
    """``min_samples_split`` counts different rows, ``min_samples_leaf`` all of the bag."""
    rows, y = [[0.0], [1.0], [1.0], [1.0]], [*"abbb"]
    forest = tl.RandomForestClassifier(40, min_samples_split=3).fit(rows, y)
    leaf = tl.RandomForestClassifier(40, min_samples_leaf=2).fit(rows, y)
    for t, bag in enumerate(forest.estimators_samples_):
        times = np.bincount(bag, minlength=4)
        mixed = times[0] > 0 and times[1:].sum() > 0
        split = forest.estimators_[t].get_n_leaves() > 1
        assert split == (mixed and (times > 0).sum() >= 3)
        halves = min(times[0], times[1:].sum())
        assert (leaf.estimators_[t].get_n_leaves() > 1) == (halves >= 2)


def test_codes_beyond_the_marks_of_one_word_are_told_apart() -> None:
    x = np.arange(1000.0)
    y = (x >= 640).astype(int)
    forest = tl.RandomForestClassifier(5, bins=None).fit(x[:, None], y)
    assert forest.predict([[639.4], [640.6]]).tolist() == [0, 1]
    assert forest.score(x[:, None], y) == 1.0
