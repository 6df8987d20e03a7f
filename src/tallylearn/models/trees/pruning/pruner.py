"""Prunings: grow the tree whole, then take back what it would be better without."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self

from tallylearn import engines
from tallylearn.doors.intake import lesson
from tallylearn.errors import InputError, OptionError, listed, speaking
from tallylearn.folds import Folds
from tallylearn.models.trees.growing import gaps
from tallylearn.models.trees.growing.coded_columns import coded
from tallylearn.models.trees.growing.fractional_rows import Rows
from tallylearn.models.trees.growing.grower import Plan
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.least_loss import answer_of
from tallylearn.models.trees.pruning import chi_square, cost_complexity, pessimistic
from tallylearn.models.trees.pruning.best_first import with_leaves
from tallylearn.models.trees.pruning.cost_complexity import PruningPath, path_of
from tallylearn.models.trees.pruning.pruning_record import Cut, Prunings, Stage
from tallylearn.models.trees.pruning.reduced_error import (
    ALIKE,
    costs_on,
    expected_losses,
    greedy,
    least,
    never_worse,
)
from tallylearn.models.trees.pruning.training_record import Record
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Block

BY_ERRORS = ("reduced_error", "reduced_error_greedy")
OF_CLASSES = ("chi2", "pessimistic", "loss")
METHODS = ("chi2", *BY_ERRORS, "pessimistic", "cost_complexity", "loss")
GOES_WITH = {
    "level": "chi2",
    "confidence": "pessimistic",
    "raising": "pessimistic",
    "ccp_alpha": "cost_complexity",
    "cp": "cost_complexity",
}
THIRD = 1 / 3  # of the rows are kept for validation where no share is given


class Pruner:
    """What a learner of trees can do to a tree that has grown."""

    task: ClassVar[str | None]
    model_: Tree
    schema_: Any
    missing: Any

    # a learner has those of these parameters that make sense for it
    significance: Any = None
    pruning: Any = None
    level: Any = 0.05
    validation: Any = None
    confidence: Any = 0.25
    raising: Any = True
    ccp_alpha: Any = 0.0
    cp: Any = None
    max_leaf_nodes: Any = None
    loss: Any = None

    record_: Record | None = None  # with record=True
    record: Any = False

    _target: Callable[[Block], Target]
    _plan: Callable[[Block, Target], Plan]
    _grown: Callable[[Block, Target, Plan], Tree]
    _table: Callable[[Any], Any]
    _check_fitted: Callable[[], None]
    _in_range: Callable[..., float]
    _one_of: Callable[..., Any]

    def prune(
        self, how: str, X: Any = None, y: Any = None, sample_weight: Any = None, **options: Any
    ) -> Self:
        """A new learner with the tree pruned, and ``pruning=how``; this one stays as it is.

        ``how`` and the options (``level``, ``confidence``, ``raising``, ``ccp_alpha``, ``cp``,
        ``loss``) are those of the constructor. The table is the validation set of "reduced_error",
        "reduced_error_greedy" and "loss", and the training set of "pessimistic" with raising and of
        ``ccp_alpha="cv"``, which need not be passed to a tree that was fitted with ``record=True``.
        """
        self._check_fitted()
        with speaking(type(self).__name__):
            found = copy.copy(self)
            found._take(how, options)
            block = None if X is None else self._read(X, y, sample_weight)
            if how in BY_ERRORS and block is None:
                raise InputError(
                    f"{how!r} asks a validation set. Pass one: prune({how!r}, table, 'target')."
                )
            held = block if how in (*BY_ERRORS, "loss") else None
            grew = block if held is None else None
            tree, stages = found._pruned(found._judging(self.model_), how, grew, held)
            found.model_ = tree
            found.record_ = None if self.record_ is None else self.record_.and_then(stages)
        return found

    def prunings(self) -> Prunings:
        """What was removed from the tree, why, and in which order."""
        self._check_fitted()
        if self.record_ is None:
            raise InputError(
                f"{type(self).__name__}: what was pruned is not kept with the tree, nor in a model "
                "file. Fit with record=True, then prune."
            )
        return self.record_.prunings

    def cost_complexity_pruning_path(
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> PruningPath:
        """The alphas at which the tree of this table loses a branch, as in scikit-learn."""
        with speaking(type(self).__name__):
            self._check_options()  # type: ignore[attr-defined]
            read = lesson(self._table(X), y, sample_weight, type(self).__name__, self.task)
            return path_of(self._full(read.whole(engines.here().told)))

    def _read(self, X: Any, y: Any, weight: Any) -> Block:
        read = lesson(self._table(X), y, weight, type(self).__name__, self.task, self.schema_)
        return read.whole(engines.here().told)

    def _take(self, how: str, options: dict[str, Any]) -> None:
        """Options of one call, checked as the constructor's are."""
        known = ("level", "confidence", "raising", "ccp_alpha", "cp", "loss")
        if odd := [name for name in options if name not in known]:
            raise OptionError(f"prune takes {listed(known)}, not {odd[0]!r}.")
        if self.task != "classifier" and "loss" in options:
            raise OptionError("loss goes with classes, and a regression has none.")
        if how is None:
            raise OptionError(f"how is one of {listed(METHODS, 20)}, not None.")
        self.pruning = how
        self._one_of("pruning", METHODS)
        for name, value in options.items():
            setattr(self, name, value)
        if how != "cost_complexity":
            self.ccp_alpha, self.cp = 0.0, None
        elif "cp" in options or "ccp_alpha" in options:  # one of them, and not what growing had
            self.ccp_alpha, self.cp = options.get("ccp_alpha", 0.0), options.get("cp")
        self._check_pruning()
        if odd := [name for name in options if GOES_WITH.get(name, how) != how]:
            raise OptionError(f"{odd[0]} goes with {GOES_WITH[odd[0]]!r}, not with {how!r}.")

    def _parted(self, block: Block) -> tuple[Block, Block | None]:
        """The rows to grow from, and those kept for validation."""
        share = self.validation
        if share is None and self.pruning in BY_ERRORS:
            share = THIRD
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
        if self.significance is not None:  # what grows by hand is not tested as it grows
            tree = tree.without(chi_square.weak(tree, float(self.significance)))
        if self.max_leaf_nodes is not None:
            tree = with_leaves(tree, int(self.max_leaf_nodes))
        return tree

    def _finished(self, block: Block) -> tuple[Tree, Record | None]:
        """The tree, pruned as the options say, and the record of it, if one is asked for."""
        grew, held = self._parted(block)
        tree, how = self._full(grew), self.pruning
        stages: tuple[Stage, ...] = ()
        if how is None and (self.ccp_alpha != 0 or self.cp is not None):
            how = "cost_complexity"
        if how is not None:
            tree, stages = self._pruned(tree, how, grew, held)
        return tree, Record.of(grew, stages) if self.record else None

    def _judging(self, tree: Tree) -> Tree:
        """The tree with the answers of least expected loss, where a loss is given."""
        if self.loss is None:
            return tree
        loss = self._losses(tree.classes)  # type: ignore[attr-defined]
        answer = answer_of(tree.counts, loss, tree.tie, tree.seed)
        return replace(tree, loss=loss, answer=answer)

    def _pruned(
        self, tree: Tree, how: str, grew: Block | None, held: Block | None
    ) -> tuple[Tree, tuple[Stage, ...]]:
        if how == "pessimistic":
            # gaps that the class filled in cannot be sent down again as rows to predict are
            moves = self.raising and len(tree) > 1 and gaps.sent_alike(self.missing)
            rows = self._rows_of(grew) if moves else None
            return pessimistic.pruned(tree, float(self.confidence), rows)
        cuts = self._cuts(tree, how, grew, held)
        return tree.without(cut.node for cut in cuts), (Stage(how, tree, cuts),)

    def _cuts(
        self, tree: Tree, how: str, grew: Block | None, held: Block | None
    ) -> tuple[Cut, ...]:
        if how == "chi2":
            return tuple(chi_square.bottom_up(tree, float(self.level)))
        if how == "loss":
            costs = expected_losses(tree) if held is None else costs_on(tree, held, tree.loss)
            return never_worse(tree, costs, "loss")
        if how == "cost_complexity" and self.cp is not None:
            return cost_complexity.cuts(tree, float(self.cp), cost_complexity.errors(tree))
        if how == "cost_complexity":
            alpha = self._alpha(tree, grew) if self.ccp_alpha == "cv" else self.ccp_alpha
            return cost_complexity.cuts(tree, float(alpha))
        assert held is not None  # both callers see to it
        costs = costs_on(tree, held, ALIKE)
        return greedy(tree, costs) if how == BY_ERRORS[1] else never_worse(tree, costs, "errors")

    def _alpha(self, tree: Tree, grew: Block | None) -> float:
        block = self._remembered(grew).arranged()
        return cost_complexity.chosen(tree, block, self._full, self._seed(block))

    def _rows_of(self, grew: Block | None) -> Rows:
        block = self._remembered(grew)
        target = self._target(block)
        return Rows.of(coded(block), target, self._plan(block, target))

    def _remembered(self, given: Block | None) -> Block:
        if given is not None:
            return given
        if self.record_ is None:
            raise InputError(
                "the table is not kept with the tree. Pass it again: prune(how, table, 'target'); "
                "or fit with record=True."
            )
        return self.record_.rows

    def _check_pruning(self) -> None:
        self._one_of("pruning", (None, *METHODS))
        if self.task != "classifier" and self.pruning in OF_CLASSES:
            raise OptionError(
                f"pruning={self.pruning!r} counts classes, and a regression has none. Use "
                f"{listed([m for m in METHODS if m not in OF_CLASSES])}."
            )
        if self.pruning == "loss" and self.loss is None:
            raise OptionError('pruning="loss" asks for loss=, what each mistake costs.')
        self._check_inside("level", 1.0)
        self._check_inside("confidence", 0.5, "]")
        if self.validation is not None:
            self._check_inside("validation", 1.0)
        if not isinstance(self.raising, bool):
            raise OptionError(f"raising is True or False, not {self.raising!r}.")
        self._check_alpha()

    def _check_alpha(self) -> None:
        if not (isinstance(self.ccp_alpha, str) and self.ccp_alpha == "cv"):
            self._in_range("ccp_alpha", 0.0)
        if self.cp is not None:
            self._in_range("cp", 0.0, 1.0)
        if self.cp is not None and self.ccp_alpha != 0:
            raise OptionError("cp and ccp_alpha both say what a leaf is worth. Leave one out.")
        given = "ccp_alpha" if self.ccp_alpha != 0 else "cp" if self.cp is not None else ""
        if given and self.pruning not in (None, "cost_complexity"):
            raise OptionError(
                f"{given} goes with cost_complexity, and pruning is {self.pruning!r}. "
                "Leave one of them out."
            )

    def _check_inside(self, name: str, high: float, end: str = ")") -> None:
        value = getattr(self, name)
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not (0 < value < high or (end == "]" and value == high)):
            raise OptionError(
                f"The {name!r} parameter of {type(self).__name__} must be a float in the range "
                f"(0.0, {high}{end}. Got {value!r} instead."
            )
