"""Summaries: standard errors, checks of residuals and intervals, by their formulas."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes

import tallylearn as tl
from tallylearn import errors
from tests.printed_text import unwrapped

FRAME = load_diabetes(as_frame=True, scaled=False).frame
X = np.column_stack([np.ones(len(FRAME)), FRAME.drop(columns="target")])
Y = FRAME["target"].to_numpy()
N, K = X.shape
INVERSE = np.linalg.inv(X.T @ X)
E = Y - X @ (INVERSE @ X.T @ Y)
H = np.einsum("ij,jk,ik->i", X, INVERSE, X)
SIGMA = E @ E / (N - K)


@pytest.fixture(scope="module")
def model() -> Any:
    return tl.LinearRegression().fit(FRAME, "target")


def test_standard_errors_are_those_of_the_formula(model: Any) -> None:
    found = model.summary()
    np.testing.assert_allclose(found.error, np.sqrt(SIGMA * np.diag(INVERSE)), rtol=1e-9)
    row = found.records()[3]
    t = row["weight"] / row["error"]
    assert row["name"] == "bmi"
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(t), N - K))
    reach = stats.t.ppf(0.975, N - K) * row["error"]
    assert (row["low"], row["high"]) == pytest.approx(
        (row["weight"] - reach, row["weight"] + reach)
    )
    sizes = found.sizes
    likely = stats.norm.logpdf(E, scale=np.sqrt(E @ E / N)).sum()
    assert sizes["log-likelihood"] == pytest.approx(likely)
    assert sizes["AIC"] == pytest.approx(2 * K - 2 * likely)
    assert sizes["BIC"] == pytest.approx(np.log(N) * K - 2 * likely)
    assert sizes["σ²"] == pytest.approx(SIGMA)
    assert sizes["F"] == pytest.approx(((Y - Y.mean()) ** 2).sum() / (K - 1) / SIGMA
                                       - (N - K) / (K - 1))  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "size"),
    [("HC0", E**2), ("HC1", E**2 * N / (N - K)), ("HC2", E**2 / (1 - H)),
     ("HC3", E**2 / (1 - H) ** 2)],
)  # fmt: skip
def test_robust_standard_errors_are_sandwiches(model: Any, kind: str, size: Any) -> None:
    want = np.sqrt(np.diag(INVERSE @ (X.T * size) @ X @ INVERSE))
    np.testing.assert_allclose(model.summary(robust=kind).error, want, rtol=1e-9)


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_f_beside_robust_errors_is_walds_by_the_same_sandwich(
    kind: str, intercept: bool
) -> None:
    x = X[:, 0 if intercept else 1 :]
    inverse = np.linalg.inv(x.T @ x)
    weights = inverse @ x.T @ Y
    e, h, k = Y - x @ weights, np.einsum("ij,jk,ik->i", x, inverse, x), x.shape[1]
    one = {"HC0": 1, "HC1": N / (N - k), "HC2": 1 / (1 - h), "HC3": 1 / (1 - h) ** 2}[kind]
    spread = inverse @ (x.T * (e**2 * one)) @ x @ inverse
    b, spread = (weights[1:], spread[1:, 1:]) if intercept else (weights, spread)
    wald = b @ np.linalg.solve(spread, b) / len(b)
    model = tl.LinearRegression(fit_intercept=intercept).fit(FRAME, "target")
    sizes = model.summary(robust=kind).sizes
    assert sizes["F"] == pytest.approx(wald, rel=1e-8)
    assert sizes["p of F"] == pytest.approx(stats.f.sf(wald, len(b), N - k), rel=1e-6)


def test_the_robust_f_of_one_column_is_the_square_of_its_t() -> None:
    one, x = FRAME[["bmi", "target"]], FRAME[["bmi", "target"]].assign(twice=2 * FRAME["bmi"])
    alone = tl.LinearRegression().fit(one, "target").summary(robust="HC3")
    assert alone.sizes["F"] == pytest.approx((alone.weight[1] / alone.error[1]) ** 2)
    both = tl.LinearRegression().fit(x, "target").summary(robust="HC3")
    assert both.sizes["F"] == pytest.approx(alone.sizes["F"])


def test_a_robust_f_that_no_rows_tell_is_none() -> None:
    x = np.eye(6)[:, :3] * 2.0  # the first three rows decide a weight each, alone
    y = np.arange(6.0) ** 2
    found = tl.LinearRegression().fit(x, y).summary(robust="HC3")
    assert (found.sizes["F"], found.sizes["p of F"]) == (None, None)
    assert "F(" not in str(found)


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
@pytest.mark.parametrize("weight", [None, np.arange(40) % 3 / 4 + 0.25])
def test_a_weight_that_one_row_decides_has_no_robust_error(kind: str, weight: Any) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.normal(size=40), "c": "a", "y": rng.normal(size=40)})
    frame.loc[7, "c"], frame.loc[8:20, "c"] = "b", "c"
    model = tl.LinearRegression().fit(frame, "y", sample_weight=weight)
    found, usual = model.summary(robust=kind), model.summary()
    assert found.names == ("w0", "x", "c=b", "c=c")
    assert np.isnan(found.error).tolist() == [False, False, True, False]
    assert np.isfinite(usual.error).all(), "equal variance tells it by other rows"
    assert found.sizes["F"] is None
    assert f"has no {kind} standard error" in unwrapped(found)
    rest, light = frame.drop(index=7), None if weight is None else np.delete(weight, 7)
    some = tl.LinearRegression().fit(rest, "y", sample_weight=light).summary(robust=kind)
    factor = 1.0 if kind != "HC1" else np.sqrt(40 / 36 / (39 / 36))
    np.testing.assert_allclose(found.error[[0, 1, 3]], some.error * factor, rtol=1e-9)


def test_leverage_and_cooks_distance_are_those_of_leaving_a_row_out(model: Any) -> None:
    found = model.diagnose(FRAME, "target")
    np.testing.assert_allclose(found.leverage, H, rtol=1e-9)
    i = int(found.cook.argmax())
    without = tl.LinearRegression().fit(FRAME.drop(index=i), "target")
    moved = model.predict(FRAME) - without.predict(FRAME)
    assert found.cook[i] == pytest.approx(moved @ moved / (K * SIGMA), rel=1e-8)
    left = without.predict(FRAME[i : i + 1])[0]
    alone = without.summary().sizes["σ"]
    assert found.student[i] == pytest.approx((Y[i] - left) * np.sqrt(1 - H[i]) / alone, rel=1e-8)


def test_checks_are_those_of_their_formulas(model: Any) -> None:
    found = {check.test: check for check in model.diagnose(FRAME, "target").checks}
    assert found["Durbin-Watson"].statistic == pytest.approx((np.diff(E) ** 2).sum() / (E @ E))
    bera = stats.jarque_bera(E)
    assert found["Jarque-Bera"].statistic == pytest.approx(bera.statistic)
    assert found["Jarque-Bera"].p == pytest.approx(bera.pvalue)
    squares = E**2
    rest = squares - X @ (INVERSE @ X.T @ squares)
    pagan = N * (1 - rest @ rest / ((squares - squares.mean()) ** 2).sum())
    assert found["Breusch-Pagan"].statistic == pytest.approx(pagan, rel=1e-6)
    assert found["Breusch-Pagan"].p == pytest.approx(stats.chi2.sf(pagan, K - 1), rel=1e-5)
    answer = X @ (INVERSE @ X.T @ Y)
    spread = answer - answer.mean()
    wide = np.column_stack([X, spread**2, spread**3])
    left = np.linalg.lstsq(wide, Y, rcond=None)[1][0]
    reset = (E @ E - left) / 2 / (left / (N - K - 2))
    assert found["RESET"].statistic == pytest.approx(reset, rel=1e-6)
    assert found["RESET"].p == pytest.approx(stats.f.sf(reset, 2, N - K - 2), rel=1e-5)


def test_intervals_hold_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 2))
    y = x @ [1, 2] + rng.normal(size=4000)
    model = tl.LinearRegression().fit(x[:200], y[:200])
    low, high = model.predict_interval(x[200:], 0.9).T
    held = ((low <= y[200:]) & (y[200:] <= high)).mean()
    assert 0.87 < held < 0.93
    narrow = model.predict_interval(x[200:], 0.9, of="mean")
    assert (np.diff(narrow) < 0.5 * (high - low)[:, None]).all()


def test_an_interval_is_that_of_the_formula(model: Any) -> None:
    low, high = model.predict_interval(FRAME[:5], 0.8).T
    reach = stats.t.ppf(0.9, N - K) * np.sqrt(SIGMA * (1 + H[:5]))
    np.testing.assert_allclose((high - low) / 2, reach, rtol=1e-9)


def test_the_rows_of_a_small_table_are_kept() -> None:
    frame = FRAME.copy()
    model = tl.LinearRegression().fit(frame, "target")
    assert model.summary().diagnostics is not None
    again = pickle.loads(pickle.dumps(model))
    for other in (again, copy.deepcopy(model)):
        assert other.summary().diagnostics is None
        assert "summary(X, y)" in str(other.summary())
        assert other.summary(frame, "target").diagnostics is not None
    before = str(model.summary())
    frame.loc[3, "target"] += 500  # the rows of the fit are kept as they were
    assert str(model.summary()) == before
    del frame
    assert str(model.summary()) == before
    kept = tl.LinearRegression(keep_rows=True).fit(FRAME, "target")
    assert pickle.loads(pickle.dumps(kept)).summary().diagnostics is not None


def test_rows_are_not_kept_where_the_table_is_large_or_nobody_wants_them() -> None:
    assert tl.LinearRegression(keep_rows=False).fit(FRAME, "target").kept_rows_ is None
    large = np.random.default_rng(0).normal(size=(250_001, 4))
    model = tl.LinearRegression().fit(large, large[:, 0] ** 2)
    assert model.kept_rows_ is None
    assert "keep_rows=True" in str(model.summary())


def test_an_array_that_is_changed_after_the_fit_is_noticed() -> None:
    x, y = FRAME.drop(columns="target").to_numpy(), FRAME["target"].to_numpy()
    x = np.array(x, dtype=np.float64)
    model = tl.LinearRegression().fit(x, y)
    x[3] += 500
    with pytest.raises(errors.InputError, match="these are not the 442 rows of the fit"):
        model.summary(robust="HC3")


def test_weights_of_rows_have_the_summary_of_repeated_rows() -> None:
    times = np.arange(len(FRAME)) % 3 + 1.0
    many = FRAME.loc[FRAME.index.repeat(times.astype(int))]
    counted = tl.table(FRAME.assign(w=times), target="target", weight="w")
    one = tl.LinearRegression().fit(counted)
    two = tl.LinearRegression().fit(many, "target")
    np.testing.assert_allclose(one.summary().error, two.summary().error, rtol=1e-9)
    checks = [found.diagnostics.checks for found in (one.summary(), two.summary())]
    for a, b in zip(*checks, strict=True):
        if a.test != "Durbin-Watson":  # which follows the rows as they stand
            assert a.statistic == pytest.approx(b.statistic, rel=1e-6)


def test_dependent_columns_have_no_standard_errors_and_the_reference_is_named() -> None:
    frame = FRAME.assign(twice=FRAME["bmi"] * 2, group=["a", "b"] * 221)
    found = tl.LinearRegression().fit(frame, "target").summary()
    rows = {row["name"]: row for row in found.records()}
    assert rows["bmi"]["error"] is rows["twice"]["error"] is None
    assert rows["age"]["error"] > 0
    assert "group is compared with 'a'." in str(found)
    assert "is a linear combination of" in str(found)


def test_summaries_of_penalties_have_no_standard_errors() -> None:
    found = tl.Ridge().fit(FRAME, "target").summary()
    assert all(row["error"] is None for row in found.records())
    with pytest.raises(errors.InputError, match="robust='HC3' needs the training rows"):
        tl.Ridge().fit(FRAME, "target").summary(robust="HC3")
    with pytest.raises(errors.InputError, match="without penalty"):
        tl.Ridge().fit(FRAME, "target").predict_interval(FRAME, of="mean")


def test_one_outlier_moves_the_line_by_its_leverage() -> None:
    x = np.arange(10.0)[:, None]
    y = 2 * x[:, 0]
    line = tl.LinearRegression().fit(x, y)
    for i in (0, 5, 9):
        moved = y.copy()
        moved[i] += 100
        lead = line.diagnose(x, y).leverage[i]
        answer = tl.LinearRegression().fit(x, moved).predict(x)[i]
        assert answer - line.predict(x)[i] == pytest.approx(100 * lead)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.summary(robust="HC9"), "robust='HC9'.*HC0, HC1"),
        (lambda m: m.summary(level=1), "level=1 .*0.95"),
        (lambda m: m.summary(target=3), "target=3.*1 target"),
        (lambda m: m.predict_interval(FRAME, of="rows"), "of='rows'.*'answer' or 'mean'"),
    ],
)
def test_questions_that_cannot_be_are_refused(model: Any, call: Any, said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        call(model)


def test_the_pictures_have_every_row(model: Any) -> None:
    plots = model.diagnose(FRAME, "target").plots()
    assert {*plots} == {"linearity", "variance", "normality", "leverage"}
    assert sum(plots["linearity"].data["rows"]) == N
    assert isinstance(model.diagnose(FRAME, "target").to_frame(), pd.DataFrame)


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_weights_of_rows_have_the_robust_errors_of_repeated_rows(kind: str) -> None:
    times = np.arange(len(FRAME)) % 3 + 1.0
    many = FRAME.loc[FRAME.index.repeat(times.astype(int))]
    counted = tl.table(FRAME.assign(w=times), target="target", weight="w")
    one = tl.LinearRegression().fit(counted)
    two = tl.LinearRegression().fit(many, "target")
    found, want = one.summary(robust=kind).error, two.summary(robust=kind).error
    np.testing.assert_allclose(found, want, rtol=1e-9)


def test_a_name_within_another_keeps_its_standard_error() -> None:
    frame = FRAME[["age", "bmi", "target"]].rename(columns={"age": "a"})
    frame = frame.assign(bmi_a=2 * frame["bmi"]).rename(columns={"bmi": "ba"})
    rows = tl.LinearRegression().fit(frame, "target").summary().records()
    assert [row["name"] for row in rows if row["error"] is None] == ["ba", "bmi_a"]


def test_every_column_of_a_long_dependency_is_without_standard_error() -> None:
    x = np.random.default_rng(0).normal(size=(60, 12))
    x = np.column_stack([x, x[:, :11].sum(axis=1)])
    rows = tl.LinearRegression().fit(x, x[:, 0] + np.arange(60)).summary().records()
    assert [row["name"] for row in rows if row["error"] is not None] == ["w0", "x11"]


ALONE = pd.DataFrame({"g": [*"aaaaabbbbbc"], "x": [1.0, 2, 3, 4, 6, 2, 3, 1, 4, 5, 9],
                      "y": [1.0e9, 3e9, 2e9, 5e9, 6e9, 4e9, 5e9, 3e9, 6e9, 6e9, 7e9]})  # fmt: skip


def test_a_row_that_alone_decides_a_weight_has_no_distance() -> None:
    model = tl.LinearRegression(min_samples_category=1).fit(ALONE, "y")
    found = model.diagnose(ALONE, "y")
    assert found.leverage[10] == pytest.approx(1)
    assert found.records()[10]["cook"] is found.records()[10]["student"] is None
    assert 10 not in [row["row"] for row in found.to_dict()["leading"]]
    assert "1 row has leverage 1" in str(found)
    assert len(found.plots()) == 4
    robust = model.summary(robust="HC3")
    known = dict(zip(robust.names, np.isfinite(robust.error).tolist(), strict=True))
    assert known == {"w0": True, "g=b": True, "g=c": False, "x": True}


def test_as_many_weights_as_rows_say_that_nothing_tells_their_errors() -> None:
    x, y = np.arange(12.0).reshape(3, 4) ** 2, np.array([1.0, 2.0, 4.0])
    model = tl.LinearRegression().fit(x, y)
    said = str(model.summary())
    assert "no residual degrees of freedom (n = 3, coefficients: 3)" in said
    assert "Log-likelihood" not in said
    assert "Cook" not in said
    assert "e+" not in said
    with pytest.raises(errors.InputError, match="rows are too few"):
        model.diagnose(x, y).plots()


def test_a_constant_column_weighs_nothing() -> None:
    frame = FRAME.assign(one=7.0, twice=FRAME["bmi"] * 2)
    model = tl.LinearRegression().fit(frame, "target")
    assert dict(zip(model.columns_, model.coef_, strict=True))["one"] == 0


@pytest.mark.parametrize("learner", [tl.Ridge, tl.Lasso, tl.ElasticNet])
def test_the_summary_has_the_penalty_that_folds_chose(learner: Any) -> None:
    model = learner(alpha="cv").fit(FRAME, "target")
    assert model.summary().sizes["alpha"] == model.alpha_
    assert learner(alpha=2.5).fit(FRAME, "target").summary().sizes["alpha"] == 2.5


def test_rows_that_were_not_learned_from_have_no_leverage(model: Any) -> None:
    for rows in (FRAME[:50], FRAME[:1], pd.concat([FRAME, FRAME])):
        for call in (model.diagnose, model.summary, lambda *a: model.summary(*a, robust="HC3")):
            with pytest.raises(errors.InputError, match="these are not the 442 rows"):
                call(rows, "target")
    assert model.summary(FRAME.sample(frac=1, random_state=0), "target").diagnostics is not None


@pytest.mark.parametrize("option", ["positive", "penalize_intercept"])
def test_a_path_of_bound_weights_is_refused(option: str) -> None:
    model = tl.Ridge(5.0, **{option: True}).fit(FRAME, "target")
    with pytest.raises(errors.InputError, match=f"leave out {option}=True"):
        model.path()


def test_the_equal_variance_of_lines_through_zero_is_asked_with_a_constant() -> None:
    x, y = FRAME[["bmi"]].to_numpy(), FRAME["target"].to_numpy()
    model = tl.LinearRegression(fit_intercept=False).fit(x, y)
    found = {check.test: check for check in model.diagnose(x, y).checks}["Breusch-Pagan"]
    squares = (y - model.predict(x)) ** 2
    pagan = N * np.corrcoef(x[:, 0], squares)[0, 1] ** 2
    assert found.statistic == pytest.approx(pagan, rel=1e-8)
    assert found.p == pytest.approx(stats.chi2.sf(pagan, 1), rel=1e-6)


def through_zero(far: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(42, 2)) + far
    return x, x @ [1.0, -0.5] + 0.3 * x[:, 0] ** 2 + rng.normal(size=42)


@pytest.mark.parametrize("far", [0.0, 5.0])
@pytest.mark.parametrize("weight", [None, 1 + np.arange(42) % 3])
def test_reset_of_lines_through_zero_asks_for_powers_of_the_answers(
    far: float, weight: Any
) -> None:
    x, y = through_zero(far)
    times = np.ones(42, dtype=int) if weight is None else weight
    frame = pd.DataFrame(x).rename(columns=str).assign(y=y, w=times)
    table = tl.table(frame, target="y", weight="w")
    model = tl.LinearRegression(fit_intercept=False).fit(table)
    found = model.diagnose(table).checks[0]
    whole, goal = np.repeat(x, times, axis=0), np.repeat(y, times)

    def left(columns: Any) -> float:
        return float(np.linalg.lstsq(columns, goal, rcond=None)[1][0])

    answer = whole @ np.linalg.lstsq(whole, goal, rcond=None)[0]
    less, more, free = left(whole), left(np.c_[whole, answer**2, answer**3]), times.sum() - 4
    reset = (less - more) / 2 / (more / free)
    assert found.statistic == pytest.approx(reset, rel=1e-8)
    assert found.p == pytest.approx(stats.f.sf(reset, 2, free), rel=1e-6)


def test_reset_with_a_column_of_ones_is_that_with_an_intercept() -> None:
    x, y = through_zero(5.0)
    one = tl.LinearRegression(fit_intercept=False).fit(np.c_[x, np.ones(42)], y)
    two = tl.LinearRegression().fit(x, y)
    assert one.diagnose(np.c_[x, np.ones(42)], y).checks[0].statistic == pytest.approx(
        two.diagnose(x, y).checks[0].statistic, rel=1e-8
    )


def test_without_slopes_nothing_is_said_of_what_varies_along_them() -> None:
    x, y = np.ones((N, 1)), FRAME["target"].to_numpy()
    checks = tl.LinearRegression().fit(x, y).diagnose(x, y).checks
    assert [check.test for check in checks] == ["Durbin-Watson", "Jarque-Bera"]


def test_one_row_more_than_weights_leaves_no_residual_without_a_row() -> None:
    x, y = np.array([[1.0], [2.0], [4.0]]), np.array([1.0, 2.0, 3.0])
    found = tl.LinearRegression().fit(x, y).diagnose(x, y)
    assert [row["student"] for row in found.records()] == [None] * 3
    assert found.cook == pytest.approx([1.25, 5 / 18, 6.5])
    assert "e+" not in str(found)


def test_what_a_nearly_perfect_line_leaves_has_its_digits() -> None:
    x = np.arange(12.0)[:, None]
    rough = np.where(np.arange(12) % 2, 2.0**-30, -(2.0**-30))
    y = 2 * x[:, 0] + 0.125 + rough
    found = tl.LinearRegression().fit(x, y).summary()
    want = tl.LinearRegression(exact=True).fit(x, y).summary()
    assert found.sizes["σ²"] == pytest.approx(want.sizes["σ²"], rel=1e-6)
    assert tl.LinearRegression().fit(x, y - rough).summary().sizes["σ"] < 1e-14


def left_out(how: str) -> tuple[Any, Any, set[int]]:
    """A table some rows of which are not learned from, the learner, and which those are."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "y": 0.0, "times": 1.0})
    frame["y"] = frame["x"] + rng.normal(size=40) / 10
    frame.loc[31, ["x", "y"]] = 9.0, -9.0
    column, value = {"target": ("y", np.nan), "weight": ("times", 0.0)}.get(how, ("x", np.nan))
    frame.loc[[0, 3, 20], column] = value
    given = {"gaps": "drop"} if how == "gaps" else {}
    table = tl.table(frame, target="y", weight="times", **given)
    return table, tl.LinearRegression(missing="drop" if how == "drop" else "indicator"), {0, 3, 20}


@pytest.mark.parametrize("how", ["target", "weight", "drop", "gaps"])
def test_rows_that_lead_have_the_numbers_of_the_table(how: str) -> None:
    table, learner, out = left_out(how)
    found = learner.fit(table).diagnose(table)
    assert [record["row"] for record in found.records()] == [i for i in range(40) if i not in out]
    told = found.to_dict()
    assert told["leading"][0]["row"] == 31
    assert told["far"] == [31]
    assert found.row[found.cook.argmax()] == 31


def test_rows_of_files_are_counted_over_all_of_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40)})
    frame["y"] = frame["x"] + rng.normal(size=40) / 10
    frame.loc[31, ["x", "y"]] = 9.0, -9.0
    frame.loc[[0, 25], "y"] = np.nan
    frame[:20].to_csv(tmp_path / "a.csv", index=False)
    frame[20:].to_csv(tmp_path / "b.csv", index=False)
    found = tl.LinearRegression().fit(tmp_path / "*.csv", "y").summary().diagnostics
    assert found is not None
    assert found.row.tolist() == [i for i in range(40) if i not in (0, 25)]
    assert found.to_dict()["leading"][0]["row"] == 31


def test_a_target_that_does_not_vary_has_no_share_to_explain() -> None:
    for x, y in (([[1.0]], [2.0]), ([[1.0], [2.0], [4.0]], [2.0, 2.0, 2.0])):
        model = tl.LinearRegression().fit(x, y)
        assert model.summary().sizes["R²"] is None
        assert "R²" not in str(model.show_work())
    assert "\nn 1 " in str(tl.LinearRegression().fit([[1.0]], [2.0]).summary())


def test_several_targets_have_their_names(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "price": [1.0, 2, 4, 4], "rent": [2.0, 1, 1, 0]})
    model = tl.LinearRegression().fit(frame, ["price", "rent"])
    model.save(tmp_path / "two.tally")
    for one in (model, tl.load(tmp_path / "two.tally")):
        assert [one.summary(target=t).target for t in (0, 1)] == ["price", "rent"]
    plain = tl.LinearRegression().fit(frame[["x"]], frame[["price", "rent"]].to_numpy())
    assert plain.summary(target=1).target == "y2"


def test_a_fit_that_leaves_rounding_alone_says_so() -> None:
    x = np.arange(9.0)[:, None] / 10
    told = "The columns determine the target up to rounding error"
    assert told in str(tl.LinearRegression().fit(x, 0.1 * x[:, 0] + 0.3).summary())
    noisy = 0.1 * x[:, 0] + np.sin(np.arange(9.0)) / 1e6
    assert told not in str(tl.LinearRegression().fit(x, noisy).summary())


def test_terms_that_cancel_but_for_rounding_add_up_to_nothing() -> None:
    model = tl.LinearRegression().fit([[0.1], [0.2], [0.4]], [-0.2, -0.1, 0.1])
    assert str(model.explain([[0.3]])).endswith("= 0")


def test_a_category_without_a_column_is_compared_with_nothing() -> None:
    rows = {"street": [f"s{i % 25}" for i in range(60)], "x": np.arange(60.0) % 7}
    frame = pd.DataFrame(rows).assign(y=lambda f: 0.1 * f["x"], area=["a", "b", "b"] * 20)
    told = tl.LinearRegression().fit(frame, "y").summary()
    assert "street has no coefficient: all of its values are rare." in told.remarks
    assert "area is compared with 'a'." in told.remarks
    assert told.weight[0] == 0  # not what rounding leaves of ȳ − w x̄


def test_a_category_of_one_value_and_a_constant_say_why_they_weigh_nothing() -> None:
    frame = FRAME[["bmi", "target"]].assign(c="u", k=3.0)
    model = tl.LinearRegression().fit(frame, "target")
    assert model.summary().remarks == (
        "c has no coefficient: it has only one value.", "k is constant and has no coefficient."
    )  # fmt: skip
    assert "k is constant and has no coefficient." in str(model.show_work())


def test_of_many_columns_that_follow_from_others_some_are_told_and_the_rest_counted() -> None:
    x = np.random.default_rng(0).normal(size=(20, 60))
    model = tl.LinearRegression().fit(x, x[:, 0])
    for told in (model.summary(), model.show_work()):
        assert unwrapped(told).count("the coefficients of these columns are not unique") == 5
        assert "36 more columns are constant or linearly dependent on others." in unwrapped(told)


def test_one_row_has_its_leverage_in_good_grammar() -> None:
    x = np.r_[np.arange(20.0), 500][:, None]
    found = tl.LinearRegression().fit(x, np.sin(x[:, 0])).diagnose(x, np.sin(x[:, 0]))
    assert "1 of 21 rows has more than 3 times the mean leverage." in str(found)


def test_an_intercept_beside_a_column_of_its_name_is_told_apart() -> None:
    model = tl.LinearRegression().fit(
        FRAME[["bmi", "target"]].rename(columns={"bmi": "w0"}), "target"
    )
    assert model.summary().names == ("(w0)", "w0")
    assert "(w0)" in str(model.show_work())


def test_of_many_weights_those_of_zero_are_counted_and_not_listed() -> None:
    x = np.random.default_rng(0).normal(size=(60, 100))
    y = x[:, 70] - x[:, 90] + 0.01 * x[:, 0]
    model = tl.Lasso(0.3).fit(x, y)
    told = str(model.summary())
    some = [f"x{j}" for j in np.flatnonzero(model.coef_)]
    assert {"x70", "x90"} <= {*some}
    assert all(f"\n{name} " in told for name in some)
    assert f"{100 - len(some)} coefficients are 0 and not listed." in told
    assert len(model.summary().records()) == 101
    few = str(tl.Lasso(0.3).fit(x[:, 69:72], y).summary())
    assert "not listed" not in few
    assert "\nx2 " in few


def test_the_printed_summary_has_the_headings_of_statsmodels(model: Any) -> None:
    lines = str(model.summary()).splitlines()
    assert lines[1].split() == ["coef", "std", "err", "t", "P>|t|", "[0.025", "0.975]"]
    assert lines[2].split()[:2] == ["Intercept", "-334.6"]
    assert lines[5].split() == ["bmi", "5.603", "0.7171", "7.813", "<0.001", "4.194", "7.012"]
    text = "\n".join(lines)
    assert "R-squared 0.5177   Adj. R-squared 0.5066   F(10, 431) 46.27, p < 0.001   n 442" in text
    assert "Log-likelihood -2386   AIC 4794   BIC 4839   sigma 54.15   Cond. no. " in text
    assert "Ramsey RESET F = 5.333, p = 0.0052: evidence of nonlinearity" in text
    assert "Durbin-Watson d = 2.029: no evidence of autocorrelation" in text
    assert "row  fitted  residual  leverage  studentized  Cook's D" in text
    assert max(map(len, lines)) <= 80
    assert repr(model.summary()) == text
    points = {line.index(".") for line in lines[2:13]}
    assert len(points) == 1, "the decimal points of a column are aligned"
    narrow = str(model.summary(level=0.9, robust="HC3")).splitlines()
    assert narrow[0] == "target: least squares, HC3 standard errors"
    assert narrow[1].split()[-2:] == ["[0.05", "0.95]"]


def test_a_column_called_intercept_is_not_the_intercept() -> None:
    frame = FRAME[["bmi", "bp", "target"]].rename(columns={"bmi": "Intercept", "bp": "w0"})
    found = tl.LinearRegression().fit(frame, "target").summary()
    assert [line.split()[0] for line in str(found).splitlines()[2:5]] == [
        "(Intercept)", "Intercept", "w0"
    ]  # fmt: skip
    through_zero = tl.LinearRegression(fit_intercept=False).fit(frame[["w0", "target"]], "target")
    assert str(through_zero.summary()).splitlines()[2].startswith("w0 ")
    assert "F(1, 441)" in str(through_zero.summary())
