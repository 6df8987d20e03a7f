"""Weights that cancel: what rounding alone tells apart is one column, and lost digits are said."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.errors import InputError

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(2, 40))
Y = A + B + RNG.normal(size=40)
LESS = np.c_[A, B, A - B]
WARM = RNG.uniform(0, 30, 40).round(1)
UNITS = np.c_[WARM, WARM + 273.15, WARM * 1.8 + 32]
TABLES = {"difference": LESS, "celsius": UNITS[:, [0, 2]], "kelvin": UNITS}
RANKS = {"difference": 2, "celsius": 1, "kelvin": 1}
every = pytest.mark.parametrize("name", TABLES)


def exactly(x: Any, y: Any, alpha: float = 0.0) -> tuple[list[Fraction], Fraction]:
    """The weights of least squares around the means, and the squares they leave, in fractions."""
    columns = [[Fraction(float(v)) for v in column] for column in (*x.T, y)]
    columns = [[v - sum(column) / len(y) for v in column] for column in columns]
    dot = [[sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0)) for v in columns]
           for u in columns]  # fmt: skip
    p = len(columns) - 1
    rows = [[dot[i][j] + (Fraction(alpha) if i == j else 0) for j in range(p)] + [dot[i][p]]
            for i in range(p)]  # fmt: skip
    for k in range(p):
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i in range(p):
            if i != k:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    w = [row[p] for row in rows]
    left = [sum((a * b for a, b in zip(w, row, strict=True)), Fraction(0))
            for row in zip(*columns[:p], strict=True)]  # fmt: skip
    rest = sum(((y - a) ** 2 for y, a in zip(columns[p], left, strict=True)), Fraction(0))
    return w, rest


@every
def test_columns_that_only_rounding_tells_apart_are_one_where_sums_are_exact_too(name: str) -> None:
    x = TABLES[name]
    near, exact = (tl.LinearRegression(exact=e).fit(x, Y) for e in (False, True))
    assert exact.rank_ == near.rank_ == RANKS[name]
    assert "is a linear combination of" in str(exact.summary())
    np.testing.assert_allclose(exact.coef_, near.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(exact.predict(x), near.predict(x), rtol=0, atol=1e-9)
    sizes = exact.summary().sizes
    for size in ("R²", "σ²", "F"):
        assert sizes[size] == pytest.approx(near.summary().sizes[size], rel=1e-9)
    leverage = exact.diagnose(x, Y).leverage
    np.testing.assert_allclose(leverage, near.diagnose(x, Y).leverage, rtol=1e-9)
    told = exact.explain(x[:1]).rows[0]
    assert told.lines[0].total == pytest.approx(float(exact.predict(x[:1])[0]), abs=1e-9)
    assert "far from zero" not in str(told)


@every
def test_parts_forgotten_rows_weights_gaps_and_files_find_the_same_columns(
    name: str, tmp_path: Path
) -> None:
    x, whole = TABLES[name], tl.LinearRegression(exact=True).fit(TABLES[name], Y)
    parts = [tl.LinearRegression(exact=True).fit(x[at], Y[at]) for at in (slice(25), slice(25, 40))]
    more = tl.LinearRegression(exact=True).fit(np.r_[x, x[:7]], np.r_[Y, 9 * Y[:7]])
    twice = tl.LinearRegression(exact=True).fit(x, Y, np.full(40, 2.0))
    both = tl.LinearRegression(exact=True).fit(x, np.c_[Y, A])
    whole.save(tmp_path / "one.tally")
    for other in (tl.merge(*parts), more.forget(x[:7], 9 * Y[:7]), tl.load(tmp_path / "one.tally")):
        np.testing.assert_array_equal(other.coef_, whole.coef_)
    np.testing.assert_allclose(twice.coef_, whole.coef_, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(both.coef_[0], whole.coef_, rtol=1e-12, atol=1e-14)
    gaps = np.where(np.arange(40)[:, None] % 9 == 0, np.nan, x)
    assert tl.LinearRegression(exact=True, missing="mean").fit(gaps, Y).rank_ == RANKS[name]


@every
def test_weights_that_leave_answers_no_digits_are_refused_where_they_are_asked_for(
    name: str,
) -> None:
    with pytest.raises(InputError, match=r"'x0'.* no correct digits\. Leave one"):
        tl.LinearRegression(exact=True, tol=0.0).fit(TABLES[name], Y)


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("alpha", [0.0, 1e-3])
def test_the_fit_is_that_of_fractions_where_columns_nearly_follow(
    apart: float, alpha: float
) -> None:
    x = np.c_[A, B, A - B + apart * WARM]
    model = tl.Ridge(alpha, exact=True).fit(x, Y)
    weights, rest = exactly(x, Y, alpha)
    np.testing.assert_array_equal(model.coef_, [float(w) for w in weights])
    assert model.model_.rest[0] == float(rest)
    if not alpha:
        found = tl.LinearRegression(exact=True).fit(x, Y).summary(x, Y)
        assert found.sizes["σ²"] == float(rest) / 36
        assert found.diagnostics is not None


@pytest.mark.parametrize("seed", range(5))
def test_answers_that_lose_digits_are_said_and_the_rows_known(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = 1e8 + rng.uniform(-50, 50, size=(40, 1)).round(1)
    d = x[:, 0] - 1e8
    y = 3 + 0.1 * d - 0.02 * d**2 + rng.normal(size=40)
    model = tl.LinearRegression(degree=4, fit_intercept=False).fit(x, y)
    for told in (model.summary(), model.explain(x[:1]), model.show_work()):
        assert "The terms cancel" in str(told)
        assert "Subtract a number" in str(told)
    assert len(model.diagnose(x, y).answer) == 40
    assert model.score(x, y) > 0.98
    near = tl.LinearRegression(degree=4).fit(d[:, None], y)
    assert "cancel" not in str(near.summary())


def test_leverages_that_no_double_holds_are_said_to_have_no_digits() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(23, 1)) * 0.2 + 1e7, 100 + rng.normal(size=23)
    model = tl.LinearRegression(degree=3, fit_intercept=False, exact=True).fit(x, y)
    with pytest.raises(InputError, match=r"leverages have no correct digits\. The terms cancel"):
        model.diagnose(x, y)
    assert model.summary().diagnostics is None
    assert "Leverages have no digits left: residuals are not checked." in str(model.summary())
    assert "need the rows" not in str(model.summary())
    for rows in ((), (x, y)):
        with pytest.raises(
            InputError, match=r"leverages have no correct digits\. The terms cancel"
        ):
            model.summary(*rows, robust="HC3")
    y += 1  # in place: the rows at hand are other rows now
    with pytest.raises(InputError, match="the target has other values"):
        model.summary(robust="HC3")
