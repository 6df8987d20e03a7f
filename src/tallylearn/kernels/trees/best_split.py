"""Best split: the question of a node from counts alone, whoever counted them.

This is where counting and searching part. Lists, histograms in memory, histograms of other workers
and of other files all end in the same two arrays, which add up:

- ``totals`` (q,): what the rows of the node amount to, the sum of ``Amounts.amounts``, or the rows
  of every class;
- ``counts`` (p, codes, k): the same, as far as a line needs it, for every code of every column;
  that of what is missing is the last code of a column. ``histograms.count`` counts one column.

    best = BestSplit(settings, columns, amounts)
    found = best.of(totals_here + totals_there, counts_here + counts_there, alike=False)

The search is that of ``grower``: the same counts give the same question, to the last bit. Settings,
columns and the unit of y must be the same for all who count. A forest looks at some columns of a
node (``look_at``), with any weights; nothing needs to be sorted. Rows are parted by the one who has
them, by the codes that ``found`` says.
"""

import cython
import numpy as np

if not cython.compiled:
    from tallylearn.kernels.trees.choice import Choice
    from tallylearn.kernels.trees.code_sums import TOTAL
    from tallylearn.kernels.trees.record import TIES_FULL, Ties
    from tallylearn.kernels.trees.rows import Rows
    from tallylearn.kernels.trees.settings import Amounts, Columns, Settings
    from tallylearn.kernels.trees.split_search import Search

NO_SIDES = np.zeros(0, np.uint8), np.zeros(0, np.int32)


class Given(Rows):
    """Rows that somebody else has, and has counted: ``counts`` (p, codes * k)."""

    def tabulate(self, f, table):
        table.n = table.take(self.counts[f], self.columns.gaps[f] + 1, self.amounts.rows_at)

    def hold(self, counts: cython.const[cython.longlong][:, ::1]):
        if counts.shape[0] < self.columns.p or counts.shape[1] < (
            self.columns.widest * self.amounts.k
        ):
            raise ValueError("trees.best_split.BestSplit: its counts are too few")
        self.counts = counts


class BestSplit:
    """The search of a tree, without its rows."""

    def __init__(self, settings: Settings, columns: Columns, amounts: Amounts):
        self.settings, self.columns, self.amounts = settings, columns, amounts
        self.ties = Ties(64 + 8 * columns.p)
        self.search = Search(settings, columns, amounts, columns.widest + 1, self.ties)
        self.rows = Given(columns, amounts, *NO_SIDES, 0)
        self.choice = Choice(settings, columns, self.search, self.rows)

    def of(self, totals, counts, alike, look_at=None, seed=0):
        """What a node asks, as a dict; None where it is a leaf.

        ``alike``: its rows have all one class, or one y, as sums in floats cannot tell.
        ``look_at``: some columns, of which the best is asked; None for all. The dict has the
        column, the ``test`` (see ``record``), the ``cut`` and the ``next`` code, the ``gain`` and
        the ``impurity``, how many ``children`` there are, the ``gap_child`` of what is missing (-1:
        none), ``leads`` (a code of a category and its child), and the ``ties``, the first of which
        is used unless one is drawn at random.
        """
        f: cython.Py_ssize_t
        c: cython.Py_ssize_t
        full: cython.int = TIES_FULL
        self.rows.hold(np.ascontiguousarray(counts).reshape(len(counts), -1))
        for c in range(self.amounts.q):
            self.search.table.sums[TOTAL, c] = totals[c]
        self.search.draws.seed = seed
        self.search.open(self.counted(totals), alike)
        if alike or self.search.rows < self.settings.min_split:
            return None
        for f in range(self.columns.p):
            self.search.gains[f] = -1.0
        for f in range(self.columns.p) if look_at is None else look_at:
            self.rows.tabulate(f, self.search.table)
            self.search.look(f)
        while full == TIES_FULL:
            self.ties.n = 0
            full = self.choice.choose(seed)
            if full == TIES_FULL:
                self.ties.enlarge()
        return self.told() if full == 0 else None

    def counted(self, totals):
        """The rows of a node."""
        if self.amounts.rows_at >= 0:
            return totals[self.amounts.rows_at]
        return sum(totals[: self.amounts.classes]) if self.amounts.classes else totals[0]

    def told(self):
        """The question, as a dict."""
        question = self.choice.question
        weight: cython.double = self.search.impurity.weight
        f: cython.Py_ssize_t = question.column
        test: cython.int = question.test()
        used: cython.Py_ssize_t = self.search.table.n if test in (2, 3) else 0
        codes = [self.search.table.codes[c] for c in range(used)]
        return {
            "column": f, "test": test, "cut": question.cut, "next": question.next,
            "gain": self.search.gains[f] / weight * self.settings.scale,
            "impurity": self.search.impurity.spread / weight * self.settings.scale,
            "children": question.children, "gap_child": question.gap_child,
            "leads": [(code, question.child[code]) for code in codes],
            "ties": self.ties.array().copy(),
        }  # fmt: skip
