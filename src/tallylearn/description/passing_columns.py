"""What is summed of a column while its rows pass by, the same in any order and on any threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from tallylearn.description.column_points import Points, ranked
from tallylearn.tables import Array, Codes
from tallylearn.tallies.distinct import KEPT, Seen
from tallylearn.tallies.quantile_sketch import Buckets, middles


@dataclass(frozen=True)
class Numbers:
    """A column of numbers or dates, summed."""

    points: Points
    distinct: int
    known: bool  # whether their number is exact
    places: Array | None = None  # (n,) of every row among the points, where the rows are held
    buckets: Buckets | None = None  # where they are not

    def ordered(self) -> Points:
        """What ``places_in`` numbers: all points, or all buckets, those that are empty too."""
        if self.buckets is None:
            return self.points
        return Points(middles(self.buckets.keys()), self.buckets.cells, sketched=True)

    def places_in(self, column: Array, start: int) -> Array:
        """(n,) the place of every row among the points, or the buckets; missing: the last."""
        if self.places is not None:
            return self.places[start : start + len(column)]
        assert self.buckets is not None
        return self.buckets.place(column)

    def bins(self) -> Array:
        """(places,) which bin of about equally many rows every place is in."""
        points = self.ordered()
        some = np.flatnonzero(points.counts)
        out = np.zeros(len(points.counts), dtype=np.int64)
        out[some] = Points(points.values[some], points.counts[some]).bins()
        return out

    @property
    def binned(self) -> bool:
        """Whether values that differ may have one place."""
        if self.buckets is None:
            return False
        return not self.known or int(np.count_nonzero(self.buckets.cells)) < self.distinct


@dataclass(frozen=True)
class Values:
    """A column of categories or text, summed."""

    counts: Mapping[str, float] | None  # by value, in their order; None: too many to be named
    total: float
    distinct: int
    known: bool


class NumberSum:
    """Numbers or dates: their different values, and their counts in the buckets of a sketch.

    16 bytes a value up to 100 000 values, and 8 a bucket: about 5 MB a column where all numbers
    lie between 1e-9 and 1e9, for any number of rows; 21 MB if they reach from 1e-308 to 1e308.
    """

    def __init__(self) -> None:
        self._lock, self._seen = Lock(), Seen()
        self._buckets = Buckets()
        self._weighed = False

    def add(self, column: Array, weight: Array | None) -> None:
        """A block of rows."""
        with self._lock:
            self._seen.add(column)
            self._buckets.add(column, weight)
            self._weighed |= weight is not None

    def total(self) -> Numbers:
        """Exact up to 100 000 values, where rows have no weights; else as the sketch has them."""
        found = self._seen.tally()
        if found.exact and not self._weighed:
            values = found.values()
            order = np.argsort(values)
            points = Points(values[order], found.counts[order].astype(np.float64))
        else:
            values, counts = self._buckets.sketch().points()
            ends = found.least, found.greatest
            points = Points(np.clip(values, *ends), counts, sketched=True, ends=ends)
        return Numbers(points, found.count, found.exact, None, self._buckets)


class ValueSum:
    """Categories or text: how many rows show every value, up to 100 000 values."""

    def __init__(self) -> None:
        self._lock, self._seen = Lock(), Seen()
        self._counts: dict[str, float] = {}
        self._total, self._full = 0.0, False

    def add(self, column: Any, weight: Array | None) -> None:
        """A block of rows: codes, or Arrow strings."""
        codes = coded(column)
        counts = counted(codes, weight)
        with self._lock:
            self._seen.add(codes)
            self._total += float(counts.sum())
            if self._full:
                return
            for value, count in zip(codes.values, counts.tolist(), strict=True):
                if count:
                    self._counts[value] = self._counts.get(value, 0.0) + count
            if len(self._counts) > KEPT:  # what is more is counted, and not named
                self._full, self._counts = True, {}

    def total(self) -> Values:
        found = self._seen.tally()
        counts = None if self._full else dict(sorted(self._counts.items()))
        return Values(counts, self._total, found.count, found.exact)


def held_numbers(column: Array, weight: Array | None) -> Numbers:
    """Numbers in memory: every value is kept, and every row's place among them."""
    points, places = ranked(column, weight)
    return Numbers(points, len(points.values), True, places)


def held_values(column: Any, weight: Array | None) -> Values:
    """Categories or text in memory: every value is kept."""
    codes = coded(column)
    counts = counted(codes, weight)
    named = zip(codes.values, counts.tolist(), strict=True)
    found = dict(sorted((value, count) for value, count in named if count))
    return Values(found, float(counts.sum()), len(found), True)


def coded(column: Any) -> Codes:
    """Codes, or Arrow strings as codes."""
    if isinstance(column, Codes):
        return column
    found = column.dictionary_encode()
    places = found.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Codes(tuple(found.dictionary.to_pylist()), places)


def counted(codes: Codes, weight: Array | None) -> Array:
    """(k,) the rows of every value, or their weights."""
    shown = codes.codes >= 0
    weighed = None if weight is None else weight[shown]
    found = np.bincount(codes.codes[shown], weighed, minlength=len(codes.values))
    return found.astype(np.float64)
