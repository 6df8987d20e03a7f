"""The .632 and .632+ bootstrap, beside a slow version that follows the paper row by row."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import tallylearn as tl
from tallylearn.evaluation.evaluate.bootstrap_632 import BootstrapScore

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + RNG.normal(size=60) > 0.2).astype(int)
NUMBERS = 2 * X[:, 0] + RNG.normal(size=60)
DRAWS = tl.Folds.bootstrap(12)


def by_hand(make: Any, y: Any, loss: Any) -> tuple[float, float, float, float]:
    """Apparent, out of bag, .632 and .632+, as Efron and Tibshirani write them."""
    losses = [[] for _ in y]  # type: ignore[var-annotated]
    for train, test in DRAWS.split(X, y):
        said = make().fit(X[train], y[train]).predict(X[test])
        for row, answer in zip(test, said, strict=True):
            losses[row].append(loss(y[row], answer))
    out = float(np.mean([np.mean(some) for some in losses if some]))
    said = make().fit(X, y).predict(X)
    apparent = float(np.mean([loss(a, b) for a, b in zip(y, said, strict=True)]))
    gamma = float(np.mean([loss(a, b) for a in y for b in said]))
    point = 0.368 * apparent + 0.632 * out
    cut = min(out, gamma)
    rate = (cut - apparent) / (gamma - apparent) if cut > apparent and gamma > apparent else 0.0
    plus = point + (cut - apparent) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
    return apparent, out, point, plus


@pytest.mark.parametrize("make", [LogisticRegression, lambda: KNeighborsClassifier(1)])
def test_shares_of_right_answers_are_those_of_the_paper(make: Any) -> None:
    found = tl.evaluate(make(), X, Y, cv=DRAWS, scoring=["accuracy", "error", "roc_auc"])
    expected = by_hand(make, Y, lambda a, b: a != b)
    ours = found.bootstrapped["error"]
    assert (ours.apparent, ours.out_of_bag, ours.point632, ours.plus) == pytest.approx(expected)
    turned = found.bootstrapped["accuracy"]
    assert (turned.point632, turned.plus) == pytest.approx((1 - expected[2], 1 - expected[3]))
    assert turned.overfitting == pytest.approx(ours.overfitting)
    assert found.bootstrapped["roc_auc"].plus != found.bootstrapped["roc_auc"].plus
    assert ".632+" in str(found)
    assert str(found.report_of(json.loads(found.to_json()))) == str(found)


def test_squared_errors_are_those_of_the_paper() -> None:
    found = tl.evaluate(LinearRegression(), X, NUMBERS, cv=DRAWS, scoring=["mse", "mae"])
    expected = by_hand(LinearRegression, NUMBERS, lambda a, b: (a - b) ** 2)
    ours = found.bootstrapped["mse"]
    assert (ours.apparent, ours.out_of_bag, ours.point632, ours.plus) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("apparent", "out", "none", "point", "plus"),
    [(0.905, 0.875, 0.4998, 0.88604, 0.885508950679927),
     (0.92, 0.8987341772151899, 0.5004, 0.90656, 0.9063045710196322),
     (0.945, 0.8625, 0.4994, 0.89286, 0.8890478181292747),
     (0.915, 0.7848101265822784, 0.4998, 0.8327199999999999, 0.8219872737448959)],
)  # fmt: skip
def test_three_scores_are_mixed_as_mlxtend_mixes_them(
    apparent: float, out: float, none: float, point: float, plus: float
) -> None:
    # mlxtend 0.25.0, draws of bootstrap_point632_score; it mixes draw by draw, and its apparent
    # score is of all rows, those left out among them: only the mixing is the same
    ours = BootstrapScore.of("accuracy", apparent, out, none)
    assert (ours.point632, ours.plus) == pytest.approx((point, plus))


def test_a_model_that_knows_its_rows_by_heart_is_seen_through() -> None:
    noise = RNG.integers(0, 2, 60)
    found = tl.evaluate(KNeighborsClassifier(1), X, noise, cv=DRAWS, scoring="error")
    ours = found.bootstrapped["error"]
    assert ours.apparent == 0
    assert ours.point632 < 0.4 < ours.plus
    assert ours.overfitting > 0.8


def test_our_learners_have_it_too_and_other_folds_do_not() -> None:
    found = tl.evaluate(tl.NaiveBayes(), X, Y, cv="bootstrap", scoring="log_loss")
    ours = found.bootstrapped["log_loss"]
    assert ours.apparent < ours.plus < ours.no_information
    assert tl.evaluate(tl.NaiveBayes(), X, Y, cv=5).bootstrapped == {}
