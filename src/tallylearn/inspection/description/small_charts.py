"""Small charts: a column's histogram or its most frequent values, and correlations as a map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isinf
from typing import Any

from tallylearn.inspection.description.described_columns import date
from tallylearn.inspection.description.description_text import location_text, readable
from tallylearn.reporting.charts.svg_elements import (
    COLOURS,
    FAINT,
    GRID,
    INK,
    dark_style,
    label,
    line,
    tag,
    text_extent,
    tooltip,
)
from tallylearn.reporting.formatting import printable_text

WIDTH, HEIGHT = 200.0, 44.0  # of a histogram's bars
ROW = 15.0  # pixels of a value
CELL = 34.0  # of a map
MOST_CELLS = 20
Found = Mapping[str, Any]


def histogram(column: Found) -> str:
    """Bars of equal width, the median as a line, the ends of the range below."""
    edges, counts = column["histogram"]["edges"], column["histogram"]["counts"]
    if not counts:
        return ""
    ends = {name: location_text(column, name) for name in ("min", "max")}
    low, high = edges[0], edges[-1]
    body = [
        *_bars(edges, counts, "dates" in column),
        line(0, HEIGHT + 0.5, WIDTH, HEIGHT + 0.5, GRID),
    ]
    if high > low and isinstance(column["median"], float) and low <= column["median"] <= high:
        x = _x_position(column["median"], low, high)
        mark = line(x, 0, x, HEIGHT, INK, stroke_width=1, stroke_dasharray="2 2")
        body.append(tag("g", tooltip(f"median {location_text(column, 'median')}"), mark))
    body += [
        label(ends["min"], 0, HEIGHT + 13, room=WIDTH / 2, size=10, fill=FAINT),
        label(ends["max"], WIDTH, HEIGHT + 13, room=WIDTH / 2, size=10, fill=FAINT,
              text_anchor="end"),
    ]  # fmt: skip
    return _sheet(f"histogram of {column['name']}", body, WIDTH, HEIGHT + 18)


def _bars(edges: Sequence[float], counts: Sequence[float], dates: bool) -> Iterator[str]:
    most, low, high = max(counts) or 1.0, edges[0], edges[-1]
    for at, count in enumerate(counts):
        if not count:
            continue
        left, right = edges[at], edges[at + 1]
        start, end = (
            (0.0, WIDTH) if high == low else (_x_position(e, low, high) for e in (left, right))
        )
        tall = max(HEIGHT * count / most, 1.0)  # one row among a million is still seen
        ends = (date(e) if dates else readable(e, high - low) for e in (left, right))
        yield tag("rect", tooltip(f"{' to '.join(ends)}: {count:,.10g}"), x=start,
                  y=HEIGHT - tall, width=max(end - start - 0.6, 0.6), height=tall,
                  fill=COLOURS[0])  # fmt: skip


def _x_position(value: float, low: float, high: float) -> float:
    if isinf(high - low):
        value, low, high = value / 2, low / 2, high / 2
    return WIDTH * ((value - low) / (high - low))


def values(column: Found) -> str:
    """A line for each of the most frequent values: its name over its bar, its share behind."""
    top, total = column.get("top") or [], column["count"]
    body = []
    for at, one in enumerate(top):
        share = one["count"] / total if total else 0.0
        y = at * ROW
        named, room = printable_text(one["value"]) or "''", WIDTH - 40
        bar = tag("rect", x=0, y=y + 1, width=max(room * share, 1.0), height=ROW - 3,
                  fill=COLOURS[6], fill_opacity=0.55)  # fmt: skip
        body.append(tag(
            "g", tooltip(f"{named}: {one['count']:,.10g}"), bar,
            label(named, 3, y + ROW - 4.5, room=room, size=10),
            label(f"{share:.1%}", WIDTH, y + ROW - 4.5, room=40, size=10, fill=FAINT,
                  text_anchor="end"),
        ))  # fmt: skip
    if not body:
        return ""
    return _sheet(f"most frequent values of {column['name']}", body, WIDTH, ROW * len(top) + 2)


def correlations(found: Found) -> str:
    """A map: Pearson's above the diagonal, Spearman's below; blue together, orange against."""
    names = found["columns"][:MOST_CELLS]
    left = 12 + min(max(text_extent(printable_text(name)) for name in names), 140.0)
    top = left * 0.75 + 8
    body = []
    for i, name in enumerate(names):
        middle = (i + 0.5) * CELL
        body.append(label(name, left - 6, top + middle + 4, room=140, text_anchor="end"))
        x = left + middle + 4
        body.append(
            label(name, x, top - 6, room=top / 0.72, transform=f"rotate(-48 {x:.1f} {top - 6:.1f})")
        )
        for j in range(len(names)):
            body += _cell(found, names, i=i, j=j, left=left, top=top)
    size = len(names) * CELL
    return _sheet("correlations", body, left + size + 0.7 * top, top + size + 4)


def _cell(found: Found, names: Sequence[str], i: int, j: int, left: float, top: float) -> list[str]:
    kind = "pearson" if j > i else "spearman"
    r = found[kind][i][j]
    if i == j or r is None:
        return []
    x, y = left + j * CELL, top + i * CELL
    said = f"{names[i]} and {names[j]}: {r:z.4f} ({kind.capitalize()})"
    return [tag(
        "g", tooltip(said),
        tag("rect", x=x + 1, y=y + 1, width=CELL - 2, height=CELL - 2, rx=3,
            fill=COLOURS[0] if r > 0 else COLOURS[1], fill_opacity=0.04 + 0.66 * abs(r)),
        label(f"{r:z.2f}", x + CELL / 2, y + CELL / 2 + 4, room=CELL, text_anchor="middle"),
    )]  # fmt: skip


def _sheet(name: str, body: Sequence[str], width: float, height: float) -> str:
    return tag(
        "svg", tooltip(name), *body, dark_style("".join(body)), xmlns="http://www.w3.org/2000/svg",
        width=width, height=height, viewBox=f"0 0 {width:.2f} {height:.2f}", role="img",
        aria_label=name,
        font_family="system-ui, sans-serif", fill=INK, **{"class": "tally-plot"},
    )  # fmt: skip
