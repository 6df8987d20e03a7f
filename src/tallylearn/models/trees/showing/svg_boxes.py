"""The boxes of a drawing: the text in the nodes, and their positions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.showing.excerpts import Excerpt
from tallylearn.models.trees.showing.tree_text import mean_text, tied_columns
from tallylearn.models.trees.wording import branch_value, format_count, format_rows
from tallylearn.reporting.charts.plot import BOLD_FACTOR
from tallylearn.reporting.charts.svg_elements import text_extent
from tallylearn.reporting.charts.tree_layout import node_positions
from tallylearn.reporting.formatting import printable_text
from tallylearn.tables import Array

# all in pixels
BOX_HEIGHT = 46.0
BOX_GAP = 12.0  # between two boxes
EDGE_TEXT_HEIGHT = 15.0
EDGE_DROP, EDGE_LEAD = 26.0, 34.0  # length of an edge, downwards and to the right
MIN_BOX_WIDTH = 64.0
MAX_BOX_TEXT = 150.0  # width of the text in a box
MAX_EDGE_TEXT = 170.0  # width of the text on an edge
SMALL_FONT = 10  # font size of the second line


@dataclass(frozen=True)
class NodeBox:
    """A node of the drawing: ``x`` and ``y`` are its upper left corner."""

    node: int
    x: float
    y: float
    width: float
    edge: str  # the branch that leads here
    edge_at: tuple[float, float]  # where that text begins, or its middle


@dataclass(frozen=True)
class TreeLayout:
    """The positions and texts of the nodes that are drawn."""

    part: Excerpt

    @cached_property
    def parents(self) -> list[int]:
        """The position of the parent of every drawn node among the drawn nodes."""
        place = {node: at for at, node in enumerate(self.part.nodes)}
        return [place.get(int(self.part.tree.parent[i]), -1) for i in self.part.nodes]

    @cached_property
    def edges(self) -> list[str]:
        found, tree = {0: ""}, self.part.tree
        for i in self.part.nodes:
            found |= {b.node: printable_text(branch_value(tree, b)) for b in self.part.branches(i)}
        return [found[i] for i in self.part.nodes]

    @cached_property
    def levels(self) -> Array:
        return np.asarray(self.part.tree.depths[self.part.nodes])

    def lines(self, i: int) -> tuple[str, str]:
        """The lines in a box: the split or the prediction, and the rows."""
        tree, n = self.part.tree, format_count(float(self.part.tree.n[i]))
        rows = format_rows(float(tree.n[i]))
        mean = "" if tree.classes else mean_text(tree, i)
        if tree.test[i] != LEAF:
            name = tree.columns[tree.column[i]].name
            return f"{name}?", self._omission_note(i) or self._rows(i, mean, n, rows)
        if i in self.part.names:
            return self.part.names[i], rows
        if mean:
            return mean, rows
        right = format_count(float(tree.counts[i, int(tree.answer[i])]))
        return str(tree.prediction_of(i)), f"{right} of {n}"

    def _omission_note(self, i: int) -> str:
        """What is not drawn of a node: all below it, or its smaller branches."""
        if left := self.part.hidden.get(i, 0):
            return f"… {left:,} smaller branches"
        return self.part.cut_off_note(i).strip()

    def _rows(self, i: int, mean: str, n: str, rows: str) -> str:
        text = f"{mean} ({n})" if mean else rows
        return text + (", tied" if tied_columns(self.part.tree, i) else "")

    @cached_property
    def widths(self) -> list[float]:
        """The breadth of every box."""
        found = []
        for i in self.part.nodes:
            first, second = map(printable_text, self.lines(i))
            inside = max(
                text_extent(first) * BOLD_FACTOR,
                text_extent(second, SMALL_FONT),
                MIN_BOX_WIDTH - 12,
            )
            found.append(min(inside, MAX_BOX_TEXT) + 12)
        return found

    def down(self) -> list[NodeBox]:
        """Levels from top to bottom; the text of an edge is above its box."""
        texts = [min(MAX_EDGE_TEXT, text_extent(text)) for text in self.edges]
        middles = node_positions(self.parents, [*map(max, self.widths, texts)], BOX_GAP)
        tops = EDGE_TEXT_HEIGHT + self.levels * (EDGE_TEXT_HEIGHT + BOX_HEIGHT + EDGE_DROP)
        return [
            NodeBox(node, x - width / 2, float(y), width, edge=edge, edge_at=(x, float(y) - 5))
            for node, x, y, width, edge in zip(
                self.part.nodes, middles, tops, self.widths, self.edges, strict=True
            )
        ]

    def right(self) -> list[NodeBox]:
        """Levels from left to right; the text of an edge is left of its box."""
        texts = [min(MAX_EDGE_TEXT, text_extent(text)) for text in self.edges]
        middles = node_positions(self.parents, [BOX_HEIGHT] * len(self.part.nodes), BOX_GAP)
        end = int(self.levels.max())
        before, inside = np.zeros(end + 1), np.zeros(end + 1)
        np.maximum.at(before, self.levels, texts)
        np.maximum.at(inside, self.levels, self.widths)
        step = EDGE_LEAD + before[1:] + 8 + inside[:-1]
        lefts = np.concatenate([[0.0], np.cumsum(step)])[self.levels]
        return [
            NodeBox(
                node,
                float(x),
                y - BOX_HEIGHT / 2,
                width,
                edge=edge,
                edge_at=(float(x - before[d]) - 4, y - 4),
            )
            for node, x, y, width, edge, d in zip(
                self.part.nodes, lefts, middles, self.widths, self.edges, self.levels, strict=True
            )
        ]
