"""Triangles: what is asked of the R of a QR factorisation, whose columns have any unit."""

import cython
from cython.cimports.libc.math import fabs, sqrt


def magnified(
    root: cython.const[cython.double][:, ::1],
    inverse: cython.const[cython.double][:, ::1],
    room: cython.double[::1],
) -> cython.double:
    """How many times the first p columns of a triangle, of size 1, magnify an error at most.

    ``inverse`` has a row for every column of the inverse, ``room`` (p,) takes the columns' sizes.
    """
    p: cython.Py_ssize_t = room.shape[0]
    if root.shape[0] < p or root.shape[1] < p or inverse.shape[0] != p or inverse.shape[1] != p:
        raise ValueError("qr_triangle.magnified: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    size: cython.double
    most: cython.double = 0.0
    with cython.nogil:
        for j in range(p):
            size = 0.0
            for i in range(j + 1):
                size = fabs(root[i, j]) if fabs(root[i, j]) > size else size
            room[j] = size
        for j in range(p):
            size = 0.0
            for i in range(j + 1):
                size += room[i] * fabs(inverse[j, i])
            most = size if size > most or size != size else most
    return most


def scaled(
    r: cython.const[cython.double][:, ::1],
    least: cython.const[cython.double][::1],
    out: cython.double[:, ::1],
    lengths: cython.double[::1],
):
    """Write the columns of r (n, p), each divided by its length, to out, and leave rows below n.

    Of a column that is no longer than its ``least`` nothing is written, and its length is 1.
    """
    n: cython.Py_ssize_t = r.shape[0]
    p: cython.Py_ssize_t = r.shape[1]
    if least.shape[0] != p or out.shape[0] < n or out.shape[1] != p or lengths.shape[0] != p:
        raise ValueError("qr_triangle.scaled: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for j in range(p):
            lengths[j] = 0.0
        for i in range(n):
            for j in range(p):
                lengths[j] += r[i, j] * r[i, j]
        for j in range(p):
            lengths[j] = sqrt(lengths[j])
            if lengths[j] <= fabs(least[j]):
                lengths[j] = 0.0
        for i in range(n):
            for j in range(p):
                if lengths[j] != 0:
                    out[i, j] = r[i, j] / lengths[j]
        for j in range(p):
            lengths[j] = lengths[j] if lengths[j] != 0 else 1.0


def explained(
    root: cython.const[cython.double][:, ::1],
    scale: cython.const[cython.double][::1],
    coef: cython.const[cython.double][:, ::1],
    out: cython.double[:, ::1],
):
    """Write the squares that weights (t, p) leave of the last t columns to out[0], all to out[1].

    The root is of columns that were divided by the scale.
    """
    t: cython.Py_ssize_t = coef.shape[0]
    p: cython.Py_ssize_t = coef.shape[1]
    if (
        scale.shape[0] != p + t
        or root.shape[0] != p + t
        or root.shape[1] != p + t
        or out.shape[0] < 2
        or out.shape[1] != t
    ):
        raise ValueError("qr_triangle.explained: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    off: cython.double
    all_of_it: cython.double
    with cython.nogil:
        for k in range(t):
            out[0, k] = out[1, k] = 0.0
            for i in range(p + t):
                off = 0.0
                for j in range(i, p):
                    off += root[i, j] * (coef[k, j] * scale[j])
                all_of_it = root[i, p + k] * scale[p + k]
                off -= all_of_it
                out[0, k] += off * off
                out[1, k] += all_of_it * all_of_it


def alike(
    products: cython.const[cython.double][:, ::1],
    out: cython.double[:, ::1],
    lengths: cython.double[::1],
):
    """Write products of columns (p, p), those divided by their lengths, to out; of nothing by 1."""
    p: cython.Py_ssize_t = lengths.shape[0]
    if products.shape[0] != p or products.shape[1] != p or out.shape[0] != p or out.shape[1] != p:
        raise ValueError("qr_triangle.alike: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    with cython.nogil:
        for j in range(p):
            lengths[j] = sqrt(products[j, j]) if products[j, j] > 0 else 1.0
        for i in range(p):
            for j in range(p):
                out[i, j] = products[i, j] / lengths[j] / lengths[i]
