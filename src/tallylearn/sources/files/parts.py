"""Parts of files read themselves: small descriptions that any worker with the files can follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from tallylearn.errors import ColumnError, TallyError, quoted_list
from tallylearn.sources.columns.category_types import check_declared
from tallylearn.sources.columns.class_labels import weight_errors
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.files.compression import changed_file_error, stamp
from tallylearn.sources.memory.frame_reading import (
    block_of,
    column_as_declared,
    groups_of,
    target_and_weight,
    values_of,
)
from tallylearn.sources.memory.frame_types import PLAINLY
from tallylearn.sources.memory.frames import Frame
from tallylearn.sources.protocols import Coding
from tallylearn.sources.type_inference.cell_tally import CellTally
from tallylearn.sources.type_inference.column_types import (
    PLAIN,
    FormatHints,
    InferredType,
    infer_column_type,
)
from tallylearn.sources.type_inference.missing_markers import GAPS, MISSING
from tallylearn.sources.type_inference.string_column import encode_strings
from tallylearn.tables import DATE, NUMBER, TEXT, Block, Codes, Schema
from tallylearn.tables.string_formats import NUMBERS, StringFormat


class FileReader(Protocol):
    """A file, or a run of it, that gives Arrow tables of 65 536 rows."""

    @property
    def path(self) -> Path: ...

    @property
    def start(self) -> int: ...

    def tables(self, columns: Sequence[str]) -> Iterator[Any]: ...


@dataclass(frozen=True)
class Reading:
    """How Arrow tables become blocks."""

    schema: Schema
    declared: Declaration
    learned: bool = False  # a fitted schema: values may come that it has not seen
    coding: Coding | None = None
    hints: FormatHints = PLAIN
    missing: tuple[str, ...] = MISSING
    spelled: Mapping[str, StringFormat] = field(default_factory=dict)  # the columns beside
    sure: frozenset[str] = frozenset()  # columns that were judged by all of their cells

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to read: those of the schema, dates whole, and those beside."""
        apart = {f"{name}.{part}" for name, parts in self.schema.parts for part in parts}
        apart |= {*self.schema.identifiers}
        names = [name for name in self.schema.names if name not in apart]
        return (*names, *(name for name, _ in self.schema.parts), *self.declared.role_columns)

    def forms(self, judged: Mapping[str, InferredType], decimal: str) -> dict[str, str]:
        """How columns come from text, if not as strings: plain numbers and dates, long text."""
        plain, iso = StringFormat(NUMBERS, decimal), PLAINLY[DATE]
        written = {name: found.format for name, found in judged.items()}
        if self.learned:  # they may be plain here, and are read as strings where not
            written |= {column.name: plain for column in self.schema.of_kind(NUMBER)}
            dates = [column.name for column in self.schema.of_kind(DATE)]
            written |= {name: self.schema.spellings.get(name, iso) for name in dates}
            written |= self.declared.spellings
        bare = {name: replace(one, gaps=()) if one.gaps == GAPS else one
                for name, one in written.items()}  # fmt: skip
        found = {name: "number" for name, one in bare.items() if one == plain}
        dates = [name for name, one in bare.items() if one == iso]
        found |= {
            n: "date" for n in dates if n not in self.declared.role_columns
        }  # those are labels
        return found | {column.name: "text" for column in self.schema.of_kind(TEXT)}

    def frame(self, data: Any, path: Path | None = None) -> Frame:
        """Arrow's table, and what is known of its strings."""
        told = self.declared
        said = [n for n in data.column_names if self.learned or told.kind(n) or n == told.weight]
        marks = (mark for mark in self.declared.missing if isinstance(mark, str))
        return Frame(
            tuple(data.column_names), True, arrow=data, read=True, hints=self.hints,
            missing=(*self.missing, *marks), where=f"{path}: " if path else "",
            sure=self.sure.union(said), said=told.spellings if self.learned else {},
            answers={} if self.learned else told.answers,
            marks=tuple(m for m in told.missing if isinstance(m, int | float)),
        )  # fmt: skip

    def infer_types(
        self, readers: Iterable[FileReader], names: Sequence[str]
    ) -> dict[str, InferredType]:
        """What columns are by all of their cells."""
        cells = dict.fromkeys(names, CellTally())
        for reader in readers:
            start = reader.start
            for data in reader.tables(names):
                frame = self.frame(data)
                for name in filter(frame.is_string, names):
                    column = encode_strings(frame.column(name), frame.missing)
                    cells[name] += CellTally.of(column, start)
                start += len(data)
        return {name: infer_column_type(cells[name], self.hints) for name in names}

    def column(self, frame: Frame, name: str, kinds: Mapping[str, str], start: int) -> Any:
        """One column as Arrow has values of its kind, learned from or beside."""
        if name in self.declared.role_columns:
            return column_as_declared(frame, name, start, self.spelled)
        kind = kinds.get(name, DATE)  # a date that is taken apart
        return values_of(
            frame, name, kind=kind, schema=self.schema, start=start, learned=self.learned
        )

    def block(self, data: Any, start: int, path: Path | None = None) -> Block:
        frame = self.frame(data, path)
        block = block_of(frame, self.schema, start, self.learned)
        if not self.learned:
            check_declared(self.declared.categories, block.codes, start)
        target, weight = target_and_weight(frame, self.declared, start, self.spelled)
        target = target if self.coding is None else self.coding(target, start)
        group = groups_of(frame, self.declared)
        if group is not None:  # in the order of their names, whichever block names them first
            names = tuple(sorted(group.values))
            group = Codes(names, group.recode(names))
        return replace(block, target=target, weight=weight, group=group)


@dataclass(frozen=True)
class FilePart:
    """A file or a run of it; rows have the numbers of their lines, or positions from 0."""

    reader: FileReader
    reading: Reading
    start: int = 0

    def blocks(self) -> Iterator[Block]:
        start = self.start
        path = getattr(self.reader, "path", None)
        with check_unchanged(path), weight_errors(self.reading.declared.weight):
            for data in self.reader.tables(self.reading.columns):
                yield self.reading.block(data, start, path)
                start += len(data)

    def typed_tables(self) -> Iterator[Any]:
        """Tables of Arrow with the values that were read, the target last."""
        import pyarrow as pa

        start, names = self.start, self.reading.columns
        kinds = {column.name: column.kind for column in self.reading.schema.columns}
        path = getattr(self.reader, "path", None)
        for data in self.reader.tables(names):
            frame = self.reading.frame(data, path)
            yield pa.table({n: self.reading.column(frame, n, kinds, start) for n in names})
            start += len(data)


@contextmanager
def check_unchanged(path: Path | None) -> Iterator[None]:
    """A file is the same before and after it is read; where it is not, that is the error."""
    before = path and stamp(path)
    try:
        yield
    except TallyError:
        if path and stamp(path) != before:
            raise changed_file_error(path) from None
        raise
    if path and stamp(path) != before:
        raise changed_file_error(path)


def columns_to_read(path: Path, names: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The columns to read, all of which the file has; the first, where only rows are counted."""
    known = frozenset(names)
    if missing := [name for name in wanted if name not in known]:
        several = "s" * (len(missing) > 1)
        raise ColumnError(
            f"{path.name} has no column{several} {quoted_list(missing)}. It has "
            f"{quoted_list(names)}. Add the column{several}, with empty cells if necessary; or fit "
            f"a model without: ignore={missing}."
        )
    return list(wanted) or list(names[:1])
