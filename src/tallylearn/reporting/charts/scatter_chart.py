"""Scatter charts; points that share a pixel are one darker mark."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, error_context
from tallylearn.reporting.charts.axes import (
    REFERENCE_DASHES,
    axis_scales,
    draw_axes,
    draw_diagonal_line,
)
from tallylearn.reporting.charts.chart_arguments import (
    as_number,
    as_numbers,
    as_range,
    as_texts,
    check_length,
    extremes,
)
from tallylearn.reporting.charts.legend import LegendKey, draw_keys, legend_height
from tallylearn.reporting.charts.plot import HEIGHT, WIDTH, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import COLOURS, FAINT, line, tag, tooltip
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array

MARK_SIZE = 3.0  # pixels within which points are one mark
MIN_OPACITY = 0.35  # the opacity of a single row; the fullest place has 1


def draw_points(
    x: Any,
    y: Any,
    title: str,
    x_label: str = "",
    y_label: str = "",
    *,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    diagonal: str = "",
    level: float | None = None,
    rows: Any = None,
) -> Plot:
    """Draw rows as points: predictions against the truth, residuals.

    Rows within three pixels of each other are one mark, the darker the more they are; ``data`` has
    the first row of every mark, and how many it stands for.

    Parameters
    ----------
    x, y : the numbers of every row.
    x_label, y_label : what the axes show, with the unit.
    x_range, y_range : numbers that an axis reaches at least; nothing is ever cut off.
    diagonal : the name of the line y = x, such as "right"; without a name it is not drawn.
    level : a height at which a line is drawn, such as 0.
    rows : how many rows every pair of numbers stands for; one unless said.

    References
    ----------
    W. S. Cleveland, The Elements of Graphing Data, 1985.

    Examples
    --------
    >>> draw_points([1, 2, 2], [1, 3, 3], "Answers", "true", "predicted").data["rows"]
    [1, 2]
    """
    with error_context("draw_points"):
        title, x_label, y_label, diagonal = as_texts(title, x_label, y_label, diagonal)
        x, y = as_numbers(x, "x"), as_numbers(y, "y")
        check_length(y, "y", len(x), "x")
        if not len(x):
            raise OptionError("x is empty. Give one or more numbers.")
        at = [] if level is None else [as_number(level, "level")]
        times = np.ones(len(x)) if rows is None else as_numbers(rows, "rows")
        check_length(times, "rows", len(x), "x")
        ends = [as_range(x_range, "x_range"), as_range(y_range, "y_range")]
    wide, high = np.concatenate([x, ends[0]]), np.concatenate([y, ends[1], at])
    across, upwards = axis_scales(wide, high, bool(y_label), False)
    first, rows = _group_points(across.pixels(x), upwards.pixels(y), times)
    body = [*draw_axes(across, upwards, x_label, y_label)]
    keys = [LegendKey(diagonal, FAINT, REFERENCE_DASHES)] if diagonal else []
    body += [draw_diagonal_line(across, upwards)] if diagonal else []
    for height in upwards.pixels(at).tolist():
        body += [
            line(across.start, height, across.end, height, FAINT, stroke_dasharray=REFERENCE_DASHES)
        ]
    body += _draw_dots(across.pixels(x[first]), upwards.pixels(y[first]), rows, x[first], y[first])
    body += draw_keys(keys, across.start, HEIGHT, WIDTH - 8)
    data = {
        "chart": "points", "title": title, "x_label": x_label, "y_label": y_label,
        "x_range": extremes(wide), "y_range": extremes(high), "diagonal": diagonal, "level": level,
        "x": x[first].tolist(), "y": y[first].tolist(), "rows": rows.tolist(),
    }  # fmt: skip
    return make_plot(
        title, data, body, WIDTH, HEIGHT + legend_height(keys, across.start, WIDTH - 8)
    )


def _group_points(across: Array, upwards: Array, times: Array) -> tuple[Array, Array]:
    """The first row of every place on the sheet, and how many rows are there."""
    cells = np.stack([np.floor(across / MARK_SIZE), np.floor(upwards / MARK_SIZE)], axis=1)
    _, first, at = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    rows = np.bincount(at.ravel(), times).astype(np.int64)
    order = np.argsort(first)
    return first[order], rows[order]


def _draw_dots(across: Array, upwards: Array, rows: Array, x: Array, y: Array) -> list[str]:
    fullest = log(int(rows.max())) or 1.0
    return [
        tag(
            "circle",
            tooltip(f"{format_number(a)}, {format_number(b)}" + (f": {n} rows" if n > 1 else "")),
            cx=left,
            cy=top,
            r=2.5,
            fill=COLOURS[0],
            fill_opacity=round(MIN_OPACITY + (1 - MIN_OPACITY) * log(n) / fullest, 2),
        )
        for left, top, n, a, b in zip(
            across.tolist(), upwards.tolist(), rows.tolist(), x.tolist(), y.tolist(), strict=True
        )
    ]
