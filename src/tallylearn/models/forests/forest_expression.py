"""Forests as expressions: the mean of what the trees tell, or of their votes."""

from __future__ import annotations

from typing import Any

from tallylearn.estimators.model import tie_rule
from tallylearn.expressions import (
    Argmax,
    CategoryColumn,
    CategorySplit,
    ClassChoice,
    ClassifierExpression,
    Literal,
    NumberColumn,
    NumberTree,
    Product,
    RegressorExpression,
    Sum,
    ThresholdSplit,
    TreeSplits,
    VectorTree,
    WeightedMean,
)
from tallylearn.expressions.nodes import NO_CHILD
from tallylearn.models.forests.packed_trees import Trees
from tallylearn.models.trees.expression import least_loss_choice
from tallylearn.models.trees.routing import ANY


def forest_expression(forest: Trees) -> ClassifierExpression | RegressorExpression:
    """The mean over the trees: of shares or votes for each class, or of their means."""
    bounds = [*zip(forest.roots.tolist(), forest.ends.tolist(), strict=True)]
    splits = [tree_splits(forest, first, end) for first, end in bounds]
    share = 1 / len(forest)
    if not forest.classes:
        trees = [
            NumberTree(one, tuple(map(Literal, forest.node_values[first:end, 0].tolist())))
            for one, (first, end) in zip(splits, bounds, strict=True)
        ]
        return RegressorExpression((Product((Literal(share), Sum(tuple(trees)))),))
    voters = tuple(
        VectorTree(one, tuple(map(tuple, forest.vote_contributions[first:end].tolist())))
        for one, (first, end) in zip(splits, bounds, strict=True)
    )
    shares = WeightedMean(voters, (share,) * len(forest))
    chosen: ClassChoice = Argmax(shares, tie_rule())
    if forest.loss.size:
        chosen = least_loss_choice(shares, forest.loss)
    return ClassifierExpression(forest.classes, chosen, shares)


def tree_splits(forest: Any, first: int, end: int) -> TreeSplits:
    """The splits of the tree from node ``first`` on, of a forest or of boosted trees."""
    return TreeSplits(tuple(_split(forest, first, at) for at in range(first, end)))


def _split(forest: Any, root: int, at: int) -> ThresholdSplit | CategorySplit | None:
    """A step of the kernel (see kernels/tree_predict), its nodes counted from the root."""
    place, first, last, gone = forest.steps[at].tolist()
    missing = NO_CHILD if gone == at else gone - root
    if place >= 0:
        if first == last == at:
            return None
        column = NumberColumn(forest.columns[forest.places[place]].name)
        threshold = float(forest.threshold[at])
        return ThresholdSplit(column, threshold, first - root, last - root, missing)
    if first == last and missing == NO_CHILD:
        return None
    column_of = forest.columns[forest.places[place]]
    codes, kids = (part.tolist() for part in forest.leads[:, first:last])
    led = dict(zip(codes, (kid - root for kid in kids), strict=True))
    other = led.pop(ANY, NO_CHILD)
    known = tuple(str(column_of.values[code]) for code in led)
    return CategorySplit(CategoryColumn(column_of.name), known, tuple(led.values()), other, missing)
