"""The objective that a solver minimises: the mean loss over all rows and the penalty.

``Objective.at(coef)`` is one pass over the rows. It gives an ``ObjectivePoint``: the value there,
the gradient, and the Hessian where it was requested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count

import numpy as np

from tallylearn import engines
from tallylearn.estimators.passes import Passes
from tallylearn.models.glm.losses import (
    NO_HESSIAN,
    Loss,
    LossAt,
    LossDerivatives,
    Standardisation,
)
from tallylearn.models.glm.penalties import Penalty
from tallylearn.tables import Array

EPS, TINY = 2.3e-16, 1e-300  # the rounding of a double; less than any Hessian that is one
ROUNDING = 1e-12  # relative: two sums of the loss over the same rows do not differ by more
MIN_SAMPLED_ROWS = 20_000  # of fewer rows a sample saves less than its own steps take
ROWS_PER_COEFFICIENT = 24  # of a sample: an entry of its Hessian is then off by a fifth, 1 / √24
STRIDES = (64, 32, 16, 8, 4)  # the largest that leaves enough rows is taken
SAMPLE_BYTES = 1 << 28  # a sample that takes less is held in memory
NO_HESSIAN_KEPT = np.empty((0, 0))
Trace = list[tuple[float, float]]  # before every step: the objective, and its slope along the step


def sample_stride(rows: float, size: int) -> int:
    """Every how-many-th row Newton's method starts with, for so many coefficients; 1 is all."""
    enough = [n for n in STRIDES if rows >= n * ROWS_PER_COEFFICIENT * size]
    return max(enough, default=1) if rows >= MIN_SAMPLED_ROWS else 1


@dataclass(frozen=True)
class Objective:
    """f(θ) = Σ w l(y, x θ') / Σ w + penalty(θ) over the rows of a table."""

    passes: Passes  # over rows of a design matrix
    loss: Loss
    columns: Standardisation
    penalty: Penalty
    weight: float  # of all rows
    n_rows: float  # how many
    names: tuple[str, ...]  # (width - 1,) of the columns
    null_value: float  # the objective of the null model: intercepts alone
    null_coef: Array  # (m, width) its coefficients
    null_hessian: Array  # (m,) the second derivative of the mean loss by its intercepts
    intercept: bool = True
    penalty_option: str = "C=1"  # the option that a message recommends for a penalty
    n_passes: Iterator[int] = field(default_factory=lambda: count(1))
    sampled: bool = False  # over some rows: penalised as if one row more were there, of score 0

    def at(
        self, coef: Array, hessian: str = NO_HESSIAN, subset: Array | None = None
    ) -> ObjectivePoint:
        """The objective and its derivatives at coefficients (m, width), by one pass."""
        call = LossAt(self.loss, self.columns, coef, hessian)
        found = self._total(call if subset is None else replace(call, subset=subset))
        penalty = self.penalty
        if self.sampled:
            penalty = penalty.with_pseudo_row(found.weight)
        return ObjectivePoint(self, coef, found, penalty)

    def first(self, coef: Array, hessian: str = NO_HESSIAN) -> ObjectivePoint:
        """The point that a solver starts from: the null model's where that is better."""
        point = self.at(coef, hessian)
        if not self.sampled and point.value > self.null_value * (1 + ROUNDING):
            return self.at(self.null_coef, hessian)
        return point

    def hessian_product(self, coef: Array, direction: Array) -> Array:
        """(m, width) the Hessian at some coefficients times a direction, by one pass."""
        found = self._total(LossAt(self.loss, self.columns, coef, direction=direction))
        ridge = self.penalty.ridge_gradient(direction)
        return self._of_intercept(found.gradient / found.weight + ridge)

    def every(self, stride: int) -> Objective:
        """The same over every stride-th row."""
        passes = self.passes.every(stride)
        with engines.report_stage("sample"):
            if 8 * self.n_rows / stride * (1 + self.columns.width) <= SAMPLE_BYTES:
                passes = passes.load()
        weight, n_rows = self.weight / stride, self.n_rows / stride
        return replace(self, passes=passes, weight=weight, n_rows=n_rows, sampled=True)

    def _total(self, call: LossAt) -> LossDerivatives:
        with engines.report_stage(f"round {next(self.n_passes)}"):
            return self.passes.total(call)

    @property
    def is_unpenalised(self) -> bool:
        """Whether the minimum is a maximum-likelihood estimate, which may not exist."""
        return self.penalty.nothing and not self.sampled

    @property
    def intercept_hessian(self) -> Array:
        """(M,) the Hessian of the null model's intercept, for every coefficient beside it."""
        return np.repeat(self.null_hessian, self.columns.width)

    @property
    def least_hessian(self) -> Array | float:
        """(M,) less is rounding, of rows whose class is certain, where there is no penalty."""
        return EPS * self.intercept_hessian if self.is_unpenalised else TINY

    def _of_intercept(self, gradient: Array) -> Array:
        """A gradient that holds the intercept at 0 where there is none."""
        if not self.intercept:
            gradient[:, 0] = 0.0
        return gradient


@dataclass(frozen=True)
class ObjectivePoint:
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
    last: ObjectivePoint | None = None  # that was evaluated, where Newton's method ended
    hessian: Array = field(default_factory=lambda: NO_HESSIAN_KEPT)  # (M, M) of the summed loss
    path: Array = field(default_factory=lambda: NO_HESSIAN_KEPT)  # of gradient descent
    n_steps: int = -1  # where the trace does not have them all
    overshot: int = 0  # the first step of gradient descent that made the loss larger

    @classmethod
    def at(
        cls, point: ObjectivePoint, trace: Trace, converged: bool, *, rounded: bool = False,
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
