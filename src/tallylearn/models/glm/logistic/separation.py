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
from tallylearn.models.glm.logistic.hessians import flattest
from tallylearn.models.glm.logistic.line_search import ROUNDED, Found, Task
from tallylearn.models.glm.logistic.loss_derivatives import Question, Scaling, Slope
from tallylearn.runtime.blas_threads import one_thread
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
        check_apart(slope, self.task, self.theta)
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
        wrong = slope.least < -ON_THE_BORDER
        if self.wrong is None:
            return replace(self, direction=-self.direction, wrong=wrong)
        if wrong and self.wrong:
            if not self.others:
                return self.instead
            first, *others = self.others
            return Border(self.task, first, tuple(others), self.instead)
        if not (wrong or self.wrong):
            raise collinear(self.direction.reshape(1, -1), self.task)
        whose = "all but those of some rows on a border"
        raise separated(self.direction, self.task, whose)


def _cleared(scaling: Scaling, direction: Array) -> Array:
    """Without the weights that are there by rounding: rows of 0 lie on the border then."""
    weights, bias = scaling.plain(direction)
    size = np.abs(direction).max()
    weights = np.where(np.abs(direction[:, 1:]) > SLIGHT * size, weights, 0.0)
    return scaling.scaled(weights, np.where(np.abs(bias) > SLIGHT * size, bias, 0.0))


def check_apart(slope: Slope, task: Task, theta: Array) -> None:
    """Raise where the weights themselves put every row on the side of its class."""
    if slope.least > 0:
        raise separated(theta, task, "of all rows")


def separated(direction: Array, task: Task, whose: str) -> InputError:
    """Why there are no weights, and what to do."""
    names, columns = task.names, task.scaling.p
    size = np.abs(direction[:, 1:]).max(axis=0)
    worst = [j for j in np.argsort(-size)[:5].tolist() if size[j] > 0.01 * size.max()]
    most = [names[j] for j in worst]
    ways = ["such as C=1", *([] if len(most) == len(names) else [_left(worst, columns)])]
    ways += _filled(most, names[:columns])
    return InputError(
        f"the classes are separated, {whose}, mostly by {listed(most)}: the longer the weights, "
        "the more likely are the rows, and no finite ones are the most likely. Take a penalty, "
        f"{', '.join(ways)}, or take Perceptron or a tree for the border alone."
    )


def collinear(null: Array, task: Task) -> ColumnError:
    """Why no weights are the only ones, by directions (f, M) in which there is no curvature."""
    from scipy.linalg import qr

    names, columns = task.names, task.scaling.p
    width = len(names) + 1
    rows = null.reshape(-1, width)[:, 1:]
    size = np.abs(rows).max(axis=0)
    found = [name for name, share in zip(names, size, strict=True) if share > 1e-4 * size.max()]
    many = -(-len(null) * width // null.shape[1])
    with one_thread():  # without those the directions end: the others do not follow from each other
        pivots = np.sort(qr(rows, mode="r", pivoting=True)[1][:many])
    out = listed([names[j] for j in pivots], most=20)
    ways = [f"Leave {'one' if many == 1 else f'{many} of them'} out, such as {out}"]
    ways += [*_filled(found, names[:columns]), "or take a penalty, such as C=1"]
    why = "follow from each other"
    if len(found) <= many:
        why = f"{'does' if len(found) == 1 else 'do'} not vary"
        ways[0] = f"Leave {'it' if len(found) == 1 else 'them'} out"
    return ColumnError(
        f"{listed(found)} {why}, and without a penalty no weights are the only ones. "
        f"{', '.join(ways)}."
    )


def _left(worst: list[int], columns: int) -> str:
    """How columns are left out, and words, which are none."""
    if min(worst) >= columns:
        return "leave those words out by stop_words= or min_df="
    return "leave those columns out"


def _filled(found: list[str], columns: tuple[str, ...]) -> list[str]:
    """What helps against the indicator of a gap, which is no column of the table."""
    some = any(name.endswith(" missing") and name in columns for name in found)
    return ["take missing='mean'"] if some else []
