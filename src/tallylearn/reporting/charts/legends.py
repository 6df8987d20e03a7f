"""Legends: which line is which, told by dash and marker as well as by colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tallylearn.reporting.charts.marks import extent, label, line, shape
from tallylearn.reporting.formatting import printable_text

ROW = 18.0  # pixels from one row of names to the next
SAMPLE = 30.0  # pixels of the piece of line before a name
GAP = 12.0  # pixels between a name and the next sample
BROADEST = 200.0  # pixels of a name


@dataclass(frozen=True)
class Key:
    """One line of a chart, and its name."""

    name: str
    colour: str
    dash: str
    marker: int | None = None

    @property
    def shown(self) -> str:
        return printable_text(self.name) or "(no name)"

    @property
    def breadth(self) -> float:
        return SAMPLE + min(BROADEST, extent(self.shown))

    def drawn(self, x: float, y: float) -> Iterator[str]:
        yield line(x, y, x + SAMPLE - 6, y, self.colour, stroke_width=1.8,
                   stroke_dasharray=self.dash)  # fmt: skip
        if self.marker is not None:
            yield shape(self.marker, x + SAMPLE / 2 - 3, y, self.colour)
        yield label(self.shown, x + SAMPLE, y + 4, room=BROADEST)


def keys_placed(keys: Sequence[Key], left: float, right: float) -> Iterator[tuple[Key, float, int]]:
    """Every key, its left edge and its row; a single line without a name needs none."""
    x, row = left, 0
    for key in keys if len(keys) > 1 or any(key.name for key in keys) else ():
        if x > left and x + key.breadth > right:
            x, row = left, row + 1
        yield key, x, row
        x += key.breadth + GAP


def keys_drawn(keys: Sequence[Key], left: float, top: float, right: float) -> Iterator[str]:
    """The names one after the other, row by row."""
    for key, x, row in keys_placed(keys, left, right):
        yield from key.drawn(x, top + 6 + row * ROW)


def keys_height(keys: Sequence[Key], left: float, right: float) -> float:
    """The pixels that the names take under a chart."""
    return ROW * max((row + 1 for *_, row in keys_placed(keys, left, right)), default=0)
