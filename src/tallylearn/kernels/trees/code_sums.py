"""Lines: a column at a node, a line for each code that occurs, and the sums that a search needs.

A line has the weight of every class, or the weight and the sum of y. All are integers, so nothing
depends on the order of the rows, and lines of some rows and of the others add up to those of all.
"""

import cython
import numpy as np

if not cython.compiled:
    TOTAL, LEFT, RIGHT, GAP, KNOWN, RARE = range(6)


class Lines:
    """The table of one column, by rising code.

    ``n`` lines; ``tags``: the class of a line that has only one, else -1. ``sums``: of the node, of
    both sides of a cut, of what is missing (``gapped``: it stands apart), of the rest, and of what
    is rare in that.
    ``fills``: the line that takes what is missing, by class, and of all last.
    """

    def __init__(self, most, amounts):
        self.classes, self.k, self.q = amounts.classes, amounts.k, amounts.q
        self.lines = np.zeros((most, self.k), np.int64)
        self.codes = np.zeros(most, np.int32)
        self.tags = np.zeros(most, np.int32)
        self.sums = np.zeros((6, self.q), np.int64)
        self.fills = np.zeros(self.k + 1, np.int32)
        self.n = 0
        self.gapped = False

    def start(self, r, code):
        """An empty line."""
        c: cython.Py_ssize_t
        for c in range(self.k):
            self.lines[r, c] = 0
        self.codes[r] = code

    def tag(self, r):
        """The class of a line that has only one."""
        c: cython.Py_ssize_t
        found: cython.int = -1
        for c in range(self.classes):
            if self.lines[r, c] > 0:
                found = c if found == -1 else -2
        self.tags[r] = found if found >= 0 else -1

    def weight(self, r):
        """Of a line."""
        c: cython.Py_ssize_t
        n: cython.longlong = 0
        if not self.classes:
            return self.lines[r, 0]
        for c in range(self.classes):
            n += self.lines[r, c]
        return n

    def amount(self, r, c):
        """The weight of a line: of one class, or (c = k) of all."""
        return self.lines[r, c] if c < self.k else self.weight(r)

    def take(self, counts, codes, rows_at):
        """The lines of a histogram: those of its first ``codes`` that have a row."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t = self.k
        for i in range(codes):
            if not occupied(counts, i * k, k, rows_at, self.classes):
                continue
            self.codes[n] = i
            for c in range(k):
                self.lines[n, c] = counts[i * k + c]
            self.tag(n)
            n += 1
        return n


def occupied(counts, at, k, rows_at, classes):
    """Whether a code of a histogram has any row."""
    c: cython.Py_ssize_t
    if rows_at >= 0 or classes == 0:
        return counts[at + (rows_at if rows_at >= 0 else 0)] > 0
    for c in range(k):
        if counts[at + c] > 0:
            return True
    return False
