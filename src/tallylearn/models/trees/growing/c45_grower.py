"""C4.5's tree of a table, grown by ``kernels.trees``: rows with missing values go in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.kernels.trees import c45_grower, c45_search
from tallylearn.kernels.trees import record as records
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.coded_columns import CodedColumns
from tallylearn.models.trees.growing.gain_ratio import exclude_from_mean, reach_of
from tallylearn.models.trees.growing.grower import columns_of, go_on, limits_of, tree_of
from tallylearn.models.trees.growing.grown_nodes import GrownNodes
from tallylearn.models.trees.growing.impurity import times_log2
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array

ITEMS, PARTS = 5, 6  # what there is no room for, beside what a record holds


def grow_c45(table: CodedColumns, target: Target, plan: TreePlan) -> Tree:
    """The tree of a table, whose lists are used up."""
    grower = _make_grower(table, target, plan)
    items = [table.entries, target.units.copy(), target.labels.copy()]
    items += [target.row_units.copy()] if len(target.row_units) else []
    grower.hold(*_with_rows(items))
    grower.share_more(len(target))
    grower.record.begin(0, len(target))
    while status := grower.grow():
        if status == ITEMS:
            size = grower.need + grower.need // 4
            items = [_wider(array, size) for array in items]
            grower.hold(*_with_rows(items))
        elif status == PARTS:
            grower.share_more(2 * grower.need)
        else:
            go_on(grower.record, status)
    return tree_of(GrownNodes(*grower.record.arrays()), table.scales, target, plan)


def by_kernel(plan: TreePlan, table: CodedColumns) -> bool:
    """Whether the kernel grows such a tree."""
    multiway = plan.category_split == "multiway" or all(c.number for c in table.scales)
    return missing_values.in_parts(plan.missing) and plan.tie == "first" and multiway


def _make_grower(table: CodedColumns, target: Target, plan: TreePlan) -> Any:
    scales, n = table.scales, len(target)
    reach = [reach_of(scale) for scale in scales]
    columns = columns_of(scales, plan)
    record = records.Record(1000, columns.p, target.width)
    search = c45_search.C45Search(
        columns, limits_of(target, plan), record.ties, len(target.classes),
        crowded=exclude_from_mean(scales, n).astype(np.int64), reach=np.concatenate(reach),
        starts=np.cumsum([0, *map(len, reach)], dtype=np.int64), logs=times_log2(n + 1),
        row=target.row, weighed=len(target.row_units) > 0,
    )  # fmt: skip
    return c45_grower.C45Grower(columns, search, record)


def _with_rows(items: list[Array]) -> list[Array]:
    """Lists, weights, classes and rows; where weights are numbers of rows, these are the rows."""
    return items if len(items) > 3 else [*items, items[1]]


def _wider(array: Array, size: int) -> Array:
    out = np.zeros((*array.shape[:-1], size), array.dtype)
    out[..., : array.shape[-1]] = array
    return out
