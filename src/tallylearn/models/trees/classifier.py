"""Decision trees: ask the question that leaves the classes least mixed, and ask again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import OptionError, among, listed, speaking, told
from tallylearn.estimators import Classifier
from tallylearn.models.design.rare_categories import MIN_ROWS
from tallylearn.models.trees.class_weights import ClassWeights
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.node_target import Target, of_classes
from tallylearn.models.trees.learner import TreeLearner
from tallylearn.models.trees.least_loss import UNDEFINED
from tallylearn.models.trees.pruning.pruning_curve import ORDERS, PruningCurve, curve_of
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.tree_options import seeded
from tallylearn.tables import Array, Block

CRITERIA = ("gini", "entropy", "log_loss", "gain_ratio")


class DecisionTreeClassifier(TreeLearner, ClassWeights, Classifier):
    """A decision tree: ID3, C4.5 and CART are presets of it.

    Numbers are asked by thresholds half way between two values that occur at the node; the tree is
    the same for any order of the rows. Of tied questions the first column's is asked, then the
    smallest threshold; ``ties()`` lists them. scikit-learn's parameters mean what they mean there.

    Parameters
    ----------
    criterion : "gini", "entropy" (in bits; also "log_loss"), or "gain_ratio" (entropy by split
        information, where the gain is at least the mean gain).
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features,
    max_leaf_nodes, min_impurity_decrease, class_weight : as in scikit-learn. "balanced" counts
        rows, whatever they weigh. All thresholds on rows count rows, whatever they weigh: a row
        of ``tl.table(weight=2)`` is two, and a part of a row (``missing="fractional"``) is a part.
    splitter : "best", or "random": of every column one question is drawn, a cut evenly over its
        range or two groups of its categories, and the best of these is asked.
    random_state : seeds ``max_features``, ``splitter="random"`` and ``tie="random"``; None is 0.
    monotonic_cst : 1 where the share of the second class may only rise with a number or date, -1
        where it may only fall, 0 elsewhere: one for every column, or a dict by name. Of two classes
        only.
    category_split : "subset" (two groups of categories) or "multiway" (one branch a category). Of
        two classes the best groups are found; of more, the best in the order of one class's share.
        Where ``min_samples_leaf`` forbids them, the best that it allows in this order.
    min_samples_category : rows of a node that a value of a category must have to be put into a
        group by itself, where the category has many values: more than 64, or than a quarter of the
        rows, of which there are 50 or more. What fewer have is rare: rare values go together, and
        every value that the node does not know goes with them. So neither an identifier nor a
        thousand levels of noise fits the target. 1 is the search without it; "auto" is 20, and 2
        for a category whose values tell the target better than chance. Not with "multiway", nor
        with ``variant="c45"``.
    category_smoothing : where a node has rare values, groups are cut in the order of shares to
        which so many rows with the node's own share are added (not by absolute error).
    missing : where missing values go. "side": with the branch that they fit best, or to one of
        their own where that splits best. "branch": to one of their own, if they are as many rows
        as a leaf needs; else with the branch that they fit best. "node": with the most common
        value at the node, of numbers the median; "class": with that of the row's class (at predict
        as "node"); "global": with that of the table. "fractional": down every branch, in parts.
        Where no row of a node had any, they go with the larger of two branches; a split with one
        branch a category has none for them, and the node answers.
    costs : what it costs to know a column, as a dict; others cost 1. ``cost_rule`` says how gain
        and cost become one score, ``cost_exponent`` is its w.
    loss : (k, k) what it costs to answer class j for class i; leaves answer with the least.
    significance : a split must be significant at this level of a chi-square test.
    variant : "c45" is Quinlan's small print for the gain ratio: a tenth of the mean class at each
        side of a cut, gains of numbers fined for their many cuts, thresholds that occur.
    pruning : what is taken back once the tree has grown; ``prunings()`` says what and why, and
        ``prune`` does it to a tree that has grown already.

        Frequencies (``tl.table(weight=)``) are rows. With sample weights, importances or class
        weights "chi2", "pessimistic", "loss" and ``significance`` take the shares of the classes by
        weight, and Kish's effective number of rows, (sum w)^2 / sum w^2: so many rows of equal
        weight tell as much. So the test of a split keeps its level, and weights of any scale prune
        alike; with as many rows as there are, it would find a fifth of all random splits
        significant at 5 % where weights vary as exp(normal).

        - "chi2": splits above leaves that are not significant at ``level``, from the bottom up.
        - "reduced_error": a leaf wherever it makes no more errors on validation rows, from the
          bottom up; "reduced_error_greedy": always the node that helps most.
        - "pessimistic": by the errors that C4.5 expects with ``confidence``. With ``raising`` a
          node may give way to its largest branch, where that has a way for every row; not with
          ``missing="class"``.
        - "cost_complexity": see ``ccp_alpha``.
        - "loss": a leaf wherever it is expected to cost no more.
    validation : the share of the rows that is kept out of the tree to count reduced errors and
        losses on, drawn by ``random_state``. None is a third; for "loss" it is no row: losses are
        expected by the training rows, every class counted once more.
    ccp_alpha : what a leaf more must lower the impurity by; "cv" is the best in ten folds.
    cp : cost-complexity by errors, as rpart prunes: a leaf more must lower the errors on the
        training rows (with ``loss``, their cost) by this share of the root's.
    bins : numbers in at most so many groups of equal size; faster, and thresholds lie between them.
    tie : of questions that tie, "first" or "random" one is asked ("undefined" asks the first); of
        classes that tie, the first is answered, or a random one, or none: with "undefined",
        ``predict`` returns objects, the class or the word "undefined".
    record : whether to keep the rows that the tree grew from and what was pruned, in ``record_``:
        ``prunings()`` needs it, and ``gains`` and ``prune`` then need no table. "auto" keeps those
        of tables of at most 100,000 cells, but not in pickles.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tree = tl.DecisionTreeClassifier(max_depth=1).fit(tl.example("tennis"))
    >>> print(tree)
    [No 5 Yes 9]
    ├─ Outlook in {Overcast}: Yes  [No 0 Yes 4]
    └─ Outlook in {Rain, Sunny}: No  [No 5 Yes 5]

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.
    J. R. Quinlan, C4.5: Programs for Machine Learning, 1993.
    """

    model_: Tree
    ties_broken = ("first", "random", UNDEFINED)

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "ID3": {"criterion": "entropy", "category_split": "multiway", "missing": "branch"},
        "C45": {
            "criterion": "gain_ratio", "category_split": "multiway", "missing": "fractional",
            "min_samples_leaf": 2, "variant": "c45", "pruning": "pessimistic",
        },
    }  # fmt: skip

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float | str = 0.0,
        monotonic_cst: Any = None,
        category_split: str = "subset",
        min_samples_category: Any = MIN_ROWS,
        category_smoothing: float = 10.0,
        missing: str = "side",
        costs: Mapping[str, float] | None = None,
        cost_rule: str = "gain2/cost",
        cost_exponent: float = 1.0,
        loss: Any = None,
        significance: float | None = None,
        variant: str | None = None,
        pruning: str | None = None,
        level: float = 0.05,
        validation: float | None = None,
        confidence: float = 0.25,
        raising: bool = True,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.category_split = category_split
        self.min_samples_category = min_samples_category
        self.category_smoothing = category_smoothing
        self.missing = missing
        self.costs = costs
        self.cost_rule = cost_rule
        self.cost_exponent = cost_exponent
        self.loss = loss
        self.significance = significance
        self.variant = variant
        self.pruning = pruning
        self.level = level
        self.validation = validation
        self.confidence = confidence
        self.raising = raising
        self.bins = bins
        self.tie = tie
        self.cp = cp
        self.record = record

    @property
    def n_classes_(self) -> int:
        """How many classes there are."""
        self._check_fitted()
        return len(self.classes_)

    def pruning_curve(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, how: str = ORDERS[0]
    ) -> PruningCurve:
        """Accuracy against size, as this tree is pruned down to its root; X and y are held out."""
        self._check_fitted()
        with speaking(type(self).__name__):
            if not among(how, ORDERS):
                raise OptionError(f"how is one of {listed(ORDERS)}, not {told(how)}.")
            return curve_of(self.model_, self._read(X, y, sample_weight), how)

    def answers(self, block: Block) -> Array:
        """Classes; where a tie has no answer, objects."""
        if self.model_.tie != UNDEFINED:
            return super().answers(block)
        return np.append(self.classes_.astype(object), UNDEFINED)[self.decided(block)]

    def _measure(self) -> tuple[str, str]:
        scorer = "gain" if self.costs is None else self.cost_rule
        if self.criterion == "gain_ratio":
            return "entropy", "ratio"
        return ("gini" if self.criterion == "gini" else "entropy"), scorer

    def _target(self, block: Block) -> Target:
        weight = self._weights(block)
        missing_values.check_of_classes(self.missing, weight, self.min_samples_leaf)
        loss = self._losses(block.target.values)
        if self.tie == UNDEFINED and UNDEFINED in block.target.values:
            raise OptionError('tie="undefined" says what a class is called here. Rename the class.')
        parts = missing_values.in_parts(self.missing)
        found = of_classes(block.target, weight, loss, parts)
        if parts or self.variant is not None:
            found = found.with_rows(self._frequency(block))
        return replace(found, tie=self.tie, seed=seeded(self.random_state))

    def _check_options(self) -> None:
        super()._check_options()
        self._one_of("criterion", CRITERIA)
        if self._one_of("variant", (None, "c45")) and self.criterion != "gain_ratio":
            raise OptionError(
                f'variant="c45" goes with criterion="gain_ratio", not {self.criterion!r}.'
            )
        if self.criterion == "gain_ratio" and self.costs is not None:
            raise OptionError(
                'costs go with a gain, and criterion="gain_ratio" is none. Use "entropy".'
            )
        self._check_class_weight()
