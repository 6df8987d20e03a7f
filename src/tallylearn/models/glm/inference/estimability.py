"""Estimability with collinear columns: which coefficients and predictions the data determine.

Where columns are linearly dependent, coefficients are not unique; the solution of minimum norm is
one of many. All solutions agree on a prediction exactly if the row satisfies the same linear
dependencies as the training rows (the prediction is estimable).

Reference: S. Searle, Linear Models, 1971, chapter 5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import solve_triangular

from tallylearn.errors import quoted_list
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.terms import PooledTerm
from tallylearn.models.glm.inference.linear_fit import LinearFit
from tallylearn.models.glm.solvers.least_squares import EPS, MIN_SHARE
from tallylearn.tables import Array, Block

# Linear dependencies that a summary lists one by one.
MAX_DEPENDENCIES_LISTED = 5
# Relative to the terms of a dependency: a larger deviation is no rounding.
RELATIVE_ROUNDING = 1e-10
# Relative to the columns' distance from zero: rounding of their values.
DISTANCE_ROUNDING = 64 * EPS
# ``Codes.recode``: a value that is none of those listed; -1 is a missing value.
UNSEEN_CODE = -2
# Times the deviation of all training rows together: a dependency holds only so far.
RESIDUAL_FACTOR = 10.0


def collinearity_notes(dependent: Sequence[str]) -> list[str]:
    """Notes on constant and collinear columns; the first of them one by one."""
    said = [
        f"{what} and has no coefficient."
        if what.endswith(" is constant")
        else f"{what}: the coefficients of these columns are not unique."
        for what in dependent[:MAX_DEPENDENCIES_LISTED]
    ]
    more = len(dependent) - MAX_DEPENDENCIES_LISTED
    alike = (
        f"{more:,} more columns are constant or linearly dependent"
        if more > 1
        else ("1 more column is constant or linearly dependent")
    )
    return [*said, f"{alike} on others."] if more > 0 else said


def collinear_shares(model: LinearFit) -> tuple[Array, Array]:
    """(d,) the collinear columns, and (r, d) their coefficients in the basis."""
    others = np.setdiff1d(np.arange(len(model.root)), model.basis)
    if not len(others) or not len(model.basis):
        return others, np.zeros((len(model.basis), len(others)))
    q, free = np.linalg.qr(model.root[:, model.basis])
    found = solve_triangular(free, q.T @ model.root[:, others], check_finite=False)
    return others, np.asarray(found)


def intercept_is_shared(model: LinearFit) -> bool:
    """Whether a column is an affine function of others, as Fahrenheit of Celsius.

    The minimum-norm coefficients then share the intercept, which is not determined alone.
    """
    others, share = collinear_shares(model)
    if not model.centred or not share.size:
        return False
    far, root = model.mean / model.scale, model.root
    left = np.sqrt(((root[:, others] - root[:, model.basis] @ share) ** 2).sum(axis=0))
    size = 1 + np.abs(far[others]) + np.abs(far[model.basis]) @ np.abs(share)
    apart = np.abs(far[others] - far[model.basis] @ share) > (RELATIVE_ROUNDING + left) * size
    return bool((apart & (np.abs(share) > MIN_SHARE).any(axis=0)).any())


def unestimable_columns(model: LinearFit, block: Block) -> Array:
    """(n, p) where a row's column does not follow as it did in the rows learned from."""
    out = np.zeros((len(block), len(model.scale)), dtype=bool)
    if not model.dependent:
        return out
    away = np.concatenate([model.centred_rows(part) for part in model.design.pieces(block)])
    others, share = collinear_shares(model)
    left = np.sqrt(((model.root[:, others] - model.root[:, model.basis] @ share) ** 2).sum(axis=0))
    x, far = (away - model.low) / model.scale, np.abs(model.mean) / model.scale
    size, own = (RELATIVE_ROUNDING * np.abs(x) + DISTANCE_ROUNDING * far), x[:, others]
    near = size[:, others] + size[:, model.basis] @ np.abs(share) + RESIDUAL_FACTOR * left
    out[:, others] = np.abs(own - x[:, model.basis] @ share) > near
    return out


def rows_with_unseen_values(design: Design, block: Block) -> Array:
    """(n,) which rows have a value of a category that no row learned from had, nor a rare one."""
    out = np.zeros(len(block), dtype=bool)
    pooled = {term.column for term in design.terms if isinstance(term, PooledTerm)}
    for name, values in design.category_values.items():
        if name not in pooled and values[0] not in design.rare.by_column.get(name, ()):
            out |= block.codes[name].recode([*values]) == UNSEEN_CODE
    return out


def estimability_notes(model: LinearFit, strays: Array) -> tuple[str, ...]:
    """What is to be said of a row's answer, by which (p,) of its columns stray."""
    if not strays.any():
        return ()
    names = quoted_list([model.design.names[j] for j in np.flatnonzero(strays)])
    return (
        f"In the rows learned from {names} followed from other columns or did not vary, and here "
        "that is not so: no row tells this answer. The weights are one choice of many.",
    )


def not_identified(model: LinearFit) -> Array:
    """(r,) which columns of the basis another column depends on: their coefficients are shared."""
    return np.asarray((np.abs(collinear_shares(model)[1]) > MIN_SHARE).any(axis=1))
