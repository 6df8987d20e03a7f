"""Penalties on coefficients: ridge (squares), lasso (absolute values) and both, the elastic net."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tallylearn.tables import Array


@dataclass(frozen=True)
class Penalty:
    """½ Σ ridge θ² + Σ lasso |θ|, for standardised columns, as a share of the mean loss.

    Intercepts are never penalised. Where the first of k classes has no coefficients, because the
    others are compared with it, the ridge is that of all k vectors around their mean: the smallest
    coefficients that predict the same.
    """

    ridge: Array  # (width,)
    lasso: Array  # (width,)
    centred: int = 0  # k, where the first class has no coefficients

    @classmethod
    def of(cls, scale: Array, weight: float, *, l2: float, l1: float, centred: int = 0) -> Penalty:
        """From the penalties of coefficients in the columns' units, and the weight of all rows."""
        ridge, lasso = l2 / scale**2 / weight, l1 / scale / weight
        return cls(np.insert(ridge, 0, 0.0), np.insert(lasso, 0, 0.0), centred)

    def with_pseudo_row(self, weight: float) -> Penalty:
        """With a ridge that counts as one row among so many, for columns a sample may not show."""
        return replace(
            self, ridge=self.ridge + np.insert(np.full(len(self.ridge) - 1, 1.0), 0, 0.0) / weight
        )

    @property
    def nothing(self) -> bool:
        return not (self.ridge.any() or self.lasso.any())

    @property
    def sparse(self) -> bool:
        """Whether there is a lasso, which is not smooth at 0."""
        return bool(self.lasso.any())

    def value(self, coef: Array) -> float:
        ridge = 0.5 * (self.ridge * (coef * self._around_mean(coef))).sum()
        return float(ridge + (self.lasso * np.abs(coef)).sum())

    def ridge_gradient(self, coef: Array) -> Array:
        """(m, width)"""
        return np.asarray(self.ridge * self._around_mean(coef))

    def add_hessian(self, hessian: Array, m: int) -> Array:
        """Add the Hessian of the ridge to one of all coefficients (M, M), in place."""
        width = len(self.ridge)
        at, each = np.arange(width), np.eye(m) - (1 / self.centred if self.centred else 0.0)
        for a in range(m):
            for b in range(m):
                hessian[a * width + at, b * width + at] += each[a, b] * self.ridge
        return hessian

    def lasso_change(self, coef: Array, step: Array) -> float:
        """How much the lasso rises by a step."""
        return float((self.lasso * (np.abs(coef + step) - np.abs(coef))).sum())

    def subgradient(self, coef: Array, gradient: Array) -> Array:
        """The shortest subgradient: of a coefficient of 0 what of its gradient the lasso leaves.

        It is 0 at the minimum and nowhere else (the KKT conditions), and against it the objective
        falls fastest.
        """
        if not self.sparse:
            return gradient
        lasso = np.broadcast_to(self.lasso, coef.shape)
        left = np.sign(gradient) * np.maximum(np.abs(gradient) - lasso, 0.0)
        return np.asarray(np.where(coef == 0, left, gradient + lasso * np.sign(coef)))

    def same_orthant(self, reached: Array, coef: Array, direction: Array) -> Array:
        """Coefficients after a step, 0 where one changed its sign on the way (Andrew and Gao).

        A coefficient of 0 has the sign of the direction that it leaves along.
        """
        if not self.sparse:
            return reached
        side = np.where(coef == 0, np.sign(direction), np.sign(coef))
        held = np.broadcast_to(self.lasso > 0, reached.shape)
        return np.where(held & (reached * side < 0), 0.0, reached)

    def _around_mean(self, coef: Array) -> Array:
        return coef - coef.sum(axis=0) / self.centred if self.centred else coef
