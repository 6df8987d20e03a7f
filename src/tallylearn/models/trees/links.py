"""Links: what a branch costs as it is, what it would cost as a leaf, and which link is weakest."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tallylearn.models.trees.trees import LEAF, Tree
from tallylearn.tables import Array


def summed_up(tree: Tree, own: Array) -> Array:
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
        return summed_up(tree, self.own)


@dataclass(frozen=True)
class Link:
    """A node that is to become a leaf, and what the tree costs before and after."""

    node: int
    value: float  # what made it the weakest
    leaf: float
    branch: float
    leaves: int  # below it
    total: float  # of the tree without it
    nodes: int  # that the tree is left with


def weakest(
    tree: Tree, costs: Costs, value: Callable[[float, float, int], float]
) -> Iterator[Link]:
    """Links from the weakest on, until the root is a leaf.

    The weakest has the least ``value(leaf, branch, leaves)``; of equal ones the node of the
    smallest number goes first.
    """
    leaf, branch = costs.leaf.tolist(), costs.branch(tree).tolist()
    leaves = summed_up(tree, (tree.test == LEAF).astype(np.int64)).tolist()
    sizes, parent = tree.sizes.tolist(), tree.parent.tolist()
    inner, stamp, left = (tree.test != LEAF).tolist(), [0] * len(tree), len(tree)
    heap = [(value(leaf[i], branch[i], leaves[i]), i, 0) for i in range(len(tree)) if inner[i]]
    nodes = [*sizes]
    heapq.heapify(heap)
    while heap:
        found, i, when = heapq.heappop(heap)
        if not inner[i] or when != stamp[i]:
            continue
        cost, gone, less = leaf[i] - branch[i], leaves[i] - 1, nodes[i] - 1
        left -= less
        yield Link(i, found, leaf[i], branch[i], leaves[i], branch[0] + cost, left)
        inner[i : i + sizes[i]] = [False] * sizes[i]
        up = i
        while up >= 0:
            branch[up], leaves[up], nodes[up] = (
                branch[up] + cost, leaves[up] - gone, nodes[up] - less,
            )  # fmt: skip
            stamp[up] += 1
            if inner[up]:
                heapq.heappush(heap, (value(leaf[up], branch[up], leaves[up]), up, stamp[up]))
            up = parent[up]


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
