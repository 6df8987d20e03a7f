"""Separation: where columns tell the classes apart, no finite weights are the most likely.

Weights along the direction that separates make every row more likely, without end. A direction that
puts all rows on the side of their class, or some of them on the border, is the proof. It is looked
for where weights are hardly held: a leap along the step shows whether they go on without end, and
where all that moves is certain, the rows are asked about the direction that is left without any
curvature.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError, InputError, listed
from tallylearn.models.logistic.loss_slopes import Question, Slope
from tallylearn.models.logistic.search_tasks import ROUNDED, Found, Task
from tallylearn.tables import Array

ON_THE_BORDER = 1e-9  # of a direction of length 1: a score that is nearer to 0 is on it
LEAP = 64.0  # steps at a time: e⁻⁶⁴ of a doubt is left


@dataclass(frozen=True)
class Leap:
    """Many steps at once, where every one promises nearly as much as the last."""

    task: Task
    theta: Array
    landed: Any  # the search from there
    instead: Any  # where to go on if the leap leads uphill
    objective: float

    stride: ClassVar[int] = 1
    done: ClassVar[bool] = False

    @property
    def asked(self) -> Question:
        return Question(self.theta)

    def after(self, slope: Slope) -> Any:
        """The search from there, if it leads downhill."""
        check_apart(slope, self.task.names, self.theta)
        reached = self.task.objective(self.theta, slope)
        slack = ROUNDED * max(1.0, abs(self.objective))
        return self.landed if reached <= self.objective + slack else self.instead


@dataclass(frozen=True)
class Border:
    """A direction without curvature: it separates, or columns follow from each other, or neither.

    Rows are asked about it, and about its opposite: none is on the wrong side of one that
    separates, and of both where columns follow from each other.
    """

    task: Task
    direction: Array
    instead: Found
    other: bool | None = None  # whether rows were on the wrong side of the opposite

    stride: ClassVar[int] = 1
    done: ClassVar[bool] = False

    @property
    def asked(self) -> Question:
        return Question(self.direction)

    def after(self, slope: Slope) -> Border | Found:
        """Raise where there are no weights that are the only ones or the most likely."""
        wrong = slope.least < -ON_THE_BORDER
        if self.other is None:
            return replace(self, direction=-self.direction, other=wrong)
        if wrong and self.other:
            return self.instead
        if not (wrong or self.other):
            raise collinear(self.direction.reshape(1, -1), self.task.names)
        raise separated(self.direction, self.task.names, "all but those of some rows on a border")


def check_apart(slope: Slope, names: tuple[str, ...], theta: Array) -> None:
    """Raise where the weights themselves put every row on the side of its class."""
    if slope.least > 0:
        raise separated(theta, names, "of all rows")


def separated(direction: Array, names: tuple[str, ...], whose: str) -> InputError:
    """Why there are no weights, and what to do."""
    size = np.abs(direction[:, 1:]).max(axis=0)
    most = [names[j] for j in np.argsort(-size)[:5] if size[j] > 0.01 * size.max()]
    return InputError(
        f"the classes are separated, {whose}, mostly by {listed(most)}: the longer the weights, "
        "the more likely are the rows, and no finite ones are the most likely. Take a penalty, "
        "such as C=1, leave those columns out, or take Perceptron or a tree for the border alone."
    )


def collinear(null: Array, names: tuple[str, ...]) -> ColumnError:
    """Why no weights are the only ones, by directions (f, M) in which there is no curvature."""
    width = len(names) + 1
    size = np.abs(null).max(axis=0).reshape(-1, width).max(axis=0)[1:]
    found = [name for name, share in zip(names, size, strict=True) if share > 1e-4 * size.max()]
    filled = " take missing='mean'," if any(name.endswith(" missing") for name in found) else ""
    return ColumnError(
        f"{listed(found)} {'does not vary' if len(found) == 1 else 'follow from each other'}, and "
        f"without a penalty no weights are the only ones. Leave one out,{filled} or take a "
        "penalty, such as C=1."
    )
