"""Learned columns: a table that was read as one schema, with the columns of another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallylearn.errors import ColumnError, listed
from tallylearn.sources.category_origins import as_learned
from tallylearn.tables import (
    CATEGORY,
    IDENTIFIER,
    TEXT,
    UNKNOWN,
    Block,
    Codes,
    Column,
    Schema,
    no_text,
)


def picked(block: Block, schema: Schema) -> Block:
    """The columns of a schema out of a block that was read as another."""
    have = {column.name: column for column in block.schema.columns}
    for column in schema.columns:
        if column.kind == IDENTIFIER:
            continue
        if column.name not in have:
            raise ColumnError(
                f"the table lacks {column.name!r}, which the model learned from; it has "
                f"{listed(have)}. Add the column, empty if need be."
            )
        _check_kind(column, have[column.name])
    place = {name: j for j, name in enumerate(block.schema.numbers)}
    columns = [
        block.numbers[:, place[name]] if name in place else np.full(len(block), np.nan)
        for name in schema.numbers
    ]
    empty = Codes((), np.full(len(block), -1, dtype=np.int32))
    nothing = no_text(len(block))
    return replace(
        block,
        schema=schema,
        numbers=np.column_stack(columns) if columns else np.empty((len(block), 0)),
        codes={
            c.name: as_learned(c, have[c.name].origin, block.codes.get(c.name, empty), block.start)
            for c in schema.of_kind(CATEGORY)
        },
        text={c.name: block.text.get(c.name, nothing) for c in schema.of_kind(TEXT)},
    )


def _check_kind(learned: Column, here: Column) -> None:
    if learned.kind != here.kind and not {learned.kind, here.kind} & {UNKNOWN, IDENTIFIER}:
        raise ColumnError(
            f"column {learned.name!r} was {a(learned.kind)} when the model learned, and is "
            f"{a(here.kind)} here. Declare it alike in both tables, for example with "
            f"categories=[{learned.name!r}]."
        )


def a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
