"""Layout of tree drawings: compact node positions by the algorithm of Reingold and Tilford."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class Outline:
    """The outermost edges of a subtree, level by level, the root's level last.

    A shift is kept beside the edges, so that a subtree of any size moves in one step.
    """

    left: list[float]
    right: list[float]
    left_shift: float = 0.0
    right_shift: float = 0.0

    def shift(self, by: float) -> None:
        self.left_shift += by
        self.right_shift += by

    def min_shift(self, other: Outline) -> float:
        """How far the other must move to the right to stand beside this one, edge to edge."""
        shared = min(len(self.left), len(other.left))
        between = self.right_shift - other.left_shift
        return between + max(self.right[-d] - other.left[-d] for d in range(1, shared + 1))

    def merge_right(self, other: Outline) -> Outline:
        """The outline of both, the other to the right; only the levels that both have are read."""
        shared = min(len(self.left), len(other.left))
        tall, low = (self, other) if len(self.left) > shared else (other, self)
        out = Outline(tall.left, tall.right, tall.left_shift, tall.right_shift)
        for d in range(1, shared + 1):
            if low is self:
                out.left[-d] = self.left[-d] + self.left_shift - out.left_shift
            else:
                out.right[-d] = other.right[-d] + other.right_shift - out.right_shift
        return out

    def add_root(self, breadth: float) -> Outline:
        """With the root's own level on top."""
        self.left.append(-breadth / 2 - self.left_shift)
        self.right.append(breadth / 2 - self.right_shift)
        return self


def node_positions(parent: Sequence[int], breadths: Sequence[float], gap: float) -> list[float]:
    """The middle of every node along its level, from 0 on; parents stand over their children.

    Nodes are in pre-order. Subtrees are pushed together until they are ``gap`` apart on some level,
    so equal subtrees look equal wherever they stand; the time is linear, as every comparison of
    two outlines ends one of them. E. M. Reingold and J. S. Tilford, Tidier drawings of trees, IEEE
    Transactions on Software Engineering 7, 1981.

    >>> node_positions([-1, 0, 1, 1, 0], [10, 10, 10, 10, 10], 5)
    [20.0, 12.5, 5.0, 20.0, 27.5]
    """
    m = len(parent)
    kids: list[list[int]] = [[] for _ in range(m)]
    for i in range(1, m):
        kids[parent[i]].append(i)
    offset, outlines = [0.0] * m, [Outline([], [])] * m
    for i in reversed(range(m)):
        outlines[i] = _merge_subtrees(kids[i], outlines, offset, gap).add_root(breadths[i])
        for kid in kids[i]:
            outlines[kid] = Outline([], [])
    for i in range(1, m):
        offset[i] += offset[parent[i]]
    first = min(x - b / 2 for x, b in zip(offset, breadths, strict=True))
    return [x - first for x in offset]


def _merge_subtrees(
    kids: list[int], outlines: list[Outline], offset: list[float], gap: float
) -> Outline:
    """Put subtrees beside each other, the root in their middle; their common outline."""
    if not kids:
        return Outline([], [])
    whole = outlines[kids[0]]
    for kid in kids[1:]:
        offset[kid] = whole.min_shift(outlines[kid]) + gap
        outlines[kid].shift(offset[kid])
        whole = whole.merge_right(outlines[kid])
    middle = (offset[kids[0]] + offset[kids[-1]]) / 2
    for kid in kids:
        offset[kid] -= middle
    whole.shift(-middle)
    return whole
