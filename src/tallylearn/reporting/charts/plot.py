"""A plot: an SVG picture together with the numbers that it shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tallylearn.errors import FileError, as_path
from tallylearn.reporting.charts.svg_elements import INK, PAPER, dark_style, label, tag, tooltip
from tallylearn.reporting.charts.zoom_box import is_large, zoom_box
from tallylearn.reporting.page import PICTURE_STYLE, html_page
from tallylearn.runtime.atomic_write import write_whole

WIDTH, HEIGHT = 480.0, 360.0
TITLE_HEIGHT = 34.0  # pixels that the title takes
BOLD_FACTOR = 1.15  # how much broader bold letters are


@dataclass(frozen=True)
class Plot:
    """A chart: ``svg`` is the picture, ``data`` the numbers in it, as plain lists.

    The same numbers give the same bytes. A notebook shows the picture; ``save`` writes it.

    >>> from tallylearn.reporting.charts import draw_lines
    >>> plot = draw_lines({"test": ([10, 20, 40], [0.6, 0.8, 0.9])}, "Learning curve", "rows")
    >>> plot
    Plot(title='Learning curve')
    >>> plot.data["series"]["test"]["y"]
    [0.6, 0.8, 0.9]
    """

    title: str
    data: dict[str, Any] = field(repr=False)
    svg: str = field(repr=False)
    html: str = field(default="", repr=False)  # where a page offers more than the picture does

    def __str__(self) -> str:
        return self.svg

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.html or (zoom_box(self.svg) if is_large(self.svg) else self.svg)

    def save(self, path: str | Path) -> None:
        """Write the picture as an .svg file, or as an .html page; whole or not at all.

        In a page, as in a notebook, a picture larger than a screen can be moved and zoomed.
        """
        ending = as_path(path).suffix.lower()
        if ending not in (".svg", ".html"):
            raise FileError(
                f"save: {path} cannot be written, because a plot is saved as SVG or "
                "HTML. Use a name that ends in .svg or .html."
            )
        sheet = self.svg
        if ending == ".html":
            sheet = html_page(self.title, self._repr_html_(), PICTURE_STYLE) + "\n"
        write_whole(path, sheet.encode())


def make_plot(
    title: object, data: dict[str, Any], body: Iterable[str], width: float, height: float
) -> Plot:
    """Put the marks on a sheet under their title.

    The sheet has a background of its own: white, or dark where the reader's screen is dark.
    Programs that know no style sheets show it as it is on white.
    """
    name, marks = str(title) or "chart", "".join(body)
    heading = label(title, width / 2, 21, room=(width - 16) / BOLD_FACTOR, size=14,
                    text_anchor="middle", font_weight="bold")  # fmt: skip
    sheet = tag("rect", width=width, height=height, fill=PAPER)
    svg = tag(
        "svg", tooltip(name), sheet, dark_style(sheet + marks), heading, marks,
        xmlns="http://www.w3.org/2000/svg", width=width, height=height,
        viewBox=f"0 0 {width:g} {height:g}", role="img", aria_label=name,
        font_family="sans-serif", fill=INK,
        **{"class": "tally-plot"},
    )  # fmt: skip
    return Plot(str(title), data, svg + "\n")
