"""Texts as people write them down: what stands above the rows, between their cells, around them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, TallyError
from tallylearn.sources.csv.dialect import Dialect
from tallylearn.sources.csv.rewriting import PIECE, Rewriting


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
        "a,b\n1,2,3\n1,5,6\n", {}, "row 1 has another number of cells",
        {"skip": 1, "header": ["a", "b", "c"]},
    ),
    "an open quote": ('a,b\n1,x\n2,"6\n', {}, '"quote": ""', {"quote": ""}),
    "names twice that are values": ("y,y\nn,y\ny,n\n", {}, '"header": False', {"header": False}),
    "too few names": (
        "1,2\n", {"header": ["a"]}, "1 columns are named.*2 cells", {"header": ["a", "b"]},
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
    first = b"x" * (PIECE + before - len(end))
    text = first + end + b"#" + end + b"a b" + end + b"1  2" + end

    def reader() -> Any:
        rest = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]

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
        TallyError, match=r"row 70001 has another number of cells.*\"comment\": \"#\""
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
    says = "'1.250' is read as a decimal; if it has thousands, say --thousands ."
    path = text(tmp_path, "a;b\n1.250;x\n2.500;y\n")
    table = tl.table(path)
    assert says in table.notes
    assert next(iter(table.blocks())).numbers[:, 0].tolist() == [1.25, 2.5]
    meant = tl.table(path, dialect={"thousands": "."})
    assert next(iter(meant.blocks())).numbers[:, 0].tolist() == [1250, 2500]
    for cells in (
        "a,b\n1.250,x\n2.500,y\n",
        "a;b\n1.250;x\n2.5;y\n",
        "a;b\n1.250;0.125\n2.500;1\n",
    ):
        assert not [note for note in tl.table(text(tmp_path, cells)).notes if "thousands" in note]
    assert not [note for note in meant.notes if "thousands" in note and "say" in note]
    sure = tl.table(path, dialect={"decimal": "."})
    assert sure.notes == ()


def test_names_below_headings_are_proposed_and_read_when_told(tmp_path: Path) -> None:
    path = text(
        tmp_path, ",2022,,2023,\nregion,sales,cost,sales,cost\n" + "north,1,2,3,4\nsouth,5,6,7,8\n"
    )
    says = "line 2 seems to have the names, below headings: say --skip 1 if so"
    assert says in tl.check(path).notes
    names = tl.table(path, dialect={"skip": 1}).schema.names
    assert names == ("region", "sales", "cost", "sales_2", "cost_2")
    assert says not in tl.check(path, dialect={"skip": 1}).notes
    for rows in ("a,b,c\nx,y,z\n1,2,3\n", ",b,c\nx,2,3\ny,5,6\n", ",b,c\nx,y,z\nu,v,w\n"):
        assert not [note for note in tl.check(text(tmp_path, rows)).notes if "headings" in note]


def test_a_footnote_gets_the_remedy_of_a_comment(tmp_path: Path) -> None:
    path = text(tmp_path, "a,b,c\n1,2,x\n3,4,y\n* preliminary\n")
    with pytest.raises(InputError, match=r'lines are comments, say dialect=\{"comment": "\*"\}'):
        tl.check(path)
    assert tl.check(path, dialect={"comment": "*"}).rows == 2
