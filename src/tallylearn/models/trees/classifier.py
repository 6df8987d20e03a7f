"""Decision trees: split the rows so that the classes of each branch are least mixed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import OptionError, is_one_of, quoted_list, short_repr
from tallylearn.estimators import Classifier
from tallylearn.estimators.options import fitted, option
from tallylearn.models.trees.class_weights import check_class_weight, class_weights
from tallylearn.models.trees.learner import TreeLearner
from tallylearn.models.trees.least_loss import UNDEFINED
from tallylearn.models.trees.pruning.pruning_curve import ORDERS, PruningCurve, curve_of
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.tree_options import TREE_SIGNATURE
from tallylearn.tables import Array, Block

CRITERIA = ("gini", "entropy", "log_loss", "gain_ratio")


class DecisionTreeClassifier(TreeLearner, Classifier, options=TREE_SIGNATURE):
    """A decision tree: ID3, C4.5 and CART are presets of it.

    Thresholds of numbers lie half way between two values that occur at the node; the tree is the
    same for any order of the rows. Of equally good splits the first column's is taken, then the
    smallest threshold; ``ties()`` lists them. scikit-learn's parameters mean what they mean there.

    Notes
    -----
    Methods of pruning:

    - "chi2": splits above leaves that are not significant at ``level``, from the bottom up.
    - "reduced_error": a leaf wherever it makes no more errors on validation rows, from the
      bottom up; "reduced_error_greedy": always the node that helps most.
    - "pessimistic": by the errors that C4.5 expects with ``confidence``. With ``raising`` the
      largest branch of a node may replace it, where every row has a way down that branch; not with
      ``missing="class"``.
    - "cost_complexity": by ``ccp_alpha`` or ``cp``.
    - "loss": a leaf wherever its expected loss is not larger.

    Frequencies (``tl.table(weight=)``) are rows. With sample weights, importances or class
    weights, "chi2", "pessimistic", "loss" and ``significance`` use the weighted shares of the
    classes and Kish's effective number of rows, (sum w)^2 / sum w^2: so many rows of equal weight
    carry as much information. So the test of a split keeps its level, and weights of any scale
    prune alike; with the actual number of rows, the test would find a fifth of all random splits
    significant at 5 % where weights vary as exp(normal).

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.
    J. R. Quinlan, C4.5: Programs for Machine Learning, 1993.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tree = tl.DecisionTreeClassifier(max_depth=1).fit(tl.example("tennis"))
    >>> print(tree)
    [No 5 Yes 9]
    ├─ Outlook in {Overcast}: Yes  [No 0 Yes 4]
    └─ Outlook in {Rain, Sunny}: No  [No 5 Yes 5]
    """

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "ID3": {"criterion": "entropy", "category_split": "multiway", "missing": "branch"},
        "C45": {
            "criterion": "gain_ratio", "category_split": "multiway", "missing": "fractional",
            "min_samples_leaf": 2, "variant": "c45", "pruning": "pessimistic",
        },
    }  # fmt: skip

    model_: Tree = fitted()
    criterion: str = option(
        default="gini",
        choices=CRITERIA,
        doc='"gini", "entropy" (in bits; also "log_loss"), or "gain_ratio" (gain divided by split '
        "information, among the splits whose gain is at least the mean gain).",
    )
    class_weight: Any = option(
        default=None,
        takes=class_weights("balanced"),
        doc='Weights of the classes. "balanced" weighs classes inversely to their numbers of rows, '
        "whatever the rows weigh.",
    )
    monotonic_cst: Any = option(
        default=None,
        doc="1 where the share of the second of two classes may only rise with a number or date, "
        "-1 where it may only fall, 0 for no constraint.",
    )
    loss: Any = option(
        default=None,
        type_name="(k, k) array or None",
        doc="Cost of predicting class j where class i is right; leaves predict the class of least "
        "expected cost.",
    )
    significance: float | None = option(
        default=None,
        low=0.0,
        high=1.0,
        open_low=True,
        open_high=True,
        doc="Level of a chi-square test that every split must pass.",
    )
    variant: str | None = option(
        default=None,
        choices=(None, "c45"),
        doc='"c45" adds the details of C4.5 to the gain ratio: at least a tenth of the mean class '
        "size on each side of a threshold, gains of numbers reduced for their many thresholds, "
        "thresholds that occur in the table.",
    )
    level: float = option(
        default=0.05,
        low=0.0,
        high=1.0,
        open_low=True,
        open_high=True,
        doc='Level of the chi-square test of ``pruning="chi2"``.',
    )
    confidence: float = option(
        default=0.25,
        low=0.0,
        high=0.5,
        open_low=True,
        doc='Confidence of the error bound of ``pruning="pessimistic"``; less prunes more.',
    )
    raising: bool = option(
        default=True,
        doc='Whether ``pruning="pessimistic"`` may replace a node by its largest branch.',
    )
    tie: str = option(
        default="first",
        choices=("first", "random", UNDEFINED),
        doc='Which of equally good splits is taken: the "first", or a "random" one ("undefined" '
        "takes the first). Of classes that tie, the first or a random one is predicted, or none: "
        'with "undefined", ``predict`` returns objects, the class or the word "undefined".',
    )
    cp: float | None = option(
        default=None,
        doc="Cost-complexity pruning by errors, as in rpart: each leaf must lower the errors on "
        "the training rows (with ``loss``, their cost) by this share of the root's.",
    )

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        self._check_fitted()
        return len(self.classes_)

    def pruning_curve(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, how: str = ORDERS[0]
    ) -> PruningCurve:
        """Accuracy against size, as this tree is pruned down to its root.

        Parameters
        ----------
        X : table or array
            Validation rows, which the tree has not seen.
        y : array or str, optional
            Their classes, or the name of the column.
        sample_weight : array or str, optional
            The weights of the rows, or the name of their column.
        how : {"reduced_error_greedy", "cost_complexity"}
            The order in which nodes are removed.

        Returns
        -------
        PruningCurve
            The accuracy on training and validation rows for every number of nodes.
        """
        with self._error_context("pruning_curve"):
            self._check_fitted()
            if not is_one_of(how, ORDERS):
                raise OptionError(f"how is {short_repr(how)}. Use one of {quoted_list(ORDERS)}.")
            return curve_of(self.model_, self._read(X, y, sample_weight), how)

    def predictions(self, block: Block) -> Array:
        """(n,) the predicted classes; objects where a tie is "undefined"."""
        if self.model_.tie != UNDEFINED:
            return super().predictions(block)
        return np.append(self.classes_.astype(object), UNDEFINED)[self.predict_classes(block)]

    def _check_combinations(self) -> None:
        super()._check_combinations()
        if self.variant is not None and self.criterion != "gain_ratio":
            raise OptionError(
                f'variant="c45" needs criterion="gain_ratio", and criterion is {self.criterion!r}. '
                "Change one of them."
            )
        if self.criterion == "gain_ratio" and self.costs is not None:
            raise OptionError(
                'costs cannot be combined with criterion="gain_ratio". Use criterion="entropy".'
            )
        check_class_weight(self.class_weight)
