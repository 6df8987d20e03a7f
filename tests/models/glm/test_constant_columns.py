"""Constant columns: those whose numbers are all the same, and no others, wherever they lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl

FAR = 1e15  # here doubles are an eighth apart
STEP = np.arange(240.0) % 12
RNG = np.random.default_rng(0)
OTHER = RNG.normal(size=240)
NEAR = np.column_stack([STEP, OTHER])
AWAY = np.column_stack([FAR + STEP, OTHER])
Y = 3 * STEP - OTHER + RNG.normal(size=240) / 10
KIND = np.where(STEP + OTHER + RNG.normal(size=240) > 5, "a", "b")
LINES: dict[str, Any] = {
    "linear": tl.LinearRegression(),
    "cholesky": tl.LinearRegression(solver="cholesky"),
    "qr": tl.LinearRegression(solver="qr"),
    "exact": tl.LinearRegression(exact=True),
    "ridge": tl.Ridge(),
    "lasso": tl.Lasso(0.1, tol=1e-12),
    "subset": tl.SubsetSelection(),
}


@pytest.mark.parametrize("name", LINES)
def test_a_column_that_varies_far_from_zero_has_its_weight(name: str) -> None:
    """What rows say of a slope does not depend on where the column lies, if doubles hold it."""
    near, away = (LINES[name].fit(x, Y).coef_ for x in (NEAR, AWAY))
    assert near[0] == pytest.approx(3, rel=0.1)
    np.testing.assert_allclose(away, near, rtol=1e-6)


@pytest.mark.parametrize("name", ["linear", "cholesky", "qr", "ridge", "subset"])
@pytest.mark.parametrize("twice", [2.0, 4.0])
def test_a_step_of_a_double_is_a_step(name: str, twice: float) -> None:
    """Doubles at 2^53 are two apart."""
    x = np.column_stack([2.0**53 + twice * (np.arange(240) % 2), OTHER])
    y = x[:, 0] - 2.0**53 + OTHER
    assert LINES[name].fit(x, y).coef_[0] == pytest.approx(1, rel=0.02)


def constant(how: str) -> Any:
    """A column of 123.456, which no sum of doubles leaves as it is."""
    frame = pd.DataFrame({"x": 123.456, "other": OTHER, "y": Y, "times": 1.0, "kind": KIND})
    if how == "gaps":
        frame.loc[::7, "x"] = np.nan
        frame.loc[::5, "other"] = np.nan
    if how == "weights":
        frame["times"] = RNG.random(240) * 3 + 1
    return frame


@pytest.mark.parametrize("how", ["plain", "gaps", "weights"])
@pytest.mark.parametrize("name", ["linear", "cholesky", "qr", "exact"])
def test_a_constant_is_called_so_with_gaps_and_weights(name: str, how: str) -> None:
    table = tl.table(constant(how), target="y", weight="times", ignore=["kind"])
    learner = tl.LinearRegression(**{**LINES[name].get_params(), "missing": "mean"})
    model = learner.fit(table)
    assert model.coef_[0] == 0
    assert "x is constant" in str(model.show_work())


@pytest.mark.parametrize("solver", ["auto", "cholesky", "qr"])
def test_a_constant_of_rows_in_parts_is_called_so(solver: str) -> None:
    frame = constant("gaps")[["x", "other", "y"]]
    model = tl.LinearRegression(solver=solver, missing="mean")
    for at in range(0, 240, 50):
        model.partial_fit(frame[at : at + 50], "y")
    assert "x is constant" in str(model.show_work())


CLASSES: dict[str, Any] = {
    "lda": tl.LinearDiscriminantAnalysis(),
    "qda": tl.QuadraticDiscriminantAnalysis(),
    "logistic": tl.LogisticRegression(),
}


@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_told_by_a_column_that_varies_far_from_zero(name: str) -> None:
    near, away = (CLASSES[name].fit(x, KIND).predict(x) for x in (NEAR, AWAY))
    assert (near == KIND).mean() > 0.8
    assert (near == away).mean() > 0.98  # scores of rows at 1e15 are themselves rounded


@pytest.mark.parametrize("how", ["plain", "gaps", "weights"])
def test_discriminants_pass_over_constants_with_gaps_and_weights(how: str) -> None:
    table = tl.table(constant(how), target="kind", weight="times", ignore=["y"])
    assert tl.QuadraticDiscriminantAnalysis().fit(table).model_.design.constant == ("x",)


def test_a_component_lies_along_a_column_that_varies_far_from_zero() -> None:
    near, away = (tl.PCA().fit(x) for x in (NEAR, AWAY))
    np.testing.assert_allclose(away.explained_variance_, near.explained_variance_, rtol=1e-9)
