"""Of many weights a lasso's come to rest where the conditions of the least objective hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp

import tallylearn as tl
from tallylearn.estimators.passes import Passes
from tallylearn.models.glm import logistic_regression
from tallylearn.models.glm.design_rows import DesignRows, WordCounts
from tallylearn.models.glm.losses import FULL, SUBSET, LogisticLoss, LossAt, Standardisation
from tallylearn.models.glm.solvers import proximal_newton


def drawn(n: int, p: int, k: int) -> tuple[Any, Any]:
    """Columns in unlike units, far from 0, a few of which tell the classes, with noise."""
    draw = np.random.default_rng(n + p)
    X = draw.normal(size=(n, p))
    y = (2 * X[:, :4] @ draw.normal(size=(4, k)) + draw.gumbel(size=(n, k))).argmax(axis=1)
    return X * np.exp(draw.normal(size=p) / 2) + 3 * draw.normal(size=p), y


def off_by(model: Any, X: Any, y: Any, weight: Any = 1.0) -> float:
    """How far gradients are from the lasso's, as a share of it, by the conditions as written."""
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        scores = np.hstack([0 * scores, scores])
    errors = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    errors[np.arange(len(y)), y] -= 1
    errors = (errors.T * weight).T[:, -len(model.coef_) :]
    l1, l2 = model.l1_ratio / model.C, (1 - model.l1_ratio) / model.C
    gradient, w = errors.T @ X + l2 * model.coef_, model.coef_
    gaps = np.where(w == 0, (np.abs(gradient) - l1).clip(0), np.abs(gradient + l1 * np.sign(w)))
    constants = errors.sum(axis=0) if model.fit_intercept else np.zeros(1)
    return float(max(gaps.max(), np.abs(constants).max()) / l1)


def notes(n: int = 3_000, words: int = 1_500) -> pd.DataFrame:
    draw = np.random.default_rng(4)
    share = 1 / np.arange(1, words + 1)
    drawn = draw.choice([f"w{at}" for at in range(words)], (n, 12), p=share / share.sum())
    frame = pd.DataFrame({"note": [" ".join(row) for row in drawn], "size": draw.normal(size=n)})
    score = frame["size"] + frame["note"].str.count(r"\bw5\b") + draw.logistic(size=n)
    return frame.assign(y=np.select([score > 2, score > 0.3], ["much", "some"], "none"))


def learned(rows: Any, **options: Any) -> Any:
    return tl.LogisticRegression(**options).fit(tl.table(rows, target="y", text=["note"]))


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts the looks at all rows."""
    count, total = [0], Passes.total

    def counted(self: Any, call: Any, *left: Any) -> Any:
        count[0] += 1
        return total(self, call, *left)

    monkeypatch.setattr(Passes, "total", counted)
    return count


@pytest.mark.parametrize("C", [0.3, 1.0, 30.0])
@pytest.mark.parametrize(("n", "p", "k"), [(50, 3000, 2), (60, 500, 4), (400, 1300, 2)])
def test_a_lasso_of_many_columns_comes_to_rest_in_few_rounds(
    n: int, p: int, k: int, C: float, rounds: list[int]
) -> None:
    X, y = drawn(n, p, k)
    model = tl.LogisticRegression(C=C, l1_ratio=1).fit(X, y)
    assert model.converged_
    assert off_by(model, X, y) < 1e-8
    assert 0 < np.count_nonzero(model.coef_) <= n * k
    assert rounds[0] < 60


@pytest.mark.parametrize("most", [1200, 8], ids=["working set", "conjugate directions"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("l1_ratio", [0.2, 1.0])
@pytest.mark.parametrize(("n", "p", "k"), [(200, 30, 2), (150, 12, 3), (40, 100, 2)])
def test_both_searches_find_the_weights_that_newtons_finds_of_few(
    n: int, p: int, k: int, l1_ratio: float, intercept: bool, most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    X, y = drawn(n, p, k)
    weight = np.random.default_rng(1).integers(1, 4, n)
    options = {"l1_ratio": l1_ratio, "fit_intercept": intercept, "C": 0.5}
    few = tl.LogisticRegression(**options).fit(X, y, sample_weight=weight)
    monkeypatch.setattr(logistic_regression, "MAX_HESSIAN", 0)
    monkeypatch.setattr(proximal_newton, "MAX_ACTIVE", most)
    many = tl.LogisticRegression(**options).fit(X, y, sample_weight=weight)
    assert few.converged_
    assert many.converged_
    assert off_by(many, X, y, weight) < 1e-8
    np.testing.assert_allclose(many.coef_, few.coef_, atol=1e-8)
    np.testing.assert_allclose(many.intercept_, few.intercept_, atol=1e-7)


@pytest.mark.parametrize("most", [1200, 8], ids=["working set", "conjugate directions"])
@pytest.mark.parametrize("classes", [2, 3])
def test_files_and_memory_agree_on_a_lasso_of_words(
    classes: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proximal_newton, "MAX_ACTIVE", most)
    rows = notes()
    if classes == 2:
        rows["y"] = rows["y"].replace("much", "some")
    memory = learned(rows, l1_ratio=1, C=0.5)
    for at in range(3):
        rows[1000 * at : 1000 * (at + 1)].to_csv(tmp_path / f"{at}.csv", index=False)
    files = learned(str(tmp_path / "*.csv"), l1_ratio=1, C=0.5)
    assert memory.converged_
    assert files.converged_
    assert 0 < np.count_nonzero(memory.coef_) < memory.coef_.size / 2
    np.testing.assert_allclose(files.coef_, memory.coef_, atol=1e-8)
    np.testing.assert_allclose(files.intercept_, memory.intercept_, atol=1e-8)


def test_where_more_weights_are_not_0_than_a_curvature_is_worth_it_comes_to_rest_too(
    rounds: list[int],
) -> None:
    draw = np.random.default_rng(0)
    X = draw.normal(size=(6000, 1400))
    y = (X @ draw.normal(size=1400) / 30 + draw.logistic(size=6000) > 0).astype(int)
    model = tl.LogisticRegression(l1_ratio=1).fit(X, y)
    assert model.converged_
    assert np.count_nonzero(model.coef_) > proximal_newton.MAX_ACTIVE
    assert off_by(model, X, y) < 1e-8
    assert rounds[0] < 150


def test_words_that_only_come_together_share_what_they_weigh() -> None:
    rows = notes()
    rows["note"] += np.where(rows["note"].str.contains(r"\bw5\b"), " twin", "")
    model = learned(rows, l1_ratio=1, C=1.0)
    assert model.converged_


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("worded", [True, False])
@pytest.mark.parametrize("weighed", [True, False])
def test_a_chosen_curvature_is_a_part_of_the_whole(m: int, worded: bool, weighed: bool) -> None:
    draw = np.random.default_rng(m)
    n, p, v = 700, 4, 6 if worded else 0
    times = draw.poisson(0.7, (n, v))
    row, ids = np.nonzero(times)
    ends = np.concatenate([[0], np.cumsum((times > 0).sum(axis=1))]).astype(np.int64)
    words = (
        WordCounts(ends, ids.astype(np.int32), times[row, ids].astype(float)) if worded else None
    )
    y = draw.integers(0, max(2, m), n).astype(np.int32)
    weight = draw.random(n) + 0.5 if weighed else np.empty(0)
    rows = DesignRows(draw.normal(size=(n, p)), y, weight, words)
    columns = Standardisation(draw.normal(size=p), draw.random(p + v) + 0.5)
    loss = LogisticLoss(m, max(2, m))
    theta = draw.normal(size=(m, 1 + p + v))
    whole = LossAt(loss, columns, theta, FULL)(rows)
    chosen = np.sort(draw.choice(theta.size, theta.size * 2 // 3, replace=False))
    found = LossAt(loss, columns, theta, SUBSET, subset=chosen)(rows)
    np.testing.assert_allclose(found.hessian, whole.hessian[np.ix_(chosen, chosen)], atol=1e-9)
    np.testing.assert_allclose(found.gradient, whole.gradient, atol=1e-9)


def test_the_working_names_the_method() -> None:
    X, y = drawn(50, 1300, 2)
    work = str(tl.LogisticRegression(l1_ratio=1).fit(X, y).show_work())
    assert "Newton's method on the nonzero coefficients" in work


def test_steps_that_are_used_up_are_told() -> None:
    X, y = drawn(50, 1300, 2)
    assert not tl.LogisticRegression(l1_ratio=1, max_iter=3).fit(X, y).converged_
