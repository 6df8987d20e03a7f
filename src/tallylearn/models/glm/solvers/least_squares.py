"""Least squares, ridge and non-negative least squares from the triangle R of a QR factorisation.

Whatever was summed, a scatter matrix or a triangle, becomes the R of the centred columns and
targets, each divided by its length: RᵀR is their correlation matrix, so that units of measure do
not worsen the condition number. Coefficients follow by back substitution where R has full rank.
Where columns are collinear a basis is found by column pivoting, and the solution of minimum norm
is taken, as scikit-learn's ``LinearRegression`` does.

References
----------
G. Golub and C. Van Loan, Matrix Computations, 4th edition, 2013, chapters 5 and 6.
N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, 2002, chapters 19 and 20.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import lapack, qr, solve_triangular
from scipy.optimize import nnls

from tallylearn.errors import quoted_list
from tallylearn.kernels import qr_triangle
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.terms import (
    CategoryTerm,
    IndicatorTerm,
    NumericTerm,
    PooledTerm,
    PowerTerm,
)
from tallylearn.models.glm.sufficient_statistics import FoldMoments
from tallylearn.tables import Array
from tallylearn.tallies import Triangle
from tallylearn.tallies.centred_sums import two_sum
from tallylearn.tallies.factoring import root_of
from tallylearn.tallies.pairs import GAP, count_measured

EPS = float(np.finfo(np.float64).eps)
# Relative rounding of a number that was converted between units before it came: one rounding of the
# factor and one of the product.
UNIT_ROUNDING = 2 * EPS
# Times the number of columns: the length, relative to 1, that Householder QR leaves of a column
# that is a linear combination of others. The bound is c m p EPS (Higham, theorem 19.4). The
# largest factor in 150 random collinear designs of up to 200 columns was 1; the rest is a margin.
COLLINEAR_ROUNDING = 64 * EPS
# LAPACK's dtrcon returns values of this order for singular triangles in place of 0.
MIN_RECIPROCAL_CONDITION = 1e-18
# A coefficient of a linear dependency between scaled columns below this is not reported.
MIN_SHARE = 1e-6
# And below this it is rounding, and is set to 0 before units of measure could magnify it.
ROUNDING_SHARE = 1e-10
# Relative to a target's length: half of the digits of a double.
HALF_PRECISION = 1e-8
# Relative to a target's sum of squares: how much worse than the basis alone the solution of minimum
# norm may fit, where the dependency itself holds only up to the rounding of the data.
MAX_LOSS_OF_FIT = 1e-6
# Below this condition number no pivot of R is as small as what rounding leaves: no rank decision.
WELL_CONDITIONED = 1e4
# Root of the ridge penalty relative to the length of its column. Up to here appended rows are
# factored in place; larger ones are sorted by size first, or they would cost the column digits.
LARGE_PENALTY = 8.0


@dataclass(frozen=True)
class LeastSquaresProblem:
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
        far = (
            UNIT_ROUNDING * np.sqrt(self.rows) * np.abs(self.mean[: self.p]) / self.scale[: self.p]
        )
        far = np.minimum(far, 0.5)  # a column of steps of one rounding is still there alone
        least = (
            np.maximum(far, self.p * COLLINEAR_ROUNDING) if tol is None else np.full(self.p, tol)
        )
        return np.maximum(least, np.sqrt(self.p * COLLINEAR_ROUNDING)) if self.squared else least

    def sums_of_squares(self, coef: Array) -> Array:
        """(2, t) the squares that these weights (t, p) leave of the targets, and all of those."""
        out = np.empty((2, len(coef)))
        qr_triangle.explained(np.ascontiguousarray(self.root), self.scale, coef, out)
        return out

    def free(self, basis: Array) -> LeastSquaresProblem:
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
        return 1 / share if share > MIN_RECIPROCAL_CONDITION else np.inf


def condition_number(normal: LeastSquaresProblem, penalty: Array) -> float:
    """The condition with the least penalty."""
    least = float(penalty.min(initial=np.inf))
    if not np.isfinite(least) or least == 0:
        return normal.condition
    more = np.diag(np.sqrt(least) / normal.scale[: normal.p])
    root = np.asarray(np.linalg.qr(np.vstack([normal.columns, more]), mode="r"))
    long = np.sqrt((root**2).sum(axis=0))
    return replace(normal, root=_pad(root / long, len(normal.root))).condition


def _pad(root: Array, size: int) -> Array:
    out = np.zeros((size, size))
    out[: len(root), : len(root)] = root
    return out


def problem_from_scatter(sums: FoldMoments, intercept: bool = True) -> LeastSquaresProblem:
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
    return LeastSquaresProblem(
        design=sums.design,
        rows=n,
        mean=mean,
        scale=scale,
        root=root,
        squared=True,
        centred=intercept,
        low=low,
    )


def problem_from_triangle(
    triangle: Triangle, design: Design, intercept: bool = True
) -> LeastSquaresProblem:
    """From a triangle, its columns those of the design, gaps filled."""
    pooled = triangle.pool()
    r, level = _design_columns(pooled, design)
    if not intercept:
        r = np.asarray(np.linalg.qr(r[:, 1:] + np.outer(r[:, 0], level), mode="r"))
        least, mean, low = np.zeros((3, len(level)))
    else:
        mean, low = two_sum(level, r[0, 1:] / r[0, 0])
        least, r = COLLINEAR_ROUNDING * r[0, 1:], r[1:, 1:]  # what rounding leaves of a constant
    root, scale = np.zeros((len(level), len(level))), np.empty(len(level))
    qr_triangle.scaled(np.ascontiguousarray(r), least, root, scale)
    return LeastSquaresProblem(
        design=design,
        rows=float(pooled.count[0]),
        mean=mean,
        scale=scale,
        root=root,
        squared=False,
        centred=intercept,
        low=low,
    )


def _design_columns(pooled: Triangle, design: Design) -> tuple[Array, Array]:
    """The triangle of ones, a design's columns and the targets, and what was taken off those."""
    pairs = (*zip(design.columns, design.values, strict=True),)
    gaps = GAP in pooled.values
    if not gaps and pooled.names[: len(pooled.names) - count_measured(pooled.values)] == pairs:
        return pooled.root[0], pooled.centre[0]  # nothing was left out or moved
    targets = [j for j, value in enumerate(pooled.values) if value[:1] == "!"]
    place = {name: j for j, name in enumerate(pooled.names)}
    if not gaps and all(pair in place for pair in pairs):
        at = [*(place[pair] for pair in pairs), *targets]
        r, level = pooled.root[0][:, [0, *(1 + j for j in at)]], pooled.centre[0, at]
    else:
        root = pooled.recentre(np.array([_centres(pooled, design, place)]))[0]
        columns = [_design_column(root, design, j, place) for j in range(len(pairs))]
        r = np.column_stack([root[:, 0], *columns, *(root[:, 1 + j] for j in targets)])
        centre = [
            fill * isinstance(term, NumericTerm | PowerTerm)
            for fill, term in zip(design.fill, design.terms, strict=True)
        ]
        level = np.array([*centre, *pooled.centre[0, targets]])
    return np.asarray(np.linalg.qr(r, mode="r")), level


def _centres(pooled: Triangle, design: Design, place: dict[tuple[str, str], int]) -> Array:
    """(q,) the centres of a triangle's numbers as the design fills them."""
    centre: Array = pooled.centre[0].copy()
    for term, fill in zip(design.terms, design.fill, strict=True):
        if isinstance(term, NumericTerm | PowerTerm) and (term.column, term.code) in place:
            centre[place[term.column, term.code]] = fill
    return centre


def _design_column(root: Array, design: Design, j: int, place: dict[tuple[str, str], int]) -> Array:
    """A column of the design among those that were factored; its missing values are filled."""
    term = design.terms[j]
    names = [(term.column, term.code)]
    if isinstance(term, PooledTerm) and names[0] not in place:
        rare = design.rare.by_column[term.column]
        names = [(term.column, IndicatorTerm(term.column, one).code) for one in rare]
    at = [place[name] for name in names if name in place]
    out = np.sum([root[:, 1 + k] for k in at] or [np.zeros(len(root))], axis=0)
    missing = place.get((term.column, GAP), -1)
    if missing >= 0 and isinstance(term, CategoryTerm):
        out = out + design.fill[j] * root[:, 1 + missing]
    return np.asarray(out)


@dataclass(frozen=True)
class LeastSquaresSolution:
    """Weights, and which columns they are free in."""

    coef: Array  # (t, p)
    basis: Array  # (r,) columns that do not follow from those before them
    dependent: tuple[str, ...] = ()  # what is to be said about the others
    penalty: Array | None = None  # (t,)
    intercept: Array | None = None  # (t,) where it is known better than by the means
    level: Array | None = None  # (2, t) the answers at the means, where those are not the targets'
    rest: Array | None = None  # (t,) squared residuals, where they are known better than by coef


def solve_least_squares(
    normal: LeastSquaresProblem, tol: float | None = None
) -> LeastSquaresSolution:
    """The shortest weights of least squares, in the units of the table."""
    r, z, least = normal.columns, normal.targets, normal.negligible(tol)
    most = float(least.max(initial=EPS))
    if normal.condition * most < 0.01 and (np.abs(r.diagonal()) > least).all():
        inner = back_substitute(r, z)
        return LeastSquaresSolution(_in_table_units(inner, normal), np.arange(len(r)))
    order, rank = pivoted_rank(r, least)
    q, turned = np.linalg.qr(r[:, order])
    wide = turned[:rank]
    there = (wide**2).sum(axis=0) > 0.5  # columns have length 1, constants rounding
    inner = np.empty((normal.p, z.shape[1]))
    turned = np.where(there, turned, 0.0)
    inner[order] = minimum_norm(turned, q.T @ z, rank, normal.scale[order])
    said = describe_dependencies(normal.design.names, wide, order, rank)
    return LeastSquaresSolution(
        inner.T * normal.scale[normal.p :, None], np.sort(order[:rank]), said
    )


def _in_table_units(inner: Array, normal: LeastSquaresProblem) -> Array:
    """Weights of scaled columns (p, t) as those of the table's (t, p)."""
    p = normal.p
    return np.asarray(inner.T * normal.scale[p:, None] / normal.scale[:p])


def back_substitute(r: Array, z: Array) -> Array:
    """r⁻¹ z of an upper triangle: `solve_triangular` without its checks, which take longer."""
    if not len(r):
        return z  # LAPACK complains of nothing, on standard output
    found, failed = lapack.dtrtrs(r, z)
    if failed:
        raise np.linalg.LinAlgError("a triangle has no inverse")
    return np.asarray(found)


def pivoted_rank(r: Array, least: Array) -> tuple[Array, int]:
    """The columns of a triangle, linearly independent ones first, and the rank."""
    pivoted, order = qr(r, mode="r", pivoting=True)
    size = np.abs(np.diag(pivoted))
    stays = np.flatnonzero(size > least[order] * max(size[0], 1e-300))
    others = np.setdiff1d(np.arange(len(order)), stays)
    return np.asarray(order[np.concatenate([stays, others])]), len(stays)


def minimum_norm(turned: Array, z: Array, rank: int, scale: Array) -> Array:
    """(p, t) the shortest weights, in units of the columns, of which the first are a basis.

    Powers of numbers far from zero weigh little in their units and much in answers: where these
    lose digits so, the weights are the shortest of columns of length 1. Where a column follows only
    as far as its numbers are not rounded, its weight may leave more than the basis alone does: then
    it has none.
    """
    wide, rest = turned[:rank], (z[rank:] ** 2).sum(axis=0)
    plain = back_substitute(wide[:, :rank], z[:rank]) / scale[:rank, None]
    out = np.vstack([plain, np.zeros((len(scale) - rank, z.shape[1]))])
    for units in (np.ones_like(scale), scale):
        found = _minimum_norm_in_units(wide, z[:rank], units) * (units / scale)[:, None]
        inner = found * scale[:, None]
        left = ((turned @ inner - z) ** 2).sum(axis=0)
        steady = (
            units is not scale or EPS * np.abs(inner).sum(axis=0).max(initial=0.0) < HALF_PRECISION
        )
        out = found if steady and (left <= rest + MAX_LOSS_OF_FIT).all() else out
    return np.asarray(out)


def _minimum_norm_in_units(wide: Array, z: Array, scale: Array) -> Array:
    """The shortest by a scale.

    The basis alone would have weights w, of columns of length 1, whatever their units. A column
    that follows from it, in shares G of the units, takes weights v off those of the basis: so long
    as |w - G v|² + |v|² falls. Shares that rounding left would be weighed by units, and are none.
    """
    rank, of = len(wide), scale[:, None]
    known = back_substitute(wide[:, :rank], z) / of[:rank]
    if rank == wide.shape[1]:
        return np.asarray(known)
    shares = back_substitute(wide[:, :rank], wide[:, rank:])
    shares = np.where(np.abs(shares) > ROUNDING_SHARE, shares, 0.0) / of[:rank] * scale[rank:]
    both = np.vstack([shares, np.eye(shares.shape[1])])
    long = np.sqrt((both**2).sum(axis=0))
    wanted = np.vstack([known, np.zeros((shares.shape[1], z.shape[1]))])
    more = np.linalg.lstsq(both / long, wanted, rcond=None)[0] / long[:, None]
    rest = back_substitute(wide[:, :rank], z - wide[:, rank:] @ (more * of[rank:]))
    return np.vstack([rest / of[:rank], more])


def drop_negligible_rows(r: Array, z: Array, least: Array) -> tuple[Array, Array]:
    """(k, p) a triangle and (k, t) the targets' share in it, without the rows that rounding left.

    Of a collinear column it leaves a trace, and targets in that direction are as
    long as ever: a small penalty would take one for the other.
    """
    order, rank = pivoted_rank(r, least)
    if rank == len(r):
        return r, z
    q, turned = np.linalg.qr(r[:, order])
    return turned[:rank, np.argsort(order)], (q.T @ z)[:rank]


def describe_dependencies(
    names: Sequence[str], r: Array, order: Array, rank: int
) -> tuple[str, ...]:
    """For every collinear column, the columns that it depends on."""
    said = []
    for at in range(rank, len(order)):
        name = names[order[at]]
        share = solve_triangular(r[:, :rank], r[:, at]) if rank else np.zeros(0)
        of = [names[order[i]] for i in np.flatnonzero(np.abs(share) > MIN_SHARE)]
        said.append(
            f"{name} is a linear combination of {quoted_list(sorted(of))}"
            if of
            else f"{name} is constant"
        )
    return tuple(sorted(said))


def solve_ridge(normal: LeastSquaresProblem, penalty: Array) -> LeastSquaresSolution:
    """The weights with the smallest squares plus ``penalty`` (t,) times their own squares.

    The triangle is factored again with a row for every weight, the root of the penalty.
    """
    p, (r, z) = normal.p, without_negligible_rows(normal)
    out = np.empty((z.shape[1], p))
    for t, alpha in enumerate(penalty):
        if alpha == 0:
            out[t] = solve_least_squares(normal).coef[t]
            continue
        cost = np.sqrt(alpha) / normal.scale[:p]
        plain = len(r) == p and cost.max(initial=0.0) <= LARGE_PENALTY
        inner = (_solve_augmented if plain else _solve_augmented_sorted)(r, z[:, t], cost)
        out[t] = inner * normal.scale[p + t] / normal.scale[:p]
    return LeastSquaresSolution(out, np.arange(p), penalty=penalty)


def without_negligible_rows(normal: LeastSquaresProblem) -> tuple[Array, Array]:
    """(k, p) the triangle of the columns and (k, t) of the targets, without what rounding left.

    Of products it left as much in the targets, and a penalty outweighs both.
    """
    if normal.squared or normal.condition < WELL_CONDITIONED:
        return normal.columns, normal.targets
    return drop_negligible_rows(normal.columns, normal.targets, normal.negligible())


def _solve_augmented(r: Array, z: Array, cost: Array) -> Array:
    """(p,) the weights of a triangle that pay each its cost (p,)."""
    p = len(cost)
    both = np.zeros((2 * p, p + 1))
    both[:p, :p], both[:p, p] = r, z
    both[p:, :p] = np.diag(cost)
    small = root_of(both)
    return back_substitute(small[:p, :p], small[:p, p])


def _solve_augmented_sorted(r: Array, z: Array, cost: Array) -> Array:
    """The same, however far apart rows are in size: rows sorted by it, and columns pivoted.

    So every row keeps its own digits (A. Cox and N. Higham, Stability of Householder QR
    factorization for weighted least squares problems, Numerical Analysis, 1998).
    """
    both, goal = np.vstack([r, np.diag(cost)]), np.concatenate([z, np.zeros(len(cost))])
    order = np.argsort(-np.abs(both).max(axis=1), kind="stable")
    q, small, at = qr(both[order], mode="economic", pivoting=True)
    out = np.empty(len(cost))
    out[at] = back_substitute(small, q.T @ goal[order])
    return out


def solve_ridge_with_penalised_intercept(
    normal: LeastSquaresProblem, penalty: Array
) -> LeastSquaresSolution:
    """Ridge weights where the intercept pays too: a column of ones among the others."""
    p, n, (r, z) = normal.p, normal.rows, without_negligible_rows(normal)
    scale, mean = normal.scale[:p], normal.mean
    coef, intercept = np.empty((len(penalty), p)), np.empty(len(penalty))
    for t, alpha in enumerate(penalty):
        level = np.sqrt(n) * np.concatenate([[1.0], mean[:p] / scale])
        inside = np.column_stack([np.zeros(len(r)), r])
        unit = normal.scale[p + t]
        goal = np.concatenate([[np.sqrt(n) * mean[p + t] / unit], z[:, t]])
        cost = np.sqrt(alpha) / np.concatenate([[1.0], scale])
        found = _solve_augmented_sorted(np.vstack([level, inside]), goal, cost) * unit
        intercept[t], coef[t] = found[0], found[1:] / scale
    level = intercept + coef @ mean[:p]
    return LeastSquaresSolution(
        coef, np.arange(p), penalty=penalty, intercept=intercept, level=np.array([level, 0 * level])
    )


def solve_nonnegative(normal: LeastSquaresProblem, penalty: Array) -> LeastSquaresSolution:
    """The best weights of which none is negative, each target's penalty (t,) times their squares.

    The intercept is free.
    """
    p, (r, z) = normal.p, without_negligible_rows(normal)
    out = np.empty((len(penalty), p))
    for t, alpha in enumerate(penalty):
        wide = np.vstack([r, np.diag(np.sqrt(alpha) / normal.scale[:p])])
        goal = np.concatenate([z[:, t], np.zeros(p)])
        inner, _ = nnls(wide, goal)
        out[t] = inner * normal.scale[p + t] / normal.scale[:p]
    return LeastSquaresSolution(out, np.arange(p), penalty=penalty if penalty.any() else None)
