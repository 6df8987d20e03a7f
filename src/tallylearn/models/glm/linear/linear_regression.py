"""Linear regression: ordinary least squares."""

from __future__ import annotations

import numpy as np

from tallylearn.estimators.options import JOBS, option
from tallylearn.models.glm.inference.cancellation import is_rank_deficient
from tallylearn.models.glm.linear.linear_estimator import LinearEstimator
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.solvers.least_squares import (
    LeastSquaresProblem,
    solve_least_squares,
    solve_nonnegative,
)
from tallylearn.models.glm.sufficient_statistics import FoldMoments
from tallylearn.tables import Array

OPTIONS = (
    "fit_intercept", "copy_X", "tol", "n_jobs", "positive", "degree", "missing", "reference",
    "min_samples_category", "solver", "exact", "keep_rows",
)  # fmt: skip


class LinearRegression(LinearEstimator, options=OPTIONS):
    """Ordinary least squares.

    The products of columns and target are summed in one pass, centred and scaled. Where columns are
    nearly collinear the products have lost digits, and a second pass keeps the triangle of a QR
    factorisation instead. Where columns are linearly dependent the solution of minimum norm is
    taken, as in scikit-learn, and ``summary()`` lists the dependencies.

    References
    ----------
    G. Golub and C. Van Loan, Matrix Computations, 4th edition, 2013, chapter 5.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LinearRegression(exact=True).fit([[1], [2], [3]], [1, 2, 4])
    >>> model.coef_, model.intercept_
    (array([1.5]), -0.6666666666666666)
    >>> print(model.explain([[4]]))
    The prediction is 5.333; it is 2.333 at the mean of every column. The reason:
    - x0 = 4 raised it from 2.333 to 5.333
    <BLANKLINE>
    ŷ  -0.6667 + 6 = 5.333
    """

    copy_X: bool = option(  # noqa: N815 (scikit-learn's name)
        default=True, doc="For compatibility with scikit-learn: X is not changed."
    )
    tol: float | None = option(
        default=None,
        low=0.0,
        doc="A column counts as a linear combination of others if they leave less than this share "
        "of its length. None is what rounding may leave: 1.4e-14 times the number of columns.",
    )
    n_jobs: int | None = option(
        default=None,
        takes=JOBS,
        doc="For compatibility with scikit-learn: the engine has the threads.",
    )
    positive: bool = option(default=False, doc="Whether coefficients must not be negative.")

    def _solve_problem(self, problem: LeastSquaresProblem, moments: FoldMoments) -> LinearModel:
        if self.positive:
            found = solve_nonnegative(problem, self._ridge_penalty(problem, moments))
            return LinearModel.of(problem, found, "least squares without negative weights")
        found = solve_least_squares(problem, self._rank_tolerance)
        return LinearModel.of(problem, found, "least squares")

    def _is_full_rank(self, problem: LeastSquaresProblem) -> bool:
        return not is_rank_deficient(problem, self._rank_tolerance)

    @property
    def _rank_tolerance(self) -> float | None:
        """The share of its length that others leave of a collinear column."""
        return None if self.tol is None else float(self.tol)

    @property
    def _has_closed_form(self) -> bool:
        return not self.positive

    @property
    def singular_(self) -> Array:
        """The singular values of the centred columns."""
        self._check_fitted()
        return np.linalg.svd(self.model_.root * self.model_.scale, compute_uv=False)
