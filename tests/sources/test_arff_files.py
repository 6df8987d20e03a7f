"""ARFF: what Weka writes, dense and sparse, read as it means it, or refused."""

from __future__ import annotations

import gzip
import io
import pickle
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.io import arff as scipy_arff

import tallylearn as tl
from tallylearn.errors import ColumnError, FileError, InputError, TallyError
from tallylearn.sources.files import arff as arff_files

HEAD = "@relation t\n@attribute a numeric\n@attribute b {u,v,w}\n"


def read(path: Path, **declared: Any) -> dict[str, list[Any]]:
    tables = [*tl.table(path, **declared).raw()]  # type: ignore[attr-defined]
    return pa.concat_tables(tables).to_pydict() if tables else {}


def written(folder: Path, text: str, name: str = "t.arff", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


READ: dict[str, tuple[str, dict[str, list[Any]]]] = {
    "plain rows": (f"{HEAD}@data\n1,u\n2.5,v\n-1e3,w\n", {"a": [1, 2.5, -1000], "b": [*"uvw"]}),
    "letters of any case": (
        "@RELATION T\n@ATTRIBUTE a REAL\n@Attribute b INTEGER\n@DATA\n1,2\n", {"a": [1], "b": [2]},
    ),
    "missing values": (f"{HEAD}@data\n?,u\n 2 , ?\n", {"a": [None, 2], "b": ["u", None]}),
    "a question mark in quotes": (
        "@relation t\n@attribute a string\n@data\n'?'\n?\n", {"a": ["?", None]},
    ),
    "comments and empty lines": (
        f"% made\n%\n\n{HEAD}\n% rows\n@data\n% here\n\n1,u % one\n2,v\n",
        {"a": [1, 2], "b": [*"uv"]},
    ),
    "quoted names and values": (
        "@relation 'a b'\n@attribute 'the size' numeric\n@attribute \"of, it\" {'x y', \"it's\"}\n"
        "@data\n1,'x y'\n2,\"it's\"\n3,'it\\'s'\n",
        {"the size": [1, 2, 3], "of, it": ["x y", "it's", "it's"]},
    ),
    "escapes": (
        "@relation t\n@attribute a string\n@data\n'a\\nb\\tc\\\\d\\u00fc\\%'\n",
        {"a": ["a\nb\tc\\dü%"]},
    ),
    "a percent sign within a value": (
        "@relation t\n@attribute a {5%,10%}\n@attribute b string\n@data\n5%,'x % y'\n",
        {"a": ["5%"], "b": ["x % y"]},
    ),
    "braces right behind a name": (
        "@relation t\n@attribute a{u,v}\n@attribute b numeric [0,9]\n@data\nu,1\n",
        {"a": ["u"], "b": [1]},
    ),
    "blanks between values": (f"{HEAD}@data\n1 u\n2\tv\n", {"a": [1, 2], "b": [*"uv"]}),
    "categories that are numbers": (
        "@relation t\n@attribute a {0,1}\n@attribute b {01,1,NA}\n@data\n0,01\n1,NA\n",
        {"a": ["0", "1"], "b": ["01", "NA"]},
    ),
    "dates": (
        "@relation t\n@attribute a date\n@attribute b date \"dd.MM.yy HH:mm\"\n"
        "@attribute c date 'EEE MMM dd yyyy'\n@data\n"
        "2024-05-31T12:30:00,\"31.05.24 12:30\",'Fri May 31 2024'\n?,?,?\n",
        {"a": [datetime(2024, 5, 31, 12, 30), None], "b": [datetime(2024, 5, 31, 12, 30), None],
         "c": [datetime(2024, 5, 31), None]},
    ),
    "sparse rows": (
        f"{HEAD}@attribute 'c c' integer\n@data\n{{0 5, 1 v}}\n{{}}\n{{ 1 w,2 7 }}\n{{1 ?, 2 ?}}\n",
        {"a": [5, 0, 0, 0], "b": ["v", "u", "w", None], "c c": [0, 0, 7, None]},
    ),
    "sparse and dense rows": (
        f"{HEAD}@data\n{{1 v}}\n3,w\n{{0 2}}\n", {"a": [0, 3, 2], "b": ["v", "w", "u"]},
    ),
    "sparse rows with quotes": (
        "@relation t\n@attribute a string\n@attribute b {x,'y, z'}\n@data\n"
        "{0 'p, q'}\n{1 'y, z'}\n",
        {"a": ["p, q", None], "b": ["x", "y, z"]},
    ),
    "Windows line ends": (f"{HEAD}@data\n1,u\n2,v\n".replace("\n", "\r\n"),
                          {"a": [1, 2], "b": [*"uv"]}),
    "one attribute": ("@relation t\n@attribute a numeric\n@data\n1\n\n?\n", {"a": [1, None]}),
    "no rows": (f"{HEAD}@data\n", {}),
    "a byte order mark": (f"\ufeff{HEAD}@data\n1,u\n", {"a": [1], "b": ["u"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_what_weka_writes_is_read(tmp_path: Path, name: str) -> None:
    text, expected = READ[name]
    assert read(written(tmp_path, text)) == expected


@pytest.mark.parametrize(
    "rows", ["1,u\n2,v\n?,w\n", "1,'u'\n2,v\n?,w\n", "{0 1}\n2,v\n{0 ?,1 w}\n"]
)
def test_the_values_of_a_nominal_attribute_are_declared(tmp_path: Path, rows: str) -> None:
    head = "@relation t\n@attribute a numeric\n@attribute b {w,x,v,u}\n"
    table = tl.table(written(tmp_path, f"{head}@data\n{rows.replace('{0 1}', '1,u')}"))
    (column,) = table.schema.of_kind("category")
    assert column.values == ("u", "v", "w", "x")
    assert table.whole().codes["b"].items() == ["u", "v", "w"]


def test_a_nominal_target_has_classes_of_text(tmp_path: Path) -> None:
    path = written(tmp_path, "@relation t\n@attribute a numeric\n@attribute y {0,1}\n@data\n"
                   + "1,0\n2,1\n" * 5)  # fmt: skip
    model = tl.NaiveBayes().fit(path, "y")
    assert model.classes_.tolist() == ["0", "1"]
    assert model.score(path, "y") == 1.0
    assert model.predict(path).tolist() == ["0", "1"] * 5


def test_what_a_call_says_goes_before_what_the_file_declares(tmp_path: Path) -> None:
    path = written(tmp_path, "@relation t\n@attribute a {1,2,3}\n@data\n1\n3\n")
    table = tl.table(path, kinds={"a": "number"})
    assert table.whole().numbers[:, 0].tolist() == [1.0, 3.0]


REFUSED: dict[str, tuple[str, type[TallyError], str]] = {
    "an undeclared value": (f"{HEAD}@data\n1,u\n2,x\n", InputError,
                            r"attribute 'b' has 'x' in row 6, .*'u', 'v', 'w'.*missing=\"x\""),
    "an undeclared value beside quotes": (f"{HEAD}@data\n1,'u'\n2,x\n", InputError,
                                          "attribute 'b' has 'x' in row 6"),
    "no number": (f"{HEAD}@data\n1,u\nx,v\n", InputError, "attribute 'a' has 'x' in row 6"),
    "too few values": (f"{HEAD}@data\n1,u\n2\n", InputError, "row 6 has 1 values, and 2"),
    "too many values": (f"{HEAD}@data\n1,u,2\n", InputError, "row 5 has 3 values, and 2"),
    "an open quote": (f"{HEAD}@data\n1,'u\n", InputError, "row 5 cannot be parsed from \"'u\""),
    "an open brace": (f"{HEAD}@data\n{{0 1\n", InputError, "row 5"),
    "a number of no attribute": (f"{HEAD}@data\n{{2 1}}\n", InputError, "from 0 to 1 at most once"),
    "an attribute twice in a row": (f"{HEAD}@data\n{{0 1,0 2}}\n", InputError, "at most once"),
    "another date": ("@relation t\n@attribute d date yyyy\n@data\n2024-01-01\n", InputError,
                     "attribute 'd' has '2024-01-01' in row 4, which is not a date written as %Y"),
    "a large integer": (f"{HEAD}@data\n9007199254740993,u\n", ColumnError, "Declare the attribute"),
    "an unknown type": ("@relation t\n@attribute a float\n@data\n1\n", FileError, "type 'float'"),
    "a relational attribute": ("@relation t\n@attribute bag relational\n@attribute a numeric\n"
                               "@end bag\n@data\n", FileError, "'bag' is relational"),
    "no data": (HEAD, FileError, "no line @data"),
    "no attributes": ("@relation t\n@data\n1\n", FileError, "no line @attribute"),
    "values that are not closed": ("@relation t\n@attribute a {u,v\n@data\nu\n", FileError,
                                   "does not close the values"),
    "a value twice": ("@relation t\n@attribute a {u,u}\n@data\nu\n", FileError, "'u' twice"),
    "another line in the header": ("@relation t\nfoo\n@data\n", FileError, "line 2 is 'foo'"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_meant_is_refused_with_its_place(tmp_path: Path, name: str) -> None:
    text, error, says = REFUSED[name]
    with pytest.raises(error, match=says):
        read(written(tmp_path, text))


def test_the_remedies_of_messages_work(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HEAD}@data\n1,u\n2,x\n-,v\n")
    assert read(path, missing=["x", "-"]) == {"a": [1, 2, None], "b": ["u", None, "v"]}
    path = written(tmp_path, f"{HEAD}@data\n9007199254740993,u\n")
    assert tl.table(path, ignore=["a"]).schema.names == ("b",)
    path = written(tmp_path, path.read_text().replace("a numeric", "a string"))
    assert read(path) == {"a": ["9007199254740993"], "b": ["u"]}


@pytest.mark.parametrize("rows", ["1,u,{2}\n2,v\n", "1,u, {2} % two\n{0 2, 1 v}\n",
                                  "{0 1}, {2}\n2,v\n"])  # fmt: skip
def test_weights_of_rows_are_asked_about_and_read(tmp_path: Path, rows: str) -> None:
    path = written(tmp_path, f"{HEAD}@data\n{rows}")
    with pytest.raises(InputError, match="some rows have a weight"):
        tl.table(path)
    for option in ("weight", "importance"):
        block = tl.table(path, **{option: "instance_weight"}).whole()
        assert block.weight is not None
        assert block.weight.tolist() == [2.0, 1.0]
    table = tl.table(path, ignore=["instance_weight"])
    assert table.schema.names == ("a", "b")
    assert table.whole().numbers[:, 0].tolist() == [1.0, 2.0]
    model = tl.NaiveBayes().fit(path, "b", sample_weight="instance_weight")
    assert model.predict(path).tolist() == ["u", "v"]


def test_weights_in_a_later_file_alone_are_refused(tmp_path: Path) -> None:
    written(tmp_path, f"{HEAD}@data\n1,u\n", "a.arff")
    written(tmp_path, f"{HEAD}@data\n1,u,{{3}}\n", "b.arff")
    with pytest.raises(InputError, match=r"b\.arff has row weights, and a\.arff has none"):
        list(tl.table(tmp_path / "*.arff").blocks())


def test_arff_is_told_by_its_beginning(tmp_path: Path) -> None:
    text = f"% a comment\n{HEAD}@data\n1,u\n"
    assert read(written(tmp_path, text, "t.txt")) == {"a": [1], "b": ["u"]}
    packed = tmp_path / "t.arff.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert read(packed) == {"a": [1], "b": ["u"]}
    model = tl.NaiveBayes().fit(io.StringIO(f"{HEAD}@data\n1,u\n2,v\n"), "b")
    assert model.classes_.tolist() == ["u", "v"]


def test_another_encoding_is_guessed_or_named(tmp_path: Path) -> None:
    text = "@relation t\n@attribute a {ü,é}\n@data\nü\né\n"
    path = written(tmp_path, text, encoding="latin-1")
    assert read(path) == {"a": ["ü", "é"]}
    assert read(path, dialect={"encoding": "latin-1"}) == {"a": ["ü", "é"]}


@pytest.mark.parametrize("quote", ["", "'"])
def test_rows_come_in_blocks_and_parts_read_themselves(
    tmp_path: Path, quote: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arff_files, "CHUNK", 100_000)
    n = 70_000
    rows = "".join(f"{at},{quote}{'uvw'[at % 3]}{quote}\n" for at in range(n))
    path = written(tmp_path, f"{HEAD}@data\n{rows}")
    parts = pickle.loads(pickle.dumps([*tl.table(path).parts()]))
    blocks = [block for part in parts for block in part.blocks()]
    assert [len(block) for block in blocks] == [65_536, n - 65_536]
    numbers = np.concatenate([block.numbers[:, 0] for block in blocks])
    np.testing.assert_array_equal(numbers, np.arange(n))
    assert blocks[1].codes["b"].items()[:3] == ["uvw"[at % 3] for at in range(65_536, 65_539)]


def test_a_wide_sparse_file_is_bounded_by_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALLY_MEMORY", "0.05")
    head = "".join(f"@attribute a{at} numeric\n" for at in range(3_000))
    path = written(tmp_path, f"@relation t\n{head}@data\n" + "{}\n" * 40_000)
    with pytest.raises(TallyError, match="of memory, and the budget is"):
        tl.table(path)


def test_the_same_values_come_as_by_scipy(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = [(rng.normal(), rng.integers(-9, 9), "xyz"[rng.integers(3)]) for _ in range(500)]
    head = "@relation t\n@attribute r real\n@attribute i integer\n@attribute c {x,y,z}\n@data\n"
    body = "".join(f"{r!r},{i if i else '?'},{c}\n" for r, i, c in rows)
    path = written(tmp_path, head + body)
    theirs, _ = scipy_arff.loadarff(path)
    ours = read(path)
    assert ours["r"] == theirs["r"].tolist()
    np.testing.assert_array_equal(np.array(ours["i"], dtype=float), theirs["i"])
    assert ours["c"] == [value.decode() for value in theirs["c"]]


SERIES = {
    "x.ts": "@problemName X\n@timeStamps false\n@univariate true\n@classLabel true a b\n@data\n"
    "1,2,3:a\n4,5,6:b\n",
    "x.tsf": "# Monash\n@relation x\n@attribute series_name string\n@frequency daily\n"
    "@horizon 8\n@data\nT1:1,2,3\n",
}


@pytest.mark.parametrize("name", SERIES)
def test_files_of_time_series_are_named_in_the_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match=r"is a file of time series \(\.ts .*\.tsf"):
        read(written(tmp_path, SERIES[name], name))
