"""A tree is a list of questions: each node asks one column, and each answer leads to a node.

The nodes are arrays (``nodes``), rows go down them (``routing``), and a path is the reason for an
answer (``explanation``). A tree never changes: pruning returns another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from tallylearn.estimators import ClassificationModel, RegressionModel
from tallylearn.expressions import ModelExpression
from tallylearn.models.trees import explanation, routing, shapley
from tallylearn.models.trees.expression import tree_expression
from tallylearn.models.trees.least_loss import answer_of
from tallylearn.models.trees.node import LEAF, PRESENCE, THRESHOLD
from tallylearn.models.trees.nodes import Nodes
from tallylearn.models.trees.sklearn_arrays import SklearnNodes
from tallylearn.models.trees.stored_tree import check_contents, check_structure
from tallylearn.tables import (
    CATEGORY,
    FREQUENCY,
    IMPORTANCE,
    SAMPLE_WEIGHT,
    Array,
    Block,
    Column,
    Schema,
    check_shape,
    field_schemas,
)
from tallylearn.workings import Derivation, Evidence
from tallylearn.workings.reasons import Contributions

ENDING = np.zeros(0, np.int64)  # no node leads other values on


@dataclass(frozen=True, eq=False)
class Tree(SklearnNodes, ClassificationModel, RegressionModel):
    """A decision tree (``classes``) or a regression tree (no classes), nodes in pre-order.

    ``node(i)`` tells all about a node in words; the arrays hold the same for loops over nodes, and
    those of a binary tree are there under scikit-learn's names too.
    """

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.many(field_schemas.one(Column)),
        "classes": field_schemas.keys("k"),
        "criterion": field_schemas.text(),
        "parent": field_schemas.integers("m", least=-1),
        "test": field_schemas.integers("m", least=0),
        "column": field_schemas.integers("m", least=-1),
        "threshold": field_schemas.floats("m", gaps=True),
        "missing": field_schemas.integers("m", least=-1),
        "ends": field_schemas.integers("m", least=0),
        "codes": field_schemas.integers("l", least=0),
        "leads": field_schemas.integers("l", least=0),
        "counts": field_schemas.floats("m", "k", least=0.0),
        "n": field_schemas.floats("m", least=0.0),
        "rows": field_schemas.integers("m", least=0),
        "impurity": field_schemas.floats("m"),
        "gain": field_schemas.floats("m"),
        "answer": field_schemas.floats("m"),
        "tie_ends": field_schemas.integers("m", least=0),
        "tie_columns": field_schemas.integers("t", least=0),
        "tie_thresholds": field_schemas.floats("t", gaps=True),
        "fractional": field_schemas.truth,
        "loss": field_schemas.floats("c", "c", least=0.0),
        "tie": field_schemas.text("first", "random", "undefined"),
        "seed": field_schemas.count(),
        "others": field_schemas.integers("o", least=-1),
        "weight_kind": field_schemas.text(FREQUENCY, IMPORTANCE, SAMPLE_WEIGHT),
        "larger": field_schemas.truth,
    }

    def check(self, schema: Schema) -> None:
        """What a file says can be a tree over columns of this schema."""
        told = [(column.name, column.kind, column.origin) for column in self.columns]
        if told != [(column.name, column.kind, column.origin) for column in schema.columns]:
            raise ValueError("the tree asks other columns than the schema's")
        if any(column.values and column.kind != CATEGORY for column in self.columns):
            raise ValueError("a column has values, and is no category")
        check_contents(self)

    def __post_init__(self) -> None:
        m = len(self.parent)
        for name in ("test", "column", "threshold", "missing", "ends", "n", "rows", "impurity",
                     "gain", "answer", "tie_ends"):  # fmt: skip
            check_shape(name, getattr(self, name), m)
        check_shape("counts", self.counts, m, len(self.classes))
        check_shape("leads", self.leads, *self.codes.shape)
        check_shape("others", self.others, m if len(self.others) else 0)
        check_structure(self)

    @classmethod
    def of_nodes(cls, nodes: Nodes) -> Tree:
        """The tree of nodes that a grower numbered: they are sound, and not looked at again."""
        tree = object.__new__(cls)
        tree.__dict__.update(vars(nodes))
        return tree

    @cached_property
    def sklearn_marked(self) -> Tree:
        """The same with scikit-learn's marks for thresholds that there are not.

        They are -2 at a leaf, and infinity where the question is whether there is a value.
        """
        none = np.where(self.test == PRESENCE, np.inf, -2.0)
        known = (self.test == THRESHOLD) | ~np.isnan(self.threshold)
        return replace(self, threshold=np.where(known, self.threshold, none))

    def in_rows(self) -> Tree:
        """The tree for tests that count rows: other weights than frequencies sum to the rows."""
        if self.weight_kind == FREQUENCY:
            return self
        scale = float(self.rows[0]) / float(self.n[0])
        return replace(self, n=self.n * scale, counts=self.counts * scale)

    def without(self, nodes: Iterable[int]) -> Tree:
        """The tree with these nodes turned into leaves."""
        leaf = np.zeros(len(self), dtype=bool)
        leaf[list(nodes)] = True
        edges = np.zeros(len(self) + 1, dtype=np.int64)
        at = np.flatnonzero(leaf)
        np.add.at(edges, at + 1, 1)
        np.add.at(edges, at + self.sizes[at], -1)
        dropped = np.cumsum(edges)[:-1] > 0
        return self._select_nodes(~dropped, leaf | (self.test == LEAF))

    def _select_nodes(self, kept: Array, leaf: Array) -> Tree:
        """Some of the nodes, renumbered; those marked as leaves ask nothing any more."""
        place = np.append(np.cumsum(kept) - 1, -1)  # and -1 stays -1
        asks = kept & ~leaf
        led = np.repeat(asks, np.diff(self.ends, prepend=0))
        tied = np.repeat(asks, np.diff(self.tie_ends, prepend=0))
        ends, tie_ends = (
            np.cumsum(np.where(asks, np.diff(e, prepend=0), 0)) for e in (self.ends, self.tie_ends)
        )
        rest = {
            name: getattr(self, name)[kept]
            for name in ("counts", "n", "rows", "impurity", "answer")
        }
        return replace(
            self,
            parent=place[self.parent[kept]],
            test=np.where(asks, self.test, LEAF)[kept],
            column=np.where(asks, self.column, -1)[kept],
            threshold=np.where(asks, self.threshold, np.nan)[kept],
            missing=place[np.where(asks, self.missing, -1)[kept]],
            others=place[np.where(asks, self.others, -1)[kept]] if len(self.others) else ENDING,
            gain=np.where(asks, self.gain, 0.0)[kept],
            ends=ends[kept], codes=self.codes[led], leads=place[self.leads[led]],
            tie_ends=tie_ends[kept], tie_columns=self.tie_columns[tied],
            tie_thresholds=self.tie_thresholds[tied], **rest,
        )  # fmt: skip

    def path(self, row: Block) -> tuple[int, ...]:
        """The nodes that one row passes, from the root to where it ends."""
        return self.above(int(self.end_nodes(row)[0]))

    def end_nodes(self, block: Block) -> Array:
        """The node where each row ends: a leaf, or a node that has no branch for its value."""
        return routing.ends(self, block)

    def predictions(self, block: Block) -> Array:
        """The mean where each row ends."""
        if self.fractional:
            return np.ascontiguousarray(self.shares(block)[:, 0])
        return self.answer[self.end_nodes(block)]

    def shares(self, block: Block) -> Array:
        """(n, k) the share of every class where each row ends; (n, 1) its mean in a regression."""
        return routing.shares(self, block)

    def predict_classes(self, block: Block) -> Array:
        """The number of the class that each row is answered with."""
        if self.fractional:
            return self._decide(self.shares(block), block)
        return np.asarray(self.answer[self.end_nodes(block)], dtype=np.int64)

    def _decide(self, shares: Array, block: Block) -> Array:
        """The number of the class that each row of shares is answered with.

        A drawn one is the draw of the node where the row ends, or where it parts: equal rows have
        equal answers, whatever stands beside them.
        """
        if self.tie != "random":
            return answer_of(shares, self.loss, self.tie).astype(np.int64)
        ends = self.end_nodes(block)
        parted = (shares != self.node_values[ends]).any(axis=1)
        drawn = answer_of(shares, self.loss, self.tie, self.seed, ends)
        return np.where(parted, drawn, self.answer[ends]).astype(np.int64)

    def evidence(self, block: Block) -> list[Evidence]:
        """The path of every row, as it adds up to the prediction."""
        if not self.fractional:
            ends, missing = self.end_nodes(block).tolist(), routing.missing_columns(self, block)
            return [explanation.of_end(self, *end) for end in zip(ends, missing, strict=True)]
        shares = self.shares(block)
        said = self._decide(shares, block) if self.classes else shares[:, 0]
        return explanation.of_parts(self, routing.parts(self, block), shares, said)

    def contributions(self, block: Block, found: list[Evidence]) -> list[Contributions]:
        """The Shapley values of every column."""
        values = shapley.tree_shapley_values(self, block)
        return shapley.shapley_contributions(values, block, self.columns, self.classes)

    def split_thresholds(self) -> Mapping[str, Array]:
        """The thresholds of the splits, by column."""
        at = self.test == THRESHOLD
        return {
            column.name: np.unique(self.threshold[at & (self.column == j)])
            for j, column in enumerate(self.columns)
        }

    def expression(self, schema: Schema) -> ModelExpression:
        """The splits, and what every node answers."""
        return tree_expression(self)

    def derivation(self, schema: Schema) -> Derivation:
        """The questions of the tree, node by node."""
        return explanation.derivation(self)

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The values of the categories that the tree asks for, as it was grown with them."""
        return {name: values for name, (values, _) in self.category_numbers.items()}
