"""Distinct: how many different values a column has, from the least of their hashes."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from tallylearn.errors import ForgetError
from tallylearn.kernels import distinct_hashes as kernel
from tallylearn.tables import Array, Codes, check_shape
from tallylearn.tallies.tally import Tally
from tallylearn.tallies.value_hashes import hash_arrow_strings, hash_texts, invert_hashes

MAX_HASHES = 100_000  # hashes: up to so many different values the number is exact
MAX_HASH = (1 << 64) - 1  # the greatest hash
INITIAL_SLOTS = 1 << 14  # slots to begin with, of a column that has many values
NO_NUMBER = np.iinfo(np.int64).max, np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False)
class Distinct(Tally):
    """The k least hashes of a column's values (k = 100 000), and how many rows show each.

    Up to k different values it has them all, and is exact. Beyond, the k-th least hash says how
    dense the hashes lie, and so how many there are: KMV, with a relative standard error of
    1 / √(k - 2), which is 0.32 %. Rows are counted, not weights: weight 2 adds no value. It takes
    16 bytes a value, 1.6 MB a column at most, for any number of rows; it cannot forget.

    >>> found = Distinct.of(np.array([3.0, 1.0, np.nan, 3.0]))
    >>> found
    Distinct(2 of 3)
    >>> found.exact, found.whole, found.least, found.greatest
    (True, True, 1.0, 3.0)

    Z. Bar-Yossef et al., Counting distinct elements in a data stream, RANDOM 2002; K. Beyer et al.,
    On synopses for distinct-value estimation under multiset operations, SIGMOD 2007.
    """

    hashes: Array  # (m,) uint64, sorted
    counts: Array  # (m,) int64, rows with that hash
    present: int  # rows that show a value
    broken: bool  # whether a number is no whole one
    ends: tuple[int, int]  # the least and the greatest number, as keys of their order
    most: int  # hashes above are not kept; EVERY while all are

    def __post_init__(self) -> None:
        check_shape("the counts", self.counts, len(self.hashes))

    @classmethod
    def of(cls, column: Any) -> Distinct:
        """Of numbers (n,), of codes, or of Arrow strings."""
        seen = HashCounter()
        seen.add(column)
        return seen.tally()

    @classmethod
    def empty(cls) -> Distinct:
        """Nothing seen yet."""
        return HashCounter().tally()

    @property
    def nothing(self) -> bool:
        """Whether no value was seen."""
        return not self.present

    def __bool__(self) -> bool:
        return not self.nothing

    @property
    def exact(self) -> bool:
        """Whether every value is kept."""
        return self.most == MAX_HASH

    @property
    def count(self) -> int:
        """How many different values there are: exactly, or as ``error`` says."""
        if self.exact:
            return len(self.hashes)
        share = (self.most + 1) / (MAX_HASH + 1)
        kept = len(self.hashes) - 1  # the k-th is where KMV looks from
        return max(round(kept / share), len(self.hashes))

    @property
    def error(self) -> float:
        """The relative standard error of the count."""
        return 0.0 if self.exact else 1 / sqrt(max(len(self.hashes) - 2, 1))

    @property
    def repeats(self) -> int:
        """Rows, of those whose hash is kept, that show a value that another one shows too."""
        return int(self.counts.sum()) - len(self.counts)

    @property
    def n_singletons(self) -> int:
        """Values, of those that are kept, that one row shows."""
        return int((self.counts == 1).sum())

    @property
    def whole(self) -> bool:
        """Whether all numbers are whole ones."""
        return bool(self.present) and not self.broken

    @property
    def least(self) -> float:
        """The least number; NaN of none, and of strings."""
        return _number(self.ends[0])

    @property
    def greatest(self) -> float:
        """The greatest number; NaN of none, and of strings."""
        return _number(self.ends[1])

    def top(self, most: int) -> list[tuple[int, int]]:
        """The hashes that come most often, each with its rows; of equals the least hash first."""
        order = np.argsort(-self.counts, kind="stable")[:most]
        return [(int(self.hashes[at]), int(self.counts[at])) for at in order]

    def values(self) -> Array:
        """The numbers (m,) that are kept, as their hashes: a hash of a number can be undone."""
        return invert_hashes(self.hashes)

    def __add__(self, other: Distinct) -> Distinct:
        most = min(self.most, other.most)
        one, two = (np.searchsorted(d.hashes, np.uint64(most), "right") for d in (self, other))
        every = np.concatenate([self.hashes[:one], other.hashes[:two]])
        order = np.argsort(every, kind="stable")  # two runs that are sorted are merged
        every = every[order]
        times = np.concatenate([self.counts[:one], other.counts[:two]])[order]
        first = np.flatnonzero(np.append(True, every[1:] != every[:-1])[: len(every)])
        hashes = every[first]
        counts = np.add.reduceat(times, first) if len(first) else times
        ends = min(self.ends[0], other.ends[0]), max(self.ends[1], other.ends[1])
        rows = self.present + other.present, self.broken or other.broken
        return _keep_least(hashes, counts, *rows, ends, most)

    def __sub__(self, other: Distinct) -> Distinct:
        if other is self:
            return Distinct.empty()
        raise ForgetError(
            "a sketch of distinct values cannot remove rows, because it keeps only "
            "some of their hashes. Nothing was changed. Compute it again without "
            "those rows."
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distinct):
            return NotImplemented
        return self._rest == other._rest and all(
            np.array_equal(a, b)
            for a, b in ((self.hashes, other.hashes), (self.counts, other.counts))
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def _rest(self) -> tuple[Any, ...]:
        return self.present, self.broken, self.ends, self.most

    def __repr__(self) -> str:
        return f"Distinct({'' if self.exact else 'about '}{self.count} of {self.present})"


class HashCounter:
    """A column while its rows pass by; ``tally`` is what was seen, the same in any order.

    ``most`` is that of other rows of the column: what lies above it is dropped when both add up, so
    it need not be kept here.
    """

    def __init__(self, most: int = MAX_HASH) -> None:
        self.most = most
        self._make_room(64 if most == MAX_HASH else INITIAL_SLOTS)
        self._state = np.array([0, 0, 0, 0, *NO_NUMBER], dtype=np.int64)

    def add(self, column: Any) -> None:
        """More rows: numbers (n,), NaN where missing; codes; or Arrow strings."""
        if isinstance(column, np.ndarray):
            bits = column.view(np.uint64)
            self._count_all(len(bits), kernel.add_numbers, bits)
        elif isinstance(column, Codes):
            self._add_hashes(hash_texts(column.values), _times(column))
        else:
            held = column.drop_null()
            self._add_hashes(hash_arrow_strings(held), np.ones(len(held), dtype=np.int64))

    def _add_hashes(self, hashes: Array, times: Array) -> None:
        self._count_all(len(hashes), kernel.add_hashes, hashes, times)

    @property
    def many(self) -> bool:
        """Whether there are more values than are kept, here or in the other rows."""
        return self.most < MAX_HASH or int(self._state[1]) > MAX_HASHES

    def tally(self) -> Distinct:
        """What was seen so far."""
        hashes, counts = self._entries()
        if counts.max(initial=1) == 1:  # to sort without an order takes a fifth of the time
            hashes.sort()
        else:
            order = np.argsort(hashes)
            hashes, counts = hashes[order], counts[order]
        _, _, present, broken, least, greatest = map(int, self._state)
        return _keep_least(
            hashes,
            counts,
            present=present,
            broken=bool(broken),
            ends=(least, greatest),
            most=self.most,
        )

    def _count_all(self, n: int, count: Any, *given: Array) -> None:
        self._state[0] = 0
        while True:
            count(*given, self.most, self._slots, self._state)
            if self._state[0] >= n:
                return
            self._grow()

    def _grow(self) -> None:
        """More slots; or, where there are enough, only the k least hashes."""
        (hashes, counts), at = self._entries(), int(self._state[0])
        if len(hashes) > 1.5 * MAX_HASHES:
            self.most = int(np.partition(hashes, MAX_HASHES - 1)[MAX_HASHES - 1])
            kept = hashes <= self.most
            hashes, counts = hashes[kept], counts[kept]
            self._make_room(len(self._slots))
        else:
            self._make_room(4 * len(self._slots))
        rest = self._state.copy()
        self._state[[0, 1]] = 0
        kernel.add_hashes(hashes, counts, self.most, self._slots, self._state)
        rest[[0, 1]] = at, self._state[1]
        self._state = rest

    def _make_room(self, size: int) -> None:
        self._slots = np.zeros((size, 2), dtype=np.uint64)  # a hash, and how many rows show it

    def _entries(self) -> tuple[Array, Array]:
        """The hashes that were seen, and their rows."""
        at = np.flatnonzero(self._slots[:, 1])
        return self._slots[at, 0], self._slots[at, 1].astype(np.int64)


def _times(column: Codes) -> Array:
    shown = column.codes[column.codes >= 0]
    return np.bincount(shown, minlength=len(column.values)).astype(np.int64)


def _keep_least(
    hashes: Array, counts: Array, present: int, broken: bool, ends: tuple[int, int], most: int
) -> Distinct:
    """In the one form that what was seen has."""
    if len(hashes) > MAX_HASHES:
        most = int(hashes[MAX_HASHES - 1])
    few = slice(None, np.searchsorted(hashes, np.uint64(most), side="right"))
    return Distinct(
        hashes=hashes[few], counts=counts[few], present=present, broken=broken, ends=ends, most=most
    )


def _number(key: int) -> float:
    """The number that has this key of its order."""
    if key in NO_NUMBER:
        return float("nan")
    bits = key if key >= 0 else (-1 - key) | 1 << 63
    return float(np.array(bits, dtype=np.uint64).view(np.float64))
