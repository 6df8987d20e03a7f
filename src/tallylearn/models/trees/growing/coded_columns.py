"""Codes: a tree sees every column as small integers, in order; what is missing is the last one.

A number's code is its rank among the values that occur, or the bin it falls into; a category's code
is its place in the sorted list of categories.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.kernels import binning
from tallylearn.tables import CATEGORY, Array, Block, Codes, Column

MIN_PARALLEL_CELLS = 100_000  # cells: from here on threads pay
SWATH = 4  # columns that are turned together
SAMPLE = 4096  # numbers that are sorted to see how the rest lies
FEW_CODES = 4096  # a column of no more is counted, one of more is sorted
MOST_ROWS = 2**31
WEIGHT_BITS = 45  # of all weights together: times 2^17, twice the most bins, they stay below 2^63
UNWEIGHTED = np.empty(0, np.int64)


@dataclass(frozen=True)
class Scale:
    """What the codes of a column stand for.

    The numbers behind ranks are not kept: of a wide table they would be as many as its cells.
    """

    column: Column  # of a category, with its values
    width: int  # how many codes there are, before the one for what is missing
    groups: Array = field(default_factory=lambda: np.empty((2, 0)))  # least and greatest of each
    x: Array = field(default_factory=lambda: np.empty(0))  # (n,) numbers whose codes are ranks

    @cached_property
    def low(self) -> Array:
        """(v,) float64: the least number of every code; empty for a category."""
        return np.unique(self.x[~np.isnan(self.x)]) + 0.0 if len(self.x) else self.groups[0]

    @property
    def high(self) -> Array:
        """(v,) float64: and the greatest."""
        return self.low if len(self.x) else self.groups[1]

    @property
    def number(self) -> bool:
        return self.column.kind != CATEGORY

    @property
    def n_categories(self) -> int:
        """How many values a category has."""
        return 0 if self.number else self.width


@dataclass(frozen=True)
class CodedColumns:
    """A table as codes: for every column the list of its rows, sorted by code; or a grid."""

    scales: tuple[Scale, ...]
    lists: Array  # (p, n) int64: code * 2^32 + row; without columns where there is a grid
    grid: Array  # (p, n) uint16: the codes; without columns where there are lists

    @classmethod
    def empty(cls, p: int, n: int, few: bool) -> CodedColumns:
        """Room for the codes of p columns and n rows."""
        lists, grid = (0, p) if few else (p, 0)
        return cls((), np.empty((lists, n), np.int64), np.empty((grid, n), np.uint16))

    @property
    def shape(self) -> tuple[int, int]:
        """Columns and rows."""
        return len(self.scales), self.lists.shape[1]

    @property
    def entries(self) -> Array:
        """(p, n) int64: the lists of all columns, made where there is a grid."""
        if not len(self.grid):
            return self.lists
        out = np.empty(self.shape, dtype=np.int64)
        for j, scale in enumerate(self.scales):
            binning.sort(self.codes(j), np.zeros(scale.width + 2, dtype=np.int64), out[j])
        return out

    def codes(self, j: int) -> Array:
        """(n,) int32: the code of every row in a column."""
        if len(self.grid):
            return np.asarray(self.grid[j], dtype=np.int32)
        out = np.empty(self.lists.shape[1], dtype=np.int32)
        binning.unsort(self.lists[j], out)
        return out

    def values(self, j: int, codes: Array, bits: int) -> Array:
        """The numbers behind some ranks of a column; entries have so many bits for their rows."""
        width = self.scales[j].width
        wanted, found = np.zeros(width, np.uint8), np.zeros(width)
        wanted[codes] = 1
        binning.values(self.lists[j], (1 << bits) - 1, self.scales[j].x, wanted, found)
        return np.asarray(found[codes] + 0.0)

    def with_codes(self, j: int, codes: Array) -> None:
        """Put other codes in the place of a column's."""
        if len(self.grid):
            self.grid[j] = codes
        else:
            starts = np.zeros(self.scales[j].width + 2, dtype=np.int64)
            binning.sort(codes, starts, self.lists[j])


def code_columns(block: Block, bins: int | None = None) -> CodedColumns:
    """The columns of a block, in the table's order; with bins, as a grid if all codes are few."""
    columns, n = block.schema.columns, len(block)
    if n >= MOST_ROWS:
        raise InputError(
            f"the table has more than {MOST_ROWS:,} rows, the limit of a tree in memory. Fit to a "
            "sample: tl.sample(table, n=...)."
        )
    few = bins is not None and all(_has_few_values(column, block, bins) for column in columns)
    made = CodedColumns.empty(len(columns), n, few)
    weights = UNWEIGHTED if bins is None or block.weight is None else _whole_weights(block.weight)

    def one(j: int, x: Array) -> Scale:
        column, out = columns[j], made.grid[j] if few else made.lists[j]
        if column.kind == CATEGORY:
            return of_codes(column, block.codes[column.name], out)
        if few and bins and len(weights):
            return _of_weighted_groups(column, x, bins, out, weights)
        if few and bins:
            return of_groups(column, x, bins, out)
        made_of = of_numbers(column, x, bins, out, weights)
        at = block.schema.places.get(column.name)
        if at is None or not len(made_of.x):
            return made_of
        return replace(made_of, x=block.numbers[:, at])  # the copy is dropped

    def some(swath: range) -> list[Scale]:
        return [one(j, x) for j, x in zip(swath, contiguous_columns(block, swath), strict=True)]

    swaths = [range(a, min(a + SWATH, len(columns))) for a in range(0, len(columns), SWATH)]
    each = engines.map_threads if len(columns) * n >= MIN_PARALLEL_CELLS else map
    return replace(made, scales=tuple(itertools.chain.from_iterable(each(some, swaths))))


def numbers_of(scales: Sequence[Scale]) -> dict[str, Array]:
    """The numbers behind all codes, for who draws cuts between them."""
    low, high = [scale.low for scale in scales], [scale.high for scale in scales]
    starts = np.cumsum([0, *map(len, low)])
    return {"starts": starts, "low": np.concatenate(low), "high": np.concatenate(high)}


def contiguous_columns(block: Block, swath: range) -> list[Array]:
    """Some columns as contiguous numbers; gaps for those that have none."""
    at = [block.schema.places.get(block.schema.columns[j].name) for j in swath]
    known = [place for place in at if place is not None]
    first, last = (min(known), max(known) + 1) if known else (0, 0)
    out = np.empty((last - first, len(block)))
    binning.turn(block.numbers[:, first:last], out)
    return [np.full(len(block), np.nan) if place is None else out[place - first] for place in at]


def _has_few_values(column: Column, block: Block, bins: int) -> bool:
    if column.kind != CATEGORY:
        return bins < FEW_CODES
    codes = block.codes[column.name]
    return len(codes.values) + len(codes.declared) + len(column.values) < FEW_CODES


def of_groups(column: Column, x: Array, bins: int, out: Array) -> Scale:
    """Groups of equal size, and the group of every row.

    Of many numbers only those are sorted that share a bucket with the end of a group. The buckets
    come from a sample: whatever it is, the groups are the same.
    """
    sample = x[:: max(len(x) // SAMPLE, 1)]
    splitters = np.unique(sample[~np.isnan(sample)] + 0.0)[: 2**15]
    few = len(x) < 2 * SAMPLE or len(splitters) <= 4 * bins
    low, high = (_by_sorting if few else _by_buckets)(x, splitters, bins, out)
    return Scale(column, len(low), np.stack([low, high]))


def _by_sorting(x: Array, _: Array, bins: int, out: Array) -> tuple[Array, Array]:
    ranked = np.sort(x + 0.0)  # one zero, whichever comes first
    ranked = ranked[: len(x) - int(np.isnan(x).sum())]
    low, high = np.empty(bins), np.empty(bins)
    width = binning.runs(ranked, low)
    if width > bins:
        width = binning.quantiles(ranked, bins, low, high)
    else:
        high = low
    low, high = low[:width].copy(), high[:width].copy()
    binning.classify(x, low, out)
    return low, high


def _by_buckets(x: Array, splitters: Array, bins: int, out: Array) -> tuple[Array, Array]:
    m = len(splitters)
    counts, ends = np.zeros(m + 1, np.int64), np.full((2, m + 1), np.inf)
    ends[1] = -np.inf
    binning.spread(x, splitters, np.zeros(2 * SAMPLE + 1, np.int64), out, counts, ends)
    known = int(counts[:m].sum())
    last = np.cumsum(counts[:m])
    groups = np.stack([2 * (last - counts[:m]) + 1, 2 * last - 1]) * bins // (2 * known)
    wanted = np.append((groups[0] != groups[1]) & (counts[:m] > 1), False)
    picked = np.empty(int(counts[wanted].sum()))
    binning.pick(x, out, wanted.view(np.uint8), picked)
    picked.sort()
    found, first = np.empty((2, bins)), np.empty(m, np.int64)
    width = binning.quantiles_of(
        ends + 0.0, counts[:m], wanted.view(np.uint8), picked + 0.0, bins, found, first
    )
    low, high = found[0, :width].copy(), found[1, :width].copy()
    binning.regroup(x, low, first, out)
    return low, high


def _of_weighted_groups(column: Column, x: Array, bins: int, out: Array, weights: Array) -> Scale:
    """Groups of equal weight, and the group of every row."""
    entries, codes = np.empty(len(x), np.int64), np.empty(len(x), np.int32)
    found = of_numbers(column, x, bins, entries, weights)
    binning.unsort(entries, codes)
    out[:] = codes
    return Scale(column, found.width, np.stack([found.low, found.high]))


def _whole_weights(weight: Array) -> Array:
    """(n,) int64: weights in units so small that no edge between groups is moved.

    Whole numbers stay as they are; others are rounded to 2^-45 of their sum.
    """
    top = float(weight.max())
    if (weight == np.floor(weight)).all() and top * len(weight) < 2.0**WEIGHT_BITS:
        return weight.astype(np.int64)
    power = WEIGHT_BITS - 1 - len(weight).bit_length()
    return np.rint(np.ldexp(weight / top, power)).astype(np.int64)


def of_numbers(
    column: Column, x: Array, bins: int | None, out: Array, weights: Array = UNWEIGHTED
) -> Scale:
    """Ranks of the values that occur; with bins, of at most as many groups of equal weight."""
    binning.keys(x, out)
    out.sort()
    low = np.empty(len(x) + 1)
    width = binning.rank(x, out, low)
    if width < 0:  # values that differ in their last bits only, too many to sort by hand
        order = np.argsort(x, kind="stable")
        binning.rewrite(order, out)
        width = binning.rank(x, out, low)
    if bins is None or width <= bins:
        return Scale(column, width, x=x)
    ends = np.empty((2, bins))
    groups = binning.group(out, bins, weights, low[:width], ends[0], ends[1])
    return Scale(column, groups, ends[:, :groups] + 0.0)


def of_codes(column: Column, codes: Codes, out: Array) -> Scale:
    """Places in the sorted list of the categories that occur or are declared."""
    seen = np.bincount(codes.codes + 1, minlength=len(codes.values) + 1)[1:] > 0
    found = {value for value, here in zip(codes.values, seen.tolist(), strict=True) if here}
    values = tuple(sorted(found.union(codes.declared, column.values)))
    at = codes.recode(values)
    at = np.where(at < 0, len(values), at).astype(np.int32)
    if out.dtype == np.uint16:
        out[:] = at
    else:
        binning.sort(at, np.zeros(len(values) + 2, dtype=np.int64), out)
    return Scale(replace(column, values=values), len(values))
