"""Gauging: what a column could gain at a node, whose rows may have come in parts."""

import cython
from cython.cimports.libc.math import log2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def xlogx(x: cython.double) -> cython.double:
    """x log2 x; 0 where x is 0."""
    return x * log2(x) if x > 0 else 0.0


def gauge_cuts(
    codes: cython.const[cython.int][::1],
    order: cython.const[cython.longlong][::1],
    labels: cython.const[cython.int][::1],
    weights: cython.const[cython.double][::1],
    width: cython.int,
    least: cython.double,
    counts: cython.double[:, ::1],
    out: cython.double[::1],
):
    """The best cut of a column of numbers, as C4.5 looks for it.

    ``order`` sorts the codes, ``width`` is the code of what is missing, ``least`` the fewest rows a
    side. ``counts`` (2, k) is room, all zero. Out: the weight of the known rows, their impurity in
    all before, and after the best cut, how many cuts there are, and the weight below the best.
    """
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    k: cython.Py_ssize_t = counts.shape[1]
    m: cython.Py_ssize_t = 0
    known: cython.double = 0
    before: cython.double
    below: cython.double = 0
    after: cython.double
    w: cython.double
    with cython.nogil:
        while m < order.shape[0] and codes[order[m]] < width:
            counts[1, labels[order[m]]] += weights[order[m]]
            known += weights[order[m]]
            m += 1
        least = min(max(0.1 * known / k, least), 25.0) - 1e-6
        before = xlogx(known)
        for c in range(k):
            before -= xlogx(counts[1, c])
        out[0] = known
        out[1] = before
        out[2] = before
        out[3] = 0
        out[4] = 0
        for i in range(m - 1):
            w = weights[order[i]]
            counts[0, labels[order[i]]] += w
            counts[1, labels[order[i]]] -= w
            below += w
            if codes[order[i]] == codes[order[i + 1]] or below < least or known - below < least:
                continue
            out[3] += 1
            after = xlogx(below) + xlogx(known - below)
            for c in range(k):
                after -= xlogx(counts[0, c]) + xlogx(counts[1, c])
            if after < out[2] - 1e-9 * before:
                out[2] = after
                out[4] = below


def gauge_groups(
    codes: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    weights: cython.const[cython.double][::1],
    width: cython.int,
    least: cython.double,
    counts: cython.double[:, ::1],
    out: cython.double[::1],
):
    """One branch a category. ``counts`` (width + 1, k) is room, and is cleared.

    Out: the weight of the known rows, their impurity in all before, and after, how many branches
    have enough rows, and the sum of w log2 w over the branches.
    """
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    v: cython.Py_ssize_t
    w: cython.double
    all_: cython.double = 0
    before: cython.double = 0
    with cython.nogil:
        counts[:, :] = 0
        for i in range(codes.shape[0]):
            counts[codes[i], labels[i]] += weights[i]
        out[2] = 0
        out[3] = 0
        out[4] = 0
        for v in range(width):
            w = 0
            for c in range(counts.shape[1]):
                w += counts[v, c]
                out[2] -= xlogx(counts[v, c])
            all_ += w
            out[2] += xlogx(w)
            out[3] += w >= least
            out[4] += xlogx(w)
        for c in range(counts.shape[1]):
            w = 0
            for v in range(width):
                w += counts[v, c]
            before -= xlogx(w)
        out[0] = all_
        out[1] = before + xlogx(all_)
