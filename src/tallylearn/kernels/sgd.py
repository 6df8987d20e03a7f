"""Descending: one step against the error for every row, in the order given.

Sums run row by row and column by column, one after the other: the same bits on every processor.
"""

import cython


def walk(
    x: cython.const[cython.double][:, :],
    y: cython.const[cython.double][::1],
    rows: cython.const[cython.longlong][::1],
    rate: cython.double,
    bounds: cython.const[cython.double][::1],
    weights: cython.double[::1],
    trace: cython.double[:, ::1],
    found: cython.longlong[::1],
):
    """Move the weights (w0, w1, ..., wp) by rate * error * (1, x) for every row of ``rows``.

    ``bounds`` holds what w0 is multiplied with (1, or 0 where there is no w0), the largest error
    that is believed, and whether a step takes the sign of the error (1) or the error (0): the
    descent of the absolute or of the squared error. The first steps are written to ``trace``:
    target, prediction, x, weights after. ``found`` gets the number of steps that made the error of
    their own row larger (of squared errors), and the step that was not believed, or -1.
    """
    if (
        y.shape[0] != x.shape[0]
        or bounds.shape[0] < 3
        or weights.shape[0] <= x.shape[1]
        or found.shape[0] < 2
        or (trace.shape[0] > 0 and trace.shape[1] < 3 + 2 * x.shape[1])
    ):
        raise ValueError("sgd.walk: the lengths of its arrays do not agree")
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    answer: cython.double
    step: cython.double
    length: cython.double
    one: cython.double = bounds[0]
    most: cython.double = bounds[1]
    absolute: cython.bint = bounds[2] != 0.0
    p: cython.Py_ssize_t = x.shape[1]
    found[0] = 0
    found[1] = -1
    with cython.nogil:
        for t in range(rows.shape[0]):
            i = rows[t]
            answer = weights[0] * one
            length = one
            for j in range(p):
                answer += weights[j + 1] * x[i, j]
                length += x[i, j] * x[i, j]
            step = y[i] - answer
            if not (-most <= step <= most):
                found[1] = t
                break
            if absolute:
                step = rate * ((step > 0.0) - (step < 0.0))
            else:
                if rate * length > 2.0:
                    found[0] += 1
                step = step * rate
            weights[0] += step * one
            for j in range(p):
                weights[j + 1] += step * x[i, j]
            if t < trace.shape[0]:
                trace[t, 0] = y[i]
                trace[t, 1] = answer
                for j in range(p):
                    trace[t, 2 + j] = x[i, j]
                for j in range(p + 1):
                    trace[t, 2 + p + j] = weights[j]


def answer(
    x: cython.const[cython.double][:, :],
    weights: cython.const[cython.double][::1],
    out: cython.double[::1],
):
    """w0 + w1 x1 + ... + wp xp of every row, into out (n,)."""
    if weights.shape[0] <= x.shape[1] or out.shape[0] < x.shape[0]:
        raise ValueError("sgd.answer: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    total: cython.double
    with cython.nogil:
        for i in range(x.shape[0]):
            total = weights[0]
            for j in range(x.shape[1]):
                total += weights[j + 1] * x[i, j]
            out[i] = total


def slope(
    x: cython.const[cython.double][:, :],
    errors: cython.const[cython.double][::1],
    grids: cython.const[cython.double][:, ::1],
    out: cython.double[:, ::1],
):
    """The sums of error * (1, x) and of error^2 over all rows, into out (2, p + 2).

    A number plus a grid's number of 1.5 * 2^52 steps, minus the same, is the number in whole steps
    of that grid: ``grids`` (2, p + 2) are so coarse that sums of whole steps need no rounding, and
    what is left of every number is summed on a second, finer grid. So no order of rows shows.
    """
    if (
        errors.shape[0] < x.shape[0]
        or grids.shape[0] < 2
        or grids.shape[1] != x.shape[1] + 2
        or out.shape[0] < 2
        or out.shape[1] != x.shape[1] + 2
    ):
        raise ValueError("sgd.slope: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    p: cython.Py_ssize_t = x.shape[1]
    error: cython.double
    value: cython.double
    whole: cython.double
    with cython.nogil:
        for j in range(p + 2):
            out[0, j] = 0.0
            out[1, j] = 0.0
        for i in range(x.shape[0]):
            error = errors[i]
            for j in range(p + 2):
                value = error
                if j > p:
                    value = error * error
                elif j > 0:
                    value = error * x[i, j - 1]
                whole = (value + grids[0, j]) - grids[0, j]
                out[0, j] += whole
                out[1, j] += ((value - whole) + grids[1, j]) - grids[1, j]
