"""Batches of queries: tasks for the engine, in an order that reuses the processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tallylearn import engines
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest, concatenate

MIN_ORDERED_QUERIES = 1000  # from here on queries are sorted along a Morton curve
MIN_ORDERED_COLUMNS = 5  # below, sorting takes longer than it saves
CURVE_CELLS = 32  # along every column
CURVE_COLUMNS = 7  # 5 bits of each fit into a 64-bit key


def batches(n: int, size: int) -> Iterator[slice]:
    """n queries, so many at a time."""
    return (slice(at, min(at + size, n)) for at in range(0, n, size))


def search_in_batches(find: Callable[[slice], Nearest], n: int, size: int) -> Nearest:
    """The neighbours of n queries, some at a time."""
    return concatenate(engines.current_engine().each(find, batches(n, size)))


def search_along_curve(find: Callable[[Array], Nearest], queries: Array) -> Nearest:
    """The neighbours of queries that are asked about in the order of the curve."""
    if len(queries) < MIN_ORDERED_QUERIES or queries.shape[1] < MIN_ORDERED_COLUMNS:
        return find(queries)
    order = morton_order(queries)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return find(queries[order]).take(back)


def morton_order(queries: Array) -> Array:
    """The queries along Morton's curve, on which each is near the next.

    One that is near the one before asks the same leaves of a tree, which are in the processor's
    cache. The answers are the same in any order.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        low, high = np.quantile(queries, [0.02, 0.98], axis=0)
        cell = np.nan_to_num((queries - low) / (high - low) * CURVE_CELLS)
    cell = np.clip(cell, 0, CURVE_CELLS - 1).astype(np.int64)
    key = np.zeros(len(queries), dtype=np.int64)
    for bit in range(CURVE_CELLS.bit_length() - 2, -1, -1):
        for column in cell.T[:CURVE_COLUMNS]:
            key = (key << 1) | ((column >> bit) & 1)
    return np.argsort(key, kind="stable")
