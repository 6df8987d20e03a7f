"""Streams: a file's bytes, unpacked and as UTF-8, and the rows of text in them."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from tallylearn.errors import FileError, InputError
from tallylearn.sources.files.compression import DAMAGE, damaged_file_error, open_file
from tallylearn.sources.files.csv.rewriting import AS_IT_IS, MAX_ROW_BYTES, Rewriting

ENCODINGS = (
    'Pass the encoding, such as dialect={"encoding": "latin-1"}. If some letters '
    "are wrong then, the file mixes two encodings: write it again in one."
)
MAX_COLUMNS = 100_000  # columns: a reader takes 13 kB for each, whatever is in it


class Bytes(io.RawIOBase):
    """A file's bytes, unpacked and as UTF-8 (or as they are); refuses NUL."""

    def __init__(
        self,
        path: Path,
        encoding: str = "",
        file: BinaryIO | None = None,
        rewriting: Rewriting = AS_IT_IS,
    ) -> None:
        """A file that is open already is read from its beginning, and stays open."""
        self._path, self._lent = path, file is not None
        self._file = open_file(path) if file is None else file
        self._file.seek(0)
        self._refuses_nul = bool(encoding)
        foreign = encoding and codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig")
        self._decoder = codecs.getincrementaldecoder(encoding)() if foreign else None
        self._pieces = rewriting.pieces(self._utf8) if rewriting else None
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.take(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def take(self, size: int) -> bytes:
        """Up to so many bytes of the lines that are rows; none at the end of the file only."""
        data = self._rewritten(size)
        if self._refuses_nul and b"\0" in data:
            raise binary(self._path)
        return data

    def _rewritten(self, size: int) -> bytes:
        if self._pieces is None:
            return self._utf8(size)
        if not self._rest:
            self._rest = next(self._pieces, b"")
            if len(self._rest) > MAX_ROW_BYTES and b"\n" not in self._rest:
                raise long_cell_error(self._path)
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

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
                raise decoding_error(self._path, error) from None
        return text.encode()

    def _read(self, size: int) -> bytes:
        try:
            return self._file.read(size)
        except DAMAGE as error:
            raise damaged_file_error(self._path, error) from None

    def close(self) -> None:
        if "_file" in vars(self) and not self._lent:  # opening may have failed
            self._file.close()
        super().close()


class TextLines:
    """The lines of a text; one that is longer than a row may be is an error before it is held."""

    def __init__(self, path: Path, text: io.TextIOWrapper) -> None:
        self._path, self._text = path, text
        self.done = 0  # bytes of UTF-8

    def __iter__(self) -> Iterator[str]:
        while line := self._text.readline(MAX_ROW_BYTES + 1):
            if len(line) > MAX_ROW_BYTES:
                raise long_cell_error(self._path)
            self.done += len(line.encode())
            yield line


def check_width(path: Path, cells: int) -> None:
    """Refuse more columns than a table may have, before room is made for them."""
    if cells > MAX_COLUMNS:
        raise InputError(
            f"{path}: the first row has {cells:,} cells, and a table has at most "
            f"{MAX_COLUMNS:,} columns. Check the delimiter and the line ends. Save a wide "
            "table as Parquet, or with one row for each value."
        )


def long_cell_error(path: Path) -> InputError:
    return InputError(
        f"{path}: a row is longer than {MAX_ROW_BYTES:,} bytes. Shorten it, or add the "
        "missing line end."
    )


def text_of(
    path: Path,
    encoding: str,
    file: BinaryIO | None = None,
    rewriting: Rewriting = AS_IT_IS,
) -> io.TextIOWrapper:
    """The file as text, line ends untouched and without a byte order mark."""
    stream = io.BufferedReader(Bytes(path, encoding, file, rewriting))
    return io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")


def records(lines: Iterable[str], delimiter: str, quote: str = '"', strict: bool = False) -> Any:
    """The rows of a text, quotes respected."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_ROW_BYTES))
    return csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        strict=strict,
    )


def blank(cells: Sequence[str]) -> bool:
    return not cells or (len(cells) == 1 and not cells[0].strip())


def empty(path: Path, skip: int = 0) -> FileError:
    if skip:
        return FileError(f"{path}: no row is left after skip={skip}. Skip fewer lines.")
    return FileError(f"{path}: the file is empty. Write at least one row.")


def binary(path: Path) -> FileError:
    return FileError(
        f"{path}: the file has NUL bytes and seems to be binary. Save it as CSV or Parquet, "
        'or name its encoding, such as dialect={"encoding": "utf-16"}.'
    )


def decoding_error(path: Path, error: UnicodeDecodeError) -> InputError:
    byte = error.object[error.start]
    return InputError(f"{path}: byte 0x{byte:02x} is not {error.encoding}. {ENCODINGS}")
