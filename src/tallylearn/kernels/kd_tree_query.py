"""Boxing: the rows of a tree that are nearest to a query, and the boxes that it need not open.

Boxes are halved down to groups of up to 32 leaves, and a leaf has up to 32 rows: so many are looked
at together, in single precision, counted from the middle of their group or leaf in units of half
its diagonal or more. Of what is at a or nearer, singles say in these units at most

    (a (1 + u) + 2 u)² (1 + (d + 4) u)  <=  a² (1 + 2^-11 + d 2^-22) + 1e-10,    u = 2^-24

as the query is then at most 1 + a from the middle; and of what they say is at a, the same bounds
how far it is. Rows that they let by are worked out in double precision, and these decide alone.
"""

import cython

INFINITY = cython.declare(cython.double, float("inf"))
NOTHING = cython.declare(cython.double, float("nan"))
LEVEL = cython.declare(cython.double, 1 + 1e-11)  # squares this near may be those of level rows
LOST = cython.declare(cython.double, 1e-290)  # squares below have lost digits, or all of them
WRONG = cython.declare(cython.double, 1e-10)  # what singles may be wrong by near the middle


def search(
    boxes: cython.const[cython.double][:, :, ::1],
    frames: cython.const[cython.double][:, ::1],
    lanes: cython.const[cython.float][:, :, ::1],
    rows: cython.const[cython.double][:, ::1],
    queries: cython.const[cython.double][:, ::1],
    found: cython.longlong[:, ::1],
    scores: cython.double[:, ::1],
    number: cython.longlong[::1],
):
    """Find the rows that are among the k nearest of every query, or may be level with the k-th.

    Nodes are numbered level by level from 1 on, so that those below node v are 2 v and 2 v + 1, and
    the last half of them are the g groups; ``boxes`` (2 g, 2, d) has the ends of every node.
    ``frames`` (g + l, d + 3) has of groups, then of leaves, the middle and one by the unit, and of
    a group its first leaf and how many there are. ``lanes`` (2 g + l, d, 32) has the lower and the
    upper ends of a group's leaves, rounded outwards, and the rows of every leaf; ``rows`` (32 l, d)
    these as they are, NaN where there is none.

    ``number`` (n,) has k at first, and gets how many there are, or -1 where they are more than
    there is room for. ``found`` (n, room) gets their places, ``scores`` their squared distances:
    the k least in rising order, and then those that may be level with the last.
    """
    groups: cython.Py_ssize_t = boxes.shape[0] // 2
    leaves: cython.Py_ssize_t = frames.shape[0] - groups
    d: cython.Py_ssize_t = queries.shape[1]
    if (
        groups < 1
        or boxes.shape[1] < 2
        or boxes.shape[2] != d
        or frames.shape[1] < d + 3
        or lanes.shape[0] != 2 * groups + leaves
        or lanes.shape[1] != d
        or lanes.shape[2] < 32
        or rows.shape[0] != 32 * leaves
        or rows.shape[1] != d
        or found.shape[0] < queries.shape[0]
        or scores.shape[0] < queries.shape[0]
        or scores.shape[1] != found.shape[1]
        or number.shape[0] < queries.shape[0]
    ):
        raise ValueError("kd_tree_query.search: the lengths of its arrays do not agree")
    i: cython.Py_ssize_t
    for i in range(queries.shape[0]):
        if number[i] < 1 or number[i] > found.shape[1]:
            raise ValueError("kd_tree_query.search: there is no room for k rows")
    tree: Tree = Tree(boxes, frames, lanes, rows, queries, found, scores)
    with cython.nogil:
        for i in range(queries.shape[0]):
            number[i] = tree.ask(i, number[i])


class Tree:
    """Boxes with rows, and what was found of the query that is asked about."""

    def __init__(self, boxes, frames, lanes, rows, queries, found, scores):
        self.boxes = boxes
        self.frames = frames
        self.lanes = lanes
        self.rows = rows
        self.queries = queries
        self.found = found
        self.scores = scores
        self.groups = len(boxes) // 2
        self.ease = 1.0 + 2.0**-11 + queries.shape[1] * 2.0**-22

    def ask(self, i, k):
        """Find the neighbours of query i; how many there are, or -1."""
        v: cython.Py_ssize_t
        near: cython.double
        far: cython.double
        top: cython.Py_ssize_t = 1
        stack = cython.declare(cython.Py_ssize_t[64])  # halves of halves: more than a table has
        least = cython.declare(cython.double[64])  # that the rows of a node can be apart
        self.k = k
        self.held = 0
        self.limit = INFINITY  # how far one can be, squared, that is to be found
        stack[0] = 1
        least[0] = 0.0
        while top > 0:
            top -= 1
            v = stack[top]
            near = least[top]
            while v < self.groups and near <= self.limit:
                near = self.outside(2 * v, i)
                far = self.outside(2 * v + 1, i)
                v = 2 * v
                stack[top] = v + 1
                if far < near:
                    stack[top] = v
                    v += 1
                    near, far = far, near
                least[top] = far
                top += far <= self.limit
            if near <= self.limit:
                self.open(v - self.groups, i)
        self.drop(i)
        return -1 if self.limit < 0.0 else self.held

    def outside(self, v, i):
        """The squared distance of a query to a box; none of its rows is nearer, rounded alike."""
        j: cython.Py_ssize_t
        x: cython.double
        end: cython.double
        total: cython.double = 0.0
        for j in range(self.queries.shape[1]):
            x = self.queries[i, j]
            end = self.boxes[v, 0, j]
            end = end if end > x else x
            end = end if end < self.boxes[v, 1, j] else self.boxes[v, 1, j]
            total += (end - x) * (end - x)
        return total

    def open(self, g, i):
        """Look at the leaves of a group that may have one of the nearest."""
        t: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        d: cython.Py_ssize_t = self.queries.shape[1]
        first: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.frames[g, d + 1])
        leaves: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.frames[g, d + 2])
        unit: cython.double = self.frames[g, d] * self.frames[g, d] * self.ease
        most: cython.float
        hits: cython.int = 0
        hit = cython.declare(cython.int[32])
        apart = cython.declare(cython.float[32])
        self.beside(g, i, apart)
        if self.limit == INFINITY:  # the nearest leaf says how far they can be at most
            for t in range(1, leaves):
                at = t if apart[t] < apart[at] else at
            self.look(first + at, i)
            apart[at] = NOTHING
        most = cython.cast(cython.float, self.limit * unit + WRONG)
        for t in range(leaves):  # first those that may, as a guess would often be wrong
            hit[hits] = t
            hits += apart[t] <= most
        for t in range(hits):
            if apart[hit[t]] <= most:
                self.look(first + hit[t], i)
                most = cython.cast(cython.float, self.limit * unit + WRONG)

    def beside(self, g, i, apart):
        """About how far the boxes of a group's leaves are, squared."""
        j: cython.Py_ssize_t
        t: cython.Py_ssize_t
        x: cython.float
        end: cython.float
        for t in range(32):
            apart[t] = 0.0
        for j in range(self.queries.shape[1]):
            x = self.moved(g, j, i)
            for t in range(32):
                end = self.lanes[2 * g, j, t]
                end = end if end > x else x
                end = end if end < self.lanes[2 * g + 1, j, t] else self.lanes[2 * g + 1, j, t]
                apart[t] += (end - x) * (end - x)

    def look(self, leaf, i):
        """Keep the rows of a leaf that may be among the nearest."""
        t: cython.Py_ssize_t
        j: cython.Py_ssize_t
        most: cython.float
        way: cython.double
        hits: cython.int = 0
        d: cython.Py_ssize_t = self.queries.shape[1]
        unit: cython.double = self.frames[self.groups + leaf, d]
        apart = cython.declare(cython.float[32])
        exact = cython.declare(cython.double[32])
        hit = cython.declare(cython.int[32])
        self.measure(leaf, i, apart)
        unit = unit * unit
        if self.limit == INFINITY and self.k <= 8:
            self.limit = (_least(apart, self.k) * self.ease + WRONG) / unit
        most = cython.cast(cython.float, self.limit * unit * self.ease + WRONG)
        for t in range(32):
            hits += not apart[t] > most
        if hits == 0:
            return
        hits = 0
        for t in range(32):
            hit[hits] = t
            hits += not apart[t] > most
        for t in range(hits):
            exact[t] = 0.0
            for j in range(d):
                way = self.rows[32 * leaf + hit[t], j] - self.queries[i, j]
                exact[t] += way * way
        for t in range(hits):
            if exact[t] <= self.limit:
                self.keep(32 * leaf + hit[t], exact[t], i)

    def measure(self, leaf, i, apart):
        """About how far the rows of a leaf are, squared: of four columns at a time."""
        j: cython.Py_ssize_t
        t: cython.Py_ssize_t
        x: cython.float
        d: cython.Py_ssize_t = self.queries.shape[1]
        v: cython.Py_ssize_t = self.groups + leaf
        at: cython.Py_ssize_t = self.groups + v
        for t in range(32):
            apart[t] = 0.0
        for j in range(d % 4):
            x = self.moved(v, j, i)
            for t in range(32):
                apart[t] += (self.lanes[at, j, t] - x) * (self.lanes[at, j, t] - x)
        for j in range(d % 4, d, 4):
            self.measure_four(v, j, i, apart)

    def measure_four(self, v, j, i, apart):
        """Add what four columns are apart, squared."""
        t: cython.Py_ssize_t
        at: cython.Py_ssize_t = self.groups + v
        a: cython.float = self.moved(v, j, i)
        b: cython.float = self.moved(v, j + 1, i)
        c: cython.float = self.moved(v, j + 2, i)
        e: cython.float = self.moved(v, j + 3, i)
        one: cython.float
        two: cython.float
        three: cython.float
        four: cython.float
        for t in range(32):
            one = self.lanes[at, j, t] - a
            two = self.lanes[at, j + 1, t] - b
            three = self.lanes[at, j + 2, t] - c
            four = self.lanes[at, j + 3, t] - e
            apart[t] += (one * one + two * two) + (three * three + four * four)

    def moved(self, v, j, i):
        """A number of the query as a group or a leaf counts it."""
        unit: cython.double = self.frames[v, self.queries.shape[1]]
        return cython.cast(cython.float, (self.queries[i, j] - self.frames[v, j]) * unit)

    def keep(self, row, score, i):
        """Keep a row: among the k nearest, or behind them where it may be level with the last."""
        last: cython.Py_ssize_t = self.k - 1
        at: cython.Py_ssize_t = self.held if self.held < last else last
        beyond: cython.double = INFINITY
        other: cython.longlong = -1
        if self.held < self.k:
            self.held += 1
        elif score < self.scores[i, last]:
            beyond = self.scores[i, last]
            other = self.found[i, last]
        else:
            self.add(row, score, i)
            return
        while at > 0 and self.scores[i, at - 1] > score:
            self.scores[i, at] = self.scores[i, at - 1]
            self.found[i, at] = self.found[i, at - 1]
            at -= 1
        self.scores[i, at] = score
        self.found[i, at] = row
        if self.held >= self.k and self.scores[i, last] * LEVEL + LOST < self.limit:
            self.limit = self.scores[i, last] * LEVEL + LOST
        if other >= 0 and beyond <= self.limit:
            self.add(other, beyond, i)

    def add(self, row, score, i):
        """Put a row behind the k nearest."""
        if self.held == self.found.shape[1]:
            self.drop(i)
        if self.held == self.found.shape[1]:
            self.limit = -INFINITY  # there is no room: nothing is looked at any more
            return
        self.found[i, self.held] = row
        self.scores[i, self.held] = score
        self.held += 1

    def drop(self, i):
        """Drop what has come to lie beyond the limit."""
        at: cython.Py_ssize_t
        kept: cython.Py_ssize_t = self.held if self.held < self.k else self.k
        for at in range(kept, self.held):
            if self.scores[i, at] <= self.limit:
                self.scores[i, kept] = self.scores[i, at]
                self.found[i, kept] = self.found[i, at]
                kept += 1
        self.held = kept


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _least(apart: cython.p_float, k: cython.Py_ssize_t) -> cython.float:
    """A number that k of 32 are not above: the k-th of the least of 8 fours, which is near it."""
    t: cython.Py_ssize_t
    u: cython.Py_ssize_t
    one: cython.float
    two: cython.float
    below: cython.int
    fours = cython.declare(cython.float[8])
    found: cython.float = INFINITY
    for t in range(8):
        one = apart[t] if apart[t] < apart[t + 8] else apart[t + 8]
        two = apart[t + 16] if apart[t + 16] < apart[t + 24] else apart[t + 24]
        fours[t] = one if one < two else two
    for t in range(8):
        one = fours[t]
        below = 0
        for u in range(8):
            below += fours[u] <= one
        found = one if below >= k and one < found else found
    return found
