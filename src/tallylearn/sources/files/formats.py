"""Formats: what a file is, by its first bytes where they say it, and by its ending where not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from tallylearn.errors import FileError, OptionError, quoted_list
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.files import arff, excel, json_lines, parquet, sas_stata_spss
from tallylearn.sources.files.compression import (
    ZIP,
    inner_suffix,
    is_packed,
    open_unpacked,
    start_of,
    zip_archive,
)
from tallylearn.sources.files.csv.dialect import marks
from tallylearn.sources.files.parts import FileReader
from tallylearn.sources.files.unsupported import foreign, foreign_zip
from tallylearn.sources.type_inference.missing_markers import MISSING

OLE = b"\xd0\xcf\x11\xe0"
_JSON = re.compile(rb"\s*(?:\[\s*)?\{\s*[\"}]|\s*\[\s*\]\s*$")


class FormatReader(FileReader, Protocol):
    """A file of a format, or a run of one: its columns and the number of its first row."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def start(self) -> int: ...


@dataclass(frozen=True)
class Format:
    """A kind of file that is no delimited text, and how it is opened."""

    what: str
    endings: tuple[str, ...]
    opened: Callable[[Path, Mapping[str, Any], Sequence[str]], Sequence[FormatReader]]
    options: tuple[str, ...] = ("missing",)  # of a dialect
    parsed: bool = True  # whether to read it again costs more than to keep what was read
    placed: bool = False  # whether it is read at any place, and so not while it is packed

    def readers(self, path: Path, declared: Declaration) -> Sequence[FormatReader]:
        """The runs of a file, as it is declared."""
        heeded = declared.dialect_for(self.options).items()
        said = {name: one for name, one in heeded if name != "date_format"}
        if odd := [name for name in said if name not in self.options]:
            raise OptionError(_unsupported_options(path, self, odd))
        if self.placed and is_packed(path):
            raise FileError(f"{path} is {self.what} that is compressed. Decompress it first.")
        return self.opened(path, said, marks(said.get("missing", MISSING), declared.missing))


PARQUET = Format(
    "a Parquet file", parquet.PARQUET,
    lambda path, _, __: parquet.ParquetRun.of(path) or [parquet.ParquetRun(path)],
    parsed=False, placed=True,
)  # fmt: skip
ARROW = Format(
    "an Arrow file", parquet.ARROW, lambda path, _, __: parquet.ArrowRun.of(path),
    parsed=False, placed=True,
)  # fmt: skip
WORKBOOK = Format(
    "a workbook", excel.ENDINGS,
    lambda path, said, marks: [excel.Workbook(path, said, marks)], excel.OPTIONS,
)  # fmt: skip
JSON = Format("a JSON file", json_lines.ENDINGS, lambda path, _, __: [json_lines.JsonFile(path)])
STATISTICS = Format(
    "a file of SAS, Stata or SPSS", sas_stata_spss.ENDINGS,
    lambda path, _, __: [sas_stata_spss.StatisticsFile(path)], placed=True,
)  # fmt: skip
ARFF = Format(
    "an ARFF file", arff.ENDINGS,
    lambda path, said, marks: [arff.ArffFile(path, said.get("encoding") or "", marks)],
    arff.OPTIONS,
)  # fmt: skip
FORMATS = (PARQUET, ARROW, WORKBOOK, JSON, STATISTICS, ARFF)


def format_of(path: Path, file: BinaryIO | None = None) -> Format | None:
    """The format of a file, which may be open at its beginning; None for delimited text."""
    start, ending = start_of(path, file), inner_suffix(path)
    if start.startswith(ZIP):
        return _format_of_zip(path)
    if start.startswith(OLE):
        _check_ole(path)
        return WORKBOOK
    for magic, form in ((b"PAR1", PARQUET), (b"ARROW1", ARROW)):
        if start.startswith(magic):
            return form
    if sas_stata_spss.has_signature(start):
        return STATISTICS
    if (error := foreign(path, start)) is not None:
        raise error
    if _JSON.match(start.removeprefix(b"\xef\xbb\xbf")):
        return JSON
    if arff.has_signature(start):
        return ARFF
    found = next((one for one in FORMATS if ending in one.endings), None)
    return None if found is WORKBOOK else found  # a table as text that was named .xls


def _format_of_zip(path: Path) -> Format:
    with open_unpacked(path) as file, zip_archive(path, file) as archive:
        names = archive.namelist()
    if _is_workbook(names):
        return WORKBOOK
    raise foreign_zip(path, names) or FileError(
        f"{path} is a zip archive. Rename it to end in .zip, or extract it."
    )


def _is_workbook(names: Sequence[str]) -> bool:
    return "content.xml" in names or any(name.startswith("xl/") for name in names)


def _check_ole(path: Path) -> None:
    """Old documents of Microsoft, and new ones with a password, are kept alike."""
    with open_unpacked(path) as file:
        data = file.read()
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise excel.password_error(path)
    if "WordDocument".encode("utf-16-le") in data:
        raise FileError(f"{path} is a Word document, and not a table. Save the table as CSV.")


def _unsupported_options(path: Path, form: Format, odd: Sequence[str]) -> str:
    if form.options == ("missing",):
        return (
            f"dialect= is for CSV files, and {path.name} is {form.what}, which takes only "
            "missing and date_format. Leave the other options out."
        )
    return (
        f"{path.name} is {form.what}, whose dialect has no option {quoted_list(odd)}. "
        f"The options are {quoted_list(form.options)}."
    )
