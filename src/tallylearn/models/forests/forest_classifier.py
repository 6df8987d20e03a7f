"""Random forests: many trees of classes, no two grown alike, and their vote."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tallylearn.errors import among
from tallylearn.estimators import Classifier
from tallylearn.models.design.rare_categories import AUTO
from tallylearn.models.forests.bootstrap import ROWS, Bags
from tallylearn.models.forests.forest import VOTES, Forest
from tallylearn.models.forests.forest_learner import ForestLearner
from tallylearn.models.forests.out_of_bag import OutOfBag
from tallylearn.models.forests.single_trees import SUBSAMPLE
from tallylearn.models.trees.class_weights import ClassWeights, balanced
from tallylearn.models.trees.classifier import DecisionTreeClassifier
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.node_target import Target, of_classes
from tallylearn.tables import Array, Block

CRITERIA = ("gini", "entropy", "log_loss")


class RandomForestClassifier(ForestLearner, ClassWeights, Classifier):
    """A forest of decision trees, each grown from rows and columns that chance chose.

    How often a row is in the bag of a tree is drawn by a hash of its number, the tree's and the
    seed, so the forest is the same on any number of threads. Categories, dates and gaps are taken
    as they are. scikit-learn's parameters mean what they mean there, and those of
    ``DecisionTreeClassifier`` what they mean there.

    Parameters
    ----------
    n_estimators : how many trees.
    max_features : how many columns a node draws to ask one of; "sqrt" of all.
    splitter : "best", or "random": of every column that a node draws one cut is drawn, evenly over
        its range at the node, or a coin for each category, and the best of these is asked.
    bootstrap : whether each tree has its own bag of rows; False: all trees see all rows.
    max_samples : how many rows a bag has on average, or which share of all.
    vote : "soft" (the mean of the trees' shares of the classes) or "majority" (one vote a tree).
    min_samples_split : different rows of the bag, as in scikit-learn: nodes of fewer ask nothing.
    min_samples_leaf : rows of the bag: one that is in it twice counts twice, or once where rows
        are drawn by class weights or sample weights.
    min_samples_category : as in ``DecisionTreeClassifier``; "auto" is 20, and 2 for a category
        whose values tell the classes better than chance, as the tickets of families do.
    class_weight : "balanced", a dict, "balanced_subsample" or None. As in scikit-learn 1.9, rows
        are drawn into bags in proportion to the weights of their classes, times sample weights;
        with "balanced_subsample" classes weigh alike in every bag instead. With
        ``bootstrap=False`` weights count in the splits.
    monotonic_cst : as in ``DecisionTreeClassifier``.
    bins : numbers in at most so many groups of equal weight, and thresholds between them; None: as
        many as there are values, up to 65,534. Fewer are faster, and lose accuracy on large tables.
    random_state : seeds the bags and what a node draws; None is 0.
    warm_start : whether ``fit`` adds trees to those that are there, until ``n_estimators``.
    oob_score : whether ``fit`` answers every row by the trees that have not seen it; without, the
        first ``oob`` does.
    record : whether to keep the rows that the trees grew from, for ``oob`` and ``importances()``;
        neither a model file nor a pickle keeps them.
    verbose : whether a bar is shown; on a terminal it is, where it takes a while.

    Examples
    --------
    >>> import tallylearn as tl
    >>> forest = tl.RandomForestClassifier().fit(tl.example("tennis"))
    >>> row = {"Outlook": "Overcast", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    >>> forest.predict(row)
    array(['Yes'], dtype='<U3')

    References
    ----------
    L. Breiman, Random forests, Machine Learning 45, 2001.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
        monotonic_cst: Any = None,
        vote: str = "soft",
        category_split: str = "subset",
        min_samples_category: Any = AUTO,
        category_smoothing: float = 10.0,
        missing: str = "side",
        costs: Mapping[str, float] | None = None,
        cost_rule: str = "gain2/cost",
        cost_exponent: float = 1.0,
        loss: Any = None,
        bins: int | None = 4095,
        record: bool = True,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.vote = vote
        self.category_split = category_split
        self.min_samples_category = min_samples_category
        self.category_smoothing = category_smoothing
        self.missing = missing
        self.costs = costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.loss = loss
        self.bins = bins
        self.record = record

    model_: Forest
    of_trees = DecisionTreeClassifier
    balancing = ("balanced", "balanced_subsample")

    @property
    def n_classes_(self) -> int:
        """How many classes there are."""
        self._check_fitted()
        return len(self.classes_)

    def _score_out_of_bag(self, found: OutOfBag) -> None:
        super()._score_out_of_bag(found)
        self.oob_decision_function_ = found.answers

    def _vote(self) -> str:
        return str(self.vote)

    def _measure(self) -> tuple[Any, str]:
        criterion = "gini" if self.criterion == "gini" else "entropy"
        return criterion, "gain" if self.costs is None else self.cost_rule

    def _weighed_target(self, block: Block, weights: Array | None) -> Target:
        missing_values.check_of_classes(self.missing, weights, self.min_samples_leaf)
        return of_classes(block.target, weights, self._losses(block.target.values))

    def _class_totals(self, block: Block) -> Array:
        """As in scikit-learn's forests, "balanced" classes are those of equal weight."""
        return np.bincount(block.target.codes, block.weight, len(block.target.values))

    def _drawing_weights(self, block: Block) -> Array | None:
        """Those of the rows and of their classes; "balanced_subsample" weighs what was drawn."""
        return block.weight if self._weighs_bags() else self._weights(block)

    def _weighs_bags(self) -> bool:
        return among(self.class_weight, (SUBSAMPLE,))

    def _of_bag(self, block: Block, bags: Bags) -> Callable[[int], Target] | None:
        """With "balanced_subsample", classes weigh alike in the bag of every tree."""
        plain = super()._of_bag(block, bags)
        if not bags.rate or not self._weighs_bags():
            return plain
        codes, values = block.target.codes, block.target.values

        def of_bag(tree: int) -> Target:
            often = bags.times(tree) if bags.counts_as_weights else np.ones(len(block))
            drawn = bags.entries(tree)
            rows = drawn & ROWS
            held = np.bincount(codes[rows], often[rows] * ((drawn >> 32) & 255), len(values))
            return self._weighed_target(block, balanced(held)[codes] * often)

        return of_bag

    def _check_options(self) -> None:
        super()._check_options()
        self._one_of("criterion", CRITERIA)
        self._one_of("vote", VOTES)
        self._check_class_weight()
