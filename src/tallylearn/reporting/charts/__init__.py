"""SVG charts from plain numbers; a plot holds the picture and its numbers."""

from tallylearn.reporting.charts.chart_from_data import redraw_chart
from tallylearn.reporting.charts.chart_selector import draw_choice
from tallylearn.reporting.charts.class_boundary_chart import draw_classes
from tallylearn.reporting.charts.confusion_matrix_chart import draw_matrix
from tallylearn.reporting.charts.critical_difference_chart import draw_ranks
from tallylearn.reporting.charts.interval_chart import draw_intervals
from tallylearn.reporting.charts.layered_chart import (
    AreaLayer,
    Layer,
    LineLayer,
    PointLayer,
    TextLayer,
    axis_ends,
    draw_layers,
)
from tallylearn.reporting.charts.line_chart import draw_lines
from tallylearn.reporting.charts.network_chart import draw_network
from tallylearn.reporting.charts.plot import Plot
from tallylearn.reporting.charts.scatter_chart import draw_points

__all__ = [
    "AreaLayer",
    "Layer",
    "LineLayer",
    "Plot",
    "PointLayer",
    "TextLayer",
    "axis_ends",
    "draw_choice",
    "draw_classes",
    "draw_intervals",
    "draw_layers",
    "draw_lines",
    "draw_matrix",
    "draw_network",
    "draw_points",
    "draw_ranks",
    "redraw_chart",
]
