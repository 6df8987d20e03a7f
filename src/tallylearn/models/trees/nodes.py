"""The nodes of a tree as arrays, one a property: who is whose child, what each asks and answers.

Nodes are numbered in pre-order: the root is 0, the first child of node i is i + 1, and a subtree is
a run of numbers. So prunings and drawings walk plain arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.kernels import tree_predict
from tallylearn.models.trees.least_loss import UNDEFINED
from tallylearn.models.trees.node import (
    LEAF,
    MULTIWAY,
    SUBSET,
    TESTS,
    THRESHOLD,
    Branch,
    Node,
)
from tallylearn.tables import CATEGORY, FREQUENCY, Array, Column

ABSOLUTE = "absolute_error"  # the criterion whose answers are medians
PredictionSteps = tuple[Array, Array, Array]  # steps, thresholds and leads: see ``kernels.walking``


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a decision tree (``classes``) or of a regression tree (no classes).

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
    missing: Array  # (m,) int64: the node for missing values; -1: no row had any, see ``larger``
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
    others: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    # (m,) the node for values that a node does not ask for, -1: a row ends here; or empty: all do
    weight_kind: str = FREQUENCY  # what the weights of the rows mean
    larger: bool = False  # whether missing values that no row had go to the larger of two children

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def answers_with(self) -> str:
        """What a leaf answers: "class", "mean" or "median"."""
        return "class" if self.classes else "median" if self.criterion == ABSOLUTE else "mean"

    @cached_property
    def counted_rows(self) -> Array:
        """(m,) how many rows each node has: frequencies count, no other weights do."""
        return self.n if self.weight_kind == FREQUENCY else self.rows.astype(np.float64)

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
        tree_predict.measure(self.parent, depths, sizes)
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

    @cached_property
    def gap_nodes(self) -> Array:
        """(m,) the node for missing values, whether or not rows had any; -1: a row ends here.

        Of two children with as many rows it is the second, as in scikit-learn.
        """
        if not self.larger:
            return self.missing
        halved = (self.test == THRESHOLD) | (self.test == SUBSET)
        found, at = self.missing.copy(), np.flatnonzero((self.missing < 0) & halved)
        first = at + 1
        second = first + self.sizes[first]
        found[at] = np.where(self.rows[second] >= self.rows[first], second, first)
        return found

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
            values = self._values_led(i)
            word = "=" if test == MULTIWAY else "in"
            found = [
                Branch(
                    name,
                    word if kid in values else "missing",
                    values.get(kid, ()),
                    kid,
                    kid == self.other(i),
                )
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
        if self.test[i] not in (MULTIWAY, SUBSET) or self.other(i) >= 0:
            return ()
        here = {*self.category_leads(i)[0].tolist()}
        values = self.columns[self.column[i]].values
        return tuple(value for code, value in enumerate(values) if code not in here)

    def node(self, i: int) -> Node:
        """All about one node."""
        leaf = self.test[i] == LEAF
        return Node(
            i,
            int(self.parent[i]),
            int(self.depths[i]),
            test=TESTS[self.test[i]],
            column="" if leaf else self.columns[self.column[i]].name,
            threshold=float(self.threshold[i]),
            branches=self.branches(i),
            absent=self.absent(i),
            counts=tuple(self.counts[i].tolist()),
            n=float(self.n[i]),
            rows=int(self.rows[i]),
            impurity=float(self.impurity[i]),
            gain=float(self.gain[i]),
            answer=self.prediction_of(i),
            tied=self.ties(i),
        )

    def prediction_of(self, i: int) -> Any:
        """What a node answers: a class or "undefined", a mean, or a median."""
        answer = float(self.answer[i])
        return self.class_label(int(answer)) if self.classes else answer

    def class_label(self, c: int) -> Any:
        """A class by its number; -1 is none."""
        return UNDEFINED if c < 0 else self.classes[c]

    def ties(self, i: int) -> tuple[tuple[str, float], ...]:
        """The candidates that are as good as the chosen one, which is the first; () if none is."""
        here = slice(int(self.tie_ends[i - 1]) if i else 0, int(self.tie_ends[i]))
        names = [self.columns[j].name for j in self.tie_columns[here]]
        return tuple(zip(names, self.tie_thresholds[here].tolist(), strict=True))

    def category_leads(self, i: int) -> tuple[Array, Array]:
        """The categories that a node asks for, by code, and the child that each leads to."""
        here = slice(int(self.ends[i - 1]) if i else 0, int(self.ends[i]))
        return self.codes[here], self.leads[here]

    def other(self, i: int) -> int:
        """The child for values that a node does not ask for; -1: a row ends there."""
        return int(self.others[i]) if len(self.others) else -1

    def _values_led(self, i: int) -> dict[int, tuple[str, ...]]:
        """The categories of every branch."""
        values, found = self.columns[self.column[i]].values, dict[int, list[str]]()
        for code, node in zip(*(part.tolist() for part in self.category_leads(i)), strict=True):
            found.setdefault(node, []).append(values[code])
        return {node: tuple(names) for node, names in found.items()}

    @cached_property
    def node_values(self) -> Array:
        """(m, k) the share of every class at each node; (m, 1) its mean in a regression."""
        if not self.classes:
            return self.answer[:, None]
        return np.asarray(self.counts / np.where(self.n > 0, self.n, 1.0)[:, None])

    @cached_property
    def split_columns(self) -> tuple[Column, ...]:
        """The columns that are asked for."""
        return tuple(self.columns[j] for j in np.unique(self.column).tolist() if j >= 0)

    @cached_property
    def split_categories(self) -> tuple[str, ...]:
        """The categories among them."""
        return tuple(column.name for column in self.split_columns if column.kind == CATEGORY)

    @cached_property
    def category_numbers(self) -> dict[str, tuple[tuple[Any, ...], dict[Any, int]]]:
        """The values of every category that is asked for, and their numbers."""
        found = [column for column in self.split_columns if column.kind == CATEGORY]
        return {c.name: (c.values, {v: at for at, v in enumerate(c.values)}) for c in found}

    @cached_property
    def plans(self) -> dict[tuple[int, ...], PredictionSteps]:
        """The nodes as the kernel walks them, by the places of the columns: see ``routing``."""
        return {}
