"""Stems: some trees of a forest, in the few arrays that answering needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallylearn.models.trees.nodes import Nodes
from tallylearn.models.trees.routing import laid_out
from tallylearn.models.trees.showing.importances import ROOT, shares_of
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array


class Stem(NamedTuple):
    """Trees, as a forest keeps them; their nodes count from 0, one tree after the other."""

    roots: Array  # (t,) int64: where each begins
    steps: Array  # (m, 4) int32, see kernels.walking
    threshold: Array  # (m,) float64
    leads: Array  # (2, l) int32
    told: Array  # (m, k) float64: the share of every class, or the mean
    gained: Array  # (t, p) float64: the share of every column in what each tree gained

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)

    def moved(self, nodes: int, leads: int) -> Stem:
        """The same behind so many nodes and leads of other trees."""
        steps = self.steps.copy()
        steps[:, 1:3] += np.where(steps[:, :1] < 0, leads, nodes)
        steps[:, 3] += nodes
        onward = np.stack([self.leads[0], self.leads[1] + np.int32(nodes)])
        return self._replace(roots=self.roots + nodes, steps=steps, leads=onward)


def stem_of(trees: Nodes, roots: Array = ROOT) -> Stem:
    """A tree, or several from their roots on, as their forest keeps them."""
    kinds = [column.kind for column in trees.columns]  # identifiers are neither, and never asked
    named, measured = ([kind in some for kind in kinds] for some in ((CATEGORY,), (NUMBER, DATE)))
    places = np.where(named, -np.cumsum(named), np.cumsum(measured) - 1)
    kept = np.append(places, 0 if any(measured) else -1)
    steps, threshold, leads = laid_out(trees, kept)
    told = np.ascontiguousarray(trees.told)
    return Stem(roots, steps, threshold, leads, told, shares_of(trees, roots))
