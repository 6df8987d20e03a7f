"""Extremely randomized trees: forests of all rows whose thresholds are drawn at random."""

from __future__ import annotations

from typing import Any

from tallylearn.estimators import Classifier, Regressor
from tallylearn.estimators.options import fitted, option
from tallylearn.models.forests import forest_classifier, forest_regressor
from tallylearn.models.forests.forest import Forest
from tallylearn.models.forests.forest_learner import FOREST_SIGNATURE, ForestLearner
from tallylearn.models.trees.tree_options import without_classes


class ExtraTreesClassifier(ForestLearner, Classifier, options=FOREST_SIGNATURE):
    """A forest of classes in which each node draws one random split of every column it considers.

    The best of these splits is taken. A threshold is uniform between the least and the greatest
    value at the node; categories go to either side with equal probability. Every tree sees all rows
    (``bootstrap=False``).

    References
    ----------
    P. Geurts, D. Ernst and L. Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.ExtraTreesClassifier(max_depth=9)
    ExtraTreesClassifier(max_depth=9)
    """

    model_: Forest = fitted()
    criterion: str = forest_classifier.CRITERION
    max_features: Any = option(default="sqrt")
    class_weight: Any = forest_classifier.CLASS_WEIGHT
    monotonic_cst: Any = forest_classifier.MONOTONIC_CST
    vote: str = forest_classifier.VOTE
    loss: Any = forest_classifier.LOSS
    splitter: str = option(default="random")
    bootstrap: bool = option(default=False)
    bins: int | None = option(default=None)

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        self._check_fitted()
        return len(self.classes_)


class ExtraTreesRegressor(ForestLearner, Regressor, options=without_classes(FOREST_SIGNATURE)):
    """A forest of numbers in which each node draws one random split of every column it considers.

    See ``ExtraTreesClassifier``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> forest = tl.ExtraTreesRegressor().fit([[1], [2], [3], [4]], [5.0, 5, 9, 10])
    >>> float(forest.predict([[4]])[0])
    10.0
    """

    model_: Forest = fitted()
    criterion: str = forest_regressor.CRITERION
    max_features: Any = option(default=1.0)
    splitter: str = option(default="random")
    bootstrap: bool = option(default=False)
    bins: int | None = option(default=None)
