"""Halving: rows in an order in which each half lies on one side of the other (a k-d tree).

Of u runs of 32 rows, of which the last may be shorter, the i-th node of level l holds those from
(i u) >> l to ((i + 1) u) >> l; its halves are parted along the column in which they lie farthest
apart.
"""

import cython


def halve(
    points: cython.const[cython.double][:, ::1],
    levels: cython.Py_ssize_t,
    order: cython.longlong[::1],
):
    """Write the order of rows (n, d) in which every node of so many levels is halved."""
    if order.shape[0] != points.shape[0]:
        raise ValueError("kd_tree_build.halve: the lengths of its arrays do not agree")
    level: cython.Py_ssize_t
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = points.shape[0]
    u: cython.Py_ssize_t = (n + 31) // 32
    low: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    high: cython.Py_ssize_t
    column: cython.Py_ssize_t
    with cython.nogil:
        for level in range(levels):
            for i in range(cython.cast(cython.Py_ssize_t, 1) << level):
                low = 32 * ((i * u) >> level)
                high = 32 * (((i + 1) * u) >> level)
                high = high if high < n else n
                if high - low > 32:
                    middle = 32 * (((2 * i + 1) * u) >> (level + 1))
                    column = _widest(points, order, low, high)
                    _part(points, column, low, middle, high - 1, order)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _widest(
    points: cython.const[cython.double][:, ::1],
    order: cython.longlong[::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """The column along which the rows of a run lie farthest apart."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    found: cython.Py_ssize_t = 0
    most: cython.double = -1.0
    least: cython.double
    largest: cython.double
    x: cython.double
    for j in range(points.shape[1]):
        least = largest = points[order[low], j]
        for i in range(low + 1, high):
            x = points[order[i], j]
            least = x if x < least else least
            largest = x if x > largest else largest
        if largest - least > most:
            most = largest - least
            found = j
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _part(
    points: cython.const[cython.double][:, ::1],
    j: cython.Py_ssize_t,
    low: cython.Py_ssize_t,
    middle: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    order: cython.longlong[::1],
) -> cython.void:
    """Put in its place the row that comes at the middle by a column (C. A. R. Hoare, 1961)."""
    left: cython.Py_ssize_t
    right: cython.Py_ssize_t
    kept: cython.longlong
    pivot: cython.double
    while low < high:
        pivot = points[order[(low + high) >> 1], j]
        left = low
        right = high
        while left <= right:
            while points[order[left], j] < pivot:
                left += 1
            while points[order[right], j] > pivot:
                right -= 1
            if left <= right:
                kept = order[left]
                order[left] = order[right]
                order[right] = kept
                left += 1
                right -= 1
        if middle <= right:
            high = right
        elif middle >= left:
            low = left
        else:
            return
