"""Columns as bins of one byte, in tiles: what boosting reads in place of the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.models.trees.growing.coded_columns import Scale, code_columns
from tallylearn.tables import Array, Block, Column

TILE = 8  # columns: the packed histograms of a tile take 16 kB, and stay in the first-level cache


@dataclass(frozen=True)
class BinnedColumns:
    """The bins of all rows, and what they stand for.

    Attributes
    ----------
    codes : ndarray of shape (tiles, n, width), uint8
        See ``kernels.boosting.leafwise_grower``; the code after the last bin is a missing value.
    bins : ndarray of shape (p,), int32
        How many bins every column has.
    scales : tuple of Scale
        The values behind the bins. Of a category with more values than there may be bins, the
        rarest share the last bin.
    pooled : tuple of ndarray or None
        The bin of every category of such a column.
    """

    codes: Array
    bins: Array
    scales: tuple[Scale, ...]
    pooled: tuple[Array | None, ...]

    @classmethod
    def of(cls, block: Block, max_bins: int) -> BinnedColumns:
        """Bin the columns of a block: at most ``max_bins`` each, of equal weight."""
        table = code_columns(block, max_bins)
        n, p = len(block), len(table.scales)
        tiles = max(-(-p // TILE), 1)
        tiles += tiles > 1 and tiles % 2  # an even number is shared by two threads
        width = max(-(-p // tiles), 1)
        tiles = max(-(-p // width), 1)
        codes = np.zeros((tiles, n, width), np.uint8)
        bins, pooled = np.zeros(p, np.int32), []
        for j, scale in enumerate(table.scales):
            of_rows = table.grid[j] if len(table.grid) else table.codes(j)
            joined = None
            bins[j] = scale.width
            if not scale.number and scale.width > max_bins:
                joined = _pooled(of_rows, scale.width, max_bins)
                of_rows, bins[j] = joined[of_rows], max_bins
                joined = joined[:-1]
            codes[j // width, :, j % width] = of_rows
            pooled.append(joined)
        return cls(codes, bins, table.scales, tuple(pooled))

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(scale.column for scale in self.scales)

    @property
    def categorical(self) -> Array:
        """(p,) uint8: whether a column is a category."""
        return np.array([not scale.number for scale in self.scales], np.uint8)

    def threshold(self, j: int, cut: int) -> float:
        """The number between two bins; infinity after the last, which parts off missing values."""
        scale = self.scales[j]
        if cut + 1 >= int(self.bins[j]):
            return np.inf
        low, high = float(scale.high[cut]), float(scale.low[cut + 1])
        middle = low / 2 + high / 2
        return middle if low <= middle < high else low

    def values_of(self, j: int, chosen: Array) -> Array:
        """The categories of a column, by number, whose bins are chosen."""
        joined = self.pooled[j]
        at = np.arange(self.scales[j].width) if joined is None else joined
        return np.flatnonzero(chosen[at])

    def at(self, rows: Array) -> BinnedColumns:
        """The bins of some rows."""
        taken = np.ascontiguousarray(self.codes[:, rows])
        return BinnedColumns(taken, self.bins, self.scales, self.pooled)


def _pooled(codes: Array, width: int, bins: int) -> Array:
    """(width + 1,) the bin of every category and of a missing value: the rarest share the last."""
    counts = np.bincount(codes, minlength=width + 1)[:width]
    order = np.lexsort((np.arange(width), -counts))
    kept = np.sort(order[: bins - 1])
    out = np.full(width + 1, bins - 1)
    out[kept] = np.arange(len(kept))
    out[width] = bins
    return out
