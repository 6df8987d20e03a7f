"""Working sets: of very many columns only those that may have a weight are gone through.

Weights are made best among the columns that have one and those that want one most (Tibshirani et
al., Strong rules, JRSS B 2012), on their products with each other, which stay along a path. Then
all columns that could be wrongly left out are looked at, and join, until the duality gap is small.
"""

from __future__ import annotations

import numpy as np

from tallylearn.kernels import coordinate_descent
from tallylearn.models.glm.linear.column_gradients import Slopes
from tallylearn.models.glm.linear.projected_newton import (
    MOST,
    ROUNDS,
    descend_path,
    move,
    rounds_at_once,
)
from tallylearn.models.glm.linear.soft_weights import Rule
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array

LOOKS = 50  # at all columns, for one penalty
FINER = 0.1  # of the gap: small enough within a working set
STEPS = 1e-2  # of that: small enough for one weight
FEW = 100  # columns that may join at a time; more where more have a weight
RIDGE = 1e-3  # of the cost of squares: a cost of sizes below scales residuals to nothing
SPARE = 1.5  # times the columns in use: a larger set is cut down


class WorkingSet:
    """Some columns, their products with each other, and the weights of all columns."""

    def __init__(self, x: Array, y: Array, squares: Array, rule: Rule) -> None:
        self.x, self.y, self.squares, self.rule = x, y, squares, rule
        self.square = float(y @ y)
        self.weights, self.rest = np.zeros(len(x)), y.copy()
        self.slopes = Slopes(x, np.sqrt(squares), y)
        self.some = np.empty(0, dtype=np.int64)  # (s,)
        self._columns, self._gram = x[:0], np.empty((0, 0))  # (s, n) and (s, s)

    def settle(self, costs: Array, before: float) -> tuple[float, int]:
        """Weights at rest for a penalty, from those of the one before: the gap, and the rounds."""
        goal, fine, taken = self.rule.tol * self.square, FINER, 0
        strong = 2 * float(costs[0]) - before if np.isfinite(before) else float(costs[0])
        self._choose(max(strong, 0.0))
        gap = np.inf
        for _ in range(LOOKS):
            taken += self._descend(costs, goal * fine, self.rule.rounds - taken)
            near = self.slopes.look(self.rest, float(costs[0]), self.some)
            gap = self._gap(costs, near)
            if gap <= goal or taken >= self.rule.rounds:
                break
            if not self._join(near[self._wanting(near) > costs[0]]):
                fine *= FINER
        return gap, max(taken, 1)

    def _wanting(self, columns: Array) -> Array:
        slope = self.slopes.known[columns]
        return slope if self.rule.positive else np.abs(slope)

    def _choose(self, level: float) -> None:
        """Columns with a weight, and those whose slopes are of this level."""
        near = self.slopes.look(self.rest, level, self.some)
        near = near[self._wanting(near) >= level]
        kept = np.isin(self.some, near) | (self.weights[self.some] != 0)
        if len(self.some) > SPARE * kept.sum():
            self._keep(kept)
        self._join(near)

    def _join(self, columns: Array) -> bool:
        """The steepest of some columns join; whether there is one that was not yet in."""
        more = columns[~np.isin(columns, self.some)]
        room = max(FEW, np.count_nonzero(self.weights))
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
        found = descend_path(self._gram, target, costs[None], limits, slope, own[None])
        self.weights[some], self.rest = own, self.y - own @ self._columns
        return int(found[0, 1])

    def _descend_rows(self, costs: Array, limits: Array) -> int:
        """The same of so many columns that their products with each other cost more than rows."""
        found, taken, few = np.zeros(2), 0, limits * [STEPS, 1, 1]
        few[1] = ROUNDS
        most = rounds_at_once(self.x.shape[1] * len(self.some))
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
        if len(used) > MOST:
            return False
        columns, own = self.x[used], self.weights[used]
        gram, target, slope = columns @ columns.T, columns @ self.y, columns @ self.rest
        gained = move(gram, target, costs, own, slope)
        self.weights[used], self.rest = own, self.y - own @ columns
        return gained

    def _gap(self, costs: Array, near: Array) -> float:
        """The most that the loss can be above its least, as in ``kernels.coordinates``."""
        if costs[0] < RIDGE * costs[1]:
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
