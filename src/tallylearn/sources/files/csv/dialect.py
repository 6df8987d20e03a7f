"""How a delimited file is written can be guessed from its first lines, and can always be said.

What is not said is guessed from the first megabyte:

- the encoding: a byte order mark decides; else UTF-16 where every second byte is NUL, UTF-8 where
  most letters allow it; else the one that explains the letters (``encodings.py``);
- the lines above the table: ``sep=;``, comments (#) and titles, which have fewer cells;
- the delimiter: the one of , ; tab | that cuts most lines into equally many cells; spaces, where
  none of them does, a column is one of numbers, and all lines have equally many words;
- the quotes: ' where cells begin and end with it and no cell has a ";
- the decimal mark: a comma where numbers have one and the delimiter is another. Cells such as
  1,234 alone prove nothing (they may be thousands), and stay text;
- the header: the first row, unless one of its cells is a number or a date (``headers.py`` says
  which of those it may have).

What was guessed beyond delimiter, decimal mark and encoding is told in ``notes``.
"""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import trunc
from numbers import Real
from pathlib import Path
from typing import Any, BinaryIO

from tallylearn.sources.files.csv import layout
from tallylearn.sources.files.csv.decoding import (
    Bytes,
    binary,
    blank,
    decoding_error,
    empty,
    records,
)
from tallylearn.sources.files.csv.dialect_options import check_options
from tallylearn.sources.files.csv.encodings import guess_encoding
from tallylearn.sources.files.csv.rewriting import Rewriting
from tallylearn.sources.files.headers import column_names, has_header
from tallylearn.sources.files.unsupported import check_text
from tallylearn.sources.type_inference.column_types import PLAIN, FormatHints
from tallylearn.sources.type_inference.missing_markers import MISSING

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
NAMES = {**DELIMITERS, " ": "space"}
SAMPLE = 1 << 20  # bytes
MAX_SNIFFED_ROWS = 200

_ASCII = bytes(range(128))
WITH_COMMA = re.compile(r"[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,}))([eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")  # thousands, where others have commas
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
    hints: FormatHints = PLAIN  # for columns that leave two readings open
    skip: int = 0  # lines above the table
    comment: str = ""  # what lines begin with that are no rows
    quote: str = '"'  # empty: a quotation mark is a character like others
    names: tuple[str, ...] = ()  # of the columns, where no row of the table has them
    footer: int = 0  # lines below the table
    unwrap: bool = False  # whether whole lines stand in quotes
    widths: tuple[int, ...] = ()  # of columns of fixed width, but the last
    notes: tuple[str, ...] = field(default=(), compare=False)  # what was guessed, as sentences

    @property
    def options(self) -> dict[str, Any]:
        """As ``dialect=`` takes it."""
        names = ("delimiter", "decimal", "encoding")
        found = {name: getattr(self, name) for name in names}
        some = ("skip", "comment", "footer")
        more = {name: getattr(self, name) for name in some if getattr(self, name)}
        more |= {"widths": [*self.widths]} if self.widths else {}
        quote = {} if self.quote == '"' else {"quote": self.quote}
        return {**found, "header": [*column_names(self.names)] or self.header, **more, **quote}

    def __str__(self) -> str:
        delimiter = NAMES.get(self.delimiter, repr(self.delimiter))
        decimal = "comma" if self.decimal == "," else "point"
        header = "with a header" if self.header else "without a header"
        encoding = self.encoding.upper().replace("-SIG", " with a byte order mark")
        divided = "columns of fixed width" if self.widths else f"{delimiter}-separated"
        said = [divided, f"decimal {decimal}", encoding]
        if self.quote != '"' and not self.widths:
            said += [f"quoted with {self.quote or 'nothing'}"]
        said += ["whole lines in quotes"] if self.unwrap else []
        said += [f"{self.skip} line{'s' * (self.skip > 1)} skipped"] if self.skip else []
        said += [f"comments after {self.comment}"] if self.comment else []
        said += [f"{self.footer} line{'s' * (self.footer > 1)} left out at the end"] * bool(
            self.footer
        )
        return ", ".join([*said, "with given names" if self.names else header])

    @property
    def first_line(self) -> int:
        """The line of the first row of values; the header is a line of its own."""
        return self.skip + int(self.header) + 1

    @property
    def rewriting(self) -> Rewriting:
        """What is done to the lines before they are parsed."""
        return Rewriting(
            skip=self.skip,
            comment=self.comment,
            spaces=self.delimiter == " ",
            quote=self.quote,
            footer=self.footer,
            unwrap=self.unwrap,
            widths=self.widths,
        )


def sniff(
    path: Path,
    given: Mapping[str, Any] | None = None,
    missing: Sequence[object] = (),
    file: BinaryIO | None = None,
) -> Dialect:
    """The dialect of a file, which may be open: ``given`` where it is given, guessed where not.

    ``missing`` are markers beside the usual ones; a number stands for its spellings (-999, -999.0).
    """
    said = check_options(given or {})
    data = _sample(path, file)
    encoding, doubt = said.get("encoding") or encoding_of(data), ""
    if not encoding:
        encoding, doubt = guess_encoding(path, data)
    text = _decode_sample(path, data, encoding, 10 * MAX_SNIFFED_ROWS + said.get("skip", 0))
    whole = len(data) < SAMPLE and text.count("\n") < 10 * MAX_SNIFFED_ROWS
    quote = said.get("quote", layout.quote_of(text))
    text = layout.rewrite_sample(text, Rewriting(footer=said.get("footer", 0) if whole else 0))
    unwrap = '"' in (quote, said.get("quote", '"')) and layout.has_quoted_lines(text)
    text = layout.rewrite_sample(text, Rewriting(unwrap=unwrap))
    delimiter, table = _find_delimiter(path, text, said, quote)
    if widths := table.widths:
        quote = ""
    if whole and len(table.rows) < MAX_SNIFFED_ROWS and not {"footer", "header"} & {*said}:
        layout.check_last_row(path, table)
    decimal = said.get("decimal") or _decimal(table.rows, delimiter)
    marked = said.get("decimal") or {",": ".", ".": ","}.get(said.get("thousands", ""))
    sure = decimal == "," or delimiter == "," or _points(table.rows)
    header = said.get("header", None if not table.names else False)
    if header is None and (header := has_header(table.rows)):
        layout.check_header(path, table.rows)
    return Dialect(
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        header=header is True,
        missing=marks(said.get("missing", MISSING), missing, decimal),
        hints=FormatHints(marked or (decimal if sure else ""), said.get("date_format", "")),
        skip=table.skip,
        comment=said.get("comment", ""),
        quote=quote,
        names=table.names if isinstance(header, bool) else tuple(header or ()),
        footer=said.get("footer", 0),
        unwrap=unwrap,
        widths=widths,
        notes=(
            *([doubt] if doubt else []),
            *layout.notes_of(table, header is True),
            *(() if marked or decimal == "," else _open(table, delimiter)),
        ),
    )


def _find_delimiter(
    path: Path, text: str, said: Mapping[str, Any], quote: str
) -> tuple[str, layout.SampleTable]:
    """The delimiter of a text, its first rows, and what stands above them."""
    separator, line = ("", 0) if "skip" in said else layout.separator(text)
    skip, comment = said.get("skip", line), said.get("comment", "")
    body = layout.rewrite_sample(text, Rewriting(skip, comment, quote=quote))
    marked = 0 if "skip" in said or comment else layout.comment_lines(body)
    rest = layout.rewrite_sample(body, Rewriting(marked))
    if not rest.strip():
        raise empty(path, skip)
    delimiter = said.get("delimiter") or separator or _delimiter(rest, quote)
    widths = tuple(said.get("widths", ()))
    if not (widths or separator or {"delimiter", "header"} & {*said}):
        widths = _widths(rest, delimiter)
    delimiter, quote = ("\t", "") if widths else (delimiter or ",", quote)
    spaces = Rewriting(spaces=delimiter == " ", quote=quote, widths=widths)
    table = replace(_rows(layout.rewrite_sample(rest, spaces), delimiter, quote), widths=widths)
    where = "the first line" if line == 1 else f"line {line}"
    notes = [f"{where} says that the delimiter is {separator!r}"] if separator else []
    notes += ["blanks align the columns, of fixed width"] if widths and "widths" not in said else []
    table = replace(table, skip=skip, notes=tuple(notes))
    if marked:
        above = _rows("".join(body.splitlines(keepends=True)[:marked]), delimiter, quote)
        return delimiter, layout.below_marks(path, table, above.rows, marked, "header" in said)
    if "skip" in said or said.get("header", True) is not True:
        return delimiter, table
    if "header" not in said:
        table = layout.below_two_rows_of_names(path, table)
        table = table if table.names else layout.below_short_names(table)
    titled = table if table.names else layout.without_titles(path, table, "header" not in said)
    if "header" not in said and titled.skip > table.skip:
        titled = layout.below_two_rows_of_names(path, titled)
    return delimiter, titled


def _widths(text: str, delimiter: str) -> tuple[int, ...]:
    """The widths of columns that blanks align, where no other mark delimits them better.

    A row of names that is one short may name all columns, if words of a column have a blank.
    """
    if delimiter not in ("", " ") or (delimiter and not layout.is_short(text)):
        return ()
    widths = layout.fixed_widths(text)
    names = text.lstrip().split("\n", 1)[0].split()
    return widths if not delimiter or len(names) == len(widths) + 1 else ()


def _sample(path: Path, file: BinaryIO | None) -> bytes:
    with Bytes(path, file=file) as stream:
        data = stream.read(SAMPLE)
    if not data:
        raise empty(path)
    check_text(path, data)
    return data


def encoding_of(data: bytes) -> str:
    """The encoding of a text by its first megabyte; empty where it is no Unicode."""
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for encoding, first in (("utf-16-le", 1), ("utf-16-be", 0)) if 0 in data else ():
        zeros = data[first::2]
        if 2 * data.count(0) < 1.2 * len(data) and zeros.count(0) > 0.8 * len(zeros):
            return encoding
    return "utf-8" if _is_utf8(data) else ""


def _is_utf8(data: bytes) -> bool:
    """Whether most letters beyond ASCII are UTF-8; a stray byte is an error then."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        good = len(data.decode("utf-8", "ignore").encode().translate(None, _ASCII))
        return 2 * good > len(data.translate(None, _ASCII))
    return True


def _decode_sample(path: Path, data: bytes, encoding: str, most: int) -> str:
    """The whole lines of a sample as text, so many at most."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(data).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise decoding_error(path, error) from None
    if "\0" in text:
        raise binary(path)
    if not text.strip():
        raise empty(path)
    lines = text.splitlines(keepends=True)
    cut = len(data) == SAMPLE and len(lines) > 1
    return "".join(lines[: len(lines) - cut][:most])


def _rows(text: str, delimiter: str, quote: str = '"') -> layout.SampleTable:
    """The first rows of a sample, without the empty lines, and the lines that they begin at."""
    rows: list[list[str]] = []
    lines: list[int] = []
    reader, before = records(io.StringIO(text, newline=""), delimiter, quote), 0
    for cells in reader:
        if not blank(cells):
            rows.append(cells)
            lines.append(before)
        before = reader.line_num
        if len(rows) == MAX_SNIFFED_ROWS:
            break
    return layout.SampleTable(rows or [[]], lines or [0])


def _delimiter(text: str, quote: str) -> str:
    """The delimiter that gives most rows the same number of cells; of two, the one with more.

    Empty where no row has more than one cell.
    """
    tables = {delimiter: _rows(text, delimiter, quote).rows for delimiter in DELIMITERS}
    scores = {delimiter: _regularity(rows) for delimiter, rows in tables.items()}
    for other in ";\t|":
        # Rows such as 1,5;2,5 are as regular by their commas as by their semicolons.
        if scores[other][0] == 1 and _decimal(tables[other], other) == ",":
            scores[","] = (0.0, 0)
    best = max(scores, key=lambda delimiter: scores[delimiter])
    return best if scores[best][0] else " " if layout.is_space_delimited(text, quote) else ""


def _regularity(rows: Sequence[Sequence[str]]) -> tuple[float, int]:
    ((cells, times),) = Counter(map(len, rows)).most_common(1)
    return (times / len(rows), cells) if cells > 1 else (0.0, 0)


def _decimal(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    cells = [cell.strip() for row in rows for cell in row]
    commas = sum(1 for cell in cells if WITH_COMMA.fullmatch(cell))
    points = sum(1 for c in cells if _WITH_POINT.fullmatch(c) and not _GROUPED.fullmatch(c))
    return "," if delimiter != "," and commas > points else "."


def _points(rows: Sequence[Sequence[str]]) -> bool:
    """Whether some cell has a decimal point."""
    return any(_WITH_POINT.fullmatch(cell.strip()) for row in rows for cell in row)


def _open(table: layout.SampleTable, delimiter: str) -> Iterator[str]:
    """What to say where 1.234 is all that shows a mark, and no comma divides the cells."""
    cells = {cell.strip() for row in table.rows for cell in row}
    points = sorted(cell for cell in cells if _WITH_POINT.fullmatch(cell))
    if delimiter != "," and len(points) > 1 and all(map(_GROUPED.fullmatch, points)):
        remedy = 'tl.table(..., dialect={"thousands": "."})'
        yield f"{points[0]!r} is read as a decimal; if it has thousands, use {remedy}"


def marks(usual: Any, more: Any = (), decimal: str = ".") -> tuple[str, ...]:
    """The words that stand for nothing in a file, the empty one among them."""
    return tuple(
        dict.fromkeys(["", *_spell_markers(usual, decimal), *_spell_markers(more, decimal)])
    )


def _spell_markers(markers: Any, decimal: str) -> Iterator[str]:
    """Markers as they stand in a file; None and the empty string are missing anyway."""
    several = isinstance(markers, Iterable) and not isinstance(markers, str)
    for marker in markers if several else (markers,):
        if isinstance(marker, Real) and marker == marker // 1:
            yield from (f"{trunc(marker)}{zeros}" for zeros in ("", f"{decimal}0", f"{decimal}00"))
        elif isinstance(marker, Real):
            yield repr(float(marker)).replace(".", decimal)
        elif marker is not None:
            yield str(marker).strip(" \t")
