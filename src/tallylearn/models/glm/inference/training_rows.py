"""Whether rows are the training rows of a model, judged by its sufficient statistics.

Least squares depends on its rows only through their number and the cross-products of columns and
target. Rows with the same number and the same cross-products give the same coefficients and
standard errors; other rows are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.kept_rows import keeps_rows
from tallylearn.models.glm.inference.cancellation import MIN_LOSS_NOTED, rounding_loss
from tallylearn.models.glm.inference.linear_fit import LinearFit
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Block
from tallylearn.tallies.weight_kinds import InRows

# Relative to sums of squares: rounding, including sample weights that were rounded to 32 bits.
SUMS_TOLERANCE = 1e-9
# Relative to a mean: how far rows lie from it whose missing values were filled by it.
MEAN_ROUNDING = 1e-15
# Relative to residual sums of squares: all that can be compared where large terms cancel.
LOOSE_TOLERANCE = 0.01
# Roundings of each term of a prediction: coefficient, value, product and sum.
ROUNDINGS_PER_TERM = 4


NumberedBlock = tuple[Block, Array]  # rows, and their numbers in the table


def input_to_keep(keep_rows: Any, read: FitInput) -> FitInput | None:
    """The input of ``fit`` if its rows are kept: small tables, and files, which are read again.

    Parameters
    ----------
    keep_rows : bool or "auto"
        The option of the estimator.
    read : FitInput
        The training rows as they are read. A view of a larger array is copied, so that the larger
        array is not kept.

    Returns
    -------
    FitInput or None
    """
    source, size = read.source, read.source.size
    if size is None:
        return read if keep_rows else None
    if not keeps_rows(keep_rows, size, len(read.schema.columns)):
        return None
    block = read.coded_table.whole()
    arrays = (block.numbers, block.target, block.weight)
    if any(isinstance(one, np.ndarray) and _is_part_of_larger(one) for one in arrays):
        return replace(read, source=source.take_rows(np.arange(size)))
    return read


def _is_part_of_larger(array: Array) -> bool:
    """Whether an array is a view that keeps more than twice its own memory alive."""
    base = array.base
    return base is not None and getattr(base, "nbytes", np.inf) > 2 * array.nbytes


def with_training_weights(rows: Iterable[NumberedBlock], kind: str) -> list[NumberedBlock]:
    """Rows with the weights that were solved: those that are no frequencies sum to the rows."""
    held = [*rows]
    if any(block.weight is None for block, _ in held):
        return held
    count = InRows.of((block.weight for block, _ in held if block.weight is not None), kind)
    return [(count(block), row) for block, row in held]


def difference_from_training(model: LinearFit, rows: Sequence[NumberedBlock], t: int = 0) -> str:
    """What tells rows from those that were learned from; nothing where they are the same."""
    p = len(model.design.columns)
    n, sums, products, residuals = 0.0, np.zeros(p + 1), np.zeros((p + 1, p + 1)), 0.0
    beyond = model.level[1, t] + model.coef[t] @ model.low  # of the target's mean, its last digits
    with one_thread():
        for block, _ in rows:
            weight = np.ones(len(block)) if block.weight is None else block.weight
            target = block.target[t] if isinstance(block.target, tuple) else block.target
            x = np.concatenate([model.centred_rows(part) for part in model.design.pieces(block)])
            y = target - model.level[0, t] - beyond if model.centred else target
            both = np.column_stack([(x - model.low) / model.scale, y])
            n, sums = n + float(weight.sum()), sums + weight @ both
            products += (both * weight[:, None]).T @ both
            residuals += float(weight @ model.residuals(block, target, t) ** 2)
    if abs(n - model.rows) > SUMS_TOLERANCE * model.rows:
        return f"here are {describe_rows(n)}"
    return _other_column(model, sums, products, t) or _other_target(model, residuals, t)


def describe_rows(rows: float) -> str:
    """A number of rows, or their weight."""
    many = f"{rows:,.0f} row{'s' if rows != 1 else ''}"
    return many if rows.is_integer() else f"rows of weight {rows:,.6g}"


def _other_column(model: LinearFit, sums: Array, products: Array, t: int) -> str:
    """Which column, or the target, has other sums around its mean, or other squares."""
    names = [*(f"column {name!r}" for name in model.design.names), "the target"]
    then = np.append((model.root**2).sum(axis=0), model.whole[t])
    each = np.sqrt(then / max(model.rows, 1.0))  # as far from the mean as a row is
    near = np.full(len(then), SUMS_TOLERANCE)
    near[:-1] += MEAN_ROUNDING * np.abs(model.mean) / np.maximum(each[:-1] * model.scale, 1e-300)
    off = np.abs(np.diag(products) - then)
    off = np.maximum(off, np.abs(sums) * each) if model.centred else off
    if (odd := off > near * then).any():
        return f"{names[int(np.argmax(odd))]} has other values here"
    inside = np.abs(products[:-1, :-1] - model.root.T @ model.root)
    most = np.sqrt(np.outer(then[:-1], then[:-1])) * np.maximum.outer(near[:-1], near[:-1])
    odd = (inside > most).any(axis=0)
    return f"{names[int(np.argmax(odd))]} has its values in other rows" if odd.any() else ""


def _other_target(model: LinearFit, left: float, t: int) -> str:
    """Whether the target lies otherwise to the columns, as far as its residuals have digits."""
    then, whole = float(model.rest[t]), float(model.whole[t])
    lengths = np.sqrt((model.root**2).sum(axis=0)) * model.scale
    size = np.sqrt(whole) + float(np.abs(model.coef[t]) @ lengths)
    most = min(
        SUMS_TOLERANCE * size**2, LOOSE_TOLERANCE * max(left, then) + SUMS_TOLERANCE * whole
    ) + _rounding_of_squares(model, t)
    return "the target has its values in other rows" if abs(left - then) > most else ""


def _rounding_of_squares(model: LinearFit, t: int) -> float:
    """Of squared residuals, what weights that cancel may have lost as doubles."""
    then, unit = float(model.rest[t]), np.sqrt(float(model.whole[t]))
    off = ROUNDINGS_PER_TERM * float(rounding_loss(model, model.coef, model.exact)[t]) * unit
    return (
        float((2 * np.sqrt(then) + off) * off)
        if off > ROUNDINGS_PER_TERM * MIN_LOSS_NOTED * unit
        else 0.0
    )
