"""JSON: lines of objects and lists of them, their keys as columns."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, FileError, InputError
from tallylearn.sources.files import json_lines


def read(path: Path, **declared: Any) -> dict[str, list[Any]]:
    tables = [*tl.table(path, **declared).raw()]  # type: ignore[attr-defined]
    return pa.concat_tables(tables).to_pydict() if tables else {}


READ: dict[str, tuple[str, dict[str, list[Any]]]] = {
    "lines": ('{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n', {"a": [1, 2], "b": ["x", "y"]}),
    "a list": ('[{"a": 1, "b": "x"},\n {"a": 2}]', {"a": [1, 2], "b": ["x", None]}),
    "empty lines": ('\n{"a": 1}\n\n \n{"a": 2}', {"a": [1, 2]}),
    "a byte order mark": ('\ufeff{"a": 1}\n', {"a": [1]}),
    "line ends of Windows": ('{"a": "x"}\r\n{"a": "y"}\r\n', {"a": ["x", "y"]}),
    "gaps": ('{"a": null, "b": true}\n{"b": false}\n{"a": 2.5}', {
        "a": [None, None, 2.5], "b": [True, False, None]}),
    "whole numbers and others": ('{"a": 1}\n{"a": 2.5}\n', {"a": [1, 2.5]}),
    "dates are text": ('{"a": "2024-01-02"}\n', {"a": ["2024-01-02"]}),
    "a key that is an escape": ('{"\\u00e9": "\\u00e9"}', {"é": ["é"]}),
    "a column without values": ('{"a": null, "b": 1}', {"a": [None], "b": [1]}),
}  # fmt: skip

REFUSED: dict[str, tuple[str, str]] = {
    "mixed types": ('{"a": 1}\n{"a": 2}\n{"a": "x"}\n', "'a' has another type in line 3 \\('x'\\)"),
    "truth among numbers": ('{"a": 1}\n{"a": true}\n', "'a' has another type in line 2"),
    "an object and a number": ('{"a": {"b": 1}}\n{"a": 1}\n', "'a' has another type in line 2"),
    "an object": ('{"a": {"b": 1}}\n', r"'a' has several values in line 1 .*ignore=\[\"a\"\]"),
    "a list": ('{"b": 1}\n{"a": [1, 2]}\n', r"'a' has several values in line 2 \(\[1, 2\]\)"),
    "no JSON": ('{"a": 1}\n{"a": \n', "line 2 is not JSON"),
    "no object": ('{"a": 1}\n[1, 2]\n', r"line 2 is \[1, 2\]"),
    "a list of numbers": ("[{}, 1]", "line 2 is 1"),
    "an open list": ('[{"a": 1},', "is not JSON"),
    "no keys": ("[{}]", "no line has a key"),
}


@pytest.mark.parametrize("ending", ["jsonl", "ndjson", "json", "csv"])
@pytest.mark.parametrize("name", READ)
def test_objects_are_rows(tmp_path: Path, name: str, ending: str) -> None:
    text, expected = READ[name]
    path = tmp_path / f"t.{ending}"
    path.write_bytes(text.encode())
    assert read(path) == expected


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_row_is_named_with_line_and_key(tmp_path: Path, name: str) -> None:
    text, says = REFUSED[name]
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    with pytest.raises((ColumnError, InputError, FileError), match=says):
        read(path)


def test_a_column_that_cannot_be_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1, "b": [1], "c": 1}\n{"a": 2, "b": 5, "c": "x"}\n')
    table = tl.table(path, ignore=["b", "c"])
    assert [block.numbers.tolist() for block in table.blocks()] == [[[1], [2]]]


def test_keys_and_types_may_come_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "CHUNK", 1000)
    lines = [json.dumps({"a": i, "late": None}) for i in range(1000)]
    lines += [json.dumps({"a": i + 0.5, "late": "x", "new": True}) for i in range(1000)]
    path = tmp_path / "t.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    found = read(path)
    assert found["a"] == [*range(1000), *(i + 0.5 for i in range(1000))]
    assert found["late"] == [None] * 1000 + ["x"] * 1000
    assert found["new"] == [None] * 1000 + [True] * 1000
    path.write_bytes(gzip.compress("\n".join([*lines, '{"a": "x"}']).encode()))
    with pytest.raises(ColumnError, match="'a' has another type in line 2001"):
        read(path)


def test_json_gives_the_same_bits_as_the_frame(people: pd.DataFrame, tmp_path: Path) -> None:
    plain = people.drop(columns="day")
    plain.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    plain.to_json(tmp_path / "t.json", orient="records")
    expected = tl.NaiveBayes().fit(plain, "y")
    for name in ("t.jsonl", "t.json"):
        model = tl.NaiveBayes().fit(tmp_path / name, "y")
        assert model.tally_ == expected.tally_
        np.testing.assert_array_equal(
            model.predict_proba(tmp_path / name), expected.predict_proba(plain)
        )


def test_a_part_of_json_reads_itself_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n' * 70_000)
    parts = pickle.loads(pickle.dumps(list(tl.table(path).parts())))
    assert [len(block) for part in parts for block in part.blocks()] == [65_536, 70_000 - 65_536]


def test_an_object_that_is_no_row_says_how_to_write_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('{"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}}')
    with pytest.raises(ColumnError, match="'a' has several values in line 1"):
        read(path)
    path.write_text('{\n  "a": 1,\n  "b": 2\n}\n')
    assert read(path) == {"a": [1], "b": [2]}


@pytest.mark.parametrize(
    ("ending", "data", "line", "encoding"),
    [
        ("jsonl", b'{"a": 1, "b": "x"}\n{"a": 2, "b": "\xfe"}\n', 2, "latin-1"),
        ("jsonl", b'{"\xfe": 1}\n', 1, "latin-1"),
        ("json", b'[{"a": "x"},\n{"a": "\xfe"}]', 2, "latin-1"),
        ("jsonl", '{"a": "\u00fe"}\n'.encode("utf-16"), 1, "utf-16"),
    ],
)
def test_bytes_that_are_not_utf8_are_refused_with_their_line(
    tmp_path: Path, ending: str, data: bytes, line: int, encoding: str
) -> None:
    path = tmp_path / f"t.{ending}"
    path.write_bytes(data)
    with pytest.raises(InputError, match=f"line {line} has the byte 0x.., which is not UTF-8"):
        read(path)
    path.write_text(path.read_text(encoding), "utf-8")  # as the message says
    assert "\u00fe" in str(read(path))
