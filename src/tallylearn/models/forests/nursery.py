"""A nursery: the table is coded once, and every tree counts the columns that it draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn import budgets, engines
from tallylearn.errors import InputError
from tallylearn.kernels.trees import bagged_rows, drawn_rows
from tallylearn.kernels.trees import grower as growers
from tallylearn.kernels.trees import record as records
from tallylearn.models.forests.bags import Bags, tree_seed
from tallylearn.models.forests.stems import Stem, stem_of
from tallylearn.models.trees.growing import gaps
from tallylearn.models.trees.growing.coded_columns import Coded, coded
from tallylearn.models.trees.growing.grower import amounts_of, columns_of, settings_of, tree_of
from tallylearn.models.trees.growing.growing_tree import Space
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import ENDLESS, Plan
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array, Block

WIDEST = 65_534  # codes of a column, with one more for what is missing, in 16 bits
TIE = "random"  # of columns that part the rows of a small node alike the first would always win
MOST_CLASSES = 1 << 22  # the bits of an entry that are left for its class


@dataclass(frozen=True)
class Nursery:
    """What all trees of a forest grow from."""

    table: Coded
    grid: Array  # (n, p) uint16: the codes of a row beside each other
    target: Target
    plan: Plan
    bags: Bags
    weighed: Callable[[Array], Target] | None = None  # what a bag counts, where each weighs anew

    @classmethod
    def of(cls, block: Block, target: Target, plan: Plan, bins: int | None, bags: Bags) -> Nursery:
        if len(target.classes) > MOST_CLASSES:
            raise InputError(f"a forest takes at most {MOST_CLASSES:,} classes.")
        table = coded(block, min(bins or WIDEST, WIDEST))
        for scale in table.scales:
            if scale.width > WIDEST:
                raise InputError(
                    f"column {scale.column.name!r} has {scale.width:,} values, and a forest takes "
                    f"at most {WIDEST:,}. Join its rare values, or leave it out."
                )
        table, fixed = gaps.filled(plan.missing, table, target.weights)
        grid = np.empty((len(target), len(table.scales)), np.uint16)
        for j in range(len(table.scales)):
            grid[:, j] = table.grid[j] if len(table.grid) else table.codes(j)
        slim = replace(table, lists=table.lists[:0], grid=table.grid[:0])
        plan = replace(plan.with_fixed(fixed), tie=TIE, lists_ties=False)
        return cls(slim, grid, target, plan, bags)

    @cached_property
    def asked(self) -> tuple[Any, Any, Any]:
        """Settings, columns and amounts, as the kernels see them: the same for all trees."""
        return self._asked(self.target)

    def _asked(self, target: Target) -> tuple[Any, Any, Any]:
        scales, plan = self.table.scales, self.plan
        return settings_of(scales, target, plan), columns_of(scales, plan), amounts_of(target)

    def tree(self, number: int) -> Tree:
        """One tree, whichever others there are."""
        bag, seed = self.bags.entries(number), tree_seed(self.bags.seed, number) >> 1
        target = self.target if self.weighed is None else self.weighed(bag)
        settings, columns, amounts = self.asked if self.weighed is None else self._asked(target)
        record = records.Record(min(2 * len(bag), 1000), columns.p, amounts.q, settings.draws)
        record.begin(0, len(bag), 0, seed)
        kept = drawn_rows.DrawnRows if settings.draws else bagged_rows.BaggedRows
        rows = kept(columns, amounts, self.grid, bag)
        grower = growers.Grower(settings, columns, amounts, rows, record, columns.widest + 1)
        while full := grower.grow(ENDLESS, ENDLESS):
            record.enlarge(full)
        return tree_of(Space(*record.arrays()), self.table.scales, target, self.plan)


def stems(
    nursery: Nursery,
    numbers: range,
    finished: Callable[[Tree], Tree],
    done: Callable[[int], None] | None,
) -> list[Stem]:
    """The trees of these numbers, on the threads of the engine; memory is asked for in time."""
    threads = engines.here().number
    first, rest = numbers[:threads], numbers[threads:]

    def stem(number: int) -> Stem:
        return stem_of(finished(nursery.tree(number)))

    found = engines.each(stem, first, done)
    size = sum(one.nbytes for one in found) / max(len(found), 1) * len(numbers)
    budgets.ask(2 * size, f"a forest of {len(numbers):,} trees", "Grow fewer, or set max_depth.")
    return found + engines.each(stem, rest, done)
