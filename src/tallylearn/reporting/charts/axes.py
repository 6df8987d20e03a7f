"""Axes: the two scales of a chart, their labels, and the lines to compare with."""

from __future__ import annotations

from collections.abc import Iterator

from tallylearn.reporting.charts.marks import FAINT, extent, label, line, turned
from tallylearn.reporting.charts.pictures import HEIGHT, TOP, WIDTH
from tallylearn.reporting.charts.scales import Limits, Scale, worded
from tallylearn.tables import Array

REFERENCE = "4 4"  # the dashes of a line to compare with


def scaled(
    x: Array, y: Array, labelled: bool, log_x: bool, y_limits: Limits = None
) -> tuple[Scale, Scale]:
    """The horizontal scale begins where the labels of the vertical one end."""
    upwards = Scale.of(y, HEIGHT - 44, TOP, limits=y_limits)
    left = 14 + max(map(extent, worded(upwards.ticks))) + (18 if labelled else 0)
    return Scale.of(x, left, WIDTH - 16, log_x).within(WIDTH), upwards


def axes(across: Scale, upwards: Scale, x_label: str, y_label: str) -> Iterator[str]:
    """Ticks, grid and names."""
    yield from upwards.upwards(across.start, across.end)
    yield from across.across(upwards.end, upwards.start)
    middle, height = (across.start + across.end) / 2, (upwards.start + upwards.end) / 2
    if x_label:
        yield label(x_label, middle, upwards.start + 36, room=across.end - across.start,
                    size=12, text_anchor="middle")  # fmt: skip
    if y_label:
        yield label(y_label, 16, height, room=upwards.start - upwards.end, size=12,
                    text_anchor="middle", transform=turned(16, height))  # fmt: skip


def level_line(across: Scale, upwards: Scale, height: float) -> str:
    """A line at one height, from end to end."""
    y = float(upwards.at([height])[0])
    return line(across.start, y, across.end, y, FAINT, stroke_dasharray=REFERENCE)


def diagonal_line(across: Scale, upwards: Scale) -> str:
    """The line y = x, where the chart shows it."""
    low = max(across.ticks[0], upwards.ticks[0])
    high = max(low, min(across.ticks[-1], upwards.ticks[-1]))
    x, y = across.at([float(low), float(high)]), upwards.at([float(low), float(high)])
    return line(x[0], y[0], x[1], y[1], FAINT, stroke_dasharray=REFERENCE)
