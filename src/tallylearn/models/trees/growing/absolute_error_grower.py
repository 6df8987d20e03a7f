"""The tree of a table by absolute error, grown by ``kernels.trees``.

``python_grower.py`` of the tests grows the same tree, and what this kernel does not cover: random
splits and ties, costs, and rows in parts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.kernels.trees import item_parts, median_grower, median_search
from tallylearn.kernels.trees import record as records
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.absolute_error import MeasureRanks
from tallylearn.models.trees.growing.coded_columns import CodedColumns
from tallylearn.models.trees.growing.grower import (
    ROWS_FULL,
    columns_of,
    go_on,
    limits_of,
    numbers_behind,
    tree_of,
)
from tallylearn.models.trees.growing.grown_nodes import GrownNodes
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.tree import Tree


def grow_by_medians(table: CodedColumns, target: Target, plan: TreePlan) -> Tree:
    """The tree of a table, whose lists are used up."""
    measure_ranks = MeasureRanks.of(target)
    grower = _make_grower(table, target, plan, measure_ranks)
    grower.record.begin(0, len(target), 0, plan.seed)
    while status := grower.grow():
        if status == ROWS_FULL:
            grower.enlarge()
        else:
            go_on(grower.record, status)
    space = GrownNodes(*grower.record.arrays())
    low, high = (measure_ranks.values[space.totals[:, at]] for at in (1, 2))
    space.totals[:, 1:] = 0  # means are not asked for
    tree = tree_of(space, table.scales, target, plan, numbers_behind(table, target))
    return replace(tree, answer=np.where(low == high, low, low / 2 + high / 2))


def _make_grower(
    table: CodedColumns, target: Target, plan: TreePlan, measure_ranks: MeasureRanks
) -> Any:
    columns = columns_of(table.scales, plan, target)
    record = records.Record(min(2 * len(target), 1000), columns.p, target.width)
    parts, units = missing_values.in_parts(plan.missing), np.ascontiguousarray(target.units)
    items = item_parts.ItemParts(units, target.row_units, columns.branches) if parts else None
    search = median_search.MedianSearch(
        columns, limits_of(target, plan, in_units=parts),
        missing_values.IN_KERNELS[plan.missing], record.ties,
        lists=table.entries, rows=np.argsort(measure_ranks.ranks, kind="stable").astype(np.int32),
        units=units if items is None else np.asarray(items.units), ranks=measure_ranks.ranks.copy(),
        values=measure_ranks.wholes, unit=measure_ranks.unit, items=items,
    )  # fmt: skip
    return median_grower.MedianGrower(columns, search, record)
