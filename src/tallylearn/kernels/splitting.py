"""Splitting: sum a node up, column by column; choose the best question; send the rows on.

Every column keeps a list of all rows, sorted by code, in which a node is a run; a split parts every
list stably, so nothing is ever sorted again (Mehta, Agrawal and Rissanen, SLIQ, 1996). A column is
seen as a table: a line for each code that occurs at the node, with the weight of every class, or
with the weight and the sum of y. All are integers, so nothing depends on the order of the rows.

Where all columns have few codes, none is kept as a list: the rows of a node are a run of one list,
their codes stand in a grid, and a column is counted into a histogram. Of the children of a node all
but the largest are counted; what is left of the parent's histogram is that of the largest.
Counting differs, the search for the best question is one.

One long file, because compiled functions call each other without Python only within a module. The
readable version of what is chosen is ``models.trees.splits``.
"""

import cython
from cython.cimports.libc.math import floor, log, log1p, log2, pow, sqrt


@cython.cclass
class Grower:
    """A tree as it grows, depth first, from lists of coded rows; see ``models.trees.growing``.

    ``entries`` (p, n): code * 2^32 + class * 2^bits + row. ``kinds`` (p,): 0 threshold, 1 multiway,
    2 subset. ``gaps`` (p,): the code of what is missing. ``amounts`` (n, q): what a row adds to a
    line: its weight and 1; or 1, y and y^2 in four limbs of 32 bits; or its weight, weight * y
    without its lowest 32 bits, weight * y^2, those bits, and 1; nothing where the class alone is
    counted. For Poisson's criterion weight * y * log(y) / 64 is in the place of the squares.
    ``whole`` and ``real`` are the settings, named below.

    A mass is a weight times an impurity. All masses of a node are known to some units in the last
    place of the node's own, ``spread``, however heavy a single row is, so that ``slack`` is above
    all rounding and below all that matters. Growing ends whatever the numbers are: a node without
    a question, or with a child as large as itself, becomes a leaf, and is counted.

    Large nodes are worked on from outside, their columns on several threads: ``open``, ``survey``,
    ``settle``, ``part``, ``push``. Nodes of few rows may be left to others, who grow them at the
    same time, each in its own run of the lists.
    """

    entries: cython.longlong[:, ::1]
    grid: cython.const[cython.ushort][:, ::1]  # (p, n) codes, in place of the entries
    order: cython.int[::1]  # the rows of all nodes, beside the grid
    ys: cython.longlong[::1]  # the class, or y, of the rows in this order
    hists: cython.longlong[:, ::1]  # (slots, p * codes * k)
    tally: cython.longlong[::1]  # (codes * k,) of one column
    free: cython.int[::1]  # slots
    n_free: cython.Py_ssize_t
    slot: cython.Py_ssize_t  # of the node; -1: none
    building: cython.bint  # whether it is still to be filled
    heirs: cython.int[::1]  # (children,) the slot of each; -1 none
    largest: cython.int  # the child that takes what is left of the parent's slot; -1 none
    codes: cython.Py_ssize_t  # of the widest column
    columns: cython.Py_ssize_t
    gridded: cython.bint
    others_from: cython.longlong  # nodes of so many rows are left to others
    others_to: cython.longlong
    kinds: cython.const[cython.longlong][::1]
    gaps: cython.const[cython.longlong][::1]
    fixed: cython.const[cython.longlong][::1]
    costs: cython.const[cython.double][::1]
    y: cython.const[cython.int][::1]
    amounts: cython.const[cython.longlong][:, ::1]
    levels: cython.const[cython.longlong][::1]  # y alone
    logs: cython.const[cython.double][::1]
    critical: cython.const[cython.double][::1]  # of chi-square, by degrees of freedom

    # 0 gini, 1 entropy, 2 variance, 3 standard deviation, 4 Poisson, 9 fifth root
    criterion: cython.int
    classes: cython.int  # 0 in a regression
    rule: cython.int  # missing: 0 own branch, 1 as most at the node, 2 of the class, 3 of the table
    scorer: cython.int  # 0 gain, 1 gain ratio, 2 gain^2 / cost, 3 (2^gain - 1) / (cost + 1)^w
    max_depth: cython.longlong
    min_split: cython.longlong
    min_leaf: cython.longlong
    min_weight: cython.longlong  # of a branch: ``lightest``, or ``min_share`` of the node
    lightest: cython.longlong
    min_share: cython.double
    max_features: cython.int
    tie: cython.int  # 0 the first, 1 a random one
    min_gain: cython.double  # of the weight of a node times its gain, in units of mass
    exponent: cython.double
    scale: cython.double  # one unit of mass
    one: cython.double  # one unit of weight

    bits: cython.int  # of an entry, for its row
    mask: cython.longlong
    rows_at: cython.int  # the column that counts the rows; -1 where the weight does
    k: cython.int  # columns of a line
    q: cython.int  # columns of the totals
    lines: cython.longlong[:, ::1]  # (codes at the node, k)
    line_codes: cython.int[::1]
    tags: cython.int[::1]  # the class of a line that has only one
    turn: cython.int[::1]  # the order in which lines are asked
    keys: cython.double[::1]
    sums: cython.longlong[:, ::1]  # total, left, right, gap, known
    fills: cython.int[::1]  # the line that takes what is missing, by class
    child: cython.int[::1]  # code -> child
    side: cython.int[::1]  # row -> child
    half: cython.uchar[::1]  # the same where there are two
    spare: cython.longlong[::1]
    starts: cython.longlong[::1]
    gains: cython.double[::1]  # (p,) the best of each column
    infos: cython.double[::1]
    scores: cython.double[::1]
    orders: cython.int[::1]  # (p,) the class whose shares gave the order
    pick: cython.int[::1]  # (p,) the columns in the order of trial
    first: cython.longlong[::1]  # (children,) the class, or y, of the first row of each child
    mixed: cython.int[::1]  # (children,) whether another came
    middle: cython.longlong
    spread: cython.double  # the weight of the node times its impurity
    slack: cython.double  # what is no difference between two masses
    before: cython.double  # the mass of the node, as splits are compared with it
    careful: cython.bint  # entropies term by term: their logarithms would cancel
    refused: cython.Py_ssize_t  # nodes that could not be divided after all
    weight: cython.longlong
    rows: cython.longlong
    whole_gap: cython.bint
    gap_mass: cython.double
    found: cython.Py_ssize_t
    best: cython.double  # the best score, less what is a tie
    tie_start: cython.Py_ssize_t
    cut: cython.longlong  # the last code of the first branch
    after_cut: cython.longlong  # and the first of the second
    gap_child: cython.int  # where missing values go; -1 nowhere
    children: cython.int
    lines_used: cython.Py_ssize_t
    live: cython.bint  # whether a child is to be split again
    moving: cython.longlong[:, ::1]  # (p, classes)

    stack: cython.longlong[:, ::1]  # parent, place, first and last row, depth, seed, slot
    waiting: cython.Py_ssize_t
    nodes: cython.longlong[:, ::1]
    reals: cython.double[:, ::1]
    totals: cython.longlong[:, ::1]
    leads: cython.longlong[:, ::1]
    ties: cython.longlong[:, ::1]
    n_nodes: cython.Py_ssize_t
    n_leads: cython.Py_ssize_t
    n_ties: cython.Py_ssize_t

    def __init__(self, rows, whole, real, work):
        """Take the rows, the settings and the space to work in."""
        self.entries, self.kinds, self.gaps, self.fixed = rows[:4]
        self.costs, self.y, self.amounts, self.levels, self.logs, self.critical = rows[4:10]
        self.grid, self.order, self.ys = rows[10:]
        self.criterion, self.classes, self.rule, self.scorer = whole[:4]
        self.max_depth, self.min_split, self.min_leaf, self.lightest = whole[4:8]
        self.max_features, self.tie, self.rows_at, self.bits = whole[8:]
        one: cython.longlong = 1
        self.mask = (one << self.bits) - 1
        self.min_gain, self.exponent, self.scale, self.one, self.min_share = real
        self.lines, self.line_codes, self.tags, self.turn, self.keys = work[:5]
        self.sums, self.fills, self.child, self.side, self.spare = work[5:10]
        self.starts, self.gains, self.infos, self.scores, self.pick = work[10:15]
        self.orders, self.first, self.mixed, self.half, self.moving = work[15:20]
        self.hists, self.tally, self.free, self.heirs = work[20:]
        self.columns = self.kinds.shape[0]
        self.gridded = self.grid.shape[0] > 0
        self.n_free = self.hists.shape[0]
        self.slot = -1
        self.building = False
        self.largest = -1
        self.others_from = 1
        self.others_to = 0
        self.k = self.lines.shape[1]
        self.codes = self.tally.shape[0] // self.k
        self._compare()
        for slot in range(self.n_free):
            self.free[slot] = slot
        self.q = self.sums.shape[1]
        self.n_nodes = 0
        self.n_leads = 0
        self.n_ties = 0
        self.waiting = 0
        self.refused = 0
        self.careful = False

    def _compare(self):
        """Columns, rows, lines and branches have one length each in all arrays that they index."""
        p: cython.Py_ssize_t = self.columns
        n: cython.Py_ssize_t = self.grid.shape[1] if self.gridded else self.entries.shape[1]
        b: cython.Py_ssize_t = self.starts.shape[0]
        lines: cython.Py_ssize_t = self.lines.shape[0]
        if (
            (self.grid.shape[0] if self.gridded else self.entries.shape[0]) < p
            or min(self.gaps.shape[0], self.fixed.shape[0], self.costs.shape[0]) < p
            or min(self.gains.shape[0], self.infos.shape[0], self.scores.shape[0]) < p
            or min(self.pick.shape[0], self.orders.shape[0], self.moving.shape[0]) < p
            or min(self.side.shape[0], self.half.shape[0]) < n
            or (self.classes > 0 and self.y.shape[0] < n)
            or (self.gridded and min(self.order.shape[0], self.ys.shape[0]) < n)
            or min(self.line_codes.shape[0], self.tags.shape[0]) < lines
            or min(self.turn.shape[0], self.keys.shape[0]) < lines
            or min(self.first.shape[0], self.mixed.shape[0], self.heirs.shape[0]) < b
            or self.sums.shape[0] < 5
            or self.free.shape[0] < self.n_free
            or (self.n_free > 0 and self.hists.shape[1] < p * self.codes * self.k)
        ):
            raise ValueError("splitting.Grower: the lengths of its arrays do not agree")

    def place(self, stack, nodes, reals, totals, leads, ties):
        """The space for what grows; called again with more where it was not enough."""
        if (
            min(len(reals), len(totals)) < len(nodes)
            or stack.shape[1] < 7
            or nodes.shape[1] < 10
            or reals.shape[1] < 2
            or totals.shape[1] < self.q
            or leads.shape[1] < 2
            or ties.shape[1] < 3
        ):
            raise ValueError("splitting.Grower.place: the lengths of its arrays do not agree")
        self.stack, self.nodes, self.reals = stack, nodes, reals
        self.totals, self.leads, self.ties = totals, leads, ties

    def begin(
        self,
        lo: cython.longlong,
        hi: cython.longlong,
        depth: cython.longlong,
        seed: cython.longlong,
    ):
        """Put a root on the stack: the rows from lo to hi of every list."""
        self.stack[0, 5] = seed
        self.stack[0, 0] = -1
        self.stack[0, 1] = 0
        self.stack[0, 2] = lo
        self.stack[0, 3] = hi
        self.stack[0, 4] = depth
        self.stack[0, 6] = -1
        self.waiting = 1

    def grow(self, large: cython.longlong, few: cython.longlong):
        """Grow until the stack is empty, something is full, or a large node comes.

        0 done; to be enlarged: 1 nodes, 2 leads, 3 ties, 4 stack; 5 a node of more than ``large``
        rows. Nodes of at least ``few`` and at most ``large`` rows are left to others (test -1).
        """
        full: cython.int = 0
        at: cython.Py_ssize_t
        self.others_from = few
        self.others_to = large
        with cython.nogil:
            while self.waiting > 0 and full == 0:
                at = self.waiting - 1
                if self.stack[at, 3] - self.stack[at, 2] > large:
                    full = 5
                elif self.stack[at, 3] - self.stack[at, 2] >= few:
                    full = self._leave(at)
                else:
                    full = self._step()
        return full

    def open(self):
        """Sum the next node up: 0 go on, 1 no room, -1 it was a leaf."""
        at: cython.Py_ssize_t = self.waiting - 1
        if self.n_nodes >= self.nodes.shape[0]:
            return 1
        if self._sum_up(self.stack[at, 2], self.stack[at, 3], self.stack[at, 4]):
            self._leaf(at)
            return -1
        self._take_slot(at)
        return 0

    def survey(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t):
        """Look at some columns, on any thread; those that need a table are marked by -2."""
        f: cython.Py_ssize_t
        lo: cython.longlong = self.stack[self.waiting - 1, 2]
        hi: cython.longlong = self.stack[self.waiting - 1, 3]
        size: cython.Py_ssize_t = self.codes * self.k
        with cython.nogil:
            for f in range(first, last):
                self.gains[f] = -1.0
                if self.gridded:
                    self.gains[f] = -2.0
                    if self.building:
                        self._fill(f, lo, hi, self.hists[self.slot, f * size : (f + 1) * size])
                    continue
                if self.entries[f, lo] >> 32 == self.entries[f, hi - 1] >> 32:
                    continue
                if self.kinds[f] or not self._scan_list(f, lo, hi):
                    self.gains[f] = -2.0

    def settle(self):
        """Look at the other columns, and choose: 0 go on, 1 to 4 no room, -1 it became a leaf."""
        f: cython.Py_ssize_t
        at: cython.Py_ssize_t = self.waiting - 1
        with cython.nogil:
            self.building = False
            for f in range(self.columns):
                if self.gains[f] == -2.0:
                    self.gains[f] = -1.0
                    self._look(f, self.stack[at, 2], self.stack[at, 3])
        return self._choose(at)

    def part(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t, spare: cython.longlong[::1]):
        """Part some lists, or count some columns of the children, on any thread."""
        f: cython.Py_ssize_t
        at: cython.Py_ssize_t = self.waiting - 1
        with cython.nogil:
            for f in range(first, last):
                if self.gridded:
                    self._inherit(f)
                elif f == 0 or self.live:
                    self._part(f, self.stack[at, 2], self.stack[at, 3], spare)

    def push(self):
        """Put the children on the stack."""
        self._push(self.waiting - 1)

    def counted(self):
        """How many nodes, leads and ties there are."""
        return self.n_nodes, self.n_leads, self.n_ties

    def refusals(self):
        """How many nodes became leaves because a child was its parent: none, if all is right."""
        return self.refused

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _leave(self, at: cython.Py_ssize_t) -> cython.int:
        """Note a node that others will grow."""
        c: cython.Py_ssize_t
        node: cython.Py_ssize_t = self.n_nodes
        if node >= self.nodes.shape[0]:
            return 1
        self.weight = 0
        self._give_back(self.stack[at, 6])
        self._record(at, -1, -1)
        for c in range(4):
            self.nodes[node, 3 + c] = self.stack[at, 2 + c]
        self.waiting = at
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _leaf(self, at: cython.Py_ssize_t) -> cython.void:
        """Note a leaf; it needs no histogram."""
        self._record(at, 0, -1)
        self._give_back(self.stack[at, 6])
        self.waiting = at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _take_slot(self, at: cython.Py_ssize_t) -> cython.void:
        """The histograms of a node: those that it inherited, or room for them."""
        self.building = False
        if self.stack[at, 6] < 0 and self._worth(self.rows):
            self.stack[at, 6] = self._new_slot()
            self.building = self.stack[at, 6] >= 0
        self.slot = self.stack[at, 6]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _worth(self, rows: cython.longlong) -> cython.bint:
        """Whether so many rows are worth histograms: fewer are sorted sooner than codes are."""
        return self.gridded and rows >= self.codes and self.max_features >= self.columns

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _new_slot(self) -> cython.Py_ssize_t:
        if self.n_free == 0:
            return -1
        self.n_free -= 1
        return self.free[self.n_free]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _give_back(self, slot: cython.Py_ssize_t) -> cython.void:
        if slot >= 0:
            self.free[self.n_free] = slot
            self.n_free += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _fill(
        self,
        f: cython.Py_ssize_t,
        lo: cython.longlong,
        hi: cython.longlong,
        out: cython.longlong[::1],
    ) -> cython.void:
        """Count the rows from lo to hi of a column, code by code."""
        c: cython.Py_ssize_t
        r: cython.Py_ssize_t
        row: cython.Py_ssize_t
        k: cython.Py_ssize_t = self.k
        for c in range(out.shape[0]):
            out[c] = 0
        if self.rows_at < 0 and not self.classes and k == 2:
            _add_measures(self.grid[f], self.order[lo:hi], self.ys[lo:hi], out)
        elif self.rows_at < 0 and self.classes:
            _add_classes(self.grid[f], self.order[lo:hi], self.ys[lo:hi], k, out)
        else:
            for r in range(lo, hi):
                row = self.order[r]
                c = cython.cast(cython.Py_ssize_t, self.grid[f, row]) * k
                if self.classes:
                    out[c + self.y[row]] += self.amounts[row, 0]
                    out[c + k - 1] += 1
                else:
                    self._add(out, c, row)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _add(
        self, out: cython.longlong[::1], at: cython.Py_ssize_t, row: cython.Py_ssize_t
    ) -> cython.void:
        c: cython.Py_ssize_t
        for c in range(self.k):
            out[at + c] += self.amounts[row, c]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _inherit(self, f: cython.Py_ssize_t) -> cython.void:
        """Count one column of the children; what is left of the parent's is the largest child's."""
        c: cython.Py_ssize_t
        i: cython.Py_ssize_t
        counts: cython.longlong[::1] = self.tally
        left: cython.longlong[::1] = self.tally
        size: cython.Py_ssize_t = self.codes * self.k
        if self.largest >= 0:
            left = self.hists[self.slot, f * size : (f + 1) * size]
        for c in range(self.children):
            if c == self.largest or (self.largest < 0 and self.heirs[c] < 0):
                continue
            counts = self.hists[self.heirs[c], f * size : (f + 1) * size]
            self._fill(f, self.starts[c], self.starts[c + 1], counts)
            if self.largest >= 0:
                for i in range(counts.shape[0]):
                    left[i] -= counts[i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _bequeath(self, at: cython.Py_ssize_t) -> cython.void:
        """Which child takes what is left of the parent's slot, and which get slots of their own.

        The largest takes it, if it is to be split here; its brothers are counted for that too.
        """
        c: cython.int
        big: cython.int = 0
        for c in range(self.children):
            self.heirs[c] = -1
            if self._size(c) > self._size(big):
                big = c
        self.largest = big if self.slot >= 0 and self._grows(big, at) else -1
        for c in range(self.children):
            if c != self.largest and (self.largest >= 0 or self._grows(c, at)):
                self.heirs[c] = self._new_slot()
                if self.heirs[c] < 0 and self.largest >= 0:
                    self.largest = -1
        if self.largest >= 0:
            self.heirs[self.largest] = self.slot
        else:
            self._give_back(self.slot)
        for c in range(self.children):
            if self.largest < 0 and self.heirs[c] >= 0 and not self._grows(c, at):
                self._give_back(self.heirs[c])
                self.heirs[c] = -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _size(self, c: cython.int) -> cython.longlong:
        return self.starts[c + 1] - self.starts[c]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _grows(self, c: cython.int, at: cython.Py_ssize_t) -> cython.bint:
        """Whether a child is to be split by this grower, and worth histograms."""
        n: cython.longlong = self._size(c)
        left: cython.bint = self.others_from <= n <= self.others_to
        return self._worth(n) and not left and self._splits(c, self.stack[at, 4] + 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _splits(self, c: cython.int, depth: cython.longlong) -> cython.bint:
        """Whether a child may be split again."""
        return self.mixed[c] and self._size(c) >= self.min_split and depth < self.max_depth

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _step(self) -> cython.int:
        """Take a node off the stack: a leaf, or a question whose children are put on it."""
        at: cython.Py_ssize_t = self.waiting - 1
        lo: cython.longlong = self.stack[at, 2]
        hi: cython.longlong = self.stack[at, 3]
        f: cython.Py_ssize_t
        full: cython.int
        if self.n_nodes >= self.nodes.shape[0]:
            return 1
        if self._sum_up(lo, hi, self.stack[at, 4]):
            self._leaf(at)
            return 0
        self._take_slot(at)
        self._survey(lo, hi)
        self.building = False
        full = self._choose(at)
        if full == 0:
            for f in range(self.columns if self.live else 1):
                if self.gridded:
                    self._inherit(f)
                else:
                    self._part(f, lo, hi, self.spare)
            self._push(at)
        return full if full > 0 else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _choose(self, at: cython.Py_ssize_t) -> cython.int:
        """Choose a question and send the rows on: 0; -1 where there is none; 1 to 4 no room."""
        full: cython.int = 0
        self.tie_start = self.n_ties
        if self._select() < 0:
            self._leaf(at)
            return -1
        full = self._list_ties(at)
        if full == 0 and self.critical.shape[0] and not self._significant():
            full = -1
        if full == 0:
            full = self._divide(at)
        if full:
            self.n_ties = self.tie_start
        if full < 0:
            self._leaf(at)
        return full

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _significant(self) -> cython.bint:
        """Whether the classes differ between the branches more than chance lets them."""
        b: cython.Py_ssize_t
        c: cython.Py_ssize_t
        r: cython.Py_ssize_t
        seen: cython.Py_ssize_t = 0
        n: cython.double = self.weight
        m: cython.double
        x: cython.double
        chi: cython.double = -1.0
        for b in range(self.children):
            for c in range(self.k):
                self.sums[1, c] = self.sums[3, c] if self.whole_gap and b == self.gap_child else 0
            for r in range(self.lines_used):
                if self._child_of(self.found, self.line_codes[r], self.lines_used) == b:
                    for c in range(self.k):
                        self.sums[1, c] += self.lines[r, c]
            m = self._weight(self.sums, 1)
            for c in range(self.classes):
                x = self.sums[1, c]
                if x > 0:
                    chi += x * x / (m * self.sums[0, c])
        for c in range(self.classes):
            seen += self.sums[0, c] > 0
        r = (self.children - 1) * (seen - 1)
        return chi * n * self.one >= self.critical[r]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sum_up(
        self, lo: cython.longlong, hi: cython.longlong, depth: cython.longlong
    ) -> cython.bint:
        """The totals of a node; whether it is a leaf at once."""
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        row: cython.Py_ssize_t
        least: cython.longlong = 0
        most: cython.longlong = 0
        for c in range(self.q):
            self.sums[0, c] = 0
        self.rows = hi - lo
        if self.classes:
            if self.k == self.classes and self.gridded:
                for r in range(lo, hi):
                    self.sums[0, self.ys[r]] += 1
            elif self.k == self.classes:
                _count(self.entries[0, lo:hi], self.bits, self.sums[0])
            else:
                for r in range(lo, hi):
                    row = self._row(0, r)
                    self.sums[0, self.y[row]] += self.amounts[row, 0]
                    self.sums[0, self.classes] += 1
            self.weight = 0
            for c in range(self.classes):
                self.weight += self.sums[0, c]
                most = self.sums[0, c] if self.sums[0, c] > most else most
            least = self.weight
        else:
            for r in range(lo, hi):
                row = self._row(0, r)
                for c in range(self.q):
                    self.sums[0, c] += self.amounts[row, c]
            self.weight = self.sums[0, 0]
            most = self._flat(lo, hi)
        self.min_weight = cython.cast(cython.longlong, self.min_share * self.weight)
        self.min_weight += self.min_weight < self.min_share * self.weight
        self.min_weight = self.lightest if self.lightest > self.min_weight else self.min_weight
        self.middle = 0
        if not self.classes and self.weight:
            w: cython.double = cython.cast(cython.double, self.weight)
            w = (self._large(self.sums, 0) + self._small(self.sums, 0)) / w
            self.middle = cython.cast(cython.longlong, floor(w + 0.5))
        self._gauge(least == most)
        return least == most or depth >= self.max_depth or self.rows < self.min_split

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _row(self, f: cython.Py_ssize_t, r: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The r-th row of the list of a column."""
        return self.order[r] if self.gridded else self.entries[f, r] & self.mask

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _gauge(self, flat: cython.bint) -> cython.void:
        """The impurity of the node, and what is no difference beside it.

        The mean is rounded to the nearest unit: then no sum of squares about it is more than twice
        the spread, and no rounding of one more than that of the spread. Entropies by x log x lose
        the last places of n log n. What squares lose is said by their sum.
        """
        n: cython.double = cython.cast(cython.double, self.weight)
        self.spread = 0.0
        self.slack = 0.0
        self.before = 0.0
        if flat:
            return
        self.careful = True
        self.spread = self._spread()
        self.slack = 1e-9 * self.spread
        if self.criterion == 1:
            self.careful = self.slack < (self.classes + 16) * 2.2e-16 * n * log2(n + 1.0)
        elif self.criterion == 2:
            self.slack += 3e-30 * self._square_sum(self.sums, 0)
        elif self.criterion == 3:
            self.slack += 4e-15 * sqrt(n * self._square_sum(self.sums, 0))
        elif self.criterion == 4:
            self.slack += 4e-15 * 64.0 * self._square_sum(self.sums, 0)
        self.before = self._mass(self.sums, 0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _square_sum(self, t: cython.longlong[:, ::1], r: cython.Py_ssize_t) -> cython.double:
        """The sum of w y^2."""
        c: cython.Py_ssize_t
        a: cython.double = 0.0
        limb: cython.double = 1.0
        for c in range(4):
            a += t[r, 2 + c] * limb
            limb = limb * 4294967296.0
        return a

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _flat(self, lo: cython.longlong, hi: cython.longlong) -> cython.longlong:
        """0 if all y of a node are equal, else 1; what has no weight does not matter."""
        r: cython.Py_ssize_t
        row: cython.Py_ssize_t
        some: cython.bint = False
        s0: cython.longlong = 0
        for r in range(lo, hi):
            row = self._row(0, r)
            if self.amounts[row, 0] == 0:
                continue
            if not some:
                some = True
                s0 = self.levels[row]
            elif self.levels[row] != s0:
                return 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _spread(self) -> cython.double:
        """The weight of the node times its impurity."""
        if self.criterion == 2:
            w: cython.double = self.sums[0, 0]
            return self._squares(self.sums, 0) / w if w > 0 else 0.0
        if self.criterion == 4:
            return self._square_sum(self.sums, 0) * 64.0 + self._mass(self.sums, 0)
        return self._mass(self.sums, 0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _xlogx(self, c: cython.longlong) -> cython.double:
        x: cython.double = cython.cast(cython.double, c)
        if c < self.logs.shape[0]:
            return self.logs[c]
        return x * log2(x)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _mass(self, t: cython.longlong[:, ::1], r: cython.Py_ssize_t) -> cython.double:
        """The weight of a line times its impurity; in a regression less what all splits share."""
        c: cython.Py_ssize_t
        n: cython.longlong = 0
        s: cython.double = 0.0
        x: cython.double
        w: cython.double
        if self.criterion < 2:
            for c in range(self.classes):
                n += t[r, c]
        if self.criterion == 0:
            for c in range(self.classes):
                x = cython.cast(cython.double, t[r, c])
                s += x * cython.cast(cython.double, n - t[r, c])
            w = cython.cast(cython.double, n)
            return s / w if n else 0.0
        if self.criterion == 1:
            for c in range(self.classes):
                s += self._portion(t[r, c], n) if self.careful else self._xlogx(t[r, c])
            return s if self.careful else self._xlogx(n) - s
        if t[r, 0] == 0:
            return 0.0
        if self.criterion == 2:
            x = self._about(t, r)
            w = cython.cast(cython.double, t[r, 0])
            return -(x * x) / w
        if self.criterion == 9:
            w = cython.cast(cython.double, t[r, 0])
            return w * pow(self._squares(t, r) / (w * w), 0.2)
        if self.criterion == 4:
            x = self._large(t, r) + self._small(t, r)
            w = cython.cast(cython.double, t[r, 0])
            return -x * log(x / w) if x > 0 else 0.0
        return sqrt(self._squares(t, r))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _portion(self, c: cython.longlong, n: cython.longlong) -> cython.double:
        """c log2(n / c), to the last place even where c is all but n."""
        x: cython.double = cython.cast(cython.double, c)
        rest: cython.double = cython.cast(cython.double, n - c)
        return x * log1p(rest / x) * 1.4426950408889634 if c else 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _about(self, t: cython.longlong[:, ::1], r: cython.Py_ssize_t) -> cython.double:
        """The sum of w (y - middle): exact, and rounded once."""
        if self.rows_at < 0:
            return cython.cast(cython.double, t[r, 1] - self.middle * t[r, 0])
        mask: cython.longlong = 4294967295
        a: cython.longlong = t[r, 0] >> 32
        b: cython.longlong = t[r, 0] & mask
        m: cython.longlong = self.middle & mask
        low: cython.ulonglong = cython.cast(cython.ulonglong, m) * cython.cast(cython.ulonglong, b)
        high: cython.longlong = t[r, 1] - (self.middle >> 32) * t[r, 0] - m * a
        high -= cython.cast(cython.longlong, low >> 32)
        b = t[r, 6] - cython.cast(cython.longlong, low & mask)
        high += b >> 32
        return cython.cast(cython.double, high) * 4294967296.0 + (b & mask)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _large(self, t: cython.longlong[:, ::1], r: cython.Py_ssize_t) -> cython.double:
        """The sum of w y, as far as a double holds it."""
        s: cython.double = cython.cast(cython.double, t[r, 1])
        return s if self.rows_at < 0 else s * 4294967296.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _small(self, t: cython.longlong[:, ::1], r: cython.Py_ssize_t) -> cython.double:
        """And what it does not hold."""
        s: cython.double = cython.cast(cython.double, t[r, 1])
        back: cython.longlong = cython.cast(cython.longlong, s)
        d: cython.double = cython.cast(cython.double, t[r, 1] - back)
        return d if self.rows_at < 0 else d * 4294967296.0 + t[r, 6]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _squares(self, t: cython.longlong[:, ::1], r: cython.Py_ssize_t) -> cython.double:
        """w * sum(w y^2) - sum(w y)^2, in doubles of twice the length: it may cancel to nothing."""
        c: cython.Py_ssize_t
        w: cython.double = cython.cast(cython.double, t[r, 0])
        a: cython.double = 0.0
        b: cython.double = 0.0
        h: cython.double
        m: cython.double
        limb: cython.double = 79228162514264337593543950336.0  # 2^96
        for c in range(4):
            m = t[r, 5 - c] * limb
            h = a + m
            b += (a - (h - (h - a))) + (m - (h - a))
            a = h
            limb = limb / 4294967296.0
        s: cython.double = self._large(t, r)
        d: cython.double = self._small(t, r)
        m = _error(a, w) + b * w - _error(s, s) - 2.0 * s * d - d * d
        h = (a * w - s * s) + m
        return h if h > 0 else 0.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _tabulate(
        self, f: cython.Py_ssize_t, lo: cython.longlong, hi: cython.longlong
    ) -> cython.Py_ssize_t:
        """The table of one column: a line for each code; what is missing goes to sums[3]."""
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        row: cython.Py_ssize_t
        n: cython.Py_ssize_t = -1
        code: cython.longlong
        last: cython.longlong = -1
        k: cython.Py_ssize_t = self.k
        mask: cython.longlong = self.mask
        if self.gridded:
            return self._take_gap(f, self._tabulate_codes(f, lo, hi))
        if self.k == self.classes:
            n = _count_lines(
                self.entries[f, lo:hi], self.bits, self.lines, self.line_codes, self.tags
            )
            return self._take_gap(f, n)
        for r in range(lo, hi):
            code = self.entries[f, r] >> 32
            row = self.entries[f, r] & mask
            if code != last:
                last = code
                n += 1
                for c in range(k):
                    self.lines[n, c] = 0
                self.line_codes[n] = code
                self.tags[n] = self.y[row] if self.classes else -1
            if self.classes:
                self.lines[n, self.y[row]] += self.amounts[row, 0]
                self.lines[n, k - 1] += 1
                if self.y[row] != self.tags[n]:
                    self.tags[n] = -1
            else:
                for c in range(k):
                    self.lines[n, c] += self.amounts[row, c]
        return self._take_gap(f, n + 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _tabulate_codes(
        self, f: cython.Py_ssize_t, lo: cython.longlong, hi: cython.longlong
    ) -> cython.Py_ssize_t:
        """The same from a histogram; few rows are sorted by their codes instead."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        counts: cython.longlong[::1] = self.tally
        size: cython.Py_ssize_t = self.codes * self.k
        if self.slot < 0 and hi - lo <= 32:
            return self._tabulate_few(f, lo, hi)
        if self.slot >= 0:
            counts = self.hists[self.slot, f * size : (f + 1) * size]
        if self.slot < 0 or self.building:
            self._fill(f, lo, hi, counts)
        for i in range(self.gaps[f] + 1):
            if not _occupied(counts, i * self.k, self.k, self.rows_at, self.classes):
                continue
            self.line_codes[n] = i
            for c in range(self.k):
                self.lines[n, c] = counts[i * self.k + c]
            self._tag(n)
            n += 1
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _tabulate_few(
        self, f: cython.Py_ssize_t, lo: cython.longlong, hi: cython.longlong
    ) -> cython.Py_ssize_t:
        r: cython.Py_ssize_t
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        n: cython.Py_ssize_t = -1
        row: cython.Py_ssize_t
        key: cython.longlong
        mask: cython.longlong = 4294967295
        for r in range(hi - lo):
            row = self.order[lo + r]
            key = cython.cast(cython.longlong, self.grid[f, row]) << 32
            key |= cython.cast(cython.longlong, row)
            i = r
            while i > 0 and self.spare[i - 1] > key:
                self.spare[i] = self.spare[i - 1]
                i -= 1
            self.spare[i] = key
        for r in range(hi - lo):
            row = self.spare[r] & mask
            if r == 0 or self.spare[r] >> 32 != self.spare[r - 1] >> 32:
                n += 1
                self.line_codes[n] = self.spare[r] >> 32
                for c in range(self.k):
                    self.lines[n, c] = 0
            if not self.classes:
                self._add(self.lines[n], 0, row)
            elif self.rows_at < 0:
                self.lines[n, self.y[row]] += 1
            else:
                self.lines[n, self.y[row]] += self.amounts[row, 0]
                self.lines[n, self.k - 1] += 1
        for i in range(n + 1):
            self._tag(i)
        return n + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _tag(self, n: cython.Py_ssize_t) -> cython.void:
        """The class of a line that has only one."""
        c: cython.Py_ssize_t
        found: cython.int = -1
        for c in range(self.classes):
            if self.lines[n, c] > 0:
                found = c if found == -1 else -2
        self.tags[n] = found if found >= 0 else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _take_gap(self, f: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Set the line of what is missing apart, or fill it in; sums[4] is what remains."""
        c: cython.Py_ssize_t
        t: cython.Py_ssize_t
        self.whole_gap = False
        for c in range(self.k):
            self.sums[3, c] = 0
        if n and self.line_codes[n - 1] == self.gaps[f]:
            n -= 1
            self.whole_gap = True
            for c in range(self.k):
                self.sums[3, c] = self.lines[n, c]
        if self.rule and n:
            self._find_fills(f, n)
            if self.whole_gap:
                for c in range(self.k):
                    t = self.fills[c if self.rule == 2 and c < self.classes else self.k]
                    self.lines[t, c] += self.sums[3, c]
                    self.tags[t] = -1
                    self.sums[3, c] = 0
            self.whole_gap = False
        for c in range(self.k):
            self.sums[4, c] = self.sums[0, c] - self.sums[3, c]
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _find_fills(self, f: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Which line takes what is missing: of all rows in fills[k], of class c in fills[c]."""
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        w: cython.longlong
        best: cython.longlong
        known: cython.longlong
        for c in range(self.k + 1):
            if c < self.k and (self.rule != 2 or c >= self.classes):
                continue
            known = 0
            for r in range(n):
                known += self._amount(r, c)
            best = 0
            self.fills[c] = -1
            w = 0
            for r in range(n):
                if self.kinds[f] == 0:
                    w += self._amount(r, c)
                    if 2 * w >= known and known > 0:
                        self.fills[c] = r
                        break
                elif self._amount(r, c) > best:
                    best = self._amount(r, c)
                    self.fills[c] = r
        for c in range(self.classes):
            if self.rule == 2 and self.fills[c] < 0:
                self.fills[c] = self.fills[self.k]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _amount(self, r: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.longlong:
        """The weight of a line: of one class, or (c = k) of all."""
        i: cython.Py_ssize_t
        n: cython.longlong = 0
        if c < self.k:
            return self.lines[r, c]
        if not self.classes:
            return self.lines[r, 0]
        for i in range(self.classes):
            n += self.lines[r, i]
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _survey(self, lo: cython.longlong, hi: cython.longlong) -> cython.void:
        """The best gain of every column, in units of mass; -1 where there is no question to ask."""
        f: cython.Py_ssize_t
        i: cython.Py_ssize_t
        tried: cython.Py_ssize_t = 0
        p: cython.Py_ssize_t = self.columns
        some: cython.bint = False
        if self.max_features < p:
            self._shuffle(p)
        for i in range(p):
            f = self.pick[i]
            self.gains[f] = -1.0
            if tried >= self.max_features and some:
                continue
            tried += 1
            if self.gridded:
                self._look(f, lo, hi)
                some = some or self.gains[f] >= 0
                continue
            if self.entries[f, lo] >> 32 == self.entries[f, hi - 1] >> 32:
                continue
            if self.kinds[f] or not self._scan_list(f, lo, hi):
                self._look(f, lo, hi)
            some = some or self.gains[f] >= 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _look(self, f: cython.Py_ssize_t, lo: cython.longlong, hi: cython.longlong) -> cython.void:
        """The best question of a column, from its table."""
        n: cython.Py_ssize_t = self._tabulate(f, lo, hi)
        if self.kinds[f] == 1:
            self._ask_all(f, n)
        else:
            self._ask_two(f, n)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _scan_list(
        self, f: cython.Py_ssize_t, lo: cython.longlong, hi: cython.longlong
    ) -> cython.bint:
        """The best cut of a list of numbers without a table; whether that could be done.

        It can where rows are only counted. The table takes three times as long.
        """
        end: cython.longlong = hi
        some: cython.longlong = (
            self.min_leaf if self.min_leaf > self.min_weight else self.min_weight
        )
        second: cython.longlong = self.sums[0, 1]
        after: cython.double
        gap: cython.double = 0.0
        known: cython.double
        if self.scorer == 1:
            return False
        if self.entries[f, hi - 1] >> 32 == self.gaps[f]:
            if self.classes != 2 or self.k != 2 or self.rule or self.criterion:
                return False
            end = _known(self.entries[f, lo:hi], self.gaps[f]) + lo
            second -= _seconds(self.entries[f, end:hi], self.bits)
            gap = _gini(self.sums[0, 1] - second, hi - end)
        if self.classes and self.k == self.classes:
            if self.criterion == 0 and self.classes == 2:
                after = _two_classes(self.entries[f, lo:end], self.bits, second, some) + gap
            elif self.criterion == 0:
                after = _many_classes(
                    self.entries[f, lo:hi], self.bits, self.sums, self.moving[f], some
                )
            elif self.classes == 2 and self.logs.shape[0] > self.rows and not self.careful:
                after = _two_entropies(self.entries[f, lo:hi], self.bits, second, some, self.logs)
            else:
                return False
        elif self.criterion == 2 and self.k == 2:
            after = _sums(self.entries[f, lo:hi], self.levels, self.sums, self.middle, some)
        else:
            return False
        if end < hi and hi - end >= some and end - lo >= some and end > lo:
            known = _gini(second, end - lo) + gap
            after = known if known < after else after
        self.gains[f] = -1.0
        if after < 1e300:
            self._note(f, after, 0.0)
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _shuffle(self, p: cython.Py_ssize_t) -> cython.void:
        """Columns in a random order that depends on the seed and the place of the node only."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        kept: cython.int
        z: cython.ulonglong = self.stack[self.waiting - 1, 5]
        for i in range(p):
            self.pick[i] = i
        for i in range(p - 1):
            z = _mixed(z)
            j = i + z % cython.cast(cython.ulonglong, p - i)
            kept = self.pick[i]
            self.pick[i] = self.pick[j]
            self.pick[j] = kept

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _ask_all(self, f: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """One branch a code: at least two that have enough rows."""
        r: cython.Py_ssize_t
        enough: cython.Py_ssize_t = 0
        after: cython.double = 0.0
        info: cython.double = 0.0
        branches: cython.Py_ssize_t = n
        for r in range(n):
            after += self._mass(self.lines, r)
            info += self._portion(self._amount(r, self.k), self.weight)
            enough += self._enough(self.lines, r)
        if self.whole_gap:
            branches += 1
            after += self._mass(self.sums, 3)
            info += self._portion(self._weight(self.sums, 3), self.weight)
            enough += self._enough(self.sums, 3)
        if branches > 1 and enough > 1:
            self._note(f, after, info)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _note(self, f: cython.Py_ssize_t, after: cython.double, info: cython.double) -> cython.void:
        """Remember the best question of a column: rounding cannot make a gain negative."""
        gain: cython.double = self.before - after
        self.gains[f] = gain if gain > 0 else 0.0
        self.infos[f] = info

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _enough(self, t: cython.longlong[:, ::1], r: cython.Py_ssize_t) -> cython.bint:
        """Whether a branch has as many rows, and as much weight, as it needs."""
        w: cython.longlong = self._weight(t, r)
        n: cython.longlong = w if self.rows_at < 0 else t[r, self.rows_at]
        if self.criterion == 4 and self._large(t, r) + self._small(t, r) <= 0:
            return False  # a mean of 0 would rule every count out but 0
        return n >= self.min_leaf and w >= self.min_weight

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _weight(self, t: cython.longlong[:, ::1], r: cython.Py_ssize_t) -> cython.longlong:
        c: cython.Py_ssize_t
        n: cython.longlong = 0
        if not self.classes:
            return t[r, 0]
        for c in range(self.classes):
            n += t[r, c]
        return n

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _ask_two(self, f: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Two branches: the best cut through the codes, in order or by their shares."""
        c: cython.Py_ssize_t
        rounds: cython.Py_ssize_t = 1
        least: cython.double
        before: cython.double = 0.0
        some: cython.bint = False
        kept: cython.Py_ssize_t
        if self.kinds[f] == 2 and self.classes > 2:
            rounds = self.classes
        for c in range(rounds):
            self._arrange(f, n, c)
            least = self._scan(n)
            if self.found >= 0 and (not some or least < before - self.slack):
                some = True
                before = least
                self.orders[f] = c
                self._note(f, least, 0.0)
                if self.scorer == 1:
                    kept = self.n_ties
                    self._list(f, n, False)
                    self.n_ties = kept
                    self.infos[f] = self._info(n, self.found)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _arrange(
        self, f: cython.Py_ssize_t, n: cython.Py_ssize_t, c: cython.Py_ssize_t
    ) -> cython.void:
        """The order of the lines: by code, or by the share of a class (of two, the second)."""
        r: cython.Py_ssize_t
        x: cython.longlong
        w: cython.longlong
        for r in range(n):
            self.turn[r] = r
            if self.kinds[f] == 2:
                w = self._weight(self.lines, r)
                if self.classes:
                    x = self.lines[r, 1 if self.classes <= 2 else c]
                    self.keys[r] = _odds(x, w)
                else:
                    self.keys[r] = self._about(self.lines, r) / w if w else 0.0
        if self.kinds[f] == 2:
            self._sort(n)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sort(self, n: cython.Py_ssize_t) -> cython.void:
        """Heapsort of the lines by key, then by place."""
        i: cython.Py_ssize_t
        end: cython.Py_ssize_t
        kept: cython.int
        for i in range(n // 2):
            self._sink(n // 2 - 1 - i, n)
        for i in range(n - 1):
            end = n - 1 - i
            kept = self.turn[0]
            self.turn[0] = self.turn[end]
            self.turn[end] = kept
            self._sink(0, end)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sink(self, i: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        j: cython.Py_ssize_t = 2 * i + 1
        top: cython.int = self.turn[i]
        while j < n:
            if j + 1 < n and self._before(self.turn[j], self.turn[j + 1]):
                j += 1
            if not self._before(top, self.turn[j]):
                break
            self.turn[i] = self.turn[j]
            i = j
            j = 2 * i + 1
        self.turn[i] = top

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _before(self, a: cython.int, b: cython.int) -> cython.bint:
        if self.keys[a] != self.keys[b]:
            return self.keys[a] < self.keys[b]
        return a < b

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _start(self, n: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """All known rows on the right; how many cuts there are.

        Where all known rows are of one class, only whether there is a value can be worth asking.
        """
        c: cython.Py_ssize_t
        several: cython.Py_ssize_t = 0
        for c in range(self.k):
            self.sums[1, c] = 0
            self.sums[2, c] = self.sums[4, c]
        for c in range(self.classes):
            several += self.sums[4, c] > 0
        self.gap_mass = self._mass(self.sums, 3) if self.whole_gap else 0.0
        return 0 if self.classes and several < 2 else n - 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _move(self, r: cython.Py_ssize_t) -> cython.bint:
        """Move line turn[r] to the left; whether a cut behind it may be."""
        c: cython.Py_ssize_t
        i: cython.Py_ssize_t = self.turn[r]
        for c in range(self.k):
            self.sums[1, c] += self.lines[i, c]
            self.sums[2, c] -= self.lines[i, c]
        if self.min_leaf <= 1 and self.min_weight <= 0 and self.criterion != 4:
            return True
        return self._enough(self.sums, 1) and self._enough(self.sums, 2)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _scan(self, n: cython.Py_ssize_t) -> cython.double:
        """The least mass after a cut behind line turn[r]; ``found`` is r, -1 where none may be.

        Behind the last line the question is whether there is a value at all: asked first. A cut
        between two lines of one and the same class is never the best one (Fayyad and Irani, 1992),
        unless the best ones may not be.
        """
        r: cython.Py_ssize_t
        tag: cython.int
        free: cython.bint = self.min_leaf <= 1 and self.min_weight <= 0
        after: cython.double
        least: cython.double = 0.0
        cuts: cython.Py_ssize_t = self._start(n)
        self.found = -1
        if self.whole_gap and n and self._enough(self.sums, 4) and self._enough(self.sums, 3):
            least = self._mass(self.sums, 4) + self.gap_mass
            self.found = n - 1
        for r in range(cuts):
            tag = self.tags[self.turn[r]] if free else -1
            if self._move(r) and (tag < 0 or tag != self.tags[self.turn[r + 1]]):
                after = self._mass(self.sums, 1) + self._mass(self.sums, 2) + self.gap_mass
                if self.found < 0 or after < least:
                    least = after
                    self.found = r
        return least

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _list(
        self, f: cython.Py_ssize_t, n: cython.Py_ssize_t, all_of_them: cython.bint
    ) -> cython.void:
        """Find the first cut that is as good as the best of a column, and list all of them."""
        r: cython.Py_ssize_t
        most: cython.double = self.before - self.gains[f] + self.slack
        cuts: cython.Py_ssize_t = self._start(n)
        self.found = -1
        if self.whole_gap and self._enough(self.sums, 4) and self._enough(self.sums, 3):
            if self._mass(self.sums, 4) + self.gap_mass <= most:
                self.found = n - 1
                self._tie(f, self.line_codes[n - 1], -1)
        for r in range(cuts):
            if self.found >= 0 and not all_of_them:
                return
            if not self._move(r):
                continue
            if self._mass(self.sums, 1) + self._mass(self.sums, 2) + self.gap_mass > most:
                continue
            if self.found < 0:
                self.found = r
            self._tie(f, self.line_codes[self.turn[r]], self.line_codes[self.turn[r + 1]])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _tie(
        self, f: cython.longlong, code: cython.longlong, after: cython.longlong
    ) -> cython.void:
        if self.n_ties < self.ties.shape[0]:
            self.ties[self.n_ties, 0] = f
            self.ties[self.n_ties, 1] = code
            self.ties[self.n_ties, 2] = after
        self.n_ties += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _info(self, n: cython.Py_ssize_t, at: cython.Py_ssize_t) -> cython.double:
        """The weight of the node times the split information of a cut."""
        r: cython.Py_ssize_t
        left: cython.longlong = 0
        gap: cython.longlong
        gap = self._weight(self.sums, 3)
        for r in range(at + 1):
            left += self._amount(self.turn[r], self.k)
        return (
            self._portion(left, self.weight)
            + self._portion(self.weight - gap - left, self.weight)
            + self._portion(gap, self.weight)
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _select(self) -> cython.int:
        """The first column whose score is the best, or tied with it; -1 where none may be asked."""
        f: cython.Py_ssize_t
        p: cython.Py_ssize_t = self.columns
        top: cython.double = -1.0
        mean: cython.double = 0.0
        some: cython.Py_ssize_t = 0
        tied: cython.double = self.slack
        near: cython.double
        for f in range(p):
            if self.gains[f] >= 0:
                some += 1
                mean += self.gains[f]
        mean = mean / some - self.slack if some else 0.0
        for f in range(p):
            self.scores[f] = self._score(f, self.gains[f], mean)
            top = self.scores[f] if self.scores[f] > top else top
        if self.scorer == 1:
            tied = self.slack / self.weight
            tied = tied if tied > 1e-9 * top else 1e-9 * top
        self.best = top - tied
        if self.scorer > 1:
            for f in range(p):
                if self.scores[f] == top and top > 0:
                    near = self._score(f, self.gains[f] - self.slack, mean)
                    self.best = near if near < self.best else self.best
        for f in range(p):
            if self.scores[f] >= 0 and self.scores[f] >= self.best:
                if self.gains[f] + self.slack < self.min_gain:
                    return -1
                return f
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _score(
        self, f: cython.Py_ssize_t, gain: cython.double, mean: cython.double
    ) -> cython.double:
        """Gain, gain ratio or a score of gain and cost; -1 for a column that cannot be asked."""
        if gain < 0 or self.scorer == 0:
            return gain
        if gain <= self.slack:
            gain = 0.0
        if self.scorer == 1:  # only where the gain is at least the mean one (Quinlan, 1993)
            return gain / self.infos[f] if gain >= mean and self.infos[f] > 0 else -1.0
        gain = gain / self.weight * self.scale
        if self.scorer == 2:
            return gain * gain / self.costs[f]
        return (pow(2.0, gain) - 1.0) / pow(self.costs[f] + 1.0, self.exponent)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _list_ties(self, at_stack: cython.Py_ssize_t) -> cython.int:
        """List the best questions, and choose one: its column's table is left in place."""
        lo: cython.longlong = self.stack[at_stack, 2]
        hi: cython.longlong = self.stack[at_stack, 3]
        f: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t
        last: cython.Py_ssize_t = -1
        column: cython.Py_ssize_t
        z: cython.ulonglong
        for f in range(self.columns):
            if self.scores[f] < 0 or self.scores[f] < self.best:
                continue
            if self._bare(f, hi):
                self._list_cuts(f, lo, hi)
            elif self.kinds[f] == 0:
                n = self._tabulate(f, lo, hi)
                self._arrange(f, n, 0)
                self._list(f, n, True)
                last = f
            else:
                self._tie(f, -1, -1)
        if self.n_ties > self.ties.shape[0]:
            self.n_ties = self.tie_start
            return 3
        at = self.tie_start
        if self.n_ties == at:
            self.refused += 1
            return -1
        if self.tie == 1:
            z = _mixed(self.stack[at_stack, 5] + 1)
            at += z % cython.cast(cython.ulonglong, self.n_ties - at)
        column = self.ties[at, 0]
        self.cut = self.ties[at, 1]
        self.after_cut = self.ties[at, 2]
        if self.n_ties == self.tie_start + 1:
            self.n_ties = self.tie_start
        if self._bare(column, hi) and self.rule % 3 == 0 and not self.critical.shape[0]:
            self.whole_gap = False
            n = 0
        elif last != column:
            n = self._tabulate(column, lo, hi)
        self._send(column, n)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _bare(self, f: cython.Py_ssize_t, hi: cython.longlong) -> cython.bint:
        """Whether the cuts of a column can be listed without its table: a line has all classes."""
        if self.gridded or self.kinds[f] or self.scorer == 1:
            return False
        if self.entries[f, hi - 1] >> 32 == self.gaps[f]:
            return False
        if self.classes:
            return self.criterion == 0 and self.k == self.classes
        return self.criterion == 2 and self.k == 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _list_cuts(
        self, f: cython.Py_ssize_t, lo: cython.longlong, hi: cython.longlong
    ) -> cython.void:
        """List the cuts that are as good as the best of a column, from its list."""
        r: cython.longlong
        c: cython.Py_ssize_t
        n: cython.longlong = hi - lo
        m: cython.longlong = 0
        left: cython.longlong = 0
        whole: cython.longlong = 0
        entry: cython.longlong
        mask: cython.longlong = (cython.cast(cython.longlong, 1) << (32 - self.bits)) - 1
        most: cython.double = self.before - self.gains[f] + self.slack
        least: cython.longlong = (
            self.min_leaf if self.min_leaf > self.min_weight else self.min_weight
        )
        a: cython.double
        b: cython.double
        for c in range(self.classes):
            self.moving[f, c] = 0
            whole += self.sums[0, c] * self.sums[0, c]
        if not self.classes:
            whole = self.sums[0, 1] - self.middle * n
        for r in range(lo, hi - 1):
            entry = self.entries[f, r]
            m += 1
            if self.classes:
                c = (entry >> self.bits) & mask
                left += 2 * self.moving[f, c] + 1
                whole -= 2 * (self.sums[0, c] - self.moving[f, c]) - 1
                self.moving[f, c] += 1
            else:
                left += self.levels[entry & self.mask] - self.middle
            if (entry ^ self.entries[f, r + 1]) >> 32 == 0 or m < least or n - m < least:
                continue
            if self.classes:
                a = m * m - left
                b = (n - m) * (n - m) - whole
                a = a / m + b / (n - m)
            else:
                a = cython.cast(cython.double, left)
                b = cython.cast(cython.double, whole - left)
                a = -(a * a / m + b * b / (n - m))
            if a <= most:
                self._tie(f, entry >> 32, self.entries[f, r + 1] >> 32)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _send(self, f: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Which code goes to which child, and where missing values go."""
        r: cython.Py_ssize_t
        swap: cython.int
        self.found = f
        self.lines_used = n
        self.gap_child = -1
        if self.kinds[f] == 0:
            self.children = 2 if self.after_cut >= 0 else 1
        elif self.kinds[f] == 1:
            self.children = n
            for r in range(n):
                self.child[self.line_codes[r]] = r
        else:
            self._arrange(f, n, self.orders[f])
            r = self.n_ties
            self._list(f, n, False)
            self.n_ties = r
            self.children = 2 if 0 <= self.found < n - 1 else 1
            swap = 0
            for r in range(n):
                if self.turn[r] == 0:
                    swap = 0 if r <= self.found else 1
            for r in range(n):
                self.child[self.line_codes[self.turn[r]]] = swap if r <= self.found else 1 - swap
            self.found = f
        if self.whole_gap:
            self.gap_child = self.children
            self.children += 1
        elif self.rule == 3:
            self.gap_child = self._child_of(f, self.fixed[f], n)
        elif self.rule:
            self.gap_child = self._child_of(f, self.line_codes[self.fills[self.k]], n)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _child_of(
        self, f: cython.Py_ssize_t, code: cython.longlong, n: cython.Py_ssize_t
    ) -> cython.int:
        """The child of a code; -1 for a category that is not at the node."""
        r: cython.Py_ssize_t
        if self.kinds[f] == 0:
            return 0 if code <= self.cut else 1
        for r in range(n):
            if self.line_codes[r] == code:
                return self.child[code]
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _divide(self, at: cython.Py_ssize_t) -> cython.int:
        """Note the question, and the child of every row."""
        r: cython.Py_ssize_t
        f: cython.Py_ssize_t = self.found
        if at + self.children > self.stack.shape[0]:
            return 4
        if self.kinds[f] and self.n_leads + self.lines_used > self.leads.shape[0]:
            return 2
        self.live = self._take_sides(f, self.stack[at, 2], self.stack[at, 3], self.stack[at, 4])
        for r in range(self.children):
            if self.starts[r + 1] - self.starts[r] >= self.rows:
                self.refused += 1
                return -1
        if self.kinds[f]:
            for r in range(self.lines_used):
                self.leads[self.n_leads + r, 0] = self.line_codes[r]
                self.leads[self.n_leads + r, 1] = self.child[self.line_codes[r]]
            self.n_leads += self.lines_used
        self._record(at, 4 if self.kinds[f] == 0 and self.after_cut < 0 else self.kinds[f] + 1, f)
        if self.gridded:
            self._part_rows(self.stack[at, 2], self.stack[at, 3])
            self._bequeath(at)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _push(self, at: cython.Py_ssize_t) -> cython.void:
        """Put the children on the stack, the first on top."""
        r: cython.Py_ssize_t
        c: cython.int
        node: cython.longlong = self.n_nodes - 1
        depth: cython.longlong = self.stack[at, 4]
        z: cython.ulonglong = self.stack[at, 5]
        for c in range(self.children):
            r = at + self.children - 1 - c
            self.stack[r, 0] = node
            self.stack[r, 1] = c
            self.stack[r, 2] = self.starts[c]
            self.stack[r, 3] = self.starts[c + 1]
            self.stack[r, 4] = depth + 1
            self.stack[r, 5] = cython.cast(cython.longlong, _mixed(z + c + 2) >> 1)
            self.stack[r, 6] = self.heirs[c] if self.gridded else -1
        self.waiting = at + self.children

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _record(
        self, at: cython.Py_ssize_t, test: cython.longlong, f: cython.longlong
    ) -> cython.void:
        """Write a node down."""
        c: cython.Py_ssize_t
        node: cython.Py_ssize_t = self.n_nodes
        w: cython.double = self.weight
        self.nodes[node, 0] = self.stack[at, 0]
        self.nodes[node, 1] = self.stack[at, 1]
        self.nodes[node, 2] = test
        self.nodes[node, 3] = f
        self.nodes[node, 4] = self.cut if f >= 0 else -1
        self.nodes[node, 5] = self.after_cut if f >= 0 else -1
        self.nodes[node, 6] = self.gap_child if f >= 0 else -1
        self.nodes[node, 7] = self.rows
        self.nodes[node, 8] = self.n_leads
        self.nodes[node, 9] = self.n_ties
        self.reals[node, 0] = self.spread / w * self.scale if self.weight > 0 else 0.0
        self.reals[node, 1] = self.gains[f] / w * self.scale if f >= 0 else 0.0
        for c in range(self.q):
            self.totals[node, c] = self.sums[0, c]
        self.n_nodes += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _take_sides(
        self, f: cython.Py_ssize_t, lo: cython.longlong, hi: cython.longlong, depth: cython.longlong
    ) -> cython.bint:
        """The child of every row, and where each child starts; whether any is to be split again."""
        r: cython.Py_ssize_t
        row: cython.Py_ssize_t
        c: cython.int
        code: cython.longlong
        y: cython.longlong
        live: cython.bint = False
        for c in range(self.children + 1):
            self.starts[c] = 0
            self.mixed[c] = 0
        for r in range(lo, hi):
            row = self._row(f, r)
            code = self.grid[f, row] if self.gridded else self.entries[f, r] >> 32
            if code == self.gaps[f]:
                c = self.gap_child
                if self.rule == 2 and self.classes:
                    c = self._child_of(f, self.line_codes[self.fills[self.y[row]]], self.lines_used)
            elif self.kinds[f] == 0:
                c = 0 if code <= self.cut else 1
            else:
                c = self.child[code]
            if self.children == 2:
                self.half[row] = c
            else:
                self.side[row] = c
            y = self.y[row] if self.classes else row
            if self.starts[c + 1] == 0:
                self.first[c] = y
            elif y != self.first[c]:
                self.mixed[c] = 1
            self.starts[c + 1] += 1
        self.starts[0] = lo
        for c in range(self.children):
            self.starts[c + 1] += self.starts[c]
            live = live or self._splits(c, depth + 1)
        return live

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _part(
        self,
        f: cython.Py_ssize_t,
        lo: cython.longlong,
        hi: cython.longlong,
        spare: cython.longlong[::1],
    ) -> cython.void:
        """Part one list by child, each child's rows in their order."""
        if self.children == 2:
            _halve(self.entries[f, lo:hi], self.mask, self.half, spare)
        else:
            _scatter(
                self.entries[f, lo:hi], self.mask, self.side, self.starts, self.children, spare
            )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _part_rows(self, lo: cython.longlong, hi: cython.longlong) -> cython.void:
        """Part the rows of the node by child, in their order, and what they have for y."""
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        row: cython.Py_ssize_t
        n: cython.Py_ssize_t = hi - lo
        for c in range(self.children):
            self.spare[n + c] = self.starts[c] - lo
        for r in range(n):
            row = self.order[lo + r]
            c = n + (self.half[row] if self.children == 2 else self.side[row])
            self.spare[self.spare[c]] = row
            self.spare[c] += 1
        for r in range(n):
            row = self.spare[r]
            self.order[lo + r] = row
            self.ys[lo + r] = self.y[row] if self.classes else self.levels[row]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_measures(
    codes: cython.const[cython.ushort][::1],
    order: cython.const[cython.int][::1],
    ys: cython.const[cython.longlong][::1],
    out: cython.longlong[::1],
) -> cython.void:
    """How many rows of every code, and the sum of their y."""
    r: cython.Py_ssize_t
    c: cython.Py_ssize_t
    for r in range(order.shape[0]):
        c = 2 * cython.cast(cython.Py_ssize_t, codes[order[r]])
        out[c] += 1
        out[c + 1] += ys[r]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_classes(
    codes: cython.const[cython.ushort][::1],
    order: cython.const[cython.int][::1],
    ys: cython.const[cython.longlong][::1],
    k: cython.Py_ssize_t,
    out: cython.longlong[::1],
) -> cython.void:
    """The rows of every class for each code."""
    r: cython.Py_ssize_t
    for r in range(order.shape[0]):
        out[cython.cast(cython.Py_ssize_t, codes[order[r]]) * k + ys[r]] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _occupied(
    counts: cython.const[cython.longlong][::1],
    at: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
    rows_at: cython.Py_ssize_t,
    classes: cython.Py_ssize_t,
) -> cython.bint:
    """Whether a code has any row."""
    c: cython.Py_ssize_t
    if rows_at >= 0 or classes == 0:
        return counts[at + (rows_at if rows_at >= 0 else 0)] > 0
    for c in range(k):
        if counts[at + c] > 0:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _halve(
    entries: cython.longlong[::1],
    mask: cython.longlong,
    half: cython.const[cython.uchar][::1],
    spare: cython.longlong[::1],
) -> cython.void:
    """Part a list in two. Both places are written, and one of them counts: no branch to guess."""
    r: cython.Py_ssize_t
    entry: cython.longlong
    left: cython.Py_ssize_t = 0
    right: cython.Py_ssize_t = 0
    s: cython.Py_ssize_t
    for r in range(entries.shape[0]):
        entry = entries[r]
        s = half[entry & mask]
        entries[left] = entry
        spare[right] = entry
        right += s
        left += 1 - s
    for r in range(right):
        entries[left + r] = spare[r]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _scatter(
    entries: cython.longlong[::1],
    mask: cython.longlong,
    side: cython.const[cython.int][::1],
    starts: cython.const[cython.longlong][::1],
    children: cython.int,
    spare: cython.longlong[::1],
) -> cython.void:
    """Part a list in many; after the rows, the spare counts where each child's next row goes."""
    r: cython.Py_ssize_t
    c: cython.Py_ssize_t
    n: cython.Py_ssize_t = entries.shape[0]
    for c in range(children):
        spare[n + c] = starts[c] - starts[0]
    for r in range(n):
        c = n + side[entries[r] & mask]
        spare[spare[c]] = entries[r]
        spare[c] += 1
    for r in range(n):
        entries[r] = spare[r]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(
    entries: cython.const[cython.longlong][::1], bits: cython.int, sums: cython.longlong[::1]
) -> cython.void:
    """The rows of every class."""
    r: cython.Py_ssize_t
    one: cython.longlong = 1
    mask: cython.longlong = (one << (32 - bits)) - 1
    for r in range(entries.shape[0]):
        sums[(entries[r] >> bits) & mask] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_lines(
    entries: cython.const[cython.longlong][::1],
    bits: cython.int,
    lines: cython.longlong[:, ::1],
    codes: cython.int[::1],
    tags: cython.int[::1],
) -> cython.Py_ssize_t:
    """The rows of every class for each code, and the class of codes that have only one."""
    r: cython.Py_ssize_t = 0
    c: cython.Py_ssize_t
    first: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = entries.shape[0]
    code: cython.longlong
    seconds: cython.longlong
    one: cython.longlong = 1
    mask: cython.longlong = (one << (32 - bits)) - 1
    while r < size:
        code = entries[r] >> 32
        first = r
        if lines.shape[1] == 2:
            seconds = 0
            while r < size and entries[r] >> 32 == code:
                seconds += (entries[r] >> bits) & 1
                r += 1
            lines[n, 0] = r - first - seconds
            lines[n, 1] = seconds
        else:
            for c in range(lines.shape[1]):
                lines[n, c] = 0
            while r < size and entries[r] >> 32 == code:
                lines[n, (entries[r] >> bits) & mask] += 1
                r += 1
        c = (entries[first] >> bits) & mask
        codes[n] = code
        tags[n] = c if lines[n, c] == r - first else -1
        n += 1
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _known(entries: cython.const[cython.longlong][::1], gap: cython.longlong) -> cython.Py_ssize_t:
    """Where what is missing starts, at the end of a list."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = entries.shape[0]
    mid: cython.Py_ssize_t
    while low < high:
        mid = (low + high) >> 1
        if entries[mid] >> 32 < gap:
            low = mid + 1
        else:
            high = mid
    return low


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _seconds(entries: cython.const[cython.longlong][::1], bits: cython.int) -> cython.longlong:
    """The rows of the second of two classes."""
    r: cython.Py_ssize_t
    n: cython.longlong = 0
    for r in range(entries.shape[0]):
        n += (entries[r] >> bits) & 1
    return n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _odds(c: cython.longlong, n: cython.longlong) -> cython.double:
    """c to n - c: in the order of c / n, and apart where that is 1 in all its places."""
    x: cython.double = cython.cast(cython.double, c)
    return x / cython.cast(cython.double, n - c) if c < n else 1e300 * (c > 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _gini(second: cython.longlong, n: cython.longlong) -> cython.double:
    """The mass of rows of two classes by Gini."""
    a: cython.double = cython.cast(cython.double, second)
    b: cython.double = cython.cast(cython.double, n - second)
    return 2.0 * (a * b / (a + b))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _two_classes(
    entries: cython.const[cython.longlong][::1],
    bits: cython.int,
    second: cython.longlong,
    least: cython.longlong,
) -> cython.double:
    """The least mass by Gini after a cut, of two classes; 1e300 where no cut may be."""
    r: cython.Py_ssize_t
    entry: cython.longlong
    after: cython.longlong = entries[0]
    n: cython.Py_ssize_t = entries.shape[0]
    l1: cython.longlong = 0
    a: cython.double
    b: cython.double
    c: cython.double
    d: cython.double
    value: cython.double
    best: cython.double = 1e300
    for r in range(n - 1):
        entry = after
        after = entries[r + 1]
        l1 += (entry >> bits) & 1
        if (entry ^ after) >> 32 == 0 or r + 1 < least or n - r - 1 < least:
            continue
        a = cython.cast(cython.double, l1)
        b = cython.cast(cython.double, r + 1 - l1)
        c = cython.cast(cython.double, second - l1)
        d = cython.cast(cython.double, n - r - 1 - (second - l1))
        value = a * b / (a + b) + c * d / (c + d)
        best = value if value < best else best
    return 2.0 * best if best < 1e300 else best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _two_entropies(
    entries: cython.const[cython.longlong][::1],
    bits: cython.int,
    second: cython.longlong,
    least: cython.longlong,
    logs: cython.const[cython.double][::1],
) -> cython.double:
    """The same by entropy."""
    r: cython.Py_ssize_t
    entry: cython.longlong
    after: cython.longlong = entries[0]
    n: cython.Py_ssize_t = entries.shape[0]
    l1: cython.longlong = 0
    value: cython.double
    best: cython.double = 1e300
    for r in range(n - 1):
        entry = after
        after = entries[r + 1]
        l1 += (entry >> bits) & 1
        if (entry ^ after) >> 32 == 0 or r + 1 < least or n - r - 1 < least:
            continue
        value = (logs[r + 1] - (logs[l1] + logs[r + 1 - l1])) + (
            logs[n - r - 1] - (logs[second - l1] + logs[n - r - 1 - (second - l1)])
        )
        best = value if value < best else best
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _many_classes(
    entries: cython.const[cython.longlong][::1],
    bits: cython.int,
    sums: cython.const[cython.longlong][:, ::1],
    moved: cython.longlong[::1],
    least: cython.longlong,
) -> cython.double:
    """The least mass by Gini after a cut; the squares of the counts are kept up to date."""
    r: cython.Py_ssize_t
    c: cython.Py_ssize_t
    entry: cython.longlong
    after: cython.longlong = entries[0]
    n: cython.Py_ssize_t = entries.shape[0]
    one: cython.longlong = 1
    mask: cython.longlong = (one << (32 - bits)) - 1
    left: cython.longlong = 0
    right: cython.longlong = 0
    a: cython.double
    b: cython.double
    value: cython.double
    best: cython.double = 1e300
    for c in range(moved.shape[0]):
        moved[c] = 0
        right += sums[0, c] * sums[0, c]
    for r in range(n - 1):
        entry = after
        after = entries[r + 1]
        c = (entry >> bits) & mask
        left += 2 * moved[c] + 1
        right -= 2 * (sums[0, c] - moved[c]) - 1
        moved[c] += 1
        if (entry ^ after) >> 32 == 0 or r + 1 < least or n - r - 1 < least:
            continue
        a = (r + 1) * (r + 1) - left
        b = (n - r - 1) * (n - r - 1) - right
        value = a / (r + 1) + b / (n - r - 1)
        best = value if value < best else best
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sums(
    entries: cython.const[cython.longlong][::1],
    levels: cython.const[cython.longlong][::1],
    sums: cython.const[cython.longlong][:, ::1],
    middle: cython.longlong,
    least: cython.longlong,
) -> cython.double:
    """The least mass of a regression after a cut, every row of weight 1."""
    r: cython.Py_ssize_t
    entry: cython.longlong
    after: cython.longlong = entries[0]
    n: cython.Py_ssize_t = entries.shape[0]
    mask: cython.longlong = 4294967295
    left: cython.longlong = 0
    whole: cython.longlong = sums[0, 1] - middle * sums[0, 0]
    a: cython.double
    b: cython.double
    value: cython.double
    best: cython.double = -1.0
    for r in range(n - 1):
        entry = after
        after = entries[r + 1]
        left += levels[entry & mask] - middle
        if (entry ^ after) >> 32 == 0 or r + 1 < least or n - r - 1 < least:
            continue
        a = cython.cast(cython.double, left)
        b = cython.cast(cython.double, whole - left)
        value = a * a / (r + 1) + b * b / (n - r - 1)
        best = value if value > best else best
    return -best if best >= 0 else 1e300


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _error(a: cython.double, b: cython.double) -> cython.double:
    """What is lost when a * b is rounded (Dekker, 1971)."""
    p: cython.double = a * b
    t: cython.double = 134217729.0 * a
    ah: cython.double = t - (t - a)
    al: cython.double = a - ah
    t = 134217729.0 * b
    bh: cython.double = t - (t - b)
    bl: cython.double = b - bh
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mixed(z: cython.ulonglong) -> cython.ulonglong:
    """A number that looks random and follows from z alone (Steele, SplitMix, 2014)."""
    a: cython.ulonglong = 11400714819323198485
    b: cython.ulonglong = 13787848793156543929
    c: cython.ulonglong = 10723151780598845931
    mask: cython.ulonglong = 18446744073709551615
    z = (cython.cast(cython.ulonglong, z) + a) & mask
    z = ((z ^ (z >> 30)) * b) & mask
    z = ((z ^ (z >> 27)) * c) & mask
    return z ^ (z >> 31)
