"""Leaves: a tree with few of them keeps the splits that gain the most."""

from __future__ import annotations

import heapq

from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.tree import Tree


def with_leaves(tree: Tree, most: int) -> Tree:
    """The tree that best-first growth reaches with at most so many leaves.

    The question of a node does not depend on when it is asked, so the tree grown best-first is the
    full tree, cut back: always the open node is split whose question gains the most.
    """
    kept, leaves = {0}, 1
    heap = [(-float(tree.n[0] * tree.gain[0]), 0)]
    while heap:
        _, node = heapq.heappop(heap)
        kids = tree.children(node)
        if tree.test[node] == LEAF or leaves + len(kids) - 1 > most:
            continue
        kept.update(kids)
        leaves += len(kids) - 1
        for kid in kids:
            heapq.heappush(heap, (-float(tree.n[kid] * tree.gain[kid]), kid))
    return tree.without(i for i in kept if tree.test[i] != LEAF and i + 1 not in kept)
