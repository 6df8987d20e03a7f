"""A tree as an SVG drawing: splits in boxes, branches on the edges, classes as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, is_one_of, quoted_list, short_repr
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.showing.excerpts import Excerpt
from tallylearn.models.trees.showing.regions import Region, regions_of, sentence
from tallylearn.models.trees.showing.svg_boxes import (
    BOX_HEIGHT,
    EDGE_TEXT_HEIGHT,
    MAX_BOX_TEXT,
    MAX_EDGE_TEXT,
    SMALL_FONT,
    NodeBox,
    TreeLayout,
)
from tallylearn.models.trees.showing.tree_text import node_summary
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
MAX_FORMULAS = 40  # formulas under a drawing
MAX_BREADTH = 1400.0  # pixels: a broader tree is drawn from left to right
MARGIN, LINE = 16.0, 18.0  # pixels around the drawing, and of a line of the legend
MAX_TITLE_WIDTH = 900.0  # pixels that a long title or formula may widen the sheet to
OTHER_CLASSES_COLOUR = "#999999"  # of rare classes, where there are more than colours


def draw_tree(part: Excerpt, direction: str = "auto", title: str = "") -> Plot:
    """Draw a tree: from above where it fits a screen's width, else from left to right."""
    if not is_one_of(direction, DIRECTIONS):
        raise OptionError(
            f"direction is {short_repr(direction)}. Use one of {quoted_list(DIRECTIONS)}."
        )
    tree, drawing = part.tree, TreeLayout(part)
    boxes = drawing.down() if direction != "right" else []
    turned = direction == "right" or (direction == "auto" and _breadth(boxes) > MAX_BREADTH)
    boxes = drawing.right() if turned else boxes
    title, notes = str(title) or _title(part), _notes(part)
    breadth, texts = (
        _breadth(boxes),
        [text_extent(printable_text(title), 14) * BOLD_FACTOR, *map(text_extent, notes)],
    )
    width = max(breadth, min(max(texts), MAX_TITLE_WIDTH), 290.0) + 2 * MARGIN
    colours = colours_of(tree)
    legend, under = _legend(colours, width)
    left = MARGIN if turned else (width - breadth) / 2
    placed = [_move(box, left, under + 6) for box in boxes]
    height = max(box.y for box in placed) + BOX_HEIGHT + MARGIN
    regions = regions_of(tree, nodes=part.nodes)
    nodes = (_box(part, box, drawing.lines(box.node), colours, regions[box.node]) for box in placed)
    body = [*legend, *_edges(placed, drawing.parents, turned), *nodes,
            *_note_lines(notes, height, width)]  # fmt: skip
    height += LINE * len(notes) + (6 if notes else 0)
    return make_plot(title, _data(part, placed, turned), body, width, height)


def _title(part: Excerpt) -> str:
    tree = part.tree
    kind = "Decision tree" if tree.classes else "Regression tree"
    kind = "Model tree" if part.names else kind
    return f"{kind}: {len(tree)} nodes, {len(tree.leaves)} leaves"


def _notes(part: Excerpt) -> list[str]:
    """What stands under a drawing: the models of its leaves, and what was too much to draw."""
    shown = [part.formulas[i] for i in part.nodes if i in part.formulas]
    found = shown[:MAX_FORMULAS] + (
        [more_note(len(shown) - MAX_FORMULAS, "models")] if len(shown) > MAX_FORMULAS else []
    )
    left = len(part.tree) - len(part.nodes)
    if part.hidden:
        return [*found, f"Too many to draw: the largest branches are shown, {left:,} nodes are not"]
    return [*found, f"Too many to draw: {left:,} nodes below are not shown"] if left else found


def _note_lines(notes: Sequence[str], top: float, width: float) -> Iterator[str]:
    """Lines under a drawing."""
    for at, note in enumerate(notes):
        yield label(note, MARGIN, top + LINE * at + 8, room=width - 2 * MARGIN)


def _breadth(boxes: Sequence[NodeBox]) -> float:
    """The pixels from the left edge of a drawing to the right."""
    texts = (box.edge_at[0] + min(MAX_EDGE_TEXT, text_extent(box.edge)) / 2 for box in boxes)
    return max([*texts, *(box.x + box.width for box in boxes)], default=0.0)


def _move(box: NodeBox, x: float, y: float) -> NodeBox:
    at = (box.edge_at[0] + x, box.edge_at[1] + y)
    return NodeBox(box.node, box.x + x, box.y + y, width=box.width, edge=box.edge, edge_at=at)


def colours_of(tree: Tree) -> dict[Any, str]:
    """A colour for every class; of many, for the most frequent, and grey for the others."""
    if len(tree.classes) <= len(COLOURS):
        return dict(zip(tree.classes, COLOURS, strict=False))
    often = np.argsort(-tree.counts[0], kind="stable")[: len(COLOURS) - 1]
    found = dict.fromkeys(tree.classes, OTHER_CLASSES_COLOUR)
    return found | {tree.classes[c]: COLOURS[at] for at, c in enumerate(sorted(often))}


def legend_entries(colours: dict[Any, str]) -> list[tuple[str, str]]:
    """The names of the classes and their colours; rare classes together."""
    named = [(str(name), colour) for name, colour in colours.items()]
    found = [pair for pair in named if pair[1] != OTHER_CLASSES_COLOUR]
    return found if len(found) == len(named) else [*found, ("others", OTHER_CLASSES_COLOUR)]


def _legend(colours: dict[Any, str], width: float) -> tuple[list[str], float]:
    """The names of the classes with their colours, row by row, and where the last row ends."""
    marks, x, y = [], MARGIN, TITLE_HEIGHT
    for text, colour in legend_entries(colours):
        name = printable_text(text)
        wide = 16 + min(text_extent(name), MAX_BOX_TEXT)
        if x > MARGIN and x + wide > width - MARGIN:
            x, y = MARGIN, y + LINE
        marks.append(tag("rect", x=x, y=y, width=11, height=11, fill=colour))
        marks.append(label(name, x + 16, y + 10, room=MAX_BOX_TEXT))
        x += wide + 14
    return marks, y + LINE if marks else y


def _edges(boxes: Sequence[NodeBox], parents: Sequence[int], turned: bool) -> Iterator[str]:
    """A line from every node to its child, and the text of the branch."""
    for box, up in zip(boxes, parents, strict=True):
        if up < 0:
            continue
        x, y = box.edge_at
        if turned:
            turn, high, low = x - 12, boxes[up].y + BOX_HEIGHT / 2, box.y + BOX_HEIGHT / 2
            begin = boxes[up].x + boxes[up].width
            points = [(begin, high), (turn, high), (turn, low), (box.x, low)]
        else:
            middle = boxes[up].x + boxes[up].width / 2
            points = [(middle, boxes[up].y + BOX_HEIGHT), (x, box.y - EDGE_TEXT_HEIGHT)]
        yield tag("polyline", points=points_attribute(points), fill="none", stroke="#999999")
        anchor = "start" if turned else "middle"
        yield label(box.edge, x, y, room=MAX_EDGE_TEXT, text_anchor=anchor)


def _box(
    part: Excerpt,
    box: NodeBox,
    lines: tuple[str, str],
    colours: dict[Any, str],
    region: Region | None,
) -> str:
    """A node: its split or prediction, its rows, and the classes among them."""
    tree = part.tree
    leaf = tree.test[box.node] == LEAF
    border = colours.get(tree.prediction_of(box.node), INK) if leaf else FAINT
    middle, room = box.x + box.width / 2, box.width - 8
    return tag(
        "g", tooltip(_describe_node(part, box.node, region or {})),
        tag("rect", x=box.x, y=box.y, width=box.width, height=BOX_HEIGHT, rx=8 if leaf else 2,
            fill="#ffffff", stroke=border, stroke_width=1.6 if leaf else 1, **{"class": "node"}),
        label(lines[0], middle, box.y + 15, room=room / BOLD_FACTOR, font_weight="bold",
              text_anchor="middle"),
        label(lines[1], middle, box.y + 29, room=room, size=SMALL_FONT, text_anchor="middle",
              fill=FAINT),
        *_bar(tree, box, colours),
    )  # fmt: skip


def _bar(tree: Tree, box: NodeBox, colours: dict[Any, str]) -> Iterator[str]:
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


def _describe_node(part: Excerpt, i: int, region: Region) -> str:
    """All about a node, for its tooltip."""
    tree, path = part.tree, sentence(region.values()) or "root"
    if i in part.formulas:
        path = f"{path}; {part.formulas[i]}"
    impurity = format_number(float(tree.impurity[i]))
    text = f"node {i}: {path}; {node_summary(tree, i)}; {tree.criterion} {impurity}"
    if tree.test[i] == LEAF:
        return text
    name, gain = tree.columns[tree.column[i]].name, format_number(float(tree.gain[i]))
    absent = ", ".join(tree.absent(i)[:MAX_LISTED])
    return f"{text}; split on {name}, gain {gain}" + (f"; no rows here: {absent}" if absent else "")


def _data(part: Excerpt, boxes: Sequence[NodeBox], turned: bool) -> dict[str, Any]:
    tree = part.tree
    nodes = [
        {
            "node": box.node, "parent": int(tree.parent[box.node]), "edge": box.edge,
            "split": "" if tree.test[box.node] == LEAF
            else tree.columns[tree.column[box.node]].name,
            "answer": plain_data(tree.prediction_of(box.node)), "n": float(tree.n[box.node]),
            "counts": tree.counts[box.node].tolist(),
            **({"model": part.formulas[box.node]} if box.node in part.formulas else {}),
            "box": [round(float(v), 2) for v in (box.x, box.y, box.width, BOX_HEIGHT)],
        }
        for box in boxes
    ]  # fmt: skip
    return {"direction": "right" if turned else "down",
            "classes": [*map(plain_data, tree.classes)], "nodes": nodes}  # fmt: skip
