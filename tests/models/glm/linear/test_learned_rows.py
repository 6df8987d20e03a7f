"""Diagnostics are of the rows of the fit, told from others by their number, weight and sums."""

from __future__ import annotations

import copy
import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, MergeError

RNG = np.random.default_rng(3)
X = RNG.normal(size=(200, 3)).round(2)
Y = (X @ [1, 2, 0] + RNG.normal(size=200)).round(2)
FEW = np.arange(200) < 20
LIGHT = np.linspace(0.1, 0.9, 200)


@pytest.fixture(scope="module")
def model() -> Any:
    return tl.LinearRegression().fit(X, Y)


@pytest.mark.parametrize(
    ("x", "y", "weight", "reason"),
    [
        (np.vstack([X, X[:1]]), np.append(Y, Y[0]), None, "here are 201 rows"),
        (X[1:], Y[1:], None, "here are 199 rows"),
        (X, Y, np.where(FEW, 2.0, 1.0), "column 'x0' has other values"),
        (X, Y, LIGHT, "column 'x0' has other values"),
        (X, np.where(FEW, Y + 0.02, Y), None, "the target has other values"),
        (
            np.where(FEW[:, None], X + np.array([0, 0.02, 0]), X),
            Y,
            None,
            "column 'x1' has other values",
        ),
        (X, np.roll(Y, 1), None, "the target has its values in other rows"),
        (np.column_stack([X[:, :2], np.roll(X[:, 2], 1)]), Y, None, "'x0' has its values in other"),
    ],
)
def test_rows_that_are_nearly_those_of_the_fit_are_refused(
    model: Any, x: Any, y: Any, weight: Any, reason: str
) -> None:
    for call in (model.diagnose, model.summary):
        with pytest.raises(InputError, match=f"these are not the 200 rows .*: .*{reason}"):
            call(x, y, sample_weight=weight)


def test_frequencies_of_other_rows_than_those_of_the_fit_are_refused(model: Any) -> None:
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"]).assign(y=Y, w=np.where(FEW, 2.0, 1.0))
    with pytest.raises(InputError, match=r"these are not the 200 rows .*: here are 220 rows"):
        model.summary(tl.table(frame, target="y", weight="w"))


def test_the_rows_of_the_fit_are_known_in_any_order_and_however_they_lie() -> None:
    frame = pd.DataFrame(X + np.array([0, 1e9, 0]), columns=list("abc")).assign(y=Y, same=0.1)
    frame["near"] = frame["a"] + 1e-9 * frame["c"]
    frame["kind"] = np.where(FEW, "u", "v")
    frame.loc[3:9, ["b", "kind", "same"]] = None
    turned = frame.sample(frac=1, random_state=0)
    for missing in ("indicator", "mean", "drop"):
        for weight in (None, LIGHT, np.arange(200) % 3, LIGHT * 5):
            told = frame.assign(w=1.0 if weight is None else weight)
            model = tl.LinearRegression(missing=missing).fit(told, "y", sample_weight="w")
            rows = turned.assign(w=told["w"])
            assert len(model.diagnose(rows, "y", sample_weight="w").row) > 100


def test_importances_have_diagnostics_whatever_their_unit(model: Any) -> None:
    light = tl.LinearRegression().fit(X, Y, sample_weight=LIGHT)
    counts = LIGHT * 200 / LIGHT.sum()
    same = tl.LinearRegression().fit(X, Y, sample_weight=counts).summary()
    for found in (
        light.summary(),
        light.summary(X, Y, sample_weight=LIGHT),
        light.summary(X, Y, sample_weight=LIGHT / 4),
    ):
        np.testing.assert_allclose(found.error, same.error, rtol=1e-7)
    rows = light.diagnose(X, Y, sample_weight=LIGHT)
    assert rows.leverage.sum() == pytest.approx(4)
    half = tl.LinearRegression().fit(X, Y, sample_weight=0.5)
    np.testing.assert_allclose(half.summary(robust="HC3").error, model.summary(robust="HC3").error)


@pytest.mark.parametrize(
    ("kind", "power", "free"),
    [("HC0", 0, 1.0), ("HC1", 0, 200 / 196), ("HC2", 1, 1), ("HC3", 2, 1)],
)
def test_importances_have_the_robust_errors_of_weighted_least_squares(
    kind: str, power: int, free: float
) -> None:
    design = np.c_[np.ones(200), X]
    inverse = np.linalg.inv(design.T @ (design * LIGHT[:, None]))
    residual = Y - design @ (inverse @ design.T @ (LIGHT * Y))
    lead = LIGHT * np.einsum("ij,jk,ik->i", design, inverse, design)
    middle = design * (LIGHT * residual)[:, None]
    middle = middle.T @ (middle / ((1 - lead) ** power)[:, None]) * free
    # Var(w) = (XᵀWX)⁻¹ XᵀW diag(e²) WX (XᵀWX)⁻¹: a row has one error, whatever it weighs
    right = np.sqrt(np.diag(inverse @ middle @ inverse))
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y, w=1000 * LIGHT)
    table = tl.table(frame, target="y", importance="w")
    for model in (
        tl.LinearRegression().fit(X, Y, sample_weight=LIGHT),
        tl.LinearRegression(exact=True).fit(X, Y, sample_weight=LIGHT),
        tl.LinearRegression().fit(table),
    ):
        found = model.summary(robust=kind)
        np.testing.assert_allclose(found.error, right, rtol=1e-7)
        assert "factors of a row" in str(found)


def test_declared_importances_have_diagnostics() -> None:
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y, w=1000 * LIGHT)
    table = tl.table(frame, target="y", importance="w")
    model = tl.LinearRegression().fit(table)
    assert model.summary(robust="HC3").rows == 200
    assert model.diagnose(table).leverage.sum() == pytest.approx(4)


@pytest.mark.parametrize("learner", [tl.LinearRegression(missing="drop"), tl.Ridge(missing="drop")])
def test_importances_of_rows_with_gaps_are_dropped_with_them(learner: Any) -> None:
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y, w=LIGHT)
    frame.loc[150, "a"] = None
    found = [
        learner.fit(tl.table(rows, target="y", importance="w")).model_
        for rows in (frame, frame.dropna())
    ]
    assert found[0].rows == found[1].rows == 199
    np.testing.assert_allclose(found[0].coef, found[1].coef, rtol=1e-12)
    np.testing.assert_allclose(found[0].rest, found[1].rest, rtol=1e-12)


def test_importances_of_rows_with_gaps_leave_wide_tables_with_them() -> None:
    wide = RNG.normal(size=(30, 2100))
    y, weight = wide[:, 0] + 0.1 * RNG.normal(size=30), LIGHT[:30]
    gappy = wide.copy()
    gappy[7, 5] = np.nan
    rest = np.arange(30) != 7
    some = tl.Lasso(0.1, missing="drop").fit(gappy, y, sample_weight=weight)
    none = tl.Lasso(0.1, missing="drop").fit(wide[rest], y[rest], sample_weight=weight[rest])
    assert some.model_.rows == pytest.approx(29)
    np.testing.assert_allclose(some.coef_, none.coef_, atol=1e-9)


GAPPY = pd.DataFrame(
    {"a": [1.0, 2, None, 4, 5, 7], "b": [1.0, None, 3, 1, 2, 2], "y": [1.0, 2, 3, 4, 5, 9]}
)
DROPPED = "2 of 6 rows (33.3 %) have missing values and were dropped"


@pytest.mark.parametrize("learner", [tl.LinearRegression, tl.Ridge, tl.Lasso, tl.SubsetSelection])
def test_rows_that_are_dropped_for_their_gaps_are_counted_aloud(
    learner: Any, tmp_path: Path
) -> None:
    model = learner(missing="drop").fit(GAPPY, "y")
    assert (model.unanswered_.gappy, model.unanswered_.learned) == (2, 4)
    assert DROPPED in repr(model)
    assert DROPPED in str(model.summary())
    model.save(tmp_path / "m.tally")
    for told in (model, tl.load(tmp_path / "m.tally")):
        assert "2 rows have a gap and are left out." in str(told.show_work())
    filled = learner().fit(GAPPY, "y")
    assert "dropped" not in f"{filled!r}{filled.summary()}"
    assert "left out" not in str(filled.show_work())


def test_dropped_rows_of_parts_add_up_beside_those_without_a_target() -> None:
    known = GAPPY.assign(y=[1.0, None, 3, 4, 5, 9])
    model = tl.LinearRegression(missing="drop", solver="qr").fit(known[:3], "y")
    assert repr(model).endswith(
        "1 of 3 rows (33.3 %) has no y and was left out; 1 of 3 rows (33.3 %) has gaps and was "
        "dropped"
    )
    model.partial_fit(known[2:], "y")
    assert (model.unanswered_.rows, model.unanswered_.gappy, model.unanswered_.of) == (1, 2, 7)


def test_a_wide_table_says_which_rows_it_dropped() -> None:
    wide = pd.DataFrame(RNG.normal(size=(9, 2100))).add_prefix("x").assign(y=Y[:9])
    wide.loc[4, "x7"] = None
    model = tl.Lasso(0.1, missing="drop").fit(wide, "y")
    assert "1 of 9 rows (11.1 %) has missing values and was dropped" in repr(model)
    assert "1 row has a gap and is left out." in str(model.show_work())
    with pytest.raises(MergeError, match=r"no tally, and cannot .* many more columns than rows"):
        tl.merge(model, model)


def test_rows_with_gaps_are_scored_where_they_are_left_out_by_the_table() -> None:
    model = tl.LinearRegression(missing="drop").fit(GAPPY, "y")
    for call in (
        lambda table: model.predict(table),
        lambda table: model.score(table, "y"),
    ):
        with pytest.raises(ColumnError, match=r"is missing in row [12],.* gaps='drop'\)"):
            call(GAPPY)
        assert call(tl.table(GAPPY, gaps="drop")) is not None


@pytest.mark.parametrize("kind", ["frame", "array", "view", "polars"])
def test_the_checks_of_a_small_table_outlive_the_name_it_had(kind: str) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=["a", "b", "y"])
    frame.loc[3, "a"] = np.nan
    X, y = frame[["a", "b"]].dropna().to_numpy().copy(), frame["y"].drop(3).to_numpy().copy()
    if kind == "frame":
        model = tl.LinearRegression().fit(frame.dropna(), "y")
    elif kind == "polars":
        model = tl.LinearRegression().fit(pl.DataFrame(frame.dropna().to_dict("list")), "y")
    elif kind == "array":
        model = tl.LinearRegression().fit(X.copy(), y.copy())
    else:
        model = tl.LinearRegression().fit(np.vstack([X, X])[: len(X)], y.copy())
    del frame
    gc.collect()
    assert "Breusch-Pagan" in str(model.summary())
    assert not any(isinstance(part, pd.DataFrame) for part in vars(copy.copy(model)).values())
    assert "_seen" not in model.__getstate__()


def test_a_view_keeps_no_large_array_alive() -> None:
    base = np.random.default_rng(0).normal(size=(600_000, 2))
    gone = weakref.ref(base)
    model = tl.LinearRegression().fit(base[:50], np.arange(50.0))
    del base
    gc.collect()
    assert gone() is None
    assert "std err" in str(model.summary())
