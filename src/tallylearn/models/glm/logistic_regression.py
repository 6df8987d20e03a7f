"""Logistic regression: classification by penalised maximum likelihood."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import OptionError, listed, speaking, told
from tallylearn.estimators.option_values import by_label, check_seed, check_whole
from tallylearn.models.design.column_survey import surveyed
from tallylearn.models.design.columns import MISSING, check_references
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import learnable
from tallylearn.models.design.rare_categories import MIN_ROWS, Rare
from tallylearn.models.glm.decision_boundaries import Geometric
from tallylearn.models.glm.design_rows import Lexicon
from tallylearn.models.glm.gradient_descent import given_numbers
from tallylearn.models.glm.inference.logistic_summary import WEIGHED, LogisticSummary, summarised
from tallylearn.models.glm.inference.standard_errors import standard_errors
from tallylearn.models.glm.logistic_formulas import LOSSES
from tallylearn.models.glm.logistic_model import Ending, LogisticModel
from tallylearn.models.glm.logistic_plan import Plan, planned
from tallylearn.models.glm.objective import Objective, Solution
from tallylearn.models.glm.row_passes import IterativeEstimator, RowPasses, TablePasses
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
from tallylearn.tallies.importance import counted_apart, kind_of_weights
from tallylearn.tallies.words import words

GRADIENT = "gradient"
SOLVERS = ("auto", NEWTON, NEWTON_CG, LBFGS, GRADIENT)
TAKEN_AS_AUTO = ("sag", "saga")  # scikit-learn's other ways to the same coefficients


class LogisticRegression(IterativeEstimator, Geometric):
    """Log-odds of the classes that are weighted sums of the columns; by maximum likelihood.

    Categories become columns of 0 and 1, dates are days, and a text has a column for every word,
    with how often it comes. Rows are read again in every round: in memory, and from files larger
    than memory, to the same weights, as close as ``tol`` says. Of more than two classes every one
    has weights, around their mean unless some are drawn to 0 by ``l1_ratio``; ``summary`` compares
    all with the first, the reference.

    Parameters
    ----------
    C : the inverse of the penalty, as in scikit-learn; ``float("inf")`` is none. Constants are
        never penalised.
    l1_ratio : how much of the penalty is the sum of the weights' sizes (lasso); the rest is half
        the sum of their squares.
    tol : the search ends where its next step promises to lower the mean loss by less than tol³
        (tol² is enough for L-BFGS after its last step), "newton-cg" where no weight is off by more
        than tol², a lasso of many weights where no gradient is off by more than tol² of the lasso.
        By default Newton's weights are right to 1e-8 then, L-BFGS's to 1e-4 or better. Without a
        penalty it ends with Newton, at 1e-12 at most. With solver="gradient", where no part of the
        gradient is larger.
    fit_intercept : whether there is a constant.
    class_weight : weights of the classes by name, or "balanced": inverse to their rows.
    solver : "auto" takes Newton's method, with curvature from a sample of the rows where they are
        many; of too many weights for a curvature "newton-cg", whose steps are put together from
        conjugate directions, with a lasso Newton's on the weights that are not 0, or "lbfgs"
        without a penalty. "newton-cholesky", "newton-cg" (of a ridge alone), "lbfgs" and "gradient"
        (descent) do what they say. scikit-learn's "sag" and "saga" are taken as "auto".
    max_iter : steps at most; ``converged_`` says whether they were enough.
    loss : of solver="gradient": "cross-entropy", its mean, or "squared", half the sum of squared
        errors of two classes.
    rate : of solver="gradient": how much of the gradient is a step.
    initial : of solver="gradient": the first weights, w0, w1, ..., wp in the order of ``coef_``, a
        row for every class but the first where there are more than two; None is 0.
    at_half : of tied classes the "first" in sorted order, or the last: "positive".
    missing : gaps are filled by the mean beside an "indicator" of the gap, by the "mean" alone, or
        "refuse"; or rows with one are left out ("drop"). A text that is filled has no words.
    reference : the value of a category that has no column, by column; the first unless said.
    min_samples_category : rows that a value needs to get a column of its own, where the category
        has many.
    ngram_range, min_df, max_df, stop_words, max_features : which words of a text have a column, as
        in ``NaiveBayes``.
    random_state, verbose, n_jobs : taken for scikit-learn's sake; nothing is drawn, threads are the
        engine's.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LogisticRegression().fit([[1], [2], [3], [4]], ["no", "yes", "no", "yes"])
    >>> model.coef_.round(4), model.intercept_.round(4)
    (array([[0.4529]]), array([-1.1322]))
    >>> print(model.explain([[4]]))
    → yes  -1.132 + 1.812 = 0.6793   66.4 %
      no        0         =      0   33.6 %

    References
    ----------
    T. Hastie, R. Tibshirani and J. Friedman, The Elements of Statistical Learning, 2009, ch. 4.4.
    """

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY, TEXT, DATE)
    stored: ClassVar[tuple[type, ...]] = (LogisticModel, Ending, Design, Rare, Lexicon, Reader)
    model_: LogisticModel

    def __init__(
        self,
        *,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: str = "auto",
        max_iter: int = 100,
        loss: str = "cross-entropy",
        rate: float = 0.1,
        initial: Any = None,
        at_half: str = "first",
        missing: str = "indicator",
        reference: Any = None,
        min_samples_category: int = MIN_ROWS,
        ngram_range: tuple[int, int] = (1, 1),
        min_df: float = 1,
        max_df: float = 1.0,
        stop_words: Sequence[str] | None = None,
        max_features: int | None = None,
        random_state: int | None = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.max_iter = max_iter
        self.loss = loss
        self.rate = rate
        self.initial = initial
        self.at_half = at_half
        self.missing = missing
        self.reference = reference
        self.min_samples_category = min_samples_category
        self.ngram_range = ngram_range
        self.min_df = min_df
        self.max_df = max_df
        self.stop_words = stop_words
        self.max_features = max_features
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    @property
    def coded(self) -> Callable[[Block], Block]:
        return partial(count_words, reader=self._reader)

    def train_passes(self, passes: TablePasses) -> LogisticModel:
        """One pass surveys the table; the solver makes as many as it needs."""
        plan = self._plan(passes.survey(partial(survey_rows, missing=self.missing)))
        with passes.rows(plan.coding(self.missing), plan.rows) as rows:
            return self._solved(plan, rows)

    def _plan(self, survey: Bundle) -> Plan:
        self._weights_mean = kind_of_weights(survey)  # no file has it
        stop = frozenset(() if self.stop_words is None else self.stop_words)
        return planned(
            survey, as_given=not self._free, class_weight=self.class_weight, missing=self.missing,
            min_rows=float(self.min_samples_category), reference=self.reference,
            reader=self._reader,
            words=vocabulary.Vocabulary(self.min_df, self.max_df, stop, self.max_features),
        )  # fmt: skip

    def _solved(self, plan: Plan, passes: RowPasses) -> LogisticModel:
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
                objective, self._first_coef(plan, objective), rate=float(self.rate), tol=tol,
                max_iter=max_iter, summed=self.loss == "squared",
            )  # fmt: skip
        else:
            found = minimise(objective, method, tol=tol, max_iter=max_iter, solver=str(self.solver))
        return self._model(plan, objective, found, method)

    def _method(self, plan: Plan) -> str:
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

    def _first_coef(self, plan: Plan, objective: Objective) -> Array:
        """(m, width) where gradient descent starts: as given, in the order of the table, or 0."""
        if self.l1_ratio:
            raise OptionError("l1_ratio goes with the other solvers: a lasso has no gradient.")
        if self.loss == "squared" and len(plan.classes) > 2:
            raise OptionError("loss='squared' is of two classes. Take the cross-entropy.")
        first = np.zeros_like(objective.null_coef)
        if self.initial is None:
            return first
        m, size = len(first), first.shape[1] - (not objective.intercept)
        given = np.atleast_2d(given_numbers(self.initial))
        if given.shape != (m, size) or not np.isfinite(given).all():
            others, reference = listed(plan.classes[1:]), told(plan.classes[0])
            of = f" for each of the classes {others}, which are compared with {reference}"
            raise OptionError(
                f"initial should be {size} finite numbers{of if m > 1 else ''}: "
                f"{'w0 and ' if objective.intercept else ''}one for every column. It is "
                f"{told(self.initial)}."
            )
        first[:, 1 + plan.order] = given[:, -len(plan.order) :]
        first[:, 0] = given[:, 0] if objective.intercept else 0.0
        return first

    def _model(
        self, plan: Plan, objective: Objective, found: Solution, method: str
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

    def _ending(self, plan: Plan, objective: Objective, found: Solution, method: str) -> Ending:
        weight, cost = plan.weight, objective.penalty.value(found.coef)
        squared = self.loss == "squared"
        loss = found.value - cost * weight if squared else (found.value - cost) * weight
        trace = found.path if found.path.size else np.array(found.trace).reshape(-1, 2)
        return Ending(
            rows=weight, loss=float(loss), null=objective.null_value * weight,
            objective=float(found.value), least=float(found.margin), steps=found.steps,
            converged=bool(found.converged), solver=method, loss_name=self.loss,
            C=0.0 if self._free else float(self.C), l1_ratio=float(self.l1_ratio),
            intercept=bool(self.fit_intercept), overshot=found.overshot, rate=float(self.rate),
            errors=standard_errors(objective, found.hessian), trace=np.ascontiguousarray(trace),
            rounded=found.rounded, counted=plan.rows,
        )  # fmt: skip

    def summary(self, level: float = 0.95) -> LogisticSummary:
        """Log-odds and odds ratios of every column; without a penalty their standard errors."""
        self._check_fitted()
        found = summarised(self.model_, self.schema_, level)
        said = () if self.model_.ending.penalised else self._said_of_weights()
        if self.class_weight is not None and not self.model_.ending.penalised:
            said += (WEIGHED,)
        return replace(found, remarks=(*found.remarks, *said))

    @property
    def n_iter_(self) -> Array:
        """(1,) how many steps were taken, over a sample too."""
        self._check_fitted()
        return np.array([self.model_.ending.steps], dtype=np.int32)

    @property
    def converged_(self) -> bool:
        """Whether the search came to rest."""
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

    def _counted_rows(self) -> float | None:
        return self.model_.ending.learned

    def _weight_kind(self) -> str:
        return str(getattr(self, "_weights_mean", FREQUENCY))

    def _check_options(self) -> None:
        if not (isinstance(self.C, float) and np.inf == self.C):
            self._in_range("C", 0.0, open_low=True)
        self._in_range("l1_ratio", 0.0, 1.0)
        self._in_range("tol", 0.0, open_low=True)
        self._in_range("rate", 0.0, open_low=True)
        self._check_truth("fit_intercept")
        check_seed(self)
        if not isinstance(self.verbose, bool):
            check_whole(self, "verbose", 0)
        check_whole(self, "n_jobs", none=True)
        _check_class_weight(self.class_weight)
        self._one_of("loss", LOSSES)
        _check_search(self)
        self._one_of("solver", (*SOLVERS, *TAKEN_AS_AUTO))
        self._one_of("at_half", ("first", "positive"))
        self._one_of("missing", MISSING)
        check_references(self.reference)
        self._in_range("min_samples_category", 1)
        vocabulary.check_words(self)

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
    rows, block = len(block), learnable(block, missing)
    target = replace(block.target, declared=())
    counts = Counts.of(target, weight=block.weight)
    parts = {"target": counts, **surveyed(block, rows - len(block))}
    if block.weight is not None:
        parts |= counted_apart(replace(block, target=target), parts["target"], True).parts
    if block.text:
        with speaking("words"):
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
            "class_weight is None, 'balanced', or a weight above 0 for classes by name, such as "
            f"{{'yes': 2}}, not {told(given)}."
        )


def _check_search(learner: Any) -> None:
    """How weights are searched for: by what, from where, and for how long."""
    first = np.zeros(1) if learner.initial is None else given_numbers(learner.initial)
    if not first.size or not np.isfinite(first).all():
        raise OptionError(f"initial should be finite numbers. It is {told(learner.initial)}.")
    solver = learner.solver if isinstance(learner.solver, str) else ""
    if solver == "liblinear":
        raise OptionError(
            "solver='liblinear' penalises the constant, and leads to other weights. Leave solver "
            "out."
        )
    if learner.loss == "squared" and solver != "gradient":
        raise OptionError("loss='squared' goes with solver='gradient'.")
    if learner.initial is not None and solver != "gradient":
        raise OptionError(
            "initial goes with solver='gradient': other searches come to the same weights from "
            "anywhere. Leave it out, or take that solver."
        )
    most = learner.max_iter
    if not isinstance(most, int | np.integer) or isinstance(most, bool) or most < 1:
        raise OptionError(
            "The 'max_iter' parameter of LogisticRegression must be an int of 1 or more. Got "
            f"{told(most)} instead."
        )
