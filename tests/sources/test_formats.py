"""Files of every format: told by their bytes, read as their program shows them, or refused."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import pickle
import sqlite3
import sys
import zipfile
import zlib
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, FileError, InputError, OptionError
from tallylearn.sources.files import compression
from tallylearn.sources.files import excel as workbooks
from tests.hostile.bombs import xlsx

TEXT = b"a,b\n1,x\n2,y\n"
ROWS = {"a": [1.0, 2.0], "b": ["x", "y"]}
XLS = (  # one sheet S, as Excel 97 has it: a, b; 1.5, x
    r"c-p&gUhu)fjZzO8(10BSGsD0CoD6J8VvIn{3F8Pb0OkMx2QgtZ2N3@s1w#sOasVTejg?_H?-_Pb9D?HeAp;Y`29|"
    r"?Bl7Zn75XUeSF!<%?r7F-7IDy@e$Ov+SEs$hnm;)5yV~_;9N(f9QgGpg9xgM-?514cSi}Zp?TcFwpj8P2d?ftYYp"
    r"s6^5NeL{+#{e>SJ6O*xu!tdpD8mU*Dz2Zv2vN(*;8>KIm@_yf<XCtZmM{S0%{?_QwJ0&?0fPuI0+%p+{jb2l@CBA"
    r"r4=9X^(^s640Vw_hRh%7*_+%y)28ITP{|Vp(-U=*Sw=hE@IQS1x3y94ODR&crI0=X=xIkqvIL`{8<XK*DTIK<gDG"
    r"dBzwjek~3jj;yKPx|8@=Xe`j|Yo1fXit}X|4)#0K<QVMvxAmW<IbC6P(lnliFai32dq~m@Ne+MS$rLNUH^iLK$w&"
    r"U^OjZSv8<N#$a&SULA?80c5wn4%{Kv`q*9*$X@6Euu5dzb^C=3O27a}0qO_AW(FNb9mZKRL13pnjAn%9{JUUM5~C"
    r"F0U=o13{XewI;%E5Fzy)Rsf=LJu6grGh^^9oh>zKH}VuB3OOc3>q@X)kl5@Of}4ju=jdXbA^6pVsVFbYP&C>RB!U"
    r"=)mkp#d17Eqzcw1JoB_h4v@dq2oG#f%xC(Fv+k5K@9moSOV;rx-#Se=^}<olG2YD11lrUEJh;rz{U$fARK6W5kod"
    r"Z64)KtB&T0se~=N`KSXO3pk5Xt)&75^xRb{A0{}@#yD9"
)


def read(path: Path | str, **given: Any) -> dict[str, list[Any]]:
    tables = [*tl.table(path, dialect=given).raw()]  # type: ignore[attr-defined]
    return pa.concat_tables(tables).to_pydict() if tables else {}


def notes(path: Path, **given: Any) -> str:
    return "; ".join(tl.table(path, dialect=given).dialect.notes)  # type: ignore[attr-defined]


# Packed files


def zipped(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return file.getvalue()


PACKING: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True),
    "lz4": lambda data: pa.Codec("lz4").compress(data, asbytes=True),
    "zip": lambda data: zipped(t_csv=data),
}


@pytest.mark.parametrize("ending", PACKING)
@pytest.mark.parametrize("rows", [1, 135_000])  # beyond a megabyte, which is read at once
def test_a_packed_text_is_read_as_it_was(tmp_path: Path, ending: str, rows: int) -> None:
    path = tmp_path / f"t.csv.{ending}"
    path.write_bytes(PACKING[ending](b"a,b\n" + b"1,x\n2,y\n" * rows))
    assert read(path) == {"a": [1.0, 2.0] * rows, "b": ["x", "y"] * rows}


@pytest.mark.parametrize("ending", PACKING)
def test_a_packed_text_needs_no_ending(tmp_path: Path, ending: str) -> None:
    path = tmp_path / ("t.zip" if ending == "zip" else "t")
    path.write_bytes(PACKING[ending](TEXT))
    assert read(path) == ROWS


@pytest.mark.parametrize("ending", PACKING)
def test_a_packed_text_that_is_cut_short_is_an_error(tmp_path: Path, ending: str) -> None:
    whole = PACKING[ending](b"".join(b"%d,%d\n" % (i, i * i) for i in range(40_000)))
    path = tmp_path / f"t.csv.{ending}"
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match=r"damaged|cannot be opened"):
        read(path)


def test_members_of_an_archive_have_paths(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(zipped(a_csv=TEXT, sub__b_csv=TEXT, c_txt=b"hello\n"))
    with pytest.raises(
        FileError, match=r"3 files: 'a\.csv', 'c\.txt', 'sub/b\.csv'.*'t\.zip/a\.csv'"
    ):
        read(path)
    assert read(path / "a.csv") == ROWS
    assert read(f"{path}/sub/b.csv") == ROWS
    assert read(path / "*.csv") == {"a": [1.0, 2.0] * 2, "b": ["x", "y"] * 2}
    with pytest.raises(FileError, match=r"no file 'd\.csv'.*'a\.csv'"):
        read(path / "d.csv")
    assert tl.NaiveBayes().fit(path / "a.csv", "b").score(path / "a.csv", "b") == 1
    assert tl.table(path / "a.csv").load_if_small().size == 2


def test_what_a_system_puts_into_an_archive_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("folder/", b"")
        archive.writestr("folder/t.csv", TEXT)
        archive.writestr("__MACOSX/folder/._t.csv", b"\0\0")
        archive.writestr("folder/.DS_Store", b"\0\0")
    assert read(path) == ROWS


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (zipped(), "the archive is empty"),
        (zipped(t_zip=zipped(t_csv=TEXT)), "is a zip archive.*extract it"),
        (zipped(t_csv=TEXT).replace(b"PK\x03\x04\x14\0\0\0", b"PK\x03\x04\x14\0\1\0")
         .replace(b"PK\x01\x02\x14\x03\x14\0\0\0", b"PK\x01\x02\x14\x03\x14\0\1\0"), "password"),
    ],
)  # fmt: skip
def test_an_archive_without_a_table_says_so(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(data)
    with pytest.raises(FileError, match=says):
        read(path)


def with_version(data: bytes, version: int) -> bytes:
    """The same archive, unpacked by a later version of zip alone, as its directory says."""
    at = data.index(b"PK\x01\x02") + 6
    return data[:at] + version.to_bytes(2, "little") + data[at + 2 :]


def test_an_archive_of_a_later_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.zip").write_bytes(with_version(zipped(t_csv=TEXT), 248))
    book(tmp_path / "t.xlsx", [["a", "b"], [1, 2]])
    (tmp_path / "u.xlsx").write_bytes(with_version((tmp_path / "t.xlsx").read_bytes(), 248))
    for name in ("t.zip", "t.zip/t.csv", "t.zip/*.csv", "u.xlsx"):
        with pytest.raises(FileError, match=r"zip file version 24\.8.*Extract it"):
            read(tmp_path / name)


def test_a_member_of_an_archive_may_have_no_name(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(zipped(t_csv=TEXT, n_csv=TEXT))
    path.write_bytes(path.read_bytes().replace(b"n.csv", b"\0.csv"))  # a name ends at NUL
    assert read(path) == ROWS


def test_a_packed_file_is_read_twice(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.zst"
    path.write_bytes(PACKING["zst"](TEXT))
    with compression.open_file(path) as file:
        assert file.read() == TEXT
        file.seek(0)
        assert file.read() == TEXT


# Workbooks


def book(path: Path, rows: Sequence[Sequence[Any]], merged: Sequence[str] = ()) -> Path:
    workbook = openpyxl.Workbook()
    for row in rows:
        workbook.active.append(list(row))
    for cells in merged:
        workbook.active.merge_cells(cells)
    workbook.save(path)
    return path


SHEETS: dict[str, tuple[list[list[Any]], list[str], dict[str, Any], dict[str, list[Any]], str]] = {
    # name: rows, merged cells, what is given, what is read, what is noted
    "types": (
        [["n", "t", "b", "d", "i", "h"],
         [5, "x", True, date(2024, 1, 2), datetime(2024, 1, 2, 3, 4), time(3, 4)],
         [None, " y ", None, None, datetime(2024, 1, 3), None],
         [2.5, None, False, date(2024, 1, 3), None, time(5, 6)]], [], {},
        {"n": [5, None, 2.5], "t": ["x", "y", None], "b": [True, None, False],
         "d": [datetime(2024, 1, 2), None, datetime(2024, 1, 3)],
         "i": [datetime(2024, 1, 2, 3, 4), datetime(2024, 1, 3), None],
         "h": [time(3, 4), None, time(5, 6)]}, "",
    ),
    "numbers and text": (
        [["m", "y"], [5, 1], [2.5, 2], ["x", 3], [True, 4], [date(2024, 1, 2), 5]], [], {},
        {"m": ["5", "2.5", "x", "True", "2024-01-02"], "y": [1, 2, 3, 4, 5]}, "",
    ),
    "marks of gaps among numbers": (
        [["a", "b"], ["NA", "x"], [1, "?"]], [], {}, {"a": [None, 1], "b": ["x", None]}, "",
    ),
    "marks that are given": (
        [["a", "b"], ["-", "NA"], [1, "y"]], [], {"missing": ["-"]},
        {"a": [None, 1], "b": ["NA", "y"]}, "",
    ),
    "marks that are numbers": (
        [["a", "b"], [-999, True], [1, False], ["-999", True]], [], {"missing": [-999, 1]},
        {"a": [None, None, None], "b": [True, False, True]}, "",
    ),
    "a title": (
        [["Sales of 2024"], [], ["name", "sum"], ["x", 1], ["y", 2]], [], {},
        {"name": ["x", "y"], "sum": [1, 2]}, "2 rows above the table left out",
    ),
    "a title that is merged": (
        [["Sales", None, None], ["name", "sum", "n"], ["x", 1, 2]], ["A1:C1"], {},
        {"name": ["x"], "sum": [1], "n": [2]}, "1 row above",
    ),
    "empty rows and columns around": (
        [[], [], [None, None, "a", None, "b"], [], [None, None, 1, None, "x"],
         [None, None, 2, None, "y"]], [], {}, {"a": [1, 2], "b": ["x", "y"]}, "",
    ),
    "a title over another column": (
        [["Sales"], [None, "a", "b", "c"], [None, 1, 2, "x"]], [], {},
        {"a": [1], "b": [2], "c": ["x"]}, "1 row above",
    ),
    "no header": ([[1, "x"], [2, "y"]], [], {}, {"x0": [1, 2], "x1": ["x", "y"]}, ""),
    "a header of years": (
        [["region", 2019, 2020], ["north", 1.5, 3]], [], {},
        {"region": ["north"], "2019": [1.5], "2020": [3]}, "",
    ),
    "names twice and none": (
        [["a", None, "a"], [1, 2, 3]], [], {}, {"a": [1], "x1": [2], "a_2": [3]}, "more than once",
    ),
    "a name over two columns": (
        [["who", "place", None], ["x", "Rome", 1], ["y", "Bonn", 2]], ["B1:C1"], {},
        {"who": ["x", "y"], "place": ["Rome", "Bonn"], "place_2": [1, 2]}, "'place' more than once",
    ),
    "names in two rows": (
        [["who", "sales", None], [None, 2019, 2020], ["x", 1, 2]], ["B1:C1", "A1:A2"], {},
        {"who": ["x"], "sales 2019": [1], "sales 2020": [2]}, "",
    ),
    "cells that are merged over rows": (
        [["region", "n"], ["north", 1], [None, 2], ["south", 3], [None, 4], [None, 5]],
        ["A2:A3", "A4:A6"], {},
        {"region": ["north", "north", "south", "south", "south"], "n": [1, 2, 3, 4, 5]},
        "2 merged cells below the header: every row has their value",
    ),
    "cells that are merged over columns and rows": (
        [["id", "a", "b"], [1, "x", "y"], [2, "z", None], [3, None, None], [4, "u", "v"]],
        ["B3:C4"], {},
        {"id": [1, 2, 3, 4], "a": ["x", "z", "z", "u"], "b": ["y", "z", "z", "v"]},
        "a merged cell below the header",
    ),
    "skipped rows": (
        [["a", "b"], ["c", "d"], [1, 2]], [], {"skip": 1}, {"c": [1], "d": [2]}, "",
    ),
    "given names": (
        [[1, "x"]], [], {"header": ["n", "w"]}, {"n": [1], "w": ["x"]}, "",
    ),
    "given names over a row of few values": (
        [["x"], ["y", 1, 2]], [], {"header": ["a", "b", "c"]},
        {"a": ["x", "y"], "b": [None, 1], "c": [None, 2]}, "",
    ),
    "a header that is denied": (
        [["a", "b"], ["c", "d"]], [], {"header": False}, {"x0": ["a", "c"], "x1": ["b", "d"]}, "",
    ),
    "a column without values": ([["a", "b"], [1, None]], [], {}, {"a": [1], "b": [None]}, ""),
    "a header alone": ([["a", "b"]], [], {}, {}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_is_read_as_a_person_reads_it(tmp_path: Path, name: str) -> None:
    rows, merged, given, expected, noted = SHEETS[name]
    path = book(tmp_path / "t.xlsx", rows, merged)
    assert read(path, **given) == expected
    assert noted in notes(path, **given)
    assert bool(noted) == bool(notes(path, **given))


def test_a_heading_that_is_merged_amid_the_rows_is_refused(tmp_path: Path) -> None:
    rows = [["name", "n"], ["x", 1], ["South", None], ["y", 2]]
    with pytest.raises(InputError, match=r"A3 to B3 are merged across all columns \('South'\)"):
        read(book(tmp_path / "t.xlsx", rows, ["A3:B3"]))


def test_formulas_that_were_never_computed_are_refused_by_their_column(tmp_path: Path) -> None:
    rows = [["a", "twice", "b"], [1, "=2*A2", "x"], [2, "=2*A3", "y"], [3, 6, "=UPPER(C3)"]]
    path = book(tmp_path / "t.xlsx", rows)
    with pytest.raises(
        ColumnError, match=r"column 'twice' has a formula in cell B2 without a computed value"
    ):
        read(path)
    with pytest.raises(ColumnError, match=r"column 'b' has a formula in cell C4"):
        tl.table(path, ignore=["twice"])
    assert tl.table(path, ignore=["twice", "b"]).whole().numbers.tolist() == [[1], [2], [3]]


def test_a_formula_below_the_last_value_is_refused(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", [["a", "b"], [1, "x"], [2, "y"], ["=SUM(A2:A3)"]])
    with pytest.raises(ColumnError, match=r"column 'a' has a formula in cell A4"):
        read(path)


def test_formulas_with_values_are_read_and_an_empty_string_is_one(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    formula = '<c r="{0}" t="str"><f>1</f><v>{1}</v></c>'
    xlsx(path, [
        b'<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c></row>',
        f'<row r="2"><c r="A2"><f>1+1</f><v>2</v></c>{formula.format("B2", "x")}</row>'.encode(),
        f'<row r="3"><c r="A3"><f>1+2</f><v>3</v></c>{formula.format("B3", "")}</row>'.encode(),
    ])  # fmt: skip
    assert read(path) == {"a": [2, 3], "b": ["x", None]}


def several(path: Path) -> Path:
    workbook = openpyxl.Workbook()
    workbook.active.title = "empty"
    for name in ("jan", "feb", "2"):
        sheet = workbook.create_sheet(name)
        sheet.append(["a", "b"])
        sheet.append([name, 1])
    hidden = workbook.create_sheet("lists")
    hidden.append(["x"])
    hidden.sheet_state = "hidden"
    workbook.save(path)
    return path


def test_the_sheet_is_named_or_numbered(tmp_path: Path) -> None:
    path = several(tmp_path / "t.xlsx")
    with pytest.raises(
        InputError, match=r"3 sheets with cells: 'jan', 'feb', '2'\. .*\"sheet\": \"jan\""
    ):
        read(path)
    assert read(path, sheet="feb") == {"a": ["feb"], "b": [1]}
    assert read(path, sheet=3) == {"a": ["feb"], "b": [1]}
    assert read(path, sheet="2") == {"a": ["2"], "b": [1]}
    assert read(path, sheet="lists", header=False) == {"x0": ["x"]}
    with pytest.raises(OptionError, match=r"no sheet 'mar'.*numbered from 1: 'empty', 'jan'"):
        read(path, sheet="mar")
    with pytest.raises(FileError, match="the sheet 'empty' is empty"):
        read(path, sheet="empty")


def test_the_only_sheet_with_cells_is_the_table(tmp_path: Path) -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.create_sheet("data")
    sheet.append(["a", "b"])
    sheet.append([1, "x"])
    workbook.save(tmp_path / "t.xlsx")
    files = tl.table(tmp_path / "t.xlsx")
    assert str(files) == "Files(t.xlsx: the sheet 'data', with a header)"


def test_a_workbook_gives_the_same_bits_as_the_frame(people: pd.DataFrame, tmp_path: Path) -> None:
    people.to_excel(tmp_path / "t.xlsx", index=False)
    model, plain = tl.NaiveBayes().fit(tmp_path / "t.xlsx", "y"), tl.NaiveBayes().fit(people, "y")
    assert model.tally_ == plain.tally_
    assert model.schema_ == plain.schema_
    np.testing.assert_array_equal(
        model.predict_proba(tmp_path / "t.xlsx"), plain.predict_proba(people)
    )


def test_a_workbook_of_many_rows_comes_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbooks, "BLOCK", 1_000)
    files = tl.table(book(tmp_path / "t.xlsx", [("a", "b"), *((at, "x") for at in range(2_500))]))
    assert [len(block) for block in files.blocks()] == [1_000, 1_000, 500]
    parts = pickle.loads(pickle.dumps(list(files.parts())))
    assert len(pickle.dumps(parts)) < 10_000
    assert sum(len(block) for part in parts for block in part.blocks()) == 2_500


def ods(path: Path, rows: Sequence[Sequence[Any]]) -> None:
    def cell(value: Any) -> str:
        number = f'float" office:value="{value}'
        return (
            f'<table:table-cell office:value-type="{number if value == 1.5 else "string"}">'
            f"<text:p>{value}</text:p></table:table-cell>"
        )

    spaces = "".join(
        f' xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"'
        for one in ("office", "table", "text")
    )
    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        head = '<?xml version="1.0"?>'
        archive.writestr("META-INF/manifest.xml", f"{head}<manifest/>")
        archive.writestr(
            "content.xml",
            f"{head}<office:document-content{spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="T">{lines}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )


def test_workbooks_of_other_programs_are_read(tmp_path: Path) -> None:
    ods(tmp_path / "t.ods", [["a", "b"], [1.5, "x"]])
    (tmp_path / "t.xls").write_bytes(zlib.decompress(base64.b85decode("".join(XLS))))
    assert read(tmp_path / "t.ods") == read(tmp_path / "t.xls") == {"a": [1.5], "b": ["x"]}


def test_a_workbook_is_told_by_its_bytes_and_not_by_its_name(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", [["a", "b"], [1, "x"]]).rename(tmp_path / "t.csv")
    assert read(path) == {"a": [1], "b": ["x"]}
    assert "the sheet 'Sheet'" in str(tl.table(path))
    (tmp_path / "t.xls").write_bytes(TEXT.replace(b",", b"\t"))
    assert read(tmp_path / "t.xls") == ROWS
    (tmp_path / "u.csv").write_bytes(gzip.compress(path.read_bytes()))
    assert read(tmp_path / "u.csv") == {"a": [1], "b": ["x"]}


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_parquet_and_arrow_are_told_by_their_bytes(tmp_path: Path, name: str) -> None:
    write = pq.write_table if name.endswith("parquet") else pyarrow.feather.write_feather
    write(pa.table(ROWS), tmp_path / name)
    (tmp_path / name).rename(tmp_path / "t.csv")
    assert read(tmp_path / "t.csv") == ROWS


def test_without_the_reader_of_workbooks_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = book(tmp_path / "t.xlsx", [["a"], [1]])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(FileError, match=r"pip install 'tallylearn\[excel\]'"):
        read(path)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"delimiter": ";"}, "is a workbook, whose dialect has no option 'delimiter'.*'sheet'"),
        ({"header": ["a"]}, "1 names are given, and the sheet 'Sheet' has 2"),
        ({"skip": -1}, "skip must be a number of rows"),
        ({"sheet": 1.5}, "sheet must be a name or a number"),
        ({"header": "yes"}, "header must be"),
    ],
)
def test_an_impossible_option_of_a_workbook_is_refused(
    tmp_path: Path, given: dict[str, Any], says: str
) -> None:
    path = book(tmp_path / "t.xlsx", [["a", "b"], [1, 2]])
    with pytest.raises(OptionError, match=says):
        read(path, **given)


# What is no table


def locked() -> bytes:
    """An encrypted workbook begins as old documents do, and names what it holds."""
    return (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le")
    )


def damaged_book() -> bytes:
    return zipped(xl__workbook_xml=b"<x")


FOREIGN: dict[str, tuple[bytes, str]] = {
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0", "is a picture, and not a table"),
    "another picture": (b"\xff\xd8\xff\xe0\0\x10JFIF", "is a picture"),
    "a PDF": (b"%PDF-1.7\n1 0 obj", "is a PDF.*Copy the table"),
    "HTML": (b"<!DOCTYPE html><html><table><tr><td>1</td></tr></table>", r"is HTML.*read_html"),
    "HTML of Excel": (b"\xef\xbb\xbf \n<table><tr><td>a</td></tr></table>", "is HTML"),
    "XML": (b"<?xml version='1.0'?><rows><row/></rows>", r"is XML.*read_xml"),
    "XML of Excel": (b"<?xml version='1.0'?><?mso-application progid='Excel.Sheet'?>", "in Excel"),
    "a pickle": (pickle.dumps({"a": [1]}), r"a pickle.*runs code.*pandas\.read_pickle"),
    "a pickle of pandas": (pickle.dumps(pd.DataFrame(ROWS)), "a pickle"),
    "arrays": (zipped(x_npy=b"\x93NUMPY"), r"arrays of NumPy.*numpy\.load\(path\)\['x'\]"),
    "an array": (b"\x93NUMPY\x01\0v\0", r"an array of NumPy.*numpy\.load"),
    "a document": (zipped(word__document_xml=b""), "a document of Word"),
    "an old document": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), "a Word document",
    ),
    "slides": (zipped(ppt__slides_xml=b""), "slides"),
    "a workbook with a password": (locked(), "a workbook with a password.*save it without one"),
    "a broken workbook": (damaged_book(), "cannot be read as a workbook.*save it again"),
    "a note of macOS": (b"\0\5\x16\7\0\2\0\0Mac OS X", r"what macOS keeps.*'\._'"),
    "a tar archive": (b"t.csv" + b"\0" * 252 + b"ustar  \0" + b"\0" * 300, "a tar archive"),
    "a 7z archive": (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    "a packed picture": (gzip.compress(b"\x89PNG\r\n"), "is a picture"),
    "NUL bytes": (b"a,b\n1,\0\n", "NUL bytes"),
    "nothing": (b"", "the file is empty"),
    "spaces": (b" \n\n ", "the file is empty"),
    "too many columns": (b",".join(b"c%d" % i for i in range(100_001)) + b"\n", "100,001 cells"),
}  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "xlsx", "txt"])
@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_table_says_what_it_is(tmp_path: Path, name: str, ending: str) -> None:
    data, says = FOREIGN[name]
    path = tmp_path / f"t.{ending}"
    path.write_bytes(data)
    with pytest.raises((FileError, InputError), match=says):
        read(path)


def test_a_database_of_sqlite_names_its_tables_and_the_query(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE people (a REAL)")
    connection.commit()
    connection.close()
    with pytest.raises(FileError, match=r"'people'\. Pass a query: tl\.table\('SELECT \* FROM"):
        read(path)


def test_a_model_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "t.tally"
    tl.NaiveBayes().fit([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], "b").save(path)
    with pytest.raises(FileError, match=r"a model of tallylearn.*tl\.load"):
        read(path)


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"is a folder: pass its files, as in 'folder/\*\.csv'"):
        read(tmp_path)


def test_a_line_that_is_too_long_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,x\n" + b"y" * 20_000_000 + b"\n")
    with pytest.raises(InputError, match="longer than 16,777,216 bytes"):
        read(path)
    with pytest.raises(InputError, match="longer than 16,777,216 bytes"):
        read(path, comment="#")


@pytest.mark.parametrize("rows", [1, 220_000])
def test_mixed_encodings_are_an_error_that_names_them(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + "1,é\n".encode() * rows + b"1,\xe9\n")
    with pytest.raises(InputError, match=r"not utf-8|not UTF-8.*mixes two encodings"):
        read(path)
    assert read(path, encoding="latin-1")["b"][-1] == "é"


def test_a_packed_parquet_is_unpacked_first(tmp_path: Path) -> None:
    pq.write_table(pa.table(ROWS), tmp_path / "t.parquet")
    (tmp_path / "t.parquet.gz").write_bytes(gzip.compress((tmp_path / "t.parquet").read_bytes()))
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.write(tmp_path / "t.parquet", "t.parquet")
    for name in ("t.parquet.gz", "t.zip"):
        with pytest.raises(
            FileError, match=r"a Parquet file that is compressed\. Decompress it first"
        ):
            read(tmp_path / name)


# A file that changes while it is read


def test_a_file_that_changes_while_it_is_read_gives_no_result(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,x\n2,y\n" * 100_000)
    blocks = tl.table(path).blocks()
    next(blocks)
    with path.open("ab") as file:
        file.write(b"3,z\n")
    with pytest.raises(FileError, match=r"t\.csv changed while it was read.*copy"):
        list(blocks)


def test_an_error_in_a_file_that_changed_is_told_as_the_change(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,x\n2,y\n" * 1_000_000)
    blocks = tl.table(path).blocks()
    next(blocks)
    path.write_bytes(path.read_bytes()[:6_000_000] + b"1,2,3\n")
    with pytest.raises(FileError, match="changed while it was read"):
        list(blocks)


def test_a_file_that_changed_since_it_was_declared_is_declared_again(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(TEXT)
    files = tl.table(path, target="b")
    path.write_bytes(TEXT + b"3,z\n")
    with pytest.raises(FileError, match="changed since"):
        tl.NaiveBayes().fit(files)
    assert tl.NaiveBayes().fit(tl.table(path, target="b")).classes_.tolist() == ["x", "y", "z"]
