"""The picture of an additive model: a small chart for every curve and pair, on one page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.models.boosting.additive_model import AdditiveModel, ColumnCurve, PairTable
from tallylearn.reporting.charts.axis_scale import AxisScale
from tallylearn.reporting.charts.legend import LegendKey, draw_keys, legend_height
from tallylearn.reporting.charts.plot import TITLE_HEIGHT, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import (
    COLOURS,
    FAINT,
    GRID,
    INK,
    format_attribute,
    label,
    line,
    marker,
    points_attribute,
    tag,
    tooltip,
    upward_rotation,
)
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import CATEGORY, DATE, Array, Schema
from tallylearn.workings.units import value_formatter

PANEL_WIDTH, PANEL_HEIGHT, PANELS_A_ROW = 244.0, 216.0, 3
LEFT, RIGHT, TOP, BOTTOM = 44.0, 22.0, 26.0, 64.0  # of a panel, around its frame
MAX_PANELS = 60
MAX_CATEGORIES = 16  # bars of a panel
NAME_ROOM = 58.0  # pixels of a category's name, upright
BAND_OPACITY, FULL_OPACITY = 0.22, 0.85
NOTE_HEIGHT = 17.0
MISSING_SHAPE = 1  # a square


@dataclass(frozen=True)
class PanelFrame:
    """Where the frame of a panel is."""

    left: float
    top: float

    @property
    def right(self) -> float:
        return self.left + PANEL_WIDTH - LEFT - RIGHT

    @property
    def bottom(self) -> float:
        return self.top + PANEL_HEIGHT - TOP - BOTTOM


def plot_curves(model: AdditiveModel, schema: Schema, title: str) -> Plot:
    """Draw every curve with its band, and every pair as shades, the largest term first.

    All curves have one vertical scale, so that their sizes compare.
    """
    p = len(model.columns)
    order = [t for t in np.argsort(-model.importances, kind="stable").tolist()
             if model.importances[t] > 0]  # fmt: skip
    shown, flat = order[:MAX_PANELS], p + len(model.pairs) - len(order)
    curves = {t: model.curve(t, schema) for t in shown if t < p}
    ends = [
        np.concatenate([curve.lower[:, seen].ravel(), curve.upper[:, seen].ravel()])
        for curve in curves.values()
        if (seen := curve.rows > 0).any()
    ]
    heights = np.concatenate([np.zeros(1), *ends])
    top = float(np.abs(model.pair_values).max(initial=0.0))
    body, data = [], []
    for at, t in enumerate(shown):
        row, column = divmod(at, PANELS_A_ROW)
        frame = PanelFrame(column * PANEL_WIDTH + LEFT + 6, TITLE_HEIGHT + row * PANEL_HEIGHT + TOP)
        body.append(label(model.term_name(t), (frame.left + frame.right) / 2, frame.top - 8,
                          room=PANEL_WIDTH - 16, size=12, text_anchor="middle"))  # fmt: skip
        if t < p:
            upwards = AxisScale.of(heights, frame.bottom, frame.top)
            body += _draw_curve(curves[t], model, t, frame, upwards=upwards, schema=schema)
            data.append(_curve_data(curves[t]))
        else:
            pair = model.pair(t - p, schema)
            own = int(np.argmax(np.ptp(pair.values, axis=(1, 2))))
            if model.outputs > 1:
                body.append(label(model.classes[own], frame.right, frame.bottom + 44, room=110,
                                  size=10, text_anchor="end",
                                  fill=COLOURS[own % len(COLOURS)]))  # fmt: skip
            body += _draw_pair(pair, own, frame, top)
            data.append(_pair_data(pair))
    rows = -(-len(shown) // PANELS_A_ROW)
    width = PANEL_WIDTH * min(PANELS_A_ROW, max(len(shown), 2)) + 10
    under = TITLE_HEIGHT + rows * PANEL_HEIGHT + 4
    keys = _keys(model)
    body += draw_keys(keys, 12, under, width - 8)
    under += legend_height(keys, 12, width - 8)
    for note in _notes(model, len(order) - len(shown), flat):
        body.append(label(note, 12, under + 12, room=width - 20, fill=FAINT))
        under += NOTE_HEIGHT
    return make_plot(title, {"terms": data, "intercept": model.intercept.tolist()}, body, width,
                     under + 8)  # fmt: skip


def _keys(model: AdditiveModel) -> list[LegendKey]:
    if model.outputs == 1:
        return []
    return [LegendKey(str(name), COLOURS[c % len(COLOURS)]) for c, name in enumerate(model.classes)]


def _notes(model: AdditiveModel, more: int, flat: int) -> Iterator[str]:
    unit = "the prediction"
    if model.classes:
        unit = f"the log odds of {model.classes[1]}" if model.outputs == 1 else "the scores"
    yield f"A value is what a column adds to {unit}. □: missing values."
    yield "Band: 1.96 standard deviations of the bags to each side."
    if len(model.pairs):
        yield "Pairs: orange adds, blue takes away; the fuller, the more."
        if model.outputs > 1:
            yield "Of a pair the class is drawn whose score it changes most."
    if more:
        yield f"{more} smaller terms are not drawn."
    if flat:
        yield "1 column adds nothing." if flat == 1 else f"{flat} columns add nothing."


def _draw_curve(
    curve: ColumnCurve,
    model: AdditiveModel,
    j: int,
    frame: PanelFrame,
    upwards: AxisScale,
    schema: Schema,
) -> Iterator[str]:
    for y, text in upwards.labelled_ticks():
        yield line(frame.left, y, frame.right, y, GRID)
        yield label(text, frame.left - 5, y + 4, room=LEFT, size=10, text_anchor="end", fill=FAINT)
    zero = float(upwards.pixels([0.0])[0])
    yield line(frame.left, zero, frame.right, zero, FAINT)
    if model.columns[j].kind == CATEGORY:
        yield from _draw_categories(curve, model.n_bins(j), frame, upwards)
    else:
        dates = model.columns[j].kind == DATE
        yield from _draw_numbers(curve, model.n_bins(j), frame, upwards, schema if dates else None)


def _draw_numbers(
    curve: ColumnCurve, bins: int, frame: PanelFrame, upwards: AxisScale, dates: Schema | None
) -> Iterator[str]:
    """Steps of a number, their band, and the missing values to the right of the frame."""
    edges = curve.edges if len(curve.edges) else np.zeros(1)
    across = AxisScale.of(edges, frame.left, frame.right)
    if len(edges) > 1:  # the axis ends where the steps do
        low, high = float(edges[0]), float(edges[-1])
        margin = (high - low) * 0.04
        ticks = tuple(t for t in across.ticks if low - margin <= float(t) <= high + margin)
        ends = low - margin, high + margin
    else:
        ticks, ends = across.ticks, (float(across.ticks[0]), float(across.ticks[-1]))

    def pixel(x: Array) -> Array:
        share = (np.asarray(x, dtype=float) - ends[0]) / (ends[1] - ends[0])
        return np.asarray(frame.left + share * (frame.right - frame.left))

    texts = [f"{tick:f}" for tick in ticks]
    if dates is not None:
        told = value_formatter(dates, digits=4)
        places, texts = edges[[0, -1]], [told(curve.column, float(x))[:10] for x in edges[[0, -1]]]
    else:
        places = np.array([float(tick) for tick in ticks])
    free = -1e9
    for x, text in zip(pixel(places).tolist(), texts, strict=True):
        yield line(x, frame.bottom, x, frame.bottom + 4, FAINT)
        half = 3.4 * len(text)
        middle = min(max(x, frame.left + half - 20), frame.right - half + 18)
        if middle - half >= free:
            yield label(text, middle, frame.bottom + 16, room=1e3, size=10, text_anchor="middle",
                        fill=FAINT)  # fmt: skip
            free = middle + half + 6
    x = np.concatenate([[ends[0]], np.repeat(curve.edges, 2), [ends[1]]])
    left = pixel(x)
    for c, values in enumerate(curve.values):
        colour = COLOURS[c % len(COLOURS)]
        heights = [upwards.pixels(np.repeat(of[c][:bins], 2)) for of in (curve.lower, curve.upper)]
        around = [*zip(left.tolist(), heights[1].tolist(), strict=True),
                  *reversed([*zip(left.tolist(), heights[0].tolist(), strict=True)])]  # fmt: skip
        yield tag("polygon", points=points_attribute(around), fill=colour,
                  fill_opacity=BAND_OPACITY)  # fmt: skip
        tops = upwards.pixels(np.repeat(values[:bins], 2)).tolist()
        yield tag("polyline", points=points_attribute(zip(left.tolist(), tops, strict=True)),
                  fill="none", stroke=colour, stroke_width=1.6,
                  stroke_linejoin="round")  # fmt: skip
        if curve.rows[bins] > 0:
            y = float(upwards.pixels([values[bins]])[0])
            text = f"missing: {format_number(float(values[bins]))}"
            yield tag("g", tooltip(text),
                      marker(MISSING_SHAPE, frame.right + 10, y, colour))  # fmt: skip


def _draw_categories(
    curve: ColumnCurve, bins: int, frame: PanelFrame, upwards: AxisScale
) -> Iterator[str]:
    """Values of the categories with the most rows, with their bands; missing values last."""
    order = np.argsort(-curve.rows[:bins], kind="stable")[:MAX_CATEGORIES]
    chosen = [*sorted(order.tolist()), *([bins] if curve.rows[bins] > 0 else [])]
    slot = (frame.right - frame.left) / max(len(chosen), 1)
    k = len(curve.values)
    for at, b in enumerate(chosen):
        middle = frame.left + (at + 0.5) * slot
        for c in range(k):
            x = middle + (c - (k - 1) / 2) * min(slot / (k + 1), 10)
            colour = COLOURS[c % len(COLOURS)]
            low, high, y = upwards.pixels(
                [curve.lower[c, b], curve.upper[c, b], curve.values[c, b]]
            ).tolist()
            text = f"{curve.labels[b]}: {format_number(float(curve.values[c, b]))}"
            dot = marker(MISSING_SHAPE if b == bins else 0, x, y, colour, b != bins)
            yield tag("g", tooltip(text), line(x, low, x, high, colour, stroke_width=5,
                      stroke_opacity=BAND_OPACITY * 2), dot)  # fmt: skip
        yield label(curve.labels[b], middle + 4, frame.bottom + 8, room=NAME_ROOM, size=10,
                    text_anchor="end", fill=FAINT,
                    transform=upward_rotation(middle + 4, frame.bottom + 8))  # fmt: skip
    if bins > MAX_CATEGORIES:
        yield label(f"and {bins - MAX_CATEGORIES} more", frame.right, frame.top + 10, room=100,
                    size=10, text_anchor="end", fill=FAINT)  # fmt: skip


def _draw_pair(pair: PairTable, own: int, frame: PanelFrame, top: float) -> Iterator[str]:
    """The cells of one output, filled by value: one colour for more, one for less."""
    seen = [pair.rows.sum(axis=axis) > 0 for axis in (1, 0)]
    down, across = (np.flatnonzero(one).tolist() for one in seen)
    width = (frame.right - frame.left) / max(len(down), 1)
    height = (frame.bottom - frame.top) / max(len(across), 1)
    for i, a in enumerate(down):
        for j, b in enumerate(across):
            value = float(pair.values[own, a, b])
            shade = abs(value) / top * FULL_OPACITY if top > 0 else 0.0
            if shade < 0.004:
                continue
            text = f"{pair.labels[0][a]} × {pair.labels[1][b]}: {format_number(value)}"
            yield tag("rect", tooltip(text), x=frame.left + i * width,
                      y=frame.bottom - (j + 1) * height, width=width, height=height,
                      fill=COLOURS[1] if value > 0 else COLOURS[0],
                      fill_opacity=format_attribute(shade))  # fmt: skip
    yield tag("rect", x=frame.left, y=frame.top, width=frame.right - frame.left,
              height=frame.bottom - frame.top, fill="none", stroke=FAINT)  # fmt: skip
    room = (frame.right - frame.left) / 2 - 4
    for at, anchor, x in ((down[0], "start", frame.left), (down[-1], "end", frame.right)):
        yield label(pair.labels[0][at], x, frame.bottom + 15, room=room, size=10,
                    text_anchor=anchor, fill=FAINT)  # fmt: skip
    yield label(pair.columns[0], (frame.left + frame.right) / 2, frame.bottom + 30,
                room=PANEL_WIDTH - LEFT, size=10, text_anchor="middle", fill=INK)  # fmt: skip
    room = (frame.bottom - frame.top) / 2 - 4
    for at, anchor, y in (
        (across[0], "start", frame.bottom), (across[-1], "end", frame.top),
    ):  # fmt: skip
        yield label(pair.labels[1][at], frame.left - 6, y, room=room, size=10, text_anchor=anchor,
                    fill=FAINT, transform=upward_rotation(frame.left - 6, y))  # fmt: skip
    middle = (frame.top + frame.bottom) / 2
    yield label(pair.columns[1], frame.left - 20, middle, room=frame.bottom - frame.top, size=10,
                text_anchor="middle", fill=INK,
                transform=upward_rotation(frame.left - 20, middle))  # fmt: skip


def _curve_data(curve: ColumnCurve) -> dict[str, Any]:
    return {
        "columns": [curve.column], "labels": [*curve.labels], "edges": curve.edges.tolist(),
        "values": curve.values.tolist(), "lower": curve.lower.tolist(),
        "upper": curve.upper.tolist(), "rows": curve.rows.tolist(),
    }  # fmt: skip


def _pair_data(pair: PairTable) -> dict[str, Any]:
    return {
        "columns": [*pair.columns], "labels": [[*names] for names in pair.labels],
        "values": pair.values.tolist(), "lower": pair.lower.tolist(), "upper": pair.upper.tolist(),
        "rows": pair.rows.tolist(),
    }  # fmt: skip
