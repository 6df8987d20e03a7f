"""Gradient descent step by step, and its path on the contours of the mean squared error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallylearn.reporting.charts import Layer, LineLayer, Plot, PointLayer, axis_ends, draw_layers
from tallylearn.reporting.charts.line_chart import draw_lines
from tallylearn.reporting.charts.region_outlines import level_outlines
from tallylearn.tables import Array
from tallylearn.workings.derivations import Step
from tallylearn.workings.equations import equation, number
from tallylearn.workings.step_sequence import AlgorithmStep, StepSequence

MAX_STEPS = 80  # steps that are told
GRID_SIZE = 101  # points of the grid of the contours along each axis
N_CONTOURS = 12


def descent_steps(
    names: Sequence[str], start: Array, errors: Array, path: Array, fitted: Array, rule: str,
    n_steps: int, rows: tuple[Array, Array] | None = None,
) -> StepSequence:  # fmt: skip
    """The states of gradient descent.

    Parameters
    ----------
    names : the intercept and the columns.
    start : (p + 1,) the first weights.
    errors : (t,) the error before each step: of its row, or the mean over all rows.
    path : (t, p + 1) the weights after each step.
    fitted : (p + 1,) those of the model, and ``n_steps`` how many steps it took.
    rule : the update rule as text.
    rows : x and y of the training rows, if there is one column: for the contours.
    """
    every = np.vstack([start, path])
    told = min(len(path), MAX_STEPS)
    first = _drawing(every[:1], errors[:0], rows, every)
    steps = [AlgorithmStep("Start", {"weights": start.tolist()}, (equation(rule),), first)]
    for at in range(1, told + 1):
        before, after = every[at - 1], every[at]
        parts: list[Step] = [
            equation(f"{name} ← {number(a)} {'+' if b >= a else '-'} {number(abs(b - a))} = "
                     f"{number(b)}")
            for name, a, b in zip(names, before.tolist(), after.tolist(), strict=True)
        ]  # fmt: skip
        steps.append(AlgorithmStep(
            f"Step {at}: the squared error before it is {number(float(errors[at - 1]))}",
            {"weights": after.tolist(), "error": float(errors[at - 1])}, tuple(parts),
            _drawing(every[: at + 1], errors[:at], rows, every),
        ))  # fmt: skip
    left = n_steps - told
    if left or not np.array_equal(every[told], fitted):
        steps.append(AlgorithmStep(
            f"The fitted weights, after {left} more steps", {"weights": fitted.tolist()},
            tuple(equation(f"{name} = {number(w)}")
                  for name, w in zip(names, fitted.tolist(), strict=True)),
            _drawing(np.vstack([every, fitted]), errors, rows, np.vstack([every, fitted])),
        ))  # fmt: skip
    return StepSequence("Gradient descent", tuple(steps))


def draw_descent(
    x: Array, y: Array, path: Array, title: str = "Gradient descent", whole: Array | None = None
) -> Plot:
    """The path of (intercept, slope) on the contours of the mean squared error of one column.

    The axes show the path ``whole``, of which ``path`` can be the beginning.
    """
    best = np.polyfit(x, y, 1)[::-1] if len({*x.tolist()}) > 1 else path[-1]
    shown = np.vstack([path if whole is None else whole, best])
    ends = [axis_ends(shown[:, axis], 0.25) for axis in (0, 1)]
    w0, w1 = (np.linspace(*one, GRID_SIZE) for one in ends)
    heights = mean_squared_error(x, y, w0[None, :], w1[:, None])
    low, high = float(heights.min()), float(heights.max())
    levels = low + (high - low) * (np.arange(1, N_CONTOURS) / N_CONTOURS) ** 2
    layers: list[Layer] = []
    for level in levels.tolist():
        for outline in level_outlines(w0, w1, -heights, -level):
            closed = np.vstack([outline, outline[:1]])
            layers.append(LineLayer("", closed[:, 0], closed[:, 1], 6, width=1.0))
    layers += [
        LineLayer("path", path[:, 0], path[:, 1], 1, width=1.6),
        PointLayer("path", path[:, 0], path[:, 1], 1, solid=True, shape=0),
        PointLayer("least squares", [best[0]], [best[1]], 4, solid=True, shape=3),
    ]
    numbers = {
        "path": path.tolist(), "least_squares": best.tolist(), "levels": levels.tolist(),
        "w0": w0.tolist(), "w1": w1.tolist(), "mean_squared_error": heights.tolist(),
    }  # fmt: skip
    return draw_layers(layers, title, "intercept", "slope", x_range=ends[0], y_range=ends[1],
                       notes=["contours: equal mean squared error"], numbers=numbers)  # fmt: skip


def mean_squared_error(x: Array, y: Array, w0: Array, w1: Array) -> Array:
    """(...) of the line w0 + w1 x, for arrays of weights, from the moments of the rows."""
    mean = [float(np.mean(v)) for v in (x, y, x * x, x * y, y * y)]
    sx, sy, sxx, sxy, syy = mean
    found = syy + w0**2 + w1**2 * sxx + 2 * (w0 * w1 * sx - w0 * sy - w1 * sxy)
    return np.asarray(np.maximum(found, 0.0))


def _drawing(
    path: Array, errors: Array, rows: tuple[Array, Array] | None, whole: Array
) -> Plot | None:
    if rows is not None:
        return draw_descent(*rows, path, whole=whole)
    if not len(errors):
        return None
    at = range(1, len(errors) + 1)
    return draw_lines({"squared error": (at, errors)}, "Error before each step", "step", "error")
