"""Tables far from zero: answers, residuals and merged sums have the digits of the numbers."""

from __future__ import annotations

import copy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.errors import InputError

RNG = np.random.default_rng(0)
NEAR = RNG.integers(-4096, 4096, size=(60, 2)) / 1024.0  # doubles hold them at 1e12 too
NEAR = NEAR[np.argsort(NEAR[:, 0])]  # so that parts of the rows have other means
Y = np.round((NEAR @ [1, 2] + RNG.normal(size=60)) * 1024) / 1024
KIND = np.where(Y + RNG.logistic(size=60) > 0, "a", np.where(RNG.random(60) < 0.5, "b", "c"))
FAR = [1e9, 1e12]
LINES: dict[str, Any] = {
    "linear": tl.LinearRegression(),
    "cholesky": tl.LinearRegression(solver="cholesky"),
    "qr": tl.LinearRegression(solver="qr"),
    "exact": tl.LinearRegression(exact=True),
    "ridge": tl.Ridge(),
    "lasso": tl.Lasso(0.1, tol=1e-15),
    "subset": tl.SubsetSelection(),
}


def line(name: str) -> Any:
    """A learner that no other test fits."""
    return copy.copy(LINES[name])


def residuals(x: Any, y: Any) -> Any:
    """Of least squares with two columns, in fractions."""
    columns = [[Fraction(v) for v in column] for column in (*x.T, y)]
    a, b, c = ([v - sum(column) / len(y) for v in column] for column in columns)

    def times(u: list[Fraction], v: list[Fraction]) -> Fraction:
        return sum((i * j for i, j in zip(u, v, strict=True)), Fraction(0))

    whole = times(a, a) * times(b, b) - times(a, b) ** 2
    w = (times(a, c) * times(b, b) - times(b, c) * times(a, b)) / whole
    v = (times(b, c) * times(a, a) - times(a, c) * times(a, b)) / whole
    return np.array([float(k - w * i - v * j) for i, j, k in zip(a, b, c, strict=True)])


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("far", FAR)
def test_answers_are_those_of_the_same_rows_near_zero(name: str, far: float) -> None:
    near, away = (line(name).fit(x, Y).predict(x) for x in (NEAR, NEAR + far))
    np.testing.assert_allclose(away, near, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["linear", "cholesky", "qr", "exact"])
@pytest.mark.parametrize("far", FAR)
def test_residuals_are_those_of_fractions_wherever_columns_and_target_lie(
    name: str, far: float
) -> None:
    x, y = NEAR + far, Y + far
    found = line(name).fit(x, y).diagnose(x, y).residual
    np.testing.assert_allclose(found, residuals(x, y), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["cholesky", "qr", "exact", "ridge", "lasso"])
@pytest.mark.parametrize("far", FAR)
def test_merged_parts_have_the_weights_of_all_rows_near_zero(name: str, far: float) -> None:
    near = line(name).fit(NEAR, Y)
    parts = (slice(at, at + 15) for at in range(0, 60, 15))
    merged = tl.merge(*(line(name).fit(NEAR[part] + far, Y[part]) for part in parts))
    np.testing.assert_allclose(merged.coef_, near.coef_, rtol=1e-10)
    np.testing.assert_allclose(merged.predict(NEAR + far), near.predict(NEAR), atol=1e-11)


@pytest.mark.parametrize("exact", [False, True])
def test_folds_far_from_zero_judge_penalties_as_near_it(exact: bool) -> None:
    groups = np.arange(60) % 5
    near, away = (
        tl.Ridge("cv", folds=5, exact=exact).fit(
            tl.table({"a": at[:, 0], "b": at[:, 1], "y": Y, "g": groups}, target="y", groups="g")
        )
        for at in (NEAR, NEAR + 1e12)
    )
    np.testing.assert_allclose(away.folds_.error, near.folds_.error, rtol=1e-9)


@pytest.mark.parametrize("classes", [["a", "b", "b"], ["a", "b", "c"]])
@pytest.mark.parametrize("penalty", [1.0, float("inf")])
@pytest.mark.parametrize("far", FAR)
def test_probabilities_far_from_zero_are_those_near_it(
    classes: list[str], penalty: float, far: float
) -> None:
    kind = np.array(classes)[np.searchsorted(["a", "b", "c"], KIND)]
    near, away = (
        tl.LogisticRegression(C=penalty).fit(x, kind).predict_proba(x) for x in (NEAR, NEAR + far)
    )
    np.testing.assert_allclose(away, near, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", LINES)
def test_a_file_answers_with_the_same_bits(name: str, tmp_path: Path) -> None:
    model = line(name).fit(NEAR + 1e12, Y)
    model.save(tmp_path / "far.tally")
    again = tl.load(tmp_path / "far.tally")
    assert (again.predict(NEAR + 1e12) == model.predict(NEAR + 1e12)).all()


@pytest.mark.parametrize("name", LINES)
def test_terms_add_up_to_the_answer(name: str) -> None:
    for far, said in ((0.0, False), (1e12, True)):
        model = line(name).fit(NEAR + far, Y)
        found = model.explain(NEAR[:9] + far)
        totals = [one.lines[0].total for one in found]
        np.testing.assert_allclose(totals, model.predict(NEAR[:9] + far), atol=1e-12)
        assert ("terms are those of the distance from their means" in str(found)) == said


CURVE = RNG.integers(-2048, 2048, size=80) / 1024.0
BENT = CURVE + CURVE**2 - CURVE**3 / 2 + RNG.normal(size=80)


def cubic(x: Any) -> Any:
    return tl.LinearRegression(degree=3, exact=True).fit(x[:, None], BENT)


@pytest.mark.parametrize("gaps", [False, True])
def test_powers_that_are_counted_exactly_are_answered_with_the_same_digits(gaps: bool) -> None:
    x = np.where(np.arange(80) % 9 == 0, np.nan, CURVE) if gaps else CURVE
    far = x + 2.0**17
    near, away = cubic(x), cubic(far)
    found = [
        (m.predict(r), m.predict_interval(r)[:, 0], m.diagnose(r, BENT).leverage)
        for m, r in ((near, x[:, None]), (away, far[:, None]))
    ]
    for there, here in zip(*found, strict=True):
        np.testing.assert_allclose(here, there, rtol=0, atol=1e-4)
    told = away.explain(far[1:2, None]).rows[0]
    assert abs(told.lines[0].total - near.predict(x[1:2, None])[0]) < 1e-5


def test_powers_so_far_from_zero_that_doubles_hold_no_answer_are_refused() -> None:
    with pytest.raises(InputError, match="Subtract its mean"):
        cubic(CURVE + 1e8)


WIDE = np.random.default_rng(50)
POWERS = WIDE.normal(size=(20, 4)) + np.array([10, 1e7, 1e4, 1e4])
WILD = WIDE.normal(size=20) * 1e6


@pytest.mark.parametrize("several", [False, True])
def test_powers_far_from_zero_leave_no_more_than_no_weights_do(several: bool) -> None:
    y = np.c_[WILD, WILD[::-1]] if several else WILD
    model = tl.LinearRegression(degree=3, fit_intercept=False).fit(POWERS, y)
    columns = np.column_stack([POWERS**k for k in (1, 2, 3)])
    columns = columns / np.sqrt((columns**2).sum(axis=0))
    left = WILD - columns @ np.linalg.lstsq(columns, WILD, rcond=None)[0]
    share = left @ left / (WILD @ WILD)
    own = WILD - model.predict(POWERS).reshape(20, -1)[:, 0]
    assert own @ own / (WILD @ WILD) == pytest.approx(share, abs=1e-3)
    assert model.model_.r_squared[0] == pytest.approx(1 - share, abs=1e-3)


@pytest.mark.parametrize("seed", range(40))
def test_no_table_leaves_more_than_no_weights_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p, degree = (int(rng.integers(*ends)) for ends in ((8, 60), (2, 5), (2, 5)))
    size, far = 10.0 ** rng.integers(-3, 4, size=p), rng.choice([0, 1e4, 1e7, 1e9], size=p)
    x = rng.normal(size=(n, p)) * size + far
    x = np.c_[x, x[:, 0] - x[:, 1]]
    y = rng.normal(size=n) * 10.0 ** rng.integers(-3, 7)
    for intercept in (True, False):
        model = tl.LinearRegression(degree=degree, fit_intercept=intercept).fit(x, y)
        off, around = y - model.predict(x), y - intercept * y.mean()
        share = model.model_.r_squared[0]
        assert share is not None
        assert share > -1e-9
        assert off @ off / (around @ around) == pytest.approx(1 - share, abs=1e-3)


@pytest.mark.parametrize("kinds", [2, 3])
def test_terms_of_log_odds_far_from_zero_are_those_from_the_means(kinds: int) -> None:
    kind = KIND if kinds == 3 else np.where(KIND == "a", "a", "b")
    far = NEAR + 1e12
    model = tl.LogisticRegression().fit(far, kind)
    told = model.explain(far[:1])
    scores = np.atleast_1d(model.decision_function(far[:1])[0])
    totals = [line.total for line in told.rows[0].lines][-len(scores) :]
    np.testing.assert_allclose(totals, scores, rtol=0, atol=1e-12)
    assert "distance from their means" in str(told)
    assert "from their means" not in str(tl.LogisticRegression().fit(NEAR, kind).explain(NEAR[:1]))
