"""Strings as people write them: every table of them is read alike, wherever it comes from."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import tallylearn as tl
from tallylearn.errors import TallyError
from tallylearn.modelfile import digests
from tallylearn.tables import BLOCK, CATEGORY, DATE, NUMBER, TEXT, Block

Rows = dict[str, list[str]]
Make = Callable[[Rows, Path], Any]


def to_csv(rows: Rows, folder: Path) -> Path:
    path = folder / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(rows)
        writer.writerows(zip(*rows.values(), strict=True))
    return path


def to_parquet(kind: Any) -> Make:
    def made(rows: Rows, folder: Path) -> Path:
        path = folder / "table.parquet"
        parquet.write_table(arrow(rows, kind), path)
        return path

    return made


def to_arrow(rows: Rows, folder: Path) -> Path:
    path = folder / "table.arrow"
    feather.write_feather(arrow(rows, pa.string()), path)
    return path


def arrow(rows: Rows, kind: Any) -> pa.Table:
    return pa.table({name: pa.array(cells).cast(kind) for name, cells in rows.items()})


SOURCES: dict[str, Make] = {
    "csv": to_csv,
    "pandas": lambda rows, _: pd.DataFrame(rows, dtype="str"),
    "pandas of objects": lambda rows, _: pd.DataFrame(rows, dtype=object),
    "polars": lambda rows, _: pl.DataFrame(rows),
    "string": lambda rows, _: arrow(rows, pa.string()),
    "large string": lambda rows, _: arrow(rows, pa.large_string()),
    "string view": lambda rows, _: arrow(rows, pa.string_view()),
    "dicts": lambda rows, _: [
        dict(zip(rows, cells, strict=True)) for cells in zip(*rows.values(), strict=True)
    ],
    "parquet": to_parquet(pa.string()),
    "parquet of dictionaries": to_parquet(pa.dictionary(pa.int32(), pa.string())),
    "arrow": to_arrow,
}


@dataclass(frozen=True)
class Case:
    """A column, and what must be read: its kind and its values, or words of an error."""

    cells: str  # with | between them
    kind: str = ""
    values: list[Any] = field(default_factory=list)
    says: str = ""  # of the error, or of the notes
    told: str = ""  # what kinds= says of it

    @property
    def rows(self) -> Rows:
        cells = self.cells.split("|")
        return {"x": cells, "y": ["a" if at % 2 else "b" for at in range(len(cells))]}

    @property
    def options(self) -> dict[str, Any]:
        return {"kinds": {"x": self.told}} if self.told else {}
