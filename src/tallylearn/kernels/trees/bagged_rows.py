"""Bagged rows: those that chance put into a bag, some of them more than once.

A node is a run of one list of rows, parted stably, so that they stay in the order of the table.
Only the columns that a node draws are counted, by code, and what was touched is wiped again: so
a node costs what it has rows, however many codes and columns there are. A row that is in the bag
twice counts as two rows.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.code_sums import GAP, KNOWN, TOTAL
    from tallylearn.kernels.trees.few_rows import FEW, LABEL, TIMES, FewRows
    from tallylearn.kernels.trees.impurity import Sweep, gini
    from tallylearn.kernels.trees.random_numbers import mixed
    from tallylearn.kernels.trees.rows import Rows
    from tallylearn.kernels.trees.settings import (
        AS_CLASS,
        AS_NODE,
        GAIN,
        GINI,
        NUMBER,
        RATIO,
        VARIANCE,
    )

MOST_TIMES = cython.declare(cython.int, 255)
MOST_WORDS = cython.declare(cython.int, 128)  # of 64 codes: more are looked through in vain
FEW_WORDS = cython.declare(cython.int, 8)  # fewer codes are counted one by one
BELOW = cython.declare(cython.double, 1.0 - 1e-12)  # beyond all rounding of a few products
NO_SIDES = np.zeros(0, np.uint8), np.zeros(0, np.int32)
BRUIJN = 285870213051386505  # times a power of two, its upper six bits tell which
PLACES = np.zeros(64, np.uint8)
PLACES[[(BRUIJN << bit & (2**64 - 1)) >> 58 for bit in range(64)]] = np.arange(64)


def fill(
    seed: cython.ulonglong,
    chances: cython.const[cython.ulonglong][::1],
    labels: cython.const[cython.int][::1],
    out: cython.longlong[::1],
):
    """Put rows into a bag, and say how many there are: row + times * 2^32 + class * 2^40.

    How often a row is in follows from the seed and its number alone: as many times as ``chances``,
    which rise, are not above its hash.
    """
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    times: cython.longlong
    label: cython.longlong
    z: cython.ulonglong
    mask: cython.ulonglong = 18446744073709551615
    if out.shape[0] < labels.shape[0] or chances.shape[0] > MOST_TIMES:
        raise ValueError("trees.bagged_rows.fill: the lengths of its arrays do not agree")
    with cython.nogil:
        for i in range(labels.shape[0]):
            z = mixed((seed + cython.cast(cython.ulonglong, i)) & mask)
            times = 0
            while times < chances.shape[0] and z >= chances[times]:
                times += 1
            if times:
                label = cython.cast(cython.longlong, labels[i])
                out[n] = i | (times << TIMES) | (label << LABEL)
                n += 1
    return n


class BaggedRows(Rows):
    """``grid`` (n, p): the codes of every row. ``bag``: see ``fill``; it is parted in place.

    ``hist`` (codes * k): what the rows of the node amount to, by code; nothing but zeros between
    two columns. ``marks``: a bit for every code that occurs, and ``seen``: these codes in order.
    ``measured``: times * y of the rows of the node. ``cuts`` (p, 2): the best cut of each column,
    the code before and after it; after it -1: is there a value; before it -1: look at the lines.
    ``words``: the rows of both classes by 64 codes; ``firsts`` and ``seconds``: those before each
    word; ``edges`` and ``bounds``: the mass by Gini after a cut before each word, and what no cut
    within it is below; ``alive``: words that may hold the best cut, ``picked``: their rows.
    ``top``: the greatest gain of the node so far.
    """

    def __init__(self, columns, amounts, grid, bag):
        Rows.__init__(self, columns, amounts, *NO_SIDES, 0)
        self.grid, self.bag, self.places, self.by_column = grid, bag, PLACES, False
        if len(grid) < amounts.n or grid.shape[1] < columns.p or min(columns.p, 1) == 0:
            raise ValueError("trees.bagged_rows.BaggedRows: its arrays do not agree in length")
        self.spare = np.zeros(len(bag) + columns.branches, np.int64)
        self.hist = np.zeros(columns.widest * amounts.k, np.int64)
        self.marks = np.zeros((columns.widest + 63) // 64, np.uint64)
        self.seen = np.zeros(columns.widest, np.int32)
        self.measured = np.zeros(0 if amounts.classes else len(bag), np.int64)
        self.by_code = Sweep(self.hist, self.seen, amounts.k)
        self.few = FewRows(grid, bag, self.measured, amounts.classes)
        self.cuts = np.full((columns.p, 2), -1, np.int64)
        self.sides = np.zeros(len(bag), np.int32)
        self.counted = amounts.rows_at < 0 and (amounts.classes > 0 or amounts.k == 2)
        self.words, self.alive = np.zeros(2 * MOST_WORDS, np.int64), np.zeros(MOST_WORDS, np.int32)
        self.firsts, self.seconds, self.edges, self.bounds = np.zeros((4, MOST_WORDS + 1))
        self.picked, self.top = np.zeros(columns.widest + 1, np.int32), -1.0

    def total(self, sums):
        c: cython.Py_ssize_t
        self.gathered = False
        self.top = -1.0
        for c in range(self.q):
            sums[TOTAL, c] = 0
        if self.classes and self.k == self.classes:
            self.count_rows(sums)
            return self.one_class(sums)
        return self.sum_rows(sums)

    def count_rows(self, sums):
        """The rows of every class; of two, without waiting for what was written last."""
        r: cython.longlong
        times: cython.longlong
        some: cython.longlong = 0
        second: cython.longlong = 0
        for r in range(self.lo, self.hi if self.classes == 2 else self.lo):
            times = (self.bag[r] >> TIMES) & 255
            some += times
            second += times & -(self.bag[r] >> LABEL)
        for r in range(self.lo, self.hi if self.classes != 2 else self.lo):
            sums[TOTAL, self.bag[r] >> LABEL] += (self.bag[r] >> TIMES) & 255
        if self.classes == 2:
            sums[TOTAL, 0] = some - second
            sums[TOTAL, 1] = second

    def sum_rows(self, sums):
        """What the rows amount to; whether they are all alike."""
        r: cython.longlong
        c: cython.Py_ssize_t
        row: cython.Py_ssize_t
        times: cython.longlong
        mask: cython.longlong = 4294967295
        y: cython.longlong = 0
        some: cython.bint = False
        mixed_up: cython.bint = False
        for r in range(self.lo, self.hi):
            row = self.bag[r] & mask
            times = (self.bag[r] >> TIMES) & 255
            if self.classes:
                sums[TOTAL, self.labels[row]] += times * self.each[row, 0]
                sums[TOTAL, self.classes] += times
                continue
            for c in range(self.q):
                sums[TOTAL, c] += times * self.each[row, c]
            self.measured[r - self.lo] = times * self.levels[row]
            if self.each[row, 0]:
                mixed_up = mixed_up or (some and self.levels[row] != y)
                some = True
                y = self.levels[row]
        return self.one_class(sums) if self.classes else not mixed_up

    def count_codes(self, f):
        """Count the rows of the node by their code in a column, and list the codes that occur.

        Where there are fewer rows than codes, those that occur are marked meanwhile.
        """
        codes: cython.Py_ssize_t = self.columns.gaps[f] + 1
        few: cython.bint = self.hi - self.lo < codes
        if self.counted and self.classes:
            self.add_classes(f, few)
        elif self.counted:
            self.add_measures(f, few)
        else:
            self.add_amounts(f)
            few = False
        if few:
            self.read_marks(codes)
        else:
            self.list_seen(codes)

    def add_classes(self, f, few):
        r: cython.longlong
        entry: cython.longlong
        code: cython.Py_ssize_t
        k: cython.Py_ssize_t = self.k
        bits: cython.ulonglong
        one: cython.ulonglong = 1
        mask: cython.longlong = 4294967295
        for r in range(self.lo, self.hi):
            entry = self.bag[r]
            code = cython.cast(cython.Py_ssize_t, self.grid[entry & mask, f])
            self.hist[code * k + (entry >> LABEL)] += (entry >> TIMES) & 255
            if few:
                bits = cython.cast(cython.ulonglong, self.marks[code >> 6])
                self.marks[code >> 6] = bits | cython.cast(cython.ulonglong, one << (code & 63))

    def add_measures(self, f, few):
        r: cython.longlong
        entry: cython.longlong
        code: cython.Py_ssize_t
        bits: cython.ulonglong
        one: cython.ulonglong = 1
        mask: cython.longlong = 4294967295
        for r in range(self.lo, self.hi):
            entry = self.bag[r]
            code = cython.cast(cython.Py_ssize_t, self.grid[entry & mask, f])
            self.hist[2 * code] += (entry >> TIMES) & 255
            self.hist[2 * code + 1] += self.measured[r - self.lo]
            if few:
                bits = cython.cast(cython.ulonglong, self.marks[code >> 6])
                self.marks[code >> 6] = bits | cython.cast(cython.ulonglong, one << (code & 63))

    def add_amounts(self, f):
        r: cython.longlong
        c: cython.Py_ssize_t
        row: cython.Py_ssize_t
        at: cython.Py_ssize_t
        times: cython.longlong
        mask: cython.longlong = 4294967295
        for r in range(self.lo, self.hi):
            row = self.bag[r] & mask
            times = (self.bag[r] >> TIMES) & 255
            at = cython.cast(cython.Py_ssize_t, self.grid[row, f]) * self.k
            if not self.classes:
                for c in range(self.k):
                    self.hist[at + c] += times * self.each[row, c]
            else:
                self.hist[at + self.labels[row]] += times * self.each[row, 0]
                self.hist[at + self.k - 1] += times

    def read_marks(self, codes):
        """The codes of the marks, in order; the marks are wiped."""
        w: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        code: cython.Py_ssize_t
        bits: cython.ulonglong
        last: cython.ulonglong
        mask: cython.ulonglong = 18446744073709551615
        bruijn: cython.ulonglong = 285870213051386505
        for w in range((codes + 63) >> 6):
            bits = cython.cast(cython.ulonglong, self.marks[w])
            self.marks[w] = 0
            while bits:
                last = bits & ((~bits & mask) + 1)
                code = cython.cast(cython.Py_ssize_t, self.places[((last * bruijn) & mask) >> 58])
                self.seen[n] = 64 * w + code
                n += 1
                bits ^= last
        self.n_seen = n

    def list_seen(self, codes):
        """The codes that have any row, of as many as there are."""
        code: cython.Py_ssize_t
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t = self.k
        some: cython.bint
        at: cython.Py_ssize_t = 0 if self.amounts.rows_at < 0 else self.amounts.rows_at
        for code in range(codes):
            some = self.hist[code * k + at] > 0
            if self.classes and self.amounts.rows_at < 0:
                for c in range(1, k):
                    some = some or self.hist[code * k + c] > 0
            self.seen[n] = code
            n += some
        self.n_seen = n

    def clear(self):
        """Wipe what was counted."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        for i in range(self.n_seen):
            for c in range(self.k):
                self.hist[self.seen[i] * self.k + c] = 0

    def tabulate(self, f, table):
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        self.count_codes(f)
        for i in range(self.n_seen):
            table.start(i, self.seen[i])
            for c in range(self.k):
                table.lines[i, c] = self.hist[self.seen[i] * self.k + c]
            table.tag(i)
        table.n = self.n_seen
        self.clear()

    def known(self, f, search):
        """The best cut of numbers, from their counts alone, where rows are only counted."""
        self.cuts[f, 0] = -1
        if self.columns.kinds[f] != NUMBER or self.columns.slopes[f] or not self.swept(search):
            return False
        if self.hi - self.lo <= FEW and self.k == 2:
            return self.known_few(f, search)
        if self.classes == 2 and self.hi - self.lo <= self.columns.gaps[f]:
            if FEW_WORDS <= self.columns.gaps[f] >> 6 < MOST_WORDS:
                return self.known_words(f, search)
        return self.known_many(f, search)

    def known_few(self, f, search):
        """The same of a small node: its rows are put in order, and no code is looked for."""
        n: cython.Py_ssize_t
        after: cython.double
        if not self.gathered:
            self.few.open(self.lo, self.hi)
            self.gathered = True
        n = self.few.arrange(f)
        if n < 2:
            return True
        if self.few.codes[n - 1] == self.columns.gaps[f]:
            return self.known_many(f, search)
        after = self.swept_cut(self.few.sweep, n, TOTAL, search)
        if after < 1e300:
            search.note(f, after, 0.0)
            self.cuts[f, 0] = self.few.codes[self.few.sweep.at]
            self.cuts[f, 1] = self.few.codes[self.few.sweep.at + 1]
        return True

    def known_many(self, f, search):
        """The same of many rows, which are counted by code."""
        after: cython.double
        gapped: cython.bint
        self.count_codes(f)
        if self.n_seen < 2:
            self.clear()
            return True
        gapped = self.seen[self.n_seen - 1] == self.columns.gaps[f]
        if gapped and (search.settings.rule == AS_NODE or search.settings.rule == AS_CLASS):
            self.clear()
            return False
        gapped = self.take_gap(f, search)
        if gapped and not search.own_branch():
            after = self.sweep_sides(f, search)
        else:
            after = self.sweep(search, gapped)
        if after < 1e300:
            search.note(f, after, 0.0)
            if not gapped:
                self.cuts[f, 0] = self.seen[self.by_code.at]
                self.cuts[f, 1] = self.seen[self.by_code.at + 1]
        self.n_seen += gapped
        self.clear()
        return True

    def swept(self, search):
        """Whether the criterion is one that is swept."""
        if not self.counted or search.settings.scorer == RATIO:
            return False
        return search.settings.criterion == (GINI if self.classes else VARIANCE)

    def take_gap(self, f, search):
        """Set what is missing apart; whether anything is."""
        c: cython.Py_ssize_t
        gap: cython.longlong = self.columns.gaps[f]
        gapped: cython.bint = self.seen[self.n_seen - 1] == gap
        for c in range(self.k):
            search.sums[GAP, c] = self.hist[gap * self.k + c] if gapped else 0
            search.sums[KNOWN, c] = search.sums[TOTAL, c] - search.sums[GAP, c]
        self.n_seen -= gapped
        return gapped

    def sweep(self, search, gapped):
        """The least mass after a cut, or after asking whether there is a value; 1e300: none.

        Where all known rows are of one class, only the latter is asked: see ``split_search``.
        """
        gap: cython.double
        known: cython.double
        after: cython.double = 1e300
        if not gapped:
            return self.swept_cut(self.by_code, self.n_seen, KNOWN, search)
        gap = search.impurity.mass(search.sums, GAP)
        known = search.impurity.mass(search.sums, KNOWN)
        if known > 0 or not self.classes:
            after = self.swept_cut(self.by_code, self.n_seen, KNOWN, search)
        if known < after and search.enough(search.sums, KNOWN) and search.enough(search.sums, GAP):
            after = known
        return after + gap if after < 1e300 else after

    def sweep_sides(self, f, search):
        """The least mass after a cut, where missing values go with the side that they fit best.

        Their code is the last of all, and then the first: so they are right of every cut, and then
        left. The cut beside it asks whether there is a value.
        """
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.n_seen + 1
        left: cython.double
        right: cython.double
        for c in range(self.k):
            search.sums[KNOWN, c] = search.sums[TOTAL, c]
        right = self.swept_cut(self.by_code, n, TOTAL, search)
        for i in range(n - 1):
            self.seen[n - 1 - i] = self.seen[n - 2 - i]
        self.seen[0] = self.columns.gaps[f]
        left = self.swept_cut(self.by_code, n, TOTAL, search)
        return left if left < right else right

    def swept_cut(self, sweep, n, of, search):
        """The least mass after a cut through n codes, whose sums are those ``of`` a line."""
        least: cython.longlong = max(search.min_leaf, search.min_weight)
        slack: cython.double = search.impurity.slack
        first: cython.longlong = search.sums[of, 0]
        if self.classes == 2:
            return sweep.two_classes(n, first, search.sums[of, 1], least, slack)
        if self.classes:
            return sweep.many_classes(n, search.sums, least, slack)
        return sweep.measures(n, first, search.sums[of, 1], search.impurity.middle, least, slack)

    def bare(self, f, search):
        return self.cuts[f, 0] >= 0

    def list_cuts(self, f, search):
        search.ties.note(f, self.cuts[f, 0], self.cuts[f, 1])

    def take_sides(self, question):
        """Part the rows of the node by child, each in the order of the table."""
        c: cython.int
        self.children = question.children
        for c in range(self.children + 1):
            self.starts[c] = 0
            self.mixed[c] = 1
            self.heirs[c] = -1
        if question.kind == NUMBER and question.children == 2 and question.gap_child < 0:
            self.halve(question.column, question.cut)
        else:
            self.scatter(question)

    def halve(self, f, cut):
        """Two children. Both places are written, and one of them counts: no branch to guess."""
        r: cython.longlong
        entry: cython.longlong
        s: cython.Py_ssize_t
        mask: cython.longlong = 4294967295
        left: cython.Py_ssize_t = self.lo
        right: cython.Py_ssize_t = 0
        for r in range(self.lo, self.hi):
            entry = self.bag[r]
            s = self.grid[entry & mask, f] > cut
            self.bag[left] = entry
            self.spare[right] = entry
            right += s
            left += 1 - s
        self.close_up(left, right)

    def close_up(self, left, right):
        """The second of two children stands behind the first."""
        r: cython.Py_ssize_t
        for r in range(right):
            self.bag[left + r] = self.spare[r]
        self.starts[0] = self.lo
        self.starts[1] = left
        self.starts[2] = self.hi

    def find_sides(self, question):
        """The child of every row of the node, where there are categories, or gaps."""
        r: cython.Py_ssize_t
        c: cython.int
        row: cython.Py_ssize_t
        code: cython.longlong
        mask: cython.longlong = 4294967295
        f: cython.Py_ssize_t = question.column
        gap: cython.longlong = self.columns.gaps[f]
        cut: cython.longlong = question.cut
        of_gap: cython.int = question.gap_child
        by_class: cython.bint = question.settings.rule == AS_CLASS and self.classes > 0
        for r in range(self.hi - self.lo):
            row = self.bag[self.lo + r] & mask
            code = self.grid[row, f]
            if by_class and code == gap:
                self.sides[r] = question.child_of_gap(self.labels[row])
                continue
            if question.kind == NUMBER:
                c = code > cut
            else:
                c = question.child[code]
            self.sides[r] = of_gap if code == gap else c

    def scatter(self, question):
        """Several children, or a place for what is missing."""
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.hi - self.lo
        left: cython.Py_ssize_t = self.lo
        right: cython.Py_ssize_t = 0
        self.find_sides(question)
        if self.children == 2:
            for r in range(n):
                c = self.sides[r]
                self.spare[right] = self.bag[self.lo + r]
                self.bag[left] = self.bag[self.lo + r]
                right += c
                left += 1 - c
            self.close_up(left, right)
            return
        for r in range(n):
            self.starts[self.sides[r] + 1] += 1
        self.starts[0] = self.lo
        for c in range(self.children):
            self.starts[c + 1] += self.starts[c]
            self.spare[n + c] = self.starts[c] - self.lo
        for r in range(n):
            c = self.sides[r]
            self.spare[self.spare[n + c]] = self.bag[self.lo + r]
            self.spare[n + c] += 1
        for r in range(n):
            self.bag[self.lo + r] = self.spare[r]

    def known_words(self, f, search):
        """The same of two classes, counted 64 codes at a time, and by code where it may matter.

        The mass by Gini after a cut is concave in the rows of both classes before it: no cut within
        a word is below the least of its four corners, where all rows of a class come first, or
        last (K. Alsabti, S. Ranka and V. Singh, CLOUDS, KDD 1998).
        """
        words: cython.Py_ssize_t = (self.columns.gaps[f] >> 6) + 1
        slack: cython.double = search.impurity.slack
        least: cython.longlong = max(search.min_leaf, search.min_weight)
        best: cython.double
        lowest: cython.double = 1e300
        w: cython.Py_ssize_t
        if self.count_words(f, words) == self.columns.gaps[f]:
            return self.known_many(f, search)
        best = self.bound_words(words, least)
        for w in range(words):
            lowest = self.bounds[w] if self.bounds[w] < lowest else lowest
        if (
            search.settings.scorer == GAIN
            and best < 1e300
            and BELOW * 2.0 * lowest > search.impurity.before - self.top + 4.0 * slack
        ):
            search.note(f, 2.0 * best, 0.0)  # another column gains more than any cut of this one
            return True
        for w in range(words):
            self.alive[w] = BELOW * self.bounds[w] <= best + 2.0 * slack
        best = self.sweep_words(f, words, least, slack)
        if best < 1e300:
            search.note(f, 2.0 * best, 0.0)
            self.top = search.gains[f] if search.gains[f] > self.top else self.top
        return True

    def count_words(self, f, words):
        """Count the rows of both classes by 64 codes; the greatest code."""
        r: cython.longlong
        w: cython.Py_ssize_t
        entry: cython.longlong
        code: cython.int
        top: cython.int = 0
        x: cython.longlong = 0
        y: cython.longlong = 0
        mask: cython.longlong = 4294967295
        for w in range(2 * words):
            self.words[w] = 0
        for r in range(self.lo, self.hi):
            entry = self.bag[r]
            code = cython.cast(cython.int, self.grid[entry & mask, f])
            self.sides[r - self.lo] = code
            self.words[2 * (code >> 6) + (entry >> LABEL)] += (entry >> TIMES) & 255
            top = code if code > top else top
        for w in range(words):
            self.firsts[w] = cython.cast(cython.double, x)
            self.seconds[w] = cython.cast(cython.double, y)
            x += self.words[2 * w]
            y += self.words[2 * w + 1]
        self.firsts[words] = cython.cast(cython.double, x)
        self.seconds[words] = cython.cast(cython.double, y)
        return top

    def bound_words(self, words, least):
        """Half the mass at the edges and corners of all words; the least of an edge that may be."""
        w: cython.Py_ssize_t
        n: cython.double
        one: cython.double
        other: cython.double
        best: cython.double = 1e300
        first: cython.double = self.firsts[words]
        second: cython.double = self.seconds[words]
        for w in range(words + 1):
            self.edges[w] = halves(self.firsts[w], self.seconds[w], first, second)
        for w in range(words):
            one = halves(self.firsts[w + 1], self.seconds[w], first, second)
            other = halves(self.firsts[w], self.seconds[w + 1], first, second)
            one = other if other < one else one
            other = self.edges[w + 1] if self.edges[w + 1] < self.edges[w] else self.edges[w]
            self.bounds[w] = other if other < one else one
        for w in range(1, words):
            n = self.firsts[w] + self.seconds[w]
            if n >= least and first + second - n >= least and self.edges[w] < best:
                best = self.edges[w]
        return best

    def sweep_words(self, f, words, least, slack):
        """Half the least mass after a cut beside, or between, codes of words that are alive."""
        r: cython.Py_ssize_t
        w: cython.Py_ssize_t
        m: cython.Py_ssize_t = 0
        n: cython.Py_ssize_t = self.hi - self.lo
        entry: cython.longlong
        code: cython.longlong
        last: cython.longlong = -1
        after: cython.longlong = 0
        x: cython.longlong
        y: cython.longlong
        value: cython.double
        best: cython.double = 1e300
        found: cython.double = 1e300
        first: cython.longlong = cython.cast(cython.longlong, self.firsts[words])
        second: cython.longlong = cython.cast(cython.longlong, self.seconds[words])
        bits: cython.ulonglong
        low: cython.ulonglong
        one: cython.ulonglong = 1
        mask: cython.ulonglong = 18446744073709551615
        bruijn: cython.ulonglong = 285870213051386505
        for r in range(n):
            self.picked[m] = r
            m += self.alive[self.sides[r] >> 6]
        for r in range(m):
            entry = self.bag[self.lo + self.picked[r]]
            code = cython.cast(cython.longlong, self.sides[self.picked[r]])
            self.hist[2 * code + (entry >> LABEL)] += (entry >> TIMES) & 255
            bits = cython.cast(cython.ulonglong, self.marks[code >> 6])
            self.marks[code >> 6] = bits | cython.cast(cython.ulonglong, one << (code & 63))
        for w in range(words):
            bits = cython.cast(cython.ulonglong, self.marks[w])
            self.marks[w] = 0
            x = cython.cast(cython.longlong, self.firsts[w])
            y = cython.cast(cython.longlong, self.seconds[w])
            while bits:
                low = bits & ((~bits & mask) + 1)
                code = cython.cast(cython.longlong, self.places[((low * bruijn) & mask) >> 58])
                code += 64 * w
                bits ^= low
                if last >= 0 and x + y == after and least <= after <= first + second - least:
                    value = halves_of(x, y, first, second)
                    best = value if value < best else best
                    if 2.0 * (found - value) > slack:
                        found = value
                        self.cuts[f, 0] = last
                        self.cuts[f, 1] = code
                x += self.hist[2 * code]
                y += self.hist[2 * code + 1]
                self.hist[2 * code] = 0
                self.hist[2 * code + 1] = 0
                last = code
                after = x + y
        return best


def halves(a, b, first, second):
    """Half the mass by Gini of a and b rows of two classes and of all others; no row: 0."""
    n: cython.double = a + b
    m: cython.double = first + second - n
    return a * b / (n + (n == 0)) + (first - a) * (second - b) / (m + (m == 0))


def halves_of(x, y, first, second):
    """The same as ``Sweep.two_classes`` has it, to the last bit."""
    a: cython.double = cython.cast(cython.double, x)
    b: cython.double = cython.cast(cython.double, y)
    c: cython.double = cython.cast(cython.double, first - x)
    d: cython.double = cython.cast(cython.double, second - y)
    return gini(a * b, a + b) + gini(c * d, c + d)
