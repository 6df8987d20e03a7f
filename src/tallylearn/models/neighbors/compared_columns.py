"""Compared columns: a category of noise brings rows near by chance, and counts in no distance.

Two values are equal or not, and a column of them is worth as much as the whole range of a number.
Of 300 levels of noise hardly two are equal, and the rows whose levels happen to be would be the
nearest, whatever else they hold. So a category of many values counts unless the rows that share
them speak strongly against it, as naive Bayes judges such columns.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from tallylearn.models.design.informative_categories import uninformative_columns
from tallylearn.models.neighbors.distances import check_kinds, resolve_metric
from tallylearn.sources.memory.joined_blocks import join_blocks
from tallylearn.sources.memory.role_columns import without_column
from tallylearn.tables import Block, Codes, Schema


@dataclass(frozen=True)
class ComparedColumns:
    """Which categories count in no distance, and whether there are gaps in the numbers beside."""

    chance: tuple[str, ...] = ()
    gaps: bool = False

    @classmethod
    def of(cls, block: Block) -> ComparedColumns:
        """As all rows in memory show it."""
        return CategoriesWithTarget.of([*block.codes], block).compared_columns()

    def compared_schema(self, schema: Schema) -> Schema:
        """The columns that are compared."""
        return schema.of_columns(c for c in schema.columns if c.name not in self.chance)

    def select(self, block: Block) -> Block:
        """The columns of a block that are compared."""
        return reduce(without_column, self.chance, block)

    def metric(self, asked: str, p: float, schema: Schema) -> str:
        """The distance that suits the columns, or the one that is asked for if it does.

        Categories that do not count leave Euclid's to the numbers, unless these have gaps, which
        the table could have beside them.
        """
        if asked == "auto":
            mixed = self.compared_schema(schema).categories or self.gaps
            return "gower" if mixed else resolve_metric("minkowski", p)
        metric = resolve_metric(asked, p)
        check_kinds(metric, schema)
        return metric


@dataclass(frozen=True)
class CategoriesWithTarget:
    """Some categories of blocks beside their targets: what a pass over files keeps of them."""

    blocks: tuple[Block, ...]
    width: int  # how many columns there are with all others
    gaps: bool  # in their numbers

    @classmethod
    def of(cls, names: Collection[str], block: Block) -> CategoriesWithTarget:
        """The categories of a block."""
        schema, codes = block.schema, {name: block.codes[name] for name in names}
        part = replace(
            block, schema=schema.of_columns(c for c in schema.columns if c.name in names),
            codes=codes, numbers=np.empty((len(block), 0)), text={}, group=None,
        )  # fmt: skip
        width = len(schema.numbers) + len(schema.categories)
        return cls((part,), width, bool(np.isnan(block.numbers).any()))

    def __add__(self, other: CategoriesWithTarget) -> CategoriesWithTarget:
        return CategoriesWithTarget(self.blocks + other.blocks, self.width, self.gaps or other.gaps)

    def compared_columns(self) -> ComparedColumns:
        """Without the categories of chance; where no other column is there, all count."""
        block = join_blocks(self.blocks, self.blocks[0].schema)
        classes = isinstance(block.target, Codes)
        found = uninformative_columns(
            block, block.target.codes if classes else block.target, classes
        )
        some = 0 < len(found) < self.width
        return ComparedColumns(tuple(sorted(found)), self.gaps) if some else ComparedColumns()
