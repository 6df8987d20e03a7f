"""Rows as they are typed on the command line, read as a model's columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tallylearn.cli import shared_options
from tallylearn.errors import ColumnError, InputError, quoted_list

if TYPE_CHECKING:
    from tallylearn.sources import Table
    from tallylearn.tables import Schema


def table_of(rows: Sequence[str], schema: Schema) -> Table:
    """Rows as they are typed, read as the model's columns."""
    import pyarrow as pa

    from tallylearn.errors import CellError, ColumnError
    from tallylearn.sources import Table
    from tallylearn.sources.declarations import declaration
    from tallylearn.sources.memory.frames import Frame

    kinds = asked(schema)
    cells = [by_name(text, list(kinds)) for text in rows]
    columns = {
        name: pa.array([value(name, kind, row.get(name, ""), schema) for row in cells], pa.string())
        for name, kind in kinds.items()
    }
    frame = Frame(tuple(columns), schema.named, arrow=pa.table(columns))
    try:
        return Table.of(frame, declaration(), schema)
    except CellError as odd:
        what = "a date such as 2026-11-15" if kinds[odd.column] == "date" else "a number"
        said = next(filter(None, (row.get(odd.column) for row in cells)))
        raise ColumnError(
            f"column {odd.column!r} needs {what}, and the row says {said!r}."
        ) from None


def asked(schema: Schema) -> dict[str, str]:
    """The columns as they stand in a table, and their kinds: dates before they are taken apart."""
    apart = {f"{name}.{part}": name for name, parts in schema.parts for part in parts}
    return {
        apart.get(c.name, c.name): "date" if c.name in apart else c.kind
        for c in schema.columns
        if c.kind != "identifier"
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
                f"model's columns need: {quoted_list(names)}. Give all of them, or write "
                "column=value."
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
        f"the row {text!r} {what}, and the model's columns are {quoted_list(names)}. Write one of "
        "them "
        "before every value: column=value."
    )


def value(name: str, kind: str, text: str, schema: Schema) -> Any:
    """A value as its column has it; None where it is missing."""
    from tallylearn.errors import ColumnError
    from tallylearn.sources.type_inference.missing_markers import MISSING

    if text in MISSING or text in schema.missing:
        return None
    if kind == "number" and text.strip("+-").lower() in ("inf", "infinity"):
        raise ColumnError(f"column {name!r} needs a number, and the row says {text!r}.")
    return text  # it is read as the column was written
