"""Trees grown in Python: rows in parts (Quinlan, 1993), random splits, absolute error with costs.

What the compiled growers do not cover. A row whose value is missing at a split goes down every
branch, with a share of its weight in proportion to the weight of the branch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tallylearn.models.trees import routing
from tallylearn.models.trees.growing import gain_ratio, missing_values
from tallylearn.models.trees.growing.absolute_error import MeasureRanks, Spread
from tallylearn.models.trees.growing.coded_columns import Coded, Scale
from tallylearn.models.trees.growing.grower import tree_of
from tallylearn.models.trees.growing.grown_nodes import GrownNodes
from tallylearn.models.trees.growing.impurity import impurity_of, weights_of
from tallylearn.models.trees.growing.monotone import Bounds, bounds_below
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import Plan
from tallylearn.models.trees.growing.random_splits import Draw, tried
from tallylearn.models.trees.growing.shares import Share
from tallylearn.models.trees.growing.split_choice import chosen, scored
from tallylearn.models.trees.growing.split_search import (
    TIED,
    Split,
    Table,
    allowed,
    rows_of,
    split_of,
    splits,
)
from tallylearn.models.trees.node import LEAF, MULTIWAY, SUBSET, THRESHOLD
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array


@dataclass(frozen=True)
class Rows:
    """The table as codes, and what its rows amount to."""

    columns: tuple[Scale, ...]
    codes: Array  # (p, n) int32
    target: Target
    plan: Plan
    measure_ranks: MeasureRanks | None = None  # by absolute error

    @classmethod
    def of(cls, table: Coded, target: Target, plan: Plan) -> Rows:
        codes = np.stack([table.codes(j) for j in range(len(table.scales))])
        measure_ranks = MeasureRanks.of(target) if plan.criterion == ABSOLUTE else None
        return cls(table.scales, codes, target, plan, measure_ranks)

    def all(self) -> Share:
        return Share(np.arange(len(self.target)), self.target.units)

    def table(self, j: int, share: Share, lines: Array) -> Table:
        """One column of some rows that amount to ``lines``, gaps filled where the rule says so."""
        table = self._counted(j, share, lines)
        if missing_values.filled_at_nodes(self.plan.missing) and len(table.codes):
            return table.filled(self.plan.missing, len(self.target.classes))
        return table

    def _raw(self, j: int, share: Share) -> Table:
        return self._counted(j, share, self.target.lines(share.rows, share.units))

    def _counted(self, j: int, share: Share, lines: Array) -> Table:
        scale = self.columns[j]
        return Table.of(self.codes[j][share.rows], lines, scale.width, scale.number)

    def impurity(self, share: Share, total: Array) -> float:
        """Of some rows that amount to ``total``."""
        if self.measure_ranks is not None:
            return Spread(share, self.measure_ranks, self.target, self.plan).impurity
        return float(impurity_of(self.plan.criterion, self.target)(total))

    def splits(self, share: Share, impurity: float, slack: float = np.inf) -> list[list[Split]]:
        """What every column offers, with scores: all, or what gains the most within ``slack``."""
        if self.measure_ranks is not None:
            spread = Spread(share, self.measure_ranks, self.target, self.plan)
            return scored(self._spread(share, spread.splits), impurity, self.plan)
        lines = self.target.lines(share.rows, share.units)
        total, p = lines.sum(axis=0), len(self.columns)
        found = [self._offered(j, self.table(j, share, lines), total, slack) for j in range(p)]
        if self.plan.variant == "c45":
            return gain_ratio.scored(found, self.columns, len(self.target), self.plan)
        return scored(found, impurity, self.plan)

    def best_splits(self, share: Share, impurity: float) -> list[list[Split]]:
        """The same, but only the best of every column."""
        if self.measure_ranks is not None:
            spread = Spread(share, self.measure_ranks, self.target, self.plan)
            return scored(self._spread(share, spread.best), impurity, self.plan)
        return self.splits(share, impurity, 2.0 * TIED * impurity)

    def drawn(self, share: Share, draw: Draw) -> list[list[Split]]:
        """What is drawn of every column: one question, or none that may be asked."""
        if self.measure_ranks is not None:
            spread = Spread(share, self.measure_ranks, self.target, self.plan)
            return [
                spread.drawn(j, codes[share.rows], scale.width, scale.number, draw.of(j, scale))
                for j, (codes, scale) in enumerate(zip(self.codes, self.columns, strict=True))
            ]
        lines = self.target.lines(share.rows, share.units)
        total, found = lines.sum(axis=0), list[list[Split]]()
        for j, scale in enumerate(self.columns):
            table = self.table(j, share, lines)
            groups = draw.of(j, scale)(table) if len(table.codes) else None
            made = [] if groups is None else [
                split_of(j, table, groups, total, self.plan, self.target)
            ]  # fmt: skip
            found.append([q for q in made if allowed(q, self.plan, self.target)])
        return found

    def _offered(self, j: int, table: Table, total: Array, slack: float) -> list[Split]:
        if not len(table.codes):
            return []
        if self.plan.variant == "c45" and table.number:
            reach = gain_ratio.reach_of(self.columns[j])
            return gain_ratio.cuts(j, table, reach, total, self.plan, self.target)
        return splits(j, table, total, self.plan, self.target, slack)

    def _spread(self, share: Share, offer: Callable[..., list[Split]]) -> list[list[Split]]:
        """What every column offers."""
        return [
            offer(j, codes[share.rows], scale.width, scale.number)
            for j, (codes, scale) in enumerate(zip(self.codes, self.columns, strict=True))
        ]

    def parted(self, share: Share, q: Split) -> tuple[list[Share], int]:
        """The rows of every branch, and the branch of what is missing (-1: none)."""
        codes, rule = self.codes[q.column][share.rows], self.plan.missing
        width, last, usual = self.columns[q.column].width, len(q.branches) - 1, -1
        gap = codes == width
        known = np.unique(codes[~gap]) if q.test in (MULTIWAY, SUBSET) else codes[:0]
        to = routing.by_codes(codes, width, q.test, q.cut, known, q.groups)
        if missing_values.in_parts(rule):
            return self._portions(share, to, gap, q), -1
        if missing_values.by_fit(rule) and gap.any():
            usual = last if q.gap < 0 else q.gap
            to = np.where(gap, usual, to)
        elif missing_values.filled_at_nodes(rule):
            table, classes = self._raw(q.column, share), len(self.target.classes)
            fills = q.groups[missing_values.fills(rule, table.lines, table.number, classes)]
            usual = int(
                q.groups[missing_values.fills("node", table.lines, table.number, classes)[0]]
            )
            mine = fills[self.target.labels[share.rows]] if classes else usual
            to = np.where(gap, mine, to)
        elif missing_values.filled_before(rule):
            usual = self._fixed(q, self._raw(q.column, share))
        return [share.where(to == b) for b in range(len(q.branches))], usual

    def _fixed(self, q: Split, table: Table) -> int:
        code = int(self.plan.fixed[q.column])
        if table.number:
            return int(code > q.cut)
        at = np.flatnonzero(table.codes == code)
        return int(q.groups[at[0]]) if len(at) else -1

    def _portions(self, share: Share, to: Array, gap: Array, q: Split) -> list[Share]:
        told, to = share.where(~gap), to[~gap]
        return share.where(gap).shared_out([told.where(to == b) for b in range(len(q.branches))])


def grow_in_python(coded: Coded, target: Target, plan: Plan) -> Tree:
    """The tree of a table, node by node."""
    whole = Rows.of(coded, target, plan)
    notes = _Notes([], [], [], [], [])
    stack, medians = [(whole.all(), -1, 0, 0, plan.bounds)], []
    while stack:
        share, parent, place, depth, bounds = stack.pop()
        node, table = len(notes.nodes), replace(whole, plan=replace(plan, bounds=bounds))
        asked, impurity, total = _asked(table, share, depth, node)
        kids, usual = table.parted(share, asked[0]) if asked else ([], -1)
        notes.add((parent, place), share, asked, impurity, total, usual, table)
        medians += [] if table.measure_ranks is None else [table.measure_ranks.middle(share)]
        below = _below(asked[0], table.plan, target) if asked else []
        stack += [(kid, node, b, depth + 1, below[b]) for b, kid in reversed([*enumerate(kids)])]
    tree = tree_of(notes.space(), coded.scales, target, plan)
    return tree if whole.measure_ranks is None else replace(tree, answer=np.array(medians))


def _below(q: Split, plan: Plan, target: Target) -> list[Bounds]:
    slope = plan.slopes[q.column] if plan.slopes and q.test == THRESHOLD else 0
    return bounds_below(q.branches, slope, plan.bounds, target)


def _asked(table: Rows, share: Share, depth: int, node: int) -> tuple[list[Split], float, Array]:
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
    if plan.splitter == "random":
        offered = scored(table.drawn(share, Draw(plan, target, node)), impurity, plan)
    else:
        offered = table.best_splits(share, impurity)
    if plan.variant is None:
        offered = tried(offered, plan, node, [bool(scale.width) for scale in table.columns])
    found = chosen(offered, impurity, plan)
    if found and plan.tie == "random":
        at = int(np.random.default_rng((plan.seed, node)).integers(len(found)))
        found = [found[at], *found[:at], *found[at + 1 :]]
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
        self, place: tuple[int, int], share: Share, asked: list[Split], impurity: float,
        total: Array, usual: int, table: Rows,
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
