"""Random forests: many trees of classes, no two grown alike, and their vote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tallylearn.errors import is_one_of
from tallylearn.estimators import Classifier
from tallylearn.estimators.options import fitted, option
from tallylearn.models.forests.bootstrap import ROWS, Bags
from tallylearn.models.forests.forest import VOTES, Forest
from tallylearn.models.forests.forest_learner import FOREST_SIGNATURE, ForestLearner
from tallylearn.models.forests.out_of_bag import OutOfBag
from tallylearn.models.forests.single_trees import SUBSAMPLE
from tallylearn.models.trees.class_weights import (
    balanced,
    check_class_weight,
    class_weights,
    loss_matrix,
    weigh_rows,
)
from tallylearn.models.trees.classifier import DecisionTreeClassifier
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.node_target import Target, of_classes
from tallylearn.tables import Array, Block

CRITERIA = ("gini", "entropy", "log_loss")


class RandomForestClassifier(ForestLearner, Classifier, options=FOREST_SIGNATURE):
    """A random forest of classification trees.

    Each tree grows from a bootstrap sample of the rows, and each node considers a random subset of
    the columns. How often a row is in the sample of a tree is drawn by a hash of its number, the
    tree's and the seed, so the forest is the same on any number of threads. Categories, dates and
    missing values need no preparation. scikit-learn's parameters mean what they mean there.

    Examples
    --------
    >>> import tallylearn as tl
    >>> forest = tl.RandomForestClassifier().fit(tl.example("tennis"))
    >>> row = {"Outlook": "Overcast", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    >>> forest.predict(row)
    array(['Yes'], dtype='<U3')

    References
    ----------
    L. Breiman, Random forests, Machine Learning 45, 2001.
    """

    model_: Forest = fitted()
    of_trees = DecisionTreeClassifier
    criterion: str = option(
        default="gini",
        choices=CRITERIA,
        doc='Measure of impurity: "gini", or "entropy" (also "log_loss").',
    )
    max_features: Any = option(default="sqrt")
    class_weight: Any = option(
        default=None,
        takes=class_weights("balanced", SUBSAMPLE),
        doc="Weights of the classes. As in scikit-learn 1.9, rows are drawn into bootstrap samples "
        "in proportion to the weights of their classes, times sample weights; with "
        '"balanced_subsample" classes weigh alike in every sample instead. With '
        "``bootstrap=False`` weights count in the splits.",
    )
    monotonic_cst: Any = option(
        default=None,
        doc="1 where the share of the second of two classes may only rise with a number or date, "
        "-1 where it may only fall, 0 for no constraint.",
    )
    vote: str = option(
        default="soft",
        choices=VOTES,
        doc='"soft": the mean of the class probabilities of the trees; "majority": one vote per '
        "tree.",
    )
    loss: Any = option(
        default=None,
        type_name="(k, k) array or None",
        doc="Cost of predicting class j where class i is right; the class of least expected cost "
        "is predicted.",
    )

    @property
    def n_classes_(self) -> int:
        """How many classes there are."""
        self._check_fitted()
        return len(self.classes_)

    def _score_out_of_bag(self, found: OutOfBag) -> None:
        super()._score_out_of_bag(found)
        self.oob_decision_function_ = found.answers

    def _vote(self) -> str:
        return str(self.vote)

    def _measure(self) -> tuple[Any, str]:
        criterion = "gini" if self.criterion == "gini" else "entropy"
        return criterion, "gain" if self.costs is None else self.cost_rule

    def _weighed_target(self, block: Block, weights: Array | None) -> Target:
        missing_values.check_of_classes(self.missing, weights, self.min_samples_leaf)
        return of_classes(block.target, weights, loss_matrix(self.loss, block.target.values))

    def _weights(self, block: Block) -> Array | None:
        return weigh_rows(
            block, self.class_weight, in_rows=self._counts_rows_by_weight, by_weight=True
        )

    def _drawing_weights(self, block: Block) -> Array | None:
        """Those of the rows and of their classes; "balanced_subsample" weighs what was drawn."""
        return block.weight if self._weighs_bags() else self._weights(block)

    def _weighs_bags(self) -> bool:
        return is_one_of(self.class_weight, (SUBSAMPLE,))

    def _of_bag(self, block: Block, bags: Bags) -> Callable[[int], Target] | None:
        """With "balanced_subsample", classes weigh alike in the bag of every tree."""
        plain = super()._of_bag(block, bags)
        if not bags.rate or not self._weighs_bags():
            return plain
        codes, values = block.target.codes, block.target.values

        def of_bag(tree: int) -> Target:
            often = bags.times(tree) if bags.counts_as_weights else np.ones(len(block))
            drawn = bags.entries(tree)
            rows = drawn & ROWS
            held = np.bincount(codes[rows], often[rows] * ((drawn >> 32) & 255), len(values))
            return self._weighed_target(block, balanced(held)[codes] * often)

        return of_bag

    def _check_combinations(self) -> None:
        super()._check_combinations()
        check_class_weight(self.class_weight)
