"""Variance inflation factors of logistic and Poisson regressions, by their definition."""

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import InputError, OptionError


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 3))
    found = pd.DataFrame({"a": x[:, 0], "b": 5 + x[:, 0] + 0.3 * x[:, 1], "c": x[:, 2]})
    found["g"] = rng.choice(["u", "v", "w"], 200)
    found["n"] = rng.poisson(np.exp(0.5 * found.a + 0.2 * found.c))
    found["kind"] = rng.choice(["p", "q", "r"], 200)
    found["yes"] = np.where(found.c + rng.logistic(size=200) > 0, "yes", "no")
    return found


def matrix(table, intercept=True):
    columns = [np.ones(len(table))] if intercept else []
    columns += [table.a, table.b, table.c, table.g == "v", table.g == "w"]
    return np.column_stack([np.asarray(column, dtype=float) for column in columns])


def inflation(covariance, slopes):
    """diag of the inverse of the coefficients' correlation matrix, as car::vif of R has it."""
    inside = covariance[np.ix_(slopes, slopes)]
    error = np.sqrt(np.diag(inside))
    return np.diag(np.linalg.inv(inside / np.outer(error, error)))


def vifs(summary):
    return [row["vif"] for row in summary.records() if row["vif"] is not None]


FEATURES = ["a", "b", "c", "g"]


@pytest.mark.parametrize("intercept", [True, False])
def test_factors_of_counts_are_those_of_their_definition(table, intercept, tmp_path):
    model = tl.PoissonRegressor(alpha=0, fit_intercept=intercept)
    model.fit(table[FEATURES], table.n)
    x = matrix(table, intercept)
    covariance = np.linalg.inv(x.T * model.predict(table[FEATURES]) @ x)
    expected = inflation(covariance, range(int(intercept), x.shape[1]))
    assert vifs(model.summary(vif=True)) == pytest.approx(expected)
    assert "VIF" in str(model.summary(vif=True))
    assert "VIF" not in str(model.summary())
    model.save(tmp_path / "n.tally")
    assert str(tl.load(tmp_path / "n.tally").summary(vif=True)) == str(model.summary(vif=True))


def test_factors_of_two_classes_are_those_of_their_definition(table, tmp_path):
    model = tl.LogisticRegression(C=np.inf).fit(table[FEATURES], table.yes)
    x, p = matrix(table), model.predict_proba(table[FEATURES])[:, 1]
    covariance = np.linalg.inv(x.T * (p * (1 - p)) @ x)
    expected = inflation(covariance, range(1, x.shape[1]))
    assert vifs(model.summary(vif=True)) == pytest.approx(expected)
    text = str(model.summary(vif=True))
    assert "VIF" in text
    assert max(map(len, text.splitlines())) <= 80
    model.save(tmp_path / "yes.tally")
    assert str(tl.load(tmp_path / "yes.tally").summary(vif=True)) == text


def test_factors_of_three_classes_are_those_of_their_definition(table):
    model = tl.LogisticRegression(C=np.inf).fit(table[FEATURES], table.kind)
    x, p = matrix(table), model.predict_proba(table[FEATURES])[:, 1:]
    width = x.shape[1]
    information = np.zeros((2 * width, 2 * width))
    for c in range(2):
        for d in range(2):
            weight = p[:, c] * ((c == d) - p[:, d])
            information[c * width : (c + 1) * width, d * width : (d + 1) * width] = x.T * weight @ x
    slopes = [c * width + j for c in range(2) for j in range(1, width)]
    expected = inflation(np.linalg.inv(information), slopes)
    assert vifs(model.summary(vif=True)) == pytest.approx(expected)


def test_penalised_coefficients_have_none(table):
    with pytest.raises(InputError, match=r"LogisticRegression.summary: .*C=float\('inf'\)"):
        tl.LogisticRegression().fit(table[FEATURES], table.yes).summary(vif=True)
    with pytest.raises(InputError, match=r"PoissonRegressor.summary: .*alpha=0"):
        tl.PoissonRegressor().fit(table[FEATURES], table.n).summary(vif=True)
    with pytest.raises(OptionError, match="vif is 'all'"):
        tl.PoissonRegressor().fit(table[FEATURES], table.n).summary(vif="all")
