"""Class densities and posterior probabilities of models with Gaussian classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.errors import KindError, OptionError, is_one_of, quoted_list, short_repr
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
    LineLayer,
    Plot,
    PointLayer,
    axis_ends,
    draw_layers,
)
from tallylearn.tables import Array

QUANTITIES = ("density", "joint", "posterior")
LABELS = {"density": "p(x | class)", "joint": "P(class) p(x | class)", "posterior": "P(class | x)"}
CURVE_POINTS = 241
RADII = (1.0, 2.0)  # standard deviations of the ellipses, by Mahalanobis distance
REACH = 3.0  # standard deviations around a mean that a curve shows


def plot_class_densities(
    model: Any, X: Any = None, y: Any = None, *, show: str = "density", title: str = ""
) -> Plot:
    """Plot what a generative classifier believes about each class.

    With one column, the picture has a curve for each class. With two columns, it has ellipses one
    and two standard deviations from the mean of each class.

    Parameters
    ----------
    model : NaiveBayes, LinearDiscriminantAnalysis or QuadraticDiscriminantAnalysis
        A fitted model with one or two numeric columns. With ``show="posterior"``, any classifier
        with one numeric column.
    X : table, optional
        Rows to draw as well.
    y : array-like or str, optional
        The classes of the rows, or the name of the column.
    show : {"density", "joint", "posterior"}, default "density"
        The density p(x | class); its product with P(class), which decides the prediction; or the
        posterior probability P(class | x).
    title : str, optional
        The title; by default the name of the model.

    Returns
    -------
    Plot
        The picture. ``data["curves"]`` has the values of each class along ``data["x"]``;
        ``data["ellipses"]`` the points of the ellipses.

    See Also
    --------
    plot_decision_regions : The regions in which each class is predicted.

    Examples
    --------
    >>> import tallylearn as tl
    >>> table = {"height": [1.6, 1.7, 1.8, 1.8, 1.9, 2.0], "sex": ["f", "f", "f", "m", "m", "m"]}
    >>> model = tl.NaiveBayes().fit(table, "sex")
    >>> plot = tl.plot_class_densities(model, table, show="posterior")
    >>> round(plot.data["curves"]["f"][0], 3)
    1.0
    """
    who = "plot_class_densities"
    if not is_one_of(show, QUANTITIES):
        raise OptionError(
            f"{who}: show is {short_repr(show)}. Use one of {quoted_list(QUANTITIES)}."
        )
    check_model(model, who, "classifier", "tl.NaiveBayes().fit(table, 'class')")
    if show != "posterior" and not getattr(model, "generative", False):
        raise KindError(
            f"{who}: {type(model).__name__} has no class densities. Use show='posterior', or a "
            "NaiveBayes, LinearDiscriminantAnalysis or QuadraticDiscriminantAnalysis model."
        )
    count = 2 if len(model.schema_.columns) == 2 and show != "posterior" else 1
    names = numeric_columns(model, count, who)
    rows = None if X is None else read_rows_to_plot(model, X, y, who)
    name = title or type(model).__name__
    return (_curves(model, names, rows, show, name) if count == 1
            else _ellipses(model, names, rows, name))  # fmt: skip


def _curves(
    model: Any, names: tuple[str, ...], rows: PlottedRows | None, show: str, title: str
) -> Plot:
    """A curve of every class over one column."""
    x = np.linspace(*axis_ends(_range(model, rows), 0), CURVE_POINTS)
    points = as_input(model, names, x)
    if show == "posterior":
        heights = model.predict_proba(points)
    else:
        heights = np.exp(model.predict_joint_log_proba(points))
        if show == "density":
            heights = heights / model.model_.priors.share
    layers: list[Layer] = []
    classes = model.classes_.tolist()
    for code, value in enumerate(classes):
        curve = heights[:, code]
        if show != "posterior":
            outline = np.column_stack([[*x, x[-1], x[0]], [*curve, 0, 0]])
            layers.append(AreaLayer(str(value), [outline], code, 0.12))
        layers.append(LineLayer(str(value), x, curve, code, code))
    if rows is not None:
        layers += _rugs(rows, classes, x, float(heights.max()))
    curves = {str(value): heights[:, code].tolist() for code, value in enumerate(classes)}
    numbers = {"x": x.tolist(), "show": show, "curves": curves}
    note = ["short bars: the rows of each class"] if rows is not None else []
    return draw_layers(layers, title, names[0], LABELS[show], notes=note, numbers=numbers)


def _rugs(rows: PlottedRows, classes: list[Any], x: Array, top: float) -> list[Layer]:
    """A short bar for every row, at the foot of the chart; each class has a level of its own."""
    half, high = float(x[-1] - x[0]) / 800, 0.03 * top
    found: list[Layer] = []
    for code, value in enumerate(classes):
        foot, head = 1.2 * code * high, (1.2 * code + 1) * high
        bars = [[[a - half, foot], [a + half, foot], [a + half, head], [a - half, head]]
                for a in rows.of_class(value)[:, 0].tolist()]  # fmt: skip
        if bars:
            found.append(AreaLayer("", bars, code, 0.9))
    return found


def _ellipses(model: Any, names: tuple[str, ...], rows: PlottedRows | None, title: str) -> Plot:
    """The ellipses of every class at one and two standard deviations."""
    means, covariances = _gaussians(model)
    circle = np.linspace(0, 2 * np.pi, 121)
    unit = np.column_stack([np.cos(circle), np.sin(circle)])
    layers: list[Layer] = []
    found: dict[str, list[Any]] = {}
    for code, value in enumerate(model.classes_.tolist()):
        values, vectors = np.linalg.eigh(covariances[code])
        half = vectors * np.sqrt(np.maximum(values, 0))
        outlines = [means[code] + radius * unit @ half.T for radius in RADII]
        found[str(value)] = [outline.tolist() for outline in outlines]
        layers += [AreaLayer(str(value), [outline], code, 0.12) for outline in outlines]
        layers += [
            LineLayer(str(value), outline[:, 0], outline[:, 1], code, dash=code, width=1.3)
            for outline in outlines
        ]
        if rows is not None and len(of_class := rows.of_class(value)):
            layers.append(PointLayer(str(value), of_class[:, 0], of_class[:, 1], code))
    layers += [PointLayer("", [a], [b], code, True) for code, (a, b) in enumerate(means.tolist())]
    radii = " and ".join(f"{radius:g}" for radius in RADII)
    notes = [f"filled markers: means; ellipses: {radii} standard deviations"]
    return draw_layers(layers, title, *names, notes=notes,
                       numbers={"ellipses": found, "means": means.tolist()})  # fmt: skip


def _range(model: Any, rows: PlottedRows | None) -> Array:
    """The values of one column that the curves show."""
    found = [] if rows is None else [rows.x[:, 0]]
    if getattr(model, "generative", False):
        means, covariances = _gaussians(model)
        width = REACH * np.sqrt(covariances[:, 0, 0])
        found += [means[:, 0] - width, means[:, 0] + width]
    if not found:
        raise OptionError(
            "plot_class_densities: the model does not say which values are usual. Pass X, the rows."
        )
    return np.concatenate(found)


def _gaussians(model: Any) -> tuple[Array, Array]:
    """The mean (k, p) and the covariance matrix (k, p, p) of every class."""
    if hasattr(model, "theta_"):
        return model.theta_, np.array([np.diag(variances) for variances in model.var_])
    covariance = np.asarray(model.model_.covariance)
    shape = (len(model.means_), *covariance.shape[-2:])
    every = [model._in_table_order(one, 0, 1) for one in np.broadcast_to(covariance, shape)]
    return model.means_, np.array(every)
