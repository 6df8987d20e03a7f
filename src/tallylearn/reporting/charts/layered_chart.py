"""Charts of layers on two axes: filled areas, lines, points and texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, error_context, short_repr
from tallylearn.reporting.charts.axes import axis_scales, draw_axes
from tallylearn.reporting.charts.axis_scale import AxisScale, linear_ticks
from tallylearn.reporting.charts.chart_arguments import as_numbers, as_range, as_texts, extremes
from tallylearn.reporting.charts.legend import LegendKey, draw_keys, legend_height
from tallylearn.reporting.charts.plot import HEIGHT, WIDTH, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import (
    COLOURS,
    DASHES,
    FAINT,
    INK,
    format_attribute,
    label,
    marker,
    points_attribute,
    tag,
    tooltip,
)
from tallylearn.tables import Array

MAX_POINTS_PER_LAYER = 1000  # more would hide each other
NOTE_HEIGHT = 16.0  # pixels of a line below the legend


@dataclass(frozen=True)
class AreaLayer:
    """Filled polygons of one colour, by the even-odd rule."""

    name: str
    outlines: Sequence[Any]  # (m, 2) corners of every polygon
    number: int  # of the colour
    opacity: float = 0.22
    border: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "area", "name": self.name, "number": self.number, "opacity": self.opacity,
                "border": self.border,
                "outlines": [np.asarray(one).tolist() for one in self.outlines]}  # fmt: skip

    def extent(self) -> Array:
        return np.concatenate([np.asarray(one, dtype=float) for one in self.outlines])

    def draw(self, across: AxisScale, upwards: AxisScale) -> str:
        paths = []
        for outline in self.outlines:
            corners = np.asarray(outline, dtype=float)
            left, top = across.pixels(corners[:, 0]), upwards.pixels(corners[:, 1])
            pairs = zip(left.tolist(), top.tolist(), strict=True)
            paths.append(
                "M" + "L".join(f"{format_attribute(a)} {format_attribute(b)}" for a, b in pairs)
                + "Z"
            )  # fmt: skip
        edge = {"stroke": INK, "stroke_width": 0.8, "stroke_opacity": 0.7} if self.border else {}
        return tag("path", d="".join(paths), fill=COLOURS[self.number % len(COLOURS)],
                   fill_opacity=self.opacity, fill_rule="evenodd", **edge)  # fmt: skip

    def key(self) -> LegendKey:
        return LegendKey(self.name, area=COLOURS[self.number % len(COLOURS)])


@dataclass(frozen=True)
class LineLayer:
    """A line through points; ``number`` is that of its colour, or None for black."""

    name: str
    x: Any
    y: Any
    number: int | None = None
    dash: int = 0  # the number of the dash pattern
    width: float = 1.8

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "line", "name": self.name, "number": self.number, "dash": self.dash,
                "width": self.width, "x": np.asarray(self.x).tolist(),
                "y": np.asarray(self.y).tolist()}  # fmt: skip

    def extent(self) -> Array:
        return np.column_stack([self.x, self.y]).astype(float)

    @property
    def colour(self) -> str:
        return INK if self.number is None else COLOURS[self.number % len(COLOURS)]

    def draw(self, across: AxisScale, upwards: AxisScale) -> str:
        pairs = zip(across.pixels(self.x).tolist(), upwards.pixels(self.y).tolist(), strict=True)
        name = [tooltip(self.name)] if self.name else []
        return tag("polyline", *name, points=points_attribute(pairs), fill="none",
                   stroke=self.colour, stroke_width=self.width, stroke_linejoin="round",
                   stroke_dasharray=DASHES[self.dash % len(DASHES)])  # fmt: skip

    def key(self) -> LegendKey:
        return LegendKey(self.name, self.colour, DASHES[self.dash % len(DASHES)])


@dataclass(frozen=True)
class PointLayer:
    """Points with one marker; ``solid`` markers are filled with their colour."""

    name: str
    x: Any
    y: Any
    number: int  # of the colour
    solid: bool = False
    shape: int | None = None  # the number of the marker, where it is not that of the colour

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "points", "name": self.name, "number": self.number, "solid": self.solid,
                "shape": self.shape, "x": np.asarray(self.x).tolist(),
                "y": np.asarray(self.y).tolist()}  # fmt: skip

    def extent(self) -> Array:
        return np.column_stack([self.x, self.y]).astype(float)

    @property
    def colour(self) -> str:
        return COLOURS[self.number % len(COLOURS)]

    @property
    def marker(self) -> int:
        return self.number if self.shape is None else self.shape

    def draw(self, across: AxisScale, upwards: AxisScale) -> str:
        step = max(1, -(-len(self.x) // MAX_POINTS_PER_LAYER))
        pairs = zip(across.pixels(self.x[::step]).tolist(), upwards.pixels(self.y[::step]).tolist(),
                    strict=True)  # fmt: skip
        return tag("g", *(marker(self.marker, a, b, self.colour, self.solid) for a, b in pairs))

    def key(self) -> LegendKey:
        return LegendKey(self.name, marker=self.marker, marker_colour=self.colour, solid=self.solid)


@dataclass(frozen=True)
class TextLayer:
    """Short texts beside points."""

    texts: Sequence[str]
    x: Any
    y: Any
    name: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "texts", "texts": [*self.texts], "x": np.asarray(self.x).tolist(),
                "y": np.asarray(self.y).tolist()}  # fmt: skip

    def extent(self) -> Array:
        return np.column_stack([self.x, self.y]).astype(float)

    def draw(self, across: AxisScale, upwards: AxisScale) -> str:
        places = zip(self.texts, across.pixels(self.x).tolist(), upwards.pixels(self.y).tolist(),
                     strict=True)  # fmt: skip
        marks = []
        for text, a, b in places:
            right = a > (across.start + across.end) / 2
            marks.append(label(text, a - 7 if right else a + 7, max(b - 6, upwards.end + 11),
                               room=150, text_anchor="end" if right else "start"))  # fmt: skip
        return tag("g", *marks)

    def key(self) -> LegendKey:
        return LegendKey("")


Layer = AreaLayer | LineLayer | PointLayer | TextLayer


def draw_layers(
    layers: Sequence[Layer],
    title: str,
    x_label: str = "",
    y_label: str = "",
    *,
    x_range: Any = None,
    y_range: Any = None,
    notes: Sequence[str] = (),
    numbers: Mapping[str, Any] | None = None,
) -> Plot:
    """Draw layers on common axes, the first at the bottom.

    Areas and lines are cut off at the frame. Layers with the same name have one entry in the
    legend.

    Parameters
    ----------
    layers : the layers.
    x_label, y_label : what the axes show, with the unit.
    x_range, y_range : the ends of an axis, rounded outwards to ticks; without them all that the
        layers contain.
    notes : lines below the legend.
    numbers : further numbers for ``data``, as plain lists.

    Examples
    --------
    >>> line = LineLayer("y = x²", [0, 1, 2], [0, 1, 4], 0)
    >>> draw_layers([line], "A parabola").data["layers"][0]["y"]
    [0, 1, 4]
    """
    with error_context("draw_layers"):
        title, x_label, y_label = as_texts(title, x_label, y_label)
        if not layers or not all(isinstance(layer, Layer) for layer in layers):
            raise OptionError(f"layers is {short_repr(layers)}. Give a list of layers.")
        points = np.concatenate([layer.extent() for layer in layers])
        ends = [as_range(x_range, "x_range"), as_range(y_range, "y_range")]
        x = ends[0] if len(ends[0]) else as_numbers(points[:, 0], "x")
        y = ends[1] if len(ends[1]) else as_numbers(points[:, 1], "y")
    across, upwards = axis_scales(x, y, bool(y_label), False)
    inside = [layer.draw(across, upwards) for layer in layers
              if isinstance(layer, AreaLayer | LineLayer)]  # fmt: skip
    above = [layer.draw(across, upwards) for layer in layers
             if isinstance(layer, PointLayer | TextLayer)]  # fmt: skip
    left, width = across.start, across.end - across.start
    top, height = upwards.end, upwards.start - upwards.end
    clipped = tag("svg", *inside, x=left, y=top, width=width, height=height,
                  viewBox=" ".join(map(format_attribute, (left, top, width, height))))  # fmt: skip
    body = [*draw_axes(across, upwards, x_label, y_label), *([clipped] if inside else []), *above]
    keys = [*_legend_keys(layers)]
    under = HEIGHT + legend_height(keys, left, WIDTH - 8)
    body += draw_keys(keys, left, HEIGHT, WIDTH - 8)
    notes = [*map(str, notes)]
    body += [label(note, left, under + 10 + NOTE_HEIGHT * i, room=WIDTH - left - 8, fill=FAINT)
             for i, note in enumerate(notes)]  # fmt: skip
    data = {"chart": "layers", "title": title, "x_label": x_label, "y_label": y_label,
            "x_range": extremes(x), "y_range": extremes(y), "notes": notes,
            "layers": [layer.to_dict() for layer in layers], **(numbers or {})}  # fmt: skip
    return make_plot(title, data, body, WIDTH, under + NOTE_HEIGHT * len(notes))


def axis_ends(values: Array, margin: float = 0.04) -> tuple[float, float]:
    """The first and the last tick of an axis that shows the values with a margin around them.

    >>> axis_ends(np.array([0.0, 10.0]))
    (-2.0, 12.0)
    """
    low, high = float(values.min()), float(values.max())
    room = margin * (high - low)
    first, *_, last = linear_ticks(low - room, high + room)
    return float(first), float(last)


def read_layer(data: Mapping[str, Any]) -> Layer:
    """A layer from its plain data."""
    given = {name: value for name, value in data.items() if name != "kind"}
    kinds: dict[str, Any] = {"area": AreaLayer, "line": LineLayer, "points": PointLayer,
                             "texts": TextLayer}  # fmt: skip
    layer: Layer = kinds[data["kind"]](**given)
    return layer


def _legend_keys(layers: Sequence[Layer]) -> Iterator[LegendKey]:
    """A key for every name: an area, a line and the marker of points in one."""
    found: dict[str, LegendKey] = {}
    for layer in layers:
        if layer.name:
            key = layer.key()
            found[key.name] = found[key.name].join(key) if key.name in found else key
    yield from found.values()
