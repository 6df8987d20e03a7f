"""Ridge weights: least squares whose weights pay for their squares."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

from tallylearn.models.glm.linear.dependent_columns import cleared, substituted
from tallylearn.models.glm.linear.least_squares import Fitted, Normal, solved
from tallylearn.tables import Array
from tallylearn.tallies.factoring import root_of

CLEAR = 1e4  # a condition below: nothing that rounding left is as large as a column
DEAR = 8.0  # times its column: a penalty above would cost the column digits, were it not sorted


def ridged(normal: Normal, penalty: Array) -> Fitted:
    """The weights with the smallest squares plus ``penalty`` (t,) times their own squares.

    The triangle is factored again with a row for every weight, the root of the penalty.
    """
    p, (r, z) = normal.p, without_rounding(normal)
    out = np.empty((z.shape[1], p))
    for t, alpha in enumerate(penalty):
        if alpha == 0:
            out[t] = solved(normal).coef[t]
            continue
        cost = np.sqrt(alpha) / normal.scale[:p]
        plain = len(r) == p and cost.max(initial=0.0) <= DEAR
        inner = (_paid if plain else _paid_in_order)(r, z[:, t], cost)
        out[t] = inner * normal.scale[p + t] / normal.scale[:p]
    return Fitted(out, np.arange(p), penalty=penalty)


def without_rounding(normal: Normal) -> tuple[Array, Array]:
    """(k, p) the triangle of the columns and (k, t) of the targets, without what rounding left.

    Of products it left as much in the targets, and a penalty outweighs both.
    """
    if normal.squared or normal.condition < CLEAR:
        return normal.columns, normal.targets
    return cleared(normal.columns, normal.targets, normal.negligible())


def _paid(r: Array, z: Array, cost: Array) -> Array:
    """(p,) the weights of a triangle that pay each its cost (p,)."""
    p = len(cost)
    both = np.zeros((2 * p, p + 1))
    both[:p, :p], both[:p, p] = r, z
    both[p:, :p] = np.diag(cost)
    small = root_of(both)
    return substituted(small[:p, :p], small[:p, p])


def _paid_in_order(r: Array, z: Array, cost: Array) -> Array:
    """The same, however far apart rows are in size: rows sorted by it, and columns pivoted.

    So every row keeps its own digits (A. Cox and N. Higham, Stability of Householder QR
    factorization for weighted least squares problems, Numerical Analysis, 1998).
    """
    both, goal = np.vstack([r, np.diag(cost)]), np.concatenate([z, np.zeros(len(cost))])
    order = np.argsort(-np.abs(both).max(axis=1), kind="stable")
    q, small, at = qr(both[order], mode="economic", pivoting=True)
    out = np.empty(len(cost))
    out[at] = substituted(small, q.T @ goal[order])
    return out


def with_penalised_ones(normal: Normal, penalty: Array) -> Fitted:
    """Ridge weights where the intercept pays too: a column of ones among the others."""
    p, n, (r, z) = normal.p, normal.rows, without_rounding(normal)
    scale, mean = normal.scale[:p], normal.mean
    coef, intercept = np.empty((len(penalty), p)), np.empty(len(penalty))
    for t, alpha in enumerate(penalty):
        level = np.sqrt(n) * np.concatenate([[1.0], mean[:p] / scale])
        inside = np.column_stack([np.zeros(len(r)), r])
        unit = normal.scale[p + t]
        goal = np.concatenate([[np.sqrt(n) * mean[p + t] / unit], z[:, t]])
        cost = np.sqrt(alpha) / np.concatenate([[1.0], scale])
        found = _paid_in_order(np.vstack([level, inside]), goal, cost) * unit
        intercept[t], coef[t] = found[0], found[1:] / scale
    level = intercept + coef @ mean[:p]
    return Fitted(
        coef, np.arange(p), penalty=penalty, intercept=intercept, level=np.array([level, 0 * level])
    )
