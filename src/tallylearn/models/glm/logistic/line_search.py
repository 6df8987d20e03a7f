"""What a search looks for, the steps that it tries, and where it ended."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from tallylearn.models.glm.logistic.hessians import inverse
from tallylearn.models.glm.logistic.loss_derivatives import Question, Scaling, Slope
from tallylearn.models.glm.logistic.penalties import Penalty
from tallylearn.tables import Array

ARMIJO = 1e-4  # of the promised descent that a step must keep
SHORTEST = 1e-12  # step length: below, rounding hides all descent
ROUNDED = 1e-14  # relative: less than this is no rise
CURVED = 4096  # weights: the curvature of more is not asked for
EPS, TINY = 2.3e-16, 1e-300
NONE = np.empty((0, 0))
Trace = tuple[tuple[float, float], ...]  # the objective before every step, and what it promised


@dataclass(frozen=True)
class Task:
    """What is searched for: the least mean loss with its penalty, over all rows."""

    scaling: Scaling
    penalty: Penalty
    names: tuple[str, ...]  # (width - 1,)
    enough: float  # end where a step promises to lower the objective by less
    most: int  # steps
    null: float  # the objective without any column
    first: Array  # (m, width) the weights of that
    intercept: bool = True
    fair: float = 0.0  # where steps are used up, this is enough

    def objective(self, theta: Array, slope: Slope) -> float:
        return self.penalty.objective(theta, slope)

    def gradient(self, theta: Array, slope: Slope) -> Array:
        found = self.penalty.gradient(theta, slope)
        if not self.intercept:
            found[:, 0] = 0.0
        return found

    def curvature(self, slope: Slope) -> Array:
        found = self.penalty.curvature(self.scaling.m, slope)
        if not self.intercept:
            at = np.arange(self.scaling.m) * self.scaling.width
            found[at], found[:, at] = 0.0, 0.0
            found[at, at] = 1.0
        return found

    @property
    def constants(self) -> Array:
        """(M,) the curvature, without any column, of the constant that stands beside a weight."""
        odds = np.exp(self.first[:, 0])
        share = odds / (odds.sum() + (self.scaling.m < self.scaling.k))
        return np.repeat(share * (1 - share), self.scaling.width)

    @property
    def rounding(self) -> Array | float:
        """(M,) less curvature is rounding, of rows whose class is certain, without a penalty."""
        return EPS * self.constants if self.penalty.nothing else TINY

    def steadied(self, weight: float) -> Task:
        """For a sample: columns that it does not show keep a weight of 0, and none runs away."""
        return replace(self, penalty=self.penalty.steadied(weight))


@dataclass(frozen=True)
class Trial:
    """A step that is tried: from where, along what, how far, and what it promised."""

    theta: Array
    objective: float
    direction: Array
    promise: float  # the directional derivative, below 0
    length: float = 1.0

    @property
    def reached(self) -> Array:
        return np.asarray(self.theta + self.length * self.direction)

    def kept(self, objective: float) -> bool:
        """Whether the objective fell as promised, up to rounding."""
        slack = ROUNDED * max(1.0, abs(self.objective))
        return objective <= self.objective + ARMIJO * self.length * self.promise + slack

    def halved(self) -> Trial:
        return replace(self, length=self.length / 2)


@dataclass(frozen=True)
class Found:
    """Where a search ended."""

    task: Task
    theta: Array
    objective: float
    least: float  # of the last look at the rows
    steps: int
    converged: bool
    curvature: Array = field(default_factory=lambda: NONE)  # of the sum of the losses
    trace: Trace = ()  # objective before a step, and what it promised
    path: Array = field(default_factory=lambda: NONE)  # of gradient descent: loss, weights after
    overshot: int = 0  # its first step that made the loss larger
    rounded: bool = False  # whether rounding ended it before its tolerance did
    looking: bool = False  # one more round, for the loss and the curvature where it ended

    stride: ClassVar[int] = 1

    @property
    def done(self) -> bool:
        return not self.looking

    @property
    def asked(self) -> Question:
        return Question(self.theta, "whole" if self.task.penalty.nothing else "")

    def after(self, slope: Slope) -> Found:
        """With what the rows say where it ended."""
        objective = self.task.objective(self.theta, slope)
        return replace(
            self, objective=objective, least=slope.least, curvature=slope.curvature, looking=False
        )


def ended(
    task: Task, theta: Array, objective: float, least: float, trace: Trace, converged: bool,
    sampled: bool = False,
) -> Found:  # fmt: skip
    """The end of a search; all rows are looked at once more where only some were asked.

    Without a penalty they are for the standard errors too.
    """
    return Found(
        task, theta, objective, least, len(trace), converged, trace=trace,
        looking=sampled or (task.penalty.nothing and theta.size <= CURVED),
    )  # fmt: skip


def standard_errors(found: Found) -> Array:
    """(m, width) of constants and weights, where there is no penalty; none where some are flat."""
    scaling, curve = found.task.scaling, found.curvature
    if not curve.size:
        return NONE
    curve, at = curve.copy(), np.arange(scaling.m) * scaling.width
    if not found.task.intercept:
        curve[at], curve[:, at] = 0.0, 0.0
        curve[at, at] = 1.0
    turned = inverse(curve)
    if turned is None:
        return NONE
    if not found.task.intercept:
        turned[at, at] = 0.0
    turn = np.diag(np.insert(1 / scaling.scale, 0, 1.0))
    turn[0, 1 : 1 + scaling.p] = -scaling.centre / scaling.scale[: scaling.p]
    blocks = turned.reshape(scaling.m, scaling.width, scaling.m, scaling.width)
    each = [turn @ blocks[c, :, c] @ turn.T for c in range(scaling.m)]
    return np.array([np.sqrt(np.diag(one).clip(0)) for one in each])
