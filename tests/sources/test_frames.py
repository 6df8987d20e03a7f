"""Frames: pandas, polars, Arrow, DuckDB, and whatever else speaks Arrow."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, KindError

Y = ["a", "b", "a", "b"]
DATES = [dt.date(2024, 1, 1), None, dt.date(2024, 1, 3), dt.date(2024, 1, 5)]
TIMES = ["2024-01-01", None, "2024-01-03", "2024-01-05 12:00"]
DAYS = [19723.0, np.nan, 19725.0, 19727.5]


def one(frame: Any) -> Any:
    """The only column of a table: its kind, and its values as they are learned from."""
    table = tl.table(frame)
    (column,) = table.schema.columns
    assert column.name == "c"
    if column.kind == "category":
        return column.kind, table.block.codes["c"].items()
    return column.kind, table.block.numbers[:, 0].tolist()


def pandas(values: Any, **how: Any) -> pd.DataFrame:
    return pd.DataFrame({"c": pd.Series(values, **how)})


@pytest.mark.parametrize(
    "frame",
    [
        pandas(["x", "y", None, "x"], dtype=object),
        pandas(["x", "y", np.nan, "x"], dtype=object),
        pandas(["x", "y", pd.NA, "x"], dtype=object),
        pandas(["x", "y", None, "x"], dtype="str"),
        pandas(["x", "y", None, "x"], dtype="string"),
        pandas(["x", "y", None, "x"], dtype=pd.ArrowDtype(pa.string())),
        pandas(pd.Categorical(["x", "y", None, "x"], categories=["z", "y", "x"])),
        pandas(["x", "y", None, "x"], index=[1, 1, 2, 2]),
        pandas(["x", "y", None, "x"], index=pd.MultiIndex.from_product([[1, 2], ["a", "b"]])),
        pl.DataFrame({"c": ["x", "y", None, "x"]}),
        pl.DataFrame({"c": ["x", "y", None, "x"]}, schema={"c": pl.Categorical}),
        pl.DataFrame({"c": ["x", "y", None, "x"]}, schema={"c": pl.Enum(["z", "y", "x"])}),
        pa.table({"c": ["x", "y", None, "x"]}),
        pa.record_batch({"c": ["x", "y", None, "x"]}),
        pa.table({"c": pa.array(["x", "y", None, "x"], pa.string_view())}),
        pa.table({"c": pa.array(["x", "y", None, "x"], pa.large_string())}),
        pa.table({"c": pa.array(["x", "y", None, "x"], pa.large_string()).dictionary_encode()}),
    ],
)
def test_text_is_a_category(frame: Any) -> None:
    assert one(frame) == ("category", ["x", "y", None, "x"])
    model = tl.NaiveBayes().fit(frame, Y)
    assert model.tally_ == tl.NaiveBayes().fit([{"c": v} for v in ("x", "y", None, "x")], Y).tally_
    assert list(model.predict(frame)) == ["a", "b", "a", "a"]


def test_categories_that_do_not_occur_leave_no_trace() -> None:
    frame = pandas(pd.Categorical([1, 2, None, 1], categories=[1, 2, 3]))
    assert one(frame) == ("category", ["1", "2", None, "1"])
    assert (
        tl.NaiveBayes().fit(frame, Y).tally_
        == tl.NaiveBayes().fit(pandas(pd.Categorical([1, 2, None, 1])), Y).tally_
    )


def test_the_intervals_of_cut_are_categories() -> None:
    kind, values = one(pd.DataFrame({"c": pd.cut([1.0, 2.0, 3.0, 4.0], 2)}))
    assert (kind, values[0], len(set(values))) == ("category", "(0.997, 2.5]", 2)


def test_dictionaries_that_differ_by_chunk_are_brought_together() -> None:
    chunks = [pa.array(part).dictionary_encode() for part in (["x", "y"], ["z", "x"])]
    table = pa.table({"c": pa.chunked_array(chunks)})
    assert one(table) == ("category", ["x", "y", "z", "x"])


def test_a_dictionary_may_hold_a_value_twice_or_none() -> None:
    at = pa.array([0, 1, 2, 3])
    values = pa.array(["x", None, "x", "y"])
    table = pa.table({"c": pa.DictionaryArray.from_arrays(at, values)})
    assert one(table) == ("category", ["x", None, "x", "y"])


@pytest.mark.parametrize(
    "frame",
    [
        pandas([True, False, None, True], dtype="boolean"),
        pandas([True, False, None, True], dtype=object),
        pl.DataFrame({"c": [True, False, None, True]}),
        pa.table({"c": [True, False, None, True]}),
    ],
)
def test_truth_is_a_category_of_two(frame: Any) -> None:
    assert one(frame) == ("category", ["True", "False", None, "True"])
    assert tl.table(frame).schema.columns[0].values == ("False", "True")


@pytest.mark.parametrize(
    "frame",
    [
        pandas([1, 2.5, np.nan, 4]),
        pandas([1, 2.5, None, 4], dtype="float32"),
        pandas([1, 2.5, None, 4], dtype="Float64"),
        pandas([1, 2.5, None, 4], dtype=object),
        pandas([Decimal("1"), Decimal("2.5"), None, Decimal("4")], dtype=object),
        pl.DataFrame({"c": [1.0, 2.5, float("nan"), 4]}),
        pl.DataFrame({"c": [1.0, 2.5, None, 4]}),
        pl.DataFrame({"c": [Decimal("1.0"), Decimal("2.5"), None, Decimal("4.0")]}),
        pa.table({"c": [1, 2.5, float("nan"), 4]}),
        pa.table({"c": pa.array([1, 2.5, None, 4], pa.float32())}),
        pa.table({"c": pa.array([Decimal("1.00"), Decimal("2.50"), None, Decimal("4.00")])}),
    ],
)
def test_nan_and_null_are_one_missing(frame: Any) -> None:
    kind, values = one(frame)
    assert kind == "number"
    np.testing.assert_array_equal(values, [1, 2.5, np.nan, 4])


@pytest.mark.parametrize("dtype", ["Int64", "int64", "uint8", "Int8"])
def test_integers_are_numbers(dtype: str) -> None:
    assert one(pandas([1, 2, 3, 4], dtype=dtype)) == ("number", [1, 2, 3, 4])


@pytest.mark.parametrize(
    "frame",
    [
        pandas(pd.to_datetime(TIMES, format="mixed")),
        pandas(pd.to_datetime(TIMES, format="mixed").tz_localize("UTC")),
        pandas(pd.to_datetime(TIMES, format="mixed").tz_localize("Europe/Berlin")),
        pl.from_pandas(pandas(pd.to_datetime(TIMES, format="mixed"))),
        pa.table({"c": pa.array(pd.to_datetime(TIMES, format="mixed"), pa.timestamp("ms"))}),
    ],
)
def test_a_date_is_a_number_of_days(frame: Any) -> None:
    kind, values = one(frame)
    assert kind == "date"
    berlin = "Berlin" in str(getattr(frame, "dtypes", ""))
    expected = [days - 1 / 24 if berlin else days for days in DAYS]
    np.testing.assert_allclose(values, expected)


@pytest.mark.parametrize(
    ("values", "days"),
    [
        (DATES, [19723, np.nan, 19725, 19727]),
        ([dt.timedelta(1), None, dt.timedelta(2), dt.timedelta(hours=6)], [1, np.nan, 2, 0.25]),
        ([dt.time(12), None, dt.time(6), dt.time(0)], [0.5, np.nan, 0.25, 0]),
    ],
)
def test_days_durations_and_times_of_day_are_days(values: Any, days: list[float]) -> None:
    for frame in (pl.DataFrame({"c": values}), pa.table({"c": values})):
        kind, found = one(frame)
        assert kind == "date"
        np.testing.assert_array_equal(found, days)
    seconds = pa.table({"c": pa.array([dt.time(12), None], pa.time32("s"))})
    np.testing.assert_array_equal(one(seconds)[1], [0.5, np.nan])


def test_a_lazy_frame_is_collected() -> None:
    lazy = pl.LazyFrame({"c": [1, 2, 3]}).filter(pl.col("c") > 1)
    assert len(tl.table(lazy)) == 2


def test_a_frame_without_a_stream_does_not_lose_its_names_in_silence() -> None:
    class Frame:
        columns = ("c",)

        def to_arrow(self) -> pa.Table:
            return pa.table({"c": [1.0, 2.0]})

        def __array__(self, *_: object, **__: object) -> Any:
            return np.array([[1.0], [2.0]])

    with pytest.raises(KindError, match=r"NaiveBayes.fit: a Frame .* Pass X\.to_arrow\(\)"):
        tl.NaiveBayes().fit(Frame(), ["a", "b"])
    assert tl.NaiveBayes().fit(Frame().to_arrow(), ["a", "b"]).feature_names_in_.tolist() == ["c"]


def test_streams_of_arrow_are_read() -> None:
    class Stream:
        def __init__(self, table: pa.Table) -> None:
            self.table = table

        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return self.table.__arrow_c_stream__(requested_schema)

    table = pa.table({"c": ["x", "y", None, "x"]})
    assert one(Stream(table)) == one(table.to_reader(2)) == one(table)


def test_duckdb_relations_are_read() -> None:
    rows = "('x', 1.5::double, date '2024-01-01'), ('y', 'nan'::double, null), (null, null, null)"
    table = tl.table(duckdb.sql(f"select * from (values {rows}) t(a, b, c)"))
    assert [column.kind for column in table.schema.columns] == ["category", "number", "date"]
    assert table.block.codes["a"].items() == ["x", "y", None]
    np.testing.assert_array_equal(
        table.block.numbers, [[1.5, 19723], [np.nan, np.nan], [np.nan, np.nan]]
    )


def test_enums_of_duckdb_are_categories() -> None:
    relation = duckdb.sql("select a::enum('z', 'x') as c from (values ('x'), (null), ('z')) t(a)")
    assert one(relation) == ("category", ["x", None, "z"])


def test_names_that_are_not_text_are_no_names() -> None:
    model = tl.NaiveBayes().fit(pd.DataFrame(np.arange(8.0).reshape(4, 2)), Y)
    assert not hasattr(model, "feature_names_in_")
    with pytest.raises(KindError, match=r"names are not text.*astype\(str\)"):
        tl.table(pd.DataFrame({"a": [1.0], 1: [2.0]}))


def test_names_that_occur_twice_are_named() -> None:
    pairs = pd.DataFrame([[1, "x"]], columns=["a", "a"])
    arrow = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    for frame in (pairs, arrow):
        with pytest.raises(ColumnError, match="table: the table has several columns named 'a'"):
            tl.table(frame)


@pytest.mark.parametrize(
    ("values", "error", "says"),
    [
        ([1, "x", 2], ColumnError, "'c' mixes int and str: 'x' in row 1. Convert"),
        (["x", pd.NA, 2], ColumnError, "'c' mixes str and int: 2 in row 2"),
        ([1, 2j, 3], KindError, r"'c' has 2j in row 1|'c' has \(1\+0j\) in row 0"),
        ([Fraction(1, 2)] * 3, KindError, r"'c' has Fraction\(1, 2\) in row 0, of type Fraction"),
        ([[1], [2], [3]], ColumnError, r"'c' holds list.*ignore=\['c'\]"),
        ([b"x", b"y", b"z"], ColumnError, "'c' holds binary"),
        (pd.period_range("2024", periods=3, freq="M"), ColumnError, "'c' holds .*period"),
        (pd.arrays.SparseArray([0.0, 0.0, 1.0]), KindError, r"'c' is sparse.*to_dense\(\)"),
    ],
)
def test_columns_of_another_kind_are_named(values: Any, error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        tl.NaiveBayes().fit(pd.DataFrame({"c": values}), ["a", "b", "a"])


def test_one_column_is_no_table() -> None:
    for column in (pd.Series([1.0, 2.0]), pl.Series([1.0, 2.0]), pa.array([1.0, 2.0])):
        with pytest.raises(InputError, match="Expected 2D array, got 1D array"):
            tl.table(column)


def test_a_large_frame_of_categories_is_not_decoded() -> None:
    codes = np.random.default_rng(0).integers(0, 20, 1_000_000)
    values = pd.Categorical.from_codes(codes, [f"value {i}" for i in range(20)])
    table = tl.table(pd.DataFrame({"c": values}))
    np.testing.assert_array_equal(table.block.codes["c"].codes, codes)


class DaskCollection:
    """What Dask's collections have in common: a task graph, and NumPy's conversion."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __dask_graph__(self) -> dict[str, Any]:
        return {}

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self.values

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)


class DaskFrame(DaskCollection):
    columns = ("a", "y")

    def to_parquet(self, folder: str) -> None: ...


@pytest.mark.parametrize(
    ("call", "remedy"),
    [
        (lambda X, y: tl.NaiveBayes().fit(DaskFrame(X), "y"), r"to_parquet\('folder'"),
        (lambda X, y: tl.NaiveBayes().fit(DaskCollection(X), y), r"X\.compute\(\)"),
        (lambda X, y: tl.NaiveBayes().fit(X, DaskCollection(y)), r"X\.compute\(\)"),
        (lambda X, y: tl.NaiveBayes().fit(X, y, DaskCollection(y)), r"X\.compute\(\)"),
        (lambda X, y: tl.NaiveBayes().fit(X, y).predict(DaskCollection(X)), r"X\.compute\(\)"),
        (lambda X, y: tl.table(DaskFrame(X)), r"'folder/\*\.parquet'"),
        (lambda X, y: tl.evaluate(tl.NaiveBayes(), X, DaskCollection(y)), r"X\.compute\(\)"),
    ],
)
def test_a_dask_collection_is_refused_with_a_remedy(call: Any, remedy: str) -> None:
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2
    with pytest.raises(KindError, match=f"a Dask collection .*{remedy}"):
        call(X, y)


def test_the_index_that_dask_writes_is_no_column(tmp_path: Any) -> None:
    rows = pd.DataFrame({"a": [1.0, 2.0], "y": ["u", "v"], "__null_dask_index__": [0, 1]})
    rows.to_parquet(tmp_path / "part.0.parquet", index=False)
    assert tl.table(tmp_path / "*.parquet", target="y").schema.names == ("a",)
    assert tl.table(pa.Table.from_pandas(rows), target="y").schema.names == ("a",)
