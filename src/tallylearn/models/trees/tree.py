"""A tree is a list of questions: each node asks one column, and each answer leads to a node.

Nodes are numbered in pre-order: the root is 0, the first child of node i is i + 1, and a subtree is
a run of numbers. Everything known of the nodes is one array a property, so prunings and drawings
walk plain arrays. A tree never changes: pruning returns another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tallylearn import forms
from tallylearn.doors import ClassificationModel, RegressionModel
from tallylearn.folds.hashing import hashed
from tallylearn.kernels import walking
from tallylearn.models.trees.sklearn_arrays import LEAF as LEAF
from tallylearn.models.trees.sklearn_arrays import MULTIWAY as MULTIWAY
from tallylearn.models.trees.sklearn_arrays import PRESENCE as PRESENCE
from tallylearn.models.trees.sklearn_arrays import SUBSET as SUBSET
from tallylearn.models.trees.sklearn_arrays import THRESHOLD as THRESHOLD
from tallylearn.models.trees.sklearn_arrays import Binary
from tallylearn.models.trees.stored_tree import check_told, check_walkable
from tallylearn.tables import CATEGORY, Array, Block, Codes, Column, Schema, check_shape
from tallylearn.workings import Derivation, Evidence

ABSOLUTE = "absolute_error"  # the criterion whose answers are medians
UNDEFINED = "undefined"  # the answer where classes tie, if a tie is to have none
LANES = 16  # rows that walk side by side
TESTS = ("leaf", "threshold", "multiway", "subset", "presence")


def answer_of(
    counts: Array, loss: Array, tie: str = "first", seed: int = 0, nodes: Array | None = None
) -> Array:
    """The class of least expected loss; with equal losses the largest.

    Of tied ones the first in order; or one that the seed draws for every node, rows being nodes
    unless said; or none, which is -1. ``loss`` (k, k): what it costs to answer with class j where
    class i is right.
    """
    if not loss.size and tie == "first":
        return np.asarray(counts.argmax(axis=1), dtype=np.float64)
    expected = counts @ loss if loss.size else -counts
    slack = 1e-9 * np.abs(expected).max(axis=1, keepdims=True)
    best = expected <= expected.min(axis=1, keepdims=True) + slack
    if tie == "random":
        n, k = best.shape
        places = k * (np.arange(n) if nodes is None else nodes)[:, None] + np.arange(k)
        drawn = hashed(seed, places.ravel()).reshape(best.shape) | np.uint64(1)
        return np.asarray(np.where(best, drawn, 0).argmax(axis=1), dtype=np.float64)
    found = best.argmax(axis=1)
    if tie == "undefined":
        found = np.where(best.sum(axis=1) > 1, -1, found)
    return np.asarray(found, dtype=np.float64)


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
class Tree(Binary, ClassificationModel, RegressionModel):
    """A decision tree (``classes``) or a regression tree (no classes), nodes in pre-order.

    ``node(i)`` tells all about a node in words; the arrays hold the same for loops over nodes, and
    those of a binary tree are there under scikit-learn's names too.
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
    answer: Array  # (m,) float64: the number of the class, -1 for none; or the mean or median
    tie_ends: Array  # (m,) int64: the ties of node i are tie_ends[i - 1] to tie_ends[i]
    tie_columns: Array  # (t,) int64
    tie_thresholds: Array  # (t,) float64, NaN for categories
    fractional: bool = False  # whether a row with a gap goes down every branch, in parts
    loss: Array = field(default_factory=lambda: np.zeros((0, 0)))  # (k, k) or empty, see answer_of
    tie: str = "first"  # of classes: see answer_of
    seed: int = 0

    form: ClassVar[forms.Form] = {
        "columns": forms.many(forms.one(Column)),
        "classes": forms.keys("k"),
        "criterion": forms.text(),
        "parent": forms.integers("m", least=-1),
        "test": forms.integers("m", least=0),
        "column": forms.integers("m", least=-1),
        "threshold": forms.floats("m", gaps=True),
        "missing": forms.integers("m", least=-1),
        "ends": forms.integers("m", least=0),
        "codes": forms.integers("l", least=0),
        "leads": forms.integers("l", least=0),
        "counts": forms.floats("m", "k", least=0.0),
        "n": forms.floats("m", least=0.0),
        "rows": forms.integers("m", least=0),
        "impurity": forms.floats("m"),
        "gain": forms.floats("m"),
        "answer": forms.floats("m"),
        "tie_ends": forms.integers("m", least=0),
        "tie_columns": forms.integers("t", least=0),
        "tie_thresholds": forms.floats("t", gaps=True),
        "fractional": forms.truth,
        "loss": forms.floats("c", "c", least=0.0),
        "tie": forms.text("first", "random", "undefined"),
        "seed": forms.count(),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can be a tree over columns of this schema."""
        told = [(column.name, column.kind, column.origin) for column in self.columns]
        if told != [(column.name, column.kind, column.origin) for column in schema.columns]:
            raise ValueError("the tree asks other columns than the schema's")
        if any(column.values and column.kind != CATEGORY for column in self.columns):
            raise ValueError("a column has values, and is no category")
        check_told(self)

    def __post_init__(self) -> None:
        m = len(self.parent)
        for name in ("test", "column", "threshold", "missing", "ends", "n", "rows", "impurity",
                     "gain", "answer", "tie_ends"):  # fmt: skip
            check_shape(name, getattr(self, name), m)
        check_shape("counts", self.counts, m, len(self.classes))
        check_shape("leads", self.leads, *self.codes.shape)
        check_walkable(self)

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def marked(self) -> Tree:
        """The same with scikit-learn's marks for thresholds that there are not.

        They are -2 at a leaf, and infinity where the question is whether there is a value.
        """
        none = np.where(self.test == PRESENCE, np.inf, -2.0)
        known = (self.test == THRESHOLD) | ~np.isnan(self.threshold)
        return replace(self, threshold=np.where(known, self.threshold, none))

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
        """What a node answers: a class or "undefined", a mean, or a median."""
        answer = float(self.answer[i])
        return self.named(int(answer)) if self.classes else answer

    def named(self, c: int) -> Any:
        """A class by its number; -1 is none."""
        return UNDEFINED if c < 0 else self.classes[c]

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
        if len(self) > 1:
            lanes = np.zeros(LANES, dtype=np.int64)
            walking.walk(block.numbers, self._categories_of(block), *self._plan(block), lanes, out)
        return out

    def answers(self, block: Block) -> Array:
        """The mean where each row ends."""
        if self.fractional:
            return np.ascontiguousarray(self.shares(block)[:, 0])
        return self.answer[self.landed(block)]

    def shares(self, block: Block) -> Array:
        """(n, k) the share of every class where each row ends; (n, 1) its mean in a regression."""
        if not self.fractional or len(self) == 1:
            return np.asarray(self._told[self.landed(block)])
        out = np.zeros((len(block), self._told.shape[1]))
        room = np.empty(len(self), dtype=np.int64), np.empty(len(self))
        walking.spread(
            block.numbers, self._categories_of(block), self._plan(block), self.sizes, self.n,
            self._told, room, out,
        )  # fmt: skip
        return out

    @cached_property
    def _told(self) -> Array:
        """(m, k) the share of every class at each node; (m, 1) its mean in a regression."""
        if not self.classes:
            return self.answer[:, None]
        return np.asarray(self.counts / np.where(self.n > 0, self.n, 1.0)[:, None])

    def decided(self, block: Block) -> Array:
        """The number of the class that each row is answered with."""
        if self.fractional:
            return self.settled(self.shares(block), block)
        return np.asarray(self.answer[self.landed(block)], dtype=np.int64)

    def evidence(self, block: Block) -> list[Evidence]:
        """The path of every row, as it adds up to the prediction."""
        from tallylearn.models.trees.showing.explanation import evidence

        return evidence(self, block)

    def derivation(self, schema: Schema) -> Derivation:
        """The questions of the tree, node by node."""
        from tallylearn.models.trees.showing.explanation import derivation

        return derivation(self)

    def settled(self, shares: Array, block: Block) -> Array:
        """The number of the class that each row of shares is answered with.

        A drawn one is the draw of the node where the row ends, or where it parts: equal rows have
        equal answers, whatever stands beside them.
        """
        if self.tie != "random":
            return answer_of(shares, self.loss, self.tie).astype(np.int64)
        ends = self.landed(block)
        parted = (shares != self._told[ends]).any(axis=1)
        drawn = answer_of(shares, self.loss, self.tie, self.seed, ends)
        return np.where(parted, drawn, self.answer[ends]).astype(np.int64)

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
        """The tree as the kernel walks it; it is made once for every order of columns."""
        known = block.schema.places
        places = tuple(-1 if c.kind == CATEGORY else known[c.name] for c in self._questioned)
        if places not in self._plans:
            self._plans[places] = self._laid_out(places)
        return self._plans[places]

    @cached_property
    def _plans(self) -> dict[tuple[int, ...], tuple[Array, Array, Array]]:
        return {}

    def _laid_out(self, places: tuple[int, ...]) -> tuple[Array, Array, Array]:
        """Steps, thresholds and leads: see ``kernels.walking``."""
        at, kept = np.arange(len(self)), np.zeros(len(self.columns) + 1, np.int64)
        asked = [j for j in np.unique(self.column).tolist() if j >= 0]
        for j, place in zip(asked, places, strict=True):
            name = self.columns[j].name
            kept[j] = -1 - self._asked.index(name) if name in self._asked else place
        kept[-1] = max(kept[asked])
        after, leaf = np.minimum(at + 1, len(self) - 1), self.test == LEAF
        coded = np.isin(self.test, (MULTIWAY, SUBSET))
        steps = np.stack([
            kept[self.column],  # of a leaf any column will do
            np.where(coded, np.append(0, self.ends[:-1]), np.where(leaf, at, after)),
            np.where(coded, self.ends, np.where(leaf, at, after + self.sizes[after])),
            np.where(self.missing < 0, at, self.missing),
        ], axis=1)  # fmt: skip
        steps[leaf & (kept[-1] < 0), 1:3] = 0  # no category leads anywhere
        cut = np.where(self.test == THRESHOLD, self.threshold, np.inf)  # all that is present
        leads = np.ascontiguousarray(np.stack([self.codes, self.leads]), dtype=np.int32)
        return np.ascontiguousarray(steps, dtype=np.int32), cut, leads

    @cached_property
    def _questioned(self) -> tuple[Column, ...]:
        """The columns that the tree asks for."""
        return tuple(self.columns[j] for j in np.unique(self.column).tolist() if j >= 0)

    @cached_property
    def _asked(self) -> tuple[str, ...]:
        """The categories that the tree asks for."""
        return tuple(column.name for column in self._questioned if column.kind == CATEGORY)

    @property
    def known(self) -> dict[str, tuple[str, ...]]:
        """The values of the categories that the tree asks for, as it was grown with them."""
        values = {column.name: column.values for column in self.columns}
        return {name: values[name] for name in self._asked}

    def _categories_of(self, block: Block) -> Array:
        """(n, asked) the categories as the tree numbers them: -1 missing, -2 unseen."""
        if not self._asked:
            return np.empty((len(block), 0), dtype=np.int32)
        return np.stack([self._numbered(name, block.codes[name]) for name in self._asked], axis=1)

    def _numbered(self, name: str, codes: Codes) -> Array:
        values, place = self._values[name]
        if len(codes.values) == len(values) and codes.values == values:
            return np.ascontiguousarray(codes.codes, dtype=np.int32)
        table = [place.get(value, -2) for value in codes.values]
        return np.array([*table, -1], dtype=np.int32)[codes.codes]

    @cached_property
    def _values(self) -> dict[str, tuple[tuple[Any, ...], dict[Any, int]]]:
        """The categories of every column that is asked for, and their numbers."""
        found = [column for column in self._questioned if column.kind == CATEGORY]
        return {c.name: (c.values, {v: at for at, v in enumerate(c.values)}) for c in found}

    def _leads(self, i: int) -> tuple[Array, Array]:
        here = slice(int(self.ends[i - 1]) if i else 0, int(self.ends[i]))
        return self.codes[here], self.leads[here]

    def _categories(self, i: int) -> dict[int, tuple[str, ...]]:
        """The categories of every branch."""
        values, found = self.columns[self.column[i]].values, dict[int, list[str]]()
        for code, node in zip(*(part.tolist() for part in self._leads(i)), strict=True):
            found.setdefault(node, []).append(values[code])
        return {node: tuple(names) for node, names in found.items()}
