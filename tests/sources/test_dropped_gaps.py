"""gaps="drop": rows with gaps are left out of a table, and it says how many."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors

FRAME = pd.DataFrame({
    "x": [1.0, None, 3, 4, 5], "c": ["a", "b", None, "b", "a"], "w": [1.0, 1, 1, 2, 1],
    "y": ["p", "q", "p", "q", None],
})  # fmt: skip


def files(tmp_path: Path) -> list[Any]:
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    FRAME.to_parquet(tmp_path / "t.parquet")
    return [FRAME, tmp_path / "t.csv", tmp_path / "t.parquet"]


def test_rows_with_gaps_are_dropped_from_memory_and_files_alike(tmp_path: Path) -> None:
    whole = tl.NaiveBayes().fit(tl.table(FRAME.iloc[[0, 3]], target="y", weight="w"))
    for source in files(tmp_path):
        table = tl.table(source, target="y", weight="w", gaps="drop")
        assert "2 of 5 rows had missing values and were dropped" in table.notes
        assert len(table) == 3
        model = tl.NaiveBayes().fit(table)  # a row without its target is left out as ever
        assert model.tally_ == whole.tally_
        assert model.unanswered_.rows == 1


def test_nothing_is_dropped_unless_it_is_said(tmp_path: Path) -> None:
    assert len(tl.table(FRAME)) == 5
    assert not any("dropped" in note for note in tl.table(FRAME).notes)
    assert len(tl.table(FRAME, ignore=["c", "y"], gaps="drop")) == 4  # of the columns that are left
    assert len(tl.table(FRAME, missing=["b"], ignore=["x", "y"], gaps="drop")) == 2


def test_text_that_is_missing_is_a_gap() -> None:
    notes = ["quite a long remark about nothing at all", None, "another remark, of some length too"]
    table = tl.table(pd.DataFrame({"n": notes, "x": [1.0, 2, 3]}), text=["n"], gaps="drop")
    assert table.block.numbers.ravel().tolist() == [1, 3]


def test_errors_name_the_rows_by_the_numbers_they_had() -> None:
    table = tl.table(pd.DataFrame({"x": [np.nan, 1.0, np.inf]}), gaps="drop")
    with pytest.raises(errors.ColumnError, match="inf in row 2"):
        tl.MinMaxScaler().fit(table)


def test_a_table_of_gaps_alone_and_other_words_are_refused() -> None:
    with pytest.raises(errors.InputError, match=r"all 2 rows have missing values.*ignore="):
        tl.table(pd.DataFrame({"x": [1.0, None], "z": [None, 2.0]}), gaps="drop")
    with pytest.raises(errors.OptionError, match="gaps='fill' is not an option"):
        tl.table(FRAME, gaps="fill")


@pytest.mark.parametrize("gaps", ["all", None, np.array(["drop", "keep"]), ["drop"]])
def test_what_becomes_of_gaps_is_one_of_two_words(gaps: Any) -> None:
    with pytest.raises(errors.OptionError, match=r"is not an option. Use 'keep' or 'drop'"):
        tl.table(FRAME, gaps=gaps)
