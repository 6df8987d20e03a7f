"""Random forests for regression: the mean of trees on random rows and columns."""

from __future__ import annotations

from typing import Any

from tallylearn.estimators import Regressor
from tallylearn.estimators.options import Allowed, fitted, one_of, option
from tallylearn.models.forests.forest import Forest
from tallylearn.models.forests.forest_learner import FOREST_SIGNATURE, ForestLearner
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.tree_options import without_classes

CRITERIA = ("squared_error", "friedman_mse", "sdr", "poisson")
CRITERION = option(
    default="squared_error",
    takes=Allowed(  # _check_combinations refuses medians, and says why
        one_of(*CRITERIA).phrases, one_of(*CRITERIA, ABSOLUTE).includes, literal=True
    ),
    doc='"squared_error", "friedman_mse" (which finds the same splits), "sdr" or "poisson", as '
    "in ``DecisionTreeRegressor``; medians are for single trees.",
)


class RandomForestRegressor(ForestLearner, Regressor, options=without_classes(FOREST_SIGNATURE)):
    """A random forest of regression trees, which predicts the mean of its trees.

    See ``RandomForestClassifier``.

    References
    ----------
    L. Breiman, Random forests, Machine Learning 45, 2001.

    Examples
    --------
    >>> import tallylearn as tl
    >>> forest = tl.RandomForestRegressor().fit([[1], [2], [3], [4]], [5.0, 5, 9, 10])
    >>> bool(forest.predict([[1]])[0] < forest.predict([[4]])[0])
    True
    """

    model_: Forest = fitted()
    criterion: str = CRITERION
    max_features: Any = option(default=1.0)
