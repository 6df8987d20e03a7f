"""What all learners of trees share: options, growing, and the questions one may ask of a tree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from tallylearn.doors import Plain
from tallylearn.doors.exchange import as_sklearn
from tallylearn.errors import ColumnError, InputError, OptionError, listed, speaking, told
from tallylearn.models.naive_bayes.column_factors import check_finite
from tallylearn.models.trees import explanation
from tallylearn.models.trees.growing import absolute_error_grower, c45_grower, gain_ratio, gaps
from tallylearn.models.trees.growing.coded_columns import coded
from tallylearn.models.trees.growing.fractional_rows import grown_by_hand
from tallylearn.models.trees.growing.grower import ENDLESS, Plan, grown
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.pruning.pruner import Pruner
from tallylearn.models.trees.showing.candidates import FORGOTTEN, Gains, check_node, gains_at
from tallylearn.models.trees.showing.views import Viewed
from tallylearn.models.trees.tree import Tree
from tallylearn.sources.sparse_matrices import dense
from tallylearn.tables import CATEGORY, DATE, NUMBER, Array, Block, Column

COSTS = ("gain2/cost", "(2^gain-1)/(cost+1)^w")


class TreeLearner(Pruner, Viewed, Plain):
    """A table becomes a tree."""

    family: ClassVar[str] = "discriminative"
    kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE, CATEGORY)
    stored: ClassVar[tuple[type, ...]] = (Tree, Column)
    ties_broken: ClassVar[tuple[str, ...]] = ("first", "random")
    model_: Tree

    # the parameters that all of them have
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
    costs: Any
    cost_rule: Any
    cost_exponent: Any
    variant: Any
    bins: Any
    tie: Any

    @abstractmethod
    def _target(self, block: Block) -> Target:
        """What is counted."""

    @abstractmethod
    def _measure(self) -> tuple[Any, str]:
        """The criterion and the scorer of the plan."""

    def train(self, block: Block) -> Tree:
        """Code the columns, grow the tree, prune it."""
        check_finite(block)
        tree, self.record_ = self._finished(block)
        return tree

    def _grown(self, block: Block, target: Target, plan: Plan) -> Tree:
        table = coded(block, self.bins)
        table, fixed = gaps.filled(plan.missing, table, target.weights)
        plan = plan.with_fixed(fixed)
        if plan.variant == "c45":
            grow = c45_grower.parcelled if c45_grower.by_kernel(plan, table) else grown_by_hand
            return gain_ratio.snapped(grow(table, target, plan), table.scales)
        if absolute_error_grower.by_kernel(plan, table):
            return absolute_error_grower.grown_by_medians(table, target, plan)
        by_hand = callable(plan.criterion) or plan.criterion == ABSOLUTE
        if by_hand or gaps.in_parts(plan.missing) or plan.splitter == "random":
            return grown_by_hand(table, target, plan)
        return grown(table, target, plan)

    def gains(
        self, node: int = 0, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> Gains:
        """Every question that could have been asked at a node, and what it would have gained.

        Pass the table that the tree grew from, unless it was fitted with ``record=True``.
        """
        self._check_fitted()
        with speaking(type(self).__name__):
            check_node(self.model_, node)
            if X is not None:
                block = self._read(X, y, sample_weight)
            elif self.record_ is not None:
                block = self.record_.rows
            else:
                raise InputError(FORGOTTEN)
            target = self._target(block)
            return gains_at(self.model_, node, block, target, self._plan(block, target), self.bins)

    def ties(self) -> tuple[explanation.Tie, ...]:
        """The nodes where several questions were equally good, and which was asked."""
        self._check_fitted()
        return explanation.ties(self.model_)

    def apply(self, X: Any) -> Array:
        """The number of the node where each row ends."""
        return self._mapped(X, lambda block: self.model_.landed(block))

    def decision_path(self, X: Any) -> Any:
        """(n, nodes) a sparse matrix of the nodes that each row passes, as in scikit-learn."""
        return self.model_.passed(self.apply(X))

    def get_depth(self) -> int:
        """The most questions that a row is asked."""
        self._check_fitted()
        return self.model_.depth

    def get_n_leaves(self) -> int:
        """How many leaves the tree has."""
        self._check_fitted()
        return len(self.model_.leaves)

    def to_sklearn(self) -> Any:
        """The same tree as scikit-learn's own class, for what takes nothing else: SHAP, dtreeviz,
        ``plot_tree``. Every question must be ``x <= threshold``."""
        self._check_fitted()
        with speaking(type(self).__name__):
            return as_sklearn(self, self.model_)

    @property
    def tree_(self) -> Tree:
        """The tree, with scikit-learn's marks at leaves, and its names where the tree is binary."""
        self._check_fitted()
        return self.model_.marked

    def _counted_rows(self) -> float | None:
        return float(self.model_.rows[0])

    def _table(self, X: Any) -> Any:
        return dense(X)

    def _add_tags(self, tags: Any) -> None:
        super()._add_tags(tags)
        tags.input_tags.sparse = True

    def _derive(self) -> None:
        super()._derive()
        self.n_outputs_ = 1
        self.max_features_ = self._features(self.n_features_in_)

    def _plan(self, block: Block, target: Target) -> Plan:
        n, p = len(block), len(block.schema.columns)
        criterion, scorer = self._measure()
        return Plan(
            criterion=criterion, scorer=scorer, category_split=self.category_split,
            missing=self.missing, max_depth=_limit(self.max_depth),
            min_split=_rows(self.min_samples_split, n, 2),
            min_leaf=_rows(self.min_samples_leaf, n, 1),
            min_weight=float(self.min_weight_fraction_leaf) * target.total,
            min_decrease=float(self.min_impurity_decrease), max_features=self._features(p),
            splitter=self.splitter, seed=seeded(self.random_state), tie=self.tie,
            costs=self._costs(block),
            exponent=float(self.cost_exponent),
            significance=None if self.significance is None else float(self.significance),
            variant=self.variant,
        )  # fmt: skip

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
        self._one_of("missing", gaps.RULES)
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
        self._check_truth("record")
        if self.significance is not None:
            self._check_inside("significance", 1.0)
        if self.costs is not None and not isinstance(self.costs, Mapping):
            raise OptionError(f"costs is a dict of column and cost, not {self.costs!r}.")
        if self.monotonic_cst is not None:
            raise OptionError("monotonic_cst is not built. Leave it at None.")
        self._check_pruning()

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


def tree_in(learner: Any) -> Tree | None:
    """The tree of a fitted learner of trees; None in anything else."""
    return learner.tree_ if isinstance(learner, TreeLearner) else None


def _limit(value: Any) -> int:
    return ENDLESS if value is None else min(int(value), ENDLESS)


def _rows(value: Any, n: int, least: int) -> int:
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
