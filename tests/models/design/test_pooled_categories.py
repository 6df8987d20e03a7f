"""Pooling: where the pairs of all values are too many, rare ones are counted as one value."""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallylearn as tl
from tallylearn import errors
from tallylearn.cli import main
from tests.soak import pairs

LEARNERS = [
    tl.LinearDiscriminantAnalysis,
    partial(tl.QuadraticDiscriminantAnalysis, reg_param=0.05),
]


def shops(n: int = 150) -> pd.DataFrame:
    """Customers, of whom few come again; shops, some of them large; a number; gaps; the class."""
    rng = np.random.default_rng(21)
    y = rng.choice(["goes", "stays"], n)
    large = np.where(y == "goes", "north", "south")
    shop = np.where(rng.random(n) < 0.4, large, [f"s{i:03}" for i in rng.integers(200, size=n)])
    frame = pd.DataFrame({
        "customer": [f"c{i:03}" for i in rng.integers(n, size=n)],
        "shop": pd.Series(shop).where(rng.random(n) < 0.9, None),
        "x": rng.normal(size=n) + (y == "goes"),
        "y": y,
    })  # fmt: skip
    frame.loc[::29, "x"] = np.nan
    return frame


@pytest.mark.parametrize(
    ("make", "exact", "weight"),
    pairs(LEARNERS, [False, True], [None, "weight", "importance"]),
)
def test_what_is_pooled_while_counting_is_the_model_of_all_values(
    make: Any, exact: bool, weight: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, times = shops(), np.arange(150) % 3
    table: Any = frame.drop(columns="y")
    if weight is not None:
        given = frame.assign(w=times if weight == "weight" else 1.0)
        table = tl.table(given, target="y", keep=["customer"], **{weight: "w"})
    answers = () if weight is not None else (frame["y"],)
    whole = make(exact=exact).fit(table, *answers)
    monkeypatch.setenv("TALLY_MEMORY", "0.001")
    model = make(exact=exact).fit(table, *answers)
    assert whole.tally_ is not None
    assert model.tally_ is None
    assert model.rare_values_ == whole.rare_values_
    assert "north" not in model.rare_values_["shop"]
    assert len(model.rare_values_["customer"]) > 60
    rows = frame.drop(columns="y")
    assert np.allclose(model.predict_proba(rows), whole.predict_proba(rows), atol=1e-9)


REGRESSIONS = [
    tl.LinearRegression,
    partial(tl.LinearRegression, solver="qr"),
    partial(tl.LinearRegression, solver="cholesky"),
    partial(tl.LinearRegression, degree=2),
    partial(tl.Ridge, alpha="cv"),
    partial(tl.Lasso, alpha="cv"),
    tl.ElasticNet,
    partial(tl.SubsetSelection, criterion="folds", folds=3),
]


@pytest.mark.parametrize(
    ("make", "exact", "missing", "weight"),
    pairs(
        REGRESSIONS, [False, True], ["indicator", "mean", "drop"],
        [None, "weight", "importance"],
    ),
)  # fmt: skip
def test_so_it_is_in_linear_regressions(
    make: Any, exact: bool, missing: str, weight: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, times = shops(), np.arange(150) % 3
    price = 3 * (frame["shop"] == "north") + frame["x"].fillna(0) + (frame["y"] == "goes")
    rows, options = frame.drop(columns="y"), {"exact": exact, "missing": missing}
    table: Any = rows
    if weight is not None:
        table = rows.assign(w=times if weight == "weight" else 1.0, price=price)
        table = tl.table(table, target="price", keep=["customer"], **{weight: "w"})
    answers = () if weight is not None else (price,)
    whole = make(**options).fit(table, *answers)
    monkeypatch.setenv("TALLY_MEMORY", "0.001")
    model = make(**options).fit(table, *answers)
    assert whole.tally_ is not None
    assert model.tally_ is None
    assert model.rare_values_ == whole.rare_values_
    assert "north" not in model.rare_values_["shop"]
    assert len(model.rare_values_["customer"]) > 50
    assert np.allclose(model.coef_, whole.coef_, atol=1e-9)
    shown = rows[~rows.isna().any(axis=1)] if missing == "drop" else rows
    assert np.allclose(model.predict(shown), whole.predict(shown), atol=1e-9)


def test_a_regression_of_pooled_values_is_saved_and_neither_merged_nor_led_along_a_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TALLY_MEMORY", "0.001")
    frame = shops()
    X, y = frame.drop(columns="y"), frame["x"].fillna(0) + (frame["y"] == "goes")
    model = tl.Ridge().fit(X, y)
    assert "rare values" in str(model.show_work())
    model.save(tmp_path / "model.tally", tally=False)
    assert np.array_equal(tl.load(tmp_path / "model.tally").predict(X), model.predict(X))
    with pytest.raises(
        errors.OptionError, match=r"pooled to fit into memory. Save it with tally=False"
    ):
        model.save(tmp_path / "model.tally")
    with pytest.raises(errors.MergeError, match="pooled rare values to fit memory"):
        tl.merge(model, model)
    with pytest.raises(errors.MergeError, match="rare values were pooled"):
        model.path()
    assert tl.Lasso().fit(X, y).path().coef.shape[1] == len(model.columns_)
    with pytest.raises(errors.SizeError, match=r"Or a larger min_samples_category"):
        tl.Ridge(min_samples_category=1).fit(X, y)


def test_what_has_no_categories_is_told_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALLY_MEMORY", "0.001")
    X = np.random.default_rng(0).normal(size=(300, 200))
    with pytest.raises(errors.SizeError) as told:
        tl.LinearRegression().fit(X, X[:, 0])
    assert "min_samples_category" not in str(told.value)


def test_folds_score_a_regression_of_pooled_values(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = shops()
    X, y = frame.drop(columns="y"), frame["x"].fillna(0) + (frame["y"] == "goes")
    cv = tl.Folds.k(5, seed=0)
    whole = tl.evaluate(tl.LinearRegression(), X, y, cv=cv, scores=["r2"])["r2"]
    monkeypatch.setenv("TALLY_MEMORY", "0.001")
    found = tl.evaluate(tl.LinearRegression(), X, y, cv=cv, scores=["r2"])["r2"]
    assert found.value == pytest.approx(whole.value, abs=1e-9)


def test_a_model_of_pooled_values_is_saved_and_not_merged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TALLY_MEMORY", "0.001")
    frame = shops()
    X, y = frame.drop(columns="y"), frame["y"]
    model = tl.LinearDiscriminantAnalysis().fit(X, y)
    model.save(tmp_path / "model.tally", tally=False)
    again = tl.load(tmp_path / "model.tally")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(errors.MergeError, match="pooled rare values to fit memory"):
        tl.merge(model, model)
    with pytest.raises(errors.MergeError, match="pooled rare values to fit memory"):
        model.partial_fit(X, y)
    with pytest.raises(
        errors.OptionError, match=r"pooled to fit into memory. Save it with tally=False"
    ):
        model.save(tmp_path / "model.tally")


def test_the_remedies_for_too_many_pairs_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TALLY_MEMORY", "0.001")
    frame = shops()
    with pytest.raises(errors.SizeError, match=r"Or a larger min_samples_category") as told:
        tl.LinearDiscriminantAnalysis(min_samples_category=1).fit(frame, "y")
    tl.LinearDiscriminantAnalysis(min_samples_category=5).fit(frame, "y")
    left_out = str(told.value).partition("ignore=")[2].partition(")")[0]
    table = tl.table(frame, target="y", ignore=ast.literal_eval(left_out))
    tl.LinearDiscriminantAnalysis(min_samples_category=1).fit(table)
    auto = {"solver": "lsqr", "shrinkage": "auto"}
    with pytest.raises(errors.SizeError, match=r"'customer' alone has.*pass shrinkage a number"):
        tl.LinearDiscriminantAnalysis(**auto).fit(frame, "y")
    tl.LinearDiscriminantAnalysis(**auto | {"shrinkage": 0.2}).fit(frame, "y")


def test_the_command_saves_a_model_of_pooled_values_without_its_counts_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TALLY_MEMORY", "0.001")
    shops().to_csv(tmp_path / "shops.csv", index=False)
    given = ["learn", str(tmp_path / "shops.csv"), "--target", "y", "--keep", "customer", "--model"]
    place = tmp_path / "model.tally"
    done = CliRunner().invoke(main, [*given, "lda", "-o", str(place)])
    assert done.exit_code == 0, done.stderr
    assert "merge and forget do not work: rare values were pooled" in done.stderr
    assert tl.load(place).tally_ is None
    for model in ("bayes", "perceptron"):
        done = CliRunner().invoke(main, [*given, model, "-o", str(place), "--force"])
        assert done.exit_code == 0, done.stderr
        assert "has no counts" not in done.stderr


def test_what_is_no_mean_is_said_to_have_no_counts(tmp_path: Path) -> None:
    shops().to_csv(tmp_path / "shops.csv", index=False)
    given = ["learn", str(tmp_path / "shops.csv"), "--target", "y", "--model", "centroid", "--set"]
    place = tmp_path / "model.tally"
    done = CliRunner().invoke(main, [*given, "metric=gower", "-o", str(place)])
    assert done.exit_code == 0, done.stderr
    assert "forget do not work: its options need all rows at once." in done.stderr
    model = tl.load(place)
    with pytest.raises(errors.MergeError, match=r"merge: .*keeps no tally"):
        tl.merge(model, model)


def test_folds_of_a_table_that_is_pooled_are_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = shops()
    X, y = frame.drop(columns="y"), frame["y"]
    scored = partial(tl.evaluate, tl.LinearDiscriminantAnalysis(), X, y, cv=3, scores=["accuracy"])
    whole = scored()["accuracy"].value
    monkeypatch.setenv("TALLY_MEMORY", "0.001")
    assert scored()["accuracy"].value == whole


def test_parts_of_a_file_are_pooled_as_one_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    frame = shops()
    for at in range(3):
        frame[at::3].to_csv(tmp_path / f"{at}.csv", index=False)
    monkeypatch.setenv("TALLY_MEMORY", "0.001")
    options = {"target": "y", "keep": ["customer"]}
    files = tl.LinearDiscriminantAnalysis().fit(tl.table(str(tmp_path / "*.csv"), **options))
    model = tl.LinearDiscriminantAnalysis().fit(frame.drop(columns="y"), frame["y"])
    assert files.rare_values_ == model.rare_values_
    X = frame.drop(columns="y")
    assert np.allclose(files.predict_proba(X), model.predict_proba(X), atol=1e-9)


def test_a_quadratic_discriminant_passes_over_a_constant_column_of_a_named_table() -> None:
    frame = shops()[["x", "y"]].dropna()
    wide = frame.assign(k=123.456, one="same")
    plain = tl.QuadraticDiscriminantAnalysis().fit(frame, "y")
    model = tl.QuadraticDiscriminantAnalysis().fit(wide, "y")
    assert np.allclose(model.predict_proba(wide), plain.predict_proba(frame), atol=1e-12)
    assert "Column 'k' is the same in every row and says nothing." in str(model.show_work())
    again = tl.merge(*(tl.QuadraticDiscriminantAnalysis().fit(wide[at::2], "y") for at in (0, 1)))
    assert np.allclose(again.predict_proba(wide), plain.predict_proba(frame), atol=1e-9)
    with pytest.raises(errors.ColumnError, match="'k' is constant"):
        tl.QuadraticDiscriminantAnalysis().fit(wide[["x", "k"]], wide["y"])
    with pytest.raises(errors.ColumnError, match="no column varies"):
        tl.QuadraticDiscriminantAnalysis().fit(wide[["k", "one", "y"]], "y")


@pytest.mark.parametrize("make", [tl.LinearRegression, tl.LogisticRegression, tl.Perceptron])
def test_linear_models_say_which_values_share_a_column(make: Any, tmp_path: Path) -> None:
    frame = shops()
    X, target = frame[["shop", "x"]].fillna({"x": 0.0}), frame["y"]
    if make is tl.LinearRegression:
        target = (target == "goes").astype(float)
    model = make().fit(X, target)
    counts = frame["shop"].value_counts()
    assert model.rare_values_ == {"shop": tuple(sorted(counts.index[counts < 20]))}
    model.save(tmp_path / "model.tally")
    assert tl.load(tmp_path / "model.tally").rare_values_ == model.rare_values_
    assert make(min_samples_category=1).fit(X, target).rare_values_ == {}
