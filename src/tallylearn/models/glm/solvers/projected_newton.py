"""Projected Newton steps on the support of a lasso or elastic net solution.

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
# Relative to the target's sum of squares: a smaller decrease of the objective is rounding.
MIN_RELATIVE_DECREASE = 1e-16


def newton_on_support(
    gram: Array, target: Array, costs: Array, weights: Array, slope: Array
) -> bool:
    """Move all weights that are not 0, until none becomes 0 on the way; whether they gained."""
    before, gain, some = weights.copy(), 0.0, np.flatnonzero(weights)
    with one_thread():
        while 0 < len(some) <= MAX_SUPPORT:
            now, inside = weights[some], gram[np.ix_(some, some)]
            inside.flat[:: len(some) + 1] += costs[1]
            down = slope[some] - costs[0] * np.sign(now) - costs[1] * now
            step = _best_projected_step(inside, down, now)
            more = _decrease(inside, down, step)
            if not more > 0:
                break
            gain, weights[some] = gain + more, now + step
            slope[:] = target - weights[some] @ gram[some]
            left = np.flatnonzero(weights)
            if len(left) == len(some):
                break
            some = left
        gained = gain > MIN_RELATIVE_DECREASE * float(costs[2])
        if not gained:
            weights[:] = before
            slope[:] = target - gram @ weights
    return gained


def _best_projected_step(inside: Array, down: Array, now: Array) -> Array:
    """The step that gains most on the way to the least, along which weights stay at 0."""
    way = _solve_regularised(inside, down)
    turning = np.sign(now) * (now + way) < 0
    if not turning.any():
        return way
    ends = np.full(len(now), np.inf)
    ends[turning] = -now[turning] / way[turning]
    order = np.sort(ends[turning])
    at = np.unique(np.geomspace(1, len(order), MAX_BREAKPOINTS).astype(np.int64)) - 1
    steps = [np.where(ends <= t, -now, t * way) for t in (*order[at].tolist(), 1.0)]
    return max(steps, key=lambda step: _decrease(inside, down, step))


def _decrease(inside: Array, down: Array, step: Array) -> float:
    """How much lower the loss is after a step that changes no sign."""
    return float(step @ (down - inside @ step / 2))


def _solve_regularised(inside: Array, down: Array) -> Array:
    """inside⁻¹ down, of columns scaled to length 1; zeros where there is no telling."""
    scale = np.sqrt(inside.diagonal())
    scaled, wanted = inside / scale / scale[:, None], down / scale
    for held in DIAGONAL_SHIFTS:
        scaled.flat[:: len(scale) + 1] = 1 + held * len(scale)
        root, found, bad = lapack.dposv(scaled, wanted)
        if not bad:
            left = wanted - scaled @ found + held * len(scale) * found
            return np.asarray((found + lapack.dpotrs(root, left)[0]) / scale)
    return np.zeros(len(scale))
