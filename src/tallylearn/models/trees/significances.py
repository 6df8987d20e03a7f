"""Significance: would branches of rows dealt out by chance differ as much as these?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tallylearn.models.trees.removals import Cut
from tallylearn.models.trees.trees import LEAF, Tree
from tallylearn.tables import Array


def chi_squares(tree: Tree) -> tuple[Array, Array, Array]:
    """Of every node chi-square, its degrees of freedom, and p; of a leaf 0, 0 and 1.

    Pearson's test of the branches against the classes: (branches - 1)(classes at the node - 1)
    degrees of freedom, which are the number of values less one where there are two classes.

    S. Russell, P. Norvig, Artificial Intelligence: A Modern Approach, 2010, section 18.3.5.
    """
    from scipy.special import chdtrc

    up = np.maximum(tree.parent, 0)
    share = tree.counts[up] / np.where(tree.n > 0, tree.n, 1.0)[up][:, None]
    expected = tree.n[:, None] * share
    squares = (tree.counts - expected) ** 2 / np.where(expected > 0, expected, 1.0)
    m = len(tree)
    chi2 = np.bincount(up[1:], squares[1:].sum(axis=1), minlength=m)
    branches = np.bincount(up[1:], minlength=m)
    df = (branches - 1) * ((tree.counts > 0).sum(axis=1) - 1)
    asked = (tree.test != LEAF) & (df > 0)
    p = np.where(asked, chdtrc(np.where(asked, df, 1), chi2), 1.0)
    return np.where(asked, chi2, 0.0), np.where(asked, df, 0), p


def stopped(tree: Tree, level: float) -> tuple[Cut, ...]:
    """What growing would not have asked: splits that are not significant, from the root down.

    The question of a node does not depend on what is asked below, so stopping is cutting.
    """
    chi2, df, p = chi_squares(tree)
    weak = (tree.test != LEAF) & (p > level)
    found, end = [], 0
    for i in np.flatnonzero(weak).tolist():
        if i >= end:
            found.append(_cut(i, chi2, df, p, level))
            end = i + int(tree.sizes[i])
    return tuple(found)


def bottom_up(tree: Tree, level: float) -> Iterator[Cut]:
    """Nodes above leaves only are tested, and become leaves; then their parents, if they do."""
    chi2, df, p = chi_squares(tree)
    asks, grown = (tree.test != LEAF).tolist(), [False] * len(tree)
    for i in range(len(tree) - 1, -1, -1):
        if not asks[i]:
            continue
        if not grown[i] and p[i] > level:
            yield _cut(i, chi2, df, p, level)
        elif i:
            grown[tree.parent[i]] = True


def _cut(i: int, chi2: Array, df: Array, p: Array, level: float) -> Cut:
    return Cut(i, {"chi2": float(chi2[i]), "df": int(df[i]), "p": float(p[i]), "level": level})
