"""Encoders: categories as numbers, one for every value, or a column of 0 and 1 for each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError, quoted_list
from tallylearn.estimators.options import fitted, option
from tallylearn.expressions import (
    Category,
    CategoryColumn,
    CategoryIndicator,
    CategoryLookup,
    Number,
)
from tallylearn.preprocessing.stored_transforms import check_counts, check_rows
from tallylearn.preprocessing.transformer import (  # fmt: skip
    Preprocessor,
    ReversibleTransform,
    TableTransform,
    rows_of,
)
from tallylearn.tables import (
    CATEGORY,
    NUMBER,
    Array,
    Block,
    Codes,
    Column,
    Schema,
    check_columns,
    field_schemas,
    numbered,
)  # fmt: skip
from tallylearn.tallies import Bundle, Counts
from tallylearn.workings import Derivation, Grid

MOST = 1 << 12  # indicators of one column


class Encoding(TableTransform):
    """The values of every column of categories, in sorted order."""

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    strict: bool

    def check(self, schema: Schema) -> None:
        """What a file says is of all columns of categories, each of them once."""
        check_columns("values", self.names, {*schema.categories})
        if len(self.names) != len(schema.categories):
            raise ValueError("a column of categories has no values")

    def codes(self, block: Block, name: str) -> Array:
        """(n,) the place of every row's value; -1 where missing, -2 where never seen."""
        known = self.values[self.names.index(name)]
        column = block.codes[name]
        codes = column.among(known)
        if self.strict and (codes == -2).any():
            row = int(np.flatnonzero(codes == -2)[0])
            raise ColumnError(
                f"column {name!r} has {column.values[column.codes[row]]!r} in row "
                f"{numbered(block.start, row)}, which was not there when the values were learned: "
                f"{quoted_list(known)}. Fit on all of them, or say unseen='gap'."
            )
        return codes

    def _rebuilt(self, block: Block, columns: dict[str, Array]) -> Block:
        """The block with new columns of numbers among the old ones."""
        schema = self.schema(block.schema)
        numbers = np.empty((len(block), len(schema.numbers)))
        for j, name in enumerate(schema.numbers):
            old = block.schema.places.get(name)
            numbers[:, j] = columns[name] if old is None else block.numbers[:, old]
        codes = {name: block.codes[name] for name in schema.categories}
        return replace(block, schema=schema, numbers=numbers, codes=codes)


@dataclass(frozen=True)
class Coding(Encoding, ReversibleTransform):
    """Every value is a number: its place."""

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    strict: bool

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("c"),
        "values": field_schemas.many(field_schemas.names(), "c"),
        "strict": field_schemas.truth,
    }

    def columns(self, schema: Schema) -> list[Column]:
        return [Column(c.name, NUMBER) if c.kind == CATEGORY else c for c in schema.columns]

    def transform_block(self, block: Block) -> Block:
        found = {}
        for name in block.schema.categories:
            codes = self.codes(block, name)
            found[name] = np.where(codes < 0, np.nan, codes)
        return self._rebuilt(block, found)

    def expressions(self, schema: Schema) -> dict[str, Number | Category]:
        """The place of the value among all; a missing or unseen one stays missing."""
        return {
            name: CategoryLookup(
                CategoryColumn(name), known, tuple(map(float, range(len(known)))), other=nan,
                missing=nan,
            )
            for name, known in zip(self.names, self.values, strict=True)
        }  # fmt: skip

    def inverse_block(self, block: Block, schema: Schema) -> Block:
        kept = [block.schema.places[name] for name in schema.numbers]
        codes = {name: self._named(block, name) for name in schema.categories}
        return replace(block, schema=schema, numbers=block.numbers[:, kept], codes=codes)

    def _named(self, block: Block, name: str) -> Codes:
        known = self.values[self.names.index(name)]
        places = block.numbers[:, block.schema.places[name]]
        odd = ~np.isnan(places) & ~np.isin(places, np.arange(len(known)))
        if odd.any():
            row = int(odd.argmax())
            raise ColumnError(
                f"column {name!r} has {places[row]:g} in row {numbered(block.start, row)}, and its "
                f"codes are 0 to {len(known) - 1}: {quoted_list(known)}."
            )
        return Codes(known, np.where(np.isnan(places), -1, places).astype(np.int32))

    def derivation(self, schema: Schema) -> Derivation:
        """The number of every value."""
        rows = tuple(
            (name, value, str(code))
            for name, known in zip(self.names, self.values, strict=True)
            for code, value in enumerate(known)
        )
        return Derivation("Labels as numbers", (Grid("", ("column", "value", "code"), rows),))


@dataclass(frozen=True)
class Indicating(Encoding):
    """Every value is a column of 0 and 1."""

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    strict: bool
    drop: str  # "", "first" or "if_binary"

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("c"),
        "values": field_schemas.many(field_schemas.names(), "c"),
        "strict": field_schemas.truth,
        "drop": field_schemas.text("", "first", "if_binary"),
    }

    def shown(self, name: str) -> tuple[str, ...]:
        """The values of a column that have an indicator."""
        known = self.values[self.names.index(name)]
        less = self.drop == "first" or (self.drop == "if_binary" and len(known) == 2)
        return known[1:] if less else known

    def columns(self, schema: Schema) -> list[Column]:
        out: list[Column] = []
        for column in schema.columns:
            if column.kind != CATEGORY:
                out.append(column)
            else:
                out += [Column(f"{column.name}={v}", NUMBER) for v in self.shown(column.name)]
        names = [column.name for column in out]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ColumnError(
                f"the table has a column {twice[0]!r}, and an indicator would have its name. "
                "Rename the column."
            )
        return out

    def transform_block(self, block: Block) -> Block:
        found = {}
        for name in block.schema.categories:
            codes, known = self.codes(block, name), self.values[self.names.index(name)]
            for value in self.shown(name):
                found[f"{name}={value}"] = (codes == known.index(value)).astype(np.float64)
        return self._rebuilt(block, found)

    def expressions(self, schema: Schema) -> dict[str, Number | Category]:
        """1 where the category has the value, else 0."""
        return {
            f"{name}={value}": CategoryIndicator(CategoryColumn(name), value)
            for name in self.names
            for value in self.shown(name)
        }

    def derivation(self, schema: Schema) -> Derivation:
        """The new columns."""
        rows = tuple(
            (name, quoted_list(known, 20), quoted_list(self.shown(name), 20))
            for name, known in zip(self.names, self.values, strict=True)
        )
        return Derivation("Indicators", (Grid("", ("column", "values", "indicators of"), rows),))


class Encoder(Preprocessor):
    """What counts the values of every column of categories."""

    transformed_kinds: ClassVar[tuple[str, ...]] = (CATEGORY,)
    model_: Any = fitted()

    unseen: str = option(
        default="error",
        choices=("error", "gap"),
        doc='What ``transform`` does with a value that ``fit`` has not seen: "error" raises, "gap" '
        "takes it as missing.",
    )

    def tally(self, block: Block) -> Bundle:
        """How often every category was seen."""
        tables = Bundle(dict(Counts.each(block.keyed(), block.codes, block.weight)))
        return Bundle({"target": rows_of(block), "tables": tables})

    @property
    def categories_(self) -> list[Array]:
        """The values of every column of categories, in the table's order."""
        self._check_fitted()
        known = dict(zip(self.model_.names, self.model_.values, strict=True))
        return [np.array(known[name], dtype=object) for name in self.schema_.categories]

    def _known(self, tally: Bundle) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        parts = tally["tables"].parts if "tables" in tally else {}
        return tuple(parts), tuple(tuple(map(str, counts.keys[1])) for counts in parts.values())

    def _counted_columns(self, tally: Bundle) -> set[str]:
        return {*self._known(tally)[0]}

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_rows(tally, {"tables": Bundle})
        check_counts(tally.get("tables"), schema.categories, str)


class LabelCoder(Encoder):
    """Labels become whole numbers: 0, 1, ... in sorted order; gaps stay gaps.

    Columns that are no categories pass as they are. ``inverse_transform`` gives the labels back.

    Examples
    --------
    >>> import tallylearn as tl
    >>> coder = tl.LabelCoder().fit([["no"], ["yes"]])
    >>> coder.transform([["yes"], ["no"]])
    array([[1.],
           [0.]])
    """

    stored: ClassVar[tuple[type, ...]] = (Coding,)
    reversible: ClassVar[bool] = True

    def solve(self, tally: Bundle) -> Coding:
        """The values in sorted order."""
        return Coding(*self._known(tally), self.unseen == "error")


class Indicator(Encoder, options=("drop", "unseen")):
    """Every category becomes a column of 0 and 1, named ``colour=red``.

    In a row where the category is missing all its columns are 0. Columns that are no categories
    pass as they are.

    Examples
    --------
    >>> import tallylearn as tl
    >>> made = tl.Indicator().fit([["red"], ["blue"]])
    >>> made.get_feature_names_out().tolist(), made.transform([["red"]]).tolist()
    (['x0=blue', 'x0=red'], [[0.0, 1.0]])
    """

    stored: ClassVar[tuple[type, ...]] = (Indicating,)

    drop: str | None = option(
        default=None,
        choices=(None, "first", "if_binary"),
        doc='Values without a column: none; the "first" of every category in sorted order, which '
        'is where all others are 0; or, with "if_binary", the first of columns of two values.',
    )

    def solve(self, tally: Bundle) -> Indicating:
        """The values in sorted order."""
        names, values = self._known(tally)
        for name, known in zip(names, values, strict=True):
            if len(known) > MOST:
                raise ColumnError(
                    f"column {name!r} has {len(known):,} values, and {MOST:,} columns of 0 and 1 "
                    f"are the most. Leave it out with tl.table(..., ignore=[{name!r}]), or use "
                    "LabelCoder."
                )
        return Indicating(names, values, self.unseen == "error", self.drop or "")
