"""``tally learn`` prints the summary of a linear model, ``tally explain`` its terms."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.models.glm.linear import linear_estimator
from tests.cli.test_cli import fine, folder

__all__ = ["folder"]


@pytest.fixture(autouse=True)
def tables() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 2)).round(3)
    y = (x @ [2, -1] + rng.normal(size=40)).round(3)
    rows = [f"{a},{b},{c},{'yes' if c > 0 else 'no'}" for (a, b), c in zip(x, y, strict=True)]
    Path("prices.csv").write_text("\n".join(["size,rooms,price,dear", *rows, ""]))


@pytest.mark.parametrize("model", ["linear", "ridge", "lasso", "elastic-net", "subset"])
def test_learning_a_linear_model_prints_the_summary(model: str) -> None:
    said = fine("learn", "prices.csv", "--target", "price", "--model", model, "--as",
                "dear=ignore", "-o", "m.tally")  # fmt: skip
    learned = tl.load("m.tally")
    assert str(learned.summary()).splitlines()[1] in said
    for record in learned.summary().records():
        assert {"w0": "Intercept"}.get(record["name"], record["name"]) in said
        assert (f"{record['weight']:#.4g}" if record["weight"] else " 0\n") in said
    assert ("std err" in said) == (model == "linear")
    told = fine("explain", "m.tally", "--row", "1,2")
    terms = [term.amount for term in learned.explain([[1, 2]])[0].lines[0].terms]
    assert f"{terms[0]:.4g}" in told
    page = json.loads(fine("learn", "prices.csv", "--target", "price", "--model", model, "--as",
                           "dear=ignore", "--json"))  # fmt: skip
    names = [row["name"] for row in page["summary"]["weights"]]
    assert names == ["w0", "size", "rooms"]


def test_learning_a_logistic_regression_prints_odds() -> None:
    said = fine("learn", "prices.csv", "--target", "dear", "--model", "logistic", "--as",
                "price=ignore", "--set", "C=inf")  # fmt: skip
    assert "log-odds of yes against no (reference)" in said
    assert "coef  odds ratio  std err" in said
    assert "[0.025" in said


def test_many_rows_are_not_read_again_unless_they_are_passed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = np.arange(20.0)[:, None] ** [1, 2]
    y = np.sin(np.arange(20.0))
    model = tl.LinearRegression().fit(x, y)
    assert model.summary().diagnostics is not None
    monkeypatch.setattr(
        linear_estimator, "MAX_NUMBERS_READ_AGAIN", 59
    )  # 20 rows of 3 weights are 60 numbers
    assert model.summary().diagnostics is None
    assert "summary(X, y)" in str(model.summary())
    assert model.summary(x, y).diagnostics is not None


def test_no_penalty_can_be_asked_for_in_a_terminal_and_is_kept() -> None:
    arguments = ("learn", "prices.csv", "--target", "dear", "--model", "logistic", "--as",
                 "price=ignore", "--set", "C=inf")  # fmt: skip
    page = json.loads(fine(*arguments, "--json"))
    assert [row["error"] > 0 for row in page["summary"]["rows"]] == [True] * 3
    fine(*arguments, "-o", "m.tally")
    assert float("inf") == tl.load("m.tally").C
