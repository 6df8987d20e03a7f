"""Parts of the queries: some at a time, on the threads of the engine, in an order that is quick."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tallylearn import engines
from tallylearn.tables import Array
from tallylearn.tallies.nearest import Nearest, joined

MANY = 1000  # queries: from here on they are asked about one after the other that is near it
WIDE = 5  # columns: below, finding the order takes longer than it saves
FINE = 32  # cells of the curve along every column
ALONG = 7  # columns of the curve


def runs(n: int, size: int) -> Iterator[slice]:
    """n queries, so many at a time."""
    return (slice(at, min(at + size, n)) for at in range(0, n, size))


def in_parts(find: Callable[[slice], Nearest], n: int, size: int) -> Nearest:
    """The neighbours of n queries, some at a time."""
    return joined(engines.current_engine().each(find, runs(n, size)))


def along_curve(find: Callable[[Array], Nearest], queries: Array) -> Nearest:
    """The neighbours of queries that are asked about in the order of the curve."""
    if len(queries) < MANY or queries.shape[1] < WIDE:
        return find(queries)
    order = curve(queries)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return find(queries[order]).taken(back)


def curve(queries: Array) -> Array:
    """The queries along Morton's curve, on which each is near the next.

    One that is near the one before asks the same leaves of a tree, which are in the processor's
    cache. The answers are the same in any order.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        low, high = np.quantile(queries, [0.02, 0.98], axis=0)
        cell = np.nan_to_num((queries - low) / (high - low) * FINE)
    cell = np.clip(cell, 0, FINE - 1).astype(np.int64)
    key = np.zeros(len(queries), dtype=np.int64)
    for bit in range(FINE.bit_length() - 2, -1, -1):
        for column in cell.T[:ALONG]:
            key = (key << 1) | ((column >> bit) & 1)
    return np.argsort(key, kind="stable")
