"""Files of SAS, Stata and SPSS."""

from __future__ import annotations

import gzip
import pickle
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

import tallylearn as tl
from tallylearn.errors import FileError
from tallylearn.sources.files import sas_stata_spss

FRAME = pd.DataFrame(
    {
        "num": [1.5, None, 3.0],
        "cat": [1.0, 2.0, 1.0],
        "some": [1.0, 99.0, 5.0],
        "txt": ["a", "", "ccc"],
        "day": [date(2024, 1, 2), date(2024, 1, 3), None],
        "at": [datetime(2024, 1, 2, 3, 4, 5), None, datetime(2024, 1, 3)],
    }
)
LABELS: dict[str, dict[Any, str]] = {"cat": {1: "yes", 2: "no"}, "some": {99: "refused"}}
READ = {
    "num": [1.5, None, 3.0],
    "cat": ["yes", "no", "yes"],
    "some": [1.0, 99.0, 5.0],
    "txt": ["a", None, "ccc"],
    "day": [date(2024, 1, 2), date(2024, 1, 3), None],
    "at": [datetime(2024, 1, 2, 3, 4, 5), None, datetime(2024, 1, 3)],
}


def written(path: Path) -> Path:
    if path.suffix == ".xpt":
        pyreadstat.write_xport(FRAME, path)
    else:
        write = pyreadstat.write_dta if path.suffix == ".dta" else pyreadstat.write_sav
        write(FRAME, path, variable_value_labels=LABELS)
    return path


def read(path: Path) -> dict[str, list[Any]]:
    return pa.concat_tables(tl.table(path).raw()).to_pydict()  # type: ignore[attr-defined]


@pytest.mark.parametrize("ending", ["sav", "dta", "xpt"])
def test_columns_come_with_their_types_and_labels(tmp_path: Path, ending: str) -> None:
    path = written(tmp_path / f"t.{ending}")
    expected = READ | ({"cat": [1.0, 2.0, 1.0]} if ending == "xpt" else {})  # which has no labels
    assert read(path) == expected
    path.rename(tmp_path / "t.csv")
    assert read(tmp_path / "t.csv") == expected  # told by its first bytes
    kinds = {column.name: column.kind for column in tl.table(tmp_path / "t.csv").schema.columns}
    assert kinds["cat"] == ("number" if ending == "xpt" else "category")
    assert (kinds["some"], kinds["day"], kinds["at"]) == ("number", "date", "date")


def test_rows_come_in_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sas_stata_spss, "RUN", 2)
    files = tl.table(written(tmp_path / "t.sav"), target="cat", ignore=["some", "txt", "day", "at"])
    assert tl.NaiveBayes().fit(files).classes_.tolist() == ["no", "yes"]
    parts = pickle.loads(pickle.dumps([*files.parts()]))
    assert sum(len(block) for part in parts for block in part.blocks()) == 3


@pytest.mark.parametrize("ending", ["sav", "sas7bdat", "dta", "xpt", "por"])
def test_a_damaged_file_is_an_error(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    path.write_bytes(b"$FL2" + b"\1\2\3" * 20 if ending == "sav" else b"nothing" * 20)
    with pytest.raises(FileError, match=r"cannot be read.*damaged"):
        read(path)


def test_a_packed_file_is_unpacked_first(tmp_path: Path) -> None:
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(written(tmp_path / "t.sav").read_bytes()))
    with pytest.raises(FileError, match=r"is compressed.*Decompress it first"):
        read(path)


def test_without_the_reader_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "t.sav")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(FileError, match=r"pip install 'tallylearn\[stats\]'"):
        read(path)
