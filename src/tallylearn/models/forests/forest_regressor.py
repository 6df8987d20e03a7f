"""Regression forests: the mean of many trees, no two grown alike."""

from __future__ import annotations

from typing import Any

from tallylearn.errors import OptionError
from tallylearn.estimators import Regressor
from tallylearn.estimators.options import Allowed, fitted, one_of, option
from tallylearn.models.forests.forest import Forest
from tallylearn.models.forests.forest_learner import FOREST_SIGNATURE, ForestLearner
from tallylearn.models.forests.out_of_bag import OutOfBag
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.node_target import Target, of_counts, of_measures
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.regressor import DecisionTreeRegressor
from tallylearn.models.trees.tree_options import without_classes
from tallylearn.tables import Array, Block

CRITERIA = ("squared_error", "friedman_mse", "sdr", "poisson")


class RandomForestRegressor(ForestLearner, Regressor, options=without_classes(FOREST_SIGNATURE)):
    """A random forest of regression trees, which predicts the mean of its trees.

    See ``RandomForestClassifier``.

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

    model_: Forest = fitted()
    of_trees = DecisionTreeRegressor
    criterion: str = option(
        default="squared_error",
        takes=Allowed(  # _check_combinations refuses medians, and says why
            one_of(*CRITERIA).phrases, one_of(*CRITERIA, ABSOLUTE).includes, literal=True
        ),
        doc='"squared_error", "friedman_mse" (which finds the same splits), "sdr" or "poisson", as '
        "in ``DecisionTreeRegressor``; medians are for single trees.",
    )
    max_features: Any = option(default=1.0)

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

    def _check_combinations(self) -> None:
        if self.criterion == ABSOLUTE:
            raise OptionError(
                'criterion="absolute_error" answers with medians, which need the sorted rows of a '
                'node, and forests count. Use "squared_error", or a DecisionTreeRegressor.'
            )
        super()._check_combinations()
        missing_values.check_of_measures(self.missing)
