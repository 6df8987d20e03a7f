"""Gradients and Hessians of the losses of boosting, and their rounding to integers.

``exponential`` and ``log1p`` are sums and products of doubles, not calls of the C library: boosting
repeats their rounding errors a hundred times, and the libraries of two machines round differently.
Every function takes a run of rows, for several threads.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.random_numbers import mixed

LOG2_E = cython.declare(cython.double, 1.4426950408889634)
LN2_HIGH = cython.declare(cython.double, 0.693147180369123816490)  # 33 bits: k * LN2_HIGH is exact
LN2_LOW = cython.declare(cython.double, 1.90821492927058770002e-10)
LARGEST_EXPONENT = cython.declare(cython.double, 700.0)  # e**700 is a double, and so is e**-700
POWERS_OF_TWO = np.ldexp(1.0, np.arange(-1023, 1024))  # of -1023 at place 0
ZERO_PLACE = cython.declare(cython.Py_ssize_t, 1023)


def exponential(x, powers):
    """e to the x, within 2 units in the last place; x is held within 700 of 0.

    x = k ln 2 + r with |r| <= ln 2 / 2, and the Taylor polynomial of degree 13 for e^r: the next
    term is below 4e-18 of it.
    """
    k: cython.Py_ssize_t
    r: cython.double
    s: cython.double
    if x > LARGEST_EXPONENT:
        x = LARGEST_EXPONENT
    if x < -LARGEST_EXPONENT:
        x = -LARGEST_EXPONENT
    k = cython.cast(cython.Py_ssize_t, x * LOG2_E + (0.5 if x >= 0 else -0.5))
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    s = 1.0 / 6227020800.0
    s = s * r + 1.0 / 479001600.0
    s = s * r + 1.0 / 39916800.0
    s = s * r + 1.0 / 3628800.0
    s = s * r + 1.0 / 362880.0
    s = s * r + 1.0 / 40320.0
    s = s * r + 1.0 / 5040.0
    s = s * r + 1.0 / 720.0
    s = s * r + 1.0 / 120.0
    s = s * r + 1.0 / 24.0
    s = s * r + 1.0 / 6.0
    s = s * r + 0.5
    s = s * r + 1.0
    return (s * r + 1.0) * powers[ZERO_PLACE + k]


def log1p(x):
    """The logarithm of 1 + x for x >= 0: 2 atanh(x / (2 + x)), halved until x is at most 1."""
    k: cython.int = 0
    i: cython.int
    z: cython.double
    s: cython.double = 0.0
    while x > 1.0:
        x = (x - 1.0) / 2.0
        k += 1
    z = x / (2.0 + x)
    for i in range(17):  # z <= 1/3: terms beyond are below 1e-17
        s = s * z * z + 1.0 / (2 * (16 - i) + 1)
    return 2.0 * z * s + k * 0.6931471805599453


def exp_all(x: cython.const[cython.double][::1], out: cython.double[::1]):
    """``exponential`` of every number, for tests and predictions."""
    i: cython.Py_ssize_t
    powers: cython.const[cython.double][::1] = POWERS_OF_TWO
    if out.shape[0] < x.shape[0]:
        raise ValueError("boosting.loss_gradients.exp_all: the lengths of its arrays do not agree")
    with cython.nogil:
        for i in range(x.shape[0]):
            out[i] = exponential(x[i], powers)


def log1p_all(x: cython.const[cython.double][::1], out: cython.double[::1]):
    """``log1p`` of every number, for tests."""
    i: cython.Py_ssize_t
    if out.shape[0] < x.shape[0]:
        raise ValueError(
            "boosting.loss_gradients.log1p_all: the lengths of its arrays do not agree"
        )
    with cython.nogil:
        for i in range(x.shape[0]):
            out[i] = log1p(x[i])


def log_loss(
    raw: cython.const[cython.double][::1],
    y: cython.const[cython.double][::1],
    g: cython.double[::1],
    h: cython.double[::1],
):
    """Two classes: g = p - y, h = p (1 - p), with p = 1 / (1 + e^-raw)."""
    i: cython.Py_ssize_t
    e: cython.double
    p: cython.double
    powers: cython.const[cython.double][::1] = POWERS_OF_TWO
    if min(y.shape[0], g.shape[0], h.shape[0]) < raw.shape[0]:
        raise ValueError("boosting.loss_gradients.log_loss: the lengths of its arrays do not agree")
    with cython.nogil:
        for i in range(raw.shape[0]):
            e = exponential(-raw[i], powers)
            p = 1.0 / (1.0 + e)
            g[i] = p - y[i]
            h[i] = p * (e * p)  # 1 - p, without cancellation


def softmax(
    raw: cython.const[cython.double][:, ::1],
    out: cython.double[:, ::1],
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
):
    """The probabilities (k, n) of k classes, for the rows from lo to hi."""
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    best: cython.double
    total: cython.double
    powers: cython.const[cython.double][::1] = POWERS_OF_TWO
    if out.shape[0] < raw.shape[0] or not 0 <= lo <= hi or min(raw.shape[1], out.shape[1]) < hi:
        raise ValueError("boosting.loss_gradients.softmax: the lengths of its arrays do not agree")
    with cython.nogil:
        for i in range(lo, hi):
            best = raw[0, i]
            for c in range(1, raw.shape[0]):
                best = raw[c, i] if raw[c, i] > best else best
            total = 0.0
            for c in range(raw.shape[0]):
                out[c, i] = exponential(raw[c, i] - best, powers)
                total += out[c, i]
            for c in range(raw.shape[0]):
                out[c, i] /= total


def class_gradients(
    p: cython.const[cython.double][::1],
    labels: cython.const[cython.int][::1],
    class_: cython.int,
    g: cython.double[::1],
    h: cython.double[::1],
):
    """One of several classes: g = p - [y = class], h = p (1 - p)."""
    i: cython.Py_ssize_t
    if min(labels.shape[0], g.shape[0], h.shape[0]) < p.shape[0]:
        raise ValueError(
            "boosting.loss_gradients.class_gradients: the lengths of its arrays do not agree"
        )
    with cython.nogil:
        for i in range(p.shape[0]):
            g[i] = p[i] - (1.0 if labels[i] == class_ else 0.0)
            h[i] = p[i] * (1.0 - p[i])


def exponential_loss(
    raw: cython.const[cython.double][::1],
    y: cython.const[cython.double][::1],
    gamma: cython.bint,
    g: cython.double[::1],
    h: cython.double[::1],
):
    """Poisson: g = e^raw - y, h = e^raw. Gamma: g = 1 - y e^-raw, h = y e^-raw."""
    i: cython.Py_ssize_t
    e: cython.double
    powers: cython.const[cython.double][::1] = POWERS_OF_TWO
    if min(y.shape[0], g.shape[0], h.shape[0]) < raw.shape[0]:
        raise ValueError(
            "boosting.loss_gradients.exponential_loss: the lengths of its arrays do not agree"
        )
    with cython.nogil:
        for i in range(raw.shape[0]):
            if gamma:
                e = y[i] * exponential(-raw[i], powers)
                g[i] = 1.0 - e
            else:
                e = exponential(raw[i], powers)
                g[i] = e - y[i]
            h[i] = e


def log_losses(
    raw: cython.const[cython.double][:, ::1],
    labels: cython.const[cython.int][::1],
    out: cython.double[::1],
):
    """-log p of the class of every row: of two classes raw has one line, else one a class."""
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    best: cython.double
    total: cython.double
    margin: cython.double
    powers: cython.const[cython.double][::1] = POWERS_OF_TWO
    if min(labels.shape[0], raw.shape[1]) < out.shape[0] or raw.shape[0] < 1:
        raise ValueError(
            "boosting.loss_gradients.log_losses: the lengths of its arrays do not agree"
        )
    for i in range(out.shape[0]):
        if not 0 <= labels[i] < max(raw.shape[0], 2):
            raise ValueError("boosting.loss_gradients.log_losses: a class is not there")
    with cython.nogil:
        for i in range(out.shape[0]):
            if raw.shape[0] == 1:
                margin = raw[0, i] if labels[i] == 1 else -raw[0, i]
                total = log1p(exponential(-margin if margin > 0 else margin, powers))
                out[i] = total if margin > 0 else total - margin
                continue
            best = raw[0, i]
            for c in range(1, raw.shape[0]):
                best = raw[c, i] if raw[c, i] > best else best
            total = -1.0  # the largest of them is 1
            for c in range(raw.shape[0]):
                total += exponential(raw[c, i] - best, powers)
            out[i] = log1p(total if total > 0 else 0.0) + best - raw[labels[i], i]


def pack(
    g: cython.const[cython.double][::1],
    h: cython.const[cython.double][::1],
    hashes: cython.const[cython.ulonglong][::1],
    salt: cython.ulonglong,
    scales: tuple,
    bits: tuple,
    out: cython.longlong[:, ::1],
):
    """Round gradients and Hessians to integers, and pack them with a count of one.

    ``scales``: what 1 of g and of h is multiplied by. ``bits``: those of a count and of a Hessian,
    see leafwise_grower. In one word with few bits, numbers are rounded at random, by a hash of the
    row and the salt, so that the mean of the rounding errors is zero (Shi et al., Quantized
    training of gradient boosting decision trees, 2022); equal rows are rounded alike.
    """
    i: cython.Py_ssize_t
    z: cython.ulonglong
    a: cython.longlong
    b: cython.longlong
    one: cython.longlong = 1
    g_scale: cython.double = scales[0]
    h_scale: cython.double = scales[1]
    count_bits: cython.int = bits[0]
    hessian_bits: cython.int = bits[1]
    offset: cython.double = 4398046511104.0  # 2^42: truncation of positive numbers rounds down
    base: cython.longlong = 4398046511104
    half: cython.double = 0.5
    unit: cython.double = 1.0 / 4294967296.0
    low: cython.ulonglong = 4294967295
    if (
        out.shape[0] < g.shape[0]
        or out.shape[1] < 1
        or (hessian_bits and hashes.shape[0] < g.shape[0])
        or ((hessian_bits or out.shape[1] == 2) and h.shape[0] < g.shape[0])
    ):
        raise ValueError("boosting.loss_gradients.pack: the lengths of its arrays do not agree")
    with cython.nogil:
        for i in range(g.shape[0]):
            if hessian_bits:
                z = mixed(cython.cast(cython.ulonglong, hashes[i]) ^ salt)
                a = cython.cast(cython.longlong, g[i] * g_scale + (z & low) * unit + offset) - base
                b = cython.cast(cython.longlong, h[i] * h_scale + (z >> 32) * unit)
                out[i, 0] = a * (one << (count_bits + hessian_bits)) + (b << count_bits) + 1
            else:
                a = cython.cast(cython.longlong, g[i] * g_scale + half + offset) - base
                out[i, 0] = a * (one << count_bits) + 1
                if out.shape[1] == 2:
                    out[i, 1] = cython.cast(cython.longlong, h[i] * h_scale + half)


def sums_of_leaf(
    order: cython.const[cython.int][::1],
    g: cython.const[cython.double][::1],
    h: cython.const[cython.double][::1],
    g_scale: cython.double,
    h_scale: cython.double,
):
    """The gradients and Hessians of some rows, each rounded to its scale, summed as integers."""
    i: cython.Py_ssize_t
    v: cython.double
    a: cython.longlong = 0
    b: cython.longlong = 0
    for i in range(order.shape[0]):
        if not (0 <= order[i] < g.shape[0] and order[i] < h.shape[0]):
            raise ValueError("boosting.loss_gradients.sums_of_leaf: a row is not there")
    with cython.nogil:
        for i in range(order.shape[0]):
            v = g[order[i]] * g_scale
            a += cython.cast(cython.longlong, v + (0.5 if v >= 0 else -0.5))
            b += cython.cast(cython.longlong, h[order[i]] * h_scale + 0.5)
    return a, b


def add_to_rows(
    order: cython.const[cython.int][::1], value: cython.double, out: cython.double[::1]
):
    """Add a value to some rows."""
    i: cython.Py_ssize_t
    for i in range(order.shape[0]):
        if not 0 <= order[i] < out.shape[0]:
            raise ValueError("boosting.loss_gradients.add_to_rows: a row is not there")
    with cython.nogil:
        for i in range(order.shape[0]):
            out[order[i]] += value


def hash_rows(
    codes: cython.const[cython.uchar][:, :, ::1],
    target: cython.const[cython.ulonglong][::1],
    out: cython.ulonglong[::1],
):
    """A number for every row that follows from its codes and its target alone."""
    i: cython.Py_ssize_t
    t: cython.Py_ssize_t
    j: cython.Py_ssize_t
    z: cython.ulonglong
    if min(target.shape[0], out.shape[0]) < codes.shape[1]:
        raise ValueError(
            "boosting.loss_gradients.hash_rows: the lengths of its arrays do not agree"
        )
    with cython.nogil:
        for i in range(codes.shape[1]):
            z = cython.cast(cython.ulonglong, target[i])
            for t in range(codes.shape[0]):
                for j in range(codes.shape[2]):
                    z = mixed(z ^ cython.cast(cython.ulonglong, codes[t, i, j]))
            out[i] = z
