"""How many principal components are likely: Minka's estimate."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from tallylearn.errors import InputError
from tallylearn.preprocessing.components import NOTHING
from tallylearn.tables import Array


def estimate_dimension(variance: Array, rows: float, p: int) -> int:
    """How many components make the rows most likely (Minka, 2000)."""
    if rows < p:
        raise InputError(
            f"n_components='mle' needs as many rows as columns, and there are {rows:g} and {p}. "
            "Give the number of components."
        )
    likely = [_log_evidence(variance, k, rows) for k in range(1, p)]
    return int(np.argmax(likely)) + 1 if likely else 1


def _log_evidence(variance: Array, k: int, rows: float) -> float:
    """The logarithm of the evidence for k components, by Laplace's approximation."""
    p = len(variance)
    if variance[k - 1] < 1e-15:
        return -np.inf
    sizes = (p - np.arange(k)) / 2
    prior = -k * np.log(2.0) + float((gammaln(sizes) - np.log(np.pi) * sizes).sum())
    kept = -rows / 2 * float(np.log(variance[:k]).sum())
    noise = max(NOTHING, float(variance[k:].sum() / (p - k)))
    rest = -np.log(noise) * rows * (p - k) / 2
    m = p * k - k * (k + 1) / 2
    volume = np.log(2 * np.pi) * (m + k) / 2
    other = np.where(np.arange(p) < k, variance, noise)
    curve = sum(
        np.log((variance[i] - variance[j]) * (1 / other[j] - 1 / other[i])) + np.log(rows)
        for i in range(k)
        for j in range(i + 1, p)
    )
    return float(prior + kept + rest + volume - curve / 2 - k * np.log(rows) / 2)
