"""Least squares: the weights with the smallest sum of squared residuals, from a triangle R.

Whatever was summed becomes the R of a QR factorisation of the centred columns and targets, each
divided by its length, so that no unit of measure makes the equations look worse than they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import lapack

from tallylearn.kernels import qr_triangle
from tallylearn.models.design.matrix import POOLED, Design
from tallylearn.models.glm.linear.dependent_columns import (
    dependencies,
    ranked,
    shortest,
    substituted,
)
from tallylearn.models.glm.linear.sums import Sums
from tallylearn.tables import Array
from tallylearn.tallies import Triangle
from tallylearn.tallies.centred_sums import summed
from tallylearn.tallies.pairs import GAP, measured

EPS = float(np.finfo(np.float64).eps)
ROUNDED = 2 * EPS  # of a number: what a conversion of units leaves
DEPENDENT = 64 * EPS  # times the columns: what rounding leaves of a column that follows from others
NONE = 1e-18  # a reciprocal condition below is what rounding left of none


@dataclass(frozen=True)
class Normal:
    """R, with RᵀR the products of columns and targets, and what it takes to undo the scaling."""

    design: Design
    rows: float
    mean: Array  # (p + t,) what was taken off; zeros without an intercept
    scale: Array  # (p + t,)
    root: Array  # (p + t, p + t) upper triangular
    squared: bool  # whether it came out of a scatter, so that the condition counts twice
    centred: bool  # whether there is an intercept
    low: Array  # (p + t,) digits of the means beyond a double

    @cached_property
    def p(self) -> int:
        return len(self.design.columns)

    @property
    def varying(self) -> int:
        """How many columns are no constants."""
        return int(np.count_nonzero(self.lengths))

    @property
    def lengths(self) -> Array:
        """(p,) of the columns, in their units; 0 of a constant. R has them of length 1."""
        return np.where((self.columns**2).sum(axis=0) > 0.5, self.scale[: self.p], 0.0)

    @property
    def columns(self) -> Array:
        """(p, p) the triangle of the columns."""
        return self.root[: self.p, : self.p]

    @property
    def targets(self) -> Array:
        """(p, t) the targets' share in the columns' space."""
        return self.root[: self.p, self.p :]

    @cached_property
    def products(self) -> Array:
        """(p + t, p + t) of columns and targets, in the units of the table."""
        raw = self.root * self.scale
        return np.asarray(raw.T @ raw)

    @property
    def rest(self) -> Array:
        """(t,) the squares that no weights explain, in the units of the targets."""
        below = self.root[self.p :, self.p :]
        return np.asarray((below**2).sum(axis=0) * self.scale[self.p :] ** 2)

    @property
    def whole(self) -> Array:
        """(t,) the squares of the targets around their means."""
        return np.asarray((self.root[:, self.p :] ** 2).sum(axis=0) * self.scale[self.p :] ** 2)

    def negligible(self, tol: float | None = None) -> Array:
        """(p,) the share of a column's length that is rounding; a scatter lost half of the digits.

        Numbers far from 0 were rounded before they came: 0.1 x is no multiple of x by as much.
        """
        far = ROUNDED * np.sqrt(self.rows) * np.abs(self.mean[: self.p]) / self.scale[: self.p]
        far = np.minimum(far, 0.5)  # a column of steps of one rounding is still there alone
        least = np.maximum(far, self.p * DEPENDENT) if tol is None else np.full(self.p, tol)
        return np.maximum(least, np.sqrt(self.p * DEPENDENT)) if self.squared else least

    def explained(self, coef: Array) -> Array:
        """(2, t) the squares that these weights (t, p) leave of the targets, and all of those."""
        out = np.empty((2, len(coef)))
        qr_triangle.explained(np.ascontiguousarray(self.root), self.scale, coef, out)
        return out

    def free(self, basis: Array) -> Normal:
        """The same with some of the columns."""
        if len(basis) == self.p:
            return self
        kept = np.concatenate([basis, np.arange(self.p, len(self.scale))])
        root = np.asarray(np.linalg.qr(self.root[:, kept], mode="r"))
        columns, values = (
            tuple(part[j] for j in basis) for part in (self.design.columns, self.design.values)
        )
        fill, gaps = self.design.fill[basis], self.design.gaps[basis]
        design = replace(self.design, columns=columns, values=values, fill=fill, gaps=gaps)
        mean, low, scale = (part[kept] for part in (self.mean, self.low, self.scale))
        return replace(self, design=design, mean=mean, low=low, scale=scale, root=root)

    @cached_property
    def condition(self) -> float:
        """About how many times an error is magnified; infinite where columns are dependent."""
        r = self.columns
        if not len(r):
            return 1.0
        if np.count_nonzero(r.diagonal()) < len(r):
            flat = np.flatnonzero((r == 0).all(axis=0))
            r = np.delete(np.delete(r, flat, axis=0), flat, axis=1)
        share = lapack.dtrcon(r, norm="1", uplo="U")[0] if len(r) else 1.0
        return 1 / share if share > NONE else np.inf


def conditioned(normal: Normal, penalty: Array) -> float:
    """The condition with the least penalty."""
    least = float(penalty.min(initial=np.inf))
    if not np.isfinite(least) or least == 0:
        return normal.condition
    more = np.diag(np.sqrt(least) / normal.scale[: normal.p])
    root = np.asarray(np.linalg.qr(np.vstack([normal.columns, more]), mode="r"))
    long = np.sqrt((root**2).sum(axis=0))
    return replace(normal, root=_padded(root / long, len(normal.root))).condition


def _padded(root: Array, size: int) -> Array:
    out = np.zeros((size, size))
    out[: len(root), : len(root)] = root
    return out


def from_scatter(sums: Sums, intercept: bool = True) -> Normal:
    """From means and a scatter, by Cholesky; by eigenvalues where rounding made it indefinite."""
    n, mean, scatter = float(sums.rows[0]), sums.mean[0], sums.scatter[0]
    if not intercept:
        scatter = scatter + n * np.outer(mean, mean)
    scale, scaled = np.empty(len(mean)), np.empty_like(scatter)
    qr_triangle.alike(np.ascontiguousarray(scatter), scaled, scale)
    lower, indefinite = lapack.dpotrf(scaled, lower=True)
    root = lower.T
    if indefinite:
        values, vectors = np.linalg.eigh(scaled)
        half = np.sqrt(values.clip(0))[:, None] * vectors.T
        root = np.asarray(np.linalg.qr(half, mode="r"))
    mean, low = (mean, sums.low[0]) if intercept else (np.zeros_like(mean),) * 2
    return Normal(sums.design, n, mean, scale, root, True, intercept, low)


def from_triangle(triangle: Triangle, design: Design, intercept: bool = True) -> Normal:
    """From a triangle, its columns those of the design, gaps filled."""
    pooled = triangle.pooled()
    r, level = _designed(pooled, design)
    if not intercept:
        r = np.asarray(np.linalg.qr(r[:, 1:] + np.outer(r[:, 0], level), mode="r"))
        least, mean, low = np.zeros((3, len(level)))
    else:
        mean, low = summed(level, r[0, 1:] / r[0, 0])
        least, r = DEPENDENT * r[0, 1:], r[1:, 1:]  # what rounding leaves of a constant
    root, scale = np.zeros((len(level), len(level))), np.empty(len(level))
    qr_triangle.scaled(np.ascontiguousarray(r), least, root, scale)
    return Normal(design, float(pooled.count[0]), mean, scale, root, False, intercept, low)


def _designed(pooled: Triangle, design: Design) -> tuple[Array, Array]:
    """The triangle of ones, a design's columns and the targets, and what was taken off those."""
    pairs = (*zip(design.columns, design.values, strict=True),)
    gaps = GAP in pooled.values
    if not gaps and pooled.names[: len(pooled.names) - measured(pooled.values)] == pairs:
        return pooled.root[0], pooled.centre[0]  # nothing was left out or moved
    targets = [j for j, value in enumerate(pooled.values) if value[:1] == "!"]
    place = {name: j for j, name in enumerate(pooled.names)}
    if not gaps and all(pair in place for pair in pairs):
        at = [*(place[pair] for pair in pairs), *targets]
        r, level = pooled.root[0][:, [0, *(1 + j for j in at)]], pooled.centre[0, at]
    else:
        root = pooled.around(np.array([_fills(pooled, design, place)]))[0]
        columns = [_column(root, design, j, place) for j in range(len(pairs))]
        r = np.column_stack([root[:, 0], *columns, *(root[:, 1 + j] for j in targets)])
        centre = [
            fill * _number(value) for fill, value in zip(design.fill, design.values, strict=True)
        ]
        level = np.array([*centre, *pooled.centre[0, targets]])
    return np.asarray(np.linalg.qr(r, mode="r")), level


def _fills(pooled: Triangle, design: Design, place: dict[tuple[str, str], int]) -> Array:
    """(q,) the centres of a triangle's numbers as the design fills them."""
    centre: Array = pooled.centre[0].copy()
    for name, value, fill in zip(design.columns, design.values, design.fill, strict=True):
        if _number(value) and (name, value) in place:
            centre[place[name, value]] = fill
    return centre


def _number(value: str) -> bool:
    return not value or value.startswith("^")


def _column(root: Array, design: Design, j: int, place: dict[tuple[str, str], int]) -> Array:
    """A column of the design among those that were factored; a gap in it is filled."""
    name, value = design.columns[j], design.values[j]
    if value == POOLED and (name, value) not in place:
        parts = [place.get((name, f"={one}"), -1) for one in design.rare.by_column[name]]
    else:
        parts = [place.get((name, value), -1)]
    out = np.sum([root[:, 1 + at] for at in parts if at >= 0] or [np.zeros(len(root))], axis=0)
    gap = place.get((name, GAP), -1)
    if gap >= 0 and value != GAP and not _number(value):
        out = out + design.fill[j] * root[:, 1 + gap]
    return np.asarray(out)


@dataclass(frozen=True)
class Fitted:
    """Weights, and which columns they are free in."""

    coef: Array  # (t, p)
    basis: Array  # (r,) columns that do not follow from those before them
    dependent: tuple[str, ...] = ()  # what is to be said about the others
    penalty: Array | None = None  # (t,)
    intercept: Array | None = None  # (t,) where it is known better than by the means
    level: Array | None = None  # (2, t) the answers at the means, where those are not the targets'
    rest: Array | None = None  # (t,) squared residuals, where they are known better than by coef


def solved(normal: Normal, tol: float | None = None) -> Fitted:
    """The shortest weights of least squares, in the units of the table."""
    r, z, least = normal.columns, normal.targets, normal.negligible(tol)
    most = float(least.max(initial=EPS))
    if normal.condition * most < 0.01 and (np.abs(r.diagonal()) > least).all():
        inner = substituted(r, z)
        return Fitted(_in_units(inner, normal), np.arange(len(r)))
    order, rank = ranked(r, least)
    q, turned = np.linalg.qr(r[:, order])
    wide = turned[:rank]
    there = (wide**2).sum(axis=0) > 0.5  # columns have length 1, constants rounding
    inner = np.empty((normal.p, z.shape[1]))
    turned = np.where(there, turned, 0.0)
    inner[order] = shortest(turned, q.T @ z, rank, normal.scale[order])
    said = dependencies(normal.design.names, wide, order, rank)
    return Fitted(inner.T * normal.scale[normal.p :, None], np.sort(order[:rank]), said)


def _in_units(inner: Array, normal: Normal) -> Array:
    """Weights of scaled columns (p, t) as those of the table's (t, p)."""
    p = normal.p
    return np.asarray(inner.T * normal.scale[p:, None] / normal.scale[:p])
