"""Decision regions and class probabilities of a classifier over two columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.errors import OptionError, is_one_of, quoted_list, short_repr
from tallylearn.inspection.plots.plotted_rows import (
    PlottedRows,
    as_input,
    check_model,
    numeric_columns,
    read_rows_to_plot,
)
from tallylearn.reporting.charts import (
    AreaLayer,
    Layer,
    Plot,
    PointLayer,
    axis_ends,
    draw_layers,
)
from tallylearn.reporting.charts.region_outlines import level_outlines, region_outlines
from tallylearn.reporting.charts.svg_elements import SHAPES
from tallylearn.tables import Array

RESPONSES = ("predict", "predict_proba")
GRID_SIZE = 81  # points of the grid along every axis
LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9)  # of the probability at which a shade begins
SHADE_OPACITY = 0.11  # of every one of them, above each other


def plot_decision_regions(
    model: Any, X: Any = None, y: Any = None, *, response_method: str = "predict", title: str = ""
) -> Plot:
    """Plot the regions in which a classifier predicts each class, over two numeric columns.

    Borders are found by bisection between the points of a grid, so they are exact to a thousandth
    of a grid cell for every classifier. Rows that the model predicts wrongly have an open marker.

    Parameters
    ----------
    model : classifier
        A fitted classifier whose only columns are two numbers.
    X : table, optional
        Rows to draw. By default the training rows, where the model has kept them.
    y : array-like or str, optional
        The classes of the rows, or the name of the column.
    response_method : {"predict", "predict_proba"}, default "predict"
        "predict" colours the regions of the predicted classes. "predict_proba" shades the
        probability of each class from 0.5 on in steps of 0.1.
    title : str, optional
        The title; by default the name of the model.

    Returns
    -------
    Plot
        The picture. ``data["grid"]`` has the coordinates of the grid, and ``data["predicted"]``
        the classes or ``data["probabilities"]`` the probabilities there, row by row.

    See Also
    --------
    plot_class_densities : The densities behind a naive Bayes or discriminant model.
    plot_voronoi : The cells of the training rows or centroids.

    Examples
    --------
    >>> import tallylearn as tl
    >>> fruit = {"width": [5, 6, 7, 8, 9, 9], "height": [9, 8, 9, 4, 5, 3],
    ...          "kind": ["pear", "pear", "pear", "plum", "plum", "plum"]}
    >>> model = tl.LinearDiscriminantAnalysis().fit(fruit, "kind")
    >>> plot = tl.plot_decision_regions(model, fruit)
    >>> plot
    Plot(title='LinearDiscriminantAnalysis')
    >>> plot.data["predicted"][0][0], plot.data["predicted"][-1][0]
    ('plum', 'pear')
    """
    who = "plot_decision_regions"
    check_model(model, who, "classifier", "tl.ID3().fit(table, 'class')")
    names = numeric_columns(model, 2, who)
    if not is_one_of(response_method, RESPONSES):
        raise OptionError(
            f"{who}: response_method is {short_repr(response_method)}. Use one of "
            f"{quoted_list(RESPONSES)}."
        )
    classes = model.classes_.tolist()
    if len(classes) > len(SHAPES):
        raise OptionError(
            f"{who}: the model has {len(classes)} classes, and a picture can distinguish "
            f"{len(SHAPES)}. Fit a model of fewer classes."
        )
    rows = read_rows_to_plot(model, X, y, who)
    x, y_axis = (np.linspace(*axis_ends(rows.x[:, axis]), GRID_SIZE) for axis in (0, 1))
    across, upwards = np.meshgrid(x, y_axis)
    grid = as_input(model, names, across.ravel(), upwards.ravel())
    numbers: dict[str, Any] = {"grid": {names[0]: x.tolist(), names[1]: y_axis.tolist()}}
    if response_method == "predict":
        codes = _codes(model.predict(grid), classes).reshape(across.shape)
        numbers["predicted"] = [[classes[code] for code in line] for line in codes]

        def code_at(a: Array, b: Array) -> Array:
            return _codes(model.predict(as_input(model, names, a, b)), classes)

        outlines = region_outlines(x, y_axis, codes, code_at)
        areas = [AreaLayer(str(classes[code]), found, code, border=True)
                 for code, found in outlines.items()]  # fmt: skip
        notes: list[str] = []
    else:
        shares = model.predict_proba(grid).reshape(*across.shape, len(classes))
        numbers["classes"] = [*map(str, classes)]
        numbers["probabilities"] = shares.tolist()
        areas = [*_shades(x, y_axis, shares, classes)]
        notes = [f"shades begin at a probability of {', '.join(map(str, LEVELS))}"]
    predicted = model.predict(as_input(model, names, *rows.x.T))
    points, wrong = _row_layers(rows, predicted, classes)
    numbers["misclassified"] = wrong
    notes += [f"open markers: {wrong} of {len(rows.x)} rows predicted wrongly"] if wrong else []
    return draw_layers(
        [*areas, *points], title or type(model).__name__, *names,
        x_range=(x[0], x[-1]), y_range=(y_axis[0], y_axis[-1]), notes=notes, numbers=numbers,
    )  # fmt: skip


def _codes(predicted: Array, classes: list[Any]) -> Array:
    place = {value: code for code, value in enumerate(classes)}
    return np.array([place[value] for value in predicted.tolist()])


def _shades(x: Array, y: Array, shares: Array, classes: list[Any]) -> list[AreaLayer]:
    """For every class and level the region in which its probability reaches the level."""
    found = []
    for code, value in enumerate(classes):
        for level in LEVELS:
            outlines = level_outlines(x, y, shares[:, :, code], level)
            if outlines:
                found.append(AreaLayer(str(value), outlines, code, SHADE_OPACITY,
                                       border=level == LEVELS[0]))  # fmt: skip
    return found


def _row_layers(rows: PlottedRows, predicted: Array, classes: list[Any]) -> tuple[list[Layer], int]:
    """The rows of every class, and how many of them the model predicts wrongly."""
    right = np.array([a == b for a, b in zip(predicted.tolist(), rows.target, strict=True)])
    layers: list[Layer] = []
    for code, value in enumerate(classes):
        of_class = rows.target == value
        for solid in (True, False):
            x = rows.x[of_class & (right == solid)]
            if len(x):
                name = str(value) if solid else ""
                layers.append(PointLayer(name, x[:, 0], x[:, 1], code, solid))
    return layers, int((~right).sum())
