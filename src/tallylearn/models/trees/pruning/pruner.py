"""Prunings: grow the tree whole, then take back what it would be better without."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError, error_context
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.estimators.kept_rows import rows_not_kept, rows_to_keep
from tallylearn.folds import Folds
from tallylearn.models.trees.class_weights import loss_matrix
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.coded_columns import coded
from tallylearn.models.trees.growing.fractional_rows import Rows
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import Plan
from tallylearn.models.trees.least_loss import answer_of
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.passed_table import as_grown
from tallylearn.models.trees.pruning import chi_square, cost_complexity, pessimistic
from tallylearn.models.trees.pruning.best_first import with_leaves
from tallylearn.models.trees.pruning.cost_complexity import PruningPath, path_of
from tallylearn.models.trees.pruning.effective_rows import effective_rows
from tallylearn.models.trees.pruning.pruning_options import BY_ERRORS, COUNTING, PruningOptions
from tallylearn.models.trees.pruning.pruning_record import Cut, Prunings, Stage
from tallylearn.models.trees.pruning.reduced_error import (
    EQUAL_LOSSES,
    costs_on,
    expected_losses,
    greedy,
    least,
    never_worse,
)
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import FREQUENCY, SAMPLE_WEIGHT, Array, Block

VALIDATION_SHARE = 1 / 3  # of the rows are kept for validation where no share is given


class Pruner(PruningOptions):
    """What a learner of trees can do to a tree that has grown."""

    model_: Tree
    schema_: Any
    missing: Any

    kept_rows_: Block | None
    keep_rows: Any
    _prunings: Prunings | None = None  # what was pruned, where the rows are kept

    _target: Callable[[Block], Target]
    _plan: Callable[[Block, Target], Plan]
    _grown: Callable[[Block, Target, Plan], Tree]
    _table: Callable[[Any], Any]
    _check_fitted: Callable[[], None]
    _weighed: Callable[[Block], Block]
    _least_split: Callable[[float], int]
    _frequency: Callable[[Block], Array | None]

    def prune(
        self, how: str, X: Any = None, y: Any = None, sample_weight: Any = None, **options: Any
    ) -> Self:
        """A new learner with the tree pruned, and ``pruning=how``; this one stays as it is.

        ``how`` and the options (``level``, ``confidence``, ``raising``, ``ccp_alpha``, ``cp``,
        ``loss``) are those of the constructor. The table is the validation set of "reduced_error",
        "reduced_error_greedy" and "loss", and the training set of "pessimistic" with raising and of
        ``ccp_alpha="cv"``, which need not be passed where the tree keeps its rows (``keep_rows``).
        """
        self._check_fitted()
        with error_context(type(self).__name__):
            found = copy.copy(self)
            found._take(how, options)
            block = None if X is None else found._read(X, y, sample_weight)
            if how in BY_ERRORS and block is None:
                raise InputError(
                    f"{how!r} asks a validation set. Pass one: prune({how!r}, table, 'target')."
                )
            held = block if how in (*BY_ERRORS, "loss") else None
            grew = block if held is None else None
            model = self.model_.in_rows() if how in COUNTING else self.model_
            tree, stages = found._pruned(found._judging(model), how, grew, held)
            found.model_ = tree
            if self._prunings is not None:
                found._prunings = Prunings((*self._prunings.stages, *stages))
        return found

    def prunings(self) -> Prunings:
        """What was removed from the tree, why, and in which order."""
        self._check_fitted()
        if self._prunings is None:
            raise InputError(
                f"{type(self).__name__}: what was pruned is not kept with the tree, nor in a model "
                "file. Fit with keep_rows=True, then prune."
            )
        return self._prunings

    def cost_complexity_pruning_path(
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> PruningPath:
        """The alphas at which the tree of this table loses a branch, as in scikit-learn."""
        with error_context(type(self).__name__):
            self._check_options()  # type: ignore[attr-defined]
            read = read_fit_input(self._table(X), y, sample_weight, type(self).__name__, self.task)
            return path_of(
                self._full(self._weighed(read.whole(engines.current_engine().report_rows)))
            )

    def _read(self, X: Any, y: Any, weight: Any) -> Block:
        read = read_fit_input(
            self._table(X), y, weight, type(self).__name__, self.task, self.schema_
        )
        return self._weighed(read.whole(engines.current_engine().report_rows))

    def _parted(self, block: Block) -> tuple[Block, Block | None]:
        """The rows to grow from, and those kept for validation."""
        share = self.validation
        if share is None and self.pruning in BY_ERRORS:
            share = VALIDATION_SHARE
        if share is None or self.pruning not in (*BY_ERRORS, "loss"):
            return block, None
        block = block.arranged()  # so that the order of the rows decides nothing
        target = block.target
        even = self.task == "classifier" and least(target) > 1 and block.group is None
        folds = Folds.holdout(share, stratified=even, seed=self._seed(block))
        split = next(folds.splits(len(block), target if even else None, block.group))
        return block[split.train], block[split.test]

    def _seed(self, block: Block) -> int:
        return self._plan(block, self._target(block)).seed

    def _full(self, block: Block) -> Tree:
        """The tree before it is pruned."""
        target = self._target(block)
        tree = self._grown(block, target, self._plan(block, target))
        by_class = getattr(self, "class_weight", None) is not None
        kind = SAMPLE_WEIGHT if by_class and block.weight_kind == FREQUENCY else block.weight_kind
        tree = tree if kind == FREQUENCY else replace(tree, weight_kind=kind)
        if block.weight is not None and block.weight_kind == FREQUENCY:
            # a node's question does not depend on those below it: to stop there is to cut there
            few = tree.n < self._least_split(float(block.weight.sum()))
            tree = tree.without(np.flatnonzero((tree.test != LEAF) & few))
        if self.significance is not None:  # where the grower has not tested it
            rows = self._effective_rows(tree, block)
            tree = tree.without(chi_square.weak(tree, float(self.significance), rows))
        if self.max_leaf_nodes is not None:
            tree = with_leaves(tree, int(self.max_leaf_nodes))
        return tree

    def _finished(self, block: Block) -> tuple[Tree, Block | None, Prunings | None]:
        """The tree, pruned as the options say; the rows and the prunings, where they are kept."""
        grew, held = self._parted(block)
        tree, how = self._full(grew), self.pruning
        stages: tuple[Stage, ...] = ()
        if how is None and (self.ccp_alpha != 0 or self.cp is not None):
            how = "cost_complexity"
        if how is not None:
            tree, stages = self._pruned(tree, how, grew, held)
        rows = rows_to_keep(self.keep_rows, grew)
        return tree, rows, None if rows is None else Prunings(stages)

    def _judging(self, tree: Tree) -> Tree:
        """The tree with the answers of least expected loss, where a loss is given."""
        loss = loss_matrix(self.loss, tree.classes)
        if loss is None:
            return tree
        answer = answer_of(tree.counts, loss, tree.tie, tree.seed)
        return replace(tree, loss=loss, answer=answer)

    def _pruned(
        self, tree: Tree, how: str, grew: Block | None, held: Block | None
    ) -> tuple[Tree, tuple[Stage, ...]]:
        if how == "pessimistic":
            # gaps that the class filled in cannot be sent down again as rows to predict are
            moves = self.raising and len(tree) > 1 and missing_values.sent_alike(self.missing)
            rows = self._rows_of(tree, grew) if moves else None
            block = None if tree.weight_kind == FREQUENCY else self._remembered(tree, grew)
            return pessimistic.pruned(
                tree, float(self.confidence), rows,
                lambda tree: self._effective_rows(tree, block),
                None if block is None else self._frequency(block),
            )  # fmt: skip
        cuts = self._cuts(tree, how, grew, held)
        return tree.without(cut.node for cut in cuts), (Stage(how, tree, cuts),)

    def _cuts(
        self, tree: Tree, how: str, grew: Block | None, held: Block | None
    ) -> tuple[Cut, ...]:
        rows = None
        if tree.weight_kind != FREQUENCY and (how == "chi2" or (how == "loss" and held is None)):
            rows = self._effective_rows(tree, self._remembered(tree, grew))
        if how == "chi2":
            return tuple(chi_square.bottom_up(tree, float(self.level), rows))
        if how == "loss":
            costs = expected_losses(tree, rows) if held is None else costs_on(tree, held, tree.loss)
            return never_worse(tree, costs, "loss")
        if how == "cost_complexity" and self.cp is not None:
            return cost_complexity.cuts(tree, float(self.cp), cost_complexity.errors(tree))
        if how == "cost_complexity":
            alpha = self._alpha(tree, grew) if self.ccp_alpha == "cv" else self.ccp_alpha
            return cost_complexity.cuts(tree, float(alpha))
        assert held is not None  # both callers see to it
        costs = costs_on(tree, held, EQUAL_LOSSES)
        return greedy(tree, costs) if how == BY_ERRORS[1] else never_worse(tree, costs, "errors")

    def _alpha(self, tree: Tree, grew: Block | None) -> float:
        block = self._remembered(tree, grew).arranged()
        return cost_complexity.chosen(tree, block, self._full, self._seed(block))

    def _effective_rows(self, tree: Tree, block: Block | None) -> Array | None:
        """(m,) of every node, by the rows that it grew from; None where they are its weight."""
        frequency = None if block is None else self._frequency(block)
        if block is None or frequency is None:
            return None
        return effective_rows(tree, block, frequency, self._target(block).weights)

    def _rows_of(self, tree: Tree, grew: Block | None) -> Rows:
        block = self._remembered(tree, grew)
        target = self._target(block)
        return Rows.of(coded(block), target, self._plan(block, target))

    def _remembered(self, tree: Tree, given: Block | None) -> Block:
        if given is not None:
            return as_grown(tree, given)
        if self.kept_rows_ is None:
            raise rows_not_kept("prune(how, table, 'target')", self.keep_rows)
        return self._weighed(self.kept_rows_)
