"""What a table holds: a column that differs in every row names the rows and teaches nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.sources import Source
from tallylearn.tables import BLOCK, DATE, Block, Codes

FEW = 10  # rows: of fewer, all may differ by chance
MANY = 50  # rows: from here on, some values may come twice
NEARLY = 0.95


def identifiers(source: Source) -> dict[str, str]:
    """The columns that only tell the rows apart, each with the reason.

    They are seen on the first 65 536 rows. The declared target and dates are none of them.

    >>> import tallylearn as tl
    >>> identifiers(tl.example("tennis-day"))
    {'Day': 'all of its 14 values are different'}
    """
    return telling(list(first(source)))


def telling(blocks: Sequence[Block]) -> dict[str, str]:
    """The identifiers of some blocks."""
    if not blocks:
        return {}
    schema = blocks[0].schema
    dates = {column.name for column in schema.of_kind(DATE)}
    found: dict[str, str] = {}
    for name in schema.names:
        if name in schema.categories:
            found[name] = _names_rows([block.codes[name] for block in blocks])
        elif name in schema.numbers and name not in dates:
            at = schema.places[name]
            found[name] = _counts_rows(np.concatenate([block.numbers[:, at] for block in blocks]))
    return {name: reason for name, reason in found.items() if reason}


def first(source: Source) -> Iterator[Block]:
    """Blocks until 65 536 rows are seen: one of a large file, several of small ones."""
    rows = 0
    for block in source.blocks():
        yield block[: BLOCK - rows]
        rows += len(block)
        if rows >= BLOCK:
            return


def _names_rows(parts: Sequence[Codes]) -> str:
    present = sum(int((part.codes >= 0).sum()) for part in parts)
    values: set[Any] = set()
    for part in parts:
        values.update(part.values[code] for code in np.unique(part.codes[part.codes >= 0]))
    if present >= FEW and len(values) == present:
        return f"all of its {present} values are different"
    if present >= MANY and len(values) >= NEARLY * present:
        return f"{len(values)} of its {present} values are different"
    return ""


def _counts_rows(numbers: NDArray[np.float64]) -> str:
    whole = len(numbers) >= FEW and np.isfinite(numbers).all() and float(numbers[0]).is_integer()
    if whole and (np.diff(numbers) == 1).all():
        return f"it counts up by one, from {numbers[0]:.0f}"
    return ""
