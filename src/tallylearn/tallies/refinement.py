"""Refinement: what rounding did to a factorisation, mended by residuals in twice the digits."""

from __future__ import annotations

import numpy as np

from tallylearn.kernels import residuals
from tallylearn.tables import Array

SURE = 2.0**-26  # the root of a rounding: conditions below its inverse let a step gain


def refine(x: Array, root: Array, t: int) -> None:
    """Let the last t columns of the root of x be what the weights of these rows explain of them.

    A step of iterative refinement by the seminormal equations, residuals in twice the digits, which
    gains as long as the condition is below the root of what a double can tell (Å. Björck, Stability
    analysis of the method of seminormal equations, Linear Algebra Appl. 88/89, 1987). Rounding has
    moved every column, each on its own; the targets' now fit the others'.
    """
    p = len(root) - t
    columns, slopes = root[:p, :p], np.empty((2, p))
    long = np.abs(columns).max(axis=0)
    from scipy.linalg import lapack  # who refines has imported it; who counts need not

    inverse, singular = lapack.dtrtri(columns / long)
    if singular or not SURE * np.abs(inverse).sum(axis=0).max(initial=0.0) * p < 1:
        return
    for j in range(p, p + t):
        weights = inverse @ root[:p, j] / long
        residuals.slopes(x, weights, np.ascontiguousarray(x[:, j]), slopes)
        found = columns @ weights + inverse.T @ (slopes[0] / long)
        if np.isfinite(found).all():
            root[:p, j] = found
