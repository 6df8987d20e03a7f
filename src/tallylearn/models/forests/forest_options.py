"""The options of forests beside those of their trees: how many, and which rows each sees."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from tallylearn.errors import OptionError
from tallylearn.estimators.options import NONE, TRUTH, VERBOSE, either, option, rows, whole
from tallylearn.models.design.rare_categories import AUTO
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.tree_options import TreeOptions
from tallylearn.tables import FREQUENCY, Array, Block

MAX_TREES = (1 << 31) - 1  # trees: a forest has no more nodes


FOREST_SIGNATURE = (
    "n_estimators", "criterion", "splitter", "max_depth", "min_samples_split", "min_samples_leaf",
    "min_weight_fraction_leaf", "max_features", "max_leaf_nodes", "min_impurity_decrease",
    "bootstrap", "oob_score", "n_jobs", "random_state", "verbose", "warm_start", "class_weight",
    "ccp_alpha", "max_samples", "monotonic_cst", "vote", "category_split", "min_samples_category",
    "category_smoothing", "missing", "costs", "cost_rule", "cost_exponent", "loss", "bins",
    "record",
)  # fmt: skip


class ForestOptions(TreeOptions):
    """The options that forests have beside those of their trees."""

    n_estimators: int = option(
        default=100, kw_only=False, low=1, high=MAX_TREES, doc="Number of trees."
    )
    min_samples_split: float = option(
        default=2,
        doc="Nodes with fewer distinct rows of the bootstrap sample are not split; a float is a "
        "share of all rows.",
    )
    min_samples_leaf: float = option(
        default=1,
        doc="Smallest number of rows of the bootstrap sample in a branch; a float is a share of "
        "all rows. A row that was drawn twice counts twice, or once where rows are drawn by class "
        "weights or sample weights.",
    )
    bootstrap: bool = option(
        default=True,
        doc="Whether each tree grows from its own bootstrap sample; False: all trees see all rows.",
    )
    oob_score: bool = option(
        default=False,
        doc="Whether ``fit`` predicts every row by the trees that have not seen it; without, the "
        "first use of ``oob`` does.",
    )
    n_jobs: int | None = option(
        default=None,
        takes=either(whole(1), whole(high=-1), NONE),
        doc="Number of threads of ``fit``; a negative number is all of them. None: as the engine "
        "has (``tl.engine``).",
    )
    random_state: Any = option(
        default=None,
        doc="Seed of the bootstrap samples and of what a node draws; None is 0.",
    )
    verbose: int = option(
        default=0,
        takes=VERBOSE,
        doc="Whether to show a progress bar; a terminal shows it where growing takes a while.",
    )
    warm_start: bool = option(
        default=False,
        doc="Whether ``fit`` adds trees to those that are there, until ``n_estimators``.",
    )
    ccp_alpha: float = option(
        default=0.0,
        low=0.0,
        doc="Minimal cost-complexity pruning of every tree: each leaf must lower the impurity by "
        "this much.",
    )
    max_samples: Any = option(
        default=None,
        takes=either(rows(1), NONE),
        doc="Mean number of rows in a bootstrap sample; a float is a share of all rows. None: as "
        "many as the table has.",
    )
    min_samples_category: Any = option(default=AUTO)
    bins: int | None = option(
        default=4095,
        doc="Largest number of bins, of equal weight, for each numeric column; thresholds lie "
        "between bins. None: as many as there are values, up to 65,534. Fewer are faster, and "
        "lose accuracy on large tables.",
    )
    record: bool = option(
        default=True,
        takes=TRUTH,
        doc="Whether to keep the training rows, for ``oob`` and ``importances()``; neither a model "
        "file nor a pickle keeps them.",
    )

    def _rate(self, block: Block, weights: Array | None) -> float:
        """How often a row is in the bag of a tree on average; 0: all rows are, once.

        ``weights``: of the rows and their classes. As in scikit-learn, as many rows are drawn as
        the table has, or a share of the sum of the weights; frequencies count as rows.
        """
        n = len(block)
        if not self.bootstrap:
            return 0.0
        counted = float(np.asarray(block.weight).sum()) if self._frequencies(block) else float(n)
        if self.max_samples is None:
            return counted / n
        if isinstance(self.max_samples, Integral):
            if int(self.max_samples) > counted:
                raise OptionError(
                    f"max_samples is {self.max_samples}, and the table has {counted:g} rows. Give "
                    "fewer, or a share of them."
                )
            return int(self.max_samples) / n
        return float(self.max_samples) * (1.0 if weights is None else float(weights.mean()))

    @staticmethod
    def _frequencies(block: Block) -> bool:
        """Whether rows have weights that say how often they occur."""
        return block.weight is not None and block.weight_kind == FREQUENCY

    def _check_combinations(self) -> None:
        super()._check_combinations()
        if missing_values.in_parts(self.missing):
            raise OptionError(
                'missing="fractional" sends a row down every branch in parts, and the bags of a '
                'forest hold whole rows. Use "branch", or a single tree.'
            )
        if self.oob_score and not self.bootstrap:
            raise OptionError(
                "oob_score counts the rows that a tree has not seen, and with bootstrap=False "
                "every tree sees all. Out of bag estimation only available if bootstrap=True"
            )
        if self.max_samples is not None and not self.bootstrap:
            raise OptionError(
                "max_samples says how many rows a tree draws, and with bootstrap=False it draws "
                "none. `max_sample` cannot be set if `bootstrap=False`. Leave one of them out."
            )
