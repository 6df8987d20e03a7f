"""Confidence intervals of predicted means, and prediction intervals of new rows.

For a row x with leverage h = 1/n + (x − x̄)ᵀ(XᵀX)⁻¹(x − x̄), the mean of its target has standard
error σ √h, and the target itself σ √(1 + h), with a t distribution of n − k degrees of freedom.
"""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from tallylearn.models.glm.inference.estimability import (
    rows_with_unseen_values,
    unestimable_columns,
)
from tallylearn.models.glm.inference.linear_fit import LinearFit
from tallylearn.tables import Array, Block


def prediction_interval(
    model: LinearFit, block: Block, t: int, level: float, of_row: bool
) -> Array:
    """(n, 2) intervals of the rows' targets, or of the means of such rows.

    Infinite where the prediction is not estimable.

    Parameters
    ----------
    model : least squares without penalty, with more rows than coefficients.
    block : the rows.
    t : the place of the target.
    level : the probability that an interval covers.
    of_row : whether intervals are of the rows' own targets, and not of their means.
    """
    free = model.rows - model.n_estimated
    sigma_squared = float(model.rest[t]) / free
    reach = float(stdtrit(free, 0.5 + level / 2))
    middle = model.predictions(block).reshape(len(block), len(model.coef))[:, t]
    variance = sigma_squared * (model.spread(block) + float(of_row))
    unknown = unestimable_columns(model, block).any(axis=1)
    unknown |= rows_with_unseen_values(model.design, block)
    half_width = np.where(unknown, np.inf, reach * np.sqrt(variance))
    return np.column_stack([middle - half_width, middle + half_width])
