"""Least squares: the same weights from sums, triangles and fractions, as other programs have."""

from __future__ import annotations

import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import linear_model
from sklearn.datasets import load_diabetes

import tallylearn as tl
from tallylearn import errors, tables
from tallylearn.models.design.missing_values import find_missing
from tallylearn.models.glm import sufficient_statistics
from tallylearn.tallies import scatter
from tallylearn.tallies.centred_sums import whole

X, Y = load_diabetes(return_X_y=True)
SOLVERS: list[dict[str, Any]] = [{}, {"solver": "cholesky"}, {"solver": "qr"}, {"exact": True}]
every_solver = pytest.mark.parametrize("options", SOLVERS)


def table(n: int = 200, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 9, n),
            "income": rng.normal(1e6, 1e3, n),
            "town": rng.choice(["Bonn", "Kiel", "Ulm"], n),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    days = (frame["since"] - pd.Timestamp("1970-01-01")).dt.days
    price = 3 * frame["age"] + 0.01 * frame["income"] + 5.0 * (frame["town"] == "Kiel")
    frame["price"] = price + 0.1 * days + rng.normal(size=n)
    return frame


def with_gaps(n: int = 200) -> pd.DataFrame:
    frame = table(n)
    frame.loc[::7, "age"] = np.nan
    frame.loc[3::11, "town"] = None
    return frame


@every_solver
@pytest.mark.parametrize("intercept", [True, False])
def test_weights_are_scikit_learns(options: dict[str, Any], intercept: bool) -> None:
    ours = tl.LinearRegression(fit_intercept=intercept, **options).fit(X, Y)
    theirs = linear_model.LinearRegression(fit_intercept=intercept).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10)
    assert ours.score(X, Y) == pytest.approx(theirs.score(X, Y), rel=1e-10)


@every_solver
@pytest.mark.parametrize("alpha", [0.0, 0.3, 50.0])
def test_ridge_weights_are_scikit_learns(options: dict[str, Any], alpha: float) -> None:
    ours = tl.Ridge(alpha, **options).fit(X, Y)
    theirs = linear_model.Ridge(alpha, solver="svd").fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)


@pytest.mark.parametrize("solver", ["svd", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"])
def test_scikit_learns_other_ways_to_ridge_weights_are_taken(solver: str) -> None:
    assert np.array_equal(tl.Ridge(solver=solver).fit(X, Y).coef_, tl.Ridge().fit(X, Y).coef_)
    with pytest.raises(errors.OptionError, match="solver"):
        tl.LinearRegression(solver=solver).fit(X, Y)


@every_solver
def test_weights_of_rows_count(options: dict[str, Any]) -> None:
    weight = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    ours = tl.LinearRegression(**options).fit(X, Y, weight)
    theirs = linear_model.LinearRegression().fit(X, Y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_no_weight_is_negative_where_none_may_be(alpha: float) -> None:
    ours = tl.Ridge(alpha, positive=True).fit(X, Y)
    theirs: Any = linear_model.Ridge(alpha, positive=True, tol=1e-14)
    theirs = theirs.fit(X, Y) if alpha else linear_model.LinearRegression(positive=True).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3 if alpha else 1e-9)
    assert ours.coef_.min() >= 0


def test_several_targets_are_learned_at_once() -> None:
    both = np.column_stack([Y, Y**2])
    ours, theirs = tl.LinearRegression().fit(X, both), linear_model.LinearRegression().fit(X, both)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    assert ours.score(X, both) == pytest.approx(theirs.score(X, both), rel=1e-9)
    frame = table().assign(cost=lambda f: f["price"] * 2)
    named = tl.Ridge([1.0, 2.0]).fit(frame, ["price", "cost"])
    assert named.predict(frame).shape == (200, 2)
    with pytest.raises(errors.OptionError, match="3 penalties, and there are 2 targets"):
        tl.Ridge([1.0, 2.0, 3.0]).fit(X, both)


@pytest.mark.parametrize("options", [{}, {"solver": "qr"}, {"exact": True}])
def test_columns_that_follow_from_others_are_named(options: dict[str, Any]) -> None:
    x = np.random.default_rng(0).normal(size=(60, 3))
    wide = np.column_stack([x, x[:, 0] - x[:, 1], np.full(60, 7.1)])
    y = wide @ [1, 2, 3, 4, 5] + x[:, 2] ** 2
    ours = tl.LinearRegression(**options).fit(wide, y)
    np.testing.assert_allclose(
        ours.coef_, linear_model.LinearRegression().fit(wide, y).coef_, atol=1e-12
    )
    assert ours.rank_ == 3
    assert any(
        "'x0'" in said and "is a linear combination of" in said for said in ours.model_.dependent
    )
    assert "x4 is constant" in ours.model_.dependent
    assert "is a linear combination of" in str(ours.show_work())


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("units", [1e-12, 1e-8, 1.0, 1e6])
def test_units_change_neither_answers_nor_how_equal_columns_share(
    units: float, exact: bool
) -> None:
    a, b, c, noise = np.random.default_rng(0).normal(size=(4, 200))
    y = a + b + c + noise
    x = np.column_stack([a, b / units, c * units, a])
    model = tl.LinearRegression(exact=exact).fit(x, y)
    plain = np.column_stack([a, b, c])
    plain -= plain.mean(axis=0)
    w = np.linalg.lstsq(plain, y - y.mean(), rcond=None)[0]
    shared = [w[0] / 2, w[1] * units, w[2] / units, w[0] / 2]
    np.testing.assert_allclose(model.coef_, shared, rtol=1e-9)
    assert model.rank_ == 3


def test_nearly_dependent_columns_in_other_units_are_no_worse_than_the_mean() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=50)
    y = x + rng.normal(size=50)
    far = (x + 2e4)[:, None] ** [1, 2, 3]
    best = tl.LinearRegression(exact=True).fit(far, y).score(far, y)
    assert best > 0.4
    assert tl.LinearRegression().fit(far, y).score(far, y) == pytest.approx(best, abs=1e-7)
    a, b, c = np.random.default_rng(0).normal(size=(3, 200))
    table, wanted = np.column_stack([a, (a + 1e-12 * b) * 1e6]), b + 0.1 * c
    assert tl.LinearRegression().fit(table, wanted).score(table, wanted) > 0.98


def test_more_columns_than_rows_have_the_shortest_weights() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6, 9)), rng.normal(size=6)
    ours, theirs = tl.LinearRegression().fit(x, y), linear_model.LinearRegression().fit(x, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-12)
    assert ours.rank_ == 5


@every_solver
@pytest.mark.parametrize("missing", ["indicator", "mean"])
def test_a_raw_table_is_its_indicators_days_and_means(
    options: dict[str, Any], missing: str
) -> None:
    frame = with_gaps()
    ours = tl.LinearRegression(missing=missing, **options).fit(frame, "price")
    spelled = pd.DataFrame({"age": frame["age"].fillna(frame["age"].mean())})
    if missing == "indicator":
        spelled["age missing"] = frame["age"].isna().astype(float)
    spelled["income"] = frame["income"]
    for town in ("Kiel", "Ulm"):
        share = (frame["town"] == town).sum() / frame["town"].notna().sum()
        spelled[f"town={town}"] = (frame["town"] == town).where(frame["town"].notna(), share)
    if missing == "indicator":
        spelled["town missing"] = frame["town"].isna()
    spelled["since"] = (frame["since"] - pd.Timestamp("1970-01-01")).dt.days
    assert ours.columns_ == tuple(spelled.columns)
    theirs = linear_model.LinearRegression().fit(spelled.astype(float), frame["price"])
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-9)
    answers = theirs.predict(spelled.astype(float))
    np.testing.assert_allclose(ours.predict(frame), answers, rtol=1e-10)


def test_rows_with_gaps_are_left_out_where_asked() -> None:
    frame = with_gaps()
    ours = tl.LinearRegression(missing="drop").fit(frame, "price")
    alone = tl.LinearRegression().fit(frame.dropna(), "price")
    np.testing.assert_array_equal(ours.coef_, alone.coef_)
    assert "156 rows" in repr(ours)
    with pytest.raises(errors.ColumnError, match="'age' is missing in row 0"):
        ours.predict(frame)
    with pytest.raises(errors.ColumnError, match=r"'age' is missing in row 0.*indicator"):
        tl.LinearRegression(missing="refuse").fit(frame, "price")


@every_solver
def test_powers_are_columns_too(options: dict[str, Any]) -> None:
    x = np.linspace(-1, 2, 50)
    y = 1 + x - 2 * x**3
    ours = tl.LinearRegression(degree=3, **options).fit(x[:, None], y)
    np.testing.assert_allclose(ours.coef_, [1, 0, -2], atol=1e-12)
    assert ours.columns_ == ("x0", "x0^2", "x0^3")
    np.testing.assert_allclose(ours.predict(x[:, None]), y, atol=1e-12)


NUMBERS = st.lists(st.integers(-50, 50), min_size=3, max_size=12, unique=True)


@given(x=NUMBERS, data=st.data())
def test_exact_weights_are_the_doubles_nearest_to_the_fractions(x: Any, data: Any) -> None:
    y = data.draw(st.lists(st.integers(-99, 99), min_size=len(x), max_size=len(x)))
    near = [float(v) / 10 for v in y]
    model = tl.LinearRegression(exact=True).fit([[v / 8] for v in x], near)
    u, v, n = [Fraction(a, 8) for a in x], [Fraction(b) for b in near], len(x)
    spread = sum(a * a for a in u) - sum(u) ** 2 / n
    slope = (sum(a * b for a, b in zip(u, v, strict=True)) - sum(u) * sum(v) / n) / spread
    assert model.coef_[0] == float(slope)
    assert model.intercept_ == float(sum(v) / n - slope * sum(u) / n)


def test_exact_weights_forget() -> None:
    frame = with_gaps()
    model = tl.LinearRegression(exact=True).fit(frame, "price").forget(frame[150:], "price")
    np.testing.assert_array_equal(
        model.coef_, tl.LinearRegression(exact=True).fit(frame[:150], "price").coef_
    )
    with pytest.raises(errors.ForgetError, match="exact=True"):
        tl.LinearRegression().fit(frame, "price").forget(frame[:9], "price")


def test_a_second_pass_keeps_the_digits_that_sums_lose() -> None:
    x = np.linspace(0, 1, 40_000)
    wide = np.column_stack([x**k for k in range(1, 8)])
    y = wide.sum(axis=1)
    assert "triangle" in tl.LinearRegression().fit(wide, y).tally_
    np.testing.assert_allclose(tl.LinearRegression().fit(wide, y).coef_, 1, rtol=1e-7)
    with pytest.raises(errors.InputError, match="solver='qr'"):
        tl.LinearRegression(solver="cholesky").fit(wide, y)


def test_rows_in_parts_are_told_to_keep_the_triangle() -> None:
    wide, y = halves(70_000)
    with pytest.raises(errors.InputError, match=r"condition .*solver='qr'"):
        in_parts(tl.LinearRegression(), wide, y).predict(wide)
    kept = in_parts(tl.LinearRegression(solver="qr"), wide, y)
    whole = tl.LinearRegression(solver="qr").fit(wide, y)
    np.testing.assert_allclose(kept.predict(wide), whole.predict(wide), atol=1e-8)


def test_few_rows_in_parts_keep_their_triangle() -> None:
    wide, y = halves(200)
    kept = in_parts(tl.LinearRegression(), wide, y)
    assert "numbers" not in kept.tally_
    np.testing.assert_allclose(
        kept.predict(wide), tl.LinearRegression().fit(wide, y).predict(wide), atol=1e-8
    )


def halves(n: int) -> tuple[Any, Any]:
    """Rows of which each half is well posed, and both together are not."""
    wide = np.random.default_rng(0).normal(size=(2 * n, 2))
    y = wide @ [1, 2] + np.arange(2 * n) % 7
    wide[n:] += 1e6
    return wide, y


def in_parts(model: Any, wide: Any, y: Any) -> Any:
    n = len(y) // 2
    return model.partial_fit(wide[:n], y[:n]).partial_fit(wide[n:], y[n:])


def test_a_triangle_and_a_scatter_merge() -> None:
    frame = table(70_000)
    rows = frame[["age", "income", "price"]]
    plain = tl.LinearRegression().fit(rows[:-150], "price")
    assert "numbers" in plain.tally_
    again = rows[-150:].assign(income=lambda f: 1e6 + f["age"] * 50 + f["income"] * 1e-3)
    other = tl.LinearRegression().fit(again, "price")
    assert "triangle" in other.tally_
    whole = tl.LinearRegression().fit(pd.concat([rows[:-150], again]), "price")
    np.testing.assert_allclose(tl.merge(plain, other).coef_, whole.coef_, rtol=1e-9)


def test_folds_from_one_pass_are_folds_fitted_one_by_one() -> None:
    theirs = tl.evaluate(linear_model.LinearRegression(), X, Y).headline
    for solver in ("auto", "qr"):
        assert tl.evaluate(tl.LinearRegression(solver=solver), X, Y).headline == theirs


def test_shifting_a_column_moves_only_the_intercept() -> None:
    model, moved = (tl.LinearRegression().fit(X + shift, Y) for shift in (0.0, 1000.0))
    np.testing.assert_allclose(moved.coef_, model.coef_, rtol=1e-6)
    assert moved.intercept_ == pytest.approx(model.intercept_ - 1000 * model.coef_.sum(), rel=1e-6)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"degree": 0}, "'degree'.*int in the range"),
        ({"degree": 31}, "'degree'.*Got 31"),
        ({"missing": "fill"}, "'missing'.*'indicator'"),
        ({"solver": "svd"}, "'solver'.*'cholesky'"),
        ({"reference": "red"}, "reference='red'.*'colour'"),
        ({"fit_intercept": "yes"}, "'fit_intercept'"),
        ({"min_samples_category": 0}, "'min_samples_category'"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        tl.LinearRegression(**options).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": -1}, "'alpha'.*Got -1"),
        ({"alpha": "best"}, "'alpha'.*'cv'"),
        ({"alpha": "cv", "folds": 1}, "'folds'.*Got 1"),
        ({"alpha": "cv", "alphas": [-1.0]}, r"'alphas'.*\[0, inf\).*Got \[-1"),
        ({"alpha": "cv", "positive": True}, "leave out positive=True"),
    ],
)
def test_penalties_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        tl.Ridge(**options).fit(X, Y)


def test_bad_tables_are_refused_with_what_is_wrong() -> None:
    frame = table(60)
    frame["note"] = [f"{i} words that are long and never come again" for i in range(60)]
    with pytest.raises(errors.TallyError, match="note"):
        tl.LinearRegression().fit(frame, "price")
    wide = X.copy()
    wide[3, 2] = np.inf
    with pytest.raises(errors.ColumnError, match=r"'x2' has inf in row 3"):
        tl.LinearRegression().fit(wide, Y)
    with pytest.raises(errors.TallyError, match="the target has text"):
        tl.LinearRegression().fit(table(), "town")


def broad(n: int, p: int = 130) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, p)) + 100
    return x, x @ rng.normal(size=p) + rng.normal(size=n)


def test_shares_of_a_broad_block_are_the_same_on_any_number_of_threads_and_in_files(
    tmp_path: Path,
) -> None:
    x, y = broad(40_000)
    frame = pd.DataFrame(x, columns=[f"x{j:03}" for j in range(130)]).assign(y=y)
    frame.to_parquet(tmp_path / "t.parquet")
    found = [tl.LinearRegression().fit(tmp_path / "t.parquet", "y")]
    for threads in (1, 3):
        with tl.engine(threads):
            found.append(tl.LinearRegression().fit(frame, "y"))
    assert len({model.coef_.tobytes() for model in found}) == 1
    near = x - x.mean(axis=0)
    want = np.linalg.lstsq(near, y - y.mean(), rcond=None)[0]
    np.testing.assert_allclose(found[0].coef_, want, rtol=1e-9)


def test_no_more_threads_multiply_broad_rows_than_there_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Blocks on threads that were shared out on others: four at once, in each other's cache."""
    monkeypatch.setattr(tables, "BLOCK", 1024)
    monkeypatch.setattr(sufficient_statistics, "ROWS_PER_TASK", 256)
    here, at_once, lock = list[int](), list[int](), threading.Lock()

    def watched(*arguments: Any) -> Any:
        here.append(1)
        at_once.append(len(here))
        time.sleep(0.01)
        with lock:
            here.pop()
        return whole(*arguments)

    monkeypatch.setattr(scatter, "whole", watched)
    with tl.engine(2):
        tl.LinearRegression(solver="cholesky").fit(*broad(2048))
    assert len(at_once) == 8
    assert max(at_once) == 2


def test_numbers_are_looked_at_for_gaps_where_their_sums_tell_of_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = list[int]()
    monkeypatch.setattr(tables, "BLOCK", 1000)
    monkeypatch.setattr(
        sufficient_statistics, "find_missing", lambda b: looked.append(len(b)) or find_missing(b)
    )
    x, y = broad(2500, 9)
    tl.LinearRegression(solver="cholesky").fit(x, y)
    assert not looked
    x[2400, 3] = np.nan
    found = tl.LinearRegression(solver="cholesky").fit(x, y)
    assert looked == [500]
    assert "x3 missing" in found.columns_


@pytest.mark.parametrize("n", [200, 3000])
def test_a_column_in_other_units_follows_from_the_first_however_far_from_zero(n: int) -> None:
    rng = np.random.default_rng(0)
    x, other = 101_325 + 50 * rng.normal(size=n), rng.normal(size=(n, 8))
    X = np.column_stack([x, x / 133.322, other])
    y = (x - 101_325) / 50 + other[:, 0] + rng.normal(size=n)
    found = tl.LinearRegression().fit(X, y)
    assert found.rank_ == 9
    assert np.abs(found.coef_[:2]).max() < 1, "rounding alone tells the two apart"
    rest = np.delete(X, 1, axis=1)
    alone = tl.LinearRegression().fit(rest, y)
    np.testing.assert_allclose(found.predict(X), alone.predict(rest), rtol=0, atol=1e-8)
    near = tl.LinearRegression().fit(np.column_stack([x, x + 1e-3 * other[:, 1], other]), y)
    assert near.rank_ == 9, "x and what was added make a column that was added"
    apart = np.column_stack([x, x + 1e-3 * rng.normal(size=n), other])
    assert tl.LinearRegression().fit(apart, y).rank_ == 10


def test_exact_powers_beside_many_categories_pool_the_values_that_floats_pool() -> None:
    rng = np.random.default_rng(3)
    names = [*(f"v{i:02}" for i in range(80)), *["north"] * 40, *["south"] * 40]
    table = {"place": rng.choice(names, 300), "x": rng.normal(size=300).round(3)}
    y = 3.0 * (table["place"] == "north") + table["x"] ** 2
    near, exact = (tl.LinearRegression(degree=2, exact=e).fit(table, y) for e in (False, True))
    assert exact.columns_ == near.columns_ == ("place=south", "place rare", "x", "x^2")
    assert exact.coef_ == pytest.approx(near.coef_, abs=1e-9)
