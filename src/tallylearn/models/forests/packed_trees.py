"""Trees together: the nodes of all trees of a forest in one set of arrays, in few bytes.

``kernels.walking`` goes down them; each tells what it knows of a row, and all count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.estimators.model import choice
from tallylearn.kernels import tree_predict
from tallylearn.models.trees.least_loss import answer_of
from tallylearn.models.trees.routing import category_codes
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
