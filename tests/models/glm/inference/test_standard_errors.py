"""Standard errors of logistic regression, and what a summary says of a search that did not end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallylearn as tl

FREE = float("inf")


def drawn(rows: int, classes: int = 2, seed: int = 5) -> tuple[Any, Any]:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(rows, 3))
    scores = X @ draw.normal(size=(3, classes)) + draw.gumbel(size=(rows, classes))
    return X, scores.argmax(axis=1)


def information(X: Any, shares: Any) -> Any:
    """Of every class but the first: the sum of (diag(h) - h h') times x x' over the rows."""
    h = shares[:, 1:]
    spread = np.einsum("ic,cd->icd", h, np.eye(h.shape[1])) - np.einsum("ic,id->icd", h, h)
    size = h.shape[1] * X.shape[1]
    return np.einsum("icd,ij,ik->cjdk", spread, X, X).reshape(size, size)


@pytest.mark.parametrize("classes", [2, 3])
def test_without_a_constant_there_are_standard_errors_and_a_file(
    classes: int, tmp_path: Path
) -> None:
    X, y = drawn(400, classes)
    found = tl.LogisticRegression(C=FREE, fit_intercept=False).fit(X, y)
    wanted = np.sqrt(np.diag(np.linalg.inv(information(X, found.predict_proba(X)))))
    records = found.summary().records()
    np.testing.assert_allclose([row["error"] for row in records], wanted, rtol=1e-8)
    found.save(tmp_path / "model.tally")
    assert tl.load(tmp_path / "model.tally").summary().records() == records


def test_the_end_of_an_interval_beyond_doubles_is_infinite() -> None:
    X, y = drawn(400)
    summary = tl.LogisticRegression(C=FREE).fit(X * 1e-4, y).summary()
    assert max(row["high"] for row in summary.records()) == np.inf
    assert min(row["low"] for row in summary.records()) == 0.0
    assert '"high": "inf"' in summary.to_json()
    assert str(summary.report_of(json.loads(summary.to_json()))) == str(summary)


@pytest.mark.parametrize("options", [{}, {"C": FREE}, {"C": 0.01, "l1_ratio": 1.0}])
@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("shape", [(30_000, 2), (40_000, 60)])  # Newton's steps, or gradients
def test_a_summary_is_of_all_rows_where_steps_end_on_a_sample(
    shape: tuple[int, int], steps: int, options: dict[str, float]
) -> None:
    X, y = drawn(shape[0], shape[1])
    found = tl.LogisticRegression(max_iter=steps, **options).fit(X, y)
    assert not found.converged_
    true = np.log(found.predict_proba(X))[np.arange(len(y)), np.searchsorted(found.classes_, y)]
    assert found.summary().figures["log-likelihood"] == pytest.approx(true.sum(), rel=1e-10)


def test_first_weights_that_no_search_begins_with_are_refused() -> None:
    with pytest.raises(tl.errors.OptionError, match="coef_init .*solver='gradient'"):
        tl.LogisticRegression(coef_init=[1]).fit([[1], [2], [3]], [0, 1, 0])


def test_criteria_that_compare_maxima_are_left_out_where_there_is_none() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]
    few = tl.LogisticRegression(C=float("inf"), solver="gradient", max_iter=2).fit(X, y)
    assert "AIC" not in few.summary().figures
    assert few.summary().figures["log-likelihood"] < 0
    assert "AIC" in tl.LogisticRegression(C=float("inf")).fit(X, y).summary().figures
