"""Training of a forest: what its trees count, which rows they sample, and how they are cut back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, is_one_of
from tallylearn.estimators.option_values import is_same_value
from tallylearn.models.forests.bootstrap import ROWS, BootstrapSamples
from tallylearn.models.forests.forest_grower import ForestGrower
from tallylearn.models.forests.single_trees import SUBSAMPLE
from tallylearn.models.trees.class_weights import balanced_weights, loss_matrix, weigh_rows
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.node_target import (
    Target,
    check_weights,
    of_classes,
    of_counts,
    of_measures,
)
from tallylearn.models.trees.pruning import cost_complexity
from tallylearn.models.trees.pruning.best_first import with_leaves
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.tree_options import growth_plan
from tallylearn.tables import FREQUENCY, Array, Block, Codes

# options that shape no tree, and those of sampling, which the forest itself records
NOT_COMPARED = frozenset((
    "n_estimators", "random_state", "bootstrap", "max_samples", "oob_score", "n_jobs", "verbose",
    "warm_start", "keep_rows",
))  # fmt: skip


@dataclass(frozen=True)
class ForestTarget:
    """What the trees of a forest count, for any weights of the rows."""

    values: Codes | Array  # the target of every row: classes, or (n,) numbers
    criterion: str
    loss: Any
    missing: str
    min_samples_leaf: float

    def with_weights(self, weights: Array | None) -> Target:
        """The target of rows with these weights; None: all weigh alike."""
        if isinstance(self.values, Codes):
            missing_values.check_of_classes(self.missing, weights, self.min_samples_leaf)
            return of_classes(self.values, weights, loss_matrix(self.loss, self.values.values))
        if self.criterion == "poisson":
            return of_counts(self.values, weights)
        return of_measures(self.values, weights, self.criterion == "sdr")


@dataclass(frozen=True)
class SampledTarget:
    """What a tree counts where the rows of every bootstrap sample weigh anew."""

    target: ForestTarget
    bags: BootstrapSamples
    balanced: bool  # whether all classes weigh alike in every sample

    def __call__(self, tree: int) -> Target:
        bags, values = self.bags, self.target.values
        if not self.balanced:
            return self.target.with_weights(bags.times(tree).astype(np.float64))
        assert isinstance(values, Codes)
        often = bags.times(tree) if bags.counts_as_weights else np.ones(len(bags))
        drawn = bags.entries(tree)
        rows = drawn & ROWS
        counts = often[rows] * ((drawn >> 32) & 255)
        by_class = np.bincount(values.codes[rows], counts, len(values.values))
        return self.target.with_weights(balanced_weights(by_class)[values.codes] * often)


@dataclass(frozen=True)
class TreeCutter:
    """Cuts a tree of a forest back, after it has grown in full."""

    max_leaf_nodes: int | None
    ccp_alpha: float

    def __bool__(self) -> bool:
        return self.max_leaf_nodes is not None or bool(self.ccp_alpha)

    def __call__(self, tree: Tree) -> Tree:
        if self.max_leaf_nodes is not None:
            tree = with_leaves(tree, int(self.max_leaf_nodes))
        if self.ccp_alpha:
            cuts = cost_complexity.cuts(tree, float(self.ccp_alpha))
            tree = tree.without(cut.node for cut in cuts)
        return tree


def balances_samples(learner: Any) -> bool:
    """Whether classes weigh alike in every bootstrap sample."""
    return is_one_of(learner.class_weight, (SUBSAMPLE,))


def row_weights(learner: Any, block: Block) -> Array | None:
    """(n,) the weights of the rows times those of their classes; None: all weigh alike."""
    if learner.task != "classifier":
        return block.weight
    return weigh_rows(block, learner.class_weight, by_weight=True)


def sampling_weights(learner: Any, block: Block) -> Array | None:
    """(n,) what rows are sampled in proportion to; None: all alike."""
    return block.weight if balances_samples(learner) else row_weights(learner, block)


def sampling_rate(learner: Any, block: Block, weights: Array | None) -> float:
    """How often a row is in the sample of a tree on average; 0: all rows are, once.

    ``weights``: of the rows and their classes. As in scikit-learn, as many rows are drawn as the
    table has, or a share of the sum of the weights; frequencies count as rows.
    """
    n = len(block)
    if not learner.bootstrap:
        return 0.0
    counted = float(np.asarray(block.weight).sum()) if _has_frequencies(block) else float(n)
    if learner.max_samples is None:
        return counted / n
    if isinstance(learner.max_samples, Integral):
        if int(learner.max_samples) > counted:
            raise OptionError(
                f"max_samples is {learner.max_samples}, and the table has {counted:g} rows. Give a "
                "smaller number, or a share between 0 and 1."
            )
        return int(learner.max_samples) / n
    return float(learner.max_samples) * (1.0 if weights is None else float(weights.mean()))


def _has_frequencies(block: Block) -> bool:
    """Whether rows have weights that say how often they occur."""
    return block.weight is not None and block.weight_kind == FREQUENCY


def make_grower(
    learner: Any, block: Block, rate: float, seed: int, weights: Array | None
) -> ForestGrower:
    """What the trees grow from.

    Parameters
    ----------
    learner : ForestLearner
        The forest, with its options.
    block : Block
        The training rows.
    rate : float
        How often a row is sampled, see ``sampling_rate``.
    seed : int
        The seed of all samples.
    weights : ndarray or None
        What rows are sampled in proportion to. Without sampling, weights count in the splits.

    Returns
    -------
    ForestGrower
    """
    if weights is not None:
        check_weights(weights)
    loss = learner.loss
    column = ForestTarget(
        block.target, learner.criterion, loss, learner.missing, learner.min_samples_leaf
    )
    target = column.with_weights(None if rate else row_weights(learner, block))
    if rate:  # shares of the weight are those of a sample
        target = replace(target, total=rate * len(block))
    plan = growth_plan(learner, block, target)
    balances = rate > 0 and balances_samples(learner)
    weighed = rate > 0 and (weights is not None or balances)
    once = weighed and plan.min_leaf > 1 and not _has_frequencies(block)
    bags = BootstrapSamples(target.labels, rate, seed, weights if rate else None, once)
    grower = ForestGrower.of(block, target, plan, learner.bins, bags)
    if balances or bags.counts_as_weights:
        grower = replace(grower, weighed=SampledTarget(column, bags, balances))
    return grower


@dataclass(frozen=True)
class TrainingTable:
    """A digest of the training rows, and the options that shape trees: may more trees join?"""

    rows: bytes
    options: Mapping[str, Any]

    @classmethod
    def of(cls, block: Block, options: Mapping[str, Any]) -> TrainingTable:
        digest = hashlib.blake2b(digest_size=16)
        for column in _columns(block):
            digest.update(np.ascontiguousarray(column).data)
        shaping = {name: value for name, value in options.items() if name not in NOT_COMPARED}
        return cls(digest.digest(), deepcopy(shaping))

    def matches(self, other: TrainingTable) -> bool:
        """Whether trees of both are trees of one forest."""
        return self.rows == other.rows and all(
            is_same_value(value, other.options[name]) for name, value in self.options.items()
        )


def _columns(block: Block) -> Iterator[Array]:
    """All that a tree sees of the rows; codes of sorted values, in whichever order they came."""
    yield from block.numbers.T
    coded = [block.codes[name] for name in sorted(block.codes)]
    for one in (*coded, block.target):
        yield one.recode(sorted(one.values)) if isinstance(one, Codes) else one
        if isinstance(one, Codes):
            yield np.frombuffer(repr(sorted(one.values)).encode(), np.uint8)
    if block.weight is not None:
        yield block.weight
