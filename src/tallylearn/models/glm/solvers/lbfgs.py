"""L-BFGS: quasi-Newton steps from gradients alone.

The inverse Hessian is approximated from how the gradient changed along the last steps. It starts
from an inverse Hessian that is given, such as that of a sample of the rows, or from a multiple of
the identity. With a lasso the steps stay in one orthant each (OWL-QN).

References
----------
J. Nocedal, Updating quasi-Newton matrices with limited storage, Mathematics of Computation, 1980.
G. Andrew and J. Gao, Scalable training of L1-regularized log-linear models, ICML 2007.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from tallylearn.models.glm.objective import ROUNDING as SAME_VALUE
from tallylearn.models.glm.objective import Objective, ObjectivePoint, Solution, Trace
from tallylearn.models.glm.solvers.line_search import ROUNDING, backtrack
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array

MEMORY = 12  # pairs of a step and a change of the gradient: 3 to 20 are usual (Nocedal and Wright)
# A pair with less curvature than this share of the gradient's change would make the matrix
# indefinite
MIN_CURVATURE = 1e-12
# Where the line search fails and the slope is below, relative to the objective, rounding is the
# cause
STALLED_SLOPE = 1e-9

Pairs = deque[tuple[Array, Array]]


def lbfgs(
    objective: Objective, start: Array, *, tol: float, max_iter: int, trace: Trace | None = None,
    last_tol: float = 0.0, inverse_hessian: Array | None = None, max_steps: int | None = None,
    check: Callable[[ObjectivePoint], None] | None = None,
) -> Solution:  # fmt: skip
    """Minimise an objective by L-BFGS.

    Parameters
    ----------
    start : (m, width) the first coefficients.
    tol : converged where a step promises to lower the objective by less.
    max_iter : the most steps, those already in ``trace`` among them.
    last_tol : the tolerance where max_iter is reached.
    inverse_hessian : (M, M) to start from.
    max_steps : the most steps of this call, after which it returns without convergence; at once
        where the start is worse than the null model.
    check : called with every point, to raise where there is no minimum.
    """
    at, trace, n_steps = objective.at(start), [*(trace or ())], 0
    if max_steps is not None and at.value > objective.null_value * (1 + SAME_VALUE):
        return Solution.at(at, trace, False)
    pairs = Pairs(maxlen=MEMORY)
    while True:
        if check:
            check(at)
        direction = _two_loops(at.subgradient, pairs, inverse_hessian)
        if at.penalty.sparse:  # only descent that the subgradient agrees with
            direction = np.where(direction * at.subgradient < 0, direction, 0.0)
        slope = float((at.subgradient * direction).sum())
        # the slope is a square of the gradient, whose own rounding this is
        hidden = -slope <= ROUNDING**2 * max(1.0, abs(at.value))
        converged = -slope / 2 <= tol or hidden
        if len(trace) >= max_iter:
            return Solution.at(at, trace, converged or -slope / 2 <= last_tol)
        trace.append((at.value, slope))
        if converged:
            coef = at.coef if at.penalty.sparse else at.coef + direction
            rounded = hidden and -slope / 2 > tol
            return Solution(coef, at.value, at.margin, trace, converged=True, rounded=rounded)
        if max_steps is not None and n_steps > max_steps:
            return Solution.at(at, trace, False)
        scaled = inverse_hessian is not None or bool(pairs)
        length = 1.0 if scaled else 1 / max(1.0, float(np.linalg.norm(at.subgradient)))
        found = backtrack(at, direction, slope, length=length, same_orthant=True)
        if found is None and pairs:  # the memory misleads: start it anew
            pairs.clear()
            n_steps += 1
            continue
        if found is None:
            near = -slope <= STALLED_SLOPE * max(1.0, abs(at.value))
            return Solution.at(at, trace, near, stalled=True)
        step, change = found.reached.coef - at.coef, found.reached.gradient - at.gradient
        if float((step * change).sum()) > MIN_CURVATURE * float((change * change).sum()):
            pairs.append((step.ravel(), change.ravel()))
        at, n_steps = found.reached, n_steps + 1


def _two_loops(gradient: Array, pairs: Pairs, inverse_hessian: Array | None) -> Array:
    """-B g for the approximate inverse Hessian B, by the two loops of L-BFGS."""
    q, back = -gradient.ravel(), []
    with one_thread():
        for step, change in reversed(pairs):
            rho = 1 / float(step @ change)
            back.append((rho, rho * float(step @ q)))
            q = q - back[-1][1] * change
        if inverse_hessian is not None:
            q = inverse_hessian @ q
        elif pairs:
            step, change = pairs[-1]
            q = q * (float(step @ change) / float(change @ change))
        for (step, change), (rho, a) in zip(pairs, reversed(back), strict=True):
            q = q + (a - rho * float(change @ q)) * step
    return q.reshape(gradient.shape)
