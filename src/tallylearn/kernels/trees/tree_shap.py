"""Shapley values of the columns of a row, exact for sums of trees (TreeSHAP).

The value of a set of columns is the mean of the tree over the ways that a row can take: at a split
on a column of the set it follows the row, at another one it follows the training rows, in the
proportions in which they went (Lundberg et al., Consistent individualized feature attribution for
tree ensembles, 2018, algorithm 2). A path keeps the column, the share of training rows (``zero``),
the part of the row that goes that way (``one``: 0 or 1, unless rows with missing values go down all
branches), and the weights of the sets of every size (``weight``). The values of a row add up to the
prediction less the mean over the training rows.
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
    out: cython.double[:, :, ::1],
):
    """Add the Shapley values of one tree to ``out`` (n, p, k).

    ``plan``: steps, threshold and leads of all trees. ``tree``: the first child of every node (m,),
    -1 at a leaf; its next sibling (m,), -1 at the last one; its share of the weight of its parent
    (m,); its values (m, k); its column (m,); then the root of the tree, where its nodes end, its
    depth, and whether a row with a missing value goes down every branch, in parts. ``room``: the
    paths, (depth + 2) (depth + 3) places for columns, and as many for the three numbers of each.
    """
    steps: cython.const[cython.int][:, ::1] = plan[0]
    threshold: cython.const[cython.double][::1] = plan[1]
    leads: cython.const[cython.int][:, ::1] = plan[2]
    child: cython.const[cython.longlong][::1] = tree[0]
    sibling: cython.const[cython.longlong][::1] = tree[1]
    shares: cython.const[cython.double][::1] = tree[2]
    values: cython.const[cython.double][:, ::1] = tree[3]
    columns: cython.const[cython.longlong][::1] = tree[4]
    root: cython.Py_ssize_t = tree[5]
    end: cython.Py_ssize_t = tree[6]
    depth: cython.Py_ssize_t = tree[7]
    parts: cython.bint = tree[8]
    path_columns: cython.longlong[::1] = room[0]
    path: cython.double[:, ::1] = room[1]
    i: cython.Py_ssize_t
    places: cython.Py_ssize_t = (depth + 2) * (depth + 3)
    m: cython.Py_ssize_t = child.shape[0]
    if (
        numbers.shape[0] < out.shape[0]
        or categories.shape[0] < out.shape[0]
        or min(steps.shape[0], threshold.shape[0], sibling.shape[0], shares.shape[0]) < m
        or min(values.shape[0], columns.shape[0]) < m
        or values.shape[1] < out.shape[2]
        or steps.shape[1] < 4
        or leads.shape[0] < 2
        or not 0 <= root < end <= m
        or depth < 0
        or min(path_columns.shape[0], path.shape[0]) < places
        or path.shape[1] < 3
    ):
        raise ValueError("trees.tree_shap.add_values: the lengths of its arrays do not agree")
    for i in range(root, end):
        if child[i] >= 0 and not (i < child[i] < end and 0 <= columns[i] < out.shape[1]):
            raise ValueError("trees.tree_shap.add_values: a node leads nowhere")
        if sibling[i] >= 0 and not i < sibling[i] < end:
            raise ValueError("trees.tree_shap.add_values: a node leads nowhere")
    with cython.nogil:
        for i in range(out.shape[0]):
            _follow(
                i, root, 0, 0, 1.0, 1.0, -1, parts, numbers, categories, steps, threshold, leads,
                child, sibling, shares, values, columns, path_columns, path, out,
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
    parts: cython.bint,
    numbers: cython.const[cython.double][:, :],
    categories: cython.const[cython.int][:, :],
    steps: cython.const[cython.int][:, ::1],
    threshold: cython.const[cython.double][::1],
    leads: cython.const[cython.int][:, ::1],
    child: cython.const[cython.longlong][::1],
    sibling: cython.const[cython.longlong][::1],
    shares: cython.const[cython.double][::1],
    values: cython.const[cython.double][:, ::1],
    columns: cython.const[cython.longlong][::1],
    path_columns: cython.longlong[::1],
    path: cython.double[:, ::1],
    out: cython.double[:, :, ::1],
) -> cython.void:
    """Extend the path, which begins at ``first`` and has ``length`` entries, and go down."""
    k: cython.Py_ssize_t
    hot: cython.Py_ssize_t
    kid: cython.Py_ssize_t
    known: cython.Py_ssize_t
    next_first: cython.Py_ssize_t
    next_length: cython.Py_ssize_t
    zero_before: cython.double = 1.0
    one_before: cython.double = 1.0
    one_here: cython.double
    divided: cython.bint
    _extend(first, length, zero, one, column, path_columns, path)
    if child[at] < 0:
        _add_leaf(i, at, first, length, values, path_columns, path, out)
        return
    hot = next_node(at, i, numbers, categories, steps, threshold, leads)
    divided = parts and hot == at and _is_missing(numbers, categories, i, steps[at, 0])
    next_first = first + length + 1
    known = 1
    while known <= length and path_columns[first + known] != columns[at]:
        known += 1
    if known <= length:  # the column is on the path: its entry is taken back, and joined with this
        zero_before = path[first + known, 0]
        one_before = path[first + known, 1]
    next_length = length if known <= length else length + 1
    kid = at if hot == at and not divided else child[at]
    while kid >= 0:
        one_here = 0.0
        if divided:
            one_here = one_before * shares[kid]
        elif kid == hot:
            one_here = one_before
        # a row that ends at this node is the only one that does: no training row did
        zero = 0.0 if kid == at else zero_before * shares[kid]
        if zero != 0.0 or one_here != 0.0:
            for k in range(length + 1):  # a copy, which the branch changes
                path_columns[next_first + k] = path_columns[first + k]
                path[next_first + k, 0] = path[first + k, 0]
                path[next_first + k, 1] = path[first + k, 1]
                path[next_first + k, 2] = path[first + k, 2]
            if known <= length:
                _unwind(next_first, length, known, path_columns, path)
            if kid == at:
                _extend(next_first, next_length, zero, one_here, columns[at], path_columns, path)
                _add_leaf(i, at, next_first, next_length, values, path_columns, path, out)
            else:
                _follow(
                    i, kid, next_first, next_length, zero, one_here, columns[at], parts, numbers,
                    categories, steps, threshold, leads, child, sibling, shares, values, columns,
                    path_columns, path, out,
                )  # fmt: skip
        kid = child[at] if kid == at else sibling[kid]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_missing(
    numbers: cython.const[cython.double][:, :],
    categories: cython.const[cython.int][:, :],
    i: cython.Py_ssize_t,
    place: cython.Py_ssize_t,
) -> cython.bint:
    """Whether a row has no value of a column: NaN, or the code -1."""
    if place < 0:
        return categories[i, -1 - place] == -1
    return numbers[i, place] != numbers[i, place]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_leaf(
    i: cython.Py_ssize_t,
    at: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    values: cython.const[cython.double][:, ::1],
    path_columns: cython.longlong[::1],
    path: cython.double[:, ::1],
    out: cython.double[:, :, ::1],
) -> cython.void:
    """Add what the end of a path gives to every column on it."""
    k: cython.Py_ssize_t
    c: cython.Py_ssize_t
    amount: cython.double
    for k in range(1, length + 1):
        if path[first + k, 1] != path[first + k, 0]:
            amount = _unwound_sum(first, length, k, path)
            amount *= path[first + k, 1] - path[first + k, 0]
            for c in range(out.shape[2]):
                out[i, path_columns[first + k], c] += amount * values[at, c]


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
