"""Hashing: a number for every row that looks random, and is the same on every machine."""

from __future__ import annotations

import numpy as np

from tallylearn.tables import Array

STEP = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, made odd
HALF = np.uint64(32)


def splitmix64(seed: int, rows: Array) -> Array:
    """The numbers of splitmix64 at these places of the stream that a seed begins.

    Rows that differ have hashes that differ: every step below can be undone. G. Steele, D. Lea
    and C. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, figure 14.

    >>> splitmix64(1234567, np.arange(2))
    array([6457827717110365317, 3203168211198807973], dtype=uint64)
    """
    z = rows.astype(np.uint64)
    z += np.uint64(1)
    z *= STEP
    z += np.uint64(seed)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z ^= z >> np.uint64(shift)
        z *= np.uint64(factor)
    z ^= z >> np.uint64(31)
    return z


def seeds(seed: int, repeats: int) -> list[int]:
    """Another seed for every repeat."""
    return [int(number) for number in splitmix64(seed, np.arange(repeats))]


def bootstrap_counts(seed: int, n: int) -> Array:
    """How often each of n things is drawn when n are drawn with replacement (n below 2^32)."""
    h, below = splitmix64(seed, np.arange(n)), np.uint64(n)
    low = (h & np.uint64(0xFFFFFFFF)) * below >> HALF
    chosen = ((h >> HALF) * below + low) >> HALF  # the whole part of n h / 2^64, without rounding
    return np.bincount(chosen.astype(np.int64), minlength=n)
