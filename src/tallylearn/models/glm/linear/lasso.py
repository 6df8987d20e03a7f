"""The lasso and the elastic net: weights that pay for their size, so that many are zero."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any, Self

import numpy as np

from tallylearn import engines
from tallylearn.errors import MergeError, OptionError, told
from tallylearn.estimators.fit_input import Lesson, lesson, trusting
from tallylearn.estimators.option_values import check_seed
from tallylearn.estimators.schema_checks import checked
from tallylearn.models.design.missing_values import learnable
from tallylearn.models.design.rare_categories import MIN_ROWS
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.linear.penalised import Penalised
from tallylearn.models.glm.linear.wide_table import WideTable
from tallylearn.models.glm.paths import largest_useful_alpha, lasso_grid
from tallylearn.models.glm.solvers.coordinate_descent import ElasticNetPenalty, solve_path
from tallylearn.models.glm.solvers.least_squares import LeastSquaresProblem, Solution
from tallylearn.models.glm.sufficient_statistics import FoldMoments
from tallylearn.runtime.memory_budget import check_memory
from tallylearn.sources.memory.table import check_size
from tallylearn.tables import Array
from tallylearn.tallies import Bundle
from tallylearn.tallies.importance import weighed_in_rows

MIN_WIDE_COLUMNS = 2000  # columns: the products of fewer are soon summed


class SoftLearner(Penalised):
    """Coordinate descent on the products of the columns: no further pass for paths and folds."""

    precompute: Any
    tol: float
    max_iter: int
    positive: bool

    @property
    def _share(self) -> float:
        """Of the penalty on sizes; the rest is on squares."""
        return 1.0

    @property
    def closed(self) -> bool:
        return False

    def _is_wide(self, read: Lesson) -> bool:
        """Whether columns are so many more than rows that their products cost more than rows."""
        width = len(read.schema.numbers) * int(self.degree)
        if width <= MIN_WIDE_COLUMNS or self.exact:
            return False
        rows = read.within((width - 1) // 2)
        if rows is not None and read.source.size is None:
            told = f"{rows:,} rows of {width:,} columns, which are held in memory,"
            check_memory(
                16.0 * rows * width, told, "Leave out columns."
            )  # as they came, and turned
        return rows is not None

    def learn(self, read: Lesson, tally: Bundle | None = None) -> Self:
        """Of a table with many more columns than rows there is no tally."""
        if tally is not None or not self._is_wide(read):
            return super().learn(read, tally)
        trusting(read, self._learn_rows)
        return self

    def save(self, path: str | Path, tally: bool = True) -> None:
        """Write a model file; of a table with many more columns than rows without a tally."""
        wide = self.__sklearn_is_fitted__() and not self.model_.root.size
        super().save(path, False if wide and tally is True else tally)

    def _learn_rows(self, read: Lesson) -> None:
        schema = checked(read.schema, self.kinds, type(self).__name__)
        whole = read.whole(engines.current_engine().report_rows)
        left_out = self._left_out(whole)
        left_out.check(read.target)
        block = weighed_in_rows(learnable(whole, self.missing))
        check_size(len(block), len(schema.columns), read.weighed)
        rows = WideTable.of(block, self._spelled(), int(self.degree), bool(self.fit_intercept))
        choice = None
        if self._by_folds:
            penalty = rows.penalties(self._rule()) if self.alphas is None else self._given()
            choice = rows.validated(penalty, self._rule(), int(self.folds))
        alpha = float(self.alpha) if choice is None else self._picked(choice)
        model = rows.model(alpha, self._rule(), choice)
        self.schema_, self.tally_, self.model_ = schema, None, model
        self._remember(read.manner, left_out)
        self._shaped, self._seen = self.shape(), None
        self._derive()

    def _rows_path(self, given: Array | None) -> tuple[Array, Array, Array, Array]:
        """Penalties, levels, weights and gaps of a path over rows that are at hand."""
        if (seen := self._found_again()) is None:
            raise MergeError("this model has no tally, and its rows are gone: it has no path.")
        X, y, weight = seen
        read = lesson(X, y, weight, type(self).__name__, self._aim(X, y), self.schema_)
        block = weighed_in_rows(learnable(read.whole(), self.missing))
        rows = WideTable.again(self.model_.design, block, bool(self.fit_intercept))
        penalty = rows.penalties(self._rule()) if given is None else given
        coef, gap, _ = rows.path(penalty, self._rule())
        level = rows.level - coef @ rows.mean if self.fit_intercept else np.zeros(len(penalty))
        return penalty, level, coef, gap

    def _solved(self, normal: LeastSquaresProblem, sums: FoldMoments) -> LinearModel:
        choice = self._chosen(sums)
        alpha = float(self.alpha) if choice is None else self._picked(choice)
        return self._at(normal, alpha, choice)

    def _at(self, normal: LeastSquaresProblem, alpha: float, choice: Any) -> LinearModel:
        path, rule = np.array([alpha]), self._rule()
        if alpha > 0:  # from a larger penalty on, so that weights come one by one
            most = largest_useful_alpha(normal, self._share, bool(self.positive))
            path = np.array([most, sqrt(most * alpha), alpha]) if most > alpha else path
        found = solve_path(normal, path, rule)
        coef, gap, rounds = found.coef[-1], found.gap[-1], found.rounds[-1]
        fitted = Solution(coef, coef.any(axis=0).nonzero()[0])
        name = "the lasso" if self._share == 1 else "an elastic net"
        longest = int(max(rounds.max(), 1))
        square = normal.products.diagonal()[normal.p :] / normal.rows
        rested = rule.rested(gap, rounds, square)
        return LinearModel.of(
            normal, fitted, name, choice, gap=gap, rounds=longest, alpha=alpha, converged=rested
        )

    def _rule(self) -> ElasticNetPenalty:
        return ElasticNetPenalty(
            self._share, float(self.tol), int(self.max_iter), bool(self.positive)
        )

    def _path(self, normal: LeastSquaresProblem, penalty: Array) -> tuple[Array, Array]:
        found = solve_path(normal, penalty, self._rule())
        return found.coef, found.gap.max(axis=1)

    def _grid(self, normal: LeastSquaresProblem) -> Array:
        return lasso_grid(normal, self._share, bool(self.positive))

    def _is_small(self, read: Lesson) -> bool:
        """No: weights that pay for their size go by the products."""
        return False

    def _at_stake(self, tally: Bundle) -> bool:
        """Nothing: the penalty holds what columns leave open."""
        return False

    def _check_digits(self, normal: LeastSquaresProblem, model: LinearModel) -> None:
        """The duality gap says how near the weights are."""

    @property
    def dual_gap_(self) -> Any:
        """How far the loss may be above its least, a row; (t,) where there are several targets."""
        self._check_fitted()
        found = self.model_.gap
        return float(found[0]) if len(found) == 1 else found

    @property
    def converged_(self) -> bool:
        """Whether the duality gap came to be as small as ``tol`` wants it."""
        self._check_fitted()
        return bool(self.model_.converged)

    @property
    def n_iter_(self) -> int:
        """How often the weights were gone through."""
        self._check_fitted()
        return int(self.model_.rounds)

    def _check_options(self) -> None:
        super()._check_options()
        self._check_truth("positive", "copy_X", "warm_start")
        self._one_of("selection", ("cyclic", "random"))
        check_seed(self)
        if not isinstance(self.precompute, np.ndarray):  # a Gram matrix, which is not needed
            self._check_truth("precompute")
        if not self._by_folds:
            self._in_range("alpha", 0.0)
        self._in_range("tol", 0.0)
        whole = isinstance(self.max_iter, int | np.integer) and not isinstance(self.max_iter, bool)
        if not whole or self.max_iter < 1:
            raise OptionError(
                f"The 'max_iter' parameter of {type(self).__name__} must be an int in the range "
                f"[1, inf). Got {told(self.max_iter)} instead."
            )


class Lasso(SoftLearner):
    """Least squares plus ``alpha`` times the sizes of the weights: Σ(y − ŷ)² / 2n + alpha Σ|w|.

    Parameters
    ----------
    alpha : 0 or more, or "cv": chosen by folds, which are counted in the same pass; of several
        targets one for all, by the sum of their squared errors.
    fit_intercept : whether there is a w0, which never pays.
    tol : the duality gap that is small enough, as a share of the target's squares.
    max_iter : how often the weights are gone through at most; ``converged_`` says whether that was
        enough, and ``dual_gap_`` how far they may be from the best.
    positive : whether no weight may be below zero.
    precompute, copy_X, warm_start, random_state, selection : taken for scikit-learn's sake.
    alphas : the penalties that "cv" tries; 100 unless said, over three powers of ten.
    folds : how many.
    rule : "best" takes the penalty with the smallest error over the folds, "1se" the largest that
        is within one standard error of it.
    degree, missing, reference, min_samples_category, exact : as for ``LinearRegression``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.Lasso(0.1).fit([[1, 0], [2, 1], [3, 0]], [1, 2, 4])
    >>> model.coef_.round(6)
    array([ 1.35, -0.05])

    References
    ----------
    R. Tibshirani, Regression shrinkage and selection via the lasso, JRSS B 58, 1996.
    J. Friedman, T. Hastie and R. Tibshirani, Regularization paths, J. Stat. Software 33, 2010.
    """

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: Any = False,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: int | None = None,
        selection: str = "cyclic",
        alphas: Any = None,
        folds: int = 10,
        rule: str = "best",
        degree: int = 1,
        missing: str = "indicator",
        reference: Any = None,
        min_samples_category: int = MIN_ROWS,
        solver: str = "auto",
        exact: bool = False,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.alphas = alphas
        self.folds = folds
        self.rule = rule
        self.degree = degree
        self.missing = missing
        self.reference = reference
        self.min_samples_category = min_samples_category
        self.solver = solver
        self.exact = exact


class ElasticNet(SoftLearner):
    """Least squares plus alpha (l1_ratio Σ|w| + (1 − l1_ratio) Σw² / 2), for Σ(y − ŷ)² / 2n.

    Parameters
    ----------
    alpha : 0 or more, or "cv": see `Lasso`.
    l1_ratio : 1 is the lasso, 0 a ridge.
    The others are those of ``Lasso``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.ElasticNet(0.1).fit([[1, 0], [2, 1], [3, 0]], [1, 2, 4]).coef_.round(4)
    array([ 1.3256, -0.2245])

    References
    ----------
    H. Zou and T. Hastie, Regularization and variable selection via the elastic net, JRSS B, 2005.
    """

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: Any = False,
        max_iter: int = 1000,
        copy_X: bool = True,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: int | None = None,
        selection: str = "cyclic",
        alphas: Any = None,
        folds: int = 10,
        rule: str = "best",
        degree: int = 1,
        missing: str = "indicator",
        reference: Any = None,
        min_samples_category: int = MIN_ROWS,
        solver: str = "auto",
        exact: bool = False,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.alphas = alphas
        self.folds = folds
        self.rule = rule
        self.degree = degree
        self.missing = missing
        self.reference = reference
        self.min_samples_category = min_samples_category
        self.solver = solver
        self.exact = exact

    @property
    def _share(self) -> float:
        return float(self.l1_ratio)

    def _check_options(self) -> None:
        super()._check_options()
        self._in_range("l1_ratio", 0.0, 1.0)
