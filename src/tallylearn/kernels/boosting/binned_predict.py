"""Prediction from bins: the value of the leaf where each row ends, added to what it has."""

import cython

if not cython.compiled:
    LEFT, COLUMN = 3, 5


def add_tree(
    codes: cython.const[cython.uchar][:, :, ::1],
    nodes: cython.const[cython.longlong][:, ::1],
    goes_left: cython.const[cython.uchar][:, ::1],
    values: cython.const[cython.double][::1],
    lo: cython.Py_ssize_t,
    hi: cython.Py_ssize_t,
    out: cython.double[::1],
):
    """Add the tree of a grower (see leafwise_grower) to the rows from lo to hi."""
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    f: cython.Py_ssize_t
    m: cython.Py_ssize_t = values.shape[0]
    w: cython.Py_ssize_t = codes.shape[2]
    if (
        min(nodes.shape[0], goes_left.shape[0]) < m
        or m < 1
        or nodes.shape[1] < 10
        or goes_left.shape[1] < 256
        or not 0 <= lo <= hi
        or min(codes.shape[1], out.shape[0]) < hi
        or w < 1
    ):
        raise ValueError("boosting.binned_predict.add_tree: the lengths of its arrays do not agree")
    for at in range(m):
        if nodes[at, LEFT] >= 0 and not (
            at < nodes[at, LEFT] < m - 1 and 0 <= nodes[at, COLUMN] < codes.shape[0] * w
        ):
            raise ValueError("boosting.binned_predict.add_tree: a node leads nowhere")
    with cython.nogil:
        for i in range(lo, hi):
            at = 0
            while nodes[at, LEFT] >= 0:
                f = nodes[at, COLUMN]
                at = nodes[at, LEFT] + (1 - goes_left[at, codes[f // w, i, f % w]])
            out[i] += values[at]
