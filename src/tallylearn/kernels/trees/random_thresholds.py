"""Drawn cuts: of every column one cut by chance, in place of the best (Geurts and others, 2006)."""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.random_numbers import mixed, uniform
    from tallylearn.kernels.trees.settings import NUMBER, Columns

NO_CUT = cython.declare(cython.Py_ssize_t, -2)
MOST_TRIES = cython.declare(cython.int, 64)  # of coins that all fall on one side


class Draws:
    """What is drawn at a node follows from its ``seed``, and from the place of a column.

    ``ranks``: of the columns, among those that can be asked. ``points``: where their numbers are
    parted. ``keys`` and ``rare`` are those of the search, of the lines of its ``table``.
    """

    def __init__(self, columns: Columns, table, keys, rare):
        self.columns, self.table, self.keys, self.rare = columns, table, keys, rare
        self.seed, self.points = 0, np.zeros(columns.p)
        self.ranks = np.cumsum(np.asarray(columns.gaps)[: columns.p] > 0)

    def line_before(self, f, pooled):
        """The line before the cut of a column, or none; of categories, in the order of the keys."""
        if self.table.n < 2:
            return NO_CUT
        return self.cut(f) if self.columns.kinds[f] == NUMBER else self.sides(f, pooled)

    def chance(self, f):
        """What a column draws from at a node."""
        seed: cython.ulonglong = cython.cast(cython.ulonglong, self.seed)
        return mixed(seed ^ mixed(self.ranks[f]))

    def between(self, f, first, last):
        """A number drawn evenly between those of two codes."""
        at: cython.Py_ssize_t = self.columns.starts[f]
        u: cython.double = uniform(self.chance(f))
        low: cython.double = self.columns.high[at + first]
        return low * (1.0 - u) + self.columns.low[at + last] * u  # their difference may overflow

    def part_at(self, f, point, before, after):
        """Note where numbers are parted: all rows of the code before the cut are on the left."""
        at: cython.Py_ssize_t = self.columns.starts[f]
        edge: cython.double = self.columns.high[at + before]
        self.points[f] = point if edge < point < self.columns.low[at + after] else edge

    def cut(self, f):
        """The line before a number that is drawn; neither side is empty."""
        r: cython.Py_ssize_t = 0
        n: cython.Py_ssize_t = self.table.n
        at: cython.Py_ssize_t = self.columns.starts[f]
        point: cython.double = self.between(f, self.table.codes[0], self.table.codes[n - 1])
        while r < n - 2 and self.columns.low[at + self.table.codes[r + 1]] <= point:
            r += 1
        self.part_at(f, point, self.table.codes[r], self.table.codes[r + 1])
        return r

    def sides(self, f, pooled):
        """A coin for every category, one for all rare ones, until neither side is empty."""
        r: cython.Py_ssize_t
        tries: cython.Py_ssize_t = 0
        left: cython.Py_ssize_t
        coin: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.table.n
        z: cython.ulonglong = self.chance(f)
        while tries < MOST_TRIES:
            tries += 1
            left = 0
            for r in range(n):
                coin = n if pooled and self.rare[r] else r
                self.keys[r] = mixed(z ^ mixed(coin)) & 1
                left += self.keys[r] == 0
            if 0 < left < n:
                return left - 1
            z = mixed(z)
        return NO_CUT
