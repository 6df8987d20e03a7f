"""Soft thresholds: weights under a penalty on their sizes, for a whole path of penalties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.kernels import coordinates
from tallylearn.models.linear.least_squares import Normal
from tallylearn.models.linear.penalty_path import grid
from tallylearn.tables import Array

FAR = 1e-3  # the smallest penalty of a path, as a share of the one that leaves no weight
ABOVE = 1 + 1e-12  # so that rounding leaves no weight at the first


@dataclass(frozen=True)
class Rule:
    """How weights pay: alpha (share |w| + (1 - share) w² / 2); and when they are at rest."""

    share: float
    tol: float  # of the target's squares: a duality gap below is small enough
    rounds: int
    positive: bool = False

    def costs(self, alpha: float, n: float, square: float) -> Array:
        """What a kernel asks for, in sums over the rows."""
        return np.array([n * alpha * self.share, n * alpha * (1 - self.share), square])

    def rested(self, gap: Array, rounds: Array, square: Array) -> bool:
        """Whether the gaps, a row, are small enough, or no weight would move in another round."""
        return bool(((gap <= self.tol * square) | (rounds < self.rounds)).all())


@dataclass(frozen=True)
class Softened:
    """Weights for every penalty, how far from the best they may be, and in how many rounds."""

    coef: Array  # (m, t, p)
    gap: Array  # (m, t) duality gaps, divided by the rows
    rounds: Array  # (m, t)


def softened(normal: Normal, penalty: Array, rule: Rule) -> Softened:
    """From the products of the columns; each penalty starts where the larger one before ended."""
    p, t, products = normal.p, len(normal.scale) - normal.p, normal.products
    gram = np.ascontiguousarray(products[:p, :p])
    out = np.zeros((len(penalty), t, p))
    gaps, rounds = np.zeros((len(penalty), t)), np.zeros((len(penalty), t), dtype=np.int64)
    for k in range(t):
        goal, square = products[:p, p + k].copy(), float(products[p + k, p + k])
        weights, slope, found = np.zeros(p), goal.copy(), np.zeros(2)
        limits = np.array([rule.tol * square, float(rule.rounds), float(rule.positive)])
        for m, alpha in enumerate(penalty):
            costs = rule.costs(float(alpha), normal.rows, square)
            coordinates.descend_products(gram, goal, costs, limits, weights, slope, found)
            out[m, k], rounds[m, k] = weights, int(found[1])
            gaps[m, k] = max(found[0], 0.0) / normal.rows  # below 0 is rounding
    return Softened(out, gaps, rounds)


def soft_penalties(normal: Normal, share: float, positive: bool) -> Array:
    """(m,) from the least penalty that leaves no weight, down to a thousandth of it."""
    steepest = least_empty(normal, share, positive)
    return grid(steepest, steepest * FAR, normal.lengths, 1 if share == 1 else 2)


def least_empty(normal: Normal, share: float, positive: bool) -> float:
    """The least penalty that leaves no weight."""
    slope = normal.products[: normal.p, normal.p :]
    slope = slope if positive else np.abs(slope)
    steepest = float(slope.max(initial=0.0)) / (normal.rows * max(share, FAR))
    return steepest * ABOVE or 1.0
