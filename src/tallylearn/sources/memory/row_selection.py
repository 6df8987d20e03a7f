"""Picking: rows by their numbers, by a mask, by a slice, as arrays take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.errors import InputError, KindError, short_repr
from tallylearn.tables import Array, Block, DocumentTerms


def row_numbers(rows: Any, n: int) -> Any:
    """Row numbers in a form that NumPy and Arrow understand alike."""
    if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
        return row_numbers(rows[0], n)  # as scikit-learn asks
    if isinstance(rows, slice):
        start, stop, step = rows.indices(n)
        return slice(start, max(start, stop)) if step == 1 else np.arange(start, stop, step)
    if isinstance(rows, int | np.integer) and not isinstance(rows, bool):
        if not -n <= rows < n:
            raise _no_row(int(rows), n)
        return slice(int(rows) % n, int(rows) % n + 1)
    try:
        found = np.asarray(rows)
    except Exception:  # whatever an object raises that is no number
        raise KindError(
            f"rows are selected by number, not by {short_repr(rows)}. Pass whole numbers."
        ) from None
    if found.dtype.kind not in "biu" and found.size:
        raise KindError(
            f"rows are selected by number, not by {short_repr(rows)}. To select columns, "
            "use ignore= of tl.table."
        )
    if found.ndim > 1 and found.dtype.kind != "b":
        raise KindError(
            f"rows are selected by a list of numbers, not by {short_repr(rows)}. Pass a 1-d list."
        )
    _check_picked(found, n)
    return np.atleast_1d(found) if found.size else np.empty(0, dtype=np.int64)


def _check_picked(rows: Array, n: int) -> None:
    """A mask has one truth value a row; numbers are those of rows that are there."""
    if rows.dtype.kind == "b" and rows.shape != (n,):
        raise InputError(
            f"the table has {n} rows, and the mask has the shape {rows.shape}. Pass one "
            "boolean per row."
        )
    if rows.dtype.kind in "iu" and (off := (rows < -n) | (rows >= n)).any():
        raise _no_row(int(rows[off].flat[0]), n)


def _no_row(row: int, n: int) -> IndexError:
    return IndexError(
        f"the table has {n} rows, so row {row} does not exist. Choose a row from 0 to {n - 1}."
    )


def complete_rows(block: Block) -> Array:
    """The numbers of the rows that have a value in every column; some have."""
    found: Array = np.asarray(np.isnan(block.numbers).any(axis=1))
    for codes in block.codes.values():
        found |= codes.codes < 0
    for text in block.text.values():
        found |= ~text.present if isinstance(text, DocumentTerms) else np.asarray(text.is_null())
    if len(found) and found.all():
        raise InputError(
            f"all {len(found):,} rows have missing values, so gaps='drop' leaves none. "
            "Leave the columns with most missing values out with ignore=[...], or fill "
            "them with tl.SimpleImputer()."
        )
    return np.flatnonzero(~found)
