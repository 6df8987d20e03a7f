"""C4.5 search: the gain ratio of every column, from lists of items that may be parts of rows.

Every column keeps the items of a node sorted by code. Weights are integers, so nothing depends on
the order of the rows. The readable version is ``models.trees.ratios``.
"""

import cython
import numpy as np
from cython.cimports.libc.math import ceil, log2

if not cython.compiled:
    from tallylearn.kernels.trees.impurity import xlogx
    from tallylearn.kernels.trees.settings import NUMBER

MASK = cython.declare(cython.longlong, 0xFFFFFFFF)
TIED = cython.declare(cython.double, 1e-9)  # of the impurity, or of the best ratio
RECHECKED_RATIO_GAP = cython.declare(
    cython.double, 1e-6
)  # of the best ratio: settled by a closer look
NOTHING = cython.declare(cython.double, 1e-6)  # of a gain, a ratio or a weight
NEAR = cython.declare(cython.double, 1e-3)  # below the mean gain
MAX_SIDE_ROWS = cython.declare(cython.double, 25.0)  # rows that a side of a cut must have


class C45Search:
    """A node, and its columns one after the other; items are numbered within their node."""

    def __init__(
        self, columns, limits, ties, classes, *, crowded, reach, starts, logs, row, weighed
    ):
        p = columns.p
        self.row, self.weighed = row, weighed
        self.columns, self.limits, self.ties, self.k = columns, limits, ties, classes
        self.crowded, self.reach, self.starts, self.logs = crowded, reach, starts, logs
        if min(len(crowded), len(starts) - 1) < p or len(reach) < starts[p]:
            raise ValueError("trees.c45_search.C45Search: the lengths of its arrays do not agree")
        self.total, self.sides = np.zeros(classes, np.int64), np.zeros((2, classes), np.int64)
        self.side_logs, self.found = np.zeros((2, classes)), np.zeros(3)
        self.gains, self.ways = np.zeros((p, 2)), np.zeros(p, np.int64)

    def hold(self, lists, units, labels, rows):
        """The items; called again with more room where it was not enough.

        ``rows``: how many rows each stands for, in units of ``row``. Where weights are numbers of
        rows it is ``units`` itself.
        """
        size = lists.shape[1]
        if len(lists) < self.columns.p or min(len(units), len(labels), len(rows)) < size:
            raise ValueError("trees.c45_search.C45Search: the lengths of its arrays do not agree")
        self.lists, self.units, self.labels, self.rows = lists, units, labels, rows
        self.after = np.zeros(len(units))

    def sum_up(self, s, m):
        """What a node holds, and how mixed it is."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        units: cython.longlong = 0
        rows: cython.longlong = 0
        self.flat = not self.weighed
        for c in range(self.k):
            self.total[c] = 0
        for i in range(s, s + m):
            self.total[self.labels[i]] += self.units[i]
            units += self.units[i]
            rows += self.rows[i]
            if self.units[i] != self.units[s]:
                self.flat = False
        self.each = self.units[s] * self.limits.one
        self.weight = units * self.limits.one
        self.all_rows = rows
        self.n_rows = rows * self.row
        self.impurity = 0.0
        for c in range(self.k):
            self.impurity -= xlogx(self.total[c] * self.limits.one / self.weight)
        self.impurity += 0.0  # no negative zero

    def asks(self, counts, rows, depth):
        """Whether a node may ask at all: where two branches have no room none is ever found."""
        c: cython.Py_ssize_t
        classes: cython.Py_ssize_t = 0
        n: cython.double = rows * self.row
        for c in range(self.k):
            classes += counts[c] > 0
        if classes < 2 or depth >= self.limits.max_depth:
            return False
        if n < self.limits.min_split - NOTHING:  # parts of rows may fall short of a whole one
            return False
        return n >= 2.0 * self.limits.min_leaf - 10.0 * NOTHING

    def choose(self, s, m):
        """The column to ask; -1: none, -2: there is no room for its ties.

        Every column is gauged; those close to the best are looked at once more, cut by cut.
        """
        j: cython.Py_ssize_t
        some: cython.Py_ssize_t = 0
        mean: cython.double = 0.0
        top: cython.double = 0.0
        best: cython.double = 0.0
        for j in range(self.columns.p):
            self.look(j, s, m)
            if self.gains[j, 1] >= 0 and not self.crowded[j]:
                mean += self.gains[j, 0]
                some += 1
        mean = mean / some - NEAR if some else 1e300
        for j in range(self.columns.p):
            if self.gains[j, 0] < mean or self.gains[j, 1] <= NOTHING:
                self.gains[j, 1] = -1.0
            top = max(top, self.gains[j, 1])
        for j in range(self.columns.p):
            if self.gains[j, 1] < top - RECHECKED_RATIO_GAP:
                self.gains[j, 1] = -1.0
            elif self.gains[j, 1] > 0 and self.columns.kinds[j] == NUMBER:
                self.look_closely(j, s, m)
            best = max(best, self.gains[j, 1])
        return self.list_best(s, m, best) if best > 0 else -1

    def list_best(self, s, m, top):
        """The first of the best columns, with its first cut; all are listed if there are more."""
        j: cython.Py_ssize_t
        ties: cython.Py_ssize_t = self.ties.n
        asked: cython.Py_ssize_t = -1
        for j in range(self.columns.p):
            if self.gains[j, 1] < top - TIED * max(top, self.impurity):
                continue
            if self.columns.kinds[j] == NUMBER:
                self.list_cuts(j, s, m)
            else:
                self.ties.note(j, -1, -1)
            if self.ties.full():
                self.ties.n = ties
                return -2
            asked = j if asked < 0 else asked
        self.cut = self.ties.ties[ties, 1]
        self.next = self.ties.ties[ties, 2]
        self.gain = self.gains[asked, 0]
        if self.weight / self.limits.whole * self.gain + 1e-12 < self.limits.min_decrease:
            asked = -1
        if self.ties.n == ties + 1 or asked < 0:
            self.ties.n = ties
        return asked

    def list_cuts(self, j, s, m):
        """The cuts that are as good as the best."""
        i: cython.Py_ssize_t
        fine: cython.double
        best: cython.double = self.look_closely(j, s, m)
        slack: cython.double = TIED * min(self.known, self.weight * self.impurity)
        fine = log2(cython.cast(cython.double, self.ways[j])) / self.n_rows
        for i in range(s, s + m - 1):
            if self.after[i] > best + slack:
                continue
            if (self.before - self.after[i]) / self.weight - fine > NOTHING:
                self.ties.note(j, self.lists[j, i] >> 32, self.lists[j, i + 1] >> 32)

    def stand_above(self, j, s, m):
        """All items with an answer stand above the cut; returns where they end."""
        c: cython.Py_ssize_t
        item: cython.Py_ssize_t
        units: cython.longlong = 0
        rows: cython.longlong = self.all_rows
        end: cython.Py_ssize_t = s + m
        bound: cython.longlong = self.columns.gaps[j] << 32
        for c in range(self.k):
            self.sides[0, c] = 0
            self.sides[1, c] = self.total[c]
        while end > s and self.lists[j, end - 1] >= bound:
            end -= 1
            item = s + (self.lists[j, end] & MASK)
            self.sides[1, self.labels[item]] -= self.units[item]
            rows -= self.rows[item]
        for c in range(self.k):
            units += self.sides[1, c]
        self.known = units * self.limits.one
        self.known_rows = rows
        self.before = xlogx(self.known)
        for c in range(self.k):
            self.before -= xlogx(self.sides[1, c] * self.limits.one)
        self.least = 0.1 * (rows * self.row) / self.k
        if self.least <= self.limits.min_leaf + NOTHING:
            self.least = self.limits.min_leaf
        elif self.least > MAX_SIDE_ROWS:
            self.least = MAX_SIDE_ROWS
        self.least -= NOTHING
        return end

    def look(self, j, s, m):
        """What a column could gain, and its ratio."""
        end: cython.Py_ssize_t = self.stand_above(j, s, m)
        least: cython.Py_ssize_t
        self.gains[j, 0] = 0.0
        self.gains[j, 1] = -1.0
        self.ways[j] = 0
        if end == s:
            return
        if self.columns.kinds[j] != NUMBER:
            self.ask_all(j, s, end)
            return
        if self.flat:
            least = cython.cast(cython.Py_ssize_t, ceil(self.least / self.each))
            by_counts(
                self.lists[j, s:end], self.labels[s : s + m],
                self.reach[self.starts[j] : self.starts[j + 1]], self.logs, self.sides,
                self.units[s], least, self.found,
            )  # fmt: skip
            self.note_cut(
                j, cython.cast(cython.Py_ssize_t, self.found[0]), self.found[1] * self.each,
                self.found[2] * self.each,
            )  # fmt: skip
        else:
            self.found[0] = self.row
            self.found[1] = self.least
            self.found[2] = self.limits.one
            by_parts(
                self.lists[j, s:end], self.labels[s : s + m], self.units[s : s + m],
                self.rows[s : s + m], self.reach[self.starts[j] : self.starts[j + 1]], self.sides,
                self.side_logs, self.known_rows, self.found,
            )  # fmt: skip
            self.note_cut(
                j, cython.cast(cython.Py_ssize_t, self.found[0]), self.found[1], self.found[2]
            )

    def ask_all(self, j, s, end):
        """One branch a category: at least two with enough rows and weight."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        item: cython.Py_ssize_t
        enough: cython.Py_ssize_t = 0
        units: cython.longlong
        rows: cython.longlong = 0
        w: cython.double
        after: cython.double = 0.0
        parts: cython.double = 0.0
        for i in range(s, end):
            item = s + (self.lists[j, i] & MASK)
            self.sides[0, self.labels[item]] += self.units[item]
            rows += self.rows[item]
            if i + 1 < end and (self.lists[j, i] >> 32) == (self.lists[j, i + 1] >> 32):
                continue
            units = 0
            for c in range(self.k):
                units += self.sides[0, c]
                after -= xlogx(self.sides[0, c] * self.limits.one)
                self.sides[0, c] = 0
            w = units * self.limits.one
            after += xlogx(w)
            parts += xlogx(w)
            enough += (
                rows * self.row >= self.limits.min_leaf - NOTHING and w >= self.limits.min_weight
            )
            rows = 0
        if enough > 1:
            self.note(j, after, parts, 0.0)

    def note_cut(self, j, ways, after, below):
        """A cut, which is fined for the choice there was."""
        self.ways[j] = ways
        if ways == 0:
            return
        fine: cython.double = log2(cython.cast(cython.double, ways)) / self.n_rows
        self.note(j, after, xlogx(below) + xlogx(self.known - below), fine)
        if self.gains[j, 0] <= NOTHING:
            self.gains[j, 1] = -1.0

    def note(self, j, after, parts, fine):
        """Gain and ratio: the items without an answer are one more branch of the split."""
        gain: cython.double = max(self.before - after, 0.0) / self.weight - fine
        none: cython.double = max(self.weight - self.known, 0.0)
        info: cython.double = (xlogx(self.weight) - parts - xlogx(none)) / self.weight
        self.gains[j, 0] = gain
        self.gains[j, 1] = max(gain / info, 0.0) if info > 0 else 0.0

    def look_closely(self, j, s, m):
        """Every cut of a column, from its counts; the first of the best has the column's ratio.

        Returns what the best leaves mixed.
        """
        i: cython.Py_ssize_t
        end: cython.Py_ssize_t = self.stand_above(j, s, m)
        best: cython.double = 1e300
        slack: cython.double = TIED * min(self.known, self.weight * self.impurity)
        below: cython.longlong = 0
        rows: cython.longlong = 0
        for i in range(s, s + m):
            self.after[i] = 1e300
        for i in range(s, end - 1):
            below += self.move(j, s, i)
            rows += self.rows[s + (self.lists[j, i] & MASK)]
            self.after[i] = self.mixed_after(j, i, below * self.limits.one, rows)
            best = min(best, self.after[i])
        below = 0
        for i in range(s, end):
            below += self.units[s + (self.lists[j, i] & MASK)]
            if self.after[i] <= best + slack:
                self.note_cut(j, self.ways[j], self.after[i], below * self.limits.one)
                break
        return best

    def move(self, j, s, i):
        """The item at a place goes below the cut; returns its weight."""
        item: cython.Py_ssize_t = s + (self.lists[j, i] & MASK)
        self.sides[0, self.labels[item]] += self.units[item]
        self.sides[1, self.labels[item]] -= self.units[item]
        return self.units[item]

    def mixed_after(self, j, i, below, rows):
        """What a cut behind a place leaves mixed; 1e300 where there can be none."""
        c: cython.Py_ssize_t
        found: cython.double
        above: cython.double = self.known - below
        one: cython.double = self.limits.one
        code: cython.longlong = self.lists[j, i] >> 32
        if rows * self.row < self.least or (self.known_rows - rows) * self.row < self.least:
            return 1e300
        if (self.lists[j, i + 1] >> 32) < self.reach[self.starts[j] + code]:
            return 1e300
        found = xlogx(below) + xlogx(above)
        for c in range(self.k):
            found -= xlogx(self.sides[0, c] * one) + xlogx(self.sides[1, c] * one)
        return found


def by_counts(entries, labels, reach, logs, sides, unit, least, found):
    """The best cut of items that weigh the same: they are counted, and logarithms looked up.

    ``least`` items a side. Found: how many cuts there are, what the best leaves mixed, and how many
    items are below it.
    """
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = entries.shape[0]
    ways: cython.Py_ssize_t = 0
    below: cython.Py_ssize_t = 0
    a: cython.longlong
    b: cython.longlong
    e: cython.longlong
    then: cython.longlong = entries[0]
    after: cython.double
    best: cython.double = 1e300
    slack: cython.double = TIED * n
    sums: cython.double = 0.0
    for c in range(sides.shape[1]):
        sides[1, c] //= unit
        sums += logs[sides[1, c]]
    for i in range(1, n - least + 1):
        e = then
        then = entries[i]
        c = labels[e & MASK]
        a = sides[0, c]
        b = sides[1, c]
        sides[0, c] = a + 1
        sides[1, c] = b - 1
        sums += (logs[a + 1] - logs[a]) + (logs[b - 1] - logs[b])
        if i < least or (then >> 32) < reach[e >> 32]:
            continue
        ways += 1
        after = logs[i] + logs[n - i] - sums
        if after < best - slack:
            best = after
            below = i
    found[0] = ways
    found[1] = best
    found[2] = below


def by_parts(entries, labels, units, rows, reach, sides, logs, all_rows, found):
    """The best cut of items that weigh what they weigh; see ``by_counts``.

    ``found`` comes with the unit of rows, the least rows a side and the weight of a unit, and has
    the weight below the cut last. ``all_rows``: what the items stand for, in units of rows. The
    logarithms of a class are taken anew when another one comes, or a cut.
    """
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    last: cython.Py_ssize_t = -1
    n: cython.Py_ssize_t = entries.shape[0]
    ways: cython.Py_ssize_t = 0
    item: cython.Py_ssize_t
    u: cython.longlong = 0
    n_below: cython.longlong = 0
    all_: cython.longlong = 0
    row: cython.double = found[0]
    least: cython.double = found[1]
    one: cython.double = found[2]
    low: cython.double = 0.0
    below: cython.double
    after: cython.double
    best: cython.double = 1e300
    slack: cython.double
    sums: cython.double = 0.0
    for c in range(sides.shape[1]):
        all_ += sides[1, c]
        logs[0, c] = 0.0
        logs[1, c] = xlogx(sides[1, c] * one)
        sums += logs[1, c]
    slack = TIED * all_ * one
    for i in range(n - 1):
        item = entries[i] & MASK
        c = labels[item]
        if c != last and last >= 0:
            sums += moved(sides, logs, last, one)
        last = c
        sides[0, c] += units[item]
        sides[1, c] -= units[item]
        u += units[item]
        n_below += rows[item]
        below = u * one
        if n_below * row < least or (entries[i + 1] >> 32) < reach[entries[i] >> 32]:
            continue
        if (all_rows - n_below) * row < least:
            break
        ways += 1
        sums += moved(sides, logs, c, one)
        after = xlogx(below) + xlogx((all_ - u) * one) - sums
        if after < best - slack:
            best = after
            low = below
    found[0] = ways
    found[1] = best
    found[2] = low


def moved(sides, logs, c, one):
    """What x log2 x of a class has changed by on both sides."""
    a: cython.double = xlogx(sides[0, c] * one)
    b: cython.double = xlogx(sides[1, c] * one)
    found: cython.double = (a - logs[0, c]) + (b - logs[1, c])
    logs[0, c] = a
    logs[1, c] = b
    return found
