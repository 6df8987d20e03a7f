"""Clustering: every row goes to its nearest centre, and into the sum of all that went there.

Rows are scored a tile at a time, turned on their side: loops that run along the rows of a tile are
what compilers make vector instructions of, without changing a bit.
"""

import cython
from cython.cimports.libc.math import sqrt

INFINITY = cython.declare(cython.float, float("inf"))


def narrow(
    x: cython.const[cython.double][:, ::1],
    shift: cython.const[cython.double][::1],
    size: cython.double,
    out: cython.float[:, ::1],
    reach: cython.double[::1],
):
    """Write (x - shift) size of rows (n, p) in single precision to out (n, p + 1), ones last.

    And |x - shift| to their reach, which is not finite where a number is not.
    """
    if (
        shift.shape[0] < x.shape[1]
        or out.shape[0] < x.shape[0]
        or out.shape[1] <= x.shape[1]
        or reach.shape[0] < x.shape[0]
    ):
        raise ValueError("kmeans_updates.narrow: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    d: cython.double
    e: cython.double
    even: cython.double
    odd: cython.double
    p: cython.Py_ssize_t = x.shape[1]
    with cython.nogil:
        for i in range(x.shape[0]):
            even = odd = 0.0
            for j in range(0, p - 1, 2):  # two sums: one would wait for each of its additions
                d = x[i, j] - shift[j]
                e = x[i, j + 1] - shift[j + 1]
                out[i, j] = cython.cast(cython.float, d * size)
                out[i, j + 1] = cython.cast(cython.float, e * size)
                even += d * d
                odd += e * e
            if p % 2 == 1:
                d = x[i, p - 1] - shift[p - 1]
                out[i, p - 1] = cython.cast(cython.float, d * size)
                even += d * d
            out[i, p] = 1.0
            reach[i] = sqrt(even + odd)


def choose(
    scores: cython.const[cython.float][:, ::1],
    reach: cython.const[cython.double][::1],
    base: cython.double,
    rate: cython.double,
    work: cython.float[:, ::1],
    nearest: cython.int[::1],
    unsure: cython.longlong[::1],
):
    """Write which of the scores (k, n) of every row is the least.

    Two scores of a row may be wrong by base + rate * reach together. The places of rows with a
    second score within that, or so long that scores may overflow, go to ``unsure``, and their
    number is returned. ``work`` is (2, n).
    """
    if (
        reach.shape[0] < scores.shape[1]
        or work.shape[0] < 2
        or work.shape[1] < scores.shape[1]
        or nearest.shape[0] < scores.shape[1]
        or unsure.shape[0] < scores.shape[1]
    ):
        raise ValueError("kmeans_updates.choose: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    c: cython.int
    score: cython.float
    least: cython.float
    second: cython.float
    above: cython.float
    limit: cython.double
    at: cython.int
    n: cython.Py_ssize_t = scores.shape[1]
    k: cython.int = cython.cast(cython.int, scores.shape[0])
    left: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(n):
            work[0, i] = work[1, i] = INFINITY
            nearest[i] = 0
        for c in range(k):
            for i in range(n):
                score = scores[c, i]
                least = work[0, i]
                second = work[1, i]
                at = nearest[i]
                above = score if score > least else least
                work[1, i] = above if above < second else second
                nearest[i] = c if score < least else at
                work[0, i] = score if score < least else least
        for i in range(n):
            limit = base + rate * reach[i]
            if not work[1, i] - work[0, i] > limit or not limit < 1e30:
                unsure[left] = i
                left += 1
    return left


def doubt(
    labels: cython.const[cython.int][::1],
    until: cython.const[cython.double][::1],
    drift: cython.const[cython.double][::1],
    rows: cython.longlong[::1],
):
    """Write the places of rows whose centre has drifted as far as they allow; return how many."""
    if until.shape[0] < labels.shape[0] or rows.shape[0] < labels.shape[0]:
        raise ValueError("kmeans_updates.doubt: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    left: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(labels.shape[0]):
            rows[left] = i
            left += not until[i] > drift[labels[i]]
    return left


def remember(
    work: cython.const[cython.float][:, ::1],
    nearest: cython.const[cython.int][::1],
    rows: cython.const[cython.longlong][::1],
    reach: cython.const[cython.double][::1],
    wrong: cython.const[cython.double][::1],
    drift: cython.const[cython.double][::1],
    labels: cython.int[::1],
    until: cython.double[::1],
):
    """Write the nearest centre of some rows, and which drift may bring another one nearer.

    That is the way from the least to the second distance, sqrt(reach^2 + score), as short as it can
    be: ``wrong`` has the base and the rate of what scores are wrong by, their size, and a share of
    the reach that is left beside it.
    """
    if (
        work.shape[0] < 2
        or work.shape[1] < rows.shape[0]
        or nearest.shape[0] < rows.shape[0]
        or wrong.shape[0] < 4
        or until.shape[0] < labels.shape[0]
        or reach.shape[0] < labels.shape[0]
    ):
        raise ValueError("kmeans_updates.remember: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    far: cython.double
    near: cython.double
    limit: cython.double
    length: cython.double
    with cython.nogil:
        for i in range(rows.shape[0]):
            at = rows[i]
            length = reach[at] * wrong[2]
            limit = wrong[0] + wrong[1] * reach[at]
            near = length * length + work[0, i] + limit
            far = length * length + work[1, i] - limit
            near = sqrt(near if near > 0 else 0.0)
            far = sqrt(far if far > 0 else 0.0)
            labels[at] = nearest[i]
            until[at] = drift[nearest[i]] + (far - near - wrong[3] * (1 + length)) / wrong[2]


def gather(
    x: cython.const[cython.double][:, ::1],
    shift: cython.const[cython.double][::1],
    weight: cython.const[cython.double][::1],
    rows: cython.const[cython.longlong][::1],
    labels: cython.const[cython.int][::1],
    sign: cython.double,
    grids: cython.const[cython.double][:, ::1],
    sums: cython.double[:, :, ::1],
):
    """Add (x - shift) of some rows to the sums (2, k, p + 1) of their labels, weights last.

    A number is rounded to a grid, and what is left of it to a finer one, each with sums of its own.
    Sums of whole steps of a grid are exact, so that taking away (a sign of -1) undoes adding.
    """
    if (
        shift.shape[0] < x.shape[1]
        or weight.shape[0] < x.shape[0]
        or labels.shape[0] < rows.shape[0]
        or grids.shape[0] < 2
        or grids.shape[1] <= x.shape[1]
        or sums.shape[0] < 2
        or sums.shape[2] <= x.shape[1]
    ):
        raise ValueError("kmeans_updates.gather: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    c: cython.Py_ssize_t
    w: cython.double
    v: cython.double
    step: cython.double
    p: cython.Py_ssize_t = x.shape[1]
    with cython.nogil:
        for i in range(rows.shape[0]):
            at = rows[i]
            c = labels[i]
            w = sign * weight[at]
            for j in range(p):
                v = w * (x[at, j] - shift[j])
                step = (v + grids[0, j]) - grids[0, j]
                sums[0, c, j] += step
                sums[1, c, j] += ((v - step) + grids[1, j]) - grids[1, j]
            step = (w + grids[0, p]) - grids[0, p]
            sums[0, c, p] += step
            sums[1, c, p] += ((w - step) + grids[1, p]) - grids[1, p]


def squared_distances(
    x: cython.const[cython.double][:, ::1],
    shift: cython.const[cython.double][::1],
    labels: cython.const[cython.int][::1],
    centres: cython.const[cython.double][:, ::1],
    out: cython.double[::1],
):
    """Write |x - shift - centre|^2 of every row (n, p) to the centre (k, p) of its label."""
    if (
        shift.shape[0] < x.shape[1]
        or centres.shape[1] < x.shape[1]
        or labels.shape[0] < x.shape[0]
        or out.shape[0] < x.shape[0]
    ):
        raise ValueError("kmeans_updates.squared_distances: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    d: cython.double
    e: cython.double
    even: cython.double
    odd: cython.double
    p: cython.Py_ssize_t = x.shape[1]
    with cython.nogil:
        for i in range(x.shape[0]):
            c = labels[i]
            even = odd = 0.0
            for j in range(0, p - 1, 2):  # two sums: one would wait for each of its additions
                d = x[i, j] - shift[j] - centres[c, j]
                e = x[i, j + 1] - shift[j + 1] - centres[c, j + 1]
                even += d * d
                odd += e * e
            if p % 2 == 1:
                d = x[i, p - 1] - shift[p - 1] - centres[c, p - 1]
                even += d * d
            out[i] = even + odd


def digest(
    bits: cython.const[cython.ulonglong][:, :],
    odd: cython.const[cython.ulonglong][::1],
    out: cython.ulonglong[::1],
):
    """Write a sum of the bits of every row's doubles, each times an odd number; -0.0 is 0.0."""
    if odd.shape[0] < bits.shape[1] or out.shape[0] < bits.shape[0]:
        raise ValueError("kmeans_updates.digest: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    z: cython.ulonglong
    total: cython.ulonglong
    times: cython.ulonglong
    half: cython.ulonglong = 32
    signed: cython.ulonglong = 0x8000000000000000
    every: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    with cython.nogil:
        for i in range(bits.shape[0]):
            total = 0
            for j in range(bits.shape[1]):
                z = cython.cast(cython.ulonglong, bits[i, j])
                times = cython.cast(cython.ulonglong, odd[j])
                if z != signed:
                    total = (total + (z ^ (z >> half)) * times) & every
            out[i] = total
