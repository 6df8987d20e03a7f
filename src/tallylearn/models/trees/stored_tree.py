"""Soundness: is what a file calls a tree a tree? Kernels walk it without looking.

Every check names what is wrong, and none makes an array larger than the tree is.
"""

from __future__ import annotations

import numpy as np

from tallylearn.models.trees.node import LEAF, MULTIWAY, PRESENCE, SUBSET, THRESHOLD
from tallylearn.models.trees.nodes import Nodes
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array

ROUNDING = 1e-6  # of a weight: sums of fractions, on another processor


def check_structure(tree: Nodes) -> None:
    """Every step leads on to a node that is there: looked at whenever a tree is made."""
    try:
        _check_order(tree)
        _check_tests(tree)
        _check_leads(tree)
    except ValueError as error:
        raise ValueError(f"the nodes are no tree: {error}") from None


def check_contents(tree: Nodes) -> None:
    """What is known of the nodes can be: looked at when a tree comes from a file."""
    _check_ties(tree)
    _check_predictions(tree)


def _check_order(tree: Nodes) -> None:
    """Nodes are numbered in pre-order: a subtree is a run of numbers, children in turn."""
    parent, at = tree.parent, np.arange(len(tree.parent))
    if not len(tree.parent) or parent[0] != -1 or (parent >= at).any() or (parent[1:] < 0).any():
        raise ValueError("a parent comes after its child, or there is none")
    order = np.argsort(parent[1:], kind="stable") + 1
    above = parent[order]
    first = np.append(True, above[1:] != above[:-1])[: len(order)]
    before = np.append(0, order[:-1])[: len(order)]
    expected = np.where(first, above + 1, before + tree.sizes[before])
    if (order != expected).any():
        raise ValueError("the nodes are not in pre-order")


def _check_tests(tree: Nodes) -> None:
    """Leaves ask nothing; the others ask a column of the right kind, with enough branches."""
    asks = tree.test != LEAF
    if (tree.test > PRESENCE).any() or (asks != (tree.sizes > 1)).any():
        raise ValueError("a node asks what cannot be asked, or nothing, and has branches")
    if (asks != (tree.column >= 0)).any() or (tree.column >= len(tree.columns)).any():
        raise ValueError("a node asks no column")
    kinds = np.array([_kind(column.kind) for column in tree.columns] + [0])
    grouped = np.isin(tree.test, (MULTIWAY, SUBSET))
    if (asks & (kinds[tree.column] != np.where(grouped, 2, 1))).any():
        raise ValueError("a node asks a column that is of another kind")
    if ((tree.test == THRESHOLD) & np.isnan(tree.threshold)).any():
        raise ValueError("a node has no threshold")
    branches = np.bincount(tree.parent[1:], minlength=len(tree.parent))
    gap, m = tree.missing >= 0, len(tree.parent)
    if (tree.missing >= m).any() or (tree.parent[tree.missing[gap]] != _first_place(gap)).any():
        raise ValueError("a missing value leads to no branch of its node")
    most = np.select([tree.test == THRESHOLD, tree.test == PRESENCE], [3, 2], m)
    least = np.where(asks & ~grouped, 2, 0)
    if ((branches < least) | (branches > most)).any():
        raise ValueError("a node has too few branches, or too many")


def _kind(kind: str) -> int:
    return 2 if kind == CATEGORY else 1 if kind in (NUMBER, DATE) else 0


def _check_leads(tree: Nodes) -> None:
    """Categories of a node are sorted, are values of its column, and lead to its branches."""
    lengths = _lengths(tree.ends, len(tree.leads), "categories")
    if ((lengths > 0) != np.isin(tree.test, (MULTIWAY, SUBSET))).any():
        raise ValueError("a node asks for no category, or has some that it does not ask for")
    node = np.repeat(np.arange(len(tree.parent)), lengths)
    if (tree.leads >= len(tree.parent)).any() or (tree.parent[tree.leads] != node).any():
        raise ValueError("a category leads to no branch of its node")
    other = np.flatnonzero(tree.others >= 0)
    if (tree.others >= len(tree.parent)).any() or (tree.parent[tree.others[other]] != other).any():
        raise ValueError("other values lead to no branch of their node")
    if (tree.test[other] != SUBSET).any():
        raise ValueError("a node leads other values on, and asks for no groups of them")
    values = np.array([len(column.values) for column in tree.columns] + [0])
    if (tree.codes >= values[tree.column[node]]).any():
        raise ValueError("a node asks for a category that its column lacks")
    inside = node[1:] == node[:-1]
    if (inside & (tree.codes[1:] <= tree.codes[:-1])).any():
        raise ValueError("the categories of a node are out of order")


def _check_ties(tree: Nodes) -> None:
    lengths = _lengths(tree.tie_ends, len(tree.tie_columns), "ties")
    if ((lengths > 0) & (tree.test == LEAF)).any():
        raise ValueError("a leaf has ties")
    if (tree.tie_columns >= len(tree.columns)).any():
        raise ValueError("a tie is of no column")
    node = np.repeat(np.arange(len(tree.parent)), lengths)
    asked = node[tree.tie_columns == tree.column[node]]
    if (np.bincount(asked, minlength=len(lengths)) == 0)[lengths > 0].any():
        raise ValueError("a node asks what is not among its ties")


def _check_predictions(tree: Nodes) -> None:
    """Classes are numbered, and their weights are those of the rows; losses are of all classes."""
    k = len(tree.classes)
    least = -1 if tree.tie == "undefined" else 0  # of tied classes none is the answer
    odd = (tree.answer != np.floor(tree.answer)) | (tree.answer < least) | (tree.answer >= k)
    if k and odd.any():
        raise ValueError("a node answers with no class")
    if k and not np.allclose(tree.counts.sum(axis=1), tree.n, rtol=ROUNDING):
        raise ValueError("the classes of a node are not all of its rows")
    if tree.loss.shape not in ((0, 0), (k, k)):
        raise ValueError("the losses are of other classes")


def _lengths(ends: Array, whole: int, what: str) -> Array:
    """(m,) how many each node has; no run is longer than all of them together."""
    lengths = np.diff(ends, prepend=0)
    if (ends > whole).any() or (lengths < 0).any() or ends[-1] != whole:
        raise ValueError(f"the {what} of the nodes do not add up")
    return lengths


def _first_place(which: Array) -> Array:
    return np.flatnonzero(which)
