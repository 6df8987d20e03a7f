"""The options that trees and forests share, and the plan that a tree grows by."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError, OptionError, is_one_of, quoted_list, short_repr
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.kept_rows import AUTO as AUTO_ROWS
from tallylearn.estimators.kept_rows import KEEP_ROWS
from tallylearn.estimators.options import (
    NONE,
    Allowed,
    either,
    fitted,
    fixed,
    instance_of,
    number,
    one_of,
    option,
    rows,
    whole,
)
from tallylearn.models.design.informative_categories import informative_columns
from tallylearn.models.design.rare_categories import AUTO, MIN_ROWS, most_values
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import ENDLESS, TreePlan
from tallylearn.models.trees.monotonic_options import slopes_of
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.tables import Block

COSTS = ("gain2/cost", "(2^gain-1)/(cost+1)^w")
IMPURITIES = {
    "gini": "gini", "entropy": "entropy", "log_loss": "entropy", "gain_ratio": "entropy",
    "squared_error": "variance", "friedman_mse": "variance", "sdr": "sdr", ABSOLUTE: ABSOLUTE,
    "poisson": "poisson",
}  # fmt: skip  # criteria, and the measures of impurity that the growers know

TREE_SIGNATURE = (
    "criterion", "splitter", "max_depth", "min_samples_split", "min_samples_leaf",
    "min_weight_fraction_leaf", "max_features", "random_state", "max_leaf_nodes",
    "min_impurity_decrease", "class_weight", "ccp_alpha", "monotonic_cst", "category_split",
    "min_samples_category", "category_smoothing", "missing", "costs", "cost_rule", "cost_exponent",
    "loss", "significance", "variant", "pruning", "level", "validation", "confidence", "raising",
    "bins", "tie", "cp", "keep_rows",
)  # fmt: skip
CLASSES_ONLY = (
    "class_weight", "loss", "significance", "variant", "level", "confidence", "raising", "vote",
)  # fmt: skip  # options that regressors do not have
ANY_SEED = either(
    whole(),
    Allowed(("a numpy.random.RandomState",), lambda value: hasattr(value, "randint")),
    NONE,
)  # numpy.random, too


def without_classes(signature: tuple[str, ...]) -> tuple[str, ...]:
    """The options of a regressor, from those of the classifier."""
    return tuple(name for name in signature if name not in CLASSES_ONLY)


class TreeOptions(Estimator):
    """The options that trees and forests share."""

    renamed: ClassVar[Mapping[str, str]] = {"record": "keep_rows"}
    kept_rows_: Block | None = fitted(initial=None)

    splitter: str = option(
        default="best",
        choices=("best", "random"),
        doc='"best", or "random": each node draws one split of every column that it considers, a '
        "threshold uniformly over the range or two groups of the categories, and takes the best.",
    )
    max_depth: int | None = option(
        default=None, low=0, doc="Largest number of splits on a path. None: no limit."
    )
    min_samples_split: float = option(
        default=2,
        takes=rows(2),
        doc="Nodes with fewer rows are not split; a float is a share of all rows.",
    )
    min_samples_leaf: float = option(
        default=1,
        takes=rows(1),
        doc="Smallest number of rows in a branch; a float is a share of all rows. Rows count, "
        "whatever they weigh: a row of ``tl.table(weight=2)`` is two, and a part of a row "
        '(``missing="fractional"``) is a part.',
    )
    min_weight_fraction_leaf: float = option(
        default=0.0,
        low=0.0,
        high=0.5,
        doc="Smallest share of the sum of the weights in a branch.",
    )
    max_features: Any = option(
        default=None,
        takes=either(rows(1), one_of("sqrt", "log2", None)),
        doc="Number of columns that a node draws at random and considers; a float is a share of "
        "the columns. None: all columns.",
    )
    random_state: Any = option(
        default=None,
        takes=ANY_SEED,
        doc="Seed of everything that is drawn at random; None is 0.",
    )
    max_leaf_nodes: int | None = option(
        default=None,
        low=2,
        doc="Largest number of leaves; nodes of the largest gain are split first.",
    )
    min_impurity_decrease: float = option(
        default=0.0,
        low=0.0,
        doc="A split must lower the weighted impurity by this much, as in scikit-learn.",
    )
    ccp_alpha: float | str = option(
        default=0.0,
        takes=either(number(0.0), one_of("cv", "1se")),
        doc="Minimal cost-complexity pruning: each leaf must lower the impurity by this much. "
        '"cv" takes the best value by ten-fold cross-validation, "1se" the largest one within one '
        "standard error of it: a smaller tree.",
    )
    monotonic_cst: Any = option(
        default=None,
        type_name="array of -1, 0 and 1, dict by column name, or None",
        doc="1 where predictions may only rise with a number or date, -1 where they may only fall, "
        "0 for no constraint.",
    )
    category_split: str = option(
        default="subset",
        choices=("multiway", "subset"),
        doc='"subset" (two groups of categories) or "multiway" (one branch per category). With '
        "two classes or a numeric target the best groups are found; with more classes, the best "
        "in the order of one class's share. Where ``min_samples_leaf`` forbids them, the best "
        "that it allows in this order.",
    )
    min_samples_category: Any = option(
        default=MIN_ROWS,
        takes=either(whole(1), one_of(AUTO)),
        doc="Rows of a node that a category needs to be grouped by itself, in a column with many "
        "categories: more than 64, or than a quarter of the rows, of which there are 50 or more. "
        "Rarer categories stay together, and unseen categories go with them, so that neither an "
        'identifier nor a thousand noise levels fit the target. 1 turns this off; "auto" is 20, '
        "and 2 for a column whose categories predict the target better than chance. Not with "
        '"multiway", nor with ``variant="c45"``.',
    )
    category_smoothing: float = option(
        default=10.0,
        low=0.0,
        doc="Where a node has rare categories, groups are formed in the order of shares (or means) "
        "to which so many rows with the node's own share are added (not by absolute error).",
    )
    missing: str = option(
        default="side",
        choices=missing_values.RULES,
        doc='Where missing values go. "side": down the branch that they fit best, or down one of '
        'their own where that splits best. "branch": down one of their own, if they are as many '
        'rows as a leaf needs; else down the branch that they fit best. "node": with the most '
        'common value at the node, of numbers the median; "class": with that of the row\'s class '
        '(when predicting as "node"); "global": with that of the table. "fractional": down every '
        "branch, in parts. Where no training row of a node had a missing value, they go down the "
        "larger of two branches; a split with one branch per category has none for them, and the "
        "node predicts.",
    )
    costs: Mapping[str, float] | None = option(
        default=None,
        takes=either(instance_of(Mapping, "a dict of column and cost"), NONE),
        type_name="dict or None",
        doc="Cost of measuring each column; columns that are not in it cost 1.",
    )
    cost_rule: str = option(
        default="gain2/cost",
        choices=COSTS,
        doc="How gain and cost become one score; w is ``cost_exponent``.",
    )
    cost_exponent: float = option(
        default=1.0, low=0.0, high=1.0, doc="The exponent w of ``cost_rule``."
    )
    bins: int | None = option(
        default=None,
        low=2,
        doc="Largest number of bins, of equal weight, for each numeric column: faster, and "
        "thresholds lie between bins. None: exact thresholds.",
    )
    keep_rows: bool | str = option(
        default=AUTO_ROWS,
        takes=KEEP_ROWS,
        doc="Whether to keep the training rows, in ``kept_rows_``, and what was pruned: "
        "``prunings()`` needs it, and ``gains`` and ``prune`` then need no table. "
        '"auto" keeps tables of at most 1,000,000 cells, but not in pickles.',
    )
    # options that only some trees have, and their values in the others
    class_weight: Any = fixed(value=None)
    loss: Any = fixed(value=None)
    significance: float | None = fixed(value=None)
    variant: str | None = fixed(value=None)
    tie: str = fixed(value="first")
    pruning: str | None = fixed(value=None)
    level: float = fixed(value=0.05)
    validation: float | None = fixed(value=None)
    confidence: float = fixed(value=0.25)
    raising: bool = fixed(value=True)
    cp: float | None = fixed(value=None)
    criterion: str = fixed(value="")


def growth_plan(learner: TreeOptions, block: Block, target: Target) -> TreePlan:
    """The plan by which a tree grows from these rows.

    Parameters
    ----------
    learner : TreeOptions
        The estimator, with its options.
    block : Block
        The training rows.
    target : Target
        What is counted at a node.

    Returns
    -------
    Plan
    """
    n = len(block)
    return TreePlan(
        criterion=_impurity(learner), scorer=_scorer(learner),
        category_split=learner.category_split,
        min_category=_min_category(learner), most_values=most_values(n),
        telling=_informative_columns(learner, block, target),
        smoothing=float(learner.category_smoothing),
        missing=learner.missing, max_depth=_limit(learner.max_depth),
        min_split=rows_of(learner.min_samples_split, n, 2),
        min_leaf=rows_of(learner.min_samples_leaf, n, 1),
        min_weight=float(learner.min_weight_fraction_leaf) * target.total,
        min_decrease=float(learner.min_impurity_decrease),
        max_features=_max_features(learner, block),
        splitter=learner.splitter, seed=seed_of(learner.random_state), tie=learner.tie,
        costs=_costs(learner.costs, block),
        exponent=float(learner.cost_exponent),
        significance=None if learner.significance is None else float(learner.significance),
        variant=learner.variant,
        slopes=slopes_of(learner.monotonic_cst, block.schema, target.classes),
    )  # fmt: skip


def _impurity(learner: TreeOptions) -> str:
    """The measure of impurity of a criterion, which may have been set since ``fit`` checked it."""
    learner._declared["criterion"].check(type(learner).__name__, learner.criterion)
    return IMPURITIES[learner.criterion]


def _scorer(learner: TreeOptions) -> str:
    """How splits are compared: by their gain, gain ratio, or gain and cost."""
    if learner.criterion == "gain_ratio":
        return "ratio"
    return "gain" if learner.costs is None else learner.cost_rule


def _min_category(learner: TreeOptions) -> int:
    """Below how many rows a category is rare; 0: none is."""
    if learner.category_split != "subset" or learner.variant is not None:
        return 0
    auto = is_one_of(learner.min_samples_category, (AUTO,))
    return MIN_ROWS if auto else min(int(learner.min_samples_category), ENDLESS)


def _informative_columns(learner: TreeOptions, block: Block, target: Target) -> tuple[bool, ...]:
    """With "auto", which columns have many categories that predict the target; () otherwise."""
    if not _min_category(learner) or not is_one_of(learner.min_samples_category, (AUTO,)):
        return ()
    y = target.labels if target.classes else target.levels
    informative = informative_columns(block, y, bool(target.classes))
    return tuple(column.name in informative for column in block.schema.columns)


def _max_features(learner: TreeOptions, block: Block) -> int:
    """How many columns a node draws, of those that it can split on: no identifiers."""
    p = sum(column.kind in learner.kinds for column in block.schema.columns)
    drawn = n_features(learner.max_features, p)
    return ENDLESS if drawn >= p else drawn


def n_features(max_features: Any, p: int) -> int:
    """How many of p columns ``max_features`` is."""
    if max_features is None:
        return p
    if max_features in ("sqrt", "log2"):
        return max(1, int(np.sqrt(p) if max_features == "sqrt" else np.log2(p)))
    if isinstance(max_features, Integral):
        return int(max_features)
    return max(1, int(max_features * p))


def _costs(costs: Mapping[str, float] | None, block: Block) -> tuple[float, ...]:
    """The cost of every column; () where none is given."""
    if costs is None:
        return ()
    names = block.schema.names
    if odd := [name for name in costs if name not in names]:
        raise ColumnError(
            f"costs has {quoted_list(odd)}, and the table has the columns {quoted_list(names)}. "
            "Use names of columns."
        )
    for name, cost in costs.items():
        if not isinstance(cost, Real) or not 0 < float(cost) < float("inf"):
            raise OptionError(f"the cost of {name!r} is {cost!r}. Give a number above zero.")
    return tuple(float(costs.get(name, 1.0)) for name in names)


def _limit(value: Any) -> int:
    return ENDLESS if value is None else min(int(value), ENDLESS)


def rows_of(value: Any, n: float, least: int) -> int:
    """A number of rows, given as such or as a share of all."""
    if isinstance(value, Integral):
        return min(int(value), ENDLESS)
    return max(least, int(np.ceil(float(value) * n)))


def seed_of(random_state: Any) -> int:
    """A seed: None is 0, so that the same call gives the same tree."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral):
        return int(random_state) & (2**63 - 1)
    if not isinstance(random_state, np.random.RandomState):  # set on a fitted tree, unchecked
        raise OptionError(
            f"random_state is {short_repr(random_state)}. Set an int, a numpy.random.RandomState "
            "or None."
        )
    return int(random_state.randint(2**31))
