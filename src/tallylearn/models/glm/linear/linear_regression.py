"""Linear regression: the line, or plane, with the smallest sum of squared residuals."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.estimators.option_values import check_whole
from tallylearn.models.design.rare_categories import MIN_ROWS
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


class LinearRegression(LinearEstimator):
    """Ordinary least squares.

    The products of columns and target are summed in one pass, centred and scaled. Where columns
    nearly follow from each other these have lost digits, and a second pass keeps the triangle of a
    QR factorisation instead. Of weights that the rows leave free the shortest are taken, as in
    scikit-learn, and ``summary()`` says which columns follow from which.

    Parameters
    ----------
    fit_intercept : whether there is a w0.
    copy_X, n_jobs : taken for scikit-learn's sake; rows are never changed, threads are the
        engine's.
    tol : a column of whose length the others leave less than this share follows from them. None is
        what rounding alone may leave: 1.4e-14 times the number of columns.
    positive : whether no weight may be below zero.
    degree : powers of every number up to this one are columns too.
    missing : "indicator" fills a gap with the mean and adds a column that is 1 there, "mean" only
        fills, "refuse" raises, "drop" leaves the row out.
    reference : the value of a category that has no column, by column; the first unless said.
    min_samples_category : rows that a value of a category with many must have to get a column.
    solver : "auto", or only "cholesky", the sums of products, or only "qr", the triangle, for rows
        that come in parts.
    exact : sums without rounding, and the weights nearest to the solution of the numbers given:
        the same bits in any order, and rows can be forgotten; many times slower.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LinearRegression(exact=True).fit([[1], [2], [3]], [1, 2, 4])
    >>> model.coef_, model.intercept_
    (array([1.5]), -0.6666666666666666)
    >>> print(model.explain([[4]]))
    ŷ  -0.6667 + 6 = 5.333

    References
    ----------
    G. Golub and C. Van Loan, Matrix Computations, 4th edition, 2013, chapter 5.
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: float | None = None,
        n_jobs: int | None = None,
        positive: bool = False,
        degree: int = 1,
        missing: str = "indicator",
        reference: Any = None,
        min_samples_category: int = MIN_ROWS,
        solver: str = "auto",
        exact: bool = False,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive
        self.degree = degree
        self.missing = missing
        self.reference = reference
        self.min_samples_category = min_samples_category
        self.solver = solver
        self.exact = exact

    def _solved(self, normal: LeastSquaresProblem, sums: FoldMoments) -> LinearModel:
        if self.positive:
            found = solve_nonnegative(normal, self._penalty(normal, sums))
            return LinearModel.of(normal, found, "least squares without negative weights")
        return LinearModel.of(normal, solve_least_squares(normal, self._share), "least squares")

    def _told_apart(self, normal: LeastSquaresProblem) -> bool:
        return not is_rank_deficient(normal, self._share)

    @property
    def _share(self) -> float | None:
        """Of a column's length, what others leave of one that follows from them."""
        return None if self.tol is None else float(self.tol)

    @property
    def closed(self) -> bool:
        return not self.positive

    @property
    def singular_(self) -> Array:
        """The singular values of the centred columns."""
        self._check_fitted()
        return np.linalg.svd(self.model_.root * self.model_.scale, compute_uv=False)

    def _check_options(self) -> None:
        super()._check_options()
        self._check_truth("positive", "copy_X")
        check_whole(self, "n_jobs", none=True)
        if self.tol is not None:
            self._in_range("tol", 0.0)
