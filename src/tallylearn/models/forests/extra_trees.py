"""Extremely randomized trees: forests of all rows whose thresholds are drawn at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallylearn.models.design.rare_categories import AUTO
from tallylearn.models.forests.forest_classifier import RandomForestClassifier
from tallylearn.models.forests.forest_regressor import RandomForestRegressor


class ExtraTreesClassifier(RandomForestClassifier):
    """A forest of classes in which each node draws one random split of every column it considers.

    The best of these splits is taken. A threshold is uniform between the least and the greatest
    value at the node; categories go to either side with equal probability. Every tree sees all rows
    (``bootstrap=False``). Parameters are those of ``RandomForestClassifier``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.ExtraTreesClassifier(max_depth=9)
    ExtraTreesClassifier(max_depth=9)

    References
    ----------
    P. Geurts, D. Ernst and L. Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
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
        bins: int | None = None,
        record: bool = True,
    ) -> None:
        super().__init__(
            n_estimators,
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            max_samples=max_samples,
            monotonic_cst=monotonic_cst,
            vote=vote,
            category_split=category_split,
            min_samples_category=min_samples_category,
            category_smoothing=category_smoothing,
            missing=missing,
            costs=costs,
            cost_rule=cost_rule,
            cost_exponent=cost_exponent,
            loss=loss,
            bins=bins,
            record=record,
        )


class ExtraTreesRegressor(RandomForestRegressor):
    """A forest of numbers in which each node draws one random split of every column it considers.

    See ``ExtraTreesClassifier``. Parameters are those of ``RandomForestRegressor``.

    Examples
    --------
    >>> import tallylearn as tl
    >>> forest = tl.ExtraTreesRegressor().fit([[1], [2], [3], [4]], [5.0, 5, 9, 10])
    >>> float(forest.predict([[4]])[0])
    10.0
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
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
        bins: int | None = None,
        record: bool = True,
    ) -> None:
        super().__init__(
            n_estimators,
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
            ccp_alpha=ccp_alpha,
            max_samples=max_samples,
            monotonic_cst=monotonic_cst,
            category_split=category_split,
            min_samples_category=min_samples_category,
            category_smoothing=category_smoothing,
            missing=missing,
            costs=costs,
            cost_rule=cost_rule,
            cost_exponent=cost_exponent,
            bins=bins,
            record=record,
        )
