"""Working-set coordinate descent for the lasso with many more columns than rows.

Coordinate descent runs on a working set: the columns with nonzero coefficients and those whose
gradient is largest (the sequential strong terms). The Gram matrix of the working set is kept and
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
    descend,
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
# Size of the working set relative to the columns it needs, above which the others are dropped.
MAX_EXCESS = 1.5
# Per row: the relative error of a sum of products (Higham, chapter 3).
ROUNDING = float(np.finfo(np.float64).eps)
# Residual vectors kept for the bounds; beyond, those that no column refers to are dropped.
MAX_RESIDUALS_KEPT = 64
# Multiplications that are worth a task of their own on the worker pool, about 0.15 ms.
PRODUCTS_PER_TASK = 1 << 20


class LassoWorkingSet:
    """A working set of columns with their Gram matrix, and the coefficients of all columns.

    Attributes
    ----------
    coef : (p,) the coefficients for the penalty that was solved last.
    residuals : (n,) y − Xβ for these.
    columns : (s,) the places of the working set's columns.
    """

    def __init__(self, x: Array, y: Array, squares: Array, penalty: ElasticNetPenalty) -> None:
        """Columns x (p, n) with sums of squares (p,), and the target (n,), all centred."""
        self.x, self.y, self.squares, self.penalty = x, y, squares, penalty
        self.square = float(y @ y)
        self.coef, self.residuals = np.zeros(len(x)), y.copy()
        self.gradients = ColumnGradients(x, np.sqrt(squares), y)
        self.columns = np.empty(0, dtype=np.int64)
        self._rows, self._gram = x[:0], np.empty((0, 0))  # (s, n) and (s, s)

    def solve(self, costs: Array, previous: float) -> tuple[float, int]:
        """Solve for one penalty, warm-started from the one before.

        Parameters
        ----------
        costs : (3,) l1 penalty, l2 penalty, and the target's sum of squares.
        previous : the l1 penalty before; infinite for the first.

        Returns
        -------
        The duality gap, and the passes over the coefficients.
        """
        l1, goal, inner, passes = (
            float(costs[0]),
            self.penalty.tol * self.square,
            INNER_TOLERANCE,
            0,
        )
        strong_rule = 2 * l1 - previous if np.isfinite(previous) else l1
        self._choose(max(strong_rule, 0.0))
        gap = np.inf
        for _ in range(MAX_OUTER_ITERATIONS):
            passes += self._descend(costs, goal * inner, self.penalty.max_iter - passes)
            candidates = self.gradients.update(self.residuals, l1, self.columns)
            gap = self._gap(costs, candidates)
            if gap <= goal or passes >= self.penalty.max_iter:
                break
            violators = candidates[self._ascent(candidates) > l1]
            if not self._join(violators):
                inner *= INNER_TOLERANCE
        return gap, max(passes, 1)

    def _ascent(self, columns: Array) -> Array:
        """The gradients as far as they can move a coefficient away from 0."""
        gradient = self.gradients.known[columns]
        return gradient if self.penalty.positive else np.abs(gradient)

    def _choose(self, level: float) -> None:
        """Columns with nonzero coefficients, and those whose gradients reach this level."""
        near = self.gradients.update(self.residuals, level, self.columns)
        near = near[self._ascent(near) >= level]
        kept = np.isin(self.columns, near) | (self.coef[self.columns] != 0)
        if len(self.columns) > MAX_EXCESS * kept.sum():
            self._keep(kept)
        self._join(near)

    def _join(self, columns: Array) -> bool:
        """Add those with the largest gradients; whether there is one that was not yet in."""
        new = columns[~np.isin(columns, self.columns)]
        room = max(MIN_COLUMNS_ADDED, np.count_nonzero(self.coef))
        largest = np.argsort(-self._ascent(new), kind="stable")[:room]
        self._add(np.sort(new[largest]))
        return len(new) > 0

    def _add(self, new: Array) -> None:
        if len(new) and self._has_gram and len(self.columns) + len(new) <= self._max_gram:
            self._border_gram(self.x[new])
        self.columns = np.concatenate([self.columns, new])

    def _keep(self, which: Array) -> None:
        kept = self.columns[which]
        if self._has_gram:
            self._rows, self._gram = self._rows[which], self._gram[np.ix_(which, which)]
            self.columns = kept
        else:  # it may be small enough for a Gram matrix now
            self.columns, self._rows, self._gram = kept[:0], self.x[:0], np.empty((0, 0))
            self._add(kept)

    @property
    def _max_gram(self) -> int:
        """Columns up to which a pass over the Gram matrix costs no more than one over the rows."""
        return 2 * len(self.y)

    @property
    def _has_gram(self) -> bool:
        return len(self._gram) == len(self.columns)

    def _border_gram(self, added: Array) -> None:
        """Extend the Gram matrix by columns (k, n)."""
        s = len(self._rows)
        self._rows = np.concatenate([self._rows, added])
        out = np.empty((len(self._rows), len(self._rows)))
        out[:s, :s], out[s:] = self._gram, added @ self._rows.T
        out[:s, s:] = out[s:, :s].T
        self._gram = out

    def _descend(self, costs: Array, goal: float, max_passes: int) -> int:
        """Coordinate descent within the working set; the passes it took."""
        limits = self.penalty.limits(goal, max_passes)
        if not self._has_gram:
            return self._descend_rows(costs, limits)
        at = self.columns
        own, gradient, target = self.coef[at], self.gradients.known[at], self._rows @ self.y
        found = descend(self._gram, target, costs[None], limits, gradient=gradient, coef=own[None])
        self.coef[at], self.residuals = own, self.y - own @ self._rows
        return int(found[0, 1])

    def _descend_rows(self, costs: Array, limits: Array) -> int:
        """The same without a Gram matrix: the residuals are updated with every coefficient."""
        found, passes, few = np.zeros(2), 0, limits * [STEP_TOLERANCE, 1, 1, 1]
        few[1] = PASSES_BEFORE_NEWTON
        most = passes_per_call(self.x.shape[1] * len(self.columns))
        while passes < limits[1]:
            check_halted()
            few[1] = min(few[1], limits[1] - passes)
            coordinate_descent.descend_columns(
                self.x, self.columns, self.squares, costs, few, self.coef, self.residuals, found
            )
            passes += int(found[1])
            converged = found[0] <= few[0]
            # a lasso solution needs no more nonzero coefficients than rows
            spare = costs[1] == 0 and np.count_nonzero(self.coef) > len(self.y)
            if (spare or not converged) and not self._newton(costs):
                few[1] = max(few[1], min(2 * few[1], most))
            if converged:
                break
        return passes

    def _newton(self, costs: Array) -> bool:
        """A projected Newton step on the support; whether the objective decreased."""
        support = np.flatnonzero(self.coef)
        if len(support) > MAX_SUPPORT:
            return False
        columns, own = self.x[support], self.coef[support]
        gram, target, gradient = columns @ columns.T, columns @ self.y, columns @ self.residuals
        decreased = newton_on_support(gram, target, costs, own, gradient)
        self.coef[support], self.residuals = own, self.y - own @ columns
        return decreased

    def _gap(self, costs: Array, candidates: Array) -> float:
        """The duality gap; all nonzero coefficients are among the candidates."""
        gap = coordinate_descent.duality_gap(
            self.coef[candidates], self.gradients.known[candidates], costs[0], costs[1],
            self.residuals, self.y, self.penalty.positive,
        )  # fmt: skip
        return float(gap)


class ColumnGradients:
    """The products of all columns and the residuals, each as of when it was last computed."""

    def __init__(self, x: Array, length: Array, residuals: Array) -> None:
        """Columns (p, n), their lengths (p,), and the first residuals (n,)."""
        self.x, self.length = x, length
        self.known = np.zeros(len(x))  # (p,)
        self._source = np.zeros(len(x), dtype=np.int64)  # (p,) which residuals it was computed from
        self._residuals = [residuals.copy()]
        self._compute(np.arange(len(x)))

    def update(self, residuals: Array, level: float, wanted: Array) -> Array:
        """The columns whose gradient may reach a level, and those wanted: computed anew."""
        due = self._upper_bounds(residuals) >= level
        due[wanted] = True
        found = np.flatnonzero(due)
        if not np.array_equal(residuals, self._residuals[-1]):
            self._drop_unused()
            self._residuals.append(residuals.copy())
        self._compute(found[self._source[found] != len(self._residuals) - 1])
        return found

    def _upper_bounds(self, residuals: Array) -> Array:
        """(p,) upper bounds of the gradients' sizes: c |xᵀr| + ‖x‖ ‖s − c r‖ with the best c."""
        seen = np.array(self._residuals)
        share = seen @ residuals / np.maximum(np.einsum("kn,kn->k", seen, seen), 1e-300)
        off = residuals - share[:, None] * seen
        rounding = ROUNDING * len(residuals) * np.sqrt(residuals @ residuals)
        distance = np.sqrt(np.einsum("kn,kn->k", off, off)) + rounding
        at = self._source
        return np.asarray(np.abs(share[at] * self.known) + self.length * distance[at])

    def _compute(self, columns: Array) -> None:
        """Each column by itself: the same bits on any number of threads."""
        residuals, n = self._residuals[-1], max(1, self.x.shape[1])
        step = max(1, PRODUCTS_PER_TASK // n)
        parts = [columns[at : at + step] for at in range(0, len(columns), step)]
        engines.map_threads(partial(self._products, residuals), parts)
        self._source[columns] = len(self._residuals) - 1

    def _products(self, residuals: Array, columns: Array) -> None:
        coordinate_descent.column_products(self.x, columns, residuals, self.known)

    def _drop_unused(self) -> None:
        if len(self._residuals) < MAX_RESIDUALS_KEPT:
            return
        used, self._source = np.unique(self._source, return_inverse=True)
        self._residuals = [self._residuals[at] for at in used]
