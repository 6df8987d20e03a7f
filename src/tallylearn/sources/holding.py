"""Holding: small files are read into memory whole, where more can be asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallylearn.sources.files import Files
from tallylearn.sources.memory import Table
from tallylearn.tables import Array, Block, Codes

SMALL = 1 << 26  # bytes on disk


def small(source: Files) -> bool:
    """Whether the files may be held."""
    return sum(path.stat().st_size for path in source.paths) <= SMALL


def held(source: Files, target: Any, weight: Array | None) -> Table:
    """The rows of files as one table, with the target and the weights that were read before."""
    import pyarrow as pa

    parts = list(source.blocks())
    first = parts[0]
    block = Block(
        first.schema,
        np.concatenate([part.numbers for part in parts]),
        {name: joined([part.codes[name] for part in parts]) for name in first.codes},
        {name: pa.concat_arrays([part.text[name] for part in parts]) for name in first.text},
        start=first.start,
        group=None if first.group is None else joined([_group(part) for part in parts]),
    )
    return Table(block, target, weight, source.declared)


def joined(parts: Sequence[Codes]) -> Codes:
    """Codes of several blocks under one list of values.

    >>> joined([Codes.of(["b"]), Codes.of(["a", "b"])]).items()
    ['b', 'a', 'b']
    """
    values = tuple(sorted({value for part in parts for value in part.values}))
    return Codes(values, np.concatenate([part.among(values) for part in parts]), parts[0].declared)


def _group(part: Block) -> Codes:
    assert part.group is not None
    return part.group
