"""Boxes: what stands in the nodes of a drawing, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.showing.excerpts import Excerpt
from tallylearn.models.trees.showing.tree_text import averaged, tied
from tallylearn.models.trees.wording import answered, counted, rows_of
from tallylearn.reporting.charts.plot import BOLD_FACTOR
from tallylearn.reporting.charts.svg_elements import text_extent
from tallylearn.reporting.charts.tree_layout import node_positions
from tallylearn.reporting.formatting import printable_text
from tallylearn.tables import Array

BOX, EDGE, GAP = 46.0, 15.0, 12.0  # pixels: a box's height, the text on an edge, between boxes
DROP, LEAD = 26.0, 34.0  # pixels of an edge downwards, and to the right
LEAST, ROOM, TEXT = 64.0, 150.0, 170.0  # pixels of a box's width, of the text inside, on an edge
SMALL_FONT = 10  # pixels of the second line's letters


@dataclass(frozen=True)
class Box:
    """A node where it stands: ``x`` and ``y`` are its upper left corner."""

    node: int
    x: float
    y: float
    width: float
    edge: str  # the answer that leads here
    edge_at: tuple[float, float]  # where that text begins, or its middle


@dataclass(frozen=True)
class Drawing:
    """The part of a tree that is drawn, and how."""

    part: Excerpt

    @cached_property
    def parents(self) -> list[int]:
        """The place of every drawn node's parent among the drawn nodes."""
        place = {node: at for at, node in enumerate(self.part.nodes)}
        return [place.get(int(self.part.tree.parent[i]), -1) for i in self.part.nodes]

    @cached_property
    def edges(self) -> list[str]:
        found, tree = {0: ""}, self.part.tree
        for i in self.part.nodes:
            found |= {b.node: printable_text(answered(tree, b)) for b in self.part.branches(i)}
        return [found[i] for i in self.part.nodes]

    @cached_property
    def levels(self) -> Array:
        return np.asarray(self.part.tree.depths[self.part.nodes])

    def lines(self, i: int) -> tuple[str, str]:
        """What stands in a box: the question or the answer, and the rows."""
        tree, n = self.part.tree, counted(float(self.part.tree.n[i]))
        rows = rows_of(float(tree.n[i]))
        mean = "" if tree.classes else averaged(tree, i)
        if tree.test[i] != LEAF:
            asked = tree.columns[tree.column[i]].name
            return f"{asked}?", self._cut(i) or self._rows(i, mean, n, rows)
        if i in self.part.named:
            return self.part.named[i], rows
        if mean:
            return mean, rows
        right = counted(float(tree.counts[i, int(tree.answer[i])]))
        return str(tree.said(i)), f"{right} of {n}"

    def _cut(self, i: int) -> str:
        """What is not drawn of a node: all below it, or its smaller branches."""
        if left := self.part.hidden.get(i, 0):
            return f"… {left:,} smaller branches"
        return self.part.below(i).strip()

    def _rows(self, i: int, mean: str, n: str, rows: str) -> str:
        told = f"{mean} ({n})" if mean else rows
        return told + (", tied" if tied(self.part.tree, i) else "")

    @cached_property
    def widths(self) -> list[float]:
        """The breadth of every box."""
        found = []
        for i in self.part.nodes:
            first, second = map(printable_text, self.lines(i))
            inside = max(
                text_extent(first) * BOLD_FACTOR, text_extent(second, SMALL_FONT), LEAST - 12
            )
            found.append(min(inside, ROOM) + 12)
        return found

    def down(self) -> list[Box]:
        """Level under level; every edge's text stands over its box."""
        texts = [min(TEXT, text_extent(text)) for text in self.edges]
        middles = node_positions(self.parents, [*map(max, self.widths, texts)], GAP)
        tops = EDGE + self.levels * (EDGE + BOX + DROP)
        return [
            Box(node, x - width / 2, float(y), width, edge, (x, float(y) - 5))
            for node, x, y, width, edge in zip(
                self.part.nodes, middles, tops, self.widths, self.edges, strict=True
            )
        ]

    def right(self) -> list[Box]:
        """Level beside level; every edge's text stands before its box."""
        texts = [min(TEXT, text_extent(text)) for text in self.edges]
        middles = node_positions(self.parents, [BOX] * len(self.part.nodes), GAP)
        end = int(self.levels.max())
        before, inside = np.zeros(end + 1), np.zeros(end + 1)
        np.maximum.at(before, self.levels, texts)
        np.maximum.at(inside, self.levels, self.widths)
        step = LEAD + before[1:] + 8 + inside[:-1]
        lefts = np.concatenate([[0.0], np.cumsum(step)])[self.levels]
        return [
            Box(node, float(x), y - BOX / 2, width, edge, (float(x - before[d]) - 4, y - 4))
            for node, x, y, width, edge, d in zip(
                self.part.nodes, lefts, middles, self.widths, self.edges, self.levels, strict=True
            )
        ]
