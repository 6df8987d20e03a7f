"""Return transformed rows in the container that they came in: an array or a frame."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from tallylearn.errors import OptionError
from tallylearn.tables import (
    CATEGORY,
    DATE,
    IDENTIFIER,
    NUMBER,
    TEXT,
    Array,
    Block,
    Column,
    Schema,
)  # fmt: skip

DAY_US = 86_400_000_000
BOOLEANS = {"True": True, "False": False, None: None}


def output_columns(schema: Schema) -> tuple[Column, ...]:
    """The columns that are returned: all but identifiers."""
    return tuple(column for column in schema.columns if column.kind != IDENTIFIER)


def kind_of(X: Any) -> str:
    """What a table came as: numpy, pandas, polars or arrow, which stands for all others."""
    module = type(X).__module__.partition(".")[0]
    if module in ("pandas", "polars") and hasattr(X, "columns"):
        return module
    in_rows = isinstance(X, list | tuple) and not (X and isinstance(X[0], dict))
    array = hasattr(X, "__array__") and not hasattr(X, "__arrow_c_stream__")
    return "numpy" if in_rows or array else "arrow"


def to_container(block: Block, X: Any, kind: str) -> Any:
    """The rows of a block as a container of this kind; a pandas index is that of ``X``."""
    columns = output_columns(block.schema)
    if kind == "numpy":
        return _array(block, columns)
    if kind == "pandas":
        index = X.index if hasattr(X, "index") and hasattr(X, "iloc") else None
        return library(kind).DataFrame({c.name: _values(block, c) for c in columns}, index=index)
    table = _arrow(block, columns)
    return library(kind).from_arrow(table) if kind == "polars" else table


def library(kind: str) -> Any:
    """Import the library of a kind of frame, or raise an OptionError."""
    try:
        return import_module(kind)
    except ImportError:
        raise OptionError(
            f"{kind} is not installed, so no frame of {kind} can be returned. Run: pip install "
            f'{kind}. Or call set_output(transform="default").'
        ) from None


def _array(block: Block, columns: tuple[Column, ...]) -> Array:
    if all(column.kind == NUMBER for column in columns):
        return block.numbers
    found = [_values(block, column) for column in columns]
    if all(values.dtype.kind == "f" for values in found):
        return np.column_stack(found)
    out = np.empty((len(block), len(columns)), dtype=object)
    for j, values in enumerate(found):
        out[:, j] = values
    return out


def _arrow(block: Block, columns: tuple[Column, ...]) -> Any:
    import pyarrow as pa

    return pa.table({
        column.name: block.text[column.name]
        if column.kind == TEXT and hasattr(block.text[column.name], "to_pylist")
        else pa.array(_values(block, column), from_pandas=True)
        for column in columns
    })  # fmt: skip


def _values(block: Block, column: Column) -> Array:
    """One column: doubles, dates, or objects with None where missing."""
    if column.kind in (NUMBER, DATE):
        numbers = block.numbers[:, block.schema.places[column.name]]
        return _dates(numbers) if column.kind == DATE else numbers
    if column.kind == CATEGORY:
        items = block.codes[column.name].items()
        return _objects([BOOLEANS.get(v, v) for v in items] if column.origin == "truth" else items)
    if column.kind == TEXT:
        return _objects(block.text[column.name].to_pylist())
    return np.full(len(block), np.nan)


def _dates(days: Array) -> Array:
    gaps = np.isnan(days)
    found = np.round(np.where(gaps, 0.0, days) * DAY_US).astype("int64").astype("datetime64[us]")
    found[gaps] = np.datetime64("NaT", "us")  # NumPy 2.5 warns of one without a unit
    return found


def _objects(items: list[Any]) -> Array:
    out = np.empty(len(items), dtype=object)
    out[:] = items
    return out
