"""Sweeping: attributes go into a regression, and out of it, one at a time."""

import cython


def sweep(sums: cython.double[:, ::1], j: cython.Py_ssize_t):
    """Take attribute j in, or out again: afterwards its row has coefficients, its column signs."""
    with cython.nogil:
        _sweep(sums, j)


def choose(
    sums: cython.double[:, ::1],
    n: cython.double,
    collinear: cython.double,
    hardly: cython.double,
    inside: cython.longlong[::1],
    kept: cython.longlong[::1],
    best_sums: cython.double[:, ::1],
):
    """Take in what is not collinear, drop what is worth least until nothing is left, keep the best.

    ``sums`` (p + 1, p + 1): the products of p attributes and, last, the target, whose own is 1. The
    best has the least residual times ((n + v) / (n - v))^2 for v coefficients; the fewer of equals.
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    p: cython.Py_ssize_t = inside.shape[0]
    out: cython.Py_ssize_t
    v: cython.double = 1.0
    worth: cython.double
    least: cython.double
    told: cython.double
    best: cython.double = 1e300
    with cython.nogil:
        for j in range(p):
            inside[j] = 0
            if sums[j, j] > collinear:
                _sweep(sums, j)
                inside[j] = 1
                v += 1.0
        while True:
            told = 1e300
            if n > v:
                told = sums[p, p] if sums[p, p] > hardly else 0.0
                told *= ((n + v) / (n - v)) * ((n + v) / (n - v))
            if told <= best:
                best = told
                for i in range(p):
                    kept[i] = inside[i]
                    for j in range(p):
                        best_sums[i, j] = sums[i, j]
            out = -1
            least = 0.0
            for j in range(p):
                if inside[j]:
                    worth = sums[j, p] * sums[j, p] / sums[j, j]
                    if out < 0 or worth < least:
                        out = j
                        least = worth
            if out < 0:
                break
            _sweep(sums, out)
            inside[out] = 0
            v -= 1.0


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
