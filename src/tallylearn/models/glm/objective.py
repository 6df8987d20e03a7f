"""The objective that a solver minimises: the mean loss over all rows and the penalty.

``Objective.at(coef)`` is one pass over the rows. It gives a ``Point``: the value there, the
gradient, and the Hessian where it was requested.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from tallylearn.models.glm.losses import (
    DIAGONAL,
    FULL,
    NO_HESSIAN,
    SUBSET,
    Loss,
    LossAt,
    LossDerivatives,
    Standardisation,
)
from tallylearn.models.glm.penalties import Penalty
from tallylearn.models.glm.row_passes import RowPasses
from tallylearn.tables import Array

EPS, TINY = 2.3e-16, 1e-300  # the rounding of a double; less than any Hessian that is one
ROUNDING = 1e-12  # relative: two sums of the loss over the same rows do not differ by more
NO_HESSIAN_KEPT = np.empty((0, 0))
Trace = list[tuple[float, float]]  # before every step: the objective, and its slope along the step

__all__ = ["DIAGONAL", "FULL", "NO_HESSIAN", "SUBSET", "Objective", "Point", "Solution", "Trace"]


@dataclass(frozen=True)
class Objective:
    """f(θ) = Σ w l(y, x θ') / Σ w + penalty(θ) over the rows of a table."""

    passes: RowPasses
    loss: Loss
    columns: Standardisation
    penalty: Penalty
    weight: float  # of all rows
    names: tuple[str, ...]  # (width - 1,) of the columns
    null_value: float  # the objective of the null model: intercepts alone
    null_coef: Array  # (m, width) its coefficients
    null_hessian: Array  # (m,) the second derivative of the mean loss by its intercepts
    intercept: bool = True
    penalty_option: str = "C=1"  # the option that a message recommends for a penalty
    sampled: bool = False  # over some rows: penalised as if one row more were there, of score 0

    def at(self, coef: Array, hessian: str = NO_HESSIAN, subset: Array | None = None) -> Point:
        """The objective and its derivatives at coefficients (m, width), by one pass."""
        call = LossAt(self.loss, self.columns, coef, hessian)
        found = self.passes.total(call if subset is None else replace(call, subset=subset))
        penalty = self.penalty
        if self.sampled:
            penalty = penalty.with_pseudo_row(found.weight)
        return Point(self, coef, found, penalty)

    def first(self, coef: Array, hessian: str = NO_HESSIAN) -> Point:
        """The point that a solver starts from: the null model's where that is better."""
        point = self.at(coef, hessian)
        if not self.sampled and point.value > self.null_value * (1 + ROUNDING):
            return self.at(self.null_coef, hessian)
        return point

    def hessian_product(self, coef: Array, direction: Array) -> Array:
        """(m, width) the Hessian at some coefficients times a direction, by one pass."""
        found = self.passes.total(LossAt(self.loss, self.columns, coef, direction=direction))
        ridge = self.penalty.ridge_gradient(direction)
        return self._of_intercept(found.gradient / found.weight + ridge)

    def every(self, stride: int) -> Objective:
        """The same over every stride-th row."""
        width = len(self.penalty.ridge) + 1
        passes = self.passes.every(stride, width)
        return replace(self, passes=passes, weight=self.weight / stride, sampled=True)

    @property
    def unpenalised(self) -> bool:
        """Whether the minimum is a maximum-likelihood estimate, which may not exist."""
        return self.penalty.nothing and not self.sampled

    @property
    def intercept_hessian(self) -> Array:
        """(M,) the Hessian of the null model's intercept, for every coefficient beside it."""
        return np.repeat(self.null_hessian, self.columns.width)

    @property
    def least_hessian(self) -> Array | float:
        """(M,) less is rounding, of rows whose class is certain, where there is no penalty."""
        return EPS * self.intercept_hessian if self.unpenalised else TINY

    def _of_intercept(self, gradient: Array) -> Array:
        """A gradient that holds the intercept at 0 where there is none."""
        if not self.intercept:
            gradient[:, 0] = 0.0
        return gradient


@dataclass(frozen=True)
class Point:
    """The objective and its derivatives at some coefficients."""

    objective: Objective
    coef: Array  # (m, width)
    sums: LossDerivatives
    penalty: Penalty

    @cached_property
    def value(self) -> float:
        return float(self.sums.loss / self.sums.weight + self.penalty.value(self.coef))

    @cached_property
    def gradient(self) -> Array:
        """(m, width) of the mean loss and the ridge."""
        found = self.sums.gradient / self.sums.weight + self.penalty.ridge_gradient(self.coef)
        return self.objective._of_intercept(found)

    @cached_property
    def hessian(self) -> Array:
        """(M, M) of the mean loss and the ridge."""
        return self.hessian_with(self.penalty)

    def hessian_with(self, penalty: Penalty) -> Array:
        """(M, M) of the mean loss and another ridge."""
        m, width = self.coef.shape
        found = penalty.add_hessian(self.sums.hessian / self.sums.weight, m)
        if not self.objective.intercept:
            fix_intercepts(found, width)
        return found

    @cached_property
    def subgradient(self) -> Array:
        """(m, width) the shortest subgradient of the whole objective."""
        return self.penalty.subgradient(self.coef, self.gradient)

    @property
    def margin(self) -> float:
        """How far the true class is ahead in the worst of the rows: above 0 they are separated."""
        return self.sums.margin

    def slope(self, step: Array) -> float:
        """What a step promises: the directional derivative, with the change of the lasso."""
        return float((self.gradient * step).sum()) + self.penalty.lasso_change(self.coef, step)


@dataclass(frozen=True)
class Solution:
    """Where a solver ended."""

    coef: Array  # (m, width)
    value: float
    margin: float  # of the last point that was evaluated
    trace: Trace
    converged: bool
    rounded: bool = False  # whether rounding error ended it before its tolerance did
    stalled: bool = False  # whether the line search found no descent
    last: Point | None = None  # that was evaluated, where Newton's method ended
    hessian: Array = field(default_factory=lambda: NO_HESSIAN_KEPT)  # (M, M) of the summed loss
    path: Array = field(default_factory=lambda: NO_HESSIAN_KEPT)  # of gradient descent
    n_steps: int = -1  # where the trace does not have them all
    overshot: int = 0  # the first step of gradient descent that made the loss larger

    @classmethod
    def at(
        cls, point: Point, trace: Trace, converged: bool, *, rounded: bool = False,
        stalled: bool = False,
    ) -> Solution:  # fmt: skip
        """At a point that was evaluated."""
        return cls(
            point.coef, point.value, point.margin, trace, converged, rounded=rounded,
            stalled=stalled, last=point,
        )  # fmt: skip

    @property
    def steps(self) -> int:
        return len(self.trace) if self.n_steps < 0 else self.n_steps


def fix_intercepts(hessian: Array, width: int) -> None:
    """Hold intercepts where they are: their rows and columns become those of the identity."""
    at = np.arange(0, len(hessian), width)
    hessian[at], hessian[:, at] = 0.0, 0.0
    hessian[at, at] = 1.0
