"""A source hands its rows out in parts that read themselves, and every part in blocks.

Who sums rows up, learns or predicts asks no source what it is: these are the questions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self, TypeVar

from tallylearn.errors import CellError, ColumnError, InputError, KindError, TargetError
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.files.csv.cell_errors import (
    ambiguous_column_error,
    as_code,
    irregular_column_error,
)
from tallylearn.sources.memory.joined_blocks import join_blocks
from tallylearn.sources.type_inference.column_types import InferredType
from tallylearn.tables import Array, Block, Codes, Schema, Start

Item_co = TypeVar("Item_co", covariant=True)  # a block, or what holds one
Coding = Callable[
    [Any, Start], Any
]  # a target as it came and its first row's number, as it is used


class Part(Protocol[Item_co]):
    """Some rows: a file, a run of row groups, a run of a table in memory.

    A part is picklable and no larger than what cannot be read again, so that a worker elsewhere
    can read it.
    """

    def blocks(self) -> Iterator[Item_co]:
        """The rows, 65 536 at a time, or broad ones fewer; the last block is shorter."""
        ...


class Parts(Protocol[Item_co]):
    """Whatever comes in parts: all that an engine asks of a source."""

    def parts(self) -> Iterable[Part[Item_co]]:
        """The parts in their fixed order; no block reaches over the end of one."""
        ...


class Source(Parts[Block], Protocol):
    """Rows to be read, as often as it takes."""

    @property
    def schema(self) -> Schema: ...

    def blocks(self) -> Iterator[Block]:
        """The blocks of all parts."""
        ...

    def whole(self, watch: Callable[[int], None] | None = None) -> Block:
        """All rows in one block; ``watch`` is told how many rows were read, as they come."""
        ...


class DeclaredTable(ABC):
    """A source as a user gave it, with what is declared about it; where it is, it knows alone.

    Eight members make a new kind of table: ``schema``, ``names``, ``parts``, ``with_roles``,
    ``with_schema``, ``with_coded_target``, ``column_values`` and ``load``. All others follow.
    """

    declared: Declaration
    inferred: Mapping[str, InferredType]  # how the columns that came as strings are written
    identifier_reasons: Mapping[str, str] | None = (
        None  # the identifiers and why they are; None: nobody asked
    )
    long_integers: tuple[
        str, ...
    ] = ()  # integers that no double holds, read as names: are they identifiers?
    keeps_labels: ClassVar[bool] = True  # whether the labels of a target are taken as they came

    @property
    def read(self) -> tuple[str, ...]:
        """The columns whose strings are read: learned from, dates whole; the weight; the target.

        The labels of a target that was handed over, in a frame, say, are as they are meant.
        """
        targets = () if self.keeps_labels else self.declared.targets
        parts = (name for name, _ in self.schema.parts)
        beside = (name for name in (*targets, self.declared.weight) if name)
        named = {*self.schema.identifiers}
        return (*(name for name in self.schema.names if name not in named), *parts, *beside)

    @property
    def options(self) -> tuple[str, ...]:
        """What a dialect may say of the source."""
        return ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was guessed of the table as a whole, and what was not heeded."""
        foreign = self.declared.foreign(self.options)
        said = "the dialect of the schema belongs to another file format and is ignored"
        return (said,) if foreign else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The remarks, and what was read as what, a line for every column where it is not plain."""
        read, named = {*self.read}, (self.identifier_reasons or {}).items()
        told = (
            f"{n}: {j.note(n)}"
            for n, j in self.inferred.items()
            if j.reason and (n in read or j.irregular)
        )
        return (*self.remarks, *told, *(f"{name}: an identifier, {why}" for name, why in named))

    def require_unambiguous(self) -> Self:
        """The same, unless a column that is read can be read in two ways."""
        for name in self.read if self.inferred else ():
            if name in self.inferred and (found := self.inferred[name]).ambiguity:
                aside = name in self.declared.role_columns
                if found.irregular:
                    raise irregular_column_error(
                        name, found.ambiguity, found.markers, found.remedies, aside
                    )
                spare = "" if aside else f", or leave the column out with ignore={as_code([name])}"
                raise ColumnError(
                    f"{ambiguous_column_error(name, found.ambiguity, found.remedies)}{spare}."
                )
        return self

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """The columns that are learned from, with their kinds."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The columns that ``times`` and ``grouping`` read, learned from or not."""

    @abstractmethod
    def parts(self) -> Iterable[Part[Block]]:
        """The rows in parts that read themselves, in a fixed order."""

    @abstractmethod
    def with_roles(
        self, targets: tuple[str, ...], weight: str | None, groups: str | None = None
    ) -> DeclaredTable:
        """The same rows with some of the columns as the targets, the weight or the groups."""

    @abstractmethod
    def with_schema(self, schema: Schema) -> DeclaredTable:
        """The same rows with the columns of a schema, such as a model has learned."""

    @abstractmethod
    def with_coded_target(self, coding: Coding) -> DeclaredTable:
        """The same rows with their targets coded: once in memory, and as they are read in files."""

    @abstractmethod
    def column_values(self, name: str) -> Codes | Array:
        """A column's values as numbers or dates, where they are such, and as codes where not."""

    @abstractmethod
    def load(self) -> DeclaredTable:
        """The same rows in memory, however many there are."""

    # What follows from these. A class that can do better overrides it.

    size: int | None = None  # how many rows there are, where they are in memory
    dropped: int = 0  # rows that were left out, since they had missing values
    dialect: Any = None  # how a delimited file is written, or which sheet of a workbook is read

    @property
    def title(self) -> str:
        """What the table is called in a report."""
        return "a table in memory"

    @property
    def first_row(self) -> int:
        """The number of the first row in messages: its line in a text file, 0 otherwise."""
        return 0

    @property
    def small(self) -> bool:
        """Whether the memory surely holds all rows."""
        return self.size is not None

    @property
    def is_text(self) -> bool:
        """Whether to read the rows is to parse text, so that who reads them often keeps them."""
        return False

    def blocks(self) -> Iterator[Block]:
        return (block for part in self.parts() for block in part.blocks())

    def whole(self, watch: Callable[[int], None] | None = None) -> Block:
        """All rows in one block; ``watch`` is told how many rows were read, as they come."""
        blocks = []
        for block in self.blocks():
            blocks.append(block)
            if watch is not None:
                watch(len(block))
        return join_blocks(blocks, self.schema)

    def __len__(self) -> int:
        raise KindError(
            f"{self} is not in memory and has no length. Read it first, for example with "
            "pyarrow.csv.read_csv or pandas.read_parquet."
        )

    def __getitem__(self, rows: Any) -> DeclaredTable:
        raise KindError(f"{self} is not in memory, so its rows cannot be selected. Read it first.")

    def take_rows(self, rows: Array) -> DeclaredTable:
        """Some of the rows, under the numbers that they have."""
        return self[rows]

    def with_target(self, target: Any, weight: Any) -> DeclaredTable:
        """The same rows with a target, or with weights, that are no columns of theirs."""
        if target is not None:
            raise TargetError(
                "the target of a table in files is a column. Pass its name: "
                "fit('data.csv', 'column')."
            )
        if weight is not None:
            raise InputError(
                "the weights of a table in files are a column. Pass its name: "
                "sample_weight='column'."
            )
        return self

    def first_block(self) -> tuple[Block, bool]:
        """The first rows without their target, and whether they are all that there are."""
        return next(iter(self.without_target().blocks())), False

    def with_columns(self, schema: Schema) -> DeclaredTable:
        """The same rows with some columns of the schema that they have."""
        return self.with_schema(schema)

    def with_identifiers(self, found: Mapping[str, str]) -> DeclaredTable:
        """The same rows, some columns of which are identifiers, each with the reason."""
        named = self.with_columns(self.schema.with_identifiers(found))
        named.identifier_reasons = {**(self.identifier_reasons or {}), **found}
        return named

    def without_target(self) -> DeclaredTable:
        """The same rows as they are asked about: without target and weight."""
        return self.with_roles((), None)

    def without_roles(self, targets: bool = False) -> DeclaredTable:
        """The same rows with the declared identifiers as columns; ``targets``: and the target."""
        declared = replace(self.declared, identifiers=())
        return self.redeclare(replace(declared, targets=()) if targets else declared)

    def redeclare(self, declared: Declaration) -> DeclaredTable:
        """The same rows, declared anew."""
        raise KindError(f"{self} cannot be read again. Pass all options to tl.table.")

    @property
    def reopener(self) -> Callable[[], DeclaredTable] | None:
        """A small call that opens the same rows again; None where nothing outlives them."""
        return None

    def reinfer(self, odd: CellError) -> DeclaredTable:
        """The same rows, one column read otherwise after a cell was unlike the others.

        An error, where that leaves two ways to read the column.
        """
        raise odd

    def reinfer_unchecked(self, odd: CellError) -> DeclaredTable:
        """The same, whatever is left to decide."""
        raise odd

    def load_if_small(self) -> DeclaredTable:
        """The same rows in memory, where they are small enough."""
        return self.load() if self.small else self

    def without_gaps(self) -> DeclaredTable:
        """The rows that have a value in every column, in memory."""
        return self.load().without_gaps()

    def group_labels(self, name: str, most: int | None = None) -> Codes | Array:
        """A column's values as groups of rows, of the first ``most`` rows where so many do."""
        found = self.column_values(name)
        return found if most is None or most >= len(found) else found[:most]


def declared_table(X: object) -> DeclaredTable | None:
    """A source, where one was given; None for anything that becomes one only when it is read."""
    return X if isinstance(X, DeclaredTable) else None
