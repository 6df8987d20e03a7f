"""Tables in memory: a frame read once into a block, with its target and weights beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from tallylearn.errors import InputError, TargetError, quoted_list
from tallylearn.sources.columns.category_types import check_declared
from tallylearn.sources.columns.class_labels import take_rows, weights
from tallylearn.sources.columns.schema_matching import check_units, select_columns
from tallylearn.sources.declarations import BARE, Declaration, check_present
from tallylearn.sources.memory.frame_reading import (
    block_of,
    columns_apart,
    groups_of,
    one_or_all,
    target_and_weight,
)
from tallylearn.sources.memory.frame_types import (
    check_types,
    infer_column_types,
    long_integers,
    schema_of,
    schema_of_numbers,
)
from tallylearn.sources.memory.frames import Frame, as_frame
from tallylearn.sources.memory.role_columns import (
    as_groups,
    column_in,
    columns_beside,
    columns_put_back,
    without_column,
)
from tallylearn.sources.memory.row_selection import complete_rows, row_numbers
from tallylearn.sources.protocols import Coding, DeclaredTable
from tallylearn.sources.type_inference.column_types import InferredType
from tallylearn.tables import RUN, SAMPLE_WEIGHT, Block, Codes, Schema, places

Array = NDArray[Any]


@dataclass(frozen=True)
class TableRun:
    """Rows of a table in memory, one after the other."""

    block: Block

    def blocks(self) -> Iterator[Block]:
        return self.block.split()


class Table(DeclaredTable):
    """A table in memory, with what is declared about it.

    It has a length and takes row numbers, so it passes through cross-validation as an array does.
    """

    def __init__(
        self, block: Block, target: Any, weight: Array | None, declared: Declaration
    ) -> None:
        self.block = block
        self.target = target  # as it came: (n,) NumPy or Arrow, or None
        self.weight = weight
        self.declared = declared
        self.inferred: Mapping[str, InferredType] = {}
        self.dropped = 0
        self.apart: Mapping[
            str, Codes | Array
        ] = {}  # identifiers, and dates in parts: order, groups

    @classmethod
    def of(cls, X: Any, declared: Declaration, schema: Schema | None = None) -> Table:
        """Read anything in memory; with a schema, as that schema says."""
        if isinstance(X, Table):
            return X
        frame = X if isinstance(X, Frame) else as_frame(X)
        if schema is None and frame.matrix is not None and declared is BARE:
            schema = schema_of_numbers(frame.names, frame.named)
            return cls(Block(schema, frame.matrix), None, None, declared)
        declared.check(frame.names)
        frame = (
            frame if schema or not declared.answers else replace(frame, answers=declared.answers)
        )
        judged = infer_column_types(frame, declared, only_beside=schema is not None)
        weighed = {n: j.format for n, j in judged.items() if n == declared.weight}
        target, weight = target_and_weight(frame, declared, spelled=weighed)
        if schema is not None:
            block = block_of(frame, schema, learned=True)  # whose identifiers are known
        else:
            check_types(frame, declared)
            block = block_of(frame, schema_of(frame, declared, judged))
            check_declared(declared.categories, block.codes)
        if (groups := groups_of(frame, declared)) is not None:
            block = replace(block, group=groups)
        table = cls(block, target, weight, declared)
        table.inferred, table.identifier_reasons = judged, None if schema is None else {}
        table.long_integers = () if schema else long_integers(frame, block.schema)
        table.apart = columns_apart(frame, declared, block.schema, learned=schema is not None)
        return table

    @property
    def schema(self) -> Schema:
        return self.block.schema

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.block), len(self.schema.columns)

    @property
    def groups(self) -> Codes | None:
        """The group of every row, where groups are declared."""
        return self.block.group

    def __len__(self) -> int:
        return len(self.block)

    def __getitem__(self, rows: Any) -> Table:
        rows = row_numbers(rows, len(self))
        several = isinstance(self.target, tuple)
        columns = tuple(take_rows(one, rows) for one in self.target) if several else ()
        target = columns or (None if self.target is None else take_rows(self.target, rows))
        weight = None if self.weight is None else self.weight[rows]
        apart = {name: column[rows] for name, column in self.apart.items()}
        return self._replace(block=self.block[rows], target=target, weight=weight, apart=apart)

    def _replace(self, **changed: Any) -> Table:
        """The same table but for some of its attributes."""
        found = object.__new__(type(self))  # as copy does, which asks for more than attributes
        vars(found).update(vars(self), **changed)
        return found

    @property
    def size(self) -> int:  # type: ignore[override]  # always known here
        return len(self)

    def whole(self, watch: Callable[[int], None] | None = None) -> Block:
        """All rows, target and weight as they came."""
        if watch is not None:
            watch(len(self))
        if self.target is self.weight is self.block.target is self.block.weight:  # all None
            return self.block
        return self.block.with_target(self.target, self.weight)

    def parts(self) -> Iterator[TableRun]:
        """Runs of 2^20 rows."""
        whole = self.whole()
        starts = range(0, max(len(whole), 1), RUN)
        return (TableRun(whole if len(starts) == 1 else whole[at : at + RUN]) for at in starts)

    @property
    def first_row(self) -> int:
        """The number of the first row: its line, if the table was read from a text file."""
        return self.block.start if isinstance(self.block.start, int) else 0

    def with_roles(
        self, targets: tuple[str, ...], weight: str | None, groups: str | None = None
    ) -> Table:
        """The same table with some of its columns as the targets, the weight or the groups."""
        result = self._replace(declared=self.declared.with_roles(targets, weight, groups))
        if groups is not None and groups != self.declared.groups:
            result._set_apart(groups)
        if targets != self.declared.targets:
            result.target = one_or_all(tuple(result._take(name) for name in targets))
        if weight != self.declared.weight:
            column = result._take(str(weight))
            result.weight = weights(column, len(self), f"the weight {weight!r}")
        return result

    def _take(self, name: str) -> Any:
        """A column out of the block, which is without it afterwards."""
        found = self.apart.get(name)
        self.apart = {other: column for other, column in self.apart.items() if other != name}
        column = column_in(self.block, name)
        self.block = without_column(self.block, name)
        return column if found is None else found

    def _set_apart(self, name: str) -> None:
        """Take a column for the groups of the rows."""
        check_present("groups", name, (*self.names, *self.block.text))
        column = self.block.text[name] if name in self.block.text else self.column_values(name)
        self.apart = {other: column for other, column in self.apart.items() if other != name}
        self.block = replace(without_column(self.block, name), group=as_groups(column))
        self.identifier_reasons = self.identifier_reasons and {
            n: why for n, why in self.identifier_reasons.items() if n != name
        }

    def first_block(self) -> tuple[Block, bool]:
        return self.block, True

    def with_identifiers(self, found: Mapping[str, str]) -> Table:
        block, schema = self.block, self.schema.with_identifiers(found)
        kept = [at for at, name in enumerate(block.schema.numbers) if name not in found]
        codes = {name: column for name, column in block.codes.items() if name not in found}
        block = replace(block, schema=schema, numbers=block.numbers[:, kept], codes=codes)
        apart = {**self.apart, **{name: self.column_values(name) for name in found}}
        return self._replace(
            block=block,
            apart=apart,
            identifier_reasons={**(self.identifier_reasons or {}), **found},
        )

    def with_target(self, target: Any, weight: Any) -> Table:
        if target is None and weight is None:
            return self
        if target is not None and self.declared.targets:
            raise TargetError(
                f"the table declares the target {quoted_list(self.declared.targets)}, and the "
                "call passes another. Leave one of them out."
            )
        for one in target if isinstance(target, tuple) else () if target is None else (target,):
            check_rows(len(self), one)
        found = self.target if target is None else target
        if weight is None:
            return self._replace(target=found)
        declared = replace(self.declared, weight_kind=SAMPLE_WEIGHT)
        return self._replace(target=found, weight=weights(weight, len(self)), declared=declared)

    def with_schema(self, schema: Schema) -> Table:
        check_units(self.schema, schema, self.declared.spellings)
        if schema == self.schema:
            return self
        return self._replace(block=select_columns(self.block, schema))

    def without_target(self) -> Table:
        declared = replace(self.declared, targets=(), weight=None)
        return self._replace(target=None, weight=None, declared=declared)

    def with_coded_target(self, coding: Coding) -> Table:
        """Coded once: a target of Python strings takes longer to read than to learn from."""
        target = coding(self.target, self.block.start)
        return self._replace(target=target)

    def without_roles(self, targets: bool = False) -> Table:
        declared = replace(self.declared, identifiers=())
        named = {n: x for n, x in self.apart.items() if n in self.schema.names}
        if self.declared.identifiers:  # a date that is in parts stays so
            block = columns_put_back(self.block, named)
            found = Table(block, self.target, self.weight, declared)
        else:
            found = self
        if not targets:
            return found
        (name,) = self.declared.targets
        target = Table.of({name: self.target}, replace(
            declared, targets=(), weight=None, groups=None, categories={}, text=(), dates={},
            ignore=(), keep=(), classes=(), numbers=(), spellings={},
        )).block  # fmt: skip
        block = columns_beside(found.block, target)
        return Table(block, None, self.weight, replace(declared, targets=()))

    def load(self) -> Table:
        return self

    @property
    def remarks(self) -> tuple[str, ...]:
        rows = self.dropped + len(self)
        said = f"{self.dropped:,} of {rows:,} rows had missing values and were dropped"
        return (*super().remarks, said) if self.dropped else super().remarks

    def without_gaps(self) -> Table:
        kept = complete_rows(self.block)
        return self.take_rows(kept)._replace(dropped=len(self) - len(kept))

    def take_rows(self, rows: Array) -> Table:
        """Some of the rows, under the numbers that they have."""
        found = self[rows]
        found.block = replace(found.block, start=places(self.block.start, rows))
        return found

    @property
    def names(self) -> tuple[str, ...]:
        groups = (str(self.declared.groups),) if self.block.group is not None else ()
        return (*self.schema.places, *self.block.codes, *self.apart, *groups)

    def column_values(self, name: str) -> Codes | Array:
        if name == self.declared.groups and self.block.group is not None:
            return self.block.group
        if name in self.apart:
            return self.apart[name]
        if name in self.block.codes:
            return self.block.codes[name]
        return self.block.numbers[:, self.schema.places[name]]

    def __repr__(self) -> str:
        kinds = ", ".join(f"{column.name} ({column.kind})" for column in self.schema.columns[:8])
        more = len(self.schema.columns) - 8
        targets = self.declared.targets
        target = f", target{'s' * (len(targets) > 1)} {', '.join(targets)}" if targets else ""
        return f"Table({len(self)} rows: {kinds}{f' and {more} more' if more > 0 else ''}{target})"


def in_memory(X: object) -> Table | None:
    """A table in memory, where one was given."""
    return X if isinstance(X, Table) else None


def check_rows(n: int, y: Any) -> None:
    """As many targets as rows."""
    if len(y) != n:
        raise TargetError(
            f"the table has {n} rows, and the target has {len(y)} values. Pass one value per row. "
            f"Found input variables with inconsistent numbers of samples: [{n}, {len(y)}]"
        )


def check_size(n: int, p: int, weighed: bool = False) -> None:
    """A table to learn from has rows and columns."""
    if n == 0:
        why = "the table has no rows. Pass a table with rows"
        if weighed:
            why = "every row has weight zero. Give some rows a weight above zero"
        raise InputError(
            f"{why}. Found array with 0 sample(s) (shape=({n}, {p})) while a minimum of 1 is "
            "required."
        )
    if p == 0:
        raise InputError(
            "the table has no columns to learn from. Pass at least one. Found array with 0 "
            "feature(s) "
            f"(shape=({n}, {p})) while a minimum of 1 is required."
        )
