"""Penalties: what long weights cost, squared (ridge) and as they are (lasso)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tallylearn.models.glm.logistic.loss_derivatives import Slope
from tallylearn.tables import Array


@dataclass(frozen=True)
class Penalty:
    """Costs of the weights of scaled columns, as shares of the mean loss; constants cost nothing.

    Where the first of k classes has no weights of its own, all are compared with it, and what is
    penalised are the weights of all k around their mean: the smallest that answer the same.
    """

    ridge: Array  # (width,) times w² / 2
    lasso: Array  # (width,) times |w|
    shared: int = 0  # k, where the first class is compared with

    @classmethod
    def of(cls, scale: Array, weight: float, l2: float, l1: float, shared: int) -> Penalty:
        """From the penalties of plain weights, and the weight of all rows."""
        ridge, lasso = l2 / scale**2 / weight, l1 / scale / weight
        return cls(np.insert(ridge, 0, 0.0), np.insert(lasso, 0, 0.0), shared)

    def steadied(self, weight: float) -> Penalty:
        """With what one row of so many would say for a weight of 0, column by column."""
        return replace(
            self, ridge=self.ridge + np.insert(np.full(len(self.ridge) - 1, 1.0), 0, 0.0) / weight
        )

    @property
    def nothing(self) -> bool:
        return not (self.ridge.any() or self.lasso.any())

    def objective(self, theta: Array, slope: Slope) -> float:
        """The mean loss and the cost of the weights."""
        around = self._around(theta)
        cost = 0.5 * (self.ridge * (theta * around)).sum() + (self.lasso * np.abs(theta)).sum()
        return float(slope.loss / slope.weight + cost)

    def gradient(self, theta: Array, slope: Slope) -> Array:
        """(m, width) of the mean loss and the ridge."""
        return np.asarray(slope.gradient / slope.weight + self.ridge * self._around(theta))

    def curvature(self, m: int, slope: Slope) -> Array:
        """(M, M) of the mean loss and the ridge."""
        out = slope.curvature / slope.weight
        width = len(self.ridge)
        each = np.eye(m) - (1 / self.shared if self.shared else 0.0)
        for a in range(m):
            for b in range(m):
                at = np.arange(width)
                out[a * width + at, b * width + at] += each[a, b] * self.ridge
        return np.asarray(out)

    def cost(self, theta: Array, step: Array) -> float:
        """How much more the lasso costs after a step."""
        return float((self.lasso * (np.abs(theta + step) - np.abs(theta))).sum())

    def steepest(self, theta: Array, gradient: Array) -> Array:
        """The gradient with the lasso's: where a weight is 0, the smaller way out of it."""
        if not self.lasso.any():
            return gradient
        lasso = np.broadcast_to(self.lasso, theta.shape)
        stuck = np.sign(gradient) * np.maximum(np.abs(gradient) - lasso, 0.0)
        return np.asarray(np.where(theta == 0, stuck, gradient + lasso * np.sign(theta)))

    def _around(self, theta: Array) -> Array:
        return theta - theta.sum(axis=0) / self.shared if self.shared else theta
