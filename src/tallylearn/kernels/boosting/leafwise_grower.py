"""Leaf-wise growth of a tree from gradients and Hessians, by histograms of integers.

The tree approximates one Newton step of a loss. A leaf with gradient sum G and Hessian sum H has
the value -G / (H + l2); a split gains G_l^2 / (H_l + l2) + G_r^2 / (H_r + l2) - G^2 / (H + l2)
(Friedman, 2001; Chen and Guestrin, XGBoost, 2016, equation 7). The leaf of the largest gain is
split first (Shi, Best-first decision tree learning, 2007).

Data layout
    ``codes`` (tiles, n, width) uint8: column f is in tile f // width, at place f % width. The
    packed histogram of a tile of eight columns fits the first-level cache, and the codes of a row
    in a tile share a cache line.
    ``packed`` (n, words) int64: gradient, Hessian and a count of one, in one word or in two: a row
    takes one addition a column, or two. The fields of a word cannot overflow within a chunk of
    rows; after each chunk they are unpacked and added to ``hist``.
    ``hist`` (slots, p, 256, 3) int64: gradient, Hessian and count of every bin of some nodes. The
    last code of a column is that of missing values.
    ``nodes``, ``sums``, ``reals`` (m, ...): the nodes in the order in which they were made, the
    root first; the columns are listed in the .pxd file.

Invariants
    All sums are sums of integers, so neither the order of the rows nor the number of threads
    changes a bit of the tree.
    The histogram of the larger child is that of its parent less that of the smaller child.
    The rows of a node are a run of ``order``, in increasing order.

``grow`` returns where the next node is large; then the caller partitions its rows in parts, and
surveys its tiles, on several threads.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.random_numbers import mixed

    START, END, DEPTH, LEFT, RIGHT, COLUMN, CUT, MISSING_LEFT, CATEGORICAL, SLOT = range(10)
    VALUE, GAIN, LOWER, UPPER = range(4)
    GRADIENT, HESSIAN, COUNT = range(3)
    BINS = 256

CATEGORY_SUPPORT = cython.declare(cython.double, 10.0)
# scikit-learn's MIN_CAT_SUPPORT: the Hessian that a category needs, and that smooths its score
SMALLEST_DIVISOR = cython.declare(cython.double, 1e-15)  # no leaf divides by zero
TIED = cython.declare(cython.double, 1e-9)  # gains that differ by less, relatively, are tied


class LeafwiseGrower:
    """A tree as it grows, and the room that growing needs; it is used for many trees.

    Parameters
    ----------
    codes : (tiles, n, width) uint8
    columns : tuple
        (p,) whether categories, bins without the one for missing values, monotonic constraints;
        and (q, p) the groups of columns that may interact, with no rows where all may.
    options : dict
        max_leaves, min_leaf, max_depth, max_features, l2, min_hessian.
    slots : int
        Histograms that are kept, at least 4.
    """

    def __init__(self, codes, columns, options, slots):
        self.codes = codes
        self.categorical, self.bins, self.monotonic, self.groups = columns
        self.tiles, self.n, self.width = codes.shape
        self.p = len(self.bins)
        if not (self.tiles - 1) * self.width < self.p <= self.tiles * self.width or slots < 4:
            raise ValueError("boosting.leafwise_grower: the columns do not fill the tiles")
        if (
            len(self.categorical) < self.p
            or len(self.monotonic) < self.p
            or self.groups.shape[1] != self.p
        ):
            raise ValueError("boosting.leafwise_grower: the lengths of its arrays do not agree")
        if self.n < 1 or np.min(self.bins) < 0 or np.max(self.bins) >= BINS:
            raise ValueError("leafwise_grower: a column has at most 255 bins, and there are rows")
        for f in range(self.p):
            if np.max(codes[f // self.width, :, f % self.width]) > self.bins[f]:
                raise ValueError("leafwise_grower: a code is beyond the bins of its column")
        self.max_leaves, self.min_leaf = options["max_leaves"], options["min_leaf"]
        self.max_depth, self.max_features = options["max_depth"], options["max_features"]
        self.l2, self.min_hessian = options["l2"], options["min_hessian"]
        self.constrained = bool(np.any(self.monotonic))
        self.max_leaves = min(self.max_leaves, self.n)
        m = 2 * self.max_leaves - 1
        self.order = np.empty(self.n, np.int32)
        self.spare = np.empty(self.n, np.int32)
        self.nodes = np.empty((m, 10), np.int64)
        self.sums = np.empty((m, 3), np.int64)
        self.left_sums = np.empty((m, 3), np.int64)  # of the left child, once a split is chosen
        self.reals = np.empty((m, 4))
        self.goes_left = np.empty((m, BINS), np.uint8)
        self.node_groups = np.empty((m, self.groups.shape[0]), np.uint8)
        self.hist = np.empty((slots, self.p, BINS, 3), np.int64)
        self.free = np.empty(slots, np.int32)
        self.considered = np.ones((2, self.p), np.uint8)
        self.column_gain = np.empty((2, self.p))
        self.column_cut = np.empty((2, self.p), np.int32)
        self.column_missing = np.empty((2, self.p), np.int8)
        self.column_left = np.empty((2, self.p, 3), np.int64)
        self.category_order = np.empty((self.tiles, BINS), np.int32)
        self.category_score = np.empty((self.tiles, BINS))
        self.pick = np.empty(self.p, np.int32)
        self.part_left = np.zeros(64, np.int64)
        self.left_from = np.zeros(64, np.int64)
        self.right_from = np.zeros(64, np.int64)
        self.chunk = self.words = 0

    def begin(self, packed, fields, units, totals, seed):
        """Start a tree with a root that has all rows.

        ``fields``: the rows of a chunk, the bits of a count, and those of a Hessian (0: it is the
        count). ``units``: what 1 of gradients and Hessians stands for. ``totals``: the sums of all
        rows.
        """
        r: cython.Py_ssize_t
        self.packed = packed
        chunk, self.count_bits, self.hessian_bits = fields
        self.g_unit, self.h_unit = units
        self.seed = seed
        if packed.shape[0] < self.n or packed.shape[1] not in (1, 2):
            raise ValueError("boosting.leafwise_grower: the lengths of its arrays do not agree")
        if (chunk, packed.shape[1]) != (self.chunk, self.words):
            self.chunk, self.words = chunk, packed.shape[1]
            self.scratch = np.empty((self.tiles, self.width, BINS, self.words), np.int64)
            self.gathered = np.empty((self.tiles, min(self.chunk, self.n), self.words), np.int64)
        for r in range(self.n):
            self.order[r] = r
        for r in range(self.free.shape[0]):
            self.free[r] = r
        self.n_free = self.free.shape[0]
        for r in range(10):
            self.nodes[0, r] = -1
        self.nodes[0, START], self.nodes[0, END], self.nodes[0, DEPTH] = 0, self.n, 0
        for r in range(3):
            self.sums[0, r] = totals[r]
        self.reals[0, LOWER], self.reals[0, UPPER] = -np.inf, np.inf
        for r in range(self.groups.shape[0]):
            self.node_groups[0, r] = 1
        self.n_nodes = self.n_leaves = 1
        self.reals[0, VALUE] = self.bounded(
            0, self.sums[0, GRADIENT] * self.g_unit, self.sums[0, HESSIAN] * self.h_unit
        )
        self.reals[0, GAIN] = 0.0
        self.parent, self.small, self.large, self.parent_slot = -1, 0, -1, -1
        self.ready = True  # the root needs no partition
        self.prepare()

    def grow(self, large: cython.longlong):
        """Grow to the end (0), or to a node of more than ``large`` rows (1)."""
        waits: cython.bint = False
        with cython.nogil:
            while not waits and (self.small >= 0 or self.choose_leaf()):
                if not self.ready:
                    waits = self.nodes[self.parent, END] - self.nodes[self.parent, START] > large
                    if not waits:
                        self.partition_run(0, 1)
                        self.join_runs(1)
                        self.copy_run(0, 1)
                        self.prepare()
                        self.ready = True
                if self.ready and (self.small_open or self.large_open):
                    waits = self.nodes[self.small, END] - self.nodes[self.small, START] > large
                    if not waits:
                        self.survey_tiles(0, self.tiles)
                if not waits:
                    self.settle_pair()
        return waits

    def partitioned(self):
        """Whether the rows of the open node are partitioned, and its tiles wait for a survey."""
        return self.ready

    def partition(self, part: cython.Py_ssize_t, parts: cython.Py_ssize_t):
        """Partition one of several runs of the rows of the open node."""
        with cython.nogil:
            self.partition_run(part, parts)

    def join(self, parts: cython.Py_ssize_t):
        """Where the rows of every run go."""
        self.join_runs(parts)

    def copy(self, part: cython.Py_ssize_t, parts: cython.Py_ssize_t):
        """Write the rows of one run to their places."""
        with cython.nogil:
            self.copy_run(part, parts)

    def close_partition(self):
        """The rows are in place: look which histograms are needed."""
        self.prepare()
        self.ready = True

    def survey(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t):
        """Count some tiles of the two open children, and search their columns."""
        if self.small_open or self.large_open:
            with cython.nogil:
                self.survey_tiles(first, last)

    def settle(self):
        """Choose the splits of the two open children."""
        self.settle_pair()

    def choose_leaf(self):
        """Open the leaf of the largest gain; whether there is any."""
        i: cython.Py_ssize_t
        best: cython.Py_ssize_t = -1
        if self.n_leaves >= self.max_leaves:
            return False
        for i in range(self.n_nodes):
            if self.nodes[i, LEFT] < 0 and self.reals[i, GAIN] > 0:
                if best < 0 or self.reals[i, GAIN] > self.reals[best, GAIN]:
                    best = i
        if best < 0:
            return False
        self.open_pair(best)
        return True

    def open_pair(self, node):
        """Make the children of a node; their sums are known, their rows are partitioned later."""
        i: cython.Py_ssize_t
        child: cython.Py_ssize_t
        left: cython.Py_ssize_t = self.n_nodes
        right: cython.Py_ssize_t = left + 1
        f: cython.Py_ssize_t = self.nodes[node, COLUMN]
        slope: cython.int = self.monotonic[f]
        middle: cython.double
        self.nodes[node, LEFT] = left
        self.nodes[node, RIGHT] = right
        for i in range(3):
            self.sums[left, i] = self.left_sums[node, i]
            self.sums[right, i] = self.sums[node, i] - self.left_sums[node, i]
        for child in range(left, right + 1):
            for i in range(10):
                self.nodes[child, i] = -1
            self.nodes[child, DEPTH] = self.nodes[node, DEPTH] + 1
            self.reals[child, GAIN] = 0.0
            self.reals[child, LOWER] = self.reals[node, LOWER]
            self.reals[child, UPPER] = self.reals[node, UPPER]
            for i in range(self.groups.shape[0]):
                self.node_groups[child, i] = self.node_groups[node, i] & self.groups[i, f]
            self.reals[child, VALUE] = self.bounded(
                node,
                self.sums[child, GRADIENT] * self.g_unit,
                self.sums[child, HESSIAN] * self.h_unit,
            )
        if slope != 0:  # the values of all nodes below stay on their side of the middle
            middle = (self.reals[left, VALUE] + self.reals[right, VALUE]) / 2
            self.reals[left if slope > 0 else right, UPPER] = middle
            self.reals[right if slope > 0 else left, LOWER] = middle
        self.n_nodes += 2
        self.n_leaves += 1
        self.parent = node
        self.parent_slot = self.nodes[node, SLOT]
        self.nodes[node, SLOT] = -1
        self.small = left
        self.large = right
        if self.sums[left, COUNT] > self.sums[right, COUNT]:
            self.small = right
            self.large = left
        if self.nodes[node, MISSING_LEFT] < 0:  # none is missing here: they follow the larger child
            self.nodes[node, MISSING_LEFT] = self.large == left
            self.goes_left[node, self.bins[f]] = self.large == left
        if self.nodes[node, CATEGORICAL]:  # and so do categories without a row here
            for i in range(BINS):
                if self.goes_left[node, i] == 2:
                    self.goes_left[node, i] = self.large == left
        self.ready = False

    def prepare(self):
        """Choose which histograms are counted, where they go, and which columns are considered."""
        self.small_open = self.splittable(self.small)
        self.large_open = self.large >= 0 and self.splittable(self.large)
        self.subtract = False
        if self.large_open:
            if self.parent_slot >= 0:
                self.nodes[self.large, SLOT] = self.parent_slot
                self.nodes[self.small, SLOT] = self.take()
                self.subtract = True
            else:
                self.nodes[self.large, SLOT] = self.take()
                if self.small_open:
                    self.nodes[self.small, SLOT] = self.take()
        elif self.parent_slot >= 0:
            self.nodes[self.small, SLOT] = self.parent_slot
            if not self.small_open:
                self.give_back(self.small)
        elif self.small_open:
            self.nodes[self.small, SLOT] = self.take()
        if self.small_open:
            self.consider(0, self.small)
        if self.large_open:
            self.consider(1, self.large)

    def splittable(self, node):
        """Whether a node may have children at all."""
        return (
            self.n_leaves < self.max_leaves
            and self.nodes[node, DEPTH] < self.max_depth
            and self.sums[node, COUNT] >= 2 * self.min_leaf
            and self.sums[node, COUNT] >= 2
        )

    def consider(self, c, node):
        """The columns of a child: those of its groups, and of them a random choice."""
        f: cython.Py_ssize_t
        g: cython.Py_ssize_t
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        kept: cython.int
        m: cython.Py_ssize_t = 0
        z: cython.ulonglong
        for f in range(self.p):
            self.considered[c, f] = 1
            if self.groups.shape[0] > 0:
                self.considered[c, f] = 0
                for g in range(self.groups.shape[0]):
                    if self.node_groups[node, g] and self.groups[g, f]:
                        self.considered[c, f] = 1
            if self.considered[c, f]:
                self.pick[m] = f
                m += 1
        if self.max_features >= m:
            return
        z = self.seed + cython.cast(cython.ulonglong, node)
        for i in range(m):  # the first max_features places of a random permutation are kept
            z = mixed(z)
            j = i + cython.cast(cython.Py_ssize_t, z % cython.cast(cython.ulonglong, m - i))
            kept = self.pick[j]
            self.pick[j] = self.pick[i]
            self.pick[i] = kept
            if i >= self.max_features:
                self.considered[c, self.pick[i]] = 0

    def take(self):
        """A histogram that nobody uses."""
        self.n_free -= 1
        return self.free[self.n_free]

    def give_back(self, node):
        """Free the histogram of a node."""
        if self.nodes[node, SLOT] >= 0:
            self.free[self.n_free] = cython.cast(cython.int, self.nodes[node, SLOT])
            self.n_free += 1
            self.nodes[node, SLOT] = -1

    def partition_run(self, part, parts):
        """The rows of a run that go left, from its start on, and the others, from its end back."""
        start: cython.Py_ssize_t = self.nodes[self.parent, START]
        m: cython.Py_ssize_t = self.nodes[self.parent, END] - start
        lo: cython.Py_ssize_t = start + m * part // parts
        hi: cython.Py_ssize_t = start + m * (part + 1) // parts
        f: cython.Py_ssize_t = self.nodes[self.parent, COLUMN]
        codes: cython.const[cython.uchar][:, ::1] = self.codes[f // self.width]
        left: cython.uchar[::1] = self.goes_left[self.parent]
        order: cython.int[::1] = self.order
        spare: cython.int[::1] = self.spare
        self.part_left[part] = part_rows(codes, f % self.width, left, order, spare, lo, hi)

    def join_runs(self, parts):
        """The bounds of the children, and where each run writes its rows."""
        part: cython.Py_ssize_t
        start: cython.Py_ssize_t = self.nodes[self.parent, START]
        m: cython.Py_ssize_t = self.nodes[self.parent, END] - start
        left: cython.Py_ssize_t = self.nodes[self.parent, LEFT]
        here: cython.longlong = start
        for part in range(parts):
            self.left_from[part] = here
            here += self.part_left[part]
        self.nodes[left, START] = start
        self.nodes[left, END] = here
        self.nodes[left + 1, START] = here
        self.nodes[left + 1, END] = start + m
        for part in range(parts):
            self.right_from[part] = here
            here += m * (part + 1) // parts - m * part // parts - self.part_left[part]

    def copy_run(self, part, parts):
        """Write the rows of a run to the children, in increasing order."""
        i: cython.Py_ssize_t
        start: cython.Py_ssize_t = self.nodes[self.parent, START]
        m: cython.Py_ssize_t = self.nodes[self.parent, END] - start
        lo: cython.Py_ssize_t = start + m * part // parts
        hi: cython.Py_ssize_t = start + m * (part + 1) // parts
        k: cython.Py_ssize_t = self.part_left[part]
        order: cython.int[::1] = self.order
        spare: cython.int[::1] = self.spare
        to: cython.Py_ssize_t = self.left_from[part]
        for i in range(k):
            order[to + i] = spare[lo + i]
        to = self.right_from[part]
        for i in range(hi - lo - k):
            order[to + i] = spare[hi - 1 - i]

    def survey_tiles(self, first, last):
        """Count some tiles, and search their columns."""
        f: cython.Py_ssize_t
        end: cython.Py_ssize_t = min(last * self.width, self.p)
        if self.small_open or self.subtract:
            self.fill(self.small, first, last)
        if self.large_open and not self.subtract:
            self.fill(self.large, first, last)
        for f in range(first * self.width, end):
            if self.subtract:
                self.subtract_column(f)
            if self.small_open:
                self.search(0, self.small, f)
            if self.large_open:
                self.search(1, self.large, f)

    def fill(self, node, first, last):
        """Count the rows of a node into its histogram, a chunk of rows at a time."""
        i: cython.Py_ssize_t
        w: cython.Py_ssize_t
        t: cython.Py_ssize_t
        m: cython.Py_ssize_t
        lo: cython.Py_ssize_t = self.nodes[node, START]
        hi: cython.Py_ssize_t = self.nodes[node, END]
        begun: cython.bint = False
        rows: cython.int[::1] = self.order
        packed: cython.const[cython.longlong][:, ::1] = self.packed
        gathered: cython.longlong[:, ::1] = self.gathered[first]
        for t in range(first, last):
            self.clear(t)
        while lo < hi:
            m = min(self.chunk, hi - lo)
            for i in range(m):
                for w in range(packed.shape[1]):
                    gathered[i, w] = packed[rows[lo + i], w]
            for t in range(first, last):
                self.add_chunk(t, lo, m, first)
                self.unpack(t, self.nodes[node, SLOT], begun)
            begun = True
            lo += m

    def clear(self, tile):
        """Zeros in the packed histograms of a tile."""
        j: cython.Py_ssize_t
        b: cython.Py_ssize_t
        w: cython.Py_ssize_t
        for j in range(min(self.width, self.p - tile * self.width)):
            for b in range(self.bins[tile * self.width + j] + 1):
                for w in range(self.words):
                    self.scratch[tile, j, b, w] = 0

    def add_chunk(self, tile, lo, m, lane):
        """Add a chunk of rows to the packed histograms of a tile."""
        columns: cython.Py_ssize_t = min(self.width, self.p - tile * self.width)
        if self.words == 1:
            add_one_word(
                self.codes[tile], self.order[lo : lo + m], self.gathered[lane], columns,
                self.scratch[tile],
            )  # fmt: skip
        else:
            add_two_words(
                self.codes[tile], self.order[lo : lo + m], self.gathered[lane], columns,
                self.scratch[tile],
            )  # fmt: skip

    def unpack(self, tile, slot, add):
        """Unpack the histograms of a tile into a slot, or add them to it, and clear them."""
        j: cython.Py_ssize_t
        b: cython.Py_ssize_t
        f: cython.Py_ssize_t
        word: cython.longlong
        one: cython.longlong = 1
        count: cython.longlong
        hessian: cython.longlong
        gradient: cython.longlong
        counts: cython.longlong = (one << self.count_bits) - 1
        hessians: cython.longlong = (one << self.hessian_bits) - 1
        for j in range(min(self.width, self.p - tile * self.width)):
            f = tile * self.width + j
            for b in range(self.bins[f] + 1):
                word = self.scratch[tile, j, b, 0]
                self.scratch[tile, j, b, 0] = 0
                count = word & counts
                gradient = word >> (self.count_bits + self.hessian_bits)
                if self.words == 2:
                    hessian = self.scratch[tile, j, b, 1]
                    self.scratch[tile, j, b, 1] = 0
                elif self.hessian_bits:
                    hessian = (word >> self.count_bits) & hessians
                else:
                    hessian = count
                if add:
                    self.hist[slot, f, b, GRADIENT] += gradient
                    self.hist[slot, f, b, HESSIAN] += hessian
                    self.hist[slot, f, b, COUNT] += count
                else:
                    self.hist[slot, f, b, GRADIENT] = gradient
                    self.hist[slot, f, b, HESSIAN] = hessian
                    self.hist[slot, f, b, COUNT] = count

    def subtract_column(self, f):
        """What is left of the parent is the larger child's."""
        b: cython.Py_ssize_t
        i: cython.Py_ssize_t
        large: cython.longlong[:, ::1] = self.hist[self.nodes[self.large, SLOT], f]
        small: cython.longlong[:, ::1] = self.hist[self.nodes[self.small, SLOT], f]
        for b in range(self.bins[f] + 1):
            for i in range(3):
                large[b, i] -= small[b, i]

    def search(self, c, node, f):
        """The best split of a column of a child."""
        self.column_gain[c, f] = 0.0
        if not self.considered[c, f]:
            return
        if self.categorical[f]:
            self.search_category(c, node, f)
        else:
            self.search_number(c, node, f)

    def search_number(self, c, node, f):
        """All thresholds, with missing values to the right, and to the left where there are any."""
        self.scan(c, node, f, False)
        if self.hist[self.nodes[node, SLOT], f, self.bins[f], COUNT] > 0:
            self.scan(c, node, f, True)

    def scan(self, c, node, f, missing_left):
        """The best threshold of a column, from its least bin on."""
        k: cython.Py_ssize_t
        b: cython.Py_ssize_t = self.bins[f]
        bins: cython.longlong[:, ::1] = self.hist[self.nodes[node, SLOT], f]
        gap: cython.longlong = bins[b, COUNT]
        g_all: cython.longlong = self.sums[node, GRADIENT]
        h_all: cython.longlong = self.sums[node, HESSIAN]
        n_all: cython.longlong = self.sums[node, COUNT]
        g: cython.longlong = 0
        h: cython.longlong = 0
        n: cython.longlong = 0
        found: cython.double
        h_left: cython.double
        h_right: cython.double
        slope: cython.int = self.monotonic[f]
        best: cython.double = self.column_gain[c, f]
        if missing_left:
            g = bins[b, GRADIENT]
            h = bins[b, HESSIAN]
            n = gap
        elif gap > 0:
            b += 1  # the last threshold parts all values from those that are missing
        for k in range(b - 1):
            if bins[k, COUNT] == 0:
                continue
            g += bins[k, GRADIENT]
            h += bins[k, HESSIAN]
            n += bins[k, COUNT]
            if n < self.min_leaf:
                continue
            if n_all - n < self.min_leaf:
                break
            h_left = h * self.h_unit
            h_right = (h_all - h) * self.h_unit
            if h_left < self.min_hessian:
                continue
            if h_right < self.min_hessian:
                break
            found = self.gain(
                node, g * self.g_unit, h_left, (g_all - g) * self.g_unit, h_right, slope
            )
            if found > best + TIED * best:
                best = found
                self.column_gain[c, f] = found
                self.column_cut[c, f] = k
                self.column_missing[c, f] = missing_left if gap > 0 else -1
                self.column_left[c, f, GRADIENT] = g
                self.column_left[c, f, HESSIAN] = h
                self.column_left[c, f, COUNT] = n

    def search_category(self, c, node, f):
        """Two groups of categories, cut from the order of their mean gradients, from either end.

        For a convex loss one of these cuts is the best of all groupings (Fisher, 1958). Categories
        with a Hessian below CATEGORY_SUPPORT go to the right, as in scikit-learn. ``cut`` is the
        number of categories on the left, counted from the other end where it is negative.
        """
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        end: cython.Py_ssize_t
        slot: cython.Py_ssize_t = self.nodes[node, SLOT]
        used: cython.Py_ssize_t = self.sort_categories(node, f)
        bins: cython.longlong[:, ::1] = self.hist[slot, f]
        order: cython.int[::1] = self.category_order[f // self.width]
        g: cython.longlong
        h: cython.longlong
        n: cython.longlong
        h_left: cython.double
        h_right: cython.double
        found: cython.double
        best: cython.double = 0.0
        if used < 2:
            return
        for end in range(2):
            g = h = n = 0
            for i in range((used + 1) // 2):
                at = order[i if end == 0 else used - 1 - i]
                g += bins[at, GRADIENT]
                h += bins[at, HESSIAN]
                n += bins[at, COUNT]
                if n < self.min_leaf:
                    continue
                if self.sums[node, COUNT] - n < self.min_leaf:
                    break
                h_left = h * self.h_unit
                h_right = (self.sums[node, HESSIAN] - h) * self.h_unit
                if h_left < self.min_hessian:
                    continue
                if h_right < self.min_hessian:
                    break
                found = self.gain(
                    node, g * self.g_unit, h_left,
                    (self.sums[node, GRADIENT] - g) * self.g_unit, h_right, 0,
                )  # fmt: skip
                if found > best + TIED * best:
                    best = found
                    self.column_gain[c, f] = found
                    self.column_cut[c, f] = (i + 1) if end == 0 else -(i + 1)
                    self.column_missing[c, f] = -1
                    self.column_left[c, f, GRADIENT] = g
                    self.column_left[c, f, HESSIAN] = h
                    self.column_left[c, f, COUNT] = n

    def sort_categories(self, node, f):
        """Order the categories with enough support by G / (H + support), and count them."""
        b: cython.Py_ssize_t
        i: cython.Py_ssize_t
        used: cython.Py_ssize_t = 0
        score: cython.double
        h: cython.double
        bins: cython.longlong[:, ::1] = self.hist[self.nodes[node, SLOT], f]
        order: cython.int[::1] = self.category_order[f // self.width]
        scores: cython.double[::1] = self.category_score[f // self.width]
        rows_a_hessian: cython.double = self.sums[node, COUNT] / (
            self.sums[node, HESSIAN] * self.h_unit + SMALLEST_DIVISOR
        )
        for b in range(self.bins[f] + 1):
            h = bins[b, HESSIAN] * self.h_unit
            if bins[b, COUNT] == 0 or h * rows_a_hessian < CATEGORY_SUPPORT:
                continue
            score = bins[b, GRADIENT] * self.g_unit / (h + CATEGORY_SUPPORT)
            i = used
            while i > 0 and scores[i - 1] > score:
                scores[i] = scores[i - 1]
                order[i] = order[i - 1]
                i -= 1
            scores[i] = score
            order[i] = cython.cast(cython.int, b)
            used += 1
        return used

    def gain(self, node, g_left, h_left, g_right, h_right, slope):
        """How much a split lowers the loss; 0 where it breaks a constraint."""
        left: cython.double
        right: cython.double
        a: cython.double = h_left + self.l2
        b: cython.double = h_right + self.l2
        g: cython.double = g_left + g_right
        if not self.constrained:  # two quotients with one division
            return (g_left * g_left * b + g_right * g_right * a) / (a * b) - g * g / (
                h_left + h_right + self.l2
            )
        left = self.bounded(node, g_left, h_left)
        right = self.bounded(node, g_right, h_right)
        if (slope > 0 and left > right) or (slope < 0 and left < right):
            return 0.0
        return g * self.reals[node, VALUE] - g_left * left - g_right * right

    def bounded(self, node, g, h):
        """The value of a leaf, within the bounds that constraints leave to a node."""
        value: cython.double = -g / (h + self.l2 + SMALLEST_DIVISOR)
        if value < self.reals[node, LOWER]:
            return self.reals[node, LOWER]
        if value > self.reals[node, UPPER]:
            return self.reals[node, UPPER]
        return value

    def settle_pair(self):
        """Choose the splits of the open children; histograms without use are given back."""
        if self.small_open:
            self.settle_node(0, self.small)
        if self.large_open:
            self.settle_node(1, self.large)
        if not self.small_open or self.reals[self.small, GAIN] <= 0:
            self.give_back(self.small)
        if self.large >= 0 and self.reals[self.large, GAIN] <= 0:
            self.give_back(self.large)
        if self.n_free < 2:
            self.give_back(self.small)
        if self.n_free < 2 and self.large >= 0:
            self.give_back(self.large)
        self.small = self.large = -1

    def settle_node(self, c, node):
        """The column of the largest gain; of tied ones the first."""
        f: cython.Py_ssize_t
        best: cython.Py_ssize_t = -1
        for f in range(self.p):
            if self.column_gain[c, f] > 0:
                if best < 0 or self.column_gain[c, f] > self.column_gain[c, best] * (1.0 + TIED):
                    best = f
        if best >= 0:
            self.write_split(c, node, best)

    def write_split(self, c, node, f):
        """Note the split of a node, and the side of every code."""
        b: cython.Py_ssize_t
        i: cython.Py_ssize_t
        used: cython.Py_ssize_t
        slot: cython.Py_ssize_t = self.nodes[node, SLOT]
        cut: cython.Py_ssize_t = self.column_cut[c, f]
        self.reals[node, GAIN] = self.column_gain[c, f]
        self.nodes[node, COLUMN] = f
        self.nodes[node, CUT] = cut
        self.nodes[node, MISSING_LEFT] = self.column_missing[c, f]
        self.nodes[node, CATEGORICAL] = self.categorical[f]
        for i in range(3):
            self.left_sums[node, i] = self.column_left[c, f, i]
        if not self.categorical[f]:
            for b in range(BINS):
                self.goes_left[node, b] = b <= cut
            self.goes_left[node, self.bins[f]] = self.column_missing[c, f] == 1
            return
        used = self.sort_categories(node, f)
        for b in range(BINS):  # 2: without a row here, see open_pair
            self.goes_left[node, b] = 2
            if b <= self.bins[f] and self.hist[slot, f, b, COUNT] > 0:
                self.goes_left[node, b] = 0
        for i in range(used):
            if (cut > 0 and i < cut) or (cut < 0 and i >= used + cut):
                self.goes_left[node, self.category_order[f // self.width, i]] = 1
        if self.hist[slot, f, self.bins[f], COUNT] > 0:
            self.nodes[node, MISSING_LEFT] = self.goes_left[node, self.bins[f]]


def part_rows(codes, column, left, order, spare, lo, hi):
    """Write rows that go left from ``lo`` on, the others from ``hi`` back; how many go left."""
    i: cython.Py_ssize_t
    row: cython.int
    a: cython.Py_ssize_t = lo
    b: cython.Py_ssize_t = hi - 1
    goes: cython.Py_ssize_t
    for i in range(lo, hi):  # both places are written, and one of them counts: no branch
        row = order[i]
        goes = left[codes[row, column]]
        spare[a] = row
        spare[b] = row
        a += goes
        b -= 1 - goes
    return a - lo


def add_one_word(codes, rows, packed, columns, out):
    """Add rows to packed histograms of one word."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    word: cython.longlong
    row: cython.Py_ssize_t
    for i in range(rows.shape[0]):
        row = rows[i]
        word = packed[i, 0]
        for j in range(columns):
            out[j, codes[row, j], 0] += word


def add_two_words(codes, rows, packed, columns, out):
    """The same of two words."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    row: cython.Py_ssize_t
    first: cython.longlong
    second: cython.longlong
    for i in range(rows.shape[0]):
        row = rows[i]
        first = packed[i, 0]
        second = packed[i, 1]
        for j in range(columns):
            out[j, codes[row, j], 0] += first
            out[j, codes[row, j], 1] += second
