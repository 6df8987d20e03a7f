"""Gradient descent on squared errors: stochastic, a row at a time, or batch, over all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ldexp
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import ColumnError, InputError, OptionError, short_repr
from tallylearn.kernels import sgd
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import UNKNOWN, Array, Block, row_number
from tallylearn.tallies import Exact

# An error this many times the largest one at the start counts as divergence.
DIVERGENCE_FACTOR = 1e6
# Larger errors have no square as a double: sqrt(1.8e308) is 1.3e154, and squares are summed.
MAX_ERROR = 1e150
# Remedies of the errors of gradient descent and the perceptron.
SMALLER_STEPS = (
    "Use a smaller learning_rate, or put tl.StandardScaler() before this estimator in a "
    "tl.Pipeline."
)
SMALLER_NUMBERS = (
    "Divide the numbers by a constant, or put tl.StandardScaler() before this estimator in a "
    "tl.Pipeline."
)
# Relative to the length of the error vector: a smaller rise is rounding, not overshooting.
RISE_TOLERANCE = 1e-12
# Relative to target and prediction, whose difference an error is: 16 roundings of 2^-52.
ERROR_ROUNDING = 2.0**-48


@dataclass(frozen=True)
class Descent:
    """The weights where gradient descent ended, and how it got there."""

    weights: Array  # (p + 1,), w0 first
    steps: int
    overshot: int  # steps that increased the error
    trace: Array  # the first steps
    before: float  # mean squared error over the rows
    after: float
    converged: bool = False

    def check(self) -> Descent:
        """An error where the steps led uphill because they were too long."""
        if self.overshot and not self.after <= self.before:
            raise InputError(
                f"gradient descent diverged: {self.overshot} of {self.steps} steps increased the "
                f"error, and the mean squared error rose from {self.before:.4g} to "
                f"{self.after:.4g}. {SMALLER_STEPS}"
            )
        return self


def stochastic_gradient_descent(
    weights: Array,
    x: Array,
    y: Array,
    orders: Iterable[Array],
    rate: float,
    *,
    intercept: bool,
    absolute: bool = False,
    room: int,
) -> Descent:
    """A step for every row of ``orders`` in turn: w += rate · error · (1, x).

    With ``absolute`` it is w += rate · sign(error) · (1, x), which descends the absolute error.
    The trace holds y, the prediction, x and the weights after, for the first ``room`` steps.
    """
    weights, found = weights.copy(), np.zeros(2, dtype=np.int64)
    errors = _errors(weights, x, y)
    most = DIVERGENCE_FACTOR * float(np.abs(errors).max())
    bounds = np.array([float(intercept), most, float(absolute)])
    y = np.ascontiguousarray(y, dtype=np.float64)
    steps, overshot, traces = 0, 0, [np.empty((0, 3 + 2 * x.shape[1]))]
    for rows in orders:
        check_halted()
        trace = np.empty((min(max(room - steps, 0), len(rows)), 3 + 2 * x.shape[1]))
        sgd.walk(x, y, rows, rate, bounds, weights, trace, found)
        if found[1] >= 0:
            raise _divergence_error(rate, steps + int(found[1]))
        steps, overshot = steps + len(rows), overshot + int(found[0])
        traces.append(trace)
    if not np.isfinite(weights).all():
        raise _divergence_error(rate, steps)
    with np.errstate(over="ignore"):
        before, after = (float(np.mean(e**2)) for e in (errors, y - predict(weights, x)))
    trace = np.concatenate(traces)
    return Descent(weights, steps, overshot, trace, before=before, after=after)


@dataclass(frozen=True)
class Gradient:
    """The sums of error · (1, x) and of error² over rows: the same bits in any order.

    Numbers are summed in whole steps of a grid, and what is left of each on a finer one. What is
    left of that is dropped: of n rows at most n² · 2^-96 of the largest sum that there can be,
    which for any table is less than sums of doubles lose.
    """

    sums: Array  # (2, p + 2), of which the last is the squared errors'

    @classmethod
    def of(cls, x: Array, errors: Array, grids: Array) -> Gradient:
        out = np.empty_like(grids)
        sgd.slope(x, errors, grids, out)
        return cls(out)

    def __add__(self, other: Gradient) -> Gradient:
        return Gradient(self.sums + other.sums)

    @property
    def slope(self) -> Array:  # (p + 1,)
        return np.asarray(self.sums[0, :-1] + self.sums[1, :-1])

    @property
    def squares(self) -> float:
        return float(self.sums[0, -1] + self.sums[1, -1])


@dataclass(frozen=True)
class GradientAt:
    """The call that sums error · (1, x) and error² over rows, at some weights."""

    weights: Array  # (p + 1,)
    grids: Array  # (2, p + 2)

    def __call__(self, block: Block) -> Gradient:
        errors = block.target - predict(self.weights, block.numbers)
        return Gradient.of(block.numbers, errors, self.grids)


def batch_gradient_descent(
    total: Callable[[GradientAt], Gradient], start: Array, norms: Array, *, rows: int, rate: float,
    steps: int, intercept: bool, room: int, tol: float | None = None,
) -> Descent:  # fmt: skip
    """Steps that look at all rows: w += rate · Σ error · (1, x).

    Parameters
    ----------
    total : sums a call over the blocks of all rows.
    start : (p + 1,) the first weights, w0 first.
    norms : (p + 2,) bounds of the lengths of y, 1, x1, ..., xp over the rows.
    rate : of the sum over the rows.
    room : steps that the trace has, each with the mean squared error before and the weights after.
    tol : converged where no part of Σ error · (1, x) is larger, or only by rounding; None takes all
        steps.
    """
    converged = False
    weights, reach = start, _error_bound(start, norms)
    if not reach < MAX_ERROR:
        raise _too_large()
    first, last, overshot, trace = np.inf, np.inf, 0, [np.empty((0, len(norms)))]
    for step in range(steps + 1):  # one pass more, to see what the last step came to
        with engines.report_stage(f"round {step + 1} of {steps + 1}"):
            sums = total(GradientAt(weights, _grids(reach, norms, rows)))
        loss = sums.squares / rows
        if step == 0:
            first = loss
        elif not loss <= first * DIVERGENCE_FACTOR**2:
            raise _divergence_error(rate, step)
        if step:  # errors are longer than before, beyond what rounding makes of them
            now, before = np.sqrt([loss * rows, last * rows])
            overshot += int(now > before * (1 + RISE_TOLERANCE) + ERROR_ROUNDING * reach)
        last, slope = loss, sums.slope
        slope[0] *= intercept
        if tol is not None:
            converged = bool((np.abs(slope) <= tol + ERROR_ROUNDING * reach * norms[1:]).all())
        if converged or step == steps:
            steps = step
            break
        with np.errstate(over="ignore", invalid="ignore"):
            weights = weights + rate * slope
        if step < room:
            trace.append(np.array([[loss, *weights]]))
        reach = _error_bound(weights, norms)
        if not reach < MAX_ERROR:
            raise _divergence_error(rate, step + 1)
    return Descent(
        weights=weights,
        steps=steps,
        overshot=overshot,
        trace=np.concatenate(trace),
        before=first,
        after=last,
        converged=converged,
    )


def _error_bound(weights: Array, norms: Array) -> float:
    """The errors, as a vector over the rows, are no longer than this (the triangle inequality)."""
    lengths = np.concatenate([norms[:1], np.abs(weights)])
    return float(predict(lengths, norms[None, 1:])[0])


def _grids(reach: float, norms: Array, rows: int) -> Array:  # (2, p + 2)
    """No sum of the products can be larger than that of the lengths (Cauchy and Schwarz)."""
    coarse = _grid(reach * np.array([*norms[1:], reach]))
    steps = coarse / (3 << 51)
    return np.array([coarse, _grid(steps * rows)])


def lengths(squares: Exact) -> Array:
    """Powers of two that are no less than the roots of sums of squares (1, p), however small."""
    numbers, power = squares.to_integers()
    return np.array(
        [ldexp(1.0, (n.bit_length() + power + 1) // 2 if n else -1075) for n in numbers[0]]
    )


def _grid(most: Array) -> Array:
    """1.5 * 2^52 steps, so wide that sums of numbers in whole steps, up to ``most``, are exact."""
    return np.asarray(np.ldexp(6.0, np.frexp(most)[1]))


def predict(weights: Array, x: Array) -> Array:
    """w0 + w1 x1 + ... + wp xp of every row (n, p)."""
    out = np.empty(len(x))
    sgd.answer(x, np.ascontiguousarray(weights, dtype=np.float64), out)
    return out


def complete(block: Block) -> Array:
    """The numbers of a block, every one of them there."""
    if empty := block.schema.of_kind(UNKNOWN):
        raise ColumnError(
            f"column {empty[0].name!r} has only missing values. Leave it out with tl.table(..., "
            f"ignore=[{empty[0].name!r}]). Input X contains NaN."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        total = block.numbers.sum()  # finite in one pass where all numbers are, most of the time
    if not np.isfinite(total) and not np.isfinite(block.numbers).all():
        row, at = (int(i) for i in np.argwhere(~np.isfinite(block.numbers))[0])
        value = block.numbers[row, at]
        what = "is missing" if np.isnan(value) else f"is {value}"
        raise ColumnError(
            f"column {block.schema.numbers[at]!r} {what} in row {row_number(block.start, row)}, "
            "and gradient descent needs finite numbers. Correct it, or drop the row or the column. "
            "Input X contains NaN or infinity."
        )
    return np.asarray(block.numbers)


def given_numbers(given: Any) -> Array:
    """Weights that an option gives, as doubles; none where they are no numbers."""
    try:
        return np.array(given, dtype=np.float64)
    except Exception:  # whatever an object raises that is no number
        return np.empty(0)


def initial_coefficients(
    learner: Any, n_vectors: int, n_columns: int, *, intercept: bool, each: str
) -> Array:
    """(n_vectors, 1 + n_columns) the first intercepts and coefficients of an iterative solver.

    They come from the options ``coef_init`` and ``intercept_init``; what is not given is 0. Rows of
    ``coef_init`` that have one more number than columns start with the intercept. ``each`` tells
    the message what the rows are, where there are several.
    """
    each = f" {each}" if n_vectors > 1 else ""
    first = np.zeros((n_vectors, 1 + n_columns))
    if learner.coef_init is not None:
        given = given_numbers(learner.coef_init)
        given = given[None, :] if given.ndim == 1 and n_vectors == 1 else given
        whole = intercept and learner.intercept_init is None
        shapes = [(n_vectors, n_columns), (n_vectors, n_columns + 1)][: 1 + whole]
        if given.shape not in shapes or not np.isfinite(given).all():
            also = f", or {n_columns + 1} with the intercept first" if whole else ""
            raise OptionError(
                f"coef_init should be {n_columns} finite numbers{each}, one for every column"
                f"{also}. It is {short_repr(learner.coef_init)}."
            )
        first[:, 1 + n_columns - given.shape[1] :] = given
    if learner.intercept_init is not None:
        given = np.atleast_1d(given_numbers(learner.intercept_init))
        if not intercept or given.shape != (n_vectors,) or not np.isfinite(given).all():
            raise OptionError(
                f"intercept_init should be a finite number{each}, and goes with "
                f"fit_intercept=True. It is {short_repr(learner.intercept_init)}."
            )
        first[:, 0] = given
    return first


def _errors(weights: Array, x: Array, y: Array) -> Array:
    """The errors at the start."""
    with np.errstate(over="ignore", invalid="ignore"):
        errors = y - predict(weights, x)
    if not np.abs(errors).max() < MAX_ERROR:
        raise _too_large()
    return np.asarray(errors)


def _too_large() -> InputError:
    return InputError(f"the squared errors overflow a double. {SMALLER_NUMBERS}")


def _divergence_error(rate: float, step: int) -> InputError:
    return InputError(
        f"gradient descent diverged with learning_rate={rate:g}: after {step} steps the error has "
        f"grown by a factor of a million. {SMALLER_STEPS}"
    )
