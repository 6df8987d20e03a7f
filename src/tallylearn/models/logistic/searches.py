"""Searches: where a fit stands between two rounds, by Newton's steps or by quasi-Newton ones.

A search begins on some of the rows where there are many: steps towards what a sixteenth of them
says cost a sixteenth, and end so near that a few rounds over all rows are left. Of those only the
gradient is asked: the curvature of the sample leads them. Where several classes make curvatures
dear, steps of the gradient alone come near, over a sample too, and one curvature or few end it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from tallylearn.blas import one_thread
from tallylearn.kernels import likelihoods
from tallylearn.models.logistic.loss_slopes import Slope
from tallylearn.models.logistic.penalties import Penalty
from tallylearn.models.logistic.search_tasks import NONE, ROUNDED, Found, Task, Trace, Trial, ended
from tallylearn.models.logistic.separation import Doubt, collinear
from tallylearn.tables import Array

SHORTEST = 1e-12  # step length: below, rounding hides all descent
KEPT = 12  # pairs of steps and changes of the gradient
SLOWER = 1e-4  # a last step of Newton leaves the square of an error, others a tenth of it
SWEEPS = 500  # rounds of coordinate descent for one step
NEAR = 1e-7  # descent that is left where Newton's steps take over
STEPS = 40  # that lead there, or as near as they come


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
    doubt: Doubt | None = None
    full: bool = False  # Newton's steps over all rows too

    curved: ClassVar[bool] = True
    done: ClassVar[bool] = False

    def after(self, slope: Slope) -> Newton | QuasiNewton | Found:
        """A step further."""
        if self.doubt is not None and self.doubt.asked:
            self.doubt.answered(slope, self.task.names)
            return replace(self, doubt=None)
        task, objective = self.task, self.task.objective(self.theta, slope)
        if self.trial is not None and not self.trial.kept(objective):
            return self._back(slope)
        if self.stride == 1 and not self.trial and objective > task.null * (1 + 1e-12):
            return replace(self, theta=task.first, trial=Trial(task.first, np.inf, NONE, 0.0))
        step, promise = self._step(slope)
        hidden = self._hidden(objective, promise)
        rested = self.stride == 1 and (-promise / 2 <= task.enough or hidden)
        if self.stride == 1 and not rested and task.penalty.nothing:
            Doubt.check(slope, task.names, self.theta)
        if len(self.trace) >= task.most:
            return ended(
                task, self.theta, objective, slope.least, self.trace, rested, self.stride > 1
            )
        trace = (*self.trace, (objective, promise))
        if rested:
            found = ended(
                task, self.theta + step, objective + promise / 2, slope.least, trace, True
            )
            return replace(found, rounded=hidden and -promise / 2 > task.enough)
        if self.stride > 1 and (
            -promise / 2 <= chance(self.theta.size, slope.weight) or self.here >= 12
        ):
            return self._on_all(slope, self.theta + step, trace)
        trial = Trial(self.theta, objective, step, promise)
        return Newton(
            task, trial.reached, self.stride, trial, trace, self.here + 1, self._doubt(step, trace),
            self.full,
        )  # fmt: skip

    @property
    def asked(self) -> Array:
        """The weights that the rows are asked about."""
        return self.theta if self.doubt is None or not self.doubt.asked else self.doubt.direction

    def _back(self, slope: Slope) -> Newton | Found:
        trial = self.trial
        assert trial is not None
        if trial.length < SHORTEST:
            # rounding alone is left; the gradient there may still be large where rows are extreme
            return ended(
                self.task, trial.theta, trial.objective, slope.least, self.trace, False,
                self.stride > 1,
            )  # fmt: skip
        return replace(self, trial=trial.halved(), theta=trial.halved().reached)

    def _step(self, slope: Slope) -> tuple[Array, float]:
        task, gradient = self.task, self.task.gradient(self.theta, slope)
        curve = task.curvature(slope)
        if task.penalty.lasso.any():
            step = _shrunk(curve, gradient, task.penalty, self.theta)
        else:
            first = task.penalty.nothing and self.stride == 1 and not self.here
            step = -_solved(curve, gradient.ravel(), task.names if first else ()).reshape(
                gradient.shape
            )
        return step, float((gradient * step).sum()) + task.penalty.cost(self.theta, step)

    def _hidden(self, objective: float, promise: float) -> bool:
        """Whether rounding hides what is left: steps that would square it promise as much again."""
        if not self.here or -promise > ROUNDED * max(1.0, abs(objective)):
            return False
        return promise < 0.25 * self.trace[-1][1] or promise >= 0

    def _on_all(self, slope: Slope, theta: Array, trace: Trace) -> Newton | QuasiNewton:
        if self.full or self.task.penalty.lasso.any():
            return Newton(self.task, theta, 1, None, trace, 0, None, self.full)
        curve = self.task.curvature(slope)
        task = replace(self.task, enough=SLOWER * self.task.enough)
        return QuasiNewton(task, theta, _inverse(curve), trace=trace, again=True)

    def _doubt(self, step: Array, trace: Trace) -> Doubt | None:
        if not self.task.penalty.nothing or self.stride > 1 or self.here < 8:
            return None
        slow = trace[-1][1] < 0.1 * trace[-2][1]  # Newton's steps would promise far less by now
        return Doubt(step / np.linalg.norm(step)) if slow else None


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
    again: bool = False  # Newton's steps are affordable, should these not come to rest
    last: Task | None = None  # what Newton's steps solve, from where these end
    stride: int = 1  # every so-many-th row

    curved: ClassVar[bool] = False
    done: ClassVar[bool] = False

    @classmethod
    def towards(cls, task: Task, stride: int, rows: float) -> QuasiNewton:
        """Steps that come near, for Newton's to begin there: of a sample as near as it is right."""
        enough = NEAR if stride == 1 else max(NEAR, 0.1 * chance(task.first.size, rows / stride))
        near = replace(task, enough=enough, most=min(STEPS, task.most))
        return cls(near, task.first, last=task, stride=stride)

    @property
    def asked(self) -> Array:
        return self.theta

    def after(self, slope: Slope) -> Newton | QuasiNewton | Found:
        """A step further."""
        found = self._after(slope)
        if self.last is None or not isinstance(found, Found):
            return found
        return Newton(self.last, found.theta, self.stride, trace=found.trace)

    def _after(self, slope: Slope) -> Newton | QuasiNewton | Found:
        task, objective = self.task, self.task.objective(self.theta, slope)
        if self.trial is None and objective > task.null * (1 + 1e-12) and self.again:
            return Newton(task, task.first, trace=self.trace)
        if self.trial is not None and not self.trial.kept(objective):
            if self.trial.length < SHORTEST:
                return self._stuck(slope)
            return replace(self, trial=self.trial.halved(), theta=self._within(self.trial.halved()))
        gradient = task.gradient(self.theta, slope)
        if task.penalty.nothing and slope.least > 0:
            Doubt.check(slope, task.names, self.theta)
        found = self._remembering(gradient)
        steepest = task.penalty.steepest(self.theta, gradient)
        with one_thread():
            direction = found._direction(steepest)
        promise = float((steepest * direction).sum())
        hidden = -promise <= ROUNDED**2 * max(1.0, abs(objective))  # the square of a gradient's
        rested = -promise / 2 <= task.enough or hidden
        if len(self.trace) >= task.most:
            return ended(task, self.theta, objective, slope.least, self.trace, rested)
        trace = (*self.trace, (objective, promise))
        if rested:
            theta = self.theta + direction if not task.penalty.lasso.any() else self.theta
            reached = ended(task, theta, objective, slope.least, trace, True)
            return replace(reached, rounded=hidden and -promise / 2 > task.enough)
        if self.again and len(trace) > 25 and task.penalty.nothing:
            return Newton(task, self.theta, trace=trace)  # nearly singular, or separated
        long = 1.0 if self.inverse.size or found.steps else float(np.linalg.norm(steepest))
        trial = Trial(self.theta, objective, direction, promise, 1 / max(1.0, long))
        return replace(
            found, trial=trial, theta=found._within(trial), gradient=gradient, trace=trace
        )

    def _stuck(self, slope: Slope) -> QuasiNewton | Found:
        """No step along this direction leads downhill: begin anew, or end."""
        trial = self.trial
        assert trial is not None
        if self.steps:
            return replace(self, steps=(), changes=(), trial=None, theta=trial.theta)
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
        """The two loops of L-BFGS."""
        q, back = -gradient.ravel(), []
        pairs = [(s.ravel(), c.ravel()) for s, c in zip(self.steps, self.changes, strict=True)]
        for s, c in reversed(pairs):
            rho = 1 / float(s @ c)
            back.append((rho, rho * float(s @ q)))
            q = q - back[-1][1] * c
        if self.inverse.size:
            q = self.inverse @ q
        elif pairs:
            s, c = pairs[-1]
            q = q * (float(s @ c) / float(c @ c))
        for (s, c), (rho, a) in zip(pairs, reversed(back), strict=True):
            q = q + (a - rho * float(c @ q)) * s
        found = q.reshape(gradient.shape)
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


State = Newton | QuasiNewton | Found


def chance(weights: int, rows: float) -> float:
    """A sample need not be fitted closer than it is wrong by chance."""
    return 0.01 * weights / rows


def _solved(curve: Array, gradient: Array, names: tuple[str, ...]) -> Array:
    """curve⁻¹ gradient, every column scaled to a curvature of 1 meanwhile."""
    scale = np.sqrt(np.diag(curve).clip(1e-300))
    scaled = curve / scale / scale[:, None]
    with one_thread():
        if names:
            collinear(scaled, names)
        try:
            np.linalg.cholesky(scaled)
            found = np.linalg.solve(scaled, gradient / scale)
        except np.linalg.LinAlgError:
            found = np.linalg.lstsq(scaled, gradient / scale, rcond=1e-12)[0]
    return np.asarray(found / scale)


def _inverse(curve: Array) -> Array:
    """The inverse of a curvature; where there is none, of what of it is not flat."""
    scale = np.sqrt(np.diag(curve).clip(1e-300))
    scaled = curve / scale / scale[:, None]
    with one_thread():
        try:
            np.linalg.cholesky(scaled)
            found = np.linalg.inv(scaled)
        except np.linalg.LinAlgError:
            found = np.linalg.pinv(scaled, rcond=1e-12, hermitian=True)
    return np.asarray(found / scale / scale[:, None])


def _shrunk(curve: Array, gradient: Array, penalty: Penalty, theta: Array) -> Array:
    """The step of the quadratic and the lasso."""
    lasso = np.ascontiguousarray(np.broadcast_to(penalty.lasso, theta.shape)).ravel()
    step, slope = np.zeros(theta.size), gradient.ravel().copy()
    likelihoods.shrink(
        np.ascontiguousarray(curve), slope, lasso, theta.ravel().copy(), step, SWEEPS, 1e-22
    )
    return step.reshape(theta.shape)
