"""Rows: those of a node are a run of a list; they are counted, and parted by child.

What ways to keep rows have in common: ``sorted_lists`` and ``histograms`` are two. Both give the
lines of a column for the same search, and part the run of a node into those of its children.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.code_sums import TOTAL
    from tallylearn.kernels.trees.settings import NUMBER, Amounts


class Rows:
    """The rows of a node, from ``lo`` to ``hi``.

    ``half``, ``side`` (n,): the child of every row, where there are two, or more; all growers of a
    table share them. Children ``starts``; ``first``: the class, or the row, of the first row of
    each, and ``mixed``: whether another came. ``heirs``: the histograms of each; -1 none.
    ``by_column``: whether anything is parted that belongs to one column. ``full``: whether there
    was no room for the children of the last split. What ``labels``, ``each`` and ``levels`` say of
    every row is that of the amounts, nearer at hand.
    """

    def __init__(self, columns, amounts: Amounts, half, side, most):
        self.columns, self.amounts, self.half, self.side = columns, amounts, half, side
        self.classes, self.k, self.q = amounts.classes, amounts.k, amounts.q
        self.labels, self.each, self.levels = amounts.labels, amounts.amounts, amounts.levels
        if most > min(len(half), len(side)):
            raise ValueError("trees.rows.Rows: the lengths of its arrays do not agree")
        self.by_column, self.full = True, False
        self.starts = np.zeros(columns.branches + 1, np.int64)
        self.first = np.zeros(columns.branches + 1, np.int64)
        self.mixed = np.zeros(columns.branches + 1, np.int32)
        self.heirs = np.full(columns.branches + 1, -1, np.int32)
        self.spare = np.zeros(most + columns.branches, np.int64)

    def open(self, lo, hi, slot):
        """Work on the rows of a node, which inherited what stands in a slot; -1 nothing."""
        self.lo = lo
        self.hi = hi

    def total(self, sums):
        """The totals of the node; whether its rows are all alike."""
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        row: cython.Py_ssize_t
        classes: cython.int = self.classes
        for c in range(self.q):
            sums[TOTAL, c] = 0
        if classes and self.k == classes:
            self.count(sums)
            return self.one_class(sums)
        self.read_rows()
        for r in range(self.hi - self.lo):
            row = self.spare[r]
            if classes:
                sums[TOTAL, self.labels[row]] += self.each[row, 0]
                sums[TOTAL, classes] += 1
            else:
                for c in range(self.q):
                    sums[TOTAL, c] += self.each[row, c]
        return self.one_class(sums) if classes else self.one_measure()

    def one_class(self, sums):
        """Whether all weight is of one class."""
        c: cython.Py_ssize_t
        weight: cython.longlong = 0
        most: cython.longlong = 0
        for c in range(self.classes):
            weight += sums[TOTAL, c]
            most = sums[TOTAL, c] if sums[TOTAL, c] > most else most
        return weight == most

    def one_measure(self):
        """Whether all y of the rows that were read are equal; no weight does not matter."""
        r: cython.Py_ssize_t
        row: cython.Py_ssize_t
        some: cython.bint = False
        y: cython.longlong = 0
        for r in range(self.hi - self.lo):
            row = self.spare[r]
            if self.each[row, 0] == 0:
                continue
            if not some:
                some = True
                y = self.levels[row]
            elif self.levels[row] != y:
                return False
        return True

    def count(self, sums):
        """The rows of every class, where they are only counted."""

    def read_rows(self):
        """Write the rows of the node into the spare."""

    def read(self, f):
        """Write the rows of the node, each with its code * 2^32, into the spare."""

    def tabulate(self, f, table):
        """The lines of a column, that of what is missing last."""

    def survey(self, search):
        """What can be found of all columns at once."""

    def known(self, f, search):
        """Whether the best question of a column was found without its lines, or there is none."""
        return False

    def prepare(self, f):
        """What can be done on any thread before ``tabulate``."""

    def settle(self):
        """All columns were looked at once."""

    def bare(self, f, search):
        """Whether the cuts of a column can be listed without its lines."""
        return False

    def list_cuts(self, f, search):
        """List the cuts that are as good as the best of a column, without its lines."""

    def take_sides(self, question):
        """The child of every row, and where each child starts."""
        r: cython.Py_ssize_t
        code: cython.longlong
        row: cython.Py_ssize_t
        mask: cython.longlong = 4294967295
        gap: cython.longlong = self.columns.gaps[question.column]
        cut: cython.longlong = question.cut
        number: cython.bint = question.kind == NUMBER
        c: cython.int
        y: cython.longlong
        self.children = question.children
        for c in range(self.children + 1):
            self.starts[c] = 0
            self.mixed[c] = 0
        self.read(question.column)
        for r in range(self.hi - self.lo):
            code = self.spare[r] >> 32
            row = self.spare[r] & mask
            if code == gap:
                c = question.child_of_gap(self.labels[row])
            elif number:
                c = 0 if code <= cut else 1
            else:
                c = question.child[code]
            if self.children == 2:
                self.half[row] = c
            else:
                self.side[row] = c
            y = self.labels[row] if self.classes else row
            if self.starts[c + 1] == 0:
                self.first[c] = y
            elif y != self.first[c]:
                self.mixed[c] = 1
            self.starts[c + 1] += 1
        self.starts[0] = self.lo
        for c in range(self.children):
            self.starts[c + 1] += self.starts[c]

    def size(self, c):
        """The rows of a child."""
        return self.starts[c + 1] - self.starts[c]

    def begin(self, c):
        """Where the run of a child begins."""
        return self.starts[c]

    def row_count(self, sums):
        """The rows of the node, given its totals, as ``min_split`` counts them."""
        return self.hi - self.lo

    def child_rows(self, c):
        """The rows of a child, as ``min_split`` counts them."""
        return self.size(c)

    def part_first(self):
        """Part what all columns share."""

    def part(self, f, spare):
        """Part what belongs to one column, on any thread."""

    def take_slot(self, slot):
        """The histograms of a node: those that it inherited, or new ones; -1 none."""
        return slot

    def give_back(self, slot):
        """A node needs its histograms no more."""

    def bequeath(self, growing):
        """Which children get histograms, of those that are growing."""
