"""Gaps: where a column says nothing of a row, and rows that are refused or left out for one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from tallylearn.errors import ColumnError
from tallylearn.tables import Array, Block, places, row_number
from tallylearn.tallies.documents import present


def select_learnable(block: Block, missing: str) -> Block:
    """The rows to learn from: with "refuse" a gap is an error, with "drop" its row is left out."""
    if missing not in ("refuse", "drop") or not (gaps := find_missing(block)):
        return block
    if missing == "refuse":
        check_complete(block, gaps)
    rows = np.flatnonzero(~np.logical_or.reduce([*gaps.values()]))
    return replace(block[rows], start=places(block.start, rows))


def find_missing(block: Block) -> dict[str, Array]:
    """The columns of a block that have gaps, and (n,) where."""
    sure = bool(np.isfinite(block.numbers).all())
    names = [*block.codes, *block.text, *(() if sure else block.schema.numbers)]
    found = {name: missing_in(block, name) for name in names}
    return {name: where for name, where in found.items() if where.any()}


def missing_in(block: Block, name: str) -> Array:
    """(n,) where a column is missing."""
    if name in block.text:
        return ~present(block.text[name])
    if name in block.codes:
        return np.asarray(block.codes[name].codes < 0)
    return np.isnan(block.numbers[:, block.schema.places[name]])


def check_complete(block: Block, names: Collection[str]) -> None:
    """Refuse a gap in one of these columns, with its row."""
    for name in (name for name in block.schema.names if name in names):
        if len(rows := np.flatnonzero(missing_in(block, name))):
            raise ColumnError(
                f"column {name!r} is missing in row {row_number(block.start, int(rows[0]))}, and "
                "the model does not fill missing values. Fill it in or use missing='indicator', or "
                "drop such rows with tl.table(..., gaps='drop'). Input X contains NaN."
            )
