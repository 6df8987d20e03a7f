"""Draw a chart again from its plain data, as a JSON file holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallylearn.errors import OptionError, TallyError, error_context, quoted_list, short_repr
from tallylearn.reporting.charts.chart_selector import draw_choice
from tallylearn.reporting.charts.class_boundary_chart import draw_classes
from tallylearn.reporting.charts.confusion_matrix_chart import draw_matrix
from tallylearn.reporting.charts.critical_difference_chart import draw_ranks
from tallylearn.reporting.charts.interval_chart import draw_intervals
from tallylearn.reporting.charts.layered_chart import draw_layers, read_layer
from tallylearn.reporting.charts.line_chart import SERIES_PARTS, draw_lines
from tallylearn.reporting.charts.plot import Plot
from tallylearn.reporting.charts.scatter_chart import draw_points

Data = Mapping[str, Any]


def redraw_chart(data: Data) -> Plot:
    """The chart whose ``data`` these are.

    >>> plot = draw_lines({"test": ([10, 20, 40], [0.6, 0.8, 0.9])}, "Learning curve", "rows")
    >>> redraw_chart(plot.data) == plot
    True
    """
    kinds = {"lines": _lines, "intervals": _intervals, "matrix": _matrix, "points": _points,
             "ranks": _ranks, "choice": _choice, "classes": _classes,
             "layers": _layers}  # fmt: skip
    with error_context("redraw_chart"):
        try:
            return kinds[data["chart"]](data)
        except TallyError:
            raise
        except Exception:  # whatever there may be in the place of the data
            raise OptionError(
                f"data is {short_repr(data)}. Pass the data of a chart, which is of one "
                f"of these kinds: {quoted_list(kinds)}."
            ) from None


def _lines(data: Data) -> Plot:
    series = {name: tuple(s[part] for part in SERIES_PARTS if part in s)
              for name, s in data["series"].items()}  # fmt: skip
    options = _select_options(
        data, "title", "x_label", "y_label", "x_range", "y_range", "diagonal", "log_x"
    )
    return draw_lines(series, **options, **_select_optional(data, "y_limits", "level"))


def _intervals(data: Data) -> Plot:
    spreads = [tuple(spread.values()) for spread in data["spreads"]]
    beside = next(iter(data["baseline"].items()), None)
    return draw_intervals(spreads, data["title"], data["x_label"], x_range=data["x_range"] or None,
                          baseline=beside, **_select_optional(data, "x_limits"))  # fmt: skip


def _matrix(data: Data) -> Plot:
    return draw_matrix(**_select_options(data, "counts", "rows", "columns", "title", "row_label",
                                "column_label", "notes"))  # fmt: skip


def _points(data: Data) -> Plot:
    return draw_points(
        **_select_options(
            data,
            "x",
            "y",
            "title",
            "x_label",
            "y_label",
            "x_range",
            "y_range",
            "diagonal",
            "level",
            "rows",
        )
    )


def _ranks(data: Data) -> Plot:
    return draw_ranks(**_select_options(data, "names", "ranks", "critical", "title"))


def _choice(data: Data) -> Plot:
    return draw_choice(
        {name: redraw_chart(one) for name, one in data["charts"].items()}, data["title"]
    )


def _select_optional(data: Data, *names: str) -> dict[str, Any]:
    """What files of earlier releases do not have."""
    return {name: data[name] for name in names if name in data}


def _classes(data: Data) -> Plot:
    points = {name: (pair["x"], pair["y"]) for name, pair in data["points"].items()}
    return draw_classes(points, **_select_options(data, "lines", "title", "x_label", "y_label"))


def _layers(data: Data) -> Plot:
    known = _select_options(data, "title", "x_label", "y_label", "x_range", "y_range", "notes")
    further = {name: data[name] for name in data if name not in ("chart", "layers", *known)}
    return draw_layers([*map(read_layer, data["layers"])], **known, numbers=further)


def _select_options(data: Data, *names: str) -> dict[str, Any]:
    return {name: data[name] for name in names}
