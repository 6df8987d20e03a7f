"""Standard errors of maximum-likelihood estimates, from the inverse Hessian (observed
information).
"""

from __future__ import annotations

import numpy as np

from tallylearn.models.glm.objective import Objective, fix_intercepts
from tallylearn.models.glm.solvers.hessians import invert
from tallylearn.tables import Array

NO_ERRORS = np.empty((0, 0))


def standard_errors(objective: Objective, hessian: Array) -> Array:
    """(m, width) of intercepts and coefficients, in the columns' units; none where H is singular.

    ``hessian`` (M, M) is that of the summed loss of standardised columns. With θ = T β for the
    coefficients β in the columns' units, the covariance of β is T⁻¹ H⁻¹ T⁻¹'.
    """
    columns, (m, width) = objective.columns, objective.null_coef.shape
    if not hessian.size:
        return NO_ERRORS
    information, at = hessian.copy(), np.arange(m) * width
    if not objective.intercept:
        fix_intercepts(information, width)
    covariance = invert(information)
    if covariance is None:
        return NO_ERRORS
    if not objective.intercept:
        covariance[at, at] = 0.0
    to_units = np.diag(np.insert(1 / columns.scale, 0, 1.0))
    to_units[0, 1 : 1 + columns.n_columns] = -columns.centre / columns.scale[: columns.n_columns]
    blocks = covariance.reshape(m, width, m, width)
    each = [to_units @ blocks[c, :, c] @ to_units.T for c in range(m)]
    return np.array([np.sqrt(np.diag(one).clip(0)) for one in each])
