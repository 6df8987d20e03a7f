"""Trees by absolute error: medians in exact fractions, scikit-learn's trees, and any order."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

import tallylearn as tl
from tallylearn import modelfile
from tallylearn.kernels.trees.running_medians import sweep as compiled_sweep
from tallylearn.models.trees.growing import absolute_error, absolute_error_grower, grower
from tallylearn.models.trees.growing.absolute_error_grower import grow_by_medians
from tallylearn.models.trees.growing.coded_columns import CodedColumns
from tallylearn.models.trees.growing.node_target import Target, of_measures
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.tree import Tree
from tests.kernels.test_oracle import interpreted, uncompiled
from tests.models.trees.oracle import Options, Oracle, decimal
from tests.models.trees.python_grower import grow_in_python
from tests.models.trees.test_c45 import same
from tests.models.trees.test_growing import agree, floats, weights_for_both
from tests.models.trees.test_oracle import OPTIONS, check, ours, tables
from tests.soak import pairs

MIXED = ["length", "width", "colour", "shape", "heavy"]


def robust(**options: Any) -> tl.DecisionTreeRegressor:
    return tl.DecisionTreeRegressor(criterion="absolute_error", **options)


def middle(pairs: list[tuple[Fraction, Fraction]]) -> Fraction:
    """The weighted median: the mean of two, where half of the weight is at most the first."""
    half, so_far = sum(w for _, w in pairs) / 2, Fraction(0)
    pairs = sorted(pair for pair in pairs if pair[1])
    for at, (value, weight) in enumerate(pairs):
        so_far += weight
        if so_far == half:
            return (value + pairs[at + 1][0]) / 2
        if so_far > half:
            return value
    raise AssertionError


class Medians(Oracle):
    """The slow tree, around medians."""

    def median(self, share: Any) -> Fraction:
        return middle([(self.y[i], w) for i, w in share])

    def impurity(self, share: Any) -> Decimal:
        n = self.total(share)
        if not n:
            return Decimal(0)
        centre = self.median(share)
        return decimal(sum((w * abs(self.y[i] - centre) for i, w in share), Fraction(0)) / n)

    def orders(self, pools: list[list[Any]], values: Any, share: Any) -> list[list[Any]]:
        mine = [self.median([s for s in share if values[s[0]] in pool]) for pool in pools]
        return [[pools[at] for at in sorted(range(len(pools)), key=lambda at: (mine[at], at))]]

    def question(self, *args: Any) -> dict[str, Any]:
        found = super().question(*args)
        return found | {"gain": max(found["gain"], Decimal(0))}  # below is the fortieth digit

    def grow(self, share: Any = None, depth: int = 0, *bounds: Any) -> dict[str, Any]:
        rows = [*enumerate(self.weight)] if share is None else share
        return super().grow(share, depth, *bounds) | {"median": self.median(rows)}


def both(
    table: dict[str, Any], options: Options, grow: Any = grow_in_python
) -> tuple[Tree, dict[str, Any]]:
    options = replace(options, criterion="variance")  # measures, not classes
    rows = [list(row) for row in zip(*table["columns"], strict=True)]
    weight = table["weight"] or [1] * len(rows)
    y = [Fraction(value) for value in table["y"]]

    def by_medians(columns: CodedColumns, target: Target, plan: TreePlan) -> Tree:
        parts, measures = plan.missing == "fractional", np.array(table["y"], dtype=float)
        target = of_measures(measures, np.array(weight, dtype=float), False, parts, True)
        return grow(columns, target, replace(plan, criterion="absolute_error"))

    tree = ours(table, options, by_medians)
    return tree, Medians(rows, y, weight, table["kinds"], options).grow()


def answers(node: dict[str, Any]) -> list[float]:
    """Medians in pre-order."""
    found = [float(node["median"])]
    for child in node.get("children", {}).values():
        found += answers(child)
    return found


@pytest.mark.parametrize("grow", [grow_by_medians, grow_in_python])
@given(table=tables(regression=True), options=OPTIONS)
def test_every_node_is_the_oracles(table: dict[str, Any], options: Options, grow: Any) -> None:
    missing = "node" if options.missing == "class" else options.missing
    options = replace(options, missing=missing)
    tree, expected = both(table, options, grow)
    check(tree, 0, expected, options)
    assert sorted(tree.answer.tolist()) == sorted(answers(expected))


@pytest.mark.parametrize("grow", [grow_by_medians, grow_in_python])
@given(table=tables(regression=True), options=OPTIONS, min_category=st.integers(2, 4))
def test_rare_values_stand_together_as_the_oracles_do(
    table: dict[str, Any], options: Options, min_category: int, grow: Any
) -> None:
    missing = "node" if options.missing == "class" else options.missing
    options = replace(options, missing=missing, category_split="subset", min_category=min_category)
    tree, expected = both(table, options, grow)
    check(tree, 0, expected, options)
    assert sorted(tree.answer.tolist()) == sorted(answers(expected))


@given(table=tables(regression=True), options=OPTIONS)
def test_rows_in_parts_are_the_oracles(table: dict[str, Any], options: Options) -> None:
    """Of one branch a category: parts are rounded, and an order by medians may turn on a bit."""
    options = replace(
        options, missing="fractional", min_leaf=1, max_depth=3, category_split="multiway"
    )
    for grow in (grow_by_medians, grow_in_python):
        tree, expected = both(table, options, grow)
        check(tree, 0, expected, options)


@given(
    rows=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=30),
    data=st.data(),
)
def test_the_kernel_sums_as_fractions_do(rows: list[tuple[int, int]], data: st.DataObject) -> None:
    values = np.array([-9, -4, 0, 1, 2, 30, 31])
    ends = sorted(data.draw(st.sets(st.integers(1, len(rows)), min_size=1)))
    ranks, units = (np.array(part, dtype=np.int64) for part in zip(*rows, strict=True))
    expected = []
    for end in ends:
        pairs = [(Fraction(int(values[r])), Fraction(w)) for r, w in rows[:end]]
        centre = middle(pairs) if any(w for _, w in pairs) else 0
        expected.append(sum(w * abs(y - centre) for y, w in pairs))
    for sweep in (compiled_sweep, interpreted("trees.running_medians").sweep):
        out = np.zeros(len(ends), np.int64)
        sweep(ranks, units, values, np.array(ends), np.zeros((2, 8), np.int64), out)
        assert out.tolist() == expected


@pytest.mark.parametrize("options", [{}, {"max_depth": 4}, {"min_samples_leaf": 7}], ids=str)
@pytest.mark.parametrize("weighed", [False, True])
def test_trees_are_scikit_learns(options: dict[str, Any], weighed: bool) -> None:
    X, y = load_diabetes(return_X_y=True)
    X = floats(X * 100)
    weight = weights_for_both(len(y), 0) if weighed else None
    mine = robust(**options).fit(X, y, sample_weight=weight)
    theirs = DecisionTreeRegressor(criterion="absolute_error", **options)
    assert agree(mine.tree_, theirs.fit(X, y, sample_weight=weight).tree_) > 12


def test_random_tables_give_scikit_learns_trees() -> None:
    same = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = floats(rng.normal(size=(1000, 5)))
        y = X[:, 0] * X[:, 1] + rng.standard_t(2, 1000)
        mine = robust(max_depth=7).fit(X, y)
        theirs = DecisionTreeRegressor(criterion="absolute_error", max_depth=7).fit(X, y)
        same += agree(mine.tree_, theirs.tree_)  # down to ties, and some come early
    assert same > 100


def test_the_pruning_path_and_the_importances_are_scikit_learns() -> None:
    X, y = load_diabetes(return_X_y=True)
    X = floats(X * 100)
    mine = robust(max_depth=2).fit(X, y)
    theirs = DecisionTreeRegressor(criterion="absolute_error", max_depth=2, random_state=0)
    assert not mine.ties()
    assert mine.feature_importances_ == pytest.approx(theirs.fit(X, y).feature_importances_)
    path = robust(max_depth=2).cost_complexity_pruning_path(X, y)
    expected = theirs.cost_complexity_pruning_path(X, y)
    assert path.ccp_alphas == pytest.approx(expected.ccp_alphas)
    assert path.impurities == pytest.approx(expected.impurities)


@pytest.mark.parametrize("missing", ["side", "branch", "node", "global"])
def test_a_weight_is_a_row_repeated(missing: str, mixed: pd.DataFrame) -> None:
    weight = np.random.default_rng(1).integers(1, 4, len(mixed))
    again = mixed.loc[mixed.index.repeat(weight)]
    one = robust(missing=missing, max_depth=6).fit(
        mixed[MIXED], mixed["price"], sample_weight=weight.astype(float)
    )
    two = robust(missing=missing, max_depth=6).fit(again[MIXED], again["price"])
    assert str(one) == str(two)
    for name in ("answer", "impurity", "gain", "threshold", "n"):
        assert np.array_equal(getattr(one.tree_, name), getattr(two.tree_, name), equal_nan=True)


@pytest.mark.parametrize("missing", ["side", "branch", "node", "global", "fractional"])
@pytest.mark.parametrize("split", ["subset", "multiway"])
def test_any_order_of_the_rows_gives_the_same_bits(
    missing: str, split: str, mixed: pd.DataFrame
) -> None:
    table = mixed[[*MIXED, "price"]][:120]
    make = robust(missing=missing, category_split=split)
    before = modelfile.digests(make.fit(table, "price"))
    for seed in range(2):
        shuffled = table.sample(frac=1, random_state=seed)
        assert modelfile.digests(make.fit(shuffled, "price")) == before


def test_a_leaf_answers_with_the_median_of_its_rows_to_the_bit() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 2)), rng.normal(size=300) * 1e-3 + 0.1
    tree = robust(max_depth=4).fit(X, y)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        assert tree.tree_.answer[leaf] == median(y[leaves == leaf].tolist())


def test_every_view_tells_of_medians_and_absolute_errors(tmp_path: Path) -> None:
    X, y = [[1], [2], [3], [4], [5]], [5.0, 5, 9, 10, 900]
    tree = robust(min_samples_leaf=2, keep_rows=True).fit(X, y)
    assert "x0 > 2.5: 10 ± 297  [3 rows]" in str(tree)
    assert "absolute_error 180" in str(tree.gains())
    assert tree.gains()["x0"].gain == tree.tree_.gain[0] == (900 - 891) / 5
    assert next(iter(tree.explain(X))).lines[0].terms[0].value == "median of all"
    assert [row.chosen for row in tree.explain(X)] == tree.predict(X).tolist() == [5, 5, 10, 10, 10]
    rules = tree.rules()
    assert [rule.interval for rule in rules] == [None, None]  # a t interval is one of a mean
    assert "absolute error" in rules.to_markdown()
    assert rules[1].to_dict()["absolute_error"] == 297
    tree.save(tmp_path / "tree.tally")
    again = tl.load(tmp_path / "tree.tally")
    assert str(again) == str(tree)
    assert str(again.gains(0, X, y)) == str(tree.gains())


@pytest.mark.parametrize("options", [{"missing": "fractional"}, {"tie": "random"}], ids=str)
def test_an_interpreted_kernel_grows_the_same_tree(
    options: dict[str, Any], mixed: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = mixed[[*MIXED, "price"]][:60]
    compiled = modelfile.digests(robust(**options).fit(table, "price"))
    uncompiled(monkeypatch, absolute_error)
    assert modelfile.digests(robust(**options).fit(table, "price")) == compiled


def untidy(seed: int) -> tuple[pd.DataFrame, np.ndarray | None]:
    """Numbers and categories, ties, gaps; rows that weigh the same, some more, or anything."""
    draw = np.random.default_rng(seed)
    n = 20 + 15 * seed
    table = pd.DataFrame({
        "length": draw.normal(size=n), "size": draw.integers(0, 6, n).astype(float),
        "kind": draw.choice([*"pqrstuvw"], n), "width": draw.normal(size=n).round(1),
        "side": draw.choice(["left", "right"], n),
    })  # fmt: skip
    y = 2 * table["length"] + table["size"] * (table["kind"] == "q") + draw.standard_t(2, n)
    table = table.mask(draw.random(table.shape) < 0.15 * (seed % 3))
    weights = (
        None, draw.integers(1, 4, n).astype(float), draw.exponential(size=n) ** 3 + 1e-3,
        draw.integers(0, 3, n).astype(float),
    )  # fmt: skip
    return table.assign(price=y.round(1) if seed % 2 else y), weights[seed % 4]


@pytest.mark.parametrize(
    ("seed", "split", "missing"),
    pairs([0, 1, 5, 8, 11], ["subset", "multiway"], ["side", "branch", "node", "global"]),
)
def test_the_kernel_grows_the_tree_that_is_grown_by_hand(
    seed: int, split: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, weight = untidy(seed)
    model = robust(
        missing=missing, category_split=split, min_samples_leaf=1 + seed % 3,
        max_depth=4 if seed % 5 == 0 else None, min_impurity_decrease=0.01 * (seed % 4 == 0),
        min_weight_fraction_leaf=0.02 * (seed % 6 == 5),
    )  # fmt: skip
    grown = model.fit(table, "price", sample_weight=weight).tree_
    digest = modelfile.digests(model)
    assert len(grown) > 3
    order = np.random.default_rng(seed).permutation(len(table))
    mixed_up = None if weight is None else weight[order]
    with monkeypatch.context() as patch:
        uncompiled(patch, grower, absolute_error_grower)
        again = model.fit(table.iloc[order], "price", sample_weight=mixed_up)
        assert modelfile.digests(again) == digest
    monkeypatch.setattr(absolute_error_grower, "grow_by_medians", grow_in_python)
    same(grown, model.fit(table, "price", sample_weight=weight).tree_)


def test_a_deep_tree_needs_more_room_than_there_is_at_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = np.random.default_rng(0)
    table = pd.DataFrame({f"x{j}": draw.integers(0, 9, 900) for j in range(3)})
    table = table.astype({"x0": str}).assign(price=draw.integers(0, 50, 900))
    model = robust(category_split="multiway")
    grown = model.fit(table, "price").tree_
    assert len(grown) > 1000  # nodes, and as many leads and ties
    monkeypatch.setattr(absolute_error_grower, "grow_by_medians", grow_in_python)
    same(grown, model.fit(table, "price").tree_)


@pytest.mark.parametrize("missing", ["branch", "fractional"])
def test_weights_that_are_fractions_leave_the_fifth_digit_to_y(missing: str) -> None:
    draw = np.random.default_rng(3)
    far, near = draw.integers(0, 2, 400), draw.integers(0, 2, 400)
    y = np.where(far, 0.0, np.where(near, 1.2346, 1.2345))
    tree = robust(missing=missing).fit(
        np.column_stack([far, near]), y, sample_weight=draw.random(400)
    )
    assert tree.predict([[1, 0], [0, 0], [0, 1]]).tolist() == [0.0, 1.2345, 1.2346]


def test_gains_with_weights_that_are_fractions_are_those_of_fractions() -> None:
    draw = np.random.default_rng(4)
    x, y, w = np.arange(40), 1e4 + draw.normal(size=40).cumsum(), draw.random(40) + 0.1
    tree = robust(max_depth=1).fit(x[:, None], y, sample_weight=w).tree_

    def apart(rows: np.ndarray) -> Fraction:
        pairs = [(Fraction(a), Fraction(b)) for a, b in zip(y[rows], w[rows], strict=True)]
        return sum((b * abs(a - middle(pairs)) for a, b in pairs), Fraction(0))

    left = min((apart(x < cut) + apart(x >= cut), cut) for cut in range(1, 40))
    assert tree.threshold[0] == left[1] - 0.5
    gain = float((apart(x >= 0) - left[0]) / sum(map(Fraction, w)))
    assert tree.gain[0] == pytest.approx(gain, rel=1e-6)


def test_far_measures_negative_zeros_and_weightless_rows_do_no_harm() -> None:
    y = [-0.0, 0.0, 1.0, 1e9, 1e9 + 1, -1e9]
    tree = robust().fit([[i] for i in range(6)], y)
    assert tree.predict([[i] for i in range(6)]).tolist() == [0.0, 0.0, *y[2:]]
    assert not np.signbit(tree.predict([[0]])).any()
    some = robust().fit([[1], [2], [3]], [1.0, 50.0, 2.0], sample_weight=[1, 0, 1])
    assert some.tree_.answer[0] == 1.5


@pytest.mark.parametrize(
    "options",
    [
        {"splitter": "random"},
        {"splitter": "random", "category_split": "multiway", "missing": "branch"},
        {"splitter": "random", "max_features": 2, "missing": "node"},
        {"max_features": 2},
        {"tie": "random", "max_depth": 4},
    ],
    ids=str,
)
def test_random_choices_do_not_depend_on_the_order_of_rows(
    options: dict[str, Any], mixed: pd.DataFrame
) -> None:
    shuffled = mixed.sample(frac=1, random_state=3)
    one, two = (
        robust(random_state=7, **options).fit(table[MIXED], table["price"]).tree_
        for table in (mixed, shuffled)
    )
    assert len(one) > 10
    same(one, two)
    other = robust(random_state=8, **options).fit(mixed[MIXED], mixed["price"]).tree_
    assert len(other) != len(one) or (other.column != one.column).any() or "tie" in options


@given(
    table=tables(regression=True), options=OPTIONS,
    costs=st.lists(st.sampled_from([1.0, 2.0, 10.0]), min_size=4, max_size=4),
    rule=st.sampled_from(["gain2/cost", "(2^gain-1)/(cost+1)^w"]),
)  # fmt: skip
def test_trees_of_cheap_columns_are_those_of_python(
    table: dict[str, Any], options: Options, costs: list[float], rule: str
) -> None:
    missing = "node" if options.missing == "class" else options.missing
    options = replace(
        options, missing=missing, costs=tuple(costs[: len(table["kinds"])]), cost_rule=rule
    )
    one, two = (both(table, options, grow)[0] for grow in (grow_by_medians, grow_in_python))
    same(one, two)
