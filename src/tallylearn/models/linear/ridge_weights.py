"""Ridge weights: least squares whose weights pay for their squares."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from tallylearn.models.linear.dependent_columns import substituted
from tallylearn.models.linear.least_squares import Fitted, Normal, solved
from tallylearn.tables import Array
from tallylearn.tallies.factoring import root_of


def ridged(normal: Normal, penalty: Array) -> Fitted:
    """The weights with the smallest squares plus ``penalty`` (t,) times their own squares.

    The triangle is factored again with a row for every weight, the root of the penalty.
    """
    r, z, p = normal.columns, normal.targets, normal.p
    out = np.empty((z.shape[1], p))
    for t, alpha in enumerate(penalty):
        if alpha == 0:
            out[t] = solved(normal).coef[t]
            continue
        both = np.zeros((2 * p, p + 1))
        both[:p, :p], both[:p, p] = r, z[:, t]
        both[p:, :p] = np.diag(np.sqrt(alpha) / normal.scale[:p])
        small = root_of(both)
        inner = substituted(small[:p, :p], small[:p, p])
        out[t] = inner * normal.scale[p + t] / normal.scale[:p]
    return Fitted(out, np.arange(p), penalty=penalty)


def with_penalised_ones(normal: Normal, penalty: Array) -> Fitted:
    """Ridge weights where the intercept pays too: a column of ones among the others."""
    p, n = normal.p, normal.rows
    scale, mean = normal.scale[:p], normal.mean
    coef, intercept = np.empty((len(penalty), p)), np.empty(len(penalty))
    for t, alpha in enumerate(penalty):
        level = np.sqrt(n) * np.concatenate([[1.0], mean[:p] / scale])
        inside = np.column_stack([np.zeros(p), normal.columns])
        paid = np.diag(np.sqrt(alpha) / np.concatenate([[1.0], scale]))
        unit = normal.scale[p + t]
        goal = np.concatenate([[np.sqrt(n) * mean[p + t] / unit], normal.targets[:, t]])
        q, r = np.linalg.qr(np.vstack([level, inside, paid]))
        found = solve_triangular(r, q[: p + 1].T @ goal) * unit
        intercept[t], coef[t] = found[0], found[1:] / scale
    level = intercept + coef @ mean[:p]
    return Fitted(
        coef, np.arange(p), penalty=penalty, intercept=intercept, level=np.array([level, 0 * level])
    )
