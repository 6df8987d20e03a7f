"""A plan: how a tree is to grow, what is best, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tallylearn.tables import Array

ENDLESS = 2**31


@dataclass(frozen=True)
class TreePlan:
    """How a tree is to grow: what is best, and when to stop."""

    criterion: str = "gini"  # see impurity
    scorer: str = "gain"  # see split_search
    category_split: str = "subset"  # or "multiway"
    min_category: int = 0  # rows of a node: a value of fewer is rare ...
    most_values: int = ENDLESS  # ... in a category of more values ...
    telling: tuple[bool, ...] = ()  # ... unless the columns' values tell the target: see least_rows
    smoothing: float = 0.0  # rows of the node's share that a value is given, where others are rare
    missing: str = "side"  # see gaps
    max_depth: int = ENDLESS
    min_split: int = 2  # rows
    min_leaf: int = 1  # rows
    min_weight: float = 0.0  # of a leaf
    min_share: float = 0.0  # of a node's weight, in every branch ...
    share_of_rows: bool = False  # ... or of its rows
    min_decrease: float = 0.0  # of the impurity, times the node's share of the weight
    max_features: int = ENDLESS
    splitter: str = "best"  # or "random": see random_splits
    seed: int = 0
    tie: str = "first"
    lists_ties: bool = True
    costs: tuple[float, ...] = ()  # of the columns
    exponent: float = 1.0  # of the costs
    significance: float | None = None  # the level of a chi-square test before splitting
    variant: str | None = None  # "c45": see gain_ratio
    slopes: tuple[int, ...] = ()  # of the columns: see monotone
    bounds: tuple[float, float] = (-np.inf, np.inf)  # of a node's answers, where there are slopes
    fixed: Array = field(default_factory=lambda: np.zeros(0, np.int64))  # codes that fill gaps

    def with_fixed(self, codes: Array) -> TreePlan:
        return replace(self, fixed=codes) if len(codes) else self
