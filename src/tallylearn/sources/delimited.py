"""A delimited file is a table that was written down as text, one row a line.

It is read in blocks of 65 536 rows, so that memory does not grow with the file.

- **Numbers** are doubles from the start. Spaces around them do not count; ``1,234.5`` is text.
- **Strings** lose the spaces around them. ``true`` and ``false`` stay strings. A column in whose
  first block a number starts with needless zeros (``007``, a postal code) is one of strings.
- **Dates** are written as ISO 8601 has them, ``2024-05-31`` or ``2024-05-31 12:30:00``; a time
  with a zone becomes UTC, one without is taken as it stands, and digits below a microsecond go.
- **Rows** are numbered from 1 at the first row of values; empty lines are passed over and do not
  count.
"""

from __future__ import annotations

import bisect
import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tallylearn.errors import ColumnError, InputError, listed
from tallylearn.sources.dialects import (
    LONGEST,
    MISSING,
    Bytes,
    Dialect,
    blank,
    empty,
    misread,
    records,
    sniff,
    text_of,
)

__all__ = ["BLOCK", "MISSING", "Delimited", "Dialect", "sniff"]

BLOCK = 65_536  # rows
CHUNK = 1 << 20  # bytes: larger ones were no faster, and four megabytes doubled the memory
PADDING = 8  # spaces around a missing marker in a column of numbers

_LONG_INTEGER = r"^[+-]?\d{16,400}$"  # 2**53 has 16 digits
_PADDED_ZEROS = r"^[+-]?0\d[\d.,]*$"
_ZONE = r"[T ]\d\d.*(Z|[+-]\d\d(:?\d\d)?)$"


class Delimited:
    """One delimited file (.csv, .tsv, .txt, also .gz), read in blocks."""

    def __init__(self, path: Path, dialect: Dialect) -> None:
        self.path, self.dialect = Path(path), dialect
        first, self._skip, self._filled = self._opening()
        self._width = 4 * len(self.dialect.delimiter.join(first).encode())
        named = first if dialect.header else [""] * len(first)
        self.names = tuple(name.strip() or f"x{at}" for at, name in enumerate(named))
        if twice := [name for name, times in Counter(self.names).items() if times > 1]:
            raise ColumnError(
                f"{self.path}: the header has {listed(twice)} more than once. Rename the columns, "
                'or say dialect={"header": False} if the first row is one of values.'
            )

    def _opening(self) -> tuple[list[str], int, bool]:
        """The first row, the lines before the first values, and whether any values follow."""
        first: list[str] = []
        try:
            with text_of(self.path, self.dialect.encoding) as lines:
                rows = records(lines, self.dialect.delimiter)
                skip, first = next(
                    ((at, row) for at, row in enumerate(rows, 1) if not blank(row)), (0, [])
                )
                if not first:
                    raise empty(self.path)
                if not self.dialect.header:
                    return first, 0, True
                filled = any(not blank(row) for row in rows)
        except UnicodeDecodeError as error:
            raise misread(self.path, error) from None
        except csv.Error:
            raise self._unclosed(1 if first or not self.dialect.header else 0) from None
        if not filled:
            self._check_quotes()
        return first, skip, filled

    def kinds(self, declared: Mapping[str, str]) -> dict[str, str]:
        """The kind of every column: as declared, else by the first block that has a value of it.

        ``number``, ``string``, ``date``, or ``unknown`` where the whole file has no value.
        """
        self._check(declared)
        found = dict.fromkeys(self.names, "unknown") | dict(declared)
        waiting = [name for name in self.names if name not in declared]
        for skip in (0, 1):
            tables = islice(self._guarded(dict.fromkeys(waiting, "string")), skip, None)
            for table in tables if waiting else ():
                found |= {name: self._kind(table[name]) for name in waiting}
                waiting = [name for name in waiting if found[name] == "unknown"]
                if skip == 0 or not waiting:
                    break
        return found

    def _kind(self, column: Any) -> str:
        """The kind of a column by the distinct values of one block."""
        import pyarrow.compute as pc

        values = self._trimmed(column.chunk(0).dictionary).drop_null()
        if not len(values):
            return "unknown"
        if pc.any(pc.match_substring_regex(values, _PADDED_ZEROS)).as_py():
            return "string"
        return next((kind for kind in ("number", "date") if self._fits(values, kind)), "string")

    def blocks(
        self, kinds: Mapping[str, str], columns: Sequence[str] | None = None
    ) -> Iterator[Any]:
        """Arrow tables of 65 536 rows, the last one shorter; all columns, or those asked for."""
        chosen = self.names if columns is None else tuple(columns)
        self._check(chosen)
        if not chosen:
            raise ColumnError(f"{self.path}: no column is asked for. Ask for one at least.")
        return self._guarded({name: kinds[name] for name in chosen}, self._finished)

    def _check(self, names: Any) -> None:
        known = frozenset(self.names)
        if unknown := [name for name in names if name not in known]:
            raise ColumnError(
                f"{self.path}: there is no column {listed(unknown)}. "
                f"The columns are {listed(self.names)}."
            )

    def _guarded(
        self, kinds: Mapping[str, str], read: Callable[..., Iterator[Any]] | None = None
    ) -> Iterator[Any]:
        """Read tables; what Arrow says against the file is said again with row and value."""
        import pyarrow as pa

        try:
            yield from (read or self._tables)(kinds)
        except pa.ArrowInvalid as error:
            raise self._complaint(str(error), kinds) from None

    def _finished(self, kinds: Mapping[str, str]) -> Iterator[Any]:
        import pyarrow as pa

        numbers = [name for name, kind in kinds.items() if kind == "number"]
        for table in self._tables(kinds):
            if any(_huge(table[name]) for name in numbers):
                self._check_integers(numbers)
                numbers = []
            yield pa.table({name: self._column(table[name], kinds[name]) for name in kinds})

    def _column(self, column: Any, kind: str) -> Any:
        """A column as it is handed on, from how it was read."""
        import pyarrow.compute as pc

        if kind == "number":
            nan = pc.is_nan(column)
            return pc.if_else(nan, None, column) if pc.any(nan).as_py() else column
        if kind == "text":
            return self._trimmed(column)
        if kind == "unknown":
            return column
        coded = self._without_spaces(column.chunk(0))
        return _instants(coded.dictionary).take(coded.indices) if kind == "date" else coded

    def _trimmed(self, values: Any) -> Any:
        """Strings without the spaces around them; null where a marker is left."""
        import pyarrow as pa
        import pyarrow.compute as pc

        trimmed = pc.ascii_trim(values, characters=" \t")
        markers = pa.array(self.dialect.missing, pa.string())
        return pc.if_else(pc.is_in(trimmed, value_set=markers), None, trimmed)

    def _without_spaces(self, column: Any) -> Any:
        import pyarrow as pa

        values = self._trimmed(column.dictionary)
        if values.equals(column.dictionary):
            return column
        again = values.dictionary_encode()
        return pa.DictionaryArray.from_arrays(again.indices.take(column.indices), again.dictionary)

    def _check_integers(self, names: Sequence[str]) -> None:
        """Look in the text of the numbers for an integer that a double cannot hold."""
        import pyarrow.compute as pc

        for at, table in enumerate(self._tables(dict.fromkeys(names, "string"))):
            for name in names:
                column = table[name].chunk(0)
                values = self._trimmed(column.dictionary)
                long = values.filter(pc.match_substring_regex(values, _LONG_INTEGER))
                for text in long.to_pylist():
                    if int(text) != float(text):
                        row = at * BLOCK + pc.index(values.take(column.indices), text).as_py() + 1
                        raise ColumnError(
                            f"{self.path}: column {name!r} has an integer in row {row} that a "
                            f"double cannot hold ({text}). Declare the column with "
                            f"categories={json.dumps([name])}, or leave it out with "
                            f"ignore={json.dumps([name])}."
                        )

    def _tables(self, kinds: Mapping[str, str]) -> Iterator[Any]:
        """Tables of 65 536 rows as Arrow reads them, with more room where it has too little.

        Long rows need larger chunks, which cost memory. Spaces around the markers need a longer
        list of them, which costs a quarter of a millisecond a column. Few files need either.
        """
        import pyarrow as pa

        size, padding, done, more = max(CHUNK, self._width), 0, 0, self._filled
        while more:
            try:
                batches = self._batches(kinds, size, padding)
                for table in islice(_regrouped(batches), done, None):
                    done += 1
                    yield table
                more = False
            except pa.ArrowInvalid as error:
                if "straddling" in str(error) and size < LONGEST:
                    size = min(4 * size, LONGEST)
                elif "conversion error" in str(error) and not padding:
                    padding = PADDING
                else:
                    raise

    def _batches(self, kinds: Mapping[str, str], size: int, padding: int) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import csv as arrow

        source = Bytes(self.path, self.dialect.encoding)
        spaces: list[Any] = []
        ragged: list[Any] = []

        def invalid(row: Any) -> str:
            (ragged if row.text.strip() else spaces).append(row)
            return "error" if ragged else "skip"

        try:
            options = self._options(kinds, size, padding, invalid)
            with source, arrow.open_csv(source, *options) as reader:
                yield from reader
        except pa.ArrowInvalid:
            if ragged:
                raise self._ragged(ragged[0], len(spaces)) from None
            raise
        if source.quotes % 2:
            self._check_quotes()

    def _options(
        self, kinds: Mapping[str, str], size: int, padding: int, invalid: Callable[[Any], str]
    ) -> tuple[Any, Any, Any]:
        from pyarrow import csv as arrow

        reading = arrow.ReadOptions(
            column_names=self.names,
            skip_rows_after_names=self._skip,
            block_size=size,
            use_threads=False,  # threads were no faster on a stream, and lose the row's number
        )
        parsing = arrow.ParseOptions(
            delimiter=self.dialect.delimiter,
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

    def _complaint(self, message: str, kinds: Mapping[str, str]) -> InputError:
        """What is wrong, with the row and the value: the file is read again to find them."""
        import pyarrow as pa

        if "straddling" in message:
            self._check_quotes()
            return InputError(f"{self.path}: a row is longer than {LONGEST} bytes. Shorten it.")
        try:
            for at, table in enumerate(self._tables(dict.fromkeys(kinds, "bytes"))):
                bad = {name: self._first_bad(table[name], kinds[name]) for name in kinds}
                if found := [(row, name) for name, row in bad.items() if row is not None]:
                    row, name = min(found)
                    value = table[name][row].as_py()
                    return self._wrong(name, kinds[name], at * BLOCK + row + 1, value)
        except pa.ArrowInvalid as error:
            message = str(error)
        return InputError(f"{self.path}: {message}.")

    def _first_bad(self, column: Any, kind: str) -> int | None:
        """The first row that does not read as this kind; the column is one of bytes."""

        def bad(rows: int) -> bool:
            return not self._fits(column.slice(0, rows), kind)

        if not bad(len(column)):
            return None
        return bisect.bisect_left(range(len(column)), True, key=lambda at: bad(at + 1))

    def _fits(self, values: Any, kind: str) -> bool:
        import pyarrow as pa

        try:
            texts = self._trimmed(values.cast(pa.string()))
            if kind == "number":
                _numbers(texts, self.dialect.decimal)
            elif kind == "date":
                _instants(texts)
            return kind != "unknown" or texts.null_count == len(texts)
        except pa.ArrowInvalid:
            return False

    def _wrong(self, name: str, kind: str, row: int, value: bytes) -> ColumnError:
        where = f"{self.path}: column {name!r} has"
        column = json.dumps([name], ensure_ascii=False)
        try:
            text = value.decode()
        except UnicodeDecodeError:
            return ColumnError(
                f"{where} bytes in row {row} that are not UTF-8 ({value[:60]!r}). "
                'Name the encoding, such as dialect={"encoding": "latin-1"}.'
            )
        if kind == "unknown":
            return ColumnError(
                f"{where} a value in row {row} ({text[:60]!r}) where none was expected. "
                f"Declare the column, with categories={column} for instance, or ignore it."
            )
        what = "text" if kind == "number" else "something else than an ISO date"
        return ColumnError(
            f"{where} {what} in row {row} ({text[:60]!r}). Mark it as missing with "
            f"missing={json.dumps(text[:60].strip(), ensure_ascii=False)}, declare the column with "
            f"categories={column}, or ignore it."
        )

    def _ragged(self, row: Any, spaces: int) -> InputError:
        number = row.number - self._skip - spaces
        if row.text.count('"') % 2:
            return self._unclosed(number)
        return InputError(
            f"{self.path}: row {number} has another number of cells than the first row: expected "
            f"{row.expected_columns}, found {row.actual_columns} ({row.text[:60]!r}). "
            f"Mend the row; a cell that contains {self.dialect.delimiter!r} needs quotes around it."
        )

    def _check_quotes(self) -> None:
        """Refuse a quote that is open to the end of the file."""
        row = 1 - self.dialect.header
        with text_of(self.path, self.dialect.encoding) as lines:
            try:
                for cells in records(lines, self.dialect.delimiter, strict=True):
                    row += not blank(cells)
            except csv.Error as error:
                # Text behind a closing quote is an error to a strict reader, but none to Arrow.
                if "expected after" not in str(error):
                    raise self._unclosed(row) from None

    def _unclosed(self, row: int) -> InputError:
        where = f"row {row}" if row else "the header"
        return InputError(
            f"{self.path}: {where} opens a quote that is not closed. Close it; "
            'a quote inside a quoted cell is written twice ("").'
        )


def _type(kind: str) -> Any:
    """The Arrow type that a kind is read as."""
    import pyarrow as pa

    plain = {"number": pa.float64(), "text": pa.string(), "unknown": pa.null()}
    plain["bytes"] = pa.binary()
    return plain.get(kind) or pa.dictionary(pa.int32(), pa.string())


def _regrouped(batches: Iterator[Any]) -> Iterator[Any]:
    """Tables of 65 536 rows, each column in one piece, from batches of any size."""
    import pyarrow as pa

    held: list[Any] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += len(batch)
        while rows >= BLOCK:
            table = pa.Table.from_batches(held)
            yield _compact(table.slice(0, BLOCK))
            held, rows = table.slice(BLOCK).to_batches(), rows - BLOCK
    if rows:
        yield _compact(pa.Table.from_batches(held))


def _compact(table: Any) -> Any:
    """One piece a column, and dictionaries without the values of the rows that were cut off."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = table.combine_chunks()
    for at, column in enumerate(table.columns):
        if pa.types.is_dictionary(column.type):
            coded = column.chunk(0)
            if pc.count_distinct(coded.indices).as_py() < len(coded.dictionary):
                coded = coded.dictionary_decode().dictionary_encode()
                table = table.set_column(at, table.field(at), coded)
    return table


def _numbers(texts: Any, decimal: str) -> Any:
    """Texts as doubles, by the rules of Arrow's own reader."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal != ".":
        texts = pc.replace_substring(pc.replace_substring(texts, ".", "no point"), decimal, ".")
    return texts.cast(pa.float64())


def _instants(texts: Any) -> Any:
    """Texts as timestamps without a zone; those that name one are turned to UTC."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain, utc = pa.timestamp("us"), pa.timestamp("us", "UTC")
    try:
        return texts.cast(plain)
    except pa.ArrowInvalid:
        texts = pc.replace_substring_regex(texts, r"(\.\d{6})\d+", r"\1")
        zoned = pc.match_substring_regex(texts, _ZONE)
        here = pc.if_else(zoned, None, texts).cast(plain)
        return pc.coalesce(here, pc.if_else(zoned, texts, None).cast(utc).cast(plain))


def _huge(column: Any) -> bool:
    """Whether some number is so large that its neighbours are no longer all integers."""
    import pyarrow.compute as pc

    ends = pc.min_max(column).as_py()
    return ends["max"] is not None and max(-ends["min"], ends["max"]) >= 2.0**53
