"""A value keeps its type: in a list, in a file, and from learning to predicting."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, TargetError
from tallylearn.sources.columns.category_types import codes_as_learned
from tallylearn.sources.columns.class_labels import flat
from tallylearn.tables import CATEGORY, Codes, Column

Y = ["a", "b", "a", "b"]
NAN = float("nan")
TRUTH = [True, False, True, False]


def kinds(source: Any) -> list[tuple[str, str]]:
    return [(c.kind, c.origin) for c in tl.table(source).schema.columns]


def learned(values: list[Any]) -> Any:
    return tl.NaiveBayes().fit({"c": values, "y": Y}, "y")


def seen(model: Any, values: Any) -> list[float]:
    return list(model.predict_proba({"c": values})[:, 0])


# Lists of several types


@pytest.mark.parametrize("form", [list, tuple, lambda y: [[item] for item in y]])
@pytest.mark.parametrize("nothing", [NAN, None, np.float64("nan")])
@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_nan_among_text_is_a_missing_target(form: Any, nothing: Any) -> None:
    with pytest.raises(TargetError, match="the target is missing in row 1"):
        tl.NaiveBayes().fit([[1], [2], [3], [4]], form(["a", nothing, "b", "b"]))


@pytest.mark.parametrize(
    "y", [[1, "a", 1, "a"], [True, "a", True, "a"], [True, 2, True, 2], [2.0, False, 1.0, 1.0]]
)
def test_classes_of_several_types_are_refused(y: list[Any]) -> None:
    for form in (y, tuple(y), [np.array(item)[()] for item in y]):
        with pytest.raises(TargetError, match="the target mixes types"):
            tl.NaiveBayes().fit([[1], [2], [3], [4]], form)


@pytest.mark.parametrize(
    ("y", "kind"),
    [([1, 2], "i"), ([1, 2.5], "f"), (["a", "b"], "U"), ([True, False], "b"), ([b"a"], "S")],
)
def test_a_plain_list_stays_a_plain_array(y: list[Any], kind: str) -> None:
    assert flat(y).dtype.kind == kind


def test_rows_as_lists_keep_the_type_of_every_column() -> None:
    assert kinds([[1, True], [2, False]]) == [("number", "text"), ("category", "truth")]
    assert kinds([[1.5, True, "a"], [2, False, "b"]])[1:] == [
        ("category", "truth"),
        ("category", "text"),
    ]
    assert kinds([[True, False]]) == [("category", "truth")] * 2
    assert kinds([[1, 2.5], [3, NAN]]) == [("number", "text")] * 2
    assert kinds([np.array([1, 2]), [True, False]][:1]) == [("number", "text")] * 2


@pytest.mark.parametrize("row", [[1.5, True], [True, 1.5], [True, 2], [2, True], ["a", True]])
def test_truth_values_do_not_mix_with_others(row: list[Any]) -> None:
    with pytest.raises(ColumnError, match=r"'x0' mixes .* in row 1"):
        tl.table([[value, 1] for value in row])
    with pytest.raises(ColumnError, match=r"'c' mixes .* in row 1"):
        tl.table(pd.DataFrame({"c": pd.Series(row, dtype=object)}))


# Another type than the one that was learned


@pytest.mark.parametrize("numbers", [[1, 0, 1, 0], [1.0, 0.0, 1.0, 0.0], np.array([1, 0, 1, 0])])
def test_zero_and_one_are_the_truth_values_that_were_learned(numbers: Any) -> None:
    model = learned(TRUTH)
    assert seen(model, numbers) == seen(model, TRUTH)
    words = ["TRUE", "false", "True", "FALSE"]
    assert seen(model, words) == seen(model, TRUTH)


@pytest.mark.parametrize(
    ("values", "bad"),
    [
        ([1, 2, 0, 0], "2"),
        ([True, 0.5], "mixes"),
        ([1, 0.5], "0.5"),
        (["False", "yes"], "yes"),
        ([dt.date(2026, 1, 1)] * 2, "2026-01-01"),
    ],
)
def test_a_truth_column_takes_nothing_else(values: list[Any], bad: str) -> None:
    with pytest.raises(ColumnError, match=f"'c'.*{bad}"):
        learned(TRUTH).predict({"c": values})


@pytest.mark.parametrize(
    "other",
    [[True, False], [3, 4], [2.5, 1.0], [dt.date(2026, 1, 1)] * 2, [dt.datetime(2026, 1, 1)] * 2],
)
def test_a_category_of_text_takes_text_only(other: list[Any]) -> None:
    model = learned(["True", "3", "x", "2026-01-01"])
    with pytest.raises(ColumnError, match=r"'c' was a category of text when .* row 0"):
        model.predict({"c": other})
    assert model.predict({"c": [None, None]}).tolist() == ["a", "a"]
    assert len(model.predict({"c": ["never seen", None]})) == 2


def test_a_category_of_numbers_takes_numbers_and_text_that_reads_as_them() -> None:
    model = tl.NaiveBayes().fit(pd.DataFrame({"c": pd.Series([1, 2, 1, 2], dtype="category")}), Y)
    frame = pd.DataFrame({"c": [1.0, 2.0, 7.0]})
    expected = model.predict_proba(frame)
    found = model.predict_proba(pd.DataFrame({"c": ["1.0", "2", " 7"]}))
    np.testing.assert_array_equal(found, expected)
    for other in (["1", "x"], [True, False], [dt.date(2026, 1, 1)]):
        with pytest.raises(ColumnError, match="'c' was a category of numbers when"):
            model.predict(pd.DataFrame({"c": other}))


@pytest.mark.parametrize("form", [np.array, lambda rows: rows, pd.DataFrame])
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_a_number_column_takes_no_truth_values(form: Any) -> None:
    model = tl.NaiveBayes().fit(np.array([[1.0], [0.0], [1.0], [0.5]]), Y)
    with pytest.raises(ColumnError, match=r"'x0' was numeric when .* booleans here \(True\)"):
        model.predict(form([[True], [False]]))


def test_categories_that_do_not_occur_are_not_looked_at() -> None:
    model = tl.NaiveBayes().fit(pa.table({"c": TRUTH, "y": Y}), "y")
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 0, None]), pa.array(["True", "other"]))
    assert len(model.predict(pa.table({"c": coded}))) == 3


def test_codes_of_another_table_are_read_as_learned() -> None:
    truth = Column("c", CATEGORY, ("False", "True"), "truth")
    codes = Codes(("1", "0"), np.array([0, 1, -1, 1]))
    assert codes_as_learned(truth, "number", codes).items() == ["True", "False", None, "False"]
    assert codes_as_learned(truth, "declared", codes) is codes
    with pytest.raises(ColumnError, match=r"truth values when .* numbers here \(3 in row 12\)"):
        codes_as_learned(truth, "number", Codes(("1", "3"), np.array([0, 0, 1])), start=10)


# Declared values


def test_a_value_that_was_not_declared_is_refused_when_learning(tmp_path: Path) -> None:
    frame = pd.DataFrame({"Wind": ["Weak", None, "Strong", "Weak"], "y": Y})
    message = "'Wind' has 'Strong' in row {}, which categories= does not list: 'Weak'"
    with pytest.raises(ColumnError, match=message.format(2)):
        tl.table(frame, target="y", categories={"Wind": ["Weak"]})
    for name, write, row in (("w.csv", frame.to_csv, 4), ("w.parquet", frame.to_parquet, 2)):
        write(tmp_path / name, index=False)
        files = tl.table(tmp_path / name, target="y", categories={"Wind": ["Weak"]})
        with pytest.raises(ColumnError, match=message.format(row)):
            tl.NaiveBayes().fit(files)


def test_a_value_that_was_not_declared_may_come_when_predicting(tmp_path: Path) -> None:
    rows = {"Wind": ["Weak", "Weak", "Strong", "Weak"], "y": Y}
    declared = {"Wind": ["Weak", "Strong"]}
    model = tl.NaiveBayes().fit(tl.table(rows, target="y", categories=declared))
    new = pd.DataFrame({"Wind": ["Storm", "Weak"]})
    new.to_csv(tmp_path / "new.csv", index=False)
    assert list(model.predict(new)) == list(model.predict(tmp_path / "new.csv"))
    assert len(model.predict(tl.table(new))) == 2


def test_a_declared_value_may_be_missing_in_the_data() -> None:
    table = tl.table({"c": [1, None, 2, 9]}, categories={"c": [1, 2, 3]}, missing=[9])
    assert table.block.codes["c"].declared == ("1", "2", "3")


# Truth values in files


@pytest.mark.parametrize(("yes", "no"), [("True", "False"), ("TRUE", "FALSE"), ("true", "false")])
def test_truth_values_in_a_csv_are_those_of_the_frame(tmp_path: Path, yes: str, no: str) -> None:
    frame = pd.DataFrame({"c": TRUTH, "y": Y})
    lines = [f"{yes if c else no},{y}" for c, y in zip(TRUTH, Y, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["c,y", *lines, ",a"]))
    frame.to_csv(tmp_path / "pandas.csv", index=False)
    model = tl.NaiveBayes().fit(tmp_path / "t.csv", "y")
    other = tl.NaiveBayes().fit(frame, "y")
    assert model.schema_ == other.schema_
    assert seen(tl.merge(model, other), TRUTH)
    assert tl.NaiveBayes().fit(tmp_path / "pandas.csv", "y").tally_ == other.tally_


def test_truth_values_may_be_written_in_any_letters(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("c,d\nTrue,true\nfalse,T\n")
    assert kinds(tmp_path / "t.csv") == [("category", "truth"), ("category", "text")]


def test_a_truth_target_of_a_csv_is_a_truth_target(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x,y\n1,true\n5,false\n2,true\n6,false\n")
    model = tl.NaiveBayes().fit(tmp_path / "t.csv", "y")
    assert model.classes_.dtype == bool
    assert model.score(tmp_path / "t.csv", "y") == 1.0


def test_another_value_in_a_later_block_makes_words_of_truth_values(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("c,y\n" + "true,a\nfalse,b\n" * 40_000 + "maybe,a\n")
    late = tl.NaiveBayes().fit(tmp_path / "t.csv", "y")
    (tmp_path / "t.csv").write_text("c,y\nmaybe,a\n" + "true,a\nfalse,b\n" * 40_000)
    assert late.tally_ == tl.NaiveBayes().fit(tmp_path / "t.csv", "y").tally_
    assert late.schema_.columns[0].origin == "text"


def test_a_file_is_read_as_the_truth_values_that_were_learned(tmp_path: Path) -> None:
    model = learned(TRUTH)
    for text in ("c\nTRUE\nfalse\nTrue\nFALSE\n", "c\n1\n0\n1\n0\n"):
        (tmp_path / "t.csv").write_text(text)
        np.testing.assert_array_equal(
            model.predict_proba(tmp_path / "t.csv")[:, 0], seen(model, TRUTH)
        )
    (tmp_path / "t.csv").write_text("c\nTrue\nyes\n")
    with pytest.raises(ColumnError, match=r"'c' .*\('yes' in row 3\)"):
        model.predict(tmp_path / "t.csv")
    pq.write_table(pa.table({"c": [1, 0]}), tmp_path / "t.parquet")
    assert list(model.predict(tmp_path / "t.parquet")) == list(model.predict({"c": [True, False]}))


def test_text_that_was_learned_stays_text_in_a_file(tmp_path: Path) -> None:
    model = learned(["True", "False", "True", "False"])
    (tmp_path / "t.csv").write_text("c\nTrue\nFalse\n")
    assert list(model.predict(tmp_path / "t.csv")) == ["a", "b"]
