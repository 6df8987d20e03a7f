"""Tables in memory: a frame read once into a block, with its target and weights beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError, InputError, TargetError, listed
from tallylearn.sources.columns import codes, date_part, days, kind_of, masked, numbers, strings
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.frames import Frame, framed
from tallylearn.sources.targets import weights
from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT, Block, Codes, Column, Schema

Array = NDArray[Any]


class Table:
    """A table in memory, with what is declared about it.

    It has a length and takes row numbers, so it passes through cross-validation as an array does.
    """

    def __init__(self, block: Block, target: Any, weight: Array | None, declared: Declaration) -> None:
        self.block = block
        self.target = target  # as it came: (n,) NumPy or Arrow, or None
        self.weight = weight
        self.declared = declared

    @classmethod
    def of(cls, X: Any, declared: Declaration, schema: Schema | None = None) -> Table:
        """Read anything in memory; with a schema, as that schema says."""
        if isinstance(X, Table):
            return X
        frame = X if isinstance(X, Frame) else framed(X)
        declared.check(frame.names)
        if schema is None:
            schema = schema_of(frame, declared)
        target = frame.column(declared.target) if declared.target else None
        weight = None
        if declared.weight:
            column = numbers(declared.weight, frame.column(declared.weight))
            weight = weights(column, len(frame), f"the weight {declared.weight!r}")
        return cls(block_of(frame, schema), target, weight, declared)

    @property
    def schema(self) -> Schema:
        return self.block.schema

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.block), len(self.schema.columns)

    def __len__(self) -> int:
        return len(self.block)

    def __getitem__(self, rows: Any) -> Table:
        if isinstance(rows, int | np.integer):
            rows = slice(int(rows), int(rows) + 1)
        target = None if self.target is None else _rows_of(self.target, rows)
        weight = None if self.weight is None else self.weight[rows]
        return Table(self.block[rows], target, weight, self.declared)

    def blocks(self) -> Iterator[Block]:
        """The rows in blocks of 65 536, target and weight as they came."""
        whole = replace(self.block, target=self.target, weight=self.weight)
        return whole.cut()

    def aimed(self, target: str | None, weight: str | None) -> Table:
        """The same table with one of its columns as the target, or as the weight."""
        declared = replace(self.declared, target=target, weight=weight)
        result = Table(self.block, self.target, self.weight, declared)
        if target != self.declared.target:
            result.block, result.target = _taken(result.block, target)
        if weight != self.declared.weight:
            result.block, column = _taken(result.block, weight)
            result.weight = weights(column, len(self), f"the weight {weight!r}")
        return result

    def __repr__(self) -> str:
        kinds = ", ".join(f"{column.name} ({column.kind})" for column in self.schema.columns[:8])
        more = len(self.schema.columns) - 8
        target = f", target {self.declared.target}" if self.declared.target else ""
        return f"Table({len(self)} rows: {kinds}{f' and {more} more' if more > 0 else ''}{target})"


def schema_of(frame: Frame, declared: Declaration) -> Schema:
    """The kinds of the columns that are learned from."""
    columns: list[Column] = []
    for name in frame.names:
        if name in declared.aside:
            continue
        if parts := declared.dates.get(name):
            columns += [_part_column(name, part) for part in parts]
        else:
            columns.append(_column_of(frame, name, declared))
    parts_of = tuple((name, parts) for name, parts in declared.dates.items() if parts)
    return Schema(tuple(columns), frame.named, parts_of, declared.missing)


def block_of(frame: Frame, schema: Schema, start: int = 0) -> Block:
    """The columns of a schema, read from a frame that has them all."""
    frame = _apart(frame, schema)
    found = {name: frame.column(name) for name in schema.categories}
    if schema.missing:
        found = {name: masked(data, schema.missing) for name, data in found.items()}
    declared = {column.name: column.values for column in schema.columns}
    return Block(
        schema,
        _matrix(frame, schema, start),
        {name: codes(_categorical(data, schema, name), declared[name]) for name, data in found.items()},
        {c.name: strings(frame.column(c.name)) for c in schema.of_kind(TEXT)},
        start=start,
    )


def _column_of(frame: Frame, name: str, declared: Declaration) -> Column:
    if frame.matrix is not None and declared.kind(name) is None:
        return Column(name, NUMBER)
    data = frame.column(name)
    if declared.missing:
        data = masked(data, declared.missing)
    if (kind := declared.kind(name)) is None:
        return kind_of(name, data)
    return Column(name, kind, tuple(sorted(declared.categories.get(name, ()))), "declared")


def _part_column(name: str, part: str) -> Column:
    kind = NUMBER if part in ("year", "day") else CATEGORY
    return Column(f"{name}.{part}", kind)


def _matrix(frame: Frame, schema: Schema, start: int) -> Array:
    """The numbers of a block: as they came where nothing has to be done."""
    names = schema.numbers
    if frame.matrix is not None:
        out = frame.matrix if names == frame.names else frame.matrix[:, frame.positions(names)]
        marks = [mark for mark in schema.missing if isinstance(mark, int | float)]
        return np.where(np.isin(out, marks), np.nan, out) if marks else out
    dates = {column.name for column in schema.of_kind(DATE)}
    out = np.empty((len(names), len(frame)))
    for j, name in enumerate(names):
        data = frame.column(name)
        data = masked(data, schema.missing) if schema.missing else data
        out[j] = days(name, data, start) if name in dates else numbers(name, data, start)
    return out.T


def _categorical(data: Any, schema: Schema, name: str) -> Any:
    """Text where the fitted column was text: numbers there are another type, and said so."""
    import pyarrow.types as is_

    origin = next(column.origin for column in schema.columns if column.name == name)
    kind = data.type.value_type if is_.is_dictionary(data.type) else data.type
    if origin == "text" and (is_.is_integer(kind) or is_.is_floating(kind)) and len(data) > data.null_count:
        value = next(value for value in data.to_pylist() if value is not None)
        raise ColumnError(
            f"column {name!r} was a category of text when the model learned, and has numbers here "
            f"({value!r}). Pass the values as text."
        )
    return data


def _apart(frame: Frame, schema: Schema) -> Frame:
    """With the parts of the dates as columns of their own."""
    import pyarrow as pa

    if not schema.parts:
        return frame
    columns = {name: frame.column(name) for name in frame.names}
    for name, parts in schema.parts:
        columns |= {f"{name}.{part}": date_part(part, columns[name]) for part in parts}
    return Frame(tuple(columns), frame.named, arrow=pa.table(columns))


def _taken(block: Block, name: str | None) -> tuple[Block, Any]:
    """The block without a column, and that column."""
    schema = block.schema
    if name not in schema.names:
        raise ColumnError(f"the table has no column {name!r}; it has {listed(schema.names)}.")
    rest = replace(schema, columns=tuple(c for c in schema.columns if c.name != name))
    kept = [j for j, number in enumerate(schema.numbers) if number != name]
    if name in schema.numbers:
        column: Any = block.numbers[:, schema.numbers.index(name)]
    else:
        column = block.codes[name] if name in block.codes else block.text[name]
    codes = {key: value for key, value in block.codes.items() if key != name}
    text = {key: value for key, value in block.text.items() if key != name}
    return replace(block, schema=rest, numbers=block.numbers[:, kept], codes=codes, text=text), column


def _rows_of(column: Any, rows: Any) -> Any:
    if isinstance(column, np.ndarray | Codes):
        return column[rows]
    at = np.arange(len(column))[rows]
    return column.take(at)


def check_rows(n: int, y: Any) -> None:
    """As many targets as rows."""
    if len(y) != n:
        raise TargetError(
            f"the table has {n} rows and the target {len(y)}. "
            f"Found input variables with inconsistent numbers of samples: [{n}, {len(y)}]"
        )


def check_size(n: int, p: int, weighed: bool = False) -> None:
    """A table to learn from has rows and columns."""
    if n == 0:
        why = "every row has weight zero" if weighed else "the table has no rows"
        raise InputError(
            f"{why}. Found array with 0 sample(s) (shape=({n}, {p})) while a minimum of 1 is required."
        )
    if p == 0:
        raise InputError(
            "the table has no columns to learn from. Found array with 0 feature(s) "
            f"(shape=({n}, {p})) while a minimum of 1 is required."
        )
