"""Parts of files read themselves: small descriptions that any worker with the files can follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from tallylearn.errors import ColumnError, TallyError, listed
from tallylearn.sources.category_origins import check_declared
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.frame_reading import beside, block_of, groups_of
from tallylearn.sources.frames import Frame
from tallylearn.sources.packed import changed, stamp
from tallylearn.sources.protocols import Coding
from tallylearn.tables import Block, Codes, Schema


class Reader(Protocol):
    """A file, or a run of it, that gives Arrow tables of 65 536 rows."""

    def tables(self, columns: Sequence[str]) -> Iterator[Any]: ...


@dataclass(frozen=True)
class Reading:
    """How Arrow tables become blocks."""

    schema: Schema
    declared: Declaration
    learned: bool = False  # a fitted schema: values may come that it has not seen
    coding: Coding | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns to read: those of the schema, dates whole, and those beside."""
        apart = {f"{name}.{part}" for name, parts in self.schema.parts for part in parts}
        names = [name for name in self.schema.names if name not in apart]
        return (*names, *(name for name, _ in self.schema.parts), *self.declared.beside)

    def block(self, data: Any, start: int) -> Block:
        frame = Frame(tuple(data.column_names), True, arrow=data)
        block = block_of(frame, self.schema, start)
        if not self.learned:
            check_declared(self.declared.categories, block.codes, start)
        target, weight = beside(frame, self.declared, start)
        target = target if self.coding is None else self.coding(target, start)
        group = groups_of(frame, self.declared)
        if group is not None:  # in the order of their names, whichever block names them first
            names = tuple(sorted(group.values))
            group = Codes(names, group.among(names))
        return replace(block, target=target, weight=weight, group=group)


@dataclass(frozen=True)
class FilePart:
    """A file or a run of it, its rows numbered from 1 at the beginning of the file."""

    reader: Reader
    reading: Reading
    start: int = 1

    def blocks(self) -> Iterator[Block]:
        start = self.start
        with unchanged(getattr(self.reader, "path", None)):
            for data in self.reader.tables(self.reading.columns):
                yield self.reading.block(data, start)
                start += len(data)


@contextmanager
def unchanged(path: Path | None) -> Iterator[None]:
    """A file is the same before and after it is read; where it is not, that is the error."""
    before = path and stamp(path)
    try:
        yield
    except TallyError:
        if path and stamp(path) != before:
            raise changed(path) from None
        raise
    if path and stamp(path) != before:
        raise changed(path)


def present(path: Path, names: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The columns to read, all of which the file has; the first, where only rows are counted."""
    known = frozenset(names)
    if missing := [name for name in wanted if name not in known]:
        raise ColumnError(
            f"{path.name} lacks the column {listed(missing)}; it has {listed(names)}. "
            f"Add it, or leave it out of all files with ignore={missing}."
        )
    return list(wanted) or list(names[:1])
