"""Row samples: some of the different rows of a table, drawn by chance, and how often each came.

Every row has a hash of what it holds, and those with the least hashes are kept. So the sample is
the same in whatever order, blocks or files the rows come, two samples add up to that of both
tables, and a table of few different rows is kept whole.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.folds.hashing import hashed
from tallylearn.sources.joined_blocks import together
from tallylearn.tables import Array, Block

MOST = 1 << 14  # rows of a sample


@dataclass(frozen=True)
class RowSample:
    """Different rows in the order of their hashes, and the weight of all rows like each."""

    hashes: Array  # (m,) uint64
    rows: Block
    weight: Array  # (m,)
    whole: bool  # whether no row was left out

    nothing = False  # a part of a bundle that is always there

    @classmethod
    def of(cls, block: Block, seed: int) -> RowSample:
        weight = np.ones(len(block)) if block.weight is None else block.weight
        return cls(row_hashes(block, seed), block, weight, True)._least()

    def __bool__(self) -> bool:
        return len(self.hashes) > 0

    def __add__(self, other: RowSample) -> RowSample:
        return RowSample(
            np.concatenate([self.hashes, other.hashes]),
            together([self.rows, other.rows], self.rows.schema),
            np.concatenate([self.weight, other.weight]),
            self.whole and other.whole,
        )._least()

    def _least(self) -> RowSample:
        some = np.arange(len(self.hashes))
        if len(some) > 4 * MOST:  # a first guess, so that fewer are sorted
            some = np.flatnonzero(self.hashes <= np.partition(self.hashes, 2 * MOST)[2 * MOST])
        found, first, which = np.unique(self.hashes[some], return_index=True, return_inverse=True)
        weight = np.bincount(which, self.weight[some], minlength=len(found))
        less = len(some) < len(self.hashes) or len(found) > MOST
        rows = self.rows[some[first[:MOST]]]
        return RowSample(found[:MOST], rows, weight[:MOST], self.whole and not less)


def row_hashes(block: Block, seed: int) -> Array:
    """(n,) a hash of what every row holds."""
    bits = (block.numbers + 0.0).view(np.uint64)  # 0.0 and -0.0 are one number
    odd = hashed(seed, np.arange(bits.shape[1] + len(block.codes))) | np.uint64(1)
    found = (bits ^ (bits >> np.uint64(32))) @ odd[: bits.shape[1]]
    for at, name in enumerate(sorted(block.codes), bits.shape[1]):
        codes = block.codes[name]
        each = np.array([*map(_value_hash, codes.values), 0], dtype=np.uint64)
        found += each[codes.codes] * odd[at]
    return hashed(seed, found)


def _value_hash(value: Any) -> int:
    return int.from_bytes(hashlib.blake2b(str(value).encode(), digest_size=8).digest(), "little")
