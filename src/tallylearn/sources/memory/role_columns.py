"""Roles of columns: one that was read with the others becomes the target, the weight or the groups,
and a target or an identifier becomes a column as all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, TargetError, did_you_mean, quoted_list
from tallylearn.sources.columns.kinds import codes
from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT, Array, Block, Codes, Column


def column_in(block: Block, name: str) -> Any:
    """A column of a block as it was before it was read."""
    for column in block.schema.columns:
        if column.name == name:
            return _read_raw(block, column)
    names = block.schema.names
    hint = did_you_mean(name, names) or f" It has {quoted_list(names)}."
    raise ColumnError(f"the table has no column {name!r}.{hint}")


def without_column(block: Block, name: str) -> Block:
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


def _read_raw(block: Block, column: Column) -> Any:
    name = column.name
    if column.kind == DATE:
        raise TargetError(
            f"the column {name!r} was read as a date. Declare the target when the table is "
            f"opened: tl.table(source, target={name!r})."
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


def columns_put_back(block: Block, apart: Mapping[str, Codes | Array]) -> Block:
    """The block with the values of its identifiers, at their places."""
    schema = block.schema.of_columns(
        replace(c, kind=CATEGORY if isinstance(apart[c.name], Codes) else NUMBER)
        if c.name in apart else c
        for c in block.schema.columns
    )  # fmt: skip
    codes, numbers = dict(block.codes), np.empty((len(block), len(schema.numbers)))
    for name, at in block.schema.places.items():
        numbers[:, schema.places[name]] = block.numbers[:, at]
    for name, known in apart.items():
        if isinstance(known, Codes):
            codes[name] = known
        else:
            numbers[:, schema.places[name]] = known
    return replace(block, schema=schema, numbers=numbers, codes=codes)


def columns_beside(block: Block, more: Block) -> Block:
    """The columns of two blocks of the same rows, in one."""
    schema = block.schema.of_columns((*block.schema.columns, *more.schema.columns))
    return replace(
        block, schema=schema, numbers=np.hstack([block.numbers, more.numbers]),
        codes={**block.codes, **more.codes}, text={**block.text, **more.text},
    )  # fmt: skip
