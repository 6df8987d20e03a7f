"""Conjugate steps: Newton's, where there are too many weights to write their curvature down.

The step is put together from directions, each conjugate to those before it, along which the rows
are asked how the gradient changes (Hestenes and Stiefel, 1952). Far from the end few directions are
enough, near it more. Columns count as if each stood alone, around its mean among the rows that are
in doubt, so that rare words and frequent ones are stepped along alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tallylearn.models.glm.logistic.line_search import (
    ROUNDED,
    SHORTEST,
    Found,
    Task,
    Trace,
    Trial,
    ended,
)
from tallylearn.models.glm.logistic.loss_derivatives import Question, Slope
from tallylearn.tables import Array

CLOSE, LOOSE = 0.01, 0.5  # of the gradient that a step may leave: near the end, and far from it
DIRECTIONS = 1000  # of one step
TINY = 1e-300


@dataclass(frozen=True)
class Alone:
    """The curvature of every column as if there were no others, around its mean."""

    level: Array  # (m, 1) of the constants
    mean: Array  # (m, width - 1) of the columns, rows weighing as much as they are in doubt
    curve: Array  # (m, width - 1)
    intercept: bool

    @classmethod
    def of(cls, task: Task, slope: Slope) -> Alone:
        first, second = np.split(slope.curvature / slope.weight, 2)
        level = first[:, :1].clip(TINY)
        mean = first[:, 1:] / level
        curve = (second[:, 1:] - mean * first[:, 1:]).clip(0) + task.penalty.ridge[1:]
        return cls(level, mean, curve.clip(TINY), task.intercept)

    def solved(self, residual: Array) -> Array:
        """The step that the columns would say; of several classes around their mean, as all are."""
        if self.intercept:
            found = (residual[:, 1:] - self.mean * residual[:, :1]) / self.curve
            level = residual[:, :1] / self.level - _along(self.mean, found)
        else:  # the means are columns of their own, which the others go along with
            found, each = residual[:, 1:] / self.curve, self.mean / self.curve
            share = _along(self.mean, found) / (1 / self.level + _along(self.mean, each))
            found, level = found - share * each, np.zeros_like(self.level)
        whole = np.hstack([level, found])
        return whole - whole.mean(axis=0) if len(whole) > 1 else whole


def _along(a: Array, b: Array) -> Array:
    return np.asarray((a * b).sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class TruncatedNewton:
    """Newton's method, each step as close to that of the curvature as it is worth.

    It ends where no weight of the columns as they came is off by more than ``tol``² any longer: the
    penalty holds each, so that the descent that is left bounds how far it is from its end, and the
    last step leaves a hundredth of that.
    """

    task: Task
    theta: Array  # (m, width)
    trial: Trial | None = None
    trace: Trace = ()

    stride: ClassVar[int] = 1
    done: ClassVar[bool] = False

    @classmethod
    def begun(cls, task: Task, held: float, tol: float) -> TruncatedNewton:
        """From the first weights, where a penalty of ``held`` w² / 2 holds every weight."""
        enough = min(task.enough, held * (tol**2 / CLOSE) ** 2 / 2)
        return cls(replace(task, enough=enough), task.first)

    @property
    def asked(self) -> Question:
        return Question(self.theta, "alone")

    def after(self, slope: Slope) -> TruncatedNewton | Directions | Found:
        """The first direction of the next step, or half the last step."""
        task, trial = self.task, self.trial
        objective = task.objective(self.theta, slope)
        if trial is not None and not trial.kept(objective):
            if trial.length < SHORTEST:  # rounding alone is left
                return ended(task, trial.theta, trial.objective, slope.least, self.trace, False)
            return replace(self, trial=trial.halved(), theta=trial.halved().reached)
        if len(self.trace) >= task.most:
            return ended(task, self.theta, objective, slope.least, self.trace, False)
        gradient, alone = task.gradient(self.theta, slope), Alone.of(task, slope)
        along = alone.solved(-gradient)
        found = Directions(
            replace(self, trial=None), objective, slope.least, gradient, alone,
            np.zeros_like(gradient), -gradient, along, -float((gradient * along).sum()),
        )  # fmt: skip
        return found if found.first > 0 else found.stepped()


@dataclass(frozen=True)
class Directions:
    """A step on the way: how long it is already, and along what it goes on."""

    begun: TruncatedNewton
    objective: float
    least: float
    gradient: Array
    alone: Alone
    step: Array
    residual: Array  # what of the gradient is left
    along: Array
    first: float  # what was left of it before the first direction, as ``left``
    fall: float = 0.0  # of the objective by the step, were it as curved everywhere
    number: int = 0

    stride: ClassVar[int] = 1
    done: ClassVar[bool] = False

    @property
    def task(self) -> Task:
        return self.begun.task

    @property
    def asked(self) -> Question:
        return Question(self.begun.theta, along=self.along)

    @property
    def left(self) -> float:
        """The residual's length, in the curvature of the columns alone."""
        return float((self.residual * self.alone.solved(self.residual)).sum())

    def after(self, slope: Slope) -> TruncatedNewton | Directions | Found:
        """Along the direction as far as it leads down; then the next, or the step is done."""
        curve = self.task.gradient(self.along, slope)
        bend, left = float((self.along * curve).sum()), self.left
        if not bend > 0:  # flat, but for rounding
            return self.stepped()
        length = left / bend
        step, residual = self.step + length * self.along, self.residual - length * curve
        fall = float(((self.gradient - residual) * step).sum()) / 2
        found = replace(self, step=step, residual=residual, fall=fall, number=self.number + 1)
        if found._close():
            return found.stepped()
        onward = self.alone.solved(residual) + found.left / left * self.along
        return replace(found, along=onward)

    def _close(self) -> bool:
        """Whether so little of the gradient is left that the step is as good as its curvature."""
        trace = self.begun.trace
        enough = float(np.sqrt(-trace[-1][1]).clip(CLOSE, LOOSE)) if trace else LOOSE
        return self.left <= enough**2 * self.first or self.number >= DIRECTIONS

    def stepped(self) -> TruncatedNewton | Found:
        """The step is tried; or it was the last."""
        begun, task = self.begun, self.task
        promise = float((self.gradient * self.step).sum())
        trace = (*begun.trace, (self.objective, promise))
        hidden = self._hidden(promise)
        if hidden or -promise / 2 <= task.enough:
            found = ended(
                task, begun.theta + self.step, self.objective + self.fall, self.least, trace, True
            )
            return replace(found, rounded=hidden and -promise / 2 > task.enough)
        trial = Trial(begun.theta, self.objective, self.step, promise)
        return replace(begun, theta=trial.reached, trial=trial, trace=trace)

    def _hidden(self, promise: float) -> bool:
        """Whether rounding hides what is left: a step promises hardly less than the one before."""
        trace = self.begun.trace
        if not trace or -promise > ROUNDED * max(1.0, abs(self.objective)):
            return False
        return promise >= 0 or promise < 0.25 * trace[-1][1]
