"""Regression trees: split the rows so that the numbers of each branch vary least."""

from __future__ import annotations

from tallylearn.estimators import Regressor
from tallylearn.estimators.options import fitted, option
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.learner import TreeLearner
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.tree_options import TREE_SIGNATURE, without_classes

CRITERIA = ("squared_error", "friedman_mse", "sdr", ABSOLUTE, "poisson")


class DecisionTreeRegressor(TreeLearner, Regressor, options=without_classes(TREE_SIGNATURE)):
    """A regression tree: every leaf predicts the mean, or the median, of its rows.

    Sums of the target are exact, in steps of 2^-44 of its range or finer than a million rows can
    tell, with any weights in steps of 2^-39 or finer, so the tree is the same for any order of the
    rows. ``DecisionTreeClassifier`` describes the methods of pruning; "chi2", "pessimistic" and
    "loss" are for classes only.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.

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
    """

    model_: Tree = fitted()
    criterion: str = option(
        default="squared_error",
        choices=CRITERIA,
        doc='"squared_error" (the weighted mean of the variances of the branches; "friedman_mse" '
        'finds the same splits), "sdr" (of their standard deviations), "absolute_error" (of their '
        "mean absolute deviations from their medians: leaves predict the median of their rows, "
        "half way between two where the weight splits exactly; categories are ordered by their "
        'medians), or "poisson" (of their half Poisson deviances, the mean of y log(y / mean), for '
        "counts and rates from 0 on; no branch has a mean of 0).",
    )

    def _check_combinations(self) -> None:
        super()._check_combinations()
        missing_values.check_of_measures(self.missing)

    def _check_stored(self) -> None:
        super()._check_stored()
        if self.model_.classes:
            raise ValueError("the model has classes, and the estimator is a regressor")
