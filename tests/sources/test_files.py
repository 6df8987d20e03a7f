"""Files: CSV, Parquet and Arrow, one or many; the same bits as in memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallylearn as tl
from tallylearn.errors import (
    ColumnError,
    FileError,
    InputError,
    KindError,
    OptionError,
    TargetError,
)
from tallylearn.tables import BLOCK


def arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


def ipc(opened: Any) -> Callable[[pd.DataFrame, Path], None]:
    def write(frame: pd.DataFrame, path: Path) -> None:
        table = arrow(frame)
        with pa.OSFile(str(path), "wb") as file, opened(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=9)

    return write


def groups(frame: pd.DataFrame, path: Path) -> None:
    pq.write_table(arrow(frame), path, row_group_size=7)


def dictionary(frame: pd.DataFrame, path: Path) -> None:
    pq.write_table(arrow(frame.assign(color=frame.color.astype("category"))), path)


WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "t.csv": lambda frame, path: frame.to_csv(path, index=False),
    "t.csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "t.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "t.parquet": groups,
    "t.pq": dictionary,
    "t.arrow": ipc(pa.ipc.new_file),
    "t.feather": ipc(pa.ipc.new_stream),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_gives_the_same_bits_as_the_frame(
    people: pd.DataFrame, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    WRITERS[name](people, path)
    model, plain = tl.NaiveBayes().fit(path, "y"), tl.NaiveBayes().fit(people, "y")
    assert model.tally_ == plain.tally_
    assert model.schema_ == plain.schema_
    np.testing.assert_array_equal(plain.predict_proba(str(path)), plain.predict_proba(people))
    assert plain.score(path, "y") == plain.score(people, "y")


def test_every_frame_gives_the_same_bits(people: pd.DataFrame) -> None:
    plain = tl.NaiveBayes().fit(people, "y")
    for source in (
        pl.from_pandas(people),
        arrow(people),
        arrow(people).to_reader(7),
        duckdb.sql("select * from people"),
        people.assign(color=people.color.astype("category")),
        people.astype(object).where(people.notna(), None).to_dict("records"),
    ):
        model = tl.NaiveBayes().fit(source, "y")
        assert model.tally_ == plain.tally_
        assert model.schema_ == plain.schema_


def test_blocks_do_not_show(tmp_path: Path) -> None:
    rng, n = np.random.default_rng(0), 2 * BLOCK + 100
    frame = pd.DataFrame({"a": rng.normal(size=n), "c": rng.choice(list("xyz"), n)})
    frame["y"] = np.where(frame.a + (frame.c == "x") > 0, "u", "v")
    plain = tl.NaiveBayes().fit(frame, "y")
    frame.to_csv(tmp_path / "t.csv", index=False)
    pq.write_table(arrow(frame), tmp_path / "t.parquet", row_group_size=30_000)
    for name in ("t.csv", "t.parquet"):
        assert tl.NaiveBayes().fit(tmp_path / name, "y").tally_ == plain.tally_
        assert plain.predict(tmp_path / name).shape == (n,)
    sizes = [len(block) for block in tl.table(tmp_path / "t.parquet").blocks()]
    assert sizes == [BLOCK, BLOCK, 100]


def test_files_are_read_without_pandas(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "a,b,d,y\n1,x,2024-05-31,u\n,,,v\n3,x,2024-05-31T10:00Z,u\n4,z,,v"
    )
    code = (
        "import sys, tallylearn as tl\n"
        f"path = {str(tmp_path / 't.csv')!r}\n"
        "tl.NaiveBayes().fit(path, 'y').predict(path)\n"
        "sys.exit('pandas' in sys.modules or 'pyarrow.dataset' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_index_of_pandas_is_no_column(people: pd.DataFrame, tmp_path: Path) -> None:
    odd = people.set_index(pd.Index(np.arange(40) % 7))
    odd.to_parquet(tmp_path / "t.parquet")
    plain = tl.NaiveBayes().fit(people, "y")
    for source in (odd, pa.Table.from_pandas(odd), tmp_path / "t.parquet"):
        assert tl.NaiveBayes().fit(source, "y").schema_ == plain.schema_
        assert tl.NaiveBayes().fit(source, "y").tally_ == plain.tally_


# Several files


def parts(people: pd.DataFrame, folder: Path) -> str:
    people[20:][["y", "day", "count", "size", "color"]].to_csv(folder / "b.csv", index=False)
    people[:20].to_csv(folder / "a.csv", index=False)
    return str(folder / "*.csv")


def test_a_glob_is_read_in_sorted_order_and_columns_by_name(
    people: pd.DataFrame, tmp_path: Path
) -> None:
    files = tl.table(parts(people, tmp_path), target="y")
    assert [path.name for path in files.paths] == ["a.csv", "b.csv"]
    assert "a.csv and 1 more" in repr(files)
    model = tl.NaiveBayes().fit(files)
    assert model.tally_ == tl.NaiveBayes().fit(people, "y").tally_
    np.testing.assert_array_equal(model.predict(str(tmp_path / "*.csv")), model.predict(people))


def test_a_file_that_lacks_a_column_is_named(people: pd.DataFrame, tmp_path: Path) -> None:
    pattern = parts(people, tmp_path)
    people.drop(columns="size").to_csv(tmp_path / "c.csv", index=False)
    with pytest.raises(ColumnError, match=r"NaiveBayes.fit: c\.csv has no column 'size'. It has"):
        tl.NaiveBayes().fit(pattern, "y")
    model = tl.NaiveBayes().fit(people, "y")
    with pytest.raises(ColumnError, match=r"c\.csv has no column 'size'"):
        model.predict(tmp_path / "c.csv")


def test_paths_that_lead_nowhere_are_named(tmp_path: Path) -> None:
    for path, says in (
        (tmp_path / "*.csv", r"no file matches .*\*\.csv'. Check"),
        (tmp_path / "t.csv", r"t\.csv' does not exist: check the path"),
        (tmp_path, "is a folder: pass its files"),
    ):
        with pytest.raises(FileError, match=f"NaiveBayes.fit: .*{says}"):
            tl.NaiveBayes().fit(path, "y")


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_a_foreign_file_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("a,y\n1,u\n")
    with pytest.raises(FileError, match=rf"{name} cannot be read as (Parquet|Arrow)"):
        tl.table(tmp_path / name)


# What files do not do


def test_files_have_no_length_and_no_rows_to_pick(people: pd.DataFrame, tmp_path: Path) -> None:
    files = tl.table(parts(people, tmp_path))
    with pytest.raises(KindError, match=r"not in memory and has no length\. Read it first"):
        len(files)
    with pytest.raises(KindError, match=r"rows cannot be selected\. Read it first"):
        files[0]


def test_targets_and_weights_of_files_are_columns(people: pd.DataFrame, tmp_path: Path) -> None:
    path = parts(people, tmp_path)
    with pytest.raises(TargetError, match=r"target of a table in files is a column\. Pass"):
        tl.NaiveBayes().fit(path, people.y)
    with pytest.raises(TargetError, match="no target was passed"):
        tl.NaiveBayes().fit(path)
    with pytest.raises(InputError, match=r"weights of a table in files are a column\. Pass"):
        tl.NaiveBayes().fit(path, "y", sample_weight=np.ones(40))
    with pytest.raises(
        ColumnError, match=r"NaiveBayes.fit: target: the table has no column 'z'.*'color'"
    ):
        tl.NaiveBayes().fit(path, "z")


# Dialects and bad files


def test_a_dialect_is_guessed_shown_and_overridden(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;y\n1,5;u\n2,5;v\n3,5;u\n4,0;v\n")
    table = tl.table(path, target="y")
    assert "semicolon-separated, decimal comma" in repr(table)
    assert tl.NaiveBayes().fit(table).schema_.numbers == ("a",)
    other = tl.table(path, kinds={"a": "category"})
    assert other.schema.columns[0].kind == "category"
    with pytest.raises(OptionError, match="'separator'"):
        tl.table(path, dialect={"separator": ";"})
    pq.write_table(pa.table({"a": [1]}), tmp_path / "t.parquet")
    with pytest.raises(OptionError, match=r"is for CSV files, and t\.parquet"):
        tl.table(tmp_path / "t.parquet", dialect={"delimiter": ","})


def test_a_header_alone_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n")
    with pytest.raises(InputError, match=r"NaiveBayes.fit: the table has no rows"):
        tl.NaiveBayes().fit(tmp_path / "t.csv", "y")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a,y\n1,\n2,\n", "the target 'y' is missing in all 2 rows"),
        ("a,y\n1,\ninf,v\n", "column 'a' has inf in row 3"),
        ("a,y\n1,u\ninf,v\n", "column 'a' has inf in row 3"),
        ("y,y\nu,v\nv,y\n", "'y' more than once"),
        ("a,y\n1,u\n2\n", "row 3 has another number of cells"),
    ],
)
def test_bad_cells_are_named_with_row_and_column(tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(InputError, match=f"NaiveBayes.fit: .*{says}"):
        tl.NaiveBayes().fit(tmp_path / "t.csv", "y")


def test_text_where_numbers_were_learned_is_named(tmp_path: Path) -> None:
    model = tl.NaiveBayes().fit({"a": [1.0, 2.0, 4.0, 3.0], "y": list("uvuv")}, "y")
    (tmp_path / "t.csv").write_text("a\n1\nmany\n")
    with pytest.raises(ColumnError, match=r"'a' has .* row 3 \('many'\).*missing=\"many\""):
        model.predict(tmp_path / "t.csv")


def test_markers_are_kept_for_later_files(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,c,y\n1,x,u\n-9,y,v\n3,none,u\n4,x,v\n")
    options: dict[str, Any] = {"target": "y", "missing": [-9, "none"]}
    model = tl.NaiveBayes().fit(tl.table(tmp_path / "t.csv", **options))
    twice = tl.NaiveBayes().fit(tl.table(tmp_path / "t.csv", **options))
    twice.partial_fit(tmp_path / "t.csv", "y")
    assert twice.tally_ == model.tally_ + model.tally_
    assert model.predict(tmp_path / "t.csv").shape == (4,)


def test_a_pipe_is_not_a_file_that_is_missing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.csv")
    for path in (tmp_path / "t.csv", "/dev/null"):
        with pytest.raises(FileError, match="is a pipe, which cannot be read twice: save it first"):
            tl.table(path)


def test_a_wide_file_is_read_in_time(tmp_path: Path) -> None:
    """Two thousand columns took seven seconds when every column copied the schema."""
    names = [f"c{j}" for j in range(2_000)]
    row = ",".join("a" for _ in names)
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *[row] * 3]))
    start = time.process_time()
    files = tl.table(tmp_path / "wide.csv")
    assert sum(len(block.codes) for block in files.blocks()) == 2_000
    assert time.process_time() - start < 3
