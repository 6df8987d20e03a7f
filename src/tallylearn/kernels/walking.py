"""Walking: every row goes down the tree, from test to test, until it can go no further."""

import cython


def walk(
    numbers: cython.const[cython.double][:, :],
    categories: cython.const[cython.int][:, :],
    plan: cython.const[cython.int][:, ::1],
    threshold: cython.const[cython.double][::1],
    leads: cython.const[cython.int][:, ::1],
    out: cython.longlong[::1],
):
    """The node where each row ends.

    ``plan`` (m, 6): the kind of test (0 leaf, 1 threshold, 2 category, 3 presence), the place of
    its column among the numbers or the categories, the node beyond the threshold, the node of what
    is missing (-1: the row stays), and where its ``leads`` (code, node), sorted, start and end. The
    first child of node i is i + 1. A category that leads nowhere ends its row.
    """
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    to: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    mid: cython.Py_ssize_t
    kind: cython.int
    code: cython.int
    v: cython.double
    with cython.nogil:
        for i in range(out.shape[0]):
            at = 0
            while True:
                kind = plan[at, 0]
                if kind == 1:
                    v = numbers[i, plan[at, 1]]
                    if v <= threshold[at]:
                        at = at + 1
                        continue
                    to = plan[at, 2] if v == v else plan[at, 3]
                elif kind == 2:
                    code = categories[i, plan[at, 1]]
                    to = -1
                    if code == -1:
                        to = plan[at, 3]
                    elif code >= 0:
                        low = plan[at, 4]
                        high = plan[at, 5]
                        while low < high:
                            mid = (low + high) >> 1
                            if leads[0, mid] < code:
                                low = mid + 1
                            else:
                                high = mid
                        if low < plan[at, 5] and leads[0, low] == code:
                            to = leads[1, low]
                elif kind == 3:
                    v = numbers[i, plan[at, 1]]
                    to = at + 1 if v == v else plan[at, 3]
                else:
                    break
                if to < 0:
                    break
                at = to
            out[i] = at


def measure(
    parent: cython.const[cython.longlong][::1],
    depth: cython.longlong[::1],
    size: cython.longlong[::1],
):
    """The depth of every node, and how many nodes its subtree has."""
    i: cython.Py_ssize_t
    m: cython.Py_ssize_t = parent.shape[0]
    with cython.nogil:
        for i in range(m):
            size[i] = 1
            depth[i] = depth[parent[i]] + 1 if i else 0
        for i in range(m - 1):
            size[parent[m - 1 - i]] += size[m - 1 - i]
