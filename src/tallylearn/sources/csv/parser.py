"""Parsing: Arrow's reader of delimited text, set up for one file and given room as it asks."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from tallylearn.errors import InputError
from tallylearn.sources.batches import regrouped
from tallylearn.sources.csv.cell_errors import check_quotes, not_utf8, ragged, unclosed
from tallylearn.sources.csv.decoding import (
    LONGEST,
    Bytes,
    Lines,
    blank,
    check_width,
    empty,
    misread,
    records,
    text_of,
    too_long,
)
from tallylearn.sources.csv.dialect import Dialect
from tallylearn.sources.csv.leading_noughts import WatchedBytes

CHUNK = 1 << 20  # bytes: larger ones were no faster, and four megabytes doubled the memory


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
            with text_of(path, dialect.encoding, file) as lines:
                rows = records(Lines(path, lines), dialect.delimiter)
                skip, first = _filled(rows)
                if not first:
                    raise empty(path)
                check_width(path, len(first))
                filled = not dialect.header or _filled(rows) != (0, [])
        except UnicodeDecodeError as error:
            raise misread(path, error) from None
        except csv.Error:
            raise unclosed(path, 1 if first or not dialect.header else 0) from None
        if not filled:
            check_quotes(path, dialect)
        return cls(path, dialect, tuple(first), skip if dialect.header else 0, filled)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the header; x0, x1, ... where there are none."""
        named = self.first if self.dialect.header else [""] * len(self.first)
        bare = [name.strip() for name in named]
        taken = frozenset(bare)
        return tuple(name or _free(f"x{at}", taken) for at, name in enumerate(bare))

    def tables(self, forms: Mapping[str, str], file: BinaryIO | None = None) -> Iterator[Any]:
        """Tables of 65 536 rows as Arrow reads them, with more room where it has too little.

        Long rows need larger chunks, which cost memory. A column in which some number is none, or
        is too large for a double to be sure of, is read again from that block on as strings. Few
        files need either. A file that is open is read once only, since Arrow may be reading ahead
        in it when it fails.
        """
        import pyarrow as pa

        width = 4 * len(self.dialect.delimiter.join(self.first).encode())
        size, done, more, forms = max(CHUNK, width), 0, self.filled, dict(forms)
        codes: set[int] = set()  # columns in which noughts lead
        while more:
            try:
                batches = self._batches(forms, size, file, codes)
                for table in islice(regrouped(batches), done, None):
                    coded = {self.names[at] for at in codes if at < len(self.names)}
                    hidden = [n for n in forms if n in coded and forms[n] == "number"]
                    if odd := hidden + [name for name in forms if _huge(table[name])]:
                        forms, file = forms | dict.fromkeys(odd, "string"), None
                        break
                    done += 1
                    yield table
                else:
                    more = False
            except pa.ArrowInvalid as error:
                file = None
                size, forms = self._mended(str(error), size, forms)

    def _mended(self, message: str, size: int, forms: dict[str, str]) -> tuple[int, dict[str, str]]:
        """How to read on after what Arrow said; an error where nothing helps."""
        if "straddling" in message and size < LONGEST:
            return min(4 * size, LONGEST), forms
        if "straddling" in message:
            check_quotes(self.path, self.dialect)
            raise too_long(self.path)
        if "conversion error" in message and (odd := re.search(r"column #(\d+)", message)):
            name = self.names[int(odd[1])]
            if forms[name] == "number":
                return size, {**forms, name: "string"}
            raise self._not_utf8(name)
        raise InputError(f"{self.path}: {message}.")

    def _not_utf8(self, name: str) -> InputError:
        """The first cell of a column whose bytes are of another encoding."""
        row = 1
        for table in regrouped(self._batches({name: "bytes"}, LONGEST, None, set())):
            for value in table[name].to_pylist():
                try:
                    (value or b"").decode()
                except UnicodeDecodeError:
                    return not_utf8(name, value, row, f"{self.path}: ")
                row += 1
        return InputError(f"{self.path}: column {name!r} cannot be read.")

    def _batches(
        self, forms: Mapping[str, str], size: int, file: BinaryIO | None, codes: set[int]
    ) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import csv as arrow

        source = Bytes(self.path, self.dialect.encoding, file)
        if "number" in forms.values():
            given = self.dialect.encoding, file, self.dialect.delimiter
            source = WatchedBytes(self.path, *given, codes)
        spaces: list[Any] = []
        odd: list[Any] = []

        def invalid(row: Any) -> str:
            (odd if row.text.strip() else spaces).append(row)
            return "error" if odd else "skip"

        try:
            options = self._options(forms, size, invalid)
            with source, arrow.open_csv(source, *options) as reader:
                yield from reader
        except pa.ArrowInvalid:
            if odd:
                number = odd[0].number - self.skip - len(spaces)
                raise ragged(self.path, odd[0], number, self.dialect.delimiter) from None
            raise
        if source.quotes % 2:
            check_quotes(self.path, self.dialect)

    def _options(
        self, forms: Mapping[str, str], size: int, invalid: Callable[[Any], str]
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
            newlines_in_values=True,
            invalid_row_handler=invalid,
        )
        converting = arrow.ConvertOptions(
            column_types={name: _type(form) for name, form in forms.items()},
            include_columns=list(forms),
            null_values=self.dialect.missing,
            strings_can_be_null=True,
            decimal_point=self.dialect.decimal,
        )
        return reading, parsing, converting


def _free(name: str, taken: frozenset[str]) -> str:
    """A name for a column without one that no other column has: x0, or x0_ where x0 is there."""
    while name in taken:
        name += "_"
    return name


def _filled(rows: Iterator[list[str]]) -> tuple[int, list[str]]:
    """The next row that is not empty, with its line's number from here."""
    return next(((at, row) for at, row in enumerate(rows, 1) if not blank(row)), (0, []))


def _huge(column: Any) -> bool:
    """Whether some number is so large that its neighbours are no longer all integers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(column.type):
        return False
    ends = pc.min_max(column).as_py()
    return ends["max"] is not None and max(-ends["min"], ends["max"]) >= 2.0**53


def _type(form: str) -> Any:
    """The Arrow type that a column is read as."""
    import pyarrow as pa

    plain = {"number": pa.float64(), "text": pa.string(), "bytes": pa.binary()}
    return plain.get(form) or pa.dictionary(pa.int32(), pa.string())
