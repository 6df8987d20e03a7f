"""Wide tables: many more columns than rows, of which few have a weight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.kernels import centring
from tallylearn.models.design.columns import designed, spelled, spelling
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import gappy, learnable
from tallylearn.models.design.powers import append_powers
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.paths import (
    ABOVE_ROUNDING,
    SMALLEST_ALPHA_RATIO,
    CrossValidated,
    penalty_grid,
)
from tallylearn.models.glm.solvers.active_set import ColumnGradients, LassoWorkingSet
from tallylearn.models.glm.solvers.coordinate_descent import ElasticNetPenalty
from tallylearn.models.glm.sufficient_statistics import DesignOptions, assign_folds, targets_of
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Block
from tallylearn.tallies.centred_sums import mean_around
from tallylearn.tallies.pairs import GAP

COLUMNS_PER_TASK = 512  # that are turned at a time


@dataclass(frozen=True)
class WideTable:
    """The columns of a table around their means, one after the other, and its target."""

    design: Design
    x: Array  # (p, n), times the roots of the weights
    squares: Array  # (p,) of the columns
    y: Array  # (n,)
    mean: Array  # (p,)
    level: float
    rows: float
    block: Block
    centred: bool

    @classmethod
    def of(cls, block: Block, how: DesignOptions, degree: int, centred: bool) -> WideTable:
        """All rows, every gap filled."""
        block = learnable(block, how.missing)
        target = targets_of(block)
        if target.shape[1] > 1:
            raise InputError(
                "a table with many more columns than rows is learned one target at a time."
            )
        return cls._around(_design_of_block(block, how, degree), block, centred)

    @classmethod
    def _around(cls, design: Design, block: Block, centred: bool) -> WideTable:
        weight = np.ones(len(block)) if block.weight is None else block.weight
        n, y = float(weight.sum()), targets_of(block)[:, 0]
        with one_thread():
            x, at = _filled_numbers(design, block, weight)
            mean = _means(x, weight / n)[at] if centred else np.zeros(len(at))
            level = float(mean_around(y[:1], y[:, None], weight / n)[0]) if centred else 0.0
        columns, squares = _transpose_centred(x, at, mean, np.sqrt(weight))
        return cls(design, columns, squares, (y - level) * np.sqrt(weight), mean, level, n, block,
                   centred)  # fmt: skip

    @classmethod
    def again(cls, design: Design, block: Block, centred: bool) -> WideTable:
        """Rows whose design is known."""
        return cls._around(design, learnable(block, "drop" if design.complete else ""), centred)

    def part(self, which: Array) -> WideTable:
        """Some of the rows."""
        return self._around(self.design, self.block[which], self.centred)

    def penalties(self, rule: ElasticNetPenalty) -> Array:
        """(m,) from the least penalty that leaves no weight, down to a hundredth of it."""
        steepest = self._steepest(rule)
        power = 1 if rule.share == 1 else 2
        return penalty_grid(
            steepest, steepest * SMALLEST_ALPHA_RATIO * 10, np.sqrt(self.squares), power
        )

    def _steepest(self, rule: ElasticNetPenalty) -> float:
        slope = ColumnGradients(self.x, self.squares, self.y).known
        steepest = float((slope if rule.positive else np.abs(slope)).max(initial=0.0))
        return (
            ABOVE_ROUNDING * steepest / (self.rows * max(rule.share, SMALLEST_ALPHA_RATIO)) or 1.0
        )

    def path(self, penalty: Array, rule: ElasticNetPenalty) -> tuple[Array, Array, Array]:
        """(m, p) weights, (m,) gaps a row, (m,) rounds; the largest penalty comes first."""
        out, gaps = np.zeros((len(penalty), len(self.x))), np.zeros(len(penalty))
        rounds, before = np.zeros(len(penalty), dtype=np.int64), np.inf
        with one_thread():
            work = LassoWorkingSet(self.x, self.y, self.squares, rule)
            for m, costs in enumerate(rule.costs(penalty, self.rows, work.square)):
                gaps[m], rounds[m] = work.settle(costs, before)
                out[m], before = work.weights, float(costs[0])
        return out, gaps.clip(0) / self.rows, rounds

    def model(
        self, alpha: float, rule: ElasticNetPenalty, choice: CrossValidated | None
    ) -> LinearModel:
        """The weights of one penalty, on the way from larger ones."""
        most = self._steepest(rule)
        way = np.geomspace(most, alpha, 3) if 0 < alpha < most else np.array([alpha])
        coef, gap, rounds = self.path(way, rule)
        w = coef[-1]
        rest = self.y - w @ self.x
        level = self.level - float(w @ self.mean) if self.centred else 0.0
        name = "the lasso" if rule.share == 1 else "an elastic net"
        one, whole = np.array, float(self.y @ self.y)
        rested = rule.rested(gap[-1:], one([rule.rounds]), one([whole / self.rows]))
        return LinearModel(
            design=self.design,
            coef=w[None],
            intercept=one([level]),
            mean=self.mean,
            answer=one([self.level]),
            scale=np.ones(len(w)),
            root=np.zeros((0, 0)),
            basis=np.flatnonzero(w),
            rows=self.rows,
            rest=one([float(rest @ rest)]),
            whole=one([whole]),
            penalty=np.zeros(1),
            centred=self.centred,
            certain=0.0,
            method=name,
            choice=choice,
            gap=gap[-1:],
            rounds=int(rounds[-1]),
            alpha=alpha,
            level=one([[self.level], [0.0]]),
            converged=rested,
        )

    def validated(self, penalty: Array, rule: ElasticNetPenalty, folds: int) -> CrossValidated:
        """Every fold by the rows of all others."""
        fold = assign_folds(self.block, 1 << 20).codes % folds
        errors, sizes = [], []
        for f in np.unique(fold):
            rest, own = self.part(np.flatnonzero(fold != f)), self.block[np.flatnonzero(fold == f)]
            coef, _, _ = rest.path(penalty, rule)
            x, y = self.design.filled(own), targets_of(own)[:, 0]
            weight = np.ones(len(own)) if own.weight is None else own.weight
            errors.append(weight @ ((y - rest.level)[:, None] - (x - rest.mean) @ coef.T) ** 2)
            sizes.append(float(weight.sum()))
        each, rows = np.array(errors), np.array(sizes)
        mean = each.sum(axis=0) / rows.sum()
        off = rows[:, None] * (each / rows[:, None] - mean) ** 2
        spread = np.sqrt(off.sum(axis=0) / rows.sum() / max(len(rows) - 1, 1))
        return CrossValidated(penalty, mean, spread, len(rows))


def _design_of_block(block: Block, how: DesignOptions, degree: int) -> Design:
    weight = np.ones(len(block)) if block.weight is None else block.weight
    gaps = gappy(block)
    names, x = spelling(block, gaps), spelled(block, gaps)
    names, x = append_powers(block, names, x, degree)
    with one_thread():
        sums, there = weight @ x, np.full(len(names), weight.sum())
        if not np.isfinite(sums).all():
            shown = ~np.isnan(x)
            sums, there = weight @ np.where(shown, x, 0.0), weight @ shown
    kept = [j for j, name in enumerate(names) if there[j] > 0 and (
        how.missing == "indicator" or name[1] != GAP)]  # fmt: skip
    order = sorted(kept, key=names.__getitem__)
    some = tuple(names[j] for j in order)
    return designed(
        some, sums[order], there[order], float(weight.sum()), min_rows=how.min_rows,
        missing=how.missing, reference=how.reference,
    )  # fmt: skip


def _filled_numbers(design: Design, block: Block, weight: Array) -> tuple[Array, Array]:
    """Rows as numbers, every gap filled, and where the design's columns stand in them."""
    if design.plain and np.isfinite(weight @ block.numbers).all():
        at = [block.schema.places[name] for name in design.columns]
        return np.ascontiguousarray(block.numbers), np.array(at, dtype=np.int64)
    return np.ascontiguousarray(design.filled(block)), np.arange(len(design.columns))


def _means(x: Array, share: Array) -> Array:
    """(p,) of constants exactly what they are: rounding would leave them a length."""
    cuts = (slice(at, at + COLUMNS_PER_TASK) for at in range(0, x.shape[1], COLUMNS_PER_TASK))
    return np.concatenate([mean_around(x[0, cut], x[:, cut], share) for cut in cuts])


def _transpose_centred(x: Array, at: Array, mean: Array, root: Array) -> tuple[Array, Array]:
    """(p, n) columns of rows (n, p) around their means, and (p,) their squares."""
    out, squares = np.empty((len(at), len(x))), np.empty(len(at))

    def turn(first: int) -> None:
        some = slice(first, first + COLUMNS_PER_TASK)
        centring.turned(x, at[some], mean[some], root, out[some])
        squares[some] = np.einsum("pn,pn->p", out[some], out[some])

    engines.map_threads(turn, range(0, len(at), COLUMNS_PER_TASK))
    return out, squares
