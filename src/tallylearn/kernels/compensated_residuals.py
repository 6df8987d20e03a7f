"""Residuals: what weights leave of a target, in twice the digits of a double.

Near the best weights all but the last digits of a target cancel, and those that are left say how
far the weights are from the best: they must not be rounded before. Columns stand one after the
other, so that a processor takes several rows at a time.
"""

import cython
from cython.cimports.libc.math import fabs

EPS = cython.declare(cython.double, 2.0**-52)  # of what is added up: what rounding may leave of it


def left(
    x: cython.const[cython.double][:, ::1],
    weights: cython.const[cython.double][::1],
    target: cython.const[cython.double][::1],
    out: cython.double[:, ::1],
):
    """Write target - weights · x of columns x (p, n) to out[0], and the digits beyond to out[1]."""
    p: cython.Py_ssize_t = weights.shape[0]
    n: cython.Py_ssize_t = target.shape[0]
    if x.shape[0] < p or x.shape[1] != n or out.shape[0] < 2 or out.shape[1] < n:
        raise ValueError("compensated_residuals.left: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    a: cython.double
    r: cython.double
    w: cython.double
    high: cython.double
    with cython.nogil:
        for i in range(n):
            out[0, i], out[1, i] = target[i], 0.0
        for j in range(p):
            w = weights[j]
            high = _high(w)
            for i in range(n):
                r = out[0, i]
                a = -x[j, i] * w
                out[0, i] = r + a
                out[1, i] += _less(r, a, r + a) - _lost(x[j, i], w, high, -a)
        for i in range(n):
            r = out[0, i] + out[1, i]
            out[1, i] -= r - out[0, i]
            out[0, i] = r


def slopes(
    x: cython.const[cython.double][:, ::1],
    rest: cython.const[cython.double][:, ::1],
    room: cython.double[:, ::1],
    out: cython.double[::1],
):
    """Write how columns x (p, n) and residuals go together, Σ x (rest[0] + rest[1]), to out.

    Several sums of a column grow in ``room`` (2, n), with what each loses on the way, and are then
    added in pairs.
    """
    n: cython.Py_ssize_t = x.shape[1]
    if (
        x.shape[0] < out.shape[0]
        or rest.shape[0] < 2
        or rest.shape[1] != n
        or room.shape[0] < 2
        or room.shape[1] < n
        or n == 0
    ):
        raise ValueError("compensated_residuals.slopes: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    at: cython.Py_ssize_t
    half: cython.Py_ssize_t
    some: cython.Py_ssize_t
    a: cython.double
    r: cython.double
    with cython.nogil:
        for j in range(out.shape[0]):
            some = n if n < 64 else 64
            for i in range(some):
                room[0, i] = room[1, i] = 0.0
            for at in range(0, n, 64):
                for i in range(at, n if n < at + 64 else at + 64):
                    r = room[0, i - at]
                    a = x[j, i] * rest[0, i]
                    room[0, i - at] = r + a
                    a = _less(r, a, r + a) + _lost(x[j, i], rest[0, i], _high(rest[0, i]), a)
                    room[1, i - at] += a + x[j, i] * rest[1, i]
            while some > 1:
                half = some // 2
                some -= half
                for i in range(half):
                    r = room[0, i]
                    a = room[0, some + i]
                    room[0, i] = r + a
                    room[1, i] += _less(r, a, r + a) + room[1, some + i]
            out[j] = room[0, 0] + room[1, 0]


def levels(
    coef: cython.const[cython.double][:, ::1],
    mean: cython.const[cython.double][::1],
    low: cython.const[cython.double][::1],
    out: cython.double[:, ::1],
):
    """Write what weights (t, p) answer at the means, in twice the digits, and at 0 to out (3, t).

    ``mean`` (p + t,) is of columns and targets, ``low`` the digits beyond. Rounding alone is 0.
    """
    t: cython.Py_ssize_t = coef.shape[0]
    p: cython.Py_ssize_t = coef.shape[1]
    if mean.shape[0] != p + t or low.shape[0] != p + t or out.shape[0] < 3 or out.shape[1] != t:
        raise ValueError("compensated_residuals.levels: the lengths of its arrays do not agree")
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    a: cython.double
    r: cython.double
    rest: cython.double
    size: cython.double
    with cython.nogil:
        for k in range(t):
            rest = low[p + k]
            for j in range(p):
                rest -= coef[k, j] * low[j]
            r = mean[p + k] + rest
            rest = _less(mean[p + k], rest, r)
            out[0, k], out[1, k] = r, rest
            size = fabs(r)
            for j in range(p):
                a = -coef[k, j] * mean[j]
                rest += _less(r, a, r + a) - _lost(coef[k, j], mean[j], _high(mean[j]), -a)
                size += fabs(a)
                r = r + a
            if rest - rest == 0:  # else halves of digits are beyond a double
                r = r + rest
            out[2, k] = r if fabs(r) > 4 * EPS * size else 0.0  # of weights, means and sums


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _less(a: cython.double, b: cython.double, total: cython.double) -> cython.double:
    """What a total lacks of a + b (D. E. Knuth, 1969)."""
    r: cython.double = total - a
    return (a - (total - r)) + (b - r)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _high(a: cython.double) -> cython.double:
    """The upper half of the digits of a."""
    t: cython.double = 134217729.0 * a
    return t - (t - a)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _lost(
    a: cython.double, b: cython.double, bh: cython.double, product: cython.double
) -> cython.double:
    """What a product lacks of a * b, the upper half of whose b is bh (T. J. Dekker, 1971)."""
    ah: cython.double = _high(a)
    al: cython.double = a - ah
    bl: cython.double = b - bh
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl
