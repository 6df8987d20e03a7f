"""Impurity: how mixed a node is, by the counts of its classes or the sums of its measures.

A split gains what it lowers the impurity by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tallylearn.models.trees.growing.node_target import LIMBS, Target, sums_of
from tallylearn.statistics.impurity import entropy, gini, shares_of
from tallylearn.tables import Array

MOST_LOGS = 1 << 22


def impurity_of(criterion: str, target: Target) -> Callable[[Array], Array]:
    """The impurity of lines (..., q) of whole amounts, in the units of the target.

    >>> from tallylearn.models.trees.growing.node_target import of_classes
    >>> from tallylearn.tables import Codes
    >>> counts = of_classes(Codes.of(["No"] * 5 + ["Yes"] * 9), None)
    >>> float(impurity_of("entropy", counts)(np.array([5, 9])).round(3))
    0.94
    """
    if criterion in ("gini", "entropy"):
        measure = gini if criterion == "gini" else entropy
        return lambda lines: measure(shares_of(_counts(lines, target)))
    if criterion == "sdr":
        return lambda lines: np.sqrt(variance(lines)) * target.unit
    if criterion == "fifth_root":
        return lambda lines: np.asarray((variance(lines) * target.unit**2) ** 0.2)
    if criterion == "poisson":
        return lambda lines: poisson(lines) * target.unit
    return lambda lines: variance(lines) * target.unit**2


def weights_of(lines: Array, target: Target) -> Array:
    """The weight of lines (..., q)."""
    units = lines[..., : len(target.classes)].sum(axis=-1) if target.classes else lines[..., 0]
    return np.asarray(units * 2.0**-target.power)


def _counts(lines: Array, target: Target) -> Array:
    return np.asarray(lines[..., : len(target.classes)] * 2.0**-target.power)


def times_log2(most: int) -> Array:
    """x log2 x for the whole numbers below ``most``: the kernels' entropies are sums of these."""
    x: Array = np.arange(most, dtype=np.float64)
    x[1:] *= np.log2(x[1:])
    return x


def logs_of(target: Target) -> Array:
    """The same for the counts that may come; of too many none, and the kernel works them out."""
    most = int(target.total * 2.0**target.power) + 1
    return times_log2(most if most <= MOST_LOGS else 2)


def gain_of(
    branches: Array, total: Array, criterion: str, target: Target
) -> tuple[Array, Array, Array]:
    """The impurity after every split (c, b, q), its gain, and its split information.

    With rows in parts the gain is that of the known rows times their share, and the unknown ones
    count as one more branch of the split (Quinlan, 1993).
    """
    impurity = impurity_of(criterion, target)
    weight, all_ = weights_of(branches, target), float(weights_of(total, target))
    known = weight.sum(axis=1)
    after = (weight * impurity(branches)).sum(axis=1) / known
    before = impurity(branches[:1].sum(axis=1))  # the same for all
    gain = np.maximum(known / all_ * (before - after), 0.0)
    return after, gain, information_of(weight / all_)


def information_of(shares: Array) -> Array:
    """Of splits, in bits, by the shares (..., b) of the branches; what is left is one more."""
    parts = np.concatenate([shares, 1.0 - shares.sum(axis=-1, keepdims=True)], axis=-1)
    return entropy(parts)


def fall(i: int, kids: Sequence[int], n: Array, impurity: Array) -> float:
    """How far a split lowers the impurity: that of the node less the mean of its branches."""
    branches = [*kids]
    return float(impurity[i] - (n[branches] * impurity[branches]).sum() / n[i])


def variance(lines: Array) -> Array:
    """The mean square of y less the square of its mean, by m and not by m - 1."""
    w = np.where(lines[..., 0] > 0, lines[..., 0], 1).astype(np.float64)
    mean = sums_of(lines) / w
    powers = 2.0 ** (32 * np.arange(LIMBS))
    square = (lines[..., 2 : 2 + LIMBS] * powers).sum(axis=-1) / w
    found = square - mean * mean
    return np.asarray(np.where(found > 1e-14 * square, found, 0.0))  # below is rounding


def poisson(lines: Array) -> Array:
    """The mean of y log(y / mean): half the Poisson deviance; 0 log 0 is 0."""
    w = np.where(lines[..., 0] > 0, lines[..., 0], 1).astype(np.float64)
    total, logs = sums_of(lines), lines[..., 2] + lines[..., 3] * 2.0**32
    least = total * np.log(np.where(total > 0, total, 1.0) / np.where(total > 0, w, 1.0))
    return np.asarray(np.maximum(logs * 64.0 - least, 0.0) / w)
