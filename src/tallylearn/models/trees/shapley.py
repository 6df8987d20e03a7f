"""Exact Shapley values of trees: what every column adds to the prediction for a row.

The value of a set of columns is the mean prediction where those columns are known and the others
follow the training rows (Lundberg et al., From local explanations to global understanding with
explainable AI for trees, 2020). Trees, forests and boosted trees share the kernel and this module.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.kernels.trees import tree_shap
from tallylearn.models.trees.nodes import Nodes, PredictionSteps
from tallylearn.models.trees.routing import kernel_input
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import CATEGORY, Array, Block, Column
from tallylearn.workings import Term
from tallylearn.workings.reasons import NUMBER, ON_AVERAGE, PROBABILITY, Contributions
from tallylearn.workings.units import ValueFormatter, value_formatter

RUN = 16  # rows that a thread explains at a time


@dataclass(frozen=True, eq=False)
class ShapleyTrees:
    """The nodes of trees with their parents and weights; nodes come after their parents."""

    parent: Array  # (m,) int64, -1 at a root
    weights: Array  # (m,) of the training rows
    values: Array  # (m, k) float64
    columns: Array  # (m,) int64: the column of a split; any at a leaf
    roots: Array  # (t,) int64
    parts: bool = False  # whether a row with a missing value goes down every branch

    @cached_property
    def shares(self) -> Array:
        """(m,) the share of every node in the weight of its parent; of no weight, equal shares."""
        inner = self.parent >= 0
        total = np.bincount(self.parent[inner], self.weights[inner], minlength=len(self.parent))
        number = np.bincount(self.parent[inner], minlength=len(self.parent))
        whole, kids = total[self.parent], number[self.parent]
        weighed = inner & (whole > 0)
        shares = np.where(inner, 1.0 / np.maximum(kids, 1), 1.0)
        shares[weighed] = self.weights[weighed] / whole[weighed]
        return shares

    @cached_property
    def links(self) -> tuple[Array, Array]:
        """(m,) the first child of every node, and (m,) its next sibling; -1 for none."""
        m = len(self.parent)
        child, sibling = np.full(m, -1, np.int64), np.full(m, -1, np.int64)
        order = np.argsort(self.parent, kind="stable")
        order = order[np.searchsorted(self.parent[order], 0) :]
        of = self.parent[order]
        starts = np.flatnonzero(np.diff(of, prepend=-1))
        child[of[starts]] = order[starts]
        same = np.flatnonzero(of[1:] == of[:-1])
        sibling[order[same]] = order[same + 1]
        return child, sibling

    @cached_property
    def ends(self) -> Array:
        """(t,) where the nodes of every tree end."""
        return np.append(self.roots[1:], len(self.parent))

    @cached_property
    def levels(self) -> list[Array]:
        """The nodes of every depth, of all trees together."""
        child, sibling = self.links
        found = [self.roots]
        while len(found[-1]):
            kids, level = child[found[-1]], []
            while len(kids := kids[kids >= 0]):
                level.append(kids)
                kids = sibling[kids]
            found.append(np.sort(np.concatenate(level)) if level else np.zeros(0, np.int64))
        return found[:-1]

    @cached_property
    def depths(self) -> Array:
        """(t,) the depth of every tree."""
        depth = np.zeros(len(self.parent), np.int64)
        for at, nodes in enumerate(self.levels):
            depth[nodes] = at
        return np.asarray(np.maximum.reduceat(depth, self.roots))

    def means(self) -> Array:
        """(t, k) the mean of every tree over its training rows, as its leaves count them."""
        reached = np.ones(len(self.parent))
        for nodes in self.levels[1:]:
            reached[nodes] = reached[self.parent[nodes]] * self.shares[nodes]
        at_leaf = np.where(self.links[0] < 0, reached, 0.0)[:, None] * self.values
        return np.asarray(np.add.reduceat(at_leaf, self.roots))

    def add_values(
        self, rows: tuple[Array, Array], plan: PredictionSteps, outputs: int, out: Array
    ) -> None:
        """Add the Shapley values of tree t to ``out[t % outputs]`` (n, p, k)."""
        numbers, categories = rows
        arrays = *self.links, self.shares, np.ascontiguousarray(self.values), self.columns
        bounds = [*zip(self.roots.tolist(), self.ends.tolist(), self.depths.tolist(), strict=True)]
        deepest = int(self.depths.max())
        places = (deepest + 2) * (deepest + 3)

        def explain(at: slice) -> None:
            room = np.empty(places, np.int64), np.empty((places, 3))
            for t, bound in enumerate(bounds):
                check_halted()
                tree = (*arrays, *bound, self.parts)
                into = out[t % outputs, at]
                tree_shap.add_values(numbers[at], categories[at], plan, tree, room, into)

        n = out.shape[1]
        engines.map_threads(explain, [slice(i, i + RUN) for i in range(0, n, RUN)])


def shapley_tree(tree: Nodes) -> ShapleyTrees:
    """A single tree with the values of its nodes: the shares of the classes, or its mean."""
    return ShapleyTrees(
        tree.parent,
        tree.n,
        tree.node_values,
        tree.column,
        roots=np.zeros(1, np.int64),
        parts=tree.fractional,
    )


def tree_shapley_values(tree: Nodes, block: Block) -> tuple[Array, Array]:
    """(k,) the mean over the training rows, and (n, p, k) the Shapley values of rows."""
    trees = shapley_tree(tree)
    out = np.zeros((1, len(block), len(tree.columns), tree.node_values.shape[1]))
    if len(tree) > 1:
        numbers, categories, plan = kernel_input(tree, block)
        trees.add_values((numbers, categories), plan, 1, out)
    return trees.means()[0], out[0]


def shapley_contributions(
    found: tuple[Array, Array], block: Block, columns: Sequence[Column], classes: Any
) -> list[Contributions]:
    """For every row its Shapley values as terms."""
    start, values = found
    figure, scale = value_formatter(block.schema, digits=4), PROBABILITY if classes else NUMBER
    told = [
        [
            value_text(block, column, i, figure) if values[i, j].any() else ""
            for j, column in enumerate(columns)
        ]
        for i in range(len(block))
    ]
    return [
        Contributions(
            tuple(
                (
                    Term("", "", float(start[c])),
                    *(
                        Term(column.name, told[i][j], float(values[i, j, c]))
                        for j, column in enumerate(columns)
                        if values[i, j].any()
                    ),
                )
                for c in range(len(start))
            ),
            scale,
            ON_AVERAGE,
        )
        for i in range(len(block))
    ]


def value_text(block: Block, column: Column, row: int, figure: ValueFormatter) -> str:
    """The value of a row in a column, as text."""
    if column.kind == CATEGORY:
        codes = block.codes[column.name]
        code = int(codes.codes[row])
        return "missing" if code < 0 else str(codes.values[code])
    found = float(block.numbers[row, block.schema.places[column.name]])
    return "missing" if math.isnan(found) else figure(column.name, found)


def shapley_array(values: Array, classes: Any) -> Array:
    """Shapley values as estimators return them: without the last axis in a regression."""
    return values if classes else values[:, :, 0]
