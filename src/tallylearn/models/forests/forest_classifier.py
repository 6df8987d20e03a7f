"""Random forests for classification: trees on random rows and columns, and their vote."""

from __future__ import annotations

from typing import Any

from tallylearn.estimators import Classifier
from tallylearn.estimators.options import fitted, option
from tallylearn.models.forests.forest import VOTES, Forest
from tallylearn.models.forests.forest_learner import FOREST_SIGNATURE, ForestLearner
from tallylearn.models.forests.single_trees import SUBSAMPLE
from tallylearn.models.trees.class_weights import class_weights

# options that random forests and extremely randomized trees share
CRITERION = option(
    default="gini",
    choices=("gini", "entropy", "log_loss"),
    doc='Measure of impurity: "gini", or "entropy" (also "log_loss").',
)
CLASS_WEIGHT = option(
    default=None,
    takes=class_weights("balanced", SUBSAMPLE),
    doc="Weights of the classes. As in scikit-learn 1.9, rows are drawn into bootstrap samples "
    "in proportion to the weights of their classes, times sample weights; with "
    '"balanced_subsample" classes weigh alike in every sample instead. With '
    "``bootstrap=False`` weights count in the splits.",
)
MONOTONIC_CST = option(
    default=None,
    doc="1 where the share of the second of two classes may only rise with a number or date, "
    "-1 where it may only fall, 0 for no constraint.",
)
VOTE = option(
    default="soft",
    choices=VOTES,
    doc='"soft": the mean of the class probabilities of the trees; "majority": one vote per tree.',
)
LOSS = option(
    default=None,
    type_name="(k, k) array or None",
    doc="Cost of predicting class j where class i is right; the class of least expected cost "
    "is predicted.",
)


class RandomForestClassifier(ForestLearner, Classifier, options=FOREST_SIGNATURE):
    """A random forest of classification trees.

    Each tree grows from a bootstrap sample of the rows, and each node considers a random subset of
    the columns. How often a row is in the sample of a tree is drawn by a hash of its number, the
    tree's and the seed, so the forest is the same on any number of threads. Categories, dates and
    missing values need no preparation. scikit-learn's parameters mean what they mean there.

    References
    ----------
    L. Breiman, Random forests, Machine Learning 45, 2001.

    Examples
    --------
    >>> import tallylearn as tl
    >>> forest = tl.RandomForestClassifier().fit(tl.example("tennis"))
    >>> row = {"Outlook": "Overcast", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    >>> forest.predict(row)
    array(['Yes'], dtype='<U3')
    """

    model_: Forest = fitted()
    criterion: str = CRITERION
    max_features: Any = option(default="sqrt")
    class_weight: Any = CLASS_WEIGHT
    monotonic_cst: Any = MONOTONIC_CST
    vote: str = VOTE
    loss: Any = LOSS

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        self._check_fitted()
        return len(self.classes_)
