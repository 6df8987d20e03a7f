"""Taken columns: one that was read with the others becomes the target, the weight or the groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, TargetError, listed
from tallylearn.sources.columns.kinds import codes
from tallylearn.tables import DATE, NUMBER, TEXT, Block, Codes, Column


def column_in(block: Block, name: str) -> Any:
    """A column of a block as it was before it was read."""
    for column in block.schema.columns:
        if column.name == name:
            return _raw(block, column)
    raise ColumnError(f"the table has no column {name!r}; it has {listed(block.schema.names)}.")


def without(block: Block, name: str) -> Block:
    """The block without a column."""
    schema = block.schema
    rest = schema.of_columns(c for c in schema.columns if c.name != name)
    kept = [j for j, number in enumerate(schema.numbers) if number != name]
    coded = {key: value for key, value in block.codes.items() if key != name}
    text = {key: value for key, value in block.text.items() if key != name}
    return replace(block, schema=rest, numbers=block.numbers[:, kept], codes=coded, text=text)


def as_groups(column: Any) -> Codes:
    """A column that was read, by its values: numbers by their names, as frames and files have."""
    import pyarrow as pa

    if isinstance(column, Codes):
        return column
    read = isinstance(column, np.ndarray)
    return codes(pa.array(column, from_pandas=True) if read else column)


def _raw(block: Block, column: Column) -> Any:
    name = column.name
    if column.kind == DATE:
        raise TargetError(
            f"the column {name!r} was read as a date. Declare it from the start, "
            f"as in tl.table(source, target={name!r})."
        )
    if column.kind == NUMBER:
        return block.numbers[:, block.schema.numbers.index(name)]
    if column.kind == TEXT:
        return block.text[name]
    coded = block.codes.get(name) or Codes((), np.full(len(block), -1, dtype=np.int32))
    if column.origin == "number":
        return np.array([*map(float, coded.values), np.nan])[coded.codes]
    if column.origin == "truth":
        return replace(coded, values=tuple(value == "True" for value in coded.values))
    return coded
