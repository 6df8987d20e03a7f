"""Deviating: how far the rows of a list lie from their median, as rows come and go.

``gauge`` and ``sweep`` serve one node; ``Deviator`` grows the whole tree. As in
``kernels.splitting`` every column keeps the rows of a node sorted by code, and one more list keeps
them sorted by measure, so that nothing is sorted again. All sums are integers.

One long file, because compiled functions call each other without Python only within a module. The
readable version of what is chosen is ``models.trees.deviations``.
"""

import cython

MASK = cython.declare(cython.longlong, 0xFFFFFFFF)
TIED = cython.declare(cython.double, 1e-9)  # of the impurity
UNEVEN = cython.declare(cython.longlong, 16)  # times the lightest row: a median may leap too far
BRANCH = cython.declare(cython.longlong, 0)  # what is missing has a branch of its own,
NODE = cython.declare(cython.longlong, 1)  # or is what is most common at the node


def gauge(
    keys: cython.const[cython.longlong][:, ::1],
    ranks: cython.const[cython.longlong][::1],
    units: cython.const[cython.longlong][::1],
    values: cython.const[cython.longlong][::1],
    least: cython.const[cython.longlong][::1],
    room: cython.longlong[:, ::1],
    lower: cython.longlong[::1],
    out: cython.longlong[::1],
):
    """For every column the least that a cut leaves apart, both sides in all; -1: there is none.

    ``keys`` (p, m): code * 2^32 + row, sorted. ``least``: rows and weight that a side must have.
    ``room`` (2, v + 1) as in ``sweep``, ``lower`` (m,).
    """
    if (
        ranks.shape[0] < keys.shape[1]
        or units.shape[0] < keys.shape[1]
        or least.shape[0] < 2
        or room.shape[0] < 2
        or room.shape[1] <= values.shape[0]
        or lower.shape[0] < keys.shape[1]
        or out.shape[0] < keys.shape[0]
    ):
        raise ValueError("deviating.gauge: the lengths of its arrays do not agree")
    m: cython.Py_ssize_t = keys.shape[1]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    row: cython.Py_ssize_t
    weight: cython.longlong
    total: cython.longlong
    left: cython.longlong
    weights: cython.longlong[::1] = room[0]
    sums: cython.longlong[::1] = room[1]
    with cython.nogil:
        for j in range(keys.shape[0]):
            out[j] = -1
            room[:, :] = 0
            weight = 0
            total = 0
            for i in range(m - 1):
                row = keys[j, i] & MASK
                weight += units[row]
                total += _added(ranks[row], units[row], values, weights, sums)
                lower[i] = -1
                if (keys[j, i] >> 32) == (keys[j, i + 1] >> 32):
                    continue
                if i + 1 >= least[0] and m - 1 - i >= least[0] and weight >= least[1]:
                    lower[i] = _apart(values, weights, sums, weight, total)
            room[:, :] = 0
            weight = 0
            total = 0
            for i in range(m - 2, -1, -1):
                row = keys[j, i + 1] & MASK
                weight += units[row]
                total += _added(ranks[row], units[row], values, weights, sums)
                if lower[i] < 0 or weight < least[1]:
                    continue
                left = lower[i] + _apart(values, weights, sums, weight, total)
                if out[j] < 0 or left < out[j]:
                    out[j] = left


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _added(
    rank: cython.longlong,
    units: cython.longlong,
    values: cython.const[cython.longlong][::1],
    weights: cython.longlong[::1],
    sums: cython.longlong[::1],
) -> cython.longlong:
    """One row more; returns its weighted measure."""
    at: cython.Py_ssize_t = rank + 1
    size: cython.Py_ssize_t = values.shape[0]
    moved: cython.longlong = units * values[rank]
    while at <= size:
        weights[at] += units
        sums[at] += moved
        at += at & -at
    return moved


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _apart(
    values: cython.const[cython.longlong][::1],
    weights: cython.const[cython.longlong][::1],
    sums: cython.const[cython.longlong][::1],
    weight: cython.longlong,
    total: cython.longlong,
) -> cython.longlong:
    """How far the rows that came lie from their median, in all."""
    size: cython.Py_ssize_t = values.shape[0]
    at: cython.Py_ssize_t = 0
    step: cython.Py_ssize_t = 1
    below: cython.longlong = 0  # weight of the ranks below the median
    least: cython.longlong = 0  # and their measures
    while 2 * step <= size:
        step *= 2
    while step > 0:
        if at + step < size and 2 * (below + weights[at + step]) < weight:
            at += step
            below += weights[at]
            least += sums[at]
        step //= 2
    return values[at] * (2 * below - weight) + total - 2 * least


def sweep(
    ranks: cython.const[cython.longlong][::1],
    units: cython.const[cython.longlong][::1],
    values: cython.const[cython.longlong][::1],
    ends: cython.const[cython.longlong][::1],
    room: cython.longlong[:, ::1],
    out: cython.longlong[::1],
):
    """The sums of w |y - median| over the first ``ends[g]`` rows, for every g.

    A row has the weight ``units`` and the measure ``values[rank]``; values rise. ``room`` is all
    zero, (2, v + 1): two trees of partial sums by rank, of weights and of weighted measures, so
    that a row comes in and a median is found in log v steps. P. Fenwick, A new data structure for
    cumulative frequency tables, Software: Practice and Experience 24, 1994, 327-336.
    """
    if (
        units.shape[0] < ranks.shape[0]
        or values.shape[0] < 1
        or room.shape[0] < 2
        or room.shape[1] <= values.shape[0]
        or out.shape[0] < ends.shape[0]
        or (ends.shape[0] > 0 and ends[ends.shape[0] - 1] > ranks.shape[0])
    ):
        raise ValueError("deviating.sweep: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t = 0
    g: cython.Py_ssize_t
    weight: cython.longlong = 0
    total: cython.longlong = 0
    weights: cython.longlong[::1] = room[0]
    sums: cython.longlong[::1] = room[1]
    with cython.nogil:
        for g in range(ends.shape[0]):
            while i < ends[g]:
                weight += units[i]
                total += _added(ranks[i], units[i], values, weights, sums)
                i += 1
            out[g] = _apart(values, weights, sums, weight, total)


@cython.cclass
class Deviator:
    """A tree as it grows, depth first; see ``models.trees.medians``.

    ``lists`` (p, n): code * 2^32 + row, sorted, for every column; ``rows`` (n,): by measure. A node
    is a run of them all. A column's rows of one code are a line.
    """

    lists: cython.longlong[:, ::1]
    rows: cython.int[::1]
    units: cython.const[cython.longlong][::1]  # (n,) the weight of every row
    ranks: cython.const[cython.longlong][::1]  # (n,) and its measure, among all
    values: cython.const[cython.longlong][::1]  # (v,) the measures
    number: cython.const[cython.longlong][::1]  # (p,) 1 for a number, 0 for a category
    gaps: cython.const[cython.longlong][::1]  # (p,) the code of what is missing
    fixed: cython.const[cython.longlong][::1]  # (p,) the code that fills it, for all nodes

    missing: cython.longlong
    multiway: cython.longlong
    max_depth: cython.longlong
    min_split: cython.longlong
    min_leaf: cython.longlong
    min_weight: cython.double
    min_share: cython.double
    min_decrease: cython.double
    whole: cython.double  # weight of the table
    one: cython.double  # one unit of weight
    unit: cython.double  # and of measure

    place: cython.int[::1]  # (n,) of every row among those of the node by measure, from 1 on
    side: cython.int[::1]  # (n,) the line of every row, or its branch
    seq: cython.int[::1]  # (n,) the rows by line
    chain: cython.int[:, ::1]  # (2, n + 2) the place before and after each that is left
    rank: cython.int[::1]  # (n + 1,) the place of every line in the order of the cuts
    sorted: cython.int[::1]  # (n + 1,) the lines in this order
    group: cython.int[::1]  # (n + 1,) the branch of every line
    measure: cython.longlong[::1]  # (n + 1,) by place
    weight: cython.longlong[::1]  # (n + 1,) by place
    codes: cython.longlong[::1]  # (n + 1,) of the lines
    ends: cython.longlong[::1]  # (n + 1,) where they end
    load: cython.longlong[::1]  # (n + 1,) what they weigh; later the first of them together
    left: cython.longlong[::1]  # (n + 1,) how far both sides of every cut lie from their medians
    spare: cython.longlong[::1]  # (n + 1,)
    sums: cython.longlong[:, ::1]  # (2, n + 1) see _added
    gain: cython.double[:, ::1]  # (p, 2) of the first of the best questions; -1: there is none;
    # and of the least of them
    best: cython.longlong[:, ::1]  # (p, 4) how many those are, the line before the first cut,
    # its code and that of the line behind; -1: none

    p: cython.Py_ssize_t
    s: cython.Py_ssize_t  # where the node begins
    m: cython.Py_ssize_t  # its rows
    held: cython.Py_ssize_t  # those that are in a line
    uneven: cython.bint
    total: cython.longlong  # of w |y - median|
    heft: cython.longlong  # of w
    middle: cython.longlong  # the ranks of its median
    second: cython.longlong
    low: cython.longlong  # and of that of some rows
    high: cython.longlong
    gap: cython.longlong  # how far the rows without a value lie from their median
    gap_load: cython.longlong
    slack: cython.double
    least: cython.double  # what a branch must weigh
    usual: cython.Py_ssize_t  # the line, then the branch of what is missing

    stack: cython.longlong[:, ::1]  # parent, place, first row, rows, depth
    waiting: cython.Py_ssize_t
    nodes: cython.longlong[:, ::1]
    reals: cython.double[:, ::1]
    totals: cython.longlong[:, ::1]  # weight, and the ranks of the median
    leads: cython.longlong[:, ::1]
    ties: cython.longlong[:, ::1]
    n_nodes: cython.Py_ssize_t
    n_leads: cython.Py_ssize_t
    n_ties: cython.Py_ssize_t

    def __init__(self, table, columns, settings, work):
        """Take the rows, the columns, the settings and the space to work in."""
        self.lists, self.rows, self.units, self.ranks, self.values = table
        self.number, self.gaps, self.fixed = columns
        self.missing, self.multiway, self.max_depth, self.min_split, self.min_leaf = settings[:5]
        self.min_weight, self.min_share, self.min_decrease = settings[5:8]
        self.whole, self.one, self.unit = settings[8:]
        self.place, self.side, self.seq, self.chain, self.rank, self.sorted, self.group = work[:7]
        self.measure, self.weight, self.codes, self.ends, self.load = work[7:12]
        self.left, self.spare, self.sums, self.gain, self.best = work[12:]
        self.p = self.number.shape[0]
        self.n_nodes = 0
        self.n_leads = 0
        self.n_ties = 0
        self.waiting = 0

    def put(self, stack, nodes, reals, totals, leads, ties):
        """The space for what grows; called again with more where it was not enough."""
        self.stack, self.nodes, self.reals = stack, nodes, reals
        self.totals, self.leads, self.ties = totals, leads, ties

    def begin(self, n: cython.longlong):
        """The first node has all n rows."""
        self.stack[0, 0] = -1
        self.stack[0, 1] = 0
        self.stack[0, 2] = 0
        self.stack[0, 3] = n
        self.stack[0, 4] = 0
        self.waiting = 1

    def counted(self):
        """Nodes, leads and ties."""
        return self.n_nodes, self.n_leads, self.n_ties

    def grow(self):
        """Go on until all is done, 0, or there is no room: nodes 1, leads 2, ties 3, stack 4."""
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
        ties: cython.Py_ssize_t = self.n_ties
        asked: cython.Py_ssize_t = -1
        branches: cython.Py_ssize_t = 0
        lines: cython.Py_ssize_t = 0
        full: cython.int = 0
        self.s = self.stack[top, 2]
        self.m = self.stack[top, 3]
        if self.n_nodes == self.nodes.shape[0]:
            return 1
        self._sum_up()
        if self.total > 0 and self._asks(self.s, self.m, self.stack[top, 4]):
            asked = self._choose()
        if asked == -2:
            full = 3
        elif asked >= 0:
            lines = self._laid(asked)
            branches = self._send(asked, lines)
            if self.waiting - 1 + branches > self.stack.shape[0]:
                full = 4
            elif not self.number[asked] and self.n_leads + lines > self.leads.shape[0]:
                full = 2
        if full:
            self.n_ties = ties
            return full
        self._write(top, asked, lines)
        if branches:
            self._part_all(asked, branches, self.stack[top, 4] + 1)
        self._push(top, branches)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sum_up(self) -> cython.void:
        """The rows of a node by measure, their median, and how far they lie from it."""
        i: cython.Py_ssize_t
        row: cython.Py_ssize_t
        w: cython.longlong
        heaviest: cython.longlong = 0
        lightest: cython.longlong = self.units[self.rows[self.s]]
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
        self.total = self._apart_of(self.rows[self.s : self.s + self.m])
        self.middle = self.low
        self.second = self.high
        self.slack = TIED * self._mean(self.total)
        self.least = max(self.min_weight, self.min_share * (self.heft * self.one))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _mean(self, apart: cython.longlong) -> cython.double:
        """Of all rows of the node."""
        if self.heft == 0:
            return 0.0
        return cython.cast(cython.double, apart) / self.heft * self.unit

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _apart_of(self, rows: cython.const[cython.int][::1]) -> cython.longlong:
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _asks(
        self, s: cython.Py_ssize_t, m: cython.Py_ssize_t, depth: cython.longlong
    ) -> cython.bint:
        """Whether rows may ask at all: where two branches have no room none is ever found."""
        if depth >= self.max_depth or m < self.min_split or m < 2 * self.min_leaf:
            return False
        return self.ranks[self.rows[s]] != self.ranks[self.rows[s + m - 1]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _choose(self) -> cython.Py_ssize_t:
        """The column to ask; -1: none, -2: there is no room for its ties."""
        j: cython.Py_ssize_t
        asked: cython.Py_ssize_t = -1
        ties: cython.Py_ssize_t = self.n_ties
        top: cython.double = -1.0
        for j in range(self.p):
            self._gauge(j)
            top = max(top, self.gain[j, 0])
        for j in range(self.p):
            if top < 0 or self.gain[j, 0] < max(top - self.slack, 0.0):
                continue
            self._list(j)
            asked = j if asked < 0 else asked
        if self.n_ties > self.ties.shape[0]:
            self.n_ties = ties
            return -2
        if asked >= 0:
            top = self.heft * self.one / self.whole * self.gain[asked, 0]
            asked = -1 if top + 1e-12 < self.min_decrease else asked
        if self.n_ties == ties + 1 or asked < 0:
            self.n_ties = ties
        return asked

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _list(self, j: cython.Py_ssize_t) -> cython.void:
        """The best questions of a column; of categories only the first."""
        v: cython.Py_ssize_t
        r: cython.Py_ssize_t
        fall: cython.double
        if not self.number[j] or self.best[j, 0] == 1:
            self._tie(j, self.best[j, 2], self.best[j, 3])
            return
        v = self._laid(j)
        self._sweep(v)
        for r in range(-1, v - 1):
            fall = self._fall(r if r >= 0 else v - 1, v)
            if fall >= 0 and fall >= self.gain[j, 1]:
                self._tie(
                    j, self.codes[r if r >= 0 else v - 1], self.codes[r + 1] if r >= 0 else -1
                )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _tie(
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
    def _laid(self, j: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The rows of a column by line, what is missing last or in its line; returns the lines."""
        i: cython.Py_ssize_t
        v: cython.Py_ssize_t = 0
        row: cython.Py_ssize_t
        last: cython.longlong = -1
        code: cython.longlong
        for i in range(self.m):
            code = self.lists[j, self.s + i] >> 32
            row = self.lists[j, self.s + i] & MASK
            if code == self.gaps[j]:
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
        self.usual = self._common(j, v)
        self.gap = 0
        self.gap_load = 0
        if v > 0 and (self.held < self.m or not self.number[j]):
            self._lay_gaps(j, v)
        return v

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _common(self, j: cython.Py_ssize_t, v: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The line of the median, or of the most frequent category."""
        r: cython.Py_ssize_t
        found: cython.Py_ssize_t = 0
        below: cython.longlong = 0
        total: cython.longlong = 0
        for r in range(v):
            total += self.load[r]
            if self.load[r] > self.load[found]:
                found = r
        if not self.number[j]:
            return found
        for r in range(v):
            below += self.load[r]
            if 2 * below >= total:
                return r
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _lay_gaps(self, j: cython.Py_ssize_t, v: cython.Py_ssize_t) -> cython.void:
        """Rows without a value in the line of the most, or last; all by measure within a line."""
        i: cython.Py_ssize_t
        row: cython.Py_ssize_t
        self.codes[v] = -1
        for i in range(self.held, self.m):
            row = self.lists[j, self.s + i] & MASK
            self.side[row] = self.usual if self.missing == NODE else v
            if self.missing == NODE:
                self.load[self.usual] += self.units[row]
            else:
                self.gap_load += self.units[row]
        if self.missing == NODE:
            self.held = self.m
        self._order(v)
        self.gap = self._apart_of(self.seq[self.held : self.m])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _order(self, v: cython.Py_ssize_t) -> cython.void:
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _gauge(self, j: cython.Py_ssize_t) -> cython.void:
        """The first of the best questions of a column, and how many are tied with it."""
        r: cython.Py_ssize_t
        at: cython.Py_ssize_t
        v: cython.Py_ssize_t = self._laid(j)
        fall: cython.double
        top: cython.double = 0.0
        self.gain[j, 0] = -1.0
        self.best[j, 0] = 0
        self.best[j, 2] = -1
        self.best[j, 3] = -1
        if v == 0:
            return
        if not self.number[j]:
            if self.multiway:
                self._gauge_ways(j, v)
                return
            self._arrange(v)
        self._sweep(v)
        for r in range(v):
            top = max(top, self._fall(r, v))
        self.gain[j, 1] = top - self.slack
        for r in range(-1, v - 1):
            at = r if r >= 0 else v - 1
            fall = self._fall(at, v)
            if fall < 0 or fall < self.gain[j, 1]:
                continue
            if self.best[j, 0] == 0:
                self.gain[j, 0] = fall
                self.best[j, 1] = at
                if self.number[j]:
                    self.best[j, 2] = self.codes[at]
                    self.best[j, 3] = self.codes[at + 1] if r >= 0 else -1
            self.best[j, 0] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _gauge_ways(self, j: cython.Py_ssize_t, v: cython.Py_ssize_t) -> cython.void:
        """One branch a category: at least two with enough rows and weight."""
        r: cython.Py_ssize_t
        start: cython.Py_ssize_t = 0
        enough: cython.Py_ssize_t = 1 if self._enough(self.gap_load, self.m - self.held) else 0
        left: cython.longlong = self.gap
        for r in range(v):
            left += self._apart_of(self.seq[start : self.ends[r]])
            if self._enough(self.load[r], self.ends[r] - start):
                enough += 1
            start = self.ends[r]
        if enough > 1:
            self.gain[j, 0] = self._mean(self.total - left)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _enough(self, load: cython.longlong, rows: cython.longlong) -> cython.bint:
        """Whether a branch has rows and weight enough to be asked for."""
        return load > 0 and rows >= self.min_leaf and load * self.one >= self.least

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _arrange(self, v: cython.Py_ssize_t) -> cython.void:
        """The lines of categories by their medians, of equal ones the first first."""
        r: cython.Py_ssize_t
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        start: cython.Py_ssize_t = 0
        step: cython.Py_ssize_t = 1
        for r in range(v):
            self._apart_of(self.seq[start : self.ends[r]])
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
                while k >= step and self._later(self.sorted[k - step], r):
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
        self._order(v)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _later(self, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> cython.bint:
        return self.left[a] > self.left[b] or (self.left[a] == self.left[b] and a > b)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _sweep(self, v: cython.Py_ssize_t) -> cython.void:
        """What every cut leaves apart, and the loads up to it; the last cuts nothing off."""
        r: cython.Py_ssize_t
        for r in range(v):
            self.left[r] = self.gap
            if r > 0:
                self.load[r] += self.load[r - 1]
        if self.uneven:
            _by_coming(
                self.seq, self.place, self.measure[1 : self.m + 1], self.weight, self.sums[0],
                self.sums[1], self.ends[:v], self.left,
            )  # fmt: skip
            return
        for r in range(2):
            self._link()
            _by_going(
                self.seq, self.place, self.measure[: self.m + 1], self.weight, self.chain,
                self.ends[:v], self.left, r == 1,
            )  # fmt: skip

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _link(self) -> cython.void:
        """The chain of the rows that are in a line, by measure."""
        i: cython.Py_ssize_t
        last: cython.Py_ssize_t = 0
        if self.held == self.m:
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _fall(self, r: cython.Py_ssize_t, v: cython.Py_ssize_t) -> cython.double:
        """What a cut behind a line gains; -1 where it may not be asked for.

        The last is no cut: it asks whether there is a value.
        """
        rows: cython.longlong = self.held
        above: cython.longlong = self.load[v - 1] - self.load[r]
        if r == v - 1:
            rows = self.m
            above = self.gap_load
        if not self._enough(self.load[r], self.ends[r]):
            return -1.0
        if rows == self.ends[r] or not self._enough(above, rows - self.ends[r]):
            return -1.0
        return self._mean(self.total - self.left[r])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _send(self, j: cython.Py_ssize_t, v: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The branch of every line, then of every row; returns how many branches there are."""
        i: cython.Py_ssize_t
        r: cython.Py_ssize_t
        branches: cython.Py_ssize_t = 0
        usual: cython.Py_ssize_t = self.usual
        first: cython.bint
        if not self.number[j] and not self.multiway:
            self._arrange(v)
            for i in range(self.s, self.s + self.m):
                self.side[self.rows[i]] = self.sorted[self.side[self.rows[i]]]
        for r in range(v):
            if self.number[j]:
                self.group[r] = 1 if r > self.best[j, 1] else 0
            elif self.multiway:
                self.group[r] = r
            else:
                first = self.rank[0] <= self.best[j, 1]
                self.group[r] = 1 if (self.rank[r] <= self.best[j, 1]) != first else 0
            branches = max(branches, self.group[r] + 1)
        self.group[v] = branches
        self.usual = self._led(j, v, usual)
        for i in range(self.s, self.s + self.m):
            self.side[self.rows[i]] = self.group[self.side[self.rows[i]]]
        return branches + (self.held < self.m)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _led(
        self, j: cython.Py_ssize_t, v: cython.Py_ssize_t, usual: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """The branch of what is missing; -1: none."""
        r: cython.Py_ssize_t
        if self.missing == BRANCH:
            return self.group[v] if self.held < self.m else -1
        if self.missing == NODE:
            return self.group[usual]
        if self.number[j]:
            return 1 if self.fixed[j] > self.best[j, 2] else 0
        for r in range(v):
            if self.codes[r] == self.fixed[j]:
                return self.group[r]
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _write(
        self, top: cython.Py_ssize_t, asked: cython.Py_ssize_t, v: cython.Py_ssize_t
    ) -> cython.void:
        """The node as it stands in the tree."""
        node: cython.Py_ssize_t = self.n_nodes
        self.nodes[node, 0] = self.stack[top, 0]
        self.nodes[node, 1] = self.stack[top, 1]
        self.nodes[node, 2] = 0
        self.nodes[node, 3] = asked
        self.nodes[node, 4] = -1
        self.nodes[node, 5] = -1
        self.nodes[node, 6] = -1
        if asked >= 0:
            self.nodes[node, 6] = self.usual
            self._write_question(asked, v)
        self.nodes[node, 7] = self.m
        self.nodes[node, 8] = self.n_leads
        self.nodes[node, 9] = self.n_ties
        self.reals[node, 0] = self._mean(self.total)
        self.reals[node, 1] = self.gain[asked, 0] if asked >= 0 else 0.0
        self.totals[node, 0] = self.heft
        self.totals[node, 1] = self.middle
        self.totals[node, 2] = self.second

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _write_question(self, j: cython.Py_ssize_t, v: cython.Py_ssize_t) -> cython.void:
        """Its kind (1 threshold, 2 multiway, 3 subset, 4 presence), and what leads where."""
        node: cython.Py_ssize_t = self.n_nodes
        r: cython.Py_ssize_t = self.best[j, 1]
        if self.number[j]:
            self.nodes[node, 2] = 1 if r < v - 1 else 4
            self.nodes[node, 4] = self.best[j, 2]
            self.nodes[node, 5] = self.best[j, 3]
            return
        self.nodes[node, 2] = 2 if self.multiway else 3
        for r in range(v):
            self.leads[self.n_leads, 0] = self.codes[r]
            self.leads[self.n_leads, 1] = self.group[r]
            self.n_leads += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _part_all(
        self, asked: cython.Py_ssize_t, branches: cython.Py_ssize_t, depth: cython.longlong
    ) -> cython.void:
        """All lists by branch: those of the columns only where a branch may ask again."""
        b: cython.Py_ssize_t
        j: cython.Py_ssize_t
        i: cython.Py_ssize_t
        start: cython.Py_ssize_t = self.s
        live: cython.bint = False
        self._order(branches)  # ends: where the branches end
        for i in range(self.m):
            self.rows[self.s + i] = self.seq[i]
        for b in range(branches):
            live = live or self._asks(start, self.s + self.ends[b] - start, depth)
            start = self.s + self.ends[b]
        if not live:
            return
        for j in range(self.p):
            if branches == 2:
                _part_two(self.lists[j, self.s : self.s + self.m], self.side, self.spare)
            else:
                _part(self.lists[j, self.s : self.s + self.m], self.side, self.ends, self.load,
                      branches, self.spare)  # fmt: skip

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _push(self, top: cython.Py_ssize_t, branches: cython.Py_ssize_t) -> cython.void:
        """The branches wait in place of the node, the first to come next."""
        b: cython.Py_ssize_t
        depth: cython.longlong = self.stack[top, 4]
        start: cython.longlong
        at: cython.Py_ssize_t = top
        for b in range(branches - 1, -1, -1):
            start = self.ends[b - 1] if b > 0 else 0
            self.stack[at, 0] = self.n_nodes
            self.stack[at, 1] = b
            self.stack[at, 2] = self.s + start
            self.stack[at, 3] = self.ends[b] - start
            self.stack[at, 4] = depth + 1
            at += 1
        self.waiting = at
        self.n_nodes += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _part_two(
    entries: cython.longlong[::1],
    side: cython.const[cython.int][::1],
    spare: cython.longlong[::1],
) -> cython.void:
    """A list in two."""
    i: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    second: cython.Py_ssize_t = 0
    e: cython.longlong
    to: cython.Py_ssize_t
    for i in range(entries.shape[0]):
        e = entries[i]
        to = side[e & MASK]
        entries[first] = e
        spare[second] = e
        first += 1 - to
        second += to
    for i in range(second):
        entries[first + i] = spare[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _part(
    entries: cython.longlong[::1],
    side: cython.const[cython.int][::1],
    ends: cython.const[cython.longlong][::1],
    fill: cython.longlong[::1],
    branches: cython.Py_ssize_t,
    spare: cython.longlong[::1],
) -> cython.void:
    """A list in as many as there are branches."""
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    for b in range(branches):
        fill[b] = ends[b - 1] if b > 0 else 0
    for i in range(entries.shape[0]):
        b = side[entries[i] & MASK]
        spare[fill[b]] = entries[i]
        fill[b] += 1
    for i in range(entries.shape[0]):
        entries[i] = spare[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _by_going(
    seq: cython.const[cython.int][::1],
    place: cython.const[cython.int][::1],
    values: cython.const[cython.longlong][::1],
    units: cython.const[cython.longlong][::1],
    chain: cython.int[:, ::1],
    ends: cython.const[cython.longlong][::1],
    left: cython.longlong[::1],
    back: cython.bint,
) -> cython.void:
    """Add what every cut leaves apart above it, or below it: lines go, and the median moves on.

    A row that goes moves the median to a neighbour in the chain, or over some rows that are
    lighter, so that no search is needed. ``back``: the last line goes first.
    """
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    line: cython.Py_ssize_t
    p: cython.Py_ssize_t
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    v: cython.Py_ssize_t = ends.shape[0]
    w: cython.longlong
    weight: cython.longlong = 0
    total: cython.longlong = 0
    below: cython.longlong = 0  # weight of the places before the median
    least: cython.longlong = 0  # and their measures
    at: cython.Py_ssize_t = chain[1, 0]
    for i in range(ends[v - 1]):
        p = place[seq[i]]
        weight += units[p]
        total += units[p] * values[p]
    for r in range(v):
        while 2 * below >= weight and chain[0, at] > 0:
            at = chain[0, at]
            below -= units[at]
            least -= units[at] * values[at]
        while 2 * (below + units[at]) < weight:
            below += units[at]
            least += units[at] * values[at]
            at = chain[1, at]
        line = v - 1 - r if back else r
        if r > 0 or back:
            w = values[at] * (2 * below - weight) + total - 2 * least
            left[line if back else line - 1] += w
        if r == v - 1:
            break
        for i in range(ends[line - 1] if line > 0 else 0, ends[line]):
            p = place[seq[i]]
            w = units[p]
            a = chain[0, p]
            b = chain[1, p]
            chain[1, a] = b
            chain[0, b] = a
            weight -= w
            total -= w * values[p]
            if p < at:
                below -= w
                least -= w * values[p]
            elif p == at:
                at = b
                if b == values.shape[0]:
                    at = a
                    below -= units[a]
                    least -= units[a] * values[a]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _by_coming(
    seq: cython.const[cython.int][::1],
    place: cython.const[cython.int][::1],
    values: cython.const[cython.longlong][::1],
    units: cython.const[cython.longlong][::1],
    weights: cython.longlong[::1],
    sums: cython.longlong[::1],
    ends: cython.const[cython.longlong][::1],
    left: cython.longlong[::1],
) -> cython.void:
    """The same for rows of any weight: lines come, the first first, then the last first."""
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    way: cython.Py_ssize_t
    v: cython.Py_ssize_t = ends.shape[0]
    weight: cython.longlong
    total: cython.longlong
    for way in range(2):
        weight = 0
        total = 0
        for i in range(values.shape[0] + 1):
            weights[i] = 0
            sums[i] = 0
        for r in range(v if way == 0 else v - 1):
            at = r if way == 0 else v - 1 - r
            for i in range(ends[at - 1] if at > 0 else 0, ends[at]):
                weight += units[place[seq[i]]]
                total += _added(place[seq[i]] - 1, units[place[seq[i]]], values, weights, sums)
            left[at - way] += _apart(values, weights, sums, weight, total)
