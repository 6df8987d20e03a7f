"""The rows of --row, read as the columns of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tallylearn.cli import shared_options
from tallylearn.errors import ColumnError, InputError, did_you_mean, quoted_list

if TYPE_CHECKING:
    from tallylearn.sources import Table
    from tallylearn.tables import Schema


def table_of(rows: Sequence[str], schema: Schema) -> Table:
    """A table of the rows of --row."""
    import pyarrow as pa

    from tallylearn.errors import CellError, ColumnError
    from tallylearn.sources import Table
    from tallylearn.sources.declarations import declaration
    from tallylearn.sources.memory.frames import Frame

    kinds = input_kinds(schema)
    cells = [split_by_name(text, list(kinds)) for text in rows]
    columns = {
        name: pa.array(
            [parse_value(name, kind, row.get(name, ""), schema) for row in cells], pa.string()
        )
        for name, kind in kinds.items()
    }
    frame = Frame(tuple(columns), schema.named, arrow=pa.table(columns))
    try:
        return Table.of(frame, declaration(), schema)
    except CellError as odd:
        what = "a date such as 2026-11-15" if kinds[odd.column] == "date" else "a number"
        said = next(filter(None, (row.get(odd.column) for row in cells)))
        raise ColumnError(f"--row: column {odd.column!r} needs {what}, not {said!r}.") from None


def input_kinds(schema: Schema) -> dict[str, str]:
    """The columns of the table and their kinds; a date is one column, not its parts."""
    apart = {f"{name}.{part}": name for name, parts in schema.parts for part in parts}
    return {
        apart.get(c.name, c.name): "date" if c.name in apart else c.kind
        for c in schema.columns
        if c.kind != "identifier"
    }


def split_by_name(text: str, names: Sequence[str]) -> dict[str, str]:
    """The values of a row by column name."""
    if not names:
        raise InputError("--row: the model has no input columns. Pass FILE instead.")
    cells = shared_options.split_row(text)
    keys = [
        max((n for n in names if cell.startswith(f"{n}=")), key=len, default=None) for cell in cells
    ]
    if not any(keys):
        if len(cells) != len(names) and all("=" in cell for cell in cells):
            raise _unknown(cells[0], text, names)
        if len(cells) != len(names):
            raise InputError(
                f"--row {text}: {len(cells)} values, and the model has {len(names)} columns: "
                f"{quoted_list(names)}. Give a value for each, or name them: column=value."
            )
        return dict(zip(names, cells, strict=True))
    found: dict[str, str] = {}
    for key, cell in zip(keys, cells, strict=True):
        if key is None:
            raise _unknown(cell, text, names)
        if key in found:
            raise ColumnError(f"--row {text}: {cell!r} gives {key!r} twice. Give it once.")
        found[key] = cell[len(key) + 1 :].strip()
    return found


def _unknown(cell: str, text: str, names: Sequence[str]) -> ColumnError:
    name, equals, _ = cell.partition("=")
    hint = did_you_mean(name, names) or f" Its columns: {quoted_list(names)}."
    if equals:
        return ColumnError(f"--row {text}: the model has no column {name!r}.{hint}")
    return ColumnError(
        f"--row {text}: {cell!r} has no column name. Write column=value for every value; the "
        f"model's columns: {quoted_list(names)}."
    )


def parse_value(name: str, kind: str, text: str, schema: Schema) -> Any:
    """The text of a value; None if it is missing."""
    from tallylearn.errors import ColumnError
    from tallylearn.sources.type_inference.missing_markers import MISSING

    if text in MISSING or text in schema.missing:
        return None
    if kind == "number" and text.strip("+-").lower() in ("inf", "infinity"):
        raise ColumnError(f"--row: column {name!r} needs a number, not {text!r}.")
    return text  # parsed in the format of the column
