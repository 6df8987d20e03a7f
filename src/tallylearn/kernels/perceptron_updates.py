"""Correcting: weights that change only where they answer wrong, row by row in the order given.

A score is four running sums over every fourth column, added at the end: the same bits on every
processor, and four times as fast as one sum after the other.
"""

import cython


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _noted(
    x: cython.const[cython.double][:, ::1],
    i: cython.Py_ssize_t,
    weights: cython.double[:, ::1],
    trace: cython.double[:, ::1],
    at: cython.Py_ssize_t,
) -> cython.void:
    """Write a row's number, its x and the weights before it to the trace, beside its scores."""
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    p: cython.Py_ssize_t = x.shape[1]
    m: cython.Py_ssize_t = weights.shape[0]
    trace[at, 0] = i
    for j in range(p):
        trace[at, 2 + m + j] = x[i, j]
    for c in range(m):
        for j in range(p + 1):
            trace[at, 2 + m + p + c * (p + 1) + j] = weights[c, j]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _moved(
    x: cython.const[cython.double][:, ::1],
    i: cython.Py_ssize_t,
    step: cython.double,
    one: cython.double,
    late: cython.double,
    c: cython.Py_ssize_t,
    weights: cython.double[:, ::1],
    drift: cython.double[:, ::1],
) -> cython.void:
    """Add step * (1, x) to the weights of a class, and ``late`` times as much to the drift."""
    j: cython.Py_ssize_t
    weights[c, 0] += step * one
    for j in range(x.shape[1]):
        weights[c, j + 1] += step * x[i, j]
    if drift.shape[0] > 0:
        drift[c, 0] += late * step * one
        for j in range(x.shape[1]):
            drift[c, j + 1] += late * step * x[i, j]


def walk(
    x: cython.const[cython.double][:, ::1],
    y: cython.const[cython.int][::1],
    rows: cython.const[cython.longlong][::1],
    settings: cython.const[cython.double][::1],
    weights: cython.double[:, ::1],
    drift: cython.double[:, ::1],
    trace: cython.double[:, ::1],
    found: cython.longlong[::1],
    loss: cython.double[::1],
):
    """Go once through ``rows``; where the answer is wrong, move the weights (m, p + 1), w0 first.

    With m = 1 the classes are 0 and 1, and a score of 0 or more answers 1; otherwise the first of
    the largest scores answers. ``settings``: the rate; what w0 is multiplied with (1 or 0); with
    m = 1, whether a score of exactly 0 is wrong for both classes. ``found`` counts steps and
    corrections. ``drift``, if it has rows, sums every correction times the steps before it: weights
    minus drift / steps are the mean of the weights over all steps. The first steps go to ``trace``:
    row, class, scores, x, weights before. ``loss`` (1,) gets the sum of the perceptron loss over
    this pass: by how much the score of the true class falls short of the answer's.
    """
    if (
        y.shape[0] != x.shape[0]
        or settings.shape[0] < 3
        or weights.shape[1] != x.shape[1] + 1
        or found.shape[0] < 2
        or loss.shape[0] < 1
        or (drift.shape[0] > 0 and drift.shape[0] != weights.shape[0])
        or (drift.shape[0] > 0 and drift.shape[1] != weights.shape[1])
        or (
            trace.shape[0]
            and trace.shape[1] != 2 + x.shape[1] + weights.shape[0] * (x.shape[1] + 2)
        )
    ):
        raise ValueError("perceptron_updates.walk: the lengths of its arrays do not agree")
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.Py_ssize_t
    truth: cython.Py_ssize_t
    answer: cython.Py_ssize_t
    score: cython.double
    best: cython.double
    own: cython.double
    a: cython.double
    b: cython.double
    s: cython.double
    r: cython.double
    late: cython.double
    rate: cython.double = settings[0]
    one: cython.double = settings[1]
    strict: cython.bint = settings[2] != 0.0
    p: cython.Py_ssize_t = x.shape[1]
    m: cython.Py_ssize_t = weights.shape[0]
    even: cython.Py_ssize_t = p - p % 4
    loss[0] = 0.0
    with cython.nogil:
        for t in range(rows.shape[0]):
            i = rows[t]
            truth = y[i]
            answer = 0
            best = 0.0
            own = 0.0
            for c in range(m):
                a = weights[c, 0] * one
                b = 0.0
                s = 0.0
                r = 0.0
                for j in range(0, even, 4):
                    a += weights[c, j + 1] * x[i, j]
                    b += weights[c, j + 2] * x[i, j + 1]
                    s += weights[c, j + 3] * x[i, j + 2]
                    r += weights[c, j + 4] * x[i, j + 3]
                for j in range(even, p):
                    a += weights[c, j + 1] * x[i, j]
                score = (a + b) + (s + r)
                if c == 0 or score > best:
                    best = score
                    answer = c
                if c == truth:
                    own = score
                if found[0] < trace.shape[0]:
                    trace[found[0], 2 + c] = score
            if found[0] < trace.shape[0]:
                trace[found[0], 1] = truth
                _noted(x, i, weights, trace, found[0])
            if m == 1:
                answer = 1 - truth if strict and best == 0.0 else best >= 0.0
            if answer != truth:
                late = cython.cast(cython.double, found[0])
                found[1] += 1
                if m == 1:
                    loss[0] += best if best > 0.0 else -best
                    _moved(x, i, rate if truth == 1 else -rate, one, late, 0, weights, drift)
                else:
                    loss[0] += best - own
                    _moved(x, i, rate, one, late, truth, weights, drift)
                    _moved(x, i, -rate, one, late, answer, weights, drift)
            found[0] += 1
