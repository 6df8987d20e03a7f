"""Parsing: Arrow's reader of delimited text, set up for one file and given room as it asks."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from tallylearn.errors import ColumnError
from tallylearn.sources.batches import regrouped
from tallylearn.sources.csv.cell_errors import check_quotes, ragged, unclosed
from tallylearn.sources.csv.decoding import (
    Bytes,
    Lines,
    blank,
    check_width,
    empty,
    misread,
    records,
    text_of,
)
from tallylearn.sources.csv.dialect import Dialect
from tallylearn.sources.csv.rewriting import LONGEST
from tallylearn.sources.headers import named

CHUNK = 1 << 20  # bytes: larger ones were no faster, and four megabytes doubled the memory
PADDING = 8  # spaces around a missing marker in a column of numbers


@dataclass(frozen=True)
class Parser:
    """One delimited file and how it begins."""

    path: Path
    dialect: Dialect
    first: tuple[str, ...]  # the cells of the first row
    skip: int  # lines before the first values
    filled: bool  # whether there are any values

    @classmethod
    def of(cls, path: Path, dialect: Dialect, file: BinaryIO | None = None) -> Parser:
        """Look at the beginning of a file, which may be open."""
        first: list[str] = []
        try:
            with text_of(path, dialect.encoding, file, dialect.rewriting) as lines:
                rows = records(Lines(path, lines), dialect.delimiter, dialect.quote)
                skip, first = _filled(rows)
                if not first:
                    raise empty(path)
                check_width(path, len(first))
                filled = not dialect.header or _filled(rows) != (0, [])
        except UnicodeDecodeError as error:
            raise misread(path, error) from None
        except csv.Error:
            raise unclosed(path, 1 if first or not dialect.header else 0) from None
        if dialect.names and len(dialect.names) != len(first):
            raise _misnamed(path, dialect.names, first)
        if not filled:
            check_quotes(path, dialect)
        return cls(path, dialect, tuple(first), skip if dialect.header else 0, filled)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the header, each of them once; x0, x1, ... where there are none."""
        own = self.first if self.dialect.header else [""] * len(self.first)
        return named(self.dialect.names or own)

    def tables(self, kinds: Mapping[str, str], file: BinaryIO | None = None) -> Iterator[Any]:
        """Tables of 65 536 rows as Arrow reads them, with more room where it has too little.

        Long rows need larger chunks, which cost memory. Spaces around the markers need a longer
        list of them, which costs a quarter of a millisecond a column. Few files need either. A file
        that is open is read once only, since Arrow may be reading ahead in it when it fails.
        """
        import pyarrow as pa

        width = 4 * len(self.dialect.delimiter.join(self.first).encode())
        size, padding, done, more = max(CHUNK, width), 0, 0, self.filled
        while more:
            try:
                batches = self._batches(kinds, size, padding, file)
                for table in islice(regrouped(batches), done, None):
                    done += 1
                    yield table
                more = False
            except pa.ArrowInvalid as error:
                file = None
                if "straddling" in str(error) and size < LONGEST:
                    size = min(4 * size, LONGEST)
                elif "conversion error" in str(error) and not padding:
                    padding = PADDING
                else:
                    raise

    def _batches(
        self, kinds: Mapping[str, str], size: int, padding: int, file: BinaryIO | None
    ) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import csv as arrow

        source = Bytes(self.path, self.dialect.encoding, file, self.dialect.rewriting)
        spaces: list[Any] = []
        odd: list[Any] = []

        def invalid(row: Any) -> str:
            (odd if row.text.strip() else spaces).append(row)
            return "error" if odd else "skip"

        try:
            options = self._options(kinds, size, padding, invalid)
            with source, arrow.open_csv(source, *options) as reader:
                yield from reader
        except pa.ArrowInvalid:
            if odd:
                number = odd[0].number - self.skip - len(spaces)
                raise ragged(self.path, odd[0], number, self.dialect) from None
            raise
        if source.quotes % 2:
            check_quotes(self.path, self.dialect)

    def _options(
        self, kinds: Mapping[str, str], size: int, padding: int, invalid: Callable[[Any], str]
    ) -> tuple[Any, Any, Any]:
        from pyarrow import csv as arrow

        reading = arrow.ReadOptions(
            column_names=self.names,
            skip_rows_after_names=self.skip,
            block_size=size,
            use_threads=False,  # threads were no faster on a stream, and lose the row's number
        )
        parsing = arrow.ParseOptions(
            delimiter=self.dialect.delimiter,
            quote_char=self.dialect.quote or False,
            newlines_in_values=True,
            invalid_row_handler=invalid,
        )
        spaces = [" " * n for n in range(padding + 1)]
        converting = arrow.ConvertOptions(
            column_types={name: _type(kind) for name, kind in kinds.items()},
            include_columns=list(kinds),
            null_values=[a + m + b for m in self.dialect.missing for a in spaces for b in spaces],
            strings_can_be_null=True,
            decimal_point=self.dialect.decimal,
        )
        return reading, parsing, converting


def _misnamed(path: Path, names: Sequence[str], first: Sequence[str]) -> ColumnError:
    return ColumnError(
        f"{path}: {len(names)} columns are named, and the first row has {len(first)} cells "
        f"({','.join(first)[:60]!r}). Name every column."
    )


def _filled(rows: Iterator[list[str]]) -> tuple[int, list[str]]:
    """The next row that is not empty, with its line's number from here."""
    return next(((at, row) for at, row in enumerate(rows, 1) if not blank(row)), (0, []))


def _type(kind: str) -> Any:
    """The Arrow type that a kind is read as."""
    import pyarrow as pa

    plain = {"number": pa.float64(), "text": pa.string(), "unknown": pa.null()}
    plain["bytes"] = pa.binary()
    return plain.get(kind) or pa.dictionary(pa.int32(), pa.string())
