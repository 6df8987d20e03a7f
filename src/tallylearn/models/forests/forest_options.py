"""The options of forests beside those of their trees: how many, and which rows each sees."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, told
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.tree_options import TreeOptions
from tallylearn.tables import FREQUENCY, Array, Block

MAX_TREES = (1 << 31) - 1  # trees: a forest has no more nodes


class ForestOptions(TreeOptions):
    """How a forest is to grow, as a user says it."""

    tie = "first"
    variant = None
    costs: Mapping[str, float] | None
    n_estimators: Any
    bootstrap: Any
    max_samples: Any
    oob_score: Any
    warm_start: Any
    n_jobs: Any
    verbose: Any
    record: Any

    def _rate(self, block: Block, weights: Array | None) -> float:
        """How often a row is in the bag of a tree on average; 0: all rows are, once.

        ``weights``: of the rows and their classes. As in scikit-learn, as many rows are drawn as
        the table has, or a share of the sum of the weights; frequencies count as rows.
        """
        n = len(block)
        if not self.bootstrap:
            return 0.0
        rows = float(np.asarray(block.weight).sum()) if self._frequencies(block) else float(n)
        if self.max_samples is None:
            return rows / n
        if isinstance(self.max_samples, Integral):
            if int(self.max_samples) > rows:
                raise OptionError(
                    f"max_samples is {self.max_samples}, and the table has {rows:g} rows. Give "
                    "fewer, or a share of them."
                )
            return int(self.max_samples) / n
        return float(self.max_samples) * (1.0 if weights is None else float(weights.mean()))

    @staticmethod
    def _frequencies(block: Block) -> bool:
        """Whether rows have weights that say how often they occur."""
        return block.weight is not None and block.weight_kind == FREQUENCY

    def _check_options(self) -> None:
        super()._check_options()
        trees = self.n_estimators
        whole = isinstance(trees, Integral) and not isinstance(trees, bool)
        if not whole or not 1 <= trees <= MAX_TREES:
            raise OptionError(
                f"The 'n_estimators' parameter of {type(self).__name__} must be an int in the "
                f"range [1, {MAX_TREES:,}]. Got {told(trees)} instead."
            )
        if isinstance(self.missing, str) and missing_values.in_parts(self.missing):
            raise OptionError(
                'missing="fractional" sends a row down every branch in parts, and the bags of a '
                'forest hold whole rows. Use "branch", or a single tree.'
            )
        self._check_truth("bootstrap", "oob_score", "warm_start", "record")
        self._check_jobs()
        self._check_verbose()
        if isinstance(self.ccp_alpha, str):
            raise OptionError("ccp_alpha is a number in a forest: no tree is pruned by folds.")
        if self.oob_score and not self.bootstrap:
            raise OptionError(
                "oob_score counts the rows that a tree has not seen, and with bootstrap=False "
                "every tree sees all. Out of bag estimation only available if bootstrap=True"
            )
        if self.bins is not None and not self.bins >= 2:
            raise OptionError(f"bins is 2 or more, or None, not {told(self.bins)}.")
        self._check_samples()

    def _check_verbose(self) -> None:
        if isinstance(self.verbose, bool) or not isinstance(self.verbose, Integral):
            self._check_truth("verbose")

    def _check_jobs(self) -> None:
        jobs = self.n_jobs
        whole = isinstance(jobs, Integral) and not isinstance(jobs, bool)
        if jobs is not None and (not whole or jobs == 0):
            raise OptionError(
                f"n_jobs is a number of threads, -1 for all, or None, not {told(jobs)}."
            )

    def _check_samples(self) -> None:
        value = self.max_samples
        if value is None:
            return
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not (value >= 1 if isinstance(value, int) else 0 < value <= 1):
            raise OptionError(
                f"The 'max_samples' parameter of {type(self).__name__} must be an int in the range "
                f"[1, inf), a float in the range (0.0, 1.0] or None. Got {value!r} instead."
            )
        if not self.bootstrap:
            raise OptionError(
                "max_samples says how many rows a tree draws, and with bootstrap=False it draws "
                "none. `max_sample` cannot be set if `bootstrap=False`. Leave one of them out."
            )
