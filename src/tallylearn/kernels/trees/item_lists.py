"""Item lists: rows that may be split into parts, sorted by code in every column.

Every column keeps the items of a node, rows or parts of rows, in a run of its list, sorted by code,
as ``sorted_lists`` does; see ``item_parts`` for the runs and the numbers of items. A split sends an
item without a value to all runs of the children, or to one of them where ``missing`` says so.
"""

import cython
import numpy as np
from cython.cimports.libc.math import floor, log

if not cython.compiled:
    from tallylearn.kernels.trees.code_sums import TOTAL
    from tallylearn.kernels.trees.item_parts import ItemParts, nearest, widened
    from tallylearn.kernels.trees.rows import Rows
    from tallylearn.kernels.trees.settings import IN_PARTS, NUMBER, POISSON

LOW_BITS = cython.declare(cython.longlong, 0xFFFFFFFF)  # an entry's item; a limb of a long integer
LOG_SCALE = cython.declare(cython.double, 64.0)  # y log y is divided by it: see settings.Amounts


class ItemLists(Rows):
    """The items of a node are a run of every list.

    ``entries`` (p, size): code * 2^32 + item. ``sums`` (size, q): what an item adds to a line of a
    regression; of classes it adds its weight, and the rows that it counts for.
    """

    def __init__(self, columns, amounts, rule, criterion, *, entries, units, row_units):
        n = len(units)
        Rows.__init__(self, columns, amounts, np.zeros(0, np.uint8), np.zeros(0, np.int32), 0)
        short = len(entries) < columns.p or entries.shape[1] < n
        if short or (rule == IN_PARTS and amounts.rows_at < 0):
            raise ValueError("trees.item_lists.ItemLists: its arrays do not agree in length")
        self.in_parts, self.poisson = rule == IN_PARTS, criterion == POISSON
        self.rows_at = amounts.rows_at
        self.items = ItemParts(units, row_units, columns.branches)
        self.entries, self.spare = entries[:, :n].copy(), np.zeros(n, np.int64)
        self.sums = np.zeros((0 if self.classes else n, amounts.q), np.int64)
        self.row_counts = np.zeros(columns.branches + 1, np.int64)
        self.limbs = np.zeros(6, np.int64)
        for item in range(0 if self.classes else n):
            self.amount(item)

    def enlarge(self):
        """Make room for the items of the split that found none."""
        self.items.enlarge()
        size = self.items.size
        self.entries, self.spare = widened(self.entries, size), np.zeros(size, np.int64)
        if not self.classes:
            self.sums = np.ascontiguousarray(widened(np.asarray(self.sums).T, size).T)
        self.full = False

    def open(self, lo, hi, slot):
        self.lo = lo
        self.hi = hi
        self.items.open(lo, slot)

    def amount(self, item):
        """What an item adds to a line of a regression."""
        y: cython.longlong = self.levels[self.items.row[item]]
        w: cython.longlong = self.items.units[item]
        self.sums[item, 0] = w
        self.multiply(item, y, w)
        if self.poisson:
            self.add_log(item, y, w)
        else:
            self.square(item, y, w)
        if self.rows_at >= 0:
            self.sums[item, self.rows_at] = self.items.counted[item]

    def multiply(self, item, y, w):
        """w y in two limbs: without its lowest 32 bits, and those."""
        low: cython.ulonglong = cython.cast(cython.ulonglong, y & LOW_BITS)
        low = low * cython.cast(cython.ulonglong, w & LOW_BITS)
        self.sums[item, 1] = (y >> 32) * w + (y & LOW_BITS) * (w >> 32)
        self.sums[item, 1] += cython.cast(cython.longlong, low >> 32)
        self.sums[item, 6] = cython.cast(cython.longlong, low & LOW_BITS)

    def square(self, item, y, w):
        """w y^2 in four limbs of 32 bits, the lowest first.

        y = a 2^32 + b, so y^2 = a^2 2^64 + 2 a b 2^32 + b^2: three limbs, each times both halves of
        w.
        """
        i: cython.Py_ssize_t
        a: cython.longlong = abs(y) >> 32
        b: cython.longlong = abs(y) & LOW_BITS
        low: cython.ulonglong = cython.cast(cython.ulonglong, b) * cython.cast(cython.ulonglong, b)
        cross: cython.longlong = 2 * a * b
        for i in range(6):
            self.limbs[i] = 0
        self.add_product(0, cython.cast(cython.longlong, low & LOW_BITS), w)
        self.add_product(1, cython.cast(cython.longlong, low >> 32) + (cross & LOW_BITS), w)
        self.add_product(2, (cross >> 32) + a * a, w)
        for i in range(3):
            self.limbs[i + 1] += self.limbs[i] >> 32
            self.limbs[i] &= LOW_BITS
        self.limbs[3] += self.limbs[4] << 32
        for i in range(4):
            self.sums[item, 2 + i] = self.limbs[i]

    def add_product(self, at, x, w):
        """Add x w to the limbs from one on."""
        self.add_limbs(at, x & LOW_BITS, w & LOW_BITS)
        self.add_limbs(at + 1, x >> 32, w & LOW_BITS)
        self.add_limbs(at + 1, x & LOW_BITS, w >> 32)
        self.add_limbs(at + 2, x >> 32, w >> 32)

    def add_limbs(self, at, x, w):
        """Add x w, both below 2^32, to two limbs."""
        product: cython.ulonglong = cython.cast(cython.ulonglong, x)
        product = product * cython.cast(cython.ulonglong, w)
        self.limbs[at] += cython.cast(cython.longlong, product & LOW_BITS)
        if at < 5:
            self.limbs[at + 1] += cython.cast(cython.longlong, product >> 32)

    def add_log(self, item, y, w):
        """w y log(y) / 64, in two limbs."""
        x: cython.double = cython.cast(cython.double, y)
        told: cython.double = x * log(x if x > 1 else 1.0) / LOG_SCALE * w
        high: cython.double
        if told < 4503599627370496.0:  # 2^52: doubles from there on are whole
            told = cython.cast(cython.double, nearest(told))
        high = floor(told / 4294967296.0)
        self.sums[item, 2] = cython.cast(cython.longlong, told - high * 4294967296.0)
        self.sums[item, 3] = cython.cast(cython.longlong, high)

    def total(self, sums):
        r: cython.longlong
        c: cython.Py_ssize_t
        for c in range(self.q):
            sums[TOTAL, c] = 0
        for r in range(self.lo, self.hi):
            self.add(self.entries[0, r] & LOW_BITS, sums[TOTAL])
        return self.one_class(sums) if self.classes else self.one_level()

    def add(self, item, line):
        """Add an item to a line, or to the totals of a node."""
        c: cython.Py_ssize_t
        if self.classes:
            line[self.labels[self.items.row[item]]] += self.items.units[item]
            if self.rows_at >= 0:
                line[self.rows_at] += self.items.counted[item]
            return
        for c in range(line.shape[0]):
            line[c] += self.sums[item, c]

    def one_level(self):
        """Whether all y of the node are equal; those without weight do not matter."""
        r: cython.longlong
        item: cython.Py_ssize_t
        some: cython.bint = False
        y: cython.longlong = 0
        for r in range(self.lo, self.hi):
            item = self.entries[0, r] & LOW_BITS
            if self.items.units[item] == 0:
                continue
            if not some:
                some = True
                y = self.levels[self.items.row[item]]
            elif self.levels[self.items.row[item]] != y:
                return False
        return True

    def row_count(self, sums):
        return sums[TOTAL, self.rows_at] if self.in_parts else self.hi - self.lo

    def child_rows(self, c):
        return self.row_counts[c] if self.in_parts else self.size(c)

    def begin(self, c):
        return self.items.starts[c]

    def size(self, c):
        return self.items.sizes[c]

    def tabulate(self, f, table):
        r: cython.longlong
        code: cython.longlong
        last: cython.longlong = -1
        n: cython.Py_ssize_t = -1
        for r in range(self.lo, self.hi):
            code = self.entries[f, r] >> 32
            if code != last:
                last = code
                n += 1
                table.start(n, code)
            self.add(self.entries[f, r] & LOW_BITS, table.lines[n])
        table.n = n + 1
        for r in range(n + 1):
            table.tag(r)

    def known(self, f, search):
        return self.entries[f, self.lo] >> 32 == self.entries[f, self.hi - 1] >> 32

    def take_sides(self, question):
        """The child of every item, or the numbers of its parts; ``full``: there is no room."""
        r: cython.longlong
        c: cython.int
        i: cython.Py_ssize_t
        item: cython.Py_ssize_t
        code: cython.longlong
        f: cython.Py_ssize_t = question.column
        self.children = question.children
        self.items.begin(self.children)
        for c in range(self.children):
            self.first[c] = -1
            self.mixed[c] = 0
            self.row_counts[c] = 0
        for r in range(self.lo, self.hi):
            code = self.entries[f, r] >> 32
            item = self.entries[f, r] & LOW_BITS
            if code != self.columns.gaps[f]:
                c = question.child_of(code) if question.kind == NUMBER else question.child[code]
            elif self.in_parts:
                self.items.lose(item)
                continue
            else:
                c = question.child_of_gap(self.labels[self.items.row[item]])
            self.items.keep(item, c)
            self.note(item, c, self.items.counted[item])
        self.items.number()
        self.full = self.items.full
        for i in range(self.items.n_lost if self.in_parts else 0):
            item = self.items.lost[i]
            for c in range(self.children):
                if self.items.part_of(item, c) > 0:
                    self.note(item, c, self.items.count_of(item, self.items.part_of(item, c)))

    def note(self, item, c, counted):
        """Note whether a child has several classes, or rows, and how many rows it has."""
        y: cython.longlong = self.items.row[item]
        if self.classes:
            y = self.labels[y]
        if self.first[c] < 0:
            self.first[c] = y
        elif y != self.first[c]:
            self.mixed[c] = 1
        self.row_counts[c] += counted

    def part_first(self):
        """Split the items without a value."""
        i: cython.Py_ssize_t
        self.items.split()
        for i in range(0 if self.classes else self.items.n_lost * self.children):
            if self.items.parts[i] >= 0:
                self.amount(self.items.parts[i])

    def bequeath(self, growing):
        c: cython.int
        for c in range(self.children):
            self.heirs[c] = self.items.used

    def part(self, f, spare):
        self.items.scatter(self.entries[f], self.hi, spare)
