"""Opened files: what each of them is, how text is written, and the runs that it is read in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from tallylearn.errors import InputError
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.files.compression import changed_file_error, inner_suffix, open_file, stamp
from tallylearn.sources.files.csv.delimited import Delimited, DelimitedReader
from tallylearn.sources.files.csv.dialect import Dialect, sniff
from tallylearn.sources.files.csv.dialect_options import OPTIONS, date_format
from tallylearn.sources.files.excel import SheetDialect
from tallylearn.sources.files.formats import ARFF, Format, FormatReader, format_of
from tallylearn.sources.memory.joined_blocks import fit_in_memory
from tallylearn.sources.type_inference.column_types import FormatHints
from tallylearn.tables import DATE


class OpenedFiles:
    """Files of one table: looked at once, and the same from then on."""

    def __init__(self, paths: Sequence[Path], declared: Declaration) -> None:
        self.paths, self.declared = paths, declared
        self.dialect: Dialect | SheetDialect | None = None
        self.categories: Mapping[str, tuple[str, ...]] = {}  # that a file declares itself
        self.weight = ""  # the column of weights that a file has beside its own columns
        self._stamps = {path: stamp(path) for path in paths}
        self._formats: dict[Path, Format | None] = {}
        self._runs_of: dict[Path, Sequence[FormatReader]] = {}

    @property
    def is_parsed_text(self) -> bool:
        """Whether to read some of them is to parse text."""
        return any((form := self._format(path)) is None or form.parsed for path in self.paths)

    @property
    def bare_missing(self) -> bool:
        """Whether the format has a mark of its own for missing values: NA is a word then."""
        return self._format(self.paths[0]) is ARFF

    @property
    def small(self) -> bool:
        """Whether all of them fit into memory."""
        return fit_in_memory(self.paths)

    @property
    def hints(self) -> FormatHints:
        """What is known of how strings are written: in text by its cells, elsewhere if said."""
        if isinstance(self.dialect, Dialect):
            return self.dialect.hints
        return FormatHints(date=date_format(self.declared.dialect))

    @property
    def options(self) -> tuple[str, ...]:
        """What a dialect may say of them."""
        form = self._format(self.paths[0])
        return OPTIONS if form is None else form.options

    def check(self, path: Path) -> None:
        """A file is the one that was declared."""
        if stamp(path) != self._stamps[path]:
            raise changed_file_error(path, "since the table was declared")

    def first(self, path: Path, asked: Callable[[str], bool]) -> tuple[tuple[str, ...], Any]:
        """The columns of a file, and the first block of those that are asked about."""
        with open_file(path) as file:
            form = self._formats[path] = format_of(path, file)
            if form is None:
                return self._open_delimited(path, asked, file)
        run = self._runs(path, form)[0]
        self.dialect = getattr(run, "dialect", None)
        self.categories = getattr(run, "categories", {})
        self.weight = getattr(run, "weight", "")
        wanted = [name for name in run.names if asked(name)]
        return run.names, table_of(wanted, next(run.tables(wanted), None) if wanted else None)

    def _open_delimited(
        self, path: Path, asked: Callable[[str], bool], file: BinaryIO
    ) -> tuple[tuple[str, ...], Any]:
        """How an open file is written, its header and its first block."""
        self.dialect = self._sniff(path, file)
        part = Delimited(path, self.dialect, file)
        wanted = [name for name in part.names if asked(name)]
        said = {name for name in wanted if self.declared.kind(name) == DATE}
        return part.names, table_of(wanted, part.first(wanted, said) if wanted else None)

    def readers(
        self, path: Path, forms: Mapping[str, str] | None = None
    ) -> Sequence[FormatReader | DelimitedReader]:
        """The runs of a file; from delimited text some columns as numbers, dates, long strings."""
        if (form := self._format(path)) is not None:
            return self._runs(path, form)
        if not isinstance(self.dialect, Dialect):
            self.dialect = self._sniff(path)
        return [DelimitedReader(path, self._dialect_of(path, self.dialect), forms or {})]

    def _format(self, path: Path) -> Format | None:
        """What a file is; one that ends as the first does is not looked at for that."""
        if path not in self._formats:
            alike = inner_suffix(path) == inner_suffix(self.paths[0])
            self._formats[path] = self._formats[self.paths[0]] if alike else format_of(path)
        return self._formats[path]

    def _dialect_of(self, path: Path, first: Dialect) -> Dialect:
        """The dialect of all files; lines above a table, where some were found, are each file's."""
        if not first.skip or "skip" in self.declared.dialect_for(OPTIONS):
            return first
        own = self._sniff(path)
        return replace(first, skip=own.skip, names=own.names, header=own.header)

    def _sniff(self, path: Path, file: BinaryIO | None = None) -> Dialect:
        return sniff(path, self.declared.dialect_for(OPTIONS), self.declared.missing, file)

    def _runs(self, path: Path, form: Format) -> Sequence[FormatReader]:
        """The runs of a file that is no delimited text, opened once."""
        if path not in self._runs_of:
            runs = self._runs_of[path] = form.readers(path, self.declared)
            weight, ignored = getattr(runs[0], "weight", ""), self.declared.ignore
            if path != self.paths[0] and weight not in (self.weight, *ignored):
                raise InputError(
                    f"{path.name} has row weights, and {self.paths[0].name} has none. Write them "
                    f'to all files, or leave them out with ignore=["{weight}"].'
                )
        return self._runs_of[path]


def table_of(names: Sequence[str], first: Any) -> Any:
    """The first block; a table without rows where there is none."""
    import pyarrow as pa

    return pa.table({name: pa.nulls(0) for name in names}) if first is None else first
