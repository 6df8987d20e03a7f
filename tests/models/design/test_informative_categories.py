"""Telling values: a category of many values is asked for its rare ones where they tell."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri
from scipy.stats import dirichlet_multinomial, multivariate_normal

import tallylearn as tl
from tallylearn import errors
from tallylearn.models.design.informative_categories import (
    evidence_of_classes,
    evidence_of_measures,
)

N = 800
RNG = np.random.default_rng(5)
X = RNG.normal(size=(N, 3))
FAMILY = np.repeat(np.arange(N), RNG.integers(1, 5, N))[:N]  # of one to four
OF_FAMILY = RNG.normal(size=N)[FAMILY]
NOISE = RNG.permutation(FAMILY)
PRICE = X[:, 0] + 2 * OF_FAMILY + 0.3 * RNG.normal(size=N)


def table(family: Any) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[*"xyz"]).assign(ticket=[f"t{i:03}" for i in family])


def test_the_evidence_of_classes_is_that_of_dirichlet_and_multinomial() -> None:
    codes, labels = RNG.integers(12, size=60), RNG.integers(3, size=60)
    share = np.bincount(labels) / 60
    rows = [np.bincount(labels[codes == v], minlength=3) for v in np.unique(codes)]
    one = sum(dirichlet_multinomial.logpmf(r, share, r.sum()) for r in rows)
    paths = sum(np.log(np.arange(1, x + 1)).sum() for r in rows for x in [r.sum()])
    paths -= sum(np.log(np.arange(1, x + 1)).sum() for r in rows for x in r)
    other = np.log(share[labels]).sum()
    assert evidence_of_classes(codes, labels) == pytest.approx(one - paths - other)


def test_the_evidence_of_measures_is_that_of_normal_scores() -> None:
    codes, y = RNG.integers(9, size=40), RNG.normal(size=40)
    codes[:3] = [11, 12, 13]
    score = ndtri((y.argsort().argsort() + 0.5) / 40)
    score /= score.std()
    alike = np.where(codes[:, None] == codes, 0.5, 0.0) + np.eye(40) / 2
    one = multivariate_normal(cov=alike).logpdf(score)
    other = multivariate_normal(cov=np.eye(40)).logpdf(score)
    assert evidence_of_measures(codes, y) == pytest.approx(one - other)


def test_values_of_one_row_speak_for_nothing_and_no_order_of_rows_matters() -> None:
    every = np.arange(N)
    assert evidence_of_classes(every, every % 3) == pytest.approx(0, abs=1e-8)
    assert evidence_of_measures(every, PRICE) == pytest.approx(0, abs=1e-8)
    mixed = RNG.permutation(N)
    for evidence, y in ((evidence_of_classes, every % 3), (evidence_of_measures, PRICE)):
        assert evidence(FAMILY, y) == evidence(FAMILY[mixed], y[mixed])
    assert evidence_of_measures(FAMILY, np.ones(N)) == 0  # there is nothing to tell
    assert evidence_of_measures(FAMILY[:0], PRICE[:0]) == 0


def test_an_outlier_that_two_rows_share_speaks_as_any_two_rows() -> None:
    y = PRICE.copy()
    first = next(i for i, (a, b) in enumerate(pairwise(NOISE[np.argsort(NOISE)])) if a == b)
    y[np.argsort(NOISE)[first : first + 2]] = 1e9
    assert evidence_of_measures(NOISE, y) < 0


@pytest.mark.parametrize("classes", [True, False])
def test_a_forest_asks_for_families_and_for_no_noise(classes: bool) -> None:
    y: Any = np.where(PRICE > 0, "yes", "no") if classes else PRICE
    make = tl.RandomForestClassifier if classes else tl.RandomForestRegressor

    def score(family: Any, **options: Any) -> float:
        return float(make(30, **options).fit(table(family), y).oob.value)

    assert make().min_samples_category == "auto"
    assert score(FAMILY) == score(FAMILY, min_samples_category=2)
    assert score(FAMILY) > score(FAMILY, min_samples_category=20) + 0.03
    assert score(NOISE) == score(NOISE, min_samples_category=20)


@pytest.mark.parametrize(
    ("options", "y"),
    [
        ({}, PRICE > 0), ({"missing": "fractional"}, PRICE > 0),
        ({"splitter": "random"}, PRICE > 0), ({}, PRICE), ({"criterion": "absolute_error"}, PRICE),
    ],
)  # fmt: skip
def test_a_tree_asks_for_them_where_that_is_said(options: dict[str, Any], y: Any) -> None:
    kind = tl.DecisionTreeClassifier if y.dtype == bool else tl.DecisionTreeRegressor
    two, some, many = (
        str(kind(max_depth=4, min_samples_category=m, **options).fit(table(FAMILY), y).text())
        for m in (2, "auto", 20)
    )
    assert two == some != many
    assert kind().min_samples_category == 20


def test_other_words_are_refused() -> None:
    for wrong in ("all", None, 0, [1]):
        with pytest.raises(errors.OptionError, match="'min_samples_category' parameter"):
            tl.RandomForestClassifier(min_samples_category=wrong).fit(table(FAMILY), PRICE > 0)
