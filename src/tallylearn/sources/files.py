"""Files: CSV, Parquet and Arrow, one or many, read in blocks and never held whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from tallylearn.errors import InputError, KindError, OptionError, TargetError
from tallylearn.sources.class_labels import weighing
from tallylearn.sources.columnar import ARROW, PARQUET, ArrowRun, ParquetRun
from tallylearn.sources.csv.decoding import opened
from tallylearn.sources.csv.delimited import Delimited, DelimitedReader
from tallylearn.sources.csv.dialect import Dialect, sniff
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.file_parts import FilePart, Reading
from tallylearn.sources.frame_reading import schema_of
from tallylearn.sources.frames import Frame
from tallylearn.sources.joined_blocks import joined, small, together
from tallylearn.sources.kinds import codes
from tallylearn.sources.memory_table import Table
from tallylearn.sources.protocols import Coding, Declared
from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT, Array, Block, Codes, Column, Schema

CSV_KINDS = {NUMBER: "number", CATEGORY: "string", TEXT: "text", DATE: "date"}


class Files(Declared):
    """A table on disk, in one file or several of the same columns, read in blocks."""

    def __init__(
        self, paths: Sequence[Path], declared: Declaration, schema: Schema | None = None
    ) -> None:
        self.paths = tuple(paths)
        self.declared = declared
        self.dialect: Dialect | None = None
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
        """The columns of a file, and what its first block shows of them."""
        if _ending(path) not in (*PARQUET, *ARROW):
            return self._delimited(path, schema)
        if self.declared.dialect:
            raise OptionError(f"a dialect goes with a CSV file, not with {path.name}.")
        return _columnar(path, read=schema is None)

    def _delimited(self, path: Path, schema: Schema | None) -> tuple[tuple[str, ...], Frame]:
        """Open a file, and look at how it is written, its header and its first block at once."""
        with opened(path) as file:
            self.dialect = sniff(path, self.declared.dialect, self.declared.missing, file)
            part = Delimited(path, self.dialect, file)
            said = _kinds_declared(self.declared) | ({} if schema is None else _kinds_of(schema))
            known = {name: kind for name, kind in said.items() if name in part.names}
            targets = [name for name in self.declared.targets if name in part.names]
            wanted = None if schema is None else [*known, *targets]
            with weighing(self.declared.weight):
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
        return any(_ending(path) not in (*PARQUET, *ARROW) for path in self.paths)

    def parts(self) -> Iterator[FilePart]:
        """File after file in sorted order; rows are numbered from 1 in each file."""
        for path in self.paths:
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
        if not small(self.paths):
            return self
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
        narrow = Files(self.paths, alone)
        blocks = list(narrow.blocks())
        if name in narrow.schema.places:
            return np.concatenate([block.numbers[:, 0] for block in blocks])
        return joined([_values(block, name) for block in blocks])

    def raw(self) -> Iterator[Any]:
        """The rows as Arrow tables, all columns of every file."""
        for path in self.paths:
            for reader in self._readers(path):
                yield from reader.tables(self.names)

    def written(self, names: Sequence[str]) -> Iterator[Iterator[Any]]:
        """For every part some columns as they stand, in tables of as many rows as its blocks."""
        for path in self.paths:
            for reader in self._readers(path):
                yield getattr(reader, "written", reader.tables)(names)

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
        return f"Files({self.paths[0].name}{more}{how})"

    def _readers(self, path: Path) -> Sequence[ParquetRun | ArrowRun | DelimitedReader]:
        if _ending(path) in PARQUET:
            return ParquetRun.of(path)
        if _ending(path) in ARROW:
            return ArrowRun.of(path)
        if self.dialect is None:
            self.dialect = sniff(path, self.declared.dialect, self.declared.missing)
        return [DelimitedReader(path, self.dialect, self._kinds)]

    def _declaring(self, declared: Declaration) -> Files:
        """With columns put aside that were learned from before."""
        if self._reading.learned:
            return Files(self.paths, declared)
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


def _ending(path: Path) -> str:
    return path.suffix.lower()


def _columnar(path: Path, read: bool) -> tuple[tuple[str, ...], Frame]:
    """The columns of a file, and the first block where it is read."""
    runs: Sequence[ParquetRun | ArrowRun]
    runs = ParquetRun.of(path) if _ending(path) in PARQUET else ArrowRun.of(path)
    names = runs[0].names if runs else ParquetRun(path).names
    first = next(runs[0].tables(names), None) if read and runs else None
    return names, _shown(names, first)


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
