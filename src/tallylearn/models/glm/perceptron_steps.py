"""The corrections of a perceptron, row by row, with its boundary in two columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.reporting.charts import Layer, LineLayer, Plot, PointLayer, axis_ends, draw_layers
from tallylearn.reporting.charts.svg_elements import SHAPES
from tallylearn.reporting.formatting import format_number
from tallylearn.workings.derivations import Step
from tallylearn.workings.equations import equation, number, signed_sum
from tallylearn.workings.step_sequence import AlgorithmStep, StepSequence

MAX_STEPS = 80  # steps that are told
MAX_TERMS = 8  # columns whose products are written


def update_steps(found: dict[str, Any]) -> StepSequence:
    """The states of the algorithm from the data of its first steps."""
    told = found["steps"][:MAX_STEPS]
    rows = {step["row"]: step for step in found["steps"]}
    steps = []
    for step in told:
        after = _weights_after(step)
        parts = _equations(step, after, found["names"])
        said = "correct, no update" if step["correct"] else (
            f"class {step['class']}, predicted {step['answer']}: update the weights"
        )  # fmt: skip
        steps.append(AlgorithmStep(
            f"Row {step['row']}: {said}",
            {"row": step["row"], "correct": step["correct"], "weights": after}, parts,
            _drawing(found, rows, after, step),
        ))  # fmt: skip
    left = found["taken"] - len(told)
    more = f", after {left} more steps" if left else ""
    weights = [*map(list, found["weights"])]
    steps.append(AlgorithmStep(
        f"The fitted weights{more}", {"weights": weights},
        tuple(equation(f"w = [{', '.join(map(number, row))}]") for row in weights),
        _drawing(found, rows, weights, None),
    ))  # fmt: skip
    return StepSequence("Perceptron, row by row", tuple(steps))


def _weights_after(step: dict[str, Any]) -> list[list[float]]:
    """The weights after the step."""
    weights = [list(row) for row in step["weights"]]
    x = _with_one(step)
    for name, by in step["update"].items():
        # of two classes there is one vector; of more, one for each class, in their order
        at = 0 if len(weights) == 1 else step["places"][name]
        weights[at] = [w + by * v for w, v in zip(weights[at], x, strict=True)]
    return weights


def _with_one(step: dict[str, Any]) -> list[float]:
    x = [float(v) for v in step["x"].values()]
    return [1.0] * (len(step["weights"][0]) - len(x)) + x


def _equations(
    step: dict[str, Any], after: list[list[float]], names: list[str]
) -> tuple[Step, ...]:
    x = _with_one(step)
    parts: list[Step] = []
    for row, score in zip(step["weights"], step["scores"], strict=True):
        if len(x) <= MAX_TERMS:
            terms = [f"{number(w)} · {_bracket(v)}" for w, v in zip(row, x, strict=True)]
            parts.append(equation(f"w · x = {signed_sum(terms)} = {number(score)}"))
        else:
            parts.append(equation(f"w · x = {number(score)}"))
    for name, by in step["update"].items():
        at = 0 if len(after) == 1 else step["places"][name]
        if len(x) <= MAX_TERMS:
            old, moved, new = ("[" + ", ".join(map(number, one)) + "]"
                               for one in (step["weights"][at], x, after[at]))  # fmt: skip
            sign = "+" if by > 0 else "-"
            parts.append(equation(f"w ← {old} {sign} {format_number(abs(by))} · {moved} = {new}"))
    return tuple(parts)


def _bracket(value: float) -> str:
    return f"({number(value)})" if value < 0 else number(value)


def _drawing(
    found: dict[str, Any], rows: dict[int, Any], weights: list[list[float]],
    step: dict[str, Any] | None,
) -> Plot | None:  # fmt: skip
    """The rows of two columns, the boundary of two classes, and the row of the step."""
    names, classes = found["names"], found["classes"]
    if len(names) != 2 or len(classes) > len(SHAPES):
        return None
    points = np.array([[*one["x"].values()] for one in rows.values()], dtype=float)
    kind = np.array([one["class"] for one in rows.values()], dtype=object)
    x_range, y_range = axis_ends(points[:, 0]), axis_ends(points[:, 1])
    layers: list[Layer] = []
    if len(weights) == 1:
        *level, a, b = weights[0]
        bias = level[0] if level else 0.0
        if b:
            ends = np.array(x_range)
            layers.append(LineLayer("boundary", ends, -(bias + a * ends) / b))
        elif a:
            layers.append(LineLayer("boundary", [-bias / a] * 2, y_range))
    for code, name in enumerate(classes):
        own = points[kind == name]
        if len(own):
            layers.append(PointLayer(name, own[:, 0], own[:, 1], code))
    if step is not None:
        code, (a, b) = classes.index(step["class"]), step["x"].values()
        layers.append(PointLayer("row of this step", [a], [b], code, True))
    return draw_layers(layers, "Rows and boundary", *names, x_range=x_range, y_range=y_range)
