"""Growing: from coded columns to a tree, question by question, depth first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.kernels import binning
from tallylearn.kernels.trees import grower as growers
from tallylearn.kernels.trees import histograms, item_lists, settings, sorted_lists
from tallylearn.kernels.trees import record as records
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.coded_columns import CodedColumns, Scale, numbers_of
from tallylearn.models.trees.growing.gain_ratio import exclude_from_mean
from tallylearn.models.trees.growing.grown_nodes import GrownNodes, splice
from tallylearn.models.trees.growing.impurity import logs_of
from tallylearn.models.trees.growing.monotone import clip_predictions
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import ENDLESS, TreePlan
from tallylearn.models.trees.growing.recorded_nodes import nodes_of
from tallylearn.models.trees.growing.split_search import ROW_ROUNDING, least_rows
from tallylearn.models.trees.tree import Tree
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array

CRITERIA = {"gini": 0, "entropy": 1, "variance": 2, "sdr": 3, "poisson": 4, "fifth_root": 9}
SCORERS = {"gain": 0, "ratio": 1, "gain2/cost": 2, "(2^gain-1)/(cost+1)^w": 3}
MIN_PARALLEL_CELLS = 2_000_000  # cells: from here on threads pay
MAX_TASK_ROWS = 65_536  # rows: nodes of more are worked on column by column
MIN_TASK_ROWS = 2_000  # rows: nodes of less are not worth a grower of their own
SLOTS = 64  # histograms of as many nodes are kept, if memory takes them
MAX_BYTES = 2**28
MAX_UNITS = 2**62  # rows in units, at most: more than any table has
LEFT_TO_OTHERS = -1  # the test of a node that is left to another grower
PAUSED = 9  # what a grower says from time to time, so that an interrupt is noticed
ROWS_FULL = 6  # what a grower says where there is no room for parts of rows
LARGE_NODE = 5  # what a grower says of a node that is worked on column by column


def grow_by_impurity(table: CodedColumns, target: Target, plan: TreePlan) -> Tree:
    """The tree of a table, whose lists are used up."""
    n, p, threads = len(target), len(table.scales), engines.current_engine().n_threads
    growth = _TreeGrowth.of(table, target, plan)
    grower = growth.make_grower(0, n, 0, plan.seed)
    if _counts_rows_by_weight(plan):
        return tree_of(growth.grow_all(grower), table.scales, target, plan)
    if threads == 1 or n * p < MIN_PARALLEL_CELLS or plan.max_features < p or any(plan.slopes):
        space = growth.grow_all(grower)
    else:
        space = growth.grow_in_parallel(grower, threads)
    return tree_of(space, table.scales, target, plan, numbers_behind(table, target))


@dataclass(frozen=True)
class _TreeGrowth:
    """Growers over the same rows: one for the large nodes, others for the rest."""

    settings: Any
    columns: Any
    amounts: Any
    rows: Callable[[int], Any]  # those that a grower works on, of so many at most

    @classmethod
    def of(cls, table: CodedColumns, target: Target, plan: TreePlan) -> _TreeGrowth:
        columns, amounts = columns_of(table.scales, plan, target), amounts_of(target)
        settings = settings_of(table.scales, target, plan)
        if _counts_rows_by_weight(plan):
            rows = _items(table, target, columns, amounts, settings)
        else:
            rows = _rows(table, target, columns, amounts, plan.max_features >= columns.p)
        return cls(settings, columns, amounts, rows)

    def make_grower(self, lo: int, hi: int, depth: int, seed: int) -> Any:
        """A grower of the rows from lo to hi."""
        n, columns = hi - lo, self.columns
        record = records.Record(min(2 * n, 1000), columns.p, self.amounts.q)
        record.begin(lo, hi, depth, seed)
        lines = min(columns.widest + 1, n + 1)
        rows = self.rows(n)
        return growers.Grower(
            self.settings, columns, self.amounts, rows, record, lines, check_halted
        )

    def grow_all(self, grower: Any) -> GrownNodes:
        """Everything that waits on the stack of a grower."""
        while status := grower.grow(ENDLESS, ENDLESS):
            if status == ROWS_FULL:
                grower.rows.enlarge()
            else:
                go_on(grower.record, status)
        return GrownNodes(*grower.record.arrays())

    def grow_in_parallel(self, grower: Any, threads: int) -> GrownNodes:
        """Large nodes column by column, the others one each, on several threads."""
        space = self._top(grower, threads)
        left = np.flatnonzero(space.nodes[:, 2] == LEFT_TO_OTHERS)
        return splice(
            space, left, engines.map_threads(self._branch, space.nodes[left, 3:7].tolist())
        )

    def _branch(self, place: list[int]) -> GrownNodes:
        return self.grow_all(self.make_grower(*place))

    def _top(self, grower: Any, threads: int) -> GrownNodes:
        """The nodes of many rows, and those of few; the others are left."""
        p, n = self.columns.p, self.amounts.n
        cuts = np.linspace(0, p, min(threads, p) + 1).astype(int)
        ranges = [*itertools.pairwise(cuts.tolist())]
        spares = [np.empty(n + self.columns.branches, np.int64) for _ in ranges]
        while status := grower.grow(MAX_TASK_ROWS, MIN_TASK_ROWS):
            if status == LARGE_NODE:
                status = grower.open()
                if status == 0:
                    engines.map_threads(lambda columns: grower.survey(*columns), ranges)
                    status = grower.settle()
                if status == 0:
                    parts = zip(ranges, spares, strict=True)
                    engines.map_threads(lambda part: grower.part(*part[0], part[1]), parts)
                    grower.push()
            if status > 0:
                go_on(grower.record, status)
        return GrownNodes(*grower.record.arrays())


def go_on(record: Any, status: int) -> None:
    """Prepare the next call of a grower that stopped: more room, or, at a pause, none."""
    if status == PAUSED:
        check_halted()
    else:
        record.enlarge(status)


def _rows(
    table: CodedColumns, target: Target, columns: Any, amounts: Any, inherits: bool
) -> Callable[[int], Any]:
    """How growers keep the rows of a table, each at most so many: in lists, or in a grid."""
    n = len(target)
    shared = columns, amounts, np.zeros(n, np.uint8), np.zeros(n, np.int32)
    if not len(table.grid):
        entries, bits = _lists_with_classes(table, target), _bits(target)
        return lambda most: sorted_lists.SortedLists(*shared, most, entries=entries, bits=bits)
    ys = target.labels if target.classes else target.levels
    order, ys = np.arange(n, dtype=np.int32), ys.astype(np.int64)
    slots = min(SLOTS, MAX_BYTES // (8 * columns.widest * amounts.k * columns.p))
    return lambda most: histograms.Histograms(
        *shared, most, grid=table.grid, order=order, ys=ys, slots=slots, inherits=inherits
    )


def _items(
    table: CodedColumns, target: Target, columns: Any, amounts: Any, settings: Any
) -> Callable[[int], Any]:
    """Rows in lists, which may be split into parts."""
    entries, units = table.entries, np.ascontiguousarray(target.units)
    return lambda most: item_lists.ItemLists(
        columns, amounts, settings.rule, settings.criterion, entries=entries, units=units,
        row_units=target.row_units,
    )  # fmt: skip


def _counts_rows_by_weight(plan: TreePlan) -> bool:
    """Whether thresholds on numbers of rows count weights, or frequencies, in their place."""
    return missing_values.in_parts(plan.missing) or plan.variant is not None


def row_units(rows: float, target: Target | None, plan: TreePlan) -> int:
    """A number of rows, as growers count it: in units where rows are counted by weight."""
    if target is None or not _counts_rows_by_weight(plan):
        return int(rows)
    rounded = ROW_ROUNDING if missing_values.in_parts(plan.missing) else 0.0
    return min(int(np.ceil((rows - rounded) / target.row)), MAX_UNITS)


def columns_of(scales: Sequence[Scale], plan: TreePlan, target: Target | None = None) -> Any:
    """The columns, as the kernels see them."""
    split, p = 1 if plan.category_split == "multiway" else 2, len(scales)
    behind = numbers_of(scales) if plan.splitter == "random" or plan.variant else {}
    if plan.variant and target is not None:
        behind["crowded"] = exclude_from_mean(scales, len(target)).astype(np.int64)
    least = [
        row_units(rows, target, plan) if (rows := least_rows(j, s.n_categories, plan)) > 1 else rows
        for j, s in enumerate(scales)
    ]
    return settings.Columns(
        kinds=np.array([0 if scale.number else split for scale in scales], dtype=np.int64),
        gaps=np.array([scale.width for scale in scales], dtype=np.int64),
        fixed=plan.fixed if len(plan.fixed) else np.zeros(p, np.int64),
        costs=np.array(plan.costs or [1.0] * p),
        least=np.array(least, dtype=np.int64),
        slopes=np.array(plan.slopes or [0] * p, dtype=np.int64), **behind,
    )  # fmt: skip


def amounts_of(target: Target) -> Any:
    """What rows amount to, as the kernels see it."""
    return settings.Amounts(
        target.labels, target.amounts, target.levels,
        classes=len(target.classes), k=target.line, q=target.width,
        rows_at=target.width - 1 if target.weighed else -1,
    )  # fmt: skip


def settings_of(scales: Sequence[Scale], target: Target, plan: TreePlan) -> Any:
    """How to grow, as the kernels see it."""
    powers = {"variance": 2, "sdr": 1, "poisson": 1, "fifth_root": 0.4}
    power, one = powers.get(plan.criterion, 0), 2.0**-target.power
    unit, least = target.unit**power, plan.min_decrease * target.total / one
    parts = missing_values.in_parts(plan.missing)
    return settings.Settings(
        CRITERIA[plan.criterion], missing_values.IN_KERNELS[plan.missing], SCORERS[plan.scorer],
        max_depth=plan.max_depth,
        min_split=row_units(plan.min_split, target, plan) if parts else plan.min_split,
        min_leaf=row_units(plan.min_leaf, target, plan), leaf=float(plan.min_leaf), row=target.row,
        min_weight=int(np.ceil(plan.min_weight * 2.0**target.power)), min_share=plan.min_share,
        share_of_rows=plan.share_of_rows,
        # one by one: the square of a small unit is 0
        min_gain=least / target.unit / target.unit if power == 2 else least / unit,
        max_features=len(scales) if plan.variant else min(plan.max_features, len(scales)),
        random_tie=plan.tie == "random", c45=plan.variant == "c45" and plan.splitter != "random",
        lists_ties=plan.lists_ties, draws=plan.splitter == "random", exponent=plan.exponent,
        smoothing=plan.smoothing / one, scale=unit, one=one,
        critical=_critical(scales, target, plan),
        logs=logs_of(target) if plan.criterion == "entropy" else np.zeros(0),
    )  # fmt: skip


def _critical(scales: Sequence[Scale], target: Target, plan: TreePlan) -> Array:
    """What chi-square has to reach, by degrees of freedom; nothing where splits are not tested."""
    if plan.significance is None or _counts_rows_by_weight(plan):  # there, tested once grown
        return np.zeros(0)
    from scipy.special import chdtri

    branches = max([3, *(scale.width + 1 for scale in scales if not scale.number)])
    freedom = np.arange(branches * max(len(target.classes) - 1, 1))
    return np.append(0.0, chdtri(freedom[1:], plan.significance))


def _bits(target: Target) -> int:
    """How many bits of an entry number its row: the rest of 32 hold its class."""
    bits = 32 - max(len(target.classes) - 1, 0).bit_length()
    if len(target) >> bits:
        raise InputError(
            f"a tree of {len(target.classes)} classes takes at most {2**bits:,} rows in memory. "
            "Learn from a sample."
        )
    return bits


def _lists_with_classes(table: CodedColumns, target: Target) -> Array:
    """The lists of all columns, the class of every row within."""
    bits = _bits(target)
    if bits == 32 or len(table.grid):
        return table.lists
    if table.lists.size < MIN_PARALLEL_CELLS:
        for column in table.lists:
            binning.stamp(column, target.labels, bits)
    else:
        engines.map_threads(lambda column: binning.stamp(column, target.labels, bits), table.lists)
    return table.lists


def limits_of(target: Target, plan: TreePlan, in_units: bool = False) -> Any:
    """When to stop, for the kernels whose gains are means; rows ``in_units`` of parts of rows."""
    leaf, split = plan.min_leaf, plan.min_split
    if in_units:
        leaf, split = (row_units(rows, target, plan) for rows in (leaf, split))
    return settings.Limits(
        max_depth=plan.max_depth, min_split=split, min_leaf=leaf,
        min_weight=plan.min_weight, min_share=plan.min_share, min_decrease=plan.min_decrease,
        whole=target.total, one=2.0**-target.power, scorer=SCORERS[plan.scorer],
        exponent=plan.exponent, max_features=plan.max_features, random_tie=plan.tie == "random",
        draws=plan.splitter == "random",
    )  # fmt: skip


def tree_of(
    space: GrownNodes,
    columns: Sequence[Scale],
    target: Target,
    plan: TreePlan,
    numbers: Callable[[int, Array, Array], tuple[Array, Array]] | None = None,
) -> Tree:
    """The arrays of the kernel as a tree; ``numbers`` are those behind two codes of a column."""
    tree = Tree.of_nodes(nodes_of(space, columns, target, plan, numbers))
    return clip_predictions(tree, plan.slopes) if any(plan.slopes) else tree


def numbers_behind(
    table: CodedColumns, target: Target
) -> Callable[[int, Array, Array], tuple[Array, Array]]:
    """The numbers behind two codes of a column: the greatest of one, the least of the other."""
    bits = 32 if len(table.grid) else _bits(target)

    def numbers(j: int, code: Array, after: Array) -> tuple[Array, Array]:
        scale = table.scales[j]
        if len(table.grid) or not len(scale.x):
            return scale.high[code], scale.low[after]
        found = table.values(j, np.append(code, after), bits)
        return found[: len(code)], found[len(code) :]

    return numbers
