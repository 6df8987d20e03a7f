"""The rows that boosting trains on: weights above 0, whole frequencies, and a hash of each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallylearn.errors import InputError
from tallylearn.kernels.boosting import loss_gradients
from tallylearn.models.boosting.binned_columns import BinnedColumns
from tallylearn.models.boosting.losses import BoostingLoss
from tallylearn.tables import FREQUENCY, Array, Block


def with_counted_rows(block: Block) -> Block:
    """A row with a frequency of 2 is two rows."""
    if block.weight is None or block.weight_kind != FREQUENCY:
        return block
    times = block.weight
    if (times == np.floor(times)).all():
        return replace(block[np.repeat(np.arange(len(block)), times.astype(np.int64))], weight=None)
    return block


def with_positive_weights(block: Block, weights: Array | None) -> tuple[Block, Array | None]:
    """The rows whose weights are not 0, and those weights."""
    if weights is None or weights.all():
        return block, weights
    kept = np.flatnonzero(weights > 0)
    if not len(kept):
        raise InputError("all rows have the weight 0. Give some rows a positive weight.")
    return block[kept], weights[kept]


def row_hashes(table: BinnedColumns, loss: BoostingLoss, seed: int) -> Array:
    """(n,) uint64: a number for every row that follows from its bins, target, weight and seed.

    Columns with one value do not count: identifiers, which are not used, are among them.
    """
    target = loss.y.view(np.uint64) ^ np.uint64(seed)
    if len(loss.weights):
        target = target ^ (np.ascontiguousarray(loss.weights).view(np.uint64) >> np.uint64(1))
    out = np.empty(len(target), np.uint64)
    codes = table.codes.transpose(1, 0, 2).reshape(len(target), -1)
    varying = (codes != codes[:1]).any(axis=0)
    used = np.ascontiguousarray(codes[None, :, varying])
    loss_gradients.hash_rows(used, np.ascontiguousarray(target), out)
    return out
