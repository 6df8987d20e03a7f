"""A parser of one delimited file: how it begins, and then table after table."""

from __future__ import annotations

import csv
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from tallylearn.errors import ColumnError
from tallylearn.runtime.cpu_count import thread_limit
from tallylearn.sources.files.csv.cell_errors import (
    check_quotes,
    ragged_row_error,
    unclosed_quote_error,
    utf8_error,
)
from tallylearn.sources.files.csv.chunks import BufferedRows, ParsedAhead, line_aligned_runs
from tallylearn.sources.files.csv.decoding import (
    Bytes,
    TextLines,
    blank,
    check_width,
    decoding_error,
    empty,
    long_cell_error,
    records,
    text_of,
)
from tallylearn.sources.files.csv.dialect import Dialect
from tallylearn.sources.files.csv.parsed_chunk import CellLayout, Chunk, Run
from tallylearn.sources.files.csv.rewriting import MAX_ROW_BYTES
from tallylearn.sources.files.headers import column_names

CHUNK = 1 << 20  # bytes


@dataclass(frozen=True)
class Parser:
    """One delimited file and how it begins."""

    path: Path
    dialect: Dialect
    first: tuple[str, ...]  # the cells of the first row
    before: int  # bytes of UTF-8 before the first values
    filled: bool  # whether there are any values

    @classmethod
    def of(cls, path: Path, dialect: Dialect, file: BinaryIO | None = None) -> Parser:
        """Look at the beginning of a file, which may be open."""
        first: list[str] = []
        try:
            with text_of(path, dialect.encoding, file, dialect.rewriting) as text:
                lines = TextLines(path, text)
                rows = records(lines, dialect.delimiter, dialect.quote)
                first = _next_filled_row(rows)
                if not first:
                    raise empty(path)
                check_width(path, len(first))
                before = lines.done if dialect.header else 0
                alone = len(first) == 1  # then an empty line is a row with a gap
                filled = not dialect.header or (
                    next(rows, None) is not None if alone else bool(_next_filled_row(rows))
                )
        except UnicodeDecodeError as error:
            raise decoding_error(path, error) from None
        except csv.Error:
            line = dialect.first_line if first or not dialect.header else 0
            raise unclosed_quote_error(path, line) from None
        if dialect.names and len(dialect.names) != len(first):
            raise _header_width_error(path, dialect.names, first)
        if not filled:
            check_quotes(path, dialect)
        return cls(path, dialect, tuple(first), before, filled)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the header, each of them once; x0, x1, ... where there are none."""
        own = self.first if self.dialect.header else [""] * len(self.first)
        return column_names(self.dialect.names or own)

    def tables(self, forms: Mapping[str, str], file: BinaryIO | None = None) -> Iterator[Any]:
        """Tables of 65 536 rows, the last one shorter, each column in one piece.

        A column of numbers or dates in which some cell is no plain one (a word, a code such as 007,
        what is too large for a double to be sure of) comes as strings from that table on.
        """
        if self.filled:
            with Bytes(self.path, self.dialect.encoding, file, self.dialect.rewriting) as stream:
                yield from self._tables(stream, CellLayout(self.names, dict(forms), self.dialect))

    def _tables(self, stream: Bytes, layout: CellLayout) -> Iterator[Any]:
        held, rest = BufferedRows(layout), b""
        for run, chunk in ParsedAhead(layout, thread_limit()).chunks(self._runs(stream)):
            self._check(chunk, held.rows)
            yield from held.tables(run, chunk)
            rest = chunk.rest
        if rest:
            line = held.rows + self.dialect.first_line
            raise unclosed_quote_error(self.path, line, self.dialect.quote)
        yield from held.last()

    def _runs(self, stream: Bytes) -> Iterator[Run]:
        """The rows of values; the header and all before it are left out."""
        width = len(self.dialect.delimiter.join(self.first).encode())
        size = max(CHUNK, min(256 * width, 8 * CHUNK), 4 * width)  # every column of a piece costs
        pieces = iter(partial(stream.take, size), b"")
        first, before = next(pieces, b"").removeprefix(BOM_UTF8), self.before
        while before > len(first):
            before -= len(first)
            first = next(pieces)
        return line_aligned_runs(self.path, chain([first[before:]], pieces))

    def _check(self, chunk: Chunk, rows: int) -> None:
        """Refuse what cannot be read, in the row where it stands."""
        rows += self.dialect.first_line
        if (line := chunk.ragged) is not None:
            raise ragged_row_error(self.path, line, rows + line.number, self.dialect)
        if chunk.foreign is not None:
            name, value, row = chunk.foreign
            raise utf8_error(name, value, rows + row, f"{self.path}: ")
        if len(chunk.rest) > MAX_ROW_BYTES:
            check_quotes(self.path, self.dialect)
            raise long_cell_error(self.path)


def _header_width_error(path: Path, names: Sequence[str], first: Sequence[str]) -> ColumnError:
    return ColumnError(
        f"{path}: {len(names)} names are given, and the first row has {len(first)} "
        f"cells ({','.join(first)[:60]!r}). Name every column."
    )


def _next_filled_row(rows: Iterator[list[str]]) -> list[str]:
    """The next row that is not empty."""
    return next((row for row in rows if not blank(row)), [])
