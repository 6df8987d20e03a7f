"""Linear systems with a Hessian, which may be singular where columns are collinear.

All scale the Hessian to a diagonal of 1 first (Jacobi scaling), so that what counts as singular
does not depend on the units of the columns.
"""

from __future__ import annotations

import numpy as np

from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array

# An eigenvalue below, where the mean is 1, belongs to collinear columns: the sums of products over
# rows are right to about 1e-14, and a column loses a digit or two to its centre.
COLLINEAR = 1e-12
# A pivot of the Cholesky factor, squared, that is no more than the rounding of sums over 1e6 rows.
ROUNDED_PIVOT = 1e-14
MIN_DIAGONAL = 1e-300  # below any diagonal of a Hessian, and above 0


def solve(
    hessian: Array, gradient: Array, least: Array | float = MIN_DIAGONAL
) -> tuple[Array, float]:
    """H⁻¹ g, and how much of g is left where H is singular.

    Where it is, the solution is the shortest. A diagonal below ``least`` counts as that.
    """
    scale, scaled = scale_to_unit_diagonal(hessian, least)
    wanted = gradient / scale
    with one_thread():
        if _is_regular(scaled):
            return np.asarray(np.linalg.solve(scaled, wanted) / scale), 0.0
        found = np.linalg.lstsq(scaled, wanted, rcond=COLLINEAR)[0]
    return np.asarray(found / scale), float(np.abs(wanted - scaled @ found).max(initial=0.0))


def invert(hessian: Array) -> Array | None:
    """H⁻¹ (M, M), or None where H is singular."""
    scale, scaled = scale_to_unit_diagonal(hessian)
    with one_thread():
        if not _is_regular(scaled):
            return None
        return np.asarray(np.linalg.inv(scaled) / scale / scale[:, None])


def null_space(hessian: Array) -> Array:
    """(f, M) directions without curvature, of columns that are scaled to a curvature of 1."""
    with one_thread():
        values, vectors = np.linalg.eigh(scale_to_unit_diagonal(hessian)[1])
    return np.asarray(vectors[:, values < COLLINEAR * len(hessian)].T)


def variance_inflation(inverse: Array | None, intercept_hessian: Array) -> float:
    """The largest variance of a coefficient, in that of its intercept in the model without columns.

    Columns are standardised, so that this is about 1 unless a column hardly varies among the rows
    that matter, or is nearly collinear with others.
    """
    if inverse is None:
        return float(np.inf)
    return float((np.diag(inverse) * intercept_hessian).max())


def scale_to_unit_diagonal(
    hessian: Array, least: Array | float = MIN_DIAGONAL
) -> tuple[Array, Array]:
    """(M,) scales and (M, M) the Hessian of columns that are scaled by them."""
    scale = np.sqrt(np.diag(hessian).clip(least))
    return scale, hessian / scale / scale[:, None]


def _is_regular(scaled: Array) -> bool:
    """Whether no column is collinear with those before it: by the pivots of Cholesky's factor."""
    try:
        return bool(np.linalg.cholesky(scaled).diagonal().min(initial=1.0) ** 2 > ROUNDED_PIVOT)
    except np.linalg.LinAlgError:
        return False
