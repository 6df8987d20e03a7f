"""Coordinate descent for quadratic models with an l1 penalty; paths of lasso and elastic net.

``descend`` minimises ½ β'Hβ − b'β with l1 and l2 penalties, for one penalty of a path after the
other. A pass sets one coefficient after the other to its minimiser, the soft threshold
(kernels.coordinate_descent), over all columns and over the nonzero ones in turn. Where some passes
do not converge, as with nearly collinear columns, they alternate with projected Newton steps on the
support. Two problems are such models:

- the lasso and the elastic net, from the products of the columns (``solve_path``), which minimise

      ½ Σ (y − Xβ)² + n alpha (l1_ratio Σ|β| + (1 − l1_ratio) Σβ² / 2)

  with warm starts, until the duality gap is below the tolerance;
- a proximal Newton step for another loss (``solvers.proximal_newton``).

References
----------
J. Friedman, T. Hastie and R. Tibshirani, Regularization paths for generalized linear models via
coordinate descent, J. Statistical Software 33, 2010.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.kernels import coordinate_descent
from tallylearn.models.glm.solvers.least_squares import LeastSquaresProblem
from tallylearn.models.glm.solvers.projected_newton import newton_on_support
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array

# Passes over the coefficients after which a projected Newton step is tried: as many cost about as
# much as the step's linear solve, measured with supports of 20 to 1000 columns.
PASSES_BEFORE_NEWTON = 50
# Coordinate updates before the first Newton step: with few columns passes are cheaper than a call.
FIRST_COORDINATE_UPDATES = 2500
# Multiplications in one call of a kernel, which cannot be interrupted: about a second.
PRODUCTS_PER_CALL = 1 << 30
# What the tolerance of ``descend`` bounds: the duality gap, for lasso and elastic net; or the
# largest squared change of a coefficient in a pass, in units of its curvature, for other models.
BY_GAP, BY_CHANGE = 0.0, 1.0
NO_FACTORS = np.empty(0)


@dataclass(frozen=True)
class ElasticNetPenalty:
    """alpha (l1_ratio Σ|β| + (1 − l1_ratio) Σβ² / 2), and when coordinate descent stops."""

    l1_ratio: float
    tol: float  # duality gap that is small enough, relative to the target's sum of squares
    max_iter: int  # passes over the coefficients
    positive: bool = False

    def kernel_costs(self, alpha: Array, n: float, square: float) -> Array:
        """(m, 3) l1 and l2 penalty in sums over n rows, and the target's sum of squares."""
        ratio = self.l1_ratio
        each = [[n * a * ratio, n * a * (1 - ratio), square] for a in alpha.tolist()]
        return np.array(each).reshape(-1, 3)

    def limits(self, gap: float, max_passes: int) -> Array:
        """When ``descend`` stops: at this duality gap, or after so many passes."""
        return np.array([gap, max_passes, self.positive, BY_GAP], dtype=np.float64)

    def has_converged(self, gap: Array, passes: Array, square: Array) -> bool:
        """Whether every gap, per row, is within the tolerance, or no coefficient moved any more."""
        each = zip(gap.tolist(), passes.tolist(), square.tolist(), strict=True)
        return all(g <= self.tol * s or n < self.max_iter for g, n, s in each)


@dataclass(frozen=True)
class PathSolution:
    """Coefficients for every penalty of a path, largest first, with gaps and passes."""

    coef: Array  # (m, t, p)
    gap: Array  # (m, t) duality gaps per row
    passes: Array  # (m, t)


def solve_path(
    problem: LeastSquaresProblem, alphas: Array, penalty: ElasticNetPenalty
) -> PathSolution:
    """The lasso or elastic net path from the products of the columns, one target after the other.

    Each penalty starts at the solution for the larger one before.
    """
    p, t, products = problem.p, len(problem.scale) - problem.p, problem.products
    gram = np.ascontiguousarray(products[:p, :p])
    coef, found = np.zeros((t, len(alphas), p)), np.empty((t, len(alphas), 2))
    for k in range(t):
        target, square = products[:p, p + k].copy(), float(products[p + k, p + k])
        limits = penalty.limits(penalty.tol * square, penalty.max_iter)
        costs = penalty.kernel_costs(alphas, problem.rows, square)
        found[k] = descend(gram, target, costs, limits, gradient=target.copy(), coef=coef[k])
    gaps, passes = found.T
    return PathSolution(
        coef.swapaxes(0, 1),
        np.maximum(gaps, 0.0) / problem.rows,  # below 0 is rounding
        passes.astype(np.int64),
    )


def descend(
    hessian: Array, target: Array, costs: Array, limits: Array, *, gradient: Array, coef: Array,
    factors: Array = NO_FACTORS,
) -> Array:  # fmt: skip
    """Coordinate descent for one penalty after the other, from where the one before ended.

    Parameters
    ----------
    hessian : (p, p) H; for a lasso the products of the columns.
    target : (p,) b; for a lasso the products of columns and target.
    costs : (m, 3) l1 penalty, l2 penalty, and the target's sum of squares.
    limits : (4,) the tolerance, the most passes, 1 for coefficients above 0, and what the tolerance
        bounds: BY_GAP the duality gap, BY_CHANGE the largest squared change in a pass.
    gradient : (p,) b − Hβ at the start; that at the end.
    coef : (m, p) the first row is the start; all rows get the solutions.
    factors : (p,) of the l1 penalty, 0 for a coefficient without one; by default 1 for all.

    Returns
    -------
    (m, 2) what the tolerance bounds, and the passes, of every penalty.
    """
    found, m = np.empty((len(costs), 2)), 0
    first = first_passes(len(hessian))
    passes = np.array([limits[0], min(first, limits[1]), *limits[2:]])
    penalties_per_call = max(1, passes_per_call(len(hessian) ** 2) // first)
    while m < len(costs):
        check_halted()
        some = slice(m, m + penalties_per_call)
        m += coordinate_descent.descend_path(
            hessian, target, factors, costs[some], passes, gradient, coef[some], found[some]
        )
        if m < min(some.stop, len(costs)):  # this penalty did not converge in a few passes
            one = slice(m, m + 1)
            _alternate_with_newton(
                hessian, target, costs[one], limits, gradient=gradient, coef=coef[one],
                factors=factors, found=found[one],
            )  # fmt: skip
            m += 1
        coef[m : m + 1] = coef[m - 1]  # where the next penalty begins
    return found


def first_passes(p: int) -> int:
    """Passes over p coefficients before the first Newton step on the support."""
    return max(PASSES_BEFORE_NEWTON, FIRST_COORDINATE_UPDATES // max(p, 1))


def passes_per_call(products: int) -> int:
    """Passes in one call of a kernel, which cannot be interrupted, of so many products each."""
    return max(1, PRODUCTS_PER_CALL // max(products, 1))


def _alternate_with_newton(
    hessian: Array, target: Array, costs: Array, limits: Array, *, gradient: Array, coef: Array,
    factors: Array, found: Array,
) -> None:  # fmt: skip
    """Go on where some passes did not converge: Newton on the support and passes, in turn.

    Where the Newton step gains nothing, the number of passes before the next is doubled.
    """
    total, last = found[0, 1], found.copy()
    few = np.array([limits[0], PASSES_BEFORE_NEWTON, *limits[2:]])
    while not last[0, 0] <= limits[0] and last[0, 1] >= few[1] and total < limits[1]:
        check_halted()
        if not newton_on_support(hessian, target, costs[0], coef[0], gradient, factors=factors):
            few[1] = max(few[1], min(2 * few[1], passes_per_call(len(hessian) ** 2)))
        few[1] = min(few[1], limits[1] - total)
        coordinate_descent.descend_path(hessian, target, factors, costs, few, gradient, coef, last)
        total += last[0, 1]
    found[0] = last[0, 0], total
