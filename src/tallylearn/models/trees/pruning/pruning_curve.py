"""Curves: how the accuracy of a tree follows from its size, as pruning goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.models.trees.pruning import cost_complexity
from tallylearn.models.trees.pruning.reduced_error import (
    best_first,
    costs_on,
    totals,
    training_costs,
)
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.reporting.formatting import format_number
from tallylearn.reporting.report import Report
from tallylearn.tables import Array, Block
from tallylearn.workings import Grid
from tallylearn.workings.derivations import read_derivation

ORDERS = ("reduced_error_greedy", "cost_complexity")


@dataclass(frozen=True, eq=False)
class PruningCurve(Report):
    """Accuracy against size, from the whole tree to its root."""

    nodes: Array  # (s,) int64
    training: Array  # (s,) accuracy on the rows that the tree grew from
    validation: Array  # (s,) and on others

    @property
    def best(self) -> int:
        """The number of nodes of the smallest tree that is best on the validation rows."""
        return int(self.nodes[np.flatnonzero(self.validation == self.validation.max())[-1]])

    def plot(self) -> Plot:
        """Both accuracies against the number of nodes."""
        series = {
            name: (self.nodes[::-1], accuracy[::-1])
            for name, accuracy in (("training", self.training), ("validation", self.validation))
        }
        return draw_lines(series, "Accuracy as pruning goes on", "nodes", "accuracy")

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        return read_derivation(found)

    def to_dict(self) -> dict[str, Any]:
        rows = zip(self.nodes.tolist(), self.training.tolist(), self.validation.tolist(),
                   strict=True)  # fmt: skip
        shown = tuple((str(n), format_number(a), format_number(b)) for n, a, b in rows)
        return Grid("accuracy by size", ("nodes", "training", "validation"), shown).to_dict()


def curve_of(tree: Tree, held: Block, how: str) -> PruningCurve:
    """Prune a tree of classes link by link, and keep count."""
    costs = costs_on(tree, held)
    found = [*(best_first(tree, costs) if how == ORDERS[0] else cost_complexity.links(tree))]
    order = [link.node for link in found]
    weight = float(len(held) if held.weight is None else held.weight.sum())
    right = [
        1.0 - totals(tree, order, each) / n
        for each, n in ((training_costs(tree), float(tree.n[0])), (costs, weight))
    ]
    return PruningCurve(np.array([len(tree), *(link.nodes for link in found)]), *right)
