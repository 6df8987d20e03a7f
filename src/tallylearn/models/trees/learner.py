"""Single trees: fit, prune, and the views and questions that all of them share."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.estimators.kept_rows import picklable_state, rows_not_kept
from tallylearn.estimators.options import fitted, option
from tallylearn.estimators.passes import Learned, Passes, in_memory, scaled_weights
from tallylearn.estimators.sklearn_trees import as_sklearn
from tallylearn.models.trees import explanation, routing
from tallylearn.models.trees.growing.node_rows import NodeRows
from tallylearn.models.trees.monotonic_options import check_goes_with
from tallylearn.models.trees.passed_table import with_codes_of_tree
from tallylearn.models.trees.pruning.cost_complexity import PruningPath, path_of
from tallylearn.models.trees.pruning.pruner import fit_tree, grow_full_tree, prune_fitted
from tallylearn.models.trees.pruning.pruning_record import Prunings
from tallylearn.models.trees.pruning_options import (
    BY_ERRORS,
    METHODS,
    check_pruning,
    set_prune_options,
)
from tallylearn.models.trees.shapley import (
    shapley_array,
    shapley_tree,
    tree_shapley_values,
)
from tallylearn.models.trees.showing.candidates import Gains, check_node, gains_at, training_rows
from tallylearn.models.trees.showing.importances import Importances, importances_of, shares_of
from tallylearn.models.trees.showing.rules import Rules, rules_of, rules_of_nodes
from tallylearn.models.trees.showing.tree_steps import tree_steps
from tallylearn.models.trees.showing.tree_working import rows_not_kept_note, tree_working
from tallylearn.models.trees.showing.views import TreeViews
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.tree_growth import scales_weights, tree_plan, tree_target
from tallylearn.models.trees.tree_options import TreeOptions, n_features
from tallylearn.reporting.charts import Plot
from tallylearn.sources.memory.sparse_matrices import dense
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Column
from tallylearn.workings import Derivation, Sentence
from tallylearn.workings.step_sequence import StepSequence

if TYPE_CHECKING:
    from rich.tree import Tree as RichTree


class TreeLearner(TreeOptions):
    """A single decision or regression tree."""

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    stored: ClassVar[tuple[type, ...]] = (Tree, Column)
    formerly: ClassVar[Mapping[str, Any]] = {"min_samples_category": 1}
    model_: Tree = fitted()
    _prunings: Prunings | None = fitted(initial=None)  # where the rows are kept
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

    def fit_passes(self, passes: Passes) -> Learned:
        """Grow the tree from all rows in memory, and prune it."""
        return in_memory(passes, self._fit_block, scale_weights=scales_weights(self))

    def _fit_block(self, block: Block) -> Learned:
        check_finite(block)
        tree, rows, prunings = fit_tree(self, block)
        return Learned(tree, kept={"kept_rows_": rows, "_prunings": prunings})

    def prune(
        self, how: str, X: Any = None, y: Any = None, sample_weight: Any = None, **options: Any
    ) -> Self:
        """Prune the fitted tree; this estimator stays as it is.

        Parameters
        ----------
        how : str
            The method, as in the option ``pruning``.
        X : table or array, optional
            The validation rows of "reduced_error", "reduced_error_greedy" and "loss"; the training
            rows for "pessimistic" with ``raising``, and for ``ccp_alpha="cv"``, which need not be
            passed where the tree keeps its rows (``keep_rows``).
        y : array or str, optional
            The target, or the name of its column.
        sample_weight : array or str, optional
            The weights of the rows, or the name of their column.
        **options
            ``level``, ``confidence``, ``raising``, ``ccp_alpha``, ``cp`` or ``loss``, as in the
            constructor.

        Returns
        -------
        DecisionTreeClassifier or DecisionTreeRegressor
            A new estimator with the pruned tree, and ``pruning=how``.
        """
        with self._error_context("prune"):
            self._check_fitted()
            found = copy.copy(self)
            set_prune_options(found, how, options)
            block = None if X is None else found._read(X, y, sample_weight)
            if how in BY_ERRORS and block is None:
                raise InputError(
                    f"how={how!r} needs validation rows. Pass a table: "
                    f"prune({how!r}, table, 'target')."
                )
            found.model_, stages = prune_fitted(found, self.model_, how, block)
            if self._prunings is not None:
                found._prunings = Prunings((*self._prunings.stages, *stages))
        return found

    def prunings(self) -> Prunings:
        """The nodes that pruning removed.

        Returns
        -------
        Prunings
            One entry per node, in the order of removal, with the numbers that were compared.
        """
        self._check_fitted()
        if self._prunings is None:
            raise InputError(
                f"{type(self).__name__}.prunings: the prunings were not kept (model files do not "
                "contain them). Fit with keep_rows=True, then prune."
            )
        return self._prunings

    def cost_complexity_pruning_path(
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> PruningPath:
        """The path of minimal cost-complexity pruning, as in scikit-learn.

        Parameters
        ----------
        X : table or array
            The training rows; a tree is grown from them in full.
        y : array or str, optional
            The target, or the name of its column.
        sample_weight : array or str, optional
            The weights of the rows, or the name of their column.

        Returns
        -------
        PruningPath
            The values of ``ccp_alpha`` at which the tree loses a branch, and the impurities of its
            leaves.
        """
        with self._error_context("cost_complexity_pruning_path"):
            self._check_options()
            name = type(self).__name__
            read = read_fit_input(self._table(X), y, sample_weight, name, self.task)
            block = read.whole(engines.current_engine().report_rows)
            return path_of(grow_full_tree(self, scaled_weights(block, scales_weights(self))))

    def _read(self, X: Any, y: Any, weight: Any) -> Block:
        """Rows that are passed to a fitted tree."""
        name = type(self).__name__
        read = read_fit_input(self._table(X), y, weight, name, self.task, schema=self.schema_)
        block = read.whole(engines.current_engine().report_rows)
        return scaled_weights(block, scales_weights(self))

    def gains(
        self, node: int = 0, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> Gains:
        """The splits that were possible at a node, and the gain of each.

        Parameters
        ----------
        node : int, default 0
            The number of the node; 0 is the root.
        X : table or array, optional
            The training rows, where the tree does not keep them (``keep_rows``).
        y : array or str, optional
            The target, or the name of its column.
        sample_weight : array or str, optional
            The weights of the rows, or the name of their column.

        Returns
        -------
        Gains
            One candidate per column and threshold or group of categories.
        """
        with self._error_context("gains"):
            self._check_fitted()
            check_node(self.model_, node)
            if X is not None:
                block = with_codes_of_tree(self.model_, self._read(X, y, sample_weight))
            elif self.kept_rows_ is not None:
                block = self.kept_rows_
            else:
                raise rows_not_kept("gains(node, table, 'target')", self.keep_rows)
            return gains_at(self.model_, node, self._training_rows(block))

    def _training_rows(self, block: Block) -> NodeRows:
        target = tree_target(self, block)
        return training_rows(block, target, tree_plan(self, block, target), bins=self.bins)

    def _working(self, full: bool) -> Derivation:
        """Every node with its candidates, from the kept rows; else a table of the splits."""
        if self.kept_rows_ is None:
            work = super()._working(full)
            how = rows_not_kept_note(self.keep_rows)
            return Derivation(work.title, (*work.steps, Sentence(how)))
        rows = self._training_rows(self.kept_rows_)
        return tree_working(self.model_, rows, self.text(), full)

    def steps(self) -> StepSequence:
        """The growth of the tree, split by split, as a page to step through.

        Returns
        -------
        StepSequence
            A state for every split: its working, and the tree so far. The last is the fitted
            tree; ``save("tree.html")`` writes a page.

        Examples
        --------
        >>> import tallylearn as tl
        >>> steps = tl.ID3().fit(tl.example("tennis"), "PlayTennis").steps()
        >>> [step.caption for step in steps][1]
        'Split the root on Outlook'
        """
        with self._error_context("steps"):
            self._check_fitted()
            if self.kept_rows_ is None:
                raise rows_not_kept("fit(table, 'target')", self.keep_rows)
            title = f"{type(self).__name__}: the tree, split by split"
            return tree_steps(self.model_, self._training_rows(self.kept_rows_), title)

    def rules(self, order: str = "leaf") -> Rules:
        """The tree as rules, one per leaf.

        Parameters
        ----------
        order : {"leaf", "support"}, default "leaf"
            From left to right, or by the number of training rows, the largest first.

        Returns
        -------
        Rules
            The conditions, the prediction and the training rows of every leaf.
        """
        with self._error_context("rules"):
            return rules_of(self._check_fitted_tree(), self.schema_.missing, order)

    def fired(self, X: Any) -> Rules:
        """The rule that predicts each row.

        Parameters
        ----------
        X : table or array
            Rows to predict.

        Returns
        -------
        Rules
            One rule per row, in their order.
        """
        tree = self._check_fitted_tree()
        nodes = self._map_rows(X, lambda block: routing.single_ends(tree, block), "fired")
        with self._error_context("fired"):
            return rules_of_nodes(tree, nodes.tolist(), self.schema_.missing)

    def ties(self) -> tuple[explanation.Tie, ...]:
        """The nodes where several splits were equally good.

        Returns
        -------
        tuple of Tie
            Each has the node, the split that was taken, and the others.
        """
        return explanation.ties(self._check_fitted_tree())

    def apply(self, X: Any) -> Array:
        """The leaf that each row reaches.

        Parameters
        ----------
        X : table or array
            Rows to predict.

        Returns
        -------
        ndarray of shape (n,)
            Numbers of nodes.
        """
        return self._map_rows(X, lambda block: self.model_.end_nodes(block), "apply")

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes, as in scikit-learn.

        Parameters
        ----------
        X : table or array
            Rows to predict.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n, n_nodes)
            1 where a row passes a node.
        """
        return self.model_.visited_nodes(self.apply(X))

    def shap_values(self, X: Any) -> Array:
        """Exact Shapley values: what every column adds to the prediction for a row.

        The mean over all orders of the columns of what each adds. A column that is not yet known
        follows the training rows, in the proportions in which they went down the tree (TreeSHAP).

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
        >>> tree = tl.ID3().fit(tennis, "PlayTennis")
        >>> row = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
        >>> values = tree.shap_values(row)[0, :, 1]  # of the class Yes
        >>> print(values.round(3))
        [-0.443  0.    -0.271  0.071]
        >>> print((tree.expected_value_[1] + values.sum()).round(3))
        0.0
        """

        def values(block: Block) -> Array:
            return shapley_array(tree_shapley_values(self.model_, block)[1], self.model_.classes)

        return self._map_rows(X, values, "shap_values")

    @property
    def expected_value_(self) -> Array:
        """(outputs,) the mean prediction of the training rows, as the leaves count them."""
        self._check_fitted()
        return np.asarray(shapley_tree(self._check_fitted_tree()).means()[0])

    def get_depth(self) -> int:
        """The largest number of splits on a path.

        Returns
        -------
        int
            0 for a tree that is a single leaf.
        """
        return self._check_fitted_tree().depth

    def get_n_leaves(self) -> int:
        """The number of leaves.

        Returns
        -------
        int
            1 or more.
        """
        return len(self._check_fitted_tree().leaves)

    def to_sklearn(self) -> Any:
        """The same tree as an estimator of scikit-learn, for SHAP, dtreeviz or ``plot_tree``.

        Returns
        -------
        sklearn.tree.DecisionTreeClassifier or DecisionTreeRegressor
            Every split must be ``x <= threshold``.
        """
        with self._error_context("to_sklearn"):
            self._check_fitted()
            return as_sklearn(self, self.model_)

    @property
    def tree_(self) -> Tree:
        """The tree, with the arrays of scikit-learn's ``tree_`` where it is binary."""
        return self._check_fitted_tree().sklearn_marked

    def text(self, max_depth: int | None = None) -> str:
        """The tree as text, one line per branch.

        Parameters
        ----------
        max_depth : int, optional
            The last level. None: all levels.

        Returns
        -------
        str
            Lines without a line break at the end.
        """
        with self._error_context("text"):
            return self._views().text(max_depth)

    def plot(self, max_depth: int | None = None, direction: str = "auto", title: str = "") -> Plot:
        """The tree as a drawing, with details of a node in its tooltip.

        Of more than 2000 nodes the upper levels are drawn, of more than 50 branches the largest. A
        large drawing can be moved and zoomed in a notebook, and in the page that
        ``plot.save("tree.html")`` writes.

        Parameters
        ----------
        max_depth : int, optional
            The last level. None: as many as fit.
        direction : {"auto", "down", "right"}, default "auto"
            Where the leaves are. "auto": on the right if the tree is broader than a screen.
        title : str, optional
            The text above the drawing.

        Returns
        -------
        Plot
            An SVG drawing.
        """
        with self._error_context("plot"):
            return self._views().plot(max_depth, direction, title)

    def to_html(self, max_depth: int | None = None) -> str:
        """The tree as a fragment of HTML whose branches open and close.

        Of more than 5000 nodes it has the upper levels, of more than 200 branches the largest.

        Parameters
        ----------
        max_depth : int, optional
            The last level. None: as many as fit.

        Returns
        -------
        str
            HTML that needs no other file.
        """
        with self._error_context("to_html"):
            return self._views().html(max_depth)

    def to_dot(self, max_depth: int | None = None) -> str:
        """The tree in DOT, the language of Graphviz.

        Parameters
        ----------
        max_depth : int, optional
            The last level. None: all levels.

        Returns
        -------
        str
            The text of a DOT file.
        """
        with self._error_context("to_dot"):
            return self._views().dot(max_depth)

    def importances(self) -> Importances:
        """The importance of every column: its share of the total gain.

        Returns
        -------
        Importances
            The largest first.
        """
        return importances_of(self._check_fitted_tree())

    @property
    def feature_importances_(self) -> Array:
        """(p,) the same shares in the order of the columns."""
        return shares_of(self._check_fitted_tree()).ravel()

    def _repr_html_(self) -> str:
        head: str = super()._repr_html_()
        return head + self._views().html() if self.__sklearn_is_fitted__() else head

    def __str__(self) -> str:
        return self._views().short_text() if self.__sklearn_is_fitted__() else repr(self)

    def __rich__(self) -> RichTree | str:
        return self._views().rich() if self.__sklearn_is_fitted__() else repr(self)

    def _views(self) -> TreeViews:
        return TreeViews(self._check_fitted_tree())

    def _check_fitted_tree(self) -> Tree:
        self._check_fitted()
        return self.model_

    def __getstate__(self) -> dict[str, Any]:
        return picklable_state(self, "_prunings")

    def _count_training_rows(self) -> float | None:
        return float(self.model_.rows[0])

    def _table(self, X: Any) -> Any:
        return dense(X)

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.input_tags.sparse = True

    def _check_combinations(self) -> None:
        check_pruning(self)
        check_goes_with(self)

    def _derive(self) -> None:
        super()._derive()
        self.n_outputs_ = 1
        self.max_features_ = n_features(self.max_features, self.n_features_in_)


def tree_in(learner: Any) -> Tree | None:
    """The tree of a fitted single tree; None of any other estimator."""
    return learner.tree_ if isinstance(learner, TreeLearner) else None
