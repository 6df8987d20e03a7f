"""Reading: a frame becomes a schema and a block, its target and weights beside it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError
from tallylearn.sources.columns.category_types import codes_as_learned, origin_of
from tallylearn.sources.columns.class_labels import weight_errors, weights
from tallylearn.sources.columns.date_parts import date_part, days
from tallylearn.sources.columns.kinds import (
    codes,
    is_numeric_type,
    mask_missing,
    numbers,
    strings,
)
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.memory.frame_types import PLAINLY, marks_of, strings_of, with_gaps
from tallylearn.sources.memory.frames import Frame
from tallylearn.sources.type_inference.column_types import FormatHints
from tallylearn.sources.type_inference.missing_markers import trim_strings
from tallylearn.sources.type_inference.string_column import (
    check_answers,
    check_same_format,
    encode_strings,
    read_leniently,
    read_strings,
)
from tallylearn.tables import (
    CATEGORY,
    DATE,
    NUMBER,
    TEXT,
    Block,
    Codes,
    Column,
    Schema,
)
from tallylearn.tables.string_formats import NUMBERS, TRUTHS, StringFormat

Array = NDArray[Any]


def target_and_weight(
    frame: Frame,
    declared: Declaration,
    start: int = 0,
    spelled: Mapping[str, StringFormat] | None = None,
) -> tuple[Any, Array | None]:
    """The target as it came, one for each where there are several, and the weights."""
    targets = tuple(
        mask_missing(column_as_declared(frame, name, start, spelled or {}), declared.missing)
        for name in declared.targets
    )
    weight = None
    if name := declared.weight:
        with weight_errors(name):
            column = column_as_declared(
                frame, name, start, spelled or {name: StringFormat(NUMBERS)}
            )
            column = numbers(name, mask_missing(column, declared.missing), start)
        weighs, compared = declared.weighs, declared.weighs == "importance"
        weight = weights(column, len(frame), f"the {weighs} {name!r}", start, compared=compared)
    return one_or_all(targets), weight


def column_as_declared(
    frame: Frame, name: str, start: int, spelled: Mapping[str, StringFormat]
) -> Any:
    """A column as it came, or read as it is known to be written."""
    data = frame.column(name)
    if name not in spelled or frame.matrix is not None or origin_of(data.type) != "text":
        return data
    column = encode_strings(data, frame.missing)
    _check(frame, name, column, spelled[name], start)
    return read_strings(name, column, spelled[name], start, frame.where)


def _check(frame: Frame, name: str, column: Any, spelling: StringFormat, start: int) -> None:
    """A column holds what somebody said, or what its first cells showed."""
    if name in frame.answers:
        check_answers(name, column, frame.answers[name], start, frame.where)
    elif frame.read and name not in frame.sure:
        check_same_format(name, column, spelling, start, frame.where)


def one_or_all(targets: tuple[Any, ...]) -> Any:
    """A target alone, several as they are, None for none."""
    return targets if len(targets) > 1 else next(iter(targets), None)


def groups_of(frame: Frame, declared: Declaration) -> Codes | None:
    """The group of every row, -1 where missing."""
    if declared.groups is None:
        return None
    data = frame.column(declared.groups)
    if frame.read and frame.is_string(declared.groups):
        data = encode_strings(data, frame.missing)
    return codes(mask_missing(data, declared.missing))


def columns_apart(
    frame: Frame, declared: Declaration, schema: Schema, learned: bool
) -> dict[str, Codes | Array]:
    """What is not learned from and may order or group the rows: identifiers, dates in parts."""
    marks, dates = declared.missing, [name for name, _ in schema.parts if name in frame.names]
    found = {n: _identifier(n, mask_missing(frame.column(n), marks)) for n in declared.identifiers}
    return found | {
        n: days(n, values_of(frame, n, kind=DATE, schema=schema, start=0, learned=learned))
        for n in dates
    }


def _identifier(name: str, column: Any) -> Codes | Array:
    """A declared identifier, by its values; integers that a double would round, by their names."""
    with suppress(ColumnError):
        return numbers(name, column) if is_numeric_type(column.type) else codes(column)
    return codes(column)


def block_of(frame: Frame, schema: Schema, start: int = 0, learned: bool = False) -> Block:
    """The columns of a schema, read from a frame that has them all.

    Where the schema was learned from other rows, strings may be written otherwise here.
    """
    if frame.matrix is not None and frame.names == schema.numbers and not schema.missing:
        return Block(schema, frame.matrix, start=start)
    frame = _split_dates(frame, schema, start, learned)
    return Block(
        schema,
        _matrix(frame, schema, start, learned),
        {
            c.name: _category_codes(frame, c, schema, start, learned)
            for c in schema.of_kind(CATEGORY)
        },
        {c.name: _text(frame, c.name, schema) for c in schema.of_kind(TEXT)},
        start=start,
    )


def values_of(frame: Frame, name: str, kind: str, schema: Schema, start: int, learned: bool) -> Any:
    """A column as Arrow has values of its kind; strings are read as they are written."""
    data = frame.column(name)
    typed = kind == CATEGORY and name not in frame.answers
    if not frame.is_string(name) and (typed or origin_of(data.type) != "text"):
        return mask_missing(data, (*schema.missing, *frame.marks))
    column = strings_of(frame, name, marks_of(frame, schema.missing))
    spelling = schema.spellings.get(name, PLAINLY.get(kind, StringFormat()))
    if learned and spelling.kind == TRUTHS:
        spelling = StringFormat()  # what was learned as a truth value says so by itself
    if learned and name in frame.said:
        found = read_strings(
            name,
            column,
            spelling=with_gaps(frame.said[name]),
            start=start,
            where=frame.where,
            learned=learned,
        )
    elif learned:
        order = "" if spelling.date.startswith("%Y") else spelling.date  # of day and month
        hints = frame.hints if frame.read else FormatHints(spelling.decimal, order)
        found = read_leniently(
            name, column, learned=spelling, hints=hints, start=start, where=frame.where
        )
    else:
        _check(frame, name, column, spelling, start)
        found = read_strings(name, column, spelling, start, frame.where)
    marks = (mark for mark in schema.missing if not isinstance(mark, str))
    return mask_missing(found, (*marks, *frame.marks))


def _category_codes(
    frame: Frame, column: Column, schema: Schema, start: int, learned: bool
) -> Codes:
    data = values_of(frame, column.name, kind=CATEGORY, schema=schema, start=start, learned=learned)
    return codes_as_learned(column, origin_of(data.type), codes(data, column.values), start)


def _text(frame: Frame, name: str, schema: Schema) -> Any:
    if frame.is_string(name):
        return strings(trim_strings(strings(frame.column(name)), marks_of(frame, schema.missing)))
    return strings(mask_missing(frame.column(name), schema.missing))


def _matrix(frame: Frame, schema: Schema, start: int, learned: bool) -> Array:
    """The numbers of a block: as they came where nothing has to be done."""
    names = schema.numbers
    if frame.matrix is not None:
        out = frame.matrix if names == frame.names else frame.matrix[:, frame.positions(names)]
        marks = [mark for mark in schema.missing if isinstance(mark, int | float)]
        return np.where(np.isin(out, marks), np.nan, out) if marks else out
    dates = {column.name for column in schema.of_kind(DATE)}
    out = np.empty((len(names), len(frame)))
    for j, name in enumerate(names):
        kind = DATE if name in dates else NUMBER
        data = values_of(frame, name, kind=kind, schema=schema, start=start, learned=learned)
        if kind == DATE:
            out[j] = days(name, data)
        else:
            _check_truth(name, data)
            out[j] = numbers(name, data, start)
    return out.T


def _check_truth(name: str, data: Any) -> None:
    """A number is not a truth value, though a truth value may weigh."""
    if origin_of(data.type) == "truth" and len(data) > data.null_count:
        raise ColumnError(
            f"column {name!r} was numeric when the model was fitted, and has booleans here "
            f"({data.drop_null()[0].as_py()}). Pass numbers, such as 1 and 0."
        )


def _split_dates(frame: Frame, schema: Schema, start: int, learned: bool) -> Frame:
    """With the parts of the dates as columns of their own."""
    if not schema.parts:
        return frame
    import pyarrow as pa

    apart = {f"{name}.{part}" for name, parts in schema.parts for part in parts}
    columns = {
        name: frame.column(name)
        for name in frame.names
        if name in schema.names and name not in apart
    }
    for name, parts in schema.parts:
        data = values_of(frame, name, kind=DATE, schema=schema, start=start, learned=learned)
        columns |= {f"{name}.{part}": date_part(name, part, data) for part in parts}
    return replace(frame, names=tuple(columns), matrix=None, arrow=pa.table(columns))
