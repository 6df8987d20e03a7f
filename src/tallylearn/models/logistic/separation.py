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
from tallylearn.models.logistic.curvatures import flattest
from tallylearn.models.logistic.loss_slopes import Question, Scaling, Slope
from tallylearn.models.logistic.search_tasks import ROUNDED, Found, Task
from tallylearn.tables import Array

ON_THE_BORDER = 1e-9  # of a direction of length 1: a score that is nearer to 0 is on it
SLIGHT = 1e-4  # of the largest weight of a direction: what rounding may have left
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
    separates, and of both where columns follow from each other. Of several the next is asked about
    where rows are on the wrong side of both.
    """

    task: Task
    direction: Array
    others: tuple[Array, ...]
    instead: Found
    wrong: bool | None = None  # whether rows were on the wrong side of the opposite

    stride: ClassVar[int] = 1
    done: ClassVar[bool] = False

    @classmethod
    def beside(cls, task: Task, curve: Array, ways: tuple[Array, ...], instead: Found) -> Border:
        """The directions without curvature: along these ways, and of single weights."""
        ways = tuple(way for way in ways if way.size)
        found = flattest(curve, task.constants, ways)
        found[len(ways) :] = [_cleared(task.scaling, one) for one in found[len(ways) :]]
        first, *others = [one / np.linalg.norm(one) for one in found if one.any()]
        return cls(task, first, tuple(others), instead)

    @property
    def asked(self) -> Question:
        return Question(self.direction)

    def after(self, slope: Slope) -> Border | Found:
        """Raise where there are no weights that are the only ones or the most likely."""
        wrong, names = slope.least < -ON_THE_BORDER, self.task.names
        if self.wrong is None:
            return replace(self, direction=-self.direction, wrong=wrong)
        if wrong and self.wrong:
            if not self.others:
                return self.instead
            first, *others = self.others
            return Border(self.task, first, tuple(others), self.instead)
        if not (wrong or self.wrong):
            raise collinear(self.direction.reshape(1, -1), names, self.task.scaling.p)
        whose = "all but those of some rows on a border"
        raise separated(self.direction, names, whose, self.task.scaling.p)


def _cleared(scaling: Scaling, direction: Array) -> Array:
    """Without the weights that are there by rounding: rows of 0 lie on the border then."""
    weights, bias = scaling.plain(direction)
    size = np.abs(direction).max()
    weights = np.where(np.abs(direction[:, 1:]) > SLIGHT * size, weights, 0.0)
    return scaling.scaled(weights, np.where(np.abs(bias) > SLIGHT * size, bias, 0.0))


def check_apart(slope: Slope, names: tuple[str, ...], theta: Array) -> None:
    """Raise where the weights themselves put every row on the side of its class."""
    if slope.least > 0:
        raise separated(theta, names, "of all rows")


def separated(direction: Array, names: tuple[str, ...], whose: str, columns: int = 0) -> InputError:
    """Why there are no weights, and what to do."""
    size = np.abs(direction[:, 1:]).max(axis=0)
    most = [names[j] for j in np.argsort(-size)[:5] if size[j] > 0.01 * size.max()]
    return InputError(
        f"the classes are separated, {whose}, mostly by {listed(most)}: the longer the weights, "
        "the more likely are the rows, and no finite ones are the most likely. Take a penalty, "
        f"such as C=1, leave those columns out,{_filled(most, names[:columns])} or take Perceptron "
        "or a tree for the border alone."
    )


def collinear(null: Array, names: tuple[str, ...], columns: int) -> ColumnError:
    """Why no weights are the only ones, by directions (f, M) in which there is no curvature."""
    width = len(names) + 1
    size = np.abs(null).max(axis=0).reshape(-1, width).max(axis=0)[1:]
    found = [name for name, share in zip(names, size, strict=True) if share > 1e-4 * size.max()]
    many = -(-len(null) * width // null.shape[1])
    return ColumnError(
        f"{listed(found)} {'does not vary' if len(found) == 1 else 'follow from each other'}, and "
        f"without a penalty no weights are the only ones. Leave {_out(many)}out,"
        f"{_filled(found, names[:columns])} or take a penalty, such as C=1."
    )


def _out(many: int) -> str:
    return "one " if many == 1 else f"{many} of them "


def _filled(found: list[str], columns: tuple[str, ...]) -> str:
    """What helps against the indicator of a gap, which is no column of the table."""
    some = any(name.endswith(" missing") and name in columns for name in found)
    return " take missing='mean'," if some else ""
