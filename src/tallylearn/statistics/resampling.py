"""Resamples: rows drawn again show how a statistic would vary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import ceil
from typing import Any

import numpy as np

from tallylearn.errors import InputError, OptionError, short_repr
from tallylearn.statistics.confidence_intervals import Interval, check_count, check_level, z_value
from tallylearn.tables import Array


def bootstrap(
    statistic: Callable[[Array], float],
    n: int,
    draws: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """The interval of any statistic of n rows, from drawing the rows again with replacement.

    It estimates what the statistic would be on all rows like these. ``statistic`` is given (n,)
    integers, how often every row is drawn: so it takes them as weights, or takes the rows by
    ``numpy.repeat(rows, counts)``. The ends are quantiles of the draws, moved for their bias and
    for how the spread changes with the truth (BCa: B. Efron, Better bootstrap confidence intervals,
    Journal of the American Statistical Association 82, 1987). The second needs the statistic
    without each of the rows: for n above ``draws``, and where the move does not exist, the plain
    percentiles are given, and ``method`` says so.

    >>> import numpy as np
    >>> minutes = np.array([3.0, 5.0, 4.0, 21.0, 2.0, 6.0, 4.0, 3.0])
    >>> interval = bootstrap(lambda counts: counts @ minutes / 8, 8)
    >>> print(interval, interval.method)
    [3.500, 13.611] bootstrap, BCa
    """
    _check_draws(n, draws, level)
    rng = np.random.default_rng(seed)
    again = (np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(draws))
    drawn = _compute_statistics(statistic, again, draws)
    tail = (1 - level) / 2
    moved = _bca_tails(statistic, n, drawn, level) if n <= draws else None
    low, high = np.quantile(drawn, (tail, 1 - tail) if moved is None else moved)
    method = "bootstrap, percentile" if moved is None else "bootstrap, BCa"
    return Interval(float(low), float(high), level, method, "the statistic of all rows like these")


def _bca_tails(
    statistic: Callable[[Array], float], n: int, drawn: Array, level: float
) -> Array | None:
    """The shares of the draws below both ends, moved by bias and skewness."""
    from scipy.special import ndtr, ndtri

    ones = np.ones(n, dtype=np.int64)
    whole = _compute_statistics(statistic, [ones], 1)[0]
    without = (np.where(np.arange(n) == row, 0, ones) for row in range(n))
    apart = _compute_statistics(statistic, without, n)
    apart = apart.mean() - apart
    below = ((drawn < whole).mean() + (drawn <= whole).mean()) / 2
    if not apart.any() or not 0 < below < 1:
        return None
    apart /= np.abs(apart).max()
    bias, skew = ndtri(below), (apart**3).sum() / (6 * (apart**2).sum() ** 1.5)
    ends = bias + z_value(level) * np.array([-1.0, 1.0])
    return None if (skew * ends >= 1).any() else np.asarray(ndtr(bias + ends / (1 - skew * ends)))


def _compute_statistics(
    statistic: Callable[[Array], float], counts: Iterable[Array], size: int
) -> Array:
    values = np.fromiter((float(statistic(row)) for row in counts), dtype=float, count=size)
    if not np.isfinite(values).all():
        raise InputError(
            f"bootstrap: the statistic is {values[~np.isfinite(values)][0]} on "
            f"{(~np.isfinite(values)).sum()} of {size} samples. Use a statistic "
            "that is finite on every sample."
        )
    return values


def _check_draws(n: int, draws: int, level: float) -> None:
    check_level("bootstrap", level)
    check_count("bootstrap", "n", n, 2)
    check_count("bootstrap", "draws", draws, 1)
    if draws < (least := ceil(round(2 / (1 - level), 6))):
        raise OptionError(
            f"bootstrap: draws is {draws!r}, which is too few for a {level:.0%} "
            f"interval. Give {least} or more."
        )


def generator(who: str, seed: Any) -> np.random.Generator:
    """Random numbers from a seed, or an error for what is none."""
    try:
        return np.random.default_rng(seed)
    except Exception:  # whatever an object raises that is none
        raise OptionError(
            f"{who}: random_state is {short_repr(seed)}. Give a whole number from 0 up, or None."
        ) from None
