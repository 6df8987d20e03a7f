"""Exercises on linear models: perceptron, LMS, least squares, ridge, logistic regression."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

from tallylearn.calculations.calculation import formula
from tallylearn.exercises.exercise import Data, ExerciseKind, ExerciseStep
from tallylearn.models.glm.linear.linear_regression import LinearRegression
from tallylearn.workings import Derivation, Grid, Sentence

REVERSED = "sign of the update reversed"
NO_BIAS = "bias not updated"
Vector = tuple[Any, ...]


def _dot(w: Vector, x: Vector) -> Any:
    return sum(a * b for a, b in zip(w, x, strict=True))


def _moved(w: Vector, x: Vector, by: Any) -> Vector:
    return tuple(a + by * b for a, b in zip(w, x, strict=True))


def _vector(w: Vector) -> str:
    return "(" + ", ".join(f"{float(a):g}" for a in w) + ")"


def _draw_perceptron(random: Random) -> dict[str, Any]:
    rows = [
        ((1, random.randint(-3, 3), random.randint(-3, 3)), random.choice((1, -1)))
        for _ in range(3)
    ]
    return {"rows": rows, "w": tuple(random.randint(-1, 1) for _ in range(3))}


def _perceptron_question(data: Data) -> tuple[Grid | Sentence, ...]:
    cells = tuple(
        (str(i + 1), *map(str, x), "+" if y > 0 else "-") for i, (x, y) in enumerate(data["rows"])
    )
    text = (
        f"A binary perceptron starts with w = {_vector(data['w'])}; the first feature is the bias "
        "1. "
        "A score of 0 counts as +. Which weights has it after each row?"
    )
    return (Sentence(text), Grid("", ("row", "1", "x1", "x2", "class"), cells))


def _perceptron_step(w: Vector, x: Vector, y: int) -> Vector:
    return w if (1 if _dot(w, x) >= 0 else -1) == y else _moved(w, x, y)


def _perceptron_steps(data: Data) -> tuple[ExerciseStep, ...]:
    steps = []
    for at, (x, y) in enumerate(data["rows"]):
        before = f"w{at}" if at else "w"

        def rule(v: Data, x: Vector = x, y: int = y, name: str = before) -> Vector:
            return _perceptron_step(v[name], x, y)

        mistakes: dict[str, Any] = {}
        if _wrong_at(data, at):
            mistakes = {
                REVERSED: lambda v, x=x, y=y, n=before: _moved(v[n], x, -y),
                NO_BIAS: lambda v, x=x, y=y, n=before: _moved(v[n], (0, *x[1:]), y),
                "no update although the prediction is wrong": lambda v, n=before: v[n],
            }
        else:
            mistakes = {
                "updated although the prediction is right": lambda v, x=x, y=y, n=before: _moved(
                    v[n], x, y
                )
            }
        steps.append(ExerciseStep(f"w{at + 1}", f"weights after row {at + 1}", rule, mistakes, 0))
    return tuple(steps)


def _wrong_at(data: Data, at: int) -> bool:
    w = data["w"]
    for x, y in data["rows"][:at]:
        w = _perceptron_step(w, x, y)
    x, y = data["rows"][at]
    return bool(_perceptron_step(w, x, y) != w)


def _perceptron_work(data: Data) -> Derivation:
    w, cells = data["w"], []
    for number, (x, y) in enumerate(data["rows"], 1):
        score, after = _dot(w, x), _perceptron_step(w, x, y)
        word = "right" if after == w else f"wrong, {'add' if y > 0 else 'subtract'} {_vector(x)}"
        cells.append((str(number), _vector(w), f"{score:g}", word, _vector(after)))
        w = after
    grid = Grid("", ("row", "w", "score", "prediction", "new w"), tuple(cells))
    return Derivation("Perceptron", (grid,))


def _drawn_perceptron(random: Random) -> dict[str, Any]:
    while True:  # one row right and two wrong, so that every mistake can be made
        data = _draw_perceptron(random)
        if sum(_wrong_at(data, at) for at in range(3)) == 2:
            return data


PERCEPTRON = ExerciseKind(
    name="perceptron",
    title="Steps of the perceptron",
    draw=_drawn_perceptron,
    question=_perceptron_question,
    steps=_perceptron_steps,
    work=_perceptron_work,
)


def _draw_lms(random: Random) -> dict[str, Any]:
    return {
        "w": tuple(random.randint(-2, 3) for _ in range(3)),
        "x": (1, random.randint(1, 5), random.randint(1, 5)),
        "y": random.randint(-5, 15),
        "rate": Fraction(random.choice((1, 2, 5)), random.choice((10, 20))),
    }


def _lms_question(data: Data) -> tuple[Sentence, ...]:
    text = (
        f"LMS: the weights are {_vector(data['w'])}, a row has the features {_vector(data['x'])} "
        f"(the first is the bias) and the target {data['y']}. The learning rate is "
        f"{float(data['rate']):g}. Which weights follow from w + rate · error · x?"
    )
    return (Sentence(text),)


def _lms_steps(data: Data) -> tuple[ExerciseStep, ...]:
    w, x, y, rate = data["w"], data["x"], data["y"], data["rate"]
    return (
        ExerciseStep(
            "prediction",
            "w · x",
            lambda v: _dot(w, x),
            {"bias left out of the prediction": lambda v: _dot(w[1:], x[1:])},
            0,
        ),
        ExerciseStep(
            "error",
            "target minus prediction",
            lambda v: y - v["prediction"],
            {"prediction minus target": lambda v: v["prediction"] - y},
            0,
        ),
        ExerciseStep(
            "w_new",
            "new weights",
            lambda v: _moved(w, x, rate * Fraction(v["error"])),
            {
                "learning rate left out": lambda v: _moved(w, x, Fraction(v["error"])),
                NO_BIAS: lambda v: _moved(w, (0, *x[1:]), rate * Fraction(v["error"])),
                "not multiplied by the features": lambda v: tuple(
                    a + rate * Fraction(v["error"]) for a in w
                ),
            },
        ),
    )


def _lms_work(data: Data) -> Derivation:
    w, x, y, rate = data["w"], data["x"], data["y"], data["rate"]
    prediction = _dot(w, x)
    error = y - prediction
    products = " + ".join(f"{a} · {b}" for a, b in zip(w, x, strict=True))
    new = _moved(w, x, rate * error)
    return Derivation(
        "LMS",
        (
            formula(f"prediction = {products} = {prediction}".replace("+ -", "- ")),
            formula(f"error = {y} - {prediction} = {error}".replace("- -", "+ ")),
            formula(
                f"w = {_vector(w)} + {float(rate):g} · {error} · {_vector(x)} = {_vector(new)}"
            ),
        ),
    )


LMS = ExerciseKind(
    name="lms-step",
    title="A step of LMS",
    draw=_draw_lms,
    question=_lms_question,
    steps=_lms_steps,
    work=_lms_work,
)


def _draw_line(random: Random) -> dict[str, Any]:
    x = sorted(random.sample(range(9), 4))
    return {"x": x, "y": [random.randint(0, 12) for _ in x], "at": random.randint(9, 12)}


def _sums(data: Data) -> tuple[Fraction, Fraction, Fraction, Fraction, Fraction]:
    x, y = data["x"], data["y"]
    mx, my = Fraction(sum(x), len(x)), Fraction(sum(y), len(y))
    sxy = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return mx, my, sxy, sum((a - mx) ** 2 for a in x), sum((b - my) ** 2 for b in y)


def _points(data: Data) -> Grid:
    rows = tuple((str(a), str(b)) for a, b in zip(data["x"], data["y"], strict=True))
    return Grid("", ("x", "y"), rows)


def _line_question(data: Data) -> tuple[Grid | Sentence, ...]:
    text = f"Fit y = intercept + slope · x by least squares, and predict y at x = {data['at']}."
    return (Sentence(text), _points(data))


def _line_steps(data: Data) -> tuple[ExerciseStep, ...]:
    mx, my, sxy, sxx, syy = _sums(data)
    x, y = data["x"], data["y"]
    origin = Fraction(sum(a * b for a, b in zip(x, y, strict=True)), sum(a * a for a in x))
    return (
        ExerciseStep("mean_x", "mean of x", lambda v: mx),
        ExerciseStep("mean_y", "mean of y", lambda v: my),
        ExerciseStep(
            "slope",
            "slope",
            lambda v: sxy / sxx,
            {
                "divided by the squares of y in place of x": lambda v: sxy / (syy or 1),
                "line through the origin: means not subtracted": lambda v: origin,
                "slope inverted": lambda v: sxx / (sxy or Fraction(1, 1000)),
            },
        ),
        ExerciseStep(
            "intercept",
            "intercept",
            lambda v: float(v["mean_y"]) - float(v["slope"]) * float(v["mean_x"]),
            {
                "slope times the mean added in place of subtracted": lambda v: (
                    float(v["mean_y"]) + float(v["slope"]) * float(v["mean_x"])
                )
            },
            2,
        ),
        ExerciseStep(
            "prediction",
            f"prediction at x = {data['at']}",
            lambda v: float(v["intercept"]) + float(v["slope"]) * data["at"],
            {"intercept left out": lambda v: float(v["slope"]) * data["at"]},
            2,
        ),
    )


def _line_work(data: Data) -> Any:
    mx, my, sxy, sxx, _ = _sums(data)
    slope = sxy / sxx
    model = LinearRegression().fit([[float(a)] for a in data["x"]], [*map(float, data["y"])])
    return Derivation(
        "Least squares",
        (
            formula(f"slope = Σ (x - {mx})(y - {my}) / Σ (x - {mx})² = {sxy} / {sxx} = {slope}"),
            formula(f"intercept = {my} - {slope} · {mx} = {my - slope * mx}"),
            *model.show_work().steps,
        ),
    )


SIMPLE_REGRESSION = ExerciseKind(
    name="simple-regression",
    title="Least squares with one column",
    draw=_draw_line,
    question=_line_question,
    steps=_line_steps,
    work=_line_work,
)


def _draw_ridge(random: Random) -> dict[str, Any]:
    x = random.sample((-4, -3, -2, -1, 1, 2, 3, 4, 5), 3)
    return {"x": x, "y": [random.randint(-6, 9) for _ in x], "penalty": random.randint(1, 9)}


def _ridge_question(data: Data) -> tuple[Grid | Sentence, ...]:
    text = (
        f"Ridge regression through the origin: which w minimises Σ (y - w x)² + "
        f"{data['penalty']} · w²?"
    )
    return (Sentence(text), _points(data))


def _ridge_steps(data: Data) -> tuple[ExerciseStep, ...]:
    x, y, penalty = data["x"], data["y"], data["penalty"]
    sxy, sxx = sum(a * b for a, b in zip(x, y, strict=True)), sum(a * a for a in x)
    return (
        ExerciseStep(
            "sum_xy",
            "Σ x · y",
            lambda v: sxy,
            {"sums multiplied in place of products summed": lambda v: sum(x) * sum(y)},
            0,
        ),
        ExerciseStep(
            "sum_xx",
            "Σ x²",
            lambda v: sxx,
            {"square of the sum": lambda v: sum(x) ** 2},
            0,
        ),
        ExerciseStep(
            "w",
            "coefficient w",
            lambda v: float(v["sum_xy"]) / (float(v["sum_xx"]) + penalty),
            {
                "penalty left out": lambda v: float(v["sum_xy"]) / (float(v["sum_xx"]) or 1e-9),
                "penalty subtracted": lambda v: (
                    float(v["sum_xy"]) / ((float(v["sum_xx"]) - penalty) or 1e-9)
                ),
                "penalty added to the numerator": lambda v: (
                    (float(v["sum_xy"]) + penalty) / (float(v["sum_xx"]) or 1e-9)
                ),
            },
        ),
    )


def _ridge_work(data: Data) -> Derivation:
    x, y, penalty = data["x"], data["y"], data["penalty"]
    sxy, sxx = sum(a * b for a, b in zip(x, y, strict=True)), sum(a * a for a in x)
    w = Fraction(sxy, sxx + penalty)
    return Derivation(
        "Ridge",
        (
            Sentence("The derivative -2 Σ x (y - w x) + 2 λ w is 0 at the minimum."),
            formula(
                f"w = Σ x · y / (Σ x² + λ) = {sxy} / ({sxx} + {penalty}) = {w} = {float(w):.4g}"
            ),
        ),
    )


RIDGE = ExerciseKind(
    name="ridge-one-variable",
    title="Ridge regression with one column",
    draw=_draw_ridge,
    question=_ridge_question,
    steps=_ridge_steps,
    work=_ridge_work,
)


def _draw_logistic(random: Random) -> dict[str, Any]:
    return {
        "w": tuple(Fraction(random.randint(-4, 4), 2) for _ in range(3)),
        "x": (1, random.randint(-3, 3), random.randint(-3, 3)),
        "y": random.choice((0, 1)),
        "rate": Fraction(1, 2),
    }


def _logistic_question(data: Data) -> tuple[Sentence, ...]:
    text = (
        f"Logistic regression with cross-entropy: the weights are {_vector(data['w'])}, a row has "
        f"the features {_vector(data['x'])} (the first is the bias) and the class {data['y']}. "
        "Take one gradient step with the learning rate 0.5."
    )
    return (Sentence(text),)


def _sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z))


def _logistic_steps(data: Data) -> tuple[ExerciseStep, ...]:
    w, x, y = tuple(map(float, data["w"])), data["x"], data["y"]
    return (
        ExerciseStep("score", "w · x", lambda v: _dot(w, x), {
            "bias left out of the score": lambda v: _dot(w[1:], x[1:])}),
        ExerciseStep("h", "sigmoid of the score", lambda v: _sigmoid(float(v["score"])), {
            "sign of the exponent reversed": lambda v: _sigmoid(-float(v["score"])),
            "rounded to 0 or 1": lambda v: 1 if float(v["score"]) >= 0 else 0,
        }),
        ExerciseStep(
            "w_new",
            "new weights",
            lambda v: _moved(w, x, 0.5 * (y - float(v["h"]))),
            {
                REVERSED: lambda v: _moved(w, x, -0.5 * (y - float(v["h"]))),
                "gradient of the squared error: factor h(1 - h)": lambda v: _moved(
                    w, x, 0.5 * (y - float(v["h"])) * float(v["h"]) * (1 - float(v["h"]))
                ),
                "learning rate left out": lambda v: _moved(w, x, y - float(v["h"])),
            },
        ),
    )  # fmt: skip


def _logistic_work(data: Data) -> Derivation:
    w, x, y = data["w"], data["x"], data["y"]
    z = float(_dot(w, x))
    h = _sigmoid(z)
    new = _moved(tuple(map(float, w)), x, 0.5 * (y - h))
    shown = "(" + ", ".join(f"{a:.4g}" for a in new) + ")"
    return Derivation(
        "Logistic step",
        (
            formula(f"score = w · x = {z:g}"),
            formula(f"h = 1 / (1 + e^(-score)) = {h:.4g}"),
            formula(f"w = {_vector(w)} + 0.5 · ({y} - {h:.4g}) · {_vector(x)} = {shown}"),
        ),
    )


LOGISTIC = ExerciseKind(
    name="logistic-step",
    title="A gradient step of logistic regression",
    draw=_draw_logistic,
    question=_logistic_question,
    steps=_logistic_steps,
    work=_logistic_work,
)

KINDS = (PERCEPTRON, LMS, SIMPLE_REGRESSION, RIDGE, LOGISTIC)
