"""Separation: where a hyperplane separates the classes, no maximum-likelihood estimate exists.

Along the direction that separates, longer coefficients make every row more likely, without end. A
direction that puts every row on the side of its class, or some of them on the boundary
(quasi-complete separation), proves it. It is searched for where a coefficient has a large variance:
a leap far along the Newton step shows whether the likelihood keeps rising, and where all rows that
the step moves are certain already, the rows are classified along the directions that are left
without curvature.

References
----------
A. Albert and J. Anderson, On the existence of maximum likelihood estimates in logistic regression
models, Biometrika, 1984.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tallylearn.errors import ColumnError, InputError, quoted_list
from tallylearn.models.glm.losses import FULL, LogisticLoss, Standardisation
from tallylearn.models.glm.objective import Objective, ObjectivePoint, Solution, Trace
from tallylearn.models.glm.solvers.hessians import (
    COLLINEAR,
    invert,
    null_space,
    scale_to_unit_diagonal,
    solve,
    variance_inflation,
)
from tallylearn.models.glm.solvers.line_search import ROUNDING
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array

PERFECT = "perfectly"
QUASI_COMPLETE = "quasi-completely (some rows lie on the boundary)"
# A score nearer to 0, of a direction of length 1, lies on the boundary: the rounding of a score is
# about 1e-16 times the columns' largest standardised values, of up to 1e6
ON_BOUNDARY = 1e-9
SLIGHT = 1e-4  # of the largest coefficient of a direction: rounding error leaves as much
# Steps at a time. Along a direction that separates, doubts fall by e with every Newton step: e⁻⁶⁴
# is less than the rounding of a double, so that one leap shows what 64 steps would
LEAP = 64.0
MAX_LEAPS = 4  # each multiplies coefficients; after four, scores are beyond e⁻²⁵⁶ in doubt
# Variances, in that of the intercept of the null model
DOUBTFUL = 100.0  # from here on a coefficient may have no finite estimate
UNBOUNDED = 1 / COLLINEAR  # from here on the rows do not hold it at all
MAX_STEP_AT_ESTIMATE = 1e-5  # a last step that is shorter ends at a finite estimate
MUCH_SMALLER = 1e-6  # of the tolerance: a step that promises less changes nothing
FIRST_LEAP, BETWEEN_LEAPS = 8, 4  # steps; Newton's method usually converges in fewer than 8
HARDLY_LESS = 0.1  # of the slope before: quadratic convergence promises far less
MAX_SEPARATING = 5  # columns that a message names
MAX_SINGLE = 8  # directions of single coefficients that are tried


class RankCheck:
    """Whether a maximum-likelihood estimate is unique: columns are not collinear.

    Parameters
    ----------
    objective : without a penalty.
    tol : of the solver: the least descent that a step has to promise.
    check_rank : whether the Hessian at the first point is searched for collinear columns.
    """

    def __init__(self, objective: Objective, tol: float, check_rank: bool = True) -> None:
        self.objective, self.tol, self.check_rank = objective, tol, check_rank

    def check_start(self, at: ObjectivePoint) -> None:
        """Raise where the Hessian at the first point shows that columns are collinear."""
        if self.check_rank and (null := null_space(at.hessian)).size:
            raise collinear(null, self.objective)

    def check(self, at: ObjectivePoint) -> None:
        """Nothing is to be seen at a point on the way."""

    def leap(
        self, at: ObjectivePoint, step: Array, n_steps: int, trace: Trace
    ) -> ObjectivePoint | None:
        """No point is far away."""
        return None

    def confirm(
        self, at: ObjectivePoint, step: Array, found: Solution, n_steps: int
    ) -> Solution | ObjectivePoint | None:
        """The solution."""
        return found


class SeparationCheck(RankCheck):
    """Whether the maximum-likelihood estimate of classes exists and is unique."""

    def __init__(self, objective: Objective, tol: float, check_rank: bool = True) -> None:
        super().__init__(objective, tol, check_rank)
        self.n_leaps = 0
        self.leapt: list[Array] = []  # the step of the last leap

    def check(self, at: ObjectivePoint) -> None:
        """Raise where the coefficients at a point put every row on the side of its class."""
        if at.margin > 0:
            raise separation_error(at.coef, self.objective, PERFECT)

    def leap(
        self, at: ObjectivePoint, step: Array, n_steps: int, trace: Trace
    ) -> ObjectivePoint | None:
        """A point far along a step, where steps hardly become shorter and the objective falls."""
        due = n_steps >= FIRST_LEAP and n_steps % BETWEEN_LEAPS == 0
        if not due or trace[-1][1] >= HARDLY_LESS * trace[-2][1]:
            return None
        return self._leap(at, step)

    def _leap(self, at: ObjectivePoint, step: Array) -> ObjectivePoint | None:
        far = self.objective.at(at.coef + LEAP * step, FULL)
        self.check(far)
        if far.value > at.value + ROUNDING * max(1.0, abs(at.value)):
            return None
        self.n_leaps, self.leapt = self.n_leaps + 1, [step]
        return far

    def confirm(
        self, at: ObjectivePoint, step: Array, found: Solution, n_steps: int
    ) -> Solution | ObjectivePoint | None:
        """At convergence: the solution where the estimate exists; a point to go on from; or None.

        None asks for one step more: what has no curvature shows more clearly there.
        """
        slope, inverse = found.trace[-1][1], invert(at.hessian)
        inflation = variance_inflation(inverse, self.objective.intercept_hessian)
        falling = not n_steps or 2 * slope > found.trace[-2][1]
        if inflation > UNBOUNDED:
            if falling and not self.n_leaps and -slope > MUCH_SMALLER * self.tol:
                return None
            self._check_directions(at.hessian, [*self.leapt, step, found.coef])
            sure = inverse is not None and found.converged
            return replace(found, converged=sure, rounded=found.rounded or not sure)
        if -slope / 2 <= MUCH_SMALLER * self.tol:  # the Hessian at the end is the one here
            found = replace(found, hessian=at.sums.hessian)
        if inflation <= DOUBTFUL or float(np.abs(step).max()) < MAX_STEP_AT_ESTIMATE:
            return found
        if n_steps and self.n_leaps < MAX_LEAPS and (far := self._leap(at, step)) is not None:
            return far
        return None if falling else found

    def _check_directions(self, hessian: Array, ways: Sequence[Array]) -> None:
        """Raise where a direction without curvature separates, or leaves all scores as they are.

        No row is on the wrong side of a direction that separates; and none of it and of its
        opposite where columns are collinear.
        """
        for direction in flat_directions(self.objective, hessian, ways):
            wrong, wrong_of_opposite = (
                self.objective.at(one).margin < -ON_BOUNDARY for one in (direction, -direction)
            )
            if wrong and wrong_of_opposite:
                continue
            if not (wrong or wrong_of_opposite):
                raise collinear(direction.reshape(1, -1), self.objective)
            raise separation_error(direction, self.objective, QUASI_COMPLETE)


def flat_directions(objective: Objective, hessian: Array, ways: Sequence[Array]) -> list[Array]:
    """(m, width) unit directions without curvature: along these ways, and of single coefficients.

    Which coefficients are not held shows among columns of equal spread. How far the others go along
    is solved for, with the digits of columns whose rows lie close together beside a few far ones.
    """
    from scipy.linalg import qr

    scale, scaled = scale_to_unit_diagonal(hessian, objective.intercept_hessian)
    with one_thread():
        values, vectors = np.linalg.eigh(scaled)
        null = vectors[:, values <= max(COLLINEAR, values[0])]
        order = qr(null.T, mode="r", pivoting=True)[1]
        free, rest = order[: null.shape[1]], np.sort(order[null.shape[1] :])
        along = [null @ (null.T @ (scale * way.ravel())) for way in ways]
        along += [*np.linalg.solve(null[free].T, null.T)[:MAX_SINGLE]]
    inside, across = hessian[np.ix_(rest, rest)], hessian[np.ix_(rest, free)]
    found = []
    for number, one in enumerate(along):
        direction = one / scale
        direction[rest] = -solve(inside, across @ direction[free])[0]
        direction = direction.reshape(ways[0].shape)
        if number >= len(ways):
            direction = _without_rounding(objective.columns, direction)
        if direction.any():
            found.append(direction / np.linalg.norm(direction))
    return found


def _without_rounding(columns: Standardisation, direction: Array) -> Array:
    """Without the coefficients that rounding error left: rows of 0 lie on the boundary then."""
    weights, intercepts = columns.original(direction)
    size = np.abs(direction).max()
    weights = np.where(np.abs(direction[:, 1:]) > SLIGHT * size, weights, 0.0)
    return columns.standardise(
        weights, np.where(np.abs(intercepts) > SLIGHT * size, intercepts, 0.0)
    )


def separation_error(direction: Array, objective: Objective, kind: str) -> InputError:
    """The error where the estimate does not exist, with the columns that separate the classes."""
    names, columns = objective.names, objective.columns.n_columns
    size = np.abs(direction[:, 1:]).max(axis=0)
    most = [j for j in np.argsort(-size).tolist() if size[j] > 0.01 * size.max()]
    worst = most[:MAX_SEPARATING]
    found = quoted_list([names[j] for j in worst]) + (
        " and others" if len(most) > len(worst) else ""
    )
    some = f"column {found} separates" if len(most) == 1 else f"columns {found} together separate"
    remedies = [f"Add a penalty (for example {objective.penalty_option})"]
    if len(worst) < len(names):
        remedies.append(_leave_out_remedy(worst, columns))
    remedies += _missing_remedy([names[j] for j in worst], names[:columns])
    return InputError(
        f"{some} the classes {kind}, so the maximum-likelihood estimate does not exist. "
        f"{', or '.join(remedies)}."
    )


def collinear(null: Array, objective: Objective) -> ColumnError:
    """The error where coefficients are not unique, by directions (f, M) without curvature."""
    from scipy.linalg import qr

    names, columns = objective.names, objective.columns.n_columns
    width = len(names) + 1
    rows = null.reshape(-1, width)[:, 1:]
    size = np.abs(rows).max(axis=0)
    found = [name for name, share in zip(names, size, strict=True) if share > 1e-4 * size.max()]
    many = -(-len(null) * width // null.shape[1])
    with one_thread():  # the columns of the pivots span the null space: the others are independent
        pivots = np.sort(qr(rows, mode="r", pivoting=True)[1][:many])
    out = quoted_list([names[j] for j in pivots], most=20)
    why, first = "are collinear", f"Leave {'one' if many == 1 else f'{many} of them'} out, such as"
    first = f"{first} {out}"
    if len(found) <= many:
        why = f"{'does' if len(found) == 1 else 'do'} not vary"
        first = f"Leave {'it' if len(found) == 1 else 'them'} out"
    remedies = [first, *_missing_remedy(found, names[:columns])]
    remedies.append(f"or take a penalty, such as {objective.penalty_option}")
    return ColumnError(
        f"{quoted_list(found)} {why}, so without a penalty the coefficients are not unique. "
        f"{', '.join(remedies)}."
    )


def _leave_out_remedy(worst: list[int], columns: int) -> str:
    """How columns are left out; words are no columns of the table."""
    if min(worst) >= columns:
        return "leave those words out by stop_words= or min_df="
    return "leave the column out" if len(worst) == 1 else "leave those columns out"


def _missing_remedy(found: list[str], columns: tuple[str, ...]) -> list[str]:
    """The remedy for an indicator of missing values, which is no column of the table."""
    some = any(name.endswith(" missing") and name in columns for name in found)
    return ["take missing='mean'"] if some else []


def existence_check(objective: Objective, tol: float, check_rank: bool = True) -> RankCheck:
    """What a solver asks without a penalty; only classes can be separated."""
    kind = SeparationCheck if isinstance(objective.loss, LogisticLoss) else RankCheck
    return kind(objective, tol, check_rank)
