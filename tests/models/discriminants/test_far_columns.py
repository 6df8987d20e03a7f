"""Columns far from zero: Gaussian classes against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest

import tallylearn as tl

OFFSETS = [0.0, 1e9, 1e11]
Matrix = list[list[Fraction]]


def table(offset: float) -> tuple[Any, Any, Any]:
    """Two classes of correlated columns around an offset, and rows to predict."""
    rng = np.random.default_rng(7)
    y = np.arange(61) % 2
    X = rng.normal(size=(61, 2)) @ [[1.0, 0.4], [0.0, 0.7]] + np.outer(y, [0.8, -0.5]) + offset
    return X, y, rng.normal(size=(9, 2)) * 2 + offset


def exact(X: Any) -> Matrix:
    """The rows as fractions: a double is one."""
    return [[Fraction(x) for x in row] for row in X.tolist()]


def means_of(rows: Matrix) -> list[Fraction]:
    return [sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True)]


def scatter_of(rows: Matrix) -> Matrix:
    """(p, p) sums of products around the means."""
    mean = means_of(rows)
    away = [[x - m for x, m in zip(row, mean, strict=True)] for row in rows]
    p = range(len(mean))
    return [[sum((d[i] * d[j] for d in away), Fraction(0)) for j in p] for i in p]


def distance(x: list[Fraction], mean: list[Fraction], inverse: Matrix) -> Fraction:
    """(x - mean)ᵀ inverse (x - mean)."""
    d = [a - b for a, b in zip(x, mean, strict=True)]
    return sum((d[i] * inverse[i][j] * d[j] for i in (0, 1) for j in (0, 1)), Fraction(0))


def inverse_of(matrix: Matrix) -> Matrix:
    (a, b), (c, d) = matrix
    size = a * d - b * c
    return [[d / size, -b / size], [-c / size, a / size]]


def classes_of(X: Any, y: Any) -> list[Matrix]:
    return [exact(X[y == c]) for c in (0, 1)]


def ahead(model: Any, new: Any) -> Any:
    """How far the second class is ahead: the difference of the log probabilities."""
    found = model.predict_log_proba(new)
    return found[:, 1] - found[:, 0]


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize(
    "make",
    [
        tl.LinearDiscriminantAnalysis,
        lambda: tl.LinearDiscriminantAnalysis("lsqr"),
        lambda: tl.LinearDiscriminantAnalysis("eigen"),
        lambda: tl.LinearDiscriminantAnalysis("eigen", exact=True),
    ],
)
def test_lda_equals_rational_arithmetic_at_any_offset(make: Any, offset: float) -> None:
    X, y, new = table(offset)
    parts = classes_of(X, y)
    sums = [scatter_of(part) for part in parts]
    pooled = [
        [(a + b) / len(X) for a, b in zip(*rows, strict=True)] for rows in zip(*sums, strict=True)
    ]
    inverse, means = inverse_of(pooled), [means_of(part) for part in parts]
    prior = log(len(parts[1]) / len(parts[0]))
    wanted = [
        prior + float(distance(x, means[0], inverse) - distance(x, means[1], inverse)) / 2
        for x in exact(new)
    ]
    model = make().fit(X, y)
    assert np.allclose(ahead(model, new), wanted, rtol=1e-11, atol=1e-11)
    assert np.allclose(model.decision_function(new), wanted, rtol=1e-11, atol=1e-11)
    joint = model.predict_joint_log_proba(new)
    assert np.allclose(joint[:, 1] - joint[:, 0], wanted, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("exactly", [False, True])
def test_qda_equals_rational_arithmetic_at_any_offset(offset: float, exactly: bool) -> None:
    X, y, new = table(offset)
    parts = classes_of(X, y)
    means = [means_of(part) for part in parts]
    spreads = [[[v / len(part) for v in row] for row in scatter_of(part)] for part in parts]
    sizes = [float(s[0][0] * s[1][1] - s[0][1] * s[1][0]) for s in spreads]
    start = log(len(parts[1]) / len(parts[0])) - log(sizes[1] / sizes[0]) / 2
    inverse = [inverse_of(spread) for spread in spreads]
    wanted = [
        start + float(distance(x, means[0], inverse[0]) - distance(x, means[1], inverse[1])) / 2
        for x in exact(new)
    ]
    model = tl.QuadraticDiscriminantAnalysis(exact=exactly).fit(X, y)
    assert np.allclose(ahead(model, new), wanted, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("offset", OFFSETS)
def test_naive_bayes_equals_rational_arithmetic_at_any_offset(offset: float) -> None:
    X, y, new = table(offset)
    parts = classes_of(X, y)
    means = [means_of(part) for part in parts]
    spreads = [[scatter_of(part)[j][j] / len(part) for j in (0, 1)] for part in parts]
    wanted = []
    for x in exact(new):
        logs = [
            log(len(parts[c]))
            - sum(
                log(spreads[c][j]) / 2 + float((x[j] - means[c][j]) ** 2 / spreads[c][j]) / 2
                for j in (0, 1)
            )
            for c in (0, 1)
        ]
        wanted.append(logs[1] - logs[0])
    model = tl.NaiveBayes().fit(X, y)
    assert np.allclose(ahead(model, new), wanted, rtol=1e-11, atol=1e-11)
    gaps = new.copy()
    gaps[0, 1] = np.nan  # a missing value is left out: another kernel
    one = tl.NaiveBayes().fit(X[:, :1], y)
    assert np.allclose(ahead(model, gaps)[0], ahead(one, new[:, :1])[0], rtol=1e-11)


@pytest.mark.parametrize("offset", OFFSETS)
def test_nearest_centroid_equals_rational_arithmetic_at_any_offset(offset: float) -> None:
    X, y, new = table(offset)
    parts = classes_of(X, y)
    means = [means_of(part) for part in parts]
    free = len(X) - 2
    spread = [sum(scatter_of(part)[j][j] for part in parts) / free for j in (0, 1)]
    inverse = [[1 / spread[0], Fraction(0)], [Fraction(0), 1 / spread[1]]]
    wanted = [
        float(distance(x, means[0], inverse) - distance(x, means[1], inverse)) for x in exact(new)
    ]
    model = tl.NearestCentroid().fit(X, y)
    assert np.allclose(model.decision_function(new), wanted, rtol=1e-11, atol=1e-11)
    assert np.allclose(ahead(model, new), wanted, rtol=1e-11, atol=1e-11)


def test_shrunken_centroids_are_the_same_at_any_offset() -> None:
    found = []
    for offset in OFFSETS:
        X, y, new = table(0.0)
        X, new = np.round(X * 1024) / 1024 + offset, np.round(new * 1024) / 1024 + offset
        model = tl.NearestCentroid(shrink_threshold=0.7, priors="empirical").fit(X, y)
        found.append(model.decision_function(new))
    assert np.allclose(found[1], found[0], rtol=1e-9, atol=1e-9)
    assert np.allclose(found[2], found[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("offset", OFFSETS)
def test_leaving_one_out_of_naive_bayes_equals_fitting_at_any_offset(offset: float) -> None:
    X, y, _ = table(offset)
    told = tl.evaluate(tl.NaiveBayes(), X, y, cv="loo", scoring="neg_log_loss")
    each = []
    for i in range(len(X)):
        kept = np.arange(len(X)) != i
        model = tl.NaiveBayes().fit(X[kept], y[kept])
        each.append(model.predict_log_proba(X[i : i + 1])[0, y[i]])
    assert np.isclose(abs(told["neg_log_loss"].value), -np.mean(each), rtol=1e-9)


@pytest.mark.parametrize(
    "make",
    [
        tl.NaiveBayes, tl.NearestCentroid, tl.QuadraticDiscriminantAnalysis,
        tl.LinearDiscriminantAnalysis, lambda: tl.LinearDiscriminantAnalysis("eigen", exact=True),
    ],
)  # fmt: skip
def test_models_of_far_columns_are_saved_with_all_their_digits(make: Any, tmp_path: Any) -> None:
    X, y, new = table(1e11)
    model = make().fit(X, y)
    model.save(tmp_path / "far.tally")
    read = tl.load(tmp_path / "far.tally")
    assert np.array_equal(read.predict_proba(new), model.predict_proba(new))
    merged = tl.merge(make().fit(X[:30], y[:30]), make().fit(X[30:], y[30:]))
    assert np.allclose(ahead(merged, new), ahead(model, new), rtol=1e-9, atol=1e-9)
