"""Legends: the name of every line with its colour, dash pattern and marker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tallylearn.reporting.charts.svg_elements import label, line, marker, text_extent
from tallylearn.reporting.formatting import printable_text

ROW_HEIGHT = 18.0  # pixels from one row of names to the next
SAMPLE_WIDTH = 30.0  # pixels of the piece of line before a name
KEY_SPACING = 12.0  # pixels between a name and the next sample
MAX_NAME_WIDTH = 200.0  # pixels of a name


@dataclass(frozen=True)
class LegendKey:
    """One line of a chart, and its name."""

    name: str
    colour: str
    dash: str
    marker: int | None = None

    @property
    def text(self) -> str:
        return printable_text(self.name) or "(no name)"

    @property
    def width(self) -> float:
        return SAMPLE_WIDTH + min(MAX_NAME_WIDTH, text_extent(self.text))

    def draw(self, x: float, y: float) -> Iterator[str]:
        yield line(x, y, x + SAMPLE_WIDTH - 6, y, self.colour, stroke_width=1.8,
                   stroke_dasharray=self.dash)  # fmt: skip
        if self.marker is not None:
            yield marker(self.marker, x + SAMPLE_WIDTH / 2 - 3, y, self.colour)
        yield label(self.text, x + SAMPLE_WIDTH, y + 4, room=MAX_NAME_WIDTH)


def place_keys(
    keys: Sequence[LegendKey], left: float, right: float
) -> Iterator[tuple[LegendKey, float, int]]:
    """Every key, its left edge and its row; a single line without a name needs none."""
    x, row = left, 0
    for key in keys if len(keys) > 1 or any(key.name for key in keys) else ():
        if x > left and x + key.width > right:
            x, row = left, row + 1
        yield key, x, row
        x += key.width + KEY_SPACING


def draw_keys(keys: Sequence[LegendKey], left: float, top: float, right: float) -> Iterator[str]:
    """The names one after the other, row by row."""
    for key, x, row in place_keys(keys, left, right):
        yield from key.draw(x, top + 6 + row * ROW_HEIGHT)


def legend_height(keys: Sequence[LegendKey], left: float, right: float) -> float:
    """The pixels that the names take under a chart."""
    return ROW_HEIGHT * max((row + 1 for *_, row in place_keys(keys, left, right)), default=0)
