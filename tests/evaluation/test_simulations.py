"""Simulations: over many tables whose truth is known, intervals hold it and tests keep their size.

A few tables by default, and many in `make soak`. What is counted has to be what chance can make of
a size from 4 to 6 %, or of a coverage from 93 to 97 %.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

import tallylearn as tl

SOAK = bool(os.environ.get("TALLY_SOAK"))
TABLES = 400 if SOAK else 40
ODD = 1e-3  # how rarely chance alone makes a count that is refused
Array = np.ndarray[Any, Any]


def check(count: int, tables: int, least: float, most: float) -> None:
    """The count is one that a chance between the two can make."""
    assert binom.sf(count - 1, tables, most) > ODD, f"{count} of {tables}, at most {most:.0%}"
    assert binom.cdf(count, tables, least) > ODD, f"{count} of {tables}, at least {least:.0%}"


class Sided:
    """Least squares on three columns of its own; of classes it takes the nearer one."""

    def __init__(self, side: int, task: str) -> None:
        self.side, self.task = side, task
        self._estimator_type = task

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"side": self.side, "task": self.task}

    def _seen(self, X: Array) -> Array:
        return np.column_stack([np.ones(len(X)), X[:, 3 * self.side : 3 * self.side + 3]])

    def fit(self, X: Array, y: Array) -> Sided:
        seen = self._seen(X)
        self.classes_ = np.unique(y)
        self.w_ = np.linalg.solve(seen.T @ seen, seen.T @ y)
        return self

    def predict(self, X: Array) -> Array:
        said = self._seen(X) @ self.w_
        return said if self.task == "regressor" else (said > 0.5).astype(int)


def equal(rng: np.random.Generator, n: int, task: str) -> tuple[Array, Array]:
    """Six columns, of which the first three tell as much as the others."""
    X = rng.normal(size=(n, 6))
    if task == "regressor":
        return X, 0.4 * X.sum(axis=1) + rng.normal(size=n)
    y = np.arange(n) % 2
    return X + 0.65 * y[:, None], y


@pytest.mark.parametrize("task", ["classifier", "regressor"])
@pytest.mark.parametrize(
    ("cv", "n"),
    [(None, 100), ("holdout", 100), (tl.Folds.bootstrap(10), 100),
     *([(None, 400), (None, 2000)] if SOAK else [])],
    ids=str,
)  # fmt: skip
def test_equal_learners_are_called_different_in_one_table_of_twenty(
    cv: Any, n: int, task: str
) -> None:
    tables = TABLES if cv is None else TABLES // 2
    more = {} if cv is None else {"cv": cv}
    shown = 0
    for seed in range(tables):
        X, y = equal(np.random.default_rng(seed), n, task)
        found = tl.compare({"a": Sided(0, task), "b": Sided(1, task)}, X, y, **more)
        shown += found.pairs[0, 1].better is not None
    check(shown, tables, 0.04, 0.06)


class Column:
    """Predictions that stand in a column already."""

    _estimator_type = "classifier"

    def __init__(self, at: int = 0) -> None:
        self.at = at

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"at": self.at}

    def set_params(self, at: int) -> Column:
        self.at = at
        return self

    def fit(self, X: Array, y: Array) -> Column:
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X: Array) -> Array:
        return np.asarray(X[:, self.at].astype(int))


@pytest.mark.parametrize("cv", ["holdout", 5])
def test_groups_of_rows_that_are_as_like_as_copies_are_one_each(cv: Any) -> None:
    """Thirty groups of twenty rows, equal learners: rows alone would find many differences."""
    rng, shown = np.random.default_rng(5), 0
    groups, y = np.repeat(np.arange(30), 20), np.arange(600) % 2
    for _ in range(2 * TABLES):
        right = rng.random((600, 2)) < rng.beta(2, 1, (30, 2))[groups]
        X = np.where(right, y[:, None], 1 - y[:, None]).astype(float)
        found = tl.compare({"a": Column(0), "b": Column(1)}, X, y, cv=cv, groups=groups)
        shown += found.pairs[0, 1].better is not None
    check(shown, 2 * TABLES, 0.04, 0.06)
    assert "groups are the sample" in str(found)


class Rule:
    """A model as it is: one column is the log odds of the class."""

    _estimator_type = "classifier"
    classes_ = np.array([0, 1])

    def fit(self, X: Array, y: Array) -> Rule:
        return self

    def predict_proba(self, X: Array) -> Array:
        p = 1 / (1 + np.exp(-X[:, 0]))
        return np.column_stack([1 - p, p])

    def predict(self, X: Array) -> Array:
        return (X[:, 0] > 0).astype(int)


def true_scores(right: float, wrong: float, area: float, share: float) -> dict[str, float]:
    """From the shares of positives and of others that are called positive."""
    called = share * right + (1 - share) * wrong
    return {
        "accuracy": share * right + (1 - share) * (1 - wrong), "recall": right,
        "precision": share * right / called, "f1": 2 * share * right / (share + called),
        "balanced_accuracy": (right + 1 - wrong) / 2, "roc_auc": area,
    }  # fmt: skip


@pytest.mark.parametrize("n", [200, 1000] if SOAK else [200])
def test_intervals_of_a_given_model_hold_its_scores(n: int) -> None:
    share, model = 0.4, Rule()
    right, wrong, area = (float(ndtr(z)) for z in (0.5, -0.8, 1.3 / np.sqrt(2)))
    truth = true_scores(right, wrong, area, share)
    held = dict.fromkeys(truth, 0)
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        y = (rng.random(n) < share).astype(int)
        X = rng.normal(size=(n, 1)) + np.where(y == 1, 0.5, -0.8)[:, None]
        found = tl.evaluate(model, X, y, cv=None, positive=1, scoring=[*truth])
        for name, value in truth.items():
            held[name] += value in found[name].interval
    for count in held.values():
        check(count, TABLES, 0.93, 0.97)


def test_recall_and_f1_have_an_interval_of_these_models_and_one_of_the_learner() -> None:
    """Ten folds, one row of five positive: both scores change much with the training rows."""
    n, share, shift, tables = 200, 0.2, 0.65, TABLES if SOAK else TABLES // 2
    learner, names, ends, models = tl.LinearDiscriminantAnalysis(), ("recall", "f1"), [], []
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        y = (rng.random(n) < share).astype(int)  # the share varies from table to table
        X = rng.normal(size=(n, 5)) + shift * y[:, None]
        found = tl.evaluate(learner, X, y, positive=1, scoring=[*names])
        ends.append([[[*found[name].interval], [*found[name].over_folds]] for name in names])
        truth = []
        for train, _ in tl.Folds.k(10).split(X, y):
            fitted = learner.fit(X[train], y[train])
            long, start = np.linalg.norm(fitted.coef_), fitted.intercept_[0]
            right, wrong = ndtr((shift * fitted.coef_.sum() + start) / long), ndtr(start / long)
            true = true_scores(float(right), float(wrong), 0.5, share)
            truth.append([true[name] for name in names])
        models.append(np.mean(truth, axis=0))
    low, high = np.moveaxis(np.array(ends), -1, 0)  # (tables, scores, whose) each
    theirs = np.array(models)
    of_models = ((low[..., 0] <= theirs) & (theirs <= high[..., 0])).sum(axis=0)
    mean = theirs.mean(axis=0)
    of_learner = ((low[..., 1] <= mean) & (mean <= high[..., 1])).sum(axis=0)
    for own, learned in zip(of_models.tolist(), of_learner.tolist(), strict=True):
        check(own, tables, 0.93, 0.97)
        check(learned, tables, 0.93, 1.0)


@pytest.mark.parametrize("n", [50, 80, 200] if SOAK else [50])
def test_r2_over_folds_holds_the_mean_r2_of_the_models(n: int) -> None:
    """Folds of five rows: the mean of their R-squared is far below it, and held it in 56 %."""
    beta, held = np.full(3, 0.5), 0
    cv = tl.Folds.k(10, stratified=False)
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 3))
        y = X @ beta + rng.normal(size=n)
        found = tl.evaluate(tl.LinearRegression(), X, y, cv=cv, scoring="r2")["r2"]
        truth = []
        for train, _ in cv.split(X):
            fitted = tl.LinearRegression().fit(X[train], y[train])
            error = 1 + fitted.intercept_**2 + ((fitted.coef_ - beta) ** 2).sum()
            truth.append(1 - error / (1 + beta @ beta))
        held += float(np.mean(truth)) in found.interval
    check(held, TABLES, 0.93, 0.97)


def test_equal_learners_are_called_different_by_their_r2_in_one_table_of_twenty() -> None:
    shown = 0
    for seed in range(TABLES):
        X, y = equal(np.random.default_rng(seed), 80, "regressor")
        sides = {name: Sided(side, "regressor") for side, name in enumerate("ab")}
        found = tl.compare(sides, X, y, scoring="r2")
        shown += found.pairs[0, 1].better is not None
    check(shown, TABLES, 0.04, 0.06)


def test_the_nested_score_of_a_search_among_noise_holds_that_of_noise() -> None:
    """Folds that share training rows choose the same noise: as if of rows, it held in 70 %."""
    held, tables = 0, TABLES if SOAK else 16
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 2, (60, 12)).astype(float), np.arange(60) % 2
        found = tl.tune(Column(), {"at": [*range(12)]}, X, y, cv=2, nested=10)
        assert found.honest is not None
        assert "that this search selects" in found.score.interval.about
        held += 0.5 in found.score.interval
    check(held, tables, 0.93, 1.0)
