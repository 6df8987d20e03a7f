"""Deviating: how far the first rows of a list lie from their median, as the list goes on."""

import cython

MASK = cython.declare(cython.longlong, 0xFFFFFFFF)


def gauge(
    keys: cython.const[cython.longlong][:, ::1],
    ranks: cython.const[cython.longlong][::1],
    units: cython.const[cython.longlong][::1],
    values: cython.const[cython.longlong][::1],
    least: cython.const[cython.longlong][::1],
    room: cython.longlong[:, ::1],
    lower: cython.longlong[::1],
    out: cython.longlong[::1],
):
    """For every column the least that a cut leaves apart, both sides in all; -1: there is none.

    ``keys`` (p, m): code * 2^32 + row, sorted. ``least``: rows and weight that a side must have.
    ``room`` (2, v + 1) as in ``sweep``, ``lower`` (m,).
    """
    if (
        ranks.shape[0] < keys.shape[1]
        or units.shape[0] < keys.shape[1]
        or least.shape[0] < 2
        or room.shape[0] < 2
        or room.shape[1] <= values.shape[0]
        or lower.shape[0] < keys.shape[1]
        or out.shape[0] < keys.shape[0]
    ):
        raise ValueError("deviating.gauge: the lengths of its arrays do not agree")
    m: cython.Py_ssize_t = keys.shape[1]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    row: cython.Py_ssize_t
    weight: cython.longlong
    total: cython.longlong
    left: cython.longlong
    with cython.nogil:
        for j in range(keys.shape[0]):
            out[j] = -1
            room[:, :] = 0
            weight = 0
            total = 0
            for i in range(m - 1):
                row = keys[j, i] & MASK
                weight += units[row]
                total += _added(ranks[row], units[row], values, room)
                lower[i] = -1
                if (keys[j, i] >> 32) == (keys[j, i + 1] >> 32):
                    continue
                if i + 1 >= least[0] and m - 1 - i >= least[0] and weight >= least[1]:
                    lower[i] = _apart(values, room, weight, total)
            room[:, :] = 0
            weight = 0
            total = 0
            for i in range(m - 2, -1, -1):
                row = keys[j, i + 1] & MASK
                weight += units[row]
                total += _added(ranks[row], units[row], values, room)
                if lower[i] < 0 or weight < least[1]:
                    continue
                left = lower[i] + _apart(values, room, weight, total)
                if out[j] < 0 or left < out[j]:
                    out[j] = left


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _added(
    rank: cython.longlong,
    units: cython.longlong,
    values: cython.const[cython.longlong][::1],
    room: cython.longlong[:, ::1],
) -> cython.longlong:
    """One row more; returns its weighted measure."""
    at: cython.Py_ssize_t = rank + 1
    moved: cython.longlong = units * values[rank]
    while at < room.shape[1]:
        room[0, at] += units
        room[1, at] += moved
        at += at & -at
    return moved


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _apart(
    values: cython.const[cython.longlong][::1],
    room: cython.const[cython.longlong][:, ::1],
    weight: cython.longlong,
    total: cython.longlong,
) -> cython.longlong:
    """How far the rows that came lie from their median, in all."""
    size: cython.Py_ssize_t = values.shape[0]
    at: cython.Py_ssize_t = 0
    step: cython.Py_ssize_t = 1
    below: cython.longlong = 0  # weight of the ranks below the median
    least: cython.longlong = 0  # and their measures
    while 2 * step <= size:
        step *= 2
    while step > 0:
        if at + step < size and 2 * (below + room[0, at + step]) < weight:
            at += step
            below += room[0, at]
            least += room[1, at]
        step //= 2
    return values[at] * (2 * below - weight) + total - 2 * least


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
    if (
        units.shape[0] < ranks.shape[0]
        or values.shape[0] < 1
        or room.shape[0] < 2
        or room.shape[1] <= values.shape[0]
        or out.shape[0] < ends.shape[0]
        or (ends.shape[0] > 0 and ends[ends.shape[0] - 1] > ranks.shape[0])
    ):
        raise ValueError("deviating.sweep: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t = 0
    g: cython.Py_ssize_t
    weight: cython.longlong = 0
    total: cython.longlong = 0
    with cython.nogil:
        for g in range(ends.shape[0]):
            while i < ends[g]:
                weight += units[i]
                total += _added(ranks[i], units[i], values, room)
                i += 1
            out[g] = _apart(values, room, weight, total)
