"""Settings: how a tree is to grow, the columns it may ask, and what its rows amount to."""

import cython
import numpy as np

if not cython.compiled:
    GINI, ENTROPY, VARIANCE, DEVIATION, POISSON, FIFTH_ROOT = 0, 1, 2, 3, 4, 9
    NUMBER, MULTIWAY, SUBSET = 0, 1, 2
    OWN_BRANCH, AS_NODE, AS_CLASS, AS_TABLE, BETTER_SIDE, IN_PARTS = 0, 1, 2, 3, 4, 5
    GAIN, RATIO, GAIN_SQUARED, GAIN_POWER = 0, 1, 2, 3

NONE = np.zeros(0)
NOWHERE = np.zeros(0, np.int64)


class Settings:
    """What is best, and when to stop.

    A mass is a weight times an impurity, in units of the target; ``scale`` is one unit of it, and
    ``one`` is one unit of weight. ``min_share`` is of a node's weight, or, with
    ``share_of_rows``, of its rows. ``min_weight`` and ``min_gain`` (a weight times a gain) are in
    such units, and so is ``smoothing``: the weight that a value is given of its node's share, where
    others are rare. ``lists_ties``: whether the ties of a node are kept; if not, only columns tie,
    each with the first of its best cuts. ``draws``: whether of every column one cut is drawn, in
    place of the best. ``critical``: what chi-square has to reach, by degrees of freedom; none where
    splits are not tested. ``logs``: x log2 x, for entropies of x up to its length.
    """

    def __init__(
        self,
        criterion,
        rule=0,
        scorer=0,
        *,
        max_depth=2**31,
        min_split=2,
        min_leaf=1,
        min_weight=0,
        min_share=0.0,
        share_of_rows=False,
        min_gain=0.0,
        max_features=2**31 - 1,
        random_tie=False,
        lists_ties=True,
        draws=False,
        exponent=1.0,
        smoothing=0.0,
        scale=1.0,
        one=1.0,
        critical=NONE,
        logs=NONE,
    ):
        self.criterion, self.rule, self.scorer = criterion, rule, scorer
        self.max_depth, self.min_split, self.min_leaf = max_depth, min_split, min_leaf
        self.min_weight, self.min_share, self.min_gain = min_weight, min_share, min_gain
        self.share_of_rows = share_of_rows
        self.max_features, self.random_tie = max_features, random_tie
        self.lists_ties, self.draws = lists_ties, draws
        self.exponent, self.smoothing = exponent, smoothing
        self.scale, self.one = scale, one
        self.critical, self.logs = critical, logs


class Columns:
    """How every column is asked: its kind, its code of what is missing, what fills that, its cost.

    Codes go from 0 on; that of what is missing comes after all others. ``least``: a category that
    fewer rows of a node have is rare there; 0 where none is. ``slopes``: 1 where answers may only
    rise with a number, -1 where they may only fall. ``low`` and ``high``: the least and greatest
    number of every code, those of column f from ``starts[f]`` on; only where cuts are drawn.
    """

    def __init__(
        self, kinds, gaps, fixed, costs, least, slopes, starts=NOWHERE, low=NONE, high=NONE
    ):
        self.kinds, self.gaps, self.fixed, self.costs = kinds, gaps, fixed, costs
        self.p, self.least, self.slopes = len(kinds), least, slopes
        self.starts, self.low, self.high = starts, low, high
        if min(len(gaps), len(fixed), len(costs), len(least), len(slopes)) < self.p or (
            len(starts) and not _numbered(kinds, gaps, starts, min(len(low), len(high)))
        ):
            raise ValueError("trees.settings.Columns: the lengths of its arrays do not agree")
        self.widest = max(gaps) + 1  # codes of a column
        named = [gap + 1 for gap, kind in zip(gaps, kinds, strict=True) if kind != NUMBER]
        self.branches = max(named, default=1) + 3  # children that a node can have, and some


def _numbered(kinds, gaps, starts, n):
    """Whether there is a number for every code of every column of numbers."""
    if len(starts) < len(kinds):
        return False
    at = zip(kinds, gaps, starts[: len(kinds)], strict=True)
    return all(kind != NUMBER or 0 <= start <= n - gap for kind, gap, start in at)


class Amounts:
    """What a row adds to a line, and to the totals of a node.

    ``labels`` (n,): the class of every row; of ``classes``, 0 in a regression. ``amounts`` (n, q):
    its weight and 1; or 1, y and y^2 in four limbs of 32 bits; or its weight, weight * y without
    its lowest 32 bits, weight * y^2, those bits, and 1; nothing where classes are only counted. For
    Poisson's criterion weight * y * log(y) / 64 is in the place of the squares. ``levels`` (n,): y
    alone. A line has ``k`` columns, the totals have ``q``; ``rows_at`` is the column that counts
    the rows, -1 where the weight does.
    """

    def __init__(self, labels, amounts, levels, *, classes, k, q, rows_at):
        self.labels, self.amounts, self.levels = labels, amounts, levels
        self.classes, self.k, self.q, self.rows_at = classes, k, q, rows_at
        self.n = len(labels)
        summed = 0 if classes and rows_at < 0 else 1 if classes else q
        if (
            k < max(classes, 1)
            or q < k
            or rows_at >= q
            or (summed and (len(amounts) < self.n or amounts.shape[1] < summed))
            or (classes == 0 and len(levels) < self.n)
        ):
            raise ValueError("trees.settings.Amounts: the lengths of its arrays do not agree")


class Limits:
    """When trees stop whose gains are means in units of the target, not masses.

    ``whole``: the weight of the table; ``one``: one unit of weight. ``scorer``, ``exponent``,
    ``max_features``, ``random_tie`` and ``draws`` are those of ``Settings``.
    """

    def __init__(
        self,
        *,
        max_depth,
        min_split,
        min_leaf,
        min_weight,
        min_share,
        min_decrease,
        whole,
        one,
        scorer=0,
        exponent=1.0,
        max_features=2**31 - 1,
        random_tie=False,
        draws=False,
    ):
        self.max_depth, self.min_split, self.min_leaf = max_depth, min_split, min_leaf
        self.min_weight, self.min_share, self.min_decrease = min_weight, min_share, min_decrease
        self.whole, self.one = whole, one
        self.scorer, self.exponent, self.max_features = scorer, exponent, max_features
        self.random_tie, self.draws = random_tie, draws
