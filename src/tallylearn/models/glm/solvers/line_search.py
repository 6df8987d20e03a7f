"""Backtracking line search, and when rounding error ends a search."""

from __future__ import annotations

from typing import NamedTuple

from tallylearn.models.glm.losses import NO_HESSIAN
from tallylearn.models.glm.objective import ObjectivePoint
from tallylearn.tables import Array

# Armijo's condition asks for a fraction of the descent that the slope promises. 1e-4 is the usual
# one (J. Nocedal and S. Wright, Numerical Optimization, 2006, section 3.1).
ARMIJO = 1e-4
# After 40 halvings the change of the objective is below the rounding of a double.
SHORTEST = 1e-12
# The relative rounding error of a mean loss over many rows, by the pairwise sums of its blocks.
ROUNDING = 1e-14


class Step(NamedTuple):
    """A step that lowered the objective."""

    reached: ObjectivePoint
    length: float  # as a fraction of the whole step


def backtrack(
    at: ObjectivePoint, step: Array, slope: float, *, length: float = 1.0,
    hessian: str = NO_HESSIAN, subset: Array | None = None, same_orthant: bool = False,
) -> Step | None:  # fmt: skip
    """Halve a step until the objective falls as its slope promises; None where it never does.

    Within the ``same_orthant`` a coefficient that would change its sign becomes 0.
    """
    slack = ROUNDING * max(1.0, abs(at.value))
    while True:
        coef = at.coef + length * step
        if same_orthant:
            coef = at.penalty.same_orthant(coef, at.coef, step)
        reached = at.objective.at(coef, hessian, subset)
        if reached.value <= at.value + ARMIJO * length * slope + slack:
            return Step(reached, length)
        if length < SHORTEST:
            return None
        length /= 2


def is_hidden_by_rounding(value: float, slope: float, before: float) -> bool:
    """Whether rounding error hides what a Newton step could still gain.

    Newton's method squares the error, so that every step promises far less than the one ``before``.
    A step that promises next to nothing, and yet not far less, promises rounding error.
    """
    if -slope > ROUNDING * max(1.0, abs(value)):
        return False
    return slope >= 0 or slope < 0.25 * before
