"""Moments of others: mean and variance of a class without one of its rows, for every row in turn.

With d = x - mean, the others have the mean M - d / (n - 1) and the variance
(V - d^2 / (n - 1)) n / (n - 1). A hundred bits of them say which double is nearest; where they do
not, the exact sums do, less the row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tallylearn.tables import Array
from tallylearn.tallies.double_doubles import DoubleDouble
from tallylearn.tallies.exact import Exact
from tallylearn.tallies.moments import Moments
from tallylearn.tallies.rounding import QUOTIENT_ERROR, double_double

FAR = 2.0**400  # beyond, and below its inverse, products may leave the range of doubles
LOOSE = 16 * QUOTIENT_ERROR  # a step adds less than an eighth of DOUBT, and there are ten of them


@dataclass(frozen=True)
class LeaveOneOutMoments:
    """The moments of all rows, ready to be less by any one of them.

    >>> from tallylearn.tables import Codes
    >>> x = np.array([[1.0], [3.0], [8.0]])
    >>> whole = Moments.of(x, Codes.of(["a", "a", "a"]), ("x",))
    >>> LeaveOneOutMoments.of(whole).leave_out(x, np.array([0, 0, 0]))[0]
    array([[5.5],
           [4.5],
           [2. ]])
    """

    whole: Moments  # (k, p), of rows that count once each
    count: Array  # (k, p)
    centre: DoubleDouble  # (k, p) the mean
    spread: DoubleDouble  # (k, p) the variance

    @classmethod
    def of(cls, whole: Moments) -> LeaveOneOutMoments:
        centre = double_double(whole.sums, whole.count)
        spread = double_double(whole.variance_numerator(), whole.count * whole.count)
        return cls(whole, whole.count.floats(), centre, spread)

    @cached_property
    def mean(self) -> Array:
        """(k, p) of all rows."""
        return self.whole.mean

    @cached_property
    def variance(self) -> Array:
        """(k, p) of all rows."""
        return self.whole.variance

    def select_columns(self, columns: Array) -> LeaveOneOutMoments:
        """Some of the columns."""
        count, at = self.count[:, columns], (slice(None), columns)
        return LeaveOneOutMoments(
            self.whole.select_columns(columns), count, self.centre[at], self.spread[at]
        )

    def leave_out(self, x: Array, own: Array) -> tuple[Array, Array]:
        """Mean and variance (n, p) of every row's class without it, rounded once.

        NaN is missing, and takes nothing away; both are 0 where nothing is left.
        """
        with np.errstate(all="ignore"):
            mean, variance, doubt = self._approximate(x, own)
        here = ~np.isnan(x)
        if not here.all():
            doubt &= here
            mean = np.where(here, mean, self.mean[own])
            variance = np.where(here, variance, self.variance[own])
        if doubt.any():
            at = np.nonzero(doubt)
            mean[at], variance[at] = self._compute_exactly(x[at], own[at[0]], at[1])
        return mean, variance

    def _approximate(self, x: Array, own: Array) -> tuple[Array, Array, Array]:
        """The same by a hundred bits, and where they do not say which double is nearest."""
        centre, spread, left = self.centre[own], self.spread[own], self.count[own] - 1
        away = DoubleDouble.of(x, -centre.high) + DoubleDouble(np.zeros_like(x), -centre.low)
        step = away.divide(left)
        less = away * step
        rest = spread + -less
        mean, variance = centre + -step, rest + rest.divide(left)
        far, size = np.abs(away.high), np.abs(centre.high)
        blur = LOOSE * (size + np.abs(step.high))
        vague = 2 * LOOSE * (spread.high + less.high + np.abs(step.high) * size)
        doubt = mean.doubtful(blur) | variance.doubtful(vague) | (left < 1)
        doubt |= _extreme(far) | _extreme(size) | _extreme(np.sqrt(spread.high))
        return mean.high, variance.high, doubt

    def _compute_exactly(self, x: Array, own: Array, column: Array) -> tuple[Array, Array]:
        """The same of single numbers (m,), by the exact sums."""
        rows, whole = Moments.of_rows(np.ascontiguousarray(x[:, None]), ("x",)), self.whole
        pairs = (
            (whole.count, rows.count),
            (whole.sums, rows.sums),
            (whole.squares, rows.squares),
        )
        parts = (
            Exact(mine.limbs[own, column][:, None, None], mine.low) - row for mine, row in pairs
        )
        rest = Moments(("all",), ("x",), *parts)
        return rest.mean[:, 0, 0], rest.variance[:, 0, 0]


def _extreme(size: Array) -> Array:
    return np.asarray(((size > FAR) | (size < 1 / FAR)) & (size != 0) | np.isnan(size))
