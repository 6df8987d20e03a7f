"""Legends: the name of every line with its colour, dash pattern and marker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tallylearn.reporting.charts.svg_elements import label, line, marker, tag, text_extent
from tallylearn.reporting.formatting import printable_text

ROW_HEIGHT = 18.0  # pixels from one row of names to the next
SAMPLE_WIDTH = 30.0  # pixels of the piece of line before a name
KEY_SPACING = 12.0  # pixels between a name and the next sample
MAX_NAME_WIDTH = 200.0  # pixels of a name
AREA_OPACITY = 0.3  # of the sample of a filled area


@dataclass(frozen=True)
class LegendKey:
    """An entry of the legend: a piece of line, a marker, a filled area, or several of them."""

    name: str
    colour: str = ""  # of the line; without one there is no line
    dash: str = ""
    marker: int | None = None
    marker_colour: str = ""  # where it is not that of the line
    solid: bool = False  # whether the marker is filled
    area: str = ""  # the colour of a filled area

    @property
    def text(self) -> str:
        return printable_text(self.name) or "(no name)"

    @property
    def width(self) -> float:
        return SAMPLE_WIDTH + min(MAX_NAME_WIDTH, text_extent(self.text))

    def join(self, other: LegendKey) -> LegendKey:
        """One entry for two layers with the same name."""
        return LegendKey(
            self.name,
            self.colour or other.colour,
            self.dash or other.dash,
            other.marker if self.marker is None else self.marker,
            marker_colour=self.marker_colour or other.marker_colour,
            solid=self.solid or other.solid,
            area=self.area or other.area,
        )

    def draw(self, x: float, y: float) -> Iterator[str]:
        if self.area:
            yield tag("rect", x=x, y=y - 6, width=SAMPLE_WIDTH - 6, height=12, fill=self.area,
                      fill_opacity=AREA_OPACITY)  # fmt: skip
        if self.colour:
            yield line(x, y, x + SAMPLE_WIDTH - 6, y, self.colour, stroke_width=1.8,
                       stroke_dasharray=self.dash)  # fmt: skip
        if self.marker is not None:
            colour = self.marker_colour or self.colour
            yield marker(self.marker, x + SAMPLE_WIDTH / 2 - 3, y, colour, self.solid)
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
