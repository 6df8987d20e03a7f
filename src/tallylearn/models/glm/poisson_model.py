"""The fitted Poisson regression: a log-linear model of counts, and how it was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tallylearn.estimators import RegressionModel
from tallylearn.expressions import (
    Exponential,
    NumberColumn,
    Product,
    RegressorExpression,
    Sum,
    linear_sum,
)
from tallylearn.models.design.expression import design_expressions
from tallylearn.models.design.matrix import FAR, FROM_MEANS, Design
from tallylearn.models.glm.design_rows import Exposure
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Block, Schema, check_shapes, field_schemas
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
from tallylearn.workings.equations import formula, number
from tallylearn.workings.reasons import AT_MEANS, AT_ZERO, LOGARITHM, Contributions
from tallylearn.workings.terms import intercept_name

MEAN = Formula(
    "ln E[y] = offset + b_0 + Σ b_j x_j", r"\ln E[y] = \mathrm{offset} + b_0 + \sum_j b_j x_j"
)
DEVIANCE = Formula(
    "D = 2 Σ (y ln(y / μ) - y + μ)", r"D = 2 \sum \left(y \ln\frac{y}{\mu} - y + \mu\right)"
)
OBJECTIVE = Formula(
    "D / (2 n) + alpha / 2 · Σ b_j²", r"\frac{D}{2n} + \frac{\alpha}{2} \sum_j b_j^2"
)


@dataclass(frozen=True)
class PoissonModel(RegressionModel):
    """E[y] = exp(offset + intercept + coef · x)."""

    design: Design
    coef: Array  # (p,)
    intercept: float
    centre: Array  # (p,) of the columns
    level: float  # the linear predictor there, without the offset
    exposure: Exposure
    alpha: float
    has_intercept: bool
    rows: float
    deviance: float
    null_deviance: float
    log_likelihood: float
    pearson: float  # Pearson's chi-squared statistic
    steps: int
    converged: bool
    errors: Array = field(default_factory=lambda: np.empty(0))  # (p + 1,) the intercept's first
    inflation: Array | None = None  # (p,) variance inflation factors

    stored_if_set: ClassVar[tuple[str, ...]] = ("inflation",)

    form: ClassVar[field_schemas.Form] = {
        "design": field_schemas.one(Design),
        "coef": field_schemas.floats("p"),
        "intercept": field_schemas.number(),
        "centre": field_schemas.floats("p"),
        "level": field_schemas.number(),
        "exposure": field_schemas.one(Exposure),
        "alpha": field_schemas.number(0.0),
        "has_intercept": field_schemas.truth,
        "rows": field_schemas.number(0.0),
        "deviance": field_schemas.number(),
        "null_deviance": field_schemas.number(),
        "log_likelihood": field_schemas.number(),
        "pearson": field_schemas.number(0.0),
        "steps": field_schemas.count(),
        "converged": field_schemas.truth,
        "errors": field_schemas.floats("e", least=0.0),
        "inflation": field_schemas.optional(field_schemas.floats("p", least=1.0)),
    }

    def __post_init__(self) -> None:
        check_shapes("the coefficients", (self.coef, self.centre), len(self.design.columns))

    def check(self, schema: Schema) -> None:
        self.design.check(schema)
        if self.exposure.column and self.exposure.column not in schema.numbers:
            raise ValueError(f"the offset {self.exposure.column!r} is no column of numbers")
        if self.exposure.column in self.design.columns:
            raise ValueError("the offset has a coefficient")
        if self.errors.size not in (0, 1 + len(self.coef)):
            raise ValueError(f"the standard errors have the shape {self.errors.shape}")

    @property
    def category_values(self) -> Mapping[str, tuple[str, ...]]:
        return self.design.category_values

    @property
    def d2(self) -> float:
        """D²: the share of the null model's deviance that the columns explain."""
        return 1 - self.deviance / self.null_deviance if self.null_deviance else 0.0

    def predictions(self, block: Block) -> Array:
        pieces = [self._linear(part) for part in self.design.pieces(block)]
        with np.errstate(over="ignore"):  # whoever asks refuses infinite means
            return np.asarray(np.exp(np.concatenate(pieces)))

    def _linear(self, block: Block) -> Array:
        """(n,) the linear predictor: sums around the centre, so that no digits cancel."""
        level = np.array([self.level])
        out = self.design.centred_product(block, self.centre, self.coef[None], level)[:, 0]
        if not np.isfinite(out).all():  # a missing value or an infinity shows in the sums
            with one_thread(), np.errstate(invalid="ignore", over="ignore"):
                out = self.level + (self.design.filled_matrix(block) - self.centre) @ self.coef
        offset = self.exposure.offset(block)
        return np.asarray(out + offset if offset.size else out)

    def evidence(self, block: Block) -> list[Evidence]:
        """The mean as a product: every column multiplies it by exp(b x)."""
        x = self.design.filled_matrix(block) - (self.centre if self._far else 0.0)
        groups, means = self.design.groups(block.schema), self.predictions(block).tolist()
        start, notes = (self.level, (FROM_MEANS,)) if self._far else (self.intercept, ())
        offset, found = self._offset_terms(block), []
        for i, mean in enumerate(means):
            terms = [Term("", "", start)] if self.has_intercept or self._far else []
            terms += offset[i]
            terms += self.design.evidence_terms(block, i, groups, self.coef * x[i])
            found.append(Evidence((EvidenceLine("ŷ", tuple(terms)),), mean, "product", notes))
        return found

    def contributions(self, block: Block, found: list[Evidence]) -> list[Contributions]:
        """The terms of the logarithm of the mean, around the means of the columns."""
        amounts = (self.design.filled_matrix(block) - self.centre) * self.coef
        groups, offset = self.design.groups(block.schema), self._offset_terms(block)
        start, where = Term("", "", self.level), AT_MEANS if self.centre.any() else AT_ZERO
        return [
            Contributions(
                ((start, *offset[i], *self.design.evidence_terms(block, i, groups, amounts[i])),),
                LOGARITHM,
                where,
            )
            for i in range(len(block))
        ]

    def _offset_terms(self, block: Block) -> list[list[Term]]:
        """For every row the term of its offset; none without one."""
        offset = self.exposure.offset(block)
        if not offset.size:
            return [[] for _ in range(len(block))]
        shown = offset if self.exposure.is_log else np.exp(offset)
        name = self.exposure.column
        return [
            [Term(name, format_number(float(value)), float(amount))]
            for value, amount in zip(shown, offset, strict=True)
        ]

    @property
    def _far(self) -> bool:
        """Whether terms from zero are so large that rounding hides what they add up to."""
        return bool(np.abs(self.coef * self.centre).sum() > FAR * (abs(self.level) + 1))

    def expression(self, schema: Schema) -> RegressorExpression:
        """The exponential of the linear predictor, times the exposure."""
        terms, centre = design_expressions(self.design), self.centre.tolist()
        linear = linear_sum(self.level, terms, self.coef.tolist(), centre)
        column = NumberColumn(self.exposure.column) if self.exposure.column else None
        if column is not None and self.exposure.is_log:
            return RegressorExpression((Exponential(Sum((linear, column))),))
        mean = Exponential(linear)
        return RegressorExpression((mean if column is None else Product((mean, column)),))

    def derivation(self, schema: Schema) -> Derivation:
        """The model, what was minimised, and the coefficients."""
        names, order = self.design.names, self.design.order(schema).tolist()
        rows = [(names[j], format_number(float(self.coef[j]))) for j in order]
        if self.has_intercept:
            rows.insert(0, (intercept_name(names), format_number(self.intercept)))
        steps: list[Grid | Formula | Sentence] = [*self.design.remarks(schema), MEAN]
        if self.exposure.column:
            what = "the offset" if self.exposure.is_log else "the exposure: its log is the offset"
            steps.append(Sentence(f"Column {self.exposure.column!r} is {what}."))
        steps += [OBJECTIVE, DEVIANCE, Sentence(f"alpha is {self.alpha:g}.")]
        steps.append(Grid("coefficients", ("", "b"), tuple(rows)))
        steps += [*self._fit_formulas(), *map(Sentence, self.notes())]
        return Derivation("Poisson regression", tuple(steps))

    def _fit_formulas(self) -> list[Formula]:
        """The objective at its minimum, and D² by the deviances."""
        deviance, squares = float(self.deviance), float((self.coef**2).sum())
        side = f"{number(deviance)} / (2 · {number(self.rows)})"
        total = deviance / (2 * self.rows)
        if self.alpha:
            side += f" + {number(self.alpha)} / 2 · {number(squares)}"
            total += self.alpha / 2 * squares
        found = [formula(f"D / (2 n) + alpha / 2 · Σ b_j² = {side} = {number(total)}")]
        if self.null_deviance > 0:
            null = number(float(self.null_deviance))
            side = f"1 - {number(deviance)} / {null}"
            found.append(
                formula(f"D² = 1 - D / D without columns = {side} = {number(float(self.d2))}")
            )
        return found

    def notes(self) -> list[str]:
        """What a user should know of the fit."""
        if self.converged:
            return []
        return [
            f"The solver did not converge in {self.steps} iterations. Increase max_iter, or scale "
            "the columns."
        ]
