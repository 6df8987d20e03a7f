"""Plots: small SVG charts from plain numbers; the picture and its numbers are one object."""

from tallylearn.reporting.charts.choices import draw_choice
from tallylearn.reporting.charts.class_areas import draw_classes
from tallylearn.reporting.charts.lines import draw_lines
from tallylearn.reporting.charts.matrix_charts import draw_matrix
from tallylearn.reporting.charts.networks import draw_network
from tallylearn.reporting.charts.pictures import Plot
from tallylearn.reporting.charts.points import draw_points
from tallylearn.reporting.charts.rank_chart import draw_ranks
from tallylearn.reporting.charts.redrawing import redrawn
from tallylearn.reporting.charts.spreads import draw_intervals

__all__ = [
    "Plot",
    "draw_choice",
    "draw_classes",
    "draw_intervals",
    "draw_lines",
    "draw_matrix",
    "draw_network",
    "draw_points",
    "draw_ranks",
    "redrawn",
]
