"""A delimited file is a table that was written down as text, one row a line.

It is read in blocks of 65 536 rows, so that memory does not grow with the file.

- **Numbers** are doubles from the start. Spaces around them do not count; ``1,234.5`` is text.
- **Strings** lose the spaces around them. A column in whose first block a number starts with
  needless zeros (``007``, a postal code) is one of strings.
- **Truth values** are True and False where the first block has nothing else, in one spelling of
  ``True``, ``TRUE`` and ``true``.
- **Dates** are written as ISO 8601 has them, ``2024-05-31`` or ``2024-05-31 12:30:00``; a time
  with a zone becomes UTC, one without is taken as it stands, and digits below a microsecond go.
- **Rows** are numbered from 1 at the first row of values; empty lines are passed over and do not
  count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from tallylearn.errors import ColumnError, listed
from tallylearn.sources.arrow_buffers import emptied, strings_of
from tallylearn.sources.category_origins import TRUTHS
from tallylearn.sources.csv import cells
from tallylearn.sources.csv.cell_errors import not_a_truth
from tallylearn.sources.csv.dialect import Dialect
from tallylearn.sources.csv.fault_search import check_integers, check_long, fault, huge
from tallylearn.sources.csv.parser import Parser
from tallylearn.sources.file_parts import present
from tallylearn.sources.kinds import kind_in_text
from tallylearn.sources.packed import opened


@dataclass(frozen=True)
class DelimitedReader:
    """A delimited file to be read: opened once, its header looked at again by who reads it."""

    path: Path
    dialect: Dialect
    kinds: Mapping[str, str]
    start: ClassVar[int] = 1  # the number of its first row

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Tables of 65 536 rows."""
        with opened(self.path) as file:
            read = Delimited(self.path, self.dialect, file)
            chosen = present(self.path, read.names, columns)
            kinds = dict.fromkeys(chosen, "string") | dict(self.kinds)  # one may only be counted
            yield from read.blocks(kinds, chosen)


class Delimited:
    """One delimited file (.csv, .tsv, .txt, also .gz), read in blocks."""

    def __init__(self, path: Path, dialect: Dialect, file: BinaryIO | None = None) -> None:
        self.path, self.dialect, self._file = Path(path), dialect, file
        self._parser = Parser.of(self.path, dialect, file)
        self.names = self._parser.names

    def kinds(self, declared: Mapping[str, str]) -> dict[str, str]:
        """The kind of every column: as declared, else by the first block that has a value of it.

        ``number``, ``string``, ``date``, ``truth``; ``unknown`` where the whole file has no value.
        """
        return self.begun(declared)[0]

    def begun(
        self, declared: Mapping[str, str], columns: Sequence[str] | None = None
    ) -> tuple[dict[str, str], Any]:
        """The kinds of all columns, or of those asked for, and what the first block shows of them.

        That is a table with all of its strings, but only the types of numbers, dates and truth
        values: no more is needed to tell text from categories.
        """
        self._check(declared)
        chosen = self.names if columns is None else columns
        found = {name: declared.get(name, "unknown") for name in chosen}
        waiting = [name for name in chosen if name not in declared]
        if not chosen or (not waiting and columns is not None):
            return found, None
        read = {name: declared.get(name, "string") for name in chosen}
        first = next(self._guarded(self._tables, read), None)
        if first is None:
            return found, None
        found |= {name: self._kind(first[name]) for name in waiting}
        if empty := [name for name in waiting if found[name] == "unknown"]:
            found |= self._later(empty)
        return found, next(self._guarded(lambda _: self._shown(first, found, waiting), read))

    def _later(self, names: Sequence[str]) -> dict[str, str]:
        """The kinds of columns that have no value in the first block."""
        found = dict.fromkeys(names, "unknown")
        tables = self._guarded(self._parser.tables, dict.fromkeys(names, "string"))
        for table in islice(tables, 1, None):
            found |= {n: self._kind(table[n]) for n in names if found[n] == "unknown"}
            if "unknown" not in found.values():
                break
        return found

    def _tables(self, kinds: Mapping[str, str]) -> Iterator[Any]:
        file, self._file = self._file, None  # handed on once: Arrow may go on reading ahead in it
        return self._parser.tables(kinds, file)

    def _shown(self, first: Any, kinds: Mapping[str, str], guessed: Sequence[str]) -> Iterator[Any]:
        """The first block for a schema; integers that were guessed are looked at as text."""
        import pyarrow as pa

        for name in guessed:
            if kinds[name] == "number":
                check_long(self._parser, name, first[name].chunk(0), 1)
        yield pa.table({name: self._typed(first[name], kinds[name], name) for name in kinds})

    def _kind(self, column: Any) -> str:
        """The kind of a column by the distinct values of one block."""
        dialect = self.dialect
        values = cells.trimmed(column.chunk(0).dictionary, dialect.missing).drop_null()
        return kind_in_text(values, dialect.decimal)

    def blocks(
        self, kinds: Mapping[str, str], columns: Sequence[str] | None = None
    ) -> Iterator[Any]:
        """Arrow tables of 65 536 rows, the last one shorter; all columns, or those asked for."""
        chosen = self.names if columns is None else tuple(columns)
        self._check(chosen)
        if not chosen:
            raise ColumnError(f"{self.path}: no column is asked for. Ask for one at least.")
        return self._guarded(self._finished, {name: kinds[name] for name in chosen})

    def _check(self, names: Any) -> None:
        known = frozenset(self.names)
        if unknown := [name for name in names if name not in known]:
            raise ColumnError(
                f"{self.path}: there is no column {listed(unknown)}. "
                f"The columns are {listed(self.names)}."
            )

    def _guarded(
        self, read: Callable[[Mapping[str, str]], Iterator[Any]], kinds: Mapping[str, str]
    ) -> Iterator[Any]:
        """Read tables; what Arrow says against the file is said again with row and value."""
        import pyarrow as pa

        try:
            yield from read(kinds)
        except pa.ArrowInvalid as error:
            raise fault(self._parser, str(error), kinds) from None

    def _finished(self, kinds: Mapping[str, str]) -> Iterator[Any]:
        import pyarrow as pa

        start = 1
        numbers = [name for name, kind in kinds.items() if kind == "number"]
        for table in self._tables(kinds):
            if any(huge(table[name]) for name in numbers):
                check_integers(self._parser, numbers)
                numbers = []
            yield pa.table({n: self._column(table[n], kinds[n], n, start) for n in kinds})
            start += len(table)

    def _column(self, column: Any, kind: str, name: str, start: int) -> Any:
        """A column as it is handed on, from how it was read."""
        import pyarrow.compute as pc

        if kind == "number":
            nan = pc.is_nan(column)
            return emptied(column, nan) if pc.any(nan).as_py() else column
        if kind == "text":
            return cells.trimmed(column, self.dialect.missing)
        if kind == "unknown":
            return column
        coded = cells.trimmed_codes(column.chunk(0), self.dialect.missing)
        if kind == "truth":
            return self._truths(coded, name, start)
        return cells.instants(coded.dictionary).take(coded.indices) if kind == "date" else coded

    def _typed(self, column: Any, kind: str, name: str) -> Any:
        """A column for who asks of all but strings only the type; dates are read, to be checked."""
        import pyarrow as pa

        if kind in ("number", "truth"):
            return pa.nulls(len(column), pa.float64() if kind == "number" else pa.bool_())
        return pa.nulls(len(column)) if kind == "unknown" else self._column(column, kind, name, 1)

    def _truths(self, coded: Any, name: str, start: int) -> Any:
        """Truth values from the words for them; another word is named with its row."""
        import pyarrow.compute as pc

        words = coded.dictionary
        for at, word in enumerate(words.to_pylist()):
            if word is not None and word not in TRUTHS:
                row = start + coded.indices.to_pylist().index(at)
                raise not_a_truth(name, word, row, f"{self.path}: ")
        true = pc.is_in(words, value_set=strings_of(tuple(w for w in TRUTHS if TRUTHS[w])))
        return emptied(true, pc.is_null(words)).take(coded.indices)
