"""Logistic regression: classification by penalised maximum likelihood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tallylearn import engines
from tallylearn.errors import OptionError, error_context, quoted_list, short_repr
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.option_values import by_label
from tallylearn.estimators.options import JOBS, SEED, VERBOSE, fitted, number, option
from tallylearn.estimators.passes import Learned, Passes
from tallylearn.estimators.tally_checks import checked_tally
from tallylearn.models.design.column_survey import survey_columns
from tallylearn.models.design.columns import MISSING, check_references
from tallylearn.models.design.formula_design import FormulaDesign, fit_formula
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import select_learnable
from tallylearn.models.design.polynomial_bases import PiecewisePolynomials
from tallylearn.models.design.rare_categories import MIN_ROWS, RareValues
from tallylearn.models.glm.decision_boundaries import BoundaryClassifier
from tallylearn.models.glm.design_rows import Lexicon
from tallylearn.models.glm.gradient_descent import given_numbers, initial_coefficients
from tallylearn.models.glm.inference.logistic_summary import WEIGHED, LogisticSummary, summarise
from tallylearn.models.glm.inference.standard_errors import coefficient_precision
from tallylearn.models.glm.inference.summary_layout import checked_vif, known_inflation
from tallylearn.models.glm.logistic_formulas import LOSSES
from tallylearn.models.glm.logistic_model import LogisticModel, SolverOutcome
from tallylearn.models.glm.logistic_plan import LogisticPlan, make_plan
from tallylearn.models.glm.objective import Objective, Solution
from tallylearn.models.glm.solver_choice import (
    ACTIVE_SET,
    LBFGS,
    MAX_HESSIAN,
    NEWTON,
    NEWTON_CG,
    minimise,
)
from tallylearn.models.glm.solvers.gradient_descent import gradient_descent
from tallylearn.models.naive_bayes import vocabulary
from tallylearn.tables import CATEGORY, DATE, FREQUENCY, NUMBER, TEXT, Array, Block
from tallylearn.tallies import Bundle, Counts
from tallylearn.tallies.documents import Reader
from tallylearn.tallies.weight_kinds import kind_of_weights, tally_row_counts
from tallylearn.tallies.words import words

GRADIENT = "gradient"
SOLVERS = ("auto", NEWTON, NEWTON_CG, LBFGS, GRADIENT)
TAKEN_AS_AUTO = ("sag", "saga")  # scikit-learn's other ways to the same coefficients


class LogisticRegression(BoundaryClassifier):
    """Logistic regression: the log-odds of a class are a linear function of the columns.

    Categories become columns of 0 and 1, dates are days, and every word of a text has a column with
    its count. Rows are read once in every iteration, from memory or from files larger than memory,
    and both lead to the same coefficients within ``tol``. With more than two classes each class has
    its own coefficients, centred to sum to zero unless ``l1_ratio`` sets some to 0; ``summary``
    compares every class with the first.

    References
    ----------
    T. Hastie, R. Tibshirani and J. Friedman, The Elements of Statistical Learning, 2009, ch. 4.4.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LogisticRegression().fit([[1], [2], [3], [4]], ["no", "yes", "no", "yes"])
    >>> model.coef_.round(4), model.intercept_.round(4)
    (array([[0.4529]]), array([-1.1322]))
    >>> print(model.explain([[4]]))
    The probability of yes is 66.4 %; it is 50.0 % at the mean of every column. The
    reason:
    - x0 = 4 raised it from 50.0 % to 66.4 %
    <BLANKLINE>
    → yes  -1.132 + 1.812 = 0.6793   66.4 %
      no        0         =      0   33.6 %
    """

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY, TEXT, DATE)
    stored: ClassVar[tuple[type, ...]] = (
        LogisticModel, SolverOutcome, Design, RareValues, Lexicon, Reader, FormulaDesign,
        PiecewisePolynomials,
    )  # fmt: skip
    renamed: ClassVar[Mapping[str, str]] = {"rate": "learning_rate", "initial": "coef_init"}
    takes_formula: ClassVar[bool] = True
    model_: LogisticModel = fitted()
    C: float = option(
        default=1.0, low=0.0, open_low=True, infinite=True,
        doc="The inverse of the penalty strength, as in scikit-learn; ``float('inf')`` is no "
        "penalty. Intercepts are never penalised.",
    )  # fmt: skip
    l1_ratio: float = option(
        default=0.0, low=0.0, high=1.0, doc="The share of the penalty that is a lasso (the sum of "
        "absolute values); the rest is a ridge (half the sum of squares).",
    )  # fmt: skip
    tol: float = option(
        default=1e-4, low=0.0, open_low=True, doc="Newton's method converges where a step promises "
        "to lower the mean loss by less than tol³, which makes coefficients right to about 1e-8 by "
        "default; L-BFGS where it promises tol³, or tol² at max_iter; 'newton-cg' where no "
        "coefficient is off by more than tol²; a lasso with many coefficients where no KKT "
        "condition is violated by more than tol² of the penalty. Without a penalty the last steps "
        "are Newton's, to 1e-12 at most. solver='gradient' converges where no part of the gradient "
        "exceeds tol.",
    )  # fmt: skip
    fit_intercept: bool = option(default=True, doc="Whether there is an intercept.")
    class_weight: Any = option(
        default=None, type_name="dict or 'balanced' or None",
        doc="Weights of the classes by name, or 'balanced': inversely proportional to their rows.",
    )  # fmt: skip
    solver: str = option(
        default="auto", choices=(*SOLVERS, *TAKEN_AS_AUTO), doc="'auto' is Newton's method, which "
        "starts on a sample where there are many rows; above 1200 coefficients it is Newton-CG, "
        "with a lasso Newton's method on the nonzero coefficients, and without a penalty L-BFGS. "
        "'gradient' is gradient descent. scikit-learn's 'sag' and 'saga' are taken as 'auto'.",
    )  # fmt: skip
    max_iter: int = option(
        default=100, low=1, doc="The most iterations; ``converged_`` says whether they sufficed."
    )
    loss: str = option(
        default="cross-entropy", choices=LOSSES, doc="With solver='gradient': the mean "
        "'cross-entropy', or 'squared', half the sum of squared errors of two classes.",
    )  # fmt: skip
    learning_rate: float = option(
        default=0.1, low=0.0, open_low=True, doc="With solver='gradient': the learning rate."
    )
    coef_init: Any = option(
        default=None, type_name="array or None", doc="With solver='gradient': the first "
        "coefficients, in the order of ``coef_``, with a row for every class but the first where "
        "there are more than two. None is 0. A row may start with the intercept.",
    )  # fmt: skip
    intercept_init: Any = option(
        default=None, type_name="float, array or None", doc="With solver='gradient': the first "
        "intercept, or one for every class but the first. None is 0, or the first number of "
        "``coef_init``.",
    )  # fmt: skip
    at_half: str = option(
        default="first", choices=("first", "positive"),
        doc="Which of tied classes is predicted: the first in sorted order, or the last.",
    )  # fmt: skip
    missing: str = option(
        default="indicator", choices=MISSING, doc="Missing values are filled by the mean, with an "
        "'indicator' column or without ('mean'); 'refuse' raises, and 'drop' leaves such rows out. "
        "A missing text has no words.",
    )  # fmt: skip
    reference: Any = option(
        default=None, doc="The value of a category without a column, by column; default the first."
    )
    min_samples_category: int = option(
        default=MIN_ROWS, takes=number(1), doc="Rows that a value needs for a column of its own, "
        "where the category has many values.",
    )  # fmt: skip
    ngram_range: tuple[int, int] = option(
        default=(1, 1), takes=vocabulary.NGRAM_RANGE, doc="Words a term has, at least and at most."
    )
    min_df: float = option(
        default=1, takes=vocabulary.DOCUMENTS,
        doc="Documents, as a number or a share, that a word needs to have a column.",
    )  # fmt: skip
    max_df: float = option(
        default=1.0, takes=vocabulary.DOCUMENTS,
        doc="Documents, as a number or a share, above which a word has none.",
    )  # fmt: skip
    stop_words: Sequence[str] | None = option(
        default=None, takes=vocabulary.STOP_WORDS, doc="Words that have no column."
    )
    max_features: int | None = option(
        default=None, low=1, doc="The most words of a column of text, the most frequent first."
    )
    random_state: int | None = option(default=None, takes=SEED, doc="Ignored: nothing is random.")
    verbose: int = option(default=0, takes=VERBOSE, doc="Ignored.")
    n_jobs: int | None = option(default=None, takes=JOBS, doc="Ignored: see ``tl.engine``.")

    def fit_passes(self, passes: Passes) -> Learned:
        """One pass surveys the table; the solver makes as many as it needs."""
        if passes.schema.of_kind(TEXT):
            passes = passes.mapped(partial(count_words, reader=self._reader)).cached()
        elif passes.n_rows is None:  # a table in memory is coded once below
            passes = passes.cached()
        with engines.report_stage("survey"):
            survey = passes.total(partial(survey_rows, missing=self.missing))
        plan = self._plan(checked_tally(survey, "LogisticRegression.survey"))
        with engines.report_stage("preparation"):
            rows = passes.mapped(plan.coding(self.missing)).cached()
        return Learned(self._minimise(plan, rows))

    def _fit_input(self, read: FitInput) -> Learned:
        return super()._fit_input(read) if read.formula is None else fit_formula(self, read)

    def _plan(self, survey: Bundle) -> LogisticPlan:
        self._weights_mean = kind_of_weights(survey)  # no file has it
        stop = frozenset(() if self.stop_words is None else self.stop_words)
        return make_plan(
            survey, as_given=not self._free, class_weight=self.class_weight, missing=self.missing,
            min_rows=float(self.min_samples_category), reference=self.reference,
            reader=self._reader,
            words=vocabulary.Vocabulary(self.min_df, self.max_df, stop, self.max_features),
        )  # fmt: skip

    def _minimise(self, plan: LogisticPlan, passes: Passes) -> LogisticModel:
        """Minimise the objective, and give the coefficients in the units of the columns."""
        method, k = self._method(plan), len(plan.classes)
        l1, l2 = self.l1_ratio / self.C, (1 - self.l1_ratio) / self.C
        # a lasso differs by which class has no coefficients, and conjugate gradients converge
        # faster around the mean of all classes; else a class less makes a Hessian smaller
        n_scores = 1 if k == 2 else k if l1 or method == NEWTON_CG else k - 1
        objective = plan.objective(
            passes, n_scores=n_scores, l2=l2, l1=l1, intercept=bool(self.fit_intercept),
            standardised=method != GRADIENT, squared=self.loss == "squared",
        )  # fmt: skip
        max_iter, tol = int(self.max_iter), float(self.tol)
        if method == GRADIENT:
            found = gradient_descent(
                objective, self._first_coef(plan, objective), rate=float(self.learning_rate),
                tol=tol, max_iter=max_iter, summed=self.loss == "squared",
            )  # fmt: skip
        else:
            found = minimise(objective, method, tol=tol, max_iter=max_iter, solver=str(self.solver))
        return self._model(plan, objective, found, method)

    def _method(self, plan: LogisticPlan) -> str:
        """The solver that is used, whatever was asked for."""
        if self.solver in (GRADIENT, LBFGS, NEWTON):
            return str(self.solver)
        k, ridge = len(plan.classes), not (self._free or self.l1_ratio)
        size = (k if self.l1_ratio and k > 2 else k - 1) * (1 + len(plan.scale))
        if ridge and (self.solver == NEWTON_CG or size > MAX_HESSIAN):
            return NEWTON_CG
        if size <= MAX_HESSIAN:
            return NEWTON
        return LBFGS if self._free else ACTIVE_SET

    def _first_coef(self, plan: LogisticPlan, objective: Objective) -> Array:
        """(m, width) where gradient descent starts: as given, in the order of the table, or 0."""
        if self.l1_ratio:
            raise OptionError(
                f"solver='gradient' does not support l1_ratio={self.l1_ratio:g}: an L1 penalty has "
                "no gradient at 0. Leave solver= or l1_ratio= out."
            )
        if self.loss == "squared" and len(plan.classes) > 2:
            raise OptionError(
                f"loss='squared' needs two classes, and there are {len(plan.classes)}. Use "
                "loss='cross-entropy'."
            )
        m, size = objective.null_coef.shape
        others, reference = quoted_list(plan.classes[1:]), short_repr(plan.classes[0])
        each = f"for each of the classes {others}, which are compared with {reference}"
        given = initial_coefficients(self, m, size - 1, intercept=objective.intercept, each=each)
        first = given.copy()
        first[:, 1 + plan.order] = given[:, 1:]
        return first

    def _model(
        self, plan: LogisticPlan, objective: Objective, found: Solution, method: str
    ) -> LogisticModel:
        """The coefficients in the units of the columns, with a vector for every class."""
        weights, bias = objective.columns.original(found.coef)
        centre, level = objective.columns.centre.copy(), found.coef[:, 0]
        if 1 < len(weights) < len(plan.classes):
            weights, bias = np.vstack([0 * weights[:1], weights]), np.insert(bias, 0, 0.0)
            level = np.insert(level, 0, 0.0)
        if len(weights) > 1:
            bias, level = bias - bias.mean(), level - level.mean()
            if objective.penalty.sparse:  # centring would destroy the zeros
                centre, level = 0 * centre, bias
            else:
                weights = weights - weights.mean(axis=0)
        return LogisticModel(
            plan.classes, plan.design, plan.lexicons, np.ascontiguousarray(weights),
            np.ascontiguousarray(bias), at_half=self.at_half,
            ending=self._ending(plan, objective, found, method), centre=centre,
            level=np.ascontiguousarray(level),
        )  # fmt: skip

    def _ending(
        self, plan: LogisticPlan, objective: Objective, found: Solution, method: str
    ) -> SolverOutcome:
        weight, cost = plan.weight, objective.penalty.value(found.coef)
        squared = self.loss == "squared"
        loss = found.value - cost * weight if squared else (found.value - cost) * weight
        trace = found.path if found.path.size else np.array(found.trace).reshape(-1, 2)
        errors, inflation = coefficient_precision(objective, found.hessian)
        return SolverOutcome(
            rows=weight, loss=float(loss), null=objective.null_value * weight,
            objective=float(found.value), least=float(found.margin), steps=found.steps,
            converged=bool(found.converged), solver=method, loss_name=self.loss,
            C=0.0 if self._free else float(self.C), l1_ratio=float(self.l1_ratio),
            intercept=bool(self.fit_intercept), overshot=found.overshot,
            rate=float(self.learning_rate),
            errors=errors, inflation=inflation,
            trace=np.ascontiguousarray(trace),
            rounded=found.rounded, counted=plan.rows,
        )  # fmt: skip

    def summary(self, level: float = 0.95, vif: bool = False) -> LogisticSummary:
        """Coefficients and odds ratios; without a penalty, standard errors, tests and intervals.

        Parameters
        ----------
        level : float, default 0.95
            The confidence level of the intervals.
        vif : bool, default False
            Whether to add the variance inflation factor of every coefficient.

        Returns
        -------
        LogisticSummary
            One table per class but the reference; ``to_frame()`` gives the numbers.
        """
        self._check_fitted()
        inflation = None
        with self._error_context("summary"):
            if checked_vif(vif):
                inflation = known_inflation(self.model_.ending.inflation, "C=float('inf')")
        found = summarise(self.model_, self.schema_, level, inflation)
        said = () if self.model_.ending.is_penalised else self._weight_notes()
        if self.class_weight is not None and not self.model_.ending.is_penalised:
            said += (WEIGHED,)
        return replace(found, remarks=(*found.remarks, *said))

    @property
    def n_iter_(self) -> Array:
        """(1,) the number of iterations, including those on a sample."""
        self._check_fitted()
        return np.array([self.model_.ending.steps], dtype=np.int32)

    @property
    def converged_(self) -> bool:
        """Whether the solver converged."""
        self._check_fitted()
        return bool(self.model_.ending.converged)

    @property
    def trace_(self) -> Array:
        """(t, 2) the objective before every step, and the descent that it promised.

        With solver="gradient" (t, 1 + weights) of the first steps, up to ten thousand numbers: the
        loss before, and the weights after, w0 first, in the order of ``coef_``; of more than two
        classes those of all but the first, with which they are compared.
        """
        self._check_fitted()
        return self.model_.trace(self.schema_)

    @property
    def _free(self) -> bool:
        return bool(np.inf == self.C)

    @property
    def _reader(self) -> Reader:
        return Reader(*self.ngram_range)

    def _count_training_rows(self) -> float | None:
        return self.model_.ending.n_training_rows

    def _weight_kind(self) -> str:
        return str(getattr(self, "_weights_mean", FREQUENCY))

    def _check_options(self) -> None:
        _check_search(self)
        super()._check_options()
        _check_class_weight(self.class_weight)
        check_references(self.reference)

    def _add_tags(self, tags: Any) -> None:
        tags.input_tags.categorical = False


def count_words(block: Block, reader: Reader) -> Block:
    """A block with its texts as counted words."""
    if not block.text:
        return block
    text = block.text
    return replace(block, text={name: reader.bags(text[name], name, block.start) for name in text})


def survey_rows(block: Block, missing: str) -> Bundle:
    """Rows by class, sums of columns, values of categories, words."""
    rows, block = len(block), select_learnable(block, missing)
    target = replace(block.target, declared=())
    counts = Counts.of(target, weight=block.weight)
    parts = {"target": counts, **survey_columns(block, rows - len(block))}
    if block.weight is not None:
        parts |= tally_row_counts(replace(block, target=target), parts["target"], True).parts
    if block.text:
        with error_context("words"):
            parts["text"] = Bundle({
                name: words(bags, target, block.weight, block.weight_kind)
                for name, bags in block.text.items()
            })  # fmt: skip
    return Bundle(parts)


def _check_class_weight(given: Any) -> None:
    """None, "balanced", or weights above 0 by class."""
    if given is None or (isinstance(given, str) and given == "balanced"):
        return
    given = by_label(given)
    fine = isinstance(given, Mapping) and all(
        isinstance(w, int | float | np.number) and not isinstance(w, bool) and 0 < w < np.inf
        for w in given.values()
    )
    if not fine:
        raise OptionError(
            "class_weight is None, 'balanced', or a dict of positive weights by class, such as "
            f"{{'yes': 2}}, not {short_repr(given)}."
        )


def _check_search(learner: Any) -> None:
    """How weights are searched for: by what, from where, and for how long."""
    for name in ("coef_init", "intercept_init"):
        value = getattr(learner, name)
        first = np.zeros(1) if value is None else given_numbers(value)
        if not first.size or not np.isfinite(first).all():
            raise OptionError(f"{name} should be finite numbers. It is {short_repr(value)}.")
    solver = learner.solver if isinstance(learner.solver, str) else ""
    if solver == "liblinear":
        raise OptionError(
            "solver='liblinear' penalises the intercept, which LogisticRegression does not. Leave "
            "solver= out."
        )
    if isinstance(learner.loss, str) and learner.loss == "squared" and solver != "gradient":
        raise OptionError("loss='squared' needs solver='gradient'. Set it, or leave loss= out.")
    started = learner.coef_init is not None or learner.intercept_init is not None
    if started and solver != "gradient":
        raise OptionError(
            "coef_init and intercept_init need solver='gradient': the other solvers find the same "
            "coefficients from any start. Set it, or leave them out."
        )
