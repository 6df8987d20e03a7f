"""Reading: a frame becomes a schema and a block, its target and weights beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError
from tallylearn.sources.category_origins import as_learned, origin_of
from tallylearn.sources.class_labels import weighing, weights
from tallylearn.sources.dates import date_part, days
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.frames import Frame
from tallylearn.sources.kinds import codes, kind_of, masked, numbers, strings
from tallylearn.tables import CATEGORY, DATE, NUMBER, PARTS, TEXT, Block, Codes, Column, Schema

Array = NDArray[Any]


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


def beside(frame: Frame, declared: Declaration, start: int = 0) -> tuple[Any, Array | None]:
    """The target as it came, one for each where there are several, and the weights."""
    targets = tuple(masked(frame.column(name), declared.missing) for name in declared.targets)
    weight = None
    if name := declared.weight:
        with weighing(name):
            column = numbers(name, masked(frame.column(name), declared.missing), start)
        weight = weights(column, len(frame), f"the weight {name!r}", start)
    return one_or_all(targets), weight


def one_or_all(targets: tuple[Any, ...]) -> Any:
    """A target alone, several as they are, None for none."""
    return targets if len(targets) > 1 else next(iter(targets), None)


def groups_of(frame: Frame, declared: Declaration) -> Codes | None:
    """The group of every row, -1 where missing."""
    if declared.groups is None:
        return None
    return codes(masked(frame.column(declared.groups), declared.missing))


def block_of(frame: Frame, schema: Schema, start: int = 0) -> Block:
    """The columns of a schema, read from a frame that has them all."""
    if frame.matrix is not None and frame.names == schema.numbers and not schema.missing:
        return Block(schema, frame.matrix, start=start)
    frame = _apart(frame, schema, start)
    return Block(
        schema,
        _matrix(frame, schema, start),
        {c.name: _coded(frame, c, schema.missing, start) for c in schema.of_kind(CATEGORY)},
        {
            c.name: strings(masked(frame.column(c.name), schema.missing))
            for c in schema.of_kind(TEXT)
        },
        start=start,
    )


def _coded(frame: Frame, column: Column, missing: tuple[Any, ...], start: int) -> Codes:
    data = masked(frame.column(column.name), missing)
    return as_learned(column, origin_of(data.type), codes(data, column.values), start)


def _column_of(frame: Frame, name: str, declared: Declaration) -> Column:
    if frame.matrix is not None and declared.kind(name) is None:
        return Column(name, NUMBER)
    if (kind := declared.kind(name)) is None:
        data = frame.column(name)
        data = masked(data, declared.missing)
        return Column(name, TEXT) if frame.documents else kind_of(name, data, frame.read)
    return Column(name, kind, tuple(sorted(declared.categories.get(name, ()))), "declared")


def _part_column(name: str, part: str) -> Column:
    return Column(f"{name}.{part}", PARTS[part])


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
        data = masked(frame.column(name), schema.missing)
        if name in dates:
            out[j] = days(name, data, start)
        else:
            _check_truth(name, data)
            out[j] = numbers(name, data, start)
    return out.T


def _check_truth(name: str, data: Any) -> None:
    """A number is not a truth value, though a truth value may weigh."""
    if origin_of(data.type) == "truth" and len(data) > data.null_count:
        raise ColumnError(
            f"column {name!r} was a number when the model learned, and has truth values here "
            f"({data.drop_null()[0].as_py()}). Pass numbers, such as 1 and 0."
        )


def _apart(frame: Frame, schema: Schema, start: int) -> Frame:
    """With the parts of the dates as columns of their own."""
    if not schema.parts:
        return frame
    import pyarrow as pa

    taken = {*schema.names, *(name for name, _ in schema.parts)}
    columns = {name: frame.column(name) for name in frame.names if name in taken}
    for name, parts in schema.parts:
        data = masked(columns[name], schema.missing)
        columns |= {f"{name}.{part}": date_part(name, part, data, start) for part in parts}
    return Frame(tuple(columns), frame.named, arrow=pa.table(columns))
