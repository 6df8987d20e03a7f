"""What both learners of forests share: bags, growing, and what is asked of the trees together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError, OptionError, error_context
from tallylearn.estimators import Plain
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.estimators.kept_rows import rows_to_keep
from tallylearn.estimators.options import NONE, VERBOSE, either, fitted, option, rows, whole
from tallylearn.models.design.rare_categories import AUTO
from tallylearn.models.forests import single_trees
from tallylearn.models.forests.bootstrap import Bags
from tallylearn.models.forests.forest import Forest
from tallylearn.models.forests.forest_grower import ForestGrower, grow_trees
from tallylearn.models.forests.forest_importances import Importances, importances_of
from tallylearn.models.forests.out_of_bag import OutOfBag, bags_of, out_of_bag
from tallylearn.models.forests.training_table import TrainingTable
from tallylearn.models.forests.tree_votes import proximity_of
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.node_target import Target, check_weights
from tallylearn.models.trees.pruning import cost_complexity
from tallylearn.models.trees.pruning.best_first import with_leaves
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.tree_options import TreeOptions, seeded
from tallylearn.runtime.memory_budget import check_memory
from tallylearn.runtime.progress import progress_bar, should_show
from tallylearn.sources.memory.sparse_matrices import dense
from tallylearn.tables import CATEGORY, DATE, FREQUENCY, NUMBER, Array, Block, Column, places

SEEDS = (1 << 62) - 1
MIN_PROGRESS_ROWS = 3_000_000  # rows of all trees: from here on a terminal shows a bar
NOT_PICKLED = ("kept_rows_", "_oob")
MAX_TREES = (1 << 31) - 1  # trees: a forest has no more nodes
FOREST_SIGNATURE = (
    "n_estimators", "criterion", "splitter", "max_depth", "min_samples_split", "min_samples_leaf",
    "min_weight_fraction_leaf", "max_features", "max_leaf_nodes", "min_impurity_decrease",
    "bootstrap", "oob_score", "n_jobs", "random_state", "verbose", "warm_start", "class_weight",
    "ccp_alpha", "max_samples", "monotonic_cst", "vote", "category_split", "min_samples_category",
    "category_smoothing", "missing", "costs", "cost_rule", "cost_exponent", "loss", "bins",
    "keep_rows",
)  # fmt: skip


class ForestLearner(TreeOptions, Plain):
    """A table becomes a forest."""

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    stored: ClassVar[tuple[type, ...]] = (Forest, Column)
    of_trees: ClassVar[type]  # the learner that a tree alone is
    model_: Forest = fitted()
    n_estimators: int = option(
        default=100, kw_only=False, low=1, high=MAX_TREES, doc="Number of trees."
    )
    min_samples_split: float = option(
        default=2,
        doc="Nodes with fewer distinct rows of the bootstrap sample are not split; a float is a "
        "share of all rows.",
    )
    min_samples_leaf: float = option(
        default=1,
        doc="Smallest number of rows of the bootstrap sample in a branch; a float is a share of "
        "all rows. A row that was drawn twice counts twice, or once where rows are drawn by class "
        "weights or sample weights.",
    )
    bootstrap: bool = option(
        default=True,
        doc="Whether each tree grows from its own bootstrap sample; False: all trees see all rows.",
    )
    oob_score: bool = option(
        default=False,
        doc="Whether ``fit`` predicts every row by the trees that have not seen it; without, the "
        "first use of ``oob`` does.",
    )
    n_jobs: int | None = option(
        default=None,
        takes=either(whole(1), whole(high=-1), NONE),
        doc="Number of threads of ``fit``; a negative number is all of them. None: as the engine "
        "has (``tl.engine``).",
    )
    random_state: Any = option(
        default=None,
        doc="Seed of the bootstrap samples and of what a node draws; None is 0.",
    )
    verbose: int = option(
        default=0,
        takes=VERBOSE,
        doc="Whether to show a progress bar; a terminal shows it where growing takes a while.",
    )
    warm_start: bool = option(
        default=False,
        doc="Whether ``fit`` adds trees to those that are there, until ``n_estimators``.",
    )
    ccp_alpha: float = option(
        default=0.0,
        low=0.0,
        doc="Minimal cost-complexity pruning of every tree: each leaf must lower the impurity by "
        "this much.",
    )
    max_samples: Any = option(
        default=None,
        takes=either(rows(1), NONE),
        doc="Mean number of rows in a bootstrap sample; a float is a share of all rows. None: as "
        "many as the table has.",
    )
    min_samples_category: Any = option(default=AUTO)
    bins: int | None = option(
        default=4095,
        doc="Largest number of bins, of equal weight, for each numeric column; thresholds lie "
        "between bins. None: as many as there are values, up to 65,534. Fewer are faster, and "
        "lose accuracy on large tables.",
    )
    keep_rows: bool | str = option(
        default=True,
        doc="Whether to keep the training rows, in ``kept_rows_``, for ``oob`` and "
        '``importances()``. "auto" keeps tables of at most 1,000,000 cells. Neither a model file '
        "nor a pickle has them.",
    )
    _weights: ClassVar[Callable[..., Array | None]]  # what every row weighs; None: all alike
    _oob: OutOfBag | None = fitted(initial=None)
    _training_table: TrainingTable | None = fitted(initial=None)  # which no model file holds

    def train(self, block: Block) -> Forest:
        """Code the columns once, and grow the trees."""
        check_finite(block)
        seed, weights = seeded(self.random_state) & SEEDS, self._drawing_weights(block)
        forest_grower = self._forest_grower(block, self._rate(block, weights), seed, weights)
        target, bags = forest_grower.target, forest_grower.bags
        training_table = TrainingTable.of(block, self.get_params(deep=False))
        before = self._before(forest_grower, training_table)
        numbers = range(len(before) if before else 0, int(self.n_estimators))
        shown = bool(self.verbose) or should_show(len(block) * len(numbers), MIN_PROGRESS_ROWS)
        with progress_bar(len(numbers), f"{type(self).__name__}: trees", shown) as done:
            cut = self.max_leaf_nodes is not None or self.ccp_alpha
            found = grow_trees(forest_grower, numbers, self._finished if cut else None, done)
        self._training_table = training_table
        self.kept_rows_ = rows_to_keep(self.oob_score or self.keep_rows, block)
        return Forest.of(
            found, before, columns=tuple(scale.column for scale in forest_grower.table.scales),
            classes=target.classes, rows=len(block), rate=bags.rate, seed=seed,
            vote=self._vote(), loss=target.loss, by_weight=bags.weights is not None,
        )  # fmt: skip

    def _forest_grower(
        self, block: Block, rate: float, seed: int, weights: Array | None
    ) -> ForestGrower:
        """What trees grow from: weights draw the rows of a bag, or else weigh the rows of all."""
        if weights is not None:
            check_weights(weights)
        target = self._weighed_target(block, None if rate else self._weights(block))
        if rate:  # shares of the weight are those of a bag
            target = replace(target, total=rate * len(block))
        plan = self._plan(block, target)
        weighed = rate > 0 and (weights is not None or self._weighs_bags())
        once = weighed and plan.min_leaf > 1 and not self._frequencies(block)
        bags = Bags(target.labels, rate, seed, weights if rate else None, once)
        forest_grower = ForestGrower.of(block, target, plan, self.bins, bags)
        return replace(forest_grower, weighed=self._of_bag(block, bags))

    def _rate(self, block: Block, weights: Array | None) -> float:
        """How often a row is in the bag of a tree on average; 0: all rows are, once.

        ``weights``: of the rows and their classes. As in scikit-learn, as many rows are drawn as
        the table has, or a share of the sum of the weights; frequencies count as rows.
        """
        n = len(block)
        if not self.bootstrap:
            return 0.0
        counted = float(np.asarray(block.weight).sum()) if self._frequencies(block) else float(n)
        if self.max_samples is None:
            return counted / n
        if isinstance(self.max_samples, Integral):
            if int(self.max_samples) > counted:
                raise OptionError(
                    f"max_samples is {self.max_samples}, and the table has {counted:g} rows. Give "
                    "fewer, or a share of them."
                )
            return int(self.max_samples) / n
        return float(self.max_samples) * (1.0 if weights is None else float(weights.mean()))

    @staticmethod
    def _frequencies(block: Block) -> bool:
        """Whether rows have weights that say how often they occur."""
        return block.weight is not None and block.weight_kind == FREQUENCY

    def _weighs_bags(self) -> bool:
        """Whether the rows of a bag weigh anew."""
        return False

    def _drawing_weights(self, block: Block) -> Array | None:
        """What the rows of bags are drawn in proportion to; None: all alike."""
        return block.weight

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn from a table: ``fit(X, y)``, or ``fit(table, "target")``."""
        with error_context(type(self).__name__):
            self._check_options()  # n_jobs, before it sets the engine
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
        with error_context(type(self).__name__):
            if self._oob is None:
                block = self._remembered("out_of_bag")
                self._oob = out_of_bag(self.model_, block, self._bags(block))
            return self._oob

    def out_of_bag(self, X: Any, y: Any = None, sample_weight: Any = None) -> OutOfBag:
        """The same, for who passes the table that the forest was grown from once more."""
        self._check_fitted()
        with error_context(type(self).__name__):
            block = self._again(X, y, sample_weight)
            return out_of_bag(self.model_, block, self._bags(block))

    def importances(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> Importances:
        """What every column gained, and what is lost on rows not seen when it is mixed up.

        Both are means over the trees, with their intervals. The second needs the rows that the
        forest was grown from: pass them again to one that has come from a file.
        """
        self._check_fitted()
        with error_context(type(self).__name__):
            block = self.kept_rows_ if X is None else self._again(X, y, sample_weight)
            if block is None or not self.model_.rate:
                return importances_of(self.model_)
            return importances_of(self.model_, block, self._bags(block))

    def proximity(self, X: Any) -> Array:
        """(n, n) the share of the trees in which two rows end at the same leaf."""
        ends = self.apply(X)
        with error_context(type(self).__name__):
            n = len(ends)
            check_memory(
                9.0 * n * n, f"the proximity of {n:,} rows to each other", "Pass fewer rows."
            )
            return proximity_of(ends)

    def _remembered(self, call: str) -> Block:
        if self.kept_rows_ is None:
            raise InputError(
                "the rows that the trees grew from are not kept: neither a model file nor "
                f"keep_rows=False keeps them. Pass them again: {call}(table, 'target')."
            )
        return self.kept_rows_

    def _again(self, X: Any, y: Any, weight: Any) -> Block:
        name, known = type(self).__name__, self.model_.classes
        read = read_fit_input(
            self._table(X), y, weight, name, self.task, self.schema_, classes=known
        )
        return read.whole(engines.current_engine().report_rows)

    def apply(self, X: Any) -> Array:
        """(n, trees) the number of the node where each row ends in every tree."""
        return self._map_rows(X, lambda block: self.model_.landed(block))

    def decision_path(self, X: Any) -> tuple[Any, Array]:
        """(n, nodes) a sparse matrix of the nodes that each row passes, and where trees begin."""
        ends = self.apply(X)
        return single_trees.passed(self.model_, ends)

    @property
    def estimator_(self) -> Any:
        """A learner of single trees with the options of the forest, not fitted."""
        self._check_fitted()
        return single_trees.unfitted(self.of_trees, self.get_params(deep=False))

    @property
    def estimators_(self) -> Sequence[Any]:
        """The trees, each as a learner of its own; it is grown again when it is asked for."""
        self._check_fitted()
        forest_grower = cache(self._as_grown)  # coded once for all trees that are asked for
        return single_trees.LazyTrees(len(self.model_), lambda at: self._tree(*forest_grower(), at))

    @property
    def estimators_samples_(self) -> list[Array]:
        """The numbers of the rows in every tree's bag, each as often as it is in."""
        self._check_fitted()
        forest, block = self.model_, self.kept_rows_
        if forest.by_weight:
            block = self._remembered("fit")
        numbers = places(0 if block is None else block.start, np.arange(forest.rows))
        if block is None or not forest.rate:
            bags = Bags(np.zeros(forest.rows, np.int32), forest.rate, forest.seed)
        else:
            bags = self._bags(block)
        return [numbers[single_trees.drawn(bags, tree)] for tree in range(len(forest))]

    def __len__(self) -> int:
        """The number of trees."""
        self._check_fitted()
        return len(self.model_)

    def __getitem__(self, index: Any) -> Any:
        """A tree as a learner of its own, or several: see ``estimators_``."""
        with error_context(type(self).__name__):
            return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def __bool__(self) -> bool:
        """A forest is true before it is fitted, too."""
        return True

    def _as_grown(self) -> tuple[ForestLearner, ForestGrower]:
        """What the trees grew from, whatever options were set since."""
        with error_context(type(self).__name__):
            block, forest, learner = self._remembered("fit"), self.model_, self._as_fitted()
            weights = learner._drawing_weights(block)
            return learner, learner._forest_grower(block, forest.rate, forest.seed, weights)

    def _tree(self, learner: ForestLearner, forest_grower: ForestGrower, number: int) -> Any:
        """A tree as a learner of its own."""
        tree = learner._finished(forest_grower.tree(number))
        alone = single_trees.unfitted(self.of_trees, learner.get_params(deep=False))
        return single_trees.alone(alone, self, tree)

    def _finished(self, tree: Tree) -> Tree:
        """A tree that has grown, cut back as the options say."""
        if self.max_leaf_nodes is not None:
            tree = with_leaves(tree, int(self.max_leaf_nodes))
        if self.ccp_alpha:
            cuts = cost_complexity.cuts(tree, float(self.ccp_alpha))
            tree = tree.without(cut.node for cut in cuts)
        return tree

    def _before(self, forest_grower: ForestGrower, training_table: TrainingTable) -> Forest | None:
        """The forest that is grown on, with ``warm_start``."""
        if not self.warm_start or not self.__sklearn_is_fitted__():
            return None
        forest, n = self.model_, int(self.n_estimators)
        bags = forest_grower.bags
        columns = tuple(scale.column for scale in forest_grower.table.scales)
        if self._training_table is None:
            raise InputError(
                "warm_start adds trees to a forest of the same table and options, and a model file "
                "does not tell those rows. Fit with warm_start=False: the trees are the same."
            )
        if not self._training_table.alike(training_table) or (
            forest.columns, forest.classes, forest.rows, forest.rate, forest.seed,
        ) != (columns, forest_grower.target.classes, len(bags), bags.rate, bags.seed):  # fmt: skip
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

    def _weighed_target(self, block: Block, weights: Array | None) -> Target:
        raise NotImplementedError

    def _of_bag(self, block: Block, bags: Bags) -> Callable[[int], Target] | None:
        """What is counted in a tree, where that depends on its bag."""
        if not bags.counts_as_weights:
            return None
        return lambda tree: self._weighed_target(block, bags.times(tree).astype(np.float64))

    def _bags(self, block: Block) -> Bags:
        """The bags that the trees grew from, for the rows that they grew from."""
        weights = self._as_fitted()._drawing_weights(block) if self.model_.by_weight else None
        return bags_of(self.model_, block, weights)

    def _as_fitted(self) -> ForestLearner:
        """A learner with the options that the trees grew with, whatever was set since."""
        grown = {} if self._training_table is None else self._training_table.options
        return type(self)(**{**self.get_params(deep=False), **grown})

    def _check_combinations(self) -> None:
        super()._check_combinations()
        if missing_values.in_parts(self.missing):
            raise OptionError(
                'missing="fractional" sends a row down every branch in parts, and the bags of a '
                'forest hold whole rows. Use "branch", or a single tree.'
            )
        if self.oob_score and not self.bootstrap:
            raise OptionError(
                "oob_score counts the rows that a tree has not seen, and with bootstrap=False "
                "every tree sees all. Out of bag estimation only available if bootstrap=True"
            )
        if self.max_samples is not None and not self.bootstrap:
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
        return {name: value for name, value in self.__dict__.items() if name not in NOT_PICKLED}
