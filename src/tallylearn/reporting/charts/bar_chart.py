"""Bar charts: one horizontal bar for each name, with an interval where there is one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tallylearn.reporting.charts.plot import TITLE_HEIGHT, WIDTH, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import (
    COLOURS,
    FAINT,
    INK,
    label,
    line,
    tag,
    text_extent,
    tooltip,
)
from tallylearn.reporting.formatting import format_number, printable_text

BAR_HEIGHT, NAME_WIDTH = 22.0, 160.0  # pixels of a bar with its space, and of a name
VALUE_WIDTH = 70.0  # pixels of a value beside its bar
MAX_BARS = 40  # of a chart
NOTE_HEIGHT = 17.0


@dataclass(frozen=True)
class ChartBar:
    """One bar: its name, its value, what its tooltip says, and its interval."""

    name: str
    value: float
    text: str
    ends: tuple[float, float] | None = None


def draw_bars(
    bars: Sequence[ChartBar],
    title: str,
    data: Mapping[str, Any],
    *,
    whole: float | None = None,
    note: str = "",
) -> Plot:
    """Draw the first 40 bars, from 0 to the right, or to the left below 0.

    Parameters
    ----------
    bars : the bars, in their order.
    data : the numbers of the plot.
    whole : the value of the longest bar there can be; by default the largest value.
    note : a line below the bars.

    Examples
    --------
    >>> draw_bars([ChartBar("income", 0.7, "income: 0.7")], "Importances", {"income": 0.7})
    Plot(title='Importances')
    """
    shown = bars[:MAX_BARS]
    left = 18 + min(
        NAME_WIDTH, max((text_extent(printable_text(bar.name)) for bar in shown), default=0.0)
    )
    ends = [0.0, *(end for bar in shown for end in (bar.value, *(bar.ends or ())))]
    low, high = (min(ends), max(ends)) if whole is None else (0.0, whole)
    scale = (WIDTH - left - VALUE_WIDTH) / ((high - low) or 1.0)
    body = [
        mark
        for at, bar in enumerate(shown)
        for mark in _draw_bar(bar, left, TITLE_HEIGHT + BAR_HEIGHT * at, low, scale=scale)
    ]
    bottom = TITLE_HEIGHT + BAR_HEIGHT * len(shown)
    if note:
        body.append(label(note, 10, bottom + 12, room=WIDTH - 20, fill=FAINT))
        bottom += NOTE_HEIGHT
    return make_plot(title, dict(data), body, WIDTH, bottom + 10)


def _draw_bar(bar: ChartBar, left: float, top: float, low: float, scale: float) -> Iterator[str]:
    zero = left - low * scale
    start, end = sorted((zero, zero + bar.value * scale))
    yield label(bar.name, left - 8, top + 13, room=NAME_WIDTH, text_anchor="end")
    yield tag("rect", tooltip(bar.text), x=start, y=top + 3, width=end - start,
              height=BAR_HEIGHT - 8, fill=COLOURS[0])  # fmt: skip
    if bar.ends is not None:
        first, last = (left + (x - low) * scale for x in bar.ends)
        middle = top + 3 + (BAR_HEIGHT - 8) / 2
        yield line(first, middle, last, middle, INK, stroke_width=1.5)
        yield from (line(x, middle - 4, x, middle + 4, INK, stroke_width=1.5)
                    for x in (first, last))  # fmt: skip
        end = max(end, last)
    yield label(format_number(bar.value), end + 5, top + 13, room=VALUE_WIDTH - 6)
