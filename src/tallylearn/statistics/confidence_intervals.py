"""Intervals: how far what was measured may lie from what is true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, hypot, inf, isfinite, ldexp, sqrt
from numbers import Real
from typing import Any

import numpy as np

from tallylearn.errors import InputError, OptionError, short_repr
from tallylearn.tables import Array

LEVELS = (0.50, 0.68, 0.80, 0.90, 0.95, 0.98, 0.99)  # of the notes' table


@dataclass(frozen=True)
class Interval:
    """Two ends that hold the truth between them, in a share ``level`` of all samples.

    >>> print(f"accuracy 0.8 {wilson(8, 10)}, {wilson(8, 10).method}; {wilson(8, 10):.0%}")
    accuracy 0.8 [0.490, 0.943], Wilson; [49%, 94%]
    """

    low: float
    high: float
    level: float
    method: str
    about: str  # what is estimated

    def __iter__(self) -> Iterator[float]:
        yield from (self.low, self.high)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return format(self)

    def clip(self, least: float, most: float) -> Interval:
        """The same, cut where no value can lie."""
        low, high = max(self.low, least), min(self.high, most)
        return replace(self, low=low, high=high)

    def __format__(self, spec: str) -> str:
        return "[" + ", ".join(format(end, spec or ".3f") for end in self) + "]"


SHARE = "the share of successes among all rows like the counted ones"


def z_value(level: float) -> float:
    """How many standard deviations to both sides hold this share of a normal distribution.

    >>> print(f"{z_value(0.95):.2f}")
    1.96
    """
    check_level("z_value", level)
    from scipy.special import ndtri

    return -float(ndtri((1 - level) / 2))


def z_table(levels: Iterable[float] = LEVELS) -> dict[float, float]:
    """The z of every level.

    >>> print({level: round(z, 2) for level, z in z_table().items()})
    {0.5: 0.67, 0.68: 0.99, 0.8: 1.28, 0.9: 1.64, 0.95: 1.96, 0.98: 2.33, 0.99: 2.58}
    """
    return {level: z_value(level) for level in levels}


def z_interval(error: float, n: float, level: float = 0.95) -> Interval:
    """The textbook's interval of a share: error ± z sqrt(error (1 - error) / n).

    It estimates the true error from the error on n rows that were not learned from, as in
    T. Mitchell, Machine Learning, 1997, equation 5.1. It is here to be compared: it may leave
    [0, 1], is a point where the error is 0 or 1, and covers less than its level on few rows.
    Prefer `wilson`.

    >>> print(z_interval(0.3, 40))
    [0.158, 0.442]
    """
    _check_size("z_interval", n)
    if not (isinstance(error, Real) and 0 <= error <= 1):
        raise OptionError(f"z_interval: error is {short_repr(error)}. Give a share from 0 to 1.")
    check_level("z_interval", level)
    half = z_value(level) * sqrt(error * (1 - error) / n)
    return Interval(error - half, error + half, level, "normal", "the true error")


def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """The shares p that a score test does not reject: |successes/n - p| <= z sqrt(p (1 - p) / n).

    Solved for p (E. B. Wilson, Journal of the American Statistical Association 22, 1927, p. 209):
    (s + z²/2 ± z sqrt(s (n - s) / n + z²/4)) / (n + z²). It estimates the share of successes among
    all rows like the counted ones, and covers its level on average over the shares from 0.1 to 0.9;
    below 1/n, and above 1 - 1/n, take `clopper_pearson`.

    >>> low, high = wilson(8, 10)
    >>> print(f"{low:.3f} to {high:.3f}")
    0.490 to 0.943
    """
    _check_counts("wilson", successes, n, level)
    return Interval(*_wilson(successes, n, z_value(level)), level, "Wilson", SHARE)


def _wilson(successes: float, n: float, z: float) -> tuple[float, float]:
    middle, whole = successes + z * z / 2, n + z * z
    half = z * sqrt(successes * (n - successes) / n + z * z / 4)
    low = 0.0 if successes == 0 else (middle - half) / whole  # rounding would leave 1e-18
    high = 1.0 if successes == n else (middle + half) / whole
    return low, high


def within_bounds(
    value: float, error: float, free: float, bounds: tuple[float, float], level: float,
    method: str, about: str,
) -> Interval:  # fmt: skip
    """The interval of a value that has bounds, from its standard error: it stays inside.

    Between two bounds it is Wilson's, of as many rows as make a share so sure, p (1 - p) / error²;
    from one bound on it is a multiple of the distance to that. Without bounds it is Student's.

    >>> print(within_bounds(0.1, 0.08, 30, (0, inf), 0.95, "", ""))
    [0.020, 0.512]
    """
    least, most = bounds
    t = t_value(level, free)
    if isfinite(most - least):
        width, rows = most - least, (value - least) * (most - value) / error**2
        ends = _wilson((value - least) / width * rows, rows, t)
        low, high = (least + width * end for end in ends)
    elif not isfinite(least) and not isfinite(most):
        low, high = value - t * error, value + t * error
    else:
        end = most if isfinite(most) else least
        times = exp(min(t * error / abs(value - end), 700.0))
        low, high = sorted((end + (value - end) * times, end + (value - end) / times))
    return Interval(low, high, level, method, about)


def t_value(level: float, free: float) -> float:
    """How many standard errors to both sides hold this share of Student's t.

    >>> print(f"{t_value(0.95, 9):.2f}")
    2.26
    """
    from scipy.special import stdtrit

    return z_value(level) if free == inf else -float(stdtrit(free, (1 - level) / 2))


def clopper_pearson(successes: float, n: float, level: float = 0.95) -> Interval:
    """The shares p that neither tail of the binomial distribution rejects: it never covers less.

    It estimates what `wilson` does, and is wider: for every true share it covers its level or more.
    C. J. Clopper and E. S. Pearson, Biometrika 26, 1934.

    >>> print(clopper_pearson(8, 10))
    [0.444, 0.975]
    """
    _check_counts("clopper_pearson", successes, n, level)
    from scipy.special import betaincinv

    tail, failures = (1 - level) / 2, n - successes
    low = betaincinv(successes, failures + 1, tail) if successes else 0.0
    high = 1 - betaincinv(failures, successes + 1, tail) if failures else 1.0
    return Interval(float(low), float(high), level, "Clopper-Pearson", SHARE)


def mid_p(successes: int, n: int, level: float = 0.95) -> Interval:
    """The shares p that mid-p does not reject: half of the chance of what was seen, in both tails.

    It is the test of `significance.mcnemar` turned round: 1/2 is outside where that rejects. It
    covers its level on average, where `clopper_pearson` always does. H. O. Lancaster, Journal of
    the American Statistical Association 56, 1961.

    >>> print(mid_p(8, 10))
    [0.480, 0.965]
    """
    _check_counts("mid_p", successes, n, level)
    low = 1 - _mid_p_end(n - successes, n, (1 - level) / 2)
    return Interval(low, _mid_p_end(successes, n, (1 - level) / 2), level, "mid-p", SHARE)


def _mid_p_end(successes: int, n: int, tail: float) -> float:
    """The share under which so few successes, half of that number's own chance, are this rare."""
    if successes == n:
        return 1.0
    from scipy.special import betainc

    low, high = successes / n, 1.0
    while low < (middle := (low + high) / 2) < high:
        below = betainc(n - successes + 1, successes, 1 - middle) if successes else 0.0
        chance = (betainc(n - successes, successes + 1, 1 - middle) + below) / 2
        low, high = (low, middle) if chance < tail else (middle, high)
    return high


def mean_interval(values: Any, level: float = 0.95) -> Interval:
    """The t interval: mean ± t s / sqrt(n), with n - 1 degrees of freedom.

    It estimates the mean of all values like these, drawn independently. Scores of folds are not
    independent, since their training parts overlap: `corrected_t` is for them. Student, Biometrika
    6, 1908.

    >>> print(mean_interval([4.1, 3.7, 4.4, 3.9]))
    [3.550, 4.500]
    """
    values = check_values("mean_interval", values, 2)
    check_level("mean_interval", level)
    error = values.std(ddof=1) / sqrt(len(values))
    return t_interval(values.mean(), error, free=len(values) - 1, level=level, method="t",
                      about="the mean of all values like these")  # fmt: skip


def corrected_t(values: Any, test_share: float, level: float = 0.95) -> Interval:
    """The t interval of a mean over folds, wider for the rows that the training parts share.

    It estimates the mean score of models learned from as many rows as a training part holds.
    ``values`` has the score of every fold (of every repeat), ``test_share`` is the part of the rows
    that a fold tests: 0.1 in tenfold cross-validation. The variance of the mean is taken as
    s² (1/J + test/training) over J values; the ends are not cut at 0 and 1. C. Nadeau and
    Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003.

    >>> print(corrected_t([0.91, 0.88, 0.93, 0.90, 0.94], test_share=0.2))
    [0.868, 0.956]
    """
    values = check_values("corrected_t", values, 2)
    check_level("corrected_t", level)
    error = corrected_error("corrected_t", values, test_share)
    return t_interval(
        values.mean(),
        error,
        free=len(values) - 1,
        level=level,
        method="corrected resampled t",
        about="the mean score of models learned from training parts",
    )


def corrected_error(who: str, values: Array, test_share: float) -> float:
    """The standard error of a mean over folds."""
    if not (isinstance(test_share, Real) and 0 < test_share < 1):
        raise OptionError(
            f"{who}: test_share is {short_repr(test_share)}. Give the share of the "
            "rows in a test fold, between 0 and 1: 0.1 for ten folds."
        )
    size = int(np.frexp(np.abs(values).max())[1])  # squares of 1e200 would be infinite
    spread = ldexp(float(np.ldexp(values, -size).std(ddof=1)), size)
    return spread * sqrt(1 / len(values) + test_share / (1 - test_share))


def t_interval(
    mean: float, error: float, free: float, level: float, method: str, about: str
) -> Interval:
    """Mean ± t standard errors."""
    half = t_value(level, free) * error
    return Interval(float(mean - half), float(mean + half), level, method, about)


def difference_of(values: Sequence[float], ends: Sequence[Interval], about: str) -> Interval:
    """The interval of a difference of two independent values, from those of either.

    Below it reaches as far as the first may lie lower and the second higher, squared and added
    (R. G. Newcombe, Statistics in Medicine 17, 1998, p. 873, method 10).

    >>> print(f"{difference_of((56 / 70, 48 / 80), (wilson(56, 70), wilson(48, 80)), ''):.4f}")
    [0.0524, 0.3339]
    """
    (x, y), (first, second) = values, ends
    low = x - y - hypot(x - first.low, second.high - y)
    high = x - y + hypot(first.high - x, y - second.low)
    return Interval(low, high, first.level, "square and add", about)


def check_values(who: str, values: Any, least: int, what: str = "values") -> Array:
    """The values as (n,) floats, all finite, and enough of them."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{who}: {what} is {values!r:.60}. Give a list of numbers.") from None
    if array.ndim != 1 or len(array) < least:
        raise InputError(
            f"{who}: {what} has the shape {array.shape}. Give a list of {least} or more numbers."
        )
    if len(bad := np.flatnonzero(~np.isfinite(array))):
        raise InputError(
            f"{who}: {what}[{bad[0]}] is {array[bad[0]]}. Leave it out, or replace "
            "it with a finite number."
        )
    return array


def check_level(who: str, level: float) -> None:
    """A level is a share of samples."""
    if not (isinstance(level, Real) and 0 < level < 1):
        raise OptionError(
            f"{who}: level is {short_repr(level)}. Give a number between 0 and 1, such as 0.95."
        )


def check_count(who: str, name: str, value: float, least: int) -> None:
    """A count is a whole number."""
    if not (isinstance(value, Real) and least <= value < 2**53 and value % 1 == 0):
        raise OptionError(
            f"{who}: {name} is {short_repr(value)}. Give a whole number, {least} or more."
        )


def _check_counts(who: str, successes: float, n: float, level: float) -> None:
    _check_size(who, n)
    if not (isinstance(successes, Real) and 0 <= successes <= n):
        raise OptionError(f"{who}: successes is {successes!r}. Give a number from 0 to n = {n!r}.")
    check_level(who, level)


def _check_size(who: str, n: float) -> None:
    if not (isinstance(n, Real) and 0 < n < inf):
        raise OptionError(f"{who}: n is {short_repr(n)}. Give a number of rows above 0.")
