"""Choice: of the best questions of all columns the best, and what is tied with it."""

import cython
import numpy as np
from cython.cimports.libc.math import pow

if not cython.compiled:
    from tallylearn.kernels.trees.random_numbers import mixed
    from tallylearn.kernels.trees.record import TIES_FULL
    from tallylearn.kernels.trees.settings import (
        AS_CLASS,
        AS_NODE,
        GAIN,
        GAIN_SQUARED,
        NUMBER,
        RATIO,
    )
    from tallylearn.kernels.trees.split_search import Search
    from tallylearn.kernels.trees.split_test import Question

C45_MEAN_MARGIN = cython.declare(cython.double, 1e-3)  # bits below the mean gain (Weka's J48)
C45_MIN_RATIO = cython.declare(cython.double, 1e-6)  # a gain ratio that is none


class Choice:
    """What a node asks, after a search has looked at its columns.

    ``refused``: nodes that could not be divided after all; none, if all is right.
    """

    def __init__(self, settings, columns, search: Search, rows):
        self.settings, self.columns, self.search, self.rows = settings, columns, search, rows
        self.ties, self.scores = search.ties, np.zeros(columns.p)
        self.question = Question(settings, columns, search)
        self.refused = 0

    def choose(self, seed):
        """Choose a question: 0; -1 where there is none; no room for its ties."""
        at: cython.Py_ssize_t
        last: cython.Py_ssize_t
        bare: cython.bint
        self.tie_start = self.ties.n
        if not self.select():
            return -1
        last = self.list_ties()
        at = self.tie_start
        if self.ties.full():
            return self.withdraw(TIES_FULL)
        if self.ties.n == at:
            self.refused += 1
            return -1
        if self.settings.random_tie:
            at += mixed(seed + 1) % cython.cast(cython.ulonglong, self.ties.n - at)
        self.question.column = self.ties.ties[at, 0]
        self.question.cut = self.ties.ties[at, 1]
        self.question.next = self.ties.ties[at, 2]
        if self.ties.n == self.tie_start + 1 or not self.settings.lists_ties:
            self.ties.n = self.tie_start
        bare = self.settings.rule != AS_NODE and self.settings.rule != AS_CLASS
        bare = bare and not self.settings.critical.shape[0]
        if bare and self.rows.bare(self.question.column, self.search):
            self.search.table.gapped = False
            self.search.table.n = 0
        elif last != self.question.column:
            self.tabulate(self.question.column)
        self.question.settle(self.search)
        if self.settings.critical.shape[0] and not self.question.significant(self.search):
            return self.withdraw(-1)
        return 0

    def withdraw(self, full):
        """Forget the ties of the node."""
        self.ties.n = self.tie_start
        return full

    def select(self):
        """What every column scores; whether the first of the best gains enough to be asked."""
        f: cython.Py_ssize_t
        p: cython.Py_ssize_t = self.columns.p
        slack: cython.double = self.search.impurity.slack
        top: cython.double = -1.0
        mean: cython.double = 0.0
        some: cython.Py_ssize_t = 0
        tied: cython.double = slack
        margin: cython.double = slack
        near: cython.double
        if self.settings.c45:
            margin = C45_MEAN_MARGIN * self.search.impurity.weight
        for f in range(p):
            if self.search.gains[f] >= 0 and not self.columns.crowded[f]:
                some += 1
                mean += self.search.gains[f]
        mean = mean / some - margin if some else (1e300 if self.settings.c45 else 0.0)
        for f in range(p):
            self.scores[f] = self.score(f, self.search.gains[f], mean)
            top = self.scores[f] if self.scores[f] > top else top
        if self.settings.scorer == RATIO:
            tied = slack / self.search.impurity.weight
            tied = tied if tied > 1e-9 * top else 1e-9 * top
        elif self.settings.scorer > RATIO:
            tied = 1e-9 * top
        self.best = top - tied
        if self.settings.scorer > RATIO:
            for f in range(p):
                if self.scores[f] == top and top > 0:
                    near = self.score(f, self.search.gains[f] - slack, mean)
                    self.best = near if near < self.best else self.best
        for f in range(p):
            if self.scores[f] >= 0 and self.scores[f] >= self.best:
                return self.search.gains[f] + slack >= self.settings.min_gain
        return False

    def score(self, f, gain, mean):
        """Gain, gain ratio or a score of gain and cost; -1 for a column that cannot be asked."""
        if gain < 0 or self.settings.scorer == GAIN:
            return gain
        if gain <= self.search.impurity.slack:
            gain = 0.0
        if self.settings.scorer == RATIO:  # where the gain is at least the mean (Quinlan, 1993)
            if gain < mean or self.search.infos[f] <= 0:
                return -1.0
            gain = gain / self.search.infos[f]
            return -1.0 if self.settings.c45 and gain <= C45_MIN_RATIO else gain
        gain = gain / self.search.impurity.weight * self.settings.scale
        if self.settings.scorer == GAIN_SQUARED:
            return gain * gain / self.columns.costs[f]
        return (pow(2.0, gain) - 1.0) / pow(self.columns.costs[f] + 1.0, self.settings.exponent)

    def list_ties(self):
        """List the best questions; returns the column whose lines are left in place, or -1."""
        f: cython.Py_ssize_t
        last: cython.Py_ssize_t = -1
        for f in range(self.columns.p):
            if self.scores[f] < 0 or self.scores[f] < self.best:
                continue
            if self.rows.bare(f, self.search):
                self.rows.list_cuts(f, self.search)
            elif self.columns.kinds[f] == NUMBER:
                self.tabulate(f)
                self.search.arrange(f, 0)
                if self.settings.c45:
                    self.search.list_c45(f, self.settings.lists_ties)
                else:
                    self.search.list_best(f, self.settings.lists_ties)
                last = f
            else:
                self.ties.note(f, -1, -1)
        return last

    def tabulate(self, f):
        """The lines of a column once more, with what is missing in its place."""
        self.rows.tabulate(f, self.search.table)
        self.search.take_gap(f)
