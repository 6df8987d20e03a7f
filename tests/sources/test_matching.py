"""Rows to predict, or to learn from, that are not as they should be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, TargetError

Y = ["a", "b", "a", "b"]


# Tables that hardly are any


@pytest.mark.parametrize(
    "empty",
    [
        np.empty((0, 2)),
        pd.DataFrame({"a": np.empty(0), "b": np.empty(0, dtype=object)}),
        pl.DataFrame({"a": [], "b": []}),
        {"a": [], "b": []},
    ],
)
def test_a_table_without_rows_is_refused(empty: Any) -> None:
    with pytest.raises(InputError, match=r"NaiveBayes.fit: the table has no rows"):
        tl.NaiveBayes().fit(empty, [])
    assert len(tl.table(empty)) == 0


def test_no_rows_to_predict_are_refused() -> None:
    model = tl.NaiveBayes().fit({"a": [1.0, 2.0, 4.0, 3.0]}, Y)
    with pytest.raises(InputError, match=r"NaiveBayes.predict: the table has no rows"):
        model.predict(pd.DataFrame({"a": np.empty(0)}))


@pytest.mark.parametrize("none", [np.empty((4, 0)), pd.DataFrame(index=range(4)), [[]] * 4])
def test_a_table_without_columns_is_refused(none: Any) -> None:
    with pytest.raises(InputError, match=r"NaiveBayes.fit: the table has no columns to learn from"):
        tl.NaiveBayes().fit(none, Y)


def test_a_table_of_nothing_but_a_target_is_refused() -> None:
    with pytest.raises(InputError, match="no columns to learn from"):
        tl.NaiveBayes().fit(pd.DataFrame({"y": Y}), "y")


def test_one_row_is_learned_from() -> None:
    model = tl.NaiveBayes().fit([{"a": "x", "y": "p"}], "y")
    assert list(model.predict({"a": "z"})) == ["p"]


def test_an_empty_row_is_answered_by_the_prior() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0, np.nan, 9.0], "c": ["x", "y", "x", None, "x"]})
    model = tl.NaiveBayes().fit(frame, ["a", "b", "a", "b", "b"])
    np.testing.assert_allclose(model.predict_proba(frame[3:4]), [[0.4, 0.6]])


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize(
    "form",
    [lambda f: f.to_numpy(), lambda f: f, pl.from_pandas, lambda f: f.assign(c="x"), tl.table],
)
def test_infinities_are_named_at_fit_and_at_predict(form: Any, value: float) -> None:
    good = pd.DataFrame({"x0": [1.0, 2.0, 4.0, 3.0], "x1": [1.0, 5.0, 2.0, 1.0]})
    bad = good.copy()
    bad.loc[2, "x1"] = value
    with pytest.raises(ColumnError, match=f"NaiveBayes.fit: column 'x1' has {value} in row 2"):
        tl.NaiveBayes().fit(form(bad), Y)
    with pytest.raises(ColumnError, match=f"NaiveBayes.predict: column 'x1' has {value} in row 2"):
        tl.NaiveBayes().fit(form(good), Y).predict(form(bad))


def test_a_slice_of_a_table_names_the_rows_of_the_whole() -> None:
    table = tl.table({"a": [1.0, 2.0, 4.0, np.inf], "y": ["a", "b", None, "b"]}, target="y")
    with pytest.raises(TargetError, match="the target 'y' is missing in all 1 rows"):
        tl.NaiveBayes().fit(table[2:3])
    with pytest.raises(ColumnError, match="inf in row 3"):
        tl.NaiveBayes().fit(table[2:])
    with pytest.raises(ColumnError, match="inf in row 3"):
        tl.NaiveBayes().fit(table[3:])


def test_very_large_numbers_are_numbers() -> None:
    table = tl.table({"a": [1e308, -1e308, None]})
    np.testing.assert_array_equal(table.block.numbers[:, 0], [1e308, -1e308, np.nan])


# Columns that are not those that were learned


def learned(people: pd.DataFrame, by_name: bool) -> tuple[Any, pd.DataFrame]:
    X = people.drop(columns="y")
    if by_name:
        return tl.NaiveBayes().fit(people, "y"), X
    return tl.NaiveBayes().fit(X, people.y), X


@pytest.mark.parametrize("wrap", [lambda frame: frame, pl.from_pandas, tl.table])
def test_by_name_extra_columns_and_the_order_do_not_matter(people: pd.DataFrame, wrap: Any) -> None:
    model, X = learned(people, by_name=True)
    other = X.assign(z=1)[["z", "day", "count", "size", "color"]]
    np.testing.assert_array_equal(model.predict_proba(wrap(other)), model.predict_proba(X))
    with pytest.raises(
        ColumnError, match=r"NaiveBayes.predict: the table has no column 'size'.*It has 'color'"
    ):
        model.predict(wrap(X.drop(columns="size")))


def test_by_place_columns_are_checked_as_in_scikit_learn(people: pd.DataFrame) -> None:
    model, X = learned(people, by_name=False)
    for other, says in (
        (X.drop(columns="size"), r"(?s)no column 'size'.*\n- size"),
        (X.assign(z=1), "not fitted to 'z'"),
        (X[X.columns[::-1]], "columns are in another order"),
        (X.rename(columns={"size": "length"}), r"unseen at fit time:\n- length\n.*\n- size"),
    ):
        with pytest.raises(ColumnError, match=says):
            model.predict(other)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X.to_numpy(dtype=object)[:, :])


@pytest.mark.parametrize("by_name", [True, False])
@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (
            {"size": "q"},
            r"column 'size' has a value that is not a .* row 0 \('q'\). Mark it as missing",
        ),
        ({"color": 3}, r"'color' was a category of text .* has numbers here \(3 in row 0\)"),
        ({"size": pd.Timestamp("2024-01-01")}, "'size' was numeric .* is a date here"),
        ({"day": 3.0}, r"'day' is a date column, and has numbers here \(3.0\)"),
        ({"day": "tomorrow"}, r"'day' has .* date in row 0 \('tomorrow'\)"),
        ({"size": np.inf}, "'size' has inf in row 0"),
    ],
)
def test_columns_of_another_kind_are_named(
    people: pd.DataFrame, by_name: bool, changed: dict[str, Any], says: str
) -> None:
    model, X = learned(people, by_name)
    with pytest.raises(ColumnError, match=f"NaiveBayes.predict: .*{says}"):
        model.predict(X.assign(**changed))


def test_tables_of_another_kind_are_named(people: pd.DataFrame) -> None:
    model, X = learned(people, by_name=True)
    with pytest.raises(ColumnError, match=r"'size' was a number .*is a category here.*Declare"):
        model.predict(tl.table(X.assign(size="q")))


def test_a_column_without_values_fits_anywhere(people: pd.DataFrame) -> None:
    model, X = learned(people, by_name=True)
    empty = X.assign(size=None, color=None, day=None)
    for source in (empty, pl.from_pandas(empty), tl.table(empty)):
        np.testing.assert_array_equal(
            model.predict_proba(source),
            model.predict_proba(X[["count"]].assign(size=np.nan, color=pd.NA, day=pd.NaT)),
        )


def test_an_unknown_column_is_learned_from_and_says_nothing() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0, 3.0], "u": [None] * 4})
    model = tl.NaiveBayes().fit(frame, ["a", "b"] * 2)
    assert model.n_features_in_ == 2
    plain = tl.NaiveBayes().fit(frame[["a"]], ["a", "b"] * 2)
    np.testing.assert_array_equal(model.predict_proba(frame), plain.predict_proba(frame[["a"]]))
