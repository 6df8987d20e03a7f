"""Penalty paths: how every fold is predicted by all others, for a whole grid of penalties.

Folds are summed apart in one pass. The weights of a fold's training rows come from the sums of the
other folds, its squared errors from its own sums: no row is looked at again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallylearn.models.glm.linear.least_squares import Normal
from tallylearn.models.glm.linear.ridge_weights import without_rounding
from tallylearn.models.glm.linear.sums import Sums
from tallylearn.tables import Array, field_schemas

MANY = 100  # penalties
ALIKE = 0.1  # the shortest column as a share of the longest: no need to go further down
LONGEST = 4.0  # times as many penalties
LEAST = 1e-300  # a penalty: what is below has no digits left
HIGH, LOW = 1e3, 1e-7  # of the largest squared singular value: all shrunk, nothing shrunk


@dataclass(frozen=True)
class CrossValidated:
    """Mean squared errors over folds, for every penalty; the largest penalty first."""

    penalty: Array  # (m,)
    error: Array  # (m,) over all rows
    deviation: Array  # (m,) standard error of the mean over folds
    folds: int

    form: ClassVar[field_schemas.Form] = {
        "penalty": field_schemas.floats("m", least=0.0),
        "error": field_schemas.floats("m", least=0.0),
        "deviation": field_schemas.floats("m", least=0.0),
        "folds": field_schemas.count(1),
    }

    @property
    def best(self) -> float:
        """The penalty with the smallest error; of equal ones the largest."""
        return float(self.penalty[int(self.error.argmin())])

    @property
    def sparest(self) -> float:
        """The largest penalty within one standard error of the best (Breiman et al., 1984)."""
        at = int(self.error.argmin())
        return float(
            self.penalty[int((self.error <= self.error[at] + self.deviation[at]).argmax())]
        )


def grid(most: float, least: float, lengths: Array, power: int) -> Array:
    """(m,) penalties, the largest first; further down where columns are in far units.

    What a penalty costs a weight grows with a ``power`` of its column's length: one that shrinks
    days to nothing leaves no weight to shares, and one that frees days has not begun to free them.
    """
    there = lengths[lengths > 0]
    share = float(there.min() / there.max()) ** power if len(there) else 1.0
    if share > ALIKE:
        return np.asarray(np.geomspace(most, least, MANY))
    end = max(least * share, min(least, LEAST))
    further = (np.log(most) - np.log(end)) / (np.log(most) - np.log(least))
    return np.asarray(np.geomspace(most, end, int(MANY * min(further, LONGEST))))


def validated(paths: list[Array], sums: Sums, penalty: Array, centred: bool) -> CrossValidated:
    """Errors of folds whose weights without them are ``paths`` (m, t, p), one of them a fold."""
    each = np.array([
        squared_errors(path, sums, sums.without(fold), fold, centred)
        for fold, path in enumerate(paths)
    ])  # (folds, m)  # fmt: skip
    rows = sums.rows
    mean = each.sum(axis=0) / rows.sum()
    share = each / np.maximum(rows, 1e-300)[:, None]
    k = len(rows)
    spread = np.sqrt((rows[:, None] * (share - mean) ** 2).sum(axis=0) / rows.sum() / max(k - 1, 1))
    return CrossValidated(penalty, mean, spread, k)


def squared_errors(path: Array, sums: Sums, training: Sums, fold: int, centred: bool) -> Array:
    """(m,) the squared errors of a fold's rows, over all targets, by its sums alone."""
    p, n = sums.p, float(sums.rows[fold])
    s, off = sums.scatter[fold], sums.mean[fold]
    if centred:  # from the means that were learned from, so that nothing large cancels
        off = (off - training.mean[0]) + (sums.low[fold] - training.low[0])
    bias = off[p:] - path @ off[:p]  # (m, t)
    inside = np.einsum("mtp,pq,mtq->mt", path, s[:p, :p], path, optimize=True)
    across = np.einsum("mtp,pt->mt", path, s[:p, p:])
    around = np.diag(s)[p:] - 2 * across + inside
    return np.asarray((around.clip(0) + n * bias**2).sum(axis=1))


def ridge_path(normal: Normal, penalty: Array) -> Array:
    """(m, t, p) the ridge weights for every penalty, out of one singular value decomposition."""
    p, (r, z) = normal.p, without_rounding(normal)
    left, values, right = np.linalg.svd(r * normal.scale[:p], full_matrices=False)
    goal = left.T @ z * normal.scale[p:]  # (p, t)
    shrunk = values / np.maximum(values**2 + penalty[:, None], 1e-300)  # (m, p)
    return np.asarray(np.einsum("mr,rt,rp->mtp", shrunk, goal, right, optimize=True))


def ridge_penalties(normal: Normal) -> Array:
    """(m,) from so large that all is shrunk away to so small that nothing is."""
    size = float(np.linalg.norm(normal.columns * normal.scale[: normal.p], 2) ** 2) or 1.0
    return grid(HIGH * size, LOW * size, normal.lengths, 2)
