"""Lasso steps: of many weights few are not 0, and only those are stepped along.

A round asks the rows for the gradient of all weights, and for the curvature of those of the working
set: the weights that are not 0, and those that their gradient would draw away from it the most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tallylearn.models.glm.logistic.hessians import shrunk
from tallylearn.models.glm.logistic.line_search import SHORTEST, Found, Task, Trace, Trial, ended
from tallylearn.models.glm.logistic.loss_derivatives import Question, Slope
from tallylearn.models.glm.logistic.orthant_wise_newton import OrthantNewton, at_rest, gap, stuck
from tallylearn.models.glm.logistic.penalties import Penalty
from tallylearn.tables import Array

JOINING = 100  # weights at least; else as many as there are that are not 0
WIDE = 1200  # weights of a working set: the curvature of more is not worth it


@dataclass(frozen=True)
class WorkingSet:
    """Newton's method with a lasso, on the weights that are not 0 or are about to be.

    It ends where every gradient is the lasso's, against the sign of its weight, and that of no
    weight of 0 is larger, both to ``tol``² of the lasso.
    """

    task: Task
    theta: Array  # (m, width)
    chosen: Array  # (s,) the weights of the working set, by their places among m * width
    close: float  # the gap that is left
    trial: Trial | None = None
    trace: Trace = ()

    stride: ClassVar[int] = 1
    done: ClassVar[bool] = False

    @classmethod
    def begun(cls, task: Task, tol: float) -> WorkingSet:
        """From the constants alone."""
        constants = np.arange(task.scaling.m if task.intercept else 0) * task.scaling.width
        return cls(task, task.first, constants, tol**2)

    @property
    def asked(self) -> Question:
        return Question(self.theta, "chosen", chosen=self.chosen)

    def after(self, slope: Slope) -> WorkingSet | OrthantNewton | Found:
        """A step further, or half the last one."""
        task, trial = self.task, self.trial
        objective = task.objective(self.theta, slope)
        if trial is not None and not trial.kept(objective):
            if trial.length < SHORTEST:  # rounding alone is left
                return stuck(task, trial, slope.least, self.trace)
            return replace(self, trial=trial.halved(), theta=trial.halved().reached)
        gradient = task.gradient(self.theta, slope)
        off = gap(task, self.theta, gradient)
        rested = bool(off.max() <= self.close)
        if len(self.trace) >= task.most:
            return ended(task, self.theta, objective, slope.least, self.trace, rested)
        step = self._step(gradient, slope)
        promise = float((gradient * step).sum()) + task.penalty.cost(self.theta, step)
        trace = (*self.trace, (objective, promise))
        if rested:
            reached = objective + promise / 2
            return at_rest(task, self.theta + step, reached, slope.least, trace, self.close)
        return self._onward(Trial(self.theta, objective, step, promise), off, trace)

    def takes(self, free: Array) -> bool:
        """Whether so few weights are free that their curvature is worth it, with some to spare."""
        return bool(np.count_nonzero(free) <= WIDE // 2)

    def again(self, theta: Array, free: Array, trace: Trace) -> WorkingSet:
        """From where others came."""
        return replace(self, theta=theta, chosen=np.flatnonzero(free), trial=None, trace=trace)

    def _step(self, gradient: Array, slope: Slope) -> Array:
        """That of the quadratic and the lasso together, of the weights of the working set."""
        at, penalty, step = self.chosen, self.task.penalty, np.zeros(gradient.size)
        column = at % gradient.shape[1]
        inside = Penalty(penalty.ridge[column], penalty.lasso[column])
        curve = slope.curvature / slope.weight + np.diag(inside.ridge)
        last = min(-self.trace[-1][1], 0.01) if self.trace else 0.01
        enough = max(1e-30, 1e-4 * last**2)  # so that steps square what is left
        here, weights = gradient.ravel()[None, at], self.theta.ravel()[None, at]
        step[at] = shrunk(curve, here, inside, weights, WIDE, enough)[0]
        return step.reshape(gradient.shape)

    def _onward(self, trial: Trial, off: Array, trace: Trace) -> WorkingSet | OrthantNewton:
        """The step is tried, and its end looked at with those that join; weights of 0 leave."""
        reached, lasso = trial.reached, np.broadcast_to(self.task.penalty.lasso, off.shape)
        moved = (reached.ravel()[self.chosen] != 0) | (self.theta.ravel()[self.chosen] != 0)
        kept = self.chosen[moved | (lasso.ravel()[self.chosen] == 0)]
        far = np.where((off > self.close) & (lasso > 0), off * lasso, 0.0).ravel()
        far[self.chosen] = 0.0
        worst = np.argsort(-far, kind="stable")[: max(JOINING, np.count_nonzero(self.theta))]
        chosen = np.union1d(kept, worst[far[worst] > 0])
        if len(chosen) > WIDE:
            return OrthantNewton(self.task, self.theta, self.close, self, self.trace)
        return replace(self, theta=reached, chosen=chosen, trial=trial, trace=trace)
