"""ARFF, the attribute-relation file format of Weka, dense and sparse.

- ``numeric``, ``real`` and ``integer`` attributes are numbers, ``string`` ones text, ``date`` ones
  dates in a format of Java. A nominal attribute is a category of the values that it declares.
- A ``?`` without quotes is missing. In a sparse row what is left out is 0, and of a nominal
  attribute the first value, as Weka has it.
- Weights of instances, ``{5}`` behind a row, are a column of their own, ``instance_weight``.

Chunks of plain rows go through Arrow's CSV parser; rows with quotes, braces or comments are taken
apart here. Reference: https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tallylearn.errors import ColumnError, FileError, InputError, quoted_list
from tallylearn.runtime.memory_budget import check_memory
from tallylearn.sources.arrow.batches import regroup
from tallylearn.sources.files.csv.cell_errors import as_code
from tallylearn.sources.files.csv.decoding import Bytes, check_width, long_cell_error
from tallylearn.sources.files.csv.dialect import encoding_of
from tallylearn.sources.files.csv.encodings import guess_encoding
from tallylearn.sources.files.csv.rewriting import MAX_ROW_BYTES
from tallylearn.sources.files.headers import column_names
from tallylearn.sources.files.parts import columns_to_read
from tallylearn.sources.memory.arrays import EXACT
from tallylearn.tables import BLOCK

ENDINGS = (".arff",)
OPTIONS = ("missing", "encoding")
NUMERIC = ("numeric", "real", "integer")
WEIGHT = "instance_weight"
CHUNK = 1 << 22  # bytes of whole lines
CELLS = 1 << 23  # of one batch: sparse rows are short, and their tables are not
WIDTH = 60  # characters of a value in a message
ISO = "yyyy-MM-dd'T'HH:mm:ss"  # where an attribute names no format
_SIGN = re.compile(rb"(?:\s*%[^\n]*\n|\s+)*@relation\b", re.IGNORECASE)
_QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
_NAME = re.compile(rf"\s*(?:{_QUOTED}|([^\s{{}}'\"]+))(?=[\s{{]|$)\s*(.*)", re.DOTALL)
_VALUE = re.compile(rf"\s*(?:{_QUOTED}|([^,]*?))\s*(?:,|$)")
_WORD = re.compile(rf"\s*(?:{_QUOTED}|([^\s,]+))(?:\s+|$)")  # where blanks divide values
_SPARSE = re.compile(rf"\s*(\d+)\s+(?:{_QUOTED}|([^,]*?))\s*(?:,|$)")
_WEIGHTED = re.compile(r"[,\s]\s*\{\s*([^{},\s]+)\s*\}\s*$")
_WEIGHTS = re.compile(rb"[,\t }][ \t]*\{[ \t]*[-+.\deE]+[ \t]*\}[ \t]*(?:%[^\n]*)?\r?$", re.M)
_QUOTED_OR_PERCENT = re.compile(rf"{_QUOTED}|%")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_SPACES = re.compile(rb"[ \t]*,[ \t]*")
_JAVA = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")
_DATE_PARTS = {
    "yyyy": "%Y", "yy": "%y", "y": "%Y", "uuuu": "%Y", "MMMM": "%B", "MMM": "%b", "MM": "%m",
    "M": "%m", "dd": "%d", "d": "%d", "DDD": "%j", "D": "%j", "HH": "%H", "H": "%H", "hh": "%I",
    "h": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S", "SSS": "%f", "S": "%f", "a": "%p",
    "EEE": "%a", "EEEE": "%A", "z": "%Z", "Z": "%z", "X": "%z", "XX": "%z", "XXX": "%z",
}  # fmt: skip


def has_signature(start: bytes) -> bool:
    """Whether a file begins as ARFF does: with comments, then the name of a relation."""
    return _SIGN.match(start.removeprefix(b"\xef\xbb\xbf")) is not None


@dataclass(frozen=True)
class Attribute:
    """A column as the header declares it."""

    name: str
    kind: str  # numeric, nominal, string or date
    values: tuple[str, ...] = ()  # of a nominal attribute, in their order
    default: str | None = None  # the first of them, which sparse rows leave out
    form: str = ""  # of dates, as Python writes it


@dataclass(frozen=True)
class Header:
    """What stands above the rows."""

    attributes: tuple[Attribute, ...]
    lines: int  # up to @data, with that
    weighted: bool  # whether some row has a weight

    @cached_property
    def names(self) -> tuple[str, ...]:
        weight = (WEIGHT,) * self.weighted
        return column_names((*(one.name for one in self.attributes), *weight))


class ArffFile:
    """One ARFF file; its header is read once, and its rows in blocks."""

    def __init__(self, path: Path, encoding: str = "", missing: Sequence[str] = ()) -> None:
        self.path, self._given, self.missing = path, encoding, frozenset(missing)

    def __reduce__(self) -> Any:
        return ArffFile, (self.path, self._given, tuple(self.missing))

    @property
    def start(self) -> int:
        """The line behind @data; lines of comments in the data are not counted."""
        return self._header.lines + 1

    @property
    def names(self) -> tuple[str, ...]:
        return self._header.names

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """The columns that declare their values."""
        pairs = zip(self.names, self._header.attributes, strict=False)
        return {name: one.values for name, one in pairs if one.kind == "nominal"}

    @property
    def weight(self) -> str:
        """The column of the weights of instances, if there are any."""
        return self.names[-1] if self._header.weighted else ""

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Tables of 65 536 rows."""
        return regroup(self._batches(columns_to_read(self.path, self.names, columns)))

    @cached_property
    def _encoding(self) -> str:
        with Bytes(self.path) as stream:
            data = stream.read(1 << 20)
        return self._given or encoding_of(data) or guess_encoding(self.path, data)[0]

    @cached_property
    def _header(self) -> Header:
        attributes, lines, weighted = [], 0, False
        with self._stream() as stream:
            for lines, line in enumerate(self._lines(stream), 1):
                text = line.strip()
                word = text.split(None, 1)[0].lower() if text else ""
                if word == "@data":
                    break
                if word == "@attribute":
                    attributes.append(self._attribute(text[len(word) :], lines))
                elif text and not text.startswith("%") and word != "@relation":
                    raise self._odd_value_error(
                        f"line {lines} is {text[:WIDTH]!r}. Above @data, each line is @relation, "
                        "@attribute or a comment that begins with %"
                    )
            else:
                raise self._odd_value_error("there is no line @data")
            while not weighted and (chunk := self._chunk(stream)):
                weighted = b"{" in chunk and _WEIGHTS.search(chunk) is not None
        if not attributes:
            raise self._odd_value_error("no line @attribute names a column")
        check_width(self.path, len(attributes))
        return Header(tuple(attributes), lines, weighted)

    def _attribute(self, text: str, line: int) -> Attribute:
        """A column by its line, without @attribute."""
        if (found := _NAME.fullmatch(text)) is None:
            raise self._odd_value_error(f"line {line} names no attribute: {text.strip()[:WIDTH]!r}")
        name, rest = _text(found[1], found[2], found[3]), found[4]
        if rest.startswith("{"):
            values = self._values(name, rest, line)
            some = tuple(value for value in values if value is not None)
            return Attribute(name, "nominal", some, next(iter(values), None))
        kind = rest.split(None, 1)[0].lower() if rest else ""
        if kind in NUMERIC:
            return Attribute(name, "numeric")
        if kind == "string":
            return Attribute(name, kind)
        if kind == "date":
            form = _VALUE.match(_strip_comment(rest[4:]))
            java = "" if form is None else _text(form[1], form[2], form[3])
            return Attribute(name, kind, form=self._date_format(name, java or ISO))
        if kind == "relational":
            raise FileError(
                f"{self.path}: attribute {name!r} is relational, and a cell can have only one "
                "value. Write its columns as separate attributes."
            )
        raise self._odd_value_error(
            f"line {line} gives attribute {name!r} the type {kind[:WIDTH]!r}. The types are "
            "numeric, real, integer, string, date and {values}"
        )

    def _values(self, name: str, rest: str, line: int) -> list[str | None]:
        """The values that a nominal attribute declares; a bare ? is none of them."""
        inner = _strip_comment(rest).rstrip()
        inner = re.sub(r"\}\s*\{[^{}]*\}$", "}", inner)  # the weight of an attribute
        if not inner.endswith("}"):
            raise self._odd_value_error(
                f"line {line} does not close the values of attribute {name!r} with }}"
            )
        found = self._cells(inner[1:-1], _VALUE, line)
        if len({*found}) < len(found):
            twice = next(value for at, value in enumerate(found) if value in found[:at])
            raise self._odd_value_error(
                f"line {line} declares {twice!r} twice for attribute {name!r}"
            )
        return found

    def _date_format(self, name: str, java: str) -> str:
        """A format of Java's SimpleDateFormat as Python's strptime has it."""
        parts = []
        for part in _JAVA.finditer(java):
            if part[1] is not None:
                parts.append((part[1].replace("''", "'") or "'").replace("%", "%%"))
            elif part[2] and part[0] not in _DATE_PARTS:
                raise self._odd_value_error(
                    f"{part[0]!r} in the date format of attribute {name!r} is not supported"
                )
            else:
                parts.append(_DATE_PARTS.get(part[0], part[0].replace("%", "%%")))
        return "".join(parts)

    def _batches(self, wanted: Sequence[str]) -> Iterator[Any]:
        header, places = self._header, {name: at for at, name in enumerate(self.names)}
        columns = [places[name] for name in wanted]
        rows = 0
        with self._stream() as stream:
            for _ in range(header.lines):
                stream.readline(MAX_ROW_BYTES + 1)
            while chunk := self._chunk(stream):
                for batch in self._parse_chunk(chunk, columns, header.lines + rows):
                    rows += len(batch)
                    size = 16 * len(wanted) * min(rows, BLOCK)
                    check_memory(
                        size, f"{self.path}: a block of {len(wanted):,} columns", "Take fewer."
                    )
                    yield batch.rename_columns(list(wanted))

    def _parse_chunk(self, chunk: bytes, columns: Sequence[int], before: int) -> Iterator[Any]:
        """The rows of a chunk: by Arrow where they are plain, else one by one."""
        import pyarrow as pa

        width = len(self._header.attributes)
        if not any(mark in chunk for mark in (b"'", b'"', b"\\", b"{", b"%")) and width > 1:
            plain = [at for at in columns if at < width]
            try:
                table = self._parse_plain(chunk, plain)
            except pa.ArrowInvalid:  # another number of cells, or no number: found row by row
                table = None
            if table is not None:
                arrays = {at: self._as_attribute(at, table.column(str(at)), before) for at in plain}
                arrays |= {width: pa.array(np.ones(len(table)))}
                yield pa.record_batch([arrays[at] for at in columns], [str(at) for at in columns])
                return
        lines = [text for line in chunk.decode().splitlines() if (text := _strip_comment(line))]
        step = max(1, CELLS // max(1, len(columns)))
        for first in range(0, len(lines), step):
            yield self._row_by_row(lines[first : first + step], columns, before + first)

    def _parse_plain(self, chunk: bytes, columns: Sequence[int]) -> Any:
        """Rows without quotes, braces and comments as an Arrow table; None for large integers."""
        import pyarrow as pa
        import pyarrow.compute as pc
        from pyarrow import csv

        if b", " in chunk or b" ," in chunk or b"\t" in chunk:
            chunk = _SPACES.sub(b",", chunk)
        attributes = self._header.attributes
        numeric = [str(at) for at in columns if attributes[at].kind == "numeric"]
        types = {str(at): pa.string() for at in columns} | dict.fromkeys(numeric, pa.float64())
        table = csv.read_csv(
            io.BytesIO(chunk),
            csv.ReadOptions(
                use_threads=False,
                block_size=len(chunk) + 1,
                column_names=[str(at) for at in range(len(attributes))],
            ),
            csv.ParseOptions(quote_char=False, double_quote=False),
            csv.ConvertOptions(
                column_types=types,
                include_columns=[str(at) for at in columns] or ["0"],
                null_values=["?", *self.missing],
                strings_can_be_null=False,
            ),
        ).combine_chunks()
        large = (pc.max(pc.abs(table.column(name))).as_py() for name in numeric)
        return None if any(one is not None and one >= EXACT for one in large) else table

    def _as_attribute(self, at: int, column: Any, before: int) -> Any:
        """A column of strings or doubles as one of its attribute."""
        import pyarrow as pa
        import pyarrow.compute as pc

        attribute = self._header.attributes[at]
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        if attribute.kind == "numeric":
            return pc.if_else(pc.is_nan(column), None, column)
        coded = pc.utf8_trim_whitespace(column).dictionary_encode()
        texts = [None if text == "?" else text for text in coded.dictionary.to_pylist()]
        return self._from_texts(at, texts, coded.indices, before)

    def _from_texts(self, at: int, texts: Sequence[str | None], places: Any, before: int) -> Any:
        """An array of some texts by their places; of a category, the values that it declares."""
        import pyarrow as pa

        attribute, found = self._header.attributes[at], []
        known = frozenset(attribute.values)
        for code, text in enumerate(texts):
            try:
                found.append(self._value(attribute, known, text))
            except ValueError:
                row = before + 1 + pa.compute.index(places, code).as_py()
                raise self._no_value(attribute, str(text), row) from None
        if attribute.kind == "date":
            return pa.array(found, pa.timestamp("us")).take(places)
        strings = pa.array(found, pa.string())
        if attribute.kind == "nominal":
            return strings.take(places).dictionary_encode()
        return strings.take(places)

    def _value(self, attribute: Attribute, known: frozenset[str], text: str | None) -> Any:
        """A text as a value of its attribute; ValueError where it is none."""
        if text is None:
            return None
        if attribute.kind == "nominal":
            if text not in known:
                if text in self.missing:
                    return None
                raise ValueError
            return text
        if attribute.kind == "date":
            return None if text in self.missing else _moment(text, attribute.form)
        return text

    def _row_by_row(self, lines: Sequence[str], columns: Sequence[int], before: int) -> Any:
        """Rows with quotes, braces or weights."""
        import pyarrow as pa

        width = len(self._header.attributes)
        cells: dict[int, list[Any]] = {at: [] for at in columns}  # texts, None where missing
        rows: dict[int, list[int]] = {at: [] for at in columns}  # of those texts
        weights = np.ones(len(lines))
        for row, line in enumerate(lines):
            text = line
            if self._header.weighted and (found := _WEIGHTED.search(line)) is not None:
                text, weights[row] = line[: found.start()], self._weight(found[1], before + row + 1)
            if text.startswith("{"):
                pairs = self._parse_sparse(text, before + row + 1)
            else:
                pairs = dict(enumerate(self._dense(text, width, before + row + 1)))
            for at, value in pairs.items():
                if at in cells:
                    cells[at].append(value)
                    rows[at].append(row)
        arrays = []
        for at in columns:
            if at == width:
                arrays.append(pa.array(weights))
            elif self._header.attributes[at].kind == "numeric":
                arrays.append(self._numbers(at, cells[at], rows[at], len(lines), before))
            else:
                arrays.append(self._words(at, cells[at], rows[at], len(lines), before))
        return pa.record_batch(arrays, [str(at) for at in columns])

    def _numbers(
        self, at: int, cells: Sequence[Any], rows: Sequence[int], n: int, before: int
    ) -> Any:
        """A column of numbers; rows that do not name it have 0."""
        import pyarrow as pa

        out = np.zeros(n)
        for row, text in zip(rows, cells, strict=True):
            try:
                out[row] = np.nan if text is None or text in self.missing else _number(text)
            except OverflowError:
                name = self.names[at]
                raise ColumnError(
                    f"{self.path}: column {name!r} has {text} in row {before + row + 1}, an "
                    "integer that a double cannot hold. Declare the attribute as string, or leave "
                    f"it out with ignore={as_code([name])}."
                ) from None
            except ValueError:
                attribute = self._header.attributes[at]
                raise self._no_value(attribute, text, before + row + 1) from None
        return pa.array(out, from_pandas=True)

    def _words(
        self, at: int, cells: Sequence[Any], rows: Sequence[int], n: int, before: int
    ) -> Any:
        """A column that is not of numbers; rows that do not name it have its first value."""
        import pyarrow as pa

        attribute = self._header.attributes[at]
        default = attribute.default
        if attribute.kind == "date":  # Weka's 0 is the beginning of 1970
            default = datetime(1970, 1, 1).strftime(attribute.form)
        texts: list[str | None] = [*dict.fromkeys([default, *cells])]
        place = {text: code for code, text in enumerate(texts)}
        codes = np.zeros(n, dtype=np.int32)
        codes[list(rows)] = [place[text] for text in cells]
        return self._from_texts(at, texts, pa.array(codes), before)

    def _dense(self, text: str, width: int, row: int) -> list[str | None]:
        """The values of a row, with commas between them, or with blanks where there are none."""
        cells = self._cells(text, _VALUE, row, "row")
        if len(cells) == 1 and width > 1:
            cells = self._cells(text, _WORD, row, "row")
        if len(cells) != width:
            raise InputError(
                f"{self.path}: row {row} has {len(cells)} values, and {width} attributes are "
                f"declared ({text[:WIDTH]!r}). Correct the row. A value with a comma needs "
                "quotes."
            )
        return cells

    def _parse_sparse(self, text: str, row: int) -> dict[int, str | None]:
        """The values of a sparse row by the numbers of their attributes, from 0."""
        found: dict[int, str | None] = {}
        at, end = 1, len(text) - 1
        width = len(self._header.attributes)
        while at < end and text[at:end].strip():
            cell = _SPARSE.match(text, at, end)
            number = int(cell[1][:9]) if cell is not None else -1
            if cell is None or text[end] != "}" or number in found or number >= width:
                raise InputError(
                    f"{self.path}: row {row} is sparse and cannot be parsed from "
                    f"{text[at:][:WIDTH]!r} on. A sparse row is {{number value, ...}}, with each "
                    f"attribute number from 0 to {width - 1} at most once. Correct the row."
                )
            found[number] = _unquote(cell[2], cell[3], cell[4])
            at = cell.end()
        if text[end] != "}":
            raise self._odd_value_error(f"row {row} opens a brace and does not close it")
        return found

    def _cells(
        self, text: str, pattern: re.Pattern[str], where: int, what: str = "line"
    ) -> list[str | None]:
        """Values one behind the other, None for a bare ?."""
        cells, at = list[str | None](), 0
        while at < len(text):
            cell = pattern.match(text, at)
            if cell is None or (cell[3] and cell[3][0] in "'\""):
                raise InputError(
                    f"{self.path}: {what} {where} cannot be parsed from {text[at:][:WIDTH]!r} on. "
                    "Close each quote before the next comma, and write a backslash before a quote "
                    "inside a value."
                )
            cells.append(_unquote(cell[1], cell[2], cell[3]))
            at = cell.end()
        return [*cells, ""] if text.rstrip().endswith(",") and pattern is _VALUE else cells

    def _weight(self, text: str, row: int) -> float:
        try:
            return _number(text)
        except (ValueError, OverflowError):
            raise self._odd_value_error(
                f"row {row} has the weight {text[:WIDTH]!r}, which is not a number"
            ) from None

    def _no_value(self, attribute: Attribute, text: str, row: int) -> InputError:
        """A cell that is none of its attribute's values."""
        kind = {"numeric": "a number", "date": f"a date written as {attribute.form}"}
        what = kind.get(
            attribute.kind, f"one of the declared values {quoted_list(attribute.values)}"
        )
        return InputError(
            f"{self.path}: attribute {attribute.name!r} has {text[:WIDTH]!r} in row {row}, "
            f"which is not {what}. Correct the cell or the attribute; or, if it means "
            f"missing, missing={as_code(text[:WIDTH])}."
        )

    def _odd_value_error(self, what: str) -> FileError:
        return FileError(f"{self.path} is not valid ARFF: {what}. Correct the line.")

    def _stream(self) -> BinaryIO:
        stream = io.BufferedReader(Bytes(self.path, self._encoding))
        if stream.peek(3).startswith(b"\xef\xbb\xbf"):
            stream.read(3)
        return stream

    def _lines(self, stream: BinaryIO) -> Iterator[str]:
        while line := stream.readline(MAX_ROW_BYTES + 1):
            yield self._decode(self._check_length(line))

    def _chunk(self, stream: BinaryIO) -> bytes:
        """Some whole lines."""
        chunk = stream.read(CHUNK)
        rest = b"" if not chunk or chunk.endswith(b"\n") else stream.readline(MAX_ROW_BYTES + 1)
        self._decode(found := chunk + self._check_length(rest))
        return found

    def _check_length(self, line: bytes) -> bytes:
        if len(line) > MAX_ROW_BYTES:
            raise long_cell_error(self.path)
        return line

    def _decode(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self.path}: byte 0x{data[error.start]:02x} is not UTF-8. Name the encoding, "
                'such as dialect={"encoding": "latin-1"}.'
            ) from None


def _strip_comment(line: str) -> str:
    """A line without its comment, which begins with % at its beginning or behind a blank."""
    text = line.strip()
    for found in _QUOTED_OR_PERCENT.finditer(text) if "%" in text else ():
        at = found.start()
        if found[0] == "%" and (at == 0 or text[at - 1].isspace()):
            return text[:at].strip()
    return text


def _unquote(single: str | None, double: str | None, bare: str | None) -> str | None:
    """A value as it is written, None for a question mark without quotes."""
    return None if bare == "?" else _text(single, double, bare)


def _text(single: str | None, double: str | None, bare: str | None) -> str:
    text = next((one for one in (single, double) if one is not None), None)
    if text is None:
        return bare or ""
    return _ESCAPE.sub(_unescape, text) if "\\" in text else text


def _unescape(found: re.Match[str]) -> str:
    if len(found[1]) == 5:
        return chr(int(found[1][1:], 16)).encode("utf-8", "replace").decode()
    return _ESCAPED.get(found[1], found[1])


def _number(text: str) -> float:
    """A number; OverflowError for an integer that a double would round."""
    if "_" in text:
        raise ValueError
    value = float(text)
    whole = abs(value) >= EXACT and text.lstrip("+-").isdecimal()
    if whole and (len(text) > 400 or int(text) != int(value)):  # no double has 400 digits
        raise OverflowError
    return value


@lru_cache(maxsize=1 << 16)
def _moment(text: str, form: str) -> datetime:
    found = datetime.strptime(text, form)
    return found if found.tzinfo is None else found.astimezone(UTC).replace(tzinfo=None)


__all__ = ["ArffFile", "has_signature"]
