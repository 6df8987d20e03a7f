"""The part of a tree that is shown: upper levels of a large tree, largest of many branches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, short_repr
from tallylearn.models.trees.node import Branch
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array

NO_DEPTH_LIMIT = 1 << 62  # a level that no tree has, and NumPy can compare


@dataclass(frozen=True)
class Excerpt:
    """The part of a tree that is shown, and the models of its leaves, if it is a model tree."""

    tree: Tree
    end: int  # the last level
    nodes: list[int]
    hidden: Mapping[int, int]  # a node, and how many of its branches are not shown
    names: Mapping[int, str] = field(default_factory=dict)  # leaves that hold models: LM1, LM2, ...
    formulas: Mapping[int, str] = field(default_factory=dict)  # and these models, as formulas

    @classmethod
    def of(
        cls, tree: Tree, max_nodes: int, max_branches: int, max_depth: int | None = None, *,
        names: Mapping[int, str] | None = None, formulas: Mapping[int, str] | None = None,
    ) -> Excerpt:  # fmt: skip
        """The largest branches of every node, and levels down to ``max_depth``.

        Without a depth, as many levels as have ``max_nodes`` nodes, and one at least.
        """
        kept, hidden = _find_largest_branches(tree, max_branches)
        end = _level(max_depth)
        if end is None:
            whole = np.cumsum(np.bincount(tree.depths[kept]))
            end = max(1, int(np.searchsorted(whole, max_nodes, side="right")) - 1)
        nodes = np.flatnonzero(kept & (tree.depths <= end)).tolist()
        cut = {i: n for i, n in hidden.items() if kept[i] and tree.depths[i] < end}
        return cls(
            tree, min(end, tree.depth), nodes, cut, names=names or {}, formulas=formulas or {}
        )

    def branches(self, i: int) -> tuple[Branch, ...]:
        """The branches of a node that are shown."""
        if self.tree.depths[i] >= self.end:
            return ()
        return self._largest[i] if i in self.hidden else self.tree.branches(i)

    @cached_property
    def _largest(self) -> dict[int, tuple[Branch, ...]]:
        shown = {*self.nodes}
        return {
            i: tuple(branch for branch in self.tree.branches(i) if branch.node in shown)
            for i in self.hidden
        }

    def hidden_note(self, i: int) -> str:
        """How many branches of a node are not shown; "" where all are."""
        left = self.hidden.get(i, 0)
        if not left:
            return ""
        return f"… {left:,} smaller branch{'es' if left > 1 else ''}: too many to draw"

    def cut_off_note(self, i: int) -> str:
        """How many nodes are not shown below one at the last level."""
        left = int(self.tree.sizes[i]) - 1 if self.tree.depths[i] == self.end else 0
        return f"  … {left} more node{'s' if left > 1 else ''}" if left else ""


def _level(max_depth: Any) -> int | None:
    """The last level to show."""
    if max_depth is None:
        return None
    whole = isinstance(max_depth, int | np.integer) and not isinstance(max_depth, bool)
    if not whole or max_depth < 0:
        raise OptionError(
            f"max_depth is {short_repr(max_depth)}. Give the last level to show, a whole number "
            "from 0 up, or leave it out to show as many levels as fit."
        )
    return min(int(max_depth), NO_DEPTH_LIMIT)


def _find_largest_branches(tree: Tree, max_branches: int) -> tuple[Array, dict[int, int]]:
    """Which nodes are on the largest branches, and how many branches of a node are not."""
    kids = np.bincount(tree.parent[1:], minlength=len(tree))
    edges, hidden = np.zeros(len(tree) + 1, np.int64), dict[int, int]()
    for i in np.flatnonzero(kids > max_branches).tolist():
        every = np.array(tree.children(i))
        small = every[np.argsort(-tree.n[every], kind="stable")[max_branches:]]
        hidden[i] = len(small)
        edges[small] += 1
        np.add.at(edges, small + tree.sizes[small], -1)
    return np.cumsum(edges)[:-1] == 0, hidden
