"""Median search: the best question of every column by absolute error, from lists of its rows.

Every column keeps the rows of a node sorted by code, and one more list keeps them sorted by
measure. All sums are integers. The readable version is ``models.trees.deviations``.
"""

import cython
import numpy as np
from cython.cimports.libc.math import pow

if not cython.compiled:
    from tallylearn.kernels.trees.random_numbers import mixed, shuffle
    from tallylearn.kernels.trees.random_thresholds import Draws
    from tallylearn.kernels.trees.running_medians import by_coming, by_going
    from tallylearn.kernels.trees.settings import (
        AS_NODE,
        BETTER_SIDE,
        GAIN,
        GAIN_SQUARED,
        MULTIWAY,
        NUMBER,
        OWN_BRANCH,
    )

MASK = cython.declare(cython.longlong, 0xFFFFFFFF)
TIED = cython.declare(cython.double, 1e-9)  # of the impurity
MAX_COIN_TRIES = cython.declare(cython.int, 64)  # all coins alike so often: a chance of 2^-64
UNEVEN = cython.declare(cython.longlong, 16)  # times the lightest row: a median may leap too far


class MedianSearch:
    """A node, and its columns one after the other; a column's rows of one code are a line.

    ``lists`` (p, n): code * 2^32 + row, sorted, for every column; ``rows`` (n,): by measure. A node
    is a run of them all. ``units`` (n,): the weight of every row; ``ranks`` (n,): its measure,
    among all ``values`` (v,), which are in units of ``unit``.
    """

    def __init__(self, columns, limits, rule, ties, *, lists, rows, units, ranks, values, unit):
        n, p = len(rows), columns.p
        self.columns, self.limits, self.rule, self.ties = columns, limits, rule, ties
        self.lists, self.rows, self.units, self.ranks = lists, rows, units, ranks
        self.values, self.unit, self.n = values, unit, n
        if (
            len(lists) < p
            or min(lists.shape[1], len(units), len(ranks)) < n
            or len(values) <= ranks.max()
        ):
            raise ValueError("trees.median_search.MedianSearch: its arrays do not agree in length")
        self.place, self.side = np.zeros(n, np.int32), np.zeros(n, np.int32)
        self.seq, self.chain = np.zeros(n, np.int32), np.zeros((2, n + 2), np.int32)
        self.rank, self.sorted = np.zeros(n + 2, np.int32), np.zeros(n + 2, np.int32)
        self.measure, self.weight = np.zeros(n + 2, np.int64), np.zeros(n + 2, np.int64)
        self.codes, self.ends = np.zeros(n + 2, np.int64), np.zeros(n + 2, np.int64)
        self.load, self.left = np.zeros(n + 2, np.int64), np.zeros(n + 2, np.int64)
        self.spare = np.zeros(2 * n + 2, np.int64)
        self.into, self.back = np.zeros(n + 2, np.int32), np.zeros(n + 2, np.int32)
        self.sums = np.zeros((2, n + 2), np.int64)
        self.gain, self.best = np.zeros((p, 2)), np.zeros((p, 5), np.int64)
        self.turned, self.turns = np.zeros(n, np.int32), np.zeros(n + 3, np.int64)
        self.beside, self.follows = np.zeros(n + 3, np.int64), False
        self.asked = np.flatnonzero(np.asarray(self.columns.gaps)[:p]).astype(np.int32)
        self.pick = np.arange(len(self.asked), dtype=np.int32)
        self.score = np.zeros(p)
        self.draws = Draws(columns, None, np.zeros(0), np.zeros(0, np.int32))

    def open(self, first, end):
        """The rows of a node by measure, their median, and how far they lie from it."""
        i: cython.Py_ssize_t
        row: cython.Py_ssize_t
        w: cython.longlong
        heaviest: cython.longlong = 0
        lightest: cython.longlong = self.units[self.rows[first]]
        self.s = first
        self.m = end - first
        self.heft = 0
        for i in range(self.m):
            row = self.rows[self.s + i]
            w = self.units[row]
            self.place[row] = i + 1
            self.measure[i + 1] = self.values[self.ranks[row]]
            self.weight[i + 1] = w
            self.heft += w
            heaviest = max(heaviest, w)
            lightest = min(lightest, w)
        self.uneven = heaviest > UNEVEN * lightest
        self.total = self.apart_of(self.rows[self.s : self.s + self.m])
        self.middle = self.low
        self.second = self.high
        self.slack = TIED * self.mean(self.total)
        self.least = max(
            self.limits.min_weight, self.limits.min_share * (self.heft * self.limits.one)
        )

    def mean(self, apart):
        """Of all rows of the node."""
        if self.heft == 0:
            return 0.0
        return cython.cast(cython.double, apart) / self.heft * self.unit

    def apart_of(self, rows):
        """How far rows, which rise by measure, lie from their median, whose ranks are noted."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t = rows.shape[0]
        weight: cython.longlong = 0
        below: cython.longlong = 0
        found: cython.longlong = 0
        middle: cython.longlong
        if k == 0:
            return 0
        for i in range(k):
            weight += self.units[rows[i]]
        i = 0
        while 2 * (below + self.units[rows[i]]) < weight:
            below += self.units[rows[i]]
            i += 1
        self.low = self.ranks[rows[i]]
        while i < k - 1 and 2 * (below + self.units[rows[i]]) <= weight:
            below += self.units[rows[i]]
            i += 1
        self.high = self.ranks[rows[i]]
        middle = self.values[self.low]
        for i in range(k):
            found += self.units[rows[i]] * abs(self.values[self.ranks[rows[i]]] - middle)
        return found

    def asks(self, s, m, depth):
        """Whether rows may ask at all: where two branches have no room none is ever found."""
        if (
            depth >= self.limits.max_depth
            or m < self.limits.min_split
            or m < 2 * self.limits.min_leaf
        ):
            return False
        return self.ranks[self.rows[s]] != self.ranks[self.rows[s + m - 1]]

    def choose(self):
        """The column to ask; -1: none, -2: there is no room for its ties."""
        j: cython.Py_ssize_t
        asked: cython.Py_ssize_t = -1
        ties: cython.Py_ssize_t = self.ties.n
        top: cython.double = -1.0
        slack: cython.double = self.slack
        self.survey()
        for j in range(self.columns.p):
            top = max(top, self.score[j])
        if self.limits.scorer != GAIN:
            slack = TIED * top
        for j in range(self.columns.p):
            if top < 0 or self.score[j] < max(top - slack, 0.0):
                continue
            self.list_best(j)
            asked = j if asked < 0 else asked
        if self.ties.full():
            self.ties.n = ties
            return -2
        if self.limits.random_tie and asked >= 0:
            asked = self.take_tie(
                ties
                + mixed(self.draws.seed + 1) % cython.cast(cython.ulonglong, self.ties.n - ties)
            )
        if asked >= 0:
            top = self.heft * self.limits.one / self.limits.whole * self.gain[asked, 0]
            asked = -1 if top + 1e-12 < self.limits.min_decrease else asked
        if self.ties.n == ties + 1 or asked < 0:
            self.ties.n = ties
        return asked

    def survey(self):
        """The best question and the score of every column, or of some in a random order.

        Some are as many as ``max_features``, and more until one has a question. Columns without a
        single code, as identifiers are, are not among those that are drawn from.
        """
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        some: cython.bint = False
        for j in range(self.columns.p):
            self.score[j] = -1.0
        if self.limits.max_features < self.pick.shape[0]:
            shuffle(self.draws.seed, self.pick)
        for i in range(self.pick.shape[0]):
            if i >= self.limits.max_features and some:
                break
            j = self.asked[self.pick[i]]
            self.look(j)
            self.score[j] = self.score_of(j)
            some = some or self.gain[j, 0] >= 0

    def score_of(self, j):
        """The gain of a column, or its score by gain and cost; -1 where it cannot be asked."""
        gain: cython.double = self.gain[j, 0]
        if gain < 0 or self.limits.scorer == GAIN:
            return gain
        if self.limits.scorer == GAIN_SQUARED:
            return gain * gain / self.columns.costs[j]
        return (pow(2.0, gain) - 1.0) / pow(self.columns.costs[j] + 1.0, self.limits.exponent)

    def take_tie(self, at):
        """Make a tied question the best of its column; returns the column."""
        j: cython.Py_ssize_t = self.ties.ties[at, 0]
        r: cython.Py_ssize_t = 0
        v: cython.Py_ssize_t
        if self.columns.kinds[j] != NUMBER or self.best[j, 0] == 1:
            return j
        v = self.lay(j)
        self.sweep_lines(v)
        while self.codes[r] != self.ties.ties[at, 1]:
            r += 1
        self.gain[j, 0] = self.fall(r, v)
        self.best[j, 1] = r
        self.best[j, 2] = self.ties.ties[at, 1]
        self.best[j, 3] = self.ties.ties[at, 2]
        self.best[j, 4] = 0 if self.fall_beside(r, v) >= self.fall_before(r) else 1
        return j

    def list_best(self, j):
        """The best questions of a column; of categories only the first."""
        v: cython.Py_ssize_t
        r: cython.Py_ssize_t
        fall: cython.double
        if self.columns.kinds[j] != NUMBER or self.best[j, 0] == 1:
            self.ties.note(j, self.best[j, 2], self.best[j, 3])
            return
        v = self.lay(j)
        self.sweep_lines(v)
        for r in range(-1, v - 1):
            fall = self.fall(r if r >= 0 else v - 1, v)
            if fall >= 0 and fall >= self.gain[j, 1]:
                self.ties.note(
                    j, self.codes[r if r >= 0 else v - 1], self.codes[r + 1] if r >= 0 else -1
                )

    def lay(self, j):
        """The rows of a column by line, what is missing last or in its line; returns the lines."""
        i: cython.Py_ssize_t
        v: cython.Py_ssize_t = 0
        row: cython.Py_ssize_t
        last: cython.longlong = -1
        code: cython.longlong
        for i in range(self.m):
            code = self.lists[j, self.s + i] >> 32
            row = self.lists[j, self.s + i] & MASK
            if code == self.columns.gaps[j]:
                break
            if code != last:
                self.codes[v] = code
                self.load[v] = 0
                v += 1
                last = code
            self.seq[i] = row
            self.side[row] = v - 1
            self.load[v - 1] += self.units[row]
            self.ends[v - 1] = i + 1
        else:
            i = self.m
        self.held = i
        self.usual = self.common(j, v)
        self.gap = 0
        self.gap_load = 0
        if v > 0 and (self.held < self.m or self.columns.kinds[j] != NUMBER):
            self.lay_gaps(j, v)
        self.follows = v > 0 and self.held < self.m and not self.own_branch()
        return v

    def own_branch(self):
        """Whether missing values have a branch of their own: see ``split_search``."""
        if self.rule == BETTER_SIDE:
            return False
        return self.rule != OWN_BRANCH or self.enough(self.gap_load, self.m - self.held)

    def common(self, j, v):
        """The line of the median, or of the most frequent category."""
        r: cython.Py_ssize_t
        found: cython.Py_ssize_t = 0
        below: cython.longlong = 0
        total: cython.longlong = 0
        for r in range(v):
            total += self.load[r]
            if self.load[r] > self.load[found]:
                found = r
        if self.columns.kinds[j] != NUMBER:
            return found
        for r in range(v):
            below += self.load[r]
            if 2 * below >= total:
                return r
        return 0

    def lay_gaps(self, j, v):
        """Rows without a value in the line of the most, or last; all by measure within a line."""
        i: cython.Py_ssize_t
        row: cython.Py_ssize_t
        self.codes[v] = -1
        for i in range(self.held, self.m):
            row = self.lists[j, self.s + i] & MASK
            self.side[row] = self.usual if self.rule == AS_NODE else v
            if self.rule == AS_NODE:
                self.load[self.usual] += self.units[row]
            else:
                self.gap_load += self.units[row]
        if self.rule == AS_NODE:
            self.held = self.m
        self.order(v)
        self.gap = self.apart_of(self.seq[self.held : self.m])

    def order(self, v):
        """The rows by line, and by measure within."""
        i: cython.Py_ssize_t
        r: cython.Py_ssize_t
        row: cython.Py_ssize_t
        for r in range(v + 1):
            self.ends[r] = 0
        for i in range(self.s, self.s + self.m):
            self.ends[self.side[self.rows[i]]] += 1
        for r in range(1, v + 1):
            self.ends[r] += self.ends[r - 1]
        for i in range(self.s + self.m - 1, self.s - 1, -1):
            row = self.rows[i]
            self.ends[self.side[row]] -= 1
            self.seq[self.ends[self.side[row]]] = row
        for r in range(v):
            self.ends[r] = self.ends[r + 1]

    def look(self, j):
        """The first of the best questions of a column, and how many are tied with it."""
        r: cython.Py_ssize_t
        at: cython.Py_ssize_t
        v: cython.Py_ssize_t = self.lay(j)
        first: cython.Py_ssize_t = -1
        end: cython.Py_ssize_t
        fall: cython.double
        top: cython.double = 0.0
        self.gain[j, 0] = -1.0
        self.best[j, 0] = 0
        self.best[j, 2] = -1
        self.best[j, 3] = -1
        if v == 0:
            return
        if self.columns.kinds[j] != NUMBER:
            if self.columns.kinds[j] == MULTIWAY:
                self.ask_all(j, v)
                return
            v = self.pool(j, v)
            self.arrange(j, v)
        self.sweep_lines(v)
        end = v - 1
        if self.limits.draws:
            first = self.drawn_line(j, v)
            end = first + 1
        for r in range(first, end):
            top = max(top, self.fall(r if r >= 0 else v - 1, v))
        self.gain[j, 1] = top - self.slack
        for r in range(first, end):
            at = r if r >= 0 else v - 1
            fall = self.fall(at, v)
            if fall < 0 or fall < self.gain[j, 1]:
                continue
            if self.best[j, 0] == 0:
                self.gain[j, 0] = fall
                self.best[j, 1] = at
                self.best[j, 4] = 0 if self.fall_beside(at, v) >= self.fall_before(at) else 1
                if self.columns.kinds[j] == NUMBER:
                    self.best[j, 2] = self.codes[at]
                    self.best[j, 3] = self.codes[at + 1] if r >= 0 else -1
            self.best[j, 0] += 1

    def ask_all(self, j, v):
        """One branch a category: at least two with enough rows and weight."""
        r: cython.Py_ssize_t
        start: cython.Py_ssize_t = 0
        enough: cython.Py_ssize_t = 1 if self.enough(self.gap_load, self.m - self.held) else 0
        left: cython.longlong = self.gap
        fitting: cython.Py_ssize_t = -1
        if self.follows and v > 1:
            fitting = self.fitting_line(v)
            left = 0
            enough = 0
        for r in range(v):
            if r == fitting:
                left += self.apart_joined(start, self.ends[r])
                if self.enough(
                    self.load[r] + self.gap_load, self.ends[r] - start + self.m - self.held
                ):
                    enough += 1
            else:
                left += self.apart_of(self.seq[start : self.ends[r]])
                if self.enough(self.load[r], self.ends[r] - start):
                    enough += 1
            start = self.ends[r]
        self.best[j, 4] = fitting
        if enough > 1:
            self.gain[j, 0] = self.mean(self.total - left)

    def apart_joined(self, start, end):
        """How far the rows of a line and those without a value lie from their common median."""
        i: cython.Py_ssize_t = start
        k: cython.Py_ssize_t = self.held
        n: cython.Py_ssize_t = 0
        while i < end or k < self.m:
            if k == self.m or (i < end and self.place[self.seq[i]] < self.place[self.seq[k]]):
                self.turned[n] = self.seq[i]
                i += 1
            else:
                self.turned[n] = self.seq[k]
                k += 1
            n += 1
        return self.apart_of(self.turned[:n])

    def fitting_line(self, v):
        """The first line that rows without a value fit best."""
        r: cython.Py_ssize_t
        found: cython.Py_ssize_t = 0
        start: cython.Py_ssize_t = 0
        more: cython.longlong
        least: cython.longlong = 0
        for r in range(v):
            more = self.apart_joined(start, self.ends[r])
            more -= self.apart_of(self.seq[start : self.ends[r]])
            if r == 0 or more < least:
                least = more
                found = r
            start = self.ends[r]
        return found

    def enough(self, load, rows):
        """Whether a branch has rows and weight enough to be asked for."""
        return load > 0 and rows >= self.limits.min_leaf and load * self.limits.one >= self.least

    def drawn_line(self, j, v):
        """The line before the one cut that is drawn; -1: the question is whether there is a value.

        A number between the least and the greatest cuts numbers; a coin each parts categories.
        """
        r: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t
        point: cython.double
        if v < 2:
            return -1
        if self.columns.kinds[j] != NUMBER:
            return self.n_left - 1
        at = self.columns.starts[j]
        point = self.draws.between(j, self.codes[0], self.codes[v - 1])
        while r < v - 2 and self.columns.low[at + self.codes[r + 1]] <= point:
            r += 1
        return r

    def flip_coins(self, j, v):
        """A coin for every line, until neither side is empty: the key of its place."""
        r: cython.Py_ssize_t
        z: cython.ulonglong = self.draws.chance(j)
        _attempt: cython.Py_ssize_t
        for _attempt in range(MAX_COIN_TRIES):
            self.n_left = 0
            for r in range(v):
                self.left[r] = mixed(z ^ mixed(r)) & 1
                self.n_left += self.left[r] == 0
            if 0 < self.n_left < v:
                return
            z = mixed(z)
        self.n_left = 0

    def arrange(self, j, v):
        """The lines of categories by their medians, or by coins; of equal ones the first first."""
        r: cython.Py_ssize_t
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        start: cython.Py_ssize_t = 0
        step: cython.Py_ssize_t = 1
        if self.limits.draws:
            self.flip_coins(j, v)
        for r in range(v):
            if not self.limits.draws:
                self.apart_of(self.seq[start : self.ends[r]])
                start = self.ends[r]
                self.left[r] = self.values[self.low] + self.values[self.high]
            self.spare[r] = self.load[r]
            self.sorted[r] = r
        while 3 * step < v:
            step = 3 * step + 1
        while step > 0:  # Shell's sort: no two lines are alike, for their codes count
            for i in range(step, v):
                r = self.sorted[i]
                k = i
                while k >= step and self.later(self.sorted[k - step], r):
                    self.sorted[k] = self.sorted[k - step]
                    k -= step
                self.sorted[k] = r
            step //= 3
        for i in range(v):
            self.rank[self.sorted[i]] = i
            self.load[i] = self.spare[self.sorted[i]]
        self.rank[v] = v
        self.sorted[v] = v
        for i in range(self.s, self.s + self.m):
            self.side[self.rows[i]] = self.rank[self.side[self.rows[i]]]
        self.order(v)

    def pool(self, j, v):
        """Rare lines of a category as one, the last: it stands for all others; returns the lines.

        ``into``: where every line goes; ``back``: the first that went there; ``others``: that of
        rare ones, -1: there are none.
        """
        r: cython.Py_ssize_t
        kept: cython.Py_ssize_t = 0
        start: cython.longlong = 0
        self.others = -1
        for r in range(v):
            self.into[r] = -1
            if self.ends[r] - start >= self.columns.least[j]:
                self.into[r] = kept
                self.back[kept] = r
                self.load[kept] = self.load[r]
                kept += 1
            else:
                self.others = r if self.others < 0 else self.others
                self.spare[r] = self.load[r]
            start = self.ends[r]
        if self.others < 0:
            self.into[v] = v
            self.back[v] = v
            return v
        self.back[kept] = self.others
        self.load[kept] = 0
        for r in range(v):
            if self.into[r] < 0:
                self.into[r] = kept
                self.load[kept] += self.spare[r]
        self.into[v] = kept + 1
        self.back[kept + 1] = v
        for r in range(self.s, self.s + self.m):
            self.side[self.rows[r]] = self.into[self.side[self.rows[r]]]
        self.order(kept + 1)
        return kept + 1

    def later(self, a, b):
        return self.left[a] > self.left[b] or (self.left[a] == self.left[b] and a > b)

    def sweep_lines(self, v):
        """What every cut leaves apart, and the loads up to it; the last cuts nothing off."""
        r: cython.Py_ssize_t
        for r in range(v):
            self.left[r] = self.gap
            if r > 0:
                self.load[r] += self.load[r - 1]
        if not self.follows:
            self.sweep(self.seq, self.ends[:v], self.left)
            return
        self.turn_lines(v)
        for r in range(v + 1):
            self.left[r] = 0
            self.beside[r] = 0
        self.sweep(self.seq, self.ends[: v + 1], self.left)
        self.sweep(self.turned, self.turns[: v + 1], self.beside)

    def turn_lines(self, v):
        """Missing values as one line more: the last, and in ``turned`` the first."""
        r: cython.Py_ssize_t
        gaps: cython.Py_ssize_t = self.m - self.held
        self.ends[v] = self.m
        self.turns[0] = gaps
        for r in range(v):
            self.turns[r + 1] = self.ends[r] + gaps
        for r in range(self.m):
            self.turned[r] = self.seq[r + self.held if r < gaps else r - gaps]

    def sweep(self, seq, ends, left):
        """Add what every cut between lines leaves apart on both sides."""
        way: cython.Py_ssize_t
        if self.uneven:
            by_coming(
                seq, self.place, self.measure[1 : self.m + 1], self.weight, self.sums[0],
                self.sums[1], ends, left,
            )  # fmt: skip
            return
        for way in range(2):
            self.link()
            by_going(
                seq, self.place, self.measure[: self.m + 1], self.weight, self.chain, ends, left,
                way == 1,
            )  # fmt: skip

    def link(self):
        """The chain of the rows that are in a line, by measure."""
        i: cython.Py_ssize_t
        last: cython.Py_ssize_t = 0
        if self.held == self.m or self.follows:
            for i in range(self.m + 2):
                self.chain[0, i] = i - 1
                self.chain[1, i] = i + 1
            return
        for i in range(1, self.m + 1):
            self.chain[1, i] = 0
        for i in range(self.held):
            self.chain[1, self.place[self.seq[i]]] = 1
        for i in range(1, self.m + 1):
            if self.chain[1, i]:
                self.chain[1, last] = i
                self.chain[0, i] = last
                last = i
        self.chain[1, last] = self.m + 1
        self.chain[0, self.m + 1] = last

    def fall(self, r, v):
        """What a cut behind a line gains; -1 where it may not be asked for.

        The last is no cut: it asks whether there is a value.
        """
        rows: cython.longlong = self.held
        above: cython.longlong = self.load[v - 1] - self.load[r]
        if self.follows and r < v - 1:
            return max(self.fall_beside(r, v), self.fall_before(r))
        if r == v - 1:
            rows = self.m
            above = self.gap_load
        if not self.enough(self.load[r], self.ends[r]):
            return -1.0
        if rows == self.ends[r] or not self.enough(above, rows - self.ends[r]):
            return -1.0
        return self.mean(self.total - self.left[r])

    def fall_before(self, r):
        """The same where missing values go above the cut."""
        if not self.enough(self.load[r], self.ends[r]):
            return -1.0
        if not self.enough(self.heft - self.load[r], self.m - self.ends[r]):
            return -1.0
        return self.mean(self.total - self.left[r])

    def fall_beside(self, r, v):
        """The same where missing values go below the cut."""
        gaps: cython.longlong = self.m - self.held
        if not self.enough(self.load[r] + self.gap_load, self.ends[r] + gaps):
            return -1.0
        if not self.enough(self.load[v - 1] - self.load[r], self.held - self.ends[r]):
            return -1.0
        return self.mean(self.total - self.beside[r + 1])
