"""Short lists: the rows of a small node in the order of every column, parted down to its leaves.

A node that looks at every column needs the order of all of them, and so do its children: rows are
put in order once, and each list is parted stably from then on. All of it fits the nearest cache.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.code_sums import TOTAL
    from tallylearn.kernels.trees.few_rows import LABEL, TIMES
    from tallylearn.kernels.trees.impurity import Sweep
    from tallylearn.kernels.trees.settings import NUMBER, Amounts, Columns

GAPPED = cython.declare(cython.double, -2.0)  # some values of the column are missing
NONE = cython.declare(cython.double, -1.0)  # no cut may be
HEAVIEST = cython.declare(cython.longlong, 1024)  # the weight up to which inverses are looked up
NEAR = cython.declare(cython.double, 1.0 - 1e-12)  # beyond all rounding of a few products


class ShortLists:
    """The rows of a run of the bag that begins at ``base``, and of all nodes within it.

    ``lists`` (p, most): of the columns ``asked``, code * 2^16 + place, which is that in the run as
    it was at first; an entry of the bag has its place in the bits of its class. By place: ``rows``,
    ``pairs``, how often each counts and that times y, ``each``, what it amounts to, and ``side``:
    its child.
    ``best``: what the best cut of a column takes from the squares. ``cuts``: see ``bagged_rows``.
    """

    def __init__(self, columns: Columns, amounts: Amounts, grid, bag, cuts, most):
        self.columns, self.grid, self.bag, self.cuts = columns, grid, bag, cuts
        self.amounts, self.levels, self.q = amounts.amounts, amounts.levels, amounts.q
        plain = (np.asarray(columns.kinds) == NUMBER) & (np.asarray(columns.slopes) == 0)
        plain = plain[: columns.p] & (np.asarray(columns.gaps)[: columns.p] > 0)
        self.asked = np.flatnonzero(plain).astype(np.int32)
        self.lists = np.zeros((columns.p, most), np.uint32)
        self.spare, self.keys = np.zeros((2, most), np.uint32)
        self.places = np.zeros(257, np.int32)
        self.pairs, self.each = np.zeros(2 * most, np.int64), np.zeros((most, amounts.q), np.int64)
        self.side, self.rows = np.zeros(most, np.int32), np.zeros(most, np.int64)
        self.codes, self.done = np.zeros(most, np.int32), np.zeros(columns.p, np.int32)
        self.starts = np.zeros(columns.branches + 1, np.int64)
        self.sweep = Sweep(np.zeros(0, np.int64), np.arange(most, dtype=np.int32), 2)
        self.best = np.zeros(columns.p)
        self.inverses = np.append(0.0, 1.0 / np.arange(1, HEAVIEST))
        self.barred = np.array([0.0, -1e300])
        self.most, self.base = most, 0

    def open(self, lo, hi):
        """Put the rows of a node in order."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        entry: cython.longlong
        times: cython.longlong
        mask: cython.longlong = 4294967295
        one: cython.longlong = 1
        self.base = lo
        for i in range(hi - lo):
            entry = self.bag[lo + i] & ((one << LABEL) - 1)
            self.bag[lo + i] = entry | (cython.cast(cython.longlong, i) << LABEL)
            times = (entry >> TIMES) & 255
            self.rows[i] = entry & mask
            for c in range(self.q):
                self.each[i, c] = times * self.amounts[entry & mask, c]
            self.pairs[2 * i] = times
            self.pairs[2 * i + 1] = times * self.levels[entry & mask]
        for i in range(self.asked.shape[0]):
            self.sort(self.asked[i], hi - lo)

    def sort(self, f, n):
        """The list of a column: by the lower half of its codes, then by the upper."""
        i: cython.Py_ssize_t
        code: cython.uint
        place: cython.uint
        for i in range(n):
            code = cython.cast(cython.uint, self.grid[self.rows[i], f])
            place = cython.cast(cython.uint, i)
            self.keys[i] = (code << 16) | place
        self.scatter(16, n)
        if self.columns.gaps[f] > 255:
            for i in range(n):
                self.keys[i] = self.spare[i]
            self.scatter(24, n)
        for i in range(n):
            self.lists[f, i] = self.spare[i]

    def scatter(self, shift, n):
        """Keys in the order of eight of their bits, and in their own where these are equal."""
        i: cython.Py_ssize_t
        digit: cython.Py_ssize_t
        for i in range(257):
            self.places[i] = 0
        for i in range(n):
            self.places[((self.keys[i] >> shift) & 255) + 1] += 1
        for i in range(256):
            self.places[i + 1] += self.places[i]
        for i in range(n):
            digit = (self.keys[i] >> shift) & 255
            self.spare[self.places[digit]] = self.keys[i]
            self.places[digit] += 1

    def total(self, lo, hi, sums, measured):
        """What the rows of a node amount to; whether their y are all alike."""
        r: cython.longlong
        c: cython.Py_ssize_t
        at: cython.Py_ssize_t
        mixed_up: cython.bint = False
        y: cython.longlong = self.levels[self.rows[self.bag[lo] >> LABEL]]
        for r in range(lo, hi):
            at = self.bag[r] >> LABEL
            for c in range(self.q):
                sums[TOTAL, c] += self.each[at, c]
            measured[r - lo] = self.pairs[2 * at + 1]
            mixed_up = mixed_up or self.levels[self.rows[at]] != y
        return not mixed_up

    def survey(self, lo, hi, search):
        """The best cut of every column that is asked; ``done``: those without a gap.

        What is far from the best of all is not divided out.
        """
        i: cython.Py_ssize_t
        f: cython.Py_ssize_t
        at: cython.Py_ssize_t = lo - self.base
        top: cython.double = NONE
        slack: cython.double = search.impurity.slack
        self.weight = search.sums[TOTAL, 0]
        self.middle = search.impurity.middle
        self.least = max(search.min_leaf, search.min_weight)
        self.whole = search.sums[TOTAL, 1] - self.middle * self.weight
        if hi - lo == 2:
            self.survey_two(lo, search)
            return
        for i in range(self.asked.shape[0]):
            f = self.asked[i]
            if self.weight < HEAVIEST:
                self.best[f] = self.guess(f, at, at + hi - lo)
            else:
                self.best[f] = self.exact(f, at, at + hi - lo, slack)
            top = self.best[f] if self.best[f] > top else top
        top = NEAR * top - 2.0 * slack
        for i in range(self.asked.shape[0]):
            f = self.asked[i]
            self.done[f] = self.best[f] != GAPPED
            self.cuts[f, 0] = -1
            if self.best[f] >= 0:
                if self.best[f] >= top:
                    self.best[f] = self.exact(f, at, at + hi - lo, slack)
                search.note(f, -self.best[f], 0.0)

    def survey_two(self, lo, search):
        """The same of two rows: every column that tells them apart gains the same."""
        i: cython.Py_ssize_t
        f: cython.Py_ssize_t
        one: cython.Py_ssize_t = self.bag[lo] >> LABEL
        other: cython.Py_ssize_t = self.bag[lo + 1] >> LABEL
        code: cython.longlong
        after: cython.longlong
        mass: cython.double
        self.sweep.running[0] = self.pairs[2 * one]
        self.sweep.running[1] = self.pairs[2 * one + 1]
        mass = self.sweep.least_variance(
            1, self.weight, self.whole + self.middle * self.weight, self.middle, self.least, 0.0
        )
        for i in range(self.asked.shape[0]):
            f = self.asked[i]
            code = self.grid[self.rows[one], f]
            after = self.grid[self.rows[other], f]
            self.done[f] = code != self.columns.gaps[f] and after != self.columns.gaps[f]
            self.cuts[f, 0] = -1
            if code != after and mass < 1e300 and self.done[f]:
                self.cuts[f, 0] = code if code < after else after
                self.cuts[f, 1] = after if code < after else code
                search.note(f, mass, 0.0)

    def guess(self, f, at, end):
        """What the best cut takes from the squares, up to some units in the last place.

        Between equal codes no cut is, which nothing else could guess: -1e300 is added there.
        """
        i: cython.Py_ssize_t
        place: cython.Py_ssize_t
        entry: cython.uint
        after: cython.uint = self.lists[f, at]
        weight: cython.longlong = 0
        y: cython.longlong = 0
        a: cython.double
        b: cython.double
        whole: cython.double = cython.cast(cython.double, self.whole)
        best: cython.double = NONE
        if self.lists[f, end - 1] >> 16 == self.columns.gaps[f]:
            return GAPPED
        for i in range(at + 1, end):
            entry = after
            after = self.lists[f, i]
            place = entry & 65535
            weight += self.pairs[2 * place]
            y += self.pairs[2 * place + 1]
            if weight < self.least:
                continue
            if self.weight - weight < self.least:
                break
            a = cython.cast(cython.double, y - self.middle * weight)
            b = whole - a
            a = a * a * self.inverses[weight] + b * b * self.inverses[self.weight - weight]
            a = a + self.barred[1 if (entry ^ after) < 65536 else 0]
            best = a if a > best else best
        return best

    def exact(self, f, at, end, slack):
        """The same to the last bit, and the codes beside the first cut that is tied with it."""
        i: cython.Py_ssize_t
        m: cython.Py_ssize_t = 0
        place: cython.Py_ssize_t
        weight: cython.longlong = 0
        y: cython.longlong = 0
        after: cython.double
        if self.lists[f, end - 1] >> 16 == self.columns.gaps[f]:
            return GAPPED
        for i in range(at, end - 1):
            place = self.lists[f, i] & 65535
            weight += self.pairs[2 * place]
            y += self.pairs[2 * place + 1]
            self.sweep.running[2 * m] = weight
            self.sweep.running[2 * m + 1] = y
            self.codes[m] = self.lists[f, i] >> 16
            m += (self.lists[f, i] ^ self.lists[f, i + 1]) >> 16 != 0
        self.codes[m] = self.lists[f, end - 1] >> 16
        after = self.sweep.least_variance(
            m, self.weight, self.whole + self.middle * self.weight, self.middle, self.least, slack
        )
        if after == 1e300:
            return NONE
        self.cuts[f, 0] = self.codes[self.sweep.at]
        self.cuts[f, 1] = self.codes[self.sweep.at + 1]
        return -after

    def part(self, lo, hi, starts, children):
        """Part the lists of a node whose rows have been parted, by child.

        Two rows are compared without any: a child of so few is left out.
        """
        i: cython.Py_ssize_t
        c: cython.int
        r: cython.longlong
        several: cython.int = 0
        last: cython.int = 0
        for c in range(children):
            if starts[c + 1] - starts[c] > 2:
                several += 1
                last = c
            for r in range(starts[c], starts[c + 1]):
                self.side[self.bag[r] >> LABEL] = c
        for i in range(self.asked.shape[0] if several else 0):
            if several == 1:
                self.keep(self.asked[i], lo - self.base, hi - lo, last, starts[last] - lo)
            elif children == 2:
                self.halve(self.asked[i], lo - self.base, hi - lo)
            else:
                for c in range(children):
                    self.starts[c] = starts[c] - lo
                self.spread(self.asked[i], lo - self.base, hi - lo)

    def keep(self, f, at, n, child, start):
        """The one child that needs a list."""
        i: cython.Py_ssize_t
        m: cython.Py_ssize_t = 0
        for i in range(at, at + n):
            self.spare[m] = self.lists[f, i]
            m += self.side[self.lists[f, i] & 65535] == child
        for i in range(m):
            self.lists[f, at + start + i] = self.spare[i]

    def halve(self, f, at, n):
        """Two children. Both places are written, and one of them counts: no branch to guess."""
        i: cython.Py_ssize_t
        s: cython.Py_ssize_t
        entry: cython.uint
        left: cython.Py_ssize_t = at
        right: cython.Py_ssize_t = 0
        for i in range(at, at + n):
            entry = self.lists[f, i]
            s = self.side[entry & 65535]
            self.lists[f, left] = entry
            self.spare[right] = entry
            right += s
            left += 1 - s
        for i in range(right):
            self.lists[f, left + i] = self.spare[i]

    def spread(self, f, at, n):
        """Several children."""
        i: cython.Py_ssize_t
        c: cython.int
        for i in range(n):
            c = self.side[self.lists[f, at + i] & 65535]
            self.spare[self.starts[c]] = self.lists[f, at + i]
            self.starts[c] += 1
        for i in range(n):
            self.lists[f, at + i] = self.spare[i]
