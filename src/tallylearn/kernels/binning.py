"""Binning: numbers become small integers, and rows are sorted by them without a comparison."""

import cython


def turned(x):
    """(n, p) numbers as (p, n)."""
    import numpy as np

    out = np.empty((x.shape[1], x.shape[0]))
    turn(x, out)
    return out


def turn(x: cython.const[cython.double][:, :], out: cython.double[:, ::1]):
    """Turn rows into columns, a tile at a time: whole lines of memory are read and written."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    t: cython.Py_ssize_t
    end: cython.Py_ssize_t
    n: cython.Py_ssize_t = x.shape[0]
    with cython.nogil:
        for t in range((n + 63) // 64):
            end = n if t * 64 + 64 > n else t * 64 + 64
            for j in range(x.shape[1]):
                for i in range(t * 64, end):
                    out[j, i] = x[i, j]


def sort(
    codes: cython.const[cython.int][::1],
    starts: cython.longlong[::1],
    out: cython.longlong[::1],
):
    """Row i of code c as c * 2^32 + i, sorted; ``starts`` (codes + 1) comes as zeros."""
    i: cython.Py_ssize_t
    c: cython.longlong
    row: cython.longlong
    with cython.nogil:
        for i in range(codes.shape[0]):
            starts[codes[i] + 1] += 1
        for i in range(1, starts.shape[0]):
            starts[i] += starts[i - 1]
        for i in range(codes.shape[0]):
            c = codes[i]
            row = i
            out[starts[c]] = (c << 32) | row
            starts[c] += 1


def unsort(entries: cython.const[cython.longlong][::1], out: cython.int[::1]):
    """The code of every row, from a sorted list."""
    i: cython.Py_ssize_t
    mask: cython.longlong = 4294967295
    with cython.nogil:
        for i in range(entries.shape[0]):
            out[entries[i] & mask] = entries[i] >> 32
