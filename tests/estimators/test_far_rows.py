"""Rows far from those learned: a finite row has a finite prediction, or our error."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import tallylearn as tl
from tallylearn import errors
from tests.learners import ESTIMATORS

SIZES = (0.0, 5e-324, 1e15, 1e100, 1e154, 1e155, 1e200, 1e300, 1.7e308)
ROWS = np.array([
    row
    for size in SIZES
    for s in (size, -size)
    for row in ([s, 0.0], [0.0, s], [s, s], [s, -s])
])  # fmt: skip
MORE = (
    tl.NearestCentroid(metric="manhattan"),
    tl.NearestCentroid(exemplar="medoid"),
    tl.LinearRegression(degree=3),
    tl.Ridge(degree=2),
    tl.KNeighborsClassifier(3, weights="inverse_square", metric="chebyshev"),
    tl.KNeighborsClassifier(3, metric="cosine"),
    tl.KNeighborsClassifier(3, metric="gower"),
    tl.KMeans(3),
    tl.Pipeline([tl.StandardScaler(), tl.LogisticRegression()]),
)
every_learner = pytest.mark.parametrize(
    "estimator", [*ESTIMATORS, *MORE], ids=lambda one: type(one).__name__
)


def table(estimator: Any, classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    if estimator.task == "regressor":
        return X, 10 + X @ [1.0, 2.0] + rng.normal(size=60)  # above 0: counts too
    if isinstance(estimator, tl.TunedThresholdClassifierCV):
        classes = 2
    return X, (np.digitize(X[:, 0], [-0.6, 0.4]) if classes == 3 else (X[:, 0] > 0).astype(int))


def answered(call: Any, row: Any) -> Any:
    """What a method gives for a row; None where it refuses it with our error."""
    found: Any = None
    with suppress(errors.InputError):
        found = np.asarray(call(row[None]))
    return found


@pytest.mark.parametrize("classes", [2, 3])
@every_learner
def test_a_finite_row_has_a_finite_prediction_or_our_error(estimator: Any, classes: int) -> None:
    model = clone(estimator).fit(*table(estimator, classes))
    for row in ROWS:
        for name in ("predict", "decision_function", "transform"):
            call = getattr(model, name, None)
            found = None if call is None else answered(call, row)
            assert found is None or found.dtype.kind != "f" or np.isfinite(found).all(), (name, row)
        if hasattr(model, "predict_proba"):
            shares = answered(model.predict_proba, row)
            assert shares is None or abs(shares.sum() - 1) < 1e-9, row
            logs = answered(model.predict_log_proba, row)
            assert (logs is None) == (shares is None)
            assert logs is None or np.allclose(np.exp(logs), shares), row


@pytest.mark.parametrize("size", [1e15, 1e100, 1e155, 1.7e308])
@pytest.mark.parametrize(
    "make", [tl.NearestCentroid, tl.NaiveBayes, lambda: tl.NearestCentroid(priors="empirical")]
)
def test_far_rows_get_the_nearer_of_classes_of_equal_spread(make: Any, size: float) -> None:
    X, y = [[-1.0, 3.0], [1.0, 3.5], [9.0, 3.0], [11.0, 3.5]], [0, 0, 1, 1]
    model = make().fit(X, y)
    assert model.predict([[size, 3.2], [-size, 3.2]]).tolist() == [1, 0]
    assert model.predict_proba([[size, 3.2], [-size, np.nan]]).tolist() == [[0, 1], [1, 0]]
    turned = make().fit(X, [1 - c for c in y])
    assert turned.predict([[size, 3.2], [-size, 3.2]]).tolist() == [0, 1]


@pytest.mark.parametrize("size", [1e13, 1e15, 1e17, 1e100])
@pytest.mark.parametrize(
    ("metric", "p"), [("manhattan", 2), ("chebyshev", 2), ("minkowski", 3), ("minkowski", 2)]
)
def test_far_rows_get_the_nearer_exemplar_by_any_metric(metric: str, p: int, size: float) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1, 2], 20)
    per_class = 2 if (metric, p) == ("minkowski", 2) else 1
    model = tl.NearestCentroid(metric, p=p, centroids_per_class=per_class).fit(X, y)
    rows = size * np.array([[1, 0, 0], [-1, 0, 0], [1, -1, 1], [-1, -1, -1], [1, -0.5, 1e-30]])
    power = {"manhattan": 1, "chebyshev": 0}.get(metric, p)
    nearest = []
    for row in rows:  # powers of distances, exact
        apart = [
            [abs(Fraction(float(a)) - Fraction(float(b))) for a, b in zip(row, point, strict=True)]
            for point in model.centroids_
        ]
        lengths = [sum(d**power for d in each) if power else max(each) for each in apart]
        nearest.append(int(np.argmin(np.array(lengths, dtype=object))) // per_class)
    assert model.predict(rows).tolist() == nearest
    assert model.predict_proba(rows).argmax(axis=1).tolist() == nearest


def test_far_rows_get_the_class_of_the_larger_spread() -> None:
    model = tl.NaiveBayes().fit([[-1.0], [1.0], [7.0], [13.0]], [0, 0, 1, 1])
    assert model.predict([[-1e200], [1e200]]).tolist() == [1, 1]


def test_what_lies_in_the_middle_stays_tied() -> None:
    model = tl.NearestCentroid().fit([[0.0, 1e9], [1.0, 1e9 + 1]], [0, 1])
    assert model.predict_proba([[0.5, 1e9 + 0.5]]).tolist() == [[0.5, 0.5]]
    assert model.predict_proba([[1e15, -1e15 + 1e9 + 1.0]]).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("size", [1e16, 1e100, 1e155, 1.7e308])
def test_far_rows_belong_to_the_nearer_cluster(size: float) -> None:
    model = tl.KMeans(2).fit([[0.0], [0.0], [1.0], [1.0]])
    at = model.cluster_centers_.ravel()
    assert at[model.predict([[size]])[0]] == 1
    assert at[model.predict([[-size]])[0]] == 0


def test_distances_from_clusters_are_finite_where_their_squares_are_not() -> None:
    model = tl.KMeans(2).fit([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    assert np.allclose(model.transform([[3e200, 4e200]]), 5e200)


@pytest.mark.parametrize(
    "make",
    [tl.RandomForestRegressor, tl.ExtraTreesRegressor, lambda: tl.KNeighborsRegressor(3)],
)
def test_the_mean_of_large_targets_is_finite(make: Any) -> None:
    X, y = np.arange(9.0)[:, None], np.full(9, 1.5e308)
    model = make().fit(X, y)
    assert np.allclose(model.predict(X) / 1e308, 1.5)
    assert np.isfinite(model.score(X, y))


@pytest.mark.parametrize("options", [{}, {"solver": "lsqr", "shrinkage": 0.5}, {"exact": True}])
@pytest.mark.parametrize("classes", [2, 3])
def test_discriminants_of_far_rows_are_finite_or_our_error(classes: int, options: Any) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3))
    y = np.digitize(X @ [1.0, 2.0, -1.0], [0.0] if classes == 2 else [-1.0, 1.0])
    model = tl.LinearDiscriminantAnalysis(**options).fit(X, y)
    for size in np.geomspace(1e306, 1.79e308, 20):
        for row in size * np.array([[1, 0, 0], [-1, 0, 0], [1, -1, 0.5]]):
            found = answered(model.decision_function, row)
            assert found is None or np.isfinite(found).all(), row


def test_an_error_of_a_far_row_names_its_row_its_column_and_a_remedy() -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = tl.LinearRegression().fit(X, X @ [3.0, 4.0])
    with pytest.raises(errors.ColumnError, match=r"row 2: .* column 'x1' is 1.7e\+308\. Correct"):
        model.predict([[0.0, 0.0], [0.0, 1.0], [1.0, 1.7e308]])
    with pytest.raises(errors.ColumnError, match="row 0"):
        model.explain([[1.0, 1.7e308]])
    X[0, 1] = 1e10
    assert np.isfinite(tl.LinearRegression().fit(X, X[:, 0]).predict([[0.0, 1.7e300]])).all()
