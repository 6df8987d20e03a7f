"""Pruning: grow a tree in full, then remove the branches that it predicts better without.

The methods are in the other modules of this folder; the functions here choose among them by the
options of an estimator, and find the rows that a method needs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tallylearn.estimators.kept_rows import rows_not_kept, rows_to_keep
from tallylearn.estimators.passes import scaled_weights
from tallylearn.folds import Folds
from tallylearn.models.trees.class_weights import loss_matrix
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.coded_columns import code_columns
from tallylearn.models.trees.growing.node_rows import NodeRows
from tallylearn.models.trees.least_loss import answer_of
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.passed_table import with_codes_of_tree
from tallylearn.models.trees.pruning import chi_square, cost_complexity, pessimistic
from tallylearn.models.trees.pruning.best_first import with_leaves
from tallylearn.models.trees.pruning.effective_rows import effective_rows
from tallylearn.models.trees.pruning.pruning_record import Cut, Prunings, Stage
from tallylearn.models.trees.pruning.reduced_error import (
    EQUAL_LOSSES,
    costs_on,
    expected_losses,
    never_worse,
    prune_greedily,
    rarest_class_rows,
)
from tallylearn.models.trees.pruning_options import BY_ERRORS, OF_CLASSES
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.tree_growth import (
    grow_tree,
    row_frequencies,
    scales_weights,
    tree_plan,
    tree_target,
)
from tallylearn.models.trees.tree_options import TreeOptions, rows_of
from tallylearn.tables import FREQUENCY, SAMPLE_WEIGHT, Array, Block

VALIDATION_SHARE = 1 / 3  # of the rows are kept for validation where no share is given


class FittedTree(NamedTuple):
    """What fitting a single tree gives."""

    tree: Tree
    rows: Block | None  # those that it grew from, where they are kept
    prunings: Prunings | None  # what was removed, where the rows are kept


def fit_tree(learner: TreeOptions, block: Block) -> FittedTree:
    """Grow a tree from training rows, and prune it as the options say.

    Parameters
    ----------
    learner : TreeOptions
        The estimator, with its options.
    block : Block
        The training rows, with scaled weights.

    Returns
    -------
    FittedTree
    """
    grew, validation = _split_rows(learner, block)
    tree, how = grow_full_tree(learner, grew), learner.pruning
    stages: tuple[Stage, ...] = ()
    if how is None and (learner.ccp_alpha != 0 or learner.cp is not None):
        how = "cost_complexity"
    if how is not None:
        tree, stages = _prune(learner, tree, how, grew, validation)
    rows = rows_to_keep(learner.keep_rows, grew)
    return FittedTree(tree, rows, None if rows is None else Prunings(stages))


def prune_fitted(
    learner: TreeOptions, tree: Tree, how: str, block: Block | None
) -> tuple[Tree, tuple[Stage, ...]]:
    """Prune a tree that was fitted before.

    Parameters
    ----------
    learner : TreeOptions
        An estimator with the options of this pruning.
    tree : Tree
        The fitted tree.
    how : str
        The method.
    block : Block or None
        The validation rows of "reduced_error", "reduced_error_greedy" and "loss"; for other
        methods the training rows, or None where the estimator keeps them.

    Returns
    -------
    tuple of Tree and tuple of Stage
        The pruned tree, and what was removed.
    """
    validation = block if how in (*BY_ERRORS, "loss") else None
    grew = block if validation is None else None
    tree = tree.in_rows() if how in OF_CLASSES else tree
    return _prune(learner, _with_loss(learner, tree), how, grew, validation)


def grow_full_tree(learner: TreeOptions, block: Block) -> Tree:
    """The tree before it is pruned."""
    target = tree_target(learner, block)
    tree = grow_tree(learner, block, target, tree_plan(learner, block, target))
    by_class = learner.class_weight is not None
    kind = SAMPLE_WEIGHT if by_class and block.weight_kind == FREQUENCY else block.weight_kind
    tree = tree if kind == FREQUENCY else replace(tree, weight_kind=kind)
    if block.weight is not None and block.weight_kind == FREQUENCY:
        # a split does not depend on those below it: to stop at a node is to remove its branches
        few = tree.n < rows_of(learner.min_samples_split, float(block.weight.sum()), 2)
        tree = tree.without(np.flatnonzero((tree.test != LEAF) & few))
    if learner.significance is not None:  # where the grower has not tested it
        rows = _effective_rows(learner, tree, block)
        tree = tree.without(
            chi_square.find_insignificant_splits(tree, float(learner.significance), rows)
        )
    if learner.max_leaf_nodes is not None:
        tree = with_leaves(tree, int(learner.max_leaf_nodes))
    return tree


def _split_rows(learner: TreeOptions, block: Block) -> tuple[Block, Block | None]:
    """The rows to grow from, and those held out for validation."""
    share = learner.validation
    if share is None and learner.pruning in BY_ERRORS:
        share = VALIDATION_SHARE
    if share is None or learner.pruning not in (*BY_ERRORS, "loss"):
        return block, None
    block = block.sort_rows()  # so that the result does not depend on the order of the rows
    target = block.target
    even = learner.task == "classifier" and rarest_class_rows(target) > 1 and block.group is None
    folds = Folds.holdout(share, stratified=even, seed=_seed(learner, block))
    split = next(folds.splits(len(block), target if even else None, block.group))
    return block[split.train], block[split.test]


def _seed(learner: TreeOptions, block: Block) -> int:
    return tree_plan(learner, block, tree_target(learner, block)).seed


def _with_loss(learner: TreeOptions, tree: Tree) -> Tree:
    """The tree that predicts the class of least expected loss, where a loss is given."""
    loss = loss_matrix(learner.loss, tree.classes)
    if loss is None:
        return tree
    answer = answer_of(tree.counts, loss, tree.tie, tree.seed)
    return replace(tree, loss=loss, answer=answer)


def _prune(
    learner: TreeOptions, tree: Tree, how: str, grew: Block | None, validation: Block | None
) -> tuple[Tree, tuple[Stage, ...]]:
    if how != "pessimistic":
        cuts = _cuts(learner, tree, how, grew, validation)
        return tree.without(cut.node for cut in cuts), (Stage(how, tree, cuts),)
    # values that the class filled in cannot be sent down again as those of rows to predict are
    raises = (
        learner.raising and len(tree) > 1 and missing_values.same_in_prediction(learner.missing)
    )
    rows = None
    if raises:
        trained = _training_rows(learner, tree, grew)
        target = tree_target(learner, trained)
        rows = NodeRows.of(code_columns(trained), target, tree_plan(learner, trained, target))
    block = None if tree.weight_kind == FREQUENCY else _training_rows(learner, tree, grew)
    return pessimistic.prune(
        tree, float(learner.confidence), rows,
        lambda tree: _effective_rows(learner, tree, block),
        None if block is None else row_frequencies(learner, block),
    )  # fmt: skip


def _cuts(
    learner: TreeOptions, tree: Tree, how: str, grew: Block | None, validation: Block | None
) -> tuple[Cut, ...]:
    """The branches that a method removes."""
    rows = None
    if tree.weight_kind != FREQUENCY and (how == "chi2" or (how == "loss" and validation is None)):
        rows = _effective_rows(learner, tree, _training_rows(learner, tree, grew))
    if how == "chi2":
        return tuple(chi_square.bottom_up(tree, float(learner.level), rows))
    if how == "loss":
        if validation is None:
            return never_worse(tree, expected_losses(tree, rows), "loss")
        return never_worse(tree, costs_on(tree, validation, tree.loss), "loss")
    if how == "cost_complexity" and learner.cp is not None:
        return cost_complexity.cuts(tree, float(learner.cp), cost_complexity.errors(tree))
    if how == "cost_complexity":
        folded = isinstance(learner.ccp_alpha, str)
        alpha = _alpha_by_folds(learner, tree, grew) if folded else learner.ccp_alpha
        return cost_complexity.cuts(tree, float(alpha))
    assert validation is not None  # both callers see to it
    costs = costs_on(tree, validation, EQUAL_LOSSES)
    return (
        prune_greedily(tree, costs) if how == BY_ERRORS[1] else never_worse(tree, costs, "errors")
    )


def _alpha_by_folds(learner: TreeOptions, tree: Tree, grew: Block | None) -> float:
    block = _training_rows(learner, tree, grew).sort_rows()
    return cost_complexity.choose_alpha(
        tree, block, lambda rows: grow_full_tree(learner, rows), _seed(learner, block),
        str(learner.ccp_alpha),
    )  # fmt: skip


def _effective_rows(learner: TreeOptions, tree: Tree, block: Block | None) -> Array | None:
    """(m,) of every node, by the rows that it grew from; None where they are its weight."""
    frequency = None if block is None else row_frequencies(learner, block)
    if block is None or frequency is None:
        return None
    return effective_rows(tree, block, frequency, tree_target(learner, block).weights)


def _training_rows(learner: TreeOptions, tree: Tree, given: Block | None) -> Block:
    """The rows that a tree grew from: those that were passed, or those that were kept."""
    if given is not None:
        return with_codes_of_tree(tree, given)
    if learner.kept_rows_ is None:
        raise rows_not_kept("prune(how, table, 'target')", learner.keep_rows)
    return scaled_weights(learner.kept_rows_, scales_weights(learner))
