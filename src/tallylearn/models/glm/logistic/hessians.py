"""Curvatures: the step that one says, and whether the rows that it is of may be trusted with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallylearn.kernels import logistic_loss
from tallylearn.models.glm.logistic.penalties import Penalty
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array

ALIKE = 1e-12  # the least eigenvalue, of 1 on average, of columns that follow from each other
ROUNDING = 1e-14  # of a curvature of 1: what the sum of a million rows may be wrong by
ENDLESS = 1 / ALIKE  # times as loose as the constant: the rows do not hold such a weight
WEIGHTS = 8  # that are not held: directions of one each are asked about
SWEEPS = 50  # rounds of coordinate descent at a time
TURNS = 10  # of them for one step
TOGETHER = 200  # weights: of more a move of all takes longer than the rounds


def solved(curve: Array, gradient: Array, least: Array | float = 1e-300) -> tuple[Array, float]:
    """curve⁻¹ gradient; and what of the gradient is left, where some of the curvature is flat.

    Every column is scaled to a curvature of 1 meanwhile, but for those whose own is less than the
    ``least``.
    """
    scale, scaled = _scaled(curve, least)
    wanted = gradient / scale
    with one_thread():
        if _regular(scaled):
            return np.asarray(np.linalg.solve(scaled, wanted) / scale), 0.0
        found = np.linalg.lstsq(scaled, wanted, rcond=ALIKE)[0]
    return np.asarray(found / scale), float(np.abs(wanted - scaled @ found).max(initial=0.0))


def inverse(curve: Array) -> Array | None:
    """The inverse of a curvature (M, M), or None where there is none."""
    scale, scaled = _scaled(curve)
    with one_thread():
        if not _regular(scaled):
            return None
        return np.asarray(np.linalg.inv(scaled) / scale / scale[:, None])


def looseness(turned: Array | None, constants: Array) -> float:
    """How many times less than its class's constant the loosest weight is held, given the others.

    Columns are scaled to about equal spreads, so that rows in which a column hardly varies, or
    follows from others, show in the diagonal of the inverse; none is infinitely loose.
    """
    if turned is None:
        return float(np.inf)
    return float((np.diag(turned) * constants).max())


def flat(curve: Array) -> Array:
    """(f, M) directions without curvature, where columns are scaled to a curvature of 1."""
    with one_thread():
        values, vectors = np.linalg.eigh(_scaled(curve)[1])
    return np.asarray(vectors[:, values < ALIKE * len(curve)].T)


def flattest(curve: Array, constants: Array, ways: Sequence[Array]) -> list[Array]:
    """(m, width) directions without curvature: along these ways, and with one weight free each.

    Which weights are not held shows among columns of equal spreads. How far the others go along
    is solved for: columns whose rows lie close together beside a few far ones need the digits.
    """
    from scipy.linalg import qr

    scale, scaled = _scaled(curve, constants)
    with one_thread():
        values, vectors = np.linalg.eigh(scaled)
        none = vectors[:, values <= max(ALIKE, values[0])]
        order = qr(none.T, mode="r", pivoting=True)[1]
        free, rest = order[: none.shape[1]], np.sort(order[none.shape[1] :])
        along = [none @ (none.T @ (scale * way.ravel())) for way in ways]
        along += [*np.linalg.solve(none[free].T, none.T)[:WEIGHTS]]
    inside, across = curve[np.ix_(rest, rest)], curve[np.ix_(rest, free)]
    directions = []
    for one in along:
        found = one / scale
        found[rest] = -solved(inside, across @ found[free])[0]
        directions.append(found.reshape(ways[0].shape))
    return directions


def worth(weights: int) -> int:
    """Steps that a curvature of all rows costs; a sample's, κ times as loose, costs about √κ."""
    return max(12, weights // 4)


def chance(weights: int, rows: float) -> float:
    """A sample need not be fitted closer than it is wrong by chance."""
    return 0.01 * weights / rows


def remembered(
    gradient: Array, steps: tuple[Array, ...], changes: tuple[Array, ...], first: Array
) -> Array:
    """The step that the last ones say, by how the gradient changed: the two loops of L-BFGS.

    They start from an inverse curvature ``first`` (M, M), or, where there is none, from a scale.
    """
    q, back = -gradient.ravel(), []
    pairs = [(s.ravel(), c.ravel()) for s, c in zip(steps, changes, strict=True)]
    with one_thread():
        for s, c in reversed(pairs):
            rho = 1 / float(s @ c)
            back.append((rho, rho * float(s @ q)))
            q = q - back[-1][1] * c
        if first.size:
            q = first @ q
        elif pairs:
            s, c = pairs[-1]
            q = q * (float(s @ c) / float(c @ c))
        for (s, c), (rho, a) in zip(pairs, reversed(back), strict=True):
            q = q + (a - rho * float(c @ q)) * s
    return q.reshape(gradient.shape)


def shrunk(
    curve: Array, gradient: Array, penalty: Penalty, theta: Array, together: int = TOGETHER,
    enough: float = 1e-22,
) -> Array:  # fmt: skip
    """The step of the quadratic and the lasso, a weight at a time, and all that are not 0 at once.

    Where columns or classes make up for each other single weights hardly move.
    """
    curve, weights = np.ascontiguousarray(curve), theta.ravel().copy()
    lasso = np.ascontiguousarray(np.broadcast_to(penalty.lasso, theta.shape)).ravel()
    step, slope = np.zeros(theta.size), gradient.ravel().copy()
    for _ in range(TURNS):
        if logistic_loss.shrink(curve, slope, lasso, weights, step, SWEEPS, enough) < SWEEPS:
            break
        if len(step) <= together:
            _move(curve, slope, lasso, weights, step)
    return step.reshape(theta.shape)


def _move(curve: Array, slope: Array, lasso: Array, weights: Array, step: Array) -> None:
    """Move all weights that are not 0 to where their quadratic is least, held at 0 on the way.

    Where that leads uphill they go as far as the first that becomes 0.
    """
    here = weights + step
    some = np.flatnonzero(((here != 0) | (lasso == 0)) & (np.diag(curve) > 0))
    now, cost, inside = here[some], lasso[some], curve[np.ix_(some, some)]
    held = inside + np.diag(1e-9 * np.diag(inside))  # weights of all classes may shift alike
    way = -solved(held, slope[some] + cost * np.sign(now))[0]
    crossing = (cost > 0) & (now * (now + way) < 0)
    move = np.where(crossing, 0.0, now + way) - now
    rise = move @ (slope[some] + inside @ move / 2) + cost @ (np.abs(now + move) - np.abs(now))
    if rise > 0:
        move = way * (-now[crossing] / way[crossing]).min(initial=1.0)
    slope += curve[:, some] @ move
    step[some] += move


def _regular(scaled: Array) -> bool:
    """Whether every column says something that those before it do not."""
    try:
        return bool(np.linalg.cholesky(scaled).diagonal().min(initial=1.0) ** 2 > ROUNDING)
    except np.linalg.LinAlgError:
        return False


def _scaled(curve: Array, least: Array | float = 1e-300) -> tuple[Array, Array]:
    scale = np.sqrt(np.diag(curve).clip(least))
    return scale, curve / scale / scale[:, None]
