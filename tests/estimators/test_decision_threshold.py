"""Predictions of two classes by a threshold on the probability of one of them."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn import errors

RNG = np.random.default_rng(7)
X = RNG.normal(size=(80, 2))
Y = np.where(X[:, 0] + RNG.normal(size=80) > 0.5, "yes", "no")
LEARNERS = [
    tl.NaiveBayes(),
    tl.LogisticRegression(),
    tl.KNeighborsClassifier(7),
    tl.RandomForestClassifier(9),
    tl.DummyClassifier(),
    tl.DummyClassifier(strategy="uniform"),
    tl.Pipeline([tl.StandardScaler(), tl.LinearDiscriminantAnalysis()]),
    tl.VotingClassifier([tl.NaiveBayes(), tl.C45()], voting="soft"),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: one.constructor_call()[:30])
def test_a_row_is_positive_from_the_threshold_on(learner: Any) -> None:
    model = learner.fit(X, Y)
    shares = model.predict_proba(X)
    for threshold in (0, 0.3, float(shares[0, 1]), 1, inf):
        expected = np.where(shares[:, 1] >= threshold, "yes", "no")
        assert (model.predict(X, threshold) == expected).all()
        expected = np.where(shares[:, 0] >= threshold, "no", "yes")
        assert (model.predict(X, threshold=threshold, positive="no") == expected).all()


def test_classes_keep_their_type() -> None:
    model = tl.NaiveBayes().fit(X, (Y == "yes").astype(np.int8))
    assert model.predict(X, 0.2).dtype == np.int8
    assert model.predict(X, 0.5, positive=1).tolist() == model.predict(X, 0.5).tolist()


def test_training_rows_of_neighbours_are_predicted_from_the_others_by_a_threshold() -> None:
    model = tl.KNeighborsClassifier(7).fit(X, Y)
    expected = np.where(model.predict_proba(None)[:, 1] >= 0.2, "yes", "no")
    assert (model.predict(None, 0.2) == expected).all()


@pytest.mark.parametrize("odd", ["0.5", nan, True, [0.5]])
def test_a_threshold_is_a_number(odd: Any) -> None:
    with pytest.raises(errors.OptionError, match=r"NaiveBayes.predict: threshold is .*Pass a prob"):
        tl.NaiveBayes().fit(X, Y).predict(X, odd)


def test_a_threshold_is_of_one_of_two_classes() -> None:
    model = tl.NaiveBayes().fit(X, Y)
    with pytest.raises(errors.OptionError, match="threshold is not given"):
        model.predict(X, positive="no")
    with pytest.raises(errors.OptionError, match="'maybe', which is not a class"):
        model.predict(X, 0.5, positive="maybe")
    three = tl.NaiveBayes().fit(X, RNG.integers(3, size=80))
    with pytest.raises(errors.OptionError, match="the model has 3"):
        three.predict(X, 0.5)
    pipe = tl.Pipeline([tl.StandardScaler(), tl.KMeans(2)]).fit(X)
    with pytest.raises(errors.OptionError, match="the last step is KMeans"):
        pipe.predict(X, 0.5)
