"""Batches: rows come in pieces of any size, and are handed on in blocks of 65 536."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from tallylearn.runtime.worker_pool import WorkerPool
from tallylearn.sources.arrow.buffers import NOWHERE, numpy_of, row_indices
from tallylearn.sources.arrow.types import replace_columns
from tallylearn.tables import BLOCK

GLANCE = 4096  # rows, in which most columns have all of their values


def regroup(batches: Iterable[Any]) -> Generator[Any, None, None]:
    """Tables of 65 536 rows, the last one shorter, each column in one piece."""
    import pyarrow as pa

    held: list[Any] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += len(batch)
        while rows >= BLOCK:
            table = pa.Table.from_batches(held)
            yield compact(table.slice(0, BLOCK))
            held, rows = table.slice(BLOCK).to_batches(), rows - BLOCK
    if rows:
        yield compact(pa.Table.from_batches(held))


def read_ahead(tables: Generator[Any, None, None]) -> Iterator[Any]:
    """Tables; from the second on, the next is read on a thread while somebody works on one."""
    try:
        with WorkerPool(1, name="reading") as pool:
            yield from islice(tables, 1)  # the first table alone does not wait for the second
            coming = pool.submit(next, tables, None)
            while (table := pool.result(coming)) is not None:
                coming = pool.submit(next, tables, None)
                yield table
    finally:
        tables.close()


def compact(table: Any) -> Any:
    """One piece a column, and dictionaries without the values of the rows that were cut off."""
    import pyarrow as pa

    table = table.combine_chunks()
    coded = [at for at, kind in enumerate(table.schema.types) if pa.types.is_dictionary(kind)]
    return replace_columns(table, {at: _drop_unused(table.column(at).chunk(0)) for at in coded})


def _drop_unused(coded: Any) -> Any:
    """The same strings, and no others in the dictionary."""
    import pyarrow as pa

    seen = np.zeros(len(coded.dictionary) + 1, dtype=bool)  # the last stands for what is missing
    at = numpy_of(coded.indices, NOWHERE)
    for rows in (at[:GLANCE], at[GLANCE:]):
        seen[rows] = True
        if seen[:-1].all():
            return coded
    kept = coded.dictionary.take(row_indices(np.flatnonzero(seen[:-1])))
    at = row_indices(np.cumsum(seen[:-1]) - 1).cast(coded.type.index_type)
    return pa.DictionaryArray.from_arrays(at.take(coded.indices), kept)
