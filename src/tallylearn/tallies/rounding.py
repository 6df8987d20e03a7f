"""Rounding: exact fractions as doubles, rounded once, a hundred thousand at a time.

Two doubles together hold a hundred bits of a quotient. Where those do not say which double is
nearest (about one quotient in 10^13, and the extremes of the range), whole numbers decide.
"""

from __future__ import annotations

import numpy as np

from tallylearn.kernels import limbs as kernel
from tallylearn.tables import Array
from tallylearn.tallies.exact import LIMB, Exact, ratio

FEW = 256  # below, Python's integers are as fast
LONGEST = 24  # limbs whose value stays well within a double's range
DOUBT = 2.0**-96  # relative error of a quotient of two doubles each, with room to spare
SPLIT = 2.0**27 + 1


def quotient(above: Exact, below: Exact) -> Array:
    """above / below, rounded once; where below is zero, above is returned."""
    if above.limbs.size < FEW or max(above.limbs.shape[-1], below.limbs.shape[-1]) > LONGEST:
        return _by_integers(above, below)
    negative = above.negative()
    (a, a_rest), (b, b_rest) = _halves(above.magnitude()), _halves(below.magnitude())
    zero = b == 0
    b, b_rest = np.where(zero, 1.0, b), np.where(zero, 0.0, b_rest)
    first = a / b
    product, rest = _product(first, b)
    second = (((a - product) - rest) + a_rest - first * b_rest) / b
    high = first + second
    low = second - (high - first)
    power = LIMB * (above.low - np.where(zero, 0, below.low))
    out: Array = np.ldexp(np.where(negative, -high, high), power)
    doubt = _doubtful(high, low, power)
    if doubt.any():
        at = np.flatnonzero(doubt)
        flat = (Exact(e.limbs.reshape(-1, e.limbs.shape[-1])[at], e.low) for e in (above, below))
        out.reshape(-1)[at] = _by_integers(*flat)
    return out


def _by_integers(above: Exact, below: Exact) -> Array:
    numbers, power = above.scaled()
    divisors, shift = below.scaled()
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


def _product(x: Array, y: Array) -> tuple[Array, Array]:
    """x y as a sum of two doubles, exactly (Veltkamp and Dekker)."""
    product = x * y
    x_high, y_high = (SPLIT * z - (SPLIT * z - z) for z in (x, y))
    x_low, y_low = x - x_high, y - y_high
    rest = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, rest


def _doubtful(high: Array, low: Array, power: Array) -> Array:
    """Whether the nearest double is not sure: half way to the next, or at the end of the range."""
    gap = np.abs(np.abs(low) - np.spacing(high) / 2)
    mantissa, exponent = np.frexp(high)
    uneven = (mantissa == 0.5) & (low != 0)  # the doubles below a power of two are closer
    last = np.abs(exponent + power) > 1000
    return np.asarray(((gap <= DOUBT * high) | uneven | last) & (high != 0))
