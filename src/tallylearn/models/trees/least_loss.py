"""The answer of a node is the class of least expected loss; ties are broken as one wishes."""

from __future__ import annotations

import numpy as np

from tallylearn.folds.hashing import splitmix64
from tallylearn.tables import Array

UNDEFINED = "undefined"  # the answer where classes tie, if a tie is to have none


def answer_of(
    counts: Array, loss: Array, tie: str = "first", seed: int = 0, nodes: Array | None = None
) -> Array:
    """The class of least expected loss; with equal losses the largest.

    Of tied ones the first in order; or one that the seed draws for every node, rows being nodes
    unless said; or none, which is -1. ``loss`` (k, k): what it costs to answer with class j where
    class i is right.
    """
    if not loss.size and tie == "first":
        return np.asarray(counts.argmax(axis=1), dtype=np.float64)
    expected = counts @ loss if loss.size else -counts
    slack = 1e-9 * np.abs(expected).max(axis=1, keepdims=True)
    best = expected <= expected.min(axis=1, keepdims=True) + slack
    if tie == "random":
        n, k = best.shape
        places = k * (np.arange(n) if nodes is None else nodes)[:, None] + np.arange(k)
        drawn = splitmix64(seed, places.ravel()).reshape(best.shape) | np.uint64(1)
        return np.asarray(np.where(best, drawn, 0).argmax(axis=1), dtype=np.float64)
    found = best.argmax(axis=1)
    if tie == "undefined":
        found = np.where(best.sum(axis=1) > 1, -1, found)
    return np.asarray(found, dtype=np.float64)
