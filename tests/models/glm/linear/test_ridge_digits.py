"""Ridge weights have the digits of fractions, whatever columns follow from which, in any units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallylearn as tl

RNG = np.random.default_rng(0)
U, V, W = RNG.normal(size=(3, 60))
Y = U + V + RNG.normal(size=60)
TWICE = {"alone": np.c_[U, U], "between": np.c_[U, V, U], "thrice": np.c_[U, V, U, 2 * U]}
both = pytest.mark.parametrize("intercept", [True, False])


def exactly(x: Any, y: Any, alpha: float, **options: Any) -> Any:
    """The doubles nearest to the weights in fractions."""
    return tl.Ridge(alpha, exact=True, **options).fit(x, y).coef_


@pytest.mark.parametrize("name", TWICE)
@pytest.mark.parametrize("alpha", [1e-4, 1e-8, 1e-12])
@pytest.mark.parametrize("solver", ["auto", "qr"])
@both
def test_a_column_twice_costs_no_digits_however_small_the_penalty(
    name: str, alpha: float, solver: str, intercept: bool
) -> None:
    options = {"fit_intercept": intercept}
    found = tl.Ridge(alpha, solver=solver, **options).fit(TWICE[name], Y)
    want = exactly(TWICE[name], Y, alpha, **options)
    np.testing.assert_allclose(found.coef_, want, rtol=1e-13)


@pytest.mark.parametrize("unit", [1e4, 1e8, 1e12])
@pytest.mark.parametrize("alpha", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("solver", ["auto", "qr", "cholesky"])
@both
def test_units_cost_no_digits(unit: float, alpha: float, solver: str, intercept: bool) -> None:
    options = {"fit_intercept": intercept}
    x = np.c_[U * unit, V + U / 2, (W + U) / unit]
    found = tl.Ridge(alpha, solver=solver, **options).fit(x, Y)
    np.testing.assert_allclose(found.coef_, exactly(x, Y, alpha, **options), rtol=2e-12)


def test_parts_weights_targets_and_penalties_of_each_have_these_digits_too() -> None:
    x, goal = TWICE["between"], np.c_[Y, V * 2 - W]
    penalty = [1e-6, 1e-3]
    found = tl.Ridge(penalty, solver="qr").fit(x, goal)
    want = [exactly(x, goal[:, t], alpha) for t, alpha in enumerate(penalty)]
    np.testing.assert_allclose(found.coef_, want, rtol=1e-13)
    parts = [tl.Ridge(1e-6, solver="qr").fit(x[at], Y[at]) for at in (slice(25), slice(25, 60))]
    np.testing.assert_allclose(tl.merge(*parts).coef_, want[0], rtol=1e-12)
    weight = 1.0 + np.arange(60) % 3
    some = tl.Ridge(1e-6, exact=True).fit(x, Y, weight).coef_
    np.testing.assert_allclose(tl.Ridge(1e-6).fit(x, Y, weight).coef_, some, rtol=1e-12)


def test_paths_walls_and_penalised_intercepts_have_these_digits_too() -> None:
    x, alpha = TWICE["between"], 1e-8
    want = exactly(x, Y, alpha)
    path = tl.Ridge(alpha).fit(x, Y).path([1.0, alpha])
    np.testing.assert_allclose(path.coef[-1], want, rtol=1e-12)
    wall = tl.Ridge(alpha, positive=True).fit(x, Y)  # all are above it
    np.testing.assert_allclose(wall.coef_, want, rtol=1e-9)
    ones = tl.Ridge(alpha, penalize_intercept=True).fit(x, Y)
    wide = exactly(np.c_[np.ones(60), x], Y, alpha, fit_intercept=False)
    np.testing.assert_allclose([ones.intercept_, *ones.coef_], wide, rtol=1e-12)


def test_a_direction_that_only_a_penalty_holds_is_not_cut_off() -> None:
    x = np.c_[U, U + 1e-5 * V]
    for solver in ("auto", "qr"):
        found = tl.Ridge(1e-2, solver=solver).fit(x, Y)
        np.testing.assert_allclose(found.coef_, exactly(x, Y, 1e-2), rtol=1e-9)
    products = tl.Ridge(1e-2, solver="cholesky").fit(np.c_[U, U + 1e-7 * V], Y)
    np.testing.assert_allclose(products.coef_, exactly(np.c_[U, U + 1e-7 * V], Y, 1e-2), rtol=1e-10)
