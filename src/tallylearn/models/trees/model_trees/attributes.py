"""Attributes: what linear models look at, numbers as they are, categories as steps up their order.

A category with k values becomes k - 1 attributes (Wang and Witten, 1997): the values are put in the
order of the target's mean, and attribute s says whether a row's value is the s-th or a later one.
Rare values of a category with many count as gaps.
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
    Number,
    NumberColumn,
)
from tallylearn.models.design.rare_categories import Rare, rare
from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.node import LEAF, SUBSET, THRESHOLD
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


@dataclass(frozen=True)
class Attributes:
    """The columns of a table as numbers without gaps."""

    columns: tuple[Column, ...]  # of a category, ``values`` are those seen, by the target's mean
    source: Array  # (f,) int64: the column that an attribute comes from
    step: Array  # (f,) int64: 0 for a number, s for the s-th step of a category
    fill: Array  # (f,) float64: what a gap, or an unseen value, counts as
    rare: Rare = field(default_factory=Rare)  # values that count as a gap does

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.many(field_schemas.one(Column)),
        "source": field_schemas.integers("f", least=0),
        "step": field_schemas.integers("f", least=0),
        "fill": field_schemas.floats("f"),
        "rare": field_schemas.one(Rare),
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
        if (self.step > most).any() or (named != (self.step > 0)).any():
            raise ValueError("an attribute is a step that its column lacks")

    def __post_init__(self) -> None:
        check_shape("the steps", self.step, *self.source.shape)
        check_shape("the fills", self.fill, *self.source.shape)
        if len(self) and not 0 <= self.source.min() <= self.source.max() < len(self.columns):
            raise ValueError("an attribute is of no column")

    @classmethod
    def of(cls, block: Block, min_rows: float = 1, smoothing: float = 0.0) -> Attributes:
        """Means fill the gaps of numbers, the middle value in order those of categories.

        So they do where a value is rare: a category has many, and fewer than ``min_rows`` have it.
        The others are put in order by their means and ``smoothing`` rows of the table's then.
        """
        weight = np.ones(len(block)) if block.weight is None else block.weight
        columns, found, scarce = [], [], dict[str, tuple[str, ...]]()
        for at, column in enumerate(block.schema.columns):
            if column.kind == CATEGORY:
                few = _rare(block, column.name, min_rows)
                values, middle = _ordered(block, column.name, weight, few, smoothing)
                scarce[column.name] = tuple(block.codes[column.name].values[at] for at in few)
                columns.append(replace(column, values=values))
                found += [(at, s, float(middle >= s)) for s in range(1, len(values))]
            else:
                columns.append(column)
                if column.kind == IDENTIFIER:
                    continue
                found.append((at, 0, _mean(_number(block, column.name), weight)))
        source, step, fill = np.array(found, dtype=np.float64).reshape(-1, 3).T
        parts = source.astype(np.int64), step.astype(np.int64), fill.copy()
        return cls(tuple(columns), *parts, Rare.of(scarce))

    def __len__(self) -> int:
        return len(self.source)

    def matrix(self, block: Block) -> Array:
        """(n, f) every row's attributes; a line has no answer at infinity."""
        check_finite(block)
        out = np.empty((len(block), len(self)))
        for at, column in enumerate(self.columns):
            here = np.flatnonzero(self.source == at)
            if not len(here):
                continue
            if column.kind == CATEGORY:
                rank = block.codes[column.name].among(column.values)[:, None]
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
        return f"[{column.name} in {{{', '.join(map(str, column.values[step:]))}}}]"

    def as_numbers(self, x: Array, block: Block) -> Block:
        """A block of a matrix, its columns numbered, with the target and the weights of another."""
        x = x if len(self) else np.zeros((len(x), 1))  # a table of nothing has one leaf
        schema = Schema(tuple(Column(str(j), NUMBER) for j in range(x.shape[1])))
        return Block(
            schema, x, target=block.target, weight=block.weight, weight_kind=block.weight_kind
        )

    def asked(self, tree: Tree) -> Tree:
        """A tree of attributes as a tree of the table's columns."""
        asks = tree.test == THRESHOLD
        j = np.where(asks, tree.column, -1)
        step, fill = np.append(self.step, 0)[j], np.append(self.fill, 0.0)[j]
        first = np.minimum(np.arange(len(tree)) + 1, len(tree) - 1)
        second = np.minimum(first + tree.sizes[first], len(tree) - 1)
        above = np.where(step > 0, fill > 0.5, fill > tree.threshold)
        leads = [
            _sides(self.columns[self.source[tree.column[i]]], int(step[i]), first[i], second[i])
            for i in np.flatnonzero(step).tolist()
        ]
        pooled = [column.name in {*self.rare.columns} for column in self.columns]
        usual = np.where(asks, np.where(above, second, first), -1)
        known = ~np.append(pooled, False)[np.where(step > 0, np.append(self.source, -1)[j], -1)]
        ends = np.zeros(len(tree), dtype=np.int64)
        ends[step > 0] = [len(one) for one in leads]
        lead = np.concatenate([np.zeros(0, np.int64), *leads])
        return replace(
            tree, columns=tuple(_sorted(column) for column in self.columns),
            test=np.where(asks, np.where(step > 0, SUBSET, THRESHOLD), LEAF),
            column=np.where(asks, np.append(self.source, -1)[j], -1),
            threshold=np.where(step > 0, np.nan, tree.threshold),
            missing=usual, ends=np.cumsum(ends),
            others=np.where(known, -1, usual) if any(pooled) else tree.others,
            codes=np.concatenate([np.zeros(0, np.int64), *(np.arange(len(o)) for o in leads)]),
            leads=lead, tie_columns=np.append(self.source, 0)[tree.tie_columns],
            tie_thresholds=np.where(
                np.append(self.step, 0)[tree.tie_columns] > 0, np.nan, tree.tie_thresholds
            ),
        )  # fmt: skip


def _sorted(column: Column) -> Column:
    return replace(column, values=tuple(sorted(column.values)))


def _sides(column: Column, step: int, first: int, second: int) -> Array:
    """Where each value of a category leads to, the values sorted."""
    rank = {value: at for at, value in enumerate(column.values)}
    sides = [second if rank[value] >= step else first for value in sorted(column.values)]
    return np.array(sides, dtype=np.int64)


def _number(block: Block, name: str) -> Array:
    at = block.schema.places.get(name)
    return np.full(len(block), np.nan) if at is None else block.numbers[:, at]


def _mean(x: Array, weight: Array) -> float:
    """The mean of what is known, the same for any order of the rows; 0 where nothing is."""
    known = ~np.isnan(x)
    if not known.any():
        return 0.0
    x, weight = x[known], weight[known]
    order = np.lexsort((weight, x))
    large = float(np.abs(x).max()) or 1.0  # sums of large numbers stay finite
    return large * float((x[order] / large * weight[order]).sum() / weight[order].sum())


def _rare(block: Block, name: str, min_rows: float) -> Array:
    """The codes of a category's rare values."""
    codes = block.codes[name]
    counts = np.bincount(codes.codes[codes.codes >= 0], minlength=len(codes.values))
    return np.flatnonzero(rare(counts, len(block), min_rows) & (counts > 0))


def _ordered(
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
