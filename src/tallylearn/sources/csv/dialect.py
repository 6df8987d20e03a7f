"""How a delimited file is written can be guessed from its first lines, and can always be said.

What is not said is guessed from the first megabyte:

- the encoding: a byte order mark decides; else UTF-16 where every second byte is NUL, UTF-8 where
  the bytes allow it, cp1252 or latin-1 where they do not;
- the delimiter: the one of , ; tab | that cuts most lines into equally many cells;
- the decimal mark: a comma where numbers have one and the delimiter is another. Cells such as
  1,234 alone prove nothing (they may be thousands), and stay text;
- the header: the first row, unless one of its cells is a number or a date.
"""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import trunc
from numbers import Real
from pathlib import Path
from typing import Any, BinaryIO

from tallylearn.errors import OptionError, listed
from tallylearn.sources.csv.decoding import (
    Bytes,
    binary,
    blank,
    check_text,
    empty,
    misread,
    records,
)
from tallylearn.sources.written.judging import PLAIN, Hints
from tallylearn.sources.written.plain_words import MISSING

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
OPTIONS = ("delimiter", "decimal", "encoding", "header", "missing", "thousands", "date_format")
SAMPLE = 1 << 20  # bytes
LINES = 200

_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
_MULTIBYTE = re.compile(rb"(?:[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2})[^\x80-\xff]")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?")
_WITH_COMMA = re.compile(r"[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,}))([eE][+-]?\d+)?")
_WITH_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Dialect:
    """How a delimited file is written.

    >>> print(Dialect(delimiter=";", decimal=","))
    semicolon-separated, decimal comma, UTF-8, with a header
    """

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    header: bool = True
    missing: tuple[str, ...] = MISSING
    hints: Hints = PLAIN  # for columns that leave two readings open

    def __str__(self) -> str:
        delimiter = DELIMITERS.get(self.delimiter, repr(self.delimiter))
        decimal = "comma" if self.decimal == "," else "point"
        header = "with a header" if self.header else "without a header"
        encoding = self.encoding.upper().replace("-SIG", " with a byte order mark")
        return f"{delimiter}-separated, decimal {decimal}, {encoding}, {header}"


def sniff(
    path: Path,
    given: Mapping[str, Any] | None = None,
    missing: Sequence[object] = (),
    file: BinaryIO | None = None,
) -> Dialect:
    """The dialect of a file, which may be open: ``given`` where it is given, guessed where not.

    ``missing`` are markers beside the usual ones; a number stands for its spellings (-999, -999.0).
    """
    said = _checked(given or {})
    data = _sample(path, file)
    encoding = said.get("encoding") or _encoding(data)
    text = _decoded(path, data, encoding)
    delimiter = said.get("delimiter") or _delimiter(text)
    rows = _rows(text, delimiter)
    decimal = said.get("decimal") or _decimal(rows, delimiter)
    marked = said.get("decimal") or {",": ".", ".": ","}.get(said.get("thousands", ""))
    shown = marked or (decimal if decimal == "," or delimiter == "," or _points(rows) else "")
    markers = [*_spelled(said.get("missing", MISSING), decimal), *_spelled(missing, decimal)]
    return Dialect(
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        header=said.get("header", not any(_is_value(cell.strip()) for cell in rows[0])),
        missing=tuple(dict.fromkeys(["", *markers])),
        hints=Hints(shown, said.get("date_format", "")),
    )


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as given, each of them possible."""
    if unknown := [key for key in given if key not in OPTIONS]:
        raise OptionError(f"dialect has no option {listed(unknown)}. There are {listed(OPTIONS)}.")
    said = {key: value for key, value in given.items() if value is not None}
    delimiter = said.get("delimiter", ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '\r\n"':
        raise OptionError(f"dialect: delimiter must be one character, not {delimiter!r}.")
    if not delimiter.isascii():
        raise OptionError(
            f"dialect: delimiter {delimiter!r} is not one of ASCII. Write the file with another, "
            "such as a comma or a tab."
        )
    if said.get("decimal", ".") not in (".", ","):
        raise OptionError(f"dialect: decimal must be '.' or ',', not {said['decimal']!r}.")
    if said.get("thousands", ",") not in (",", ".", "'", " "):
        raise OptionError(
            f"dialect: thousands must be ',', '.', an apostrophe or a space, not "
            f"{said['thousands']!r}."
        )
    form = said.get("date_format", "%Y-%m-%d")
    if not isinstance(form, str) or not all(part in form for part in ("%d", "%m")):
        raise OptionError(f"dialect: date_format is as in '%d/%m/%Y' or '%m/%d/%Y', not {form!r}.")
    if not isinstance(said.get("header", True), bool):
        raise OptionError(f"dialect: header must be True or False, not {said['header']!r}.")
    try:
        codecs.lookup(said.get("encoding", "utf-8"))
    except (LookupError, TypeError):
        raise OptionError(
            f"dialect: encoding {said['encoding']!r} is not known. "
            "Name one of Python's, such as 'utf-8', 'utf-16' or 'latin-1'."
        ) from None
    return said


def _sample(path: Path, file: BinaryIO | None) -> bytes:
    with Bytes(path, file=file) as stream:
        data = stream.read(SAMPLE)
    if not data:
        raise empty(path)
    check_text(path, data)
    return data


def _encoding(data: bytes) -> str:
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding, zeros in (("utf-16-le", data[1::2]), ("utf-16-be", data[0::2])):
        if 2 * data.count(0) < 1.2 * len(data) and zeros.count(0) > 0.8 * len(zeros):
            return encoding
    if data.isascii() or _MULTIBYTE.search(
        data
    ):  # UTF-8, and a stray byte later is an error, not another encoding
        return "utf-8"
    for encoding in ("utf-8", "cp1252"):
        try:
            codecs.getincrementaldecoder(encoding)().decode(data)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8" or re.search(rb"[\x80-\x9f]", data):
            return encoding
    return "latin-1"


def _decoded(path: Path, data: bytes, encoding: str) -> str:
    """The whole lines of a sample as text."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(data).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise misread(path, error) from None
    if "\0" in text:
        raise binary(path)
    if not text.strip():
        raise empty(path)
    lines = text.splitlines(keepends=True)
    return text if len(data) < SAMPLE or len(lines) == 1 else "".join(lines[:-1])


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """The first rows of a sample, without the empty lines."""
    rows = []
    for cells in records(io.StringIO(text, newline=""), delimiter):
        if not blank(cells):
            rows.append(cells)
        if len(rows) == LINES:
            break
    return rows or [[]]


def _delimiter(text: str) -> str:
    """The delimiter that gives most rows the same number of cells; of two, the one with more."""
    tables = {delimiter: _rows(text, delimiter) for delimiter in DELIMITERS}
    scores = {delimiter: _regularity(rows) for delimiter, rows in tables.items()}
    for other in ";\t|":
        # Rows such as 1,5;2,5 are as regular by their commas as by their semicolons.
        if scores[other][0] == 1 and _decimal(tables[other], other) == ",":
            scores[","] = (0.0, 0)
    best = max(scores, key=lambda delimiter: scores[delimiter])
    return best if scores[best][0] else ","


def _regularity(rows: list[list[str]]) -> tuple[float, int]:
    ((cells, times),) = Counter(map(len, rows)).most_common(1)
    return (times / len(rows), cells) if cells > 1 else (0.0, 0)


def _decimal(rows: list[list[str]], delimiter: str) -> str:
    cells = [cell.strip() for row in rows for cell in row]
    commas = sum(1 for cell in cells if _WITH_COMMA.fullmatch(cell))
    points = sum(1 for cell in cells if _WITH_POINT.fullmatch(cell))
    return "," if delimiter != "," and commas > points else "."


def _points(rows: list[list[str]]) -> bool:
    """Whether some cell has a decimal point."""
    return any(_WITH_POINT.fullmatch(cell.strip()) for row in rows for cell in row)


def _is_value(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell) or _DATE.fullmatch(cell))


def _spelled(markers: Any, decimal: str) -> Iterator[str]:
    """Markers as they stand in a file; None and the empty string are missing anyway."""
    several = isinstance(markers, Iterable) and not isinstance(markers, str)
    for marker in markers if several else (markers,):
        if isinstance(marker, Real) and marker == marker // 1:
            yield from (f"{trunc(marker)}{zeros}" for zeros in ("", f"{decimal}0", f"{decimal}00"))
        elif isinstance(marker, Real):
            yield repr(float(marker)).replace(".", decimal)
        elif marker is not None:
            yield str(marker).strip(" \t")
