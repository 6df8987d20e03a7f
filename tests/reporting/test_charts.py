"""Plots put every number where it belongs, keep every text on the sheet, and never break."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from math import inf, nan
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallylearn.errors import FileError, OptionError
from tallylearn.reporting.charts import (
    Plot,
    draw_classes,
    draw_intervals,
    draw_lines,
    draw_matrix,
    draw_points,
    draw_ranks,
    redraw_chart,
)
from tallylearn.reporting.charts.axis_scale import (
    MAX_INTERVALS,
    AxisScale,
    linear_ticks,
    log_ticks,
    tick_labels,
)
from tallylearn.reporting.charts.line_chart import MAX_POINTS, STRIPS, decimate_line
from tallylearn.reporting.charts.plot import BOLD_FACTOR
from tallylearn.reporting.charts.svg_elements import (
    COLOURS,
    DARK_COLOURS,
    DARK_SHADE,
    FAINT,
    INK,
    PAPER,
    SHADE,
    SHAPES,
    format_attribute,
    shorten,
    text_extent,
)

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>alert(1)</script>", "x" * 5000, "🌲🌳🎄" * 40, "", "a\nb\x00\ud800", "&amp;\"'",
           "W" * 60, "Жук " * 20, "決定木" * 20, "e\u0301" * 50]  # fmt: skip


def sheet(plot: Plot) -> ET.Element:
    """The picture, read back: well formed, sound all text inside, a function of its data."""
    root = ET.fromstring(plot.svg)
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert root[0].tag == f"{SVG}title"
    assert root[0].text
    assert root[1].attrib["fill"] == "#ffffff"
    values = [v for e in root.iter() for k, v in e.attrib.items() if k != "aria-label"]
    assert not [v for v in values if re.search(r"\b(nan|inf)\b", v, re.I)]
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    assert root.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
    for box in boxes(root).values():
        assert 0 <= box[0] < box[2] <= width
        assert 0 <= box[1] < box[3] <= height
    assert redraw_chart(json.loads(json.dumps(plot.data, allow_nan=False))) == plot
    return root


def said(text: ET.Element) -> str:
    """What a text shows; the tooltip inside it is not part of that."""
    return (text.text or "") + "".join(child.tail or "" for child in text)


def boxes(root: ET.Element) -> dict[ET.Element, tuple[float, float, float, float]]:
    """The box around every text, from how broad its letters can be."""
    found = {}
    for text in root.iter(f"{SVG}text"):
        x, y, size = (float(text.attrib[name]) for name in ("x", "y", "font-size"))
        broad = text_extent(said(text), int(size)) * (BOLD_FACTOR if text.get("font-weight") else 1)
        start = {"middle": broad / 2, "end": broad}.get(text.get("text-anchor", ""), 0.0)
        box = -start, -0.8 * size, broad - start, 0.25 * size
        if text.get("transform"):
            assert (
                text.attrib["transform"]
                == f"rotate(-90 {format_attribute(x)} {format_attribute(y)})"
            )
            box = box[1], -box[2], box[3], -box[0]
        if broad:
            found[text] = x + box[0], y + box[1], x + box[2], y + box[3]
    return found


def no_texts_overlap(root: ET.Element) -> bool:
    return all(
        a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        for a, b in combinations(boxes(root).values(), 2)
    )


def texts(root: ET.Element) -> list[str]:
    return [said(text) for text in root.iter(f"{SVG}text")]


def points(element: ET.Element) -> list[tuple[float, float]]:
    pairs = (pair.split(",") for pair in element.attrib["points"].split())
    return [(float(x), float(y)) for x, y in pairs]


def markers(element: ET.Element) -> list[tuple[float, float]]:
    moves = [path.get("transform", "") for path in element.iter(f"{SVG}path")]
    found = [re.fullmatch(r"translate\((\S+) (\S+)\)", move) for move in moves]
    return [(float(m[1]), float(m[2])) for m in found if m]


def place_of(root: ET.Element, number: str, side: str) -> float:
    """The pixel of a tick by its label: x of those below the chart, y of those beside it."""
    anchor = {"x": "middle", "y": "end"}[side]
    [tick] = [t for t in root.iter(f"{SVG}text")
              if said(t) == number and t.get("text-anchor") == anchor]  # fmt: skip
    return float(tick.attrib[side]) - (4 if side == "y" else 0)


FOLDS = ("tree", 0.8, 0.7, 0.9, [0.72, 0.8, 0.88])
DRAWINGS = {
    "lines": lambda name: draw_lines(
        {name: ([0, 1, 2], [3, 4, 6]), "other": ([0, 2], [1, 2], [0, 1], [2, 3])}, name, name, name,
        diagonal=name),
    "points": lambda name: draw_points([1, 2, 2], [3, 4, 6], name, name, name, diagonal=name),
    "matrix": lambda name: draw_matrix(
        [[3, 2], [1, 8]], [name, "yes"], [name, "yes"], name, name, name),
    "intervals": lambda name: draw_intervals(
        [(name, *FOLDS[1:]), FOLDS], name, name, baseline=(name, 0.75)),
    "classes": lambda name: draw_classes(
        {name: ([1, 2], [3, 4]), "other": ([2, 4], [1, 1])}, {name: (-5, 1, 1)}, name, name, name),
    "ranks": lambda name: draw_ranks([name, "b", "c", name], [1.5, 2.0, 3.0, 3.5], 1.1, name),
}  # fmt: skip


@pytest.mark.parametrize("kind", DRAWINGS)
@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_is_text_on_the_sheet_and_nothing_else(kind: str, name: str) -> None:
    plot = DRAWINGS[kind](name)
    root = sheet(plot)
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
        "svg", "title", "style", "rect", "text", "line", "g", "path", "polyline", "polygon",
        "circle",
    }  # fmt: skip
    assert "script" not in {e.tag.removeprefix(SVG) for e in root.iter()}
    assert plot.svg.encode()


@pytest.mark.parametrize("kind", DRAWINGS)
def test_the_same_numbers_give_the_same_bytes(kind: str) -> None:
    one, two = DRAWINGS[kind]("a"), DRAWINGS[kind]("a")
    assert one == two
    assert str(one) == one.svg == one._repr_svg_() == one._repr_html_()
    assert one.svg != DRAWINGS[kind]("b").svg
    assert not re.search(r'\bid="', one.svg)  # two pictures in a page never meet
    assert repr(one) == "Plot(title='a')"


@pytest.mark.parametrize("kind", DRAWINGS)
def test_the_texts_of_an_ordinary_chart_do_not_overlap(kind: str) -> None:
    assert no_texts_overlap(sheet(DRAWINGS[kind]("naive Bayes")))


def test_a_long_name_is_cut_and_whole_in_the_tooltip() -> None:
    name = "NaiveBayes(alpha=0.5)" * 9
    root = sheet(draw_intervals([(name, 1, 0, 2)], "t"))
    cut = [t for t in root.iter(f"{SVG}text") if "…" in said(t)]
    assert [t.findtext(f"{SVG}title") for t in cut] == [name]
    assert said(cut[0]).startswith("Naive")
    assert said(cut[0]).endswith("0.5)")


@given(st.text(max_size=60), st.floats(20, 300))
def test_a_shortened_text_fits_and_keeps_both_ends(text: str, room: float) -> None:
    cut = shorten(text, room)
    assert cut == text if text_extent(text) <= room else text_extent(cut) <= room
    head, _, tail = cut.rpartition("…") if cut != text else (cut, "", "")
    assert text.startswith(head)
    assert text.endswith(tail)


numbers = st.floats(-1e300, 1e300)


@given(numbers, numbers)
def test_ticks_are_round_cover_the_range_and_are_few(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    found = linear_ticks(low, high)
    assert 3 <= len(found) <= MAX_INTERVALS + 1 <= 11
    assert float(found[0]) <= low <= high <= float(found[-1])
    steps = {Fraction(right) - Fraction(left) for left, right in pairwise(found)}
    assert len(steps) == 1
    digits = Decimal(found[1] - found[0]).normalize().as_tuple().digits
    assert digits in {(1,), (2,), (5,)}
    assert all((Fraction(tick) / steps.copy().pop()).denominator == 1 for tick in found)
    assert len({*map(float, found)}) == len({*tick_labels(found)}) == len(found)


@given(st.floats(1e-300, 1e300), st.floats(1e-300, 1e300))
def test_logarithmic_ticks_cover_the_range_too(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    found = log_ticks(low, high)
    assert 3 <= len(found) <= 11
    assert 0 < float(found[0]) <= low <= high <= float(found[-1])
    assert all(left < right for left, right in pairwise(found))
    assert len({*tick_labels(found)}) == len(found)


@given(numbers, numbers, st.floats(0, 1))
def test_words_of_ticks_are_their_values(a: float, b: float, share: float) -> None:
    found = linear_ticks(min(a, b), max(a, b))
    assert [Decimal(word) for word in tick_labels(found)] == found


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"), (0.3, 0.7, "0.30 0.35 0.40 0.45 0.50 0.55 0.60 0.65 0.70"),
     (-1e9, 1e9, "-1e9 -5e8 0 5e8 1e9"), (0.1, 0.1, "0.04 0.06 0.08 0.10 0.12 0.14 0.16"),
     (0, 0, "-0.6 -0.4 -0.2 0.0 0.2 0.4 0.6"), (5e-324, 0, "-0.6 -0.4 -0.2 0.0 0.2 0.4 0.6")],
)  # fmt: skip
def test_ticks_read_as_a_hand_would_write_them(low: float, high: float, expected: str) -> None:
    assert " ".join(tick_labels(linear_ticks(low, high))) == expected


def test_a_known_point_lies_where_the_ticks_say() -> None:
    root = sheet(draw_lines({"a": ([0, 5, 10], [0, 0.2, 1.0])}, "t", "x", "y"))
    [line] = root.iter(f"{SVG}polyline")
    x, y = {n: place_of(root, n, "x") for n in ("0", "10")}, place_of(root, "0.2", "y")
    assert points(line) == markers(root)[:3]
    assert points(line)[1] == pytest.approx(((x["0"] + x["10"]) / 2, y), abs=0.01)
    assert points(line)[0] == pytest.approx((x["0"], place_of(root, "0.0", "y")), abs=0.01)
    assert points(line)[2] == pytest.approx((x["10"], place_of(root, "1.0", "y")), abs=0.01)


def test_equal_ratios_are_equally_far_apart_on_a_logarithmic_axis() -> None:
    root = sheet(draw_lines({"a": ([1, 10, 100, 1000], [1, 2, 3, 4])}, "t", log_x=True))
    [line] = root.iter(f"{SVG}polyline")
    xs = [x for x, _ in points(line)]
    assert np.diff(xs) == pytest.approx(np.full(3, (xs[3] - xs[0]) / 3), abs=0.02)
    assert xs[2] == pytest.approx(place_of(root, "100", "x"), abs=0.01)


def test_a_band_goes_along_its_low_edge_and_back_along_the_high_one() -> None:
    plot = draw_lines({"a": ([0, 1], [2, 3], [1, 2], [4, 5])}, "t", y_range=(0, 5))
    root = sheet(plot)
    [band] = root.iter(f"{SVG}polygon")
    y = {n: place_of(root, str(n), "y") for n in range(1, 6)}
    x = [place_of(root, n, "x") for n in ("0.0", "1.0")]
    assert [p[0] for p in points(band)] == pytest.approx([*x, *x[::-1]], abs=0.01)
    assert [p[1] for p in points(band)] == pytest.approx([y[1], y[2], y[5], y[4]], abs=0.01)
    assert plot.data["series"]["a"] == {"x": [0, 1], "y": [2, 3], "low": [1, 2], "high": [4, 5]}


def test_the_diagonal_is_where_x_is_y() -> None:
    root = sheet(draw_lines({"a": ([0, 1], [0, 2])}, "t", diagonal="chance"))
    [line] = [e for e in root if e.tag == f"{SVG}line" and e.get("stroke-dasharray") == "4 4"
              and float(e.attrib["y1"]) != float(e.attrib["y2"])]  # fmt: skip
    ends = [float(line.attrib[key]) for key in ("x1", "y1", "x2", "y2")]
    expected = [place_of(root, n, side) for n in ("0.0", "1.0") for side in ("x", "y")]
    assert ends == pytest.approx(expected, abs=0.01)
    assert "chance" in texts(root)


@pytest.mark.parametrize("count", [2, 9, 30])
@pytest.mark.parametrize("n", [5, 400])
def test_every_line_is_told_apart_without_its_colour(count: int, n: int) -> None:
    series = {f"model {i}": (range(n), np.full(n, i)) for i in range(count)}
    root = sheet(draw_lines(series, "t"))
    looks = set()
    for group in root.iter(f"{SVG}g"):
        line = group.find(f"{SVG}polyline")
        assert line is not None
        shapes = {path.attrib["d"] for path in group.iter(f"{SVG}path")}
        looks.add((line.get("stroke-dasharray"), *shapes))
    assert len(looks) == count
    assert no_texts_overlap(root)
    assert [t for t in texts(root) if t.startswith("model")] == [*series]


@pytest.mark.parametrize(
    ("x", "y"),
    [([3], [0.5]), ([0, 1], [7, 7]), ([2, 2], [0, 1]), ([0, 0], [0, 0]), ([-5, -1], [-9, -8]),
     ([-1e300, 1e300], [-1e300, 1e300]), ([1e9, 1e9 + 3], [1e12 + 1, 1e12 + 9000]),
     ([0, 1e-305], [1e-300, 1e-299]), ([123456789, 123456790], [0.1, 0.1 + 1e-9]),
     ([Fraction(1, 3), 1], [True, False]), (np.arange(3), np.float32([1, 2, 3])),
     (pd.Series([1, 2], index=[7, 9]), pl.Series([0.5, 1]))],
)  # fmt: skip
def test_any_finite_numbers_can_be_drawn(x: Any, y: Any) -> None:
    root = sheet(draw_lines({"a": (x, y)}, "t", "x", "y"))
    assert no_texts_overlap(root)
    width, height = 480, 360
    assert all(0 < px < width and 0 < py < height for px, py in markers(root)[: len(x)])
    assert len(markers(root)) == len(x) + 1  # and the one beside the name


def rastered(x: np.ndarray, y: np.ndarray, strips: np.ndarray) -> np.ndarray:
    """What a line covers: the first, lowest, highest and last height in every strip."""
    groups = [y[strips == s] for s in np.unique(strips)]
    return np.array([(g[0], g.min(), g.max(), g[-1]) for g in groups])


def test_many_points_become_few_without_changing_the_outline() -> None:
    rng = np.random.default_rng(5)
    n = 250_000
    x, y = np.sort(rng.random(n)), rng.normal(size=n).cumsum()
    y[123_456] = 1e4
    plot = draw_lines({"walk": (x, y, y - 1, y + rng.random(n))}, "t")
    assert len(sheet(plot).find(f".//{SVG}polyline").attrib["points"]) < 120_000
    drawn = plot.data["series"]["walk"]
    assert len(drawn["x"]) <= 8 * (STRIPS + 1)
    at = np.searchsorted(x, drawn["x"])
    assert (x[at] == drawn["x"]).all()
    assert (y[at] == drawn["y"]).all()
    strips = ((x - x[0]) * (STRIPS / (x[-1] - x[0]))).astype(int)
    assert (rastered(x[at], y[at], strips[at]) == rastered(x, y, strips)).all()
    assert max(drawn["high"]) > 1e4


@given(st.integers(MAX_POINTS + 1, MAX_POINTS + 3000), st.integers(0, 9))
def test_thinning_keeps_the_outline_of_uneven_and_repeated_x(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.integers(0, rng.integers(1, 5000), n)).astype(float)
    y = rng.integers(-3, 3, n).astype(float)
    at = decimate_line(x, y)
    strips = ((x - x[0]) * (STRIPS / max(x[-1] - x[0], 1e-9))).astype(int)
    assert (np.diff(at) > 0).all()
    assert (rastered(x[at], y[at], strips[at]) == rastered(x, y, strips)).all()


def test_few_points_are_all_drawn() -> None:
    assert (
        decimate_line(np.arange(MAX_POINTS * 1.0), np.zeros(MAX_POINTS)) == np.arange(MAX_POINTS)
    ).all()


def test_a_matrix_shows_counts_and_shares_of_the_row() -> None:
    plot = draw_matrix([[3, 2], [0, 8], [0, 0]], "abc", ["no", "yes"], "t")
    cells = [[said(t) for t in g.iter(f"{SVG}text")] for g in sheet(plot).iter(f"{SVG}g")]
    assert cells == [["3", "60 %"], ["2", "40 %"], ["0", "0 %"], ["8", "100 %"], ["0"], ["0"]]
    assert plot.data["shares"] == [[0.6, 0.4], [0.0, 1.0], [None, None]]
    assert plot.data["counts"] == [[3, 2], [0, 8], [0, 0]]
    assert plot.data["rows"] == ["a", "b", "c"]


def contrast(colour: str, other: str) -> float:
    """W3C, WCAG 2: 4.5 is asked of text, 7 of text for everybody."""
    lights = []
    for part in (colour, other):
        c = np.array([*bytes.fromhex(part[1:])]) / 255
        linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        lights.append(float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05)
    return max(lights) / min(lights)


def test_the_shade_grows_with_the_share_and_text_is_read_on_the_darkest() -> None:
    root = sheet(draw_matrix([[0, 1, 9], [0, 5, 5]], "ab", "xyz", "t"))
    cells = [e for g in root.iter(f"{SVG}g") for e in g.iter(f"{SVG}rect")]
    assert {cell.attrib["fill"] for cell in cells} == {SHADE}
    shares = [float(cell.attrib["fill-opacity"]) for cell in cells]
    assert shares == [0, 0.1, 0.9, 0, 0.5, 0.5]
    assert contrast(SHADE, INK) > 4.5 < contrast(FAINT, PAPER)
    assert contrast(DARK_SHADE, DARK_COLOURS[INK]) > 4.5


def test_every_colour_has_a_dark_one_that_is_seen_as_well() -> None:
    sheet_colour = DARK_COLOURS[PAPER]
    for colour in (INK, FAINT, *COLOURS):
        dark = DARK_COLOURS[colour]
        assert contrast(dark, sheet_colour) >= min(4.5, contrast(colour, PAPER)), colour
    assert len({*DARK_COLOURS.values()}) == len(DARK_COLOURS)
    plot = draw_lines({"a": ([0, 1], [0, 1])}, "t")
    [style] = sheet(plot).iter(f"{SVG}style")
    assert "prefers-color-scheme:dark" in str(style.text)
    assert f'[stroke="{COLOURS[0]}"]{{stroke:{DARK_COLOURS[COLOURS[0]]}}}' in str(style.text)


def test_the_legend_shows_the_marker_of_every_class_in_its_colour() -> None:
    root = sheet(draw_classes({"a": ([1, 2], [3, 4]), "b": ([2], [1])}, {"a | b": (-5, 1, 1)}, "t"))
    found = [(e.attrib["d"], e.attrib["stroke"]) for e in root.iter(f"{SVG}path")]
    assert found.count((SHAPES[0], COLOURS[0])) == 2 + 1  # the rows, and the legend
    assert found.count((SHAPES[1], COLOURS[1])) == 1 + 1


@pytest.mark.parametrize("scale", [1, 1e3, 1e6, 1e14, 1e200, 0.37])
@pytest.mark.parametrize("k", [1, 2, 16, 17, 30])
def test_a_matrix_of_any_size_is_readable_and_loses_no_count(k: int, scale: float) -> None:
    counts = np.random.default_rng(k).integers(0, 99, (k, k)) * scale
    names = [f"class number {i}" for i in range(k)]
    plot = draw_matrix(counts, names, names, "t")
    root = sheet(plot)
    assert no_texts_overlap(root)
    drawn = np.array(plot.data["counts"], dtype=float)
    assert drawn.sum() == pytest.approx(counts.sum(), rel=1e-12)
    assert len(drawn) == min(k, 16)
    assert plot.data["rows"] == plot.data["columns"]
    assert ("added up" in plot.svg) == (k > 16)


def test_the_largest_classes_are_kept_in_their_order() -> None:
    counts = np.diag([1.0] * 5 + [9.0] * 15)
    plot = draw_matrix(counts, range(20), range(20), "t")
    assert plot.data["rows"] == [*map(str, range(5, 20)), "5 others"]
    assert plot.data["counts"][-1] == [0] * 15 + [5]
    assert "5 others of 20 rows are added up." in texts(sheet(plot))


def test_rows_and_columns_may_differ() -> None:
    plot = draw_matrix(np.ones((2, 40)), ["a", "b"], range(40), "t")
    assert [len(row) for row in plot.data["counts"]] == [16, 16]
    assert plot.data["counts"][0][-1] == 25
    assert plot.data["rows"] == ["a", "b"]


def test_an_interval_its_mean_and_its_dots_lie_where_the_ticks_say() -> None:
    plot = draw_intervals([FOLDS], "t", "accuracy", x_range=(0, 1), baseline=("chance", 0.4))
    root = sheet(plot)
    zero, one = place_of(root, "0.0", "x"), place_of(root, "1.0", "x")
    [group] = root.iter(f"{SVG}g")
    bar = group.find(f"{SVG}line")
    assert bar is not None
    found = [float(bar.attrib["x1"]), markers(group)[0][0], float(bar.attrib["x2"])]
    assert found == pytest.approx([zero + v * (one - zero) for v in (0.7, 0.8, 0.9)], abs=0.01)
    dots = [float(dot.attrib["cx"]) for dot in group.iter(f"{SVG}circle")]
    assert dots == pytest.approx([zero + v * (one - zero) for v in FOLDS[4]], abs=0.26)
    [base] = [e for e in root.iter(f"{SVG}line") if e.get("stroke-dasharray")]
    assert float(base.attrib["x1"]) == pytest.approx(zero + 0.4 * (one - zero), abs=0.01)
    assert plot.data["baseline"] == {"chance": 0.4}
    assert plot.data["spreads"] == [dict(zip(("name", "value", "low", "high", "dots"), FOLDS,
                                             strict=True))]  # fmt: skip


def test_equal_dots_make_way_and_thousands_stay_few() -> None:
    root = sheet(draw_intervals([("a", 0.5, 0.4, 0.6, [0.5] * 5)], "t"))
    dots = [(d.get("cx"), d.get("cy")) for d in root.iter(f"{SVG}circle")]
    assert len({*dots}) == 5
    many = sheet(draw_intervals([("a", 0.5, 0.4, 0.6, [0.0, 1.0] * 50_000)], "t"))
    assert len([*many.iter(f"{SVG}circle")]) == 10


def test_demsars_diagram_comes_out_again() -> None:
    # J. Demšar, JMLR 7, 2006, table 6 and figure 1: 14 data sets, q = 2.291 for four at 0.10.
    critical = 2.291 * (4 * 5 / (6 * 14)) ** 0.5
    assert critical == pytest.approx(1.12, abs=0.005)
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    plot = draw_ranks(names, [3.143, 2.0, 2.893, 1.964], critical, "AUC")
    # C4.5 differs from C4.5+m and C4.5+m+cf, and C4.5+cf belongs to both groups.
    assert plot.data["names"] == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    assert plot.data["groups"] == [["C4.5+m+cf", "C4.5+m", "C4.5+cf"], ["C4.5+cf", "C4.5"]]
    root = sheet(plot)
    tick = {n: place_of(root, str(n), "x") for n in (1, 2, 3, 4)}
    assert tick[4] < tick[3] < tick[2] < tick[1]  # the best stand on the right
    bars = [e for e in root.iter(f"{SVG}line") if e.get("stroke-width") == "4"]
    ends = [[float(bar.attrib[x]) for x in ("x1", "x2")] for bar in bars]
    at = AxisScale((Decimal(1), Decimal(4)), tick[1], tick[4]).pixels
    assert ends[0] == pytest.approx(at([2.893, 1.964]) + np.array([-4, 4]), abs=0.02)
    assert ends[1] == pytest.approx(at([3.143, 2.893]) + np.array([-4, 4]), abs=0.02)
    assert bars[0].attrib["y1"] != bars[1].attrib["y1"]  # they share C4.5+cf
    starts = [points(line)[0][0] for line in root.iter(f"{SVG}polyline")]
    assert starts == pytest.approx(at([1.964, 2.0, 2.893, 3.143]).tolist(), abs=0.01)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=24), st.floats(0.01, 30))
def test_a_bar_covers_all_that_do_not_differ_and_bars_never_touch(
    shares: list[float], critical: float
) -> None:
    k = len(shares)
    plot = draw_ranks([f"m{i}" for i in range(k)], [1 + s * (k - 1) for s in shares], critical, "t")
    ranks = dict(zip(plot.data["names"], plot.data["ranks"], strict=True))
    groups = [{*group} for group in plot.data["groups"]]
    for a, b in combinations(ranks, 2):
        alike = ranks[b] < ranks[a] + critical
        assert alike == any({a, b} <= group for group in groups)
    assert not any(a < b for a in groups for b in groups)
    root = sheet(plot)
    assert no_texts_overlap(root)
    bars = [e.attrib for e in root.iter(f"{SVG}line") if e.get("stroke-width") == "4"]
    for a, b in combinations(bars, 2):
        apart = float(a["x1"]) > float(b["x2"]) or float(b["x1"]) > float(a["x2"])
        assert apart or a["y1"] != b["y1"]


def test_names_stand_half_on_either_side() -> None:
    root = sheet(draw_ranks("abcde", [1, 2, 3, 4, 5], 1.5, "t"))
    names = [text for group in root.iter(f"{SVG}g") for text in group.iter(f"{SVG}text")]
    side = {said(name): name.get("text-anchor") for name in names}
    assert side == {"a": "start", "b": "start", "c": "end", "d": "end", "e": "end"}


def test_points_stand_at_their_numbers_and_rows_in_one_place_are_one_mark() -> None:
    plot = draw_points([0, 10, 10, 5], [0, 4, 4, -2], "t", "x", "y", level=0)
    assert plot.data["rows"] == [1, 2, 1]
    assert (plot.data["x"], plot.data["y"]) == ([0, 10, 5], [0, 4, -2])
    root = sheet(plot)
    dots = [dot.attrib for dot in root.iter(f"{SVG}circle")]
    assert float(dots[1]["cx"]) == pytest.approx(place_of(root, "10", "x"))
    assert float(dots[1]["cy"]) == pytest.approx(place_of(root, "4", "y"))
    assert [float(dot["fill-opacity"]) for dot in dots] == [0.35, 1.0, 0.35]
    dashed = [mark for mark in root.iter(f"{SVG}line") if mark.get("stroke-dasharray")]
    assert [float(mark.attrib["y1"]) for mark in dashed] == [float(dots[0]["cy"])]


def test_many_points_are_a_small_picture() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=250_000)
    plot = draw_points(x, x + rng.normal(size=len(x)), "t")
    assert sum(plot.data["rows"]) == len(x)
    assert len(plot.svg) < 2_000_000


def test_the_palette_is_seen_on_white() -> None:
    assert min(contrast(colour, "#ffffff") for colour in COLOURS) > 2


ROW = ("a", 1, 0, 2)
REFUSED = {
    "y of 'a' has nan at index 1": lambda: draw_lines({"a": ([0, 1], [0, nan])}, "t"),
    "x of 'a' has inf at index 0": lambda: draw_lines({"a": ([inf, 1], [0, 1])}, "t"),
    "y of 'a' has 1e+301": lambda: draw_lines({"a": ([0], [1e301])}, "t"),
    "y of 'a' has nan": lambda: draw_lines({"a": ([0], [None])}, "t"),
    "y of 'a' has length 1, but x has length 2": lambda: draw_lines({"a": ([0, 1], [0])}, "t"),
    "high of 'a' has length 1": lambda: draw_lines({"a": ([0, 1], [0, 1], [0, 1], [2])}, "t"),
    "x of 'a' is empty": lambda: draw_lines({"a": ([], [])}, "t"),
    "x of 'a' is ['1']": lambda: draw_lines({"a": (["1"], [0])}, "t"),
    "y of 'a' is 3": lambda: draw_lines({"a": ([1], 3)}, "t"),
    "y of 'b' is [[1], [2, 3]]": lambda: draw_lines({"b": ([1, 2], [[1], [2, 3]])}, "t"),
    "y has length 1, but x has length 2": lambda: draw_points([0, 1], [0], "t"),
    "x is empty": lambda: draw_points([], [], "t"),
    "y has inf at index 0": lambda: draw_points([0], [inf], "t"),
    "x of 'a' decreases after index 1": lambda: draw_lines({"a": ([0, 2, 1], [0, 0, 0])}, "t"),
    "low of 'a' is above high at index 0": lambda: draw_lines({"a": ([0], [0], [1], [0])}, "t"),
    "Give (x, y) or (x, y, low, high)": lambda: draw_lines({"a": ([0], [0], [0])}, "t"),
    "series is {}": lambda: draw_lines({}, "t"),
    "series is [([0], [1])]": lambda: draw_lines([([0], [1])], "t"),
    "series, and there are 31": lambda: draw_lines({i: ([0], [i]) for i in range(31)}, "t"),
    "same name: '1', '1'": lambda: draw_lines({1: ([0], [0]), "1": ([0], [0])}, "t"),
    "x_range is (1,)": lambda: draw_lines({"a": ([0], [0])}, "t", x_range=(1,)),
    "x has 0": lambda: draw_lines({"a": ([0, 1], [0, 1])}, "t", log_x=True),
    "diagonal": lambda: draw_lines({"a": ([1], [1])}, "t", diagonal="chance", log_x=True),
    "counts has -1 at index (0, 1)": lambda: draw_matrix([[0, -1]], "a", "xy", "t"),
    "counts has nan at index (0, 0)": lambda: draw_matrix([[nan]], "a", "x", "t"),
    "counts is [1, 2]": lambda: draw_matrix([1, 2], "a", "xy", "t"),
    "names of rows has length 2, but rows": lambda: draw_matrix([[1, 2]], "ab", "xy", "t"),
    "names of columns has length 1, but columns": lambda: draw_matrix([[1, 2]], "a", "x", "t"),
    "counts is empty": lambda: draw_matrix([[]], "a", "", "t"),
    "spreads is empty": lambda: draw_intervals([], "t"),
    "row 0 of spreads is ('a', 1)": lambda: draw_intervals([("a", 1)], "t"),
    "value of 'a' has nan": lambda: draw_intervals([("a", nan, 0, 1)], "t"),
    "dots of 'a' has inf at index 1": lambda: draw_intervals([(*ROW, [0, inf])], "t"),
    "low of 'a' is 3, above high (2)": lambda: draw_intervals([("a", 2, 3, 2)], "t"),
    "dots of 'a' is 3": lambda: draw_intervals([(*ROW, 3)], "t"),
    "row 0 of spreads is 'a'": lambda: draw_intervals({"a": (1, 0, 2)}, "t"),
    "baseline has nan": lambda: draw_intervals([ROW], "t", baseline=("b", nan)),
    "baseline is 0.5": lambda: draw_intervals([ROW], "t", baseline=0.5),
    "names has length 1, but ranks has length 2": lambda: draw_ranks("a", [1, 2], 1, "t"),
    "names is None": lambda: draw_ranks(None, [1, 2], 1, "t"),
    "ranks is from 0 to 2": lambda: draw_ranks("ab", [0, 2], 1, "t"),
    "ranks is from 1 to 3": lambda: draw_ranks("ab", [1, 3], 1, "t"),
    "ranks is from 1 to 1": lambda: draw_ranks("a", [1], 1, "t"),
    "critical is 0": lambda: draw_ranks("ab", [1, 2], 0, "t"),
    "critical has nan": lambda: draw_ranks("ab", [1, 2], nan, "t"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_drawn_is_refused_with_its_name_and_place(message: str) -> None:
    with pytest.raises(OptionError, match=f"^draw_[a-z]+: .*{re.escape(message)}"):
        REFUSED[message]()


def test_a_plot_is_saved_whole_or_not_at_all(tmp_path: Path) -> None:
    plot = draw_ranks("ab", [1, 2], 0.5, "🌲")
    plot.save(tmp_path / "a.SVG")
    plot.save(str(tmp_path / "a.svg"))
    assert (tmp_path / "a.svg").read_text("utf-8") == plot.svg
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(FileError, match="not a regular file"):
        plot.save(tmp_path / "folder.svg")
    with pytest.raises(FileError, match="Nothing was changed"):
        plot.save(tmp_path / "nowhere" / "a.svg")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.SVG", "a.svg", "folder.svg"]


@pytest.mark.parametrize("name", ["a.png", "a", ".svg", "a.svg.pdf"])
def test_another_ending_is_refused_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match=r"ends in \.svg"):
        draw_ranks("ab", [1, 2], 0.5, "t").save(tmp_path / name)
    assert not [*tmp_path.iterdir()]


def test_a_picture_larger_than_a_screen_can_be_moved_and_zoomed(tmp_path: Path) -> None:
    from tallylearn.reporting.charts.plot import make_plot
    from tallylearn.reporting.charts.zoom_box import is_large

    small, large = (make_plot("a <b>", {}, [], width, 300.0) for width in (480.0, 4000.0))
    assert not is_large(small.svg)
    assert is_large(large.svg)
    assert small._repr_html_() == small.svg
    assert "<script>" in large._repr_html_()
    assert large.svg.strip() in large._repr_html_()
    assert "<script" not in large.svg  # a saved picture holds no program
    for plot in (small, large):
        plot.save(tmp_path / "a.html")
        page = (tmp_path / "a.html").read_text()
        assert plot.svg.strip() in page
        assert "<title>a &lt;b&gt;</title>" in page
        assert ("<script>" in page) == (plot is large)
        assert "http" not in page.replace("http://www.w3.org/2000/svg", "")  # nothing is fetched
