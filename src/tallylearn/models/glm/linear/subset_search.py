"""Subsets of columns: of every number the one that leaves the least squares, or nearly so.

A set is looked at through the triangle of all columns: without some of them it is a triangle again.
Weights that enter together are a group, and squares are multiplied by the prices of the groups, so
that the least product is the least n log(squares) + cost of a set's weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from tallylearn.kernels import best_subsets
from tallylearn.models.glm.linear.dependent_columns import ranked
from tallylearn.models.glm.linear.least_squares import Normal, solved
from tallylearn.models.glm.linear.subset_path import ROUNDING
from tallylearn.tables import Array

LARGEST = 30  # groups that all subsets are looked through of
TIED = 1 - 1e-9  # a set must be better by this to be better
STEADY = 1e-6  # of a column's length: kept of one that follows from others


@dataclass(frozen=True)
class Groups:
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


def best_sets(normal: Normal, groups: Groups, most: int, method: str) -> list[list[int]]:
    """The groups of every set, from none to ``most``."""
    root, price = steady(normal), groups.price(normal.rows)
    if method == "forward":
        return forward(root, groups, price, most)
    if method == "backward":
        return backward(root, groups, price)[: most + 1]
    known = [*forward(root, groups, price, most), *backward(root, groups, price)[: most + 1]]
    return searched(root, groups, price, most, known)


def steady(normal: Normal) -> Array:
    """(p + 1, p + 1) the triangle; columns that follow from others stand out by a trace."""
    r, p = normal.columns, normal.p
    order, rank = ranked(r, normal.negligible())
    if rank == p:
        return normal.root
    q, turned = np.linalg.qr(r[:, order])
    clean = turned[:rank, np.argsort(order)]
    goal = q.T @ normal.targets[:, 0]
    rest = np.sqrt((goal[rank:] ** 2).sum() + (normal.root[p:, p] ** 2).sum())
    rows = np.vstack([clean, STEADY * np.eye(p), np.zeros((1, p))])
    target = np.concatenate([goal[:rank], np.zeros(p), [rest]])
    return np.asarray(np.linalg.qr(np.column_stack([rows, target]), mode="r"))


def forward(root: Array, groups: Groups, price: Array, most: int) -> list[list[int]]:
    """From no group on, the one that leaves least; of equal ones the first."""
    p = len(groups.of)
    x, rest = root[:, :p].copy(), root[:, p].copy()
    found: list[list[int]] = [[]]
    while len(found) <= most:
        left = [g for g in range(len(price)) if g not in found[-1]]
        gain = _gains(x, rest, groups)[left]
        score = np.maximum(rest @ rest - gain, ROUNDING) * price[left]
        best = left[int((score * TIED <= score.min()).argmax())]
        span = _span(x[:, groups.of == best])
        x, rest = x - span @ (span.T @ x), rest - span @ (span.T @ rest)
        found.append(sorted([*found[-1], best]))
    return found


def _gains(x: Array, rest: Array, groups: Groups) -> Array:
    """(g,) what the squares of the rest lose to each group."""
    size = (x**2).sum(axis=0)
    alone = np.where(size > (STEADY / 2) ** 2, (x.T @ rest) ** 2 / np.maximum(size, 1e-300), 0.0)
    gain = np.zeros(len(groups.width))
    gain[groups.of] = alone
    for g in np.flatnonzero(groups.width > 1):
        gain[g] = ((_span(x[:, groups.of == g]).T @ rest) ** 2).sum()
    return gain


def _span(x: Array) -> Array:
    """(k, d) orthonormal columns for those of x, as far as anything is left of them."""
    left, values, _ = np.linalg.svd(x, full_matrices=False)
    return np.asarray(left[:, values > STEADY / 2])


def backward(root: Array, groups: Groups, price: Array) -> list[list[int]]:
    """From all groups on, without the one whose loss costs least; of equal ones the last."""
    found = [[*range(len(price))]]
    while found[-1]:
        kept = found[-1]
        columns = groups.columns(kept)
        r = _triangle(root, columns)
        loss = _losses(r, groups.of[columns], groups)[kept]
        score = np.maximum(float(r[-1, -1] ** 2) + loss, ROUNDING) / price[kept]
        at = int(np.flatnonzero(score * TIED <= score.min())[-1])
        found.append([*kept[:at], *kept[at + 1 :]])
    return found[::-1]


def _losses(r: Array, of: Array, groups: Groups) -> Array:
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


def _triangle(root: Array, columns: Array) -> Array:
    """That of some columns and the target."""
    return np.asarray(np.linalg.qr(root[:, [*columns, -1]], mode="r"))


def searched(
    root: Array, groups: Groups, price: Array, most: int, known: list[list[int]]
) -> list[list[int]]:
    """The best of all sets, by branch and bound from those that are known."""
    p, g = len(groups.of), len(price)
    roots, of = np.zeros((g + 1, p + 1, p + 1)), np.zeros((g + 1, p), dtype=np.int64)
    order = np.zeros((g + 1, g), dtype=np.int64)
    roots[0], of[0], order[0] = root, groups.of, np.arange(g)
    least, chosen = np.full(g + 1, np.inf), np.zeros(g + 1, dtype=np.int64)
    for some in known:
        score = _score(root, groups, price, some)
        if score < least[len(some)] * TIED:
            least[len(some)], chosen[len(some)] = score, sum(1 << k for k in some)
    space = np.zeros((p + 1, p))
    best_subsets.search(roots, of, order, price, most, space, least, chosen)
    return [[k for k in range(g) if int(bits) >> k & 1] for bits in chosen[: most + 1]]


def _score(root: Array, groups: Groups, price: Array, some: list[int]) -> float:
    """The squares that a set leaves, times its price."""
    r = _triangle(root, groups.columns(some))
    return float(max(r[-1, -1] ** 2, ROUNDING) * np.prod(price[some]))


def weights_of(normal: Normal, groups: Groups, sets: list[list[int]]) -> tuple[Array, list[Array]]:
    """(m, 1, p) the weights of least squares for every set, and which columns are free in it."""
    coef, free = np.zeros((len(sets), 1, normal.p)), []
    for m, some in enumerate(sets):
        columns = groups.columns(some)
        found = solved(normal.free(columns))
        coef[m][:, columns] = found.coef
        free.append(columns[found.basis])
    return coef, free
