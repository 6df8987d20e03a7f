"""The table to describe, its target a column as all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, listed
from tallylearn.sources import Declared, Files, Table, given, read_table
from tallylearn.tables import CATEGORY, NUMBER, Array, Block, Codes


def opened_with_target(table: Any, target: str | None) -> tuple[Declared, str | None]:
    """A source whose target is a column as all others, and the target that it declares."""
    source = given(table)
    if source is None:
        return read_table(table).settled(), None
    source = _unnamed(source)
    if not (names := source.declared.targets):
        return source, None
    if len(names) > 1 or target not in (None, names[0]):
        raise OptionError(f"the table declares the target {listed(names)}. Describe it without.")
    if isinstance(source, Table):
        return _with_target(source, names[0]), names[0]
    if isinstance(source, Files):
        found = type(source)(source.paths, replace(source.declared, targets=()))
        found.kept = source.kept
        return found, names[0]
    raise OptionError("describe takes the target of this table as target=, undeclared.")


def _unnamed(source: Declared) -> Declared:
    """The same rows, in which declared identifiers are columns as all others."""
    if not source.declared.identifiers:
        return source
    declared = replace(source.declared, identifiers=())
    if isinstance(source, Table):
        named = {n: x for n, x in source.apart.items() if n in source.schema.names}
        block = _put_back(source.block, named)  # a date that is in parts stays so
        return Table(block, source.target, source.weight, declared)
    if isinstance(source, Files):
        found = type(source)(source.paths, declared)
        found.kept = source.kept
        return found
    return source


def _put_back(block: Block, apart: Mapping[str, Codes | Array]) -> Block:
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


def _with_target(source: Table, name: str) -> Table:
    """A table in memory whose target is a column again."""
    column = Table.of({name: source.target}, replace(source.declared, targets=(), weight=None,
                      groups=None, categories={}, text=(), dates={}, ignore=(), classes=(),
                      numbers=(), spellings={})).block  # fmt: skip
    declared = replace(source.declared, targets=())
    return Table(_beside(source.block, column), None, source.weight, declared)


def _beside(block: Block, more: Block) -> Block:
    schema = block.schema.of_columns((*block.schema.columns, *more.schema.columns))
    return replace(
        block, schema=schema, numbers=np.hstack([block.numbers, more.numbers]),
        codes={**block.codes, **more.codes}, text={**block.text, **more.text},
    )  # fmt: skip


def what_of(source: Declared) -> str:
    if not isinstance(source, Files):
        return "a table in memory"
    more = f" and {len(source.paths) - 1} more" if len(source.paths) > 1 else ""
    return f"{source.paths[0].name}{more}"
