"""Gradient descent with a fixed learning rate, as it is done on paper: θ ← θ - rate · gradient."""

from __future__ import annotations

import numpy as np

from tallylearn.errors import InputError
from tallylearn.models.glm.objective import Objective, Solution
from tallylearn.tables import Array

KEPT_NUMBERS = 10_000  # of the path: the losses and coefficients of the first steps
MIN_KEPT_STEPS = 5  # however many coefficients there are
RISEN = 1e-12  # relative: a smaller rise of the loss is rounding error


def gradient_descent(
    objective: Objective, start: Array, *, rate: float, tol: float, max_iter: int,
    summed: bool = False,
) -> Solution:  # fmt: skip
    """Minimise an objective by gradient descent; steps too long are an error.

    Parameters
    ----------
    start : (m, width) the first coefficients.
    rate : the learning rate: how much of the gradient is a step.
    tol : converged where no part of the gradient is larger.
    max_iter : the most steps.
    summed : whether the objective is the sum of the losses in the place of their mean.
    """
    coef, n_steps, risen, first, last = start, 0, 0, np.inf, np.inf
    path = [np.empty((0, 1 + start.size))]
    while True:
        at = objective.at(coef)
        times = at.sums.weight if summed else 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            loss, gradient = times * at.value, times * at.gradient
        if not n_steps:
            first = loss
        elif not risen and loss > last * (1 + RISEN):
            risen = n_steps
        last = loss
        if not (np.isfinite(loss) and np.isfinite(gradient).all()):
            raise _divergence_error(rate, risen, n_steps, first, loss)
        converged = float(np.abs(gradient).max()) <= tol
        if converged or n_steps == max_iter:
            if risen and not loss <= first:
                raise _divergence_error(rate, risen, n_steps, first, loss)
            return Solution(
                coef, loss, at.margin, [], converged, path=np.concatenate(path), n_steps=n_steps,
                overshot=risen,
            )  # fmt: skip
        n_steps += 1
        with np.errstate(over="ignore", invalid="ignore"):
            coef = coef - rate * gradient
        if not np.isfinite(coef).all():
            raise _divergence_error(rate, risen, n_steps, first, np.inf)
        if n_steps * (1 + coef.size) <= max(KEPT_NUMBERS, MIN_KEPT_STEPS * (1 + coef.size)):
            path.append(np.array([[loss, *coef.ravel()]]))


def _divergence_error(
    rate: float, risen: int, n_steps: int, first: float, loss: float
) -> InputError:
    far = f"{loss:.4g}" if np.isfinite(loss) else "infinity"
    return InputError(
        f"gradient descent diverged with learning_rate={rate:g}: the loss first increased at step "
        f"{risen or n_steps}, and rose from {first:.4g} to {far} by step {n_steps}. Use a smaller "
        "learning_rate, or put tl.StandardScaler() before this estimator in a tl.Pipeline."
    )
