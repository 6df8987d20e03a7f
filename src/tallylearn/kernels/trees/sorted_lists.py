"""Sorted lists: every column keeps all rows, sorted by code; a node is a run of each.

A split parts every list stably, so that nothing is sorted again. Cuts through numbers are swept
from the list itself where rows are only counted: see ``impurity``.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.code_sums import TOTAL
    from tallylearn.kernels.trees.impurity import (
        gini,
        gini_of_two,
        many_classes,
        measures,
        two_classes,
        two_entropies,
        variance,
    )
    from tallylearn.kernels.trees.partition import halve, scatter
    from tallylearn.kernels.trees.rows import Rows
    from tallylearn.kernels.trees.settings import (
        BETTER_SIDE,
        GINI,
        NUMBER,
        OWN_BRANCH,
        RATIO,
        VARIANCE,
    )


class SortedLists(Rows):
    """``entries`` (p, n): code * 2^32 + class * 2^bits + row."""

    def __init__(self, columns, amounts, half, side, most, *, entries, bits):
        Rows.__init__(self, columns, amounts, half, side, most)
        self.entries, self.bits = entries, bits
        self.mask = 2**bits - 1
        self.moving = np.zeros((columns.p, amounts.classes), np.int64)
        if len(entries) < columns.p or entries.shape[1] < amounts.n:
            raise ValueError("trees.sorted_lists.SortedLists: its arrays do not agree in length")

    def count(self, sums):
        count(self.entries[0, self.lo : self.hi], self.bits, sums[TOTAL])

    def read_rows(self):
        r: cython.longlong
        for r in range(self.lo, self.hi):
            self.spare[r - self.lo] = self.entries[0, r] & self.mask

    def read(self, f):
        r: cython.longlong
        one: cython.longlong = 1
        mask: cython.longlong = ~((one << 32) - 1 - self.mask)  # all but the class
        for r in range(self.lo, self.hi):
            self.spare[r - self.lo] = self.entries[f, r] & mask

    def tabulate(self, f, table):
        r: cython.longlong
        c: cython.Py_ssize_t
        row: cython.Py_ssize_t
        n: cython.Py_ssize_t = -1
        k: cython.Py_ssize_t = self.k
        code: cython.longlong
        last: cython.longlong = -1
        label: cython.int
        if self.k == self.classes:
            table.n = count_lines(
                self.entries[f, self.lo : self.hi], self.bits, table.lines, table.codes, table.tags
            )
            return
        for r in range(self.lo, self.hi):
            code = self.entries[f, r] >> 32
            row = self.entries[f, r] & self.mask
            label = self.labels[row]
            if code != last:
                last = code
                n += 1
                for c in range(k):
                    table.lines[n, c] = 0
                table.codes[n] = code
                table.tags[n] = label if self.classes else -1
            if self.classes:
                table.lines[n, label] += self.each[row, 0]
                table.lines[n, k - 1] += 1
                if label != table.tags[n]:
                    table.tags[n] = -1
            else:
                for c in range(k):
                    table.lines[n, c] += self.each[row, c]
        table.n = n + 1

    def known(self, f, search):
        if self.entries[f, self.lo] >> 32 == self.entries[f, self.hi - 1] >> 32:
            return True
        return self.columns.kinds[f] == NUMBER and self.sweep(f, search)

    def sweep(self, f, search):
        """The best cut of a list of numbers without its lines; whether that could be done.

        It can where rows are only counted.
        """
        lo: cython.longlong = self.lo
        hi: cython.longlong = self.hi
        end: cython.longlong = hi
        some: cython.longlong = max(search.min_leaf, search.min_weight)
        criterion: cython.int = search.settings.criterion
        classes: cython.int = self.classes
        counted: cython.bint = classes > 0 and self.k == classes
        second: cython.longlong = search.sums[TOTAL, 1]
        after: cython.double
        gap: cython.double = 0.0
        apart: cython.double
        if search.settings.scorer == RATIO or search.settings.draws or self.columns.slopes[f]:
            return False
        if self.entries[f, hi - 1] >> 32 == self.columns.gaps[f]:
            end = known_end(self.entries[f, lo:hi], self.columns.gaps[f]) + lo
            if search.settings.rule == BETTER_SIDE or (
                search.settings.rule == OWN_BRANCH and hi - end < some
            ):
                return self.sweep_sides(f, search, end, some)
            if classes != 2 or not counted or search.settings.rule or criterion != GINI:
                return False
            second -= seconds(self.entries[f, end:hi], self.bits)
            gap = gini_of_two(search.sums[TOTAL, 1] - second, hi - end)
        if end < hi and (second == 0 or second == end - lo):
            after = 1e300  # all known rows are of one class: no cut is worth asking
        elif counted and criterion == GINI and classes == 2:
            after = two_classes(self.entries[f, lo:end], self.bits, second, some, 0, 0) + gap
        elif counted and criterion == GINI:
            after = many_classes(
                self.entries[f, lo:hi], self.bits, search.sums, self.moving[f], some
            )
        elif counted and classes == 2 and self.looked_up(search):
            after = two_entropies(
                self.entries[f, lo:hi], self.bits, second, some, search.settings.logs
            )
        elif criterion == VARIANCE and self.k == 2:
            after = measures(
                self.entries[f, lo:hi], self.levels, search.sums,
                search.impurity.middle, some, 0, 0,
            )  # fmt: skip
        else:
            return False
        if end < hi and hi - end >= some and end - lo >= some and end > lo:
            apart = gini_of_two(second, end - lo) + gap
            after = apart if apart < after else after
        if after < 1e300:
            search.note(f, after, 0.0)
        return True

    def sweep_sides(self, f, search, end, some):
        """The same where missing values, from ``end`` on, go with the side that they fit best.

        They stand behind all others: so they are right of every cut, and the last cut asks whether
        there is a value. Then they are left of every cut through the others.
        """
        lo: cython.longlong = self.lo
        hi: cython.longlong = self.hi
        middle: cython.longlong = search.impurity.middle
        gap: cython.longlong
        left: cython.double
        right: cython.double
        if search.settings.criterion == GINI and self.classes == 2 and self.k == 2:
            gap = seconds(self.entries[f, end:hi], self.bits)
            right = two_classes(
                self.entries[f, lo:hi], self.bits, search.sums[TOTAL, 1], some, 0, 0
            )
            left = two_classes(
                self.entries[f, lo:end], self.bits, search.sums[TOTAL, 1], some, hi - end, gap
            )
        elif search.settings.criterion == VARIANCE and self.classes == 0 and self.k == 2:
            gap = level_sum(self.entries[f, end:hi], self.levels, middle)
            right = measures(self.entries[f, lo:hi], self.levels, search.sums, middle, some, 0, 0)
            left = measures(
                self.entries[f, lo:end], self.levels, search.sums, middle, some, hi - end, gap
            )
        else:
            return False
        left = left if left < right else right
        if left < 1e300:
            search.note(f, left, 0.0)
        return True

    def looked_up(self, search):
        """Whether entropies come from a table of logarithms."""
        return search.settings.logs.shape[0] > search.rows and not search.impurity.careful

    def bare(self, f, search):
        if self.columns.kinds[f] != NUMBER or search.settings.scorer == RATIO:
            return False
        if self.columns.slopes[f] or search.settings.draws:
            return False
        if self.entries[f, self.hi - 1] >> 32 == self.columns.gaps[f]:
            return False
        if self.classes:
            return search.settings.criterion == GINI and self.k == self.classes
        return search.settings.criterion == VARIANCE and self.k == 2

    def list_cuts(self, f, search):
        r: cython.longlong
        c: cython.Py_ssize_t
        n: cython.longlong = self.hi - self.lo
        m: cython.longlong = 0
        left: cython.longlong = 0
        whole: cython.longlong = 0
        entry: cython.longlong
        middle: cython.longlong = search.impurity.middle
        one: cython.longlong = 1
        mask: cython.longlong = (one << (32 - self.bits)) - 1
        most: cython.double = search.impurity.before - search.gains[f] + search.impurity.slack
        least: cython.longlong = max(search.min_leaf, search.min_weight)
        a: cython.double
        b: cython.double
        for c in range(self.classes):
            self.moving[f, c] = 0
            whole += search.sums[TOTAL, c] * search.sums[TOTAL, c]
        if not self.classes:
            whole = search.sums[TOTAL, 1] - middle * n
        for r in range(self.lo, self.hi - 1):
            entry = self.entries[f, r]
            m += 1
            if self.classes:
                c = (entry >> self.bits) & mask
                left += 2 * self.moving[f, c] + 1
                whole -= 2 * (search.sums[TOTAL, c] - self.moving[f, c]) - 1
                self.moving[f, c] += 1
            else:
                left += self.levels[entry & self.mask] - middle
            if (entry ^ self.entries[f, r + 1]) >> 32 == 0 or m < least or n - m < least:
                continue
            if self.classes:
                a = gini(m * m - left, m) + gini((n - m) * (n - m) - whole, n - m)
            else:
                a = cython.cast(cython.double, left)
                b = cython.cast(cython.double, whole - left)
                a = -(variance(a, m) + variance(b, n - m))
            if a <= most:
                search.ties.note(f, entry >> 32, self.entries[f, r + 1] >> 32)

    def part(self, f, spare):
        if self.children == 2:
            halve(self.entries[f, self.lo : self.hi], self.mask, self.half, spare)
        else:
            scatter(
                self.entries[f, self.lo : self.hi], self.mask, self.side, self.starts,
                self.children, spare,
            )  # fmt: skip


def count(entries, bits, sums):
    """The rows of every class."""
    r: cython.Py_ssize_t
    one: cython.longlong = 1
    mask: cython.longlong = (one << (32 - bits)) - 1
    for r in range(entries.shape[0]):
        sums[(entries[r] >> bits) & mask] += 1


def count_lines(entries, bits, lines, codes, tags):
    """The rows of every class for each code, and the class of codes that have only one."""
    r: cython.Py_ssize_t = 0
    c: cython.Py_ssize_t
    first: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = entries.shape[0]
    code: cython.longlong
    twos: cython.longlong
    one: cython.longlong = 1
    mask: cython.longlong = (one << (32 - bits)) - 1
    while r < size:
        code = entries[r] >> 32
        first = r
        if lines.shape[1] == 2:
            twos = 0
            while r < size and entries[r] >> 32 == code:
                twos += (entries[r] >> bits) & 1
                r += 1
            lines[n, 0] = r - first - twos
            lines[n, 1] = twos
        else:
            for c in range(lines.shape[1]):
                lines[n, c] = 0
            while r < size and entries[r] >> 32 == code:
                lines[n, (entries[r] >> bits) & mask] += 1
                r += 1
        c = (entries[first] >> bits) & mask
        codes[n] = code
        tags[n] = c if lines[n, c] == r - first else -1
        n += 1
    return n


def known_end(entries, gap):
    """Where what is missing starts, at the end of a list."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = entries.shape[0]
    mid: cython.Py_ssize_t
    while low < high:
        mid = (low + high) >> 1
        if entries[mid] >> 32 < gap:
            low = mid + 1
        else:
            high = mid
    return low


def level_sum(entries, levels, middle):
    """The sum of y - middle."""
    r: cython.Py_ssize_t
    found: cython.longlong = 0
    mask: cython.longlong = 4294967295
    for r in range(entries.shape[0]):
        found += levels[entries[r] & mask] - middle
    return found


def seconds(entries, bits):
    """The rows of the second of two classes."""
    r: cython.Py_ssize_t
    n: cython.longlong = 0
    for r in range(entries.shape[0]):
        n += (entries[r] >> bits) & 1
    return n
