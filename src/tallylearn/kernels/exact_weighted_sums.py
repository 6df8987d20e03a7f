"""Exact weighted sums: a weight is an integer of 32 bits times a power of two, as a double is.

As in ``summing``, a number goes into a cell by its class and its exponent, here its exponent and
the weight's together. The mantissa and its square are cut into digits of 27 bits, the weight into
two of 16: a product has 43 bits, and 65 536 of them do not overflow 64.

A cell of the sums, four numbers: digit t of m times digit h of the weight at 2 t + h. A cell of the
squares, eight: the same with digit t of m*m.
"""

import cython


def spread(
    bits: cython.const[cython.longlong][:, :],
    group: cython.const[cython.int][::1],
    weight: cython.const[cython.longlong][::1],
    power: cython.const[cython.longlong][::1],
    first: cython.longlong,
    count: cython.longlong[:, :, ::1],
    sums: cython.longlong[:, :, :, ::1],
    squares: cython.longlong[:, :, :, ::1],
):
    """Add weight * 2^power times the doubles of ``bits`` to the cells; NaN is missing.

    Cells are count[column, group, power], sums[column, group, exponent - first + power, :] and
    squares[column, group, 2 (exponent - first) + power, :].
    """
    if (
        group.shape[0] < bits.shape[0]
        or weight.shape[0] < bits.shape[0]
        or power.shape[0] < bits.shape[0]
        or count.shape[0] < bits.shape[1]
        or sums.shape[0] < bits.shape[1]
        or sums.shape[1] < count.shape[1]
        or sums.shape[3] < 4
        or squares.shape[0] < bits.shape[1]
        or squares.shape[1] < count.shape[1]
        or squares.shape[3] < 8
    ):
        raise ValueError("exact_weighted_sums.spread: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    g: cython.Py_ssize_t
    q: cython.Py_ssize_t
    x: cython.Py_ssize_t
    e: cython.longlong
    m: cython.longlong
    s: cython.longlong
    a: cython.longlong
    b: cython.longlong
    d: cython.longlong
    low: cython.longlong
    high: cython.longlong
    fraction: cython.longlong = 0xFFFFFFFFFFFFF
    hidden: cython.longlong = 0x10000000000000
    low16: cython.longlong = 0xFFFF
    low27: cython.longlong = 0x7FFFFFF
    with cython.nogil:
        for i in range(bits.shape[0]):
            g = group[i]
            q = power[i]
            low = weight[i] & low16
            high = weight[i] >> 16
            for j in range(bits.shape[1]):
                s = bits[i, j]
                e = (s >> 52) & 0x7FF
                m = s & fraction
                if e == 2047:
                    continue
                if e == 0:
                    e = 1
                else:
                    m = m | hidden
                x = e - first
                a = m & low27
                b = m >> 27
                count[j, g, q] += weight[i]
                d = a * a
                squares[j, g, 2 * x + q, 0] += (d & low27) * low
                squares[j, g, 2 * x + q, 1] += (d & low27) * high
                m = 2 * a * b
                d = (d >> 27) + (m & low27)
                squares[j, g, 2 * x + q, 2] += (d & low27) * low
                squares[j, g, 2 * x + q, 3] += (d & low27) * high
                d = (d >> 27) + (m >> 27)
                m = b * b
                d = d + (m & low27)
                squares[j, g, 2 * x + q, 4] += (d & low27) * low
                squares[j, g, 2 * x + q, 5] += (d & low27) * high
                d = (d >> 27) + (m >> 27)
                squares[j, g, 2 * x + q, 6] += d * low
                squares[j, g, 2 * x + q, 7] += d * high
                if s < 0:
                    a = -a
                    b = -b
                sums[j, g, x + q, 0] += a * low
                sums[j, g, x + q, 1] += a * high
                sums[j, g, x + q, 2] += b * low
                sums[j, g, x + q, 3] += b * high
