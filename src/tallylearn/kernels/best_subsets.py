"""Subsets: the best columns of every number, found by leaving out, where no bound rules it out.

A set's squares are never below those of a larger set. So where all columns of a branch leave more
than the best sets known of every size that the branch has, nothing in it is looked at.
"""

import cython
from cython.cimports.libc.math import fabs, sqrt

ROUNDING = cython.declare(cython.double, 1e-14)  # of the target's squares: less is nothing
TIED = cython.declare(cython.double, 1 - 1e-9)  # a set must be better by this to be better

MAX_UNORDERED_GROUPS = cython.declare(
    cython.Py_ssize_t, 8
)  # groups: an order of theirs costs more than it saves


def search(
    roots: cython.double[:, :, ::1],
    groups: cython.longlong[:, ::1],
    order: cython.longlong[:, ::1],
    price: cython.const[cython.double][::1],
    most: cython.Py_ssize_t,
    scratch: cython.double[:, ::1],
    least: cython.double[::1],
    chosen: cython.longlong[::1],
):
    """For every number of groups the set with the least squares times the prices of its groups.

    ``roots`` (g + 1, q + 1, q + 1) begins with the triangle of q columns and a target of length 1,
    ``groups`` (g + 1, q) with the group of every column, ``order`` (g + 1, g) with the groups; the
    rest of them, and ``scratch`` (q + 1, q), is space to work in. ``most`` are the most groups of
    a set. ``least`` (g + 1,) and ``chosen`` (g + 1,), sets as bits, are
    what is known before, and what is found.
    """
    g: cython.Py_ssize_t = price.shape[0]
    q: cython.Py_ssize_t = groups.shape[1]
    if (
        roots.shape[0] != g + 1
        or roots.shape[1] != q + 1
        or roots.shape[2] != q + 1
        or groups.shape[0] != g + 1
        or order.shape[0] != g + 1
        or order.shape[1] != g
        or scratch.shape[0] != q + 1
        or scratch.shape[1] != q
        or least.shape[0] != g + 1
        or chosen.shape[0] != g + 1
        or not 0 < g <= q
        or g > 62
    ):
        raise ValueError("best_subsets.search: the lengths of its arrays do not agree")
    with cython.nogil:
        _record(roots, order, price, most, least, chosen, 0, q)
        _branch(roots, groups, order, price, most, scratch, least, chosen, 0, q, 0)


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _branch(
    roots: cython.double[:, :, ::1],
    groups: cython.longlong[:, ::1],
    order: cython.longlong[:, ::1],
    price: cython.const[cython.double][::1],
    most: cython.Py_ssize_t,
    scratch: cython.double[:, ::1],
    least: cython.double[::1],
    chosen: cython.longlong[::1],
    depth: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    fixed: cython.Py_ssize_t,
) -> cython.void:
    """Leave out every group but the first ones, which stay, and go on where a set may be better.

    Those that cost most to lose come first: their branches, the largest, end soon.
    """
    many: cython.Py_ssize_t = price.shape[0] - depth
    left: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    paid: cython.double = 1.0
    if many - fixed > MAX_UNORDERED_GROUPS:
        _weigh(roots, groups, scratch, depth, size)
        _sort(order, scratch, depth, fixed, many)
    for i in range(fixed):
        paid *= price[order[depth, i]]
    for i in range(fixed, many):
        left = _without(roots, groups, depth, size, order[depth, i])
        for j in range(many - 1):
            order[depth + 1, j] = order[depth, j if j < i else j + 1]
        _record(roots, order, price, most, least, chosen, depth + 1, left)
        if _promises(roots[depth + 1, left, left], paid, price, most, least, i, many - 2):
            _branch(roots, groups, order, price, most, scratch, least, chosen, depth + 1, left, i)
        paid *= price[order[depth, i]]


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _promises(
    rest: cython.double,
    paid: cython.double,
    price: cython.const[cython.double][::1],
    most: cython.Py_ssize_t,
    least: cython.double[::1],
    fewest: cython.Py_ssize_t,
    largest: cython.Py_ssize_t,
) -> cython.bint:
    """Whether a set of so many groups may be better than the best known of as many."""
    m: cython.Py_ssize_t
    cheapest: cython.double = price[0]
    bound: cython.double = (rest * rest if rest * rest > ROUNDING else ROUNDING) * paid
    for m in range(price.shape[0]):
        if price[m] < cheapest:
            cheapest = price[m]
    for m in range(fewest, largest + 1):
        if 0 < m <= most and bound < least[m] * TIED:
            return True
        bound *= cheapest
    return False


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _record(
    roots: cython.double[:, :, ::1],
    order: cython.longlong[:, ::1],
    price: cython.const[cython.double][::1],
    most: cython.Py_ssize_t,
    least: cython.double[::1],
    chosen: cython.longlong[::1],
    depth: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
) -> cython.void:
    """Remember the set of all that is left, if it is better than the best of as many groups."""
    many: cython.Py_ssize_t = price.shape[0] - depth
    i: cython.Py_ssize_t
    bits: cython.longlong = 0
    one: cython.longlong = 1
    score: cython.double = roots[depth, size, size] * roots[depth, size, size]
    if score < ROUNDING:
        score = ROUNDING
    for i in range(many):
        score *= price[order[depth, i]]
    if many > most or score >= least[many] * TIED:
        return
    for i in range(many):
        bits |= one << order[depth, i]
    least[many] = score
    chosen[many] = bits


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _without(
    roots: cython.double[:, :, ::1],
    groups: cython.longlong[:, ::1],
    depth: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    group: cython.longlong,
) -> cython.Py_ssize_t:
    """The triangle without the columns of a group, one level deeper; how many columns it has."""
    left: cython.Py_ssize_t = 0
    c: cython.Py_ssize_t
    r: cython.Py_ssize_t
    for c in range(size + 1):
        if c < size and groups[depth, c] == group:
            continue
        if c < size:
            groups[depth + 1, left] = groups[depth, c]
        for r in range(size + 1):
            roots[depth + 1, r, left] = roots[depth, r, c] if r <= c else 0.0
        left += 1
    left -= 1
    for c in range(left + 1):
        for r in range(min(size, c + size - left), c, -1):
            _rotate(roots, depth + 1, r, c, left)
    return left


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _rotate(
    roots: cython.double[:, :, ::1],
    depth: cython.Py_ssize_t,
    r: cython.Py_ssize_t,
    c: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> cython.void:
    """Turn two rows, r and the one before, so that nothing is left at (r, c) (Givens)."""
    a: cython.double = roots[depth, r - 1, c]
    b: cython.double = roots[depth, r, c]
    size: cython.double = sqrt(a * a + b * b)
    before: cython.double
    k: cython.Py_ssize_t
    if b == 0 or size == 0:
        return
    a = a / size
    b = b / size
    for k in range(c, last + 1):
        before = roots[depth, r - 1, k]
        roots[depth, r - 1, k] = a * before + b * roots[depth, r, k]
        roots[depth, r, k] = a * roots[depth, r, k] - b * before
    roots[depth, r, c] = 0.0


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _weigh(
    roots: cython.double[:, :, ::1],
    groups: cython.longlong[:, ::1],
    scratch: cython.double[:, ::1],
    depth: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
) -> cython.void:
    """About what each group's loss costs: squared weights by their variances, into the last row.

    Only the order of the branches follows from it, so that a triangle that is nearly singular does
    no harm.
    """
    last: cython.Py_ssize_t = scratch.shape[0] - 1
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    own: cython.double
    weight: cython.double
    spread: cython.double
    for j in range(scratch.shape[1]):
        scratch[last, j] = 0.0
    for i in range(size - 1, -1, -1):  # the inverse of the triangle, from the last row up
        own = roots[depth, i, i]
        if fabs(own) < 1e-9:
            own = 1e-9
        weight = 0.0
        spread = 0.0
        for k in range(i, size):
            scratch[i, k] = 1.0 / own if k == i else 0.0
        for j in range(i + 1, size):
            for k in range(j, size):
                scratch[i, k] -= roots[depth, i, j] / own * scratch[j, k]
        for k in range(i, size):
            weight += scratch[i, k] * roots[depth, k, size]
            spread += scratch[i, k] * scratch[i, k]
        scratch[last, groups[depth, i]] += weight * weight / spread


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _sort(
    order: cython.longlong[:, ::1],
    scratch: cython.double[:, ::1],
    depth: cython.Py_ssize_t,
    fixed: cython.Py_ssize_t,
    many: cython.Py_ssize_t,
) -> cython.void:
    """Sort the groups that may go, the dearest first."""
    last: cython.Py_ssize_t = scratch.shape[0] - 1
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    group: cython.longlong
    for i in range(fixed + 1, many):
        group = order[depth, i]
        j = i
        while j > fixed and scratch[last, order[depth, j - 1]] < scratch[last, group]:
            order[depth, j] = order[depth, j - 1]
            j -= 1
        order[depth, j] = group
