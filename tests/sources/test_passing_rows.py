"""Rows that pass by once: open files, URLs, batches, iterators, datasets, answers of databases."""

from __future__ import annotations

import gc
import io
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import fsspec
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
import scipy.sparse

import tallylearn as tl
from tallylearn.errors import ColumnError, FileError, KindError, OptionError, SizeError
from tallylearn.sources import streamed_rows
from tallylearn.sources.memory.table import Table


def arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


def batches(frame: pd.DataFrame) -> Iterator[Any]:
    yield from arrow(frame).to_batches(7)


def database(frame: pd.DataFrame, path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    frame.assign(day=frame.day.astype(str)).to_sql("people", connection, index=False)
    return connection


def same(source: Any, frame: pd.DataFrame) -> None:
    """A source gives the same bits as the frame."""
    model, plain = tl.NaiveBayes().fit(source, "y"), tl.NaiveBayes().fit(frame, "y")
    assert model.tally_ == plain.tally_
    assert model.schema_ == plain.schema_


def test_all_that_passes_by_gives_the_same_bits(people: pd.DataFrame) -> None:
    text = people.to_csv(index=False)
    packed = io.BytesIO()
    people.to_parquet(packed, index=False)
    same(io.StringIO(text), people)
    same(io.BytesIO(text.encode()), people)
    same(io.BytesIO(packed.getvalue()), people)
    same(pl.from_pandas(people).lazy(), people)
    same(arrow(people).to_reader(7), people)
    same(batches(people), people)
    same((people[at : at + 9] for at in range(0, len(people), 9)), people)
    same((pl.from_pandas(people[at : at + 9]) for at in range(0, len(people), 9)), people)
    same(iter(people.astype(object).where(people.notna(), None).to_dict("records")), people)


def test_rows_that_pass_by_are_answered(people: pd.DataFrame) -> None:
    model = tl.NaiveBayes().fit(people, "y")
    expected = model.predict(people).tolist()
    assert model.predict(batches(people)).tolist() == expected
    assert model.predict(io.StringIO(people.to_csv(index=False))).tolist() == expected
    assert model.predict(pl.from_pandas(people).lazy()).tolist() == expected


def test_rows_beyond_the_budget_are_kept_in_a_file(
    people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALLY_MEMORY", "1e-6")
    files = tl.table(batches(people), target="y")
    assert not isinstance(files, Table)
    folder = files.paths[0].parents[1]  # type: ignore[attr-defined]
    assert folder.is_dir()
    monkeypatch.delenv("TALLY_MEMORY")
    same(files, people)
    same(files, people)  # as often as it takes
    assert tl.evaluate(tl.NaiveBayes(), files, cv=2)
    del files
    gc.collect()
    assert not folder.exists()


def test_pieces_that_differ_are_named(
    people: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = [pa.table({"a": [1]}), pa.table({"a": ["x"]})]
    with pytest.raises(ColumnError, match=r"different columns.*The first has 'a'"):
        tl.table(iter(pieces))
    monkeypatch.setenv("TALLY_MEMORY", "1e-9")
    with pytest.raises(ColumnError, match="same columns"):
        tl.table(iter(pieces))


@pytest.mark.parametrize("item", [1, "x", None, ["x", "y"], ("x", 1), np.zeros(3)])
def test_an_iterator_of_something_else_is_refused(item: Any) -> None:
    with pytest.raises(KindError, match=r"item 0 of the iterator is .*Pass a frame"):
        tl.table(iter([item]))


def test_numbers_and_gaps_of_pieces_are_joined() -> None:
    pieces = [{"a": 1, "b": None}, {"a": 2.5, "b": "x"}]
    found = tl.table(pa.table({k: [row[k]] for k in row}) for row in pieces)
    assert [(c.name, c.kind) for c in found.schema.columns] == [("a", "number"), ("b", "category")]


# Open files and URLs


def test_an_open_file_is_read_from_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("title\na,b\n1,x\n2,y\n")
    with open(tmp_path / "t.csv") as file:
        file.readline()
        files = tl.table(file)
    assert str(files) == "Files(t.csv: comma-separated, decimal point, UTF-8, with a header)"
    assert [len(block) for block in files.blocks()] == [2]


def test_a_url_is_opened_by_fsspec(tmp_path: Path, people: pd.DataFrame) -> None:
    memory = fsspec.filesystem("memory")
    text = people.to_csv(index=False)
    lines = text.splitlines(keepends=True)
    memory.pipe("/people.csv", text.encode())
    memory.pipe("/parts/1.csv", "".join(lines[:20]).encode())
    memory.pipe("/parts/2.csv", "".join([lines[0], *lines[20:]]).encode())
    same("memory://people.csv", people)
    same("memory://parts/*.csv", people)
    (tmp_path / "t.csv").write_text(text)
    same((tmp_path / "t.csv").as_uri(), people)
    with pytest.raises(FileError, match=r"memory://nowhere\.csv cannot be read.*Check the address"):
        tl.table("memory://nowhere.csv")


def test_without_fsspec_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(FileError, match=r"pip install 'fsspec\[http\]'"):
        tl.table("https://example.org/t.csv")


def test_a_closed_file_is_an_error() -> None:
    file = io.StringIO("a\n1\n")
    file.close()
    with pytest.raises(FileError, match="cannot be read to its end"):
        tl.table(file)


# Datasets


def test_fragments_of_a_dataset_are_parts(people: pd.DataFrame, tmp_path: Path) -> None:
    for at in range(4):
        pq.write_table(arrow(people[at * 10 : at * 10 + 10]), tmp_path / f"{at}.parquet")
    dataset = ds.dataset(tmp_path)
    table = tl.table(dataset, target="y")
    assert len([*table.parts()]) == 4
    same(dataset, people)
    assert tl.NaiveBayes().fit(people, "y").score(dataset, "y") == tl.NaiveBayes().fit(
        people, "y"
    ).score(people, "y")
    assert tl.evaluate(tl.NaiveBayes(), table, cv=2)


def test_columns_of_folders_and_filters_are_heeded(people: pd.DataFrame, tmp_path: Path) -> None:
    ds.write_dataset(
        arrow(people), tmp_path, format="parquet", partitioning=["y"], partitioning_flavor="hive"
    )
    dataset = ds.dataset(tmp_path, partitioning="hive")
    found = tl.NaiveBayes().fit(dataset, "y")
    assert found.tally_ == tl.NaiveBayes().fit(people[dataset.schema.names], "y").tally_
    few = tl.NaiveBayes().fit(dataset.filter(ds.field("count") > 4), "y")
    plain = people[people["count"] > 4][dataset.schema.names]
    assert few.tally_ == tl.NaiveBayes().fit(plain, "y").tally_


# Databases


def test_a_query_is_a_table(people: pd.DataFrame, tmp_path: Path) -> None:
    plain = people.drop(columns="day")
    asked = "SELECT color, size, count, y FROM people"
    with database(people, tmp_path / "t.db") as connection:
        same(tl.table(asked, connection), plain)
    connection.close()
    duck = duckdb.connect()
    duck.execute("CREATE TABLE people AS SELECT * FROM people")
    same(tl.table("SELECT * FROM people", duck), people)


def test_a_cursor_that_has_batches_of_arrow_is_asked_for_them(people: pd.DataFrame) -> None:
    class Cursor:
        """As those of ADBC are."""

        def execute(self, query: str) -> None:
            assert query == "SELECT 1"

        def fetch_record_batch(self) -> Any:
            return arrow(people).to_reader(7)

        def close(self) -> None:
            pass

    class Connection:
        cursor = Cursor

    same(tl.table("SELECT 1", Connection()), people)


def test_many_rows_of_a_query_come_in_batches() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a, b)")
        rows = [(i, None) for i in range(70_000)] + [(0.5, "x")]
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        found = tl.table("SELECT * FROM t", connection)
        assert len(found) == 70_001
        assert [c.kind for c in found.schema.columns] == ["number", "category"]
        assert len(tl.table("SELECT * FROM t WHERE a < 0", connection)) == 0
    connection.close()


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("SELECT * FROM nowhere", "'SELECT .* failed.* no such table: nowhere.*Correct"),
        ("CREATE TABLE u (a)", "returns no rows"),
        (3, "is not a query. Pass a SELECT statement"),
    ],
)
def test_a_query_that_has_no_answer_is_an_error(query: Any, says: str) -> None:
    connection = sqlite3.connect(":memory:")
    with pytest.raises((FileError, OptionError), match=says):
        tl.table(query, connection)
    connection.close()


def test_a_query_needs_a_connection() -> None:
    with pytest.raises(OptionError, match="is a query"):
        tl.table("SELECT 'https://example.org'")
    with pytest.raises(OptionError, match=r"is a query.*tl\.table\(query, connection\)"):
        tl.table("SELECT * FROM people")
    with pytest.raises(KindError, match="a dict is not a database connection"):
        tl.table("SELECT * FROM people", {})


# Sparse matrices


def test_a_sparse_matrix_is_a_table_of_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).integers(0, 3, (30, 4)).astype(float)
    y = np.where(X[:, 0] > 0, "u", "v")
    for matrix in (scipy.sparse.csr_matrix(X), scipy.sparse.coo_array(X)):
        table = tl.table(matrix)
        assert tl.NaiveBayes().fit(table, y).tally_ == tl.NaiveBayes().fit(X, y).tally_
    wide = scipy.sparse.csr_matrix((10**6, 10**6))
    with pytest.raises(SizeError, match=r"1,000,000 x 1,000,000 cells .*7,?450.* GiB.*Take fewer"):
        tl.table(wide)


def test_what_is_kept_needs_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(streamed_rows.tempfile, "mkdtemp", full)
    with pytest.raises(FileError, match=r"No space left.*TMPDIR"):
        tl.table(io.StringIO("a\n1\n"))
