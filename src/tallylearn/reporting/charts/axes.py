"""The axes of a chart: their scales, labels and reference lines."""

from __future__ import annotations

from collections.abc import Iterator

from tallylearn.reporting.charts.axis_scale import AxisScale, Limits, tick_labels
from tallylearn.reporting.charts.plot import HEIGHT, TITLE_HEIGHT, WIDTH
from tallylearn.reporting.charts.svg_elements import (
    FAINT,
    label,
    line,
    text_extent,
    upward_rotation,
)
from tallylearn.tables import Array

REFERENCE_DASHES = "4 4"  # the dashes of a line to compare with


def axis_scales(
    x: Array, y: Array, labelled: bool, log_x: bool, y_limits: Limits = None
) -> tuple[AxisScale, AxisScale]:
    """The horizontal scale begins where the labels of the vertical one end."""
    upwards = AxisScale.of(y, HEIGHT - 44, TITLE_HEIGHT, limits=y_limits)
    left = 14 + max(map(text_extent, tick_labels(upwards.ticks))) + (18 if labelled else 0)
    return AxisScale.of(x, left, WIDTH - 16, log_x).fit_labels(WIDTH), upwards


def draw_axes(across: AxisScale, upwards: AxisScale, x_label: str, y_label: str) -> Iterator[str]:
    """Ticks, grid and names."""
    yield from upwards.draw_vertical(across.start, across.end)
    yield from across.draw_horizontal(upwards.end, upwards.start)
    middle, height = (across.start + across.end) / 2, (upwards.start + upwards.end) / 2
    if x_label:
        yield label(x_label, middle, upwards.start + 36, room=across.end - across.start,
                    size=12, text_anchor="middle")  # fmt: skip
    if y_label:
        yield label(y_label, 16, height, room=upwards.start - upwards.end, size=12,
                    text_anchor="middle", transform=upward_rotation(16, height))  # fmt: skip


def draw_level_line(across: AxisScale, upwards: AxisScale, height: float) -> str:
    """A line at one height, from end to end."""
    y = float(upwards.pixels([height])[0])
    return line(across.start, y, across.end, y, FAINT, stroke_dasharray=REFERENCE_DASHES)


def draw_diagonal_line(across: AxisScale, upwards: AxisScale) -> str:
    """The line y = x, where the chart shows it."""
    low = max(across.ticks[0], upwards.ticks[0])
    high = max(low, min(across.ticks[-1], upwards.ticks[-1]))
    x, y = across.pixels([float(low), float(high)]), upwards.pixels([float(low), float(high)])
    return line(x[0], y[0], x[1], y[1], FAINT, stroke_dasharray=REFERENCE_DASHES)
