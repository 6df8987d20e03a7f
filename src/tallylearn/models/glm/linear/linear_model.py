"""The fitted linear model: coefficients, the triangle behind them, and their derivation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.linalg import solve_triangular

from tallylearn.errors import ColumnError
from tallylearn.estimators import RegressionModel
from tallylearn.expressions import RegressorExpression, linear_sum
from tallylearn.kernels import compensated_residuals
from tallylearn.models.design.expression import design_expressions
from tallylearn.models.design.matrix import FAR, FROM_MEANS, Design
from tallylearn.models.design.powers import centre_exact_powers
from tallylearn.models.glm.inference.cancellation import cancellation_notes, reliable_condition
from tallylearn.models.glm.inference.estimability import (
    collinearity_notes,
    estimability_notes,
    unestimable_columns,
)
from tallylearn.models.glm.penalty_cross_validation import CrossValidationErrors
from tallylearn.models.glm.solvers.best_subsets import Subsets
from tallylearn.models.glm.solvers.least_squares import LeastSquaresProblem, LeastSquaresSolution
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Block, Schema, check_shape, check_shapes, field_schemas
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
from tallylearn.workings.reasons import AT_MEANS, AT_ZERO, NUMBER, Contributions
from tallylearn.workings.terms import intercept_name
from tallylearn.workings.units import model_value_formatter

WITH_INTERCEPT = Formula("ŷ = w0 + Σ w_i · x_i", r"\hat y = w_0 + \sum_i w_i x_i")
WITHOUT_INTERCEPT = Formula("ŷ = Σ w_i · x_i", r"\hat y = \sum_i w_i x_i")
NORMAL_EQUATIONS = Formula("w = (XᵀX)⁻¹ Xᵀy", r"w = (X^T X)^{-1} X^T y")
RIDGE_EQUATIONS = Formula("w = (XᵀX + λI)⁻¹ Xᵀy", r"w = (X^T X + \lambda I)^{-1} X^T y")
INTERCEPT_FORMULA = Formula("w0 = ȳ − Σ w_i x̄_i", r"w_0 = \bar y - \sum_i w_i \bar x_i")
SIMPLE_REGRESSION = Formula(
    "w1 = cov(x, y) / var(x),  w0 = ȳ − w1 x̄",
    r"w_1 = \frac{\mathrm{cov}(x, y)}{\mathrm{var}(x)},\; w_0 = \bar y - w_1 \bar x",
)


def derive(
    model: LinearModel, schema: Schema, worked: Sequence[Grid | Formula | Sentence] | None = None
) -> Derivation:
    """The rule, what was done to the table, and the weights; ``worked`` is how they follow."""
    names, order = model.design.names, model.design.order(schema)
    steps: list[Grid | Formula | Sentence] = [*model.design.remarks(schema)]
    steps.append(WITH_INTERCEPT if model.centred else WITHOUT_INTERCEPT)
    steps += _method_steps(model) if worked is None else worked
    steps += map(Sentence, collinearity_notes(model.dependent))
    steps += map(Sentence, model.cancellation_warnings)
    heads = ("w",) if len(model.coef) == 1 else tuple(f"w{t + 1}" for t in range(len(model.coef)))
    figure, given = model_value_formatter(schema, digits=4), model.design
    own = [
        name if of_number else ""
        for name, of_number in zip(given.columns, given.numeric, strict=True)
    ]
    means = [figure(name, mean) for name, mean in zip(own, model.mean.tolist(), strict=True)]
    rows = [(names[j], means[j], *map(_format_short, model.coef[:, j])) for j in order]
    heads = ("column", "mean", *heads)
    if model.centred:
        rows.insert(0, (intercept_name(names), "", *map(_format_short, model.intercept)))
    else:  # no mean was subtracted, and the model keeps none
        heads, rows = (heads[0], *heads[2:]), [(row[0], *row[2:]) for row in rows]
    steps.append(Grid("weights", heads, tuple(rows)))
    shares = model.r_squared
    share = ", ".join("none" if r is None else format_number(r) for r in shares)
    told = f", R² {share}" if model.whole.any() and len(shares) > 1 else ""
    many = f"{model.rows:g} row{'s' if model.rows != 1 else ''}"
    left = ", ".join(map(_format_short, model.rest))
    steps.append(Sentence(f"{many}; squared residuals {left}{told}."))
    if len(shares) == 1 and shares[0] is not None:
        squares = "Σ (y - ŷ)² / Σ (y - ȳ)²" if model.centred else "Σ (y - ŷ)² / Σ y²"
        side = f"1 - {number(float(model.rest[0]))} / {number(float(model.whole[0]))}"
        steps.append(formula(f"R² = 1 - {squares} = {side} = {number(shares[0])}"))
    return Derivation(f"Linear regression by {model.method}", tuple(steps))


def _method_steps(model: LinearModel) -> list[Grid | Formula | Sentence]:
    if len(model.gap):
        gap, square = float(model.gap.max()), float(model.whole.max()) / max(model.rows, 1.0)
        share = f", {100 * gap / square:.2g} % of the target's mean square" if square > 0 else ""
        near = (
            f"alpha = {format_number(model.alpha)}. After {model.rounds} passes of coordinate "
            f"descent the duality gap is {number(gap)}{share}: the objective is at most so far "
            "above its minimum."
        )
        return [Sentence(near), *map(Sentence, model.convergence_warnings)]
    if model.subsets is not None:
        some = f"{model.subsets.chosen} of {len(model.subsets.rest) - 1} columns"
        return [
            Sentence(f"{some} are worth their weights; those of the others are 0."),
            NORMAL_EQUATIONS,
        ]
    if model.method.removeprefix("exact ") not in ("least squares", "ridge"):
        return []
    if model.penalty.any():
        told = Sentence(f"λ = {', '.join(map(_format_short, model.penalty))}; w0 is not penalised.")
        return (
            [RIDGE_EQUATIONS, told, INTERCEPT_FORMULA] if model.centred else [RIDGE_EQUATIONS, told]
        )
    if len(model.design.columns) == 1 and model.centred:
        spread = float(model.root[0, 0] * model.scale[0]) ** 2 / model.rows
        sizes = [
            ("x̄", format_number(float(model.mean[0]))),
            ("ȳ", format_number(float(model.answer[0]))),
        ]
        sizes += [
            ("var(x)", format_number(spread)),
            ("cov(x, y)", format_number(spread * model.coef[0, 0])),
        ]
        return [SIMPLE_REGRESSION, Grid("moments", ("", "value"), tuple(sizes))]
    return [NORMAL_EQUATIONS, INTERCEPT_FORMULA] if model.centred else [NORMAL_EQUATIONS]


def _format_short(x: float) -> str:
    return format_number(float(x))


@dataclass(frozen=True)
class LinearModel(RegressionModel):
    """ŷ = intercept + coef · x for every target, and the triangle of the rows behind it."""

    design: Design
    coef: Array  # (t, p)
    intercept: Array  # (t,)
    mean: Array  # (p,) of the columns
    answer: Array  # (t,) the mean of the targets
    scale: Array  # (p,) of the root
    root: Array  # (p, p) RᵀR are the products of the scaled columns; empty of a wide table
    basis: Array  # (r,) linearly independent columns
    rows: float
    rest: Array  # (t,) squared residuals
    whole: Array  # (t,) squares of the targets
    penalty: Array  # (t,) on squared weights
    centred: bool
    certain: float  # the reciprocal of the condition
    dependent: tuple[str, ...] = ()
    method: str = "least squares"
    choice: CrossValidationErrors | None = None  # how folds chose the penalty
    gap: Array = field(default_factory=lambda: np.zeros(0))  # (t,) of the lasso, a row
    rounds: int = 1
    alpha: float = 0.0  # the penalty on sizes
    subsets: Subsets | None = None  # the best set of columns of every size
    level: Array = field(default_factory=lambda: np.zeros((0, 0)))
    # (2, t) the answers at the means, and their digits beyond a double
    converged: bool = True  # whether the iterations converged
    targets: tuple[str, ...] = ()  # (t,) the names of several, where they are columns
    low: Array = field(default_factory=lambda: np.zeros(0))  # (p,) digits of the means beyond
    exact: bool = False  # whether powers were counted without rounding
    log_weights: float = 0.0  # sum of log w over the rows, where weights are no frequencies

    form: ClassVar[field_schemas.Form] = {
        "design": field_schemas.one(Design),
        "coef": field_schemas.floats("t", "p"),
        "intercept": field_schemas.floats("t"),
        "mean": field_schemas.floats("p"),
        "answer": field_schemas.floats("t"),
        "scale": field_schemas.floats("p", least=0.0),
        "root": field_schemas.floats("s", "s"),
        "basis": field_schemas.integers("r", least=0),
        "rows": field_schemas.number(0.0),
        "rest": field_schemas.floats("t", least=0.0),
        "whole": field_schemas.floats("t", least=0.0),
        "penalty": field_schemas.floats("t", least=0.0),
        "centred": field_schemas.truth,
        "certain": field_schemas.number(0.0),
        "dependent": field_schemas.names(),
        "method": field_schemas.text(),
        "choice": field_schemas.one(CrossValidationErrors, none=True),
        "gap": field_schemas.floats("g"),
        "rounds": field_schemas.count(1),
        "alpha": field_schemas.number(0.0),
        "subsets": field_schemas.one(Subsets, none=True),
        "level": field_schemas.floats("l", "v"),
        "converged": field_schemas.truth,
        "targets": field_schemas.names(),
        "low": field_schemas.floats("o"),
        "exact": field_schemas.truth,
        "log_weights": field_schemas.number(),
    }

    @classmethod
    def of(
        cls,
        normal: LeastSquaresProblem,
        found: LeastSquaresSolution,
        method: str,
        choice: CrossValidationErrors | None = None,
        *,
        gap: Array | None = None,
        rounds: int = 1,
        alpha: float = 0.0,
        converged: bool = True,
    ) -> LinearModel:
        """The model of a solution, with its residual sums of squares."""
        p = normal.p
        coef = np.ascontiguousarray(found.coef) + 0.0  # no -0.0
        condition = reliable_condition(normal)
        levels = np.empty((3, len(coef)))
        compensated_residuals.levels(coef, normal.mean, normal.low, levels)
        level = levels[:2] if found.level is None else found.level
        intercept = levels[2] if found.intercept is None else found.intercept
        rest, whole = normal.sums_of_squares(coef)
        penalty = np.zeros(len(coef)) if found.penalty is None else found.penalty
        rest = rest if found.rest is None else found.rest
        return cls(
            design=normal.design,
            coef=coef,
            intercept=intercept,
            mean=normal.mean[:p],
            answer=normal.mean[p:],
            scale=normal.scale[:p],
            root=normal.columns.copy(),
            basis=found.basis.astype(np.int64),
            rows=normal.rows,
            rest=rest,
            whole=whole,
            penalty=penalty,
            centred=normal.centred,
            certain=1 / condition,
            dependent=found.dependent,
            method=method,
            choice=choice,
            gap=np.zeros(0) if gap is None else gap,
            rounds=rounds,
            alpha=alpha,
            level=level,
            converged=converged,
            low=normal.low[:p],
        )

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        self.design.check(schema)
        if len(self.basis) and self.basis.max() >= len(self.design.columns):
            raise ValueError("the basis names a column that is none")
        if (np.diff(self.basis) <= 0).any():
            raise ValueError("the basis names columns out of order, or twice")
        if not len(self.coef):
            raise ValueError("the model has no target")

    def __post_init__(self) -> None:
        t, p = len(self.coef), len(self.design.columns)
        check_shape("the weights", self.coef, t, p)
        if not self.level.size:  # a file from before it was kept
            level = self.intercept + self.coef @ self.mean
            object.__setattr__(self, "level", np.array([level, 0 * level]))
        if not self.low.size:
            object.__setattr__(self, "low", np.zeros(p))
        check_shape("the answers at the means", self.level, 2, t)
        targets = self.intercept, self.answer, self.rest, self.whole, self.penalty
        check_shapes("the targets", targets, t)
        if self.root.size:
            check_shape("the root", self.root, p, p)
        check_shapes("the columns", (self.mean, self.scale, self.low), p)
        if len(self.targets) not in (0, t):
            raise ValueError(f"{len(self.targets)} names are of {t} targets")
        if self.subsets is not None:
            check_shape("the sets", self.subsets.taken, len(self.subsets.rest), p)

    @property
    def category_values(self) -> Mapping[str, tuple[str, ...]]:
        """The values that every column of categories was seen with."""
        return self.design.category_values

    def predictions(self, block: Block) -> Array:
        """(n,), or (n, t) where there are several targets."""
        out = np.concatenate([self._predict(part) for part in self.design.pieces(block)])
        return out[:, 0] if len(self.coef) == 1 else out

    def _predict(self, block: Block) -> Array:
        if not (self.exact and self.design.powers):
            out = self.design.centred_product(block, self.mean, self.coef, self.level[0])
            if np.isfinite(out).all():  # looked at here: a gap or an infinity shows in the sums
                return out
        with one_thread(), np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(self.level[0] + self.centred_rows(block) @ self.coef.T)

    def centred_rows(self, block: Block) -> Array:
        """(n, p) rows from the means, where gaps lie; powers with the digits they were counted."""
        out = self.design.filled_matrix(block) - self.mean
        if self.exact:
            centre_exact_powers(block, self.design, self.mean, out)
        gap = np.isnan(self.design.matrix(block))
        return np.where(gap, self.low, out) if self.centred and gap.any() else out

    def residuals(self, block: Block, target: Array, t: int = 0) -> Array:
        """(n,) what a target is above its answers, which are rounded as little as it is."""
        away = np.concatenate([self.centred_rows(p) for p in self.design.pieces(block)])
        with one_thread():
            return np.asarray(
                ((target - self.level[0, t]) - self.level[1, t]) - away @ self.coef[t]
            )

    def evidence(self, block: Block) -> list[Evidence]:
        """Every column's summand w x."""
        x = self.centred_rows(block) if self._far else self.design.filled_matrix(block)
        groups, said, strays = (
            self.design.groups(block.schema),
            self._term_notes,
            unestimable_columns(self, block),
        )
        answers = self.predictions(block).reshape(len(block), -1)
        names = ["ŷ"] if len(self.coef) == 1 else [f"ŷ{t + 1}" for t in range(len(self.coef))]
        return [
            Evidence(
                tuple(EvidenceLine(name, self._terms(block, i, x[i], t, groups))
                      for t, name in enumerate(names)),
                float(answers[i, 0]) if len(names) == 1 else tuple(answers[i].tolist()),
                "sum",
                (*said, *estimability_notes(self, strays[i])),
            )
            for i in range(len(block))
        ]  # fmt: skip

    def contributions(self, block: Block, found: list[Evidence]) -> list[Contributions] | None:
        """The terms around the means of the columns; None where there are several targets."""
        if len(self.coef) != 1:
            return None
        amounts, groups = self.centred_rows(block) * self.coef[0], self.design.groups(block.schema)
        start = Term("", "", float(self.level[0, 0]))
        return [
            Contributions(
                ((start, *self.design.evidence_terms(block, i, groups, amounts[i])),),
                NUMBER,
                AT_MEANS if self.mean.any() else AT_ZERO,
            )
            for i in range(len(block))
        ]

    def _terms(
        self, block: Block, i: int, x: Array, t: int, groups: dict[str, list[int]]
    ) -> tuple[Term, ...]:
        start = self.level[0] if self._far else self.intercept
        terms = [Term("", "", float(start[t]))] if self.centred else []
        return (*terms, *self.design.evidence_terms(block, i, groups, self.coef[t] * x))

    @property
    def _term_notes(self) -> tuple[str, ...]:
        """What is to be said of the terms."""
        return (*((FROM_MEANS,) if self._far else ()), *self.cancellation_warnings)

    @property
    def cancellation_warnings(self) -> Sequence[str]:
        """What is to be said where terms cancel so far that answers lose half of their digits."""
        return cancellation_notes(self, self.coef, self.exact)

    @property
    def _far(self) -> bool:
        """Whether terms from zero are so large that rounding hides what they add up to."""
        size = np.abs(self.intercept) + np.abs(self.coef * self.mean).sum(axis=1)
        near = np.abs(self.level[0]) + np.sqrt(self.whole / max(self.rows, 1.0))
        return bool((size > FAR * near).any())

    def spread(self, block: Block) -> Array:
        """(n,) how far rows are from the mean: 1/n + (x − x̄)ᵀ(XᵀX)⁻¹(x − x̄)."""
        away = ((self.centred_rows(block) - self.low) / self.scale)[:, self.basis]
        small = solve_triangular(self.free_root(), away.T, trans=1, check_finite=False)
        return np.asarray((small**2).sum(axis=0) + (1 / self.rows if self.centred else 0.0))

    def free_root(self) -> Array:
        """(r, r) the triangle of the linearly independent columns."""
        some = self.root[:, self.basis]
        if len(self.basis) < len(self.root):
            some = np.asarray(np.linalg.qr(some, mode="r"))
        if not some.diagonal().all():  # of a model that was fitted without a penalty none is 0
            raise ColumnError(
                "the columns that the model keeps are collinear, so its coefficients have no "
                "standard errors. Fit it again."
            )
        return some

    @property
    def n_estimated(self) -> int:
        """How many weights were free, the intercept among them."""
        return len(self.basis) + int(self.centred)

    def expression(self, schema: Schema) -> RegressorExpression:
        """ŷ at the means of the columns plus Σ coefficient · (x - mean), for every target."""
        terms, means = design_expressions(self.design), self.mean.tolist()
        targets = zip(self.level[0].tolist(), self.coef.tolist(), strict=True)
        return RegressorExpression(
            tuple(linear_sum(level, terms, coef, means) for level, coef in targets)
        )

    @property
    def is_least_squares(self) -> bool:
        """Whether it is least squares without penalty, bounds or selection."""
        return not self.penalty.any() and self.method in ("least squares", "exact least squares")

    def derivation(self, schema: Schema) -> Derivation:
        """The rule, what was done to the table, and the weights."""
        return derive(self, schema)

    @property
    def convergence_warnings(self) -> list[str]:
        """What is to be said where the rounds were not enough."""
        said = (
            f"The solver did not converge in {self.rounds} iterations. Increase max_iter, or scale "
        )
        return [] if self.converged else [said + "the columns."]

    @property
    def r_squared(self) -> list[float | None]:
        """(t,) R²: the share of the targets' squares that is explained; none of a constant."""
        each = zip(self.rest.tolist(), self.whole.tolist(), strict=True)
        return [1 - rest / whole if whole > 0 else None for rest, whole in each]

    def target_name(self, t: int, name: str | None = None) -> str:
        """What a target is called."""
        if len(self.coef) == 1:
            return name or "y"
        return self.targets[t] if self.targets else f"y{t + 1}"
