"""Exported queries run in a database: rows as a table, and the results as those of a program."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd

import tallylearn as tl
from tests.exporters.comparison import plain_value

KEY = "row key"


def query(model: Any, dialect: str) -> str:
    """The query over a table ``rows`` with a key."""
    return tl.export(model, "sql", dialect=dialect, columns=[KEY])


def keyed(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with their number as a key, in another order."""
    shuffled = rows.reset_index(drop=True).sample(frac=1, random_state=0)
    return shuffled.rename_axis(KEY).reset_index()


def with_common_blanks(table: pd.DataFrame) -> pd.DataFrame:
    """Texts without a line separator at their end: queries remove blanks, tabs and line ends."""
    return table.map(lambda value: value.rstrip("\u2028") if isinstance(value, str) else value)


def sql_type(column: pd.Series) -> str:
    """The type of a column of a database."""
    values = [value for value in map(plain_value, column) if value is not None]
    if values and all(isinstance(value, bool) for value in values):
        return "BOOLEAN"
    if values and all(isinstance(value, int | float) for value in values):
        return "DOUBLE PRECISION"
    return "TEXT"


def results(names: list[str], rows: list[tuple[Any, ...]], model: Any) -> list[dict[str, Any]]:
    """What a query returned, in the order of the key, as exported programs return it."""
    found = []
    for row in sorted(rows, key=lambda row: row[names.index(KEY)]):
        at = dict(zip(names, row, strict=True))
        if hasattr(model, "classes_"):
            shares = [at[f"probability_{label}"] for label in model.classes_]
            label = at["prediction"]
            if label is not None and isinstance(model.classes_[0], bool | np.bool_):
                label = bool(label)
            found.append({"class": label, "probabilities": shares})
        elif isinstance(model, tl.KMeans):
            found.append({"cluster": at["prediction"]})
        elif "prediction" in at:
            found.append({"value": at["prediction"]})
        else:
            found.append({"value": [at[name] for name in names if name.startswith("prediction_")]})
    return found


def run_duckdb(model: Any, rows: pd.DataFrame) -> list[dict[str, Any]]:
    """What DuckDB returns for every row."""
    table = keyed(rows)
    with duckdb.connect() as connection:
        columns = {name: column.astype(object) if sql_type(column) == "TEXT" else column
                   for name, column in table.items()}  # fmt: skip
        connection.register("rows", pd.DataFrame(columns))
        done = connection.execute(query(model, "duckdb"))
        return results([one[0] for one in done.description], done.fetchall(), model)


def run_sqlite(model: Any, rows: pd.DataFrame) -> list[dict[str, Any]]:
    """What SQLite returns for every row."""
    table = keyed(rows)
    connection = sqlite3.connect(":memory:")
    try:
        names = ", ".join(quoted(name) + " " + sql_type(table[name]) for name in table)
        connection.execute(f"CREATE TABLE rows ({names})")
        marks = ", ".join("?" * len(table.columns))
        values = [[*map(plain_value, row)] for row in table.astype(object).to_numpy()]
        connection.executemany(f"INSERT INTO rows VALUES ({marks})", values)
        done = connection.execute(query(model, "sqlite"))
        return results([one[0] for one in done.description], done.fetchall(), model)
    finally:
        connection.close()


def quoted(name: str) -> str:
    """A name as an identifier."""
    return '"' + str(name).replace('"', '""') + '"'


class PostgreSQL:
    """A server of PostgreSQL on a socket in a folder, run as its own user: never as root."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder = programs, folder
        shutil.chown(folder, "postgres")
        self._run("initdb", "-D", str(folder / "data"), "-E", "UTF8", "--no-sync")
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        self._run("pg_ctl", "start", "-w", "-D", str(folder / "data"), "-o", options,
                  "-l", str(folder / "log"))  # fmt: skip

    def stop(self) -> None:
        """End the server."""
        self._run("pg_ctl", "stop", "-m", "immediate", "-D", str(self.folder / "data"))

    def run(self, model: Any, rows: pd.DataFrame) -> list[dict[str, Any]]:
        """What PostgreSQL returns for every row."""
        table = keyed(rows)
        names = ", ".join(quoted(name) + " " + sql_type(table[name]) for name in table)
        values = ", ".join(
            f"({', '.join(map(_literal, row))})" for row in table.astype(object).to_numpy()
        )
        exported = query(model, "postgres").strip()
        script = (
            f"CREATE TEMP TABLE rows ({names});\nINSERT INTO rows VALUES {values};\n"
            f"SELECT coalesce(json_agg(found), '[]') FROM ({exported}) AS found;\n"
        )
        printed = self._run(
            "psql", "-h", str(self.folder), "-d", "postgres", "-qAt", "-v", "ON_ERROR_STOP=1",
            script=script,
        )  # fmt: skip
        found = json.loads(printed)
        return results([*found[0]], [tuple(row.values()) for row in found], model)

    def _run(self, program: str, *arguments: str, script: str = "") -> str:
        done = subprocess.run(
            ["runuser", "-u", "postgres", "--", str(self.programs / program), *arguments],
            input=script, capture_output=True, text=True, check=False, cwd="/",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout


def _literal(cell: Any) -> str:
    value = plain_value(cell)
    if value is None:
        return "NULL"
    if isinstance(value, bool | int | float):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"
