"""What a table holds: its rows column by column, for those who look before they learn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.screening.identifiers import find_identifiers, identifiers
from tallylearn.sources import DeclaredTable
from tallylearn.sources.columns.class_labels import take_rows
from tallylearn.sources.columns.kinds import codes, is_numeric_type
from tallylearn.sources.columns.numeric_targets import numbers_of
from tallylearn.sources.memory.joined_blocks import join_codes
from tallylearn.tables import BLOCK, Array, Block, Codes, Schema, places

MAX_NAMED_CLASSES = 10  # whole numbers: more different ones are measured, not named
MIN_CLASS_ROWS = 5  # rows of a class: of fewer nothing can be learned, or tested
MOST, LONGEST = 6, 30  # names in one sentence, and signs in one name
MAX_SAMPLED_ROWS = (
    8192  # rows of a table in memory: of more, so many are looked at, from first to last
)
CELLS = 256 * MAX_SAMPLED_ROWS  # of a wide table fewer rows are looked at, and
MIN_SAMPLED_ROWS = 1024  # never fewer than these


def sample_rows(rows: Array, columns: int, many: int = MAX_SAMPLED_ROWS) -> Array:
    """The rows of a table in memory that are looked at: all, or some from first to last."""
    most = min(many, max(MIN_SAMPLED_ROWS, CELLS // max(columns, 1)))
    if len(rows) <= most:
        return rows
    return np.asarray(rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)])


def _first_blocks(source: DeclaredTable) -> Iterator[Block]:
    """Blocks until 65 536 rows are seen: one of a large file, several of small ones."""
    rows = 0
    for block in source.blocks():
        yield block[: BLOCK - rows]
        rows += len(block)
        if rows >= BLOCK:
            return


@dataclass(frozen=True)
class SampledRows:
    """Rows column by column: all of a table in memory, of files the first 65 536."""

    schema: Schema
    places: Array  # (n,) the numbers of the rows in their table
    columns: dict[str, Codes | Array]  # (n,) codes, or numbers; text is left out
    target: Codes | Array | None
    identifiers: dict[str, str]
    whole: bool  # whether these are all rows
    answer: str | None = None  # classifier or regressor, where a learner says so
    all: str = "all"  # of which rows they are
    left_out: dict[str, Codes | Array] = field(default_factory=dict)  # identifiers: their values

    @classmethod
    def of(
        cls, source: DeclaredTable, y: Array | None = None, answer: str | None = None
    ) -> SampledRows:
        """Read the rows once; ``y`` is a target that is no column: then every column is learned."""
        source = find_identifiers(source) if source.declared.targets else source
        named = (
            identifiers(source) if source.identifier_reasons is None else source.identifier_reasons
        )
        blocks = list(_first_blocks(source) if source.size is None else source.blocks())
        whole = source.size is not None or sum(map(len, blocks)) < BLOCK
        schema, columns = source.schema, {}
        rows = sum(map(len, blocks))
        kept = np.arange(rows) if y is not None else _weighted_rows(blocks)
        blocks = blocks if y is not None else [*map(_drop_zero_weights, blocks)]
        for name in (*schema.places, *schema.categories) if blocks else ():
            columns[name] = _column(blocks, name)
        numbers = [places(block.start, np.arange(len(block))) for block in blocks]
        target = None
        if y is not None or source.declared.target:
            target = _target([b.target for b in blocks] if y is None else [y])
        found = np.concatenate([np.arange(0), *numbers])
        seen = "all" if whole else "the first"
        out = [name for name in named if name in schema.identifiers and name in source.names]
        out = out[:MOST] if target is not None else []
        left_out = {name: source.group_labels(name, rows)[kept] for name in out}
        return cls(
            schema=schema,
            places=found,
            columns=columns,
            target=target,
            identifiers=dict(named),
            whole=whole,
            answer=answer,
            all=seen,
            left_out=left_out,
        )

    def __len__(self) -> int:
        return len(self.places)

    def as_sample(self) -> SampledRows:
        """The same rows, which are some of more."""
        return replace(self, whole=False, all="a sample of")

    @cached_property
    def n_with_target(self) -> int:
        """How many rows have a target."""
        if isinstance(self.target, Codes):
            return int((self.target.codes >= 0).sum())
        return 0 if self.target is None else int(np.isfinite(self.target).sum())

    @cached_property
    def classes(self) -> Codes | None:
        """The target as classes, where a learner asks for them or they look like some."""
        if self.answer is None or self.target is None or isinstance(self.target, Codes):
            return self.target_classes
        return as_codes(self.target) if self.answer == "classifier" else None

    @cached_property
    def target_classes(self) -> Codes | None:
        """The target as classes, whoever asks: words, truth values, or a few whole numbers."""
        if self.target is None or isinstance(self.target, Codes):
            return self.target
        found = as_codes(self.target)
        return found if name_classes(found.values, self.n_with_target) else None

    @property
    def different(self) -> int:
        """How many different values the target has."""
        if self.target is None:
            return 0
        found = self.target if isinstance(self.target, Codes) else as_codes(self.target)
        return len(found.values)

    @property
    def has_fractional_target(self) -> bool:
        """Whether the target is a number with a fraction in some row."""
        target = self.target
        return isinstance(target, np.ndarray) and bool((target % 1 > 0).any())

    @cached_property
    def measures(self) -> bool:
        """Whether some column has more different numbers than name classes."""
        names = (name for name, x in self.columns.items() if not isinstance(x, Codes))
        return any(len(self.codes_of(name).values) > MAX_NAMED_CLASSES for name in names)

    @cached_property
    def equal(self) -> Array:
        """(n,) a number for every row, the same for rows with equal categories and numbers."""
        group = np.zeros(len(self), dtype=np.int64)
        for name in self.columns:
            if name in self.identifiers:
                continue
            found = self.codes_of(name)
            group = np.unique(group * (len(found.values) + 1) + found.codes, return_inverse=True)[1]
            if group.max(initial=-1) == len(group) - 1:
                break
        return group

    def codes_of(self, name: str) -> Codes:
        """A column by its values, put in order when it is first asked for."""
        if name not in self._codes_cache:
            x = self.columns[name]
            self._codes_cache[name] = x if isinstance(x, Codes) else as_codes(x)
        return self._codes_cache[name]

    @cached_property
    def _codes_cache(self) -> dict[str, Codes]:
        return {}


def name_classes(values: Sequence[Any], rows: int) -> bool:
    """Whether numbers name classes: a few whole ones do, each of which several rows have."""
    k, whole = len(values), all(float(value).is_integer() for value in values)
    return whole and k <= MAX_NAMED_CLASSES and (k <= 2 or MIN_CLASS_ROWS * k <= rows)


def shorten_names(names: Sequence[str]) -> str:
    """Names in one line: a, b, c and 4 more."""
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def brief(value: Any) -> str:
    """A value that does not fill a line."""
    text = str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def describe_classes(rows: Mapping[Any, int]) -> str:
    """Classes with their rows, of many the largest: 2 classes: No 5, Yes 9."""
    order = [*rows] if len(rows) <= MOST else sorted(rows, key=rows.__getitem__, reverse=True)
    shown = shorten_names([f"{brief(value)} {rows[value]:,}" for value in order])
    return f"{'1 class' if len(rows) == 1 else f'{len(rows):,} classes'}: {shown}"


def counts(classes: Codes) -> Array:
    """Rows of every class."""
    return np.bincount(classes.codes[classes.codes >= 0], minlength=len(classes.values))


def is_missing(column: Codes | Array) -> Array:
    """(n,) which rows show no value."""
    return np.asarray(column.codes < 0 if isinstance(column, Codes) else np.isnan(column))


def as_codes(numbers: Array) -> Codes:
    """Numbers by their values; NaN is missing."""
    present = ~np.isnan(numbers)
    values, at = np.unique(numbers[present], return_inverse=True)
    found = np.full(len(numbers), -1, dtype=np.int64)
    found[present] = at
    if not (values == np.floor(values)).any():  # the most columns, and the largest
        return Codes(tuple(values.tolist()), found)
    return Codes(tuple(int(x) if x.is_integer() else x for x in values.tolist()), found)


def _drop_zero_weights(block: Block) -> Block:
    """The rows of a block under their numbers, without those of weight zero: they are not there."""
    if block.weight is None or block.weight.all():
        return block
    kept, target = np.flatnonzero(block.weight), block.target
    if target is not None:
        several = isinstance(target, tuple)
        target = tuple(take_rows(t, kept) for t in target) if several else take_rows(target, kept)
    bare = replace(block, target=None)
    return replace(bare[kept], target=target, start=places(block.start, kept))


def _weighted_rows(blocks: Sequence[Block]) -> Array:
    """The rows of a weight above zero, counted through all blocks."""
    counts = [np.full(len(b), True) if b.weight is None else b.weight > 0 for b in blocks]
    return np.flatnonzero(np.concatenate([np.full(0, True), *counts]))


def _column(blocks: Sequence[Block], name: str) -> Codes | Array:
    if name in blocks[0].codes:
        return join_codes([block.codes[name] for block in blocks])
    at = blocks[0].schema.places[name]
    return np.concatenate([block.numbers[:, at] for block in blocks])


def _target(parts: Sequence[Any]) -> Codes | Array:
    """The target as it came, gaps and all."""
    read = [target_part(part) for part in parts]
    numbers = [part for part in read if not isinstance(part, Codes)]
    if len(numbers) == len(read):
        return np.concatenate([np.empty(0), *numbers])
    return join_codes([part if isinstance(part, Codes) else _words(part) for part in read])


def _words(numbers: Array) -> Codes:
    """Numbers of a part whose neighbours hold words; most often they are all missing."""
    found = as_codes(numbers)
    return replace(found, values=tuple(map(str, found.values)))


def target_part(target: Any) -> Codes | Array:
    """The target of a block: numbers, or codes of anything else."""
    if isinstance(target, Codes):
        return target
    if not hasattr(target, "null_count"):
        return (
            Codes.of([*map(str, target)])
            if target.dtype.kind in "OUb"
            else target.astype(np.float64)
        )
    import pyarrow.types as is_

    kind = target.type.value_type if is_.is_dictionary(target.type) else target.type
    if is_numeric_type(kind) and not is_.is_boolean(kind):
        return np.asarray(numbers_of(target.cast(kind)), dtype=np.float64)
    return codes(target)
