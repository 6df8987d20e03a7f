"""Batches: rows come in pieces of any size, and are handed on in blocks of 65 536."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tallylearn.sources.arrow_types import replaced
from tallylearn.tables import BLOCK


def regrouped(batches: Iterable[Any]) -> Iterator[Any]:
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


def compact(table: Any) -> Any:
    """One piece a column, and dictionaries without the values of the rows that were cut off."""
    import pyarrow as pa

    table = table.combine_chunks()
    coded = [at for at, kind in enumerate(table.schema.types) if pa.types.is_dictionary(kind)]
    return replaced(table, {at: _used(table.column(at).chunk(0)) for at in coded})


def _used(coded: Any) -> Any:
    import pyarrow.compute as pc

    if pc.count_distinct(coded.indices).as_py() == len(coded.dictionary):
        return coded
    return coded.dictionary_decode().dictionary_encode()
