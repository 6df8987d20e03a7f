"""Scatter charts of classes with linear decision boundaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, error_context
from tallylearn.reporting.charts.axes import axis_scales, draw_axes
from tallylearn.reporting.charts.chart_arguments import as_numbers, as_texts, check_length, extremes
from tallylearn.reporting.charts.legend import LegendKey, draw_keys, legend_height
from tallylearn.reporting.charts.plot import HEIGHT, WIDTH, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import COLOURS, DASHES, INK, SHAPES, line, marker
from tallylearn.tables import Array

MAX_ROWS_PER_CLASS = 1000  # rows of a class: more would hide each other


def draw_classes(
    points: Mapping[Any, Any],
    lines: Mapping[Any, Any],
    title: str,
    x_label: str = "",
    y_label: str = "",
) -> Plot:
    """Draw the rows of every class, and straight borders between the classes.

    Of more than 1000 rows of a class every second, third, ... is drawn; ``data`` has those.

    Parameters
    ----------
    points : class -> (x, y), the numbers of its rows.
    lines : name -> (a, b, c), the border a + b x + c y = 0; one that does not cross the chart is
        left out of it.
    x_label, y_label : what the axes show, with the unit.

    References
    ----------
    C. Bishop, Pattern Recognition and Machine Learning, 2006, figure 4.1.

    Examples
    --------
    >>> plot = draw_classes({"no": ([1, 2], [1, 3]), "yes": ([3], [2])}, {"w": (-3, 1, 1)}, "t")
    >>> plot.data["lines"]
    {'w': [-3.0, 1.0, 1.0]}
    """
    with error_context("draw_classes"):
        title, x_label, y_label = as_texts(title, x_label, y_label)
        if not isinstance(points, Mapping) or not isinstance(lines, Mapping):
            raise OptionError(
                "points and lines must be dicts. Pass points={class: (x, y)} and "
                "lines={name: (a, b, c)}."
            )
        rows = _read_points(points)
        borders = {str(name): as_numbers(abc, f"line {name!r}") for name, abc in lines.items()}
        for name, abc in borders.items():
            check_length(abc, f"line {name!r}", 3, "a, b and c")
    x, y = (np.concatenate([pair[axis] for pair in rows.values()]) for axis in (0, 1))
    across, upwards = axis_scales(x, y, bool(y_label), False)
    body, keys = [*draw_axes(across, upwards, x_label, y_label)], []
    for number, (name, (left, top)) in enumerate(rows.items()):
        colour = COLOURS[number % len(COLOURS)]
        keys.append(LegendKey(name, marker=number, marker_colour=colour))
        pairs = zip(across.pixels(left).tolist(), upwards.pixels(top).tolist(), strict=True)
        body += [marker(number, a, b, colour) for a, b in pairs]
    box = [float(across.ticks[0]), float(across.ticks[-1]), float(upwards.ticks[0]),
           float(upwards.ticks[-1])]  # fmt: skip
    for number, (name, abc) in enumerate(borders.items()):
        keys.append(LegendKey(name, INK, DASHES[number % len(DASHES)]))
        if (ends := _line_ends(abc, box)) is not None:
            (a, b), (c, d) = across.pixels(ends[0]).tolist(), upwards.pixels(ends[1]).tolist()
            body.append(line(a, c, b, d, INK, stroke_width=1.5,
                             stroke_dasharray=DASHES[number % len(DASHES)]))  # fmt: skip
    body += draw_keys(keys, across.start, HEIGHT, WIDTH - 8)
    data = {
        "chart": "classes", "title": title, "x_label": x_label, "y_label": y_label,
        "points": {name: {"x": pair[0].tolist(), "y": pair[1].tolist()}
                   for name, pair in rows.items()},
        "lines": {name: abc.tolist() for name, abc in borders.items()},
        "x_range": extremes(x), "y_range": extremes(y),
    }  # fmt: skip
    return make_plot(
        title, data, body, WIDTH, HEIGHT + legend_height(keys, across.start, WIDTH - 8)
    )


def _read_points(points: Mapping[Any, Any]) -> dict[str, tuple[Array, Array]]:
    if not points:
        raise OptionError("points is empty. Give the points of one or more classes.")
    if len(points) > len(SHAPES):
        raise OptionError(
            f"a chart can distinguish at most {len(SHAPES)} classes, and there are "
            f"{len(points)}. Choose fewer."
        )
    found: dict[str, tuple[Array, Array]] = {}
    for name, pair in points.items():
        if not isinstance(pair, list | tuple | np.ndarray) or len(pair) != 2:
            raise OptionError(f"points of {name!r} is not a pair of lists. Give (x, y).")
        x, y = (
            as_numbers(values, f"{part} of {name!r}")
            for part, values in zip("xy", pair, strict=True)
        )
        check_length(y, f"y of {name!r}", len(x), "x")
        step = -(-len(x) // MAX_ROWS_PER_CLASS)
        found[str(name)] = x[::step], y[::step]
    return found


def _line_ends(abc: Array, box: list[float]) -> tuple[Array, Array] | None:
    """The two ends of a border within the chart; None where it does not cross it."""
    a, b, c = abc.tolist()
    low, high, bottom, top = box
    ends = [(x, -(a + b * x) / c) for x in (low, high) if c]
    ends += [(-(a + c * y) / b, y) for y in (bottom, top) if b]
    slack = 1e-9
    kept = sorted({
        (x, y) for x, y in ends
        if low - slack * (high - low) <= x <= high + slack * (high - low)
        and bottom - slack * (top - bottom) <= y <= top + slack * (top - bottom)
    })  # fmt: skip
    if len(kept) < 2:
        return None
    pair = np.array([kept[0], kept[-1]])
    return pair[:, 0], pair[:, 1]
