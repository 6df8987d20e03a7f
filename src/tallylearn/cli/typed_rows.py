"""Rows as they are typed on the command line, read as a model's columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tallylearn.cli import shared_options
from tallylearn.errors import ColumnError, InputError, listed

if TYPE_CHECKING:
    from tallylearn.sources import Table
    from tallylearn.tables import Schema


def table_of(rows: Sequence[str], schema: Schema) -> Table:
    """Rows as they are typed, read as the model's columns."""
    import pyarrow as pa

    from tallylearn.sources import Table
    from tallylearn.sources.declarations import declaration
    from tallylearn.sources.frames import Frame

    kinds = asked(schema)
    types = {"number": pa.float64(), "date": pa.timestamp("us")}
    cells = [by_name(text, list(kinds)) for text in rows]
    columns = {
        name: pa.array([value(name, kind, row.get(name, ""), schema) for row in cells],
                       types.get(kind, pa.string()))
        for name, kind in kinds.items()
    }  # fmt: skip
    frame = Frame(tuple(columns), schema.named, arrow=pa.table(columns))
    return Table.of(frame, declaration(), schema)


def asked(schema: Schema) -> dict[str, str]:
    """The columns as they stand in a table, and their kinds: dates before they are taken apart."""
    apart = {f"{name}.{part}": name for name, parts in schema.parts for part in parts}
    return {
        apart.get(c.name, c.name): "date" if c.name in apart else c.kind for c in schema.columns
    }


def by_name(text: str, names: Sequence[str]) -> dict[str, str]:
    """The values of a row under their columns' names."""
    if not names:
        raise InputError("the model looks at no column, and no row can be given to it.")
    cells = shared_options.cells(text)
    keys = [
        max((n for n in names if cell.startswith(f"{n}=")), key=len, default=None) for cell in cells
    ]
    if not any(keys):
        if len(cells) != len(names) and all("=" in cell for cell in cells):
            raise _unknown(cells[0], text, names)
        if len(cells) != len(names):
            raise InputError(
                f"the row {text!r} has {len(cells)} of the {len(names)} values that the "
                f"model's columns need: {listed(names)}. Give all of them, or write column=value."
            )
        return dict(zip(names, cells, strict=True))
    found: dict[str, str] = {}
    for key, cell in zip(keys, cells, strict=True):
        if key is None:
            raise _unknown(cell, text, names)
        if key in found:
            raise ColumnError(f"{cell!r} in the row {text!r} gives {key!r} again.")
        found[key] = cell[len(key) + 1 :].strip()
    return found


def _unknown(cell: str, text: str, names: Sequence[str]) -> ColumnError:
    name, equals, _ = cell.partition("=")
    what = f"names the column {name!r}" if equals else f"has {cell!r} without a column's name"
    return ColumnError(
        f"the row {text!r} {what}, and the model's columns are {listed(names)}. Write one of them "
        "before every value: column=value."
    )


def value(name: str, kind: str, text: str, schema: Schema) -> Any:
    """A value as its column has it; None where it is missing."""
    from tallylearn.sources.csv.dialect import MISSING

    if text in MISSING or text in schema.missing:
        return None
    try:
        if kind == "number":
            return _finite(text)
        return _instant(text) if kind == "date" else text
    except ValueError:
        what = "a number" if kind == "number" else "a date such as 2026-11-15"
        raise ColumnError(f"column {name!r} needs {what}, and the row says {text!r}.") from None


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(text)
    return number


def _instant(text: str) -> datetime:
    when = datetime.fromisoformat(text)
    return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when
