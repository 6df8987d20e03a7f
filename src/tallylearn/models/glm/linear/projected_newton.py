"""Supports: the weights that are not 0 move all at once, where one at a time they hardly move.

Columns that nearly follow from each other make up for each other: a weight alone gains next to
nothing. With signs held the loss of all weights that are not 0 is a quadratic, and a solve says
where it is least. A weight whose sign would change on the way becomes 0, and stays there (D.
Bertsekas, Projected Newton methods, SIAM J. Control and Optimization, 1982). Others come in
one at a time.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from tallylearn.kernels import coordinate_descent
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array

ROUNDS = 50  # that bring weights to rest, or else all of them move
CHEAP = 2500  # weights gone through: of few columns more rounds, before the first solve
CELLS = 1 << 30  # products that a kernel may add up between two looks for an interrupt
MOST = 1000  # weights that move at once: of more a solve takes longer than the rounds
STOPS = 8  # on the way, at which weights have become 0
HELD = (1e-14, 1e-11, 1e-8)  # of a square, for every weight: columns that follow from others
NOTHING = 1e-16  # of the target's square: a gain below is rounding


def descend_path(
    gram: Array, target: Array, costs: Array, limits: Array, slope: Array, out: Array
) -> Array:
    """(m, 2) gaps and rounds; ``kernels.coordinates`` says what is what, of costs (m, 3)."""
    found, m = np.empty((len(costs), 2)), 0
    first = max(ROUNDS, CHEAP // max(len(gram), 1))
    few = np.array([limits[0], min(first, limits[1]), limits[2]])
    together = max(1, rounds_at_once(len(gram) ** 2) // first)  # penalties of one call
    while m < len(costs):
        check_halted()
        some = slice(m, m + together)
        m += coordinate_descent.descend_path(
            gram, target, costs[some], few, slope, out[some], found[some]
        )
        if m < min(some.stop, len(costs)):
            _settle(gram, target, costs[m], limits, out[m], slope, found[m])
            m += 1
        out[m : m + 1] = out[m - 1]  # where the next penalty begins
    return found


def rounds_at_once(cells: int) -> int:
    """Rounds of one call of a kernel, which cannot be interrupted: up to about a second's."""
    return max(1, CELLS // max(cells, 1))


def _settle(
    gram: Array, target: Array, costs: Array, limits: Array, weights: Array, slope: Array,
    found: Array,
) -> None:  # fmt: skip
    """Go on from a few rounds that brought no rest: all weights move, and one by one, in turn."""
    few, taken = np.array([limits[0], ROUNDS, limits[2]]), found[1]
    while not found[0] <= limits[0] and found[1] >= few[1] and taken < limits[1]:
        check_halted()
        if not move(gram, target, costs, weights, slope):
            few[1] = max(few[1], min(2 * few[1], rounds_at_once(len(gram) ** 2)))
        few[1] = min(few[1], limits[1] - taken)
        coordinate_descent.descend_products(gram, target, costs, few, weights, slope, found)
        taken += found[1]
    found[1] = taken


def move(gram: Array, target: Array, costs: Array, weights: Array, slope: Array) -> bool:
    """Move all weights that are not 0, until none becomes 0 on the way; whether they gained."""
    before, gain, some = weights.copy(), 0.0, np.flatnonzero(weights)
    with one_thread():
        while 0 < len(some) <= MOST:
            now, inside = weights[some], gram[np.ix_(some, some)]
            inside.flat[:: len(some) + 1] += costs[1]
            down = slope[some] - costs[0] * np.sign(now) - costs[1] * now
            step = _best(inside, down, now)
            more = _gain(inside, down, step)
            if not more > 0:
                break
            gain, weights[some] = gain + more, now + step
            slope[:] = target - weights[some] @ gram[some]
            left = np.flatnonzero(weights)
            if len(left) == len(some):
                break
            some = left
        gained = gain > NOTHING * float(costs[2])
        if not gained:
            weights[:] = before
            slope[:] = target - gram @ weights
    return gained


def _best(inside: Array, down: Array, now: Array) -> Array:
    """The step that gains most on the way to the least, along which weights stay at 0."""
    way = _solved(inside, down)
    turning = np.sign(now) * (now + way) < 0
    if not turning.any():
        return way
    ends = np.full(len(now), np.inf)
    ends[turning] = -now[turning] / way[turning]
    order = np.sort(ends[turning])
    at = np.unique(np.geomspace(1, len(order), STOPS).astype(np.int64)) - 1
    steps = [np.where(ends <= t, -now, t * way) for t in (*order[at].tolist(), 1.0)]
    return max(steps, key=lambda step: _gain(inside, down, step))


def _gain(inside: Array, down: Array, step: Array) -> float:
    """How much lower the loss is after a step that changes no sign."""
    return float(step @ (down - inside @ step / 2))


def _solved(inside: Array, down: Array) -> Array:
    """inside⁻¹ down, of columns scaled to length 1; zeros where there is no telling."""
    scale = np.sqrt(inside.diagonal())
    scaled, wanted = inside / scale / scale[:, None], down / scale
    for held in HELD:
        scaled.flat[:: len(scale) + 1] = 1 + held * len(scale)
        root, found, bad = lapack.dposv(scaled, wanted)
        if not bad:
            left = wanted - scaled @ found + held * len(scale) * found
            return np.asarray((found + lapack.dpotrs(root, left)[0]) / scale)
    return np.zeros(len(scale))
