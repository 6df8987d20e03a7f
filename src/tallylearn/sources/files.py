"""Files: CSV, Parquet and Arrow, one or many, read in blocks and never held whole."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, Protocol

from tallylearn.errors import ColumnError, FileError, KindError, OptionError, listed, told
from tallylearn.sources.columnar import ARROW, PARQUET, ArrowPart, ParquetPart
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.delimited import Delimited
from tallylearn.sources.dialects import Dialect, sniff
from tallylearn.sources.frames import Frame
from tallylearn.sources.origins import check_declared
from tallylearn.sources.reading import beside, block_of, groups_of, schema_of
from tallylearn.tables import CATEGORY, DATE, NUMBER, TEXT, Block, Column, Schema

CSV_KINDS = {NUMBER: "number", CATEGORY: "string", TEXT: "text", DATE: "date"}


class Part(Protocol):
    """One file."""

    @property
    def names(self) -> tuple[str, ...]: ...
    def blocks(self, kinds: Mapping[str, str], columns: Sequence[str]) -> Iterator[Any]: ...


class Files:
    """A table on disk, in one file or several of the same columns, read in blocks."""

    def __init__(
        self, paths: Sequence[Path], declared: Declaration, schema: Schema | None = None
    ) -> None:
        self.paths = tuple(paths)
        self.declared = declared
        self.dialect: Dialect | None = None
        first = self._part(self.paths[0])
        if declared.dialect and not isinstance(first, Delimited):
            raise OptionError(f"a dialect goes with a CSV file, not with {self.paths[0].name}.")
        self._kinds = self._kinds_of(first, schema)
        self._learned = schema is not None  # a fitted schema: values may come that it has not seen
        if schema is None:
            declared.check(first.names)
            schema = schema_of(self._first_frame(first), declared)
        self.schema = schema
        self._kinds |= {c.name: _csv_kind(c) for c in schema.columns if c.kind in CSV_KINDS}

    @property
    def names(self) -> tuple[str, ...]:
        """All columns of the first file."""
        return self._part(self.paths[0]).names

    def blocks(self) -> Iterator[Block]:
        """The rows, file after file in sorted order; rows are numbered from 1 in each file."""
        for path in self.paths:
            start = 1
            part = self._part(path)
            self._check(path, part.names)
            for data in part.blocks(self._kinds, self._wanted() or part.names[:1]):
                yield self._block(data, start)
                start += len(data)

    def aimed(self, target: str | None, weight: str | None) -> Files:
        """The same files with another target or weight."""
        return Files(self.paths, replace(self.declared, target=target, weight=weight))

    def raw(self) -> Iterator[Any]:
        """The rows as Arrow tables, all columns of every file."""
        for path in self.paths:
            part = self._part(path)
            yield from part.blocks(self._kinds, part.names)

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

    def _part(self, path: Path) -> Part:
        suffix = path.suffix.lower()
        if suffix in PARQUET:
            return ParquetPart(path)
        if suffix in ARROW:
            return ArrowPart(path)
        if self.dialect is None:
            self.dialect = sniff(path, self.declared.dialect, self.declared.missing)
        return Delimited(path, self.dialect)

    def _kinds_of(self, part: Part, schema: Schema | None) -> dict[str, str]:
        if not isinstance(part, Delimited):
            return {}
        declared = dict.fromkeys(self.declared.categories, CSV_KINDS[CATEGORY])
        declared |= dict.fromkeys(self.declared.text, "text")
        declared |= dict.fromkeys(self.declared.dates, "date")
        declared |= dict.fromkeys(self.declared.ignore, "string")
        if self.declared.groups:
            declared[self.declared.groups] = "string"  # 007 and 7 are two groups
        if self.declared.weight:
            declared[self.declared.weight] = "number"
        if schema is not None:
            declared |= dict.fromkeys((name for name, _ in schema.parts), "date")
            declared |= {c.name: _csv_kind(c) for c in schema.columns}
        return part.kinds({name: kind for name, kind in declared.items() if name in part.names})

    def _first_frame(self, part: Part) -> Frame:
        import pyarrow as pa

        data = next(part.blocks(self._kinds, part.names), None)
        if data is None:
            data = pa.table({name: pa.nulls(0) for name in part.names})
        return Frame(tuple(data.column_names), True, arrow=data, read=True)

    def _wanted(self) -> list[str]:
        apart = {f"{name}.{part}" for name, parts in self.schema.parts for part in parts}
        names = [name for name in self.schema.names if name not in apart]
        names += [name for name, _ in self.schema.parts]
        declared = self.declared
        return names + [
            name for name in (declared.target, declared.weight, declared.groups) if name
        ]

    def _check(self, path: Path, names: Sequence[str]) -> None:
        known = frozenset(names)
        if missing := [name for name in self._wanted() if name not in known]:
            raise ColumnError(
                f"{path.name} lacks the column {listed(missing)}; it has {listed(names)}. "
                f"Add it, or leave it out of all files with ignore={missing}."
            )

    def _block(self, data: Any, start: int) -> Block:
        frame = Frame(tuple(data.column_names), True, arrow=data)
        block = block_of(frame, self.schema, start)
        if not self._learned:
            check_declared(self.declared.categories, block.codes, start)
        target, weight = beside(frame, self.declared, start)
        group = groups_of(frame, self.declared)
        return replace(block, target=target, weight=weight, group=group)


def _csv_kind(column: Column) -> str:
    """How the cells of a column are read from a delimited file."""
    if column.kind == CATEGORY and column.origin == "truth":
        return "truth"
    return CSV_KINDS.get(column.kind, "unknown")


def found(path: str | Path) -> list[Path]:
    """The files that a path or a glob names, sorted."""
    try:
        return _found(path)
    except FileError:
        raise
    except OSError as error:  # a name that is too long, a folder that is closed
        raise FileError(f"{told(str(path), 60)}: {error.strerror or error}.") from None


def _found(path: str | Path) -> list[Path]:
    if any(mark in str(path) for mark in "*?[") and not Path(path).is_file():
        paths = sorted(Path(name) for name in glob.glob(str(path), recursive=True))
        if not paths:
            raise FileError(f"no file matches {str(path)!r}. Check the folder and the ending.")
        return paths
    if not Path(path).is_file():
        raise FileError(f"{str(path)!r} {_why_not(Path(path))}.")
    return [Path(path)]


def piped(path: Path) -> bool:
    """Whether this is a pipe or a device, which can be read once only."""
    return path.is_fifo() or path.is_char_device()


def _why_not(path: Path) -> str:
    if path.is_dir():
        return "is a folder: name the files in it, as in 'folder/*.csv'"
    if piped(path):
        return "is a pipe, which cannot be read twice: save it first"
    return "is no file" if path.exists() else "does not exist: check the path"
