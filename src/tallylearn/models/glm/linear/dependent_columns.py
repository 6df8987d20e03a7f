"""Columns that follow from others: which they are, and weights that do not depend on choosing them.

A basis is found by pivoting. Its weights are one solution of many; the shortest of all, as
scikit-learn's, gives what follows from the basis its share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import lapack, qr, solve_triangular

from tallylearn.errors import listed
from tallylearn.tables import Array

MIXED = 1e-6  # a share in a dependency below this is not worth a word
NO_SHARE = 1e-10  # and below this it is rounding
SAID = 5  # columns that follow from others, one by one
EPS = float(np.finfo(np.float64).eps)
HALF = 1e-8  # of a target's length: half the digits of a double
WORSE = 1e-6  # of a target's squares: what weights of columns that nearly follow may cost


def substituted(r: Array, z: Array) -> Array:
    """r⁻¹ z of an upper triangle: `solve_triangular` without its checks, which take longer."""
    if not len(r):
        return z  # LAPACK complains of nothing, on standard output
    found, failed = lapack.dtrtrs(r, z)
    if failed:
        raise np.linalg.LinAlgError("a triangle has no inverse")
    return np.asarray(found)


def ranked(r: Array, least: Array) -> tuple[Array, int]:
    """Columns of a triangle, those first that do not follow from others; and how many they are."""
    pivoted, order = qr(r, mode="r", pivoting=True)
    size = np.abs(np.diag(pivoted))
    stays = np.flatnonzero(size > least[order] * max(size[0], 1e-300))
    others = np.setdiff1d(np.arange(len(order)), stays)
    return np.asarray(order[np.concatenate([stays, others])]), len(stays)


def shortest(turned: Array, z: Array, rank: int, scale: Array) -> Array:
    """(p, t) the shortest weights, in units of the columns, of which the first are a basis.

    Powers of numbers far from zero weigh little in their units and much in answers: where these
    lose digits so, the weights are the shortest of columns of length 1. Where a column follows only
    as far as its numbers are not rounded, its weight may leave more than the basis alone does: then
    it has none.
    """
    wide, rest = turned[:rank], (z[rank:] ** 2).sum(axis=0)
    plain = substituted(wide[:, :rank], z[:rank]) / scale[:rank, None]
    out = np.vstack([plain, np.zeros((len(scale) - rank, z.shape[1]))])
    for units in (np.ones_like(scale), scale):
        found = _shortest(wide, z[:rank], units) * (units / scale)[:, None]
        inner = found * scale[:, None]
        left = ((turned @ inner - z) ** 2).sum(axis=0)
        steady = units is not scale or EPS * np.abs(inner).sum(axis=0).max(initial=0.0) < HALF
        out = found if steady and (left <= rest + WORSE).all() else out
    return np.asarray(out)


def _shortest(wide: Array, z: Array, scale: Array) -> Array:
    """The shortest by a scale.

    The basis alone would have weights w, of columns of length 1, whatever their units. A column
    that follows from it, in shares G of the units, takes weights v off those of the basis: so long
    as |w - G v|² + |v|² falls. Shares that rounding left would be weighed by units, and are none.
    """
    rank, of = len(wide), scale[:, None]
    known = substituted(wide[:, :rank], z) / of[:rank]
    if rank == wide.shape[1]:
        return np.asarray(known)
    shares = substituted(wide[:, :rank], wide[:, rank:])
    shares = np.where(np.abs(shares) > NO_SHARE, shares, 0.0) / of[:rank] * scale[rank:]
    both = np.vstack([shares, np.eye(shares.shape[1])])
    long = np.sqrt((both**2).sum(axis=0))
    wanted = np.vstack([known, np.zeros((shares.shape[1], z.shape[1]))])
    more = np.linalg.lstsq(both / long, wanted, rcond=None)[0] / long[:, None]
    rest = substituted(wide[:, :rank], z - wide[:, rank:] @ (more * of[rank:]))
    return np.vstack([rest / of[:rank], more])


def cleared(r: Array, z: Array, least: Array) -> tuple[Array, Array]:
    """(k, p) a triangle and (k, t) the targets' share in it, without the rows that rounding left.

    Of a column that follows from others it leaves a trace, and targets in that direction are as
    long as ever: a small penalty would take one for the other.
    """
    order, rank = ranked(r, least)
    if rank == len(r):
        return r, z
    q, turned = np.linalg.qr(r[:, order])
    return turned[:rank, np.argsort(order)], (q.T @ z)[:rank]


def dependencies(names: Sequence[str], r: Array, order: Array, rank: int) -> tuple[str, ...]:
    """For every column that follows from others, which these are."""
    said = []
    for at in range(rank, len(order)):
        name = names[order[at]]
        share = solve_triangular(r[:, :rank], r[:, at]) if rank else np.zeros(0)
        of = [names[order[i]] for i in np.flatnonzero(np.abs(share) > MIXED)]
        said.append(f"{name} follows from {listed(sorted(of))}" if of else f"{name} is constant")
    return tuple(sorted(said))


def said_of_dependencies(dependent: Sequence[str]) -> list[str]:
    """What is to be said of columns that follow from others, of the first of them one by one."""
    said = [
        f"{what}, and has no weight."
        if what.endswith(" is constant")
        else f"{what}: the weights of these columns are not their own."
        for what in dependent[:SAID]
    ]
    more = len(dependent) - SAID
    alike = f"{more:,} more columns follow" if more > 1 else "1 more column follows"
    return [*said, f"{alike} from others, or never change."] if more > 0 else said
