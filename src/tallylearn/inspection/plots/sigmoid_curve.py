"""The logistic sigmoid as a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from tallylearn.errors import OptionError, short_repr
from tallylearn.reporting.charts import Layer, LineLayer, Plot, PointLayer, TextLayer, draw_layers
from tallylearn.reporting.formatting import format_number

CURVE_POINTS = 241
MIN_REACH = 6.0  # of the axis: there the sigmoid is 0.0025 from its limits


def plot_sigmoid(z: float | Sequence[float] = (), *, title: str = "Sigmoid") -> Plot:
    """Plot the logistic sigmoid 1 / (1 + e^-z), with points on it.

    Parameters
    ----------
    z : float or sequence of float, optional
        Log-odds at which the curve has a marked point.
    title : str, default "Sigmoid"
        The title.

    Returns
    -------
    Plot
        The picture. ``data["z"]`` and ``data["sigmoid"]`` are the curve, ``data["points"]`` the
        marked points.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.plot_sigmoid(0.5).data["points"]
    [[0.5, 0.6224593312018546]]
    """
    try:
        marked = np.atleast_1d(np.asarray(z, dtype=float)).ravel()
    except (TypeError, ValueError):
        marked = np.array([np.nan])
    if not np.isfinite(marked).all():
        raise OptionError(f"plot_sigmoid: z is {short_repr(z)}. Give finite numbers.")
    reach = max(MIN_REACH, 1.1 * float(np.abs(marked).max(initial=0)))
    x = np.linspace(-reach, reach, CURVE_POINTS)
    layers: list[Layer] = [
        LineLayer("threshold 0.5", [-reach, reach], [0.5, 0.5], dash=2, width=1.0),
        LineLayer("sigmoid(z) = 1 / (1 + e^-z)", x, expit(x), 0),
    ]
    if len(marked):
        points = zip(marked.tolist(), expit(marked).tolist(), strict=True)
        layers += [LineLayer("", [a, a], [0, b], 1, dash=2, width=1.2) for a, b in points]
        layers += [
            PointLayer("", marked, expit(marked), 1, True),
            TextLayer([f"sigmoid({format_number(a)}) = {format_number(float(expit(a)))}"
                       for a in marked.tolist()], marked, expit(marked)),
        ]  # fmt: skip
    return draw_layers(
        layers, title, "z, the log-odds", "probability", x_range=(-reach, reach), y_range=(0, 1),
        numbers={"z": x.tolist(), "sigmoid": expit(x).tolist(),
                 "points": [[float(a), float(expit(a))] for a in marked]},
    )  # fmt: skip
