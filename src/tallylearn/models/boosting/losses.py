"""Losses of gradient boosting: gradients, Hessians and baselines in terms of raw scores.

A raw score is what the trees add up to; the inverse link turns it into a prediction.

| loss | inverse link | gradient | Hessian | baseline |
|---|---|---|---|---|
| log loss, two classes | 1 / (1 + e^-f) | p - y | p (1 - p) | log odds |
| log loss, k classes | softmax | p_c - [y = c] | p_c (1 - p_c) | log share |
| squared error | f | f - y | 1 | mean |
| absolute error | f | sign(f - y) | 1 | median |
| quantile q | f | 1 - q above y, else -q | 1 | quantile |
| Poisson | e^f | e^f - y | e^f | log mean |
| gamma | e^f | 1 - y e^-f | y e^-f | log mean |

Leaves of the losses without curvature (absolute error, quantile) get the median or the quantile of
their residuals in the place of the Newton step (Friedman, 2001, section 4.3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallylearn.errors import TargetError
from tallylearn.kernels.boosting import loss_gradients
from tallylearn.tables import Array

IDENTITY, LOGISTIC, SOFTMAX, EXPONENTIAL = LINKS = (
    "identity",
    "logistic",
    "softmax",
    "exponential",
)
REGRESSION_LOSSES = ("squared_error", "absolute_error", "gamma", "poisson", "quantile")
LOSS_BITS = 40  # of the largest loss of a row: a sum of integers has no order
NO_WEIGHTS = np.zeros(0)


@dataclass(frozen=True)
class BoostingLoss:
    """A loss and the rows that it is of: classes as ``labels``, numbers as ``y``."""

    name: str
    y: Array  # (n,) float64: the target; of two classes 1 for the second
    labels: Array = field(default_factory=lambda: np.zeros(0, np.int32))  # (n,) of classes
    classes: tuple[Any, ...] = ()  # sorted; none of numbers
    weights: Array = field(default_factory=lambda: NO_WEIGHTS)  # (n,), or empty: all are 1
    quantile: float = 0.5

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def outputs(self) -> int:
        """Raw scores of a row, and trees of a round."""
        return 1 if self.n_classes in (0, 2) else self.n_classes

    @property
    def link(self) -> str:
        if self.n_classes:
            return LOGISTIC if self.n_classes == 2 else SOFTMAX
        return EXPONENTIAL if self.name in ("poisson", "gamma") else IDENTITY

    @property
    def constant_hessian(self) -> bool:
        """Whether the Hessian of every row is 1."""
        return self.link == IDENTITY and not len(self.weights)

    @property
    def bounded(self) -> bool:
        """Whether gradients are within 1 of 0, and Hessians at most 1/4."""
        return bool(self.n_classes) and not len(self.weights)

    @property
    def leaf_quantile(self) -> float | None:
        """The quantile of the residuals that is the value of a leaf; None: a Newton step."""
        return {"absolute_error": 0.5, "quantile": self.quantile}.get(self.name)

    def at(self, rows: Array) -> BoostingLoss:
        """The loss of some rows."""
        return replace(
            self,
            y=self.y[rows],
            labels=self.labels[rows] if len(self.labels) else self.labels,
            weights=self.weights[rows] if len(self.weights) else self.weights,
        )

    def baseline(self) -> Array:
        """(outputs,) the constant raw scores that fit best."""
        if self.n_classes:
            w = self.weights if len(self.weights) else np.ones(len(self.labels))
            total = [math.fsum(w[self.labels == c]) for c in range(self.n_classes)]
            share = np.array(total) / math.fsum(total)
            smallest = np.finfo(np.float64).eps
            share = np.clip(share, smallest, 1 - smallest)
            if self.link == LOGISTIC:
                return np.array([math.log(share[1] / share[0])])
            logs = np.log(share)
            return np.asarray(logs - math.fsum(logs) / len(logs))
        if self.leaf_quantile is not None:
            return np.array([weighted_quantile(self.y, self.weights, self.leaf_quantile)])
        mean = weighted_mean(self.y, self.weights)
        if self.link == IDENTITY:
            return np.array([mean])
        if mean <= 0:
            raise TargetError(
                f"loss={self.name!r} needs a target with a positive mean, and the mean is "
                f'{mean:g}. Use loss="squared_error".'
            )
        return np.array([math.log(mean)])

    def check(self) -> None:
        """Raise a TargetError for targets that the loss has no value for."""
        if self.name == "poisson" and (self.y < 0).any():
            at = int(np.argmax(self.y < 0))
            raise TargetError(
                f'loss="poisson" needs targets of 0 or more, and the target is {self.y[at]:g} in '
                f'row {at}. Correct or drop that row, or use loss="squared_error".'
            )
        if self.name == "gamma" and (self.y <= 0).any():
            at = int(np.argmax(self.y <= 0))
            raise TargetError(
                f'loss="gamma" needs positive targets, and the target is {self.y[at]:g} in row '
                f'{at}. Correct or drop that row, or use loss="squared_error".'
            )

    def probabilities(self, raw: Array, out: Array, rows: slice) -> None:
        """(k, n) the probabilities of several classes, once a round."""
        loss_gradients.softmax(raw, out, rows.start, rows.stop)

    def gradients(
        self, raw: Array, shares: Array, output: int, rows: slice, g: Array, h: Array
    ) -> None:
        """Write the gradients and Hessians of some rows for one of the outputs."""
        g, h, f, y = g[rows], h[rows], raw[output, rows], self.y[rows]
        if self.link == SOFTMAX:
            loss_gradients.class_gradients(shares[output, rows], self.labels[rows], output, g, h)
        elif self.n_classes:
            loss_gradients.log_loss(f, y, g, h)
        elif self.link == EXPONENTIAL:
            loss_gradients.exponential_loss(f, y, self.name == "gamma", g, h)
        else:
            if self.name == "squared_error":
                np.subtract(f, y, out=g)
            elif self.name == "absolute_error":
                g[:] = np.sign(f - y)
            else:
                g[:] = np.where(f >= y, 1 - self.quantile, -self.quantile)
            h[:] = 1.0
        if len(self.weights):
            g *= self.weights[rows]
            h *= self.weights[rows]

    def mean_loss(self, raw: Array) -> float:
        """The mean loss of the rows, the same for every order of them."""
        losses = np.empty(raw.shape[1])
        f = raw[0]
        if self.n_classes:
            loss_gradients.log_losses(np.ascontiguousarray(raw), self.labels, losses)
        elif self.name == "squared_error":
            losses = (f - self.y) ** 2 / 2
        elif self.name == "absolute_error":
            losses = np.abs(f - self.y)
        elif self.name == "quantile":
            over = f >= self.y
            losses = np.where(over, 1 - self.quantile, self.quantile) * np.abs(f - self.y)
        elif self.name == "poisson":
            losses = exponentials(f) - self.y * f
        else:
            losses = f + self.y * exponentials(-f)
        return weighted_mean(losses, self.weights)


def class_scores(link: str, raw: Array) -> Array:
    """(n, k) one score a class from raw scores (n, outputs); of two classes 0 for the first."""
    return np.column_stack([np.zeros(len(raw)), raw[:, 0]]) if link == LOGISTIC else raw


def linked_numbers(link: str, raw: Array) -> Array:
    """(n,) the predicted numbers that raw scores (n, 1) stand for."""
    return exponentials(raw[:, 0]) if link == EXPONENTIAL else raw[:, 0]


def exponentials(x: Array) -> Array:
    """e to every number, by the library's own function: the same bits on every machine."""
    out = np.empty(len(x))
    loss_gradients.exp_all(np.ascontiguousarray(x, dtype=np.float64), out)
    return out


def weighted_mean(x: Array, weights: Array) -> float:
    """The mean, from sums of integers: no order of the numbers changes it."""
    if not len(weights):
        return ordered_sum(x) / len(x)
    return ordered_sum(x * weights) / ordered_sum(weights)


def ordered_sum(x: Array) -> float:
    """The sum of numbers, each rounded to 40 bits of the largest, so that it has no order."""
    top = float(np.abs(x).max(initial=0.0))
    if top == 0 or not math.isfinite(top):
        return 0.0 if top == 0 else math.fsum(x)
    power = min(LOSS_BITS, 62 - len(x).bit_length()) - math.frexp(top)[1]
    return math.ldexp(float(np.rint(np.ldexp(x, power)).astype(np.int64).sum()), -power)


def weighted_quantile(x: Array, weights: Array, q: float) -> float:
    """The quantile of weighted numbers; without weights NumPy's, between two neighbours."""
    if not len(weights):
        return float(np.quantile(x, q))
    order = np.argsort(x, kind="stable")
    reached = np.cumsum(weights[order])
    at = int(np.searchsorted(reached, q * reached[-1]))
    return float(x[order[min(at, len(x) - 1)]])
