"""Gradient descent on the loss of all rows, step by step, as it is done on paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, OptionError, listed, told
from tallylearn.models.glm.gradient_descent import given_numbers
from tallylearn.models.glm.logistic.line_search import Found, Task
from tallylearn.models.glm.logistic.logistic_plan import Plan
from tallylearn.models.glm.logistic.loss_derivatives import Question, Slope
from tallylearn.tables import Array

ROOM = 10_000  # numbers of the steps that are kept


@dataclass(frozen=True)
class GradientSteps:
    """w ← w − rate · gradient: of the mean cross-entropy, or of half the sum of squared errors.

    The trace holds the loss before and the weights after a step.
    """

    task: Task
    theta: Array  # (m, width)
    rate: float
    rest: float  # done where no part of the gradient is larger
    trace: Array  # (t, 1 + M)
    steps: int = 0
    before: float = np.inf  # the loss before the first step
    last: float = np.inf  # and before the last
    risen: int = 0  # the first step that made the loss larger

    stride: ClassVar[int] = 1
    done: ClassVar[bool] = False

    @classmethod
    def begun(
        cls, plan: Plan, task: Task, initial: Any, rate: float, rest: float
    ) -> GradientSteps:  # fmt: skip
        """From the weights that were given, in the order of the table, or from 0."""
        first = np.zeros((task.scaling.m, task.scaling.width))
        if initial is not None:
            given = _given(initial, plan, task)
            first[:, 1 + plan.order] = given[:, -len(plan.order) :]
            first[:, 0] = given[:, 0] if task.intercept else 0.0
        return cls(task, first, rate, rest, np.empty((0, 1 + first.size)))

    @property
    def asked(self) -> Question:
        return Question(self.theta)

    def after(self, slope: Slope) -> GradientSteps | Found:
        """A step further; or the end, when what the last step came to is known."""
        times = slope.weight if self.task.scaling.squared else 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            loss = times * self.task.objective(self.theta, slope)
            gradient = times * self.task.gradient(self.theta, slope)
        risen = self.risen or (self.steps if loss > self.last * (1 + 1e-12) else 0)
        found = replace(
            self, last=loss, risen=risen, before=loss if not self.steps else self.before
        )
        if not (np.isfinite(loss) and np.isfinite(gradient).all()):
            raise found._diverged(loss)
        rested = float(np.abs(gradient).max()) <= self.rest
        if rested or self.steps == self.task.most:
            return found._ended(loss, slope.least, rested)
        with np.errstate(over="ignore", invalid="ignore"):
            theta = self.theta - self.rate * gradient
        if not np.isfinite(theta).all():
            raise replace(found, steps=self.steps + 1)._diverged(np.inf)
        trace = self.trace
        if (len(trace) + 1) * (1 + theta.size) <= max(ROOM, 5 * (1 + theta.size)):
            trace = np.vstack([trace, [loss, *theta.ravel()]])
        return replace(found, theta=theta, steps=self.steps + 1, trace=trace)

    def _ended(self, loss: float, least: float, rested: bool) -> Found:
        if self.risen and not loss <= self.before:
            raise self._diverged(loss)
        return Found(
            self.task, self.theta, loss, least, self.steps, rested,
            path=self.trace, overshot=self.risen,
        )  # fmt: skip

    def _diverged(self, loss: float) -> InputError:
        far = f"{loss:.4g}" if np.isfinite(loss) else "what no double holds"
        return InputError(
            f"the steps are too long: step {self.risen or self.steps}, of rate {self.rate:g}, was "
            f"the first to make the loss larger, and after {self.steps} it has gone from "
            f"{self.before:.4g} to {far}. Take a smaller rate, or scale the columns."
        )


def _given(initial: Any, plan: Plan, task: Task) -> Array:
    """(m, width) the first weights, without a constant where there is none."""
    m, size = task.scaling.m, task.scaling.width - (not task.intercept)
    given = np.atleast_2d(given_numbers(initial))
    if given.shape == (m, size) and np.isfinite(given).all():
        return given
    others, first = listed(plan.classes[1:]), told(plan.classes[0])
    whose = f" for each of the classes {others}, which are compared with {first}" if m > 1 else ""
    raise OptionError(
        f"initial should be {size} finite numbers{whose}: {'w0 and ' if task.intercept else ''}one "
        f"for every column. It is {told(initial)}."
    )
