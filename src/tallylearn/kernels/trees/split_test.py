"""Question: what a node asks, and which code goes to which child."""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.code_sums import GAP, LEFT, RIGHT, TOTAL
    from tallylearn.kernels.trees.settings import AS_CLASS, AS_NODE, AS_TABLE, MULTIWAY, NUMBER
    from tallylearn.kernels.trees.split_search import Search


class Question:
    """A column, and its cut: the last code of the first branch and the next, or -1.

    Of two groups of categories ``cut`` is the child of rare values, and of all others; -1: none.
    ``gap_child``: where missing values go; -1 nowhere.
    """

    def __init__(self, settings, columns, search: Search):
        self.settings, self.columns, self.table = settings, columns, search.table
        self.child = np.zeros(columns.branches, np.int32)
        self.column = self.cut = self.next = -1

    def settle(self, search):
        """The children of the chosen column, whose lines stand in the table of the search."""
        r: cython.Py_ssize_t
        f: cython.Py_ssize_t = self.column
        self.kind = self.columns.kinds[f]
        self.gap_child = -1
        if self.kind == NUMBER:
            self.children = 2 if self.next >= 0 else 1
        elif self.kind == MULTIWAY:
            self.children = self.table.n
            for r in range(self.table.n):
                self.child[self.table.codes[r]] = r
        else:
            self.halve(search)
        if search.follows and self.children > 1 and self.table.gapped:
            self.gap_child = self.fitting_child(search)
        elif self.table.gapped:
            self.gap_child = self.children
            self.children += 1
        elif self.settings.rule == AS_TABLE:
            self.gap_child = self.child_of(self.columns.fixed[f])
        elif self.settings.rule == AS_NODE or self.settings.rule == AS_CLASS:
            self.gap_child = self.child_of(self.table.codes[self.table.fills[self.table.k]])

    def fitting_child(self, search):
        """The child that missing values fit best.

        Of two that they fit as well it is the one before the cut.
        """
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        side: cython.Py_ssize_t
        first: cython.int = 0
        if self.kind == MULTIWAY:
            return self.child[self.table.codes[search.fitting_line()]]
        if self.kind != NUMBER:
            first = self.child[self.table.codes[search.turn[0]]]
        for c in range(self.table.k):
            self.table.sums[LEFT, c] = 0
            self.table.sums[RIGHT, c] = 0
        for r in range(self.table.n):
            side = LEFT if self.child_of(self.table.codes[r]) == first else RIGHT
            for c in range(self.table.k):
                self.table.sums[side, c] += self.table.lines[r, c]
        search.slope = self.columns.slopes[self.column]
        return first if search.fits_left() else 1 - first

    def halve(self, search):
        """Two groups of categories: the first one is in the first; rare ones where ``cut`` says."""
        r: cython.Py_ssize_t
        swap: cython.int = 0
        n: cython.Py_ssize_t = self.table.n
        search.arrange(self.column, search.orders[self.column])
        search.find(self.column)
        self.children = 2 if 0 <= search.found < n - 1 else 1
        for r in range(n):
            if search.turn[r] == 0:
                swap = 0 if r <= search.found else 1
        for r in range(n):
            self.child[self.table.codes[search.turn[r]]] = swap if r <= search.found else 1 - swap
            if search.pooled and search.rare[search.turn[r]]:
                self.cut = self.child[self.table.codes[search.turn[r]]]

    def child_of(self, code):
        """The child of a code; -1 for a category that is not at the node."""
        r: cython.Py_ssize_t
        if self.kind == NUMBER:
            return 0 if code <= self.cut else 1
        for r in range(self.table.n):
            if self.table.codes[r] == code:
                return self.child[code]
        return -1

    def child_of_gap(self, label):
        """The child of a row of some class whose value is missing."""
        if self.settings.rule == AS_CLASS and self.table.classes:
            return self.child_of(self.table.codes[self.table.fills[label]])
        return self.gap_child

    def test(self):
        """The kind of question in the record: 1 threshold, 2 multiway, 3 subset, 4 presence."""
        return 4 if self.kind == NUMBER and self.next < 0 else self.kind + 1

    def significant(self, search):
        """Whether the classes differ between the branches more than chance lets them."""
        b: cython.Py_ssize_t
        c: cython.Py_ssize_t
        r: cython.Py_ssize_t
        seen: cython.Py_ssize_t = 0
        n: cython.double = search.impurity.weight
        m: cython.double
        x: cython.double
        chi: cython.double = -1.0
        for b in range(self.children):
            for c in range(self.table.k):
                self.table.sums[LEFT, c] = 0
                if self.table.gapped and b == self.gap_child:
                    self.table.sums[LEFT, c] = self.table.sums[GAP, c]
            for r in range(self.table.n):
                if self.child_of(self.table.codes[r]) == b:
                    for c in range(self.table.k):
                        self.table.sums[LEFT, c] += self.table.lines[r, c]
            m = cython.cast(cython.double, search.impurity.weigh(self.table.sums, LEFT))
            for c in range(self.table.classes):
                x = cython.cast(cython.double, self.table.sums[LEFT, c])
                if x > 0:
                    chi += x * x / (m * self.table.sums[TOTAL, c])
        for c in range(self.table.classes):
            seen += self.table.sums[TOTAL, c] > 0
        r = (self.children - 1) * (seen - 1)
        return chi * n * self.settings.one >= self.settings.critical[r]
