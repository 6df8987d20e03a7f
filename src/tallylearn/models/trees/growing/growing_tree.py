"""Space for a tree that grows: arrays that double, and branches that are put in their places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.tables import Array


@dataclass(frozen=True)
class Space:
    """What grows: the stack, the nodes, the leads of categories, the ties."""

    arrays: tuple[Array, ...]  # stack, nodes, reals, totals, leads, ties

    @classmethod
    def of(cls, nodes: int, columns: int, width: int) -> Space:
        whole = [(64, 7), (nodes, 10), (nodes, width), (nodes, 2), (64 + 8 * columns, 3)]
        stack, found, totals, leads, ties = (np.empty(size, dtype=np.int64) for size in whole)
        return cls((stack, found, np.empty((nodes, 2)), totals, leads, ties))

    def with_more(self, full: int) -> Space:
        """Twice the room for what is full: 1 nodes, 2 leads, 3 ties, 4 stack."""
        larger = {1: (1, 2, 3), 2: (4,), 3: (5,), 4: (0,)}[full]
        return Space(tuple(_doubled(a) if at in larger else a for at, a in enumerate(self.arrays)))

    def cut(self, nodes: int, leads: int, ties: int) -> Space:
        ends = (None, nodes, nodes, nodes, leads, ties)
        return Space(tuple(a[:end] for a, end in zip(self.arrays, ends, strict=True)))


def _doubled(array: Array) -> Array:
    out = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    out[: len(array)] = array
    return out


def spliced(top: Space, left: Array, parts: list[Space]) -> Space:
    """The tree of a space in which each node of ``left`` is replaced by the tree of a part."""
    if not parts:
        return top
    nodes, reals, totals = top.arrays[1:4]
    sizes = np.ones(len(nodes), dtype=np.int64)
    sizes[left] = [len(part.arrays[1]) for part in parts]
    place = np.append(np.cumsum(sizes) - sizes, -1)  # the new number of every node; -1 stays -1
    kept = np.ones(len(nodes), dtype=bool)
    kept[left] = False
    whole = int(sizes.sum())
    out = [np.empty((whole, array.shape[1]), array.dtype) for array in (nodes, reals, totals)]
    for target, source in zip(out, (nodes, reals, totals), strict=True):
        target[place[:-1][kept]] = source[kept]
    out[0][place[:-1][kept], 0] = place[nodes[kept, 0]]
    counts = np.zeros((whole, 2), dtype=np.int64)  # leads and ties of every node
    counts[place[:-1]] = np.diff(nodes[:, 8:10], axis=0, prepend=0)
    for at, part in zip(left.tolist(), parts, strict=True):
        here = slice(int(place[at]), int(place[at]) + len(part.arrays[1]))
        for target, source in zip(out, part.arrays[1:4], strict=True):
            target[here] = source
        out[0][here, 0] += place[at]
        out[0][place[at], :2] = place[nodes[at, 0]], nodes[at, 1]
        counts[here] = np.diff(part.arrays[1][:, 8:10], axis=0, prepend=0)
    out[0][:, 8:10] = np.cumsum(counts, axis=0)
    rest = [_merged(top, left, parts, kind) for kind in (0, 1)]
    return Space((top.arrays[0], *out, *rest))


def _merged(top: Space, left: Array, parts: list[Space], kind: int) -> Array:
    """The leads (kind 0) or the ties of all nodes, in their order."""
    found, done = [], 0
    for at, part in zip(left.tolist(), parts, strict=True):
        end = int(top.arrays[1][at, 8 + kind])
        found += [top.arrays[4 + kind][done:end], part.arrays[4 + kind]]
        done = end
    return np.concatenate([*found, top.arrays[4 + kind][done:]])
