"""What a forest grew from: whether more trees may join it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.estimators.option_values import same
from tallylearn.tables import Array, Block, Codes

# Of the seed and of the bags the forest itself tells; the others shape no tree.
APART = frozenset((
    "n_estimators", "random_state", "bootstrap", "max_samples", "oob_score", "n_jobs", "verbose",
    "warm_start", "keep_rows",
))  # fmt: skip


@dataclass(frozen=True)
class TrainingTable:
    """A digest of the rows, and the options that shape trees."""

    rows: bytes
    options: Mapping[str, Any]

    @classmethod
    def of(cls, block: Block, options: Mapping[str, Any]) -> TrainingTable:
        digest = hashlib.blake2b(digest_size=16)
        for column in _columns(block):
            digest.update(np.ascontiguousarray(column).data)
        shaping = {name: value for name, value in options.items() if name not in APART}
        return cls(digest.digest(), deepcopy(shaping))

    def alike(self, other: TrainingTable) -> bool:
        """Whether trees of both are trees of one forest."""
        return self.rows == other.rows and all(
            same(value, other.options[name]) for name, value in self.options.items()
        )


def _columns(block: Block) -> Iterator[Array]:
    """All that a tree sees of the rows; codes of sorted values, however they came."""
    yield from block.numbers.T
    coded = [block.codes[name] for name in sorted(block.codes)]
    for one in (*coded, block.target):
        yield one.among(sorted(one.values)) if isinstance(one, Codes) else one
        if isinstance(one, Codes):
            yield np.frombuffer(repr(sorted(one.values)).encode(), np.uint8)
    if block.weight is not None:
        yield block.weight
