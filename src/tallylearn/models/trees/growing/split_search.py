"""Split search: every split that a node could have, and the impurity of its branches.

The readable version of ``kernels.trees.split_search``: it shows the gains of a node.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.impurity import gain_of, impurity_of, weights_of
from tallylearn.models.trees.growing.monotone import is_monotone
from tallylearn.models.trees.growing.node_target import Target, sums_of
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.node import MULTIWAY, PRESENCE, SUBSET, THRESHOLD
from tallylearn.tables import Array

TIED = 1e-9  # of the impurity, or of the best score
SHARED = 2  # rows: a value that tells has others like it
ROW_ROUNDING = 1e-6  # rows: what parts of rows may fall short of a whole one


@dataclass(frozen=True)
class CodeTable:
    """A column at a node: what the rows of every code amount to; what is missing stands apart."""

    codes: Array  # (v,) those that occur, sorted
    lines: Array  # (v, q) int64
    gap: Array  # (q,) int64: rows without a value
    gaps: int  # how many those are
    number: bool
    width: int  # how many codes the column has in the whole table

    @classmethod
    def of(cls, codes: Array, amounts: Array, width: int, number: bool) -> CodeTable:
        """From the code (``width``: missing) and the amounts (m, q) of every row."""
        order = np.argsort(codes, kind="stable")
        ranked = codes[order]
        starts = np.flatnonzero(np.diff(ranked, prepend=-1))
        found = ranked[starts]
        lines = np.add.reduceat(amounts[order], starts, axis=0) if len(starts) else amounts[:0]
        known = int(np.searchsorted(found, width))  # what is missing comes last, if any is
        gaps = len(codes) - int(starts[known]) if known < len(starts) else 0
        return cls(found[:known], lines[:known], lines[known:].sum(axis=0), gaps, number, width)

    def fill_missing(self, rule: str, classes: int) -> CodeTable:
        """With what is missing in the lines that the rule says."""
        fills, usual = (
            missing_values.fills(r, self.lines, self.number, classes) for r in (rule, "node")
        )
        lines = self.lines.copy()
        for c in range(lines.shape[1]):
            lines[fills[c] if c < classes else usual[0], c] += self.gap[c]
        return replace(self, lines=lines, gap=np.zeros_like(self.gap), gaps=0)


@dataclass(frozen=True)
class CandidateSplit:
    """One way to split a node."""

    column: int
    test: int
    cut: int  # the last code of the first branch; of a subset the branch of all others; else -1
    next: int  # the first code of the second branch; -1 for presence and categories
    groups: Array  # (v,) the branch of every line
    branches: Array  # (b, q) int64, that of missing values last, if they have one of their own
    after: float  # mean impurity of the branches
    gain: float
    information: float  # of the split, in bits
    score: float = 0.0
    gap: int = -1  # the branch of missing values that follow others; -1: none

    @property
    def ratio(self) -> float:
        """Gain by split information; 0 where that is 0."""
        return self.gain / self.information if self.information > 0 else 0.0


def splits(
    at: int, table: CodeTable, total: Array, plan: TreePlan, target: Target
) -> list[CandidateSplit]:
    """All splits that a column offers: thresholds, one branch a category, or two groups of them."""
    v = len(table.codes)
    if table.number or plan.category_split != "multiway":
        pool = Pool.of(at, table, plan, target)
        table = pool.table
        orders = [np.arange(v)] if table.number else _orders(pool, target, total, plan)
        each = (
            _binary_splits(at, table, order, total=total, plan=plan, target=target)
            for order in orders
        )
        return [pool.unpool(q) for found in each for q in found]
    if v + (table.gaps > 0) < 2:
        return []
    q = split_of(at, table, np.arange(v), total=total, plan=plan, target=target)
    return [q] if is_allowed(q, plan, target) else []


@dataclass(frozen=True)
class Pool:
    """A column whose rare values are one line, the last: it stands for all others."""

    table: CodeTable
    line: Array  # (u,) the line of every one of the table as it was
    rare: Array  # (u,) bool

    @classmethod
    def of(cls, at: int, table: CodeTable, plan: TreePlan, target: Target) -> Pool:
        """Of a table with rare values; others stay as they are."""
        least = 0 if table.number else least_rows(at, table.width, plan)
        rare = rows_of(table.lines, plan, target) < least
        line = np.where(rare, np.count_nonzero(~rare), np.cumsum(~rare) - 1)
        if not rare.any():
            return cls(table, line, rare)
        last = table.lines[rare].sum(axis=0, keepdims=True)
        codes = np.append(table.codes[~rare], table.codes[rare][0])
        lines = np.concatenate([table.lines[~rare], last])
        return cls(replace(table, codes=codes, lines=lines), line, rare)

    def groups(self, groups: Array) -> Array:
        """The branch of every line as it was: the first one's is the first."""
        found = groups[self.line]
        return np.asarray(1 - found if found[0] and self.rare.any() else found)

    def unpool(self, q: CandidateSplit) -> CandidateSplit:
        """A question about the table as it was."""
        if not self.rare.any():
            return q
        groups, branches, gap = self.groups(q.groups), q.branches, q.gap
        if q.groups[self.line[0]]:
            branches = branches[[1, 0, *range(2, len(branches))]]
            gap = 1 - gap if gap >= 0 else gap
        cut = int(groups[self.rare][0])
        return replace(q, groups=groups, branches=branches, cut=cut, gap=gap)


def least_rows(at: int, width: int, plan: TreePlan) -> int:
    """The rows of a node that a value of a category needs, so as not to be rare there.

    Where the values of the whole table tell the target, two: one row alone is not told by others.
    """
    if width <= plan.most_values:
        return 0
    told = plan.telling and plan.telling[at]
    return min(SHARED, plan.min_category) if told else plan.min_category


def _orders(pool: Pool, target: Target, total: Array, plan: TreePlan) -> list[Array]:
    """The lines by the share of a class, or by mean; of several classes by each.

    Where values are rare, shares are smoothed towards that of the node.
    """
    table, k, v = pool.table, len(target.classes), len(pool.table.codes)
    added = plan.smoothing * 2.0**target.power if pool.rare.any() else 0.0
    weight = np.maximum(table.lines[:, :k].sum(axis=1) if k else table.lines[:, 0], 1)
    at = [1] if k <= 2 else [*range(k)]
    whole = max(float(total[:k].sum() if k else total[0]), 1.0)
    amounts = table.lines[:, at] * whole + added * total[at]  # whole numbers: ties stay
    shares = (amounts if added else table.lines[:, at]) / (weight + added)[:, None]
    return [np.lexsort((np.arange(v), share)) for share in shares.T]


def _binary_splits(
    at: int, table: CodeTable, order: Array, total: Array, plan: TreePlan, target: Target
) -> list[CandidateSplit]:
    """Cuts through the lines; where values are missing, first whether there is one at all.

    Where all known rows are of one class, that is the only split, unless missing values follow a
    side: they may be too few for a branch of their own.
    """
    k, v, gapped = (
        len(target.classes),
        len(order),
        table.gaps and not missing_values.in_parts(plan.missing),
    )
    found = (
        [split_of(at, table, np.zeros(v, np.int64), total=total, plan=plan, target=target)]
        if gapped
        else []
    )
    found = [q for q in found if is_allowed(q, plan, target)]
    lower, beside = table.lines[order].cumsum(axis=0), follows(table, total, plan, target)
    if k and (lower[-1, :k] > 0).sum() < 2 and not beside:
        return found
    cuts = _Cuts.of(
        at, lower, table.gap * bool(gapped), beside=beside, total=total, plan=plan, target=target
    )
    steps = np.repeat(np.arange(2), v)  # the groups of every cut are a part of it
    for r in np.flatnonzero(cuts.fit).tolist():
        groups, cut, into = steps[v - 1 - r : 2 * v - 1 - r], (THRESHOLD, -1, -1), cuts.branches[r]
        gap = int(cuts.gap[r])
        if table.number:
            cut = THRESHOLD, int(table.codes[r]), int(table.codes[r + 1])
        else:
            gap = 1 - gap if gap >= 0 and groups[np.argsort(order)[0]] else gap
            groups, into = _group_lines(order, groups, into)
            cut = SUBSET, -1, -1
        numbers = float(cuts.after[r]), float(cuts.gain[r]), float(cuts.information[r])
        found.append(CandidateSplit(at, *cut, groups, into, *numbers, gap=gap))
    return found


@dataclass(frozen=True)
class _Cuts:
    """Every cut through the lines of a column, in one order."""

    branches: Array  # (v - 1, b, q) int64
    after: Array  # (v - 1,) mean impurity
    gain: Array  # (v - 1,)
    information: Array  # (v - 1,)
    fit: Array  # (v - 1,) bool: whether it may be
    gap: Array  # (v - 1,) the side that missing values follow; -1: none

    @classmethod
    def of(
        cls, at: int, lower: Array, gap: Array, beside: bool, total: Array, plan: TreePlan,
        target: Target,
    ) -> _Cuts:  # fmt: skip
        """``lower`` (v, q): the first lines up to each. ``beside``: missing values go with one."""
        sides, whole = [lower[:-1], lower[-1] - lower[:-1]], lower[-1] + gap

        def make_cuts(parts: list[Array], side: int) -> _Cuts:
            branches = np.stack(parts, axis=1)
            numbers = gain_of(branches, total, plan.criterion, target)
            fit = has_enough_rows(branches, whole, plan, target)[:, :2].all(axis=1)
            fit &= is_monotone(branches, at, plan, target)
            return cls(branches, *numbers, fit, np.full(len(branches), side))

        if not beside:
            own = [np.broadcast_to(gap, sides[0].shape)] if gap.any() else []
            return make_cuts(sides + own, -1)
        left, right = (
            make_cuts([sides[0] + gap, sides[1]], 0),
            make_cuts([sides[0], sides[1] + gap], 1),
        )
        tied = TIED * float(impurity_of(plan.criterion, target)(total))
        takes = right.fit & (~left.fit | (right.after < left.after - tied))
        parts = zip(vars(left).values(), vars(right).values(), strict=True)
        return cls(*(np.where(takes.reshape(-1, *[1] * (a.ndim - 1)), b, a) for a, b in parts))


def follows(table: CodeTable, total: Array, plan: TreePlan, target: Target) -> bool:
    """Whether the missing values of a column go down the branch that they fit best."""
    if not table.gaps or not missing_values.by_fit(plan.missing):
        return False
    own = missing_values.own_branch(plan.missing)
    return not (own and bool(has_enough_rows(table.gap[None], total, plan, target)[0]))


def _group_lines(order: Array, steps: Array, branches: Array) -> tuple[Array, Array]:
    """The group of every line, and what they hold: the first line is in the first group."""
    groups = np.empty(len(order), dtype=np.int8)
    groups[order] = steps
    return (
        (1 - groups, branches[[1, 0, *range(2, len(branches))]])
        if groups[0]
        else (groups, branches)
    )


def split_of(
    at: int, table: CodeTable, groups: Array, total: Array, plan: TreePlan, target: Target
) -> CandidateSplit:
    """The question that puts every line of a table into its group."""
    size = int(groups.max()) + 1
    branches = np.zeros((size, table.lines.shape[1]), dtype=np.int64)
    np.add.at(branches, groups, table.lines)
    test = test_of(table, groups, plan)
    if size > 1 and follows(table, total, plan, target):
        joined = branches + np.eye(size, dtype=np.int64)[:, :, None] * table.gap
        gap = _fitting(at, joined, test[0], plan, target)
        branches = joined[gap]
    else:
        gap = -1
        if table.gaps and not missing_values.in_parts(plan.missing):
            branches = np.concatenate([branches, table.gap[None]])
    after, gain, information = gain_of(branches[None], total, plan.criterion, target)
    numbers = float(after[0]), float(gain[0]), float(information[0])
    return CandidateSplit(at, *test, groups, branches, *numbers, gap=gap)


def _fitting(at: int, joined: Array, test: int, plan: TreePlan, target: Target) -> int:
    """The first branch that missing values fit best, as ``joined`` (b, b, q) by it.

    Of two branches, one that makes a split that may be.
    """
    total = joined[0].sum(axis=0)
    after = gain_of(joined, total, plan.criterion, target)[0]
    tied = TIED * float(impurity_of(plan.criterion, target)(total))
    fit = np.ones(len(after), bool)
    if test != MULTIWAY:
        fit = has_enough_rows(joined, total, plan, target).all(axis=1) & is_monotone(
            joined, at, plan, target
        )
    found = -1
    for b in np.flatnonzero(fit if fit.any() else ~fit).tolist():
        found = b if found < 0 or after[b] < after[found] - tied else found
    return found


def test_of(table: CodeTable, groups: Array, plan: TreePlan) -> tuple[int, int, int]:
    """What is asked, the last code of the first branch and the first of the second."""
    if not table.number:
        return (MULTIWAY if plan.category_split == "multiway" else SUBSET), -1, -1
    r = int((groups == 0).sum()) - 1
    last = r == len(groups) - 1
    after = -1 if last else int(table.codes[r + 1])
    return PRESENCE if last else THRESHOLD, int(table.codes[r]), after


def is_allowed(q: CandidateSplit, plan: TreePlan, target: Target) -> bool:
    """Whether enough branches have enough rows and weight: both of two, two of many."""
    size = len(q.branches)
    found = has_enough_rows(q.branches, q.branches.sum(axis=0), plan, target)
    if q.test == MULTIWAY:
        return int(found.sum()) > 1
    asked = 2 if q.test in (THRESHOLD, SUBSET) and size > 1 else size
    if q.test == THRESHOLD and not is_monotone(q.branches, q.column, plan, target):
        return False
    return size > 1 and bool(found[:asked].all())


def row_counts(lines: Array, plan: TreePlan, target: Target) -> Array:
    """(...,) how many rows are in lines (..., q); of parts of rows, their sum."""
    by_weight = missing_values.in_parts(plan.missing) or plan.variant is not None
    if len(target.row_units) or by_weight or not target.weighed:
        return target.rows_in(lines)
    return np.asarray(lines[..., -1])


def rows_of(lines: Array, plan: TreePlan, target: Target) -> Array:
    """The same, rounded up where parts of rows fall short of a whole one."""
    return row_counts(lines, plan, target) + ROW_ROUNDING * missing_values.in_parts(plan.missing)


def has_enough_rows(branches: Array, total: Array, plan: TreePlan, target: Target) -> Array:
    """Which branches (..., q) of all have rows and weight enough to be asked for."""
    weight, rows = weights_of(branches, target), rows_of(branches, plan, target)
    least, least_rows = plan.min_weight, float(plan.min_leaf)
    if plan.share_of_rows:
        least_rows = max(least_rows, plan.min_share * float(row_counts(total, plan, target)))
    else:
        least = max(least, plan.min_share * float(weights_of(total, target)))
    found = (rows >= least_rows) & (weight >= least) & (weight > 0)
    if plan.criterion == "poisson":  # a mean of 0 would rule every count out but 0
        found &= sums_of(branches) > 0
    return np.asarray(found)
