"""Entropy and Gini impurity of shares.

For small arrays; ``kernels.trees.impurity`` has the same in integers, for the loops of trees.
"""

from __future__ import annotations

import numpy as np

from tallylearn.tables import Array


def shares_of(weights: Array, axis: int = -1) -> Array:
    """Weights divided by their sum along an axis; 0 where that is 0."""
    total = weights.sum(axis=axis, keepdims=True)
    return np.asarray(weights / np.where(total > 0, total, 1.0))


def entropy(shares: Array, axis: int = -1) -> Array:
    """- sum p log2 p along an axis, in bits; 0 log 0 is 0 (C. Shannon, 1948).

    >>> float(entropy(np.array([5, 9]) / 14).round(3))
    0.94
    """
    logs = np.log2(np.where(shares > 0, shares, 1.0))
    return np.asarray(-(shares * logs).sum(axis=axis)) + 0.0


def gini(shares: Array, axis: int = -1) -> Array:
    """1 - sum p^2 along an axis: how often two rows, drawn with replacement, differ in class.

    >>> float(gini(np.array([0.5, 0.5])))
    0.5
    """
    return np.asarray(1.0 - (shares * shares).sum(axis=axis))
