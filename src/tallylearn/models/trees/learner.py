"""What all learners of trees share: growing, and the questions one may ask of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import error_context
from tallylearn.estimators import Plain
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.kept_rows import picklable_state, rows_not_kept
from tallylearn.estimators.options import fitted, option
from tallylearn.estimators.sklearn_trees import as_sklearn
from tallylearn.models.trees import explanation, routing
from tallylearn.models.trees.growing import (
    absolute_error_grower,
    c45_grower,
    gain_ratio,
    missing_values,
)
from tallylearn.models.trees.growing.coded_columns import coded
from tallylearn.models.trees.growing.fractional_rows import grow_in_python
from tallylearn.models.trees.growing.grower import grown
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import Plan
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.passed_table import as_grown
from tallylearn.models.trees.pruning.pruner import Pruner
from tallylearn.models.trees.pruning.pruning_options import COUNTING, METHODS
from tallylearn.models.trees.showing.candidates import Gains, check_node, gains_at
from tallylearn.models.trees.showing.rules import Rules, fired, rules_of
from tallylearn.models.trees.showing.views import Drawn
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.tree_options import TreeOptions, rows_of
from tallylearn.sources.memory.sparse_matrices import dense
from tallylearn.tables import CATEGORY, DATE, FREQUENCY, NUMBER, Array, Block, Column


class TreeLearner(TreeOptions, Pruner, Drawn, Plain):
    """A table becomes a tree."""

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    stored: ClassVar[tuple[type, ...]] = (Tree, Column)
    formerly: ClassVar[Mapping[str, Any]] = {"min_samples_category": 1}
    model_: Tree = fitted()
    pruning: str | None = option(
        default=None,
        choices=(None, *METHODS),
        doc="How the tree is pruned once it has grown. Notes describes the methods; "
        "``prunings()`` lists what was removed and why, and ``prune`` prunes a fitted tree.",
    )
    validation: float | None = option(
        default=None,
        low=0.0,
        high=1.0,
        open_low=True,
        open_high=True,
        doc="Share of the rows held out of the tree to count reduced errors and losses on, drawn "
        'by ``random_state``. None is a third; for "loss" it is no row: losses are expected by the '
        "training rows, with every class counted once more.",
    )
    tie: str = option(
        default="first",
        choices=("first", "random"),
        doc='Which of equally good splits is taken: the "first", or a "random" one.',
    )
    cp: float | None = option(
        default=None,
        low=0.0,
        high=1.0,
        doc="Cost-complexity pruning as in rpart: each leaf must lower the squared error on the "
        "training rows by this share of the root's.",
    )

    def train(self, block: Block) -> Tree:
        """Code the columns, grow the tree, prune it."""
        check_finite(block)
        tree, self.kept_rows_, self._prunings = self._finished(block)
        return tree

    def _frequency(self, block: Block) -> Array | None:
        """(n,) how many rows each row stands for, whatever it weighs; None: as many as it weighs.

        Sample weights, importances and class weights weigh rows, and do not count them.
        """
        counted = block.weight is None or block.weight_kind == FREQUENCY
        if counted and getattr(self, "class_weight", None) is None:
            return None
        return np.ones(len(block)) if block.weight is None or not counted else block.weight

    @property
    def _counts_rows_by_weight(self) -> bool:
        """Whether weights are scaled to sum to the rows: prunings compare errors in rows."""
        return (
            missing_values.in_parts(self.missing)
            or self.variant is not None
            or self.significance is not None
            or self.pruning in COUNTING
        )

    def _plan(self, block: Block, target: Target) -> Plan:
        """The plan; thresholds on numbers of rows count frequencies, and no other weights."""
        plan = super()._plan(block, target)
        if self._frequency(block) is not None:  # splits are tested by effective rows, once grown
            plan = replace(plan, significance=None)
        if block.weight is None:
            return plan
        if block.weight_kind != FREQUENCY:
            return replace(plan, smoothing=plan.smoothing * target.total / len(block))
        rows = float(block.weight.sum())
        least = float(rows_of(self.min_samples_leaf, rows, 1))
        if missing_values.in_parts(self.missing) or self.variant is not None:
            return replace(plan, min_leaf=int(least), min_split=self._least_split(rows))
        return replace(plan, min_leaf=1, min_split=2, min_weight=max(plan.min_weight, least))

    def _least_split(self, rows: float) -> int:
        return rows_of(self.min_samples_split, rows, 2)

    def _grown(self, block: Block, target: Target, plan: Plan) -> Tree:
        table = coded(block, self.bins)
        table, fixed = missing_values.filled(plan.missing, table, target.weights)
        plan = plan.with_fixed(fixed)
        if plan.variant == "c45":
            grow = c45_grower.grow_c45 if c45_grower.by_kernel(plan, table) else grow_in_python
            return gain_ratio.snapped(grow(table, target, plan), table.scales)
        if absolute_error_grower.by_kernel(plan, table):
            return absolute_error_grower.grow_by_medians(table, target, plan)
        parts = missing_values.in_parts(plan.missing)
        if plan.criterion == ABSOLUTE or parts:
            return grow_in_python(table, target, plan)
        return grown(table, target, plan)

    def gains(
        self, node: int = 0, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> Gains:
        """Every question that could have been asked at a node, and what it would have gained.

        Pass the table that the tree grew from, unless it is small or was fitted with
        ``keep_rows=True``.
        """
        self._check_fitted()
        with error_context(type(self).__name__):
            check_node(self.model_, node)
            if X is not None:
                block = as_grown(self.model_, self._read(X, y, sample_weight))
            elif self.kept_rows_ is not None:
                block = self.kept_rows_
            else:
                raise rows_not_kept("gains(node, table, 'target')", self.keep_rows)
            target = self._target(block)
            return gains_at(self.model_, node, block, target, self._plan(block, target), self.bins)

    def rules(self, order: str = "leaf") -> Rules:
        """A rule for every leaf: from left to right, or by ``"support"``."""
        with error_context(type(self).__name__):
            return rules_of(self._seen(), self.schema_.missing, order)

    def fired(self, X: Any) -> Rules:
        """The rule that answers each row."""
        tree = self._seen()
        nodes = self._map_rows(X, lambda block: routing.single_ends(tree, block))
        with error_context(type(self).__name__):
            return fired(tree, nodes.tolist(), self.schema_.missing)

    def ties(self) -> tuple[explanation.Tie, ...]:
        """The nodes where several questions were equally good, and which was asked."""
        self._check_fitted()
        return explanation.ties(self.model_)

    def apply(self, X: Any) -> Array:
        """The number of the node where each row ends."""
        return self._map_rows(X, lambda block: self.model_.landed(block))

    def decision_path(self, X: Any) -> Any:
        """(n, nodes) a sparse matrix of the nodes that each row passes, as in scikit-learn."""
        return self.model_.passed(self.apply(X))

    def get_depth(self) -> int:
        """The most questions that a row is asked."""
        self._check_fitted()
        return self.model_.depth

    def get_n_leaves(self) -> int:
        """How many leaves the tree has."""
        self._check_fitted()
        return len(self.model_.leaves)

    def to_sklearn(self) -> Any:
        """The same tree as scikit-learn's own class, for what takes nothing else: SHAP, dtreeviz,
        ``plot_tree``. Every question must be ``x <= threshold``."""
        self._check_fitted()
        with error_context(type(self).__name__):
            return as_sklearn(self, self.model_)

    @property
    def tree_(self) -> Tree:
        """The tree, with scikit-learn's marks at leaves, and its names where the tree is binary."""
        self._check_fitted()
        return self.model_.marked

    def _seen(self) -> Tree:
        self._check_fitted()
        return self.model_

    def __getstate__(self) -> dict[str, Any]:
        return picklable_state(self, "_prunings")

    def _counted_rows(self) -> float | None:
        return float(self.model_.rows[0])

    def _table(self, X: Any) -> Any:
        return dense(X)

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.input_tags.sparse = True

    def _derive(self) -> None:
        super()._derive()
        self.n_outputs_ = 1
        self.max_features_ = self._features(self.n_features_in_)


def tree_in(learner: Any) -> Tree | None:
    """The tree of a fitted learner of trees; None in anything else."""
    return learner.tree_ if isinstance(learner, TreeLearner) else None
