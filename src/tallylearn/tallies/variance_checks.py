"""Variances at the edge of doubles: a column that varies is not taken for a constant one."""

from __future__ import annotations

import numpy as np

from tallylearn.errors import InputError
from tallylearn.tables import Array
from tallylearn.tallies.exact import ratio
from tallylearn.tallies.moments import Moments

MIN_VARIANCE = 1e-290  # a variance below has lost digits, or all of them
MAX_EXPONENT = 400  # a power of two whose square is well within a double


def check_spread(moments: Moments) -> None:
    """Every column that varies has a variance that a double holds."""
    small = moments.variance < MIN_VARIANCE
    if not small.any():
        return
    lost = small & np.asarray(moments._variance_ratio()[0] > 0, dtype=bool)
    if lost.any():
        name = moments.columns[int(np.argwhere(lost)[0][-1])]
        raise InputError(
            f"column {name!r} varies so little that its variance is too small for a double. "
            "Multiply the column by a large number, or scale it by its range (scale='minmax', "
            "or tl.MinMaxScaler())."
        )


def scaled_variance(moments: Moments, scale: Array) -> Array:
    """(..., k, p) of the columns divided by a scale (p,), also where a double loses their own."""
    part, power = np.frexp(scale)
    if (np.abs(power) < MAX_EXPONENT).all():
        return np.asarray(moments.variance / scale**2)
    numbers, below, low = moments._variance_ratio()
    most = int(power.max())
    fours = np.array([1 << 2 * (most - each) for each in power.tolist()], dtype=object)
    found = ratio(numbers * fours, np.where(below == 0, 1, below), low - 2 * most)
    return np.asarray(found / part**2)
