"""Weighted sums with their numbers, in digits enough for what they come to."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tallylearn.workings.distance_steps import bracket_negative
from tallylearn.workings.equations import number, signed_sum

MAX_SHOWN_TERMS = 8  # terms that a formula writes out
PRECISION = 5e-4  # of a sum, that rounding its printed terms may change
CANCELLATION = 1e-3  # a sum is measured by at least this share of its terms


def weighted_sum(start: float | None, pairs: Sequence[tuple[float, float]]) -> str:
    """A start value and products, as one side of an equation.

    Parameters
    ----------
    start : float or None
        The first term; None where there is none.
    pairs : sequence of (float, float)
        The factors of every product.

    Returns
    -------
    str

    Examples
    --------
    >>> weighted_sum(116.1, [(-26.25, 2), (-10.5, -2)])
    '116.1 - 26.25 · 2 - 10.5 · (-2)'
    >>> weighted_sum(-50000.123, [(2.0, 25000.25)])
    '-50000.12 + 2 · 25000.25'
    """
    first = [] if start is None else [start]
    factors = [*first, *(factor for pair in pairs for factor in pair)]
    terms = [*first, *(a * b for a, b in pairs)]
    value, size = math.fsum(terms), math.fsum(map(abs, terms))
    allowed = PRECISION * max(abs(value), CANCELLATION * size)
    for digits in range(4, 18):
        rounded = [float(f"{factor:.{digits}g}") for factor in factors]
        rest = rounded[len(first) :]
        found = [*rounded[: len(first)],
                 *(a * b for a, b in zip(rest[::2], rest[1::2], strict=True))]  # fmt: skip
        if abs(math.fsum(found) - value) <= allowed or not math.isfinite(value):
            break
    texts = [number(f) if digits == 4 else f"{f:.{digits}g}" for f in factors]
    products = texts[len(first) :]
    shown = [
        f"{a} · {bracket_negative(b)}" for a, b in zip(products[::2], products[1::2], strict=True)
    ]
    return signed_sum([*texts[: len(first)], *shown]) if texts else "0"
