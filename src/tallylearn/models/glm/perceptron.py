"""The perceptron: weights learn from mistakes, one row after the other, until there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn.errors import InputError, OptionError, TargetError, short_repr
from tallylearn.estimators.option_values import check_unweighted
from tallylearn.estimators.options import fitted, number, option
from tallylearn.estimators.passes import Learned, Passes, in_memory
from tallylearn.kernels import perceptron_updates
from tallylearn.models.design.column_survey import design_of, survey_columns
from tallylearn.models.design.columns import MISSING, check_references
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import select_learnable
from tallylearn.models.design.rare_categories import MIN_ROWS, RareValues
from tallylearn.models.glm.constant_columns import without_constants
from tallylearn.models.glm.decision_boundaries import BoundaryClassifier
from tallylearn.models.glm.gradient_descent import SMALLER_NUMBERS, initial_coefficients
from tallylearn.models.glm.incremental_fit import update_with_rows
from tallylearn.models.glm.perceptron_model import (
    ROOM,
    ZEROS,
    PerceptronWeights,
    Steps,
    trace_width,
)
from tallylearn.statistics.resampling import generator
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, places
from tallylearn.tallies import Bundle
from tallylearn.workings import Derivation

MAX_WEIGHT = 1e150  # a larger weight times the number that made it is beyond a double


class Perceptron(BoundaryClassifier):
    """The perceptron: weights are corrected after every misclassified row, w += y · (1, x).

    Passes over the rows end with the first that needs no correction. With two classes the second
    in sorted order is the positive one, and is predicted where the score is 0. With more classes
    each has its own weights, and the class with the largest score is predicted (the first of equal
    ones); a mistake adds the row to the weights of its class and subtracts it from those of the
    predicted one. Categories become columns of 0 and 1. There are no sample weights and no
    probabilities: ``predict_proba`` is a softmax of the scores, which only ranks rows. After
    ``fit(table, "target")`` a constant column of numbers has no weight until ``partial_fit`` shows
    another value of it.

    References
    ----------
    F. Rosenblatt, The perceptron, Psychological Review 65, 1958.

    Examples
    --------
    >>> import tallylearn as tl
    >>> X, y = [[1, 1], [3, 2], [2, 4], [3, 4], [2, 3]], [-1, 1, 1, 1, -1]
    >>> model = tl.Perceptron(intercept_init=-1, shuffle=False).fit(X, y)
    >>> model.intercept_, model.coef_, model.n_iter_
    (array([-24.]), array([[10.,  1.]]), 176)
    >>> print(model.explain([[3, 2]]))
      -1    0          = 0
    → 1   -24 + 30 + 2 = 8
    """

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, CATEGORY, DATE)
    stored: ClassVar[tuple[type, ...]] = (PerceptronWeights, Design, RareValues)
    renamed: ClassVar[Mapping[str, str]] = {"initial": "coef_init"}
    model_: PerceptronWeights = fitted()

    fit_intercept: bool = option(default=True, doc="Whether there is a w0.")
    max_iter: int = option(
        default=1000, low=1, doc="The most passes. ``separated_`` says whether one of them needed "
        "no correction; without one the last weights are those of an arbitrary row.",
    )  # fmt: skip
    tol: float | None = option(
        default=None, low=0.0, doc="Stop where the loss of a pass is not below the least before by "
        "``tol`` a row, for ``n_iter_no_change`` passes, as in scikit-learn (whose default is "
        "1e-3). None goes on until a pass needs no correction, as in the convergence theorem. The "
        "loss of a row is by how much the score of its class falls short of the largest.",
    )  # fmt: skip
    n_iter_no_change: int = option(
        default=5, low=1, doc="Passes without progress that end the fit, where ``tol`` is given."
    )
    shuffle: bool = option(
        default=True, doc="Whether every pass takes the rows in another order, or in the table's."
    )
    eta0: float = option(
        default=1.0, low=0.0, open_low=True,
        doc="The learning rate c. From weights of 0 it changes no prediction.",
    )  # fmt: skip
    random_state: int | None = option(
        default=0, low=0, doc="The seed of the orders; None differs every time."
    )
    coef_init: Any = option(
        default=None, type_name="array or None", doc="The first coefficients, in the order of "
        "``coef_``, with a row for every class where there are more than two. None is 0. A row may "
        "start with the intercept.",
    )  # fmt: skip
    intercept_init: Any = option(
        default=None, type_name="float, array or None", doc="The first intercept, or one for every "
        "class. None is 0, or the first number of ``coef_init``.",
    )  # fmt: skip
    averaged: bool = option(
        default=False, doc="Whether to predict with the mean of the weights over all steps."
    )
    zero: str = option(
        default="positive", choices=ZEROS, doc="What a score of exactly 0 is, with two classes, "
        "while learning: 'positive', or a 'mistake' for both classes, as in scikit-learn.",
    )  # fmt: skip
    missing: str = option(
        default="indicator", choices=MISSING, doc="Missing values are filled by the mean, with an "
        "'indicator' or without ('mean'); 'refuse' raises, and 'drop' leaves such rows out.",
    )  # fmt: skip
    reference: Any = option(
        default=None, doc="The value of a category without a column, by column; default the first."
    )
    min_samples_category: int = option(
        default=MIN_ROWS, takes=number(1), doc="Rows that a value needs for a column of its own, "
        "where the category has many values.",
    )  # fmt: skip

    def fit(self, X: Any, y: Any = None, **given: Any) -> Self:  # type: ignore[override]
        """Fit to a table: ``fit(X, y)``, or ``fit(table, "target")``."""
        check_unweighted(self, given)  # no weights of rows
        return super().fit(X, y)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:  # type: ignore[override]
        """Make one pass over more rows, in their order."""
        update_with_rows(self, X, y, self._update, classes)
        return self

    def fit_passes(self, passes: Passes) -> Learned:
        """Make passes over the rows in memory; constant columns of a named table get no weight."""
        first_row = passes.read.source.first_row
        return in_memory(passes, partial(self._train, named=passes.by_name, first_row=first_row))

    def _train(self, block: Block, named: bool, first_row: int) -> PerceptronWeights:
        """Pass after pass, until one needs no correction."""
        block, dropped = self._ready(block)
        seen = np.unique(block.target.codes)  # a class without rows would be answered by its zeros
        classes = tuple(sorted(block.target.values[c] for c in seen))
        varying = (
            named and self.fit_intercept and self.coef_init is None and self.intercept_init is None
        )
        model = self._make_initial_weights(block, dropped, classes, varying)
        x, y = model.design.filled_matrix(block), block.target.recode(classes)
        rng = generator(type(self).__name__, self.random_state) if self.shuffle else None
        rows = np.arange(len(block), dtype=np.int64)
        orders = (
            rows if rng is None else rng.permutation(len(block)) for _ in range(self.max_iter)
        )
        row_numbers = places(block.start, rows) - first_row
        return self._run_passes(model, x, y, orders, row_numbers).answering(self.averaged)

    def _update(
        self, model: PerceptronWeights | None, block: Block, first_row: int
    ) -> PerceptronWeights:
        """One pass through the rows, from the last weights."""
        block, dropped = self._ready(block)
        if model is None:
            model = self._make_initial_weights(block, dropped, block.target.declared)
        elif bool(self.averaged) != bool(model.drift.size):
            raise OptionError(
                f"averaged was {not self.averaged} for earlier rows, and is {self.averaged} now. "
                f"Call set_params(averaged={not self.averaged}), or fit again."
            )
        else:
            model = model.taking_up(block)
            design = replace(model.design, dropped=model.design.dropped + dropped)
            rows = model.rows + len(block)
            model = replace(model, design=design, rows=rows, separated=False)
        model = replace(model, stream=True)
        x, y = model.design.filled_matrix(block), block.target.recode(model.classes)
        order = np.arange(len(block), dtype=np.int64)
        row_numbers = places(block.start, order) - first_row
        return self._run_passes(model, x, y, [order], row_numbers).answering(self.averaged)

    def _ready(self, block: Block) -> tuple[Block, int]:
        """The rows to learn from, and how many were left out for a gap."""
        if block.weight is not None:
            raise InputError(
                "the table declares row weights, which Perceptron does not support. Declare it "
                "without weight=."
            )
        kept = select_learnable(block, self.missing)
        return kept, len(block) - len(kept)

    def _make_initial_weights(
        self, block: Block, dropped: int, classes: tuple[Any, ...], varying: bool = False
    ) -> PerceptronWeights:
        """The first weights, over the columns that these rows have, or those that vary in them."""
        if len(classes) < 2:
            raise TargetError(
                f"the target has only the class {short_repr(classes[0])}. Add rows of another "
                "class; with partial_fit, pass all classes as classes= at the first call. "
                "Classifier can't train when only one class is present."
            )
        design = design_of(
            Bundle(survey_columns(block, dropped)), missing=self.missing,
            min_rows=float(self.min_samples_category), reference=self.reference,
        )  # fmt: skip
        design, level = without_constants(design, block) if varying else (design, np.empty(0))
        m, p = 1 if len(classes) == 2 else len(classes), len(design.columns)
        last = self._make_first_weights(m, p, design.order(block.schema))
        drift = np.zeros((m, p + 1) if self.averaged else (0, 0))
        trace = np.empty((0, trace_width(m, p)))
        weights, bias = np.zeros((m, p)), np.zeros(m)
        return PerceptronWeights(
            classes=classes,
            design=design,
            weights=weights,
            bias=bias,
            last=last,
            drift=drift,
            trace=trace,
            rate=float(self.eta0),
            rows=len(block),
            zero=self.zero,
            intercept=bool(self.fit_intercept),
            passed=design.constant,
            level=level,
        )

    def _make_first_weights(self, m: int, p: int, order: Array) -> Array:
        """(m, p + 1) the weights to begin with, in the order of the design."""
        given = initial_coefficients(
            self, m, p, intercept=bool(self.fit_intercept), each=f"for each of {m} classes"
        )
        first = given.copy()
        first[:, 1 + order] = given[:, 1:]
        return first

    def _run_passes(
        self,
        model: PerceptronWeights,
        x: Array,
        y: Array,
        orders: Iterable[Array],
        row_numbers: Array,
    ) -> PerceptronWeights:
        """Through the rows in each of these orders, until one needs no correction."""
        m, p = model.weights.shape
        x, last, drift = np.ascontiguousarray(x), model.last.copy(), model.drift.copy()
        found = np.array([model.steps, model.corrections], dtype=np.int64)
        room = max(1, ROOM // trace_width(m, p), len(model.trace))
        trace = np.zeros((room, trace_width(m, p)))
        trace[: len(model.trace)] = model.trace
        settings = np.array([model.rate, float(self.fit_intercept), float(self.zero == "mistake")])
        passes, before, loss = model.passes, -1, np.zeros(1)
        least, needed = np.inf, 0.0 if self.tol is None else float(self.tol) * len(x)
        stale = 0  # passes in a row without progress
        with np.errstate(over="ignore", invalid="ignore"):
            for rows in orders:
                passes, before = passes + 1, int(found[1])
                perceptron_updates.walk(x, y, rows, settings, last, drift, trace, found, loss)
                stale = stale + 1 if loss[0] > least - needed else 0
                least = min(least, float(loss[0]))
                if found[1] == before or (self.tol is not None and stale >= self.n_iter_no_change):
                    break
        if not ((np.abs(last) < MAX_WEIGHT).all() and np.isfinite(drift).all()):
            raise InputError(f"the scores overflow a double. {SMALLER_NUMBERS}")
        steps, corrections = found.tolist()
        fresh = slice(len(model.trace), steps)
        trace[fresh, 0] = row_numbers[trace[fresh, 0].astype(np.int64)]
        return replace(
            model, last=last, drift=drift, trace=trace[:steps].copy(), steps=steps,
            corrections=corrections, passes=passes, separated=corrections == before,
        )  # fmt: skip

    def steps(self) -> Steps:
        """The first steps of training: weights, score, prediction and correction of each row.

        Returns
        -------
        Steps
            A table as it is written on paper.
        """
        self._check_fitted()
        return self.model_.step_sequence(self.schema_)

    def _working(self, full: bool) -> Derivation:
        return self.model_.derivation(self.schema_, full)

    @property
    def n_iter_(self) -> int:
        """The number of passes, including the one without a correction."""
        self._check_fitted()
        return int(self.model_.passes)

    @property
    def n_updates_(self) -> int:
        """The number of corrections."""
        self._check_fitted()
        return int(self.model_.corrections)

    @property
    def separated_(self) -> bool:
        """Whether a pass over all rows, or over those of ``partial_fit``, needed no correction."""
        self._check_fitted()
        return bool(self.model_.separated)

    def _count_training_rows(self) -> float | None:
        return float(self.model_.rows)

    def _check_options(self) -> None:
        super()._check_options()
        check_references(self.reference)

    def _add_tags(self, tags: Any) -> None:
        tags.input_tags.categorical = False
        tags.classifier_tags.poor_score = True  # the last weights are those of an arbitrary row
