"""Telling values: whether rows that share a value of a category are alike in their target.

Where a category has many values, every one of them agrees with its few rows, by chance. So the
column is judged as a whole, before anything is learned from it. Two accounts of the table are
weighed by how probable they make it: that all values have the shares of the table, or that each has
shares of its own, drawn around those of the table as if one row of it had been seen (Dirichlet and
multinomial; of measures, the normal scores of their ranks, half of whose variance lies between the
values). A value that one row alone has speaks for neither, noise for the first by many powers of e,
and for the second whatever families, makers or places share.
"""

from __future__ import annotations

import math

import numpy as np

from tallylearn.models.design.rare_categories import most_values
from tallylearn.tables import Array, Block

SKIP, KEEP = "skip", "keep"  # what becomes of categories that tell no better than chance
STRONG = math.log(20)  # evidence that is called strong by Kass and Raftery (1995)
BETWEEN = 0.5  # of the variance lies between values, as the shares of two rows of one do


def informative_columns(block: Block, y: Array, classes: bool) -> frozenset[str]:
    """The categories of many values that tell y, the numbers of classes or any numbers."""
    evidence = evidence_of_classes if classes else evidence_of_measures
    many, found = most_values(len(block)), set[str]()
    for name, codes in block.codes.items():
        known = codes.codes >= 0
        if len(codes.values) > many and evidence(codes.codes[known], y[known]) > STRONG:
            found.add(name)
    return frozenset(found)


def uninformative_columns(block: Block, y: Array, classes: bool) -> frozenset[str]:
    """The categories of many values that speak strongly against telling y.

    Or in which no two rows share a value: such a column speaks of no other row.
    """
    evidence = evidence_of_classes if classes else evidence_of_measures
    many, found = most_values(len(block)), set[str]()
    for name, codes in block.codes.items():
        if len(codes.values) <= many:
            continue
        known = codes.codes >= 0
        values, at = np.unique(codes.codes[known], return_inverse=True)
        alone = len(values) == len(at)
        if len(values) > many and (alone or evidence(at, y[known]) < -STRONG):
            found.add(name)
    return frozenset(found)


def evidence_of_classes(codes: Array, labels: Array) -> float:
    """How much more probable, in nats, shares by value make the classes than those of all rows.

    >>> values = np.repeat(np.arange(5), 4)
    >>> round(evidence_of_classes(values, np.repeat([0, 1, 0, 1, 0], 4)), 2)
    7.2
    >>> round(evidence_of_classes(values, np.tile([0, 1], 10)), 2)
    -4.9
    """
    from scipy.special import gammaln

    k = int(labels.max(initial=0)) + 1
    cells, count = np.unique(codes.astype(np.int64) * k + labels, return_counts=True)
    rows = np.bincount(codes)
    share = np.bincount(labels, minlength=k)[cells % k] / max(len(labels), 1)
    of_cells = gammaln(count + share) - gammaln(share) - count * np.log(share)
    return float(of_cells.sum() - gammaln(rows + 1.0).sum())


def evidence_of_measures(codes: Array, y: Array) -> float:
    """How much more probable, in nats, means by value make the ranks of y than one of all rows.

    >>> values, y = np.repeat(np.arange(5), 4), np.arange(20.0)
    >>> round(evidence_of_measures(values, y), 1), round(evidence_of_measures(values, y % 4), 1)
    (7.7, -7.1)
    """
    score = _normal_scores(y)
    if not score.any():  # all alike: there is nothing to tell
        return 0.0
    order = np.lexsort((score, codes))  # so that no order of the rows changes a rounding
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    n = np.diff(np.append(starts, len(y)))
    between = np.add.reduceat(score[order], starts) ** 2 / n
    squares = np.add.reduceat(score[order] ** 2, starts)
    near, wide = 1 - BETWEEN, 1 + (n - 1) * BETWEEN
    misfit = (squares - between) / near + between / wide - squares
    return float(-((n - 1) * math.log(near) + np.log(wide) + misfit).sum() / 2)


def _normal_scores(y: Array) -> Array:
    """(n,) the ranks of y as a normal distribution has them, so that no outlier speaks for many."""
    from scipy.special import ndtri

    _, at, ties = np.unique(y, return_inverse=True, return_counts=True)
    score = ndtri((np.cumsum(ties) - ties / 2) / max(len(y), 1))
    score -= (ties * score).sum() / max(len(y), 1)
    spread = math.sqrt((ties * score**2).sum() / max(len(y), 1))
    return np.asarray(score / (spread or 1.0))[at.ravel()]
