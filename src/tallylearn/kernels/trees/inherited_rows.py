"""Inherited rows: bagged rows of nodes that look at every column, as those of a regression do.

What a node counts by code is not lost to its children: the smaller one is counted, and what is left
of the parent's counts is the other's. Small nodes are put in order once, and never again.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.bagged_rows import BaggedRows
    from tallylearn.kernels.trees.code_sums import TOTAL
    from tallylearn.kernels.trees.few_rows import TIMES
    from tallylearn.kernels.trees.settings import GAIN, NUMBER, Amounts, Columns
    from tallylearn.kernels.trees.short_lists import ShortLists

LISTED = cython.declare(cython.int, 2**30)  # the slot of a node whose rows are in short lists
BLOCK = cython.declare(cython.longlong, 256)  # rows that stay in the cache while columns change


class InheritedRows(BaggedRows):
    """``hists`` (slots, p * codes * 2): how often rows of every code count, and their sums of y.

    ``free``: slots that no node holds. A node of at most ``lists.most`` rows has lists instead; one
    of more without a slot is counted column by column, as bagged rows are. ``block``: rows that are
    counted next, and ``pairs`` what each amounts to.
    """

    def __init__(self, columns: Columns, amounts: Amounts, grid, bag, slots, most):
        BaggedRows.__init__(self, columns, amounts, grid, bag)
        if amounts.classes or not self.counted or most > 65536:
            raise ValueError("trees.inherited_rows.InheritedRows: it takes measures without weight")
        self.lists = ShortLists(columns, amounts, grid, bag, self.cuts, most)
        self.size_of = 2 * columns.widest
        self.hists = np.empty((slots, columns.p * self.size_of), np.int64)
        self.free, self.n_free = np.arange(slots, dtype=np.int32), slots
        self.block, self.pairs = np.zeros(BLOCK, np.int64), np.zeros(2 * BLOCK, np.int64)
        self.slot = -1

    def open(self, lo, hi, slot):
        self.lo = lo
        self.hi = hi
        self.slot = slot

    def total(self, sums):
        c: cython.Py_ssize_t
        if self.slot != LISTED:
            return BaggedRows.total(self, sums)
        self.gathered = False
        for c in range(self.q):
            sums[TOTAL, c] = 0
        return self.lists.total(self.lo, self.hi, sums, self.measured)

    def take_slot(self, slot):
        if slot < 0 and self.hi - self.lo <= self.lists.most:
            self.lists.open(self.lo, self.hi)
            slot = LISTED
        elif slot < 0:
            slot = self.new_slot()
            if slot >= 0:
                self.empty(slot)
                self.add(slot, self.lo, self.hi, 1)
        self.slot = slot
        return slot

    def new_slot(self):
        if self.n_free == 0:
            return -1
        self.n_free -= 1
        return self.free[self.n_free]

    def give_back(self, slot):
        if 0 <= slot < LISTED:
            self.free[self.n_free] = slot
            self.n_free += 1

    def empty(self, slot):
        i: cython.Py_ssize_t
        for i in range(self.hists.shape[1]):
            self.hists[slot, i] = 0

    def add(self, slot, lo, hi, sign):
        """Count the rows from lo to hi, all columns of some before those of others."""
        i: cython.Py_ssize_t
        f: cython.Py_ssize_t
        n: cython.Py_ssize_t
        r: cython.longlong = lo
        times: cython.longlong
        mask: cython.longlong = 4294967295
        while r < hi:
            n = min(hi - r, BLOCK)
            for i in range(n):
                times = (self.bag[r + i] >> TIMES) & 255
                self.block[i] = self.bag[r + i] & mask
                self.pairs[2 * i] = sign * times
                self.pairs[2 * i + 1] = sign * times * self.levels[self.block[i]]
            for f in range(self.columns.p):
                self.add_block(f, n, self.hists[slot, f * self.size_of : (f + 1) * self.size_of])
            r += n

    def add_block(self, f, n, out):
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        times: cython.longlong
        y: cython.longlong
        for i in range(n):
            at = 2 * cython.cast(cython.Py_ssize_t, self.grid[self.block[i], f])
            times = out[at] + self.pairs[2 * i]
            y = out[at + 1] + self.pairs[2 * i + 1]
            out[at] = times
            out[at + 1] = y

    def survey(self, search):
        """Look at the columns of short lists all at once; whether their cuts are known now."""
        self.surveyed = (
            self.slot == LISTED and self.swept(search) and search.settings.scorer == GAIN
        )
        if self.surveyed:
            self.lists.survey(self.lo, self.hi, search)

    def known(self, f, search):
        if self.surveyed and self.columns.kinds[f] == NUMBER and self.lists.done[f]:
            return True
        if self.columns.kinds[f] != NUMBER or self.columns.slopes[f] or not self.swept(search):
            return BaggedRows.known(self, f, search)
        if self.slot < 0 or self.slot == LISTED:
            return BaggedRows.known(self, f, search)
        if self.hists[self.slot, f * self.size_of + 2 * self.columns.gaps[f]]:
            return BaggedRows.known(self, f, search)
        return self.known_counts(f, search)

    def known_counts(self, f, search):
        """The best cut of numbers without a gap, from counts that were inherited."""
        code: cython.Py_ssize_t
        m: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t = f * self.size_of
        n: cython.longlong = 0
        y: cython.longlong = 0
        least: cython.longlong = max(search.min_leaf, search.min_weight)
        after: cython.double
        self.cuts[f, 0] = -1
        for code in range(self.columns.gaps[f]):
            n += self.hists[self.slot, at + 2 * code]
            y += self.hists[self.slot, at + 2 * code + 1]
            self.by_code.running[2 * m] = n
            self.by_code.running[2 * m + 1] = y
            self.seen[m] = code
            m += self.hists[self.slot, at + 2 * code] > 0
        after = self.by_code.least_variance(
            m - 1, n, y, search.impurity.middle, least, search.impurity.slack
        )
        if after < 1e300:
            search.note(f, after, 0.0)
            self.cuts[f, 0] = self.seen[self.by_code.at]
            self.cuts[f, 1] = self.seen[self.by_code.at + 1]
        return True

    def count_codes(self, f):
        """Take what is counted of a column, if that was inherited."""
        i: cython.Py_ssize_t
        codes: cython.Py_ssize_t = self.columns.gaps[f] + 1
        if self.slot < 0 or self.slot == LISTED:
            BaggedRows.count_codes(self, f)
            return
        for i in range(2 * codes):
            self.hist[i] = self.hists[self.slot, f * self.size_of + i]
        self.list_seen(codes)

    def bequeath(self, growing):
        """What children inherit: their lists, or what is counted of them."""
        c: cython.int
        parted: cython.bint = False
        for c in range(self.children):
            self.heirs[c] = -1
            parted = parted or growing[c]
        if self.slot != LISTED:
            self.leave_counts(growing)
            return
        for c in range(self.children):
            self.heirs[c] = LISTED
        if parted:
            self.lists.part(self.lo, self.hi, self.starts, self.children)

    def leave_counts(self, growing):
        """The parent's counts less those of all other children are the largest child's."""
        c: cython.int
        i: cython.Py_ssize_t
        big: cython.int = 0
        own: cython.Py_ssize_t
        for c in range(self.children):
            if self.size(c) > self.size(big):
                big = c
        if self.slot < 0 or not self.worth(big, growing):
            self.give_back(self.slot)
            return
        self.heirs[big] = self.slot
        for c in range(self.children):
            own = self.new_slot() if c != big and self.worth(c, growing) else -1
            if own >= 0:
                self.heirs[c] = own
                self.empty(own)
                self.add(own, self.starts[c], self.starts[c + 1], 1)
                for i in range(self.hists.shape[1]):
                    self.hists[self.slot, i] -= self.hists[own, i]
            elif c != big:
                self.add(self.slot, self.starts[c], self.starts[c + 1], -1)

    def worth(self, c, growing):
        """Whether a child needs counts: if it is split again, and too large for lists."""
        return growing[c] and self.size(c) > self.lists.most
