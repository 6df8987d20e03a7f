"""The path of gradient descent on the contours of the mean squared error."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.errors import KindError, short_repr
from tallylearn.inspection.plots.plotted_rows import numeric_columns, read_rows_to_plot
from tallylearn.models.glm.descent_steps import draw_descent
from tallylearn.models.glm.lms import LMS
from tallylearn.reporting.charts import Plot


def plot_descent(model: Any, X: Any, y: Any = None, *, title: str = "Gradient descent") -> Plot:
    """Plot the path of the weights of gradient descent on the contours of the squared error.

    Parameters
    ----------
    model : LMS
        A fitted model with one column.
    X : table
        The training rows.
    y : array-like or str, optional
        The target of the rows, or the name of the column.
    title : str, default "Gradient descent"
        The title.

    Returns
    -------
    Plot
        The picture. ``data["path"]`` has the weights before the first step and after each;
        ``data["mean_squared_error"]`` the error on the grid of ``data["w0"]`` and ``data["w1"]``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> table = {"x": [0, 1, 2], "y": [1, 3, 5]}
    >>> model = tl.LMS(0.2, scaling="mean", steps=20).fit(table, "y")
    >>> plot = tl.plot_descent(model, table)
    >>> [[round(w, 2) for w in step] for step in plot.data["path"][:2]]
    [[0.0, 0.0], [1.2, 1.73]]
    """
    who = "plot_descent"
    if not isinstance(model, LMS):
        raise KindError(
            f"{who}: model is {short_repr(model)}. Pass a fitted LMS model of one column, such as "
            "tl.LMS(0.1, scaling='mean', steps=20).fit(table, 'y')."
        )
    model._check_fitted()
    numeric_columns(model, 1, who)
    rows = read_rows_to_plot(model, X, y, who)
    path = np.vstack([model.initial_weights(), model.trace_[:, 1:]])
    return draw_descent(rows.x[:, 0], rows.target, path, title)
