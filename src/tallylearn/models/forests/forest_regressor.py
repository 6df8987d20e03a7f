"""Regression forests: the mean of many trees, no two grown alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallylearn.errors import OptionError
from tallylearn.estimators import Regressor
from tallylearn.models.design.rare_categories import AUTO
from tallylearn.models.forests.forest import Forest
from tallylearn.models.forests.forest_learner import ForestLearner
from tallylearn.models.forests.out_of_bag import OutOfBag
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.node_target import Target, of_counts, of_measures
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.regressor import DecisionTreeRegressor
from tallylearn.tables import Array, Block

CRITERIA = ("squared_error", "friedman_mse", "sdr", "poisson")


class RandomForestRegressor(ForestLearner, Regressor):
    """A forest of regression trees, which answers with the mean of its trees.

    Parameters not named here are those of ``RandomForestClassifier``.

    Parameters
    ----------
    criterion : "squared_error", "friedman_mse" (which asks the same questions), "sdr" or "poisson",
        as in ``DecisionTreeRegressor``; medians are for single trees.
    max_features : how many columns a node draws to ask one of; 1.0: all of them.

    Examples
    --------
    >>> import tallylearn as tl
    >>> forest = tl.RandomForestRegressor().fit([[1], [2], [3], [4]], [5.0, 5, 9, 10])
    >>> bool(forest.predict([[1]])[0] < forest.predict([[4]])[0])
    True

    References
    ----------
    L. Breiman, Random forests, Machine Learning 45, 2001.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: Any = None,
        monotonic_cst: Any = None,
        category_split: str = "subset",
        min_samples_category: Any = AUTO,
        category_smoothing: float = 10.0,
        missing: str = "side",
        costs: Mapping[str, float] | None = None,
        cost_rule: str = "gain2/cost",
        cost_exponent: float = 1.0,
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
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.category_split = category_split
        self.min_samples_category = min_samples_category
        self.category_smoothing = category_smoothing
        self.missing = missing
        self.costs = costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.bins = bins
        self.record = record

    model_: Forest
    of_trees = DecisionTreeRegressor

    def _score_out_of_bag(self, found: OutOfBag) -> None:
        super()._score_out_of_bag(found)
        self.oob_prediction_ = found.answers[:, 0]

    def _weights(self, block: Block) -> Array | None:
        return block.weight

    def _measure(self) -> tuple[Any, str]:
        own = self.criterion in ("sdr", "poisson")
        criterion = self.criterion if own else "variance"
        return criterion, "gain" if self.costs is None else self.cost_rule

    def _weighed_target(self, block: Block, weights: Array | None) -> Target:
        if self.criterion == "poisson":
            return of_counts(block.target, weights)
        return of_measures(block.target, weights, self.criterion == "sdr")

    def _check_options(self) -> None:
        if isinstance(self.criterion, str) and self.criterion == ABSOLUTE:
            raise OptionError(
                'criterion="absolute_error" answers with medians, which need the sorted rows of a '
                'node, and forests count. Use "squared_error", or a DecisionTreeRegressor.'
            )
        self._one_of("criterion", CRITERIA)
        super()._check_options()
        missing_values.check_of_measures(self.missing)
