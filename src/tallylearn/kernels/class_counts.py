"""Counting: how often each class meets each code of each column."""

import cython


def count(
    rows: cython.const[cython.int][::1],
    columns: cython.const[cython.int][:, ::1],
    starts: cython.const[cython.longlong][::1],
    widths: cython.const[cython.longlong][::1],
    tables: cython.longlong[:, ::1],
):
    """Count row i at starts[j] + (rows[i] + 1) * widths[j] + columns[j, i] + 1, for every column j.

    The first row and column of a table take what is missing (-1), so nothing has to be asked. Rows
    go to two sets of tables in turn: a cell counted twice in a row would wait for itself.
    """
    if (
        columns.shape[1] < rows.shape[0]
        or starts.shape[0] < columns.shape[0]
        or widths.shape[0] < columns.shape[0]
        or tables.shape[0] < 2
    ):
        raise ValueError("class_counts.count: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    n: cython.Py_ssize_t = rows.shape[0]
    width: cython.Py_ssize_t
    first: cython.Py_ssize_t
    even: cython.Py_ssize_t
    odd: cython.Py_ssize_t
    with cython.nogil:
        for j in range(columns.shape[0]):
            width = widths[j]
            first = starts[j] + width + 1
            for i in range(n // 2):
                even = first + rows[2 * i] * width + columns[j, 2 * i]
                odd = first + rows[2 * i + 1] * width + columns[j, 2 * i + 1]
                tables[0, even] += 1
                tables[1, odd] += 1
            if n % 2:
                tables[0, first + rows[n - 1] * width + columns[j, n - 1]] += 1


def weigh(
    rows: cython.const[cython.int][::1],
    columns: cython.const[cython.int][:, ::1],
    weight: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    widths: cython.const[cython.longlong][::1],
    tables: cython.longlong[:, ::1],
):
    """The same, each row with a whole weight."""
    if (
        columns.shape[1] < rows.shape[0]
        or weight.shape[0] < rows.shape[0]
        or starts.shape[0] < columns.shape[0]
        or widths.shape[0] < columns.shape[0]
        or tables.shape[0] < 2
    ):
        raise ValueError("class_counts.weigh: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    width: cython.Py_ssize_t
    first: cython.Py_ssize_t
    with cython.nogil:
        for j in range(columns.shape[0]):
            width = widths[j]
            first = starts[j] + width + 1
            for i in range(rows.shape[0]):
                tables[i & 1, first + rows[i] * width + columns[j, i]] += weight[i]
