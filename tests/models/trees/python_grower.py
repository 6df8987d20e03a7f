"""A tree grown node by node in Python: an oracle for the compiled growers.

It searches all splits of a node, as ``gains`` shows them, and writes down what a kernel would. What
is drawn at random is not among what it does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.absolute_error import MeasureRanks
from tallylearn.models.trees.growing.coded_columns import CodedColumns
from tallylearn.models.trees.growing.grower import tree_of
from tallylearn.models.trees.growing.grown_nodes import GrownNodes
from tallylearn.models.trees.growing.impurity import weights_of
from tallylearn.models.trees.growing.monotone import answers_of
from tallylearn.models.trees.growing.node_rows import NodeRows
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.growing.shares import Share
from tallylearn.models.trees.growing.split_choice import choose_splits
from tallylearn.models.trees.growing.split_search import CandidateSplit, rows_of
from tallylearn.models.trees.node import LEAF, MULTIWAY, SUBSET, THRESHOLD
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array

Bounds = tuple[float, float]


def grow_in_python(coded: CodedColumns, target: Target, plan: TreePlan) -> Tree:
    """The tree of a table, node by node."""
    whole = NodeRows.of(coded, target, plan)
    notes = _Notes([], [], [], [], [])
    stack, medians = [(whole.all(), -1, 0, 0, plan.bounds)], []
    while stack:
        share, parent, place, depth, bounds = stack.pop()
        node, table = len(notes.nodes), replace(whole, plan=replace(plan, bounds=bounds))
        asked, impurity, total = _asked(table, share, depth)
        kids, usual = table.partition(share, asked[0]) if asked else ([], -1)
        notes.add((parent, place), share, asked, impurity, total, usual, table)
        medians += [] if table.measure_ranks is None else [_median(table.measure_ranks, share)]
        below = _below(asked[0], table.plan, target) if asked else []
        stack += [(kid, node, b, depth + 1, below[b]) for b, kid in reversed([*enumerate(kids)])]
    tree = tree_of(notes.space(), coded.scales, target, plan)
    return tree if whole.measure_ranks is None else replace(tree, answer=np.array(medians))


def _below(q: CandidateSplit, plan: TreePlan, target: Target) -> list[Bounds]:
    slope = plan.slopes[q.column] if plan.slopes and q.test == THRESHOLD else 0
    return bounds_below(q.branches, slope, plan.bounds, target)


def _asked(table: NodeRows, share: Share, depth: int) -> tuple[list[CandidateSplit], float, Array]:
    """The best questions of a node, the asked one first; none at a leaf."""
    plan, target = table.plan, table.target
    total = target.lines(share.rows, share.units).sum(axis=0)
    impurity = table.impurity(share, total)
    weight = float(weights_of(total, target))
    pure = (total[: len(target.classes)] > 0).sum() < 2 if target.classes else impurity == 0
    parts = missing_values.in_parts(plan.missing)
    size = float(rows_of(total, plan, target)) if parts else len(share.rows)
    if pure or depth >= plan.max_depth or size < plan.min_split:
        return [], impurity, total
    found = choose_splits(table.splits(share, impurity), impurity, plan)
    if found and weight / target.total * found[0].gain + 1e-12 < plan.min_decrease:
        found = []
    return found, impurity, total


@dataclass(frozen=True)
class _Notes:
    """What the kernel would have written down."""

    nodes: list[list[int]]
    reals: list[tuple[float, float]]
    totals: list[Array]
    leads: list[tuple[int, int]]
    ties: list[tuple[int, int, int]]

    def add(
        self, place: tuple[int, int], share: Share, asked: list[CandidateSplit], impurity: float,
        total: Array, usual: int, table: NodeRows,
    ) -> None:  # fmt: skip
        if len(asked) > 1:
            self.ties.extend((q.column, -1 if q.test == SUBSET else q.cut, q.next) for q in asked)
        q = asked[0] if asked else None
        if q is not None and q.test in (MULTIWAY, SUBSET):
            codes = table._raw(q.column, share).codes
            self.leads.extend(zip(codes.tolist(), q.groups.tolist(), strict=True))
        test = [LEAF, -1, -1, -1] if q is None else [q.test, q.column, q.cut, q.next]
        rest = [usual, len(share.rows), len(self.leads), len(self.ties)]
        self.nodes.append([*place, *test, *rest])
        self.reals.append((impurity, 0.0 if q is None else q.gain))
        self.totals.append(total)

    def space(self) -> GrownNodes:
        whole = [
            np.array(part, dtype=np.int64).reshape(-1, width)
            for part, width in (
                (self.nodes, 10), (self.totals, len(self.totals[0])), (self.leads, 2),
                (self.ties, 3),
            )
        ]  # fmt: skip
        nodes, totals, leads, ties = whole
        return GrownNodes(nodes, np.array(self.reals), totals, leads, ties)


def bounds_below(branches: Array, slope: int, bounds: Bounds, target: Target) -> list[Bounds]:
    """The bounds of every branch (b, q) of a node: of a cut along a slope, each on its side."""
    found = [bounds] * len(branches)
    if slope:
        first, second = answers_of(branches[:2], target).tolist()
        middle = first / 2 + second / 2
        below, above = (bounds[0], middle), (middle, bounds[1])
        found[:2] = (below, above) if slope > 0 else (above, below)
    return found


def _median(measure_ranks: MeasureRanks, share: Share) -> float:
    """The median of some rows: half way between two, where the weight splits exactly."""
    _, low, high = measure_ranks.absolute_deviations(share, np.zeros(len(share.rows), np.int64), 1)
    a, b = measure_ranks.values[low[0]], measure_ranks.values[high[0]]
    return float(a if a == b else a / 2 + b / 2)
