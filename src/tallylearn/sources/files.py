"""Files of any format, one or many, read in blocks and never held whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np

from tallylearn.errors import InputError, KindError, TargetError
from tallylearn.sources.csv.delimited import Delimited, DelimitedReader
from tallylearn.sources.csv.dialect import Dialect, sniff
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.file_formats import Format, FormatReader, format_of
from tallylearn.sources.file_parts import FilePart, Reading
from tallylearn.sources.frame_reading import schema_of
from tallylearn.sources.frames import Frame
from tallylearn.sources.joined_blocks import joined, small, together
from tallylearn.sources.kinds import codes
from tallylearn.sources.memory_table import Table
from tallylearn.sources.packed import bare, changed, opened, stamp
from tallylearn.sources.protocols import Coding, Declared
from tallylearn.sources.workbooks import Sheet
from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT, Array, Block, Codes, Column, Schema

CSV_KINDS = {NUMBER: "number", CATEGORY: "string", TEXT: "text", DATE: "date"}


class Files(Declared):
    """A table on disk, in one file or several of the same columns, read in blocks."""

    def __init__(
        self, paths: Sequence[Path], declared: Declaration, schema: Schema | None = None
    ) -> None:
        self.paths = tuple(paths)
        self._stamps = {path: stamp(path) for path in self.paths}
        self.declared = declared
        self.dialect: Dialect | Sheet | None = None
        self._formats: dict[Path, Format | None] = {}
        self._opened: dict[Path, Sequence[FormatReader]] = {}
        self.kept: object = None  # what the files go with
        self._kinds: dict[str, str] = {}
        for path in self.paths:  # until one has rows, to tell the kinds of its columns by
            self._names, shown = self._begun(path, schema)
            if schema is not None or shown.arrow.num_rows:
                break
        if schema is None:
            declared.check(self.names)
        self._reading = Reading(schema or schema_of(shown, declared), declared, schema is not None)
        self._kinds |= _kinds_of(self.schema)

    def _begun(self, path: Path, schema: Schema | None) -> tuple[tuple[str, ...], Frame]:
        """Open a file, and look at what it is, its columns and its first block at once."""
        with opened(path) as file:
            form = self._formats[path] = format_of(path, file)
            if form is None:
                return self._delimited(path, schema, file)
        first = self._runs(path, form)[0]
        self.dialect = getattr(first, "dialect", None)
        wanted = [name for name in first.names if name not in self.declared.ignore]
        shown = next(first.tables(wanted), None) if schema is None else None
        return first.names, _shown(first.names, shown)

    def _delimited(
        self, path: Path, schema: Schema | None, file: BinaryIO
    ) -> tuple[tuple[str, ...], Frame]:
        """How an open file is written, its header and its first block."""
        self.dialect = sniff(path, self.declared.dialect, self.declared.missing, file)
        part = Delimited(path, self.dialect, file)
        said = _kinds_declared(self.declared) | ({} if schema is None else _kinds_of(schema))
        known = {name: kind for name, kind in said.items() if name in part.names}
        targets = [name for name in self.declared.targets if name in part.names]
        wanted = None if schema is None else [*known, *targets]
        self._kinds, shown = part.begun(known, wanted)
        return part.names, _shown(part.names, shown)

    @property
    def schema(self) -> Schema:
        return self._reading.schema

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    @property
    def size(self) -> None:
        return None

    @property
    def parsed(self) -> bool:
        return any((form := self._format(path)) is None or form.parsed for path in self.paths)

    def parts(self) -> Iterator[FilePart]:
        """File after file in sorted order; rows are numbered from 1 in each file."""
        for path in self.paths:
            if stamp(path) != self._stamps[path]:
                raise changed(path, "since the table was declared")
            for reader in self._readers(path):
                yield FilePart(reader, self._reading, reader.start)

    def whole(self, watch: Callable[[int], None] | None = None) -> Block:
        """All rows, read into memory."""
        blocks = []
        for block in self.blocks():
            blocks.append(block)
            if watch is not None:
                watch(len(block))
        return together(blocks, self.schema)

    def aimed(self, targets: tuple[str, ...], weight: str | None) -> Files:
        """The same files with other targets, or another weight."""
        return self._declaring(replace(self.declared, targets=targets, weight=weight))

    def taught(self, target: Any, weight: Any) -> Files:
        """The same files: what is learned from them stands in them."""
        if target is not None:
            raise TargetError(
                "a table of files takes its target from a column: fit('data.csv', 'column')."
            )
        if weight is not None:
            raise InputError(
                "a table of files takes its weights from a column: sample_weight='column'."
            )
        return self

    def without(self, names: Collection[str]) -> Files:
        """The same files, some columns of which are ignored."""
        ignored = (*self.declared.ignore, *names)
        return self._declaring(replace(self.declared, ignore=ignored))

    def read_as(self, schema: Schema) -> Files:
        return self._again(replace(self._reading, schema=schema, learned=True))

    def untargeted(self) -> Files:
        declared = replace(self.declared, targets=(), weight=None)
        return self._again(replace(self._reading, declared=declared))

    def coded(self, coding: Coding) -> Files:
        return self._again(replace(self._reading, coding=coding))

    def held(self) -> Files | Table:
        return self._held() if small(self.paths) else self

    def _held(self) -> Table:
        block = self.whole()
        bare = replace(block, target=None, weight=None)
        return Table(bare, block.target, block.weight, self.declared)

    def grouping(self, name: str) -> Codes:
        """One column, read alone: 007 and 7 are two groups."""
        alone = replace(self.declared, groups=name, targets=(), weight=None)
        narrow = self._again(Reading(Schema(()), alone, learned=True))
        return joined([block.group for block in narrow.blocks() if block.group is not None])

    def times(self, name: str) -> Codes | Array:
        """One column, read alone; it may be one that is not learned from, or was declared text."""
        alone = replace(
            self.declared, targets=(), weight=None, groups=None, categories={}, text=(),
            dates={key: () for key in self.declared.dates if key == name},
            ignore=tuple(other for other in self.names if other != name),
        )  # fmt: skip
        narrow = type(self)(self.paths, alone)
        blocks = list(narrow.blocks())
        if name in narrow.schema.places:
            return np.concatenate([block.numbers[:, 0] for block in blocks])
        return joined([_values(block, name) for block in blocks])

    def raw(self) -> Iterator[Any]:
        """The rows as Arrow tables, all columns of every file."""
        for path in self.paths:
            for reader in self._readers(path):
                yield from reader.tables(self.names)

    def __len__(self) -> NoReturn:
        raise KindError(
            f"{self} is not in memory and has no length. Read it first, "
            "for example with pyarrow.csv.read_csv or pandas.read_parquet."
        )

    def __getitem__(self, rows: Any) -> NoReturn:
        raise KindError(f"{self} is not in memory: its rows cannot be picked. Read it first.")

    def __repr__(self) -> str:
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        how = f": {self.dialect}" if self.dialect else ""
        return f"{type(self).__name__}({self.paths[0].name}{more}{how})"

    def _format(self, path: Path) -> Format | None:
        """What a file is; one that ends as the first does is not looked at for that."""
        if path not in self._formats:
            alike = bare(path) == bare(self.paths[0])
            self._formats[path] = self._formats[self.paths[0]] if alike else format_of(path)
        return self._formats[path]

    def _readers(self, path: Path) -> Sequence[FormatReader | DelimitedReader]:
        if (form := self._format(path)) is not None:
            return self._runs(path, form)
        if not isinstance(self.dialect, Dialect):
            self.dialect = sniff(path, self.declared.dialect, self.declared.missing)
        return [DelimitedReader(path, self._dialect_of(path, self.dialect), self._kinds)]

    def _dialect_of(self, path: Path, first: Dialect) -> Dialect:
        """The dialect of all files; lines above a table, where some were found, are each file's."""
        if not first.skip or "skip" in self.declared.dialect:
            return first
        own = sniff(path, self.declared.dialect, self.declared.missing)
        return replace(first, skip=own.skip, names=own.names, header=own.header)

    def _runs(self, path: Path, form: Format) -> Sequence[FormatReader]:
        """The runs of a file that is no delimited text, opened once."""
        if path not in self._opened:
            self._opened[path] = form.readers(path, self.declared)
        return self._opened[path]

    def _declaring(self, declared: Declaration) -> Files:
        """With columns put aside that were learned from before."""
        if self._reading.learned:
            found = type(self)(self.paths, declared)
            found.kept = self.kept
            return found
        declared.check(self.names)
        parts = {f"{name}.{part}": name for name, parts in declared.dates.items() for part in parts}
        kept = (c for c in self.schema.columns if parts.get(c.name, c.name) not in declared.aside)
        schema = replace(self.schema, columns=tuple(kept))
        return self._again(replace(self._reading, schema=schema, declared=declared))

    def _again(self, reading: Reading) -> Files:
        """The same files, not looked at again."""
        found = copy(self)
        found.declared, found._reading = reading.declared, reading
        known = _kinds_declared(reading.declared) | _kinds_of(reading.schema)
        found._kinds = self._kinds | known
        return found


def _shown(names: tuple[str, ...], first: Any) -> Frame:
    """What the first block shows of the columns; nothing where there is none."""
    import pyarrow as pa

    if first is None:
        first = pa.table({name: pa.nulls(0) for name in names})
    return Frame(tuple(first.column_names), True, arrow=first, read=True)


def _kinds_declared(declared: Declaration) -> dict[str, str]:
    """How the cells of declared columns are read from a delimited file."""
    found = dict.fromkeys(declared.categories, CSV_KINDS[CATEGORY])
    found |= dict.fromkeys(declared.text, "text")
    found |= dict.fromkeys(declared.dates, "date")
    found |= dict.fromkeys(declared.ignore, "string")
    if declared.groups:
        found[declared.groups] = "string"  # 007 and 7 are two groups
    if declared.weight:
        found[declared.weight] = "number"
    return found


def _kinds_of(schema: Schema) -> dict[str, str]:
    """How the cells of a schema's columns are read from a delimited file."""
    dates = dict.fromkeys((name for name, _ in schema.parts), "date")
    return dates | {column.name: _csv_kind(column) for column in schema.columns}


def _values(block: Block, name: str) -> Codes:
    if name in block.codes:
        return block.codes[name]
    return codes(block.text[name]) if name in block.text else Codes.of([None] * len(block))


def _csv_kind(column: Column) -> str:
    """How the cells of a column are read from a delimited file."""
    if column.kind == CATEGORY and column.origin == "truth":
        return "truth"
    return CSV_KINDS.get(column.kind, "unknown")
