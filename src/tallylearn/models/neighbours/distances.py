"""Distances: how far two rows of numbers lie apart."""

from __future__ import annotations

import numpy as np

from tallylearn.tables import Array

METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "gower")
ALIASES = {"l1": "manhattan", "cityblock": "manhattan", "l2": "euclidean"}
FORMULAS = {
    "euclidean": "d(x, z) = sqrt(Σ (x - z)²)",
    "manhattan": "d(x, z) = Σ |x - z|",
    "chebyshev": "d(x, z) = max |x - z|",
    "minkowski": "d(x, z) = (Σ |x - z|^p)^(1/p)",
    "cosine": "d(x, z) = 1 - x · z / (|x| |z|)",
    "gower": "d(x, z) = mean over the columns that both have: |x - z| / range, or x differs from z",
}


def named(metric: str, p: float) -> str:
    """The name of a metric, by its power where it is Minkowski's."""
    metric = ALIASES.get(metric, metric)
    powers = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}
    return powers.get(float(p), metric) if metric == "minkowski" else metric


def power(metric: str, p: float) -> float:
    """The power of the Minkowski metric that this is."""
    return {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf}.get(metric, p)


def between(a: Array, b: Array, metric: str, p: float) -> Array:
    """(n,) from every row of a to the same row of b."""
    with np.errstate(over="ignore"):
        apart = np.abs(a - b)
        if metric == "euclidean":
            size = measure(apart)  # a square of 1e-200 is 0, and one of 1e200 infinite
            apart *= 1 / size
            return np.asarray(size * np.sqrt(np.einsum("ij,ij->i", apart, apart)))
        if metric == "manhattan":
            return np.asarray(apart.sum(axis=1))
        if metric == "chebyshev":
            return np.asarray(apart.max(axis=1, initial=0.0))
        return np.asarray((apart**p).sum(axis=1) ** (1 / p))


def measure(numbers: Array) -> float:
    """The power of two that is about as large as the largest number, if that is far from 1."""
    largest = float(np.abs(numbers).max(initial=0.0))
    if 1e-100 < largest < 1e100 or not 0 < largest < np.inf:
        return 1.0
    return float(2.0 ** np.floor(np.log2(largest)))


def directions(points: Array) -> Array:
    """Rows of length one; a row of zeros has no direction, and stays."""
    length = np.sqrt(np.einsum("ij,ij->i", points, points))[:, None]
    return np.asarray(points / np.where(length > 0, length, 1.0))


def gower(numbers: tuple[Array, Array], scale: Array, codes: tuple[Array, Array]) -> Array:
    """(n, m) from every query to every example; infinite where no column is there in both."""
    (x, z), (a, b) = numbers, codes
    total, seen = np.zeros((len(x), len(z))), np.zeros((len(x), len(z)))
    for j in range(x.shape[1]):
        apart = np.abs(x[:, j, None] - z[None, :, j]) / scale[j]
        there = ~np.isnan(apart)
        total += np.where(there, apart, 0.0)
        seen += there
    for j in range(a.shape[1]):
        there = (a[:, j, None] != -1) & (b[None, :, j] != -1)
        total += there & (a[:, j, None] != b[None, :, j])
        seen += there
    return np.where(seen > 0, total / np.maximum(seen, 1), np.inf)
