"""Projected Newton steps on the support of a quadratic model with an l1 penalty.

Coordinate descent is slow on nearly collinear columns: a step along one coordinate gains little.
With the signs held fixed, the objective restricted to the nonzero coefficients is a quadratic, and
one linear solve gives its minimum. A coefficient whose sign would change on the way is set to 0 and
stays there; coordinate descent brings others in.

References
----------
D. Bertsekas, Projected Newton methods for optimization problems with simple constraints, SIAM J.
Control and Optimization 20, 1982.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array

# Nonzero coefficients up to which a Cholesky solve, O(s^3), costs less than the passes it replaces.
MAX_SUPPORT = 1000
# Points on the piecewise linear path at which the objective is compared: where 1, 2, 4, ... of the
# coefficients have reached 0.
MAX_BREAKPOINTS = 8
# Relative to the diagonal, times the size of the support: tried one after the other until Cholesky
# succeeds. Collinear columns make the Hessian singular; one step of refinement removes the shift.
DIAGONAL_SHIFTS = (1e-14, 1e-11, 1e-8)
# The same where coefficients have no penalty, such as the intercepts of several classes, which may
# shift together: nothing but the shift bounds the rounding error, 1e-16, in that direction.
UNPENALISED_SHIFTS = (1e-9, 1e-8)
# Relative to the target's sum of squares: a smaller decrease of the objective is rounding.
MIN_RELATIVE_DECREASE = 1e-16


def newton_on_support(
    hessian: Array, target: Array, costs: Array, coef: Array, gradient: Array, *,
    factors: Array | None = None,
) -> bool:  # fmt: skip
    """Minimise over the nonzero coefficients at once, until none reaches 0 on the way.

    Parameters
    ----------
    hessian : (p, p) H; for a lasso the products of the columns.
    target : (p,) b; for a lasso the products of columns and target.
    costs : (3,) l1 penalty, l2 penalty, and the target's sum of squares.
    coef, gradient : (p,) coefficients β, and b − Hβ; changed in place.
    factors : (p,) of the l1 penalty; coefficients without a penalty (0) count as nonzero.

    Returns
    -------
    Whether the objective decreased by more than rounding; if not, nothing is changed.
    """
    if factors is None or not len(factors):
        factors = np.ones(len(coef))
    free = (factors == 0) & (hessian.diagonal() > 0)
    before, decrease, support = coef.copy(), 0.0, np.flatnonzero((coef != 0) | free)
    with one_thread():
        while 0 < len(support) <= MAX_SUPPORT:
            now, l1 = coef[support], costs[0] * factors[support]
            inner = hessian[np.ix_(support, support)]
            inner.flat[:: len(support) + 1] += costs[1]
            descent = gradient[support] - l1 * np.sign(now) - costs[1] * now
            newton = _solve_regularised(
                inner, descent, UNPENALISED_SHIFTS if free.any() else DIAGONAL_SHIFTS
            )
            step = _best_projected_step(
                inner, descent, np.where(free[support], np.inf, now), newton
            )
            gained = _decrease(inner, descent, step)
            if not gained > 0:
                break
            decrease, coef[support] = decrease + gained, now + step
            gradient[:] = target - coef[support] @ hessian[support]
            left = np.flatnonzero((coef != 0) | free)
            if len(left) == len(support):
                break
            support = left
        decreased = decrease > MIN_RELATIVE_DECREASE * float(costs[2])
        if not decreased:
            coef[:] = before
            gradient[:] = target - hessian @ coef
    return decreased


def _best_projected_step(hessian: Array, descent: Array, now: Array, newton: Array) -> Array:
    """The best step on the path to the minimum along which coefficients that reach 0 stay there.

    A coefficient that may cross 0, since it has no l1 penalty, is infinite in ``now``.
    """
    crosses = np.sign(now) * (now + newton) < 0
    if not crosses.any():
        return newton
    at_zero = np.full(len(now), np.inf)  # the share of the step at which a coefficient is 0
    at_zero[crosses] = -now[crosses] / newton[crosses]
    order = np.sort(at_zero[crosses])
    chosen = np.unique(np.geomspace(1, len(order), MAX_BREAKPOINTS).astype(np.int64)) - 1
    steps = [np.where(at_zero <= t, -now, t * newton) for t in (*order[chosen].tolist(), 1.0)]
    return max(steps, key=lambda step: _decrease(hessian, descent, step))


def _decrease(hessian: Array, descent: Array, step: Array) -> float:
    """How much lower the objective is after a step that changes no sign."""
    return float(step @ (descent - hessian @ step / 2))


def _solve_regularised(hessian: Array, descent: Array, shifts: tuple[float, ...]) -> Array:
    """hessian⁻¹ descent, with columns scaled to length 1; zeros where Cholesky fails."""
    scale = np.sqrt(hessian.diagonal())
    scaled, wanted = hessian / scale / scale[:, None], descent / scale
    for shift in shifts:
        scaled.flat[:: len(scale) + 1] = 1 + shift * len(scale)
        root, found, failed = lapack.dposv(scaled, wanted)
        if not failed:
            residual = wanted - scaled @ found + shift * len(scale) * found
            return np.asarray((found + lapack.dpotrs(root, residual)[0]) / scale)
    return np.zeros(len(scale))
