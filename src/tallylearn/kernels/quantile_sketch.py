"""Sketching: the bucket of a number is its sign, its exponent and nine bits of its mantissa.

A bucket is 2^-9 of its lower end wide, or less; so a number differs from the middle of its bucket
by less than 2^-10 of itself. That is DDSketch with a mapping that reads the bits in the place of a
logarithm. Cells lie in the order of the numbers: -inf, the negative buckets from ``hi`` down to
``lo``, zero, the positive ones from ``lo`` up to ``hi``, inf.
"""

import cython


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def cell(b: cython.ulonglong, lo: cython.longlong, hi: cython.longlong) -> cython.longlong:
    """The cell of a double; -1 for NaN, -2 where its bucket is not from ``lo`` to ``hi``."""
    unsigned: cython.ulonglong = 0x7FFFFFFFFFFFFFFF
    infinity: cython.longlong = 0x7FF0000000000000
    size: cython.longlong = cython.cast(cython.longlong, b & unsigned)
    zero: cython.longlong = hi - lo + 2
    at: cython.longlong
    if size == 0:
        return zero
    if size >= infinity:
        if size > infinity:
            return -1
        return 2 * zero if b <= unsigned else 0
    at = size >> 43
    if at < lo or at > hi:
        return -2
    at = at - lo + 1
    return zero + at if b <= unsigned else zero - at


def count(
    bits: cython.const[cython.ulonglong][:],
    weight: cython.const[cython.double][::1],
    lo: cython.longlong,
    hi: cython.longlong,
    cells: cython.double[::1],
    start: cython.Py_ssize_t,
):
    """Add the rows from ``start`` on, or their weights, to their cells; NaN is missing.

    Returns the first row that has no cell, or the number of the rows.
    """
    if (
        (weight.shape[0] > 0 and weight.shape[0] < bits.shape[0])
        or cells.shape[0] < 2 * (hi - lo) + 5
    ):  # fmt: skip
        raise ValueError("quantile_sketch.count: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    at: cython.longlong
    light: cython.bint = weight.shape[0] == 0
    with cython.nogil:
        for i in range(start, bits.shape[0]):
            at = cell(cython.cast(cython.ulonglong, bits[i]), lo, hi)
            if at >= 0:
                cells[at] += 1.0 if light else weight[i]
            elif at == -2:
                break
        else:
            i = bits.shape[0]
    return i


def place(
    bits: cython.const[cython.ulonglong][:],
    lo: cython.longlong,
    hi: cython.longlong,
    out: cython.int[::1],
):
    """The cell of every row; the one behind the last where it is missing, or has none."""
    if out.shape[0] < bits.shape[0]:
        raise ValueError("quantile_sketch.place: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    at: cython.longlong
    with cython.nogil:
        for i in range(bits.shape[0]):
            at = cell(cython.cast(cython.ulonglong, bits[i]), lo, hi)
            if at < 0:
                at = 2 * (hi - lo) + 5
            out[i] = cython.cast(cython.int, at)


def cross(
    codes: cython.const[cython.int][::1],
    classes: cython.const[cython.int][::1],
    weight: cython.const[cython.double][::1],
    table: cython.double[:, ::1],
):
    """Add the rows, or their weights, to table[class, code]; a class below 0 is left out."""
    if codes.shape[0] < classes.shape[0] or (
        weight.shape[0] > 0 and weight.shape[0] < classes.shape[0]
    ):
        raise ValueError("quantile_sketch.cross: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    light: cython.bint = weight.shape[0] == 0
    with cython.nogil:
        for i in range(classes.shape[0]):
            if classes[i] >= 0:
                table[classes[i], codes[i]] += 1.0 if light else weight[i]
