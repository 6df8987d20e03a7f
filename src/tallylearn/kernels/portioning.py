"""Portioning: C4.5's tree, whose rows go down every branch in parts where the answer is missing.

As in ``kernels.splitting`` every column keeps the items of a node sorted by code, so that nothing
is sorted again. But an item is a row or a part of one: it has a weight of its own, and a question
may make more items than it found. The items of the nodes that wait lie one node after the other,
the next node last, and are replaced by those of its branches. Weights are integers, so nothing
depends on the order of the rows.

One long file, because compiled functions call each other without Python only within a module. The
readable version of what is chosen is ``models.trees.ratios``.
"""

import cython
from cython.cimports.libc.math import ceil, floor, log2

MASK = cython.declare(cython.longlong, 0xFFFFFFFF)
TIED = cython.declare(cython.double, 1e-9)  # of the impurity, or of the best ratio
CLOSE = cython.declare(cython.double, 1e-6)  # of the best ratio: settled by a closer look
NOTHING = cython.declare(cython.double, 1e-6)  # of a gain, a ratio or a weight
NEAR = cython.declare(cython.double, 1e-3)  # below the mean gain
MOST = cython.declare(cython.double, 25.0)  # rows that a side of a cut must have


@cython.cclass
class Portioner:
    """A tree as it grows, depth first; see ``models.trees.parcels``.

    ``lists`` (p, c): code * 2^32 + item, sorted, for every column; items are numbered within their
    node. ``gaps`` (p,): the code of what is missing. ``reach``: for every code of a number the
    first that is told apart from it, those of column j from ``starts[j]`` on.
    """

    lists: cython.longlong[:, ::1]
    units: cython.longlong[::1]  # (c,) the weight of every item
    labels: cython.int[::1]  # (c,) and its class
    number: cython.const[cython.longlong][::1]  # (p,) 1 for a number, 0 for a category
    gaps: cython.const[cython.longlong][::1]
    crowded: cython.const[cython.longlong][::1]  # (p,) 1 for what is left out of the mean gain
    reach: cython.const[cython.int][::1]
    starts: cython.const[cython.longlong][::1]
    logs: cython.const[cython.double][::1]  # (n + 1,) x log2 x

    max_depth: cython.longlong
    min_split: cython.double
    min_leaf: cython.double
    min_weight: cython.double
    min_decrease: cython.double
    whole: cython.double  # weight of the table
    one: cython.double  # one unit of weight

    k: cython.Py_ssize_t
    p: cython.Py_ssize_t
    total: cython.longlong[::1]  # (k,) of the node
    sides: cython.longlong[:, ::1]  # (2, k) below a cut, and above it
    side_logs: cython.double[:, ::1]  # (2, k) x log2 x of them
    branch: cython.longlong[:, ::1]  # (b, k + 4): classes, known weight, items, first item,
    # and the code that leads there, then whether it may ask
    fill: cython.longlong[::1]  # (b,) where its next item goes
    gauge: cython.double[:, ::1]  # (p, 2): gain and ratio; -1: it does not count
    ways: cython.longlong[::1]  # (p,) how many cuts there are
    found: cython.double[::1]  # (3,) of a column: how many cuts, what the best leaves, below it
    side: cython.int[::1]  # (c,) the branch of every item; -1: all of them
    place: cython.int[::1]  # (c,) its number in the branch, or among those without an answer
    spare: cython.longlong[::1]  # (c,)
    spare_labels: cython.int[::1]  # (c,)
    after: cython.double[::1]  # (c,) what every cut leaves mixed
    share: cython.int[::1]  # (branches * gaps,) the numbers of parts in their branches; -1: none

    flat: cython.bint  # whether all items of the node weigh the same
    each: cython.double  # what an item weighs then
    weight: cython.double
    impurity: cython.double
    known: cython.double  # weight of the items with an answer
    before: cython.double  # their weight times their impurity
    least: cython.double  # what each side of a cut must weigh
    cut: cython.longlong  # the last code of the first branch
    next: cython.longlong  # and the first of the second
    gain: cython.double
    none: cython.Py_ssize_t  # items without an answer
    answered: cython.double  # units of the others
    need: cython.longlong  # room that was not there

    stack: cython.longlong[:, ::1]  # parent, place, first item, items, depth
    waiting: cython.Py_ssize_t
    nodes: cython.longlong[:, ::1]
    reals: cython.double[:, ::1]
    totals: cython.longlong[:, ::1]
    leads: cython.longlong[:, ::1]
    ties: cython.longlong[:, ::1]
    n_nodes: cython.Py_ssize_t
    n_leads: cython.Py_ssize_t
    n_ties: cython.Py_ssize_t

    def __init__(self, columns, settings, work):
        """Take the columns, the settings and the space to work in."""
        self.number, self.gaps, self.crowded, self.reach, self.starts, self.logs = columns
        self.max_depth, self.min_split, self.min_leaf, self.min_weight = settings[:4]
        self.min_decrease, self.whole, self.one = settings[4:]
        self.total, self.sides, self.side_logs, self.branch, self.fill = work[:5]
        self.gauge, self.ways, self.found = work[5:]
        self.k = self.total.shape[0]
        self.p = self.number.shape[0]
        self.n_nodes = 0
        self.n_leads = 0
        self.n_ties = 0
        self.waiting = 0
        if (
            min(self.gaps.shape[0], self.crowded.shape[0], self.starts.shape[0] - 1) < self.p
            or min(self.gauge.shape[0], self.ways.shape[0]) < self.p
            or min(self.sides.shape[1], self.side_logs.shape[1]) < self.k
            or min(self.sides.shape[0], self.side_logs.shape[0], self.gauge.shape[1]) < 2
            or self.branch.shape[1] < self.k + 4
            or self.fill.shape[0] < self.branch.shape[0]
            or self.found.shape[0] < 3
        ):
            raise ValueError("portioning.Portioner: the lengths of its arrays do not agree")

    def hold(self, lists, units, labels, room, share):
        """The items; called again with more room where it was not enough."""
        if len(lists) < self.p or min([len(a) for a in (units, labels, *room)]) < lists.shape[1]:
            raise ValueError("portioning.Portioner.hold: the lengths of its arrays do not agree")
        self.lists, self.units, self.labels, self.share = lists, units, labels, share
        self.side, self.place, self.spare, self.spare_labels, self.after = room

    def put(self, stack, nodes, reals, totals, leads, ties):
        """The space for what grows; called again with more where it was not enough."""
        if (
            min(len(reals), len(totals)) < len(nodes)
            or stack.shape[1] < 5
            or nodes.shape[1] < 10
            or reals.shape[1] < 2
            or totals.shape[1] < self.k
            or leads.shape[1] < 2
            or ties.shape[1] < 3
        ):
            raise ValueError("portioning.Portioner.put: the lengths of its arrays do not agree")
        self.stack, self.nodes, self.reals = stack, nodes, reals
        self.totals, self.leads, self.ties = totals, leads, ties

    def begin(self, n: cython.longlong):
        """The first node has all n items."""
        self.stack[0, 0] = -1
        self.stack[0, 1] = 0
        self.stack[0, 2] = 0
        self.stack[0, 3] = n
        self.stack[0, 4] = 0
        self.waiting = 1

    def counted(self):
        """Nodes, leads and ties."""
        return self.n_nodes, self.n_leads, self.n_ties

    def wanted(self):
        """How many items, or parts of items, there must be room for."""
        return self.need

    def grow(self):
        """Go on until all is done, 0, or there is no room.

        For nodes 1, leads 2, ties 3, the stack 4, items 5, parts 6.
        """
        full: cython.int = 0
        with cython.nogil:
            while self.waiting > 0 and full == 0:
                full = self._step()
        return full

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _step(self) -> cython.int:
        """One node. Nothing has changed where there is no room for it."""
        top: cython.Py_ssize_t = self.waiting - 1
        s: cython.Py_ssize_t = self.stack[top, 2]
        m: cython.Py_ssize_t = self.stack[top, 3]
        ties: cython.Py_ssize_t = self.n_ties
        asked: cython.Py_ssize_t = -1
        branches: cython.Py_ssize_t = 0
        full: cython.int = 0
        if self.n_nodes == self.nodes.shape[0]:
            return 1
        self._sum_up(s, m)
        if self._asks(self.total, self.stack[top, 4]):
            asked = self._choose(s, m)
        if asked == -2:
            full = 3
        elif asked >= 0:
            branches = self._send(asked, s, m)
            full = self._full(asked, branches, s, m)
        if full:
            self.n_ties = ties
            return full
        self._write(top, asked, branches)
        if branches:
            self._hand_out(s, m, asked, branches)
            self._part_all(s, m, branches)
        self._push(top, branches)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sum_up(self, s: cython.Py_ssize_t, m: cython.Py_ssize_t) -> cython.void:
        """What a node holds, and how mixed it is."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        units: cython.longlong = 0
        self.flat = True
        for c in range(self.k):
            self.total[c] = 0
        for i in range(s, s + m):
            self.total[self.labels[i]] += self.units[i]
            units += self.units[i]
            if self.units[i] != self.units[s]:
                self.flat = False
        self.each = self.units[s] * self.one
        self.weight = units * self.one
        self.impurity = 0.0
        for c in range(self.k):
            self.impurity -= _xlogx(self.total[c] * self.one / self.weight)
        self.impurity += 0.0  # no negative zero

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _asks(self, counts: cython.longlong[::1], depth: cython.longlong) -> cython.bint:
        """Whether a node may ask at all: where two branches have no room none is ever found."""
        c: cython.Py_ssize_t
        classes: cython.Py_ssize_t = 0
        units: cython.longlong = 0
        w: cython.double
        for c in range(self.k):
            units += counts[c]
            classes += counts[c] > 0
        w = units * self.one
        if classes < 2 or depth >= self.max_depth or w < self.min_split:
            return False
        return w >= 2.0 * self.min_leaf - 10.0 * NOTHING

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _choose(self, s: cython.Py_ssize_t, m: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The column to ask; -1: none, -2: there is no room for its ties.

        Every column is gauged; those close to the best are looked at once more, cut by cut.
        """
        j: cython.Py_ssize_t
        some: cython.Py_ssize_t = 0
        mean: cython.double = 0.0
        top: cython.double = 0.0
        best: cython.double = 0.0
        for j in range(self.p):
            self._gauge(j, s, m)
            if self.gauge[j, 1] >= 0 and not self.crowded[j]:
                mean += self.gauge[j, 0]
                some += 1
        mean = mean / some - NEAR if some else 1e300
        for j in range(self.p):
            if self.gauge[j, 0] < mean or self.gauge[j, 1] <= NOTHING:
                self.gauge[j, 1] = -1.0
            top = max(top, self.gauge[j, 1])
        for j in range(self.p):
            if self.gauge[j, 1] < top - CLOSE:
                self.gauge[j, 1] = -1.0
            elif self.gauge[j, 1] > 0 and self.number[j]:
                self._settle(j, s, m)
            best = max(best, self.gauge[j, 1])
        return self._listed(s, m, best) if best > 0 else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _listed(
        self, s: cython.Py_ssize_t, m: cython.Py_ssize_t, top: cython.double
    ) -> cython.Py_ssize_t:
        """The first of the best columns, with its first cut; all are listed if there are more."""
        j: cython.Py_ssize_t
        ties: cython.Py_ssize_t = self.n_ties
        asked: cython.Py_ssize_t = -1
        for j in range(self.p):
            if self.gauge[j, 1] < top - TIED * max(top, self.impurity):
                continue
            if self.number[j]:
                self._list_cuts(j, s, m)
            else:
                self._list(j, -1, -1)
            if self.n_ties > self.ties.shape[0]:
                self.n_ties = ties
                return -2
            asked = j if asked < 0 else asked
        self.cut = self.ties[ties, 1]
        self.next = self.ties[ties, 2]
        self.gain = self.gauge[asked, 0]
        if self.weight / self.whole * self.gain + 1e-12 < self.min_decrease:
            asked = -1
        if self.n_ties == ties + 1 or asked < 0:
            self.n_ties = ties
        return asked

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _list(
        self, j: cython.Py_ssize_t, cut: cython.longlong, after: cython.longlong
    ) -> cython.void:
        """One tie; where there is no room it is counted only."""
        if self.n_ties < self.ties.shape[0]:
            self.ties[self.n_ties, 0] = j
            self.ties[self.n_ties, 1] = cut
            self.ties[self.n_ties, 2] = after
        self.n_ties += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _list_cuts(
        self, j: cython.Py_ssize_t, s: cython.Py_ssize_t, m: cython.Py_ssize_t
    ) -> cython.void:
        """The cuts that are as good as the best."""
        i: cython.Py_ssize_t
        fine: cython.double
        best: cython.double = self._settle(j, s, m)
        slack: cython.double = TIED * min(self.known, self.weight * self.impurity)
        fine = log2(cython.cast(cython.double, self.ways[j])) / self.weight
        for i in range(s, s + m - 1):
            if self.after[i] > best + slack:
                continue
            if (self.before - self.after[i]) / self.weight - fine > NOTHING:
                self._list(j, self.lists[j, i] >> 32, self.lists[j, i + 1] >> 32)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _open(
        self, j: cython.Py_ssize_t, s: cython.Py_ssize_t, m: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """All items with an answer stand above the cut; returns where they end."""
        c: cython.Py_ssize_t
        item: cython.Py_ssize_t
        units: cython.longlong = 0
        end: cython.Py_ssize_t = s + m
        bound: cython.longlong = self.gaps[j] << 32
        for c in range(self.k):
            self.sides[0, c] = 0
            self.sides[1, c] = self.total[c]
        while end > s and self.lists[j, end - 1] >= bound:
            end -= 1
            item = s + (self.lists[j, end] & MASK)
            self.sides[1, self.labels[item]] -= self.units[item]
        for c in range(self.k):
            units += self.sides[1, c]
        self.known = units * self.one
        self.before = _xlogx(self.known)
        for c in range(self.k):
            self.before -= _xlogx(self.sides[1, c] * self.one)
        self.least = 0.1 * self.known / self.k
        if self.least <= self.min_leaf + NOTHING:
            self.least = self.min_leaf
        elif self.least > MOST:
            self.least = MOST
        self.least -= NOTHING
        return end

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _gauge(
        self, j: cython.Py_ssize_t, s: cython.Py_ssize_t, m: cython.Py_ssize_t
    ) -> cython.void:
        """What a column could gain, and its ratio."""
        end: cython.Py_ssize_t = self._open(j, s, m)
        least: cython.Py_ssize_t
        self.gauge[j, 0] = 0.0
        self.gauge[j, 1] = -1.0
        self.ways[j] = 0
        if end == s:
            return
        if not self.number[j]:
            self._gauge_groups(j, s, end)
            return
        if self.flat:
            least = cython.cast(cython.Py_ssize_t, ceil(self.least / self.each))
            _by_counts(
                self.lists[j, s:end], self.labels[s : s + m],
                self.reach[self.starts[j] : self.starts[j + 1]], self.logs, self.sides,
                self.units[s], least, self.found,
            )  # fmt: skip
            self._note_cut(
                j, cython.cast(cython.Py_ssize_t, self.found[0]), self.found[1] * self.each,
                self.found[2] * self.each,
            )  # fmt: skip
        else:
            self.found[1] = self.least
            self.found[2] = self.one
            _by_parts(
                self.lists[j, s:end], self.labels[s : s + m], self.units[s : s + m],
                self.reach[self.starts[j] : self.starts[j + 1]], self.sides, self.side_logs,
                self.found,
            )  # fmt: skip
            self._note_cut(
                j, cython.cast(cython.Py_ssize_t, self.found[0]), self.found[1], self.found[2]
            )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _gauge_groups(
        self, j: cython.Py_ssize_t, s: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.void:
        """One branch a category: at least two with enough weight."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        item: cython.Py_ssize_t
        enough: cython.Py_ssize_t = 0
        units: cython.longlong
        w: cython.double
        after: cython.double = 0.0
        parts: cython.double = 0.0
        for i in range(s, end):
            item = s + (self.lists[j, i] & MASK)
            self.sides[0, self.labels[item]] += self.units[item]
            if i + 1 < end and (self.lists[j, i] >> 32) == (self.lists[j, i + 1] >> 32):
                continue
            units = 0
            for c in range(self.k):
                units += self.sides[0, c]
                after -= _xlogx(self.sides[0, c] * self.one)
                self.sides[0, c] = 0
            w = units * self.one
            after += _xlogx(w)
            parts += _xlogx(w)
            enough += w >= self.min_leaf - NOTHING and w >= self.min_weight
        if enough > 1:
            self._note(j, after, parts, 0.0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _note_cut(
        self,
        j: cython.Py_ssize_t,
        ways: cython.Py_ssize_t,
        after: cython.double,
        below: cython.double,
    ) -> cython.void:
        """A cut, which is fined for the choice there was."""
        self.ways[j] = ways
        if ways == 0:
            return
        fine: cython.double = log2(cython.cast(cython.double, ways)) / self.weight
        self._note(j, after, _xlogx(below) + _xlogx(self.known - below), fine)
        if self.gauge[j, 0] <= NOTHING:
            self.gauge[j, 1] = -1.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _note(
        self,
        j: cython.Py_ssize_t,
        after: cython.double,
        parts: cython.double,
        fine: cython.double,
    ) -> cython.void:
        """Gain and ratio: the items without an answer are one more branch of the split."""
        gain: cython.double = max(self.before - after, 0.0) / self.weight - fine
        none: cython.double = max(self.weight - self.known, 0.0)
        info: cython.double = (_xlogx(self.weight) - parts - _xlogx(none)) / self.weight
        self.gauge[j, 0] = gain
        self.gauge[j, 1] = max(gain / info, 0.0) if info > 0 else 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _settle(
        self, j: cython.Py_ssize_t, s: cython.Py_ssize_t, m: cython.Py_ssize_t
    ) -> cython.double:
        """Every cut of a column, from its counts; the first of the best has the column's ratio.

        Returns what the best leaves mixed.
        """
        i: cython.Py_ssize_t
        end: cython.Py_ssize_t = self._open(j, s, m)
        best: cython.double = 1e300
        slack: cython.double = TIED * min(self.known, self.weight * self.impurity)
        below: cython.longlong = 0
        for i in range(s, s + m):
            self.after[i] = 1e300
        for i in range(s, end - 1):
            below += self._move(j, s, i)
            self.after[i] = self._left(j, i, below * self.one)
            best = min(best, self.after[i])
        below = 0
        for i in range(s, end):
            below += self.units[s + (self.lists[j, i] & MASK)]
            if self.after[i] <= best + slack:
                self._note_cut(j, self.ways[j], self.after[i], below * self.one)
                break
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _move(
        self, j: cython.Py_ssize_t, s: cython.Py_ssize_t, i: cython.Py_ssize_t
    ) -> cython.longlong:
        """The item at a place goes below the cut; returns its weight."""
        item: cython.Py_ssize_t = s + (self.lists[j, i] & MASK)
        self.sides[0, self.labels[item]] += self.units[item]
        self.sides[1, self.labels[item]] -= self.units[item]
        return self.units[item]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _left(
        self, j: cython.Py_ssize_t, i: cython.Py_ssize_t, below: cython.double
    ) -> cython.double:
        """What a cut behind a place leaves mixed; 1e300 where there can be none."""
        c: cython.Py_ssize_t
        found: cython.double
        above: cython.double = self.known - below
        code: cython.longlong = self.lists[j, i] >> 32
        if below < self.least or above < self.least:
            return 1e300
        if (self.lists[j, i + 1] >> 32) < self.reach[self.starts[j] + code]:
            return 1e300
        found = _xlogx(below) + _xlogx(above)
        for c in range(self.k):
            found -= _xlogx(self.sides[0, c] * self.one) + _xlogx(self.sides[1, c] * self.one)
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _send(
        self, j: cython.Py_ssize_t, s: cython.Py_ssize_t, m: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """The branch of every item that has an answer; returns how many branches there are."""
        i: cython.Py_ssize_t
        b: cython.Py_ssize_t = -1
        branches: cython.Py_ssize_t = 0
        item: cython.Py_ssize_t
        code: cython.longlong
        last: cython.longlong = -1
        self.none = 0
        self.answered = 0.0
        for i in range(s, s + m):
            code = self.lists[j, i] >> 32
            item = self.lists[j, i] & MASK
            if code == self.gaps[j]:
                self.side[item] = -1
                self.place[item] = self.none
                self.none += 1
                continue
            if b < 0 or (b == 0 and code > self.cut if self.number[j] else code != last):
                b = branches
                branches += 1
                self.branch[b, :] = 0
                self.branch[b, self.k + 3] = code
            last = code
            self.side[item] = b
            self.place[item] = self.branch[b, self.k + 1]
            self.branch[b, self.labels[s + item]] += self.units[s + item]
            self.branch[b, self.k] += self.units[s + item]
            self.branch[b, self.k + 1] += 1
            self.answered += self.units[s + item]  # below 2^53: exact
        return branches

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _full(
        self,
        j: cython.Py_ssize_t,
        branches: cython.Py_ssize_t,
        s: cython.Py_ssize_t,
        m: cython.Py_ssize_t,
    ) -> cython.int:
        """Number the parts of items without an answer; whether there is no room for all."""
        b: cython.Py_ssize_t
        g: cython.Py_ssize_t
        at: cython.Py_ssize_t
        if not self.number[j] and self.n_leads + branches > self.leads.shape[0]:
            return 2
        if self.waiting - 1 + branches > self.stack.shape[0]:
            return 4
        self.need = self.none * branches
        if self.need > self.share.shape[0]:
            return 6
        self.need = s
        for b in range(branches):
            for g in range(self.none):
                at = b * self.none + g
                self.share[at] = -1
                if self._part(j, b, s + m - self.none + g, s) > 0:
                    self.share[at] = self.branch[b, self.k + 1]
                    self.branch[b, self.k + 1] += 1
            self.need += self.branch[b, self.k + 1]
        return 5 if self.need > self.units.shape[0] else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _part(
        self,
        j: cython.Py_ssize_t,
        b: cython.Py_ssize_t,
        at: cython.Py_ssize_t,
        s: cython.Py_ssize_t,
    ) -> cython.longlong:
        """What comes to a branch of the item at a place that has no answer."""
        part: cython.double = self.branch[b, self.k] / self.answered
        return _rounded(self.units[s + (self.lists[j, at] & MASK)] * part)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _write(
        self, top: cython.Py_ssize_t, asked: cython.Py_ssize_t, branches: cython.Py_ssize_t
    ) -> cython.void:
        """The node as it stands in the tree."""
        c: cython.Py_ssize_t
        node: cython.Py_ssize_t = self.n_nodes
        self.nodes[node, 0] = self.stack[top, 0]
        self.nodes[node, 1] = self.stack[top, 1]
        self.nodes[node, 2] = 0
        self.nodes[node, 3] = asked
        self.nodes[node, 4] = -1
        self.nodes[node, 5] = -1
        if asked >= 0:
            self.nodes[node, 2] = 1 if self.number[asked] else 2
            self.nodes[node, 4] = self.cut
            self.nodes[node, 5] = self.next
            if not self.number[asked]:
                self._write_leads(asked, branches)
        self.nodes[node, 6] = -1
        self.nodes[node, 7] = self.stack[top, 3]
        self.nodes[node, 8] = self.n_leads
        self.nodes[node, 9] = self.n_ties
        self.reals[node, 0] = self.impurity
        self.reals[node, 1] = self.gain if asked >= 0 else 0.0
        for c in range(self.k):
            self.totals[node, c] = self.total[c]
        self.totals[node, self.k] = self.stack[top, 3]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _write_leads(self, j: cython.Py_ssize_t, branches: cython.Py_ssize_t) -> cython.void:
        """Which category leads to which branch."""
        b: cython.Py_ssize_t
        for b in range(branches):
            self.leads[self.n_leads, 0] = self.branch[b, self.k + 3]
            self.leads[self.n_leads, 1] = b
            self.n_leads += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _hand_out(
        self,
        s: cython.Py_ssize_t,
        m: cython.Py_ssize_t,
        j: cython.Py_ssize_t,
        branches: cython.Py_ssize_t,
    ) -> cython.void:
        """The items of the branches in place of those of the node, the last branch first."""
        b: cython.Py_ssize_t
        i: cython.Py_ssize_t
        to: cython.Py_ssize_t = 0
        units: cython.longlong
        for b in range(branches - 1, -1, -1):
            self.branch[b, self.k + 2] = to
            to += self.branch[b, self.k + 1]
        self.need = to
        for i in range(m):
            if self.side[i] >= 0:
                to = self.branch[self.side[i], self.k + 2] + self.place[i]
                self.spare[to] = self.units[s + i]
                self.spare_labels[to] = self.labels[s + i]
        for b in range(branches):
            for i in range(self.none):
                if self.share[b * self.none + i] < 0:
                    continue
                units = self._part(j, b, s + m - self.none + i, s)
                to = s + (self.lists[j, s + m - self.none + i] & MASK)
                self.branch[b, self.labels[to]] += units
                self.spare_labels[self.branch[b, self.k + 2] + self.share[b * self.none + i]] = (
                    self.labels[to]
                )
                self.spare[self.branch[b, self.k + 2] + self.share[b * self.none + i]] = units
        for i in range(self.need):
            self.units[s + i] = self.spare[i]
            self.labels[s + i] = self.spare_labels[i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _part_all(
        self, s: cython.Py_ssize_t, m: cython.Py_ssize_t, branches: cython.Py_ssize_t
    ) -> cython.void:
        """The lists of the branches that may ask again, in place of those of the node."""
        b: cython.Py_ssize_t
        j: cython.Py_ssize_t
        i: cython.Py_ssize_t
        to: cython.Py_ssize_t
        live: cython.Py_ssize_t = 0
        depth: cython.longlong = self.stack[self.waiting - 1, 4] + 1
        for b in range(branches):
            self.branch[b, self.k + 3] = self._asks(self.branch[b], depth)
            live += self.branch[b, self.k + 3]
        if live == 0:
            return
        for j in range(self.p):
            if branches == 2 and self.none == 0:
                _part_two(self.lists[j], self.side, self.place, s, m, self.spare)
                continue
            for b in range(branches):
                self.fill[b] = self.branch[b, self.k + 2]
            self._part_list(j, s, m, branches)
            for b in range(branches):
                if self.branch[b, self.k + 3]:
                    to = self.branch[b, self.k + 2]
                    for i in range(to, to + self.branch[b, self.k + 1]):
                        self.lists[j, s + i] = self.spare[i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _part_list(
        self,
        j: cython.Py_ssize_t,
        s: cython.Py_ssize_t,
        m: cython.Py_ssize_t,
        branches: cython.Py_ssize_t,
    ) -> cython.void:
        """A list in as many as there are branches, in ``spare``; parts go to all of them."""
        i: cython.Py_ssize_t
        b: cython.Py_ssize_t
        at: cython.Py_ssize_t
        e: cython.longlong
        item: cython.longlong
        for i in range(s, s + m):
            e = self.lists[j, i]
            item = e & MASK
            e -= item
            b = self.side[item]
            if b >= 0:
                self.spare[self.fill[b]] = e + self.place[item]
                self.fill[b] += 1
                continue
            for b in range(branches):
                at = b * self.none + self.place[item]
                if self.share[at] >= 0:
                    self.spare[self.fill[b]] = e + self.share[at]
                    self.fill[b] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _push(self, top: cython.Py_ssize_t, branches: cython.Py_ssize_t) -> cython.void:
        """The branches wait in place of the node, the first to come next."""
        b: cython.Py_ssize_t
        s: cython.longlong = self.stack[top, 2]
        depth: cython.longlong = self.stack[top, 4]
        at: cython.Py_ssize_t = top
        for b in range(branches - 1, -1, -1):
            self.stack[at, 0] = self.n_nodes
            self.stack[at, 1] = b
            self.stack[at, 2] = s + self.branch[b, self.k + 2]
            self.stack[at, 3] = self.branch[b, self.k + 1]
            self.stack[at, 4] = depth + 1
            at += 1
        self.waiting = at
        self.n_nodes += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _xlogx(x: cython.double) -> cython.double:
    """x log2 x; 0 where x is 0."""
    return x * log2(x) if x > 0 else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _rounded(x: cython.double) -> cython.longlong:
    """The nearest whole number, of two the even one."""
    below: cython.longlong = cython.cast(cython.longlong, floor(x))
    rest: cython.double = x - below
    if rest > 0.5 or (rest == 0.5 and below % 2 == 1):
        below += 1
    return below


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _part_two(
    entries: cython.longlong[::1],
    side: cython.const[cython.int][::1],
    place: cython.const[cython.int][::1],
    s: cython.Py_ssize_t,
    m: cython.Py_ssize_t,
    spare: cython.longlong[::1],
) -> cython.void:
    """A list in two where every item has an answer: the second half first."""
    i: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    second: cython.Py_ssize_t = s
    e: cython.longlong
    item: cython.longlong
    for i in range(s, s + m):
        e = entries[i]
        item = e & MASK
        e = e - item + place[item]
        spare[first] = e
        entries[second] = e
        first += 1 - side[item]
        second += side[item]
    for i in range(first):
        entries[second + i] = spare[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _by_counts(
    entries: cython.const[cython.longlong][::1],
    labels: cython.const[cython.int][::1],
    reach: cython.const[cython.int][::1],
    logs: cython.const[cython.double][::1],
    sides: cython.longlong[:, ::1],
    unit: cython.longlong,
    least: cython.Py_ssize_t,
    found: cython.double[::1],
) -> cython.void:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _by_parts(
    entries: cython.const[cython.longlong][::1],
    labels: cython.const[cython.int][::1],
    units: cython.const[cython.longlong][::1],
    reach: cython.const[cython.int][::1],
    sides: cython.longlong[:, ::1],
    logs: cython.double[:, ::1],
    found: cython.double[::1],
) -> cython.void:
    """The best cut of items that weigh what they weigh; see ``_by_counts``.

    ``found`` comes with the least weight a side and the weight of a unit, and has the weight below
    the cut last. The logarithms of a class are taken anew when another one comes, or a cut.
    """
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    last: cython.Py_ssize_t = -1
    n: cython.Py_ssize_t = entries.shape[0]
    ways: cython.Py_ssize_t = 0
    item: cython.Py_ssize_t
    u: cython.longlong = 0
    all_: cython.longlong = 0
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
        logs[1, c] = _xlogx(sides[1, c] * one)
        sums += logs[1, c]
    slack = TIED * all_ * one
    for i in range(n - 1):
        item = entries[i] & MASK
        c = labels[item]
        if c != last and last >= 0:
            sums += _moved(sides, logs, last, one)
        last = c
        sides[0, c] += units[item]
        sides[1, c] -= units[item]
        u += units[item]
        below = u * one
        if below < least or (entries[i + 1] >> 32) < reach[entries[i] >> 32]:
            continue
        if (all_ - u) * one < least:
            break
        ways += 1
        sums += _moved(sides, logs, c, one)
        after = _xlogx(below) + _xlogx((all_ - u) * one) - sums
        if after < best - slack:
            best = after
            low = below
    found[0] = ways
    found[1] = best
    found[2] = low


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _moved(
    sides: cython.const[cython.longlong][:, ::1],
    logs: cython.double[:, ::1],
    c: cython.Py_ssize_t,
    one: cython.double,
) -> cython.double:
    """What x log2 x of a class has changed by on both sides."""
    a: cython.double = _xlogx(sides[0, c] * one)
    b: cython.double = _xlogx(sides[1, c] * one)
    found: cython.double = (a - logs[0, c]) + (b - logs[1, c])
    logs[0, c] = a
    logs[1, c] = b
    return found
