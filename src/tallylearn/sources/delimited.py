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

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tallylearn.errors import ColumnError, listed
from tallylearn.sources import cells
from tallylearn.sources.buffers import emptied, strings_of
from tallylearn.sources.complaints import not_a_truth
from tallylearn.sources.dialects import Dialect
from tallylearn.sources.faults import check_integers, fault, huge
from tallylearn.sources.origins import SPELLINGS, TRUTHS
from tallylearn.sources.parsing import Parser

_PADDED_ZEROS = r"^[+-]?0\d[\d.,]*$"


class Delimited:
    """One delimited file (.csv, .tsv, .txt, also .gz), read in blocks."""

    def __init__(self, path: Path, dialect: Dialect) -> None:
        self.path, self.dialect = Path(path), dialect
        self._parser = Parser.of(self.path, dialect)
        self.names = self._parser.names
        if twice := [name for name, times in Counter(self.names).items() if times > 1]:
            raise ColumnError(
                f"{self.path}: the header has {listed(twice)} more than once. Rename the columns, "
                'or say dialect={"header": False} if the first row is one of values.'
            )

    def kinds(self, declared: Mapping[str, str]) -> dict[str, str]:
        """The kind of every column: as declared, else by the first block that has a value of it.

        ``number``, ``string``, ``date``, ``truth``; ``unknown`` where the whole file has no value.
        """
        self._check(declared)
        found = dict.fromkeys(self.names, "unknown") | dict(declared)
        waiting = [name for name in self.names if name not in declared]
        for skip in (0, 1):
            tables = self._guarded(self._parser.tables, dict.fromkeys(waiting, "string"))
            for table in islice(tables, skip, None) if waiting else ():
                found |= {name: self._kind(table[name]) for name in waiting}
                waiting = [name for name in waiting if found[name] == "unknown"]
                if skip == 0 or not waiting:
                    break
        return found

    def _kind(self, column: Any) -> str:
        """The kind of a column by the distinct values of one block."""
        import pyarrow.compute as pc

        dialect = self.dialect
        values = cells.trimmed(column.chunk(0).dictionary, dialect.missing).drop_null()
        if not len(values):
            return "unknown"
        if pc.any(pc.match_substring_regex(values, _PADDED_ZEROS)).as_py():
            return "string"
        few = values.unique().slice(0, 3).to_pylist()
        if any({*pair}.issuperset(few) for pair in SPELLINGS):
            return "truth"
        for kind in ("number", "date"):
            if cells.reads(values, kind, dialect.decimal):
                return kind
        return "string"

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
        for table in self._parser.tables(kinds):
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
