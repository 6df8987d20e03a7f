"""Soft thresholds: weights under a penalty on their sizes, for a whole path of penalties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.models.glm.linear.least_squares import Normal
from tallylearn.models.glm.linear.penalty_path import grid
from tallylearn.models.glm.linear.projected_newton import descend_path
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

    def costs(self, alpha: Array, n: float, square: float) -> Array:
        """(m, 3) what a kernel asks for, in sums over the rows."""
        each = [[n * a * self.share, n * a * (1 - self.share), square] for a in alpha.tolist()]
        return np.array(each).reshape(-1, 3)

    def rested(self, gap: Array, rounds: Array, square: Array) -> bool:
        """Whether the gaps, a row, are small enough, or no weight would move in another round."""
        each = zip(gap.tolist(), rounds.tolist(), square.tolist(), strict=True)
        return all(g <= self.tol * s or r < self.rounds for g, r, s in each)


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
    out, found = np.zeros((t, len(penalty), p)), np.empty((t, len(penalty), 2))
    for k in range(t):
        goal, square = products[:p, p + k].copy(), float(products[p + k, p + k])
        limits = np.array([rule.tol * square, float(rule.rounds), float(rule.positive)])
        costs = rule.costs(penalty, normal.rows, square)
        found[k] = descend_path(gram, goal, costs, limits, goal.copy(), out[k])
    gaps, rounds = found.T
    return Softened(
        out.swapaxes(0, 1),
        np.maximum(gaps, 0.0) / normal.rows,  # below 0 is rounding
        rounds.astype(np.int64),
    )


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
