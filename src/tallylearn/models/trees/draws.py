"""Draws: of every column one question, drawn at random; the best of them is asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.models.trees.codes import Scale
from tallylearn.models.trees.growing import Plan
from tallylearn.models.trees.splits import Question, Table, allowed, question_of
from tallylearn.models.trees.targets import Target
from tallylearn.tables import Array


class Draw:
    """The questions of one node; what is drawn depends on the seed and the node's number only."""

    def __init__(self, plan: Plan, node: int) -> None:
        self.plan = plan
        self.chance = np.random.default_rng((plan.seed, node))

    def columns(self, p: int) -> list[int]:
        """All columns in the order of trial."""
        found: list[int] = self.chance.permutation(p).tolist()
        return found

    def question(
        self, j: int, scale: Scale, table: Table, total: Array, target: Target
    ) -> Question | None:
        """A cut through the range of a number, two groups of categories, or one branch for each."""
        groups = self._groups(scale, table)
        if groups is None:
            return None
        found = question_of(j, table, groups, total, self.plan, target)
        return found if allowed(found, self.plan, target) else None

    def _groups(self, scale: Scale, table: Table) -> Array | None:
        v = len(table.codes)
        if v == 1 and table.gaps and self.plan.missing == "branch":
            return np.zeros(1, np.int64)  # whether there is a value at all
        if v < 2:
            return None
        if not table.number and self.plan.category_split == "multiway":
            return np.arange(v)
        return self._cut(scale, table.codes) if table.number else self._parted(v)

    def _cut(self, scale: Scale, codes: Array) -> Array:
        """Even between the least and the greatest value, neither side empty."""
        low, high = float(scale.high[codes[0]]), float(scale.low[codes[-1]])
        share = float(self.chance.random())
        cut = low * (1 - share) + high * share  # no difference: that of two doubles may be too large
        last = int(np.searchsorted(scale.low[codes], cut, side="right")) - 1
        return (np.arange(len(codes)) > np.clip(last, 0, len(codes) - 2)).astype(np.int64)

    def _parted(self, v: int) -> Array:
        """A coin for every category, and again until neither side is empty; the first is first."""
        groups = np.zeros(v, np.int64)
        while groups.min() == groups.max():
            groups = self.chance.integers(0, 2, v)
        return np.asarray(groups if groups[0] == 0 else 1 - groups)


def drawn(rows: Any, share: Any, node: int) -> list[list[Question]]:
    """One question of as many columns as are to be tried; of more where none may be asked."""
    draw, target = Draw(rows.plan, node), rows.target
    lines = target.lines(share.rows, share.units)
    total = lines.sum(axis=0)
    found: dict[int, Question] = {}
    for tried, j in enumerate(draw.columns(len(rows.columns))):
        if tried >= rows.plan.max_features and found:
            break
        table = rows.table(j, share, lines)
        question = draw.question(j, rows.columns[j], table, total, target)
        if question is not None:
            found[j] = question
    return [[found[j]] for j in sorted(found)]
