"""Newton's method with a line search.

Every iteration solves H d = -g for the step d, with the gradient g and the Hessian H of the
penalised mean loss, and halves the step until the objective falls. With a lasso the step minimises
the quadratic model plus the lasso (a proximal Newton step). The method converges quadratically: a
step that promises to lower the objective by less than ``tol`` leaves about tol² after it.

References
----------
J. Nocedal and S. Wright, Numerical Optimization, 2006, chapter 3.
"""

from __future__ import annotations

from typing import Protocol

from tallylearn.models.glm.losses import FULL
from tallylearn.models.glm.objective import Objective, ObjectivePoint, Solution, Trace
from tallylearn.models.glm.solvers.hessians import solve
from tallylearn.models.glm.solvers.line_search import backtrack, is_hidden_by_rounding
from tallylearn.models.glm.solvers.proximal_newton import proximal_step
from tallylearn.tables import Array

UNSOLVED = 1e-12  # of a gradient along which H is 0: a step that leaves more is no minimum


class ExistenceCheck(Protocol):
    """What Newton's method without a penalty asks: a minimum may not exist, or not be unique."""

    def check_start(self, at: ObjectivePoint) -> None:
        """Raise where the Hessian at the first point shows that columns are collinear."""

    def check(self, at: ObjectivePoint) -> None:
        """Raise where the classes are separated at a point."""

    def leap(
        self, at: ObjectivePoint, step: Array, n_steps: int, trace: Trace
    ) -> ObjectivePoint | None:
        """A point far along a step, where steps hardly become shorter; or None."""

    def confirm(
        self, at: ObjectivePoint, step: Array, found: Solution, n_steps: int
    ) -> Solution | ObjectivePoint | None:
        """At convergence: the solution; a point to go on from; or None for one step more."""


def newton(
    objective: Objective, start: Array, *, tol: float, max_iter: int, trace: Trace | None = None,
    existence: ExistenceCheck | None = None,
) -> Solution:  # fmt: skip
    """Minimise an objective by Newton's method.

    Parameters
    ----------
    start : (m, width) the first coefficients.
    tol : converged where a step promises to lower the objective by less.
    max_iter : the most steps, those already in ``trace`` among them.
    trace : the objective and the slope before every step, of solvers before this one.
    existence : without a penalty, what shows whether there is a minimum.
    """
    at, trace, n_steps = objective.first(start, FULL), [*(trace or ())], 0
    if existence:
        existence.check_start(at)
    while True:
        step, unsolved = _newton_step(at)
        slope = at.slope(step)
        decrease = -slope / 2  # of the quadratic model: g·d + d·Hd / 2, where Hd = -g
        hidden = n_steps > 0 and is_hidden_by_rounding(at.value, slope, trace[-1][1])
        converged = decrease <= tol or hidden
        if existence and not converged:
            existence.check(at)
        if len(trace) >= max_iter:
            return Solution.at(at, trace, converged)
        trace.append((at.value, slope))
        reached: ObjectivePoint | None = None
        if converged:
            found = Solution(
                at.coef + step, at.value - decrease, at.margin, trace,
                converged=unsolved <= UNSOLVED,
                rounded=hidden and not 0 <= decrease <= tol,  # a step uphill is rounding error
                last=at,
            )  # fmt: skip
            confirmed = found if existence is None else existence.confirm(at, step, found, n_steps)
            if isinstance(confirmed, Solution):
                return confirmed
            reached = confirmed
        elif existence:
            reached = existence.leap(at, step, n_steps, trace)
        if reached is None:
            searched = backtrack(at, step, slope, hessian=FULL)
            if searched is None:  # rounding error alone is left
                return Solution.at(at, trace, False, rounded=True, stalled=True)
            reached = searched.reached
        at, n_steps = reached, n_steps + 1


def _newton_step(at: ObjectivePoint) -> tuple[Array, float]:
    """The step to the minimum of the quadratic model; and what of the gradient it leaves."""
    if at.penalty.sparse:
        return proximal_step(at.hessian, at.gradient, at.penalty, at.coef), 0.0
    found, unsolved = solve(at.hessian, at.gradient.ravel(), at.objective.least_hessian)
    return -found.reshape(at.coef.shape), unsolved
