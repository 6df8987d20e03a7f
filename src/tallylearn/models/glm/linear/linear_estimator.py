"""Several targets: one table of columns is solved for each of them, from the same sums.

What learners of linear models share: the tally, the second pass, and scikit-learn's names.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError, OptionError, told
from tallylearn.estimators.call_style import Manner
from tallylearn.estimators.fit_input import Lesson
from tallylearn.estimators.missing_targets import Unanswered
from tallylearn.estimators.one_pass import OnePass
from tallylearn.estimators.tally_checks import within_doubles
from tallylearn.estimators.tally_state import TallyState
from tallylearn.models.design.columns import MISSING, check_references
from tallylearn.models.design.filled_scatter import solving, too_wide
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import learnable
from tallylearn.models.design.pooled_categories import Pooling
from tallylearn.models.design.rare_categories import NO_RARE, Rare
from tallylearn.models.glm.inference.cancellation import check_cancellation, is_rank_deficient
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.linear.summarising import Summarising
from tallylearn.models.glm.solvers.exact_least_squares import exact_normal_equations, solve_exactly
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
from tallylearn.tables import BLOCK, CATEGORY, DATE, NUMBER, Array, Block, Schema
from tallylearn.tallies import Bundle, Counts, Products, Scatter, Triangle
from tallylearn.tallies.importance import compares, log_weights, with_log_weights
from tallylearn.tallies.pairs import GAP

SOLVERS = ("auto", "cholesky", "qr")
MAX_DEGREE = 30  # degree: doubles hold hardly more
SMALL_FACTORISATION = (
    1 << 18
)  # rows times the squares of their columns: factored within half a millisecond
MAX_SCATTER_CONDITION = 1e3  # a condition above costs a scatter six digits: the rows are read again
MAX_SCATTER_CONDITION_IN_MEMORY = (
    10.0  # and where that costs next to nothing, a table of one block, any digit is worth it
)
NEARLY_PERFECT_FIT = (
    1e-8  # of a target's squares: of what so good a fit leaves, a scatter has half the digits
)
MAX_CONDITION = 1e4  # a condition above leaves a scatter fewer than eight digits
MAX_FOLD_CONDITION = 1e5  # and fewer than six, which do where folds are scored


class SeveralTargets(OnePass):
    """Learners that keep the sums of every target by its place, and remember their names."""

    _targets: tuple[str, ...] = ()  # the names of several, "" where they have none

    def _aim(self, X: Any, y: Any) -> Aim:
        return aim_of(X, y)

    def _manner(self) -> Manner:
        return replace(super()._manner(), targets=self._targets)

    def _remember(self, manner: Manner, unanswered: Unanswered) -> None:
        super()._remember(manner, unanswered)
        self._targets = manner.targets

    def _derive(self) -> None:
        super()._derive()
        if self.model_ is None or len(self.model_.coef) == 1:
            return
        if any(self._targets):
            self.model_ = replace(self.model_, targets=self._targets)
        else:  # of a file
            self._targets = self.model_.targets or ("",) * len(self.model_.coef)


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
    """Whether words can name columns of a table; those beside plain rows are its target."""
    plain = isinstance(X, list | tuple) and bool(X) and isinstance(X[0], list | tuple | np.ndarray)
    return not plain and not isinstance(X, np.ndarray)


class LinearEstimator(SeveralTargets, Pooling, Summarising):
    """Products of columns and targets; solved into weights."""

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY, DATE)
    shaping: ClassVar[tuple[str, ...]] = ("exact", "degree", "missing")
    stored: ClassVar[tuple[type, ...]] = (LinearModel, Design, Rare)
    model_: LinearModel
    fit_intercept: bool
    degree: int
    missing: str
    reference: Any
    min_samples_category: Any
    solver: str
    exact: bool
    solvers: ClassVar[tuple[str, ...]] = SOLVERS
    _read_again: bool = True  # whether the rows of a tally can be read a second time

    def tally(self, block: Block) -> Bundle:
        """The products of the columns and targets: as a scatter, a triangle, or exactly."""
        return self._summed(self._kind, NO_RARE, block)

    @property
    def _kind(self) -> TallyKind:
        return Products if self.exact else Triangle if self.solver == "qr" else Scatter

    def _summed(self, kind: TallyKind, few: Rare, block: Block) -> Bundle:
        return tally_products(block, kind, int(self.degree), self.missing, self._folds(), few)

    def _seen_as(self, kind: TallyKind, few: Rare, block: Block) -> Bundle:
        """The products of a block of a kind, whatever the solver; rare values as one."""
        return self._apart(self._summed(kind, few, block), block)

    def _apart(self, tally: Bundle, block: Block) -> Bundle:
        block = learnable(block, self.missing)
        return with_log_weights(super()._apart(tally, block), block)

    def _solved_from(self, tally: Bundle) -> LinearModel:
        model: LinearModel = super()._solved_from(tally)
        if not compares(tally):
            return model
        return replace(model, log_weights=log_weights(tally) or 0.0)

    def _left_out(self, block: Block) -> Unanswered:
        found, gappy = super()._left_out(block), len(block) - len(learnable(block, self.missing))
        return replace(found, gappy=gappy) if gappy else found

    def _derive(self) -> None:
        super()._derive()
        if self.model_ is not None and (dropped := self.unanswered_.gappy):
            design = replace(self.model_.design, dropped=dropped)
            self.model_ = replace(self.model_, design=design)

    def _folds(self) -> int:
        """How many folds are counted apart, for the learner's own use."""
        return 1

    def solve(self, tally: Bundle) -> LinearModel:
        """Weights out of the products."""
        with solving(lambda: self._counted(tally)):
            sums = fold_moments(tally, self._spelled())
            sums.check_size(self.exact)
            normal = self._normal(tally, sums)
            model = self._exactly(tally, normal, sums) if self.exact else None
            model = self._solved(normal, sums) if model is None else model
        if not np.isfinite(model.coef).all():
            raise too_wide(sums.design.columns)
        if normal.squared and not self.exact:
            self._check_digits(normal, model)
        if not self.exact:
            check_cancellation(normal, model.coef)
        return model

    def _exactly(
        self, tally: Bundle, normal: LeastSquaresProblem, sums: FoldMoments
    ) -> LinearModel:
        """Weights that are rounded once, where they have a closed form; else near ones."""
        found = exact_normal_equations(tally["numbers"], sums.design, normal.centred)
        penalty = self._penalty(normal, sums)
        normal, fitted = solve_exactly(found, normal, penalty)
        if fitted is None or not (self.closed and (penalty.all() or self._told_apart(normal))):
            return replace(self._solved(normal, sums), exact=True)
        check_cancellation(normal, fitted.coef)
        method = "exact ridge" if penalty.any() else "exact least squares"
        return replace(LinearModel.of(normal, fitted, method), exact=True)

    @property
    def closed(self) -> bool:
        """Whether the weights are the solution of linear equations."""
        return True

    def _told_apart(self, normal: LeastSquaresProblem) -> bool:
        """Whether more than rounding tells all columns apart."""
        return not is_rank_deficient(normal)

    @abstractmethod
    def _solved(self, normal: LeastSquaresProblem, sums: FoldMoments) -> LinearModel:
        """The weights of this learner."""

    def _spelled(self) -> DesignOptions:
        least = float(self.min_samples_category)
        return DesignOptions(least, self.missing, self.reference)

    def _normal(self, tally: Bundle, sums: FoldMoments) -> LeastSquaresProblem:
        triangle, intercept = tally.get("triangle"), bool(self.fit_intercept)
        if triangle is not None and "numbers" not in tally:
            return problem_from_triangle(triangle, sums.design, intercept)
        return problem_from_scatter(sums.total(), intercept)

    def _paired(self, read: Lesson, few: Rare) -> TallyState:
        """The tally; a triangle of few rows, or in a second pass where the scatter lost digits."""
        seen, factored = (partial(self._seen_as, kind, few) for kind in (self._kind, Triangle))
        if not self._automatic or self.exact:
            return self._summed_up(read, seen)
        if self._is_small(read):
            return self._summed_up(read, factored)
        found = self._summed_up(read, seen)
        if not self._at_stake(found.tally):
            return found
        with engines.report_stage("second pass"):
            return self._summed_up(read, factored)

    def _values(self, block: Block) -> Bundle:
        return super()._values(learnable(block, self.missing))

    def _is_small(self, read: Lesson) -> bool:
        """Whether to factor the rows is no more work than to look whether they should be."""
        schema, rows = read.schema, read.source.size
        width = len(schema.numbers) * int(self.degree)
        alone = not schema.categories and self._folds() == 1
        return alone and rows is not None and rows * width**2 <= SMALL_FACTORISATION

    @property
    def _automatic(self) -> bool:
        """Whether the condition chooses between products and triangle."""
        return self.solver not in ("cholesky", "qr")

    def _at_stake(self, tally: Bundle) -> bool:
        """Whether digits are lost that a triangle keeps."""
        with within_doubles(), solving(lambda: self._counted(tally)):
            sums = fold_moments(self._in_rows(tally), self._spelled())
            normal = problem_from_scatter(sums.total(), bool(self.fit_intercept))
            condition = condition_number(normal, self._penalty(normal, sums))
        if (normal.rest < NEARLY_PERFECT_FIT * normal.whole).any():
            return True
        return condition > (
            MAX_SCATTER_CONDITION_IN_MEMORY if normal.rows <= BLOCK else MAX_SCATTER_CONDITION
        )

    def _penalty(self, normal: LeastSquaresProblem, sums: FoldMoments) -> Array:
        """(t,) the penalty on squared weights."""
        return np.zeros(len(normal.scale) - normal.p)

    def learn(self, read: Lesson, tally: Bundle | None = None) -> Self:
        """As every learner in one pass does, BLAS held once for sums and weights."""
        with one_thread():
            super().learn(read, tally)
        return self

    def _learn(self, learned: TallyState, patient: bool = False) -> None:
        self._read_again, self._seen = not patient, None
        super()._learn(learned, patient)

    def _check_digits(self, normal: LeastSquaresProblem, model: LinearModel) -> None:
        """Weights without digits are no answer."""
        condition = condition_number(normal.free(model.basis), model.penalty)
        alone = self._read_again and self._automatic
        if not alone and model.dependent and len(model.basis) < normal.varying < normal.rows:
            condition = np.inf  # products cannot tell whether a column does, or only nearly
        if condition > (MAX_FOLD_CONDITION if alone else MAX_CONDITION):
            again = "" if self._automatic else "solver='auto', which reads the rows again, or with "
            raise InputError(
                f"columns nearly follow from each other (condition {condition:.1g}), and sums of "
                "their products have lost the digits that tell them apart. Keep the triangle of "
                f"the rows, with {again}solver='qr', from the first row on: rows that came in "
                "parts are not read again. Or leave out columns, or take Ridge."
            )

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table: ``fit(X, y)``, or ``fit(table, "target")``; y may be several."""
        super().fit(X, y, sample_weight)
        self._remember_rows(X, y, sample_weight)
        return self

    @property
    def coef_(self) -> Array:
        """(p,) the weights in the table's order; (t, p) where there are several targets."""
        self._check_fitted()
        found = self.model_.coef[:, self.model_.design.order(self.schema_)]
        return np.asarray(found[0] if len(found) == 1 else found)

    @property
    def intercept_(self) -> Any:
        """w0; (t,) where there are several targets."""
        self._check_fitted()
        found = self.model_.intercept
        return float(found[0]) if len(found) == 1 else found

    @property
    def columns_(self) -> tuple[str, ...]:
        """The names of the weights: columns, their powers, values of categories, gaps."""
        self._check_fitted()
        names = self.model_.design.names
        return tuple(names[j] for j in self.model_.design.order(self.schema_))

    def _counted(self, tally: Bundle) -> set[str]:
        parts = [part for name in ("numbers", "triangle") if (part := tally.get(name)) is not None]
        return set[str]().union(*[part.shown for part in parts])

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
        if len({*self._answers(tally)}) != len(self.model_.coef):
            raise ValueError("its tally has other targets than the model")

    def _answers(self, tally: Bundle) -> Mapping[str, int]:
        parts = [part for name in ("numbers", "triangle") if (part := tally.get(name)) is not None]
        return {value: 1 for part in parts for _, value in part.names if value[:1] == "!"}

    def _check_options(self) -> None:
        self._check_truth("fit_intercept", "exact")
        self._one_of("missing", MISSING)
        self._one_of("solver", self.solvers)
        self._in_range("min_samples_category", 1)
        check_references(self.reference)
        whole = isinstance(self.degree, int | np.integer) and not isinstance(self.degree, bool)
        if not whole or not 1 <= self.degree <= MAX_DEGREE:
            raise OptionError(
                f"The 'degree' parameter of {type(self).__name__} must be an int in the range "
                f"[1, {MAX_DEGREE}]. Got {told(self.degree)} instead."
            )

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.target_tags.multi_output = True
        tags.input_tags.categorical = False  # the checks would round the numbers
        tags.input_tags.allow_nan = self.missing not in ("refuse", "drop")
