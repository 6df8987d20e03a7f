"""Digits of NIST's certified regressions, and R's lm on real tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import tallylearn as tl

SHARED = Path(__file__).parent.parent.parent / "shared"
NIST: dict[str, Any] = {
    name: found
    for name, found in json.loads((SHARED / "nist" / "nist.json").read_text()).items()
    if found["kind"] == "linear_regression"
}
R = {  # digits of R's lm
    "Norris": 12.5, "Pontius": 12.7, "NoInt1": 13.0, "NoInt2": 13.0, "Filip": 7.2, "Longley": 13.0,
    "Wampler1": 9.8, "Wampler2": 13.6, "Wampler3": 9.3, "Wampler4": 7.5, "Wampler5": 5.5,
}  # fmt: skip


def table(name: str) -> tuple[Any, Any, Any]:
    """The columns, the target, and the columns' powers where the model has some."""
    found = NIST[name]
    y = np.array(found["y"], dtype=float)
    x = np.array(found["x"], dtype=float).reshape(len(y), -1)
    degree = found["polynomial_degree"] or 1
    return x, y, np.column_stack([x**k for k in range(1, degree + 1)]) if degree > 1 else x


def digits(model: Any, name: str) -> float:
    """The correct digits of the worst weight."""
    found = NIST[name]
    want = np.array([one["estimate"] for one in found["certified"]["params"].values()])
    got = np.atleast_1d(model.coef_)
    got = np.concatenate([[model.intercept_], got]) if found["intercept"] else got
    off = np.abs(got - want) / np.where(want == 0, 1, np.abs(want))
    return float(-np.log10(np.maximum(off.max(), 1e-16)))


def fitted(name: str, learner: Any, **options: Any) -> float:
    x, y, wide = table(name)
    columns = x if "degree" in options else wide
    return digits(learner(fit_intercept=NIST[name]["intercept"], **options).fit(columns, y), name)


@pytest.mark.parametrize("name", NIST)
def test_the_default_has_the_digits_of_r(name: str) -> None:
    degree = NIST[name]["polynomial_degree"] or 1
    for options in ({}, {"degree": degree}):
        assert fitted(name, tl.LinearRegression, **options) >= R[name] - 0.5


@pytest.mark.parametrize("name", NIST)
def test_exact_weights_have_thirteen_digits(name: str) -> None:
    degree = NIST[name]["polynomial_degree"] or 1
    assert fitted(name, tl.LinearRegression, exact=True, degree=degree) >= 13


@pytest.mark.parametrize("name", NIST)
def test_exact_standard_errors_are_the_certified_ones(name: str) -> None:
    x, y, _ = table(name)
    found = NIST[name]
    degree = found["polynomial_degree"] or 1
    model = tl.LinearRegression(fit_intercept=found["intercept"], exact=True, degree=degree)
    got = model.fit(x, y).summary().error
    want = np.array([one["sd"] for one in found["certified"]["params"].values()])
    if want.any():
        np.testing.assert_allclose(got, want, rtol=1e-11)


@pytest.mark.parametrize("name", ["diabetes_lars", "cpu_prp"])
def test_weights_and_errors_are_those_of_lm(name: str) -> None:
    told = json.loads((SHARED / "reference" / f"r_{name}.json").read_text())
    frame, lm = pd.read_csv(SHARED / "data" / f"{name}.csv"), told["lm"]
    model = tl.LinearRegression().fit(tl.table(frame, target=told["target"], keep=[*frame.columns]))
    found = {row["name"]: row for row in model.summary().records()}
    for term, value in lm["coef"].items():
        row = found["w0" if term == "(Intercept)" else term]
        assert row["weight"] == pytest.approx(value, rel=1e-8)
        assert row["error"] == pytest.approx(lm["se"][term], rel=1e-8)
    sizes = model.summary().sizes
    assert sizes["R²"] == pytest.approx(lm["r2"], rel=1e-8)
    assert sizes["σ"] == pytest.approx(lm["sigma"], rel=1e-8)


@pytest.mark.parametrize("alpha", [1.0, 0.1, 0.01])
@pytest.mark.parametrize("degree", [2, 3])
def test_the_lasso_of_powers_of_cars_comes_to_rest(alpha: float, degree: int) -> None:
    frame = pd.read_csv(SHARED / "data" / "auto_mpg.csv")
    model = tl.Lasso(alpha, degree=degree).fit(frame, "mpg")
    assert model.converged_
    assert model.dual_gap_ <= 1e-4 * frame["mpg"].var(ddof=0)


def show() -> None:
    """The table of digits in docs/guide/linear-models.md: python -m parity.test_linear."""
    print("| | R's lm | default | exact=True, degree= | scikit-learn | scikit-learn, tol=0 |")
    print("|---|---|---|---|---|---|")
    for name in NIST:
        degree = NIST[name]["polynomial_degree"] or 1
        ours = fitted(name, tl.LinearRegression)
        exact = fitted(name, tl.LinearRegression, exact=True, degree=degree)
        theirs = fitted(name, LinearRegression), fitted(name, LinearRegression, tol=0)
        cells = (R[name], ours, exact, *theirs)
        print(f"| {name} | {' | '.join(f'{max(cell, 0):.1f}' for cell in cells)} |")


if __name__ == "__main__":
    show()
