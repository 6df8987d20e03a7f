"""Learned columns: a table that was read as one schema, with the columns of another."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, did_you_mean, quoted_list
from tallylearn.sources.columns.category_types import codes_as_learned
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.files.csv.cell_errors import unit_error
from tallylearn.sources.protocols import DeclaredTable
from tallylearn.sources.type_inference.missing_markers import ANSWERS
from tallylearn.sources.type_inference.string_column import differ
from tallylearn.tables import (
    CATEGORY,
    DATE,
    IDENTIFIER,
    TEXT,
    UNKNOWN,
    Block,
    Codes,
    Column,
    Schema,
    no_text,
)
from tallylearn.tables.string_formats import NUMBERS, StringFormat

IGNORED, PLAIN = "ignored", StringFormat()
_TIME = re.compile(r"(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d.*")  # a class that was read as a date


def missing_columns_error(missing: Sequence[str], have: Iterable[str]) -> ColumnError:
    """The error of a table without columns that the model was fitted to."""
    several, have = "s" * (len(missing) > 1), [*have]
    likely = did_you_mean(missing[0], have).replace("Did you mean", f"Is {missing[0]!r} named")
    return ColumnError(
        f"the table has no column{several} {quoted_list(missing)}, which the model was fitted to. "
        f"It has {quoted_list(have)}.{likely} Add the column{several}; the cells may be empty."
    )


def select_columns(block: Block, schema: Schema) -> Block:
    """The columns of a schema out of a block that was read as another."""
    have = {column.name: column for column in block.schema.columns}
    for column in schema.columns:
        if column.kind == IDENTIFIER:
            continue
        if column.name not in have:
            raise missing_columns_error([column.name], have)
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
            c.name: codes_as_learned(
                c, have[c.name].origin, block.codes.get(c.name, empty), block.start
            )
            for c in schema.of_kind(CATEGORY)
        },
        text={c.name: block.text.get(c.name, nothing) for c in schema.of_kind(TEXT)},
    )


def check_units(here: Schema, schema: Schema, said: Collection[str]) -> None:
    """Refuse numbers in another unit than a schema has, unless a user says how they are written."""
    for name in schema.numbers:
        learned, now = (one.spellings.get(name, PLAIN) for one in (schema, here))
        if name not in said and differ(learned, now):
            raise unit_error(name, learned, now, f"{now} here", "")


def target_spelling(source: DeclaredTable) -> StringFormat | None:
    """How the numbers of a target are written, where it is a column of a file."""
    found = None if source.keeps_labels else source.inferred.get(source.declared.target or "")
    return found.format if found is not None and found.format.kind == NUMBERS else None


def check_target_unit(source: DeclaredTable, schema: Schema) -> None:
    """Refuse answers in another unit than a model has learned, unless a user says it is the same.

    Models of releases that did not keep how their target was written take any.
    """
    name, now = str(source.declared.target), target_spelling(source)
    learned = schema.spellings.get(name)
    said = name in source.declared.spellings
    if now is not None and learned is not None and not said and differ(learned, now):
        raise unit_error(name, learned, now, f"{now} here", "")


def check_declared(declared: Declaration, schema: Schema) -> None:
    """What is said of a model's columns may be how they are written, and not what they are."""
    kinds = {column.name: column.kind for column in schema.columns}
    kinds |= {name: DATE for name, _ in schema.parts}
    for name, kind in kinds.items():
        said = IGNORED if name in declared.ignore else declared.kind(name)
        if said is not None and kind not in (said, UNKNOWN, IDENTIFIER):
            raise ColumnError(
                f"column {name!r} was {a(kind)} when the model was fitted, and cannot be {said} "
                f"here. Give only the format of {name!r}, such as '1.234,5' or '%d/%m/%Y', or "
                "fit the model again."
            )


def with_labels(declared: Declaration, target: str, classes: Sequence[Any]) -> Declaration:
    """What is said of rows whose target has classes that a model knows: they go by its names.

    Of text they are words, though all that these rows have may be numbers or written otherwise.
    """
    if not all(isinstance(label, str) and not _TIME.fullmatch(label) for label in classes):
        return declared
    said = declared.spelling(target)
    if words := _answers(said, classes):
        spelled = {**declared.spellings, target: StringFormat(words=words)}
        return replace(_as_words(declared, target), spellings=spelled)
    return declared if said or declared.kind(target) else _as_words(declared, target)


def _answers(said: StringFormat | None, classes: Sequence[str]) -> tuple[str, ...]:
    """The classes, where they are two answers, however rows may write them."""
    low = {label.lower() for label in classes}
    known = (*ANSWERS, said.words) if said else ANSWERS
    pairs = ({word.lower() for word in pair} for pair in known)
    return (*classes,) if len(classes) == len(low) == 2 and low in pairs else ()


def _as_words(declared: Declaration, name: str) -> Declaration:
    return replace(declared, categories={**declared.categories, name: ()})


def _check_kind(learned: Column, here: Column) -> None:
    if learned.kind != here.kind and not {learned.kind, here.kind} & {UNKNOWN, IDENTIFIER}:
        raise ColumnError(
            f"column {learned.name!r} was {a(learned.kind)} when the model was fitted, and "
            f"is {a(here.kind)} here. Declare it the same in both tables, for example with "
            f"categories=[{learned.name!r}]."
        )


def a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
