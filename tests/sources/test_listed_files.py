"""A list of paths is the table of all of them, as a glob is; a list of texts is documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, FileError, InputError

FRAME = pd.DataFrame({"x": np.arange(12.0) % 5, "c": [*"uvw"] * 4, "y": [*"abba"] * 3})


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    FRAME[:7].to_csv("a.csv", index=False)
    FRAME[7:].to_csv("b.csv", index=False)
    return ["a.csv", "b.csv"]


def test_a_list_or_tuple_of_paths_is_the_table_that_a_glob_is(paths: list[str]) -> None:
    glob = tl.NaiveBayes().fit("*.csv", "y")
    for form in (paths, tuple(paths), [Path(one) for one in paths], [Path("a.csv"), "b.csv"]):
        assert tl.NaiveBayes().fit(form, "y").tally_ == glob.tally_
        assert (glob.predict(form) == glob.predict("*.csv")).all()
        assert repr(tl.table(form, target="y")) == repr(tl.table("*.csv", target="y"))
        assert tl.evaluate(tl.NaiveBayes(), form, "y", cv=3).n == 12
        assert tl.describe(form).rows == 12
        assert len(tl.sample(form, 5).table) == 5
        assert glob.score(form, "y") == glob.score("*.csv", "y")
    scaled = tl.StandardScaler().fit(tl.table(paths, ignore=["y"])).transform(paths)
    assert len(scaled) == 12


def test_the_rows_come_in_the_order_of_the_list(paths: list[str]) -> None:
    model = tl.DecisionTreeClassifier().fit(FRAME, "y")
    said = model.predict(FRAME)
    assert (model.predict([*reversed(paths)]) == np.roll(said, 5)).all()


def test_packed_files_other_formats_and_globs_are_listed_alike(paths: list[str]) -> None:
    FRAME[:7].to_csv("c.csv.gz", index=False)
    FRAME[:7].to_parquet("d.parquet")
    FRAME[7:].to_parquet("e.pq")
    whole = tl.NaiveBayes().fit(FRAME, "y").tally_
    for form in (["c.csv.gz", "b.csv"], ["d.parquet", "e.pq"], ["[ab].csv"], ("?.csv",)):
        assert tl.NaiveBayes().fit(form, "y").tally_ == whole


def test_texts_are_documents_whatever_they_are_called(paths: list[str]) -> None:
    for texts in (
        ["gone.csv", "lost.csv"],  # none of which is a file
        ["a.csv", "as you like it"],
        ["a", "b"],
        np.array(paths),
        pd.Series(paths),
    ):
        model = tl.NaiveBayes().fit(texts, ["p", "q"])
        assert model.schema_.names == ("text",)
    Path("notes.txt").write_text("x,y\n1,a\n")  # a text file may be a document, too
    assert tl.NaiveBayes().fit(["notes.txt"] * 2, ["p", "q"]).schema_.names == ("text",)
    assert tl.table([{"file": "a.csv"}]).schema.names == ("file",)


@pytest.mark.parametrize("form", [["a.csv", "typo.csv"], [Path("a.csv"), Path("typo.csv")]])
def test_a_file_that_is_not_there_is_named(paths: list[str], form: Any) -> None:
    with pytest.raises(FileError, match=r"'typo\.csv' does not exist: check the path"):
        tl.NaiveBayes().fit(form, "y")


def test_a_list_of_files_has_the_errors_of_a_glob(paths: list[str]) -> None:
    with pytest.raises(InputError, match=r"a\.csv is named 2 times, so its rows would count"):
        tl.NaiveBayes().fit(["a.csv", "./a.csv"], "y")
    Path("f.csv").write_text("x,other\n1,2\n")
    with pytest.raises(ColumnError, match=r"f\.csv"):
        tl.NaiveBayes().fit(["a.csv", "f.csv"], "y")
    with pytest.raises(FileError, match="no file matches"):
        tl.NaiveBayes().fit([Path("*.arrow")], "y")
    with pytest.raises(FileError, match=r"as documents: np\.array"):
        tl.NaiveBayes().fit(["a.csv", "b.csv", "c.csv"], ["p", "q", "p"])
