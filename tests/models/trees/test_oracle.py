"""The trees of the kernel and of the Python grower against a slow oracle in exact arithmetic."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.coded_columns import code_columns
from tallylearn.models.trees.growing.grower import grow_by_impurity
from tallylearn.models.trees.growing.node_target import of_classes, of_measures
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.node import LEAF, MULTIWAY, SUBSET
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import CATEGORY, NUMBER, Block, Codes, Column, Schema
from tests.models.trees.oracle import Options, Oracle
from tests.models.trees.python_grower import grow_in_python


@st.composite
def tables(draw: st.DrawFn, regression: bool = False) -> dict[str, Any]:
    n, p = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    kinds = draw(st.text("nc", min_size=p, max_size=p))
    numbers, letters = st.sampled_from([0.0, 1.0, 1.5, 4.0]), st.sampled_from("abcd")
    columns = [
        draw(st.lists(st.none() | (numbers if k == "n" else letters), min_size=n, max_size=n))
        for k in kinds
    ]
    measures = st.sampled_from([0.0, 1.0, 2.5, 7.0, -3.0])
    y = draw(st.lists(measures if regression else st.sampled_from("pqr"), min_size=n, max_size=n))
    weight = draw(st.none() | st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return {"kinds": kinds, "columns": columns, "y": y, "weight": weight}


def block_of(table: dict[str, Any]) -> Block:
    names = [f"{kind}{j}" for j, kind in enumerate(table["kinds"])]
    kinds = {"n": NUMBER, "c": CATEGORY}
    schema = Schema(tuple(Column(name, kinds[name[0]]) for name in names))
    numbers = [
        [np.nan if v is None else v for v in column]
        for name, column in zip(names, table["columns"], strict=True)
        if name[0] == "n"
    ]
    codes = {
        name: Codes.of(column)
        for name, column in zip(names, table["columns"], strict=True)
        if name[0] == "c"
    }
    n = len(table["y"])
    matrix = np.array(numbers).T.copy() if numbers else np.empty((n, 0))
    weight = None if table["weight"] is None else np.array(table["weight"], dtype=float)
    return Block(schema, matrix.reshape(n, len(numbers)), codes, {}, table["y"], weight)


def ours(table: dict[str, Any], options: Options, grow: Any, tie: str = "first") -> Tree:
    block = block_of(table)
    columns = code_columns(block)
    scorer = "ratio" if options.criterion == "gain_ratio" else "gain"
    plan = TreePlan(
        criterion="entropy" if options.criterion == "gain_ratio" else options.criterion,
        scorer=options.cost_rule if options.costs else scorer,
        category_split=options.category_split, missing=options.missing,
        max_depth=options.max_depth, min_split=options.min_split, min_leaf=options.min_leaf,
        costs=options.costs, tie=tie, min_category=options.min_category, most_values=0,
        smoothing=float(options.smoothing), slopes=options.slopes,
    )  # fmt: skip
    parts = options.missing == "fractional"
    if options.criterion in ("variance", "sdr"):
        measures = np.array(table["y"], dtype=float)
        target = of_measures(measures, block.weight, options.criterion == "sdr", parts)
    else:
        target = of_classes(Codes.of(table["y"]), block.weight, None, parts)
    if options.missing == "global":
        columns, fixed = missing_values.fill_table(plan.missing, columns, target.weights)
        plan = plan.with_fixed(fixed)
    tree: Tree = grow(columns, target, plan)
    return tree


def slow(table: dict[str, Any], options: Options) -> dict[str, Any]:
    rows = [list(row) for row in zip(*table["columns"], strict=True)]
    y = table["y"]
    if options.criterion in ("variance", "sdr"):
        y = [Fraction(value) for value in y]
    weight = table["weight"] or [1] * len(y)
    return Oracle(rows, y, weight, table["kinds"], options).grow()


def check(tree: Tree, i: int, expected: dict[str, Any], options: Options) -> None:
    assert tree.n[i] == pytest.approx(float(expected["n"]), rel=1e-9)
    if "answer" in expected:
        assert tree.node_values[i, -1] == pytest.approx(float(expected["answer"]), abs=1e-9)
    else:
        assert tree.counts[i].tolist() == pytest.approx(
            [float(c) for c in expected["counts"]], abs=1e-9
        )
    assert tree.impurity[i] == pytest.approx(float(expected["impurity"]), abs=1e-9, rel=1e-9)
    if "column" not in expected:
        assert tree.test[i] == LEAF
        return
    assert tree.column[i] == expected["column"]
    tied = 1e-9 * (1 + float(expected["impurity"]))  # the best gain is told, a tied question asked
    assert tree.gain[i] == pytest.approx(float(expected["gain"]), abs=tied, rel=1e-9)
    ties = [(tree.columns[column].name, cut) for column, cut in expected["ties"]]
    said = [(name, "presence" if np.isnan(cut) else cut) for name, cut in tree.ties(i)]
    assert [(name, None if name[0] == "c" else cut) for name, cut in said] == ties
    branches = {}
    for branch in tree.branches(i):
        key: Any = branch.relation
        if tree.test[i] in (MULTIWAY, SUBSET) and branch.relation != "missing":
            key = frozenset(branch.values)
        elif branch.values:
            key = (branch.relation, branch.values[0])
        branches[key] = branch.node
    assert branches.keys() == expected["children"].keys()
    if options.missing in ("side", "branch"):
        assert tree.gap_nodes[i] == branches.get(expected["gap"], -1)
    for key, node in branches.items():
        check(tree, node, expected["children"][key], options)


OPTIONS = st.builds(
    Options,
    criterion=st.sampled_from(["gini", "entropy", "gain_ratio"]),
    category_split=st.sampled_from(["multiway", "subset"]),
    missing=st.sampled_from(["side", "side", "branch", "branch", "node", "class", "global"]),
    max_depth=st.sampled_from([99, 2]),
    min_split=st.sampled_from([2, 4]),
    min_leaf=st.sampled_from([1, 1, 2, 3]),
)


def without_rows_by_class(table: dict[str, Any], options: Options) -> Options:
    """Rows of a class are not counted beside weights: see DecisionTreeClassifier."""
    if options.missing == "class" and table["weight"] and options.min_leaf > 1:
        return replace(options, min_leaf=1)
    return options


@given(table=tables(), options=OPTIONS)
def test_decision_trees_are_the_oracles(table: dict[str, Any], options: Options) -> None:
    options = without_rows_by_class(table, options)
    expected = slow(table, options)
    for grow in (grow_by_impurity, grow_in_python):
        check(ours(table, options, grow), 0, expected, options)


@given(
    table=tables(regression=True), options=OPTIONS, criterion=st.sampled_from(["variance", "sdr"])
)
def test_regression_trees_are_the_oracles(
    table: dict[str, Any], options: Options, criterion: str
) -> None:
    missing = "node" if options.missing == "class" else options.missing
    options = replace(options, criterion=criterion, missing=missing)
    expected = slow(table, options)
    for grow in (grow_by_impurity, grow_in_python):
        check(ours(table, options, grow), 0, expected, options)


# Rows 3, 4, 5 and 9 meet in a node: c1 is a, c, c, missing, and y is p, p, p, q. See the next test.
KNOWN_ROWS_OF_ONE_CLASS = {
    "kinds": "cc",
    "columns": [
        [None, None, "a", "a", "a", None, None, None, "a"],
        [None, None, "a", "c", "c", "c", None, None, None],
    ],
    "y": [*"pqpppqppq"],
    "weight": None,
}


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio"])
@pytest.mark.parametrize("missing", ["side", "branch"])
@pytest.mark.parametrize("values", [("a", "c", "c", None), (0.0, 1.0, 1.0, None)])
@pytest.mark.parametrize("grow", [grow_by_impurity, grow_in_python])
def test_missing_values_too_few_for_a_branch_split_known_rows_of_one_class(
    grow: Any, values: tuple[Any, ...], missing: str, criterion: str
) -> None:
    """One missing row is no child of two rows; on the side of the first value it makes one."""
    kinds = "c" if values[0] == "a" else "n"
    table = {"kinds": kinds, "columns": [[*values]], "y": [*"pppq"], "weight": None}
    options = Options(criterion=criterion, missing=missing, min_leaf=2)
    tree = ours(table, options, grow)
    assert tree.counts.tolist() == [[3, 1], [1, 1], [2, 0]]
    assert tree.gap_nodes[0] == 1
    check(tree, 0, slow(table, options), options)


@pytest.mark.parametrize("grow", [grow_by_impurity, grow_in_python])
def test_a_split_that_gains_nothing_is_made(grow: Any) -> None:
    """Both children have the distribution of the node, whose deviation is irrational."""
    table = {
        "kinds": "n",
        "columns": [[0.0, 0.0, 1.5, 1.5]],
        "y": [-3.0, 0.0, -3.0, 0.0],
        "weight": [1, 3, 1, 3],
    }
    options = Options(criterion="sdr", max_depth=1)
    tree = ours(table, options, grow)
    assert tree.n.tolist() == [8, 4, 4]
    assert tree.gain[0] == 0
    check(tree, 0, slow(table, options), options)


RARE = {"min_category": st.integers(2, 4), "smoothing": st.sampled_from([0, 1, 3])}


@given(table=tables(), options=OPTIONS, **RARE)
@example(
    table=KNOWN_ROWS_OF_ONE_CLASS, options=Options(missing="side", min_leaf=2), min_category=2,
    smoothing=0,
)  # fmt: skip
def test_trees_with_rare_values_are_the_oracles(
    table: dict[str, Any], options: Options, min_category: int, smoothing: int
) -> None:
    options = replace(
        without_rows_by_class(table, options), category_split="subset",
        min_category=min_category, smoothing=smoothing,
    )  # fmt: skip
    if options.missing == "class" and table["weight"]:  # such rows are not counted beside weights
        table = table | {"weight": None}
    expected = slow(table, options)
    for grow in (grow_by_impurity, grow_in_python):
        check(ours(table, options, grow), 0, expected, options)


@given(table=tables(regression=True), options=OPTIONS, min_category=RARE["min_category"])
def test_regression_trees_with_rare_values_are_the_oracles(
    table: dict[str, Any], options: Options, min_category: int
) -> None:
    missing = "node" if options.missing == "class" else options.missing
    options = replace(
        options, criterion="variance", category_split="subset", missing=missing,
        min_category=min_category,
    )  # fmt: skip
    expected = slow(table, options)
    for grow in (grow_by_impurity, grow_in_python):
        check(ours(table, options, grow), 0, expected, options)


@given(
    table=tables(),
    options=OPTIONS,
    costs=st.lists(st.sampled_from([1.0, 2.0, 10.0]), min_size=4, max_size=4),
    rule=st.sampled_from(["gain2/cost", "(2^gain-1)/(cost+1)^w"]),
)
def test_trees_of_cheap_columns_are_the_oracles(
    table: dict[str, Any], options: Options, costs: list[float], rule: str
) -> None:
    options = replace(
        without_rows_by_class(table, options), criterion="entropy",
        costs=tuple(costs[: len(table["kinds"])]), cost_rule=rule,
    )  # fmt: skip
    expected = slow(table, options)
    for grow in (grow_by_impurity, grow_in_python):
        check(ours(table, options, grow), 0, expected, options)


SLOPES = st.lists(st.sampled_from([-1, 1, 1, 0]), min_size=3, max_size=3)


def with_slopes(table: dict[str, Any], options: Options, slopes: list[int]) -> Options:
    """Categories have no order."""
    pairs = zip(table["kinds"], slopes, strict=False)
    return replace(options, slopes=tuple(slope if kind == "n" else 0 for kind, slope in pairs))


@given(table=tables(), options=OPTIONS, slopes=SLOPES)
def test_decision_trees_with_slopes_are_the_oracles(
    table: dict[str, Any], options: Options, slopes: list[int]
) -> None:
    table = table | {
        "y": ["p", "q", *(y.replace("r", "q") for y in table["y"][2:])][: len(table["y"])]
    }
    options = with_slopes(table, without_rows_by_class(table, options), slopes)
    if len({*table["y"]}) < 2:
        return
    expected = slow(table, options)
    for grow in (grow_by_impurity, grow_in_python):
        check(ours(table, options, grow), 0, expected, options)


@given(table=tables(regression=True), options=OPTIONS, slopes=SLOPES)
def test_regression_trees_with_slopes_are_the_oracles(
    table: dict[str, Any], options: Options, slopes: list[int]
) -> None:
    missing = "node" if options.missing == "class" else options.missing
    options = with_slopes(table, replace(options, criterion="variance", missing=missing), slopes)
    expected = slow(table, options)
    for grow in (grow_by_impurity, grow_in_python):
        check(ours(table, options, grow), 0, expected, options)


# The child of c0 = d has 4 rows in parts, which sum up to 3.999999999999993.
FOUR_ROWS_IN_PARTS = {
    "kinds": "cn",
    "columns": [
        [None, "a", None, None, "d", "a", "d", None, None, "b"],
        [1.5, 1.0, 0.0, 1.0, 0.0, 1.5, 0.0, None, 1.5, 1.0],
    ],
    "y": [*"pqrqprppqr"],
    "weight": None,
}


@example(table=FOUR_ROWS_IN_PARTS, options=Options(criterion="gain_ratio", min_split=4))
@given(table=tables(), options=OPTIONS)
def test_rows_in_parts_are_the_oracles(table: dict[str, Any], options: Options) -> None:
    options = replace(options, missing="fractional", min_leaf=1, max_depth=3)
    expected = slow(table, options)
    for grow in (grow_by_impurity, grow_in_python):
        check(ours(table, options, grow), 0, expected, options)


def test_the_same_tree_for_any_order_of_the_rows_and_any_threads(mixed: Any) -> None:
    from tallylearn import modelfile

    columns = ["length", "width", "colour", "shape", "heavy"]
    for make, target in (
        (tl.DecisionTreeClassifier, "kind"),
        (lambda: tl.DecisionTreeClassifier(missing="fractional"), "kind"),
        (lambda: tl.DecisionTreeClassifier(bins=7), "kind"),
        (tl.DecisionTreeRegressor, "price"),
        (lambda: tl.DecisionTreeRegressor(criterion="sdr", missing="node"), "price"),
    ):
        frame = mixed[[*columns, target]]
        found = []
        for seed in range(4):
            with tl.engine(threads=1 + seed % 2):
                tree = make().fit(frame.sample(frac=1, random_state=seed), target)
            found.append(modelfile.digests(tree))
        assert len({*found}) == 1
