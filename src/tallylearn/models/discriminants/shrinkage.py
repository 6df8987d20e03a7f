"""Shrinking: a covariance of few rows, moved towards something simpler."""

from __future__ import annotations

import numpy as np

from tallylearn.models.discriminants.covariance import ClassScatter
from tallylearn.tables import Array


def shrink(covariance: Array, shrinkage: float | None) -> Array:
    """(..., p, p) moved towards its mean variance times the identity."""
    if not shrinkage:
        return covariance
    p = covariance.shape[-1]
    level = np.trace(covariance, axis1=-2, axis2=-1)[..., None, None] / p
    return np.asarray((1 - shrinkage) * covariance + shrinkage * level * np.eye(p))


def class_covariances(spread: ClassScatter, shrinkage: float | str | None) -> Array:
    """(k, p, p) the covariances of the classes, shrunk."""
    if not isinstance(shrinkage, str):
        return shrink(spread.covariance, shrinkage)
    parts = zip(spread.rows, spread.covariance, spread.fourth[:-1], strict=True)
    return np.array([ledoit_wolf(*part) for part in parts])


def overall(spread: ClassScatter, shrinkage: float | str | None) -> Array:
    """(p, p) the covariance of all rows, shrunk."""
    if not isinstance(shrinkage, str):
        return shrink(spread.total(), shrinkage)
    return ledoit_wolf(float(spread.rows.sum()), spread.total(), spread.fourth[-1])


def ledoit_wolf(n: float, covariance: Array, fourth: Array) -> Array:
    """(p, p) shrunk as Ledoit and Wolf (2004) say, on columns brought to variance one.

    ``fourth`` (p, p) is the scatter of the squared deviations. With r = sum_j (x_j - mean_j)^2 /
    variance_j of a row, a quadratic form in it gives sum r^2.
    """
    p = len(covariance)
    if p == 1:
        return covariance
    variance = np.diag(covariance)
    varies = variance > 0
    scale = np.where(varies, variance, 1.0)
    weights = varies / scale
    q = float(varies.sum())  # the mean of r
    power = q * q + float(weights @ fourth @ weights) / n
    deviation = np.sqrt(scale)
    size = float(((covariance / deviation / deviation[:, None]) ** 2).sum())
    apart = (size - q * q / p) / p
    share = min(max((power - size) / (p * n), 0.0), apart) / apart if apart > 0 else 0.0
    return np.asarray((1 - share) * covariance + share * (q / p) * np.diag(scale))
