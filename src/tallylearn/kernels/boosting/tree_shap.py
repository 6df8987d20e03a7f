"""Shapley values of the columns of a row, exact for sums of trees (TreeSHAP).

The value of a set of columns is the mean of the tree over the ways that a row can take: at a split
on a column of the set it follows the row, at another one it follows the training rows, in the
proportions in which they went (Lundberg et al., Consistent individualized feature attribution for
tree ensembles, 2018, algorithm 2). A path keeps the column, the share of training rows (``zero``),
whether the row goes that way (``one``), and the weights of the sets of every size (``weight``). The
values of a row add up to the prediction less the mean over the training rows.
"""

import cython

if not cython.compiled:
    from tallylearn.kernels.tree_predict import next_node


def add_values(
    numbers: cython.const[cython.double][:, :],
    categories: cython.const[cython.int][:, :],
    plan: tuple,
    tree: tuple,
    room: tuple,
    out: cython.double[:, ::1],
):
    """Add the Shapley values of one tree to ``out`` (n, p).

    ``plan``: steps, threshold and leads of all trees. ``tree``: left (m,), rows (m,), values (m,),
    columns (m,), the root of the tree and its depth. ``room``: the paths, (depth + 2) (depth + 3)
    places for columns, and as many for the three numbers of each.
    """
    steps: cython.const[cython.int][:, ::1] = plan[0]
    threshold: cython.const[cython.double][::1] = plan[1]
    leads: cython.const[cython.int][:, ::1] = plan[2]
    left: cython.const[cython.int][::1] = tree[0]
    rows: cython.const[cython.longlong][::1] = tree[1]
    values: cython.const[cython.double][::1] = tree[2]
    columns: cython.const[cython.longlong][::1] = tree[3]
    root: cython.Py_ssize_t = tree[4]
    depth: cython.Py_ssize_t = tree[5]
    path_columns: cython.longlong[::1] = room[0]
    path: cython.double[:, ::1] = room[1]
    i: cython.Py_ssize_t
    places: cython.Py_ssize_t = (depth + 2) * (depth + 3)
    m: cython.Py_ssize_t = left.shape[0]
    if (
        numbers.shape[0] < out.shape[0]
        or categories.shape[0] < out.shape[0]
        or min(steps.shape[0], threshold.shape[0], rows.shape[0], values.shape[0]) < m
        or columns.shape[0] < m
        or steps.shape[1] < 4
        or leads.shape[0] < 2
        or not 0 <= root < m
        or min(path_columns.shape[0], path.shape[0]) < places
        or path.shape[1] < 3
    ):
        raise ValueError("boosting.tree_shap.add_values: the lengths of its arrays do not agree")
    for i in range(m):
        if left[i] >= 0 and not (i < left[i] < m - 1 and 0 <= columns[i] < out.shape[1]):
            raise ValueError("boosting.tree_shap.add_values: a node leads nowhere")
    with cython.nogil:
        for i in range(out.shape[0]):
            _follow(
                i, root, 0, 0, 1.0, 1.0, -1, numbers, categories, steps, threshold, leads, left,
                rows, values, columns, path_columns, path, out,
            )  # fmt: skip


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _follow(
    i: cython.Py_ssize_t,
    at: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    zero: cython.double,
    one: cython.double,
    column: cython.longlong,
    numbers: cython.const[cython.double][:, :],
    categories: cython.const[cython.int][:, :],
    steps: cython.const[cython.int][:, ::1],
    threshold: cython.const[cython.double][::1],
    leads: cython.const[cython.int][:, ::1],
    left: cython.const[cython.int][::1],
    rows: cython.const[cython.longlong][::1],
    values: cython.const[cython.double][::1],
    columns: cython.const[cython.longlong][::1],
    path_columns: cython.longlong[::1],
    path: cython.double[:, ::1],
    out: cython.double[:, ::1],
) -> cython.void:
    """Extend the path, which begins at ``first`` and has ``length`` entries, and go down."""
    k: cython.Py_ssize_t
    hot: cython.Py_ssize_t
    cold: cython.Py_ssize_t
    next_first: cython.Py_ssize_t
    next_length: cython.Py_ssize_t
    zero_before: cython.double = 1.0
    one_before: cython.double = 1.0
    total: cython.double
    _extend(first, length, zero, one, column, path_columns, path)
    if left[at] < 0:
        for k in range(1, length + 1):
            total = _unwound_sum(first, length, k, path)
            out[i, path_columns[first + k]] += (
                total * (path[first + k, 1] - path[first + k, 0]) * values[at]
            )
        return
    hot = next_node(at, i, numbers, categories, steps, threshold, leads)
    if hot != left[at]:  # a step that leads elsewhere would never end
        hot = left[at] + 1
    cold = left[at] + 1 if hot == left[at] else left[at]
    next_first = first + length + 1
    next_length = length + 1
    for k in range(length + 1):  # a copy, which the two branches change
        path_columns[next_first + k] = path_columns[first + k]
        path[next_first + k, 0] = path[first + k, 0]
        path[next_first + k, 1] = path[first + k, 1]
        path[next_first + k, 2] = path[first + k, 2]
    k = 1
    while k <= length and path_columns[next_first + k] != columns[at]:
        k += 1
    if k <= length:  # the column is on the path: its entry is taken back, and joined with this one
        zero_before = path[next_first + k, 0]
        one_before = path[next_first + k, 1]
        _unwind(next_first, length, k, path_columns, path)
        next_length -= 1
    _branch(
        i, hot, at, next_first, next_length, zero_before, one_before, numbers, categories, steps,
        threshold, leads, left, rows, values, columns, path_columns, path, out,
    )  # fmt: skip
    for k in range(length + 1):
        path_columns[next_first + k] = path_columns[first + k]
        path[next_first + k, 0] = path[first + k, 0]
        path[next_first + k, 1] = path[first + k, 1]
        path[next_first + k, 2] = path[first + k, 2]
    k = 1
    while k <= length and path_columns[next_first + k] != columns[at]:
        k += 1
    if k <= length:
        _unwind(next_first, length, k, path_columns, path)
    _branch(
        i, cold, at, next_first, next_length, zero_before, 0.0, numbers, categories, steps,
        threshold, leads, left, rows, values, columns, path_columns, path, out,
    )  # fmt: skip


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _branch(
    i: cython.Py_ssize_t,
    to: cython.Py_ssize_t,
    at: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    zero: cython.double,
    one: cython.double,
    numbers: cython.const[cython.double][:, :],
    categories: cython.const[cython.int][:, :],
    steps: cython.const[cython.int][:, ::1],
    threshold: cython.const[cython.double][::1],
    leads: cython.const[cython.int][:, ::1],
    left: cython.const[cython.int][::1],
    rows: cython.const[cython.longlong][::1],
    values: cython.const[cython.double][::1],
    columns: cython.const[cython.longlong][::1],
    path_columns: cython.longlong[::1],
    path: cython.double[:, ::1],
    out: cython.double[:, ::1],
) -> cython.void:
    """Go down to a child, with its share of the training rows."""
    share: cython.double = cython.cast(cython.double, rows[to]) / cython.cast(
        cython.double, rows[at]
    )
    _follow(
        i, to, first, length, zero * share, one, columns[at], numbers, categories, steps,
        threshold, leads, left, rows, values, columns, path_columns, path, out,
    )  # fmt: skip


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _extend(
    first: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    zero: cython.double,
    one: cython.double,
    column: cython.longlong,
    path_columns: cython.longlong[::1],
    path: cython.double[:, ::1],
) -> cython.void:
    """Add an entry at the end of a path of so many entries."""
    k: cython.Py_ssize_t
    path_columns[first + length] = column
    path[first + length, 0] = zero
    path[first + length, 1] = one
    path[first + length, 2] = 1.0 if length == 0 else 0.0
    for k in range(length - 1, -1, -1):
        path[first + k + 1, 2] += one * path[first + k, 2] * (k + 1) / (length + 1)
        path[first + k, 2] = zero * path[first + k, 2] * (length - k) / (length + 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _unwind(
    first: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    at: cython.Py_ssize_t,
    path_columns: cython.longlong[::1],
    path: cython.double[:, ::1],
) -> cython.void:
    """Take an entry of a path back; ``length`` is the place of the last entry."""
    k: cython.Py_ssize_t
    one: cython.double = path[first + at, 1]
    zero: cython.double = path[first + at, 0]
    n: cython.double = path[first + length, 2]
    kept: cython.double
    for k in range(length - 1, -1, -1):
        if one != 0.0:
            kept = path[first + k, 2]
            path[first + k, 2] = n * (length + 1) / ((k + 1) * one)
            n = kept - path[first + k, 2] * zero * (length - k) / (length + 1)
        else:
            path[first + k, 2] = path[first + k, 2] * (length + 1) / (zero * (length - k))
    for k in range(at, length):
        path_columns[first + k] = path_columns[first + k + 1]
        path[first + k, 0] = path[first + k + 1, 0]
        path[first + k, 1] = path[first + k + 1, 1]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _unwound_sum(
    first: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    at: cython.Py_ssize_t,
    path: cython.double[:, ::1],
) -> cython.double:
    """The sum of the weights of a path without one of its entries."""
    k: cython.Py_ssize_t
    one: cython.double = path[first + at, 1]
    zero: cython.double = path[first + at, 0]
    n: cython.double = path[first + length, 2]
    total: cython.double = 0.0
    kept: cython.double
    for k in range(length - 1, -1, -1):
        if one != 0.0:
            kept = n * (length + 1) / ((k + 1) * one)
            total += kept
            n = path[first + k, 2] - kept * zero * (length - k) / (length + 1)
        else:
            total += path[first + k, 2] * (length + 1) / (zero * (length - k))
    return total
