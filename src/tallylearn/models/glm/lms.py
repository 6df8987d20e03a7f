"""Least mean squares: every row moves the weights a little against its own error."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn.engines import SinglePart
from tallylearn.errors import InputError, OptionError, SizeError, told
from tallylearn.estimators import Incremental, Regressor, Rounds
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.option_values import check_unweighted
from tallylearn.estimators.tally_checks import within_doubles
from tallylearn.models.glm.gradient_descent import (
    BatchDescent,
    Descent,
    Gradient,
    complete,
    given_numbers,
    lengths,
    walked,
)
from tallylearn.models.glm.lms_model import BATCH, SCALINGS, Weights
from tallylearn.statistics.resampling import generator
from tallylearn.tables import NUMBER, Array, Block
from tallylearn.tallies import Bundle, Moments

FACTOR = {"error": 1.0, "twice": 2.0, "sum": 1.0, "mean": 2.0}  # of the gradient's error
SMALL = 0.01  # random weights start between -SMALL and SMALL
MOST = 1 << 32  # steps of one call
AT_ONCE = 1 << 16  # steps of one call of the kernel


class LMS(Incremental, Rounds[BatchDescent, Gradient], Regressor):
    """Linear regression by least mean squares, a row at a time: w_i += c · x_i · (y − ŷ).

    Every column holds numbers, and none is missing. The rule has no place for weights of rows.

    Parameters
    ----------
    rate : c, above 0. A step makes the error of its own row smaller where c · (1 + Σ x_i²) is below
        2 (with "twice" below 1), so columns of large numbers want a small rate.
    scaling : how the rate is meant. "error" moves by c · x_i · error and "twice" by twice as much,
        both a row at a time, in memory; "sum" takes one step with the sum over all rows, "mean"
        with twice their mean (batch gradient descent), from files larger than memory too, and with
        the same bits for any order of the rows.
    steps : how many steps ``fit`` takes; None is once through the rows, and one step for "sum" and
        "mean", with a warning. ``partial_fit`` always goes once through the rows it is given: with
        "sum" and "mean" that is one step over these rows.
    order : "table" takes the rows in turn, "random" draws them.
    start : the first weights: "zeros", "random" (small ones), or w0, w1, ..., wp.
    fit_intercept : whether there is a w0.
    random_state : seeds what is drawn; None draws anew every time.

    ``overshot_`` counts the steps that made the error larger which they were to make smaller. Where
    these leave ``fit`` with a larger error than it started with, that is an error; so are weights
    that run away.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.LMS(0.1).fit([[1], [2], [3]], [1, 2, 4])
    >>> model.intercept_, model.coef_
    (0.511, array([1.163]))
    >>> print(model.explain([[2]]))
    ŷ  0.511 + 2.326 = 2.837

    References
    ----------
    B. Widrow and M. E. Hoff, Adaptive switching circuits, IRE WESCON 1960.
    """

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER,)
    stored: ClassVar[tuple[type, ...]] = (Weights,)
    model_: Weights

    def __init__(
        self,
        rate: float = 0.01,
        *,
        scaling: str = "error",
        steps: int | None = None,
        order: str = "table",
        start: Any = "zeros",
        fit_intercept: bool = True,
        random_state: int | None = None,
    ) -> None:
        self.rate = rate
        self.scaling = scaling
        self.steps = steps
        self.order = order
        self.start = start
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, **given: Any) -> Self:  # type: ignore[override]
        """Learn from a table: ``fit(X, y)``, or ``fit(table, "target")``."""
        check_unweighted(self, given)  # no weights of rows
        return super().fit(X, y)

    def learn(self, read: FitInput) -> Self:
        """What ``fit`` does with a lesson: a row at a time, or in rounds over all of them."""
        if not self._by_batch():
            return super().learn(read)
        Rounds.learn(self, read)
        if self.steps is None:
            warnings.warn(
                f"LMS: fit took one step over all rows, as scaling={self.scaling!r} does without "
                "steps=. Give the number of steps, such as steps=1000; trace_ shows how the error "
                "falls. steps=1 asks for one.",
                stacklevel=3,
            )
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Learn from more rows, once through, in their order."""
        return super().partial_fit(X, y)

    def train(self, block: Block) -> Weights:
        """From the first weights, as many steps as asked for, a row at a time."""
        first = self._first(block.schema.numbers)
        return first.after(self._walk(first, block, self.steps).check(), len(block))

    def update(self, model: Weights | None, block: Block) -> Weights:
        """Once through the rows, from where the weights are."""
        if model is None:
            model = self._first(block.schema.numbers)
        elif model.scaling != self.scaling:
            raise OptionError(
                f"scaling was {model.scaling!r} for the rows before, and is {self.scaling!r} now. "
                "Fit again, or set it back."
            )
        model = replace(model, rate=float(self.rate))
        if not self._by_batch():
            return model.after(self._walk(model, block, None), len(block))
        with within_doubles():
            start = self._batch(model, self.survey(block), 1)
        return model.after(self.rounds(start, SinglePart([*block.cut()])).path, len(block))

    def survey(self, block: Block) -> Bundle:
        """How many rows there are, and how long the columns: rows that the rule takes."""
        _check_unweighed(block)
        x, y, by = complete(block), np.ascontiguousarray(block.target), block.keyed()
        places = tuple(enumerate(block.schema.numbers))  # in the order of the table
        moments = Moments.of(x, by, places)
        return Bundle({"target": Moments.of(y[:, None], by, ("y",)), "numbers": moments})

    def begin(self, survey: Bundle) -> BatchDescent:
        """The first weights."""
        columns = tuple(name for _, name in survey["numbers"].columns)
        return self._batch(self._first(columns), survey, self.steps or 1)

    def tally(self, block: Block, state: BatchDescent) -> Gradient:
        return state.tally(block.numbers, block.target)

    def step(self, state: BatchDescent, tally: Gradient) -> BatchDescent:
        return state.after(tally)

    def solve(self, state: BatchDescent) -> Weights:
        return self._first(state.columns).after(state.path.check(), state.rows)

    def limit(self, state: BatchDescent) -> int:
        """A round for every step, and one to see what the last one came to."""
        return state.wanted + 1

    def _by_batch(self) -> bool:
        return isinstance(self.scaling, str) and self.scaling in BATCH

    def _batch(self, model: Weights, survey: Bundle, steps: int) -> BatchDescent:
        rows = int(survey["target"].weight)
        y, x = (lengths(survey[part].squares) for part in ("target", "numbers"))
        norms = np.concatenate([y, [np.sqrt(rows)], x])
        rate = FACTOR[self.scaling] * float(self.rate) / (rows if self.scaling == "mean" else 1)
        return BatchDescent.begun(
            model.weights, norms, columns=model.columns, rows=rows, rate=rate, wanted=steps,
            intercept=bool(self.fit_intercept), room=max(model.kept - model.steps, 0),
        )  # fmt: skip

    @property
    def coef_(self) -> Array:
        """(p,) the weights, in the table's order."""
        self._check_fitted()
        return np.asarray(self.model_.weights[1:])

    @property
    def intercept_(self) -> float:
        """w0."""
        self._check_fitted()
        return float(self.model_.weights[0])

    @property
    def n_steps_(self) -> int:
        """How many steps were taken."""
        self._check_fitted()
        return int(self.model_.steps)

    @property
    def overshot_(self) -> int:
        """How many of them made the error larger."""
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

    def _counted_rows(self) -> float | None:
        return float(self.model_.rows) if self.model_.rows else None

    def _first(self, columns: tuple[str, ...]) -> Weights:
        weights = self._started(len(columns) + 1)
        return Weights(columns, weights, float(self.rate), self.scaling, np.empty((0, 0)))

    def _started(self, size: int) -> Array:
        if not isinstance(self.start, str):
            weights = given_numbers(self.start)
            if weights.shape != (size,) or not np.isfinite(weights).all():
                raise OptionError(
                    f"start should be 'zeros', 'random' or {size} finite numbers, w0 and one for "
                    f"every column. It is {self.start!r}."
                )
        elif self.start == "random":
            weights = generator(type(self).__name__, self.random_state).uniform(-SMALL, SMALL, size)
        else:
            weights = np.zeros(size)
        weights[0] = weights[0] if self.fit_intercept else 0.0
        return weights

    def _walk(self, model: Weights, block: Block, steps: int | None) -> Descent:
        _check_unweighed(block)
        orders = self._picked(len(block), _checked(steps or len(block)), model.steps)
        return walked(
            model.weights, complete(block), block.target, orders,
            FACTOR[self.scaling] * float(self.rate),
            intercept=bool(self.fit_intercept), room=max(model.kept - model.steps, 0),
        )  # fmt: skip

    def _picked(self, n: int, steps: int, before: int) -> Iterator[Array]:
        """The rows of the steps in their order, some at a time: Control-C is obeyed between."""
        seed = None if self.random_state is None else [self.random_state, before, 1]
        rng = np.random.default_rng(seed)
        for start in range(0, steps, AT_ONCE):
            end = min(start + AT_ONCE, steps)
            if self.order == "table":
                yield np.arange(start, end, dtype=np.int64) % n
            else:
                yield rng.integers(n, size=end - start)

    def _check_options(self) -> None:
        self._in_range("rate", 0.0, open_low=True)
        self._one_of("scaling", SCALINGS)
        self._one_of("order", ("table", "random"))
        self._check_truth("fit_intercept")
        if isinstance(self.start, str):
            self._one_of("start", ("zeros", "random"))
        for name, low in (("steps", 1), ("random_state", 0)):
            value = getattr(self, name)
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if value is not None and not (whole and value >= low):
                raise OptionError(
                    f"The {name!r} parameter of LMS must be None or an int of {low} or more. "
                    f"Got {told(value)} instead."
                )

    def _add_tags(self, tags: Any) -> None:
        tags.input_tags.allow_nan = False
        tags.input_tags.string = False
        tags.input_tags.categorical = False
        tags.regressor_tags.poor_score = True  # with a rate that suits other columns


def _check_unweighed(block: Block) -> None:
    if block.weight is not None:
        raise InputError("the table declares weights of rows, which the rule has no place for.")


def _checked(steps: int) -> int:
    """So many steps, if one call takes as many."""
    if steps > MOST:
        raise SizeError(f"steps is {told(steps)}, and at most {MOST:,} are taken in one call.")
    return steps
