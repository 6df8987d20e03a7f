"""Working-set coordinate descent for the lasso with many more columns than rows.

Coordinate descent runs on a working set: the columns with nonzero coefficients and those whose
gradient is largest (the sequential strong rule). The Gram matrix of the working set is kept and
grows along the path of penalties. Then all columns that may violate the optimality (KKT) conditions
are checked and the worst violators join, until the duality gap is below the tolerance.

The gradient xᵀr of a column is recomputed only where it may matter. From residuals r to later ones
s it changes little: for any c, |xᵀs| <= c |xᵀr| + ‖x‖ ‖s − c r‖. A column whose bound stays below
the penalty is skipped, and along a path most columns are. (Sphere tests for screening are of this
kind.)

References
----------
R. Tibshirani et al., Strong rules for discarding predictors in lasso-type problems, JRSS B, 2012.
L. El Ghaoui, V. Viallon and T. Rabbani, Safe feature elimination for the lasso, 2012.
O. Fercoq, A. Gramfort and J. Salmon, Mind the duality gap, ICML 2015.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tallylearn import engines
from tallylearn.kernels import coordinate_descent
from tallylearn.models.glm.solvers.coordinate_descent import (
    PASSES_BEFORE_NEWTON,
    ElasticNetPenalty,
    descend_gram_path,
    passes_per_call,
)
from tallylearn.models.glm.solvers.projected_newton import MAX_SUPPORT, newton_on_support
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array

# Checks of all columns for one penalty; each adds violators of the KKT conditions.
MAX_OUTER_ITERATIONS = 50
# Relative to the tolerance of the whole problem: the gap that ends coordinate descent within the
# working set; tightened by the same factor where no column violates and the gap is still too large.
INNER_TOLERANCE = 0.1
# Relative to that: the largest decrease by one coefficient in a pass that ends the passes.
STEP_TOLERANCE = 1e-2
# Columns that may join at a time, or as many as have nonzero coefficients if those are more. Fewer
# mean more checks of all columns, more mean a larger Gram matrix.
MIN_COLUMNS_ADDED = 100
# l1 over l2 penalty. Below, the dual point of the lasso, residuals scaled by l1 over the largest
# gradient, is useless; the gap of the ridge problem is taken. As in kernels.coordinate_descent.
NEARLY_RIDGE = 1e-3
# Size of the working set relative to the columns it needs, above which the others are dropped.
MAX_EXCESS = 1.5
# Per row: the relative error of a sum of products (Higham, chapter 3).
ROUNDING = float(np.finfo(np.float64).eps)
# Residual vectors kept for the bounds; beyond, those that no column refers to are dropped.
MAX_RESIDUALS_KEPT = 64
# Multiplications that are worth a task of their own on the worker pool, about 0.15 ms.
PRODUCTS_PER_TASK = 1 << 20


class LassoWorkingSet:
    """Some columns, their products with each other, and the weights of all columns."""

    def __init__(self, x: Array, y: Array, squares: Array, rule: ElasticNetPenalty) -> None:
        self.x, self.y, self.squares, self.rule = x, y, squares, rule
        self.square = float(y @ y)
        self.weights, self.rest = np.zeros(len(x)), y.copy()
        self.slopes = ColumnGradients(x, np.sqrt(squares), y)
        self.some = np.empty(0, dtype=np.int64)  # (s,)
        self._columns, self._gram = x[:0], np.empty((0, 0))  # (s, n) and (s, s)

    def settle(self, costs: Array, before: float) -> tuple[float, int]:
        """Weights at rest for a penalty, from those of the one before: the gap, and the rounds."""
        goal, fine, taken = self.rule.tol * self.square, INNER_TOLERANCE, 0
        strong = 2 * float(costs[0]) - before if np.isfinite(before) else float(costs[0])
        self._choose(max(strong, 0.0))
        gap = np.inf
        for _ in range(MAX_OUTER_ITERATIONS):
            taken += self._descend(costs, goal * fine, self.rule.rounds - taken)
            near = self.slopes.look(self.rest, float(costs[0]), self.some)
            gap = self._gap(costs, near)
            if gap <= goal or taken >= self.rule.rounds:
                break
            if not self._join(near[self._wanting(near) > costs[0]]):
                fine *= INNER_TOLERANCE
        return gap, max(taken, 1)

    def _wanting(self, columns: Array) -> Array:
        slope = self.slopes.known[columns]
        return slope if self.rule.positive else np.abs(slope)

    def _choose(self, level: float) -> None:
        """Columns with a weight, and those whose slopes are of this level."""
        near = self.slopes.look(self.rest, level, self.some)
        near = near[self._wanting(near) >= level]
        kept = np.isin(self.some, near) | (self.weights[self.some] != 0)
        if len(self.some) > MAX_EXCESS * kept.sum():
            self._keep(kept)
        self._join(near)

    def _join(self, columns: Array) -> bool:
        """The steepest of some columns join; whether there is one that was not yet in."""
        more = columns[~np.isin(columns, self.some)]
        room = max(MIN_COLUMNS_ADDED, np.count_nonzero(self.weights))
        steepest = np.argsort(-self._wanting(more), kind="stable")[:room]
        self._add(np.sort(more[steepest]))
        return len(more) > 0

    def _add(self, more: Array) -> None:
        if len(more) and self._by_products and len(self.some) + len(more) <= self._most:
            self._border(self.x[more])
        self.some = np.concatenate([self.some, more])

    def _keep(self, which: Array) -> None:
        some = self.some[which]
        if self._by_products:
            self._columns, self._gram = self._columns[which], self._gram[np.ix_(which, which)]
            self.some = some
        else:  # it may be small enough for products now
            self.some, self._columns, self._gram = some[:0], self.x[:0], np.empty((0, 0))
            self._add(some)

    @property
    def _most(self) -> int:
        """Columns whose products with each other cost less than the rows."""
        return 2 * len(self.y)

    @property
    def _by_products(self) -> bool:
        return len(self._gram) == len(self.some)

    def _border(self, added: Array) -> None:
        """The products with some columns more."""
        s = len(self._columns)
        self._columns = np.concatenate([self._columns, added])
        out = np.empty((len(self._columns), len(self._columns)))
        out[:s, :s], out[s:] = self._gram, added @ self._columns.T
        out[:s, s:] = out[s:, :s].T
        self._gram = out

    def _descend(self, costs: Array, goal: float, rounds: int) -> int:
        """Weights and residuals at rest within the set."""
        limits = np.array([goal, float(rounds), float(self.rule.positive)])
        if not self._by_products:
            return self._descend_rows(costs, limits)
        some = self.some
        own, slope, target = self.weights[some], self.slopes.known[some], self._columns @ self.y
        found = descend_gram_path(self._gram, target, costs[None], limits, slope, own[None])
        self.weights[some], self.rest = own, self.y - own @ self._columns
        return int(found[0, 1])

    def _descend_rows(self, costs: Array, limits: Array) -> int:
        """The same of so many columns that their products with each other cost more than rows."""
        found, taken, few = np.zeros(2), 0, limits * [STEP_TOLERANCE, 1, 1]
        few[1] = PASSES_BEFORE_NEWTON
        most = passes_per_call(self.x.shape[1] * len(self.some))
        while taken < limits[1]:
            check_halted()
            few[1] = min(few[1], limits[1] - taken)
            coordinate_descent.descend_columns(
                self.x, self.some, self.squares, costs, few, self.weights, self.rest, found
            )
            taken += int(found[1])
            rested = found[0] <= few[0]
            # without a cost of squares no more weights than rows are needed
            spare = costs[1] == 0 and np.count_nonzero(self.weights) > len(self.y)
            if (spare or not rested) and not self._move(costs):
                few[1] = max(few[1], min(2 * few[1], most))
            if rested:
                break
        return taken

    def _move(self, costs: Array) -> bool:
        """All weights that are not 0 at once; whether they gained."""
        used = np.flatnonzero(self.weights)
        if len(used) > MAX_SUPPORT:
            return False
        columns, own = self.x[used], self.weights[used]
        gram, target, slope = columns @ columns.T, columns @ self.y, columns @ self.rest
        gained = newton_on_support(gram, target, costs, own, slope)
        self.weights[used], self.rest = own, self.y - own @ columns
        return gained

    def _gap(self, costs: Array, near: Array) -> float:
        """The most that the loss can be above its least, as in ``kernels.coordinates``."""
        if costs[0] < NEARLY_RIDGE * costs[1]:
            return self._off(costs, near)
        weights, rest = self.weights[self.some], self.rest
        bent = self.slopes.known[near] - costs[1] * self.weights[near]
        steep = float((bent if self.rule.positive else np.abs(bent)).max(initial=0.0))
        share = float(costs[0]) / steep if steep > costs[0] else 1.0
        left, both = float(rest @ rest), 1 + share * share
        size = float(costs[0]) * float(np.abs(weights).sum())
        ridge = 0.5 * float(costs[1]) * both * float(weights @ weights)
        return 0.5 * left * both + size - share * float(rest @ self.y) + ridge

    def _off(self, costs: Array, near: Array) -> float:
        """The same of next to a ridge; no other column has a weight, or wants one."""
        weights, slope, (l1, l2) = self.weights[near], self.slopes.known[near], costs[:2]
        over = ((slope if self.rule.positive else np.abs(slope)) - l1).clip(0)
        cost = l1 * np.abs(weights) + 0.5 * l2 * weights**2 - weights * slope
        return float((cost + over**2 / (2 * l2)).sum())


class ColumnGradients:
    """The slope of every column as it was when the column was last looked at."""

    def __init__(self, x: Array, length: Array, rest: Array) -> None:
        self.x, self.length = x, length  # (p, n) and (p,)
        self.known = np.zeros(len(x))  # (p,)
        self._whose = np.zeros(len(x), dtype=np.int64)  # (p,) which residuals it is the slope of
        self._seen = [rest.copy()]
        self._look(np.arange(len(x)))

    def look(self, rest: Array, level: float, some: Array) -> Array:
        """Which columns may have a slope of this level or more, and ``some``: known anew."""
        due = self._most(rest) >= level
        due[some] = True
        found = np.flatnonzero(due)
        if not np.array_equal(rest, self._seen[-1]):
            self._tidy()
            self._seen.append(rest.copy())
        self._look(found[self._whose[found] != len(self._seen) - 1])
        return found

    def _most(self, rest: Array) -> Array:
        """(p,) no slope is larger."""
        seen = np.array(self._seen)
        share = seen @ rest / np.maximum(np.einsum("kn,kn->k", seen, seen), 1e-300)
        off = rest - share[:, None] * seen
        wrong = ROUNDING * len(rest) * np.sqrt(rest @ rest)
        apart = np.sqrt(np.einsum("kn,kn->k", off, off)) + wrong
        at = self._whose
        return np.asarray(np.abs(share[at] * self.known) + self.length * apart[at])

    def _look(self, some: Array) -> None:
        """The last residuals' slopes, each column by itself: the same on any number of threads."""
        rest, n = self._seen[-1], max(1, self.x.shape[1])
        step = max(1, PRODUCTS_PER_TASK // n)
        parts = [some[at : at + step] for at in range(0, len(some), step)]
        engines.map_threads(partial(self._products, rest), parts)
        self._whose[some] = len(self._seen) - 1

    def _products(self, rest: Array, some: Array) -> None:
        coordinate_descent.products(self.x, some, rest, self.known)

    def _tidy(self) -> None:
        if len(self._seen) < MAX_RESIDUALS_KEPT:
            return
        used, self._whose = np.unique(self._whose, return_inverse=True)
        self._seen = [self._seen[at] for at in used]
