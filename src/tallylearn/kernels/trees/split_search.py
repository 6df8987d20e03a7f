"""Split search: the best question that a column can ask, from its lines.

Where the lines come from does not matter: from lists, from histograms, from histograms of other
workers that were added up. ``open`` takes the totals of a node, which stand in the sums of the
table; ``look`` takes the lines of one column after the other. What is best stays in ``gains``,
``infos`` and ``orders`` by column, for ``choice``. The readable version is
``models.trees.splits``.
"""

import cython
import numpy as np
from cython.cimports.libc.math import ceil, log2

if not cython.compiled:
    from tallylearn.kernels.trees.code_sums import GAP, KNOWN, LEFT, RARE, RIGHT, TOTAL, Lines
    from tallylearn.kernels.trees.impurity import Impurity
    from tallylearn.kernels.trees.missing_values import set_apart
    from tallylearn.kernels.trees.random_thresholds import Draws
    from tallylearn.kernels.trees.settings import (
        BETTER_SIDE,
        IN_PARTS,
        MULTIWAY,
        NUMBER,
        OWN_BRANCH,
        POISSON,
        RATIO,
        SUBSET,
    )

EVERY = cython.declare(cython.Py_ssize_t, -1)  # cut is looked at
NO_SPLIT = cython.declare(cython.double, 1e300)  # the mass after a split that may not be
TIED = cython.declare(cython.double, 1e-9)  # of a weight: cuts by the rules of C4.5 are tied
# the rules of C4.5: see models.trees.growing.gain_ratio
MAX_SIDE_ROWS = cython.declare(cython.double, 25.0)  # rows that a side of a cut must have
NEGLIGIBLE_GAIN = cython.declare(cython.double, 1e-6)  # a gain, in bits, or rows that are none
DISTINCT = cython.declare(cython.double, 1e-5)  # numbers that are no further apart are not cut


class Search:
    """The columns of a node, one after the other.

    ``gains``: the best of each, in units of mass; -1 where there is no question to ask. ``infos``:
    the split information of that question, times the weight. ``orders``: the class whose shares
    gave the order of its categories. ``found``: the line before the cut, in the order ``turn``.
    ``rare``: the lines of a category that too few rows have; they stand together, ``pooled``.
    ``lines`` and ``sums`` are those of the table, nearer at hand. ``low`` and ``high``: between
    them the answers of the node must stay, along columns with slopes. ``only``: the one cut that is
    looked at, by the line before it, where ``draws`` drew it. ``follows``: whether missing values
    go down the branch that they fit best, instead of a branch of their own. ``before_split``: the
    mass that splits of a column are compared with. ``lenient``: whether the mass of
    a cut is asked for that leaves a side too few rows, as those of C4.5 may.
    """

    def __init__(self, settings, columns, amounts, lines, ties):
        self.settings, self.columns, self.ties = settings, columns, ties
        self.impurity, self.table = Impurity(settings, amounts), Lines(lines, amounts)
        self.lines, self.sums = self.table.lines, self.table.sums
        self.k, self.classes = amounts.k, amounts.classes
        p = columns.p
        self.gains, self.infos = np.zeros(p), np.zeros(p)
        self.orders = np.zeros(p, np.int32)
        self.turn, self.keys = np.zeros(lines, np.int32), np.zeros(lines)
        self.rare = np.zeros(lines, np.int32)
        self.low, self.high, self.slope = -np.inf, np.inf, 0
        self.only, self.draws = EVERY, Draws(columns, self.table, self.keys, self.rare)
        self.follows, self.lenient = False, False
        self.least_known, self.fines = np.zeros(p), np.zeros(p)

    def open(self, rows, flat):
        """A node whose totals stand in the table; ``flat``: its rows are all alike."""
        share: cython.double
        self.rows = rows
        self.impurity.open(self.sums, flat)
        self.before_split = self.impurity.before
        self.min_leaf = self.settings.min_leaf
        if self.settings.share_of_rows:
            share = self.settings.min_share * rows
            self.min_leaf = max(self.min_leaf, cython.cast(cython.longlong, ceil(share)))
            share = 0.0
        else:
            share = self.settings.min_share * self.impurity.weight
        self.min_weight = cython.cast(cython.longlong, share)
        self.min_weight += self.min_weight < share
        if self.settings.min_weight > self.min_weight:
            self.min_weight = self.settings.min_weight
        self.any_size = self.min_leaf <= 1 and self.min_weight <= 0
        self.any_size = self.any_size and self.settings.criterion != POISSON

    def look(self, f):
        """The best question of a column whose lines stand in the table."""
        self.take_gap(f)
        if self.columns.kinds[f] == MULTIWAY:
            self.ask_all(f)
        elif self.columns.kinds[f] == NUMBER and self.settings.c45:
            self.ask_c45(f)
        else:
            self.ask_two(f)

    def take_gap(self, f):
        set_apart(
            self.table, self.columns.gaps[f], self.settings.rule, self.columns.kinds[f] == NUMBER
        )
        self.follows = self.table.gapped and not self.own_branch()
        if self.settings.rule == IN_PARTS:  # rows without a value gain nothing
            self.before_split = self.impurity.mass(self.sums, KNOWN)

    def own_branch(self):
        """Whether missing values, whose sums are known, have a branch of their own.

        It needs as many rows, and as much weight, as any other child.
        """
        if self.settings.rule == BETTER_SIDE:
            return False
        return self.settings.rule != OWN_BRANCH or self.enough(self.sums, GAP)

    def note(self, f, after, info):
        """Remember the best question of a column: rounding cannot make a gain negative."""
        gain: cython.double = self.before_split - after
        self.gains[f] = gain if gain > 0 else 0.0
        self.infos[f] = info

    def enough(self, t, r):
        """Whether a branch has as many rows, and as much weight, as it needs."""
        w: cython.longlong = self.impurity.weigh(t, r)
        n: cython.longlong = self.row_sum(t, r)
        if self.impurity.criterion == POISSON and self.impurity.total(t, r) <= 0:
            return False  # a mean of 0 would rule every count out but 0
        return n >= self.min_leaf and w >= self.min_weight

    def row_sum(self, t, r):
        """How many rows are in a line."""
        if self.impurity.rows_at < 0:
            return self.impurity.weigh(t, r)
        return t[r, self.impurity.rows_at]

    def answer(self, t, r):
        """The share of the second class in a line, or its mean: what slopes and bounds are of."""
        w: cython.double = cython.cast(cython.double, self.impurity.weigh(t, r))
        x: cython.double
        if self.classes:
            x = cython.cast(cython.double, t[r, 1])
        else:
            x = self.impurity.total(t, r)
        return x / w if w > 0 else 0.0

    def middle(self, cut, gap_child):
        """Half way between the answers of both sides of a cut through the lines of a column.

        ``gap_child``: the child of missing values.
        """
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        for c in range(self.k):
            self.sums[LEFT, c] = 0
        for r in range(self.table.n):
            if self.table.codes[r] <= cut:
                for c in range(self.k):
                    self.sums[LEFT, c] += self.lines[r, c]
        for c in range(self.k):
            self.sums[RIGHT, c] = self.sums[KNOWN, c] - self.sums[LEFT, c]
            if gap_child == 0 or gap_child == 1:
                self.sums[LEFT if gap_child == 0 else RIGHT, c] += self.sums[GAP, c]
        return self.answer(self.sums, LEFT) / 2.0 + self.answer(self.sums, RIGHT) / 2.0

    def ask_all(self, f):
        """One branch a code: at least two that have enough rows."""
        r: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.table.n
        enough: cython.Py_ssize_t = 0
        after: cython.double = 0.0
        info: cython.double = 0.0
        weight: cython.longlong = self.impurity.weight
        for r in range(n):
            after += self.impurity.mass(self.lines, r)
            info += self.impurity.portion(self.table.weight(r), weight)
            enough += self.enough(self.lines, r)
        if self.follows and n > 1:
            r = self.fitting_line()
            after -= self.impurity.mass(self.lines, r)
            info -= self.impurity.portion(self.table.weight(r), weight)
            enough -= self.enough(self.lines, r)
            self.join_line(r)
            after += self.impurity.mass(self.sums, LEFT)
            info += self.impurity.portion(self.impurity.weigh(self.sums, LEFT), weight)
            enough += self.enough(self.sums, LEFT)
        elif self.table.gapped:
            n += 1
            after += self.impurity.mass(self.sums, GAP)
            info += self.impurity.portion(self.impurity.weigh(self.sums, GAP), weight)
            enough += self.enough(self.sums, GAP)
        elif self.settings.rule == IN_PARTS:  # one more branch of the split, by its information
            info += self.impurity.portion(self.impurity.weigh(self.sums, GAP), weight)
        if n > 1 and enough > 1:
            self.note(f, after, info)

    def join_line(self, r):
        """A line, and the missing values with it, in the sums of the left side."""
        c: cython.Py_ssize_t
        for c in range(self.k):
            self.sums[LEFT, c] = self.lines[r, c] + self.sums[GAP, c]

    def fitting_line(self):
        """The first line that missing values fit best: they add the least mass to it."""
        r: cython.Py_ssize_t
        found: cython.Py_ssize_t = 0
        more: cython.double
        least: cython.double = NO_SPLIT
        for r in range(self.table.n):
            self.join_line(r)
            more = self.impurity.mass(self.sums, LEFT) - self.impurity.mass(self.lines, r)
            if more < least - self.impurity.slack:
                least = more
                found = r
        return found

    def ask_c45(self, f):
        """The best cut of numbers by the rules of C4.5: it pays for the choice there was.

        ``least_known``: the mass up to which cuts are tied with the best; ``fines``: what each
        pays.
        """
        r: cython.Py_ssize_t
        ways: cython.Py_ssize_t = 0
        after: cython.double
        best: cython.double = NO_SPLIT
        known: cython.double
        rows: cython.double = cython.cast(cython.double, self.row_sum(self.sums, TOTAL))
        least: cython.double = self.least_side_rows()
        self.arrange(f, 0)
        self.start()
        for r in range(self.table.n - 1):
            self.move(r)
            if self.fair(f, r, least):
                ways += 1
                after = self.mass_of_sides()
                best = after if after < best else best
        if ways == 0:
            return
        known = cython.cast(cython.double, self.impurity.weigh(self.sums, KNOWN))
        self.least_known[f] = best + TIED * known
        self.fines[f] = log2(cython.cast(cython.double, ways)) / (rows * self.settings.row)
        self.fines[f] *= self.impurity.weight
        if self.impurity.mass(self.sums, KNOWN) - best <= self.fines[f]:
            return
        r = self.ties.n
        self.list_c45(f, False)
        self.ties.n = r
        if self.found >= 0:
            self.infos[f] = self.info()

    def least_side_rows(self):
        """The rows that each side of a cut must have, in units of rows."""
        row: cython.double = self.settings.row
        known: cython.double = self.row_sum(self.sums, KNOWN) * row
        leaf: cython.double = self.settings.leaf
        tenth: cython.double = 0.1 * known / self.classes
        if tenth > leaf + NEGLIGIBLE_GAIN:
            leaf = tenth if tenth < MAX_SIDE_ROWS else MAX_SIDE_ROWS
        return (leaf - NEGLIGIBLE_GAIN) / row

    def fair(self, f, r, least):
        """Whether a cut behind a line parts numbers that differ, and leaves both sides rows."""
        at: cython.Py_ssize_t = self.columns.starts[f]
        left: cython.double = cython.cast(cython.double, self.row_sum(self.sums, LEFT))
        right: cython.double = cython.cast(cython.double, self.row_sum(self.sums, RIGHT))
        if left < least or right < least:
            return False
        return (
            self.columns.low[at + self.table.codes[r + 1]]
            > self.columns.high[at + self.table.codes[r]] + DISTINCT
        )

    def c45_gain(self, f, r, least):
        """What a cut behind a line gains, less what it pays; -1 where it is none of the best."""
        after: cython.double
        gain: cython.double
        side: cython.int
        none: cython.double = NEGLIGIBLE_GAIN * self.impurity.weight
        if not self.fair(f, r, least) or self.mass_of_sides() > self.least_known[f]:
            return -1.0
        if self.follows:
            side = LEFT if self.fits_left() else RIGHT
            self.lenient = True
            after = self.mass_beside(side)
            self.lenient = False
        else:
            after = self.mass_of_sides() + self.gap_mass
        gain = self.before_split - after
        return gain - self.fines[f] if gain > none and gain - self.fines[f] > none else -1.0

    def list_c45(self, f, all_of_them):
        """The cuts with the best gain, and those tied with it: the first one is the column's."""
        r: cython.Py_ssize_t
        top: cython.double = -1.0
        gain: cython.double
        least: cython.double = self.least_side_rows()
        self.start()
        for r in range(self.table.n - 1):
            self.move(r)
            gain = self.c45_gain(f, r, least)
            top = gain if gain > top else top
        self.found = -1
        self.start()
        for r in range(self.table.n - 1 if top > 0 else 0):
            self.move(r)
            gain = self.c45_gain(f, r, least)
            if gain < 0 or gain < top - self.impurity.slack:
                continue
            self.ties.note(f, self.table.codes[r], self.table.codes[r + 1])
            if self.found < 0:
                self.found = r
                self.gains[f] = gain
                if not all_of_them:
                    return

    def ask_two(self, f):
        """Two branches: the best cut through the codes, in order or by their shares."""
        c: cython.Py_ssize_t
        rounds: cython.Py_ssize_t = 1
        least: cython.double
        before: cython.double = 0.0
        some: cython.bint = False
        if self.columns.kinds[f] == SUBSET and self.classes > 2 and not self.settings.draws:
            rounds = self.classes
        for c in range(rounds):
            self.arrange(f, c)
            least = self.scan()
            if self.found >= 0 and (not some or least < before - self.impurity.slack):
                some = True
                before = least
                self.orders[f] = c
                self.note(f, least, 0.0)
                if self.settings.scorer == RATIO:
                    self.find(f)
                    self.infos[f] = self.info()

    def arrange(self, f, c):
        """The order of the lines: by code, or by the share of a class (of two, the second)."""
        r: cython.Py_ssize_t
        w: cython.longlong
        c = 1 if self.classes <= 2 else c
        self.pooled = False
        self.slope = self.columns.slopes[f]
        if self.columns.least[f] > 1:
            self.pool(self.columns.least[f])
        for r in range(self.table.n):
            self.turn[r] = r
            if self.pooled:
                if self.rare[r]:
                    self.keys[r] = self.share(self.sums, RARE, c)
                else:
                    self.keys[r] = self.share(self.lines, r, c)
            elif self.columns.kinds[f] == SUBSET:
                w = self.table.weight(r)
                if self.classes:
                    self.keys[r] = odds(self.lines[r, c], w)
                else:
                    self.keys[r] = self.impurity.about(self.lines, r) / w if w else 0.0
        if self.settings.draws:
            self.only = self.draws.line_before(f, self.pooled)
        if self.columns.kinds[f] == SUBSET:
            self.sort()

    def pool(self, least):
        """Mark the lines that too few rows have, and sum them up."""
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        rows: cython.longlong
        at: cython.int = self.impurity.rows_at
        for c in range(self.k):
            self.sums[RARE, c] = 0
        for r in range(self.table.n):
            rows = self.table.weight(r) if at < 0 else self.lines[r, at]
            self.rare[r] = rows < least
            if rows < least:
                self.pooled = True
                for c in range(self.k):
                    self.sums[RARE, c] += self.lines[r, c]

    def share(self, t, r, c):
        """The share of a class in a line, times the node's weight, or its mean; both smoothed.

        Whole numbers are divided once, so that equal shares stay equal.
        """
        x: cython.double
        w: cython.double = cython.cast(cython.double, self.impurity.weigh(t, r))
        w += self.settings.smoothing
        if not self.classes:
            return self.impurity.about(t, r) / w if w > 0 else 0.0
        x = cython.cast(cython.double, t[r, c]) * self.impurity.weight
        return (x + self.settings.smoothing * self.sums[TOTAL, c]) / w if w > 0 else 0.0

    def allowed(self, r):
        """Whether a cut behind turn[r] is looked at: rare lines stay on one side."""
        if self.only != EVERY:
            return r == self.only
        return not (self.pooled and self.rare[self.turn[r]] and self.rare[self.turn[r + 1]])

    def sort(self):
        """Heapsort of the lines by key, then by place."""
        i: cython.Py_ssize_t
        end: cython.Py_ssize_t
        kept: cython.int
        n: cython.Py_ssize_t = self.table.n
        for i in range(n // 2):
            self.sink(n // 2 - 1 - i, n)
        for i in range(n - 1):
            end = n - 1 - i
            kept = self.turn[0]
            self.turn[0] = self.turn[end]
            self.turn[end] = kept
            self.sink(0, end)

    def sink(self, i, n):
        j: cython.Py_ssize_t = 2 * i + 1
        top: cython.int = self.turn[i]
        while j < n:
            if j + 1 < n and self.before(self.turn[j], self.turn[j + 1]):
                j += 1
            if not self.before(top, self.turn[j]):
                break
            self.turn[i] = self.turn[j]
            i = j
            j = 2 * i + 1
        self.turn[i] = top

    def before(self, a, b):
        if self.keys[a] != self.keys[b]:
            return self.keys[a] < self.keys[b]
        if self.pooled and self.rare[a] != self.rare[b]:
            return self.rare[a] < self.rare[b]
        return a < b

    def start(self):
        """All known rows on the right; how many cuts there are.

        Where all known rows are of one class, only whether there is a value can be worth asking,
        unless missing values may go with some of them.
        """
        c: cython.Py_ssize_t
        several: cython.Py_ssize_t = 0
        for c in range(self.k):
            self.sums[LEFT, c] = 0
            self.sums[RIGHT, c] = self.sums[KNOWN, c]
        for c in range(self.classes):
            several += self.sums[KNOWN, c] > 0
        self.gap_mass = self.impurity.mass(self.sums, GAP) if self.table.gapped else 0.0
        return 0 if self.classes and several < 2 and not self.follows else self.table.n - 1

    def move(self, r):
        """Move line turn[r] to the left."""
        c: cython.Py_ssize_t
        i: cython.Py_ssize_t = self.turn[r]
        for c in range(self.k):
            self.sums[LEFT, c] += self.lines[i, c]
            self.sums[RIGHT, c] -= self.lines[i, c]

    def mass_after(self):
        """The mass of both sides and of missing values; NO_SPLIT where the cut may not be."""
        left: cython.double
        right: cython.double
        if self.follows:
            left = self.mass_beside(LEFT)
            right = self.mass_beside(RIGHT)
            return left if left < right else right
        return self.mass_of_sides() + self.gap_mass if self.may_be() else NO_SPLIT

    def mass_beside(self, side):
        """The mass of both sides where missing values go with one of them."""
        c: cython.Py_ssize_t
        after: cython.double
        for c in range(self.k):
            self.sums[side, c] += self.sums[GAP, c]
        after = self.mass_of_sides() if self.lenient or self.may_be() else NO_SPLIT
        for c in range(self.k):
            self.sums[side, c] -= self.sums[GAP, c]
        return after

    def fits_left(self):
        """Whether missing values fit the left side of a cut as well as the right one, or better.

        It must leave both sides rows enough, unless neither does.
        """
        left: cython.double = self.mass_beside(LEFT)
        right: cython.double = self.mass_beside(RIGHT)
        if left == NO_SPLIT and right == NO_SPLIT:
            self.lenient = True
            left = self.mass_beside(LEFT)
            right = self.mass_beside(RIGHT)
            self.lenient = False
        return left <= right + self.impurity.slack

    def mass_of_sides(self):
        return self.impurity.mass(self.sums, LEFT) + self.impurity.mass(self.sums, RIGHT)

    def may_be(self):
        """Whether both sides of a cut have enough rows, and are in the order of the slope."""
        if not self.any_size:
            if not self.enough(self.sums, LEFT) or not self.enough(self.sums, RIGHT):
                return False
        return self.slope == 0 or self.orderly()

    def orderly(self):
        """Whether both sides of a cut stay in bounds, and rise or fall as the column says."""
        left: cython.double = self.answer(self.sums, LEFT)
        right: cython.double = self.answer(self.sums, RIGHT)
        if left < self.low or left > self.high or right < self.low or right > self.high:
            return False
        return self.slope * (left - right) <= 0

    def scan(self):
        """The least mass after a cut behind line turn[r]; ``found`` is r, -1 where none may be.

        Behind the last line the question is whether there is a value at all: asked first. A cut
        between two lines of one and the same class is never the best one (Fayyad and Irani, 1992),
        unless the best ones may not be.
        """
        r: cython.Py_ssize_t
        tag: cython.int
        free: cython.bint = self.min_leaf <= 1 and self.min_weight <= 0
        free = free and not self.pooled and self.slope == 0 and self.only == EVERY
        after: cython.double
        least: cython.double = 0.0
        n: cython.Py_ssize_t = self.table.n
        cuts: cython.Py_ssize_t = self.start()
        self.found = -1
        if self.table.gapped and n and (cuts == 0 or self.only == EVERY):
            if self.enough(self.sums, KNOWN) and self.enough(self.sums, GAP):
                least = self.impurity.mass(self.sums, KNOWN) + self.gap_mass
                self.found = n - 1
        for r in range(cuts):
            tag = self.table.tags[self.turn[r]] if free else -1
            self.move(r)
            if tag >= 0 and tag == self.table.tags[self.turn[r + 1]]:
                continue
            if not self.allowed(r):
                continue
            after = self.mass_after()
            if after < NO_SPLIT and (self.found < 0 or after < least):
                least = after
                self.found = r
        return least

    def list_best(self, f, all_of_them):
        """Find the first cut that is as good as the best of a column, and list all of them."""
        r: cython.Py_ssize_t
        most: cython.double = self.before_split - self.gains[f] + self.impurity.slack
        n: cython.Py_ssize_t = self.table.n
        cuts: cython.Py_ssize_t = self.start()
        self.found = -1
        if self.table.gapped and (cuts == 0 or self.only == EVERY):
            if self.enough(self.sums, KNOWN) and self.enough(self.sums, GAP):
                if self.impurity.mass(self.sums, KNOWN) + self.gap_mass <= most:
                    self.found = n - 1
                    self.ties.note(f, self.table.codes[n - 1], -1)
        for r in range(cuts):
            if self.found >= 0 and not all_of_them:
                return
            self.move(r)
            if not self.allowed(r) or self.mass_after() > most:
                continue
            if self.found < 0:
                self.found = r
            self.ties.note(f, self.table.codes[self.turn[r]], self.table.codes[self.turn[r + 1]])

    def find(self, f):
        """The first cut that is as good as the best of a column; nothing is listed."""
        kept: cython.Py_ssize_t = self.ties.n
        self.list_best(f, False)
        self.ties.n = kept

    def info(self):
        """The weight of the node times the split information of the cut that was found."""
        r: cython.Py_ssize_t
        left: cython.longlong = 0
        weight: cython.longlong = self.impurity.weight
        gap: cython.longlong = self.impurity.weigh(self.sums, GAP)
        for r in range(self.found + 1):
            left += self.table.weight(self.turn[r])
        if self.follows and self.found < self.table.n - 1:
            if self.fits_left():
                left += gap
            gap = 0
        return (
            self.impurity.portion(left, weight)
            + self.impurity.portion(weight - gap - left, weight)
            + self.impurity.portion(gap, weight)
        )


def odds(c, n):
    """c to n - c: in the order of c / n, and apart where that is 1 in all its places."""
    x: cython.double = cython.cast(cython.double, c)
    return x / cython.cast(cython.double, n - c) if c < n else 1e300 * (c > 0)
