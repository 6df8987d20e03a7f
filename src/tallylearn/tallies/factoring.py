"""Factoring: rows become the R of their QR factorisation, some at a time, from a centre.

LAPACK is SciPy's, which takes two thirds of the time that NumPy's does: who factors imports it, and
who only counts need not.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from tallylearn.kernels import centring, compensated_residuals, qr_triangle
from tallylearn.tables import Array
from tallylearn.tallies.centred_sums import CENTRE_ROWS, ONCE
from tallylearn.tallies.pairs import Names, count_measured, marks, of_numbers, split_names

ROWS = 2048  # that are factored together: they stay in the processor's cache
COARSE = 6  # bits of a centre within the spread of the numbers
# Conditions below its inverse let a step of refinement gain: the root of a rounding.
MAX_INVERSE_CONDITION = 2.0**-26
PANEL = 32  # columns that LAPACK factors together, where it has the room


def factor(
    x: Array, beside: Array, names: Names, weight: Array | None, gaps: bool
) -> tuple[Array, Array, Array]:
    """Count, centre (p,) and root (p + 1, p + 1) of some rows, which may have gaps or have not."""
    n, p, values = len(x), len(names), split_names(names)[1]
    root = ONCE if weight is None else np.sqrt(weight)
    centre, found = _centre(x, beside, values, gaps), np.zeros((p + 1, p + 1))
    rows = max(ROWS, 2 * (p + 1))
    for at in range(0, n, rows):
        here = slice(at, at + rows)
        part = np.empty((p + 1, min(rows, n - at)))
        centring.levelled(x[here], beside[here], centre, part)
        if len(root):
            part *= root[here]
        both = np.concatenate([found.T, part], axis=1) if at else part
        found = root_of(both.T)
    if n <= rows and weight is None:
        _refine(part, found, count_measured(values))
    return np.asarray(float(n) if weight is None else weight.sum()), centre, found


def _refine(x: Array, root: Array, t: int) -> None:
    """Let the last t columns of a root be what the weights of the columns x (p + t, n) explain.

    A step of iterative refinement by the seminormal equations, residuals in twice the digits, which
    gains as long as the condition is below the root of what a double can tell (Å. Björck, Stability
    analysis of the method of seminormal equations, Linear Algebra Appl. 88/89, 1987). Rounding has
    moved every column, each on its own; the targets' now fit the others'.
    """
    p = len(root) - t
    columns, slopes = root[:p, :p], np.empty(p)
    inverse, singular = lapack.dtrtri(columns)
    if (
        singular
        or not MAX_INVERSE_CONDITION * qr_triangle.magnified(root, inverse.T, slopes) * p < 1
    ):
        return
    left, room = np.empty((2, 2, x.shape[1]))
    for j in range(p, p + t):
        weights = inverse @ root[:p, j]
        compensated_residuals.left(x, weights, x[j], left)
        compensated_residuals.slopes(x, left, room, slopes)
        found = columns @ weights + slopes @ inverse
        if np.isfinite(found).all():
            root[:p, j] = found


def root_of(x: Array) -> Array:
    """(p, p) the R of rows (n, p), zeros below where they are fewer."""
    p = x.shape[1]
    out, raw = np.zeros((p, p)), lapack.dgeqrf(x, lwork=PANEL * p)[0]
    centring.upper(raw.T, out)
    return out


def _centre(x: Array, beside: Array, values: tuple[str, ...], gaps: bool) -> Array:
    """Near the mean of numbers, 0 for indicators."""
    centre, p = np.empty(len(values)), x.shape[1]
    centring.means(_first_values(x) if gaps else x[:CENTRE_ROWS], COARSE, centre[:p])
    centring.means(beside[:CENTRE_ROWS], COARSE, centre[p:])
    return centre if of_numbers(values) else np.where(marks(values), 0.0, centre)


def _first_values(x: Array) -> Array:
    """Rows whose gaps have the first number of their column, or 0: for a centre they do."""
    there = ~np.isnan(x)
    base = np.where(there.any(axis=0), x[there.argmax(axis=0), np.arange(x.shape[1])], 0.0)
    return np.where(there[:CENTRE_ROWS], x[:CENTRE_ROWS], base)
