"""C4.5 grower: a row goes down every branch, in parts, where its answer is missing.

An item is a row or a part of one: it has a weight of its own, and a question may make more items
than it found. The items of the nodes that wait lie one node after the other, the next node last,
and are replaced by those of its branches. See ``models.trees.parcels``.
"""

import cython
import numpy as np
from cython.cimports.libc.math import floor

if not cython.compiled:
    from tallylearn.kernels.trees.c45_search import C45Search
    from tallylearn.kernels.trees.record import (
        DEPTH,
        END,
        FIRST,
        LEADS_FULL,
        NODES_FULL,
        PAUSED,
        STACK_FULL,
        TIES_FULL,
    )
    from tallylearn.kernels.trees.settings import NUMBER

MASK = cython.declare(cython.longlong, 0xFFFFFFFF)
ITEMS_FULL = cython.declare(cython.int, 5)  # no room for the items of the branches
PARTS_FULL = cython.declare(cython.int, 6)  # nor for the numbers of their parts


class C45Grower:
    """A tree as it grows, depth first."""

    def __init__(self, columns, search: C45Search, record):
        self.columns, self.search, self.record = columns, search, record
        most, k = max(columns.branches, 2), search.k
        self.branch = np.zeros((most, k + 5), np.int64)
        self.fill = np.zeros(most, np.int64)
        self.weight_at, self.items_at, self.first_at, self.code_at = k, k + 1, k + 2, k + 3
        self.rows_at = k + 4
        self.share = np.zeros(0, np.int32)

    def hold(self, lists, units, labels, rows):
        """The items; called again with more room where it was not enough."""
        size = len(units)
        self.search.hold(lists, units, labels, rows)
        self.spare_rows = np.zeros(size if self.search.weighed else 0, np.int64)
        self.side, self.place = np.zeros(size, np.int32), np.zeros(size, np.int32)
        self.spare, self.spare_labels = np.zeros(size, np.int64), np.zeros(size, np.int32)

    def share_more(self, need):
        """Room for the numbers of as many parts."""
        self.share = np.zeros(need, np.int32)

    def grow(self):
        """Go on until all is done, 0, or there is no room.

        For nodes 1, leads 2, ties 3, the stack 4, items 5, parts 6: ``need`` says how many.
        9: a pause.
        """
        full: cython.int = 0
        top: cython.Py_ssize_t
        cells: cython.longlong = 0
        with cython.nogil:
            while self.record.waiting > 0 and full == 0:
                top = self.record.waiting - 1
                cells += self.columns.p * (
                    self.record.stack[top, END] - self.record.stack[top, FIRST]
                )
                full = self.step()
                if full == 0 and cells > self.record.cells_per_pause:
                    full = PAUSED
        return full

    def step(self):
        """One node. Nothing has changed where there is no room for it."""
        top: cython.Py_ssize_t = self.record.waiting - 1
        s: cython.Py_ssize_t = self.record.stack[top, FIRST]
        m: cython.Py_ssize_t = self.record.stack[top, END] - s
        depth: cython.longlong = self.record.stack[top, DEPTH]
        ties: cython.Py_ssize_t = self.record.ties.n
        asked: cython.Py_ssize_t = -1
        branches: cython.Py_ssize_t = 0
        full: cython.int = 0
        if self.record.no_room():
            return NODES_FULL
        self.search.sum_up(s, m)
        if self.search.asks(self.search.total, self.search.all_rows, depth):
            asked = self.search.choose(s, m)
        if asked == -2:
            full = TIES_FULL
        elif asked >= 0:
            branches = self.send(asked, s, m)
            full = self.number_parts(asked, branches, s, m)
        if full:
            self.record.ties.n = ties
            return full
        self.write(asked, branches, m)
        if branches:
            self.hand_out(s, m, asked, branches)
            self.part_all(s, m, branches, depth + 1)
        self.put_on(s, branches)
        return 0

    def send(self, j, s, m):
        """The branch of every item that has an answer; returns how many branches there are."""
        i: cython.Py_ssize_t
        b: cython.Py_ssize_t = -1
        branches: cython.Py_ssize_t = 0
        item: cython.Py_ssize_t
        code: cython.longlong
        last: cython.longlong = -1
        number: cython.bint = self.columns.kinds[j] == NUMBER
        self.none = 0
        self.answered = 0.0
        for i in range(s, s + m):
            code = self.search.lists[j, i] >> 32
            item = self.search.lists[j, i] & MASK
            if code == self.columns.gaps[j]:
                self.side[item] = -1
                self.place[item] = self.none
                self.none += 1
                continue
            if b < 0 or (b == 0 and code > self.search.cut if number else code != last):
                b = branches
                branches += 1
                self.branch[b, :] = 0
                self.branch[b, self.code_at] = code
            last = code
            self.side[item] = b
            self.place[item] = self.branch[b, self.items_at]
            self.branch[b, self.search.labels[s + item]] += self.search.units[s + item]
            self.branch[b, self.weight_at] += self.search.units[s + item]
            self.branch[b, self.rows_at] += self.search.rows[s + item]
            self.branch[b, self.items_at] += 1
            self.answered += self.search.units[s + item]  # below 2^53: exact
        return branches

    def number_parts(self, j, branches, s, m):
        """Number the parts of items without an answer; whether there is no room for all."""
        b: cython.Py_ssize_t
        g: cython.Py_ssize_t
        at: cython.Py_ssize_t
        if self.columns.kinds[j] != NUMBER:
            if self.record.n_leads + branches > self.record.leads.shape[0]:
                return LEADS_FULL
        if self.record.waiting - 1 + branches > self.record.stack.shape[0]:
            return STACK_FULL
        self.need = self.none * branches
        if self.need > self.share.shape[0]:
            return PARTS_FULL
        self.need = s
        for b in range(branches):
            for g in range(self.none):
                at = b * self.none + g
                self.share[at] = -1
                if self.part_of(self.search.units, j, b, s + m - self.none + g, s) > 0:
                    self.share[at] = self.branch[b, self.items_at]
                    self.branch[b, self.items_at] += 1
            self.need += self.branch[b, self.items_at]
        return ITEMS_FULL if self.need > self.search.units.shape[0] else 0

    def part_of(self, amounts, j, b, at, s):
        """What comes to a branch of the weight, or the rows, of the item at a place without value.

        Parts are as large as the branches' shares of the weight of items that have one.
        """
        part: cython.double = self.branch[b, self.weight_at] / self.answered
        return rounded(amounts[s + (self.search.lists[j, at] & MASK)] * part)

    def write(self, asked, branches, m):
        """The node as it stands in the tree: 1 threshold, 2 multiway."""
        c: cython.Py_ssize_t
        node: cython.Py_ssize_t = self.record.n_nodes
        test: cython.int = 0
        if asked >= 0:
            test = 1 if self.columns.kinds[asked] == NUMBER else 2
            if test == 2:
                for c in range(branches):
                    self.record.lead(self.branch[c, self.code_at], c)
        self.record.note(test, asked, m)
        if asked >= 0:
            self.record.ask(self.search.cut, self.search.next, -1)
        self.record.measure(self.search.impurity, self.search.gain if asked >= 0 else 0.0)
        for c in range(self.search.k):
            self.record.totals[node, c] = self.search.total[c]
        self.record.totals[node, self.search.k] = m
        self.record.close()

    def hand_out(self, s, m, j, branches):
        """The items of the branches in place of those of the node, the last branch first."""
        b: cython.Py_ssize_t
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        to: cython.Py_ssize_t = 0
        units: cython.longlong
        rows: cython.longlong
        for b in range(branches - 1, -1, -1):
            self.branch[b, self.first_at] = to
            to += self.branch[b, self.items_at]
        self.need = to
        for i in range(m):
            if self.side[i] >= 0:
                to = self.branch[self.side[i], self.first_at] + self.place[i]
                self.spare[to] = self.search.units[s + i]
                self.spare_labels[to] = self.search.labels[s + i]
                if self.search.weighed:
                    self.spare_rows[to] = self.search.rows[s + i]
        for b in range(branches):
            for i in range(self.none):
                if self.share[b * self.none + i] < 0:
                    continue
                units = self.part_of(self.search.units, j, b, s + m - self.none + i, s)
                rows = self.part_of(self.search.rows, j, b, s + m - self.none + i, s)
                to = s + (self.search.lists[j, s + m - self.none + i] & MASK)
                self.branch[b, self.search.labels[to]] += units
                self.branch[b, self.rows_at] += rows
                at = self.branch[b, self.first_at] + self.share[b * self.none + i]
                self.spare_labels[at] = self.search.labels[to]
                self.spare[at] = units
                if self.search.weighed:
                    self.spare_rows[at] = rows
        for i in range(self.need):
            self.search.units[s + i] = self.spare[i]
            if self.search.weighed:
                self.search.rows[s + i] = self.spare_rows[i]
            self.search.labels[s + i] = self.spare_labels[i]

    def part_all(self, s, m, branches, depth):
        """The lists of the branches that may ask again, in place of those of the node."""
        b: cython.Py_ssize_t
        j: cython.Py_ssize_t
        i: cython.Py_ssize_t
        to: cython.Py_ssize_t
        live: cython.Py_ssize_t = 0
        for b in range(branches):
            self.branch[b, self.code_at] = self.search.asks(
                self.branch[b], self.branch[b, self.rows_at], depth
            )
            live += self.branch[b, self.code_at]
        if live == 0:
            return
        for j in range(self.columns.p):
            if branches == 2 and self.none == 0:
                part_two(self.search.lists[j], self.side, self.place, s, m, self.spare)
                continue
            for b in range(branches):
                self.fill[b] = self.branch[b, self.first_at]
            self.part_list(j, s, m, branches)
            for b in range(branches):
                if self.branch[b, self.code_at]:
                    to = self.branch[b, self.first_at]
                    for i in range(to, to + self.branch[b, self.items_at]):
                        self.search.lists[j, s + i] = self.spare[i]

    def part_list(self, j, s, m, branches):
        """A list in as many as there are branches, in ``spare``; parts go to all of them."""
        i: cython.Py_ssize_t
        b: cython.Py_ssize_t
        at: cython.Py_ssize_t
        e: cython.longlong
        item: cython.longlong
        for i in range(s, s + m):
            e = self.search.lists[j, i]
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

    def put_on(self, s, branches):
        """The branches wait in place of the node, the first to come next."""
        b: cython.Py_ssize_t
        at: cython.Py_ssize_t = self.record.waiting - 1
        first: cython.longlong
        depth: cython.longlong = self.record.stack[at, DEPTH] + 1
        for b in range(branches - 1, -1, -1):
            first = s + self.branch[b, self.first_at]
            self.record.wait(
                at, self.record.n_nodes - 1, b, first, first + self.branch[b, self.items_at], depth
            )
            at += 1
        self.record.waiting = at


def rounded(x):
    """The nearest whole number, of two the even one."""
    below: cython.longlong = cython.cast(cython.longlong, floor(x))
    rest: cython.double = x - below
    if rest > 0.5 or (rest == 0.5 and below % 2 == 1):
        below += 1
    return below


def part_two(entries, side, place, s, m, spare):
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
