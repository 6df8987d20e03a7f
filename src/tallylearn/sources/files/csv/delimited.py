"""A delimited file is a table that was written down as text, one row a line.

It is read in blocks of 65 536 rows, so that memory does not grow with the file. Columns of plain
numbers come as doubles, all others as strings: what those are is not the file's affair. A row has
the number of its line, where the header counts; a cell with line breaks counts as one line. In a
file with several columns, empty lines are not rows and are not counted. In a file with one column,
an empty line is a row with a missing value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from tallylearn.errors import ColumnError, FileError, quoted_list
from tallylearn.sources.files.compression import open_file
from tallylearn.sources.files.csv.dialect import DELIMITERS, WITH_COMMA, Dialect, sniff
from tallylearn.sources.files.csv.parser import Parser
from tallylearn.sources.files.parts import columns_to_read

DECIMAL_COMMA = rf"^\s*(?:{WITH_COMMA.pattern})\s*$"


@dataclass(frozen=True)
class DelimitedReader:
    """A delimited file to be read: opened once, its header looked at again by who reads it."""

    path: Path
    dialect: Dialect
    forms: Mapping[str, str] = field(default_factory=dict)  # of columns, if not "string"

    @property
    def start(self) -> int:
        """The line of the first row of values."""
        return self.dialect.first_line

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Tables of 65 536 rows."""
        with open_file(self.path) as file:
            read = Delimited(self.path, self.dialect, file)
            check_delimiter(self.path, self.dialect, read.names, columns)
            chosen = columns_to_read(self.path, read.names, columns)
            yield from read.blocks({name: self.forms.get(name, "string") for name in chosen})

    def raw_cells(self, columns: Sequence[str]) -> Iterator[Any]:
        """The same rows with some columns as they stand: every space, and every mark of a gap."""
        with open_file(self.path) as file:
            read = Delimited(self.path, replace(self.dialect, missing=()), file)
            yield from read.raw_cells(columns_to_read(self.path, read.names, columns))


def check_delimiter(
    path: Path, dialect: Dialect, names: Sequence[str], wanted: Sequence[str]
) -> None:
    """A file that lacks columns may have them, and be written with another delimiter."""
    if {*wanted} <= {*names}:
        return
    other = sniff(path).delimiter
    if other != dialect.delimiter and len(names) == 1:
        mine, theirs = (DELIMITERS.get(mark, repr(mark)) for mark in (dialect.delimiter, other))
        raise FileError(
            f"{path.name} is {theirs}-separated, and the other files are {mine}-separated: "
            f"its only column is {names[0][:60]!r}. Save it like the others, or read it "
            "alone."
        )


def _with_commas(column: Any) -> bool:
    """Whether some string of a column is a number with a decimal comma."""
    import pyarrow.compute as pc
    import pyarrow.types as is_

    if not is_.is_dictionary(column.type):
        return False
    return any(
        pc.any(pc.match_substring_regex(chunk.dictionary, DECIMAL_COMMA)).as_py()
        for chunk in column.chunks
    )


class Delimited:
    """One delimited file (.csv, .tsv, .txt, also .gz), read in blocks."""

    def __init__(self, path: Path, dialect: Dialect, file: BinaryIO | None = None) -> None:
        self.path, self.dialect, self._file = Path(path), dialect, file
        self._parser = Parser.of(self.path, dialect, file)
        self.names = self._parser.names

    def first(self, names: Sequence[str], dates: Collection[str] = ()) -> Any:
        """The first block of some columns, None where there are no rows.

        Columns of plain numbers come as doubles, which takes a third of the time of strings; all
        others, and those without any value, as strings. Where a comma may be a decimal mark, no
        number is plain: 1.234 beside a column of "1,5" has thousands. Nor is one that is said to be
        a date, which 20241231 may be.
        """
        import pyarrow as pa

        comma = "," in (self.dialect.decimal, self.dialect.hints.decimal)
        forms = {name: "string" if comma or name in dates else "number" for name in names}
        table = self._first_block(forms)
        if table is not None and not comma and any(map(_with_commas, table.columns)):
            table = self._first_block(dict.fromkeys(names, "string"))
        if table is None:
            return None
        void = pa.nulls(len(table), pa.string())
        gaps = [at for at, column in enumerate(table.columns) if column.null_count == len(table)]
        for at in gaps:
            table = table.set_column(at, table.schema.names[at], void)
        return table

    def _first_block(self, forms: Mapping[str, str]) -> Any:
        """The first block, None where there are no rows."""
        return next(self.blocks(forms), None)

    def blocks(self, forms: Mapping[str, str]) -> Iterator[Any]:
        """Arrow tables of 65 536 rows, the last one shorter, of the columns that are asked for.

        A form is "number", "date", "string" (as dictionaries, which repeat little) or "text". A
        column in which some cell is no plain number or date comes as strings from there on.
        """
        self._check(forms)
        if not forms:
            raise ColumnError(f"{self.path}: no column is selected. Select at least one.")
        file, self._file = self._file, None  # handed on once: who reads it reads ahead
        return self._parser.tables(forms, file)

    def raw_cells(self, columns: Sequence[str]) -> Iterator[Any]:
        """The cells of some columns as text, with the spaces around them."""
        file, self._file = self._file, None
        return self._parser.tables(dict.fromkeys(columns, "text"), file)

    def _check(self, names: Any) -> None:
        known = frozenset(self.names)
        if unknown := [name for name in names if name not in known]:
            raise ColumnError(
                f"{self.path} has no column {quoted_list(unknown)}. Choose among its columns: "
                f"{quoted_list(self.names)}."
            )
