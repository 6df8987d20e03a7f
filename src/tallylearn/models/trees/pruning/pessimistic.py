"""Pessimistic pruning: C4.5's estimate of the errors of a leaf, and the pruning by it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tallylearn.models.trees.growing.node_rows import NodeRows
from tallylearn.models.trees.growing.shares import Share
from tallylearn.models.trees.least_loss import answer_of
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.pruning.branch_costs import Costs
from tallylearn.models.trees.pruning.pruning_record import Cut, Stage
from tallylearn.models.trees.pruning.subtree_raising import MutableNode, RowRouting
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array

COLLAPSE_MARGIN = 1e-3  # errors: a branch that saves no more is collapsed
PRUNING_MARGIN = 0.1  # estimated errors: a leaf may cost so much more than a branch
ROUNDING = 1e-6


def estimate_errors(
    n: Array, errors: Array, confidence: float = 0.25, rows: Array | None = None
) -> Array:
    """The errors that n rows like these will make: the upper end of a one-sided interval.

    Wilson's limit with correction for continuity; below one error between the exact limit of none,
    n (1 - confidence^(1/n)), and that of one; never more than n. Where rows weigh n in all, and
    are ``rows``: n times the limit of the rate, errors / n, in so many rows.

    >>> estimate_errors(np.array([6.0, 9.0, 16.0]), np.array([0.0, 0.0, 1.0])).round(3)
    array([1.238, 1.285, 2.476])

    J. R. Quinlan, C4.5: Programs for Machine Learning, 1993, chapter 4; release 8.
    """
    n, e = np.asarray(n, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    if rows is not None:
        weighs = n > 0
        share = np.where(weighs, rows / np.where(weighs, n, 1.0), 1.0)
        return np.asarray(estimate_errors(n * share, e * share, confidence) / share)
    some = np.where(n > 0, n, 1.0)
    none = some * (1.0 - confidence ** (1.0 / some))
    one = _wilson(some, np.ones_like(e), confidence)
    few = none + e * (one - none)
    return np.asarray(
        np.where(n <= ROUNDING, 0.0, np.where(e < 1.0, few, _wilson(some, e, confidence)))
    )


def _wilson(n: Array, e: Array, confidence: float) -> Array:
    from scipy.special import ndtri

    z = float(ndtri(1.0 - confidence))
    f = np.minimum((e + 0.5) / n, 1.0)
    root = np.sqrt(np.maximum(f / n - f * f / n + z * z / (4.0 * n * n), 0.0))
    limit = (f + z * z / (2.0 * n) + z * root) / (1.0 + z * z / n)
    return np.asarray(np.where(e + 0.5 >= n, np.maximum(n, e), n * limit))


def misclassified_weight(tree: Tree) -> Array:
    """(m,) the weight of the training rows that every node answers wrongly, were it a leaf."""
    return np.asarray(tree.n - tree.counts[np.arange(len(tree)), tree.answer.astype(np.int64)])


def collapse(tree: Tree) -> tuple[Cut, ...]:
    """Branches that make no fewer errors on the training rows than a leaf would; the root first."""
    errors = misclassified_weight(tree)
    own = np.where(tree.test == LEAF, errors, 0.0)
    branch = Costs(errors, own).branch(tree)
    found, end = [], 0
    for i in np.flatnonzero((tree.test != LEAF) & (branch >= errors - COLLAPSE_MARGIN)).tolist():
        if i >= end:
            found.append(Cut(i, {"errors": float(errors[i]), "in branches": float(branch[i])}))
            end = i + int(tree.sizes[i])
    return tuple(found)


def prune(
    tree: Tree,
    confidence: float,
    rows: NodeRows | None,
    counted: Callable[[Tree], Array | None],
    frequency: Array | None,
) -> tuple[Tree, tuple[Stage, ...]]:
    """Collapse, then prune from the bottom up; with ``rows`` the largest branch may move up.

    ``counted``: how many rows the nodes of a tree have, None where they are their weights;
    ``frequency``: the same of the training rows.
    """
    first = Stage("collapsed", tree, collapse(tree))
    tree = tree.without(cut.node for cut in first.cuts)
    if rows is None:
        cuts = tuple(_cuts(tree, confidence, counted(tree)))
        return tree.without(c.node for c in cuts), (first, Stage("pessimistic", tree, cuts))
    work = Pruning(RowRouting(tree, rows, frequency), confidence, counted(tree))
    after, cuts = work.run()
    return after, (first, Stage("pessimistic", tree, cuts))


def _cuts(tree: Tree, confidence: float, rows: Array | None) -> list[Cut]:
    """Without raising: a node becomes a leaf where that costs no more than what is left of it."""
    leaf = estimate_errors(tree.n, misclassified_weight(tree), confidence, rows)
    branch = np.where(tree.test == LEAF, leaf, 0.0)
    found = []
    for i in range(len(tree) - 1, -1, -1):
        if tree.test[i] != LEAF and leaf[i] <= branch[i] + PRUNING_MARGIN + ROUNDING:
            found.append(Cut(i, {"as leaf": float(leaf[i]), "in branches": float(branch[i])}))
            branch[i] = leaf[i]
        if i:
            branch[tree.parent[i]] += branch[i]
    return found


class Pruning:
    """With raising: a node stays, becomes a leaf, or gives way to its largest branch."""

    def __init__(self, sending: RowRouting, confidence: float, rows: Array | None) -> None:
        self.sending, self.confidence = sending, confidence
        self.leaf = estimate_errors(
            sending.tree.n, misclassified_weight(sending.tree), confidence, rows
        ).tolist()
        self.cuts: list[Cut] = []

    def run(self) -> tuple[Tree, tuple[Cut, ...]]:
        """The pruned tree, and what was done."""
        root = self.sending.mutable_nodes()
        agenda = [*root.walk()]
        while agenda:
            node = agenda.pop()
            if self._decide(node):  # what moved up is pruned once more
                agenda += node.walk()
        tree = self.sending.tree
        if any(cut.raised >= 0 for cut in self.cuts):
            return self.sending.tree_of(root), tuple(self.cuts)
        return tree.without(cut.node for cut in self.cuts), tuple(self.cuts)

    def _decide(self, node: MutableNode) -> bool:
        leaf = self._as_leaves([node.share]) if node.moved else self.leaf[node.place]
        if node.asks < 0:
            node.errors = leaf
            return False
        node.errors = branch = sum(kid.errors for kid in node.kids.values())
        largest = self._largest(node)
        raised = self._as_branch(largest, node.share)
        numbers = {"as leaf": leaf, "in branches": branch, "largest branch alone": raised}
        if leaf <= min(branch, raised) + PRUNING_MARGIN + ROUNDING:
            self.cuts.append(Cut(node.place, numbers))
            node.turn_to_leaf()
            node.errors = leaf
        elif raised <= branch + PRUNING_MARGIN + ROUNDING:
            self.cuts.append(Cut(node.place, numbers, largest.place))
            node.asks, node.kids = largest.asks, largest.kids
            self.sending.resend(node, node.share)
            return True
        return False

    def _largest(self, node: MutableNode) -> MutableNode:
        """The branch of most rows, of equal ones the last."""
        kids = [node.kids[key] for key in sorted(node.kids)]
        weight = np.array([float(kid.share.units.sum()) for kid in kids])
        return kids[int(np.flatnonzero(weight >= weight.max() * (1.0 - 1e-9))[-1])]

    def _as_leaves(self, shares: list[Share]) -> float:
        """The errors of some leaves, all together."""
        counts = np.array([self.sending.counts(share) for share in shares])
        leaf = np.repeat(np.arange(len(shares)), [len(share.rows) for share in shares])
        return self._errors(counts, self.sending.effective(shares, leaf, len(shares)))

    def _errors(self, counts: Array, rows: Array | None) -> float:
        """The errors of leaves that have such counts (leaves, k), all together."""
        said = answer_of(counts, self.sending.tree.loss).astype(np.int64)
        n = counts.sum(axis=1)
        missed = n - counts[np.arange(len(counts)), said]
        return float(estimate_errors(n, missed, self.confidence, rows).sum())

    def _as_branch(self, node: MutableNode, share: Share) -> float:
        """The errors of a branch if all rows of its parent came to it; none where some cannot."""
        if (counts := self.sending.counts_below(node, share)) is not None:
            return self._errors(*counts)
        leaves, stack = [], [(node, share)]
        while stack:
            at, came = stack.pop()
            if at.asks < 0:
                leaves.append(came)
                continue
            parts = self.sending.route(at.asks, came)
            if parts is None:
                return float("inf")
            new = MutableNode(-1, -1, came)
            stack += [(at.kids.get(key, new), part) for key, part in parts.items()]
        return self._as_leaves(leaves)
