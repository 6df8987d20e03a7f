"""Rows of delimited text, parsed by a kernel of our own, piece by piece and on threads."""

from __future__ import annotations

import io
import threading
import time
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import InputError
from tallylearn.sources.files.csv import chunks, parsed_chunk, parser
from tallylearn.sources.files.csv.delimited import Delimited
from tallylearn.sources.files.csv.dialect import Dialect
from tallylearn.sources.files.csv.parsed_chunk import CellLayout, Chunk
from tests.kernels.test_oracle import uncompiled

CELLS = [
    "1", "-2.5", "", "NA", "x", "yy", '"x"', '"a,b"', '"a\nb"', '"a\r\nb"', '"a""b"', '"a"b', 'a"b',
    '""', '""""', " 3", "4 ", '" 5"', "é", "\t", "?", "007",
]  # fmt: skip
TYPES = {"string": pa.dictionary(pa.int32(), pa.string()), "text": pa.string()}


def parsed(text: str, form: str = "string", p: int = 1, dialect: Dialect | None = None) -> Chunk:
    names = tuple("abcd"[:p])
    return CellLayout(names, dict.fromkeys(names, form), dialect or Dialect()).parse(
        [text.encode()]
    )


def by_arrow(text: str, form: str, p: int) -> dict[str, list[Any]] | None:
    """What Arrow's reader makes of it; None where it refuses a row."""
    names = list("abcd"[:p])
    try:
        return pa.csv.read_csv(
            io.BytesIO(text.encode()),
            pa.csv.ReadOptions(column_names=names, use_threads=False),
            pa.csv.ParseOptions(
                newlines_in_values=True,
                ignore_empty_lines=len(names) > 1,  # of one column they are gaps
                invalid_row_handler=lambda row: "error" if row.text.strip() else "skip",
            ),
            pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, TYPES[form]),
                null_values=Dialect().missing,
                strings_can_be_null=True,
            ),
        ).to_pydict()  # fmt: skip
    except pa.ArrowInvalid:
        return None


ROWS = st.integers(1, 3).flatmap(
    lambda p: st.tuples(
        st.just(p),
        st.lists(
            st.lists(st.sampled_from(CELLS), min_size=p, max_size=p).map(",".join)
            | st.sampled_from(["", " ", "1,2,3,4,5"]),
            min_size=1,
            max_size=6,
        ),
    )
)


@given(ROWS, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.sampled_from([*TYPES]))
def test_the_cells_are_those_of_arrows_reader(
    table: tuple[int, list[str]], end: str, last: bool, form: str
) -> None:
    p, rows = table
    text = end.join(rows) + end * last
    ours, theirs = parsed(text, form, p), by_arrow(text, form, p)
    if ours.ragged:
        assert theirs is None
    else:
        nothing = {name: [] for name in "abcd"[:p]}  # of which Arrow says that it is no file
        assert ours.rest == b""
        assert ours.batch.to_pydict() == (theirs if text else nothing)


@given(
    st.floats(-9e15, 9e15).map(repr)
    | st.floats(-1e3, 1e3).map("{:.18e}".format)
    | st.decimals(-(10**9), 10**9, places=9).map(str)
    | st.from_regex(r"[+-]?(0|[1-9][0-9]{0,14})(\.[0-9]{0,25})?([eE]-[0-9]{1,3})?", fullmatch=True)
)
def test_a_number_is_the_double_nearest_to_it(text: str) -> None:
    chunk = parsed(text + "\n", "number")
    if abs(Decimal(text)) < 2**53:
        assert chunk.odd == ()
        assert repr(chunk.batch["a"][0].as_py()) == repr(float(text))


@pytest.mark.parametrize(
    "text", ["4503599627370497.5", "4503599627370498.5", "1.00000000000000011102230246251565"]
)
def test_a_number_in_the_middle_of_two_doubles_is_rounded_to_the_even_one(text: str) -> None:
    assert parsed(text, "number").batch["a"].to_pylist() == [float(text)]


@pytest.mark.parametrize(
    "cell", ["007", "-01", "00", "01.5", "+00.1", '"007"', " 007", "9007199254740992", "-1e16",
             "inf", "1_000", "1,", "1e", "e5", "--1", ".", "+", "x", " NA", "0x1", "1 2"],
)  # fmt: skip
def test_a_cell_that_is_no_plain_number_is_said(cell: str) -> None:
    assert parsed(f"a,b\n1|{cell}\n", "number", 2, Dialect(delimiter="|")).ragged is not None
    assert parsed(f"1|{cell}\n2|3", "number", 2, Dialect(delimiter="|")).odd == ("b",)


def test_marks_that_look_like_numbers_are_gaps() -> None:
    dialect = Dialect(decimal=",", delimiter=";", missing=("", "-9", "n"))
    found = parsed("-9;1,5\nn;-9,5\n;2", "number", 2, dialect).batch.to_pydict()
    assert found == {"a": [None, None, None], "b": [1.5, -9.5, 2.0]}


@given(st.dates())
@example(date(1, 1, 1))
@example(date(1900, 2, 28))
@example(date(2000, 2, 29))
def test_a_day_is_the_one_of_the_calendar(day: date) -> None:
    chunk = parsed(f"1970-01-01\n{day.isoformat()}\n", "date")
    assert chunk.odd == ()
    assert [found.date() for found in chunk.batch["a"].to_pylist()] == [date(1970, 1, 1), day]


def test_days_may_have_blanks_and_quotes_around_them_and_gaps_between() -> None:
    cells = [" 2024-02-29 ", '"1969-12-31"', "", "NA", '" 2024-12-31"']
    chunk = parsed("".join(f"{cell},x\n" for cell in cells), "date", 2)
    found = [day and day.date().isoformat() for day in chunk.batch["a"].to_pylist()]
    assert found == ["2024-02-29", "1969-12-31", None, None, "2024-12-31"]
    dialect = Dialect(missing=("", "1900-01-01"))
    found = parsed("1900-01-01\n1900-01-02", "date", dialect=dialect).batch["a"].to_pylist()
    assert found == [None, datetime(1900, 1, 2)]


@pytest.mark.parametrize(
    "cell", ["2023-02-29", "1900-02-29", "2024-02-30", "2024-04-31", "2024-13-01", "2024-00-10",
             "2024-01-00", "2024-01-32", "0000-01-01", "2024-1-01", "24-01-01", "2024/01/01",
             "2024-01-0", "2024-01-011", "2024-01-01 10:00", "2O24-01-01", "-024-01-01", "x"],
)  # fmt: skip
def test_a_cell_that_is_no_plain_day_is_said(cell: str) -> None:
    assert parsed(f"2024-01-01\n{cell}\n2024-01-02\n", "date").odd == ("a",)


def test_many_words_are_told_apart() -> None:
    words = [f"word {i * i % 7001}" for i in range(20_000)]
    found = parsed("\n".join(words), "string").batch["a"]
    assert found.to_pylist() == words
    assert len(found.dictionary) == len({*words})


def test_the_compiled_kernel_equals_the_python_it_is_written_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = ["1.5", "-0.12573021893640432", "1e-30", "007", "NA", "", '"3"', "4503599627370497.5"]
    pairs = [(number, word) for number in numbers for word in CELLS]
    rows = [f"{a},{b},{a},{i},{2000 + i}-02-29" for i, (a, b) in enumerate(pairs)]
    forms = {"a": "number", "b": "string", "c": "text", "d": "number", "e": "date"}
    layout = CellLayout(tuple(forms), forms, Dialect())
    run = ["\n".join([*rows, '1,"open\n', "2,x"]).encode()]
    before = layout.parse(run)
    uncompiled(monkeypatch, parsed_chunk)
    after = layout.parse(run)
    assert before.batch.equals(after.batch)
    assert (before.odd, before.rest) == (after.odd, after.rest) == (("a", "e"), run[0][-12:])
    assert layout.parse([b"1,2\n"]).ragged == parsed_chunk.RaggedRow("1,2", 2, 5, 0)


# Pieces


def table(path: Path, **forms: str) -> dict[str, list[Any]]:
    found = list(Delimited(path, Dialect()).blocks(forms))
    return {name: [v for one in found for v in one[name].to_pylist()] for name in forms}


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_quotes_that_reach_over_pieces_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    rng, cells = np.random.default_rng(threads), ["x", "a\nb", 'q"', "\r\n", "long " * 30, "\n\n"]
    words = [cells[i] for i in rng.integers(0, len(cells), 500)]
    quoted = ['"' + word.replace('"', '""') + '"' for word in words]
    path = tmp_path / "t.csv"
    path.write_bytes("".join(f"{i},{w}\n" for i, w in enumerate(["a,b", *quoted])).encode()[2:])
    monkeypatch.setattr(parser, "CHUNK", 8)
    with tl.engine(threads=threads):
        read = Delimited(path, Dialect(header=False))
        (found,) = read.blocks({"x0": "string", "x1": "text"})
    assert found["x1"].to_pylist()[1:] == words
    assert found["x0"].to_pylist()[1:] == [str(i) for i in range(1, 501)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("odd", [3, 80, 120, 150, 290])
def test_a_column_comes_as_strings_from_the_block_of_its_first_odd_cell_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: int, threads: int
) -> None:
    cells = [str(i) for i in range(300)]
    cells[odd] = "odd"
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{cell},1.50\n" for cell in cells))
    monkeypatch.setattr(parser, "CHUNK", 12)
    monkeypatch.setattr(chunks, "BLOCK", 64)
    with tl.engine(threads=threads):
        tables = list(Delimited(path, Dialect()).blocks({"a": "number", "b": "number"}))
    assert [len(one) for one in tables] == [64] * 4 + [44]
    assert [pa.types.is_floating(one["a"].type) for one in tables] == [
        at < odd // 64 for at in range(5)
    ]
    found = [value for one in tables for value in one["a"].to_pylist()]
    assert found == [*map(float, range(odd // 64 * 64)), *cells[odd // 64 * 64 :]]
    assert {value for one in tables for value in one["b"].to_pylist()} == {1.5}


def test_what_was_parsed_ahead_as_numbers_is_parsed_again_as_strings() -> None:
    layout = CellLayout(("a",), {"a": "number"}, Dialect())
    cells: list[bytes] = [b"1\n", b"x\n", b"2\n", b"3\n", b"4\n", b"5\n"]
    found: list[Any] = []
    for _, chunk in chunks.ParsedAhead(layout, 3).chunks([cell] for cell in cells):
        found += chunk.batch["a"].to_pylist()
        time.sleep(0.02)  # the threads parse what follows
    assert found == [1.0, "x", "2", "3", "4", "5"]


def test_rows_are_numbered_through_all_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parser, "CHUNK", 100)
    path = tmp_path / "t.csv"
    for row, says in (("1", "row 202 has .*found 1"), ('1,"2', "row 202 opens a quote")):
        path.write_text("a,b\n" + "1,2\n\n" * 200 + row + "\n" + "1,2\n" * 50)
        with pytest.raises(InputError, match=says):
            table(path, a="number", b="string")
    path.write_bytes(b"a,b\n" + b"1,2\n" * 5000 + b"1,\xff\n" + b"1,2\n" * 50)
    with pytest.raises(InputError, match=r"'b' has bytes in row 500[12] .*b'\\xff'"):
        table(path, a="number", b="string")


def reading() -> list[str]:
    return [one.name for one in threading.enumerate() if one.name.startswith("reading")]


def test_reading_ahead_takes_as_many_threads_as_the_engine_allows_and_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parser, "CHUNK", 1000)
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "1\n" * 200_000)
    for threads, most in ((1, 0), (2, 2)):
        with tl.engine(threads=threads):
            blocks = Delimited(path, Dialect()).blocks({"a": "number"})
            next(blocks)
            assert len(reading()) == most
            blocks.close()  # type: ignore[attr-defined]
        assert reading() == []
