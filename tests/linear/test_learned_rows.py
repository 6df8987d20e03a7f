"""The rows that linear models learn from, and count, by their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl

RNG = np.random.default_rng(3)
X = RNG.normal(size=(200, 3)).round(2)
Y = (X @ [1, 2, 0] + RNG.normal(size=200)).round(2)
LIGHT = np.linspace(0.1, 0.9, 200)


@pytest.mark.parametrize("learner", [tl.LinearRegression(missing="drop"), tl.Ridge(missing="drop")])
def test_importances_of_rows_with_gaps_are_dropped_with_them(learner: Any) -> None:
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y, w=LIGHT)
    frame.loc[150, "a"] = None
    found = [
        learner.fit(tl.table(rows, target="y", importance="w")).model_
        for rows in (frame, frame.dropna())
    ]
    assert found[0].rows == found[1].rows == 199
    np.testing.assert_allclose(found[0].coef, found[1].coef, rtol=1e-12)
    np.testing.assert_allclose(found[0].rest, found[1].rest, rtol=1e-12)


def test_importances_of_rows_with_gaps_leave_wide_tables_with_them() -> None:
    wide = RNG.normal(size=(30, 2100))
    y, weight = wide[:, 0] + 0.1 * RNG.normal(size=30), LIGHT[:30]
    gappy = wide.copy()
    gappy[7, 5] = np.nan
    rest = np.arange(30) != 7
    some = tl.Lasso(0.1, missing="drop").fit(gappy, y, sample_weight=weight)
    none = tl.Lasso(0.1, missing="drop").fit(wide[rest], y[rest], sample_weight=weight[rest])
    assert some.model_.rows == pytest.approx(29)
    np.testing.assert_allclose(some.coef_, none.coef_, atol=1e-9)
