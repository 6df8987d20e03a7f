"""Foreign files: what is no table says what it is, and how it becomes one."""

from __future__ import annotations

import re
from pathlib import Path

from tallylearn.errors import FileError, quoted_list

SQLITE = b"SQLite format 3\0"
_PICTURE = "a picture", "Pass the table that was drawn, as CSV or Parquet."
_PICKLE = (
    "a pickle of Python, which runs code when it is read",
    "Load it yourself if you trust it, and pass what is in it: pandas.read_pickle(path).",
)
_CSV = "Save the table as CSV, or as Parquet or Arrow."
_START: dict[bytes, tuple[str, str]] = {
    b"PAR1": ("a Parquet file", "Give it a name that ends in .parquet."),
    b"%PDF": ("a PDF", "Copy the table in it into a spreadsheet and save that as CSV."),
    b"\x89PNG": _PICTURE,
    b"\xff\xd8\xff": _PICTURE,
    b"GIF8": _PICTURE,
    b"II*\0": _PICTURE,
    b"MM\0*": _PICTURE,
    b"7z\xbc\xaf": ("a 7z archive", "Unpack it, or pack the table as zip or gzip."),
    b"Rar!": ("a rar archive", "Unpack it, or pack the table as zip or gzip."),
    b"\x93NUMPY": ("an array of NumPy", "Pass numpy.load(path)."),
    b"\x89HDF": ("an HDF5 file", "Pass pandas.read_hdf(path)."),
    b"ORC": ("an ORC file", "Pass pyarrow.orc.read_table(path)."),
    b"Obj\x01": ("an Avro file", _CSV),
    b"RDX": ("an R workspace", "Save the table in R with write.csv(table, 'table.csv')."),
    b"\0\5\x16\7": (
        "what macOS keeps beside a file, and not the file",
        "Leave out names that begin with '._'.",
    ),
    b"{\\rtf": ("a text document (RTF)", _CSV),
    b"\x7fELF": ("a program", _CSV),
    b"MZ\x90": ("a program", _CSV),
}
_PICKLED = re.compile(rb"\x80[\x01-\x05]|\([ldt]p0\n|c[\w.]+\n\w+\n(?:p0\n|\()")
_HTML = re.compile(rb"\s*<(?:!doctype html|html|head|body|table|div|meta)\b", re.IGNORECASE)
_SERIES = re.compile(
    rb"^\s*@(?:problemname|univariate|classlabel|targetlabel|serieslength|frequency|horizon)\b",
    re.IGNORECASE | re.MULTILINE,
)
_OF_ZIP = {
    "word/": ("a document of Word", "Copy the table in it into a spreadsheet."),
    "ppt/": ("slides of PowerPoint", "Copy the table in it into a spreadsheet."),
    "Index/": ("a document of Apple (Numbers)", "Export it as CSV or Excel."),
    "META-INF/MANIFEST.MF": ("a Java archive", _CSV),
}


def foreign(path: Path, start: bytes) -> FileError | None:
    """What a file is by its first bytes, if that is no table; None where it may be one."""
    for magic, (what, remedy) in _START.items():
        if start.startswith(magic):
            return _no_table(path, what, remedy)
    if start.startswith(SQLITE):
        return _no_table(path, "a database of SQLite", _query(path))
    if _PICKLED.match(start):
        return _no_table(path, *_PICKLE)
    if b'{"__metadata__":{"tallylearn"' in start[:64]:
        return _no_table(
            path, "a model of tallylearn", "Load it with tl.load(path); a table is something else."
        )
    if _SERIES.search(start):
        return _no_table(
            path, "a file of time series (.ts of sktime or aeon, .tsf of the Monash archive)",
            "A row of it is a series of any length. Load it with "
            "sktime.datasets.load_from_tsfile(path) or load_tsf_to_dataframe(path), and pass a "
            "table with a column for every feature of a series.",
        )  # fmt: skip
    if start[257:262] == b"ustar":
        return _no_table(path, "a tar archive", "Unpack it, or pack the table as zip or gzip.")
    return _check_markup(path, start.removeprefix(b"\xef\xbb\xbf"))


def check_text(path: Path, start: bytes) -> None:
    """Refuse what is no text by its first bytes: to say that it is not UTF-8 would help nobody."""
    if (error := foreign(path, start)) is not None:
        raise error


def foreign_zip(path: Path, names: list[str]) -> FileError | None:
    """What a zip archive is by the names in it, if it is neither a workbook nor an archive."""
    for name, (what, remedy) in _OF_ZIP.items():
        if any(one.startswith(name) for one in names):
            return _no_table(path, what, remedy)
    if names and all(name.endswith(".npy") for name in names):
        key = names[0].removesuffix(".npy")
        return _no_table(path, "arrays of NumPy", f"Pass one of them: numpy.load(path)[{key!r}].")
    return None


def _check_markup(path: Path, start: bytes) -> FileError | None:
    ending = path.suffix.lower()
    if _HTML.match(start) or ending in (".html", ".htm"):
        return _no_table(
            path, "HTML, a page for a browser",
            f"If it has a table, pass pandas.read_html({path.name!r})[0]; or download the data.",
        )  # fmt: skip
    if start.lstrip().startswith(b"<?xml") or ending == ".xml":
        excel = b"Excel.Sheet" in start
        remedy = "Save it in Excel as .xlsx or CSV." if excel else (
            f"If its rows are elements, pass pandas.read_xml({path.name!r})."
        )  # fmt: skip
        return _no_table(path, "XML", remedy)
    return None


def _query(path: Path) -> str:
    """How a table of a database is asked for, with the names of those that it has."""
    import sqlite3

    names: list[str] = []
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            names = [name for (name,) in rows]
        finally:
            connection.close()
    except sqlite3.Error:
        names = []
    has = f"It has the tables {quoted_list(names)}. " if names else ""
    name = names[0] if names else "name"
    return (
        f"{has}Pass a query: tl.table('SELECT * FROM \"{name}\"', "
        f"sqlite3.connect({path.as_posix()!r}))."
    )


def _no_table(path: Path, what: str, remedy: str) -> FileError:
    return FileError(f"{path} is {what}, and not a table. {remedy}")
