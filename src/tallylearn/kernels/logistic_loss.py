"""Likelihoods: from scores to shares of the classes, and what the true ones lose by them.

One pass over the scores gives the loss, the errors that make the gradient, and the weights of the
rows in the curvature, so that rows are read once.
"""

import cython
from cython.cimports.libc.math import exp, log, log1p, sqrt

if not cython.compiled:
    from math import exp, log, log1p, sqrt


def two(
    z: cython.const[cython.double][::1],
    y: cython.const[cython.int][::1],
    weight: cython.const[cython.double][::1],
    squared: cython.bint,
    errors: cython.double[::1],
    curve: cython.double[::1],
    sums: cython.double[::1],
):
    """Of two classes: errors h - y, and the roots of h (1 - h), where ``curve`` has room for them.

    With ``squared`` the loss is (y - h)^2 / 2 and the errors are (h - y) h (1 - h), otherwise the
    loss is the cross-entropy. All are times the weights, if there are any. ``sums`` gets the loss
    added, and the least score on the side of the true class.
    """
    n: cython.Py_ssize_t = z.shape[0]
    if (
        y.shape[0] != n
        or errors.shape[0] != n
        or (curve.shape[0] > 0 and curve.shape[0] != n)
        or (weight.shape[0] > 0 and weight.shape[0] != n)
        or sums.shape[0] < 2
    ):
        raise ValueError("logistic_loss.two: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    score: cython.double
    far: cython.double
    small: cython.double
    h: cython.double
    error: cython.double
    w: cython.double = 1.0
    loss: cython.double = 0.0
    product: cython.double = 1.0
    full: cython.double = 1e250  # about to leave the doubles
    least: cython.double = sums[1]
    weighted: cython.bint = weight.shape[0] > 0
    curved: cython.bint = curve.shape[0] > 0
    with cython.nogil:
        for i in range(n):
            score = z[i]
            far = score if score >= 0.0 else -score
            small = exp(-far)
            h = 1.0 / (1.0 + small)
            if score < 0.0:
                h = small * h
            w = weight[i] if weighted else 1.0
            error = h - 1.0 if y[i] == 1 else h
            if y[i] == 1 and score >= 0.0:
                error = -small / (1.0 + small)
            if (score if y[i] == 1 else -score) < least:
                least = score if y[i] == 1 else -score
            if squared:
                loss += w * 0.5 * error * error
                error = error * h * (1.0 - h)
            else:
                if (score < 0.0) == (y[i] == 1):
                    loss += w * far
                if weighted:
                    loss += w * log1p(small)
                else:
                    product *= 1.0 + small
                    if product > full:
                        loss += log(product)
                        product = 1.0
            errors[i] = w * error
            if curved:
                curve[i] = sqrt(w * small) / (1.0 + small)
        sums[0] += loss + log(product)
        sums[1] = least


def several(
    scores: cython.double[:, ::1],
    y: cython.const[cython.int][::1],
    weight: cython.const[cython.double][::1],
    errors: cython.double[:, ::1],
    sums: cython.double[::1],
):
    """Of several classes: scores (n, m) become shares, and errors are the shares minus the truth.

    Class c has column c, or, where there is one column less than classes, column c - 1 and class 0
    a score of 0: then ``y`` counts from -1. Losses are the cross-entropy; ``sums`` gets their sum
    added, and how far the true class is ahead at least.
    """
    n: cython.Py_ssize_t = scores.shape[0]
    m: cython.Py_ssize_t = scores.shape[1]
    if (
        y.shape[0] != n
        or errors.shape[0] != n
        or errors.shape[1] != m
        or (weight.shape[0] > 0 and weight.shape[0] != n)
        or sums.shape[0] < 3
    ):
        raise ValueError("logistic_loss.several: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    t: cython.Py_ssize_t
    own: cython.double
    rival: cython.double
    best: cython.double
    total: cython.double
    w: cython.double = 1.0
    loss: cython.double = 0.0
    least: cython.double = sums[1]
    reduced: cython.bint = sums[2] != 0.0  # whether there is a class of score 0 without a column
    weighted: cython.bint = weight.shape[0] > 0
    with cython.nogil:
        for i in range(n):
            t = y[i]
            w = weight[i] if weighted else 1.0
            own = scores[i, t] if t >= 0 else 0.0
            rival = 0.0 if reduced and t >= 0 else -1e308
            for c in range(m):
                if c != t and scores[i, c] > rival:
                    rival = scores[i, c]
            best = own if own > rival else rival
            if own - rival < least:
                least = own - rival
            total = exp(-best) if reduced else 0.0
            own = own - best
            for c in range(m):
                scores[i, c] = exp(scores[i, c] - best)
                total += scores[i, c]
            loss += w * (log(total) - own)
            total = 1.0 / total
            for c in range(m):
                scores[i, c] = scores[i, c] * total
                errors[i, c] = w * scores[i, c]
            if t >= 0:
                errors[i, t] = w * (scores[i, t] - 1.0)
        sums[0] += loss
        sums[1] = least


def lay(
    x: cython.const[cython.double][:, :],
    centre: cython.const[cython.double][::1],
    scale: cython.const[cython.double][::1],
    out: cython.double[:, ::1],
):
    """Write 1 and (x - centre) * scale into the first columns of every row of ``out``.

    Where a column lies together, as files have them, four are walked along at a time: the numbers
    of a row are far apart then, often by a power of two, and push each other out of the cache.
    """
    if (
        centre.shape[0] != x.shape[1]
        or scale.shape[0] != x.shape[1]
        or out.shape[0] != x.shape[0]
        or out.shape[1] <= x.shape[1]
    ):
        raise ValueError("logistic_loss.lay: the lengths of its arrays do not agree")
    n: cython.Py_ssize_t = x.shape[0]
    p: cython.Py_ssize_t = x.shape[1]
    first: cython.Py_ssize_t = p - p % 4 if x.strides[0] < x.strides[1] else 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for j in range(0, first, 4):
            for i in range(n):
                out[i, j + 1] = (x[i, j] - centre[j]) * scale[j]
                out[i, j + 2] = (x[i, j + 1] - centre[j + 1]) * scale[j + 1]
                out[i, j + 3] = (x[i, j + 2] - centre[j + 2]) * scale[j + 2]
                out[i, j + 4] = (x[i, j + 3] - centre[j + 3]) * scale[j + 3]
        for i in range(n):
            out[i, 0] = 1.0
            for j in range(first, p):
                out[i, j + 1] = (x[i, j] - centre[j]) * scale[j]


def weigh(
    x: cython.const[cython.double][:, ::1],
    weight: cython.const[cython.double][:],
    out: cython.double[:, ::1],
):
    """Every row times its weight."""
    if weight.shape[0] != x.shape[0] or out.shape[0] != x.shape[0] or out.shape[1] != x.shape[1]:
        raise ValueError("logistic_loss.weigh: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    w: cython.double
    with cython.nogil:
        for i in range(x.shape[0]):
            w = weight[i]
            for j in range(x.shape[1]):
                out[i, j] = w * x[i, j]
