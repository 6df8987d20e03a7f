"""Linear models beside their peers: least squares, penalties on folds, paths of the lasso.

Usage: bench_linear.py [row ...]: all rows of the table, or those named: tall, square, folds, gram,
wide, alike. Peers that are not installed (scikit-learn-intelex, celer, skglm) are left out.

Least squares of 100,000 x 500 are products of columns: the heading says how long these alone take
with one thread (``X.T @ X``, which adds up one half and mirrors it). On two cores nobody who sums
them can be faster than half of that.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn import linear_model as peer
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_limits
from timing import best, heading, versus

import tallylearn as tl

Table = Callable[[int, int], tuple[np.ndarray, np.ndarray]]
Solver = Callable[[np.ndarray, np.ndarray], np.ndarray]


def table(n: int, p: int, used: int = 20) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, X[:, :used] @ rng.normal(size=used) + rng.normal(size=n)


def least_squares(n: int, p: int) -> None:
    X, y = table(n, p)
    with threadpool_limits(1, user_api="blas"):
        bare = best(lambda: X.T @ X, 2)
    heading(f"least squares: n = {n:,}, p = {p}; products alone, one thread: {bare:.2f} s")
    ours, usual = tl.LinearRegression(), peer.LinearRegression()
    versus("LinearRegression", lambda: ours.fit(X, y), lambda: usual.fit(X, y), 8, 2)
    for name, fast in quick_peers().items():
        versus(f"LinearRegression / {name}", lambda: ours.fit(X, y),
               lambda fast=fast: fast.fit(X, y), 1, 2)  # fmt: skip
    assert np.allclose(ours.coef_, usual.coef_, rtol=1e-8, atol=1e-9)


def quick_peers() -> dict[str, Any]:
    """Those who solve the normal equations, as we do."""
    found: dict[str, Any] = {"Ridge(cholesky)": peer.Ridge(solver="cholesky")}
    if find_spec("sklearnex"):
        from sklearnex.linear_model import LinearRegression

        found["intelex"] = LinearRegression()
    else:
        print("intelex is left out: it is not installed")
    return found


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


def along(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Each column resembles the one before (correlation 0.9); 20 of them matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = 0.9 * X[:, j - 1] + np.sqrt(1 - 0.9**2) * X[:, j]
    used = rng.choice(p, 20, replace=False)
    return X, X[:, used] @ rng.normal(size=20) + rng.normal(size=n)


def solvers(
    grid: np.ndarray, tall: bool
) -> dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]]:
    """Those who find weights (p, m) along a path, of columns and a target around their means."""
    found: dict[str, Solver] = {"lasso_path": lambda X, y: peer.lasso_path(X, y, alphas=grid)[1]}
    if tall:
        print("celer and skglm are left out: without products of columns they take minutes")
        return found
    if find_spec("celer"):
        from celer import celer_path

        # at 1e-4 its gaps are ten times as large as the others'
        found["celer"] = lambda X, y: celer_path(X, y, "lasso", alphas=grid, tol=1e-5)[1]
    else:
        print("celer is left out: it is not installed")
    if find_spec("skglm"):
        found["skglm"] = partial(_skglm, grid)
    else:
        print("skglm is left out: it is not installed")
    return found


def _skglm(grid: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    from skglm.datafits import Quadratic
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD
    from skglm.utils.jit_compilation import compiled_clone

    # its tolerance is on slopes, not on the gap: this one leaves gaps like those of the others
    solver = AndersonCD(tol=1e-3, warm_start=True, fit_intercept=False)
    return solver.path(X, y, compiled_clone(Quadratic()), compiled_clone(L1(1.0)), grid)[1]


def worst_gap(X: np.ndarray, y: np.ndarray, grid: np.ndarray, weights: np.ndarray) -> float:
    """The largest duality gap of a path of weights (p, m), as a share of the target's squares."""
    X, y = X - X.mean(axis=0), y - y.mean()
    rest, n = y[:, None] - X @ weights, len(y)
    share = np.minimum(1, n * grid / np.abs(X.T @ rest).max(axis=0))
    primal = (rest**2).sum(axis=0) / 2 + n * grid * np.abs(weights).sum(axis=0)
    dual = (y @ y - ((y[:, None] - rest * share) ** 2).sum(axis=0)) / 2
    return float((primal - dual).max() / (y @ y))


def paths(n: int, p: int, draw: Table = table, told: str = "") -> None:
    X, y = draw(n, p)
    heading(f"lasso, path of 100{told}: n = {n:,}, p = {p:,}; all begin with the same rows")
    grid = tl.Lasso(0.1).fit(X, y).path().penalty
    gaps = {"ours": worst_gap(X, y, grid, tl.Lasso(0.1).fit(X, y).path(grid).coef.T)}
    for name, solve in solvers(grid, n > p).items():

        def theirs(solve: Any = solve) -> np.ndarray:
            return solve(np.asfortranarray(X - X.mean(axis=0)), y - y.mean())

        gaps[name] = worst_gap(X, y, grid, theirs())
        versus(f"fit and path / {name}", lambda: tl.Lasso(0.1).fit(X, y).path(grid), theirs, 1, 2)
    print("largest duality gap:", ", ".join(f"{name} {gap:.1e}" for name, gap in gaps.items()))


ROWS: dict[str, Callable[[], None]] = {
    "tall": lambda: least_squares(1_000_000, 50),
    "square": lambda: least_squares(100_000, 500),
    "folds": folds,
    "gram": lambda: paths(100_000, 100),
    "wide": lambda: paths(500, 20_000),
    "alike": lambda: paths(500, 20_000, along, ", neighbours correlated 0.9"),
}

if __name__ == "__main__":
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", module="sklearnex|daal4py|onedal|numba|skglm|celer")
    for row in sys.argv[1:] or ROWS:
        ROWS[row]()
