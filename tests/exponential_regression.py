"""A new iterative learner, as CONTRIBUTING.md says to write one: exponential regression.

y is exponentially distributed with mean exp(intercept + coef · x): the time until something
happens. Newton's method minimises the mean of eta + y exp(-eta), eta = intercept + coef · x, plus
alpha / 2 · Σ coef². The file has everything: model, learner and solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import TargetError
from tallylearn.estimators import Learned, Notes, Passes, RegressionModel, Regressor
from tallylearn.estimators.options import fitted, option
from tallylearn.expressions import Exponential, NumberColumn, RegressorExpression, linear_sum
from tallylearn.models.glm.gradient_descent import complete
from tallylearn.tables import NUMBER, Array, Block, Schema, field_schemas
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Formula, Term

MEAN = Formula("ŷ = exp(b0 + b1 x1 + ...)", r"\hat y = \exp(b_0 + b_1 x_1 + \dots)")


@dataclass(frozen=True)
class ExponentialModel(RegressionModel):
    """E[y] = exp(intercept + coef · x)."""

    coef: Array  # (p + 1,) the intercept first
    steps: int

    form: ClassVar[field_schemas.Form] = {
        "coef": field_schemas.floats("p"),
        "steps": field_schemas.count(),
    }

    def check(self, schema: Schema) -> None:
        if len(self.coef) != 1 + len(schema.numbers):
            raise ValueError("there is no coefficient for every column")

    def predictions(self, block: Block) -> Array:
        with np.errstate(over="ignore"):  # predict raises for an infinite mean
            return np.asarray(np.exp(add_ones(block) @ self.coef))

    def evidence(self, block: Block) -> list[Evidence]:
        names = ("", *block.schema.numbers)
        terms, means = add_ones(block) * self.coef, self.predictions(block).tolist()
        lines = (
            EvidenceLine("ŷ", tuple(map(Term, names, ("",) * len(row), row)))
            for row in terms.tolist()
        )
        return [Evidence((line,), y, "product") for line, y in zip(lines, means, strict=True)]

    def expression(self, schema: Schema) -> RegressorExpression:
        columns = [NumberColumn(name) for name in schema.numbers]
        intercept, *coef = self.coef.tolist()
        return RegressorExpression(
            (Exponential(linear_sum(intercept, columns, coef, [0.0] * len(coef))),)
        )

    def derivation(self, schema: Schema) -> Derivation:
        return Derivation("Exponential regression", (MEAN,))


@dataclass(frozen=True)
class Derivatives:
    """Sums over rows: weight, loss, gradient (p + 1,) and Hessian (p + 1, p + 1)."""

    sums: tuple[Any, ...]

    def __add__(self, other: Derivatives) -> Derivatives:
        return Derivatives(tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)))


class ExponentialRegressor(Regressor):
    """Exponential regression with a log link and a ridge penalty."""

    alpha: float = option(default=1.0, kw_only=False, low=0.0, doc="Penalty strength.")
    max_iter: int = option(default=100, low=1, doc="Limit on the Newton steps.")
    tol: float = option(default=1e-12, low=0.0, doc="Newton decrement at which a fit converges.")
    kinds: ClassVar[tuple[str, ...]] = (NUMBER,)
    stored: ClassVar[tuple[type, ...]] = (ExponentialModel,)
    model_: ExponentialModel = fitted()

    def fit_passes(self, passes: Passes) -> Learned:
        rows, warnings = passes.cached(), ()
        coef = np.zeros(1 + len(passes.schema.numbers))
        value, gradient, hessian = self._objective(rows, coef)
        for steps in range(1, int(self.max_iter) + 1):  # noqa: B007  used after the loop
            step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
            if gradient @ step <= self.tol * (1 + abs(value)):
                break
            for halving in range(60):  # backtracking line search
                trial = coef - 0.5**halving * step
                found = self._objective(rows, trial)
                if found[0] <= value:
                    coef, (value, gradient, hessian) = trial, found
                    break
        else:
            warnings = ("The fit has not converged: raise max_iter, or scale the columns.",)
        return Learned(ExponentialModel(coef, steps), notes=Notes(warnings=warnings))

    def _objective(self, rows: Passes, coef: Array) -> tuple[float, Array, Array]:
        """The mean loss with its penalty, gradient and Hessian."""
        weight, *sums = rows.total(partial(derivatives, coef=coef)).sums
        value, gradient, hessian = (one / weight for one in sums)
        ridge = np.append(0.0, np.full(len(coef) - 1, float(self.alpha)))  # intercept: no penalty
        return value + ridge @ coef**2 / 2, gradient + ridge * coef, hessian + np.diag(ridge)

    @property
    def n_iter_(self) -> int:
        """Newton steps of the fit."""
        return self.model_.steps

    def _add_tags(self, tags: Any) -> None:
        tags.target_tags.positive_only = True
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = False


def add_ones(block: Block) -> Array:
    """(n, p + 1) a column of ones, and the numbers; a missing value is an error."""
    return np.column_stack([np.ones(len(block)), complete(block)])


def derivatives(block: Block, coef: Array) -> Derivatives:
    """Loss eta + y exp(-eta), gradient (1 - y exp(-eta)) x and Hessian y exp(-eta) x x'."""
    x, y, w = add_ones(block), block.target, block.weight
    if not (y > 0).all():
        raise TargetError(f"the target is {y[y <= 0][0]:g} in a row. Times are above 0.")
    w = np.ones(len(y)) if w is None else w
    with np.errstate(over="ignore", invalid="ignore"):  # the line search goes back
        eta = x @ coef
        ratio = y * np.exp(-eta)
        loss = w @ (eta + ratio)
        return Derivatives((w.sum(), loss, (w * (1 - ratio)) @ x, (x.T * (w * ratio)) @ x))
