"""Predictions as they are written: CSV, JSON lines, Parquet or Arrow."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from tallylearn.cli import output_files
from tallylearn.errors import ColumnError

if TYPE_CHECKING:
    from tallylearn.tables import Array

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
PREDICTION = "prediction"
PARQUET, ARROW = (".parquet", ".pq"), (".arrow", ".feather", ".ipc")


@dataclass(frozen=True)
class PredictedRows:
    """The predictions for some rows, and the columns of --keep."""

    kept: dict[str, Any]  # Arrow columns
    predictions: list[Any]
    shares: Array | None  # (n, k)
    classes: list[Any]  # empty for a regressor

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        shares = [] if self.shares is None else [f"P({name})" for name in self.classes]
        return [*self.kept, PREDICTION, *shares]

    @property
    def columns(self) -> list[list[Any]]:
        """One list for each name."""
        kept = [column.to_pylist() for column in self.kept.values()]
        return [*kept, self.predictions, *([] if self.shares is None else self.shares.T.tolist())]


def as_rows(found: PredictedRows) -> str:
    """Lines of CSV."""
    return _lines(zip(*found.columns, strict=True))


def as_guarded_rows(found: PredictedRows) -> str:
    """Lines of CSV, with a quote before text that a spreadsheet would run as a formula."""
    return _lines(zip(*map(escape_formulas, found.columns), strict=True))


def as_objects(found: PredictedRows) -> str:
    """One JSON object per line."""
    places = len(found.kept) + 1
    shares = [[]] * len(found.predictions) if found.shares is None else found.shares.tolist()
    lines = []
    for *cells, row in zip(*found.columns[:places], shares, strict=True):
        one = dict(zip(found.names, cells, strict=False))
        if found.shares is not None:
            one["probabilities"] = dict(zip(map(str, found.classes), row, strict=True))
        lines.append(f"{output_files.as_line(one)}\n")
    return "".join(lines)


def as_table(found: PredictedRows) -> Any:
    """An Arrow table: numbers as numbers, classes in their common type."""
    import pyarrow as pa

    kind = pa.array(found.classes).type if found.classes else pa.float64()
    columns = [*map(_plain, found.kept.values()), pa.array(found.predictions, kind)]
    columns += [] if found.shares is None else [pa.array(share) for share in found.shares.T]
    return pa.table(columns, names=found.names)


def columnar(path: Path | None) -> bool:
    """Whether a file is Parquet or Arrow, by its extension."""
    return path is not None and path.suffix.lower() in (*PARQUET, *ARROW)


def write_lines(found: Iterable[tuple[list[str], str]], out: IO[bytes], headed: bool) -> None:
    """Write text block by block, below a header if it has one."""
    for at, (names, text) in enumerate(found):
        text = _lines([names]) + text if headed and not at else text
        out.write(text.encode("utf-8", "backslashreplace"))


def write_columns(found: Iterator[Any], out: IO[bytes], path: Path) -> None:
    """Write tables as they come, one row group or record batch each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    first = next(found)
    parquet = path.suffix.lower() in PARQUET
    with (pq.ParquetWriter if parquet else pa.ipc.new_file)(out, first.schema) as writer:
        writer.write_table(first)
        for table in found:
            writer.write_table(_cast(table, first.schema))


def _cast(table: Any, schema: Any) -> Any:
    """The table in the types of the first table."""
    import pyarrow as pa

    try:
        return table.cast(schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        name, here, there = next(
            (field.name, field.type, schema.field(field.name).type)
            for field in table.schema
            if field.type != schema.field(field.name).type
        )
        raise ColumnError(
            f"--keep {name}: the column has type {there} in the first file and {here} in another. "
            "Leave it out, or predict the files one by one."
        ) from None


def _plain(column: Any) -> Any:
    """A column without its dictionary, which differs between blocks."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column


def escape_formulas(cells: Iterable[Any]) -> list[Any]:
    """Cells, with a quote before text that a spreadsheet would run as a formula."""
    return [f"'{c}" if isinstance(c, str) and c.startswith(FORMULA_STARTS) else c for c in cells]


def _lines(rows: Any) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
