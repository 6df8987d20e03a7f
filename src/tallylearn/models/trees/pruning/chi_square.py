"""Chi-square pruning: splits whose branches differ no more than random ones would."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.pruning.pruning_record import Cut
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array


def chi_squares(tree: Tree, rows: Array | None = None) -> tuple[Array, Array, Array]:
    """Of every node chi-square, its degrees of freedom, and p; of a leaf 0, 0 and 1.

    ``rows`` (m,): how many rows each node has, where that is not its weight: the shares of classes
    and branches are those of the weight then, and chi-square is of so many rows.

    Pearson's test of the branches against the classes: (branches - 1)(classes at the node - 1)
    degrees of freedom, which are the number of values less one where there are two classes.

    S. Russell, P. Norvig, Artificial Intelligence: A Modern Approach, 2010, section 18.3.5.
    """
    from scipy.special import chdtrc

    up = np.maximum(tree.parent, 0)
    expected = tree.n[:, None] * tree.node_values[up]
    squares = (tree.counts - expected) ** 2 / np.where(expected > 0, expected, 1.0)
    m = len(tree)
    chi2 = np.bincount(up[1:], squares[1:].sum(axis=1), minlength=m)
    chi2 = np.asarray(chi2 if rows is None else chi2 * (rows / tree.n), dtype=np.float64)
    branches = np.bincount(up[1:], minlength=m)
    df = (branches - 1) * ((tree.counts > 0).sum(axis=1) - 1)
    asked = (tree.test != LEAF) & (df > 0)
    p = np.where(asked, chdtrc(np.where(asked, df, 1), chi2), 1.0)
    return np.where(asked, chi2, 0.0), np.where(asked, df, 0), p


def find_insignificant_splits(tree: Tree, level: float, rows: Array | None = None) -> Array:
    """Nodes whose split is not significant: where growing would have stopped.

    The question of a node does not depend on what is asked below, so stopping is cutting.
    """
    return np.flatnonzero((tree.test != LEAF) & (chi_squares(tree, rows)[2] > level))


def bottom_up(tree: Tree, level: float, rows: Array | None = None) -> Iterator[Cut]:
    """Nodes above leaves only are tested, and become leaves; then their parents, if they do."""
    chi2, df, p = chi_squares(tree, rows)
    asks, grown = (tree.test != LEAF).tolist(), [False] * len(tree)
    for i in range(len(tree) - 1, -1, -1):
        if not asks[i]:
            continue
        if not grown[i] and p[i] > level:
            numbers = {"chi2": float(chi2[i]), "df": int(df[i]), "p": float(p[i]), "level": level}
            yield Cut(i, numbers)
        elif i:
            grown[tree.parent[i]] = True
