"""Weights that are nowhere below zero: least squares with a wall (Lawson and Hanson, 1974)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from tallylearn.models.glm.linear.least_squares import Fitted, Normal
from tallylearn.models.glm.linear.ridge_weights import without_rounding
from tallylearn.tables import Array


def nonnegative(normal: Normal, penalty: Array) -> Fitted:
    """The best weights of which none is negative, each target's penalty (t,) times their squares.

    The intercept is free.
    """
    p, (r, z) = normal.p, without_rounding(normal)
    out = np.empty((len(penalty), p))
    for t, alpha in enumerate(penalty):
        wide = np.vstack([r, np.diag(np.sqrt(alpha) / normal.scale[:p])])
        goal = np.concatenate([z[:, t], np.zeros(p)])
        inner, _ = nnls(wide, goal)
        out[t] = inner * normal.scale[p + t] / normal.scale[:p]
    return Fitted(out, np.arange(p), penalty=penalty if penalty.any() else None)
