"""Separating planes: whether any straight border puts every row on the side of its class.

A border is weights w with a · w > 0 for every row, where a is the row, constant first, turned by
its class. Either there are such weights, or the rows balance: some of them, weighed, sum to 0
(Gordan 1873). One linear program finds the one or the other, and what it finds is looked at again:
where it proves neither, to rounding, nothing is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.tables import Array

# Cells of the rows up to which separability is computed; for more it is not known (None).
MAX_CELLS = 2_000_000
SUM_ROUNDING = 1e-14  # a sum of rows, none longer than 1, that is 0 but for rounding


def is_separable(x: Array, truth: Array) -> bool | None:
    """Whether any weights answer all rows (n, p) right; None where that is not known."""
    classes, truth = np.unique(truth, return_inverse=True)
    k = len(classes)
    if k < 2:
        return True
    if x.size * max(1, k * (k > 2)) > MAX_CELLS:
        return None
    rows = _scale_rows(x)
    if not np.isfinite(rows).all():
        return None
    return _solve_program(_difference_rows(rows, truth, k))


def _scale_rows(x: Array) -> Array:
    """(n, p + 1) rows whose largest number is 1, around the middle and in the unit of most rows.

    Neither changes which rows can be parted, and a row far away does not make all others equal.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        off = x - np.median(x, axis=0)
        size = np.where(off == 0, np.nan, np.abs(off))
        some = ~np.isnan(size).all(axis=0)
        unit = np.ones(x.shape[1])
        unit[some] = np.nanmedian(size[:, some], axis=0)
        rows = np.hstack([np.ones((len(x), 1)), off / unit])
        rows /= np.abs(rows).max(axis=1, keepdims=True)
        widest = np.abs(rows).max(axis=0)
        return np.asarray(rows / np.where(widest > 0, widest, 1.0))


def _difference_rows(rows: Array, truth: Array, k: int) -> Array:
    """(n (k - 1), (k - 1) (p + 1)) the true class ahead of every other; the first has no weights.

    Only differences between the weights of classes matter (Kesler's construction).
    """
    parts = []
    for c in range(k):
        others = np.flatnonzero(truth != c)
        turned = np.zeros((len(others), k, rows.shape[1]))
        turned[np.arange(len(others)), truth[others]] = rows[others]
        turned[:, c] -= rows[others]
        parts.append(turned[:, 1:].reshape(len(others), -1))
    return np.concatenate(parts)


def _solve_program(rows: Array) -> bool | None:
    """Whether weights put all rows above 0: min t with rows · w + t ≥ 1, and t 0 or more."""
    from scipy.optimize import linprog

    n, p = rows.shape
    found: Any = linprog(
        np.append(np.zeros(p), 1.0), -np.hstack([rows, np.ones((n, 1))]), np.full(n, -1.0),
        bounds=[*((None, None) for _ in range(p)), (0, None)],
    )  # fmt: skip
    if found.x is None:
        return None
    weights = found.x[:-1]
    if (rows @ weights > SUM_ROUNDING * (np.abs(rows) @ np.abs(weights))).all():
        return True
    return False if _sum_to_zero(rows, -found.ineqlin.marginals) else None


def _sum_to_zero(rows: Array, shares: Array) -> bool:
    """Whether some rows, by shares of 0 or more, sum to 0: the shares are solved for once more."""
    some = np.flatnonzero(shares > 0)
    if not len(some):
        return False
    whole = np.vstack([rows[some].T, np.ones(len(some))])
    shares = np.linalg.lstsq(whole, np.append(np.zeros(rows.shape[1]), 1.0), rcond=None)[0]
    left = np.abs(rows[some].T @ shares).max()
    return bool((shares >= -SUM_ROUNDING).all() and left <= SUM_ROUNDING * np.abs(shares).sum())
