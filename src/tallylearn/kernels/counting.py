"""Counting: how often each class meets each code."""

import cython


def count(
    rows: cython.const[cython.int][::1],
    columns: cython.const[cython.int][::1],
    weight: cython.const[cython.longlong][::1],
    table: cython.longlong[:, ::1],
):
    """Add every row to table[rows[i], columns[i]]; a code below zero is missing and is passed over.

    ``weight`` is empty where every row counts once.
    """
    i: cython.Py_ssize_t
    r: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = rows.shape[0]
    weighted: cython.bint = weight.shape[0] > 0
    with cython.nogil:
        for i in range(n):
            r = rows[i]
            c = columns[i]
            if r >= 0 and c >= 0:
                table[r, c] += weight[i] if weighted else 1
