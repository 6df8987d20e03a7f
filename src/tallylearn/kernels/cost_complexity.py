"""Linking: which branch of a tree is worth least, and which is then, until only the root is left.

A cut changes what all nodes above it are worth: they hold a tournament, whose winner is the least.
"""

import cython


def unlink(
    parent: cython.const[cython.longlong][::1],
    sizes: cython.const[cython.longlong][::1],
    costs: cython.double[:, ::1],
    counts: cython.longlong[:, ::1],
    shared: cython.bint,
    value: cython.double[::1],
    best: cython.longlong[::1],
    out: cython.double[:, ::1],
):
    """The links of a tree from the weakest on; of equal ones the smallest number. How many.

    ``costs`` (m, 2): of a node as a leaf, and of all below it. ``counts`` (m, 2): leaves and nodes
    below it. A link is worth its cost as a leaf less that below it, ``shared`` by the leaves that
    go. ``value`` (c,) is room, c a power of two, and ``best`` (2 c,). Out (links, 7): node, value,
    both costs, leaves, what the tree costs without it, nodes that are left.
    """
    if (
        sizes.shape[0] < parent.shape[0]
        or costs.shape[0] < parent.shape[0]
        or costs.shape[1] < 2
        or counts.shape[0] < parent.shape[0]
        or counts.shape[1] < 2
        or value.shape[0] < max(parent.shape[0], 1)
        or best.shape[0] < 2 * value.shape[0]
        or out.shape[0] < parent.shape[0]
        or out.shape[1] < 7
    ):
        raise ValueError("cost_complexity.unlink: the lengths of its arrays do not agree")
    m: cython.Py_ssize_t = parent.shape[0]
    c: cython.Py_ssize_t = value.shape[0]
    i: cython.Py_ssize_t
    found: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(c):
            value[i] = 1e300
            if i < m and sizes[i] > 1:
                value[i] = _worth(costs, counts, shared, i)
            best[c + i] = i
        for i in range(c - 1, 0, -1):
            best[i] = _winner(value, best, i)
        while value[best[1]] < 1e300:
            i = best[1]
            out[found, 0] = i
            out[found, 1] = value[i]
            out[found, 2] = costs[i, 0]
            out[found, 3] = costs[i, 1]
            out[found, 4] = counts[i, 0]
            out[found, 5] = costs[0, 1] + (costs[i, 0] - costs[i, 1])
            out[found, 6] = counts[0, 1] - (counts[i, 1] - 1)
            found += 1
            _drop(sizes, value, best, i)
            _raise(parent, costs, counts, shared, value, best, i)
    return found


def retotal(
    parent: cython.const[cython.longlong][::1],
    nodes: cython.const[cython.longlong][::1],
    leaf: cython.const[cython.double][::1],
    branch: cython.double[::1],
    out: cython.double[::1],
):
    """What the whole tree costs, at first and after each of these nodes became a leaf."""
    if (
        parent.shape[0] < 1
        or leaf.shape[0] < parent.shape[0]
        or branch.shape[0] < parent.shape[0]
        or out.shape[0] <= nodes.shape[0]
    ):
        raise ValueError("cost_complexity.retotal: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    up: cython.Py_ssize_t
    change: cython.double
    with cython.nogil:
        out[0] = branch[0]
        for i in range(nodes.shape[0]):
            up = nodes[i]
            change = leaf[up] - branch[up]
            while up >= 0:
                branch[up] += change
                up = parent[up]
            out[i + 1] = branch[0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _worth(
    costs: cython.const[cython.double][:, ::1],
    counts: cython.const[cython.longlong][:, ::1],
    shared: cython.bint,
    i: cython.Py_ssize_t,
) -> cython.double:
    worth: cython.double = costs[i, 0] - costs[i, 1]
    return worth / (counts[i, 0] - 1) if shared else worth


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _winner(
    value: cython.const[cython.double][::1],
    best: cython.const[cython.longlong][::1],
    at: cython.Py_ssize_t,
) -> cython.longlong:
    """Of two the lesser, of equal ones the first."""
    return best[2 * at] if value[best[2 * at]] <= value[best[2 * at + 1]] else best[2 * at + 1]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _played(
    value: cython.const[cython.double][::1],
    best: cython.longlong[::1],
    i: cython.Py_ssize_t,
) -> cython.void:
    """The value of a node has changed: all its matches anew."""
    at: cython.Py_ssize_t = (value.shape[0] + i) >> 1
    while at > 0:
        best[at] = _winner(value, best, at)
        at >>= 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _drop(
    sizes: cython.const[cython.longlong][::1],
    value: cython.double[::1],
    best: cython.longlong[::1],
    i: cython.Py_ssize_t,
) -> cython.void:
    """A node and all below it ask no more; what was cut before is passed over."""
    at: cython.Py_ssize_t = i
    end: cython.Py_ssize_t = i + sizes[i]
    while at < end:
        if value[at] < 1e300:
            value[at] = 1e300
            _played(value, best, at)
            at += 1
        else:
            at += sizes[at]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _raise(
    parent: cython.const[cython.longlong][::1],
    costs: cython.double[:, ::1],
    counts: cython.longlong[:, ::1],
    shared: cython.bint,
    value: cython.double[::1],
    best: cython.longlong[::1],
    i: cython.Py_ssize_t,
) -> cython.void:
    """What a cut changes for the nodes above it."""
    change: cython.double = costs[i, 0] - costs[i, 1]
    leaves: cython.longlong = counts[i, 0] - 1
    nodes: cython.longlong = counts[i, 1] - 1
    while i >= 0:
        costs[i, 1] += change
        counts[i, 0] -= leaves
        counts[i, 1] -= nodes
        if value[i] < 1e300:
            value[i] = _worth(costs, counts, shared, i)
            _played(value, best, i)
        i = parent[i]
