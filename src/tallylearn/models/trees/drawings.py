"""Drawings: a tree as a picture, questions in boxes, answers on the edges, classes as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, listed
from tallylearn.models.trees.texts import (
    answered,
    averaged,
    below,
    counted,
    readable,
    rows_of,
    said,
    tied,
    worded,
)
from tallylearn.models.trees.trees import LEAF, Tree
from tallylearn.plots.layouts import tidied
from tallylearn.plots.marks import COLOURS, FAINT, GRID, INK, extent, label, tag, tooltip, track
from tallylearn.plots.pictures import BOLD, TOP, Plot, picture
from tallylearn.tables import Array
from tallylearn.workings.rendering import plain, plain_data, short

DIRECTIONS = ("auto", "down", "right")
MOST = 2000  # nodes; of a larger tree the upper levels are drawn
BROAD = 1400.0  # pixels: a broader tree is drawn from left to right
BOX, EDGE, GAP = 46.0, 15.0, 12.0  # pixels: a box's height, the text on an edge, between boxes
DROP, LEAD, MARGIN = 26.0, 34.0, 16.0  # pixels of an edge downwards, to the right; of the sheet
LEAST, ROOM, TEXT = 64.0, 150.0, 170.0  # pixels of a box's width, of the text inside, on an edge
OTHERS = "#999999"
SMALL = 10


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
    """A tree, the nodes of it that are drawn, and how."""

    tree: Tree
    end: int  # the last level

    @cached_property
    def nodes(self) -> list[int]:
        return [int(i) for i in np.flatnonzero(self.tree.depths <= self.end)]

    @cached_property
    def parents(self) -> list[int]:
        """The place of every drawn node's parent among the drawn nodes."""
        place = {node: at for at, node in enumerate(self.nodes)}
        return [place.get(int(self.tree.parent[i]), -1) for i in self.nodes]

    @cached_property
    def edges(self) -> list[str]:
        found = {0: ""}
        for i in self.nodes:
            if self.tree.depths[i] < self.end:
                branches = self.tree.branches(i)
                found |= {b.node: plain(answered(self.tree, b)) for b in branches}
        return [found[i] for i in self.nodes]

    @cached_property
    def levels(self) -> Array:
        return np.asarray(self.tree.depths[self.nodes])

    def lines(self, i: int) -> tuple[str, str]:
        """What stands in a box: the question or the answer, and the rows."""
        tree, n = self.tree, counted(float(self.tree.n[i]))
        rows = rows_of(float(tree.n[i]))
        mean = "" if tree.classes else averaged(tree, i)
        if tree.test[i] != LEAF:
            told = f"{mean} ({n})" if mean else rows
            more = below(tree, i, self.end).strip()
            asked = tree.columns[tree.column[i]].name
            return f"{asked}?", more or told + (", tied" if tied(tree, i) else "")
        if mean:
            return mean, rows
        right = counted(float(tree.counts[i, int(tree.answer[i])]))
        return str(tree.said(i)), f"{right} of {n}"

    @cached_property
    def widths(self) -> list[float]:
        """The breadth of every box."""
        found = []
        for i in self.nodes:
            first, second = map(plain, self.lines(i))
            inside = max(extent(first) * BOLD, extent(second, SMALL), LEAST - 12)
            found.append(min(inside, ROOM) + 12)
        return found

    def down(self) -> list[Box]:
        """Level under level; every edge's text stands over its box."""
        texts = [min(TEXT, extent(text)) for text in self.edges]
        middles = tidied(self.parents, [*map(max, self.widths, texts)], GAP)
        tops = EDGE + self.levels * (EDGE + BOX + DROP)
        return [
            Box(node, x - width / 2, float(y), width, edge, (x, float(y) - 5))
            for node, x, y, width, edge in zip(
                self.nodes, middles, tops, self.widths, self.edges, strict=True
            )
        ]

    def right(self) -> list[Box]:
        """Level beside level; every edge's text stands before its box."""
        texts = [min(TEXT, extent(text)) for text in self.edges]
        middles = tidied(self.parents, [BOX] * len(self.nodes), GAP)
        before, inside = np.zeros(self.end + 1), np.zeros(self.end + 1)
        np.maximum.at(before, self.levels, texts)
        np.maximum.at(inside, self.levels, self.widths)
        step = LEAD + before[1:] + 8 + inside[:-1]
        lefts = np.concatenate([[0.0], np.cumsum(step)])[self.levels]
        return [
            Box(node, float(x), y - BOX / 2, width, edge, (float(x - before[d]) - 4, y - 4))
            for node, x, y, width, edge, d in zip(
                self.nodes, lefts, middles, self.widths, self.edges, self.levels, strict=True
            )
        ]


def draw_tree(
    tree: Tree, max_depth: int | None = None, direction: str = "auto", title: str = ""
) -> Plot:
    """Draw a tree: from above where it fits a screen's width, else from left to right."""
    if direction not in DIRECTIONS:
        raise OptionError(f"direction is one of {listed(DIRECTIONS)}, not {direction!r}.")
    end = readable(tree, MOST) if max_depth is None else max_depth
    drawing = Drawing(tree, min(end, tree.depth))
    boxes = drawing.down() if direction != "right" else []
    turned = direction == "right" or (direction == "auto" and _breadth(boxes) > BROAD)
    boxes = drawing.right() if turned else boxes
    title = title or f"{_kind(tree)}: {len(tree)} nodes, {len(tree.leaves)} leaves"
    colours = colours_of(tree)
    width = max(_breadth(boxes) + 2 * MARGIN, extent(title, 14) * BOLD + 2 * MARGIN, 320.0)
    names = _legend(colours, width) if tree.classes else []
    top = TOP + 18 * (1 + max((row for *_, row in names), default=-1)) + 6
    left = MARGIN if turned else (width - _breadth(boxes)) / 2
    placed = [_moved(box, left, top) for box in boxes]
    height = max(box.y for box in placed) + BOX + MARGIN
    body = [
        *(mark for name, colour, x, row in names for mark in _key(name, colour, x, TOP + 18 * row)),
        *_edges(placed, drawing.parents, turned),
        *(_box(tree, box, drawing.lines(box.node), colours) for box in placed),
    ]
    return picture(title, _data(tree, placed, turned), body, width, height)


def _kind(tree: Tree) -> str:
    return "Decision tree" if tree.classes else "Regression tree"


def _breadth(boxes: Sequence[Box]) -> float:
    """The pixels from the left edge of a drawing to the right."""
    texts = (box.edge_at[0] + min(TEXT, extent(box.edge)) / 2 for box in boxes)
    return max([*texts, *(box.x + box.width for box in boxes)], default=0.0)


def _moved(box: Box, x: float, y: float) -> Box:
    at = (box.edge_at[0] + x, box.edge_at[1] + y)
    return Box(box.node, box.x + x, box.y + y, box.width, box.edge, at)


def colours_of(tree: Tree) -> dict[Any, str]:
    """A colour for every class; of many, for the most frequent, and grey for the others."""
    if len(tree.classes) <= len(COLOURS):
        return dict(zip(tree.classes, COLOURS, strict=False))
    often = np.argsort(-tree.counts[0], kind="stable")[: len(COLOURS) - 1]
    found = dict.fromkeys(tree.classes, OTHERS)
    return found | {tree.classes[c]: COLOURS[at] for at, c in enumerate(sorted(often))}


def _legend(colours: dict[Any, str], width: float) -> list[tuple[str, str, float, int]]:
    """The names of the classes, their colours, and where they stand: pixel and row."""
    names = [(plain(name), colour) for name, colour in colours.items() if colour != OTHERS]
    names += [("others", OTHERS)] if OTHERS in colours.values() else []
    found, x, row = [], MARGIN, 0
    for name, colour in names:
        wide = 16 + min(extent(name), ROOM)
        if x > MARGIN and x + wide > width - MARGIN:
            x, row = MARGIN, row + 1
        found.append((name, colour, x, row))
        x += wide + 14
    return found


def _key(name: str, colour: str, x: float, y: float) -> Iterator[str]:
    yield tag("rect", x=x, y=y, width=11, height=11, fill=colour)
    yield label(name, x + 16, y + 10, room=ROOM)


def _edges(boxes: Sequence[Box], parents: Sequence[int], turned: bool) -> Iterator[str]:
    """A line from every node to its child, and the answer at its end."""
    for box, up in zip(boxes, parents, strict=True):
        if up < 0:
            continue
        x, y = box.edge_at
        if turned:
            turn, high, low = x - 12, boxes[up].y + BOX / 2, box.y + BOX / 2
            begin = boxes[up].x + boxes[up].width
            points = [(begin, high), (turn, high), (turn, low), (box.x, low)]
        else:
            middle = boxes[up].x + boxes[up].width / 2
            points = [(middle, boxes[up].y + BOX), (x, box.y - EDGE)]
        yield tag("polyline", points=track(points), fill="none", stroke="#999999")
        anchor = "start" if turned else "middle"
        yield label(box.edge, x, y, room=TEXT, text_anchor=anchor)


def _box(tree: Tree, box: Box, lines: tuple[str, str], colours: dict[Any, str]) -> str:
    """A node: its question or answer, its rows, and the classes among them."""
    leaf = tree.test[box.node] == LEAF
    border = colours.get(tree.said(box.node), INK) if leaf else FAINT
    middle, room = box.x + box.width / 2, box.width - 8
    return tag(
        "g", tooltip(_whole(tree, box.node)),
        tag("rect", x=box.x, y=box.y, width=box.width, height=BOX, rx=8 if leaf else 2,
            fill="#ffffff", stroke=border, stroke_width=1.6 if leaf else 1, **{"class": "node"}),
        label(lines[0], middle, box.y + 15, room=room / BOLD, font_weight="bold",
              text_anchor="middle"),
        label(lines[1], middle, box.y + 29, room=room, size=SMALL, text_anchor="middle",
              fill=FAINT),
        *_bar(tree, box, colours),
    )  # fmt: skip


def _bar(tree: Tree, box: Box, colours: dict[Any, str]) -> Iterator[str]:
    """The shares of the classes; or how high the mean lies among all means of the tree."""
    x, y, width = box.x + 6, box.y + 35, box.width - 12
    yield tag("rect", x=x, y=y, width=width, height=6, fill=GRID)
    if not tree.classes:
        low, high = float(tree.answer.min()), float(tree.answer.max())
        share = (float(tree.answer[box.node]) / 2 - low / 2) / (high / 2 - low / 2 or 1.0)
        yield tag("rect", x=x, y=y, width=width * share, height=6, fill=COLOURS[0])
        return
    whole = float(tree.counts[box.node].sum()) or 1.0
    for name, count in zip(tree.classes, tree.counts[box.node].tolist(), strict=True):
        if count > 0:
            yield tag("rect", x=x, y=y, width=width * count / whole, height=6, fill=colours[name])
            x += width * count / whole


def _whole(tree: Tree, i: int) -> str:
    """All about a node, for its tooltip."""
    asks = "" if tree.test[i] == LEAF else (
        f"; asks {tree.columns[tree.column[i]].name}, gain {short(float(tree.gain[i]))}"
    )  # fmt: skip
    held = f"{tree.criterion} {short(float(tree.impurity[i]))}"
    path = " & ".join(worded(tree, tree.branch(j)) for j in tree.above(i)[1:]) or "root"
    return f"node {i}: {path}; {said(tree, i)}; {held}{asks}"


def _data(tree: Tree, boxes: Sequence[Box], turned: bool) -> dict[str, Any]:
    nodes = [
        {
            "node": box.node, "parent": int(tree.parent[box.node]), "edge": box.edge,
            "question": "" if tree.test[box.node] == LEAF
            else tree.columns[tree.column[box.node]].name,
            "answer": plain_data(tree.said(box.node)), "n": float(tree.n[box.node]),
            "counts": tree.counts[box.node].tolist(),
            "box": [round(float(v), 2) for v in (box.x, box.y, box.width, BOX)],
        }
        for box in boxes
    ]  # fmt: skip
    return {"direction": "right" if turned else "down",
            "classes": [*map(plain_data, tree.classes)], "nodes": nodes}  # fmt: skip
