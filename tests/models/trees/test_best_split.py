"""Counting and searching apart: what was counted in parts finds the question of the grower."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tallylearn.models.trees.growing import grower, recorded_nodes
from tallylearn.models.trees.growing.coded_columns import CodedColumns, code_columns
from tallylearn.models.trees.growing.grower import amounts_of, columns_of, settings_of
from tallylearn.models.trees.growing.node_target import Target, of_classes, of_measures
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.tree import LEAF
from tallylearn.tables import CATEGORY, NUMBER, Block, Codes, Column, Schema
from tests.kernels.test_oracle import interpreted, uncompiled
from tests.soak import pairs

NUMBERS, NAMES = ("length", "width"), ("colour", "shape")
PLANS = {
    "gini": TreePlan("gini"),
    "two classes": TreePlan("gini", missing="class"),
    "entropy": TreePlan("entropy", missing="node", min_leaf=3),
    "ratio": TreePlan("entropy", "ratio", "multiway"),
    "multiway": TreePlan("gini", category_split="multiway", min_share=0.05),
    "significance": TreePlan("entropy", significance=0.01, tie="random"),
    "variance": TreePlan("variance"),
    "means of gaps": TreePlan("variance", missing="node", category_split="multiway"),
    "deviation": TreePlan("sdr", min_weight=4.0),
}


def block_of(frame: pd.DataFrame) -> Block:
    """Numbers with gaps, and categories with gaps."""
    columns = [Column(name, NUMBER) for name in NUMBERS] + [Column(n, CATEGORY) for n in NAMES]
    numbers = frame[[*NUMBERS]].to_numpy(float).copy()
    numbers[::7, 1] = np.nan
    return Block(
        Schema(tuple(columns)), numbers, {name: Codes.of(named(frame[name])) for name in NAMES}
    )


def named(column: pd.Series) -> list[Any]:
    return [value if isinstance(value, str) else None for value in column]


def target_of(frame: pd.DataFrame, name: str, weight: Any) -> Target:
    if PLANS[name].criterion in ("variance", "sdr"):
        measures = frame["price"].to_numpy()
        return of_measures(measures, weight, PLANS[name].criterion == "sdr")
    label = "heavy2" if name == "two classes" else "kind"
    return of_classes(Codes.of(frame[label].astype(str).tolist()), weight)


def counted(kernel: ModuleType, table: CodedColumns, target: Target, rows: Any) -> tuple[Any, Any]:
    """The totals of some rows, and the histogram of every column."""
    columns, amounts = columns_of(table.scales, TreePlan()), amounts_of(target)
    out = np.zeros((columns.p, columns.widest * amounts.k), np.int64)
    ys = (target.labels if target.classes else target.levels)[rows].astype(np.int64)
    for j in range(columns.p):
        kernel.count(amounts, table.codes(j).astype(np.uint16), rows.astype(np.int32), ys, out[j])
    return target.lines(rows, target.units[rows]).sum(axis=0)[: amounts.q], out


@pytest.mark.parametrize(
    ("name", "bins", "weighed", "compiled"),
    pairs(PLANS, [None, 6], [False, True], [True, False]),
)
def test_halves_that_are_added_find_the_question_of_every_node(
    name: str,
    bins: int | None,
    weighed: bool,
    compiled: bool,
    mixed: pd.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    block, plan = block_of(mixed), PLANS[name]
    weight = np.random.default_rng(1).uniform(0.1, 3, len(mixed)) if weighed else None
    target = target_of(mixed, name, weight)
    tree = grower.grow_by_impurity(code_columns(block, bins), target, plan)
    table, load = code_columns(block, bins), importlib.import_module
    if not compiled:
        uncompiled(monkeypatch, grower)
    histograms, search = (
        load(f"tallylearn.kernels.trees.{file}") if compiled else interpreted(f"trees.{file}")
        for file in ("histograms", "best_split")
    )
    best = search.BestSplit(
        settings_of(table.scales, target, plan), columns_of(table.scales, plan), amounts_of(target)
    )
    landed = tree.end_nodes(block)
    for node in range(len(tree) if compiled else 3):
        rows = np.flatnonzero((landed >= node) & (landed < node + tree.sizes[node]))
        if node and (plan.tie == "random" or plan.missing == "class"):
            break  # the seed of a node is its grower's own; rows that are told have no class
        parts = [counted(histograms, table, target, half) for half in (rows[::2], rows[1::2])]
        totals, counts = (here + there for here, there in zip(*parts, strict=True))
        alike = len(np.unique((target.labels if target.classes else target.levels)[rows])) == 1
        found = best.of(totals, counts, alike, seed=plan.seed)
        if found is None:
            assert tree.test[node] == LEAF
            continue
        assert tree.test[node] == found["test"]
        assert tree.column[node] == found["column"]
        assert tree.gain[node] == found["gain"]
        assert tree.impurity[node] == found["impurity"]
        assert len(tree.children(node)) == found["children"]
        kids = [*tree.children(node)]
        leads = {code: kids[child] for code, child in found["leads"]}
        first, last = tree.ends[node - 1] if node else 0, tree.ends[node]
        assert leads == dict(
            zip(tree.codes[first:last].tolist(), tree.leads[first:last].tolist(), strict=True)
        )
        gap = found["gap_child"]
        assert tree.missing[node] == (kids[gap] if gap >= 0 else -1)
        cut = recorded_nodes._cuts(
            np.array([found["column"]]), np.array([found["cut"]]), np.array([found["next"]]),
            np.array([found["test"] == 1]),
            grower.numbers_behind(table, target),
        )  # fmt: skip
        assert np.array_equal(cut, tree.threshold[node : node + 1], equal_nan=True)
        ties = tree.tie_columns[tree.tie_ends[node - 1] if node else 0 : tree.tie_ends[node]]
        assert found["ties"][:, 0].tolist() == ties.tolist()


def test_some_columns_are_searched_alone(mixed: pd.DataFrame) -> None:
    load = importlib.import_module
    histograms = load("tallylearn.kernels.trees.histograms")
    search = load("tallylearn.kernels.trees.best_split")
    table, target, plan = (
        code_columns(block_of(mixed)),
        target_of(mixed, "gini", None),
        TreePlan(),
    )
    best = search.BestSplit(
        settings_of(table.scales, target, plan), columns_of(table.scales, plan), amounts_of(target)
    )
    totals, counts = counted(histograms, table, target, np.arange(len(mixed)))
    alone = [best.of(totals, counts, False, [j]) for j in range(4)]
    assert [found["column"] for found in alone] == [0, 1, 2, 3]
    every = best.of(totals, counts, False)
    assert every == alone[np.argmax([found["gain"] for found in alone])] | {"ties": every["ties"]}
    pair = best.of(totals, counts, False, [0, 2])
    assert pair["column"] == max((alone[0], alone[2]), key=lambda found: found["gain"])["column"]
    with pytest.raises(ValueError, match="too few"):
        best.of(totals, counts[:, :-1], False)
    amounts, rows = amounts_of(target), np.arange(3, dtype=np.int32)
    grid, ys = np.full(len(mixed), 9, np.uint16), np.zeros(3, np.int64)
    with pytest.raises(ValueError, match="beyond the end"):
        histograms.count(amounts, grid, rows, ys, np.zeros(9 * amounts.k, np.int64))
