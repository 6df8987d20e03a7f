"""Texts as people write them down: what stands above the rows, between their cells, around them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tallylearn as tl
from tallylearn.cli.terminal_text import sentence
from tallylearn.errors import ColumnError, InputError, TallyError
from tallylearn.sources.files.csv.dialect import Dialect
from tallylearn.sources.files.csv.rewriting import READ_BYTES, Rewriting


def read(path: Path, **given: Any) -> tuple[dict[str, list[Any]], tuple[str, ...]]:
    """The columns of a file, and what was noticed."""
    files = tl.table(path, dialect=given)
    assert isinstance(files.dialect, Dialect)  # type: ignore[attr-defined]
    return pa.concat_tables(files.raw()).to_pydict(), files.dialect.notes  # type: ignore[attr-defined]


READ: dict[str, tuple[str, dict[str, Any], dict[str, list[Any]], str]] = {
    # name: text, what is given, what is read, what is noted
    "a line sep=": ("sep=;\na;b\n1;x\n", {}, {"a": [1], "b": ["x"]}, "delimiter is ';'"),
    "a line sep= below a comment": (
        "# by hand\n\nsep=;\na;b\n1;x\n", {}, {"a": [1], "b": ["x"]},
        "line 3 says that the delimiter is ';'",
    ),
    "a line sep= of one column": ("sep=|\na\nx\n", {}, {"a": ["x"]}, "delimiter is '|'"),
    "a line sep= with a given delimiter": (
        "sep=;\na|b\n1|x\n", {"delimiter": "|"}, {"a": [1], "b": ["x"]}, "delimiter is ';'",
    ),
    "a title": (
        "Sales of 2024\nname,sum\nx,1\ny,2\n", {}, {"name": ["x", "y"], "sum": [1, 2]},
        "1 line above the table left out ('Sales of 2024')",
    ),
    "two titles and an empty line": (
        "Sales\nby region\n\nname,sum,n\nx,1,2\ny,2,3\n", {},
        {"name": ["x", "y"], "sum": [1, 2], "n": [2, 3]}, "3 lines above",
    ),
    "a title that was exported with its cells": (
        "Sales,,\n,,\nname,sum,n\nx,1,2\n", {}, {"name": ["x"], "sum": [1], "n": [2]}, "2 lines",
    ),
    "words above the table, some of its width": (
        "From:,2024-01-01,,,,\na,b,c,d,e,f\n1,2,3,4,5,6\n", {},
        {name: [at + 1] for at, name in enumerate("abcdef")}, "1 line above",
    ),
    "a title in quotes over two lines": (
        '"Sales\nof 2024"\nname,sum\nx,1\n', {}, {"name": ["x"], "sum": [1]}, "2 lines above",
    ),
    "skipped lines": ("what\never,1\n7,8\n", {"skip": 2}, {"x0": [7], "x1": [8]}, ""),
    "lines of all systems skipped": ("t\r\nu\rname\nx\n", {"skip": 2}, {"name": ["x"]}, ""),
    "comments above": (
        "# made by hand\n# in 2024\na,b\n1,x\n", {}, {"a": [1], "b": ["x"]}, "2 lines above",
    ),
    "comments above and names behind a mark": (
        "## v4\n#chrom\tpos\n1\t5\n2\t6\n", {}, {"chrom": [1, 2], "pos": [5, 6]},
        "names were read from line 2",
    ),
    "comments between the rows": (
        "a,b\n1,x\n# later\n  # and later\n2,y\n", {"comment": "#"},
        {"a": [1, 2], "b": ["x", "y"]}, "",
    ),
    "a line in quotes that looks like a comment": (
        'a,b\n1,"x\n# y"\n', {"comment": "#"}, {"a": [1], "b": ["x\n# y"]}, "",
    ),
    "colours that look like comments": (
        "#ff0000,1\n#00ff00,2\n", {}, {"x0": ["#ff0000", "#00ff00"], "x1": [1, 2]}, "",
    ),
    "spaces": ("a b c\n1 2 x\n3 4 y\n", {}, {"a": [1, 3], "b": [2, 4], "c": ["x", "y"]}, ""),
    "aligned columns": (
        "  name   size\n  x       1.5\n  yy     10\n", {},
        {"name": ["x", "yy"], "size": [1.5, 10]}, "",
    ),
    "spaces, tabs and quotes": (
        'city \t n\n"New  York" 1\nRome\t2\n', {"delimiter": " "},
        {"city": ["New  York", "Rome"], "n": [1, 2]}, "",
    ),
    "as R writes a table": (
        '"a" "b"\n"1" 5 "x y"\n"2" 6 "z"\n', {},
        {"x0": [1, 2], "a": [5, 6], "b": ["x y", "z"]}, "one name fewer",
    ),
    "a column of words with spaces": (
        "full name\nAda Lovelace\nAlan Turing\n", {},
        {"full name": ["Ada Lovelace", "Alan Turing"]}, "",
    ),
    "single quotes": (
        "'a','b'\n1,'x, y'\n2,'z'\n", {}, {"a": [1, 2], "b": ["x, y", "z"]}, "",
    ),
    "apostrophes that are no quotes": (
        "a,b\n1,'tis\n2,don't\n3,'x'\n", {}, {"a": [1, 2, 3], "b": ["'tis", "don't", "'x'"]}, "",
    ),
    "no quotes at all": (
        'a,b\n1,5" pipe\n2,"6\n', {"quote": ""}, {"a": [1, 2], "b": ['5" pipe', '"6']}, "",
    ),
    "a header of years": (
        "region,2019,2020,2021\nnorth,1.5,2,3\nsouth,2,3,4\n", {},
        {"region": ["north", "south"], "2019": [1.5, 2], "2020": [2, 3], "2021": [3, 4]},
        "read as names, '2019', '2020', '2021' among them",
    ),
    "years alone": (
        "2019,2020,2021\n1,2,3\n", {}, {"2019": [1], "2020": [2], "2021": [3]}, "names",
    ),
    "years that are values": (
        "2019,2020\n2021,2022\n", {}, {"x0": [2019, 2021], "x1": [2020, 2022]}, "",
    ),
    "words over numbers beside numbers": (
        "150,4,setosa,versicolor\n5.1,3.5,1.4,0\n4.9,3,1.4,0\n", {},
        {"150": [5.1, 4.9], "4": [3.5, 3], "setosa": [1.4, 1.4], "versicolor": [0, 0]},
        "'150', '4'",
    ),
    "one word over numbers": (
        "low,1,2\n3,4,5\n6,7,8\n", {},
        {"x0": ["low", "3", "6"], "x1": [1, 4, 7], "x2": [2, 5, 8]}, "",
    ),
    "names twice": ("a,b,a\n1,2,3\n", {}, {"a": [1], "b": [2], "a_2": [3]}, "'a' more than once"),
    "no name": (
        "a,,c\n1,2,3\n", {}, {"a": [1], "x1": [2], "c": [3]}, "one column has no name",
    ),
    "the index of pandas": (
        ",a\n0,x\n1,y\n2,z\n", {}, {"x0": [0, 1, 2], "a": ["x", "y", "z"]}, "--ignore x0",
    ),
    "names that are given": (
        "1,x\n2,y\n", {"header": ["n", "w"]}, {"n": [1, 2], "w": ["x", "y"]}, "",
    ),
    "names that are given in place of others": (
        "a,b\n1,x\n", {"header": ["n", "w"], "skip": 1}, {"n": [1], "w": ["x"]}, "",
    ),
    "a first row of numbers that names": (
        "1,2\n3,4\n", {"header": True}, {"1": [3], "2": [4]}, "names",
    ),
    "titles and a header that is given": (
        "Sales\n7,8\n1,2\n", {"header": True}, {"7": [1], "8": [2]}, "1 line above",
    ),
    "two columns, one without a name": (
        "name,\nx,y\nu,v\n", {}, {"name": ["x", "u"], "x1": ["y", "v"]}, "no name",
    ),
    "a byte order mark before a comment": (
        "\ufeff# c\na,b\n1,2\n", {"comment": "#"}, {"a": [1], "b": [2]}, "",
    ),
    "row names of R over text": (
        '"","Content"\n"V1","Do you often long for it?"\n"V2","Do you?"\n', {},
        {"x0": ["V1", "V2"], "Content": ["Do you often long for it?", "Do you?"]}, "no name",
    ),
    "single quotes between spaces": (
        "'a' 'b'\n1  2\n3  4\n", {}, {"a": [1, 3], "b": [2, 4]}, "",
    ),
    "row names with commas": (
        'a,b\n"r1",1,2\n"r2",3,4\n', {}, {"x0": ["r1", "r2"], "a": [1, 3], "b": [2, 4]}, "fewer",
    ),
    "rows that end with a delimiter": (
        "a,b\n1,2,\n3,4,\n", {}, {"a": [1, 3], "b": [2, 4], "x2": [None, None]}, "ends with",
    ),
    "names over some columns and values that are words": (
        "id,name,,,\na,b,c,d,e\nf,g,h,i,j\n", {},
        {"id": ["a", "f"], "name": ["b", "g"], "x2": ["c", "h"], "x3": ["d", "i"],
         "x4": ["e", "j"]}, "3 columns have no name",
    ),
    "lines of words above a table": (
        "From:,May,,,,\nTo:,June,,,,\n\na,b,c,d,e,f\n1,2,3,4,5,6\n", {},
        {name: [at + 1] for at, name in enumerate("abcdef")}, "3 lines above",
    ),
    "a first row of few values below given names": (
        "x,,,\ny,1,2,3\n", {"header": ["a", "b", "c", "d"]},
        {"a": ["x", "y"], "b": [None, 1], "c": [None, 2], "d": [None, 3]}, "",
    ),
    "headers of an exchange": ("<DATE>,<OPEN>\n1,2\n", {}, {"<DATE>": [1], "<OPEN>": [2]}, ""),
}  # fmt: skip

REFUSED: dict[str, tuple[str, dict[str, Any], str, dict[str, Any]]] = {
    # name: text, what is given, what is said, what mends it
    "a title over values": ("Sales\n1,2\n3,4\n", {}, '"skip": 1', {"skip": 1}),
    "names behind a mark over words": (
        "#id,name\na,b\nc,d\n", {}, 'line 1 .*"skip": 1', {"skip": 1},
    ),
    "a comment among the rows": ("a,b\n1,2\n# x\n3,4\n", {}, '"comment": "#"', {"comment": "#"}),
    "a header that lacks a name": (
        "a,b\n1,2,3\n1,5,6\n", {}, "row 2 has another number of cells",
        {"skip": 1, "header": ["a", "b", "c"]},
    ),
    "an open quote": ('a,b\n1,x\n2,"6\n', {}, '"quote": ""', {"quote": ""}),
    "names twice that are values": ("y,y\nn,y\ny,n\n", {}, '"header": False', {"header": False}),
    "too few names": (
        "1,2\n", {"header": ["a"]}, "1 names are given.*2 cells", {"header": ["a", "b"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_text_is_read_as_a_person_reads_it(tmp_path: Path, name: str) -> None:
    text, given, expected, noted = READ[name]
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    found, notes = read(path, **given)
    assert found == expected
    assert noted in "; ".join(notes)
    assert bool(noted) == bool(notes)


@pytest.mark.parametrize("name", REFUSED)
def test_where_a_text_can_be_read_in_two_ways_the_error_says_how_to_choose(
    tmp_path: Path, name: str
) -> None:
    text, given, says, remedy = REFUSED[name]
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    with pytest.raises((InputError, ColumnError), match=says):
        read(path, **given)
    assert read(path, **(given | remedy))[0]


def test_a_dialect_says_all_that_is_unusual() -> None:
    said = Dialect(" ", quote="'", skip=2, comment="#", names=("a",))
    assert str(said) == (
        "space-separated, decimal point, UTF-8, quoted with ', 2 lines skipped, comments after #, "
        "with given names"
    )


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("before", range(-3, 3))
def test_lines_are_left_out_across_the_edge_of_a_piece(end: bytes, before: int) -> None:
    first = b"x" * (READ_BYTES + before - len(end))
    text = first + end + b"#" + end + b"a b" + end + b"1  2" + end

    def reader() -> Any:
        rest = [text[at : at + READ_BYTES] for at in range(0, len(text), READ_BYTES)]

        def read(size: int) -> bytes:
            data = rest.pop(0) if rest else b""
            if len(data) > size:
                rest.insert(0, data[size:])
            return data[:size]

        return read

    assert b"".join(Rewriting(skip=1).pieces(reader())) == text[len(first + end) :]
    lines = b"".join(Rewriting(1, "#", True).pieces(reader()))
    assert lines == b"a b\n1 2\n"


def test_rows_are_numbered_below_what_was_skipped(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Sales\n\nname,sum\n" + "x,1\n" * 70_000 + "# note\n" + "y,2\n")
    with pytest.raises(
        TallyError, match=r"row 70004 has another number of cells.*\"comment\": \"#\""
    ):
        tl.NaiveBayes().fit(path, "name")
    model = tl.NaiveBayes().fit(tl.table(path, target="name", dialect={"comment": "#"}))
    assert model.classes_.tolist() == ["x", "y"]


def test_files_of_one_table_may_have_titles_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("January\na,b\n1,x\n")
    (tmp_path / "2.csv").write_text("February\nand a half\na,b\n2,y\n2,y\n")
    (tmp_path / "3.csv").write_text("a,b\n3,z\n")
    files = tl.table(tmp_path / "*.csv")
    assert pa.concat_tables(files.raw()).to_pydict() == {  # type: ignore[attr-defined]
        "a": [1, 2, 2, 3],
        "b": ["x", "y", "y", "z"],
    }


def test_thousands_beside_quoted_decimal_commas_are_read_as_in_a_frame(tmp_path: Path) -> None:
    cells = {"a": ["1,5", "2,5"], "b": ["1.234", "12.345"], "c": ["7", "8"], "d": ["0.5", "1.5"]}
    path = tmp_path / "t.csv"
    rows = zip(*cells.values(), strict=True)
    path.write_text("a,b,c,d\n" + "".join(f'"{a}",{b},{c},{d}\n' for a, b, c, d in rows))
    found = tl.table(path).whole().numbers.tolist()
    assert found == [[1.5, 1234, 7, 0.5], [2.5, 12345, 8, 1.5]]
    assert found == tl.table(cells).whole().numbers.tolist()


def text(folder: Path, cells: str) -> Path:
    path = folder / "t.csv"
    path.write_text(cells)
    return path


def test_three_digits_behind_a_point_are_decimals_aloud_where_no_comma_divides(
    tmp_path: Path,
) -> None:
    remedy = 'tl.table(..., dialect={"thousands": "."})'
    says = f"'1.250' is read as a decimal; if it has thousands, use {remedy}"
    path = text(tmp_path, "a;b\n1.250;x\n2.500;y\n")
    table = tl.table(path)
    assert says in table.notes
    assert next(iter(table.blocks())).numbers[:, 0].tolist() == [1.25, 2.5]
    meant = tl.table(path, dialect={"thousands": "."})
    assert next(iter(meant.blocks())).numbers[:, 0].tolist() == [1250, 2500]
    for cells in (
        "a;b\n1.250;0,5\n2.500;1,5\n",  # another column has a decimal comma: these are thousands
        "a,b\n1.250,x\n2.500,y\n",
        "a;b\n1.250;x\n2.5;y\n",
        "a;b\n1.250;0.125\n2.500;1\n",
    ):
        assert not [note for note in tl.table(text(tmp_path, cells)).notes if "thousands" in note]
    assert not [note for note in meant.notes if "thousands" in note and "use" in note]
    sure = tl.table(path, dialect={"decimal": "."})
    assert sure.notes == ()


TWO_ROWS = {
    "headings over some columns": (
        ",2022,,2023,\nregion,sales,cost,sales,cost\nnorth,1,2,3,4\nsouth,5,6,7,8\n",
        ("region", "2022 sales", "2022 cost", "2023 sales", "2023 cost"),
        [[1, 2, 3, 4], [5, 6, 7, 8]],
    ),
    "years below repeated names": (
        "who,sales,sales,cost,cost\n,2019,2020,2019,2020\nann,1,2,3,4\nbob,5,6,7,8\n",
        ("who", "sales 2019", "sales 2020", "cost 2019", "cost 2020"), [[1, 2, 3, 4], [5, 6, 7, 8]],
    ),
    "years below names over two columns": (
        "who,sales,,cost,\n,2019,2020,2019,2020\nann,1,2,3,4\nbob,5,6,7,8\n",
        ("who", "sales 2019", "sales 2020", "cost 2019", "cost 2020"), [[1, 2, 3, 4], [5, 6, 7, 8]],
    ),
    "units": ("who,height,weight\n,cm,kg\nann,170,60\nbob,180,70\n",
              ("who", "height cm", "weight kg"), [[170, 60], [180, 70]]),
    "a frame of pandas with two rows of names": (
        ",A,A,B\n,x,y,x\n0,1,2,3\n1,4,5,6\n", ("x0", "A x", "A y", "B x"),
        [[0, 1, 2, 3], [1, 4, 5, 6]],
    ),
    "a title above": (
        "Report\n\nwho,sales,sales,n\n,2019,2020,\nann,1,2,3\nbob,5,6,7\n",
        ("who", "sales 2019", "sales 2020", "n"), [[1, 2, 3], [5, 6, 7]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TWO_ROWS)
def test_two_rows_of_names_are_read_together(tmp_path: Path, name: str) -> None:
    cells, names, numbers = TWO_ROWS[name]
    path = text(tmp_path, cells)
    table = tl.table(path)
    assert table.schema.names == names
    assert table.whole().numbers.tolist() == numbers
    assert "the names were read from lines" in "; ".join(table.notes)
    again = tl.table(path, schema=tl.check(path).schema)
    assert again.schema.names == names


def test_one_row_of_names_stays_one(tmp_path: Path) -> None:
    for rows in ("a,b,c\nx,y,z\n1,2,3\n", ",b,c\nx,2,3\ny,5,6\n", ",b,c\nx,y,z\nu,v,w\n",
                 "a,b,c\nx,n/a,-\ny,1,2\nz,3,4\n", "a,b\nx,none\ny,1\nz,3\n",
                 "a,b,c\n,,\nx,1,2\ny,3,4\n"):  # fmt: skip
        assert not [note for note in tl.check(text(tmp_path, rows)).notes if "lines" in note]


def test_a_rule_below_the_names_of_a_markdown_table_is_left_out(tmp_path: Path) -> None:
    lines = ["| who | size | y |", "|-----|-----:|:---:|", *(f"| ann | {at} | 2 |" for at in "345")]
    table = tl.table(text(tmp_path, "\n".join(lines) + "\n"))
    assert [name for name in table.schema.names if name[0] != "x"] == ["who", "size", "y"]
    assert len(table.whole()) == 3
    assert "line 2 is a rule left out" in table.notes


def test_names_below_headings_of_several_columns_are_asked_about(tmp_path: Path) -> None:
    path = text(tmp_path, "Group,Size,\nname,length,width\nann,170,60\nbob,180,70\n")
    with pytest.raises(InputError, match=r"line 2 has words above columns of numbers") as asked:
        tl.table(path)
    said = str(asked.value)
    assert "units" not in said
    assert '{"skip": 1}' in said
    assert '{"header": True}' in said
    below = tl.table(path, dialect={"skip": 1})
    assert below.schema.names == ("name", "length", "width")
    assert len(below.whole()) == 2
    assert len(tl.table(path, dialect={"header": True}).whole()) == 3


def test_words_over_numbers_in_the_second_row_are_asked_about(tmp_path: Path) -> None:
    path = text(tmp_path, "who,height,weight\ntext,cm,kg\nann,170,60\nbob,180,70\n")
    with pytest.raises(InputError, match=r"line 2 has words above columns of numbers") as asked:
        tl.table(path)
    said = str(asked.value)
    for given, names, rows in (
        ({"skip": 1}, ("text", "cm", "kg"), 2),
        ({"skip": 2, "header": ["who", "height", "weight"]}, ("who", "height", "weight"), 2),
        ({"header": True}, ("who", "height", "weight"), 3),
    ):
        assert f"dialect={json.dumps(given).replace('true', 'True')}" in said
        table = tl.table(path, dialect=given)
        assert (table.schema.names, len(table.whole())) == (names, rows)
    options = sentence(asked.value)
    assert "--skip 1" in options
    assert "--skip 2 --names who,height,weight" in options
    assert "--header" in options


FIXED = {
    "inner blanks": (
        "Name            Age City\nAnn Smith        34 New York\nBob              45 Rome\n"
        "Cid von Berg    101 San Diego\n",
        {"Name": ["Ann Smith", "Bob", "Cid von Berg"], "Age": [34, 45, 101],
         "City": ["New York", "Rome", "San Diego"]}, (16, 4),
    ),
    "inner blanks that agree": (
        "id  name        x\n1   Ann Smith   3.5\n2   Bob Black   4.5\n3   Cid Berg   10.0\n",
        {"id": [1, 2, 3], "name": ["Ann Smith", "Bob Black", "Cid Berg"], "x": [3.5, 4.5, 10]},
        (4, 11),
    ),
    "no names": ("Ann Smith   3.5\nBob         4.5\nCid Berg   10.0\n",
                 {"x0": ["Ann Smith", "Bob", "Cid Berg"], "x1": [3.5, 4.5, 10]}, (11,)),
    "names of rows, as R prints a table": (
        "             mpg cyl\nMazda RX4   21.0   6\nValiant     18.1   6\nDatsun 710 122.8   4\n",
        {"x0": ["Mazda RX4", "Valiant", "Datsun 710"], "mpg": [21, 18.1, 122.8],
         "cyl": [6, 6, 4]}, (11, 6),
    ),
    "letters of two bytes": (
        "Stadt        n\nKöln am R.   1\nMünchen     20\nÖ            3\n",
        {"Stadt": ["Köln am R.", "München", "Ö"], "n": [1, 20, 3]}, (12,),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FIXED)
def test_columns_of_fixed_width_are_read(tmp_path: Path, name: str) -> None:
    cells, expected, widths = FIXED[name]
    path = text(tmp_path, cells)
    found, notes = read(path)
    assert found == expected
    assert notes[0] == "blanks align the columns, of fixed width"
    dialect: Any = tl.table(path).dialect  # type: ignore[attr-defined]
    assert dialect.widths == widths
    assert dialect.options["widths"] == list(widths)
    assert read(path, widths=list(widths))[0] == expected
    again = tl.table(path, schema=tl.check(path).schema)
    assert again.schema.names == tuple(expected)


WRAPPED = {
    "commas": ('"a,b,c"\n"1,2,x"\n"3,4,y"\n', {"a": [1, 3], "b": [2, 4], "c": ["x", "y"]}),
    "quotes within": ('"a,""b c"",c"\n"1,""x, y"",2"\n"3,""u v"",4"\n',
                      {"a": [1, 3], "b c": ["x, y", "u v"], "c": [2, 4]}),
    "semicolons": ('"a;b"\r\n"x;2,5"\r\n"y;4,5"\r\n', {"a": ["x", "y"], "b": [2.5, 4.5]}),
}  # fmt: skip


@pytest.mark.parametrize("name", WRAPPED)
def test_lines_that_stand_in_quotes_are_read(tmp_path: Path, name: str) -> None:
    cells, expected = WRAPPED[name]
    assert read(text(tmp_path, cells))[0] == expected
    assert "whole lines in quotes" in str(tl.table(tmp_path / "t.csv"))


def test_one_column_of_texts_in_quotes_stays_one(tmp_path: Path) -> None:
    found, _ = read(text(tmp_path, '"text"\n"Hello, world"\n"Bye, you"\n'))
    assert found == {"text": ["Hello, world", "Bye, you"]}


@pytest.mark.parametrize(
    ("below", "footer"),
    [
        ("\nSource: our own count\n", 1),
        ("Source: our own count\n", 1),
        ("\nSource: ours\nNote: rounded\n(1) estimated\n\n", 3),
        ("Source: ours,\n", 1),
    ],
)
def test_notes_below_a_table_are_asked_about(tmp_path: Path, below: str, footer: int) -> None:
    path = text(tmp_path, f"a,b,c\n1,2,x\n3,4,y\n5,6,z\n{below}")
    with pytest.raises(InputError, match=rf'use dialect=\{{"footer": {footer}\}}'):
        tl.table(path)
    assert read(path, footer=footer)[0] == {"a": [1, 3, 5], "b": [2, 4, 6], "c": [*"xyz"]}
    assert tl.check(path, dialect={"footer": footer}).schema["dialect"]["footer"] == footer


def test_a_note_in_cells_of_its_own_is_asked_about(tmp_path: Path) -> None:
    path = text(tmp_path, 'a,b,c\n1,2,x\n3,4,y\n5,6,z\n"Source: ours, 2024",,\n')
    with pytest.raises(InputError, match=r"has only 'Source: ours, 2024'") as asked:
        tl.table(path)
    assert "--footer 1" in sentence(asked.value)
    assert len(tl.table(path, dialect={"footer": 1}).whole()) == 3
    assert len(tl.table(path, dialect={"footer": 0}).whole()) == 4


def test_a_footer_is_cut_from_a_long_file(tmp_path: Path) -> None:
    n = 3 * READ_BYTES // 10
    rows = "".join(f"{at},{at}.5\n" for at in range(n))
    path = text(tmp_path, f"a,b\n{rows}\nfirst note\nsecond note\n")
    with pytest.raises(InputError, match=r'the last 2 lines are notes .*"footer": 2'):
        list(tl.table(path).blocks())
    found = tl.table(path, dialect={"footer": 2}).whole().numbers
    assert found.shape == (n, 2)
    assert found[-1].tolist() == [n - 1, n - 0.5]


def test_a_remedy_that_skips_lines_works(tmp_path: Path) -> None:
    titles = "".join(f"line {at}\n" for at in range(18))
    path = text(tmp_path, f"{titles}a,b\n1,2\n3,4\n")
    with pytest.raises(InputError, match=r'use dialect=\{"skip": 18\}'):
        tl.table(path)
    assert read(path, skip=18)[0] == {"a": [1, 3], "b": [2, 4]}
    path = text(tmp_path, f"# made\n{titles}a,b\n1,2\n3,4\n")  # some lines are skipped already
    with pytest.raises(InputError, match=r'use dialect=\{"skip": 19\}'):
        tl.table(path)
    assert read(path, skip=19)[0] == {"a": [1, 3], "b": [2, 4]}


@pytest.mark.parametrize(
    "cells", ["a\nb\nc\n1,2\n3,4,5\n6\n", "a,b\n1,2,3\n4,5\n", "a\nb\n1,2\nc\n"]
)
def test_a_remedy_that_would_fail_is_not_named(tmp_path: Path, cells: str) -> None:
    path = text(tmp_path, cells)
    with pytest.raises(InputError) as refused:
        tl.table(path)
    for skip in re.findall(r'"skip": (\d+)', str(refused.value)):
        read(path, skip=int(skip))


def test_a_footnote_gets_the_remedy_of_a_comment(tmp_path: Path) -> None:
    path = text(tmp_path, "a,b,c\n1,2,x\n3,4,y\n* preliminary\n")
    with pytest.raises(InputError, match=r'lines are comments, use dialect=\{"comment": "\*"\}'):
        tl.check(path)
    assert tl.check(path, dialect={"comment": "*"}).rows == 2
