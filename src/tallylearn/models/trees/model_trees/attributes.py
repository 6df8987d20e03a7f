"""The numeric attributes that the linear models of a model tree are fitted on.

A number is one attribute. A category with k values becomes k - 1 attributes (Wang and Witten,
1997): the values are sorted by the mean of the target, and attribute s is 1 for the s-th or a later
value. With missing indicators, every column that had missing values in training gets one more
attribute, which is 1 where the value is missing. Rare values of a category with many values are
filled in like missing ones, but are not missing: their indicator is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from tallylearn.estimators.finite_rows import check_finite
from tallylearn.expressions import (
    CategoryColumn,
    CategoryLookup,
    FilledNumber,
    Literal,
    MissingIndicator,
    Number,
    NumberColumn,
)
from tallylearn.models.design.rare_categories import RareValues, rare
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.node import LEAF, PRESENCE, SUBSET, THRESHOLD
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import (
    CATEGORY,
    IDENTIFIER,
    NUMBER,
    Array,
    Block,
    Column,
    Schema,
    check_columns,
    check_shape,
    field_schemas,
)

MISSING = -1  # the step of an attribute that is 1 where the value of its column is missing


@dataclass(frozen=True)
class Attributes:
    """The columns of a table as numeric attributes without missing values."""

    columns: tuple[Column, ...]  # ``values`` of a category: in training, by the target's mean
    source: Array  # (f,) int64: the column that an attribute comes from
    step: Array  # (f,) int64: 0 for a number, s for the s-th step of a category, or MISSING
    fill: Array  # (f,) float64: the attribute of a row whose value is missing
    rare: RareValues = field(
        default_factory=RareValues
    )  # values that are filled in like missing ones

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.many(field_schemas.one(Column)),
        "source": field_schemas.integers("f", least=0),
        "step": field_schemas.integers("f", least=MISSING),
        "fill": field_schemas.floats("f"),
        "rare": field_schemas.one(RareValues),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can be steps and numbers of this schema's columns."""
        told = [(column.name, column.kind) for column in self.columns]
        if told != [(column.name, column.kind) for column in schema.columns]:
            raise ValueError("the attributes are of other columns than the schema's")
        steps = [len(c.values) - 1 if c.kind == CATEGORY else 0 for c in self.columns]
        named = np.array([c.kind == CATEGORY for c in self.columns], dtype=bool)[self.source]
        most = np.array(steps, dtype=np.int64)[self.source]
        check_columns("rare values", sorted({*self.rare.columns}), {*schema.categories})
        values = self.step != MISSING
        if (self.step > most).any() or (named != (self.step > 0))[values].any():
            raise ValueError("an attribute is a step that its column lacks")

    def __post_init__(self) -> None:
        check_shape("the steps", self.step, *self.source.shape)
        check_shape("the fills", self.fill, *self.source.shape)
        if len(self) and not 0 <= self.source.min() <= self.source.max() < len(self.columns):
            raise ValueError("an attribute is of no column")

    @classmethod
    def of(
        cls, block: Block, min_rows: float = 1, smoothing: float = 0.0, indicators: bool = False
    ) -> Attributes:
        """The attributes of a training table.

        Missing numbers are filled with the mean, missing categories with the middle value in the
        order of the target's means. Values that fewer than ``min_rows`` rows have, in a category
        with many values, are rare and filled in too; the others are then sorted by their means
        with ``smoothing`` rows of the table's mean added. ``indicators``: whether columns with
        missing values get an attribute that is 1 there.
        """
        weight = np.ones(len(block)) if block.weight is None else block.weight
        columns, found, scarce = [], [], dict[str, tuple[str, ...]]()
        for at, column in enumerate(block.schema.columns):
            if column.kind == CATEGORY:
                few = _find_rare_codes(block, column.name, min_rows)
                values, middle = _order_values(block, column.name, weight, few, smoothing)
                scarce[column.name] = tuple(block.codes[column.name].values[at] for at in few)
                columns.append(replace(column, values=values))
                found += [(at, s, float(middle >= s)) for s in range(1, len(values))]
            else:
                columns.append(column)
                if column.kind == IDENTIFIER:
                    continue
                found.append((at, 0, _mean(_number(block, column.name), weight)))
            missing = _find_missing(block, column)[weight > 0]
            if indicators and missing.any() and not missing.all():
                found.append((at, MISSING, 1.0))
        source, step, fill = np.array(found, dtype=np.float64).reshape(-1, 3).T
        parts = source.astype(np.int64), step.astype(np.int64), fill.copy()
        return cls(tuple(columns), *parts, RareValues.of(scarce))

    def __len__(self) -> int:
        return len(self.source)

    def matrix(self, block: Block) -> Array:
        """(n, f) the attributes of every row; infinite numbers are an error."""
        check_finite(block)
        out = np.empty((len(block), len(self)))
        for at, column in enumerate(self.columns):
            of_column = self.source == at
            indicator = np.flatnonzero(of_column & (self.step == MISSING))
            out[:, indicator] = _find_missing(block, column)[:, None] if len(indicator) else 0.0
            here = np.flatnonzero(of_column & (self.step != MISSING))
            if not len(here):
                continue
            if column.kind == CATEGORY:
                rank = block.codes[column.name].recode(column.values)[:, None]
                out[:, here] = np.where(rank < 0, self.fill[here], rank >= self.step[here])
            else:
                x = _number(block, column.name)[:, None]
                out[:, here] = np.where(np.isnan(x), self.fill[here], x)
        return out

    def expressions(self) -> tuple[Number, ...]:
        """(f,) the attributes: numbers, and 1 for the s-th or a later value of a category."""
        return tuple(self._expression(j) for j in range(len(self)))

    def _expression(self, j: int) -> Number:
        column, step = self.columns[self.source[j]], int(self.step[j])
        fill = float(self.fill[j])
        if step == MISSING:
            category = column.kind == CATEGORY
            return MissingIndicator((CategoryColumn if category else NumberColumn)(column.name))
        if not step:
            return FilledNumber(NumberColumn(column.name), Literal(fill))
        amounts = tuple(float(rank >= step) for rank in range(len(column.values)))
        values = tuple(map(str, column.values))
        return CategoryLookup(
            CategoryColumn(column.name), values, amounts, other=fill, missing=fill
        )

    def name(self, j: int) -> str:
        """How an attribute is written in a formula."""
        column, step = self.columns[self.source[j]], int(self.step[j])
        if not step:
            return str(column.name)
        if step == MISSING:
            return f"[{column.name} missing]"
        return f"[{column.name} in {{{', '.join(map(str, column.values[step:]))}}}]"

    def as_numbers(self, x: Array, block: Block) -> Block:
        """A block of a matrix, its columns numbered, with the target and the weights of another."""
        x = x if len(self) else np.zeros((len(x), 1))  # a table of nothing has one leaf
        schema = Schema(tuple(Column(str(j), NUMBER) for j in range(x.shape[1])))
        return Block(
            schema, x, target=block.target, weight=block.weight, weight_kind=block.weight_kind
        )

    def table_tree(self, tree: Tree) -> Tree:
        """A tree that splits on attributes as a tree that splits on the columns of the table.

        A threshold of a number stays one. A step of a category becomes two groups of values. A
        missing indicator becomes a presence test of a number or date, and for a category a group of
        all values, with unseen ones, against the missing values.
        """
        inner = tree.test == THRESHOLD
        j = np.where(inner, tree.column, -1)
        column = np.append(self.source, -1)[j]
        step, fill = np.append(self.step, 0)[j], np.append(self.fill, 0.0)[j]
        category = inner & np.append([c.kind == CATEGORY for c in self.columns], False)[column]
        indicator = step == MISSING
        first = np.minimum(np.arange(len(tree)) + 1, len(tree) - 1)
        second = np.minimum(first + tree.sizes[first], len(tree) - 1)
        above = np.where(step != 0, fill > 0.5, fill > tree.threshold)
        leads = [
            self._leads(int(column[i]), int(step[i]), first[i], second[i])
            for i in np.flatnonzero(category).tolist()
        ]
        pooled = np.append([c.name in {*self.rare.columns} for c in self.columns], False)
        usual = np.where(inner, np.where(above, second, first), -1)
        others = np.where(category & pooled[column], usual, -1)
        others[category & indicator] = first[category & indicator]
        ends = np.zeros(len(tree), dtype=np.int64)
        ends[category] = [len(one) for one in leads]
        test = np.where(category, SUBSET, np.where(indicator, PRESENCE, THRESHOLD))
        return replace(
            tree, columns=tuple(map(self._tree_column, range(len(self.columns)))),
            test=np.where(inner, test, LEAF), column=column,
            threshold=np.where(step != 0, np.nan, tree.threshold),
            missing=usual, ends=np.cumsum(ends),
            others=others if pooled.any() or (category & indicator).any() else tree.others,
            codes=np.concatenate([np.zeros(0, np.int64), *(np.arange(len(o)) for o in leads)]),
            leads=np.concatenate([np.zeros(0, np.int64), *leads]),
            tie_columns=np.append(self.source, 0)[tree.tie_columns],
            tie_thresholds=np.where(
                np.append(self.step, 0)[tree.tie_columns] != 0, np.nan, tree.tie_thresholds
            ),
        )  # fmt: skip

    def _tree_column(self, at: int) -> Column:
        """A column of the tree, its values sorted.

        A presence test needs values that lead to its first branch: where all are rare, these do.
        """
        column, values = self.columns[at], self.columns[at].values
        if not values and ((self.source == at) & (self.step == MISSING)).any():
            values = self.rare.by_column.get(column.name, ())
        return replace(column, values=tuple(sorted(values)))

    def _leads(self, at: int, step: int, first: int, second: int) -> Array:
        """The child that each value of a category leads to, in sorted order of the values."""
        if step == MISSING:
            return np.full(len(self._tree_column(at).values), first)
        rank = {value: at for at, value in enumerate(self.columns[at].values)}
        return np.array([second if rank[v] >= step else first for v in sorted(rank)], np.int64)


def _number(block: Block, name: str) -> Array:
    at = block.schema.places.get(name)
    return np.full(len(block), np.nan) if at is None else block.numbers[:, at]


def _find_missing(block: Block, column: Column) -> Array:
    """(n,) bool: where the value of a column is missing; a rare or unseen value is not."""
    if column.kind == CATEGORY:
        return np.asarray(block.codes[column.name].codes < 0)
    return np.isnan(_number(block, column.name))


def _mean(x: Array, weight: Array) -> float:
    """The mean of what is known, the same for any order of the rows; 0 where nothing is."""
    known = ~np.isnan(x)
    if not known.any():
        return 0.0
    x, weight = x[known], weight[known]
    order = np.lexsort((weight, x))
    large = float(np.abs(x).max()) or 1.0  # sums of large numbers stay finite
    return large * float((x[order] / large * weight[order]).sum() / weight[order].sum())


def _find_rare_codes(block: Block, name: str, min_rows: float) -> Array:
    """The codes of a category's rare values."""
    codes = block.codes[name]
    counts = np.bincount(codes.codes[codes.codes >= 0], minlength=len(codes.values))
    return np.flatnonzero(rare(counts, len(block), min_rows) & (counts > 0))


def _order_values(
    block: Block, name: str, weight: Array, few: Array, smoothing: float
) -> tuple[tuple[str, ...], int]:
    """The values that occur, by the target's mean, then by name; and the place of the middle.

    Without the ``few`` rare ones; where there are any, means are smoothed.
    """
    codes, y = block.codes[name], np.asarray(block.target)
    order = np.lexsort((weight, y))  # so that sums do not depend on the order of the rows
    order = order[codes.codes[order] >= 0]
    large = float(np.abs(y).max()) or 1.0
    at, size = codes.codes[order], len(codes.values)
    count = np.bincount(at, weight[order], minlength=size)
    total = np.bincount(at, weight[order] * (y[order] / large), minlength=size)
    added = smoothing if len(few) else 0.0
    node = added * (total.sum() / count.sum()) if added else 0.0
    seen = np.setdiff1d(np.flatnonzero(count), few).tolist()
    seen.sort(key=lambda at: ((total[at] + node) / (count[at] + added), codes.values[at]))
    return tuple(codes.values[code] for code in seen), _middle(count[seen])


def _middle(count: Sequence[float] | Array) -> int:
    """The place where half of the weight is reached."""
    return missing_values.most_common(np.asarray(count), number=True) if len(count) else 0
