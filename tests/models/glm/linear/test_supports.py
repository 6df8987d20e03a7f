"""The lasso of columns that nearly follow from each other comes to rest, at the least loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import qr, solve_triangular

import tallylearn as tl
from tallylearn.models.glm.solvers import projected_newton

TOL = 1e-4  # the default


def _alike(
    seed: int, n: int = 20, p: int = 23, near: float = 1e-2
) -> tuple[np.ndarray, np.ndarray]:
    """Columns that three others nearly make up."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)) @ rng.normal(size=(3, p)) + near * rng.normal(size=(n, p))
    return x, x @ rng.normal(size=p) + 10 * rng.normal(size=n)


def _powers(seed: int, n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns far from zero in units of their own, as those of cars are."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    mean, spread = [5.5, 194, 104, 2978, 15.5, 76], [1.7, 60, 30, 500, 2.5, 3.7]
    x = np.array(mean) + np.array(spread) * (0.9 * size[:, None] + 0.4 * rng.normal(size=(n, 6)))
    y = 23 - 6 * size + 1.5 * size**2 + 3 * rng.normal(size=n)
    return pd.DataFrame(x.round(1)).add_prefix("x"), y


def _loss(x: np.ndarray, y: np.ndarray, w: np.ndarray, l1: float, l2: float) -> float:
    rest = y - x @ w
    return float(rest @ rest / 2 + l1 * np.abs(w).sum() + l2 * w @ w / 2)


def _least(x: np.ndarray, y: np.ndarray, l1: float, l2: float, positive: bool) -> float:
    """The least loss by an active set, one column after the other (Lawson and Hanson, 1974)."""
    p = x.shape[1]
    bent = np.sqrt(max(l2, 1e-8))  # so that as many columns as there are can be solved for
    rows, goal = np.vstack([x, bent * np.eye(p)]), np.concatenate([y, np.zeros(p)])
    both = rows if positive else np.hstack([rows, -rows])
    w, used = np.zeros(both.shape[1]), np.zeros(both.shape[1], dtype=bool)
    for _ in range(30 * p):
        wanted = np.where(used, -np.inf, both.T @ (goal - both @ w) - l1)
        if wanted.max() <= 1e-9 * l1:
            break
        used[wanted.argmax()] = True
        while True:
            q, r = qr(both[:, used], mode="economic")
            new = np.zeros(len(w))
            new[used] = solve_triangular(
                r, q.T @ goal - solve_triangular(r, np.full(used.sum(), l1), trans="T")
            )
            if (new[used] > 0).all():
                break
            below = used & (new <= 0)
            w = w + (w[below] / (w[below] - new[below])).min() * (new - w)
            used &= w > 1e-14 * w.max()
            w[~used] = 0
        w = new
    return _loss(x, y, w[:p] - (0 if positive else w[p:]), l1, l2)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    share=st.sampled_from([1.0, 0.9, 0.5]),
    near=st.sampled_from([0.3, 0.1, 0.03, 0.01]),
    positive=st.booleans(),
)
def test_weights_of_columns_that_nearly_follow_from_each_other_are_the_best(
    seed: int, share: float, near: float, positive: bool
) -> None:
    x, y = _alike(seed, near=near)
    options: dict[str, Any] = {"l1_ratio": share, "positive": positive, "fit_intercept": False}
    l1, l2 = 20 * 0.01 * share, 20 * 0.01 * (1 - share)
    model = tl.ElasticNet(0.01, **options).fit(x, y)
    assert model.converged_
    least = _least(x, y, l1, l2, positive)
    assert _loss(x, y, model.coef_, l1, l2) <= least + TOL * (y @ y)
    fine = tl.ElasticNet(0.01, tol=1e-10, **options).fit(x, y)
    w = fine.coef_
    assert fine.converged_
    assert _loss(x, y, w, l1, l2) <= least + 1e-10 * (y @ y)
    slope, used = x.T @ (y - x @ w) - l2 * w, w != 0
    off = np.sqrt(2e-10 * (y @ y) * ((x**2).sum(axis=0) + l2))  # or the weight alone gained more
    assert (np.abs(slope - l1 * np.sign(w))[used] <= off[used]).all()
    assert ((slope if positive else np.abs(slope)) <= l1 + off).all()
    assert not positive or (w >= 0).all()


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.01])
def test_powers_come_to_rest(alpha: float, positive: bool) -> None:
    for seed in range(5):
        x, y = _powers(seed)
        model = tl.Lasso(alpha, degree=3, positive=positive).fit(x, y)
        assert model.converged_
        assert model.dual_gap_ <= TOL * y.var()
        assert "did not" not in str(model.show_work())


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("positive", [False, True])
def test_every_penalty_of_a_path_comes_to_rest(share: float, positive: bool) -> None:
    x, y = _alike(0, n=60, p=30)
    model = tl.ElasticNet(0.01, l1_ratio=share, positive=positive).fit(x, y)
    path = model.path()
    assert path.gap.max() <= TOL * y.var()
    n, (x, y) = len(y), (x - x.mean(axis=0), y - y.mean())
    for alpha, w in list(zip(path.penalty, path.coef, strict=True))[::20]:
        l1, l2 = n * alpha * share, n * alpha * (1 - share)
        least = _least(x, y, l1, l2, positive)
        assert _loss(x, y, w, l1, l2) <= least + TOL * (y @ y)


@pytest.mark.parametrize("exact", [False, True])
def test_several_targets_come_to_rest_each(exact: bool) -> None:
    x, y = _alike(1, n=80)
    both = np.column_stack([y, y[::-1]])
    model = tl.Lasso(0.01, exact=exact).fit(x, both)
    assert model.converged_
    assert (model.dual_gap_ <= TOL * both.var(axis=0)).all()
    x, both = x - x.mean(axis=0), both - both.mean(axis=0)
    for w, goal in zip(model.coef_, both.T, strict=True):
        least = _least(x, goal, 0.8, 0, False)
        assert _loss(x, goal, w, 0.8, 0) <= least + TOL * (goal @ goal)


def test_folds_judge_weights_that_came_to_rest() -> None:
    x, y = _alike(1, n=80)
    grid = [0.1, 0.03, 0.01, 0.003]
    errors = [
        tl.Lasso("cv", alphas=grid, folds=4, max_iter=rounds, tol=1e-8).fit(x, y).folds_.error
        for rounds in (1000, 10**6)
    ]
    np.testing.assert_allclose(*errors, rtol=1e-3)


@pytest.mark.parametrize("alpha", [0.1, 0.01])
@pytest.mark.parametrize("share", [1.0, 0.9, 0.5])
def test_wide_tables_of_columns_alike_come_to_rest(alpha: float, share: float) -> None:
    x, y = _alike(0, n=60, p=2100, near=0.1)
    model = tl.ElasticNet(alpha, l1_ratio=share).fit(x, y)
    assert model.tally_ is None
    assert model.converged_
    assert model.dual_gap_ <= TOL * y.var()


def test_a_move_lowers_the_loss_or_leaves_the_weights() -> None:
    rng = np.random.default_rng(0)
    for seed in range(50):
        x, y = _alike(seed, near=10.0 ** -rng.integers(0, 9))
        costs = np.array([rng.choice([0.0, 0.2, 20.0]), rng.choice([0.0, 0.1]), y @ y])
        gram, target = x.T @ x, x.T @ y
        weights = rng.normal(size=23) * (rng.random(23) < 0.7) / 100
        before, slope = weights.copy(), target - gram @ weights
        gained = projected_newton.newton_on_support(gram, target, costs, weights, slope)
        lower = _loss(x, y, before, *costs[:2]) - _loss(x, y, weights, *costs[:2])
        assert lower > 0 if gained else (weights == before).all()
        assert (weights * before >= 0).all()
        np.testing.assert_allclose(slope, target - gram @ weights, atol=1e-9 * np.abs(target).max())
