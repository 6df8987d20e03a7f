"""Penalty paths and cross-validation: the grid of penalties, and what ``alpha="cv"`` does.

``alpha="cv"`` chooses the penalty by k-fold cross-validation in one pass over the rows:

1. Rows are assigned to folds by a hash of their values, and the sums of every fold are kept apart.
2. For each fold, the sums of the other folds are merged, and coefficients are solved from them
   for a whole grid of penalties (``lasso_grid``, ``ridge_grid``).
3. The squared errors on the fold follow from its own sums alone: no row is read again.
4. The penalty with the smallest mean error is chosen, or with ``rule="1se"`` the largest one within
   one standard error of it.
5. The coefficients for that penalty are solved from the sums of all folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from tallylearn.errors import InputError, OptionError, short_repr
from tallylearn.models.glm.solvers.coordinate_descent import ElasticNetPenalty, solve_path
from tallylearn.models.glm.solvers.least_squares import (
    LeastSquaresProblem,
    problem_from_scatter,
    without_negligible_rows,
)
from tallylearn.models.glm.sufficient_statistics import FoldMoments
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.reporting.report import TableReport
from tallylearn.tables import Array, field_schemas
from tallylearn.workings import Derivation, Grid, Sentence, format_number

# Penalties of a grid, as in glmnet and scikit-learn.
GRID_SIZE = 100
# Shortest over longest column: above, one grid serves all columns and is not extended.
SIMILAR_LENGTHS = 0.1
# An extended grid has at most this many times GRID_SIZE penalties.
MAX_GRID_FACTOR = 4.0
# The smallest penalty of a grid: below, doubles lose digits.
MIN_PENALTY = 1e-300
# Ridge penalties relative to the largest squared singular value of the columns: at the first all
# coefficients are shrunk to a thousandth, at the last none is shrunk visibly.
RIDGE_GRID_HIGH, RIDGE_GRID_LOW = 1e3, 1e-7
# The smallest alpha of a lasso path relative to the smallest that makes all coefficients zero, as
# in scikit-learn (eps=1e-3); also the smallest l1_ratio that the grid divides by.
SMALLEST_ALPHA_RATIO = 1e-3
# The first alpha is larger by this factor, so that rounding leaves no nonzero coefficient there.
ABOVE_ROUNDING = 1 + 1e-12
# Penalties in the table that a path prints, and coefficients in its plot (the largest).
MAX_PENALTIES_SHOWN = 12
MAX_LINES = 12


@dataclass(frozen=True)
class CrossValidationErrors:
    """Mean squared errors over folds of every candidate penalty, the largest penalty first."""

    penalty: Array  # (m,)
    error: Array  # (m,) over all rows
    deviation: Array  # (m,) standard error of the mean over folds
    folds: int

    form: ClassVar[field_schemas.Form] = {
        "penalty": field_schemas.floats("m", least=0.0),
        "error": field_schemas.floats("m", least=0.0),
        "deviation": field_schemas.floats("m", least=0.0),
        "folds": field_schemas.count(1),
    }

    @classmethod
    def of(cls, penalty: Array, squared_errors: Array, rows: Array) -> CrossValidationErrors:
        """From the sums of squared errors (k, m) of folds with so many rows (k,)."""
        n, k = rows.sum(), len(rows)
        mean = squared_errors.sum(axis=0) / n
        of_fold = squared_errors / np.maximum(rows, 1e-300)[:, None]
        variance = (rows[:, None] * (of_fold - mean) ** 2).sum(axis=0) / n / max(k - 1, 1)
        return cls(penalty, mean, np.sqrt(variance), k)

    def choose(self, rule: str) -> float:
        """The penalty that ``rule`` chooses: "best" or "1se"."""
        return self.largest_within_one_error if rule == "1se" else self.best

    @property
    def best(self) -> float:
        """The penalty with the smallest error; of equal ones the largest."""
        return float(self.penalty[int(self.error.argmin())])

    @property
    def largest_within_one_error(self) -> float:
        """The largest penalty within one standard error of the best (Breiman et al., 1984)."""
        at = int(self.error.argmin())
        limit = self.error[at] + self.deviation[at]
        return float(self.penalty[int((self.error <= limit).argmax())])


class PathSolver(Protocol):
    """Coefficients for many penalties at once."""

    def grid(self, problem: LeastSquaresProblem) -> Array:
        """(m,) penalties to try, the largest first."""

    def solve(self, problem: LeastSquaresProblem, penalties: Array) -> tuple[Array, Array]:
        """(m, t, p) coefficients for every penalty, and (m,) their duality gaps."""


@dataclass(frozen=True)
class RidgePath:
    """Ridge coefficients for many penalties, from one singular value decomposition."""

    def grid(self, problem: LeastSquaresProblem) -> Array:
        return ridge_grid(problem)

    def solve(self, problem: LeastSquaresProblem, penalties: Array) -> tuple[Array, Array]:
        return ridge_path(problem, penalties), np.zeros(len(penalties))


@dataclass(frozen=True)
class ElasticNetPath:
    """Lasso or elastic net coefficients, by coordinate descent with warm starts."""

    penalty: ElasticNetPenalty

    def grid(self, problem: LeastSquaresProblem) -> Array:
        return lasso_grid(problem, self.penalty.l1_ratio, self.penalty.positive)

    def solve(self, problem: LeastSquaresProblem, penalties: Array) -> tuple[Array, Array]:
        found = solve_path(problem, penalties, self.penalty)
        return found.coef, found.gap.max(axis=1)


def choose_penalty(
    moments: FoldMoments, solver: PathSolver, alphas: Any, centred: bool
) -> CrossValidationErrors:
    """Cross-validate penalties, those given or the solver's own grid, from the sums of folds."""
    folds = folds_with_rows(moments, "alpha='cv'", "Pass alpha a number.")
    whole = problem_from_scatter(folds.total(), centred)
    penalties = solver.grid(whole) if alphas is None else sort_descending(alphas)
    return cross_validate(
        folds, penalties, lambda problem: solver.solve(problem, penalties)[0], centred
    )


def folds_with_rows(moments: FoldMoments, option: str, remedy: str) -> FoldMoments:
    """The folds that have rows, at least two; ``option`` is what asked for folds, as written."""
    there = moments.rows > 0
    if np.count_nonzero(there) < 2:
        raise InputError(
            f"{option} needs rows in at least two folds. Equal rows are in the same fold, and here "
            f"all rows are in one. {remedy}"
        )
    parts = (moments.rows, moments.mean, moments.scatter, moments.low)
    rows, mean, scatter, low = (part[there] for part in parts)
    return FoldMoments(moments.design, rows, mean, scatter, low)


def cross_validate(
    folds: FoldMoments,
    candidates: Array,
    coefficients_of: Callable[[LeastSquaresProblem], Array],
    centred: bool,
) -> CrossValidationErrors:
    """Errors of every candidate on each fold, with coefficients (m, t, p) of the other folds."""
    errors = []
    for fold in range(len(folds.rows)):
        training = folds.leave_out(fold)
        coef = coefficients_of(problem_from_scatter(training, centred))
        errors.append(fold_squared_errors(coef, folds, training, fold, centred))
    return CrossValidationErrors.of(candidates, np.array(errors), folds.rows)


def sort_descending(alphas: Any) -> Array:
    """Penalties as an array, the largest first."""
    return np.sort(np.asarray(alphas, dtype=np.float64))[::-1].copy()


def is_penalties(given: Any) -> bool:
    """Whether it is a list of finite numbers, 0 or more, with at least one."""
    try:
        found = np.asarray(given, dtype=np.float64)
    except Exception:  # whatever an object raises that is no number
        return False
    return found.ndim == 1 and len(found) > 0 and bool((np.isfinite(found) & (found >= 0)).all())


def penalty_grid(most: float, least: float, lengths: Array, power: int) -> Array:
    """(m,) penalties, the largest first; further down where columns are in far units.

    What a penalty costs a weight grows with a ``power`` of its column's length: one that shrinks
    days to nothing leaves no weight to shares, and one that frees days has not begun to free them.
    """
    there = lengths[lengths > 0]
    share = float(there.min() / there.max()) ** power if len(there) else 1.0
    if share > SIMILAR_LENGTHS:
        return np.asarray(np.geomspace(most, least, GRID_SIZE))
    end = max(least * share, min(least, MIN_PENALTY))
    further = (np.log(most) - np.log(end)) / (np.log(most) - np.log(least))
    return np.asarray(np.geomspace(most, end, int(GRID_SIZE * min(further, MAX_GRID_FACTOR))))


def fold_squared_errors(
    path: Array, sums: FoldMoments, training: FoldMoments, fold: int, centred: bool
) -> Array:
    """(m,) the squared errors of a fold's rows, over all targets, by its sums alone."""
    p, n = sums.p, float(sums.rows[fold])
    s, off = sums.scatter[fold], sums.mean[fold]
    if centred:  # from the means that were learned from, so that nothing large cancels
        off = (off - training.mean[0]) + (sums.low[fold] - training.low[0])
    bias = off[p:] - path @ off[:p]  # (m, t)
    inside = np.einsum("mtp,pq,mtq->mt", path, s[:p, :p], path, optimize=True)
    across = np.einsum("mtp,pt->mt", path, s[:p, p:])
    around = np.diag(s)[p:] - 2 * across + inside
    return np.asarray((around.clip(0) + n * bias**2).sum(axis=1))


def ridge_path(normal: LeastSquaresProblem, penalty: Array) -> Array:
    """(m, t, p) the ridge weights for every penalty, out of one singular value decomposition."""
    p, (r, z) = normal.p, without_negligible_rows(normal)
    left, values, right = np.linalg.svd(r * normal.scale[:p], full_matrices=False)
    goal = left.T @ z * normal.scale[p:]  # (p, t)
    shrunk = values / np.maximum(values**2 + penalty[:, None], 1e-300)  # (m, p)
    return np.asarray(np.einsum("mr,rt,rp->mtp", shrunk, goal, right, optimize=True))


def ridge_grid(normal: LeastSquaresProblem) -> Array:
    """(m,) from so large that all is shrunk away to so small that nothing is."""
    size = float(np.linalg.norm(normal.columns * normal.scale[: normal.p], 2) ** 2) or 1.0
    return penalty_grid(RIDGE_GRID_HIGH * size, RIDGE_GRID_LOW * size, normal.lengths, 2)


def lasso_grid(normal: LeastSquaresProblem, share: float, positive: bool) -> Array:
    """(m,) from the least penalty that leaves no weight, down to a thousandth of it."""
    steepest = largest_useful_alpha(normal, share, positive)
    return penalty_grid(
        steepest, steepest * SMALLEST_ALPHA_RATIO, normal.lengths, 1 if share == 1 else 2
    )


def largest_useful_alpha(normal: LeastSquaresProblem, share: float, positive: bool) -> float:
    """The least penalty that leaves no weight."""
    slope = normal.products[: normal.p, normal.p :]
    slope = slope if positive else np.abs(slope)
    steepest = float(slope.max(initial=0.0)) / (normal.rows * max(share, SMALLEST_ALPHA_RATIO))
    return steepest * ABOVE_ROUNDING or 1.0


@dataclass(frozen=True)
class CoefficientPath(TableReport):
    """The weights for every penalty, the largest penalty first."""

    columns: tuple[str, ...]  # (p,)
    penalty: Array  # (m,)
    intercept: Array  # (m,)
    coef: Array  # (m, p)
    chosen: float
    gap: Array  # (m,) duality gap of each, relative; zeros where weights have a closed form
    error: Array  # (m,) mean squared error over folds; empty without folds
    deviation: Array  # (m,)

    def to_dict(self) -> dict[str, Any]:
        return {
            "chosen": self.chosen,
            "penalties": self.records(),
            "columns": list(self.columns),
            "folds": bool(len(self.error)),
        }

    def records(self) -> list[dict[str, Any]]:
        """A row for every penalty."""
        out = []
        for m, penalty in enumerate(self.penalty.tolist()):
            row: dict[str, Any] = {"alpha": penalty, "intercept": float(self.intercept[m])}
            if len(self.error):
                row |= {"error": float(self.error[m]), "deviation": float(self.deviation[m])}
            row["gap"] = float(self.gap[m])
            named = zip(self.columns, self.coef[m].tolist(), strict=True)
            out.append({**row, "weights": dict(named)})
        return out

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        rows = found["penalties"]
        at = sorted(
            {
                *np.linspace(0, len(rows) - 1, min(MAX_PENALTIES_SHOWN, len(rows)))
                .astype(int)
                .tolist()
            }
        )
        heads = ("alpha", "weights not 0", "largest", *(("error",) if found["folds"] else ()))
        cells = []
        for row in (rows[i] for i in at):
            weights: Mapping[str, float] = row["weights"]
            big = max(weights, key=lambda name: abs(weights[name])) if weights else ""
            used = sum(w != 0 for w in weights.values())
            row_cells = (
                format_number(row["alpha"]),
                str(used),
                f"{big} {format_number(weights.get(big, 0.0))}",
            )
            cells.append((*row_cells, format_number(row["error"])) if found["folds"] else row_cells)
        note = Sentence(
            f"{len(rows)} penalties; alpha is {format_number(found['chosen'])}{_edge_note(found)}."
        )
        return Derivation("Path of penalties", (Grid("weights", heads, tuple(cells)), note))

    def plot(self) -> Plot:
        """The weights against the penalty, those that grow largest."""
        order = np.argsort(-np.abs(self.coef).max(axis=0))[:MAX_LINES]
        up = np.argsort(self.penalty)
        x = self.penalty[up]
        log = bool(x[0] > 0)
        lines = {self.columns[j]: (x, self.coef[up, j]) for j in sorted(order.tolist())}
        return draw_lines(lines, "Path of penalties", "alpha", "weight", log_x=log)

    def plot_error(self) -> Plot:
        """The mean squared error over folds against the penalty, with its standard error."""
        if not len(self.error):
            raise InputError(
                "the penalties have no cross-validation error. Fit with alpha='cv' (and alphas= "
                "to choose the penalties), and call path() without alphas=."
            )
        up = np.argsort(self.penalty)
        y, off = self.error[up], self.deviation[up]
        band = (self.penalty[up], y, y - off, y + off)
        return draw_lines({"folds": band}, "Error over folds", "alpha", "mean squared error",
                          log_x=bool(self.penalty.min() > 0))  # fmt: skip


def _edge_note(found: dict[str, Any]) -> str:
    """Whether folds would have gone on: the best may be a penalty that was not tried."""
    tried = [row["alpha"] for row in found["penalties"]]
    if not found["folds"] or len(tried) < 2 or found["chosen"] not in (min(tried), max(tried)):
        return ""
    return f", the {'smallest' if found['chosen'] == min(tried) else 'largest'} that was tried"


def coefficient_path(
    columns: tuple[str, ...],
    order: Array,
    found: tuple[Array, Array, Array, Array],
    chosen: float,
    errors: CrossValidationErrors | None,
) -> CoefficientPath:
    """The path of penalties, intercepts, coefficients and gaps, in the order of the table."""
    penalty, intercept, coef, gap = found
    return CoefficientPath(
        columns=columns,
        penalty=penalty,
        intercept=intercept,
        coef=coef[:, order],
        chosen=chosen,
        gap=gap,
        error=np.empty(0) if errors is None else errors.error,
        deviation=np.empty(0) if errors is None else errors.deviation,
    )


def path_penalties(alphas: Any, option: Any, choice: CrossValidationErrors | None) -> Array | None:
    """The penalties of a path: those asked for, cross-validated or declared; None for a grid."""
    if alphas is None and choice is not None:
        return choice.penalty
    given = option if alphas is None else alphas
    if given is None:
        return None
    if not is_penalties(given):
        raise OptionError(
            f"alphas must be a list of floats in the range [0, inf), not {short_repr(given)}."
        )
    return sort_descending(given)
