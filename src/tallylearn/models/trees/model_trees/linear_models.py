"""Linear models: least squares, and fewer attributes where fewer are as good.

Coefficients are compared in standard deviations of the target by one of the attribute. A large one
is no slope but two attributes that say the same and cancel, or as many coefficients as rows, and
leaves the rows it was fitted to at once: those above ``STEEPEST`` go first, the largest first. Then
the smallest goes, again and again, while Akaike's criterion improves. Both are the rules of M5P,
the program of M5' (Wang and Witten, 1997). The sweep operator takes attributes in and out of a
regression one at a time; its sums run in a fixed order on every machine, unlike those of a linear
algebra library.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.kernels import sweep_operator
from tallylearn.tables import Array

COLLINEAR = 1e-9  # an attribute of which the others leave so little is left out
STEEPEST = 1.5  # standard deviations of the target, by one of the attribute
ROUNDING_RESIDUAL = 1e-13  # of the target's variance: a residual below is rounding


@dataclass(frozen=True)
class Line:
    """ŷ = intercept + coef · x, and how well it fits its rows."""

    intercept: float
    coef: Array  # (f,), 0 for what is left out
    error: float  # the root of the mean squared residual
    used: int  # v: the constant, and the attributes that are in


def expected_error(error: float, n: float, v: float, times: float = 1.0) -> float:
    """The error to expect of new rows: (n + v) / (n - v) times that of the old (Quinlan, 1992).

    >>> expected_error(2.0, 10, 2)
    3.0
    """
    return error * (n + times * v) / (n - v) if n > v else float("inf")


def fit_linear_model(
    x: Array, y: Array, weight: Array, which: Array, rows: float | None = None
) -> Line:
    """The model of some rows, of those with some attributes or fewer.

    Sums are weighted; degrees of freedom are of ``rows`` (None: what they weigh), as in weighted
    least squares.
    """
    coef, moments = np.zeros(x.shape[1]), np.empty((3, len(which) + 1))
    sweep_operator.measure(x, y, weight, which, moments)
    n, mean = float(moments[0, 0]), float(moments[1, -1])
    if moments[2, -1] == 0 or not len(which):
        return Line(mean, coef, float(moments[2, -1]) / np.sqrt(n), 1)
    kept, inverse = _select_attributes(
        x, y, weight, which=which, moments=moments, rows=n if rows is None else rows
    )
    which, moments = which[kept], np.ascontiguousarray(moments[:, [*kept, -1]])
    inner, rest = np.zeros(len(kept)), np.empty(len(kept) + 2)
    sweep_operator.project(x, y, weight, which, moments, inner, rest)
    for _ in range(2):  # the second time mends what the first has rounded
        inner = inner + (inverse * rest[:-2]).sum(axis=1)
        sweep_operator.project(x, y, weight, which, moments, inner, rest)
    coef[which] = inner / moments[2, :-1]
    intercept = mean + rest[-1] / n - (coef[which] * moments[1, :-1]).sum()
    return Line(float(intercept), coef, float(np.sqrt(rest[-2] / n)), 1 + len(kept))


def _select_attributes(
    x: Array, y: Array, weight: Array, which: Array, moments: Array, rows: float
) -> tuple[Array, Array]:
    """The places of the attributes to keep, and the inverse of their sums of products."""
    p = len(which)
    sums, inverse = np.zeros((p + 1, p + 1)), np.empty((p, p))
    sweep_operator.multiply(x, y, weight, which, moments, np.empty(p + 1), sums)
    inside, kept = np.empty(p, np.int64), np.empty(p, np.int64)
    limits = np.array([COLLINEAR, ROUNDING_RESIDUAL, STEEPEST])
    sweep_operator.choose(sums, rows, limits, inside, kept, inverse)
    at = np.flatnonzero(kept)
    return at, inverse[at[:, None], at]


def sweep(sums: Array, j: int) -> Array:
    """Sums of products with attribute j taken into the regression, or out of it again.

    >>> once = sweep(np.array([[2.0, 6.0], [6.0, 20.0]]), 0)
    >>> once  # the coefficient is 3, and 2 is left
    array([[ 0.5,  3. ],
           [-3. ,  2. ]])
    >>> sweep(once, 0)
    array([[ 2.,  6.],
           [ 6., 20.]])
    """
    out = np.array(sums, dtype=np.float64, order="C")
    sweep_operator.sweep(out, j)
    return out
