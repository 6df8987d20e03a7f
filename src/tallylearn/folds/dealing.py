"""Dealing: rows are shuffled by their hash and dealt out like cards, groups packed like crates."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from heapq import heapify, heapreplace
from math import lcm

import numpy as np

from tallylearn.folds.hashing import splitmix64
from tallylearn.tables import Array, Codes

FINEST = 10**9  # the largest denominator of a share: row numbers times it fit 64 bits


def shuffle(seed: int, n: int, strata: Codes | None) -> Array:
    """The rows class by class, within a class in the order of their hash.

    Class, hash and row stand in one number, so that numbers are sorted and not places: a quarter
    of the time. The hash gives up the last bits that the others need; rows that are then equal
    come in their own order.
    """
    row_bits = max(1, int(n - 1).bit_length())
    class_bits = 0 if strata is None else max(1, (len(strata.values) - 1).bit_length())
    rows = np.arange(n)
    keys = splitmix64(seed, rows) >> np.uint64(class_bits + row_bits)
    keys <<= np.uint64(row_bits)
    keys |= rows.astype(np.uint64)
    if strata is not None:
        keys |= strata.codes.astype(np.uint64) << np.uint64(64 - class_bits)
    keys.sort()
    keys &= np.uint64((1 << row_bits) - 1)
    return keys.astype(np.int64)


def in_turn(order: Array, k: int) -> Array:
    """Every k-th row goes to the same fold: folds, and classes within them, differ by one row."""
    n = len(order)
    part = np.empty(n, dtype=np.int32)
    part[order] = np.tile(np.arange(k, dtype=np.int32), -(-n // k))[:n]
    return part


def by_shares(order: Array, shares: Sequence[Fraction]) -> Array:
    """The last part takes its share, evenly spread over the order; so do the others of the rest."""
    part = np.zeros(len(order), dtype=np.int32)
    left = Fraction(1)
    for number in range(len(shares) - 1, 0, -1):
        taken = _take_evenly(len(order), shares[number] / left)
        part[order[taken]] = number
        order, left = order[~taken], left - shares[number]
    return part


def _take_evenly(n: int, share: Fraction) -> Array:
    """Which of n places are taken so that any run of m has m times the share, up or down to whole.

    Of the first i places, i times the share to the nearest whole number.
    """
    above, below = share.limit_denominator(FINEST).as_integer_ratio()
    reached = (np.arange(n + 1) * above + below // 2) // below
    return np.diff(reached) > 0


def by_groups(seed: int, groups: Codes, shares: Sequence[Fraction]) -> Array:
    """The largest group first, to the part that lacks most rows; ties by the first row's hash."""
    n, sizes = len(groups), np.bincount(groups.codes)
    first = np.empty(len(sizes), dtype=np.int64)
    first[groups.codes[::-1]] = np.arange(n)[::-1]  # of equal places the last is kept
    unit = lcm(*(share.denominator for share in shares))
    lacking = [(-int(share * unit * n), part) for part, share in enumerate(shares)]
    heapify(lacking)
    place = np.empty(len(sizes), dtype=np.int32)
    for group in np.lexsort((splitmix64(seed, first), -sizes)):
        less, part = lacking[0]
        place[group] = part
        heapreplace(lacking, (less + int(sizes[group]) * unit, part))
    return place[groups.codes]


def in_time(ranks: Array, chunks: int) -> Array:
    """Chunks of about equal size, in the order of time; equal times go where their middle is."""
    counts = np.bincount(ranks)
    middle = 2 * np.cumsum(counts) - counts  # twice its place
    return (middle * chunks // (2 * len(ranks)))[ranks]
