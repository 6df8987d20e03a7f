"""Holding: blocks one after the other become one block, under one list of values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tallylearn.sources.files.compression import container
from tallylearn.tables import Array, Block, Codes, Schema

MAX_SMALL_FILE_BYTES = 1 << 26  # bytes on disk


def fit_in_memory(paths: Iterable[Path]) -> bool:
    """Whether files may be held in memory, where more can be asked of them."""
    return sum(container(path).stat().st_size for path in paths) <= MAX_SMALL_FILE_BYTES


def join_blocks(blocks: Sequence[Block], schema: Schema) -> Block:
    """All rows in one block, each with its target, its weight and its group."""
    import pyarrow as pa

    blocks = [block for block in blocks if len(block)] or blocks[:1]  # a file may have no rows
    if len(blocks) == 1:
        return blocks[0]
    if not blocks:
        return Block(schema, np.empty((0, len(schema.numbers))))
    first = blocks[0]
    return Block(
        schema=schema,
        numbers=np.concatenate([block.numbers for block in blocks]),
        codes={
            name: join_codes([block.codes[name] for block in blocks]) for name in schema.categories
        },
        text={
            name: pa.concat_arrays([block.text[name] for block in blocks]) for name in first.text
        },
        target=_targets([block.target for block in blocks]),
        weight=_weights(blocks),
        start=first.start,
        group=None
        if first.group is None
        else join_codes([b.group for b in blocks if b.group is not None]),
    )


def join_codes(parts: Sequence[Codes]) -> Codes:
    """Codes of several blocks under one list of values: theirs if it is one, else all in order.

    >>> join_codes([Codes.of(["b"]), Codes.of(["a", "b"])]).items()
    ['b', 'a', 'b']
    """
    values = parts[0].values
    if any(part.values != values for part in parts):
        values = tuple(sorted({value for part in parts for value in part.values}))
    return Codes(values, np.concatenate([part.recode(values) for part in parts]), parts[0].declared)


def _weights(blocks: Sequence[Block]) -> Array | None:
    if all(block.weight is None for block in blocks):
        return None
    ones = (np.ones(len(b)) if b.weight is None else b.weight for b in blocks)
    return np.concatenate([*ones])


def _targets(parts: Sequence[Any]) -> Any:
    """Targets that are coded, or as they came; several one by one."""
    import pyarrow as pa

    first = parts[0]
    if first is None:
        return None
    if isinstance(first, tuple):
        return tuple(_targets(column) for column in zip(*parts, strict=True))
    if isinstance(first, Codes):
        return join_codes(parts)
    return np.concatenate(parts) if isinstance(first, np.ndarray) else pa.chunked_array(parts)
