"""Exact sums: a double is an integer times a power of two, so its sums need no rounding.

Two steps. ``spread`` sorts every number by its class and its exponent into a cell, and adds the
parts of its mantissa and of the mantissa's square there: the parts are so short that 65 536 rows
with a weight below 1024 cannot overflow 64 bits. ``collect`` then moves the cells into limbs: an
integer written in base 2^32, lowest limb first.

A double with exponent field e (1 to 2046; 0 counts as 1) and mantissa m is m * 2^(e - 1075). Limb 0
of the sums stands for 2^-1088 and limb 0 of the squares for 2^-2176, both multiples of 32, so that
whole numbers start a limb.

A cell, eight numbers, one cache line:
    0, 1       signed sum of m:   low 27 bits, high 26 bits
    2 .. 6     sum of m*m:        m = a 2^36 + b 2^18 + c;  cc, 2bc, 2ac + bb, 2ab, aa
    7          weight of the rows in the cell
"""

import cython


def survey(bits: cython.const[cython.longlong][:, :], found: cython.longlong[::1]):
    """Find the lowest and highest exponent field of the finite numbers, and the first infinity.

    ``found`` receives: lowest, highest, row of the first infinity (or -1), its column.
    """
    if found.shape[0] < 4:
        raise ValueError("exact_sums.survey: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    e: cython.longlong
    lowest: cython.longlong = 2047
    highest: cython.longlong = 0
    fraction: cython.longlong = 0xFFFFFFFFFFFFF
    found[2] = -1
    with cython.nogil:
        for i in range(bits.shape[0]):
            for j in range(bits.shape[1]):
                e = (bits[i, j] >> 52) & 0x7FF
                if e == 2047:
                    if (bits[i, j] & fraction) == 0 and found[2] < 0:
                        found[2] = i
                        found[3] = j
                    continue
                if e < lowest:
                    lowest = e
                if e > highest:
                    highest = e
    found[0] = lowest if lowest > 1 else 1
    found[1] = highest if highest > 1 else 1


def spread(
    bits: cython.const[cython.longlong][:, :],
    group: cython.const[cython.int][::1],
    weight: cython.const[cython.longlong][::1],
    first: cython.longlong,
    cells: cython.longlong[:, :, :, ::1],
):
    """Add the doubles of ``bits`` to cells[column, group, exponent - first]; NaN is missing."""
    if (
        group.shape[0] < bits.shape[0]
        or (weight.shape[0] > 0 and weight.shape[0] < bits.shape[0])
        or cells.shape[0] < bits.shape[1]
        or cells.shape[3] < 8
    ):
        raise ValueError("exact_sums.spread: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    g: cython.Py_ssize_t
    e: cython.longlong
    m: cython.longlong
    s: cython.longlong
    a: cython.longlong
    b: cython.longlong
    c: cython.longlong
    w: cython.longlong = 1
    fraction: cython.longlong = 0xFFFFFFFFFFFFF
    hidden: cython.longlong = 0x10000000000000
    low18: cython.longlong = 0x3FFFF
    low27: cython.longlong = 0x7FFFFFF
    weighted: cython.bint = weight.shape[0] > 0
    x: cython.Py_ssize_t
    with cython.nogil:
        for i in range(bits.shape[0]):
            g = group[i]
            if weighted:
                w = weight[i]
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
                s = w if s >= 0 else -w
                x = e - first
                a = m >> 36
                b = (m >> 18) & low18
                c = m & low18
                cells[j, g, x, 0] += s * (m & low27)
                cells[j, g, x, 1] += s * (m >> 27)
                cells[j, g, x, 2] += w * (c * c)
                cells[j, g, x, 3] += w * (2 * b * c)
                cells[j, g, x, 4] += w * (2 * a * c + b * b)
                cells[j, g, x, 5] += w * (2 * a * b)
                cells[j, g, x, 6] += w * (a * a)
                cells[j, g, x, 7] += w
