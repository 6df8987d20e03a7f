"""Orthant steps: Newton's with a lasso, where too many weights are not 0 to write curvatures down.

While no weight changes its sign the lasso is a plane, and the step is put together from conjugate
directions, as that of a ridge. Weights that would change their sign on the way are 0 at its end,
and may leave that by the next step. Far from the end steps are damped: of more columns than rows
there are directions along which the loss is flat, and the lasso alone ends them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.models.glm.logistic.line_search import (
    NONE,
    ROUNDED,
    SHORTEST,
    Found,
    Task,
    Trace,
    Trial,
    ended,
)
from tallylearn.models.glm.logistic.loss_derivatives import Question, Slope
from tallylearn.models.glm.logistic.newton_cg import CLOSE, LOOSE, Alone
from tallylearn.tables import Array

DIRECTIONS = 200  # of one step
JOINED = 0.3  # of the gradient that a step may leave while weights leave 0: others will
DAMPED = 0.1  # of the curvature of a column alone, at first
FLAT = 0.01  # of a constant's curvature, which a column's counts as at least


def gap(task: Task, theta: Array, gradient: Array) -> Array:
    """(m, width) how far a gradient is from the lasso's, as a share of it; constants, of the least.

    At the end none is: the gradient of a weight is the lasso's against its sign, and that of a
    weight of 0 no larger. What rounding hides counts as nothing.
    """
    lasso = task.penalty.lasso.copy()
    lasso[0] = lasso[1:].min(initial=1.0)
    return np.asarray((np.abs(task.penalty.steepest(theta, gradient)) - ROUNDED).clip(0) / lasso)


def at_rest(
    task: Task, theta: Array, objective: float, least: float, trace: Trace, close: float
) -> Found:
    """The end where no gap is left, or none that rounding does not hide."""
    found = ended(task, theta, objective, least, trace, True)
    return replace(found, rounded=bool(close * task.penalty.lasso[1:].min(initial=1.0) < ROUNDED))


def stuck(task: Task, trial: Trial, least: float, trace: Trace) -> Found:
    """The end where no step leads down, short of it."""
    found = ended(task, trial.theta, trial.objective, least, trace, False)
    return replace(found, rounded=True)


@dataclass(frozen=True)
class OrthantNewton:
    """Newton's method on the weights that are not 0 or should not be, their signs held."""

    task: Task
    theta: Array  # (m, width)
    close: float  # the gap that is left
    narrow: Any  # a working set, and of how many weights: these it takes over again
    trace: Trace
    trial: Trial | None = None
    damp: float = DAMPED

    stride: ClassVar[int] = 1
    done: ClassVar[bool] = False

    @property
    def asked(self) -> Question:
        return Question(self.theta, "alone")

    def after(self, slope: Slope) -> Any:
        """The first direction of the next step, or half the last step."""
        task, trial = self.task, self.trial
        objective = task.objective(self.theta, slope)
        if trial is not None and not trial.kept(objective):
            if trial.length < SHORTEST:  # rounding alone is left
                return stuck(task, trial, slope.least, self.trace)
            return replace(self, trial=trial.halved(), theta=self.within(trial.halved()))
        gradient = task.gradient(self.theta, slope)
        off = gap(task, self.theta, gradient)
        last = bool(off.max() <= self.close)
        if len(self.trace) >= task.most:
            return ended(task, self.theta, objective, slope.least, self.trace, last)
        free = (self.theta != 0) | (off > self.close)
        free[:, 0] = task.intercept
        if self.narrow.takes(free):
            return self.narrow.again(self.theta, free, self.trace)
        steepest = np.where(free, task.penalty.steepest(self.theta, gradient), 0.0)
        begun = replace(self, trial=None, damp=self._damping())
        return Inside.begun(
            begun, objective, slope.least, steepest, free, _alone(task, slope), last
        )

    def _damping(self) -> float:
        if self.trial is None or self.trial.length == 0.5:
            return self.damp
        return self.damp / 8 if self.trial.length == 1 else min(10.0, 4 * self.damp)

    def within(self, trial: Trial) -> Array:
        """Where a step leads: weights that change their sign on the way are 0."""
        reached = trial.reached
        side = np.where(trial.theta == 0, np.sign(trial.direction), np.sign(trial.theta))
        held = np.broadcast_to(self.task.penalty.lasso > 0, reached.shape)
        return np.where(held & (reached * side < 0), 0.0, reached)


def _alone(task: Task, slope: Slope) -> Alone:
    """The curvature of columns alone, around their means where there is a constant to go along."""
    found = Alone.of(task, slope)
    if not task.intercept:
        curve = found.curve + found.mean**2 * found.level
        found = replace(found, mean=np.zeros_like(found.mean), curve=curve)
    return replace(found, curve=found.curve.clip(FLAT * found.level))


@dataclass(frozen=True)
class Inside:
    """A step on the way: how long it is already, and along what it goes on."""

    start: OrthantNewton
    objective: float
    least: float
    gradient: Array  # with the lasso's, of those that are free
    free: Array  # (m, width) which weights move
    alone: Alone
    last: bool  # whether it is the last step
    step: Array
    residual: Array  # what of the gradient is left
    along: Array = field(default_factory=lambda: NONE)
    left: float = 0.0  # the residual's length, in the curvature of the columns alone
    first: float = 0.0  # and before the first direction
    number: int = 0

    stride: ClassVar[int] = 1
    done: ClassVar[bool] = False

    @classmethod
    def begun(
        cls, start: OrthantNewton, objective: float, least: float, gradient: Array, free: Array,
        alone: Alone, last: bool,
    ) -> Inside:  # fmt: skip
        found = cls(
            start, objective, least, gradient, free, alone, last, np.zeros_like(gradient), -gradient
        )
        along = found._solved(found.residual)
        left = float((found.residual * along).sum())
        return replace(found, along=along, left=left, first=left)

    @property
    def task(self) -> Task:
        return self.start.task

    @property
    def asked(self) -> Question:
        return Question(self.start.theta, along=self.along)

    def after(self, slope: Slope) -> OrthantNewton | Inside | Found:
        """Along the direction as far as it leads down; then the next, or the step is done."""
        curve = self.task.gradient(self.along, slope)
        curve[:, 1:] += self.start.damp * self.alone.curve * self.along[:, 1:]
        curve = np.where(self.free, curve, 0.0)
        bend = float((self.along * curve).sum())
        if not bend > 0:  # flat, but for rounding
            return self._stepped()
        length = self.left / bend
        step, residual = self.step + length * self.along, self.residual - length * curve
        onward = self._solved(residual)
        left = float((residual * onward).sum())
        found = replace(
            self, step=step, residual=residual, left=left, number=self.number + 1,
            along=onward + left / self.left * self.along,
        )  # fmt: skip
        return found._stepped() if found._close() else found

    def _solved(self, residual: Array) -> Array:
        """The step that the free columns would say, each as if it were alone."""
        alone, first = self.alone, residual[:, :1]
        each = (residual[:, 1:] - alone.mean * first) / alone.curve
        found = np.where(self.free[:, 1:], each, 0.0)
        level = first / alone.level - (alone.mean * found).sum(axis=1, keepdims=True)
        return np.hstack([level, found])

    def _close(self) -> bool:
        """Whether so little of the gradient is left that the step is as good as its curvature."""
        trace, joined = self.start.trace, (self.free & (self.start.theta == 0))[:, 1:].any()
        promised = max(-trace[-1][1], 0.0) if trace else 1.0
        enough = min(max(np.sqrt(promised), JOINED if joined else CLOSE), LOOSE)
        return bool(self.left <= enough**2 * self.first) or self.number >= DIRECTIONS

    def _stepped(self) -> OrthantNewton | Inside | Found:
        """The step is tried; or it was the last; or it begins anew.

        Weights of 0 that the lasso would send back at once stay there, and the others go without.
        """
        start = self.start
        back = (start.theta == 0) & (self.step * self.gradient > 0) & (self.task.penalty.lasso > 0)
        if self._matters(back):
            free = self.free & ~back
            gradient = np.where(free, self.gradient, 0.0)
            return Inside.begun(
                start, self.objective, self.least, gradient, free, self.alone, False
            )
        step = np.where(back, 0.0, self.step)
        promise = float((self.gradient * step).sum())
        trace = (*start.trace, (self.objective, promise))
        trial = Trial(start.theta, self.objective, step, promise)
        reached = start.within(trial)
        if self.last:
            return at_rest(self.task, reached, self.objective, self.least, trace, start.close)
        return replace(start, theta=reached, trial=trial, trace=trace)

    def _matters(self, back: Array) -> bool:
        """Whether the step without some weights is another: by a tenth of its length, or more."""
        size = np.sqrt(self.alone.curve) * np.abs(self.step[:, 1:])
        promised = -float((self.gradient * self.step).sum())
        return bool(back.any()) and float(size[back[:, 1:]].sum()) ** 2 > 0.01 * promised
