"""Item parts: rows split into parts, one for every branch, where a value is missing.

With ``missing="fractional"`` a row without a value goes down every branch with a part of its weight
(J. R. Quinlan, C4.5: Programs for Machine Learning, 1993). An item is a row or a part of one.

Layout: the items of a node are a run of every list. A run grows when its items are split, so it is
the last of all runs in use. Nodes are grown depth first, the first child next: the runs of the
children stand in reverse order, the last child first. Items are numbered; the numbers from
``n_items`` on are free. Each waiting node keeps how many numbers were in use when its parent was
split: once it is its turn, all that its siblings before it used beyond that is free again.

Invariant: weights are integers, and a part is rounded to the nearest, so that no order of the rows
matters.
"""

import cython
import numpy as np
from cython.cimports.libc.math import floor

ITEM = cython.declare(cython.longlong, 0xFFFFFFFF)  # the bits of an entry that number its item


class ItemParts:
    """The items of a table, and how a split sends those of a node to its children.

    By item: ``row``; ``units``, its weight; ``counted``: for how many rows it counts, in the units
    of ``row_units`` (n,), or, where that is empty, its weight; ``side``: its child, -1 where the
    value is missing; ``place``: its place among ``lost``, the items without a value. ``base`` (n,):
    the weight of each row. ``parts``: the numbers of the parts of lost items, child by child, -1
    for none. By child: ``starts``, where its run begins; ``sizes``, how many items it has;
    ``weights``, the weight of those with a value.
    """

    def __init__(self, units, row_units, branches):
        n = len(units)
        if len(row_units) not in (0, n):
            raise ValueError("trees.item_parts.ItemParts: its arrays do not agree in length")
        self.base, self.row_units, self.size = units, row_units, n
        self.row, self.units = np.arange(n, dtype=np.int32), units.copy()
        self.counted, self.lost = np.zeros(n, np.int64), np.zeros(n, np.int32)
        self.side, self.place, self.parts = np.zeros((3, n), np.int32)
        self.sizes, self.weights = np.zeros((2, branches + 2), np.int64)
        self.starts, self.next = np.zeros((2, branches + 2), np.int64)
        self.n_items, self.full = n, False
        for item in range(n):
            self.counted[item] = self.count_of(item, self.units[item])

    def enlarge(self):
        """Make room for the items of the split that found none, and a quarter more."""
        self.size = max(self.need + self.need // 4, self.size)
        self.row, self.units = widened(self.row, self.size), widened(self.units, self.size)
        self.counted, self.lost = widened(self.counted, self.size), widened(self.lost, self.size)
        self.side, self.place = widened(self.side, self.size), widened(self.place, self.size)
        if self.need_parts > self.parts.shape[0]:
            self.parts = np.zeros(2 * self.need_parts, np.int32)

    def open(self, lo, n_items):
        """A node whose run begins at ``lo``; its new items get numbers from ``n_items`` on."""
        self.lo = lo
        if n_items >= 0:
            self.n_items = n_items

    def begin(self, children):
        """A split of the node into so many children."""
        c: cython.Py_ssize_t
        self.children = children
        self.n_lost = 0
        self.known = 0
        for c in range(children):
            self.sizes[c] = 0
            self.weights[c] = 0

    def keep(self, item, c):
        """Send an item with a value to a child."""
        self.side[item] = c
        self.sizes[c] += 1
        self.weights[c] += self.units[item]
        self.known += self.units[item]

    def lose(self, item):
        """Send an item without a value to every child."""
        self.side[item] = -1
        self.place[item] = self.n_lost
        self.lost[self.n_lost] = item
        self.n_lost += 1

    def number(self):
        """Number the parts of lost items, of which the first keeps the number of the item.

        Nothing is split yet. ``full``: there is no room, for ``need`` items.
        """
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        found: cython.Py_ssize_t
        kept: cython.bint
        self.used = self.n_items
        self.need = self.lo
        self.need_parts = self.n_lost * self.children
        self.full = self.need_parts > self.parts.shape[0]
        for i in range(self.n_lost):
            kept = False
            for c in range(self.children):
                found = -1
                if self.part_of(self.lost[i], c) > 0:
                    found = self.used if kept else self.lost[i]
                    self.used += kept
                    kept = True
                    self.sizes[c] += 1
                if not self.full:
                    self.parts[i * self.children + c] = found
        for c in range(self.children - 1, -1, -1):
            self.starts[c] = self.need
            self.need += self.sizes[c]
        self.need = max(self.need, self.used)
        self.full = self.full or self.need > self.size

    def part_of(self, item, c):
        """The weight of the part of an item that goes to a child.

        Parts are as large as the children's shares of the weight of all items with a value.
        """
        share: cython.double = cython.cast(cython.double, self.weights[c]) / self.known
        return nearest(self.units[item] * share)

    def count_of(self, item, units):
        """For how many rows a part of an item's row counts that weighs so much."""
        row: cython.Py_ssize_t = self.row[item]
        if not self.row_units.shape[0]:
            return units
        return nearest(
            self.row_units[row] * (cython.cast(cython.double, units) / max(self.base[row], 1))
        )

    def split(self):
        """Split the lost items; the part that has the number of its item comes last."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        part: cython.Py_ssize_t
        for i in range(self.n_lost):
            for c in range(self.children - 1, -1, -1):
                part = self.parts[i * self.children + c]
                if part >= 0:
                    self.row[part] = self.row[self.lost[i]]
                    self.units[part] = self.part_of(self.lost[i], c)
                    self.counted[part] = self.count_of(part, self.units[part])

    def scatter(self, entries, end, spare):
        """The list of a column up to ``end``, as the lists of the children."""
        r: cython.longlong
        c: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        entry: cython.longlong
        item: cython.longlong
        for c in range(self.children):
            self.next[c] = self.starts[c] - self.lo
            at += self.sizes[c]
        for r in range(self.lo, end):
            entry = entries[r]
            item = entry & ITEM
            c = self.side[item]
            if c >= 0:
                spare[self.next[c]] = entry
                self.next[c] += 1
                continue
            for c in range(self.children):
                if self.parts[self.place[item] * self.children + c] >= 0:
                    spare[self.next[c]] = (
                        entry - item + self.parts[self.place[item] * self.children + c]
                    )
                    self.next[c] += 1
        for r in range(at):
            entries[self.lo + r] = spare[r]


def nearest(x):
    """The nearest whole number, of two the even one."""
    below: cython.longlong = cython.cast(cython.longlong, floor(x))
    rest: cython.double = x - below
    if rest > 0.5 or (rest == 0.5 and below % 2 == 1):
        below += 1
    return below


def widened(array, size):
    """An array with as much room along its last axis."""
    array = np.asarray(array)
    more = size - array.shape[array.ndim - 1]  # kernels know no index from the end
    return np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, more)])
