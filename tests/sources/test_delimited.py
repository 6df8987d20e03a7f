"""Delimited files, well written and not."""

from __future__ import annotations

import codecs
import gzip
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tallylearn.errors import ColumnError, FileError, InputError, OptionError
from tallylearn.sources.declarations import declaration
from tallylearn.sources.files.csv.delimited import Delimited
from tallylearn.sources.files.csv.dialect import Dialect, sniff
from tallylearn.sources.files.table import Files
from tallylearn.sources.type_inference.column_types import FormatHints
from tallylearn.sources.type_inference.missing_markers import MISSING
from tallylearn.tables import BLOCK, Column, Schema

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(content: str | bytes, encoding: str = "utf-8", name: str = "people.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return written


def source(path: Path, missing: Any = (), **given: Any) -> Delimited:
    return Delimited(path, sniff(path, given, missing))


def files(path: Path, missing: Any = (), **given: Any) -> Files:
    return Files([path], declaration(missing=missing, dialect=given)).require_unambiguous()


def kinds(path: Path, **given: Any) -> dict[str, str]:
    return {column.name: column.kind for column in files(path, **given).schema.columns}


def read(path: Path, missing: Any = (), **given: Any) -> dict[str, list[Any]]:
    tables = list(files(path, missing, **given).validate().typed_tables())
    return pa.concat_tables(tables).to_pydict() if tables else {}


# Dialects


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_delimiter_is_found(write: Write, delimiter: str) -> None:
    path = write("a,b\n1,x\n2,y\n".replace(",", delimiter))
    assert sniff(path).delimiter == delimiter
    assert read(path) == {"a": [1.0, 2.0], "b": ["x", "y"]}


def test_a_delimiter_in_quotes_is_no_delimiter(write: Write) -> None:
    path = write('a,b\n"x;y;z",1\n"u;v;w",2\n')
    assert sniff(path).delimiter == ","


def test_a_single_column_is_comma_separated(write: Write) -> None:
    path = write("a\nx\ny\n")
    assert sniff(path).delimiter == ","
    assert read(path) == {"a": ["x", "y"]}


def test_a_ragged_row_does_not_hide_the_delimiter(write: Write) -> None:
    assert sniff(write("a;b;c\n1;2;3\n4;5\n6;7;8\n")).delimiter == ";"


def test_a_decimal_comma_is_found_and_read(write: Write) -> None:
    path = write("a;b\n1,5;x\n-2,25;y\n3;\n")
    assert sniff(path).decimal == ","
    assert read(path) == {"a": [1.5, -2.25, 3.0], "b": ["x", "y", None]}


def test_rows_of_decimal_commas_without_a_header_are_cut_at_the_semicolons(write: Write) -> None:
    path = write("1,5;2,5\n3,5;4,5\n")
    assert sniff(path).delimiter == ";"
    assert read(path) == {"x0": [1.5, 3.5], "x1": [2.5, 4.5]}


def test_a_column_of_points_in_a_file_of_decimal_commas_is_one_of_numbers(write: Write) -> None:
    assert read(write("a;b\n1,5;1.5\n2,5;2\n")) == {"a": [1.5, 2.5], "b": [1.5, 2.0]}


def test_thousands_are_not_taken_for_decimals(write: Write) -> None:
    path = write("a\tb\n1,234\tx\n5,678\ty\n")
    assert sniff(path).decimal == "."
    with pytest.raises(ColumnError, match=r"two ways: '1,234' in row 2 .*kinds=.* \"1,234.5\""):
        kinds(path)
    assert read(path, thousands=",")["a"] == [1234.0, 5678.0]
    assert read(path, decimal=",")["a"] == [1.234, 5.678]


def test_numbers_with_thousands_are_numbers(write: Write) -> None:
    assert read(write('a,b\n"1,234.5",1\n"2,345.5",2\n'))["a"] == [1234.5, 2345.5]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
def test_an_encoding_is_found_and_read(write: Write, encoding: str) -> None:
    path = write("näme,ort\nJosé,Köln\n", encoding)
    assert sniff(path).encoding == encoding
    assert read(path) == {"näme": ["José"], "ort": ["Köln"]}


def test_utf_16_with_a_big_endian_mark_is_read(write: Write) -> None:
    path = write(codecs.BOM_UTF16_BE + "a,b\n1,ß\n".encode("utf-16-be"))
    assert read(path) == {"a": [1.0], "b": ["ß"]}


def test_a_header_that_begins_with_a_rare_letter_is_read(write: Write) -> None:
    path = write("\U0001f600,b\n1,\U0001f600\n", "utf-16")
    assert read(path) == {"\U0001f600": [1.0], "b": ["\U0001f600"]}


def test_the_euro_sign_of_windows_is_read(write: Write) -> None:
    path = write("a,b\n1,5 €\n", "cp1252")
    assert sniff(path).encoding == "cp1252"
    assert read(path)["b"] == [5.0]
    assert files(path).schema.spellings["b"].unit == "€"


def test_a_byte_order_mark_is_no_part_of_a_name(write: Write) -> None:
    path = write("age,b\n1,x\n", "utf-8-sig")
    assert source(path, encoding="utf-8").names == ("age", "b")


@pytest.mark.parametrize("row", ["1,x", "x,2024-05-31", ",-1.5e3"])
def test_a_first_row_with_a_value_is_no_header(write: Write, row: str) -> None:
    path = write(f"{row}\n2,y\n")
    assert not sniff(path).header
    assert source(path).names == ("x0", "x1")


def test_a_first_row_of_words_is_a_header_and_nameless_columns_are_numbered(write: Write) -> None:
    path = write('"",height,\n1,2,\n')
    assert sniff(path).header
    assert source(path).names == ("x0", "height", "x2")


def test_what_is_given_is_not_guessed(write: Write) -> None:
    path = write("a;b\n1;2\n")
    given = {"delimiter": "|", "decimal": ",", "encoding": "latin-1", "header": False}
    assert sniff(path, given | {"missing": ["none"]}) == Dialect(
        "|", ",", "latin-1", False, ("", "none"), FormatHints(",")
    )


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"seperator": ","}, "'seperator'.*'delimiter', 'decimal', 'encoding', 'header'"),
        ({"delimiter": ";;"}, "one character, not ';;'"),
        ({"delimiter": "§"}, "'§' is not an ASCII character"),
        ({"decimal": "x"}, "decimal must be"),
        ({"header": "yes"}, "True or False, or the names of all columns, not 'yes'"),
        ({"header": ["a", "a"]}, r"not \['a', 'a'\]"),
        ({"skip": -1}, "skip.*0 or more, not -1"),
        ({"skip": True}, "not True"),
        ({"comment": 3}, "comment must be text"),
        ({"quote": "''"}, "quote must be one character"),
        ({"quote": ";", "delimiter": ";"}, "quote must be one character"),
        ({"encoding": "utf-9"}, "'utf-9' is not known"),
    ],
)
def test_an_impossible_option_is_refused(write: Write, given: Any, says: str) -> None:
    with pytest.raises(OptionError, match=says):
        sniff(write("a\n1\n"), given)


def test_a_dialect_reads_as_a_sentence() -> None:
    assert str(Dialect()) == "comma-separated, decimal point, UTF-8, with a header"
    said = "tab-separated, decimal comma, LATIN-1, without a header"
    assert str(Dialect("\t", ",", "latin-1", False)) == said


# Values


def test_the_usual_markers_are_missing_and_none_is_not(write: Write) -> None:
    path = write("a,b\n" + "".join(f'"{m}","{m}"\n' for m in MISSING) + "1,None\n")
    assert read(path) == {"a": [None] * 8 + [1.0], "b": [None] * 8 + ["None"]}


def test_markers_of_the_user_are_added(write: Write) -> None:
    path = write("a,b\n-999,n/a\n-999.0,x\n?,y\n1,-\n")
    assert read(path, missing=(-999, "n/a", "-")) == {
        "a": [None, None, None, 1.0],
        "b": [None, "x", "y", None],
    }
    assert sniff(path, None, "n/a").missing == (*MISSING, "n/a")
    assert sniff(path, {"decimal": ","}, [0.5, None]).missing == (*MISSING, "0,5")


def test_spaces_around_cells_do_not_count(write: Write) -> None:
    path = write("age, job, day\n 39, nurse ,2024-05-31\n40 , ?, 2024-06-01\n   ?,nurse, NA \n")
    assert read(path) == {
        "age": [39.0, 40.0, None],
        "job": ["nurse", None, "nurse"],
        "day": [datetime(2024, 5, 31), datetime(2024, 6, 1), None],
    }


def test_spaces_around_a_marker_that_comes_late_do_not_count(write: Write) -> None:
    path = write("a,b\n" + "1,x\n" * BLOCK + " NA , ?\n2,x\n")
    assert read(path)["a"][-3:] == [1.0, None, 2.0]


def test_kinds_become_types(write: Write) -> None:
    path = write("a,b,c,d,e\n1,x,2024-05-31,some words here,\n")
    found = Files([path], declaration(text=["d"]))
    kinds = ["number", "category", "date", "text", "unknown"]
    assert [column.kind for column in found.schema.columns] == kinds
    (table,) = found.typed_tables()
    assert table.schema.types == [
        pa.float64(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.timestamp("us"),
        pa.dictionary(pa.int32(), pa.string()),
        pa.null(),
    ]


def test_truths_are_truths_and_padded_integers_strings(write: Write) -> None:
    path = write("a,b,c\ntrue,007,0.5\n false,12,0\n?,,\n")
    assert kinds(path) == {"a": "category", "b": "category", "c": "number"}
    assert read(path)["a"] == [True, False, None]
    assert read(path)["b"] == ["007", "12", None]
    path = write("a,b\ntrue,True\n true ,false\nfalse,\nx,\n")
    assert read(path) == {
        "a": ["true", "true", "false", "x"],
        "b": [True, False, None, None],
    }


def test_dates_with_times_and_zones_are_read(write: Write) -> None:
    path = write("a\n2024-05-31T12:00:00Z\n2024-05-31 12:00:00.123456789+02:00\n2024-05-31\n")
    assert kinds(path) == {"a": "date"}
    assert read(path)["a"] == [
        datetime(2024, 5, 31, 12),
        datetime(2024, 5, 31, 10, 0, 0, 123456),
        datetime(2024, 5, 31),
    ]


def test_infinity_is_a_number_and_nan_is_missing(write: Write) -> None:
    path = write("a\ninf\n-Infinity\nNAN\n+1\n1e3\n")
    assert read(path)["a"] == [float("inf"), float("-inf"), None, 1.0, 1000.0]


def test_a_declared_kind_wins(write: Write) -> None:
    path = write("a,b\n1,2\n")
    found = Files([path], declaration(kinds={"a": "category"}))
    assert [column.kind for column in found.schema.columns] == ["category", "number"]
    with pytest.raises(ColumnError, match=r"kinds: the table has no column 'c'\. It has 'a', 'b'"):
        Files([path], declaration(kinds={"c": "number"}))


def test_quoted_cells_keep_their_line_ends_quotes_and_delimiters(write: Write) -> None:
    path = write('a,b\n1,"x\ny"\n2,"say ""hi"", then"\n3,5" pipe\n')
    assert read(path)["b"] == ["x\ny", 'say "hi", then', '5" pipe']


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
@pytest.mark.parametrize("before", range(-3, 2))
def test_a_line_end_in_quotes_survives_the_edge_of_a_chunk(
    write: Write, encoding: str, before: int
) -> None:
    long = "z" * ((1 << 20) - len('a,b\n1,"') + before)
    path = write(f'a,b\n1,"{long}\r\né"\n2,x\n', encoding)
    assert read(path, encoding=encoding)["b"] == [f"{long}\r\né", "x"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_systems_are_read(write: Write, end: str) -> None:
    assert read(write(f"a,b{end}1,x{end}2,y"))["b"] == ["x", "y"]


# Blocks


def test_blocks_have_65536_rows_and_keep_the_order(write: Write) -> None:
    rows = 2 * BLOCK + 5
    path = write("a,b\n" + "".join(f"{i},w{i % 70_000}\n" for i in range(rows)))
    file = source(path)
    tables = list(file.blocks({"a": "number", "b": "string"}))
    assert [len(table) for table in tables] == [BLOCK, BLOCK, 5]
    assert [table["a"].num_chunks for table in tables] == [1, 1, 1]
    assert pa.concat_tables(tables)["a"].to_pylist() == list(map(float, range(rows)))
    last = [f"w{i % 70_000}" for i in range(rows)][-5:]
    assert tables[2]["b"].chunk(0).dictionary.to_pylist() == last


def test_reading_may_stop_early(write: Write) -> None:
    file = source(write("a\n" + "1\n" * 3 * BLOCK))
    blocks = file.blocks({"a": "number"})
    assert len(next(blocks)) == BLOCK
    blocks.close()  # type: ignore[attr-defined]


def test_columns_come_in_the_order_asked_for(write: Write) -> None:
    file = source(write("a,b,c\n1,2,3\n"))
    (table,) = file.blocks({"c": "number", "a": "number"})
    assert table.to_pydict() == {"c": [3.0], "a": [1.0]}
    with pytest.raises(ColumnError, match="no column 'z'"):
        file.blocks({"z": "string"})
    with pytest.raises(ColumnError, match="no column is selected"):
        file.blocks({})


def test_a_column_that_is_empty_for_long_gets_its_kind_from_its_first_value(write: Write) -> None:
    path = write("a,b,c\n" + "1,,\n" * (BLOCK + 10) + "1,2024-05-31,\n" + "1,,\n" * BLOCK)
    assert kinds(path) == {"a": "number", "b": "date", "c": "unknown"}
    assert len(read(path)["c"]) == 2 * BLOCK + 11


def test_only_the_first_block_decides_a_kind(write: Write) -> None:
    path = write("a\n" + "1\n" * BLOCK + "x\n")
    assert kinds(path) == {"a": "number"}


def test_a_packed_file_is_read(write: Write) -> None:
    path = write(gzip.compress(b"a,b\n1,x\n"), name="people.csv.gz")
    assert read(path) == {"a": [1.0], "b": ["x"]}


def test_a_row_of_three_megabytes_is_read(write: Write) -> None:
    path = write("a,b\n1,x\n2," + "y" * 3_000_000 + "\n3,z\n")
    assert [len(value) for value in read(path)["b"]] == [1, 3_000_000, 1]


def test_a_table_of_very_many_columns_is_read(write: Write) -> None:
    path = write(",".join(f"column {i:06}" for i in range(30_000)) + "\n" + "1," * 29_999 + "1\n")
    file = source(path)
    (table,) = file.blocks(dict.fromkeys(file.names, "number"))
    assert table.num_columns == 30_000


def test_importing_the_module_does_not_import_arrow() -> None:
    code = "import sys, tallylearn.sources.files.csv.delimited; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# Files that are not as they should be


@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \n", codecs.BOM_UTF8])
def test_an_empty_file_is_refused(write: Write, content: bytes) -> None:
    path = write(content)
    with pytest.raises(FileError, match=r"people\.csv: the file is empty"):
        sniff(path)
    with pytest.raises(FileError, match="the file is empty"):
        Delimited(path, Dialect())


@pytest.mark.parametrize("end", ["", "\n", "\n\n \n"])
def test_a_header_alone_has_names_and_no_rows(write: Write, end: str) -> None:
    path = write("a,b" + end)
    assert source(path).names == ("a", "b")
    assert kinds(path) == {"a": "unknown", "b": "unknown"}
    assert list(source(path).blocks({"a": "string", "b": "string"})) == []


def test_empty_lines_are_passed_over(write: Write) -> None:
    path = write("\n \na,b\n\n1,2\n   \n\n3,4\n\n")
    assert read(path) == {"a": [1.0, 3.0], "b": [2.0, 4.0]}


def test_names_that_occur_twice_are_numbered_aloud(write: Write) -> None:
    file = source(write("a,b,a,b,a_2\n1,2,3,4,5\n"))
    assert file.names == ("a", "b", "a_3", "b_2", "a_2")
    said = "the header has 'a', 'b' more than once: read as 'a_3', 'b_2' too"
    assert file.dialect.notes == (said,)


def test_names_that_occur_twice_and_as_values_may_be_no_names(write: Write) -> None:
    path = write("yes,yes,no\nno,yes,yes\nyes,no,no\n")
    with pytest.raises(InputError, match=r"has 'yes' more than once.*\"header\": False"):
        source(path)
    assert source(path, header=False).names == ("x0", "x1", "x2")
    assert source(path, header=True).names == ("yes", "yes_2", "no")


def test_a_ragged_row_is_named(write: Write) -> None:
    path = write("\na,b\n1,2\n\n  \n3,4\n5,6,7\n")
    with pytest.raises(InputError, match=r"row 4 has .*expected 2, found 3 .*'5,6,7'"):
        kinds(path)


def test_a_ragged_row_is_named_far_into_the_file_and_without_a_header(write: Write) -> None:
    path = write("1,2\n" * 400_000 + "1\n" + "1,2\n" * 10)
    with pytest.raises(InputError, match=r"row 400001 has .*expected 2, found 1"):
        read(path)


def test_a_cell_that_comes_late_counts_as_one_that_comes_early(write: Write) -> None:
    rows = ["1,2024-05-31,7,true,1"] * 70_411
    for odd, kind in {
        "n/a,-,12 %,True,1": ("number", "date", "category", "category", "number"),
        "x,31.5.2024x,7 a,no,9007199254740993": ("category",) * 5,
        "1,31.5.2024,7 kg,true,1": ("number", "date", "number", "category", "number"),
        "1,2024-05-31,007,true,-02.5": ("number", "date", "category", "category", "category"),
    }.items():
        late, early = [*rows, odd], [odd, *rows]
        for lines in (late, early):
            path = write("a,b,c,d,e\n" + "\n".join(lines) + "\n")
            schema = files(path).validate().schema
            assert tuple(column.kind for column in schema.columns) == kind, (odd, lines is late)


def test_noughts_may_lead_what_is_declared_a_number(write: Write) -> None:
    for rows in (["007", *["1"] * BLOCK], [*["1"] * BLOCK, "007"]):
        path = write("a,b\n" + "".join(f"{cell},x\n" for cell in rows))
        read = Files([path], declaration(kinds={"a": "number"})).whole()
        assert sorted(read.numbers[:, 0])[-1] == 7.0
        learned = Files([path], declaration(), Schema((Column("a", "number"),))).whole()
        assert learned.numbers[:, 0].max() == 7.0
        known = Schema((Column("b", "category"),))
        assert Files([path], declaration(target="a"), known).whole().target is not None


def test_a_late_cell_in_a_column_that_is_declared_is_named_with_its_remedies(write: Write) -> None:
    path = write("id,age\n" + "1,2\n" * 70_411 + "1,soon\n" + "1,2\n" * 10)
    with pytest.raises(ColumnError) as caught:
        Files([path], declaration(kinds={"age": "number"})).whole()
    assert str(caught.value).endswith(
        "people.csv: column 'age' has a value that is not a number in row 70413 ('soon'). Mark it "
        'as missing with missing="soon", declare the column with categories=["age"], or ignore it.'
    )
    assert len(read(path, missing=["soon"])["age"]) == 70_422


def test_a_date_in_another_form_is_named_with_the_form(write: Write) -> None:
    path = write("day\n" + "2024-05-31\n" * BLOCK + "\n31.5.2024\n")
    with pytest.raises(ColumnError, match=r"'day' .* date in row 65539 \('31.5.2024'\).*%Y-%m-%d"):
        Files([path], declaration(dates=["day"])).whole()


def test_a_value_where_none_was_learned_is_named(write: Write) -> None:
    path = write("a,b\n1,\n2,x\n")
    schema = Schema((Column("a", "number"), Column("b", "category")))
    assert Files([path], declaration(), schema).whole().codes["b"].items() == [None, "x"]


def test_an_integer_that_a_double_cannot_hold_is_a_word(write: Write) -> None:
    path = write("a,id\n" + "1,9007199254740992\n" * BLOCK + "1,9007199254740993\n")
    found = files(path).validate()
    assert found.schema.columns[1].kind == "category"
    assert "too long for a double ('9007199254740993')" in found.notes[0]
    schema = Schema((Column("id", "number"),))
    with pytest.raises(ColumnError, match=r"'id' has .*9007199254740993.* row 65538"):
        Files([path], declaration(), schema).whole()


def test_large_numbers_that_a_double_holds_are_read(write: Write) -> None:
    path = write("a\n9007199254740994\n1e300\n-1152921504606846976\n0.1\n")
    assert read(path)["a"] == [9007199254740994.0, 1e300, -(2.0**60), 0.1]


def test_bytes_of_another_encoding_are_named_with_the_remedy(write: Write) -> None:
    path = write(b"a,b\n" + b"1,x\n" * 300_000 + b"1,Jos\xe9\n")
    assert sniff(path).encoding == "utf-8"
    with pytest.raises(ColumnError, match=r"'b' has bytes in row 300002.*\"latin-1\""):
        read(path)
    assert read(path, encoding="latin-1")["b"][-1] == "José"


def test_a_wrong_encoding_is_refused_from_the_start(write: Write) -> None:
    path = write("näme\n1\n", "latin-1")
    with pytest.raises(InputError, match=r"byte 0xe4 is not utf-8.*latin-1"):
        sniff(path, {"encoding": "utf-8"})
    with pytest.raises(InputError, match="byte 0xe4 is not utf-8"):
        Delimited(path, Dialect())


def test_bytes_that_windows_does_not_know_are_named(write: Write) -> None:
    path = write(b"a,b\n1,\x80\n" + b"1,x\n" * 300_000 + b"1,\x81\n")
    with pytest.raises(InputError, match="byte 0x81 is not"):
        read(path)


def test_nul_bytes_are_refused(write: Write) -> None:
    with pytest.raises(FileError, match="seems to be binary"):
        sniff(write(b"\x01\x02\x00\x00,1\n"))
    path = write(b"a\n" + b"1\n" * 600_000 + b"\0\n")
    with pytest.raises(FileError, match="seems to be binary"):
        read(path)


def test_a_path_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="does not exist"):
        sniff(tmp_path / "nothing.csv")
    with pytest.raises(FileError, match="is a folder"):
        sniff(tmp_path)


def test_a_packed_file_that_is_cut_short_is_refused(write: Write) -> None:
    whole = gzip.compress("".join(f"{i},{i * i}\n" for i in range(300_000)).encode())
    path = write(whole[: len(whole) // 2], name="people.csv.gz")
    with pytest.raises(FileError, match="damaged or cut short"):
        read(path)


@pytest.mark.parametrize("row", ['1,"y', '"2,y'])
@pytest.mark.parametrize("rest", [3, 100_000, 4_500_000])  # the last beyond the longest line
def test_a_quote_that_is_not_closed_is_named(write: Write, row: str, rest: int) -> None:
    path = write("a,b\n1,x\n" + row + "\n" + "3,z\n" * rest)
    with pytest.raises(InputError, match="row 3 opens a quote that is not closed"):
        list(source(path, delimiter=",").blocks({"a": "number", "b": "string"}))


@pytest.mark.parametrize("rest", [3, 4_500_000])
def test_a_header_with_an_open_quote_is_named(write: Write, rest: int) -> None:
    path = write('a,"b\n' + "1,2\n" * rest)
    with pytest.raises(InputError, match="the header opens a quote"):
        Delimited(path, Dialect())
