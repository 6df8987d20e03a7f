"""Scaling: the ends of columns of numbers, and columns shifted and divided."""

import cython

LARGEST = cython.declare(cython.double, 1.7976931348623157e308)


def ends(
    x: cython.const[cython.double][:, :],
    least: cython.double[::1],
    greatest: cython.double[::1],
):
    """Lower ``least`` and raise ``greatest`` (p,) to the ends of the columns of x; NaN is none."""
    if least.shape[0] < x.shape[1] or greatest.shape[0] < x.shape[1]:
        raise ValueError("column_scaling.ends: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    v: cython.double
    low: cython.double
    high: cython.double
    with cython.nogil:
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                v = x[i, j]
                low = least[j]
                high = greatest[j]
                least[j] = v if v < low else low
                greatest[j] = v if v > high else high


def scale(
    x: cython.const[cython.double][:, :],
    shift: cython.const[cython.double][::1],
    width: cython.const[cython.double][::1],
    base: cython.double,
    out: cython.double[:, ::1],
):
    """Write (x - shift) / width + base of rows (n, p), and return how many of them are infinite."""
    if (
        shift.shape[0] < x.shape[1]
        or width.shape[0] < x.shape[1]
        or out.shape[0] < x.shape[0]
        or out.shape[1] < x.shape[1]
    ):
        raise ValueError("column_scaling.scale: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    v: cython.double
    infinite: cython.longlong = 0
    with cython.nogil:
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                v = x[i, j]
                out[i, j] = (v - shift[j]) / width[j] + base
            for j in range(x.shape[1]):
                v = out[i, j]
                infinite += (v > LARGEST) + (v < -LARGEST)
    return infinite
