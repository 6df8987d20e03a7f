"""The weights of a perceptron, and the first steps of the walk that found them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.expressions import ClassifierExpression, TieRule
from tallylearn.expressions.nodes import FIRST, LAST
from tallylearn.models.design.matrix import Design
from tallylearn.models.glm.constant_columns import (
    differs,
    insert_zero_columns,
    numbers_of,
    restore_columns,
)
from tallylearn.models.glm.linear_classifier import LinearClassifierModel
from tallylearn.models.glm.perceptron_steps import update_steps
from tallylearn.reporting.report import TableReport
from tallylearn.tables import Array, Block, Schema, check_columns, field_schemas
from tallylearn.workings import Derivation, Formula, Grid, Sentence
from tallylearn.workings.equations import number, signed_product, signed_sum
from tallylearn.workings.step_sequence import StepSequence

ROOM = 10_000  # numbers of the steps that are kept
ZEROS = ("positive", "mistake")  # what a score of exactly 0 is
MAX_TERMS_PRINTED = 5  # columns whose products and weights are printed in one cell
MAX_STEPS_PRINTED = 10  # steps that show_work() prints; full=True prints all that were kept
LATE = (
    "was the same in all rows at first and passed over: it counts from the first rows on that "
    "differ, and is 0 in the steps before."
)
TWO = (
    "w ← w + c · y · {x} if wrong; y is 1 or −1, and a score of 0 {zero}",
    r"w \leftarrow w + c\,y\,{x} \text{ where } y \ne \mathrm{sign}(w \cdot {x})",
)
SEVERAL = (
    "w_true ← w_true + c · {x},  w_answered ← w_answered − c · {x} if wrong",
    r"w_{y} \leftarrow w_{y} + c\,{x},\; w_{\hat y} \leftarrow w_{\hat y} - c\,{x}",
)


@dataclass(frozen=True)
class PerceptronWeights(LinearClassifierModel):
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

    def choose(self, scores: Array) -> Array:
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
            self, design=restore_columns(self.design, late),
            weights=insert_zero_columns(self.weights, at, k),
            last=insert_zero_columns(self.last, at + 1, k),
            drift=insert_zero_columns(self.drift, at + 1, k) if self.drift.size else self.drift,
            trace=self._wider_trace(at, k),
        )  # fmt: skip

    def _wider_trace(self, at: int, k: int) -> Array:
        """The first steps, 0 for columns that they passed over; as many as there is room for."""
        m, p = self.weights.shape
        kept = self.trace[: max(1, ROOM // trace_width(m, p + k))]
        x, before = kept[:, 2 + m : 2 + m + p], kept[:, 2 + m + p :].reshape(-1, p + 1)
        before = insert_zero_columns(before, at + 1, k).reshape(len(kept), m * (p + k + 1))
        return np.hstack([kept[:, : 2 + m], insert_zero_columns(x, at, k), before])

    def derivation(self, schema: Schema, full: bool = False) -> Derivation:
        """The rule, the first steps, and where the weights came to stand."""
        mean = " (their mean over all steps)" if self.drift.size else ""
        title = f"weights{mean}; passes: {self.passes}, corrections: {self.corrections}"
        return Derivation(
            "Perceptron",
            (
                *self.design.remarks(schema),
                *(Sentence(f"Column {name!r} {LATE}") for name in self.taken_up),
                self.rule(),
                *self.step_sequence(schema).tables(None if full else MAX_STEPS_PRINTED),
                self.grid(schema, title, constant=self.intercept),
                Sentence(self.separation_text()),
            ),
        )

    def rule(self) -> Formula:
        """How a row corrects the weights: with a 1 for w0, where there is one."""
        x = "(1, x)" if self.intercept else "x"
        zero = "is a mistake for both" if self.zero == "mistake" else "answers 1"
        found = TWO if len(self.classes) == 2 else SEVERAL
        return Formula(*(part.replace("{x}", x).replace("{zero}", zero) for part in found))

    def separation_text(self) -> str:
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

    def step_sequence(self, schema: Schema) -> Steps:
        """The first steps, with what is told of them."""
        order = self.order(schema)
        found = np.hstack([self.bias[:, None][:, : int(self.intercept)], self.weights[:, order]])
        names = tuple(self.names[j] for j in order)
        return Steps(
            self.first_steps(schema), self.steps, tuple(map(str, self.classes)), names,
            weights=tuple(map(tuple, found.tolist())),
        )  # fmt: skip

    def first_steps(self, schema: Schema) -> tuple[dict[str, Any], ...]:
        """The steps that were kept, as plain data."""
        m, p = self.weights.shape
        order = self.order(schema)
        names = [self.names[j] for j in order]
        steps = []
        for at, row in enumerate(self.trace, 1):
            scores, x = row[2 : 2 + m], row[2 + m : 2 + m + p][order]
            before = row[2 + m + p :].reshape(m, p + 1)
            before = np.hstack([before[:, : int(self.intercept)], before[:, 1:][:, order]])
            steps.append(self._step(at, row, scores, dict(zip(names, x, strict=True)), before))
        return tuple(steps)

    def _step(
        self, at: int, row: Array, scores: Array, x: dict[str, float], before: Array
    ) -> dict[str, Any]:
        truth = int(row[1])
        two = len(self.classes) == 2
        answer = int(scores[0] >= 0) if two else int(scores.argmax())
        if two and scores[0] == 0 and self.zero == "mistake":
            answer = 1 - truth
        return {
            "step": at,
            "row": int(row[0]),
            "x": {name: float(value) for name, value in x.items()},
            "weights": before.tolist(),
            "scores": scores.tolist(),
            "class": str(self.classes[truth]),
            "answer": str(self.classes[answer]),
            "correct": truth == answer,
            "update": self._update(truth, answer),
            "places": {str(name): place for place, name in enumerate(self.classes)},
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
    """The first steps of a perceptron: weights, score, answer and correction, row by row.

    ``save("perceptron.html")`` writes a page to step through them.
    """

    steps: tuple[dict[str, Any], ...]
    taken: int  # of all
    classes: tuple[str, ...]
    names: tuple[str, ...] = ()  # of the columns
    weights: tuple[tuple[float, ...], ...] = ()  # of the fitted model, intercept first

    def __len__(self) -> int:
        return len(self.steps)

    def records(self) -> list[dict[str, Any]]:
        return [*self.steps]

    def to_dict(self) -> dict[str, Any]:
        return {"steps": [*self.steps], "taken": self.taken, "classes": [*self.classes],
                "names": [*self.names], "weights": [list(row) for row in self.weights]}  # fmt: skip

    @staticmethod
    def _layout(found: dict[str, Any]) -> Grid | Derivation:
        steps = Steps(tuple(found["steps"]), found["taken"], tuple(found["classes"]))
        tables = steps.tables()
        return tables[0] if len(tables) == 1 else Derivation("Steps", tables)

    def sequence(self) -> StepSequence:
        """The steps as states of the algorithm, with pictures.

        Returns
        -------
        StepSequence
            A state for each of the first steps; the last has the weights of the fitted model.
        """
        return update_steps(self.to_dict())

    def to_html(self) -> str:
        """The steps as a fragment of HTML with buttons, a slider and keys.

        Returns
        -------
        str
            HTML that needs no other file.
        """
        return self.sequence().to_html()

    def tables(self, most: int | None = None) -> tuple[Grid, ...]:
        """A row for every step, as they are written on paper.

        With more than a few columns or classes, values and weights have a table each.
        """
        shown = self.steps[:most]
        notes = self._notes(len(shown), most)
        if not shown:
            return (Grid("the first steps", ("step", "row"), (), notes),)
        if len(shown[0]["scores"]) == 1 and len(shown[0]["x"]) <= MAX_TERMS_PRINTED:
            head = ("step", "row", "weights", "score", "class", "correct?", "update")
            return (Grid("the first steps", head, tuple(map(_step_cells, shown)), notes),)
        return (*self._wide_tables(shown), self._scores(shown, notes))

    def _notes(self, shown: int, most: int | None) -> str:
        kept, left = len(self.steps), self.taken - len(self.steps)
        notes = []
        if shown < kept:
            notes.append(f"The first {shown} of {kept} steps; show_work(full=True) prints them.")
        if left:
            notes.append(f"{left} further steps were not kept.")
        return " ".join(notes)

    def _wide_tables(self, shown: Sequence[dict[str, Any]]) -> tuple[Grid, ...]:
        """The values of the rows, and the weights before every step, a column for each."""
        names = [*shown[0]["x"]]
        has_intercept = len(shown[0]["weights"][0]) > len(names)
        values = tuple(
            (str(step["step"]), str(step["row"]), *map(number, step["x"].values()))
            for step in shown
        )
        several = len(shown[0]["weights"]) > 1
        weights = tuple(
            (str(step["step"]), *((name,) if several else ()), *map(number, line))
            for step in shown
            for name, line in zip(self.classes, step["weights"], strict=False)
        )
        head = (
            "step",
            *(("class",) if several else ()),
            *(["w0"] if has_intercept else []),
            *names,
        )
        return (
            Grid("rows of the first steps", ("step", "row", *names), values),
            Grid("weights before each step", head, weights),
        )

    def _scores(self, shown: Sequence[dict[str, Any]], notes: str) -> Grid:
        two = len(shown[0]["scores"]) == 1
        names = ("score",) if two else tuple(f"score of {name}" for name in self.classes)
        rows = tuple(
            (
                str(step["step"]),
                *map(number, step["scores"]),
                step["class"],
                step["answer"],
                ", ".join(_rates(step)) or "none",
            )
            for step in shown
        )
        head = ("step", *names, "class", "answer", "update")
        return Grid("scores and corrections", head, rows, notes)


def _rates(step: dict[str, Any]) -> list[str]:
    """What is added of a row, by class."""
    several = len(step["scores"]) > 1
    return [
        f"{f'{name} ' if several else ''}{'+' if by > 0 else '-'}{number(abs(by))} · x"
        for name, by in step["update"].items()
    ]


def _step_cells(step: dict[str, Any]) -> tuple[str, ...]:
    x = [*step["x"].values()]
    x = [1.0] * (len(step["weights"][0]) - len(x)) + x  # 1 for w0, where there is one
    weights = step["weights"][0]
    products = signed_sum([signed_product(w, v) for w, v in zip(weights, x, strict=True)])
    score = f"{products} = {number(step['scores'][0])}".replace(" · ", "·")
    moved = [_update_text(by, x) for by in step["update"].values()]
    correct = "yes" if step["correct"] else "no"
    update = ", ".join(moved) or "none"
    place = str(step["step"]), str(step["row"])
    return (*place, _vector(weights), score, step["class"], correct, update)


def _update_text(by: float, x: list[float]) -> str:
    times = "" if abs(by) == 1 else f"{number(abs(by))}·"
    return f"{'+' if by > 0 else '-'}{times}{_vector(x)}"


def _vector(values: Sequence[float]) -> str:
    return f"[{', '.join(map(number, values))}]"
