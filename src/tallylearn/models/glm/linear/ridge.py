"""Ridge regression: least squares with a penalty on the squared coefficients."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, OptionError
from tallylearn.estimators.options import SEED, either, one_of, option
from tallylearn.models.glm.linear.linear_estimator import (
    PENALTY_LIST,
    PENALTY_OR_CV,
    SOLVERS,
    LinearEstimator,
)
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.penalty_cross_validation import (
    CoefficientPath,
    CrossValidationErrors,
    RidgePath,
    choose_penalty,
    coefficient_path,
    path_penalties,
)
from tallylearn.models.glm.solvers.least_squares import (
    LeastSquaresProblem,
    solve_nonnegative,
    solve_ridge,
    solve_ridge_with_penalised_intercept,
)
from tallylearn.models.glm.sufficient_statistics import FoldMoments
from tallylearn.tables import Array

SKLEARN_SOLVERS = ("svd", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")
OPTIONS = (
    "alpha", "fit_intercept", "copy_X", "max_iter", "tol", "solver", "positive", "random_state",
    "penalize_intercept", "alphas", "folds", "rule", "degree", "missing", "reference",
    "min_samples_category", "exact", "keep_rows",
)  # fmt: skip


class Ridge(LinearEstimator, options=OPTIONS):
    """Ridge regression: least squares plus ``alpha`` times the sum of squared coefficients.

    ``alpha="cv"`` chooses among a hundred penalties by ten-fold cross-validation, from the sums of
    one pass over the rows, also for files larger than memory. A row's fold depends on its values,
    so that the order of the rows does not matter.

    References
    ----------
    A. Hoerl and R. Kennard, Ridge regression, Technometrics 12, 1970.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.Ridge(exact=True).fit([[1], [2], [3]], [1, 2, 4])
    >>> model.coef_, model.intercept_
    (array([1.]), 0.3333333333333333)
    """

    listed: ClassVar[tuple[str, ...]] = ("alphas",)
    stored: ClassVar[tuple[type, ...]] = (*LinearEstimator.stored, CrossValidationErrors)

    alpha: Any = option(
        default=1.0,
        kw_only=False,
        takes=either(PENALTY_OR_CV, PENALTY_LIST),
        doc='Penalty strength, 0 or more; a list has one for every target. "cv" chooses one for '
        "all targets by cross-validation, by the sum of their squared errors.",
    )
    copy_X: bool = option(  # noqa: N815 (scikit-learn's name)
        default=True, doc="For compatibility with scikit-learn: X is not changed."
    )
    max_iter: int | None = option(
        default=None, low=1, doc="For compatibility with scikit-learn: nothing is iterated."
    )
    tol: float = option(
        default=1e-4, low=0.0, doc="For compatibility with scikit-learn: nothing is iterated."
    )
    solver: str = option(
        default="auto",
        choices=(*SOLVERS, *SKLEARN_SOLVERS),
        doc='"cholesky" solves the sums of products, "qr" a triangle; "auto" chooses by the '
        'condition number. scikit-learn\'s other solvers have the same solution and mean "auto".',
    )
    positive: bool = option(default=False, doc="Whether coefficients must not be negative.")
    random_state: int | None = option(
        default=None, takes=SEED, doc="For compatibility with scikit-learn: nothing is random."
    )
    penalize_intercept: bool = option(
        default=False,
        doc="Whether the intercept is penalised too, as in (XᵀX + λI)⁻¹Xᵀy with a column of ones.",
    )
    alphas: Any = option(
        default=None,
        takes=either(PENALTY_LIST, one_of(None)),
        doc='Penalties that "cv" tries; None is a grid of 100 over ten powers of ten.',
    )

    def _solve_problem(self, problem: LeastSquaresProblem, moments: FoldMoments) -> LinearModel:
        choice = self._choose_penalty(moments)
        penalty = self._penalty_of_targets(problem, choice)
        if self.positive:
            found = solve_nonnegative(problem, penalty)
            return LinearModel.of(problem, found, "ridge without negative weights", choice)
        if self.penalize_intercept and self.fit_intercept:
            found = solve_ridge_with_penalised_intercept(problem, penalty)
            return LinearModel.of(problem, found, "ridge with a penalised intercept", choice)
        return LinearModel.of(problem, solve_ridge(problem, penalty), "ridge", choice)

    def _ridge_penalty(self, problem: LeastSquaresProblem, moments: FoldMoments) -> Array:
        return self._penalty_of_targets(problem, self._choose_penalty(moments))

    @property
    def _cross_validates(self) -> bool:
        return isinstance(self.alpha, str) and self.alpha == "cv"

    def _choose_penalty(self, moments: FoldMoments) -> CrossValidationErrors | None:
        """How folds judge the penalties; None where alpha is given."""
        if not self._cross_validates:
            return None
        return choose_penalty(moments, RidgePath(), self.alphas, bool(self.fit_intercept))

    def _penalty_of_targets(
        self, problem: LeastSquaresProblem, choice: CrossValidationErrors | None
    ) -> Array:
        """(t,) the penalty of every target."""
        alpha = self.alpha if choice is None else choice.choose(self.rule)
        t, given = len(problem.scale) - problem.p, np.asarray(alpha, dtype=np.float64)
        if given.ndim and len(given) != t:
            raise OptionError(
                f"alpha has {len(given)} penalties, and there are {t} targets. Pass one for each, "
                "or one number for all."
            )
        return np.full(t, given)

    @property
    def _takes_weights_as_given(self) -> bool:
        return self._cross_validates or bool(np.any(np.asarray(self.alpha, dtype=np.float64) != 0))

    @property
    def _has_closed_form(self) -> bool:
        return not (self.positive or self.penalize_intercept or self._cross_validates)

    @property
    def n_iter_(self) -> int:
        """1: the equations are solved, and nothing is iterated."""
        self._check_fitted()
        return 1

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

    def path(self, alphas: Any = None) -> CoefficientPath:
        """The coefficients for a grid of penalties, from the tally: no row is read.

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
        self._check_fitted()
        with self._fit_context("path"):
            if len(self.model_.coef) > 1:
                raise InputError(
                    "path() shows the coefficients of one target, and this model has "
                    f"{len(self.model_.coef)}. Fit a model for each target."
                )
            if self.positive or self.penalize_intercept:
                raise InputError(
                    "path() needs coefficients without bounds and an intercept without penalty. "
                    "Fit each penalty by itself, or leave out "
                    f"{'positive' if self.positive else 'penalize_intercept'}=True."
                )
            choice = self.model_.choice if alphas is None else None
            given = path_penalties(alphas, self.alphas, choice)
            found = self._tally_path(RidgePath(), given)
        order, chosen = self.model_.design.order(self.schema_), float(np.min(self.alpha_))
        return coefficient_path(self.columns_, order, found, chosen, choice)

    def _check_combinations(self) -> None:
        super()._check_combinations()
        if self._cross_validates and (self.positive or self.penalize_intercept):
            raise OptionError(
                "alpha='cv' needs coefficients without bounds and an intercept without penalty. "
                "Give a number, or leave out "
                f"{'positive' if self.positive else 'penalize_intercept'}=True."
            )
