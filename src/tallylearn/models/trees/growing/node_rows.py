"""The rows of a node in Python: all splits that it could have, and the rows of its branches.

The readable version of the compiled growers. It shows the gains of a node, and sends rows down a
tree again when subtrees are raised. With ``missing="fractional"`` a row whose value is missing goes
down every branch, with a share of its weight in proportion to the weight of the branch (Quinlan,
1993).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.models.trees import routing
from tallylearn.models.trees.growing import gain_ratio, missing_values
from tallylearn.models.trees.growing.absolute_error import AbsoluteDeviations, MeasureRanks
from tallylearn.models.trees.growing.coded_columns import CodedColumns, Scale
from tallylearn.models.trees.growing.impurity import impurity_of
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.growing.shares import Share
from tallylearn.models.trees.growing.split_choice import score_splits
from tallylearn.models.trees.growing.split_search import (
    CandidateSplit,
    CodeTable,
    splits,
)
from tallylearn.models.trees.node import MULTIWAY, SUBSET
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.tables import Array


@dataclass(frozen=True)
class NodeRows:
    """The table as codes, and what its rows amount to."""

    columns: tuple[Scale, ...]
    codes: Array  # (p, n) int32
    target: Target
    plan: TreePlan
    measure_ranks: MeasureRanks | None = None  # by absolute error

    @classmethod
    def of(cls, table: CodedColumns, target: Target, plan: TreePlan) -> NodeRows:
        codes = np.stack([table.codes(j) for j in range(len(table.scales))])
        measure_ranks = MeasureRanks.of(target) if plan.criterion == ABSOLUTE else None
        return cls(table.scales, codes, target, plan, measure_ranks)

    def all(self) -> Share:
        return Share(np.arange(len(self.target)), self.target.units)

    def table(self, j: int, share: Share, lines: Array) -> CodeTable:
        """One column of some rows that amount to ``lines``, gaps filled where the rule says so."""
        table = self._count_codes(j, share, lines)
        if missing_values.is_filled_at_nodes(self.plan.missing) and len(table.codes):
            return table.fill_missing(self.plan.missing, len(self.target.classes))
        return table

    def _raw(self, j: int, share: Share) -> CodeTable:
        return self._count_codes(j, share, self.target.lines(share.rows, share.units))

    def _count_codes(self, j: int, share: Share, lines: Array) -> CodeTable:
        scale = self.columns[j]
        return CodeTable.of(self.codes[j][share.rows], lines, scale.width, scale.number)

    def impurity(self, share: Share, total: Array) -> float:
        """Of some rows that amount to ``total``."""
        if self.measure_ranks is not None:
            return AbsoluteDeviations(share, self.measure_ranks, self.target, self.plan).impurity
        return float(impurity_of(self.plan.criterion, self.target)(total))

    def splits(self, share: Share, impurity: float) -> list[list[CandidateSplit]]:
        """All splits that every column offers, with scores."""
        if self.measure_ranks is not None:
            return score_splits(
                self._splits_by_median(share, self.measure_ranks), impurity, self.plan
            )
        lines = self.target.lines(share.rows, share.units)
        total, p = lines.sum(axis=0), len(self.columns)
        found = [self._candidate_splits(j, self.table(j, share, lines), total) for j in range(p)]
        if self.plan.variant == "c45":
            return gain_ratio.score_gain_ratios(found, self.columns, len(self.target), self.plan)
        return score_splits(found, impurity, self.plan)

    def _candidate_splits(self, j: int, table: CodeTable, total: Array) -> list[CandidateSplit]:
        if not len(table.codes):
            return []
        if self.plan.variant == "c45" and table.number:
            reach = gain_ratio.reach_of(self.columns[j])
            return gain_ratio.cuts(j, table, reach, total=total, plan=self.plan, target=self.target)
        return splits(j, table, total, self.plan, self.target)

    def _splits_by_median(
        self, share: Share, measure_ranks: MeasureRanks
    ) -> list[list[CandidateSplit]]:
        """What every column offers, by absolute error."""
        spread = AbsoluteDeviations(share, measure_ranks, self.target, self.plan)
        return [
            spread.splits(j, codes[share.rows], scale.width, scale.number)
            for j, (codes, scale) in enumerate(zip(self.codes, self.columns, strict=True))
        ]

    def partition(self, share: Share, q: CandidateSplit) -> tuple[list[Share], int]:
        """The rows of every branch, and the branch of what is missing (-1: none)."""
        codes, rule = self.codes[q.column][share.rows], self.plan.missing
        width, last, usual = self.columns[q.column].width, len(q.branches) - 1, -1
        gap = codes == width
        known = np.unique(codes[~gap]) if q.test in (MULTIWAY, SUBSET) else codes[:0]
        to = routing.branch_of_codes(codes, width, q.test, cut=q.cut, known=known, groups=q.groups)
        if missing_values.in_parts(rule):
            return self._portions(share, to, gap, q), -1
        if missing_values.by_fit(rule) and gap.any():
            usual = last if q.gap < 0 else q.gap
            to = np.where(gap, usual, to)
        elif missing_values.is_filled_at_nodes(rule):
            table, classes = self._raw(q.column, share), len(self.target.classes)
            fills = q.groups[missing_values.fills(rule, table.lines, table.number, classes)]
            usual = int(
                q.groups[missing_values.fills("node", table.lines, table.number, classes)[0]]
            )
            mine = fills[self.target.labels[share.rows]] if classes else usual
            to = np.where(gap, mine, to)
        elif missing_values.is_filled_before_growing(rule):
            usual = self._fixed_group(q, self._raw(q.column, share))
        return [share.select(to == b) for b in range(len(q.branches))], usual

    def _fixed_group(self, q: CandidateSplit, table: CodeTable) -> int:
        code = int(self.plan.fixed[q.column])
        if table.number:
            return int(code > q.cut)
        at = np.flatnonzero(table.codes == code)
        return int(q.groups[at[0]]) if len(at) else -1

    def _portions(self, share: Share, to: Array, gap: Array, q: CandidateSplit) -> list[Share]:
        told, to = share.select(~gap), to[~gap]
        return share.select(gap).distribute([told.select(to == b) for b in range(len(q.branches))])
