"""Documents: rows of a few words among many, each with its number and how often it comes."""

import cython


def number(
    ids: cython.const[cython.int][::1],
    ends: cython.const[cython.longlong][::1],
    times: cython.const[cython.double][::1],
    place: cython.const[cython.int][::1],
    last: cython.longlong[::1],
    out_ends: cython.longlong[::1],
    out_ids: cython.int[::1],
    out_times: cython.double[::1],
) -> cython.Py_ssize_t:
    """Give every word the number that ``place`` has for it, and each of a document stand once.

    Words below 0 there are left out. ``times`` may be empty: then every word stands for itself.
    ``last`` (numbers) is -1, and has where each was written last. Gives back how many were written.
    """
    if (
        out_ends.shape[0] != ends.shape[0]
        or ends.shape[0] < 1
        or (times.shape[0] > 0 and times.shape[0] != ids.shape[0])
        or out_ids.shape[0] != ids.shape[0]
        or out_times.shape[0] != ids.shape[0]
    ):
        raise ValueError("sparse_rows.number: the lengths of its arrays do not agree")
    d: cython.Py_ssize_t
    i: cython.Py_ssize_t
    word: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t
    each: cython.double
    counted: cython.bint = times.shape[0] > 0
    with cython.nogil:
        out_ends[0] = 0
        for d in range(ends.shape[0] - 1):
            first = at
            for i in range(ends[d], ends[d + 1]):
                word = place[ids[i]]
                if word < 0:
                    continue
                each = times[i] if counted else 1.0
                if last[word] >= first:
                    out_times[last[word]] += each
                    continue
                last[word] = at
                out_ids[at] = word
                out_times[at] = each
                at += 1
            out_ends[d + 1] = at
    return at


def spread(
    ids: cython.const[cython.int][::1],
    ends: cython.const[cython.longlong][::1],
    times: cython.const[cython.double][::1],
    errors: cython.const[cython.double][:, ::1],
    out: cython.double[:, ::1],
):
    """Add every row's errors (n, m), times how often it has a term, to the term's row of out."""
    if (
        ends.shape[0] != errors.shape[0] + 1
        or times.shape[0] != ids.shape[0]
        or (out.shape[1] != errors.shape[1])
    ):
        raise ValueError("sparse_rows.spread: the lengths of its arrays do not agree")
    d: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    m: cython.Py_ssize_t = errors.shape[1]
    error: cython.double
    with cython.nogil:
        for d in range(errors.shape[0]):
            if m == 1:
                error = errors[d, 0]
                for i in range(ends[d], ends[d + 1]):
                    out[ids[i], 0] += times[i] * error
            else:
                for i in range(ends[d], ends[d + 1]):
                    for c in range(m):
                        out[ids[i], c] += times[i] * errors[d, c]


def gather(
    ids: cython.const[cython.int][::1],
    ends: cython.const[cython.longlong][::1],
    times: cython.const[cython.double][::1],
    table: cython.const[cython.double][:, ::1],
    out: cython.double[:, ::1],
):
    """Add the rows of ``table`` (v, m) of every row's terms, times how often, to ``out`` (n, m)."""
    if (
        ends.shape[0] != out.shape[0] + 1
        or times.shape[0] != ids.shape[0]
        or (out.shape[1] != table.shape[1])
    ):
        raise ValueError("sparse_rows.gather: the lengths of its arrays do not agree")
    d: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    m: cython.Py_ssize_t = table.shape[1]
    total: cython.double
    other: cython.double
    with cython.nogil:
        for d in range(out.shape[0]):
            if m == 1:
                total = 0.0
                for i in range(ends[d], ends[d + 1]):
                    total += times[i] * table[ids[i], 0]
                out[d, 0] += total
            elif m == 2:
                total = 0.0
                other = 0.0
                for i in range(ends[d], ends[d + 1]):
                    total += times[i] * table[ids[i], 0]
                    other += times[i] * table[ids[i], 1]
                out[d, 0] += total
                out[d, 1] += other
            else:
                for i in range(ends[d], ends[d + 1]):
                    for c in range(m):
                        out[d, c] += times[i] * table[ids[i], c]


def pair(
    ids: cython.const[cython.int][::1],
    ends: cython.const[cython.longlong][::1],
    times: cython.const[cython.double][::1],
    weight: cython.const[cython.double][::1],
    one: cython.const[cython.int][::1],
    other: cython.const[cython.int][::1],
    out: cython.double[:, ::1],
):
    """Add, for every two terms of a row, its weight times how often it has each, to ``out``.

    A term's row of ``out`` is its place in ``one`` (v,), its column that in ``other``; those below
    0 are left out.
    """
    if (
        ends.shape[0] != weight.shape[0] + 1
        or times.shape[0] != ids.shape[0]
        or one.shape[0] != other.shape[0]
    ):
        raise ValueError("sparse_rows.pair: the lengths of its arrays do not agree")
    d: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    each: cython.double
    with cython.nogil:
        for d in range(weight.shape[0]):
            for i in range(ends[d], ends[d + 1]):
                row = one[ids[i]]
                if row < 0:
                    continue
                each = weight[d] * times[i]
                for j in range(ends[d], ends[d + 1]):
                    column = other[ids[j]]
                    if column >= 0:
                        out[row, column] += each * times[j]
