"""Tables: a schema says what the columns are; a block holds rows as numbers, codes and text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallylearn.tables import field_schemas
from tallylearn.tables.string_formats import StringFormat

Array = NDArray[Any]
BLOCK = 65_536  # rows

# What the weights of rows mean. No rule looks at their size: the call or the declaration says it.
FREQUENCY = "weight"  # tl.table(weight=): how often the row occurs; 2 is the row twice
IMPORTANCE = "importance"  # tl.table(importance=): only ratios matter; they sum to the rows
SAMPLE_WEIGHT = "sample_weight"  # fit(sample_weight=): factors of the loss, as in scikit-learn
WIDE_BLOCK_NUMBERS = 128  # numbers of a row: of so many a block has a quarter of the rows
RUN = (
    16 * BLOCK
)  # rows of a part that is cut from more: a power of two, so that sums do not show it

Start = int | Array  # the number of a block's first row in its table, or of every row

NUMBER, CATEGORY, TEXT, DATE = "number", "category", "text", "date"
IDENTIFIER, UNKNOWN = "identifier", "unknown"  # no learner uses these: a block has none of them
PARTS = {"year": NUMBER, "month": CATEGORY, "day": NUMBER, "weekday": CATEGORY, "hour": CATEGORY}


@dataclass(frozen=True)
class Column:
    """A column's name and kind; ``values`` are the categories that the table declares."""

    name: str
    kind: str
    values: tuple[str, ...] = ()
    origin: str = "text"  # of a category: text, number, truth, or declared

    form: ClassVar[field_schemas.Form] = {
        "name": field_schemas.text(),
        "kind": field_schemas.text(NUMBER, CATEGORY, TEXT, DATE, IDENTIFIER, UNKNOWN),
        "values": field_schemas.names(),
        "origin": field_schemas.text("text", "number", "truth", "declared"),
    }


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in its order."""

    columns: tuple[Column, ...]
    named: bool = True  # whether the names came with the table
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()  # dates that are taken apart
    missing: tuple[Any, ...] = ()  # values that stand for nothing, beside the empty ones
    # how strings were written that were read as something else: no part of what was learned
    spellings: Mapping[str, StringFormat] = field(default_factory=dict, compare=False)

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.many(field_schemas.one(Column)),
        "named": field_schemas.truth,
        "parts": field_schemas.many(
            field_schemas.pair(field_schemas.text(), field_schemas.names())
        ),
        "missing": field_schemas.many(field_schemas.plain),
    }

    def check(self) -> None:
        """What a file says of the columns can be: a ValueError says what cannot."""
        if len({*self.names}) < len(self.names):
            raise ValueError("the schema has a column twice")
        if odd := [c.name for c in self.columns if c.values and c.kind != CATEGORY]:
            raise ValueError(f"column {odd[0]!r} is no category, and declares values")
        kinds = {column.name: column.kind for column in self.columns}
        for name, parts in self.parts:
            told = {f"{name}.{part}": PARTS.get(part) for part in parts}
            if not told or any(kinds.get(part, "") != kind for part, kind in told.items()):
                raise ValueError(f"the parts of the date {name!r} are no columns")
        if len({name for name, _ in self.parts}) < len(self.parts):
            raise ValueError("a date is taken apart twice")

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def of_columns(self, columns: Iterable[Column]) -> Schema:
        """The same with some of its columns, and what is known of how those are written."""
        kept = tuple(columns)
        known = {column.name for column in kept} | {name for name, _ in self.parts}
        spelled = {name: one for name, one in self.spellings.items() if name in known}
        return replace(self, columns=kept, spellings=spelled)

    def with_identifiers(self, names: Collection[str]) -> Schema:
        """The same, some columns of which are identifiers."""
        columns = (Column(c.name, IDENTIFIER) if c.name in names else c for c in self.columns)
        spelled = {name: one for name, one in self.spellings.items() if name not in names}
        return replace(self, columns=tuple(columns), spellings=spelled)

    @cached_property
    def kinds(self) -> frozenset[str]:
        return frozenset(column.kind for column in self.columns)

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.of_kind(IDENTIFIER))

    def of_kind(self, *kinds: str) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.kind in kinds)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The columns that a block keeps as numbers: numbers and dates."""
        return tuple(column.name for column in self.of_kind(NUMBER, DATE))

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each of those columns stands among the numbers."""
        return {name: at for at, name in enumerate(self.numbers)}

    @cached_property
    def categories(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.of_kind(CATEGORY))


@dataclass(frozen=True)
class Codes:
    """A column of values as small integers: ``values[codes[i]]``, and -1 where missing."""

    values: tuple[Any, ...]
    codes: Array  # (n,) signed integers, as narrow as they came
    declared: tuple[Any, ...] = ()

    @classmethod
    def of(cls, items: Sequence[Any], declared: Sequence[Any] = ()) -> Codes:
        """Code plain Python values; None is missing."""
        values = tuple(sorted({item for item in items if item is not None}))
        place: dict[Any, int] = {value: at for at, value in enumerate(values)}
        codes = np.array([place.get(item, -1) for item in items], dtype=np.int32)
        return cls(values, codes, tuple(sorted(declared)))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Codes:
        return Codes(self.values, np.ascontiguousarray(self.codes[rows]), self.declared)

    def items(self) -> list[Any]:
        """The values, row by row; None where missing."""
        lookup = (*self.values, None)
        return [lookup[code] for code in self.codes]

    def recode(self, keys: Sequence[Any]) -> Array:
        """Codes into other keys: -1 where missing, -2 where the value is not among them."""
        if tuple(keys) == self.values:
            return np.ascontiguousarray(self.codes, dtype=np.int32)
        place = {key: at for at, key in enumerate(keys)}
        table = np.array([place.get(value, -2) for value in self.values] + [-1], dtype=np.int32)
        return table[self.codes]

    def pair_with(self, part: Array) -> Codes:
        """Values (part, value), where none is missing: only pairs that occur, in their order."""
        k = len(self.values)
        pair = part.astype(np.int64) * k + self.codes
        seen = np.flatnonzero(np.bincount(pair))
        place = np.zeros(int(pair.max(initial=0)) + 1, dtype=np.int32)
        place[seen] = np.arange(len(seen))
        values = tuple((at // k, self.values[at % k]) for at in seen.tolist())
        return Codes(values, place[pair])


@dataclass(frozen=True)
class DocumentTerms:
    """Documents as the numbers of their terms: ``terms[ids[i]]`` comes ``times[i]`` times."""

    terms: tuple[str, ...]
    ends: Array  # (n + 1,) int64: document d has the ids from ends[d] to ends[d + 1]
    ids: Array  # int32
    times: Array  # int64, as many as the ids; empty where each stands for one word
    present: Array  # (n,) bool
    ordered: bool = False  # whether the terms are sorted

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, rows: Any) -> DocumentTerms:
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(len(self))
            return self._slice(start, stop)
        rows = np.arange(len(self))[rows]
        lengths = np.diff(self.ends)[rows]
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.arange(ends[-1]) + np.repeat(self.ends[:-1][rows] - ends[:-1], lengths)
        times = self.times[at] if len(self.times) else self.times
        return DocumentTerms(
            terms=self.terms,
            ends=ends,
            ids=self.ids[at],
            times=times,
            present=self.present[rows],
            ordered=self.ordered,
        )

    def _slice(self, start: int, stop: int) -> DocumentTerms:
        ends = self.ends[start : stop + 1]
        here = slice(int(ends[0]), int(ends[-1]))
        return replace(
            self,
            ends=ends - ends[0],
            ids=self.ids[here],
            times=self.times[here],
            present=self.present[start:stop],
        )


@dataclass(frozen=True)
class Block:
    """Some rows of a table, as the tallies see them."""

    schema: Schema
    numbers: Array  # (n, p) float64: numbers and dates; NaN where missing
    codes: dict[str, Codes] = field(default_factory=dict)  # the categories
    text: dict[str, Any] = field(default_factory=dict)  # Arrow strings, or Bags
    target: Any = None  # Codes, or (n,) float64; a tuple of those where there are several
    weight: Array | None = None  # (n,) float64, above zero
    start: Start = 0  # the numbers of all rows where some between them were left out
    group: Codes | None = None  # rows of a group stay together when a table is split
    part: Array | None = None  # (n,) of the rows: folds are counted side by side
    unanswered: int = 0  # rows that were left out of the block, since they have no target
    weight_kind: str = FREQUENCY  # what the weights mean: FREQUENCY, IMPORTANCE, SAMPLE_WEIGHT

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: Any) -> Block:
        """Some of the rows."""
        return Block(
            schema=self.schema,
            numbers=_numbers_at(self.numbers, rows),
            codes={name: codes[rows] for name, codes in self.codes.items()},
            text={name: text_at(text, rows) for name, text in self.text.items()},
            target=_target_at(self.target, rows),
            weight=None if self.weight is None else self.weight[rows],
            start=_start_at(self.start, rows),
            group=None if self.group is None else self.group[rows],
            part=None if self.part is None else self.part[rows],
            weight_kind=self.weight_kind,
        )

    def with_target(self, target: Any, weight: Array | None) -> Block:
        """The same rows with another target, and other weights."""
        return Block(
            schema=self.schema,
            numbers=self.numbers,
            codes=self.codes,
            text=self.text,
            target=target,
            weight=weight,
            start=self.start,
            group=self.group,
            part=self.part,
            unanswered=self.unanswered,
            weight_kind=self.weight_kind,
        )

    def counting_keys(self, codes: Codes | None = None) -> Codes:
        """What a tally counts these rows by, where the target is no class: one key for all rows.

        Or values, such as those of the target, none of them missing. Where parts of the rows are
        counted side by side the keys are pairs (part, key), and the tally comes apart by them.
        """
        if codes is None:
            codes = Codes(("all",), np.zeros(len(self), dtype=np.int32))
        return codes if self.part is None else codes.pair_with(self.part)

    def split(self) -> Iterator[Block]:
        """Blocks of 65 536 rows; larger where all is counted already, and only keys are merged.

        Broad ones are shorter: of a few that are much work each, the last would be waited for.
        """
        n, rows = len(self), BLOCK if self.numbers.shape[1] < WIDE_BLOCK_NUMBERS else BLOCK // 4
        counted = [text for text in self.text.values() if isinstance(text, DocumentTerms)]
        if counted and len(counted) == len(self.schema.columns):
            rows = max(BLOCK, -(-n // max(2, -(-n // (4 * BLOCK)))))
        if n <= rows:
            yield self
            return
        for start in range(0, n, rows):
            yield self[start : start + rows]

    def sort_rows(self) -> Block:
        """The rows in an order that what they hold decides, so that how they came does not."""
        keys: list[Array] = [*self.numbers.T]
        coded = [*self.codes.values(), *([] if self.group is None else [self.group])]
        targets = self.target if isinstance(self.target, tuple) else (self.target,)
        coded += [target for target in targets if isinstance(target, Codes)]
        keys += [codes.recode(sorted(codes.values)) for codes in coded]
        keys += [target for target in targets if isinstance(target, np.ndarray)]
        keys += [] if self.weight is None else [self.weight]
        return self[np.lexsort(keys)] if keys else self

    def training_rows(self) -> Block:
        """The rows that are learned from, under the numbers that they have: see ``counting``."""
        kept = self.training_indices()
        if len(kept) == len(self):
            return self
        weighed = len(self) if self.weight is None else np.count_nonzero(self.weight)
        unanswered = int(weighed) - len(kept)
        return replace(self[kept], start=places(self.start, kept), unanswered=unanswered)

    def training_indices(self) -> Array:
        """Which rows are learned from: those of a weight above zero that have every target."""
        seen = np.arange(len(self)) if self.weight is None else np.flatnonzero(self.weight > 0)
        for target in self.target if isinstance(self.target, tuple) else (self.target,):
            if isinstance(target, Codes) and target.codes.min(initial=0) < 0:
                seen = seen[target.codes[seen] >= 0]
            elif isinstance(target, np.ndarray) and np.isnan(target).any():
                seen = seen[~np.isnan(target[seen])]
        return seen


def row_number(start: Start, at: int) -> int:
    """The number of a block's row in the whole table."""
    return int(start[at]) if isinstance(start, np.ndarray) else int(start + at)


def places(start: Start, rows: Array) -> Array:
    """The numbers of some of a block's rows in the whole table."""
    return np.asarray(start[rows] if isinstance(start, np.ndarray) else start + rows)


def _numbers_at(numbers: Array, rows: Any) -> Array:
    """Some rows of a matrix; by number, and each in one piece, they take half of the time."""
    if isinstance(rows, np.ndarray) and rows.dtype.kind == "i" and numbers.flags.c_contiguous:
        return numbers.take(rows, axis=0)
    return np.asarray(numbers[rows])


def _start_at(start: Start, rows: Any) -> Start:
    if isinstance(start, np.ndarray):
        return np.asarray(start[rows])
    return start + (rows.start or 0 if isinstance(rows, slice) else 0)


def _target_at(target: Any, rows: Any) -> Any:
    if isinstance(target, tuple):
        return tuple(_target_at(one, rows) for one in target)
    return None if target is None else target[rows]


def check_shape(name: str, array: Array, *sizes: int) -> None:
    """An array has these sizes, and no other axes: kernels do not look, and files may lie."""
    if array.shape != sizes:
        raise ValueError(f"{name} has the shape {array.shape}, and should have {sizes}")


def check_shapes(name: str, arrays: Iterable[Array], *sizes: int) -> None:
    """The same of several arrays."""
    for array in arrays:
        if array.shape != sizes:
            check_shape(name, array, *sizes)


def check_columns(what: str, names: Sequence[str], known: Collection[str]) -> None:
    """What a file says is about columns that the schema has, each of them once."""
    if odd := [name for name in names if name not in known]:
        raise ValueError(f"the {what} are of {odd[0]!r}, which is no such column")
    if len({*names}) < len(names):
        raise ValueError(f"the {what} are of a column twice")


def check_last_axes(name: str, array: Array, *sizes: int) -> None:
    """The last axes have these sizes; folds may come before them, which no file holds."""
    if array.shape[max(0, array.ndim - len(sizes)) :] != sizes:
        raise ValueError(f"{name} has the shape {array.shape}, and should end in {sizes}")


def text_at(text: Any, rows: Any) -> Any:
    """Some rows of a column of Arrow strings, or of counted words."""
    if isinstance(text, DocumentTerms):
        return text[rows]
    if isinstance(rows, slice):
        start, stop, _ = rows.indices(len(text))
        return text.slice(start, stop - start)
    return text.take(np.arange(len(text))[rows])


def no_text(n: int) -> DocumentTerms:
    """A column of text that is missing in every row."""
    ends, empty = np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return DocumentTerms((), ends, empty.astype(np.int32), empty, np.zeros(n, dtype=bool))


def plain(value: Any) -> str:
    """A category's name for a value that is not text: 3.0 and 3 are both '3'."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def day(days: Any) -> datetime | None:
    """The date that a number of days since 1970 stands for."""
    return None if days is None else datetime(1970, 1, 1) + timedelta(days=float(days))
