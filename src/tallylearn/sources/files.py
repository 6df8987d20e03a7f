"""Files: CSV, Parquet and Arrow, one or many, read in blocks and never held whole.

What the columns of strings are is told by the first block, and the rest is read in that trust. A
cell that breaks it later is a ``CellError``: then the column is judged by all of its cells
(``amended``), and read again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from tallylearn.errors import CellError, InputError, KindError, OptionError, TargetError
from tallylearn.sources.columnar import ARROW, PARQUET, ArrowRun, ParquetRun
from tallylearn.sources.csv.decoding import opened
from tallylearn.sources.csv.delimited import Delimited, DelimitedReader
from tallylearn.sources.csv.dialect import Dialect, sniff
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.file_parts import FilePart, Reading
from tallylearn.sources.frame_reading import judgements, seen
from tallylearn.sources.frames import Frame
from tallylearn.sources.joined_blocks import joined, small, together
from tallylearn.sources.kinds import codes
from tallylearn.sources.memory_table import Table
from tallylearn.sources.protocols import Coding, Declared
from tallylearn.sources.written.cell_tally import CellTally
from tallylearn.sources.written.judging import Judgement, judged
from tallylearn.sources.written.spelled_column import coded
from tallylearn.spelling import NUMBERS, Spelling
from tallylearn.tables import BLOCK, NUMBER, TEXT, Array, Block, Codes, Schema


class Files(Declared):
    """A table on disk, in one file or several of the same columns, read in blocks."""

    def __init__(
        self, paths: Sequence[Path], declared: Declaration, schema: Schema | None = None
    ) -> None:
        self.paths, self.declared = tuple(paths), declared
        self.dialect: Dialect | None = None
        self._reading = Reading(schema or Schema(()), declared, schema is not None)
        for path in self.paths:  # until one has rows, to tell the kinds of its columns by
            self._names, shown = self._begun(path)
            if schema is not None or len(shown):
                break
        if schema is None:
            declared.check(self.names)
        self._whole: Mapping[str, Judgement] = {}  # columns that all cells were asked about
        self._judge(shown)

    def _begun(self, path: Path) -> tuple[tuple[str, ...], Frame]:
        """The columns of a file, and what its first block shows of them."""
        if _ending(path) not in (*PARQUET, *ARROW):
            return self._delimited(path)
        if self.declared.dialect:
            raise OptionError(f"a dialect goes with a CSV file, not with {path.name}.")
        names, first = _columnar(path, read=not self._reading.learned)
        return names, self._reading.frame(_table(names, first))

    def _delimited(self, path: Path) -> tuple[tuple[str, ...], Frame]:
        """Open a file, and look at how it is written, its header and its first block at once."""
        with opened(path) as file:
            self.dialect = sniff(path, self.declared.dialect, self.declared.missing, file)
            part = Delimited(path, self.dialect, file)
            wanted = [name for name in part.names if self._in_question(name)]
            first = next(part.blocks(dict.fromkeys(wanted, "string")), None) if wanted else None
        hints, missing = self.dialect.hints, self.dialect.missing
        self._reading = replace(self._reading, hints=hints, missing=missing)
        return part.names, self._reading.frame(_table(wanted, first))

    def _in_question(self, name: str) -> bool:
        """Whether the first block is asked about a column: where its kind is known, it is not."""
        return not self._reading.learned or name in self.declared.beside

    def _judge(self, shown: Frame) -> None:
        """Tell what the columns are by their first block, and by all cells where that is asked."""
        found = {**judgements(shown, self.declared, start=1), **self._whole}
        if not self._reading.learned:
            unsure = [n for n, j in found.items() if j.doubt or j.early]
            unsure = [name for name in unsure if name not in self._whole]
            if unsure and (len(shown) >= BLOCK or len(self.paths) > 1):
                found |= self._asked_whole(unsure)
            told = seen(shown, self.declared, found)
            told.check()
            sure = frozenset({*self._whole, *unsure})
            self._reading = replace(self._reading, schema=told.schema, sure=sure)
        self._judged: Mapping[str, Judgement] = found
        self._reading = self._told(self._reading)

    def _told(self, reading: Reading) -> Reading:
        """With what is known of the columns beside, which only a file of text leaves open."""
        declared = reading.declared
        beside = declared.beside if self.dialect is not None else (declared.weight,)
        spelled = {n: self._judged[n].spelling for n in beside if n and n in self._judged}
        spelled.pop(reading.declared.groups or "", None)  # 007 and 7 are two groups
        return replace(reading, spelled=spelled)

    def _asked_whole(self, names: Sequence[str]) -> dict[str, Judgement]:
        """What columns are by all of their cells, which are read for that."""
        cells = dict.fromkeys(names, CellTally())
        for path in self.paths:
            for reader in self._readers(path, strings=True):
                start = reader.start
                for data in reader.tables(names):
                    frame = self._reading.frame(data)
                    for name in names:
                        if frame.written(name):
                            column = coded(frame.column(name), frame.missing)
                            cells[name] += CellTally.of(column, start)
                    start += len(data)
        return {name: judged(cells[name], self._reading.hints) for name in names}

    def amended(self, odd: CellError) -> Files:
        """The same files; a column in which a cell was unlike the others is judged by all cells."""
        name = odd.column
        if self._reading.learned or name in self._whole or self.declared.kind(name):
            raise odd from None
        found = copy(self)
        found._whole = {**self._whole, **self._asked_whole([name])}
        found._judge(self._begun(self.paths[0])[1])
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """What was read as what, a line for every column where that is not plain."""
        learned = {*self.schema.names, *(name for name, _ in self.schema.parts)}
        told = {*learned, *self.declared.targets}
        return tuple(f"{n}: {j.why}" for n, j in self._judged.items() if j.why and n in told)

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
        try:
            return self._whole_block(watch)
        except CellError as odd:
            return self.amended(odd).whole()

    def proved(self) -> Files:
        """The same files, read once so that every cell is known to be like its column."""
        try:
            for _ in self.blocks():
                pass
        except CellError as odd:
            return self.amended(odd).proved()
        return self

    def _whole_block(self, watch: Callable[[int], None] | None) -> Block:
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
            dates={key: () for key in self.declared.dates if key == name}, numbers=(),
            ignore=tuple(other for other in self.names if other != name),
        )  # fmt: skip
        narrow = Files(self.paths, alone)
        blocks = list(narrow.blocks())
        if name in narrow.schema.places:
            return np.concatenate([block.numbers[:, 0] for block in blocks])
        return joined([_values(block, name) for block in blocks])

    def typed(self) -> Iterator[Any]:
        """The rows as Arrow tables of the values that were read, the target last."""
        import pyarrow as pa

        reading, kinds = self._reading, {c.name: c.kind for c in self.schema.columns}
        names = reading.columns
        for path in self.paths:
            for reader in self._readers(path):
                start = reader.start
                for data in reader.tables(names):
                    frame = reading.frame(data, path)
                    yield pa.table({n: reading.column(frame, n, kinds, start) for n in names})
                    start += len(data)

    def raw(self) -> Iterator[Any]:
        """The rows as Arrow tables, all columns of every file, as they stand there."""
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
        return f"Files({self.paths[0].name}{more}{how})"

    def _readers(
        self, path: Path, strings: bool = False
    ) -> Sequence[ParquetRun | ArrowRun | DelimitedReader]:
        """The runs of a file; numbers as they are written where ``strings`` are asked for."""
        if _ending(path) in PARQUET:
            return ParquetRun.of(path)
        if _ending(path) in ARROW:
            return ArrowRun.of(path)
        if self.dialect is None:
            self.dialect = sniff(path, self.declared.dialect, self.declared.missing)
        if strings:
            return [DelimitedReader(path, self.dialect)]
        plain = Spelling(NUMBERS, self.dialect.decimal)
        numbers = {name for name, found in self._judged.items() if found.spelling == plain}
        if self._reading.learned:  # they may be plain here, and are read as strings where not
            numbers |= {column.name for column in self.schema.of_kind(NUMBER)}
        text = frozenset(column.name for column in self.schema.of_kind(TEXT))
        return [DelimitedReader(path, self.dialect, frozenset(numbers), text)]

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
        found.declared = reading.declared
        found._reading = found._told(reading)
        return found


def _ending(path: Path) -> str:
    return path.suffix.lower()


def _columnar(path: Path, read: bool) -> tuple[tuple[str, ...], Any]:
    """The columns of a file, and the first block where it is read."""
    runs: Sequence[ParquetRun | ArrowRun]
    runs = ParquetRun.of(path) if _ending(path) in PARQUET else ArrowRun.of(path)
    names = runs[0].names if runs else ParquetRun(path).names
    return names, next(runs[0].tables(names), None) if read and runs else None


def _table(names: Sequence[str], first: Any) -> Any:
    """The first block; nothing where there is none."""
    import pyarrow as pa

    return pa.table({name: pa.nulls(0) for name in names}) if first is None else first


def _values(block: Block, name: str) -> Codes:
    if name in block.codes:
        return block.codes[name]
    return codes(block.text[name]) if name in block.text else Codes.of([None] * len(block))
