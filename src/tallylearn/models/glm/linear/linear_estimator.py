"""What linear regression, ridge, lasso, elastic net and subset selection share.

``fit`` tallies the products of columns and targets in one pass, solves them for coefficients, and
reads the rows a second time where the products lost too many digits: then the triangle R of a QR
factorisation is kept instead, which has the condition number of the columns and not its square.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn import engines
from tallylearn.errors import (
    InputError,
    MergeError,
    OptionError,
    SizeError,
    short_repr,
)
from tallylearn.estimators import Regressor
from tallylearn.estimators.call_style import CallStyle
from tallylearn.estimators.conformal import check_level
from tallylearn.estimators.estimator import WEIGHTS_NAMED
from tallylearn.estimators.fit_input import FitInput, read_fit_input, retry_reading
from tallylearn.estimators.kept_rows import AUTO, KEEP_ROWS, picklable_state
from tallylearn.estimators.missing_targets import DroppedRows
from tallylearn.estimators.options import Allowed, either, fitted, number, one_of, option
from tallylearn.estimators.passes import Learned, Passes
from tallylearn.estimators.tally_checks import checked_tally, within_doubles
from tallylearn.estimators.tally_state import TallyState
from tallylearn.models.design.columns import MISSING, check_references
from tallylearn.models.design.filled_scatter import solve_filled, too_wide
from tallylearn.models.design.formula_design import FormulaDesign, fit_formula
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import select_learnable
from tallylearn.models.design.polynomial_bases import PiecewisePolynomials
from tallylearn.models.design.pooled_categories import (
    PART,
    rare_or_raise,
    tally_within_memory,
    values_of,
)
from tallylearn.models.design.rare_categories import MIN_ROWS, NO_RARE, RareValues
from tallylearn.models.glm.inference.cancellation import check_cancellation, is_rank_deficient
from tallylearn.models.glm.inference.diagnostics import Diagnostics, SandwichMeat, diagnose_rows
from tallylearn.models.glm.inference.intervals import prediction_interval
from tallylearn.models.glm.inference.summary import ROBUST_ERRORS, Summary, summarize
from tallylearn.models.glm.inference.summary_layout import checked_vif
from tallylearn.models.glm.inference.training_rows import (
    LOOSE_TOLERANCE,
    NumberedBlock,
    describe_rows,
    difference_from_training,
    input_to_keep,
    with_training_weights,
)
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.linear.linear_working import linear_working
from tallylearn.models.glm.penalty_cross_validation import PathSolver, is_penalties
from tallylearn.models.glm.solvers.coordinate_descent import ElasticNetPenalty
from tallylearn.models.glm.solvers.exact_least_squares import (
    exact_normal_equations,
    solve_exactly,
)
from tallylearn.models.glm.solvers.least_squares import (
    LeastSquaresProblem,
    condition_number,
    problem_from_scatter,
    problem_from_triangle,
)
from tallylearn.models.glm.sufficient_statistics import (
    DesignOptions,
    FoldMoments,
    TallyKind,
    fold_moments,
    tally_products,
)
from tallylearn.models.stored_tallies import check_parts
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.sources.columns.class_labels import Aim
from tallylearn.tables import (
    BLOCK,
    CATEGORY,
    DATE,
    FREQUENCY,
    NUMBER,
    Array,
    Block,
    Schema,
    places,
)
from tallylearn.tallies import Bundle, Counts, Products, Scatter, Triangle
from tallylearn.tallies.pairs import GAP
from tallylearn.tallies.weight_kinds import compares, log_weights, with_log_weights
from tallylearn.tallies.weights import BITS
from tallylearn.workings import Derivation

SOLVERS = ("auto", "cholesky", "qr")
PENALTY_LIST = Allowed(("a list of floats in the range [0, inf)",), is_penalties)
PENALTY_OR_CV = either(number(0.0), one_of("cv"))
# Folds are tallied apart: each takes a matrix of all columns.
MAX_FOLDS = 1000
# Powers of numbers of ordinary size: 10^30 has twice the digits of a double, and more degrees leave
# nothing for lower ones.
MAX_DEGREE = 30
# Rows times squared columns up to which QR takes less than half a millisecond: the rows are
# factored at once, without checking the condition number of their scatter.
SMALL_FACTORISATION = 1 << 18
# Condition numbers are squared in a scatter. Above 1e3 it loses six of sixteen digits, and the rows
# are read again; a table of one block, where that costs next to nothing, already above 10.
MAX_SCATTER_CONDITION = 1e3
MAX_SCATTER_CONDITION_IN_MEMORY = 10.0
# Residual over total sum of squares. Below, a scatter has less than half of the residual's digits.
NEARLY_PERFECT_FIT = 1e-8
# A scatter of a larger condition number has fewer than eight digits: the coefficients are refused.
MAX_CONDITION = 1e4
# Where only folds are scored, and the final fit reads the rows again, six digits are enough.
MAX_FOLD_CONDITION = 1e5
# Numbers (rows times coefficients) up to which summary() computes diagnostics of kept rows and of
# files: more take a second, and have to be passed.
MAX_NUMBERS_READ_AGAIN = 1 << 26
# Columns up to which show_work() works out the products of the tally again.
MAX_WORKED_COLUMNS = 200

FRACTIONS = (
    f"Fractional sample weights are rounded to {BITS} bits before they are summed: coefficients "
    "have about nine digits, and all digits where the weights are whole numbers."
)
LIKELIHOOD_STATISTICS = ("log-likelihood", "AIC", "BIC")
ROBUST_WEIGHTS = (
    "The weights of the rows are {}: {} errors and F take them for factors of a row's squared "
    "residual."
)


class LinearEstimator(Regressor):
    """Linear models whose coefficients follow from products of columns and targets.

    A subclass says how a least-squares problem is solved (``_solve_problem``) and which penalty is
    on the squared coefficients (``_ridge_penalty``).
    """

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY, DATE)
    shaping: ClassVar[tuple[str, ...]] = ("exact", "degree", "missing")
    stored: ClassVar[tuple[type, ...]] = (
        LinearModel, Design, RareValues, FormulaDesign, PiecewisePolynomials,
    )  # fmt: skip
    takes_formula: ClassVar[bool] = True
    stored_if_changed: ClassVar[tuple[str, ...]] = ("keep_rows",)
    counts_values: ClassVar[bool] = True
    # Whether coordinate descent solves the problem: the duality gap says how precisely.
    descends: ClassVar[bool] = False
    model_: LinearModel = fitted()
    kept_rows_: FitInput | None = fitted(initial=None)  # the training rows, by ``keep_rows``
    _weights_mean: str = fitted(initial=FREQUENCY)  # the kind of weights of the last fit
    _reads_again: bool = fitted(initial=True)  # whether the rows of a tally can be read once more

    fit_intercept: bool = option(default=True, doc="Whether to fit an intercept.")
    degree: int = option(
        default=1,
        low=1,
        high=MAX_DEGREE,
        doc="Powers of every numeric column up to this one are columns too.",
    )
    missing: str = option(
        default="indicator",
        choices=MISSING,
        doc='What to do with missing values: "indicator" fills them with the mean and adds a '
        'column that is 1 where they were, "mean" only fills, "refuse" raises an error, "drop" '
        "leaves the row out.",
    )
    reference: Any = option(
        default=None,
        type_name="dict or None",
        doc="The reference value of every categorical column, which has no indicator; the first "
        "in sorted order where none is given.",
    )
    min_samples_category: int = option(
        default=MIN_ROWS,
        takes=number(1),
        doc="Rows that a value of a categorical column with many values must have to get an "
        "indicator of its own; rarer values share one.",
    )
    solver: str = option(
        default="auto",
        choices=SOLVERS,
        doc='"cholesky" solves the sums of products, "qr" a triangle; "auto" chooses by the '
        'condition number. "qr" also serves rows that come in parts.',
    )
    exact: bool = option(
        default=False,
        doc="Sums without rounding, and coefficients that are the doubles nearest to the exact "
        "solution: the same bits in any order of the rows, and rows can be forgotten; many times "
        "slower.",
    )

    keep_rows: bool | str = option(
        default=AUTO,
        takes=KEEP_ROWS,
        doc="Whether to keep the training rows, in ``kept_rows_``: ``summary()`` then needs no "
        'table. "auto" keeps tables of at most 1,000,000 cells, but not in pickles. No model file '
        "has them. Rows of files are read again.",
    )

    # Cross-validation: options of all estimators but LinearRegression
    folds: int = option(
        default=10,
        low=2,
        high=MAX_FOLDS,
        doc="Number of folds of the cross-validation. Rows are assigned by a hash of their values, "
        "and groups stay together.",
    )
    rule: str = option(
        default="best",
        choices=("best", "1se"),
        doc='"best" takes the candidate with the smallest error over the folds, "1se" the simplest '
        "one (the largest penalty, the fewest columns) within one standard error of it.",
    )

    # Tallies

    def tally(self, block: Block) -> Bundle:
        """The products of the columns and targets: as a scatter, a triangle, or exactly."""
        return self._tally_as(self._tally_kind, NO_RARE, block)

    @property
    def _tally_kind(self) -> TallyKind:
        return Products if self.exact else Triangle if self.solver == "qr" else Scatter

    def _tally_as(self, kind: TallyKind, rare: RareValues, block: Block) -> Bundle:
        return tally_products(
            block, kind, int(self.degree), missing=self.missing, folds=self._n_folds, few=rare
        )

    def _tally_rows_as(self, kind: TallyKind, rare: RareValues, block: Block) -> Bundle:
        """The products of a block of a kind, whatever the solver; rare values pooled."""
        return self._with_row_counts(self._tally_as(kind, rare, block), block)

    def _with_row_counts(self, tally: Bundle, block: Block) -> Bundle:
        block = select_learnable(block, self.missing)
        return with_log_weights(super()._with_row_counts(tally, block), block)

    def _count_dropped_rows(self, block: Block) -> DroppedRows:
        """The rows without a target, and those dropped for a missing value."""
        gappy = len(block) - len(select_learnable(block, self.missing))
        found = DroppedRows.in_block(block)
        return replace(found, gappy=gappy) if gappy else found

    def shape(self) -> tuple[tuple[str, Any], ...]:
        """The options that say what is tallied; folds are tallied apart only if they choose."""
        return (*super().shape(), ("folds", self._n_folds))

    @property
    def _cross_validates(self) -> bool:
        """Whether folds choose a penalty or a size."""
        return False

    @property
    def _n_folds(self) -> int:
        """How many folds are tallied apart."""
        return int(self.folds) if self._cross_validates else 1

    # Passes over the rows

    def fit_passes(self, passes: Passes) -> Learned:
        """Sum the products, and solve them; BLAS has one thread for both."""
        self._reads_again = True
        with one_thread():
            tally = self.sum_passes(passes)
            model = self._solve_tally(tally)
        if PART in tally:  # pooled values can neither be merged nor forgotten from
            return Learned(model, schema=self._fitted_schema(passes.schema, tally))
        return Learned(model, tally)

    def _fit_input(self, read: FitInput) -> Learned:
        self._weights_mean = read.weight_kind if read.weighed else FREQUENCY  # no file has it
        return super()._fit_input(read) if read.formula is None else fit_formula(self, read)

    @property
    def uses_tally(self) -> bool:
        """Whether a tally is kept: not of a formula, whose columns depend on all rows."""
        return not self._has_formula

    @property
    def _has_formula(self) -> bool:
        model = getattr(self, "model_", None)
        return model is not None and model.design.formula is not None

    @property
    def _missing_rule(self) -> str:
        """What is done with missing values; a formula drops rows where others fill them."""
        return "drop" if self._has_formula and self.missing != "refuse" else self.missing

    def _count_training_rows(self) -> float | None:
        return float(self.model_.rows) if self._has_formula else super()._count_training_rows()

    def _weight_kind(self) -> str:
        return self._weights_mean if self.tally_ is None else super()._weight_kind()

    def sum_passes(self, passes: Passes) -> Bundle:
        """The tally: in one pass, in two where it lost digits, after one that finds rare values."""
        return tally_within_memory(
            partial(self._sum_pairs, passes), partial(self._find_rare, passes)
        )

    def _find_rare(self, passes: Passes, error: SizeError) -> RareValues:
        values = passes.total(self._count_values, self._count_dropped_rows)
        return rare_or_raise(values, float(self.min_samples_category), error)

    def _count_values(self, block: Block) -> Bundle:
        return values_of(select_learnable(block, self.missing))

    def _sum_pairs(self, passes: Passes, rare: RareValues) -> Bundle:
        """The tally; a triangle for few rows, or in a second pass where the scatter lost digits."""
        chooses = self._chooses_solver and not self.exact and not self.descends
        if chooses and self._is_small(passes):
            return self._sum_as(Triangle, passes, rare)
        found = self._sum_as(self._tally_kind, passes, rare)
        if not chooses or not self._loses_digits(found):
            return found
        with engines.report_stage("second pass"):
            return self._sum_as(Triangle, passes, rare)

    def _sum_as(self, kind: TallyKind, passes: Passes, rare: RareValues) -> Bundle:
        tally = passes.total(partial(self._tally_rows_as, kind, rare), self._count_dropped_rows)
        return checked_tally(tally, f"{type(self).__name__}.tally")

    @property
    def _chooses_solver(self) -> bool:
        """Whether the condition number chooses between products and triangle."""
        return self.solver not in ("cholesky", "qr")

    def _is_small(self, passes: Passes) -> bool:
        """Whether factoring the rows is no more work than checking their condition number."""
        schema, rows = passes.schema, passes.n_rows
        width = len(schema.numbers) * int(self.degree)
        numeric = not schema.categories and self._n_folds == 1
        return numeric and rows is not None and rows * width**2 <= SMALL_FACTORISATION

    def _loses_digits(self, tally: Bundle) -> bool:
        """Whether a scatter lost digits that a triangle keeps."""
        with within_doubles(), solve_filled(lambda: self._list_counted_columns(tally)):
            moments = fold_moments(self._in_rows(tally), self._design_options())
            problem = problem_from_scatter(moments.total(), bool(self.fit_intercept))
            condition = condition_number(problem, self._ridge_penalty(problem, moments))
        if (problem.rest < NEARLY_PERFECT_FIT * problem.whole).any():
            return True
        in_memory = problem.rows <= BLOCK
        return condition > (MAX_SCATTER_CONDITION_IN_MEMORY if in_memory else MAX_SCATTER_CONDITION)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to a table: ``fit(X, y)``, ``fit(table, "target")`` or ``fit(table, "y ~ a * b")``.

        Parameters
        ----------
        X : table or array
            The columns, or a table that also has the target.
        y : array, str or list of str, optional
            One or several targets; for a table, their names or a formula.
        sample_weight : array or str, optional
            Weights of the squared residuals, or the name of their column.

        Returns
        -------
        Self
            The fitted estimator.
        """
        return super().fit(X, y, sample_weight)

    def learn(self, read: FitInput) -> Self:
        super().learn(read)
        self.kept_rows_ = input_to_keep(self.keep_rows, read)
        return self

    def _store_state(self, learned: TallyState, may_wait: bool = False) -> None:
        """A tally of pooled values is let go: it can neither be merged nor forgotten from."""
        pooled = PART in learned.tally
        self._reads_again = not may_wait
        with one_thread():
            super()._store_state(learned, may_wait and not pooled)
        if pooled:
            self.tally_ = None

    # Coefficients from a tally

    def solve(self, tally: Bundle) -> LinearModel:
        """Coefficients out of the products."""
        with solve_filled(lambda: self._list_counted_columns(tally)):
            moments = fold_moments(tally, self._design_options())
            moments.check_size(self.exact)
            problem = self._problem(tally, moments)
            if self.exact:
                model = self._solve_exactly(tally, problem, moments)
            else:
                model = self._solve_problem(problem, moments)
        if not np.isfinite(model.coef).all():
            raise too_wide(moments.design.columns)
        if not self.exact:
            if problem.squared and not self.descends:
                self._check_digits(problem, model)
            check_cancellation(problem, model.coef)
        return model

    @abstractmethod
    def _solve_problem(self, problem: LeastSquaresProblem, moments: FoldMoments) -> LinearModel:
        """The coefficients of this estimator."""

    def _ridge_penalty(self, problem: LeastSquaresProblem, moments: FoldMoments) -> Array:
        """(t,) the penalty on squared coefficients."""
        return np.zeros(len(problem.scale) - problem.p)

    @property
    def _has_closed_form(self) -> bool:
        """Whether the coefficients are the solution of linear equations."""
        return True

    def _is_full_rank(self, problem: LeastSquaresProblem) -> bool:
        """Whether no column is a linear combination of others but for rounding."""
        return not is_rank_deficient(problem)

    def _problem(self, tally: Bundle, moments: FoldMoments) -> LeastSquaresProblem:
        triangle, intercept = tally.get("triangle"), bool(self.fit_intercept)
        if triangle is not None and "numbers" not in tally:
            return problem_from_triangle(triangle, moments.design, intercept)
        return problem_from_scatter(moments.total(), intercept)

    def _solve_exactly(
        self, tally: Bundle, problem: LeastSquaresProblem, moments: FoldMoments
    ) -> LinearModel:
        """Coefficients rounded once, where they have a closed form; else from the exact sums."""
        equations = exact_normal_equations(tally["numbers"], moments.design, problem.centred)
        penalty = self._ridge_penalty(problem, moments)
        problem, solution = solve_exactly(equations, problem, penalty)
        closed = self._has_closed_form and (penalty.all() or self._is_full_rank(problem))
        if solution is None or not closed:
            return replace(self._solve_problem(problem, moments), exact=True)
        check_cancellation(problem, solution.coef)
        method = "exact ridge" if penalty.any() else "exact least squares"
        return replace(LinearModel.of(problem, solution, method), exact=True)

    def _design_options(self) -> DesignOptions:
        return DesignOptions(float(self.min_samples_category), self.missing, self.reference)

    def _check_digits(self, problem: LeastSquaresProblem, model: LinearModel) -> None:
        """Refuse coefficients of which the squared condition number left too few digits."""
        condition = condition_number(problem.free(model.basis), model.penalty)
        alone = self._reads_again and self._chooses_solver
        if not alone and model.dependent and len(model.basis) < problem.varying < problem.rows:
            condition = np.inf  # products cannot tell collinear from nearly collinear
        if condition > (MAX_FOLD_CONDITION if alone else MAX_CONDITION):
            again = "" if self._chooses_solver else "solver='auto' or "
            raise InputError(
                f"columns are nearly collinear (condition number {condition:.1g}), so the sums of "
                f"their products have too few correct digits. Fit with {again}solver='qr' (which "
                "partial_fit and merge need from the first rows), drop a column, or use Ridge."
            )

    def _solve_tally(self, tally: Bundle) -> LinearModel:
        model: LinearModel = super()._solve_tally(tally)
        if not compares(tally):
            return model
        return replace(model, log_weights=log_weights(tally) or 0.0)

    # The working

    def _working(self, full: bool) -> Derivation:
        """The products of the columns and their solution; the formulas alone without a tally."""
        if self.tally_ is None or self.model_.subsets or not self._has_worked_size:
            return super()._working(full)
        tally = self._in_rows(self.tally_)
        problem = self._problem(tally, fold_moments(tally, self._design_options()))
        penalty = self._working_penalty
        return linear_working(self.model_, self.schema_, problem, penalty=penalty, full=full)

    @property
    def _has_worked_size(self) -> bool:
        """Whether there are few enough columns to work out their products again."""
        return 0 < len(self.model_.design.columns) <= MAX_WORKED_COLUMNS

    @property
    def _working_penalty(self) -> ElasticNetPenalty | None:
        """The penalty on sizes; None where coefficients have a closed form."""
        return None

    def _tally_path(
        self, solver: PathSolver, alphas: Array | None
    ) -> tuple[Array, Array, Array, Array]:
        """Penalties (m,), intercepts (m,), coefficients (m, p) and duality gaps (m,)."""
        if self.tally_ is None:
            raise MergeError(
                "this model has no tally to compute a path from: it was saved without one, or rare "
                "values were pooled to fit into memory. Fit again."
            )
        with solve_filled(lambda: self._list_counted_columns(self.tally_)):
            tally = self._in_rows(self.tally_)
            moments = fold_moments(tally, self._design_options())
            problem = self._problem(tally, moments)
            penalties = solver.grid(problem) if alphas is None else alphas
            coef, gap = solver.solve(problem, penalties)
        intercept = problem.mean[problem.p] - coef[:, 0] @ problem.mean[: problem.p]
        return penalties, intercept, coef[:, 0], gap

    # Several targets

    def _aim(self, X: Any, y: Any) -> Aim:
        return aim_of(X, y)

    def _call_style(self) -> CallStyle:
        return replace(super()._call_style(), targets=self._targets)

    @property
    def _targets(self) -> tuple[str, ...]:
        """The names of several targets, "" without a name; () for a single one."""
        if any(names := self.notes_.call_style.targets) or self.model_ is None:
            return names
        n_targets = len(self.model_.coef)
        return (self.model_.targets or ("",) * n_targets) if n_targets > 1 else names

    def _derive(self) -> None:
        super()._derive()
        self.kept_rows_ = None
        if self.model_ is None:
            return
        if len(self.model_.coef) > 1 and any(self._targets):
            self.model_ = replace(self.model_, targets=self._targets)
        if dropped := self.unanswered_.gappy:
            design = replace(self.model_.design, dropped=dropped)
            self.model_ = replace(self.model_, design=design)

    # Results

    @property
    def coef_(self) -> Array:
        """(p,) the coefficients in the table's order; (t, p) where there are several targets."""
        self._check_fitted()
        found = self.model_.coef[:, self.model_.design.order(self.schema_)]
        return np.asarray(found[0] if len(found) == 1 else found)

    @property
    def intercept_(self) -> Any:
        """The intercept; (t,) where there are several targets."""
        self._check_fitted()
        found = self.model_.intercept
        return float(found[0]) if len(found) == 1 else found

    @property
    def columns_(self) -> tuple[str, ...]:
        """The names of the coefficients: columns, powers, categories, missing-value indicators."""
        self._check_fitted()
        names = self.model_.design.names
        return tuple(names[j] for j in self.model_.design.order(self.schema_))

    @property
    def rank_(self) -> int:
        """The rank of the design matrix: how many columns are linearly independent."""
        self._check_fitted()
        return len(self.model_.basis)

    @property
    def condition_(self) -> float:
        """The condition number of the centred columns, each scaled to length 1, as estimated."""
        self._check_fitted()
        return 1 / self.model_.certain if self.model_.certain > 0 else float("inf")

    @property
    def rare_values_(self) -> dict[str, tuple[str, ...]]:
        """The rare values of every categorical column, which share an indicator."""
        self._check_fitted()
        return self.model_.design.rare.by_column

    # Inference

    def summary(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, target: int = 0,
        level: float = 0.95, robust: str | None = None, vif: bool = False,
    ) -> Summary:  # fmt: skip
        """Coefficients with standard errors, measures of fit, and checks of the residuals.

        Parameters
        ----------
        X : table or array, optional
            The training rows, for the checks of the residuals. By default those of ``fit``, if they
            were kept (``keep_rows``) or can be read from their files, up to 2^26 numbers.
        y : array-like or str, optional
            Their target, or the name of its column.
        sample_weight : array-like or str, optional
            Their weights, or the name of the column.
        target : int, default 0
            The position of one of several targets.
        level : float, default 0.95
            The confidence level of the intervals.
        robust : {"HC0", "HC1", "HC2", "HC3"}, optional
            Heteroskedasticity-consistent standard errors and F.
        vif : bool, default False
            Whether to add the variance inflation factor of every column.

        Returns
        -------
        Summary
            A regression table as R and statsmodels print it; ``to_frame()`` gives its numbers.
        """
        with self._error_context("summary"):
            self._check_fitted()
            check_level(level)
            if robust is not None and not (isinstance(robust, str) and robust in ROBUST_ERRORS):
                known = ", ".join(ROBUST_ERRORS)
                raise OptionError(
                    f"robust={short_repr(robust)} is not an option. Pass None or one of {known}."
                )
            checked_vif(vif)
            t = self._target_place(target)
            read = (
                self._find_rows_for_diagnostics()
                if X is None
                else self._read_again(X, y, sample_weight)
            )
            found, meat, why = None, None, ""
            if read is not None and self.model_.is_least_squares:
                blocks = retry_reading(read, self._training_blocks)
                if X is not None or robust is not None:
                    self._check_training_rows(blocks, t)
                    found, meat = self._diagnose_blocks(blocks, t)
                elif not difference_from_training(self.model_, blocks, t):
                    why = "Leverages have no digits left: residuals are not checked."
                    with suppress(InputError):  # the checks were not asked for
                        found, meat = self._diagnose_blocks(blocks, t)
            if robust is not None and meat is None:
                raise InputError(
                    f"robust={robust!r} needs the training rows, and least squares without penalty "
                    f"or bounds. Fit LinearRegression, and call summary(X, y, robust={robust!r})."
                )
        model = self.model_
        name = model.target_name(t, self.target_name_)
        with self._error_context("summary"):
            whole = summarize(
                model, self.schema_, name, t, level=float(level), robust=robust, diagnostics=found,
                meat=meat, why=why, vif=vif,
            )  # fmt: skip
        notes = self._weight_notes() if np.isfinite(whole.error).any() else ()
        if notes and robust is not None:
            notes = (ROBUST_WEIGHTS.format(WEIGHTS_NAMED[self._weight_kind()], robust),)
        if self._has_fractional_weights:
            notes += (FRACTIONS,)
        left_out = tuple(f"{note}." for note in self.unanswered_.messages(self.target_name_))
        return replace(
            whole, sizes=self._known_statistics(whole.sizes),
            rows=whole.rows if (many := self._count_training_rows()) is None else many,
            remarks=(*whole.remarks, *left_out, *notes),
        )  # fmt: skip

    def diagnose(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, target: int = 0
    ) -> Diagnostics:
        """Residuals, leverage and Cook's distance of the training rows, and tests of assumptions.

        Parameters
        ----------
        X : table or array
            The training rows.
        y : array-like or str, optional
            Their target, or the name of its column.
        sample_weight : array-like or str, optional
            Their weights, or the name of the column.
        target : int, default 0
            The position of one of several targets.

        Returns
        -------
        Diagnostics
            Statistics of every row, and the tests.
        """
        with self._error_context("diagnose"):
            self._check_fitted()
            if not self.model_.is_least_squares:
                raise InputError(
                    "diagnostics need least squares without penalty or bounds. Fit "
                    "LinearRegression."
                )
            t = self._target_place(target)
            blocks = self._training_blocks(self._read_again(X, y, sample_weight))
            self._check_training_rows(blocks, t)
            return self._diagnose_blocks(blocks, t)[0]

    def predict_interval(
        self, X: Any, level: float = 0.95, *, of: str = "answer", target: int = 0
    ) -> Array:
        """Prediction intervals of rows, or confidence intervals of their means.

        Least squares without penalty has exact intervals if the errors are normal. An interval is
        from -inf to inf where the prediction is not estimable: the row breaks a linear dependency
        of the training rows, or has a category that no training row had. With a penalty, bounds or
        selection, and after ``fit_intervals``, they are cross-conformal (CV+) as those of other
        regressors.

        Parameters
        ----------
        X : table or array
            Rows to predict.
        level : float, default 0.95
            The confidence level.
        of : {"answer", "mean"}, default "answer"
            "answer" for prediction intervals; "mean" for confidence intervals of the mean, by least
            squares only.
        target : int, default 0
            The position of one of several targets.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper bounds.
        """
        with self._error_context("predict_interval"):
            self._check_fitted()
            check_level(level)
            if not isinstance(of, str) or of not in ("answer", "mean"):
                raise OptionError(f"of={short_repr(of)} is not an option. Pass 'answer' or 'mean'.")
            t, model = self._target_place(target), self.model_
            if of == "mean" and not model.is_least_squares:
                raise InputError(
                    "intervals of means need least squares without penalty, bounds or selection. "
                    "Fit LinearRegression, or pass of='answer'."
                )
            exact = model.is_least_squares
            if of == "answer" and self.notes_.training.intervals is not None:
                exact = False  # fit_intervals was called
            if exact and model.rows <= model.n_estimated:
                raise InputError(
                    f"intervals need more rows than coefficients, and there are {model.rows:g} "
                    f"rows for {model.n_estimated}. Fit with more rows or fewer columns."
                )
        if not exact:
            return self._map_conformal(X, level, t)
        return self._map_rows(
            X,
            lambda block: prediction_interval(model, block, t, level, of == "answer"),
            "predict_interval",
        )

    @property
    def _has_fractional_weights(self) -> bool:
        """Whether exact sums are of weights that may have been rounded."""
        tally = getattr(self, "tally_", None)
        return self.model_.exact and tally is not None and tally["target"].table.low < 0

    def _known_statistics(self, sizes: dict[str, float | None]) -> dict[str, float | None]:
        """Without a likelihood where an older file did not keep the logarithms of the weights."""
        tally = getattr(self, "tally_", None)
        if tally is None or not compares(tally) or log_weights(tally) is not None:
            return sizes
        return {name: size for name, size in sizes.items() if name not in LIKELIHOOD_STATISTICS}

    def _read_again(self, X: Any, y: Any, weight: Any) -> FitInput:
        """The training rows, which are passed again."""
        return read_fit_input(
            X, y, weight=weight, who=type(self).__name__, aim=self._aim(X, y), schema=self.schema_
        )

    def _training_blocks(self, read: FitInput) -> list[NumberedBlock]:
        """The rows as they count in the model."""
        return with_training_weights(self._numbered_blocks(read), read.weight_kind)

    def _numbered_blocks(self, read: FitInput) -> Iterator[NumberedBlock]:
        """The training rows, with their numbers from 0 in the whole table."""
        before, missing = 0, self._missing_rule
        for whole in (block for part in read.coded_table.parts() for block in part.blocks()):
            block = select_learnable(whole.training_rows(), missing)
            row = places(block.start, np.arange(len(block)))
            if not isinstance(whole.start, np.ndarray):  # a file counts its own lines
                row += before - whole.start
            before += len(whole)
            yield block, row

    def _diagnose_blocks(
        self, blocks: list[NumberedBlock], t: int
    ) -> tuple[Diagnostics, SandwichMeat]:
        """Diagnostics of the training rows, whose leverages must add up to the rank."""
        found, meat = diagnose_rows(self.model_, blocks, t, self._weight_kind() != FREQUENCY)
        if abs(float(found.leverage.sum()) - found.used) > LOOSE_TOLERANCE * found.used:
            why = self.model_.cancellation_warnings or ("Columns are nearly collinear.",)
            raise InputError(f"leverages have no correct digits. {why[0]} Leave a column out.")
        return found, meat

    def _check_training_rows(self, blocks: list[NumberedBlock], t: int) -> None:
        """Refuse other rows than those of the fit."""
        if odd := difference_from_training(self.model_, blocks, t):
            raise InputError(
                f"these are not the {describe_rows(self.model_.rows)} of the fit: {odd}. Standard "
                "errors, leverages and Cook's distances are known for the training rows only. Pass "
                "those, with their weights. To judge other rows, use score or tl.evaluate."
            )

    def _target_place(self, target: Any) -> int:
        many = len(self.model_.coef)
        whole = isinstance(target, int | np.integer) and not isinstance(target, bool)
        if not whole or not 0 <= target < many:
            raise OptionError(
                f"target={short_repr(target)}, and the model has {many} target{'s' * (many != 1)}. "
                f"Pass a position from 0 to {many - 1}."
            )
        return int(target)

    def _find_rows_for_diagnostics(self) -> FitInput | None:
        """The training rows that are kept, if they are few enough for diagnostics unasked."""
        few = self.model_.rows * self.model_.n_estimated <= MAX_NUMBERS_READ_AGAIN
        return self.kept_rows_ if few else None

    def __getstate__(self) -> dict[str, Any]:
        return picklable_state(self)

    # Files and options

    def _list_counted_columns(self, tally: Bundle) -> set[str]:
        parts = [part for name in ("numbers", "triangle") if (part := tally.get(name)) is not None]
        return set[str]().union(*[part.shown_columns for part in parts])

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        if not isinstance(tally["target"], Counts):
            raise ValueError("its tally counts no rows")
        tally["target"].check(1)
        if self.exact:  # a triangle is rounded
            check_parts(tally, {"numbers": Products})
        else:
            check_parts(tally, {"numbers": Scatter, "triangle": Triangle})
        known = {*schema.numbers, *schema.categories}
        for part in (tally.get("numbers"), tally.get("triangle")):
            if part is None:
                continue
            part.check()
            for name, value in part.names:
                seen = schema.names if value == GAP else known  # rows without weight show nothing
                if value[:1] != "!" and name not in seen:
                    raise ValueError(f"its tally has sums of {name!r}, which is no such column")
        if len({*self._target_names(tally)}) != len(self.model_.coef):
            raise ValueError("its tally has other targets than the model")

    def _target_names(self, tally: Bundle) -> Mapping[str, int]:
        parts = [part for name in ("numbers", "triangle") if (part := tally.get(name)) is not None]
        return {value: 1 for part in parts for _, value in part.names if value[:1] == "!"}

    def _check_combinations(self) -> None:
        check_references(self.reference)

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.target_tags.multi_output = True
        tags.input_tags.categorical = False  # the checks would round the numbers
        tags.input_tags.allow_nan = self.missing not in ("refuse", "drop")


def aim_of(X: Any, y: Any) -> Aim:
    """One number a row, or several, as the target or its names say."""
    if y is None:
        declared = getattr(getattr(X, "declared", None), "targets", ())
        return ("regressor",) if len(declared) > 1 else "regressor"
    shape = getattr(y, "shape", ())
    if isinstance(y, list | tuple) and len(y):
        inner = y[0]
        if isinstance(inner, str) and not _has_names(X):
            return "regressor"
        several = isinstance(inner, list | tuple | np.ndarray)
        shape = (2, 2) if isinstance(inner, str) else (len(y), len(inner) if several else 1)
    wide = isinstance(shape, tuple) and len(shape) == 2 and shape[1] > 1
    return ("regressor",) if wide else "regressor"


def _has_names(X: Any) -> bool:
    """Whether strings can name columns of a table; those beside plain rows are its target."""
    plain = isinstance(X, list | tuple) and bool(X) and isinstance(X[0], list | tuple | np.ndarray)
    return not plain and not isinstance(X, np.ndarray)
