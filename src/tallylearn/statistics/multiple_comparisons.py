"""Adjustments: of many tests some find what is not there, and how many is kept in check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np

from tallylearn.statistics.confidence_intervals import z_value
from tallylearn.tables import Array


def holm(chances: Sequence[float]) -> list[float]:
    """Chances p adjusted so that among all of them a false find is as rare as in one.

    The smallest is multiplied by their number m, the next by m - 1, and so on; none gets below one
    that was smaller, or above 1. What is NaN was not tested, and stays. S. Holm, A simple
    sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    return _adjust(chances, lambda p: np.maximum.accumulate(np.arange(len(p), 0, -1) * p))


def benjamini_hochberg(chances: Sequence[float]) -> list[float]:
    """Chances p adjusted so that of all that lie below a level, that share is false on average.

    The smallest of m is multiplied by m, the next by m / 2, and so on; none gets above one that was
    larger. What is NaN was not tested, and stays. Y. Benjamini and Y. Hochberg, Journal of the
    Royal Statistical Society B 57, 1995.

    >>> [round(p, 3) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """

    def raise_chances(p: Array) -> Array:
        each = p * len(p) / np.arange(1, len(p) + 1)
        return np.minimum.accumulate(each[::-1])[::-1]

    return _adjust(chances, raise_chances)


def _adjust(chances: Sequence[float], raise_chances: Callable[[Array], Array]) -> list[float]:
    """Chances that were tested, raised together in rising order, to 1 at most."""
    p = np.array(chances, dtype=float)
    order = np.argsort(p, kind="stable")[: int(np.isfinite(p).sum())]
    p[order] = np.minimum(raise_chances(p[order]), 1.0)
    return [float(value) for value in p]


def tukey(p: float, k: int) -> float:
    """A chance p of one pair of k learners, adjusted for all pairs.

    It is the chance that the range of k normal numbers is as wide: simultaneous over all pairs, and
    p itself where there are two. J. W. Tukey, The problem of multiple comparisons, 1953.

    >>> print(f"{tukey(0.01, 2):.4f} {tukey(0.01, 3):.4f} {tukey(0.01, 5):.4f}")
    0.0100 0.0270 0.0748
    """
    if k == 2 or not 0 < p < 1:
        return p
    from scipy.special import ndtri

    return max(p, 1 - _range_below(k, -sqrt(2) * float(ndtri(p / 2))))


def tukey_level(level: float, k: int) -> float:
    """The level of one pair's interval, where those of all pairs of k learners hold together.

    >>> print(f"{tukey_level(0.95, 3):.4f}")
    0.9809
    """
    if k == 2:
        return level
    from scipy.special import ndtr

    return 1 - 2 * float(ndtr(-range_quantile(k, level) / sqrt(2)))


def range_quantile(k: int, level: float) -> float:
    """The width that the range of k standard normal numbers exceeds in a share 1 - level.

    P(range <= r) = k ∫ φ(x) (Φ(x + r) - Φ(x))^(k-1) dx, summed over even steps, which converges
    beyond all powers of the step for such functions; halved until the doubles end.

    >>> print(f"{range_quantile(3, 0.95):.3f}")
    3.314
    """
    low, high = 0.0, 2 * z_value(1 - (1 - level) / k)  # all within z: by Bonferroni
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _range_below(k, middle) < level else (low, middle)
    return high


def _range_below(k: int, width: float) -> float:
    """The chance that the range of k standard normal numbers is less wide."""
    from scipy.special import ndtr

    x = np.linspace(-9, 9, 361)
    lowest = k * np.exp(-x * x / 2) / sqrt(2 * np.pi) * (x[1] - x[0])
    return float(lowest @ (ndtr(x + width) - ndtr(x)) ** (k - 1))
