"""Wide tables: many more columns than rows, of which few have a weight.

Weights are made best within a working set: columns that have one, and those that want one most, by
the products of columns and residuals (Tibshirani et al., Strong rules, JRSS B 2012). All columns
are then looked at, and those that were wrongly left out join, until the duality gap is small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.errors import InputError
from tallylearn.kernels import coordinates
from tallylearn.models.design_columns import designed, gappy, learnable, spelled, spelling
from tallylearn.models.design_matrix import Design
from tallylearn.models.linear.linear_model import LinearModel
from tallylearn.models.linear.penalty_path import CrossValidated
from tallylearn.models.linear.soft_weights import ABOVE, FAR, MANY, Rule
from tallylearn.models.linear.sums import Spelled
from tallylearn.models.linear.tallied_rows import answers_of, dealt, powered
from tallylearn.tables import Array, Block
from tallylearn.tallies.pairs import GAP

LOOKS = 50  # at all columns, for one penalty
FIRST = 1e-3  # of the gap: steps that are small enough within a working set


@dataclass(frozen=True)
class WideRows:
    """The columns of a table around their means, one after the other, and its target."""

    design: Design
    x: Array  # (p, n), times the roots of the weights
    y: Array  # (n,)
    mean: Array  # (p,)
    level: float
    rows: float
    fold: Array  # (n,) a number for what every row holds
    block: Block
    centred: bool

    @classmethod
    def of(cls, block: Block, how: Spelled, degree: int, centred: bool) -> WideRows:
        """All rows, every gap filled."""
        block = learnable(block, how.missing)
        target = answers_of(block)
        if target.shape[1] > 1:
            raise InputError(
                "a table with many more columns than rows is learned one target at a time."
            )
        weight = np.ones(len(block)) if block.weight is None else block.weight
        design = _design(block, how, degree, weight)
        return cls._around(design, design.filled(block), target[:, 0], weight, block, centred)

    @classmethod
    def _around(
        cls, design: Design, x: Array, y: Array, weight: Array, block: Block, centred: bool
    ) -> WideRows:
        n = float(weight.sum())
        mean = weight @ x / n if centred else np.zeros(x.shape[1])
        level = float(weight @ y / n) if centred else 0.0
        root = np.sqrt(weight)
        columns = np.ascontiguousarray(((x - mean) * root[:, None]).T)
        fold = dealt(block, 1 << 20).codes
        return cls(design, columns, (y - level) * root, mean, level, n, fold, block, centred)

    def part(self, which: Array) -> WideRows:
        """Some of the rows."""
        block, x = self.block[which], self.design.filled(self.block[which])
        weight = np.ones(len(block)) if block.weight is None else block.weight
        y = answers_of(block)[:, 0]
        return self._around(self.design, x, y, weight, block, self.centred)

    def penalties(self, rule: Rule) -> Array:
        """(m,) from the least penalty that leaves no weight, down to a hundredth of it."""
        slope = self.x @ self.y
        steepest = float((slope if rule.positive else np.abs(slope)).max(initial=0.0))
        steepest = ABOVE * steepest / (self.rows * max(rule.share, FAR)) or 1.0
        return np.asarray(np.geomspace(steepest, steepest * FAR * 10, MANY))

    def path(self, penalty: Array, rule: Rule) -> tuple[Array, Array, Array]:
        """(m, p) weights, (m,) gaps a row, (m,) rounds; the largest penalty comes first."""
        p, square = len(self.x), float(self.y @ self.y)
        squares = np.einsum("pn,pn->p", self.x, self.x)
        weights, rest, slope = np.zeros(p), self.y.copy(), self.x @ self.y
        out, gaps, rounds = np.zeros((len(penalty), p)), np.zeros(len(penalty)), []
        before = np.inf
        for m, alpha in enumerate(penalty):
            costs = rule.costs(float(alpha), self.rows, square)
            strong = 2 * costs[0] - before if np.isfinite(before) else costs[0]
            some = np.flatnonzero((np.abs(slope) >= strong) | (weights != 0))
            slope, gaps[m], steps = self._rest(costs, rule, squares, some, weights, rest, slope)
            rounds.append(steps)
            out[m], before = weights, float(costs[0])
        return out, gaps / self.rows, np.array(rounds, dtype=np.int64)

    def _rest(
        self, costs: Array, rule: Rule, squares: Array, some: Array, weights: Array, rest: Array,
        slope: Array,
    ) -> tuple[Array, float, int]:  # fmt: skip
        """Weights at rest for a penalty: products with the residuals, the gap, the rounds."""
        goal, fine, taken, found = rule.tol * float(costs[2]), FIRST, 0, np.zeros(2)
        gap = np.inf
        for _ in range(LOOKS):
            limits = np.array([goal * fine, float(rule.rounds - taken), float(rule.positive)])
            coordinates.descend_columns(self.x, some, squares, costs, limits, weights, rest, found)
            taken += int(found[1])
            slope = self.x @ rest
            gap = _gap(self.y, rest, weights, slope, costs, rule.positive)
            if gap <= goal or taken >= rule.rounds:
                break
            wanting = slope if rule.positive else np.abs(slope)
            more = np.flatnonzero((wanting > costs[0]) | (weights != 0))
            fine = fine if len(np.setdiff1d(more, some)) else fine * 0.1
            some = np.union1d(some, more)
        return slope, gap, max(taken, 1)

    def model(self, alpha: float, rule: Rule, choice: CrossValidated | None) -> LinearModel:
        """The weights of one penalty, on the way from larger ones."""
        most = self.penalties(rule)[0]
        way = np.geomspace(most, alpha, 10) if 0 < alpha < most else np.array([alpha])
        coef, gap, rounds = self.path(way, rule)
        w = coef[-1]
        rest = self.y - w @ self.x
        level = self.level - float(w @ self.mean) if self.centred else 0.0
        name = "the lasso" if rule.share == 1 else "an elastic net"
        one = np.array
        return LinearModel(
            self.design, w[None], one([level]), self.mean, one([self.level]), np.ones(len(w)),
            np.zeros((0, 0)), np.flatnonzero(w), self.rows, one([float(rest @ rest)]),
            one([float(self.y @ self.y)]), np.zeros(1), self.centred, 0.0, (), name, choice,
            gap[-1:], int(rounds[-1]), alpha,
        )  # fmt: skip

    def validated(self, penalty: Array, rule: Rule, folds: int) -> CrossValidated:
        """Every fold by the rows of all others."""
        fold = self.fold % folds
        errors, sizes = [], []
        for f in np.unique(fold):
            rest, own = self.part(np.flatnonzero(fold != f)), self.block[np.flatnonzero(fold == f)]
            coef, _, _ = rest.path(penalty, rule)
            x, y = self.design.filled(own), answers_of(own)[:, 0]
            weight = np.ones(len(own)) if own.weight is None else own.weight
            level = rest.level - coef @ rest.mean if self.centred else np.zeros(len(penalty))
            errors.append(weight @ (y[:, None] - x @ coef.T - level) ** 2)
            sizes.append(float(weight.sum()))
        each, rows = np.array(errors), np.array(sizes)
        mean = each.sum(axis=0) / rows.sum()
        off = rows[:, None] * (each / rows[:, None] - mean) ** 2
        spread = np.sqrt(off.sum(axis=0) / rows.sum() / max(len(rows) - 1, 1))
        return CrossValidated(penalty, mean, spread, len(rows))


def _design(block: Block, how: Spelled, degree: int, weight: Array) -> Design:
    gaps = gappy(block)
    names, x = spelling(block, gaps), spelled(block, gaps)
    names, x = powered(block, names, x, degree)
    shown = ~np.isnan(x)
    sums = weight @ np.where(shown, x, 0.0)
    there = weight @ shown
    kept = [j for j, name in enumerate(names) if there[j] > 0 and (
        how.missing == "indicator" or name[1] != GAP)]  # fmt: skip
    order = sorted(kept, key=names.__getitem__)
    some = tuple(names[j] for j in order)
    return designed(
        some, sums[order], there[order], float(weight.sum()), min_rows=how.min_rows,
        missing=how.missing, reference=how.reference,
    )  # fmt: skip


def _gap(
    y: Array, rest: Array, weights: Array, slope: Array, costs: Array, positive: bool
) -> float:
    """The most that the loss can be above its least, as in ``kernels.coordinates``."""
    bent = slope - costs[1] * weights
    steep = float((bent if positive else np.abs(bent)).max(initial=0.0))
    share = float(costs[0]) / steep if steep > costs[0] else 1.0
    left, both = float(rest @ rest), 1 + share * share
    size = float(costs[0]) * float(np.abs(weights).sum())
    ridge = 0.5 * float(costs[1]) * both * float(weights @ weights)
    return 0.5 * left * both + size - share * float(rest @ y) + ridge
