"""Drawn rows: bagged rows whose cuts are drawn, and not searched for.

A cut of numbers needs the least and the greatest code of a node, and what the rows of one side
amount to: two looks at the rows, and nothing is counted by code. Where a value is missing, and for
categories, the lines of the column are made as for any other search.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.bagged_rows import BaggedRows
    from tallylearn.kernels.trees.code_sums import LEFT, RIGHT, TOTAL
    from tallylearn.kernels.trees.few_rows import LABEL, TIMES
    from tallylearn.kernels.trees.settings import NUMBER


class DrawnRows(BaggedRows):
    """``ends``: the least and the greatest code of a column; then those beside its cut."""

    def __init__(self, columns, amounts, grid, bag):
        BaggedRows.__init__(self, columns, amounts, grid, bag)
        self.ends = np.zeros(2, np.int64)

    def known(self, f, search):
        """The random threshold of a number column without missing values."""
        point: cython.double
        self.cuts[f, 0] = -1
        if self.columns.kinds[f] != NUMBER or self.columns.slopes[f] or not self.counted:
            return False
        self.find_ends(f)
        if self.ends[1] == self.columns.gaps[f]:
            return False
        if self.ends[0] == self.ends[1]:
            return True
        point = search.draws.between(f, self.ends[0], self.ends[1])
        self.add_left(f, self.last_below(f, point), search)
        search.draws.part_at(f, point, self.ends[0], self.ends[1])
        if search.any_size or (
            search.enough(search.sums, LEFT) and search.enough(search.sums, RIGHT)
        ):
            search.note(f, self.mass_after(search), 0.0)
            self.cuts[f, 0] = self.ends[0]
            self.cuts[f, 1] = self.ends[1]
        return True

    def mass_after(self, search):
        """What is left of the impurity on both sides."""
        left: cython.double = search.impurity.mass(search.sums, LEFT)
        return left + search.impurity.mass(search.sums, RIGHT)

    def find_ends(self, f):
        """The least and the greatest code."""
        r: cython.longlong
        code: cython.longlong
        mask: cython.longlong = 4294967295
        low: cython.longlong = 65536
        high: cython.longlong = -1
        for r in range(self.lo, self.hi):
            code = self.grid[self.bag[r] & mask, f]
            low = code if code < low else low
            high = code if code > high else high
        self.ends[0] = low
        self.ends[1] = high

    def last_below(self, f, point):
        """The last code whose least number is not above a point; before the greatest of all."""
        at: cython.Py_ssize_t = self.columns.starts[f]
        low: cython.longlong = self.ends[0]
        high: cython.longlong = self.ends[1]
        middle: cython.longlong
        while high - low > 1:
            middle = (low + high) >> 1
            if self.columns.low[at + middle] <= point:
                low = middle
            else:
                high = middle
        return low

    def add_left(self, f, cut, search):
        """What both sides of a cut amount to, and the codes of the node before and after it."""
        r: cython.longlong
        c: cython.Py_ssize_t
        code: cython.longlong
        times: cython.longlong
        mask: cython.longlong = 4294967295
        before: cython.longlong = self.ends[0]
        after: cython.longlong = self.ends[1]
        for c in range(self.k):
            search.sums[LEFT, c] = 0
        for r in range(self.lo, self.hi):
            code = self.grid[self.bag[r] & mask, f]
            if code > cut:
                after = code if code < after else after
                continue
            before = code if code > before else before
            times = (self.bag[r] >> TIMES) & 255
            if self.classes:
                search.sums[LEFT, self.bag[r] >> LABEL] += times
            else:
                search.sums[LEFT, 0] += times
                search.sums[LEFT, 1] += self.measured[r - self.lo]
        for c in range(self.k):
            search.sums[RIGHT, c] = search.sums[TOTAL, c] - search.sums[LEFT, c]
        self.ends[0] = before
        self.ends[1] = after
