"""Trees together: the nodes of all trees of a forest in one set of arrays, in few bytes.

``kernels.walking`` goes down them; each tells what it knows of a row, and all count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.estimators.model import choice
from tallylearn.kernels import tree_predict
from tallylearn.models.trees.least_loss import answer_of
from tallylearn.models.trees.routing import category_codes
from tallylearn.models.trees.shapley import ShapleyTrees
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Column

RUN = 4096  # rows that go down all trees, on one thread: they stay in the cache meanwhile
TREES = 100  # that are gone through between two looks for an interrupt
LANES = 8  # rows that walk side by side: fewer than in one tree, for the next tree comes soon


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees of classes, or (no ``classes``) of numbers, and what they tell of rows.

    ``seed`` and ``rate`` tell the bags again that the trees grew from: see ``bags``.
    """

    columns: tuple[Column, ...]  # of a category, ``values`` are those seen or declared, sorted
    classes: tuple[Any, ...]
    roots: Array  # (t,) int64: the first node of every tree
    steps: Array  # (m, 4) int32, see kernels.walking
    threshold: Array  # (m,) float64
    leads: Array  # (2, l) int32
    node_values: Array  # (m, k) float64: the share of every class at each node; (m, 1) its mean
    gained: Array  # (t, p) float64: the share of every column in what each tree gained
    rows: int  # that it was grown from
    rate: float
    seed: int
    vote: str = "soft"
    loss: Array = field(default_factory=lambda: np.zeros((0, 0)))  # (k, k) or empty, see answer_of
    by_weight: bool = False  # whether rows were drawn in proportion to their weights
    weights: Array = field(default_factory=lambda: np.zeros(0))
    # (m,) the weight of the training rows at each node; or empty: files of earlier versions

    def __len__(self) -> int:
        return len(self.roots)

    @cached_property
    def ends(self) -> Array:
        """(t,) where the nodes of every tree end."""
        return np.append(self.roots[1:], len(self.node_values))

    @cached_property
    def plan(self) -> tuple[Array, Array, Array]:
        """The nodes as the kernel walks them."""
        return self.steps, self.threshold, self.leads

    @cached_property
    def vote_contributions(self) -> Array:
        """(m, k) what every node adds to the vote: its shares, or one for its largest class."""
        if self.vote == "soft" or not self.classes:
            return self.node_values
        return np.asarray(np.eye(len(self.classes))[self.node_values.argmax(axis=1)])

    @cached_property
    def category_numbers(self) -> dict[str, tuple[tuple[Any, ...], dict[Any, int]]]:
        """The values of every category, and their numbers."""
        found = [column for column in self.columns if column.kind == CATEGORY]
        return {c.name: (c.values, {v: at for at, v in enumerate(c.values)}) for c in found}

    @cached_property
    def places(self) -> dict[int, int]:
        """The column of a place that a step may ask: numbers from 0 up, categories from -1 down."""
        kinds = [column.kind for column in self.columns]
        numbers = [j for j, kind in enumerate(kinds) if kind in (NUMBER, DATE)]
        coded = [j for j, kind in enumerate(kinds) if kind == CATEGORY]
        return dict(enumerate(numbers)) | {-1 - at: j for at, j in enumerate(coded)}

    @cached_property
    def edges(self) -> tuple[Array, Array]:
        """(e,) the nodes that a step leads to, and (e,) those that it leads from; some twice."""
        at = np.arange(len(self.steps))
        number = self.steps[:, 0] >= 0
        coded = np.flatnonzero(~number)
        lengths = (self.steps[coded, 2] - self.steps[coded, 1]).astype(np.int64)
        before = np.repeat(self.steps[coded, 1] - (np.cumsum(lengths) - lengths), lengths)
        led = self.leads[1, before + np.arange(lengths.sum())]
        child = np.concatenate([*self.steps[number, 1:3].T, self.steps[:, 3], led]).astype(np.int64)
        parent = np.concatenate([at[number], at[number], at, np.repeat(coded, lengths)])
        return child[child != parent], parent[child != parent]

    @cached_property
    def parents(self) -> Array:
        """(m,) the parent of every node; -1 at a root."""
        found = np.full(len(self.steps), -1, np.int64)
        child, parent = self.edges
        found[child] = parent
        return found

    @cached_property
    def split_columns(self) -> Array:
        """(m,) the column of every split; any at a leaf."""
        found = [self.places.get(place, -1) for place in self.steps[:, 0].tolist()]
        return np.array(found, dtype=np.int64)

    @cached_property
    def shapley_trees(self) -> ShapleyTrees:
        """The trees with the parents and weights of their nodes, for Shapley values."""
        if not len(self.weights):
            raise InputError(
                "the model file is of an earlier version, which stored no weights of nodes. Fit "
                "the forest again to compute Shapley values."
            )
        values = self.vote_contributions
        return ShapleyTrees(
            self.parents, self.weights, values, self.split_columns, roots=self.roots
        )

    def shapley_values(self, block: Block) -> tuple[Array, Array]:
        """(k,) the mean over the training rows, and (n, p, k) the Shapley values of rows."""
        out = np.zeros((1, len(block), len(self.columns), self.node_values.shape[1]))
        self.shapley_trees.add_values(self.table(block), self.plan, 1, out)
        return self.shapley_trees.means().sum(axis=0) / len(self), out[0] / len(self)

    def path_to(self, root: int, end: int) -> tuple[int, ...]:
        """The nodes from a root to a node: of the children on the way always the last before it."""
        found = [root]
        while (at := found[-1]) < end:
            column, first, last, gap = self.steps[at].tolist()
            kids = [first, last] if column >= 0 else self.leads[1, first:last].tolist()
            found.append(max(kid for kid in (*kids, gap) if at < kid <= end))
        return tuple(found)

    def table(self, block: Block) -> tuple[Array, Array]:
        """The rows as the kernel walks them: numbers, and categories by their numbers."""
        if (
            not self.category_numbers
        ):  # a leaf looks, too: without any column at one that is missing
            return block.numbers, np.full((len(block), 1), -1, np.int32)
        coded = [
            category_codes(*told, block.codes[name]) for name, told in self.category_numbers.items()
        ]
        return block.numbers, np.stack(coded, axis=1)

    def sums(self, block: Block, unit: float = 1.0) -> Array:
        """(n, k) the votes of all trees times a unit, added up in their order."""
        numbers, categories = self.table(block)
        out, plan = np.zeros((len(block), self.node_values.shape[1])), self.plan
        told = self.vote_contributions if unit == 1 else self.vote_contributions * unit

        def add(at: slice) -> None:
            room = np.empty(LANES, np.int64), np.empty(len(out[at]), np.int64)
            for first in range(0, len(self.roots), TREES):
                check_halted()
                roots = self.roots[first : first + TREES]
                tree_predict.vote(numbers[at], categories[at], plan, roots, told, room, out[at])

        engines.map_threads(add, [slice(i, i + RUN) for i in range(0, len(block), RUN)])
        return out

    def end_nodes(self, block: Block) -> Array:
        """(n, t) the node of each tree where each row ends, counted from the tree's root."""
        numbers, categories = self.table(block)
        out = np.empty((len(block), len(self)), np.int64)
        for t, root in enumerate(self.roots.tolist()):
            ends = np.full(len(block), root)
            tree_predict.walk(numbers, categories, *self.plan, np.empty(LANES, np.int64), ends)
            out[:, t] = ends - root
        return out

    def shares(self, block: Block) -> Array:
        """(n, k) the mean over the trees: of shares, or of votes."""
        found: Array = self.sums(block) / len(self)
        if not self.classes and not np.isfinite(found).all():  # a sum beyond a double has a mean
            unit = 0.5 ** np.ceil(np.log2(len(self)))
            found = self.sums(block, unit) / len(self) / unit
        return found

    def decide(self, shares: Array) -> Array:
        """(n,) the class that shares decide for."""
        if self.loss.size:
            return answer_of(shares, self.loss).astype(np.int64)
        return choice(shares)
