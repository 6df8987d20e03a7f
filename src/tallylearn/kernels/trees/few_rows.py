"""Few rows: those of a small node, put in order column by column, by comparing all with all.

Most nodes of a full tree have a handful of rows, and looking for the codes that they have among
all that there are takes longer than anything else. So many comparisons of each with each are done
at once, and none is guessed, that this is faster than sorting.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.impurity import Sweep

    FEW, TIMES, LABEL = 32, 32, 40


class FewRows:
    """The rows of a node, at most ``FEW``: see ``bagged_rows`` for the arrays that it shares.

    ``rows``: their places in the table. ``pairs``: what each amounts to, the rows of both classes,
    or how often it counts and y. ``keys``: the code of a column, times FEW, and the place;
    ``ranks``: how many keys are below. ``codes``: those that occur, in order, and in ``sweep``
    their counts.
    """

    def __init__(self, grid, bag, measured, classes):
        self.grid, self.bag, self.measured, self.classes = grid, bag, measured, classes
        if not classes and len(measured) < min(FEW, len(bag)):
            raise ValueError("trees.few_rows.FewRows: its arrays do not agree in length")
        self.sweep = Sweep(np.zeros(2 * FEW, np.int64), np.arange(FEW, dtype=np.int32), 2)
        if not cython.compiled:
            self.rows, self.keys, self.ranks = [0] * FEW, [0] * FEW, [0] * FEW
            self.order, self.codes, self.pairs = [0] * FEW, [0] * FEW, [0] * (2 * FEW)

    def open(self, lo, hi):
        """The rows of a node."""
        i: cython.Py_ssize_t
        entry: cython.longlong
        times: cython.longlong
        mask: cython.longlong = 4294967295
        self.n = hi - lo
        for i in range(self.n):
            entry = self.bag[lo + i]
            times = (entry >> TIMES) & 255
            self.rows[i] = entry & mask
            if self.classes:
                self.pairs[2 * i] = 0
                self.pairs[2 * i + 1] = 0
                self.pairs[2 * i + (entry >> LABEL)] = times
            else:
                self.pairs[2 * i] = times
                self.pairs[2 * i + 1] = self.measured[i]

    def arrange(self, f):
        """Count the rows by their code in a column; how many codes there are."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.n
        key: cython.int
        for i in range(n):
            self.keys[i] = cython.cast(cython.int, self.grid[self.rows[i], f]) * FEW + i
            self.ranks[i] = 0
        for i in range(n):
            key = self.keys[i]
            for j in range(n):
                self.ranks[j] += self.keys[j] > key
        for i in range(n):
            self.order[self.ranks[i]] = self.keys[i]
        return self.count()

    def count(self):
        """What the rows in order amount to, code by code."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        code: cython.int
        last: cython.int = -1
        n: cython.Py_ssize_t = -1
        for i in range(self.n):
            at = self.order[i] & (FEW - 1)
            code = self.order[i] // FEW
            if code != last:
                n += 1
                last = code
                self.codes[n] = code
                self.sweep.counts[2 * n] = 0
                self.sweep.counts[2 * n + 1] = 0
            self.sweep.counts[2 * n] += self.pairs[2 * at]
            self.sweep.counts[2 * n + 1] += self.pairs[2 * at + 1]
        return n + 1
