"""Intervals: how far a share that was counted may lie from the share that is true."""

from __future__ import annotations

from math import inf, sqrt

from tallylearn.errors import OptionError


def wilson(successes: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """The shares p that a score test does not reject: |successes/n - p| <= z sqrt(p (1 - p) / n).

    Solved for p (E. B. Wilson, Journal of the American Statistical Association 22, 1927, p. 209):
    (s + z²/2 ± z sqrt(s (n - s) / n + z²/4)) / (n + z²).

    >>> low, high = wilson(8, 10)
    >>> print(f"{low:.3f} to {high:.3f}")
    0.490 to 0.943
    """
    _check(successes, n, level)
    from scipy.special import ndtri

    z = -float(ndtri((1 - level) / 2))
    middle, whole = successes + z * z / 2, n + z * z
    half = z * sqrt(successes * (n - successes) / n + z * z / 4)
    low = 0.0 if successes == 0 else (middle - half) / whole  # rounding would leave 1e-18
    high = 1.0 if successes == n else (middle + half) / whole
    return low, high


def _check(successes: float, n: float, level: float) -> None:
    if not 0 < n < inf:
        raise OptionError(
            f"wilson: n is {n!r}: there is no share of nothing. Count one row or more."
        )
    if not 0 <= successes <= n:
        raise OptionError(
            f"wilson: successes is {successes!r}, which is not between 0 and n = {n!r}."
        )
    if not 0 < level < 1:
        raise OptionError(f"wilson: level is {level!r}. Give one between 0 and 1, such as 0.95.")
