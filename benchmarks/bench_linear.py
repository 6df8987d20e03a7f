"""Linear models beside scikit-learn: least squares, penalties on folds, paths of the lasso."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn import linear_model as peer
from sklearn.model_selection import GridSearchCV
from timing import heading, versus

import tallylearn as tl


def table(n: int, p: int, used: int = 20) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, X[:, :used] @ rng.normal(size=used) + rng.normal(size=n)


def least_squares(n: int, p: int) -> None:
    X, y = table(n, p)
    heading(f"least squares: n = {n:,}, p = {p}; peer scikit-learn")
    ours, usual, fast = (
        tl.LinearRegression(),
        peer.LinearRegression(),
        peer.Ridge(solver="cholesky"),
    )
    versus("LinearRegression", lambda: ours.fit(X, y), lambda: usual.fit(X, y), 8, 2)
    versus(
        "LinearRegression / Ridge(cholesky)", lambda: ours.fit(X, y), lambda: fast.fit(X, y), 1, 2
    )
    assert np.allclose(ours.coef_, usual.coef_, rtol=1e-8, atol=1e-9)


def folds(n: int = 200_000, p: int = 50) -> None:
    X, y = table(n, p)
    grid = np.geomspace(1e-4, 1e4, 100)
    heading(f"ridge, 100 penalties on 10 folds: n = {n:,}, p = {p}")
    ours = tl.Ridge("cv", alphas=grid)
    search = GridSearchCV(peer.Ridge(solver="cholesky"), {"alpha": grid[::10]}, cv=10)
    versus("a tenth of the penalties by GridSearchCV", lambda: ours.fit(X, y),
           lambda: search.fit(X, y), 5, 1)  # fmt: skip
    loo = peer.RidgeCV(grid)
    versus("RidgeCV (leave-one-out)", lambda: ours.fit(X, y), lambda: loo.fit(X, y), 1, 1)


def paths(n: int, p: int) -> None:
    X, y = table(n, p)
    heading(f"lasso, path of 100: n = {n:,}, p = {p}")
    grid = tl.Lasso(0.1).fit(X, y).path().penalty
    versus("fit and path / lasso_path", lambda: tl.Lasso(0.1).fit(X, y).path(grid),
           lambda: peer.lasso_path(X, y, alphas=grid), 1, 1)  # fmt: skip


if __name__ == "__main__":
    warnings.simplefilter("error")
    least_squares(1_000_000, 50)
    least_squares(100_000, 500)
    folds()
    paths(100_000, 100)
    paths(500, 20_000)
