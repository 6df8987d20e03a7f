"""Rare values: of a category with many values, those that few rows have say nothing alone.

An identifier has a value a row, and a thousand levels of noise fit any target: who orders values by
the target, or gives each of them a coefficient, learns the noise. Here stands which categories have
many values, and how many rows make a value of those count by itself.
"""

from __future__ import annotations

import sys

import numpy as np

from tallylearn.tables import Array

MIN_ROWS = 20  # that a value needs, unless said otherwise
MANY = 64  # values
SHARE = 4  # rows a value: a category of more values than that allows has many, too
SMALL = 50  # rows: a table of fewer is taken as it is


def most_values(rows: float) -> int:
    """A category of more values has many, in a table of so many rows.

    >>> most_values(1000), most_values(100), most_values(49) > 10**9
    (64, 25, True)
    """
    return min(MANY, int(rows) // SHARE) if rows >= SMALL else sys.maxsize


def rare(counts: Array, rows: float, min_rows: float) -> Array:
    """(v,) which values of a column of a table are rare, by the rows that have each."""
    many = np.count_nonzero(counts) > most_values(rows)
    return np.asarray((counts < min_rows) & many)
