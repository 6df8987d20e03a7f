"""The nodes that a grower has written, as arrays; trees of branches are spliced into them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallylearn.tables import Array


class GrownNodes(NamedTuple):
    """The nodes, the leads of categories, the ties: see ``kernels.trees.record``."""

    nodes: Array  # (m, 10) int64
    reals: Array  # (m, 2) impurity and gain; (m, 3) where cuts are drawn: and where that is
    totals: Array  # (m, q) int64
    leads: Array  # (l, 2) int64: a code, and its child
    ties: Array  # (t, 3) int64: a column, and the codes before and after its cut


def splice(top: GrownNodes, left: Array, parts: list[GrownNodes]) -> GrownNodes:
    """The tree of a space in which each node of ``left`` is replaced by the tree of a part."""
    if not parts:
        return top
    nodes = top.nodes
    sizes = np.ones(len(nodes), dtype=np.int64)
    sizes[left] = [len(part.nodes) for part in parts]
    place = np.append(np.cumsum(sizes) - sizes, -1)  # the new number of every node; -1 stays -1
    kept = np.ones(len(nodes), dtype=bool)
    kept[left] = False
    whole = int(sizes.sum())
    out = [np.empty((whole, array.shape[1]), array.dtype) for array in top[:3]]
    for target, source in zip(out, top[:3], strict=True):
        target[place[:-1][kept]] = source[kept]
    out[0][place[:-1][kept], 0] = place[nodes[kept, 0]]
    counts = np.zeros((whole, 2), dtype=np.int64)  # leads and ties of every node
    counts[place[:-1]] = np.diff(nodes[:, 8:10], axis=0, prepend=0)
    for at, part in zip(left.tolist(), parts, strict=True):
        here = slice(int(place[at]), int(place[at]) + len(part.nodes))
        for target, source in zip(out, part[:3], strict=True):
            target[here] = source
        out[0][here, 0] += place[at]
        out[0][place[at], :2] = place[nodes[at, 0]], nodes[at, 1]
        counts[here] = np.diff(part.nodes[:, 8:10], axis=0, prepend=0)
    out[0][:, 8:10] = np.cumsum(counts, axis=0)
    leads, ties = (_merge(top, left, parts, kind) for kind in (0, 1))
    return GrownNodes(out[0], out[1], out[2], leads, ties)


def _merge(top: GrownNodes, left: Array, parts: list[GrownNodes], kind: int) -> Array:
    """The leads (kind 0) or the ties of all nodes, in their order."""
    found, done = [], 0
    for at, part in zip(left.tolist(), parts, strict=True):
        end = int(top.nodes[at, 8 + kind])
        found += [top[3 + kind][done:end], part[3 + kind]]
        done = end
    return np.concatenate([*found, top[3 + kind][done:]])
