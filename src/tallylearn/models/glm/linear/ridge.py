"""Ridge regression: least squares whose weights pay for their own squares."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, OptionError
from tallylearn.estimators.option_values import check_seed, check_whole
from tallylearn.models.design.rare_categories import MIN_ROWS
from tallylearn.models.glm.linear.linear_estimator import SOLVERS
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.linear.penalised import Penalised
from tallylearn.models.glm.paths import ridge_grid, ridge_path
from tallylearn.models.glm.solvers.least_squares import (
    LeastSquaresProblem,
    solve_nonnegative,
    solve_ridge,
    solve_ridge_with_penalised_intercept,
)
from tallylearn.models.glm.sufficient_statistics import FoldMoments
from tallylearn.tables import Array

OTHERS = ("svd", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")  # other ways to the same weights


class Ridge(Penalised):
    """Least squares plus ``alpha`` times the sum of the squared weights.

    With ``alpha="cv"`` a hundred penalties are tried on ten folds, from the sums of one pass over
    the rows, files larger than memory too; which fold a row is in depends on what it holds, so that
    the order of the rows decides nothing.

    Parameters
    ----------
    alpha : 0 or more; one for every target; or "cv": one for all targets together, by the sum of
        their squared errors on folds.
    fit_intercept : whether there is a w0.
    copy_X, max_iter, tol, random_state : taken for scikit-learn's sake; nothing is repeated or
        drawn.
    solver : "auto", or only "cholesky", the sums of products, or only "qr", the triangle.
        scikit-learn's "svd", "lsqr", "sparse_cg", "sag", "saga" and "lbfgs" lead to the same
        weights, and are taken as "auto".
    positive : whether no weight may be below zero.
    penalize_intercept : whether w0 pays too, as (XᵀX + λI)⁻¹Xᵀy with a column of ones has it.
    alphas : the penalties that "cv" tries; 100 over ten powers of ten unless said.
    folds : how many.
    rule : "best" takes the penalty with the smallest error over the folds, "1se" the largest that
        is within one standard error of it.
    degree, missing, reference, min_samples_category, exact : as for ``LinearRegression``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.Ridge(exact=True).fit([[1], [2], [3]], [1, 2, 4])
    >>> model.coef_, model.intercept_
    (array([1.]), 0.3333333333333333)

    References
    ----------
    A. Hoerl and R. Kennard, Ridge regression, Technometrics 12, 1970.
    """

    solvers: ClassVar[tuple[str, ...]] = (*SOLVERS, *OTHERS)

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        solver: str = "auto",
        positive: bool = False,
        random_state: int | None = None,
        penalize_intercept: bool = False,
        alphas: Any = None,
        folds: int = 10,
        rule: str = "best",
        degree: int = 1,
        missing: str = "indicator",
        reference: Any = None,
        min_samples_category: int = MIN_ROWS,
        exact: bool = False,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.penalize_intercept = penalize_intercept
        self.alphas = alphas
        self.folds = folds
        self.rule = rule
        self.degree = degree
        self.missing = missing
        self.reference = reference
        self.min_samples_category = min_samples_category
        self.exact = exact

    def _solved(self, normal: LeastSquaresProblem, sums: FoldMoments) -> LinearModel:
        choice = self._chosen(sums)
        given = self.alpha if choice is None else self._picked(choice)
        penalty = self._per_target(given, normal)
        if self.positive:
            found = solve_nonnegative(normal, penalty)
            return LinearModel.of(normal, found, "ridge without negative weights", choice)
        if self.penalize_intercept and self.fit_intercept:
            found = solve_ridge_with_penalised_intercept(normal, penalty)
            return LinearModel.of(normal, found, "ridge with a penalised intercept", choice)
        return LinearModel.of(normal, solve_ridge(normal, penalty), "ridge", choice)

    @property
    def _takes_weights_as_given(self) -> bool:
        return self._by_folds or bool(np.any(np.asarray(self.alpha, dtype=np.float64) != 0))

    @property
    def closed(self) -> bool:
        return not (self.positive or self.penalize_intercept or self._by_folds)

    @property
    def n_iter_(self) -> int:
        """1: the equations are solved, and nothing is repeated."""
        self._check_fitted()
        return 1

    def _path(self, normal: LeastSquaresProblem, penalty: Array) -> tuple[Array, Array]:
        if self.positive or self.penalize_intercept:
            raise InputError("a path is of free weights and a free intercept. Fit one by one.")
        return ridge_path(normal, penalty), np.zeros(len(penalty))

    def _grid(self, normal: LeastSquaresProblem) -> Array:
        return ridge_grid(normal)

    def _penalty(self, normal: LeastSquaresProblem, sums: FoldMoments) -> Array:
        choice = self._chosen(sums)
        return self._per_target(self.alpha if choice is None else self._picked(choice), normal)

    def _per_target(self, alpha: Any, normal: LeastSquaresProblem) -> Array:
        """(t,) the penalty of every target."""
        t, given = len(normal.scale) - normal.p, np.asarray(alpha, dtype=np.float64)
        if given.ndim and len(given) != t:
            raise OptionError(
                f"alpha has {len(given)} penalties, and there are {t} targets. Give one for each, "
                "or one for all."
            )
        return np.full(t, given)

    def _check_options(self) -> None:
        super()._check_options()
        self._check_truth("positive", "copy_X", "penalize_intercept")
        check_whole(self, "max_iter", 1, none=True)
        self._in_range("tol", 0.0)
        check_seed(self)
        if isinstance(self.alpha, list | tuple | np.ndarray):
            self._checked_alphas(self.alpha)
        elif not self._by_folds:
            self._in_range("alpha", 0.0)
        if self._by_folds and (self.positive or self.penalize_intercept):
            raise OptionError(
                "alpha='cv' goes with free weights and a free intercept. Give a number, or leave "
                f"out {'positive' if self.positive else 'penalize_intercept'}=True."
            )
