"""Codes: a tree sees every column as small integers, in order; what is missing is the last one.

A number's code is its rank among the values that occur, or the bin it falls into; a category's code
is its place in the sorted list of categories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tallylearn import engines
from tallylearn.kernels import binning
from tallylearn.tables import CATEGORY, Array, Block, Codes, Column

LARGE = 100_000  # cells: from here on threads pay


@dataclass(frozen=True)
class Coded:
    """One column: the code of every row, as a list sorted by code."""

    column: Column  # of a category, with its values
    entries: Array  # (n,) int64: code * 2^32 + row, sorted
    low: Array  # (v,) float64: the least number of every code; empty for a category
    high: Array  # (v,) float64: and the greatest
    width: int  # how many codes there are, before the one for what is missing

    def codes(self) -> Array:
        """(n,) int32: the code of every row."""
        out = np.empty(len(self.entries), dtype=np.int32)
        binning.unsort(self.entries, out)
        return out


def coded(block: Block, bins: int | None = None) -> list[Coded]:
    """The columns of a block, in the table's order."""
    turned = binning.turned(block.numbers)

    def one(column: Column) -> Coded:
        if column.kind == CATEGORY:
            return of_codes(column, block.codes[column.name])
        at = block.schema.places.get(column.name)
        number = np.full(len(block), np.nan) if at is None else turned[at]
        return of_numbers(column, number, bins)

    columns = block.schema.columns
    if len(block) * len(columns) < LARGE:
        return [one(column) for column in columns]
    return engines.each(one, columns)


def of_numbers(column: Column, x: Array, bins: int | None = None) -> Coded:
    """Ranks of the values that occur; with bins, of at most as many groups of equal size."""
    order = np.argsort(x)
    ranked = x[order]
    known = len(x) - int(np.count_nonzero(np.isnan(ranked)))
    new = np.empty(len(x), dtype=bool)
    new[:1] = False
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    new[known + 1 :] = False
    codes = np.cumsum(new)
    starts = np.concatenate([[0], np.flatnonzero(new[:known])]) if known else np.zeros(0, int)
    low = high = ranked[starts]
    if bins is not None and len(low) > bins:
        group = _groups(np.diff(np.append(starts, known)), bins)
        codes = np.append(group, bins)[codes]
        firsts = np.searchsorted(group, np.arange(group[-1] + 1))
        low, high = low[firsts], high[np.append(firsts[1:], len(group)) - 1]
        codes[known:] = len(low)
    return Coded(column, codes << 32 | order, low, high, len(low))


def _groups(sizes: Array, bins: int) -> Array:
    """The group of every value: exact quantiles of the rows, equal values together."""
    ends = np.cumsum(sizes)
    group = (ends - sizes // 2 - 1) * bins // ends[-1]
    return np.cumsum(np.diff(group, prepend=group[0]) > 0)


def of_codes(column: Column, codes: Codes) -> Coded:
    """Places in the sorted list of the categories that occur or are declared."""
    seen = np.bincount(codes.codes + 1, minlength=len(codes.values) + 1)[1:] > 0
    found = {value for value, here in zip(codes.values, seen.tolist(), strict=True) if here}
    values = tuple(sorted(found.union(codes.declared, column.values)))
    at = codes.among(values)
    at = np.where(at < 0, len(values), at).astype(np.int32)
    entries = np.empty(len(at), dtype=np.int64)
    binning.sort(at, np.zeros(len(values) + 2, dtype=np.int64), entries)
    return Coded(replace(column, values=values), entries, np.empty(0), np.empty(0), len(values))


def most_common(column: Coded, weight: Array) -> int:
    """The code that takes what is missing: the median of a number, the most frequent category."""
    codes = column.codes()
    known = codes < column.width
    sums = np.bincount(codes[known], weight[known], minlength=max(column.width, 1))
    if column.column.kind == CATEGORY:
        return int(sums.argmax())
    total = np.cumsum(sums)
    return int(np.searchsorted(total, total[-1] / 2))


def filled(columns: Sequence[Coded], weight: Array) -> tuple[list[Coded], Array]:
    """The columns with their gaps filled by the most common value; and that value's code."""
    codes = [most_common(column, weight) if column.width else 0 for column in columns]
    return [_filled(column, code) for column, code in zip(columns, codes, strict=True)], np.array(
        codes, dtype=np.int64
    )


def _filled(column: Coded, code: int) -> Coded:
    codes = column.codes()
    if not column.width or not (codes == column.width).any():
        return column
    codes[codes == column.width] = code
    entries = np.empty(len(codes), dtype=np.int64)
    binning.sort(codes, np.zeros(column.width + 2, dtype=np.int64), entries)
    return replace(column, entries=entries)
