"""Limbs: whole numbers of any length in base 2^32, lowest limb first, the highest limb signed."""

import cython


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def place(
    limbs: cython.longlong[:, :, :],
    r: cython.Py_ssize_t,
    c: cython.Py_ssize_t,
    at: cython.longlong,
    value: cython.longlong,
) -> cython.void:
    """Add value * 2^at, the value's low and high half apart so that no shift leaves 64 bits."""
    low32: cython.longlong = 0xFFFFFFFF
    limb: cython.Py_ssize_t = at >> 5
    shift: cython.longlong = at & 31
    low: cython.longlong = (value & low32) << shift
    limbs[r, c, limb] += low & low32
    limbs[r, c, limb + 1] += (low >> 32) + (((value >> 32) << shift) & low32)
    limbs[r, c, limb + 2] += ((value >> 32) << shift) >> 32


@cython.cfunc
@cython.inline
def _reach(at: cython.longlong) -> cython.longlong:
    """How many limbs a number takes that begins at this bit."""
    return (at >> 5) + 3


def collect(
    cells: cython.const[cython.longlong][:, :, :, ::1],
    first: cython.longlong,
    count: cython.longlong[:, :],
    sums: cython.longlong[:, :, :],
    squares: cython.longlong[:, :, :],
):
    """Move the cells of ``summing.spread`` into limbs (group, column, limb).

    Limb 0 of the sums is the one that holds exponent ``first``, and likewise for the squares.
    """
    if (
        cells.shape[3] < 8
        or count.shape[0] < cells.shape[1]
        or count.shape[1] < cells.shape[0]
        or sums.shape[0] < cells.shape[1]
        or sums.shape[1] < cells.shape[0]
        or sums.shape[2] < _reach(((first + 13) & 31) + cells.shape[2] + 26)
        or squares.shape[0] < cells.shape[1]
        or squares.shape[1] < cells.shape[0]
        or squares.shape[2] < _reach(((2 * first + 26) & 31) + 2 * cells.shape[2] + 70)
    ):
        raise ValueError("long_integers.collect: the lengths of its arrays do not agree")
    j: cython.Py_ssize_t
    g: cython.Py_ssize_t
    w: cython.Py_ssize_t
    t: cython.Py_ssize_t
    at: cython.longlong
    with cython.nogil:
        for j in range(cells.shape[0]):
            for g in range(cells.shape[1]):
                for w in range(cells.shape[2]):
                    if cells[j, g, w, 7] == 0:
                        continue
                    count[g, j] += cells[j, g, w, 7]
                    at = ((first + 13) & 31) + w
                    for t in range(2):
                        place(sums, g, j, at + 27 * t, cells[j, g, w, t])
                    at = ((2 * first + 26) & 31) + 2 * w
                    for t in range(5):
                        place(squares, g, j, at + 18 * t, cells[j, g, w, 2 + t])


def collect_digits(
    cells: cython.const[cython.longlong][:, :, :, ::1],
    first: cython.longlong,
    limbs: cython.longlong[:, :, :],
):
    """Move the cells of ``weighing.spread`` into limbs (group, column, limb).

    ``first`` is the bit of limb 0 at which the first cell begins.
    """
    if (
        limbs.shape[0] < cells.shape[1]
        or limbs.shape[1] < cells.shape[0]
        or limbs.shape[2]
        < _reach(first + cells.shape[2] - 1 + 27 * ((cells.shape[3] - 1) >> 1) + 16)
    ):
        raise ValueError("long_integers.collect_digits: the lengths of its arrays do not agree")
    j: cython.Py_ssize_t
    g: cython.Py_ssize_t
    w: cython.Py_ssize_t
    t: cython.Py_ssize_t
    with cython.nogil:
        for j in range(cells.shape[0]):
            for g in range(cells.shape[1]):
                for w in range(cells.shape[2]):
                    for t in range(cells.shape[3]):
                        if cells[j, g, w, t] != 0:
                            place(
                                limbs,
                                g,
                                j,
                                first + w + 27 * (t >> 1) + 16 * (t & 1),
                                cells[j, g, w, t],
                            )


def collect_products(
    cells: cython.const[cython.longlong][:, :, :, ::1],
    first: cython.longlong,
    products: cython.longlong[:, :, :],
):
    """Move the cells of ``exact_products.spread`` into limbs (group, column, limb)."""
    if (
        cells.shape[3] < 5
        or products.shape[0] < cells.shape[1]
        or products.shape[1] < cells.shape[0]
        or products.shape[2] < _reach(((2 * first + 26) & 31) + cells.shape[2] + 71)
    ):
        raise ValueError("long_integers.collect_products: the lengths of its arrays do not agree")
    j: cython.Py_ssize_t
    g: cython.Py_ssize_t
    w: cython.Py_ssize_t
    t: cython.Py_ssize_t
    at: cython.longlong = (2 * first + 26) & 31
    with cython.nogil:
        for j in range(cells.shape[0]):
            for g in range(cells.shape[1]):
                for w in range(cells.shape[2]):
                    for t in range(5):
                        if cells[j, g, w, t] != 0:
                            place(products, g, j, at + w + 18 * t, cells[j, g, w, t])


def write(
    bits: cython.const[cython.longlong][:, :],
    first: cython.longlong,
    limbs: cython.longlong[:, :, :],
    shown: cython.longlong[:, :],
):
    """Every double of ``bits`` as limbs (row, column, limb); NaN is missing, and stays zero."""
    if (
        limbs.shape[0] < bits.shape[0]
        or limbs.shape[1] < bits.shape[1]
        or shown.shape[0] < bits.shape[0]
        or shown.shape[1] < bits.shape[1]
    ):
        raise ValueError("long_integers.write: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    e: cython.longlong
    m: cython.longlong
    fraction: cython.longlong = 0xFFFFFFFFFFFFF
    hidden: cython.longlong = 0x10000000000000
    base: cython.longlong = (first + 13) & 31
    with cython.nogil:
        for i in range(bits.shape[0]):
            for j in range(bits.shape[1]):
                e = (bits[i, j] >> 52) & 0x7FF
                m = bits[i, j] & fraction
                if e == 2047:
                    continue
                shown[i, j] = 1
                if e == 0:
                    e = 1
                else:
                    m = m | hidden
                place(limbs, i, j, base + e - first, m if bits[i, j] >= 0 else -m)


def multiply(
    a: cython.const[cython.longlong][:, ::1],
    b: cython.const[cython.longlong][:, ::1],
    out: cython.longlong[:, ::1],
):
    """Products of numbers that are not negative, limb by limb; ``out`` is still to be carried."""
    if (
        b.shape[0] < a.shape[0]
        or out.shape[0] < a.shape[0]
        or out.shape[1] < a.shape[1] + b.shape[1]
    ):
        raise ValueError("long_integers.multiply: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    t: cython.Py_ssize_t
    x: cython.ulonglong
    low32: cython.ulonglong = 0xFFFFFFFF
    with cython.nogil:
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                for t in range(b.shape[1]):
                    x = cython.cast(cython.ulonglong, a[i, j]) * cython.cast(
                        cython.ulonglong, b[i, t]
                    )
                    out[i, j + t] += cython.cast(cython.longlong, x & low32)
                    out[i, j + t + 1] += cython.cast(cython.longlong, x >> 32)


def spread(
    count: cython.const[cython.longlong][::1],
    sums: cython.const[cython.longlong][:, ::1],
    squares: cython.const[cython.longlong][:, ::1],
    at_sums: cython.Py_ssize_t,
    at_squares: cython.Py_ssize_t,
    out: cython.longlong[:, ::1],
):
    """count * squares - sums^2, carried; the sums without their signs, the counts below 2^31."""
    if (
        count.shape[0] < out.shape[0]
        or sums.shape[0] < out.shape[0]
        or squares.shape[0] < out.shape[0]
        or at_sums < 0
        or at_squares < 0
        or out.shape[1] < at_sums + 2 * sums.shape[1]
        or out.shape[1] <= at_squares + squares.shape[1]
    ):
        raise ValueError("long_integers.spread: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    t: cython.Py_ssize_t
    x: cython.ulonglong
    low32: cython.ulonglong = 0xFFFFFFFF
    with cython.nogil:
        for i in range(out.shape[0]):
            for j in range(squares.shape[1]):
                x = cython.cast(cython.ulonglong, count[i] * squares[i, j])
                out[i, at_squares + j] += cython.cast(cython.longlong, x & low32)
                out[i, at_squares + j + 1] += cython.cast(cython.longlong, x >> 32)
            for j in range(sums.shape[1]):
                for t in range(sums.shape[1]):
                    x = cython.cast(cython.ulonglong, sums[i, j]) * cython.cast(
                        cython.ulonglong, sums[i, t]
                    )
                    out[i, at_sums + j + t] -= cython.cast(cython.longlong, x & low32)
                    out[i, at_sums + j + t + 1] -= cython.cast(cython.longlong, x >> 32)
    carry(out)


def halves(
    limbs: cython.const[cython.longlong][:, ::1],
    high: cython.double[::1],
    low: cython.double[::1],
):
    """Numbers that are not negative as sums of two doubles, good for a hundred bits (Dekker)."""
    if high.shape[0] < limbs.shape[0] or low.shape[0] < limbs.shape[0]:
        raise ValueError("long_integers.halves: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    h: cython.double
    t: cython.double
    s: cython.double
    limb: cython.double
    base: cython.double = 4294967296.0
    with cython.nogil:
        for i in range(limbs.shape[0]):
            h = 0.0
            t = 0.0
            for j in range(limbs.shape[1] - 1, -1, -1):
                limb = cython.cast(cython.double, limbs[i, j])
                h = h * base
                s = h + limb
                t = t * base + ((h - (s - (s - h))) + (limb - (s - h)))
                h = s + t
                t = t - (h - s)
            high[i] = h
            low[i] = t


def carry(limbs: cython.longlong[:, ::1]):
    """Bring every limb but the highest into [0, 2^32)."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    low32: cython.longlong = 0xFFFFFFFF
    with cython.nogil:
        for i in range(limbs.shape[0]):
            for j in range(limbs.shape[1] - 1):
                limbs[i, j + 1] += limbs[i, j] >> 32
                limbs[i, j] &= low32


def extent(limbs: cython.const[cython.longlong][:, ::1], found: cython.longlong[::1]):
    """The first limb that is not zero anywhere, and the number of limbs that keep every sign.

    The limbs are carried: all but the highest in [0, 2^32), the highest any signed number.
    """
    if limbs.shape[1] < 1 or found.shape[0] < 2:
        raise ValueError("long_integers.extent: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    size: cython.Py_ssize_t = limbs.shape[1]
    low: cython.Py_ssize_t = size
    high: cython.Py_ssize_t = 1
    half: cython.longlong = 0x80000000
    low32: cython.longlong = 0xFFFFFFFF
    sign: cython.longlong
    with cython.nogil:
        for i in range(limbs.shape[0]):
            for j in range(low):
                if limbs[i, j] != 0:
                    low = j
                    break
            sign = -1 if limbs[i, size - 1] < 0 else 0
            j = size
            while j > 1 and limbs[i, j - 1] == (sign if j == size else sign & low32):
                if (limbs[i, j - 2] >= half) != (sign < 0):
                    break
                j = j - 1
            if j > high:
                high = j
    found[0] = low
    found[1] = high
