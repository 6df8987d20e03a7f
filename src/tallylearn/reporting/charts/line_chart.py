"""Line charts, with confidence bands: learning curves, ROC, calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, error_context, quoted_list, short_repr
from tallylearn.reporting.charts.axes import (
    REFERENCE_DASHES,
    axis_scales,
    draw_axes,
    draw_diagonal_line,
    draw_level_line,
)
from tallylearn.reporting.charts.axis_scale import MIN_POSITIVE, AxisScale
from tallylearn.reporting.charts.chart_arguments import (
    as_level,
    as_limits,
    as_numbers,
    as_range,
    as_texts,
    check_length,
    extremes,
)
from tallylearn.reporting.charts.legend import LegendKey, draw_keys, legend_height
from tallylearn.reporting.charts.plot import HEIGHT, WIDTH, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import (
    COLOURS,
    DASHES,
    FAINT,
    SHAPES,
    label,
    marker,
    points_attribute,
    tag,
    tooltip,
)
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array

MAX_SERIES = len(DASHES) * len(SHAPES)  # series that can be told apart without colour
MAX_MARKED_POINTS = 25  # points of a series that all get a marker
MARKERS_ON_LONG_SERIES = (
    8  # markers on a longer series, where dashes alone do not tell the series apart
)
STRIPS = 800  # strips of a chart that is about 400 pixels wide: half a pixel each
MAX_POINTS = 4 * STRIPS  # points that are all drawn
SERIES_PARTS = ("x", "y", "low", "high", "rows")


@dataclass(frozen=True)
class Series:
    """The points of one line, and the band around it where there is one."""

    name: str
    number: int
    x: Array
    y: Array
    band: tuple[Array, ...]  # low and high, or nothing
    rows: Array | None = None  # that every point stands for

    @property
    def colour(self) -> str:
        return COLOURS[self.number % len(COLOURS)]

    @property
    def dash(self) -> str:
        return DASHES[self.number % len(DASHES)]

    def decimate(self, across: AxisScale) -> Series:
        """The points that are drawn."""
        at = decimate_line(across.pixels(self.x), self.y, *self.band)
        rows = None if self.rows is None else self.rows[at]
        band = tuple(b[at] for b in self.band)
        return replace(self, x=self.x[at], y=self.y[at], band=band, rows=rows)

    def data(self) -> dict[str, list[float]]:
        parts = (self.x, self.y, *self.band, *(() if self.rows is None else (self.rows,)))
        return {part: values.tolist() for part, values in zip(SERIES_PARTS, parts, strict=False)}

    def draw(self, across: AxisScale, upwards: AxisScale, crowd: int) -> str:
        """The band, the line, the markers."""
        x, y = across.pixels(self.x).tolist(), upwards.pixels(self.y).tolist()
        band = [upwards.pixels(edge).tolist() for edge in self.band]
        marks = [tooltip(self.name or "(no name)")]
        if band:
            edge = [*zip(x, band[0], strict=True), *zip(x[::-1], band[1][::-1], strict=True)]
            marks += [
                tag("polygon", points=points_attribute(edge), fill=self.colour, fill_opacity=0.18)
            ]
        marks += [
            tag(
                "polyline",
                points=points_attribute(zip(x, y, strict=True)),
                fill="none",
                stroke=self.colour,
                stroke_width=1.8,
                stroke_dasharray=self.dash,
                stroke_linejoin="round",
            )
        ]
        marks += [marker(self.number, x[i], y[i], self.colour) for i in self.marker_places(crowd)]
        if self.rows is not None:
            top = upwards.end + 12
            marks += [_row_count_label(count, at, top if y - 9 < top else y - 9)
                      for count, at, y in zip(self.rows.tolist(), x, y, strict=True)]  # fmt: skip
        return tag("g", *marks)

    def marker_places(self, crowd: int) -> list[int]:
        """The points with a marker: all, some, or none."""
        if len(self.x) <= MAX_MARKED_POINTS:
            return list(range(len(self.x)))
        if crowd <= len(DASHES):
            return []
        return [
            i * (len(self.x) - 1) // (MARKERS_ON_LONG_SERIES - 1)
            for i in range(MARKERS_ON_LONG_SERIES)
        ]

    def legend_key(self, crowd: int) -> LegendKey:
        marker = self.number if self.marker_places(crowd) else None
        return LegendKey(self.name, self.colour, self.dash, marker)


def draw_lines(
    series: Mapping[Any, Sequence[Any]],
    title: str,
    x_label: str = "",
    y_label: str = "",
    *,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    y_limits: tuple[float, float] | None = None,
    diagonal: str = "",
    level: tuple[str, float] | None = None,
    log_x: bool = False,
) -> Plot:
    """Draw lines, with bands or without: ROC, calibration, learning curves, trajectories.

    Points are joined by straight lines. More than 3200 are thinned to those that touch the
    outline of the line, which covers the same pixels; ``data`` holds what is drawn.

    Parameters
    ----------
    series : name -> (x, y), or (x, y, low, high) with a band; x never falls. A fifth part is how
        many rows every point stands for, which is written beside it.
    x_label, y_label : what the axes show, with the unit.
    x_range, y_range : numbers that an axis reaches at least; nothing is ever cut off.
    y_limits : numbers that no y can pass, and so the axis does not either; they may be infinite.
    level : a name and a height, at which a line is drawn to compare with.
    diagonal : the name of the line y = x, such as "chance"; without a name it is not drawn.
    log_x : equal ratios of x are equally far apart.

    References
    ----------
    W. S. Cleveland, The Elements of Graphing Data, 1985.

    Examples
    --------
    >>> curve = {"naive Bayes": ([0, 0, 0.5, 1], [0, 0.8, 1, 1])}
    >>> plot = draw_lines(curve, "ROC", "false positive rate", "true positive rate",
    ...                   diagonal="chance")
    >>> plot.data["series"]["naive Bayes"]["y"]
    [0.0, 0.8, 1.0, 1.0]
    """
    with error_context("draw_lines"):
        title, x_label, y_label, diagonal = as_texts(title, x_label, y_label, diagonal)
        lines, limits = _read_series(series), as_limits(y_limits, "y_limits")
        heights = as_level(level, "level")
        x = np.concatenate([*(s.x for s in lines), as_range(x_range, "x_range")])
        y = np.concatenate([*(v for s in lines for v in (s.y, *s.band)),
                            as_range(y_range, "y_range"), [v for _, v in heights]])  # fmt: skip
        _check_axes(x, diagonal, log_x)
    across, upwards = axis_scales(x, y, bool(y_label), log_x, limits)
    lines = [s.decimate(across) for s in lines]
    keys = [s.legend_key(len(lines)) for s in lines]
    body = [*draw_axes(across, upwards, x_label, y_label)]
    if diagonal:
        keys += [LegendKey(diagonal, FAINT, REFERENCE_DASHES)]
        body += [draw_diagonal_line(across, upwards)]
    for name, height in heights:
        keys += [LegendKey(name, FAINT, REFERENCE_DASHES)]
        body += [draw_level_line(across, upwards, height)]
    body += [s.draw(across, upwards, len(lines)) for s in lines]
    body += draw_keys(keys, across.start, HEIGHT, WIDTH - 8)
    data = {
        "chart": "lines", "title": title, "x_label": x_label, "y_label": y_label,
        "x_range": extremes(x), "y_range": extremes(y), "diagonal": diagonal, "log_x": bool(log_x),
        "y_limits": limits, "level": heights[0] if heights else None,
        "series": {s.name: s.data() for s in lines},
    }  # fmt: skip
    return make_plot(
        title, data, body, WIDTH, HEIGHT + legend_height(keys, across.start, WIDTH - 8)
    )


def decimate_line(x: Array, *curves: Array) -> Array:
    """The places of the points to draw, in order, for pixels ``x`` that never fall.

    In every strip of half a pixel the first and the last point stay, and the lowest and the
    highest of every curve: what is drawn covers the same pixels. (U. Jugel et al., M4: a
    visualization-oriented time series data aggregation, PVLDB 7, 2014.)

    >>> x, y = np.linspace(0, 400, 100_001), np.zeros(100_001)
    >>> y[50_000] = 1
    >>> len(decimate_line(x, y)) < 3300, 50_000 in decimate_line(x, y)
    (True, True)
    """
    if len(x) <= MAX_POINTS:
        return np.arange(len(x))
    strips = ((x - x[0]) * (STRIPS / max(x[-1] - x[0], 1e-9))).astype(np.int64)
    ends = np.append(np.flatnonzero(np.diff(strips)), len(x) - 1)
    starts = np.append(0, ends[:-1] + 1)
    kept = [starts, ends]
    for curve in curves:
        order = np.lexsort((curve, strips))  # by strip, and inside a strip from low to high
        kept += [order[starts], order[ends]]
    return np.unique(np.concatenate(kept))


def _read_series(series: Mapping[Any, Sequence[Any]]) -> list[Series]:
    if not isinstance(series, Mapping) or not series:
        raise OptionError(
            f"series is {short_repr(series)}. Pass a dict of names and points, such "
            f"as {{'test': (x, y)}}."
        )
    if len(series) > MAX_SERIES:
        raise OptionError(
            f"a chart can distinguish at most {MAX_SERIES} series, and there are "
            f"{len(series)}. Choose fewer."
        )
    if len({*map(str, series)}) < len(series):
        raise OptionError(
            f"two series have the same name: {quoted_list(map(str, series))}. Rename one."
        )
    return [_read_one(str(name), i, parts) for i, (name, parts) in enumerate(series.items())]


def _read_one(name: str, number: int, parts: Sequence[Any]) -> Series:
    if not isinstance(parts, tuple | list) or len(parts) not in (2, 4, 5):
        raise OptionError(
            f"series {name!r} is {short_repr(parts)}. Give (x, y) or (x, y, low, high)."
        )
    x, y, *more = (
        as_numbers(values, f"{part} of {name!r}")
        for part, values in zip(SERIES_PARTS, parts, strict=False)
    )
    for part, values in zip(SERIES_PARTS[1:], (y, *more), strict=False):
        check_length(values, f"{part} of {name!r}", len(x), "x")
    if (fall := np.flatnonzero(np.diff(x) < 0)).size:
        raise OptionError(f"x of {name!r} decreases after index {fall[0]}. Sort the points by x.")
    band = more[:2]
    if band and (crossed := np.flatnonzero(band[0] > band[1])).size:
        raise OptionError(f"low of {name!r} is above high at index {crossed[0]}. Swap them.")
    rows = more[2] if len(more) > 2 else None
    return Series(name, number, x, y, band=tuple(band), rows=rows)


def _row_count_label(rows: float, x: float, y: float) -> str:
    """How many rows a point stands for, above it."""
    return label(format_number(rows), x, y, room=60, size=9, text_anchor="middle", fill=FAINT)


def _check_axes(x: Array, diagonal: str, log_x: bool) -> None:
    if not isinstance(log_x, bool | np.bool_):
        raise OptionError(f"log_x is {short_repr(log_x)}. Give True or False.")
    if log_x and x.min() < MIN_POSITIVE:
        raise OptionError(
            f"x has {x.min():g}, but a logarithmic axis starts at {MIN_POSITIVE:g}. "
            "Leave out log_x, or that point."
        )
    if log_x and diagonal:
        raise OptionError(
            "diagonal and log_x are both given, but the line y = x is not straight "
            "on a logarithmic axis. Leave one of them out."
        )
