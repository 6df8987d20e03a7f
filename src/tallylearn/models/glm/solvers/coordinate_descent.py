"""Coordinate descent for the lasso and the elastic net, from the Gram matrix of the columns.

Minimises, for each penalty alpha of a path from large to small,

    ½ Σ (y − Xβ)² + n alpha (l1_ratio Σ|β| + (1 − l1_ratio) Σβ² / 2)

with warm starts. A pass sets one coefficient after the other to its minimiser, the soft threshold
(kernels.coordinate_descent), over all columns and over the nonzero ones in turn, and stops when the
duality gap is below the tolerance. Where some passes do not converge, as with nearly collinear
columns, they alternate with projected Newton steps on the support.

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

    def converged(self, gap: Array, passes: Array, square: Array) -> bool:
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
        limits = np.array([penalty.tol * square, float(penalty.max_iter), float(penalty.positive)])
        costs = penalty.kernel_costs(alphas, problem.rows, square)
        found[k] = descend_gram_path(
            gram, target, costs, limits, gradient=target.copy(), coef=coef[k]
        )
    gaps, passes = found.T
    return PathSolution(
        coef.swapaxes(0, 1),
        np.maximum(gaps, 0.0) / problem.rows,  # below 0 is rounding
        passes.astype(np.int64),
    )


def descend_gram_path(
    gram: Array, target: Array, costs: Array, limits: Array, *, gradient: Array, coef: Array
) -> Array:
    """Coordinate descent for one penalty after the other, from where the one before ended.

    Parameters
    ----------
    gram : (p, p) products of the columns.
    target : (p,) products of columns and target.
    costs : (m, 3) l1 penalty, l2 penalty, and the target's sum of squares.
    limits : (3,) the duality gap to reach, the most passes, and 1 for coefficients above 0.
    gradient : (p,) products of columns and residuals at the start; those at the end.
    coef : (m, p) the first row is the start; all rows get the solutions.

    Returns
    -------
    (m, 2) duality gap and passes of every penalty.
    """
    found, m = np.empty((len(costs), 2)), 0
    first = max(PASSES_BEFORE_NEWTON, FIRST_COORDINATE_UPDATES // max(len(gram), 1))
    plain = np.array([limits[0], min(first, limits[1]), limits[2]])
    penalties_per_call = max(1, passes_per_call(len(gram) ** 2) // first)
    while m < len(costs):
        check_halted()
        some = slice(m, m + penalties_per_call)
        m += coordinate_descent.descend_path(
            gram, target, costs[some], plain, gradient, coef[some], found[some]
        )
        if m < min(some.stop, len(costs)):  # this penalty did not converge in a few passes
            found[m] = _alternate_with_newton(
                gram, target, costs[m], limits, gradient=gradient, coef=coef[m],
                passes=found[m, 1], gap=found[m, 0],
            )  # fmt: skip
            m += 1
        coef[m : m + 1] = coef[m - 1]  # where the next penalty begins
    return found


def passes_per_call(products: int) -> int:
    """Passes in one call of a kernel, which cannot be interrupted, of so many products each."""
    return max(1, PRODUCTS_PER_CALL // max(products, 1))


def _alternate_with_newton(
    gram: Array, target: Array, costs: Array, limits: Array, *, gradient: Array, coef: Array,
    passes: float, gap: float,
) -> tuple[float, float]:  # fmt: skip
    """Go on where some passes did not converge: Newton on the support and passes, in turn.

    Where the Newton step gains nothing, the number of passes before the next is doubled.
    """
    total, found = passes, np.array([gap, passes])
    few = np.array([limits[0], PASSES_BEFORE_NEWTON, limits[2]])
    while not found[0] <= limits[0] and found[1] >= few[1] and total < limits[1]:
        check_halted()
        if not newton_on_support(gram, target, costs, coef, gradient):
            few[1] = max(few[1], min(2 * few[1], passes_per_call(len(gram) ** 2)))
        few[1] = min(few[1], limits[1] - total)
        coordinate_descent.descend_products(gram, target, costs, few, coef, gradient, found)
        total += found[1]
    return found[0], total
