"""Sweeping: attributes go into a regression, and out of it, one at a time.

Sums run over the rows in their order, so that every machine rounds them alike.
"""

import cython
from cython.cimports.libc.math import fabs, sqrt


def sweep(sums: cython.double[:, ::1], j: cython.Py_ssize_t):
    """Take attribute j in, or out again: afterwards its row has coefficients, its column signs."""
    if sums.shape[0] != sums.shape[1] or not 0 <= j < sums.shape[0]:
        raise ValueError("sweep_operator.sweep: the lengths of its arrays do not agree")
    with cython.nogil:
        _sweep(sums, j)


def measure(
    x: cython.const[cython.double][:, ::1],
    y: cython.const[cython.double][::1],
    weight: cython.const[cython.double][::1],
    which: cython.const[cython.longlong][::1],
    moments: cython.double[:, ::1],
):
    """The weight of all rows; the mean and the length of some attributes and, last, the target.

    ``moments`` (3, p + 1): the length is the root of the sum of squares around the mean.
    """
    if (
        x.shape[0] < y.shape[0]
        or weight.shape[0] < y.shape[0]
        or moments.shape[0] < 3
        or moments.shape[1] <= which.shape[0]
    ):
        raise ValueError("sweep_operator.measure: the lengths of its arrays do not agree")
    p: cython.Py_ssize_t = which.shape[0]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    d: cython.double
    moments[:, :] = 0.0
    with cython.nogil:
        for i in range(y.shape[0]):
            moments[0, 0] += weight[i]
            for j in range(p):
                moments[1, j] += weight[i] * x[i, which[j]]
            moments[1, p] += weight[i] * y[i]
        for j in range(p + 1):
            moments[1, j] /= moments[0, 0]
        for i in range(y.shape[0]):
            for j in range(p + 1):
                d = (x[i, which[j]] if j < p else y[i]) - moments[1, j]
                moments[2, j] += weight[i] * d * d
        for j in range(p + 1):
            moments[2, j] = sqrt(moments[2, j])


def multiply(
    x: cython.const[cython.double][:, ::1],
    y: cython.const[cython.double][::1],
    weight: cython.const[cython.double][::1],
    which: cython.const[cython.longlong][::1],
    moments: cython.const[cython.double][:, ::1],
    row: cython.double[::1],
    sums: cython.double[:, ::1],
):
    """The products of the attributes and, last, the target, all centred and of length 1.

    ``row`` (p + 1,) is space to work in, ``sums`` (p + 1, p + 1) zero at first.
    """
    if (
        x.shape[0] < y.shape[0]
        or weight.shape[0] < y.shape[0]
        or moments.shape[0] < 3
        or moments.shape[1] <= which.shape[0]
        or row.shape[0] <= which.shape[0]
        or sums.shape[0] <= which.shape[0]
        or sums.shape[1] <= which.shape[0]
    ):
        raise ValueError("sweep_operator.multiply: the lengths of its arrays do not agree")
    p: cython.Py_ssize_t = which.shape[0]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for i in range(y.shape[0]):
            for j in range(p + 1):
                row[j] = (x[i, which[j]] if j < p else y[i]) - moments[1, j]
                row[j] = row[j] / moments[2, j] if moments[2, j] > 0 else 0.0
            for j in range(p + 1):
                for k in range(j + 1):
                    sums[j, k] += weight[i] * row[j] * row[k]
        for j in range(p + 1):
            for k in range(j):
                sums[k, j] = sums[j, k]


def project(
    x: cython.const[cython.double][:, ::1],
    y: cython.const[cython.double][::1],
    weight: cython.const[cython.double][::1],
    which: cython.const[cython.longlong][::1],
    moments: cython.const[cython.double][:, ::1],
    coef: cython.const[cython.double][::1],
    out: cython.double[::1],
):
    """What a model of centred attributes leaves unexplained.

    ``out`` (p + 2,): its product with every attribute, the sum of its squares, its own sum.
    """
    if (
        x.shape[0] < y.shape[0]
        or weight.shape[0] < y.shape[0]
        or moments.shape[0] < 3
        or moments.shape[1] <= which.shape[0]
        or coef.shape[0] < which.shape[0]
        or out.shape[0] < which.shape[0] + 2
    ):
        raise ValueError("sweep_operator.project: the lengths of its arrays do not agree")
    p: cython.Py_ssize_t = which.shape[0]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    rest: cython.double
    out[:] = 0.0
    with cython.nogil:
        for i in range(y.shape[0]):
            rest = y[i] - moments[1, p]
            for j in range(p):
                rest -= coef[j] * ((x[i, which[j]] - moments[1, j]) / moments[2, j])
            for j in range(p):
                out[j] += weight[i] * rest * ((x[i, which[j]] - moments[1, j]) / moments[2, j])
            out[p] += weight[i] * rest * rest
            out[p + 1] += weight[i] * rest


def choose(
    sums: cython.double[:, ::1],
    n: cython.double,
    limits: cython.const[cython.double][::1],
    inside: cython.longlong[::1],
    kept: cython.longlong[::1],
    best_sums: cython.double[:, ::1],
):
    """Take in what is not collinear, drop what is steep, then what is small while that helps.

    ``sums`` (p + 1, p + 1): the products of p attributes and, last, the target, whose own is 1, so
    that coefficients are in standard deviations. ``limits``: what the others leave of a collinear
    attribute, at most; a residual that is rounding; the largest coefficient. With v coefficients of
    first p, Akaike's criterion is (n - p) times the residual by the first, plus 2 v.
    """
    if (
        sums.shape[0] != inside.shape[0] + 1
        or sums.shape[1] != inside.shape[0] + 1
        or limits.shape[0] < 3
        or kept.shape[0] < inside.shape[0]
        or best_sums.shape[0] < inside.shape[0]
        or best_sums.shape[1] < inside.shape[0]
    ):
        raise ValueError("sweep_operator.choose: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    p: cython.Py_ssize_t = inside.shape[0]
    out: cython.Py_ssize_t
    v: cython.double = 1.0
    first: cython.double
    whole: cython.double
    told: cython.double
    best: cython.double
    with cython.nogil:
        for j in range(p):
            inside[j] = 0
            if sums[j, j] > limits[0]:
                _sweep(sums, j)
                inside[j] = 1
                v += 1.0
        out = _steepest(sums, inside, limits[2])
        while out >= 0 or n <= v:
            if out < 0:  # as many coefficients as rows fit anything
                out = _smallest(sums, inside)
                if out < 0:
                    break
            _sweep(sums, out)
            inside[out] = 0
            v -= 1.0
            out = _steepest(sums, inside, limits[2])
        first, whole = sums[p, p], n - v
        best = whole + 2.0 * v
        while True:
            for i in range(p):
                kept[i] = inside[i]
                for j in range(p):
                    best_sums[i, j] = sums[i, j]
            out = _smallest(sums, inside)
            if out < 0:
                break
            _sweep(sums, out)
            inside[out] = 0
            v -= 1.0
            told = 2.0 * v
            if sums[p, p] > limits[1]:
                told += whole * sums[p, p] / first if first > limits[1] else 1e300
            elif first > limits[1]:
                told += whole
            if told >= best:
                break
            best = told


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _steepest(
    sums: cython.double[:, ::1], inside: cython.longlong[::1], most: cython.double
) -> cython.Py_ssize_t:
    """The attribute of the largest coefficient, if it is beyond what is allowed; else -1."""
    j: cython.Py_ssize_t
    p: cython.Py_ssize_t = inside.shape[0]
    found: cython.Py_ssize_t = -1
    for j in range(p):
        if inside[j] and fabs(sums[j, p]) > most:
            most = fabs(sums[j, p])
            found = j
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _smallest(sums: cython.double[:, ::1], inside: cython.longlong[::1]) -> cython.Py_ssize_t:
    """The attribute of the smallest coefficient, the first of equals; -1 where none is left."""
    j: cython.Py_ssize_t
    p: cython.Py_ssize_t = inside.shape[0]
    found: cython.Py_ssize_t = -1
    for j in range(p):
        if inside[j] and (found < 0 or fabs(sums[j, p]) < fabs(sums[found, p])):
            found = j
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sweep(sums: cython.double[:, ::1], j: cython.Py_ssize_t) -> cython.void:
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    size: cython.Py_ssize_t = sums.shape[0]
    pivot: cython.double = sums[j, j]
    factor: cython.double
    for i in range(size):
        if i != j:
            factor = sums[i, j] / pivot
            for k in range(size):
                if k != j:
                    sums[i, k] -= factor * sums[j, k]
            sums[i, j] = -factor
    for k in range(size):
        sums[j, k] = sums[j, k] / pivot
    sums[j, j] = 1.0 / pivot
