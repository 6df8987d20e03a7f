"""Best subsets: the columns of every size with the smallest residual sum of squares.

A regression on a subset of columns is read off the triangle R of all columns. Columns that enter
together (indicators of one category, powers of one number) form a group. Residual sums of squares
are multiplied by a price for each group, exp(cost · width / n), so that the subset with the
smallest product has the smallest n log(RSS) + cost · (number of coefficients), which is AIC or
BIC.

References
----------
G. Furnival and R. Wilson, Regressions by leaps and bounds, Technometrics 16, 1974.
C. Gatu and E. Kontoghiorghes, Branch-and-bound algorithms for computing the best-subset regression
models, J. Computational and Graphical Statistics 15, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import solve_triangular

from tallylearn.kernels import best_subsets
from tallylearn.models.glm.solvers.least_squares import (
    LeastSquaresProblem,
    pivoted_rank,
    solve_least_squares,
)
from tallylearn.tables import Array, check_shape, field_schemas

# Relative to the target's sum of squares: a smaller residual sum of squares is rounding, and counts
# as this, so that logarithms stay finite and perfect fits are tied.
ROUNDED_TO_ZERO = 1e-14
# Groups up to which all subsets are searched: 2^30 leaves, of which branch and bound visits few.
MAX_SEARCHED_GROUPS = 30
# A subset must be better by this factor to replace one that was found before it.
TIE_FACTOR = 1 - 1e-9
# Relative to a column's length: what is left of a collinear column, so that R stays invertible and
# no subset gains from the trace.
COLLINEAR_TRACE = 1e-6


@dataclass(frozen=True)
class Subsets:
    """For every size, from none, the columns of the best set and the squares it leaves."""

    taken: Array  # (m, p) 1 where a column is in
    rest: Array  # (m,)
    used: Array  # (m,) weights that are free, the intercept among them
    chosen: int = 0  # the size of the model's own

    form: ClassVar[field_schemas.Form] = {
        "taken": field_schemas.integers("m", "p", least=0),
        "rest": field_schemas.floats("m", least=0.0),
        "used": field_schemas.integers("m", least=0),
        "chosen": field_schemas.count(),
    }

    def __post_init__(self) -> None:
        check_shape("the sets", self.rest, len(self.taken))
        check_shape("the sets", self.used, len(self.taken))
        if not self.chosen < len(self.taken):
            raise ValueError("the set that was chosen is none of those found")

    def criterion(self, name: str, rows: float, whole: float) -> Array:
        """(m,) AIC or BIC: 2k, or k log n, less twice the log-likelihood."""
        rest = np.maximum(self.rest, ROUNDED_TO_ZERO * whole if whole > 0 else 1.0)
        likely = -rows / 2 * (np.log(2 * np.pi * rest / rows) + 1)
        return np.asarray((2.0 if name == "aic" else np.log(rows)) * self.used - 2 * likely)


@dataclass(frozen=True)
class ColumnGroups:
    """Which weights enter together, and what it costs that they do."""

    of: Array  # (p,) the group of every column, counted from 0
    cost: float  # of a weight: 2 for AIC, log n for BIC

    @property
    def width(self) -> Array:
        """(g,) how many weights each has."""
        return np.bincount(self.of)

    def price(self, rows: float) -> Array:
        """(g,) what the squares are multiplied by."""
        return np.asarray(np.exp(self.cost * self.width / rows))

    def columns(self, groups: list[int]) -> Array:
        return np.flatnonzero(np.isin(self.of, groups))

    def most(self, room: float) -> int:
        """How many groups any set may have, so that its weights find room."""
        widest = np.cumsum(np.sort(self.width)[::-1])
        return int((widest <= room).sum())


def best_subsets_by_size(
    normal: LeastSquaresProblem, groups: ColumnGroups, most: int, method: str
) -> list[list[int]]:
    """The groups of every set, from none to ``most``."""
    root, price = full_rank_root(normal), groups.price(normal.rows)
    if method == "forward":
        return forward_selection(root, groups, price, most)
    if method == "backward":
        return backward_elimination(root, groups, price)[: most + 1]
    known = [
        *forward_selection(root, groups, price, most),
        *backward_elimination(root, groups, price)[: most + 1],
    ]
    return branch_and_bound(root, groups, price, most, known)


def full_rank_root(normal: LeastSquaresProblem) -> Array:
    """(p + 1, p + 1) the triangle; collinear columns get a small diagonal entry."""
    r, p = normal.columns, normal.p
    order, rank = pivoted_rank(r, normal.negligible())
    if rank == p:
        return normal.root
    q, turned = np.linalg.qr(r[:, order])
    clean = turned[:rank, np.argsort(order)]
    goal = q.T @ normal.targets[:, 0]
    rest = np.sqrt((goal[rank:] ** 2).sum() + (normal.root[p:, p] ** 2).sum())
    rows = np.vstack([clean, COLLINEAR_TRACE * np.eye(p), np.zeros((1, p))])
    target = np.concatenate([goal[:rank], np.zeros(p), [rest]])
    return np.asarray(np.linalg.qr(np.column_stack([rows, target]), mode="r"))


def forward_selection(
    root: Array, groups: ColumnGroups, price: Array, most: int
) -> list[list[int]]:
    """From no group on, the one that leaves least; of equal ones the first."""
    p = len(groups.of)
    x, rest = root[:, :p].copy(), root[:, p].copy()
    found: list[list[int]] = [[]]
    while len(found) <= most:
        left = [g for g in range(len(price)) if g not in found[-1]]
        gain = _group_gains(x, rest, groups)[left]
        score = np.maximum(rest @ rest - gain, ROUNDED_TO_ZERO) * price[left]
        best = left[int((score * TIE_FACTOR <= score.min()).argmax())]
        span = _orthonormal_basis(x[:, groups.of == best])
        x, rest = x - span @ (span.T @ x), rest - span @ (span.T @ rest)
        found.append(sorted([*found[-1], best]))
    return found


def _group_gains(x: Array, rest: Array, groups: ColumnGroups) -> Array:
    """(g,) what the squares of the rest lose to each group."""
    size = (x**2).sum(axis=0)
    alone = np.where(
        size > (COLLINEAR_TRACE / 2) ** 2, (x.T @ rest) ** 2 / np.maximum(size, 1e-300), 0.0
    )
    gain = np.zeros(len(groups.width))
    gain[groups.of] = alone
    for g in np.flatnonzero(groups.width > 1):
        gain[g] = ((_orthonormal_basis(x[:, groups.of == g]).T @ rest) ** 2).sum()
    return gain


def _orthonormal_basis(x: Array) -> Array:
    """(k, d) orthonormal columns for those of x, as far as anything is left of them."""
    left, values, _ = np.linalg.svd(x, full_matrices=False)
    return np.asarray(left[:, values > COLLINEAR_TRACE / 2])


def backward_elimination(root: Array, groups: ColumnGroups, price: Array) -> list[list[int]]:
    """From all groups on, without the one whose loss costs least; of equal ones the last."""
    found = [[*range(len(price))]]
    while found[-1]:
        kept = found[-1]
        columns = groups.columns(kept)
        r = _root_of_columns(root, columns)
        loss = _group_losses(r, groups.of[columns], groups)[kept]
        score = np.maximum(float(r[-1, -1] ** 2) + loss, ROUNDED_TO_ZERO) / price[kept]
        at = int(np.flatnonzero(score * TIE_FACTOR <= score.min())[-1])
        found.append([*kept[:at], *kept[at + 1 :]])
    return found[::-1]


def _group_losses(r: Array, of: Array, groups: ColumnGroups) -> Array:
    """(g,) what the squares grow by where a group's weights become 0: bᵀ (covariance)⁻¹ b.

    That is the target's share in the rows of the inverse that give these weights: to square them
    would lose the digits that powers far from zero differ by.
    """
    inverse, goal = solve_triangular(r[:-1, :-1], np.eye(len(of))), r[:-1, -1]
    weight = inverse @ goal
    loss = np.zeros(len(groups.width))
    loss[of] = weight**2 / (inverse**2).sum(axis=1)
    for g in np.flatnonzero(groups.width > 1):
        span = np.linalg.qr(inverse[of == g].T)[0]
        loss[g] = ((span.T @ goal) ** 2).sum()
    return loss


def _root_of_columns(root: Array, columns: Array) -> Array:
    """That of some columns and the target."""
    return np.asarray(np.linalg.qr(root[:, [*columns, -1]], mode="r"))


def branch_and_bound(
    root: Array, groups: ColumnGroups, price: Array, most: int, known: list[list[int]]
) -> list[list[int]]:
    """The best of all sets, by branch and bound from those that are known."""
    p, g = len(groups.of), len(price)
    roots, of = np.zeros((g + 1, p + 1, p + 1)), np.zeros((g + 1, p), dtype=np.int64)
    order = np.zeros((g + 1, g), dtype=np.int64)
    roots[0], of[0], order[0] = root, groups.of, np.arange(g)
    least, chosen = np.full(g + 1, np.inf), np.zeros(g + 1, dtype=np.int64)
    for some in known:
        score = _score(root, groups, price, some)
        if score < least[len(some)] * TIE_FACTOR:
            least[len(some)], chosen[len(some)] = score, sum(1 << k for k in some)
    space = np.zeros((p + 1, p))
    best_subsets.search(roots, of, order, price, most, space, least, chosen)
    return [[k for k in range(g) if int(bits) >> k & 1] for bits in chosen[: most + 1]]


def _score(root: Array, groups: ColumnGroups, price: Array, some: list[int]) -> float:
    """The squares that a set leaves, times its price."""
    r = _root_of_columns(root, groups.columns(some))
    return float(max(r[-1, -1] ** 2, ROUNDED_TO_ZERO) * np.prod(price[some]))


def coefficients_of_subsets(
    normal: LeastSquaresProblem, groups: ColumnGroups, sets: list[list[int]]
) -> tuple[Array, list[Array]]:
    """(m, 1, p) the weights of least squares for every set, and which columns are free in it."""
    coef, free = np.zeros((len(sets), 1, normal.p)), []
    for m, some in enumerate(sets):
        columns = groups.columns(some)
        found = solve_least_squares(normal.free(columns))
        coef[m][:, columns] = found.coef
        free.append(columns[found.basis])
    return coef, free
