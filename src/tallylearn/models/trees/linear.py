"""Linear models: least squares, and fewer attributes where fewer promise a smaller error.

A model with v coefficients (the constant is one) is expected to err (n + v) / (n - v) times as much
on new rows as on the n rows it was fitted to (Quinlan, 1992). The attribute is dropped that the fit
misses least, again and again, and of all models on the way the one that promises most is kept. The
sweep operator takes attributes in and out of a regression one at a time, and says what each is
worth; its sums run in a fixed order on every machine, unlike those of a linear algebra library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tallylearn.kernels import sweeping
from tallylearn.tables import Array

COLLINEAR = 1e-9  # an attribute of which the others leave so little is left out
HARDLY = 1e-13  # of the target's variance: a residual below is rounding


@dataclass(frozen=True)
class Line:
    """ŷ = intercept + coef · x, and how well it fits its rows."""

    intercept: float
    coef: Array  # (f,), 0 for what is left out
    error: float  # the root of the mean squared residual
    used: int  # v: the constant, and the attributes that are in


def promised(error: float, n: float, v: float, times: float = 1.0) -> float:
    """The error to expect of new rows: (n + v) / (n - v) times that of the old.

    >>> promised(2.0, 10, 2)
    3.0
    """
    return error * (n + times * v) / (n - v) if n > v else float("inf")


def lined(x: Array, y: Array, weight: Array, which: Sequence[int]) -> Line:
    """The model of some rows that promises most, of those with some attributes or fewer."""
    n, coef = float(weight.sum()), np.zeros(x.shape[1])
    mean = float((weight * y).sum()) / n
    y = y - mean
    spread = float((weight * y * y).sum())
    if spread == 0 or not len(which):
        return Line(mean, coef, float(np.sqrt(spread / n)), 1)
    z = x[:, which]
    centre = (weight[:, None] * z).sum(axis=0) / n
    z = z - centre
    scale = np.sqrt((weight[:, None] * z * z).sum(axis=0))
    z = z / np.where(scale > 0, scale, 1.0)
    kept, inverse = _chosen(z, y / np.sqrt(spread), weight, n)
    z = z[:, kept]
    inner, y_rest = np.zeros(len(kept)), y
    for _ in range(2):  # the second time mends what the first has rounded
        inner = inner + (inverse * (weight * y_rest * z.T).sum(axis=1)).sum(axis=1)
        y_rest = y - (z * inner).sum(axis=1)
    at = np.asarray(which)[kept]
    coef[at] = inner / scale[kept]
    error = float(np.sqrt((weight * y_rest * y_rest).sum() / n))
    return Line(mean - float((coef[at] * centre[kept]).sum()), coef, error, 1 + len(kept))


def _chosen(z: Array, y: Array, weight: Array, n: float) -> tuple[Array, Array]:
    """The attributes to keep, and the inverse of their sums of products."""
    both, p = np.column_stack([z, y]), z.shape[1]
    sums = np.einsum("ij,ik->jk", weight[:, None] * both, both)
    inside, kept, inverse = np.zeros(p, np.int64), np.zeros(p, np.int64), np.zeros((p, p))
    sweeping.choose(sums, n, COLLINEAR, HARDLY, inside, kept, inverse)
    at = np.flatnonzero(kept)
    return at, inverse[np.ix_(at, at)]


def swept(sums: Array, j: int) -> Array:
    """Sums of products with attribute j taken into the regression, or out of it again.

    >>> once = swept(np.array([[2.0, 6.0], [6.0, 20.0]]), 0)
    >>> once  # the coefficient is 3, and 2 is left
    array([[ 0.5,  3. ],
           [-3. ,  2. ]])
    >>> swept(once, 0)
    array([[ 2.,  6.],
           [ 6., 20.]])
    """
    out = np.array(sums, dtype=np.float64, order="C")
    sweeping.sweep(out, j)
    return out
