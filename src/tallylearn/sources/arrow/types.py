"""Types: which of Arrow's a column can have, and how the others are turned down."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError

DIGITS = 76  # the most that a decimal has, before its point or behind it


def column_at(table: Any, at: int) -> Any:
    """A column of an Arrow table in a type that a column can have, or an error that names both.

    Runs are written out. The type is asked before the column: Arrow has types, such as the month
    interval, that Python has no column for.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as is_

    field = table.schema.field(at)
    if not _is_supported(field.type):
        raise _foreign(field)
    column = table.column(at)
    try:
        if is_.is_run_end_encoded(field.type):
            runs = [pc.run_end_decode(run) for run in column.chunks]
            column = pa.chunked_array(runs, _value_type(field.type))
        return _as_plainer(column)
    except pa.ArrowNotImplementedError:
        raise _foreign(field) from None


def is_string_type(kind: Any) -> bool:
    """Whether a type of Arrow is one of strings."""
    import pyarrow.types as is_

    return any(check(kind) for check in (is_.is_string, is_.is_large_string, is_.is_string_view))


def validate_table(table: Any) -> Any:
    """The table, looked at in full: offsets and codes may point anywhere, and kernels follow."""
    import pyarrow as pa

    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        for at, name in enumerate(table.column_names):
            _check_chunks(name, table.column(at))
        raise
    return table


def _check_chunks(name: str, column: Any) -> None:
    import pyarrow as pa

    start = 0
    for chunk in column.chunks:
        try:
            chunk.validate(full=True)
        except pa.ArrowInvalid as error:
            if found := re.search(r"UTF8 sequence at string index (\d+)", str(error)):
                raise ColumnError(
                    f"column {name!r} has bytes that are not UTF-8 in row {start + int(found[1])}. "
                    "Decode the text with its own encoding."
                ) from None
            raise ColumnError(
                f"column {name!r} is not valid Arrow data: {str(error)[:200]}. Create it again; "
                "its file may be damaged."
            ) from None
        start += len(chunk)


def replace_columns(table: Any, new: Mapping[int, Any]) -> Any:
    """The table with other columns in some places."""
    if not new:
        return table
    try:
        columns = [new.get(at, column) for at, column in enumerate(table.columns)]
    except KeyError:  # a type that Python has no column for is left where it is
        for at, column in new.items():
            table = table.set_column(at, table.schema.field(at), column)
        return table
    return type(table).from_arrays(columns, schema=table.schema)


def _value_type(kind: Any) -> Any:
    """The type of the values, without the runs."""
    import pyarrow.types as is_

    return kind.value_type if is_.is_run_end_encoded(kind) else kind


def _is_supported(kind: Any) -> bool:
    """Whether a column can hold this: numbers, text, truth values, dates and times, or nothing."""
    import pyarrow.types as is_

    kind = _value_type(kind)
    kind = kind.value_type if is_.is_dictionary(kind) else kind
    if is_.is_decimal(kind) and abs(kind.scale) > DIGITS:
        return False
    return any(
        check(kind)
        for check in (
            is_.is_floating, is_.is_string, is_.is_integer,  # as most are
            is_.is_timestamp, is_.is_date, is_.is_time, is_.is_duration, is_.is_boolean,
            is_.is_large_string, is_.is_string_view, is_.is_decimal, is_.is_null,
        )
    )  # fmt: skip


def _as_plainer(column: Any) -> Any:
    """The same values in a type that more of Arrow's functions know."""
    import pyarrow as pa
    import pyarrow.types as is_

    kind = column.type
    if is_.is_dictionary(kind) and is_.is_string_view(kind.value_type):
        inner = [_text_of(chunk.dictionary) for chunk in column.chunks]
        pairs = zip(column.chunks, inner, strict=True)
        coded = [pa.DictionaryArray.from_arrays(chunk.indices, text) for chunk, text in pairs]
        return pa.chunked_array(coded, pa.dictionary(kind.index_type, pa.string()))
    if is_.is_string_view(kind):
        return pa.chunked_array([_text_of(chunk) for chunk in column.chunks], pa.string())
    if is_.is_decimal(kind) and kind.bit_width < 128:
        return column.cast(pa.decimal128(kind.precision, kind.scale))
    return column


def _text_of(views: Any) -> Any:
    """Views as plain strings; where a view is null, what it points to is struck out first.

    Arrow validates the others only, and its cast follows them all: on a damaged file into nowhere.
    """
    import pyarrow as pa

    if views.null_count:
        valid, places, *rest = views.buffers()
        end = views.offset + len(views)
        bits = np.unpackbits(np.frombuffer(valid, np.uint8), count=end, bitorder="little")
        kept = np.frombuffer(places, np.uint8)[: 16 * end].reshape(end, 16) * bits[:, None]
        buffers = [valid, pa.py_buffer(kept), *rest]
        views = pa.Array.from_buffers(views.type, len(views), buffers, offset=views.offset)
    return views.cast(pa.string())


def _foreign(field: Any) -> ColumnError:
    return ColumnError(
        f"column {field.name!r} holds {field.type}. Columns are numbers, text, categories, truth "
        "values or dates: convert it to one of them, or leave it out with "
        f"ignore=[{field.name!r}]."
    )
