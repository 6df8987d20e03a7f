"""Regression trees: ask what leaves the numbers least spread, answer with their middle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallylearn.errors import OptionError
from tallylearn.estimators import Regressor
from tallylearn.models.design.rare_categories import MIN_ROWS
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.node_target import Target, of_counts, of_measures
from tallylearn.models.trees.learner import TreeLearner
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.pruning.pruning_options import BY_ERRORS
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array, Block

CRITERIA = ("squared_error", "friedman_mse", "sdr", ABSOLUTE, "poisson")


class DecisionTreeRegressor(TreeLearner, Regressor):
    """A regression tree: every leaf answers with the mean, or the median, of its rows.

    Sums of the target are exact, in steps of 2^-44 of its range or finer than a million rows can
    tell, with any weights in steps of 2^-39 or finer, so the tree is the same for any order of the
    rows. Parameters not named here are those of
    ``DecisionTreeClassifier``.

    Parameters
    ----------
    criterion : "squared_error" (the weighted mean of the branches' variances; "friedman_mse" asks
        the same questions), "sdr" (of their standard deviations) or "absolute_error" (of their mean
        absolute deviations from their medians: leaves answer with the median of their rows, half
        way between two where the weight splits exactly; categories are parted in the order of their
        medians), "poisson" (of their half Poisson deviances, the mean of y log(y / mean), for
        counts and rates from 0 on; no cut leaves a mean of 0).

    monotonic_cst : 1 where answers may only rise with a number or date, -1 where they may only
        fall: one for every column, or a dict by name.
    cp : cost-complexity as rpart prunes: a leaf more must lower the squared errors on the training
        rows by this share of the root's.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tree = tl.DecisionTreeRegressor(max_depth=1).fit([[1], [2], [3], [4]], [5.0, 5, 9, 10])
    >>> print(tree)
    7.25 ± 2.278  [4 rows]
    ├─ x0 <= 2.5: 5 ± 0  [2 rows]
    └─ x0 > 2.5: 9.5 ± 0.5  [2 rows]
    >>> robust = tl.DecisionTreeRegressor(criterion="absolute_error", min_samples_leaf=2)
    >>> print(robust.fit([[1], [2], [3], [4], [5]], [5.0, 5, 9, 10, 900]))
    9 ± 180  [5 rows]
    ├─ x0 <= 2.5: 5 ± 0  [2 rows]
    └─ x0 > 2.5: 10 ± 297  [3 rows]

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float | str = 0.0,
        monotonic_cst: Any = None,
        category_split: str = "subset",
        min_samples_category: Any = MIN_ROWS,
        category_smoothing: float = 10.0,
        missing: str = "side",
        costs: Mapping[str, float] | None = None,
        cost_rule: str = "gain2/cost",
        cost_exponent: float = 1.0,
        pruning: str | None = None,
        validation: float | None = None,
        bins: int | None = None,
        tie: str = "first",
        cp: float | None = None,
        record: bool | str = "auto",
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.category_split = category_split
        self.min_samples_category = min_samples_category
        self.category_smoothing = category_smoothing
        self.missing = missing
        self.costs = costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.pruning = pruning
        self.validation = validation
        self.bins = bins
        self.tie = tie
        self.cp = cp
        self.record = record

    model_: Tree
    variant = None

    def _measure(self) -> tuple[str, str]:
        own = self.criterion in ("sdr", ABSOLUTE, "poisson")
        criterion = self.criterion if own else "variance"
        return criterion, "gain" if self.costs is None else self.cost_rule

    def _target(self, block: Block) -> Target:
        weight: Array | None = block.weight
        parts = missing_values.in_parts(self.missing)
        if self.criterion == "poisson":
            found = of_counts(block.target, weight, parts)
        else:
            by_median = self.criterion == ABSOLUTE
            found = of_measures(block.target, weight, self.criterion == "sdr", parts, by_median)
        return found.with_rows(self._frequency(block)) if parts else found

    def _check_options(self) -> None:
        self._one_of("criterion", CRITERIA)  # before the pruning, which depends on it
        super()._check_options()
        missing_values.check_of_measures(self.missing)

    def _check_stored(self) -> None:
        super()._check_stored()
        if self.model_.classes:
            raise ValueError("the model has classes, and answers with numbers")

    def _check_pruning(self) -> None:
        super()._check_pruning()
        folded = isinstance(self.ccp_alpha, str) and self.ccp_alpha == "cv"
        squares = self.pruning in BY_ERRORS or folded
        if self.criterion in (ABSOLUTE, "poisson") and squares:
            raise OptionError(
                f'criterion="{self.criterion}" does not go with a pruning by squared errors. Use '
                "ccp_alpha with a number."
            )
