"""A weighted sum of the columns, and the first steps of the descent that found its weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tallylearn.estimators import RegressionModel
from tallylearn.expressions import NumberColumn, RegressorExpression, linear_sum
from tallylearn.models.glm.gradient_descent import Descent, complete, predict
from tallylearn.tables import Array, Block, Schema, check_shape, field_schemas
from tallylearn.workings import (
    Derivation,
    Evidence,
    EvidenceLine,
    Formula,
    Grid,
    Sentence,
    Term,
    format_number,
)
from tallylearn.workings.equations import formula, number, signed_product, signed_sum
from tallylearn.workings.terms import intercept_name

BATCH = ("sum", "mean")  # a step looks at all rows
ABSOLUTE = "absolute"  # a step has the sign of the error in the place of the error
SCALINGS = ("error", "twice", *BATCH, ABSOLUTE)
MAX_STEPS_PRINTED = 5  # steps that show_work() prints; full=True prints all that were kept
MAX_COLUMNS_PRINTED = 5  # columns of them
ROUNDING = 1e-12  # relative: what is smaller is zero up to rounding
ROOM = 10_000  # numbers of the steps that are kept
RULES = {
    "error": ("w_i ← w_i + c · x_i · (y − ŷ)", r"w_i \leftarrow w_i + c\,x_i\,(y - \hat y)"),
    "twice": ("w_i ← w_i + 2 c · x_i · (y − ŷ)", r"w_i \leftarrow w_i + 2c\,x_i\,(y - \hat y)"),
    ABSOLUTE: (
        "w_i ← w_i + c · x_i · sign(y − ŷ)",
        r"w_i \leftarrow w_i + c\,x_i\,\operatorname{sign}(y - \hat y)",
    ),
    "sum": (
        "w_i ← w_i + c · Σ x_i · (y − ŷ), over all rows",
        r"w_i \leftarrow w_i + c \sum_{j=1}^{m} x_{ji}\,(y_j - \hat y_j)",
    ),
    "mean": (
        "w_i ← w_i + c · 2/m · Σ x_i · (y − ŷ), over all m rows",
        r"w_i \leftarrow w_i + c\,\frac{2}{m} \sum_{j=1}^{m} x_{ji}\,(y_j - \hat y_j)",
    ),
}


@dataclass(frozen=True)
class Weights(RegressionModel):
    """ŷ = w0 + w1 x1 + ... + wp xp, and the first steps on the way there."""

    columns: tuple[str, ...]
    weights: Array  # (p + 1,), w0 first
    rate: float
    scaling: str
    trace: Array  # (t, ...) the first steps, as the kernel and ``BatchDescent`` write them
    steps: int = 0
    overshot: int = 0  # steps that increased the error
    rows: int = 0  # that it learned from; 0 in files of earlier versions, which do not say
    converged: bool = False  # batch descent, which had no number of steps, reached its tolerance

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.names("p"),
        "weights": field_schemas.floats("p+1"),
        "rate": field_schemas.number(0.0),
        "scaling": field_schemas.text(*SCALINGS),
        "trace": field_schemas.floats("t", "w"),
        "steps": field_schemas.count(),
        "overshot": field_schemas.count(),
        "rows": field_schemas.count(),
        "converged": field_schemas.truth,
    }

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        if self.columns != schema.numbers:
            raise ValueError("the weights are of other columns than the schema's")
        rows, width = self.trace.shape
        if rows > self.max_stored_steps or width != self._trace_width:
            raise ValueError(f"the first steps have the shape {self.trace.shape}")

    def __post_init__(self) -> None:
        check_shape("the weights", self.weights, len(self.columns) + 1)

    @property
    def _trace_width(self) -> int:
        """Numbers of one step of the trace."""
        p = len(self.columns)
        return 2 + p if self.scaling in BATCH else 3 + 2 * p

    @property
    def max_stored_steps(self) -> int:
        """How many steps are kept, of more than that."""
        return max(MAX_STEPS_PRINTED, ROOM // self._trace_width)

    def walk(self) -> Array:
        """(t, 2 + p) of the steps that were kept: the squared error before, and the weights."""
        if self.scaling in BATCH:
            return np.array(self.trace)
        y, answer = self.trace[:, 0], self.trace[:, 1]
        return np.column_stack([(y - answer) ** 2, self.trace[:, 2 + len(self.columns) :]])

    def after(self, descent: Descent, rows: int) -> Weights:
        """The model with more steps behind it, over so many rows."""
        trace = np.concatenate([self.trace, descent.trace]) if self.steps else descent.trace
        return replace(
            self,
            weights=descent.weights,
            trace=trace,
            steps=self.steps + descent.steps,
            overshot=self.overshot + descent.overshot,
            rows=self.rows + rows if self.rows or not self.steps else 0,
            converged=descent.converged,
        )

    def predictions(self, block: Block) -> Array:
        x = complete(block)[:, [block.schema.places[name] for name in self.columns]]
        return predict(self.weights, x)

    def evidence(self, block: Block) -> list[Evidence]:
        """The terms w_i · x_i: they sum to the prediction."""
        places = [block.schema.places[name] for name in self.columns]
        return [
            Evidence((EvidenceLine("ŷ", self._terms(x[places])),), answer, "sum")
            for x, answer in zip(block.numbers, self.predictions(block).tolist(), strict=True)
        ]

    def _terms(self, x: Array) -> tuple[Term, ...]:
        return (
            Term("", "", float(self.weights[0])),
            *(
                Term(name, format_number(float(value)), float(w * value))
                for name, value, w in zip(self.columns, x, self.weights[1:], strict=True)
            ),
        )

    def expression(self, schema: Schema) -> RegressorExpression:
        """w0 + w1 x1 + ... + wp xp."""
        level, *weights = self.weights.tolist()
        columns = [NumberColumn(name) for name in self.columns]
        return RegressorExpression((linear_sum(level, columns, weights, [0.0] * len(columns)),))

    def derivation(self, schema: Schema, full: bool = False) -> Derivation:
        """The rule, the first step written out, the first steps, and the weights at the end."""
        names = intercept_name(self.columns), *self.columns
        pairs = zip(names, self.weights, strict=True)
        rows = tuple((name, format_number(float(w))) for name, w in pairs)
        return Derivation(
            "Least mean squares",
            (
                Formula("ŷ = w0 + Σ w_i · x_i", r"\hat y = w_0 + \sum_i w_i x_i"),
                Formula(f"{RULES[self.scaling][0]},  c = {self.rate:g}", RULES[self.scaling][1]),
                *([] if self.scaling in BATCH or not self.steps else self._first_step(full)),
                self._first_steps(full),
                Grid(f"weights, steps taken: {self.steps}", ("column", "weight"), rows),
                *(Sentence(said) for said in self._flag()),
            ),
        )

    def _first_step(self, full: bool) -> list[Formula | Sentence]:
        """The prediction, the error and every new weight of the first step."""
        p = len(self.columns)
        if p > MAX_COLUMNS_PRINTED and not full:
            return []
        y, answer = float(self.trace[0, 0]), float(self.trace[0, 1])
        x, after = self.trace[0, 2 : 2 + p], self.trace[0, 2 + p : 3 + 2 * p]
        step = (2 if self.scaling == "twice" else 1) * self.rate
        moved = step * (y - answer) * np.concatenate([[1.0], x])
        before = after - moved
        before = np.where(np.abs(before) <= ROUNDING * (np.abs(after) + np.abs(moved)), 0, before)
        kept = float(after[0]) != 0 or moved[0] == 0  # no intercept: its weight stays 0
        first = 0 if kept else 1
        values = np.concatenate([[1.0], x])
        names = ["w0", *(f"w({name})" for name in self.columns)]
        products = [signed_product(float(before[j]), float(values[j])) for j in range(first, p + 1)]
        error = f"{number(y)} {'+' if answer < 0 else '-'} {number(abs(answer))}"
        steps: list[Formula | Sentence] = [
            Sentence("The first step:"),
            formula(f"ŷ = {signed_sum(products)} = {number(answer)}"),
            formula(f"y - ŷ = {error} = {number(y - answer)}"),
        ]
        for j in range(first, p + 1):
            product = f"{signed_product(float(values[j]), y - answer)}"
            sign = "-" if product.startswith("-") else "+"
            change = f"{number(step)} · {product.removeprefix('-')}"
            side = f"{number(float(before[j]))} {sign} {change}"
            steps.append(formula(f"{names[j]} ← {side} = {number(float(after[j]))}"))
        return steps

    def _first_steps(self, full: bool) -> Grid:
        p = len(self.columns)
        few = self.columns if full else self.columns[:MAX_COLUMNS_PRINTED]
        first = self.trace if full else self.trace[:MAX_STEPS_PRINTED]
        after = [intercept_name(self.columns), *(f"w({name})" for name in few)]
        notes = []
        if p > len(few):
            left = f"Weights of {p - len(few)} more columns are left out"
            notes.append(f"{left}; show_work(full=True) prints them.")
        if len(self.trace) < self.steps:
            notes.append(f"trace_ has the first {len(self.trace)} of {self.steps} steps.")
        if self.scaling in BATCH:
            head = ("step", "mean squared error", *after)
            picked = first[:, : 2 + len(few)]
        else:
            head = ("step", *few, "y", "ŷ", "y − ŷ", *after)
            y, answer = first[:, :1], first[:, 1:2]
            x, w = first[:, 2 : 2 + len(few)], first[:, 2 + p : 3 + p + len(few)]
            picked = np.hstack([x, y, answer, y - answer, w])
        rows = tuple(
            (str(at), *(number(float(value)) for value in row)) for at, row in enumerate(picked, 1)
        )
        return Grid("the first steps, and the weights after each", head, rows, " ".join(notes))

    def _flag(self) -> list[str]:
        if self.converged:
            return [f"Gradient descent converged in {self.steps:,} steps."]
        said = []
        if self.steps == 1 and self.scaling in BATCH:
            said.append(
                "One step was taken, over all rows: the weights are not those of least squares. "
                "Give the number of steps, such as steps=1000."
            )
        if self.overshot:
            said.append(
                f"{self.overshot} of {self.steps} steps increased the error: the learning rate is "
                "too large. Use a smaller learning_rate, or scale the columns."
            )
        return said
