"""Gathering: rows side by side, or columns one after the other, moved to their centre."""

import cython
from cython.cimports.libc.math import floor, ldexp, log2

MAX_FINITE_RANGE = cython.declare(cython.double, 1e308)  # a spread above may be infinite


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
        raise ValueError("centring.centred: the lengths of its arrays do not agree")
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
        raise ValueError("centring.turned: the lengths of its arrays do not agree")
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


def levelled(
    x: cython.const[cython.double][:, ::1],
    beside: cython.const[cython.double][:, ::1],
    centre: cython.const[cython.double][::1],
    out: cython.double[:, ::1],
):
    """Write ones and the columns of (x, beside) - centre to the rows of out; 0 for missing x.

    A few rows at a time, so that what is written fills a line of the processor's memory.
    """
    n: cython.Py_ssize_t = x.shape[0]
    p: cython.Py_ssize_t = x.shape[1]
    t: cython.Py_ssize_t = beside.shape[1]
    if (
        beside.shape[0] != n
        or centre.shape[0] != p + t
        or out.shape[0] != p + t + 1
        or out.shape[1] != n
    ):
        raise ValueError("centring.levelled: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    with cython.nogil:
        for first in range(0, n, 8):
            last = first + 8 if first + 8 < n else n
            for i in range(first, last):
                out[0, i] = 1.0
            for j in range(p):
                for i in range(first, last):
                    out[1 + j, i] = x[i, j] - centre[j] if x[i, j] == x[i, j] else 0.0
            for j in range(t):
                for i in range(first, last):
                    out[1 + p + j, i] = beside[i, j] - centre[p + j]


def means(x: cython.const[cython.double][:, ::1], bits: cython.int, out: cython.double[::1]):
    """Write the means of the columns to out; with bits numbers nearby, so exact in their spread.

    Taken from whole numbers, few digits leave whole numbers. The mean of a constant is that.
    """
    if out.shape[0] != x.shape[1] or x.shape[0] == 0:
        raise ValueError("centring.means: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    low: cython.double
    high: cython.double
    mean: cython.double
    power: cython.int
    with cython.nogil:
        for j in range(x.shape[1]):
            low = high = x[0, j]
            for i in range(1, x.shape[0]):
                low = x[i, j] if x[i, j] < low else low
                high = x[i, j] if x[i, j] > high else high
            mean = 0.0
            for i in range(x.shape[0]):
                mean += x[i, j] - low
            mean = low + mean / x.shape[0]
            if bits > 0 and 0 < high - low < MAX_FINITE_RANGE:
                power = cython.cast(cython.int, floor(log2(high - low))) + 1 - bits
                mean = ldexp(floor(ldexp(mean, -power) + 0.5), power)
            out[j] = mean


def upper(x: cython.const[cython.double][:, ::1], out: cython.double[:, ::1]):
    """Write the upper triangle of columns x (p, n) to the rows of out, and leave what is below."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    n: cython.Py_ssize_t = x.shape[1] if x.shape[1] < out.shape[0] else out.shape[0]
    if out.shape[1] != x.shape[0]:
        raise ValueError("centring.upper: the lengths of its arrays do not agree")
    with cython.nogil:
        for i in range(n):
            for j in range(i, x.shape[0]):
                out[i, j] = x[j, i]


def settled(
    sums: cython.const[cython.double][:, ::1],
    centre: cython.const[cython.double][::1],
    n: cython.double,
    mean: cython.double[:, ::1],
    scatter: cython.double[:, ::1],
):
    """Write means and the scatter around them, from sums of products around a centre.

    The last column of the sums (p + 1, p + 1) is of deviations. Means are written to mean[0], and
    the digits that they lack to mean[1] (D. E. Knuth, 1969).
    """
    p: cython.Py_ssize_t = centre.shape[0]
    if (
        sums.shape[0] != p + 1
        or sums.shape[1] != p + 1
        or mean.shape[0] != 2
        or mean.shape[1] != p
        or scatter.shape[0] != p
        or scatter.shape[1] != p
    ):
        raise ValueError("centring.settled: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    left: cython.double
    total: cython.double
    rounded: cython.double
    with cython.nogil:
        for i in range(p):
            left = sums[i, p] / n
            for j in range(p):
                scatter[i, j] = sums[i, j] - n * (left * (sums[j, p] / n))
            total = centre[i] + left
            rounded = total - centre[i]
            mean[0, i] = total
            mean[1, i] = (centre[i] - (total - rounded)) + (left - rounded)
