"""Discriminants: scikit-learn's results, the notes' formulas, gaps, categories and bad input."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn import config_context
from sklearn import discriminant_analysis as peer
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tallylearn as tl
from tallylearn import errors, modelfile
from tallylearn.models.discriminants.covariance import axes
from tests.conftest import DATA

PRIORS = [0.2, 0.3, 0.5]
LDA = (
    {}, {"solver": "lsqr"}, {"solver": "eigen"}, {"priors": PRIORS, "store_covariance": True},
    {"solver": "lsqr", "shrinkage": 0.3}, {"solver": "lsqr", "priors": PRIORS},
    {"solver": "eigen", "shrinkage": 0.3, "priors": PRIORS}, {"n_components": 1}, {"tol": 0.3},
)  # fmt: skip
QDA = (
    {}, {"reg_param": 0.2, "store_covariance": True}, {"priors": PRIORS},
    {"solver": "eigen", "shrinkage": 0.2, "store_covariance": True}, {"solver": "eigen"},
)  # fmt: skip


def random_table() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 300)
    return rng.normal(size=(300, 12)) @ rng.normal(size=(12, 12)) + 2 * rng.normal(size=(3, 12))[
        y
    ], y


TABLES = {
    "iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True),
    "random": random_table(),
}  # fmt: skip
every_table = pytest.mark.parametrize("name", TABLES)


@every_table
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("options", LDA, ids=str)
def test_linear_discriminants_are_scikit_learns(name: str, options: Any, exact: bool) -> None:
    X, y = TABLES[name]
    ours = tl.LinearDiscriminantAnalysis(**options, exact=exact).fit(X, y)
    theirs = peer.LinearDiscriminantAnalysis(**options).fit(X, y)
    for attribute in ("coef_", "intercept_", "means_", "priors_", "classes_"):
        expected = getattr(theirs, attribute)
        scale = np.abs(expected).max()
        assert np.allclose(getattr(ours, attribute), expected, rtol=1e-8, atol=1e-9 * scale)
    for attribute in ("covariance_", "xbar_", "explained_variance_ratio_"):
        if hasattr(theirs, attribute):
            assert np.allclose(getattr(ours, attribute), getattr(theirs, attribute), atol=1e-12)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    for method in ("decision_function", "predict_proba"):
        assert np.allclose(getattr(ours, method)(X), getattr(theirs, method)(X), atol=1e-8)
    if ours.solver != "lsqr":
        turned, expected = ours.transform(X), theirs.transform(X)
        assert turned.shape == expected.shape
        assert np.allclose(np.abs(turned), np.abs(expected), rtol=1e-6, atol=1e-8)
        sign = np.sign((turned * expected).sum(axis=0))
        r = turned.shape[1]
        assert np.allclose(ours.scalings_[:, :r] * sign, theirs.scalings_[:, :r], atol=1e-8)


@every_table
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("options", QDA, ids=str)
def test_quadratic_discriminants_are_scikit_learns(name: str, options: Any, exact: bool) -> None:
    X, y = TABLES[name]
    ours = tl.QuadraticDiscriminantAnalysis(**options, exact=exact).fit(X, y)
    theirs = peer.QuadraticDiscriminantAnalysis(**options).fit(X, y)
    assert np.allclose(ours.means_, theirs.means_)
    assert np.allclose(ours.priors_, theirs.priors_)
    assert np.allclose(ours.scalings_, theirs.scalings_, atol=1e-9)
    axes = np.abs(ours.rotations_), np.abs(theirs.rotations_)
    assert np.allclose(*axes, atol=1e-6)
    if options.get("store_covariance"):
        assert np.allclose(ours.covariance_, theirs.covariance_)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    for method in ("decision_function", "predict_proba", "predict_log_proba"):
        assert np.allclose(getattr(ours, method)(X), getattr(theirs, method)(X), atol=1e-7)


@pytest.mark.parametrize("shrinkage", [None, 0.3, "auto"])
def test_least_squares_turns_rows_as_eigenvectors_do(shrinkage: Any) -> None:
    X, y = TABLES["wine"]
    turned, expected = (
        tl.LinearDiscriminantAnalysis(solver, shrinkage).fit(X, y).transform(X)
        for solver in ("lsqr", "eigen")
    )
    assert np.allclose(turned, expected, rtol=1e-6, atol=1e-8)


def test_two_classes_have_one_row_of_weights_as_in_scikit_learn() -> None:
    X, y = TABLES["wine"][0][:130], TABLES["wine"][1][:130]
    ours, theirs = tl.LinearDiscriminantAnalysis().fit(X, y), peer.LinearDiscriminantAnalysis()
    theirs.fit(X, y)
    assert ours.coef_.shape == (1, 13)
    assert np.allclose(ours.coef_, theirs.coef_)
    assert np.allclose(ours.intercept_, theirs.intercept_)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X))


@pytest.mark.parametrize("make", [tl.LinearDiscriminantAnalysis, tl.QuadraticDiscriminantAnalysis])
def test_weight_two_is_the_row_twice(make: Any) -> None:
    X, y = TABLES["iris"]
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    names = list("abcd")
    often = pd.DataFrame(X.repeat(weight, axis=0), columns=names).assign(y=y.repeat(weight))
    counted = pd.DataFrame(X, columns=names).assign(y=y, n=weight)
    counted = tl.table(counted, target="y", weight="n")
    weighed, twice = make(exact=True).fit(counted), make(exact=True).fit(often, "y")
    assert modelfile.digests(weighed) == modelfile.digests(twice)
    floats, X = make().fit(counted), pd.DataFrame(X, columns=names)
    assert np.allclose(floats.predict_proba(X), twice.predict_proba(X), atol=1e-12)


def gappy() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 200)
    frame = pd.DataFrame(rng.normal(size=(200, 4)) + y[:, None], columns=list("dcba"))
    frame["colour"] = rng.choice(["red", "green", "blue"], 200)
    frame["fast"] = rng.random(200) < 0.3 + 0.2 * y
    frame["when"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, 200), "D")
    for name, share in (("c", 0.2), ("a", 0.1), ("colour", 0.15), ("when", 0.1)):
        frame.loc[rng.random(200) < share, name] = None
    frame.loc[y == 1, "d"] = np.nan
    return frame.assign(y=y)


def filled_by_hand(frame: pd.DataFrame) -> Any:
    """Indicators but for the first value, days, and the mean of what is present in every gap."""
    x = pd.DataFrame(index=frame.index)
    for name in ("d", "c", "b", "a"):
        x[name] = frame[name]
    for value in ("green", "red"):
        x[value] = (frame["colour"] == value).astype(float).where(frame["colour"].notna())
    x["fast"] = frame["fast"].astype(float)
    x["when"] = (frame["when"] - pd.Timestamp("1970-01-01")) / pd.Timedelta("1D")
    return x.fillna(x.mean()).to_numpy()


@pytest.mark.parametrize("exact", [False, True])
def test_gaps_are_filled_by_the_mean_and_categories_are_indicators(exact: bool) -> None:
    frame = gappy()
    X = filled_by_hand(frame)
    for ours, theirs in (
        (tl.LinearDiscriminantAnalysis(exact=exact), peer.LinearDiscriminantAnalysis()),
        (tl.QuadraticDiscriminantAnalysis(reg_param=0.1, exact=exact),
         peer.QuadraticDiscriminantAnalysis(reg_param=0.1)),
    ):  # fmt: skip
        ours.fit(frame, "y")
        theirs.fit(X, frame["y"])
        assert np.allclose(ours.means_, theirs.means_)
        assert np.allclose(ours.predict_proba(frame), theirs.predict_proba(X), atol=1e-8)
        parts = [type(ours)(**ours.get_params()).partial_fit(frame[a : a + 40], "y")
                 for a in range(0, 200, 40)]  # fmt: skip
        merged = tl.merge(*parts)
        assert np.allclose(merged.predict_proba(frame), theirs.predict_proba(X), atol=1e-8)
    assert "Column 'c' is missing in" in str(ours.show_work())
    assert "every value but 'blue'" in str(ours.show_work())


def test_an_explanation_says_what_was_filled_and_what_is_new() -> None:
    frame = gappy()
    model = tl.LinearDiscriminantAnalysis().fit(frame, "y")
    row = frame.drop(columns="y").iloc[[0]].assign(colour="violet", a=np.nan)
    said = str(model.explain(row))
    assert "never seen, counts as 'blue'" in said
    assert "missing, filled by the mean" in said
    assert "share of every value" in str(model.explain(row.assign(colour=None)))


def test_the_log_likelihood_is_the_sum_of_log_densities() -> None:
    from scipy.stats import multivariate_normal

    X, y = TABLES["iris"]
    for model in (tl.LinearDiscriminantAnalysis("lsqr"),
                  tl.QuadraticDiscriminantAnalysis(store_covariance=True)):  # fmt: skip
        model.fit(X, y)
        covariances = model.covariance_
        shared = not isinstance(covariances, list)
        by_hand = 0.0
        for c in range(3):
            normal = multivariate_normal(model.means_[c], covariances if shared else covariances[c])
            by_hand += float((np.log(1 / 3) + normal.logpdf(X[y == c])).sum())
        assert model.log_likelihood(X, y) == pytest.approx(by_hand)
        with pytest.raises(errors.TargetError, match="class 7, which the model was not fitted to"):
            model.log_likelihood(X, y + 7)


@pytest.mark.parametrize("make", [tl.LinearDiscriminantAnalysis, tl.QuadraticDiscriminantAnalysis])
def test_new_rows_are_drawn_from_the_fitted_classes(make: Any) -> None:
    X, y = TABLES["iris"]
    model = make().fit(X, y)
    rows, classes = model.sample(20_000, random_state=0)
    drawn = pd.DataFrame(rows)[list(model.schema_.names)].to_numpy()
    again = make(store_covariance=True).fit(drawn, classes)
    first = make(store_covariance=True).fit(X, y)
    assert np.allclose(again.means_, first.means_, atol=0.05)
    assert np.allclose(again.covariance_, first.covariance_, atol=0.02)
    rare = make(priors=PRIORS).fit(X, y).sample(20_000, random_state=2)[1]
    assert np.allclose(np.bincount(rare) / 20_000, PRIORS, atol=0.02)
    assert model.sample(3, random_state=1)[0] == model.sample(3, random_state=1)[0]
    with pytest.raises(errors.OptionError, match="-1 rows"):
        model.sample(-1)


def test_drawn_rows_of_a_mixed_table_have_its_columns_and_values() -> None:
    frame = gappy().drop(columns="when")
    rows, _ = tl.LinearDiscriminantAnalysis().fit(frame, "y").sample(50, random_state=0)
    assert {*rows[0]} == {*frame.columns} - {"y"}
    assert {row["colour"] for row in rows} == {"blue", "green", "red"}


def test_constant_and_collinear_columns_are_left_out_by_svd_and_said() -> None:
    X, y = TABLES["iris"]
    wide = np.column_stack([X, np.ones(150), X[:, 0] + X[:, 1]])
    model = tl.LinearDiscriminantAnalysis().fit(wide, y)
    plain = tl.LinearDiscriminantAnalysis().fit(X, y)
    assert np.allclose(model.predict_proba(wide), plain.predict_proba(X), atol=1e-9)
    said = str(model.show_work())
    assert "Only 4 of 6 directions vary: 'x4' is constant, and 'x0', 'x1', 'x5' are" in said
    least = tl.LinearDiscriminantAnalysis("lsqr").fit(wide, y)
    assert np.allclose(least.predict_proba(wide), plain.predict_proba(X), atol=1e-9)
    with pytest.raises(errors.ColumnError, match=r"'x4' is constant.*shrinkage"):
        tl.LinearDiscriminantAnalysis("eigen").fit(wide, y)
    with pytest.raises(errors.ColumnError, match=r"class 0 is singular.*'x4' is constant.*reg_par"):
        tl.QuadraticDiscriminantAnalysis().fit(wide, y)


def test_collinear_columns_have_a_density_on_their_span() -> None:
    X, y = TABLES["iris"]
    wide = np.column_stack([X, np.ones(150), X[:, 0] + X[:, 1]])
    model = tl.LinearDiscriminantAnalysis(store_covariance=True).fit(wide, y)
    joint = [
        np.log(prior)
        + multivariate_normal(mean, model.covariance_, allow_singular=True).logpdf(wide)
        for prior, mean in zip(model.priors_, model.means_, strict=True)
    ]
    assert np.allclose(model.score_samples(wide), logsumexp(joint, axis=0), atol=1e-6)
    wide[0, 4] += 1.0
    assert model.score_samples(wide)[0] == -np.inf
    assert np.isfinite(model.score_samples(wide)[1:]).all()


def test_more_columns_than_rows_are_learned_or_refused_in_words() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 80)), np.arange(30) % 3
    ours, theirs = tl.LinearDiscriminantAnalysis().fit(X, y), peer.LinearDiscriminantAnalysis()
    assert np.allclose(ours.coef_, theirs.fit(X, y).coef_)
    shrunk = {"solver": "eigen", "shrinkage": 0.5}
    theirs = peer.LinearDiscriminantAnalysis(**shrunk).fit(X, y)
    assert np.allclose(tl.LinearDiscriminantAnalysis(**shrunk).fit(X, y).coef_, theirs.coef_)
    with pytest.raises(errors.ColumnError, match=r"10 rows, 80 columns.*reg_param"):
        tl.QuadraticDiscriminantAnalysis().fit(X, y)


def test_a_class_of_one_row_is_learned_by_one_covariance_and_refused_by_many() -> None:
    X, y = TABLES["iris"][0][:101], TABLES["iris"][1][:101]
    ours, theirs = tl.LinearDiscriminantAnalysis().fit(X, y), peer.LinearDiscriminantAnalysis()
    assert np.allclose(ours.coef_, theirs.fit(X, y).coef_)
    with pytest.raises(errors.TargetError, match="no column varies in class 2"):
        tl.QuadraticDiscriminantAnalysis().fit(X, y)
    regular = tl.QuadraticDiscriminantAnalysis(reg_param=0.5).fit(X, y)
    assert regular.predict(X[100:]).tolist() == [2]


def test_one_row_a_class_has_no_covariance() -> None:
    X, y = np.array([[1.0, 2.0], [3.0, 1.0]]), ["a", "b"]
    with pytest.raises(errors.ColumnError, match=r"covariance is 0. Add rows"):
        tl.LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(errors.ColumnError, match="no column varies"):
        tl.LinearDiscriminantAnalysis().fit([{"c": "u"}, {"c": "u"}, {"c": "u"}], [*y, "a"])


def test_one_class_is_answered_with_that_class() -> None:
    X, _ = TABLES["iris"]
    for model in (tl.LinearDiscriminantAnalysis(), tl.QuadraticDiscriminantAnalysis()):
        assert {*model.fit(X, ["only"] * 150).predict(X)} == {"only"}


@pytest.mark.parametrize(
    ("make", "options", "match"),
    [
        (tl.LinearDiscriminantAnalysis, {"solver": "qr"}, "'svd', 'lsqr', 'eigen'"),
        (tl.LinearDiscriminantAnalysis, {"shrinkage": 0.1}, "solver='lsqr' or 'eigen'"),
        (tl.LinearDiscriminantAnalysis, {"shrinkage": 2, "solver": "lsqr"}, "'shrinkage'.*Got 2"),
        (tl.LinearDiscriminantAnalysis, {"covariance_estimator": 1}, "covariance_estimator"),
        (tl.LinearDiscriminantAnalysis, {"n_components": 3}, "cannot be larger than min"),
        (tl.LinearDiscriminantAnalysis, {"n_components": 0}, "'n_components'"),
        (tl.LinearDiscriminantAnalysis, {"tol": -1}, "'tol'"),
        (tl.LinearDiscriminantAnalysis, {"priors": [0.5, 0.4, 0.3]}, "priors is .* sum to 1"),
        (tl.QuadraticDiscriminantAnalysis, {"reg_param": 2}, "'reg_param'"),
        (tl.QuadraticDiscriminantAnalysis, {"shrinkage": 0.1}, "solver='eigen'"),
        (tl.QuadraticDiscriminantAnalysis, {"solver": "lsqr"}, "'svd', 'eigen'"),
    ],
)
def test_an_option_that_cannot_be_is_named(make: Any, options: Any, match: str) -> None:
    with pytest.raises(errors.OptionError, match=match):
        make(**options).fit(*TABLES["iris"])


@pytest.mark.parametrize("exact", [False, True])
def test_infinities_and_numbers_beyond_products_name_their_column(exact: bool) -> None:
    X, y = TABLES["iris"]
    bad = X.copy()
    bad[7, 2] = np.inf
    model = tl.LinearDiscriminantAnalysis(exact=exact)
    with pytest.raises(errors.ColumnError, match=r"'x2' has inf in row 7"):
        model.fit(bad, y)
    with pytest.raises(errors.ColumnError, match=r"'x1'.*Divide them"):
        model.fit(X * [1, 1e200, 1, 1], y)
    model.fit(X, y)
    for call in (model.predict, model.transform, model.predict_joint_log_proba):
        with pytest.raises(errors.ColumnError, match="'x2' has inf"):
            call(bad)


def test_transform_gives_the_container_that_is_asked_for() -> None:
    X, y = TABLES["iris"]
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(150) + 7)
    model = tl.LinearDiscriminantAnalysis().set_output(transform="pandas")
    turned = model.fit_transform(frame, y)
    assert turned.columns.tolist() == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]
    assert turned.index.equals(frame.index)
    assert isinstance(clone(model).fit_transform(X, y), pd.DataFrame)
    assert isinstance(model.set_output(transform="polars").transform(frame), pl.DataFrame)
    assert isinstance(model.set_output(transform="default").transform(frame), np.ndarray)
    with config_context(transform_output="pandas"):
        assert isinstance(tl.LinearDiscriminantAnalysis().fit_transform(frame, y), pd.DataFrame)
    with pytest.raises(errors.OptionError, match="'default', 'pandas', 'polars'"):
        model.set_output(transform="arrow")
    two = make_pipeline(StandardScaler(), tl.LinearDiscriminantAnalysis(), tl.NaiveBayes())
    assert two.fit(X, y).score(X, y) > 0.9


def test_forgetting_a_class_forgets_its_values_too() -> None:
    frame = gappy()
    frame.loc[frame["y"] == 2, "colour"] = "violet"
    model = tl.LinearDiscriminantAnalysis(exact=True).fit(frame, "y")
    model.forget(frame[frame["y"] == 2], "y")
    other = tl.LinearDiscriminantAnalysis(exact=True).fit(frame[frame["y"] != 2], "y")
    assert modelfile.digests(model) == modelfile.digests(other)


@pytest.mark.parametrize("exact", [False, True])
def test_a_constant_column_with_gaps_or_weights_is_left_out(exact: bool) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=2000)
    X = rng.normal(size=(2000, 2)) + 2 * y[:, None]
    wide = np.c_[X, np.full(2000, 123.456)]
    plain = tl.LinearDiscriminantAnalysis().fit(X, y).score(X, y)
    weighed = tl.LinearDiscriminantAnalysis(exact=exact).fit(
        wide, y, sample_weight=rng.random(2000)
    )
    assert abs(weighed.score(wide, y) - plain) < 0.01
    wide[::7, 2] = np.nan
    model = tl.LinearDiscriminantAnalysis(exact=exact).fit(wide, y)
    assert model.score(wide, y) == plain
    assert "'x2' is constant" in str(model.show_work())
    with pytest.raises(errors.ColumnError, match="'x2' is constant"):
        tl.LinearDiscriminantAnalysis(solver="eigen", exact=exact).fit(wide, y)


@pytest.mark.parametrize("value", [123.456, 0.1, -7.7, 1e5 / 3])
def test_what_rounding_leaves_of_a_constant_column_is_no_spread(value: float) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y, X, weight = np.arange(60) % 3, rng.normal(size=(60, 2)), rng.uniform(0.1, 3, 60)
        X[:, 0] += y
        gappy = np.c_[X, np.where(rng.random(60) < 0.3, np.nan, value)]
        plain = tl.LinearDiscriminantAnalysis().fit(X, y, weight).predict_proba(X)
        model = tl.LinearDiscriminantAnalysis().fit(gappy, y, weight)
        assert np.allclose(model.predict_proba(gappy), plain)
        assert "'x2' is constant" in str(model.show_work())


def test_a_row_beyond_all_distances_is_refused_by_row() -> None:
    X, y = np.array([[0.0], [1.0], [5.0], [7.0]]), [0, 0, 1, 1]
    with pytest.raises(errors.ColumnError, match="row 1: the distance"):
        tl.QuadraticDiscriminantAnalysis().fit(X, y).predict_proba([[0.0], [1e200]])


def test_rows_drawn_with_dates_are_rows_for_the_model() -> None:
    when = pd.date_range("2026-01-01", periods=8)
    frame = pd.DataFrame({"when": when, "x": [1.0, 3, 2, 5, 7, 6, 9, 8]})
    for learner in (tl.LinearDiscriminantAnalysis(), tl.QuadraticDiscriminantAnalysis()):
        model = learner.fit(frame, list("aaaabbbb"))
        assert model.predict(model.sample(5, random_state=0)[0]).shape == (5,)


def test_given_priors_are_in_the_formula_and_components_are_whole() -> None:
    X, y = np.array([[0.0], [1.0], [5.0], [8.0]]), [0, 0, 1, 1]
    shown = tl.LinearDiscriminantAnalysis(solver="lsqr", priors=[0.1, 0.9]).fit(X, y).show_work()
    assert "Σ_k p_k S_k" in str(shown)
    with pytest.raises(errors.OptionError, match=r"'n_components'.* an int .*1\.5"):
        tl.LinearDiscriminantAnalysis(n_components=1.5).fit(X, y)


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("exact", [False, True])
def test_shrinkage_by_ledoit_and_wolf_comes_from_one_pass(load: Any, exact: bool) -> None:
    X, y = load(return_X_y=True)
    options = {"shrinkage": "auto"}
    for solver in ("lsqr", "eigen"):
        ours = tl.LinearDiscriminantAnalysis(solver=solver, exact=exact, **options).fit(X, y)
        theirs = peer.LinearDiscriminantAnalysis(solver=solver, **options).fit(X, y)
        assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-8)
        assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
        parts = tl.LinearDiscriminantAnalysis(solver=solver, exact=exact, **options)
        for at in range(3):
            parts.partial_fit(X[at::3], y[at::3])
        assert np.allclose(parts.coef_, theirs.coef_, rtol=1e-8)


@pytest.mark.parametrize("seed", range(8))
def test_a_covariance_of_few_rows_is_shrunk_at_most_to_its_target(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
    ours = tl.LinearDiscriminantAnalysis("lsqr", "auto").fit(X, y)
    theirs = peer.LinearDiscriminantAnalysis("lsqr", "auto").fit(X, y)
    assert np.allclose(ours.covariance_, theirs.covariance_)
    assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-8)


def test_automatic_shrinkage_says_what_it_needs() -> None:
    X, y = load_iris(return_X_y=True)
    model = tl.LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1).fit(X, y)
    with pytest.raises(errors.OptionError, match=r"shrinkage was .* 'auto' now"):
        model.set_params(shrinkage="auto").partial_fit(X, y)
    X[3, 1] = np.nan
    with pytest.raises(errors.ColumnError, match=r"accepts no missing values, and .* has some"):
        tl.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    constant = np.column_stack([X[:, 2:], np.ones(len(X))])
    with_one = tl.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(constant, y)
    theirs = peer.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(constant, y)
    assert np.allclose(with_one.predict_proba(constant), theirs.predict_proba(constant), atol=1e-9)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
@pytest.mark.parametrize("shrinkage", [None, 0.3, "auto"])
def test_an_offset_of_a_billion_changes_nothing_but_the_last_digits(
    solver: str, shrinkage: Any, exact: bool
) -> None:
    X, y = TABLES["wine"]
    far = X + 1e9  # where doubles are 1e-7 apart
    if solver == "svd" and shrinkage is not None:
        return
    options = {"solver": solver, "shrinkage": shrinkage}
    pairs = [(tl.LinearDiscriminantAnalysis, peer.LinearDiscriminantAnalysis)]
    if solver != "lsqr":
        pairs.append((tl.QuadraticDiscriminantAnalysis, peer.QuadraticDiscriminantAnalysis))
    for make, theirs in pairs:
        expected = theirs(**options).fit(far - 1e9, y).predict_proba(far - 1e9)
        whole = make(**options, exact=exact).fit(far, y)
        parts = [make(**options, exact=exact).partial_fit(far[at::3], y[at::3]) for at in range(3)]
        for model in (whole, tl.merge(*parts)):
            assert np.allclose(model.predict_proba(far), expected, atol=1e-5)
            logs = model.predict_joint_log_proba(far)
            assert np.array_equal(logs.argmax(axis=1), expected.argmax(axis=1))


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
def test_weights_as_the_first_release_saved_them_mean_the_same(solver: str) -> None:
    X, y = TABLES["wine"]
    model = tl.LinearDiscriminantAnalysis(solver).fit(X, y)
    before = model.coef_, model.intercept_, model.decision_function(X), model.predict_proba(X)
    shared, constant = model._shared_term()
    old = {"weights": model.model_.weights + shared, "bias": model.model_.bias + constant}
    model.model_ = replace(model.model_, **old)
    after = model.coef_, model.intercept_, model.decision_function(X), model.predict_proba(X)
    for one, other in zip(before, after, strict=True):
        assert np.allclose(one, other, rtol=1e-7, atol=1e-8)


def test_a_column_of_zeros_is_shrunk_like_any_constant() -> None:
    X, y = TABLES["iris"]
    wide = np.column_stack([np.zeros(len(X)), X])
    for exact in (False, True):
        for solver in ("lsqr", "eigen"):
            options = {"solver": solver, "shrinkage": "auto"}
            ours = tl.LinearDiscriminantAnalysis(**options, exact=exact)
            theirs = peer.LinearDiscriminantAnalysis(**options).fit(wide, y)
            if solver == "eigen":
                ours.fit(wide, y)
            for at in range(3) if solver == "lsqr" else ():  # zeros first, in one part of three
                ours.partial_fit(wide[at::3], y[at::3])
            assert np.allclose(ours.predict_proba(wide), theirs.predict_proba(wide), atol=1e-9)


def test_a_column_that_begins_to_vary_is_counted_from_the_first_row() -> None:
    X, y = TABLES["iris"]
    late = X.copy()
    late[:, 1] = np.where(np.arange(150) % 3 == 0, 0.0, X[:, 1])
    options = {"solver": "lsqr", "shrinkage": "auto"}
    for exact in (False, True):
        ours = tl.LinearDiscriminantAnalysis(**options, exact=exact)
        for at in range(3):
            ours.partial_fit(late[at::3], y[at::3])
        theirs = peer.LinearDiscriminantAnalysis(**options).fit(late, y)
        assert np.allclose(ours.coef_, theirs.coef_, rtol=1e-8)


def test_squares_of_the_first_release_are_not_added_to() -> None:
    X, y = TABLES["iris"]
    model = tl.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    model.tally_.parts["squares"] = model.tally_["numbers"]
    with pytest.raises(errors.MergeError, match=r"earlier version.*Fit again"):
        model.partial_fit(X, y)


HOSTILE = {
    "large": [1e150] * 4, "of all sizes": [1e-150, 1, 1e100, 1e150], "small": [1e-160] * 4,
    "beyond small": [1e-310] * 4, "fourth powers": [1e75] * 4, "zero": [0, 1, 1, 1],
    "far apart": [1e-300, 1e-100, 1e30, 1e76], "nothing": [0] * 4,
}  # fmt: skip


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", [*HOSTILE, "offset", "outliers"])
def test_hostile_numbers_are_learned_or_refused_in_words(name: str, exact: bool) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 3
    odd = {"offset": X + 1e300, "outliers": np.where(rng.random((60, 4)) < 0.05, 1e153, X)}
    X = odd[name] if name in odd else X * HOSTILE[name]
    shrunk = [{"solver": "eigen", "shrinkage": s} for s in (None, 0.2, 1, "auto")]
    lsqr = [{**options, "solver": "lsqr"} for options in shrunk]
    models = [tl.LinearDiscriminantAnalysis(exact=exact, **o) for o in ({}, *shrunk, *lsqr)]
    more = ({}, {"tol": 0}, {"reg_param": 0.1}, *shrunk)
    for model in (*models, *(tl.QuadraticDiscriminantAnalysis(exact=exact, **o) for o in more)):
        try:
            shares = model.fit(X, y).predict_proba(X)
            model.decision_function(X), model.explain(X[:2]), str(model.show_work())
        except errors.InputError:
            continue
        assert np.allclose(shares.sum(axis=1), 1)


def test_a_frame_with_more_columns_than_rows_is_factored_by_its_rows() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 700)), np.arange(40) % 2
    values, vectors = axes(np.cov(X.T))
    assert np.allclose(values, np.linalg.eigvalsh(np.cov(X.T)), atol=1e-12)
    assert np.allclose(vectors @ np.diag(values) @ vectors.T, np.cov(X.T), atol=1e-12)
    assert np.allclose(vectors.T @ vectors, np.eye(700), atol=1e-12)
    with pytest.raises(errors.ColumnError, match=r"20 rows, 700 columns.*reg_param"):
        tl.QuadraticDiscriminantAnalysis().fit(X, y)
    regular = tl.QuadraticDiscriminantAnalysis(reg_param=0.5, store_covariance=True).fit(X, y)
    by_hand = 0.5 * np.cov(X[y == 0].T, bias=True) + 0.5 * np.eye(700)
    assert np.allclose(regular.covariance_[0], by_hand, atol=1e-10)
    ours, theirs = tl.LinearDiscriminantAnalysis().fit(X, y), peer.LinearDiscriminantAnalysis()
    assert np.allclose(ours.coef_, theirs.fit(X, y).coef_, atol=1e-8)


LEARNERS = (
    tl.NaiveBayes(), tl.LinearDiscriminantAnalysis(), tl.LinearDiscriminantAnalysis("lsqr"),
    tl.QuadraticDiscriminantAnalysis(), tl.NearestCentroid(priors="empirical"),
)  # fmt: skip


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
def test_the_class_of_a_far_row_is_one_of_the_most_probable(model: Any) -> None:
    rng = np.random.default_rng(0)
    centre = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 3.0]])
    y = np.arange(140) % 3
    model = clone(model).fit(rng.normal(size=(140, 2)) + centre[y], y)
    for far in 10.0 ** np.arange(0, 18):
        one, two = rng.normal(size=(2, 100, 2)) * far
        first = model.predict(one)
        for _ in range(60):  # to the border between the classes
            middle = (one + two) / 2
            same = (model.predict(middle) == first)[:, None]
            one, two = np.where(same, middle, one), np.where(same, two, middle)
        for rows in (one, two):
            shares = model.predict_proba(rows)
            said = shares[np.arange(100), model.predict(rows)]
            assert np.allclose(said, shares.max(axis=1), rtol=0, atol=1e-8)


def test_a_far_row_that_is_tied_has_equal_shares() -> None:
    X, y = [[-1.0], [-2.0], [-3.0], [1.0], [2.0], [3.0]], [0, 0, 0, 1, 1, 1]
    model = tl.NaiveBayes(var_smoothing=0).fit(np.column_stack([X, np.arange(6) % 3]), y)
    assert model.predict_proba([[0.0, 1e12]]).tolist() == [[0.5, 0.5]]
    assert model.predict([[0.0, 1e12]]).tolist() == [0]
    near = model.predict_proba([[1e-3, 1e3]])
    assert near[0, 1] > near[0, 0]
    assert model.predict([[1e-3, 1e3]]).tolist() == [1]


@pytest.mark.parametrize(
    "make", [tl.LinearDiscriminantAnalysis, tl.QuadraticDiscriminantAnalysis, tl.NearestCentroid]
)
def test_a_class_of_prior_zero_is_never_answered(make: Any) -> None:
    X, y = TABLES["iris"][0][:100], TABLES["iris"][1][:100]
    model = make(priors=[0, 1]).fit(X, y)
    assert {*model.predict(X)} == {1}
    assert model.predict_proba(X)[:, 0].max() == 0
    assert [row.chosen for row in model.explain(X[:2])] == [1, 1]
    with pytest.raises(
        errors.OptionError, match=rf"{make.__name__}.fit: priors has 3 values for 2"
    ):
        make(priors=[0.2, 0.3, 0.5]).fit(X, y)


def many_valued(n: int = 600) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers, and a category with four values that tell the class and 90 rare ones; gaps."""
    rng = np.random.default_rng(12)
    y, at = rng.choice(["no", "yes"], n), np.arange(n)
    frame = pd.DataFrame({"x": rng.normal(size=n) + (y == "yes"), "z": rng.normal(size=n)})
    told = np.where(y == "yes", "b", "c")
    often = np.where(rng.random(n) < 0.7, told, rng.choice([*"ad"], n))
    frame["c"] = np.where(at % 5 == 0, [f"r{i // 5 % 90:02d}" for i in at], often)
    frame.loc[at % 17 == 1, "c"] = None
    frame.loc[at % 5 == 0, "c"] = [f"r{i // 5 % 90:02d}" for i in at[at % 5 == 0]]
    return frame, y


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    "make",
    [tl.LinearDiscriminantAnalysis, partial(tl.QuadraticDiscriminantAnalysis, reg_param=0.01)],
)
def test_rare_values_are_one_value_together(make: Any, exact: bool, tmp_path: Path) -> None:
    frame, y = many_valued()
    by_hand = frame.assign(c=["other" if str(v).startswith("r") else v for v in frame["c"]])
    model, plain = make(exact=exact).fit(frame, y), make(exact=exact).fit(by_hand, y)
    assert model.rare_values_ == {"c": tuple(f"r{i:02d}" for i in range(90))}
    assert plain.rare_values_ == {}
    assert np.allclose(model.predict_proba(frame), plain.predict_proba(by_hand), atol=1e-10)
    assert model.n_parameters_ == plain.n_parameters_
    rows = frame.head(50)
    found = model.predict_proba(rows.assign(c="never seen"))
    assert np.allclose(found, plain.predict_proba(rows.assign(c="other")), atol=1e-10)
    assert "Column 'c' has 90 rare values, which have one column together" in str(model.show_work())
    said = str(model.explain(rows.assign(c=["never seen", "r01"] * 25)))
    assert "never seen, counts as rare" in said
    model.save(tmp_path / "model.tally")
    again = tl.load(tmp_path / "model.tally")
    assert again.rare_values_ == model.rare_values_
    assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
    every = make(exact=exact, min_samples_category=1).fit(frame, y)
    assert every.model_.mean.shape[1] == plain.model_.mean.shape[1] + 89
    assert {row["c"] for row in model.sample(50, random_state=1)[0]} <= {*"abcd", "r00"}


def test_halves_with_rare_values_merge_to_the_model_of_all_rows() -> None:
    frame, y = many_valued()
    halves = slice(250), slice(250, 600)
    parts = (tl.LinearDiscriminantAnalysis().fit(frame[at], y[at]) for at in halves)
    whole = tl.LinearDiscriminantAnalysis().fit(frame, y)
    merged = tl.merge(*parts)
    assert merged.rare_values_ == whole.rare_values_
    assert np.allclose(merged.predict_proba(frame), whole.predict_proba(frame), atol=1e-10)


@pytest.mark.parametrize("levels", [None, 1000], ids=["unique strings", "1000 levels"])
@pytest.mark.parametrize(
    "learner",
    [tl.LinearDiscriminantAnalysis(), tl.QuadraticDiscriminantAnalysis(reg_param=0.1)],
    ids=str,
)
def test_a_column_of_noise_costs_a_discriminant_a_point_at_most(
    learner: Any, levels: int | None
) -> None:
    rng = np.random.default_rng(3)
    frame, y = many_valued(600)
    frame = frame.assign(c=[v if len(str(v)) == 1 else "other" for v in frame["c"]])
    noise = rng.permutation(600) if levels is None else rng.integers(levels, size=600)
    noisy = frame.assign(noise=[f"v{i:04d}" for i in noise])
    plain, beside = (
        tl.evaluate(learner, X, y, cv=5, scores=["accuracy"])["accuracy"].value
        for X in (frame, noisy)
    )
    assert plain > 0.8
    assert beside >= plain - 0.01


def test_a_file_from_before_keeps_a_column_for_every_value() -> None:
    for name in ("lda", "lda-exact", "qda"):
        model = tl.load(DATA / "models" / f"{name}.tally")
        assert (model.min_samples_category, model.rare_values_) == (1, {})


def test_folds_that_memory_does_not_hold_together_are_learned_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame, y = many_valued()
    learner = tl.LinearDiscriminantAnalysis()
    at_once = tl.evaluate(learner, frame, y, cv=5, scores=["accuracy", "log_loss"])
    monkeypatch.setenv("TALLY_MEMORY", "0.004")  # a fold takes 2 · 96² · 96 bytes, 0.0017 GiB
    one_by_one = tl.evaluate(learner, frame, y, cv=5, scores=["accuracy", "log_loss"])
    for name in ("accuracy", "log_loss"):
        assert one_by_one[name].value == pytest.approx(at_once[name].value, rel=1e-9)
    monkeypatch.setenv("TALLY_MEMORY", "0.0001")
    every = tl.LinearDiscriminantAnalysis(min_samples_category=1)
    with pytest.raises(errors.SizeError, match="Column 'c' alone has 9"):
        tl.evaluate(every, frame, y, cv=5)


@pytest.mark.parametrize("exact", [False, True])
def test_values_that_differ_by_a_square_sign_are_two_values(exact: bool) -> None:
    rng = np.random.default_rng(0)
    unit = rng.choice(["m", "m²", "m²′"], 60)
    frame = pd.DataFrame({"unit": unit, "x": rng.normal(size=60), "y": rng.choice(["a", "b"], 60)})
    plain = frame.assign(unit=frame["unit"].map({"m": "p", "m²": "q", "m²′": "r"}))
    kind = {"solver": "lsqr", "shrinkage": "auto", "exact": exact}
    one, two = (tl.LinearDiscriminantAnalysis(**kind).fit(each, "y") for each in (frame, plain))
    assert np.allclose(one.predict_proba(frame), two.predict_proba(plain), rtol=1e-12)


@pytest.mark.parametrize("exact", [False, True])
def test_a_constant_column_is_passed_over_beside_shrinkage_auto(exact: bool) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["u", "v"]).assign(
        flat=3.0, y=rng.choice(["a", "b"], 60)
    )
    kind = {"solver": "eigen", "shrinkage": "auto", "exact": exact}
    with_it = tl.QuadraticDiscriminantAnalysis(**kind).fit(frame, "y")
    without = tl.QuadraticDiscriminantAnalysis(**kind).fit(frame.drop(columns="flat"), "y")
    assert np.array_equal(with_it.predict_proba(frame), without.predict_proba(frame))


@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_a_class_of_one_row_is_fitted_by_the_remedies_of_its_error(solver: str) -> None:
    X, y = [[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 4.0]], list("aaab")
    with pytest.raises(errors.TargetError, match=r"class 'b'.*reg_param=0.1 with solver='svd'"):
        tl.QuadraticDiscriminantAnalysis(solver=solver).fit(X, y)
    fitted = tl.QuadraticDiscriminantAnalysis(reg_param=0.1, solver="svd").fit(X, y)
    assert fitted.predict(X).tolist() == y
    assert tl.LinearDiscriminantAnalysis().fit(X, y).predict(X[3:]).tolist() == ["b"]
