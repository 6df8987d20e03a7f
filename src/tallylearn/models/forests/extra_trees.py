"""Extremely randomized trees: forests whose cuts are drawn, from all rows."""

from __future__ import annotations

from typing import Any

from tallylearn.models.forests.forest_classifier import RandomForestClassifier
from tallylearn.models.forests.forest_learner import DRAWN
from tallylearn.models.forests.forest_regressor import RandomForestRegressor


def ExtraTreesClassifier(  # noqa: N802  scikit-learn's name
    n_estimators: int = 100, **options: Any
) -> RandomForestClassifier:
    """A forest of all rows, in which of every column that a node draws one cut is drawn.

    >>> import tallylearn as tl
    >>> tl.ExtraTreesClassifier(max_depth=9)
    ExtraTreesClassifier(max_depth=9)

    P. Geurts, D. Ernst and L. Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.
    """
    return RandomForestClassifier(n_estimators, **{**DRAWN, **options})


def ExtraTreesRegressor(  # noqa: N802  scikit-learn's name
    n_estimators: int = 100, **options: Any
) -> RandomForestRegressor:
    """The same of numbers: the mean of its trees.

    >>> import tallylearn as tl
    >>> forest = tl.ExtraTreesRegressor().fit([[1], [2], [3], [4]], [5.0, 5, 9, 10])
    >>> float(forest.predict([[4]])[0])
    10.0
    """
    return RandomForestRegressor(n_estimators, **{**DRAWN, **options})
