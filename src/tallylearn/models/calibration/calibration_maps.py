"""Calibration maps: from the probability that a classifier gives to the share that is right.

References
----------
J. Platt, Probabilistic outputs for support vector machines, 1999; in the form of H.-T. Lin, C.-J.
Lin and R. C. Weng, A note on Platt's probabilistic outputs, Machine Learning 68, 2007.
B. Zadrozny and C. Elkan, Transforming classifier scores into accurate multiclass probability
estimates, KDD 2002.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import expit

from tallylearn.expressions import (
    ClippedNumber,
    Exponential,
    Literal,
    Number,
    Product,
    Quotient,
    Sum,
)
from tallylearn.tables import Array, field_schemas

SAME_PROBABILITY = 1e-15  # probabilities closer than this are one, as in scikit-learn
EQUAL_SPREAD = 1e-12  # relative: probabilities that differ by rounding only
RIDGE = 1e-12  # on the Hessian, which is singular where all probabilities are equal
GRADIENT_TOLERANCE = 1e-10  # for each row
MAX_STEPS = 100  # of Newton's method, which takes about ten
SUFFICIENT_DECREASE = 1e-4  # of the loss, as a share of what its slope promises


@dataclass(frozen=True)
class SigmoidMap:
    """Platt's map: 1 / (1 + exp(slope · p + intercept))."""

    form: ClassVar[field_schemas.Form] = {
        "slope": field_schemas.number(),
        "intercept": field_schemas.number(),
    }
    slope: float
    intercept: float

    @classmethod
    def fit(cls, p: Array, positive: Array, weight: Array) -> SigmoidMap:
        """Maximum likelihood by Newton's method, with Platt's targets in the place of 0 and 1.

        Parameters
        ----------
        p : (n,) predicted probabilities.
        positive : (n,) whether the rows have the class.
        weight : (n,) their weights.
        """
        ones, zeros = float(weight[positive].sum()), float(weight[~positive].sum())
        target = np.where(positive, (ones + 1) / (ones + 2), 1 / (zeros + 2))
        at = np.array([0.0, np.log((zeros + 1) / (ones + 1))])
        centre, spread = float(p.mean()), float(p.std())  # probabilities may all be tiny
        if spread <= EQUAL_SPREAD * float(p.max()):
            spread = 1.0
        design = np.column_stack([(p - centre) / spread, np.ones(len(p))])
        loss = _loss(at, design, target, weight)
        for _ in range(MAX_STEPS):
            share = expit(-(design @ at))
            gradient = design.T @ (weight * (target - share))
            if np.abs(gradient).max() <= GRADIENT_TOLERANCE * weight.sum():
                break
            curvature = (design.T * (weight * share * (1 - share))) @ design + RIDGE * np.eye(2)
            step, size = -np.linalg.solve(curvature, gradient), 1.0
            while size > GRADIENT_TOLERANCE:
                new = _loss(at + size * step, design, target, weight)
                if new <= loss + SUFFICIENT_DECREASE * size * (gradient @ step):
                    break
                size /= 2
            else:
                break  # rounding leaves no better point
            at, loss = at + size * step, new
        slope = float(at[0]) / spread
        return cls(slope, float(at[1]) - slope * centre)

    def apply(self, p: Array) -> Array:
        """(n,) the calibrated probabilities."""
        return np.asarray(expit(-(self.slope * p + self.intercept)))

    def expression(self, p: Number) -> Number:
        """The map of an expression."""
        exponent = Sum((Product((Literal(self.slope), p)), Literal(self.intercept)))
        return Quotient(Literal(1.0), Sum((Literal(1.0), Exponential(exponent))))

    def check(self) -> None:
        """Any two numbers are a map."""

    def __str__(self) -> str:
        sign = "-" if self.intercept < 0 else "+"
        return f"1 / (1 + exp({self.slope:.4g} · p {sign} {abs(self.intercept):.4g}))"


@dataclass(frozen=True, eq=False)
class IsotonicMap:
    """The increasing map of least squares: linear between knots, constant outside of them."""

    form: ClassVar[field_schemas.Form] = {
        "x": field_schemas.floats("n", least=0.0),
        "y": field_schemas.floats("n", least=0.0),
    }
    x: Array  # (n,) increasing probabilities
    y: Array  # (n,) what they become

    @classmethod
    def fit(cls, p: Array, positive: Array, weight: Array) -> IsotonicMap:
        """Pool adjacent violators among the rows, ordered by their probabilities."""
        order = np.argsort(p, kind="stable")
        p, share, weight = p[order], positive[order].astype(np.float64), weight[order]
        starts = np.flatnonzero(np.append(True, np.diff(p) >= SAME_PROBABILITY))
        total = np.add.reduceat(weight, starts)
        share, x = np.add.reduceat(weight * share, starts) / total, p[starts]
        y = np.asarray(isotonic_regression(share, weights=total).x)
        kept = np.ones(len(y), dtype=bool)  # not what lies within a level stretch
        kept[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
        return cls(x[kept], y[kept])

    def apply(self, p: Array) -> Array:
        """(n,) the calibrated probabilities."""
        return np.asarray(np.interp(p, self.x, self.y))

    def expression(self, p: Number) -> Number:
        """The map of an expression: a sum of ramps."""
        terms: list[Number] = [Literal(float(self.y[0]))]
        for i in np.flatnonzero(np.diff(self.y)):
            low, high = float(self.x[i]), float(self.x[i + 1])
            slope = float((self.y[i + 1] - self.y[i]) / (high - low))
            ramp = Sum((ClippedNumber(p, low, high), Literal(-low)))
            terms.append(Product((Literal(slope), ramp)))
        return Sum(tuple(terms))

    def check(self) -> None:
        """Raise a ValueError for knots that are no increasing map of probabilities."""
        if not len(self.x) or (np.diff(self.x) <= 0).any() or (np.diff(self.y) < 0).any():
            raise ValueError("an isotonic map does not increase")
        if self.y[-1] > 1 + SAME_PROBABILITY:
            raise ValueError("an isotonic map exceeds 1")

    def __str__(self) -> str:
        many = len(self.x)
        ends = f"{self.y[0]:.4g} at {self.x[0]:.4g} to {self.y[-1]:.4g} at {self.x[-1]:.4g}"
        return f"{ends}, {many} knot{'s' * (many != 1)}"


CalibrationMap = SigmoidMap | IsotonicMap
MAPS: dict[str, type[SigmoidMap] | type[IsotonicMap]] = {
    "sigmoid": SigmoidMap,
    "isotonic": IsotonicMap,
}


def _loss(at: Array, design: Array, target: Array, weight: Array) -> float:
    """The negative log-likelihood of shares 1 / (1 + exp(z)): t z + log(1 + exp(-z))."""
    z = design @ at
    return float(weight @ (target * z + np.logaddexp(0.0, -z)))
