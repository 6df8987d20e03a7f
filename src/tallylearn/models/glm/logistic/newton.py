"""Searches: where a fit stands between two rounds, by Newton's steps or by quasi-Newton ones.

A search begins on some of the rows where there are many: steps towards what a sixteenth of them
says cost a sixteenth, and end so near that a few rounds over all rows are left. Of those only the
gradient is asked: the curvature of the sample leads them, where it holds every column. Where it
does not, Newton's steps over all rows follow. Without a penalty the last step is Newton's over all
rows in any case: what flat directions there are decides whether there are weights at all. Where
several classes make curvatures dear, steps of the gradient alone come near, over a sample too, and
one curvature or few end it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from tallylearn.models.glm.logistic.hessians import (
    ENDLESS,
    chance,
    flat,
    inverse,
    looseness,
    shrunk,
    solved,
    worth,
)
from tallylearn.models.glm.logistic.lbfgs import QuasiNewton
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
from tallylearn.models.glm.logistic.separation import LEAP, Border, Leap, check_apart, collinear
from tallylearn.tables import Array

SLOWER = 1e-6  # a last step of Newton leaves the square of an error, others a tenth of it
NEAR = 1e-7  # descent that is left where Newton's steps take over
STEPS = 40  # that lead there, or as near as they come
LEFT = 1e-12  # of a gradient, where it has no curvature: it promises what nobody knows
DOUBTFUL = 100.0  # times as loose as the constant: such a weight may have no end
LONG = 1e-5  # steps at rest are shorter, but where a weight has no end
LEAPS = 4


@dataclass(frozen=True)
class Newton:
    """Newton's method: the step that the curvature says, halved until it leads downhill.

    With a lasso the step is that of the quadratic and the lasso together, by coordinate descent.
    """

    task: Task
    theta: Array  # (m, width)
    stride: int = 1  # every so-many-th row
    trial: Trial | None = None
    trace: Trace = ()
    here: int = 0  # steps since the stride changed
    full: bool = False  # Newton's steps over all rows too
    held: bool = False  # whether no column is known to follow from others
    leaps: int = 0
    way: Array = field(default_factory=lambda: NONE)  # along which the last leap led

    done: ClassVar[bool] = False

    @property
    def asked(self) -> Question:
        """What the rows are asked."""
        return Question(self.theta, "whole")

    def after(self, slope: Slope) -> State:
        """A step further."""
        task = self.task if self.stride == 1 else self.task.steadied(slope.weight)
        objective = task.objective(self.theta, slope)
        if self.trial is not None and not self.trial.kept(objective):
            return self._back(slope)
        if self.stride == 1 and not self.trial and objective > task.null * (1 + 1e-12):
            return replace(self, theta=task.first, trial=Trial(task.first, np.inf, NONE, 0.0))
        step, promise, left = self._step(task, slope)
        hidden = self._hidden(objective, promise)
        rested = self.stride == 1 and (-promise / 2 <= task.enough or hidden)
        if self.stride == 1 and not rested and task.penalty.nothing:
            check_apart(slope, task, self.theta)
        if len(self.trace) >= task.most:
            return ended(
                self.task, self.theta, objective, slope.least, self.trace, rested, self.stride > 1
            )
        trace = (*self.trace, (objective, promise))
        if rested:
            found = ended(
                task, self.theta + step, objective + promise / 2, slope.least, trace, left <= LEFT
            )
            found = replace(found, rounded=hidden and -promise / 2 > task.enough)
            return self._sure(found, slope, step) if task.penalty.nothing else found
        if self.stride > 1 and (
            -promise / 2 <= chance(self.theta.size, slope.weight) or self.here >= 12
        ):
            return self._on_all(slope, self.theta + step, trace)
        trial = Trial(self.theta, objective, step, promise)
        further = replace(
            self, theta=trial.reached, trial=trial, trace=trace, here=self.here + 1, held=True
        )
        return self._leap(further, trial) if self._slow(trace) else further

    def _back(self, slope: Slope) -> Newton | Found:
        trial = self.trial
        assert trial is not None
        if trial.length < SHORTEST:
            # rounding alone is left; the gradient there may still be large where rows are extreme
            found = ended(
                self.task, trial.theta, trial.objective, slope.least, self.trace, False,
                self.stride > 1,
            )  # fmt: skip
            return replace(found, rounded=True)
        return replace(self, trial=trial.halved(), theta=trial.halved().reached)

    def _step(self, task: Task, slope: Slope) -> tuple[Array, float, float]:
        """The step, what it promises, and what of the gradient it leaves alone."""
        gradient, curve, left = task.gradient(self.theta, slope), task.curvature(slope), 0.0
        if task.penalty.lasso.any():
            step = shrunk(curve, gradient, task.penalty, self.theta)
        else:
            if task.penalty.nothing and not self.held and (null := flat(curve)).size:
                raise collinear(null, task)
            found, left = solved(curve, gradient.ravel(), task.rounding)
            step = -found.reshape(gradient.shape)
        return step, float((gradient * step).sum()) + task.penalty.cost(self.theta, step), left

    def _hidden(self, objective: float, promise: float) -> bool:
        """Whether rounding hides what is left: steps that would square it promise as much again."""
        if not self.here or -promise > ROUNDED * max(1.0, abs(objective)):
            return False
        return promise < 0.25 * self.trace[-1][1] or promise >= 0

    def _on_all(self, slope: Slope, theta: Array, trace: Trace) -> Newton | QuasiNewton:
        task, curve = self.task, self.task.curvature(slope)
        turned = None if self.full or task.penalty.lasso.any() else inverse(curve)
        constants = np.repeat(np.diag(curve)[:: task.scaling.width], task.scaling.width)
        if turned is None or looseness(turned, constants) > worth(theta.size) ** 2:
            return Newton(task, theta, trace=trace, full=self.full)
        nearer = replace(task, enough=SLOWER * task.enough)
        return QuasiNewton(
            nearer, theta, turned, trace=trace, again=Newton(task, task.first),
            last=Newton(task, task.first) if task.penalty.nothing else None,
        )  # fmt: skip

    def _slow(self, trace: Trace) -> bool:
        """Whether steps promise nearly as much as those before: Newton's promise far less."""
        free = self.task.penalty.nothing and self.stride == 1
        return free and self.here >= 8 and self.here % 4 == 0 and trace[-1][1] < 0.1 * trace[-2][1]

    def _leap(self, instead: Newton | Found, trial: Trial) -> Leap:
        far = trial.theta + LEAP * trial.direction
        landed = replace(
            self, theta=far, trial=None, trace=instead.trace, here=self.here + 1, held=True,
            leaps=self.leaps + 1, way=trial.direction,
        )  # fmt: skip
        return Leap(self.task, far, landed, instead, trial.objective)

    def _sure(self, found: Found, slope: Slope, step: Array) -> State:
        """The end without a penalty, if there is no doubt that it is one."""
        task, curve, (objective, promise) = self.task, self.task.curvature(slope), found.trace[-1]
        turned, trial = inverse(curve), Trial(self.theta, objective, step, promise)
        loose = looseness(turned, task.constants)
        further = replace(
            self, theta=trial.reached, trial=trial, trace=found.trace, here=1 + self.here
        )
        falling = not self.here or 2 * promise > self.trace[-1][1]
        if loose > ENDLESS:
            if falling and not self.leaps and -promise > SLOWER * task.enough:
                return further  # what is without curvature shows more clearly there
            sure = turned is not None and found.converged
            instead = replace(found, converged=sure, rounded=found.rounded or not sure)
            return Border.beside(task, curve, (self.way, step, found.theta), instead)
        if -promise / 2 <= SLOWER * task.enough:  # nothing changes by such a step
            found = replace(found, curvature=slope.curvature, looking=False)
        if loose <= DOUBTFUL or float(np.abs(step).max()) < LONG:
            return found
        # after a step of Newton's own the next is along what has no end, and nothing else
        onward = further if falling else found
        return self._leap(onward, trial) if self.here and self.leaps < LEAPS else onward


State = Newton | QuasiNewton | Leap | Border | Found


def approached(task: Task, stride: int, rows: float) -> QuasiNewton:
    """Steps that come near, for Newton's to begin there: of a sample as near as it is right."""
    enough = NEAR if stride == 1 else max(NEAR, 0.1 * chance(task.first.size, rows / stride))
    near = replace(task, enough=enough, most=min(STEPS, task.most))
    return QuasiNewton(near, task.first, last=Newton(task, task.first, stride), stride=stride)
