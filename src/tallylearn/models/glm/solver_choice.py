"""Which solver minimises an objective, from where it starts, and which takes over from which.

Newton's method needs few iterations, each of O(n M²) for M coefficients. Three things make it
cheaper.

- With many rows it starts on a sample: steps towards the minimum over a sixteenth of the rows cost
  a sixteenth, and end so near that a few gradients over all rows are left. L-BFGS takes those, with
  the inverse Hessian of the sample to start from, and Newton's method over all rows takes over
  where the sample misleads.
- With several classes a Hessian costs as much as many gradients: L-BFGS comes near first.
- With more coefficients than a Hessian is worth, Newton-CG (ridge), Newton's method on an active
  set (lasso) or L-BFGS (no penalty) are used.

Without a penalty the last steps are always Newton's over all rows: the Hessian there shows whether
the minimum exists.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallylearn.models.glm.inference.separation import MUCH_SMALLER, existence_check
from tallylearn.models.glm.losses import FULL
from tallylearn.models.glm.objective import Objective, Solution, sample_stride
from tallylearn.models.glm.solvers.hessians import invert, variance_inflation
from tallylearn.models.glm.solvers.lbfgs import lbfgs
from tallylearn.models.glm.solvers.newton import newton
from tallylearn.models.glm.solvers.newton_cg import CLOSE_RESIDUAL, newton_cg
from tallylearn.models.glm.solvers.proximal_newton import active_set_newton
from tallylearn.tables import Array

NEWTON, NEWTON_CG, ACTIVE_SET, LBFGS = "newton-cholesky", "newton-cg", "working-set", "lbfgs"

# Coefficients: above, Newton-CG, the active set or L-BFGS are used. On 2,000 and 10,000 rows of
# independent columns Newton's method takes 2.4 and 4.5 times as long as Newton-CG at 1,200, and
# 7.5 times at 2,400; but its time does not depend on how well conditioned the columns are
MAX_HESSIAN = 1200
# Coefficients of several classes: their Hessian is a sum over pairs of classes, and costs as much
# as dozens of gradients, so that above L-BFGS comes near first; chosen by experience
MAX_CLASS_HESSIAN = 150
# Coefficients: standard errors need one Hessian and one inverse, of up to 128 MB
MAX_ERRORS_HESSIAN = 4096

MAX_SAMPLE_STEPS = 12  # Newton's method takes 5 to 10 unless a sample shows a column hardly
SAMPLE_ERROR = 0.01  # of M / n: the expected excess of the loss over a sample's minimum is M / 2 n
NEAR = 1e-7  # the descent that is left where L-BFGS gives way to Newton's method
MAX_NEAR_STEPS = 40  # of L-BFGS that comes near; more cost as much as a Hessian
EXACT_TOL = 1e-4  # without a penalty convergence is never looser: standard errors depend on it


def minimise(
    objective: Objective, method: str, *, tol: float, max_iter: int, solver: str = "auto",
    start: Array | None = None,
) -> Solution:  # fmt: skip
    """Minimise an objective by one of the solvers, from the null model unless a start is given.

    Parameters
    ----------
    objective : over all rows.
    method : NEWTON, NEWTON_CG, ACTIVE_SET or LBFGS.
    tol : of the estimator; a step of Newton's method has to promise tol³.
    max_iter : the most steps.
    solver : as it was asked for: "newton-cholesky" takes Hessians of all rows throughout.
    """
    start, free = objective.null_coef if start is None else start, objective.is_unpenalised
    exact = min(tol, EXACT_TOL) ** 3 if free else tol**3
    if method == NEWTON_CG:
        # the ridge bounds how far a coefficient is from its end by the descent that is left, and
        # the last step leaves a hundredth of that: no coefficient is off by more than tol²
        held = float((objective.penalty.ridge[1:] * objective.columns.scale**2).max(initial=0.0))
        enough = min(exact, held * (tol**2 / CLOSE_RESIDUAL) ** 2 / 2)
        return newton_cg(objective, start, tol=enough, max_iter=max_iter)
    if method == ACTIVE_SET:
        return active_set_newton(objective, start, tol=tol**2, max_iter=max_iter)
    if method == LBFGS:
        found = _lbfgs(objective, start, tol=tol, exact=exact, max_iter=max_iter)
    else:
        found = _newton(objective, start, exact=exact, max_iter=max_iter, solver=solver)
    return with_hessian(objective, found)


def _lbfgs(
    objective: Objective, start: Array, *, tol: float, exact: float, max_iter: int
) -> Solution:
    """L-BFGS; without a penalty Newton's method follows, where a Hessian is affordable."""
    if not objective.is_unpenalised:
        return lbfgs(objective, start, tol=exact, max_iter=max_iter, last_tol=tol**2)
    check = existence_check(objective, exact, check_rank=False)
    polished = start.size <= MAX_ERRORS_HESSIAN
    found = lbfgs(
        objective, start, tol=tol**2 if polished else exact, max_iter=max_iter, last_tol=tol**2,
        check=check.check,
    )  # fmt: skip
    if not polished:
        return found
    return newton(
        objective, found.coef, tol=exact, max_iter=max_iter, trace=found.trace, existence=check
    )


def _newton(
    objective: Objective, start: Array, *, exact: float, max_iter: int, solver: str
) -> Solution:
    """Newton's method, from a sample or from where L-BFGS came near."""
    full = solver == NEWTON
    free, sparse = objective.is_unpenalised, objective.penalty.sparse
    stride = sample_stride(objective.n_rows, start.size)
    sample = objective if stride == 1 else objective.every(stride)
    error = SAMPLE_ERROR * start.size / sample.weight
    found = Solution(start, objective.null_value, 0.0, [], converged=False)
    if len(start) > 1 and start.size > MAX_CLASS_HESSIAN and not (free or sparse or full):
        enough = NEAR if stride == 1 else max(NEAR, 0.1 * error)
        found = lbfgs(sample, start, tol=enough, max_iter=min(MAX_NEAR_STEPS, max_iter))
    if stride > 1:
        limit = min(max_iter, len(found.trace) + MAX_SAMPLE_STEPS)
        found = newton(sample, found.coef, tol=error, max_iter=limit, trace=found.trace)
        inverse = None if full or sparse else _trusted_inverse(objective, found)
        if inverse is not None:
            near = _lbfgs_from(objective, found, inverse, exact=exact, max_iter=max_iter)
            if not free and (near.converged or len(near.trace) >= max_iter):
                return near
            if len(near.trace) > len(found.trace):
                return _to_the_end(
                    objective, near, exact=exact, max_iter=max_iter, check_rank=False
                )
            found = replace(found, coef=objective.null_coef)  # the sample's was worse
    return _to_the_end(objective, found, exact=exact, max_iter=max_iter)


def _lbfgs_from(
    objective: Objective, found: Solution, inverse: Array, *, exact: float, max_iter: int
) -> Solution:
    """L-BFGS over all rows, from the minimum and the inverse Hessian of a sample.

    Its last step leaves a tenth of the error, where one of Newton's method leaves the square: the
    tolerance is as much less.
    """
    check = existence_check(objective, exact).check if objective.is_unpenalised else None
    solved = lbfgs(
        objective, found.coef, tol=MUCH_SMALLER * exact, max_iter=max_iter, trace=found.trace,
        inverse_hessian=inverse, max_steps=_worth_in_steps(found.coef.size), check=check,
    )  # fmt: skip
    return replace(solved, converged=solved.converged and not solved.stalled)


def _to_the_end(
    objective: Objective, found: Solution, *, exact: float, max_iter: int, check_rank: bool = True
) -> Solution:
    """Newton's method over all rows."""
    existence = existence_check(objective, exact, check_rank) if objective.is_unpenalised else None
    return newton(
        objective, found.coef, tol=exact, max_iter=max_iter, trace=found.trace, existence=existence
    )


def _trusted_inverse(objective: Objective, found: Solution) -> Array | None:
    """The inverse Hessian of a sample, where it holds every coefficient well enough.

    L-BFGS takes about √κ steps where a direction is κ times as loose as it should be.
    """
    assert found.last is not None
    hessian, width = found.last.hessian_with(objective.penalty), found.coef.shape[1]
    inverse = invert(hessian)
    intercepts = np.repeat(np.diag(hessian)[::width], width)
    if variance_inflation(inverse, intercepts) > _worth_in_steps(found.coef.size) ** 2:
        return None
    return inverse


def _worth_in_steps(size: int) -> int:
    """Gradients that cost as much as a Hessian of so many coefficients."""
    return max(12, size // 4)


def with_hessian(objective: Objective, found: Solution) -> Solution:
    """A solution with the Hessian of the loss there, for standard errors without a penalty."""
    if not objective.is_unpenalised or found.hessian.size or found.coef.size > MAX_ERRORS_HESSIAN:
        return found
    at = objective.at(found.coef, FULL)
    return replace(found, value=at.value, margin=at.margin, hessian=at.sums.hessian)
