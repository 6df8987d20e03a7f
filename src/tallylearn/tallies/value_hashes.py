"""Hashes of values: 64 bits that look random, and are the same in every process."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.kernels import distinct_hashes as kernel
from tallylearn.tables import Array

STEP = 0x9E3779B97F4A7C15
FACTORS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
UNDONE = (0x319642B2D24D8EC3, 0x96DE1B173F119089)  # their inverses mod 2^64, the last one first


def hash_texts(values: tuple[str, ...]) -> Array:
    """(m,) uint64, the hashes of strings, by their UTF-8."""
    data = [str(value).encode("utf-8", "surrogatepass") for value in values]
    ends = np.zeros(len(data) + 1, dtype=np.int64)
    np.cumsum([*map(len, data)], out=ends[1:])
    return _hash_strings(np.frombuffer(b"".join(data), np.uint8), ends)


def hash_arrow_strings(strings: Any) -> Array:
    """(n,) uint64, the hashes of Arrow's large strings, none of them missing."""
    _, ends, data = strings.buffers()
    ends = np.frombuffer(ends, np.int64)[strings.offset : strings.offset + len(strings) + 1]
    text = np.frombuffer(b"" if data is None else data, np.uint8)
    return _hash_strings(text, ends)


def hash_numbers(numbers: Array) -> Array:
    """(n,) uint64, the hashes of numbers; of 0.0 for -0.0."""
    z = (numbers + 0.0).view(np.uint64) + np.uint64(STEP)
    for shift, factor in zip((30, 27), FACTORS, strict=True):
        z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(z ^ (z >> np.uint64(31)))


def invert_hashes(hashes: Array) -> Array:
    """The numbers that have these hashes.

    >>> invert_hashes(hash_numbers(np.array([2.5, -0.0])))
    array([2.5, 0. ])
    """
    z = hashes ^ (hashes >> np.uint64(31)) ^ (hashes >> np.uint64(62))
    for shift, factor in zip((27, 30), UNDONE, strict=True):
        z = z * np.uint64(factor)
        z = z ^ (z >> np.uint64(shift)) ^ (z >> np.uint64(2 * shift))
    return np.asarray((z - np.uint64(STEP)).view(np.float64))


def _hash_strings(data: Array, ends: Array) -> Array:
    hashes = np.empty(len(ends) - 1, dtype=np.uint64)
    kernel.hash_strings(data, ends, hashes)
    return hashes
