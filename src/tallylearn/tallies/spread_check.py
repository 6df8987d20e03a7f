"""The check of spreads: a column that varies is not taken for a constant one."""

from __future__ import annotations

import numpy as np

from tallylearn.errors import InputError
from tallylearn.tallies.moments import Moments

LOST = 1e-290  # a variance below has lost digits, or all of them


def check_spread(moments: Moments) -> None:
    """Every column that varies has a variance that a double holds."""
    small = moments.variance < LOST
    if not small.any():
        return
    lost = small & np.asarray(moments._spread()[0] > 0, dtype=bool)
    if lost.any():
        name = moments.columns[int(np.argwhere(lost)[0][-1])]
        raise InputError(
            f"column {name!r} varies by so little that a double does not hold its variance. "
            "Multiply it by a number, or scale it by its ends (minmax)."
        )
