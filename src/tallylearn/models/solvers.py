"""Solvers: the linear discriminants of Gaussians with one covariance, in scikit-learn's three ways.

All start from the scatter, never from the rows, so that a grid of priors, shrinkages or solvers
costs no further pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.errors import ColumnError
from tallylearn.models.shrinking import overall, within
from tallylearn.models.spreads import Spread, degenerate
from tallylearn.tables import Array

FLOOR = 1e-13  # of the largest eigenvalue: below it a scatter holds rounding, whatever tol says


@dataclass(frozen=True)
class Rule:
    """a_k(x) = weights_k x + bias_k, and the directions that tell the classes apart."""

    covariance: Array  # (p, p) the one that the rule is made of
    weights: Array  # (k, p)
    bias: Array  # (k,)
    scalings: Array  # (p, r)
    ratio: Array  # (r,) share of the variance between the classes
    rank: int  # of the covariance


def by_svd(spread: Spread, log_prior: Array, tol: float) -> Rule:
    """Whiten what varies within the classes, then turn to where their means differ."""
    n, prior = spread.rows.sum(), np.exp(log_prior)
    covariance = spread.scatter.sum(axis=0) / n
    deviation = np.sqrt(np.diag(covariance).clip(0))
    scale = np.where(deviation > 0, deviation, 1.0)
    values, vectors = np.linalg.eigh(covariance / scale / scale[:, None])
    kept = values > max(tol**2, FLOOR * len(values) * values.max(initial=0))
    white = vectors[:, kept] / scale[:, None] / np.sqrt(values[kept])
    apart = spread.mean - prior @ spread.mean
    size = np.sqrt(n * prior / max(1, len(prior) - 1))
    _, between, turned = np.linalg.svd(size[:, None] * apart @ white, full_matrices=False)
    some = between > tol * between.max(initial=0)
    scalings = upright(white @ turned.T[:, some])
    centres = apart @ scalings
    weights = centres @ scalings.T
    bias = -0.5 * (centres**2).sum(axis=1) + log_prior - weights @ (prior @ spread.mean)
    power = between**2 / max(float((between**2).sum()), 1e-300)
    return Rule(covariance, weights, bias, scalings, power, int(kept.sum()))


def by_least_squares(spread: Spread, log_prior: Array, shrinkage: float | str | None) -> Rule:
    """Solve covariance weights = means; of many solutions the shortest."""
    covariance = _weighted(spread, log_prior, shrinkage)
    weights, _, rank, _ = np.linalg.lstsq(covariance, spread.mean.T, rcond=None)
    bias = -0.5 * (spread.mean * weights.T).sum(axis=1) + log_prior
    values, vectors = np.linalg.eigh(covariance)
    kept = values > FLOOR * len(values) * values.max(initial=0)
    between = overall(spread, shrinkage) - covariance
    directions = _directions(vectors[:, kept] / np.sqrt(values[kept]), between)
    return Rule(covariance, weights.T, bias, *directions, int(rank))


def by_eigen(spread: Spread, log_prior: Array, shrinkage: float | str | None) -> Rule:
    """The directions with the largest ratio of variance between to variance within."""
    covariance = _weighted(spread, log_prior, shrinkage)
    between = overall(spread, shrinkage) - covariance
    try:
        half = np.linalg.inv(np.linalg.cholesky(covariance))
    except np.linalg.LinAlgError:
        why = degenerate(covariance, spread.design.names) or "a column nearly follows from others"
        raise ColumnError(
            f"the covariance is singular: {why}. Use shrinkage=0.1 or so, solver='svd', which "
            "leaves such directions out, or drop a column."
        ) from None
    scalings, power = _directions(half.T, between)
    weights = spread.mean @ scalings @ scalings.T
    bias = -0.5 * (spread.mean * weights).sum(axis=1) + log_prior
    return Rule(covariance, weights, bias, scalings, power, len(covariance))


def _directions(white: Array, between: Array) -> tuple[Array, Array]:
    """Where whitened rows vary most between the classes, and the share of each direction."""
    values, vectors = np.linalg.eigh(white.T @ between @ white)
    total = values.sum()
    return upright((white @ vectors)[:, ::-1]), values[::-1] / (total if total else 1.0)


def upright(directions: Array) -> Array:
    """Each direction with its largest entry positive: a sign that rounding does not turn."""
    if not directions.size:
        return directions
    largest = np.abs(directions).argmax(axis=0)
    sign = np.sign(directions[largest, np.arange(directions.shape[1])])
    return np.asarray(directions * np.where(sign == 0, 1.0, sign))


def _weighted(spread: Spread, log_prior: Array, shrinkage: float | str | None) -> Array:
    covariance = within(spread, shrinkage)
    return np.asarray(np.tensordot(np.exp(log_prior), covariance, 1))
