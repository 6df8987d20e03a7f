"""Medians: the tree of a table by absolute error, grown by ``kernels.deviating``.

The same tree as ``portions.grown_by_hand`` grows, which is left with what is drawn, what has
costs, and rows in parts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.kernels.deviating import Deviator
from tallylearn.models.trees.growing import gaps
from tallylearn.models.trees.growing.absolute_error import Ladder
from tallylearn.models.trees.growing.coded_columns import Coded
from tallylearn.models.trees.growing.grower import behind, tree_of
from tallylearn.models.trees.growing.growing_tree import Space
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import Plan
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array


def grown_by_medians(table: Coded, target: Target, plan: Plan) -> Tree:
    """The tree of a table, whose lists are used up."""
    ladder = Ladder.of(target)
    grower = _planted(table, target, plan, ladder)
    space = Space.of(min(2 * len(target), 1000), len(table.scales), target.width)
    grower.put(*space.arrays)
    grower.begin(len(target))
    while full := grower.grow():
        space = space.with_more(full)
        grower.put(*space.arrays)
    stack, nodes, reals, totals, *rest = space.cut(*grower.counted()).arrays
    low, high = (ladder.values[totals[:, at]] for at in (1, 2))
    totals[:, 1:] = 0  # means are not asked for
    found = Space((stack, nodes, reals, totals, *rest))
    tree = tree_of(found, table.scales, target, plan, behind(table, target))
    return replace(tree, answer=np.where(low == high, low, low / 2 + high / 2))


def by_kernel(plan: Plan, table: Coded) -> bool:
    """Whether the kernel grows such a tree."""
    all_of_it = plan.splitter == "best" and plan.max_features >= len(table.scales)
    plain = plan.criterion == ABSOLUTE and plan.scorer == "gain" and plan.tie != "random"
    return plain and all_of_it and plan.missing in gaps.WITHOUT_CLASSES


def _planted(table: Coded, target: Target, plan: Plan, ladder: Ladder) -> Deviator:
    scales, p = table.scales, len(table.scales)
    order = np.argsort(ladder.ranks, kind="stable").astype(np.int32)
    units = np.ascontiguousarray(target.units)
    columns = (
        np.array([scale.number for scale in scales], np.int64),
        np.array([scale.width for scale in scales], np.int64),
        plan.fixed if len(plan.fixed) else np.zeros(p, np.int64),
    )
    settings = (
        gaps.IN_KERNELS[plan.missing], int(plan.category_split == "multiway"), plan.max_depth,
        plan.min_split, plan.min_leaf, plan.min_weight, plan.min_share, plan.min_decrease,
        target.total, 2.0**-target.power, ladder.unit,
    )  # fmt: skip
    rows = (table.entries, order, units, ladder.ranks, ladder.wholes)
    return Deviator(rows, columns, settings, _room(len(target), p))


def _room(n: int, p: int) -> tuple[Array, ...]:
    """Space to work in."""
    small: Any = (n, n, n, (2, n + 2), n + 2, n + 2, n + 2)
    large: Any = (*[n + 2] * 7, (2, n + 2))
    return (
        *(np.zeros(size, np.int32) for size in small),
        *(np.zeros(size, np.int64) for size in large),
        np.zeros((p, 2)),
        np.zeros((p, 4), np.int64),
    )
