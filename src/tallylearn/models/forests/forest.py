"""A forest is its trees, one after the other; it never changes: more trees are another one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tallylearn.estimators import ClassificationModel, RegressionModel
from tallylearn.expressions import ModelExpression
from tallylearn.models.forests import tree_votes
from tallylearn.models.forests.forest_expression import forest_expression
from tallylearn.models.forests.packed_trees import Trees
from tallylearn.models.forests.prediction_arrays import TreeArrays, join_trees
from tallylearn.models.forests.stored_forest import check_walkable
from tallylearn.models.trees.shapley import shapley_contributions
from tallylearn.tables import CATEGORY, Array, Block, Column, Schema, check_shape, field_schemas
from tallylearn.workings import Derivation, Evidence
from tallylearn.workings.reasons import Contributions

VOTES = ("soft", "majority")


@dataclass(frozen=True, eq=False)
class Forest(Trees, ClassificationModel, RegressionModel):
    """Trees of classes, or (no ``classes``) of numbers, which answer together."""

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.many(field_schemas.one(Column)),
        "classes": field_schemas.keys("k"),
        "roots": field_schemas.integers("t", least=0),
        "steps": field_schemas.array(np.int32),
        "threshold": field_schemas.array(np.float64),
        "leads": field_schemas.array(np.int32),
        "node_values": field_schemas.floats("m", "w"),
        "gained": field_schemas.floats("t", "p", least=0.0),
        "rows": field_schemas.count(),
        "rate": field_schemas.number(least=0.0),
        "seed": field_schemas.count(),
        "vote": field_schemas.text(*VOTES),
        "loss": field_schemas.floats("c", "c", least=0.0),
        "by_weight": field_schemas.truth,
        "weights": field_schemas.floats("n", least=0.0),
    }

    @classmethod
    def of(cls, parts: list[TreeArrays], before: Forest | None = None, **rest: Any) -> Forest:
        """The trees together, behind those that a forest has."""
        if before is not None:
            held = {name: getattr(before, name) for name in TreeArrays._fields}
            parts = [TreeArrays(**held), *parts]
        return cls(**join_trees(parts)._asdict(), **rest)

    def __post_init__(self) -> None:
        m, t, p = len(self.node_values), len(self.roots), len(self.columns)
        check_shape("steps", self.steps, m, 4)
        check_shape("threshold", self.threshold, m)
        check_shape("leads", self.leads, 2, self.leads.shape[-1])
        check_shape("node_values", self.node_values, m, len(self.classes) or 1)
        check_shape("gained", self.gained, t, p)
        check_shape("weights", self.weights, m if len(self.weights) else 0)
        check_walkable(self)

    def check(self, schema: Schema) -> None:
        """What a file says can be a forest over columns of this schema."""
        told = [(column.name, column.kind, column.origin) for column in self.columns]
        if told != [(column.name, column.kind, column.origin) for column in schema.columns]:
            raise ValueError("the forest asks other columns than the schema's")
        if any(column.values and column.kind != CATEGORY for column in self.columns):
            raise ValueError("a column has values, and is no category")
        if self.loss.shape not in ((0, 0), (len(self.classes),) * 2):
            raise ValueError("the losses are of other classes")
        if self.classes and ((self.node_values < 0).any() or (self.node_values > 1 + 1e-9).any()):
            raise ValueError("a share of a class is no share")
        child, parent = self.edges
        inner = np.delete(np.arange(len(self.steps)), self.roots)
        if (self.parents[child] != parent).any() or (self.parents[inner] < 0).any():
            raise ValueError("a node of the forest is the child of none, or of several")

    def predictions(self, block: Block) -> Array:
        """(n,) the mean of the trees' means."""
        return np.ascontiguousarray(self.shares(block)[:, 0])

    def predict_classes(self, block: Block) -> Array:
        """(n,) the class of most votes, or of least loss; of tied ones the first."""
        return self.decide(self.shares(block))

    def classes_and_probabilities(self, block: Block) -> tuple[Array, Array]:
        shares = self.shares(block)
        return self.decide(shares), shares

    def evidence(self, block: Block) -> list[Evidence]:
        """What every column moved the vote by, and the trees that agree."""
        return tree_votes.evidence(self, block)

    def contributions(self, block: Block, found: list[Evidence]) -> list[Contributions] | None:
        """The Shapley values of every column; None for files of earlier versions."""
        if not len(self.weights):
            return None
        values = self.shapley_values(block)
        return shapley_contributions(values, block, self.columns, self.classes)

    def split_thresholds(self) -> Mapping[str, Array]:
        """The thresholds of the splits, by column."""
        at = np.isfinite(self.threshold) & (self.steps[:, 0] >= 0)
        return {
            column.name: np.unique(self.threshold[at & (self.split_columns == j)])
            for j, column in enumerate(self.columns)
        }

    def expression(self, schema: Schema) -> ModelExpression:
        """The mean over the trees."""
        return forest_expression(self)

    def derivation(self, schema: Schema) -> Derivation:
        """The trees in numbers, and what the columns gained."""
        return tree_votes.derivation(self)

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The values of the categories, as the trees were grown with them."""
        return {name: values for name, (values, _) in self.category_numbers.items()}
