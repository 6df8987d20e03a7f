"""A tree is a list of questions: each node asks one column, and each answer leads to a node.

Nodes are numbered in pre-order: the root is 0, the first child of node i is i + 1, and a subtree is
a run of numbers. Everything known of the nodes is one array a property, so prunings and drawings
walk plain arrays. A tree never changes: pruning returns another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.kernels import walking
from tallylearn.tables import CATEGORY, Array, Block, Column, check_shape

LEAF, THRESHOLD, MULTIWAY, SUBSET, PRESENCE = range(5)
ABSOLUTE = "absolute_error"  # the criterion whose answers are medians
TESTS = ("leaf", "threshold", "multiway", "subset", "presence")


def answer_of(counts: Array, loss: Array) -> Array:
    """The class of least expected loss, of those tied the first; with equal losses the largest.

    ``loss`` (k, k): what it costs to answer with class j where class i is right.
    """
    if not loss.size:
        return np.asarray(counts.argmax(axis=1), dtype=np.float64)
    expected = counts @ loss
    tied = 1e-9 * np.abs(expected).max(axis=1, keepdims=True)
    best = expected <= expected.min(axis=1, keepdims=True) + tied
    return np.asarray(best.argmax(axis=1), dtype=np.float64)


@dataclass(frozen=True)
class Branch:
    """One answer to a node's question: ``column relation values``, and the node it leads to."""

    column: str
    relation: str  # "<=", ">", "=", "in", "missing", "present"
    values: tuple[Any, ...]  # the threshold, or the categories
    node: int

    def __str__(self) -> str:
        if self.relation in ("missing", "present"):
            return f"{self.column} {self.relation}"
        if self.relation in ("<=", ">"):
            return f"{self.column} {self.relation} {self.values[0]:.6g}"
        shown = ", ".join(map(str, self.values))
        return (
            f"{self.column} = {shown}" if self.relation == "=" else f"{self.column} in {{{shown}}}"
        )


@dataclass(frozen=True)
class Node:
    """What is known of one node."""

    number: int
    parent: int  # -1 at the root
    depth: int
    test: str  # "leaf", "threshold", "multiway", "subset", "presence"
    column: str  # "" at a leaf
    threshold: float  # NaN where there is none
    branches: tuple[Branch, ...]
    absent: tuple[str, ...]  # categories of the column that no row had here: they end here
    counts: tuple[float, ...]  # the weight of every class; () in a regression tree
    n: float  # the weight of the rows
    rows: int
    impurity: float
    gain: float  # how far the split lowers the impurity
    answer: Any  # a class, a mean, or a median
    tied: tuple[tuple[str, float], ...]  # (column, threshold) of all best candidates, if several


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree (``classes``) or a regression tree (no classes), nodes in pre-order.

    ``node(i)`` tells all about a node in words; the arrays hold the same for loops over nodes.
    Weights and counts are doubles that hold whole numbers exactly. Children come in the order of
    their answers: at most the threshold, above it; the categories; missing last.
    """

    columns: tuple[Column, ...]  # of a category, ``values`` are those seen or declared, sorted
    classes: tuple[Any, ...]
    criterion: str
    parent: Array  # (m,) int64, -1 at the root
    test: Array  # (m,) int64, see TESTS
    column: Array  # (m,) int64, -1 at a leaf
    threshold: Array  # (m,) float64, NaN where there is none
    missing: Array  # (m,) int64: the node for missing values; -1: a row ends here
    ends: Array  # (m,) int64: the leads of node i are ends[i - 1] to ends[i]
    codes: Array  # (l,) int64: which category, sorted within a node ...
    leads: Array  # (l,) int64: ... leads to which node
    counts: Array  # (m, k) float64: the weight of every class
    n: Array  # (m,) float64: the weight of the rows
    rows: Array  # (m,) int64
    impurity: Array  # (m,) float64
    gain: Array  # (m,) float64, 0 at a leaf
    answer: Array  # (m,) float64: the number of the class, or the mean or median
    tie_ends: Array  # (m,) int64: the ties of node i are tie_ends[i - 1] to tie_ends[i]
    tie_columns: Array  # (t,) int64
    tie_thresholds: Array  # (t,) float64, NaN for categories
    fractional: bool = False  # whether a row with a gap goes down every branch, in parts
    loss: Array = field(default_factory=lambda: np.zeros((0, 0)))  # (k, k) or empty, see answer_of

    def __post_init__(self) -> None:
        m = len(self.parent)
        for name in ("test", "column", "threshold", "missing", "ends", "n", "rows", "impurity",
                     "gain", "answer", "tie_ends"):  # fmt: skip
            check_shape(name, getattr(self, name), m)
        check_shape("counts", self.counts, m, len(self.classes))
        check_shape("leads", self.leads, *self.codes.shape)
        self._check_walkable()

    def _check_walkable(self) -> None:
        """Every step leads on to a node that is there: a file may lie, and kernels do not look."""
        m, at = len(self), np.arange(len(self))
        if (
            not m
            or self.parent[0] != -1
            or (self.parent >= at).any()
            or (self.parent[1:] < 0).any()
        ):
            raise ValueError("the nodes are no tree")
        ends, led = at + self.sizes, np.repeat(at, np.maximum(np.diff(self.ends, prepend=0), 0))
        asks, gap = self.test != LEAF, self.missing >= 0
        after = np.minimum(at + 1, m - 1)
        two = after + self.sizes[after] < ends
        coded = np.array([c.kind == CATEGORY for c in self.columns] + [False] * 2)
        coded = coded[np.clip(self.column, -1, len(self.columns))]
        wrong = (
            (ends[1:] > ends[self.parent[1:]]).any(),
            ((self.test < 0) | (self.test > PRESENCE)).any(),
            (asks & ((self.column < 0) | (self.column >= len(self.columns)))).any(),
            (asks != (self.sizes > 1)).any(),
            ((self.test == THRESHOLD) & ~two).any(),
            (asks & (coded != np.isin(self.test, (MULTIWAY, SUBSET)))).any(),
            (self.missing >= m).any() or (self.parent[self.missing[gap]] != at[gap]).any(),
            (np.diff(self.ends, prepend=0) < 0).any() or self.ends[-1] != len(self.leads),
            (self.leads >= m).any() or (self.leads < 0).any(),
        )
        if any(wrong) or (self.parent[self.leads] != led).any():
            raise ValueError("the nodes are no tree")

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def answers_with(self) -> str:
        """What a leaf answers: "class", "mean" or "median"."""
        return "class" if self.classes else "median" if self.criterion == ABSOLUTE else "mean"

    @property
    def depths(self) -> Array:
        """(m,) how many questions lie above each node."""
        return self._measures[0]

    @property
    def sizes(self) -> Array:
        """(m,) how many nodes the subtree of each node has, itself included."""
        return self._measures[1]

    @cached_property
    def _measures(self) -> tuple[Array, Array]:
        depths, sizes = (np.zeros(len(self), dtype=np.int64) for _ in range(2))
        walking.measure(self.parent, depths, sizes)
        return depths, sizes

    @property
    def depth(self) -> int:
        return int(self.depths.max())

    @cached_property
    def leaves(self) -> Array:
        """The numbers of the leaves, from left to right."""
        return np.flatnonzero(self.test == LEAF)

    def children(self, i: int) -> tuple[int, ...]:
        """The children of a node, in the order of their answers."""
        found, at, end = [], i + 1, i + int(self.sizes[i])
        while at < end:
            found.append(at)
            at += int(self.sizes[at])
        return tuple(found)

    def above(self, i: int) -> tuple[int, ...]:
        """The nodes from the root to a node."""
        found = [i]
        while found[-1] > 0:
            found.append(int(self.parent[found[-1]]))
        return tuple(reversed(found))

    def branch(self, i: int) -> Branch:
        """The answer that leads to a node from its parent."""
        return next(b for b in self.branches(int(self.parent[i])) if b.node == i)

    def branches(self, i: int) -> tuple[Branch, ...]:
        """Every answer at a node, in order."""
        test, kids = int(self.test[i]), self.children(i)
        if test == LEAF:
            return ()
        name = self.columns[self.column[i]].name
        if test in (MULTIWAY, SUBSET):
            values = self._categories(i)
            word = "=" if test == MULTIWAY else "in"
            found = [
                Branch(name, word if kid in values else "missing", values.get(kid, ()), kid)
                for kid in kids
            ]
        elif test == THRESHOLD:
            cut = (float(self.threshold[i]),)
            found = [Branch(name, "<=", cut, kids[0]), Branch(name, ">", cut, kids[1])]
            found += [Branch(name, "missing", (), kid) for kid in kids[2:]]
        else:
            found = [Branch(name, "present", (), kids[0]), Branch(name, "missing", (), kids[1])]
        return tuple(found)

    def absent(self, i: int) -> tuple[str, ...]:
        """Categories of a node's column that no row had here: such a row gets the node's answer."""
        if self.test[i] not in (MULTIWAY, SUBSET):
            return ()
        here = {*self._leads(i)[0].tolist()}
        values = self.columns[self.column[i]].values
        return tuple(value for code, value in enumerate(values) if code not in here)

    def node(self, i: int) -> Node:
        """All about one node."""
        leaf = self.test[i] == LEAF
        return Node(
            i, int(self.parent[i]), int(self.depths[i]), TESTS[self.test[i]],
            "" if leaf else self.columns[self.column[i]].name, float(self.threshold[i]),
            self.branches(i), self.absent(i), tuple(self.counts[i].tolist()), float(self.n[i]),
            int(self.rows[i]), float(self.impurity[i]), float(self.gain[i]), self.said(i),
            self.ties(i),
        )  # fmt: skip

    def said(self, i: int) -> Any:
        """What a node answers: a class, a mean, or a median."""
        answer = float(self.answer[i])
        return self.classes[int(answer)] if self.classes else answer

    def ties(self, i: int) -> tuple[tuple[str, float], ...]:
        """The candidates that are as good as the chosen one, which is the first; () if none is."""
        here = slice(int(self.tie_ends[i - 1]) if i else 0, int(self.tie_ends[i]))
        names = [self.columns[j].name for j in self.tie_columns[here]]
        return tuple(zip(names, self.tie_thresholds[here].tolist(), strict=True))

    def without(self, nodes: Iterable[int]) -> Tree:
        """The tree with these nodes turned into leaves."""
        leaf = np.zeros(len(self), dtype=bool)
        leaf[list(nodes)] = True
        edges = np.zeros(len(self) + 1, dtype=np.int64)
        at = np.flatnonzero(leaf)
        np.add.at(edges, at + 1, 1)
        np.add.at(edges, at + self.sizes[at], -1)
        dropped = np.cumsum(edges)[:-1] > 0
        return self._kept(~dropped, leaf | (self.test == LEAF))

    def _kept(self, kept: Array, leaf: Array) -> Tree:
        """Some of the nodes, renumbered; those marked as leaves ask nothing any more."""
        place = np.append(np.cumsum(kept) - 1, -1)  # and -1 stays -1
        asks = kept & ~leaf
        led = np.repeat(asks, np.diff(self.ends, prepend=0))
        tied = np.repeat(asks, np.diff(self.tie_ends, prepend=0))
        ends, tie_ends = (
            np.cumsum(np.where(asks, np.diff(e, prepend=0), 0)) for e in (self.ends, self.tie_ends)
        )
        rest = {
            name: getattr(self, name)[kept]
            for name in ("counts", "n", "rows", "impurity", "answer")
        }
        return replace(
            self,
            parent=place[self.parent[kept]],
            test=np.where(asks, self.test, LEAF)[kept],
            column=np.where(asks, self.column, -1)[kept],
            threshold=np.where(asks, self.threshold, np.nan)[kept],
            missing=place[np.where(asks, self.missing, -1)[kept]],
            gain=np.where(asks, self.gain, 0.0)[kept],
            ends=ends[kept], codes=self.codes[led], leads=place[self.leads[led]],
            tie_ends=tie_ends[kept], tie_columns=self.tie_columns[tied],
            tie_thresholds=self.tie_thresholds[tied], **rest,
        )  # fmt: skip

    def path(self, row: Block) -> tuple[int, ...]:
        """The nodes that one row passes, from the root to where it ends."""
        return self.above(int(self.landed(row)[0]))

    def landed(self, block: Block) -> Array:
        """The node where each row ends: a leaf, or a node that has no branch for its value."""
        out = np.zeros(len(block), dtype=np.int64)
        walking.walk(block.numbers, self._categories_of(block), *self._plan(block), out)
        return out

    def answers(self, block: Block) -> Array:
        """The mean where each row ends."""
        if self.fractional:
            return np.ascontiguousarray(self.shares(block)[:, 0])
        return self.answer[self.landed(block)]

    def shares(self, block: Block) -> Array:
        """(n, k) the share of every class where each row ends; (n, 1) its mean in a regression."""
        told = self.answer[:, None]
        if self.classes:
            told = self.counts / np.where(self.n > 0, self.n, 1.0)[:, None]
        if not self.fractional:
            return np.asarray(told[self.landed(block)])
        out = np.zeros((len(block), told.shape[1]))
        for rows, weight, node in self._portions(block):
            out[rows] += weight[:, None] * told[node]
        return out

    def chosen(self, shares: Array) -> Array:
        """The number of the class that each row of shares is answered with."""
        return answer_of(shares, self.loss).astype(np.int64)

    def _portions(self, block: Block) -> Iterator[tuple[Array, Array, int]]:
        """Rows, the part of each, and the node where that part ends."""
        coded = self._categories_of(block)
        stack = [(np.arange(len(block)), np.ones(len(block)), 0)]
        while stack:
            rows, weight, node = stack.pop()
            if self.test[node] == LEAF or not len(rows):
                yield rows, weight, node
                continue
            kids = self.children(node)
            to = self._steps(node, rows, block, coded)
            gap, share = to == -1, self.n[list(kids)] / self.n[list(kids)].sum()
            yield rows[to == -2], weight[to == -2], node
            for kid, part in zip(kids, share, strict=True):
                on = to == kid
                stack.append(
                    (np.append(rows[on], rows[gap]), np.append(weight[on], weight[gap] * part), kid)
                )

    def _steps(self, node: int, rows: Array, block: Block, coded: Array) -> Array:
        """The child that each row goes to: -1 for a gap, -2 for a category that leads nowhere."""
        name = self.columns[self.column[node]].name
        if self.test[node] in (THRESHOLD, PRESENCE):
            x = block.numbers[rows, block.schema.places[name]]
            first, *rest = self.children(node)
            to = np.where(x <= self.threshold[node], first, rest[0])
            return np.where(np.isnan(x), -1, to)
        codes, leads = self._leads(node)
        x = coded[rows, self._asked.index(name)]
        at = np.minimum(np.searchsorted(codes, x), len(codes) - 1)
        return np.where(x == -1, -1, np.where(codes[at] == x, leads[at], -2))

    def _plan(self, block: Block) -> tuple[Array, Array, Array]:
        """The tree as the kernel walks it, for the columns of a block."""
        places = np.array([*map(self._places(block).__getitem__, self.column.tolist())])
        after = np.minimum(np.arange(len(self)) + 1, len(self) - 1)
        starts = np.concatenate([[0], self.ends[:-1]])
        plan = [
            np.array([0, 1, 2, 2, 3])[self.test], places, after + self.sizes[after],
            self.missing, starts, self.ends,
        ]  # fmt: skip
        leads = np.ascontiguousarray(np.stack([self.codes, self.leads]), dtype=np.int32)
        return np.stack(plan, axis=1).astype(np.int32), self.threshold, leads

    def _places(self, block: Block) -> dict[int, int]:
        """Where the columns that are asked for stand among the numbers or the categories."""
        known = block.schema.places | {name: at for at, name in enumerate(self._asked)}
        asked = sorted({*self.column.tolist()} - {-1})
        return {-1: -1} | {j: known[self.columns[j].name] for j in asked}

    @cached_property
    def _asked(self) -> tuple[str, ...]:
        """The categories that the tree asks for."""
        found = sorted({*self.column.tolist()} - {-1})
        return tuple(self.columns[j].name for j in found if self.columns[j].kind == CATEGORY)

    @property
    def known(self) -> dict[str, tuple[str, ...]]:
        """The values of the categories that the tree asks for, as it was grown with them."""
        values = {column.name: column.values for column in self.columns}
        return {name: values[name] for name in self._asked}

    def _categories_of(self, block: Block) -> Array:
        """(n, asked) the categories as the tree numbers them: -1 missing, -2 unseen."""
        values = {column.name: column.values for column in self.columns}
        columns = [block.codes[name].among(values[name]) for name in self._asked]
        if not columns:
            return np.empty((len(block), 0), dtype=np.int32)
        return np.stack(columns, axis=1)

    def _leads(self, i: int) -> tuple[Array, Array]:
        here = slice(int(self.ends[i - 1]) if i else 0, int(self.ends[i]))
        return self.codes[here], self.leads[here]

    def _categories(self, i: int) -> dict[int, tuple[str, ...]]:
        """The categories of every branch."""
        values, found = self.columns[self.column[i]].values, dict[int, list[str]]()
        for code, node in zip(*(part.tolist() for part in self._leads(i)), strict=True):
            found.setdefault(node, []).append(values[code])
        return {node: tuple(names) for node, names in found.items()}
