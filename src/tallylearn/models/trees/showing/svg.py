"""Drawings: a tree as a picture, questions in boxes, answers on the edges, classes as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, is_one_of, quoted_list, short_repr
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.showing.excerpts import Excerpt
from tallylearn.models.trees.showing.regions import Region, regions_of, sentence
from tallylearn.models.trees.showing.svg_boxes import (
    BOX,
    EDGE,
    ROOM,
    SMALL_FONT,
    TEXT,
    Box,
    Drawing,
)
from tallylearn.models.trees.showing.tree_text import said
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.wording import MAX_LISTED
from tallylearn.reporting.charts.plot import BOLD_FACTOR, TITLE_HEIGHT, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import (
    COLOURS,
    FAINT,
    GRID,
    INK,
    label,
    points_attribute,
    tag,
    text_extent,
    tooltip,
)
from tallylearn.reporting.formatting import format_number, more_note, plain_data, printable_text

DIRECTIONS = ("auto", "down", "right")
MAX_NODES = 2000  # nodes; of a larger tree the upper levels are drawn
MAX_BRANCHES = 50  # branches of a node
MODELS = 40  # formulas under a drawing
BROAD = 1400.0  # pixels: a broader tree is drawn from left to right
MARGIN, LINE = 16.0, 18.0  # pixels around the drawing, and of a line of the legend
TITLE = 900.0  # pixels that a long title or formula may widen the sheet to
OTHERS = "#999999"


def draw_tree(part: Excerpt, direction: str = "auto", title: str = "") -> Plot:
    """Draw a tree: from above where it fits a screen's width, else from left to right."""
    if not is_one_of(direction, DIRECTIONS):
        raise OptionError(
            f"direction is one of {quoted_list(DIRECTIONS)}, not {short_repr(direction)}."
        )
    tree, drawing = part.tree, Drawing(part)
    boxes = drawing.down() if direction != "right" else []
    turned = direction == "right" or (direction == "auto" and _breadth(boxes) > BROAD)
    boxes = drawing.right() if turned else boxes
    title, notes = str(title) or _title(part), _notes(part)
    breadth, texts = (
        _breadth(boxes),
        [text_extent(printable_text(title), 14) * BOLD_FACTOR, *map(text_extent, notes)],
    )
    width = max(breadth, min(max(texts), TITLE), 290.0) + 2 * MARGIN
    colours = colours_of(tree)
    legend, under = _legend(colours, width)
    left = MARGIN if turned else (width - breadth) / 2
    placed = [_moved(box, left, under + 6) for box in boxes]
    height = max(box.y for box in placed) + BOX + MARGIN
    regions = regions_of(tree, nodes=part.nodes)
    nodes = (_box(part, box, drawing.lines(box.node), colours, regions[box.node]) for box in placed)
    body = [*legend, *_edges(placed, drawing.parents, turned), *nodes,
            *_written(notes, height, width)]  # fmt: skip
    height += LINE * len(notes) + (6 if notes else 0)
    return make_plot(title, _data(part, placed, turned), body, width, height)


def _title(part: Excerpt) -> str:
    tree = part.tree
    kind = "Decision tree" if tree.classes else "Regression tree"
    kind = "Model tree" if part.named else kind
    return f"{kind}: {len(tree)} nodes, {len(tree.leaves)} leaves"


def _notes(part: Excerpt) -> list[str]:
    """What stands under a drawing: the models of its leaves, and what was too much to draw."""
    shown = [part.formulas[i] for i in part.nodes if i in part.formulas]
    found = shown[:MODELS] + (
        [more_note(len(shown) - MODELS, "models")] if len(shown) > MODELS else []
    )
    left = len(part.tree) - len(part.nodes)
    if part.hidden:
        return [*found, f"Too many to draw: the largest branches are shown, {left:,} nodes are not"]
    return [*found, f"Too many to draw: {left:,} nodes below are not shown"] if left else found


def _written(notes: Sequence[str], top: float, width: float) -> Iterator[str]:
    """Lines under a drawing."""
    for at, note in enumerate(notes):
        yield label(note, MARGIN, top + LINE * at + 8, room=width - 2 * MARGIN)


def _breadth(boxes: Sequence[Box]) -> float:
    """The pixels from the left edge of a drawing to the right."""
    texts = (box.edge_at[0] + min(TEXT, text_extent(box.edge)) / 2 for box in boxes)
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


def _legend(colours: dict[Any, str], width: float) -> tuple[list[str], float]:
    """The names of the classes with their colours, row by row, and where the last row ends."""
    names = [(printable_text(name), colour) for name, colour in colours.items() if colour != OTHERS]
    names += [("others", OTHERS)] if OTHERS in colours.values() else []
    marks, x, y = [], MARGIN, TITLE_HEIGHT
    for name, colour in names:
        wide = 16 + min(text_extent(name), ROOM)
        if x > MARGIN and x + wide > width - MARGIN:
            x, y = MARGIN, y + LINE
        marks.append(tag("rect", x=x, y=y, width=11, height=11, fill=colour))
        marks.append(label(name, x + 16, y + 10, room=ROOM))
        x += wide + 14
    return marks, y + LINE if marks else y


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
        yield tag("polyline", points=points_attribute(points), fill="none", stroke="#999999")
        anchor = "start" if turned else "middle"
        yield label(box.edge, x, y, room=TEXT, text_anchor=anchor)


def _box(
    part: Excerpt, box: Box, lines: tuple[str, str], colours: dict[Any, str], region: Region | None
) -> str:
    """A node: its question or answer, its rows, and the classes among them."""
    tree = part.tree
    leaf = tree.test[box.node] == LEAF
    border = colours.get(tree.said(box.node), INK) if leaf else FAINT
    middle, room = box.x + box.width / 2, box.width - 8
    return tag(
        "g", tooltip(_whole(part, box.node, region or {})),
        tag("rect", x=box.x, y=box.y, width=box.width, height=BOX, rx=8 if leaf else 2,
            fill="#ffffff", stroke=border, stroke_width=1.6 if leaf else 1, **{"class": "node"}),
        label(lines[0], middle, box.y + 15, room=room / BOLD_FACTOR, font_weight="bold",
              text_anchor="middle"),
        label(lines[1], middle, box.y + 29, room=room, size=SMALL_FONT, text_anchor="middle",
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


def _whole(part: Excerpt, i: int, region: Region) -> str:
    """All about a node, for its tooltip."""
    tree, path = part.tree, sentence(region.values()) or "root"
    if i in part.formulas:
        path = f"{path}; {part.formulas[i]}"
    impurity = format_number(float(tree.impurity[i]))
    text = f"node {i}: {path}; {said(tree, i)}; {tree.criterion} {impurity}"
    if tree.test[i] == LEAF:
        return text
    asked = f"asks {tree.columns[tree.column[i]].name}, gain {format_number(float(tree.gain[i]))}"
    absent = ", ".join(tree.absent(i)[:MAX_LISTED])
    return f"{text}; {asked}" + (f"; no rows here: {absent}" if absent else "")


def _data(part: Excerpt, boxes: Sequence[Box], turned: bool) -> dict[str, Any]:
    tree = part.tree
    nodes = [
        {
            "node": box.node, "parent": int(tree.parent[box.node]), "edge": box.edge,
            "question": "" if tree.test[box.node] == LEAF
            else tree.columns[tree.column[box.node]].name,
            "answer": plain_data(tree.said(box.node)), "n": float(tree.n[box.node]),
            "counts": tree.counts[box.node].tolist(),
            **({"model": part.formulas[box.node]} if box.node in part.formulas else {}),
            "box": [round(float(v), 2) for v in (box.x, box.y, box.width, BOX)],
        }
        for box in boxes
    ]  # fmt: skip
    return {"direction": "right" if turned else "down",
            "classes": [*map(plain_data, tree.classes)], "nodes": nodes}  # fmt: skip
