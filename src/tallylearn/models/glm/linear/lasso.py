"""The lasso and the elastic net: penalties on the sizes of coefficients, so that many are zero."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, MergeError
from tallylearn.estimators.options import SEED, TRUTH, either, instance_of, one_of, option
from tallylearn.estimators.passes import Learned, Notes, Passes
from tallylearn.models.design.missing_values import select_learnable
from tallylearn.models.glm.linear.linear_estimator import (
    PENALTY_LIST,
    PENALTY_OR_CV,
    LinearEstimator,
)
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.linear.wide_table import WideTable
from tallylearn.models.glm.penalty_cross_validation import (
    CoefficientPath,
    CrossValidationErrors,
    ElasticNetPath,
    choose_penalty,
    coefficient_path,
    largest_useful_alpha,
    path_penalties,
    sort_descending,
)
from tallylearn.models.glm.solvers.coordinate_descent import ElasticNetPenalty, solve_path
from tallylearn.models.glm.solvers.least_squares import LeastSquaresProblem, LeastSquaresSolution
from tallylearn.models.glm.sufficient_statistics import FoldMoments
from tallylearn.runtime.memory_budget import check_memory
from tallylearn.sources.memory.table import check_size
from tallylearn.tables import Array, Block
from tallylearn.tallies.weight_kinds import scale_weights_to_rows

# Columns up to which the Gram matrix of all columns is summed in any case: 32 MB.
MIN_WIDE_COLUMNS = 2000
SHARED_OPTIONS = (
    "alphas", "folds", "rule", "degree", "missing", "reference", "min_samples_category", "solver",
    "exact", "keep_rows",
)  # fmt: skip
ELASTIC_NET_OPTIONS = (
    "alpha", "l1_ratio", "fit_intercept", "precompute", "max_iter", "copy_X", "tol", "warm_start",
    "positive", "random_state", "selection", *SHARED_OPTIONS,
)  # fmt: skip
LASSO_OPTIONS = (
    "alpha", "fit_intercept", "precompute", "copy_X", "max_iter", "tol", "warm_start", "positive",
    "random_state", "selection", *SHARED_OPTIONS,
)  # fmt: skip


class ElasticNet(LinearEstimator, options=ELASTIC_NET_OPTIONS):
    """Elastic net: Σ(y − ŷ)² / 2n + alpha (l1_ratio Σ|β| + (1 − l1_ratio) Σβ² / 2).

    Coordinate descent on the products of the columns, summed in one pass: paths and
    cross-validation need no other. With many more columns than rows there is no tally; the rows are
    held in memory, and descent runs on a working set of columns.

    References
    ----------
    H. Zou and T. Hastie, Regularization and variable selection via the elastic net, JRSS B, 2005.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.ElasticNet(0.1).fit([[1, 0], [2, 1], [3, 0]], [1, 2, 4]).coef_.round(4)
    array([ 1.3256, -0.2245])
    """

    listed: ClassVar[tuple[str, ...]] = ("alphas",)
    stored: ClassVar[tuple[type, ...]] = (*LinearEstimator.stored, CrossValidationErrors)
    descends: ClassVar[bool] = True

    alpha: Any = option(
        default=1.0,
        kw_only=False,
        takes=PENALTY_OR_CV,
        doc='Penalty strength, 0 or more. "cv" chooses one for all targets by cross-validation, by '
        "the sum of their squared errors.",
    )
    l1_ratio: float = option(
        default=0.5,
        low=0.0,
        high=1.0,
        doc="Share of the penalty on the absolute values: 1 is the lasso, 0 a ridge penalty.",
    )
    precompute: Any = option(
        default=False,
        takes=either(TRUTH, instance_of(np.ndarray, "an array")),
        doc="For compatibility with scikit-learn: the Gram matrix is computed where it helps.",
    )
    max_iter: int = option(
        default=1000,
        low=1,
        doc="Most passes over the coefficients. ``converged_`` says whether they were enough, "
        "``dual_gap_`` how far the objective may be above its minimum.",
    )
    copy_X: bool = option(  # noqa: N815 (scikit-learn's name)
        default=True, doc="For compatibility with scikit-learn: X is not changed."
    )
    tol: float = option(
        default=1e-4,
        low=0.0,
        doc="Duality gap at which coordinate descent stops, relative to the target's sum of "
        "squares.",
    )
    warm_start: bool = option(
        default=False, doc="For compatibility with scikit-learn: every fit starts anew."
    )
    positive: bool = option(default=False, doc="Whether coefficients must not be negative.")
    random_state: int | None = option(
        default=None, takes=SEED, doc="For compatibility with scikit-learn: nothing is random."
    )
    selection: str = option(
        default="cyclic",
        choices=("cyclic", "random"),
        doc="For compatibility with scikit-learn: coefficients are visited in their order.",
    )
    alphas: Any = option(
        default=None,
        takes=either(PENALTY_LIST, one_of(None)),
        doc='Penalties that "cv" tries; None is a grid of 100 over three powers of ten.',
    )

    # Coefficients from a tally

    def _solve_problem(self, problem: LeastSquaresProblem, moments: FoldMoments) -> LinearModel:
        choice, penalty = None, self._penalty_terms
        if self._cross_validates:
            path, centred = ElasticNetPath(penalty), bool(self.fit_intercept)
            choice = choose_penalty(moments, path, self.alphas, centred)
        alpha = float(self.alpha) if choice is None else choice.choose(self.rule)
        alphas = np.array([alpha])
        if alpha > 0:  # from larger penalties on, so that coefficients enter one by one
            largest = largest_useful_alpha(problem, penalty.l1_ratio, penalty.positive)
            if largest > alpha:
                alphas = np.array([largest, sqrt(largest * alpha), alpha])
        found = solve_path(problem, alphas, penalty)
        coef, gap, passes = found.coef[-1], found.gap[-1], found.passes[-1]
        square = problem.products.diagonal()[problem.p :] / problem.rows
        return LinearModel.of(
            problem,
            LeastSquaresSolution(coef, coef.any(axis=0).nonzero()[0]),
            "the lasso" if penalty.l1_ratio == 1 else "an elastic net",
            choice,
            gap=gap,
            rounds=int(max(passes.max(), 1)),
            alpha=alpha,
            converged=penalty.has_converged(gap, passes, square),
        )

    @property
    def _penalty_terms(self) -> ElasticNetPenalty:
        return ElasticNetPenalty(
            float(self.l1_ratio), float(self.tol), int(self.max_iter), bool(self.positive)
        )

    @property
    def _cross_validates(self) -> bool:
        return isinstance(self.alpha, str) and self.alpha == "cv"

    @property
    def _has_closed_form(self) -> bool:
        return False

    @property
    def _working_penalty(self) -> ElasticNetPenalty | None:
        return self._penalty_terms

    # Wide tables

    def fit_passes(self, passes: Passes) -> Learned:
        """Fit from a tally; a wide table in memory, without one."""
        if not self._is_wide(passes):
            return super().fit_passes(passes)
        whole = passes.whole()
        left_out = self._count_dropped_rows(whole)
        block = scale_weights_to_rows(select_learnable(whole, self.missing))
        check_size(len(block), passes.width, passes.read.weighed)
        return Learned(self._wide_model(block), notes=Notes(left_out))

    def _is_wide(self, passes: Passes) -> bool:
        """Whether columns are so many more than rows that their Gram matrix costs more."""
        width = len(passes.schema.numbers) * int(self.degree)
        if width <= MIN_WIDE_COLUMNS or self.exact:
            return False
        rows = passes.read.count_rows_up_to((width - 1) // 2)
        if rows is not None and passes.n_rows is None:
            needed = f"{rows:,} rows of {width:,} columns, which are held in memory,"
            check_memory(16.0 * rows * width, needed, "Leave out columns.")  # rows and columns
        return rows is not None

    def _wide_model(self, block: Block) -> LinearModel:
        """The model of rows in memory, with penalties that folds choose."""
        centred, penalty = bool(self.fit_intercept), self._penalty_terms
        table = WideTable.of(block, self._design_options(), int(self.degree), centred)
        choice = None
        if self._cross_validates:
            grid = table.penalties(penalty) if self.alphas is None else sort_descending(self.alphas)
            choice = table.cross_validate(grid, penalty, int(self.folds))
        alpha = float(self.alpha) if choice is None else choice.choose(self.rule)
        return table.model(alpha, penalty, choice)

    def save(self, path: str | Path, tally: bool = True) -> None:
        """Write a model file; the model of a wide table has no tally to write."""
        wide = self.__sklearn_is_fitted__() and not self.model_.root.size
        super().save(path, False if wide and tally is True else tally)

    # Results

    @property
    def alpha_(self) -> Any:
        """The penalty: the one given, or chosen by cross-validation."""
        self._check_fitted()
        choice = self.model_.choice
        return self.alpha if choice is None else choice.choose(self.rule)

    @property
    def folds_(self) -> CrossValidationErrors:
        """The cross-validation errors of every penalty, with alpha="cv"."""
        self._check_fitted()
        if self.model_.choice is None:
            raise AttributeError("there is no 'folds_' without alpha='cv'")
        return self.model_.choice

    @property
    def dual_gap_(self) -> Any:
        """The duality gap per row: how far the objective may be above its minimum; (t,)."""
        self._check_fitted()
        found = self.model_.gap
        return float(found[0]) if len(found) == 1 else found

    @property
    def converged_(self) -> bool:
        """Whether the duality gap reached ``tol``."""
        self._check_fitted()
        return bool(self.model_.converged)

    @property
    def n_iter_(self) -> int:
        """Passes over the coefficients."""
        self._check_fitted()
        return int(self.model_.rounds)

    def path(self, alphas: Any = None) -> CoefficientPath:
        """The coefficients for a grid of penalties.

        They are computed from the tally, without reading a row. A wide table has no tally; its path
        needs the training rows in memory.

        Parameters
        ----------
        alphas : sequence of float, optional
            Penalty strengths. By default those of cross-validation, of the option ``alphas``, or a
            grid.

        Returns
        -------
        CoefficientPath
            Coefficients for every penalty, the largest first; ``plot()`` draws them.
        """
        with self._fit_context("path"):
            self._check_fitted()
            if len(self.model_.coef) > 1:
                raise InputError(
                    "path() shows the coefficients of one target, and this model has "
                    f"{len(self.model_.coef)}. Fit a model for each target."
                )
            choice = self.model_.choice if alphas is None else None
            given = path_penalties(alphas, self.alphas, choice)
            if self.tally_ is None:
                found = self._wide_path(given)
            else:
                found = self._tally_path(ElasticNetPath(self._penalty_terms), given)
        order, chosen = self.model_.design.order(self.schema_), float(np.min(self.alpha_))
        return coefficient_path(self.columns_, order, found, chosen, choice)

    def _wide_path(self, given: Array | None) -> tuple[Array, Array, Array, Array]:
        """Penalties, intercepts, coefficients and gaps from the training rows."""
        if self.kept_rows_ is None:
            raise MergeError(
                "path() needs the tally or the training rows, and this model has neither: it was "
                "loaded from a file, or the table is large. Fit again with keep_rows=True."
            )
        block = scale_weights_to_rows(select_learnable(self.kept_rows_.whole(), self._missing_rule))
        penalty = self._penalty_terms
        table = WideTable.with_design(self.model_.design, block, bool(self.fit_intercept))
        alphas = table.penalties(penalty) if given is None else given
        coef, gap, _ = table.path(alphas, penalty)
        intercept = table.level - coef @ table.mean if self.fit_intercept else np.zeros(len(alphas))
        return alphas, intercept, coef, gap


class Lasso(ElasticNet, options=LASSO_OPTIONS):
    """Lasso: Σ(y − ŷ)² / 2n + alpha Σ|β|.

    The elastic net with ``l1_ratio=1``. For the lambda of the objective Σ(y − ŷ)² + λ Σ|β|, set
    ``alpha=λ / (2 * n)``, where n is the number of rows.

    References
    ----------
    R. Tibshirani, Regression shrinkage and selection via the lasso, JRSS B 58, 1996.
    J. Friedman, T. Hastie and R. Tibshirani, Regularization paths, J. Stat. Software 33, 2010.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.Lasso(0.1).fit([[1, 0], [2, 1], [3, 0]], [1, 2, 4])
    >>> model.coef_.round(6)
    array([ 1.35, -0.05])
    """

    @property
    def _penalty_terms(self) -> ElasticNetPenalty:
        return ElasticNetPenalty(1.0, float(self.tol), int(self.max_iter), bool(self.positive))
