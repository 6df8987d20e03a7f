"""Targets and weights: as an array, as a column, and as they should not be."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, OptionError, TargetError

X = np.array([[1.0], [2.0], [4.0], [3.0]])
TEXT = ["b", "a", "b", "a"]

FORMS: list[Callable[[list[Any]], Any]] = [
    list,
    tuple,
    np.array,
    lambda y: np.array(y, dtype=object),
    pd.Series,
    lambda y: pd.Series(y, index=[7, 7, 1, 1]),
    lambda y: pd.Series(y, dtype="category"),
    pl.Series,
    pa.array,
    lambda y: pa.array(y).dictionary_encode(),
    lambda y: pa.chunked_array([y[:1], y[1:]]),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "y", [TEXT, [2, 1, 2, 1], [True, False, True, False], [1.0, 0.0, 1.0, 0.0]]
)
def test_classes_come_in_every_form(form: Callable[[list[Any]], Any], y: list[Any]) -> None:
    model = tl.NaiveBayes().fit(X, form(y))
    assert model.classes_.tolist() == sorted(set(y))
    assert model.predict(X).tolist() == tl.NaiveBayes().fit(X, y).predict(X).tolist()


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "string", "str"])
def test_classes_of_nullable_types(dtype: str) -> None:
    y = pd.Series([1, 0, 1, 0]).astype("str" if dtype == "string" else dtype).astype(dtype)
    assert len(tl.NaiveBayes().fit(X, y).classes_) == 2


@pytest.mark.parametrize("wrap", [lambda y: y, pl.from_pandas, lambda d: pa.Table.from_pandas(d)])
@pytest.mark.parametrize("y", [TEXT, [2, 1, 2, 1], [True, False, True, False]])
def test_a_column_by_name_is_the_same_as_an_array(wrap: Any, y: list[Any]) -> None:
    frame = wrap(pd.DataFrame({"x": X[:, 0], "y": y}))
    named = tl.NaiveBayes().fit(frame, "y")
    assert named.tally_ == tl.NaiveBayes().fit(pd.DataFrame({"x": X[:, 0]}), y).tally_
    assert named.classes_.tolist() == sorted(set(y))
    later = tl.NaiveBayes().fit(tl.table(frame), "y")
    assert later.tally_ == named.tally_
    assert later.classes_.tolist() == sorted(set(y))


def test_a_category_of_integers_is_a_class_of_integers() -> None:
    frame = pd.DataFrame({"x": X[:, 0], "y": pd.Categorical([2, 1, 2, 1])})
    for source in (frame, tl.table(frame)):
        assert tl.NaiveBayes().fit(source, "y").classes_.tolist() == [1, 2]


def test_dates_are_classes_if_asked_for() -> None:
    days = pd.to_datetime(["2024-01-02", "2024-01-01"] * 2)
    model = tl.NaiveBayes().fit(X, days)
    assert model.classes_.dtype.kind == "M"
    assert model.predict(X)[0] == np.datetime64("2024-01-02")
    frame = pd.DataFrame({"x": X[:, 0], "y": days})
    assert len(tl.NaiveBayes().fit(frame, "y").classes_) == 2
    with pytest.raises(TargetError, match=r"'y' was read as a date.*target='y'"):
        tl.NaiveBayes().fit(tl.table(frame), "y")


def test_integers_of_any_size_are_classes() -> None:
    large = [2**63 + 1, 2**64 - 1] * 2
    assert tl.NaiveBayes().fit(X, np.array(large, dtype=np.uint64)).classes_.tolist() == sorted(
        set(large)
    )
    assert tl.NaiveBayes().fit(X, [-(2**62), 2**62] * 2).classes_.tolist() == [-(2**62), 2**62]


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (["a", None, "b", "a"], "the target is missing in row 1. Drop that row"),
        ([1.0, np.nan, 2.0, 1.0], "missing in row 1"),
        (pd.Series([1, 2, None, 1], dtype="Int64"), "missing in row 2"),
        (pd.Series(["a", "b", pd.NA, "a"], dtype="string"), "missing in row 2"),
        (pd.Series(["a", "b", pd.NA, "a"], dtype=object), "missing in row 2"),
        (pl.Series(["a", "b", None, "a"]), "missing in row 2"),
        (pa.array([1, 2, None, 1]), "missing in row 2"),
        (pd.to_datetime(["2024-01-01", None] * 2), "missing in row 1"),
        ([1.0, np.inf, 2.0, 1.0], "the target is inf in row 1"),
        ([1.0, 2.5, 2.0, 1.0], "the target is 2.5 in row 1, which is not a class. Use a regr"),
        ([1.0, 1e300, 2.0, 1.0], r"the target is 1e\+300 in row 1"),
        (np.array(["a", 1, "b", 2], dtype=object), r"mixes types \(int, str\)"),
        (np.array([b"a", b"b"] * 2), r"has type \|S1.*Convert the target"),
        ([["a", "b"]] * 4, r"1d array.*\(4, 2\)"),
        ([["a"], ["a", "b"], ["b"], ["a"]], "rows of different lengths"),
        (["a", "b"], "4 rows, and the target has 2"),
        ("z", "'z'.*'x0'"),
        (None, "no target was passed"),
    ],
)
def test_a_target_that_is_not_as_it_should_be_is_named(y: Any, says: str) -> None:
    with pytest.raises(InputError, match=f"NaiveBayes.fit: .*{says}"):
        tl.NaiveBayes().fit(X, y)


def test_a_target_that_is_not_in_the_table_is_named_with_those_that_are() -> None:
    frame = pd.DataFrame({"x": X[:, 0], "y": TEXT})
    for source in (frame, tl.table(frame), pl.from_pandas(frame)):
        with pytest.raises(ColumnError, match=r"NaiveBayes.fit: .*'z'.*'x', 'y'"):
            tl.NaiveBayes().fit(source, "z")


def test_a_call_and_a_table_must_not_name_different_targets() -> None:
    table = tl.table(pd.DataFrame({"x": X[:, 0], "y": TEXT, "z": TEXT}), target="y")
    with pytest.raises(OptionError, match="target 'y', and the call names 'z'"):
        tl.NaiveBayes().fit(table, "z")
    with pytest.raises(TargetError, match=r"declares the target 'y'.*Leave one"):
        tl.NaiveBayes().fit(table, TEXT)


def test_measures_come_in_every_form() -> None:
    y = [1.5, 2.0, 4.0, 2.5]
    for form in (list, np.array, pd.Series, pl.Series, pa.array):
        assert tl.DummyRegressor().fit(X, form(y)).predict(X[:1]).tolist() == [2.5]
    exact = pa.table({"x": X[:, 0], "y": pa.array([Decimal(str(v)) for v in y])})
    assert tl.DummyRegressor().fit(exact, "y").predict(exact).tolist() == [2.5] * 4


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (TEXT, r"the target has text \('b' in row 0\), and regression needs numbers"),
        ([dt.date(2024, 1, 1)] * 4, "the target has date"),
    ],
)
def test_a_regression_needs_numbers(y: Any, says: str) -> None:
    for source in (pd.DataFrame({"x": X[:, 0], "y": y}), pa.table({"x": X[:, 0], "y": y})):
        with pytest.raises(TargetError, match=says):
            tl.DummyRegressor().fit(source, "y")


def test_text_of_a_table_is_no_measure() -> None:
    table = tl.table(pd.DataFrame({"x": X[:, 0], "y": TEXT}))
    with pytest.raises(TargetError, match=r"has text \('b' in row 0\)"):
        tl.DummyRegressor().fit(table, "y")


# Weights


def test_weights_by_name_and_by_array_agree(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": X[:, 0], "w": [1, 2.5, 0, 3], "y": TEXT})
    frame.to_csv(tmp_path / "t.csv", index=False)
    expected = tl.NaiveBayes().fit(frame[["x"]], TEXT, sample_weight=frame.w).tally_
    for source in (frame, pl.from_pandas(frame), tl.table(frame), tmp_path / "t.csv"):
        assert tl.NaiveBayes().fit(source, "y", sample_weight="w").tally_ == expected
    counted = tl.NaiveBayes().fit(tl.table(frame, target="y", weight="w")).tally_
    assert counted.parts == {n: p for n, p in expected.parts.items() if n != "sample_weight"}


def test_one_weight_for_all_is_a_weight() -> None:
    assert tl.NaiveBayes().fit(X, TEXT, sample_weight=2).tally_ == (
        tl.NaiveBayes().fit(X, TEXT, sample_weight=[2] * 4).tally_
    )


@pytest.mark.parametrize(
    ("weight", "says"),
    [
        ([1, -2, 1, 1], r"is -2.0 in row 1, which is negative.*0 or more"),
        ([1, np.nan, 1, 1], "is nan in row 1, which is not finite"),
        ([1, 1, np.inf, 1], "is inf in row 2, which is not finite"),
        ([0, 0, 0, 0], "every row has weight zero"),
    ],
)
def test_a_weight_that_is_not_as_it_should_be_is_named(
    weight: Any, says: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=f"NaiveBayes.fit: .*{says}"):
        tl.NaiveBayes().fit(X, TEXT, sample_weight=weight)
    frame = pd.DataFrame({"x": X[:, 0], "w": weight, "y": TEXT})
    with pytest.raises(InputError, match=f"NaiveBayes.fit: .*{says}"):
        tl.NaiveBayes().fit(frame, "y", sample_weight="w")
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=f"NaiveBayes.fit: .*{says}"):
        tl.NaiveBayes().fit(tmp_path / "t.parquet", "y", sample_weight="w")
    frame.to_csv(tmp_path / "t.csv", index=False)
    for row in "21":  # the header is line 1
        says = says.replace(f"row {row}", f"row {int(row) + 2}")
    with pytest.raises(InputError, match=f"NaiveBayes.fit: .*{says}"):
        tl.NaiveBayes().fit(tmp_path / "t.csv", "y", sample_weight="w")


def test_weights_of_another_shape_or_kind_are_named() -> None:
    for weight, says in (
        ([1, 2], "2 values for 4 rows"),
        ([[1.0]] * 4, "2 dimensions"),
        ([[1], [1, 2], [1], [1]], "rows of different lengths"),
    ):
        with pytest.raises(InputError, match=says):
            tl.NaiveBayes().fit(X, TEXT, sample_weight=weight)
    with pytest.raises(InputError, match=r"is 'x' in row 0.*not a number"):
        tl.NaiveBayes().fit(X, TEXT, sample_weight=list("xxxx"))
    frame = pd.DataFrame({"x": X[:, 0], "w": list("abcd"), "y": TEXT})
    with pytest.raises(ColumnError, match=r"'w' has a value that is not a number in row 0 \('a'\)"):
        tl.NaiveBayes().fit(frame, "y", sample_weight="w")
    with pytest.raises(ColumnError, match=r"'v'.*'x', 'w', 'y'"):
        tl.NaiveBayes().fit(frame, "y", sample_weight="v")


# What is no number


@pytest.mark.parametrize(
    ("weight", "what"),
    [
        (["1", "2", "1", "1"], "'1' in row 0"),
        ([1, "two", 1, 1], "'two' in row 1"),
        (np.array([1, 2, 1, 1], dtype="M8[D]"), "in row 0"),
        (np.array([1, 2, 1, 1], dtype="m8[D]"), "in row 0"),
        (np.array([1, 2, 1, 1], dtype=complex), "in row 0"),
        ([1, dt.date(2026, 1, 1), 1, 1], "in row 1"),
        ([1, 1, None, 1], "None in row 2"),
        (np.array([1, 1, 1, "x"], dtype=object), "'x' in row 3"),
    ],
)
def test_weights_that_are_no_numbers_are_refused(weight: Any, what: str) -> None:
    with pytest.raises(InputError, match=f"sample_weight .*({what}).*not a number"):
        tl.NaiveBayes().fit(X, TEXT, sample_weight=weight)


@pytest.mark.parametrize(
    "weight",
    [[True, False, True, True], [1, 2.5, 1, 1], np.array([1, 2, 1, 1], dtype=np.uint8),
     np.array([1, 2.5, 1, 1], dtype=np.float16), [Decimal(1), Decimal(2), 1, 1],
     pd.Series([1, 2, 1, 1], dtype="Int64"), pa.array([1, 2, 1, 1])],
)  # fmt: skip
def test_weights_are_any_numbers(weight: Any) -> None:
    assert tl.NaiveBayes().fit(X, TEXT, sample_weight=weight).score(X, TEXT) >= 0


@pytest.mark.parametrize("values", [["x", "2", "1", "1"], [None, 1, 2, 3]])
def test_a_column_that_is_no_weight_is_named(values: list[Any]) -> None:
    table = tl.table({"x": [1, 2, 3, 4], "w": values, "y": TEXT})
    with pytest.raises(InputError, match=r"the weight 'w'.* in row 0"):
        tl.NaiveBayes().fit(table, "y", sample_weight="w")


def test_a_truth_column_is_a_weight() -> None:
    rows = {"x": [1, 2, 3, 4], "w": [True, True, True, False], "y": TEXT}
    direct = tl.NaiveBayes().fit(rows, "y", sample_weight="w")
    assert tl.NaiveBayes().fit(tl.table(rows), "y", sample_weight="w").tally_ == direct.tally_


@pytest.mark.parametrize(
    ("y", "what"),
    [
        (["1.5", "2", "3", "4"], r"text \('1.5' in row 0\)"),
        (np.array(["1.5", "2", "3", "4"], dtype=object), r"text \('1.5' in row 0\)"),
        ([1, 2, "3", 4], "text .*'3' in row 2"),
        (pa.array(["2 x 3", None, "3", "4"]), "text .*'2 x 3' in row 0"),
        (np.array([1, 2, 3, 4], dtype="M8[D]"), "date.* in row 0"),
        (np.array([1, 2, 3, 4], dtype="m8[D]"), "timedelta .* in row 0"),
        ([dt.date(2026, 1, 1)] * 4, "date .* in row 0"),
        (pa.array([dt.date(2026, 1, 1)] * 4), "date .* in row 0"),
        (np.array([1, 2, 3, 4], dtype=complex), "complex .* in row 0"),
        ([1, 2, 2**53 + 1, 4], r"9007199254740993 in row 2"),
        ([1, 2, 2**70 + 1, 4], r"in row 2"),
        ([1, 2.5, 2**53 + 1, 4], r"9007199254740993 in row 2"),
        (np.array([1, 2**63 + 1, 3, 4], dtype=np.uint64), r"9223372036854775809 in row 1"),
        (pa.array([1, 2, 2**53 + 1, 4]), r"9007199254740993 in row 2"),
        (pd.Series([1, 2, 2**53 + 1, 4], dtype="category"), r"9007199254740993 in row 2"),
        (pa.array([Decimal(2**53 + 1)] * 4), r"9007199254740993 in row 0"),
    ],
)
def test_what_is_no_measure_is_refused(y: Any, what: str) -> None:
    with pytest.raises(TargetError, match=what):
        tl.DummyRegressor().fit(X, y)
    table = pa.table({"x": X[:, 0], "y": y}) if isinstance(y, pa.Array) else None
    if table is not None:
        with pytest.raises(TargetError, match=what):
            tl.DummyRegressor().fit(table, "y")


@pytest.mark.parametrize(
    "y",
    [[2**60, 2, 3, 4], [2, 1.5, 3, 4], [Decimal("1.5")] * 4, [True, False, True, False],
     np.array([1, 2, 3, 4], dtype=np.float32), pd.Series([1, 2, 3, 4], dtype="Int64"),
     pa.array([Decimal("1.5")] * 4)],
)  # fmt: skip
def test_measures_are_any_numbers(y: Any) -> None:
    tl.DummyRegressor().fit(X, y)


def test_a_categorical_target_names_the_classes_of_its_rows_alone() -> None:
    """As scikit-learn has it; ``tl.table(classes=)`` names others."""
    named = pd.Series(pd.Categorical(["u", "v", "u", "v"], categories=["t", "u", "v", "w"]))
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 5.0], "y": named})
    arrow = pa.table({"x": pa.array(frame["x"]), "y": pa.Array.from_pandas(named)})
    enum = pl.DataFrame({"x": frame["x"].tolist()}).with_columns(
        y=pl.Series([*"uvuv"], dtype=pl.Enum(["t", "u", "v", "w"]))
    )
    for table in (frame, arrow, enum):
        assert tl.NaiveBayes().fit(table, "y").classes_.tolist() == ["u", "v"]
    assert tl.NaiveBayes().fit(frame[["x"]], named).classes_.tolist() == ["u", "v"]
    declared = tl.table(frame, target="y", classes=["t", "u", "v", "w"])
    assert tl.NaiveBayes().fit(declared).classes_.tolist() == ["t", "u", "v", "w"]


@pytest.mark.parametrize("kind", ["frame", "csv", "parquet"])
def test_a_measure_may_be_written_with_marks_and_a_currency(tmp_path: Path, kind: str) -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "y": ["$1,200.50", "$ 7", "($5)", "$0"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    table: Any = frame if kind == "frame" else tmp_path / f"t.{kind}"
    plain = frame.assign(y=[1200.5, 7.0, -5.0, 0.0])
    found = tl.DecisionTreeRegressor().fit(table, "y")
    assert (found.predict(plain) == tl.DecisionTreeRegressor().fit(plain, "y").predict(plain)).all()
    with pytest.raises(TargetError, match="text"):
        tl.DecisionTreeRegressor().fit(frame.assign(y=["$1", "€2", "$3", "$4"]), "y")


HIDDEN = [False, False, True, False]


@pytest.mark.parametrize(
    ("learner", "y"),
    [
        (tl.LinearRegression(), [1.0, 2.0, 99.0, 3.0]),
        (tl.LinearRegression(), [1, 2, 99, 3]),
        (tl.LinearRegression(), [[1.0, 2.0], [2.0, 1.0], [99.0, 1.0], [3.0, 1.0]]),
        (tl.KNeighborsRegressor(1), [1.0, 2.0, 99.0, 3.0]),
        (tl.NaiveBayes(), [0, 1, 1, 0]),
        (tl.NaiveBayes(), TEXT),
        (tl.CART(), [True, False, True, False]),
    ],
)
def test_a_masked_target_is_missing_at_every_door(learner: Any, y: list[Any]) -> None:
    model, hidden = learner.fit(X, np.array(y)), np.ma.masked_array(y)
    hidden[2] = np.ma.masked
    doors = [learner.fit, model.score]
    doors += [lambda X, y: tl.evaluate(learner, X, y, cv=2)]
    doors += [model.partial_fit] if hasattr(model, "partial_fit") else []
    for door in doors:
        with pytest.raises(TargetError, match=r"the target is (missing|\[nan, nan\]) in row 2"):
            door(X, hidden)


def test_a_mask_over_nothing_changes_nothing() -> None:
    y = [1.0, 2.0, 5.0, 3.0]
    for mask in (np.ma.nomask, [False] * 4):
        found = tl.LinearRegression().fit(X, np.ma.masked_array(y, mask=mask))
        assert found.coef_.tolist() == tl.LinearRegression().fit(X, y).coef_.tolist()


def test_a_masked_weight_or_group_is_missing() -> None:
    y, weight = [1.0, 2.0, 5.0, 3.0], np.ma.masked_array([1.0, 2.0, 1.0, 1.0], mask=HIDDEN)
    model = tl.KNeighborsRegressor(1).fit(X, y)
    for call in (
        lambda: tl.LinearRegression().fit(X, y, sample_weight=weight),
        lambda: model.score(X, y, sample_weight=weight),
        lambda: model.score(None, y, sample_weight=weight),
        lambda: tl.evaluate(tl.LinearRegression(), X, y, cv=2, sample_weight=weight),
    ):
        with pytest.raises(InputError, match="sample_weight is nan in row 2"):
            call()
    groups = np.ma.masked_array([1, 1, 2, 2], mask=HIDDEN)
    with pytest.raises(InputError, match="the group is missing in row 2"):
        tl.evaluate(tl.LinearRegression(), X, y, cv=2, groups=groups)


@pytest.mark.parametrize("learner", [tl.KNeighborsRegressor(1), tl.KNeighborsClassifier(1)])
def test_examples_that_are_asked_about_each_other_have_an_answer(learner: Any) -> None:
    model = learner.fit(X, [1, 2, 1, 2])
    with pytest.raises(TargetError, match="the target is missing in row 2"):
        model.score(None, np.ma.masked_array([1, 2, 1, 2], mask=HIDDEN))
