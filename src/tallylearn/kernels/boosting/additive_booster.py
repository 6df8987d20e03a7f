"""Cyclic boosting of an additive model: one small tree for a column at a time, on its bins.

A term is a table of values, one for each bin of a column, or for each cell of a pair of columns;
the raw score of a row is the sum over the terms. In every round each term in turn gets a tree of at
most ``max_leaves`` leaves that is fitted to the gradients and Hessians of the loss, by bin, and a
share of its values is added to the table (Lou, Caruana and Gehrke, Intelligible models for
classification and regression, KDD 2012). A pair is cut in two along one column, and each half along
the other: the four leaves of FAST (Lou, Caruana, Gehrke and Hooker, Accurate intelligible models
with pairwise interactions, KDD 2013).

Data layout
    ``codes`` (c, n) uint8: the bins of every row in some lines; the last code of a column is that
    of missing values, which are a leaf of their own. Of a pair it is the last row or column.
    ``terms`` (t, 6) int32: line, second line or -1, codes of the first and of the second line,
    whether a category, monotonic constraint.
    ``starts`` (t + 1,) int64: where the cells of each term start.
    ``segments`` (s, 3) int64: from, to, and whether the rows are trained on; others validate.
    ``tables``, ``best`` (k, cells): the values, and those of the round with the least loss on the
    validation rows.

One pass over the rows a step: runs of RUN rows, which stay in the first-level cache, get the values
of the step before, then their gradients, then they are added to the histogram. The sums go through
the rows in order: rows that are sorted by their content give the same bits in any order of the
table. The sigmoid is a Taylor polynomial of degree 3 from a table with steps of 1/16; the next term
is below 5e-9.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.boosting.loss_gradients import exponential, log1p

    RUN = 512
    SQUARED, LOGISTIC, SOFTMAX = range(3)

from tallylearn.kernels.boosting.loss_gradients import POWERS_OF_TWO, exp_all

LARGEST_SCORE = cython.declare(cython.double, 40.0)  # beyond, a probability is 0 or 1 to 4e-18
STEPS = cython.declare(cython.double, 16.0)  # of the table of sigmoids, in a unit
STEP = cython.declare(cython.double, 0.0625)
SIXTH = cython.declare(cython.double, 1.0 / 6.0)
TIED = cython.declare(
    cython.double, 1e-12
)  # relatively: of gains that are this close the first wins


def _sigmoid_table():
    """1 / (1 + e^-x) for x from -40 to 40, in steps of 1/16."""
    x = np.arange(-640, 641) / 16.0
    out = np.empty(len(x))
    exp_all(-x, out)
    return 1.0 / (1.0 + out)


class AdditiveBooster:
    """The tables of a bag as they grow, and the raw scores of all rows.

    Parameters
    ----------
    codes : (c, n) uint8
    terms : tuple
        (t, 6) int32 and (t + 1,) int64: the terms and where their cells start.
    rows : tuple
        (n,) target, (n,) labels of classes, (n,) weights or none; (b, n) uint8 how often each of
        the inner bags has a row, or no bags.
    segments : (s, 3) int64
    raw : (k, n) raw scores to begin with
    options : dict
        loss, rate, max_leaves, min_leaf, min_hessian, smoothing, patience, tol.
    """

    def __init__(self, codes, terms, rows, segments, raw, options):
        t: cython.Py_ssize_t
        cells: cython.Py_ssize_t
        self.codes = codes
        self.terms, self.starts = terms
        self.y, self.labels, self.weights, self.inner = rows
        self.segments = segments
        self.n, self.n_terms = codes.shape[1], self.terms.shape[0]
        self.k = raw.shape[0]
        self.loss = options["loss"]
        self.weighted = self.weights.shape[0] > 0
        if (
            len(self.starts) != self.n_terms + 1
            or self.terms.shape[1] != 6
            or len(self.y) != self.n
            or raw.shape[1] != self.n
            or (self.weighted and len(self.weights) != self.n)
            or (self.loss == SOFTMAX and len(self.labels) != self.n)
            or (self.inner.shape[0] and self.inner.shape[1] != self.n)
            or segments.shape[1] != 3
            or self.k < 1
            or (self.loss != SOFTMAX and self.k != 1)
        ):
            raise ValueError("boosting.additive_booster: the lengths of its arrays do not agree")
        room, tall, broad = 2, 1, 1
        for t in range(self.n_terms):
            first, second, high, wide = np.asarray(terms[0])[t, :4].tolist()
            cells = high * (wide if second >= 0 else 1)
            inside = 0 <= first < codes.shape[0] and -1 <= second < codes.shape[0]
            if not inside or not 0 < high <= 256 or (second >= 0 and not 0 < wide <= 256):
                raise ValueError("boosting.additive_booster: a term is of a line that is not there")
            if self.starts[t + 1] - self.starts[t] != cells:
                raise ValueError("boosting.additive_booster: the cells of a term are not its own")
            if np.max(codes[first], initial=0) >= high or (
                second >= 0 and np.max(codes[second], initial=0) >= wide
            ):
                raise ValueError("boosting.additive_booster: a code is beyond those of its term")
            room = max(room, cells)
            if second >= 0:
                tall, broad = max(tall, high), max(broad, wide)
        for first, last, _ in np.asarray(segments).tolist():
            if not 0 <= first <= last <= self.n:
                raise ValueError("boosting.additive_booster: a segment is beyond the rows")
        if self.loss == SOFTMAX and self.n:
            if np.min(rows[1]) < 0 or np.max(rows[1]) >= self.k:
                raise ValueError("boosting.additive_booster: a class is not there")
        self.rate, self.min_leaf = options["rate"], options["min_leaf"]
        self.min_hessian, self.smoothing = options["min_hessian"], options["smoothing"]
        self.max_leaves, self.patience = options["max_leaves"], options["patience"]
        self.tol = options["tol"]
        self.watched = any(last > first and not of for first, last, of in segments.tolist())
        cells = int(self.starts[self.n_terms])
        self.n_hist = max(self.inner.shape[0], 1)
        self.raw = np.array(raw)
        self.tables, self.best = np.zeros((self.k, cells)), np.zeros((self.k, cells))
        self.losses = np.zeros(0)
        self.hist = np.zeros((self.n_hist, self.k, room, 2))
        self.update = np.zeros((self.k, room))
        self.g, self.h = np.zeros((self.k, RUN)), np.zeros((self.k, RUN))
        self.order, self.score = np.zeros(room, np.int32), np.zeros(room)
        self.prefix = np.zeros((tall + 1, broad + 1, 2 * self.k + 1))
        self.halves, self.half_cuts = np.zeros((2, broad + 1)), np.zeros((2, broad + 1), np.int32)
        self.leaves = np.zeros((self.max_leaves + 1, 3), np.int32)
        self.leaf_gain = np.zeros(self.max_leaves + 1)
        self.leaf_value = np.zeros((self.max_leaves + 1, self.k))
        self.left, self.whole = np.zeros((self.k, 2)), np.zeros((self.k, 2))
        self.sigmoids, self.powers = _sigmoid_table(), POWERS_OF_TWO
        self.counts = np.zeros(cells)
        self.n_rounds = self.best_round = 0
        self.losses = np.zeros(1)
        self.count_rows()
        self.note_loss()

    def run(self, rounds: cython.Py_ssize_t):
        """Some rounds; whether they have ended: no gain on the validation rows, or no splits."""
        t: cython.Py_ssize_t
        last: cython.Py_ssize_t
        moved: cython.bint = True
        ended: cython.bint = self.n_terms == 0
        losses = np.empty(self.n_rounds + rounds + 1)
        losses[: self.n_rounds + 1] = np.asarray(self.losses)[: self.n_rounds + 1]
        self.losses = losses
        with cython.nogil:
            while rounds > 0 and not ended:
                rounds -= 1
                moved = False
                last = -1
                for t in range(self.n_terms):
                    self.pass_rows(last, t)
                    if self.search(t):
                        moved = True
                        last = t
                    else:
                        last = -1
                self.pass_rows(last, -1)
                self.n_rounds += 1
                ended = self.note_loss() or not moved
        return ended

    def gain(
        self,
        t: cython.Py_ssize_t,
        g: cython.const[cython.double][:, ::1],
        h: cython.const[cython.double][:, ::1],
    ):
        """How much the four leaves of a pair lower the loss, by given gradients of all rows."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        at: cython.Py_ssize_t
        found: cython.double
        if (
            not 0 <= t < self.n_terms
            or min(g.shape[1], h.shape[1]) < self.n
            or min(g.shape[0], h.shape[0]) < self.k
        ):
            raise ValueError(
                "boosting.additive_booster.gain: the lengths of its arrays do not agree"
            )
        if self.terms[t, 1] < 0:
            raise ValueError("boosting.additive_booster.gain: the term is not a pair")
        a: cython.Py_ssize_t = self.terms[t, 0]
        b: cython.Py_ssize_t = self.terms[t, 1]
        w: cython.Py_ssize_t = self.terms[t, 3]
        with cython.nogil:
            self.clear(t)
            for c in range(self.k):
                for i in range(self.n):
                    at = self.codes[a, i] * w + self.codes[b, i]
                    self.hist[0, c, at, 0] += g[c, i]
                    self.hist[0, c, at, 1] += h[c, i]
            found = self.search_pair(t, 0, False)
        return found

    def count_rows(self):
        """Count the training rows of every cell."""
        i: cython.Py_ssize_t
        t: cython.Py_ssize_t
        s: cython.Py_ssize_t
        a: cython.Py_ssize_t
        b: cython.Py_ssize_t
        with cython.nogil:
            for t in range(self.n_terms):
                a = self.terms[t, 0]
                b = self.terms[t, 1]
                for s in range(self.segments.shape[0]):
                    if not self.segments[s, 2]:
                        continue
                    for i in range(self.segments[s, 0], self.segments[s, 1]):
                        if b < 0:
                            self.counts[self.starts[t] + self.codes[a, i]] += 1.0
                        else:
                            self.counts[
                                self.starts[t]
                                + self.codes[a, i] * self.terms[t, 3]
                                + self.codes[b, i]
                            ] += 1.0

    def clear(self, t):
        """Empty the histograms."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        copy: cython.Py_ssize_t
        for copy in range(self.n_hist):
            for i in range(self.starts[t + 1] - self.starts[t]):
                for c in range(self.k):
                    self.hist[copy, c, i, 0] = 0.0
                    self.hist[copy, c, i, 1] = 0.0

    def pass_rows(self, before, t):
        """Add the update of a term to all rows, and those to the histograms of the next term."""
        s: cython.Py_ssize_t
        lo: cython.Py_ssize_t
        hi: cython.Py_ssize_t
        copy: cython.Py_ssize_t
        if t >= 0:
            self.clear(t)
        for s in range(self.segments.shape[0]):
            lo = self.segments[s, 0]
            while lo < self.segments[s, 1]:
                hi = lo + RUN
                if hi > self.segments[s, 1]:
                    hi = self.segments[s, 1]
                if before >= 0:
                    self.apply_run(before, lo, hi)
                if t >= 0 and self.segments[s, 2]:
                    self.gradients(lo, hi - lo)
                    for copy in range(self.n_hist):
                        self.add_run(t, lo, hi - lo, copy)
                lo = hi

    def apply_run(self, t, lo, hi):
        """Add the update of a term to the raw scores of some rows."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        first: cython.const[cython.uchar][::1] = self.codes[self.terms[t, 0]]
        second: cython.const[cython.uchar][::1] = first
        raw: cython.double[::1]
        values: cython.double[::1]
        w: cython.Py_ssize_t = self.terms[t, 3]
        if self.terms[t, 1] >= 0:
            second = self.codes[self.terms[t, 1]]
        for c in range(self.k):
            raw = self.raw[c]
            values = self.update[c]
            if self.terms[t, 1] >= 0:
                for i in range(lo, hi):
                    raw[i] += values[first[i] * w + second[i]]
            else:
                for i in range(lo, hi):
                    raw[i] += values[first[i]]

    def gradients(self, lo, m):
        """The gradients and Hessians of a run of rows."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        x: cython.double
        d: cython.double
        p: cython.double
        v: cython.double
        y: cython.const[cython.double][::1] = self.y
        raw: cython.double[::1] = self.raw[0]
        g: cython.double[::1] = self.g[0]
        h: cython.double[::1] = self.h[0]
        sigmoids: cython.const[cython.double][::1] = self.sigmoids
        weights: cython.const[cython.double][::1] = self.weights
        if self.loss == SQUARED:
            for i in range(m):
                g[i] = raw[lo + i] - y[lo + i]
                h[i] = 1.0
        elif self.loss == LOGISTIC:
            for i in range(m):
                x = raw[lo + i]
                x = LARGEST_SCORE if x > LARGEST_SCORE else x
                x = (-LARGEST_SCORE if x < -LARGEST_SCORE else x) + LARGEST_SCORE
                c = cython.cast(cython.Py_ssize_t, x * STEPS + 0.5)
                d = x - c * STEP
                p = sigmoids[c]
                v = p * (1.0 - p)
                p += d * v * (1.0 + d * (0.5 - p + d * (1.0 - 6.0 * v) * SIXTH))
                g[i] = p - y[lo + i]
                h[i] = p * (1.0 - p)
        else:
            self.class_gradients(lo, m)
        if self.weighted:
            for c in range(self.k):
                g = self.g[c]
                h = self.h[c]
                for i in range(m):
                    g[i] *= weights[lo + i]
                    h[i] *= weights[lo + i]

    def class_gradients(self, lo, m):
        """The gradients and Hessians of several classes."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        x: cython.double
        p: cython.double
        v: cython.double
        raw: cython.double[:, ::1] = self.raw
        g: cython.double[:, ::1] = self.g
        h: cython.double[:, ::1] = self.h
        for i in range(m):
            x = raw[0, lo + i]
            for c in range(1, self.k):
                x = raw[c, lo + i] if raw[c, lo + i] > x else x
            v = 0.0
            for c in range(self.k):
                p = exponential(raw[c, lo + i] - x, self.powers)
                g[c, i] = p
                v += p
            for c in range(self.k):
                p = g[c, i] / v
                h[c, i] = p * (1.0 - p)
                g[c, i] = p - (1.0 if self.labels[lo + i] == c else 0.0)

    def add_run(self, t, lo, m, copy):
        """Add a run of rows to a histogram, as often as an inner bag has them."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        at: cython.Py_ssize_t
        w: cython.Py_ssize_t = self.terms[t, 3]
        first: cython.const[cython.uchar][::1] = self.codes[self.terms[t, 0]]
        second: cython.const[cython.uchar][::1] = first
        inner: cython.const[cython.uchar][::1] = first
        g: cython.double[::1]
        h: cython.double[::1]
        hist: cython.double[:, ::1]
        pair: cython.bint = self.terms[t, 1] >= 0
        bagged: cython.bint = self.inner.shape[0] > 0
        if pair:
            second = self.codes[self.terms[t, 1]]
        if bagged:
            inner = self.inner[copy]
        for c in range(self.k):
            g = self.g[c]
            h = self.h[c]
            hist = self.hist[copy, c]
            if not pair and not bagged:
                for i in range(m):
                    hist[first[lo + i], 0] += g[i]
                    hist[first[lo + i], 1] += h[i]
                continue
            for i in range(m):
                at = first[lo + i]
                if pair:
                    at = at * w + second[lo + i]
                hist[at, 0] += g[i] * inner[lo + i] if bagged else g[i]
                hist[at, 1] += h[i] * inner[lo + i] if bagged else h[i]

    def search(self, t):
        """Fit a tree to the histograms of a term, and add it; whether it has splits."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        copy: cython.Py_ssize_t
        moved: cython.bint = False
        m: cython.Py_ssize_t = self.starts[t + 1] - self.starts[t]
        for c in range(self.k):
            for i in range(m):
                self.update[c, i] = 0.0
        for copy in range(self.n_hist):
            if self.terms[t, 1] >= 0:
                moved = self.search_pair(t, copy, True) > 0 or moved
            else:
                moved = self.search_column(t, copy) or moved
        if moved:
            for c in range(self.k):
                for i in range(m):
                    self.update[c, i] *= self.rate / self.n_hist
                    self.tables[c, self.starts[t] + i] += self.update[c, i]
        return moved

    def search_column(self, t, copy):
        """The leaves of a column: the best cut first. Missing values are one of their own."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        best: cython.Py_ssize_t
        low: cython.Py_ssize_t
        high: cython.Py_ssize_t
        n_leaves: cython.Py_ssize_t = 1
        cells: cython.Py_ssize_t = self.terms[t, 2]
        m: cython.Py_ssize_t = self.sort_cells(t, copy)
        apart: cython.bint = (
            self.counts[self.starts[t] + cells - 1] >= self.min_leaf
            and self.hist[copy, 0, cells - 1, 1] >= self.min_hessian
        )
        if m == 0:
            return False
        self.leaves[0, 0] = 0
        self.leaves[0, 1] = m
        self.value_leaf(copy, 0)
        self.cut_leaf(t, copy, 0, 1)
        while n_leaves < self.max_leaves:
            best = -1
            for i in range(n_leaves):
                if self.leaf_gain[i] > 0 and (best < 0 or self.leaf_gain[i] > self.leaf_gain[best]):
                    best = i
            if best < 0:
                break
            # leaves stay in the order of their cells: the new one is behind the one that is cut
            for i in range(n_leaves, best + 1, -1):
                self.leaves[i, 0] = self.leaves[i - 1, 0]
                self.leaves[i, 1] = self.leaves[i - 1, 1]
                self.leaves[i, 2] = self.leaves[i - 1, 2]
                self.leaf_gain[i] = self.leaf_gain[i - 1]
                for c in range(self.k):
                    self.leaf_value[i, c] = self.leaf_value[i - 1, c]
            self.leaves[best + 1, 0] = self.leaves[best, 2]
            self.leaves[best + 1, 1] = self.leaves[best, 1]
            self.leaves[best, 1] = self.leaves[best, 2]
            n_leaves += 1
            self.value_leaf(copy, best)
            self.value_leaf(copy, best + 1)
            if self.terms[t, 5] != 0:  # bounds of all leaves may have moved
                for i in range(n_leaves):
                    self.cut_leaf(t, copy, i, n_leaves)
            elif n_leaves < self.max_leaves:
                self.cut_leaf(t, copy, best, n_leaves)
                self.cut_leaf(t, copy, best + 1, n_leaves)
        if n_leaves == 1 and not apart:
            return False
        for best in range(n_leaves):
            if self.terms[t, 4]:
                for i in range(self.leaves[best, 0], self.leaves[best, 1]):
                    for c in range(self.k):
                        self.update[c, self.order[i]] += self.leaf_value[best, c]
                continue
            low = 0 if best == 0 else self.order[self.leaves[best, 0]]
            high = cells - 1 if best == n_leaves - 1 else self.order[self.leaves[best, 1]]
            for i in range(low, high):  # bins without rows too: else they would break the order
                for c in range(self.k):
                    self.update[c, i] += self.leaf_value[best, c]
        if apart:
            for c in range(self.k):
                if self.hist[copy, c, cells - 1, 1] > 0:
                    self.update[c, cells - 1] -= (
                        self.hist[copy, c, cells - 1, 0] / self.hist[copy, c, cells - 1, 1]
                    )
        return True

    def sort_cells(self, t, copy):
        """Sort the cells that have rows, categories by mean gradient; their number."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        c: cython.Py_ssize_t
        by: cython.Py_ssize_t = 0
        m: cython.Py_ssize_t = 0
        kept: cython.int
        spread: cython.double
        widest: cython.double = -1.0
        cells: cython.Py_ssize_t = self.terms[t, 2] - 1
        for i in range(cells):
            if self.counts[self.starts[t] + i] > 0:
                self.order[m] = i
                m += 1
        if not self.terms[t, 4] or m < 3:
            return m
        for c in range(self.k):  # of several classes, the one with the largest gain of all cells
            spread = 0.0
            for i in range(m):
                j = self.order[i]
                spread += self.hist[copy, c, j, 0] * (
                    self.hist[copy, c, j, 0] / (self.hist[copy, c, j, 1] + self.smoothing)
                )
            if spread > widest:
                widest = spread
                by = c
        for i in range(m):
            j = self.order[i]
            self.score[j] = self.hist[copy, by, j, 0] / (self.hist[copy, by, j, 1] + self.smoothing)
        for i in range(1, m):  # insertion: the order is almost that of the round before
            kept = self.order[i]
            j = i
            while j > 0 and self.score[self.order[j - 1]] > self.score[kept]:
                self.order[j] = self.order[j - 1]
                j -= 1
            self.order[j] = kept
        return m

    def value_leaf(self, copy, leaf):
        """The Newton step of a leaf."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        g: cython.double
        h: cython.double
        for c in range(self.k):
            g = 0.0
            h = 0.0
            for i in range(self.leaves[leaf, 0], self.leaves[leaf, 1]):
                g += self.hist[copy, c, self.order[i], 0]
                h += self.hist[copy, c, self.order[i], 1]
            self.leaf_value[leaf, c] = -g / h if h > 0 else 0.0

    def cut_leaf(self, t, copy, leaf, n_leaves):
        """Find the best cut of a leaf; its gain is 0 where there is none."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        at: cython.Py_ssize_t
        rows: cython.double = 0.0
        left_rows: cython.double = 0.0
        gain: cython.double
        parent: cython.double = 0.0
        low: cython.double
        high: cython.double
        g: cython.double
        h: cython.double
        lo: cython.Py_ssize_t = self.leaves[leaf, 0]
        hi: cython.Py_ssize_t = self.leaves[leaf, 1]
        slope: cython.int = self.terms[t, 5]
        fits: cython.bint
        first: cython.Py_ssize_t = self.starts[t]
        self.leaf_gain[leaf] = 0.0
        for c in range(self.k):
            self.left[c, 0] = 0.0
            self.left[c, 1] = 0.0
            self.whole[c, 0] = 0.0
            self.whole[c, 1] = 0.0
        for i in range(lo, hi):
            at = self.order[i]
            rows += self.counts[first + at]
            for c in range(self.k):
                self.whole[c, 0] += self.hist[copy, c, at, 0]
                self.whole[c, 1] += self.hist[copy, c, at, 1]
        for c in range(self.k):
            if self.whole[c, 1] > 0:
                parent += self.whole[c, 0] * self.whole[c, 0] / self.whole[c, 1]
        for i in range(lo, hi - 1):
            at = self.order[i]
            left_rows += self.counts[first + at]
            for c in range(self.k):
                self.left[c, 0] += self.hist[copy, c, at, 0]
                self.left[c, 1] += self.hist[copy, c, at, 1]
            if left_rows < self.min_leaf:
                continue
            if rows - left_rows < self.min_leaf:
                break
            fits = True
            gain = -parent
            for c in range(self.k):
                g = self.left[c, 0]
                h = self.left[c, 1]
                fits = fits and h >= self.min_hessian and self.whole[c, 1] - h >= self.min_hessian
                if fits:
                    gain += g * g / h
                    g = self.whole[c, 0] - g
                    gain += g * g / (self.whole[c, 1] - h)
            if not fits or gain <= self.leaf_gain[leaf] + TIED * (parent + gain):
                continue
            if slope != 0:  # the values rise, or fall, from leaf to leaf
                low = -self.left[0, 0] / self.left[0, 1] * slope
                high = (
                    -(self.whole[0, 0] - self.left[0, 0]) / (self.whole[0, 1] - self.left[0, 1])
                ) * slope
                if (
                    low > high
                    or (leaf > 0 and self.leaf_value[leaf - 1, 0] * slope > low)
                    or (leaf + 1 < n_leaves and self.leaf_value[leaf + 1, 0] * slope < high)
                ):
                    continue
            self.leaf_gain[leaf] = gain
            self.leaves[leaf, 2] = i + 1

    def box(self, r0, r1, c0, c1, field):
        """The sum of a field over a box of cells of a pair."""
        return (
            self.prefix[r1, c1, field]
            - self.prefix[r0, c1, field]
            - self.prefix[r1, c0, field]
            + self.prefix[r0, c0, field]
        )

    def worth(self, r0, r1, c0, c1):
        """G^2 / H of a box of cells; negative where it has too few rows to be a leaf."""
        o: cython.Py_ssize_t
        g: cython.double
        h: cython.double
        found: cython.double = 0.0
        if self.box(r0, r1, c0, c1, 2 * self.k) < self.min_leaf:
            return -1.0
        for o in range(self.k):
            h = self.box(r0, r1, c0, c1, 2 * o + 1)
            if h < self.min_hessian:
                return -1.0
            g = self.box(r0, r1, c0, c1, 2 * o)
            found += g * g / h
        return found

    def search_pair(self, t, copy, write):
        """The four leaves of a pair: one cut, and a cut of each half along the other column.

        Gives the gain, and writes the values of the leaves. A half without a cut is one leaf.
        """
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        at: cython.Py_ssize_t
        f: cython.Py_ssize_t
        high: cython.Py_ssize_t = self.terms[t, 2]
        wide: cython.Py_ssize_t = self.terms[t, 3]
        first: cython.Py_ssize_t = self.starts[t]
        own: cython.double
        q00: cython.double
        q01: cython.double
        q10: cython.double
        q11: cython.double
        top: cython.double
        bottom: cython.double
        top_cut: cython.Py_ssize_t
        bottom_cut: cython.Py_ssize_t
        whole: cython.double
        best: cython.double
        along: cython.int = -1
        cut: cython.Py_ssize_t = 0
        cut_a: cython.Py_ssize_t = 0
        cut_b: cython.Py_ssize_t = 0
        for r in range(high):
            for c in range(wide):
                at = r * wide + c
                for f in range(2 * self.k + 1):
                    if f == 2 * self.k:
                        own = self.counts[first + at]
                    else:
                        own = self.hist[copy, f // 2, at, f % 2]
                    self.prefix[r + 1, c + 1, f] = (
                        own
                        + self.prefix[r, c + 1, f]
                        + self.prefix[r + 1, c, f]
                        - self.prefix[r, c, f]
                    )
        whole = self.worth(0, high, 0, wide)
        if whole < 0:
            return 0.0
        best = whole
        for c in range(1, wide):  # halves left and right of a column, cut by no row as yet
            self.halves[0, c] = self.worth(0, high, 0, c)
            self.halves[1, c] = self.worth(0, high, c, wide)
            self.half_cuts[0, c] = 0
            self.half_cuts[1, c] = 0
        for r in range(1, high):
            top = self.worth(0, r, 0, wide)
            bottom = self.worth(r, high, 0, wide)
            if top < 0 or bottom < 0:
                continue
            top_cut = 0
            bottom_cut = 0
            for c in range(1, wide):
                q00 = self.worth(0, r, 0, c)
                q01 = self.worth(0, r, c, wide)
                q10 = self.worth(r, high, 0, c)
                q11 = self.worth(r, high, c, wide)
                if q00 >= 0 and q01 >= 0 and q00 + q01 > top * (1.0 + TIED):
                    top = q00 + q01
                    top_cut = c
                if q10 >= 0 and q11 >= 0 and q10 + q11 > bottom * (1.0 + TIED):
                    bottom = q10 + q11
                    bottom_cut = c
                if (
                    q00 >= 0
                    and q10 >= 0
                    and self.halves[0, c] >= 0
                    and q00 + q10 > self.halves[0, c] * (1.0 + TIED)
                ):
                    self.halves[0, c] = q00 + q10
                    self.half_cuts[0, c] = r
                if (
                    q01 >= 0
                    and q11 >= 0
                    and self.halves[1, c] >= 0
                    and q01 + q11 > self.halves[1, c] * (1.0 + TIED)
                ):
                    self.halves[1, c] = q01 + q11
                    self.half_cuts[1, c] = r
            if top + bottom > best * (1.0 + TIED):
                best = top + bottom
                along = 0
                cut = r
                cut_a = top_cut
                cut_b = bottom_cut
        for c in range(1, wide):
            if self.halves[0, c] >= 0 and self.halves[1, c] >= 0:
                if self.halves[0, c] + self.halves[1, c] > best * (1.0 + TIED):
                    best = self.halves[0, c] + self.halves[1, c]
                    along = 1
                    cut = c
                    cut_a = self.half_cuts[0, c]
                    cut_b = self.half_cuts[1, c]
        if along < 0:
            return 0.0
        if write and along == 0:
            self.fill_halves(t, 0, cut, 0, wide, 0, cut_a)
            self.fill_halves(t, cut, high, 0, wide, 0, cut_b)
        elif write:
            self.fill_halves(t, 0, high, 0, cut, cut_a, 0)
            self.fill_halves(t, 0, high, cut, wide, cut_b, 0)
        return best - whole

    def fill_halves(self, t, r0, r1, c0, c1, row, column):
        """Write the values of a half that is cut at a row, or a column, or (0) not at all."""
        if row > 0:
            self.fill_box(t, r0, row, c0, c1)
            self.fill_box(t, row, r1, c0, c1)
        elif column > 0:
            self.fill_box(t, r0, r1, c0, column)
            self.fill_box(t, r0, r1, column, c1)
        else:
            self.fill_box(t, r0, r1, c0, c1)

    def fill_box(self, t, r0, r1, c0, c1):
        """Add the Newton step of a leaf to the cells of the update."""
        r: cython.Py_ssize_t
        c: cython.Py_ssize_t
        o: cython.Py_ssize_t
        value: cython.double
        for o in range(self.k):
            value = -self.box(r0, r1, c0, c1, 2 * o) / self.box(r0, r1, c0, c1, 2 * o + 1)
            for r in range(r0, r1):
                for c in range(c0, c1):
                    self.update[o, r * self.terms[t, 3] + c] += value

    def validation_loss(self):
        """The mean loss of the validation rows."""
        s: cython.Py_ssize_t
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        x: cython.double
        one: cython.double
        weight: cython.double
        total: cython.double = 0.0
        weights: cython.double = 0.0
        for s in range(self.segments.shape[0]):
            if self.segments[s, 2]:
                continue
            for i in range(self.segments[s, 0], self.segments[s, 1]):
                x = self.raw[0, i]
                if self.loss == SQUARED:
                    one = (x - self.y[i]) * (x - self.y[i])
                elif self.loss == LOGISTIC:
                    x = x if self.y[i] > 0.5 else -x
                    one = log1p(exponential(-x if x > 0 else x, self.powers))
                    one -= 0.0 if x > 0 else x
                else:
                    for c in range(1, self.k):
                        x = self.raw[c, i] if self.raw[c, i] > x else x
                    one = 0.0
                    for c in range(self.k):
                        one += exponential(self.raw[c, i] - x, self.powers)
                    one = log1p(one - 1.0 if one > 1.0 else 0.0) + x - self.raw[self.labels[i], i]
                weight = self.weights[i] if self.weighted else 1.0
                total += weight * one
                weights += weight
        return total / weights if weights > 0 else 0.0

    def note_loss(self):
        """Keep the tables if their loss is the least so far; whether rounds should end."""
        i: cython.Py_ssize_t
        c: cython.Py_ssize_t
        better: cython.bint = True
        if self.watched:
            self.losses[self.n_rounds] = self.validation_loss()
            better = self.n_rounds == 0 or self.losses[self.n_rounds] < self.losses[
                self.best_round
            ] * (1.0 - self.tol)
        if better:
            self.best_round = self.n_rounds
            for c in range(self.k):
                for i in range(self.tables.shape[1]):
                    self.best[c, i] = self.tables[c, i]
        return self.watched and self.n_rounds - self.best_round >= self.patience
