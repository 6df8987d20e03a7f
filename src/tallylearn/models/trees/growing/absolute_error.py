"""Absolute error: how far rows lie from their median, and the splits that lower it.

Sums of w |y - median| are whole numbers, so that no order of the rows matters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tallylearn.kernels.trees import running_medians
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.impurity import information_of
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.growing.shares import Share
from tallylearn.models.trees.growing.split_search import (
    CandidateSplit,
    CodeTable,
    Pool,
    follows,
    has_enough_rows,
    is_allowed,
    test_of,
)
from tallylearn.models.trees.node import MULTIWAY, PRESENCE, SUBSET, THRESHOLD
from tallylearn.tables import Array


@dataclass(frozen=True)
class MeasureRanks:
    """The measures that occur, in order, and the rung of every row."""

    ranks: Array  # (n,) int64
    values: Array  # (v,) float64, rising
    wholes: Array  # (v,) int64: the same in units
    unit: float

    @classmethod
    def of(cls, target: Target) -> MeasureRanks:
        """Units so coarse that no sum of w |y - median| overflows."""
        values, ranks = np.unique(target.measures + 0.0, return_inverse=True)  # no negative zero
        away = values - target.centre
        room = 61 - int(target.units.sum()).bit_length()
        finest = int(np.frexp(float(np.abs(away).max()))[1]) + 1 - room
        unit = max(target.unit, float(np.ldexp(1.0, finest)))
        return cls(ranks.astype(np.int64), values, np.rint(away / unit).astype(np.int64), unit)

    def absolute_deviations(
        self, share: Share, lines: Array, count: int
    ) -> tuple[Array, Array, Array]:
        """(count,) the sum of w |y - median| over the rows of every line; the ranks of its median.

        The ranks are those of the last row that is not above the middle of the weight, and of the
        first that is not below it.
        """
        order = np.lexsort((self.ranks[share.rows], lines))
        line, units, ranks = lines[order], share.units[order], self.ranks[share.rows][order]
        sums = np.concatenate([[0], np.cumsum(units)])
        starts, ends = (np.searchsorted(line, np.arange(count), side) for side in ("left", "right"))
        twice, weight = 2 * (sums[1:] - sums[starts][line]), (sums[ends] - sums[starts])[line]
        low = ranks[starts + np.bincount(line[twice < weight], minlength=count)]
        above = starts + np.bincount(line[twice <= weight], minlength=count)
        found = np.zeros(count, np.int64)
        np.add.at(found, line, units * np.abs(self.wholes[ranks] - self.wholes[low][line]))
        return found, low, ranks[np.minimum(above, ends - 1)]


@dataclass(frozen=True)
class AbsoluteDeviations:
    """The rows of a node, and how far they lie from their median."""

    share: Share
    measure_ranks: MeasureRanks
    target: Target
    plan: TreePlan

    @cached_property
    def total(self) -> int:
        """The sum of w |y - median|, in whole units."""
        return self._sum(np.ones(len(self.share.rows), bool))

    @cached_property
    def rungs(self) -> tuple[Array, Array]:
        """The rank of every row among the measures that occur here, and these."""
        here, ranks = np.unique(self.measure_ranks.ranks[self.share.rows], return_inverse=True)
        return ranks.astype(np.int64), self.measure_ranks.wholes[here]

    @cached_property
    def units(self) -> int:
        """The weight of the rows."""
        return int(self.share.units.sum())

    @property
    def impurity(self) -> float:
        """The mean absolute deviation from the median."""
        return self._mean(self.total, self.units)

    def splits(self, j: int, codes: Array, width: int, number: bool) -> list[CandidateSplit]:
        """All that a column offers, by the code (``width``: missing) of every row."""
        table, known, lines, gap = self._tabulate(codes, width, number)
        if not len(table.codes):
            return []
        if not number and self.plan.category_split == "multiway":
            return self._multiway(j, table, known, lines, gap)
        pool = Pool.of(j, table, self.plan, self.target)
        cuts = _MedianCuts.of(self, pool.table, known, pool.line[lines], gap)
        return [pool.unpool(q) for q in cuts.splits(j)]

    def _tabulate(
        self, codes: Array, width: int, number: bool
    ) -> tuple[CodeTable, Array, Array, int]:
        """A column's table, the rows that have a value, their lines, and how far the rest lie."""
        units = self.share.units
        counted = self.target.count_units(self.share.rows, units)
        amounts = np.column_stack([units, counted][: 1 + self.target.weighed])
        table = CodeTable.of(codes, amounts, width, number)
        if missing_values.is_filled_at_nodes(self.plan.missing) and table.gaps and len(table.codes):
            usual = table.codes[missing_values.most_common(table.lines[:, 0], number)]
            codes = np.where(codes == width, usual, codes)
            table = CodeTable.of(codes, amounts, width, number)
        known = codes < width
        lines = np.searchsorted(table.codes, codes[known])
        return table, known, lines, 0 if self._parts else self._sum(~known)

    def _multiway(
        self, j: int, table: CodeTable, known: Array, lines: Array, gap: int
    ) -> list[CandidateSplit]:
        """One branch a category."""
        v = len(table.codes)
        if v + (table.gaps > 0) < 2:
            return []
        if v > 1 and self.follows(table):
            return self._following(j, table, np.arange(v), known, lines)
        left = int(self.measure_ranks.absolute_deviations(self.of(known), lines, v)[0].sum()) + gap
        fall = self.before(known) - left
        branches = (
            [table.lines, table.gap[None]] if self.has_missing_branch(table) else [table.lines]
        )
        q = self.question(
            j,
            MULTIWAY,
            (-1, -1),
            groups=np.arange(v),
            branches=np.concatenate(branches),
            left=left,
            fall=fall,
        )
        return [q] if is_allowed(q, self.plan, self.target) else []

    def _following(
        self, j: int, table: CodeTable, groups: Array, known: Array, branch: Array
    ) -> list[CandidateSplit]:
        """The question that puts lines into groups, missing values in the first they fit best.

        ``branch``: of the ``known`` rows. Of two, it is one that may be asked.
        """
        size, (test, *cut) = int(groups.max()) + 1, test_of(table, groups, self.plan)
        apart = self.measure_ranks.absolute_deviations(self.of(known), branch, size)[0]
        alone, place = np.zeros((size, table.lines.shape[1]), np.int64), np.full(len(known), -1)
        np.add.at(alone, groups, table.lines)
        place[known] = branch
        found = list[tuple[int, CandidateSplit]]()
        for b in range(size):
            joined = alone + table.gap * (np.arange(size) == b)[:, None]
            left = int(apart.sum() - apart[b]) + self._sum((place == b) | ~known)
            parts = groups, joined, left, self.total - left
            found.append((left, replace(self.question(j, test, (cut[0], cut[1]), *parts), gap=b)))
        may = [is_allowed(q, self.plan, self.target) for _, q in found]
        if test != MULTIWAY:
            found = [pair for pair, fit in zip(found, may, strict=True) if fit]
        best = [min(found, key=lambda pair: pair[0])[1]] if found else []
        return [q for q in best if is_allowed(q, self.plan, self.target)]

    def question(
        self, j: int, test: int, cut: tuple[int, int], groups: Array, branches: Array, left: int,
        fall: int,
    ) -> CandidateSplit:  # fmt: skip
        """A question whose branches are ``left`` apart in all, which is a ``fall``."""
        every = self.units
        after = self._mean(left, int(branches[:, 0].sum()))
        information = float(information_of(branches[:, 0] / every))
        gain = self._mean(fall, every)
        return CandidateSplit(
            j, test, *cut, groups=groups, branches=branches, after=after, gain=gain,
            information=information,
        )  # fmt: skip

    def before(self, known: Array) -> int:
        """What a question starts from: with rows in parts, those that have an answer."""
        return self._sum(known) if self._parts else self.total

    def follows(self, table: CodeTable) -> bool:
        """Whether missing values go down the branch that they fit best."""
        total = table.lines.sum(axis=0) + table.gap
        return follows(table, total, self.plan, self.target)

    def has_missing_branch(self, table: CodeTable) -> bool:
        """Whether what is missing has a branch of its own."""
        return table.gaps > 0 and not self._parts

    @property
    def _parts(self) -> bool:
        return missing_values.in_parts(self.plan.missing)

    def of(self, rows: Array) -> Share:
        return type(self.share)(self.share.rows[rows], self.share.units[rows])

    def _sum(self, rows: Array) -> int:
        share = self.of(rows)
        if not len(share.rows):
            return 0
        return int(
            self.measure_ranks.absolute_deviations(share, np.zeros(len(share.rows), np.int64), 1)[
                0
            ][0]
        )

    def _mean(self, apart: int, units: int) -> float:
        return apart / units * self.measure_ranks.unit if units else 0.0


@dataclass(frozen=True)
class _MedianCuts:
    """Every way to cut the lines of a table in two, in one order."""

    node: AbsoluteDeviations
    table: CodeTable
    order: Array  # (v,) of the lines
    lower: Array  # (v, q) int64: the first lines up to each
    left: Array  # (v,) int64: how far both sides and the gap are from their medians, in all
    beside: Array  # (v,) int64: the same with the gap before the cut; empty: it follows no side
    before: int

    @classmethod
    def of(
        cls, node: AbsoluteDeviations, table: CodeTable, known: Array, lines: Array, gap: int
    ) -> _MedianCuts:
        v = len(table.codes)
        order = np.arange(v)
        if not table.number:  # by their medians
            _, low, high = node.measure_ranks.absolute_deviations(node.of(known), lines, v)
            order = np.lexsort(
                (order, node.measure_ranks.wholes[low] + node.measure_ranks.wholes[high])
            )
        place = np.argsort(order)[lines]
        rows = np.argsort(place)
        ends = np.cumsum(np.bincount(place, minlength=v))
        ranks, rungs = node.rungs
        all_ranks, all_units = ranks, node.share.units
        ranks, units = ranks[known][rows], all_units[known][rows]
        lower, before = table.lines[order].cumsum(axis=0), node.before(known)
        if not node.follows(table):
            left = _both_sides(ranks, units, rungs, ends) + gap
            return cls(node, table, order, lower, left, left[:0], before)
        apart, weights, m = all_ranks[~known], all_units[~known], len(all_ranks)
        last = np.append(ranks, apart), np.append(units, weights), rungs, np.append(ends, m)
        ends = np.append(0, ends) + len(apart)
        first = np.append(apart, ranks), np.append(weights, units), rungs, ends
        left, beside = _both_sides(*last)[:v], _both_sides(*first)[1:]
        return cls(node, table, order, lower, left, beside, before)

    def splits(self, j: int) -> list[CandidateSplit]:
        """Those that may be asked: the presence first."""
        v = len(self.order)
        cuts = np.append(v - 1, np.arange(v - 1))[
            0 if self.node.has_missing_branch(self.table) else 1 :
        ]
        upper = self.lower[-1] - self.lower
        upper[-1] = self.table.gap
        sides = np.stack([self.lower, upper], axis=1)
        fit, left, side = self._fit(sides), self.left, np.full(v, -1)
        if len(self.beside):
            sides, fit, left, side = self._assign_missing(sides, fit)
        return [
            self._question(j, r, sides[r], int(left[r]), int(side[r]))
            for r in cuts[fit[cuts]].tolist()
        ]

    def _fit(self, sides: Array) -> Array:
        """Whether both sides of every cut have rows and weight enough."""
        whole = self.lower[-1] + (self.table.gap if self.node.has_missing_branch(self.table) else 0)
        return np.asarray(
            has_enough_rows(sides, whole, self.node.plan, self.node.target).all(axis=1)
        )

    def _assign_missing(self, sides: Array, fit: Array) -> tuple[Array, Array, Array, Array]:
        """The sides of every cut with missing values on the one they fit best, and which it is."""
        cut = np.arange(len(sides)) < len(sides) - 1  # the last asks whether there is a value
        first, last = (
            sides + self.table.gap * np.eye(2, dtype=np.int64)[b][:, None] for b in (0, 1)
        )
        before, behind = self._fit(first), self._fit(last)
        takes = before & (~behind | (self.beside <= self.left))
        joined = np.where(takes[:, None, None], first, last)
        return (
            np.where(cut[:, None, None], joined, sides), np.where(cut, before | behind, fit),
            np.where(cut & takes, self.beside, self.left), np.where(cut, 1 - takes, -1),
        )  # fmt: skip

    def _question(self, j: int, r: int, sides: Array, left: int, gap: int) -> CandidateSplit:
        v, table, last = len(self.order), self.table, r == len(self.order) - 1
        test, cut, groups = SUBSET, (-1, -1), self._steps[v - 1 - r : 2 * v - 1 - r]
        if table.number:
            test = PRESENCE if last else THRESHOLD
            cut = int(table.codes[r]), -1 if last else int(table.codes[r + 1])
        else:
            groups = groups[np.argsort(self.order)]
            if groups[0]:  # the first category is in the first branch
                groups, sides = 1 - groups, sides[::-1]
                gap = 1 - gap if gap >= 0 else gap
        if self.node.has_missing_branch(table) and not last and gap < 0:
            sides = np.concatenate([sides, table.gap[None]])
        q = self.node.question(
            j, test, cut, groups=groups, branches=sides, left=left, fall=self.before - left
        )
        return replace(q, gap=gap)

    @cached_property
    def _steps(self) -> Array:
        """Zeros, then ones: the groups of every cut are a part of it, and take no room."""
        return np.repeat(np.arange(2), len(self.order))


def _both_sides(ranks: Array, units: Array, rungs: Array, ends: Array) -> Array:
    """(v,) how far the rows up to every end, and those behind it, are from their medians."""
    left = _sweep_deviations(ranks, units, rungs, ends)
    upper = _sweep_deviations(
        ranks[::-1], units[::-1], rungs, np.cumsum(np.diff(ends, prepend=0)[::-1])
    )
    left[:-1] += upper[-2::-1]
    return left


def _sweep_deviations(ranks: Array, units: Array, rungs: Array, ends: Array) -> Array:
    """(v,) how far the rows up to every end are from their median."""
    out, room = np.empty(len(ends), np.int64), np.zeros((2, len(rungs) + 1), np.int64)
    ranks, units = np.ascontiguousarray(ranks), np.ascontiguousarray(units)
    running_medians.sweep(ranks, units, rungs, ends, room, out)
    return out
