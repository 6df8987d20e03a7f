"""Tables: what is declared about them, their rows, and how they meet what was learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, OptionError

# What tl.table declares


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"categories": ["count"]},
        {"categories": "count"},
        {"categories": {"color": ["red", "green", "blue", "pink"], "count": range(12)}},
        {"dates": ["day"]},
        {"dates": {"day": ["year", "month", "day", "weekday", "hour"]}},
        {"missing": "red"},
        {"missing": [0, "blue"]},
        {"ignore": ["day", "size"]},
        {"groups": "count"},
        {"weight": "count"},
    ],
)
@pytest.mark.parametrize("kind", ["polars", "csv", "parquet"])
def test_options_mean_the_same_for_every_source(
    people: pd.DataFrame, tmp_path: Any, kind: str, options: dict[str, Any]
) -> None:
    people.to_csv(tmp_path / "t.csv", index=False)
    people.to_parquet(tmp_path / "t.parquet")
    source = pl.from_pandas(people) if kind == "polars" else tmp_path / f"t.{kind}"
    model = tl.NaiveBayes().fit(tl.table(people, target="y", **options))
    other = tl.NaiveBayes().fit(tl.table(source, target="y", **options))
    assert other.tally_ == model.tally_
    assert other.schema_.names == model.schema_.names
    expected = model.predict_proba(people)
    for rows in (source, tl.table(people, **options), tl.table(source, target="y", **options)):
        np.testing.assert_array_equal(other.predict_proba(rows), expected)


def test_categories_may_be_declared_with_their_values() -> None:
    table = tl.table({"zip": [1, 2], "y": ["a", "b"]}, categories={"zip": [1, 2, 3]}, target="y")
    assert table.schema.columns[0].values == ("1", "2", "3")
    again = tl.table({"zip": [1.0, 2.0]}, categories={"zip": [1.0, 2, "3"]})
    assert again.schema.columns[0].values == ("1", "2", "3")
    assert "3" in str(tl.NaiveBayes().fit(table).show_work())


def test_text_may_be_declared() -> None:
    table = tl.table({"a": ["x", None]}, text=["a"])
    assert repr(table) == "Table(2 rows: a (text))"
    assert table.block.text["a"].to_pylist() == ["x", None]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["one two three four"] * 2 + ["x"], "text"),
        (["one two three four", "x", "x"], "category"),
        (["one two three"] * 3, "category"),
        (["one two three four five", None, None], "text"),
        ([None, None, None], "unknown"),
    ],
)
def test_strings_are_text_from_four_words_in_the_median(values: Any, kind: str) -> None:
    for source in ({"a": values}, pd.DataFrame({"a": values}), pl.DataFrame({"a": values})):
        assert tl.table(source).schema.columns[0].kind == kind


def test_the_parts_of_a_date() -> None:
    days = ["2024-01-01 05:00:00", "2025-12-31 23:30:00", None]
    parts = ["year", "month", "day", "weekday", "hour"]
    for source in ({"d": days}, pd.DataFrame({"d": pd.to_datetime(days)})):
        block = tl.table(source, dates={"d": parts}).block
        assert block.schema.names == tuple(f"d.{part}" for part in parts)
        np.testing.assert_array_equal(block.numbers, [[2024, 1], [2025, 31], [np.nan, np.nan]])
        assert block.codes["d.month"].items() == ["01", "12", None]
        assert block.codes["d.weekday"].items() == ["0", "2", None]
        assert block.codes["d.hour"].items() == ["05", "23", None]


def test_parts_that_a_column_does_not_have_are_named() -> None:
    with pytest.raises(
        OptionError, match=r"table: dates: 'century' is not a part of the date 'd'.*'year'"
    ):
        tl.table({"d": ["2024-01-01"]}, dates={"d": ["century"]})
    with pytest.raises(ColumnError, match=r"'d' holds duration.*no year"):
        tl.table({"d": [pd.Timedelta(1)]}, dates={"d": ["year"]})
    with pytest.raises(ColumnError, match=r"'d' holds numbers, so it cannot be date"):
        tl.table({"d": [3]}, dates={"d": ["year"]})


def test_text_that_is_no_date_is_named() -> None:
    with pytest.raises(ColumnError, match=r"'d' has .* date in row 1 \('soon'\).*missing=\"soon\""):
        tl.table({"d": ["2024-05-31", "soon"]}, dates=["d"])


def test_a_value_that_stands_for_nothing_is_missing_everywhere() -> None:
    rows = {"a": [1, -1, 3], "b": ["x", "?", "y"], "y": ["u", "v", "?"]}
    table = tl.table(rows, missing=[-1, "?"])
    np.testing.assert_array_equal(table.block.numbers[:, 0], [1, np.nan, 3])
    assert table.block.codes["b"].items() == ["x", None, "y"]
    marked = tl.DummyClassifier().fit(tl.table(rows, missing=[-1, "?"], target="y"))
    assert marked.classes_.tolist() == ["u", "v"]
    assert str(marked.unanswered_) == "1 of 3 rows (33.3 %) has no target and was left out"
    matrix = tl.table(np.array([[1.0], [-1.0]]), missing=-1)
    np.testing.assert_array_equal(matrix.block.numbers[:, 0], [1, np.nan])
    coded = tl.table(pd.DataFrame({"a": pd.Categorical(["x", "?", "x"])}), missing="?")
    assert coded.block.codes["a"].items() == ["x", None, "x"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"ignore": ["b"]}, "table: ignore: the table has no column 'b'. It has 'a'"),
        ({"target": "b"}, "target: the table has no column 'b'"),
        ({"target": 3}, "target=3 is not the name of a column"),
        ({"text": ["a"], "categories": ["a"]}, "categories and text both name the column 'a'"),
        ({"dialect": {"delimiter": ","}}, "dialect= is for CSV files"),
    ],
)
def test_declarations_that_cannot_be_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises((ColumnError, OptionError), match=says):
        tl.table({"a": [1]}, **options)


def test_columns_may_be_named_by_anything_that_lists_them(people: pd.DataFrame) -> None:
    for names in (
        people.columns[1:],
        np.array(["size", "count", "day", "y"]),
        {*people} - {"color"},
    ):
        assert tl.table(people, ignore=names).schema.names == ("color",)
    assert tl.table(people, categories=None, missing=None).shape == (40, 5)


def test_a_table_is_declared_once() -> None:
    table = tl.table({"a": [1], "y": ["u"]})
    assert tl.table(table) is table
    with pytest.raises(OptionError, match=r"already declared\. Pass all options in one call"):
        tl.table(table, target="y")


# Rows


def test_a_table_has_a_length_and_a_shape(people: pd.DataFrame) -> None:
    table = tl.table(people, target="y")
    assert (len(table), table.shape) == (40, (40, 4))
    assert "40 rows: color (category), size (number)" in repr(table)
    assert "target y" in repr(table)


@pytest.mark.parametrize(
    "rows",
    [
        slice(3, 9),
        slice(-5, None),
        slice(None, None, 3),
        slice(30, 2, -4),
        slice(9, 3),
        np.array([5, 1, 1, 39]),
        [5, -1],
        [],
        np.arange(40) % 3 == 0,
        [True] * 20 + [False] * 20,
    ],
)
def test_rows_are_picked_as_from_an_array(people: pd.DataFrame, rows: Any) -> None:
    numbers = [f" is color number {i}" for i in range(len(people))]
    people["words"] = people.color.fillna("no") + numbers
    table = tl.table(people, target="y", weight="count")[rows]
    at = np.arange(40)[rows] if len(np.atleast_1d(rows)) else []
    expected = people.iloc[at]
    assert len(table) == len(expected)
    np.testing.assert_array_equal(table.block.numbers[:, 0], expected["size"])
    found = table.block.codes["color"].items()
    assert found == [None if value != value else value for value in expected.color]
    assert table.block.text["words"].to_pylist() == expected.words.tolist()
    assert table.target.to_pylist() == expected.y.tolist()
    np.testing.assert_array_equal(table.weight, expected["count"])


def test_one_row_is_a_table_of_one_row() -> None:
    table = tl.table({"a": [1.0, 2.0, 3.0]})
    assert [table[at].block.numbers.tolist() for at in (0, -1, np.int64(1))] == [
        [[1.0]],
        [[3.0]],
        [[2.0]],
    ]
    for at in (3, -4):
        with pytest.raises(IndexError, match=f"3 rows, so row {at} does not exist"):
            table[at]
    with pytest.raises(TypeError, match="rows are selected by number, not by 'a'"):
        table["a"]


def test_tables_pass_through_scikit_learn(people: pd.DataFrame) -> None:
    grid = {"alpha": [0.5, 1, 2]}
    declared = tl.table(people, target="y")
    X, y = tl.table(people.drop(columns="y")), people.y.to_numpy()
    first = cross_val_score(tl.NaiveBayes(), X, y, cv=4)
    assert len(first) == 4
    np.testing.assert_array_equal(
        first, cross_val_score(tl.NaiveBayes(), people.drop(columns="y"), y, cv=4)
    )
    assert len(cross_val_score(tl.NaiveBayes(), declared, cv=4)) == 4
    search = GridSearchCV(tl.NaiveBayes(), grid, cv=3).fit(X, y)
    assert search.predict(X).shape == (40,)
    assert GridSearchCV(tl.NaiveBayes(), grid, cv=3).fit(declared).best_score_ > 0


def test_a_mask_is_as_long_as_the_table() -> None:
    table = tl.table({"x": [1, 2, 3, 4]})
    assert len(table[np.array([True, False, True, False])]) == 2
    for mask in (np.array([True] * 3), [True] * 5, np.ones((4, 1), dtype=bool), True):
        with pytest.raises(InputError, match="the table has 4 rows, and the mask"):
            table[mask]


@pytest.mark.parametrize("rows", [[0, 4], np.array([-5]), 4, np.array(4)])
def test_rows_that_are_not_there_are_named(rows: Any) -> None:
    with pytest.raises(IndexError, match=r"the table has 4 rows, so row (4|-5) does not exist"):
        tl.table({"x": [1, 2, 3, 4]})[rows]
