"""Logistic regression: the weights under which the classes of all rows are the most likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import OptionError, speaking
from tallylearn.estimators import Rounds
from tallylearn.estimators.iterative import Coded, Held
from tallylearn.estimators.option_values import check_seed, check_whole
from tallylearn.models.design.column_survey import surveyed
from tallylearn.models.design.columns import MISSING, check_references
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import learnable
from tallylearn.models.design.rare_categories import MIN_ROWS, Rare
from tallylearn.models.glm.decision_boundaries import Geometric
from tallylearn.models.glm.logistic.active_set import WorkingSet
from tallylearn.models.glm.logistic.gradient_steps import GradientSteps
from tallylearn.models.glm.logistic.lbfgs import QuasiNewton
from tallylearn.models.glm.logistic.line_search import CURVED, Found, standard_errors
from tallylearn.models.glm.logistic.logistic_model import Ending, LogisticModel
from tallylearn.models.glm.logistic.logistic_options import check_class_weight, check_search
from tallylearn.models.glm.logistic.logistic_plan import Plan, planned, sampling
from tallylearn.models.glm.logistic.logistic_summary import WEIGHED, LogisticSummary, summarised
from tallylearn.models.glm.logistic.loss_derivatives import Slope, slope_of
from tallylearn.models.glm.logistic.loss_formulas import LOSSES
from tallylearn.models.glm.logistic.newton import Newton, approached
from tallylearn.models.glm.logistic.newton_cg import TruncatedNewton
from tallylearn.models.glm.logistic.sparse_rows import Lexicon, Rows
from tallylearn.models.naive_bayes import vocabulary
from tallylearn.sources import Parts
from tallylearn.tables import CATEGORY, DATE, FREQUENCY, NUMBER, TEXT, Array, Block
from tallylearn.tallies import Bundle, Counts
from tallylearn.tallies.documents import Reader
from tallylearn.tallies.importance import counted_apart, kind_of_weights
from tallylearn.tallies.words import words

SOLVERS = ("auto", "newton-cholesky", "newton-cg", "lbfgs", "gradient")
OTHERS = ("sag", "saga")  # scikit-learn's other ways to the same weights
LARGE = 1200  # weights: the curvature of more is not worth it
DEAR = 150  # weights of several classes: their curvature costs many gradients
HELD = 1 << 28  # bytes of a sample that is held in memory


@dataclass(frozen=True)
class Fitting:
    """A plan, and where the search stands."""

    plan: Plan
    search: Any  # Newton, TruncatedNewton, WorkingSet, QuasiNewton, GradientSteps or Found

    @property
    def done(self) -> bool:
        return bool(self.search.done)


class LogisticRegression(Rounds[Fitting, Slope], Geometric):
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

    def coded(self, block: Block) -> Block:
        """Texts as counted words."""
        if not block.text:
            return block
        reader, text = self._reader, block.text
        bags = {name: reader.bags(text[name], name, block.start) for name in text}
        return replace(block, text=bags)

    def survey(self, block: Block) -> Bundle:
        """Rows by class, sums of columns, values of categories, words."""
        rows, block = len(block), learnable(block, self.missing)
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

    def begin(self, survey: Bundle) -> Fitting:
        """The plan, and the first weights."""
        self._weights_mean = kind_of_weights(survey)  # no file has it
        stop = frozenset(() if self.stop_words is None else self.stop_words)
        plan = planned(
            survey, as_given=not self._free, class_weight=self.class_weight, missing=self.missing,
            min_rows=float(self.min_samples_category), reference=self.reference,
            reader=self._reader,
            words=vocabulary.Vocabulary(self.min_df, self.max_df, stop, self.max_features),
        )  # fmt: skip
        return Fitting(plan, self._begun(plan))

    def prepared(self, block: Block, state: Fitting) -> Rows:
        """Rows as numbers."""
        plan = state.plan
        return Rows.of(
            block, plan.classes, plan.design, plan.lexicons, self.missing, plan.class_weight,
            plan.whole,
        )  # fmt: skip

    def looked_at(self, source: Parts[Rows], state: Fitting, last: Parts[Rows]) -> Parts[Rows]:
        """All rows, or a sample: read once, and held in memory where it is small."""
        stride = state.search.stride
        if stride == 1 or last is not source:
            return source if stride == 1 else last
        sample = Coded(source, partial(Rows.every, stride=stride))
        size = 8 * state.plan.rows / stride * (2 + len(state.plan.scale))
        return Held.of(sample) if size <= HELD else sample

    def tally(self, block: Any, state: Fitting) -> Slope:
        """What rows say to what is asked of them."""
        return slope_of(block, state.search.task.scaling, state.search.asked)

    def step(self, state: Fitting, tally: Slope) -> Fitting:
        return replace(state, search=state.search.after(tally))

    def solve(self, state: Fitting) -> LogisticModel:
        """Weights of the columns as they came."""
        plan, found = state.plan, state.search
        scaling, level = found.task.scaling, found.theta[:, 0]
        weights, bias = scaling.plain(found.theta)
        centre = scaling.centre.copy()
        if 1 < len(weights) < len(plan.classes):
            weights, bias = np.vstack([0 * weights[:1], weights]), np.insert(bias, 0, 0.0)
            level = np.insert(level, 0, 0.0)
        if len(weights) > 1:
            bias, level = bias - bias.mean(), level - level.mean()
            if found.task.penalty.lasso.any():  # which no common share is taken off
                centre, level = 0 * centre, bias
            else:
                weights = weights - weights.mean(axis=0)
        return LogisticModel(
            plan.classes, plan.design, plan.lexicons, np.ascontiguousarray(weights),
            np.ascontiguousarray(bias), self.at_half, self._ending(plan, found), centre,
            np.ascontiguousarray(level),
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

    def _begun(self, plan: Plan) -> Any:
        most, tol = int(self.max_iter), float(self.tol)
        l1, l2 = self.l1_ratio / self.C, (1 - self.l1_ratio) / self.C
        k, method = len(plan.classes), self._method(plan)
        m = 1 if k == 2 else k if l1 or method == "newton-cg" else k - 1
        told: dict[str, Any] = {
            "m": m, "l2": l2, "l1": l1, "most": most, "intercept": bool(self.fit_intercept)
        }  # fmt: skip
        if method == "gradient":
            return self._descending(plan, told)
        size = m * (1 + len(plan.scale))
        exact = min(tol, 1e-4) ** 3 if self._free else tol**3
        task = plan.task(**told, enough=exact)
        if method == "newton-cg":
            return TruncatedNewton.begun(task, l2 / plan.weight, tol)
        if method == "working-set":
            return WorkingSet.begun(task, tol)
        if method == "lbfgs":
            last = Newton(task, task.first) if self._free and size <= CURVED else None
            task = replace(task, fair=tol**2, enough=tol**2 if last else exact)
            return QuasiNewton(task, task.first, last=last)
        stride = sampling(plan.rows, size)
        dear = m > 1 and size > DEAR and not (l1 or self._free)
        if dear and self.solver != "newton-cholesky":
            return approached(task, stride, plan.weight)
        return Newton(task, task.first, stride, full=self.solver == "newton-cholesky")

    def _method(self, plan: Plan) -> str:
        """The solver that is taken, whatever was asked for."""
        if self.solver in ("gradient", "lbfgs", "newton-cholesky"):
            return str(self.solver)
        k, ridge = len(plan.classes), not (self._free or self.l1_ratio)
        size = (k if self.l1_ratio and k > 2 else k - 1) * (1 + len(plan.scale))
        if ridge and (self.solver == "newton-cg" or size > LARGE):
            return "newton-cg"
        many = "lbfgs" if self._free else "working-set"
        return many if size > LARGE else "newton-cholesky"

    def _descending(self, plan: Plan, told: dict[str, Any]) -> GradientSteps:
        if told["l1"]:
            raise OptionError("l1_ratio goes with the other solvers: a lasso has no gradient.")
        if self.loss == "squared" and len(plan.classes) > 2:
            raise OptionError("loss='squared' is of two classes. Take the cross-entropy.")
        task = plan.task(**told, enough=0.0, plain=True, squared=self.loss == "squared")
        return GradientSteps.begun(plan, task, self.initial, float(self.rate), float(self.tol))

    def _ending(self, plan: Plan, found: Found) -> Ending:
        weight, task = plan.weight, found.task
        squared = task.scaling.squared
        cost = task.penalty.objective(found.theta, Slope(1.0, 0.0, 0.0, found.theta, found.theta))
        loss = found.objective - cost * weight if squared else (found.objective - cost) * weight
        trace = found.path if found.path.size else np.array(found.trace).reshape(-1, 2)
        return Ending(
            weight, float(loss), task.null * weight, float(found.objective), float(found.least),
            found.steps, bool(found.converged), self._method(plan), self.loss,
            0.0 if self._free else float(self.C), float(self.l1_ratio), bool(self.fit_intercept),
            found.overshot, float(self.rate), standard_errors(found),
            np.ascontiguousarray(trace), found.rounded, plan.rows,
        )  # fmt: skip

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
        check_class_weight(self.class_weight)
        self._one_of("loss", LOSSES)
        check_search(self)
        self._one_of("solver", (*SOLVERS, *OTHERS))
        self._one_of("at_half", ("first", "positive"))
        self._one_of("missing", MISSING)
        check_references(self.reference)
        self._in_range("min_samples_category", 1)
        vocabulary.check_words(self)

    def _add_tags(self, tags: Any) -> None:
        tags.input_tags.categorical = False
