"""Codes: a tree sees every column as small integers, in order; what is missing is the last one.

A number's code is its rank among the values that occur, or the bin it falls into; a category's code
is its place in the sorted list of categories.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.kernels import binning
from tallylearn.tables import BLOCK, CATEGORY, Array, Block, Codes, Column

LARGE = 100_000  # cells: from here on threads pay
MOST_ROWS = 2**31


@dataclass(frozen=True)
class Scale:
    """What the codes of a column stand for."""

    column: Column  # of a category, with its values
    low: Array  # (v,) float64: the least number of every code; empty for a category
    high: Array  # (v,) float64: and the greatest
    width: int  # how many codes there are, before the one for what is missing

    @property
    def number(self) -> bool:
        return self.column.kind != CATEGORY


@dataclass(frozen=True)
class Coded:
    """A table as codes: for every column the list of its rows, sorted by code."""

    scales: tuple[Scale, ...]
    entries: Array  # (p, n) int64: code * 2^32 + row

    def codes(self, j: int) -> Array:
        """(n,) int32: the code of every row in a column."""
        out = np.empty(self.entries.shape[1], dtype=np.int32)
        binning.unsort(self.entries[j], out)
        return out


def coded(block: Block, bins: int | None = None) -> Coded:
    """The columns of a block, in the table's order."""
    columns, n = block.schema.columns, len(block)
    if n >= MOST_ROWS:
        raise InputError(f"a tree takes at most {MOST_ROWS:,} rows in memory. Learn from a sample.")
    entries = np.empty((len(columns), n), dtype=np.int64)
    turned = np.empty((block.numbers.shape[1], n))
    parts = [slice(a, a + BLOCK) for a in range(0, n, BLOCK)]
    engines.each(lambda rows: binning.turn(block.numbers[rows], turned[:, rows]), parts)

    def one(j: int) -> Scale:
        column = columns[j]
        if column.kind == CATEGORY:
            return of_codes(column, block.codes[column.name], entries[j])
        at = block.schema.places.get(column.name)
        return of_numbers(
            column, np.full(n, np.nan) if at is None else turned[at], bins, entries[j]
        )

    if entries.size < LARGE:
        return Coded(tuple(map(one, range(len(columns)))), entries)
    return Coded(tuple(engines.each(one, range(len(columns)))), entries)


def of_numbers(column: Column, x: Array, bins: int | None, out: Array) -> Scale:
    """Ranks of the values that occur; with bins, of at most as many groups of equal size."""
    binning.keys(x, out)
    out.sort()
    low = np.empty(len(x) + 1)
    width = binning.rank(x, out, low)
    if width < 0:  # values that differ in their last bits only, too many to sort by hand
        order = np.argsort(x, kind="stable")
        binning.rewrite(order, out)
        width = binning.rank(x, out, low)
    low = low[:width].copy()
    if bins is None or width <= bins:
        return Scale(column, low, low, width)
    least, most = np.empty(bins), np.empty(bins)
    groups = binning.group(out, bins, low, least, most)
    return Scale(column, least[:groups].copy(), most[:groups].copy(), groups)


def of_codes(column: Column, codes: Codes, out: Array) -> Scale:
    """Places in the sorted list of the categories that occur or are declared."""
    seen = np.bincount(codes.codes + 1, minlength=len(codes.values) + 1)[1:] > 0
    found = {value for value, here in zip(codes.values, seen.tolist(), strict=True) if here}
    values = tuple(sorted(found.union(codes.declared, column.values)))
    at = codes.among(values)
    at = np.where(at < 0, len(values), at).astype(np.int32)
    binning.sort(at, np.zeros(len(values) + 2, dtype=np.int64), out)
    return Scale(replace(column, values=values), np.empty(0), np.empty(0), len(values))


def filled(table: Coded, weight: Array) -> tuple[Coded, Array]:
    """The table with its gaps filled by the most common value; and that value's codes."""
    entries, fills = table.entries.copy(), np.zeros(len(table.scales), dtype=np.int64)
    for j, scale in enumerate(table.scales):
        codes = table.codes(j)
        gap = codes == scale.width
        if not gap.all():
            fills[j] = _most_common(scale, codes[~gap], weight[~gap])
            codes[gap] = fills[j]
            binning.sort(codes, np.zeros(scale.width + 2, dtype=np.int64), entries[j])
    return Coded(table.scales, entries), fills


def _most_common(scale: Scale, codes: Array, weight: Array) -> int:
    """The median of a number, the most frequent category."""
    sums = np.bincount(codes, weight, minlength=scale.width)
    if not scale.number:
        return int(sums.argmax())
    total = np.cumsum(sums)
    return int(np.searchsorted(2 * total, total[-1]))
