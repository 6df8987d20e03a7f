"""The weights of a perceptron, and the first steps of the walk that found them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.expressions import ClassifierExpression, TieRule
from tallylearn.expressions.nodes import FIRST, LAST
from tallylearn.models.design.matrix import Design
from tallylearn.models.glm.constant_columns import differs, numbers_of, restored, widened
from tallylearn.models.glm.linear_classifier import LinearModel
from tallylearn.reporting.report import TableReport
from tallylearn.tables import Array, Block, Schema, check_columns, field_schemas
from tallylearn.workings import Derivation, Formula, Grid, Sentence, format_number

ROOM = 10_000  # numbers of the steps that are kept
ZEROS = ("positive", "mistake")  # what a score of exactly 0 is
MAX_TERMS_PRINTED = 5  # columns whose products are printed
LATE = (
    "was the same in all rows at first and passed over: it counts from the first rows on that "
    "differ, and is 0 in the steps before."
)
TWO = (
    "w ← w + c · y · {x} where the answer is wrong; y is 1 or −1, and a score of 0 {zero}",
    r"w \leftarrow w + c\,y\,{x} \text{ where } y \ne \mathrm{sign}(w \cdot {x})",
)
SEVERAL = (
    "w_true ← w_true + c · {x},  w_answered ← w_answered − c · {x} where the answer is wrong",
    r"w_{y} \leftarrow w_{y} + c\,{x},\; w_{\hat y} \leftarrow w_{\hat y} - c\,{x}",
)


@dataclass(frozen=True)
class PerceptronWeights(LinearModel):
    """Weights that answer, those of the last step, and how many steps it took."""

    classes: tuple[Any, ...]
    design: Design
    weights: Array  # (m, p) that answer: the last ones, or their mean over all steps
    bias: Array  # (m,)
    last: Array  # (m, p + 1), w0 first
    drift: Array  # (m, p + 1) where the mean is taken, see kernels/correcting
    trace: Array  # (t, ...) the first steps, as kernels/perceptron_updates writes them
    rate: float
    rows: int
    zero: str
    intercept: bool
    steps: int = 0
    corrections: int = 0
    passes: int = 0
    separated: bool = False  # whether a whole pass went by without a correction
    passed: tuple[str, ...] = ()  # (c,) columns of numbers that were constant when weights began
    level: Array = field(default_factory=lambda: np.empty(0))  # (c,) what they were
    stream: bool = False  # whether rows came by partial_fit: no pass saw all of them

    form: ClassVar[field_schemas.Form] = {
        "classes": field_schemas.keys("k", 2),
        "design": field_schemas.one(Design),
        "weights": field_schemas.floats("m", "p"),
        "bias": field_schemas.floats("m"),
        "last": field_schemas.floats("m", "p+1"),
        "drift": field_schemas.floats("d", "w"),
        "trace": field_schemas.floats("t", "v"),
        "rate": field_schemas.number(0.0),
        "rows": field_schemas.count(1),
        "zero": field_schemas.text(*ZEROS),
        "intercept": field_schemas.truth,
        "steps": field_schemas.count(1),
        "corrections": field_schemas.count(),
        "passes": field_schemas.count(1),
        "separated": field_schemas.truth,
        "passed": field_schemas.names("c"),
        "level": field_schemas.floats("c"),
        "stream": field_schemas.truth,
    }
    how = "score"

    def check(self, schema: Schema) -> None:
        super().check(schema)
        m, p = self.weights.shape
        if self.drift.size and self.drift.shape != self.last.shape:
            raise ValueError(f"the drift has the shape {self.drift.shape}")
        if self.trace.shape[1] != trace_width(m, p) or self.trace.size > max(ROOM, m * p * 3):
            raise ValueError(f"the first steps have the shape {self.trace.shape}")
        check_columns("columns passed over", self.passed, {*schema.numbers})
        if {*self.design.constant} != {*self.passed} - {*self.taken_up}:
            raise ValueError("the columns passed over are not those that the design leaves out")
        codes = self.trace[:, :2]
        if (codes < 0).any() or (codes[:, 1] >= len(self.classes)).any():
            raise ValueError("the first steps are of rows or classes that cannot be")

    def chosen(self, scores: Array) -> Array:
        """Of two classes the second from a score of 0 on; of more, the first of the largest."""
        if len(self.classes) == 2:
            return (scores[:, 1] >= 0).astype(np.int64)
        return np.asarray(scores.argmax(axis=1))

    def expression(self, schema: Schema) -> ClassifierExpression:
        """The weighted sums; a score of exactly 0 is the second of two classes."""
        return self._expression(TieRule(choose=LAST if len(self.classes) == 2 else FIRST))

    def answering(self, averaged: bool) -> PerceptronWeights:
        """With the weights that answer: the last, or the mean over all steps."""
        found = self.last - self.drift / self.steps if averaged else self.last
        return replace(self, weights=np.ascontiguousarray(found[:, 1:]), bias=found[:, 0].copy())

    @property
    def taken_up(self) -> tuple[str, ...]:
        """Columns that were passed over at first, and have a weight by now."""
        numbers = {*self.design.columns[: numbers_of(self.design)]}
        return tuple(name for name in self.passed if name in numbers)

    def taking_up(self, block: Block) -> PerceptronWeights:
        """With weights of 0 for the columns passed over that these rows show another value of."""
        late = {
            name: value
            for name, value in zip(self.passed, self.level.tolist(), strict=True)
            if name in self.design.constant and differs(block, name, value)
        }
        if not late:
            return self
        at, k = numbers_of(self.design), len(late)
        return replace(
            self, design=restored(self.design, late),
            weights=widened(self.weights, at, k), last=widened(self.last, at + 1, k),
            drift=widened(self.drift, at + 1, k) if self.drift.size else self.drift,
            trace=self._wider_trace(at, k),
        )  # fmt: skip

    def _wider_trace(self, at: int, k: int) -> Array:
        """The first steps, 0 for columns that they passed over; as many as there is room for."""
        m, p = self.weights.shape
        kept = self.trace[: max(1, ROOM // trace_width(m, p + k))]
        x, before = kept[:, 2 + m : 2 + m + p], kept[:, 2 + m + p :].reshape(-1, p + 1)
        before = widened(before, at + 1, k).reshape(len(kept), m * (p + k + 1))
        return np.hstack([kept[:, : 2 + m], widened(x, at, k), before])

    def derivation(self, schema: Schema) -> Derivation:
        """The rule, the first steps, and where the weights came to stand."""
        mean = " (their mean over all steps)" if self.drift.size else ""
        title = f"weights{mean}; passes: {self.passes}, corrections: {self.corrections}"
        return Derivation(
            "Perceptron",
            (
                *self.design.remarks(schema),
                *(Sentence(f"Column {name!r} {LATE}") for name in self.taken_up),
                self.rule(),
                self.walked(schema).grid(),
                self.grid(schema, title, constant=self.intercept),
                Sentence(self.said()),
            ),
        )

    def rule(self) -> Formula:
        """How a row corrects the weights: with a 1 for w0, where there is one."""
        x = "(1, x)" if self.intercept else "x"
        zero = "is a mistake for both" if self.zero == "mistake" else "answers 1"
        found = TWO if len(self.classes) == 2 else SEVERAL
        return Formula(*(part.replace("{x}", x).replace("{zero}", zero) for part in found))

    def said(self) -> str:
        """Whether the classes were told apart."""
        if self.stream:
            last = "needed no" if self.separated else "needed a"
            return (
                "The rows came as a stream, each once, and are not kept: whether a line tells all "
                f"of them apart is not known. Those of the last call {last} correction."
            )
        if self.separated:
            return f"Pass {self.passes} needed no correction: a hyperplane separates the classes."
        return (
            f"Passes: {self.passes}, and each made a correction. Either no hyperplane "
            "separates the classes, or it takes more passes: raise max_iter, take averaged=True, "
            "which settles where the last weights do not, or LogisticRegression."
        )

    def walked(self, schema: Schema) -> Steps:
        """The first steps, with what is told of them."""
        return Steps(self.first_steps(schema), self.steps, tuple(map(str, self.classes)))

    def first_steps(self, schema: Schema) -> tuple[dict[str, Any], ...]:
        """The steps that were kept, as plain data."""
        m, p = self.weights.shape
        order = self.order(schema)
        names = [self.names[j] for j in order]
        steps = []
        for number, row in enumerate(self.trace, 1):
            scores, x = row[2 : 2 + m], row[2 + m : 2 + m + p][order]
            before = row[2 + m + p :].reshape(m, p + 1)
            before = np.hstack([before[:, : int(self.intercept)], before[:, 1:][:, order]])
            steps.append(self._step(number, row, scores, dict(zip(names, x, strict=True)), before))
        return tuple(steps)

    def _step(
        self, number: int, row: Array, scores: Array, x: dict[str, float], before: Array
    ) -> dict[str, Any]:
        truth = int(row[1])
        two = len(self.classes) == 2
        answer = int(scores[0] >= 0) if two else int(scores.argmax())
        if two and scores[0] == 0 and self.zero == "mistake":
            answer = 1 - truth
        return {
            "step": number,
            "row": int(row[0]),
            "x": {name: float(value) for name, value in x.items()},
            "weights": before.tolist(),
            "scores": scores.tolist(),
            "class": str(self.classes[truth]),
            "answer": str(self.classes[answer]),
            "correct": truth == answer,
            "update": self._update(truth, answer),
        }

    def _update(self, truth: int, answer: int) -> dict[str, float]:
        """What times (1, x) is added, by class."""
        if truth == answer:
            return {}
        if len(self.classes) == 2:
            return {str(self.classes[1]): self.rate if truth else -self.rate}
        return {str(self.classes[truth]): self.rate, str(self.classes[answer]): -self.rate}


def trace_width(m: int, p: int) -> int:
    """Numbers of one step of the trace."""
    return 2 + m + p + m * (p + 1)


@dataclass(frozen=True)
class Steps(TableReport):
    """The first steps of a perceptron: weights, score, answer and correction, row by row."""

    steps: tuple[dict[str, Any], ...]
    taken: int  # of all
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.steps)

    def records(self) -> list[dict[str, Any]]:
        return [*self.steps]

    def to_dict(self) -> dict[str, Any]:
        return {"steps": [*self.steps], "taken": self.taken, "classes": [*self.classes]}

    @staticmethod
    def _layout(found: dict[str, Any]) -> Grid:
        return Steps(tuple(found["steps"]), found["taken"], tuple(found["classes"])).grid()

    def grid(self) -> Grid:
        """A row for every step, as they are written on paper."""
        head = ("step", "row", "weights", "score", "class", "correct?", "update")
        left = self.taken - len(self.steps)
        notes = [f"{left} further steps were not kept."] if left else []
        if len(self.classes) > 2:
            notes.insert(0, f"Weights and scores are of {', '.join(self.classes)}.")
        return Grid("the first steps", head, tuple(map(_written, self.steps)), " ".join(notes))


def _written(step: dict[str, Any]) -> tuple[str, ...]:
    x = [*step["x"].values()]
    x = [1.0] * (len(step["weights"][0]) - len(x)) + x  # 1 for w0, where there is one
    if len(step["scores"]) == 1:
        score = _sum(step["weights"][0], x, step["scores"][0])
    else:
        score = ", ".join(map(format_number, step["scores"]))
    weights = "; ".join(_vector(row) for row in step["weights"])
    moved = [_moved(name, by, x, step) for name, by in step["update"].items()]
    correct = "yes" if step["correct"] else "no"
    update = ", ".join(moved) or "none"
    return str(step["step"]), str(step["row"]), weights, score, step["class"], correct, update


def _sum(weights: list[float], x: list[float], score: float) -> str:
    if len(x) > MAX_TERMS_PRINTED:
        return format_number(score)
    terms = " + ".join(
        f"{format_number(w)}·{format_number(v)}" for w, v in zip(weights, x, strict=True)
    )
    return f"{terms} = {format_number(score)}"


def _moved(name: str, by: float, x: list[float], step: dict[str, Any]) -> str:
    whose = f"{name} " if len(step["scores"]) > 1 else ""
    times = "" if abs(by) == 1 else f"{format_number(abs(by))}·"
    return f"{whose}{'+' if by > 0 else '-'}{times}{_vector(x)}"


def _vector(numbers: list[float]) -> str:
    few = [format_number(float(number)) for number in numbers[: MAX_TERMS_PRINTED + 1]]
    return f"[{', '.join(few)}{', …' if len(numbers) > MAX_TERMS_PRINTED + 1 else ''}]"
