"""Poisson regression: a log-linear model of counts, by penalised maximum likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tallylearn import engines
from tallylearn.errors import OptionError, TargetError
from tallylearn.estimators import Regressor
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.formulas import ModelFormula
from tallylearn.estimators.options import NONE, VERBOSE, either, fitted, instance_of, number, option
from tallylearn.estimators.passes import Learned, Passes
from tallylearn.estimators.tally_checks import checked_tally
from tallylearn.models.design.column_survey import design_of, survey_columns
from tallylearn.models.design.columns import MISSING, check_references
from tallylearn.models.design.formula_design import FormulaDesign, fit_formula
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import select_learnable
from tallylearn.models.design.polynomial_bases import PiecewisePolynomials
from tallylearn.models.design.rare_categories import MIN_ROWS, RareValues
from tallylearn.models.glm.design_rows import CountRows, DesignRows, Exposure, column_scales
from tallylearn.models.glm.inference.poisson_summary import PoissonSummary, summarize
from tallylearn.models.glm.inference.standard_errors import coefficient_precision
from tallylearn.models.glm.inference.summary_layout import checked_vif, known_inflation
from tallylearn.models.glm.losses import PoissonLoss, Standardisation, Tile
from tallylearn.models.glm.objective import Objective, Solution
from tallylearn.models.glm.penalties import Penalty
from tallylearn.models.glm.poisson_model import PoissonModel
from tallylearn.models.glm.solver_choice import LBFGS, MAX_HESSIAN, NEWTON, NEWTON_CG, minimise
from tallylearn.tables import CATEGORY, DATE, FREQUENCY, NUMBER, Array, Block, row_number
from tallylearn.tallies import Bundle, Counts, Moments
from tallylearn.tallies.weight_kinds import (
    in_rows,
    kind_of_weights,
    number_of_rows,
    tally_row_counts,
)

SOLVERS = ("auto", NEWTON, NEWTON_CG, LBFGS)
COLUMN = either(instance_of(str, "the name of a column"), NONE)
SUMS = ("y", "exposure", "y offset", "y ln y - y", "ln y!")  # of the rows, for deviances


class PoissonRegressor(Regressor):
    """Poisson regression of counts: ln E[y] = offset + b_0 + Σ b_j x_j.

    Parameters, results and the penalised mean deviance are scikit-learn's. Categories become
    columns of 0 and 1. ``summary()`` has standard errors where alpha is 0.

    References
    ----------
    P. McCullagh and J. Nelder, Generalized Linear Models, 1989, chapter 6.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.PoissonRegressor(alpha=0).fit([[1], [2], [3], [4]], [1, 1, 4, 7])
    >>> model.coef_.round(4), round(model.intercept_, 4)
    (array([0.7419]), -0.9965)
    >>> print(model.explain([[4]]))
    The prediction is 7.178; it is 2.359 at the mean of every column. The reason:
    - x0 = 4 raised it from 2.359 to 7.178
    <BLANKLINE>
    ŷ  0.3692 · 19.44 = 7.178
    """

    alpha: float = option(
        default=1.0, low=0.0, doc="Penalty strength: alpha / 2 · Σ b_j² is added to the mean half "
        "deviance. The intercept is not penalised.",
    )  # fmt: skip
    fit_intercept: bool = option(default=True, doc="Whether there is an intercept b_0.")
    solver: str = option(
        default="auto", choices=SOLVERS, doc="All lead to the same coefficients. 'auto' is "
        "Newton's method up to 1200 coefficients, then Newton-CG, or L-BFGS without a penalty.",
    )  # fmt: skip
    max_iter: int = option(default=100, low=1, doc="The most iterations.")
    tol: float = option(
        default=1e-4, low=0.0, open_low=True, doc="Newton's method converges where a step lowers "
        "the mean half deviance by less than tol³.",
    )  # fmt: skip
    warm_start: bool = option(
        default=False, doc="Whether ``fit`` starts from the coefficients of the last ``fit``."
    )
    verbose: int = option(
        default=0, takes=VERBOSE, doc="Ignored; accepted for compatibility with scikit-learn."
    )
    offset: str | None = option(
        default=None,
        takes=COLUMN,
        doc="The column that is added to the linear predictor, as it is.",
    )
    exposure: str | None = option(
        default=None,
        takes=COLUMN,
        doc="The column whose logarithm is added, such as hours of observation.",
    )
    missing: str = option(
        default="indicator", choices=MISSING, doc="Missing values are filled by the mean, with an "
        "'indicator' or without ('mean'); 'refuse' raises, and 'drop' leaves such rows out.",
    )  # fmt: skip
    reference: Any = option(
        default=None, doc="The value of a category without a column, by column; default the first."
    )
    min_samples_category: int = option(
        default=MIN_ROWS, takes=number(1), doc="Rows that a value of a category with many needs."
    )
    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY, DATE)
    stored: ClassVar[tuple[type, ...]] = (
        PoissonModel, Design, RareValues, Exposure, FormulaDesign, PiecewisePolynomials,
    )  # fmt: skip
    takes_formula: ClassVar[bool] = True
    model_: PoissonModel = fitted()

    def fit_passes(self, passes: Passes) -> Learned:
        """Survey the table, then minimise the penalised mean deviance over its rows."""
        exposure = self._exposure(passes.read.formula)
        exposure.check(passes.schema)
        call = partial(survey_counts, missing=self.missing, exposure=exposure)
        if passes.n_rows is None:  # a table in memory is coded once below
            passes = passes.cached()
        with engines.report_stage("survey"):
            survey = checked_tally(passes.total(call), "PoissonRegressor.survey")
        self._weights_mean = kind_of_weights(survey)  # no file has it
        counted, given = number_of_rows(survey), survey["target"].weight
        survey = in_rows(survey, False)
        design = design_of(
            survey, missing=self.missing, min_rows=float(self.min_samples_category),
            reference=self.reference,
        )  # fmt: skip
        weight = float(survey["target"].weight)
        means = survey["sums"].reindex(survey["sums"].keys, SUMS).mean[0]
        sums = dict(zip(SUMS, (means * weight).tolist(), strict=True))
        whole = survey["numbers"].whole and design.plain
        coding = CountRows(design, self.missing, exposure, weight / given, whole)
        rows = passes.mapped(coding).cached()
        objective = self._objective(rows, float(counted), design, survey, sums)
        found = minimise(
            objective, self._method(objective), tol=float(self.tol), solver=self.solver,
            max_iter=int(self.max_iter), start=self._start(objective, design),
        )  # fmt: skip
        chi2 = rows.total(PearsonAt(objective.columns, found.coef))
        return Learned(
            self._model(objective, found, design=design, exposure=exposure, sums=sums, chi2=chi2)
        )

    def _fit_input(self, read: FitInput) -> Learned:
        return super()._fit_input(read) if read.formula is None else fit_formula(self, read)

    def _exposure(self, formula: ModelFormula | None) -> Exposure:
        """The column of the offset, as an option or the formula names it."""
        named = self.offset or self.exposure or ""
        if formula is None:
            return Exposure(named, self.exposure is None)
        if named:
            written = f"offset({named})" if self.offset else f"offset(log({named}))"
            raise OptionError(
                f"offset= and exposure= cannot be combined with a formula. Add the term {written} "
                "to it."
            )
        if formula.offset is None:
            return Exposure()
        is_log, column = bool(formula.offset.column), formula.offset.columns
        if not is_log and formula.offset.text != f"log({column[0]})":
            raise OptionError(
                f"the formula has offset({formula.offset.text}). An offset is a column, or the log "
                "of one: offset(column) or offset(log(column))."
            )
        return Exposure(column[0], is_log)

    def _objective(
        self, rows: Passes, n_rows: float, design: Design, survey: Bundle, sums: dict[str, float]
    ) -> Objective:
        """The mean loss with a ridge of alpha / 2 · Σ b_j²; the null model has one rate for all."""
        weight, intercept = float(survey["target"].weight), bool(self.fit_intercept)
        if intercept and not sums["y"] > 0:
            raise TargetError(
                "every count of the target is 0, so the maximum-likelihood estimate does not "
                "exist. Add rows with a positive count."
            )
        centre, scale = column_scales(design, survey["numbers"])
        columns = Standardisation(centre * intercept, scale)
        penalty = Penalty.of(scale, weight, l2=float(self.alpha) * weight, l1=0.0)
        rate = sums["y"] / sums["exposure"] if intercept else 1.0
        null_coef, mean = np.zeros((1, columns.width)), rate * sums["exposure"]
        null_coef[0, 0] = np.log(rate)
        null_value = (mean - np.log(rate) * sums["y"] - sums["y offset"]) / weight
        return Objective(
            rows, PoissonLoss(), columns, penalty, weight, n_rows=n_rows, names=design.names,
            null_value=float(null_value), null_coef=null_coef,
            null_hessian=np.array([mean / weight]), intercept=intercept, penalty_option="alpha=1",
        )  # fmt: skip

    def _method(self, objective: Objective) -> str:
        if self.solver != "auto":
            return NEWTON if self.solver == NEWTON_CG and not self.alpha else self.solver
        if objective.null_coef.size <= MAX_HESSIAN:
            return NEWTON
        return NEWTON_CG if self.alpha else LBFGS

    def _start(self, objective: Objective, design: Design) -> Array | None:
        """The coefficients of the last fit, where they are of the same columns."""
        before = getattr(self, "model_", None)
        if not self.warm_start or before is None or before.design.names != design.names:
            return None
        return objective.columns.standardise(before.coef[None], np.array([before.intercept]))

    def _model(
        self, objective: Objective, found: Solution, design: Design, exposure: Exposure,
        sums: dict[str, float], chi2: float,
    ) -> PoissonModel:  # fmt: skip
        """The coefficients in the units of the columns, deviances and standard errors."""
        coef, intercept = objective.columns.original(found.coef)
        loss = (found.value - objective.penalty.value(found.coef)) * objective.weight
        saturated = sums["y ln y - y"]
        null = 2 * (objective.null_value * objective.weight + saturated)
        errors, inflation = coefficient_precision(objective, found.hessian)
        return PoissonModel(
            design, np.ascontiguousarray(coef[0]), float(intercept[0]),
            centre=objective.columns.centre, level=float(found.coef[0, 0]), exposure=exposure,
            alpha=float(self.alpha), has_intercept=objective.intercept, rows=objective.weight,
            deviance=max(0.0, float(2 * (loss + saturated))), null_deviance=float(max(0.0, null)),
            log_likelihood=float(-loss - sums["ln y!"]), pearson=float(chi2), steps=found.steps,
            converged=bool(found.converged), errors=errors[0] if errors.size else np.empty(0),
            inflation=None if inflation is None else inflation[0],
        )  # fmt: skip

    @property
    def coef_(self) -> Array:
        """(p,) the coefficients, in the order of the table."""
        self._check_fitted()
        return np.asarray(self.model_.coef[self.model_.design.order(self.schema_)])

    @property
    def coef_names_(self) -> tuple[str, ...]:
        """(p,) the columns that the coefficients belong to."""
        self._check_fitted()
        return tuple(self.model_.design.names[j] for j in self.model_.design.order(self.schema_))

    @property
    def intercept_(self) -> float:
        """The intercept."""
        self._check_fitted()
        return float(self.model_.intercept)

    @property
    def n_iter_(self) -> int:
        """Iterations of the solver."""
        self._check_fitted()
        return int(self.model_.steps)

    @property
    def converged_(self) -> bool:
        """Whether the solver converged."""
        self._check_fitted()
        return bool(self.model_.converged)

    @property
    def deviance_(self) -> float:
        """2 Σ (y ln(y / μ) - y + μ) over the training rows."""
        self._check_fitted()
        return float(self.model_.deviance)

    def summary(self, level: float = 0.95, vif: bool = False) -> PoissonSummary:
        """Coefficients and fit statistics; without a penalty, standard errors, tests and intervals.

        Parameters
        ----------
        level : float, default 0.95
            The confidence level of the intervals.
        vif : bool, default False
            Whether to add the variance inflation factor of every coefficient.

        Returns
        -------
        PoissonSummary
            The table of coefficients; ``to_frame()`` gives the numbers.
        """
        self._check_fitted()
        notes = () if self.alpha else self._weight_notes()
        inflation = None
        with self._error_context("summary"):
            if checked_vif(vif):
                inflation = known_inflation(self.model_.inflation, "alpha=0")
        return summarize(
            self.model_, self.schema_, self.target_name_ or "y", level, notes=notes,
            inflation=inflation,
        )  # fmt: skip

    def goodness(self, truth: Array, predicted: Array, weight: Array) -> float:
        """D², as in scikit-learn: 1 - deviance / deviance of the mean of the targets."""
        _check_counts(truth)
        mean = np.full(len(truth), np.average(truth, weights=weight))
        whole = float(weight @ _unit_deviance(truth, mean))
        return 1 - float(weight @ _unit_deviance(truth, predicted)) / whole if whole else 0.0

    def _count_training_rows(self) -> float | None:
        return float(self.model_.rows)

    def _weight_kind(self) -> str:
        return str(getattr(self, "_weights_mean", FREQUENCY))

    def _check_options(self) -> None:
        super()._check_options()
        check_references(self.reference)
        if self.offset is not None and self.exposure is not None:
            raise OptionError(
                f"offset={self.offset!r} and exposure={self.exposure!r} are both set, and an "
                "offset is the logarithm of an exposure. Pass one of them."
            )

    def _add_tags(self, tags: Any) -> None:
        tags.input_tags.categorical = False  # the checks would round the numbers
        tags.target_tags.positive_only = True


def survey_counts(block: Block, missing: str, exposure: Exposure) -> Bundle:
    """What the null model, the deviances and the columns need to know, in one pass."""
    from scipy.special import gammaln, xlogy

    rows, block = len(block), select_learnable(block, missing)
    y = np.ascontiguousarray(block.target, dtype=np.float64)
    _check_counts(y, block)
    offset = exposure.offset(block) if exposure.column else np.zeros(len(y))
    parts = np.column_stack([y, np.exp(offset), y * offset, xlogy(y, y) - y, gammaln(y + 1)])
    target = Counts.of(block.counting_keys(), weight=block.weight)
    found = {"target": target, **survey_columns(exposure.drop_column(block), rows - len(block))}
    found["sums"] = Moments.of(parts, block.counting_keys(), SUMS, block.weight)
    if block.weight is not None:
        found |= tally_row_counts(block, target, True).parts
    return Bundle(found)


def _check_counts(y: Array, block: Block | None = None) -> None:
    if len(rows := np.flatnonzero(y < 0)):
        at = f" in row {row_number(block.start, int(rows[0]))}" if block is not None else ""
        raise TargetError(
            f"the target is {y[rows[0]]:g}{at}, and counts are 0 or more. Correct it, or use "
            "LinearRegression. Some value(s) of y are out of the valid range of the loss."
        )


def _unit_deviance(y: Array, mean: Array) -> Array:
    from scipy.special import xlogy

    return np.asarray(2 * (xlogy(y, y) - xlogy(y, mean) - y + mean))


@dataclass(frozen=True)
class PearsonAt:
    """The call that sums Pearson's chi-squared Σ w (y - μ)² / μ over rows."""

    columns: Standardisation
    coef: Array

    def __call__(self, rows: DesignRows) -> float:
        room = np.zeros((len(rows), self.columns.width))
        score = Tile.of(rows, self.columns, room).scores(self.coef)[:, 0]
        mean = np.exp(score + rows.offset if rows.offset.size else score)
        found = (rows.y - mean) ** 2 / mean
        return float(found @ rows.weight if rows.weight.size else found.sum())
