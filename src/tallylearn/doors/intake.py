"""Intake: what a user passes to ``fit`` or ``predict``, as blocks that match what was learned."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError, InputError, TargetError, listed
from tallylearn.sources import Files, Source, Table, aimed, opened
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.frames import Frame, framed
from tallylearn.sources.memory import check_rows
from tallylearn.sources.origins import as_learned
from tallylearn.sources.reading import block_of
from tallylearn.sources.targets import flat, labels, measures, weights
from tallylearn.tables import CATEGORY, TEXT, UNKNOWN, Block, Codes, Column, Schema, no_text

Array = NDArray[Any]


@dataclass(frozen=True)
class Lesson:
    """Rows to learn from: a source, its target and its weights."""

    source: Source
    by_name: bool  # whether the columns are matched by name from now on
    y: Array | None = None  # a target that came as an array
    weight: Array | None = None  # weights that came as an array

    @property
    def label_type(self) -> str:
        """The type of the classes that ``predict`` returns."""
        if self.y is None or self.y.dtype.kind == "U":
            return ""
        return self.y.dtype.str

    def blocks(self, task: str | None) -> Iterator[Block]:
        """Blocks with labels or measures as their target, rows of weight zero left out."""
        return (block for _, block in self.numbered(task))

    def numbered(self, task: str | None) -> Iterator[tuple[Array, Block]]:
        """The same blocks, with the numbers of their rows in the whole source, from 0."""
        if isinstance(self.source, Files):
            coded: Callable[..., Any] = self.named if task == "classifier" else self._measures
            start = 0
            for block in self.source.blocks():
                block = replace(block, target=coded(block.target, block.start))
                yield start + _counting(block.weight, len(block)), block.weighed(block.weight)
                start += len(block)
            return
        rows, whole = self.whole(task)
        start = 0
        for block in whole.cut():
            yield rows[start : start + len(block)], block
            start += len(block)

    def whole(self, task: str | None) -> tuple[Array, Block]:
        """All rows of a table in memory that have any weight, and their numbers."""
        if isinstance(self.source, Files):
            raise InputError(f"{self.source} is not in memory. Read it first.")
        table = self.source
        weight = table.weight if self.weight is None else self.weight
        target = self.classes if task == "classifier" else self._measures(*self._target)
        block = replace(table.block, target=target)
        return _counting(weight, len(block)), block.weighed(weight)

    @cached_property
    def classes(self) -> Codes:
        """Coded once: a target of Python strings takes longer to read than to learn from."""
        return self.named(*self._target)

    def named(self, y: Any, start: int = 0) -> Codes:
        """The classes of a target, those that the table declares among them."""
        found, given = labels(y, start), self.source.declared.classes
        if not given:
            return found
        known = labels(flat(given)).values
        if odd := [value for value in found.values if value not in known]:
            raise TargetError(
                f"the target has the class {odd[0]!r}, and the table declares {listed(known)}. "
                "Name all of them in classes=."
            )
        return Codes(known, found.among(known), known)

    def _measures(self, y: Any, start: int = 0) -> Array:
        if self.source.declared.classes:
            raise TargetError(
                "the table declares classes of the target, and a regressor measures it. Leave "
                "classes= out, or use a classifier."
            )
        return measures(y, start)

    @property
    def _target(self) -> tuple[Any, int]:
        assert isinstance(self.source, Table)
        return self.source.target if self.y is None else self.y, self.source.block.start


def lesson(X: Any, y: Any, weight: Any, who: str, schema: Schema | None = None) -> Lesson:
    """Read the arguments of ``fit``; with a schema, rows that must match what was learned."""
    names = (y if isinstance(y, str) else None, weight if isinstance(weight, str) else None)
    by_name = isinstance(X, str | Path | Files | Table) or names[0] is not None
    if isinstance(X, Table | Files):
        source = aimed(X, *names)
        if schema is not None and source.schema != schema:
            source = _read_as(source, _refined(schema, source.schema))
    else:
        if not isinstance(X, str | Path):
            X = framed(X)
            X = X if schema is None else matched(X, schema, by_name, who)
        declared = Declaration(*names, missing=() if schema is None else schema.missing)
        if schema is not None and schema.of_kind(UNKNOWN):
            schema = _refined(schema, opened(X, declared).schema)
        source = opened(X, declared, schema)
    if y is None and source.declared.target is None:
        raise TargetError(
            "the call names no target. Pass y, or the target column's name as in fit(table, 'y'). "
            f"{who} requires y to be passed, but the target y is None."
        )
    target = None if y is None or isinstance(y, str) else _target(source, y)
    given = None if weight is None or isinstance(weight, str) else weights(weight, _length(source))
    return Lesson(source, by_name, target, given)


def _counting(weight: Array | None, n: int) -> Array:
    """The numbers of the rows that have any weight."""
    return np.arange(n) if weight is None else np.flatnonzero(weight > 0)


def _refined(schema: Schema, seen: Schema) -> Schema:
    """The schema that was learned, with the kinds of columns that were empty then."""
    kinds = {column.name: column for column in seen.columns}
    columns = (kinds.get(c.name, c) if c.kind == UNKNOWN else c for c in schema.columns)
    return replace(schema, columns=tuple(columns))


def _read_as(source: Source, schema: Schema) -> Source:
    if isinstance(source, Files):
        return Files(source.paths, source.declared, schema)
    return Table(_picked(source.block, schema), source.target, source.weight, source.declared)


def _target(source: Source, y: Any) -> Array:
    if isinstance(source, Files):
        raise TargetError(
            "a table of files takes its target from a column: fit('data.csv', 'column')."
        )
    if source.declared.target is not None:
        raise TargetError(
            f"the table declares the target {source.declared.target!r}, and the call passes "
            "another. Leave one of them out."
        )
    target = flat(y)
    check_rows(len(source), target)
    return target


def _length(source: Source) -> int:
    if isinstance(source, Files):
        raise InputError(
            "a table of files takes its weights from a column: sample_weight='column'."
        )
    return len(source)


def rows(X: Any, schema: Schema, by_name: bool, who: str) -> Iterator[Block]:
    """The rows to predict, block by block."""
    if isinstance(X, str | Path):
        yield from opened(X, Declaration(missing=schema.missing), schema).blocks()
    elif isinstance(X, Files):
        yield from Files(X.paths, replace(X.declared, target=None, weight=None), schema).blocks()
    elif isinstance(X, Table):
        yield from (X.block if X.schema == schema else _picked(X.block, schema)).cut()
    else:
        yield from block_of(matched(framed(X), schema, by_name, who), schema).cut()


def matched(frame: Frame, schema: Schema, by_name: bool, who: str) -> Frame:
    """The frame with the columns that were learned: by name, or by place as in scikit-learn."""
    expected = _raw_names(schema)
    if frame.named == schema.named and frame.names == expected:
        return frame
    if by_name and frame.named:
        if missing := [name for name in expected if name not in frame.names]:
            raise ColumnError(
                f"the table lacks {listed(missing)}, which the model learned from; it has "
                f"{listed(frame.names)}. Add the column, empty if need be."
            )
        return frame
    if not schema.named and {*frame.names} == {*expected}:
        return frame  # x0, x1, ... as rows drawn by sample() have them, in any order
    if len(frame.names) != len(expected):
        raise ColumnError(
            f"the model learned from {len(expected)} columns, and here are {len(frame.names)}. "
            f"X has {len(frame.names)} features, but {who} is expecting {len(expected)} features "
            "as input."
        )
    if frame.named != schema.named and not by_name:
        _warn_of_names(frame.named, who)
    elif frame.named and frame.names != expected:
        raise _other_names(frame.names, expected)
    return replace(frame, names=expected)


def _raw_names(schema: Schema) -> tuple[str, ...]:
    """The columns before dates were taken apart."""
    if not schema.parts:
        return schema.names
    apart = {f"{name}.{part}": name for name, parts in schema.parts for part in parts}
    return tuple(dict.fromkeys(apart.get(name, name) for name in schema.names))


def _warn_of_names(named: bool, who: str) -> None:
    message = (
        f"X has feature names, but {who} was fitted without feature names"
        if named
        else f"X does not have valid feature names, but {who} was fitted with feature names"
    )
    warnings.warn(message, UserWarning, stacklevel=6)


def _other_names(names: tuple[str, ...], expected: tuple[str, ...]) -> ColumnError:
    """scikit-learn's sentences for names that differ."""
    said = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted({*names} - {*expected}), sorted({*expected} - {*names})
    for title, group in (
        ("unseen at fit time", unseen),
        ("seen at fit time, yet now missing", missing),
    ):
        if group:
            said += f"Feature names {title}:\n" + "".join(f"- {name}\n" for name in group[:5])
            said += "- ...\n" if len(group) > 5 else ""
    if not unseen and not missing:
        said += "Feature names must be in the same order as they were in fit.\n"
    return ColumnError(said)


def _picked(block: Block, schema: Schema) -> Block:
    """The columns of a schema out of a block that was read as another."""
    have = {column.name: column for column in block.schema.columns}
    for column in schema.columns:
        if column.name not in have:
            raise ColumnError(
                f"the table lacks {column.name!r}, which the model learned from; it has "
                f"{listed(have)}. Add the column, empty if need be."
            )
        _check_kind(column, have[column.name])
    place = {name: j for j, name in enumerate(block.schema.numbers)}
    columns = [
        block.numbers[:, place[name]] if name in place else np.full(len(block), np.nan)
        for name in schema.numbers
    ]
    empty = Codes((), np.full(len(block), -1, dtype=np.int32))
    nothing = no_text(len(block))
    return replace(
        block,
        schema=schema,
        numbers=np.column_stack(columns) if columns else np.empty((len(block), 0)),
        codes={
            c.name: as_learned(c, have[c.name].origin, block.codes.get(c.name, empty), block.start)
            for c in schema.of_kind(CATEGORY)
        },
        text={c.name: block.text.get(c.name, nothing) for c in schema.of_kind(TEXT)},
    )


def _check_kind(learned: Column, here: Column) -> None:
    if learned.kind != here.kind and UNKNOWN not in (learned.kind, here.kind):
        raise ColumnError(
            f"column {learned.name!r} was {a(learned.kind)} when the model learned, and is "
            f"{a(here.kind)} here. Declare it alike in both tables, for example with "
            f"categories=[{learned.name!r}]."
        )


def a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
