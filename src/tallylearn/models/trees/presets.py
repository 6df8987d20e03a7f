"""The trees of the notes, under their names: functions that return a configured learner."""

from __future__ import annotations

from typing import Any

from tallylearn.errors import OptionError, is_one_of, short_repr
from tallylearn.models.trees.classifier import DecisionTreeClassifier
from tallylearn.models.trees.model_trees.model_tree_regressor import ModelTreeRegressor
from tallylearn.models.trees.regressor import DecisionTreeRegressor


def ID3(**options: Any) -> DecisionTreeClassifier:  # noqa: N802  the notes' name
    """Decision tree of ID3: information gain, one branch per category, no pruning.

    Parameters
    ----------
    **options : Any
        Options of ``DecisionTreeClassifier`` that replace those of ID3.

    Returns
    -------
    DecisionTreeClassifier
        The estimator, not fitted.

    References
    ----------
    J. R. Quinlan, Induction of decision trees, Machine Learning 1, 1986.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.ID3().fit(tl.example("tennis")))
    [No 5 Yes 9]
    ├─ Outlook = Overcast: Yes  [No 0 Yes 4]
    ├─ Outlook = Rain: [No 2 Yes 3]
    │  ├─ Wind = Strong: No  [No 2 Yes 0]
    │  └─ Wind = Weak: Yes  [No 0 Yes 3]
    └─ Outlook = Sunny: [No 3 Yes 2]
       ├─ Humidity = High: No  [No 3 Yes 0]
       └─ Humidity = Normal: Yes  [No 0 Yes 2]
    """
    return DecisionTreeClassifier(**{**DecisionTreeClassifier.presets["ID3"], **options})


def C45(**options: Any) -> DecisionTreeClassifier:  # noqa: N802  the notes' name
    """Decision tree of C4.5: gain ratio, one branch per category, pessimistic pruning.

    A row with a missing value follows all branches, in fractions. The trees are the same as Weka's
    J48, leaf by leaf, except for ties between classes.

    Parameters
    ----------
    **options : Any
        Options of ``DecisionTreeClassifier`` that replace those of C4.5.

    Returns
    -------
    DecisionTreeClassifier
        The estimator, not fitted.

    References
    ----------
    J. R. Quinlan, C4.5: Programs for Machine Learning, 1993.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.C45(min_samples_leaf=5)
    C45(min_samples_leaf=5)
    >>> tl.C45(keep_rows=True).fit(tl.example("tennis")).gains()["Outlook"].ratio.__round__(4)
    0.1564
    """
    return DecisionTreeClassifier(**{**DecisionTreeClassifier.presets["C45"], **options})


def CART(  # noqa: N802  the notes' name
    task: str = "classification", **options: Any
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Binary decision tree of CART: splits by Gini impurity, or by variance for regression.

    Parameters
    ----------
    task : {"classification", "regression"}, default "classification"
        What the tree predicts.
    **options : Any
        Options of ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``.

    Returns
    -------
    DecisionTreeClassifier or DecisionTreeRegressor
        The estimator, not fitted.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.CART(task="regression")
    DecisionTreeRegressor()
    """
    if not is_one_of(task, ("classification", "regression")):
        raise OptionError(
            f'CART: task is "classification" or "regression", not {short_repr(task)}.'
        )
    if task == "classification":
        return DecisionTreeClassifier(**options)
    return DecisionTreeRegressor(**options)


def M5(**options: Any) -> ModelTreeRegressor:  # noqa: N802  the notes' name
    """Model tree of M5: linear models at the leaves of a tree, pruned and smoothed.

    Missing numbers are the mean, as in Weka's M5P; ``ModelTreeRegressor()`` adds indicators of
    missing values.

    Parameters
    ----------
    **options : Any
        Options of ``ModelTreeRegressor`` that replace those of M5.

    Returns
    -------
    ModelTreeRegressor
        The estimator, not fitted.

    References
    ----------
    J. R. Quinlan, Learning with continuous classes, AI 1992.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.M5(smooth=None)
    M5(smooth=None)
    """
    return ModelTreeRegressor(**{**ModelTreeRegressor.presets["M5"], **options})
