"""MDL cuts: an interval is cut where the classes change most, if telling of the cut pays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallylearn.statistics.impurity import entropy, shares_of
from tallylearn.tables import Array
from tallylearn.tallies import Values


class MdlDecision(NamedTuple):
    """The best cut of an interval, and whether it is worth its description.

    Attributes
    ----------
    below, above : ndarray
        (k,) the weight of every class below and above the cut.
    cut : float
        The cut, halfway between two numbers.
    gain : float
        The information gain of the cut.
    least : float
        The gain that a cut of this interval needs.
    """

    below: Array
    above: Array
    cut: float
    gain: float
    least: float

    @property
    def worth(self) -> bool:
        """Whether the interval is cut."""
        return self.gain > self.least


def mdl_decisions(values: Values) -> list[MdlDecision]:
    """The best cut of every interval of two numbers or more, intervals from left to right."""
    weights, numbers = values.floats(), values.numbers
    found: list[MdlDecision] = []
    runs = [(0, len(numbers))]
    while runs:
        first, last = runs.pop()
        if last - first < 2:
            continue
        at, decision = _best_cut(weights[:, first:last], numbers[first:last])
        found.append(decision)
        if decision.worth:
            runs += [(first + at, last), (first, first + at)]
    return found


def mdl_cuts(values: Values) -> Array:
    """The cuts of a column, rising; each halfway between two numbers that were seen."""
    cuts = [decision.cut for decision in mdl_decisions(values) if decision.worth]
    return np.unique(np.array(cuts, dtype=np.float64))


def _best_cut(weights: Array, numbers: Array) -> tuple[int, MdlDecision]:
    """The best cut of an interval, after how many of its numbers, and the gain that it needs.

    Fayyad and Irani 1993, section 3: gain > (log2(N - 1) + Δ) / N, with
    Δ = log2(3^k - 2) - (k E(S) - k1 E(S1) - k2 E(S2)).
    """
    below = np.cumsum(weights, axis=1)
    whole = below[:, -1:]
    below, above = below[:, :-1], whole - below[:, :-1]
    n, n1, n2 = whole.sum(), below.sum(axis=0), above.sum(axis=0)
    left, right, before = _entropy(below), _entropy(above), float(_entropy(whole)[0])
    gain = before - (n1 * left + n2 * right) / n
    at = int(gain.argmax())
    k, k1, k2 = (np.count_nonzero(part) for part in (whole, below[:, at], above[:, at]))
    more = np.log2(3.0**k - 2) - (k * before - k1 * left[at] - k2 * right[at])
    least = float((np.log2(n - 1) + more) / n) if n > 1 else np.inf
    cut = _midpoint(numbers[at], numbers[at + 1])
    return at + 1, MdlDecision(below[:, at], above[:, at], cut, float(gain[at]), least)


def _entropy(weights: Array) -> Array:
    """(m,) of the shares in every column (k, m), in bits."""
    return entropy(shares_of(weights, axis=0), axis=0)


def _midpoint(low: float, high: float) -> float:
    """Halfway; above the lower number, whatever the rounding."""
    middle = low / 2 + high / 2
    return float(middle if low < middle <= high else high)
