"""Medians: how far the rows of a list lie from their median, as rows come and go.

All sums are integers. The readable version is ``models.trees.deviations``.
"""

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
    if (
        units.shape[0] < ranks.shape[0]
        or values.shape[0] < 1
        or room.shape[0] < 2
        or room.shape[1] <= values.shape[0]
        or out.shape[0] < ends.shape[0]
        or (ends.shape[0] > 0 and ends[ends.shape[0] - 1] > ranks.shape[0])
    ):
        raise ValueError("trees.running_medians.sweep: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t = 0
    g: cython.Py_ssize_t
    weight: cython.longlong = 0
    total: cython.longlong = 0
    weights: cython.longlong[::1] = room[0]
    sums: cython.longlong[::1] = room[1]
    with cython.nogil:
        for g in range(ends.shape[0]):
            while i < ends[g]:
                weight += units[i]
                total += added(ranks[i], units[i], values, weights, sums)
                i += 1
            out[g] = apart(values, weights, sums, weight, total)


def added(rank, units, values, weights, sums):
    """One row more; returns its weighted measure."""
    at: cython.Py_ssize_t = rank + 1
    size: cython.Py_ssize_t = values.shape[0]
    moved: cython.longlong = units * values[rank]
    while at <= size:
        weights[at] += units
        sums[at] += moved
        at += at & -at
    return moved


def apart(values, weights, sums, weight, total):
    """How far the rows that came lie from their median, in all."""
    size: cython.Py_ssize_t = values.shape[0]
    at: cython.Py_ssize_t = 0
    step: cython.Py_ssize_t = 1
    below: cython.longlong = 0  # weight of the ranks below the median
    least: cython.longlong = 0  # and their measures
    while 2 * step <= size:
        step *= 2
    while step > 0:
        if at + step < size and 2 * (below + weights[at + step]) < weight:
            at += step
            below += weights[at]
            least += sums[at]
        step //= 2
    return values[at] * (2 * below - weight) + total - 2 * least


def by_going(seq, place, values, units, chain, ends, left, back):
    """Add what every cut leaves apart above it, or below it: lines go, and the median moves on.

    A row that goes moves the median to a neighbour in the chain, or over some rows that are
    lighter, so that no search is needed. ``back``: the last line goes first.
    """
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    line: cython.Py_ssize_t
    p: cython.Py_ssize_t
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    v: cython.Py_ssize_t = ends.shape[0]
    w: cython.longlong
    weight: cython.longlong = 0
    total: cython.longlong = 0
    below: cython.longlong = 0  # weight of the places before the median
    least: cython.longlong = 0  # and their measures
    at: cython.Py_ssize_t = chain[1, 0]
    for i in range(ends[v - 1]):
        p = place[seq[i]]
        weight += units[p]
        total += units[p] * values[p]
    for r in range(v):
        while 2 * below >= weight and chain[0, at] > 0:
            at = chain[0, at]
            below -= units[at]
            least -= units[at] * values[at]
        while 2 * (below + units[at]) < weight:
            below += units[at]
            least += units[at] * values[at]
            at = chain[1, at]
        line = v - 1 - r if back else r
        if r > 0 or back:
            w = values[at] * (2 * below - weight) + total - 2 * least
            left[line if back else line - 1] += w
        if r == v - 1:
            break
        for i in range(ends[line - 1] if line > 0 else 0, ends[line]):
            p = place[seq[i]]
            w = units[p]
            a = chain[0, p]
            b = chain[1, p]
            chain[1, a] = b
            chain[0, b] = a
            weight -= w
            total -= w * values[p]
            if p < at:
                below -= w
                least -= w * values[p]
            elif p == at:
                at = b
                if b == values.shape[0]:
                    at = a
                    below -= units[a]
                    least -= units[a] * values[a]


def by_coming(seq, place, values, units, weights, sums, ends, left):
    """The same for rows of any weight: lines come, the first first, then the last first."""
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    way: cython.Py_ssize_t
    v: cython.Py_ssize_t = ends.shape[0]
    weight: cython.longlong
    total: cython.longlong
    for way in range(2):
        weight = 0
        total = 0
        for i in range(values.shape[0] + 1):
            weights[i] = 0
            sums[i] = 0
        for r in range(v if way == 0 else v - 1):
            at = r if way == 0 else v - 1 - r
            for i in range(ends[at - 1] if at > 0 else 0, ends[at]):
                weight += units[place[seq[i]]]
                total += added(place[seq[i]] - 1, units[place[seq[i]]], values, weights, sums)
            left[at - way] += apart(values, weights, sums, weight, total)
