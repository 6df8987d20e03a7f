"""Plots: small SVG charts from plain numbers; the picture and its numbers are one object."""

from tallylearn.plots.choices import draw_choice
from tallylearn.plots.class_areas import draw_classes
from tallylearn.plots.lines import draw_lines
from tallylearn.plots.matrix_charts import draw_matrix
from tallylearn.plots.networks import draw_network
from tallylearn.plots.pictures import Plot
from tallylearn.plots.points import draw_points
from tallylearn.plots.rank_chart import draw_ranks
from tallylearn.plots.redrawing import redrawn
from tallylearn.plots.spreads import draw_intervals

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
