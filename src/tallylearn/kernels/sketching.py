"""Sketching: the bucket of a number is its sign, its exponent and nine bits of its mantissa.

Buckets lie in the order of the numbers, and each is 2^-9 of its lower end wide, or less; so a
number differs from the middle of its bucket by less than 2^-10 of itself. That is DDSketch with a
mapping that reads the bits in the place of a logarithm.
"""

import cython


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def bucket(b: cython.ulonglong) -> cython.longlong:
    """The number of a double's bucket; NaN has the one behind that of infinity."""
    unsigned: cython.ulonglong = 0x7FFFFFFFFFFFFFFF
    infinity: cython.longlong = 0x7FF0000000000000
    size: cython.longlong = cython.cast(cython.longlong, b & unsigned)
    if size > infinity:
        return (infinity >> 43) + 1
    if b <= unsigned:
        return size >> 43
    return -1 - (size >> 43) if size != 0 else 0


def count(
    bits: cython.const[cython.ulonglong][:],
    weight: cython.const[cython.double][::1],
    first: cython.longlong,
    counts: cython.double[::1],
):
    """Add the rows, or their weights, to counts[bucket - first]; NaN is missing."""
    if weight.shape[0] > 0 and weight.shape[0] < bits.shape[0]:
        raise ValueError("sketching.count: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    at: cython.longlong
    light: cython.bint = weight.shape[0] == 0
    with cython.nogil:
        for i in range(bits.shape[0]):
            at = bucket(cython.cast(cython.ulonglong, bits[i])) - first
            if 0 <= at < counts.shape[0]:
                counts[at] += 1.0 if light else weight[i]


def place(
    bits: cython.const[cython.ulonglong][:],
    first: cython.longlong,
    last: cython.longlong,
    out: cython.int[::1],
):
    """The bucket of every row, counted from ``first``; one behind ``last`` where it is missing."""
    if out.shape[0] < bits.shape[0]:
        raise ValueError("sketching.place: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    at: cython.longlong
    with cython.nogil:
        for i in range(bits.shape[0]):
            at = bucket(cython.cast(cython.ulonglong, bits[i]))
            if at < first or at > last:
                at = last + 1
            out[i] = cython.cast(cython.int, at - first)


def cross(
    codes: cython.const[cython.int][::1],
    classes: cython.const[cython.int][::1],
    weight: cython.const[cython.double][::1],
    table: cython.double[:, ::1],
):
    """Add the rows, or their weights, to table[class, code]; a class below 0 is left out."""
    if (
        codes.shape[0] < classes.shape[0]
        or (weight.shape[0] > 0 and weight.shape[0] < classes.shape[0])
        or table.shape[0] < 1
        or table.shape[1] < 1
    ):
        raise ValueError("sketching.cross: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    light: cython.bint = weight.shape[0] == 0
    with cython.nogil:
        for i in range(classes.shape[0]):
            if classes[i] >= 0:
                table[classes[i], codes[i]] += 1.0 if light else weight[i]
