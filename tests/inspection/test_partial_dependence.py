"""Partial dependence: scikit-learn's numbers on scikit-learn's grid, and errors of ours."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import partial_dependence as their_partial_dependence

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, OptionError
from tallylearn.inspection.partial_dependence import PartialDependence

RNG = np.random.default_rng(7)
N = 130
X = pd.DataFrame({
    "a": RNG.normal(size=N), "few": RNG.integers(0, 5, N).astype(float),
    "b": RNG.exponential(size=N), "tied": np.where(np.arange(N) % 9, 0.0, RNG.normal(size=N)),
})  # fmt: skip
Y = X.a * X.few - X.b + RNG.normal(size=N) / 4
KIND = np.array(["low", "mid", "high"])[np.digitize(Y, [-1, 1])]
MODELS: dict[str, Any] = {
    "forest": tl.RandomForestClassifier(7, random_state=0).fit(X, KIND),
    "logistic": tl.LogisticRegression().fit(X, Y > 0),
    "regressor": tl.RandomForestRegressor(7, random_state=0).fit(X, Y),
    "linear": tl.LinearRegression().fit(X, Y),
    "pipeline": tl.Pipeline([tl.StandardScaler(), tl.LogisticRegression()]).fit(X, Y > 0),
}


def mixed() -> pd.DataFrame:
    table = X[["a", "b"]].assign(kind=RNG.choice(["x", "y", "z"], N), y=KIND)
    table["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N), "D")
    table.loc[::7, "b"] = np.nan
    table.loc[::11, "kind"] = None
    table.loc[::13, "a"] = np.nan
    return table


@pytest.mark.parametrize("columns", [["a"], ["few"], ["b", "few"], ["a", "b"]])
@pytest.mark.parametrize("name", MODELS)
def test_values_and_grid_are_those_of_scikit_learn(name: str, columns: list[str]) -> None:
    model, both = MODELS[name], len(columns) == 1
    theirs = their_partial_dependence(
        model, X, columns, method="brute", grid_resolution=7, percentiles=(0.1, 0.8),
        kind="both" if both else "average",
    )  # fmt: skip
    found = tl.partial_dependence(
        model, X, columns, grid_resolution=7, percentiles=(0.1, 0.8), subsample=N
    )
    for ours, grid in zip(found.grid, theirs["grid_values"], strict=True):
        np.testing.assert_allclose(ours, grid, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.average, theirs["average"][-1], rtol=0, atol=1e-12)
    assert found.average.std() > 0
    if both:
        np.testing.assert_allclose(found.individual, theirs["individual"][-1], rtol=0, atol=1e-12)
        assert found.rows == tuple(range(N))


def test_another_class_is_named() -> None:
    found = [
        tl.partial_dependence(MODELS["forest"], X, "a", positive=one) for one in ("high", "low")
    ]
    rows = X.assign(a=found[0].grid[0][3])
    expected = MODELS["forest"].predict_proba(rows).mean(axis=0)
    classes = MODELS["forest"].classes_.tolist()
    for one in found:
        assert one.average[3] == pytest.approx(expected[classes.index(one.outcome)], abs=1e-12)
    assert tl.partial_dependence(MODELS["forest"], X, "a").outcome == classes[-1]


@pytest.mark.parametrize("column", ["a", "b", "kind", "day"])
def test_missing_values_categories_and_dates_are_predicted_row_by_row(column: str) -> None:
    table = mixed()
    model = tl.RandomForestClassifier(5, random_state=1).fit(table, "y")
    found = tl.partial_dependence(model, table, column, grid_resolution=6, subsample=20)
    assert len(found.rows) == 20
    for at, value in enumerate(found.grid[0]):
        shares = model.predict_proba(table.drop(columns="y").assign(**{column: value}))[:, -1]
        assert found.average[at] == pytest.approx(shares.mean(), abs=1e-12)
        np.testing.assert_allclose(found.individual[:, at], shares[list(found.rows)], atol=1e-12)
    if column == "kind":
        assert found.grid == (("x", "y", "z"),)
        less = tl.partial_dependence(model, table[table.kind == "x"], column)
        assert less.grid == found.grid


def test_a_column_of_mostly_one_value_has_a_grid_over_its_range() -> None:
    found = tl.partial_dependence(
        MODELS["linear"], X, "tied", grid_resolution=5, percentiles=(0.4, 0.6)
    )
    assert (found.grid[0][0], found.grid[0][-1]) == (X.tied.min(), X.tied.max())


def test_arrays_have_columns_by_position() -> None:
    model = tl.Ridge().fit(X.to_numpy(), Y)
    found = tl.partial_dependence(model, X.to_numpy(), 1)
    assert found.grid[0] == (0.0, 1.0, 2.0, 3.0, 4.0)
    assert np.diff(found.average) == pytest.approx(model.coef_[1], abs=1e-12)


def test_large_tables_are_predicted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tl.partial_dependence(MODELS["regressor"], X, ["a", "b"], grid_resolution=4)
    monkeypatch.setattr("tallylearn.inspection.partial_dependence.BATCH", 50)
    parts = tl.partial_dependence(MODELS["regressor"], X, ["a", "b"], grid_resolution=4)
    assert (parts.average == whole.average).all()


@pytest.mark.parametrize(
    "columns", ["a", "kind", "day", ["a", "b"], ["kind", "b"], ["day", "kind"], ["kind", "c"]]
)
def test_results_are_printed_drawn_and_stored(columns: Any) -> None:
    table = mixed().assign(c=lambda t: np.where(t.a > 0, "p", "q"))
    model = tl.NaiveBayes().fit(table, "y")
    found = tl.partial_dependence(model, table, columns, grid_resolution=9)
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "robability of y = mid" in text
    data = json.loads(found.to_json())
    assert str(PartialDependence.report_of(data)) == text
    assert np.array(data["average"]).tolist() == found.average.tolist()
    plot = found.plot()
    assert plot.title.startswith("y = mid by ")
    assert "prefers-color-scheme:dark" in plot.svg
    assert plot.svg in found._repr_html_()
    assert found.plot("Own title").title == "Own title"


def test_what_has_no_partial_dependence_is_named() -> None:
    model, call = MODELS["linear"], tl.partial_dependence
    with pytest.raises(ColumnError, match=r"^partial_dependence: .*no column 'fews'.*'few'"):
        call(model, X, "fews")
    with pytest.raises(OptionError, match="one column, or a list of two"):
        call(model, X, ["a", "a"])
    with pytest.raises(OptionError, match="one column, or a list of two"):
        call(model, X, [])
    with pytest.raises(InputError, match="the table has no rows"):
        call(model, X[:0], "a")
    with pytest.raises(InputError, match="'a' has no value"):
        call(MODELS["forest"], X.assign(a=np.nan), "a")
    for odd in (tl.KMeans(2), tl.StandardScaler(), object(), None):
        with pytest.raises(OptionError, match="predicts no classes or numbers"):
            call(odd, X, "a")
    with pytest.raises(OptionError, match="positive is for classifiers"):
        call(model, X, "a", positive="yes")
    with pytest.raises(OptionError, match="not a class"):
        call(MODELS["forest"], X, "a", positive="yes")
    with pytest.raises(OptionError, match="percentiles is"):
        call(model, X, "a", percentiles=(0.9, 0.1))
    with pytest.raises(OptionError, match="grid_resolution is 1"):
        call(model, X, "a", grid_resolution=1)
    with pytest.raises(OptionError, match="subsample is -1"):
        call(model, X, "a", subsample=-1)
    table = {"x": [1.0, 2.0, 3.0, 4.0], "text": ["a b", "b c", "a c", "c c"], "y": list("uvuv")}
    bayes = tl.NaiveBayes().fit(tl.table(table, target="y", text=["text"]))
    with pytest.raises(ColumnError, match="'text' is of kind text"):
        call(bayes, table, "text")
