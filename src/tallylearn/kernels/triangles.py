"""Triangles: what is asked of the R of a QR factorisation, whose columns have any unit."""

import cython
from cython.cimports.libc.math import fabs


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
        raise ValueError("triangles.magnified: the lengths of its arrays do not agree")
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
