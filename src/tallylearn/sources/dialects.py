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
import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import trunc
from numbers import Real
from pathlib import Path
from typing import Any

from tallylearn.errors import FileError, InputError, OptionError, listed

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
OPTIONS = ("delimiter", "decimal", "encoding", "header", "missing")
SAMPLE = 1 << 20  # bytes
LINES = 200
LONGEST = 1 << 24  # bytes of one row, or of one cell

_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
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

    def __str__(self) -> str:
        delimiter = DELIMITERS.get(self.delimiter, repr(self.delimiter))
        decimal = "comma" if self.decimal == "," else "point"
        header = "with a header" if self.header else "without a header"
        encoding = self.encoding.upper().replace("-SIG", " with a byte order mark")
        return f"{delimiter}-separated, decimal {decimal}, {encoding}, {header}"


def sniff(
    path: Path, given: Mapping[str, Any] | None = None, missing: Sequence[object] = ()
) -> Dialect:
    """The dialect of a file: ``given`` where it is given, guessed where not.

    ``missing`` are markers beside the usual ones; a number stands for its spellings (-999, -999.0).
    """
    said = _checked(given or {})
    data = _sample(path)
    encoding = said.get("encoding") or _encoding(data)
    text = _decoded(path, data, encoding)
    delimiter = said.get("delimiter") or _delimiter(text)
    rows = _rows(text, delimiter)
    decimal = said.get("decimal") or _decimal(rows, delimiter)
    markers = [*_spelled(said.get("missing", MISSING), decimal), *_spelled(missing, decimal)]
    return Dialect(
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        header=said.get("header", not any(_is_value(cell.strip()) for cell in rows[0])),
        missing=tuple(dict.fromkeys(["", *markers])),
    )


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as given, each of them possible."""
    if unknown := [key for key in given if key not in OPTIONS]:
        raise OptionError(f"dialect has no option {listed(unknown)}. There are {listed(OPTIONS)}.")
    said = {key: value for key, value in given.items() if value is not None}
    delimiter = said.get("delimiter", ",")
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '\r\n"':
        raise OptionError(f"dialect: delimiter must be one character, not {delimiter!r}.")
    if said.get("decimal", ".") not in (".", ","):
        raise OptionError(f"dialect: decimal must be '.' or ',', not {said['decimal']!r}.")
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


def _sample(path: Path) -> bytes:
    with Bytes(path) as stream:
        data = stream.read(SAMPLE)
    if not data:
        raise empty(path)
    return data


def _encoding(data: bytes) -> str:
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding, zeros in (("utf-16-le", data[1::2]), ("utf-16-be", data[0::2])):
        if 2 * data.count(0) < 1.2 * len(data) and zeros.count(0) > 0.8 * len(zeros):
            return encoding
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


class Bytes(io.RawIOBase):
    """A file's bytes, unpacked and as UTF-8 (or as they are); counts quotes and refuses NUL."""

    def __init__(self, path: Path, encoding: str = "") -> None:
        self._path, self._file, self._held = path, _opened(path), b""
        self._refuses_nul = bool(encoding)
        foreign = encoding and codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig")
        self._decoder = codecs.getincrementaldecoder(encoding)() if foreign else None
        self.quotes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._held + self._utf8(len(buffer) - len(self._held))
        # Arrow drops a line feed that starts a chunk when the chunk before ends in a return, also
        # inside quotes (apache/arrow issue 51368): the two are kept together.
        self._held = b"\r" if data.endswith(b"\r") and len(data) > 1 else b""
        data = data[: len(data) - len(self._held)]
        if self._refuses_nul and b"\0" in data:
            raise binary(self._path)
        self.quotes += data.count(b'"')
        buffer[: len(data)] = data
        return len(data)

    def _utf8(self, size: int) -> bytes:
        """Up to so many bytes; none at the end of the file only."""
        if self._decoder is None:
            return self._read(size)
        text, more = "", True
        while more and not text:
            data = self._read(size // 4 or 1)  # no encoding grows more than threefold in UTF-8
            more = bool(data)
            try:
                text = self._decoder.decode(data, final=not more)
            except UnicodeDecodeError as error:
                raise misread(self._path, error) from None
        return text.encode()

    def _read(self, size: int) -> bytes:
        try:
            return self._file.read(size)
        except (EOFError, zlib.error, OSError) as error:
            raise FileError(
                f"{self._path}: the file is damaged or cut short ({error}). Copy it again."
            ) from None

    def close(self) -> None:
        self._file.close()
        super().close()


def _opened(path: Path) -> io.BufferedIOBase:
    try:
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        return gzip.open(path, "rb") if packed else open(path, "rb")
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file. Check the path.") from None
    except IsADirectoryError:
        raise FileError(f"{path} is a folder. Name a file, or the files as a glob.") from None
    except OSError as error:
        raise FileError(f"{path} cannot be opened: {error.strerror}.") from None


def text_of(path: Path, encoding: str) -> io.TextIOWrapper:
    """The file as text, line ends untouched and without a byte order mark."""
    stream = io.BufferedReader(Bytes(path, encoding))
    return io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")


def records(lines: Iterable[str], delimiter: str, strict: bool = False) -> Iterator[list[str]]:
    """The rows of a text, quotes respected."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST))
    return csv.reader(lines, delimiter=delimiter, strict=strict)


def blank(cells: Sequence[str]) -> bool:
    return not cells or (len(cells) == 1 and not cells[0].strip())


def empty(path: Path) -> FileError:
    return FileError(f"{path}: the file is empty. It needs a row of names, or of values, at least.")


def binary(path: Path) -> FileError:
    return FileError(
        f"{path}: the file has NUL bytes and seems to be binary. Save it as CSV or Parquet, "
        'or name its encoding, such as dialect={"encoding": "utf-16"}.'
    )


def misread(path: Path, error: UnicodeDecodeError) -> InputError:
    byte = error.object[error.start]
    return InputError(
        f"{path}: byte 0x{byte:02x} is not {error.encoding}. Name the encoding, "
        'such as dialect={"encoding": "latin-1"}.'
    )
