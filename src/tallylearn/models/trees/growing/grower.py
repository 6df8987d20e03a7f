"""Growing: from coded columns to a tree, question by question, depth first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.kernels import binning
from tallylearn.kernels.splitting import Grower
from tallylearn.models.trees.growing import gaps
from tallylearn.models.trees.growing.coded_columns import Coded, Scale
from tallylearn.models.trees.growing.growing_tree import Space, spliced
from tallylearn.models.trees.growing.impurity import logs_of
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import ENDLESS, Plan
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array

CRITERIA = {"gini": 0, "entropy": 1, "variance": 2, "sdr": 3, "poisson": 4, "fifth_root": 9}
SCORERS = {"gain": 0, "ratio": 1, "gain2/cost": 2, "(2^gain-1)/(cost+1)^w": 3}
TIES = {"first": 0, "random": 1, "undefined": 0}
PARALLEL = 2_000_000  # cells: from here on threads pay
LARGE = 65_536  # rows: nodes of more are worked on column by column
FEW = 2_000  # rows: nodes of less are not worth a grower of their own
SLOTS = 64  # histograms of as many nodes are kept, if memory takes them
MOST_BYTES = 2**28
LEFT = -1  # the test of a node that is left to another grower


def grown(table: Coded, target: Target, plan: Plan) -> Tree:
    """The tree of a table, whose lists are used up."""
    n, threads = len(target), engines.here().number
    rows, settings = _rows(table, target, plan), _settings(table.scales, target, plan)
    gardener = _Gardener(table.scales, target, rows, settings)
    grower, space = gardener.planted(0, n, 0, plan.seed)
    if threads == 1 or n * len(table.scales) < PARALLEL or plan.max_features < len(table.scales):
        space = gardener.grown(grower, space)
    else:
        space = gardener.grown_together(grower, space, threads)
    return tree_of(space, table.scales, target, plan, behind(table, target))


@dataclass(frozen=True)
class _Gardener:
    """Growers over the same lists: one for the large nodes, others for the rest."""

    scales: tuple[Scale, ...]
    target: Target
    rows: tuple[Any, ...]
    settings: tuple[Any, ...]

    def planted(self, lo: int, hi: int, depth: int, seed: int) -> tuple[Grower, Space]:
        """A grower of the rows from lo to hi of every list."""
        n = hi - lo
        grower = Grower(self.rows[:-2], *self.settings, self._work(n) + self._histograms())
        space = Space.of(min(2 * n, 1000), len(self.scales), self.target.width)
        grower.place(*space.arrays)
        grower.begin(lo, hi, depth, seed)
        return grower, space

    def grown(self, grower: Grower, space: Space) -> Space:
        """Everything that is on the stack of a grower."""
        while full := grower.grow(ENDLESS, ENDLESS):
            space = _enlarged(grower, space, full)
        return space.cut(*grower.counted())

    def grown_together(self, grower: Grower, space: Space, threads: int) -> Space:
        """Large nodes column by column, the others one each, on several threads."""
        with ThreadPoolExecutor(threads) as pool:
            space = self._top(grower, space, pool, threads)
            left = np.flatnonzero(space.arrays[1][:, 2] == LEFT)
            grown = pool.map(self._branch, space.arrays[1][left, 3:7].tolist())
            return spliced(space, left, list(grown))

    def _branch(self, place: list[int]) -> Space:
        return self.grown(*self.planted(*place))

    def _top(self, grower: Grower, space: Space, pool: ThreadPoolExecutor, threads: int) -> Space:
        """The nodes of many rows, and those of few; the others are left."""
        p, n = len(self.scales), len(self.target)
        cuts = np.linspace(0, p, min(threads, p) + 1).astype(int)
        ranges = [*itertools.pairwise(cuts.tolist())]
        spares = [np.empty(n + self._branches, np.int64) for _ in ranges]
        while full := grower.grow(LARGE, FEW):
            if full != 5:
                space = _enlarged(grower, space, full)
                continue
            full = grower.open()
            if full == 0:
                list(pool.map(grower.survey, *zip(*ranges, strict=True)))
                full = grower.settle()
            if full == 0:
                list(pool.map(grower.part, *zip(*ranges, strict=True), spares))
                grower.push()
            elif full > 0:
                space = _enlarged(grower, space, full)
        return space.cut(*grower.counted())

    @property
    def _branches(self) -> int:
        """The most children that a node can have."""
        return max((c.width + 1 for c in self.scales if not c.number), default=1) + 3

    def _work(self, n: int) -> tuple[Any, ...]:
        """Space to work in."""
        columns, target = self.scales, self.target
        p, q, k = len(columns), target.width, target.line
        lines = min(max(column.width for column in columns) + 2, n + 1)
        coded = max((c.width + 1 for c in columns if not c.number), default=1)
        branches = self._branches
        half, side = self.rows[-2:]
        return (
            np.zeros((lines, k), np.int64), np.zeros(lines, np.int32), np.zeros(lines, np.int32),
            np.zeros(lines, np.int32), np.zeros(lines), np.zeros((5, q), np.int64),
            np.zeros(k + 1, np.int32), np.zeros(coded, np.int32), side,
            np.zeros(n + branches, np.int64), np.zeros(branches + 1, np.int64), np.zeros(p),
            np.zeros(p),
            np.zeros(p), np.arange(p, dtype=np.int32), np.zeros(p, np.int32),
            np.zeros(branches + 1, np.int64), np.zeros(branches + 1, np.int32), half,
            np.zeros((p, len(target.classes)), np.int64),
        )  # fmt: skip

    def _histograms(self) -> tuple[Any, ...]:
        """Space for those of several nodes, and of one column; none beside lists."""
        grid, branches = self.rows[10], self._branches
        codes = max(column.width for column in self.scales) + 1 if len(grid) else 1
        size = codes * self.target.line
        slots = min(SLOTS, MOST_BYTES // (8 * size * len(grid))) if len(grid) else 0
        return (
            np.empty((slots, size * len(grid)), np.int64), np.empty(size, np.int64),
            np.empty(slots, np.int32), np.zeros(branches + 1, np.int32),
        )  # fmt: skip


def _enlarged(grower: Grower, space: Space, full: int) -> Space:
    space = space.with_more(full)
    grower.place(*space.arrays)
    return space


def _rows(table: Coded, target: Target, plan: Plan) -> tuple[Any, ...]:
    split, p = 1 if plan.category_split == "multiway" else 2, len(table.scales)
    return (
        _stamped(table, target),
        np.array([0 if scale.number else split for scale in table.scales], dtype=np.int64),
        np.array([scale.width for scale in table.scales], dtype=np.int64),
        plan.fixed if len(plan.fixed) else np.zeros(p, np.int64),
        np.array(plan.costs or [1.0] * p),
        target.labels,
        target.amounts,
        target.levels,
        logs_of(target) if plan.criterion == "entropy" else np.zeros(0),
        _critical(table.scales, target, plan),
        *_ordered(table, target),
        np.zeros(len(target), np.uint8),
        np.zeros(len(target), np.int32),
    )


def _ordered(table: Coded, target: Target) -> tuple[Array, Array, Array]:
    """The grid, the rows in their order, and what they have for y; nothing beside lists."""
    if not len(table.grid):
        return table.grid, np.zeros(0, np.int32), np.zeros(0, np.int64)
    ys = target.labels if target.classes else target.levels
    return table.grid, np.arange(len(target), dtype=np.int32), ys.astype(np.int64)


def _critical(scales: Sequence[Scale], target: Target, plan: Plan) -> Array:
    """What chi-square has to reach, by degrees of freedom; nothing where splits are not tested."""
    if plan.significance is None:
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


def _stamped(table: Coded, target: Target) -> Array:
    """The lists of all columns, the class of every row within."""
    bits = _bits(target)
    if bits == 32 or len(table.grid):
        return table.lists
    if table.lists.size < PARALLEL:
        for column in table.lists:
            binning.stamp(column, target.labels, bits)
    else:
        engines.each(lambda column: binning.stamp(column, target.labels, bits), table.lists)
    return table.lists


def _settings(columns: Sequence[Scale], target: Target, plan: Plan) -> tuple[Any, ...]:
    powers = {"variance": 2, "sdr": 1, "poisson": 1, "fifth_root": 0.4}
    unit = target.unit ** powers.get(plan.criterion, 0)
    rows_at = target.width - 1 if target.weighed else -1
    whole = (
        CRITERIA[plan.criterion], len(target.classes), gaps.IN_KERNELS[plan.missing],
        SCORERS[plan.scorer], plan.max_depth, plan.min_split, plan.min_leaf,
        int(np.ceil(plan.min_weight * 2.0**target.power)),
        min(plan.max_features, len(columns)), TIES[plan.tie], rows_at,
        _bits(target),
    )  # fmt: skip
    one = 2.0**-target.power
    least = plan.min_decrease * target.total / one / unit if plan.min_decrease else 0.0
    return whole, (least, plan.exponent, unit, one, plan.min_share)


def tree_of(
    space: Space,
    columns: Sequence[Scale],
    target: Target,
    plan: Plan,
    numbers: Callable[[int, Array, Array], tuple[Array, Array]] | None = None,
) -> Tree:
    """The arrays of the kernel as a tree; ``numbers`` are those behind two codes of a column."""
    numbers = numbers or (lambda j, code, after: (columns[j].high[code], columns[j].low[after]))
    _, nodes, reals, totals, leads, ties = space.arrays
    parent, _, test, column, cut, after, gap, rows, lead_ends, tie_ends = (
        np.ascontiguousarray(part) for part in nodes.T
    )
    kids = _kids(parent)
    owner = np.repeat(np.arange(len(nodes)), np.diff(lead_ends, prepend=0))
    asked = np.append(column, ties[:, 0]), np.append(cut, ties[:, 1]), np.append(after, ties[:, 2])
    cuts = _cuts(*asked, np.append(test == 1, ties[:, 2] >= 0), numbers)
    counts, n, answer = target.told(totals)
    return Tree(
        columns=tuple(one.column for one in columns), classes=target.classes,
        criterion=getattr(plan.criterion, "__name__", str(plan.criterion)),
        parent=parent, test=test, column=column,
        threshold=cuts[: len(nodes)].copy(),
        missing=np.where(gap >= 0, kids(np.arange(len(nodes)), np.maximum(gap, 0)), -1),
        ends=lead_ends, codes=np.ascontiguousarray(leads[:, 0]), leads=kids(owner, leads[:, 1]),
        counts=counts, n=n, rows=rows, impurity=np.ascontiguousarray(reals[:, 0]),
        gain=np.ascontiguousarray(reals[:, 1]), answer=answer, tie_ends=tie_ends,
        tie_columns=np.ascontiguousarray(ties[:, 0]),
        tie_thresholds=cuts[len(nodes) :].copy(),
        loss=target.loss, fractional=gaps.in_parts(plan.missing), tie=target.tie,
        seed=target.seed,
    )  # fmt: skip


def _kids(parent: Array) -> Any:
    """The number of a node's child by its place: children are numbered in order."""
    order = np.argsort(parent[1:], kind="stable") + 1
    starts = np.searchsorted(parent[1:][order - 1], np.arange(len(parent)))
    order = np.append(order, 0)

    def kid(node: Array, place: Array) -> Array:
        return np.asarray(order[np.minimum(starts[node] + place, len(order) - 1)])

    return kid


def behind(table: Coded, target: Target) -> Callable[[int, Array, Array], tuple[Array, Array]]:
    """The numbers behind two codes of a column: the greatest of one, the least of the other."""
    bits = 32 if len(table.grid) else _bits(target)

    def numbers(j: int, code: Array, after: Array) -> tuple[Array, Array]:
        scale = table.scales[j]
        if len(table.grid) or not len(scale.x):
            return scale.high[code], scale.low[after]
        found = table.values(j, np.append(code, after), bits)
        return found[: len(code)], found[len(code) :]

    return numbers


def _cuts(
    column: Array,
    code: Array,
    after: Array,
    where: Array,
    numbers: Callable[[int, Array, Array], tuple[Array, Array]],
) -> Array:
    """Half way between the greatest number of a code and the least of the next; else NaN."""
    out, at = np.full(len(column), np.nan), np.flatnonzero(where)
    at = at[np.argsort(column[at], kind="stable")]
    for run in np.split(at, np.flatnonzero(np.diff(column[at])) + 1) if len(at) else ():
        a, b = numbers(int(column[run[0]]), code[run], after[run])
        half = a / 2 + b / 2
        out[run] = np.where((half >= a) & (half < b), half, a)  # neighbours: nothing between them
    return out
