"""Refinement: what rounding did to a factorisation, mended by residuals in twice the digits."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from tallylearn.kernels import compensated_residuals, qr_triangle
from tallylearn.tables import Array

SURE = 2.0**-26  # the root of a rounding: conditions below its inverse let a step gain


def refine(x: Array, root: Array, t: int) -> None:
    """Let the last t columns of a root be what the weights of the columns x (p + t, n) explain.

    A step of iterative refinement by the seminormal equations, residuals in twice the digits, which
    gains as long as the condition is below the root of what a double can tell (Å. Björck, Stability
    analysis of the method of seminormal equations, Linear Algebra Appl. 88/89, 1987). Rounding has
    moved every column, each on its own; the targets' now fit the others'.
    """
    p = len(root) - t
    columns, slopes = root[:p, :p], np.empty(p)
    inverse, singular = lapack.dtrtri(columns)
    if singular or not SURE * qr_triangle.magnified(root, inverse.T, slopes) * p < 1:
        return
    left, room = np.empty((2, 2, x.shape[1]))
    for j in range(p, p + t):
        weights = inverse @ root[:p, j]
        compensated_residuals.left(x, weights, x[j], left)
        compensated_residuals.slopes(x, left, room, slopes)
        found = columns @ weights + slopes @ inverse
        if np.isfinite(found).all():
            root[:p, j] = found
