"""A random sample of the distinct rows of a table, with the number of rows equal to each.

Every row has a hash of what it holds, and those with the least hashes are kept. So the sample is
the same in whatever order, blocks or files the rows come, two samples add up to that of both
tables, and a table of few different rows is kept whole.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.folds.hashing import splitmix64
from tallylearn.kernels import kmeans_updates
from tallylearn.sources.memory.joined_blocks import join_blocks
from tallylearn.tables import Array, Block

MAX_SAMPLE_ROWS = 1 << 14  # 2 MB of 16 columns: starts on it take less than a pass
MAX_MERGED_RUNS = 16  # two samples have two: a merge is faster than a sort


@dataclass(frozen=True)
class RowSample:
    """Different rows in the order of their hashes, and the weight of all rows like each."""

    hashes: Array  # (m,) uint64
    rows: Block
    weight: Array  # (m,)
    whole: bool  # whether no row was left out
    most: int = MAX_SAMPLE_ROWS

    nothing = False  # a part of a bundle that is always there

    @classmethod
    def of(cls, block: Block, seed: int, most: int | None = None) -> RowSample:
        weight = np.ones(len(block)) if block.weight is None else block.weight
        return cls(
            row_hashes(block, seed), block, weight, True, most or MAX_SAMPLE_ROWS
        )._keep_least_hashes()

    def __bool__(self) -> bool:
        return len(self.hashes) > 0

    def __add__(self, other: RowSample) -> RowSample:
        return RowSample(
            np.concatenate([self.hashes, other.hashes]),
            join_blocks([self.rows, other.rows], self.rows.schema),
            np.concatenate([self.weight, other.weight]),
            self.whole and other.whole,
            self.most,
        )._keep_least_hashes()

    def _keep_least_hashes(self) -> RowSample:
        """The rows with the least hashes, rows of one hash joined."""
        n, most = len(self.hashes), self.most
        some = np.arange(n)
        if n > 2 * most:  # a first guess, so that fewer are sorted
            limit = min(1.25 * (most + 100) / n * 2.0**64, 2.0**64 - 2**12)
            some = np.flatnonzero(self.hashes <= limit)
        order, starts = _runs(self.hashes[some])
        if len(starts) < min(most, n) and len(some) < n:  # many rows are equal: the guess was low
            some = np.arange(n)
            order, starts = _runs(self.hashes)
        less = len(some) < n or len(starts) > most
        ends = np.append(starts[1:], len(order))[:most]
        starts, places = starts[:most], some[order]
        sums = np.add.reduceat(self.weight[places[: ends[-1]]], starts) if n else self.weight
        first = places[starts]
        whole = self.whole and not less
        return RowSample(self.hashes[first], self.rows[first], sums, whole, most)


def _runs(hashes: Array) -> tuple[Array, Array]:
    """The stable order of the hashes, and where in it each different one begins."""
    sorted_runs = int((hashes[1:] < hashes[:-1]).sum()) + 1
    if sorted_runs > MAX_MERGED_RUNS:  # vectorised, many times faster; not stable
        order = np.argsort(hashes)
        starts = _starts(hashes[order])
        if len(starts) == len(hashes):  # no two are equal
            return order, starts
    order = np.argsort(hashes, kind="stable")  # merges runs that are sorted
    return order, _starts(hashes[order])


def _starts(found: Array) -> Array:
    return np.flatnonzero(np.append(True, found[1:] != found[:-1])[: len(found)])


def row_hashes(block: Block, seed: int) -> Array:
    """(n,) a hash of what every row holds."""
    bits, found = block.numbers.view(np.uint64), np.empty(len(block), np.uint64)
    odd = splitmix64(seed, np.arange(bits.shape[1] + len(block.codes))) | np.uint64(1)
    kmeans_updates.digest(bits, odd, found)
    for at, name in enumerate(sorted(block.codes), bits.shape[1]):
        codes = block.codes[name]
        each = np.array([*map(_value_hash, codes.values), 0], dtype=np.uint64)
        found += each[codes.codes] * odd[at]
    return splitmix64(seed, found)


def _value_hash(value: Any) -> int:
    return int.from_bytes(hashlib.blake2b(str(value).encode(), digest_size=8).digest(), "little")
