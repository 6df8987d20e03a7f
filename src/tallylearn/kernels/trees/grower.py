"""Grower: a tree, depth first, from rows that are counted and parted."""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.choice import Choice
    from tallylearn.kernels.trees.code_sums import TOTAL
    from tallylearn.kernels.trees.random_numbers import mixed, shuffle
    from tallylearn.kernels.trees.record import (
        DEPTH,
        END,
        FIRST,
        LEADS_FULL,
        NODES_FULL,
        PAUSED,
        SEED,
        SLOT,
        STACK_FULL,
        Record,
    )
    from tallylearn.kernels.trees.settings import NUMBER
    from tallylearn.kernels.trees.split_search import Search

LEFT_TO_OTHERS = cython.declare(cython.longlong, -1)  # the test of a node that others grow
LARGE = cython.declare(cython.int, 5)  # a node that is worked on from outside
ROWS_FULL = cython.declare(cython.int, 6)  # no room for the rows of the children
MANY_ROWS = cython.declare(cython.longlong, 65_536)  # of a node: a column takes milliseconds
UNKNOWN = cython.declare(cython.double, -2.0)  # the gain of a column that is yet to be looked at


class Grower:
    """A tree as it grows; see ``models.trees.growing``.

    Growing ends whatever the numbers are: a node without a question, or with a child as large as
    itself, becomes a leaf, and is counted.

    Large nodes are worked on from outside, their columns on several threads: ``open``, ``survey``,
    ``settle``, ``part``, ``push``. Nodes of few rows may be left to others, who grow them at the
    same time, each in its own run of the rows. ``check``: called between two columns of a node of
    many rows; what it raises ends the growing.
    """

    def __init__(self, settings, columns, amounts, rows, record: Record, lines, check=None):
        self.check, self.error, self.stopped = check, None, False
        self.settings, self.columns, self.rows, self.record = settings, columns, rows, record
        self.search = Search(settings, columns, amounts, lines, record.ties)
        self.choice = Choice(settings, columns, self.search, rows)
        self.asked = np.flatnonzero(np.asarray(self.columns.gaps)[: columns.p]).astype(np.int32)
        self.pick = np.arange(len(self.asked), dtype=np.int32)
        self.growing = np.zeros(columns.branches + 1, np.int32)
        self.others_from, self.others_to = 1, 0

    def grow(self, large: cython.longlong, few: cython.longlong):
        """Grow until nothing waits, something is full, or a large node comes.

        0 done; to be enlarged: 1 nodes, 2 leads, 3 ties, 4 stack, 6 rows; 5 a node of more than
        ``large`` rows; 9 a pause. Nodes of at least ``few`` and at most ``large`` rows are left to
        others (test -1).
        """
        full: cython.int = 0
        at: cython.Py_ssize_t
        n: cython.longlong
        cells: cython.longlong = 0
        columns: cython.longlong = min(self.settings.max_features, self.columns.p)
        self.others_from = few
        self.others_to = large
        with cython.nogil:
            while self.record.waiting > 0 and full == 0:
                at = self.record.waiting - 1
                n = self.record.stack[at, END] - self.record.stack[at, FIRST]
                if n > large:
                    full = LARGE
                elif n >= few:
                    full = self.leave(at)
                else:
                    full = self.step()
                    cells += n * columns
                    if full == 0 and cells > self.record.cells_per_pause:
                        full = PAUSED
        if self.error is not None:
            raise self.error
        return full

    def open(self):
        """Sum the next node up: 0 go on, 1 no room, -1 it was a leaf."""
        at: cython.Py_ssize_t = self.record.waiting - 1
        if self.record.no_room():
            return NODES_FULL
        if self.sum_up(at):
            self.leaf(at)
            return -1
        return 0

    def survey(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t):
        """Look at some columns, on any thread, as far as that goes without their lines."""
        f: cython.Py_ssize_t
        with cython.nogil:
            for f in range(first, last):
                self.search.gains[f] = -1.0
                if not self.rows.known(f, self.search):
                    self.search.gains[f] = UNKNOWN
                    self.rows.prepare(f)

    def settle(self):
        """Look at the other columns, and choose: 0 go on, 1 to 4 no room, -1 it became a leaf."""
        f: cython.Py_ssize_t
        with cython.nogil:
            self.rows.settle()
            for f in range(self.columns.p):
                if self.search.gains[f] == UNKNOWN:
                    self.search.gains[f] = -1.0
                    self.rows.tabulate(f, self.search.table)
                    self.search.look(f)
        return self.ask(self.record.waiting - 1)

    def part(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t, spare: cython.longlong[::1]):
        """Part some columns, on any thread."""
        f: cython.Py_ssize_t
        with cython.nogil:
            for f in range(first, last):
                if f == 0 or self.live:
                    self.rows.part(f, spare)

    def push(self):
        """Put the children on the stack."""
        self.put_on(self.record.waiting - 1)

    def refusals(self):
        """How many nodes became leaves because a child was its parent: none, if all is right."""
        return self.choice.refused

    def step(self):
        """Take a node off the stack: a leaf, or a question whose children are put on it."""
        at: cython.Py_ssize_t = self.record.waiting - 1
        f: cython.Py_ssize_t
        full: cython.int
        if self.record.no_room():
            return NODES_FULL
        if self.sum_up(at):
            self.leaf(at)
            return 0
        self.look()
        if self.stopped:
            return PAUSED
        self.rows.settle()
        full = self.ask(at)
        if full == 0:
            if self.rows.by_column:
                for f in range(self.columns.p if self.live else 1):
                    self.rows.part(f, self.rows.spare)
            self.put_on(at)
        return full if full > 0 else 0

    def sum_up(self, at):
        """The totals of a node; whether it is a leaf at once."""
        flat: cython.bint
        rows: cython.longlong = self.record.stack[at, END] - self.record.stack[at, FIRST]
        self.rows.open(
            self.record.stack[at, FIRST], self.record.stack[at, END], self.record.stack[at, SLOT]
        )
        flat = self.rows.total(self.search.table.sums)
        self.search.draws.seed = self.record.stack[at, SEED]
        self.search.low = self.record.bounds[at, 0]
        self.search.high = self.record.bounds[at, 1]
        self.search.open(rows, flat)
        if flat or self.record.stack[at, DEPTH] >= self.settings.max_depth:
            return True
        if self.rows.row_count(self.search.table.sums) < self.settings.min_split:
            return True
        self.record.stack[at, SLOT] = self.rows.take_slot(self.record.stack[at, SLOT])
        return False

    def look(self):
        """The best question of every column, or of some in a random order: until one has any.

        Columns without a single code, as identifiers are, are not among those that are drawn from.
        """
        f: cython.Py_ssize_t
        i: cython.Py_ssize_t
        tried: cython.Py_ssize_t = 0
        some: cython.bint = False
        if self.settings.max_features < self.pick.shape[0]:
            shuffle(self.record.stack[self.record.waiting - 1, SEED], self.pick)
        for f in range(self.columns.p):
            self.search.gains[f] = -1.0
        self.rows.survey(self.search)
        for i in range(self.pick.shape[0]):
            if tried >= self.settings.max_features and some:
                break
            if self.search.rows > MANY_ROWS and self.interrupted():
                self.stopped = True
                return
            f = self.asked[self.pick[i]]
            tried += 1
            if not self.rows.known(f, self.search):
                self.rows.tabulate(f, self.search.table)
                self.search.look(f)
            some = some or self.search.gains[f] >= 0

    def interrupted(self):
        """Whether growing must end, and why."""
        if self.check is None:
            return False
        try:
            self.check()
        except BaseException as error:
            self.error = error
        return self.error is not None

    def ask(self, at):
        """Choose a question and send the rows on: 0; -1 where there is none; 1 to 4 no room."""
        full: cython.int = self.choice.choose(self.record.stack[at, SEED])
        if full == 0:
            full = self.divide(at)
            if full:
                self.choice.withdraw(full)
        if full < 0:
            self.leaf(at)
        return full

    def divide(self, at):
        """Note the question, and the child of every row."""
        r: cython.int
        code: cython.longlong
        f: cython.Py_ssize_t = self.choice.question.column
        lines: cython.Py_ssize_t = self.search.table.n
        if at + self.choice.question.children > self.record.stack.shape[0]:
            return STACK_FULL
        if self.columns.kinds[f] == NUMBER:
            lines = 0
        if self.record.n_leads + lines > self.record.leads.shape[0]:
            return LEADS_FULL
        self.middle = 0.0
        if self.slope():
            self.middle = self.search.middle(
                self.choice.question.cut, self.choice.question.gap_child
            )
        self.rows.take_sides(self.choice.question)
        if self.rows.full:
            return ROWS_FULL
        for r in range(self.rows.children):
            if self.rows.size(r) >= self.search.rows:
                self.choice.refused += 1
                return -1
        for r in range(lines):
            code = self.search.table.codes[r]
            self.record.lead(code, self.choice.question.child[code])
        self.write(self.choice.question.test(), f)
        self.take_stock(self.record.stack[at, DEPTH] + 1)
        self.rows.part_first()
        self.rows.bequeath(self.growing)
        return 0

    def slope(self):
        """Whether answers may only rise, or only fall, from the first child to the second."""
        if self.choice.question.test() != 1:
            return 0
        return self.columns.slopes[self.choice.question.column]

    def take_stock(self, depth):
        """Which children are split again, ``live``: whether any; which of them by this grower."""
        c: cython.int
        n: cython.longlong
        self.live = False
        for c in range(self.rows.children):
            n = self.rows.size(c)
            self.growing[c] = (
                self.rows.mixed[c]
                and self.rows.child_rows(c) >= self.settings.min_split
                and depth < self.settings.max_depth
            )
            self.live = self.live or self.growing[c]
            if self.others_from <= n <= self.others_to:
                self.growing[c] = False

    def put_on(self, at):
        """The children wait in place of the node, the first on top."""
        r: cython.Py_ssize_t
        c: cython.int
        children: cython.int = self.rows.children
        first: cython.longlong
        depth: cython.longlong = self.record.stack[at, DEPTH]
        z: cython.ulonglong = self.record.stack[at, SEED]
        for c in range(children):
            r = at + children - 1 - c
            first = self.rows.begin(c)
            self.record.wait(
                r, self.record.n_nodes - 1, c, first, first + self.rows.size(c), depth + 1
            )
            self.record.stack[r, SEED] = cython.cast(cython.longlong, mixed(z + c + 2) >> 1)
            self.record.stack[r, SLOT] = self.rows.heirs[c]
            self.bound(r, c)
        self.record.waiting = at + children

    def bound(self, at, c):
        """Between which answers a child must stay: where there is a slope, on its side of it."""
        slope: cython.int = self.slope() if c < 2 else 0
        self.record.bounds[at, 0] = self.search.low
        self.record.bounds[at, 1] = self.search.high
        if slope:
            self.record.bounds[at, 1 if (slope > 0) == (c == 0) else 0] = self.middle

    def write(self, test, f):
        """Write the node on top of the stack down."""
        w: cython.double = self.search.impurity.weight
        spread: cython.double = self.search.impurity.spread / w if w > 0 else 0.0
        gain: cython.double = self.search.gains[f] / w if f >= 0 else 0.0
        self.record.note(test, f, self.search.rows)
        if f >= 0:
            self.record.ask(
                self.choice.question.cut, self.choice.question.next, self.choice.question.gap_child
            )
        self.record.measure(spread * self.settings.scale, gain * self.settings.scale)
        self.record.part_at(self.search.draws.points[f] if f >= 0 else 0.0)
        copy(self.search.table.sums[TOTAL], self.record.totals[self.record.n_nodes])
        self.record.close()

    def leaf(self, at):
        """Note a leaf; it needs no histogram."""
        self.write(0, -1)
        self.rows.give_back(self.record.stack[at, SLOT])
        self.record.waiting = at

    def leave(self, at):
        """Note a node that others will grow: its run, depth and seed in place of a question."""
        c: cython.Py_ssize_t
        node: cython.Py_ssize_t = self.record.n_nodes
        if self.record.no_room():
            return NODES_FULL
        self.rows.give_back(self.record.stack[at, SLOT])
        self.search.impurity.weight = 0
        self.write(LEFT_TO_OTHERS, -1)
        for c in range(4):
            self.record.nodes[node, 3 + c] = self.record.stack[at, FIRST + c]
        self.record.waiting = at
        return 0


def copy(line, out):
    c: cython.Py_ssize_t
    for c in range(line.shape[0]):
        out[c] = line[c]
