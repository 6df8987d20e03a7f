"""Baselines: scikit-learn's answers, quantiles of weighed rows, and draws in the right shares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import dummy as peer

import tallylearn as tl

RNG = np.random.default_rng(0)
Y = RNG.normal(size=23).round(1)
CLASSES = np.array(["a"] * 7 + ["b"] * 2 + ["c"] * 1)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
def test_quantiles_are_numpys_and_a_weight_of_two_is_a_row_twice(share: float) -> None:
    learner = tl.DummyRegressor(strategy="quantile", quantile=share)
    assert learner.fit(Y[:, None], Y).constant_ == pytest.approx(np.quantile(Y, share))
    times = RNG.integers(1, 4, len(Y))
    counted = tl.table({"x": Y, "y": Y, "n": times}, target="y", weight="n")
    weighed = learner.fit(counted).constant_
    assert weighed == pytest.approx(np.quantile(np.repeat(Y, times), share))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("scale", [2.0**-10, 1.0, 8.0])  # sums of such weights do not round
def test_quantiles_by_sample_weights_are_scikit_learns(share: float, scale: float) -> None:
    weight = np.random.default_rng(int(10 * share)).integers(1, 4, len(Y)) * scale
    learner = tl.DummyRegressor(strategy="quantile", quantile=share)
    theirs = peer.DummyRegressor(strategy="quantile", quantile=share)
    found, wanted = (one.fit(Y[:, None], Y, weight).constant_ for one in (learner, theirs))
    assert found == pytest.approx(wanted)


@pytest.mark.parametrize(("share", "value"), [(0.2, 1.0), (0.5, 2.0), (0.625, 2.0), (0.7, 3.0)])
def test_with_fractions_as_weights_a_quantile_is_the_value_that_reaches_it(
    share: float, value: float
) -> None:
    learner = tl.DummyRegressor(strategy="quantile", quantile=share)
    found = learner.fit([[0], [0], [0]], [1.0, 2.0, 3.0], sample_weight=[0.5, 0.75, 0.75])
    assert found.predict([[9]]) == [value]


@pytest.mark.parametrize("strategy", ["prior", "most_frequent", "stratified", "uniform"])
def test_a_classifier_answers_as_scikit_learns(strategy: str) -> None:
    X = np.zeros((10, 1))
    ours, theirs = (
        make(strategy=strategy, random_state=3).fit(X, CLASSES)
        for make in (tl.DummyClassifier, peer.DummyClassifier)
    )
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X))
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()


@pytest.mark.parametrize(("strategy", "shares"), [("stratified", [0.7, 0.2, 0.1]),
                                                  ("uniform", [1 / 3] * 3)])  # fmt: skip
def test_drawn_answers_have_their_shares(strategy: str, shares: list[float]) -> None:
    model = tl.DummyClassifier(strategy=strategy, random_state=0).fit(np.zeros((10, 1)), CLASSES)
    _, times = np.unique(model.predict(np.zeros((20_000, 1))), return_counts=True)
    assert np.allclose(times / 20_000, shares, atol=0.02)


@pytest.mark.parametrize("y", [CLASSES, CLASSES[:9], Y])
def test_leaving_a_row_out_is_fitting_without_it(y: Any) -> None:
    X = np.arange(len(y), dtype=float)[:, None]
    classes = y.dtype.kind == "U"
    make = tl.DummyClassifier if classes else tl.DummyRegressor
    found = tl.evaluate(make(), X, y, cv="loo").predictions
    for row in range(len(y)):
        rest = np.arange(len(y)) != row
        model = make().fit(X[rest], y[rest])
        expected = model.predict_proba(X[:1])[0] if classes else model.predict(X[:1])
        names = [f"P({name})" for name in model.classes_] if classes else ["said"]
        assert [found[name][row] for name in names] == pytest.approx([*expected])
