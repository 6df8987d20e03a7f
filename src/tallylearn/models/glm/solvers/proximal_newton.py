"""Proximal Newton steps for the lasso, and Newton's method on an active set.

A proximal Newton step minimises the quadratic model of the loss plus the lasso,

    g·d + d·Hd / 2 + Σ lasso |θ + d|,

by coordinate descent on the Hessian. For many coefficients most are 0 at the minimum, and only
those of an active set are stepped along: the nonzero ones, and those whose gradient violates the
KKT conditions the most. A pass gives the gradient of all coefficients and the Hessian of the active
ones.

References
----------
J. Lee, Y. Sun and M. Saunders, Proximal Newton-type methods for minimizing composite functions,
SIAM J. Optimization, 2014.
G.-X. Yuan, C.-H. Ho and C.-J. Lin, An improved GLMNET for L1-regularized logistic regression,
JMLR 2012.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallylearn.models.glm.losses import SUBSET
from tallylearn.models.glm.objective import Objective, ObjectivePoint, Solution, Trace
from tallylearn.models.glm.penalties import Penalty
from tallylearn.models.glm.solvers.coordinate_descent import (
    BY_CHANGE,
    PASSES_BEFORE_NEWTON,
    descend,
    first_passes,
)
from tallylearn.models.glm.solvers.line_search import backtrack
from tallylearn.models.glm.solvers.orthant_wise_newton import (
    kkt_violation,
    make_converged_solution,
    orthant_wise_newton,
)
from tallylearn.tables import Array

# Passes of coordinate descent for one step after the first Newton step on its support, room for
# ten of these: a step that ends before its minimum is still a descent direction, and the next one
# goes on from a better model
MAX_PASSES = 10 * PASSES_BEFORE_NEWTON
# Squared change of a coefficient, in units of its curvature, at which coordinate descent ends: the
# square of the relative error 1e-13 that a step of Newton's method can use
LEAST_CHANGE = 1e-26
MIN_JOINING = 100  # coefficients that join an active set; else as many as are nonzero
# Active coefficients: a Hessian of more costs more passes' worth of time than conjugate gradients
# do
MAX_ACTIVE = 1200


def proximal_step(
    hessian: Array, gradient: Array, penalty: Penalty, coef: Array, *, tol: float = LEAST_CHANGE
) -> Array:
    """The step to the minimum of the quadratic model and the lasso, shaped as ``coef``.

    As a problem in β = θ + d the model is ½ β'Hβ − b'β + Σ lasso |β| with b = Hθ − g.
    """
    hessian, start = np.ascontiguousarray(hessian), coef.ravel()
    lasso = np.ascontiguousarray(np.broadcast_to(penalty.lasso, coef.shape)).ravel()
    reached = start[None].copy()
    descend(
        hessian, hessian @ start - gradient.ravel(), np.array([[1.0, 0.0, 0.0]]),
        np.array([tol, first_passes(coef.size) + MAX_PASSES, 0.0, BY_CHANGE]),
        gradient=-gradient.ravel(), coef=reached, factors=lasso,
    )  # fmt: skip
    return (reached - start).reshape(coef.shape)


def active_set_newton(objective: Objective, start: Array, *, tol: float, max_iter: int) -> Solution:
    """Minimise an objective with a lasso and many coefficients by Newton's method on an active set.

    Where the active set becomes too large for a Hessian, orthant-wise Newton-CG takes over until it
    is small again.

    Parameters
    ----------
    start : (m, width) the first coefficients, of which all but the intercepts are 0.
    tol : converged where no KKT condition is violated by more than this share of the lasso.
    max_iter : the most steps.
    """
    m, width = start.shape
    trace: Trace = []
    active = np.arange(m if objective.intercept else 0) * width
    at = objective.at(start, SUBSET, active)
    while True:
        violation = kkt_violation(at)
        converged = bool(violation.max() <= tol)
        if len(trace) >= max_iter:
            return Solution.at(at, trace, converged)
        step = _active_step(at, active, trace)
        slope = at.slope(step)
        if converged:
            trace.append((at.value, slope))
            found = make_converged_solution(at, at.coef + step, trace, tol)
            return replace(found, value=at.value + slope / 2)
        joined = _next_active_set(at, active, step, violation, tol)
        if len(joined) > MAX_ACTIVE:
            narrowed = orthant_wise_newton(
                objective, at.coef, tol=tol, max_iter=max_iter, trace=trace,
                max_narrow=MAX_ACTIVE // 2,
            )  # fmt: skip
            if isinstance(narrowed, Solution):
                return narrowed
            trace, active = narrowed.trace, narrowed.free
            at = objective.at(narrowed.coef, SUBSET, active)
            continue
        trace.append((at.value, slope))
        searched = backtrack(at, step, slope, hessian=SUBSET, subset=joined)
        if searched is None:  # rounding error alone is left
            return Solution.at(at, trace, False, rounded=True, stalled=True)
        at, active = searched.reached, joined


def _active_step(at: ObjectivePoint, active: Array, trace: Trace) -> Array:
    """(m, width) the proximal Newton step of the active coefficients, the others held."""
    column = active % at.coef.shape[1]
    penalty = Penalty(at.penalty.ridge[column], at.penalty.lasso[column])
    hessian = at.sums.hessian / at.sums.weight + np.diag(penalty.ridge)
    last = min(-trace[-1][1], 0.01) if trace else 0.01
    step = np.zeros(at.coef.size)
    step[active] = proximal_step(
        hessian, at.gradient.ravel()[None, active], penalty, at.coef.ravel()[None, active],
        tol=max(1e-30, 1e-4 * last**2),  # so that steps square the error
    )[0]  # fmt: skip
    return step.reshape(at.coef.shape)


def _next_active_set(
    at: ObjectivePoint, active: Array, step: Array, violation: Array, tol: float
) -> Array:
    """The next active set: without coefficients that stay 0, with those that violate KKT most."""
    before, after = at.coef.ravel(), (at.coef + step).ravel()
    lasso = np.broadcast_to(at.penalty.lasso, at.coef.shape)
    moved = (after[active] != 0) | (before[active] != 0)
    kept = active[moved | (lasso.ravel()[active] == 0)]
    far = np.where((violation > tol) & (lasso > 0), violation * lasso, 0.0).ravel()
    far[active] = 0.0
    worst = np.argsort(-far, kind="stable")[: max(MIN_JOINING, np.count_nonzero(before))]
    return np.union1d(kept, worst[far[worst] > 0])
