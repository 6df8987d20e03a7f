"""Deviating: how far the first rows of a list lie from their median, as the list goes on."""

import cython


def sweep(
    ranks: cython.const[cython.longlong][::1],
    units: cython.const[cython.longlong][::1],
    values: cython.const[cython.longlong][::1],
    ends: cython.const[cython.longlong][::1],
    room: cython.longlong[:, ::1],
    out: cython.longlong[::1],
):
    """The sums of w |y - median| over the first ``ends[g]`` rows, for every g.

    A row has the weight ``units`` and the measure ``values[rank]``; values rise. ``room`` is all
    zero, (2, v + 1): two trees of partial sums by rank, of weights and of weighted measures, so
    that a row comes in and a median is found in log v steps. P. Fenwick, A new data structure for
    cumulative frequency tables, Software: Practice and Experience 24, 1994, 327-336.
    """
    size: cython.Py_ssize_t = values.shape[0]
    i: cython.Py_ssize_t = 0
    g: cython.Py_ssize_t
    at: cython.Py_ssize_t
    step: cython.Py_ssize_t
    top: cython.Py_ssize_t = 1
    moved: cython.longlong
    weight: cython.longlong = 0
    total: cython.longlong = 0
    below: cython.longlong
    least: cython.longlong
    with cython.nogil:
        while 2 * top <= size:
            top *= 2
        for g in range(ends.shape[0]):
            while i < ends[g]:
                moved = units[i] * values[ranks[i]]
                weight += units[i]
                total += moved
                at = ranks[i] + 1
                while at <= size:
                    room[0, at] += units[i]
                    room[1, at] += moved
                    at += at & -at
                i += 1
            at = 0
            below = 0  # weight of the ranks below the median
            least = 0  # and their measures
            step = top
            while step > 0:
                if at + step < size and 2 * (below + room[0, at + step]) < weight:
                    at += step
                    below += room[0, at]
                    least += room[1, at]
                step //= 2
            out[g] = values[at] * (2 * below - weight) + total - 2 * least
