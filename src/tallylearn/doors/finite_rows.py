"""Finite rows: an infinity is an error wherever rows come in, with its column and its row."""

from __future__ import annotations

import numpy as np

from tallylearn.errors import ColumnError
from tallylearn.kernels import summing
from tallylearn.tables import Block, numbered


def check_finite(block: Block) -> None:
    """An infinity is an error at ``predict`` as it is at ``fit``."""
    found = np.zeros(4, dtype=np.int64)
    summing.survey(block.numbers.view(np.int64), found)
    if found[2] >= 0:
        at = int(found[2]), int(found[3])
        name = block.schema.numbers[at[1]]
        raise ColumnError(
            f"column {name!r} has {block.numbers[at]} in row {numbered(block.start, at[0])}. "
            "Replace it, or mark it as missing. Input X contains infinity or a value too large for "
            "dtype('float64')."
        )
