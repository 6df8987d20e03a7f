"""Descents: weights that follow their errors downhill, a row at a time or all rows at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.errors import ColumnError, InputError
from tallylearn.kernels import descending
from tallylearn.tables import UNKNOWN, Array, Block

BELIEVED = 1e6  # an error this many times the largest one at the start is no learning


@dataclass(frozen=True)
class Descent:
    """Where the weights came to stand, and how."""

    weights: Array  # (p + 1,), w0 first
    steps: int
    overshot: int  # steps that made the error larger which they were to make smaller
    trace: Array  # the first steps
    before: float  # mean squared error over the rows
    after: float

    def check(self) -> Descent:
        """An error where the steps led uphill because they were too long."""
        if self.overshot and not self.after <= self.before:
            raise InputError(
                f"{self.overshot} of {self.steps} steps made the error larger which they were to "
                f"make smaller, and the mean squared error grew from {self.before:.4g} to "
                f"{self.after:.4g}. Take a smaller rate, or scale the columns."
            )
        return self


def walked(
    weights: Array, x: Array, y: Array, rows: Array, rate: float, *, intercept: bool, room: int
) -> Descent:
    """A step for every row in turn: w += rate · error · (1, x).

    The trace holds y, the prediction, x and the weights after, for the first ``room`` steps.
    """
    weights, found = weights.copy(), np.zeros(2, dtype=np.int64)
    errors = _errors(weights, x, y)
    most = BELIEVED * float(np.abs(errors).max())
    trace = np.empty((min(room, len(rows)), 3 + 2 * x.shape[1]))
    bounds = np.array([float(intercept), most])
    y = np.ascontiguousarray(y, dtype=np.float64)
    descending.walk(x, y, rows, rate, bounds, weights, trace, found)
    if found[1] >= 0 or not np.isfinite(weights).all():
        raise _diverged(rate, int(found[1]) if found[1] >= 0 else len(rows))
    with np.errstate(over="ignore"):
        losses = [float(np.mean(e**2)) for e in (errors, y - answered(weights, x))]
    return Descent(weights, len(rows), int(found[0]), trace, *losses)


def descended(
    weights: Array, x: Array, y: Array, steps: int, rate: float, *, intercept: bool, room: int
) -> Descent:
    """Steps that look at all rows: w += rate · Σ error · (1, x).

    The trace holds the mean squared error before and the weights after a step.
    """
    losses, trace = np.empty(steps + 1), np.empty((min(room, steps), 2 + x.shape[1]))
    error, slope = _errors(weights, x, y), np.empty(len(weights))
    with np.errstate(over="ignore", invalid="ignore"):
        losses[0] = np.mean(error**2)
        for t in range(steps):
            descending.slope(x, error, slope)
            slope[0] *= intercept
            weights = weights + rate * slope
            error = y - answered(weights, x)
            losses[t + 1] = np.mean(error**2)
            if not losses[t + 1] <= losses[0] * BELIEVED**2:
                raise _diverged(rate, t + 1)
            if t < len(trace):
                trace[t] = losses[t], *weights
    overshot = int((np.diff(losses) > 0).sum())
    return Descent(weights, steps, overshot, trace, float(losses[0]), float(losses[-1]))


def answered(weights: Array, x: Array) -> Array:
    """w0 + w1 x1 + ... + wp xp of every row (n, p)."""
    out = np.empty(len(x))
    descending.answer(x, np.ascontiguousarray(weights, dtype=np.float64), out)
    return out


def complete(block: Block) -> Array:
    """The numbers of a block, every one of them there."""
    if empty := block.schema.of_kind(UNKNOWN):
        raise ColumnError(
            f"column {empty[0].name!r} has no values at all. Leave it out. Input X contains NaN."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        total = block.numbers.sum()  # finite in one pass where all numbers are, most of the time
    if not np.isfinite(total) and not np.isfinite(block.numbers).all():
        row, at = (int(i) for i in np.argwhere(~np.isfinite(block.numbers))[0])
        value = block.numbers[row, at]
        what = "is missing" if np.isnan(value) else f"is {value}"
        raise ColumnError(
            f"column {block.schema.numbers[at]!r} {what} in row {block.start + row}, and the "
            "rule needs every number. Fill it in, or drop the row or the column. Input X contains "
            "NaN or infinity."
        )
    return np.asarray(block.numbers)


def _errors(weights: Array, x: Array, y: Array) -> Array:
    """The errors at the start."""
    with np.errstate(over="ignore", invalid="ignore"):
        errors = y - answered(weights, x)
    if not np.abs(errors).max() < 1e150:  # their squares are to be summed
        raise InputError("numbers are so large that their squares are beyond a double. Rescale.")
    return np.asarray(errors)


def _diverged(rate: float, step: int) -> InputError:
    return InputError(
        f"the weights run away: after {step} steps of {rate:g} times the error, the error has "
        "grown a million times. Take a smaller rate, or scale the columns."
    )
