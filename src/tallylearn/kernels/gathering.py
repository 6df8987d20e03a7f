"""Gathering: rows side by side, or columns one after the other, moved to their centre."""

import cython


def centred(
    x: cython.const[cython.double][:, ::1],
    beside: cython.const[cython.double][:, ::1],
    rows: cython.const[cython.longlong][::1],
    centre: cython.const[cython.double][::1],
    root: cython.const[cython.double][::1],
    out: cython.double[:, ::1],
):
    """Write (x, beside)[rows] - centre and a last column of ones to out, times the root.

    ``root`` is the square root of the weights, or empty: the products of the columns of ``out`` are
    then the sums of products, of deviations and of weights, all at once.
    """
    if (
        centre.shape[0] < x.shape[1] + beside.shape[1]
        or beside.shape[0] < x.shape[0]
        or out.shape[0] < rows.shape[0]
        or out.shape[1] <= x.shape[1] + beside.shape[1]
        or (root.shape[0] > 0 and root.shape[0] < rows.shape[0])
    ):
        raise ValueError("gathering.centred: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    w: cython.double
    p: cython.Py_ssize_t = x.shape[1]
    t: cython.Py_ssize_t = beside.shape[1]
    weighted: cython.bint = root.shape[0] > 0
    with cython.nogil:
        for i in range(rows.shape[0]):
            at = rows[i]
            for j in range(p):
                out[i, j] = x[at, j] - centre[j]
            for j in range(t):
                out[i, p + j] = beside[at, j] - centre[p + j]
            out[i, p + t] = 1.0
            if weighted:
                w = root[i]
                for j in range(p + t + 1):
                    out[i, j] *= w


def turned(
    x: cython.const[cython.double][:, ::1],
    columns: cython.const[cython.longlong][::1],
    centre: cython.const[cython.double][::1],
    root: cython.const[cython.double][::1],
    out: cython.double[:, ::1],
):
    """Write x[:, columns] - centre, times the root, to out: a row for every column.

    A few rows at a time, so that what is written fills a line of the processor's memory.
    """
    if (
        centre.shape[0] < columns.shape[0]
        or out.shape[0] < columns.shape[0]
        or out.shape[1] < x.shape[0]
        or root.shape[0] < x.shape[0]
    ):
        raise ValueError("gathering.turned: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    n: cython.Py_ssize_t = x.shape[0]
    with cython.nogil:
        for first in range(0, n, 8):
            last = first + 8 if first + 8 < n else n
            for j in range(columns.shape[0]):
                at = columns[j]
                for i in range(first, last):
                    out[j, i] = (x[i, at] - centre[j]) * root[i]
