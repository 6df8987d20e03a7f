"""Solvers: the linear discriminants of Gaussians with one covariance, in scikit-learn's three ways.

All start from the scatter, never from the rows, so that a grid of priors, shrinkages or solvers
costs no further pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.errors import ColumnError
from tallylearn.models.discriminants.covariance import (
    ClassScatter,
    axes,
    check_finite_matrix,
    describe_degenerate,
)
from tallylearn.models.discriminants.shrinkage import class_covariances, overall
from tallylearn.models.naive_bayes.class_priors import Priors
from tallylearn.tables import Array
from tallylearn.tallies.centred_sums import two_sum

FLOOR = 1e-13  # of the largest eigenvalue: below it a scatter holds rounding, whatever tol says


@dataclass(frozen=True)
class DiscriminantRule:
    """a_k(x) = weights_k x + bias_k, and the directions that separate the classes."""

    covariance: Array  # (p, p) the one that the rule is made of
    weights: Array  # (k, p)
    bias: Array  # (k,)
    centre: Array  # (p,) near the mean of all
    level: Array  # (k,) a_k at the centre
    scalings: Array  # (p, r)
    ratio: Array  # (r,) share of the variance between the classes
    rank: int  # of the covariance


def by_svd(spread: ClassScatter, priors: Priors, tol: float) -> DiscriminantRule:
    """Whiten what varies within the classes, then turn to where their means differ."""
    n, prior = spread.rows.sum(), priors.share
    covariance = spread.scatter.sum(axis=0) / n
    deviation = np.sqrt(np.diag(covariance).clip(0))
    scale = np.where(deviation > 0, deviation, 1.0)
    values, vectors = axes(covariance / scale / scale[:, None])
    kept = values > max(tol**2, FLOOR * len(values) * values.max(initial=0))
    white = vectors[:, kept] / scale[:, None] / np.sqrt(values[kept])
    centre, rest, apart = around_mean(spread.mean, spread.low, prior)
    size = np.sqrt(n * prior / max(1, len(prior) - 1))
    among = check_finite_matrix(size[:, None] * apart @ white)
    _, between, turned = np.linalg.svd(among, full_matrices=False)
    some = between > tol * between.max(initial=0)
    scalings = fix_signs(white @ turned.T[:, some])
    centres = apart @ scalings
    weights = centres @ scalings.T
    level = -0.5 * (centres**2).sum(axis=1) + priors.log - weights @ rest
    bias = level - weights @ centre
    power = between**2 / max(float((between**2).sum()), 1e-300)
    return DiscriminantRule(
        covariance=covariance,
        weights=weights,
        bias=bias,
        centre=centre,
        level=level,
        scalings=scalings,
        ratio=power,
        rank=int(kept.sum()),
    )


def by_least_squares(
    spread: ClassScatter, priors: Priors, shrinkage: float | str | None
) -> DiscriminantRule:
    """Solve covariance weights = means; of many solutions the shortest."""
    covariance = check_finite_matrix(_pooled_covariance(spread, priors, shrinkage))
    centre, rest, apart = around_mean(spread.mean, spread.low, priors.share)
    weights, _, rank, _ = np.linalg.lstsq(covariance, apart.T, rcond=None)
    weights = weights.T
    values, vectors = axes(covariance)
    kept = values > FLOOR * len(values) * values.max(initial=0)
    between = overall(spread, shrinkage) - covariance
    directions = _directions(vectors[:, kept] / np.sqrt(values[kept]), between)
    level = -0.5 * (apart * weights).sum(axis=1) + priors.log - weights @ rest
    bias = level - weights @ centre
    scalings, power = directions
    return DiscriminantRule(
        covariance=covariance, weights=weights, bias=bias, centre=centre, level=level,
        scalings=scalings, ratio=power, rank=int(rank),
    )  # fmt: skip


def by_eigen(
    spread: ClassScatter, priors: Priors, shrinkage: float | str | None
) -> DiscriminantRule:
    """The directions with the largest ratio of variance between to variance within."""
    covariance = _pooled_covariance(spread, priors, shrinkage)
    between = overall(spread, shrinkage) - covariance
    try:
        half = np.linalg.inv(np.linalg.cholesky(covariance))
    except np.linalg.LinAlgError:
        why = (
            describe_degenerate(covariance, spread.design.names)
            or "a column is nearly collinear with others"
        )
        raise ColumnError(
            f"the covariance is singular: {why}. Use shrinkage=0.1, or solver='svd', which "
            "ignores such directions, or drop a column."
        ) from None
    scalings, power = _directions(half.T, between)
    centre, rest, apart = around_mean(spread.mean, spread.low, priors.share)
    weights = apart @ scalings @ scalings.T
    level = -0.5 * (apart * weights).sum(axis=1) + priors.log - weights @ rest
    bias = level - weights @ centre
    return DiscriminantRule(
        covariance=covariance,
        weights=weights,
        bias=bias,
        centre=centre,
        level=level,
        scalings=scalings,
        ratio=power,
        rank=len(covariance),
    )


def around_mean(mean: Array, low: Array, prior: Array) -> tuple[Array, Array, Array]:
    """(p,) the mean of all by the priors, its digits beyond a double, and (k, p) the means around.

    A vector that all weights have in common changes no comparison of classes, and away from zero it
    would drown what they differ in. Means are subtracted from each other before anything is
    rounded: far from zero a double holds few digits of what they differ in.
    """
    from_first = (mean - mean[0]) + (low - low[0])
    shift = prior @ from_first
    centre, rest = two_sum(mean[0], low[0] + shift)
    return centre, rest, np.asarray(from_first - shift)


def _directions(white: Array, between: Array) -> tuple[Array, Array]:
    """Where whitened rows vary most between the classes, and the share of each direction."""
    values, vectors = axes(white.T @ between @ white)
    total = values.sum()
    return fix_signs((white @ vectors)[:, ::-1]), values[::-1] / (total if total else 1.0)


def fix_signs(directions: Array) -> Array:
    """Each direction with its largest entry positive: a sign that rounding does not turn."""
    if not directions.size:
        return directions
    largest = np.abs(directions).argmax(axis=0)
    sign = np.sign(directions[largest, np.arange(directions.shape[1])])
    # in one piece, as a file holds them: products with them have the same bits
    return np.ascontiguousarray(directions * np.where(sign == 0, 1.0, sign))


def _pooled_covariance(
    spread: ClassScatter, priors: Priors, shrinkage: float | str | None
) -> Array:
    return np.asarray(np.tensordot(priors.share, class_covariances(spread, shrinkage), 1))
