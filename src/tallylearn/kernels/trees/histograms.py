"""Histograms: what the rows of every code of a column amount to; they add up.

Where all columns have few codes none is kept as a list: the rows of a node are a run of one list,
and their codes stand in a grid. Of the children of a node all but the largest are counted; what is
left of the parent's histograms is that of the largest. ``count`` counts some rows of one column
into a histogram, for callers that keep rows in ways of their own: those of parts of a table add up
to that of the table, and ``choice.Choice.best`` takes them.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.code_sums import TOTAL
    from tallylearn.kernels.trees.rows import Rows
    from tallylearn.kernels.trees.settings import Amounts

MAX_SORTED_ROWS = cython.declare(
    cython.longlong, 32
)  # rows: as many are sorted sooner than codes are counted


def count(
    amounts: Amounts,
    codes: cython.const[cython.ushort][::1],
    rows: cython.const[cython.int][::1],
    ys: cython.const[cython.longlong][::1],
    out: cython.longlong[::1],
):
    """Add some rows to the histogram (codes * k,) of a column.

    ``codes`` (n,): of all rows. ``ys``: the class, or y, of those that are counted.
    """
    codes_of: cython.Py_ssize_t = out.shape[0] // amounts.k
    r: cython.Py_ssize_t
    if ys.shape[0] < rows.shape[0] or codes.shape[0] < amounts.n:
        raise ValueError("trees.histograms.count: the lengths of its arrays do not agree")
    for r in range(rows.shape[0]):
        if not (0 <= rows[r] < amounts.n and codes[rows[r]] < codes_of):
            raise ValueError("trees.histograms.count: a row or a code is beyond the end")
    with cython.nogil:
        add_rows(amounts, codes, rows, ys, out)


class Histograms(Rows):
    """Rows by code, and the histograms of the nodes that wait.

    ``grid`` (p, n): the codes. ``order`` (n,): the rows of all nodes, and ``ys``: the class, or y,
    of the rows in this order. ``hists`` (slots, p * codes * k): of some nodes. ``inherits``:
    whether all columns are looked at, so that a histogram of them all is worth keeping.
    """

    def __init__(self, columns, amounts, half, side, most, *, grid, order, ys, slots, inherits):
        Rows.__init__(self, columns, amounts, half, side, most)
        self.grid, self.order, self.ys, self.inherits = grid, order, ys, inherits
        if len(grid) < columns.p or min(grid.shape[1], len(order), len(ys)) < amounts.n:
            raise ValueError("trees.histograms.Histograms: its arrays do not agree in length")
        self.codes = columns.widest
        self.size_of = self.codes * amounts.k
        self.hists = np.empty((slots, columns.p * self.size_of), np.int64)
        self.tally = np.empty(self.size_of, np.int64)
        self.free = np.arange(slots, dtype=np.int32)
        self.n_free = slots
        self.slot = self.largest = -1
        self.building = False

    def count(self, sums):
        r: cython.longlong
        for r in range(self.lo, self.hi):
            sums[TOTAL, self.ys[r]] += 1

    def read_rows(self):
        r: cython.longlong
        for r in range(self.lo, self.hi):
            self.spare[r - self.lo] = self.order[r]

    def read(self, f):
        r: cython.longlong
        row: cython.longlong
        for r in range(self.lo, self.hi):
            row = cython.cast(cython.longlong, self.order[r])
            self.spare[r - self.lo] = (cython.cast(cython.longlong, self.grid[f, row]) << 32) | row

    def fill(self, f, lo, hi, out):
        """Count the rows from lo to hi of a column, code by code."""
        c: cython.Py_ssize_t
        for c in range(out.shape[0]):
            out[c] = 0
        add_rows(self.amounts, self.grid[f], self.order[lo:hi], self.ys[lo:hi], out)

    def prepare(self, f):
        if self.building:
            self.fill(
                f, self.lo, self.hi,
                self.hists[self.slot, f * self.size_of : (f + 1) * self.size_of],
            )  # fmt: skip

    def settle(self):
        self.building = False

    def tabulate(self, f, table):
        counts: cython.longlong[::1] = self.tally
        if self.slot < 0 and self.hi - self.lo <= MAX_SORTED_ROWS:
            self.tabulate_few(f, table)
            return
        if self.slot >= 0:
            counts = self.hists[self.slot, f * self.size_of : (f + 1) * self.size_of]
        if self.slot < 0 or self.building:
            self.fill(f, self.lo, self.hi, counts)
        table.n = table.take(counts, self.columns.gaps[f] + 1, self.amounts.rows_at)

    def tabulate_few(self, f, table):
        """Rows sorted by their codes: few take less than a histogram."""
        r: cython.Py_ssize_t
        i: cython.Py_ssize_t
        m: cython.Py_ssize_t = self.hi - self.lo
        n: cython.Py_ssize_t = -1
        key: cython.longlong
        mask: cython.longlong = 4294967295
        self.read(f)
        for r in range(m):
            key = self.spare[r]
            i = r
            while i > 0 and self.spare[i - 1] > key:
                self.spare[i] = self.spare[i - 1]
                i -= 1
            self.spare[i] = key
        for r in range(m):
            if r == 0 or self.spare[r] >> 32 != self.spare[r - 1] >> 32:
                n += 1
                table.start(n, self.spare[r] >> 32)
            add_row(self.amounts, self.spare[r] & mask, table.lines[n], 0)
        for i in range(n + 1):
            table.tag(i)
        table.n = n + 1

    def worth(self, rows):
        """Whether so many rows are worth histograms: fewer are sorted sooner than codes are."""
        return rows >= self.codes and self.inherits

    def take_slot(self, slot):
        self.building = False
        if slot < 0 and self.worth(self.hi - self.lo):
            slot = self.new_slot()
            self.building = slot >= 0
        self.slot = slot
        return slot

    def new_slot(self):
        if self.n_free == 0:
            return -1
        self.n_free -= 1
        return self.free[self.n_free]

    def give_back(self, slot):
        if slot >= 0:
            self.free[self.n_free] = slot
            self.n_free += 1

    def bequeath(self, growing):
        """Which child takes what is left of the parent's slot, and which get slots of their own.

        The largest takes it, if it is to be split here; its brothers are counted for that too.
        """
        c: cython.int
        big: cython.int = 0
        for c in range(self.children):
            self.heirs[c] = -1
            if self.size(c) > self.size(big):
                big = c
        self.largest = -1
        if self.slot >= 0 and growing[big] and self.worth(self.size(big)):
            self.largest = big
        for c in range(self.children):
            if c == self.largest:
                continue
            if self.largest >= 0 or (growing[c] and self.worth(self.size(c))):
                self.heirs[c] = self.new_slot()
                if self.heirs[c] < 0 and self.largest >= 0:
                    self.largest = -1
        if self.largest >= 0:
            self.heirs[self.largest] = self.slot
        else:
            self.give_back(self.slot)
        for c in range(self.children):
            if self.largest < 0 and self.heirs[c] >= 0:
                if not (growing[c] and self.worth(self.size(c))):
                    self.give_back(self.heirs[c])
                    self.heirs[c] = -1

    def part_first(self):
        """The rows of the node by child, in their order, and what they have for y."""
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        row: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.hi - self.lo
        for c in range(self.children):
            self.spare[n + c] = self.starts[c] - self.lo
        for r in range(n):
            row = self.order[self.lo + r]
            c = n + (self.half[row] if self.children == 2 else self.side[row])
            self.spare[self.spare[c]] = row
            self.spare[c] += 1
        for r in range(n):
            row = self.spare[r]
            self.order[self.lo + r] = row
            self.ys[self.lo + r] = self.labels[row] if self.classes else self.levels[row]

    def part(self, f, spare):
        """Count one column of the children; what is left of the parent's is the largest child's."""
        c: cython.Py_ssize_t
        i: cython.Py_ssize_t
        counts: cython.longlong[::1] = self.tally
        left: cython.longlong[::1] = self.tally
        size: cython.Py_ssize_t = self.size_of
        if self.largest >= 0:
            left = self.hists[self.slot, f * size : (f + 1) * size]
        for c in range(self.children):
            if c == self.largest or (self.largest < 0 and self.heirs[c] < 0):
                continue
            counts = self.hists[self.heirs[c], f * size : (f + 1) * size]
            self.fill(f, self.starts[c], self.starts[c + 1], counts)
            if self.largest >= 0:
                for i in range(counts.shape[0]):
                    left[i] -= counts[i]


def add_rows(amounts, codes, rows, ys, out):
    """What some rows amount to, by code; see ``count``."""
    r: cython.Py_ssize_t
    k: cython.Py_ssize_t = amounts.k
    if amounts.rows_at < 0 and not amounts.classes and k == 2:
        add_measures(codes, rows, ys, out)
    elif amounts.rows_at < 0 and amounts.classes:
        add_classes(codes, rows, ys, k, out)
    else:
        for r in range(rows.shape[0]):
            add_row(amounts, rows[r], out, cython.cast(cython.Py_ssize_t, codes[rows[r]]) * k)


def add_classes(codes, rows, ys, k, out):
    """The rows of every class for each code."""
    r: cython.Py_ssize_t
    for r in range(rows.shape[0]):
        out[cython.cast(cython.Py_ssize_t, codes[rows[r]]) * k + ys[r]] += 1


def add_measures(codes, rows, ys, out):
    """How many rows of every code, and the sum of their y."""
    r: cython.Py_ssize_t
    c: cython.Py_ssize_t
    for r in range(rows.shape[0]):
        c = 2 * cython.cast(cython.Py_ssize_t, codes[rows[r]])
        out[c] += 1
        out[c + 1] += ys[r]


def add_row(amounts, row, out, at):
    """What one row amounts to."""
    c: cython.Py_ssize_t
    if not amounts.classes:
        for c in range(amounts.k):
            out[at + c] += amounts.amounts[row, c]
    elif amounts.rows_at < 0:
        out[at + amounts.labels[row]] += 1
    else:
        out[at + amounts.labels[row]] += amounts.amounts[row, 0]
        out[at + amounts.k - 1] += 1
