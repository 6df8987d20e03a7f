"""Labelled examples of a concept: rows of a table, positive or negative."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, MergeError, TargetError, quoted_list, short_repr
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.schema_checks import check_schema, merge_schemas
from tallylearn.reasoning.names import check_name, is_among
from tallylearn.sources.memory.table import check_size
from tallylearn.tables import IDENTIFIER, Array, Block, Codes, Column, Schema, row_number

Row = tuple[Any, ...]
RESERVED_LABELS = ("undecided", "undefined")  # answers beside the two of the target


@dataclass(frozen=True)
class LabelledExamples:
    """Rows without gaps, and whether each belongs to the concept."""

    schema: Schema
    rows: tuple[Row, ...]
    inside: tuple[bool, ...]
    numbers: tuple[int, ...]  # of the rows in their table
    yes: Any
    no: Any = None  # None where no row lies outside and the target does not say
    identifiers: tuple[str, ...] = ()  # columns of unique strings, which are not used

    @classmethod
    def of(cls, read: FitInput, kinds: tuple[str, ...], positive: Any) -> LabelledExamples:
        """Read a table whose target has two values; ``positive`` is the concept's."""
        whole = check_schema(read.schema, kinds, "this version space")
        schema = whole.of_columns(c for c in whole.columns if c.kind != IDENTIFIER)
        if whole.identifiers:
            read = replace(read, source=read.source.with_columns(schema))
        rows: list[Row] = []
        numbers: list[int] = []
        labels: list[Any] = []
        for block in read.blocks():
            rows += plain_rows(block)
            numbers += (row_number(block.start, at) for at in range(len(block)))
            labels += block.target.items()
        check_size(len(rows), len(schema.columns))
        yes, no = _read_labels(labels, positive)
        inside = tuple(label == yes for label in labels)
        return cls(
            schema,
            tuple(rows),
            inside,
            numbers=tuple(numbers),
            yes=yes,
            no=no,
            identifiers=whole.identifiers,
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __and__(self, other: LabelledExamples) -> LabelledExamples:
        """The rows of both."""
        schema = merge_schemas(self.schema, other.schema)
        if self.yes != other.yes or not (None in (self.no, other.no) or self.no == other.no):
            raise MergeError(
                f"one version space has the classes {self.yes!r} and "
                f"{self.other_label!r}, and the other has {other.yes!r} and "
                f"{other.other_label!r}. Use the same positive class in both: "
                "fit(table, target, positive=...)."
            )
        order = [other.schema.names.index(name) for name in schema.names]
        return LabelledExamples(
            schema,
            self.rows + tuple(tuple(row[at] for at in order) for row in other.rows),
            self.inside + other.inside,
            numbers=self.numbers + other.numbers,
            yes=self.yes,
            no=other.no if self.no is None else self.no,
            identifiers=tuple(dict.fromkeys((*self.identifiers, *other.identifiers))),
        )

    @property
    def other_label(self) -> Any:
        """The label of what is not in the concept."""
        return f"not {self.yes}" if self.no is None else self.no

    @cached_property
    def domains(self) -> tuple[tuple[Any, ...], ...]:
        """The values of every column: those that occur, and those that are declared."""
        seen = zip(*self.rows, strict=True)
        return tuple(
            tuple(sorted({*values, *_declared_labels(column)}))
            for column, values in zip(self.schema.columns, seen, strict=True)
        )

    @cached_property
    def positives(self) -> dict[Row, int]:
        """The different rows inside, each with the number of the first that is like it."""
        return self._different(True)

    @cached_property
    def negatives(self) -> dict[Row, int]:
        """The different rows outside, each with the number of the first that is like it."""
        return self._different(False)

    def label(self, inside: bool | None) -> Any:
        return "undefined" if inside is None else self.yes if inside else self.other_label

    def labels(self, found: Iterable[bool | None]) -> Array:
        """Labels and words side by side, so an array of objects."""
        return object_array(map(self.label, found))

    def contradictions(self) -> tuple[tuple[int, int], ...]:
        """Pairs of rows that are equal and have different labels: noise."""
        others = self.negatives
        pairs = ((n, others[row]) for row, n in self.positives.items() if row in others)
        return tuple(sorted((min(pair), max(pair)) for pair in pairs))

    def noise(self) -> str:
        """The contradictions in words."""
        found = self.contradictions()
        if not found:
            return ""
        more = f" (the first of {len(found)} such pairs)" if len(found) > 1 else ""
        return (
            f"rows {found[0][0]} and {found[0][1]} are equal, and one is {self.yes!r}, the other "
            f"{self.other_label!r}{more}"
        )

    def _different(self, inside: bool) -> dict[Row, int]:
        found: dict[Row, int] = {}
        for row, side, number in zip(self.rows, self.inside, self.numbers, strict=True):
            if side == inside:
                found.setdefault(row, number)
        return found


def plain_rows(block: Block) -> Iterator[Row]:
    """The rows of a block as plain values; a gap is an error."""
    columns = [_column(block, column) for column in block.schema.columns]
    for column, values in zip(block.schema.columns, columns, strict=True):
        if None in values:
            raise ColumnError(
                f"column {column.name!r} has a missing value in row "
                f"{row_number(block.start, values.index(None))}. Fill it in, or drop the "
                "row."
            )
        if odd := [x for x in values if isinstance(x, float) and not np.isfinite(x)]:
            raise ColumnError(
                f"column {column.name!r} has {odd[0]} in row "
                f"{row_number(block.start, values.index(odd[0]))}. Replace it with a "
                "finite number, or drop the row."
            )
    return zip(*columns, strict=True)


def object_array(items: Iterable[Any]) -> Array:
    found = [*items]
    array = np.empty(len(found), dtype=object)
    array[:] = found
    return array


def format_cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def join_names(names: Iterable[object]) -> str:
    return ", ".join(map(str, names))


def _column(block: Block, column: Column) -> Sequence[Any]:
    if column.name in block.schema.places:
        numbers = block.numbers[:, block.schema.places[column.name]]
        return [None if np.isnan(x) else int(x) if x.is_integer() else x for x in numbers.tolist()]
    empty = Codes((), np.full(len(block), -1, dtype=np.int32))
    codes = block.codes.get(column.name, empty)
    if column.origin == "truth":
        codes = replace(codes, values=tuple(value == "True" for value in codes.values))
    return codes.items()


def _declared_labels(column: Column) -> tuple[Any, ...]:
    return (False, True) if column.origin == "truth" else column.values


def _read_labels(labels: Sequence[Any], positive: Any) -> tuple[Any, Any]:
    """The label of the concept and the other one."""
    found = sorted({*labels})
    if len(found) > 2:
        raise TargetError(
            f"the target has {len(found)} classes ({quoted_list(found)}), but "
            "concept learning needs two. Convert the target to one class against "
            "the rest."
        )
    if odd := [word for word in RESERVED_LABELS if word in found]:
        raise TargetError(
            f"the target has the class {odd[0]!r}, which is reserved for "
            "predictions without a decision. Rename that class."
        )
    if all(isinstance(label, bool) for label in found):
        found = [False, True]
    yes = _concept_label(found) if positive is None else positive
    check_name(yes, "the value of the concept")
    if not is_among(yes, found) and len(found) == 2:
        raise TargetError(
            f"positive is {short_repr(yes)}, which is not a class of the target. "
            f"Choose from {quoted_list(found)}."
        )
    return yes, next((label for label in found if label != yes), None)


def _concept_label(found: Sequence[Any]) -> Any:
    if len(found) == 1:
        raise TargetError(
            f"the target is {found[0]!r} in every row, so the positive class is not "
            f"known. Name it: fit(table, target, positive={found[0]!r})."
        )
    return "+" if "+" in found else found[-1]
