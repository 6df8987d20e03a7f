"""Files of any format, one or many, read in blocks and never held whole.

What the columns of strings are is told by the first block, and the rest is read in that trust. A
cell that breaks it later is a ``CellError``: then the column is judged by all of its cells
(``amended``), and read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from tallylearn.errors import CellError, InputError
from tallylearn.sources.columns.kinds import values_in
from tallylearn.sources.columns.schema_matching import check_declared
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.files.csv.dialect import Dialect, marks
from tallylearn.sources.files.excel import SheetDialect
from tallylearn.sources.files.opened import OpenedFiles
from tallylearn.sources.files.parts import FilePart, Reading
from tallylearn.sources.memory.frame_reading import block_of
from tallylearn.sources.memory.frame_types import (
    check_types,
    infer_column_types,
    long_integers,
    schema_of,
)
from tallylearn.sources.memory.frames import Frame
from tallylearn.sources.memory.joined_blocks import join_blocks, join_codes
from tallylearn.sources.memory.table import Table
from tallylearn.sources.protocols import Coding, DeclaredTable
from tallylearn.sources.type_inference.column_types import InferredType
from tallylearn.tables import BLOCK, Array, Block, Codes, Schema
from tallylearn.tables.string_formats import StringFormat


class Files(DeclaredTable):
    """A table on disk, in one file or several of the same columns, read in blocks."""

    opening: ClassVar[Any] = OpenedFiles
    keeps_labels = False

    def __init__(
        self, paths: Sequence[Path], declared: Declaration, schema: Schema | None = None
    ) -> None:
        self.paths, self.declared = tuple(paths), declared
        self.kept: object = None  # what the files go with
        self._opened = self.opening(self.paths, declared)
        self._reading = Reading(schema or Schema(()), declared, schema is not None)
        for path in self.paths:  # until one has rows, to tell the kinds of its columns by
            self._names, shown = self._read_first_block(path)
            if schema is not None or len(shown):
                break
        declared.check(self.names) if schema is None else check_declared(declared, schema)
        if schema is None:
            self._check_weight(self._opened.weight)
            self.declared = declared.with_categories(self._opened.categories)
            self._reading = replace(self._reading, declared=self.declared)
        self.identifier_reasons = (
            None if schema is None else {}
        )  # what was learned has its identifiers
        self._whole: Mapping[str, InferredType] = {}  # columns that all cells were asked about
        self._infer_schema(shown)

    def _check_weight(self, name: str) -> None:
        """Refuse weights that a file has for its rows until somebody says what they mean."""
        if name and name not in self.declared.non_features:
            column = f'"{name}"'
            raise InputError(
                f"{self.paths[0]}: some rows have a weight. Use weight={column} for "
                f"frequencies, importance={column} for relative weights, or leave the weights "
                f"out with ignore=[{column}]."
            )

    @property
    def dialect(self) -> Dialect | SheetDialect | None:
        return cast("Dialect | SheetDialect | None", self._opened.dialect)

    @property
    def options(self) -> tuple[str, ...]:
        return cast("tuple[str, ...]", self._opened.options)

    @property
    def remarks(self) -> tuple[str, ...]:
        return (*getattr(self.dialect, "notes", ()), *super().remarks)

    def _read_first_block(self, path: Path) -> tuple[tuple[str, ...], Frame]:
        """The columns of a file, and what its first block shows of them."""
        names, first = self._opened.first(path, self._needs_inference)
        self._reading = replace(self._reading, hints=self._opened.hints)
        if isinstance(dialect := self.dialect, Dialect):
            self._reading = replace(self._reading, missing=dialect.missing)
        elif self._opened.bare_missing and "missing" not in self.declared.dialect:
            self._reading = replace(self._reading, missing=marks(()))
        elif "missing" in self.declared.dialect:
            self._reading = replace(self._reading, missing=marks(self.declared.dialect["missing"]))
        return names, self._reading.frame(first)

    def _needs_inference(self, name: str) -> bool:
        """Whether the first block is asked about a column: where its kind is known, it is not."""
        if self._reading.learned:
            return name in self.declared.role_columns
        return name not in self.declared.ignore

    def _infer_schema(self, shown: Frame) -> None:
        """Tell what the columns are by their first block, and by all cells where that is asked."""
        self._shown = shown
        found = {**infer_column_types(shown, self.declared, start=self.first_row), **self._whole}
        unsure = [
            n for n, j in found.items() if (j.ambiguity or j.provisional) and n not in self._whole
        ]
        if unsure and (len(shown) >= BLOCK or len(self.paths) > 1):
            found |= self._infer_from_all_cells(unsure)
        if not self._reading.learned:
            if not isinstance(self.dialect, Dialect):  # the cells of text have no type
                check_types(shown, self.declared)
            schema = schema_of(shown, self.declared, found).with_identifiers(
                self.identifier_reasons or ()
            )
            sure = frozenset({*self._whole, *unsure})
            self._reading = replace(self._reading, schema=schema, sure=sure)
            self.long_integers = long_integers(shown, schema)
        self.inferred: Mapping[str, InferredType] = found
        self._reading = self._with_target_formats(self._reading)

    def _with_target_formats(self, reading: Reading) -> Reading:
        """With how the columns beside are written; 007 and 7 are two groups."""
        declared = reading.declared
        known = {**declared.spellings, **{name: j.format for name, j in self.inferred.items()}}
        targets = () if self.keeps_labels else declared.targets
        names = [name for name in (*targets, declared.weight) if name and name != declared.groups]
        return replace(reading, spelled={name: known.get(name, StringFormat()) for name in names})

    def _infer_from_all_cells(self, names: Sequence[str]) -> dict[str, InferredType]:
        """What columns are by all of their cells, which are read for that."""
        readers = (reader for path in self.paths for reader in self._opened.readers(path))
        return self._reading.infer_types(readers, names)

    def reinfer(self, odd: CellError) -> Files:
        return self.reinfer_unchecked(odd).require_unambiguous()

    def reinfer_unchecked(self, odd: CellError) -> Files:
        """The same files; a column in which a cell was unlike the others is judged by all cells."""
        name = odd.column
        said = name in self.declared.described_columns or name == self.declared.weight
        if self._reading.learned or name in self._whole or said:
            raise odd from None
        found = copy(self)
        found._whole = {**self._whole, **self._infer_from_all_cells([name])}
        found._infer_schema(self._read_first_block(self.paths[0])[1])
        return found

    @property
    def schema(self) -> Schema:
        return self._reading.schema

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    @property
    def is_text(self) -> bool:
        return bool(self._opened.is_parsed_text)

    def parts(self) -> Iterator[FilePart]:
        """File after file in sorted order; each numbers its own rows."""
        for path in self.paths:
            self._opened.check(path)
            for reader in self._readers(path):
                yield FilePart(reader, self._reading, reader.start)

    @property
    def first_row(self) -> int:
        """The number of the first row: its line, or 0 in a file without lines."""
        return int(self._opened.readers(self.paths[0])[0].start)

    def whole(self, watch: Callable[[int], None] | None = None) -> Block:
        """All rows, read into memory."""
        blocks = []
        try:
            for block in self.blocks():
                blocks.append(block)
                if watch is not None:
                    watch(len(block))
        except CellError as odd:
            return self.reinfer(odd).whole()
        return join_blocks(blocks, self.schema)

    def validate(self) -> Files:
        """The same files, read once so that every cell is known to be like its column."""
        try:
            for _ in self.blocks():
                pass
        except CellError as odd:
            return self.reinfer(odd).validate()
        return self

    def with_roles(
        self, targets: tuple[str, ...], weight: str | None, groups: str | None = None
    ) -> Files:
        return self._with_declaration(self.declared.with_roles(targets, weight, groups))

    def with_schema(self, schema: Schema) -> Files:
        check_declared(self.declared, schema)
        return self._with_reading(replace(self._reading, schema=schema, learned=True))

    def first_block(self) -> tuple[Block, bool]:
        if self._whole:
            shown = next(self.blocks())
        else:
            shown = block_of(self._shown, self.schema, start=self.first_row)
        return shown, len(self._shown) < BLOCK and len(self.paths) == 1

    def with_columns(self, schema: Schema) -> Files:
        return self._with_reading(replace(self._reading, schema=schema))

    def without_target(self) -> Files:
        return self._with_reading(
            replace(self._reading, declared=self.declared.with_roles((), None))
        )

    def with_coded_target(self, coding: Coding) -> Files:
        return self._with_reading(replace(self._reading, coding=coding))

    @property
    def small(self) -> bool:
        return bool(self._opened.small)

    def load(self) -> Table:
        apart = {
            name: self.group_labels(name)
            for name in self.identifier_reasons or ()
            if name in self._names
        }
        block, known = (
            self.whole(),
            {
                "identifier_reasons": self.identifier_reasons,
                "long_integers": self.long_integers,
                "apart": apart,
            },
        )
        bare = replace(block, target=None, weight=None)
        return Table(bare, block.target, block.weight, self.declared)._replace(**known)

    @property
    def title(self) -> str:
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return f"{self.paths[0].name}{more}"

    def redeclare(self, declared: Declaration) -> Files:
        found = type(self)(self.paths, declared)
        found.kept = self.kept
        return found

    @property
    def reopener(self) -> Callable[[], Files] | None:
        """Files are opened again; rows that were kept in a temporary folder go with it."""
        return partial(type(self), self.paths, self.declared) if self.kept is None else None

    def without_gaps(self) -> Table:
        return self.load().without_gaps()._replace(inferred=self.inferred)

    def group_labels(self, name: str, most: int | None = None) -> Codes:
        """One column, read alone: 007 and 7 are two groups."""
        alone = replace(self.declared, groups=name, targets=(), weight=None)
        narrow = self._with_reading(Reading(Schema(()), alone, learned=True))
        groups, rows = [], 0
        for block in narrow.blocks():
            if block.group is not None:
                groups.append(block.group)
            rows += len(block)
            if most is not None and rows >= most:
                break
        found = join_codes(groups)
        return found if most is None or most >= len(found) else found[:most]

    def column_values(self, name: str) -> Codes | Array:
        """One column, read alone; it may be one that is not learned from, or was declared text."""
        alone = replace(
            self.declared, targets=(), weight=None, groups=None, categories={}, text=(),
            dates={key: () for key in self.declared.dates if key == name}, numbers=(),
            ignore=tuple(other for other in self.names if other != name), identifiers=(),
        )  # fmt: skip
        narrow = type(self)(self.paths, alone)
        blocks = list(narrow.blocks())
        if name in narrow.schema.places:
            return np.concatenate([block.numbers[:, 0] for block in blocks])
        return join_codes([values_in(block, name) for block in blocks])

    def typed_tables(self) -> Iterator[Any]:
        """The rows as Arrow tables of the values that were read, the target last."""
        return (table for part in self.parts() for table in part.typed_tables())

    def raw(self) -> Iterator[Any]:
        """The rows as Arrow tables, all columns of every file, as they stand there."""
        return (t for path in self.paths for r in self._readers(path) for t in r.tables(self.names))

    def raw_cells(self, names: Sequence[str]) -> Iterator[Iterator[Any]]:
        """For every part some columns as they stand, in tables of as many rows as its blocks."""
        for path in self.paths:
            for reader in self._readers(path):
                yield getattr(reader, "raw_cells", reader.tables)(names)

    def __repr__(self) -> str:
        how = f": {self.dialect}" if self.dialect else ""
        return f"{type(self).__name__}({self.title}{how})"

    def _readers(self, path: Path) -> Sequence[Any]:
        """The runs of a file; columns of plain numbers and dates come from text as such."""
        if not isinstance(self.dialect, Dialect):
            return list(self._opened.readers(path))
        forms = self._reading.forms(self.inferred, self.dialect.decimal)
        return list(self._opened.readers(path, forms))

    def _with_declaration(self, declared: Declaration) -> Files:
        """With columns put aside that were learned from before."""
        if self._reading.learned:
            return self.redeclare(declared)
        declared.check(self.names)
        parts = {f"{name}.{part}": name for name, parts in declared.dates.items() for part in parts}
        kept = (
            c for c in self.schema.columns if parts.get(c.name, c.name) not in declared.non_features
        )
        schema = self.schema.of_columns(kept)
        return self._with_reading(replace(self._reading, schema=schema, declared=declared))

    def _with_reading(self, reading: Reading) -> Files:
        """The same files, not looked at again."""
        found = copy(self)
        found.declared = reading.declared
        found._reading = found._with_target_formats(reading)
        return found


class StoredTable(Files):
    """Rows that were handed over, too many for the memory: their labels are as in a frame."""

    keeps_labels = True
