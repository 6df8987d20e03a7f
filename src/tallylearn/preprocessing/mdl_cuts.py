"""MDL cuts: an interval is cut where the classes change most, if telling of the cut pays."""

from __future__ import annotations

import numpy as np

from tallylearn.statistics.impurity import entropy, shares_of
from tallylearn.tables import Array
from tallylearn.tallies import Values


def mdl_cuts(values: Values) -> Array:
    """The cuts of a column, rising; each halfway between two numbers that were seen."""
    weights, numbers = values.floats(), values.numbers
    cuts: list[float] = []
    runs = [(0, len(numbers))]
    while runs:
        first, last = runs.pop()
        at = _cut(weights[:, first:last])
        if at:
            cuts.append(_between(numbers[first + at - 1], numbers[first + at]))
            runs += [(first, first + at), (first + at, last)]
    return np.unique(np.array(cuts, dtype=np.float64))


def _cut(weights: Array) -> int:
    """How many of the numbers lie below the best cut; 0 where none is worth its description.

    Fayyad and Irani 1993, section 3: gain > (log2(N - 1) + Δ) / N, with
    Δ = log2(3^k - 2) - (k E(S) - k1 E(S1) - k2 E(S2)).
    """
    if weights.shape[1] < 2:
        return 0
    below = np.cumsum(weights, axis=1)
    whole = below[:, -1:]
    below, above = below[:, :-1], whole - below[:, :-1]
    n, n1, n2 = whole.sum(), below.sum(axis=0), above.sum(axis=0)
    left, right, before = _entropy(below), _entropy(above), float(_entropy(whole)[0])
    gain = before - (n1 * left + n2 * right) / n
    at = int(gain.argmax())
    k, k1, k2 = (np.count_nonzero(part) for part in (whole, below[:, at], above[:, at]))
    more = np.log2(3.0**k - 2) - (k * before - k1 * left[at] - k2 * right[at])
    worth = n > 1 and gain[at] > (np.log2(n - 1) + more) / n
    return at + 1 if worth else 0


def _entropy(weights: Array) -> Array:
    """(m,) of the shares in every column (k, m), in bits."""
    return entropy(shares_of(weights, axis=0), axis=0)


def _between(low: float, high: float) -> float:
    """Halfway; above the lower number, whatever the rounding."""
    middle = low / 2 + high / 2
    return float(middle if low < middle <= high else high)
