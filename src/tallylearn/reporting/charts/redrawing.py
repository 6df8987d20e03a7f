"""Redrawing: a chart is a function of its data, so that a file of numbers gives the picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallylearn.errors import OptionError, TallyError, listed, speaking, told
from tallylearn.reporting.charts.choices import draw_choice
from tallylearn.reporting.charts.class_areas import draw_classes
from tallylearn.reporting.charts.lines import PARTS, draw_lines
from tallylearn.reporting.charts.matrix_charts import draw_matrix
from tallylearn.reporting.charts.pictures import Plot
from tallylearn.reporting.charts.points import draw_points
from tallylearn.reporting.charts.rank_chart import draw_ranks
from tallylearn.reporting.charts.spreads import draw_intervals

Data = Mapping[str, Any]


def redrawn(data: Data) -> Plot:
    """The chart whose ``data`` these are.

    >>> plot = draw_lines({"test": ([10, 20, 40], [0.6, 0.8, 0.9])}, "Learning curve", "rows")
    >>> redrawn(plot.data) == plot
    True
    """
    kinds = {"lines": _lines, "intervals": _intervals, "matrix": _matrix, "points": _points,
             "ranks": _ranks, "choice": _choice, "classes": _classes}  # fmt: skip
    with speaking("redrawn"):
        try:
            return kinds[data["chart"]](data)
        except TallyError:
            raise
        except Exception:  # whatever there may be in the place of the data
            raise OptionError(
                f"data is {told(data)}. Pass what a chart has as data: {listed(kinds)}."
            ) from None


def _lines(data: Data) -> Plot:
    series = {name: tuple(s[part] for part in PARTS if part in s)
              for name, s in data["series"].items()}  # fmt: skip
    return draw_lines(series, **_named(data, "title", "x_label", "y_label", "x_range", "y_range",
                                       "diagonal", "log_x"),
                      **_given(data, "y_limits", "level"))  # fmt: skip


def _intervals(data: Data) -> Plot:
    spreads = [tuple(spread.values()) for spread in data["spreads"]]
    beside = next(iter(data["baseline"].items()), None)
    return draw_intervals(spreads, data["title"], data["x_label"], x_range=data["x_range"] or None,
                          baseline=beside, **_given(data, "x_limits"))  # fmt: skip


def _matrix(data: Data) -> Plot:
    return draw_matrix(**_named(data, "counts", "rows", "columns", "title", "row_label",
                                "column_label", "notes"))  # fmt: skip


def _points(data: Data) -> Plot:
    return draw_points(**_named(data, "x", "y", "title", "x_label", "y_label", "x_range", "y_range",
                                "diagonal", "level", "rows"))  # fmt: skip


def _ranks(data: Data) -> Plot:
    return draw_ranks(**_named(data, "names", "ranks", "critical", "title"))


def _choice(data: Data) -> Plot:
    return draw_choice({name: redrawn(one) for name, one in data["charts"].items()}, data["title"])


def _given(data: Data, *names: str) -> dict[str, Any]:
    """What files of earlier releases do not have."""
    return {name: data[name] for name in names if name in data}


def _classes(data: Data) -> Plot:
    points = {name: (pair["x"], pair["y"]) for name, pair in data["points"].items()}
    return draw_classes(points, **_named(data, "lines", "title", "x_label", "y_label"))


def _named(data: Data, *names: str) -> dict[str, Any]:
    return {name: data[name] for name in names}
