"""Exemplars: what stands for a class, one or several of them, by any distance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_wine, make_moons
from sklearn.neighbors import NearestCentroid

import tallylearn as tl
from tallylearn import errors
from tallylearn.models.exemplars import KINDS, METRICS, distances, exemplar, geometric_median

X, Y = load_wine(return_X_y=True)
MOONS = make_moons(300, noise=0.15, random_state=0)


def test_medians_by_manhattan_are_scikit_learns() -> None:
    ours, theirs = (
        kind(metric="manhattan").fit(X, Y) for kind in (tl.NearestCentroid, NearestCentroid)
    )
    assert ours.model_.exemplars.points == pytest.approx(theirs.centroids_, rel=1e-12)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_one_mean_by_another_road_answers_as_the_tally_does() -> None:
    plain, other = tl.NearestCentroid().fit(X, Y), tl.NearestCentroid(exemplar="median").fit(X, Y)
    assert plain.tally_ is not None
    assert other.tally_ is None
    same = np.array([np.median(X[c == Y], axis=0) for c in range(3)])
    assert other.model_.exemplars.points == pytest.approx(same)


def test_the_geometric_median_has_the_least_sum_of_distances() -> None:
    x = np.random.default_rng(0).normal(size=(40, 3)) ** 3
    found = geometric_median(x)

    def total(at: Any) -> float:
        return float(np.linalg.norm(x - at, axis=1).sum())

    assert total(found) <= minimize(total, x.mean(axis=0), method="Nelder-Mead").fun + 1e-6
    corner = np.array([[0.0, 0], [0, 0], [0, 0], [9, 1], [1, 9]])  # the median is a row itself
    assert geometric_median(corner) == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_the_medoid_is_the_row_nearest_to_all_others(metric: str) -> None:
    x = np.random.default_rng(1).normal(size=(50, 2)) + 3
    found = exemplar(x, metric, "medoid")
    sums = [distances(row[None], x, metric).sum() for row in x]
    assert found.tolist() == x[int(np.argmin(sums))].tolist()


def test_several_centroids_follow_the_modes_of_a_class() -> None:
    rows, y = MOONS
    one, three = (
        tl.NearestCentroid(centroids_per_class=m).fit(rows, y).score(rows, y) for m in (1, 3)
    )
    assert one < 0.85
    assert three > 0.95
    chosen = tl.NearestCentroid(centroids_per_class="cv").fit(rows, y)
    assert len(chosen.model_.exemplars.points) > 2
    assert chosen.score(rows, y) >= three - 0.02
    few = tl.NearestCentroid(centroids_per_class=5).fit([[1.0], [2.0], [9.0]], ["a", "a", "b"])
    assert few.model_.exemplars.labels.tolist() == [0, 0, 1]  # no more than there are rows


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", METRICS)
def test_every_kind_answers_explains_and_comes_back(kind: str, metric: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(X[:, :3] + 0.01, columns=list("abc")).assign(y=[f"w{c}" for c in Y])
    model = tl.NearestCentroid(metric, exemplar=kind, centroids_per_class=2).fit(frame, "y")
    model.save(tmp_path / "c.tally")
    again = tl.load(tmp_path / "c.tally")
    assert again.predict(frame).tolist() == model.predict(frame).tolist()
    assert again.predict_proba(frame).sum(axis=1) == pytest.approx(1)
    told = model.explain(frame[:5])
    for row, said in zip(told, model.predict(frame[:5]), strict=True):
        assert row.chosen == said == min(row.lines, key=lambda line: line.total).outcome
    assert kind.replace("_", " ") in str(model.show_work())


def test_folds_fit_exemplars_anew() -> None:
    rows, y = MOONS
    found = tl.evaluate(tl.NearestCentroid(centroids_per_class=3), rows, y, cv=5)
    assert found["accuracy"].pooled > 0.95
    tuned = tl.tune(tl.NearestCentroid(), {"centroids_per_class": [1, 3]}, rows, y, cv=3)
    assert tuned.best == {"centroids_per_class": 3}


@pytest.mark.parametrize(
    ("options", "rows", "said"),
    [
        ({"centroids_per_class": 0}, [[1.0], [2.0]], "centroids_per_class"),
        ({"centroids_per_class": "many"}, [[1.0], [2.0]], "'cv'"),
        ({"exemplar": "mode"}, [[1.0], [2.0]], "'exemplar'"),
        ({"metric": "gower"}, [[1.0], [2.0]], "'metric'"),
        ({"exemplar": "medoid", "priors": "empirical"}, [[1.0], [2.0]], "go with one mean a class"),
        ({"exemplar": "medoid", "shrink_threshold": 0.1}, [[1.0], [2.0]], "go with one mean"),
        ({"exemplar": "geometric_mean"}, [[1.0], [-2.0]], "'x0' has -2 in row 1"),
        ({"exemplar": "medoid"}, [[1.0], [np.nan]], "'x0' has a gap in row 1"),
    ],
)
def test_what_cannot_stand_for_a_class_is_refused(options: Any, rows: Any, said: str) -> None:
    with pytest.raises(errors.TallyError, match=said):
        tl.NearestCentroid(**options).fit(rows, ["a", "b"])


def test_exemplars_keep_no_tally_to_add_to() -> None:
    model = tl.NearestCentroid(exemplar="medoid")
    with pytest.raises(errors.OptionError, match="Fit all rows at once"):
        model.partial_fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(errors.MergeError):
        model.fit([[1.0], [2.0]], ["a", "b"]).forget([[1.0]], ["a"])
