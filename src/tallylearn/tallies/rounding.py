"""Rounding: exact fractions as doubles, rounded once, a hundred thousand at a time.

Two doubles together hold a hundred bits of a quotient. Where those do not say which double is
nearest (about one quotient in 10^13, and the extremes of the range), whole numbers decide.
"""

from __future__ import annotations

import numpy as np

from tallylearn.kernels import long_integers as kernel
from tallylearn.tables import Array
from tallylearn.tallies.double_doubles import DoubleDouble, product
from tallylearn.tallies.exact import LIMB, Exact, ratio

MIN_VECTORISED = 256  # below, Python's integers are as fast
LONGEST = 24  # limbs whose value stays well within a double's range
QUOTIENT_ERROR = 2.0**-96  # relative error of a quotient of two doubles each, with room to spare


def quotient(above: Exact, below: Exact) -> Array:
    """above / below, rounded once; where below is zero, above is returned."""
    if above.limbs.size < MIN_VECTORISED or _divide_long(above, below):
        return _by_integers(above, below)
    negative = above.negative()
    found, power = _divide(above, below)
    out: Array = np.ldexp(np.where(negative, -found.high, found.high), power)
    last = np.abs(np.frexp(found.high)[1] + power) > 1000  # at the end of the range
    doubt = (found.doubtful(QUOTIENT_ERROR * found.high) | last) & (found.high != 0)
    if doubt.any():
        at = np.flatnonzero(doubt)
        flat = (Exact(e.limbs.reshape(-1, e.limbs.shape[-1])[at], e.low) for e in (above, below))
        out.reshape(-1)[at] = _by_integers(*flat)
    return out


def double_double(above: Exact, below: Exact) -> DoubleDouble:
    """above / below to a share of ``DOUBT``, far from the ends of the range; NaN if too long."""
    if _divide_long(above, below):
        return DoubleDouble(*np.full((2, *above.shape), np.nan))
    found, power = _divide(above, below)
    sign = np.where(above.negative(), -1.0, 1.0)
    return DoubleDouble(*(sign * np.ldexp(part, power) for part in (found.high, found.low)))


def _divide(above: Exact, below: Exact) -> tuple[DoubleDouble, Array]:
    """The quotient without its sign, and the power of two it is to be multiplied by."""
    (a, a_rest), (b, b_rest) = _halves(above.magnitude()), _halves(below.magnitude())
    zero = b == 0
    b, b_rest = np.where(zero, 1.0, b), np.where(zero, 0.0, b_rest)
    first = a / b
    whole, rest = product(first, b)
    second = (((a - whole) - rest) + a_rest - first * b_rest) / b
    return DoubleDouble.of(first, second), LIMB * (above.low - np.where(zero, 0, below.low))


def _divide_long(above: Exact, below: Exact) -> bool:
    return bool(max(above.limbs.shape[-1], below.limbs.shape[-1]) > LONGEST)


def _by_integers(above: Exact, below: Exact) -> Array:
    numbers, power = above.to_integers()
    divisors, shift = below.to_integers()
    zero = divisors == 0
    if not zero.any():
        return ratio(numbers, divisors, power - shift)
    out = ratio(numbers, np.where(zero, 1, divisors), power - shift)
    out[zero] = ratio(numbers[zero], 1, power)
    return out


def _halves(number: Exact) -> tuple[Array, Array]:
    flat = number.limbs.reshape(-1, number.limbs.shape[-1])
    high, low = np.empty(len(flat)), np.empty(len(flat))
    kernel.halves(flat, high, low)
    return high.reshape(number.shape), low.reshape(number.shape)
