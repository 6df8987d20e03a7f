"""Exact sums of products: the product of two doubles is the product of their integers.

The mantissas are cut into three digits of 18 bits, a 2^36 + b 2^18 + c, and the five parts of their
product are added in a cell for each sum of the two exponents, as ``summing.spread`` does for
squares: 65 536 rows with a weight below 1024 cannot overflow 64 bits. ``limbs.collect_products``
then moves the cells into limbs.

A cell: cc', bc' + cb', ac' + bb' + ca', ab' + ba', aa'.
"""

import cython


def spread(
    bits: cython.const[cython.longlong][:, ::1],
    j: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    group: cython.const[cython.int][::1],
    weight: cython.const[cython.longlong][::1],
    first: cython.longlong,
    cells: cython.longlong[:, :, :, ::1],
):
    """Add column j times columns start, start + 1, ... to cells[column, group, exponents]."""
    if (
        not 0 <= j < bits.shape[0]
        or not 0 <= start <= bits.shape[0] - cells.shape[0]
        or group.shape[0] < bits.shape[1]
        or (weight.shape[0] > 0 and weight.shape[0] < bits.shape[1])
        or cells.shape[3] < 5
    ):
        raise ValueError("exact_products.spread: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    t: cython.Py_ssize_t
    g: cython.Py_ssize_t
    x: cython.Py_ssize_t
    u: cython.longlong
    v: cython.longlong
    e: cython.longlong
    f: cython.longlong
    w: cython.longlong = 1
    a: cython.longlong
    b: cython.longlong
    c: cython.longlong
    p: cython.longlong
    q: cython.longlong
    r: cython.longlong
    fraction: cython.longlong = 0xFFFFFFFFFFFFF
    hidden: cython.longlong = 0x10000000000000
    low18: cython.longlong = 0x3FFFF
    weighted: cython.bint = weight.shape[0] > 0
    with cython.nogil:
        for t in range(cells.shape[0]):
            for i in range(bits.shape[1]):
                u = bits[j, i]
                v = bits[start + t, i]
                e = (u >> 52) & 0x7FF
                f = (v >> 52) & 0x7FF
                if e == 2047 or f == 2047:
                    continue
                w = weight[i] if weighted else 1
                if (u ^ v) < 0:
                    w = -w
                u = (u & fraction) if e == 0 else ((u & fraction) | hidden)
                v = (v & fraction) if f == 0 else ((v & fraction) | hidden)
                x = (e if e > 0 else 1) + (f if f > 0 else 1) - 2 * first
                a = u >> 36
                b = (u >> 18) & low18
                c = u & low18
                p = v >> 36
                q = (v >> 18) & low18
                r = v & low18
                g = group[i]
                cells[t, g, x, 0] += w * (c * r)
                cells[t, g, x, 1] += w * (b * r + c * q)
                cells[t, g, x, 2] += w * (a * r + b * q + c * p)
                cells[t, g, x, 3] += w * (a * q + b * p)
                cells[t, g, x, 4] += w * (a * p)
