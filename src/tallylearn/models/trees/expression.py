"""Trees as expressions: their splits, and the outcome of every node."""

from __future__ import annotations

from tallylearn.errors import KindError
from tallylearn.expressions import (
    Argmax,
    CategoryColumn,
    CategorySplit,
    ClassChoice,
    ClassifierExpression,
    ClassIndex,
    Literal,
    MatrixProduct,
    NumberColumn,
    NumberTree,
    RegressorExpression,
    ThresholdSplit,
    TieRule,
    TreeSplits,
    Vector,
    VectorTree,
)
from tallylearn.expressions.nodes import FIRST, UNDEFINED
from tallylearn.models.trees.node import LEAF, MULTIWAY, SUBSET, THRESHOLD
from tallylearn.models.trees.nodes import Nodes
from tallylearn.tables import Array

EQUAL_LOSSES = 1e-9  # of the largest, see least_loss


def tree_expression(tree: Nodes) -> ClassifierExpression | RegressorExpression:
    """The share of every class where a row ends, and the class; or its mean or median."""
    splits = tree_splits(tree)
    if not tree.classes:
        outcomes = tuple(map(Literal, tree.answer.tolist()))
        return RegressorExpression((NumberTree(splits, outcomes),))
    shares = VectorTree(splits, tuple(map(tuple, tree.node_values.tolist())))
    if not tree.fractional:  # the class of every node is decided when the tree grows
        chosen: ClassChoice = ClassIndex(
            NumberTree(splits, tuple(map(Literal, tree.answer.tolist())))
        )
    elif tree.tie == "random":
        raise KindError(
            "a tree with tie='random' and missing='fractional' breaks ties at random among parts "
            "of a row, which cannot be written as an expression. Fit with tie='first'."
        )
    else:
        chosen = least_loss_choice(shares, tree.loss, tree.tie)
    return ClassifierExpression(tree.classes, chosen, shares)


def least_loss_choice(shares: Vector, loss: Array, tie: str = "first") -> ClassChoice:
    """The class of least expected loss, or without losses of the largest share: ``answer_of``."""
    if not loss.size and tie == "first":
        return Argmax(shares)
    ties = TieRule(largest=EQUAL_LOSSES, choose=UNDEFINED if tie == "undefined" else FIRST)
    if not loss.size:
        return Argmax(shares, ties)
    return Argmax(MatrixProduct(shares, tuple(map(tuple, (-loss).tolist()))), ties)


def tree_splits(tree: Nodes) -> TreeSplits:
    """The split of every node."""
    weights = tuple(tree.n.tolist()) if tree.fractional else ()
    return TreeSplits(tuple(_split_expression(tree, i) for i in range(len(tree))), weights)


def _split_expression(tree: Nodes, i: int) -> ThresholdSplit | CategorySplit | None:
    test = int(tree.test[i])
    if test == LEAF:
        return None
    name, gone = tree.columns[tree.column[i]].name, int(tree.gap_nodes[i])
    first, *rest = tree.children(i)
    if test in (MULTIWAY, SUBSET):
        values = tree.columns[tree.column[i]].values
        codes, children = (part.tolist() for part in tree.category_leads(i))
        known = tuple(values[code] for code in codes)
        return CategorySplit(CategoryColumn(name), known, tuple(children), tree.other(i), gone)
    # is there a value at all: every number is at most infinity
    threshold = float(tree.threshold[i]) if test == THRESHOLD else float("inf")
    second = rest[0] if test == THRESHOLD else first
    if tree.fractional and gone < 0 and test != THRESHOLD:
        gone = rest[0]
    return ThresholdSplit(NumberColumn(name), threshold, first, second, gone)
