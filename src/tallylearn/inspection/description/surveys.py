"""A survey: all columns of a table summed in one pass, in memory or block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from tallylearn import engines
from tallylearn.engines.ordered_sum import PairwiseSum
from tallylearn.errors import ColumnError, InputError
from tallylearn.inspection.description.passing_columns import (
    Numbers,
    NumberSum,
    NumberTally,
    ValueColumn,
    ValueSum,
    ValueTally,
    held_numbers,
    held_values,
)
from tallylearn.runtime.memory_budget import budget
from tallylearn.screening.identifiers import DistinctCounts
from tallylearn.sources import DeclaredTable, Part
from tallylearn.tables import Array, Block, DocumentTerms, Schema
from tallylearn.tallies import Bundle, Counts, Moments
from tallylearn.tallies.distinct import MAX_HASH
from tallylearn.tallies.weight_kinds import InRows

Tally = TypeVar("Tally", NumberTally, ValueTally)
FREQUENCIES = InRows()
MEMORY_SHARE = 1 / 4  # of the budget of memory: larger tables are described block by block


@dataclass(frozen=True)
class Sums:
    """Exact: the weight of the rows that show a finite number, its sum, that of its squares."""

    count: Fraction
    total: Fraction
    squares: Fraction

    @property
    def squared_deviations(self) -> Fraction:
        """The sum of the squares of the distances from the mean."""
        return self.squares - self.total**2 / self.count


@dataclass(frozen=True)
class TableSurvey:
    """What one pass over all rows found."""

    schema: Schema
    rows: int
    weight: float  # of all rows; their number, where they have no weights or are compared by them
    sums: Mapping[str, Sums | None]
    numbers: Mapping[str, Numbers]
    values: Mapping[str, ValueColumn]
    block: Block | None = None  # all rows, where they are held
    weighing: InRows = FREQUENCIES
    different: Mapping[str, DistinctCounts] = field(default_factory=dict)  # where rows are not held

    @property
    def precision(self) -> float:
        """How many rows of equal weight are as precise as a row that is compared; else 1."""
        worth = self.weighing.worth
        return 1.0 if worth is None else worth / self.rows


def survey_table(source: DeclaredTable) -> TableSurvey:
    """Sum all columns up: exactly in memory, in sketches beyond."""
    source = source.load_if_small()
    if source.size is not None and _small(source):
        return _survey_in_memory(source)
    return _survey_in_passes(source)


def _small(source: DeclaredTable) -> bool:
    rows, columns = source.size or 0, len(source.schema.columns)
    return 8 * rows * columns <= MEMORY_SHARE * budget()


def _survey_in_memory(source: DeclaredTable) -> TableSurvey:
    weighing = weight_scaling(source)
    block = weighted_rows(source.whole(), weighing)
    block = replace(block, start=0)  # rows of files are numbered from 1
    names, x, w = block.schema.numbers, block.numbers, block.weight
    engines.current_engine().report_rows(len(block))
    bundle = (
        engines.current_engine().total(_exact_sums, engines.SinglePart(block.split())) or Bundle()
    )
    found = engines.map_threads(lambda at: held_numbers(x[:, at], w), range(len(names)))
    values = engines.map_threads(lambda one: held_values(one, w), _string_columns(block).values())
    return _survey(
        block.schema,
        bundle,
        numbers=dict(zip(names, found, strict=True)),
        values=dict(zip(_string_columns(block), values, strict=True)),
        weighing=weighing,
        block=block,
    )


@dataclass(frozen=True)
class ColumnTallies:
    """All columns of some parts; those of two add up."""

    sums: Bundle
    numbers: Mapping[str, NumberTally]
    values: Mapping[str, ValueTally]

    def __add__(self, other: ColumnTallies) -> ColumnTallies:
        numbers, values = _both(self.numbers, other.numbers), _both(self.values, other.values)
        return ColumnTallies(self.sums + other.sums, numbers, values)

    @property
    def most(self) -> dict[str, int]:
        """Of every column the greatest hash that counts, whatever other parts have."""
        numbers = {name: one.distinct.most for name, one in self.numbers.items()}
        return numbers | {name: one.distinct.most for name, one in self.values.items()}


def _both(one: Mapping[str, Tally], other: Mapping[str, Tally]) -> dict[str, Tally]:
    both = {name: one[name] + other[name] for name in one if name in other}
    return {**one, **other, **both}


def _survey_in_passes(source: DeclaredTable) -> TableSurvey:
    """In waves, each twice as large as the one before: those say which hashes may still count."""
    engine = engines.current_engine()
    parts, size = iter(source.parts()), max(1, engine.n_threads)  # so that no thread has to wait
    found, weighing = ColumnTallies(Bundle(), {}, {}), weight_scaling(source)
    with engines.report_stage("columns"):
        while wave := [*islice(parts, size)]:
            more = engine.total_parts(
                partial(_of_part, weighing, most=found.most), _PartsSubset(wave)
            )
            found, size = found if more is None else found + more, 2 * size
    none = NumberSum().tally()
    numbers = {name: found.numbers.get(name, none).total() for name in source.schema.numbers}
    values = {name: one.values() for name, one in found.values.items()}
    whole = _survey(source.schema, found.sums, numbers, values, weighing)
    tallies: dict[str, NumberTally | ValueTally] = {**found.numbers, **found.values}
    return replace(
        whole, different={n: DistinctCounts.of(one.distinct) for n, one in tallies.items()}
    )


@dataclass(frozen=True)
class _PartsSubset:
    """Some parts of a source."""

    given: Iterable[Part[Block]]

    def parts(self) -> Iterable[Part[Block]]:
        return self.given


def _of_part(
    weighing: InRows, part: Part[Block], most: Mapping[str, int] = MappingProxyType({})
) -> ColumnTallies:
    """The rows of a part, wherever it is read."""
    columns: dict[str, NumberSum | ValueSum] = {}
    sums = PairwiseSum()
    for block in (weighted_rows(block, weighing) for block in part.blocks()):
        given = {name: block.numbers[:, at] for name, at in block.schema.places.items()}
        written = _string_columns(block)
        for name in {*given, *written} - {*columns}:
            kind = NumberSum if name in given else ValueSum
            columns[name] = kind(most.get(name, MAX_HASH))
        given |= written
        engines.map_threads(partial(_add, columns, given, block.weight), given)
        sums.add(_exact_sums(block))
    found = {name: one.tally() for name, one in columns.items()}
    numbers = {name: one for name, one in found.items() if isinstance(one, NumberTally)}
    values = {name: one for name, one in found.items() if isinstance(one, ValueTally)}
    return ColumnTallies(sums.total() or Bundle(), numbers, values)


def _add(
    columns: Mapping[str, NumberSum | ValueSum], given: Mapping[str, Any], weight: Array | None,
    name: str,
) -> None:  # fmt: skip
    columns[name].add(given[name], weight)


def weight_scaling(source: DeclaredTable) -> InRows:
    """What the weights of all rows mean: files are read for that, the weights alone."""
    if source.size is not None:
        weight = source.whole().weight
        return InRows() if weight is None else InRows.of([weight], source.declared.weight_kind)
    if source.declared.weight is None:
        return InRows()
    return InRows.of(_weights(source), source.declared.weight_kind)


def _weights(source: DeclaredTable) -> Iterator[Array]:
    narrow = source.with_columns(source.schema.of_columns(()))
    return (block.weight for block in narrow.blocks() if block.weight is not None)


def weighted_rows(block: Block, weighing: InRows) -> Block:
    """The rows of a weight above zero; a weight of 2 is a row twice, if none is compared by it."""
    if block.weight is not None and not (block.weight > 0).all():
        block = block[np.flatnonzero(block.weight > 0)]
    return weighing(block)


def _string_columns(block: Block) -> dict[str, Any]:
    """The columns of categories and text; words that were counted before are no values."""
    text = {name: one for name, one in block.text.items() if not isinstance(one, DocumentTerms)}
    return {**block.codes, **text}


def _exact_sums(block: Block) -> Bundle:
    """How many rows there are, their weight, and the exact sums of the finite numbers."""
    x, by, names = np.ascontiguousarray(block.numbers), block.counting_keys(), block.schema.numbers
    try:
        moments = Moments.of(x, by, names, block.weight)
    except ColumnError:  # an infinity
        moments = Moments.of(np.where(np.isinf(x), np.nan, x), by, names, block.weight)
    rows, weight = Counts.of(by), Counts.of(by, weight=block.weight)
    return Bundle({"once": rows, "weight": weight, "moments": moments})


def _survey(
    schema: Schema, bundle: Bundle, numbers: dict[str, Numbers], values: dict[str, ValueColumn],
    weighing: InRows, block: Block | None = None,
) -> TableSurvey:  # fmt: skip
    counted = (bundle.get(name) for name in ("once", "weight"))
    rows, weight = (0.0 if one is None else one.weight for one in counted)
    if not schema.columns:
        raise InputError("the table has no columns. Pass a table with columns.")
    sums = _sums(bundle.get("moments"), schema)
    weight = weight if weighing.worth is None else rows  # the digits of fractions are rounded
    return TableSurvey(
        schema=schema,
        rows=int(rows),
        weight=weight,
        sums=sums,
        numbers=numbers,
        values=values,
        block=block,
        weighing=weighing,
    )


def _sums(moments: Moments | None, schema: Schema) -> dict[str, Sums | None]:
    """Of every column of numbers; None where it shows no finite one."""
    found: dict[str, Sums | None] = dict.fromkeys(schema.numbers)
    if moments is None or not moments:
        return found
    parts = [part.to_integers() for part in (moments.count, moments.sums, moments.squares)]
    for at, name in enumerate(moments.columns):
        three = (Fraction(int(numbers[0, at])) * Fraction(2) ** power for numbers, power in parts)
        found[str(name)] = Sums(*three)
    return found
