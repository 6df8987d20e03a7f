"""Digits that answers lose: where terms cancel, the rounding of weights is what is left of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from tallylearn.errors import InputError, listed
from tallylearn.models.design.matrix import Design
from tallylearn.models.glm.linear.dependent_columns import ranked
from tallylearn.models.glm.linear.least_squares import DEPENDENT, EPS, Normal
from tallylearn.tables import Array

BLURRED = 0.01  # of how far targets scatter: what answers may lose as weights become doubles
SAID = 1e-6  # and what is worth a word
SURE = 1e5  # a condition below: it is no rounding
TAME = 1e8  # a condition below: weights so small that answers lose less than that


class Sized(Protocol):
    """Columns as their lengths tell them: of a triangle, or of a model."""

    @property
    def design(self) -> Design: ...
    @property
    def mean(self) -> Array: ...
    @property
    def scale(self) -> Array: ...
    @property
    def rows(self) -> float: ...
    @property
    def whole(self) -> Array: ...


def lost(known: Sized, coef: Array, exact: bool) -> Array:
    """(t,) how far answers may be off as weights (t, p) are doubles, of how far targets scatter.

    Powers that are not counted exactly are rounded too, where they lie.
    """
    p = coef.shape[1]
    size = known.scale[:p].copy()
    at = [] if exact else [*known.design.powers]
    size[at] = np.hypot(size[at], np.sqrt(known.rows) * known.mean[at])
    off = EPS * (np.abs(coef) @ size)
    return np.asarray(np.where(known.whole > 0, off / np.sqrt(np.maximum(known.whole, 1e-300)), 0))


def check_answers(normal: Normal, coef: Array) -> None:
    """Refuse weights whose terms cancel until rounding is all that is left of the answers."""
    if normal.condition < TAME or (lost(normal, coef, True) <= BLURRED).all():
        return
    if far := far_powers(normal):
        raise InputError(
            f"powers of {listed(far)} lie so far from zero that weights, as doubles, have "
            "no digits left for the answers. Subtract a number near its mean from "
            "every such column."
        )
    p, unit = normal.p, np.sqrt(normal.whole)[:, None]
    large = EPS * np.abs(coef) * normal.scale[:p] > BLURRED / p * unit
    names = [normal.design.names[j] for j in np.flatnonzero(large.any(axis=0))]
    raise InputError(
        f"columns {listed(names)} nearly follow from each other, and weights of "
        f"{np.abs(coef).max():.1g}, as doubles, have no digits left for the answers. Leave one of "
        "them out, or take Ridge with a penalty that holds them. LinearRegression with tol=None "
        "counts columns as one that only rounding tells apart."
    )


def follows(normal: Normal, tol: float | None = None) -> bool:
    """Whether rounding alone tells a column from others, though fractions can.

    Powers are told apart by the digits that they were counted with, wherever they lie.
    """
    least = _least(normal, tol)
    return ranked(normal.columns, least)[1] < normal.p and not far_powers(normal, tol)


def told_condition(normal: Normal) -> float:
    """The condition; infinite where rounding alone tells a column from others.

    Products have lost it where it is large, and have a number of their own.
    """
    if normal.condition < SURE:
        return normal.condition
    rank = ranked(normal.columns, normal.negligible())[1]
    return normal.condition if rank == normal.varying else np.inf


def far_powers(normal: Normal, tol: float | None = None) -> list[str]:
    """The columns whose own powers follow from each other, but for rounding."""
    least, names = _least(normal, tol), normal.design.columns
    found = []
    for name in dict.fromkeys(names[j] for j in normal.design.powers):
        own = [j for j, other in enumerate(names) if other == name]
        if ranked(normal.columns[:, own], least[own])[1] < len(own):
            found.append(name)
    return found


def _least(normal: Normal, tol: float | None) -> Array:
    if not normal.design.powers:
        return normal.negligible(tol)
    return np.full(normal.p, normal.p * DEPENDENT if tol is None else tol)


def said_of_digits(known: Sized, coef: Array, exact: bool) -> Sequence[str]:
    """What is to be said where terms cancel so far that answers lose half of their digits."""
    off = float(lost(known, coef, exact).max(initial=0.0))
    if off <= SAID:
        return ()
    remedy = "Subtract a number near its mean from every column with powers"
    other = "Leave a column out, or take Ridge"
    return (
        f"The terms cancel: as doubles, weights tell answers to {off:.1g} of how far the target "
        f"scatters. {remedy if known.design.powers else other}.",
    )
