"""Prediction intervals of regressors, against the formulas of the papers and scikit-learn."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

import tallylearn as tl
from tallylearn import errors
from tallylearn.models.forests.out_of_bag import votes_of


def table(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    frame["c"] = rng.choice(["x", "y", "z"], n)
    frame["y"] = 3 * frame.a + np.where(frame.c == "x", 2.0, 0.0) + rng.normal(size=n)
    frame.loc[:: n // 5, "b"] = np.nan
    return frame


def by_hand(predicted: np.ndarray, residuals: np.ndarray, level: float) -> np.ndarray:
    """Equation 7 of Barber et al.: (n, rows) predictions of the model that lacks each row."""
    rank = math.ceil(round(level * (len(residuals) + 1), 9)) - 1
    upper = np.sort(predicted + residuals, axis=1)[:, rank]
    return np.column_stack([-np.sort(residuals - predicted, axis=1)[:, rank], upper])


X = np.random.default_rng(1).normal(size=(57, 3))
Y = X @ [1.0, -2.0, 0.5] + np.random.default_rng(2).standard_t(3, size=57)
NEW = np.random.default_rng(3).normal(size=(9, 3))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(tl.Ridge(2.0), Ridge(2.0)),
     (tl.DecisionTreeRegressor(max_depth=2), DecisionTreeRegressor(max_depth=2, random_state=0))],
)  # fmt: skip
@pytest.mark.parametrize("cv", [5, "loo"])
def test_cross_conformal_intervals_are_those_of_the_paper(
    ours: Any, theirs: Any, level: float, cv: Any
) -> None:
    folds = tl.Folds.leave_one_out() if cv == "loo" else tl.Folds.k(5, stratified=False)
    (part,) = folds.assign_parts(len(Y))
    predicted, residuals = np.empty((len(NEW), len(Y))), np.empty(len(Y))
    for fold in np.unique(part):
        model, test = theirs.fit(X[part != fold], Y[part != fold]), part == fold
        predicted[:, test] = model.predict(NEW)[:, None]
        residuals[test] = np.abs(Y[test] - model.predict(X[test]))
    made = ours.fit(X, Y).fit_intervals(X, Y, cv=folds if cv == "loo" else cv)
    expected = by_hand(predicted, residuals, level)
    np.testing.assert_allclose(made.predict_interval(NEW, level), expected, rtol=1e-9)


def test_a_forest_adds_quantiles_of_its_out_of_bag_residuals() -> None:
    forest = tl.RandomForestRegressor(30).fit(X, Y)
    sums, voters = votes_of(forest.model_, forest.kept_rows_, forest._bags(forest.kept_rows_))
    residuals = np.abs(Y - sums[:, 0] / voters)
    expected = by_hand(np.repeat(forest.predict(NEW)[:, None], len(Y), axis=1), residuals, 0.8)
    np.testing.assert_allclose(forest.predict_interval(NEW, 0.8), expected, rtol=1e-9)


def test_one_residual_of_any_size_costs_the_others_no_digit() -> None:
    y = np.arange(60.0)
    y[7] = 1e300
    model = tl.DummyRegressor(strategy="median").fit(np.ones((60, 1)), y)
    low, high = model.predict_interval([[1.0]], 0.9)[0]
    assert (low, high) == (pytest.approx(3, abs=3), pytest.approx(57, abs=3))


FRAME = table(150)
LEARNERS = [
    tl.Ridge(), tl.Lasso(), tl.ElasticNet(0.1), tl.SubsetSelection(), tl.DecisionTreeRegressor(),
    tl.M5(), tl.DummyRegressor(), tl.RandomForestRegressor(20), tl.ExtraTreesRegressor(5),
    tl.HistGradientBoostingRegressor(max_iter=5), tl.KNeighborsRegressor(), tl.LinearRegression(),
    tl.VotingRegressor([tl.Ridge(), tl.DummyRegressor()]),
    tl.ExplainableBoostingRegressor(outer_bags=2, inner_bags=1, max_rounds=40),
    tl.Pipeline([tl.SimpleImputer(), tl.OneHotEncoder(), tl.LMS(0.01)]),
]  # fmt: skip


def test_every_public_regressor_is_listed_here() -> None:
    named = {type(one).__name__ for one in LEARNERS} | {"LMS", "PoissonRegressor"}  # below
    public = {name for name in tl.__all__
              if getattr(getattr(tl, name), "task", None) == "regressor"}  # fmt: skip
    assert public <= named


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_every_regressor_has_intervals_that_hold_most_of_the_fresh_rows(learner: Any) -> None:
    fresh, model = table(300, seed=9), learner.fit(FRAME, "y")
    before = model.predict(fresh)
    low, high = model.predict_interval(fresh, level=0.9).T
    held = float(((low <= fresh.y) & (fresh.y <= high)).mean())
    assert 0.8 <= held <= 0.99
    narrow = model.predict_interval(fresh, level=0.5).T
    assert (low <= narrow[0]).all()
    assert (narrow[1] <= high).all()
    assert (model.predict(fresh) == before).all(), "the model is unchanged"


def test_counts_have_intervals_too() -> None:
    counts = np.random.default_rng(0).poisson(np.exp(X[:, 0]))
    low, high = tl.PoissonRegressor().fit(X, counts).predict_interval(X, 0.9).T
    assert 0.8 <= ((low <= counts) & (counts <= high)).mean() <= 1


def test_rows_of_a_declared_group_are_predicted_by_models_without_the_group() -> None:
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(30), 10)
    effect = rng.normal(size=30)[group] * 5
    frame = pd.DataFrame({"id": group.astype(float), "who": [f"g{g}" for g in group]})
    frame["y"] = effect + rng.normal(size=300) * 0.1
    alone = tl.RandomForestRegressor(20).fit(frame[["id"]], frame.y)
    grouped = tl.RandomForestRegressor(20).fit(tl.table(frame, target="y", groups="who"))
    named = tl.DecisionTreeRegressor().fit(frame[["id", "y"]], "y")
    named.fit_intervals(frame, "y", groups="who")
    narrow = np.diff(alone.predict_interval(frame[["id"]][:5])).mean()
    for model in (grouped, named):
        assert np.diff(model.predict_interval(frame[:5])).mean() > 5 * narrow
    assert grouped.notes_.training.intervals.method == "CV+"
    assert len(grouped.notes_.training.intervals.folds) == 10


def test_a_frequency_counts_as_so_many_rows() -> None:
    times = np.random.default_rng(0).integers(1, 4, len(Y))
    weighed = tl.table({"a": X[:, 0], "n": times, "y": Y}, target="y", weight="n")
    rows = np.repeat(np.arange(len(Y)), times)
    folds = tl.Folds.k(5, stratified=False)
    (part,) = folds.assign_parts(len(Y))
    model = tl.DummyRegressor().fit(weighed)
    model.fit_intervals(weighed, cv=folds)
    means = [np.average(Y[part != k], weights=times[part != k]) for k in range(5)]
    predicted = np.array(means)[part][rows]
    expected = by_hand(predicted[None], np.abs(Y - np.array(means)[part])[rows], 0.9)
    np.testing.assert_allclose(model.predict_interval({"a": 0.0}, 0.9), expected, rtol=1e-9)


def test_the_scale_of_sample_weights_does_not_matter() -> None:
    weight = np.random.default_rng(0).uniform(0.5, 2, len(Y))
    found = [tl.LinearRegression().fit(X, Y, weight * s).fit_intervals(X, Y, weight * s)
             .predict_interval(NEW) for s in (1, 1024)]  # fmt: skip
    np.testing.assert_allclose(*found, rtol=1e-9)


def test_least_squares_is_exact_unless_cross_conformal_intervals_were_fitted() -> None:
    model = tl.LinearRegression().fit(X, Y)
    exact, mean = model.predict_interval(NEW), model.predict_interval(NEW, of="mean")
    model.fit_intervals(X, Y)
    assert not np.allclose(model.predict_interval(NEW), exact)
    assert (model.predict_interval(NEW, of="mean") == mean).all()
    model.fit(X, Y)
    assert (model.predict_interval(NEW) == exact).all()


def test_one_of_several_targets_has_the_intervals_of_that_target() -> None:
    both = np.column_stack([Y, 100 * X[:, 0] + Y])
    several, one = tl.Ridge().fit(X, both), tl.Ridge().fit(X, both[:, 1])
    found = several.predict_interval(NEW, 0.9, target=1)
    np.testing.assert_allclose(found, one.predict_interval(NEW, 0.9), rtol=1e-9)


def test_a_formula_and_dropped_rows_have_intervals() -> None:
    fresh = table(40, seed=3).dropna()
    for model in (tl.Ridge().fit(FRAME, "y ~ a * c + b"),
                  tl.Ridge(missing="drop").fit(FRAME, "y")):  # fmt: skip
        assert np.isfinite(model.predict_interval(fresh)).all()


def test_intervals_are_those_of_the_rows_of_fit_whatever_becomes_of_their_array() -> None:
    x, y = X.copy(), Y.copy()
    first = tl.KNeighborsRegressor().fit(x, y).predict_interval(NEW)
    model = tl.KNeighborsRegressor().fit(x, y)
    x[:], y[:] = 0, 0
    assert (model.predict_interval(NEW) == first).all()


def test_a_loaded_model_and_a_pickled_one_need_the_table_again(tmp_path: Path) -> None:
    for learner in (tl.KNeighborsRegressor(), tl.RandomForestRegressor(20), tl.Ridge()):
        model = learner.fit(FRAME, "y")
        expected = model.predict_interval(FRAME)
        model.save(tmp_path / "model.tally")
        for again in (tl.load(tmp_path / "model.tally"), pickle.loads(pickle.dumps(model))):
            with pytest.raises(errors.InputError, match=r"fit_intervals\(table, 'target'\)"):
                again.predict_interval(FRAME)
            again.fit_intervals(FRAME, "y")
            np.testing.assert_allclose(again.predict_interval(FRAME), expected, rtol=1e-12)


def test_new_rows_learned_since_have_to_be_passed() -> None:
    model = tl.Ridge().fit(X, Y)
    model.predict_interval(NEW)
    model.partial_fit(NEW, np.zeros(9))
    with pytest.raises(errors.InputError, match="fit_intervals"):
        model.predict_interval(NEW)


def test_what_cannot_be_is_refused_with_what_to_do_instead() -> None:
    few = tl.KNeighborsRegressor(2).fit(X[:12], Y[:12])
    with pytest.raises(errors.InputError, match=r"need 19 .* are 12. Pass level=0.92 or less"):
        few.predict_interval(NEW)
    assert np.isfinite(few.predict_interval(NEW, level=0.92)).all()
    model = tl.Ridge().fit(X, Y)
    for level in (0, 1, True, "0.9", math.nan, None):
        with pytest.raises(errors.OptionError, match="between 0 and 1"):
            model.predict_interval(NEW, level)
    for cv in (1, True, "10", 2.5, tl.Folds.holdout(), tl.Folds.k(3, repeats=2)):
        with pytest.raises(errors.OptionError, match="cv is"):
            model.fit_intervals(X, Y, cv=cv)
    with pytest.raises(errors.OptionError, match="name of a column"):
        model.fit_intervals(X, Y, groups=[1] * len(Y))
    with pytest.raises(errors.InputError, match=r"of means need least squares"):
        model.predict_interval(NEW, of="mean")
    with pytest.raises(errors.NotFitted):
        tl.Ridge().predict_interval(NEW)
    classes = tl.Pipeline([tl.StandardScaler(), tl.NaiveBayes()]).fit(X, Y > 0)
    with pytest.raises(errors.KindError, match=r"last step is NaiveBayes.*predict_proba"):
        classes.predict_interval(NEW)
    assert not hasattr(tl.NaiveBayes(), "predict_interval")
    with pytest.raises(errors.InputError, match="was grown from 57 rows"):
        tl.RandomForestRegressor(5).fit(X, Y).fit_intervals(X[:30], Y[:30])
