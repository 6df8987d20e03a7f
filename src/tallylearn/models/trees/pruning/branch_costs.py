"""Costs of branches, and of leaves in their place; weakest-link pruning (Breiman et al., 1984)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tallylearn.kernels import cost_complexity
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array


def sum_over_subtrees(tree: Tree, own: Array) -> Array:
    """For every node the sum over it and all below it."""
    found, parent = own.copy(), tree.parent.tolist()
    for i in range(len(tree) - 1, 0, -1):
        found[parent[i]] += found[i]
    return found


@dataclass(frozen=True)
class Costs:
    """Errors, losses or impurities that add up over the leaves of a tree."""

    leaf: Array  # (m,) float64: of a node, were it a leaf
    own: Array  # (m,) float64: of rows that end at an inner node; at a leaf the same as ``leaf``

    def branch(self, tree: Tree) -> Array:
        """(m,) of a node with all that is below it."""
        return sum_over_subtrees(tree, self.own)


@dataclass(frozen=True)
class WeakestLink:
    """A node that is to become a leaf, and what the tree costs before and after."""

    node: int
    value: float  # what made it the weakest
    leaf: float
    branch: float
    leaves: int  # below it
    total: float  # of the tree without it
    nodes: int  # that the tree is left with


def weakest(tree: Tree, costs: Costs, shared: bool) -> Iterator[WeakestLink]:
    """Links from the weakest on, until the root is a leaf.

    The weakest costs least more as a leaf than it does now, ``shared`` or not by the leaves that
    go; of equal ones the node of the smallest number goes first.
    """
    both = np.stack([costs.leaf, costs.branch(tree)], axis=1)
    leaves = sum_over_subtrees(tree, (tree.test == LEAF).astype(np.int64))
    counts = np.stack([leaves, tree.sizes], axis=1)
    room = 1 << (len(tree) - 1).bit_length()
    out = np.empty((len(tree), 7))
    found = cost_complexity.unlink(
        tree.parent, tree.sizes, both, counts, shared, np.empty(room), np.empty(2 * room, np.int64),
        out,
    )  # fmt: skip
    for i, value, leaf, branch, below, total, left in out[:found].tolist():
        yield WeakestLink(
            int(i), value, leaf, branch=branch, leaves=int(below), total=total, nodes=int(left)
        )


def no_worse(tree: Tree, costs: Costs) -> Iterator[tuple[int, float, float]]:
    """From the bottom up: nodes that cost no more as a leaf than with what is left below them.

    Yields the node, its cost as a leaf and its cost as a branch. Of all prunings of least cost this
    is the smallest.
    """
    branch, leaf = costs.own.copy(), costs.leaf
    inner = tree.test != LEAF
    slack = 1e-12 * float(np.abs(leaf).max(initial=0.0))  # of sums in another order
    for i in range(len(tree) - 1, -1, -1):
        if inner[i] and leaf[i] <= branch[i] + slack:
            yield i, float(leaf[i]), float(branch[i])
            branch[i] = leaf[i]
        if i:
            branch[tree.parent[i]] += branch[i]
