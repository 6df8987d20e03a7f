"""What is summed of a column while its rows pass by: a tally a part, and tallies add up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.inspection.description.column_points import ColumnPoints, rank_numbers
from tallylearn.tables import Array, Codes
from tallylearn.tallies.distinct import MAX_HASH, MAX_HASHES, Distinct, HashCounter
from tallylearn.tallies.quantile_sketch import Buckets, QuantileSketch, middles


@dataclass(frozen=True)
class Numbers:
    """A column of numbers or dates, summed."""

    points: ColumnPoints
    distinct: int
    known: bool  # whether their number is exact
    places: Array | None = None  # (n,) of every row among the points, where the rows are held
    buckets: Buckets | None = None  # where they are not

    def all_points(self) -> ColumnPoints:
        """What ``places_in`` numbers: all points, or all buckets, those that are empty too."""
        if self.buckets is None:
            return self.points
        return ColumnPoints(middles(self.buckets.keys()), self.buckets.cells, sketched=True)

    def places_in(self, column: Array, start: int) -> Array:
        """(n,) the place of every row among the points, or the buckets; missing: the last."""
        if self.places is not None:
            return self.places[start : start + len(column)]
        assert self.buckets is not None
        return self.buckets.place(column)

    def bins(self) -> Array:
        """(places,) which bin of about equally many rows every place is in."""
        points = self.all_points()
        some = np.flatnonzero(points.counts)
        out = np.zeros(len(points.counts), dtype=np.int64)
        out[some] = ColumnPoints(points.values[some], points.counts[some]).bins()
        return out

    @property
    def is_binned(self) -> bool:
        """Whether values that differ may have one place."""
        if self.buckets is None:
            return False
        return not self.known or int(np.count_nonzero(self.buckets.cells)) < self.distinct


@dataclass(frozen=True)
class ValueColumn:
    """A column of categories or text, summed."""

    counts: Mapping[str, float] | None  # by value, in their order; None: too many to be named
    total: float
    distinct: int
    known: bool


@dataclass(frozen=True)
class NumberTally:
    """Numbers or dates: their different values, and their counts in the buckets of a sketch.

    16 bytes a value up to 100 000 values, and 16 a bucket that is not empty: about 2 MB a column,
    for any number of rows.
    """

    distinct: Distinct
    sketch: QuantileSketch
    weighed: bool

    def __add__(self, other: NumberTally) -> NumberTally:
        weighed = self.weighed or other.weighed
        return NumberTally(self.distinct + other.distinct, self.sketch + other.sketch, weighed)

    def total(self) -> Numbers:
        """Exact up to 100 000 values, where rows have no weights; else as the sketch has them."""
        found = self.distinct
        if found.exact and not self.weighed:
            values = found.values()
            order = np.argsort(values)
            points = ColumnPoints(values[order], found.counts[order].astype(np.float64))
        else:
            values, counts = self.sketch.points()
            ends = found.least, found.greatest
            points = ColumnPoints(np.clip(values, *ends), counts, sketched=True, ends=ends)
        return Numbers(points, found.count, found.exact, None, Buckets.of(self.sketch))


class NumberSum:
    """The rows of one part, as they pass by; 8 bytes a bucket meanwhile, those that are empty too:
    about 5 MB a column whose numbers lie between 1e-9 and 1e9, 21 MB at most."""

    def __init__(self, most: int = MAX_HASH) -> None:
        self._seen, self._buckets, self._weighed = HashCounter(most), Buckets(), False

    def add(self, column: Array, weight: Array | None) -> None:
        """A block of rows."""
        self._seen.add(column)
        self._buckets.add(column, weight)
        self._weighed |= weight is not None

    def tally(self) -> NumberTally:
        """What was seen."""
        return NumberTally(self._seen.tally(), self._buckets.sketch(), self._weighed)


@dataclass(frozen=True)
class ValueTally:
    """Categories or text: how many rows show every value, up to 100 000 values."""

    distinct: Distinct
    total: float
    counts: Mapping[str, float] | None  # None: too many to be named

    def __add__(self, other: ValueTally) -> ValueTally:
        distinct, total = self.distinct + other.distinct, self.total + other.total
        if self.counts is None or other.counts is None:
            return ValueTally(distinct, total, None)
        return ValueTally(distinct, total, _add_counts(dict(self.counts), other.counts))

    def values(self) -> ValueColumn:
        """What was counted, in the order of the values."""
        counts = None if self.counts is None else dict(sorted(self.counts.items()))
        return ValueColumn(counts, self.total, self.distinct.count, self.distinct.exact)


class ValueSum:
    """The rows of one part, as they pass by."""

    def __init__(self, most: int = MAX_HASH) -> None:
        self._seen, self._total = HashCounter(most), 0.0
        self._counts: dict[str, float] | None = {}

    def add(self, column: Any, weight: Array | None) -> None:
        """A block of rows: codes, or Arrow strings."""
        codes = as_codes(column)
        counts = count_values(codes, weight)
        self._seen.add(codes)
        self._total += float(counts.sum())
        if self._seen.many:  # names take ten times as much memory as their hashes
            self._counts = None
        if self._counts is not None:
            named = zip(codes.values, counts.tolist(), strict=True)
            self._counts = _add_counts(
                self._counts, {value: count for value, count in named if count}
            )

    def tally(self) -> ValueTally:
        """What was seen."""
        return ValueTally(self._seen.tally(), self._total, self._counts)


def _add_counts(counts: dict[str, float], more: Mapping[str, float]) -> dict[str, float] | None:
    """The counts, and some more; of too many values none is named."""
    for value, count in more.items():
        counts[value] = counts.get(value, 0.0) + count
    return counts if len(counts) <= MAX_HASHES else None


def held_numbers(column: Array, weight: Array | None) -> Numbers:
    """Numbers in memory: every value is kept, and every row's place among them."""
    points, places = rank_numbers(column, weight)
    return Numbers(points, len(points.values), True, places)


def held_values(column: Any, weight: Array | None) -> ValueColumn:
    """Categories or text in memory: every value is kept."""
    codes = as_codes(column)
    counts = count_values(codes, weight)
    named = zip(codes.values, counts.tolist(), strict=True)
    found = dict(sorted((value, count) for value, count in named if count))
    return ValueColumn(found, float(counts.sum()), len(found), True)


def as_codes(column: Any) -> Codes:
    """Codes, or Arrow strings as codes."""
    if isinstance(column, Codes):
        return column
    found = column.dictionary_encode()
    places = found.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Codes(tuple(found.dictionary.to_pylist()), places)


def count_values(codes: Codes, weight: Array | None) -> Array:
    """(k,) the rows of every value, or their weights."""
    shown = codes.codes >= 0
    weighed = None if weight is None else weight[shown]
    found = np.bincount(codes.codes[shown], weighed, minlength=len(codes.values))
    return found.astype(np.float64)
