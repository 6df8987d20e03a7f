"""The trees of the notes, under their names: functions that return a configured learner."""

from __future__ import annotations

from typing import Any

from tallylearn.errors import OptionError, is_one_of, short_repr
from tallylearn.models.trees.classifier import DecisionTreeClassifier
from tallylearn.models.trees.model_trees.model_tree_regressor import ModelTreeRegressor
from tallylearn.models.trees.regressor import DecisionTreeRegressor


def ID3(**options: Any) -> DecisionTreeClassifier:  # noqa: N802  the notes' name
    """Information gain, one branch a category, until the classes are pure.

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

    J. R. Quinlan, Induction of decision trees, Machine Learning 1, 1986.
    """
    return DecisionTreeClassifier(**{**DecisionTreeClassifier.presets["ID3"], **options})


def C45(**options: Any) -> DecisionTreeClassifier:  # noqa: N802  the notes' name
    """Gain ratio, one branch a category, rows with gaps in parts, then pessimistic pruning.

    The same trees as Weka's J48, leaf by leaf, but for ties between classes.

    >>> import tallylearn as tl
    >>> tl.C45(min_samples_leaf=5)
    C45(min_samples_leaf=5)
    >>> tl.C45(keep_rows=True).fit(tl.example("tennis")).gains()["Outlook"].ratio.__round__(4)
    0.1564

    J. R. Quinlan, C4.5: Programs for Machine Learning, 1993.
    """
    return DecisionTreeClassifier(**{**DecisionTreeClassifier.presets["C45"], **options})


def CART(  # noqa: N802  the notes' name
    task: str = "classification", **options: Any
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Two branches at every node, by Gini impurity; ``task="regression"`` by variance.

    >>> import tallylearn as tl
    >>> tl.CART(task="regression")
    DecisionTreeRegressor()

    L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.
    """
    if not is_one_of(task, ("classification", "regression")):
        raise OptionError(
            f'CART: task is "classification" or "regression", not {short_repr(task)}.'
        )
    if task == "classification":
        return DecisionTreeClassifier(**options)
    return DecisionTreeRegressor(**options)


def M5(**options: Any) -> ModelTreeRegressor:  # noqa: N802  the notes' name
    """Linear models at the leaves of a tree, pruned and smoothed.

    >>> import tallylearn as tl
    >>> tl.M5(smooth=None)
    ModelTreeRegressor(smooth=None)

    J. R. Quinlan, Learning with continuous classes, AI 1992.
    """
    return ModelTreeRegressor(**options)
