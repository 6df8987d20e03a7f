"""A logistic model: the log-odds of a class are a weighted sum of the columns and words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from tallylearn.estimators.finite_rows import check_representable
from tallylearn.estimators.model import choice, tie_rule
from tallylearn.expressions import (
    ClassifierExpression,
    Literal,
    Number,
    Sum,
    TextColumn,
    WordSum,
    linear_sum,
)
from tallylearn.kernels import sparse_rows
from tallylearn.models.design.expression import design_expressions, tokens_of
from tallylearn.models.design.matrix import FAR, FROM_MEANS, Design
from tallylearn.models.design.missing_values import check_complete
from tallylearn.models.glm.design_rows import Lexicon, WordCounts
from tallylearn.models.glm.linear_classifier import LinearClassifierModel
from tallylearn.models.glm.logistic_formulas import LOSSES, METHODS, loss_formula, odds_formula
from tallylearn.models.glm.objective import sample_stride
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import TEXT, Array, Block, Schema, check_columns, check_shape, field_schemas
from tallylearn.workings import Derivation, Evidence, Formula, Grid, Sentence, Term, format_number
from tallylearn.workings.equations import factor, formula, number
from tallylearn.workings.reasons import AT_MEANS, AT_ZERO, LOG_ODDS, Contributions
from tallylearn.workings.terms import intercept_name

MAX_STEPS_PRINTED = 5  # steps, and coefficients of each, that show_work() prints
TOP = 20  # words that are listed, those with the largest weights


@dataclass(frozen=True)
class SolverOutcome:
    """How a fit ended."""

    rows: float  # their weight, those of the classes among it
    loss: float  # the sum over all rows
    null: float  # the same without any column
    objective: float
    least: float  # how far the true class is ahead in the worst row
    steps: int
    converged: bool
    solver: str
    loss_name: str
    C: float  # 0: without a penalty
    l1_ratio: float
    intercept: bool
    overshot: int = 0
    rate: float = 0.0
    errors: Array = field(default_factory=lambda: np.empty((0, 0)))  # (m, width), constants first
    trace: Array = field(default_factory=lambda: np.empty((0, 2)))
    rounded: bool = False  # whether rounding ended it, short of its tolerance
    counted: float = 0.0  # the weight of the rows alone; 0 in files from before it was kept
    inflation: Array | None = None  # (m, width - 1) variance inflation factors

    stored_if_set: ClassVar[tuple[str, ...]] = ("inflation",)

    form: ClassVar[field_schemas.Form] = {
        "rows": field_schemas.number(0.0),
        "loss": field_schemas.number(),
        "null": field_schemas.number(),
        "objective": field_schemas.number(),
        "least": field_schemas.number(),
        "steps": field_schemas.count(),
        "converged": field_schemas.truth,
        "solver": field_schemas.text(
            "newton-cholesky", "newton-cg", "working-set", "lbfgs", "gradient"
        ),
        "loss_name": field_schemas.text(*LOSSES),
        "C": field_schemas.number(0.0),
        "l1_ratio": field_schemas.number(0.0),
        "intercept": field_schemas.truth,
        "overshot": field_schemas.count(),
        "rate": field_schemas.number(0.0),
        "errors": field_schemas.floats("m", "w", least=0.0),
        "trace": field_schemas.floats("t", "v"),
        "rounded": field_schemas.truth,
        "counted": field_schemas.number(0.0),
        "inflation": field_schemas.optional(field_schemas.floats("m", None, least=1.0)),
    }

    @property
    def is_penalised(self) -> bool:
        return self.C > 0

    @property
    def n_training_rows(self) -> float:
        """How many rows were learned from."""
        return self.counted or self.rows

    @property
    def is_separated(self) -> bool:
        return self.least > 0


@dataclass(frozen=True)
class LogisticModel(LinearClassifierModel):
    """Weights of columns and words, and how they were found."""

    classes: tuple[Any, ...]
    design: Design
    lexicons: tuple[Lexicon, ...]
    weights: Array  # (m, p + v), words last
    bias: Array  # (m,)
    at_half: str
    ending: SolverOutcome
    centre: Array = field(default_factory=lambda: np.zeros(0))  # (p,) of the columns
    level: Array = field(default_factory=lambda: np.zeros(0))  # (m,) the sums there

    form: ClassVar[field_schemas.Form] = {
        "classes": field_schemas.keys("k", 2),
        "design": field_schemas.one(Design),
        "lexicons": field_schemas.many(field_schemas.one(Lexicon)),
        "weights": field_schemas.floats("m", "q"),
        "bias": field_schemas.floats("m"),
        "at_half": field_schemas.text("first", "positive"),
        "ending": field_schemas.one(SolverOutcome),
        "centre": field_schemas.floats("c"),
        "level": field_schemas.floats("l"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        p = len(self.design.columns)
        if not self.level.size:  # a file from before they were kept
            object.__setattr__(self, "centre", np.zeros(p))
            object.__setattr__(self, "level", self.bias)
        check_shape("the centre", self.centre, p)
        check_shape("the sums at the centre", self.level, len(self.bias))

    def check(self, schema: Schema) -> None:
        text = {column.name for column in schema.of_kind(TEXT)}
        check_columns("words", [one.name for one in self.lexicons], text)
        for one in self.lexicons:
            one.reader.check()
        if self.design.columns:
            self.design.check(schema)
        if not self.width:
            raise ValueError("the model has no weights")
        m, wide = self.ending.errors.shape
        if self.ending.errors.size and (wide != self.width + 1 or m != max(1, len(self.bias) - 1)):
            raise ValueError(f"the standard errors have the shape {self.ending.errors.shape}")
        inflation = self.ending.inflation
        if inflation is not None and inflation.shape != (m, self.width):
            raise ValueError(f"the variance inflation factors have the shape {inflation.shape}")
        descent = 1 + (len(self.classes) - 1) * (1 + self.width)
        traced = descent if self.ending.solver == "gradient" else 2
        if self.ending.trace.size and self.ending.trace.shape[1] != traced:
            raise ValueError(f"the steps have the shape {self.ending.trace.shape}")

    @property
    def width(self) -> int:
        return len(self.design.columns) + sum(len(one.terms) for one in self.lexicons)

    @property
    def names(self) -> tuple[str, ...]:
        words = (f"{one.name}: {term}" for one in self.lexicons for term in one.terms)
        return (*self.design.names, *words)

    def order(self, schema: Schema) -> Array:
        p = len(self.design.columns)
        return np.concatenate([self.design.order(schema), np.arange(p, self.width)])

    def choose(self, scores: Array) -> Array:
        return choice(scores, self.at_half)

    def expression(self, schema: Schema) -> ClassifierExpression:
        """The log-odds: sums over the columns, around their centre, and over the words."""
        return self._expression(tie_rule(self.at_half))

    def _score_expressions(self) -> Iterator[Number]:
        if len(self.classes) == 2:
            yield Literal(0.0)
        terms, centre, p = design_expressions(self.design), self.centre.tolist(), len(self.centre)
        for level, weights in zip(self.level.tolist(), self.weights.tolist(), strict=True):
            total, at = linear_sum(level, terms, weights[:p], centre), p
            for one in self.lexicons:
                amounts = tuple(weights[at : at + len(one.terms)])
                words = WordSum(TextColumn(one.name), tokens_of(one.reader), one.terms, amounts)
                total, at = Sum((total, words)), at + len(one.terms)
            yield total

    def _linear_scores(self, block: Block) -> Array:
        """(n, m) of the columns, around their centre: far from 0 no digits cancel."""
        weights = self.weights[:, : len(self.design.columns)]
        out = self.design.centred_product(block, self.centre, weights, self.level)
        if not np.isfinite(out).all():  # a gap or an infinity shows in the sums
            with one_thread(), np.errstate(invalid="ignore", over="ignore"):
                out = self.level + (self.design.filled_matrix(block) - self.centre) @ weights.T
        return check_representable(np.asarray(out), block, "score of the classes")

    def activations(self, block: Block) -> Array:
        out = super().activations(block)
        if self.lexicons:
            if self.design.complete:
                check_complete(block, {one.name for one in self.lexicons})
            table = np.ascontiguousarray(self.weights[:, len(self.design.columns) :].T)
            words = WordCounts.of(block, self.lexicons)
            out = np.ascontiguousarray(out)
            sparse_rows.gather(words.ids, words.ends, words.times, table, out)
        return out

    @property
    def _far(self) -> bool:
        """Whether terms from zero are so large that rounding hides what they add up to."""
        size = np.abs(self.weights[:, : len(self.centre)]) @ np.abs(self.centre)
        return bool((size > FAR * (np.abs(self.level) + 1)).any())  # log-odds are about 1

    def _origin(self) -> tuple[Array, Array]:
        return (self.level, self.centre) if self._far else super()._origin()

    def _notes(self, block: Block, i: int) -> tuple[str, ...]:
        return (FROM_MEANS,) if self._far else ()

    def _terms(
        self, block: Block, i: int, x: Array, c: int, groups: dict[str, list[int]],
        start: tuple[Array, Array] | None = None,
    ) -> tuple[Term, ...]:  # fmt: skip
        terms = super()._terms(block, i, x, c, groups, start=start)
        at = c - 1 if len(self.classes) == 2 else c
        if at < 0 or not self.lexicons:
            return terms
        words, p = WordCounts.of(block[i : i + 1], self.lexicons), len(self.design.columns)
        known = [(one.name, term) for one in self.lexicons for term in one.terms]
        found = [
            Term(known[j][0], known[j][1], float(self.weights[at, p + j] * n))
            for j, n in zip(words.ids.tolist(), words.times.tolist(), strict=True)
        ]
        return (*terms, *found)

    def contributions(self, block: Block, found: list[Evidence]) -> list[Contributions]:
        """The terms of the log-odds around the centre of the columns."""
        x, groups = self.design.filled_matrix(block), self.design.groups(block.schema)
        where, start = AT_MEANS if self.centre.any() else AT_ZERO, (self.level, self.centre)
        return [
            Contributions(
                tuple(
                    self._terms(block, i, x[i], c, groups, start=start)
                    for c in range(len(self.classes))
                ),
                LOG_ODDS,
                where,
            )
            for i in range(len(block))
        ]

    def derivation(self, schema: Schema) -> Derivation:
        """The loss, how it was made least, and the weights."""
        two, end = len(self.classes) == 2, self.ending
        plain = schema.of_columns(c for c in schema.columns if c.kind != TEXT)
        steps: list[Grid | Formula | Sentence] = [*self.design.remarks(plain)]
        steps += [odds_formula(two, end.intercept), loss_formula(end.loss_name, end.is_penalised)]
        if end.is_penalised:
            ratio = f", r is {end.l1_ratio:g}" if end.loss_name == "cross-entropy" else ""
            steps.append(Sentence(f"C is {end.C:g}{ratio}."))
        steps.append(self._descent(schema) if end.solver == "gradient" else self._steps())
        around = "" if end.is_penalised and end.l1_ratio else ", around their mean"
        told = "" if two else f" of every class{around}"
        steps.append(self._weights(schema, f"weights{told}"))
        if two:
            steps.append(Sentence(f"c1 is {self.classes[0]}, c2 is {self.classes[1]}."))
        steps += self._likelihood()
        return Derivation("Logistic regression", (*steps, *map(Sentence, self.convergence_notes())))

    def _weights(self, schema: Schema, title: str) -> Grid:
        grid = self.grid(schema, title, constant=self.ending.intercept)
        p = len(self.design.columns)
        if self.width - p <= TOP:
            return grid
        size = np.abs(self.weights[:, p:]).max(axis=0)
        kept = {*range(p), *(p + np.argsort(-size, kind="stable")[:TOP]).tolist(), self.width}
        rows = tuple(row for at, row in enumerate(grid.rows) if at in kept)
        note = f"Of {self.width - p} words those {TOP} with the largest weights."
        return Grid(title, grid.header, rows, note)

    def _steps(self) -> Grid:
        """The objective before every step, what the step promised, and what it lowered it by."""
        end, trace = self.ending, self.ending.trace
        size = max(1, len(self.classes) - 1) * (1 + self.width)
        sampled = end.solver == "newton-cholesky" and sample_stride(end.n_training_rows, size) > 1
        # Where H d = -g, the quadratic model g·d + d·Hd / 2 falls by half of the slope. A lasso's
        # step and a step of L-BFGS have no such model.
        quadratic = end.solver in ("newton-cholesky", "newton-cg") and not (
            end.is_penalised and end.l1_ratio
        )
        values = [*(float(now) for now, _ in trace), end.objective]
        rows = tuple(
            (
                str(at),
                number(now),
                number(-slope / 2 if quadratic else slope),
                *(() if sampled else (number(now - values[at]),)),
            )
            for at, (now, slope) in enumerate(trace.tolist(), 1)
        )
        told = ", over a sample of the rows first" if sampled else ""
        head = (
            "step",
            "J before",
            "promised descent" if quadratic else "slope along the step",
            *(() if sampled else ("descent",)),
        )
        return Grid(f"steps of {METHODS[end.solver]}{told}", head, rows)

    def _likelihood(self) -> list[Formula]:
        """The log-likelihoods of the model and of the one without columns."""
        end = self.ending
        if end.loss_name != "cross-entropy" or end.rows <= 0:
            return []
        model, null = -end.loss, -end.null
        found = [formula(f"ln L = {number(model)}")]
        if not end.is_penalised:
            side = f"-{number(end.rows)} · {number(end.loss / end.rows)}"
            found = [formula(f"ln L = -n · J = {side} = {number(model)}")]
        if end.intercept and null < 0:
            side = f"1 - {factor(model)} / {factor(null)}"
            result = number(1 - model / null)
            found.append(
                formula(f"McFadden R² = 1 - ln L / ln L without columns = {side} = {result}")
            )
        return found

    def _descent(self, schema: Schema) -> Grid:
        """The first steps of gradient descent."""
        end, trace = self.ending, self.trace(schema)
        names = [intercept_name(self.names), *(self.names[j] for j in self.order(schema).tolist())]
        if not end.intercept:
            names, trace = names[1:], np.delete(trace, slice(1, None, len(names)), axis=1)
        if len(self.classes) > 2:
            names = [f"{name} of {c}" for c in self.classes[1:] for name in names]
        rows = tuple(
            (str(at), *(format_number(float(v)) for v in row[: MAX_STEPS_PRINTED + 2]))
            for at, row in enumerate(trace[:MAX_STEPS_PRINTED], 1)
        )
        left, first = len(names) - MAX_STEPS_PRINTED - 1, self.classes[0]
        notes = [f"The weights of {first} stay 0."] if len(self.classes) > 2 else []
        notes += [f"{left} more weights are left out."] if left > 0 else []
        notes += [f"trace_ has the first {len(trace)} steps."] if len(trace) < end.steps else []
        head = (
            "step",
            "loss before",
            *(f"{name} after" for name in names[: MAX_STEPS_PRINTED + 1]),
        )
        title = f"the first of {end.steps} steps w ← w - {end.rate:g} · gradient"
        return Grid(title, head, rows, " ".join(notes))

    def trace(self, schema: Schema) -> Array:
        """The steps that were kept; weights of gradient descent in the order of a table."""
        if self.ending.solver != "gradient":
            return np.array(self.ending.trace)
        each = np.insert(1 + self.order(schema), 0, 0)
        at = [1 + c * len(each) + each for c in range(len(self.classes) - 1)]
        order = np.concatenate([[0], *at])
        return self.ending.trace[:, order] if self.ending.trace.size else np.empty((0, len(order)))

    def convergence_notes(self) -> list[str]:
        """What is to be said about the end of the fit."""
        end, said = self.ending, []
        if not end.converged and end.rounded:
            said.append(
                f"After {end.steps} iterations rounding error prevents further progress, and the "
                "solver has not converged: some coefficients are hardly determined by the rows. "
                "Take a penalty, or leave out rows that lie far from all others."
            )
        elif not end.converged:
            said.append(
                f"The solver did not converge in {end.steps} iterations. Increase max_iter, or "
                "scale the columns."
            )
        elif end.rounded:
            said.append(
                "Rounding error prevented further progress before tol was reached: a smaller tol "
                "changes nothing."
            )
        if end.is_separated:
            said.append(
                "The classes are separated: every row is on the side of its class, and "
                + (
                    "the penalty alone determines the size of the coefficients."
                    if end.is_penalised
                    else "the coefficients would grow without bound."
                )
            )
        if end.overshot:
            said.append(f"Step {end.overshot} increased the loss: the learning rate is too large.")
        return said
