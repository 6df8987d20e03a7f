"""Drawings of directed acyclic graphs: nodes in layers, parents above children."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot
from typing import Any

from tallylearn.errors import OptionError, error_context, is_one_of, short_repr
from tallylearn.reporting.charts.plot import TITLE_HEIGHT, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import INK, label, line, tag, text_extent, tooltip

NODE_HEIGHT = 30.0  # pixels of a node
NODE_SPACING = 24.0  # pixels between two nodes of a layer
LAYER_SPACING = 56.0  # pixels between two layers
MARGIN = 20.0
MAX_NAME_WIDTH = 160.0  # pixels that a name may take
ARROW_HEAD = 7.0  # pixels of an arrow's head
MAX_NODES = 200  # nodes that are drawn

Place = tuple[float, float, float]  # the centre of a node, and half its width


def draw_network(nodes: Sequence[str], edges: Sequence[tuple[str, str]], title: object) -> Plot:
    """A graph without circles: ``nodes`` with parents first, ``edges`` as (parent, child).

    >>> plot = draw_network(["rain", "wet"], [("rain", "wet")], "Bayes net")
    >>> plot.data["edges"]
    [['rain', 'wet']]
    """
    with error_context("draw_network"):
        nodes, edges, title = _read_nodes(nodes), [*_read_edges(nodes, edges)], str(title)
    shown = nodes[:MAX_NODES]
    drawn = [edge for edge in edges if {*edge} <= {*shown}]
    layers = _layers(shown, drawn)
    rows = [
        [n for n in shown if layers[n] == k] for k in range(max(layers.values(), default=0) + 1)
    ]
    widths = [sum(_node_width(n) + NODE_SPACING for n in row) - NODE_SPACING for row in rows]
    broad = max([*widths, 160.0]) + 2 * MARGIN
    at: dict[str, Place] = {}
    for k, (row, width) in enumerate(zip(rows, widths, strict=True)):
        x, y = (
            (broad - width) / 2,
            TITLE_HEIGHT + MARGIN + NODE_HEIGHT / 2 + k * (NODE_HEIGHT + LAYER_SPACING),
        )
        for name in row:
            at[name] = (x + _node_width(name) / 2, y, _node_width(name) / 2)
            x += _node_width(name) + NODE_SPACING
    height = TITLE_HEIGHT + 2 * MARGIN + len(rows) * (NODE_HEIGHT + LAYER_SPACING) - LAYER_SPACING
    body = [_arrow(at[a], at[b], f"{a} → {b}") for a, b in drawn]
    body += [_node(name, *place) for name, place in at.items()]
    if left := len(nodes) - len(shown):
        body.append(label(f"… and {left} more", MARGIN, height - 4, room=broad - 2 * MARGIN))
    data = {"nodes": nodes, "edges": [list(edge) for edge in edges]}
    return make_plot(title, data, body, broad, height)


def _read_nodes(nodes: Any) -> list[str]:
    """The names of the nodes, each of them once."""
    named = isinstance(nodes, list | tuple) and all(isinstance(name, str) for name in nodes)
    if not named or len({*nodes}) < len(nodes):
        raise OptionError(f"nodes is {short_repr(nodes)}. Give a list of different names.")
    return [*nodes]


def _read_edges(nodes: Sequence[str], edges: Any) -> Iterator[tuple[str, str]]:
    """The edges as pairs, from a node to one that comes after it."""
    place = {name: at for at, name in enumerate(nodes)}
    for edge in edges if isinstance(edges, list | tuple) else [edges]:
        pair = isinstance(edge, list | tuple) and len(edge) == 2
        if not pair or not all(is_one_of(end, place) for end in edge):
            raise OptionError(f"edges has {short_repr(edge)}. Give pairs (parent, child) of nodes.")
        if place[edge[0]] >= place[edge[1]]:
            raise OptionError(
                f"edges has {short_repr(edge)}, but {edge[0]!r} does not come before "
                f"{edge[1]!r} in nodes. List parents before their children."
            )
        yield edge[0], edge[1]


def _layers(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> dict[str, int]:
    """How many steps a node lies below the highest: one below its lowest parent."""
    found: dict[str, int] = {}
    for name in nodes:
        found[name] = max((found[a] + 1 for a, b in edges if b == name), default=0)
    return found


def _node_width(name: str) -> float:
    return min(MAX_NAME_WIDTH, max(44.0, text_extent(name) + 20))


def _node(name: str, x: float, y: float, half: float) -> str:
    oval = tag(
        "ellipse",
        tooltip(name),
        cx=x,
        cy=y,
        rx=half,
        ry=NODE_HEIGHT / 2,
        fill="#ffffff",
        stroke=INK,
    )
    return oval + label(name, x, y + 4, room=2 * half - 12, text_anchor="middle")


def _arrow(start: Place, end: Place, said: str) -> str:
    """A line from rim to rim, with a head at the child."""
    x1, y1 = _rim_point(start, end)
    x2, y2 = _rim_point(end, start)
    length = hypot(x2 - x1, y2 - y1) or 1.0
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    bx, by = x2 - ARROW_HEAD * ux, y2 - ARROW_HEAD * uy
    corners = [(x2, y2), (bx - ARROW_HEAD / 2 * uy, by + ARROW_HEAD / 2 * ux),
               (bx + ARROW_HEAD / 2 * uy, by - ARROW_HEAD / 2 * ux)]  # fmt: skip
    points = " ".join(f"{x:.2f},{y:.2f}" for x, y in corners)
    return tag("g", tooltip(said), line(x1, y1, bx, by), tag("polygon", points=points, fill=INK))


def _rim_point(a: Place, b: Place) -> tuple[float, float]:
    """Where the line from the centre of one oval to that of another leaves the first."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    scale = 1 / (hypot(dx / a[2], dy / (NODE_HEIGHT / 2)) or 1.0)
    return a[0] + scale * dx, a[1] + scale * dy
