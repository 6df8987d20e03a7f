"""The options that all learners of trees share: checked, and made a plan."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError, OptionError, among, listed, told
from tallylearn.estimators import Predictor
from tallylearn.estimators.option_values import check_whole
from tallylearn.models.design.informative_categories import told_by_values
from tallylearn.models.design.rare_categories import AUTO, MIN_ROWS, most_values
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import ENDLESS, Plan
from tallylearn.models.trees.monotonic_options import check_goes_with, slopes_of
from tallylearn.models.trees.pruning.pruning_options import PruningOptions
from tallylearn.models.trees.pruning.training_record import AUTO as RECORD_AUTO
from tallylearn.tables import Block

COSTS = ("gain2/cost", "(2^gain-1)/(cost+1)^w")


class TreeOptions(PruningOptions, Predictor):
    """How a tree is to grow, as a user says it."""

    ties_broken: ClassVar[tuple[str, ...]] = ("first", "random")

    criterion: Any
    splitter: Any
    max_depth: Any
    min_samples_split: Any
    min_samples_leaf: Any
    min_weight_fraction_leaf: Any
    max_features: Any
    min_impurity_decrease: Any
    random_state: Any
    monotonic_cst: Any
    category_split: Any
    min_samples_category: Any
    category_smoothing: Any
    missing: Any
    costs: Any
    cost_rule: Any
    cost_exponent: Any
    variant: Any
    bins: Any
    tie: Any
    record: Any

    @abstractmethod
    def _target(self, block: Block) -> Target:
        """What is counted."""

    @abstractmethod
    def _measure(self) -> tuple[str, str]:
        """The criterion and the scorer of the plan."""

    def _plan(self, block: Block, target: Target) -> Plan:
        n = len(block)
        criterion, scorer = self._measure()
        return Plan(
            criterion=criterion, scorer=scorer, category_split=self.category_split,
            min_category=self._min_category(), most_values=most_values(n),
            telling=self._telling(block, target),
            smoothing=float(self.category_smoothing),
            missing=self.missing, max_depth=_limit(self.max_depth),
            min_split=rows_of(self.min_samples_split, n, 2),
            min_leaf=rows_of(self.min_samples_leaf, n, 1),
            min_weight=float(self.min_weight_fraction_leaf) * target.total,
            min_decrease=float(self.min_impurity_decrease), max_features=self._drawn(block),
            splitter=self.splitter, seed=seeded(self.random_state), tie=self.tie,
            costs=self._costs(block),
            exponent=float(self.cost_exponent),
            significance=None if self.significance is None else float(self.significance),
            variant=self.variant,
            slopes=slopes_of(self.monotonic_cst, block.schema, target.classes),
        )  # fmt: skip

    def _min_category(self) -> int:
        """Below how many rows a value is rare; 0: none is."""
        if self.category_split != "subset" or self.variant is not None:
            return 0
        auto = among(self.min_samples_category, (AUTO,))
        return MIN_ROWS if auto else min(int(self.min_samples_category), ENDLESS)

    def _telling(self, block: Block, target: Target) -> tuple[bool, ...]:
        """With "auto", which columns are categories of many values that tell the target."""
        if not self._min_category() or not among(self.min_samples_category, (AUTO,)):
            return ()
        y = target.labels if target.classes else target.levels
        told = told_by_values(block, y, bool(target.classes))
        return tuple(column.name in told for column in block.schema.columns)

    def _drawn(self, block: Block) -> int:
        """How many columns a node draws, of those that it can ask: an identifier is none."""
        p = sum(column.kind in self.kinds for column in block.schema.columns)
        drawn = self._features(p)
        return ENDLESS if drawn >= p else drawn

    def _features(self, p: int) -> int:
        wanted = self.max_features
        if wanted is None:
            return p
        if wanted in ("sqrt", "log2"):
            return max(1, int(np.sqrt(p) if wanted == "sqrt" else np.log2(p)))
        return int(wanted) if isinstance(wanted, Integral) else max(1, int(wanted * p))

    def _costs(self, block: Block) -> tuple[float, ...]:
        if self.costs is None:
            return ()
        names = block.schema.names
        if odd := [name for name in self.costs if name not in names]:
            raise ColumnError(
                f"costs names {listed(odd)}, and the table has {listed(names)}. Name its columns."
            )
        for name, cost in self.costs.items():
            if not isinstance(cost, Real) or not 0 < float(cost) < float("inf"):
                raise OptionError(
                    f"the cost of {name!r} is {cost!r}. A cost is a number above zero."
                )
        return tuple(float(self.costs.get(name, 1.0)) for name in names)

    def _check_options(self) -> None:
        self._one_of("splitter", ("best", "random"))
        self._one_of("category_split", ("multiway", "subset"))
        if not among(self.min_samples_category, (AUTO,)):
            check_whole(self, "min_samples_category", 1)
        self._in_range("category_smoothing", 0.0)
        self._one_of("missing", missing_values.RULES)
        self._one_of("cost_rule", COSTS)
        self._one_of("tie", self.ties_broken)
        self._check_count("max_depth", 0)
        self._check_count("max_leaf_nodes", 2)
        self._check_count("bins", 2)
        self._check_share("min_samples_split", 2)
        self._check_share("min_samples_leaf", 1)
        self._in_range("min_weight_fraction_leaf", 0.0, 0.5)
        self._in_range("min_impurity_decrease", 0.0)
        self._in_range("cost_exponent", 0.0, 1.0)
        self._check_features()
        if not among(self.record, (RECORD_AUTO,)):
            self._check_truth("record")
        if self.significance is not None:
            self._check_inside("significance", 1.0)
        if self.costs is not None and not isinstance(self.costs, Mapping):
            raise OptionError(f"costs is a dict of column and cost, not {self.costs!r}.")
        self._check_pruning()
        check_goes_with(self)

    def _check_count(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if value is None:
            return
        if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
            raise OptionError(
                f"The {name!r} parameter of {type(self).__name__} must be an int in the range "
                f"[{least}, inf) or None. Got {value!r} instead."
            )

    def _check_share(self, name: str, least: int) -> None:
        value = getattr(self, name)
        number = isinstance(value, Real) and not isinstance(value, bool)
        whole = isinstance(value, Integral)
        if not number or not (value >= least if whole else 0 < value <= 1):
            raise OptionError(
                f"The {name!r} parameter of {type(self).__name__} must be an int in the range "
                f"[{least}, inf) or a float in the range (0.0, 1.0]. Got {value!r} instead."
            )

    def _check_features(self) -> None:
        value = self.max_features
        if value is None or (isinstance(value, str) and value in ("sqrt", "log2")):
            return
        number = isinstance(value, Real) and not isinstance(value, bool) and value > 0  # type: ignore[operator]
        if not number or (not isinstance(value, Integral) and value > 1):
            raise OptionError(
                f"The 'max_features' parameter of {type(self).__name__} must be an int in the "
                f"range [1, inf), a float in the range (0.0, 1.0], 'sqrt', 'log2' or None. "
                f"Got {value!r} instead."
            )


def _limit(value: Any) -> int:
    return ENDLESS if value is None else min(int(value), ENDLESS)


def rows_of(value: Any, n: float, least: int) -> int:
    """A number of rows, given as such or as a share of all."""
    if isinstance(value, Integral):
        return min(int(value), ENDLESS)
    return max(least, int(np.ceil(float(value) * n)))


def seeded(random_state: Any) -> int:
    """A seed: None is 0, so that the same call gives the same tree."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        return int(random_state) & (2**63 - 1)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31))
    raise OptionError(f"random_state is a whole number or None, not {told(random_state)}.")
