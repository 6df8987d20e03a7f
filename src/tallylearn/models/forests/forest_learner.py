"""What both learners of forests share: bags, growing, and what is asked of the trees together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from tallylearn import engines
from tallylearn.budgets import ask
from tallylearn.doors import Plain
from tallylearn.doors.intake import lesson
from tallylearn.errors import InputError, OptionError, speaking, told
from tallylearn.models.forests.bags import Bags
from tallylearn.models.forests.forest import Forest
from tallylearn.models.forests.forest_importances import Importances, importances_of
from tallylearn.models.forests.grown_from import GrownFrom
from tallylearn.models.forests.nursery import Nursery, stems
from tallylearn.models.forests.out_of_bag import OutOfBag, out_of_bag
from tallylearn.models.forests.tree_votes import proximity_of
from tallylearn.models.naive_bayes.column_factors import check_finite
from tallylearn.models.trees.growing import gaps
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.pruning import cost_complexity
from tallylearn.models.trees.pruning.best_first import with_leaves
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.tree_options import TreeOptions, seeded
from tallylearn.progress_bars import bar, lasting
from tallylearn.sources.sparse_matrices import dense
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Column

SEEDS = (1 << 62) - 1
MOST = (1 << 31) - 1  # trees: a forest has no more nodes
LONG = 3_000_000  # rows of all trees: from here on a terminal shows a bar
KEPT_HERE = ("_grew_from", "_oob")


class ForestLearner(TreeOptions, Plain):
    """A table becomes a forest."""

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    stored: ClassVar[tuple[type, ...]] = (Forest, Column)
    model_: Forest
    tie = "first"
    variant = None
    costs: Mapping[str, float] | None
    n_estimators: Any
    bootstrap: Any
    max_samples: Any
    oob_score: Any
    warm_start: Any
    n_jobs: Any
    verbose: Any
    record: Any
    _grew_from: Block | None = None  # with record=True
    _oob: OutOfBag | None = None
    _grown_from: GrownFrom | None = None  # which no model file holds

    def train(self, block: Block) -> Forest:
        """Code the columns once, and grow the trees."""
        check_finite(block)
        target = self._target(block)
        seed = seeded(self.random_state) & SEEDS
        bags = Bags(target.labels, self._rate(len(block)), seed)
        nursery = Nursery.of(block, target, self._plan(block, target), self.bins, bags)
        nursery = replace(nursery, weighed=self._of_bag(block))
        grown_from = GrownFrom.of(block, self.get_params(deep=False))
        before = self._before(nursery, grown_from)
        numbers = range(len(before) if before else 0, int(self.n_estimators))
        shown = bool(self.verbose) or lasting(len(block) * len(numbers), LONG)
        with bar(len(numbers), f"{type(self).__name__}: trees", shown) as done:
            cut = self.max_leaf_nodes is not None or self.ccp_alpha
            found = stems(nursery, numbers, self._finished if cut else None, done)
        self._grown_from, keep = grown_from, self.record or self.oob_score
        self._grew_from = block[np.arange(len(block))] if keep else None  # nobody writes to a copy
        return Forest.of(
            found, before, columns=tuple(scale.column for scale in nursery.table.scales),
            classes=target.classes, rows=len(block), rate=bags.rate, seed=seed,
            vote=self._vote(), loss=target.loss,
        )  # fmt: skip

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn from a table: ``fit(X, y)``, or ``fit(table, "target")``."""
        with speaking(type(self).__name__):
            self._check_jobs()
        jobs = self.n_jobs
        with nullcontext() if jobs is None else engines.engine(int(jobs) if jobs > 0 else None):
            super().fit(X, y, sample_weight)
            self._oob = None
            if self.oob_score:
                self._score_out_of_bag(self.oob)
        return self

    def _score_out_of_bag(self, found: OutOfBag) -> None:
        """The attributes that scikit-learn has of it."""
        self.oob_score_ = found.value

    @property
    def oob(self) -> OutOfBag:
        """How well every row is answered by the trees that have not seen it, with an interval."""
        self._check_fitted()
        with speaking(type(self).__name__):
            if self._oob is None:
                self._oob = out_of_bag(self.model_, self._remembered("out_of_bag"))
            return self._oob

    def out_of_bag(self, X: Any, y: Any = None, sample_weight: Any = None) -> OutOfBag:
        """The same, for who passes the table that the forest was grown from once more."""
        self._check_fitted()
        with speaking(type(self).__name__):
            return out_of_bag(self.model_, self._again(X, y, sample_weight))

    def importances(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> Importances:
        """What every column gained, and what is lost on rows not seen when it is mixed up.

        Both are means over the trees, with their intervals. The second needs the rows that the
        forest was grown from: pass them again to one that has come from a file.
        """
        self._check_fitted()
        with speaking(type(self).__name__):
            block = self._grew_from if X is None else self._again(X, y, sample_weight)
            return importances_of(self.model_, block if self.model_.rate else None)

    def proximity(self, X: Any) -> Array:
        """(n, n) the share of the trees in which two rows end at the same leaf."""
        ends = self.apply(X)
        with speaking(type(self).__name__):
            n = len(ends)
            ask(9.0 * n * n, f"the proximity of {n:,} rows to each other", "Pass fewer rows.")
            return proximity_of(ends)

    def _remembered(self, call: str) -> Block:
        if self._grew_from is None:
            raise InputError(
                "the rows that the trees grew from are not kept: neither a model file nor "
                f"record=False keeps them. Pass them again: {call}(table, 'target')."
            )
        return self._grew_from

    def _again(self, X: Any, y: Any, weight: Any) -> Block:
        name, known = type(self).__name__, self.model_.classes
        read = lesson(self._table(X), y, weight, name, self.task, self.schema_, classes=known)
        return read.whole(engines.here().told)

    def apply(self, X: Any) -> Array:
        """(n, trees) the number of the node where each row ends in every tree."""
        return self._mapped(X, lambda block: self.model_.landed(block))

    def _finished(self, tree: Tree) -> Tree:
        """A tree that has grown, cut back as the options say."""
        if self.max_leaf_nodes is not None:
            tree = with_leaves(tree, int(self.max_leaf_nodes))
        if self.ccp_alpha:
            cuts = cost_complexity.cuts(tree, float(self.ccp_alpha))
            tree = tree.without(cut.node for cut in cuts)
        return tree

    def _before(self, nursery: Nursery, grown_from: GrownFrom) -> Forest | None:
        """The forest that is grown on, with ``warm_start``."""
        if not self.warm_start or not self.__sklearn_is_fitted__():
            return None
        forest, n = self.model_, int(self.n_estimators)
        bags = nursery.bags
        columns = tuple(scale.column for scale in nursery.table.scales)
        if self._grown_from is None:
            raise InputError(
                "warm_start adds trees to a forest of the same table and options, and a model file "
                "does not tell those rows. Fit with warm_start=False: the trees are the same."
            )
        if not self._grown_from.alike(grown_from) or (
            forest.columns, forest.classes, forest.rows, forest.rate, forest.seed,
        ) != (columns, nursery.target.classes, len(bags), bags.rate, bags.seed):  # fmt: skip
            raise InputError(
                "warm_start adds trees to a forest of the same table and options, and this is "
                "another. Fit with warm_start=False."
            )
        if n < len(forest):
            raise OptionError(
                f"n_estimators={n} must be larger or equal to len(estimators_)={len(forest)} when "
                "warm_start==True"
            )
        return forest

    def _vote(self) -> str:
        return "soft"

    def _of_bag(self, block: Block) -> Callable[[Array], Target] | None:
        """What is counted in a tree, where that depends on its bag."""
        return None

    def _rate(self, n: int) -> float:
        """How often a row is in the bag of a tree on average; 0: all rows are, once."""
        if not self.bootstrap:
            return 0.0
        if self.max_samples is None:
            return 1.0
        if isinstance(self.max_samples, Integral):
            if int(self.max_samples) > n:
                raise OptionError(
                    f"max_samples is {self.max_samples}, and the table has {n} rows. Give fewer, "
                    "or a share of them."
                )
            return int(self.max_samples) / n
        return float(self.max_samples)

    def _check_options(self) -> None:
        super()._check_options()
        trees = self.n_estimators
        whole = isinstance(trees, Integral) and not isinstance(trees, bool)
        if not whole or not 1 <= trees <= MOST:
            raise OptionError(
                f"The 'n_estimators' parameter of {type(self).__name__} must be an int in the "
                f"range [1, {MOST:,}]. Got {told(trees)} instead."
            )
        if isinstance(self.missing, str) and gaps.in_parts(self.missing):
            raise OptionError(
                'missing="fractional" sends a row down every branch in parts, and the bags of a '
                'forest hold whole rows. Use "branch", or a single tree.'
            )
        self._check_truth("bootstrap", "oob_score", "warm_start", "record")
        self._check_jobs()
        self._check_verbose()
        if isinstance(self.ccp_alpha, str):
            raise OptionError("ccp_alpha is a number in a forest: no tree is pruned by folds.")
        if self.oob_score and not self.bootstrap:
            raise OptionError(
                "oob_score counts the rows that a tree has not seen, and with bootstrap=False "
                "every tree sees all. Out of bag estimation only available if bootstrap=True"
            )
        if self.bins is not None and not self.bins >= 2:
            raise OptionError(f"bins is 2 or more, or None, not {told(self.bins)}.")
        self._check_samples()

    def _check_verbose(self) -> None:
        if isinstance(self.verbose, bool) or not isinstance(self.verbose, Integral):
            self._check_truth("verbose")

    def _check_jobs(self) -> None:
        jobs = self.n_jobs
        whole = isinstance(jobs, Integral) and not isinstance(jobs, bool)
        if jobs is not None and (not whole or jobs == 0):
            raise OptionError(
                f"n_jobs is a number of threads, -1 for all, or None, not {told(jobs)}."
            )

    def _check_samples(self) -> None:
        value = self.max_samples
        if value is None:
            return
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not (value >= 1 if isinstance(value, int) else 0 < value <= 1):
            raise OptionError(
                f"The 'max_samples' parameter of {type(self).__name__} must be an int in the range "
                f"[1, inf), a float in the range (0.0, 1.0] or None. Got {value!r} instead."
            )
        if not self.bootstrap:
            raise OptionError(
                "max_samples says how many rows a tree draws, and with bootstrap=False it draws "
                "none. `max_sample` cannot be set if `bootstrap=False`. Leave one of them out."
            )

    def _check_stored(self) -> None:
        super()._check_stored()
        if bool(self.model_.classes) != (self.task == "classifier"):
            raise ValueError("the forest answers with another kind of thing than its learner")

    def _counted_rows(self) -> float | None:
        return float(self.model_.rows)

    def _table(self, X: Any) -> Any:
        return dense(X)

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.input_tags.sparse = True

    def _derive(self) -> None:
        super()._derive()
        self.n_outputs_ = 1

    @property
    def feature_importances_(self) -> Array:
        """(p,) the mean share of every column in what the trees gained."""
        self._check_fitted()
        mean = self.model_.gained.mean(axis=0)
        return np.asarray(mean / mean.sum() if mean.sum() > 0 else mean)

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle holds: the rows that the trees grew from stay where they are."""
        return {name: value for name, value in self.__dict__.items() if name not in KEPT_HERE}
