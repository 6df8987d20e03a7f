"""Median grower: the tree by absolute error, depth first; see ``models.trees.medians``."""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.median_search import MedianSearch
    from tallylearn.kernels.trees.partition import halve, scatter
    from tallylearn.kernels.trees.random_numbers import mixed
    from tallylearn.kernels.trees.record import (
        DEPTH,
        END,
        FIRST,
        LEADS_FULL,
        NODES_FULL,
        PAUSED,
        SEED,
        STACK_FULL,
        TIES_FULL,
    )
    from tallylearn.kernels.trees.settings import AS_NODE, AS_TABLE, MULTIWAY, NUMBER, SUBSET

MASK = cython.declare(cython.longlong, 0xFFFFFFFF)


class MedianGrower:
    """A tree as it grows. ``group``: the branch of every line, and of what is missing last."""

    def __init__(self, columns, search: MedianSearch, record):
        n = search.n
        self.columns, self.search, self.record = columns, search, record
        self.group = np.zeros(n + 2, np.int32)
        self.half = np.zeros(n, np.uint8)
        self.starts = np.zeros(n + 2, np.int64)

    def grow(self):
        """Go on until all is done, 0, or there is no room: nodes 1, leads 2, ties 3, stack 4.

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
        depth: cython.longlong = self.record.stack[top, DEPTH]
        ties: cython.Py_ssize_t = self.record.ties.n
        asked: cython.Py_ssize_t = -1
        branches: cython.Py_ssize_t = 0
        lines: cython.Py_ssize_t = 0
        full: cython.int = 0
        if self.record.no_room():
            return NODES_FULL
        self.search.draws.seed = self.record.stack[top, SEED]
        self.search.open(self.record.stack[top, FIRST], self.record.stack[top, END])
        if self.search.total > 0 and self.search.asks(self.search.s, self.search.m, depth):
            asked = self.search.choose()
        if asked == -2:
            full = TIES_FULL
        elif asked >= 0:
            lines = self.search.lay(asked)
            branches = self.send(asked, lines)
            if top + branches > self.record.stack.shape[0]:
                full = STACK_FULL
            elif self.columns.kinds[asked] != NUMBER:
                if self.record.n_leads + lines > self.record.leads.shape[0]:
                    full = LEADS_FULL
        if full:
            self.record.ties.n = ties
            return full
        self.write(asked, lines)
        if branches:
            self.part_all(branches, depth + 1)
        self.put_on(branches)
        return 0

    def send(self, j, v):
        """The branch of every line, then of every row; returns how many branches there are."""
        i: cython.Py_ssize_t
        r: cython.Py_ssize_t
        row: cython.Py_ssize_t
        branches: cython.Py_ssize_t = 0
        usual: cython.Py_ssize_t = self.search.usual
        last: cython.longlong = self.search.best[j, 1]
        first: cython.bint = True
        follows: cython.bint
        if self.columns.kinds[j] == SUBSET:
            self.search.arrange(j, self.search.pool(j, v))
            for i in range(self.search.s, self.search.s + self.search.m):
                row = self.search.rows[i]
                self.search.side[row] = self.search.back[self.search.sorted[self.search.side[row]]]
        for r in range(v):
            if self.columns.kinds[j] == NUMBER:
                self.group[r] = 1 if r > last else 0
            elif self.columns.kinds[j] == MULTIWAY:
                self.group[r] = r
            else:
                first = self.search.rank[self.search.into[0]] <= last
                self.group[r] = 1 if (self.search.rank[self.search.into[r]] <= last) != first else 0
            branches = max(branches, self.group[r] + 1)
        follows = self.search.follows and branches > 1
        self.group[v] = branches
        if follows and self.columns.kinds[j] == MULTIWAY:
            self.group[v] = self.search.best[j, 4]
        elif follows:
            self.group[v] = 0 if (self.search.best[j, 4] == 0) == first else 1
        self.search.usual = self.led(j, v, usual)
        for i in range(self.search.s, self.search.s + self.search.m):
            row = self.search.rows[i]
            self.search.side[row] = self.group[self.search.side[row]]
        return branches + (self.search.held < self.search.m and not follows)

    def led(self, j, v, usual):
        """The branch of what is missing; -1: none."""
        r: cython.Py_ssize_t
        if self.search.rule == AS_NODE:
            return self.group[usual]
        if self.search.rule != AS_TABLE:
            return self.group[v] if self.search.held < self.search.m else -1
        if self.columns.kinds[j] == NUMBER:
            return 1 if self.columns.fixed[j] > self.search.best[j, 2] else 0
        for r in range(v):
            if self.search.codes[r] == self.columns.fixed[j]:
                return self.group[r]
        return -1

    def write(self, asked, v):
        """The node as it stands in the tree: 1 threshold, 2 multiway, 3 subset, 4 presence."""
        r: cython.Py_ssize_t
        node: cython.Py_ssize_t = self.record.n_nodes
        test: cython.int = 0
        gain: cython.double = 0.0
        if asked >= 0:
            gain = self.search.gain[asked, 0]
            test = self.columns.kinds[asked] + 1
            if self.columns.kinds[asked] != NUMBER:
                for r in range(v):
                    self.record.lead(self.search.codes[r], self.group[r])
            elif self.search.best[asked, 1] == v - 1:
                test = 4
        self.record.note(test, asked, self.search.m)
        if asked >= 0:
            self.record.ask(-1, -1, self.search.usual)
            if self.columns.kinds[asked] == SUBSET and self.search.others >= 0:
                self.record.ask(self.group[self.search.others], -1, self.search.usual)
            if self.columns.kinds[asked] == NUMBER:
                self.record.ask(
                    self.search.best[asked, 2], self.search.best[asked, 3], self.search.usual
                )
        self.record.measure(self.search.mean(self.search.total), gain)
        self.record.totals[node, 0] = self.search.heft
        self.record.totals[node, 1] = self.search.middle
        self.record.totals[node, 2] = self.search.second
        self.record.close()

    def part_all(self, branches, depth):
        """All lists by branch: those of the columns only where a branch may ask again."""
        b: cython.Py_ssize_t
        j: cython.Py_ssize_t
        i: cython.Py_ssize_t
        row: cython.Py_ssize_t
        s: cython.Py_ssize_t = self.search.s
        m: cython.Py_ssize_t = self.search.m
        live: cython.bint = False
        self.search.order(branches)  # ends: where the branches end
        for i in range(m):
            row = self.search.seq[i]
            self.search.rows[s + i] = row
            self.half[row] = self.search.side[row] & 1
        self.starts[0] = 0
        for b in range(branches):
            i = self.starts[b]
            self.starts[b + 1] = self.search.ends[b]
            live = live or self.search.asks(s + i, self.search.ends[b] - i, depth)
        if not live:
            return
        for j in range(self.columns.p):
            if branches == 2:
                halve(self.search.lists[j, s : s + m], MASK, self.half, self.search.spare)
            else:
                scatter(
                    self.search.lists[j, s : s + m], MASK, self.search.side, self.starts,
                    branches, self.search.spare,
                )  # fmt: skip

    def put_on(self, branches):
        """The branches wait in place of the node, the first to come next."""
        b: cython.Py_ssize_t
        at: cython.Py_ssize_t = self.record.waiting - 1
        s: cython.longlong = self.search.s
        depth: cython.longlong = self.record.stack[at, DEPTH] + 1
        start: cython.longlong
        z: cython.ulonglong = self.record.stack[at, SEED]
        for b in range(branches - 1, -1, -1):
            start = self.search.ends[b - 1] if b > 0 else 0
            self.record.wait(
                at, self.record.n_nodes - 1, b, s + start, s + self.search.ends[b], depth
            )
            self.record.stack[at, SEED] = cython.cast(cython.longlong, mixed(z + b + 2) >> 1)
            at += 1
        self.record.waiting = at
