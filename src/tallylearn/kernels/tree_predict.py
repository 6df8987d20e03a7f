"""Walking: every row goes down the tree, from test to test, until it can go no further.

A tree to walk on is ``steps`` (m, 4) and ``threshold`` (m,). A number's test: the place of its
column, the nodes up to the threshold and beyond, and the node of what is missing. A category's: -1
less the place of its column, where its ``leads`` (code, node), sorted, start and end, and the node
of what is missing; a last lead of the code ANY is that of all other categories. A step that leads
nowhere leads to the node itself: so do those of a leaf.
"""

import cython

ANY = cython.declare(cython.int, 2147483647)


def walk(
    numbers: cython.const[cython.double][:, :],
    categories: cython.const[cython.int][:, :],
    steps: cython.const[cython.int][:, ::1],
    threshold: cython.const[cython.double][::1],
    leads: cython.const[cython.int][:, ::1],
    lanes: cython.longlong[::1],
    out: cython.longlong[::1],
):
    """The node where each row ends; at first it is the root, 0 or that of a tree among others.

    Several rows go down side by side, in ``lanes``: while one waits for memory, the others go on. A
    step is chosen by arithmetic, as no processor can guess the answer to a good question.
    """
    if (
        numbers.shape[0] < out.shape[0]
        or categories.shape[0] < out.shape[0]
        or steps.shape[0] < 1
        or steps.shape[1] < 4
        or threshold.shape[0] < steps.shape[0]
        or leads.shape[0] < 2
        or lanes.shape[0] < 1
    ):
        raise ValueError("tree_predict.walk: the lengths of its arrays do not agree")
    with cython.nogil:
        _go_down(numbers, categories, steps, threshold, leads, lanes, out)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _go_down(
    numbers: cython.const[cython.double][:, :],
    categories: cython.const[cython.int][:, :],
    steps: cython.const[cython.int][:, ::1],
    threshold: cython.const[cython.double][::1],
    leads: cython.const[cython.int][:, ::1],
    lanes: cython.longlong[::1],
    out: cython.longlong[::1],
) -> cython.void:
    """Every row from the node where it is to the one where it ends."""
    i: cython.Py_ssize_t
    lane: cython.Py_ssize_t
    used: cython.Py_ssize_t = min(lanes.shape[0], out.shape[0])
    after: cython.Py_ssize_t = used
    at: cython.Py_ssize_t
    to: cython.Py_ssize_t
    column: cython.Py_ssize_t
    v: cython.double
    for lane in range(used):
        lanes[lane] = lane
    while used > 0:
        lane = 0
        while lane < used:
            i = lanes[lane]
            at = out[i]
            column = steps[at, 0]
            if column >= 0:
                v = numbers[i, column]
                to = steps[at, 2 - (v <= threshold[at]) + (v != v)]
            else:
                to = _led(categories[i, -1 - column], steps, leads, at)
            out[i] = to
            if to == at and after < out.shape[0]:
                lanes[lane] = after
                after += 1
            elif to == at:
                used -= 1
                lanes[lane] = lanes[used]
                continue
            lane += 1


def vote(
    numbers: cython.const[cython.double][:, :],
    categories: cython.const[cython.int][:, :],
    plan: tuple,
    roots: cython.const[cython.longlong][::1],
    told: cython.const[cython.double][:, ::1],
    room: tuple,
    out: cython.double[:, ::1],
):
    """Add up what every tree of a forest tells of each row, tree after tree; ``out`` is 0 at first.

    ``plan`` is steps, threshold and leads of all trees, one after the other; ``room`` lanes, and
    (n,) the nodes where the rows end.
    """
    steps: cython.const[cython.int][:, ::1] = plan[0]
    threshold: cython.const[cython.double][::1] = plan[1]
    leads: cython.const[cython.int][:, ::1] = plan[2]
    lanes: cython.longlong[::1] = room[0]
    ends: cython.longlong[::1] = room[1]
    if (
        numbers.shape[0] < out.shape[0]
        or categories.shape[0] < out.shape[0]
        or steps.shape[1] < 4
        or min(threshold.shape[0], told.shape[0]) < steps.shape[0]
        or told.shape[1] < out.shape[1]
        or leads.shape[0] < 2
        or lanes.shape[0] < 1
        or ends.shape[0] != out.shape[0]
    ):
        raise ValueError("tree_predict.vote: the lengths of its arrays do not agree")
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    for t in range(roots.shape[0]):
        if not 0 <= roots[t] < steps.shape[0]:
            raise ValueError("tree_predict.vote: a tree begins at a node that is not there")
    with cython.nogil:
        for t in range(roots.shape[0]):
            for i in range(out.shape[0]):
                ends[i] = roots[t]
            _go_down(numbers, categories, steps, threshold, leads, lanes, ends)
            for i in range(out.shape[0]):
                for c in range(out.shape[1]):
                    out[i, c] += told[ends[i], c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _led(
    code: cython.int,
    steps: cython.const[cython.int][:, ::1],
    leads: cython.const[cython.int][:, ::1],
    at: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Where a category (-1: missing, -2: unseen) leads."""
    low: cython.Py_ssize_t = steps[at, 1]
    high: cython.Py_ssize_t = steps[at, 2]
    mid: cython.Py_ssize_t
    if code == -1:
        return steps[at, 3]
    while low < high:
        mid = (low + high) >> 1
        if leads[0, mid] < code:
            low = mid + 1
        else:
            high = mid
    if low < steps[at, 2] and leads[0, low] == code:
        return leads[1, low]
    high = steps[at, 2]
    if high > steps[at, 1] and leads[0, high - 1] == ANY:
        return leads[1, high - 1]
    return at


def next_node(at, i, numbers, categories, steps, threshold, leads):
    """The node that a row goes to from a node; the node itself where it ends."""
    column: cython.Py_ssize_t = steps[at, 0]
    v: cython.double
    if column < 0:
        return _led(categories[i, -1 - column], steps, leads, at)
    v = numbers[i, column]
    return steps[at, 2 - (v <= threshold[at]) + (v != v)]


def spread(
    numbers: cython.const[cython.double][:, :],
    categories: cython.const[cython.int][:, :],
    plan: tuple,
    sizes: cython.const[cython.longlong][::1],
    n: cython.const[cython.double][::1],
    told: cython.const[cython.double][:, ::1],
    room: tuple,
    out: cython.double[:, ::1],
):
    """What is told where each row ends, all parts of it by their share; ``out`` is 0 at first.

    ``plan`` is steps, threshold and leads; ``room`` (m,) twice, for the nodes and parts that wait.
    What is missing goes to all children, by their weight ``n``; the last one comes first.
    """
    if (
        numbers.shape[0] < out.shape[0]
        or categories.shape[0] < out.shape[0]
        or sizes.shape[0] < 1
        or n.shape[0] < sizes.shape[0]
        or told.shape[0] < sizes.shape[0]
        or told.shape[1] < out.shape[1]
    ):
        raise ValueError("tree_predict.spread: the lengths of its arrays do not agree")
    steps: cython.const[cython.int][:, ::1] = plan[0]
    threshold: cython.const[cython.double][::1] = plan[1]
    leads: cython.const[cython.int][:, ::1] = plan[2]
    nodes: cython.longlong[::1] = room[0]
    parts: cython.double[::1] = room[1]
    if (
        steps.shape[0] < sizes.shape[0]
        or steps.shape[1] < 4
        or threshold.shape[0] < steps.shape[0]
        or leads.shape[0] < 2
        or nodes.shape[0] < sizes.shape[0]
        or parts.shape[0] < sizes.shape[0]
    ):
        raise ValueError("tree_predict.spread: the lengths of its plan and its room do not agree")
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    at: cython.Py_ssize_t
    to: cython.Py_ssize_t
    column: cython.Py_ssize_t
    waiting: cython.Py_ssize_t
    v: cython.double
    part: cython.double
    gap: cython.bint
    with cython.nogil:
        for i in range(out.shape[0]):
            nodes[0] = 0
            parts[0] = 1.0
            waiting = 1
            while waiting > 0:
                waiting -= 1
                at = nodes[waiting]
                part = parts[waiting]
                column = steps[at, 0]
                if column >= 0:
                    v = numbers[i, column]
                    gap = v != v
                    to = steps[at, 1 if v <= threshold[at] else 2]
                else:
                    gap = categories[i, -1 - column] == -1
                    to = _led(categories[i, -1 - column], steps, leads, at)
                if gap and sizes[at] > 1:
                    waiting = _hand_on(at, part, sizes, n, nodes, parts, waiting)
                elif to != at:
                    nodes[waiting] = to
                    parts[waiting] = part
                    waiting += 1
                else:
                    for c in range(out.shape[1]):
                        out[i, c] += part * told[at, c]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hand_on(
    at: cython.Py_ssize_t,
    part: cython.double,
    sizes: cython.const[cython.longlong][::1],
    n: cython.const[cython.double][::1],
    nodes: cython.longlong[::1],
    parts: cython.double[::1],
    waiting: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """A part to every child, by its share of their weight."""
    kid: cython.Py_ssize_t = at + 1
    end: cython.Py_ssize_t = at + sizes[at]
    total: cython.double = 0.0
    while kid < end:
        total += n[kid]
        kid += sizes[kid]
    kid = at + 1
    while kid < end:
        nodes[waiting] = kid
        parts[waiting] = part * (n[kid] / total)
        waiting += 1
        kid += sizes[kid]
    return waiting


def measure(
    parent: cython.const[cython.longlong][::1],
    depth: cython.longlong[::1],
    size: cython.longlong[::1],
):
    """The depth of every node, and how many nodes its subtree has; a root has no parent, -1."""
    if depth.shape[0] < parent.shape[0] or size.shape[0] < parent.shape[0]:
        raise ValueError("tree_predict.measure: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    m: cython.Py_ssize_t = parent.shape[0]
    with cython.nogil:
        for i in range(m):
            size[i] = 1
            depth[i] = depth[parent[i]] + 1 if parent[i] >= 0 else 0
        for i in range(m):
            if parent[m - 1 - i] >= 0:
                size[parent[m - 1 - i]] += size[m - 1 - i]
