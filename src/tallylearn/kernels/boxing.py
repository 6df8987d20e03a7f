"""Boxing: the rows of a tree that are nearest to a query, and the boxes that it need not open.

Nodes are numbered level by level from 1 on, so that those below node v are 2 v and 2 v + 1, and the
last half of them are the leaves.
"""

import cython

DEPTH = cython.declare(cython.Py_ssize_t, 64)  # halves of halves: more than any table has
INFINITY = cython.declare(cython.double, float("inf"))
LEVEL = cython.declare(cython.double, 1 + 1e-11)  # squares this near may be those of level rows
LOST = cython.declare(cython.double, 1e-290)  # squares below have lost digits, or all of them


def search(
    leaves: cython.const[cython.double][:, :, ::1],
    boxes: cython.const[cython.double][:, :, ::1],
    queries: cython.const[cython.double][:, ::1],
    work: cython.double[:, ::1],
    best: cython.double[:, ::1],
    found: cython.longlong[:, ::1],
    scores: cython.double[:, ::1],
    number: cython.longlong[::1],
):
    """Find the rows that are among the k nearest of every query, or may be level with the k-th.

    ``leaves`` (l, d, w) has the rows of every leaf, column by column, NaN where it has fewer than
    w; ``boxes`` (2 l, 2, d) the ends of every node. ``found`` (n, room) gets the places of rows in
    the leaves, ``scores`` their squared distances, ``number`` (n,) how many there are, or -1 where
    they are more than there is room for. ``best`` (n, k) is infinite at first, and gets the least
    squares in rising order; ``work`` (3, w) has room for 64 at least.
    """
    if (
        boxes.shape[0] < 2 * leaves.shape[0]
        or boxes.shape[1] < 2
        or boxes.shape[2] != leaves.shape[1]
        or queries.shape[1] != leaves.shape[1]
        or work.shape[0] < 3
        or work.shape[1] < leaves.shape[2]
        or work.shape[1] < DEPTH
        or best.shape[0] < queries.shape[0]
        or best.shape[1] < 1
        or found.shape[0] < queries.shape[0]
        or scores.shape[0] < queries.shape[0]
        or scores.shape[1] != found.shape[1]
        or number.shape[0] < queries.shape[0]
    ):
        raise ValueError("boxing.search: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    v: cython.Py_ssize_t
    top: cython.Py_ssize_t
    near: cython.double
    far: cython.double
    limit: cython.double
    inner: cython.Py_ssize_t = leaves.shape[0]
    with cython.nogil:
        for i in range(queries.shape[0]):
            number[i] = 0
            limit = INFINITY
            work[1, 0] = 0.0  # the least that a node's rows can be apart
            work[2, 0] = 1.0  # its number, which a double holds
            top = 1
            while top > 0:
                top -= 1
                if work[1, top] > limit:
                    continue
                v = cython.cast(cython.Py_ssize_t, work[2, top])
                near = 0.0
                while v < inner and near <= limit:
                    near = _outside(boxes, 2 * v, queries, i)
                    far = _outside(boxes, 2 * v + 1, queries, i)
                    v = 2 * v
                    work[2, top] = v + 1
                    if far < near:
                        work[2, top] = v
                        v += 1
                        near, far = far, near
                    work[1, top] = far
                    top += far <= limit
                if near <= limit:
                    _measure(leaves, v - inner, queries, i, work)
                    limit = _keep(work, leaves.shape[2], v - inner, i, best, found, scores, number)
                    if number[i] < 0:
                        top = 0
            if number[i] > 0:
                number[i] = _drop(scores, found, i, number[i], limit)
                _sort(scores, found, i, number[i])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _outside(
    boxes: cython.const[cython.double][:, :, ::1],
    v: cython.Py_ssize_t,
    queries: cython.const[cython.double][:, ::1],
    i: cython.Py_ssize_t,
) -> cython.double:
    """The squared distance of a query to a box; none of its rows is nearer, rounded alike."""
    j: cython.Py_ssize_t
    below: cython.double
    above: cython.double
    total: cython.double = 0.0
    for j in range(queries.shape[1]):
        below = boxes[v, 0, j] - queries[i, j]
        above = queries[i, j] - boxes[v, 1, j]
        below = below if below > above else above
        below = below if below > 0.0 else 0.0
        total += below * below
    return total


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _measure(
    leaves: cython.const[cython.double][:, :, ::1],
    leaf: cython.Py_ssize_t,
    queries: cython.const[cython.double][:, ::1],
    i: cython.Py_ssize_t,
    work: cython.double[:, ::1],
) -> cython.void:
    """Write the squared distances of a leaf's rows to the first row of ``work``."""
    j: cython.Py_ssize_t
    t: cython.Py_ssize_t
    x: cython.double
    way: cython.double
    width: cython.Py_ssize_t = leaves.shape[2]
    for t in range(width):
        work[0, t] = 0.0
    for j in range(queries.shape[1]):
        x = queries[i, j]
        for t in range(width):
            way = leaves[leaf, j, t] - x
            work[0, t] += way * way


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _keep(
    work: cython.double[:, ::1],
    width: cython.Py_ssize_t,
    leaf: cython.Py_ssize_t,
    i: cython.Py_ssize_t,
    best: cython.double[:, ::1],
    found: cython.longlong[:, ::1],
    scores: cython.double[:, ::1],
    number: cython.longlong[::1],
) -> cython.double:
    """Keep the rows of a leaf that may be among the nearest; how far these can be from now on."""
    t: cython.Py_ssize_t
    at: cython.Py_ssize_t
    s: cython.double
    last: cython.Py_ssize_t = best.shape[1] - 1
    held: cython.Py_ssize_t = number[i]
    limit: cython.double = best[i, last] * LEVEL + LOST
    for t in range(width):
        s = work[0, t]
        if not s <= limit:
            continue
        if held == found.shape[1]:
            held = _drop(scores, found, i, held, limit)
        if held == found.shape[1]:
            number[i] = -1
            return limit
        found[i, held] = leaf * width + t
        scores[i, held] = s
        held += 1
        if s < best[i, last]:
            at = last
            while at > 0 and best[i, at - 1] > s:
                best[i, at] = best[i, at - 1]
                at -= 1
            best[i, at] = s
            limit = best[i, last] * LEVEL + LOST
    number[i] = held
    return limit


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _drop(
    scores: cython.double[:, ::1],
    found: cython.longlong[:, ::1],
    i: cython.Py_ssize_t,
    held: cython.Py_ssize_t,
    limit: cython.double,
) -> cython.Py_ssize_t:
    """Drop what has come to lie beyond the limit; how many are left."""
    at: cython.Py_ssize_t
    kept: cython.Py_ssize_t = 0
    for at in range(held):
        if scores[i, at] <= limit:
            scores[i, kept] = scores[i, at]
            found[i, kept] = found[i, at]
            kept += 1
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort(
    scores: cython.double[:, ::1],
    found: cython.longlong[:, ::1],
    i: cython.Py_ssize_t,
    held: cython.Py_ssize_t,
) -> cython.void:
    """Nearest first, of a few."""
    at: cython.Py_ssize_t
    to: cython.Py_ssize_t
    s: cython.double
    place: cython.longlong
    for at in range(1, held if held < 1000 else 0):  # the order of more is found elsewhere
        s = scores[i, at]
        place = found[i, at]
        to = at
        while to > 0 and scores[i, to - 1] > s:
            scores[i, to] = scores[i, to - 1]
            found[i, to] = found[i, to - 1]
            to -= 1
        scores[i, to] = s
        found[i, to] = place
