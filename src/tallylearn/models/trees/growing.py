"""Growing: from coded columns to a tree, question by question, depth first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallylearn.kernels.splitting import Grower
from tallylearn.models.trees.codes import Coded
from tallylearn.models.trees.targets import Target
from tallylearn.models.trees.trees import Tree
from tallylearn.tables import CATEGORY, Array

CRITERIA = {"gini": 0, "entropy": 1, "variance": 2, "sdr": 3}
SCORERS = {"gain": 0, "ratio": 1, "gain2/cost": 2, "(2^gain-1)/(cost+1)^w": 3}
MISSING = {"branch": 0, "node": 1, "class": 2, "global": 3}
TIES = {"first": 0, "random": 1}
ENDLESS = 2**31


@dataclass(frozen=True)
class Plan:
    """How a tree is to grow: what is best, and when to stop."""

    criterion: Any = "gini"  # see CRITERIA; or a function of the counts at a node
    scorer: str = "gain"  # see SCORERS
    category_split: str = "subset"  # or "multiway"
    missing: str = "branch"  # see MISSING
    max_depth: int = ENDLESS
    min_split: int = 2  # rows
    min_leaf: int = 1  # rows
    min_weight: float = 0.0  # of a leaf
    min_decrease: float = 0.0  # of the impurity, times the node's share of the weight
    max_features: int = ENDLESS
    seed: int = 0
    tie: str = "first"
    costs: tuple[float, ...] = ()  # of the columns
    exponent: float = 1.0  # of the costs
    significance: float | None = None  # the level of a chi-square test before splitting
    rules: str | None = None  # "c45": see ratios
    fixed: Array = field(default_factory=lambda: np.zeros(0, np.int64))  # codes that fill gaps

    def with_fixed(self, codes: Array) -> Plan:
        return replace(self, fixed=codes)


def grown(columns: Sequence[Coded], target: Target, plan: Plan) -> Tree:
    """The tree of a table."""
    n = len(target)
    grower = Grower(*_rows(columns, target, plan), *_settings(columns, target, plan),
                    _work(columns, target, n))  # fmt: skip
    space = Space.of(min(2 * n, 1000), len(columns), target.width)
    grower.place(*space.arrays)
    grower.begin(0, n, 0)
    while full := grower.grow():
        space = space.with_more(full)
        grower.place(*space.arrays)
    return tree_of(space.cut(*grower.counted()), columns, target, plan)


@dataclass(frozen=True)
class Space:
    """What grows: the stack, the nodes, the leads of categories, the ties."""

    arrays: tuple[Array, ...]  # stack, nodes, reals, totals, leads, ties

    @classmethod
    def of(cls, nodes: int, columns: int, width: int) -> Space:
        whole = [(64, 5), (nodes, 10), (nodes, width), (nodes, 2), (64 + 8 * columns, 3)]
        stack, found, totals, leads, ties = (np.empty(size, dtype=np.int64) for size in whole)
        return cls((stack, found, np.empty((nodes, 2)), totals, leads, ties))

    def with_more(self, full: int) -> Space:
        """Twice the room for what is full: 1 nodes, 2 leads, 3 ties, 4 stack."""
        larger = {1: (1, 2, 3), 2: (4,), 3: (5,), 4: (0,)}[full]
        return Space(tuple(_doubled(a) if at in larger else a for at, a in enumerate(self.arrays)))

    def cut(self, nodes: int, leads: int, ties: int) -> Space:
        ends = (None, nodes, nodes, nodes, leads, ties)
        return Space(tuple(a[:end] for a, end in zip(self.arrays, ends, strict=True)))


def _doubled(array: Array) -> Array:
    out = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    out[: len(array)] = array
    return out


def _rows(columns: Sequence[Coded], target: Target, plan: Plan) -> tuple[Any, ...]:
    split = 1 if plan.category_split == "multiway" else 2
    kinds = [split if column.column.kind == CATEGORY else 0 for column in columns]
    gaps = [column.width for column in columns]
    p = len(columns)
    return (
        (
            np.stack([column.entries for column in columns]),
            np.array(kinds, dtype=np.int64),
            np.array(gaps, dtype=np.int64),
            plan.fixed if len(plan.fixed) else np.zeros(p, np.int64),
            np.array(plan.costs or [1.0] * p),
            target.labels,
            target.amounts,
            target.logs if plan.criterion == "entropy" else np.zeros(0),
        ),
    )


def _settings(columns: Sequence[Coded], target: Target, plan: Plan) -> tuple[Any, ...]:
    unit = target.unit ** {"variance": 2, "sdr": 1}.get(plan.criterion, 0)
    rows_at = target.width - 1 if target.weighed else -1
    whole = (
        CRITERIA[plan.criterion], len(target.classes), MISSING[plan.missing],
        SCORERS[plan.scorer], plan.max_depth, plan.min_split, plan.min_leaf,
        int(np.ceil(plan.min_weight * 2.0**target.power)),
        min(plan.max_features, len(columns)), plan.seed, TIES[plan.tie], rows_at,
    )  # fmt: skip
    return whole, (plan.min_decrease * target.total / unit, plan.exponent, unit)


def _work(columns: Sequence[Coded], target: Target, n: int, criterion: str = "") -> tuple[Any, ...]:
    p, q = len(columns), target.width
    widest = max(column.width for column in columns) + 2
    lines = min(widest, n + 1)
    branches = 3 + max((c.width + 1 for c in columns if c.column.kind == CATEGORY), default=0)
    coded = max((c.width + 1 for c in columns if c.column.kind == CATEGORY), default=1)
    k = target.line
    return (
        np.zeros((lines, k), np.int64), np.zeros(lines, np.int32), np.zeros(lines, np.int32),
        np.zeros(lines, np.int32), np.zeros(lines), np.zeros((5, q), np.int64),
        np.zeros(k + 1, np.int32), np.zeros(coded, np.int32), np.zeros(n, np.int32),
        np.zeros(n, np.int64), np.zeros(branches + 1, np.int64), np.zeros(p), np.zeros(p),
        np.zeros(p), np.arange(p, dtype=np.int32), np.zeros(p, np.int32),
        np.zeros(branches + 1, np.int64), np.zeros(branches + 1, np.int32),
    )  # fmt: skip


def tree_of(space: Space, columns: Sequence[Coded], target: Target, plan: Plan) -> Tree:
    """The arrays of the kernel as a tree."""
    _, nodes, reals, totals, leads, ties = space.arrays
    parent, _, test, column, cut, after, gap, rows, lead_ends, tie_ends = (
        np.ascontiguousarray(part) for part in nodes.T
    )
    kids = _kids(parent)
    owner = np.repeat(np.arange(len(nodes)), np.diff(lead_ends, prepend=0))
    cuts = _Cuts.of(columns)
    counts, n, answer = target.told(totals)
    return Tree(
        columns=tuple(one.column for one in columns), classes=target.classes,
        criterion=getattr(plan.criterion, "__name__", str(plan.criterion)),
        parent=parent, test=test, column=column,
        threshold=cuts.between(column, cut, after, test == 1),
        missing=np.where(gap >= 0, kids(np.arange(len(nodes)), np.maximum(gap, 0)), -1),
        ends=lead_ends, codes=np.ascontiguousarray(leads[:, 0]), leads=kids(owner, leads[:, 1]),
        counts=counts, n=n, rows=rows, impurity=np.ascontiguousarray(reals[:, 0]),
        gain=np.ascontiguousarray(reals[:, 1]), answer=answer, tie_ends=tie_ends,
        tie_columns=np.ascontiguousarray(ties[:, 0]),
        tie_thresholds=cuts.between(ties[:, 0], ties[:, 1], ties[:, 2], ties[:, 2] >= 0),
        loss=target.loss, fractional=plan.missing == "fractional",
    )  # fmt: skip


def _kids(parent: Array) -> Any:
    """The number of a node's child by its place: children are numbered in order."""
    order = np.argsort(parent[1:], kind="stable") + 1
    starts = np.searchsorted(parent[1:][order - 1], np.arange(len(parent)))
    order = np.append(order, 0)

    def kid(node: Array, place: Array) -> Array:
        return np.asarray(order[np.minimum(starts[node] + place, len(order) - 1)])

    return kid


@dataclass(frozen=True)
class _Cuts:
    """The numbers behind the codes of all columns, one after the other."""

    low: Array
    high: Array
    starts: Array

    @classmethod
    def of(cls, columns: Sequence[Coded]) -> _Cuts:
        low, high = ([getattr(c, side) for c in columns] for side in ("low", "high"))
        starts = np.cumsum([0, *(len(part) for part in low)])
        pad = np.zeros(1)
        return cls(np.concatenate([*low, pad]), np.concatenate([*high, pad]), starts)

    def between(self, column: Array, code: Array, after: Array, where: Array) -> Array:
        """Half way between the greatest number of a code and the least of the next; else NaN."""
        a = self.high[np.where(where, self.starts[column] + code, -1)]
        b = self.low[np.where(where, self.starts[column] + after, -1)]
        half = a / 2 + b / 2
        half = np.where((half >= a) & (half < b), half, a)  # neighbours have nothing between them
        return np.where(where, half, np.nan)
