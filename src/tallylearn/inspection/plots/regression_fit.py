"""The curve that a model fits to one column, with confidence and prediction bands."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.errors import InputError, OptionError, short_repr
from tallylearn.inspection.plots.plotted_rows import (
    as_input,
    check_model,
    numeric_columns,
    read_rows_to_plot,
)
from tallylearn.reporting.charts import (
    AreaLayer,
    Layer,
    LineLayer,
    Plot,
    PointLayer,
    axis_ends,
    draw_layers,
)
from tallylearn.tables import Array

CURVE_POINTS = 301
BANDS = (("mean", "confidence interval", 0.3), ("answer", "prediction interval", 0.14))


def plot_regression(
    model: Any, X: Any = None, y: Any = None, *, level: float = 0.95, residuals: bool = False,
    title: str = "",
) -> Plot:  # fmt: skip
    """Plot the curve that a model fits to one numeric column, with the rows.

    Least squares has a confidence band of the mean and a prediction band. A classifier of two
    classes has the probability of the second class, with the rows at 0 and 1.

    Parameters
    ----------
    model : regressor or classifier of two classes
        A fitted model whose only column is a number.
    X : table, optional
        Rows to draw. By default the training rows, where the model has kept them.
    y : array-like or str, optional
        The targets of the rows, or the name of the column.
    level : float, default 0.95
        The level of both bands.
    residuals : bool, default False
        Whether to draw the residual of each row.
    title : str, optional
        The title; by default the name of the model.

    Returns
    -------
    Plot
        The picture. ``data["x"]`` and ``data["predicted"]`` are the curve; ``data["bands"]`` has
        the lower and upper ends of the bands.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LinearRegression().fit({"x": [1, 2, 3, 4], "y": [2, 3, 5, 6]}, "y")
    >>> plot = tl.plot_regression(model)
    >>> plot.data["x"][0], round(plot.data["predicted"][0], 6)
    (1.0, 1.9)
    """
    who = "plot_regression"
    task = getattr(model, "task", None)
    check_model(model, who, "classifier" if task == "classifier" else "regressor",
                "tl.LinearRegression().fit(table, 'y')")  # fmt: skip
    if not isinstance(residuals, bool | np.bool_):
        raise OptionError(f"{who}: residuals is {short_repr(residuals)}. Give True or False.")
    names = numeric_columns(model, 1, who)
    rows = read_rows_to_plot(model, X, y, who)
    x = np.linspace(*axis_ends(rows.x[:, 0], 0), CURVE_POINTS)
    if task == "classifier":
        classes = model.classes_.tolist()
        if len(classes) != 2:
            raise InputError(
                f"{who}: the classifier has {len(classes)} classes, and the curve is the "
                "probability of one of two. Use plot_class_densities(model, X, show='posterior')."
            )
        target = (rows.target == classes[1]).astype(float)

        def predict(at: Array) -> Array:
            return np.asarray(model.predict_proba(as_input(model, names, at))[:, 1])

        label, curve_name = f"P({classes[1]})", f"P({classes[1]} | {names[0]})"
    else:
        target = rows.target

        def predict(at: Array) -> Array:
            return np.asarray(model.predict(as_input(model, names, at)))

        label, curve_name = rows.target_name, "fitted"
    curve = predict(x)
    bands = _bands(model, as_input(model, names, x), level) if task == "regressor" else {}
    layers: list[Layer] = []
    for name, (low, high) in bands.items():
        outline = np.column_stack([np.r_[x, x[::-1]], np.r_[low, high[::-1]]])
        opacity = next(shade for _, kind, shade in BANDS if name.endswith(kind))
        layers.append(AreaLayer(name, [outline], 0, opacity))
    if residuals:
        fitted = predict(rows.x[:, 0])
        every = zip(rows.x[:, 0].tolist(), target.tolist(), fitted.tolist(), strict=True)
        layers += [LineLayer("residuals", [a, a], [b, c], 1, width=1.2) for a, b, c in every]
    layers += [
        LineLayer(curve_name, x, curve, 0),
        PointLayer("rows", rows.x[:, 0], target, 4, shape=0),
    ]
    numbers = {"x": x.tolist(), "predicted": curve.tolist(),
               "bands": {name: {"low": low.tolist(), "high": high.tolist()}
                         for name, (low, high) in bands.items()}}  # fmt: skip
    return draw_layers(layers, title or type(model).__name__, names[0], label,
                       x_range=(x[0], x[-1]), numbers=numbers)  # fmt: skip


def _bands(model: Any, points: Any, level: float) -> dict[str, tuple[Array, Array]]:
    """The bands of least squares; other models have none."""
    if not getattr(getattr(model, "model_", None), "is_least_squares", False):
        return {}
    found = {}
    for of, name, _ in BANDS:
        try:
            ends = model.predict_interval(points, level, of=of)
        except InputError:  # a penalty, or no more rows than coefficients
            return {}
        if np.isfinite(ends).all():
            found[f"{100 * level:g} % {name}"] = (ends[:, 0], ends[:, 1])
    return dict(reversed(found.items()))
