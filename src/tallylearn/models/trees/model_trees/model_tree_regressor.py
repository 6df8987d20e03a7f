"""Model trees (M5'): regression trees with a linear model at every leaf."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tallylearn import engines
from tallylearn.errors import OptionError
from tallylearn.estimators import Regressor
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.estimators.kept_rows import (
    AUTO,
    KEEP_ROWS,
    picklable_state,
    rows_not_kept,
    rows_to_keep,
)
from tallylearn.estimators.options import (
    Allowed,
    fitted,
    number,
    option,
)
from tallylearn.estimators.passes import Learned, Passes, in_memory, scaled_weights
from tallylearn.models.design.rare_categories import MIN_ROWS, RareValues
from tallylearn.models.trees import explanation
from tallylearn.models.trees.growing.plan import ENDLESS
from tallylearn.models.trees.model_trees.attributes import Attributes
from tallylearn.models.trees.model_trees.fitting import Growth, model_tree
from tallylearn.models.trees.model_trees.formulas import MOST_LINES, LeafFormula
from tallylearn.models.trees.model_trees.model_rules import (
    ModelRules,
    model_gains,
    model_rules,
    model_tree_working,
)
from tallylearn.models.trees.model_trees.model_tree import ModelTree
from tallylearn.models.trees.showing.candidates import Gains, check_node
from tallylearn.models.trees.showing.importances import Importances, importances_of, shares_of
from tallylearn.models.trees.showing.tree_working import rows_not_kept_note
from tallylearn.models.trees.showing.views import TreeViews
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.wording import path_text
from tallylearn.reporting.charts import Plot
from tallylearn.reporting.formatting import more_note
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Column
from tallylearn.workings import Derivation, Sentence

if TYPE_CHECKING:
    from rich.tree import Tree as RichTree

CRITERIA = ("fifth_root", "sdr")
INDICATOR, MEAN = MISSING_RULES = ("indicator", "mean")


class ModelTreeRegressor(Regressor):
    """Model tree (M5'): a tree with linear models at its leaves, smoothed along the path.

    The tree is grown by the split that most reduces the spread of the target. Every node then gets
    a linear model of the attributes that it or its branches split on. An attribute is dropped if
    its standardised coefficient exceeds 1.5, and while Akaike's criterion improves. A branch is
    pruned if the model of its node has no larger estimated error. The defaults are those of M5P,
    the program of M5', except for missing values: see ``missing``.

    Categories are ordered by the mean of the target, for splits and for the indicators of the
    linear models. A missing number counts as the mean, a missing category as the middle one of that
    order; an indicator of missing values is one more attribute, for splits and for linear models. A
    row with an unseen category stops at the node that splits on it, which predicts it.
    Frequencies count as rows. Sample weights and importances weight the sums, but thresholds,
    smoothing and degrees of freedom use the number of rows, as in weighted least squares.
    Predictions far from the training rows are extrapolated without bounds.

    References
    ----------
    J. R. Quinlan, Learning with continuous classes, AI 1992. Y. Wang and I. H. Witten, Inducing
    model trees for continuous classes, ECML 1997.

    Examples
    --------
    >>> import tallylearn as tl
    >>> x = [[i] for i in range(20)]
    >>> y = [2.0 * i + 1 if i < 10 else 50.0 - i for i in range(20)]
    >>> print(tl.ModelTreeRegressor(smooth=None).fit(x, y))
    [20 rows]
    ├─ x0 <= 9.5: LM1  [10 rows]
    └─ x0 > 9.5: LM2  [10 rows]
    <BLANKLINE>
    LM1 = 1 + 2 · x0
    LM2 = 50 - 1 · x0
    """

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    stored: ClassVar[tuple[type, ...]] = (ModelTree, Attributes, Tree, Column, RareValues)
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"M5": {"missing": MEAN}}
    formerly: ClassVar[Mapping[str, Any]] = {"min_samples_category": 1, "missing": MEAN}
    model_: ModelTree = fitted()
    renamed: ClassVar[Mapping[str, str]] = {"record": "keep_rows"}
    kept_rows_: Block | None = fitted(initial=None)
    min_samples_split: float = option(default=4, low=2, doc="Nodes with fewer rows are not split.")
    min_samples_leaf: float = option(default=2, low=1, doc="Smallest number of rows in a branch.")
    min_share_leaf: float = option(
        default=0.2,
        low=0.0,
        high=0.5,
        doc="A branch has more than this share of the rows of its node: M5' tries no threshold in "
        "the first or last fifth of the rows.",
    )
    min_deviation: float = option(
        default=0.05,
        low=0.0,
        high=1.0,
        doc="Nodes whose standard deviation is below this share of the table's are not split.",
    )
    max_depth: int | None = option(
        default=None,
        takes=Allowed(
            ("an int in the range [0, inf)", "None"),
            lambda value: value is None or (number(0.0).includes(value) and value % 1 == 0),
        ),
        doc="Largest number of splits on a path. None: no limit.",
    )
    prune: bool = option(
        default=True,
        doc="Whether a node's linear model replaces branches that promise no smaller error.",
    )
    smooth: float | None = option(
        default=15.0,
        low=0.0,
        doc="k in (n p + k q) / (n + k), which mixes p, the prediction from a branch of n rows, "
        "with q, the prediction of the node's own model. None leaves the models of the leaves as "
        "they are.",
    )
    learner: Any = option(
        default=None,
        type_name="regressor or None",
        doc="None for linear models; or a regressor with ``fit`` and ``predict``. A copy of it "
        "learns from the rows of every leaf (attributes as numbers, without missing values; "
        "weights only where there are any) and replaces the linear model.",
    )
    criterion: str = option(
        default="fifth_root",
        choices=CRITERIA,
        doc='Measure of spread: "fifth_root" of the variance (M5\'), or "sdr", standard deviation '
        "reduction, sd(T) - sum |Ti| / |T| sd(Ti) (Quinlan).",
    )
    min_samples_category: int = option(
        default=MIN_ROWS,
        takes=number(1),
        doc="Rows that a category needs to be split on, in a column with many categories: more "
        "than 64, or than a quarter of the rows, of which there are 50 or more. Rare categories "
        "and unseen ones are filled in like missing ones there; ``rare_values_`` lists them. 1 is "
        "M5' without it.",
    )
    category_smoothing: float = option(
        default=10.0,
        low=0.0,
        doc="Where categories are rare, the others are ordered by their means, with so many rows "
        "of the table's mean added.",
    )
    missing: str = option(
        default=INDICATOR,
        choices=MISSING_RULES,
        doc='What missing values become. "mean": the mean of a number, the middle of the order of '
        'a category, as in M5\'. "indicator": the same, and every column with missing values gets '
        "an attribute that is 1 there, which splits and linear models may use.",
    )
    keep_rows: bool | str = option(
        default=AUTO,
        takes=KEEP_ROWS,
        doc="Whether to keep the training rows, in ``kept_rows_``, so that ``gains`` needs no "
        'table. "auto" keeps tables of at most 1,000,000 cells, but not in pickles.',
    )

    def fit_passes(self, passes: Passes) -> Learned:
        """Grow, model and prune the tree from all rows in memory; then fit the learner of leaves.

        Weights are scaled to sum to the rows: thresholds, prunings and degrees of freedom are sums
        of weights.
        """
        return in_memory(passes, self._fit_block, scale_weights=True)

    def _fit_block(self, block: Block) -> Learned:
        check_finite(block)
        model = model_tree(block, self._growth())
        if self.learner is not None:
            model = replace(model, guests=_fit_leaf_learners(self.learner, model, block))
        return Learned(model, kept={"kept_rows_": rows_to_keep(self.keep_rows, block)})

    def formulas(self) -> list[LeafFormula]:
        """The linear models of the leaves, smoothed, from left to right.

        Returns
        -------
        list of Formula
            One linear model per leaf.
        """
        self._check_fitted()
        if self.learner is not None:
            raise OptionError(
                f"{type(self).__name__}.formulas: the leaves hold {self.learner!r}, which has no "
                "formula. Fit with learner=None."
            )
        return self.model_.formulas()

    @property
    def rare_values_(self) -> dict[str, tuple[str, ...]]:
        """The rare values of every categorical column, which are filled in like missing ones."""
        self._check_fitted()
        return self.model_.attributes.rare.by_column

    def ties(self) -> tuple[explanation.Tie, ...]:
        """The nodes where several splits were equally good.

        Returns
        -------
        tuple of Tie
            Each has the node, the split that was taken, and the others.
        """
        self._check_fitted()
        return explanation.ties(self.model_.tree)

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
        return self._map_rows(X, lambda block: self.model_.tree.end_nodes(block), "apply")

    def get_depth(self) -> int:
        """The largest number of splits on a path.

        Returns
        -------
        int
            0 for a tree that is a single leaf.
        """
        self._check_fitted()
        return self.model_.tree.depth

    def get_n_leaves(self) -> int:
        """The number of leaves.

        Returns
        -------
        int
            1 or more.
        """
        self._check_fitted()
        return len(self.model_.tree.leaves)

    @property
    def tree_(self) -> Tree:
        """The tree of splits, with the arrays of scikit-learn's ``tree_``."""
        self._check_fitted()
        return self.model_.tree.sklearn_marked

    def text(self, max_depth: int | None = None) -> str:
        """The tree as text, one line per branch, followed by the linear models of its leaves.

        Parameters
        ----------
        max_depth : int, optional
            The last level. None: all levels.

        Returns
        -------
        str
            The branches, then the formulas, unless the leaves hold another ``learner``.
        """
        with self._error_context("text"):
            views = self._views()
            return "\n".join(
                [views.text(max_depth), *_formula_lines(views.formulas, len(views.tree))]
            )

    def plot(self, max_depth: int | None = None, direction: str = "auto", title: str = "") -> Plot:
        """The tree as a drawing; see ``DecisionTreeRegressor.plot``.

        Parameters
        ----------
        max_depth : int, optional
            The last level. None: as many as fit.
        direction : {"auto", "down", "right"}, default "auto"
            Where the leaves are.
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
        return importances_of(self._views().tree)

    @property
    def feature_importances_(self) -> Array:
        """(p,) the same shares in the order of the columns."""
        return shares_of(self._views().tree).ravel()

    def rules(self) -> ModelRules:
        """The tree as rules, one per leaf: IF conditions THEN linear model.

        Returns
        -------
        ModelRules
            The rules, from the leftmost leaf to the rightmost.
        """
        self._check_fitted()
        return model_rules(self.model_)

    def fired(self, X: Any) -> ModelRules:
        """The rule that predicts each row.

        Parameters
        ----------
        X : table or array
            Rows to predict.

        Returns
        -------
        ModelRules
            One rule per row, in their order.
        """
        return self.rules().of(self.apply(X).tolist())

    def gains(
        self, node: int = 0, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> Gains:
        """The splits that were possible at a node, and the gain of each.

        Categories are ordered by the mean of the target, and split in that order.

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
            check_node(self.model_.tree, node)
            block = self.kept_rows_
            if X is not None:
                name = type(self).__name__
                read = read_fit_input(
                    X, y, sample_weight, who=name, aim=self.task, schema=self.schema_
                )
                block = scaled_weights(read.whole(engines.current_engine().report_rows), True)
            if block is None:
                raise rows_not_kept("gains(node, table, 'target')", self.keep_rows)
            return model_gains(self.model_, node, block, self._growth())

    def _working(self, full: bool) -> Derivation:
        """The splits by the criterion, from the kept rows; else a table; then the models."""
        if self.kept_rows_ is not None:
            rows, growth = self.kept_rows_, self._growth()
            return model_tree_working(self.model_, rows, growth, self.schema_, full)
        work = super()._working(full)
        note = Sentence(rows_not_kept_note(self.keep_rows))
        return Derivation(work.title, (*work.steps, note))

    def __str__(self) -> str:
        if not self.__sklearn_is_fitted__():
            return repr(self)
        views = self._views()
        return "\n".join([views.short_text(), *_formula_lines(views.formulas, MOST_LINES)])

    def __rich__(self) -> RichTree | str:
        return self._views().rich() if self.__sklearn_is_fitted__() else repr(self)

    def _repr_html_(self) -> str:
        head: str = super()._repr_html_()
        return head + self._views().html() if self.__sklearn_is_fitted__() else head

    def _views(self) -> TreeViews:
        self._check_fitted()
        names, formulas = self.model_.leaf_names()
        return TreeViews(self.model_.tree, names, formulas)

    def __getstate__(self) -> dict[str, Any]:
        return picklable_state(self)

    def _count_training_rows(self) -> float | None:
        return float(self.model_.tree.rows[0])

    def _growth(self) -> Growth:
        return Growth(
            min(float(self.min_samples_split), ENDLESS), min(float(self.min_samples_leaf), ENDLESS),
            float(self.min_share_leaf), min_deviation=float(self.min_deviation),
            max_depth=ENDLESS if self.max_depth is None else min(int(self.max_depth), ENDLESS),
            prune=bool(self.prune), smooth=float(self.smooth or 0.0), criterion=str(self.criterion),
            min_category=float(self.min_samples_category), smoothing=float(self.category_smoothing),
            indicators=self.missing == INDICATOR,
        )  # fmt: skip

    def _check_combinations(self) -> None:
        if self.learner is not None:
            _check_regressor(self.learner)


def _formula_lines(told: Mapping[int, str], most: int) -> list[str]:
    """The formulas under a tree."""
    shown = [*told.values()]
    cut = [more_note(len(shown) - most, "models")] if len(shown) > most else []
    return ["", *shown[:most], *cut] if shown else []


def _check_regressor(learner: Any) -> None:
    """Whatever fits and predicts, and does not say that it is something else."""
    kind = getattr(learner, "_estimator_type", None)
    if kind is None and hasattr(learner, "__sklearn_tags__") and not isinstance(learner, type):
        kind = learner.__sklearn_tags__().estimator_type
    able = all(callable(getattr(learner, name, None)) for name in ("fit", "predict"))
    if isinstance(learner, type) or not able or kind not in (None, "regressor"):
        said = f"a {kind}" if able and kind else "no regressor"
        raise OptionError(
            f"learner is {learner!r}, which is {said}. Pass an instance of a regressor: an object "
            "with fit(X, y) and predict(X), such as tl.DummyRegressor()."
        )


def _fit_leaf_learners(learner: Any, model: ModelTree, block: Block) -> tuple[Any, ...]:
    """A copy of the learner for every leaf."""
    x, ends = model.attributes.matrix(block), model.tree.end_nodes(block)
    found = []
    for leaf in model.tree.leaves.tolist():
        here, guest = np.flatnonzero(ends == leaf), copy.deepcopy(learner)
        weights = {} if block.weight is None else {"sample_weight": block.weight[here]}
        try:
            guest.fit(x[here], block.target[here], **weights)
        except Exception as error:  # whatever a stranger may raise
            way = path_text(model.tree, leaf)
            raise OptionError(
                f"the learner {learner!r} failed at leaf {leaf} ({way}), with {len(here)} rows: "
                f"{error} Raise min_samples_leaf, or use another learner."
            ) from error
        found.append(guest)
    return tuple(found)
