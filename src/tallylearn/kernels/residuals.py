"""Residuals: what weights leave of a target, in twice the digits of a double.

Near the best weights all but the last digits of a target cancel, and those that are left say how
far the weights are from the best: they must not be rounded before.
"""

import cython


def slopes(
    x: cython.const[cython.double][:, ::1],
    weights: cython.const[cython.double][::1],
    target: cython.const[cython.double][::1],
    out: cython.double[:, ::1],
):
    """Write to out[0] how columns and residuals go together, Σ x (target - x · weights).

    The row out[1] is room for the digits that sums lose on the way.
    """
    p: cython.Py_ssize_t = weights.shape[0]
    if x.shape[1] < p or target.shape[0] < x.shape[0] or out.shape[0] < 2 or out.shape[1] < p:
        raise ValueError("residuals.slopes: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    a: cython.double
    b: cython.double
    s: cython.double
    r: cython.double
    rest: cython.double
    with cython.nogil:
        for j in range(p):
            out[0, j] = out[1, j] = 0.0
        for i in range(x.shape[0]):
            r, rest = target[i], 0.0
            for j in range(p):
                a = -x[i, j] * weights[j]
                s = r + a
                b = s - r
                rest += ((r - (s - b)) + (a - b)) - _lost(x[i, j], weights[j])
                r = s
            s = r + rest
            rest = rest - (s - r)
            for j in range(p):
                a = x[i, j] * s
                r = out[0, j] + a
                b = r - out[0, j]
                out[1, j] += ((out[0, j] - (r - b)) + (a - b)) + _lost(x[i, j], s) + x[i, j] * rest
                out[0, j] = r
        for j in range(p):
            out[0, j] += out[1, j]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _lost(a: cython.double, b: cython.double) -> cython.double:
    """What is lost when a * b is rounded (T. J. Dekker, 1971)."""
    t: cython.double = 134217729.0 * a
    ah: cython.double = t - (t - a)
    t = 134217729.0 * b
    bh: cython.double = t - (t - b)
    al: cython.double = a - ah
    bl: cython.double = b - bh
    return ((ah * bh - a * b) + ah * bl + al * bh) + al * bl
