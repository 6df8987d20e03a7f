"""Random splits: which columns a node considers, and one random split of each column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.coded_columns import Scale
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import Plan
from tallylearn.models.trees.growing.split_search import Pool, Split, Table
from tallylearn.tables import Array


class Draw:
    """Chance at one node: it depends on the seed and the node's number, and on no thread."""

    def __init__(self, plan: Plan, target: Target, node: int) -> None:
        self.plan, self.target = plan, target
        self.chance = np.random.default_rng((plan.seed, node))

    def of(self, at: int, scale: Scale) -> Callable[[Table], Array | None]:
        """How the lines of a column are put into groups; None where there is nothing to part."""
        return lambda table: self._groups(at, scale, table)

    def _groups(self, at: int, scale: Scale, table: Table) -> Array | None:
        v = len(table.codes)
        if v == 1 and table.gaps and missing_values.by_fit(self.plan.missing):
            return np.zeros(1, np.int64)  # whether there is a value at all
        if v < 2:
            return None
        if not table.number and self.plan.category_split == "multiway":
            return np.arange(v)
        if table.number:
            return self._cut(scale, table.codes)
        pool = Pool.of(at, table, self.plan, self.target)
        v = len(pool.table.codes)
        return pool.groups(self._parted(v)) if v > 1 else None

    def _cut(self, scale: Scale, codes: Array) -> Array:
        """A cut drawn evenly between the least and the greatest value, neither side empty."""
        low, high = float(scale.high[codes[0]]), float(scale.low[codes[-1]])
        share = float(self.chance.random())
        cut = low * (1 - share) + high * share  # the difference of two doubles may be too large
        last = int(np.searchsorted(scale.low[codes], cut, side="right")) - 1
        upper = np.arange(len(codes)) > np.clip(last, 0, len(codes) - 2)
        return np.asarray(upper, dtype=np.int64)

    def _parted(self, v: int) -> Array:
        """A coin for every category, until neither side is empty; the first category is first."""
        groups = np.zeros(v, np.int64)
        while groups.min() == groups.max():
            groups = self.chance.integers(0, 2, v)
        return np.asarray(groups if groups[0] == 0 else 1 - groups)


def tried(found: list[list[Split]], plan: Plan, node: int, asked: list[bool]) -> list[list[Split]]:
    """The questions of ``max_features`` columns, drawn; of more where none of these has any.

    They are drawn among those that can be asked: an identifier has no value to ask for.
    """
    columns = np.flatnonzero(asked)
    if plan.max_features >= len(columns):
        return found
    order = np.random.default_rng((plan.seed, node, 1)).permutation(len(columns))
    kept, some = set[int](), False
    for j in columns[order].tolist():
        if len(kept) >= plan.max_features and some:
            break
        kept.add(j)
        some = some or bool(found[j])
    return [column for j, column in enumerate(found) if j in kept]
