"""Partition: the list of a node becomes those of its children, each in its order.

So nothing is ever sorted again (Mehta, Agrawal and Rissanen, SLIQ, 1996).
"""

import cython


def halve(entries, mask, half, spare):
    """Part a list in two. Both places are written, and one of them counts: no branch to guess."""
    r: cython.Py_ssize_t
    entry: cython.longlong
    left: cython.Py_ssize_t = 0
    right: cython.Py_ssize_t = 0
    s: cython.Py_ssize_t
    for r in range(entries.shape[0]):
        entry = entries[r]
        s = half[entry & mask]
        entries[left] = entry
        spare[right] = entry
        right += s
        left += 1 - s
    for r in range(right):
        entries[left + r] = spare[r]


def scatter(entries, mask, side, starts, children, spare):
    """Part a list in many; after the rows, the spare counts where each child's next row goes."""
    r: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = entries.shape[0]
    for c in range(children):
        spare[n + c] = starts[c] - starts[0]
    for r in range(n):
        c = n + side[entries[r] & mask]
        spare[spare[c]] = entries[r]
        spare[c] += 1
    for r in range(n):
        entries[r] = spare[r]
