"""Growing the trees of a forest from a table that is coded once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators.passes import Passes
from tallylearn.kernels.trees import bagged_rows, inherited_rows, random_split_rows
from tallylearn.kernels.trees import grower as growers
from tallylearn.kernels.trees import record as records
from tallylearn.models.forests.bootstrap import BootstrapSamples, tree_seeds
from tallylearn.models.forests.prediction_arrays import TreeArrays, arrays_of
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.coded_columns import CodedColumns, code_columns
from tallylearn.models.trees.growing.grower import (
    amounts_of,
    columns_of,
    go_on,
    settings_of,
    tree_of,
)
from tallylearn.models.trees.growing.grown_nodes import GrownNodes
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import ENDLESS, TreePlan
from tallylearn.models.trees.growing.recorded_nodes import nodes_of
from tallylearn.models.trees.tree import Tree
from tallylearn.runtime import memory_budget
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array, Block

MAX_CODES = 65_534  # codes of a column, with one more for what is missing, in 16 bits
TIE = "random"  # of columns that part the rows of a small node alike the first would always win
MAX_BATCH_ROWS = 50_000  # rows: small trees are written down together, which Python does once then
MIN_LISTED_ROWS = 256  # so few, or no more than codes, are sorted sooner than they are counted
MAX_LISTED_ROWS = 65_536  # rows: an entry of a list has 16 bits for its place
SLOTS = 32  # nodes that wait with what they inherited
MAX_BYTES = 1 << 26  # of all these
MAX_CLASSES = 1 << 22  # the bits of an entry that are left for its class


@dataclass(frozen=True)
class ForestGrower:
    """What all trees of a forest grow from."""

    table: CodedColumns
    grid: Array  # (n, p) uint16: the codes of a row beside each other
    target: Target
    plan: TreePlan
    bags: BootstrapSamples
    weighed: Callable[[int], Target] | None = None  # what a tree counts, where each weighs anew

    @classmethod
    def of(
        cls,
        block: Block,
        target: Target,
        plan: TreePlan,
        bins: int | None,
        bags: BootstrapSamples,
    ) -> ForestGrower:
        if len(target.classes) > MAX_CLASSES:
            raise InputError(
                f"the target has {len(target.classes):,} classes, and a forest takes at most "
                f"{MAX_CLASSES:,}. Join rare classes, or use a regressor."
            )
        table = code_columns(block, min(bins or MAX_CODES, MAX_CODES))
        for scale in table.scales:
            if scale.width > MAX_CODES:
                raise InputError(
                    f"column {scale.column.name!r} has {scale.width:,} values, and a forest takes "
                    f"at most {MAX_CODES:,}. Join its rare values, or leave it out."
                )
        weights = target.weights if block.weight is None else block.weight
        table, fixed = missing_values.fill_table(plan.missing, table, weights)
        grid = np.empty((len(target), len(table.scales)), np.uint16)
        for j in range(len(table.scales)):
            grid[:, j] = table.grid[j] if len(table.grid) else table.codes(j)
        slim = replace(table, lists=table.lists[:0], grid=table.grid[:0])
        plan = replace(plan.with_fixed(fixed), tie=TIE, lists_ties=False)
        return cls(slim, grid, target, plan, bags)

    @cached_property
    def _kernel_input(self) -> tuple[Any, Any, Any]:
        """Settings, columns and amounts, as the kernels see them: the same for all trees."""
        scales, target, plan = self.table.scales, self.target, self.plan
        return settings_of(scales, target, plan), columns_of(scales, plan), amounts_of(target)

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: what kernels see of them is made again where they are unpickled."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def grow(self, numbers: range) -> tuple[GrownNodes, Array]:
        """Trees one after the other, each as if there were no others, and their roots."""
        settings, columns, amounts = self._kernel_input
        bag, roots = np.empty(len(self.bags), np.int64), list[int]()
        record = records.Record(min(2 * len(bag), 1000), columns.p, amounts.q, settings.draws)
        rows = self._rows_of_bag(bag)
        grower = growers.Grower(
            settings, columns, amounts, rows, record, columns.widest + 1, check_halted
        )
        for seed in tree_seeds(self.bags.seed, numbers):
            check_halted()
            roots.append(record.n_nodes)
            record.begin(0, self.bags.fill(seed, bag), 0, seed >> 1)
            while status := grower.grow(ENDLESS, ENDLESS):
                go_on(record, status)
        return GrownNodes(*record.arrays()), np.array(roots, np.int64)

    def _rows_of_bag(self, bag: Array) -> Any:
        """The rows of a bag, by the kernel that counts them fastest."""
        settings, columns, amounts = self._kernel_input
        given = columns, amounts, self.grid, bag
        if settings.draws:
            return random_split_rows.DrawnRows(*given)
        usable = sum(scale.width > 0 for scale in self.table.scales)
        if amounts.classes or amounts.k > 2 or settings.max_features < usable:
            return bagged_rows.BaggedRows(*given)
        slots = min(SLOTS, MAX_BYTES // (16 * columns.widest * columns.p))
        room = min(MAX_LISTED_ROWS, MAX_BYTES // (4 * columns.p))
        listed = max(MIN_LISTED_ROWS, min(columns.widest, room))
        return inherited_rows.InheritedRows(*given, slots, listed)

    def arrays(self, numbers: range) -> TreeArrays:
        """Some trees, as the forest keeps them."""
        space, roots = self.grow(numbers)
        return arrays_of(nodes_of(space, self.table.scales, self.target, self.plan), roots)

    def tree(self, number: int) -> Tree:
        """One tree, whichever others there are, of what its bag counts."""
        one = self
        if self.weighed is not None:
            one = replace(self, target=self.weighed(number), weighed=None)
        space, _ = one.grow(range(number, number + 1))
        return tree_of(space, one.table.scales, one.target, one.plan)


@dataclass(frozen=True)
class GrowTrees:
    """The call that grows some trees: it holds the coded table, and pickles."""

    grower: ForestGrower
    cut: Callable[[Tree], Tree] | None  # what is done with a tree that has grown

    @property
    def one_by_one(self) -> bool:
        """Whether each tree is made by itself, and not written down together with others."""
        grower = self.grower
        return self.cut is not None or grower.weighed is not None or any(grower.plan.slopes)

    def __call__(self, numbers: range) -> TreeArrays:
        if not self.one_by_one:
            return self.grower.arrays(numbers)
        tree = self.grower.tree(numbers[0])
        return arrays_of(tree if self.cut is None else self.cut(tree))


def grow_trees(
    grow: GrowTrees, numbers: range, passes: Passes, done: Callable[[int], None] | None
) -> list[TreeArrays]:
    """Grow the trees of these numbers, and check the memory of all after the first ones.

    Parameters
    ----------
    grow : GrowTrees
        The call that grows some of them.
    numbers : range
        The numbers of the trees.
    passes : Passes
        Where calls run.
    done : callable or None
        Called with the number of trees that have grown since.

    Returns
    -------
    list of TreeArrays
    """
    threads, size = passes.engine.n_threads, 1
    if not grow.one_by_one:
        batch = MAX_BATCH_ROWS // len(grow.grower.bags)
        size = max(1, min(-(-len(numbers) // threads), batch))
    runs = [numbers[at : at + size] for at in range(0, len(numbers), size)]
    sizes = iter([len(run) for run in runs])

    def report(_: int) -> None:
        if done:
            done(next(sizes))

    found = passes.each(grow, runs[:threads], report)
    share = len(numbers) / max(sum(len(one.roots) for one in found), 1)
    memory_budget.check_memory(
        2 * share * sum(one.nbytes for one in found), f"a forest of {len(numbers):,} trees",
        "Grow fewer, or set max_depth.",
    )  # fmt: skip
    return found + passes.each(grow, runs[threads:], report)
