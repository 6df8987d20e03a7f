"""The lasso and ridge regression beside glmnet of R on a real table.

glmnet divides every column by its standard deviation, and the target too, so that a ridge penalty
of λ is one of λ / sd(y) of what is learned here. It descends by coordinates until they hardly move:
weights agree as far as that goes, and its loss is never below ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from parity.test_naive_bayes import reference, table

THEIRS = reference("r_glmnet", "diabetes_lars")
FRAME = table("diabetes_lars")
NAMES = THEIRS["rows"][1:]
X, Y = FRAME[NAMES].to_numpy(float), FRAME["progression"].to_numpy(float)
SIGMA = X.std(axis=0)


def penalised(kind: str, at: float, weights: Any) -> float:
    """What glmnet makes small: half the mean squared error, and the penalty."""
    own = weights[1:] * SIGMA
    paid = np.abs(own).sum() if kind == "lasso" else own @ own / 2 / Y.std()
    return float(((Y - weights[0] - X @ weights[1:]) ** 2).mean() / 2 + at * paid)


def learned(kind: str, at: float) -> Any:
    """Intercept and weights in the units of the table."""
    scaler = tl.StandardScaler().fit(X)
    lasso = tl.Lasso(at, tol=1e-15, max_iter=10**6)
    model = lasso if kind == "lasso" else tl.Ridge(len(Y) * at / Y.std())
    model.fit(scaler.transform(X), Y)
    weights = model.coef_ / scaler.scale_
    return np.concatenate([[model.intercept_ - scaler.mean_ @ weights], weights])


@pytest.mark.parametrize("kind", ["lasso", "ridge"])
@pytest.mark.parametrize("k", range(len(THEIRS["lambda"])))
def test_weights_are_those_of_glmnet_and_the_loss_not_above_its(kind: str, k: int) -> None:
    at, theirs = float(THEIRS["lambda"][k]), np.array(THEIRS[kind])[:, k]
    ours = learned(kind, at)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6 * np.abs(theirs[1:]).max())
    assert [*(ours == 0)] == [*(theirs == 0)]
    assert penalised(kind, at, ours) <= penalised(kind, at, theirs) * (1 + 1e-14)
