"""Prediction arrays: some trees of a forest, in the few arrays that prediction needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tallylearn.errors import InputError
from tallylearn.models.trees.nodes import Nodes
from tallylearn.models.trees.routing import prediction_steps
from tallylearn.models.trees.showing.importances import ROOT, shares_of
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array


class TreeArrays(NamedTuple):
    """Trees, as a forest keeps them; their nodes count from 0, one tree after the other."""

    roots: Array  # (t,) int64: where each begins
    steps: Array  # (m, 4) int32, see kernels.walking
    threshold: Array  # (m,) float64
    leads: Array  # (2, l) int32
    node_values: Array  # (m, k) float64: the share of every class, or the mean
    gained: Array  # (t, p) float64: the share of every column in what each tree gained
    weights: Array  # (m,) float64: the weight of the training rows at each node

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)


def join_trees(parts: Sequence[TreeArrays]) -> TreeArrays:
    """Trees behind each other, whose nodes and leads count from those of the first."""
    nodes = np.cumsum([0, *(len(part.node_values) for part in parts)])
    leads = np.cumsum([0, *(part.leads.shape[1] for part in parts)])
    if max(nodes[-1], leads[-1]) >= 2**31:
        raise InputError(
            "the forest has more than 2^31 nodes, the limit. Grow fewer trees, or set max_depth."
        )
    roots, steps, threshold, onward, node_values, gained, weights = zip(*parts, strict=True)
    out = TreeArrays(
        np.concatenate([root + start for root, start in zip(roots, nodes[:-1], strict=True)]),
        np.concatenate(steps), np.concatenate(threshold), leads=np.concatenate(onward, axis=1),
        node_values=np.concatenate(node_values), gained=np.concatenate(gained),
        weights=np.concatenate(weights),
    )  # fmt: skip
    for at in range(len(parts)):  # in place: steps are half of what a forest takes
        own = out.steps[nodes[at] : nodes[at + 1]]
        led = own[:, 1:2] < own[:, 2:3]  # leaves that look at a category have no leads to count
        own[:, 1:3] += np.where(own[:, :1] >= 0, nodes[at], leads[at] * led)
        own[:, 3] += nodes[at]
        out.leads[1, leads[at] : leads[at + 1]] += nodes[at]
    return out


def arrays_of(trees: Nodes, roots: Array = ROOT) -> TreeArrays:
    """A tree, or several from their roots on, as their forest keeps them."""
    kinds = [column.kind for column in trees.columns]  # identifiers are neither, and never asked
    named, measured = ([kind in some for kind in kinds] for some in ((CATEGORY,), (NUMBER, DATE)))
    places = np.where(named, -np.cumsum(named), np.cumsum(measured) - 1)
    kept = np.append(places, 0 if any(measured) else -1)
    steps, threshold, leads = prediction_steps(trees, kept)
    told = np.ascontiguousarray(trees.node_values)
    return TreeArrays(
        roots, steps, threshold, leads=leads, node_values=told, gained=shares_of(trees, roots),
        weights=trees.n,
    )  # fmt: skip
