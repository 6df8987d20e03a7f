"""Weights as whole numbers, so that what is weighted stays exact."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tallylearn.tables import Array

DIGIT = 10  # bits: the most that 65 536 rows leave free in the cells of kernels.summing
BITS = 32  # significant bits of a weight that is a fraction
MAX_POWER_RANGE = 63  # the most powers of two between weights that are summed in one pass
ONCE = np.zeros(0, dtype=np.int64)


def digits(weight: Array | None) -> Iterator[tuple[Array, int]]:
    """The weights as sums of digits below 1024 times 2^power: one array of digits a power.

    Whole numbers are taken as they are; fractions are rounded, once, to 32 significant bits.

    >>> [(digit.tolist(), power) for digit, power in digits(np.array([3.0, 0.5]))]
    [([6, 1], -1)]
    """
    if weight is None:
        yield ONCE, 0
        return
    whole = weight == np.floor(weight)
    if whole.all() and weight.max(initial=0) < 1 << DIGIT:
        yield weight.astype(np.int64), 0
        return
    number, power = _split_odd(weight, np.where(whole, 53, 32))
    base = int(power[weight > 0].min())
    first, shift = np.divmod(power - base, DIGIT)
    number <<= shift
    for place in range(int(first.max()) + 7):
        rest = place - first
        here = np.where((rest >= 0) & (rest < 7), number >> (np.clip(rest, 0, 6) * DIGIT), 0)
        here &= (1 << DIGIT) - 1
        if here.any():
            yield here, base + place * DIGIT


def scale_to_integers(weight: Array) -> tuple[Array, Array, int] | None:
    """The weights as integers of 32 bits times 2^(power + base), every power from 0 to 63.

    None where whole numbers have more digits than that, or where the powers lie further apart.

    >>> scale_to_integers(np.array([0.75, 3.0]))
    (array([3221225472, 3221225472]), array([0, 2]), -32)
    """
    mantissa, exponent = np.frexp(weight)
    number = np.rint(np.ldexp(mantissa, BITS)).astype(np.int64)
    some = number > 0
    base = int(exponent[some].min(initial=2000))
    power = np.where(some, exponent - base, 0).astype(np.int64)
    whole = weight == np.floor(weight)
    long = whole & (np.ldexp(number.astype(np.float64), exponent - BITS) != weight)
    if not some.any() or power.max() > MAX_POWER_RANGE or long.any():
        return None
    return number, power, base - BITS


def round_weights(weight: Array) -> Array:
    """The weights as they are counted."""
    number, power = _split_odd(weight, np.where(weight == np.floor(weight), 53, 32))
    return np.ldexp(number.astype(np.float64), power)


def _split_odd(weight: Array, significant: Array) -> tuple[Array, Array]:
    """Each weight as an odd integer times a power of two."""
    mantissa, exponent = np.frexp(weight)
    number = np.rint(np.ldexp(mantissa, significant)).astype(np.int64)
    zeros = (
        np.frexp((number & -number).astype(np.float64))[1] - 1
    )  # trailing ones of 2^k have k zeros
    zeros = np.maximum(zeros, 0)
    return number >> zeros, np.where(number > 0, exponent - significant + zeros, 0).astype(np.int64)
