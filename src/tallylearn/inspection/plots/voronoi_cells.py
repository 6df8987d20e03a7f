"""Voronoi cells of the training rows of nearest neighbours, or of centroids and cluster centres."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.errors import KindError, OptionError, short_repr
from tallylearn.inspection.plots.plotted_rows import numeric_columns
from tallylearn.reporting.charts import AreaLayer, Layer, Plot, PointLayer, axis_ends, draw_layers
from tallylearn.tables import Array

MAX_CELLS = 500  # more could not be told apart


def voronoi_cells(sites: Array, frame: tuple[float, float, float, float]) -> list[Array]:
    """The convex polygon of the points of a frame that are nearest to each site.

    Parameters
    ----------
    sites : (n, 2) distinct points.
    frame : left, right, bottom and top of the rectangle.

    Examples
    --------
    >>> left, right = voronoi_cells(np.array([[0.0, 0.0], [2.0, 0.0]]), (-1, 3, -1, 1))
    >>> left[:, 0].tolist()
    [-1.0, 1.0, 1.0, -1.0]
    """
    left, right, bottom, top = frame
    box = np.array([[left, bottom], [right, bottom], [right, top], [left, top]], dtype=float)
    cells = []
    for i, site in enumerate(sites):
        cell = box
        far = ((sites - site) ** 2).sum(axis=1)
        for j in np.argsort(far, kind="stable"):  # near sites first: they cut most of the frame
            if j == i:
                continue
            if far[j] > 4 * ((cell - site) ** 2).sum(axis=1).max():
                break  # its bisector is beyond every corner of the cell
            normal = sites[j] - site
            cell = _clip(cell, normal, float(normal @ (sites[j] + site)) / 2)
        cells.append(cell)
    return cells


def plot_voronoi(model: Any, *, title: str = "") -> Plot:
    """Plot the Voronoi cells of a model: the points nearest to each training row or centre.

    Parameters
    ----------
    model : KNeighborsClassifier, NearestCentroid or KMeans
        A fitted model with two numeric columns and Euclidean distance. The cells are those of the
        training rows of nearest neighbours, of the centroids, or of the cluster centres.
    title : str, optional
        The title; by default the name of the model.

    Returns
    -------
    Plot
        The picture. ``data["sites"]``, ``data["classes"]`` and ``data["cells"]`` have the point,
        the class and the corners of each cell.

    See Also
    --------
    plot_decision_regions : The regions of any classifier, such as 5 nearest neighbours.

    Examples
    --------
    >>> import tallylearn as tl
    >>> rows = {"a": [1, 2, 8, 9], "b": [1, 3, 7, 9], "class": ["x", "x", "y", "y"]}
    >>> plot = tl.plot_voronoi(tl.NearestCentroid().fit(rows, "class"))
    >>> plot.data["sites"], plot.data["classes"]
    ([[1.5, 2.0], [8.5, 8.0]], ['x', 'y'])
    """
    who = "plot_voronoi"
    sites, owners, scale = _sites(model, who)
    names = numeric_columns(model, 2, who)
    first = {tuple(site): at for at, site in reversed([*enumerate(sites.tolist())])}
    kept = sorted(first.values())
    sites, owners = sites[kept], [owners[at] for at in kept]
    if len(sites) > MAX_CELLS:
        raise OptionError(
            f"{who}: the model has {len(sites)} cells, and a picture shows at most {MAX_CELLS}. "
            f"Fit it to at most {MAX_CELLS} rows, or use plot_decision_regions."
        )
    x_range, y_range = axis_ends(sites[:, 0], 0.1), axis_ends(sites[:, 1], 0.1)
    frame = np.array([*x_range, *y_range]) / np.repeat(scale, 2)
    cells = [cell * scale for cell in voronoi_cells(sites / scale, tuple(frame.tolist()))]
    classes = sorted({*owners}, key=owners.index)
    layers: list[Layer] = []
    for code, value in enumerate(classes):
        own = [at for at, owner in enumerate(owners) if owner == value]
        layers.append(AreaLayer(value, [cells[at] for at in own], code, border=True))
        layers.append(PointLayer(value, sites[own, 0], sites[own, 1], code, True))
    numbers = {"sites": sites.tolist(), "classes": owners,
               "cells": [cell.tolist() for cell in cells]}  # fmt: skip
    return draw_layers(layers, title or f"Voronoi cells of {type(model).__name__}", *names,
                       x_range=x_range, y_range=y_range, numbers=numbers)  # fmt: skip


def _sites(model: Any, who: str) -> tuple[Array, list[str], Array]:
    """The points whose cells are drawn, their classes, and the scale of each column."""
    if not {"KNeighborsClassifier", "NearestCentroid", "KMeans"} & {
        one.__name__ for one in type(model).__mro__
    }:
        raise OptionError(
            f"{who}: model is {short_repr(model)}. Pass a fitted KNeighborsClassifier, "
            "NearestCentroid or KMeans."
        )
    model._check_fitted()
    if hasattr(model, "effective_metric_"):
        found = model.model_.examples
        plain = model.effective_metric_ == "euclidean"
        owners = [str(model.classes_[code]) for code in model.model_.target]
        sites, scale = found.numbers, found.scale
    elif hasattr(model, "cluster_centers_"):
        plain, sites = model.scale is None, model.cluster_centers_
        owners, scale = [f"cluster {k}" for k in range(len(sites))], np.ones(sites.shape[1])
    else:  # one mean of each class, by Euclidean distance
        plain = model.uses_tally and model.priors == "uniform"
        owners, scale = [*map(str, model.classes_.tolist())], np.ones(len(model.schema_.columns))
        sites = model.centroids_
    if not plain:
        raise KindError(
            f"{who}: cells are drawn for the Euclidean distance, for one mean per class with "
            "equal priors, and for unscaled clusters. Use plot_decision_regions for other models."
        )
    return sites, owners, scale


def _clip(cell: Array, normal: Array, offset: float) -> Array:
    """The part of a convex polygon with normal · x <= offset (I. E. Sutherland, G. W. Hodgman)."""
    side = cell @ normal - offset
    corners = []
    for k in range(len(cell)):
        a, b = side[k - 1], side[k]
        if (a <= 0) != (b <= 0):
            corners.append(cell[k - 1] + a / (a - b) * (cell[k] - cell[k - 1]))
        if b <= 0:
            corners.append(cell[k])
    return np.array(corners)
