"""Newton-CG: Newton's method by conjugate gradients, for too many coefficients to hold a Hessian.

The step solves H d = -g by products of the Hessian with vectors, each one pass over the rows. Far
from the minimum few products are enough, near it more: the residual may be as large as the square
root of the descent that the last step promised (an inexact Newton method).

References
----------
M. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems, 1952.
R. Dembo, S. Eisenstat and T. Steihaug, Inexact Newton methods, SIAM J. Numerical Analysis, 1982.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from tallylearn.models.glm.losses import DIAGONAL
from tallylearn.models.glm.objective import TINY, Objective, ObjectivePoint, Solution, Trace
from tallylearn.models.glm.solvers.line_search import backtrack, is_hidden_by_rounding
from tallylearn.tables import Array

# The residual that a step may leave, relative to the gradient: near the minimum, where a hundredth
# makes every step gain two digits, and far from it, where H changes more than that.
CLOSE_RESIDUAL, LOOSE_RESIDUAL = 0.01, 0.5
MAX_PRODUCTS = 1000  # of one step; only rounding error takes as many


def newton_cg(objective: Objective, start: Array, *, tol: float, max_iter: int) -> Solution:
    """Minimise an objective with a ridge by Newton's method, with steps by conjugate gradients.

    Parameters
    ----------
    start : (m, width) the first coefficients.
    tol : converged where a step promises to lower the objective by less.
    max_iter : the most steps.
    """
    at = objective.at(start, DIAGONAL)
    trace: Trace = []
    while True:
        if len(trace) >= max_iter:
            return Solution.at(at, trace, False)
        residual = LOOSE_RESIDUAL
        if trace:
            residual = float(np.sqrt(-trace[-1][1]).clip(CLOSE_RESIDUAL, LOOSE_RESIDUAL))
        solved = conjugate_gradient(
            partial(objective.hessian_product, at.coef),
            -at.gradient, DiagonalPreconditioner.of(at).apply,
            tol=residual, max_iter=MAX_PRODUCTS,
        )  # fmt: skip
        step, slope = solved.x, float((at.gradient * solved.x).sum())
        hidden = bool(trace) and is_hidden_by_rounding(at.value, slope, trace[-1][1])
        trace.append((at.value, slope))
        if -slope / 2 <= tol or hidden:
            # g·d + d·Hd / 2, where the residual r = -g - H d
            change = float(((at.gradient - solved.residual) * step).sum()) / 2
            rounded = hidden and -slope / 2 > tol
            return Solution(
                at.coef + step, at.value + change, at.margin, trace, converged=True, rounded=rounded
            )
        found = backtrack(at, step, slope, hessian=DIAGONAL)
        if found is None:  # rounding error alone is left
            return Solution.at(at, trace, False, stalled=True)
        at = found.reached


class LinearSolution(NamedTuple):
    """x with A x close to b, and the residual b - A x."""

    x: Array
    residual: Array


def conjugate_gradient(
    product: Callable[[Array], Array], b: Array, precondition: Callable[[Array], Array], *,
    tol: float, max_iter: int,
) -> LinearSolution:  # fmt: skip
    """Solve A x = b for a positive semidefinite A by preconditioned conjugate gradients.

    It ends where the residual r, measured as √(r' M⁻¹ r) with the preconditioner M, is ``tol``
    times that of b; or where A is 0 along a direction, but for rounding.
    """
    x, residual = np.zeros_like(b), b
    preconditioned = precondition(residual)
    direction = preconditioned
    first = left = float((residual * preconditioned).sum())
    if not first > 0:
        return LinearSolution(x, residual)
    for _ in range(max_iter):
        along = product(direction)
        curvature = float((direction * along).sum())
        if not curvature > 0:
            break
        length = left / curvature
        x, residual = x + length * direction, residual - length * along
        preconditioned = precondition(residual)
        before, left = left, float((residual * preconditioned).sum())
        if left <= tol**2 * first:
            break
        direction = preconditioned + left / before * direction
    return LinearSolution(x, residual)


@dataclass(frozen=True)
class DiagonalPreconditioner:
    """The Hessian of every column beside the intercept alone, all other columns left out.

    A plain diagonal would serve rare and frequent words badly, whose means differ: each column is
    taken around its mean, in which a row weighs its second derivative of the loss.
    """

    level: Array  # (m, 1) of the intercepts
    mean: Array  # (m, width - 1) of the columns
    diagonal: Array  # (m, width - 1)
    intercept: bool

    @classmethod
    def of(cls, at: ObjectivePoint) -> DiagonalPreconditioner:
        """From a point with the diagonal of its Hessian."""
        first, second = np.split(at.sums.hessian / at.sums.weight, 2)
        level = first[:, :1].clip(TINY)
        mean = first[:, 1:] / level
        diagonal = (second[:, 1:] - mean * first[:, 1:]).clip(0) + at.penalty.ridge[1:]
        return cls(level, mean, diagonal.clip(TINY), at.objective.intercept)

    def apply(self, residual: Array) -> Array:
        """(m, width) M⁻¹ r; for several classes around the mean over the classes, as all steps."""
        if self.intercept:
            found = (residual[:, 1:] - self.mean * residual[:, :1]) / self.diagonal
            level = residual[:, :1] / self.level - _row_products(self.mean, found)
        else:  # M = diag + mean level mean', whose inverse is that of Sherman and Morrison
            found, each = residual[:, 1:] / self.diagonal, self.mean / self.diagonal
            share = _row_products(self.mean, found)
            share = share / (1 / self.level + _row_products(self.mean, each))
            found, level = found - share * each, np.zeros_like(self.level)
        whole = np.hstack([level, found])
        return whole - whole.mean(axis=0) if len(whole) > 1 else whole

    def apply_to(self, free: Array, residual: Array) -> Array:
        """(m, width) M⁻¹ r of the columns that are free (m, width), the others held."""
        first = residual[:, :1]
        found = np.where(free[:, 1:], (residual[:, 1:] - self.mean * first) / self.diagonal, 0.0)
        level = first / self.level - _row_products(self.mean, found)
        return np.hstack([level, found])

    def at_least(self, share: float) -> DiagonalPreconditioner:
        """With no column below a share of the intercept; around 0 where there is no intercept."""
        found = self
        if not self.intercept:
            diagonal = self.diagonal + self.mean**2 * self.level
            found = replace(self, mean=np.zeros_like(self.mean), diagonal=diagonal)
        return replace(found, diagonal=found.diagonal.clip(share * found.level))


def _row_products(a: Array, b: Array) -> Array:
    return np.asarray((a * b).sum(axis=1, keepdims=True))
