"""Late columns: what never varied says nothing yet, and counts from the first row on that differs.

A column that is constant in the rows a model begins with is passed over. Rows that come later may
show another value of it: then the design takes it back, and its weight begins at 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tallylearn.models.design.matrix import Design
from tallylearn.tables import Array, Block


def without_constants(design: Design, block: Block) -> tuple[Design, Array]:
    """Without the numbers that are the same in every row, and what they are, in sorted order.

    To the perceptron such a column is a second w0, whose size alters every step.
    """
    x = design.filled_matrix(block)
    flat = (x == x[:1]).all(axis=0) & design.numeric
    if flat.all() or not flat.any():
        return design, np.empty(0)
    at = sorted(np.flatnonzero(flat).tolist(), key=lambda j: design.columns[j])
    constant = tuple(design.columns[j] for j in at)
    return design.select_columns(np.flatnonzero(~flat), constant), x[0, at]


def differs(block: Block, name: str, value: float) -> bool:
    """Whether a row shows another value of a column of numbers."""
    x = block.numbers[:, block.schema.places[name]]
    return bool(((x != value) & ~np.isnan(x)).any())


def numbers_of(design: Design) -> int:
    """How many columns come before the first that is no number of the table."""
    return int(design.numeric.argmin()) if not design.numeric.all() else len(design.numeric)


def restore_columns(design: Design, late: Mapping[str, float]) -> Design:
    """With columns that were passed over, behind the other numbers; their value fills gaps."""
    at = numbers_of(design)
    return replace(
        design,
        columns=(*design.columns[:at], *late, *design.columns[at:]),
        values=(*design.values[:at], *("" for _ in late), *design.values[at:]),
        fill=np.insert(design.fill, at, [*late.values()]),
        gaps=np.insert(design.gaps, at, np.zeros(len(late))),
        constant=tuple(name for name in design.constant if name not in late),
    )


def insert_zero_columns(found: Array, at: int, k: int) -> Array:
    """(n, p + k) with k columns of 0 before the one at a place."""
    return np.hstack([found[:, :at], np.zeros((len(found), k)), found[:, at:]])
