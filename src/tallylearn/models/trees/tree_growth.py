"""Growth of a single tree: what its nodes count, by which plan, and which grower runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallylearn.errors import OptionError
from tallylearn.models.trees.class_weights import loss_matrix, weigh_rows
from tallylearn.models.trees.growing import (
    absolute_error_grower,
    c45_grower,
    gain_ratio,
    missing_values,
)
from tallylearn.models.trees.growing.coded_columns import code_columns
from tallylearn.models.trees.growing.grower import grow_by_impurity
from tallylearn.models.trees.growing.node_target import Target, of_classes, of_counts, of_measures
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.least_loss import UNDEFINED
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.pruning_options import OF_CLASSES
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.tree_options import TreeOptions, growth_plan, rows_of, seed_of
from tallylearn.tables import FREQUENCY, Array, Block


def row_frequencies(learner: TreeOptions, block: Block) -> Array | None:
    """(n,) how many rows each row stands for, whatever it weighs; None: as many as it weighs.

    Sample weights, importances and class weights weigh rows, and do not count them.
    """
    counted = block.weight is None or block.weight_kind == FREQUENCY
    if counted and learner.class_weight is None:
        return None
    return np.ones(len(block)) if block.weight is None or not counted else block.weight


def scales_weights(learner: TreeOptions) -> bool:
    """Whether weights are scaled to sum to the rows: prunings compare errors in rows."""
    return (
        missing_values.in_parts(learner.missing)
        or learner.variant is not None
        or learner.significance is not None
        or learner.pruning in OF_CLASSES
    )


def tree_target(learner: TreeOptions, block: Block) -> Target:
    """What the nodes of a single tree count: rows of classes, or sums of numbers."""
    classes = learner.task == "classifier"
    return _class_target(learner, block) if classes else _number_target(learner, block)


def _class_target(learner: TreeOptions, block: Block) -> Target:
    weight = weigh_rows(block, learner.class_weight, in_rows=scales_weights(learner))
    missing_values.check_of_classes(learner.missing, weight, learner.min_samples_leaf)
    loss = loss_matrix(learner.loss, block.target.values)
    if learner.tie == UNDEFINED and UNDEFINED in block.target.values:
        raise OptionError(
            'tie="undefined" predicts the word "undefined" for ties, and a class has this name. '
            "Rename the class."
        )
    parts = missing_values.in_parts(learner.missing)
    found = of_classes(block.target, weight, loss, parts)
    if parts or learner.variant is not None:
        found = found.with_rows(row_frequencies(learner, block))
    return replace(found, tie=learner.tie, seed=seed_of(learner.random_state))


def _number_target(learner: TreeOptions, block: Block) -> Target:
    parts = missing_values.in_parts(learner.missing)
    if learner.criterion == "poisson":
        found = of_counts(block.target, block.weight, parts)
    else:
        by_median = learner.criterion == ABSOLUTE
        by_deviation = learner.criterion == "sdr"
        found = of_measures(block.target, block.weight, by_deviation, parts, by_median)
    return found.with_rows(row_frequencies(learner, block)) if parts else found


def tree_plan(learner: TreeOptions, block: Block, target: Target) -> TreePlan:
    """The plan of a single tree; thresholds on rows count frequencies, and no other weights."""
    plan = growth_plan(learner, block, target)
    if row_frequencies(learner, block) is not None:  # splits are tested by effective rows, later
        plan = replace(plan, significance=None)
    if block.weight is None:
        return plan
    if block.weight_kind != FREQUENCY:
        return replace(plan, smoothing=plan.smoothing * target.total / len(block))
    rows = float(block.weight.sum())
    min_leaf = float(rows_of(learner.min_samples_leaf, rows, 1))
    if missing_values.in_parts(learner.missing) or learner.variant is not None:
        min_split = rows_of(learner.min_samples_split, rows, 2)
        return replace(plan, min_leaf=int(min_leaf), min_split=min_split)
    return replace(plan, min_leaf=1, min_split=2, min_weight=max(plan.min_weight, min_leaf))


def grow_tree(learner: TreeOptions, block: Block, target: Target, plan: TreePlan) -> Tree:
    """Code the columns and grow the tree, by the grower that its plan needs."""
    table = code_columns(block, learner.bins)
    table, fixed = missing_values.fill_table(plan.missing, table, target.weights)
    plan = plan.with_fixed(fixed)
    if plan.variant == "c45":
        grow = c45_grower.grow_c45 if c45_grower.by_kernel(plan, table) else grow_by_impurity
        return gain_ratio.snap_thresholds(grow(table, target, plan), table.scales)
    if plan.criterion == ABSOLUTE:
        return absolute_error_grower.grow_by_medians(table, target, plan)
    return grow_by_impurity(table, target, plan)
