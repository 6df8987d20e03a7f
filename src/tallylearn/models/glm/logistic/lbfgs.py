"""Quasi-Newton steps: L-BFGS, where gradients alone are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.models.glm.logistic.hessians import remembered, worth
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
from tallylearn.models.glm.logistic.separation import check_apart
from tallylearn.tables import Array

KEPT = 12  # pairs of steps and changes of the gradient


@dataclass(frozen=True)
class QuasiNewton:
    """L-BFGS: the curvature is learned from how the gradient changes along the last steps.

    It starts from the inverse curvature of a sample, or from columns that are scaled by theirs. The
    lasso is searched orthant by orthant (Andrew and Gao, 2007).
    """

    task: Task
    theta: Array
    inverse: Array = field(default_factory=lambda: NONE)  # (M, M) to start from, or (0, 0)
    steps: tuple[Array, ...] = ()
    changes: tuple[Array, ...] = ()
    trial: Trial | None = None
    gradient: Array = field(default_factory=lambda: NONE)  # where the trial began
    trace: Trace = ()
    again: Any = None  # Newton's search, should these steps not come to rest
    last: Any = None  # Newton's search, from where these steps end
    stride: int = 1  # every so-many-th row
    here: int = 0  # steps

    done: ClassVar[bool] = False

    @property
    def asked(self) -> Question:
        return Question(self.theta)

    def after(self, slope: Slope) -> Any:
        """A step further; or Newton's search."""
        found = self._after(slope)
        if self.last is None or not isinstance(found, Found):
            return found
        free = self.last.task.penalty.nothing  # columns that follow from others show at the end
        return replace(self.last, theta=found.theta, trace=found.trace, held=free)

    def _after(self, slope: Slope) -> Any:
        task = self.task if self.stride == 1 else self.task.steadied(slope.weight)
        objective = task.objective(self.theta, slope)
        if self.trial is None and objective > task.null * (1 + 1e-12) and self.again:
            return replace(self.again, trace=self.trace)
        if self.trial is not None and not self.trial.kept(objective):
            if self.trial.length < SHORTEST:
                return self._stuck(slope)
            return replace(self, trial=self.trial.halved(), theta=self._within(self.trial.halved()))
        gradient = task.gradient(self.theta, slope)
        if task.penalty.nothing:
            check_apart(slope, task, self.theta)
        found = self._remembering(gradient)
        steepest = task.penalty.steepest(self.theta, gradient)
        direction = found._direction(steepest)
        promise = float((steepest * direction).sum())
        hidden = -promise <= ROUNDED**2 * max(1.0, abs(objective))  # the square of a gradient's
        rested = -promise / 2 <= task.enough or hidden
        if len(self.trace) >= task.most:
            near = rested or -promise / 2 <= task.fair
            return ended(task, self.theta, objective, slope.least, self.trace, near)
        trace = (*self.trace, (objective, promise))
        if rested:
            theta = self.theta + direction if not task.penalty.lasso.any() else self.theta
            reached = ended(task, theta, objective, slope.least, trace, True)
            return replace(reached, rounded=hidden and -promise / 2 > task.enough)
        if self.again and self.here > worth(self.theta.size):
            return replace(self.again, theta=self.theta, trace=trace, held=True)
        long = 1.0 if self.inverse.size or found.steps else float(np.linalg.norm(steepest))
        trial = Trial(self.theta, objective, direction, promise, 1 / max(1.0, long))
        return replace(
            found, trial=trial, theta=found._within(trial), gradient=gradient, trace=trace,
            here=self.here + 1,
        )  # fmt: skip

    def _stuck(self, slope: Slope) -> Any:
        """No step along this direction leads downhill: begin anew, or end."""
        trial = self.trial
        assert trial is not None
        if self.steps:
            return replace(self, steps=(), changes=(), trial=None, theta=trial.theta)
        if self.again:
            return replace(self.again, theta=trial.theta, trace=self.trace, held=True)
        converged = -trial.promise <= 1e-9 * max(1.0, abs(trial.objective))
        return ended(self.task, trial.theta, trial.objective, slope.least, self.trace, converged)

    def _remembering(self, gradient: Array) -> QuasiNewton:
        if self.trial is None:
            return self
        step, change = self.theta - self.trial.theta, gradient - self.gradient
        if float((step * change).sum()) <= 1e-12 * float((change * change).sum()):
            return self
        steps, changes = (*self.steps, step)[-KEPT:], (*self.changes, change)[-KEPT:]
        return replace(self, steps=steps, changes=changes)

    def _direction(self, gradient: Array) -> Array:
        found = remembered(gradient, self.steps, self.changes, self.inverse)
        if self.task.penalty.lasso.any():
            found = np.where(found * gradient < 0, found, 0.0)
        return found

    def _within(self, trial: Trial) -> Array:
        """Where a step leads; with a lasso no weight changes its sign on the way."""
        reached = trial.reached
        if not self.task.penalty.lasso.any():
            return reached
        side = np.where(trial.theta == 0, np.sign(trial.direction), np.sign(trial.theta))
        held = np.broadcast_to(self.task.penalty.lasso > 0, reached.shape)
        return np.where(held & (reached * side < 0), 0.0, reached)
