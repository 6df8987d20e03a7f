"""Spacing: how far rows lie apart, by Euclid from their differences, or by Gower.

Rows are compared pair by pair, or one with many that stand column by column: loops along these are
what compilers make vector instructions of.
"""

import cython
from cython.cimports.libc.math import fabs, sqrt

LOST = cython.declare(cython.double, 1e-280)  # sums of squares below have lost digits, or all
MAX_SAFE_SQUARE = cython.declare(cython.double, 1e300)  # sums of squares above may overflow
INFINITY = cython.declare(cython.double, float("inf"))


def euclid(
    points: cython.const[cython.double][:, ::1],
    rows: cython.const[cython.longlong][::1],
    queries: cython.const[cython.double][:, ::1],
    whose: cython.const[cython.longlong][::1],
    out: cython.double[::1],
):
    """Write the distance of row ``rows[c]`` of the points to query ``whose[c]``, for every c.

    Where squares are too small or too large for a double, differences are first divided by the
    largest of them.
    """
    if (
        queries.shape[1] != points.shape[1]
        or whose.shape[0] != rows.shape[0]
        or out.shape[0] != rows.shape[0]
    ):
        raise ValueError("row_distances.euclid: the lengths of its arrays do not agree")
    c: cython.Py_ssize_t
    j: cython.Py_ssize_t
    way: cython.double
    total: cython.double
    largest: cython.double
    p: cython.Py_ssize_t = points.shape[1]
    with cython.nogil:
        for c in range(rows.shape[0]):
            total = 0.0
            for j in range(p):
                way = points[rows[c], j] - queries[whose[c], j]
                total += way * way
            largest = 1.0
            if not LOST < total < MAX_SAFE_SQUARE:
                largest = 0.0
                for j in range(p):
                    way = fabs(points[rows[c], j] - queries[whose[c], j])
                    largest = way if way > largest else largest
                total = largest * 0.0  # of an infinite way no number
                for j in range(p if largest > 0.0 else 0):
                    way = (points[rows[c], j] - queries[whose[c], j]) / largest
                    total += way * way
            out[c] = largest * sqrt(total) if largest - largest == 0.0 else largest


def gower(
    numbers: cython.const[cython.double][:, ::1],
    codes: cython.const[cython.longlong][:, ::1],
    asked: cython.const[cython.double][:, ::1],
    coded: cython.const[cython.longlong][:, ::1],
    scale: cython.const[cython.double][::1],
    rows: cython.const[cython.longlong][::1],
    whose: cython.const[cython.longlong][::1],
    out: cython.double[::1],
):
    """Write Gower's distance of row ``rows[c]`` to query ``whose[c]``, for every c.

    NaN and -1 are gaps; rows without a column in common are infinitely far apart.
    """
    if (
        codes.shape[0] != numbers.shape[0]
        or coded.shape[0] != asked.shape[0]
        or asked.shape[1] != numbers.shape[1]
        or coded.shape[1] != codes.shape[1]
        or scale.shape[0] != numbers.shape[1]
        or whose.shape[0] != rows.shape[0]
        or out.shape[0] != rows.shape[0]
    ):
        raise ValueError("row_distances.gower: the lengths of its arrays do not agree")
    c: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    m: cython.Py_ssize_t
    way: cython.double
    total: cython.double
    seen: cython.double
    with cython.nogil:
        for c in range(rows.shape[0]):
            m = rows[c]
            i = whose[c]
            total = seen = 0.0
            for j in range(numbers.shape[1]):
                way = fabs(asked[i, j] - numbers[m, j]) / scale[j]
                if way == way:
                    total += way
                    seen += 1.0
            for j in range(codes.shape[1]):
                if codes[m, j] != -1 and coded[i, j] != -1:
                    total += codes[m, j] != coded[i, j]
                    seen += 1.0
            out[c] = total / seen if seen > 0.0 else INFINITY


def gower_tile(
    columns: cython.const[cython.float][:, ::1],
    kinds: cython.const[cython.longlong][::1],
    asked: cython.const[cython.float][:, ::1],
    seen: cython.float[::1],
    out: cython.float[:, ::1],
):
    """Write about Gower's distance of every query (n, p) to many rows, given as columns (p, w).

    Of a column of the kind 0 the ways are added up, of one of the kind 1 whether two are not equal.
    With 2 more it has gaps, NaN; where nothing is there in both rows, the distance is no number.
    """
    if (
        kinds.shape[0] != columns.shape[0]
        or asked.shape[1] != columns.shape[0]
        or seen.shape[0] < columns.shape[1]
        or out.shape[0] < asked.shape[0]
        or out.shape[1] != columns.shape[1]
    ):
        raise ValueError("row_distances.gower_tile: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    t: cython.Py_ssize_t
    x: cython.float
    way: cython.float
    one: cython.float = 1.0
    none: cython.float = 0.0
    w: cython.Py_ssize_t = columns.shape[1]
    with cython.nogil:
        for i in range(asked.shape[0]):
            for t in range(w):
                seen[t] = out[i, t] = none
            for j in range(columns.shape[0]):
                x = asked[i, j]
                if x != x:
                    continue
                if kinds[j] == 0:
                    for t in range(w):
                        way = x - columns[j, t]
                        out[i, t] += way if way > none else -way
                        seen[t] += one
                elif kinds[j] == 1:
                    for t in range(w):
                        out[i, t] += one if columns[j, t] != x else none
                        seen[t] += one
                else:
                    _with_gaps(columns, j, kinds[j] == 3, x, i, seen, out)
            for t in range(w):
                out[i, t] /= seen[t]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _with_gaps(
    columns: cython.const[cython.float][:, ::1],
    j: cython.Py_ssize_t,
    category: cython.bint,
    x: cython.float,
    i: cython.Py_ssize_t,
    seen: cython.float[::1],
    out: cython.float[:, ::1],
) -> cython.void:
    """Add what a column with gaps adds, where there is none."""
    t: cython.Py_ssize_t
    way: cython.float
    z: cython.float
    there: cython.float
    one: cython.float = 1.0
    none: cython.float = 0.0
    for t in range(columns.shape[1]):
        z = columns[j, t]
        there = one if z == z else none
        way = x - z
        way = way if way > none else -way
        if category:
            way = one if way > none else none
        out[i, t] += way if z == z else none
        seen[t] += there
