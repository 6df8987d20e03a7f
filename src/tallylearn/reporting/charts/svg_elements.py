"""The SVG elements that charts are made of, and estimates of text width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from tallylearn.reporting.formatting import escape_html, printable_text

FONT_SIZE = 11  # pixels of a letter's height
INK, FAINT, GRID, PAPER = "#222222", "#595959", "#dddddd", "#ffffff"
# M. Okabe and K. Ito, Color Universal Design, 2008: told apart with any kind of colour vision.
# Their yellow is left out: on white it has a contrast of 1.3.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
# What a light colour becomes on a dark screen: as far from the dark sheet as it was from white.
DARK_COLOURS = {
    INK: "#ececec", FAINT: "#b4b4b4", GRID: "#3f3f3f", PAPER: "#1b1b1b",
    "#0072b2": "#5aa9f0", "#d55e00": "#ff8b3d", "#009e73": "#2ecc9b", "#cc79a7": "#eaa3cb",
    "#000000": "#f2f2f2", "#e69f00": "#ffc34d", "#56b4e9": "#8fd3ff",
    "#bbbbbb": "#5f5f5f", "#999999": "#8a8a8a", "#a84a00": "#ff9d5c",
}  # fmt: skip
SHADE, DARK_SHADE = "#56b4e9", "#0b5d8f"  # behind text: ink has a contrast of 6 and more on both
# Notebooks have a theme of their own, whatever the system's is.
LIGHT_NOTEBOOK = "[data-jp-theme-light=true] *,.vscode-light *"
DARK_NOTEBOOK = ":is([data-jp-theme-light=false],.vscode-dark)"
DASHES = ("", "7 3", "2 2", "9 3 2 3", "4 2 1 2 1 2")
SHAPES = (
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z",  # circle
    "M-3 -3H3V3H-3Z",
    "M0 -4L4 3H-4Z",
    "M0 -4.5L4 0L0 4.5L-4 0Z",
    "M0 4L4 -3H-4Z",
    "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5",  # cross
)
_NARROW = frozenset(" ijlIJ,.:;'/|\\ftr()[]!-")
_BROAD = frozenset("mwMW@%#+<=>~^&±×÷¬©®¼½¾æÆœŒ")


def tag(name: str, *inside: str, **attributes: object) -> str:
    """An element; what stands inside is SVG already, attributes are escaped here.

    >>> tag("line", x1=0, x2=2.5, stroke_width=1)
    '<line x1="0" x2="2.5" stroke-width="1"/>'
    """
    pairs = (
        f' {key.replace("_", "-")}="{format_attribute(v)}"'
        for key, v in attributes.items()
        if v != ""
    )
    head = f"<{name}{''.join(pairs)}"
    return f"{head}>{''.join(inside)}</{name}>" if inside else f"{head}/>"


def format_attribute(value: object) -> str:
    """A number to a hundredth of a pixel, anything else as escaped text."""
    if isinstance(value, int | float):
        return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")  # + 0.0: never -0
    return escape_html(value)


def dark_style(marks: str) -> str:
    """A style sheet that sets the colours of a picture on a dark screen.

    The attributes of the marks stay as they are, for programs that know no style sheets.
    """
    colours = [("", "fill", DARK_COLOURS[INK])]
    colours += [
        (f' [{part}="{light}"]', part, dark)
        for light, dark in DARK_COLOURS.items()
        for part in ("fill", "stroke")
        if f'{part}="{light}"' in marks
    ]
    if 'class="shade"' in marks:
        colours.append((" rect.shade", "fill", DARK_SHADE))

    def rules(plot: str) -> str:
        return "".join(f"{plot}{mark}{{{part}:{dark}}}" for mark, part, dark in colours)

    of_system = f".tally-plot:not({LIGHT_NOTEBOOK})"
    style = f"@media(prefers-color-scheme:dark){{{rules(of_system)}}}"
    return tag("style", style + rules(f"{DARK_NOTEBOOK} .tally-plot"))


def tooltip(content: object) -> str:
    """What a reader sees when the pointer rests on the element around it."""
    return tag("title", escape_html(content))


def label(
    content: object, x: float, y: float, *, room: float, size: int = FONT_SIZE, **attributes: object
) -> str:
    """A text in at most ``room`` pixels; the whole of it is in the tooltip where it is cut."""
    whole = printable_text(content)
    cut = shorten(whole, room, size)
    inside = [escape_html(cut)] if cut == whole else [tooltip(whole), escape_html(cut)]
    return tag("text", *inside, x=x, y=y, font_size=size, **attributes)


def upward_rotation(x: float, y: float) -> str:
    """The attribute ``transform`` of a text that reads upwards."""
    return f"rotate(-90 {format_attribute(x)} {format_attribute(y)})"


def line(x1: float, y1: float, x2: float, y2: float, stroke: str = INK, **more: object) -> str:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, **more)


def points_attribute(points: Iterable[tuple[float, float]]) -> str:
    """The attribute ``points`` of a polyline or a polygon."""
    return " ".join(f"{format_attribute(x)},{format_attribute(y)}" for x, y in points)


def marker(number: int, x: float, y: float, colour: str, solid: bool = False) -> str:
    """The marker of a series at a point: its outline on white, or filled with its colour."""
    return tag(
        "path",
        d=SHAPES[number % len(SHAPES)],
        transform=f"translate({format_attribute(x)} {format_attribute(y)})",
        fill=colour if solid else PAPER,
        stroke=colour,
        stroke_width=1.5,
    )


def text_extent(text: str, size: int = FONT_SIZE) -> float:
    """The pixels that a text takes: for DejaVu Sans, the broadest of the common fonts, or more."""
    return size * sum(map(_letter_width, text))


def shorten(text: str, room: float, size: int = FONT_SIZE) -> str:
    """The text, or its beginning and end: names of models differ in the end more often than not.

    >>> shorten("NaiveBayes(alpha=0.5, fit_prior=False)", 120)
    'NaiveBa…=False)'
    """
    if text_extent(text, size) <= room:
        return text
    kept = min(len(text) - 1, int(room / size / 0.42))
    while kept and text_extent(_shorten(text, kept), size) > room:
        kept -= 1
    return _shorten(text, kept)


def _shorten(text: str, kept: int) -> str:
    return f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"


def _letter_width(letter: str) -> float:
    """Ems, from the widths of DejaVu Sans; other scripts by their broadest letters."""
    if letter in _NARROW:
        return 0.42
    if letter in _BROAD:
        return 1.0
    if letter < "\u0250":
        return 0.8 if letter.isupper() else 0.66
    if unicodedata.combining(letter):
        return 0.0
    return 1.3 if unicodedata.east_asian_width(letter) in "WF" else 1.1
