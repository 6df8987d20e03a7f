"""Interval charts: values with confidence intervals and the scores of folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, error_context, items_of, short_repr
from tallylearn.reporting.charts.axis_scale import AxisScale
from tallylearn.reporting.charts.chart_arguments import (
    as_level,
    as_limits,
    as_number,
    as_numbers,
    as_range,
    as_texts,
)
from tallylearn.reporting.charts.plot import TITLE_HEIGHT, WIDTH, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import (
    COLOURS,
    INK,
    label,
    line,
    marker,
    tag,
    text_extent,
    tooltip,
)
from tallylearn.reporting.formatting import format_number, printable_text
from tallylearn.tables import Array

ROW_HEIGHT = 30.0  # pixels from one line to the next
MAX_NAME_WIDTH = 230.0  # pixels of a name
DOT_OFFSETS = (0, -6, 6, -3, 3)  # pixels by which dots in one place make way for each other


@dataclass(frozen=True)
class IntervalRow:
    """A value with its interval, and the dots that it sums up."""

    name: str
    value: float
    low: float
    high: float
    dots: Array

    def __str__(self) -> str:
        value, low, high = map(format_number, (self.value, self.low, self.high))
        return f"{self.name}: {value} ({low} to {high})"

    def data(self) -> dict[str, Any]:
        return {"name": self.name, "value": self.value, "low": self.low, "high": self.high,
                "dots": self.dots.tolist()}  # fmt: skip

    def draw(self, across: AxisScale, y: float) -> str:
        low, value, high = across.pixels([self.low, self.value, self.high]).tolist()
        ends = [line(x, y - 5, x, y + 5, INK, stroke_width=2) for x in (low, high)]
        return tag(
            "g", tooltip(self), *self._draw_dots(across, y),
            line(low, y, high, y, INK, stroke_width=2), *ends, marker(3, value, y, INK),
        )  # fmt: skip

    def _draw_dots(self, across: AxisScale, y: float) -> Iterator[str]:
        # Dots within half a pixel and in one lane are one mark: leave-one-out has thousands.
        lanes = (DOT_OFFSETS[i % len(DOT_OFFSETS)] for i in range(len(self.dots)))
        places = zip(np.round(across.pixels(self.dots) * 2) / 2, lanes, strict=True)
        for x, lane in dict.fromkeys(places):
            yield tag("circle", cx=float(x), cy=y + lane, r=2.5, fill=COLOURS[0], fill_opacity=0.45)


def draw_intervals(
    spreads: Iterable[Sequence[Any]],
    title: str,
    x_label: str = "",
    *,
    x_range: tuple[float, float] | None = None,
    x_limits: tuple[float, float] | None = None,
    baseline: tuple[str, float] | None = None,
) -> Plot:
    """Draw values with their intervals, one under the other, and a dot for every fold.

    Parameters
    ----------
    spreads : (name, value, low, high) or (name, value, low, high, dots) for every line.
    x_label : what the axis shows, with the unit.
    x_range : numbers that the axis reaches at least; nothing is ever cut off.
    x_limits : numbers that no value can pass, and so the axis does not either.
    baseline : a name and a value, drawn as a dashed line to compare with.

    References
    ----------
    G. Cumming and S. Finch, Inference by eye, American Psychologist 60, 2005.

    Examples
    --------
    >>> plot = draw_intervals([("tree", 0.8, 0.7, 0.9, [0.75, 0.85])], "Folds", "accuracy",
    ...                       baseline=("most frequent class", 0.64))
    >>> plot.data["spreads"][0]["dots"]
    [0.75, 0.85]
    """
    with error_context("draw_intervals"):
        title, x_label = as_texts(title, x_label)
        rows = _read_rows(spreads)
        beside = as_level(baseline, "baseline")
        ends, limits = as_range(x_range, "x_range"), as_limits(x_limits, "x_limits")
    drawn = [np.array([s.low, s.value, s.high]) for s in rows] + [s.dots for s in rows]
    numbers = np.concatenate([*drawn, ends, [value for _, value in beside]])
    left = 18 + min(MAX_NAME_WIDTH, max(text_extent(printable_text(s.name)) for s in rows))
    across = AxisScale.of(numbers, left, WIDTH - 16, limits=limits).fit_labels(WIDTH)
    top = TITLE_HEIGHT + (16 if beside else 0)
    bottom = top + ROW_HEIGHT * len(rows)
    body = [
        *across.draw_horizontal(top, bottom),
        *(
            mark
            for name, value in beside
            for mark in _draw_baseline(name, value, across, top, bottom)
        ),
        *(s.draw(across, top + ROW_HEIGHT * (i + 0.5)) for i, s in enumerate(rows)),
        *(
            label(
                s.name,
                across.start - 8,
                top + ROW_HEIGHT * (i + 0.5) + 4,
                room=MAX_NAME_WIDTH,
                text_anchor="end",
            )
            for i, s in enumerate(rows)
        ),
        label(
            x_label,
            (across.start + across.end) / 2,
            bottom + 36,
            size=12,
            room=across.end - across.start,
            text_anchor="middle",
        ),
    ]
    data = {
        "chart": "intervals", "title": title, "x_label": x_label, "x_range": ends.tolist(),
        "x_limits": limits,
        "baseline": dict(beside), "spreads": [s.data() for s in rows],
    }  # fmt: skip
    return make_plot(title, data, body, WIDTH, bottom + 44)


def _read_rows(spreads: Iterable[Sequence[Any]]) -> list[IntervalRow]:
    rows = items_of(spreads) or []
    if not rows:
        raise OptionError("spreads is empty. Give (name, value, low, high, dots) for each row.")
    return [_read_row(row, i) for i, row in enumerate(rows)]


def _read_row(row: Sequence[Any], place: int) -> IntervalRow:
    if not isinstance(row, tuple | list) or len(row) not in (4, 5):
        raise OptionError(
            f"row {place} of spreads is {short_repr(row)}. Give (name, value, low, high, dots)."
        )
    name = str(row[0])
    parts = zip(("value", "low", "high"), row[1:4], strict=True)
    value, low, high = (as_number(number, f"{part} of {name!r}") for part, number in parts)
    if low > high:
        raise OptionError(f"low of {name!r} is {low:g}, above high ({high:g}). Swap them.")
    dots = row[4] if len(row) == 5 else ()
    none = isinstance(dots, Sized) and not len(dots)
    given = np.empty(0) if none else as_numbers(dots, f"dots of {name!r}")
    return IntervalRow(name, value, low, high, given)


def _draw_baseline(
    name: str, value: float, across: AxisScale, top: float, bottom: float
) -> Iterator[str]:
    x = float(across.pixels([value])[0])
    yield line(x, top - 4, x, bottom, COLOURS[1], stroke_width=1.5, stroke_dasharray="5 3")
    half = min(text_extent(printable_text(name)), 300.0) / 2
    middle = min(max(x, half + 4), WIDTH - half - 4)
    yield label(name, middle, top - 7, room=300, text_anchor="middle", fill="#a84a00")
