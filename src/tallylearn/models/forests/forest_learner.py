"""Forests: options, fit, out-of-bag estimates and importances of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError, OptionError, error_context
from tallylearn.estimators.conformal import (
    ConformalIntervals,
    cross_conformal,
    out_of_bag_intervals,
)
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.fit_input import FitInput, read_fit_input
from tallylearn.estimators.kept_rows import rows_to_keep
from tallylearn.estimators.options import NONE, VERBOSE, either, fitted, fixed, option, rows, whole
from tallylearn.estimators.passes import Learned, Passes, in_memory
from tallylearn.models.design.rare_categories import AUTO
from tallylearn.models.forests import single_trees
from tallylearn.models.forests.bootstrap import BootstrapSamples
from tallylearn.models.forests.forest import Forest
from tallylearn.models.forests.forest_grower import ForestGrower, GrowTrees, grow_trees
from tallylearn.models.forests.forest_importances import ForestImportances, importances_of
from tallylearn.models.forests.forest_training import (
    TrainingTable,
    TreeCutter,
    make_grower,
    sampling_rate,
    sampling_weights,
)
from tallylearn.models.forests.out_of_bag import (
    OutOfBagReport,
    bags_of,
    out_of_bag,
    out_of_bag_steps,
)
from tallylearn.models.forests.tree_votes import proximity_of
from tallylearn.models.trees.class_weights import check_class_weight
from tallylearn.models.trees.classifier import DecisionTreeClassifier
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.monotonic_options import check_goes_with
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.pruning_options import check_pruning
from tallylearn.models.trees.regressor import DecisionTreeRegressor
from tallylearn.models.trees.shapley import shapley_array
from tallylearn.models.trees.tree_options import TreeOptions, seed_of
from tallylearn.runtime.memory_budget import check_memory
from tallylearn.runtime.progress import progress_bar, should_show
from tallylearn.sources.memory.sparse_matrices import dense
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Column, places
from tallylearn.workings import Derivation

SEEDS = (1 << 62) - 1  # a mask: seeds of forests have 62 bits
MIN_PROGRESS_ROWS = 3_000_000  # rows of all trees: from here on a terminal shows a bar
MAX_WORKED_VOTES = 1_000_000  # rows times trees up to which show_work() has out-of-bag votes
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


class ForestLearner(TreeOptions):
    """A forest of trees."""

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    stored: ClassVar[tuple[type, ...]] = (Forest, Column)
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
    vote: str = fixed(value="soft")
    _oob: OutOfBagReport | None = fitted(initial=None)
    _training_table: TrainingTable | None = fitted(initial=None)  # which no model file holds

    def fit_passes(self, passes: Passes) -> Learned:
        """Code the columns of all rows in memory once, and grow the trees."""
        return in_memory(passes, partial(self._fit_block, passes))

    def _fit_block(self, passes: Passes, block: Block) -> Learned:
        check_finite(block)
        seed, weights = seed_of(self.random_state) & SEEDS, sampling_weights(self, block)
        grower = make_grower(self, block, sampling_rate(self, block, weights), seed, weights)
        target, bags = grower.target, grower.bags
        training_table = TrainingTable.of(block, self.get_params(deep=False))
        before = self._forest_to_extend(grower, training_table)
        numbers = range(len(before) if before else 0, int(self.n_estimators))
        shown = bool(self.verbose) or should_show(len(block) * len(numbers), MIN_PROGRESS_ROWS)
        cut = TreeCutter(self.max_leaf_nodes, self.ccp_alpha)
        with progress_bar(len(numbers), f"{type(self).__name__}: trees", shown) as done:
            found = grow_trees(GrowTrees(grower, cut or None), numbers, passes, done)
        forest = Forest.of(
            found, before, columns=tuple(scale.column for scale in grower.table.scales),
            classes=target.classes, rows=len(block), rate=bags.rate, seed=seed,
            vote=str(self.vote), loss=target.loss, by_weight=bags.weights is not None,
        )  # fmt: skip
        rows = rows_to_keep(self.oob_score or self.keep_rows, block)
        kept = {"kept_rows_": rows, "_oob": None, "_training_table": training_table}
        return Learned(forest, kept=kept)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit the forest: ``fit(X, y)``, or ``fit(table, "target")``.

        Parameters
        ----------
        X : table or array
            The training rows.
        y : array or str, optional
            The target, or the name of its column.
        sample_weight : array or str, optional
            The weights of the rows, or the name of their column.

        Returns
        -------
        self
            The fitted forest.
        """
        with self._error_context("fit"):
            self._check_options()  # n_jobs, before it sets the engine
        jobs = self.n_jobs
        with nullcontext() if jobs is None else engines.engine(int(jobs) if jobs > 0 else None):
            super().fit(X, y, sample_weight)
            if self.oob_score:
                self.oob_score_ = self.oob.value
                if self.task == "classifier":
                    self.oob_decision_function_ = self.oob.answers
                else:
                    self.oob_prediction_ = self.oob.answers[:, 0]
        return self

    @property
    def oob(self) -> OutOfBagReport:
        """The out-of-bag score, with an interval: every row by the trees that have not seen it."""
        with self._error_context("oob"):
            self._check_fitted()
            if self._oob is None:
                block = self._training_rows("out_of_bag")
                self._oob = out_of_bag(self.model_, block, self._bags(block))
            return self._oob

    def _working(self, full: bool) -> Derivation:
        """The columns, and the out-of-bag votes where the training rows are kept and few."""
        work = super()._working(full)
        forest, block = self.model_, self.kept_rows_
        small = block is not None and len(block) * len(forest) <= MAX_WORKED_VOTES
        if block is None or not forest.rate or not (small or full):
            return work
        with self._error_context("show_work"):
            steps = out_of_bag_steps(forest, block, self._bags(block), full)
        return Derivation(work.title, (*work.steps, *steps))

    def out_of_bag(self, X: Any, y: Any = None, sample_weight: Any = None) -> OutOfBagReport:
        """The out-of-bag score of a forest that does not keep its training rows.

        Parameters
        ----------
        X : table or array
            The training rows, in the same order.
        y : array or str, optional
            The target, or the name of its column.
        sample_weight : array or str, optional
            The weights of the rows, or the name of their column.

        Returns
        -------
        OutOfBag
            The score with its interval, and the out-of-bag prediction of every row.
        """
        with self._error_context("out_of_bag"):
            self._check_fitted()
            block = self._read_training_rows(X, y, sample_weight)
            return out_of_bag(self.model_, block, self._bags(block))

    def _conformal_intervals(self, read: FitInput, cv: Any) -> ConformalIntervals:
        """Out-of-bag residuals, where rows are drawn alone: bags do not keep groups together."""
        block = read.whole()
        if cv is not None or not self.model_.rate or block.group is not None:
            return cross_conformal(self, read, cv)
        answers = out_of_bag(self.model_, block, self._bags(block)).answers
        return out_of_bag_intervals(self.predictions, block, answers[:, 0])

    def importances(
        self, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> ForestImportances:
        """The importance of every column: its share of the gain, and by permutation.

        Both are means over the trees, with intervals. The second is the loss of accuracy, or of
        explained variance, on out-of-bag rows when the values of the column are permuted. It needs
        the training rows: pass them to a forest that does not keep them.

        Parameters
        ----------
        X : table or array, optional
            The training rows, in the same order.
        y : array or str, optional
            The target, or the name of its column.
        sample_weight : array or str, optional
            The weights of the rows, or the name of their column.

        Returns
        -------
        Importances
            One entry per column, the largest importance first.
        """
        with self._error_context("importances"):
            self._check_fitted()
            block = self.kept_rows_ if X is None else self._read_training_rows(X, y, sample_weight)
            if block is None or not self.model_.rate:
                return importances_of(self.model_)
            return importances_of(self.model_, block, self._bags(block))

    def proximity(self, X: Any) -> Array:
        """The proximity of rows: the share of the trees in which two rows reach the same leaf.

        Parameters
        ----------
        X : table or array
            The n rows to compare with each other.

        Returns
        -------
        ndarray of shape (n, n)
            Symmetric, with ones on the diagonal.
        """
        ends = self.apply(X)
        with self._error_context("proximity"):
            n = len(ends)
            check_memory(
                9.0 * n * n, f"the proximity of {n:,} rows to each other", "Pass fewer rows."
            )
            return proximity_of(ends)

    def _training_rows(self, call: str) -> Block:
        if self.kept_rows_ is None:
            raise InputError(
                "the training rows were not kept (model files and pickles do not contain them, "
                f"nor does a fit with keep_rows=False). Pass them again: {call}(table, 'target')."
            )
        return self.kept_rows_

    def _read_training_rows(self, X: Any, y: Any, weight: Any) -> Block:
        name, known = type(self).__name__, self.model_.classes
        read = read_fit_input(
            self._table(X), y, weight, who=name, aim=self.task, schema=self.schema_, classes=known
        )
        return read.whole(engines.current_engine().report_rows)

    def apply(self, X: Any) -> Array:
        """The leaf that each row reaches in every tree.

        Parameters
        ----------
        X : table or array
            Rows to predict.

        Returns
        -------
        ndarray of shape (n, n_trees)
            Numbers of nodes, counted from the root of each tree.
        """
        return self._map_rows(X, lambda block: self.model_.end_nodes(block), "apply")

    def shap_values(self, X: Any) -> Array:
        """Exact Shapley values: what every column adds to the prediction for a row.

        The mean over all orders of the columns of what each adds. A column that is not yet known
        follows the training rows, in the proportions in which they went down the trees (TreeSHAP).

        Parameters
        ----------
        X : table or array
            Rows to explain.

        Returns
        -------
        ndarray of shape (n, columns) or (n, columns, classes)
            With the mean prediction of the training rows, ``expected_value_``, they add up to the
            prediction; of a classifier to the probability of every class.

        Examples
        --------
        >>> import tallylearn as tl
        >>> tennis = tl.example("tennis")
        >>> forest = tl.RandomForestClassifier(10, random_state=0).fit(tennis, "PlayTennis")
        >>> row = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
        >>> values = forest.shap_values(row)[0, :, 1]  # of the class Yes
        >>> print(values.round(3))
        [-0.261 -0.102 -0.221  0.141]
        >>> print((forest.expected_value_[1] + values.sum()).round(3))
        0.2
        """

        def values(block: Block) -> Array:
            return shapley_array(self.model_.shapley_values(block)[1], self.model_.classes)

        return self._map_rows(X, values, "shap_values")

    @property
    def expected_value_(self) -> Array:
        """(outputs,) the mean prediction of the training rows, as the leaves count them."""
        self._check_fitted()
        return np.asarray(self.model_.shapley_trees.means().sum(axis=0) / len(self))

    def decision_path(self, X: Any) -> tuple[Any, Array]:
        """The nodes that each row passes, as in scikit-learn.

        Parameters
        ----------
        X : table or array
            Rows to predict.

        Returns
        -------
        indicator : scipy.sparse.csr_matrix of shape (n, n_nodes)
            1 where a row passes a node.
        n_nodes_ptr : ndarray of shape (n_trees + 1,)
            Where the nodes of each tree begin.
        """
        ends = self.apply(X)
        return single_trees.visited_nodes(self.model_, ends)

    @property
    def estimator_(self) -> Any:
        """A single tree with the options of the forest, not fitted."""
        self._check_fitted()
        return single_trees.make_tree(self._tree_class, self.get_params(deep=False))

    @property
    def estimators_(self) -> Sequence[Any]:
        """The trees as estimators of their own; each is grown again when it is used."""
        self._check_fitted()
        grower = cache(self._grower_again)  # the table is coded once for all of them
        return single_trees.LazyTrees(len(self.model_), lambda at: self._tree(*grower(), at))

    @property
    def estimators_samples_(self) -> list[Array]:
        """The numbers of the rows in the bootstrap sample of every tree, with repetitions."""
        self._check_fitted()
        forest, block = self.model_, self.kept_rows_
        if forest.by_weight:
            block = self._training_rows("fit")
        numbers = places(0 if block is None else block.start, np.arange(forest.rows))
        if block is None or not forest.rate:
            bags = BootstrapSamples(np.zeros(forest.rows, np.int32), forest.rate, forest.seed)
        else:
            bags = self._bags(block)
        return [numbers[single_trees.sampled_rows(bags, tree)] for tree in range(len(forest))]

    def __len__(self) -> int:
        """The number of trees."""
        self._check_fitted()
        return len(self.model_)

    def __getitem__(self, index: Any) -> Any:
        """A tree as an estimator of its own, or several: see ``estimators_``."""
        with error_context(type(self).__name__):
            return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def __bool__(self) -> bool:
        """A forest is true before it is fitted, too."""
        return True

    def _grower_again(self) -> tuple[ForestLearner, ForestGrower]:
        """What the trees grew from, and by which options, whatever was set since."""
        with error_context(type(self).__name__):
            block, forest, learner = self._training_rows("fit"), self.model_, self._as_fitted()
            weights = sampling_weights(learner, block)
            return learner, make_grower(learner, block, forest.rate, forest.seed, weights)

    def _tree(self, learner: ForestLearner, grower: ForestGrower, number: int) -> Any:
        """A tree as an estimator of its own."""
        cut = TreeCutter(learner.max_leaf_nodes, learner.ccp_alpha)
        tree = single_trees.make_tree(self._tree_class, learner.get_params(deep=False))
        return single_trees.wrap_tree(tree, self, cut(grower.tree(number)))

    @property
    def _tree_class(self) -> type:
        return DecisionTreeClassifier if self.task == "classifier" else DecisionTreeRegressor

    def _forest_to_extend(
        self, grower: ForestGrower, training_table: TrainingTable
    ) -> Forest | None:
        """The forest that trees are added to, with ``warm_start``."""
        if not self.warm_start or not self.__sklearn_is_fitted__():
            return None
        forest, n = self.model_, int(self.n_estimators)
        bags = grower.bags
        columns = tuple(scale.column for scale in grower.table.scales)
        if self._training_table is None:
            raise InputError(
                "warm_start=True adds trees to a forest of the same table, and a model file does "
                "not contain the training rows. Fit with warm_start=False: the trees are the same."
            )
        if not self._training_table.matches(training_table) or (
            forest.columns, forest.classes, forest.rows, forest.rate, forest.seed,
        ) != (columns, grower.target.classes, len(bags), bags.rate, bags.seed):  # fmt: skip
            raise InputError(
                "warm_start=True adds trees to a forest of the same table and options, but the "
                "table or an option has changed. Fit with warm_start=False."
            )
        if n < len(forest):
            raise OptionError(
                f"n_estimators={n} must be larger or equal to len(estimators_)={len(forest)} when "
                "warm_start==True. Raise n_estimators, or fit with warm_start=False."
            )
        return forest

    def _bags(self, block: Block) -> BootstrapSamples:
        """The bootstrap samples that the trees grew from, for the rows that they grew from."""
        weights = sampling_weights(self._as_fitted(), block) if self.model_.by_weight else None
        return bags_of(self.model_, block, weights)

    def _as_fitted(self) -> ForestLearner:
        """An estimator with the options that the trees grew with, whatever was set since."""
        grown = {} if self._training_table is None else self._training_table.options
        return type(self)(**{**self.get_params(deep=False), **grown})

    def _check_combinations(self) -> None:
        if self.task == "regressor" and self.criterion == ABSOLUTE:
            raise OptionError(
                'criterion="absolute_error" is not available for forests: medians need the sorted '
                'rows of a node, and forests keep only sums. Use "squared_error", or a '
                "DecisionTreeRegressor."
            )
        check_pruning(self)
        check_goes_with(self)
        if missing_values.in_parts(self.missing):
            raise OptionError(
                'missing="fractional" splits a row among branches, which forests do not support. '
                'Use missing="branch", or a single tree.'
            )
        if self.oob_score and not self.bootstrap:
            raise OptionError(
                "oob_score needs rows outside of the bootstrap samples, and bootstrap=False draws "
                "none. Out of bag estimation only available if bootstrap=True."
            )
        if self.max_samples is not None and not self.bootstrap:
            raise OptionError(
                "max_samples is the size of a bootstrap sample, and bootstrap=False draws none. "
                "`max_sample` cannot be set if `bootstrap=False`. Leave one of them out."
            )
        if self.task == "classifier":
            check_class_weight(self.class_weight)
        else:
            missing_values.check_of_measures(self.missing)

    def _check_stored(self) -> None:
        super()._check_stored()
        if bool(self.model_.classes) != (self.task == "classifier"):
            raise ValueError("the forest predicts classes, or numbers, and its estimator does not")

    def _count_training_rows(self) -> float | None:
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
        """(p,) the mean share of every column in the gain of the trees."""
        self._check_fitted()
        mean = self.model_.gained.mean(axis=0)
        return np.asarray(mean / mean.sum() if mean.sum() > 0 else mean)

    def __getstate__(self) -> dict[str, Any]:
        """A pickle has no training rows."""
        return {name: value for name, value in self.__dict__.items() if name not in NOT_PICKLED}
