"""Stems: one tree of a forest, in the few arrays that answering needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallylearn.models.trees.routing import laid_out
from tallylearn.models.trees.showing.importances import shares_of
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array


class Stem(NamedTuple):
    """One tree, as a forest keeps it; its nodes count from 0."""

    steps: Array  # (m, 4) int32, see kernels.walking
    threshold: Array  # (m,) float64
    leads: Array  # (2, l) int32
    told: Array  # (m, k) float64: the share of every class, or the mean
    gained: Array  # (p,) float64: the share of every column in what the tree gained

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)

    def moved(self, nodes: int, leads: int) -> Stem:
        """The same behind so many nodes and leads of other trees."""
        steps = self.steps.copy()
        coded = steps[:, 0] < 0
        steps[:, 3] += nodes
        steps[~coded, 1:3] += nodes
        steps[coded, 1:3] += leads
        onward = np.stack([self.leads[0], self.leads[1] + np.int32(nodes)])
        return self._replace(steps=steps, leads=onward)


def stem_of(tree: Tree) -> Stem:
    """A tree as its forest keeps it."""
    kinds = [column.kind for column in tree.columns]  # identifiers are neither, and never asked
    named, measured = ([kind in some for kind in kinds] for some in ((CATEGORY,), (NUMBER, DATE)))
    places = np.where(named, -np.cumsum(named), np.cumsum(measured) - 1)
    kept = np.append(places, 0 if any(measured) else -1)
    steps, threshold, leads = laid_out(tree, kept)
    return Stem(steps, threshold, leads, np.ascontiguousarray(tree.told), shares_of(tree))
