"""The critical-difference diagram: mean ranks on a line, a bar over those that do not differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, error_context
from tallylearn.reporting.charts.axis_scale import AxisScale
from tallylearn.reporting.charts.chart_arguments import as_names, as_number, as_numbers, as_texts
from tallylearn.reporting.charts.plot import TITLE_HEIGHT, WIDTH, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import (
    FAINT,
    INK,
    label,
    line,
    points_attribute,
    tag,
    tooltip,
)
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array

NAME_WIDTH = 130.0  # pixels of the names on either side
ROW_HEIGHT, BAR_HEIGHT = 20.0, 8.0  # pixels from one name, and from one bar, to the next
Span = tuple[int, int]  # the first and the last place of a group, best first


def draw_ranks(names: Iterable[Any], ranks: Sequence[float], critical: float, title: str) -> Plot:
    """Draw mean ranks, the best to the right, and a bar over each group that does not differ.

    Two differ if their mean ranks are the critical difference or more apart.

    Parameters
    ----------
    names : what was compared, on every table alike.
    ranks : the mean rank of each, from 1, the best, to their number.
    critical : the critical difference, as of Nemenyi's test.

    References
    ----------
    J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006,
    figure 1.

    Examples
    --------
    >>> plot = draw_ranks(["tree", "bayes", "knn"], [1.2, 1.9, 2.9], 0.9, "Ten tables")
    >>> plot.data["groups"]
    [['tree', 'bayes']]
    """
    with error_context("draw_ranks"):
        (title,) = as_texts(title)
        labels, places, critical = _read_ranks(names, ranks, critical)
    k, axis = len(places), TITLE_HEIGHT + 56
    across = AxisScale(_whole_ranks(k), WIDTH - NAME_WIDTH - 10, NAME_WIDTH + 10)
    groups = _groups(places, critical)
    bars = [across.pixels([places[b], places[a]]) + np.array([-4, 4]) for a, b in groups]
    levels = _bar_levels(bars)
    first = axis + 16 + BAR_HEIGHT * (max(levels, default=-1) + 1)
    half = k // 2  # the better half stands on the right
    rows = [*range(half), *range(k - half - 1, -1, -1)]
    body = [
        *_draw_axis(across, axis),
        *_draw_critical_difference(across, critical, axis - 34),
        *(
            _draw_name(labels[i], places[i], across, (axis, first + ROW_HEIGHT * rows[i]), i < half)
            for i in range(k)
        ),
        *(
            _draw_bar(bar, axis + 10 + BAR_HEIGHT * level)
            for bar, level in zip(bars, levels, strict=True)
        ),
    ]
    data = {
        "chart": "ranks", "title": title, "names": labels, "ranks": places.tolist(),
        "critical": critical, "groups": [labels[a : b + 1] for a, b in groups],
    }  # fmt: skip
    return make_plot(title, data, body, WIDTH, first + ROW_HEIGHT * (k - half))


def _read_ranks(names: Any, ranks: Any, critical: Any) -> tuple[list[str], Array, float]:
    """Names and ranks, the best first."""
    places = as_numbers(ranks, "ranks")
    k = len(places)
    given = as_names(names, "names", k, "ranks")
    if k < 2 or places.min() < 1 or places.max() > k:
        raise OptionError(
            f"ranks is from {places.min():g} to {places.max():g}. Give two or more "
            f"mean ranks from 1 to {k}, the number of ranks."
        )
    length = as_number(critical, "critical")
    if length <= 0:
        raise OptionError(f"critical is {length:g}. Give a number above 0.")
    order = np.argsort(places, kind="stable")
    return [given[i] for i in order], places[order], length


def _groups(ranks: Array, critical: float) -> list[Span]:
    """The largest groups whose best and worst do not differ, without those inside another."""
    ends = np.searchsorted(ranks, ranks + critical, side="left") - 1
    spans = [(i, int(end)) for i, end in enumerate(ends) if end > i]
    return [span for i, span in enumerate(spans) if i == 0 or span[1] > spans[i - 1][1]]


def _bar_levels(bars: Sequence[Array]) -> list[int]:
    """The highest row in which each bar touches no other; they come from right to left."""
    edges: list[float] = []  # the left end of the last bar of every row
    levels = []
    for left, right in bars:
        level = next((i for i, edge in enumerate(edges) if right + 6 < edge), len(edges))
        edges[level : level + 1] = [left]
        levels.append(level)
    return levels


def _whole_ranks(k: int) -> tuple[Decimal, ...]:
    """Whole ranks from 1, eleven of them at most."""
    step = -(-(k - 1) // 10)
    return tuple(map(Decimal, range(1, k + step, step)))


def _draw_axis(across: AxisScale, y: float) -> Iterator[str]:
    yield line(across.end, y, across.start, y)
    for x, text in across.labelled_ticks():
        yield line(x, y - 5, x, y)
        yield label(text, x, y - 9, room=NAME_WIDTH, text_anchor="middle", fill=FAINT)


def _draw_critical_difference(across: AxisScale, critical: float, y: float) -> Iterator[str]:
    """The critical difference as a length, where the axis is long enough to show it."""
    pixels = critical * abs(float(across.pixels([1.0])[0] - across.pixels([2.0])[0]))
    shown = pixels <= across.start - across.end
    if shown:
        yield line(across.end, y, across.end + pixels, y, stroke_width=1.5)
        yield line(across.end, y - 4, across.end, y + 4)
        yield line(across.end + pixels, y - 4, across.end + pixels, y + 4)
    text = f"critical difference {format_number(critical)}" + (
        "" if shown else ", longer than the axis"
    )
    yield label(text, across.end, y - 8, room=WIDTH - across.end)


def _draw_name(
    name: str, rank: float, across: AxisScale, ends: tuple[float, float], right: bool
) -> str:
    """The way from the rank on the axis, down, and out to the name."""
    (top, y), x = ends, float(across.pixels([rank])[0])
    edge, side = (across.start + 6, 1) if right else (across.end - 6, -1)
    return tag(
        "g",
        tooltip(f"{name}: {format_number(rank)}"),
        tag(
            "polyline",
            points=points_attribute([(x, top), (x, y), (edge, y)]),
            fill="none",
            stroke=FAINT,
        ),
        label(
            name or "(no name)",
            edge + 4 * side,
            y + 4,
            room=NAME_WIDTH - 12,
            text_anchor="start" if right else "end",
        ),
    )


def _draw_bar(bar: Array, y: float) -> str:
    return line(float(bar[0]), y, float(bar[1]), y, INK, stroke_width=4)
