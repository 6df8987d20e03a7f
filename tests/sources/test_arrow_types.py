"""Every type that Arrow has is read rightly, or refused with the column, the type and a remedy."""

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, TallyError

N = 12


def some(kind: Any, *values: Any) -> Any:
    return pa.array([values[i % len(values)] for i in range(N)], kind)


def coded(values: Any) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array([0, 1] * (N // 2), pa.int8()), values)


def wrapped(kind: Any, storage: Any) -> Any:
    return pa.ExtensionArray.from_storage(kind, storage)


def known(name: str, *args: Any) -> list[Any]:
    """A type that older versions of Arrow lack, if this one has it."""
    return [getattr(pa, name)(*args)] if hasattr(pa, name) else []


UTC = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
READ = {
    **{str(t): some(t, 1, 2, None, 4) for t in (
        pa.int8(), pa.int16(), pa.int32(), pa.int64(),
        pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.float32(), pa.float64(),
    )},
    "half": some(pa.float32(), 1.5, None, 2.5).cast(pa.float16()),
    "bool": some(pa.bool_(), True, False, None),
    "null": pa.nulls(N),
    **{str(t): some(t, "ab", "cd", None) for t in (
        pa.string(), pa.large_string(), pa.string_view(),
    )},
    **{str(t): some(t, Decimal("1.5"), None, Decimal(3)) for t in (
        *known("decimal32", 8, 2), *known("decimal64", 8, 2),
        pa.decimal128(8, 2), pa.decimal256(8, 2),
    )},
    "date": some(pa.date32(), dt.date(2020, 1, 1), None, dt.date(2021, 1, 1)),
    "date64": some(pa.date64(), dt.date(2020, 1, 1), None),
    **{f"timestamp {u}": some(pa.timestamp(u), UTC, None) for u in ("s", "ms", "us", "ns")},
    "zoned": some(pa.timestamp("us", "Europe/Berlin"), UTC, None),
    "duration": some(pa.duration("ms"), dt.timedelta(1), None),
    "time32": some(pa.time32("s"), dt.time(1), None),
    "time64": some(pa.time64("ns"), dt.time(1), None),
    "runs": pa.RunEndEncodedArray.from_arrays([5, N], ["a", "b"]),
    "runs of numbers": pa.RunEndEncodedArray.from_arrays(pa.array([5, N], pa.int16()), [1.5, None]),
    "coded text": coded(["a", "b"]),
    "coded view": coded(pa.array(["a", "b"], pa.string_view())),
    "coded numbers": coded([1, 2]),
    "coded nothing": coded(["a", None]),
}  # fmt: skip
REFUSED = {
    **{str(t): some(t, b"ab", b"cd", None) for t in (
        pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(2),
    )},
    "interval": some(pa.month_day_nano_interval(), (1, 2, 3), None),
    **{str(t): some(t, [1, 2], None) for t in (
        pa.list_(pa.int8()), pa.large_list(pa.int8()), pa.list_(pa.int8(), 2),
        pa.list_view(pa.int8()), pa.large_list_view(pa.int8()),
    )},
    "struct": some(pa.struct({"a": pa.int8()}), {"a": 1}, None),
    "map": some(pa.map_(pa.string(), pa.int8()), [("a", 1)]),
    "dense union": pa.UnionArray.from_dense(
        pa.array([0] * N, pa.int8()), pa.array(range(N), pa.int32()), [pa.array(range(N))]
    ),
    "sparse union": pa.UnionArray.from_sparse(pa.array([0] * N, pa.int8()), [pa.array(range(N))]),
    "runs of lists": pa.RunEndEncodedArray.from_arrays([N], pa.array([[1]])),
    "coded bytes": coded(pa.array([b"a", b"b"])),
    "coded lists": coded(pa.array([[1], [2]])),
    "decimals of many places": pa.nulls(N, pa.decimal128(5, -(2**20))),
    **{str(t): wrapped(t, some(pa.binary(16), b"0123456789abcdef")) for t in known("uuid")},
    **{str(t): wrapped(t, some(pa.int8(), 1, 2)) for t in known("opaque", pa.int8(), "a", "b")},
    **{str(t): wrapped(t, some(pa.int8(), 0, 1)) for t in known("bool8")},
    "tensor": wrapped(
        pa.fixed_shape_tensor(pa.int32(), [2]), some(pa.list_(pa.int32(), 2), [1, 2])
    ),
}  # fmt: skip
EVERY = READ | REFUSED


def table(column: Any) -> Any:
    return pa.table({"x": np.arange(N) / 2, "c": column, "y": ["u", "v"] * (N // 2)})


ROLES: dict[str, Any] = {
    "categories": lambda t: tl.table(t, target="y", categories=["c"]),
    "text": lambda t: tl.table(t, target="y", text=["c"]),
    "dates": lambda t: tl.table(t, target="y", dates=["c"]),
    "parts": lambda t: tl.table(t, target="y", dates={"c": ["year", "month", "weekday", "hour"]}),
    "missing": lambda t: tl.table(t, target="y", missing=["ab", 1, 1.5]),
    "weight": lambda t: tl.table(t, target="y", weight="c"),
    "target": lambda t: tl.NaiveBayes().fit(t.select(["x", "c"]), "c"),
    "measure": lambda t: tl.DummyRegressor().fit(t.select(["x", "c"]), "c"),
    "y": lambda t: tl.NaiveBayes().fit(t.select(["x"]), t["c"]),
    "sample_weight": lambda t: tl.NaiveBayes().fit(t.select(["x"]), list("uv" * 6), t["c"]),
    "groups": lambda t: tl.evaluate(tl.NaiveBayes(), tl.table(t, target="y", groups="c"), cv=2),
    "order": lambda t: tl.evaluate(tl.NaiveBayes(), t, "y", cv=tl.Folds.forward(2, order="c")),
    "by": lambda t: tl.evaluate(tl.NaiveBayes(), t, "y", cv=2, by="c"),
    "learned": lambda t: tl.DecisionTreeClassifier().fit(t, "y").predict(t),
}


@pytest.mark.parametrize("name", READ)
def test_a_type_that_a_column_can_have_is_read(name: str) -> None:
    assert tl.table(table(READ[name]), target="y").schema.names == ("x", "c")


@pytest.mark.parametrize("name", REFUSED)
def test_a_type_that_no_column_can_have_is_named(name: str) -> None:
    column = REFUSED[name]
    with pytest.raises(ColumnError) as refused:
        tl.table(table(column), target="y")
    assert "column 'c'" in str(refused.value)
    assert str(column.type) in str(refused.value)
    assert "ignore=['c']" in str(refused.value)
    assert tl.table(table(column), target="y", ignore=["c"]).schema.names == ("x",)


@pytest.mark.parametrize("role", ROLES)
def test_no_type_in_no_role_ends_in_a_foreign_error(role: str) -> None:
    for column in EVERY.values():
        try:
            ROLES[role](table(column))
        except TallyError:
            continue


@pytest.mark.parametrize("learned", ["int64", "string", "bool", "date", "coded text", "null"])
def test_a_column_that_comes_back_as_any_type_ends_in_no_foreign_error(learned: str) -> None:
    tree = tl.DecisionTreeClassifier().fit(table(READ[learned]), "y")
    for column in EVERY.values():
        try:
            tree.predict(table(column))
        except TallyError:
            continue


def test_runs_are_read_as_what_they_run_over() -> None:
    runs = pa.RunEndEncodedArray.from_arrays([5, N], ["a", "b"])
    plain = pa.array(["a"] * 5 + ["b"] * (N - 5))
    assert tl.table(table(runs)).block.codes["c"].items() == plain.to_pylist()


def test_a_type_that_python_has_no_column_for_is_named(tmp_path: Path) -> None:
    """A month interval, which only a file or a stream can bring."""
    days = some(pa.month_day_nano_interval(), (1, 2, 3))
    sink = io.BytesIO()
    whole = pa.table({"a": np.arange(N), "c": days})
    with pa.ipc.new_stream(sink, whole.schema) as writer:
        writer.write_table(whole)
    path = tmp_path / "months.arrow"
    for at in range(60, 130):  # where the flatbuffer says which interval
        data = bytearray(sink.getvalue())
        data[at] = 0
        path.write_bytes(data)
        if "month_interval" in _types(path):
            break
    for source in (path, pa.ipc.open_stream(path).read_all()):
        with pytest.raises(ColumnError, match=r"'c' holds month_interval.*ignore=\['c'\]"):
            tl.table(source)
        assert tl.table(source, ignore=["c"]).schema.names == ("a",)


def _types(path: Path) -> list[str]:
    try:
        return [str(kind) for kind in pa.ipc.open_stream(path).schema.types]
    except (pa.ArrowException, OSError):
        return []


def test_an_interval_of_duckdb_is_named() -> None:
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.sql("select i as x, interval (i) day as wait, 'u' as y from range(4) t(i)")
    with pytest.raises(ColumnError, match=r"'wait' holds month_day_nano_interval.*ignore="):
        tl.NaiveBayes().fit(rows, "y")


def test_a_half_may_stand_for_a_missing_value() -> None:
    read = tl.table(table(READ["half"]), target="y", missing=[1.5])
    np.testing.assert_array_equal(read.block.numbers[:3, 1], [np.nan, np.nan, 2.5])


def test_a_class_is_no_array_of_one_value() -> None:
    y = np.empty(2, dtype=object)
    y[:] = [np.array([1]), np.array([2])]
    with pytest.raises(TallyError, match=r"the target has .*Classes are text or whole numbers"):
        tl.NaiveBayes().fit([[1.0], [2.0]], y)
