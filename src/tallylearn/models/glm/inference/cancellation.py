"""Precision that predictions lose where large terms cancel.

A prediction is a sum of coefficient times column. Coefficients are rounded to doubles, so the sum
is uncertain by about EPS Σ|coefficient| · (length of the column). Nearly collinear columns and
powers of numbers far from zero have huge coefficients of opposite sign, and rounding may be all
that is left.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tallylearn.errors import InputError, quoted_list
from tallylearn.models.glm.inference.linear_fit import FittedColumns
from tallylearn.models.glm.solvers.least_squares import (
    COLLINEAR_ROUNDING,
    EPS,
    LeastSquaresProblem,
    pivoted_rank,
)
from tallylearn.tables import Array

# Rounding of predictions relative to the target's spread above which a fit is refused.
MAX_ROUNDING_LOSS = 0.01
# And above which the summary and explanations mention it.
MIN_LOSS_NOTED = 1e-6
# A condition number below this is not an artefact of rounding in the cross-products.
RELIABLE_CONDITION = 1e5
# Below this condition number coefficients are small enough for MAX_ROUNDING_LOSS in any case.
HARMLESS_CONDITION = 1e8


def rounding_loss(known: FittedColumns, coef: Array, exact: bool) -> Array:
    """(t,) how far answers may be off as weights (t, p) are doubles, of how far targets scatter.

    Powers that are not counted exactly are rounded too, where they lie.
    """
    p = coef.shape[1]
    size = known.scale[:p].copy()
    at = [] if exact else [*known.design.powers]
    size[at] = np.hypot(size[at], np.sqrt(known.rows) * known.mean[at])
    off = EPS * (np.abs(coef) @ size)
    return np.asarray(np.where(known.whole > 0, off / np.sqrt(np.maximum(known.whole, 1e-300)), 0))


def check_cancellation(normal: LeastSquaresProblem, coef: Array) -> None:
    """Refuse weights whose terms cancel until rounding is all that is left of the answers."""
    if (
        normal.condition < HARMLESS_CONDITION
        or (rounding_loss(normal, coef, True) <= MAX_ROUNDING_LOSS).all()
    ):
        return
    if far := collinear_powers(normal):
        raise InputError(
            f"powers of {quoted_list(far)} are nearly collinear, because its values are far from "
            "0: predictions would have no correct digits. Subtract its mean from every such column."
        )
    p, unit = normal.p, np.sqrt(normal.whole)[:, None]
    large = EPS * np.abs(coef) * normal.scale[:p] > MAX_ROUNDING_LOSS / p * unit
    names = [normal.design.names[j] for j in np.flatnonzero(large.any(axis=0))]
    raise InputError(
        f"columns {quoted_list(names)} are nearly collinear: with coefficients up to "
        f"{np.abs(coef).max():.1g}, predictions would have no correct digits. Leave one of them "
        "out, or use Ridge with a penalty. LinearRegression with tol=None treats columns that "
        "differ only by rounding as collinear."
    )


def is_rank_deficient(normal: LeastSquaresProblem, tol: float | None = None) -> bool:
    """Whether rounding alone tells a column from others, though fractions can.

    Powers are told apart by the digits that they were counted with, wherever they lie.
    """
    least = _rank_tolerance(normal, tol)
    return pivoted_rank(normal.columns, least)[1] < normal.p and not collinear_powers(normal, tol)


def reliable_condition(normal: LeastSquaresProblem) -> float:
    """The condition; infinite where rounding alone tells a column from others.

    Products have lost it where it is large, and have a number of their own.
    """
    if normal.condition < RELIABLE_CONDITION:
        return normal.condition
    rank = pivoted_rank(normal.columns, normal.negligible())[1]
    return normal.condition if rank == normal.varying else np.inf


def collinear_powers(normal: LeastSquaresProblem, tol: float | None = None) -> list[str]:
    """The columns whose own powers are collinear up to rounding."""
    least, names = _rank_tolerance(normal, tol), normal.design.columns
    found = []
    for name in dict.fromkeys(names[j] for j in normal.design.powers):
        own = [j for j, other in enumerate(names) if other == name]
        if pivoted_rank(normal.columns[:, own], least[own])[1] < len(own):
            found.append(name)
    return found


def _rank_tolerance(normal: LeastSquaresProblem, tol: float | None) -> Array:
    if not normal.design.powers:
        return normal.negligible(tol)
    return np.full(normal.p, normal.p * COLLINEAR_ROUNDING if tol is None else tol)


def cancellation_notes(known: FittedColumns, coef: Array, exact: bool) -> Sequence[str]:
    """What is to be said where terms cancel so far that answers lose half of their digits."""
    off = float(rounding_loss(known, coef, exact).max(initial=0.0))
    if off <= MIN_LOSS_NOTED:
        return ()
    remedy = "Subtract a number near its mean from every column with powers"
    other = "Leave a column out, or take Ridge"
    return (
        f"The terms cancel: as doubles, weights tell answers to {off:.1g} of how far the target "
        f"scatters. {remedy if known.design.powers else other}.",
    )
