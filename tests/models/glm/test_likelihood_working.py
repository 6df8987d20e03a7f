"""The working of logistic and Poisson regression: numbers follow from the printed operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.workings import Grid
from tests.workings.recomputed import check_formulas, check_lines, interval_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)).round(2)
TWO = np.where(X[:, 0] + RNG.normal(size=40) > 0, "yes", "no")
THREE = RNG.choice(["a", "b", "c"], 40)
COUNTS = RNG.poisson(np.exp(0.5 * X[:, 0] + 1))


@pytest.mark.parametrize("C", [1.0, float("inf")])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("solver", ["auto", "lbfgs"])
def test_the_steps_of_logistic_regression_lower_the_objective(
    C: float, y: Any, solver: str
) -> None:
    model = tl.LogisticRegression(C=C, solver=solver).fit(X, y)
    work = model.show_work()
    grid = next(s for s in work.steps if isinstance(s, Grid) and s.title.startswith("steps of"))
    assert grid.header[-1] == "descent"
    values = [interval_of(row[1]) for row in grid.rows]
    for row, now, after in zip(grid.rows, values, values[1:], strict=False):
        assert (now - after).meets(interval_of(row[-1]))
    assert check_formulas(work) == (1 if C == 1.0 else 2)
    check_lines(work)


def test_a_newton_step_promises_half_of_the_slope() -> None:
    work = tl.LogisticRegression(C=float("inf")).fit(X, TWO).show_work()
    grid = next(s for s in work.steps if isinstance(s, Grid) and s.title.startswith("steps of"))
    # near the minimum the quadratic model is exact
    _, _, promised, fell = grid.rows[-3]
    assert float(promised) == pytest.approx(float(fell), rel=0.1)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_the_objective_of_poisson_regression_follows(alpha: float) -> None:
    work = tl.PoissonRegressor(alpha=alpha).fit(X, COUNTS).show_work()
    assert check_formulas(work) == 2
    check_lines(work)
