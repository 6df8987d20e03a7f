"""Extremely randomized trees: forests of all rows whose thresholds are drawn at random."""

from __future__ import annotations

from tallylearn.estimators.options import option
from tallylearn.models.forests.forest_classifier import RandomForestClassifier
from tallylearn.models.forests.forest_regressor import RandomForestRegressor


class ExtraTreesClassifier(RandomForestClassifier, options=RandomForestClassifier.options()):
    """A forest of classes in which each node draws one random split of every column it considers.

    The best of these splits is taken. A threshold is uniform between the least and the greatest
    value at the node; categories go to either side with equal probability. Every tree sees all rows
    (``bootstrap=False``).

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.ExtraTreesClassifier(max_depth=9)
    ExtraTreesClassifier(max_depth=9)

    References
    ----------
    P. Geurts, D. Ernst and L. Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.
    """

    splitter: str = option(default="random")
    bootstrap: bool = option(default=False)
    bins: int | None = option(default=None)


class ExtraTreesRegressor(RandomForestRegressor, options=RandomForestRegressor.options()):
    """A forest of numbers in which each node draws one random split of every column it considers.

    See ``ExtraTreesClassifier``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> forest = tl.ExtraTreesRegressor().fit([[1], [2], [3], [4]], [5.0, 5, 9, 10])
    >>> float(forest.predict([[4]])[0])
    10.0
    """

    splitter: str = option(default="random")
    bootstrap: bool = option(default=False)
    bins: int | None = option(default=None)
