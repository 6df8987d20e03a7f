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
    """How weights pay: alpha (share |w| + (1 - share) w² / 2); and when they are at rest."""

    share: float
    tol: float  # of the target's squares: a duality gap below is small enough
    rounds: int
    positive: bool = False

    def costs(self, alpha: Array, n: float, square: float) -> Array:
        """(m, 3) what a kernel asks for, in sums over the rows."""
        each = [[n * a * self.share, n * a * (1 - self.share), square] for a in alpha.tolist()]
        return np.array(each).reshape(-1, 3)

    def rested(self, gap: Array, rounds: Array, square: Array) -> bool:
        """Whether the gaps, a row, are small enough, or no weight would move in another round."""
        each = zip(gap.tolist(), rounds.tolist(), square.tolist(), strict=True)
        return all(g <= self.tol * s or r < self.rounds for g, r, s in each)


@dataclass(frozen=True)
class PathSolution:
    """Weights for every penalty, how far from the best they may be, and in how many rounds."""

    coef: Array  # (m, t, p)
    gap: Array  # (m, t) duality gaps, divided by the rows
    rounds: Array  # (m, t)


def solve_path(
    normal: LeastSquaresProblem, penalty: Array, rule: ElasticNetPenalty
) -> PathSolution:
    """From the products of the columns; each penalty starts where the larger one before ended."""
    p, t, products = normal.p, len(normal.scale) - normal.p, normal.products
    gram = np.ascontiguousarray(products[:p, :p])
    out, found = np.zeros((t, len(penalty), p)), np.empty((t, len(penalty), 2))
    for k in range(t):
        goal, square = products[:p, p + k].copy(), float(products[p + k, p + k])
        limits = np.array([rule.tol * square, float(rule.rounds), float(rule.positive)])
        costs = rule.costs(penalty, normal.rows, square)
        found[k] = descend_gram_path(gram, goal, costs, limits, goal.copy(), out[k])
    gaps, rounds = found.T
    return PathSolution(
        out.swapaxes(0, 1),
        np.maximum(gaps, 0.0) / normal.rows,  # below 0 is rounding
        rounds.astype(np.int64),
    )


def descend_gram_path(
    gram: Array, target: Array, costs: Array, limits: Array, slope: Array, out: Array
) -> Array:
    """(m, 2) gaps and rounds; ``kernels.coordinates`` says what is what, of costs (m, 3)."""
    found, m = np.empty((len(costs), 2)), 0
    first = max(PASSES_BEFORE_NEWTON, FIRST_COORDINATE_UPDATES // max(len(gram), 1))
    few = np.array([limits[0], min(first, limits[1]), limits[2]])
    together = max(1, passes_per_call(len(gram) ** 2) // first)  # penalties of one call
    while m < len(costs):
        check_halted()
        some = slice(m, m + together)
        m += coordinate_descent.descend_path(
            gram, target, costs[some], few, slope, out[some], found[some]
        )
        if m < min(some.stop, len(costs)):
            _descend_with_newton(gram, target, costs[m], limits, out[m], slope, found[m])
            m += 1
        out[m : m + 1] = out[m - 1]  # where the next penalty begins
    return found


def passes_per_call(cells: int) -> int:
    """Rounds of one call of a kernel, which cannot be interrupted: up to about a second's."""
    return max(1, PRODUCTS_PER_CALL // max(cells, 1))


def _descend_with_newton(
    gram: Array, target: Array, costs: Array, limits: Array, weights: Array, slope: Array,
    found: Array,
) -> None:  # fmt: skip
    """Go on from a few rounds that brought no rest: all weights move, and one by one, in turn."""
    few, taken = np.array([limits[0], PASSES_BEFORE_NEWTON, limits[2]]), found[1]
    while not found[0] <= limits[0] and found[1] >= few[1] and taken < limits[1]:
        check_halted()
        if not newton_on_support(gram, target, costs, weights, slope):
            few[1] = max(few[1], min(2 * few[1], passes_per_call(len(gram) ** 2)))
        few[1] = min(few[1], limits[1] - taken)
        coordinate_descent.descend_products(gram, target, costs, few, weights, slope, found)
        taken += found[1]
    found[1] = taken
