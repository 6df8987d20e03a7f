"""Designs: a table as columns of numbers, categories as indicators and gaps filled by the mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from tallylearn import forms
from tallylearn.models.naive_bayes.column_factors import check_finite
from tallylearn.models.rare_values import Rare
from tallylearn.tables import DATE, Array, Block, Schema, check_columns, check_shape, day
from tallylearn.tallies.pairs import Names
from tallylearn.workings import Sentence

POOLED = " rare"  # in the place of a value: all that are rare
NONE = "has no values"
ROOM = 1 << 25  # numbers that the rows of a block may become at a time: 256 MiB


@dataclass(frozen=True)
class Design:
    """The columns of numbers that a model sees, and what fills their gaps.

    Of a category's values the first, in sorted order, has no indicator: where all others are 0, it
    is 1. Rare values of a category with many have one together, which is that of values never seen.
    """

    columns: tuple[str, ...]  # (p,) the table's column
    values: tuple[str, ...]  # (p,) "" for a number, "=red" for an indicator, POOLED for rare values
    fill: Array  # (p,) the mean of the values that are present
    gaps: Array  # (p,) rows whose gap was filled
    based: tuple[str, ...]  # columns of categories
    base: tuple[str, ...]  # their first values, without an indicator
    rare: Rare = field(default_factory=Rare)
    constant: tuple[str, ...] = ()  # columns of numbers that were passed over

    form: ClassVar[forms.Form] = {
        "columns": forms.names("p", unique=False),
        "values": forms.names("p", unique=False),
        "fill": forms.floats("p"),
        "gaps": forms.floats("p", least=0.0),
        "based": forms.names("b"),
        "base": forms.names("b", unique=False),
        "rare": forms.one(Rare),
        "constant": forms.names("c"),
    }

    def check(self, schema: Schema) -> None:
        """What a file says can be columns of this schema: numbers once, categories by value."""
        pairs = [*zip(self.columns, self.values, strict=True)]
        check_columns("categories", self.based, {*schema.categories})
        check_columns("constants", self.constant, {*schema.numbers} - {*self.columns})
        check_columns("numbers", [name for name, value in pairs if not value], {*schema.numbers})
        if len({*pairs}) < len(pairs) or not pairs:
            raise ValueError("the design has a column twice, or none")
        check_columns("rare values", sorted({*self.rare.columns}), {*self.based})
        odd = [value[0] != "=" and value != POOLED for _, value in pairs if value]
        if any(odd) or any(name not in self.based for name, value in pairs if value):
            raise ValueError("the design has an indicator of no category")

    def __post_init__(self) -> None:
        p = len(self.columns)
        for part in (np.empty(len(self.values)), self.fill, self.gaps):
            check_shape("the design", part, p)
        check_shape("the categories", np.empty(len(self.base)), len(self.based))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(map("".join, zip(self.columns, self.values, strict=True)))

    def picked(self, at: Array, constant: tuple[str, ...]) -> Design:
        """Only these columns; those of numbers that are left out for they are constant."""
        places = at.tolist()
        columns, values = (tuple(part[j] for j in places) for part in (self.columns, self.values))
        return replace(
            self, columns=columns, values=values, fill=self.fill[at], gaps=self.gaps[at],
            constant=constant,
        )  # fmt: skip

    def matrix(self, block: Block) -> Array:
        """The rows as numbers (n, p); NaN where missing."""
        places = [block.schema.numbers.index(name) for name in self._numbers(block)]
        if not self.based:
            same = places == list(range(block.numbers.shape[1]))
            return block.numbers if same else block.numbers[:, places]
        out = np.empty((len(block), len(self.columns)))
        out[:, [not value for value in self.values]] = block.numbers[:, places]
        for name in {*self.columns} & {*self.based}:
            at, alone = self._of(name), [j for j in self._of(name) if self.values[j] != POOLED]
            base = self.base[self.based.index(name)]
            codes = block.codes[name].among([base, *(self.values[j][1:] for j in alone)])
            out[:, alone] = codes[:, None] == np.arange(1, len(alone) + 1)
            out[:, [j for j in at if j not in alone]] = (codes == -2)[:, None]
            out[np.ix_(codes == -1, at)] = np.nan
        return out

    def product(self, block: Block, weights: Array) -> Array:
        """matrix(block) @ weights.T (n, k); numbers stay in their order, and the weights move."""
        if self.based:
            return np.asarray(self.matrix(block) @ weights.T)
        moved = np.zeros((len(weights), block.numbers.shape[1]))
        moved[:, [block.schema.places[name] for name in self.columns]] = weights
        return np.asarray(block.numbers @ moved.T)

    def pieces(self, block: Block) -> Iterator[Block]:
        """The block, a few rows at a time where categories make many columns of it."""
        rows = len(block) if not self.based else max(1, ROOM // max(1, len(self.columns)))
        for at in range(0, max(1, len(block)), max(1, rows)):
            yield block[at : at + rows] if rows < len(block) else block

    def filled(self, block: Block) -> Array:
        """The rows as numbers, every gap filled by its column's mean."""
        x = self.matrix(block)
        if np.isfinite(x).all():
            return x
        check_finite(block)
        return np.where(np.isnan(x), self.fill, x)

    def order(self, schema: Schema) -> Array:
        """The places of the columns in the order of a table."""
        place = {name: at for at, name in enumerate(schema.names)}
        return np.array(
            sorted(range(len(self.columns)), key=lambda j: place[self.columns[j]]), dtype=np.int64
        )

    def groups(self, schema: Schema) -> dict[str, list[int]]:
        """The places of each column of the table, in its order."""
        found: dict[str, list[int]] = {}
        for j in self.order(schema):
            found.setdefault(self.columns[j], []).append(int(j))
        return found

    def shown(self, block: Block, i: int, name: str, j: int) -> tuple[str, str]:
        """A row's value in a column as text, and what is to be said about it."""
        if not self.values[j]:
            x = block.numbers[i, block.schema.numbers.index(name)]
            gap = bool(np.isnan(x))
            return f"{self.fill[j] if gap else x:.6g}", "missing, filled by the mean" if gap else ""
        value = block.codes[name][i : i + 1].items()[0]
        base = self.base[self.based.index(name)]
        if value is None:
            return "?", "missing, filled by the share of every value"
        found = {self.values[k] for k in self._of(name)}
        if value == base or f"={value}" in found:
            return str(value), ""
        seen = "rare" if value in self.rare.by_column.get(name, ()) else "never seen"
        if POOLED in found:
            return str(value), "rare" if seen == "rare" else f"{seen}, counts as rare"
        return str(value), f"{seen}, counts as {base!r}"

    @property
    def known(self) -> dict[str, tuple[str, ...]]:
        """The values that every column of categories was seen with."""
        rare = self.rare.by_column
        return {
            name: tuple(dict.fromkeys((base, *self._named(name), *rare.get(name, ()))))
            for name, base in zip(self.based, self.base, strict=True)
        }

    def remarks(self, schema: Schema) -> list[Sentence]:
        """What was done to the table before the sums."""
        said = [
            f"Column {name!r} is missing in {self.gaps[at[0]]:g} of the rows: filled by the mean"
            + (f" {self.fill[at[0]]:.6g}." if not self.values[at[0]] else " of its indicators.")
            for name, at in self.groups(schema).items()
            if self.gaps[at[0]] > 0
        ]
        said += [
            f"Column {name!r} is a category: a column of 0 and 1 for every value but {base!r}."
            for name, base in zip(self.based, self.base, strict=True)
            if self._of(name)
        ]
        rare = self.rare.told("which have one column together, or none where there are no others")
        known = {*self.columns, *self.based}
        said += [
            f"Column {name!r} {'is the same in every row' if name in self.constant else NONE} and "
            "says nothing."
            for name in schema.names
            if name not in known
        ]
        return [*(Sentence(text) for text in said), *rare]

    def rows(self, x: Array, schema: Schema) -> list[dict[str, object]]:
        """Rows of numbers (n, p) as rows of the table; of a category's values the largest."""
        out: list[dict[str, object]] = [{} for _ in x]
        dates = {column.name for column in schema.of_kind(DATE)}
        for name in schema.names:
            at = self._of(name)
            if name in self.based:
                pooled = self.rare.by_column.get(name, ("",))[0]
                values = [self.base[self.based.index(name)]]
                values += [pooled if self.values[j] == POOLED else self.values[j][1:] for j in at]
                whole = np.column_stack([1 - x[:, at].sum(axis=1), x[:, at]])
                found: list[object] = [values[c] for c in whole.argmax(axis=1)]
            else:
                found = x[:, at[0]].tolist() if at else [None] * len(x)
            if name in dates:
                found = [day(days) for days in found]
            for row, value in zip(out, found, strict=True):
                row[name] = value
        return out

    def _named(self, name: str) -> list[str]:
        """The values of a category that have an indicator alone."""
        return [self.values[j][1:] for j in self._of(name) if self.values[j] != POOLED]

    def _of(self, name: str) -> list[int]:
        return [j for j, column in enumerate(self.columns) if column == name]

    def _numbers(self, block: Block) -> list[str]:
        return [c for c, value in zip(self.columns, self.values, strict=True) if not value]


def spelling(block: Block, pooled: Collection[str] = ()) -> Names:
    """The names that a block has as numbers: an indicator for every value that it knows.

    Of the columns in ``pooled`` the last one is that of all rare values.
    """
    numbers = [(name, "") for name in block.schema.numbers]
    values = [(name, f"={v}") for name, column in block.codes.items() for v in column.values]
    last = {name: at for at, (name, _) in enumerate(values)}
    for name in pooled:
        values[last[name]] = (name, POOLED)
    return (*numbers, *values)


def spelled(block: Block) -> Array:
    """A block as numbers for a tally, in the order of its spelling."""
    if not block.codes:
        return block.numbers
    parts = [block.numbers]
    for column in block.codes.values():
        ones = (column.codes[:, None] == np.arange(len(column.values))).astype(np.float64)
        ones[column.codes < 0] = np.nan
        parts.append(ones)
    return np.hstack(parts)
