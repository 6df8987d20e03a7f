"""Orthant-wise Newton-CG for the lasso, with too many nonzero coefficients to hold their Hessian.

While no coefficient changes its sign the lasso is linear, and the step solves H d = -g by conjugate
gradients, where g is the subgradient of the free coefficients: the nonzero ones, and those that
violate the KKT conditions. A coefficient that would change its sign becomes 0, and may leave that
in the next step. Steps are damped (Levenberg and Marquardt): with more columns than rows the loss
is flat along some directions, and the lasso alone ends them.

References
----------
R. Byrd, G. Chin, J. Nocedal and F. Oztoprak, A family of second-order methods for convex
l1-regularized optimization, Mathematical Programming, 2016.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallylearn.models.glm.losses import DIAGONAL
from tallylearn.models.glm.objective import Objective, ObjectivePoint, Solution, Trace
from tallylearn.models.glm.solvers.line_search import ROUNDING, backtrack
from tallylearn.models.glm.solvers.newton_cg import (
    CLOSE_RESIDUAL,
    LOOSE_RESIDUAL,
    DiagonalPreconditioner,
    conjugate_gradient,
)
from tallylearn.tables import Array

MAX_PRODUCTS = 200  # of one step: the signs are wrong before a longer one ends
JOINING_RESIDUAL = 0.3  # that a step may leave while coefficients leave 0: others will follow
# Damping, in diagonals of the Hessian: at first, at most; and how it changes after a whole step and
# after one that was halved more than once (J. Moré, The Levenberg-Marquardt algorithm, 1978)
DAMPING, MAX_DAMPING = 0.1, 10.0
LESS_DAMPING, MORE_DAMPING = 1 / 8, 4.0
MIN_DIAGONAL = 0.01  # of an intercept's: rare columns would take steps that the lasso sends back
RETURNING = 0.01  # of a step's squared length: shorter coefficients that return to 0 do not count


def kkt_violation(at: ObjectivePoint) -> Array:
    """(m, width) the shortest subgradient, relative to the lasso; intercepts, to the least.

    It is 0 at the minimum. What rounding hides counts as nothing.
    """
    lasso = at.penalty.lasso.copy()
    lasso[0] = lasso[1:].min(initial=1.0)
    return np.asarray((np.abs(at.subgradient) - ROUNDING).clip(0) / lasso)


class Narrowed(NamedTuple):
    """A point at which few coefficients are free, and their places among m * width."""

    coef: Array
    free: Array
    trace: Trace


def orthant_wise_newton(
    objective: Objective, start: Array, *, tol: float, max_iter: int, trace: Trace,
    max_narrow: int = 0,
) -> Solution | Narrowed:  # fmt: skip
    """Minimise an objective with a lasso by Newton-CG within one orthant after the other.

    Parameters
    ----------
    start : (m, width) the first coefficients.
    tol : converged where no KKT condition is violated by more than this share of the lasso.
    max_iter : the most steps, those already in ``trace`` among them.
    max_narrow : returns, before it converges, where no more coefficients than this are free.
    """
    at, trace, damping = objective.at(start, DIAGONAL), [*trace], DAMPING
    while True:
        violation = kkt_violation(at)
        converged = bool(violation.max() <= tol)
        if len(trace) >= max_iter:
            return Solution.at(at, trace, converged)
        free = (at.coef != 0) | (violation > tol)
        free[:, 0] = objective.intercept
        if np.count_nonzero(free) <= max_narrow:
            return Narrowed(at.coef, np.flatnonzero(free), trace)
        step, gradient, kept = _step(at, free, damping, trace)
        slope = float((gradient * step).sum())
        trace.append((at.value, slope))
        if converged and kept:
            coef = at.penalty.same_orthant(at.coef + step, at.coef, step)
            return make_converged_solution(at, coef, trace, tol)
        found = backtrack(at, step, slope, hessian=DIAGONAL, same_orthant=True)
        if found is None:  # rounding error alone is left
            return Solution.at(at, trace, False, rounded=True, stalled=True)
        if found.length == 1:
            damping *= LESS_DAMPING
        elif found.length < 0.5:
            damping = min(MAX_DAMPING, MORE_DAMPING * damping)
        at = found.reached


def _step(
    at: ObjectivePoint, free: Array, damping: float, trace: Trace
) -> tuple[Array, Array, bool]:
    """The step, the subgradient of the coefficients that move; and whether all that were free do.

    Coefficients of 0 that the lasso would send back at once stay there, and the others are solved
    for without them.
    """
    metric = DiagonalPreconditioner.of(at).at_least(MIN_DIAGONAL)
    gradient, kept = np.where(free, at.subgradient, 0.0), True
    while True:
        joining = bool((free & (at.coef == 0))[:, 1:].any())
        promised = max(-trace[-1][1], 0.0) if trace else 1.0
        least = JOINING_RESIDUAL if joining else CLOSE_RESIDUAL
        residual = min(max(float(np.sqrt(promised)), least), LOOSE_RESIDUAL)

        def product(direction: Array, free: Array = free) -> Array:
            found = at.objective.hessian_product(at.coef, direction)
            found[:, 1:] += damping * metric.diagonal * direction[:, 1:]
            return np.where(free, found, 0.0)

        def precondition(rest: Array, free: Array = free) -> Array:
            return metric.apply_to(free, rest)

        step = conjugate_gradient(
            product, -gradient, precondition, tol=residual, max_iter=MAX_PRODUCTS
        ).x
        back = (at.coef == 0) & (step * gradient > 0) & (at.penalty.lasso > 0)
        length = float((np.sqrt(metric.diagonal) * np.abs(step[:, 1:]))[back[:, 1:]].sum())
        if not back.any() or length**2 <= RETURNING * -float((gradient * step).sum()):
            return np.where(back, 0.0, step), gradient, kept
        free, kept = free & ~back, False
        gradient = np.where(free, gradient, 0.0)


def make_converged_solution(at: ObjectivePoint, coef: Array, trace: Trace, tol: float) -> Solution:
    """Where the KKT conditions hold to ``tol``, which may be less than rounding shows."""
    rounded = bool(tol * at.penalty.lasso[1:].min(initial=1.0) < ROUNDING)
    return Solution(coef, at.value, at.margin, trace, converged=True, rounded=rounded)
