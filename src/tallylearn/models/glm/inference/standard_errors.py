"""Standard errors of coefficients: least squares (OLS), robust, and maximum likelihood.

- Least squares: σ √diag((XᵀX)⁻¹), computed from the inverse of the triangle R.
- Heteroskedasticity-consistent (HC0 to HC3): the squared residuals of the rows replace σ²I.
- Maximum likelihood: from the inverse Hessian (observed information).

Variance inflation factors of maximum likelihood compare the variance of a coefficient with that of
uncorrelated estimates; those of least squares are in the summary of linear models.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from tallylearn.models.glm.inference.diagnostics import SandwichMeat
from tallylearn.models.glm.inference.estimability import (
    intercept_is_shared,
    not_identified,
)
from tallylearn.models.glm.inference.linear_fit import LinearFit
from tallylearn.models.glm.objective import Objective, fix_intercepts
from tallylearn.models.glm.solvers.hessians import invert
from tallylearn.models.glm.solvers.least_squares import MIN_SHARE
from tallylearn.tables import Array

NO_ERRORS = np.empty((0, 0))


def least_squares_standard_errors(model: LinearFit, t: int, meat: SandwichMeat | None) -> Array:
    """(p + 1,) standard errors in the order of the design, that of the intercept first."""
    p, r = len(model.design.columns), len(model.basis)
    sigma = np.sqrt(model.rest[t] / (model.rows - model.n_estimated))
    inverse = solve_triangular(model.free_root(), np.eye(r), check_finite=False)
    inverse = inverse / model.scale[model.basis][:, None]  # (r, r) from orthonormal columns
    back = inverse
    if model.centred:
        back = np.zeros((r + 1, r + 1))
        back[1:, 1:] = inverse
        back[0, 0] = 1 / np.sqrt(model.rows)
        back[0, 1:] = -model.mean[model.basis] @ inverse
    unit = np.abs(back).max(axis=1, initial=0.0)  # whose square may be no double
    back = back / unit[:, None]
    length = np.sqrt((back**2).sum(axis=1))
    found = sigma * length
    if meat is not None:
        found = np.sqrt(np.einsum("ij,jk,ik->i", back, meat.middle, back).clip(0))
        found[(np.abs(back @ meat.alone.T) > MIN_SHARE * length[:, None]).any(axis=1)] = np.nan
    found = found * unit
    out = np.full(p + int(model.centred), np.nan)
    first = int(model.centred)
    out[:first] = np.nan if intercept_is_shared(model) else found[:first]
    out[first + model.basis] = np.where(not_identified(model), np.nan, found[first:])
    return out


class CoefficientPrecision(NamedTuple):
    """How precise maximum-likelihood estimates are; empty where the Hessian is singular."""

    errors: Array = NO_ERRORS  # (m, width) standard errors, the intercepts first
    inflation: Array | None = None  # (m, width - 1) variance inflation factors


def coefficient_precision(objective: Objective, hessian: Array) -> CoefficientPrecision:
    """Standard errors in the columns' units, and variance inflation factors.

    ``hessian`` (M, M) is that of the summed loss of standardised columns. With θ = T β for the
    coefficients β in the columns' units, the covariance of β is T⁻¹ H⁻¹ T⁻¹'. The variance
    inflation factor of a coefficient is its entry in diag(C⁻¹) diag(C), where C is the covariance
    without the intercepts, as for linear models (J. Fox and G. Monette, Generalized collinearity
    diagnostics, JASA 87, 1992; R's ``car::vif``). C⁻¹ is the Schur complement of the intercepts in
    H.
    """
    columns, (m, width) = objective.columns, objective.null_coef.shape
    if not hessian.size:
        return CoefficientPrecision()
    information, at = hessian.copy(), np.arange(m) * width
    if not objective.intercept:
        fix_intercepts(information, width)
    covariance = invert(information)
    if covariance is None:
        return CoefficientPrecision()
    if not objective.intercept:
        covariance[at, at] = 0.0
    to_units = np.diag(np.insert(1 / columns.scale, 0, 1.0))
    to_units[0, 1 : 1 + columns.n_columns] = -columns.centre / columns.scale[: columns.n_columns]
    blocks = covariance.reshape(m, width, m, width)
    each = [to_units @ blocks[c, :, c] @ to_units.T for c in range(m)]
    errors = np.array([np.sqrt(np.diag(one).clip(0)) for one in each])
    slopes = np.setdiff1d(np.arange(m * width), at)
    precision = np.diag(hessian)[slopes]
    if objective.intercept:
        along = hessian[np.ix_(at, slopes)]
        precision = precision - (along * np.linalg.solve(hessian[np.ix_(at, at)], along)).sum(
            axis=0
        )
    inflation = precision * np.diag(covariance)[slopes]
    return CoefficientPrecision(errors, np.maximum(inflation, 1.0).reshape(m, width - 1))
