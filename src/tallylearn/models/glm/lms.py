"""Least mean squares: linear regression by stochastic or batch gradient descent."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn import engines
from tallylearn.engines import SinglePart
from tallylearn.errors import InputError, OptionError, SizeError, short_repr
from tallylearn.estimators import Regressor
from tallylearn.estimators.fit_input import FitInput, read_fit_input
from tallylearn.estimators.option_values import check_unweighted
from tallylearn.estimators.options import fitted, option
from tallylearn.estimators.passes import Learned, Passes, in_memory
from tallylearn.estimators.tally_checks import checked_tally, within_doubles
from tallylearn.models.glm.descent_steps import descent_steps
from tallylearn.models.glm.gradient_descent import (
    Descent,
    batch_gradient_descent,
    complete,
    given_numbers,
    lengths,
    stochastic_gradient_descent,
)
from tallylearn.models.glm.incremental_fit import update_with_rows
from tallylearn.models.glm.lms_model import ABSOLUTE, BATCH, RULES, SCALINGS, Weights
from tallylearn.statistics.resampling import generator
from tallylearn.tables import NUMBER, Array, Block
from tallylearn.tallies import Bundle, Moments
from tallylearn.workings import Derivation
from tallylearn.workings.step_sequence import StepSequence
from tallylearn.workings.terms import intercept_name

FACTOR = {
    "error": 1.0,
    "twice": 2.0,
    "sum": 1.0,
    "mean": 2.0,
    ABSOLUTE: 1.0,
}  # of the gradient's error
RANDOM_START = 0.01  # random weights start between -RANDOM_START and RANDOM_START
MAX_ROUNDS = 10_000  # steps over all rows, where their number is not given
MAX_STEPS = 1 << 32  # of one call, which takes minutes already
KERNEL_STEPS = 1 << 16  # of one call of the kernel, between which Control-C is obeyed


class LMS(Regressor):
    """Linear regression by least mean squares: gradient descent on the squared error.

    A step looks at one row, w_i += c · x_i · (y − ŷ), or at all rows (``scaling``).

    All columns must be numeric, without missing values. There are no sample weights.

    ``overshot_`` counts the steps that increased the error. ``fit`` raises an error if it ends with
    a larger error than it started with, or if the coefficients diverge.

    References
    ----------
    B. Widrow and M. E. Hoff, Adaptive switching circuits, IRE WESCON 1960.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LMS(0.1).fit([[1], [2], [3]], [1, 2, 4])
    >>> model.intercept_, model.coef_
    (0.511, array([1.163]))
    >>> print(model.explain([[2]]))
    ŷ  0.511 + 2.326 = 2.837
    """

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER,)
    stored: ClassVar[tuple[type, ...]] = (Weights,)
    renamed: ClassVar[Mapping[str, str]] = {"rate": "learning_rate"}
    model_: Weights = fitted()

    learning_rate: float = option(
        default=0.01, kw_only=False, low=0.0, open_low=True, doc="The learning rate c. A step "
        "makes the error of its own row smaller where c · (1 + Σ x_i²) is below 2 (with 'twice' "
        "below 1), so columns of large numbers need a small rate.",
    )  # fmt: skip
    scaling: str = option(
        default="error", choices=SCALINGS, doc="What the rate multiplies. 'error' moves by c · x_i "
        "· error and 'twice' by twice as much, a row at a time, in memory; 'absolute' by c · x_i · "
        "the sign of the error, which descends the absolute error. 'sum' takes steps with the sum "
        "over all rows, 'mean' with twice their mean (batch gradient descent), from files larger "
        "than memory too, and with the same bits for any order of the rows.",
    )  # fmt: skip
    steps: int | None = option(
        default=None, low=1, doc="Steps of ``fit``; None is once through the rows. With 'sum' and "
        "'mean' it is until convergence, at most 10,000 steps, with a warning if they do not "
        "suffice. ``partial_fit`` goes once through its rows.",
    )  # fmt: skip
    tol: float = option(
        default=1e-6, low=0.0, doc="With 'sum' and 'mean': descent without ``steps`` has converged "
        "where no component of the gradient is larger.",
    )  # fmt: skip
    order: str = option(
        default="table", choices=("table", "random"), doc="Rows in turn, or drawn randomly."
    )
    start: Any = option(
        default="zeros", type_name="{'zeros', 'random'} or array", doc="The first weights: zeros, "
        "small random ones, or w0, w1, ..., wp.",
    )  # fmt: skip
    fit_intercept: bool = option(default=True, doc="Whether there is a w0.")
    random_state: int | None = option(
        default=None, low=0, doc="The seed of what is random; None differs every time."
    )

    def fit(self, X: Any, y: Any = None, **given: Any) -> Self:  # type: ignore[override]
        """Fit to a table: ``fit(X, y)``, or ``fit(table, "target")``."""
        check_unweighted(self, given)  # no weights of rows
        return super().fit(X, y)

    def learn(self, read: FitInput) -> Self:
        """What ``fit`` does with a table that was read."""
        super().learn(read)
        if self._by_batch() and self.steps is None and not self.converged_:
            warnings.warn(
                f"LMS.fit: gradient descent stopped after {MAX_ROUNDS:,} steps, before it "
                f"converged (tol={self.tol:g}). Scale the columns with tl.StandardScaler(), take a "
                "larger learning_rate, or set steps= or tol=.",
                stacklevel=3,
            )
        return self

    def fit_passes(self, passes: Passes) -> Learned:
        """A row at a time in memory, or in steps over all rows, which may be larger than it."""
        if not self._by_batch():
            return in_memory(passes, self._train)
        passes = passes.cached()
        with engines.report_stage("survey"):
            survey = checked_tally(passes.total(survey_lengths), "LMS.survey")
        model = self._make_first_weights(tuple(name for _, name in survey["numbers"].columns))
        rounds = MAX_ROUNDS if self.steps is None else self.steps
        tol = float(self.tol) if self.steps is None else None
        found = self._descend(passes.total, model, survey, steps=rounds, tol=tol)
        return Learned(model.after(found.check(), int(survey["target"].weight)))

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Make one pass over more rows, in their order."""
        update_with_rows(self, X, y, self._update)
        return self

    def _train(self, block: Block) -> Weights:
        """From the first weights, ``steps`` steps, a row at a time."""
        first = self._make_first_weights(block.schema.numbers)
        return first.after(self._walk(first, block, self.steps).check(), len(block))

    def _update(self, model: Weights | None, block: Block, first_row: int) -> Weights:
        """One pass through the rows, from the last weights."""
        if model is None:
            model = self._make_first_weights(block.schema.numbers)
        elif model.scaling != self.scaling:
            raise OptionError(
                f"scaling was {model.scaling!r} for earlier rows, and is {self.scaling!r} now. "
                f"Call set_params(scaling={model.scaling!r}), or fit again."
            )
        model = replace(model, rate=float(self.learning_rate))
        if not self._by_batch():
            return model.after(self._walk(model, block, None), len(block))
        rows = SinglePart([*block.split()])
        with within_doubles():
            total = partial(_total, rows=rows)
            found = self._descend(total, model, survey_lengths(block), steps=1)
        return model.after(found, len(block))

    def _by_batch(self) -> bool:
        return isinstance(self.scaling, str) and self.scaling in BATCH

    def _descend(
        self,
        total: Callable[[Any], Any],
        model: Weights,
        survey: Bundle,
        *,
        steps: int,
        tol: float | None = None,
    ) -> Descent:
        rows = int(survey["target"].weight)
        y, x = (lengths(survey[part].squares) for part in ("target", "numbers"))
        factor = FACTOR[self.scaling] / (rows if self.scaling == "mean" else 1)  # of Σ error · x
        return batch_gradient_descent(
            total, model.weights, np.concatenate([y, [np.sqrt(rows)], x]), rows=rows,
            rate=factor * float(self.learning_rate), steps=steps,
            intercept=bool(self.fit_intercept), room=max(model.max_stored_steps - model.steps, 0),
            tol=None if tol is None else tol / factor,
        )  # fmt: skip

    @property
    def coef_(self) -> Array:
        """(p,) the coefficients, in the table's order."""
        self._check_fitted()
        return np.asarray(self.model_.weights[1:])

    @property
    def intercept_(self) -> float:
        """The intercept w0."""
        self._check_fitted()
        return float(self.model_.weights[0])

    @property
    def n_steps_(self) -> int:
        """The number of steps."""
        self._check_fitted()
        return int(self.model_.steps)

    @property
    def converged_(self) -> bool:
        """Whether batch gradient descent without ``steps`` converged."""
        self._check_fitted()
        return bool(self.model_.converged)

    @property
    def overshot_(self) -> int:
        """The number of steps that increased the error."""
        self._check_fitted()
        return int(self.model_.overshot)

    @property
    def trace_(self) -> Array:
        """(t, 2 + p) of the first steps, up to ten thousand numbers: error before, weights after.

        The error is squared, that of the step's row; with scaling "sum" and "mean" it is the mean
        over all rows. w0 is the first of the weights.
        """
        self._check_fitted()
        return self.model_.walk()

    def descent(self, X: Any = None, y: Any = None) -> StepSequence:
        """The steps of gradient descent, as a page to step through.

        Parameters
        ----------
        X : table, optional
            The training rows. With one column, the pictures then show the path of the weights on
            the contours of the mean squared error.
        y : array-like or str, optional
            The target of the rows, or the name of the column.

        Returns
        -------
        StepSequence
            A state for each of the first steps; the last has the weights of the fitted model.
        """
        with self._error_context("descent"):
            self._check_fitted()
            model, rows = self.model_, None
            if X is not None:
                y = self.target_name_ if y is None else y
                read = read_fit_input(X, y, None, type(self).__name__, self.task,
                                      schema=self.schema_)  # fmt: skip
                block = read.whole()
                if len(model.columns) == 1:
                    rows = complete(block)[:, 0], np.asarray(block.target, dtype=float)
            trace = self.trace_
            names = (intercept_name(model.columns), *(f"w({name})" for name in model.columns))
            rule = f"{RULES[model.scaling][0]},  c = {model.rate:g}"
            return descent_steps(
                names, self.initial_weights(), trace[:, 0], trace[:, 1:],
                fitted=model.weights, rule=rule, n_steps=model.steps, rows=rows,
            )  # fmt: skip

    def _working(self, full: bool) -> Derivation:
        return self.model_.derivation(self.schema_, full)

    def _count_training_rows(self) -> float | None:
        return float(self.model_.rows) if self.model_.rows else None

    def initial_weights(self) -> Array:
        """The weights before the first step of ``fit``.

        Returns
        -------
        ndarray of shape (p + 1,)
            w0 first.
        """
        if isinstance(self.start, str) and self.start == "random" and self.random_state is None:
            raise InputError(
                f"{type(self).__name__}.initial_weights: the initial weights were drawn without a "
                "seed, so they are not known. Fit with random_state=0."
            )
        return self._start_weights(len(self.model_.columns) + 1)

    def _make_first_weights(self, columns: tuple[str, ...]) -> Weights:
        weights = self._start_weights(len(columns) + 1)
        return Weights(columns, weights, float(self.learning_rate), self.scaling, np.empty((0, 0)))

    def _start_weights(self, size: int) -> Array:
        if not isinstance(self.start, str):
            weights = given_numbers(self.start)
            if weights.shape != (size,) or not np.isfinite(weights).all():
                raise OptionError(
                    f"start must be 'zeros', 'random' or {size} finite numbers (w0, then one for "
                    f"every column), not {self.start!r}."
                )
        elif self.start == "random":
            weights = generator(type(self).__name__, self.random_state).uniform(
                -RANDOM_START, RANDOM_START, size
            )
        else:
            weights = np.zeros(size)
        weights[0] = weights[0] if self.fit_intercept else 0.0
        return weights

    def _walk(self, model: Weights, block: Block, steps: int | None) -> Descent:
        _check_unweighed(block)
        orders = self._row_batches(len(block), _check_steps(steps or len(block)), model.steps)
        return stochastic_gradient_descent(
            model.weights, complete(block), block.target, orders,
            FACTOR[self.scaling] * float(self.learning_rate),
            intercept=bool(self.fit_intercept), absolute=self.scaling == ABSOLUTE,
            room=max(model.max_stored_steps - model.steps, 0),
        )  # fmt: skip

    def _row_batches(self, n: int, steps: int, before: int) -> Iterator[Array]:
        """The rows of the steps in their order, some at a time: Control-C is obeyed between."""
        seed = None if self.random_state is None else [self.random_state, before, 1]
        rng = np.random.default_rng(seed)
        for start in range(0, steps, KERNEL_STEPS):
            end = min(start + KERNEL_STEPS, steps)
            if self.order == "table":
                yield np.arange(start, end, dtype=np.int64) % n
            else:
                yield rng.integers(n, size=end - start)

    def _check_options(self) -> None:
        super()._check_options()
        if isinstance(self.start, str):
            self._one_of("start", ("zeros", "random"))

    def _add_tags(self, tags: Any) -> None:
        tags.input_tags.allow_nan = False
        tags.input_tags.string = False
        tags.input_tags.categorical = False
        tags.regressor_tags.poor_score = True  # with a rate that suits other columns


def _check_unweighed(block: Block) -> None:
    if block.weight is not None:
        raise InputError(
            "the table declares row weights, which LMS does not support. Declare it without "
            "weight=."
        )


def _check_steps(steps: int) -> int:
    """So many steps, if one call takes as many."""
    if steps > MAX_STEPS:
        raise SizeError(
            f"steps={short_repr(steps)} is above the limit of {MAX_STEPS:,}. Pass a smaller number."
        )
    return steps


def survey_lengths(block: Block) -> Bundle:
    """How many rows there are, and how long the columns are as vectors."""
    _check_unweighed(block)
    x, y, by = complete(block), np.ascontiguousarray(block.target), block.counting_keys()
    places = tuple(enumerate(block.schema.numbers))  # in the order of the table
    moments = Moments.of(x, by, places)
    return Bundle({"target": Moments.of(y[:, None], by, ("y",)), "numbers": moments})


def _total(call: Callable[[Any], Any], rows: SinglePart[Block]) -> Any:
    return engines.current_engine().total(call, rows)
