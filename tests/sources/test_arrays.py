"""Arrays, lists and dicts."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, KindError, TallyError

Y = ["a", "b", "a", "b"]
X = np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 4.0], [3.0, 9.0]])
READ_ONLY = X.copy()
READ_ONLY.setflags(write=False)


class Arrayed:
    """Has nothing but ``__array__``."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self._array, dtype=dtype)


@pytest.mark.parametrize(
    "numbers",
    [
        X.astype(np.int64),
        X.astype(np.uint8),
        X.astype(np.float32),
        X.astype(np.float16),
        X.astype(np.longdouble),
        X.astype(">f8"),
        X.astype(object),
        np.asfortranarray(X),
        np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        READ_ONLY,
        np.ma.masked_array(X, mask=False),
        Arrayed(X),
        X.tolist(),
        [tuple(row) for row in X],
        list(X),
    ],
)
def test_numbers_are_the_same_numbers_in_every_form(numbers: Any) -> None:
    model, plain = tl.NaiveBayes().fit(numbers, Y), tl.NaiveBayes().fit(X, Y)
    assert model.tally_ == plain.tally_
    assert model.schema_ == plain.schema_
    np.testing.assert_array_equal(model.predict_proba(numbers), plain.predict_proba(X))


def test_a_matrix_is_taken_as_it_is() -> None:
    assert tl.table(X).block.numbers is X


def test_numbers_in_arrays_need_no_arrow() -> None:
    code = (
        "import sys, numpy as np, tallylearn as tl\n"
        "X = np.arange(8.0).reshape(4, 2)\n"
        "tl.NaiveBayes().fit(X, np.array([0, 1, 0, 1])).predict(X[:1])\n"
        "sys.exit('pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def kinds(source: Any) -> dict[str, str]:
    return {column.name: column.kind for column in tl.table(source).schema.columns}


@pytest.mark.parametrize(
    "rows",
    [
        np.array([[1, "x"], [2, "y"], [3, "x"], [None, None]], dtype=object),
        [[1, "x"], [2, "y"], [3, "x"], [None, None]],
        [(1.0, "x"), (2, "y"), (3, "x"), (float("nan"), None)],
    ],
)
def test_rows_of_numbers_and_text(rows: Any) -> None:
    assert kinds(rows) == {"x0": "number", "x1": "category"}
    block = tl.table(rows).block
    np.testing.assert_array_equal(block.numbers[:, 0], [1, 2, 3, np.nan])
    assert block.codes["x1"].items() == ["x", "y", "x", None]
    assert not hasattr(tl.NaiveBayes().fit(rows, Y), "feature_names_in_")


def test_truth_values_are_categories() -> None:
    table = tl.table(X > 3)
    assert [column.kind for column in table.schema.columns] == ["category"] * 2
    assert table.block.codes["x0"].items() == ["False", "False", "True", "False"]


def test_masked_cells_are_missing() -> None:
    mask = np.zeros((4, 2), dtype=bool)
    mask[1, 0] = True
    for array in (X, X.astype(int)):
        block = tl.table(np.ma.masked_array(array, mask=mask)).block
        np.testing.assert_array_equal(block.numbers[:, 0], [1, np.nan, 4, 3])
    rows = [np.ma.masked_array([1.0, 9.0], mask=[False, True]), np.ma.masked_array([2.0, 3.0])]
    np.testing.assert_array_equal(tl.table(rows).block.numbers[:, 1], [np.nan, 3])


def test_masked_cells_of_any_type_are_missing() -> None:
    hidden = [False, True, False, False]
    text = np.ma.masked_array(["u", "v", "u", "w"], mask=hidden)
    names = np.ma.masked_array(np.array(["u", "v", "u", "w"], dtype=object), mask=hidden)
    days = np.ma.masked_array(np.arange(4).astype("M8[ns]"), mask=hidden)
    block = tl.table({"text": text, "names": names, "day": days, "x": X[:, 0]}).block
    assert block.codes["text"].items() == block.codes["names"].items() == ["u", None, "u", "w"]
    assert np.isnan(block.numbers[:, block.schema.places["day"]]).tolist() == hidden
    large = np.ma.masked_array([[2**53 + 1], [2], [3], [4]], mask=[[h] for h in hidden])
    with pytest.raises(ColumnError, match="9007199254740993"):
        tl.NaiveBayes().fit(large, Y)


def test_a_structured_array_is_read_through_no_mask() -> None:
    fields = [("a", float), ("y", float)]
    rows = np.ma.masked_array([(1, 2), (2, 3), (3, 99), (99, 5)], dtype=fields)
    rows.mask["y"][2] = rows.mask["a"][3] = True
    found = tl.LinearRegression(missing="mean").fit(rows, "y")
    assert found.unanswered_.rows == 1
    assert found.model_.mean.tolist() == [1.5]


def test_structured_arrays_have_names() -> None:
    fields = [("a", float), ("b", "U1")]
    rows = np.array([(1, "x"), (2, "y"), (3, "x"), (4, "y")], dtype=fields)
    assert kinds(rows) == {"a": "number", "b": "category"}
    assert list(tl.NaiveBayes().fit(rows, Y).feature_names_in_) == ["a", "b"]
    assert list(tl.NaiveBayes().fit(rows, "b").classes_) == ["x", "y"]


@pytest.mark.parametrize(
    "documents",
    [
        ["good", "very bad", None],
        ("good", "very bad", None),
        np.array(["good", "very bad", None], dtype=object),
        pd.Series(["good", "very bad", None]),
        pl.Series(["good", "very bad", None]),
        pa.array(["good", "very bad", None]),
        pa.chunked_array([["good"], ["very bad", None]]),
    ],
)
def test_strings_in_a_row_are_documents(documents: Any) -> None:
    table = tl.table(documents)
    assert kinds(documents) == {"text": "text"}
    assert table.block.text["text"].to_pylist() == ["good", "very bad", None]
    assert not table.schema.named


def test_numpy_strings_are_documents() -> None:
    assert kinds(np.array(["good", "very bad"])) == {"text": "text"}
    assert tl.table(["good", "bad"], categories=["text"]).schema.columns[0].kind == "category"


def test_rows_as_dicts_have_the_columns_of_all_of_them() -> None:
    rows = [{"a": 1, "b": "x"}, {"a": 2}, {"b": "y", "c": True}, {"a": 3, "b": "x"}]
    assert kinds(rows) == {"a": "number", "b": "category", "c": "category"}
    block = tl.table(rows).block
    np.testing.assert_array_equal(block.numbers[:, 0], [1, 2, np.nan, 3])
    assert block.codes["c"].items() == [None, None, "True", None]
    with pytest.raises(InputError, match="row 1 of a list of dicts is 3"):
        tl.table([{"a": 1}, 3])


def test_a_dict_holds_columns_or_one_row() -> None:
    columns = {"a": [1, 2, 3, 4], "b": ("x", "y", "x", "y"), "c": np.arange(4.0)}
    model = tl.NaiveBayes().fit(columns, Y)
    assert kinds(columns) == {"a": "number", "b": "category", "c": "number"}
    one = model.predict({"a": 1, "b": "x", "c": 0.0})
    assert list(one) == list(model.predict(columns)[:1])


def test_a_dict_may_hold_series() -> None:
    columns = {"a": pd.Series([1, None]), "b": pl.Series(["x", "y"]), "c": pa.array([1, 2])}
    assert kinds(columns) == {"a": "number", "b": "category", "c": "number"}
    columns = {"a": pl.Series([1.0, float("nan")])}
    np.testing.assert_array_equal(tl.table(columns).block.numbers[:, 0], [1, np.nan])
    columns = {"a": pd.Index([1.5, 2]), "b": pd.Categorical(["x", "y"])}
    assert kinds(columns) == {"a": "number", "b": "category"}


@pytest.mark.parametrize("rows", [[[1, 2], [3]], [[1, "x"], [2]], [["x"], ["y", "z"]]])
def test_ragged_rows_are_named(rows: Any) -> None:
    with pytest.raises(InputError, match=r"NaiveBayes.fit: row 1 has \d cells, and row 0 has \d"):
        tl.NaiveBayes().fit(rows, ["a", "b"])


def test_columns_of_different_lengths_are_named() -> None:
    with pytest.raises(InputError, match=r"different lengths: \{'a': 2, 'b': 1\}"):
        tl.table({"a": [1, 2], "b": [1]})


@pytest.mark.parametrize("form", [scipy.sparse.csr_matrix, scipy.sparse.coo_array])
def test_sparse_matrices_are_refused_with_the_remedy(form: Any) -> None:
    with pytest.raises(KindError, match=r"NaiveBayes.fit: a sparse matrix .*tl\.table\(X\)"):
        tl.NaiveBayes().fit(form(np.eye(4)), Y)


@pytest.mark.parametrize("thing", [None, 3, len, {1, 2}, np.float64(1)])
def test_things_that_are_no_table_are_refused(thing: Any) -> None:
    with pytest.raises(KindError, match=r"NaiveBayes.fit: a table was expected.* Pass a frame"):
        tl.NaiveBayes().fit(thing, Y)


def test_arrays_of_other_dimensions_are_refused_with_the_remedy() -> None:
    with pytest.raises(InputError, match=r"got 1D array.*reshape\(-1, 1\)"):
        tl.table(X[:, 0])
    with pytest.raises(InputError, match=r"3 dimensions.*reshape\(len\(X\), -1\)"):
        tl.table(X.reshape(2, 2, 2))
    with pytest.raises(InputError, match="complex numbers"):
        tl.table(X * 1j)


LARGE = 2**53 + 1


@pytest.mark.parametrize("value", [LARGE, -LARGE, 2**63 - 1, 2**64 - 1, 2**63 + 1, 10**30 + 1])
def test_integers_that_a_double_cannot_hold_are_named(value: int) -> None:
    for source in (
        np.array([[1], [value]]),
        [[1], [value]],
        [[1.5], [value]],
        {"x0": [1, value]},
        np.array([[1], [value]], dtype=object),
        pd.DataFrame({"x0": [1, value]}),
        pd.DataFrame({"x0": [1, value], "b": ["x", "y"]}),
    ):
        if isinstance(source, np.ndarray) and source.dtype.kind == "f":
            continue  # NumPy has made doubles of them
        with pytest.raises(ColumnError, match=rf"'x0' has {value} in row 1, an integer that a"):
            tl.table(source)


@pytest.mark.parametrize("value", [LARGE, 2**64 - 1, 10**30 + 1])
def test_the_remedies_for_large_integers_work(value: int) -> None:
    frame = pd.DataFrame({"id": [1, value], "a": [1.0, 2.0]})
    table = tl.table(frame, categories=["id"])
    assert table.block.codes["id"].items() == ["1", str(value)]
    assert tl.table(frame, ignore=["id"]).schema.names == ("a",)


def test_large_numbers_that_a_double_holds_are_taken() -> None:
    for value in (2**53, -(2**53), 2**60, 2**70):
        assert tl.table({"a": [1, value]}).block.numbers[1, 0] == value


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[["a"], "b", "c", "d"]], r"row 0 has a list in column 'x0' \(\['a'\]\)"),
        ([[1, 2], [3, (4, 5)]], r"row 1 has a tuple in column 'x1' \(\(4, 5\)\)"),
        (["ab", ["c", "d"]], "row 1 has 2 cells, and row 0 has 1"),
    ],
)
def test_a_cell_holds_one_value(rows: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tl.table(rows)


def test_half_a_surrogate_pair_is_our_error() -> None:
    with pytest.raises(TallyError):
        tl.NaiveBayes().fit([{"c": "\ud83e", "y": "a"}, {"c": "x", "y": "b"}], "y")


def test_gaps_among_text_and_floats_stay_gaps() -> None:
    rows = [{"c": "x", "f": 1.5}, {"c": None, "f": None}, {"c": "", "f": float("nan")}] * 4
    table = tl.table(rows)
    assert table.block.codes["c"].items()[:3] == ["x", None, None]
    assert np.isnan(table.block.numbers[1:3, 0]).all()
    assert table.block.numbers[0, 0] == 1.5


def test_arrays_of_as_many_columns_have_one_schema() -> None:
    """To look at them again would take longer than many a fit."""
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20.0)
    first, second = (tl.LinearRegression().fit(rows, y).schema_ for rows in (X, X[::-1]))
    assert first is second
    assert first == tl.table(X).schema
    assert first != tl.LinearRegression().fit(X[:, :2], y).schema_
    declared = tl.LinearRegression().fit(tl.table(X, categories=["x0"], keep=["x0"]), y)
    assert declared.schema_.categories == ("x0",)
