"""Forgetting rows that were never learned: what no rows can have left is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import ForgetError

X, Y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 5.0]
PAIRS = np.column_stack([X, Y])


@pytest.mark.parametrize(
    "kind", [tl.LinearRegression, tl.Ridge, tl.Lasso, tl.ElasticNet, tl.SubsetSelection]
)
def test_a_covariance_beyond_its_variances_was_not_learned(kind: Any) -> None:
    model = kind(exact=True).fit(X, Y)
    before = model.predict(X).tolist()
    with pytest.raises(ForgetError, match="correlated by more than 1"):
        model.forget([[1.0]], [5.0])
    assert model.predict(X).tolist() == before
    model.forget([[1.0]], [1.0])


def test_a_covariance_of_two_columns_is_looked_at_in_every_class() -> None:
    with pytest.raises(ForgetError, match="correlated by more than 1"):
        tl.PCA(exact=True).fit(PAIRS).forget([[1.0, 5.0]])
    model = tl.LinearDiscriminantAnalysis(exact=True)
    model.fit(np.vstack([PAIRS, PAIRS + 1]), [*"aaaabbbb"])
    with pytest.raises(ForgetError, match="correlated by more than 1"):
        model.forget([[1.0, 5.0]], ["a"])


@pytest.mark.parametrize("seed", range(5))
def test_learned_rows_with_gaps_and_weights_are_never_refused(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({
        "far": rng.normal(size=12) * 1e8, "near": rng.normal(size=12) * 1e-9,
        "word": rng.choice([*"xyz"], 12), "gap": np.where(rng.random(12) < 0.3, np.nan, 1.0),
    })  # fmt: skip
    table.loc[rng.random(12) < 0.3, "word"] = None
    y, weight = rng.normal(size=12), rng.random(12)
    model = tl.Ridge(exact=True).fit(table, y, sample_weight=weight)
    for rows in (slice(0, 5), slice(5, 11)):
        model.forget(table[rows], y[rows], sample_weight=weight[rows])
