"""How large a fitted model is: how many numbers a reader has to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.preprocessing.pipeline import Pipeline

PAGE, PAGES = 30, 300  # numbers that a page holds, and ten pages
CURVE, PAIR = 5, 20  # numbers that a reader takes from a curve, and from the table of a pair


@dataclass(frozen=True)
class ModelSize:
    """The size in words, and as a count of leaves, coefficients or stored numbers."""

    count: int
    text: str

    @property
    def readable(self) -> str:
        """How readable a model of this size is."""
        return "one page" if self.count <= PAGE else "pages" if self.count <= PAGES else "no"


def model_size(model: Any, rows: int) -> ModelSize:
    """The size of a fitted model; ``rows`` is the number of training rows."""
    if hasattr(model, "get_n_leaves"):
        leaves = int(model.get_n_leaves())
        weights = int(getattr(model, "n_features_in_", 0))
        if type(model).__name__ == "ModelTreeRegressor":  # a linear model in every leaf
            return ModelSize(leaves * (1 + weights), _count(leaves, "leaf", "leaves"))
        return ModelSize(leaves, _count(leaves, "leaf", "leaves"))
    if hasattr(model, "n_iter_") and hasattr(model, "max_leaf_nodes"):  # boosted trees
        rounds = int(model.n_iter_)
        return ModelSize(rounds * 31, _count(rounds, "round", "rounds"))
    if hasattr(model, "curves_"):  # an additive model
        pairs = len(model.pairs_)
        curves = sum(bool(curve.values.any()) for curve in model.curves_.values())
        return ModelSize(CURVE * curves + PAIR * pairs + 1, _count(curves + pairs, "term", "terms"))
    if hasattr(model, "estimators_"):
        members = np.ravel(np.asarray(model.estimators_, dtype=object))
        if hasattr(model, "named_estimators_"):
            sizes = [model_size(one, rows).count for one in members]
            return ModelSize(sum(sizes) + 1, _count(len(members), "model", "models"))
        return ModelSize(len(members) * rows, _count(len(members), "tree", "trees"))
    if isinstance(model, Pipeline):
        return model_size([*model.named_steps_.values()][-1], rows)
    if hasattr(model, "coef_"):
        used = int(np.count_nonzero(model.coef_))
        return ModelSize(used + 1, _count(used, "coef", "coefs"))
    if getattr(model, "generative", False):
        free = int(model.n_parameters_)
        return ModelSize(free, _count(free, "number", "numbers"))
    if type(model).__name__.startswith("Dummy"):
        return ModelSize(0, "constant")
    return ModelSize(rows * 1000, _count(rows, "row", "rows"))


def _count(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}"
