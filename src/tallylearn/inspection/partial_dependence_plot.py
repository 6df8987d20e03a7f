"""Charts of partial dependence: curves of a number, dots of categories, shades of two numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from tallylearn.reporting.charts import (
    AreaLayer,
    Layer,
    LineLayer,
    Plot,
    PointLayer,
    draw_intervals,
    draw_layers,
)
from tallylearn.reporting.charts.region_outlines import level_outlines
from tallylearn.reporting.charts.svg_elements import COLOURS, DASHES
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import CATEGORY, DATE, Array

MAX_LEVELS = 40  # rows of a chart of categories
MAX_LINES = len(COLOURS) * len(DASHES)  # that can be told apart
MAX_MARKED = 25  # points of a line that have a marker
SHADES, SHADE_OPACITY = 8, 0.1  # of two numbers, above each other
DAYS_PER_YEAR = 365.2425
EPOCH = datetime(1970, 1, 1)


def plot_dependence(found: dict[str, Any], title: str = "") -> Plot:
    """The chart of a partial dependence, from its plain data."""
    of = found["target"] or "prediction"
    height = "prediction" if found["outcome"] is None else "probability"
    if found["outcome"] is not None:
        of = f"{found['target']} = {found['outcome']}" if found["target"] else found["outcome"]
    title = title or f"{of} by {' and '.join(found['columns'])}"
    if len(found["columns"]) == 2:
        return _plot_pair(found, title, height)
    if found["kinds"][0] == CATEGORY:
        return _plot_levels(found, title, height)
    return _plot_curve(found, title, height)


def _plot_curve(found: dict[str, Any], title: str, height: str) -> Plot:
    x, mean = _places(found["grid"][0], found["kinds"][0]), found["average"]
    sample = f"{len(found['rows']):,} of {found['n']:,} rows"
    layers: list[Layer] = [
        LineLayer(sample, x, curve, 0, width=0.5) for curve in found["individual"]
    ]
    layers.append(LineLayer("mean", x, mean, None, width=2.8))
    if len(x) <= MAX_MARKED:
        layers.append(PointLayer("mean", x, mean, 4, True, shape=0))
    return draw_layers(layers, title, _axis_label(found, 0), height)


def _plot_levels(found: dict[str, Any], title: str, height: str) -> Plot:
    curves = np.array(found["individual"], dtype=float).reshape(-1, len(found["average"]))
    spreads = [
        (str(level), mean, mean, mean, curves[:, i].tolist())
        for i, (level, mean) in enumerate(zip(found["grid"][0], found["average"], strict=True))
    ]
    label = f"mean {height}"
    label += f"; dots: {len(curves):,} of {found['n']:,} rows" if len(curves) else ""
    return draw_intervals(spreads[:MAX_LEVELS], title, label)


def _plot_pair(found: dict[str, Any], title: str, height: str) -> Plot:
    grid, kinds = found["grid"], found["kinds"]
    means = np.array(found["average"], dtype=float)
    if kinds[0] == kinds[1] == CATEGORY:
        pairs = [(f"{a} × {b}", means[i, j]) for i, a in enumerate(grid[0])
                 for j, b in enumerate(grid[1])]  # fmt: skip
        spreads = [(name, mean, mean, mean) for name, mean in pairs]
        return draw_intervals(spreads[:MAX_LEVELS], title, f"mean {height}")
    if CATEGORY in kinds:
        named = kinds.index(CATEGORY)
        x, lines = _places(grid[1 - named], kinds[1 - named]), means if named == 0 else means.T
        layers: list[Layer] = [
            LineLayer(str(level), x, mean, i % len(COLOURS), dash=i // len(COLOURS))
            for i, (level, mean) in enumerate(zip(grid[named], lines, strict=True))
        ]
        more = len(layers) - MAX_LINES
        notes = [f"and {more} more values of {found['columns'][named]}"] if more > 0 else []
        return draw_layers(layers[:MAX_LINES], title, _axis_label(found, 1 - named),
                           f"mean {height}", notes=notes)  # fmt: skip
    return _plot_shades(found, means, title, height)


def _plot_shades(found: dict[str, Any], means: Array, title: str, height: str) -> Plot:
    """Regions in which the mean is above a level: the fuller, the higher."""
    x, y = (_places(found["grid"][i], found["kinds"][i]) for i in (0, 1))
    low, high = float(means.min()), float(means.max())
    frame = np.array([[x[0], y[0]], [x[-1], y[0]], [x[-1], y[-1]], [x[0], y[-1]]])
    layers: list[Layer] = [AreaLayer("", [frame], 0, SHADE_OPACITY / 2)]
    notes = [f"mean {height}: {format_number(low)} everywhere"]
    if low < high and len(x) > 1 and len(y) > 1:
        step = (high - low) / SHADES
        for i in range(1, SHADES):
            outlines = level_outlines(x, y, means.T, low + i * step)
            if outlines:
                layers.append(AreaLayer("", outlines, 0, SHADE_OPACITY, border=i == SHADES // 2))
        notes = [
            f"mean {height} from {format_number(low)} to {format_number(high)}: fuller is higher",
            f"line: {format_number((low + high) / 2)}",
        ]
    return draw_layers(layers, title, _axis_label(found, 0), _axis_label(found, 1), notes=notes,
                       numbers={"average": means.tolist()})  # fmt: skip


def _axis_label(found: dict[str, Any], at: int) -> str:
    column = str(found["columns"][at])
    return f"{column} (year)" if found["kinds"][at] == DATE else column


def _places(values: Sequence[Any], kind: str) -> Array:
    """Numbers as they are, dates as years."""
    if kind != DATE:
        return np.array(values, dtype=float)
    dates = [datetime.fromisoformat(value) for value in values]
    return np.array([1970 + (d - EPOCH).total_seconds() / 86400 / DAYS_PER_YEAR for d in dates])
