"""Errors for infinite numbers, with their column and row."""

from __future__ import annotations

import numpy as np

from tallylearn.errors import ColumnError
from tallylearn.kernels import exact_sums
from tallylearn.tables import Array, Block, row_number


def check_finite(block: Block) -> None:
    """Raise a ColumnError for the first infinity of a block."""
    found = np.zeros(4, dtype=np.int64)
    exact_sums.survey(block.numbers.view(np.int64), found)
    if found[2] >= 0:
        at = int(found[2]), int(found[3])
        name = block.schema.numbers[at[1]]
        raise ColumnError(
            f"column {name!r} has {block.numbers[at]} in row {row_number(block.start, at[0])}. "
            "Replace it, or mark it as missing. Input X contains infinity or a value too large for "
            "dtype('float64')."
        )


def beyond_a_double(block: Block, rows: Array, what: str) -> ColumnError:
    """The error for rows (n,) whose ``what`` is larger than a double can hold."""
    at = int(np.argmax(rows))
    sizes = np.abs(np.nan_to_num(block.numbers[at]))
    cell = ""
    if len(sizes):
        j = int(sizes.argmax())
        cell = f": column {block.schema.numbers[j]!r} is {block.numbers[at, j]:g}"
    return ColumnError(
        f"row {row_number(block.start, at)}: the {what} is too large for a double{cell}. "
        "Correct the value, or rescale the columns and fit again."
    )


def check_representable(found: Array, block: Block, what: str = "prediction") -> Array:
    """Results for the rows, (n,) or (n, k), if all are finite; a ColumnError otherwise."""
    if not np.isfinite(found).all():
        bad = ~np.isfinite(found).reshape(len(block), -1).all(axis=1)
        raise beyond_a_double(block, np.asarray(bad), what)
    return found


def check_scaled(numbers: Array, block: Block) -> None:
    """Raise a ColumnError if scaling a block's rows gave an infinity in numbers (n, p)."""
    infinite = np.isinf(numbers)
    if infinite.any():
        check_finite(block)
        raise beyond_a_double(block, np.asarray(infinite.any(axis=1)), "scaled value")
