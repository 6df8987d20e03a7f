"""Databases: the answer to a query is a table, fetched some rows at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tallylearn.errors import FileError, KindError, OptionError, TallyError, short_repr
from tallylearn.sources.memory.arrays import column
from tallylearn.tables import BLOCK

QUERY = re.compile(r"\s*(?:SELECT|WITH|FROM|VALUES|SHOW|EXPLAIN|PRAGMA)\s", re.IGNORECASE)


def fetch_rows(query: Any, connection: Any) -> Iterator[Any]:
    """The rows that a connection answers a query with, as tables of Arrow.

    It is one of ADBC, of DuckDB, or any that has cursors (DB-API 2.0, as sqlite3 does).
    """
    if not isinstance(query, str):
        raise OptionError(
            f"{short_repr(query)} is not a query. Pass a SELECT statement with the "
            "connection; name the target with target=."
        )
    connection = _unwrap_connection(connection)
    try:
        yield from _answers(query, connection)
    except TallyError:
        raise
    except Exception as error:
        raise FileError(
            f"the query {short_repr(query, 80)} failed: {type(error).__name__}: "
            f"{' '.join(str(error).split())[:200]}. Correct the query."
        ) from None


def check_query(source: Any) -> None:
    """Say what a query without a connection needs."""
    if isinstance(source, str) and QUERY.match(source):
        raise OptionError(
            f"{short_repr(source, 80)} is a query, and there is no connection. Pass both: "
            "tl.table(query, connection)."
        )


def _unwrap_connection(connection: Any) -> Any:
    """The connection of the driver, where one of SQLAlchemy stands before it."""
    if hasattr(connection, "exec_driver_sql"):
        return connection.connection
    if hasattr(connection, "raw_connection"):
        return connection.raw_connection()
    if not hasattr(connection, "cursor"):
        raise KindError(
            f"a {type(connection).__name__} is not a database connection. Pass one, such as "
            "sqlite3.connect('file.db'), duckdb.connect() or an ADBC connection."
        )
    return connection


def _answers(query: str, connection: Any) -> Iterator[Any]:
    import pyarrow as pa

    if type(connection).__name__ == "DuckDBPyConnection":
        yield from _of_reader(pa.RecordBatchReader.from_stream(connection.sql(query)))
        return
    cursor = connection.cursor()
    try:
        cursor.execute(query)
        if hasattr(cursor, "fetch_record_batch"):
            yield from _of_reader(cursor.fetch_record_batch())
        else:
            yield from _of_cursor(cursor)
    finally:
        cursor.close()


def _of_reader(reader: Any) -> Iterator[Any]:
    import pyarrow as pa

    yield pa.Table.from_batches([], reader.schema)
    for batch in reader:
        yield pa.Table.from_batches([batch])


def _of_cursor(cursor: Any) -> Iterator[Any]:
    import pyarrow as pa

    if cursor.description is None:
        raise OptionError("the query returns no rows. Use SELECT.")
    names = [str(one[0]) for one in cursor.description]
    yield pa.table({name: pa.nulls(0) for name in names})
    while rows := cursor.fetchmany(BLOCK):
        cells = zip(*rows, strict=True)
        yield pa.table([column(n, [*c]) for n, c in zip(names, cells, strict=True)], names=names)
