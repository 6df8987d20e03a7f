"""The working of discriminants: every number follows from the printed operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.workings import Grid
from tests.workings.arithmetic import check_explanation, check_working


def frame(columns: int, classes: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, classes, 60)
    x = rng.normal(size=(60, columns)) @ rng.normal(size=(columns, columns)) + kind[:, None] * 2
    table = pd.DataFrame(x * 10 + 50, columns=[f"x{j}" for j in range(columns)])
    table["kind"] = np.array(list("pqrstu"))[kind]
    return table


LEARNERS = [
    tl.LinearDiscriminantAnalysis(), tl.LinearDiscriminantAnalysis(solver="eigen"),
    tl.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3),
    tl.QuadraticDiscriminantAnalysis(),
    tl.QuadraticDiscriminantAnalysis(reg_param=0.2),
]  # fmt: skip


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("columns", [1, 2, 3, 5])
@pytest.mark.parametrize("classes", [2, 3, 6])
def test_every_printed_number_follows_from_the_printed_operands(
    learner: Any, columns: int, classes: int
) -> None:
    table = frame(columns, classes)
    learner.fit(table, "kind")
    work = learner.show_work()
    checked = check_working(work.steps)
    linear = isinstance(learner, tl.LinearDiscriminantAnalysis)
    assert checked >= (columns if columns < (4 if linear else 3) and classes < 4 else 0)
    assert max(map(len, str(work).splitlines())) <= 80
    rows = frame(columns, classes, 1).drop(columns="kind")[:8]
    found = learner.explain(rows)
    assert check_explanation(found) >= 8 * (classes + 1)
    for row, proba in zip(found, learner.predict_proba(rows), strict=True):
        *_, share = str(row).splitlines()[-1].split(" = ")
        assert float(share) == pytest.approx(proba.max(), rel=1e-3)


def test_coefficients_are_worked_out_from_means_and_the_inverse_covariance() -> None:
    x = [[1, 1], [2, 1], [1, 3], [3, 2], [8, 8], [9, 8], [8, 10], [7, 9]]
    work = str(tl.LinearDiscriminantAnalysis().fit(x, ["a"] * 4 + ["b"] * 4).show_work())
    assert "cov(x0, x1) = 4/8 · (-0.0625) + 4/8 · (-0.25) = -0.1562" in work
    assert "determinant = 0.5938 · 0.6875 - (-0.1562)² = 0.3838" in work
    assert "w(x0) = 1.791 · (1.75 - 8) + 0.4071 · (1.75 - 8.75) = -14.05" in work
    assert "divided by their number N, not by N - 1" in " ".join(work.split())


def test_what_rounding_leaves_of_zero_is_printed_as_zero() -> None:
    """Uncorrelated columns: a covariance of 3e-18, and a weight of the same size."""
    base = np.array([[-0.1, -0.3], [-0.1, 0.3], [0.1, -0.3], [0.1, 0.3]])
    x = np.vstack([base, base + np.array([0.7, 0.0])])
    model = tl.LinearDiscriminantAnalysis().fit(x, [0] * 4 + [1] * 4)
    for work in (model, tl.QuadraticDiscriminantAnalysis().fit(x, [0] * 4 + [1] * 4)):
        assert "e-1" not in str(work.show_work())
    grid = next(
        s for s in model.show_work().steps if isinstance(s, Grid) and s.title == "covariance Σ"
    )
    assert grid.rows[0][2] == grid.rows[1][1] == "0"


def test_rows_far_from_zero_are_worked_out_from_the_mean() -> None:
    table = frame(2, 2)
    table["x0"] += 1e6
    model = tl.LinearDiscriminantAnalysis().fit(table, "kind")
    assert check_explanation(model.explain(table.drop(columns="kind")[:5])) >= 15
