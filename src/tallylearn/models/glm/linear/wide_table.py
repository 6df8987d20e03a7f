"""The lasso of wide tables: many more columns than rows, held in memory, without a tally."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.kernels import centring
from tallylearn.models.design.columns import design_columns, encode_block, encoded_names
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import find_missing, select_learnable
from tallylearn.models.design.powers import append_powers
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.penalty_cross_validation import (
    ABOVE_ROUNDING,
    SMALLEST_ALPHA_RATIO,
    CrossValidationErrors,
    penalty_grid,
)
from tallylearn.models.glm.solvers.active_set import ColumnGradients, LassoWorkingSet
from tallylearn.models.glm.solvers.coordinate_descent import ElasticNetPenalty
from tallylearn.models.glm.sufficient_statistics import DesignOptions, assign_folds, targets_of
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Block
from tallylearn.tallies.centred_sums import mean_around
from tallylearn.tallies.pairs import GAP

COLUMNS_PER_TASK = 512  # columns that one task centres and transposes: a few MB of cache


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
        block = select_learnable(block, how.missing)
        target = targets_of(block)
        if target.shape[1] > 1:
            raise InputError(
                f"y has {target.shape[1]} targets, and with more columns than rows only one is "
                "supported. Fit each target by itself, as in y[:, 0]."
            )
        return cls._of_rows(_design_of_block(block, how, degree), block, centred)

    @classmethod
    def _of_rows(cls, design: Design, block: Block, centred: bool) -> WideTable:
        weight = np.ones(len(block)) if block.weight is None else block.weight
        n, y = float(weight.sum()), targets_of(block)[:, 0]
        with one_thread():
            x, at = _filled_numbers(design, block, weight)
            mean = _means(x, weight / n)[at] if centred else np.zeros(len(at))
            level = float(mean_around(y[:1], y[:, None], weight / n)[0]) if centred else 0.0
        columns, squares = _transpose_centred(x, at, mean, np.sqrt(weight))
        return cls(
            design=design,
            x=columns,
            squares=squares,
            y=(y - level) * np.sqrt(weight),
            mean=mean,
            level=level,
            rows=n,
            block=block,
            centred=centred,
        )

    @classmethod
    def with_design(cls, design: Design, block: Block, centred: bool) -> WideTable:
        """Rows whose design is known."""
        return cls._of_rows(
            design, select_learnable(block, "drop" if design.complete else ""), centred
        )

    def part(self, which: Array) -> WideTable:
        """Some of the rows."""
        return self._of_rows(self.design, self.block[which], self.centred)

    def penalties(self, penalty: ElasticNetPenalty) -> Array:
        """(m,) from the smallest alpha without nonzero coefficients down to a hundredth of it.

        With more columns than rows smaller penalties fit the rows perfectly, as in scikit-learn and
        glmnet, whose ratio is then larger too.
        """
        largest = self._largest_useful_alpha(penalty)
        power = 1 if penalty.l1_ratio == 1 else 2
        return penalty_grid(
            largest, largest * SMALLEST_ALPHA_RATIO * 10, np.sqrt(self.squares), power
        )

    def _largest_useful_alpha(self, penalty: ElasticNetPenalty) -> float:
        gradient = ColumnGradients(self.x, self.squares, self.y).known
        steepest = float((gradient if penalty.positive else np.abs(gradient)).max(initial=0.0))
        ratio = max(penalty.l1_ratio, SMALLEST_ALPHA_RATIO)
        return ABOVE_ROUNDING * steepest / (self.rows * ratio) or 1.0

    def path(self, alphas: Array, penalty: ElasticNetPenalty) -> tuple[Array, Array, Array]:
        """(m, p) coefficients, (m,) gaps per row, (m,) passes; the largest penalty comes first."""
        coef, gaps = np.zeros((len(alphas), len(self.x))), np.zeros(len(alphas))
        passes, previous = np.zeros(len(alphas), dtype=np.int64), np.inf
        with one_thread():
            work = LassoWorkingSet(self.x, self.y, self.squares, penalty)
            for m, costs in enumerate(penalty.kernel_costs(alphas, self.rows, work.square)):
                gaps[m], passes[m] = work.solve(costs, previous)
                coef[m], previous = work.coef, float(costs[0])
        return coef, gaps.clip(0) / self.rows, passes

    def model(
        self, alpha: float, penalty: ElasticNetPenalty, choice: CrossValidationErrors | None
    ) -> LinearModel:
        """The model for one penalty, on the way from larger ones."""
        largest = self._largest_useful_alpha(penalty)
        way = np.geomspace(largest, alpha, 3) if 0 < alpha < largest else np.array([alpha])
        coefs, gap, passes = self.path(way, penalty)
        coef = coefs[-1]
        residuals = self.y - coef @ self.x
        intercept = self.level - float(coef @ self.mean) if self.centred else 0.0
        one, whole = np.array, float(self.y @ self.y)
        converged = penalty.has_converged(
            gap[-1:], one([penalty.max_iter]), one([whole / self.rows])
        )
        return LinearModel(
            design=self.design,
            coef=coef[None],
            intercept=one([intercept]),
            mean=self.mean,
            answer=one([self.level]),
            scale=np.ones(len(coef)),
            root=np.zeros((0, 0)),
            basis=np.flatnonzero(coef),
            rows=self.rows,
            rest=one([float(residuals @ residuals)]),
            whole=one([whole]),
            penalty=np.zeros(1),
            centred=self.centred,
            certain=0.0,
            method="the lasso" if penalty.l1_ratio == 1 else "an elastic net",
            choice=choice,
            gap=gap[-1:],
            rounds=int(passes[-1]),
            alpha=alpha,
            level=one([[self.level], [0.0]]),
            converged=converged,
        )

    def cross_validate(
        self, alphas: Array, penalty: ElasticNetPenalty, folds: int
    ) -> CrossValidationErrors:
        """Squared errors of every fold with the coefficients of all other rows."""
        fold = assign_folds(self.block, 1 << 20).codes % folds
        errors, sizes = [], []
        for f in np.unique(fold):
            training = self.part(np.flatnonzero(fold != f))
            own = self.block[np.flatnonzero(fold == f)]
            coef, _, _ = training.path(alphas, penalty)
            x, y = self.design.filled_matrix(own), targets_of(own)[:, 0]
            weight = np.ones(len(own)) if own.weight is None else own.weight
            off = (y - training.level)[:, None] - (x - training.mean) @ coef.T
            errors.append(weight @ off**2)
            sizes.append(float(weight.sum()))
        return CrossValidationErrors.of(alphas, np.array(errors), np.array(sizes))


def _design_of_block(block: Block, how: DesignOptions, degree: int) -> Design:
    weight = np.ones(len(block)) if block.weight is None else block.weight
    gaps = find_missing(block)
    names, x = encoded_names(block, gaps), encode_block(block, gaps)
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
    return design_columns(
        some, sums[order], there[order], float(weight.sum()), min_rows=how.min_rows,
        missing=how.missing, reference=how.reference,
    )  # fmt: skip


def _filled_numbers(design: Design, block: Block, weight: Array) -> tuple[Array, Array]:
    """Rows as numbers, every gap filled, and where the design's columns stand in them."""
    if design.plain and np.isfinite(weight @ block.numbers).all():
        at = [block.schema.places[name] for name in design.columns]
        return np.ascontiguousarray(block.numbers), np.array(at, dtype=np.int64)
    return np.ascontiguousarray(design.filled_matrix(block)), np.arange(len(design.columns))


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
